#include "compiler/driver/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/program.h"
#include "loader/bundle/bundle.h"
#include "loader/cache/build_id.h"
#include "loader/verify/verify.h"

#define DEFAULT_SIZE   (UINT64_C(256) << 20)
#define MAX_READ       (UINT64_C(256) << 20)
#define VALUE_TOO_LONG (UINT64_C(1) << 30)
enum { MOST_ENTRIES = 1024 };

/* ---- Where ------------------------------------------------------------------------------------------------------ */

char *cache_directory(void) {
    const char *own = getenv("TIRB_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *base, *below;
    if (own) {
        if (!*own) return NULL;
        base = own;
        below = "";
    } else if (xdg && xdg[0] == '/') { /* a relative one is to be ignored, says the XDG specification */
        base = xdg;
        below = "/tirb";
    } else if (home && home[0] == '/') {
        base = home;
        below = "/.cache/tirb";
    } else {
        return NULL;
    }
    size_t size = strlen(base) + strlen(below) + 1;
    char *name = malloc(size);
    if (name) snprintf(name, size, "%s%s", base, below);
    return name;
}

exit_code cache_policy(const invocation *inv, tirbi_disk_policy *out) {
    *out = (tirbi_disk_policy){.max_bytes = DEFAULT_SIZE, .max_entries = MOST_ENTRIES};
    const char *size = getenv("TIRB_CACHE_SIZE");
    if (!size || !*size || parse_size(size, &out->max_bytes)) return EXIT_DONE;
    return fail_usage(inv->command,
                      "TIRB_CACHE_SIZE is a number of bytes from 1 to 2^64 - 1, with K, M or G behind it, not '%s'",
                      size);
}

/* ---- One source ------------------------------------------------------------------------------------------------- */

bool cache_wanted(const invocation *inv) {
    for (const option_row *row = inv->command->options; row->key != OPTION_END; row++) {
        if (row->key == OPTION_NO_CACHE) return !option_given(inv, OPTION_NO_CACHE);
    }
    return false;
}

/* Everything but the text that the bundle or the messages depend on. */
static void write_identity(const invocation *inv, const tirb_compile_options *options, tirbi_writer *out) {
    tirbi_write_bytes(out, tirbi_build_id, TIRBI_BUILD_ID_SIZE);
    tirbi_write_u8(out, TIRBI_BUNDLE_MAJOR);
    tirbi_write_u8(out, TIRBI_BUNDLE_MINOR);
    tirbi_write_u32(out, (uint32_t)options->language);
    tirbi_write_u32(out, (uint32_t)options->fp);
    tirbi_write_u32(out, options->max_errors);
    tirbi_write_u32(out, (uint32_t)options->parallel);
    if (options->disable) tirbi_write_bytes(out, options->disable, strlen(options->disable));
    tirbi_write_u8(out, 0);
    tirbi_write_u64(out, options->max_memory);
    tirbi_write_u64(out, options->max_work);
    tirbi_write_u8(out, diagnostics_are_json(inv));
    tirbi_write_u8(out, option_given(inv, OPTION_NO_WARNINGS));
    tirbi_write_u8(out, warnings_are_errors(inv));
    tirbi_write_bytes(out, options->file_name, strlen(options->file_name));
}

exit_code cache_open(const invocation *inv, const char *text, size_t size, const tirb_compile_options *options,
                     source_cache *out) {
    *out = (source_cache){0};
    tirbi_heap_init(&out->heap, NULL, UINT64_MAX);
    tirbi_writer_init(&out->identity, &out->heap);
    if (!cache_wanted(inv)) return EXIT_DONE;
    tirbi_disk_policy policy;
    exit_code code = cache_policy(inv, &policy);
    char *name = code == EXIT_DONE ? cache_directory() : NULL;
    if (!name) return code;
    write_identity(inv, options, &out->identity);
    out->key = (tirbi_disk_key){.identity = {out->identity.data, out->identity.size},
                                .content = {text, size},
                                .label = {options->file_name, strlen(options->file_name)}};
    out->is_open = !out->identity.failed &&
                   tirbi_disk_cache_open(&out->disk, name, true, &policy, &out->heap, NULL) == TIRB_OK;
    free(name);
    return EXIT_DONE;
}

/* A value is the length of the messages, the messages, and the bundle. */
static bool split_value(const tirbi_disk_value *value, compilation *out) {
    tirbi_reader r = tirbi_reader_over(value->data, value->size);
    out->messages_size = tirbi_read_u32(&r);
    out->messages = (const char *)tirbi_read_bytes(&r, out->messages_size);
    out->bundle_size = tirbi_reader_left(&r);
    out->bundle = tirbi_read_bytes(&r, out->bundle_size);
    return !r.failed;
}

/* The file is this user's, and still it is a file: only what the verifier accepts is a hit. */
static bool bundle_is_good(tirbi_heap *heap, const compilation *found) {
    tirbi_arena arena;
    tirbi_program *program;
    tirbi_arena_init(&arena, heap);
    bool good = tirbi_bundle_read(found->bundle, found->bundle_size, MAX_READ, &arena, &program, NULL) == TIRB_OK &&
                tirbi_verify(program, heap, NULL) == TIRB_OK;
    tirbi_arena_destroy(&arena);
    return good;
}

bool cache_find(source_cache *cache, compilation *out) {
    *out = (compilation){0};
    if (!cache->is_open || !tirbi_disk_cache_find(&cache->disk, &cache->key, &cache->found)) return false;
    return split_value(&cache->found, out) && bundle_is_good(&cache->heap, out);
}

void cache_add(source_cache *cache, const compilation *made) {
    if (!cache->is_open || made->messages_size > VALUE_TOO_LONG) return;
    tirbi_writer value;
    tirbi_writer_init(&value, &cache->heap);
    tirbi_write_u32(&value, (uint32_t)made->messages_size);
    tirbi_write_bytes(&value, made->messages, made->messages_size);
    tirbi_write_bytes(&value, made->bundle, made->bundle_size);
    if (!value.failed) tirbi_disk_cache_add(&cache->disk, &cache->key, (tirbi_span){value.data, value.size});
    tirbi_writer_destroy(&value);
}

void cache_close(source_cache *cache) {
    tirbi_disk_value_free(&cache->disk, &cache->found);
    tirbi_writer_destroy(&cache->identity);
    if (cache->is_open) tirbi_disk_cache_close(&cache->disk);
    cache->is_open = false;
}
