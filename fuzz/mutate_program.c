/* Programs: one change after another, each tried until the verifier takes it, or now and then kept although it does
 * not. What may be changed, and into what, comes from the opcode table. */
#include <string.h>

#include "fuzz/mutate.h"
#include "fuzz/operands.h"
#include "loader/bundle/bundle.h"
#include "loader/verify/verify.h"

enum { MAX_MEMORY = 96 << 20, MAX_CHANGES = 4, ATTEMPTS = 12 };

/* ---- Instructions ---------------------------------------------------------------------------------------------- */

static bool pick_node(edit_place *p) {
    p->at = fuzz_below(p->random, p->f->n_nodes);
    return p->f->n_nodes > 0;
}

static bool change_operand(edit_place *p) {
    if (!pick_node(p)) return false;
    tirbi_instr *instr = edit_own(p->e, &p->f->nodes[p->at]);
    if (!instr) return false;
    size_t n = strlen(tirbi_ops[instr->op].operands);
    if (n == 0) return false;
    fuzz_pick_operand(p, instr, fuzz_below(p->random, n));
    return true;
}

/* Two operands of one letter change places. */
static bool swap_operands(edit_place *p) {
    if (!pick_node(p)) return false;
    tirbi_instr *instr = edit_own(p->e, &p->f->nodes[p->at]);
    const char *letters = tirbi_ops[p->f->nodes[p->at].instr->op].operands;
    size_t n = strlen(letters);
    if (!instr || n < 2) return false;
    uint32_t a = fuzz_below(p->random, n), b = fuzz_below(p->random, n);
    if (a == b || letters[a] != letters[b] || strchr("arPHB", letters[a])) return false;
    int64_t value = instr->operand[a];
    instr->operand[a] = instr->operand[b];
    instr->operand[b] = value;
    return true;
}

static bool change_type(edit_place *p) {
    if (!pick_node(p)) return false;
    tirbi_instr *instr = edit_own(p->e, &p->f->nodes[p->at]);
    if (!instr || !tirbi_ops[instr->op].types) return false;
    instr->type = fuzz_pick_type(p, &tirbi_ops[instr->op]);
    return true;
}

/* Another opcode with the same operands and the same type. */
static bool change_opcode(edit_place *p) {
    if (!pick_node(p)) return false;
    tirbi_instr *instr = edit_own(p->e, &p->f->nodes[p->at]);
    if (!instr) return false;
    const tirbi_op_info *old = &tirbi_ops[instr->op];
    for (unsigned attempt = 0; attempt < 200; attempt++) {
        uint8_t op = (uint8_t)fuzz_below(p->random, TIRB_N_OPS);
        const tirbi_op_info *info = &tirbi_ops[op];
        if (!info->mnemonic || strcmp(info->operands, old->operands) != 0 || op == instr->op) continue;
        if (info->types && !(instr->type < TIRB_N_DTYPES && info->types >> instr->type & 1)) continue;
        instr->op = op;
        return true;
    }
    return false;
}

/* A lane loop around nothing: its header and its end, for later changes to fill. */
static bool insert_lane_loop(edit_place *p, tirbi_instr *header) {
    tirbi_instr *end = TIRBI_NEW(p->e->arena, tirbi_instr);
    if (!end || !edit_insert(p->e, p->f, p->at, 2)) return false;
    end->op = TIRB_OP_LANE_END;
    end->type = TIRB_TYPE_NONE;
    header->lane.end = p->f->nodes[p->at + 1].id;
    p->f->nodes[p->at].instr = header;
    p->f->nodes[p->at + 1].instr = end;
    return true;
}

static bool insert_new(edit_place *p) {
    if (!pick_node(p)) return false;
    bool inside = fuzz_inside_lane(p);
    const tirbi_op_info *info;
    tirbi_instr *instr = TIRBI_NEW(p->e->arena, tirbi_instr);
    if (!instr) return false;
    do {
        instr->op = (uint8_t)fuzz_below(p->random, TIRB_N_OPS);
        info = &tirbi_ops[instr->op];
    } while (!info->mnemonic || ((info->flags & TIRBI_FLAG_LANE) != 0) != inside);
    instr->type = fuzz_pick_type(p, info);
    fuzz_pick_operands(p, instr);
    if (instr->op == TIRB_OP_LANE) return insert_lane_loop(p, instr);
    if (!edit_insert(p->e, p->f, p->at, 1)) return false;
    p->f->nodes[p->at].instr = instr;
    return true;
}

static bool erase(edit_place *p) {
    if (!pick_node(p)) return false;
    edit_erase(p->e, p->f, p->at, fuzz_one_in(p->random, 2) ? edit_unit(p->f, p->at) : 1);
    return p->f->n_nodes > 0;
}

static bool swap_neighbours(edit_place *p) {
    if (!pick_node(p) || p->at + 1 >= p->f->n_nodes) return false;
    edit_node *a = &p->f->nodes[p->at], *b = a + 1;
    const tirbi_instr *instr = a->instr;
    a->instr = b->instr;
    b->instr = instr;
    return true;
}

/* ---- Copies of code -------------------------------------------------------------------------------------------- */

/* Targets inside the copied nodes follow the copy; others go to where it ends. */
static void move_copied_targets(edit_place *p, const edit_function *from, uint32_t at, uint32_t n, tirbi_instr *instr) {
    uint32_t after = p->at + n < p->f->n_nodes ? p->f->nodes[p->at + n].id : 0;
    edit_target target;
    for (unsigned k = 0; edit_target_at(instr, k, &target); k++) {
        uint32_t index = edit_find(from, edit_target_get(&target));
        bool inside = index >= at && index < at + n;
        edit_target_set(&target, inside ? p->f->nodes[p->at + index - at].id : after);
    }
}

static bool copy_nodes(edit_place *p, const edit_function *source, uint32_t at, uint32_t n, const fuzz_shift *by) {
    edit_function from = *source; /* its array stays when that of p->f moves */
    if (!edit_insert(p->e, p->f, p->at, n)) return false;
    for (uint32_t i = 0; i < n; i++) {
        edit_node *node = &p->f->nodes[p->at + i];
        node->instr = from.nodes[at + i].instr;
        tirbi_instr *instr = edit_own(p->e, node);
        if (!instr) return false;
        move_copied_targets(p, &from, at, n, instr);
        fuzz_shift_operands(instr, by);
    }
    return true;
}

/* The registers of `from` behind those of p->f. */
static bool add_registers(edit_place *p, const edit_function *from, fuzz_shift *by) {
    tirbi_function *h = &p->f->head;
    const tirbi_function *o = &from->head;
    if (h->n_sregs + o->n_sregs > 2000 || h->n_refs + o->n_refs > 500 || h->n_reds + o->n_reds > TIRBI_MAX_REDUCTIONS) {
        return false;
    }
    *by = (fuzz_shift){.scalars = h->n_sregs, .refs = h->n_refs, .reds = h->n_reds};
    tirbi_ref_type *refs = TIRBI_NEW_ARRAY(p->e->arena, tirbi_ref_type, (size_t)h->n_refs + o->n_refs);
    tirbi_red_type *reds = TIRBI_NEW_ARRAY(p->e->arena, tirbi_red_type, (size_t)h->n_reds + o->n_reds);
    if (!refs || !reds) return false;
    for (unsigned i = 0; i < h->n_refs; i++) refs[i] = p->f->refs[i];
    for (unsigned i = 0; i < o->n_refs; i++) refs[h->n_refs + i] = from->refs[i];
    for (unsigned i = 0; i < h->n_reds; i++) reds[i] = p->f->reds[i];
    for (unsigned i = 0; i < o->n_reds; i++) reds[h->n_reds + i] = from->reds[i];
    h->refs = p->f->refs = refs;
    h->reds = p->f->reds = reds;
    h->n_sregs = (uint16_t)(h->n_sregs + o->n_sregs);
    h->n_refs = (uint16_t)(h->n_refs + o->n_refs);
    h->n_reds = (uint8_t)(h->n_reds + o->n_reds);
    if (h->n_lane_regs < o->n_lane_regs) h->n_lane_regs = o->n_lane_regs;
    return true;
}

/* A piece of this or another function, of its own registers or of these. */
static bool copy_piece(edit_place *p) {
    const edit_function *from = &p->e->functions[fuzz_below(p->random, p->e->n_functions)];
    if (fuzz_one_in(p->random, 2)) from = p->f;
    if (from->n_nodes == 0 || !pick_node(p)) return false;
    uint32_t at = fuzz_below(p->random, from->n_nodes);
    uint32_t n = edit_unit(from, at);
    if (fuzz_one_in(p->random, 3) && n == 1)
        n = 1 + fuzz_below(p->random, from->n_nodes - at < 8 ? from->n_nodes - at : 8);
    fuzz_shift by = {0};
    if (from != p->f && !fuzz_one_in(p->random, 3)) {
        edit_function other = *from;
        if (!add_registers(p, &other, &by)) return false;
    }
    return copy_nodes(p, from, at, n, &by);
}

/* ---- Signatures ------------------------------------------------------------------------------------------------ */

static bool change_registers(edit_place *p) {
    tirbi_function *h = &p->f->head;
    switch (fuzz_below(p->random, 4)) {
    case 0:
        h->n_sregs = (uint16_t)(h->n_sregs + (fuzz_one_in(p->random, 4) ? -1 : 1));
        return true;
    case 1:
        h->n_lane_regs = (uint8_t)(h->n_lane_regs + (fuzz_one_in(p->random, 4) ? -1 : 1));
        return true;
    case 2: {
        tirbi_red_type *reds = TIRBI_NEW_ARRAY(p->e->arena, tirbi_red_type, h->n_reds + 1u);
        if (!reds || h->n_reds >= TIRBI_MAX_REDUCTIONS) return false;
        for (unsigned i = 0; i < h->n_reds; i++) reds[i] = p->f->reds[i];
        reds[h->n_reds++] =
            (tirbi_red_type){fuzz_one_in(p->random, 2) ? TIRB_F32 : TIRB_F64, (uint8_t)fuzz_below(p->random, 4)};
        h->reds = p->f->reds = reds;
        return true;
    }
    default: {
        tirbi_ref_type *refs = TIRBI_NEW_ARRAY(p->e->arena, tirbi_ref_type, h->n_refs + 1u);
        if (!refs || h->n_refs > 500) return false;
        for (unsigned i = 0; i < h->n_refs; i++) refs[i] = p->f->refs[i];
        uint8_t type = (uint8_t)fuzz_below(p->random, TIRB_N_DTYPES);
        if (h->n_refs > 0 && !fuzz_one_in(p->random, 3)) type = refs[fuzz_below(p->random, h->n_refs)].dtype;
        refs[h->n_refs++] = (tirbi_ref_type){.dtype = type, .writable = !fuzz_one_in(p->random, 4)};
        h->refs = p->f->refs = refs;
        return true;
    }
    }
}

static bool change_register_type(edit_place *p) {
    uint32_t ref = fuzz_below(p->random, p->f->head.n_refs);
    if (ref >= p->f->head.n_refs) return false;
    if (fuzz_one_in(p->random, 2)) {
        p->f->refs[ref].writable = !p->f->refs[ref].writable;
    } else {
        p->f->refs[ref].dtype = (uint8_t)fuzz_below(p->random, TIRB_N_DTYPES);
    }
    for (unsigned i = 0; i < p->f->head.n_params; i++) {
        tirbi_param *param = &p->f->params[i];
        if (param->kind == TIRB_PARAM_TENSOR && param->reg == ref) param->dtype = p->f->refs[ref].dtype;
    }
    return true;
}

/* For a tensor that has, or will have, `ndim` dimensions. */
static bool change_minima(edit_place *p, tirbi_param *param, uint8_t ndim) {
    const bool wanted = (param->minima != NULL) != fuzz_one_in(p->random, 6);
    tirbi_dim *minima = wanted && ndim > 0 ? TIRBI_NEW_ARRAY(p->e->arena, tirbi_dim, ndim) : NULL;
    for (unsigned i = 0; minima && i < ndim; i++)
        minima[i] =
            param->minima && i < param->ndim && !fuzz_one_in(p->random, 4) ? param->minima[i] : fuzz_pick_dim(p);
    param->minima = minima;
    return !p->e->arena->failed;
}

/* The dimensions of a tensor, one of them or their number. */
static bool change_shape(edit_place *p, tirbi_param *param) {
    uint8_t ndim = fuzz_one_in(p->random, 4) ? (uint8_t)fuzz_below(p->random, 5) : param->ndim;
    tirbi_dim *shape = TIRBI_NEW_ARRAY(p->e->arena, tirbi_dim, ndim);
    tirbi_dim *strides = TIRBI_NEW_ARRAY(p->e->arena, tirbi_dim, ndim);
    if (!shape || !strides) return false;
    for (unsigned i = 0; i < ndim; i++) {
        shape[i] = i < param->ndim ? param->shape[i] : fuzz_pick_dim(p);
        strides[i] = i < param->ndim && param->has_strides ? param->strides[i] : fuzz_pick_dim(p);
    }
    if (ndim > 0) shape[fuzz_below(p->random, ndim)] = fuzz_pick_dim(p);
    if (fuzz_one_in(p->random, 6)) param->has_strides = !param->has_strides;
    if (fuzz_one_in(p->random, 8)) {
        param->has_elem_offset = !param->has_elem_offset;
        param->elem_offset = fuzz_pick_dim(p);
    }
    if (!change_minima(p, param, ndim)) return false;
    param->ndim = ndim;
    param->shape = shape;
    param->strides = strides;
    return true;
}

static bool change_parameter(edit_place *p) {
    uint32_t index = fuzz_below(p->random, p->f->head.n_params);
    if (index >= p->f->head.n_params) return false;
    tirbi_param *param = &p->f->params[index];
    if (param->kind != TIRB_PARAM_TENSOR) {
        param->dtype = (uint8_t)fuzz_below(p->random, TIRB_N_DTYPES);
        return true;
    }
    if (fuzz_one_in(p->random, 3)) {
        param->access = (uint8_t)fuzz_below(p->random, 4);
        if (param->reg < p->f->head.n_refs && fuzz_one_in(p->random, 2)) {
            p->f->refs[param->reg].writable = param->access & TIRBI_WRITE;
        }
        return true;
    }
    return change_shape(p, param);
}

static bool change_variable(edit_place *p) {
    uint32_t index = fuzz_below(p->random, p->f->head.n_vars);
    if (index >= p->f->head.n_vars) return false;
    tirbi_var *var = &p->f->vars[index];
    if (fuzz_one_in(p->random, 2)) {
        var->dtype = (uint8_t)fuzz_below(p->random, TIRB_N_DTYPES);
    } else {
        var->reg = (uint16_t)fuzz_below(p->random, p->f->head.n_sregs);
    }
    return true;
}

static uint8_t pick_access(edit_place *p) { return (uint8_t)fuzz_below(p->random, 4); }

/* An import more, or one that is otherwise. */
static bool change_imports(edit_place *p) {
    tirbi_program *h = &p->e->head;
    uint32_t n = h->n_imports;
    if (h->n_strings == 0 || n > 100) return false;
    tirbi_import *imports = TIRBI_NEW_ARRAY(p->e->arena, tirbi_import, n + 1);
    tirbi_import_param *params = TIRBI_NEW_ARRAY(p->e->arena, tirbi_import_param, TIRBI_MAX_CALL_ARGS);
    if (!imports || !params) return false;
    for (unsigned i = 0; i < n; i++) imports[i] = h->imports[i];
    uint32_t at = fuzz_below(p->random, n + 1);
    if (at == n) {
        imports[n++] = (tirbi_import){.name = (uint16_t)fuzz_below(p->random, h->n_strings),
                                      .return_type = TIRB_TYPE_NONE, .n_params = (uint8_t)fuzz_below(p->random, 4)};
        for (unsigned i = 0; i < imports[at].n_params; i++) {
            params[i] = (tirbi_import_param){(uint8_t)fuzz_below(p->random, TIRB_N_DTYPES), pick_access(p)};
        }
    } else {
        for (unsigned i = 0; i < imports[at].n_params; i++) params[i] = imports[at].params[i];
        unsigned changed = fuzz_below(p->random, imports[at].n_params);
        if (fuzz_one_in(p->random, 2)) params[changed].dtype = (uint8_t)fuzz_below(p->random, TIRB_N_DTYPES);
        else params[changed].access = pick_access(p);
    }
    imports[at].params = params;
    if (fuzz_one_in(p->random, 2)) {
        imports[at].returns = !imports[at].returns;
        imports[at].return_type = imports[at].returns ? (uint8_t)fuzz_below(p->random, TIRB_N_DTYPES) : TIRB_TYPE_NONE;
    }
    h->imports = imports;
    h->n_imports = (uint16_t)n;
    return true;
}

/* A constant more, or one of another type or of fewer elements. */
static bool change_constants(edit_place *p) {
    static const uint8_t bytes[64];
    tirbi_program *h = &p->e->head;
    uint32_t n = h->n_constants;
    tirbi_constant *constants = n < 100 ? TIRBI_NEW_ARRAY(p->e->arena, tirbi_constant, n + 1) : NULL;
    if (!constants) return false;
    for (unsigned i = 0; i < n; i++) constants[i] = h->constants[i];
    const uint32_t at = fuzz_below(p->random, n + 1);
    if (at == n) constants[n++] = (tirbi_constant){.bytes = bytes, .size = sizeof bytes};
    tirbi_constant *changed = &constants[at];
    if (at + 1 == n || fuzz_one_in(p->random, 2)) changed->dtype = (uint8_t)fuzz_below(p->random, TIRB_N_DTYPES);
    const uint64_t elements = changed->size / tirbi_dtypes[changed->dtype].size;
    changed->size = fuzz_below(p->random, (uint32_t)(elements < 1000 ? elements + 1 : 1000)) *
                    (uint64_t)tirbi_dtypes[changed->dtype].size;
    h->constants = constants;
    h->n_constants = (uint16_t)n;
    return true;
}

static bool change_function(edit_place *p) {
    tirbi_function *h = &p->f->head;
    if (fuzz_one_in(p->random, 3)) {
        h->is_public = !h->is_public;
    } else if (fuzz_one_in(p->random, 2)) {
        h->return_type = (uint8_t)fuzz_below(p->random, TIRB_N_DTYPES);
    } else {
        h->name = (uint16_t)fuzz_below(p->random, p->e->head.n_strings);
    }
    return true;
}

/* ---- Whole functions ------------------------------------------------------------------------------------------- */

/* The strings of `other` behind those of the program. */
static bool add_strings(edit_program *e, const edit_program *other, fuzz_shift *by) {
    size_t n = (size_t)e->head.n_strings + other->head.n_strings;
    tirbi_string *strings = n < 10000 ? TIRBI_NEW_ARRAY(e->arena, tirbi_string, n) : NULL;
    if (!strings) return false;
    for (unsigned i = 0; i < e->head.n_strings; i++) strings[i] = e->head.strings[i];
    for (unsigned i = 0; i < other->head.n_strings; i++) strings[e->head.n_strings + i] = other->head.strings[i];
    by->strings = e->head.n_strings;
    e->head.strings = strings;
    e->head.n_strings = (uint16_t)n;
    return true;
}

/* The same for imports. */
static bool add_imports(edit_program *e, const edit_program *other, fuzz_shift *by) {
    size_t n = (size_t)e->head.n_imports + other->head.n_imports;
    tirbi_import *imports = n < 1000 ? TIRBI_NEW_ARRAY(e->arena, tirbi_import, n) : NULL;
    if (!imports) return false;
    for (unsigned i = 0; i < e->head.n_imports; i++) imports[i] = e->head.imports[i];
    for (unsigned i = 0; i < other->head.n_imports; i++) {
        imports[e->head.n_imports + i] = other->head.imports[i];
        imports[e->head.n_imports + i].name = (uint16_t)(other->head.imports[i].name + by->strings);
    }
    by->imports = e->head.n_imports;
    e->head.imports = imports;
    e->head.n_imports = (uint16_t)n;
    return true;
}

/* The same for constants. */
static bool add_constants(edit_program *e, const edit_program *other, fuzz_shift *by) {
    size_t n = (size_t)e->head.n_constants + other->head.n_constants;
    tirbi_constant *constants = n < 1000 ? TIRBI_NEW_ARRAY(e->arena, tirbi_constant, n + 1) : NULL;
    if (!constants) return false;
    for (unsigned i = 0; i < e->head.n_constants; i++) constants[i] = e->head.constants[i];
    for (unsigned i = 0; i < other->head.n_constants; i++)
        constants[e->head.n_constants + i] = other->head.constants[i];
    by->constants = e->head.n_constants;
    e->head.constants = constants;
    e->head.n_constants = (uint16_t)n;
    return true;
}

/* A function of `other` behind those of the program, as it is but for its names. */
static edit_function *append_function(edit_program *e, const edit_function *from, const fuzz_shift *by) {
    if (e->n_functions == EDIT_MAX_FUNCTIONS) return NULL;
    edit_function *f = &e->functions[e->n_functions];
    if (!edit_copy(e, from, f)) return NULL;
    e->n_functions++;
    f->head.name = (uint16_t)(f->head.name + by->strings);
    for (unsigned i = 0; i < f->head.n_params; i++) f->params[i].name = (uint16_t)(f->params[i].name + by->strings);
    for (unsigned i = 0; i < f->head.n_vars; i++) f->vars[i].name = (uint16_t)(f->vars[i].name + by->strings);
    return f;
}

static bool shift_function(edit_program *e, edit_function *f, const fuzz_shift *by) {
    for (uint32_t i = 0; i < f->n_nodes; i++) {
        tirbi_instr *instr = edit_own(e, &f->nodes[i]);
        if (!instr) return false;
        fuzz_shift_operands(instr, by);
    }
    return edit_encode(e, f);
}

/* One more condition, one less, or another one. */
static bool change_conditions(edit_place *p) {
    tirbi_function *f = &p->f->head;
    const unsigned how = f->n_conditions ? fuzz_below(p->random, 3) : 0;
    uint16_t n = f->n_conditions, at = (uint16_t)fuzz_below(p->random, n + 1u);
    if (how > 0 && at == n) at--;
    tirbi_condition *conditions = TIRBI_NEW_ARRAY(p->e->arena, tirbi_condition, n + 1u);
    if (!conditions) return false;
    for (uint16_t from = 0, to = 0; from < n; from++) {
        if (how == 0 && from == at) to++;
        if (how == 1 && from == at) continue;
        conditions[to++] = f->conditions[from];
    }
    if (how != 1)
        conditions[at] =
            (tirbi_condition){(uint8_t)fuzz_below(p->random, TIRBI_N_RELATIONS + fuzz_one_in(p->random, 9)),
                              fuzz_pick_dim(p), fuzz_pick_dim(p)};
    f->conditions = conditions;
    f->n_conditions = (uint16_t)(n + (how == 0) - (how == 1));
    return !p->e->arena->failed;
}

/* Regions go behind all other functions, which keep their order. */
static bool sort_regions(edit_program *e) {
    uint16_t map[EDIT_MAX_FUNCTIONS];
    fuzz_shift by = {.n_functions = e->n_functions, .functions = map};
    edit_function *sorted = TIRBI_NEW_ARRAY(e->arena, edit_function, e->n_functions);
    if (!sorted) return false;
    uint16_t n = 0;
    bool moved = false;
    for (unsigned regions = 0; regions < 2; regions++) {
        for (uint32_t i = 0; i < e->n_functions; i++) {
            if (e->functions[i].head.is_region != (regions == 1)) continue;
            moved |= n != i;
            map[i] = n;
            sorted[n++] = e->functions[i];
        }
    }
    if (!moved) return true;
    memcpy(e->functions, sorted, n * sizeof(*sorted));
    for (uint32_t i = 0; i < n; i++) {
        if (!shift_function(e, &e->functions[i], &by)) return false;
    }
    return true;
}

/* Joins a function of another program and all its regions; its calls go to functions of this one. */
static bool add_function(edit_program *e, const edit_program *other, fuzz_random *r) {
    uint16_t map[EDIT_MAX_FUNCTIONS];
    fuzz_shift by = {.n_functions = other->n_functions, .functions = map};
    if (e->n_functions == EDIT_MAX_FUNCTIONS || other->n_functions == 0) return false;
    if (!add_strings(e, other, &by) || !add_imports(e, other, &by) || !add_constants(e, other, &by)) return false;
    uint32_t first = e->n_functions, chosen = fuzz_below(r, other->n_functions);
    for (uint32_t i = 0; i < other->n_functions; i++) {
        bool joins = i == chosen || other->functions[i].head.is_region;
        map[i] = (uint16_t)(joins ? e->n_functions : fuzz_below(r, first));
        if (joins && !append_function(e, &other->functions[i], &by)) return false;
    }
    for (uint32_t i = first; i < e->n_functions; i++) {
        if (!shift_function(e, &e->functions[i], &by)) return false;
    }
    return sort_regions(e);
}

/* ---- Changing and verifying ------------------------------------------------------------------------------------ */

typedef bool (*change)(edit_place *p);

static const change changes[] = {change_operand,
                                 change_operand,
                                 change_operand,
                                 change_operand,
                                 change_type,
                                 change_opcode,
                                 change_opcode,
                                 insert_new,
                                 insert_new,
                                 insert_new,
                                 insert_new,
                                 erase,
                                 erase,
                                 swap_neighbours,
                                 copy_piece,
                                 copy_piece,
                                 change_parameter,
                                 change_registers,
                                 change_register_type,
                                 change_variable,
                                 swap_operands,
                                 change_function,
                                 change_conditions,
                                 change_imports,
                                 change_constants};

static bool verifies(edit_program *e) {
    const tirbi_program *program = edit_program_of(e);
    return program && tirbi_verify(program, e->arena->heap, NULL) == TIRB_OK;
}

/* One change of one function; taken back, most often, when the verifier refuses it. */
static void change_once(edit_program *e, bool keep_anything, fuzz_random *r) {
    for (unsigned attempt = 0; attempt < ATTEMPTS && !e->arena->failed; attempt++) {
        edit_function *f = &e->functions[fuzz_below(r, e->n_functions)];
        edit_function before = *f;
        tirbi_program head = e->head;
        edit_place place = {.e = e, .f = f, .random = r};
        if (edit_copy(e, &before, f)) {
            change how = changes[fuzz_below(r, sizeof(changes) / sizeof(changes[0]))];
            if (how(&place) && edit_encode(e, f) && (keep_anything || verifies(e))) return;
        }
        *f = before;
        e->head = head;
    }
}

static size_t mutate(edit_program *e, const edit_program *other, uint8_t *data, size_t max_size, fuzz_random *r) {
    if (other && !add_function(e, other, r)) return 0;
    bool keep_anything = fuzz_one_in(r, 16);
    unsigned n = fuzz_below(r, MAX_CHANGES) + (other ? 0 : 1);
    for (unsigned i = 0; i < n && e->n_functions > 0; i++) change_once(e, keep_anything, r);
    tirbi_program *program = e->arena->failed ? NULL : edit_program_of(e);
    tirbi_writer out;
    size_t made = 0;
    tirbi_writer_init(&out, e->arena->heap);
    if (program && tirbi_bundle_write(program, e->arena->heap, &out, NULL) == TIRB_OK && out.size <= max_size) {
        memcpy(data, out.data, out.size);
        made = out.size;
    }
    tirbi_writer_destroy(&out);
    return made;
}

size_t fuzz_mutate_program(uint8_t *data, size_t size, const uint8_t *other, size_t other_size, size_t max_size,
                           fuzz_random *r) {
    tirbi_heap heap;
    tirbi_arena arena;
    size_t made = 0;
    tirbi_heap_init(&heap, NULL, MAX_MEMORY);
    tirbi_arena_init(&arena, &heap);
    edit_program *e = TIRBI_NEW(&arena, edit_program), *o = other ? TIRBI_NEW(&arena, edit_program) : NULL;
    if (e && edit_open(e, data, size, &arena) && (!other || (o && edit_open(o, other, other_size, &arena)))) {
        made = mutate(e, o, data, max_size, r);
    }
    tirbi_arena_destroy(&arena);
    fuzz_heap_close(&heap, "mutating a program");
    return made;
}
