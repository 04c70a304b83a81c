/* Tables of what is mounted: fields, octal escapes, comments, options; the number of the host is any. */
#define _GNU_SOURCE
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char TABLE[] =
    "# a comment\n"
    "\n"
    "   \t\n"
    "/dev/sda1 / ext4 rw,relatime,errors=remount-ro 0 1\n"
    "\t/dev/sda2\t/home\\040of\\011all ext4   rw,noauto 2 3 more\n"
    "none /proc proc defaults\n"
    "back\\134slash\\\\twice /x\\012y tmpfs size=10%,ro\n"
    "only\n"
    "odd\\999 /a\\04 t o 07 -1\n"
    "last /mnt nfs soft";

static void show(const struct mntent *entry) {
    printf("<%s> <%s> <%s> <%s> %d %d", entry->mnt_fsname, entry->mnt_dir, entry->mnt_type, entry->mnt_opts,
           entry->mnt_freq, entry->mnt_passno);
    const char *options[] = {"rw", "ro", "errors", "noauto", "auto", "size", "defaults", "r"};
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
        const char *at = hasmntopt(entry, options[i]);
        if (at) printf(" %s at %d", options[i], (int)(at - entry->mnt_opts));
    }
    puts("");
}

int main(void) {
    char path[] = "/tmp/mountsXXXXXX";
    FILE *made = fdopen(mkstemp(path), "w");
    fputs(TABLE, made);
    fclose(made);
    FILE *table = setmntent(path, "r");
    for (struct mntent *entry; (entry = getmntent(table));) show(entry);
    printf("%d\n", endmntent(table));
    table = setmntent(path, "r");
    struct mntent entry;
    char text[200];
    while (getmntent_r(table, &entry, text, sizeof text)) show(&entry);
    printf("%d\n", endmntent(table));
    printf("%d\n", setmntent("nosuchtable", "r") == NULL);
    unlink(path);
    gethostid();
    return 0;
}
