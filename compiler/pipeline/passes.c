#include "compiler/pipeline/passes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/loop/verify.h"
#include "compiler/optimize/carried/elements.h"
#include "compiler/optimize/carried/extremes.h"
#include "compiler/optimize/carried/induction.h"
#include "compiler/optimize/carried/place.h"
#include "compiler/optimize/carried/scopes.h"
#include "compiler/optimize/contractions/axes.h"
#include "compiler/optimize/contractions/operands.h"
#include "compiler/optimize/contractions/windows.h"
#include "compiler/optimize/cuts/clip.h"
#include "compiler/optimize/cuts/guarded_sums.h"
#include "compiler/optimize/cuts/partition.h"
#include "compiler/optimize/cuts/wrapped.h"
#include "compiler/optimize/facts/guarded.h"
#include "compiler/optimize/nests/apart.h"
#include "compiler/optimize/nests/demanded.h"
#include "compiler/optimize/nests/digits.h"
#include "compiler/optimize/nests/phases.h"
#include "compiler/optimize/nests/expand.h"
#include "compiler/optimize/nests/fuse.h"
#include "compiler/optimize/nests/inline.h"
#include "compiler/optimize/nests/reroll.h"
#include "compiler/optimize/nests/unroll.h"
#include "compiler/optimize/nests/unsplit.h"
#include "compiler/optimize/normalise/bounds.h"
#include "compiler/optimize/normalise/forward.h"
#include "compiler/optimize/normalise/gather.h"
#include "compiler/optimize/normalise/narrow.h"
#include "compiler/optimize/normalise/sizes.h"
#include "compiler/optimize/normalise/tiles.h"
#include "compiler/optimize/whiles/bits.h"
#include "compiler/optimize/whiles/counted.h"
#include "compiler/optimize/whiles/skips.h"
#include "loader/base/error.h"

#define PASS(ID, NAME, BY_SEARCH, RUN, SUMMARY)                                                     \
    static const tirbi_ls *run_##NAME(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled, \
                                      tirbi_notes *notes) {                                         \
        (void)disabled, (void)notes;                                                                \
        return RUN;                                                                                 \
    }
#define FORM(ID, NAME, BY_SEARCH, SUMMARY)
#include "compiler/pipeline/passes.def"
#undef FORM
#undef PASS

static const tirbi_pass passes[TIRBI_PASSES] = {
#define PASS(ID, NAME, BY_SEARCH, RUN, SUMMARY) {#NAME, SUMMARY, TIRB_PASS_##ID, run_##NAME},
#define FORM(ID, NAME, BY_SEARCH, SUMMARY)      {#NAME, SUMMARY, TIRB_PASS_##ID, NULL},
#include "compiler/pipeline/passes.def"
#undef FORM
#undef PASS
};

const tirbi_pass *tirbi_pass_at(uint32_t index) { return index < TIRBI_PASSES ? &passes[index] : NULL; }

/* ---- Views ----------------------------------------------------------------------------------------------------- */

/* A function on its way, for who looks at it. */
typedef struct viewer {
    const tirbi_pass_view *view;
    const tirbi_lmodule *module;
    const tirbi_lfunc *function;
    size_t last, size; /* where its latest text is in what was written */
} viewer;

static void write_title(const viewer *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void write_title(const viewer *v, const char *format, ...) {
    char title[256];
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(title, sizeof(title), format, arguments);
    va_end(arguments);
    if (n > 0) tirbi_write_bytes(v->view->out, title, (size_t)n < sizeof(title) ? (size_t)n : sizeof(title) - 1);
}

/* Writes the function as it is now; false: memory ran out. */
static bool write_text(viewer *v, const tirbi_ls *body) {
    tirbi_writer *out = v->view->out;
    v->last = out->size;
    const bool done = tirbi_print_loops(v->module, v->function, body, v->function->pool->arena, out);
    v->size = out->size - v->last;
    return done;
}

/* Takes back what was written from `at` on where the text behind it is the latest one again. */
static void drop_if_same(viewer *v, size_t at, size_t last, size_t size) {
    tirbi_writer *out = v->view->out;
    if (v->size != size || memcmp(out->data + v->last, out->data + last, size) != 0) return;
    out->size = at;
    v->last = last;
}

static bool show_first(viewer *v, const tirbi_ls *body) {
    if (!v->view->out || v->view->pass) return true;
    write_title(v, "# as lowered\n");
    return write_text(v, body);
}

/* Before a pass (after: false) and behind it. */
static bool show(viewer *v, const tirbi_pass *pass, const tirbi_ls *body, bool after) {
    if (!v->view->out || !body) return true;
    const size_t at = v->view->out->size, last = v->last, size = v->size;
    if (v->view->pass) {
        if (strcmp(v->view->pass, pass->name) != 0) return true;
        write_title(v, "# %s %s: %s\n", after ? "after" : "before", pass->name, pass->summary);
        return write_text(v, body);
    }
    if (!after) return true;
    write_title(v, "# after %s: %s\n", pass->name, pass->summary);
    if (!write_text(v, body)) return false;
    drop_if_same(v, at, last, size);
    return true;
}

/* What a pass leaves is loop IR: looked at where somebody looks on, and always in builds with assertions. */
static tirb_status verify(const viewer *v, const char *pass, const tirbi_ls *body, tirb_error *error) {
#ifdef NDEBUG
    if (!v->view->out) return TIRB_OK;
#endif
    tirb_error own = TIRB_ERROR_INIT;
    const tirb_status status = tirbi_verify_loops(v->function, body, v->function->pool->arena->heap, &own);
    if (status != TIRB_INTERNAL) return status;
    return tirbi_error_set(error, status, "%s left what is no loop IR: %s", pass, own.message);
}

/* ---- The passes ------------------------------------------------------------------------------------------------ */

/* Of a choice by sizes passes see what sane calls run; the plain schedule of the others stays as it is. */
static const tirbi_ls *run_pass(tirbi_lx_pool *pool, const tirbi_pass *pass, const tirbi_ls *body, uint32_t disabled,
                                tirbi_notes *notes) {
    if (body->kind != TIRBI_LS_IF || !body->as.if_.sizes) return pass->run(pool, body, disabled, notes);
    const tirbi_ls *sane = pass->run(pool, body->as.if_.then_case, disabled, notes);
    if (!sane || sane == body->as.if_.then_case) return sane ? body : NULL;
    tirbi_ls *choice = TIRBI_NEW(pool->arena, tirbi_ls);
    if (!choice) return NULL;
    *choice = *body;
    choice->as.if_.then_case = sane;
    return choice;
}

tirb_status tirbi_run_passes(const tirbi_lmodule *module, const tirbi_lfunc *function, uint32_t disabled,
                             tirbi_notes *notes, const tirbi_pass_view *view, const tirbi_ls **out, tirb_error *error) {
    viewer v = {.view = view, .module = module, .function = function};
    const tirbi_ls *body = function->body;
    tirbi_find_guarded(body);
    if (!show_first(&v, body)) return TIRB_NO_MEMORY;
    TIRBI_TRY(verify(&v, "lowering", body, error));
    for (size_t i = 0; i < TIRBI_PASSES; i++) {
        const uint32_t off = tirbi_switched_off(disabled, function->pool->arena);
        if (!passes[i].run || (off & passes[i].bit)) continue;
        if (!show(&v, &passes[i], body, false)) return TIRB_NO_MEMORY;
        const tirbi_ls *before = body;
        body = run_pass(function->pool, &passes[i], body, off, notes);
        /* What a pass leaves that ran out of memory is no loop IR, which somebody could look at. */
        if (!body || function->pool->arena->failed || !show(&v, &passes[i], body, true)) return TIRB_NO_MEMORY;
        if (body != before) TIRBI_TRY(verify(&v, passes[i].name, body, error));
    }
    *out = body;
    return TIRB_OK;
}
