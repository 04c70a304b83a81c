// statuses: 0 1 2
// Manipulators: bytes as two hexadecimal digits each, and back.
#include <iomanip>
#include <klee/klee.h>
#include <sstream>

int main() {
    unsigned char bytes[2];
    klee_make_symbolic(bytes, 2, "bytes");
    for (unsigned char byte : bytes) klee_assume((byte == 0) | (byte == 9) | (byte == 171));
    std::ostringstream out;
    out << std::hex << std::setfill('0') << std::uppercase;
    for (unsigned char byte : bytes) out << std::setw(2) << unsigned(byte);
    std::istringstream in(out.str());
    unsigned number = 0;
    in >> std::hex >> number;
    if (number != bytes[0] * 256u + bytes[1]) return 9; // never
    if (out.str() == "ABAB") return 2;
    if (out.str()[0] == '0') return 1;
    return 0;
}
