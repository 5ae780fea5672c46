#include "compiler/optimize/facts/affine.h"

#include "compiler/loop/inside.h"

const tirbi_lvar *tirbi_row_number(const tirbi_lx *x) {
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && tirbi_dtype_is_int((tirbi_dtype)x->source) &&
           tirbi_dtypes[x->type].bits >= tirbi_dtypes[x->source].bits)
        x = x->args[0];
    return x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_NUMBER ? x->var : NULL;
}

bool tirbi_buffer_moves(const tirbi_lbuf *buffer, const tirbi_loop_set *loops) {
    if (buffer->offset && tirbi_depends_on_loops(buffer->offset, loops)) return true;
    for (uint32_t d = 0; d < buffer->ndim; d++) {
        if (tirbi_depends_on_loops(buffer->strides[d], loops)) return true;
    }
    return false;
}

static const tirbi_lx *wide(tirbi_lx_pool *pool, const tirbi_lx *x) { return tirbi_lx_cast(pool, TIRB_I64, x); }

static bool sum(tirbi_lx_pool *pool, tirbi_affine *a, const tirbi_affine *b, uint32_t n, bool subtract) {
    const tirbi_lx *zero = tirbi_lx_number(pool, 0);
    for (uint32_t i = 0; i < n; i++) {
        if (!b->coefficient[i]) continue;
        const tirbi_lx *left = a->coefficient[i] ? a->coefficient[i] : zero;
        a->coefficient[i] = subtract ? tirbi_lx_sub(pool, left, b->coefficient[i])
                                     : tirbi_lx_add(pool, left, b->coefficient[i]);
        if (!a->coefficient[i]) return false;
        if (tirbi_lx_is_int(a->coefficient[i], 0)) a->coefficient[i] = NULL;
    }
    a->start = subtract ? tirbi_lx_sub(pool, a->start, b->start) : tirbi_lx_add(pool, a->start, b->start);
    return a->start != NULL;
}

static bool scale(tirbi_lx_pool *pool, tirbi_affine *a, const tirbi_lx *factor, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (!a->coefficient[i]) continue;
        a->coefficient[i] = tirbi_lx_mul(pool, a->coefficient[i], factor);
        if (!a->coefficient[i]) return false;
        if (tirbi_lx_is_int(a->coefficient[i], 0)) a->coefficient[i] = NULL;
    }
    a->start = tirbi_lx_mul(pool, a->start, factor);
    return a->start != NULL;
}

/* Where an expression ends that is read: as a value, whatever becomes of it; as a subscript, which a trap keeps inside
 * its dimension; in arithmetic that has been judged; in the number of an element whose subscripts are inside. */
typedef enum border { BORDER_VALUE, BORDER_SUBSCRIPT, BORDER_NONE, BORDER_NUMBER } border;

typedef struct reader {
    tirbi_lx_pool *pool;
    const tirbi_loop_set *loops;
    const tirbi_place *place; /* of the subscripts, else NULL */
    uint32_t dimension;       /* of the subscript that is being read */
} reader;

typedef enum reading { READ_NOT, READ_WHOLE, READ_MODULO } reading;

/* Whether numbers beyond the type's are outside of the dimension too. */
static bool ends_within(const reader *r, tirbi_dtype type) {
    const tirbi_lbuf *b = r->place->buffer;
    const tirbi_lx *extent = b->shape[r->dimension];
    const int64_t most = (int64_t)(UINT64_MAX >> (65 - tirbi_dtypes[type].bits));
    return !b->broadcasts && (extent->hi - 1 <= most || tirbi_known_at_most(b->known, extent, most));
}

/* Whether all iterations come to the place, or to its check before them, and go from one to the next by one step of one
 * loop. */
static bool walks(const reader *r, const tirbi_lx *x) {
    for (uint32_t i = 0; i < r->loops->n; i++) {
        const tirbi_loop_set one = {.var = {r->loops->var[i]}, .n = 1};
        const uint16_t guard = r->place->guard;
        if (!tirbi_mentions_loops(x, &one)) continue;
        if (guard > 0 && one.var[0]->level <= guard && !r->loops->checked) return false;
        if (tirbi_mentions_loops(one.var[0]->extent, r->loops)) return false;
    }
    return true;
}

/* Modulo 2^w the arithmetic is what the form is, whose start and steps are numbers of the type. Its first subscript is
 * that number. If one after it were another number, so would be the first such on a way of single steps; but from
 * inside the dimension a single step does not come further than to what lies outside of it in the type as well, and
 * that iteration traps: its subscript is checked, alone or with all others. */
static reading judge(const reader *r, const tirbi_lx *x, border at) {
    if (tirbi_is_exact(x, r->loops)) return READ_WHOLE;
    if (at != BORDER_SUBSCRIPT || (x->type != TIRB_I32 && x->type != TIRB_I64)) return READ_NOT;
    if (!ends_within(r, (tirbi_dtype)x->type)) return READ_NOT;
    if (tirbi_is_exact_or_outside(x, r->loops)) return READ_WHOLE;
    return walks(r, x) ? READ_MODULO : READ_NOT;
}

static bool reduce(tirbi_lx_pool *pool, const tirbi_lx **x, tirbi_dtype type) {
    if (!*x || type == TIRB_I64 || ((*x)->lo >= INT32_MIN && (*x)->hi <= INT32_MAX)) return true;
    *x = wide(pool, tirbi_lx_cast(pool, type, *x));
    return *x != NULL;
}

static bool read_form(reader *r, const tirbi_lx *x, border at, tirbi_affine *out);

static bool read_arithmetic(reader *r, const tirbi_lx *x, border at, tirbi_affine *out) {
    tirbi_affine b;
    const reading how = at == BORDER_NONE || at == BORDER_NUMBER ? READ_WHOLE : judge(r, x, at);
    const border within = at == BORDER_NUMBER ? BORDER_NUMBER : BORDER_NONE;
    if (how == READ_NOT) return false;
    if (x->op == TIRB_OP_MUL) {
        const bool left = tirbi_mentions_loops(x->args[0], r->loops);
        const tirbi_lx *factor = x->args[left ? 1 : 0];
        if (tirbi_mentions_loops(factor, r->loops) || !read_form(r, x->args[left ? 0 : 1], within, out) ||
            !scale(r->pool, out, wide(r->pool, factor), r->loops->n))
            return false;
    } else if (!read_form(r, x->args[0], within, out) || !read_form(r, x->args[1], within, &b) ||
               !sum(r->pool, out, &b, r->loops->n, x->op == TIRB_OP_SUB)) {
        return false;
    }
    if (how == READ_WHOLE) return true;
    bool reduced = reduce(r->pool, &out->start, (tirbi_dtype)x->type);
    for (uint32_t i = 0; i < r->loops->n; i++)
        reduced = reduced && reduce(r->pool, &out->coefficient[i], (tirbi_dtype)x->type);
    return reduced;
}

/* The subscript that x is, in the number of an element. */
static bool is_subscript(reader *r, const tirbi_lx *x) {
    for (uint32_t d = 0; d < r->place->ndim; d++) {
        if (r->place->indices[d] != x) continue;
        r->dimension = d;
        return true;
    }
    return false;
}

static bool read_form(reader *r, const tirbi_lx *x, border at, tirbi_affine *out) {
    *out = (tirbi_affine){.start = NULL};
    if (!x->pure || (x->type == TIRB_U64 && x->lo < 0)) return false; /* int64 may not have it */
    if (!tirbi_arena_work(r->pool->arena, 1)) return false;
    if (!tirbi_mentions_loops(x, r->loops)) {
        out->start = wide(r->pool, x);
        return out->start != NULL && !x->traps;
    }
    if (x->kind == TIRBI_LX_VAR) {
        for (uint32_t i = 0; i < r->loops->n; i++) {
            if (r->loops->var[i] != x->var) continue;
            out->coefficient[i] = tirbi_lx_number(r->pool, 1);
            out->start = x->var->min;
            return out->coefficient[i] && !tirbi_mentions_loops(x->var->min, r->loops);
        }
    }
    if (at == BORDER_NUMBER && is_subscript(r, x)) at = BORDER_SUBSCRIPT;
    if (tirbi_is_arithmetic(x)) return read_arithmetic(r, x, at, out);
    return tirbi_keeps_value(x) &&
           read_form(r, x->args[0], at == BORDER_SUBSCRIPT ? BORDER_SUBSCRIPT : BORDER_VALUE, out);
}

bool tirbi_affine_of(tirbi_lx_pool *pool, const tirbi_lx *x, const tirbi_loop_set *loops, tirbi_affine *out) {
    reader r = {.pool = pool, .loops = loops};
    return read_form(&r, x, BORDER_VALUE, out);
}

bool tirbi_affine_modulo(tirbi_lx_pool *pool, const tirbi_lx *x, const tirbi_loop_set *loops, tirbi_affine *out) {
    reader r = {.pool = pool, .loops = loops};
    return read_form(&r, x, BORDER_NONE, out);
}

bool tirbi_affine_index(tirbi_lx_pool *pool, const tirbi_place *place, uint32_t d, const tirbi_loop_set *loops,
                        tirbi_affine *out) {
    reader r = {.pool = pool, .loops = loops, .place = place, .dimension = d};
    return read_form(&r, place->indices[d], BORDER_SUBSCRIPT, out);
}

/* Whether the arithmetic that a subscript is, widened perhaps, is what its form says. */
static bool is_read(reader *r, uint32_t d) {
    const tirbi_lx *x = r->place->indices[d];
    if (!tirbi_mentions_loops(x, r->loops)) return true;
    r->dimension = d;
    while (tirbi_keeps_value(x)) x = x->args[0];
    return judge(r, x, BORDER_SUBSCRIPT) != READ_NOT;
}

bool tirbi_affine_number(tirbi_lx_pool *pool, const tirbi_place *place, const tirbi_loop_set *loops,
                         tirbi_affine *out) {
    reader r = {.pool = pool, .loops = loops, .place = place};
    if (!place->flat->pure) return false;
    for (uint32_t d = 0; d < place->ndim; d++)
        if (!is_read(&r, d)) return false;
    return read_form(&r, place->flat, BORDER_NUMBER, out);
}

bool tirbi_affine_constant(const tirbi_affine *form, uint32_t i, int64_t *out) {
    const tirbi_lx *c = form->coefficient[i];
    if (c && c->kind != TIRBI_LX_CONST) return false;
    *out = c ? c->value : 0;
    return true;
}

bool tirbi_affine_direction(const tirbi_affine *form, uint32_t i, int *out) {
    const tirbi_lx *c = form->coefficient[i];
    *out = !c || (c->lo == 0 && c->hi == 0) ? 0 : c->lo >= 0 ? 1 : c->hi <= 0 ? -1 : TIRBI_EITHER_WAY;
    return !c || c->kind == TIRBI_LX_CONST || (c->lo >= INT32_MIN && c->hi <= INT32_MAX);
}

bool tirbi_affine_equal(const tirbi_affine *a, const tirbi_affine *b, uint32_t n) {
    if (a->start != b->start) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (a->coefficient[i] != b->coefficient[i]) return false;
    }
    return true;
}
