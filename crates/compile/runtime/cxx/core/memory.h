// Memory.

namespace std {

const nothrow_t nothrow = nothrow_t();

namespace {
new_handler the_new_handler;
}

new_handler set_new_handler(new_handler handler) noexcept {
    new_handler before = the_new_handler;
    the_new_handler = handler;
    return before;
}

new_handler get_new_handler() noexcept { return the_new_handler; }

} // namespace std

namespace {

void *allocate(size_t size, size_t alignment) {
    if (size == 0)
        size = 1;
    for (;;) {
        void *memory = nullptr;
        if (alignment <= alignof(max_align_t))
            memory = malloc(size);
        else if (posix_memalign(&memory, alignment, size) != 0)
            memory = nullptr;
        if (memory)
            return memory;
        std::new_handler handler = std::get_new_handler();
        if (!handler)
            throw std::bad_alloc();
        handler();
    }
}

void *allocate_or_null(size_t size, size_t alignment) noexcept {
    try {
        return allocate(size, alignment);
    } catch (...) {
        return nullptr;
    }
}

} // namespace

void *operator new(size_t size) { return allocate(size, 1); }
void *operator new[](size_t size) { return allocate(size, 1); }
void *operator new(size_t size, const std::nothrow_t &) noexcept { return allocate_or_null(size, 1); }
void *operator new[](size_t size, const std::nothrow_t &) noexcept { return allocate_or_null(size, 1); }
void *operator new(size_t size, std::align_val_t to) { return allocate(size, size_t(to)); }
void *operator new[](size_t size, std::align_val_t to) { return allocate(size, size_t(to)); }
void *operator new(size_t size, std::align_val_t to, const std::nothrow_t &) noexcept {
    return allocate_or_null(size, size_t(to));
}
void *operator new[](size_t size, std::align_val_t to, const std::nothrow_t &) noexcept {
    return allocate_or_null(size, size_t(to));
}
void operator delete(void *memory) noexcept { free(memory); }
void operator delete[](void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
void operator delete[](void *memory, size_t) noexcept { free(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { free(memory); }
void operator delete[](void *memory, const std::nothrow_t &) noexcept { free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { free(memory); }
void operator delete[](void *memory, std::align_val_t) noexcept { free(memory); }
void operator delete(void *memory, size_t, std::align_val_t) noexcept { free(memory); }
void operator delete[](void *memory, size_t, std::align_val_t) noexcept { free(memory); }
void operator delete(void *memory, std::align_val_t, const std::nothrow_t &) noexcept { free(memory); }
void operator delete[](void *memory, std::align_val_t, const std::nothrow_t &) noexcept { free(memory); }
