#include "compiler/optimize/carried/induction.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_KNOWN = 16, MAX_DEPTH = 48, NEAR = 16 };

/* Where a statement stands: behind so many items of a sequence, which may be one of another. */
typedef struct position {
    const tirbi_ls *seq;
    uint32_t at;
    const struct position *outer;
} position;

typedef struct counters {
    tirbi_lx_pool *pool;
    const position *at;
    tirbi_lvar *var;      /* that is being replaced */
    const tirbi_lx *now;  /* what it is, at the statement that is copied */
} counters;

static bool passes(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_VAR && x->var->kind != TIRBI_LVAR_PARAM && x->var->kind != TIRBI_LVAR_LOOP;
}

/* Whether a value is made of constants, parameters and variables of loops. */
static bool lasts(const tirbi_lx *x) { return x->pure && !x->traps && !tirbi_any_expr(x, 0, passes, NULL); }

/* ---- What an iteration adds ------------------------------------------------------------------------------------- */

static const tirbi_lx *number(const counters *c, int64_t n) { return tirbi_lx_int(c->pool, c->var->type, n); }

static const tirbi_lx *compute(const counters *c, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    return tirbi_lx_binary(c->pool, op, c->var->type, a, b);
}

static const tirbi_lx *in_type(const counters *c, const tirbi_lx *x) { return tirbi_lx_cast(c->pool, c->var->type, x); }

/* How often a loop runs. */
static const tirbi_lx *rounds_of(const counters *c, const tirbi_ls *loop) {
    const tirbi_lx *extent = loop->as.loop.var->extent;
    if (extent->lo < 0) {
        const tirbi_lx *zero = tirbi_lx_number(c->pool, 0);
        extent = tirbi_lx_wide(c->pool, TIRB_OP_MAX, extent, zero);
    }
    return in_type(c, extent);
}

static const tirbi_lx *delta_of(const counters *c, const tirbi_ls *s, unsigned depth);

/* What a loop adds: the same in each iteration. */
static const tirbi_lx *delta_of_loop(const counters *c, const tirbi_ls *loop, unsigned depth) {
    const tirbi_lvar *var = loop->as.loop.var;
    const tirbi_lx *delta = delta_of(c, loop->as.loop.body, depth + 1);
    if (!delta || tirbi_lx_is_int(delta, 0)) return delta;
    if (loop->as.loop.step || loop->as.loop.blocks || loop->as.loop.rows || !lasts(var->min) || !lasts(var->extent) ||
        tirbi_lx_mentions(delta, var))
        return NULL;
    return compute(c, TIRB_OP_MUL, delta, rounds_of(c, loop));
}

/* x + what lasts, or less that. */
static const tirbi_lx *delta_of_set(const counters *c, const tirbi_lx *value) {
    if (value->kind != TIRBI_LX_OP || value->optype != c->var->type) return NULL;
    for (unsigned k = 0; k < (value->op == TIRB_OP_ADD ? 2 : value->op == TIRB_OP_SUB ? 1 : 0); k++) {
        const tirbi_lx *x = value->args[k], *more = value->args[1 - k];
        if (x->kind != TIRBI_LX_VAR || x->var != c->var || !lasts(more)) continue;
        return value->op == TIRB_OP_ADD ? more : compute(c, TIRB_OP_SUB, number(c, 0), more);
    }
    return NULL;
}

/* What a statement adds to the variable, as an expression of what does not change meanwhile; NULL where it does
 * anything else to it, or may leave the loops that it is in. */
static const tirbi_lx *delta_of(const counters *c, const tirbi_ls *s, unsigned depth) {
    if (depth > MAX_DEPTH) return NULL;
    switch (s->kind) {
    case TIRBI_LS_SEQ: {
        const tirbi_lx *sum = number(c, 0);
        for (uint32_t i = 0; i < s->as.seq.n && sum && sum->size <= TIRBI_MAX_SHARED_SIZE; i++)
            sum = compute(c, TIRB_OP_ADD, sum, delta_of(c, s->as.seq.items[i], depth + 1));
        return sum && sum->size <= TIRBI_MAX_SHARED_SIZE ? sum : NULL;
    }
    case TIRBI_LS_LOOP: return delta_of_loop(c, s, depth);
    case TIRBI_LS_IF: {
        const tirbi_lx *yes = delta_of(c, s->as.if_.then_case, depth + 1),
                       *no = s->as.if_.else_case ? delta_of(c, s->as.if_.else_case, depth + 1) : number(c, 0);
        return yes == no ? yes : NULL;
    }
    case TIRBI_LS_SET:
        if (s->as.set.var != c->var) return number(c, 0);
        return s->as.set.declares ? NULL : delta_of_set(c, s->as.set.value);
    case TIRBI_LS_STORE: return number(c, 0);
    default: return NULL;
    }
}

/* ---- The loop without it ---------------------------------------------------------------------------------------- */

static const tirbi_ls *without(counters *c, const tirbi_ls *s);

static const tirbi_ls *without_in_sequence(counters *c, const tirbi_ls *s) {
    tirbi_ls *copy = tirbi_same_stmt(c->pool, s);
    const tirbi_ls **items = copy ? TIRBI_NEW_ARRAY(c->pool->arena, const tirbi_ls *, s->as.seq.n + 1) : NULL;
    if (!items) return NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->as.seq.n; i++) {
        const tirbi_ls *item = s->as.seq.items[i];
        if (item->kind == TIRBI_LS_SET && item->as.set.var == c->var) {
            c->now = compute(c, TIRB_OP_ADD, c->now, delta_of_set(c, item->as.set.value));
            if (!c->now || c->now->size > TIRBI_MAX_SHARED_SIZE) return NULL;
            continue;
        }
        items[n] = without(c, item);
        if (!items[n++]) return NULL;
    }
    copy->as.seq.items = items;
    copy->as.seq.n = n;
    return copy;
}

/* How often a loop runs is its extent, where it does. */
static const tirbi_lx *replace_rounds(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const tirbi_lx *extent = rewrite->context;
    const bool is_rounds = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_MAX && x->args[0] == extent;
    return is_rounds && tirbi_lx_is_int(x->args[1], 0) ? extent : NULL;
}

static const tirbi_lx *in_running(const counters *c, const tirbi_lvar *loop, const tirbi_lx *x) {
    tirbi_rewrite rewrite = {
        .pool = c->pool, .replace = replace_rounds, .context = (void *)(uintptr_t)loop->extent};
    return tirbi_rewrite_value(&rewrite, x);
}

static const tirbi_ls *without_in_loop(counters *c, const tirbi_ls *s) {
    tirbi_lvar *var = s->as.loop.var;
    const tirbi_lx *delta = delta_of(c, s->as.loop.body, 0), *begun = c->now;
    tirbi_ls *copy = tirbi_same_stmt(c->pool, s);
    const tirbi_lx *count = compute(c, TIRB_OP_SUB, in_type(c, tirbi_lx_var(c->pool, var)), in_type(c, var->min));
    if (!delta || tirbi_lx_mentions(delta, var) || !copy || tirbi_lx_depends_on(var->min, c->var) ||
        tirbi_lx_depends_on(var->extent, c->var))
        return NULL;
    const bool counts = !tirbi_lx_is_int(delta, 0);
    if (counts) c->now = compute(c, TIRB_OP_ADD, begun, compute(c, TIRB_OP_MUL, count, delta));
    c->now = in_running(c, var, c->now);
    copy->as.loop.body = c->now ? without(c, s->as.loop.body) : NULL;
    if (counts) c->now = compute(c, TIRB_OP_ADD, begun, compute(c, TIRB_OP_MUL, rounds_of(c, s), delta));
    return copy->as.loop.body && c->now ? copy : NULL;
}

static const tirbi_ls *without_in_branch(counters *c, const tirbi_ls *s) {
    tirbi_ls *copy = tirbi_same_stmt(c->pool, s);
    const tirbi_lx *begun = c->now;
    if (!copy) return NULL;
    copy->as.if_.condition = tirbi_value_with(c->pool, s->as.if_.condition, c->var, c->now);
    copy->as.if_.then_case = without(c, s->as.if_.then_case);
    if (s->as.if_.else_case) {
        c->now = begun;
        copy->as.if_.else_case = without(c, s->as.if_.else_case);
    }
    return copy->as.if_.condition && copy->as.if_.then_case && !copy->as.if_.else_case == !s->as.if_.else_case ? copy
                                                                                                                : NULL;
}

/* A copy of the statement in which the variable is an expression; that is then what it is behind the statement. */
static const tirbi_ls *without(counters *c, const tirbi_ls *s) {
    switch (s->kind) {
    case TIRBI_LS_SEQ: return without_in_sequence(c, s);
    case TIRBI_LS_LOOP: return without_in_loop(c, s);
    case TIRBI_LS_IF: return without_in_branch(c, s);
    case TIRBI_LS_SET:
        if (s->as.set.var == c->var) {
            tirbi_ls only = {.kind = TIRBI_LS_SEQ, .span = s->span, .as.seq = {.items = &s, .n = 1}};
            return without_in_sequence(c, &only);
        }
        return tirbi_code_with(c->pool, s, c->var, c->now);
    default: return tirbi_code_with(c->pool, s, c->var, c->now);
    }
}

static const tirbi_ls *set_behind(counters *c, const tirbi_ls *loop) {
    const tirbi_ls *items[] = {loop, tirbi_new_set(c->pool, loop->span, c->var, c->now, false)};
    return tirbi_new_sequence(c->pool, loop->span, items, 2);
}

/* ---- Names for what a variable is ------------------------------------------------------------------------------- */

/* A variable that is so much more than another one, where neither has been set since. */
typedef struct offset {
    const tirbi_lvar *var;
    tirbi_lvar *base;
    int64_t more;
} offset;

typedef struct offsets {
    offset item[MAX_KNOWN];
    uint32_t n;
    bool used; /* by what sets a variable */
} offsets;

static const offset *find_offset(const offsets *o, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < o->n; i++)
        if (o->item[i].var == var) return &o->item[i];
    return NULL;
}

static void drop_offsets(offsets *o, const tirbi_lvar *var) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < o->n; i++)
        if (o->item[i].var != var && o->item[i].base != var) o->item[kept++] = o->item[i];
    o->n = kept;
}

/* Whether a value is a variable and a constant. */
static bool is_offset(const tirbi_lx *x, tirbi_lvar **base, int64_t *more) {
    const bool adds = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_ADD && x->args[1]->kind == TIRBI_LX_CONST;
    const tirbi_lx *var = adds ? x->args[0] : x;
    if (var->kind != TIRBI_LX_VAR || var->var->kind != TIRBI_LVAR_LOCAL ||
        (x->type != TIRB_I32 && x->type != TIRB_I64) || var->type != x->type)
        return false;
    *base = var->var;
    *more = adds ? x->args[1]->value : 0;
    return *more == (int32_t)*more;
}

/* Follows an assignment: what is known of other variables by this one is by so much less where it grows. */
static void note_offset(offsets *o, tirbi_lvar *var, const tirbi_lx *value) {
    offset now = {.var = var};
    const bool follows = is_offset(value, &now.base, &now.more);
    if (!follows || now.base != var) {
        drop_offsets(o, var);
        if (follows && o->n < MAX_KNOWN) o->item[o->n++] = now;
        return;
    }
    for (uint32_t i = 0; i < o->n; i++) {
        offset *other = &o->item[i];
        if (other->base != var) continue;
        if (__builtin_sub_overflow(other->more, now.more, &other->more) || other->more != (int32_t)other->more)
            o->n = 0;
    }
}

static const tirbi_lx *replace_offset(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const offset *o = x->kind == TIRBI_LX_VAR ? find_offset(rewrite->context, x->var) : NULL;
    if (!o) return NULL;
    return tirbi_lx_binary(rewrite->pool, TIRB_OP_ADD, o->base->type, tirbi_lx_var(rewrite->pool, o->base),
                           tirbi_lx_int(rewrite->pool, o->base->type, o->more));
}

/* k = j + 1; A[k] = ..; j = k + 1 as k = j + 1; A[j + 1] = ..; j = j + 2, of stores and assignments; what it was where
 * no variable is set by way of another one. */
static const tirbi_ls *without_names(const counters *c, const tirbi_ls *body) {
    offsets *o = body->kind == TIRBI_LS_SEQ ? TIRBI_NEW(c->pool->arena, offsets) : NULL;
    const tirbi_ls **items = o ? TIRBI_NEW_ARRAY(c->pool->arena, const tirbi_ls *, body->as.seq.n + 1) : NULL;
    tirbi_ls *copy = items ? tirbi_same_stmt(c->pool, body) : NULL;
    if (!copy) return body;
    tirbi_rewrite rewrite = {.pool = c->pool, .replace = replace_offset, .context = o};
    for (uint32_t i = 0; i < body->as.seq.n; i++) {
        const tirbi_ls *s = body->as.seq.items[i];
        if (s->kind != TIRBI_LS_STORE && s->kind != TIRBI_LS_SET) return body;
        items[i] = tirbi_rewrite_stmt(&rewrite, s);
        if (!items[i]) return body;
        if (s->kind != TIRBI_LS_SET) continue;
        o->used = o->used || (!s->as.set.declares && s->as.set.value->kind == TIRBI_LX_OP &&
                              s->as.set.value->args[0]->kind == TIRBI_LX_VAR &&
                              find_offset(o, s->as.set.value->args[0]->var));
        note_offset(o, s->as.set.var, items[i]->as.set.value);
    }
    copy->as.seq.items = items;
    return o->used ? copy : body;
}

/* ---- Through the program ---------------------------------------------------------------------------------------- */

static bool is_plain(const tirbi_lx *x) { return x->pure && !x->traps; }

/* The loop over bounds that have names where they are not plain: how often it runs is known behind it then. */
static const tirbi_ls *name_bounds(const counters *c, const tirbi_ls *loop, const tirbi_ls **items, uint32_t *n) {
    const tirbi_lvar *var = loop->as.loop.var;
    if (is_plain(var->min) && is_plain(var->extent)) return loop;
    tirbi_lvar *fresh = tirbi_variable_like(c->pool, var);
    const tirbi_lx **bounds[] = {fresh ? &fresh->min : NULL, fresh ? &fresh->extent : NULL};
    for (unsigned i = 0; i < 2 && fresh; i++) {
        if (is_plain(*bounds[i])) continue;
        tirbi_lvar *name =
            tirbi_variable_for(c->pool, TIRBI_LVAR_LET, i == 0 ? "first" : "rounds", *bounds[i], loop->span);
        items[(*n)++] = tirbi_new_set(c->pool, loop->span, name, *bounds[i], true);
        *bounds[i] = name ? tirbi_lx_var(c->pool, name) : NULL;
        if (!*bounds[i]) return NULL;
    }
    const tirbi_ls *body =
        fresh ? tirbi_code_with(c->pool, loop->as.loop.body, var, tirbi_lx_var(c->pool, fresh)) : NULL;
    return body ? tirbi_loop_like(c->pool, loop, fresh, body) : NULL;
}

/* What the variable was set to last ahead of a position, among so many statements, if that lasts; NULL: it takes a name
 * to say so. */
static const tirbi_lx *begins_with(const counters *c, position p, uint32_t left) {
    for (; left > 0; left--) {
        for (; p.at == 0; p = *p.outer)
            if (!p.outer) return NULL;
        const tirbi_ls *s = p.seq->as.seq.items[--p.at], *last = s;
        while (last->kind == TIRBI_LS_SEQ && last->as.seq.n > 0) last = last->as.seq.items[last->as.seq.n - 1];
        if (last->kind == TIRBI_LS_SET && last->as.set.var == c->var) {
            const tirbi_lx *value = last->as.set.value;
            if (value && !lasts(value)) {
                const tirbi_lx *before = last == s ? begins_with(c, p, left - 1) : NULL;
                value = before ? tirbi_value_with(c->pool, value, c->var, before) : NULL;
            }
            return value && value->size <= TIRBI_MAX_SHARED_SIZE && lasts(value) ? value : NULL;
        }
        if (tirbi_may_set(s, c->var)) return NULL;
    }
    return NULL;
}

/* The loop without a variable that it counts, which is what is known of it ahead of the loop, or a name that says so.
 * A loop whose bounds are only known when it begins is that for lanes, which need no sums of what they have counted
 * then. */
static const tirbi_ls *replace_counter(counters *c, const tirbi_ls *loop) {
    const tirbi_ls *items[4], *counted;
    uint32_t n = 0;
    const tirbi_lx *value = tirbi_lx_var(c->pool, c->var);
    const tirbi_lx *known = c->at ? begins_with(c, *c->at, NEAR) : NULL;
    tirbi_lvar *begin = known ? NULL : tirbi_variable_for(c->pool, TIRBI_LVAR_LET, "begin", value, loop->span);
    counted = known || begin ? name_bounds(c, loop, items, &n) : NULL;
    c->now = known ? known : begin ? tirbi_lx_var(c->pool, begin) : NULL;
    const tirbi_ls *copy = counted && c->now ? without(c, counted) : NULL;
    if (!copy || (n > 0 && !tirbi_has_lanes(c->pool, copy))) return NULL;
    if (begin) items[n++] = tirbi_new_set(c->pool, loop->span, begin, value, true);
    items[n++] = set_behind(c, copy);
    return tirbi_new_sequence(c->pool, loop->span, items, n);
}

/* The loop without one of the variables that it counts, and what that is behind it; NULL where there is none. */
static const tirbi_ls *replace_one(counters *c, const tirbi_ls *loop) {
    tirbi_loop_set set = {.n = 0};
    if (loop->as.loop.step || loop->as.loop.blocks || loop->as.loop.rows ||
        !tirbi_find_variables(&set, loop->as.loop.body, 0))
        return NULL;
    for (uint32_t i = 0; i < set.n; i++) {
        c->var = set.var[i];
        if (c->var->kind != TIRBI_LVAR_LOCAL || (c->var->type != TIRB_I32 && c->var->type != TIRB_I64)) continue;
        const tirbi_lx *delta = delta_of(c, loop->as.loop.body, 0);
        if (!delta || tirbi_lx_is_int(delta, 0) || tirbi_lx_mentions(delta, loop->as.loop.var)) continue;
        const tirbi_ls *replaced = replace_counter(c, loop);
        if (replaced) return replaced;
    }
    return NULL;
}

static const tirbi_ls *walk(void *context, const tirbi_ls *s);

static const tirbi_ls *walk_loop(counters *c, const tirbi_ls *s) {
    const tirbi_ls *named = without_names(c, s->as.loop.body);
    tirbi_ls *plain = named != s->as.loop.body ? tirbi_same_stmt(c->pool, s) : NULL;
    if (plain) plain->as.loop.body = named;
    const tirbi_ls *replaced = replace_one(c, plain ? plain : s);
    return replaced ? walk(c, replaced) : NULL;
}

static const tirbi_ls *walk_sequence(counters *c, const tirbi_ls *s) {
    tirbi_ls *copy = tirbi_same_stmt(c->pool, s);
    const tirbi_ls **items = TIRBI_NEW_ARRAY(c->pool->arena, const tirbi_ls *, s->as.seq.n + 1);
    position here = {.seq = copy, .outer = c->at};
    if (!copy || !items) return s;
    copy->as.seq.items = items;
    bool changed = false;
    for (c->at = &here; here.at < s->as.seq.n; here.at++) {
        items[here.at] = walk(c, s->as.seq.items[here.at]);
        changed = changed || items[here.at] != s->as.seq.items[here.at];
    }
    c->at = here.outer;
    return changed ? copy : s;
}

/* The statement with its loops, the outermost first. */
static const tirbi_ls *walk(void *context, const tirbi_ls *s) {
    counters *c = context;
    if (s->kind == TIRBI_LS_SEQ) return walk_sequence(c, s);
    if (s->kind != TIRBI_LS_LOOP && s->kind != TIRBI_LS_IF) return s;
    const tirbi_ls *replaced = s->kind == TIRBI_LS_LOOP ? walk_loop(c, s) : NULL;
    if (replaced) return replaced;
    const position *at = c->at;
    c->at = NULL;
    s = tirbi_replace_inside(c->pool, s, walk, c);
    c->at = at;
    return s;
}

const tirbi_ls *tirbi_know_counters(tirbi_lx_pool *pool, const tirbi_ls *body) {
    return walk(&(counters){.pool = pool}, body);
}
