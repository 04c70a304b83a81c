// Stands in for the machine when the tests link the C++ runtime into native programs, without libstdc++: the
// primitive `__refrain_unwind` on top of the system's unwinder, and a personality that reads the tables a compiler
// lays out for it and asks the runtime about every catch clause.

#include <stdint.h>
#include <stdlib.h>
#include <typeinfo>
#include <unwind.h>

extern "C" int __refrain_exception_matches(void *, const std::type_info *, void **);
extern "C" [[noreturn]] void __refrain_terminate_uncaught(void *);

extern "C" [[noreturn]] void __refrain_unwind(void *header) {
    _Unwind_Resume_or_Rethrow(static_cast<_Unwind_Exception *>(header));
    __refrain_terminate_uncaught(header);
}

namespace {

const uint8_t *uleb(const uint8_t *at, uintptr_t *value) {
    uintptr_t result = 0;
    unsigned shift = 0;
    for (;;) {
        uint8_t byte = *at++;
        result |= uintptr_t(byte & 127) << shift;
        shift += 7;
        if (!(byte & 128))
            break;
    }
    *value = result;
    return at;
}

const uint8_t *sleb(const uint8_t *at, intptr_t *value) {
    uintptr_t result = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = *at++;
        result |= uintptr_t(byte & 127) << shift;
        shift += 7;
    } while (byte & 128);
    if (shift < 64 && (byte & 64))
        result |= ~uintptr_t(0) << shift;
    *value = intptr_t(result);
    return at;
}

unsigned size_of(uint8_t encoding) {
    switch (encoding & 7) {
    case 2:
        return 2;
    case 3:
        return 4;
    default:
        return 8;
    }
}

const uint8_t *encoded(const uint8_t *at, uint8_t encoding, uintptr_t *value) {
    const uint8_t *start = at;
    uintptr_t result = 0;
    switch (encoding & 15) {
    case 0:
    case 4:
    case 12:
        result = *reinterpret_cast<const uintptr_t *>(at);
        at += 8;
        break;
    case 1:
        at = uleb(at, &result);
        break;
    case 3:
        result = *reinterpret_cast<const uint32_t *>(at);
        at += 4;
        break;
    case 11:
        result = uintptr_t(intptr_t(*reinterpret_cast<const int32_t *>(at)));
        at += 4;
        break;
    default:
        abort();
    }
    if (result && (encoding & 0x70) == 0x10)
        result += uintptr_t(start);
    if (result && (encoding & 0x80))
        result = *reinterpret_cast<uintptr_t *>(result);
    *value = result;
    return at;
}

} // namespace

extern "C" _Unwind_Reason_Code __gxx_personality_v0(int, _Unwind_Action actions, uint64_t, _Unwind_Exception *exception,
                                                    _Unwind_Context *context) {
    const uint8_t *at = static_cast<const uint8_t *>(_Unwind_GetLanguageSpecificData(context));
    if (!at)
        return _URC_CONTINUE_UNWIND;
    const uintptr_t function = _Unwind_GetRegionStart(context);
    const uintptr_t place = _Unwind_GetIP(context) - 1 - function;
    uint8_t encoding = *at++;
    uintptr_t landing_base = function;
    if (encoding != 0xff)
        at = encoded(at, encoding, &landing_base);
    const uint8_t type_encoding = *at++;
    const uint8_t *types = nullptr;
    if (type_encoding != 0xff) {
        uintptr_t offset;
        at = uleb(at, &offset);
        types = at + offset;
    }
    encoding = *at++;
    uintptr_t length;
    at = uleb(at, &length);
    const uint8_t *actions_table = at + length;
    while (at < actions_table) {
        uintptr_t start, size, landing, action;
        at = encoded(at, encoding, &start);
        at = encoded(at, encoding, &size);
        at = encoded(at, encoding, &landing);
        at = uleb(at, &action);
        if (place < start || place >= start + size)
            continue;
        if (!landing)
            return _URC_CONTINUE_UNWIND;
        bool cleanup = action == 0;
        intptr_t selector = 0;
        const uint8_t *record = action ? actions_table + action - 1 : nullptr;
        while (record) {
            intptr_t filter, next;
            const uint8_t *link = sleb(record, &filter);
            sleb(link, &next);
            if (filter == 0) {
                cleanup = true;
            } else if (filter > 0) {
                uintptr_t type;
                encoded(types - uintptr_t(filter) * size_of(type_encoding), type_encoding, &type);
                void *adjusted;
                if (__refrain_exception_matches(exception, reinterpret_cast<std::type_info *>(type), &adjusted)) {
                    selector = filter;
                    break;
                }
            } else {
                bool allowed = false;
                uintptr_t index;
                const uint8_t *list = types - filter - 1;
                for (list = uleb(list, &index); index; list = uleb(list, &index)) {
                    uintptr_t type;
                    encoded(types - index * size_of(type_encoding), type_encoding, &type);
                    void *adjusted;
                    allowed |= __refrain_exception_matches(exception, reinterpret_cast<std::type_info *>(type),
                                                           &adjusted) != 0;
                }
                if (!allowed) {
                    selector = filter;
                    break;
                }
            }
            record = next ? link + next : nullptr;
        }
        if (actions & _UA_SEARCH_PHASE)
            return selector ? _URC_HANDLER_FOUND : _URC_CONTINUE_UNWIND;
        if (!selector && !cleanup)
            return _URC_CONTINUE_UNWIND;
        _Unwind_SetGR(context, __builtin_eh_return_data_regno(0), uintptr_t(exception));
        _Unwind_SetGR(context, __builtin_eh_return_data_regno(1), uintptr_t(selector));
        _Unwind_SetIP(context, landing_base + landing);
        return _URC_INSTALL_CONTEXT;
    }
    __refrain_terminate_uncaught(exception);
}
