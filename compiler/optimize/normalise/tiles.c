#include "compiler/optimize/normalise/tiles.h"

#include "compiler/loop/linear.h"
#include "compiler/loop/visit.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/normalise/upwards.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_AROUND = 16 };

typedef struct tiler {
    tirbi_lx_pool *pool;
    const tirbi_ls *around[MAX_AROUND];
    uint32_t n_around;
} tiler;

/* A loop over what is left of a number behind the tiles before. */
typedef struct tile {
    const tirbi_lvar *outer; /* that counts tiles */
    bool mirrored;           /* from the last one on: the tile is number `rounds` - 1 - outer */
    const tirbi_lx *size, *left, *all, *rounds;
} tile;

/* What a bound is that only says how often a loop runs. */
static const tirbi_lx *number_of_rounds(const tirbi_lx *x) {
    for (;;) {
        if (x->kind != TIRBI_LX_OP) return x;
        const bool casts = x->op == TIRB_OP_CAST && tirbi_keeps_value(x),
                   clamps = x->op == TIRB_OP_MAX && x->args[1]->kind == TIRBI_LX_CONST && x->args[1]->value <= 0;
        if (!casts && !clamps) return x;
        x = x->args[0];
    }
}

/* min(size, left) */
static bool read_least(tile *t, const tirbi_lx *x) {
    if (x->kind != TIRBI_LX_OP || x->op != TIRB_OP_MIN || (x->type != TIRB_I32 && x->type != TIRB_I64) || !x->pure)
        return false;
    const unsigned k = x->args[0]->kind == TIRBI_LX_CONST ? 0 : 1;
    t->size = x->args[k];
    t->left = x->args[1 - k];
    return t->size->kind == TIRBI_LX_CONST && t->size->value > 1 && !t->left->traps;
}

/* Whether the tiles are as many as it takes: (all + size - 1) // size. There is one only where all of it is at least 1
 * and the sum has not wrapped, so what is left of it behind the tiles before does not wrap either. */
static bool counts_tiles(tiler *t, const tile *of) {
    const tirbi_lx *rounds = number_of_rounds(of->outer->extent);
    const tirbi_dtype type = (tirbi_dtype)of->left->type;
    if (rounds->kind != TIRBI_LX_OP || (rounds->op != TIRB_OP_FLOORDIV && rounds->op != TIRB_OP_DIV) ||
        rounds->args[1] != of->size || rounds->type != type)
        return false;
    const tirbi_lx *less = tirbi_lx_int(t->pool, type, of->size->value - 1);
    return rounds->args[0] == tirbi_lx_binary(t->pool, TIRB_OP_ADD, type, of->all, less);
}

/* Whether left = all - size * (rounds - 1 - outer), modulo its type. */
static bool is_left_behind(tiler *t, const tile *of, tirbi_lvar *outer) {
    const int64_t size = of->size->value;
    const tirbi_lx *parts[] = {of->left, of->all, of->rounds, tirbi_lx_var(t->pool, outer)};
    const int64_t factor[] = {1, -1, size, -size};
    tirbi_facts *facts = TIRBI_NEW(t->pool->arena, tirbi_facts);
    if (!facts) return false;
    facts->arena = t->pool->arena;
    facts->symbols = TIRBI_NEW_ARRAY(t->pool->arena, tirbi_symbol, TIRBI_MAX_SYMBOLS);
    const tirbi_linear_reader reader = {.facts = facts, .modulo = true};
    tirbi_conditions none = {.n = 0};
    tirbi_poly sum = tirbi_poly_constant(-size), part;
    for (unsigned i = 0; i < 4; i++)
        if (!facts->symbols || !parts[i] || !tirbi_read_linear(&reader, parts[i], &part, &none) ||
            !tirbi_poly_add(&sum, &part, factor[i]))
            return false;
    return sum.n == 0;
}

/* The same from the last tile on; `first` is what is left of it. */
static bool read_mirrored(tiler *t, tile *of, tirbi_lvar *outer, const tirbi_affine *first) {
    const tirbi_loop_set loops = {.var = {outer}, .n = 1};
    const tirbi_dtype type = (tirbi_dtype)of->left->type;
    const tirbi_lx *rounds = number_of_rounds(outer->extent);
    const bool counts = rounds->kind == TIRBI_LX_OP && rounds->op == TIRB_OP_FLOORDIV && rounds->type == type;
    tirbi_affine form;
    of->outer = outer;
    of->mirrored = true;
    of->rounds = rounds;
    if (counts) {
        const tirbi_lx *less = tirbi_lx_int(t->pool, type, 1 - of->size->value);
        of->all = tirbi_lx_binary(t->pool, TIRB_OP_ADD, type, rounds->args[0], less);
        return of->all && counts_tiles(t, of) && is_left_behind(t, of, outer);
    }
    int64_t others;
    if (rounds->kind != TIRBI_LX_CONST || __builtin_mul_overflow(rounds->value - 1, of->size->value, &others) ||
        !tirbi_affine_of(t->pool, of->left, &loops, &form))
        return false;
    of->all = tirbi_lx_add(t->pool, first->start, tirbi_lx_number(t->pool, others));
    return of->all && of->all->lo > INT64_MIN && of->all->hi < INT64_MAX;
}

/* Whether what is left is all, less the tiles before. */
static bool read_left(tiler *t, tile *of) {
    tirbi_affine form;
    int64_t factor;
    for (uint32_t i = t->n_around; i-- > 0;) {
        tirbi_lvar *outer = t->around[i]->as.loop.var;
        const tirbi_loop_set loops = {.var = {outer}, .n = 1};
        if (!tirbi_lx_depends_on(of->left, outer)) continue;
        if (!tirbi_lx_is_int(outer->min, 0) || !tirbi_affine_modulo(t->pool, of->left, &loops, &form) ||
            !tirbi_affine_constant(&form, 0, &factor))
            return false;
        if (factor == of->size->value) return read_mirrored(t, of, outer, &form);
        if (factor != -of->size->value) return false;
        of->outer = outer;
        of->all = tirbi_value_in_type(t->pool, (tirbi_dtype)of->left->type, form.start);
        return of->all && (counts_tiles(t, of) || tirbi_affine_of(t->pool, of->left, &loops, &form));
    }
    return false;
}

/* The number of the tile, where its loop is. */
static const tirbi_lx *number_of(tiler *t, const tile *of, tirbi_dtype type) {
    const tirbi_lx *outer = tirbi_lx_cast(t->pool, type, tirbi_lx_var(t->pool, (tirbi_lvar *)(uintptr_t)of->outer));
    if (!of->mirrored) return outer;
    const tirbi_lx *last = tirbi_lx_binary(t->pool, TIRB_OP_ADD, type, tirbi_lx_cast(t->pool, type, of->rounds),
                                           tirbi_lx_int(t->pool, type, -1));
    return tirbi_lx_binary(t->pool, TIRB_OP_SUB, type, last, outer);
}

/* outer * size + inner < all, in the type of what is left, where that has room for all tiles, or else in int64. */
static const tirbi_lx *guard_of(tiler *t, const tile *of, const tirbi_lx *inner) {
    tirbi_lvar *outer = (tirbi_lvar *)(uintptr_t)of->outer;
    const tirbi_dtype own = (tirbi_dtype)of->left->type;
    int64_t least, most, last;
    tirbi_type_range(own, &least, &most);
    const bool fits = outer->lo >= 0 && !__builtin_mul_overflow(outer->hi, of->size->value, &last) &&
                      last <= most - of->size->value + 1;
    const tirbi_dtype type = fits && outer->type == own && inner->type == own ? own : TIRB_I64;
    if (outer->lo < 0 || __builtin_mul_overflow(outer->hi, of->size->value, &last) ||
        last > INT64_MAX - of->size->value)
        return NULL;
    const tirbi_lx *before = tirbi_lx_binary(t->pool, TIRB_OP_MUL, type, number_of(t, of, type),
                                             tirbi_lx_int(t->pool, type, of->size->value));
    const tirbi_lx *number = tirbi_lx_binary(t->pool, TIRB_OP_ADD, type, before, tirbi_lx_cast(t->pool, type, inner));
    return tirbi_lx_binary(t->pool, TIRB_OP_LT, type, number, tirbi_lx_cast(t->pool, type, of->all));
}

/* A statement under a condition that nothing in it changes: inside of the loops that are all of it, beside their
 * conditions. */
static const tirbi_ls *guarded(tirbi_lx_pool *pool, const tirbi_lx *condition, const tirbi_ls *s) {
    s = tirbi_only_part(s);
    if (s->kind == TIRBI_LS_LOOP && tirbi_is_plain_loop(s))
        return tirbi_loop_like(pool, s, NULL, guarded(pool, condition, s->as.loop.body));
    if (tirbi_is_guard(s)) {
        condition = tirbi_lx_lazy(pool, TIRBI_LX_AND, condition, s->as.if_.condition, NULL);
        s = s->as.if_.then_case;
    }
    return tirbi_new_if(pool, s->span, condition, s, NULL);
}

/* The loop over a whole tile, or from its end on; NULL: it is no loop over what is left. */
static const tirbi_ls *whole_tile(tiler *t, const tirbi_ls *loop, bool backwards) {
    tirbi_lvar *old = loop->as.loop.var;
    const tirbi_loop_set one = {.var = {old}, .n = 1};
    tile of = {.outer = NULL};
    if (!tirbi_is_plain_loop(loop) || !tirbi_lx_is_int(old->min, 0) ||
        !read_least(&of, number_of_rounds(old->extent)) || !read_left(t, &of) ||
        !tirbi_may_recount(loop->as.loop.body, &one))
        return NULL;
    tirbi_lvar *var = tirbi_counter_like(t->pool, old, tirbi_lx_number(t->pool, of.size->value));
    if (!var) return NULL;
    const tirbi_lx *number = tirbi_lx_var(t->pool, var);
    if (backwards)
        number = tirbi_lx_binary(t->pool, TIRB_OP_SUB, var->type, tirbi_lx_int(t->pool, var->type, var->hi), number);
    const tirbi_lx *guard = number ? guard_of(t, &of, number) : NULL;
    const tirbi_ls *body = guard ? tirbi_recount(t->pool, loop->as.loop.body, old, var, number) : NULL;
    body = body ? guarded(t->pool, guard, body) : NULL;
    return tirbi_loop_like(t->pool, loop, var, body);
}

/* A tile that is gone through from its last element on, which is less than what is left of it, keeps its order where
 * the whole tile is gone through so. */
static const tirbi_ls *tile_from_end(tiler *t, const tirbi_ls *loop) {
    const tirbi_ls *turned = tirbi_turn_around(t->pool, loop);
    return turned ? whole_tile(t, turned, true) : NULL;
}

static const tirbi_ls *guard_all(void *context, const tirbi_ls *s) {
    tiler *t = context;
    if (s->kind != TIRBI_LS_LOOP) return tirbi_replace_inside(t->pool, s, guard_all, t);
    if (t->n_around == MAX_AROUND) return s;
    t->around[t->n_around++] = s;
    const tirbi_ls *inside = tirbi_replace_inside(t->pool, s, guard_all, t);
    t->n_around--;
    const tirbi_ls *made = tile_from_end(t, inside);
    if (!made) made = whole_tile(t, inside, false);
    if (!made && inside != s) made = tirbi_count_upwards(t->pool, inside); /* its tiles have one size now */
    return made ? made : inside;
}

const tirbi_ls *tirbi_guard_tiles(tirbi_lx_pool *pool, const tirbi_ls *body) {
    tiler t = {.pool = pool};
    return guard_all(&t, body);
}
