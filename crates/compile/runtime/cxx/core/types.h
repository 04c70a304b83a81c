// Run-time types. A compiler that sees the destructor of `__fundamental_type_info` defined also emits the
// descriptions of all fundamental types and of pointers to them.

namespace {

using abi::__class_type_info;
using abi::__si_class_type_info;
using abi::__vmi_class_type_info;

/// Subobjects of one type within an object.
struct Search {
    const __class_type_info *wanted;
    /// When not null, only the subobject at this address counts.
    const char *at;
    /// The first one found, and whether there is another one.
    const char *found;
    bool several;
    /// Whether there is a path of public bases to the one found.
    bool is_public;
};

/// Goes through the bases of `object`, a `type`. When there is no object (a null pointer was thrown), places stand
/// in for addresses: virtual bases are told apart by their types.
void search(Search &what, const __class_type_info *type, const char *object, bool is_public, bool is_object) {
    if (*type == *what.wanted && (!what.at || what.at == object)) {
        if (!what.found) {
            what.found = object;
            what.is_public = is_public;
        } else if (what.found == object) {
            what.is_public |= is_public;
        } else {
            what.several = true;
        }
        return;
    }
    const std::type_info &kind = typeid(*type);
    if (kind == typeid(__si_class_type_info)) {
        search(what, static_cast<const __si_class_type_info *>(type)->__base_type, object, is_public, is_object);
    } else if (kind == typeid(__vmi_class_type_info)) {
        const __vmi_class_type_info *derived = static_cast<const __vmi_class_type_info *>(type);
        for (unsigned i = 0; i < derived->__base_count; ++i) {
            const abi::__base_class_type_info &base = derived->__base_info[i];
            const char *part;
            if (!base.__is_virtual_p()) {
                part = object + base.__offset();
            } else if (is_object) {
                const char *vtable = *reinterpret_cast<const char *const *>(object);
                part = object + *reinterpret_cast<const ptrdiff_t *>(vtable + base.__offset());
            } else {
                part = reinterpret_cast<const char *>(base.__base_type);
            }
            search(what, base.__base_type, part, is_public && base.__is_public_p(), is_object);
        }
    }
}

/// The one public base of type `to` of an object, if there is one.
bool upcast(const __class_type_info *from, const __class_type_info *to, void **object) {
    static const char nowhere = 0;
    const bool is_object = *object != nullptr;
    const char *start = is_object ? static_cast<const char *>(*object) : &nowhere;
    Search what = {to, nullptr, nullptr, false, false};
    search(what, from, start, true, is_object);
    if (!what.found || what.several || !what.is_public)
        return false;
    if (is_object)
        *object = const_cast<char *>(what.found);
    return true;
}

/// All subobjects of type `to`, for `__dynamic_cast`: which of them have the source as a public base.
struct Downcast {
    const __class_type_info *to;
    const __class_type_info *source_type;
    const char *source;
    const char *found;
    bool several;
};

void find_derived(Downcast &what, const __class_type_info *type, const char *object) {
    if (*type == *what.to) {
        Search below = {what.source_type, what.source, nullptr, false, false};
        search(below, type, object, true, true);
        if (below.found && below.is_public) {
            if (!what.found)
                what.found = object;
            else if (what.found != object)
                what.several = true;
        }
        return;
    }
    const std::type_info &kind = typeid(*type);
    if (kind == typeid(__si_class_type_info)) {
        find_derived(what, static_cast<const __si_class_type_info *>(type)->__base_type, object);
    } else if (kind == typeid(__vmi_class_type_info)) {
        const __vmi_class_type_info *derived = static_cast<const __vmi_class_type_info *>(type);
        for (unsigned i = 0; i < derived->__base_count; ++i) {
            const abi::__base_class_type_info &base = derived->__base_info[i];
            ptrdiff_t offset = base.__offset();
            if (base.__is_virtual_p()) {
                const char *vtable = *reinterpret_cast<const char *const *>(object);
                offset = *reinterpret_cast<const ptrdiff_t *>(vtable + offset);
            }
            find_derived(what, base.__base_type, object + offset);
        }
    }
}

} // namespace

namespace std {

type_info::~type_info() {}
#if !__GXX_TYPEINFO_EQUALITY_INLINE
bool type_info::before(const type_info &other) const noexcept {
    return (__name[0] == '*' && other.__name[0] == '*') ? __name < other.__name : strcmp(__name, other.__name) < 0;
}
#endif
bool type_info::__is_pointer_p() const { return false; }
bool type_info::__is_function_p() const { return false; }
bool type_info::__do_catch(const type_info *thrown, void **, unsigned) const { return *this == *thrown; }
bool type_info::__do_upcast(const abi::__class_type_info *, void **) const { return false; }

} // namespace std

namespace __cxxabiv1 {

__fundamental_type_info::~__fundamental_type_info() {}
__array_type_info::~__array_type_info() {}
__enum_type_info::~__enum_type_info() {}
__function_type_info::~__function_type_info() {}
bool __function_type_info::__is_function_p() const { return true; }

__pbase_type_info::~__pbase_type_info() {}
bool __pbase_type_info::__do_catch(const std::type_info *thrown, void **object, unsigned outer) const {
    if (*this == *thrown)
        return true;
    if (*thrown == typeid(decltype(nullptr))) {
        // A null pointer converts to any pointer; a null pointer to member has a value of its own.
        if (__is_pointer_p()) {
            *object = nullptr;
        } else if (__pointee->__is_function_p()) {
            static const ptrdiff_t null_function[2] = {0, 0};
            *object = const_cast<ptrdiff_t *>(null_function);
        } else {
            static const ptrdiff_t null_member = -1;
            *object = const_cast<ptrdiff_t *>(&null_member);
        }
        return true;
    }
    if (typeid(*this) != typeid(*thrown))
        return false;
    // Qualifiers may be added below the top only where every level in between is constant.
    if (!(outer & 1))
        return false;
    const __pbase_type_info *source = static_cast<const __pbase_type_info *>(thrown);
    const unsigned of_functions = __transaction_safe_mask | __noexcept_mask;
    const unsigned of_objects = __const_mask | __volatile_mask | __restrict_mask;
    if ((source->__flags & of_objects) & ~(__flags & of_objects))
        return false;
    if ((__flags & of_functions) & ~(source->__flags & of_functions))
        return false;
    if (!(__flags & __const_mask))
        outer &= ~1u;
    return __pointer_catch(source, object, outer);
}

__pointer_type_info::~__pointer_type_info() {}
bool __pointer_type_info::__is_pointer_p() const { return true; }
bool __pointer_type_info::__pointer_catch(const __pbase_type_info *thrown, void **object, unsigned outer) const {
    if (outer < 2 && *__pointee == typeid(void))
        return !thrown->__pointee->__is_function_p();
    return __pbase_type_info::__pointer_catch(thrown, object, outer);
}

__pointer_to_member_type_info::~__pointer_to_member_type_info() {}
bool __pointer_to_member_type_info::__pointer_catch(const __pbase_type_info *thrown, void **object,
                                                    unsigned outer) const {
    const __pointer_to_member_type_info *member = static_cast<const __pointer_to_member_type_info *>(thrown);
    if (*__context != *member->__context)
        return false;
    return __pbase_type_info::__pointer_catch(thrown, object, outer);
}

__class_type_info::~__class_type_info() {}
bool __class_type_info::__do_upcast(const __class_type_info *to, void **object) const {
    return upcast(this, to, object);
}
bool __class_type_info::__do_catch(const std::type_info *thrown, void **object, unsigned outer) const {
    if (*this == *thrown)
        return true;
    // A derived class converts to its base directly or behind one pointer, not behind two.
    if (outer >= 4)
        return false;
    return thrown->__do_upcast(this, object);
}

// These belong to the library's own way of searching and have a place in the tables, nothing else: the search is above.
bool __class_type_info::__do_upcast(const __class_type_info *, const void *, __upcast_result &) const { return false; }
bool __class_type_info::__do_dyncast(ptrdiff_t, __sub_kind, const __class_type_info *, const void *,
                                     const __class_type_info *, const void *, __dyncast_result &) const {
    return false;
}
__class_type_info::__sub_kind __class_type_info::__do_find_public_src(ptrdiff_t, const void *,
                                                                      const __class_type_info *, const void *) const {
    return __not_contained;
}
__si_class_type_info::~__si_class_type_info() {}
bool __si_class_type_info::__do_upcast(const __class_type_info *, const void *, __upcast_result &) const {
    return false;
}
bool __si_class_type_info::__do_dyncast(ptrdiff_t, __sub_kind, const __class_type_info *, const void *,
                                        const __class_type_info *, const void *, __dyncast_result &) const {
    return false;
}
__class_type_info::__sub_kind __si_class_type_info::__do_find_public_src(ptrdiff_t, const void *,
                                                                         const __class_type_info *,
                                                                         const void *) const {
    return __not_contained;
}
__vmi_class_type_info::~__vmi_class_type_info() {}
bool __vmi_class_type_info::__do_upcast(const __class_type_info *, const void *, __upcast_result &) const {
    return false;
}
bool __vmi_class_type_info::__do_dyncast(ptrdiff_t, __sub_kind, const __class_type_info *, const void *,
                                         const __class_type_info *, const void *, __dyncast_result &) const {
    return false;
}
__class_type_info::__sub_kind __vmi_class_type_info::__do_find_public_src(ptrdiff_t, const void *,
                                                                          const __class_type_info *,
                                                                          const void *) const {
    return __not_contained;
}

extern "C" void *__dynamic_cast(const void *source, const __class_type_info *source_type,
                                const __class_type_info *to, ptrdiff_t) {
    // In front of the functions, a table has the type and the way back to the start of the whole object.
    const void *const *vtable = *static_cast<const void *const *const *>(source);
    const char *whole = static_cast<const char *>(source) + reinterpret_cast<ptrdiff_t>(vtable[-2]);
    const __class_type_info *type = static_cast<const __class_type_info *>(vtable[-1]);

    Downcast down = {to, source_type, static_cast<const char *>(source), nullptr, false};
    find_derived(down, type, whole);
    if (down.found)
        return down.several ? nullptr : const_cast<char *>(down.found);

    Search here = {source_type, static_cast<const char *>(source), nullptr, false, false};
    search(here, type, whole, true, true);
    if (!here.found || !here.is_public)
        return nullptr;
    Search across = {to, nullptr, nullptr, false, false};
    search(across, type, whole, true, true);
    if (!across.found || across.several || !across.is_public)
        return nullptr;
    return const_cast<char *>(across.found);
}

} // namespace __cxxabiv1
