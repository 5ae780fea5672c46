/* What of a program is translated: functions with all that they lead to, as they are needed. */
#include "vm/translate/translate.h"

#include "loader/base/error.h"
#include "loader/base/secret.h"
#include "loader/base/work.h"
#include "vm/contract/tiles.h"
#include "vm/enter/lane_entry.h"
#include "vm/translate/function.h"

enum { NOBODY = UINT16_MAX + 1 }; /* of all functions that there may be */

/* A function on the way through all that some function leads to. Those that lead to each other are ready together, when
 * the walk leaves the first of them that it has come to (Tarjan's strongly connected components). */
typedef struct visit {
    bool is_translated;
    uint32_t number; /* in the order of arrival, from 1 on; 0: not on the way */
    uint32_t lowest; /* number of those on the way that it leads to */
    uint32_t next;   /* of its callees */
    uint32_t caller;
    uint32_t below; /* on the stack of those that are not ready */
} visit;

struct tirbi_progress {
    tirbi_translator *translator; /* of what was stopped; else only meanwhile */
    tirbi_arena_mark whole;       /* without what a function that was not finished has taken */
    uint64_t work;                /* steps of functions that were finished */
    uint32_t arrived, top;
    visit *visits; /* by function */
};

/* ---- One function ---------------------------------------------------------------------------------------------- */

static tirb_status translate(tirbi_code *code, uint32_t function, tirb_error *error) {
    struct tirbi_progress *const p = code->progress;
    if (p->visits[function].is_translated) return TIRB_OK;
    const uint64_t work = code->heap->work;
    TIRBI_TRY(tirbi_translate_function(p->translator, function, error));
    p->visits[function].is_translated = true;
    p->whole = tirbi_arena_here(&code->arena);
    p->work += code->heap->work - work;
    return TIRB_OK;
}

/* ---- All that it leads to --------------------------------------------------------------------------------------- */

static void arrive(struct tirbi_progress *p, uint32_t function, uint32_t caller) {
    visit *const at = &p->visits[function];
    at->number = at->lowest = ++p->arrived;
    at->next = 0;
    at->caller = caller;
    at->below = p->top;
    p->top = function;
}

static uint32_t take_off(struct tirbi_progress *p) {
    const uint32_t function = p->top;
    p->top = p->visits[function].below;
    p->visits[function].number = 0;
    return function;
}

/* The walk has left the first one of those on top of the stack. */
static void close(tirbi_code *code, uint32_t first) {
    uint32_t function;
    do {
        function = take_off(code->progress);
        code->functions[function].needs = code->functions[first].needs;
        atomic_store_explicit(&code->ready[function], 1, memory_order_release);
    } while (function != first);
}

/* Goes on to one that `from` calls; NOBODY: there is none that it has not come to. */
static uint32_t go_on(tirbi_code *code, uint32_t from) {
    tirbi_fn *const fn = &code->functions[from];
    visit *const visits = code->progress->visits, *const here = &visits[from];
    while (here->next < fn->n_callees) {
        const uint32_t callee = fn->callees[here->next++];
        if (tirbi_code_is_ready(code, callee)) {
            tirbi_lane_needs_raise(&fn->needs, &code->functions[callee].needs);
        } else if (visits[callee].number == 0) {
            arrive(code->progress, callee, from);
            return callee;
        } else if (visits[callee].number < here->lowest) {
            here->lowest = visits[callee].number;
        }
    }
    return NOBODY;
}

/* Nothing that the function calls is left; returns the one that has led to it. */
static uint32_t leave(tirbi_code *code, uint32_t function) {
    visit *const visits = code->progress->visits, *const here = &visits[function];
    const uint32_t caller = here->caller;
    if (caller != NOBODY) {
        tirbi_lane_needs_raise(&code->functions[caller].needs, &code->functions[function].needs);
        if (here->lowest < visits[caller].lowest) visits[caller].lowest = here->lowest;
    }
    if (here->lowest == here->number) close(code, function);
    return caller;
}

static tirb_status make_ready(tirbi_code *code, uint32_t function, tirb_error *error) {
    if (tirbi_code_is_ready(code, function)) return TIRB_OK;
    arrive(code->progress, function, NOBODY);
    while (function != NOBODY) {
        TIRBI_TRY(translate(code, function, error));
        TIRBI_TRY(tirbi_work(code->heap, 1, error));
        uint32_t next;
        while (function != NOBODY && (next = go_on(code, function)) == NOBODY) function = leave(code, function);
        if (function != NOBODY) function = next;
    }
    return TIRB_OK;
}

/* ---- From one who needs some to the next ----------------------------------------------------------------------- */

/* False: it is stopped, and keeps the translator. */
static bool leave_translator(tirbi_code *code) {
    tirbi_translator *const translator = code->progress->translator;
    if (translator && !tirbi_translator_release(translator)) return false;
    tirbi_translator_destroy(translator);
    code->progress->translator = NULL;
    return true;
}

/* What that thread was changing is not to be relied on, nor is when the child came to have a copy of it: all functions
 * are translated anew, into memory of their own. What they had stays where it is, for a call that waits for this one
 * may be in the middle of it. */
void tirbi_code_orphaned(tirbi_code *code) {
    struct tirbi_progress *const p = code->progress;
    tirbi_arena_init(&code->arena, code->heap);
    code->desk = NULL;
    code->heap->watch = NULL;
    for (uint32_t i = 0; i < code->program->n_functions; i++) {
        p->visits[i] = (visit){0};
        atomic_store_explicit(&code->ready[i], 0, memory_order_relaxed);
    }
    *p = (struct tirbi_progress){.whole = tirbi_arena_here(&code->arena), .top = NOBODY, .visits = p->visits};
}

uint64_t tirbi_code_work(const tirbi_code *code) { return code->progress->work; }

static tirb_status no_memory(tirbi_code *code, tirb_error *error) {
    return tirbi_error_set(error, tirbi_heap_status(code->heap), "no memory to translate the program");
}

static tirb_status cancelled(tirb_error *error) { return tirbi_error_set(error, TIRB_CANCELLED, "cancelled"); }

static tirb_status make_all_ready(tirbi_code *code, uint32_t first, uint32_t n, tirb_error *error) {
    struct tirbi_progress *const p = code->progress;
    if (!p->translator) p->translator = tirbi_translator_create(code);
    tirb_status status = p->translator ? TIRB_OK : no_memory(code, error);
    for (uint32_t i = first; status == TIRB_OK && i - first < n; i++) status = make_ready(code, i, error);
    while (p->top != NOBODY) (void)take_off(p);
    p->arrived = 0;
    return status;
}

tirb_status tirbi_code_need(tirbi_code *code, uint32_t first, uint32_t n, const atomic_uint *stop, tirb_error *error) {
    struct tirbi_progress *const p = code->progress;
    tirbi_watch watch = {.look_at = UINT64_MAX, .max_work = UINT64_MAX, .deadline = UINT64_MAX, .cancelled = stop};
    /* What somebody else has left unfinished goes first: it may be much, and take its time. */
    if (!tirbi_arena_go_back(&code->arena, &p->whole, stop)) return cancelled(error);
    if (stop) tirbi_work_watched(code->heap, &watch);
    const tirb_status status = make_all_ready(code, first, n, error);
    const bool is_stopped = (status != TIRB_OK && watch.stopped != TIRB_OK) || !leave_translator(code);
    if (stop) tirbi_work_watched(code->heap, NULL);
    if (is_stopped) return cancelled(error);
    if (status != TIRB_OK) (void)tirbi_arena_go_back(&code->arena, &p->whole, NULL);
    if (status == TIRB_NO_MEMORY || status == TIRB_MEMORY_LIMIT)
        tirbi_error_set(error, status, "no memory to translate the program");
    return status;
}

/* ---- The code of a program -------------------------------------------------------------------------------------- */

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
/* The elements in the order of this processor. */
static const uint8_t *own_order(tirbi_arena *arena, const tirbi_constant *constant) {
    const unsigned item = tirbi_dtypes[constant->dtype].size;
    uint8_t *copy = tirbi_arena_room(arena, (size_t)constant->size);
    for (uint64_t i = 0; copy && i < constant->size; i++)
        copy[i] = constant->bytes[i / item * item + item - 1 - i % item];
    return copy;
}
#else
static const uint8_t *own_order(tirbi_arena *arena, const tirbi_constant *constant) {
    (void)arena;
    return constant->bytes;
}
#endif

/* References to what nobody writes: the machine writes through none that may not be. */
static void place_constants(tirbi_code *code) {
    const tirbi_program *program = code->program;
    tirbi_ref *refs = TIRBI_NEW_ARRAY(&code->arena, tirbi_ref, program->n_constants);
    for (unsigned i = 0; refs && i < program->n_constants; i++) {
        const tirbi_constant *constant = &program->constants[i];
        const uint8_t *bytes = own_order(&code->arena, constant);
        refs[i] = (tirbi_ref){.data = (uint8_t *)(uintptr_t)bytes,
                              .size = constant->size,
                              .type = constant->dtype,
                              .count = tirbi_ref_count(constant->size, constant->dtype)};
    }
    code->constants = refs;
}

static tirb_status make_tables(tirbi_code *code, tirb_error *error) {
    const tirbi_program *const program = code->program;
    place_constants(code);
    code->functions = TIRBI_NEW_ARRAY(&code->arena, tirbi_fn, program->n_functions);
    code->ready = TIRBI_NEW_ARRAY(&code->arena, atomic_uchar, program->n_functions);
    code->progress = TIRBI_NEW(&code->arena, struct tirbi_progress);
    visit *const visits = TIRBI_NEW_ARRAY(&code->arena, visit, program->n_functions);
    if (code->arena.failed) return no_memory(code, error);
    for (uint32_t i = 1; i < program->n_functions; i++)
        code->functions[i].first_line = code->functions[i - 1].first_line + program->functions[i - 1].n_lines;
    *code->progress = (struct tirbi_progress){.whole = tirbi_arena_here(&code->arena), .top = NOBODY, .visits = visits};
    return TIRB_OK;
}

tirb_status tirbi_code_begin(const tirbi_program *program, tirb_isa isa, bool profiled, tirbi_heap *heap,
                             tirbi_code **out, tirb_error *error) {
    tirbi_code *code = tirbi_heap_calloc(heap, 1, sizeof *code);
    if (!code) return tirbi_error_set(error, tirbi_heap_status(heap), "no memory to translate the program");
    code->heap = heap;
    code->program = program;
    code->profiled = profiled;
    code->secret = tirbi_secret(code);
    code->fuses = isa == TIRB_ISA_AVX2 || isa == TIRB_ISA_AVX512;
    tirbi_arena_init(&code->arena, heap);
    code->kernels = tirbi_kernels(isa);
    code->halves = tirbi_half_kernels_of(isa);
    code->counts = tirbi_count_kernels_of(isa);
    code->weaver = tirbi_weaver_of(isa);
    code->lanes = tirbi_lane_machine_of(isa);
    code->spans_gaps = isa == TIRB_ISA_AVX512;
    code->contract = tirbi_contract_kernels_of(isa);
    code->quads = tirbi_contract_quads_of(isa);
    tirb_status status = TIRB_OK;
    if (!code->kernels || !code->lanes || !code->contract)
        status = tirbi_error_set(error, TIRB_UNSUPPORTED, "this build has no %s machine", tirb_isa_name(isa));
    if (status == TIRB_OK) status = make_tables(code, error);
    if (status == TIRB_OK)
        *out = code;
    else
        tirbi_code_destroy(code);
    return status;
}

tirb_status tirbi_code_create(const tirbi_program *program, tirb_isa isa, bool profiled, tirbi_heap *heap,
                              tirbi_code **out, tirb_error *error) {
    tirbi_code *code;
    TIRBI_TRY(tirbi_code_begin(program, isa, profiled, heap, &code, error));
    const tirb_status status = tirbi_code_need(code, 0, program->n_functions, NULL, error);
    if (status == TIRB_OK)
        *out = code;
    else
        tirbi_code_destroy(code);
    return status;
}

void tirbi_code_destroy(tirbi_code *code) {
    if (!code) return;
    tirbi_heap *heap = code->heap;
    const visit *const visits = code->progress ? code->progress->visits : NULL;
    if (visits) (void)leave_translator(code);
    for (uint32_t i = 0; visits && i < code->program->n_functions; i++)
        if (visits[i].is_translated) tirbi_words_release(&code->functions[i].all, heap);
    tirbi_arena_destroy(&code->arena);
    tirbi_heap_free(heap, code, sizeof *code);
}
