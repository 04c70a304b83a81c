// The mean of no numbers.
static double mean(const double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

int main(int argc, char **argv) {
    (void)argv;
    double values[] = {1.5, 2.5};
    return mean(values, argc - 1) > 1;
}
