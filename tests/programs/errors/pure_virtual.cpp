// A virtual function called while there is none yet.
struct Shape {
    Shape() { describe(); }
    void describe() { area(); }
    virtual double area() = 0;
    virtual ~Shape() {}
};
struct Square : Shape {
    double area() override { return 1; }
};

int main() {
    Square square;
    return int(square.area());
}
