// printf: every conversion, flag, width and precision.
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    int n = 0;
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.3d] [%8.3d] [%-8.3d] [%+.0d]\n", 42, 42, 42, 42, 42, 42, 4, 4, 4, 0);
    printf("[%i] [%u] [%o] [%x] [%X] [%#o] [%#x] [%#X] [%#010x]\n", -7, 7u, 8u, 255u, 255u, 8u, 255u, 255u, 255u);
    printf("[%hhd] [%hd] [%ld] [%lld] [%jd] [%zu] [%td]\n", (signed char)-5, (short)-300, -70000L, -5000000000LL,
           (intmax_t)-9, (size_t)10, (ptrdiff_t)-11);
    printf("[%hhu] [%hu] [%lu] [%llx] [%ju]\n", (unsigned char)250, (unsigned short)65000, 70000UL, 0xdeadbeefcafeULL,
           (uintmax_t)12);
    printf("[%c] [%5c] [%-5c] [%%] [%s] [%10s] [%-10s] [%.2s] [%10.3s]\n", 'x', 'y', 'z', "text", "text", "text", "text",
           "text");
    printf("[%*d] [%-*d] [%.*f] [%*.*s]\n", 6, 1, 6, 2, 3, 3.14159, 8, 2, "abcdef");
    printf("[%f] [%.0f] [%#.0f] [%10.2f] [%-10.2f] [%+.1f] [%010.3f]\n", 3.5, 2.5, 2.5, 3.14159, 3.14159, 9.96, -3.14159);
    printf("[%e] [%.2E] [%g] [%G] [%#g] [%.3g] [%g] [%g]\n", 12345.678, 0.00012, 0.0001, 1e-10, 1.0, 1234567.0, 100000.0,
           1000000.0);
    printf("[%a] [%A] [%.2a]\n", 1.0, 0.5, 3.14159);
    printf("[%Lf] [%.3Le] [%Lg]\n", 1.25L, 12345.0L, 0.1L);
    printf("[%f] [%F] [%5f] [%-6f|] [%g]\n", 1.0 / 0.0, -1.0 / 0.0, 1.0 / 0.0, 1.0 / 0.0, 1e308 * 10);
    printf("[%" PRId8 "] [%" PRIu16 "] [%" PRIx32 "] [%" PRIX64 "]\n", (int8_t)-1, (uint16_t)1, (uint32_t)0xabc,
           (uint64_t)0xabcdef0123456789);
    printf("[%s]%n\n", "counted", &n);
    printf("%d\n", n);
    printf("[%2$s %1$s]\n", "world", "hello");
    char buffer[16];
    int full = snprintf(buffer, sizeof buffer, "%s-%d", "a long string indeed", 12345);
    printf("[%s] %d %zu\n", buffer, full, strlen(buffer));
    full = snprintf(NULL, 0, "%08.3f|%x", 2.0 / 3, 4096);
    printf("%d\n", full);
    printf("%d\n", sprintf(buffer, "%c%c%c", 'a', 0, 'b'));
    printf("%d %d %d\n", buffer[0], buffer[1], buffer[2]);
    puts("puts");
    putchar('p');
    putchar('\n');
    fputs("fputs\n", stdout);
    fprintf(stdout, "%s\n", (char *)"fprintf");
    fwrite("fwrite\n", 1, 7, stdout);
    printf("%p %p\n", (void *)0, (void *)0x1234);
    return 0;
}
