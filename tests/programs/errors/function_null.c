// A call through a null pointer.
struct Operations {
    int (*open)(void);
    int (*close)(void);
};

static int one(void) { return 1; }

static int finish(const struct Operations *operations) {
    return operations->close();
}

int main(void) {
    struct Operations operations = {one, 0};
    return operations.open() + finish(&operations);
}
