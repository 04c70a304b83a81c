// A rate of nothing.
static double rate(double bytes, double seconds) {
    return bytes / seconds;
}

int main(void) {
    return rate(100, 0) > 1e6;
}
