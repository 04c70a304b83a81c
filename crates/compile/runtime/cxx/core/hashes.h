// Hash tables: the numbers of buckets are those of the library, so that what is iterated over comes in its order.

namespace std {
namespace __detail {

namespace {

const unsigned bucket_counts[] = {
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 103, 109, 113, 127,
    137, 139, 149, 157, 167, 179, 193, 199, 211, 227, 241, 257, 277, 293, 313, 337, 359, 383, 409, 439, 467, 503, 541,
    577, 619, 661, 709, 761, 823, 887, 953, 1031, 1109, 1193, 1289, 1381, 1493, 1613, 1741, 1879, 2029, 2179, 2357,
    2549, 2753, 2971, 3209, 3469, 3739, 4027, 4349, 4703, 5087, 5503, 5953, 6427, 6949, 7517, 8123, 8783, 9497, 10273,
    11113, 12011, 12983, 14033, 15173, 16411, 17749, 19183, 20753, 22447, 24281, 26267, 28411, 30727, 33223, 35933,
    38873, 42043, 45481, 49201, 53201, 57557, 62233, 67307, 72817, 78779, 85229, 92203, 99733, 107897, 116731, 126271,
    136607, 147793, 159871, 172933, 187091, 202409, 218971, 236897, 256279, 277261, 299951, 324503, 351061, 379787,
    410857, 444487, 480881, 520241, 562841, 608903, 658753, 712697, 771049, 834181, 902483, 976369, 1056323, 1142821,
    1236397, 1337629, 1447153, 1565659, 1693859, 1832561, 1982627, 2144977, 2320627, 2510653, 2716249, 2938679, 3179303,
    3439651, 3721303, 4026031, 4355707, 4712381, 5098259, 5515729, 5967347, 6456007, 6984629, 7556579, 8175383, 8844859,
    9569143, 10352717, 11200489, 12117689, 13109983, 14183539, 15345007, 16601593,
};

size_t as_size(double number) { return number >= double(size_t(-1)) ? size_t(-1) : size_t(number); }

} // namespace

size_t _Prime_rehash_policy::_M_next_bkt(size_t wanted) const {
    if (wanted == 0)
        return 1;
    // Beyond the list any odd number will do.
    size_t buckets = wanted | 1;
    for (unsigned count : bucket_counts)
        if (count >= wanted) {
            buckets = count;
            break;
        }
    _M_next_resize = as_size(double(buckets) * double(_M_max_load_factor));
    return buckets;
}

pair<bool, size_t> _Prime_rehash_policy::_M_need_rehash(size_t buckets, size_t elements, size_t more) const {
    size_t needed = elements + more;
    if (needed <= _M_next_resize)
        return {false, 0};
    if (_M_next_resize == 0 && needed < 11)
        needed = 11;
    const double least = double(needed) / double(_M_max_load_factor);
    if (least >= double(buckets)) {
        const size_t wanted = as_size(least) + 1;
        const size_t grown = buckets * _S_growth_factor;
        return {true, _M_next_bkt(wanted > grown ? wanted : grown)};
    }
    _M_next_resize = as_size(double(buckets) * double(_M_max_load_factor));
    return {false, 0};
}

} // namespace __detail

size_t _Hash_bytes(const void *data, size_t length, size_t seed) {
    const uint64_t factor = 0xc6a4a7935bd1e995;
    const unsigned char *bytes = static_cast<const unsigned char *>(data);
    uint64_t hash = seed ^ (length * factor);
    const auto mix = [](uint64_t word) { return word ^ (word >> 47); };
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        hash = (hash ^ (mix(word * factor) * factor)) * factor;
    }
    if (i < length) {
        uint64_t word = 0;
        for (size_t j = length; j-- > i;)
            word = word << 8 | bytes[j];
        hash = (hash ^ word) * factor;
    }
    return mix(mix(hash) * factor);
}

size_t _Fnv_hash_bytes(const void *data, size_t length, size_t hash) {
    const unsigned char *bytes = static_cast<const unsigned char *>(data);
    for (size_t i = 0; i < length; ++i)
        hash = (hash ^ bytes[i]) * size_t(1099511628211u);
    return hash;
}

} // namespace std
