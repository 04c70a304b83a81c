// Reading text of one type of characters, `REFRAIN_CHAR`: the functions that libstdc++'s headers promise to be
// specialised. Included once for each of the types.

namespace std {

namespace {

typedef basic_istream<REFRAIN_CHAR> Source;
typedef basic_string<REFRAIN_CHAR> Text;
typedef char_traits<REFRAIN_CHAR> Traits;

/// Runs the body of an unformatted or formatted input function: an exception in it is a bad stream.
template <class Body> void extract(Source &from, bool keeps_space, ios_base::iostate &state, Body body) {
    Source::sentry ready(from, keeps_space);
    if (!ready)
        return;
    try {
        body(from.rdbuf());
    } catch (abi::__forced_unwind &) {
        from._M_setstate(ios_base::badbit);
        throw;
    } catch (...) {
        from._M_setstate(ios_base::badbit);
    }
}

bool is_end(Traits::int_type c) { return Traits::eq_int_type(c, Traits::eof()); }

} // namespace

template <> Source &getline(Source &from, Text &text, REFRAIN_CHAR delimiter) {
    ios_base::iostate state = ios_base::goodbit;
    bool any = false;
    extract(from, true, state, [&](Source::__streambuf_type *buffer) {
        text.erase();
        const Traits::int_type last = Traits::to_int_type(delimiter);
        Traits::int_type c = buffer->sgetc();
        while (!is_end(c) && !Traits::eq_int_type(c, last) && text.size() < text.max_size()) {
            text += Traits::to_char_type(c);
            any = true;
            c = buffer->snextc();
        }
        if (is_end(c)) {
            state |= ios_base::eofbit;
        } else if (Traits::eq_int_type(c, last)) {
            any = true;
            buffer->sbumpc();
        } else {
            state |= ios_base::failbit;
        }
    });
    if (!any)
        state |= ios_base::failbit;
    if (state)
        from.setstate(state);
    return from;
}

template <> Source &Source::getline(REFRAIN_CHAR *to, streamsize room, REFRAIN_CHAR delimiter) {
    ios_base::iostate state = ios_base::goodbit;
    _M_gcount = 0;
    extract(*this, true, state, [&](__streambuf_type *buffer) {
        const Traits::int_type last = Traits::to_int_type(delimiter);
        Traits::int_type c = buffer->sgetc();
        while (_M_gcount + 1 < room && !is_end(c) && !Traits::eq_int_type(c, last)) {
            *to++ = Traits::to_char_type(c);
            ++_M_gcount;
            c = buffer->snextc();
        }
        if (is_end(c)) {
            state |= ios_base::eofbit;
        } else if (Traits::eq_int_type(c, last)) {
            ++_M_gcount;
            buffer->sbumpc();
        } else {
            state |= ios_base::failbit;
        }
    });
    if (room > 0)
        *to = REFRAIN_CHAR();
    if (!_M_gcount)
        state |= ios_base::failbit;
    if (state)
        setstate(state);
    return *this;
}

namespace {

/// Drops characters up to a delimiter, if there is one; as many as one likes when the largest number is asked for.
void drop(Source::__streambuf_type *buffer, streamsize most, const Traits::int_type *last, streamsize &count,
          ios_base::iostate &state) {
    const streamsize largest = __gnu_cxx::__numeric_traits<streamsize>::__max;
    while (most == largest || count < most) {
        const Traits::int_type c = buffer->sbumpc();
        if (is_end(c)) {
            state |= ios_base::eofbit;
            return;
        }
        if (count < largest)
            ++count;
        if (last && Traits::eq_int_type(c, *last))
            return;
    }
}

} // namespace

template <> Source &Source::ignore(streamsize most) {
    ios_base::iostate state = ios_base::goodbit;
    _M_gcount = 0;
    if (most > 0)
        extract(*this, true, state,
                [&](__streambuf_type *buffer) { drop(buffer, most, nullptr, _M_gcount, state); });
    if (state)
        setstate(state);
    return *this;
}

template <> Source &Source::ignore(streamsize most, int_type delimiter) {
    if (is_end(delimiter))
        return ignore(most);
    ios_base::iostate state = ios_base::goodbit;
    _M_gcount = 0;
    if (most > 0)
        extract(*this, true, state,
                [&](__streambuf_type *buffer) { drop(buffer, most, &delimiter, _M_gcount, state); });
    if (state)
        setstate(state);
    return *this;
}

template <>
streamsize __copy_streambufs_eof(basic_streambuf<REFRAIN_CHAR> *from, basic_streambuf<REFRAIN_CHAR> *to,
                                 bool &ended) {
    streamsize count = 0;
    ended = true;
    for (Traits::int_type c = from->sgetc(); !is_end(c); c = from->snextc()) {
        if (is_end(to->sputc(Traits::to_char_type(c)))) {
            ended = false;
            break;
        }
        ++count;
    }
    return count;
}

} // namespace std
