// A function that promises a value and returns without one.
static int find(const int *values, int count, int wanted) {
    for (int i = 0; i < count; ++i)
        if (values[i] == wanted)
            return i;
}

int main() {
    int values[3] = {1, 2, 3};
    return find(values, 3, 2) + find(values, 3, 7);
}
