// A computed goto to an address that is no label's.
int main(int argc, char **argv) {
    void *labels[2] = {&&first, &&second};
    char *target = labels[argc - 1];
    target += 3;
    goto *target;
first:
    return 0;
second:
    return 1;
}
