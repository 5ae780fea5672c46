/* What inner loops of a lane loop do to memory: which elements stand still in them and are used as nothing else, so
 * that they can stay in lane values meanwhile. */
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/lanes/lane_planner.h"

bool tirbi_code_uses(const tirbi_ls *s, tirbi_lvar *const *vars, uint32_t n) {
    return !tirbi_is_made_of(s, TIRBI_STRAIGHT) || tirbi_names(s, vars, n);
}

/* Whether an access may be another element of the place's memory, in some iteration of the loops. */
static bool may_be_other(planner *p, const tirbi_place *access, const tirbi_place *place, const tirbi_loop_set *loops) {
    return tirbi_may_meet(access->buffer->root, place->buffer->root) && !tirbi_same_place(access, place) &&
           !tirbi_never_meet(p->pool, access, place, loops);
}

const promotion *tirbi_plan_promoted(planner *p, const tirbi_place *place) {
    for (uint32_t i = p->n_promoted; i-- > 0;) {
        const promotion *kept = &p->promoted[i];
        if (tirbi_same_place(kept->place, place) || tirbi_same_element(kept->place, place)) return kept;
        if (may_be_other(p, place, kept->place, &p->plan->loops))
            tirbi_plan_refuse(p, "an element of %s that it keeps may be another one as well", place->buffer->name);
    }
    return NULL;
}

static bool lx_mentions_place(const tirbi_lx *x, const tirbi_place *place, bool in_copy) {
    if (x->kind == TIRBI_LX_LOAD) return in_copy && tirbi_same_place(x->access, place);
    for (int i = 0; i < x->n_args; i++) {
        if (lx_mentions_place(x->args[i], place, in_copy && tirbi_is_choice(x) && i > 0)) return true;
    }
    return false;
}

static bool reads_other(planner *p, const tirbi_lx *x, const tirbi_place *place, const tirbi_loop_set *loops);

/* The same of what tells where an access is. */
static bool finds_by_other(planner *p, const tirbi_place *access, const tirbi_place *place,
                           const tirbi_loop_set *loops) {
    for (const tirbi_place *v = access; v; v = v->view) {
        if (tirbi_has_own_number(v) && reads_other(p, v->flat, place, loops)) return true;
        for (uint32_t d = 0; d < v->ndim; d++)
            if (reads_other(p, v->indices[d], place, loops)) return true;
    }
    return false;
}

static bool reads_other(planner *p, const tirbi_lx *x, const tirbi_place *place, const tirbi_loop_set *loops) {
    if (x->kind == TIRBI_LX_CALL) return true;
    if (x->kind == TIRBI_LX_LOAD)
        return may_be_other(p, x->access, place, loops) || finds_by_other(p, x->access, place, loops);
    for (int i = 0; i < x->n_args; i++) {
        if (reads_other(p, x->args[i], place, loops)) return true;
    }
    return false;
}

/* Whether a value that is stored may be a copy; of variables that the loop sets it is not known yet whether they
 * are. */
static bool is_copied(planner *p, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_VAR && !tirbi_plan_find_var(p, x->var)) return true;
    return tirbi_plan_is_copy(p, x) || (tirbi_is_choice(x) && (is_copied(p, x->args[1]) || is_copied(p, x->args[2])));
}

/* Whether within `s` the memory of a place is only ever used as this one element. `copied` becomes true where floats
 * are copied from it or to it. */
bool tirbi_plan_only_this(planner *p, const tirbi_ls *s, const tirbi_place *place, const tirbi_loop_set *loops,
                          unsigned *copied) {
    bool is_float = tirbi_dtype_is_float(place->buffer->type);
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) {
            if (!tirbi_plan_only_this(p, s->as.seq.items[i], place, loops, copied)) return false;
        }
        return true;
    case TIRBI_LS_LOOP: {
        tirbi_loop_set inside = *loops;
        if (inside.n == TIRBI_MAX_AFFINE) return false;
        inside.var[inside.n++] = s->as.loop.var;
        return tirbi_plan_only_this(p, s->as.loop.body, place, &inside, copied);
    }
    case TIRBI_LS_IF: /* what is not stored to keeps its bits */
        if (is_float) *copied |= TIRBI_STAYS;
        return !reads_other(p, s->as.if_.condition, place, loops) &&
               tirbi_plan_only_this(p, s->as.if_.then_case, place, loops, copied) &&
               (!s->as.if_.else_case || tirbi_plan_only_this(p, s->as.if_.else_case, place, loops, copied));
    case TIRBI_LS_SET:
        if (is_float && lx_mentions_place(s->as.set.value, place, true)) *copied |= TIRBI_IS_COPIED;
        return !reads_other(p, s->as.set.value, place, loops);
    case TIRBI_LS_STORE: {
        const tirbi_lx *value = s->as.store.value;
        bool own = tirbi_same_place(s->as.store.access, place);
        if (is_float && (own ? is_copied(p, value) : lx_mentions_place(value, place, true))) *copied |= TIRBI_IS_COPIED;
        return !reads_other(p, value, place, loops) && !may_be_other(p, s->as.store.access, place, loops) &&
               !finds_by_other(p, s->as.store.access, place, loops);
    }
    default: return false;
    }
}

/* The places that a loop's body stores to; those that it may never store to only where reaching them cannot fail. */
void tirbi_plan_find_stores(planner *p, const tirbi_ls *s, bool always, const tirbi_place **out, uint32_t *n) {
    if (s->kind == TIRBI_LS_SEQ) {
        for (uint32_t i = 0; i < s->as.seq.n; i++) tirbi_plan_find_stores(p, s->as.seq.items[i], always, out, n);
    } else if (s->kind == TIRBI_LS_LOOP) {
        tirbi_plan_find_stores(p, s->as.loop.body, always, out, n);
    } else if (s->kind == TIRBI_LS_IF) {
        tirbi_plan_find_stores(p, s->as.if_.then_case, false, out, n);
        if (s->as.if_.else_case) tirbi_plan_find_stores(p, s->as.if_.else_case, false, out, n);
    } else if (s->kind == TIRBI_LS_STORE && *n < MAX_PROMOTED) {
        for (uint32_t i = 0; i < *n; i++) {
            if (tirbi_same_place(out[i], s->as.store.access)) return;
        }
        const tirbi_lx *old = always ? NULL : tirbi_lx_load(p->pool, s->as.store.access);
        if (always || (old && !old->traps)) out[(*n)++] = s->as.store.access;
    }
}

/* Whether where loops are decides x, or what x loads. */
static bool follows_loops(const tirbi_lx *x, const tirbi_loop_set *loops) {
    if (x->pure) return tirbi_mentions_loops(x, loops);
    if (x->kind == TIRBI_LX_CALL) return true;
    for (const tirbi_place *v = x->kind == TIRBI_LX_LOAD ? x->access : NULL; v; v = v->view) {
        if (follows_loops(v->flat, loops) || tirbi_buffer_moves(v->buffer, loops)) return true;
    }
    for (int i = 0; i < x->n_args; i++) {
        if (follows_loops(x->args[i], loops)) return true;
    }
    return false;
}

static bool decides(const void *x, const tirbi_ls *s) {
    return s->kind == TIRBI_LS_SET && tirbi_lx_depends_on(x, s->as.set.var);
}

bool tirbi_plan_stands_still(const tirbi_place *place, const tirbi_ls *loop) {
    tirbi_loop_set inner = {.n = 0};
    if (!tirbi_find_loops(&inner, loop) || follows_loops(place->flat, &inner)) return false;
    return place->flat->kind == TIRBI_LX_CONST || !tirbi_any_stmt(loop->as.loop.body, decides, place->flat);
}

/* ---- Bits of floats ---------------------------------------------------------------------------------------------- */

/* Whether the bits of a variable can be told from a value; `bare`: where the value itself is seen. */
static bool value_shows(const tirbi_lx *x, const tirbi_lvar *var, bool bare) {
    if (x->kind == TIRBI_LX_VAR) return bare && x->var == var;
    if (x->kind == TIRBI_LX_CALL) return true;
    for (uint32_t d = 0; x->kind == TIRBI_LX_LOAD && d < x->access->ndim; d++) {
        if (value_shows(x->access->indices[d], var, false)) return true;
    }
    const bool bits = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_BITS;
    for (int i = 0; i < x->n_args; i++) {
        if (value_shows(x->args[i], var, bits || (tirbi_is_choice(x) && i > 0 && bare))) return true;
    }
    return false;
}

static tirbi_step find_shown(tirbi_walk *w, const tirbi_lx *x) {
    const tirbi_ls *s = w->at;
    const bool sets = s->kind == TIRBI_LS_SET && s->as.set.var != w->context;
    return value_shows(x, w->context, !w->indexes && (sets || s->kind == TIRBI_LS_STORE)) ? TIRBI_STOP : TIRBI_PAST;
}

bool tirbi_plan_shows_bits(const tirbi_ls *s, const tirbi_lvar *var) {
    tirbi_walk walk = {.context = (void *)(uintptr_t)var,
                       .expr = find_shown,
                       .kinds = TIRBI_NESTS | TIRBI_KIND(WHILE),
                       .reach = TIRBI_WALK_STORED | TIRBI_WALK_BOUNDS};
    return !tirbi_walk_stmt(&walk, s);
}
