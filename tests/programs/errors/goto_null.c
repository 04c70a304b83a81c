// A computed goto through a table that has no label at one place.
static int run(const int *program) {
    void *const operations[4] = {&&halt, &&inc, 0, &&dec};
    int value = 0;
    goto *operations[*program];
inc:
    value++;
    goto *operations[*++program];
dec:
    value--;
    goto *operations[*++program];
halt:
    return value;
}

int main(void) {
    const int program[] = {1, 1, 3, 2, 0};
    return run(program);
}
