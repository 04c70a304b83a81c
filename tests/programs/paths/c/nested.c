// inputs: i=0..2 j=0..1 x=0..9
// paths: 7
// Structures in arrays in structures, at symbolic places: neighbours stay as they are.
#include <klee/klee.h>

struct cell {
    char tag;
    short value;
};

struct row {
    struct cell cells[2];
    struct {
        int sum;
        const char *name;
    } about;
};

struct table {
    long magic;
    struct row rows[3];
    long end;
};

static struct table table = {42, {{{{'a', 1}, {'b', 2}}, {0, "first"}}, {{{'c', 3}}, {0, "second"}}}, 43};

int main(void) {
    int i = klee_range(0, 3, "i"), j = klee_range(0, 2, "j"), x = klee_range(0, 10, "x");
    struct cell *cell = &table.rows[i].cells[j];
    cell->value += (short)x;
    for (int r = 0; r < 3; r++) {
        table.rows[r].about.sum = 0;
        for (int c = 0; c < 2; c++) table.rows[r].about.sum += table.rows[r].cells[c].value;
    }
    if (table.magic != 42 || table.end != 43) return 1; /* never */
    if (table.rows[0].about.sum + table.rows[1].about.sum + table.rows[2].about.sum != 6 + x) return 2; /* never */
    if (cell->tag == 0) {
        if (table.rows[i].about.name) return 3;
        return 4;
    }
    if (table.rows[i].about.sum > 9) {
        if (cell->tag == 'c') return 5;
        return 6;
    }
    if (cell->value == 4) {
        if (table.rows[i].about.name[0] == 's') return 7;
        return 8;
    }
    return 9;
}
