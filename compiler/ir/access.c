#include "compiler/ir/access.h"

#include <string.h>

#include "compiler/ir/builder.h"
#include "compiler/ir/choice.h"
#include "compiler/ir/equal.h"
#include "compiler/ir/linear.h"
#include "compiler/ir/visit.h"

/* Deeper expressions, and more loops or buffers, are left undetected: evaluation recurses and compares in pairs. */
enum { MAX_DEPTH = 40, MAX_DOMAINS = 48, MAX_REGIONS = 64, MAX_DIMS = 16 };

typedef enum span_kind {
    SPAN_UNKNOWN,
    SPAN_POINT, /* one value, which no loop of the block changes */
    SPAN_RANGE,
    SPAN_ALL /* any value: the whole dimension */
} span_kind;

/* The values of an index: from min to max. */
typedef struct value_span {
    span_kind kind;
    tirb_datatype type;
    const tirb_expr *point; /* POINT: as it is written */
    tirbi_linear min, max;  /* POINT, RANGE */
} value_span;

/* The values of a variable that is bound inside of the block. The last domain of a variable counts. */
typedef struct domain {
    const tirb_expr *var;
    bool is_loop; /* else the variable stands for an expression */
    bool varies;  /* from one iteration of a loop in the block to another */
    value_span values;
} domain;

typedef struct touched {
    const tirb_buffer *buffer;
    value_span *dims; /* buffer->ndim */
} touched;

typedef struct touched_list {
    touched items[MAX_REGIONS];
    uint32_t n;
    bool unknown;
} touched_list;

typedef struct access {
    tirbi_visitor visitor;
    tirbi_builder *builder;
    const tirb_block *block;
    domain domains[MAX_DOMAINS];
    uint32_t n_domains;
    tirbi_list own; /* of const tirb_buffer *: those that the block itself makes */
    touched_list reads, writes;
} access;

static void give_up(access *a) { a->reads.unknown = a->writes.unknown = true; }

/* ---- Sums ------------------------------------------------------------------------------------------------------- */

static bool is_constant(const tirbi_linear *l) {
    for (uint32_t i = 0; i < l->n; i++)
        if (l->factors[i] != 0) return false;
    return !l->overflow;
}

/* Whether x - y is a constant, which goes to *out. */
static bool difference(const tirbi_linear *x, const tirbi_linear *y, int64_t *out) {
    tirbi_linear d = {.n = 0};
    tirbi_linear_add_scaled(&d, x, 1);
    tirbi_linear_add_scaled(&d, y, -1);
    *out = d.constant;
    return is_constant(&d) && tirbi_is_moderate(d.constant);
}

/* ---- Values of an index ----------------------------------------------------------------------------------------- */

static const domain *domain_of(const access *a, const tirb_expr *var) {
    for (uint32_t i = a->n_domains; i > 0; i--)
        if (a->domains[i - 1].var == var) return &a->domains[i - 1];
    return NULL;
}

static bool is_own(const access *a, const tirb_buffer *buffer) {
    const tirb_buffer *const *own = a->own.items;
    for (uint32_t i = 0; i < a->own.n; i++)
        if (own[i] == buffer) return true;
    return false;
}

typedef struct mention {
    tirbi_visitor visitor;
    const access *access;
    const tirb_expr *loop; /* the variable of a loop in the block */
    bool varies;           /* from one iteration to another */
    bool inner;            /* any variable that is bound in the block */
    bool others;           /* variables beside `loop`, and loads */
} mention;

static void note_mention(tirbi_visitor *v, const tirb_expr *e) {
    mention *m = v->context;
    if (e->kind == TIRB_EXPR_LOAD) m->others = true;
    /* TVM takes what the block's own buffers hold for one value, and refuses the region then. */
    if (e->kind == TIRB_EXPR_LOAD && is_own(m->access, e->as.load.buffer)) m->varies = m->inner = true;
    if (e->kind != TIRB_EXPR_VAR) {
        tirbi_visit_expr(v, e);
        return;
    }
    const domain *d = domain_of(m->access, e);
    if (d && d->is_loop && (!m->loop || m->loop == e))
        m->loop = e;
    else
        m->others = true;
    m->inner |= d != NULL;
    m->varies |= d && d->varies;
}

static mention mentions(const access *a, const tirb_expr *e) {
    mention m = {.visitor = {.expr = note_mention}, .access = a};
    m.visitor.context = &m;
    note_mention(&m.visitor, e);
    return m;
}

static value_span span_of_kind(span_kind kind) { return (value_span){.kind = kind}; }

static bool is_bounded(const value_span *s) { return s->kind == SPAN_POINT || s->kind == SPAN_RANGE; }

/* What an operation on x and y gives where not both are bounded. */
static value_span unbounded(const value_span *x, const value_span *y) {
    return span_of_kind(x->kind == SPAN_UNKNOWN || y->kind == SPAN_UNKNOWN ? SPAN_UNKNOWN : SPAN_ALL);
}

static value_span span_point(const tirb_expr *e) {
    value_span s = {.kind = SPAN_POINT, .point = e};
    tirbi_linear_add(&s.min, e, 1);
    s.max = s.min;
    return s;
}

static value_span evaluate(access *a, const tirb_expr *e);

static value_span evaluate_sum(access *a, const tirb_expr *e) {
    value_span x = evaluate(a, e->as.binary.a), y = evaluate(a, e->as.binary.b);
    if (!is_bounded(&x) || !is_bounded(&y)) return unbounded(&x, &y);
    bool minus = e->kind == TIRB_EXPR_SUB;
    x.kind = SPAN_RANGE;
    tirbi_linear_add_scaled(&x.min, minus ? &y.max : &y.min, minus ? -1 : 1);
    tirbi_linear_add_scaled(&x.max, minus ? &y.min : &y.max, minus ? -1 : 1);
    return x;
}

static value_span evaluate_product(access *a, const tirb_expr *e) {
    bool left = e->as.binary.a->kind == TIRB_EXPR_INT_IMM;
    const tirb_expr *by = left ? e->as.binary.a : e->as.binary.b;
    if (by->kind != TIRB_EXPR_INT_IMM || !tirbi_is_moderate(by->as.int_value)) return span_of_kind(SPAN_UNKNOWN);
    value_span x = evaluate(a, left ? e->as.binary.b : e->as.binary.a);
    if (!is_bounded(&x)) return x;
    int64_t factor = by->as.int_value;
    value_span out = {.kind = SPAN_RANGE};
    tirbi_linear_add_scaled(&out.min, factor < 0 ? &x.max : &x.min, factor);
    tirbi_linear_add_scaled(&out.max, factor < 0 ? &x.min : &x.max, factor);
    return out;
}

static int64_t floor_divided(int64_t x, int64_t by) { return x / by - (x % by < 0); }

static bool divide_terms(tirbi_linear *l, int64_t by) {
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->factors[i] % by != 0) return false;
        l->factors[i] /= by;
    }
    l->constant = floor_divided(l->constant, by);
    return !l->overflow;
}

/* Whether an expression steps by ones: TVM knows of a product which values it leaves out. */
static bool steps_by_ones(const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_ADD || e->kind == TIRB_EXPR_SUB)
        return steps_by_ones(e->as.binary.a) && steps_by_ones(e->as.binary.b);
    return e->kind == TIRB_EXPR_VAR || e->kind == TIRB_EXPR_INT_IMM;
}

static value_span evaluate_quotient(access *a, const tirb_expr *e) {
    bool rest = e->kind == TIRB_EXPR_FLOORMOD || e->kind == TIRB_EXPR_MOD;
    bool truncates = e->kind == TIRB_EXPR_DIV || e->kind == TIRB_EXPR_MOD;
    const tirb_expr *by = e->as.binary.b;
    if (by->kind != TIRB_EXPR_INT_IMM || by->as.int_value <= 0 || !tirbi_is_moderate(by->as.int_value))
        return span_of_kind(SPAN_UNKNOWN);
    value_span x = evaluate(a, e->as.binary.a);
    if (!is_bounded(&x)) return x;
    if (truncates && !(is_constant(&x.min) && is_constant(&x.max) && x.min.constant >= 0))
        return span_of_kind(SPAN_UNKNOWN);
    value_span whole = {.kind = SPAN_RANGE, .min = x.min, .max = x.max};
    bool divides = divide_terms(&whole.min, by->as.int_value) && divide_terms(&whole.max, by->as.int_value);
    if (!rest) return divides ? whole : span_of_kind(SPAN_UNKNOWN);
    int64_t steps;
    bool one_period = divides && difference(&whole.max, &whole.min, &steps) && steps == 0;
    if (!one_period && !steps_by_ones(e->as.binary.a)) return span_of_kind(SPAN_UNKNOWN);
    value_span out = {.kind = SPAN_RANGE};
    out.min.constant = one_period ? x.min.constant - whole.min.constant * by->as.int_value : 0;
    out.max.constant = one_period ? x.max.constant - whole.max.constant * by->as.int_value : by->as.int_value - 1;
    return out;
}

static value_span evaluate_choice(access *a, const tirb_expr *e) {
    bool select = e->kind == TIRB_EXPR_SELECT;
    value_span x = evaluate(a, select ? e->as.select.true_value : e->as.binary.a);
    value_span y = evaluate(a, select ? e->as.select.false_value : e->as.binary.b);
    if (!is_bounded(&x) || !is_bounded(&y) || !is_constant(&x.min) || !is_constant(&x.max) ||
        !is_constant(&y.min) || !is_constant(&y.max))
        return span_of_kind(SPAN_UNKNOWN);
    bool least = e->kind != TIRB_EXPR_MAX, most = e->kind != TIRB_EXPR_MIN; /* which of two minima, of two maxima */
    value_span out = {.kind = SPAN_RANGE};
    out.min.constant = (x.min.constant < y.min.constant) == least ? x.min.constant : y.min.constant;
    out.max.constant = (x.max.constant > y.max.constant) == most ? x.max.constant : y.max.constant;
    return out;
}

static value_span evaluate_call(const tirb_expr *e) {
    if (e->as.call.function || e->as.call.function_name) return span_of_kind(SPAN_UNKNOWN);
    switch (e->as.call.builtin) {
    case TIRB_BUILTIN_IF_THEN_ELSE:
    case TIRB_BUILTIN_SHIFT_LEFT:
    case TIRB_BUILTIN_SHIFT_RIGHT:
    case TIRB_BUILTIN_BITWISE_AND:
    case TIRB_BUILTIN_BITWISE_OR:
    case TIRB_BUILTIN_BITWISE_XOR:
        return span_of_kind(SPAN_ALL);
    default:
        return span_of_kind(SPAN_UNKNOWN);
    }
}

static value_span evaluate_ramp(access *a, const tirb_expr *e) {
    value_span x = evaluate(a, e->as.ramp.base);
    const tirb_expr *stride = e->as.ramp.stride;
    if (!is_bounded(&x)) return x;
    if (stride->kind != TIRB_EXPR_INT_IMM || !tirbi_is_moderate(stride->as.int_value))
        return span_of_kind(SPAN_UNKNOWN);
    x.kind = SPAN_RANGE;
    int64_t last = stride->as.int_value * (e->dtype.lanes - 1);
    tirbi_linear *moved = last < 0 ? &x.min : &x.max;
    moved->constant += last;
    return x;
}

static value_span evaluate_varying(access *a, const tirb_expr *e) {
    switch (e->kind) {
    case TIRB_EXPR_ADD:
    case TIRB_EXPR_SUB:
        return evaluate_sum(a, e);
    case TIRB_EXPR_MUL:
        return evaluate_product(a, e);
    case TIRB_EXPR_DIV:
    case TIRB_EXPR_MOD:
    case TIRB_EXPR_FLOORDIV:
    case TIRB_EXPR_FLOORMOD:
        return evaluate_quotient(a, e);
    case TIRB_EXPR_MIN:
    case TIRB_EXPR_MAX:
    case TIRB_EXPR_SELECT:
        return evaluate_choice(a, e);
    case TIRB_EXPR_LOAD:
        return span_of_kind(SPAN_ALL);
    case TIRB_EXPR_CALL:
        return evaluate_call(e);
    case TIRB_EXPR_RAMP:
        return evaluate_ramp(a, e);
    case TIRB_EXPR_BROADCAST:
        return evaluate(a, e->as.broadcast.value);
    default:
        return span_of_kind(SPAN_UNKNOWN);
    }
}

/* An expression that no loop of the block changes, in variables from outside, with nothing folded; NULL where TVM does
 * not take it for one value, or that is not known. */
static const tirb_expr *point_of(access *a, const tirb_expr *e) {
    switch (e->kind) {
    case TIRB_EXPR_VAR: {
        const domain *d = domain_of(a, e);
        return d ? d->values.point : e;
    }
    case TIRB_EXPR_INT_IMM:
        return e;
    case TIRB_EXPR_LOAD:
        return e->as.load.predicate || e->dtype.lanes != 1 || mentions(a, e).inner ? NULL : e;
    case TIRB_EXPR_ADD:
    case TIRB_EXPR_SUB:
    case TIRB_EXPR_MUL:
    case TIRB_EXPR_FLOORDIV:
    case TIRB_EXPR_FLOORMOD:
    case TIRB_EXPR_MIN:
    case TIRB_EXPR_MAX: {
        const tirb_expr *x = point_of(a, e->as.binary.a), *y = point_of(a, e->as.binary.b);
        if (x == e->as.binary.a && y == e->as.binary.b) return e;
        return x && y ? tirbi_make_raw_binary(a->builder, e->span, e->kind, x, y) : NULL;
    }
    default:
        return NULL;
    }
}

static value_span evaluate(access *a, const tirb_expr *e) {
    if (e->depth > MAX_DEPTH) return span_of_kind(SPAN_UNKNOWN);
    value_span s;
    bool varies = e->kind == TIRB_EXPR_RAMP || e->kind == TIRB_EXPR_CALL || mentions(a, e).varies;
    const tirb_expr *point = varies ? NULL : point_of(a, e);
    if (varies)
        s = e->kind == TIRB_EXPR_VAR ? domain_of(a, e)->values : evaluate_varying(a, e);
    else
        s = point ? span_point(point) : span_of_kind(SPAN_UNKNOWN);
    s.type = tirbi_type_element(e->dtype);
    return s;
}

/* From the first to the last of a range. */
static value_span evaluate_range(access *a, const tirb_expr *min, const tirb_expr *extent) {
    value_span first = evaluate(a, min);
    if (tirbi_is_const_int(extent, 1)) return first;
    value_span length = evaluate(a, extent);
    if (!is_bounded(&first) || !is_bounded(&length)) return unbounded(&first, &length);
    first.kind = SPAN_RANGE;
    tirbi_linear_add_scaled(&first.max, &length.max, 1);
    first.max.constant--;
    return first;
}

/* ---- What is touched -------------------------------------------------------------------------------------------- */

/* The smallest span around both. */
static value_span united(access *a, tirbi_span span, const value_span *x, const value_span *y) {
    if (!is_bounded(x) || !is_bounded(y)) return unbounded(x, y);
    value_span out = {.kind = SPAN_RANGE, .type = x->type};
    if (!tirb_datatype_equal(x->type, y->type) ||
        !tirbi_linear_choose(a->builder, span, x->type, TIRB_EXPR_MIN, &x->min, &y->min, &out.min) ||
        !tirbi_linear_choose(a->builder, span, x->type, TIRB_EXPR_MAX, &x->max, &y->max, &out.max))
        return span_of_kind(SPAN_UNKNOWN);
    return out;
}

/* Those elements of the region that the block has as the matched buffer. Leading dimensions of the region that the
 * buffer has not are of extent 1. */
static bool source_dims(access *a, const tirb_match_buffer *match, const value_span *dims, value_span *out) {
    uint32_t ndim = match->source.buffer->ndim, n_more = ndim - match->buffer->ndim;
    if (ndim > MAX_DIMS || match->buffer->ndim > ndim) return false;
    for (uint32_t i = 0; i < ndim; i++) {
        const tirb_expr *min = match->source.region[i].min;
        value_span first = evaluate(a, min);
        out[i] = first;
        if (i < n_more) continue;
        const tirb_expr *extent = match->buffer->shape[i - n_more];
        value_span within = dims[i - n_more];
        if (within.kind == SPAN_ALL)
            within = evaluate_range(a, tirbi_make_int(a->builder, min->span, extent->dtype, 0), extent);
        if (!is_bounded(&first) || !is_bounded(&within)) return false;
        out[i].kind = SPAN_RANGE;
        tirbi_linear_add_scaled(&out[i].min, &within.min, 1);
        tirbi_linear_add_scaled(&out[i].max, &within.max, 1);
    }
    return true;
}

static void touch(access *a, touched_list *list, const tirb_buffer *buffer, const value_span *dims) {
    value_span in_source[MAX_DIMS];
    for (uint32_t i = a->block->n_matches; i > 0 && !list->unknown; i--) {
        /* The source may be one that was matched before. */
        const tirb_match_buffer *match = &a->block->matches[i - 1];
        if (match->buffer != buffer) continue;
        value_span outer[MAX_DIMS];
        if (!source_dims(a, match, dims, outer)) list->unknown = true;
        else memcpy(in_source, outer, match->source.buffer->ndim * sizeof *outer);
        dims = in_source;
        buffer = match->source.buffer;
    }
    if (list->unknown || is_own(a, buffer)) return;
    uint32_t ndim = buffer->ndim, at = 0;
    for (uint32_t i = 0; i < ndim; i++)
        if (dims[i].kind == SPAN_UNKNOWN) list->unknown = true;
    while (at < list->n && list->items[at].buffer != buffer) at++;
    if (at == MAX_REGIONS) list->unknown = true;
    if (list->unknown) return;
    if (at < list->n) {
        for (uint32_t i = 0; i < ndim; i++)
            list->items[at].dims[i] = united(a, buffer->span, &list->items[at].dims[i], &dims[i]);
        return;
    }
    value_span *kept = TIRBI_NEW_ARRAY(a->builder->arena, value_span, ndim);
    if (!kept) {
        list->unknown = true;
        return;
    }
    if (ndim) memcpy(kept, dims, ndim * sizeof *kept);
    list->items[list->n++] = (touched){buffer, kept};
}

static void touch_element(access *a, touched_list *list, const tirb_buffer *buffer, const tirb_expr *const *indices,
                          uint32_t n) {
    value_span dims[MAX_DIMS];
    if (n != buffer->ndim || n > MAX_DIMS) {
        give_up(a);
        return;
    }
    for (uint32_t i = 0; i < n; i++) dims[i] = evaluate(a, indices[i]);
    touch(a, list, buffer, dims);
}

static void touch_regions(access *a, touched_list *list, bool known, const tirb_buffer_region *regions, uint32_t n) {
    if (!known) list->unknown = true;
    for (uint32_t i = 0; i < n && !list->unknown; i++) {
        value_span dims[MAX_DIMS];
        uint32_t ndim = regions[i].buffer->ndim;
        if (ndim > MAX_DIMS) list->unknown = true;
        for (uint32_t j = 0; j < ndim && !list->unknown; j++)
            dims[j] = evaluate_range(a, regions[i].region[j].min, regions[i].region[j].extent);
        touch(a, list, regions[i].buffer, dims);
    }
}

/* ---- Scopes ----------------------------------------------------------------------------------------------------- */

static void push_domain(access *a, const domain *d) {
    if (a->n_domains < MAX_DOMAINS)
        a->domains[a->n_domains++] = *d;
    else
        give_up(a);
}

static void push_value(access *a, const tirb_expr *var, const tirb_expr *value) {
    domain d = {.var = var, .varies = mentions(a, value).varies, .values = evaluate(a, value)};
    push_domain(a, &d);
}

static void add_own(access *a, const tirb_buffer *buffer) {
    const tirb_buffer **slot = TIRBI_LIST_ADD(a->builder->arena, &a->own, const tirb_buffer *);
    if (slot)
        *slot = buffer;
    else
        give_up(a);
}

/* Narrows the values of a loop's variable that the condition compares with a constant. */
static void narrow(access *a, domain d, tirb_expr_kind compare, int64_t value) {
    value_span *s = &d.values;
    if (s->kind != SPAN_RANGE || !is_constant(&s->min) || !is_constant(&s->max) || !tirbi_is_moderate(value)) {
        give_up(a);
        return;
    }
    int64_t highest = value - (compare == TIRB_EXPR_LT), lowest = value + (compare == TIRB_EXPR_GT);
    bool from_above = compare == TIRB_EXPR_LT || compare == TIRB_EXPR_LE || compare == TIRB_EXPR_EQ;
    bool from_below = compare == TIRB_EXPR_GT || compare == TIRB_EXPR_GE || compare == TIRB_EXPR_EQ;
    if (from_above && s->max.constant > highest) s->max.constant = highest;
    if (from_below && s->min.constant < lowest) s->min.constant = lowest;
    if (s->min.constant > s->max.constant)
        give_up(a);
    else
        push_domain(a, &d);
}

static tirb_expr_kind negated(tirb_expr_kind compare) {
    switch (compare) {
    case TIRB_EXPR_LT:
        return TIRB_EXPR_GE;
    case TIRB_EXPR_LE:
        return TIRB_EXPR_GT;
    case TIRB_EXPR_GT:
        return TIRB_EXPR_LE;
    case TIRB_EXPR_GE:
        return TIRB_EXPR_LT;
    case TIRB_EXPR_EQ:
        return TIRB_EXPR_NE;
    default:
        return TIRB_EXPR_EQ;
    }
}

static tirb_expr_kind mirrored(tirb_expr_kind compare) {
    switch (compare) {
    case TIRB_EXPR_LT:
        return TIRB_EXPR_GT;
    case TIRB_EXPR_LE:
        return TIRB_EXPR_GE;
    case TIRB_EXPR_GT:
        return TIRB_EXPR_LT;
    case TIRB_EXPR_GE:
        return TIRB_EXPR_LE;
    default:
        return compare;
    }
}

/* What a condition says of loops' variables, in the branch where it holds or does not. Only comparisons in which one
 * such variable occurs and nothing else say anything; a conjunction that does not hold says nothing. */
static void assume(access *a, const tirb_expr *condition, bool holds) {
    if (condition->kind == TIRB_EXPR_CALL && condition->as.call.builtin == TIRB_BUILTIN_LIKELY)
        condition = condition->as.call.args[0];
    if (condition->kind == TIRB_EXPR_AND) {
        if (!holds || condition->depth > MAX_DEPTH) return;
        assume(a, condition->as.binary.a, true);
        assume(a, condition->as.binary.b, true);
        return;
    }
    mention m = mentions(a, condition);
    bool compares = condition->kind >= TIRB_EXPR_EQ && condition->kind <= TIRB_EXPR_GE;
    if (!m.varies || (compares && m.loop && m.others)) return;
    const tirb_expr *x = compares ? condition->as.binary.a : NULL, *y = compares ? condition->as.binary.b : NULL;
    tirb_expr_kind compare = condition->kind;
    if (y && x->kind == TIRB_EXPR_INT_IMM) {
        const tirb_expr *swapped = x;
        x = y;
        y = swapped;
        compare = mirrored(compare);
    }
    const domain *d = x && x->kind == TIRB_EXPR_VAR ? domain_of(a, x) : NULL;
    if (d && d->is_loop && y->kind == TIRB_EXPR_INT_IMM)
        narrow(a, *d, holds ? compare : negated(compare), y->as.int_value);
    else
        give_up(a);
}

/* ---- The walk --------------------------------------------------------------------------------------------------- */

static void walk_expr(tirbi_visitor *v, const tirb_expr *e);

static void walk_choice(access *a, const tirb_expr *e) {
    const tirb_expr *const *args = e->as.call.args;
    uint32_t outside = a->n_domains;
    walk_expr(&a->visitor, args[0]);
    for (unsigned i = 1; i <= 2; i++) {
        assume(a, args[0], i == 1);
        walk_expr(&a->visitor, args[i]);
        a->n_domains = outside;
    }
}

static void walk_expr(tirbi_visitor *v, const tirb_expr *e) {
    access *a = v->context;
    if (a->reads.unknown && a->writes.unknown) return;
    switch (e->kind) {
    case TIRB_EXPR_VAR:
        if (tirbi_type_is_handle(e->dtype)) give_up(a);
        return;
    case TIRB_EXPR_LET:
    case TIRB_EXPR_REDUCE:
        give_up(a);
        return;
    case TIRB_EXPR_LOAD:
        touch_element(a, &a->reads, e->as.load.buffer, e->as.load.indices, e->as.load.n_indices);
        break;
    case TIRB_EXPR_CALL:
        if (!e->as.call.function && !e->as.call.function_name && e->as.call.builtin == TIRB_BUILTIN_IF_THEN_ELSE) {
            walk_choice(a, e);
            return;
        }
        break;
    default:
        break;
    }
    tirbi_visit_expr(v, e);
}

static void walk_loop(access *a, const tirb_stmt *s) {
    walk_expr(&a->visitor, s->as.for_.min);
    walk_expr(&a->visitor, s->as.for_.extent);
    uint32_t outside = a->n_domains;
    domain d = {.var = s->as.for_.var, .is_loop = true, .varies = true};
    d.values = s->as.for_.step ? span_of_kind(SPAN_UNKNOWN) : evaluate_range(a, s->as.for_.min, s->as.for_.extent);
    if (d.values.kind == SPAN_POINT) d.values.kind = SPAN_RANGE;
    push_domain(a, &d);
    a->visitor.stmt(&a->visitor, s->as.for_.body);
    a->n_domains = outside;
}

static void walk_if(access *a, const tirb_stmt *s) {
    const tirb_stmt *branches[] = {s->as.if_.then_case, s->as.if_.else_case};
    uint32_t outside = a->n_domains;
    walk_expr(&a->visitor, s->as.if_.condition);
    for (unsigned i = 0; i < 2; i++) {
        if (!branches[i]) continue;
        assume(a, s->as.if_.condition, i == 0);
        a->visitor.stmt(&a->visitor, branches[i]);
        a->n_domains = outside;
    }
}

/* A block inside is what its own regions say, for the values of its iterators. */
static void walk_block(access *a, const tirb_stmt *s) {
    const tirb_block *block = s->as.block.block;
    uint32_t outside = a->n_domains;
    for (uint32_t i = 0; i < block->n_iters; i++)
        if (s->as.block.values && s->as.block.values[i])
            push_value(a, block->iters[i].var, s->as.block.values[i]);
        else
            give_up(a);
    touch_regions(a, &a->reads, block->has_reads, block->reads, block->n_reads);
    touch_regions(a, &a->writes, block->has_writes, block->writes, block->n_writes);
    a->n_domains = outside;
}

static void walk_let(access *a, const tirb_stmt *s) {
    uint32_t outside = a->n_domains;
    if (tirbi_type_is_handle(s->as.let.var->dtype)) give_up(a);
    walk_expr(&a->visitor, s->as.let.value);
    push_value(a, s->as.let.var, s->as.let.value);
    a->visitor.stmt(&a->visitor, s->as.let.body);
    a->n_domains = outside;
}

static void walk_stmt(tirbi_visitor *v, const tirb_stmt *s) {
    access *a = v->context;
    if (a->reads.unknown && a->writes.unknown) return;
    switch (s->kind) {
    case TIRB_STMT_STORE:
        touch_element(a, &a->writes, s->as.store.buffer, s->as.store.indices, s->as.store.n_indices);
        tirbi_visit_stmt(v, s);
        return;
    case TIRB_STMT_FOR:
        walk_loop(a, s);
        return;
    case TIRB_STMT_IF:
        walk_if(a, s);
        return;
    case TIRB_STMT_BLOCK_REALIZE:
        walk_block(a, s);
        return;
    case TIRB_STMT_LET:
        walk_let(a, s);
        return;
    case TIRB_STMT_ALLOCATE:
    case TIRB_STMT_ALLOCATE_CONST:
        add_own(a, s->as.allocate.buffer);
        v->stmt(v, s->as.allocate.body);
        return;
    case TIRB_STMT_DECL_BUFFER:
    case TIRB_STMT_BUFFER_REALIZE:
    case TIRB_STMT_PREFETCH:
    case TIRB_STMT_ATTR:
        give_up(a);
        return;
    default:
        tirbi_visit_stmt(v, s);
    }
}

/* ---- Results ---------------------------------------------------------------------------------------------------- */

/* Whether two terms have the same factor: then their order in an extent tells how TVM came to it. */
static bool has_twins(const tirbi_linear *l) {
    for (uint32_t i = 0; i < l->n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (l->factors[i] != 0 && l->factors[i] == l->factors[j]) return true;
    return false;
}

static bool dimension(tirbi_builder *b, const tirb_buffer *buffer, uint32_t dim, const value_span *s, tirb_range *out) {
    const tirb_expr *shape = buffer->shape[dim];
    switch (s->kind) {
    case SPAN_ALL:
        *out = (tirb_range){tirbi_make_int(b, shape->span, shape->dtype, 0), shape};
        break;
    case SPAN_POINT:
        *out = (tirb_range){s->point, tirbi_make_int(b, shape->span, s->type, 1)};
        break;
    case SPAN_RANGE: {
        tirbi_linear length;
        if (!tirbi_linear_length(b, shape->span, s->type, &s->min, &s->max, &length)) return false;
        if (has_twins(&length)) return false;
        *out = (tirb_range){tirbi_linear_canonical(b, shape->span, s->type, &s->min),
                            tirbi_linear_canonical(b, shape->span, s->type, &length)};
        break;
    }
    default:
        return false;
    }
    return out->min && out->extent;
}

/* The regions of the buffers, those of `without` left out; false where one has no canonical text. */
static bool regions_of(access *a, const touched_list *list, const touched_list *without, tirbi_list *out) {
    for (uint32_t i = 0; i < list->n; i++) {
        const tirb_buffer *buffer = list->items[i].buffer;
        bool left_out = false;
        for (uint32_t j = 0; without && j < without->n; j++) left_out |= without->items[j].buffer == buffer;
        if (left_out) continue;
        tirb_range *region = TIRBI_NEW_ARRAY(a->builder->arena, tirb_range, buffer->ndim);
        tirb_buffer_region *slot = region ? TIRBI_LIST_ADD(a->builder->arena, out, tirb_buffer_region) : NULL;
        if (!slot) return false;
        for (uint32_t j = 0; j < buffer->ndim; j++)
            if (!dimension(a->builder, buffer, j, &list->items[i].dims[j], &region[j])) return false;
        *slot = (tirb_buffer_region){buffer, region};
    }
    return true;
}

static void detect(access *a, tirb_block *block) {
    tirbi_list reads = {0}, writes = {0};
    a->block = block;
    a->n_domains = a->own.n = a->reads.n = a->writes.n = 0;
    a->reads.unknown = a->writes.unknown = false;
    for (uint32_t i = 0; i < block->n_allocs; i++) add_own(a, block->allocs[i]);
    for (uint32_t i = 0; i < block->n_iters; i++) {
        if (block->iters[i].dom.min) walk_expr(&a->visitor, block->iters[i].dom.min);
        if (block->iters[i].dom.extent) walk_expr(&a->visitor, block->iters[i].dom.extent);
    }
    if (block->init) walk_stmt(&a->visitor, block->init);
    walk_stmt(&a->visitor, block->body);
    bool reads_known = !a->reads.unknown && !(block->init && a->writes.unknown);
    if (!block->has_reads && reads_known && regions_of(a, &a->reads, block->init ? &a->writes : NULL, &reads)) {
        block->reads = reads.items;
        block->n_reads = reads.n;
        block->has_reads = true;
    }
    if (!block->has_writes && !a->writes.unknown && regions_of(a, &a->writes, NULL, &writes)) {
        block->writes = writes.items;
        block->n_writes = writes.n;
        block->has_writes = true;
    }
}

void tirbi_detect_access(tirbi_builder *b, tirb_block *const *blocks, uint32_t n, const tirb_block *root) {
    /* A program with errors may have holes. */
    bool whole = !tirbi_has_errors(b->diagnostics) && !b->arena->failed;
    access *a = n && whole ? TIRBI_NEW(b->arena, access) : NULL; /* tens of kilobytes, which the next function takes */
    if (!a) return;
    a->visitor = (tirbi_visitor){.expr = walk_expr, .stmt = walk_stmt, .context = a};
    a->builder = b;
    for (uint32_t i = 0; i < n; i++) {
        tirb_block *block = blocks[i];
        if (!block->body || (block->has_reads && block->has_writes)) continue;
        if (block == root)
            block->has_reads = block->has_writes = true; /* of nothing */
        else
            detect(a, block);
    }
    TIRBI_GIVE_BACK(b->arena, a);
}
