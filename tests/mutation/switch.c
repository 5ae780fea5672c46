/* The environment's TIRB_MUTANT is the number of the one check that is off, and TIRB_MUTANTS_SEEN a file that the
 * numbers of those that were asked are added to when the program ends. */
#include "tests/mutation/switch.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_CHECKS = 4096 };

static unsigned off;
static const char *seen_file;
static unsigned char seen[MAX_CHECKS];

static void write_seen(void) {
    FILE *file = fopen(seen_file, "a");
    if (!file) return;
    for (unsigned i = 0; i < MAX_CHECKS; i++)
        if (seen[i]) fprintf(file, "%u\n", i);
    fclose(file);
}

__attribute__((constructor)) static void read_environment(void) {
    const char *number = getenv("TIRB_MUTANT");
    seen_file = getenv("TIRB_MUTANTS_SEEN");
    if (number) off = (unsigned)strtoul(number, NULL, 10);
    if (seen_file) atexit(write_seen);
}

bool mutation_is_off(unsigned number) {
    if (seen_file && number < MAX_CHECKS) seen[number] = 1;
    return number == off;
}
