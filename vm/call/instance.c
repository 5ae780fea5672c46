/* Instances and calls: limits, the scratch that makes small calls cheap, and where a trap happened. */
#include "vm/call/objects.h"

#include <stdio.h>
#include <string.h>

#include "loader/base/error.h"
#include "vm/call/bind.h"
#include "vm/call/number.h"
#include "vm/call/packed.h"
#include "vm/call/signature.h"
#include "vm/machine/code.h"

#define DEFAULT_MAX_MEMORY (UINT64_C(1) << 30)
enum { DEFAULT_MAX_DEPTH = 1000, MAX_SHOWN_NAME = 64 };

/* ---- The object ------------------------------------------------------------------------------------------------ */

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Makes room for the largest argument lists of the module. */
static bool make_scratch(tirb_instance *instance) {
    const tirbi_program *program = instance->module->program;
    uint32_t tensors = 0, dims = 0, scalars = 0, vars = 0, args = 0, results = 0, publics = 0;
    for (uint32_t i = 0; i < program->n_functions; i++) {
        const tirbi_plan *plan = &instance->module->plans[i];
        tensors = larger(tensors, plan->n_tensors);
        dims = larger(dims, plan->n_dims);
        scalars = larger(scalars, plan->n_scalars);
        vars = larger(vars, program->functions[i].n_vars);
        results = larger(results, plan->n_results);
        publics += program->functions[i].is_public;
        if (plan->n_results) args = larger(args, program->functions[i].n_params);
    }
    tirbi_arena *arena = &instance->arena;
    tirbi_scratch *const s = &instance->scratch;
    *s = (tirbi_scratch){
        .tensors = TIRBI_NEW_ARRAY(arena, tirbi_tensor, tensors),
        .shapes = TIRBI_NEW_ARRAY(arena, int64_t, dims),
        .strides = TIRBI_NEW_ARRAY(arena, int64_t, dims),
        .var_values = TIRBI_NEW_ARRAY(arena, int64_t, vars),
        .var_bound = TIRBI_NEW_ARRAY(arena, bool, vars),
        .now = s->places,
        .n_places = publics < 1 ? 1 : publics < TIRBI_PLACES ? publics : TIRBI_PLACES,
        .result_args = TIRBI_NEW_ARRAY(arena, tirb_arg, args),
        .results = TIRBI_NEW_ARRAY(arena, DLManagedTensor *, results),
        .result_dims = tirbi_arena_alloc(arena, results, sizeof(*s->result_dims)),
    };
    for (uint32_t i = 0; i < s->n_places; i++)
        s->places[i] = (tirbi_bound){.function = UINT32_MAX,
                                     .refs = TIRBI_NEW_ARRAY(arena, tirbi_ref, tensors),
                                     .scalars = TIRBI_NEW_ARRAY(arena, uint64_t, scalars),
                                     .shapes = TIRBI_NEW_ARRAY(arena, int64_t, dims),
                                     .tensors = TIRBI_NEW_ARRAY(arena, DLTensor, tensors)};
    instance->imports = TIRBI_NEW_ARRAY(arena, tirbi_bound_import, program->n_imports);
    /* A machine of its own runs the chunks of each participant, while the call's waits. */
    uint32_t threads = instance->limits.threads;
    const uint32_t n_spares = 1 + (threads < 2 ? 0 : threads < TIRBI_MAX_CHUNKS ? threads : TIRBI_MAX_CHUNKS);
    tirbi_spares *spares = TIRBI_NEW_ARRAY(arena, tirbi_spares, n_spares);
    tirbi_profile_create(instance);
    if (arena->failed) return false;
    tirbi_store_init(&instance->store, &instance->own.allocator, instance->limits.max_memory, spares, n_spares);
    instance->heap.keeper = &spares->keeper;
    return true;
}

static void fill_defaults(tirb_limits *limits) {
    if (limits->max_depth == 0) limits->max_depth = DEFAULT_MAX_DEPTH;
    if (limits->fuel == 0) limits->fuel = UINT64_MAX;
    if (limits->max_memory == 0) limits->max_memory = DEFAULT_MAX_MEMORY;
    /* A heap without any budget would not count, and stats could not tell the peak. */
    if (limits->max_memory == UINT64_MAX) limits->max_memory = UINT64_MAX - 1;
    if (limits->threads == 0) limits->threads = 1;
}

/* What is the same in every call; tirbi_execute fills the rest. */
static void prepare_run(tirb_instance *instance) {
    instance->run = (tirbi_run){.code = instance->module->code,
                                .heap = &instance->heap,
                                .stop = &instance->stops.call,
                                .stops = &instance->stops,
                                .fuel = instance->limits.fuel,
                                .max_depth = instance->limits.max_depth,
                                .import = tirbi_import_call,
                                .import_context = instance,
                                .result = tirbi_result_make,
                                .result_context = instance,
                                .threads = instance->limits.threads,
                                .store = &instance->store,
                                .profile = instance->profile.runs ? &instance->profile : NULL,
                                .team = atomic_load_explicit(&instance->module->engine->team, memory_order_acquire)};
}

tirb_status tirb_instance_create(tirb_module *module, const tirb_limits *limits, tirb_instance **out_instance,
                                 tirb_error *error) {
    if (out_instance) *out_instance = NULL;
    if (!module || !out_instance) {
        return tirbi_error_set(error, TIRB_MISUSE, "tirb_instance_create: %s is NULL",
                               module ? "out_instance" : "module");
    }
    tirb_limits chosen = {0};
    if (limits && !tirbi_options_read(&chosen, sizeof(chosen), limits)) {
        return tirbi_error_set(error, TIRB_MISUSE,
                               "tirb_instance_create: limits.struct_size is %u; begin with TIRB_LIMITS_INIT",
                               limits->struct_size);
    }
    fill_defaults(&chosen);
    if (module->engine->profiles) chosen.threads = 1;
    if (chosen.threads > 1) TIRBI_TRY(tirbi_engine_need_team(module->engine, error));
    tirbi_heap heap = module->engine->heap;
    tirb_instance *instance = tirbi_heap_calloc(&heap, 1, sizeof(*instance));
    if (!instance) return tirbi_error_set(error, TIRB_NO_MEMORY, "out of memory for an instance");
    instance->module = tirb_module_retain(module);
    instance->limits = chosen;
    instance->own = heap;
    tirbi_heap_init(&instance->heap, &heap.allocator, chosen.max_memory);
    tirbi_arena_init(&instance->arena, &instance->own);
    atomic_init(&instance->busy, 0);
    atomic_init(&instance->fuel_used, 0);
    atomic_init(&instance->peak_memory, 0);
    atomic_init(&instance->stops.call, TIRBI_RUN);
    for (unsigned i = 0; i < TIRBI_MAX_CHUNKS; i++) atomic_init(&instance->stops.participants[i], TIRBI_RUN);
    if (!make_scratch(instance)) {
        tirb_instance_destroy(instance);
        return tirbi_error_set(error, TIRB_NO_MEMORY, "out of memory for an instance");
    }
    prepare_run(instance);
    *out_instance = instance;
    return TIRB_OK;
}

void tirb_instance_destroy(tirb_instance *instance) {
    if (!instance) return;
    (void)tirbi_tensors_free(instance, NULL);
    tirbi_store_trim(&instance->store);
    tirbi_arena_destroy(&instance->arena);
    tirb_module *module = instance->module;
    tirbi_heap heap = instance->own;
    tirbi_heap_free(&heap, instance, sizeof(*instance));
    tirb_module_release(module);
}

void tirb_instance_cancel(tirb_instance *instance) {
    if (!instance) return;
    tirbi_stop(&instance->stops, TIRBI_STOP_CANCEL);
}

tirb_status tirb_instance_stats(const tirb_instance *instance, tirb_stats *out_stats) {
    if (!instance || !out_stats) return TIRB_MISUSE;
    if (atomic_load_explicit(&instance->busy, memory_order_acquire)) return TIRB_BUSY;
    tirb_stats stats = {.fuel_used = atomic_load_explicit(&instance->fuel_used, memory_order_relaxed),
                        .peak_memory = atomic_load_explicit(&instance->peak_memory, memory_order_relaxed)};
    return tirbi_info_write(out_stats, &stats, sizeof(stats)) ? TIRB_OK : TIRB_MISUSE;
}

tirb_status tirb_instance_trim(tirb_instance *instance, tirb_error *error) {
    if (!instance) return tirbi_error_set(error, TIRB_MISUSE, "tirb_instance_trim: instance is NULL");
    TIRBI_TRY(tirbi_instance_enter(instance, error));
    (void)tirbi_tensors_free(instance, NULL);
    tirbi_store_trim(&instance->store);
    tirbi_instance_leave(instance);
    return TIRB_OK;
}

/* ---- Entering -------------------------------------------------------------------------------------------------- */

tirb_status tirbi_instance_enter(tirb_instance *instance, tirb_error *error) {
    if (atomic_exchange_explicit(&instance->busy, 1, memory_order_acquire) == 0) return TIRB_OK;
    return tirbi_error_set(error, TIRB_BUSY, "the instance is in a call; use one instance per thread");
}

void tirbi_instance_leave(tirb_instance *instance) { atomic_store_explicit(&instance->busy, 0, memory_order_release); }

static tirb_status begin_binding(tirb_instance *instance, uint32_t function, const tirb_arg *args, uint32_t n_args,
                                 tirb_error *error, tirbi_binding *out) {
    const tirbi_program *program = instance->module->program;
    if (function >= instance->module->n_callable) {
        return tirbi_error_set(error, TIRB_NOT_FOUND, "the module has no function %u, only %u of them", function,
                               instance->module->n_callable);
    }
    const tirbi_function *f = &program->functions[function];
    const tirbi_plan *plan = &instance->module->plans[function];
    if (!f->is_public) {
        return tirbi_error_set(error, TIRB_NOT_FOUND, "%s is private to its module", plan->signature);
    }
    if (n_args != f->n_params && !f->is_packed) {
        return tirbi_error_set(error, TIRB_ARGUMENT, "expected %u argument%s%s, found %u, for %s", f->n_params,
                               f->n_params == 1 ? "" : "s", plan->n_results ? ", the results included" : "", n_args,
                               plan->signature);
    }
    *out = (tirbi_binding){.program = program,
                           .function = f,
                           .plan = plan,
                           .args = args,
                           .scratch = &instance->scratch,
                           .error = error};
    instance->scratch.now->known = false;
    return TIRB_OK;
}

/* ---- Traps ----------------------------------------------------------------------------------------------------- */

static const tirbi_line *find_line(const tirbi_function *f, uint32_t offset) {
    uint32_t low = 0, high = f->n_lines; /* the first entry that begins behind `offset` */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->lines[middle].offset <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? &f->lines[low - 1] : NULL;
}

/* The name of a function for messages. A region is shown as the function that it is a part of: its own name is that
 * one's, a colon and a number. */
static void show_name(const tirbi_program *program, const tirbi_function *f, char out[MAX_SHOWN_NAME + 1]) {
    const char *name = tirbi_program_text(program, f->name);
    const char *colon = f->is_region ? strrchr(name, ':') : NULL;
    size_t length = tirbi_text_cut(name, MAX_SHOWN_NAME);
    if (colon && colon > name && (size_t)(colon - name) < length) length = (size_t)(colon - name);
    snprintf(out, MAX_SHOWN_NAME + 1, "%.*s", (int)length, name);
}

/* Adds to a trap's message the function, and its source line or else its place in the code. */
static void locate(const tirb_instance *instance, const tirbi_run *run, tirb_error *error) {
    const tirbi_program *program = instance->module->program;
    if (!error || error->struct_size < sizeof(*error) || run->trap_function >= program->n_functions) return;
    const tirbi_function *f = &program->functions[run->trap_function];
    char name[MAX_SHOWN_NAME + 1], suffix[MAX_SHOWN_NAME + 16];
    show_name(program, f, name);
    int length = snprintf(suffix, sizeof(suffix), " (in %s)", name);
    size_t room = sizeof(error->message) - 1 - (size_t)length;
    size_t kept = tirbi_text_cut(error->message, room);
    memcpy(error->message + kept, suffix, (size_t)length + 1);

    const tirbi_line *line = find_line(f, run->trap_offset);
    bool has_file = program->source_file != TIRBI_NO_STRING;
    tirbi_error_at(error, has_file ? tirbi_program_text(program, program->source_file) : name, line ? line->line : 0,
                   line ? line->column : 0);
    tirbi_error_offset(error, run->trap_offset);
}

/* ---- Running --------------------------------------------------------------------------------------------------- */

static void read_result(const tirbi_function *f, uint64_t bits, tirb_result *out) {
    memset(out, 0, sizeof *out); /* its padding, too: callers compare bytes */
    if (!f->returns) return;
    tirbi_dtype type = (tirbi_dtype)f->return_type;
    out->dtype = tirbi_dtype_to_dl(type);
    if (tirbi_dtype_is_float(type)) {
        out->value.f = tirbi_number_to_double(type, bits);
    } else {
        out->value.i = (int64_t)bits;
    }
}

/* The next call may have the same. */
static void remember_shapes(const tirbi_binding *b) {
    int64_t *to = b->scratch->now->shapes;
    if (b->packs || !b->plan->plain.again) return;
    for (uint32_t t = 0; t < b->plan->n_tensors; t++) {
        const tirbi_view *view = &b->scratch->tensors[t].view;
        if (view->count == 0) return;
        for (int32_t j = 0; j < view->ndim; j++) *to++ = view->shape[j];
    }
    b->scratch->now->known = true;
}

/* Before a function is run. */
static inline tirb_status need_code(tirb_instance *instance, uint32_t function, tirb_error *error) {
    if (tirbi_code_is_ready(instance->run.code, function)) return TIRB_OK;
    return tirbi_module_translate(instance->module, function, 1, &instance->stops.call, error);
}

/* `same`: its arguments are those of the last run. */
static tirb_status run_function(tirb_instance *instance, uint32_t function, bool same, uint64_t *result,
                                tirb_error *error) {
    const tirbi_bound *bound = instance->scratch.now;
    const bool again = same && tirbi_may_execute_again(&instance->run, function);
    if (!again) TIRBI_TRY(need_code(instance, function, error));
    tirb_status status = again ? tirbi_execute_again(&instance->run, result, error)
                               : tirbi_execute(&instance->run, function, bound->scalars, bound->refs, result, error);
    if (status != TIRB_OK) locate(instance, &instance->run, error);
    return status;
}

/* What a deadline covers: copying arguments in, the run, and copying results back. */
static tirb_status run_bound(tirb_instance *instance, tirbi_binding *binding, uint32_t function, uint64_t *result) {
    if (!binding->plain) {
        TIRBI_TRY(tirbi_bind_references(binding, instance->store.spares, &instance->heap, &instance->stops.call));
        remember_shapes(binding);
    }
    TIRBI_TRY(run_function(instance, function, false, result, binding->error));
    return binding->packs ? tirbi_bind_copy_back(binding, &instance->stops.call) : TIRB_OK;
}

/* The same for a packed function, whose own code checks its arguments. */
static tirb_status run_packed(tirb_instance *instance, const tirbi_binding *binding, uint32_t n_args, tirbi_run *run,
                              uint32_t function, tirb_result *result) {
    tirbi_packed packed;
    tirb_result given;
    uint64_t status_bits = 0;
    const char *signature = binding->plan->signature;
    TIRBI_TRY(need_code(instance, function, binding->error));
    tirb_status status = tirbi_packed_bind(signature, binding->args, n_args, &instance->heap, &packed, binding->error);
    if (status == TIRB_OK) {
        run->handles = packed.handles;
        run->n_handles = packed.n_handles;
        status = tirbi_execute(run, function, &packed.n_args, packed.refs, &status_bits, binding->error);
        run->handles = NULL;
        run->n_handles = 0;
        if (status != TIRB_OK) locate(instance, run, binding->error);
    }
    if (status == TIRB_OK)
        status = tirbi_packed_result(&packed, signature, (int32_t)status_bits, &given, binding->error);
    if (status == TIRB_OK && result) memcpy(result, &given, sizeof given);
    tirbi_packed_release(&packed, &instance->heap);
    return status;
}

/* Goes to the place of the function, or else to the one that was given to another function first. */
static void turn_to(tirb_instance *instance, uint32_t function) {
    tirbi_scratch *s = &instance->scratch;
    uint32_t place = 0;
    while (place < s->n_places && s->places[place].function != function) place++;
    if (place == s->n_places) {
        place = s->oldest;
        s->oldest = (place + 1) % s->n_places;
        s->places[place].function = function;
        s->places[place].known = false;
    }
    s->now = &s->places[place];
    tirbi_run_turn(&instance->run, place);
}

/* Binds the arguments of a function whose call before had tensors of the same shapes. *same: they are the same
 * arguments. */
static inline bool bind_again(tirb_instance *instance, uint32_t function, const tirb_arg *args, uint32_t n_args,
                              bool *same) {
    tirbi_bound *bound = instance->scratch.now;
    if (!bound->known) return false;
    const tirbi_plain *plain = &instance->module->plans[function].plain;
    if (n_args != plain->n_tensors + plain->n_scalars) return false;
    bound->known =
        tirbi_plain_bind_again(plain, args, bound->refs, bound->scalars, bound->shapes, bound->tensors, same);
    return bound->known;
}

/* Of a packed function nothing is bound here. */
static tirb_status bind_anew(tirb_instance *instance, uint32_t function, const tirb_arg *args, uint32_t n_args,
                             tirb_error *error, tirbi_binding *out) {
    TIRBI_TRY(begin_binding(instance, function, args, n_args, error, out));
    tirbi_bound *bound = out->scratch->now;
    for (uint32_t t = 0; t < out->plan->n_tensors; t++) bound->tensors[t].device = (DLDevice){0};
    out->plain = tirbi_plain_bind(&out->plan->plain, args, bound->refs, bound->scalars, bound->shapes);
    if (!out->plain) return out->function->is_packed ? TIRB_OK : tirbi_bind_arguments(out);
    bound->known = true;
    return TIRB_OK;
}

static tirb_status bind_and_run(tirb_instance *instance, uint32_t function, const tirb_arg *args, uint32_t n_args,
                                tirb_result *result, tirb_error *error) {
    tirbi_binding binding;
    bool same = false;
    if (instance->scratch.now->function != function) turn_to(instance, function);
    const bool again = bind_again(instance, function, args, n_args, &same);
    tirbi_run *run = &instance->run;
    if (!again || !same) run->repeats[run->place].known = false; /* whether this call comes to run or not */
    if (!again) TIRBI_TRY(bind_anew(instance, function, args, n_args, error, &binding));
    const bool packed = !again && binding.function->is_packed;
    uint64_t bits = 0;
    tirb_status status = again    ? run_function(instance, function, same, &bits, error)
                         : packed ? run_packed(instance, &binding, n_args, run, function, result)
                                  : run_bound(instance, &binding, function, &bits);
    atomic_store_explicit(&instance->profile.current, TIRBI_NO_LINE, memory_order_relaxed);
    if (!again && binding.packs) tirbi_bind_release(&binding, instance->store.spares, &instance->heap);
    if (status == TIRB_OK && !packed) read_result(&instance->module->program->functions[function], bits, result);
    return status;
}

/* ---- Inference ------------------------------------------------------------------------------------------------- */

/* `what`[index] of parameter `param`, by the arguments that are bound. */
static tirb_status evaluate(const tirbi_binding *b, uint32_t param, const tirbi_dim *dim, const char *what,
                            unsigned index, int64_t *out) {
    tirb_error reason = TIRB_ERROR_INIT;
    tirb_status status = tirbi_dim_eval(dim, b->scratch->var_values, b->scratch->var_bound, out, &reason);
    if (status == TIRB_OK) return TIRB_OK;
    char text[TIRBI_MAX_DIM_TEXT];
    tirbi_dim_format(b->program, b->function, dim, text, sizeof(text));
    for (unsigned i = 0; i < dim->n_terms; i++) {
        if (dim->terms[i].op != TIRBI_DIM_VAR || b->scratch->var_bound[dim->terms[i].value]) continue;
        const char *name = tirbi_program_text(b->program, b->function->vars[dim->terms[i].value].name);
        return tirbi_bind_refuse(b, TIRB_SHAPE, param, "%s[%u] is %s, and no %sargument determines %.*s", what, index,
                                 text, b->skipped == param ? "other " : "", (int)tirbi_text_cut(name, 48), name);
    }
    return tirbi_bind_refuse(b, status, param, "%s[%u] is %s: %s", what, index, text, reason.message);
}

static tirb_status infer_extent(const tirbi_binding *b, uint32_t param, unsigned index, int64_t *out) {
    const tirbi_dim *dim = &b->function->params[param].shape[index];
    TIRBI_TRY(evaluate(b, param, dim, "shape", index, out));
    if (*out >= 0) return TIRB_OK;
    char text[TIRBI_MAX_DIM_TEXT];
    tirbi_dim_format(b->program, b->function, dim, text, sizeof(text));
    return tirbi_bind_refuse(b, TIRB_SHAPE, param, "shape[%u] would be %lld (%s)", index, (long long)*out, text);
}

/* What is asked about a tensor parameter; results that are not wanted are NULL. */
typedef struct inference {
    uint32_t param;
    int64_t *out; /* of max_ndim */
    int32_t max_ndim;
    int32_t *out_ndim;
    DLDataType *out_dtype;
    bool minima; /* not extents */
} inference;

static tirb_status infer_shape(const tirbi_binding *b, uint32_t param, int64_t shape[TIRBI_MAX_NDIM]) {
    const tirbi_param *p = &b->function->params[param];
    for (unsigned j = 0; j < p->ndim; j++) TIRBI_TRY(infer_extent(b, param, j, &shape[j]));
    tirbi_view view = {.item = tirbi_dtypes[p->dtype].size, .ndim = p->ndim, .shape = shape};
    if (tirbi_view_measure(&view)) return TIRB_OK;
    return tirbi_bind_refuse(b, TIRB_SHAPE, param, "its elements would take more bytes than can be addressed");
}

static tirb_status infer_minima(const tirbi_binding *b, uint32_t param, int64_t minima[TIRBI_MAX_NDIM]) {
    const tirbi_param *p = &b->function->params[param];
    for (unsigned j = 0; j < p->ndim && p->minima; j++)
        TIRBI_TRY(evaluate(b, param, &p->minima[j], "minima", j, &minima[j]));
    return TIRB_OK;
}

static tirb_status infer(tirbi_binding *b, const inference *asked) {
    const tirbi_param *p = &b->function->params[asked->param];
    int64_t found[TIRBI_MAX_NDIM] = {0};
    b->partial = true;
    b->skipped = asked->minima ? UINT32_MAX : asked->param; /* an output that is to be made may be anything yet */
    TIRBI_TRY(tirbi_bind_arguments(b));
    TIRBI_TRY(asked->minima ? infer_minima(b, asked->param, found) : infer_shape(b, asked->param, found));
    for (int32_t j = 0; asked->out && j < p->ndim && j < asked->max_ndim; j++) asked->out[j] = found[j];
    if (asked->out_ndim) *asked->out_ndim = p->ndim;
    if (asked->out_dtype) *asked->out_dtype = tirbi_dtype_to_dl((tirbi_dtype)p->dtype);
    return TIRB_OK;
}

/* `caller`, for messages: the function of the API. */
static tirb_status infer_of(tirb_instance *instance, uint32_t function, const tirb_arg *args, uint32_t n_args,
                            const inference *asked, const char *caller, tirb_error *error) {
    if (!instance || (!args && n_args) || (!asked->out && asked->max_ndim > 0)) {
        return tirbi_error_set(error, TIRB_MISUSE, "%s: %s is NULL", caller,
                               !instance         ? "instance"
                               : !args && n_args ? "args"
                               : asked->minima   ? "out_minima"
                                                 : "out_shape");
    }
    TIRBI_TRY(tirbi_instance_enter(instance, error));
    tirbi_binding binding;
    tirb_status status = begin_binding(instance, function, args, n_args, error, &binding);
    if (status == TIRB_OK && (asked->param >= n_args || binding.function->is_packed)) {
        status =
            tirbi_error_set(error, TIRB_NOT_FOUND, "%s has no parameter %u", binding.plan->signature, asked->param);
    } else if (status == TIRB_OK && binding.function->params[asked->param].kind != TIRB_PARAM_TENSOR) {
        status = tirbi_bind_refuse(&binding, TIRB_ARGUMENT, asked->param, "is a scalar and has no shape");
    } else if (status == TIRB_OK) {
        status = infer(&binding, asked);
    }
    tirbi_instance_leave(instance);
    return status;
}

tirb_status tirb_instance_infer(tirb_instance *instance, uint32_t function, uint32_t param, const tirb_arg *args,
                                uint32_t n_args, int64_t *out_shape, int32_t max_ndim, int32_t *out_ndim,
                                DLDataType *out_dtype, tirb_error *error) {
    const inference asked = {param, out_shape, max_ndim, out_ndim, out_dtype, false};
    return infer_of(instance, function, args, n_args, &asked, "tirb_instance_infer", error);
}

tirb_status tirb_instance_minima(tirb_instance *instance, uint32_t function, uint32_t param, const tirb_arg *args,
                                 uint32_t n_args, int64_t *out_minima, int32_t max_ndim, int32_t *out_ndim,
                                 tirb_error *error) {
    const inference asked = {param, out_minima, max_ndim, out_ndim, NULL, true};
    return infer_of(instance, function, args, n_args, &asked, "tirb_instance_minima", error);
}

/* ---- Results that the call makes -------------------------------------------------------------------------------- */

static tirb_status look(const tirb_instance *instance, tirb_error *error) {
    return tirbi_stop_status(atomic_load_explicit(&instance->stops.call, memory_order_relaxed), error);
}

/* Whether the call is to make some, none of which there is yet. */
static bool asks_for_results(const tirb_instance *instance, uint32_t function, const tirb_arg *args, uint32_t n_args) {
    bool asks = false;
    if (function >= instance->module->n_callable || n_args != instance->module->program->functions[function].n_params)
        return false;
    for (uint32_t i = n_args - instance->module->plans[function].n_results; i < n_args; i++) {
        if (args[i].kind != TIRB_ARG_RESULT) continue;
        if (args[i].value.result) *args[i].value.result = NULL;
        asks = true;
    }
    return asks;
}

/* The extents of an open result that the arguments determine, others being -1. */
static tirb_status find_known(const tirbi_binding *b, uint32_t param, int64_t known[TIRBI_MAX_NDIM]) {
    const tirbi_param *p = &b->function->params[param];
    for (unsigned j = 0; j < p->ndim; j++) {
        known[j] = -1;
        if (tirbi_bind_determines(b, &p->shape[j])) TIRBI_TRY(infer_extent(b, param, j, &known[j]));
    }
    return TIRB_OK;
}

/* The shape that an open result has before the function says which it is: 0 where no argument determines it. */
static tirb_status begin_open(const tirbi_binding *b, uint32_t param, int64_t known[TIRBI_MAX_NDIM],
                              int64_t shape[TIRBI_MAX_NDIM]) {
    TIRBI_TRY(find_known(b, param, known));
    for (unsigned j = 0; j < b->function->params[param].ndim; j++) shape[j] = known[j] < 0 ? 0 : known[j];
    return TIRB_OK;
}

/* Makes those that the caller leaves to it, in the shapes that the other arguments determine. */
static tirb_status make_results(tirb_instance *instance, tirbi_binding *b, const tirb_arg *args) {
    const uint32_t n = b->function->n_params, first = n - b->plan->n_results;
    tirb_arg *given = instance->scratch.result_args;
    for (uint32_t i = 0; i < n; i++) {
        given[i] = args[i];
        if (i < first || args[i].kind != TIRB_ARG_RESULT) continue;
        if (!args[i].value.result) return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "has no place to be put: it is NULL");
        if (args[i].flags) return tirbi_bind_refuse(b, TIRB_ARGUMENT, i, "is made by the call and has flags");
        given[i] = (tirb_arg){.kind = TIRB_ARG_NONE};
    }
    b->args = given;
    b->partial = true;
    b->skipped = UINT32_MAX;
    TIRBI_TRY(tirbi_bind_arguments(b));
    for (uint32_t i = first; i < n; i++) {
        if (args[i].kind != TIRB_ARG_RESULT) continue;
        int64_t shape[TIRBI_MAX_NDIM];
        DLManagedTensor **made = &instance->scratch.results[i - first];
        const tirbi_param *p = &b->function->params[i];
        tirb_error reason = TIRB_ERROR_INIT;
        if (p->is_open)
            TIRBI_TRY(begin_open(b, i, instance->scratch.result_dims[i - first], shape));
        else
            TIRBI_TRY(infer_shape(b, i, shape));
        tirb_status status =
            tirbi_tensor_make(instance, tirbi_dtype_to_dl((tirbi_dtype)p->dtype), shape, p->ndim, made, &reason);
        if (status != TIRB_OK) return tirbi_bind_refuse(b, status, i, "%s", reason.message);
        if (!tirbi_tensor_clear(*made, &instance->stops.call)) return look(instance, b->error);
    }
    for (uint32_t i = first; i < n; i++) {
        if (args[i].kind != TIRB_ARG_RESULT) continue;
        given[i].kind = TIRB_ARG_TENSOR;
        given[i].value.tensor = &instance->scratch.results[i - first]->dl_tensor;
    }
    return TIRB_OK;
}

/* To the caller after a call that succeeded, else back. */
static void give_results(tirb_instance *instance, const tirbi_plan *plan, const tirb_arg *args, uint32_t n_args,
                         tirb_status status) {
    for (uint32_t k = 0; k < plan->n_results; k++) {
        DLManagedTensor *made = instance->scratch.results[k];
        instance->scratch.results[k] = NULL;
        if (!made) continue;
        if (status != TIRB_OK) {
            tirbi_tensor_leave(instance, made);
            continue;
        }
        tirbi_tensor_hand_over(&instance->heap, made);
        *args[n_args - plan->n_results + k].value.result = made;
    }
}

static tirb_status make_and_run(tirb_instance *instance, uint32_t function, const tirb_arg *args, uint32_t n_args,
                                tirb_result *result, tirb_error *error) {
    tirbi_binding binding;
    TIRBI_TRY(begin_binding(instance, function, args, n_args, error, &binding));
    TIRBI_TRY(make_results(instance, &binding, args));
    return bind_and_run(instance, function, instance->scratch.result_args, n_args, result, error);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

/* What calls before this one have left is freed first. */
static tirb_status begin_call(tirb_instance *instance, tirb_error *error) {
    if (!tirbi_tensors_free(instance, &instance->stops.call)) return look(instance, error);
    instance->heap.peak = instance->heap.used;
    instance->heap.over_budget = false;
    return TIRB_OK;
}

/* The last look of a call. Its deadline counts by the clock: whoever was to tell may come late. */
static tirb_status look_at_last(tirb_instance *instance, bool is_late, tirb_error *error) {
    if (is_late) tirbi_stop(&instance->stops, TIRBI_STOP_DEADLINE);
    return look(instance, error);
}

static tirb_status call(tirb_instance *instance, uint32_t function, const tirb_arg *args, uint32_t n_args,
                        tirb_result *result, tirb_error *error) {
    const bool makes = asks_for_results(instance, function, args, n_args);
    /* A cancellation from before counts no more; one that comes at this moment may be before or after. */
    atomic_store_explicit(&instance->stops.call, TIRBI_RUN, memory_order_relaxed);
    instance->scratch.called = function;
    instance->run.fuel_used = 0;
    tirbi_timer *timer = &instance->module->engine->timer;
    const uint64_t timeout = instance->limits.timeout_ns;
    if (timeout) TIRBI_TRY(tirbi_deadline_arm(timer, &instance->deadline, &instance->stops, timeout, error));
    tirb_result given;
    tirb_status status = begin_call(instance, error);
    if (status == TIRB_OK)
        status = makes ? make_and_run(instance, function, args, n_args, &given, error)
                       : bind_and_run(instance, function, args, n_args, &given, error);
    const tirbi_plan *plan = makes ? &instance->module->plans[function] : NULL;
    if (makes && status != TIRB_OK) give_results(instance, plan, args, n_args, status);
    const bool is_late = timeout && tirbi_deadline_disarm(timer, &instance->deadline);
    if (status == TIRB_OK) {
        status = look_at_last(instance, is_late, error);
        if (makes) give_results(instance, plan, args, n_args, status);
    }
    if (status == TIRB_OK && result) memcpy(result, &given, sizeof given);
    return status;
}

tirb_status tirb_instance_call(tirb_instance *instance, uint32_t function, const tirb_arg *args, uint32_t n_args,
                               tirb_result *result, tirb_error *error) {
    if (!instance || (!args && n_args)) {
        return tirbi_error_set(error, TIRB_MISUSE, "tirb_instance_call: %s is NULL", instance ? "args" : "instance");
    }
    TIRBI_TRY(tirbi_instance_enter(instance, error));
    instance->run.host = tirbi_fpu_read();
    const tirb_status status = call(instance, function, args, n_args, result, error);
    atomic_store_explicit(&instance->fuel_used, instance->run.fuel_used, memory_order_relaxed);
    atomic_store_explicit(&instance->peak_memory, instance->heap.peak, memory_order_relaxed);
    tirbi_instance_leave(instance);
    return status;
}
