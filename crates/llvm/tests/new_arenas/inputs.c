/* What else a path has of its own: several inputs of one name, a file with symbolic contents, numbers that are only
   printed, one that has to be known, and what the program would like. */
static const unsigned char weights[8] = {3, 1, 4, 1, 5, 9, 2, 6};

void program(const unsigned char *in) {
    int found = 0;
    for (int i = 0; i < 2; i++) {
        unsigned char more;
        klee_make_symbolic(&more, 1, "more");
        if (weights[more & 7] > 3)
            found |= 1 << i;
        klee_prefer_cex(&more, more > 100);
    }
    unsigned sum = in[0] + 3 * in[1], product = sum * in[2];
    klee_print_expr("twice", product ^ (product >> 3) ^ sum);
    FILE *file = fopen("kept", "w+");
    fputc(in[2], file);
    fputc(in[3], file);
    rewind(file);
    int first = fgetc(file), second = fgetc(file);
    fclose(file);
    if (weights[first & 7] == weights[second & 7])
        found |= 4;
    char *sized = malloc(1 + (in[0] & 3));
    sized[in[0] & 3] = weights[in[1] & 7];
    if (sized[in[0] & 3] > 4)
        found |= 8;
    printf("%d: %d, %u and %x\n", found, weights[first & 7], in[2], in[2] * 3);
    printf("%5d|%u|%d\n", in[2], in[2], sized[in[0] & 3]);
    free(sized);
}
