// A level that is read as a byte.
static unsigned char level(double volume) {
    return (unsigned char)(volume * 256);
}

int main(void) {
    return level(0.5) + level(1) > 200;
}
