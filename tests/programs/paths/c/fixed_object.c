// inputs: device[2]=0..5 i=0..3
// paths: 7
// Registers of a device at an address of its own: two of them hold input, two are written by the program.
#include <klee/klee.h>

static volatile unsigned char *const registers = (unsigned char *)0x40000010;

int main(void) {
    klee_define_fixed_object((void *)registers, 4);
    unsigned char device[2], i;
    klee_make_symbolic(device, sizeof device, "device");
    klee_make_symbolic(&i, 1, "i");
    klee_assume((device[0] < 6) & (device[1] < 6) & (i < 4));
    registers[0] = device[0];
    registers[1] = device[1];
    if (registers[2] != 0) return 1; /* never */
    registers[3] = 9;
    if (registers[i] == 9) {
        if (i == 3) return 2;
        return 3;
    }
    registers[i] += 1;
    if (registers[0] > 4) return 4;
    if (registers[2]) {
        if (registers[1] == 5) return 5;
        return 6;
    }
    if (registers[0] == registers[1]) return 7;
    if (registers[1] == 0) return 8;
    return 9;
}
