// What programs take from their surroundings: random numbers, and memory by way of resources.

#include "common.h"

#include <memory_resource>
#include <random>
#include <sys/random.h>

// ---------------------------------------------------------------------------------------------------------
// Random numbers

namespace std {

void random_device::_M_init(const string &) { _M_file = nullptr; }
void random_device::_M_init_pretr1(const string &name) { _M_init(name); }
void random_device::_M_fini() {}
random_device::result_type random_device::_M_getval() {
    result_type value = 0;
    if (getrandom(&value, sizeof value, 0) != sizeof value)
        __throw_runtime_error("random_device could not be read");
    return value;
}
random_device::result_type random_device::_M_getval_pretr1() { return _M_getval(); }
double random_device::_M_getentropy() const noexcept { return sizeof(result_type) * 8; }

} // namespace std

// ---------------------------------------------------------------------------------------------------------
// Memory resources

namespace std {
namespace pmr {

memory_resource::~memory_resource() = default;

namespace {

struct NewDelete final : memory_resource {
    void *do_allocate(size_t size, size_t alignment) override {
        return ::operator new(size, align_val_t(alignment));
    }
    void do_deallocate(void *memory, size_t, size_t alignment) override {
        ::operator delete(memory, align_val_t(alignment));
    }
    bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }
};

struct Nothing final : memory_resource {
    void *do_allocate(size_t, size_t) override { throw bad_alloc(); }
    void do_deallocate(void *, size_t, size_t) noexcept override {}
    bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }
};

memory_resource *the_default;

} // namespace

memory_resource *new_delete_resource() noexcept {
    static NewDelete *resource = new NewDelete;
    return resource;
}
memory_resource *null_memory_resource() noexcept {
    static Nothing *resource = new Nothing;
    return resource;
}
memory_resource *get_default_resource() noexcept { return the_default ? the_default : new_delete_resource(); }
memory_resource *set_default_resource(memory_resource *resource) noexcept {
    memory_resource *before = get_default_resource();
    the_default = resource;
    return before;
}

// A buffer that grows: its chunks, the last one first, are returned together.

class monotonic_buffer_resource::_Chunk {
public:
    _Chunk *next;
    size_t size;
    size_t alignment;
};

monotonic_buffer_resource::~monotonic_buffer_resource() { release(); }

void monotonic_buffer_resource::_M_new_buffer(size_t size, size_t alignment) {
    const size_t room = std::max(size, _M_next_bufsiz);
    const size_t aligned = std::max(alignment, alignof(max_align_t));
    // The header comes first, so that what follows it is aligned.
    const size_t header = (sizeof(_Chunk) + aligned - 1) / aligned * aligned;
    char *memory = static_cast<char *>(_M_upstream->allocate(header + room, aligned));
    _Chunk *chunk = reinterpret_cast<_Chunk *>(memory);
    chunk->next = _M_head;
    chunk->size = header + room;
    chunk->alignment = aligned;
    _M_head = chunk;
    _M_current_buf = memory + header;
    _M_avail = room;
    _M_next_bufsiz = size_t(double(_M_next_bufsiz) * 1.5);
}

void monotonic_buffer_resource::_M_release_buffers() noexcept {
    while (_Chunk *chunk = _M_head) {
        _M_head = chunk->next;
        _M_upstream->deallocate(chunk, chunk->size, chunk->alignment);
    }
}

// Pools: every block is one of its own from upstream, so that what goes beyond it is seen.

struct __pool_resource::_BigBlock {
    void *memory;
    size_t size;
    size_t alignment;
};

struct __pool_resource::_Pool {};

__pool_resource::__pool_resource(const pool_options &options, memory_resource *upstream)
    : _M_opts(options), _M_unpooled(upstream), _M_npools(0) {}
__pool_resource::~__pool_resource() { release(); }
void __pool_resource::release() noexcept {
    memory_resource *upstream = resource();
    for (const _BigBlock &block : _M_unpooled)
        upstream->deallocate(block.memory, block.size, block.alignment);
    _M_unpooled.clear();
    _M_unpooled.shrink_to_fit();
}
void *__pool_resource::allocate(size_t size, size_t alignment) {
    _M_unpooled.reserve(_M_unpooled.size() + 1);
    void *memory = resource()->allocate(size, alignment);
    _M_unpooled.push_back({memory, size, alignment});
    return memory;
}
void __pool_resource::deallocate(void *memory, size_t size, size_t alignment) {
    for (auto block = _M_unpooled.begin(); block != _M_unpooled.end(); ++block)
        if (block->memory == memory) {
            _M_unpooled.erase(block);
            break;
        }
    resource()->deallocate(memory, size, alignment);
}

unsynchronized_pool_resource::unsynchronized_pool_resource(const pool_options &options, memory_resource *upstream)
    : _M_impl(options, upstream), _M_pools(nullptr) {}
unsynchronized_pool_resource::~unsynchronized_pool_resource() { release(); }
void unsynchronized_pool_resource::release() { _M_impl.release(); }
void *unsynchronized_pool_resource::do_allocate(size_t size, size_t alignment) {
    return _M_impl.allocate(size, alignment);
}
void unsynchronized_pool_resource::do_deallocate(void *memory, size_t size, size_t alignment) {
    _M_impl.deallocate(memory, size, alignment);
}

#ifdef _GLIBCXX_HAS_GTHREADS
synchronized_pool_resource::synchronized_pool_resource(const pool_options &options, memory_resource *upstream)
    : _M_impl(options, upstream) {}
synchronized_pool_resource::~synchronized_pool_resource() { release(); }
void synchronized_pool_resource::release() {
    lock_guard<shared_mutex> locked(_M_mx);
    _M_impl.release();
}
void *synchronized_pool_resource::do_allocate(size_t size, size_t alignment) {
    lock_guard<shared_mutex> locked(_M_mx);
    return _M_impl.allocate(size, alignment);
}
void synchronized_pool_resource::do_deallocate(void *memory, size_t size, size_t alignment) {
    lock_guard<shared_mutex> locked(_M_mx);
    _M_impl.deallocate(memory, size, alignment);
}
#endif

} // namespace pmr
} // namespace std
