// Recursion: Ackermann, towers of Hanoi, permutations, queens, a maze, mutual calls, deep calls.
#include <stdio.h>
#include <string.h>

static unsigned ackermann(unsigned m, unsigned n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static int moves;
static void hanoi(int n, char from, char to, char by) {
    if (n == 0) return;
    hanoi(n - 1, from, by, to);
    if (moves++ < 7) printf("%c%c ", from, to);
    hanoi(n - 1, by, to, from);
}
static void permute(char *text, int at) {
    if (!text[at]) { printf("%s ", text); return; }
    for (int i = at; text[i]; i++) {
        char t = text[at]; text[at] = text[i]; text[i] = t;
        permute(text, at + 1);
        t = text[at]; text[at] = text[i]; text[i] = t;
    }
}
static int queens(int n, unsigned columns, unsigned left, unsigned right) {
    unsigned all = (1u << n) - 1, free = all & ~(columns | left | right);
    if (columns == all) return 1;
    int found = 0;
    while (free) {
        unsigned bit = free & (0u - free);
        free ^= bit;
        found += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}
static char maze[7][12] = {"###########", "#S..#.....#", "###.#.###.#", "#...#...#.#", "#.#####.#.#", "#.......#E#", "###########"};
static int solve(int y, int x) {
    if (maze[y][x] == 'E') return 1;
    if (maze[y][x] == '#' || maze[y][x] == '+') return 0;
    maze[y][x] = '+';
    if (solve(y, x + 1) || solve(y + 1, x) || solve(y, x - 1) || solve(y - 1, x)) return 1;
    maze[y][x] = '.';
    return 0;
}
static long deep(int n) { volatile char pad[16]; pad[n % 16] = (char)n; return n == 0 ? 0 : deep(n - 1) + pad[n % 16] % 2; }

int main(void) {
    printf("%u %u\n", ackermann(2, 3), ackermann(3, 3));
    hanoi(8, 'a', 'c', 'b');
    printf("%d\n", moves);
    char text[] = "abcd";
    permute(text, 0);
    printf("\n%d %d\n", queens(6, 0, 0, 0), queens(8, 0, 0, 0));
    printf("%d\n", solve(1, 1));
    for (int y = 0; y < 7; y++) printf("%s\n", maze[y]);
    printf("%ld\n", deep(2000));
    return 0;
}
