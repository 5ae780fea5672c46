#include "compiler/pipeline/result.h"

#include <string.h>

#include "compiler/pipeline/limits.h"
#include "loader/base/error.h"
#include "loader/base/sized.h"

enum { DEFAULT_MAX_ERRORS = 20 };

tirb_status tirbi_new_result(const char *text, size_t size, const tirb_compile_options *options,
                             tirb_compile_result **out, tirb_error *error) {
    tirbi_heap heap;
    tirbi_heap_init(&heap, &options->allocator, options->max_memory);
    /* The caller's text is there as long as this compilation is. */
    tirb_compile_result *r = tirbi_heap_charge(&heap, size) ? tirbi_heap_calloc(&heap, 1, sizeof(*r)) : NULL;
    if (!r) {
        return tirbi_error_set(error, tirbi_heap_status(&heap), "%s", tirb_status_text(tirbi_heap_status(&heap)));
    }
    r->heap = heap;
    r->watch = tirbi_limits_watch(options);
    tirbi_arena_init(&r->arena, &r->heap);
    r->arena.watch = &r->watch;
    tirbi_writer_init(&r->bundle, &r->heap);
    tirbi_writer_init(&r->ir, &r->heap);
    tirbi_writer_init(&r->plan, &r->heap);
    const char *file = options->file_name ? options->file_name : "<string>";
    const char *name = tirbi_arena_text(&r->arena, file, strlen(file));
    char *copy = tirbi_arena_text(&r->arena, text, size);
    if (!name || !copy || !tirbi_source_init(&r->source, name, copy, (uint32_t)size, &r->arena)) {
        tirb_status status = tirbi_limits_error(&r->watch, &r->heap, file, error);
        tirb_compile_result_destroy(r);
        return status;
    }
    r->language = tirbi_language_chosen(options->language, options->file_name);
    r->notes = (tirbi_notes){.arena = &r->arena, .source = r->source.size ? &r->source : NULL};
    tirbi_diagnostics_init(&r->diagnostics, &r->source, &r->arena,
                           options->max_errors ? options->max_errors : DEFAULT_MAX_ERRORS);
    *out = r;
    return TIRB_OK;
}

/* ---- How it ends ----------------------------------------------------------------------------------------------- */

tirb_status tirbi_diagnosed(const tirb_compile_result *r, tirb_error *error) {
    for (uint32_t i = 0; i < r->diagnostics.n_items; i++) {
        const tirb_diagnostic *d = &r->diagnostics.items[i];
        if (d->severity != TIRB_SEVERITY_ERROR) continue;
        tirbi_error_set(error, d->code, "%s", d->message);
        tirbi_error_at(error, r->source.name, d->line, d->column);
        if (d->end_line == d->line) tirbi_error_end(error, d->end_column);
        return d->code;
    }
    return tirbi_error_set(error, TIRB_INTERNAL, "compilation failed without a message");
}

tirb_status tirbi_stopped(tirb_compile_result *r, tirb_error *error) {
    return tirbi_limits_error(&r->watch, &r->heap, r->source.name, error);
}

tirb_status tirbi_finished(tirb_compile_result *r, tirb_error *error) {
    return tirbi_watch_look(&r->watch) ? TIRB_OK : tirbi_stopped(r, error);
}

/* ---- The public interface --------------------------------------------------------------------------------------- */

void tirb_compile_result_destroy(tirb_compile_result *result) {
    if (!result) return;
    tirbi_writer_destroy(&result->bundle);
    tirbi_writer_destroy(&result->ir);
    tirbi_writer_destroy(&result->plan);
    tirbi_arena_destroy(&result->arena);
    tirbi_heap heap = result->heap;
    tirbi_heap_free(&heap, result, sizeof(*result));
}

const uint8_t *tirb_compile_result_bytes(const tirb_compile_result *result, size_t *out_size) {
    if (out_size) *out_size = result ? result->bundle.size : 0;
    return result ? result->bundle.data : NULL;
}

uint32_t tirb_compile_result_diagnostic_count(const tirb_compile_result *result) {
    return result ? result->diagnostics.n_items : 0;
}

const tirb_diagnostic *tirb_compile_result_diagnostic(const tirb_compile_result *result, uint32_t index) {
    return result && index < result->diagnostics.n_items ? &result->diagnostics.items[index] : NULL;
}

size_t tirb_compile_result_format(const tirb_compile_result *result, uint32_t index, char *buffer, size_t size) {
    const tirb_diagnostic *d = tirb_compile_result_diagnostic(result, index);
    if (!buffer) size = 0;
    if (!d) {
        if (size) buffer[0] = '\0';
        return 0;
    }
    return tirbi_diagnostic_format(result->source.name, d, buffer, size);
}

tirb_status tirb_compile_result_stats(const tirb_compile_result *result, tirb_compile_stats *out_stats) {
    if (!result || !out_stats) return TIRB_MISUSE;
    const tirb_compile_stats stats = {.struct_size = sizeof(stats),
                                      .is_plain = !tirbi_arena_may_try(&result->arena),
                                      .work = result->watch.work,
                                      .peak_memory = result->heap.peak};
    return tirbi_info_write(out_stats, &stats, sizeof(stats)) ? TIRB_OK : TIRB_MISUSE;
}

const char *tirb_compile_result_ir(const tirb_compile_result *result, size_t *out_size) {
    if (out_size) *out_size = result ? result->ir.size : 0;
    return result ? (const char *)result->ir.data : NULL;
}

const char *tirb_compile_result_plan(const tirb_compile_result *result, size_t *out_size) {
    if (out_size) *out_size = result ? result->plan.size : 0;
    return result ? (const char *)result->plan.data : NULL;
}

uint32_t tirb_compile_result_loop_count(const tirb_compile_result *result) { return result ? result->notes.n : 0; }

const tirb_loop_note *tirb_compile_result_loop(const tirb_compile_result *result, uint32_t index) {
    return result && index < result->notes.n ? &result->notes.items[index] : NULL;
}
