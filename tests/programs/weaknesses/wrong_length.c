// CWE-805: as many bytes are copied as a header says, not as there are.
// run: --sym-stdin 5
// error: out-of-bounds read
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char *packet = malloc(5);
    unsigned char payload[16];
    if (!packet || fread(packet, 1, 5, stdin) != 5)
        return 1;
    unsigned length = packet[0];
#ifdef GOOD
    if (length > 4)
        return 2;
#else
    if (length > sizeof payload)
        return 2;
#endif
    memcpy(payload, packet + 1, length);
    free(packet);
    return length ? payload[0] == 7 : 0;
}
