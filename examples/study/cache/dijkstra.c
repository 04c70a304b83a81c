// Shortest paths: Dijkstra of table 4 of the partial-solution cache (Shuai, Chen, Ma, Liu and others, 2024), written
// anew from textbooks.
//
// A complete directed graph of SIZE nodes, whose edges have symbolic lengths from 1 to LONGEST. No node is farther
// away than its edge from the first one, which is checked. With `-DCHECKED`, so is that no edge at all is a short cut,
// which asks about each.
#include <assert.h>
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 4
#endif
#ifndef LONGEST
#define LONGEST 100
#endif

enum { UNREACHED = SIZE * LONGEST + 1 };

static int length[SIZE][SIZE], distance[SIZE], done[SIZE];

static int nearest(void) {
    int best = -1;
    for (int node = 0; node < SIZE; node++)
        if (!done[node] && (best < 0 || distance[node] < distance[best]))
            best = node;
    return best;
}

static void search(int from) {
    for (int node = 0; node < SIZE; node++)
        distance[node] = UNREACHED;
    distance[from] = 0;
    for (int round = 0; round < SIZE; round++) {
        int node = nearest();
        done[node] = 1;
        for (int next = 0; next < SIZE; next++)
            if (!done[next] && distance[node] + length[node][next] < distance[next])
                distance[next] = distance[node] + length[node][next];
    }
}

int main(void) {
    // No way back to the first node is ever of use: its lengths stay 0.
    for (int from = 0; from < SIZE; from++)
        for (int to = 1; to < SIZE; to++)
            if (from != to) {
                klee_make_symbolic(&length[from][to], sizeof(int), "length");
                klee_assume(length[from][to] >= 1);
                klee_assume(length[from][to] <= LONGEST);
            }
    search(0);
    int farthest = 0;
    for (int node = 1; node < SIZE; node++) {
        assert(distance[node] <= LONGEST);
        if (distance[node] > distance[farthest])
            farthest = node;
    }
#ifdef CHECKED
    for (int from = 0; from < SIZE; from++)
        for (int to = 1; to < SIZE; to++)
            assert(from == to || distance[to] <= distance[from] + length[from][to]);
#endif
    return farthest;
}
