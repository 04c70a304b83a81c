// A write to a member of a structure that is not there.
struct Point {
    int x, y;
};

static void move(struct Point *point) {
    point->y += 1;
}

int main(void) {
    struct Point *none = 0;
    move(none);
    return 0;
}
