#include "compiler/optimize/nests/dilated.h"

#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/facts/quotient.h"
#include "compiler/optimize/rewriting/fill.h"
#include "compiler/optimize/rewriting/guards.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_VALUE = 400, MOST_EVERY = 16, NEAR = 16 };

/* ---- What fills it ---------------------------------------------------------------------------------------------- */

static bool is_temporary(const tirbi_lbuf *b) {
    return b->root == b && b->param < 0 && !b->local && !b->broadcasts && !b->overlaps && !b->constant;
}

/* The only item ahead of `reader` that fills memory, which nothing else but its allocation and the reader uses. */
static bool find_fill(const tirbi_ls *seq, uint32_t reader, const tirbi_lbuf *buffer, tirbi_fill *out,
                      uint32_t *item) {
    bool allocated = false, filled = false;
    if (!is_temporary(buffer)) return false;
    for (uint32_t i = 0; i < seq->as.seq.n; i++) {
        const tirbi_ls *s = seq->as.seq.items[i];
        if (i == reader || !tirbi_statement_uses(s, buffer)) continue;
        if (!allocated && tirbi_is_plain_allocation(s)) {
            allocated = true;
        } else {
            if (filled || i > reader || !tirbi_read_fill(s, out) || out->body != out->store ||
                out->store->as.store.access->buffer != buffer || out->store->as.store.value->size > MAX_VALUE)
                return false;
            filled = true;
            *item = i;
        }
    }
    return allocated && filled;
}

/* ---- What it is made of ----------------------------------------------------------------------------------------- */

typedef struct chain {
    tirbi_lx_pool *pool;
    const tirbi_ls *seq;
    tirbi_dilated *out;
    uint16_t guard; /* of all loads: the loops of the first fill */
    bool failed;
} chain;

static const tirbi_lx *put_in(tirbi_rewrite *rewrite, const tirbi_lx *x);

/* What a fill stores at a place, in which others are put in. */
static const tirbi_lx *value_at(chain *c, const tirbi_fill *fill, const tirbi_place *place) {
    tirbi_rewrite rewrite = {.pool = c->pool, .replace = put_in, .context = c};
    tirbi_bind_fill(&rewrite, fill, place);
    const tirbi_lx *value = tirbi_rewrite_value(&rewrite, fill->store->as.store.value);
    c->failed = c->failed || !value;
    return value;
}

/* The value of a temporary that one item fills for this load alone, or the load with its own subscripts. */
static const tirbi_lx *put_in(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    chain *c = rewrite->context;
    tirbi_fill next;
    uint32_t item;
    if (x->kind != TIRBI_LX_LOAD) return NULL;
    const uint32_t user = c->out->fill[c->out->n_fills - 1];
    if (c->out->n_fills < TIRBI_MAX_FILLS && !x->access->view &&
        find_fill(c->seq, user, x->access->buffer, &next, &item) && item < user) {
        c->out->fill[c->out->n_fills++] = item;
        const tirbi_place *at = rewrite->bound ? tirbi_rewrite_place(rewrite, x->access) : x->access;
        return at ? value_at(c, &next, at) : NULL;
    }
    tirbi_place *place = (tirbi_place *)(uintptr_t)tirbi_rewrite_place(rewrite, x->access);
    if (place) place->guard = c->guard;
    return tirbi_lx_load(c->pool, place);
}

/* ---- Where it is zero ------------------------------------------------------------------------------------------- */

static bool is_zero(const tirbi_lx *x) {
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST) x = x->args[0];
    return x->kind == TIRBI_LX_CONST && x->value == 0;
}

/* Notes i = from (modulo every), of a condition that a remainder is 0. */
static void note_remainder(tirbi_lx_pool *pool, const tirbi_lx *x, tirbi_dilated *out) {
    tirbi_division d;
    if (!tirbi_lx_is_int(x->args[1], 0) || !tirbi_is_division(x->args[0], &d) || !d.remainder || d.divisor < 2 ||
        d.divisor > MOST_EVERY)
        return;
    for (uint32_t i = 0; i < out->buffer->ndim; i++) {
        tirbi_affine form;
        int64_t step;
        if (!out->var[i] || out->every[i] != 1) continue;
        const tirbi_loop_set loop = {.var = {(tirbi_lvar *)(uintptr_t)out->var[i]}, .n = 1};
        if (!tirbi_affine_of(pool, d.numerator, &loop, &form) || form.start->kind != TIRBI_LX_CONST ||
            !tirbi_affine_constant(&form, 0, &step) || step != 1)
            continue;
        out->every[i] = d.divisor;
        out->from[i] = (d.divisor - form.start->value % d.divisor) % d.divisor;
    }
}

static void note_condition(tirbi_lx_pool *pool, const tirbi_lx *x, tirbi_dilated *out) {
    if (tirbi_is_conjunction(x)) {
        note_condition(pool, x->args[0], out);
        note_condition(pool, x->args[1], out);
    } else if (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_EQ) {
        note_remainder(pool, x, out);
    }
}

/* Narrows the range of a variable by what a condition says of it and a constant. */
static void narrow(const tirbi_lx *x, const tirbi_lvar *var, int64_t *lo, int64_t *hi) {
    if (tirbi_is_conjunction(x)) {
        narrow(x->args[0], var, lo, hi);
        narrow(x->args[1], var, lo, hi);
        return;
    }
    if (x->kind != TIRBI_LX_OP || (x->op != TIRB_OP_LT && x->op != TIRB_OP_LE)) return;
    const tirbi_lx *a = tirbi_lx_before_cast(x->args[0]), *b = tirbi_lx_before_cast(x->args[1]);
    const int64_t less = x->op == TIRB_OP_LT;
    if (a->kind == TIRBI_LX_VAR && a->var == var && b->kind == TIRBI_LX_CONST && b->value <= *hi)
        *hi = b->value - less;
    if (b->kind == TIRBI_LX_VAR && b->var == var && a->kind == TIRBI_LX_CONST && a->value >= *lo)
        *lo = a->value + less;
}

/* The one value of a loop's variable, of several, at which a choice is not zero. */
static bool find_alone(const tirbi_lx *x, const tirbi_lvar *var, int64_t *at) {
    int64_t lo = 0, hi = var->extent->kind == TIRBI_LX_CONST ? var->extent->value - 1 : 0;
    if (hi < 1) return false;
    for (; x->kind == TIRBI_LX_COND && is_zero(x->args[2]); x = x->args[1]) narrow(x->args[0], var, &lo, &hi);
    if (lo == hi) *at = lo;
    return lo == hi;
}

static bool is_remainder(const void *context, const tirbi_lx *x) {
    tirbi_division d;
    (void)context;
    return x->kind == TIRBI_LX_OP && x->op == TIRB_OP_EQ && tirbi_is_division(x->args[0], &d) && d.remainder;
}

/* Whether one of the loops of a nest has but one iteration that does not fill memory with zero. */
static bool fills_one(const tirbi_ls *s, const tirbi_lx *value) {
    int64_t at;
    for (; s->kind == TIRBI_LS_LOOP; s = s->as.loop.body)
        if (find_alone(value, s->as.loop.var, &at)) return true;
    return false;
}

/* Whether a choice by a remainder, or of one element, is among what fills memory, as far as a glance at the items just
 * ahead tells. */
static bool may_be_dilated(const tirbi_ls *seq, uint32_t reader, const tirbi_lbuf *buffer) {
    for (uint32_t i = reader; i-- > 0 && reader - i <= NEAR;) {
        const tirbi_ls *s = seq->as.seq.items[i];
        while (s->kind == TIRBI_LS_LOOP) s = s->as.loop.body;
        if (s->kind != TIRBI_LS_STORE || s->as.store.access->buffer != buffer) continue;
        const tirbi_lx *x = s->as.store.value;
        if (tirbi_any_expr(x, 0, is_remainder, NULL) || fills_one(seq->as.seq.items[i], x)) return true;
        while (x->kind == TIRBI_LX_COND && is_zero(x->args[2])) x = x->args[1];
        if (x->kind != TIRBI_LX_LOAD) return false;
        buffer = x->access->buffer;
    }
    return false;
}

bool tirbi_find_dilated(tirbi_lx_pool *pool, const tirbi_ls *seq, uint32_t reader, const tirbi_lbuf *buffer,
                        tirbi_dilated *out) {
    tirbi_fill first;
    uint32_t item;
    bool dilated = false;
    if (!may_be_dilated(seq, reader, buffer) || !find_fill(seq, reader, buffer, &first, &item)) return false;
    *out = (tirbi_dilated){.buffer = buffer, .fill = {item}, .n_fills = 1};
    chain c = {.pool = pool, .seq = seq, .out = out};
    for (uint32_t d = 0; d < buffer->ndim; d++) out->every[d] = 1;
    for (uint32_t i = 0; i < first.loops.n; i++) {
        if (first.dimension[i] == buffer->ndim) continue;
        out->var[first.dimension[i]] = first.loops.var[i];
        if (first.loops.var[i]->level > c.guard) c.guard = first.loops.var[i]->level;
    }
    tirbi_rewrite rewrite = {.pool = pool, .replace = put_in, .context = &c};
    out->value = tirbi_rewrite_value(&rewrite, first.store->as.store.value);
    if (!out->value || c.failed || out->value->size > MAX_VALUE) return false;
    for (const tirbi_lx *x = out->value; x->kind == TIRBI_LX_COND && is_zero(x->args[2]); x = x->args[1])
        note_condition(pool, x->args[0], out);
    for (uint32_t d = 0; d < buffer->ndim; d++) {
        if (out->var[d] && find_alone(out->value, out->var[d], &out->from[d])) {
            out->alone[d] = true;
            out->every[d] = out->var[d]->extent->value;
        }
        dilated = dilated || out->every[d] > 1;
    }
    return dilated;
}

const tirbi_lx *tirbi_find_copied(tirbi_lx_pool *pool, const tirbi_ls *seq, uint32_t reader, const tirbi_lx *load,
                                  uint32_t *item) {
    tirbi_fill copies;
    tirbi_dilated none = {.n_fills = TIRBI_MAX_FILLS};
    chain c = {.pool = pool, .seq = seq, .out = &none};
    if (!find_fill(seq, reader, load->access->buffer, &copies, item)) return NULL;
    const tirbi_lx *value = copies.store->as.store.value;
    if (value->kind != TIRBI_LX_LOAD || value->access->view) return NULL;
    const tirbi_lx *copied = value_at(&c, &copies, load->access);
    return c.failed ? NULL : copied;
}
