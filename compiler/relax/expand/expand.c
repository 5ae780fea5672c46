#include "compiler/relax/expand/expand.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/relax/expand/expanding.h"
#include "compiler/relax/expand/texts.h"
#include "compiler/tc/parser.h"

bool tirbi_relax_refuse(tirbi_relax_expansion *x, const char *format, ...) {
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const char *name = x->use->def->name;
    if (x->use->reason)
        *x->use->reason = tirbi_arena_format(x->arena, "the operator `%s` is not made for this: %s", name, message);
    else
        tirbi_report_error(x->b->diagnostics, TIRB_UNSUPPORTED, x->use->span, "`%s` is not made for this: %s", name,
                           message);
    return false;
}

/* ---- Dimensions ------------------------------------------------------------------------------------------------- */

/* A dimension of the caller's that is no number, and the variable that the function has for it. */
typedef struct dim_name {
    const tirb_expr *outer, *var;
} dim_name;

static const tirb_expr *own_dim(tirbi_relax_expansion *x, const tirb_expr *outer) {
    if (outer->kind == TIRB_EXPR_INT_IMM || x->is_inside) return outer;
    dim_name *items = x->dims.items;
    for (uint32_t i = 0; i < x->dims.n; i++)
        if (tirbi_expr_equal(items[i].outer, outer)) return items[i].var;
    const char *name =
        outer->kind == TIRB_EXPR_VAR ? outer->as.var.name : tirbi_arena_format(x->arena, "d%u", (unsigned)x->dims.n);
    dim_name *added = TIRBI_LIST_ADD(x->arena, &x->dims, dim_name);
    if (!added || !name) return NULL;
    *added = (dim_name){outer, tirbi_make_var(x->b, x->use->span, name, tirbi_prim_type(tirbi_type_i64))};
    return added->var;
}

/* ---- Parameters ------------------------------------------------------------------------------------------------- */

static bool add_pack(tirbi_relax_expansion *x, tirbi_relax_pack pack) {
    if (tirbi_relax_pack_of(x, pack.name)) return true;
    tirbi_relax_pack *added = TIRBI_LIST_ADD(x->arena, &x->packs, tirbi_relax_pack);
    if (added) *added = pack;
    return added != NULL;
}

/* A name of a size is the dimension where it first stands, but for 1s, over which later ones may broadcast. Of several
 * packs in one type, the first that has no length yet is as long as `axis` says, and the last takes what is left. */
static bool bind_sizes(tirbi_relax_expansion *x, const tirbi_tc_param *p, tirbi_relax_tensor *t) {
    uint32_t fixed = 0, open = 0;
    for (uint32_t i = 0; i < p->ndim; i++) {
        const tirbi_relax_pack *known = p->sizes[i].is_pack ? tirbi_relax_pack_of(x, p->sizes[i].name) : NULL;
        fixed += known ? known->n : p->sizes[i].is_pack ? 0 : 1;
        open += p->sizes[i].is_pack && !known;
    }
    if (fixed > t->ndim || (open == 0 && fixed != t->ndim))
        return tirbi_relax_refuse(x, "`%s` has %u dimensions", t->name, (unsigned)t->ndim);
    uint32_t at = 0, left = t->ndim - fixed;
    int32_t *parts = TIRBI_NEW_ARRAY(x->arena, int32_t, p->ndim);
    if (!parts) return false;
    t->parts = parts;
    t->n_parts = p->ndim;
    for (uint32_t i = 0; i < p->ndim; i++) {
        const tirbi_tc_size *size = &p->sizes[i];
        uint32_t n = 1;
        if (size->is_pack) {
            const tirbi_relax_pack *known = tirbi_relax_pack_of(x, size->name);
            const tirbi_relax_given *axis = tirbi_relax_given_of(x, "axis");
            n = left;
            if (known)
                n = known->n;
            else if (open-- > 1)
                n = axis && axis->kind == TIRBI_RELAX_GIVEN_INTEGER ? (uint32_t)axis->as.integer : left;
            if (!known && n > left) return tirbi_relax_refuse(x, "`%s` has no dimension %u", t->name, (unsigned)n);
            if (!known) left -= n;
        }
        parts[i] = size->is_pack ? (int32_t)n : TIRBI_RELAX_NO_ELEMENT;
        if (size->name &&
            !add_pack(x,
                      (tirbi_relax_pack){.name = size->name, .is_pack = size->is_pack, .items = t->shape + at, .n = n}))
            return false;
        at += n;
    }
    return true;
}

static tirbi_relax_tensor *new_tensor(tirbi_relax_expansion *x, const char *name) {
    tirbi_relax_tensor *t = TIRBI_NEW(x->arena, tirbi_relax_tensor);
    tirbi_relax_tensor **slot = t ? TIRBI_LIST_ADD(x->arena, &x->tensors, tirbi_relax_tensor *) : NULL;
    if (!slot) return NULL;
    *slot = t;
    t->name = name;
    return t;
}

static bool bind_operand(tirbi_relax_expansion *x, const tirbi_tc_param *p, const tirbi_relax_operand *o,
                         tirb_primfunc *f) {
    const tirbi_span span = x->use->span;
    tirbi_relax_tensor *t = new_tensor(x, p->name);
    if (!t) return false;
    t->is_absent = o->is_absent;
    t->dtype = o->dtype;
    t->ndim = o->ndim;
    t->has_shape = !o->is_absent;
    if (o->is_absent) return true;
    if (x->is_inside) {
        t->shape = o->shape;
        t->buffer = o->buffer;
        return t->buffer && (!p->has_sizes || bind_sizes(x, p, t));
    }
    const tirb_expr **params = (const tirb_expr **)f->params;
    const tirb_buffer **buffers = (const tirb_buffer **)f->buffers;
    if (o->is_scalar) {
        t->scalar = params[f->n_params++] = tirbi_make_var(x->b, span, p->name, tirbi_prim_type(o->dtype));
        return t->scalar != NULL;
    }
    const tirb_expr **shape = TIRBI_NEW_ARRAY(x->arena, const tirb_expr *, o->ndim);
    for (uint32_t i = 0; shape && i < o->ndim; i++)
        if (!(shape[i] = own_dim(x, o->shape[i]))) return false;
    t->shape = shape;
    t->buffer = shape ? tirbi_make_buffer(x->b, span, p->name, o->dtype, shape, o->ndim, "global") : NULL;
    if (!t->buffer) return false;
    buffers[f->n_params] = t->buffer;
    params[f->n_params++] = tirbi_make_var(x->b, span, p->name, tirbi_pointer_type(o->dtype, "global"));
    return params[f->n_params - 1] && (!p->has_sizes || bind_sizes(x, p, t));
}

static bool bind_given(tirbi_relax_expansion *x) {
    for (uint32_t i = 0; i < x->use->n_given; i++) {
        const tirbi_relax_given *g = &x->use->given[i];
        const bool reals = g->kind == TIRBI_RELAX_GIVEN_REALS, one = g->kind == TIRBI_RELAX_GIVEN_SIZE;
        const bool sizes = one || g->kind == TIRBI_RELAX_GIVEN_SIZES;
        if (!reals && !sizes && g->kind != TIRBI_RELAX_GIVEN_LIST) continue;
        const uint32_t n = reals ? g->as.reals.n : sizes ? g->as.sizes.n : g->as.list.n;
        const tirb_expr **items = TIRBI_NEW_ARRAY(x->arena, const tirb_expr *, n);
        for (uint32_t k = 0; items && k < n; k++) {
            items[k] = sizes   ? own_dim(x, g->as.sizes.items[k])
                       : reals ? tirbi_make_float(x->b, x->use->span,
                                                  (tirb_datatype){.code = TIRB_CODE_FLOAT, .bits = 64, .lanes = 1},
                                                  g->as.reals.items[k])
                               : tirbi_make_int(x->b, x->use->span, tirbi_type_i64, g->as.list.items[k]);
            if (!items[k]) return false;
        }
        if (!items || !add_pack(x, (tirbi_relax_pack){g->name, !one, !sizes, items, n})) return false;
    }
    return true;
}

/* ---- Loops ------------------------------------------------------------------------------------------------------ */

static void close_frames(tirbi_relax_expansion *x, uint32_t depth) {
    while (x->b->frames.n > depth && !x->arena->failed) tirbi_frame_pop(x->b);
}

static const char *index_name(tirbi_relax_expansion *x, const tirbi_relax_index *index) {
    if (index->element < 0) return index->name;
    return tirbi_arena_format(x->arena, "%s%d", index->name, (int)index->element);
}

static const tirb_expr *open_loop(tirbi_relax_expansion *x, const char *name, const tirb_expr *extent) {
    const tirbi_span span = x->use->span;
    tirb_stmt *loop = tirbi_make_stmt(x->b, span, TIRB_STMT_FOR);
    if (!loop || !name) return NULL;
    loop->as.for_.var = tirbi_make_var(x->b, span, name, tirbi_prim_type(tirbi_type_i64));
    loop->as.for_.min = tirbi_make_int(x->b, span, tirbi_type_i64, 0);
    loop->as.for_.extent = extent;
    loop->as.for_.thread_tag = "";
    if (!loop->as.for_.var || !loop->as.for_.min || !tirbi_frame_push(x->b, TIRBI_FRAME_FOR, loop, span)) return NULL;
    return loop->as.for_.var;
}

static bool open_block(tirbi_relax_expansion *x, const char *name) {
    tirb_stmt *realize = tirbi_make_stmt(x->b, x->use->span, TIRB_STMT_BLOCK_REALIZE);
    tirbi_frame *frame = realize ? tirbi_frame_push(x->b, TIRBI_FRAME_BLOCK, realize, x->use->span) : NULL;
    if (!frame || !frame->block) return false;
    frame->block->name = name;
    return true;
}

static bool add_axis(tirbi_relax_expansion *x, tirbi_relax_index *index, const char *name, const tirb_expr *loop_var) {
    const tirbi_span span = x->use->span;
    tirbi_frame *frame = tirbi_frame_top(x->b);
    const char *own_name = tirbi_arena_format(x->arena, "v_%s", name);
    index->value = own_name ? tirbi_make_var(x->b, span, own_name, tirbi_prim_type(tirbi_type_i64)) : NULL;
    tirb_itervar *iter = TIRBI_LIST_ADD(x->arena, &frame->iters, tirb_itervar);
    const tirb_expr **slot = TIRBI_LIST_ADD(x->arena, &frame->values, const tirb_expr *);
    if (!index->value || !iter || !slot) return false;
    *iter = (tirb_itervar){.dom = {tirbi_make_int(x->b, span, tirbi_type_i64, 0), index->extent},
                           .var = index->value,
                           .type = index->is_left ? TIRB_ITER_DATA_PAR : TIRB_ITER_COMM_REDUCE,
                           .thread_tag = ""};
    *slot = loop_var;
    return iter->dom.min != NULL;
}

/* Loops over the indices of the statement, those on the left alone or all, with a block in them or without. */
static bool open_nest(tirbi_relax_expansion *x, bool left_alone, const char *block) {
    tirbi_relax_index *indices = x->indices.items;
    const tirb_expr **vars = TIRBI_NEW_ARRAY(x->arena, const tirb_expr *, x->indices.n);
    for (int left = 1; left >= 0 && vars; left--)
        for (uint32_t i = 0; i < x->indices.n; i++) {
            if (indices[i].is_left != (left == 1) || (left_alone && !indices[i].is_left)) continue;
            indices[i].value = vars[i] = open_loop(x, index_name(x, &indices[i]), indices[i].extent);
            if (!vars[i]) return false;
        }
    if (!vars || !block) return vars != NULL;
    if (!open_block(x, block)) return false;
    for (int left = 1; left >= 0; left--)
        for (uint32_t i = 0; i < x->indices.n; i++) {
            if (indices[i].is_left != (left == 1) || (left_alone && !indices[i].is_left)) continue;
            if (!add_axis(x, &indices[i], index_name(x, &indices[i]), vars[i])) return false;
        }
    return true;
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

static const tirb_expr *identity_of(tirbi_relax_expansion *x, tirb_datatype type) {
    const tirbi_tc_assign assign = x->stmt->assign;
    const bool least = assign == TIRBI_TC_LEAST;
    const tirbi_span span = x->use->span;
    if (tirbi_type_is_bool(type)) return tirbi_make_bool(x->b, span, assign == TIRBI_TC_PRODUCT || least);
    if (assign == TIRBI_TC_SUM || assign == TIRBI_TC_PRODUCT)
        return tirbi_make_number(x->b, span, type, assign == TIRBI_TC_PRODUCT);
    if (tirbi_type_is_float(type))
        return tirbi_make_float(x->b, span, type, least ? tirb_datatype_max(type) : -tirb_datatype_max(type));
    const uint64_t ones = UINT64_MAX >> (64 - type.bits);
    int64_t value = least ? (int64_t)(ones >> 1) : -(int64_t)(ones >> 1) - 1;
    if (type.code == TIRB_CODE_UINT) value = least ? (int64_t)ones : 0;
    return tirbi_make_int(x->b, span, type, value);
}

static const tirb_expr *const *left_indices(tirbi_relax_expansion *x, const tirbi_relax_tensor *t, uint32_t *n) {
    tirbi_list slots = {.n = 0};
    if (!tirbi_relax_spread(x, x->stmt->subscripts, x->stmt->n_subscripts, TIRBI_RELAX_NO_ELEMENT, &slots)) return NULL;
    *n = slots.n;
    if (slots.n != t->ndim) {
        tirbi_relax_refuse(x, "`%s` has %u dimensions and %u subscripts", t->name, (unsigned)t->ndim,
                           (unsigned)slots.n);
        return NULL;
    }
    return tirbi_relax_evaluate_slots(x, &slots);
}

static bool store(tirbi_relax_expansion *x, const tirbi_relax_tensor *t, const tirb_expr *value, bool combines) {
    static const tirbi_tc_expr_kind kinds[] = {[TIRBI_TC_SUM] = TIRBI_TC_ADD,
                                               [TIRBI_TC_PRODUCT] = TIRBI_TC_MUL,
                                               [TIRBI_TC_LEAST] = TIRBI_TC_MIN,
                                               [TIRBI_TC_GREATEST] = TIRBI_TC_MAX};
    uint32_t n;
    const tirb_expr *const *indices = value ? left_indices(x, t, &n) : NULL;
    if (!indices) return false;
    if (combines) {
        const tirb_expr *old = tirbi_make_load(x->b, x->use->span, t->buffer, indices, n, NULL);
        value = tirbi_relax_combine(x, kinds[x->stmt->assign], old, value);
    }
    if (value) tirbi_emit_store(x->b, x->use->span, t->buffer, value, indices, n, NULL);
    return value != NULL;
}

/* Whether the left is distinct indices and numbers, and the value does not read what it computes: then a block has it,
 * else plain loops, in order. */
static bool reads(const tirbi_tc_expr *e, const char *name) {
    if ((e->kind == TIRBI_TC_READ || e->kind == TIRBI_TC_NAME) && strcmp(e->name, name) == 0) return true;
    for (uint32_t i = 0; i < e->n_args; i++)
        if (reads(e->args[i], name)) return true;
    return false;
}

static bool is_ordered(tirbi_relax_expansion *x) {
    tirbi_list slots = {.n = 0};
    if (!tirbi_relax_spread(x, x->stmt->subscripts, x->stmt->n_subscripts, TIRBI_RELAX_NO_ELEMENT, &slots)) return true;
    const tirbi_relax_slot *items = slots.items;
    for (uint32_t i = 0; i < slots.n; i++) {
        const tirbi_relax_index *index = tirbi_relax_index_of(x, &items[i]);
        if (!index && items[i].element != TIRBI_RELAX_ZERO_ELEMENT && items[i].e->kind != TIRBI_TC_INT) return true;
        for (uint32_t k = 0; k < i && index; k++)
            if (tirbi_relax_index_of(x, &items[k]) == index) return true;
    }
    if (x->stmt->assign == TIRBI_TC_SET && x->indices.n > 0) {
        const tirbi_relax_index *indices = x->indices.items;
        for (uint32_t i = 0; i < x->indices.n; i++)
            if (!indices[i].is_left) return true;
    }
    return reads(x->stmt->value, x->stmt->name);
}

static bool emit_start(tirbi_relax_expansion *x, const tirbi_relax_tensor *t) {
    const uint32_t depth = x->b->frames.n;
    const char *name = tirbi_arena_format(x->arena, "%s_init", t->name);
    const bool done = name && open_nest(x, true, name) && store(x, t, identity_of(x, t->dtype), false);
    close_frames(x, depth);
    return done;
}

/* A block whose reduction has no iterations does not run, not even what begins it. */
static bool emit_start_of_nothing(tirbi_relax_expansion *x, const tirbi_relax_tensor *t) {
    const tirbi_span span = x->use->span;
    const tirbi_relax_index *indices = x->indices.items;
    const tirb_expr *none = NULL, *zero = tirbi_make_int(x->b, span, tirbi_type_i64, 0);
    for (uint32_t i = 0; i < x->indices.n; i++) {
        const tirb_expr *extent = indices[i].extent;
        if (indices[i].is_left || (extent->kind == TIRB_EXPR_INT_IMM && extent->as.int_value > 0)) continue;
        if (extent->kind == TIRB_EXPR_INT_IMM) return emit_start(x, t);
        const tirb_expr *empty = zero ? tirbi_make_compare(x->b, span, TIRB_EXPR_EQ, extent, zero) : NULL;
        none = none && empty ? tirbi_make_raw_binary(x->b, span, TIRB_EXPR_OR, none, empty) : empty;
        if (!none) return false;
    }
    if (!none) return true;
    tirb_stmt *choice = tirbi_make_stmt(x->b, span, TIRB_STMT_IF);
    if (!choice) return false;
    choice->as.if_.condition = none;
    const uint32_t depth = x->b->frames.n;
    const bool done = tirbi_frame_push(x->b, TIRBI_FRAME_THEN, choice, span) && emit_start(x, t);
    close_frames(x, depth);
    return done;
}

/* The type of what a statement computes, for a temporary: found by computing it at no place. */
static bool type_of_value(tirbi_relax_expansion *x, tirb_datatype *out) {
    tirbi_relax_index *indices = x->indices.items;
    const tirb_expr *zero = tirbi_make_int(x->b, x->use->span, tirbi_type_i64, 0);
    for (uint32_t i = 0; i < x->indices.n; i++) indices[i].value = zero;
    const tirbi_relax_value v = tirbi_relax_evaluate(x, x->stmt->value, TIRBI_RELAX_NO_ELEMENT);
    if (v.e) *out = tirbi_relax_value_type(v);
    return v.e != NULL;
}

/* How the left is written: an index by itself, or packs. */
static bool find_parts(tirbi_relax_expansion *x, tirbi_relax_tensor *t) {
    const tirbi_tc_stmt *stmt = x->stmt;
    int32_t *parts = TIRBI_NEW_ARRAY(x->arena, int32_t, stmt->n_subscripts);
    for (uint32_t i = 0; parts && i < stmt->n_subscripts; i++) {
        tirbi_list slots = {.n = 0};
        if (!tirbi_relax_spread(x, &stmt->subscripts[i], 1, TIRBI_RELAX_NO_ELEMENT, &slots)) return false;
        const bool is_list = stmt->subscripts[i]->kind == TIRBI_TC_READ || stmt->subscripts[i]->kind == TIRBI_TC_PACK;
        parts[i] = is_list ? (int32_t)slots.n : TIRBI_RELAX_NO_ELEMENT;
    }
    t->parts = parts;
    t->n_parts = stmt->n_subscripts;
    return parts != NULL;
}

/* A temporary is as large as the indices on the left say where it is first assigned. */
static tirbi_relax_tensor *make_temporary(tirbi_relax_expansion *x) {
    tirbi_relax_tensor *t = new_tensor(x, x->stmt->name);
    tirbi_list slots = {.n = 0};
    if (!t || !type_of_value(x, &t->dtype) ||
        !tirbi_relax_spread(x, x->stmt->subscripts, x->stmt->n_subscripts, TIRBI_RELAX_NO_ELEMENT, &slots))
        return NULL;
    const tirb_expr **shape = TIRBI_NEW_ARRAY(x->arena, const tirb_expr *, slots.n);
    for (uint32_t i = 0; shape && i < slots.n; i++) {
        const tirbi_relax_index *index = tirbi_relax_index_of(x, &((const tirbi_relax_slot *)slots.items)[i]);
        shape[i] = index ? index->extent : tirbi_make_int(x->b, x->use->span, tirbi_type_i64, 1);
    }
    t->ndim = slots.n;
    t->shape = shape;
    t->has_shape = true;
    if (!find_parts(x, t)) return NULL;
    t->buffer = shape ? tirbi_make_buffer(x->b, x->use->span, t->name, t->dtype, shape, t->ndim, "global") : NULL;
    const tirb_buffer **slot =
        t->buffer ? TIRBI_LIST_ADD(x->arena, &tirbi_frame_allocs(x->b)->allocs, const tirb_buffer *) : NULL;
    if (!slot) return NULL;
    *slot = t->buffer;
    return t;
}

/* ---- Changes ----------------------------------------------------------------------------------------------------- */

static bool same_expr(const tirbi_tc_expr *a, const tirbi_tc_expr *b) {
    if (a->kind != b->kind || a->n_args != b->n_args || a->int_value != b->int_value ||
        a->float_value != b->float_value || (a->name && strcmp(a->name, b->name) != 0))
        return false;
    for (uint32_t i = 0; i < a->n_args; i++)
        if (!same_expr(a->args[i], b->args[i])) return false;
    return true;
}

/* Whether the statement leaves an element as it is where a condition does not hold: `y(i) = c ? v : y(i)`. */
static bool is_change(const tirbi_tc_stmt *stmt) {
    const tirbi_tc_expr *e = stmt->value;
    if (stmt->assign != TIRBI_TC_SET || e->kind != TIRBI_TC_CHOICE || e->args[2]->kind != TIRBI_TC_READ ||
        strcmp(e->args[2]->name, stmt->name) != 0 || e->args[2]->n_args != stmt->n_subscripts)
        return false;
    for (uint32_t i = 0; i < stmt->n_subscripts; i++)
        if (!same_expr(e->args[2]->args[i], stmt->subscripts[i])) return false;
    return true;
}

/* Whether an index that no loop runs yet is in it. */
static bool waits(const tirbi_relax_expansion *x, const tirbi_tc_expr *e) {
    const tirbi_relax_index *indices = x->indices.items;
    if (e->kind == TIRBI_TC_NAME) {
        const tirbi_tc_expr *let = tirbi_relax_let_of(x, e->name);
        if (let) return waits(x, let);
        for (uint32_t i = 0; i < x->indices.n; i++)
            if (!indices[i].value && strcmp(indices[i].name, e->name) == 0) return true;
    }
    for (uint32_t i = 0; i < e->n_args; i++)
        if (waits(x, e->args[i])) return true;
    return false;
}

/* What is left of a conjunction, in order. */
typedef struct conditions {
    const tirbi_tc_expr *items[32];
    uint32_t n, done;
} conditions;

static bool list_conditions(tirbi_relax_expansion *x, const tirbi_tc_expr *e, conditions *c) {
    if (e->kind == TIRBI_TC_AND) return list_conditions(x, e->args[0], c) && list_conditions(x, e->args[1], c);
    if (c->n == sizeof c->items / sizeof *c->items) return tirbi_relax_refuse(x, "too many conditions");
    c->items[c->n++] = e;
    return true;
}

/* The conditions at the front whose indices all have loops. */
static bool open_conditions(tirbi_relax_expansion *x, conditions *c) {
    const tirb_expr *all = NULL;
    for (; c->done < c->n && !waits(x, c->items[c->done]); c->done++) {
        const tirb_expr *e = tirbi_relax_evaluate(x, c->items[c->done], TIRBI_RELAX_NO_ELEMENT).e;
        all = e && all ? tirbi_make_raw_binary(x->b, x->use->span, TIRB_EXPR_AND, all, e) : e;
        if (!all) return false;
    }
    if (!all) return true;
    tirb_stmt *choice = tirbi_make_stmt(x->b, x->use->span, TIRB_STMT_IF);
    if (!choice) return false;
    choice->as.if_.condition = all;
    return tirbi_frame_push(x->b, TIRBI_FRAME_THEN, choice, x->use->span) != NULL;
}

/* Loops in the order of the where clauses, those of other indices first. Conditions are asked as soon as their indices
 * have loops, so that where one does not hold no loop inside runs. */
static bool emit_change(tirbi_relax_expansion *x, const tirbi_relax_tensor *t) {
    const tirbi_tc_stmt *stmt = x->stmt;
    const tirbi_tc_expr *value = stmt->value;
    tirbi_relax_index *indices = x->indices.items;
    conditions c = {.n = 0};
    if (!list_conditions(x, value->args[0], &c)) return false;
    for (uint32_t i = 0; i < x->indices.n; i++) indices[i].value = NULL;
    for (uint32_t k = 0; k <= stmt->n_clauses; k++)
        for (uint32_t i = 0; i < x->indices.n; i++) {
            const tirbi_tc_clause *clause = k ? &stmt->clauses[k - 1] : NULL;
            bool is_here = clause && clause->kind == TIRBI_TC_IN && strcmp(clause->name, indices[i].name) == 0;
            for (uint32_t j = 0; !clause && j < stmt->n_clauses && !is_here; j++)
                is_here = stmt->clauses[j].kind == TIRBI_TC_IN && strcmp(stmt->clauses[j].name, indices[i].name) == 0;
            if (is_here != (clause != NULL)) continue;
            if (!open_conditions(x, &c)) return false;
            indices[i].value = open_loop(x, index_name(x, &indices[i]), indices[i].extent);
            if (!indices[i].value) return false;
        }
    if (!open_conditions(x, &c)) return false;
    return store(x, t, tirbi_relax_as(x, tirbi_relax_evaluate(x, value->args[1], TIRBI_RELAX_NO_ELEMENT), t->dtype),
                 false);
}

static bool emit_statement(tirbi_relax_expansion *x, const tirbi_tc_stmt *stmt) {
    x->stmt = stmt;
    if (stmt->callee_name) return tirbi_relax_refuse(x, "calls of defs are no part of operators");
    if (!tirbi_relax_find_indices(x)) return false;
    tirbi_relax_tensor *t = tirbi_relax_tensor_of(x, stmt->name);
    if (!t) t = make_temporary(x);
    if (!t) return false;
    const bool ordered = is_ordered(x);
    bool reduces = false;
    const tirbi_relax_index *indices = x->indices.items;
    for (uint32_t i = 0; i < x->indices.n; i++) reduces = reduces || !indices[i].is_left;
    const bool starts = stmt->assign != TIRBI_TC_SET && stmt->starts_over && reduces && !ordered;
    if (starts && !emit_start_of_nothing(x, t)) return false;
    const uint32_t depth = x->b->frames.n;
    if (ordered && is_change(stmt)) {
        const bool changed = emit_change(x, t);
        close_frames(x, depth);
        return changed;
    }
    bool done = open_nest(x, false, ordered ? NULL : stmt->name);
    if (done && starts) {
        done = tirbi_frame_push(x->b, TIRBI_FRAME_INIT, NULL, x->use->span) &&
               store(x, t, identity_of(x, t->dtype), false);
        if (done) tirbi_frame_pop(x->b);
    }
    const bool combines = stmt->assign != TIRBI_TC_SET && (reduces || ordered || !stmt->starts_over);
    done =
        done && store(x, t, tirbi_relax_as(x, tirbi_relax_evaluate(x, stmt->value, TIRBI_RELAX_NO_ELEMENT), t->dtype),
                      combines);
    close_frames(x, depth);
    return done;
}

/* ---- Functions -------------------------------------------------------------------------------------------------- */

/* `f`: gets the parameters; NULL: the operands exist. */
static bool bind_all(tirbi_relax_expansion *x, tirb_primfunc *f) {
    const tirbi_relax_use *use = x->use;
    if (!bind_given(x)) return false;
    for (uint32_t i = 0; i < use->def->n_params + use->def->n_returns; i++) {
        const bool is_result = i >= use->def->n_params;
        const uint32_t at = is_result ? i - use->def->n_params : i;
        if (!bind_operand(x, is_result ? &use->def->returns[at] : &use->def->params[at],
                          is_result ? &use->outputs[at] : &use->inputs[at], f))
            return false;
    }
    return true;
}

static bool emit_statements(tirbi_relax_expansion *x) {
    for (uint32_t i = 0; i < x->use->def->n_stmts; i++)
        if (!emit_statement(x, &x->use->def->stmts[i])) return false;
    return true;
}

static bool expand(tirbi_relax_expansion *x, tirb_primfunc *f) {
    const tirbi_relax_use *use = x->use;
    const uint32_t n = use->def->n_params + use->def->n_returns;
    f->params = TIRBI_NEW_ARRAY(x->arena, const tirb_expr *, n);
    f->buffers = TIRBI_NEW_ARRAY(x->arena, const tirb_buffer *, n);
    if (!f->params || !f->buffers || !bind_all(x, f)) return false;
    if (!tirbi_frame_push(x->b, TIRBI_FRAME_FUNCTION, NULL, use->span) || !emit_statements(x)) return false;
    if (use->body && !use->body(use->context, x->b, f)) return false;
    tirbi_function_finish(x->b, f);
    return !x->arena->failed;
}

bool tirbi_relax_expand_into(const tirbi_relax_use *use, tirbi_builder *b) {
    tirbi_relax_expansion x = {.use = use, .arena = b->arena, .b = b, .is_inside = true};
    if (use->body) return tirbi_relax_refuse(&x, "it is no text alone");
    for (uint32_t i = 0; i < use->def->n_params; i++)
        if (use->inputs[i].is_scalar) return tirbi_relax_refuse(&x, "an operand is a number");
    const uint32_t depth = b->frames.n;
    const bool done = bind_all(&x, NULL) && emit_statements(&x);
    close_frames(&x, depth);
    return done && !b->arena->failed;
}

tirb_primfunc *tirbi_relax_expand(const tirbi_relax_use *use, tirbi_builder *b) {
    tirbi_relax_expansion x = {.use = use, .arena = b->arena, .b = b};
    tirb_primfunc *f = TIRBI_NEW(b->arena, tirb_primfunc);
    if (!f) return NULL;
    *f = (tirb_primfunc){.name = use->name,
                         .is_private = true,
                         .s_tir = true,
                         .ret_type = {.kind = TIRB_TYPE_TUPLE, .dtype = tirbi_type_void, .scope = ""},
                         .span = use->span};
    const uint32_t depth = b->frames.n;
    const bool done = expand(&x, f);
    close_frames(&x, depth);
    return done ? f : NULL;
}

/* ---- Texts ------------------------------------------------------------------------------------------------------ */

const tirbi_tc_def *tirbi_relax_find_def(const tirbi_tc_program *texts, const char *name) {
    for (uint32_t i = 0; i < texts->n_defs; i++)
        if (strcmp(texts->defs[i]->name, name) == 0) return texts->defs[i];
    return NULL;
}

const tirbi_tc_program *tirbi_relax_read_texts(tirbi_arena *arena, tirbi_diagnostics *diagnostics) {
    tirbi_tc_program *all = TIRBI_NEW(arena, tirbi_tc_program);
    tirbi_list defs = {.n = 0};
    for (unsigned i = 0; all && i < tirbi_n_relax_texts; i++) {
        const tirbi_relax_text *text = &tirbi_relax_texts[i];
        tirbi_source source;
        if (!tirbi_source_init(&source, text->name, text->text, (uint32_t)text->size, arena)) return NULL;
        const tirbi_source *outer = diagnostics->source;
        const uint32_t n_errors = diagnostics->n_errors;
        diagnostics->source = &source;
        const tirbi_tc_program *program = tirbi_tc_read_operators(&source, arena, diagnostics);
        diagnostics->source = outer;
        if (!program || diagnostics->n_errors > n_errors) return NULL;
        for (uint32_t k = 0; k < program->n_defs; k++) {
            tirbi_tc_def **slot = TIRBI_LIST_ADD(arena, &defs, tirbi_tc_def *);
            if (!slot) return NULL;
            *slot = program->defs[k];
        }
    }
    if (all) *all = (tirbi_tc_program){.defs = defs.items, .n_defs = defs.n};
    return all;
}
