// An exception that leaves a function that promised not to throw.
struct Guard {
    int code;
    ~Guard() {
        if (code)
            throw code;
    }
};

int main() {
    try {
        Guard guard{3};
    } catch (int) {
        return 1;
    }
    return 0;
}
