// A small parser of XML: NanoXML of table 4 of the partial-solution cache (Shuai, Chen, Ma, Liu and others, 2024),
// written anew from the grammar of XML 1.0 (fifth edition), of which it takes a subset.
//
// SIZE symbolic characters are a document: a prolog of comments and processing instructions, and one element with
// attributes and with text, elements, CDATA sections, comments, instructions and references to characters and to the
// five predefined entities in it. Names are of ASCII letters, digits and `-_.:`. There is no document type. What is
// wrong first is returned, or the number of elements if nothing is.
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 6
#endif

enum { DEPTH = 8, ATTRIBUTES = 4 };

enum fault {
    NO_FAULT,
    UNEXPECTED_END = 100,
    NOT_A_NAME,
    WRONG_CHARACTER,
    WRONG_REFERENCE,
    UNKNOWN_ENTITY,
    WRONG_END_TAG,
    REPEATED_ATTRIBUTE,
    EXPECTED_EQUALS,
    EXPECTED_QUOTE,
    LESS_IN_ATTRIBUTE,
    WRONG_COMMENT,
    WRONG_INSTRUCTION,
    END_OF_CDATA_IN_TEXT,
    EXPECTED_ELEMENT,
    EXPECTED_END_OF_TAG,
    TOO_DEEP,
    TOO_MANY_ATTRIBUTES,
    BEHIND_THE_ROOT,
};

struct name {
    int at, length;
};

static char text[SIZE + 1];  // a zero at its end
static int at, elements;

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':'; }

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Moves on if this is what comes next.
static int accept(const char *word) {
    int i = 0;
    for (; word[i]; i++)
        if (text[at + i] != word[i])
            return 0;
    at += i;
    return 1;
}

static int skip_space(void) {
    int from = at;
    while (is_space(text[at]))
        at++;
    return at > from;
}

static enum fault fault_here(enum fault fault) { return text[at] ? fault : UNEXPECTED_END; }

static enum fault parse_name(struct name *name) {
    if (!is_letter(text[at]))
        return fault_here(NOT_A_NAME);
    name->at = at++;
    while (is_letter(text[at]) || is_digit(text[at]) || text[at] == '-' || text[at] == '.')
        at++;
    name->length = at - name->at;
    return NO_FAULT;
}

static int same_name(struct name a, struct name b) {
    if (a.length != b.length)
        return 0;
    for (int i = 0; i < a.length; i++)
        if (text[a.at + i] != text[b.at + i])
            return 0;
    return 1;
}

static int digit_of(char c, int base) {
    if (is_digit(c))
        return c - '0';
    if (base == 16 && c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (base == 16 && c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

// Behind `&`.
static enum fault parse_reference(void) {
    static const char *const entities[] = {"lt;", "gt;", "amp;", "apos;", "quot;"};
    if (accept("#")) {
        int base = accept("x") ? 16 : 10, code = 0, digits = 0;
        for (int digit; (digit = digit_of(text[at], base)) >= 0; at++, digits++)
            if ((code = code * base + digit) > 0x10ffff)
                return WRONG_REFERENCE;
        if (!digits || !accept(";"))
            return fault_here(WRONG_REFERENCE);
        return code >= 32 || code == 9 || code == 10 || code == 13 ? NO_FAULT : WRONG_REFERENCE;
    }
    for (unsigned i = 0; i < sizeof entities / sizeof *entities; i++)
        if (accept(entities[i]))
            return NO_FAULT;
    return fault_here(UNKNOWN_ENTITY);
}

// Behind `<!--`, up to and with `-->`; there is no `--` inside.
static enum fault parse_comment(void) {
    for (; text[at]; at++)
        if (accept("--"))
            return accept(">") ? NO_FAULT : fault_here(WRONG_COMMENT);
    return UNEXPECTED_END;
}

// Behind `<?`, up to and with `?>`.
static enum fault parse_instruction(void) {
    struct name target;
    enum fault fault = parse_name(&target);
    if (fault)
        return fault;
    if (!is_space(text[at]) && text[at] != '?')
        return fault_here(WRONG_INSTRUCTION);
    for (; text[at]; at++)
        if (accept("?>"))
            return NO_FAULT;
    return UNEXPECTED_END;
}

// Behind `<![CDATA[`, up to and with `]]>`.
static enum fault parse_cdata(void) {
    for (; text[at]; at++)
        if (accept("]]>"))
            return NO_FAULT;
    return UNEXPECTED_END;
}

static enum fault parse_value(void) {
    char quote = text[at];
    if (quote != '"' && quote != '\'')
        return fault_here(EXPECTED_QUOTE);
    for (at++; text[at] != quote;) {
        if (!text[at])
            return UNEXPECTED_END;
        if (text[at] == '<')
            return LESS_IN_ATTRIBUTE;
        if (accept("&")) {
            enum fault fault = parse_reference();
            if (fault)
                return fault;
        } else
            at++;
    }
    at++;
    return NO_FAULT;
}

// Behind the name of a start tag, up to `>` or `/>`.
static enum fault parse_attributes(void) {
    struct name names[ATTRIBUTES];
    for (int count = 0;; count++) {
        int space = skip_space();
        if (text[at] == '>' || text[at] == '/')
            return NO_FAULT;
        if (!space)
            return fault_here(EXPECTED_END_OF_TAG);
        if (count == ATTRIBUTES)
            return TOO_MANY_ATTRIBUTES;
        enum fault fault = parse_name(&names[count]);
        if (fault)
            return fault;
        for (int i = 0; i < count; i++)
            if (same_name(names[i], names[count]))
                return REPEATED_ATTRIBUTE;
        skip_space();
        if (!accept("="))
            return fault_here(EXPECTED_EQUALS);
        skip_space();
        if ((fault = parse_value()))
            return fault;
    }
}

// What may be anywhere: 1 where there was something of it.
static int parse_other(enum fault *fault) {
    if (accept("<!--"))
        *fault = parse_comment();
    else if (accept("<?"))
        *fault = parse_instruction();
    else
        return 0;
    return 1;
}

// Text, up to `<`.
static enum fault parse_text(void) {
    while (text[at] && text[at] != '<') {
        if (accept("&")) {
            enum fault fault = parse_reference();
            if (fault)
                return fault;
        } else if (accept("]]>"))
            return END_OF_CDATA_IN_TEXT;
        else if (text[at] > 0 && text[at] < 32 && !is_space(text[at]))
            return WRONG_CHARACTER;
        else
            at++;
    }
    return NO_FAULT;
}

// The root, from `<` of its start tag on, with all that is in it.
static enum fault parse_elements(void) {
    struct name open[DEPTH];
    int depth = 0;
    do {
        enum fault fault = parse_text();
        if (fault)
            return fault;
        if (parse_other(&fault)) {
            if (fault)
                return fault;
        } else if (accept("<![CDATA[")) {
            if ((fault = parse_cdata()))
                return fault;
        } else if (accept("</")) {
            struct name name;
            if ((fault = parse_name(&name)))
                return fault;
            if (!same_name(name, open[depth - 1]))
                return WRONG_END_TAG;
            skip_space();
            if (!accept(">"))
                return fault_here(EXPECTED_END_OF_TAG);
            depth--;
        } else if (accept("<")) {
            if (depth == DEPTH)
                return TOO_DEEP;
            if ((fault = parse_name(&open[depth])) || (fault = parse_attributes()))
                return fault;
            elements++;
            if (accept("/>"))
                continue;
            if (!accept(">"))
                return fault_here(EXPECTED_END_OF_TAG);
            depth++;
        } else
            return UNEXPECTED_END;
    } while (depth);
    return NO_FAULT;
}

static enum fault parse(void) {
    enum fault fault = NO_FAULT;
    while (skip_space() || parse_other(&fault))
        if (fault)
            return fault;
    if (text[at] != '<' || text[at + 1] == '/' || text[at + 1] == '!')
        return fault_here(EXPECTED_ELEMENT);
    if ((fault = parse_elements()))
        return fault;
    while (skip_space() || parse_other(&fault))
        if (fault)
            return fault;
    return text[at] ? BEHIND_THE_ROOT : NO_FAULT;
}

int main(void) {
    klee_make_symbolic(text, SIZE, "text");
    enum fault fault = parse();
    return fault ? (int)fault : elements;
}
