// Java class files: Toba of MuSE's table 2 (Zhang, Chen, Shuai and others, 2020), which translates bytecode; this one
// is written anew from chapters 4 and 6 of the Java Virtual Machine Specification.
//
// All kinds of constants and what they refer to, names and descriptors, fields, methods and attributes, and the
// bytecode of methods: where instructions begin, what they refer to, and where they jump to. What is wrong first is
// returned, or 0. The valid file below is the first input: see ../README.md.
#include <klee/klee.h>

static unsigned char file[] = {
    0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 16,  // version 52, 15 constants
    1, 0, 1, 'A',
    7, 0, 1,
    1, 0, 16, 'j', 'a', 'v', 'a', '/', 'l', 'a', 'n', 'g', '/', 'O', 'b', 'j', 'e', 'c', 't',
    7, 0, 3,
    1, 0, 1, 'x',
    1, 0, 1, 'I',
    1, 0, 13, 'C', 'o', 'n', 's', 't', 'a', 'n', 't', 'V', 'a', 'l', 'u', 'e',
    3, 0, 0, 0, 7,
    1, 0, 6, '<', 'i', 'n', 'i', 't', '>',
    1, 0, 3, '(', ')', 'V',
    1, 0, 4, 'C', 'o', 'd', 'e',
    12, 0, 9, 0, 10,
    10, 0, 4, 0, 12,
    1, 0, 10, 'S', 'o', 'u', 'r', 'c', 'e', 'F', 'i', 'l', 'e',
    1, 0, 6, 'A', '.', 'j', 'a', 'v', 'a',
    0, 33, 0, 2, 0, 4, 0, 0,  // public class A extends Object
    0, 1, 0, 25, 0, 5, 0, 6, 0, 1, 0, 7, 0, 0, 0, 2, 0, 8,  // public static final int x = 7
    0, 1, 0, 1, 0, 9, 0, 10, 0, 1, 0, 11, 0, 0, 0, 17, 0, 1, 0, 1, 0, 0, 0, 5,  // A()
    0x2a, 0xb7, 0, 13, 0xb1, 0, 0, 0, 0,
    0, 1, 0, 14, 0, 0, 0, 2, 0, 15,  // from A.java
};

enum { SIZE = sizeof file, CONSTANTS = 32, CODE = 64, DIMENSIONS = 255 };

enum fault {
    VALID,
    NO_CLASS,
    TRUNCATED,
    UNKNOWN_VERSION,
    NO_CONSTANTS,
    TOO_LARGE,
    UNKNOWN_CONSTANT,
    NEW_CONSTANT,
    WRONG_TEXT,
    WRONG_REFERENCE,
    WRONG_HANDLE,
    WRONG_FLAGS,
    WRONG_SUPER,
    WRONG_NAME,
    WRONG_DESCRIPTOR,
    WRONG_LENGTH,
    WRONG_VALUE,
    REPEATED_ATTRIBUTE,
    NO_CODE,
    UNWANTED_CODE,
    EMPTY_CODE,
    UNKNOWN_INSTRUCTION,
    WRONG_OPERAND,
    WRONG_JUMP,
    WRONG_LOCAL,
    WRONG_HANDLER,
    FALLS_OFF,
    BEHIND_THE_END,
};

enum tag {
    UNUSABLE,  // the first, and those behind what takes two
    UTF8,
    INTEGER = 3,
    FLOAT,
    LONG,
    DOUBLE,
    CLASS,
    STRING,
    FIELD,
    METHOD,
    INTERFACE_METHOD,
    NAME_AND_TYPE,
    METHOD_HANDLE = 15,
    METHOD_TYPE,
    DYNAMIC,
    INVOKE_DYNAMIC,
    MODULE,
    PACKAGE,
};

enum { PUBLIC = 0x1, PRIVATE = 0x2, STATIC = 0x8, FINAL = 0x10, SYNCHRONIZED = 0x20, VOLATILE = 0x40 };
enum { NATIVE = 0x100, INTERFACE = 0x200, ABSTRACT = 0x400, ANNOTATION = 0x2000 };
enum where { OF_CLASS, OF_FIELD, OF_METHOD, OF_CODE };

static struct {
    enum tag tag;
    unsigned at, end;
} constants[CONSTANTS];

static unsigned at, count, major, flags;
static unsigned access;  // of the field or method that is read

static unsigned u16(unsigned at) { return (unsigned)file[at] << 8 | file[at + 1]; }

static unsigned u32(unsigned at) { return u16(at) << 16 | u16(at + 2); }

static int has(unsigned bytes) { return bytes <= SIZE - at; }

// Byte by byte, so that on each path it is known where we are.
static void skip(unsigned bytes) {
    for (; bytes > 0; bytes--)
        at++;
}

// The number of a constant, once it is found: from here on it is no more an input, and there is a path for each.
static unsigned found(unsigned index) {
    for (unsigned i = 1; i < count; i++)
        if (index == i)
            return i;
    return UNUSABLE;
}

static int is_constant(unsigned index, enum tag tag) { return index < count && constants[index].tag == tag; }

static unsigned length_of(unsigned index) { return constants[index].end - constants[index].at - 2; }

static const unsigned char *text_of(unsigned index) { return &file[constants[index].at + 2]; }

static int is_text(unsigned index, const char *text) {
    unsigned length = length_of(index), i = 0;
    for (; text[i]; i++)
        if (i >= length || text_of(index)[i] != (unsigned char)text[i])
            return 0;
    return i == length;
}

// One to three bytes a character, and no zero.
static enum fault read_text(unsigned end) {
    while (at < end) {
        unsigned char c = file[at];
        unsigned more = c < 0x80 ? 0 : c < 0xe0 ? 1 : 2;
        if (c == 0 || (c >= 0x80 && c < 0xc0) || c >= 0xf0 || more >= end - at)
            return WRONG_TEXT;
        for (unsigned i = 1; i <= more; i++)
            if (file[at + i] < 0x80 || file[at + i] >= 0xc0)
                return WRONG_TEXT;
        skip(1 + more);
    }
    return VALID;
}

static enum fault read_constant(unsigned index) {
    static const unsigned sizes[] = {0, 2, 0, 4, 4, 8, 8, 2, 2, 4, 4, 4, 4, 0, 0, 3, 2, 4, 4, 2, 2};
    static const unsigned since[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 51, 51, 55, 51, 53, 53};
    if (!has(1))
        return TRUNCATED;
    for (unsigned tag = UTF8; tag <= PACKAGE; tag++)
        if (file[at] == tag && sizes[tag]) {
            constants[index].tag = (enum tag)tag;
            constants[index].at = ++at;
            if (!has(sizes[tag]))
                return TRUNCATED;
            at += sizes[tag];
            if (major < since[tag])
                return NEW_CONSTANT;
            if (tag != UTF8)
                return VALID;
            return has(u16(at - 2)) ? read_text(at + u16(at - 2)) : TRUNCATED;
        }
    return UNKNOWN_CONSTANT;
}

static enum fault read_constants(void) {
    if (!has(2))
        return TRUNCATED;
    count = u16(at);
    at += 2;
    if (count == 0)
        return NO_CONSTANTS;
    if (count > CONSTANTS)
        return TOO_LARGE;
    unsigned i = 1;
    for (; i < count; i++) {
        enum fault fault = read_constant(i);
        if (fault)
            return fault;
        constants[i].end = at;
        if (constants[i].tag == LONG || constants[i].tag == DOUBLE)
            i++;
    }
    if (i != count)
        return TRUNCATED;
    count = i;
    return VALID;
}

static int is_any_method(unsigned index) { return is_constant(index, METHOD) || is_constant(index, INTERFACE_METHOD); }

// A handle's kind says what it refers to.
static enum fault check_handle(unsigned at) {
    unsigned kind = file[at], to = u16(at + 1);
    if (kind < 1 || kind > 9)
        return WRONG_HANDLE;
    if (kind <= 4)
        return is_constant(to, FIELD) ? VALID : WRONG_HANDLE;
    if (kind == 5 || kind == 8)
        return is_constant(to, METHOD) ? VALID : WRONG_HANDLE;
    return (kind == 9 ? is_constant(to, INTERFACE_METHOD) : is_any_method(to)) ? VALID : WRONG_HANDLE;
}

// What constants refer to may come behind them.
static enum fault check_constants(void) {
    for (unsigned i = 1; i < count; i++) {
        unsigned at = constants[i].at;
        int right = 1;
        switch (constants[i].tag) {
        case CLASS:
        case STRING:
        case METHOD_TYPE:
        case MODULE:
        case PACKAGE:
            right = is_constant(u16(at), UTF8);
            break;
        case FIELD:
        case METHOD:
        case INTERFACE_METHOD:
            right = is_constant(u16(at), CLASS) && is_constant(u16(at + 2), NAME_AND_TYPE);
            break;
        case NAME_AND_TYPE:
            right = is_constant(u16(at), UTF8) && is_constant(u16(at + 2), UTF8);
            break;
        case DYNAMIC:
        case INVOKE_DYNAMIC:
            right = is_constant(u16(at + 2), NAME_AND_TYPE);
            break;
        case METHOD_HANDLE:
            if (check_handle(at))
                return WRONG_HANDLE;
            break;
        default:
            break;
        }
        if (!right)
            return WRONG_REFERENCE;
    }
    return VALID;
}

static enum fault check_name(unsigned index, enum where where) {
    index = found(index);
    if (!is_constant(index, UTF8))
        return WRONG_REFERENCE;
    unsigned length = length_of(index);
    if (length == 0)
        return WRONG_NAME;
    if (where == OF_METHOD && (is_text(index, "<init>") || is_text(index, "<clinit>")))
        return VALID;
    for (unsigned i = 0; i < length; i++) {
        unsigned char c = text_of(index)[i];
        if (c == '.' || c == ';' || c == '[' || c == '/' || (where == OF_METHOD && (c == '<' || c == '>')))
            return WRONG_NAME;
    }
    return VALID;
}

// Where a type ends that begins at `from`; 0 if there is none.
static unsigned skip_type(const unsigned char *text, unsigned from, unsigned length) {
    for (unsigned dimensions = 0; from < length; from++) {
        switch (text[from]) {
        case 'B':
        case 'C':
        case 'D':
        case 'F':
        case 'I':
        case 'J':
        case 'S':
        case 'Z':
            return from + 1;
        case '[':
            if (++dimensions > DIMENSIONS)
                return 0;
            break;
        case 'L':
            for (unsigned i = from + 1; i < length; i++)
                if (text[i] == ';')
                    return i > from + 1 ? i + 1 : 0;
            return 0;
        default:
            return 0;
        }
    }
    return 0;
}

static enum fault check_descriptor(unsigned index, enum where where) {
    index = found(index);
    if (!is_constant(index, UTF8))
        return WRONG_REFERENCE;
    const unsigned char *text = text_of(index);
    unsigned length = length_of(index), from = 0;
    if (where == OF_METHOD) {
        if (length == 0 || text[0] != '(')
            return WRONG_DESCRIPTOR;
        for (from = 1; from < length && text[from] != ')';)
            if ((from = skip_type(text, from, length)) == 0)
                return WRONG_DESCRIPTOR;
        if (++from >= length)
            return WRONG_DESCRIPTOR;
        if (text[from] == 'V')
            return from + 1 == length ? VALID : WRONG_DESCRIPTOR;
    }
    return length && skip_type(text, from, length) == length ? VALID : WRONG_DESCRIPTOR;
}

static unsigned char starts[CODE];  // whether an instruction begins here

// The length of an instruction that is always the same; 0 of others.
static unsigned size_of(unsigned char op) {
    if (op <= 0x0f || (op >= 0x1a && op <= 0x35) || (op >= 0x3b && op <= 0x83) || (op >= 0x85 && op <= 0x98))
        return 1;
    if ((op >= 0xac && op <= 0xb1) || op == 0xbe || op == 0xbf || op == 0xc2 || op == 0xc3)
        return 1;
    if (op == 0x10 || op == 0x12 || (op >= 0x15 && op <= 0x19) || (op >= 0x36 && op <= 0x3a))
        return 2;
    if (op == 0xa9 || op == 0xbc)
        return 2;
    if (op == 0xb9 || op == 0xba || op == 0xc8 || op == 0xc9)
        return 5;
    if (op == 0xc5)
        return 4;
    return op <= 0xa8 || (op >= 0xb2 && op <= 0xc7 && op != 0xc4) ? 3 : 0;
}

// Those that jump to one of many places, which are counted, and those with longer operands.
static unsigned size_of_special(unsigned code, unsigned pc, unsigned length) {
    unsigned char op = file[code + pc];
    unsigned padded = (pc + 4) / 4 * 4, places = 0;
    if (op == 0xc4) {
        if (length - pc < 4)
            return 0;
        unsigned char wide = file[code + pc + 1];
        if (wide == 0x84)
            return 6;
        return (wide >= 0x15 && wide <= 0x19) || (wide >= 0x36 && wide <= 0x3a) || wide == 0xa9 ? 4 : 0;
    }
    if ((op != 0xaa && op != 0xab) || padded + 12 > length)
        return 0;
    if (op == 0xab) {
        for (; places != u32(code + padded + 4); places++)
            if (padded + 8 + 8 * places >= length)
                return 0;
        return padded + 8 + 8 * places - pc;
    }
    for (; places != u32(code + padded + 8) - u32(code + padded + 4); places++)
        if (padded + 16 + 4 * places >= length)
            return 0;
    return padded + 16 + 4 * places - pc;
}

static enum fault find_instructions(unsigned code, unsigned length) {
    unsigned char op = 0;
    for (unsigned pc = 0; pc < CODE; pc++)
        starts[pc] = 0;
    for (unsigned pc = 0, size; pc < length; pc += size) {
        op = file[code + pc];
        starts[pc] = 1;
        size = size_of(op);
        if (size == 0 && (size = size_of_special(code, pc, length)) == 0)
            return UNKNOWN_INSTRUCTION;
        if (size > length - pc)
            return TRUNCATED;
    }
    // The last one is a return, a throw or a jump.
    return (op >= 0xa7 && op <= 0xb1) || op == 0xbf || op == 0xc8 ? VALID : FALLS_OFF;
}

static int is_loadable(unsigned index, int wide) {
    if (wide)
        return is_constant(index, LONG) || is_constant(index, DOUBLE);
    return is_constant(index, INTEGER) || is_constant(index, FLOAT) || is_constant(index, STRING) ||
           (is_constant(index, CLASS) && major >= 49);
}

static enum fault check_operand(unsigned at, unsigned pc, unsigned length, unsigned locals) {
    unsigned char op = file[at];
    if (op == 0x12)
        return is_loadable(file[at + 1], 0) ? VALID : WRONG_OPERAND;
    if (op == 0x13 || op == 0x14)
        return is_loadable(u16(at + 1), op == 0x14) ? VALID : WRONG_OPERAND;
    if ((op >= 0x15 && op <= 0x19) || (op >= 0x36 && op <= 0x3a) || op == 0x84)
        return file[at + 1] < locals ? VALID : WRONG_LOCAL;
    if (op >= 0x1a && op <= 0x2d)  // four of each type
        return (op - 0x1au) % 4 < locals ? VALID : WRONG_LOCAL;
    if (op >= 0x3b && op <= 0x4e)
        return (op - 0x3bu) % 4 < locals ? VALID : WRONG_LOCAL;
    if ((op >= 0x99 && op <= 0xa8) || op == 0xc6 || op == 0xc7) {
        unsigned to = (pc + u16(at + 1)) & 0xffff;
        return to < length && starts[to] ? VALID : WRONG_JUMP;
    }
    if (op >= 0xb2 && op <= 0xb5)
        return is_constant(u16(at + 1), FIELD) ? VALID : WRONG_OPERAND;
    if (op == 0xb6)
        return is_constant(u16(at + 1), METHOD) ? VALID : WRONG_OPERAND;
    if (op == 0xb7 || op == 0xb8)
        return is_any_method(u16(at + 1)) ? VALID : WRONG_OPERAND;
    if (op == 0xb9)
        return is_constant(u16(at + 1), INTERFACE_METHOD) && file[at + 3] && !file[at + 4] ? VALID : WRONG_OPERAND;
    if (op == 0xba)
        return is_constant(u16(at + 1), INVOKE_DYNAMIC) && !u16(at + 3) ? VALID : WRONG_OPERAND;
    if (op == 0xbc)
        return file[at + 1] >= 4 && file[at + 1] <= 11 ? VALID : WRONG_OPERAND;
    if (op == 0xbb || op == 0xbd || op == 0xc0 || op == 0xc1 || op == 0xc5)
        return is_constant(u16(at + 1), CLASS) ? VALID : WRONG_OPERAND;
    return VALID;
}

static enum fault read_attributes(enum where where);

// The limit of an attribute is checked by who calls.
static enum fault read_code(void) {
    enum fault fault;
    if (!has(8))
        return TRUNCATED;
    unsigned locals = u16(at + 2), length = u32(at + 4), code = at + 8;
    at += 8;
    if (length == 0)
        return EMPTY_CODE;
    if (!has(length))
        return TRUNCATED;
    if (length > CODE)
        return TOO_LARGE;
    if ((fault = find_instructions(code, length)))
        return fault;
    for (unsigned pc = 0; pc < length; pc++)
        if (starts[pc] && (fault = check_operand(code + pc, pc, length, locals)))
            return fault;
    skip(length);
    if (!has(2))
        return TRUNCATED;
    unsigned handlers = u16(at);
    for (at += 2; handlers > 0; handlers--, at += 8) {
        if (!has(8))
            return TRUNCATED;
        unsigned from = u16(at), to = u16(at + 2), handler = u16(at + 4), type = u16(at + 6);
        if (from >= to || to > length || handler >= length || !starts[from] || !starts[handler])
            return WRONG_HANDLER;
        if (type && !is_constant(type, CLASS))
            return WRONG_HANDLER;
    }
    return read_attributes(OF_CODE);
}

static enum fault check_value(void) {
    unsigned value = u16(at);
    at += 2;
    if (!(access & STATIC))
        return VALID;
    return is_loadable(value, 0) || is_loadable(value, 1) ? VALID : WRONG_VALUE;
}

// A table of entries of so many bytes, the first two of which are a constant if there is a tag for it.
static enum fault read_table(unsigned size, enum tag tag) {
    if (!has(2))
        return TRUNCATED;
    unsigned entries = u16(at);
    for (at += 2; entries > 0; entries--, at += size) {
        if (!has(size))
            return TRUNCATED;
        if (tag && !is_constant(u16(at), tag))
            return WRONG_REFERENCE;
    }
    return VALID;
}

static enum fault read_attribute(enum where where, int *has_code) {
    if (!has(6))
        return TRUNCATED;
    unsigned name = found(u16(at)), length = u32(at + 2);
    enum fault fault = VALID;
    at += 6;
    if (!is_constant(name, UTF8))
        return WRONG_REFERENCE;
    if (!has(length))
        return TRUNCATED;
    unsigned end = at + length;
    if (where == OF_METHOD && is_text(name, "Code")) {
        if (*has_code)
            return REPEATED_ATTRIBUTE;
        *has_code = 1;
        fault = read_code();
    } else if (where == OF_METHOD && is_text(name, "Exceptions"))
        fault = read_table(2, CLASS);
    else if (where == OF_FIELD && is_text(name, "ConstantValue"))
        fault = length == 2 ? check_value() : WRONG_LENGTH;
    else if (where == OF_CODE && is_text(name, "LineNumberTable"))
        fault = read_table(4, UNUSABLE);
    else if (where == OF_CLASS && is_text(name, "InnerClasses"))
        fault = read_table(8, CLASS);
    else if (where == OF_CLASS && is_text(name, "SourceFile")) {
        if (length != 2)
            return WRONG_LENGTH;
        fault = is_constant(u16(at), UTF8) ? VALID : WRONG_REFERENCE;
        at += 2;
    } else
        skip(length);  // of others nothing is known
    if (fault)
        return fault;
    return at == end ? VALID : WRONG_LENGTH;
}

static enum fault read_attributes(enum where where) {
    if (!has(2))
        return TRUNCATED;
    unsigned attributes = u16(at);
    int has_code = 0;
    for (at += 2; attributes > 0; attributes--) {
        enum fault fault = read_attribute(where, &has_code);
        if (fault)
            return fault;
    }
    if (where != OF_METHOD)
        return VALID;
    if (access & (NATIVE | ABSTRACT))
        return has_code ? UNWANTED_CODE : VALID;
    return has_code ? VALID : NO_CODE;
}

// Public, private and protected exclude each other, and so do some others.
static enum fault check_access(enum where where) {
    if ((access & 7) != 0 && (access & 7) != 1 && (access & 7) != 2 && (access & 7) != 4)
        return WRONG_FLAGS;
    if (where == OF_FIELD)
        return (access & FINAL && access & VOLATILE) || access & ~0x50dfu ? WRONG_FLAGS : VALID;
    if (access & ABSTRACT && access & (PRIVATE | STATIC | FINAL | SYNCHRONIZED | NATIVE))
        return WRONG_FLAGS;
    return access & ~0x1dffu ? WRONG_FLAGS : VALID;
}

static enum fault read_members(enum where where) {
    if (!has(2))
        return TRUNCATED;
    unsigned members = u16(at);
    for (at += 2; members > 0; members--) {
        enum fault fault;
        if (!has(6))
            return TRUNCATED;
        access = u16(at);
        if ((fault = check_access(where)) || (fault = check_name(u16(at + 2), where)) ||
            (fault = check_descriptor(u16(at + 4), where)))
            return fault;
        if (where == OF_FIELD && flags & INTERFACE && !(access & PUBLIC && access & STATIC && access & FINAL))
            return WRONG_FLAGS;
        at += 6;
        if ((fault = read_attributes(where)))
            return fault;
    }
    return VALID;
}

static enum fault read_class(void) {
    if (!has(6))
        return TRUNCATED;
    flags = u16(at);
    if (flags & ABSTRACT && flags & FINAL)
        return WRONG_FLAGS;
    if (flags & INTERFACE ? !(flags & ABSTRACT) : flags & ANNOTATION)
        return WRONG_FLAGS;
    unsigned this = found(u16(at + 2));
    if (!is_constant(this, CLASS))
        return WRONG_REFERENCE;
    if (u16(at + 4) == 0) {
        if (!is_text(found(u16(constants[this].at)), "java/lang/Object"))
            return WRONG_SUPER;
    } else if (!is_constant(u16(at + 4), CLASS))
        return WRONG_SUPER;
    at += 6;
    return read_table(2, CLASS);  // interfaces
}

static enum fault parse(void) {
    enum fault fault;
    if (u32(0) != 0xcafebabe)
        return NO_CLASS;
    major = u16(6);
    if (major < 45 || major > 65 || (major > 55 && u16(4) != 0 && u16(4) != 0xffff))
        return UNKNOWN_VERSION;
    at = 8;
    if ((fault = read_constants()) || (fault = check_constants()) || (fault = read_class()) ||
        (fault = read_members(OF_FIELD)) || (fault = read_members(OF_METHOD)) || (fault = read_attributes(OF_CLASS)))
        return fault;
    return at == SIZE ? VALID : BEHIND_THE_END;
}

#ifdef SEED
#include <stdio.h>

int main(void) {
    printf("{ \"test\": 1, \"outcome\": {\"kind\":\"exit\",\"status\":%d},\n", parse());
    printf("  \"inputs\": [{\"name\":\"file\",\"bytes\":\"");
    for (int i = 0; i < SIZE; i++)
        printf("%02x", file[i]);
    printf("\"}] }\n");
    return 0;
}
#else
int main(void) {
    klee_make_symbolic(file, SIZE, "file");
    return parse();
}
#endif
