// inputs: i=0..2 x=0..15
// paths: 5
// A virtual call on an object that a symbolic index chooses: the kinds are one path each, two of them decide once more.
#include <klee/klee.h>

struct Animal {
    virtual int legs(int x) const = 0;
};
struct Dog : Animal {
    int legs(int x) const override {
        if (x == 3) return 3;
        return 4;
    }
};
struct Bird : Animal {
    int legs(int) const override { return 2; }
};
struct Fish : Animal {
    int legs(int x) const override {
        if (x > 12) return 1;
        return 0;
    }
};

int main() {
    int i = klee_range(0, 3, "i"), x = klee_range(0, 16, "x");
    Dog dog;
    Bird bird;
    Fish fish;
    const Animal *const all[3] = {&dog, &bird, &fish};
    return all[i]->legs(x);
}
