#include "compiler/optimize/carried/place.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/carried/search.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/iteration.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_STATE = 4, MAX_SIZE = 24 };

typedef struct finder {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_iteration *it;     /* names for values, and then the item `at` */
    tirbi_lvar *best;        /* what it compares */
    const tirbi_lx *value;   /* with this */
    const tirbi_lx *when;    /* where this holds too; NULL: always */
    tirbi_op order, fold;    /* LT and MIN, or GT and MAX */
    tirbi_dtype wide;        /* it is folded in this type, which holds it exactly and has a fold */
    tirbi_lvar *odd;         /* while the fold is made: not zero where a value was no number; NULL: none looks */
    const tirbi_ls *sets[MAX_STATE]; /* the other variables that are set with it */
    uint32_t n_sets;
} finder;

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

/* An expression without the body's own variables, of iteration `at`. */
static const tirbi_lx *without_lets(finder *f, const tirbi_lx *x, const tirbi_lx *at) {
    const tirbi_lx *value = x->size <= MAX_SIZE && at ? tirbi_value_elsewhere(f->it, x, at) : NULL;
    return value && value->size <= MAX_SIZE ? value : NULL;
}

/* The same of the iteration that it stands in. */
static const tirbi_lx *without_names(finder *f, const tirbi_lx *x) {
    return without_lets(f, x, tirbi_lx_var(f->pool, f->loop->as.loop.var));
}

/* ---- The pattern ------------------------------------------------------------------------------------------------ */

static bool is_local(const tirbi_ls *s) {
    return s->kind == TIRBI_LS_SET && !s->as.set.declares && s->as.set.var->kind == TIRBI_LVAR_LOCAL && s->as.set.value;
}

/* Reads an iteration that is names for values and then so many other items. */
static bool read_body(finder *f, uint32_t others) {
    if (!tirbi_read_iteration(f->it, f->pool, f->loop) || f->it->n < others) return false;
    for (f->it->at = 0; f->it->at + others < f->it->n; f->it->at++) {
        const tirbi_ls *s = f->it->item[f->it->at];
        if (s->kind != TIRBI_LS_SET || !s->as.set.declares || s->as.set.var->kind != TIRBI_LVAR_LET) return false;
    }
    return true;
}

static bool is_guard(const tirbi_ls *s) {
    return s->kind == TIRBI_LS_IF && !s->as.if_.else_case;
}

/* value < best, or value > best, either way round, perhaps behind something else. */
static bool read_condition(finder *f, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_AND) {
        f->when = without_names(f, x->args[0]);
        if (!f->when || !tirbi_fails_surely(f->when) || x->args[1]->traps) return false;
        x = x->args[1];
    }
    if (x->kind != TIRBI_LX_OP || (x->op != TIRB_OP_LT && x->op != TIRB_OP_GT)) return false;
    for (unsigned k = 0; k < 2; k++) {
        const tirbi_lx *best = x->args[k];
        if (best->kind != TIRBI_LX_VAR || best->var->kind != TIRBI_LVAR_LOCAL) continue;
        f->best = best->var;
        f->value = without_names(f, x->args[1 - k]);
        f->order = (x->op == TIRB_OP_LT) == (k == 1) ? TIRB_OP_LT : TIRB_OP_GT;
        f->fold = f->order == TIRB_OP_LT ? TIRB_OP_MIN : TIRB_OP_MAX;
        return f->value && tirbi_fails_surely(f->value) && !tirbi_lx_depends_on(f->value, f->best) &&
               !(f->when && tirbi_lx_depends_on(f->when, f->best));
    }
    return false;
}

/* best = value, and variables whose values say where that was. */
static bool read_sets(finder *f, const tirbi_ls *arm) {
    arm = tirbi_only_part(arm);
    const tirbi_ls *const *items = arm->kind == TIRBI_LS_SEQ ? arm->as.seq.items : &arm;
    uint32_t n = arm->kind == TIRBI_LS_SEQ ? arm->as.seq.n : 1;
    bool found = false;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_ls *s = items[i];
        const tirbi_lx *value = is_local(s) ? without_names(f, s->as.set.value) : NULL;
        if (!value) return false;
        if (s->as.set.var == f->best) {
            if (found || !tirbi_same_value(value, f->value)) return false;
            found = true;
        } else {
            const tirbi_lvar *var = s->as.set.var;
            if (value->traps || f->n_sets == MAX_STATE || tirbi_lx_depends_on(value, f->best) ||
                tirbi_lx_depends_on(f->value, var) || (f->when && tirbi_lx_depends_on(f->when, var))) {
                return false;
            }
            f->sets[f->n_sets++] = s;
        }
    }
    for (uint32_t i = 0; i < f->n_sets; i++) {
        for (uint32_t k = 0; k < f->n_sets; k++) {
            const tirbi_lvar *var = f->sets[i]->as.set.var;
            const tirbi_lx *value = without_names(f, f->sets[k]->as.set.value);
            if ((i != k && var == f->sets[k]->as.set.var) || !value || tirbi_lx_depends_on(value, var)) return false;
        }
    }
    return found;
}

/* ---- The loop anew ---------------------------------------------------------------------------------------------- */

static tirbi_lvar *new_var(const finder *f, const tirbi_lvar *like, tirbi_lvar_kind kind) {
    return tirbi_new_variable(f->pool, kind, like->name, like->type, like->lo, like->hi, f->loop->span);
}

static const tirbi_ls *set(const finder *f, tirbi_lvar *var, const tirbi_lx *value, bool declares) {
    return tirbi_new_set(f->pool, f->loop->span, var, value, declares);
}

static const tirbi_ls *where(const finder *f, const tirbi_lx *condition, const tirbi_ls *then_case) {
    return tirbi_new_if(f->pool, f->loop->span, condition, then_case, NULL);
}

static const tirbi_lx *compare(const finder *f, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    return tirbi_lx_binary(f->pool, op, (tirbi_dtype)f->value->type, a, b);
}

/* A copy of the loop's variable; the loop's value of it, and where it counts. */
static tirbi_lvar *fresh_variable(finder *f, const tirbi_lx **value, const tirbi_lx **when) {
    tirbi_lvar *var = tirbi_variable_like(f->pool, f->loop->as.loop.var);
    *value = without_lets(f, f->value, tirbi_lx_var(f->pool, var));
    *when = f->when ? without_lets(f, f->when, tirbi_lx_var(f->pool, var)) : NULL;
    return *value && !*when == !f->when ? var : NULL;
}

/* The type that folds values of a type: all that is narrower than 32 bits is widened, which keeps its order. */
static tirbi_dtype wide_type(tirbi_dtype type) {
    if (tirbi_dtypes[type].size >= 4) return type;
    return tirbi_dtype_is_float(type) ? TIRB_F32 : TIRB_I32;
}

/* One that holds the extreme so far, and its value in its own type. */
static tirbi_lvar *new_extreme(finder *f, const tirbi_lx **folded) {
    tirbi_lvar *extreme = new_var(f, f->best, TIRBI_LVAR_LOCAL);
    f->wide = wide_type((tirbi_dtype)f->best->type);
    if (!extreme) return NULL;
    extreme->type = f->wide;
    *folded = tirbi_lx_cast(f->pool, (tirbi_dtype)f->best->type, tirbi_lx_var(f->pool, extreme));
    return *folded ? extreme : NULL;
}

/* odd = max(value is a number ? 0 : 1, odd). */
static const tirbi_ls *note_odd(const finder *f, const tirbi_lx *value) {
    const tirbi_dtype type = f->odd->type;
    const tirbi_lx *odd = compare(f, TIRB_OP_NE, value, value), *zero = tirbi_lx_int(f->pool, type, 0),
                   *one = tirbi_lx_int(f->pool, type, 1), *before = tirbi_lx_var(f->pool, f->odd);
    odd = tirbi_lx_op(f->pool, TIRB_OP_SELECT, type, TIRB_TYPE_NONE, odd, one, zero);
    return set(f, f->odd, tirbi_lx_binary(f->pool, TIRB_OP_MAX, type, odd, before), false);
}

/* The least or greatest of the values and of what `extreme` holds. */
static const tirbi_ls *fold_values(finder *f, tirbi_lvar *extreme) {
    const tirbi_lx *value, *when;
    tirbi_lvar *var = fresh_variable(f, &value, &when);
    tirbi_ls *loop = tirbi_same_stmt(f->pool, f->loop);
    const tirbi_lx *widened = var ? tirbi_lx_cast(f->pool, f->wide, value) : NULL,
                   *before = tirbi_lx_var(f->pool, extreme);
    if (!widened || !before || !loop) return NULL;
    loop->as.loop.var = var;
    loop->as.loop.parallel = false;
    const tirbi_ls *sets[] = {set(f, extreme, tirbi_lx_binary(f->pool, f->fold, f->wide, widened, before), false),
                              f->odd ? note_odd(f, value) : NULL};
    loop->as.loop.body = f->odd ? tirbi_new_sequence(f->pool, f->loop->span, sets, 2) : sets[0];
    if (when) loop->as.loop.body = where(f, when, loop->as.loop.body);
    return loop->as.loop.body && tirbi_has_lanes_in_order(f->pool, loop) ? loop : NULL;
}

/* Finds the first of the values that is the best, and sets the variables that tell its place. */
static const tirbi_ls *find_place(finder *f) {
    const tirbi_lvar *old = f->loop->as.loop.var, number = {.name = "found", .type = TIRB_I64, .hi = INT64_MAX};
    const tirbi_ls *items[MAX_STATE + 3];
    const tirbi_lx *value, *when;
    tirbi_lvar *var = fresh_variable(f, &value, &when), *found = new_var(f, &number, TIRBI_LVAR_LET),
               *at = new_var(f, old, TIRBI_LVAR_LET);
    tirbi_lvar *target = new_var(f, f->best, TIRBI_LVAR_LET);
    uint32_t n = 0;
    if (!var) return NULL;
    const tirbi_lx *best = compare(f, TIRB_OP_EQ, value, tirbi_lx_var(f->pool, target));
    items[n++] = set(f, target, tirbi_lx_var(f->pool, f->best), true);
    items[n++] = tirbi_new_search(f->pool, f->loop->span, var, tirbi_lx_and(f->pool, when, best), found);
    if (!items[1]) return NULL;
    const tirbi_lx *place = tirbi_lx_add(f->pool, old->min, tirbi_lx_var(f->pool, found));
    items[n++] = set(f, at, tirbi_lx_cast(f->pool, old->type, place), true);
    for (uint32_t i = 0; i < f->n_sets; i++)
        items[n++] =
            set(f, f->sets[i]->as.set.var, without_lets(f, f->sets[i]->as.set.value, tirbi_lx_var(f->pool, at)), false);
    return tirbi_new_sequence(f->pool, f->loop->span, items, n);
}

const tirbi_ls *tirbi_find_places(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_iteration it;
    finder own = {.pool = pool, .loop = loop, .it = &it}, *f = &own;
    const tirbi_ls *last = read_body(f, 1) ? f->it->item[f->it->at] : NULL;
    if (!last || !is_guard(last) || !read_condition(f, last->as.if_.condition) ||
        !read_sets(f, last->as.if_.then_case))
        return NULL;
    const tirbi_lx *best = tirbi_lx_var(pool, f->best), *folded = NULL;
    tirbi_lvar *extreme = new_extreme(f, &folded);
    if (!best || !extreme) return NULL;
    const tirbi_ls *changes[] = {set(f, f->best, folded, false), f->n_sets ? find_place(f) : NULL};
    const tirbi_ls *all[] = {
        set(f, extreme, tirbi_lx_cast(pool, f->wide, best), true),
        fold_values(f, extreme),
        where(f, compare(f, f->order, folded, best),
              tirbi_new_sequence(f->pool, f->loop->span, changes, f->n_sets ? 2 : 1)),
    };
    return tirbi_new_sequence(f->pool, f->loop->span, all, 3);
}

/* ---- Pairs that are chosen together ------------------------------------------------------------------------------ */

/* where = where if best > v or best == v and where < k else k, and best the same: the reducer of a block. As with the
 * condition above, but for three things: what is no number is taken, as is a zero of the other sign, and the place that
 * the pair begins with may be behind others. Then the loop runs as it stands. */
typedef struct choice {
    const tirbi_lx *kept;    /* where this holds */
    const tirbi_lx *another; /* else this is taken */
} choice;

/* What a variable is set to, as a choice whether it is kept. */
static bool read_choice(finder *f, const tirbi_ls *s, choice *out) {
    const tirbi_lx *x = is_local(s) ? without_names(f, s->as.set.value) : NULL;
    const bool chooses = x && tirbi_is_choice(x);
    if (!chooses || !tirbi_is_var(s->as.set.var, x->args[1])) return false;
    out->kept = x->args[0];
    out->another = x->args[2];
    return true;
}

/* best > v, best >= v, or the other way round, where v is what is taken: the order of what is better. */
static tirbi_op keeps_best(const tirbi_lx *x, const tirbi_lvar *best, const tirbi_lx *v) {
    if (x->kind != TIRBI_LX_OP) return TIRB_OP_NOP;
    const bool less = x->op == TIRB_OP_LT || x->op == TIRB_OP_LE, greater = x->op == TIRB_OP_GT || x->op == TIRB_OP_GE;
    if (!less && !greater) return TIRB_OP_NOP;
    if (tirbi_is_var(best, x->args[0]) && tirbi_same_value(x->args[1], v)) return greater ? TIRB_OP_GT : TIRB_OP_LT;
    if (tirbi_is_var(best, x->args[1]) && tirbi_same_value(x->args[0], v)) return less ? TIRB_OP_GT : TIRB_OP_LT;
    return TIRB_OP_NOP;
}

/* What a signed integer was before it became a wider one, or one that holds it as well. */
static const tirbi_lx *unwidened(const tirbi_lx *x) {
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && tirbi_dtype_is_signed((tirbi_dtype)x->source) &&
           tirbi_dtype_is_signed((tirbi_dtype)x->type) &&
           (tirbi_dtypes[x->source].size <= tirbi_dtypes[x->type].size ||
            (x->args[0]->lo >= INT32_MIN && x->args[0]->hi <= INT32_MAX && x->type == TIRB_I32)))
        x = x->args[0];
    return x;
}

/* best == v and where < k, behind a comparison that is the best's own. */
static bool keeps_first(const finder *f, const tirbi_lx *x, const tirbi_lvar *where) {
    if (x->kind != TIRBI_LX_OR || keeps_best(x->args[0], f->best, f->value) != f->order) return false;
    const tirbi_lx *both = x->args[1];
    if (both->kind != TIRBI_LX_AND) return false;
    const tirbi_lx *ties = both->args[0], *before = both->args[1];
    if (ties->kind != TIRBI_LX_OP || ties->op != TIRB_OP_EQ || before->kind != TIRBI_LX_OP) return false;
    const bool first = tirbi_is_var(f->best, ties->args[0]), swapped = before->op == TIRB_OP_GT;
    if (!(first || tirbi_is_var(f->best, ties->args[1])) || !tirbi_same_value(ties->args[first ? 1 : 0], f->value))
        return false;
    return (before->op == TIRB_OP_LT || swapped) && tirbi_is_var(where, unwidened(before->args[swapped])) &&
           tirbi_is_var(f->loop->as.loop.var, unwidened(before->args[!swapped]));
}

/* The two variables of a pair: the place is left in sets[0], whose value is the loop's variable. */
static bool read_pair(finder *f) {
    choice pair[2];
    if (!read_body(f, 2)) return false;
    const tirbi_ls *const *items = &f->it->item[f->it->at];
    for (uint32_t i = 0; i < 2; i++)
        if (!read_choice(f, items[i], &pair[i])) return false;
    const tirbi_lvar *first = items[0]->as.set.var;
    const bool apart = !tirbi_lx_depends_on(pair[1].kept, first) && !tirbi_lx_depends_on(pair[1].another, first);
    for (uint32_t b = 0; b < 2; b++) {
        const tirbi_ls *best = items[b], *where = items[1 - b];
        const tirbi_lvar *var = where->as.set.var;
        f->best = best->as.set.var;
        f->value = pair[b].another;
        f->order = keeps_best(pair[b].kept, f->best, f->value);
        f->fold = f->order == TIRB_OP_LT ? TIRB_OP_MIN : TIRB_OP_MAX;
        f->sets[0] = set(f, where->as.set.var, pair[1 - b].another, false);
        f->n_sets = 1;
        /* The statements are one after the other: names hold what the pair was, or the second needs not the first. */
        const bool names =
            f->it->at > 0 && best->as.set.value->kind == TIRBI_LX_VAR && where->as.set.value->kind == TIRBI_LX_VAR;
        if ((names || apart) && f->order != TIRB_OP_NOP && tirbi_fails_surely(f->value) &&
            !tirbi_lx_depends_on(f->value, f->best) && !tirbi_lx_depends_on(f->value, var) &&
            f->value->type == f->best->type && tirbi_dtype_is_signed(var->type) && f->sets[0] &&
            tirbi_is_var(f->loop->as.loop.var, unwidened(pair[1 - b].another)) && keeps_first(f, pair[1 - b].kept, var))
            return true;
    }
    return false;
}

/* Whether the pair is what the fold tells: the place that it begins with is before all others, and of floats none is
 * NaN and the extreme no zero, whose sign the last of equal ones gives. */
static const tirbi_lx *is_plain(finder *f, const tirbi_lx *best, const tirbi_lx *folded) {
    tirbi_lx_pool *pool = f->pool;
    const tirbi_lx *where = tirbi_lx_var(pool, f->sets[0]->as.set.var);
    const tirbi_lx *wide = tirbi_lx_cast(pool, TIRB_I64, where);
    const tirbi_lx *plain = tirbi_lx_wide(pool, TIRB_OP_LT, wide, f->loop->as.loop.var->min);
    if (!f->odd) return plain;
    const tirbi_lx *zero = tirbi_lx_bits(pool, (tirbi_dtype)f->value->type, 0), *odd = tirbi_lx_var(pool, f->odd),
                   *none = tirbi_lx_int(pool, f->odd->type, 0);
    const tirbi_lx *conditions[] = {compare(f, TIRB_OP_EQ, best, best), compare(f, TIRB_OP_NE, folded, zero),
                                    tirbi_lx_binary(pool, TIRB_OP_EQ, f->odd->type, odd, none)};
    for (unsigned i = 0; i < 3; i++) plain = tirbi_lx_lazy(pool, TIRBI_LX_AND, plain, conditions[i], NULL);
    return plain;
}

const tirbi_ls *tirbi_find_pairs(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_ls *otherwise,
                                 int64_t longest) {
    const tirbi_lvar *var = loop->as.loop.var, truth = {.name = "plain", .type = TIRB_BOOL, .hi = 1},
                     number = {.name = "odd", .hi = 1};
    tirbi_iteration it;
    finder own = {.pool = pool, .loop = loop, .it = &it}, *f = &own;
    if (!read_pair(f)) return NULL;
    const bool real = tirbi_dtype_is_float((tirbi_dtype)f->value->type);
    const tirbi_lx *best = tirbi_lx_var(pool, f->best), *folded = NULL;
    tirbi_lvar *extreme = new_extreme(f, &folded), *plain = new_var(f, &truth, TIRBI_LVAR_LOCAL);
    const tirbi_ls *changes[] = {set(f, f->best, folded, false), find_place(f)};
    if (real) f->odd = new_var(f, &number, TIRBI_LVAR_LOCAL);
    if (f->odd) f->odd->type = tirbi_dtypes[f->wide].size > 4 ? TIRB_I64 : TIRB_I32;
    if (!best || !extreme || !plain || (real && !f->odd)) return NULL;
    const tirbi_lx *is_folded = tirbi_lx_var(pool, plain);
    const tirbi_ls *either = tirbi_new_if(
        pool, loop->span, is_folded,
        where(f, compare(f, f->order, folded, best), tirbi_new_sequence(pool, loop->span, changes, 2)), otherwise);
    const tirbi_ls *tries[] = {fold_values(f, extreme), set(f, plain, is_plain(f, best, folded), false)};
    const tirbi_lx *few = tirbi_lx_with(pool, TIRB_OP_LE, var->extent, longest);
    const tirbi_ls *all[] = {set(f, extreme, tirbi_lx_cast(pool, f->wide, best), true), set(f, plain, few, true),
                             where(f, is_folded, tirbi_new_sequence(pool, loop->span, tries, 2)), either,
                             f->odd ? set(f, f->odd, tirbi_lx_int(pool, f->odd->type, 0), true) : NULL};
    const tirbi_ls *found = tirbi_new_sequence(pool, loop->span, all, 4);
    return real ? tirbi_new_sequence(pool, loop->span, (const tirbi_ls *[]){all[4], found}, 2) : found;
}

/* ---- Elements by a place that is carried ------------------------------------------------------------------------- */

enum { MAX_DEPTH = 32 };

typedef struct holder {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_loop_set own;       /* the loop's variable, and those that the body sets */
    tirbi_lvar *index;        /* the variable that tells the place */
    const tirbi_place *place; /* of the element */
    bool surely;              /* each iteration loads it, or it cannot fail */
    tirbi_lvar *held;         /* it is kept here */
    const tirbi_lx *condition; /* around what is being copied: it holds there; NULL: none */
    bool failed;
} holder;

/* The variable that an index is, widened perhaps. */
static tirbi_lvar *carried_index(const holder *h, const tirbi_lx *x) {
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && x->type == TIRB_I64) x = x->args[0];
    bool carried = x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOCAL &&
                   tirbi_is_listed(x->var, h->own.var + 1, h->own.n - 1);
    return carried ? x->var : NULL;
}

/* Notes a load by a variable that the body sets and indices that stand still; false where the loop has another one. */
static bool note_load(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    holder *h = w->context;
    tirbi_lvar *index = NULL;
    if (!load) return true;
    for (uint32_t d = 0; d < place->ndim; d++) {
        tirbi_lvar *var = carried_index(h, place->indices[d]);
        if (var && !index)
            index = var;
        else if (!place->indices[d]->pure || tirbi_mentions_loops(place->indices[d], &h->own))
            return true;
    }
    if (!index || place->view || place->buffer->local || !place->flat->shared) return true;
    if (h->place && !tirbi_same_value(tirbi_lx_load(h->pool, h->place), load)) return false;
    h->place = place;
    h->index = index;
    h->surely = h->surely || !w->guarded || !load->traps;
    return true;
}

static tirbi_step refuse_call(tirbi_walk *w, const tirbi_lx *x) {
    (void)w;
    return x->kind == TIRBI_LX_CALL ? TIRBI_STOP : TIRBI_INTO;
}

/* Only the first statement is come to for certain: those before another one may fail in ways of their own. */
static tirbi_step note_statement(tirbi_walk *w, const tirbi_ls *s) {
    for (uint32_t i = 0; s->kind == TIRBI_LS_SEQ && i < s->as.seq.n; i++) {
        if (!tirbi_walk_stmt(w, s->as.seq.items[i])) return TIRBI_STOP;
        w->guarded = true;
    }
    return s->kind == TIRBI_LS_SEQ ? TIRBI_PAST : TIRBI_INTO;
}

static bool is_held(const void *context, const tirbi_lx *x) {
    const holder *h = context;
    return x->kind == TIRBI_LX_LOAD && x->access->buffer == h->place->buffer &&
           tirbi_same_value(tirbi_lx_load(h->pool, h->place), x);
}

/* Whether a condition asks for the element: what is only used goes from iteration to iteration in other ways. */
static bool compares(const void *context, const tirbi_ls *s) {
    const holder *h = context;
    return s->kind == TIRBI_LS_IF &&
           tirbi_any_expr(s->as.if_.condition, TIRBI_WALK_IMPURE, is_held, h);
}

/* Whether a variable begins in the body, so that it has no value before the loop. */
static bool begins(const void *var, const tirbi_ls *s) {
    return s->kind == TIRBI_LS_SET && s->as.set.declares && s->as.set.var == var;
}

static bool note_loads(holder *h, const tirbi_ls *body) {
    const uint32_t kinds = TIRBI_KIND(SEQ) | TIRBI_KIND(IF) | TIRBI_KIND(SET) | TIRBI_KIND(STORE);
    tirbi_walk walk = {.context = h,
                       .stmt = note_statement,
                       .expr = refuse_call,
                       .access = note_load,
                       .kinds = kinds,
                       .deepest = MAX_DEPTH};
    if (!tirbi_find_variables(&h->own, body, kinds) || !tirbi_walk_stmt(&walk, body) ||
        (h->place && tirbi_any_stmt(body, begins, h->index)))
        return false;
    return !h->place || !tirbi_has_kind(body, TIRBI_KIND(STORE)) ||
           (!tirbi_stores_to(body, h->place->buffer->root) && tirbi_any_stmt(body, compares, h));
}

static const tirbi_lx *replace_held(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const holder *h = rewrite->context;
    return is_held(h, x) ? tirbi_lx_var(h->pool, h->held) : NULL;
}

static bool loads(const tirbi_lx *x, const tirbi_lx *load, unsigned depth) {
    if (depth > MAX_DEPTH) return false;
    if (x->kind == TIRBI_LX_LOAD && tirbi_same_value(x, load)) return true;
    const bool lazy = x->kind == TIRBI_LX_COND || x->kind == TIRBI_LX_OR;
    for (int i = 0; i < (lazy ? 1 : x->n_args); i++) {
        if (loads(x->args[i], load, depth + 1)) return true;
    }
    return false;
}

/* The element at a place that the variable is set to, which the condition around that has loaded or which is surely
 * there. */
static const tirbi_lx *element_at(const holder *h, const tirbi_lx *at) {
    const tirbi_lx *load = at->pure ? tirbi_value_with(h->pool, tirbi_lx_load(h->pool, h->place), h->index, at) : NULL;
    return load && (!load->traps || (h->condition && loads(h->condition, load, 0))) ? load : NULL;
}

static const tirbi_ls *hold(const holder *h, const tirbi_lx *value, bool declares) {
    return tirbi_new_set(h->pool, h->loop->span, h->held, value, declares);
}

/* The element is another one behind what sets its index; it fails where that is not known. */
static const tirbi_ls *hold_in(tirbi_rewrite *rewrite, const tirbi_ls *s) {
    holder *h = rewrite->context;
    if (s->kind == TIRBI_LS_IF) {
        const tirbi_lx *around = h->condition;
        tirbi_ls *copy = tirbi_same_stmt(h->pool, s);
        if (!copy) return NULL;
        copy->as.if_.condition = tirbi_rewrite_value(rewrite, s->as.if_.condition);
        h->condition = s->as.if_.condition;
        copy->as.if_.then_case = tirbi_rewrite_stmt(rewrite, s->as.if_.then_case);
        h->condition = NULL;
        if (s->as.if_.else_case) copy->as.if_.else_case = tirbi_rewrite_stmt(rewrite, s->as.if_.else_case);
        h->condition = around;
        h->failed = h->failed || !copy->as.if_.condition || !copy->as.if_.then_case ||
                    !copy->as.if_.else_case != !s->as.if_.else_case;
        return copy;
    }
    if (s->kind != TIRBI_LS_SET || s->as.set.var != h->index) return NULL;
    const tirbi_lx *value = tirbi_rewrite_value(rewrite, s->as.set.value);
    const tirbi_ls *both[] = {tirbi_new_set(h->pool, s->span, h->index, value, s->as.set.declares),
                              hold(h, element_at(h, s->as.set.value), false)};
    const tirbi_ls *all = tirbi_new_sequence(h->pool, h->loop->span, both, 2);
    h->failed = h->failed || !all;
    return all;
}

/* Loads the element before the loop, if that runs: in a loop of one round or none, which lanes of rows can be
 * around. */
static const tirbi_ls *load_first(holder *h, const tirbi_lx *first) {
    const tirbi_lvar *var = h->loop->as.loop.var;
    if (!first->traps || var->extent->lo >= 1) return hold(h, first, true);
    const tirbi_lx *rounds = tirbi_lx_with(h->pool, TIRB_OP_MIN, var->extent, 1);
    tirbi_lvar *round = tirbi_new_counter(h->pool, var, TIRB_I64, rounds);
    const tirbi_ls *once = tirbi_new_loop(h->pool, h->loop->span, round, hold(h, first, false));
    if (!once) return NULL;
    const tirbi_lx *nothing = tirbi_lx_bits(h->pool, (tirbi_dtype)first->type, 0);
    return tirbi_new_sequence(h->pool, h->loop->span, (const tirbi_ls *[]){hold(h, nothing, true), once}, 2);
}

const tirbi_ls *tirbi_hold_elements(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    const tirbi_lvar *var = loop->as.loop.var;
    if (loop->as.loop.step || !var->extent->pure || var->extent->traps) return NULL;
    holder *h = TIRBI_NEW(pool->arena, holder);
    if (!h) return NULL;
    h->pool = pool;
    h->loop = loop;
    h->own.var[h->own.n++] = loop->as.loop.var;
    if (!note_loads(h, loop->as.loop.body) || !h->place || !h->surely) {
        TIRBI_GIVE_BACK(pool->arena, h);
        return NULL;
    }
    const tirbi_lx *first = tirbi_lx_load(pool, h->place);
    h->held = tirbi_variable_for(pool, TIRBI_LVAR_LOCAL, h->place->buffer->name, first, loop->span);
    if (!h->held) return NULL;
    tirbi_rewrite rewrite = {.pool = pool, .replace = replace_held, .statement = hold_in, .context = h};
    const tirbi_ls *fresh = tirbi_loop_like(pool, loop, NULL, tirbi_rewrite_stmt(&rewrite, loop->as.loop.body));
    if (!fresh || h->failed) return NULL;
    return tirbi_new_sequence(pool, loop->span, (const tirbi_ls *[]){load_first(h, first), fresh}, 2);
}

/* Whether an element's place is told by an element of memory. */
static bool is_by_element(const void *context, const tirbi_lx *x) {
    (void)context;
    for (uint32_t d = 0; x->kind == TIRBI_LX_LOAD && d < x->access->ndim; d++) {
        const tirbi_lx *index = x->access->indices[d];
        while (index->kind == TIRBI_LX_OP && index->op == TIRB_OP_CAST) index = index->args[0];
        if (index->kind == TIRBI_LX_LOAD) return true;
    }
    return false;
}

/* Whether a condition compares such elements. */
static bool chooses_by_elements(const void *context, const tirbi_ls *s) {
    (void)context;
    return s->kind == TIRBI_LS_IF && tirbi_any_expr(s->as.if_.condition, 0, is_by_element, NULL);
}

typedef struct holders {
    tirbi_lx_pool *pool;
    unsigned depth;
} holders;

static const tirbi_ls *hold_all(void *context, const tirbi_ls *s) {
    holders *all = context;
    if (all->depth == MAX_DEPTH) return s;
    if (s->kind == TIRBI_LS_LOOP) {
        const tirbi_ls *held = tirbi_hold_elements(all->pool, s);
        if (!held && tirbi_any_stmt(s->as.loop.body, chooses_by_elements, NULL))
            held = tirbi_hold_by_elements(all->pool, s);
        if (held) return held;
    }
    all->depth++;
    s = tirbi_replace_inside(all->pool, s, hold_all, all);
    all->depth--;
    return s;
}

const tirbi_ls *tirbi_hold_all_elements(tirbi_lx_pool *pool, const tirbi_ls *body) {
    holders all = {.pool = pool};
    return body ? hold_all(&all, body) : NULL;
}
