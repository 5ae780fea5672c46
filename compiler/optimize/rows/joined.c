#include "compiler/optimize/rows/joined.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/lanes/flatten.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_FLAT = 8 };

typedef struct joiner {
    tirbi_lx_pool *pool;
    int64_t longest;
    bool loops; /* there may be some inside both */
    tirbi_lvar *outer, *inner;
    struct {
        const tirbi_lbuf *of;
        tirbi_lbuf *buffer;
    } flat[MAX_FLAT]; /* buffers of fewer dimensions: what was one element has to be seen to be one */
    uint32_t n_flat;
    bool failed;
} joiner;

/* Stores, under conditions and in loops where these are allowed. */
static bool only_stores(const tirbi_ls *s, bool loops) {
    return tirbi_is_made_of(s, TIRBI_KIND(SEQ) | TIRBI_KIND(IF) | TIRBI_KIND(STORE) | (loops ? TIRBI_KIND(LOOP) : 0));
}

static bool same_layout(const tirbi_lbuf *a, const tirbi_lbuf *b) {
    bool same = a->ndim == b->ndim;
    for (uint32_t d = 0; same && d < a->ndim; d++) same = a->shape[d] == b->shape[d] && a->strides[d] == b->strides[d];
    return same;
}

/* Rows that follow each other in memory are numbered by the joined loop. Of views, which may be others in each
 * iteration, those alone are taken that are all of their memory. */
static const tirbi_place *joined_place(tirbi_rewrite *rewrite, const tirbi_place *place) {
    joiner *j = rewrite->context;
    j->failed = j->failed || place->view || !tirbi_has_whole_extents(place->buffer);
    if (j->failed) return NULL;
    const tirbi_place *other = tirbi_rewrite_subscripts(rewrite, place);
    const tirbi_place *flat = other ? tirbi_flatten_place(j->pool, other) : NULL;
    if (!flat || flat == other) return flat;
    for (uint32_t i = 0; i < j->n_flat; i++) {
        if (j->flat[i].of != place->buffer || !same_layout(j->flat[i].buffer, flat->buffer)) continue;
        tirbi_place *same = TIRBI_NEW(j->pool->arena, tirbi_place);
        if (!same) return NULL;
        *same = *flat;
        same->buffer = j->flat[i].buffer;
        return same;
    }
    if (j->n_flat == MAX_FLAT) return NULL;
    flat->buffer->covers = true;
    j->flat[j->n_flat].of = place->buffer;
    j->flat[j->n_flat++].buffer = flat->buffer;
    return flat;
}

/* The number of an iteration of both; NULL where 64 bits are too few for it. */
static tirbi_lvar *new_number(const joiner *j, int64_t count) {
    int64_t last;
    const tirbi_lx *times = tirbi_lx_number(j->pool, count);
    if (j->outer->lo < 0 || j->outer->lo > j->outer->hi || __builtin_mul_overflow(j->outer->hi, count, &last) ||
        __builtin_add_overflow(last, count - 1, &last))
        return NULL;
    tirbi_lvar *number = tirbi_variable_like(j->pool, j->outer);
    if (!number) return NULL;
    number->name = tirbi_join_names(j->pool, j->outer, j->inner);
    number->min = tirbi_lx_mul(j->pool, j->outer->min, times);
    number->extent = tirbi_lx_mul(j->pool, j->outer->extent, times);
    number->below = NULL;
    number->type = last <= INT32_MAX ? TIRB_I32 : TIRB_I64;
    number->apart = j->outer->apart && j->inner->apart;
    number->forwards = j->outer->forwards || j->inner->forwards;
    number->lo = j->outer->lo * count;
    number->hi = last;
    return number->name && number->min && number->extent ? number : NULL;
}

static const tirbi_ls *join(joiner *j, const tirbi_ls *outer, const tirbi_ls *inner) {
    tirbi_lvar *row = inner->as.loop.var;
    if (!tirbi_is_plain_loop(outer) || !tirbi_is_plain_loop(inner) || !tirbi_lx_is_int(row->min, 0) ||
        row->extent->kind != TIRBI_LX_CONST || row->extent->value < 2 || row->extent->value > j->longest ||
        !only_stores(inner->as.loop.body, j->loops))
        return NULL;
    j->outer = outer->as.loop.var;
    j->inner = row;
    tirbi_lvar *number = new_number(j, row->extent->value);
    const tirbi_lx *counter = tirbi_lx_var(j->pool, number);
    const tirbi_lx *count = counter ? tirbi_lx_int(j->pool, number->type, row->extent->value) : NULL;
    if (!count) return NULL;
    const tirbi_dtype type = number->type;
    const tirbi_lx *quotient = tirbi_lx_binary(j->pool, TIRB_OP_FLOORDIV, type, counter, count),
                   *rest = tirbi_lx_binary(j->pool, TIRB_OP_FLOORMOD, type, counter, count);
    tirbi_rewrite rewrite = {
        .pool = j->pool, .place = joined_place, .context = j, .anew = j->loops ? TIRBI_LOOPS_ANEW : 0};
    tirbi_bind_variable(&rewrite, j->outer, tirbi_lx_cast(j->pool, j->outer->type, quotient));
    tirbi_bind_variable(&rewrite, row, tirbi_lx_cast(j->pool, row->type, rest));
    const tirbi_ls *body = tirbi_rewrite_stmt(&rewrite, inner->as.loop.body);
    return j->failed ? NULL : tirbi_loop_like(j->pool, outer, number, body);
}

const tirbi_ls *tirbi_join_short_loops(tirbi_lx_pool *pool, const tirbi_ls *loop, int64_t longest) {
    const tirbi_ls *inner = tirbi_loop_inside(loop);
    if (!inner) return NULL;
    joiner j = {.pool = pool, .longest = longest};
    if (!tirbi_loop_inside(inner)) return join(&j, loop, inner);
    const tirbi_ls *joined = tirbi_join_short_loops(pool, inner, longest);
    return tirbi_loop_like(pool, loop, NULL, joined);
}

const tirbi_ls *tirbi_join_columns(tirbi_lx_pool *pool, const tirbi_ls *loop, int64_t longest) {
    const tirbi_ls *inner = tirbi_loop_inside(loop);
    joiner j = {.pool = pool, .longest = longest, .loops = true};
    return inner && tirbi_has_kind(inner->as.loop.body, TIRBI_KIND(LOOP)) ? join(&j, loop, inner) : NULL;
}
