/* `tirb cache`: what is in the directory of compiled sources. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compiler/driver/cache.h"
#include "compiler/driver/json.h"

static const option_row cache_options[] = {
    {OPTION_JSON, 0, "json", NULL, "print one JSON object instead of text"},
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

typedef struct listing {
    const char *directory; /* NULL: the cache is off */
    const tirbi_disk_entry *entries;
    size_t n;
    uint64_t bytes;
    tirbi_disk_policy policy;
} listing;

static void size_text(uint64_t size, char buffer[32]) {
    if (size < 10000) snprintf(buffer, 32, "%llu B", (unsigned long long)size);
    else if (size < UINT64_C(10000) << 10) snprintf(buffer, 32, "%.1f KiB", (double)size / 1024);
    else snprintf(buffer, 32, "%.1f MiB", (double)size / (1 << 20));
}

static void age_text(int64_t seconds, char buffer[32]) {
    if (seconds < 120) snprintf(buffer, 32, "%lld s", (long long)seconds);
    else if (seconds < 2 * 3600) snprintf(buffer, 32, "%lld min", (long long)seconds / 60);
    else if (seconds < 48 * 3600) snprintf(buffer, 32, "%lld h", (long long)seconds / 3600);
    else snprintf(buffer, 32, "%lld days", (long long)seconds / (24 * 3600));
}

static int64_t age_of(const tirbi_disk_entry *entry, int64_t now) { return entry->used < now ? now - entry->used : 0; }

static void print_text(const listing *l) {
    char size[32], most[32], age[32];
    int64_t now = (int64_t)time(NULL);
    if (!l->directory) {
        puts("the cache is off");
        return;
    }
    for (size_t i = 0; i < l->n; i++) {
        const tirbi_disk_entry *entry = &l->entries[i];
        size_text(entry->size, size);
        age_text(age_of(entry, now), age);
        printf("%12s %10s  %s\n", size, age, entry->damaged ? "(damaged)" : entry->label);
    }
    size_text(l->bytes, size);
    size_text(l->policy.max_bytes, most);
    printf("%s: %zu of at most %llu entries, %s of %s\n", l->directory, l->n, (unsigned long long)l->policy.max_entries,
           size, most);
}

static exit_code print_json(const invocation *inv, const listing *l) {
    int64_t now = (int64_t)time(NULL);
    cJSON *object = cJSON_CreateObject();
    if (l->directory) cJSON_AddStringToObject(object, "directory", l->directory);
    else cJSON_AddNullToObject(object, "directory");
    cJSON_AddNumberToObject(object, "bytes", (double)l->bytes);
    cJSON_AddNumberToObject(object, "max_bytes", (double)l->policy.max_bytes);
    cJSON_AddNumberToObject(object, "max_entries", (double)l->policy.max_entries);
    cJSON *list = cJSON_AddArrayToObject(object, "entries");
    for (size_t i = 0; i < l->n; i++) {
        const tirbi_disk_entry *entry = &l->entries[i];
        cJSON *own = cJSON_CreateObject();
        cJSON_AddItemToArray(list, own);
        cJSON_AddStringToObject(own, "source", entry->label);
        cJSON_AddNumberToObject(own, "size", (double)entry->size);
        cJSON_AddNumberToObject(own, "age_s", (double)age_of(entry, now));
        cJSON_AddBoolToObject(own, "damaged", entry->damaged);
    }
    return json_print(inv, object, JSON_ONE_LINE);
}

static exit_code show(const invocation *inv, tirbi_disk_cache *disk, listing *l) {
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_arena arena;
    tirbi_arena_init(&arena, disk->heap);
    exit_code code = EXIT_DONE;
    if (disk->directory >= 0 && tirbi_disk_cache_list(disk, &arena, &l->entries, &l->n, &error) != TIRB_OK) {
        code = fail(inv, EXIT_INTERNAL, "%s", error.message);
    }
    for (size_t i = 0; i < l->n; i++) l->bytes += l->entries[i].size;
    if (code == EXIT_DONE) {
        if (option_given(inv, OPTION_JSON)) code = print_json(inv, l);
        else print_text(l);
    }
    tirbi_arena_destroy(&arena);
    return code;
}

static exit_code clear(const invocation *inv, tirbi_disk_cache *disk) {
    size_t n = disk->directory >= 0 ? tirbi_disk_cache_clear(disk) : 0;
    if (option_given(inv, OPTION_JSON)) printf("{\"cleared\":%zu}\n", n);
    else printf("%zu %s deleted\n", n, n == 1 ? "entry" : "entries");
    return EXIT_DONE;
}

static exit_code run_cache(const invocation *inv) {
    bool clears = inv->n_operands == 1;
    if (clears && strcmp(inv->operands[0], "clear") != 0) {
        return fail_usage(inv->command, "'%s' is nothing to do with the cache; 'clear' empties it", inv->operands[0]);
    }
    listing l = {0};
    exit_code code = cache_policy(inv, &l.policy);
    if (code != EXIT_DONE) return code;
    tirbi_heap heap;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_disk_cache disk = {.heap = &heap, .directory = -1};
    char *name = cache_directory();
    l.directory = name;
    tirb_status status = name ? tirbi_disk_cache_open(&disk, name, false, &l.policy, &heap, &error) : TIRB_OK;
    if (status != TIRB_OK && status != TIRB_NOT_FOUND) {
        code = fail(inv, EXIT_FILES, "%s is not used: %s", name, error.message);
    } else {
        code = clears ? clear(inv, &disk) : show(inv, &disk, &l);
    }
    tirbi_disk_cache_close(&disk);
    free(name);
    return code;
}

const command cache_command = {
    .name = "cache",
    .operands = "[clear]",
    .summary = "Show what is kept of compiled sources, or delete it",
    .options = cache_options,
    .details =
        "run, bench, check, inspect and dis keep what they compile, and compile a source again only when its text, "
        "its\n"
        "name, the options or tirb itself have changed. The list has sizes, how long ago each was used, and names; "
        "what\n"
        "was used least recently goes first. 'clear' deletes the entries and no other file of the directory.\n"
        "\n"
        "Environment:\n"
        "  TIRB_CACHE_DIR    the directory; empty: nothing is kept. Default: $XDG_CACHE_HOME/tirb, else ~/.cache/tirb\n"
        "  TIRB_CACHE_SIZE   the most bytes to keep (suffixes K, M, G; default 256M)\n"
        "The directory must be yours, with the mode 700. Anything wrong with it, or with an entry, only means that "
        "the\n"
        "source is compiled. --no-cache compiles anew and keeps nothing.\n",
    .run = run_cache,
    .most_operands = 1,
};
