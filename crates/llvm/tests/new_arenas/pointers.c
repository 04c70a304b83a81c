/* Pointers that depend on input: out of a constant table, chosen by a condition, and to what is written through them. */
static const char red[] = "crimson", green[] = "emerald", blue[] = "cobalt!", none[] = "no colour";
static const char *const names[4] = {red, green, blue, none};
static unsigned char left[4] = {1, 2, 3, 4}, right[4] = {5, 6, 7, 8};

void program(const unsigned char *in) {
    int found = 0;
    if (names[in[0] & 3][in[1] >> 5] > 'm')
        found |= 1;
    unsigned char *side = in[2] & 1 ? left : right;
    if (side[in[3] & 3] > 3)
        found |= 4;
    side[in[0] & 3] = 99;
    if (left[in[3] >> 6] == 99)
        found |= 8;
    char copy[8];
    memcpy(copy, names[in[3] & 3], 8);
    if (copy[in[2] & 7] == 'e')
        found |= 16;
    printf("%d %c\n", found, names[in[1] & 3][2]);
}
