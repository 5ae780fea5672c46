/* A loop is run ahead where its condition first compares a variable with something that stays, then looks at elements
 * that no earlier round has stored to, and its body stores and steps to the next element. The while loop itself stays
 * behind what runs ahead: whatever that does not do, for whichever reason, is done there. */
#include "compiler/optimize/whiles/ahead.h"

#include "compiler/loop/sums.h"
#include "compiler/loop/visit.h"
#include "compiler/optimize/carried/search.h"
#include "compiler/optimize/cuts/distance.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_ITEMS = 8, MAX_PLACES = 16, MAX_DEPTH = 32, MAX_TERMS = 8, MAX_ENDS = 4 };
/* Rounds after which the condition must still hold: fewer than the last are not worth it, and one of elements in no
 * order is mostly found out by the first. */
static const int64_t later[] = {0, 4, 32};
enum { LOOKS = sizeof(later) / sizeof(*later), LATER = 32, NEAR = 8 };

/* Indices are small enough that a few more or less do not wrap. */
static const int64_t far = INT32_MAX - 1024;

typedef struct runner {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_lvar *var;       /* that steps */
    const tirbi_lx *bound; /* the last one for which the loop goes on, as int64 */
    const tirbi_lx *test;  /* what has to hold beside that */
    bool down;
    const tirbi_ls *items[MAX_ITEMS]; /* of the body, without the step */
    uint32_t n;
    struct {
        const tirbi_place *place; /* as it stands in the loop: loaded by the test, or stored to */
        int64_t offset;           /* of its last index from the variable */
    } places[MAX_PLACES];
    uint32_t n_places;
    const tirbi_lx *ends[MAX_ENDS]; /* that the variable is clamped to: it is no more, as int64 */
    uint32_t n_ends;
    int64_t least, most;       /* the smallest and the largest value that the variable has */
    const tirbi_lx *at, *wide; /* what stands for the variable, and for it as int64 */
} runner;

/* ---- With another value for the variable ------------------------------------------------------------------------ */

static bool is_variable(const runner *r, const tirbi_lx *x) { return x->kind == TIRBI_LX_VAR && x->var == r->var; }

/* Whether it is the variable and a constant, j - 1 say. */
static bool is_near(const runner *r, const tirbi_lx *x, int64_t *by) {
    *by = 0;
    if (is_variable(r, x)) return true;
    const bool adds = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_ADD,
               subtracts = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_SUB;
    if ((!adds && !subtracts) || !is_variable(r, x->args[0]) || x->args[1]->kind != TIRBI_LX_CONST) return false;
    *by = adds ? x->args[1]->value : -x->args[1]->value;
    return *by <= INT32_MAX - r->most && *by >= -INT32_MAX;
}

static bool stays(const runner *r, const tirbi_lx *x);

/* Whether the variable is at most `end` less `by`, if that is asked before it is run ahead. */
static bool ends_at(runner *r, const tirbi_lx *end, int64_t by) {
    if (!end->pure || end->traps || end->size > TIRBI_MAX_SHARED_SIZE || end->lo < INT64_MIN / 4 || !stays(r, end))
        return false;
    end = tirbi_lx_sub(r->pool, tirbi_lx_cast(r->pool, TIRB_I64, end), tirbi_lx_number(r->pool, by));
    for (uint32_t i = 0; i < r->n_ends; i++)
        if (r->ends[i] == end) return true;
    if (!end || r->n_ends == MAX_ENDS) return false;
    r->ends[r->n_ends++] = end;
    return true;
}

/* What is left of max(j - 1, 0), min(j + 1, 9) or min(j, n - 1) where the other one is never taken. */
static const tirbi_lx *without_clamp(runner *r, const tirbi_lx *x) {
    const bool low = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_MAX,
               high = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_MIN;
    int64_t by;
    if ((!low && !high) || !is_near(r, x->args[0], &by)) return x;
    const tirbi_lx *end = x->args[1];
    if (end->kind != TIRBI_LX_CONST) return high && ends_at(r, end, by) ? x->args[0] : x;
    return (low ? r->least + by >= end->value : r->most + by <= end->value) ? x->args[0] : x;
}

/* Sums with the variable that do not wrap are sums of int64, as all that looks at indices wants it. */
static const tirbi_lx *replace(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    runner *r = rewrite->context;
    int64_t by;
    if (is_variable(r, x)) return r->at;
    if (x->kind != TIRBI_LX_OP || x->type != TIRB_I64) return NULL;
    const bool clamps = x->op == TIRB_OP_MIN || x->op == TIRB_OP_MAX;
    if (!clamps && (x->op != TIRB_OP_CAST || x->source != TIRB_I32)) return NULL;
    if (!is_near(r, without_clamp(r, clamps ? x : x->args[0]), &by)) return NULL;
    return tirbi_lx_add(r->pool, r->wide, tirbi_lx_number(r->pool, by));
}

/* The variable is `value` from here on, which lies in least .. most. */
static bool stand_at(runner *r, const tirbi_lx *value) {
    r->wide = tirbi_lx_within(r->pool, value, r->least, r->most);
    r->at = tirbi_lx_cast(r->pool, r->var->type, r->wide);
    return r->at != NULL;
}

static const tirbi_lx *step_from(const runner *r, const tirbi_lx *from, const tirbi_lx *rounds) {
    return r->down ? tirbi_lx_sub(r->pool, from, rounds) : tirbi_lx_add(r->pool, from, rounds);
}

static const tirbi_lx *test_here(runner *r) {
    tirbi_rewrite rewrite = {.pool = r->pool, .replace = replace, .context = r};
    return tirbi_rewrite_value(&rewrite, r->test);
}

/* ---- What the loop is ------------------------------------------------------------------------------------------- */

/* Takes the first of the terms that are looked at one after the other; the others, or NULL: there are none. */
static const tirbi_lx *take_first(const runner *r, const tirbi_lx *x, const tirbi_lx **first, unsigned depth) {
    if (x->kind != TIRBI_LX_AND || depth == MAX_TERMS) {
        *first = x;
        return NULL;
    }
    const tirbi_lx *rest = take_first(r, x->args[0], first, depth + 1);
    return tirbi_lx_and(r->pool, rest, x->args[1]);
}

/* j = j + 1, or j = j - 1 */
static bool read_step(runner *r, const tirbi_ls *s) {
    if (s->kind != TIRBI_LS_SET || s->as.set.declares || !s->as.set.value) return false;
    const tirbi_lx *value = s->as.set.value;
    const bool adds = value->kind == TIRBI_LX_OP && value->op == TIRB_OP_ADD,
               subtracts = value->kind == TIRBI_LX_OP && value->op == TIRB_OP_SUB;
    if (!adds && !subtracts) return false;
    const unsigned k = adds && value->args[1]->kind == TIRBI_LX_VAR ? 1 : 0;
    const tirbi_lx *of = value->args[k], *by = value->args[1 - k];
    if (of->kind != TIRBI_LX_VAR || of->var != s->as.set.var || (!tirbi_lx_is_int(by, 1) && !tirbi_lx_is_int(by, -1)))
        return false;
    r->var = s->as.set.var;
    r->down = (by->value < 0) != subtracts;
    return r->var->kind == TIRBI_LVAR_LOCAL && (r->var->type == TIRB_I32 || r->var->type == TIRB_I64);
}

static bool read_body(runner *r) {
    const tirbi_ls *items[MAX_ITEMS + 1];
    uint32_t n = 0;
    if (!tirbi_list_statements(r->loop->as.while_.body, items, &n, MAX_ITEMS + 1) || n == 0) return false;
    if (!read_step(r, items[--n])) return false;
    for (r->n = 0; r->n < n; r->n++) {
        const tirbi_ls *s = items[r->n];
        if (s->kind != TIRBI_LS_STORE && (s->kind != TIRBI_LS_SET || !s->as.set.declares)) return false;
        r->items[r->n] = s;
    }
    return true;
}

static bool is_stored_to(const runner *r, const tirbi_lbuf *root) {
    for (uint32_t i = 0; i < r->n; i++)
        if (r->items[i]->kind == TIRBI_LS_STORE && tirbi_may_meet(r->items[i]->as.store.access->buffer->root, root))
            return true;
    return false;
}

static bool changes(const void *context, const tirbi_lx *x) {
    const runner *r = context;
    if (x->kind == TIRBI_LX_LOAD &&
        (is_stored_to(r, x->access->buffer->root) || tirbi_place_depends_on(x->access, r->var)))
        return true;
    return x->traps || x->kind == TIRBI_LX_CALL || tirbi_is_var(r->var, x);
}

/* Whether an expression fails in no round and has the same value in each. */
static bool stays(const runner *r, const tirbi_lx *x) { return !tirbi_any_expr(x, TIRBI_WALK_ALL, changes, r); }

/* j < n, j <= n, j > n, j >= n, and these the other way round, as it steps towards n. */
static bool read_bound(runner *r, const tirbi_lx *x) {
    if (x->kind != TIRBI_LX_OP || x->optype != r->var->type || x->size > TIRBI_MAX_SHARED_SIZE) return false;
    const bool less = x->op == TIRB_OP_LT || x->op == TIRB_OP_LE, greater = x->op == TIRB_OP_GT || x->op == TIRB_OP_GE;
    if (!less && !greater) return false;
    const unsigned k = is_variable(r, x->args[0]) ? 0 : 1;
    const tirbi_lx *bound = x->args[1 - k];
    if (!is_variable(r, x->args[k]) || r->down != (less == (k == 1))) return false;
    if (!stays(r, bound) || bound->lo < INT64_MIN / 4 || bound->hi > INT64_MAX / 4) return false;
    const bool inclusive = x->op == TIRB_OP_LE || x->op == TIRB_OP_GE;
    bound = tirbi_lx_cast(r->pool, TIRB_I64, bound);
    r->bound = bound && !inclusive ? tirbi_lx_add(r->pool, bound, tirbi_lx_number(r->pool, r->down ? 1 : -1)) : bound;
    return r->bound != NULL;
}

/* A place of the next element in each round, in memory of which each index has its own. */
static bool steps(const runner *r, const tirbi_place *place, int64_t *offset) {
    const tirbi_lbuf *b = place->buffer;
    if (place->ndim == 0 || place->view || !tirbi_has_whole_extents(b) || b->fetched || b->broadcasts ||
        b->overlaps || b->resized)
        return false;
    const uint32_t last = place->ndim - 1;
    for (uint32_t d = 0; d < last; d++)
        if (tirbi_lx_depends_on(place->indices[d], r->var) || !tirbi_dim_proven(place, d)) return false;
    tirbi_rewrite rewrite = {.pool = r->pool, .replace = replace, .context = (void *)(uintptr_t)r};
    const tirbi_lx *index = tirbi_rewrite_value(&rewrite, place->indices[last]);
    return index && tirbi_lx_is_int(b->strides[last], 1) && tirbi_constant_difference(index, r->wide, offset) &&
           *offset >= -NEAR && *offset <= NEAR;
}

/* Whether what rounds before have stored is elsewhere. */
static bool is_before_stores(const runner *r, const tirbi_place *place, int64_t offset) {
    for (uint32_t i = 0; i < r->n; i++) {
        const tirbi_place *to = r->items[i]->kind == TIRBI_LS_STORE ? r->items[i]->as.store.access : NULL;
        int64_t other;
        if (!to || !tirbi_may_meet(to->buffer->root, place->buffer->root)) continue;
        if (to->buffer != place->buffer || !steps(r, to, &other)) return false;
        for (uint32_t d = 0; d + 1 < place->ndim; d++)
            if (to->indices[d] != place->indices[d]) return false;
        if (r->down ? other < offset : other > offset) return false;
    }
    return true;
}

static bool add_place(runner *r, const tirbi_place *place, int64_t offset) {
    if (r->n_places == MAX_PLACES) return false;
    r->places[r->n_places].place = place;
    r->places[r->n_places++].offset = offset;
    return true;
}

/* Whether the test may be looked at before its rounds: what it loads is there, and nothing else in it fails. */
static bool read_test(runner *r, const tirbi_lx *x, unsigned depth) {
    if (x->kind == TIRBI_LX_CALL || x->size > TIRBI_MAX_SHARED_SIZE || depth == MAX_DEPTH) return false;
    if (x->kind == TIRBI_LX_LOAD && !stays(r, x)) {
        int64_t offset;
        if (!steps(r, x->access, &offset) || !is_before_stores(r, x->access, offset)) return false;
        for (uint32_t d = 0; d + 1 < x->access->ndim; d++)
            if (!stays(r, x->access->indices[d])) return false;
        return add_place(r, x->access, offset);
    }
    bool fails = x->traps;
    for (int i = 0; i < x->n_args; i++) {
        if (!read_test(r, x->args[i], depth + 1)) return false;
        fails = fails && !x->args[i]->traps;
    }
    return !fails && !(x->kind == TIRBI_LX_OP && (tirbi_ops[x->op].flags & TIRBI_FLAG_TRAP) &&
                       !tirbi_dtype_is_float((tirbi_dtype)x->optype));
}

/* ---- When there are rounds to run ahead ------------------------------------------------------------------------- */

static bool add_guard(const runner *r, const tirbi_lx **all, const tirbi_lx *guard) {
    if (!guard) return false;
    *all = tirbi_lx_and(r->pool, *all, guard);
    return *all != NULL;
}

/* a <= b, unless that is known; false where it is known not to be. */
static bool add_order(const runner *r, const tirbi_lx **all, const tirbi_lx *a, const tirbi_lx *b) {
    if (!a || !b || a->lo > b->hi) return false;
    if (a->hi <= b->lo) return true;
    return add_guard(r, all, tirbi_lx_wide(r->pool, TIRB_OP_LE, a, b));
}

/* What is left of an index without a constant that is taken from it, which is added to `constant`. */
static const tirbi_lx *without_constant(const tirbi_lx *x, int64_t *constant) {
    x = tirbi_lx_before_cast(x);
    const bool sum = x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_ADD || x->op == TIRB_OP_SUB) && x->args[0]->lo >= 0 &&
                     x->args[1]->kind == TIRBI_LX_CONST;
    const int64_t value = sum ? x->args[1]->value : 0;
    if (!sum || value < -far || value > far || (x->op == TIRB_OP_ADD) != (value < 0)) return x;
    *constant += x->op == TIRB_OP_ADD ? value : -value;
    return tirbi_lx_before_cast(x->args[0]);
}

/* Whether the last index of a place is known to be less than its extent where the variable is `most`. */
static bool is_inside(const runner *r, const tirbi_place *place, const tirbi_lx *most, int64_t offset) {
    tirbi_place there = *place;
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(r->pool->arena, const tirbi_lx *, place->ndim);
    const tirbi_lx *index = without_constant(most, &offset);
    if (!indices) return false;
    index = tirbi_lx_cast(r->pool, TIRB_I64, index);
    if (index && offset > 0) index = tirbi_lx_add(r->pool, index, tirbi_lx_number(r->pool, offset));
    indices[place->ndim - 1] = index;
    there.indices = indices;
    return index && tirbi_dim_proven(&there, place->ndim - 1);
}

/* The places are inside of their buffers in all rounds, and so the variable is no more than `most`. */
static bool add_inside(runner *r, const tirbi_lx **all, const tirbi_lx *least, const tirbi_lx *most) {
    int64_t before = 0, nearest = INT64_MAX;
    for (uint32_t i = 0; i < r->n_places; i++) {
        const tirbi_place *place = r->places[i].place;
        const uint32_t last = place->ndim - 1;
        const int64_t offset = r->places[i].offset, end = offset + 1;
        const tirbi_lx *extent = place->buffer->shape[last];
        if (extent->lo < 0) return false;
        bool said = is_inside(r, place, most, offset);
        for (uint32_t k = 0; k < r->n_places && !said; k++) {
            const tirbi_place *other = r->places[k].place;
            said = other->buffer->shape[other->ndim - 1] == extent &&
                   (r->places[k].offset > offset || (r->places[k].offset == offset && k < i));
        }
        if (!said && !add_order(r, all, most, tirbi_lx_sub(r->pool, extent, tirbi_lx_number(r->pool, end))))
            return false;
        if (extent->hi <= INT32_MAX && extent->hi - end < nearest) nearest = extent->hi - end;
        if (-offset > before) before = -offset;
    }
    if (nearest == INT64_MAX) {
        nearest = far;
        if (!add_order(r, all, most, tirbi_lx_number(r->pool, far))) return false;
    }
    r->most = nearest;
    return nearest > LATER && add_order(r, all, tirbi_lx_number(r->pool, before), least);
}

/* Enough rounds before the bound, and the test in some of them. What the variable holds is known by none of its
 * arithmetic, so that this does not wrap. */
static const tirbi_lx *when_ahead(runner *r, const tirbi_lx *now) {
    const tirbi_lx *all = NULL, *rounds = tirbi_lx_number(r->pool, LATER);
    const bool enough = rounds && (r->down ? add_order(r, &all, tirbi_lx_add(r->pool, r->bound, rounds), now)
                                           : add_order(r, &all, now, tirbi_lx_sub(r->pool, r->bound, rounds)));
    const tirbi_lx *most = r->down ? now : r->bound;
    if (!enough || !add_inside(r, &all, r->down ? r->bound : now, most)) return NULL;
    for (uint32_t i = 0; i < r->n_ends; i++)
        if (!add_order(r, &all, most, r->ends[i])) return NULL;
    for (uint32_t i = 0; i < LOOKS; i++) {
        if (!stand_at(r, step_from(r, now, tirbi_lx_number(r->pool, later[i]))) || !add_guard(r, &all, test_here(r)))
            return NULL;
    }
    return all;
}

/* ---- The rounds ------------------------------------------------------------------------------------------------- */

static tirbi_lvar *new_var(const runner *r, const char *name, tirbi_lvar_kind kind, int64_t lo, int64_t hi) {
    return tirbi_new_variable(r->pool, kind, name, TIRB_I64, lo, hi, r->loop->span);
}

/* A variable that counts so many rounds from 0 on; the loop's variable is what it is in that round. */
static tirbi_lvar *count_rounds(runner *r, const tirbi_lx *first, const tirbi_lx *extent) {
    tirbi_lvar *k = new_var(r, r->var->name, TIRBI_LVAR_LOOP, 0, r->most);
    if (!k || !extent) return NULL;
    k->min = tirbi_lx_number(r->pool, 0);
    k->extent = extent;
    return k->min && stand_at(r, step_from(r, first, tirbi_lx_var(r->pool, k))) ? k : NULL;
}

/* The first round where the test does not hold. */
static const tirbi_ls *search_end(runner *r, const tirbi_lx *first, const tirbi_lx *rounds, tirbi_lvar *found) {
    tirbi_lvar *k = count_rounds(r, first, rounds);
    const tirbi_lx *test = k ? test_here(r) : NULL;
    return tirbi_new_search(r->pool, r->loop->span, k, tirbi_lx_not(r->pool, test), found);
}

/* What the rounds before that one do. */
static const tirbi_ls *do_rounds(runner *r, const tirbi_lx *first, const tirbi_lx *rounds) {
    tirbi_lvar *k = count_rounds(r, first, rounds);
    tirbi_rewrite rewrite = {.pool = r->pool, .replace = replace, .context = r, .anew = TIRBI_LETS_ANEW};
    const tirbi_ls *body = k ? tirbi_new_sequence(r->pool, r->loop->span, r->items, r->n) : NULL;
    const tirbi_ls *loop = tirbi_new_loop(r->pool, r->loop->span, k, tirbi_rewrite_stmt(&rewrite, body));
    tirbi_arranged blocks;
    const bool lanes = loop && (tirbi_has_lanes(r->pool, loop) || tirbi_block_by_distance(r->pool, loop, &blocks));
    return lanes ? loop : NULL;
}

static const tirbi_ls *run(runner *r) {
    const tirbi_span span = r->loop->span;
    tirbi_lvar *first = new_var(r, r->var->name, TIRBI_LVAR_LET, 0, r->most),
               *rounds = new_var(r, "rounds", TIRBI_LVAR_LET, LATER + 1, r->most + 1),
               *found = new_var(r, "found", TIRBI_LVAR_LET, 0, r->most + 1);
    const tirbi_lx *from = tirbi_lx_var(r->pool, first), *one = tirbi_lx_number(r->pool, 1),
                   *n = tirbi_lx_var(r->pool, found), *count = tirbi_lx_var(r->pool, rounds);
    const tirbi_lx *left = r->down ? tirbi_lx_sub(r->pool, from, r->bound) : tirbi_lx_sub(r->pool, r->bound, from);
    const tirbi_lx *value = tirbi_lx_cast(r->pool, TIRB_I64, tirbi_lx_var(r->pool, r->var)),
                   *behind = step_from(r, from, n);
    const tirbi_ls *items[5];
    uint32_t at = 0;
    items[at++] = tirbi_new_set(r->pool, span, first, value, true);
    items[at++] = tirbi_new_set(r->pool, span, rounds, tirbi_lx_add(r->pool, left, one), true);
    items[at++] = search_end(r, from, count, found);
    if (r->n > 0) items[at++] = do_rounds(r, from, n);
    items[at++] = tirbi_new_set(r->pool, span, r->var, tirbi_lx_cast(r->pool, r->var->type, behind), false);
    return tirbi_new_sequence(r->pool, span, items, at);
}

/* What the variable is before the loop, as int64: by the statement there, where that says so. */
static const tirbi_lx *value_before(const runner *r, const tirbi_ls *before) {
    const tirbi_lx *value =
        before && before->kind == TIRBI_LS_SET && before->as.set.var == r->var ? before->as.set.value : NULL;
    if (!value || !value->pure || value->traps || value->size > TIRBI_MAX_SHARED_SIZE)
        value = tirbi_lx_var(r->pool, r->var);
    return tirbi_lx_cast(r->pool, TIRB_I64, value);
}

const tirbi_ls *tirbi_run_ahead(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_ls *before) {
    runner *r = loop->as.while_.condition->kind == TIRBI_LX_AND ? TIRBI_NEW(pool->arena, runner) : NULL;
    const tirbi_lx *first;
    if (!r) return NULL;
    *r = (runner){.pool = pool, .loop = loop, .most = far};
    r->test = take_first(r, loop->as.while_.condition, &first, 0);
    if (!r->test || !read_body(r) || !read_bound(r, first)) return NULL;
    if (r->down && r->bound->lo > 0) r->least = r->bound->lo; /* so that max(j - 1, 0) is j - 1 */
    tirbi_lvar *any = new_var(r, "any", TIRBI_LVAR_LET, 0, far);
    if (!any || !stand_at(r, tirbi_lx_var(pool, any)) || !read_test(r, r->test, 0) || r->n_places == 0) return NULL;
    for (uint32_t i = 0; i < r->n; i++) {
        int64_t offset;
        const tirbi_place *to = r->items[i]->kind == TIRBI_LS_STORE ? r->items[i]->as.store.access : NULL;
        if (to && steps(r, to, &offset) && !add_place(r, to, offset)) return NULL;
    }
    const tirbi_lx *now = value_before(r, before);
    const tirbi_lx *ahead = now ? when_ahead(r, now) : NULL;
    return tirbi_new_if(pool, loop->span, ahead, run(r), NULL);
}
