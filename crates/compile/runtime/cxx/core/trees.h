// Balanced trees: the header's parent is the root, its children are the first and the last node.

namespace std {

namespace {

using Node = _Rb_tree_node_base;

void rotate(Node *node, Node *&root, bool left) {
    Node *child = left ? node->_M_right : node->_M_left;
    Node *inner = left ? child->_M_left : child->_M_right;
    (left ? node->_M_right : node->_M_left) = inner;
    if (inner)
        inner->_M_parent = node;
    child->_M_parent = node->_M_parent;
    if (node == root)
        root = child;
    else if (node == node->_M_parent->_M_left)
        node->_M_parent->_M_left = child;
    else
        node->_M_parent->_M_right = child;
    (left ? child->_M_left : child->_M_right) = node;
    node->_M_parent = child;
}

bool is_black(const Node *node) { return !node || node->_M_color == _S_black; }

} // namespace

Node *_Rb_tree_increment(Node *node) noexcept {
    if (node->_M_right) {
        node = node->_M_right;
        while (node->_M_left)
            node = node->_M_left;
        return node;
    }
    Node *parent = node->_M_parent;
    while (node == parent->_M_right) {
        node = parent;
        parent = parent->_M_parent;
    }
    // From the last node of a tree whose root has no right child, the walk has gone once around the header.
    return node->_M_right != parent ? parent : node;
}
const Node *_Rb_tree_increment(const Node *node) noexcept { return _Rb_tree_increment(const_cast<Node *>(node)); }

Node *_Rb_tree_decrement(Node *node) noexcept {
    // The header alone is red and its own grandparent.
    if (node->_M_color == _S_red && node->_M_parent->_M_parent == node)
        return node->_M_right;
    if (node->_M_left) {
        node = node->_M_left;
        while (node->_M_right)
            node = node->_M_right;
        return node;
    }
    Node *parent = node->_M_parent;
    while (node == parent->_M_left) {
        node = parent;
        parent = parent->_M_parent;
    }
    return parent;
}
const Node *_Rb_tree_decrement(const Node *node) noexcept { return _Rb_tree_decrement(const_cast<Node *>(node)); }

void _Rb_tree_insert_and_rebalance(const bool at_left, Node *node, Node *parent, Node &header) noexcept {
    Node *&root = header._M_parent;
    node->_M_parent = parent;
    node->_M_left = node->_M_right = nullptr;
    node->_M_color = _S_red;
    if (at_left) {
        parent->_M_left = node; // the header's first node too, when the tree was empty
        if (parent == &header) {
            header._M_parent = header._M_right = node;
        } else if (parent == header._M_left) {
            header._M_left = node;
        }
    } else {
        parent->_M_right = node;
        if (parent == header._M_right)
            header._M_right = node;
    }
    while (node != root && node->_M_parent->_M_color == _S_red) {
        Node *above = node->_M_parent;
        Node *grand = above->_M_parent;
        const bool left = above == grand->_M_left;
        Node *uncle = left ? grand->_M_right : grand->_M_left;
        if (!is_black(uncle)) {
            above->_M_color = uncle->_M_color = _S_black;
            grand->_M_color = _S_red;
            node = grand;
            continue;
        }
        if (node == (left ? above->_M_right : above->_M_left)) {
            node = above;
            rotate(node, root, left);
            above = node->_M_parent;
        }
        above->_M_color = _S_black;
        grand->_M_color = _S_red;
        rotate(grand, root, !left);
    }
    root->_M_color = _S_black;
}

Node *_Rb_tree_rebalance_for_erase(Node *const out, Node &header) noexcept {
    Node *&root = header._M_parent;
    // `hole` takes the place of what leaves its place: `out` itself, or its successor, which then takes that of `out`.
    Node *hole;
    Node *above;
    _Rb_tree_color removed = out->_M_color;
    const auto replace = [&](Node *by) {
        if (root == out)
            root = by;
        else if (out->_M_parent->_M_left == out)
            out->_M_parent->_M_left = by;
        else
            out->_M_parent->_M_right = by;
    };
    if (out->_M_left && out->_M_right) {
        Node *next = out->_M_right;
        while (next->_M_left)
            next = next->_M_left;
        removed = next->_M_color;
        hole = next->_M_right;
        if (next == out->_M_right) {
            above = next;
        } else {
            above = next->_M_parent;
            above->_M_left = hole;
            if (hole)
                hole->_M_parent = above;
            next->_M_right = out->_M_right;
            next->_M_right->_M_parent = next;
        }
        next->_M_left = out->_M_left;
        next->_M_left->_M_parent = next;
        replace(next);
        next->_M_parent = out->_M_parent;
        next->_M_color = out->_M_color;
    } else {
        hole = out->_M_left ? out->_M_left : out->_M_right;
        above = out->_M_parent;
        if (hole)
            hole->_M_parent = above;
        replace(hole);
        if (header._M_left == out) {
            Node *first = hole ? hole : above;
            while (hole && first->_M_left)
                first = first->_M_left;
            header._M_left = first;
        }
        if (header._M_right == out) {
            Node *last = hole ? hole : above;
            while (hole && last->_M_right)
                last = last->_M_right;
            header._M_right = last;
        }
    }
    if (removed == _S_black) {
        while (hole != root && is_black(hole)) {
            const bool left = hole == above->_M_left;
            Node *sibling = left ? above->_M_right : above->_M_left;
            if (!is_black(sibling)) {
                sibling->_M_color = _S_black;
                above->_M_color = _S_red;
                rotate(above, root, left);
                sibling = left ? above->_M_right : above->_M_left;
            }
            Node *near = left ? sibling->_M_left : sibling->_M_right;
            Node *far = left ? sibling->_M_right : sibling->_M_left;
            if (is_black(near) && is_black(far)) {
                sibling->_M_color = _S_red;
                hole = above;
                above = above->_M_parent;
                continue;
            }
            if (is_black(far)) {
                near->_M_color = _S_black;
                sibling->_M_color = _S_red;
                rotate(sibling, root, !left);
                sibling = left ? above->_M_right : above->_M_left;
                far = left ? sibling->_M_right : sibling->_M_left;
            }
            sibling->_M_color = above->_M_color;
            above->_M_color = _S_black;
            far->_M_color = _S_black;
            rotate(above, root, left);
            break;
        }
        if (hole)
            hole->_M_color = _S_black;
    }
    return out;
}

} // namespace std
