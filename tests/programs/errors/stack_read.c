// A read behind an array on the stack.
#include <stdio.h>

int main(void) {
    char text[8] = "1234567";
    int sum = 0;
    for (int i = 0; i < 12; i++)
        sum += text[i];
    printf("%d\n", sum);
    return 0;
}
