/* Whether an operand is worth a buffer, and on which conditions. */
#include "compiler/optimize/contractions/operand.h"

#include "compiler/optimize/facts/affine.h"

/* What may be computed apart: a buffer with more axes than any that it is made of repeats elements, and must be small;
 * one whose elements are used many times each may be larger. */
enum { SMALL_COUNT = 1 << 18, LARGER_COUNT = 1 << 22, UNKNOWN_EXTENT = 64, MANY = 64 };
/* What lanes compute each time as well is used so often, in so many iterations, or stays with them. */
enum { LEAST_ITERATIONS = 1024, LEAST_REUSE = 4 };

/* Of a loop: the dimension that its iterations need as many elements of, where the call does not fail. */
typedef struct room {
    tirbi_lx_pool *pool;
    tirbi_loop_set loop;
    const tirbi_lx *elements;
    bool is_exact, is_proven; /* they step through it by a constant; and stay inside, as is known */
} room;

static bool is_enough(const room *r, const tirbi_lx *elements) {
    const tirbi_lx *extent = r->loop.var[0]->extent;
    return r->is_proven || (elements && tirbi_lx_wide(r->pool, TIRB_OP_MIN, extent, elements) == extent);
}

static bool find_room(void *context, const tirbi_reached *a) {
    room *r = context;
    const tirbi_lvar *loop = r->loop.var[0];
    for (uint32_t d = 0; a->surely && d < a->place->ndim && !is_enough(r, r->elements); d++) {
        tirbi_affine form;
        int64_t step;
        if (!tirbi_lx_depends_on(a->place->indices[d], loop) ||
            !tirbi_affine_index(r->pool, a->place, d, &r->loop, &form))
            continue;
        const bool is_exact = tirbi_affine_constant(&form, 0, &step);
        r->is_proven = r->is_proven || (is_exact && step != 0 && tirbi_dim_proven(a->place, d));
        if (r->elements && !is_exact) continue;
        if (is_exact && !r->is_exact) r->elements = NULL;
        const tirbi_lx *elements = a->place->buffer->shape[d];
        if (!r->elements || is_enough(r, elements)) r->elements = elements;
        r->is_exact = is_exact;
    }
    return true;
}

/* A size that no dimension of the nest's memory is made of. */
typedef struct foreign {
    const nest *nest;
    const tirbi_lvar *size;
    bool found;
} foreign;

static bool find_size(void *context, const tirbi_reached *a) {
    foreign *f = context;
    const tirbi_lbuf *root = a->place->buffer->root;
    for (uint32_t d = 0; d < root->ndim && !f->found; d++) f->found = tirbi_lx_depends_on(root->shape[d], f->size);
    return true;
}

static bool is_foreign(const void *context, const tirbi_lx *x) {
    foreign f = {.nest = context, .size = x->var};
    if (x->kind == TIRBI_LX_LOAD || x->kind == TIRBI_LX_CALL) return true;
    if (x->kind != TIRBI_LX_VAR) return false;
    tirbi_accesses all = {.rules = TIRBI_TAKE_VIEWS, .kinds = TIRBI_NESTS, .access = find_size, .context = &f};
    return !tirbi_find_accesses(&all, f.nest->stmt) || !f.found;
}

bool tirbi_operand_has_room(operand *o) {
    const nest *n = o->nest;
    for (uint32_t i = 0; i < o->loops.n; i++) {
        tirbi_lvar *loop = o->loops.var[i];
        if (!tirbi_operand_has_axis(o, i) || !tirbi_any_expr(loop->extent, TIRBI_WALK_INDICES, is_foreign, n)) continue;
        room r = {.pool = n->pool, .loop = {.var = {loop}, .n = 1}};
        tirbi_accesses all = {.rules = TIRBI_TAKE_VIEWS, .kinds = TIRBI_NESTS, .access = find_room, .context = &r};
        if (!tirbi_find_accesses(&all, n->stmt) || !r.elements) return false;
        if (is_enough(&r, r.elements)) continue;
        const tirbi_lx *fits = tirbi_lx_wide(n->pool, TIRB_OP_LE, loop->extent, r.elements);
        if (!fits || tirbi_lx_is_int(fits, 0)) return false;
        if (fits->kind != TIRBI_LX_CONST) o->condition = tirbi_operand_both(n, o->condition, fits);
    }
    return true;
}

static double estimate(const tirbi_lx *extent) {
    if (extent->kind == TIRBI_LX_CONST) return (double)extent->value;
    double least = extent->lo < 1 ? 1 : (double)extent->lo, most = (double)extent->hi;
    return UNKNOWN_EXTENT < least ? least : UNKNOWN_EXTENT > most ? most : UNKNOWN_EXTENT;
}

/* Whether an access does not have a dimension for each axis of an operand. */
static bool is_narrower(void *context, const tirbi_reached *a) {
    const operand *o = context;
    uint32_t n = 0;
    for (uint32_t d = 0; d < a->place->ndim; d++) {
        uint32_t i = 0;
        while (i < o->loops.n &&
               !(tirbi_operand_has_axis(o, i) && tirbi_lx_depends_on(a->place->indices[d], o->loops.var[i])))
            i++;
        n += i < o->loops.n;
    }
    return n < o->n_axes;
}

/* Whether the nest has memory of at least as many dimensions. */
static bool is_spanned(operand *o) {
    tirbi_accesses all = {.rules = TIRBI_TAKE_VIEWS, .kinds = TIRBI_NESTS, .access = is_narrower, .context = o};
    return !tirbi_find_accesses(&all, o->nest->stmt) && all.refused == TIRBI_REFUSES_CALLER;
}

/* Adds a condition on sizes; false: it never holds, or memory ran out. */
static bool ask(operand *o, const tirbi_lx *x) {
    if (!x || tirbi_lx_is_int(x, 0)) return false;
    if (!tirbi_lx_is_int(x, 1)) o->condition = tirbi_operand_both(o->nest, o->condition, x);
    return true;
}

/* Lanes may compute it each time as well: of sizes that are not known, it is asked whether its elements are used so
 * often and are not too many. */
static bool asks_for_use(operand *o) {
    tirbi_lx_pool *pool = o->nest->pool;
    const tirbi_lx *uses = tirbi_lx_number(pool, 1), *count = uses;
    for (uint32_t i = 0; i < o->loops.n && uses; i++) {
        const tirbi_lx *extent = o->loops.var[i]->extent;
        if (tirbi_operand_has_axis(o, i)) continue;
        if (tirbi_mentions_loops(extent, &o->loops)) return false;
        uses = tirbi_lx_wide(pool, TIRB_OP_MAX, uses, extent);
    }
    for (uint32_t i = 0; i < o->n_axes && count; i++) {
        const tirbi_lx *extent = o->axes[i].extent;
        if (i > 0 && !ask(o, tirbi_lx_with(pool, TIRB_OP_LE, extent, SMALL_COUNT))) return false; /* no product wraps */
        count = tirbi_lx_mul(pool, count, extent);
        if (!count || !ask(o, tirbi_lx_with(pool, TIRB_OP_LE, count, SMALL_COUNT))) return false;
    }
    return uses && ask(o, tirbi_lx_with(pool, TIRB_OP_GE, uses, LEAST_REUSE));
}

/* A choice pays by not being made where it is used. */
bool tirbi_operand_pays(operand *o) {
    double iterations = 1, count = 1;
    bool known = true;
    for (uint32_t i = 0; i < o->loops.n; i++) iterations *= estimate(o->loops.var[i]->extent);
    for (uint32_t i = 0; i < o->n_axes; i++) {
        count *= estimate(o->axes[i].extent);
        known = known && o->axes[i].extent->kind == TIRBI_LX_CONST;
    }
    const bool saves = o->nest->saves_work;
    double least_reuse = saves ? LEAST_REUSE : o->value->kind == TIRBI_LX_COND ? 1 : 1.25;
    if (iterations <= count || iterations < least_reuse * count || (saves && iterations < LEAST_ITERATIONS))
        return false;
    const double most = iterations >= MANY * count ? LARGER_COUNT : SMALL_COUNT;
    if (o->n_axes > o->rank && !(known && count <= most) && !(saves && is_spanned(o))) return false;
    return !saves || asks_for_use(o);
}
