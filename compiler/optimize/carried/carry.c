/* Loops that update elements which stand still: sums into one element, running extremes. The element is loaded into a
 * variable before the loop and stored behind it, so that the loop can carry it from lane to lane. And loops that
 * compute an element from the one that the iteration before has stored: a variable hands that on, which is loaded
 * before the loop. */
#include "compiler/optimize/analysis/depend.h"
#include "compiler/optimize/carried/packing.h"
#include "compiler/optimize/carried/place.h"
#include "compiler/optimize/carried/search.h"
#include "compiler/optimize/contractions/int_trees.h"
#include "compiler/optimize/cuts/distance.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/lanes/lane_planner.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_ELEMENTS = 8, MAX_PLACES = 128 };

typedef struct element {
    const tirbi_place *place;
    const tirbi_place *before; /* of one that moves: where it was an iteration ago; NULL: it stands still */
    tirbi_lvar *var;
    tirbi_lvar *stored; /* what iterations of columns store, none of whose bits were loaded; NULL: the variable */
    bool surely;        /* every iteration stores to it */
    bool again, passed; /* there is more than one store to it; there was one before the statement at hand */
} element;

typedef struct carrier {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop, *body;
    tirbi_loop_set own; /* the loop's variable, and those that the body sets */
    tirbi_lvar *fresh;  /* that stands for the loop's variable, or NULL */
    tirbi_reached *places; /* what the body reaches */
    uint32_t n_places;
    element elements[MAX_ELEMENTS];
    uint32_t n;
    bool in_columns, branches, failed;
    tirbi_dependences *graph; /* of the loop, where it was asked for */
} carrier;

static bool same_access(const tirbi_place *a, const tirbi_place *b) {
    return a->view == b->view && tirbi_same_place(a, b);
}

static element *find_element(carrier *c, const tirbi_place *place) {
    for (uint32_t i = 0; i < c->n; i++) {
        if (same_access(c->elements[i].place, place)) return &c->elements[i];
    }
    return NULL;
}

/* The element whose variable holds what a load gives. */
static element *find_loaded(carrier *c, const tirbi_place *place) {
    for (uint32_t i = 0; i < c->n; i++) {
        const element *e = &c->elements[i];
        if (same_access(e->before ? e->before : e->place, place)) return &c->elements[i];
    }
    return NULL;
}

/* ---- Finding them ----------------------------------------------------------------------------------------------- */

static void add_element(carrier *c, const tirbi_place *place, const tirbi_place *before, const tirbi_lx *load,
                        bool surely) {
    tirbi_lvar *var = tirbi_variable_for(c->pool, TIRBI_LVAR_LOCAL, place->buffer->name, load, place->span);
    if (!var || c->n == MAX_ELEMENTS) {
        c->failed = true;
        return;
    }
    c->elements[c->n++] = (element){.place = place, .before = before, .var = var, .surely = surely};
}

/* Notes the elements that are stored to and stand still. One of a condition is only reached where that cannot fail. */
static void find_still(carrier *c) {
    for (uint32_t i = 0; i < c->n_places && !c->failed; i++) {
        const tirbi_reached *a = &c->places[i];
        element *known = a->what == TIRBI_LOADS ? NULL : find_element(c, a->place);
        if (known) {
            known->again = true;
            known->surely = known->surely || a->surely;
        }
        if (a->what == TIRBI_LOADS || known || a->place->buffer->local || !tirbi_stands_still(a->place, &c->own))
            continue;
        const tirbi_lx *load = tirbi_lx_load(c->pool, a->place);
        if (!load || (load->traps && !a->surely)) c->failed = true;
        else add_element(c, a->place, NULL, load, a->surely);
    }
}

/* ---- Those that move -------------------------------------------------------------------------------------------- */

/* Whether `before` is in each iteration what `place` was in the one before it. */
static bool is_one_behind(const carrier *c, const tirbi_place *place, const tirbi_place *before) {
    int64_t iterations;
    return before->flat->pure && tirbi_comes_behind(c->pool, &c->own, place, before, &iterations) && iterations == 1;
}

/* The element that a store has stored to an iteration ago, if nothing else stores to its memory, and all that is loaded
 * so is loaded ahead of the store. */
static const tirbi_place *find_before(const carrier *c, uint32_t store, bool *surely) {
    const tirbi_place *place = c->places[store].place, *before = NULL;
    *surely = false;
    for (uint32_t i = 0; i < c->n_places; i++) {
        const tirbi_reached *a = &c->places[i];
        if (a->what != TIRBI_LOADS) {
            if (i != store && tirbi_may_meet(a->place->buffer->root, place->buffer->root)) return NULL;
        } else if (a->place->buffer == place->buffer && is_one_behind(c, place, a->place)) {
            if (i > store) return NULL;
            before = a->place;
            *surely = *surely || a->surely;
        }
    }
    return before;
}

/* Notes the elements that every iteration stores to and the next one loads. */
static void find_moving(carrier *c) {
    for (uint32_t i = 0; i < c->n_places && !c->failed; i++) {
        const tirbi_place *place = c->places[i].place;
        if (c->places[i].what == TIRBI_LOADS || !c->places[i].surely || place->buffer->local || place->view ||
            !place->flat->pure || tirbi_stands_still(place, &c->own) || tirbi_buffer_moves(place->buffer, &c->own))
            continue;
        bool surely;
        const tirbi_place *before = find_before(c, i, &surely);
        const tirbi_lx *load = before ? tirbi_lx_load(c->pool, before) : NULL;
        if (!before) continue;
        if (!load || (load->traps && !surely)) c->failed = true;
        else add_element(c, place, before, load, true);
    }
}

/* ---- What else the loop does ------------------------------------------------------------------------------------ */

/* Whether the dependence graph of the loop has no edge between them. */
static bool has_no_edge(carrier *c, const tirbi_place *a, const tirbi_place *b) {
    static const tirbi_asked all = {.carriers = 1, .alike = true};
    if (!c->graph) c->graph = tirbi_find_dependences(c->pool, c->loop, &c->body, 1, &all);
    for (uint32_t i = 0; c->graph && i < c->graph->n_edges; i++) {
        const tirbi_edge *e = &c->graph->edge[i];
        const tirbi_place *from = c->graph->access[e->from].at.place, *to = c->graph->access[e->to].at.place;
        if (!from || !to) continue;
        if ((same_access(from, a) && same_access(to, b)) || (same_access(from, b) && same_access(to, a))) return false;
    }
    return c->graph != NULL;
}

/* Whether another place is never this element. What the graph knows holds where the loop stores to it: of a store under
 * a condition it says nothing, as the element is stored behind the loop whether the condition held or not. */
static bool is_apart(carrier *c, const element *stored, const tirbi_place *place) {
    const tirbi_place *e = stored->place;
    if (!tirbi_may_meet(e->buffer->root, place->buffer->root)) return true;
    if (tirbi_never_meet(c->pool, e, place, &c->own)) return true;
    return stored->surely && e->buffer == place->buffer && has_no_edge(c, e, place);
}

/* An element stays in its variable only if nothing else reaches it. Of one that moves, lanes are told apart when they
 * are planned. */
static bool are_apart(carrier *c) {
    for (uint32_t i = 0; i < c->n; i++) {
        const element *e = &c->elements[i];
        for (uint32_t k = 0; k < c->n_places && !e->before; k++)
            if (!same_access(e->place, c->places[k].place) && !is_apart(c, e, c->places[k].place)) return false;
    }
    return true;
}

static const tirbi_ls *set(carrier *c, tirbi_lvar *var, const tirbi_lx *value, bool declares) {
    return tirbi_new_set(c->pool, c->loop->span, var, value, declares);
}

/* ---- Choices ---------------------------------------------------------------------------------------------------- */

/* if c: X = a else: X = b as X = a if c else b, for one element or variable; what it is otherwise. */
static const tirbi_ls *as_one(carrier *c, const tirbi_ls *s) {
    const tirbi_ls *yes = s->kind == TIRBI_LS_IF ? s->as.if_.then_case : NULL,
                   *no = yes ? s->as.if_.else_case : NULL;
    if (yes && yes->kind == TIRBI_LS_SEQ && yes->as.seq.n == 1) yes = yes->as.seq.items[0];
    if (no && no->kind == TIRBI_LS_SEQ && no->as.seq.n == 1) no = no->as.seq.items[0];
    if (!yes || !no || yes->kind != no->kind) return s;
    const bool stores = yes->kind == TIRBI_LS_STORE && same_access(yes->as.store.access, no->as.store.access);
    const bool assigns =
        yes->kind == TIRBI_LS_SET && yes->as.set.var == no->as.set.var && !yes->as.set.declares && !no->as.set.declares;
    if (!stores && !assigns) return s;
    const tirbi_lx *a = stores ? yes->as.store.value : yes->as.set.value,
                   *b = stores ? no->as.store.value : no->as.set.value;
    const tirbi_lx *value = a && b ? tirbi_lx_lazy(c->pool, TIRBI_LX_COND, s->as.if_.condition, a, b) : NULL;
    tirbi_ls *one = value ? tirbi_same_stmt(c->pool, yes) : NULL;
    if (!one) return s;
    if (stores) one->as.store.value = value;
    else one->as.set.value = value;
    return one;
}

/* A variable, and memory that a place may be in. */
typedef struct changed {
    const tirbi_lvar *var;
    const tirbi_place *place;
} changed;

static bool reads_changed(const void *context, const tirbi_lx *x) {
    const changed *c = context;
    return x->kind == TIRBI_LX_CALL || tirbi_is_var(c->var, x) ||
           (x->kind == TIRBI_LX_LOAD && c->place && tirbi_may_meet(x->access->buffer->root, c->place->buffer->root));
}

/* Whether a value reads either of them. */
static bool reads(const tirbi_lx *x, const tirbi_lvar *var, const tirbi_place *place) {
    return tirbi_any_expr(x, TIRBI_WALK_INDICES, reads_changed, &(changed){var, place});
}

/* x = f(x); x = g(x) as x = g(f(x)); NULL for other statements. */
static const tirbi_ls *as_one_step(carrier *c, const tirbi_ls *s, const tirbi_ls *next) {
    const bool assign = s->kind == TIRBI_LS_SET && next->kind == TIRBI_LS_SET && s->as.set.var == next->as.set.var &&
                        !next->as.set.declares;
    const bool steps = assign && s->as.set.value->size <= TIRBI_MAX_SHARED_SIZE &&
                       tirbi_count_expr(next->as.set.value, TIRBI_WALK_INDICES, tirbi_is_var, s->as.set.var) == 1;
    tirbi_ls *one = steps ? tirbi_same_stmt(c->pool, next) : NULL;
    if (!one) return NULL;
    one->as.set.value = tirbi_value_with(c->pool, next->as.set.value, s->as.set.var, s->as.set.value);
    one->as.set.declares = s->as.set.declares;
    return one->as.set.value ? one : NULL;
}

/* if c: x = min(x, v) as x = min(x, v if c else what changes nothing), of integers, behind what sets x; what it is
 * otherwise. */
static const tirbi_ls *as_update(carrier *c, const tirbi_ls *s, const tirbi_ls *before) {
    const tirbi_ls *arm = s->kind == TIRBI_LS_IF && !s->as.if_.else_case ? s->as.if_.then_case : NULL;
    if (arm && arm->kind == TIRBI_LS_SEQ && arm->as.seq.n == 1) arm = arm->as.seq.items[0];
    tirbi_lvar *var = arm && arm->kind == TIRBI_LS_SET && !arm->as.set.declares ? arm->as.set.var : NULL;
    const tirbi_lx *value = var ? arm->as.set.value : NULL;
    tirbi_red_op op;
    if (!value || before->kind != TIRBI_LS_SET || before->as.set.var != var ||
        !tirbi_dtype_is_int((tirbi_dtype)var->type) || !tirbi_reduces(value, var->type, &op))
        return s;
    const unsigned other = tirbi_is_var(var, value->args[0]) ? 1 : 0;
    if (!tirbi_is_var(var, value->args[1 - other]) || reads(value->args[other], var, NULL)) return s;
    const tirbi_lx *term = tirbi_lx_lazy(c->pool, TIRBI_LX_COND, s->as.if_.condition, value->args[other],
                                         tirbi_identity(c->pool, op, var->type));
    if (!term) return s;
    const tirbi_ls *update =
        set(c, var, tirbi_lx_binary(c->pool, (tirbi_op)value->op, var->type, value->args[1 - other], term), false);
    return update ? update : s;
}

/* if c: x = v; and x = g(x) behind it as x = g(v) if c else g(x); NULL for other statements. */
static const tirbi_ls *as_one_choice(carrier *c, const tirbi_ls *s, const tirbi_ls *next) {
    if (s->kind != TIRBI_LS_IF || s->as.if_.else_case || s->as.if_.condition->traps) return NULL;
    const tirbi_ls *arm = s->as.if_.then_case;
    if (arm->kind == TIRBI_LS_SEQ && arm->as.seq.n == 1) arm = arm->as.seq.items[0];
    const tirbi_ls *one = arm->kind == TIRBI_LS_SET ? as_one_step(c, arm, next) : NULL;
    const tirbi_lx *value = one ? tirbi_lx_lazy(c->pool, TIRBI_LX_COND, s->as.if_.condition, one->as.set.value,
                                                next->as.set.value)
                                : NULL;
    return value ? set(c, next->as.set.var, value, false) : NULL;
}

/* The first statement of an arm; `rest` becomes what is behind it, or NULL. */
static const tirbi_ls *first_of(carrier *c, const tirbi_ls *arm, const tirbi_ls **rest) {
    *rest = NULL;
    if (!arm || arm->kind != TIRBI_LS_SEQ || arm->as.seq.n == 0) return arm;
    if (arm->as.seq.n > 1)
        *rest = tirbi_new_sequence(c->pool, arm->span, arm->as.seq.items + 1, arm->as.seq.n - 1);
    return arm->as.seq.items[0];
}

/* if c: X = a; .. else: X = b as X = a if c else b; if c: .., where that does not change the condition. NULL for other
 * statements. */
static const tirbi_ls *first_as_one(carrier *c, const tirbi_ls *s, const tirbi_ls **more) {
    if (s->kind != TIRBI_LS_IF || !s->as.if_.else_case) return NULL;
    const tirbi_ls *rest, *none, *yes = first_of(c, s->as.if_.then_case, &rest),
                                 *no = first_of(c, s->as.if_.else_case, &none);
    if (!yes || !no || !rest || none || (yes->kind != TIRBI_LS_STORE && yes->kind != TIRBI_LS_SET)) return NULL;
    const bool stores = yes->kind == TIRBI_LS_STORE;
    if (reads(s->as.if_.condition, stores ? NULL : yes->as.set.var, stores ? yes->as.store.access : NULL)) return NULL;
    const tirbi_ls *choice = tirbi_new_if(c->pool, s->span, s->as.if_.condition, yes, no);
    *more = tirbi_new_if(c->pool, s->span, s->as.if_.condition, rest, NULL);
    if (!choice || !*more) return NULL;
    const tirbi_ls *one = as_one(c, choice);
    return one == choice ? NULL : one;
}

/* x = v; A[i] = x as A[i] = v; x = A[i], for a value in a variable may be computed from the element before. NULL for
 * other statements. */
static const tirbi_ls *stored_at_once(carrier *c, const tirbi_ls *s, const tirbi_ls *next, const tirbi_ls **more) {
    if (s->kind != TIRBI_LS_SET || next->kind != TIRBI_LS_STORE || !s->as.set.value) return NULL;
    const tirbi_lvar *var = s->as.set.var;
    const tirbi_place *place = next->as.store.access;
    const tirbi_lx *value = next->as.store.value;
    if (value->kind != TIRBI_LX_VAR || value->var != var || place->view || var->type != place->buffer->type ||
        reads(s->as.set.value, var, NULL)) /* which is carried itself */
        return NULL;
    for (uint32_t d = 0; d < place->ndim; d++) {
        if (reads(place->indices[d], var, NULL)) return NULL;
    }
    const tirbi_lx *load = tirbi_lx_load(c->pool, place);
    tirbi_ls *set = load && !load->traps ? tirbi_same_stmt(c->pool, s) : NULL;
    tirbi_ls *store = set ? tirbi_same_stmt(c->pool, next) : NULL;
    if (!store) return NULL;
    set->as.set.value = load;
    store->as.store.value = s->as.set.value;
    *more = set;
    return store;
}

/* Whether a statement gives a variable of the body a value that none of the next ones reads. */
static bool is_unused(const tirbi_ls *s, const tirbi_ls *const *next, uint32_t n) {
    bool used = s->kind != TIRBI_LS_SET || !s->as.set.declares || !s->as.set.value || s->as.set.value->traps;
    tirbi_lvar *var = used ? NULL : s->as.set.var;
    for (uint32_t i = 0; i < n && !used; i++) used = tirbi_names(next[i], &var, 1);
    return !used;
}

/* The body with such choices and such steps as one statement each. */
static const tirbi_ls *join_statements(carrier *c, const tirbi_ls *body) {
    const uint32_t n_before = body->kind == TIRBI_LS_SEQ ? body->as.seq.n : 1;
    const tirbi_ls *const *before = body->kind == TIRBI_LS_SEQ ? body->as.seq.items : &body;
    const tirbi_ls **items = TIRBI_NEW_ARRAY(c->pool->arena, const tirbi_ls *, 2 * n_before + 1), *more = NULL;
    uint32_t n = 0;
    bool joined = false;
    for (uint32_t i = 0; items && i < n_before; i++) {
        const tirbi_ls *s = as_one(c, before[i]), *other = NULL;
        if (n > 0) s = as_update(c, s, items[n - 1]);
        if (n > 0 && ((other = as_one_step(c, items[n - 1], s)) != NULL ||
                      (other = as_one_choice(c, items[n - 1], s)) != NULL)) {
            items[n - 1] = other;
        } else if (n > 0 && (other = stored_at_once(c, items[n - 1], s, &more)) != NULL) {
            items[n - 1] = other;
            if (!is_unused(more, before + i + 1, n_before - i - 1)) items[n++] = more;
        } else if ((other = first_as_one(c, s, &more)) != NULL) {
            items[n++] = other;
            items[n++] = more;
        } else {
            items[n++] = s;
        }
        joined = joined || other || s != before[i];
    }
    if (!items || !joined) return items ? body : NULL;
    return tirbi_new_sequence(c->pool, c->loop->span, items, n);
}

/* ---- The loop anew ---------------------------------------------------------------------------------------------- */

static const tirbi_lx *replace(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    carrier *c = rewrite->context;
    if (x->kind == TIRBI_LX_VAR && c->fresh && x->var == c->loop->as.loop.var) return tirbi_lx_var(c->pool, c->fresh);
    element *e = x->kind == TIRBI_LX_LOAD ? find_loaded(c, x->access) : NULL;
    return e ? tirbi_lx_var(c->pool, e->passed ? e->stored : e->var) : NULL;
}

/* Columns store from variables of their own where that is in straight code, so that the bits of what was loaded first
 * are in no store. They are set in every iteration, of which there are some. */
static bool store_apart(carrier *c) {
    for (uint32_t i = 0; i < c->n && c->in_columns && !c->branches; i++) {
        element *e = &c->elements[i];
        if (e->again) continue;
        e->stored = tirbi_variable_like(c->pool, e->var);
        if (!e->stored) return false;
    }
    return true;
}

/* A store to an element as what it is with the element in a variable; NULL for other statements. */
static const tirbi_ls *replace_store(tirbi_rewrite *r, const tirbi_ls *s) {
    carrier *c = r->context;
    element *e = s->kind == TIRBI_LS_STORE ? find_element(c, s->as.store.access) : NULL;
    const tirbi_lx *value = e ? tirbi_rewrite_value(r, s->as.store.value) : NULL;
    if (!value) return NULL;
    if (!e->before && !e->stored) return tirbi_new_set(c->pool, s->span, e->var, value, false);
    tirbi_lvar *var = e->stored ? e->stored : e->var;
    const tirbi_place *place = tirbi_rewrite_place(r, s->as.store.access);
    const tirbi_lx *held = tirbi_lx_var(c->pool, var);
    if (!place || !held) return NULL;
    const tirbi_ls *items[3] = {tirbi_new_set(c->pool, s->span, var, value, false)};
    uint32_t n = 1;
    if (e->before) items[n++] = tirbi_new_store(c->pool, s->span, place, held);
    if (e->stored) items[n++] = set(c, e->var, held, false);
    e->passed = e->stored && !e->before;
    return tirbi_new_sequence(c->pool, c->loop->span, items, n);
}

static bool is_plain(const tirbi_lx *x) { return x->pure && !x->traps; }

/* A bound of the loop, computed before it where it is not pure. */
static const tirbi_lx *bound(carrier *c, const tirbi_lx *x, const char *name, const tirbi_ls **items, uint32_t *n) {
    if (is_plain(x)) return x;
    tirbi_lvar *var = tirbi_variable_for(c->pool, TIRBI_LVAR_LET, name, x, c->loop->span);
    items[(*n)++] = set(c, var, x, true);
    return tirbi_lx_var(c->pool, var);
}

/* The loop over a variable of its own whose bounds are in variables. */
static bool replace_variable(carrier *c, const tirbi_ls **items, uint32_t *n) {
    const tirbi_lvar *var = c->loop->as.loop.var;
    if (is_plain(var->min) && is_plain(var->extent)) return true;
    c->fresh = TIRBI_NEW(c->pool->arena, tirbi_lvar);
    if (!c->fresh) return false;
    *c->fresh = *var;
    c->fresh->id = 0;
    c->fresh->min = bound(c, var->min, "first", items, n);
    c->fresh->extent = c->fresh->min ? bound(c, var->extent, "rounds", items, n) : NULL;
    return c->fresh->extent != NULL;
}

/* What an element's variable holds before the first iteration. */
static const tirbi_lx *first_value(carrier *c, const element *e) {
    if (!e->before) return tirbi_lx_load(c->pool, e->place);
    const tirbi_lvar *var = c->loop->as.loop.var, *runs = c->fresh ? c->fresh : var;
    tirbi_rewrite rewrite = {.pool = c->pool};
    tirbi_bind_variable(&rewrite, var, tirbi_lx_cast(c->pool, var->type, runs->min));
    const tirbi_place *place = tirbi_rewrite_place(&rewrite, e->before);
    return tirbi_lx_load(c->pool, place);
}

/* Loads, what becomes of the loop, stores: where it runs at all. `even_if_not`: or where that does no harm. */
static const tirbi_ls *surround(carrier *c, const tirbi_ls *loop, const tirbi_ls *runs, bool even_if_not) {
    if (c->n == 0) return runs;
    const tirbi_ls *items[3 * MAX_ELEMENTS + 1];
    uint32_t n = 0;
    bool harmless = even_if_not;
    for (uint32_t i = 0; i < c->n; i++) {
        const tirbi_lx *load = first_value(c, &c->elements[i]);
        harmless = harmless && load && !load->traps;
    }
    for (uint32_t i = 0; i < c->n; i++) {
        const element *e = &c->elements[i];
        items[n++] = set(c, e->var, first_value(c, e), true);
        const tirbi_lx *zero = tirbi_lx_cast(c->pool, e->var->type, tirbi_lx_number(c->pool, 0));
        if (e->stored) items[n++] = set(c, e->stored, zero, true);
    }
    items[n++] = runs;
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->elements[i].before) continue;
        tirbi_lvar *stored = c->elements[i].stored;
        items[n++] = tirbi_new_store(c->pool, c->loop->span, c->elements[i].place,
                                     tirbi_lx_var(c->pool, stored ? stored : c->elements[i].var));
    }
    if (harmless || tirbi_is_positive(c->pool->positive, loop->as.loop.var->extent))
        return tirbi_new_sequence(c->pool, c->loop->span, items, n);
    return tirbi_new_if(c->pool, c->loop->span, tirbi_lx_with(c->pool, TIRB_OP_GT, loop->as.loop.var->extent, 0),
                        tirbi_new_sequence(c->pool, c->loop->span, items, n), NULL);
}

/* What a loop with elements in variables is to be. */
typedef enum purpose {
    IN_LANES,  /* that carry them */
    IN_COLUMNS, /* inside lanes that each carry their own (columns.c) */
    IN_ORDER,   /* scalar code, in which an iteration has at hand what the one before it stored */
    SEARCHED,  /* for what changes them */
    HOLDING,   /* what is at the places that they tell (place.c) */
    PACKED     /* counting what is kept (packing.c) */
} purpose;

static const tirbi_ls *run(tirbi_lx_pool *pool, const tirbi_ls *loop, purpose why) {
    switch (why) {
    case IN_LANES: return tirbi_has_lanes_in_order(pool, loop) ? loop : tirbi_load_first(pool, loop);
    case IN_COLUMNS:
    case IN_ORDER: return loop;
    case SEARCHED: return tirbi_search_updates(pool, loop);
    case PACKED: {
        tirbi_arranged packed;
        if (!tirbi_pack_elements(pool, loop, &packed) || !tirbi_has_lanes_in_order(pool, packed.loop)) return NULL;
        return packed.stmt;
    }
    default: return tirbi_hold_elements(pool, loop);
    }
}

/* Whether there are elements, and loading them cannot fail at a place that the program does not name. */
static bool loads_at_no_risk(carrier *c) {
    bool all = c->n > 0;
    for (uint32_t i = 0; i < c->n; i++) {
        const element *e = &c->elements[i];
        const tirbi_lx *load = tirbi_lx_load(c->pool, e->before ? e->before : e->place);
        all = all && load && !load->traps;
    }
    return all;
}

static const tirbi_ls *carry_in(carrier *c, tirbi_lx_pool *pool, const tirbi_ls *loop, purpose why) {
    const bool moving = why == IN_LANES || why == IN_COLUMNS || why == IN_ORDER;
    c->pool = pool;
    c->loop = loop;
    c->in_columns = why == IN_COLUMNS;
    c->own = (tirbi_loop_set){.var = {loop->as.loop.var}, .n = 1};
    const tirbi_ls *body = loop->as.loop.body, *rest = join_statements(c, body);
    if (!rest) return NULL;
    if (!tirbi_find_variables(&c->own, rest, TIRBI_STRAIGHT)) return NULL;
    c->branches = tirbi_has_kind(rest, TIRBI_KIND(IF));
    c->body = rest;
    tirbi_reached places[MAX_PLACES];
    tirbi_accesses all = {.item = places, .most = MAX_PLACES, .rules = TIRBI_TAKE_VIEWS};
    if (!tirbi_find_accesses(&all, rest)) return NULL;
    c->places = places;
    c->n_places = all.n;
    find_still(c);
    /* lanes bear no more */
    if (moving && tirbi_count_kind(rest, TIRBI_KIND(STORE)) <= MAX_WRITTEN) find_moving(c);
    c->failed = c->failed || !are_apart(c);
    if (c->graph) tirbi_forget_dependences(pool, c->graph);
    bool bounds = is_plain(loop->as.loop.var->min) && is_plain(loop->as.loop.var->extent);
    if (c->failed || (c->n == 0 && bounds && rest == body)) return NULL;
    if (why == IN_ORDER && !loads_at_no_risk(c)) return NULL;
    const tirbi_ls *items[3];
    uint32_t n = 0;
    if (!replace_variable(c, items, &n) || !store_apart(c)) return NULL;
    tirbi_rewrite rewrite = {.pool = pool, .replace = replace, .statement = replace_store, .context = c};
    tirbi_ls *fresh = tirbi_loop_like(c->pool, loop, c->fresh, tirbi_rewrite_stmt(&rewrite, rest));
    if (!fresh || c->failed) return NULL;
    fresh->as.loop.parallel = false; /* the loop itself was asked for chunks */
    const tirbi_ls *runs = run(pool, fresh, why);
    items[n] = runs ? surround(c, fresh, runs, why == HOLDING) : NULL;
    return tirbi_new_sequence(c->pool, c->loop->span, items, n + 1);
}

/* The loop with elements in variables. */
static const tirbi_ls *carry(tirbi_lx_pool *pool, const tirbi_ls *loop, purpose why) {
    carrier *c = TIRBI_NEW(pool->arena, carrier);
    const tirbi_ls *carried = c && !loop->as.loop.step ? carry_in(c, pool, loop, why) : NULL;
    TIRBI_GIVE_BACK(pool->arena, c);
    return carried;
}

const tirbi_ls *tirbi_carry_elements(tirbi_lx_pool *pool, const tirbi_ls *loop) { return carry(pool, loop, IN_LANES); }
const tirbi_ls *tirbi_carry_rows(tirbi_lx_pool *pool, const tirbi_ls *loop) { return carry(pool, loop, IN_COLUMNS); }
const tirbi_ls *tirbi_carry_in_order(tirbi_lx_pool *pool, const tirbi_ls *loop) { return carry(pool, loop, IN_ORDER); }
const tirbi_ls *tirbi_search_elements(tirbi_lx_pool *pool, const tirbi_ls *loop) { return carry(pool, loop, SEARCHED); }
const tirbi_ls *tirbi_hold_by_elements(tirbi_lx_pool *pool, const tirbi_ls *loop) { return carry(pool, loop, HOLDING); }
const tirbi_ls *tirbi_pack_by_elements(tirbi_lx_pool *pool, const tirbi_ls *loop) { return carry(pool, loop, PACKED); }
