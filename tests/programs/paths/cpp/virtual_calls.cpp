// inputs: which=0..3 x=0..15
// paths: 9
// Objects chosen by input behind one interface, and what they are found out again: 3 + 2 + 3 + 1 ways.
#include <klee/klee.h>

struct Shape {
    virtual ~Shape() {}
    virtual int area() const = 0;
    virtual bool is_large() const { return area() > 20; }
};

struct Square : Shape {
    int side;
    explicit Square(int side) : side(side) {}
    int area() const override { return side * side; }
};

struct Bar : Shape {
    int length;
    explicit Bar(int length) : length(length) {}
    int area() const override { return length; }
    bool is_large() const override { return length > 9; }
};

struct Cube : Square {
    explicit Cube(int side) : Square(side) {}
    int area() const override { return 6 * Square::area(); }
};

static Shape *make(int which, int x) {
    switch (which) {
    case 0: return new Square(x);
    case 1: return new Bar(x);
    case 2: return new Cube(x);
    default: return new Cube(0);
    }
}

int main() {
    int which = klee_range(0, 4, "which"), x = klee_range(0, 16, "x");
    Shape *shape = make(which, x);
    bool large = shape->is_large();
    if (Square *square = dynamic_cast<Square *>(shape)) {
        bool empty = square->side == 0;
        delete shape;
        if (empty) return 1;
        if (large) return 2;
        return 3;
    }
    delete shape;
    if (large) return 4;
    return 5;
}
