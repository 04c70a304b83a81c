// Lists.

namespace std {
namespace __detail {

void _List_node_base::_M_hook(_List_node_base *const position) noexcept {
    _M_next = position;
    _M_prev = position->_M_prev;
    position->_M_prev->_M_next = this;
    position->_M_prev = this;
}

void _List_node_base::_M_unhook() noexcept {
    _M_prev->_M_next = _M_next;
    _M_next->_M_prev = _M_prev;
}

void _List_node_base::_M_transfer(_List_node_base *const first, _List_node_base *const last) noexcept {
    if (this == last || first == last)
        return;
    _List_node_base *const end = last->_M_prev;
    first->_M_prev->_M_next = last;
    last->_M_prev = first->_M_prev;
    first->_M_prev = _M_prev;
    end->_M_next = this;
    _M_prev->_M_next = first;
    _M_prev = end;
}

void _List_node_base::_M_reverse() noexcept {
    _List_node_base *node = this;
    do {
        _List_node_base *next = node->_M_next;
        node->_M_next = node->_M_prev;
        node->_M_prev = next;
        node = next;
    } while (node != this);
}

void _List_node_base::swap(_List_node_base &a, _List_node_base &b) noexcept {
    const bool a_empty = a._M_next == &a;
    const bool b_empty = b._M_next == &b;
    const _List_node_base of_a = a;
    const _List_node_base of_b = b;
    a = b_empty ? _List_node_base{&a, &a} : of_b;
    b = a_empty ? _List_node_base{&b, &b} : of_a;
    a._M_next->_M_prev = a._M_prev->_M_next = &a;
    b._M_next->_M_prev = b._M_prev->_M_next = &b;
}

} // namespace __detail
} // namespace std
