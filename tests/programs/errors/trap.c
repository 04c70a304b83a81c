// A trap.
int main(void) {
    volatile int x = 3;
    if (x == 3)
        __builtin_trap();
    return 0;
}
