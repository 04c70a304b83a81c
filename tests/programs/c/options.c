// getopt and getopt_long on the arguments of the program.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    static const struct option longs[] = {{"verbose", no_argument, NULL, 'v'}, {"output", required_argument, NULL, 'o'},
                                          {"level", optional_argument, NULL, 'l'}, {NULL, 0, NULL, 0}};
    int option, verbose = 0;
    while ((option = getopt_long(argc, argv, "vo:l::n:", longs, NULL)) != -1)
        switch (option) {
        case 'v': verbose++; break;
        case 'o': printf("output %s\n", optarg); break;
        case 'l': printf("level %s\n", optarg ? optarg : "none"); break;
        case 'n': printf("number %d\n", atoi(optarg) * 2); break;
        default: printf("unknown\n"); return 2;
        }
    printf("verbose %d\n", verbose);
    for (int i = optind; i < argc; i++)
        printf("rest %s\n", argv[i]);
    printf("%d %d\n", argc, argv[argc] == NULL);
    return 0;
}
