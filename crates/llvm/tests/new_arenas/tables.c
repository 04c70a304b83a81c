/* Constant tables at symbolic indices: of bytes and of words, one through another, and one that is read beyond. */
static const unsigned char bytes[16] = {7, 200, 31, 90, 4, 150, 61, 255, 0, 18, 129, 77, 40, 3, 222, 101};
static const unsigned short words[8] = {513, 2, 40000, 77, 1025, 6, 300, 65535};
static const int steps[4] = {-5, 9, 1000000, -70000};
static const unsigned char sparse[300] = {[3] = 1, [77] = 2, [255] = 9};

void program(const unsigned char *in) {
    int found = 0;
    for (int i = 0; i < 3; i++) {
        if (bytes[in[i] & 15] > 70)
            found |= 1 << i;
        if (words[bytes[in[i] >> 4] & 7] & 1)
            found |= 16 << i;
    }
    if (sparse[in[0]])
        found += steps[in[1] & 3];
    printf("%d %d\n", found, steps[in[2] & 3]);
    if (in[3] > 250)
        printf("%d\n", words[in[3] - 240]);
}
