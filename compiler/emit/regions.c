/* Emission of regions: a function of its own for the nest, and the fork that runs it. */
#include "compiler/emit/emit.h"

#include <string.h>

enum { FIRST_LIVE = 2 }; /* registers 0 and 1 are a chunk's begin and end */

static void set_let(tirbi_emitter *e, tirbi_lvar *var, const tirbi_lx *value) {
    uint16_t reg = tirbi_new_sreg(e);
    tirbi_put_value_into(e, value, reg);
    tirbi_set_reg(e, var, reg);
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

/* Gives places the numbers of their elements in the chunk's parts, and back those that they had. */
static bool move_places(tirbi_emitter *r, const tirbi_region *region, const tirbi_lx ***kept) {
    *kept = TIRBI_NEW_ARRAY(r->arena, const tirbi_lx *, region->n_places);
    for (uint32_t i = 0; *kept && i < region->n_places; i++) {
        (*kept)[i] = region->places[i].place->flat;
        region->places[i].place->flat = region->places[i].flat;
    }
    return *kept != NULL;
}

static void restore_places(const tirbi_region *region, const tirbi_lx *const *kept) {
    for (uint32_t i = 0; i < region->n_places; i++) region->places[i].place->flat = kept[i];
}

/* The nest, for the region's part of the values of its loop. */
static void put_body(tirbi_emitter *r, const tirbi_sched *node) {
    const tirbi_region *region = node->as.region;
    const tirbi_lx **flats;
    tirbi_kept_ranges kept;
    tirbi_set_reg(r, region->begin, 0);
    tirbi_set_reg(r, region->end, 1);
    tirbi_scope scope = tirbi_scope_open(r);
    for (uint32_t i = 0; i < region->n_values; i++) set_let(r, region->values[i].var, region->values[i].value);
    if (!move_places(r, region, &flats)) return;
    tirbi_enter_ranges(node->ranges, &kept);
    tirbi_put_sched(r, node->items[0]);
    TIRBI_PUT(r, TIRB_OP_RETVOID, TIRB_TYPE_NONE, 0);
    tirbi_leave_ranges(node->ranges, &kept);
    restore_places(region, flats);
    tirbi_scope_close(r, scope);
}

static void put_function(tirbi_emitter *e, const tirbi_sched *node, tirbi_function *out) {
    const tirbi_region_plan *plan = node->as.region->plan;
    tirbi_emitter *r = TIRBI_NEW(e->arena, tirbi_emitter);
    const char *name = region_name(e);
    if (!r || !name) return;
    *r = (tirbi_emitter){.arena = e->arena, .lasting = e->lasting, .diagnostics = e->diagnostics, .source = e->source,
                         .module = e->module, .function = e->function, .pool = e->pool, .disabled = e->disabled,
                         .strings = e->strings, .registers = e->registers, .regions = e->regions};
    tirbi_writer_init(&r->code, e->code.heap);
    for (uint32_t i = 0; i < FIRST_LIVE; i++) tirbi_new_sreg(r);
    for (uint32_t i = 0; i < plan->n_live; i++) tirbi_set_reg(r, plan->live[i], tirbi_new_sreg(r));
    for (uint32_t i = 0; i < plan->n_roots; i++) {
        const tirbi_region_root *row = &plan->roots[i];
        tirbi_set_ref(r, row->root, tirbi_new_ref(r, row->root->type, row->written));
    }
    put_body(r, node);
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

void tirbi_put_region(tirbi_emitter *e, const tirbi_sched *node) {
    const tirbi_region_plan *plan = node->as.region->plan;
    tirbi_function *region = new_region(e);
    kept_registers kept;
    if (!region) return;
    tirbi_scope scope = tirbi_scope_open(e);
    put_fork(e, plan, e->module->n_functions + e->regions->n);
    if (keep_registers(e, plan, &kept)) {
        clear_registers(e, plan);
        put_function(e, node, region);
        clear_registers(e, plan);
        restore_registers(e, plan, &kept);
        e->regions->n++;
    }
    tirbi_scope_close(e, scope);
}
