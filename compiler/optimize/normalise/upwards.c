#include "compiler/optimize/normalise/upwards.h"

#include "compiler/loop/linear.h"
#include "compiler/loop/visit.h"
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/analysis/depend.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

typedef struct turner {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_loop_set one;
    tirbi_lvar *turned;
    uint32_t down; /* indices that go down */
    tirbi_facts *facts;
    uint32_t symbol;              /* of the loop's variable */
    tirbi_poly last, last_in_own; /* its last value; the same modulo the type that its bound is computed in, */
    uint8_t own_bits;             /* of so many bits */
} turner;

/* ---- Which way its indices go ----------------------------------------------------------------------------------- */

/* Whether no part of a sum goes up, or down where it is taken away, sizes that multiply it being positive; what is no
 * sum or product says nothing. */
static bool no_part_goes_up(turner *t, const tirbi_lx *x, bool taken) {
    const tirbi_lvar *var = t->one.var[0];
    if (!tirbi_lx_depends_on(x, var)) return true;
    if (x->kind == TIRBI_LX_VAR) return t->down += taken, taken;
    if (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST) return no_part_goes_up(t, x->args[0], taken);
    if (!tirbi_is_arithmetic(x) || !x->pure) return true;
    if (x->op != TIRB_OP_MUL)
        return no_part_goes_up(t, x->args[0], taken) && no_part_goes_up(t, x->args[1], taken != (x->op == TIRB_OP_SUB));
    const unsigned k = tirbi_lx_depends_on(x->args[0], var) ? 0 : 1;
    return tirbi_lx_depends_on(x->args[1 - k], var) ||
           no_part_goes_up(t, x->args[k], taken != (x->args[1 - k]->hi < 0));
}

static bool goes_down(void *context, const tirbi_reached *a) {
    for (uint32_t d = 0; d < a->place->ndim; d++)
        if (!no_part_goes_up(context, a->place->indices[d], false)) return false;
    return true;
}

static bool all_go_down(turner *t) {
    tirbi_accesses all = {
        .context = t, .access = goes_down, .kinds = TIRBI_NESTS | TIRBI_KIND(TREE)};
    return tirbi_find_accesses(&all, t->loop->as.loop.body) && t->down > 0;
}

/* ---- The loop anew ---------------------------------------------------------------------------------------------- */

/* An expression as a polynomial modulo its type, in which nothing but the variable itself depends on that. */
static bool read(turner *t, const tirbi_lx *x, tirbi_poly *out) {
    const tirbi_linear_reader reader = {.facts = t->facts};
    tirbi_conditions conditions = {.n = 0};
    if (!tirbi_read_linear(&reader, x, out, &conditions) || conditions.n > 0) return false;
    for (uint32_t i = 0; i < out->n; i++) {
        for (unsigned k = 0; k < out->term[i].of.degree; k++) {
            const uint32_t symbol = out->term[i].of.symbol[k];
            if (symbol != t->symbol && tirbi_lx_depends_on(t->facts->symbols[symbol].value, t->one.var[0]))
                return false;
        }
    }
    return true;
}

static const tirbi_lx *turn_symbol(void *context, const tirbi_lx *symbol) {
    const turner *t = context;
    return symbol == t->facts->symbols[t->symbol].value ? tirbi_lx_var(t->pool, t->turned) : symbol;
}

/* The expression with last - x for the variable x; NULL: it is to be looked into. */
static const tirbi_lx *replace(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    turner *t = rewrite->context;
    const bool is_own = tirbi_dtypes[x->type].bits <= t->own_bits;
    tirbi_poly p, by, rest, product, other = is_own ? t->last_in_own : t->last;
    const tirbi_poly one = tirbi_poly_symbol(t->symbol);
    if (!x->pure || !tirbi_dtype_is_int((tirbi_dtype)x->type) || x->type == TIRB_BOOL ||
        !tirbi_lx_depends_on(x, t->one.var[0]) || !read(t, x, &p) || !tirbi_poly_split(&p, t->symbol, &by, &rest) ||
        !tirbi_poly_add(&other, &one, -1) || !tirbi_poly_multiply(&by, &other, &product) ||
        !tirbi_poly_add(&rest, &product, 1))
        return NULL;
    return tirbi_linear_value(t->pool, (tirbi_dtype)x->type, t->facts, &rest, turn_symbol, t);
}

/* Names the variable, and its last value. */
static bool begin(turner *t) {
    tirbi_lvar *var = t->one.var[0];
    t->facts = TIRBI_NEW(t->pool->arena, tirbi_facts);
    if (!t->facts) return false;
    t->facts->arena = t->pool->arena;
    t->facts->symbols = TIRBI_NEW_ARRAY(t->pool->arena, tirbi_symbol, TIRBI_MAX_SYMBOLS);
    if (!t->facts->symbols) return false;
    t->symbol = tirbi_symbol_of(t->facts, tirbi_lx_var(t->pool, var));
    t->turned = tirbi_variable_like(t->pool, var);
    if (!read(t, var->extent, &t->last)) {
        const uint32_t all = tirbi_symbol_of(t->facts, var->extent);
        if (all == TIRBI_MAX_SYMBOLS) return false;
        t->last = tirbi_poly_symbol(all);
    }
    const tirbi_lx *own = var->extent;
    if (own->kind == TIRBI_LX_OP && own->op == TIRB_OP_CAST) own = own->args[0];
    if (tirbi_dtype_is_int((tirbi_dtype)own->type) && read(t, own, &t->last_in_own))
        t->own_bits = (uint8_t)tirbi_dtypes[own->type].bits;
    return t->turned && tirbi_poly_add_constant(&t->last, -1) &&
           (t->own_bits == 0 || tirbi_poly_add_constant(&t->last_in_own, -1));
}

static bool may_turn(turner *t) {
    const tirbi_ls *loop = t->loop, *body = loop->as.loop.body;
    return tirbi_is_plain_loop(loop) && tirbi_lx_is_int(t->one.var[0]->min, 0) && all_go_down(t) &&
           tirbi_may_recount(body, &t->one) && !tirbi_any_stmt(body, tirbi_asks_for_first, t->one.var[0]);
}

static const tirbi_ls *turn(turner *t) {
    if (!begin(t)) return NULL;
    tirbi_rewrite rewrite = {
        .pool = t->pool, .replace = replace, .context = t, .kinds = TIRBI_ANY_CODE, .renumber = true};
    const tirbi_ls *body = tirbi_rewrite_stmt(&rewrite, t->loop->as.loop.body);
    return tirbi_loop_like(t->pool, t->loop, t->turned, body);
}

const tirbi_ls *tirbi_turn_around(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    turner t = {.pool = pool, .loop = loop, .one = {.var = {loop->as.loop.var}, .n = 1}};
    return may_turn(&t) ? turn(&t) : NULL;
}

const tirbi_ls *tirbi_count_upwards(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    turner t = {.pool = pool, .loop = loop, .one = {.var = {loop->as.loop.var}, .n = 1}};
    return may_turn(&t) && tirbi_fails_alike(loop) && tirbi_is_parallel(pool, loop) ? turn(&t) : NULL;
}

/* ---- Where loops begin ------------------------------------------------------------------------------------------ */

const tirbi_ls *tirbi_begin_at_zero(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_lvar *old = loop->as.loop.var;
    const tirbi_loop_set one = {.var = {old}, .n = 1};
    const tirbi_dtype type = old->type;
    if (old->min->kind == TIRBI_LX_CONST || old->extent->kind != TIRBI_LX_CONST || !old->min->pure || old->min->traps ||
        old->below || !tirbi_is_plain_loop(loop) || !tirbi_may_recount(loop->as.loop.body, &one))
        return NULL;
    tirbi_lvar *var = tirbi_counter_like(pool, old, old->extent);
    if (!var) return NULL;
    const tirbi_lx *first = tirbi_value_in_type(pool, type, old->min), *behind = tirbi_lx_var(pool, var);
    const tirbi_lx *number = tirbi_lx_binary(pool, TIRB_OP_ADD, type, first, behind);
    return tirbi_loop_like(pool, loop, var, tirbi_recount(pool, loop->as.loop.body, old, var, number));
}
