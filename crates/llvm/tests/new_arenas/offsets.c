/* Objects that exist before the program starts, read and written at symbolic offsets: what is written is seen at the
   offsets where it may be, and nowhere else. */
static unsigned char cells[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static unsigned short wide[4] = {100, 200, 300, 400};
static unsigned char untouched[16] = {9, 8, 7, 6, 5, 4, 3, 2, 1};

void program(const unsigned char *in) {
    int found = 0;
    if (cells[in[0] & 7] > 4)
        found |= 1;
    cells[in[1] & 7] = in[2];
    if (cells[in[0] & 7] > 100)
        found |= 2;
    cells[3] = 50;
    if (cells[in[2] & 7] == 50)
        found |= 4;
    wide[in[3] & 3] += in[0];
    if (wide[in[1] & 3] > 250)
        found |= 8;
    if (untouched[in[3] & 15] & 2)
        found |= 16;
    cells[in[3] & 7] = cells[in[2] & 7] + 1;
    if (cells[in[0] & 7] & 1)
        found |= 32;
    printf("%d %d %d\n", found, cells[in[0] & 7], wide[in[3] & 3]);
}
