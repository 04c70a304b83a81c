// Regular expressions are all in headers, but for their errors.

#include "common.h"

#include <regex>

namespace std {

namespace {

const char *text_of(regex_constants::error_type code) {
    switch (code) {
    case regex_constants::error_collate:
        return "Invalid collating element in regular expression";
    case regex_constants::error_ctype:
        return "Invalid character class in regular expression";
    case regex_constants::error_escape:
        return "Invalid escape in regular expression";
    case regex_constants::error_backref:
        return "Invalid back reference in regular expression";
    case regex_constants::error_brack:
        return "Mismatched '[' and ']' in regular expression";
    case regex_constants::error_paren:
        return "Mismatched '(' and ')' in regular expression";
    case regex_constants::error_brace:
        return "Mismatched '{' and '}' in regular expression";
    case regex_constants::error_badbrace:
        return "Invalid range in '{}' in regular expression";
    case regex_constants::error_range:
        return "Invalid character range in regular expression";
    case regex_constants::error_space:
        return "Insufficient memory to compile regular expression";
    case regex_constants::error_badrepeat:
        return "Invalid '?', '*', or '+' in regular expression";
    case regex_constants::error_complexity:
        return "Complexity of regex match exceeded implementation limits";
    case regex_constants::error_stack:
        return "Insufficient memory to determine regex match";
#if _GLIBCXX_RELEASE >= 12
    case regex_constants::_S_null:
        return "Unexpected null character in regular expression";
    case regex_constants::_S_grammar:
        return "Conflicting regex grammar options";
#endif
    default:
        return "regex error";
    }
}

} // namespace

regex_error::regex_error(regex_constants::error_type code) : runtime_error(text_of(code)), _M_code(code) {}
regex_error::~regex_error() {}
void __throw_regex_error(regex_constants::error_type code) { throw regex_error(code); }

} // namespace std
