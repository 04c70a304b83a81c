// Names of types, as far as they are simple.

namespace {

/// Reads a mangled type into `out`; true when all of it was understood.
struct Names {
    const char *in;
    char *out;
    char *end;

    bool put(const char *text, size_t length) {
        if (size_t(end - out) <= length)
            return false;
        memcpy(out, text, length);
        out += length;
        *out = 0;
        return true;
    }
    bool put(const char *text) { return put(text, strlen(text)); }

    bool identifier() {
        size_t length = 0;
        if (*in < '0' || *in > '9')
            return false;
        while (*in >= '0' && *in <= '9')
            length = length * 10 + size_t(*in++ - '0');
        if (strnlen(in, length) < length)
            return false;
        const char *name = in;
        in += length;
        if (length >= 10 && memcmp(name, "_GLOBAL__N", 10) == 0)
            return put("(anonymous namespace)");
        return put(name, length);
    }

    bool name() {
        if (in[0] == 'S' && in[1] == 't') {
            in += 2;
            return put("std::") && identifier();
        }
        if (*in != 'N')
            return identifier();
        ++in;
        if (in[0] == 'S' && in[1] == 't') {
            in += 2;
            if (!put("std::"))
                return false;
        }
        for (bool first = true; *in != 'E'; first = false)
            if ((!first && !put("::")) || !identifier())
                return false;
        ++in;
        return true;
    }

    bool type() {
        static const struct {
            char letter;
            const char *text;
        } simple[] = {
            {'v', "void"},          {'b', "bool"},           {'c', "char"},          {'a', "signed char"},
            {'h', "unsigned char"}, {'s', "short"},          {'t', "unsigned short"}, {'i', "int"},
            {'j', "unsigned int"},  {'l', "long"},           {'m', "unsigned long"}, {'x', "long long"},
            {'w', "wchar_t"},       {'f', "float"},          {'d', "double"},        {'e', "long double"},
            {'n', "__int128"},      {'o', "unsigned __int128"}, {'y', "unsigned long long"},
        };
        if (*in == 'P' || *in == 'K') {
            const char *suffix = *in++ == 'P' ? "*" : " const";
            return type() && put(suffix);
        }
        if (in[0] == 'D' && in[1] == 'n') {
            in += 2;
            return put("decltype(nullptr)");
        }
        for (const auto &each : simple)
            if (each.letter == *in) {
                ++in;
                return put(each.text);
            }
        return name();
    }
};

bool demangle(const char *mangled, char *buffer, size_t size) {
    Names names = {mangled, buffer, buffer + size};
    return names.type() && *names.in == 0;
}

} // namespace

namespace __cxxabiv1 {

extern "C" char *__cxa_demangle(const char *mangled, char *output, size_t *length, int *status) {
    char buffer[512];
    int result = 0;
    if (!mangled || (output && !length))
        result = -3;
    else if (!demangle(mangled, buffer, sizeof buffer))
        result = -2;
    if (status)
        *status = result;
    if (result != 0)
        return nullptr;
    const size_t needed = strlen(buffer) + 1;
    if (!output || *length < needed) {
        output = static_cast<char *>(realloc(output, needed));
        if (!output) {
            if (status)
                *status = -1;
            return nullptr;
        }
        if (length)
            *length = needed;
    }
    memcpy(output, buffer, needed);
    return output;
}

} // namespace __cxxabiv1
