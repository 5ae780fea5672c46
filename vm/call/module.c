/* Modules: from bytes to a verified, translated program, and what it says about itself. */
#include "vm/call/objects.h"

#include <string.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "loader/base/work.h"
#include "loader/bundle/bundle.h"
#include "loader/verify/verify.h"
#include "vm/call/signature.h"

/* What a load may take unless the host says something else, for any bundle and for each byte that it has and unpacks
 * to. */
enum { ANY_MEMORY = 16 << 20, MEMORY_PER_BYTE = 24, ANY_WORK = 16 << 20, WORK_PER_BYTE = 64 };

/* The same of the texts of signatures. */
enum { ANY_SIGNATURES = 1 << 20, SIGNATURES_PER_BYTE = 4 };

/* n and so much for each of some bytes, or as much as can be counted. */
static uint64_t in_proportion(uint64_t n, uint64_t each, uint64_t bytes) {
    uint64_t all;
    return tirbi_mul_u64(each, bytes, &all) && tirbi_add_u64(n, all, &all) ? all : UINT64_MAX - 1;
}

/* ---- Plans ----------------------------------------------------------------------------------------------------- */

static bool dim_is_compound(const tirbi_dim *dim) { return dim->n_terms != 1; }

static void note_dim(const tirbi_dim *dim, bool *inferable, tirbi_plan *plan) {
    if (dim_is_compound(dim)) {
        plan->has_compound = true;
    } else if (dim->terms[0].op == TIRBI_DIM_VAR) {
        inferable[dim->terms[0].value] = true;
    }
}

static uint32_t count_dims(const tirbi_function *f) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->params[i].kind == TIRB_PARAM_TENSOR) n += f->params[i].ndim;
    }
    return n;
}

static void plan_params(const tirbi_function *f, tirbi_plan *plan, int64_t *dims, uint32_t *first_dim, uint16_t *slots,
                        bool *inferable) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        const tirbi_param *param = &f->params[i];
        first_dim[i] = at;
        if (param->kind != TIRB_PARAM_TENSOR) {
            slots[i] = (uint16_t)plan->n_scalars++;
            continue;
        }
        slots[i] = (uint16_t)plan->n_tensors++;
        for (unsigned j = 0; j < param->ndim; j++) {
            const tirbi_dim *dim = &param->shape[j];
            bool constant = dim->n_terms == 1 && dim->terms[0].op == TIRBI_DIM_CONST;
            dims[at++] = constant ? dim->terms[0].value : -1;
            note_dim(dim, inferable, plan);
            if (param->has_strides) note_dim(&param->strides[j], inferable, plan);
        }
        if (param->has_elem_offset) note_dim(&param->elem_offset, inferable, plan);
    }
}

static void plan_vars(const tirbi_function *f, tirbi_plan *plan, const uint16_t *slots, uint16_t *scalar_vars,
                      uint32_t *var_slots) {
    for (uint32_t i = 0; i < f->n_params; i++) scalar_vars[i] = TIRBI_NO_REG;
    for (uint32_t v = 0; v < f->n_vars; v++) {
        uint16_t param = f->vars[v].param;
        if (param != TIRBI_NO_REG) {
            scalar_vars[param] = (uint16_t)v;
            var_slots[v] = slots[param];
        } else {
            var_slots[v] = plan->n_scalars++;
        }
    }
}

/* Functions may share long names: where all signatures would take far more than the bundle, the last ones are the
 * functions' names alone. */
static const char *make_signature(tirbi_arena *arena, const tirbi_program *program, const tirbi_function *f,
                                  uint64_t *room) {
    char signature[TIRBI_MAX_SIGNATURE];
    if (*room < sizeof(signature)) return tirbi_program_text(program, f->name);
    size_t size = tirbi_signature_format(program, f, signature, sizeof(signature));
    *room -= size;
    return tirbi_arena_text(arena, signature, size);
}

static void make_plan(tirbi_arena *arena, const tirbi_program *program, const tirbi_function *f, uint64_t *room,
                      tirbi_plan *plan) {
    plan->signature = make_signature(arena, program, f, room);
    plan->n_dims = count_dims(f);
    plan->n_results = tirbi_function_results(f);
    int64_t *dims = TIRBI_NEW_ARRAY(arena, int64_t, plan->n_dims);
    uint32_t *first_dim = TIRBI_NEW_ARRAY(arena, uint32_t, f->n_params);
    uint16_t *slots = TIRBI_NEW_ARRAY(arena, uint16_t, f->n_params);
    uint16_t *scalar_vars = TIRBI_NEW_ARRAY(arena, uint16_t, f->n_params);
    uint32_t *var_slots = TIRBI_NEW_ARRAY(arena, uint32_t, f->n_vars);
    bool *inferable = TIRBI_NEW_ARRAY(arena, bool, f->n_vars);
    if (arena->failed) return;
    plan->dims = dims;
    plan->first_dim = first_dim;
    plan->slots = slots;
    plan->scalar_vars = scalar_vars;
    plan->var_slots = var_slots;
    plan->inferable = inferable;
    plan_params(f, plan, dims, first_dim, slots, inferable);
    plan_vars(f, plan, slots, scalar_vars, var_slots);
    tirbi_plain_make(arena, f, slots, var_slots, &plan->plain);
}

static tirb_status make_plans(tirbi_verified *made, tirb_error *error) {
    const tirbi_program *program = made->program;
    tirbi_plan *plans = TIRBI_NEW_ARRAY(&made->arena, tirbi_plan, program->n_functions);
    uint64_t room = in_proportion(ANY_SIGNATURES, SIGNATURES_PER_BYTE, program->n_bytes);
    for (uint32_t i = 0; i < program->n_functions && !made->arena.failed; i++) {
        const tirbi_function *f = &program->functions[i];
        TIRBI_TRY(tirbi_work(&made->heap, 1 + (uint64_t)f->n_params + f->n_vars, error));
        make_plan(&made->arena, program, f, &room, &plans[i]);
    }
    made->plans = plans;
    if (!made->arena.failed) return TIRB_OK;
    return tirbi_error_set(error, tirbi_heap_status(&made->heap), "out of memory for the module's signatures");
}

static tirb_status make_import_types(tirbi_verified *made, tirb_error *error) {
    const tirbi_program *program = made->program;
    const char **types = TIRBI_NEW_ARRAY(&made->arena, const char *, program->n_imports);
    char text[TIRBI_MAX_IMPORT_TEXT];
    for (uint32_t i = 0; i < program->n_imports && !made->arena.failed; i++) {
        tirbi_import_format(&program->imports[i], text);
        types[i] = tirbi_arena_text(&made->arena, text, strlen(text));
    }
    made->import_types = types;
    if (!made->arena.failed) return TIRB_OK;
    return tirbi_error_set(error, tirbi_heap_status(&made->heap), "out of memory for the module's imports");
}

/* ---- What modules of the same bytes share ----------------------------------------------------------------------- */

static tirb_status read(tirbi_verified *made, const tirb_engine *engine, const void *bytes, size_t size,
                        const tirb_load_limits *limits, tirbi_program **program, tirb_error *error) {
    const tirbi_bundle_limits within = {
        .max_size = limits->max_bytes ? limits->max_bytes : engine->max_bundle_size,
        .max_code = limits->max_bytes,
        .max_sections = limits->max_bytes,
        .max_unpacked = limits->max_bytes,
        .max_functions = limits->max_functions,
        .max_instructions = limits->max_instructions,
        .memory_per_byte = limits->max_memory ? 0 : MEMORY_PER_BYTE,
        .stays = made->stays,
    };
    made->heap.budget = limits->max_memory ? limits->max_memory : in_proportion(ANY_MEMORY, MEMORY_PER_BYTE, size);
    made->heap.max_work = limits->max_work ? limits->max_work : UINT64_MAX; /* the sizes bound what reading takes */
    TIRBI_TRY(tirbi_bundle_read_within(bytes, size, &within, &made->arena, program, error));
    const uint64_t unpacked = (*program)->n_bytes;
    made->max_memory = in_proportion(in_proportion(ANY_MEMORY, MEMORY_PER_BYTE, size), MEMORY_PER_BYTE, unpacked);
    made->max_work = in_proportion(in_proportion(ANY_WORK, WORK_PER_BYTE, size), WORK_PER_BYTE, unpacked);
    if (!limits->max_work) made->heap.max_work = made->max_work;
    return TIRB_OK;
}

static tirb_status fill(tirbi_verified *made, const tirb_engine *engine, const void *bytes, size_t size,
                        const tirb_load_limits *limits, tirb_error *error) {
    tirbi_program *program = NULL;
    TIRBI_TRY(read(made, engine, bytes, size, limits, &program, error));
    TIRBI_TRY(tirbi_verify(program, &made->heap, error));
    made->program = program;
    TIRBI_TRY(make_plans(made, error));
    TIRBI_TRY(make_import_types(made, error));
    TIRBI_TRY(tirbi_code_begin(program, engine->isa, engine->profiles, &made->heap, &made->code, error));
    made->stats = (tirb_load_stats){.functions = program->n_functions,
                                    .bytes = program->n_bytes,
                                    .instructions = program->n_instructions,
                                    .memory = made->heap.peak,
                                    .work = made->heap.work};
    made->loaded = made->heap.used;
    atomic_init(&made->memory, made->heap.peak);
    atomic_init(&made->work, made->heap.work);
    return TIRB_OK;
}

/* Whether what was loaded once may be had within the limits. */
static tirb_status check_stats(const tirb_load_stats *stats, const tirb_load_limits *limits, tirb_error *error) {
    const struct {
        const char *what;
        uint64_t n, limit;
        tirb_status status;
    } rows[] = {{"bytes unpacked", stats->bytes, limits->max_bytes, TIRB_MEMORY_LIMIT},
                {"functions", stats->functions, limits->max_functions, TIRB_MEMORY_LIMIT},
                {"instructions", stats->instructions, limits->max_instructions, TIRB_MEMORY_LIMIT},
                {"bytes of memory", stats->memory, limits->max_memory, TIRB_MEMORY_LIMIT},
                {"steps", stats->work, limits->max_work, TIRB_FUEL}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].limit == 0 || rows[i].n <= rows[i].limit) continue;
        return tirbi_error_set(error, rows[i].status, "%llu %s, the limit is %llu", (unsigned long long)rows[i].n,
                               rows[i].what, (unsigned long long)rows[i].limit);
    }
    return TIRB_OK;
}

void tirbi_verified_retain(void *verified) {
    atomic_fetch_add_explicit(&((tirbi_verified *)verified)->references, 1, memory_order_relaxed);
}

void tirbi_verified_release(void *verified) {
    tirbi_verified *made = verified;
    if (atomic_fetch_sub_explicit(&made->references, 1, memory_order_acq_rel) != 1) return;
    if (made->code) tirbi_code_destroy(made->code);
    tirbi_arena_destroy(&made->arena);
    tirbi_heap heap;
    tirbi_heap_init(&heap, &made->heap.allocator, UINT64_MAX);
    void (*release)(void *context) = made->release;
    void *context = made->context;
    tirbi_heap_free(&heap, made, sizeof(*made));
    if (release) release(context);
}

static tirb_status verify(const tirb_engine *engine, const void *bytes, size_t size, bool stays,
                          const tirb_load_limits *limits, tirbi_verified **out, tirb_error *error) {
    tirbi_heap heap = engine->heap;
    tirbi_verified *made = tirbi_heap_calloc(&heap, 1, sizeof(*made));
    if (!made) return tirbi_error_set(error, TIRB_NO_MEMORY, "out of memory for a module");
    atomic_init(&made->references, 1);
    atomic_init(&made->translating, 0);
    made->stays = stays;
    tirbi_heap_init(&made->heap, &engine->heap.allocator, 0);
    tirbi_arena_init(&made->arena, &made->heap);
    tirb_status status = fill(made, engine, bytes, size, limits, error);
    if (status == TIRB_OK) {
        *out = made;
    } else {
        tirbi_verified_release(made);
    }
    return status;
}

/* The same through the engine's cache. A miss verifies the cache's copy of the bytes: see tirbi_cache_find. */
static tirb_status verify_once(const tirb_engine *engine, const void *bytes, size_t size,
                               const tirb_load_limits *limits, tirbi_verified **out, tirb_error *error) {
    tirbi_cache_entry *pending;
    *out = tirbi_cache_find(engine->cache, bytes, size, &pending);
    if (*out) {
        tirb_status status = check_stats(&(*out)->stats, limits, error);
        if (status != TIRB_OK) tirbi_verified_release(*out);
        return status;
    }
    tirb_status status =
        verify(engine, pending ? tirbi_cache_entry_bytes(pending) : bytes, size, false, limits, out, error);
    if (!pending) return status;
    if (status == TIRB_OK) {
        (*out)->key = tirbi_cache_entry_key(pending);
        tirbi_cache_add(engine->cache, pending, *out, sizeof(tirbi_verified) + (*out)->heap.used);
    } else {
        tirbi_cache_abandon(engine->cache, pending);
    }
    return status;
}

/* ---- The object ------------------------------------------------------------------------------------------------ */

static void destroy(tirb_module *module) {
    tirb_engine *engine = module->engine;
    tirbi_verified_release(module->verified);
    tirbi_heap heap = engine->heap;
    tirbi_heap_free(&heap, module, sizeof(*module));
    tirb_engine_release(engine);
}

/* `caller`, for messages: the function of the API. */
static tirb_status check_load(const tirb_engine *engine, const void *bytes, size_t size, const tirb_load_limits *limits,
                              tirb_module **out_module, const char *caller, tirb_load_limits *chosen,
                              tirb_error *error) {
    *chosen = (tirb_load_limits){0};
    if (out_module) *out_module = NULL;
    if (!engine || !out_module || (!bytes && size)) {
        return tirbi_error_set(error, TIRB_MISUSE, "%s: %s is NULL", caller,
                               !engine       ? "engine"
                               : !out_module ? "out_module"
                                             : "bytes");
    }
    if (limits && !tirbi_options_read(chosen, sizeof(*chosen), limits)) {
        return tirbi_error_set(error, TIRB_MISUSE, "%s: limits.struct_size is %u; begin with TIRB_LOAD_LIMITS_INIT",
                               caller, limits->struct_size);
    }
    return TIRB_OK;
}

/* The module of what was verified, of which it takes the reference. */
static tirb_status make_module(tirb_engine *engine, tirbi_verified *verified, const tirb_load_limits *limits,
                               tirb_module **out_module, tirb_error *error) {
    tirbi_heap heap = engine->heap;
    tirb_module *module = tirbi_heap_calloc(&heap, 1, sizeof(*module));
    if (!module) {
        tirbi_verified_release(verified);
        return tirbi_error_set(error, TIRB_NO_MEMORY, "out of memory for a module");
    }
    tirbi_engine_retain(engine);
    atomic_init(&module->references, 1);
    module->engine = engine;
    module->verified = verified;
    module->program = verified->program;
    module->plans = verified->plans;
    module->import_types = verified->import_types;
    module->code = verified->code;
    module->n_callable = tirbi_program_callable(module->program);
    module->max_memory = limits->max_memory ? limits->max_memory : verified->max_memory;
    module->max_work = limits->max_work ? limits->max_work : verified->max_work;
    const tirb_status status =
        limits->translate_all ? tirbi_module_translate(module, 0, module->program->n_functions, NULL, error) : TIRB_OK;
    if (status == TIRB_OK) *out_module = module;
    else destroy(module);
    return status;
}

tirb_status tirb_module_load_limited(tirb_engine *engine, const void *bytes, size_t size,
                                     const tirb_load_limits *limits, tirb_module **out_module, tirb_error *error) {
    tirb_load_limits chosen;
    tirbi_verified *verified = NULL;
    const char *caller = limits ? "tirb_module_load_limited" : "tirb_module_load";
    TIRBI_TRY(check_load(engine, bytes, size, limits, out_module, caller, &chosen, error));
    TIRBI_TRY(engine->cache ? verify_once(engine, bytes, size, &chosen, &verified, error)
                            : verify(engine, bytes, size, false, &chosen, &verified, error));
    return make_module(engine, verified, &chosen, out_module, error);
}

tirb_status tirb_module_load_in_place(tirb_engine *engine, const void *bytes, size_t size,
                                      const tirb_load_limits *limits, void (*release)(void *context), void *context,
                                      tirb_module **out_module, tirb_error *error) {
    tirb_load_limits chosen;
    tirbi_verified *verified = NULL;
    TIRBI_TRY(check_load(engine, bytes, size, limits, out_module, "tirb_module_load_in_place", &chosen, error));
    TIRBI_TRY(verify(engine, bytes, size, true, &chosen, &verified, error));
    TIRBI_TRY(make_module(engine, verified, &chosen, out_module, error));
    verified->release = release; /* from here on the bytes are the module's */
    verified->context = context;
    return TIRB_OK;
}

tirb_status tirb_module_load(tirb_engine *engine, const void *bytes, size_t size, tirb_module **out_module,
                             tirb_error *error) {
    return tirb_module_load_limited(engine, bytes, size, NULL, out_module, error);
}

tirb_status tirb_module_load_stats(const tirb_module *module, tirb_load_stats *out_stats) {
    if (!module || !out_stats) return TIRB_MISUSE;
    const tirbi_verified *verified = module->verified;
    tirb_load_stats stats = verified->stats;
    stats.memory = atomic_load_explicit(&verified->memory, memory_order_relaxed);
    stats.work = atomic_load_explicit(&verified->work, memory_order_relaxed);
    return tirbi_info_write(out_stats, &stats, sizeof(stats)) ? TIRB_OK : TIRB_MISUSE;
}

tirb_module *tirb_module_retain(tirb_module *module) {
    if (module) atomic_fetch_add_explicit(&module->references, 1, memory_order_relaxed);
    return module;
}

void tirb_module_release(tirb_module *module) {
    if (module && atomic_fetch_sub_explicit(&module->references, 1, memory_order_acq_rel) == 1) destroy(module);
}

/* ---- Descriptions ---------------------------------------------------------------------------------------------- */

/* Regions are parts of functions: nobody calls them. They come last. */
uint32_t tirb_module_function_count(const tirb_module *module) {
    return module ? tirbi_program_callable(module->program) : 0;
}

tirb_status tirb_module_find(const tirb_module *module, const char *name, uint32_t *out_function, tirb_error *error) {
    if (!module || !name || !out_function)
        return tirbi_error_set(error, TIRB_MISUSE, "tirb_module_find: %s is NULL",
                               !module ? "module" : !name ? "name" : "out_function");
    const tirbi_program *program = module->program;
    for (uint32_t i = 0; i < tirbi_program_callable(program); i++) {
        if (strcmp(tirbi_program_text(program, program->functions[i].name), name) == 0) {
            *out_function = i;
            return TIRB_OK;
        }
    }
    return tirbi_error_set(error, TIRB_NOT_FOUND, "the module has no function '%.*s'", (int)tirbi_text_cut(name, 128),
                           name);
}

static tirb_status no_such_function(const tirb_module *module, uint32_t function, tirb_error *error) {
    return tirbi_error_set(error, TIRB_NOT_FOUND, "the module has no function %u, only %u of them", function,
                           tirb_module_function_count(module));
}

tirb_status tirb_module_function(const tirb_module *module, uint32_t function, tirb_function_info *out_info,
                                 tirb_error *error) {
    if (!module || !out_info)
        return tirbi_error_set(error, TIRB_MISUSE, "tirb_module_function: %s is NULL", module ? "out_info" : "module");
    if (function >= tirb_module_function_count(module)) return no_such_function(module, function, error);
    const tirbi_function *f = &module->program->functions[function];
    tirb_function_info info = {
        .n_params = f->is_packed ? 0 : f->n_params,
        .is_packed = f->is_packed,
        .name = tirbi_program_text(module->program, f->name),
        .is_public = f->is_public,
        .returns = f->returns && !f->is_packed,
        .signature = module->plans[function].signature,
        .n_conditions = f->n_conditions,
    };
    if (info.returns) info.return_dtype = tirbi_dtype_to_dl((tirbi_dtype)f->return_type);
    if (tirbi_info_write(out_info, &info, sizeof(info))) return TIRB_OK;
    return tirbi_error_set(error, TIRB_MISUSE, "tirb_module_function: begin with TIRB_FUNCTION_INFO_INIT");
}

tirb_status tirb_module_param(const tirb_module *module, uint32_t function, uint32_t param, tirb_param_info *out_info,
                              tirb_error *error) {
    if (!module || !out_info)
        return tirbi_error_set(error, TIRB_MISUSE, "tirb_module_param: %s is NULL", module ? "out_info" : "module");
    if (function >= tirb_module_function_count(module)) return no_such_function(module, function, error);
    const tirbi_function *f = &module->program->functions[function];
    const tirbi_plan *plan = &module->plans[function];
    if (param >= f->n_params || f->is_packed) {
        return tirbi_error_set(error, TIRB_NOT_FOUND, "%s has no parameter %u, only %u of them",
                               tirbi_program_text(module->program, f->name), param, f->n_params);
    }
    const tirbi_param *p = &f->params[param];
    tirb_param_info info = {
        .kind = p->kind == TIRB_PARAM_TENSOR ? TIRB_PARAM_TENSOR : TIRB_PARAM_SCALAR,
        .name = tirbi_program_text(module->program, p->name),
        .dtype = tirbi_dtype_to_dl((tirbi_dtype)p->dtype),
    };
    if (p->kind == TIRB_PARAM_TENSOR) {
        info.ndim = p->ndim;
        info.is_read = (p->access & TIRBI_READ) != 0;
        info.is_written = (p->access & TIRBI_WRITE) != 0;
        info.is_result = p->is_result;
        info.dims = plan->dims + plan->first_dim[param];
    } else {
        info.is_read = 1;
        info.is_inferable = plan->scalar_vars[param] != TIRBI_NO_REG && plan->inferable[plan->scalar_vars[param]];
    }
    if (tirbi_info_write(out_info, &info, sizeof(info))) return TIRB_OK;
    return tirbi_error_set(error, TIRB_MISUSE, "tirb_module_param: begin with TIRB_PARAM_INFO_INIT");
}

size_t tirb_module_condition(const tirb_module *module, uint32_t function, uint32_t condition, char *buffer,
                             size_t size) {
    if (buffer && size > 0) buffer[0] = 0;
    if (!module || function >= tirb_module_function_count(module)) return 0;
    const tirbi_function *f = &module->program->functions[function];
    if (condition >= f->n_conditions) return 0;
    char text[TIRBI_MAX_CONDITION_TEXT];
    size_t length = tirbi_condition_format(module->program, f, &f->conditions[condition], text);
    if (!buffer || size == 0) return length;
    size_t kept = tirbi_text_cut(text, size - 1);
    memcpy(buffer, text, kept);
    buffer[kept] = 0;
    return length;
}

int tirb_module_may_alias(const tirb_module *module, uint32_t function, uint32_t param, uint32_t other) {
    if (!module || function >= module->program->n_functions) return 0;
    return tirbi_function_may_alias(&module->program->functions[function], param, other);
}
