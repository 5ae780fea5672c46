/* Statements of a lane loop's body: stores, variables, and conditions, which choose what is stored and set. */
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/lanes/lane_planner.h"
#include "compiler/optimize/rewriting/statements.h"

static bool remembered(const planner *p, uint16_t value) {
    for (uint32_t i = 0; i < p->n_memo; i++) {
        if (p->memo[i].value == value) return true;
    }
    for (uint32_t i = 0; i < p->n_vars; i++) {
        if (p->vars[i].value == value) return true;
    }
    return false;
}

/* Gives `to` the value: by the operation that made it where nothing else knows that, else by a move. */
static void move_to(planner *p, uint16_t to, uint16_t value, tirbi_dtype type, uint32_t n_before) {
    if (p->failed || to == value) return;
    tirbi_lane_op *last = p->plan->n_ops ? &p->plan->ops[p->plan->n_ops - 1] : NULL;
    if (last && last->to == value && value >= n_before && !remembered(p, value)) {
        last->to = to;
        return;
    }
    tirbi_lane_op *o = tirbi_plan_op(p, TIRB_OP_VMOV, type);
    o->to = to;
    o->from[0] = value;
}

static void plan_store(planner *p, const tirbi_place *place, const tirbi_lx *value) {
    tirbi_dtype type = place->buffer->type;
    if (!value || value->type != type) {
        tirbi_plan_fail(p);
        return;
    }
    const promotion *kept = tirbi_plan_promoted(p, place);
    if (p->failed) return;
    if (kept) {
        const promotion to = *kept;
        uint32_t before = p->n_values;
        uint16_t v = to.raw ? tirbi_plan_raw(p, value) : tirbi_plan_value(p, value);
        move_to(p, to.value, v, to.raw ? tirbi_plan_raw_type(type) : type, before);
        return;
    }
    if (p->sequences && ((p->n_own > 0 && !tirbi_plan_is_proven(place)) || !tirbi_plan_moves_alike(p, place))) {
        tirbi_plan_scatter(p, place, value);
        return;
    }
    bool raw = tirbi_plan_is_copy(p, value);
    tirbi_dtype as = raw ? tirbi_plan_raw_type(type) : type;
    uint16_t v = raw ? tirbi_plan_raw(p, value) : tirbi_plan_value(p, value);
    uint8_t cursor = tirbi_plan_cursor(p, place, as, true);
    if (p->failed) return;
    tirbi_lane_op *o = tirbi_plan_op(p, TIRB_OP_VSTORE, as);
    o->cursor = cursor;
    o->from[0] = v;
    tirbi_plan_forget_loads(p, place->buffer->root);
    if (!tirbi_plan_is_assigned(p, v))
        tirbi_plan_remember(p, NULL, cursor, false, v); /* else it may be another one at the next load */
}

bool tirbi_plan_add_var(planner *p, lane_var var) {
    if (p->n_vars == MAX_VARS) {
        tirbi_plan_refuse(p, "its body has more than %d variables", MAX_VARS);
        return false;
    }
    var.depth = (uint8_t)p->n_path;
    p->vars[p->n_vars++] = var;
    return true;
}

typedef struct copy_of {
    planner *p;
    const tirbi_lvar *var;
} copy_of;

static bool sets_copy(const void *context, const tirbi_ls *s) {
    const copy_of *c = context;
    return s->kind == TIRBI_LS_SET && s->as.set.var == c->var && tirbi_plan_is_copy(c->p, s->as.set.value);
}

/* Whether a variable passes on a float as it is, in the body or in what stands for a loop of it. */
static bool passes_copy(planner *p, const tirbi_lvar *var) {
    const copy_of copy = {p, var};
    const tirbi_ls *in[] = {p->body, p->single};
    bool sets = false, shows = false;
    for (int i = 0; i < 2 && tirbi_dtype_is_float(var->type); i++) {
        if (!in[i]) continue;
        sets = sets || tirbi_any_stmt(in[i], sets_copy, &copy);
        shows = shows || tirbi_plan_shows_bits(in[i], var);
    }
    return sets && shows;
}

void tirbi_plan_set(planner *p, tirbi_lvar *var, const tirbi_lx *value, bool declares) {
    lane_var *known = tirbi_plan_find_var(p, var);
    if (!value) {
        tirbi_plan_fail(p);
        return;
    }
    if (tirbi_plan_is_carried(p, var)) {
        if (!known) tirbi_plan_carry(p, var, value, NULL);
        if (!known || tirbi_plan_is_done(p, var)) return;
    }
    if (!known && !declares) { /* a variable from outside would carry a value from lane to lane */
        tirbi_plan_refuse(p, "%s is carried from one iteration to the next", var->name);
        return;
    }
    if (!known && var->kind == TIRBI_LVAR_LOOP && value->kind == TIRBI_LX_VAR && tirbi_plan_is_done(p, value->var)) {
        uint16_t same = tirbi_plan_value(p, value); /* another name, for neither is set again */
        if (!p->failed) tirbi_plan_add_var(p, (lane_var){.var = var, .value = same});
        return;
    }
    if (!known) {
        const bool raw = passes_copy(p, var);
        uint16_t fresh = tirbi_plan_new_value(p);
        uint32_t before = p->n_values;
        uint16_t v = raw ? tirbi_plan_raw(p, value) : tirbi_plan_value(p, value);
        move_to(p, fresh, v, raw ? tirbi_plan_raw_type(var->type) : var->type, before);
        tirbi_plan_add_var(p, (lane_var){.var = var, .value = fresh, .raw = raw});
        return;
    }
    /* Outside of loops in which it does not begin the variable has another value from here on: what each operation
     * gives is known then. */
    const uint16_t to = p->n_path > known->depth || p->n_own > 0 ? known->value : tirbi_plan_new_value(p);
    const uint32_t before = p->n_values;
    const uint16_t v = known->raw ? tirbi_plan_raw(p, value) : tirbi_plan_value(p, value);
    move_to(p, to, v, known->raw ? tirbi_plan_raw_type(var->type) : var->type, before);
    known = tirbi_plan_find_var(p, var);
    if (known) known->value = to;
}

const tirbi_lx *tirbi_plan_as_variable(planner *p, const tirbi_lx *condition) {
    if (condition->pure) return condition;
    tirbi_lvar *var = tirbi_new_variable(p->pool, TIRBI_LVAR_LET, "condition", TIRB_BOOL, 0, 1, (tirbi_span){0});
    if (!var) {
        tirbi_plan_fail(p);
        return NULL;
    }
    tirbi_plan_set(p, var, condition, true);
    return tirbi_lx_var(p->pool, var);
}

/* A condition is evaluated once: what the stores behind it change does not change it. */
static const tirbi_lx *keep_condition(planner *p, const tirbi_lx *condition) {
    if (!condition || (condition->traps && !p->sequences)) {
        tirbi_plan_refuse(p, "a condition in it may fail, as an index or a division can");
        return NULL;
    }
    return tirbi_plan_as_variable(p, condition);
}

static const tirbi_lx *negated(planner *p, const tirbi_lx *condition) { return tirbi_lx_not(p->pool, condition); }

/* A loop of so many iterations may run for all lanes though only some come to it. */
enum { SHORT_LOOP = 8 };

/* A conditional store writes what was there where the condition does not hold; the place must be proven. */
static void plan_guarded(planner *p, const tirbi_ls *s, const tirbi_lx *condition) {
    if (p->failed) return;
    p->span = s->span;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) plan_guarded(p, s->as.seq.items[i], condition);
        return;
    case TIRBI_LS_STORE: {
        const tirbi_place *place = p->sequences ? tirbi_plan_checked(p, s->as.store.access) : NULL;
        if (!place) place = s->as.store.access;
        const tirbi_lx *old = tirbi_lx_load(p->pool, place), *value = s->as.store.value;
        const bool may_trap = old && old->traps && place == s->as.store.access;
        if (!old || may_trap || (value->traps && !p->sequences)) break;
        plan_store(p, place, tirbi_lx_lazy(p->pool, TIRBI_LX_COND, condition, value, old));
        return;
    }
    case TIRBI_LS_SET:
        if (s->as.set.value->traps && !p->sequences) break;
        if (s->as.set.declares) { /* what the other lanes have for it is not looked at */
            const tirbi_lx *value = s->as.set.value;
            const tirbi_lx *none = value->traps ? tirbi_lx_bits(p->pool, (tirbi_dtype)value->type, 0) : NULL;
            if (none) value = tirbi_lx_lazy(p->pool, TIRBI_LX_COND, condition, value, none);
            tirbi_plan_set(p, s->as.set.var, value, true);
            return;
        }
        if (!tirbi_plan_find_var(p, s->as.set.var)) {
            if (s->as.set.value->traps || !tirbi_plan_is_carried(p, s->as.set.var)) break;
            tirbi_plan_carry(p, s->as.set.var, s->as.set.value, condition);
            return;
        }
        tirbi_plan_set(
            p, s->as.set.var,
            tirbi_lx_lazy(p->pool, TIRBI_LX_COND, condition, s->as.set.value, tirbi_lx_var(p->pool, s->as.set.var)),
            false);
        return;
    case TIRBI_LS_IF: {
        const tirbi_lx *own = s->as.if_.condition;
        if (own->traps && p->sequences) own = tirbi_plan_guard(p, condition, own);
        own = keep_condition(p, own);
        if (!own) return;
        plan_guarded(p, s->as.if_.then_case, tirbi_lx_lazy(p->pool, TIRBI_LX_AND, condition, own, NULL));
        if (s->as.if_.else_case) {
            own = negated(p, own);
            plan_guarded(p, s->as.if_.else_case, tirbi_lx_lazy(p->pool, TIRBI_LX_AND, condition, own, NULL));
        }
        return;
    }
    case TIRBI_LS_LOOP: { /* each of its rounds asks for the condition */
        tirbi_ls *inside = tirbi_new_stmt(p->pool, TIRBI_LS_IF, s->span), *loop = TIRBI_NEW(p->pool->arena, tirbi_ls);
        if (!tirbi_has_plain_bounds(s->as.loop.var) || s->as.loop.var->extent->hi > SHORT_LOOP) break;
        if (!inside || !loop) {
            tirbi_plan_fail(p);
            return;
        }
        inside->as.if_.condition = condition;
        inside->as.if_.then_case = s->as.loop.body;
        *loop = *s;
        loop->as.loop.body = inside;
        tirbi_plan_loop(p, loop);
        return;
    }
    case TIRBI_LS_BREAK: /* of the loop of a lane's own around it */
        if (p->n_own == 0) break;
        tirbi_plan_leave_unless(p, negated(p, condition));
        return;
    default:
        break;
    }
    tirbi_plan_refuse(p, "%s",
                      s->kind == TIRBI_LS_LOOP ? "a loop in it runs in some iterations only" : tirbi_plan_lazy_arm);
}

/* What a statement stores to a place, where that is all that it does, whatever its conditions are; NULL where it does
 * something else. */
static const tirbi_lx *stored_value(planner *p, const tirbi_ls *s, const tirbi_place *place) {
    s = tirbi_only_part(s);
    if (s->kind == TIRBI_LS_STORE) return tirbi_same_place(s->as.store.access, place) ? s->as.store.value : NULL;
    if (s->kind != TIRBI_LS_IF || !s->as.if_.else_case) return NULL;
    const tirbi_lx *yes = stored_value(p, s->as.if_.then_case, place),
                   *no = yes ? stored_value(p, s->as.if_.else_case, place) : NULL;
    return no ? tirbi_lx_lazy(p->pool, TIRBI_LX_COND, s->as.if_.condition, yes, no) : NULL;
}

/* What a statement sets a variable to, where that is all that it does; without an arm, what it was. */
static const tirbi_lx *set_value(planner *p, const tirbi_ls *s, tirbi_lvar *var) {
    s = tirbi_only_part(s);
    if (s->kind == TIRBI_LS_SET) return s->as.set.var == var && !s->as.set.declares ? s->as.set.value : NULL;
    if (s->kind != TIRBI_LS_IF) return NULL;
    const tirbi_ls *otherwise = s->as.if_.else_case;
    const tirbi_lx *yes = set_value(p, s->as.if_.then_case, var),
                   *no = !yes ? NULL : otherwise ? set_value(p, otherwise, var) : tirbi_lx_var(p->pool, var);
    return no ? tirbi_lx_lazy(p->pool, TIRBI_LX_COND, s->as.if_.condition, yes, no) : NULL;
}

/* A place that one branch or the other stores to, or a variable that it sets, and nothing else: one store of what is
 * chosen. */
static bool plan_choice(planner *p, const tirbi_ls *s) {
    const tirbi_ls *first = s;
    while ((first->kind == TIRBI_LS_SEQ && first->as.seq.n == 1) || first->kind == TIRBI_LS_IF)
        first = first->kind == TIRBI_LS_IF ? first->as.if_.then_case : first->as.seq.items[0];
    tirbi_lvar *var = first->kind == TIRBI_LS_SET ? first->as.set.var : NULL;
    const tirbi_lx *chosen = var && tirbi_plan_find_var(p, var) ? set_value(p, s, var) : NULL;
    if (chosen && !chosen->traps) {
        tirbi_plan_set(p, var, chosen, false);
        return true;
    }
    const tirbi_place *place = first->kind == TIRBI_LS_STORE ? first->as.store.access : NULL;
    const tirbi_lx *value = place ? stored_value(p, s, place) : NULL;
    if (!value || value->traps) return false;
    plan_store(p, place, value);
    return true;
}

static void plan_if(planner *p, const tirbi_ls *s) {
    if (plan_choice(p, s)) return;
    const tirbi_lx *condition = keep_condition(p, s->as.if_.condition);
    if (!condition) return;
    plan_guarded(p, s->as.if_.then_case, condition);
    if (!s->as.if_.else_case) return;
    plan_guarded(p, s->as.if_.else_case, negated(p, condition));
}

void tirbi_plan_stmt(planner *p, const tirbi_ls *s) {
    if (p->failed) return;
    p->span = s->span;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) tirbi_plan_stmt(p, s->as.seq.items[i]);
        return;
    case TIRBI_LS_STORE:
        plan_store(p, s->as.store.access, s->as.store.value);
        return;
    case TIRBI_LS_SET:
        tirbi_plan_set(p, s->as.set.var, s->as.set.value, s->as.set.declares);
        return;
    case TIRBI_LS_LOOP:
        tirbi_plan_loop(p, s);
        return;
    case TIRBI_LS_IF:
        plan_if(p, s);
        return;
    case TIRBI_LS_WHILE:
        tirbi_plan_while(p, s);
        return;
    case TIRBI_LS_ALLOC:
        tirbi_plan_refuse(p, "%s is allocated in it", s->as.alloc.buffer->name);
        return;
    case TIRBI_LS_TREE:
        tirbi_plan_refuse(p, "there is a tree reduction in it");
        return;
    case TIRBI_LS_EVAL:
        tirbi_plan_refuse(p, "it calls a function");
        return;
    case TIRBI_LS_ASSERT:
        tirbi_plan_refuse(p, "there is an assertion in it");
        return;
    default:
        tirbi_plan_refuse(p, "an iteration may leave it");
        return;
    }
}
