/* Warnings of accesses that are out of bounds for certain: where every call comes to them with an index that the
 * machine refuses. Indices are linear in loops of constant bounds that are entered for certain, so that their extremes
 * are met. */
#include "compiler/check/checker.h"
#include "compiler/ir/visit.h"

enum { MAX_TERMS = 6 };

typedef struct term {
    uint32_t var;
    int64_t factor;
} term;

/* offset + the sum of factor * var; the variables are of loops. */
typedef struct linear {
    int64_t offset;
    term terms[MAX_TERMS];
    uint32_t n_terms;
} linear;

typedef struct loop_range {
    int64_t first, last;
} loop_range;

typedef struct walk {
    tirbi_visitor visitor;
    tirbi_diagnostics *diagnostics;
    tirbi_arena *arena;
    const linear **values; /* by the id of a variable; NULL: not known */
    loop_range *ranges;    /* by the id of a loop's variable */
    bool certain;          /* what comes now is reached by every call, in each iteration of the loops around */
} walk;

/* ---- Linear forms ----------------------------------------------------------------------------------------------- */

static bool add_term(linear *to, term added) {
    for (uint32_t i = 0; i < to->n_terms; i++)
        if (to->terms[i].var == added.var)
            return !__builtin_add_overflow(to->terms[i].factor, added.factor, &to->terms[i].factor);
    if (to->n_terms == MAX_TERMS) return false;
    to->terms[to->n_terms++] = added;
    return true;
}

static bool add_scaled(linear *to, const linear *from, int64_t factor) {
    int64_t product;
    if (__builtin_mul_overflow(from->offset, factor, &product) ||
        __builtin_add_overflow(to->offset, product, &to->offset))
        return false;
    for (uint32_t i = 0; i < from->n_terms; i++)
        if (__builtin_mul_overflow(from->terms[i].factor, factor, &product) ||
            !add_term(to, (term){from->terms[i].var, product}))
            return false;
    return true;
}

static bool read_extremes(const walk *w, const linear *form, int64_t *low, int64_t *high) {
    *low = *high = form->offset;
    for (uint32_t i = 0; i < form->n_terms; i++) {
        const loop_range *range = &w->ranges[form->terms[i].var];
        int64_t factor = form->terms[i].factor, first, last;
        if (__builtin_mul_overflow(factor, range->first, &first) ||
            __builtin_mul_overflow(factor, range->last, &last) ||
            __builtin_add_overflow(*low, first < last ? first : last, low) ||
            __builtin_add_overflow(*high, first < last ? last : first, high))
            return false;
    }
    return true;
}

/* Whether the values of a form are those of its type: sums that wrap are none of ours. */
static bool fits(const walk *w, const linear *form, tirb_datatype type) {
    int64_t low, high, most = type.bits < 64 ? ((int64_t)1 << (type.bits - 1)) - 1 : INT64_MAX;
    return type.code == TIRB_CODE_INT && read_extremes(w, form, &low, &high) && low >= -most - 1 && high <= most;
}

static bool read_linear(const walk *w, const tirb_expr *e, linear *out) {
    linear a = {.offset = 0}, b = {.offset = 0};
    *out = (linear){.offset = 0};
    switch (e->kind) {
    case TIRB_EXPR_INT_IMM:
        out->offset = e->as.int_value;
        break;
    case TIRB_EXPR_CALL:
        if (!tirbi_is_vscale(e)) return false;
        out->offset = 1;
        break;
    case TIRB_EXPR_VAR:
        if (!w->values[e->as.var.id]) return false;
        *out = *w->values[e->as.var.id];
        break;
    case TIRB_EXPR_ADD:
    case TIRB_EXPR_SUB:
        if (!read_linear(w, e->as.binary.a, out) || !read_linear(w, e->as.binary.b, &b) ||
            !add_scaled(out, &b, e->kind == TIRB_EXPR_ADD ? 1 : -1))
            return false;
        break;
    case TIRB_EXPR_MUL:
        if (!read_linear(w, e->as.binary.a, &a) || !read_linear(w, e->as.binary.b, &b)) return false;
        if (a.n_terms > 0 && b.n_terms > 0) return false;
        if (!(a.n_terms > 0 ? add_scaled(out, &a, b.offset) : add_scaled(out, &b, a.offset))) return false;
        break;
    case TIRB_EXPR_CAST:
        if (!read_linear(w, e->as.cast.value, out)) return false;
        break;
    default:
        return false;
    }
    return e->dtype.lanes == 1 && fits(w, out, e->dtype);
}

/* ---- Accesses --------------------------------------------------------------------------------------------------- */

/* The least and the greatest value of an index, a vector's too. */
static bool read_index(const walk *w, const tirb_expr *e, int64_t *low, int64_t *high) {
    linear form;
    int64_t span = 0;
    if (e->kind == TIRB_EXPR_BROADCAST) return read_index(w, e->as.broadcast.value, low, high);
    if (e->kind == TIRB_EXPR_RAMP) {
        const tirb_expr *stride = e->as.ramp.stride;
        if (stride->kind != TIRB_EXPR_INT_IMM ||
            __builtin_mul_overflow(stride->as.int_value, (int64_t)e->dtype.lanes - 1, &span))
            return false;
        e = e->as.ramp.base;
    }
    if (!read_linear(w, e, &form) || !read_extremes(w, &form, low, high)) return false;
    return !__builtin_add_overflow(span < 0 ? *low : *high, span, span < 0 ? low : high);
}

static void look_at(const walk *w, tirbi_span span, const tirb_buffer *buffer, const tirb_expr *const *indices,
                    uint32_t n, const tirb_expr *predicate) {
    if (!w->certain || predicate || n != buffer->ndim) return;
    for (uint32_t i = 0; i < n; i++) {
        const tirb_expr *extent = buffer->shape[i];
        int64_t low, high;
        if (extent->kind != TIRB_EXPR_INT_IMM || !read_index(w, indices[i], &low, &high)) continue;
        if (low >= 0 && high < extent->as.int_value) continue;
        tirbi_report_warning(w->diagnostics, indices[i]->kind == TIRB_EXPR_VAR ? span : indices[i]->span,
                             "%s %lld is out of bounds for dimension %u of `%s`, whose extent is %lld",
                             low == high ? "index" : "an index here that becomes", (long long)(low < 0 ? low : high), i,
                             buffer->name, (long long)extent->as.int_value);
        return;
    }
}

/* ---- The walk --------------------------------------------------------------------------------------------------- */

static void walk_perhaps(walk *w, const tirb_expr *e, const tirb_stmt *s) {
    bool before = w->certain;
    w->certain = false;
    if (e) w->visitor.expr(&w->visitor, e);
    if (s) w->visitor.stmt(&w->visitor, s);
    w->certain = before;
}

static void walk_expr(tirbi_visitor *visitor, const tirb_expr *e) {
    walk *w = visitor->context;
    if (!w->certain) return; /* nothing is said below */
    switch (e->kind) {
    case TIRB_EXPR_LOAD:
        look_at(w, e->span, e->as.load.buffer, e->as.load.indices, e->as.load.n_indices, e->as.load.predicate);
        break;
    case TIRB_EXPR_AND:
    case TIRB_EXPR_OR:
        walk_expr(visitor, e->as.binary.a);
        return;
    case TIRB_EXPR_SELECT:
        walk_expr(visitor, e->as.select.condition);
        return;
    case TIRB_EXPR_CALL:
    case TIRB_EXPR_LET:
    case TIRB_EXPR_REDUCE:
        return; /* what of it is evaluated is the callee's */
    default:
        break;
    }
    tirbi_visit_expr(visitor, e);
}

static void set_value(walk *w, const tirb_expr *var, const linear *value) {
    linear *copy = TIRBI_NEW(w->arena, linear);
    if (!copy) return;
    *copy = *value;
    w->values[var->as.var.id] = copy;
}

static void walk_loop(walk *w, const tirb_stmt *s) {
    const tirb_expr *var = s->as.for_.var, *step = s->as.for_.step;
    linear min, extent, self = {.terms = {{var->as.var.id, 1}}, .n_terms = 1};
    bool before = w->certain;
    bool known = read_linear(w, s->as.for_.min, &min) && min.n_terms == 0 &&
                 read_linear(w, s->as.for_.extent, &extent) && extent.n_terms == 0 && extent.offset > 0 && !step;
    int64_t last;
    if (known && !__builtin_add_overflow(min.offset, extent.offset - 1, &last)) {
        w->ranges[var->as.var.id] = (loop_range){min.offset, last};
        set_value(w, var, &self);
    } else {
        w->certain = false;
    }
    w->visitor.stmt(&w->visitor, s->as.for_.body);
    w->values[var->as.var.id] = NULL;
    w->certain = before;
}

static void walk_block(walk *w, const tirb_stmt *s) {
    const tirb_block *block = s->as.block.block;
    bool before = w->certain;
    w->certain = before && !s->as.block.predicate && !block->no_realize;
    for (uint32_t i = 0; i < block->n_iters; i++) {
        linear value;
        if (w->certain && read_linear(w, s->as.block.values[i], &value)) set_value(w, block->iters[i].var, &value);
    }
    if (block->init) walk_perhaps(w, NULL, block->init);
    w->visitor.stmt(&w->visitor, block->body);
    w->certain = before;
}

static void walk_stmt(tirbi_visitor *visitor, const tirb_stmt *s) {
    walk *w = visitor->context;
    linear value;
    switch (s->kind) {
    case TIRB_STMT_FOR:
        walk_loop(w, s);
        return;
    case TIRB_STMT_BLOCK_REALIZE:
        walk_block(w, s);
        return;
    case TIRB_STMT_IF:
        walk_expr(visitor, s->as.if_.condition);
        walk_perhaps(w, NULL, s->as.if_.then_case);
        walk_perhaps(w, NULL, s->as.if_.else_case);
        return;
    case TIRB_STMT_WHILE:
        walk_perhaps(w, NULL, s->as.while_.body);
        return;
    case TIRB_STMT_ATTR: /* a thread's index has no loop here */
        walk_perhaps(w, NULL, s->as.attr.body);
        return;
    case TIRB_STMT_LET:
        if (w->certain && read_linear(w, s->as.let.value, &value)) set_value(w, s->as.let.var, &value);
        break;
    case TIRB_STMT_STORE:
        look_at(w, s->span, s->as.store.buffer, s->as.store.indices, s->as.store.n_indices, s->as.store.predicate);
        break;
    default:
        break;
    }
    tirbi_visit_stmt(visitor, s);
}

static void find_jumps(tirbi_visitor *visitor, const tirb_stmt *s) {
    bool *jumps = visitor->context;
    const tirb_expr *e = s->kind == TIRB_STMT_EVALUATE ? s->as.evaluate.value : NULL;
    *jumps |= s->kind == TIRB_STMT_BREAK || s->kind == TIRB_STMT_CONTINUE || s->kind == TIRB_STMT_RETURN ||
              (e && e->kind == TIRB_EXPR_CALL);
    if (!*jumps) tirbi_visit_stmt(visitor, s);
}

/* Whether something other than a return at its end may leave the function or a loop of it. */
static bool has_jumps(const tirb_stmt *body) {
    bool jumps = false;
    tirbi_visitor visitor = {.stmt = find_jumps, .context = &jumps};
    if (body->kind != TIRB_STMT_SEQ) {
        find_jumps(&visitor, body);
        return jumps && body->kind != TIRB_STMT_RETURN;
    }
    for (uint32_t i = 0; i < body->as.seq.n && !jumps; i++) {
        bool last = i + 1 == body->as.seq.n;
        if (!last || body->as.seq.items[i]->kind != TIRB_STMT_RETURN) find_jumps(&visitor, body->as.seq.items[i]);
    }
    return jumps;
}

void tirbi_warn_of_bounds(const tirb_irmodule *module, tirbi_diagnostics *diagnostics, tirbi_arena *arena) {
    walk w = {.visitor = {.expr = walk_expr, .stmt = walk_stmt}, .diagnostics = diagnostics, .arena = arena};
    w.visitor.context = &w;
    w.values = TIRBI_NEW_ARRAY(arena, const linear *, module->n_vars);
    w.ranges = TIRBI_NEW_ARRAY(arena, loop_range, module->n_vars);
    for (uint32_t i = 0; i < module->n_functions && w.values && w.ranges; i++) {
        const tirb_stmt *body = module->functions[i]->body;
        if (!body || has_jumps(body)) continue;
        w.certain = true;
        walk_stmt(&w.visitor, body);
    }
}
