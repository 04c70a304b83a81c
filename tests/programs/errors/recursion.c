// Recursion without an end.
static int depth(int n) {
    volatile char frame[256];
    frame[n % 256] = 1;
    return depth(n + 1) + frame[0];
}

int main(void) {
    return depth(0);
}
