/* A while loop is counted where its condition compares a variable with something that stays, its body ends with a step
 * of that variable and nothing else sets it. No step may wrap: then the number of rounds follows from the first value,
 * and the variable is a sum of loop variables in indices, as all that looks at loops wants it. Where only the bound and
 * the step can tell, which stay, they are asked before the loop, which is there twice. */
#include "compiler/optimize/whiles/counted.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/optimize/rows/ragged.h"

enum { MAX_BEFORE = 64 };

/* What may stand in such a loop: whatever ends by itself, and makes the loop around it go on. */
#define COUNTED (TIRBI_NESTS | TIRBI_KIND(WHILE))

typedef struct counter {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    const tirbi_lx *named; /* what the bound is a name of; or NULL */
    tirbi_lvar *var;       /* that counts */
    const tirbi_lx *bound; /* up to which, or down to which */
    const tirbi_lx *by;    /* positive */
    bool down, inclusive;
    uint16_t level;            /* of the loop: see facts/guarded.h */
    const tirbi_lx *if_;       /* where it is counted; NULL: always */
    const tirbi_lx *begin;     /* what it holds before the loop, by the statement that set it, or itself */
    const tirbi_lx *at, *wide; /* what stands for the variable, and for it as int64 */
} counter;

/* ---- What the loop is ------------------------------------------------------------------------------------------- */

/* The same as tirbi_may_set, of while loops as well. */
static bool may_set(const tirbi_ls *s, const tirbi_lvar *var) {
    return !tirbi_is_made_of(s, COUNTED | TIRBI_KIND(TREE)) || tirbi_sets(s, var);
}

static bool changes(const void *body, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_VAR) return !x->pure && may_set(body, x->var);
    if (x->kind != TIRBI_LX_LOAD) return x->kind == TIRBI_LX_CALL;
    return x->access->view || !tirbi_is_made_of(body, COUNTED) || tirbi_stores_to(body, x->access->buffer->root);
}

/* Whether an expression has the same value in all rounds: what it loads is not stored to, and its variables stay. The
 * body is gone through for each of these, so it has to be small. */
static bool stays(const tirbi_lx *x, const tirbi_ls *body) {
    return !x->traps && x->size <= TIRBI_MAX_SHARED_SIZE &&
           !tirbi_any_expr(x, TIRBI_WALK_INDICES | TIRBI_WALK_VIEWS, changes, body);
}

static bool is_variable(const tirbi_lx *x) {
    return x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOCAL && (x->type == TIRB_I32 || x->type == TIRB_I64);
}

/* j < n, j <= n, j > n, j >= n, and these the other way round. */
static bool read_condition(counter *c, const tirbi_lx *x) {
    if (x->kind != TIRBI_LX_OP) return false;
    bool less = x->op == TIRB_OP_LT || x->op == TIRB_OP_LE, greater = x->op == TIRB_OP_GT || x->op == TIRB_OP_GE;
    if ((!less && !greater) || (x->optype != TIRB_I32 && x->optype != TIRB_I64)) return false;
    unsigned k = is_variable(x->args[0]) && may_set(c->loop->as.while_.body, x->args[0]->var) ? 0 : 1;
    if (!is_variable(x->args[k]) || x->args[k]->type != x->optype) return false;
    c->var = x->args[k]->var;
    c->bound = x->args[1 - k];
    c->down = less == (k == 1);
    c->inclusive = x->op == TIRB_OP_LE || x->op == TIRB_OP_GE;
    return stays(c->bound, c->loop->as.while_.body);
}

/* j = j + by, or j = j - by */
static bool read_step(counter *c, const tirbi_ls *s) {
    if (s->kind != TIRBI_LS_SET || s->as.set.var != c->var || s->as.set.declares) return false;
    const tirbi_lx *value = s->as.set.value;
    if (value->kind != TIRBI_LX_OP || value->optype != c->var->type) return false;
    bool minus = value->op == TIRB_OP_SUB;
    if (!minus && value->op != TIRB_OP_ADD) return false;
    unsigned k = value->args[0]->kind == TIRBI_LX_VAR && value->args[0]->var == c->var ? 0 : 1;
    const tirbi_lx *by = value->args[1 - k];
    if ((minus && k != 0) || value->args[k]->kind != TIRBI_LX_VAR || value->args[k]->var != c->var) return false;
    if (by->lo > INT64_MIN && by->hi < 0) {
        by = tirbi_lx_sub(c->pool, tirbi_lx_number(c->pool, 0), tirbi_lx_cast(c->pool, TIRB_I64, by));
        minus = !minus;
    } else {
        by = tirbi_lx_cast(c->pool, TIRB_I64, by);
    }
    c->by = by;
    return by && by->hi >= 1 && minus == c->down && stays(by, c->loop->as.while_.body);
}

/* Whether it counts up one by one to what it is then equal to: it never wraps. */
static bool stops_at_bound(const counter *c) { return !c->down && !c->inclusive && tirbi_lx_is_int(c->by, 1); }

static int64_t most_of(const counter *c) { return c->var->type == TIRB_I32 ? INT32_MAX : INT64_MAX / 4; }
static int64_t least_of(const counter *c) { return c->var->type == TIRB_I32 ? INT32_MIN : -INT64_MAX / 4; }

/* Whether the variable reaches its last value without wrapping, and the round behind it, in 64 bits. */
static bool ends(const counter *c) {
    if (c->by->lo < 1) return false;
    if (stops_at_bound(c)) return true;
    const int64_t most = most_of(c), least = least_of(c);
    int64_t beyond = c->by->hi - !c->inclusive, last; /* how far from the bound it may get */
    if (c->by->hi > most) return false;
    if (c->down) return !__builtin_sub_overflow(c->bound->lo, beyond, &last) && last >= least && c->bound->hi <= most;
    return !__builtin_add_overflow(c->bound->hi, beyond, &last) && last <= most && c->bound->lo >= least;
}

static void require(counter *c, const tirbi_lx *x, tirbi_op op, int64_t limit) {
    const bool at_most = op == TIRB_OP_LE;
    if (!x || (at_most ? x->hi <= limit : x->lo >= limit)) return;
    c->if_ = tirbi_lx_and(c->pool, c->if_, tirbi_lx_wide(c->pool, op, x, tirbi_lx_number(c->pool, limit)));
}

/* What stays, by a name that has it where the condition holds: from lo to hi. */
static const tirbi_lx *named(const counter *c, const tirbi_lx *value, const char *name, int64_t lo, int64_t hi,
                             tirbi_lvar **var) {
    *var = tirbi_variable_for(c->pool, TIRBI_LVAR_LET, name, value, c->loop->span);
    if (!*var) return NULL;
    if ((*var)->lo < lo) (*var)->lo = lo;
    if ((*var)->hi > hi) (*var)->hi = hi;
    return tirbi_lx_var(c->pool, *var);
}

/* How far it counts where there is a condition: from 0 on, or down to that. */
static int64_t sane(const counter *c) { return c->var->type == TIRB_I32 ? INT32_MAX : INT64_C(1) << 48; }

/* Where the bound lies then. */
static void limits(const counter *c, int64_t *lo, int64_t *hi) {
    const int64_t beyond = (c->by->lo < 1 ? 1 : c->by->lo) - !c->inclusive;
    *lo = -!c->inclusive;
    *hi = c->down ? sane(c) : sane(c) - beyond;
}

/* The condition under which it ends so, of loops that no while loop is in. */
static bool ends_if(counter *c) {
    int64_t lo, hi;
    const tirbi_lx *bound = tirbi_lx_cast(c->pool, TIRB_I64, c->bound);
    const tirbi_lx *begin = tirbi_lx_cast(c->pool, TIRB_I64, c->begin);
    if (!tirbi_is_made_of(c->loop->as.while_.body, TIRBI_NESTS) || !bound || !begin) return false;
    limits(c, &lo, &hi);
    if (bound->hi < lo || bound->lo > hi) return false;
    require(c, c->by, TIRB_OP_GE, 1);
    require(c, c->by, TIRB_OP_LE, sane(c));
    require(c, begin, TIRB_OP_GE, 0);
    require(c, begin, TIRB_OP_LE, sane(c));
    require(c, bound, TIRB_OP_GE, lo);
    require(c, bound, TIRB_OP_LE, hi);
    if (!c->down && c->by->kind != TIRBI_LX_CONST)
        require(c, tirbi_lx_wide(c->pool, TIRB_OP_ADD, bound, c->by), TIRB_OP_LE, sane(c) + !c->inclusive);
    return c->if_ != NULL;
}

/* ---- The loop anew ---------------------------------------------------------------------------------------------- */

static tirbi_lvar *new_var(const counter *c, const char *name, tirbi_lvar_kind kind, const tirbi_lx *like) {
    return tirbi_variable_for(c->pool, kind, name, like, c->loop->span);
}

static const tirbi_ls *set(const counter *c, tirbi_lvar *var, const tirbi_lx *value, bool declares) {
    return tirbi_new_set(c->pool, c->loop->span, var, value, declares);
}

/* Whether a value may stand wherever it is used. */
static bool needs_no_name(const tirbi_lx *x) {
    return x->pure && !x->traps && x->size <= TIRBI_MAX_SHARED_SIZE &&
           (x->kind != TIRBI_LX_OP || x->op != TIRB_OP_SELECT);
}

static const tirbi_lx *replace(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const counter *c = rewrite->context;
    const tirbi_lx *of = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && x->type == TIRB_I64 ? x->args[0] : NULL;
    if (of && of->kind == TIRBI_LX_VAR && of->var == c->var) return c->wide;
    if (c->named && x->type == c->named->type && tirbi_same_value(x, c->named)) return c->bound;
    return x->kind == TIRBI_LX_VAR && x->var == c->var ? c->at : NULL;
}

/* Bounds are at most half as far from zero, so that the way to them from nearer than this fits 64 bits. */
static const int64_t far = INT64_MAX / 2;

static bool starts_far(const counter *c, const tirbi_lx *first) { return c->down ? first->hi > far : first->lo < -far; }

/* Where it counts from; what starts further away has more rounds to go one by one than ever run, or is beyond the
 * bound. */
static const tirbi_lx *nearer(const counter *c, const tirbi_lx *first) {
    if (first && first->hi > far) first = tirbi_lx_with(c->pool, TIRB_OP_MIN, first, far);
    if (first && first->lo < -far) first = tirbi_lx_with(c->pool, TIRB_OP_MAX, first, -far);
    return first;
}

/* From anywhere to a bound that is anywhere, one by one: as often as an int64 can say, or more than ever run. */
static const tirbi_lx *rounds_between(tirbi_lx_pool *pool, const tirbi_lx *start, const tirbi_lx *bound) {
    const tirbi_lx *way = tirbi_lx_wide(pool, TIRB_OP_SUB, bound, start), *zero = tirbi_lx_number(pool, 0);
    const tirbi_lx *wraps = tirbi_lx_wide(pool, TIRB_OP_LT, way, zero), *most = tirbi_lx_number(pool, INT64_MAX);
    const tirbi_lx *any = tirbi_lx_wide(pool, TIRB_OP_LT, start, bound);
    if (!way || !wraps || !most || !any || !zero) return NULL;
    way = tirbi_lx_op(pool, TIRB_OP_SELECT, TIRB_I64, TIRB_TYPE_NONE, wraps, most, way);
    return way ? tirbi_lx_op(pool, TIRB_OP_SELECT, TIRB_I64, TIRB_TYPE_NONE, any, way, zero) : NULL;
}

/* How often it runs, from `start` on: what is between that and the bound, by steps, rounded up. */
static const tirbi_lx *rounds_from(const counter *c, const tirbi_lx *start) {
    const tirbi_lx *bound = tirbi_lx_cast(c->pool, TIRB_I64, c->bound);
    const bool fits = stops_at_bound(c) && start->lo >= 0; /* what is between two that are not negative */
    const tirbi_lx *first = fits ? start : nearer(c, start);
    if (stops_at_bound(c) && !fits && bound && (bound->lo < -far || bound->hi > far))
        return rounds_between(c->pool, start, bound);
    if (bound && bound->lo < -far && !tirbi_lx_is_int(start, 0)) bound = tirbi_lx_with(c->pool, TIRB_OP_MAX, bound, 0);
    const tirbi_lx *left =
        first && bound ? (c->down ? tirbi_lx_sub(c->pool, first, bound) : tirbi_lx_sub(c->pool, bound, first)) : NULL;
    const tirbi_lx *one = tirbi_lx_number(c->pool, 1), *zero = tirbi_lx_number(c->pool, 0);
    if (c->inclusive) left = tirbi_lx_wide(c->pool, TIRB_OP_ADD, left, one);
    left = tirbi_lx_wide(c->pool, TIRB_OP_MAX, left, zero);
    if (tirbi_lx_is_int(c->by, 1)) return left;
    left = tirbi_lx_wide(c->pool, TIRB_OP_ADD, left, tirbi_lx_sub(c->pool, c->by, one));
    return tirbi_lx_wide(c->pool, TIRB_OP_DIV, left, c->by);
}

/* What bounds a loop, which does not run where that is negative. */
static const tirbi_lx *extent_of(const tirbi_lx *rounds) {
    const bool clamps =
        rounds->kind == TIRBI_LX_OP && rounds->op == TIRB_OP_MAX && tirbi_lx_is_int(rounds->args[1], 0);
    return clamps ? rounds->args[0] : rounds;
}

/* What the variable is in round k: the loop's own variable where it goes up one by one, else a sum. In all rounds it is
 * on this side of the bound. */
static bool number_rounds(counter *c, tirbi_lvar *k, const tirbi_lx *from) {
    const int64_t within = !c->inclusive, lo = c->down ? c->bound->lo + within : from->lo,
                  hi = c->down ? from->hi : c->bound->hi - within;
    const tirbi_lx *bound = tirbi_lx_cast(c->pool, TIRB_I64, c->bound);
    if (!c->down && tirbi_lx_is_int(c->by, 1)) {
        k->type = c->var->type;
        k->min = from;
        k->below = bound && c->inclusive ? tirbi_lx_add(c->pool, bound, tirbi_lx_number(c->pool, 1)) : bound;
        k->lo = lo;
        k->hi = hi;
        c->at = tirbi_lx_var(c->pool, k);
        c->wide = tirbi_lx_cast(c->pool, TIRB_I64, c->at);
        return k->below && c->wide;
    }
    const tirbi_lx *gone = tirbi_lx_mul(c->pool, tirbi_lx_var(c->pool, k), c->by);
    const tirbi_lx *sum = tirbi_lx_wide(c->pool, c->down ? TIRB_OP_SUB : TIRB_OP_ADD, from, gone);
    c->wide = tirbi_lx_within(c->pool, sum, lo, hi);
    c->at = tirbi_lx_cast(c->pool, c->var->type, c->wide);
    return c->at != NULL;
}

/* Makes the loop; NULL where its body is none that can be copied (or memory ran out). */
static const tirbi_ls *make_loop(counter *c, const tirbi_ls *const *items, uint32_t n) {
    const tirbi_lx *begin = tirbi_lx_cast(c->pool, TIRB_I64, c->begin);
    tirbi_lvar *bound = NULL, *step = NULL;
    int64_t lo, hi;
    limits(c, &lo, &hi);
    const bool is_far = c->if_ && (c->bound->lo < lo || c->bound->hi > hi);
    const tirbi_lx *to = is_far || !c->bound->shared ? c->bound : NULL, *by = c->by->lo < 1 ? c->by : NULL;
    if (by) c->by = named(c, by, "step", 1, sane(c), &step);
    if (to && c->by) c->bound = named(c, to, "bound", is_far ? lo : to->lo, is_far ? hi : to->hi, &bound);
    if (!c->by || !c->bound || !begin) return NULL;
    const bool far_off = c->if_ && (begin->lo < 0 || begin->hi > sane(c));
    c->named = to;
    tirbi_lvar *first = NULL;
    if (far_off || !needs_no_name(begin))
        (void)named(c, begin, c->var->name, far_off ? 0 : begin->lo, far_off ? sane(c) : begin->hi, &first);
    const tirbi_lx *from = first ? tirbi_lx_var(c->pool, first) : begin, *count = from ? rounds_from(c, from) : NULL;
    tirbi_lvar *rounds = count && needs_no_name(count) ? NULL : new_var(c, "rounds", TIRBI_LVAR_LET, count);
    if (rounds) rounds->lo = 0;
    const tirbi_lx *all = rounds ? tirbi_lx_var(c->pool, rounds) : count;
    tirbi_lvar *k = new_var(c, c->var->name, TIRBI_LVAR_LOOP, all);
    if (!k) return NULL;
    k->min = tirbi_lx_number(c->pool, 0);
    k->extent = extent_of(all);
    k->level = c->level;
    k->lo = 0;
    k->hi = count->hi > 0 ? count->hi - 1 : 0;
    if (!k->min || !k->extent || !number_rounds(c, k, from)) return NULL;
    const tirbi_lx *way = tirbi_lx_mul(c->pool, all, c->by);
    const tirbi_lx *last = tirbi_lx_wide(c->pool, c->down ? TIRB_OP_SUB : TIRB_OP_ADD, from, way);
    tirbi_rewrite rewrite = {.pool = c->pool, .replace = replace, .context = c, .kinds = COUNTED};
    rewrite.anew = c->if_ ? TIRBI_ALL_ANEW : TIRBI_LOOPS_ANEW;
    const tirbi_span span = c->loop->span;
    const tirbi_ls **copies = TIRBI_NEW_ARRAY(c->pool->arena, const tirbi_ls *, n), *parts[6];
    if (!copies) return NULL;
    for (uint32_t i = 0; i < n; i++) copies[i] = tirbi_rewrite_stmt(&rewrite, items[i]);
    uint32_t n_parts = 0;
    if (by) parts[n_parts++] = set(c, step, by, true);
    if (to) parts[n_parts++] = set(c, bound, to, true);
    if (first) parts[n_parts++] = set(c, first, begin, true);
    if (rounds) parts[n_parts++] = set(c, rounds, count, true);
    parts[n_parts++] = tirbi_new_loop(c->pool, span, k, tirbi_new_sequence(c->pool, span, copies, n));
    parts[n_parts++] = set(c, c->var, tirbi_lx_cast(c->pool, c->var->type, last), false);
    return tirbi_new_sequence(c->pool, span, parts, n_parts);
}

/* What a variable was last set to by the statements right before the loop; NULL where that is not known, or may be
 * something else now. */
static const tirbi_lx *last_value(const tirbi_ls *const *before, uint32_t n, const tirbi_lvar *var) {
    for (uint32_t looked = 0; n-- > 0 && looked < MAX_BEFORE; looked++) {
        const tirbi_ls *s = before[n];
        const bool here = s->kind == TIRBI_LS_SET && s->as.set.var == var;
        if (here) return s->as.set.value && s->as.set.value->pure && !s->as.set.value->traps ? s->as.set.value : NULL;
        if (may_set(s, var)) return NULL;
    }
    return NULL;
}

/* Where statements stand: in so many loops, while loops among them, the innermost a loop or NULL, behind others. */
typedef struct position {
    uint16_t level;
    const tirbi_ls *loop;
    const tirbi_ls *const *before;
    uint32_t n_before;
} position;

/* Whether a loop goes through ranges that follow each other and end where memory says: it is known by its while
 * loops. */
static bool goes_through_ranges(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_arranged flat;
    return loop && tirbi_flatten_ranges(pool, loop, &flat);
}

/* The loop as a counted one, and the condition where it is that one, else NULL. */
static const tirbi_ls *count(tirbi_lx_pool *pool, const tirbi_ls *s, const position *at, const tirbi_lx **condition) {
    const tirbi_ls *body = s->as.while_.body;
    counter c = {.pool = pool, .loop = s, .level = (uint16_t)(at->level + 1)};
    if (body->kind != TIRBI_LS_SEQ || body->as.seq.n < 2 || !read_condition(&c, s->as.while_.condition)) return NULL;
    const uint32_t n = body->as.seq.n - 1;
    if (!read_step(&c, body->as.seq.items[n])) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (may_set(body->as.seq.items[i], c.var)) return NULL;
    }
    if (!c.bound->shared && goes_through_ranges(pool, at->loop)) return NULL;
    c.begin = last_value(at->before, at->n_before, c.var);
    if (!c.begin) c.begin = tirbi_lx_var(pool, c.var);
    if (!c.begin || (!ends(&c) && !ends_if(&c))) return NULL;
    if (!c.if_ && starts_far(&c, c.begin) && !tirbi_lx_is_int(c.by, 1)) return NULL;
    *condition = c.if_;
    return make_loop(&c, body->as.seq.items, n);
}

static const tirbi_ls *count_all(tirbi_lx_pool *pool, const tirbi_ls *s, position at) {
    tirbi_ls *copy = tirbi_same_stmt(pool, s);
    if (!copy) return s;
    const position here = {.level = at.level}, inside = {.level = (uint16_t)(at.level + 1), .loop = s};
    switch (s->kind) {
    case TIRBI_LS_SEQ: {
        const tirbi_ls **items = TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, s->as.seq.n);
        if (!items) return s;
        for (uint32_t i = 0; i < s->as.seq.n; i++)
            items[i] = count_all(pool, s->as.seq.items[i], (position){at.level, at.loop, items, i});
        copy->as.seq.items = items;
        return copy;
    }
    case TIRBI_LS_LOOP: copy->as.loop.body = count_all(pool, s->as.loop.body, inside); return copy;
    case TIRBI_LS_IF:
        copy->as.if_.then_case = count_all(pool, s->as.if_.then_case, here);
        if (s->as.if_.else_case) copy->as.if_.else_case = count_all(pool, s->as.if_.else_case, here);
        return copy;
    case TIRBI_LS_WHILE: {
        const tirbi_lx *condition;
        /* Ahead of those in it, which may begin at what it counts. */
        const tirbi_ls *counted = count(pool, s, &at, &condition);
        if (counted && !condition) return count_all(pool, counted, at);
        if (counted) return tirbi_new_if(pool, s->span, condition, counted, s);
        copy->as.while_.body = count_all(pool, s->as.while_.body, (position){.level = inside.level});
        counted = count(pool, copy, &at, &condition);
        return counted && condition ? tirbi_new_if(pool, s->span, condition, counted, copy) : counted ? counted : copy;
    }
    default: return s;
    }
}

const tirbi_ls *tirbi_count_whiles(tirbi_lx_pool *pool, const tirbi_ls *stmt) {
    return count_all(pool, stmt, (position){0});
}
