#include "tests/differential/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/check/check.h"
#include "compiler/ir/equal.h"
#include "compiler/text/print/print.h"
#include "compiler/text/text.h"
#include "loader/bundle/bundle.h"
#include "loader/isa/isa.h"
#include "tests/differential/generate.h"
#include "tests/differential/host.h"
#include "tests/reference/reference.h"
#include "tests/reference/writes.h"

enum { MAX_DEPTH = 100 };
/* Of the oracle. What takes more is compared with the generic instruction set on one thread, within so much fuel. */
static const uint64_t max_steps = 3000000, max_fuel = 4000000;

/* What one run gave. */
typedef struct outcome {
    tirb_status status;
    tirb_result result;
    tirb_error error;
    tirbi_diff_host host;
    uint64_t fuel;
} outcome;

typedef struct comparison {
    const tirbi_diff_request *request;
    tirbi_diff_bundles *bundles;
    const char *function;
    const tirb_primfunc *ast;
    tirbi_diff_args args;
    tirbi_diff_args others; /* of a call between two with the same arguments; n is 0: there is none */
    uint8_t *expected[TIRBI_DIFF_PARAMS]; /* the memory of each tensor after the run that others are compared with */
    outcome oracle; /* of that run */
    bool is_long;   /* the oracle did not come to an end: of each bundle what its first machine gives is expected */
    bool has_begun; /* this bundle's first machine has run */
    bool has_ended; /* a machine came to an end */
    uint64_t fuel;  /* what this bundle's first machine used */
    tirbi_text *report;
} comparison;

/* ---- The oracle's side ---------------------------------------------------------------------------------------- */

static void report_diagnostics(const tirbi_diagnostics *d, tirbi_text *report) {
    char text[2000];
    for (uint32_t i = 0; i < d->n_items; i++) {
        if (d->items[i].severity != TIRB_SEVERITY_ERROR) continue;
        tirbi_diagnostic_format("<program>", &d->items[i], text, sizeof text);
        tirbi_text_add(report, "%s", text);
    }
}

static const tirb_primfunc *choose_function(const tirb_irmodule *module, const char *name) {
    const tirb_primfunc *only = NULL;
    uint32_t n_public = 0;
    for (uint32_t i = 0; i < module->n_functions; i++) {
        const tirb_primfunc *f = module->functions[i];
        if (strcmp(f->name, name != NULL ? name : "main") == 0) return f;
        if (!f->is_private) {
            only = f;
            n_public++;
        }
    }
    if (name != NULL) return NULL;
    return n_public == 1 ? only : module->n_functions == 1 ? module->functions[0] : NULL;
}

/* What is in the tensors is expected of the runs that follow. */
static bool expect_memory(comparison *c) {
    for (uint32_t i = 0; i < c->args.n; i++) {
        const tirbi_diff_tensor *t = &c->args.tensors[i];
        if (t->memory == NULL) continue;
        if (c->expected[i] == NULL) c->expected[i] = malloc(t->size);
        if (c->expected[i] == NULL) return false;
        memcpy(c->expected[i], t->memory, t->size);
    }
    return true;
}

static bool run_oracle(comparison *c, const tirb_irmodule *module) {
    tirb_import imports[TIRBI_DIFF_IMPORTS];
    tirb_reference_options options = {.fp = c->bundles->fp,
                                      .max_steps = max_steps,
                                      .max_depth = MAX_DEPTH,
                                      .imports = imports,
                                      .n_imports = TIRBI_DIFF_IMPORTS};
    c->oracle.host = (tirbi_diff_host){.calls = 0};
    tirbi_diff_imports(&c->oracle.host, imports);
    c->oracle.error = (tirb_error)TIRB_ERROR_INIT;
    tirbi_diff_reset_args(&c->args);
    c->oracle.status = tirb_reference_call(module, c->function, &options, c->args.args, c->args.n, &c->oracle.result,
                                           &c->oracle.error);
    c->is_long = c->oracle.status == TIRB_FUEL;
    return expect_memory(c);
}

/* ---- Comparison ----------------------------------------------------------------------------------------------- */

/* A check that was hoisted out of a loop may trap before another trap of the same iterations. */
static bool same_status(tirb_status oracle, tirb_status machine) {
    if (oracle == machine) return true;
    bool hoisted = machine == TIRB_BOUNDS || machine == TIRB_OVERLAP;
    return hoisted && (oracle == TIRB_DIVIDE || oracle == TIRB_ASSERT || oracle == TIRB_BOUNDS || oracle == TIRB_VALUE);
}

/* What the program requires of its arguments: the machine refuses them where the oracle has an assertion. */
static bool refused_alike(const outcome *oracle, const outcome *machine) {
    bool by_oracle = oracle->status == TIRB_ASSERT && strstr(oracle->error.message, TIRBI_GEN_REQUIRED) != NULL;
    bool by_machine = machine->status == TIRB_SHAPE && strstr(machine->error.message, " requires ") != NULL;
    return by_oracle && by_machine;
}

static void report_hex(tirbi_text *report, const uint8_t *bytes, size_t n) {
    for (size_t i = n; i-- > 0;) tirbi_text_add(report, "%02x", bytes[i]);
}

static bool same_tensor(comparison *c, uint32_t param, const char *where) {
    const tirbi_diff_tensor *t = &c->args.tensors[param];
    if (t->memory == NULL || memcmp(t->memory, c->expected[param], t->size) == 0) return true;
    const char *name = c->ast->buffers[param]->name;
    tirbi_dtype type;
    tirbi_dtype_from_dl(t->tensor.dtype, &type);
    uint32_t item = tirbi_dtypes[type].size;
    size_t first = 0;
    while (t->memory[first] == c->expected[param][first]) first++;
    size_t begin = (size_t)((const uint8_t *)t->tensor.data - t->memory);
    if (first < begin) {
        tirbi_text_add(c->report, "%s: memory before %s was written\n", where, name);
        return false;
    }
    size_t element = (first - begin) / item;
    size_t at = begin + element * item;
    tirbi_text_add(c->report, "%s: element %zu of %s (%s) is 0x", where, element, name, tirbi_dtypes[type].tvm_name);
    report_hex(c->report, t->memory + at, item);
    tirbi_text_add(c->report, ", expected 0x");
    report_hex(c->report, c->expected[param] + at, item);
    tirbi_text_add(c->report, "; it began as 0x");
    report_hex(c->report, t->initial + at, item);
    tirbi_text_add(c->report, "\n");
    return false;
}

static bool same_result(comparison *c, const outcome *machine, const char *where) {
    const tirb_result *a = &c->oracle.result;
    const tirb_result *b = &machine->result;
    if (a->dtype.bits == b->dtype.bits && a->dtype.code == b->dtype.code &&
        (a->dtype.bits == 0 || memcmp(&a->value, &b->value, sizeof a->value) == 0)) {
        return true;
    }
    tirbi_text_add(c->report, "%s: the result is %lld (%u bits), expected %lld (%u bits)\n", where,
                   (long long)b->value.i, b->dtype.bits, (long long)a->value.i, a->dtype.bits);
    return false;
}

static bool same_host(comparison *c, const outcome *machine, const char *where) {
    const tirbi_diff_host *a = &c->oracle.host;
    const tirbi_diff_host *b = &machine->host;
    if (a->calls == b->calls && a->seen == b->seen) return true;
    tirbi_text_add(c->report, "%s: the host was called %llu times, expected %llu, or with other arguments\n", where,
                   (unsigned long long)b->calls, (unsigned long long)a->calls);
    return false;
}

/* A bundle's calls use the same fuel everywhere. */
static bool same_fuel(comparison *c, const outcome *machine, const char *where) {
    if (!c->has_begun) c->fuel = machine->fuel;
    c->has_begun = true;
    if (c->fuel == machine->fuel) return true;
    tirbi_text_add(c->report, "%s: it used %llu of fuel, expected %llu\n", where, (unsigned long long)machine->fuel,
                   (unsigned long long)c->fuel);
    return false;
}

static bool compare(comparison *c, const outcome *machine, const char *where) {
    if (refused_alike(&c->oracle, machine)) return true;
    bool same = c->is_long ? c->oracle.status == machine->status &&
                                 strcmp(c->oracle.error.message, machine->error.message) == 0
                           : same_status(c->oracle.status, machine->status);
    if (!same || (c->oracle.status == TIRB_ASSERT && strstr(c->oracle.error.message, TIRBI_GEN_REQUIRED) != NULL)) {
        tirbi_text_add(c->report, "%s: status %s (%s), expected %s (%s)\n", where, tirb_status_name(machine->status),
                       machine->error.message, tirb_status_name(c->oracle.status), c->oracle.error.message);
        return false;
    }
    if (c->oracle.status != TIRB_OK) return true;
    for (uint32_t i = 0; i < c->args.n; i++) {
        if (!same_tensor(c, i, where)) return false;
    }
    return same_host(c, machine, where) && same_result(c, machine, where) && same_fuel(c, machine, where);
}

/* ---- The machine's side --------------------------------------------------------------------------------------- */

static void call(comparison *c, tirb_instance *instance, uint32_t function, outcome *machine) {
    tirb_stats stats = TIRB_STATS_INIT;
    tirbi_diff_reset_args(&c->args);
    machine->status =
        tirb_instance_call(instance, function, c->args.args, c->args.n, &machine->result, &machine->error);
    if (tirb_instance_stats(instance, &stats) == TIRB_OK) machine->fuel = stats.fuel_used;
}

/* A call with other arguments, of which nothing is expected but that it leaves nothing behind. */
static void call_with_others(comparison *c, tirb_instance *instance, uint32_t function) {
    outcome ignored = {.error = TIRB_ERROR_INIT};
    if (c->others.n == 0) return;
    tirbi_diff_reset_args(&c->others);
    tirb_instance_call(instance, function, c->others.args, c->others.n, &ignored.result, &ignored.error);
}

/* What a call used is enough for the next one; with less, by one or by any part of it, it runs out of fuel. */
static bool needs_its_fuel(comparison *c, tirb_module *module, uint32_t function, const tirb_limits *limits,
                           uint64_t used, const char *where) {
    const uint64_t enough[] = {used, used - 1, used * (c->request->seed % 97) / 97};
    for (unsigned i = 0; i < sizeof enough / sizeof *enough; i++) {
        tirb_limits some = *limits;
        tirb_instance *instance = NULL;
        outcome machine = {.error = TIRB_ERROR_INIT};
        some.fuel = enough[i];
        if (some.fuel == 0) continue; /* no limit */
        machine.status = tirb_instance_create(module, &some, &instance, &machine.error);
        if (machine.status == TIRB_OK)
            machine.status = tirbi_diff_bind(module, instance, &machine.host, &machine.error);
        if (machine.status == TIRB_OK) call(c, instance, function, &machine);
        tirb_instance_destroy(instance);
        if (machine.status == (i == 0 ? TIRB_OK : TIRB_FUEL)) continue;
        tirbi_text_add(c->report, "%s: with fuel of %llu, of which it used %llu: status %s (%s)\n", where,
                       (unsigned long long)enough[i], (unsigned long long)used, tirb_status_name(machine.status),
                       machine.error.message);
        return false;
    }
    return true;
}

/* For who is told of a fault. */
static void note(const comparison *c, const char *where) {
    if (c->request->now == NULL) return;
    int n = snprintf(c->request->now, TIRBI_DIFF_NOW, "%s, %s; shapes", c->function, where);
    for (uint32_t i = 0; i < c->args.n; i++) {
        const tirbi_diff_tensor *t = &c->args.tensors[i];
        for (int32_t k = 0; k < t->tensor.ndim && n >= 0 && n < TIRBI_DIFF_NOW; k++) {
            n += snprintf(c->request->now + n, (size_t)(TIRBI_DIFF_NOW - n), "%s%lld", k > 0 ? "x" : " ",
                          (long long)t->shape[k]);
        }
    }
}

static bool run_on(comparison *c, tirb_isa isa, uint32_t threads, tirbi_diff_bundle *bundle) {
    tirb_limits limits = TIRB_LIMITS_INIT;
    tirb_module *module = NULL;
    tirb_instance *instance = NULL;
    uint32_t function = 0;
    outcome machine = {.error = TIRB_ERROR_INIT};
    char where[100];
    snprintf(where, sizeof where, "%s, %s, threads: %u", tirb_isa_name(isa), bundle->variant.what, (unsigned)threads);
    limits.threads = threads;
    limits.max_depth = MAX_DEPTH;
    limits.timeout_ns = 20000000000ull;
    if (c->is_long) limits.fuel = max_fuel;
    note(c, where);
    machine.status = tirbi_diff_load(bundle, isa, threads, &module, &machine.error);
    if (machine.status == TIRB_OK) machine.status = tirb_instance_create(module, &limits, &instance, &machine.error);
    if (machine.status == TIRB_OK) machine.status = tirb_module_find(module, c->function, &function, &machine.error);
    if (machine.status == TIRB_OK) machine.status = tirbi_diff_bind(module, instance, &machine.host, &machine.error);
    const bool ready = machine.status == TIRB_OK;
    if (ready) call(c, instance, function, &machine);
    if (ready && c->is_long && !c->has_begun) {
        c->oracle = machine;
        expect_memory(c);
    }
    bool same = compare(c, &machine, where);
    const bool limits_fuel = c->request->stirs && !bundle->variant.disable && !c->is_long;
    if (ready && same && limits_fuel && machine.status == TIRB_OK && machine.fuel > 0)
        same = needs_its_fuel(c, module, function, &limits, machine.fuel, where);
    if (ready && same) { /* the same once more: of the first call nothing is left that could be seen */
        call_with_others(c, instance, function);
        machine = (outcome){.error = TIRB_ERROR_INIT};
        call(c, instance, function, &machine);
        const size_t length = strlen(where);
        snprintf(where + length, sizeof where - length, ", called again");
        same = compare(c, &machine, where);
    }
    tirb_instance_destroy(instance);
    return same;
}

/* On one thread of every instruction set; where every loop may be a region, on several threads of one of them: else
 * hardly a program is large enough for a second chunk. */
static bool run_everywhere(comparison *c, tirbi_diff_bundle *bundle) {
    static const tirb_isa isas[] = {TIRB_ISA_AVX512, TIRB_ISA_AVX2, TIRB_ISA_SSE2, TIRB_ISA_NEON, TIRB_ISA_GENERIC};
    static const uint32_t many[] = {1, 2, 7};
    tirb_isa available[sizeof isas / sizeof *isas];
    uint32_t n = 0;
    for (uint32_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        if (tirb_isa_available(isas[i])) available[n++] = isas[i];
    }
    c->has_begun = false;
    bool same = !c->is_long || run_on(c, TIRB_ISA_GENERIC, 1, bundle);
    if (c->is_long && c->oracle.status == TIRB_FUEL) return same;
    c->has_ended = true;
    if (bundle->variant.parallel != TIRB_PARALLEL_ALL) {
        if (c->request->one_isa) n = 1;
        for (uint32_t i = 0; i < n && same; i++) same = run_on(c, available[i], 1, bundle);
        return same;
    }
    const tirb_isa isa = available[c->request->one_isa ? 0 : c->request->seed / 7 % n];
    for (uint32_t t = 0; t < sizeof many / sizeof *many && same; t++) same = run_on(c, isa, many[t], bundle);
    return same;
}

static void report_compilation(const tirbi_diff_bundle *bundle, tirbi_text *report) {
    tirbi_text_add(report, "%s: compilation: %s (%s)\n", bundle->variant.what, tirb_status_name(bundle->status),
                   bundle->error.message);
    const uint32_t n = bundle->result != NULL ? tirb_compile_result_diagnostic_count(bundle->result) : 0;
    for (uint32_t i = 0; i < n; i++) {
        char text[1000];
        if (tirb_compile_result_diagnostic(bundle->result, i)->severity != TIRB_SEVERITY_ERROR) continue;
        tirb_compile_result_format(bundle->result, i, text, sizeof text);
        tirbi_text_add(report, "%s", text);
    }
}

/* With `max_work` 0: within the default limit. *out_work becomes what it took. */
static tirbi_diff_outcome run_compiled(comparison *c, const tirbi_diff_variant *variant, uint64_t max_work,
                                       uint64_t *out_work) {
    tirbi_diff_bundle *bundle = tirbi_diff_compile(c->bundles, variant, max_work);
    if (bundle == NULL) {
        tirbi_text_add(c->report, "%s: no memory for a bundle\n", variant->what);
        return TIRBI_DIFF_MISMATCH;
    }
    if (bundle->status != TIRB_OK) {
        report_compilation(bundle, c->report);
        return bundle->status == TIRB_UNSUPPORTED ? TIRBI_DIFF_UNSUPPORTED : TIRBI_DIFF_MISMATCH;
    }
    *out_work = bundle->work;
    return run_everywhere(c, bundle) ? TIRBI_DIFF_SAME : TIRBI_DIFF_MISMATCH;
}

/* The names of some passes and forms of loops: one, or each of all with the same chance. */
static void some_passes(tirbi_random *random, char names[TIRBI_DIFF_NAMES]) {
    uint32_t n = 0;
    size_t length = 0;
    while (tirb_pass_name(n, NULL)) n++;
    const uint32_t only = tirbi_random_below(random, n), chance = tirbi_random_below(random, 4);
    names[0] = '\0';
    for (uint32_t i = 0; i < n; i++) {
        if (chance == 0 ? i != only : tirbi_random_below(random, 4) >= chance) continue;
        const int written = snprintf(names + length, TIRBI_DIFF_NAMES - length, "%s%s", length > 0 ? "," : "",
                                     tirb_pass_name(i, NULL));
        if (written < 0 || (size_t)written >= TIRBI_DIFF_NAMES - length) break;
        length += (size_t)written;
    }
    names[length] = '\0'; /* no half of a name */
}

/* The ways to compile every program; the next two are plain and hurried, and the last ones leave out some passes. */
static const tirbi_diff_variant variants[] = {
    {NULL, TIRB_PARALLEL_AUTO, "all passes"},
    {NULL, TIRB_PARALLEL_ALL, "with every region"},
    {"lanes", TIRB_PARALLEL_AUTO, "without lanes"},
    {"interchange", TIRB_PARALLEL_AUTO, "without interchange"},
    {"checks", TIRB_PARALLEL_AUTO, "without dropping checks"},
    {"promote", TIRB_PARALLEL_AUTO, "without promotion"},
    {"contract", TIRB_PARALLEL_AUTO, "without contractions"},
    {"lanes,checks", TIRB_PARALLEL_ALL, "with every region, without lanes"},
    {"contract", TIRB_PARALLEL_ALL, "with every region, without contractions"},
    {NULL, TIRB_PARALLEL_OFF, "without regions"},
    {"fuse", TIRB_PARALLEL_AUTO, "without fusion"},
    {"digits,collapse,unsplit,sizes", TIRB_PARALLEL_AUTO, "without loops in digits"},
    {"sequences,branches,whiles,induction,scalar_replace", TIRB_PARALLEL_AUTO, "without sequences"},
    {"reroll,partition,unroll,wrap", TIRB_PARALLEL_AUTO, "without parts"}};
static const tirbi_diff_variant plain = {"all", TIRB_PARALLEL_OFF, "without any pass"};
static const tirbi_diff_variant hurried = {NULL, TIRB_PARALLEL_AUTO, "with some of the work"};

/* Without some passes, with any regions, and one time in four with any limit of the work: a small one may end it. */
static tirbi_diff_outcome run_without_some(comparison *c, uint64_t work) {
    tirbi_random random = {c->request->seed ^ 0x706173736573};
    tirbi_diff_outcome found = TIRBI_DIFF_SAME;
    for (uint32_t i = 0; i < c->request->sets && found == TIRBI_DIFF_SAME; i++) {
        static const tirb_parallel parallel[] = {TIRB_PARALLEL_AUTO, TIRB_PARALLEL_ALL, TIRB_PARALLEL_OFF};
        char names[TIRBI_DIFF_NAMES], what[TIRBI_DIFF_NAMES];
        some_passes(&random, names);
        const uint32_t regions = tirbi_random_below(&random, 3), shift = tirbi_random_below(&random, 16);
        const uint64_t limit =
            tirbi_random_chance(&random, 25) ? 1 + tirbi_random_next(&random) % (1 + (work >> shift)) : 0;
        snprintf(what, sizeof what, "%u regions, %llu of the work, without %.900s", regions, (unsigned long long)limit,
                 names);
        const tirbi_diff_variant variant = {names[0] ? names : NULL, parallel[regions], what};
        const tirbi_diff_bundle *bundle = tirbi_diff_compile(c->bundles, &variant, limit);
        if (bundle != NULL && bundle->status == TIRB_FUEL && limit > 0) continue;
        found = run_compiled(c, &variant, limit, &work);
    }
    return found;
}

static tirbi_diff_outcome run_all(comparison *c) {
    const uint32_t common = sizeof variants / sizeof *variants;
    uint64_t work = 0, other = 0;
    const uint32_t all = common + 1;
    const bool has_all = c->request->variants == 0 || c->request->variants > all;
    for (uint32_t i = 0; i < (has_all ? all : c->request->variants); i++) {
        const tirbi_diff_variant *variant = i < common ? &variants[i] : &plain;
        tirbi_diff_outcome found = run_compiled(c, variant, 0, i == 0 ? &work : &other);
        if (found != TIRBI_DIFF_SAME) return found;
        if (!c->has_ended) return TIRBI_DIFF_REFUSED; /* it takes too long */
    }
    if (has_all) {
        /* Plans are plain ones from some point in the middle on. What takes four times the limit is refused, and a
         * small program takes as much without any pass, the last variant: so no less than half of that. */
        const uint64_t middle = 1 + work * (8 + c->request->seed % 24) / 32;
        tirbi_diff_outcome found = run_compiled(c, &hurried, middle > other / 2 ? middle : other / 2, &other);
        if (found != TIRBI_DIFF_SAME) return found;
    }
    return run_without_some(c, work);
}

/* ---- One program ---------------------------------------------------------------------------------------------- */

/* Random sizes may make an extent negative or too large: others are tried. */
static bool make_some_args(comparison *c, const bool *written, uint64_t seed, tirbi_diff_args *out) {
    tirbi_diff_request request = *c->request;
    request.written = written;
    request.seed = seed;
    for (uint32_t attempt = 0; attempt < 16; attempt++) {
        if (tirbi_diff_make_args(c->ast, &request, out, c->report)) return true;
        tirbi_diff_free_args(out);
        request.seed += 0x9e3779b9;
    }
    out->n = 0;
    return false;
}

static tirbi_diff_outcome run_parsed(comparison *c, const tirb_irmodule *module, tirbi_arena *arena) {
    c->ast = choose_function(module, c->request->function);
    if (c->ast == NULL) {
        tirbi_text_add(c->report, "no function to call\n");
        return TIRBI_DIFF_REJECTED;
    }
    c->function = c->ast->name;
    tirbi_diff_outcome found = TIRBI_DIFF_REFUSED;
    const bool *written = tirbi_ref_find_writes(module, arena);
    if (make_some_args(c, written, c->request->seed, &c->args) && run_oracle(c, module)) {
        if (c->request->stirs) make_some_args(c, written, ~c->request->seed, &c->others);
        if (c->oracle.status == TIRB_UNSUPPORTED) {
            tirbi_text_add(c->report, "the oracle: %s\n", c->oracle.error.message);
            found = TIRBI_DIFF_UNSUPPORTED;
        } else {
            found = run_all(c);
        }
    }
    if (found == TIRBI_DIFF_SAME && c->oracle.status != TIRB_OK) found = TIRBI_DIFF_TRAPPED;
    for (uint32_t i = 0; i < c->args.n && i < TIRBI_DIFF_PARAMS; i++) free(c->expected[i]);
    tirbi_diff_free_args(&c->args);
    tirbi_diff_free_args(&c->others);
    return found;
}

/* A program's module in an arena of its own. */
typedef struct parsed {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    const tirb_irmodule *module; /* NULL: it has errors */
} parsed;

static void parse(parsed *p, const char *text, size_t size, tirbi_text *report) {
    p->module = NULL;
    tirbi_heap_init(&p->heap, NULL, UINT64_MAX);
    tirbi_arena_init(&p->arena, &p->heap);
    if (!tirbi_source_init(&p->source, "<program>", text, (uint32_t)size, &p->arena)) return;
    tirbi_diagnostics_init(&p->diagnostics, &p->source, &p->arena, 10);
    const tirb_irmodule *module = tirbi_parse(&p->source, &p->arena, &p->diagnostics);
    if (module == NULL) return;
    if (!tirbi_has_errors(&p->diagnostics)) tirbi_check_module(module, &p->diagnostics, &p->arena);
    if (tirbi_has_errors(&p->diagnostics)) {
        report_diagnostics(&p->diagnostics, report);
    } else {
        p->module = module;
    }
}

/* Whether the printed program is read again as the same module and prints as the same text, in every dialect. */
static bool survives_printing(parsed *p, tirbi_text *report) {
    for (int dialect = TIRB_DIALECT_TIRX; dialect <= TIRB_DIALECT_HYBRID; dialect++) {
        const char *text, *again = NULL;
        size_t size, size_again = 0;
        parsed reread = {.module = NULL};
        if (!tirbi_print(p->module, (tirb_dialect)dialect, &p->arena, &p->diagnostics, &text, &size)) {
            report_diagnostics(&p->diagnostics, report);
            tirbi_text_add(report, "it does not print\n");
            return false;
        }
        parse(&reread, text, size, report);
        bool same = reread.module && tirbi_module_equal(p->module, reread.module, &reread.arena) &&
                    tirbi_print(reread.module, (tirb_dialect)dialect, &reread.arena, &reread.diagnostics, &again,
                                &size_again) &&
                    size == size_again && memcmp(text, again, size) == 0;
        tirbi_arena_destroy(&reread.arena);
        if (!same) {
            tirbi_text_add(report, "it prints as another program, or not as a fixed point:\n%s\n", text);
            return false;
        }
    }
    return true;
}

/* The functions of the text's bundle, in `arena`; NULL where it does not compile. */
static const tirbi_program *compiled_program(const char *text, size_t size, tirbi_arena *arena) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    tirbi_program *program = NULL;
    if (tirb_compile(text, size, &options, &result, NULL) == TIRB_OK) {
        size_t bundle_size;
        const uint8_t *bundle = tirb_compile_result_bytes(result, &bundle_size);
        tirbi_bundle_read(bundle, bundle_size, UINT64_MAX, arena, &program, NULL);
    }
    tirb_compile_result_destroy(result);
    return program;
}

/* Code has numbers of strings: where a spelling leaves out the name of an offset, it is as long, and others follow. */
static bool same_code(const tirbi_program *a, const tirbi_program *b) {
    bool same = a->n_functions == b->n_functions && a->n_imports == b->n_imports;
    const bool alike = a->n_strings == b->n_strings;
    for (uint32_t i = 0; same && i < a->n_functions; i++) {
        const tirbi_function *f = &a->functions[i], *g = &b->functions[i];
        same = f->code_size == g->code_size && (!alike || memcmp(f->code, g->code, f->code_size) == 0);
    }
    return same;
}

/* Whether the spellings in which the program prints compile to the same code. Functions print in the order of their
 * names, so the first of the printed texts is what the others are compared with. */
static bool same_code_in_every_spelling(parsed *p, tirbi_text *report) {
    const tirbi_program *first = NULL;
    for (int dialect = TIRB_DIALECT_TIRX; dialect <= TIRB_DIALECT_HYBRID; dialect++) {
        const char *text;
        size_t size;
        if (!tirbi_print(p->module, (tirb_dialect)dialect, &p->arena, &p->diagnostics, &text, &size)) return false;
        const tirbi_program *program = compiled_program(text, size, &p->arena);
        if (first == NULL) first = program;
        if (first == NULL) return true; /* what the machine refuses is reported with the program itself */
        if (program == NULL || !same_code(first, program)) {
            tirbi_text_add(report, "this spelling compiles to other code, or not at all:\n%s\n", text);
            return false;
        }
    }
    return true;
}

bool tirbi_diff_functions(const char *text, size_t size, void (*visit)(void *context, const char *name), void *context,
                          tirbi_text *report) {
    parsed p;
    parse(&p, text, size, report);
    for (uint32_t i = 0; p.module != NULL && i < p.module->n_functions; i++) {
        if (!p.module->functions[i]->is_private) visit(context, p.module->functions[i]->name);
    }
    bool good = p.module != NULL;
    tirbi_arena_destroy(&p.arena);
    return good;
}

static bool prints_well(parsed *p, tirbi_diff_bundles *bundles, tirbi_text *report) {
    if (!bundles->prints_well)
        bundles->prints_well = survives_printing(p, report) && same_code_in_every_spelling(p, report);
    return bundles->prints_well;
}

tirbi_diff_outcome tirbi_diff_run(const tirbi_diff_request *request, tirbi_diff_bundles *bundles, tirbi_text *report) {
    parsed p;
    tirbi_diff_outcome found = TIRBI_DIFF_REJECTED;
    parse(&p, bundles->text, bundles->size, report);
    comparison *c = calloc(1, sizeof *c);
    if (p.module != NULL && !prints_well(&p, bundles, report)) {
        found = TIRBI_DIFF_REJECTED;
    } else if (p.module != NULL && c != NULL) {
        c->request = request;
        c->bundles = bundles;
        c->report = report;
        found = run_parsed(c, p.module, &p.arena);
    } else if (p.module == NULL && p.diagnostics.first_error == TIRB_VALUE) {
        found = TIRBI_DIFF_REFUSED;
    } else if (p.module == NULL && p.diagnostics.first_error == TIRB_UNSUPPORTED) {
        found = TIRBI_DIFF_UNSUPPORTED;
    }
    free(c);
    tirbi_arena_destroy(&p.arena);
    return found;
}
