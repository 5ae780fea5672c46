/* Emission of regions: a function of its own for the nest, and the fork that runs it. */
#include "compiler/emit/emit.h"

#include <string.h>

#include "compiler/optimize/threads/regions.h"

enum { FIRST_LIVE = 2 }; /* registers 0 and 1 are a chunk's begin and end */

static tirbi_lvar *new_let(tirbi_emitter *e, const char *name, int64_t lo, int64_t hi) {
    tirbi_lvar *var = TIRBI_NEW(e->arena, tirbi_lvar);
    if (var) *var = (tirbi_lvar){.name = name, .kind = TIRBI_LVAR_LET, .type = TIRB_I64, .lo = lo, .hi = hi};
    return var;
}

static void set_let(tirbi_emitter *e, tirbi_lvar *var, const tirbi_lx *value) {
    uint16_t reg = tirbi_new_sreg(e);
    tirbi_put_value_into(e, value, reg);
    tirbi_set_reg(e, var, reg);
}

static const tirbi_lx *name_value(tirbi_emitter *e, const char *name, const tirbi_lx *value) {
    tirbi_lvar *var = new_let(e, name, value->lo, value->hi);
    if (!var) return NULL;
    set_let(e, var, value);
    return tirbi_lx_var(e->pool, var);
}

/* ---- The region's function ------------------------------------------------------------------------------------ */

static bool name_taken(const tirbi_emitter *e, const char *name) {
    for (uint32_t i = 0; i < e->module->n_functions; i++) {
        if (strcmp(e->module->functions[i].ast->name, name) == 0) return true;
    }
    for (uint32_t i = 0; i < e->strings->n; i++) {
        if (strcmp(e->strings->items[i].text, name) == 0) return true;
    }
    return false;
}

/* "f:0", or a later number where something has that name. */
static const char *region_name(tirbi_emitter *e) {
    for (uint32_t number = e->regions->n;; number++) {
        const char *name = tirbi_arena_format(e->arena, "%s:%u", e->function->ast->name, number);
        if (!name || !name_taken(e, name)) return name;
    }
}

static void make_parameters(tirbi_emitter *r, const tirbi_region_plan *plan, tirbi_function *out) {
    uint32_t n = FIRST_LIVE + plan->n_live + plan->n_roots;
    tirbi_param *params = TIRBI_NEW_ARRAY(r->lasting, tirbi_param, n);
    if (!params) return;
    for (uint32_t i = 0; i < FIRST_LIVE + plan->n_live; i++) {
        const char *name = i == 0 ? "begin" : i == 1 ? "end" : tirbi_arena_format(r->arena, "s%u", i);
        tirbi_dtype type = i < FIRST_LIVE ? TIRB_I64 : plan->live[i - FIRST_LIVE]->type;
        if (!name) return;
        params[i] = (tirbi_param){.name = tirbi_string_number(r->strings, name), .kind = TIRB_PARAM_SCALAR,
                                  .dtype = (uint8_t)type, .reg = (uint16_t)i};
    }
    for (uint32_t i = 0; i < plan->n_roots; i++) {
        const tirbi_region_root *row = &plan->roots[i];
        const char *name = tirbi_arena_format(r->arena, "r%u", i);
        if (!name) return;
        params[FIRST_LIVE + plan->n_live + i] =
            (tirbi_param){.name = tirbi_string_number(r->strings, name), .kind = TIRB_PARAM_TENSOR,
                          .dtype = (uint8_t)row->root->type, .reg = (uint16_t)i,
                          .access = (uint8_t)(row->written ? TIRBI_READ | TIRBI_WRITE : TIRBI_READ)};
    }
    out->params = params;
    out->n_params = (uint16_t)n;
    out->is_region = true;
}

/* What a place and its buffer were before the region's elements got numbers of their own. */
typedef struct kept_place {
    const tirbi_lx *flat, *offset;
} kept_place;

static const tirbi_lx *from_part(tirbi_emitter *r, const tirbi_lx *number, const tirbi_lx *first) {
    return tirbi_lx_sub(r->pool, number ? number : tirbi_lx_int(r->pool, TIRB_I64, 0), first);
}

/* Elements of a written root are numbered from its part's first one, by its places and by those that will be made in
 * its buffers. Places may stand in other statements too: the caller puts back what `kept` keeps. */
static void shift_places(tirbi_emitter *r, const tirbi_region_plan *plan, tirbi_lvar *begin, kept_place *kept) {
    for (uint32_t k = 0; k < plan->n_places; k++)
        kept[k] = (kept_place){plan->places[k]->flat, plan->places[k]->buffer->offset};
    for (uint32_t i = 0; i < plan->n_roots; i++) {
        const tirbi_region_root *row = &plan->roots[i];
        if (!row->written) continue;
        const tirbi_lx *way = tirbi_lx_mul(r->pool, tirbi_lx_var(r->pool, begin), row->stride);
        const tirbi_lx *first = way ? tirbi_lx_add(r->pool, row->base, way) : NULL;
        if (first && first->kind != TIRBI_LX_VAR) first = name_value(r, "first", first);
        if (!first) return;
        for (uint32_t k = 0; k < plan->n_places; k++) {
            tirbi_place *place = (tirbi_place *)(uintptr_t)plan->places[k];
            if (place->buffer->root != row->root) continue;
            place->flat = from_part(r, place->flat, first);
            if (place->buffer->offset == kept[k].offset) place->buffer->offset = from_part(r, kept[k].offset, first);
        }
    }
}

static void restore_places(const tirbi_region_plan *plan, const kept_place *kept) {
    for (uint32_t k = 0; k < plan->n_places; k++) {
        tirbi_place *place = (tirbi_place *)(uintptr_t)plan->places[k];
        place->flat = kept[k].flat;
        place->buffer->offset = kept[k].offset;
    }
}

/* The nest, for the region's part of the values of its loop. */
static void put_body(tirbi_emitter *r, const tirbi_region_plan *plan, const tirbi_ls *loop) {
    tirbi_lvar *var = plan->loop, was = *var;
    tirbi_lvar *begin = new_let(r, "begin", 0, var->extent->hi), *end = new_let(r, "end", 0, INT64_MAX);
    tirbi_lvar *count = new_let(r, "count", 1, var->extent->hi);
    kept_place *kept = TIRBI_NEW_ARRAY(r->arena, kept_place, plan->n_places);
    if (!begin || !end || !count || !kept) return;
    tirbi_set_reg(r, begin, 0);
    tirbi_set_reg(r, end, 1);
    tirbi_scope scope = tirbi_scope_open(r);
    set_let(r, count, tirbi_lx_sub(r->pool, tirbi_lx_var(r->pool, end), tirbi_lx_var(r->pool, begin)));
    shift_places(r, plan, begin, kept);
    if (was.min->lo >= 0) var->below = tirbi_lx_add(r->pool, was.min, was.extent);
    var->min = tirbi_lx_add(r->pool, was.min, tirbi_lx_var(r->pool, begin));
    var->extent = tirbi_lx_var(r->pool, count);
    if (var->min && var->extent) tirbi_put_stmt(r, loop);
    TIRBI_PUT(r, TIRB_OP_RETVOID, TIRB_TYPE_NONE, 0);
    *var = was;
    restore_places(plan, kept);
    tirbi_scope_close(r, scope);
}

static void put_function(tirbi_emitter *e, const tirbi_region_plan *plan, const tirbi_ls *loop, tirbi_function *out) {
    tirbi_emitter *r = TIRBI_NEW(e->arena, tirbi_emitter);
    const char *name = region_name(e);
    if (!r || !name) return;
    *r = (tirbi_emitter){.arena = e->arena, .lasting = e->lasting, .diagnostics = e->diagnostics, .disabled = e->disabled,
                         .source = e->source, .module = e->module, .function = e->function, .pool = e->pool,
                         .strings = e->strings, .registers = e->registers, .regions = e->regions,
                         .notes = e->notes, .serial = true};
    tirbi_writer_init(&r->code, e->code.heap);
    for (uint32_t i = 0; i < FIRST_LIVE; i++) tirbi_new_sreg(r);
    for (uint32_t i = 0; i < plan->n_live; i++) tirbi_set_reg(r, plan->live[i], tirbi_new_sreg(r));
    for (uint32_t i = 0; i < plan->n_roots; i++) {
        const tirbi_region_root *row = &plan->roots[i];
        tirbi_set_ref(r, row->root, tirbi_new_ref(r, row->root->type, row->written));
    }
    put_body(r, plan, loop);
    make_parameters(r, plan, out);
    tirbi_finish_function(r, name, out);
    e->failed = e->failed || r->failed;
    tirbi_writer_destroy(&r->code);
}

/* ---- Around it ------------------------------------------------------------------------------------------------ */

/* Registers of what the region shares with the function around it, while the region's emission uses its own. */
typedef struct kept_registers {
    int32_t *vars, *roots;
} kept_registers;

static bool keep_registers(tirbi_emitter *e, const tirbi_region_plan *plan, kept_registers *kept) {
    kept->vars = TIRBI_NEW_ARRAY(e->arena, int32_t, plan->n_live);
    kept->roots = TIRBI_NEW_ARRAY(e->arena, int32_t, plan->n_roots);
    if (!kept->vars || !kept->roots) return false;
    for (uint32_t i = 0; i < plan->n_live; i++) kept->vars[i] = tirbi_reg_of(e, plan->live[i]);
    for (uint32_t i = 0; i < plan->n_roots; i++) kept->roots[i] = tirbi_ref_of(e, plan->roots[i].root);
    return true;
}

static void restore_registers(tirbi_emitter *e, const tirbi_region_plan *plan, const kept_registers *kept) {
    for (uint32_t i = 0; i < plan->n_live; i++) tirbi_set_reg(e, plan->live[i], kept->vars[i]);
    for (uint32_t i = 0; i < plan->n_roots; i++) tirbi_set_ref(e, plan->roots[i].root, kept->roots[i]);
    for (uint32_t i = 0; i < e->n_known; i++) {
        if (e->known[i]) tirbi_set_known(e, e->known[i], i);
    }
}

/* What begins inside has no register outside of the region, nor in it before it is emitted; it may have had one where
 * another statement with the same buffer was emitted before. */
static void clear_registers(tirbi_emitter *e, const tirbi_region_plan *plan) {
    for (uint32_t i = 0; i < plan->n_inner; i++) tirbi_set_reg(e, plan->inner[i], -1);
    for (uint32_t i = 0; i < plan->n_own; i++) tirbi_set_ref(e, plan->own[i], -1);
}

static tirbi_function *new_region(tirbi_emitter *e) {
    tirbi_region_list *list = e->regions;
    if (e->module->n_functions + list->n >= UINT16_MAX) return NULL;
    tirbi_function *items = tirbi_grow(e->lasting, list->items, list->n, &list->capacity, sizeof(*items));
    if (!items) return NULL;
    list->items = items;
    return &items[list->n];
}

static void put_fork(tirbi_emitter *e, const tirbi_region_plan *plan, uint32_t region) {
    tirbi_instr *instr = TIRBI_NEW(e->arena, tirbi_instr);
    if (!instr) return;
    tirbi_scope scope = tirbi_scope_open(e);
    instr->op = TIRB_OP_FORK;
    instr->type = TIRB_TYPE_NONE;
    instr->operand[0] = region;
    instr->operand[1] = tirbi_put_value(e, plan->loop->extent);
    instr->operand[2] = tirbi_put_operand(e, plan->grain);
    instr->operand[3] = plan->n_live;
    instr->operand[4] = plan->n_roots;
    for (uint32_t i = 0; i < plan->n_live; i++) instr->scalars[i] = (uint16_t)tirbi_reg_of(e, plan->live[i]);
    for (uint32_t i = 0; i < plan->n_roots; i++) {
        const tirbi_region_root *row = &plan->roots[i];
        instr->refs[i] = tirbi_buffer_ref(e, row->root);
        if (!row->written) continue;
        instr->parts[i] = (tirbi_part){.partitioned = true,
                                       .base = tirbi_put_operand(e, row->base),
                                       .stride = tirbi_put_operand(e, row->stride),
                                       .extent = tirbi_put_operand(e, row->extent)};
    }
    if (!e->failed) tirbi_encode(&e->code, instr);
    tirbi_scope_close(e, scope);
}

/* Forks the nest, whose region is emitted too. */
static void put_forked(tirbi_emitter *e, const tirbi_region_plan *plan, const tirbi_ls *loop, tirbi_function *region) {
    kept_registers kept;
    tirbi_scope scope = tirbi_scope_open(e);
    put_fork(e, plan, e->module->n_functions + e->regions->n);
    if (keep_registers(e, plan, &kept)) {
        clear_registers(e, plan);
        put_function(e, plan, loop, region);
        clear_registers(e, plan);
        restore_registers(e, plan, &kept);
        e->regions->n++;
    }
    tirbi_scope_close(e, scope);
}

/* The nest as it is without a region, for when it has too little work. */
static void put_serial(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_notes *notes = e->notes;
    tirbi_scope scope = tirbi_scope_open(e);
    e->serial = true;
    e->notes = NULL;
    tirbi_put_stmt(e, loop);
    e->serial = false;
    e->notes = notes;
    tirbi_scope_close(e, scope);
}

static const tirbi_region_plan *plan_region(tirbi_emitter *e, const tirbi_ls *loop) {
    const char *why;
    const tirbi_region_plan *plan = tirbi_plan_region(e->pool, e->module, loop, tirbi_disabled(e), &why);
    if (plan) {
        tirbi_note_loop(e->notes, plan->loop, loop->span, TIRB_FORM_REGION, "%s",
                        plan->worth ? "in chunks for several threads, where there is enough work for two" :
                                      "in chunks for several threads");
    } else if (loop->as.loop.parallel && why) {
        tirbi_note_loop(e->notes, loop->as.loop.var, loop->span, TIRB_FORM_SERIAL, "%s", why);
    }
    return plan;
}

bool tirbi_put_region(tirbi_emitter *e, const tirbi_ls *loop) {
    if (e->serial || (tirbi_disabled(e) & TIRB_PASS_REGIONS)) return false;
    tirbi_function *region = new_region(e);
    const tirbi_region_plan *plan = region ? plan_region(e, loop) : NULL;
    if (!plan) return false;
    if (!plan->worth) {
        put_forked(e, plan, loop, region);
        return true;
    }
    tirbi_patch_list small = {0}, end = {0};
    tirbi_put_branch_unless(e, plan->worth, &small);
    put_forked(e, plan, loop, region);
    tirbi_put_jump(e, TIRB_OP_JMP, 0, &end);
    tirbi_land(e, &small);
    put_serial(e, loop);
    tirbi_land(e, &end);
    return true;
}
