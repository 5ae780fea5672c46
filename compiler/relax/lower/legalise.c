/* Calls of operators to calls of PrimFuncs: a rule says which text an operator has, and which numbers its attributes
 * give that text (rules.c, rules_nn.c); the functions that texts make are shared. */
#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/relax/infer/dims.h"
#include "compiler/relax/lower/legal.h"
#include "loader/base/checked.h"

/* ---- Functions -------------------------------------------------------------------------------------------------- */

/* An operator's function, and what texts call it. */
typedef struct made {
    tirb_primfunc *f;
    const char *name;
} made;

/* Alike for functions that are the same: by the operator's name, and by types and numbers of parameters. */
static uint32_t likeness(const tirbi_relax_lowering *l, const tirb_primfunc *f) {
    uint32_t h = tirbi_text_hash(l, f->name, strlen(f->name));
    for (uint32_t i = 0; i < f->n_params; i++) {
        const tirb_buffer *b = f->buffers[i];
        const tirb_datatype type = b ? b->dtype : f->params[i]->dtype;
        const uint32_t about[] = {h, type.code, type.bits, b ? b->ndim : UINT32_MAX};
        h = tirbi_text_hash(l, (const char *)about, sizeof about);
        for (uint32_t k = 0; b && k < b->ndim; k++) {
            if (b->shape[k]->kind != TIRB_EXPR_INT_IMM) continue;
            const int64_t dim[] = {h, b->shape[k]->as.int_value};
            h = tirbi_text_hash(l, (const char *)dim, sizeof dim);
        }
    }
    return h;
}

const tirb_primfunc *tirbi_relax_find_same(tirbi_relax_lowering *l, tirb_primfunc *f, const tirbi_builder *b) {
    const tirb_irmodule ids = {.n_vars = b->n_vars, .n_buffers = b->n_buffers};
    const made *items = l->operators.items;
    const uint32_t hash = likeness(l, f);
    uint32_t probe = 0, found;
    while ((found = tirbi_index_next(&l->operator_index, hash, &probe)) != 0) {
        const made *m = &items[found - 1];
        if (strcmp(m->name, f->name) != 0 || m->f->n_params != f->n_params) continue;
        const char *name = m->f->name;
        m->f->name = f->name; /* which is compared, too */
        const bool same = tirbi_function_equal(&ids, m->f, &ids, f, b->arena);
        m->f->name = name;
        if (same) return m->f;
    }
    return NULL;
}

const tirb_primfunc *tirbi_relax_add_operator(tirbi_relax_lowering *l, tirb_primfunc *f) {
    const char *name = f->name;
    const uint32_t hash = likeness(l, f);
    f->name = tirbi_relax_new_name(l, name);
    tirb_primfunc **slot = f->name ? TIRBI_LIST_ADD(l->arena, &l->functions, tirb_primfunc *) : NULL;
    made *added = slot ? TIRBI_LIST_ADD(l->arena, &l->operators, made) : NULL;
    if (!added || !tirbi_index_add(&l->operator_index, l->arena, hash, l->operators.n - 1)) return NULL;
    *added = (made){.f = f, .name = name};
    *slot = f;
    return f;
}

static tirb_primfunc *expand_in(const tirbi_relax_lowering *l, tirbi_arena *arena, const tirbi_relax_use *use,
                                tirbi_builder *b) {
    tirbi_builder_init(b, arena, l->diagnostics);
    b->n_vars = l->b.n_vars;
    b->n_buffers = l->b.n_buffers;
    return tirbi_relax_expand(use, b);
}

/* The function that a text makes for this use. It is made in memory of its own, which is given back; and again where
 * none of the module is the same. */
static const tirb_primfunc *function_of(tirbi_legal *g, const tirbi_relax_use *use) {
    tirbi_relax_lowering *l = g->l;
    tirbi_builder b;
    tirbi_arena own;
    tirbi_arena_init(&own, l->arena->heap);
    own.watch = l->arena->watch;
    tirb_primfunc *f = expand_in(l, &own, use, &b);
    const tirb_primfunc *shared = f ? tirbi_relax_find_same(l, f, &b) : NULL;
    if (*use->reason) tirbi_relax_refuse_here(l, g->span, "%s", *use->reason);
    if (own.failed) l->arena->failed = true;
    tirbi_arena_destroy(&own);
    if (!f || shared || l->arena->failed) return shared;
    f = expand_in(l, l->arena, use, &b);
    l->b.n_vars = b.n_vars;
    l->b.n_buffers = b.n_buffers;
    return f ? tirbi_relax_add_operator(l, f) : NULL;
}

static bool operand_of(const tirbi_relax_held *h, tirbi_relax_operand *out) {
    *out = (tirbi_relax_operand){.is_absent = !h};
    if (!h) return true;
    if (h->kind == TIRBI_RELAX_HELD_SCALAR) {
        *out = (tirbi_relax_operand){.is_scalar = true, .dtype = h->scalar->dtype};
        return true;
    }
    if (h->kind != TIRBI_RELAX_HELD_TENSOR) return false;
    *out = (tirbi_relax_operand){
        .dtype = h->buffer->dtype, .ndim = h->buffer->ndim, .shape = h->buffer->shape, .buffer = h->buffer};
    return true;
}

/* Operand `i` of the text; NULL: it is absent. */
static const tirbi_relax_held *operand(const tirbi_legal *g, const tirbi_tc_def *def, uint32_t i) {
    if (i < g->n_inputs) return g->inputs[i];
    const tirbi_legal_computed *items = g->computed.items;
    for (uint32_t k = 0; k < g->computed.n; k++)
        if (strcmp(items[k].name, def->params[i].name) == 0) return items[k].value;
    return NULL;
}

/* Makes the function of a text and calls it. */
bool tirbi_legal_emit(tirbi_legal *g) {
    tirbi_relax_lowering *l = g->l;
    const tirbi_tc_def *def = tirbi_relax_find_def(l->texts, g->def);
    if (!def) return tirbi_legal_refuse(g, "");
    tirbi_relax_operand inputs[TIRBI_LEGAL_OPERANDS], outputs[TIRBI_LEGAL_OPERANDS];
    const tirbi_relax_held *args[2 * TIRBI_LEGAL_OPERANDS];
    const char *reason = NULL;
    uint32_t n = 0;
    if (def->n_params > TIRBI_LEGAL_OPERANDS || def->n_returns != g->n_outputs || g->n_inputs > def->n_params)
        return tirbi_legal_refuse(g, "with these operands");
    for (uint32_t i = 0; i < def->n_params; i++) {
        const tirbi_relax_held *h = operand(g, def, i);
        if (!operand_of(h, &inputs[i])) return tirbi_legal_refuse(g, "with these operands");
        if (h) args[n++] = h;
    }
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        if (!operand_of(g->outputs[i], &outputs[i])) return tirbi_legal_refuse(g, "with this result");
        args[n++] = g->outputs[i];
    }
    const tirbi_relax_use use = {.def = def,
                                 .name = def->name,
                                 .span = g->span,
                                 .inputs = inputs,
                                 .outputs = outputs,
                                 .given = g->given.items,
                                 .n_given = g->given.n,
                                 .body = g->body,
                                 .context = g,
                                 .reason = &reason};
    if (l->group) {
        if (tirbi_relax_expand_into(&use, &l->b)) return true;
        return tirbi_relax_refuse_here(l, g->span, "%s", reason ? reason : "out of memory");
    }
    const tirb_primfunc *f = function_of(g, &use);
    tirbi_relax_note_step(l, args, n);
    return f && tirbi_relax_emit_call(l, g->span, f, args, n);
}

bool tirbi_legal_step(const tirbi_legal *g, const char *def, const tirbi_relax_held *const *inputs,
                      const tirbi_relax_held *const *outputs) {
    tirbi_legal part = *g;
    part.def = def;
    part.n_inputs = part.n_outputs = 0;
    for (; *inputs; inputs++) part.inputs[part.n_inputs++] = *inputs;
    for (; *outputs; outputs++) part.outputs[part.n_outputs++] = *outputs;
    return tirbi_legal_emit(&part);
}

/* Operands and attributes as the operator's row of the table has them. */
static bool read_parameters(tirbi_legal *g) {
    tirbi_relax_parameter parameters[TIRBI_MAX_RELAX_PARAMETERS];
    const uint32_t n = tirbi_relax_parameters(g->call->as.call.op, parameters);
    uint32_t arg = 0, at = 0;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_relax_parameter *p = &parameters[i];
        const char *name = tirbi_legal_text_of(g, p->name, p->name_size);
        if (!name) return false;
        if (tirbi_relax_is_attr(p)) {
            if (!tirbi_legal_give_attr(g, name, &g->call->as.call.attrs[at++])) return false;
            continue;
        }
        if (p->kind == 'T' || arg >= g->call->as.call.n_args) continue;
        const tirb_relax_expr *e = g->call->as.call.args[arg++];
        const tirbi_relax_held *h = tirbi_relax_held_of(g->l, e);
        if (!h) return false;
        if (p->kind == 'x' && g->n_inputs < TIRBI_LEGAL_OPERANDS) g->inputs[g->n_inputs++] = h;
        if (p->kind == 'n' && h->kind == TIRBI_RELAX_HELD_SCALAR) {
            const bool word = strcmp(name, "min") == 0 || strcmp(name, "max") == 0; /* of the language */
            if (word) name = tirbi_arena_format(g->l->arena, "%s_value", name);
            if (!name || !tirbi_legal_give_number(g, name, h->scalar)) return false;
        }
    }
    return true;
}

/* What every text may use: the type to compute in, and an axis that counts from the front. */
static bool give_common(tirbi_legal *g) {
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        const tirbi_relax_held *h = g->inputs[i];
        if (h->kind != TIRBI_RELAX_HELD_TENSOR) continue;
        const tirb_datatype type = h->buffer->dtype;
        const bool narrow = tirbi_type_is_float(type) && type.bits < 32;
        tirbi_relax_given *axis = g->given.items;
        for (uint32_t k = 0; k < g->given.n; k++)
            if (strcmp(axis[k].name, "axis") == 0 && axis[k].kind == TIRBI_RELAX_GIVEN_INTEGER &&
                axis[k].as.integer < 0)
                axis[k].as.integer += h->buffer->ndim;
        return tirbi_legal_give_type(g, "C", narrow ? tirbi_type_f32 : type);
    }
    return true;
}

static bool read_outputs(tirbi_legal *g, const tirbi_relax_held *room) {
    if (room->kind == TIRBI_RELAX_HELD_TENSOR) {
        g->outputs[g->n_outputs++] = room;
        return true;
    }
    for (uint32_t i = 0; i < room->n; i++) {
        if (room->fields[i]->kind != TIRBI_RELAX_HELD_TENSOR || g->n_outputs == TIRBI_LEGAL_OPERANDS) return false;
        g->outputs[g->n_outputs++] = room->fields[i];
    }
    return true;
}

/* ---- Operators of several calls, and of none -------------------------------------------------------------------- */

/* An operand that is there already, or whose memory has other parts as well, which then is apart from its place. */
static bool emit_joined(tirbi_legal *g, const tirbi_relax_held *operand, int64_t behind) {
    const tirb_buffer *room = g->outputs[0]->buffer, *buffer = operand->buffer;
    if (tirbi_relax_begins_at(g->l, buffer, room, behind)) return true;
    tirbi_relax_held *part = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_TENSOR);
    const tirb_expr *begin = tirbi_legal_number(g, behind);
    if (!part || !begin) return false;
    part->buffer = tirbi_relax_part(g->l, g->span, room, room->dtype, buffer->shape, buffer->ndim, begin);
    return part->buffer && tirbi_relax_emit_copy(g->l, g->span, operand, part);
}

/* concat and stack: each operand is copied to its place. */
static bool emit_parts(tirbi_legal *g, const tirbi_relax_held *tuple, bool stacks) {
    const tirb_relax_attr *a = tirbi_legal_attr(g, "axis");
    const tirbi_relax_held *room = g->outputs[0];
    int64_t axis = a->kind == TIRB_RELAX_ATTR_INT ? a->as.integer : 0;
    if (axis < 0) axis += room->buffer->ndim;
    const tirb_expr *begin = tirbi_legal_number(g, 0);
    int64_t behind = 0;
    g->def = stacks ? "place_one" : "place";
    for (uint32_t i = 0; i < tuple->n; i++) {
        tirbi_relax_held *at = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_SCALAR);
        if (!at || !begin || tuple->fields[i]->kind != TIRBI_RELAX_HELD_TENSOR || axis < 0 ||
            axis >= (int64_t)room->buffer->ndim || tuple->fields[i]->buffer->ndim + stacks != room->buffer->ndim)
            return tirbi_legal_refuse(g, "with these operands");
        at->scalar = begin;
        g->inputs[0] = tuple->fields[i];
        g->inputs[1] = at;
        g->n_inputs = 2;
        if (tirbi_relax_same_memory(g->l, tuple->fields[i]->buffer, room->buffer)) {
            if (!emit_joined(g, tuple->fields[i], behind)) return false;
        } else if (!tirbi_legal_give_integer(g, "axis", axis) || !tirbi_legal_emit(g)) {
            return false;
        }
        behind += tirbi_relax_count(tuple->fields[i]->buffer->shape, tuple->fields[i]->buffer->ndim);
        begin = tirbi_make_binary(&g->l->b, g->span, TIRB_EXPR_ADD, begin,
                                  stacks ? tirbi_legal_number(g, 1) : tuple->fields[i]->buffer->shape[axis]);
    }
    return true;
}

/* Where part `i` of split begins: at its place, which those behind it do not follow, or behind the parts before it
 * (`behind`). */
static const tirb_expr *part_begin(tirbi_legal *g, uint32_t i, const tirb_expr *size, const tirb_expr *behind) {
    const tirb_relax_attr *places = tirbi_legal_attr(g, "indices_or_sections");
    if (places->kind != TIRB_RELAX_ATTR_LIST || i == 0 || i > places->as.list.n) return behind;
    const tirb_relax_attr *place = &places->as.list.items[i - 1];
    const tirb_expr *at =
        place->kind == TIRB_RELAX_ATTR_EXPR ? place->as.expr : tirbi_legal_number(g, place->as.integer);
    tirbi_dims dims = {.builder = &g->l->b};
    at = tirbi_dim_op(&dims, TIRB_EXPR_MAX, at, tirbi_legal_number(g, 0));
    return tirbi_dim_op(&dims, TIRB_EXPR_MIN, at, size);
}

static bool emit_split(tirbi_legal *g, const tirbi_relax_held *room) {
    int64_t axis = tirbi_legal_attr(g, "axis")->as.integer;
    const tirbi_relax_held *whole = g->inputs[0];
    if (whole->kind != TIRBI_RELAX_HELD_TENSOR) return tirbi_legal_refuse(g, "with this operand");
    if (axis < 0) axis += whole->buffer->ndim;
    if (axis < 0 || axis >= (int64_t)whole->buffer->ndim) return tirbi_legal_refuse(g, "along this axis");
    const tirb_expr *begin = tirbi_legal_number(g, 0);
    g->def = "part";
    for (uint32_t i = 0; i < room->n; i++) {
        tirbi_relax_held *at = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_SCALAR);
        begin = part_begin(g, i, whole->buffer->shape[axis], begin);
        if (!at || !begin) return false;
        at->scalar = begin;
        g->inputs[0] = whole;
        g->inputs[1] = at;
        g->n_inputs = 2;
        g->outputs[0] = room->fields[i];
        g->n_outputs = 1;
        if (!tirbi_legal_give_integer(g, "axis", axis) || !tirbi_legal_emit(g)) return false;
        begin = tirbi_make_binary(&g->l->b, g->span, TIRB_EXPR_ADD, begin, room->fields[i]->buffer->shape[axis]);
    }
    return true;
}

static bool emit_meshgrid(tirbi_legal *g, const tirbi_relax_held *room) {
    const tirbi_relax_held *tuple = tirbi_relax_held_of(g->l, g->call->as.call.args[0]);
    const bool xy = strcmp(tirbi_legal_attr(g, "indexing")->as.text, "xy") == 0;
    if (!tuple || tuple->kind != TIRBI_RELAX_HELD_TUPLE || tuple->n != room->n)
        return tirbi_legal_refuse(g, "with these operands");
    for (uint32_t i = 0; i < room->n; i++) {
        const int64_t along = xy && i < 2 && room->n > 1 ? 1 - (int64_t)i : (int64_t)i;
        g->inputs[0] = tuple->fields[i];
        g->n_inputs = 1;
        g->outputs[0] = room->fields[i];
        g->n_outputs = 1;
        if (tuple->fields[i]->kind != TIRBI_RELAX_HELD_TENSOR) return tirbi_legal_refuse(g, "with these operands");
        if (!tirbi_legal_give_list(g, "along", &along, 1) || !tirbi_legal_emit(g)) return false;
    }
    return true;
}

bool tirbi_relax_emit_copy(tirbi_relax_lowering *l, tirbi_span span, const tirbi_relax_held *from,
                           const tirbi_relax_held *to) {
    static const tirb_relax_operator copy = {.name = "copy"};
    const tirb_relax_expr call = {.kind = TIRB_RELAX_CALL, .span = span, .as.call = {.op = &copy}};
    tirbi_legal g = {.l = l,
                     .call = &call,
                     .span = span,
                     .def = "copy",
                     .inputs = {from},
                     .n_inputs = 1,
                     .outputs = {to},
                     .n_outputs = 1};
    return tirbi_legal_emit(&g);
}

/* What only names memory or sizes anew. */
static bool is_view(const tirb_relax_expr *e) {
    return tirb_relax_is_call(e, TIRB_RELAX_RESHAPE) || tirb_relax_is_call(e, TIRB_RELAX_FLATTEN) ||
           tirb_relax_is_call(e, TIRB_RELAX_EXPAND_DIMS) || tirb_relax_is_call(e, TIRB_RELAX_SQUEEZE) ||
           tirb_relax_is_call(e, TIRB_RELAX_NN_BATCH_FLATTEN);
}

static bool is_identity(const tirb_relax_expr *e) {
    return tirb_relax_is_call(e, TIRB_RELAX_STOP_LIFT_PARAMS) || tirb_relax_is_call(e, TIRB_RELAX_GRAD_NO_GRAD) ||
           tirb_relax_is_call(e, TIRB_RELAX_GRAD_START_CHECKPOINT) ||
           tirb_relax_is_call(e, TIRB_RELAX_GRAD_END_CHECKPOINT) || tirb_relax_is_call(e, TIRB_RELAX_TO_VDEVICE) ||
           tirb_relax_is_call(e, TIRB_RELAX_HINT_ON_DEVICE) ||
           tirb_relax_is_call(e, TIRB_RELAX_MEMORY_ENSURE_ZERO_OFFSET);
}

static const tirbi_legal_rule *find_rule(const tirbi_legal_rule *rules, const tirb_relax_expr *call) {
    for (; rules->op != TIRB_N_RELAX_OPS; rules++)
        if (tirb_relax_is_call(call, rules->op)) return rules;
    return NULL;
}

/* A part of a tensor, from these indices on, that lies in one piece: a view of it. NULL where it does not, or after an
 * error. */
static const tirbi_relax_held *one_piece(tirbi_legal *g, const tirb_buffer *whole, const int64_t *begin,
                                         const tirb_relax_type *type) {
    const tirb_expr *offset = tirbi_legal_number(g, 0);
    tirbi_relax_held *view = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_TENSOR);
    bool is_whole = true; /* the dimensions behind this one are */
    if (!view || !offset || type->kind != TIRB_RELAX_TYPE_TENSOR || !type->has_shape ||
        (uint32_t)type->ndim != whole->ndim)
        return NULL;
    for (uint32_t d = whole->ndim; d-- > 0;) {
        const tirb_expr *size = type->shape[d], *of = whole->shape[d];
        if (is_whole && begin[d] == 0 && tirbi_expr_equal(size, of)) continue;
        int64_t end;
        if (size->kind != TIRB_EXPR_INT_IMM || of->kind != TIRB_EXPR_INT_IMM || size->as.int_value < 0 ||
            begin[d] < 0 || !tirbi_add_i64(begin[d], size->as.int_value, &end) || end > of->as.int_value ||
            (!is_whole && size->as.int_value != 1))
            return NULL;
        is_whole = false;
        const tirb_expr *step = tirbi_legal_number(g, begin[d]);
        for (uint32_t k = d + 1; k < whole->ndim && begin[d] > 0; k++)
            step = tirbi_make_binary(&g->l->b, g->span, TIRB_EXPR_MUL, step, whole->shape[k]);
        offset = tirbi_make_binary(&g->l->b, g->span, TIRB_EXPR_ADD, offset, step);
    }
    view->buffer =
        offset ? tirbi_relax_part(g->l, g->span, whole, whole->dtype, type->shape, whole->ndim, offset) : NULL;
    return view->buffer ? view : NULL;
}

/* The parts of split as views, if all of them can be. */
static const tirbi_relax_held *split_in_place(tirbi_legal *g) {
    const tirb_relax_type *t = g->call->type;
    int64_t begin[TIRBI_LEGAL_RANK] = {0}, axis = tirbi_legal_attr(g, "axis")->as.integer;
    const tirb_buffer *whole = tirbi_legal_tensor(g, 0);
    if (axis < 0) axis += whole->ndim;
    tirbi_relax_held *parts = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_TUPLE);
    const tirbi_relax_held **fields = TIRBI_NEW_ARRAY(g->l->arena, const tirbi_relax_held *, t->n_fields);
    if (!parts || !fields || axis < 0 || axis >= (int64_t)whole->ndim || whole->ndim > TIRBI_LEGAL_RANK) return NULL;
    for (uint32_t i = 0; i < t->n_fields; i++) {
        const tirb_expr *at = part_begin(g, i, whole->shape[axis], tirbi_legal_number(g, begin[axis]));
        if (!tirbi_dim_const(at, &begin[axis]) || !(fields[i] = one_piece(g, whole, begin, t->fields[i]))) return NULL;
        const tirb_expr *size = t->fields[i]->shape[axis];
        if (size->kind != TIRB_EXPR_INT_IMM) return NULL;
        begin[axis] += size->as.int_value;
    }
    *parts = (tirbi_relax_held){.kind = TIRBI_RELAX_HELD_TUPLE, .fields = fields, .n = t->n_fields};
    return parts;
}

static const tirbi_relax_given *find_list(const tirbi_legal *g, const char *name) {
    const tirbi_relax_given *items = g->given.items;
    for (uint32_t i = 0; i < g->given.n; i++)
        if (strcmp(items[i].name, name) == 0 && items[i].kind == TIRBI_RELAX_GIVEN_LIST) return &items[i];
    return NULL;
}

static const tirbi_relax_held *slice_in_place(tirbi_legal *g) {
    const tirbi_legal_rule *rule = find_rule(tirbi_legal_rules, g->call);
    tirbi_legal given = *g; /* the rule is applied anew where this is no view */
    if (!rule || !tirbi_legal_slice_is_known(g) || !rule->apply(&given)) return NULL;
    const tirbi_relax_given *begin = find_list(&given, "begin"), *stride = find_list(&given, "stride"),
                            *from_end = find_list(&given, "from_end");
    const tirb_buffer *whole = tirbi_legal_tensor(g, 0);
    if (!begin || !stride || !from_end || begin->as.list.n != whole->ndim) return NULL;
    for (uint32_t i = 0; i < whole->ndim; i++)
        if (stride->as.list.items[i] != 1 || from_end->as.list.items[i]) return NULL;
    return one_piece(g, whole, begin->as.list.items, g->call->type);
}

/* Parts of a tensor without a copy; NULL where they are computed. */
static const tirbi_relax_held *take_in_place(tirbi_legal *g) {
    if (g->n_inputs == 0 || g->inputs[0]->kind != TIRBI_RELAX_HELD_TENSOR) return NULL;
    if (tirb_relax_is_call(g->call, TIRB_RELAX_SPLIT)) return split_in_place(g);
    return tirb_relax_is_call(g->call, TIRB_RELAX_STRIDED_SLICE) ? slice_in_place(g) : NULL;
}

/* memory.view: the bits of a tensor, from this byte on, in another shape and type. */
static const tirbi_relax_held *view_of(tirbi_legal *g, const tirb_relax_type *type) {
    const tirb_relax_expr *at = g->call->as.call.args[3];
    const bool is_number = at->kind == TIRB_RELAX_PRIM && at->as.prim->kind == TIRB_EXPR_INT_IMM;
    const tirb_buffer *whole = g->inputs[0]->kind == TIRBI_RELAX_HELD_TENSOR ? g->inputs[0]->buffer : NULL;
    const char *refused = NULL;
    const int64_t n = type->has_shape ? tirbi_relax_count(type->shape, (uint32_t)type->ndim) : -1;
    const int64_t of = whole ? tirbi_relax_count(whole->shape, whole->ndim) : -1;
    int64_t end;
    const int64_t width = whole ? whole->dtype.bits / 8 * whole->dtype.lanes : 0;
    const int64_t begin = is_number ? at->as.prim->as.int_value : 0;
    if (n < 0 || of < 0 || (!is_number && at->kind != TIRB_RELAX_TUPLE))
        refused = "with sizes or a place that are no numbers";
    else if (whole->dtype.bits % 8 != 0 || whole->dtype.bits != type->dtype.bits ||
             whole->dtype.lanes != type->dtype.lanes || tirbi_type_is_bool(type->dtype))
        refused = "of elements that have another size";
    else if (begin % width != 0)
        refused = "from the middle of an element on";
    else if (begin < 0 || !tirbi_add_i64(begin / width, n, &end) || end > of)
        refused = "beyond its operand";
    tirbi_relax_held *view = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_TENSOR);
    const tirb_expr *offset = tirbi_legal_number(g, refused ? 0 : begin / width);
    if (refused) tirbi_legal_refuse(g, refused);
    if (refused || !view || !offset) return NULL;
    view->buffer = tirbi_relax_part(g->l, g->span, whole, type->dtype, type->shape, (uint32_t)type->ndim, offset);
    return view->buffer ? view : NULL;
}

/* The elements in another shape, which must have as many. */
static const tirbi_relax_held *reshaped(tirbi_legal *g, const tirb_relax_type *type) {
    const tirb_buffer *x = tirbi_legal_tensor(g, 0);
    if (!(type = tirbi_relax_name_sizes(g->l, g->span, type))) return NULL;
    const tirb_buffer as = {.shape = type->shape, .ndim = (uint32_t)type->ndim};
    const tirb_expr *have = tirbi_legal_count_of(g, x), *want = tirbi_legal_count_of(g, &as);
    tirbi_dims dims = {.builder = &g->l->b};
    if (!have || !want) return NULL;
    if (!tirbi_dim_equal(&dims, have, want)) {
        static const char text[] = "R.reshape: the number of elements";
        tirb_stmt *assert = tirbi_make_stmt(&g->l->b, g->span, TIRB_STMT_ASSERT);
        if (!assert) return NULL;
        assert->as.assert_.condition = tirbi_make_compare(&g->l->b, g->span, TIRB_EXPR_EQ, have, want);
        assert->as.assert_.error_kind = "ShapeError";
        assert->as.assert_.message = tirbi_make_string(&g->l->b, g->span, text, sizeof text - 1);
        if (!assert->as.assert_.condition || !assert->as.assert_.message) return NULL;
        tirbi_relax_emit_scope(g->l, assert, NULL);
    }
    return tirbi_legal_reshaped(g, g->inputs[0], type->shape, (uint32_t)type->ndim);
}

static const tirbi_relax_held *shape_of(tirbi_legal *g) {
    const tirbi_relax_held *x = g->inputs[0];
    tirbi_relax_held *h = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_SHAPE);
    if (!h || x->kind != TIRBI_RELAX_HELD_TENSOR) return NULL;
    h->dims = x->buffer->shape;
    h->n = x->buffer->ndim;
    return h;
}

/* A tensor of numbers that are known as scalars: the elements of a shape, or how many elements there are. */
static bool store_numbers(tirbi_legal *g, const tirb_expr *const *values, uint32_t n) {
    const tirb_buffer *to = tirbi_legal_result(g, 0);
    for (uint32_t i = 0; i < n; i++) {
        const tirb_expr **at = TIRBI_NEW_ARRAY(g->l->arena, const tirb_expr *, 1);
        if (!at || !(at[0] = tirbi_legal_number(g, i)) || !values[i]) return false;
        tirbi_emit_store(&g->l->b, g->span, to, values[i], at, to->ndim, NULL);
    }
    return true;
}

/* Whether rules may ask operands for their dimensions; the index of take and what fills may be a number. */
static bool has_tensors(const tirbi_legal *g) {
    uint32_t n = g->n_inputs;
    if (tirb_relax_is_call(g->call, TIRB_RELAX_TAKE) || tirb_relax_is_call(g->call, TIRB_RELAX_FULL)) n = 0;
    for (uint32_t i = 0; i < n; i++)
        if (g->inputs[i]->kind != TIRBI_RELAX_HELD_TENSOR) return false;
    return true;
}

static bool emit_operator(tirbi_legal *g, const tirbi_relax_held *room) {
    const tirb_relax_expr *e = g->call;
    if (tirb_relax_is_call(e, TIRB_RELAX_CONCAT) || tirb_relax_is_call(e, TIRB_RELAX_STACK)) {
        const tirbi_relax_held *tuple = tirbi_relax_held_of(g->l, e->as.call.args[0]);
        if (!tuple) return false;
        if (tuple->kind != TIRBI_RELAX_HELD_TUPLE) return tirbi_legal_refuse(g, "with these operands");
        return emit_parts(g, tuple, tirb_relax_is_call(e, TIRB_RELAX_STACK));
    }
    if (tirb_relax_is_call(e, TIRB_RELAX_EINSUM)) {
        const tirbi_relax_held *tuple = tirbi_relax_held_of(g->l, e->as.call.args[0]);
        return tuple && tirbi_legal_einsum(g, tuple);
    }
    if (tirb_relax_is_call(e, TIRB_RELAX_INDEX_TENSOR) || tirb_relax_is_call(e, TIRB_RELAX_INDEX_PUT)) {
        const tirbi_relax_held *tuple = tirbi_relax_held_of(g->l, e->as.call.args[1]);
        return tuple && tirbi_legal_indexed(g, tuple);
    }
    if (tirb_relax_is_call(e, TIRB_RELAX_MESHGRID)) return emit_meshgrid(g, room);
    if (tirb_relax_is_call(e, TIRB_RELAX_SPLIT)) return emit_split(g, room);
    if (tirb_relax_is_call(e, TIRB_RELAX_SHAPE_TO_TENSOR)) {
        const tirbi_relax_held *shape = tirbi_relax_held_of(g->l, e->as.call.args[0]);
        if (!shape || shape->kind != TIRBI_RELAX_HELD_SHAPE) return shape && tirbi_legal_refuse(g, "with this operand");
        return store_numbers(g, shape->dims, shape->n);
    }
    if (tirb_relax_is_call(e, TIRB_RELAX_SIZE)) {
        if (g->inputs[0]->kind != TIRBI_RELAX_HELD_TENSOR) return tirbi_legal_refuse(g, "with this operand");
        const tirb_expr *n = tirbi_legal_count_of(g, tirbi_legal_tensor(g, 0));
        return store_numbers(g, &n, 1);
    }
    const tirbi_legal_rule *rule = find_rule(tirbi_legal_rules, e);
    if (!rule) rule = find_rule(tirbi_legal_rules_of_networks, e);
    if (rule && rule->def) g->def = rule->def;
    if (rule && rule->apply && !has_tensors(g)) return tirbi_legal_refuse(g, "with these operands");
    if (rule && rule->apply && !rule->apply(g)) return false;
    return tirbi_legal_emit(g);
}

const tirbi_relax_held *tirbi_relax_legalise(tirbi_relax_lowering *l, const tirb_relax_expr *call,
                                             const tirbi_relax_held *destination) {
    if (!(call = tirbi_relax_known_call(l, call))) return NULL;
    tirbi_legal g = {.l = l, .call = call, .span = call->span};
    l->memory.step = 0;
    const char *name = call->as.call.op->name;
    g.def = strncmp(name, "nn.", 3) == 0 ? name + 3 : name;
    if (tirb_relax_is_call(call, TIRB_RELAX_NULL_VALUE)) return tirbi_relax_hold(l, TIRBI_RELAX_HELD_NOTHING);
    if (!read_parameters(&g)) return NULL;
    if (is_identity(call) && g.n_inputs > 0) return g.inputs[0];
    if (tirb_relax_is_call(call, TIRB_RELAX_SHAPE_OF)) return shape_of(&g);
    const tirbi_relax_held *sized;
    if (tirbi_legal_sized(&g, &sized)) return sized;
    const tirb_relax_type *type = tirbi_relax_shaped(l, call->type);
    if (!type) return NULL;
    if (type->kind == TIRB_RELAX_TYPE_PRIM) return tirbi_legal_refuse(&g, "of numbers alone"), NULL;
    if (tirb_relax_is_call(call, TIRB_RELAX_MEMORY_VIEW)) return view_of(&g, type);
    if (tirb_relax_is_call(call, TIRB_RELAX_BUILTIN_ALLOC_TENSOR))
        return tirbi_relax_make_room(l, call->span, type, destination);
    if (is_view(call) && g.n_inputs > 0 && g.inputs[0]->kind == TIRBI_RELAX_HELD_TENSOR && type->has_shape)
        return reshaped(&g, type);
    const tirbi_relax_held *in_place = destination || l->has_copies ? NULL : take_in_place(&g);
    if (in_place || l->reason || l->arena->failed) return in_place;
    const tirbi_relax_held *room = tirbi_relax_make_room(l, call->span, call->type, destination);
    if (!room) return NULL;
    const bool by_field = tirb_relax_is_call(call, TIRB_RELAX_SPLIT) || tirb_relax_is_call(call, TIRB_RELAX_MESHGRID);
    if (!by_field && !read_outputs(&g, room)) {
        tirbi_legal_refuse(&g, "with this many results");
        return NULL;
    }
    return give_common(&g) && emit_operator(&g, room) ? room : NULL;
}
