/* Names of inputs: no two inputs of a run share theirs. The second x is x_2, unless there is an x_2 already. */
struct refrain_used {
    struct refrain_used *next;
    unsigned long number; /* how far inputs that were to have this name have come */
    char *name;
};

static struct refrain_used **refrain_find_used(const char *name) {
    static struct refrain_used *table[4096];
    unsigned hash = 2166136261u;
    struct refrain_used **slot;
    for (const char *at = name; *at; at++) hash = (hash ^ (unsigned char)*at) * 16777619u;
    slot = &table[hash % 4096];
    while (*slot && strcmp((*slot)->name, name) != 0) slot = &(*slot)->next;
    return slot;
}

/* The name of the next input that is to be called so. */
static const char *refrain_name(const char *wanted) {
    struct refrain_used *before = *refrain_find_used(wanted), *used;
    size_t room = strlen(wanted) + 24;
    char *name = (char *)malloc(room);
    used = (struct refrain_used *)malloc(sizeof *used);
    if (!name || !used) abort();
    strcpy(name, wanted);
    while (before && *refrain_find_used(name)) snprintf(name, room, "%s_%lu", wanted, ++before->number);
    used->next = NULL;
    used->number = 1;
    used->name = name;
    *refrain_find_used(name) = used;
    return name;
}
