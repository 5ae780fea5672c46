/* What goes from lane to lane in a lane loop, in the order of its iterations: variables that are carried (vscan), and
 * stores to elements that iterations compute (vstorex, vupdate). And loads of such elements (vloadx), which need no
 * order, for nothing in the loop writes where they read: to that memory, or to that row of it. */
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/facts/live.h"
#include "compiler/optimize/facts/order.h"
#include "compiler/optimize/lanes/flatten.h"
#include "compiler/optimize/lanes/lane_planner.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "loader/isa/scans.h"

/* ---- Questions about expressions and statements ----------------------------------------------------------------- */

/* An element's number follows from its indices: looking into both would take twice as long at each level of loads in
 * indices. */
bool tirbi_same_element(const tirbi_place *a, const tirbi_place *b) {
    if (a->buffer != b->buffer || a->ndim != b->ndim || !a->view != !b->view) return false;
    for (uint32_t i = 0; i < a->ndim; i++) {
        if (!tirbi_same_value(a->indices[i], b->indices[i])) return false;
    }
    return !a->view || tirbi_same_element(a->view, b->view);
}

bool tirbi_same_value(const tirbi_lx *a, const tirbi_lx *b) {
    if (a == b) return true;
    if (a->kind != b->kind || a->type != b->type || a->n_args != b->n_args) return false;
    switch (a->kind) {
    case TIRBI_LX_LOAD: return tirbi_same_element(a->access, b->access);
    case TIRBI_LX_OP:
        if (a->op != b->op || a->optype != b->optype || a->source != b->source) return false;
        break;
    case TIRBI_LX_COND:
    case TIRBI_LX_AND:
    case TIRBI_LX_OR: break;
    default: return false;
    }
    for (int i = 0; i < a->n_args; i++) {
        if (!tirbi_same_value(a->args[i], b->args[i])) return false;
    }
    return true;
}

typedef struct counted {
    const tirbi_lbuf *root;
    uint32_t n;
} counted;

static bool count_access(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    (void)load;
    counted *c = w->context;
    c->n += tirbi_may_meet(place->buffer->root, c->root);
    return true;
}

/* How often straight-line code and loops, or a value, access memory that may be a root's: each store and each load
 * counts. Others may do so many times. */
static uint32_t accesses(const tirbi_ls *s, const tirbi_lx *x, const tirbi_lbuf *root) {
    counted c = {.root = root};
    tirbi_walk walk = {.context = &c,
                       .expr = tirbi_stop_at_call,
                       .access = count_access,
                       .kinds = TIRBI_NESTS | TIRBI_KIND(WHILE),
                       .reach = TIRBI_WALK_PLACES | TIRBI_WALK_BOUNDS};
    return tirbi_walk_stmt(&walk, s) && tirbi_walk_expr(&walk, x) ? c.n : UINT16_MAX;
}

/* ---- Folds ------------------------------------------------------------------------------------------------------ */

/* One operation on a running value: op(running, value), or with `factor` a fused one. */
typedef struct step {
    uint8_t n; /* operand n of the instruction */
    const tirbi_lx *value, *factor;
} step;

enum { MAX_STEPS = TIRBI_MAX_SCAN_STEPS, MAX_OPERATIONS = 64 };

/* What becomes of a value in one iteration, step by step. */
typedef struct fold {
    step steps[MAX_STEPS];
    uint32_t n;
    bool copies; /* the last step may begin anew with what is copied by its bits */
} fold;

static bool is_wide(tirbi_dtype type) {
    return type == TIRB_F32 || type == TIRB_F64 || type == TIRB_I32 || type == TIRB_U32 || type == TIRB_I64 ||
           type == TIRB_U64;
}

/* The step that an operation is whose argument k holds the running value. */
static bool step_of(const tirbi_lx *x, int k, step *out) {
    bool commutes = true, swapped = k == 1;
    *out = (step){.value = x->args[k == 0]};
    switch (x->op) {
    case TIRB_OP_ADD: out->n = TIRBI_SCAN_ADD; break;
    case TIRB_OP_MUL: out->n = TIRBI_SCAN_MUL; break;
    case TIRB_OP_AND: out->n = TIRBI_SCAN_AND; break;
    case TIRB_OP_OR: out->n = TIRBI_SCAN_OR; break;
    case TIRB_OP_XOR: out->n = TIRBI_SCAN_XOR; break;
    case TIRB_OP_MIN: out->n = TIRBI_SCAN_MIN, commutes = tirbi_dtype_is_int((tirbi_dtype)x->type); break;
    case TIRB_OP_MAX: out->n = TIRBI_SCAN_MAX, commutes = tirbi_dtype_is_int((tirbi_dtype)x->type); break;
    case TIRB_OP_SUB: out->n = TIRBI_SCAN_SUB, commutes = false; break;
    case TIRB_OP_DIV:
        if (!tirbi_dtype_is_float((tirbi_dtype)x->type)) return false;
        out->n = TIRBI_SCAN_DIV, commutes = false;
        break;
    case TIRB_OP_FMA:
    case TIRB_OP_FMS:
    case TIRB_OP_FNMA:
        out->n = x->op == TIRB_OP_FMA ? TIRBI_SCAN_FMA : x->op == TIRB_OP_FMS ? TIRBI_SCAN_FMS : TIRBI_SCAN_FNMA;
        out->value = k == 2 ? x->args[0] : x->args[1 - k];
        out->factor = k == 2 ? x->args[1] : x->args[2];
        if (k < 2) out->n |= TIRBI_SCAN_SWAPPED;
        return true;
    default: return false;
    }
    if (!commutes && swapped) out->n |= TIRBI_SCAN_SWAPPED;
    return true;
}

/* Sums of integers wrap and may be taken in any order: (d + a) - b is d + (a - b). True where two steps became one. */
static bool merge_sums(tirbi_lx_pool *pool, step *last, const step *next) {
    enum { FROM = TIRBI_SCAN_SUB | TIRBI_SCAN_SWAPPED };
    tirbi_dtype type = (tirbi_dtype)next->value->type;
    const tirbi_lx *a = last->value, *b = next->value;
    bool from = last->n == FROM, minus = last->n == TIRBI_SCAN_SUB; /* the sum so far is d + a, d - a or a - d */
    if (last->n != TIRBI_SCAN_ADD && !from && !minus) return false;
    if (next->n != TIRBI_SCAN_ADD && next->n != FROM && next->n != TIRBI_SCAN_SUB) return false;
    bool reversed = next->n == FROM, subtracts = next->n == TIRBI_SCAN_SUB;
    /* The result as sign(d) d + sign(a) a + sign(b) b. */
    bool minus_d = from != reversed, minus_a = minus != reversed, minus_b = subtracts;
    const tirbi_lx *value;
    if (!minus_d && minus_a && minus_b) {
        value = tirbi_lx_binary(pool, TIRB_OP_ADD, type, a, b);
        *last = (step){.n = TIRBI_SCAN_SUB, .value = value};
        return true;
    }
    if (minus_a && minus_b) return false;
    if (minus_a)
        value = tirbi_lx_binary(pool, TIRB_OP_SUB, type, b, a);
    else
        value = tirbi_lx_binary(pool, minus_b ? TIRB_OP_SUB : TIRB_OP_ADD, type, a, b);
    *last = (step){.n = minus_d ? FROM : TIRBI_SCAN_ADD, .value = value};
    return true;
}

static bool merge(tirbi_lx_pool *pool, step *last, const step *next) {
    tirbi_dtype type = (tirbi_dtype)next->value->type;
    if (!tirbi_dtype_is_int(type) || last->factor || next->factor) return false;
    if (merge_sums(pool, last, next)) return true;
    static const uint8_t ops[] = {[TIRBI_SCAN_MUL] = TIRB_OP_MUL, [TIRBI_SCAN_MIN] = TIRB_OP_MIN,
                                  [TIRBI_SCAN_MAX] = TIRB_OP_MAX, [TIRBI_SCAN_AND] = TIRB_OP_AND,
                                  [TIRBI_SCAN_OR] = TIRB_OP_OR,   [TIRBI_SCAN_XOR] = TIRB_OP_XOR};
    if (last->n != next->n || last->n >= sizeof(ops) || !ops[last->n]) return false;
    last->value = tirbi_lx_binary(pool, (tirbi_op)ops[last->n], type, last->value, next->value);
    return true;
}

static bool find_steps(tirbi_lx_pool *pool, const tirbi_lx *x, tirbi_lx_test *old, const void *context, unsigned depth,
                       fold *out);

/* Whether a float is one whose NaNs are canonical: of constants, none. */
static bool is_canonical(const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_CONST)
        return x->type == TIRB_F32 ? (x->value & INT32_MAX) <= INT32_C(0x7F800000)
                                   : (x->value & INT64_MAX) <= INT64_C(0x7FF0000000000000);
    return x->kind == TIRBI_LX_OP && x->n_args > 1 && x->op != TIRB_OP_SELECT;
}

/* The value that changes nothing in an integer's step; NULL when there is none. */
static const tirbi_lx *neutral(tirbi_lx_pool *pool, const step *s) {
    tirbi_dtype type = (tirbi_dtype)s->value->type;
    if (!tirbi_dtype_is_int(type)) return NULL;
    bool is_signed = tirbi_dtype_is_signed(type), is_long = tirbi_dtypes[type].bits == 64;
    switch (s->n) {
    case TIRBI_SCAN_ADD:
    case TIRBI_SCAN_SUB:
    case TIRBI_SCAN_OR:
    case TIRBI_SCAN_XOR: return tirbi_lx_int(pool, type, 0);
    case TIRBI_SCAN_MUL: return tirbi_lx_int(pool, type, 1);
    case TIRBI_SCAN_AND: return tirbi_lx_int(pool, type, is_signed || is_long ? INT64_C(-1) : (int64_t)UINT32_MAX);
    case TIRBI_SCAN_MIN: return is_signed ? tirbi_lx_int(pool, type, is_long ? INT64_MAX : INT32_MAX) : NULL;
    case TIRBI_SCAN_MAX: return tirbi_lx_int(pool, type, !is_signed ? 0 : is_long ? INT64_MIN : INT32_MIN);
    default: return NULL;
    }
}

/* A choice that takes one of these where x takes what its old value becomes, and else the other one. */
static const tirbi_lx *alike_choice(tirbi_lx_pool *pool, const tirbi_lx *x, int kept, const tirbi_lx *old,
                                    const tirbi_lx *other) {
    return old && other ? tirbi_lx_lazy(pool, TIRBI_LX_COND, x->args[0], kept == 1 ? old : other,
                                        kept == 1 ? other : old)
                        : NULL;
}

static bool is_limit(const step *s) { return s->n == TIRBI_SCAN_MIN || s->n == TIRBI_SCAN_MAX; }

/* Limits from both sides where x takes no old value, and that is `other` behind them: the first is there already. */
static bool limit_by_choice(tirbi_lx_pool *pool, const tirbi_lx *x, int kept, const tirbi_lx *other, uint32_t first,
                            fold *f) {
    step *limit = &f->steps[first];
    step more = {.n = limit->n == TIRBI_SCAN_MIN ? TIRBI_SCAN_MAX : TIRBI_SCAN_MIN, .value = other};
    if (f->n == MAX_STEPS || !other) return false;
    more.value = alike_choice(pool, x, kept, neutral(pool, &more), other);
    const tirbi_lx *value = alike_choice(pool, x, kept, limit->value, other);
    if (!more.value || !value) return false;
    limit->value = value;
    for (uint32_t i = f->n++; i > first + 1; i--) f->steps[i] = f->steps[i - 1];
    f->steps[first + 1] = more;
    return true;
}

/* Puts what a choice takes where it takes no old value into the last steps, if they can be made to give just that: a
 * product by 0 and what is added to it, or a limit from both sides, behind which something may be added. */
static bool choose_in_steps(tirbi_lx_pool *pool, const tirbi_lx *x, int kept, fold *f) {
    const tirbi_dtype type = (tirbi_dtype)x->type;
    const tirbi_lx *other = x->args[3 - kept], *zero = tirbi_lx_int(pool, type, 0);
    step *last = f->n > 0 ? &f->steps[f->n - 1] : NULL, *before = f->n > 1 ? last - 1 : NULL;
    if (!last || !zero) return false;
    if (last->n == TIRBI_SCAN_ADD && before && before->n == TIRBI_SCAN_MUL) {
        before->value = alike_choice(pool, x, kept, before->value, zero);
        last->value = alike_choice(pool, x, kept, last->value, other);
        return before->value && last->value;
    }
    if (last->n == TIRBI_SCAN_MUL && f->n < MAX_STEPS) {
        last->value = alike_choice(pool, x, kept, last->value, zero);
        f->steps[f->n] = (step){.n = TIRBI_SCAN_ADD, .value = alike_choice(pool, x, kept, zero, other)};
        return last->value && f->steps[f->n++].value;
    }
    if (before && is_limit(last)) return limit_by_choice(pool, x, kept, other, f->n - 1, f);
    if (last->n != TIRBI_SCAN_ADD || !before || !is_limit(before)) return false;
    other = tirbi_lx_binary(pool, TIRB_OP_SUB, type, other, last->value);
    return limit_by_choice(pool, x, kept, other, f->n - 2, f);
}

/* A choice between what the old value becomes and something else. Bits of integers can be masked out and put in, which
 * lanes do in any order; floats begin anew. */
static bool find_choice(tirbi_lx_pool *pool, const tirbi_lx *x, tirbi_lx_test *old, const void *context, unsigned depth,
                        fold *out) {
    const tirbi_dtype type = (tirbi_dtype)x->type;
    const tirbi_lx *c = x->args[0];
    const int kept = tirbi_count_expr(x->args[1], 0, old, context) > 0 ? 1 : 2;
    const bool is_float = tirbi_dtype_is_float(type);
    if (c->traps || x->args[1]->traps || x->args[2]->traps) return false;
    if (tirbi_count_expr(c, 0, old, context) > 0 || !find_steps(pool, x->args[kept], old, context, depth + 1, out))
        return false;
    if (is_float) {
        const tirbi_lx *keeps = kept == 1 ? c : tirbi_lx_opposite(pool, c);
        if (out->n == MAX_STEPS || (depth == 0 && out->n == 0)) return false;
        out->copies = depth == 0 && !is_canonical(x->args[3 - kept]);
        out->steps[out->n++] = (step){.n = TIRBI_SCAN_ANEW, .value = keeps, .factor = x->args[3 - kept]};
        return keeps != NULL;
    }
    if (choose_in_steps(pool, x, kept, out)) return true;
    const bool is_short = type == TIRB_U32;
    const tirbi_lx *zero = tirbi_lx_int(pool, type, 0),
                   *ones = tirbi_lx_int(pool, type, is_short ? (int64_t)UINT32_MAX : -1);
    if (out->n + 2 > MAX_STEPS || !zero || !ones) return false;
    const tirbi_lx *mask = tirbi_lx_lazy(pool, TIRBI_LX_COND, c, kept == 1 ? ones : zero, kept == 1 ? zero : ones);
    const tirbi_lx *other =
        tirbi_lx_lazy(pool, TIRBI_LX_COND, c, kept == 1 ? zero : x->args[1], kept == 1 ? x->args[2] : zero);
    out->steps[out->n++] = (step){.n = TIRBI_SCAN_AND, .value = mask};
    out->steps[out->n++] = (step){.n = TIRBI_SCAN_OR, .value = other};
    return mask && other;
}

/* How x comes from the one old value in it. */
static bool find_steps(tirbi_lx_pool *pool, const tirbi_lx *x, tirbi_lx_test *old, const void *context, unsigned depth,
                       fold *out) {
    if (old(context, x)) return true;
    if (tirbi_is_choice(x) && depth < MAX_OPERATIONS && is_wide((tirbi_dtype)x->type))
        return find_choice(pool, x, old, context, depth, out);
    if (depth == MAX_OPERATIONS || x->kind != TIRBI_LX_OP || !is_wide((tirbi_dtype)x->type) || x->optype != x->type ||
        x->n_args < 2) {
        return false;
    }
    step next;
    int k = 0;
    while (k < x->n_args && tirbi_count_expr(x->args[k], 0, old, context) == 0) k++;
    if (k == x->n_args || !find_steps(pool, x->args[k], old, context, depth + 1, out) || !step_of(x, k, &next))
        return false;
    if (out->n > 0 && merge(pool, &out->steps[out->n - 1], &next)) return out->steps[out->n - 1].value != NULL;
    if (out->n == MAX_STEPS) return false;
    out->steps[out->n++] = next;
    return true;
}

static bool find_fold(tirbi_lx_pool *pool, const tirbi_lx *x, tirbi_lx_test *old, const void *context, fold *out) {
    *out = (fold){.n = 0};
    return tirbi_count_expr(x, 0, old, context) == 1 && find_steps(pool, x, old, context, 0, out) && out->n > 0;
}

/* ---- Variables that are carried --------------------------------------------------------------------------------- */

static carried_var *find_carried(const planner *p, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < p->n_carried; i++) {
        if (p->carried[i].var == var) return (carried_var *)&p->carried[i];
    }
    return NULL;
}

static tirbi_step find_carried_in(tirbi_walk *w, const tirbi_ls *s) {
    planner *p = w->context;
    tirbi_lvar *var = s->kind == TIRBI_LS_SET ? s->as.set.var : NULL;
    if (!var || var->kind != TIRBI_LVAR_LOCAL) return TIRBI_INTO;
    carried_var *known = find_carried(p, var);
    if (!known) {
        if (p->n_carried == MAX_CARRIED) {
            tirbi_plan_refuse(p, "it sets more than %d variables", MAX_CARRIED);
            return TIRBI_STOP;
        }
        known = &p->carried[p->n_carried++];
        *known = (carried_var){.var = var};
    }
    /* One that begins in the body is not carried: it is set before everything else. */
    known->n_sets = s->as.set.declares ? UINT16_MAX : known->n_sets + 1;
    known->value = s->as.set.value;
    return TIRBI_INTO;
}

void tirbi_plan_find_carried(planner *p, const tirbi_ls *s) {
    tirbi_walk walk = {.context = p, .stmt = find_carried_in};
    tirbi_walk_stmt(&walk, s);
}

static bool begins_here(const carried_var *c) { return c->n_sets >= UINT16_MAX; }

bool tirbi_plan_is_carried(const planner *p, const tirbi_lvar *var) {
    const carried_var *c = find_carried(p, var);
    return c && !begins_here(c);
}

bool tirbi_plan_is_done(const planner *p, const tirbi_lvar *var) {
    const carried_var *c = find_carried(p, var);
    return c && c->done;
}

/* The fold that a carried variable is set to; nothing else in it may be the variable. */
static bool fold_of(planner *p, const carried_var *c, fold *out) {
    if (c->n_sets != 1 || !find_fold(p->pool, c->value, tirbi_is_var, c->var, out)) return false;
    for (uint32_t i = 0; i < out->n; i++) {
        const step *s = &out->steps[i];
        if (tirbi_lx_depends_on(s->value, c->var) || (s->factor && tirbi_lx_depends_on(s->factor, c->var)))
            return false;
    }
    return true;
}

/* A float as its lanes' bits are to be seen: NaNs that arithmetic makes are canonical. */
static uint16_t plan_bits(planner *p, const tirbi_lx *x) {
    const tirbi_dtype type = (tirbi_dtype)x->type;
    const uint16_t bits = tirbi_plan_raw(p, x);
    return p->failed ? TIRBI_NO_VALUE
                     : tirbi_plan_elementwise(p, TIRB_OP_BITS, type, tirbi_plan_raw_type(type), bits, TIRBI_NO_VALUE,
                                              TIRBI_NO_VALUE);
}

/* The steps of a scan, which is the last of them: their values first, for nothing may stand between them. Where a
 * condition is given the steps count in the lanes alone where it holds. */
static uint16_t put_scan(planner *p, const carried_var *c, const fold *f, const tirbi_lx *condition, unsigned how) {
    tirbi_dtype type = c->var->type;
    uint16_t values[MAX_STEPS], factors[MAX_STEPS];
    for (uint32_t i = 0; i < f->n; i++) {
        const tirbi_lx *factor = f->steps[i].factor;
        const bool shown = i + 1 == f->n && f->steps[i].n == TIRBI_SCAN_ANEW && (how & TIRBI_SCAN_BITS);
        values[i] = tirbi_plan_value(p, f->steps[i].value);
        factors[i] = !factor ? TIRBI_NO_VALUE : shown ? plan_bits(p, factor) : tirbi_plan_value(p, factor);
    }
    uint16_t choice = condition ? tirbi_plan_value(p, condition) : TIRBI_NO_VALUE;
    uint16_t to = tirbi_plan_new_value(p);
    if (p->failed) return TIRBI_NO_VALUE;
    tirbi_lane_op *o = NULL;
    for (uint32_t i = 0; i < f->n; i++) {
        const step *s = &f->steps[i];
        bool last = i + 1 == f->n && !condition;
        unsigned one = last ? (unsigned)TIRB_OP_VSCAN : (unsigned)TIRB_OP_VSTEP,
                 two = last ? TIRB_OP_VSCANMA : TIRB_OP_VSTEPMA;
        o = tirbi_plan_op(p, s->factor ? two : one, type);
        o->from[0] = values[i];
        o->from[1] = factors[i];
        o->fold = s->n;
    }
    if (condition) {
        o = tirbi_plan_op(p, TIRB_OP_VSCAN, type);
        o->from[0] = choice;
        o->fold = TIRBI_SCAN_WHERE;
    }
    o->to = to;
    o->carried = c->var;
    o->fold |= (uint8_t)how;
    return to;
}

/* Makes steps count only where a condition holds, by their values; false when these cannot do that. */
static bool choose_values(tirbi_lx_pool *pool, fold *f, const tirbi_lx *condition) {
    for (uint32_t i = 0; i < f->n; i++) {
        if (f->steps[i].factor || !neutral(pool, &f->steps[i])) return false;
    }
    for (uint32_t i = 0; i < f->n; i++) {
        step *s = &f->steps[i];
        s->value = tirbi_lx_lazy(pool, TIRBI_LX_COND, condition, s->value, neutral(pool, s));
    }
    return true;
}

void tirbi_plan_carry(planner *p, tirbi_lvar *var, const tirbi_lx *value, const tirbi_lx *condition) {
    carried_var *c = find_carried(p, var);
    fold f;
    if (!c || c->value != value || !fold_of(p, c, &f) || (condition && (f.n == MAX_STEPS || f.copies))) {
        tirbi_plan_refuse(p, "%s is carried from one iteration to the next", var->name);
        return;
    }
    if (p->n_path > 0 || p->n_own > 0) {
        tirbi_plan_refuse(p, "a loop in it carries %s", var->name);
        return;
    }
    if (condition && choose_values(p->pool, &f, condition)) condition = NULL;
    bool raw = (condition || f.copies) && tirbi_dtype_is_float(var->type); /* lanes see bits that are kept or copied */
    uint16_t to = put_scan(p, c, &f, condition, raw ? TIRBI_SCAN_BITS : 0);
    c->done = true;
    if (!p->failed) tirbi_plan_add_var(p, (lane_var){.var = var, .value = to, .raw = raw});
}

/* Whether a node of a value is not yet known as it will be at the assignment. */
static bool may_change(const void *context, const tirbi_lx *x) {
    planner *p = (planner *)(uintptr_t)context;
    if (x->kind == TIRBI_LX_VAR && x->var->kind != TIRBI_LVAR_LOOP) {
        const bool here = x->var->kind == TIRBI_LVAR_LET && !tirbi_is_live(p->pool, x->var);
        return find_carried(p, x->var) || (here && !tirbi_plan_find_var(p, x->var));
    }
    for (uint32_t i = 0; x->kind == TIRBI_LX_LOAD && i < p->n_written; i++)
        if (tirbi_may_meet(p->written[i]->buffer->root, x->access->buffer->root)) return true;
    return x->kind == TIRBI_LX_CALL;
}

/* Whether an expression has before the assignment the value that it has there: it loads nothing that the loop writes,
 * and all variables of the body in it are set. */
static bool is_settled(planner *p, const tirbi_lx *x) { return !tirbi_any_expr(x, TIRBI_WALK_INDICES, may_change, p); }

static bool settled_steps(planner *p, const fold *f) {
    for (uint32_t i = 0; i < f->n; i++) {
        const step *s = &f->steps[i];
        if (!is_settled(p, s->value) || (s->factor && !is_settled(p, s->factor))) return false;
    }
    return true;
}

/* Whether the variable is set by a statement of the body itself, and whether something behind that reads it. */
static bool set_at_top(const tirbi_ls *body, tirbi_lvar *var, bool *read_behind) {
    bool found = false;
    *read_behind = false;
    uint32_t n = body->kind == TIRBI_LS_SEQ ? body->as.seq.n : 1;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_ls *s = body->kind == TIRBI_LS_SEQ ? body->as.seq.items[i] : body;
        if (found)
            *read_behind = *read_behind || !tirbi_is_made_of(s, TIRBI_NESTS) || tirbi_names(s, &var, 1);
        else found = s->kind == TIRBI_LS_SET && s->as.set.var == var;
    }
    return found;
}

lane_var *tirbi_plan_carried_before(planner *p, tirbi_lvar *var) {
    carried_var *c = find_carried(p, var);
    fold f;
    bool read_behind;
    if (!c || !fold_of(p, c, &f) || p->n_path > 0 || p->n_own > 0 || !set_at_top(p->body, var, &read_behind) ||
        !settled_steps(p, &f)) {
        tirbi_plan_refuse(p, "%s is carried from one iteration to the next", var->name);
        return NULL;
    }
    bool raw = tirbi_dtype_is_float(var->type);
    uint16_t to =
        put_scan(p, c, &f, NULL, raw ? (unsigned)TIRBI_SCAN_BEFORE | TIRBI_SCAN_BITS : (unsigned)TIRBI_SCAN_BEFORE);
    c->done = !read_behind;
    if (p->failed || !tirbi_plan_add_var(p, (lane_var){.var = var, .value = to, .raw = raw})) return NULL;
    return tirbi_plan_find_var(p, var);
}

/* ---- Elements that lanes name ----------------------------------------------------------------------------------- */

bool tirbi_plan_is_proven(const tirbi_place *place) {
    for (const tirbi_place *v = place; v; v = v->view)
        if (!tirbi_is_proven(v)) return false;
    return tirbi_has_whole_extents(place->buffer);
}

const tirbi_lx *tirbi_plan_narrow(const tirbi_lx *x) {
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && x->type == TIRB_I64 &&
           tirbi_dtype_is_int((tirbi_dtype)x->source) && x->source != TIRB_U64) {
        x = x->args[0];
    }
    return x;
}

/* Checks the indices of a place that are not proven, lane by lane. */
static void check_indices(planner *p, const tirbi_place *place) {
    for (const tirbi_place *v = place; v; v = v->view) {
        for (uint32_t d = 0; d < v->ndim && !p->failed; d++) {
            const tirbi_lx *extent = v->buffer->shape[d], *index = tirbi_plan_narrow(v->indices[d]);
            if (tirbi_dim_proven(v, d)) continue;
            if (!extent->pure || extent->traps || !tirbi_plan_is_invariant(p, extent) || d >= TIRBI_INDEX_UNSIGNED) {
                tirbi_plan_refuse(p, "an index of %s cannot be checked in the loop", v->buffer->name);
                return;
            }
            uint16_t value = tirbi_plan_value(p, index);
            if (p->failed) return;
            const tirbi_lane_op check = {
                .op = TIRB_OP_VINDEX,
                .type = (uint8_t)index->type,
                .source = TIRB_TYPE_NONE,
                .from = {value, TIRBI_NO_VALUE, TIRBI_NO_VALUE},
                .scalar = extent,
                .fold = (uint8_t)(d + (tirbi_index_is_unsigned(index) ? TIRBI_INDEX_UNSIGNED : 0)),
            };
            if (tirbi_plan_find_same(p, &check)) continue;
            tirbi_lane_op *o = tirbi_plan_op(p, TIRB_OP_VINDEX, (tirbi_dtype)index->type);
            o->from[0] = value;
            o->scalar = extent;
            o->fold = check.fold;
            o->name = v->buffer->name;
        }
    }
}

/* Whether 32 bits count all elements of the memory of a buffer whose indices are right. */
static bool is_counted_in_i32(const tirbi_lbuf *b) {
    int64_t last = b->offset ? b->offset->hi : 0;
    if (b->offset && b->offset->lo < -INT32_MAX) return false; /* of a part of it, from which elements are counted */
    for (uint32_t d = 0; d < b->ndim; d++) {
        int64_t reach;
        if (b->strides[d]->lo < 0 || b->shape[d]->hi < 1) return false;
        if (__builtin_mul_overflow(b->shape[d]->hi - 1, b->strides[d]->hi, &reach) ||
            __builtin_add_overflow(last, reach, &last))
            return false;
    }
    return last <= INT32_MAX;
}

/* Whether lanes would have to make wide integers narrow, other than counters. */
static bool casts_lanes(planner *p, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && tirbi_dtypes[x->source].size > tirbi_dtypes[x->type].size)
        return x->args[0]->kind != TIRBI_LX_VAR && (!x->pure || !tirbi_plan_is_invariant(p, x));
    for (int i = 0; i < x->n_args; i++) {
        if (casts_lanes(p, x->args[i])) return true;
    }
    return false;
}

const tirbi_lx *tirbi_plan_in_32_bits(planner *p, const tirbi_lx *x) {
    if (x->type != TIRB_I64 || x->lo < INT32_MIN || x->hi > INT32_MAX) return NULL;
    const tirbi_lx *narrow = tirbi_value_in_type(p->pool, TIRB_I32, x);
    return narrow && !casts_lanes(p, narrow) ? narrow : NULL;
}

/* The number of an element whose indices have been checked, counted from there on, in as few bits as hold it where that
 * costs nothing. */
static const tirbi_lx *element_number(planner *p, const tirbi_place *place, const tirbi_lx *from) {
    const tirbi_lx *at = tirbi_plan_narrow(from ? tirbi_lx_sub(p->pool, place->flat, from) : place->flat);
    if (!at) return NULL;
    if (at->type != TIRB_I64 || !is_counted_in_i32(place->buffer)) return at;
    const tirbi_lx *narrow = tirbi_value_in_type(p->pool, TIRB_I32, at);
    return narrow && !casts_lanes(p, narrow) ? narrow : at;
}

static uint8_t indexed_cursor(planner *p, const tirbi_place *place, const tirbi_lane_part *part, tirbi_dtype type,
                              uint8_t access) {
    tirbi_lane_plan *plan = p->plan;
    for (uint32_t i = 0; i < plan->n_cursors; i++) {
        const tirbi_lane_cursor *c = &plan->cursors[i];
        if (c->level != TIRBI_LEVEL_INDEXED || c->place->buffer->root != place->buffer->root || c->type != type ||
            c->part.start != part->start || c->part.count != part->count)
            continue;
        if (access == TIRBI_READ && c->access == TIRBI_READ) return (uint8_t)i;
    }
    tirbi_lane_cursor *c = tirbi_plan_new_cursor(p);
    if (!c) return TIRBI_MAX_CURSORS;
    *c = (tirbi_lane_cursor){
        .place = place, .type = (uint8_t)type, .access = access, .level = TIRBI_LEVEL_INDEXED, .part = *part};
    c->form.start = tirbi_lx_number(p->pool, 0);
    return (uint8_t)(plan->n_cursors - 1);
}

/* How many of a place's first dimensions say alike for all iterations which row it is in. */
static uint32_t leading_dimensions(planner *p, const tirbi_place *place) {
    uint32_t n = 0;
    for (; n + 1 < place->ndim; n++) {
        const tirbi_lx *index = place->indices[n];
        if (!index->pure || index->traps || !tirbi_plan_is_invariant(p, index) || !tirbi_dim_proven(place, n)) break;
    }
    return n;
}

/* Whether what a loop stores to a place lies in other rows than those that these dimensions tell. */
static bool stores_to_other_rows(const planner *p, const tirbi_place *written, const tirbi_place *place, uint32_t n) {
    const tirbi_loop_set *loops = &p->plan->loops;
    if (written->buffer != place->buffer || written->view) return false;
    for (uint32_t d = 0; d < n; d++) {
        if (!tirbi_mentions_loops(written->indices[d], loops) &&
            tirbi_never_equal(written->indices[d], place->indices[d], loops))
            return true;
    }
    return false;
}

/* The part of its memory that a place lies in, whatever its last indices are, where the loop stores to other parts of
 * it; all of it where the loop stores to none. False: to what it may lie in. */
static bool find_part(planner *p, const tirbi_place *place, tirbi_lane_part *part) {
    const tirbi_lbuf *b = place->buffer;
    const uint32_t n = leading_dimensions(p, place);
    bool is_stored = false;
    *part = (tirbi_lane_part){.start = NULL};
    for (uint32_t i = 0; i < p->n_written; i++) {
        if (!tirbi_may_meet(p->written[i]->buffer->root, b->root)) continue;
        if (!p->pool->rows_apart || place->view || !stores_to_other_rows(p, p->written[i], place, n)) return false;
        is_stored = true;
    }
    if (!is_stored) return true;
    if (b->overlaps || b->broadcasts || tirbi_buffer_moves(b, &p->plan->loops) || !tirbi_is_compact(p->pool, b))
        return false;
    const tirbi_lx **first = TIRBI_NEW_ARRAY(p->pool->arena, const tirbi_lx *, b->ndim);
    for (uint32_t d = 0; first && d < b->ndim; d++)
        first[d] = d < n ? place->indices[d] : tirbi_lx_number(p->pool, 0);
    const tirbi_place *row = tirbi_place_in(p->pool, place->buffer, first, place->span);
    part->start = row ? row->flat : NULL;
    part->count = b->strides[n - 1];
    return part->start && part->count->pure && !part->count->traps;
}

uint16_t tirbi_plan_gather(planner *p, const tirbi_place *place, tirbi_dtype type) {
    tirbi_lane_part part;
    if (!find_part(p, place, &part))
        return tirbi_plan_refuse(p, "it reads and writes elements of %s that depend on the iteration",
                                 place->buffer->name);
    /* An index is looked at twice, and so is what names it: in all no more often than there may be operations. */
    if (p->n_named++ == MAX_OPS) return tirbi_plan_refuse(p, "its body has more than %d operations", MAX_OPS);
    place = tirbi_flatten_place(p->pool, place);
    p->failed = p->failed || !place;
    if (p->failed) return TIRBI_NO_VALUE;
    check_indices(p, place);
    const tirbi_lx *at = element_number(p, place, part.start);
    if (!at) return tirbi_plan_fail(p);
    uint16_t index = tirbi_plan_value(p, at);
    if (p->failed) return TIRBI_NO_VALUE;
    uint8_t cursor = indexed_cursor(p, place, &part, type, TIRBI_READ);
    const tirbi_lane_op load = {.op = TIRB_OP_VLOADX,
                                .type = (uint8_t)type,
                                .source = (uint8_t)at->type,
                                .cursor = cursor,
                                .from = {index, TIRBI_NO_VALUE, TIRBI_NO_VALUE}};
    const tirbi_lane_op *known = tirbi_plan_find_same(p, &load);
    if (known) return known->to;
    uint16_t to = tirbi_plan_new_value(p);
    if (p->failed) return TIRBI_NO_VALUE;
    tirbi_lane_op *o = tirbi_plan_op(p, TIRB_OP_VLOADX, type);
    o->to = to;
    o->cursor = cursor;
    o->from[0] = index;
    o->source = at->type;
    return to;
}

static bool is_load_of(const void *context, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_LOAD && tirbi_same_element(x->access, context);
}

void tirbi_plan_scatter(planner *p, const tirbi_place *place, const tirbi_lx *value) {
    const tirbi_lbuf *root = place->buffer->root;
    tirbi_dtype type = place->buffer->type;
    fold f;
    uint32_t n = accesses(p->body, NULL, root);
    bool updates = n == 2 && find_fold(p->pool, value, is_load_of, place, &f) && f.n == 1 &&
                   accesses(NULL, f.steps[0].value, root) == 0;
    const tirbi_lx *factor = updates ? f.steps[0].factor : NULL;
    if (factor && (accesses(NULL, factor, root) > 0 || (f.steps[0].n & TIRBI_SCAN_SWAPPED))) updates = false;
    if (p->n_path > 0 || p->n_own > 0 || (n != 1 && !updates)) {
        tirbi_plan_refuse(p, "it reads and writes elements of %s that depend on the iteration", place->buffer->name);
        return;
    }
    bool raw = !updates && tirbi_plan_is_copy(p, value);
    tirbi_dtype as = raw ? tirbi_dtype_of_bits(type) : type;
    place = tirbi_flatten_place(p->pool, place);
    p->failed = p->failed || !place;
    if (p->failed) return;
    const tirbi_lane_part all = {.start = NULL};
    const tirbi_lx *at = element_number(p, place, NULL);
    if (updates) check_indices(p, place); /* the load comes first */
    uint16_t v = raw ? tirbi_plan_raw(p, value) : tirbi_plan_value(p, updates ? f.steps[0].value : value);
    uint16_t by = updates && factor ? tirbi_plan_value(p, factor) : TIRBI_NO_VALUE;
    if (!updates) check_indices(p, place);
    uint16_t index = tirbi_plan_value(p, at);
    if (p->failed) return;
    uint8_t cursor = indexed_cursor(p, place, &all, as, updates ? TIRBI_READ | TIRBI_WRITE : TIRBI_WRITE);
    if (p->failed) return;
    tirbi_lane_op *o = tirbi_plan_op(p, !updates ? TIRB_OP_VSTOREX : factor ? TIRB_OP_VUPDATEMA : TIRB_OP_VUPDATE, as);
    o->cursor = cursor;
    o->from[0] = index;
    o->from[1] = v;
    o->from[2] = by;
    o->source = at->type;
    if (updates) o->fold = f.steps[0].n;
}

/* ---- Ranges that places are in ----------------------------------------------------------------------------------- */

/* The load of element row + 1 of a buffer, where x is that; the row's variable counts its elements. */
static const tirbi_place *end_of_range(const tirbi_lx *x, const tirbi_lvar **row) {
    if (x->kind != TIRBI_LX_LOAD || x->access->ndim != 1 || x->access->view) return NULL;
    const tirbi_lbuf *b = x->access->buffer;
    const tirbi_lx *index = tirbi_plan_narrow(x->access->indices[0]);
    bool is_plain = tirbi_has_whole_extents(b) && !b->fetched && !b->broadcasts && !b->overlaps &&
                    tirbi_dtype_is_int(b->type) && b->type != TIRB_U64;
    if (!is_plain || tirbi_plan_narrow(x->access->flat) != index) return NULL;
    if (index->kind != TIRBI_LX_OP || index->op != TIRB_OP_ADD || index->args[0]->kind != TIRBI_LX_VAR ||
        !tirbi_lx_is_int(index->args[1], 1)) {
        return NULL;
    }
    *row = index->args[0]->var;
    bool counts = (*row)->type == TIRB_I64 || ((*row)->type == TIRB_I32 && b->shape[0]->hi <= INT32_MAX);
    return counts && (*row)->kind == TIRBI_LVAR_LOCAL ? x->access : NULL;
}

bool tirbi_plan_advance(planner *p, const tirbi_ls *s) {
    const tirbi_lx *test = s->as.while_.condition;
    const tirbi_ls *body = s->as.while_.body;
    const tirbi_lvar *row, *lane = p->plan->loops.var[0];
    if (body->kind == TIRBI_LS_SEQ && body->as.seq.n == 1) body = body->as.seq.items[0];
    if (p->n_path > 0 || p->n_own > 0 || p->plan->loops.n != 1 || body->kind != TIRBI_LS_SET ||
        test->kind != TIRBI_LX_OP || (test->op != TIRB_OP_LE && test->op != TIRB_OP_GE) ||
        !tirbi_dtype_is_signed((tirbi_dtype)test->optype)) {
        return false;
    }
    const tirbi_lx *end = tirbi_plan_narrow(test->args[test->op == TIRB_OP_GE]),
                   *at = tirbi_plan_narrow(test->args[test->op == TIRB_OP_LE]);
    const tirbi_place *place = end_of_range(end, &row);
    carried_var *c = place ? find_carried(p, row) : NULL;
    fold f;
    if (!c || begins_here(c) || c->done || tirbi_plan_find_var(p, row) || at->kind != TIRBI_LX_VAR || at->var != lane ||
        body->as.set.var != row || !fold_of(p, c, &f) || f.n != 1 || f.steps[0].n != TIRBI_SCAN_ADD ||
        f.steps[0].factor || !tirbi_lx_is_int(f.steps[0].value, 1)) {
        return false;
    }
    for (uint32_t i = 0; i < p->n_written; i++) {
        if (tirbi_may_meet(p->written[i]->buffer->root, place->buffer->root)) return false;
    }
    const tirbi_lane_part all = {.start = NULL};
    uint8_t cursor = indexed_cursor(p, place, &all, place->buffer->type, TIRBI_READ);
    uint16_t to = tirbi_plan_new_value(p);
    if (p->failed) return true;
    tirbi_lane_op *o = tirbi_plan_op(p, TIRB_OP_VADVANCE, place->buffer->type);
    o->to = to;
    o->carried = c->var;
    o->cursor = cursor;
    o->scalar = lane->min;
    o->source = (uint8_t)row->type;
    c->done = true;
    tirbi_plan_add_var(p, (lane_var){.var = c->var, .value = to});
    return true;
}
