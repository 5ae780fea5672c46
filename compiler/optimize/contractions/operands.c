/* What a nest computes again and again from memory that it leaves alone is computed by a nest of its own, into a
 * buffer: padded, scaled, gathered or dequantised operands of contractions and of sliding windows.
 *
 * The buffer has an axis for every loop that the operand depends on. Loops that it depends on in one proportion alone,
 * as on y and r by y + r and by 16 * y + x + 16 * r, are one axis together, whose elements are the values of that. Only
 * values that some iteration takes are computed: so nothing traps but what the nest itself would compute, and that runs
 * whole or not at all; but what else the nest may fail in comes first there. */
#include "compiler/optimize/contractions/operands.h"

#include <string.h>

#include "compiler/optimize/contractions/contract.h"
#include "compiler/optimize/contractions/distribute.h"
#include "compiler/optimize/contractions/operand.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/pipeline/switches.h"

enum { MAX_OPERANDS = 16, MAX_STORED = 16, MAX_SIZE = 400 };
/* Lanes compute what takes as long as a division (tirbi_lane_work) each time, unless it is used often. */
enum { LEAST_WORK = 16 };

/* ---- The nest ------------------------------------------------------------------------------------------------- */

/* Whether a statement is a nest that runs to its end, and what it writes. */
static bool survey(nest *n, const tirbi_ls *s) {
    tirbi_accesses all = {.rules = TIRBI_TAKE_VIEWS, .kinds = TIRBI_NESTS, .sets = &n->own};
    n->stmt = s;
    n->fails_alike = tirbi_fails_alike(s);
    return tirbi_find_accesses(&all, s) && tirbi_find_stored(&n->stored, s, MAX_STORED);
}

/* ---- The buffer ------------------------------------------------------------------------------------------------- */

/* The narrowest type that holds all values. */
static tirbi_dtype narrowest(const tirbi_lx *x) {
    if (x->type == TIRB_I64 && x->lo >= INT32_MIN && x->hi <= INT32_MAX) return TIRB_I32; /* as indices are */
    if (x->type != TIRB_I32 && x->type != TIRB_U32) return (tirbi_dtype)x->type;
    if (x->lo >= INT8_MIN && x->hi <= INT8_MAX) return TIRB_I8;
    if (x->lo >= 0 && x->hi <= UINT8_MAX) return TIRB_U8;
    return x->lo >= INT16_MIN && x->hi <= INT16_MAX ? TIRB_I16 : (tirbi_dtype)x->type;
}

static bool make_buffer(operand *o) {
    const nest *n = o->nest;
    const tirbi_lx **shape = TIRBI_NEW_ARRAY(n->pool->arena, const tirbi_lx *, o->n_axes);
    if (!shape) return false;
    for (uint32_t i = 0; i < o->n_axes; i++) shape[i] = o->axes[i].extent;
    const tirbi_dtype type = narrowest(o->value);
    o->buffer = tirbi_new_buffer(n->pool, "operand", type, o->n_axes, shape);
    if (o->buffer) o->buffer->holds = tirbi_dtype_is_int(type) ? o->value : NULL;
    return o->buffer != NULL;
}

/* The element that an iteration of the nest uses. */
static const tirbi_place *used_place(const operand *o, tirbi_span span) {
    const nest *n = o->nest;
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(n->pool->arena, const tirbi_lx *, o->n_axes);
    for (uint32_t a = 0; indices && a < o->n_axes; a++) {
        const tirbi_lx *at = o->axes[a].behind;
        for (uint32_t i = 0; i < o->loops.n && at; i++) {
            tirbi_lvar *loop = o->loops.var[i];
            if (o->axes[a].c[i] == 0) continue;
            const tirbi_lx *k =
                tirbi_lx_sub(n->pool, tirbi_lx_cast(n->pool, TIRB_I64, tirbi_lx_var(n->pool, loop)), loop->min);
            at = tirbi_lx_add(n->pool, at, tirbi_lx_mul(n->pool, k, tirbi_lx_number(n->pool, o->axes[a].c[i])));
        }
        indices[a] = at;
    }
    return tirbi_place_in(n->pool, o->buffer, indices, span);
}

/* ---- The nest that fills it ----------------------------------------------------------------------------------- */

static bool make_loops(operand *o) {
    const nest *n = o->nest;
    for (uint32_t a = 0; a < o->n_axes; a++) {
        if (o->leader) {
            o->axes[a].var = o->leader->axes[a].var;
            continue;
        }
        const tirbi_lx *extent = o->axes[a].extent;
        uint32_t i = 0;
        while (o->axes[a].c[i] == 0) i++;
        tirbi_dtype type = extent->hi <= INT32_MAX ? o->loops.var[i]->type : TIRB_I64;
        o->axes[a].var = tirbi_new_counter(n->pool, o->loops.var[i], type, extent);
        if (!o->axes[a].var) return false;
    }
    return true;
}

/* How many times an axis is in a form; false: its loops are there in another proportion. */
static bool find_times(const operand *o, const axis *a, const int64_t c[TIRBI_MAX_AFFINE], int64_t *times) {
    *times = 0;
    for (uint32_t i = 0; i < o->loops.n; i++) {
        if (a->c[i] != 0 && *times == 0) *times = c[i] / a->c[i];
        if (a->c[i] != 0 && c[i] != *times * a->c[i]) return false;
    }
    return true;
}

/* factor * (sum of c[i] * k_i) + start, as a value of the axes' variables modulo the type's range; NULL where it is
 * none, or its terms say it as well: loops that are axes each. */
static const tirbi_lx *sum_of_axes(tirbi_lx_pool *pool, const operand *o, tirbi_dtype type,
                                   const int64_t c[TIRBI_MAX_AFFINE], int64_t factor, const tirbi_lx *start) {
    const tirbi_lx *sum = NULL, *base = start;
    bool joins = false;
    uint32_t n = 0;
    for (uint32_t a = 0; a < o->n_axes; a++) {
        int64_t times;
        if (!find_times(o, &o->axes[a], c, &times)) return NULL;
        if (times == 0) continue;
        const tirbi_lx *scale = tirbi_lx_number(pool, factor * times);
        base = tirbi_lx_sub(pool, base, tirbi_lx_mul(pool, scale, o->axes[a].behind));
        const tirbi_lx *var = tirbi_lx_cast(pool, type, tirbi_lx_var(pool, o->axes[a].var));
        const tirbi_lx *product = tirbi_lx_binary(pool, TIRB_OP_MUL, type, var, tirbi_value_in_type(pool, type, scale));
        sum = n++ > 0 ? tirbi_lx_binary(pool, TIRB_OP_ADD, type, sum, product) : product;
        if (!sum || !base) return NULL;
        joins = joins || o->axes[a].n_loops > 1;
    }
    if (n == 0 || (n > 1 && !joins)) return NULL;
    return tirbi_lx_binary(pool, TIRB_OP_ADD, type, sum, tirbi_value_in_type(pool, type, base));
}

/* Writes values of forms by the variables of their axes. */
static const tirbi_lx *by_axes(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const operand *o = rewrite->context;
    tirbi_lx_pool *pool = rewrite->pool;
    int64_t c[TIRBI_MAX_AFFINE], factor;
    const tirbi_lx *start;
    if (x->kind == TIRBI_LX_LOAD) {
        const tirbi_lx **indices = TIRBI_NEW_ARRAY(pool->arena, const tirbi_lx *, x->access->ndim);
        for (uint32_t i = 0; indices && i < x->access->ndim; i++) {
            indices[i] = tirbi_rewrite_value(rewrite, x->access->indices[i]);
        }
        const tirbi_place *place = tirbi_place_in(o->nest->pool, x->access->buffer, indices, x->access->span);
        return tirbi_lx_load(pool, place);
    }
    return tirbi_operand_form(o, x, c, &factor, &start) ? sum_of_axes(pool, o, (tirbi_dtype)x->type, c, factor, start)
                                                        : NULL;
}

/* Stores an element; where the value is zero but under a condition, as that of padding is, only there: memory that is
 * allocated for it is zero anyway. */
static const tirbi_ls *new_store(const nest *n, const operand *o, const tirbi_lx **indices, const tirbi_lx *value,
                                 tirbi_span span) {
    const bool padded =
        value->kind == TIRBI_LX_COND && value->args[2]->kind == TIRBI_LX_CONST && value->args[2]->value == 0;
    const tirbi_lx *stored = tirbi_lx_cast(n->pool, o->buffer->type, padded ? value->args[1] : value);
    const tirbi_ls *store = tirbi_new_store(n->pool, span, tirbi_place_in(n->pool, o->buffer, indices, span), stored);
    return store && padded ? tirbi_new_if(n->pool, span, value->args[0], store, NULL) : store;
}

/* What fills it, with variables for its loops. */
static bool make_store(operand *o, tirbi_span span) {
    const nest *n = o->nest;
    if (!make_loops(o)) return false;
    tirbi_rewrite rewrite = {.pool = n->pool, .replace = by_axes, .context = o};
    const tirbi_lx *value = tirbi_rewrite_value(&rewrite, o->value);
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(n->pool->arena, const tirbi_lx *, o->n_axes);
    if (!value || !indices || tirbi_mentions_loops(value, &o->loops)) return false;
    for (uint32_t a = 0; a < o->n_axes; a++) {
        indices[a] = tirbi_lx_cast(n->pool, TIRB_I64, tirbi_lx_var(n->pool, o->axes[a].var));
    }
    o->store = new_store(n, o, indices, value, span);
    return o->store != NULL;
}

/* The loops over its axes. */
static const tirbi_ls *in_axes(const operand *o, const tirbi_ls *body) {
    for (uint32_t a = o->n_axes; body && a-- > 0;)
        body = tirbi_new_loop(o->nest->pool, o->store->span, o->axes[a].var, body);
    return body;
}

/* ---- Finding operands ----------------------------------------------------------------------------------------- */

typedef struct finder {
    nest nest;
    operand *found[MAX_OPERANDS];
    uint32_t n;
    tirbi_span span; /* of the statement whose value is looked at: what fails is told there */
} finder;

/* Loads that contractions and lanes take as they are. */
static bool is_plain(const nest *n, const tirbi_lx *x) {
    tirbi_affine form;
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST) x = x->args[0];
    if (x->kind == TIRBI_LX_CONST || x->kind == TIRBI_LX_VAR) return true;
    return x->kind == TIRBI_LX_LOAD && tirbi_affine_number(n->pool, x->access, &n->loops, &form);
}

static bool same_axes(const operand *a, const operand *b) {
    if (a->n_axes != b->n_axes || tirbi_dtypes[a->buffer->type].size != tirbi_dtypes[b->buffer->type].size)
        return false;
    for (uint32_t i = 0; i < a->n_axes; i++) {
        if (a->axes[i].extent != b->axes[i].extent || memcmp(a->axes[i].c, b->axes[i].c, sizeof(a->axes[i].c)) != 0)
            return false;
    }
    return true;
}

static const operand *leader_of(const finder *f, const operand *o) {
    for (uint32_t i = 0; i < f->n; i++) {
        const operand *other = f->found[i];
        bool same_loops = other->loops.n == o->loops.n;
        for (uint32_t k = 0; same_loops && k < o->loops.n; k++) same_loops = other->loops.var[k] == o->loops.var[k];
        if (!other->leader && same_loops && same_axes(other, o)) return other;
    }
    return NULL;
}

static bool make_operand(const finder *f, const tirbi_lx *x, tirbi_span span, operand *o) {
    *o = (operand){.nest = &f->nest, .value = x, .loops = f->nest.loops};
    if (!tirbi_operand_find_forms(o, x, true) || !tirbi_operand_find_forms(o, x, false) ||
        !tirbi_operand_make_axes(o) || !tirbi_operand_pays(o) || !tirbi_operand_has_room(o) || !make_buffer(o))
        return false;
    o->leader = leader_of(f, o);
    const tirbi_place *place = make_store(o, span) ? used_place(o, span) : NULL;
    if (place) o->in_place = tirbi_lx_cast(f->nest.pool, (tirbi_dtype)x->type, tirbi_lx_load(f->nest.pool, place));
    return place != NULL;
}

/* Replaces a value by an element of a buffer, where that pays. */
static const tirbi_lx *computed_before(finder *f, const tirbi_lx *x, tirbi_span span) {
    if (f->n == MAX_OPERANDS || x->size > MAX_SIZE ||
        (!f->nest.fails_alike && tirbi_any_expr(x, TIRBI_WALK_ALL, tirbi_fails_by_itself, NULL)) ||
        !tirbi_is_left_alone(x, &f->nest.stored, &f->nest.loops, &f->nest.own))
        return NULL;
    operand *o = TIRBI_NEW(f->nest.pool->arena, operand);
    if (!o) return NULL;
    if (!make_operand(f, x, span, o)) {
        TIRBI_GIVE_BACK(f->nest.pool->arena, o);
        return NULL;
    }
    f->found[f->n++] = o;
    return o->in_place;
}

static bool keeps_values(const tirbi_lx *cast) {
    const tirbi_dtype_info *to = &tirbi_dtypes[cast->type], *from = &tirbi_dtypes[cast->source];
    return from->bits <= to->bits && (from->class == to->class || to->class == 'F' || from->class == 'B');
}

static bool is_position(const nest *n, const tirbi_lx *x) {
    tirbi_affine form;
    return tirbi_mentions_loops(x, &n->loops) && tirbi_affine_modulo(n->pool, x, &n->loops, &form);
}

/* Whether integers are positions behind elements, as the rows of a crop whose corner is in memory. */
static bool counts_on(const nest *n, const tirbi_lx *x) {
    if (x->kind != TIRBI_LX_OP || !tirbi_dtype_is_int((tirbi_dtype)x->type)) return false;
    switch (x->op) {
    case TIRB_OP_CAST:
    case TIRB_OP_MUL:
        return counts_on(n, x->args[0]);
    case TIRB_OP_ADD:
    case TIRB_OP_SUB:
        return is_position(n, x->args[0]) || is_position(n, x->args[1]) || counts_on(n, x->args[0]) ||
               counts_on(n, x->args[1]);
    default:
        return false;
    }
}

/* Sums of indices are lanes' to make, from what there is of their terms. */
static bool is_sum_of_indices(const nest *n, const tirbi_lx *x) {
    if (x->kind != TIRBI_LX_OP || !tirbi_dtype_is_int((tirbi_dtype)x->type)) return false;
    const bool sums =
        x->op == TIRB_OP_ADD || x->op == TIRB_OP_SUB || (x->op == TIRB_OP_MUL && x->args[1]->kind == TIRBI_LX_CONST);
    return sums && (x->shared || (x->size <= MAX_SIZE && counts_on(n, x)));
}

/* Whether it takes longer to compute than to load: there is a float or a division in it. */
static bool is_dear(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_LOAD || tirbi_dtype_is_float((tirbi_dtype)x->type) ||
           (x->kind == TIRBI_LX_OP && x->op >= TIRB_OP_DIV && x->op <= TIRB_OP_FLOORMOD);
}

/* Whether lanes compute it for much longer than they load it: a quotient, a root, or another function. */
static bool takes_long(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_OP && !(x->op >= TIRB_OP_FLOOR && x->op <= TIRB_OP_ROUND) &&
           ((x->op >= TIRB_OP_DIV && x->op <= TIRB_OP_FLOORMOD) || x->op >= TIRB_OP_SQRT);
}

static const tirbi_lx *replace_operands(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    finder *f = rewrite->context;
    for (uint32_t i = 0; i < f->n; i++) {
        if (f->found[i]->value == x) return f->found[i]->in_place;
    }
    if (!tirbi_mentions_loops(x, &f->nest.loops) && x->shared) return x;
    if (is_plain(&f->nest, x)) return x;
    if (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && keeps_values(x))
        return NULL; /* what is converted is smaller */
    if (x->size <= MAX_SIZE && !tirbi_any_expr(x, 0, is_dear, NULL)) return x;
    if (f->nest.saves_work && !tirbi_any_expr(x, TIRBI_WALK_INDICES, takes_long, NULL)) return x;
    if (is_sum_of_indices(&f->nest, x)) return NULL;
    const tirbi_lx *element = computed_before(f, x, f->span);
    bool lazy = x->kind == TIRBI_LX_COND || x->kind == TIRBI_LX_AND || x->kind == TIRBI_LX_OR;
    return element || !lazy ? element : x; /* parts of it are computed in some iterations only */
}

/* ---- Nests with them -------------------------------------------------------------------------------------------- */

/* What is under a condition may not be computed before it. */
static const tirbi_ls *rebuild_stmt(tirbi_rewrite *rewrite, const tirbi_ls *s) {
    finder *f = rewrite->context;
    tirbi_loop_set *loops = &f->nest.loops;
    if (s->kind == TIRBI_LS_SEQ) return NULL;
    if (s->kind == TIRBI_LS_LOOP) {
        tirbi_lvar *var = s->as.loop.var;
        if (!tirbi_has_plain_bounds(var) || tirbi_mentions_loops(var->min, loops) ||
            tirbi_mentions_loops(var->extent, loops) || loops->n == TIRBI_MAX_AFFINE ||
            tirbi_mentions_loops(var->min, &f->nest.own) || tirbi_mentions_loops(var->extent, &f->nest.own))
            return s;
        loops->var[loops->n++] = var;
        const tirbi_ls *inside = tirbi_loop_like(rewrite->pool, s, NULL, tirbi_rewrite_stmt(rewrite, s->as.loop.body));
        loops->n--;
        return inside ? inside : s;
    }
    const tirbi_lx *old = s->kind == TIRBI_LS_STORE ? s->as.store.value
                          : s->kind == TIRBI_LS_SET ? s->as.set.value
                                                    : NULL;
    f->span = s->span;
    const tirbi_ls *copy =
        old && !old->shared ? tirbi_with_value(rewrite->pool, s, tirbi_rewrite_value(rewrite, old)) : NULL;
    return copy ? copy : s;
}

static const tirbi_ls *rebuild(finder *f, const tirbi_ls *s) {
    tirbi_rewrite rewrite = {
        .pool = f->nest.pool, .replace = replace_operands, .statement = rebuild_stmt, .context = f};
    const tirbi_ls *other = tirbi_rewrite_stmt(&rewrite, s);
    return other ? other : s;
}

/* Whether lanes have less of their own to do for each block with the operands in memory, in no more loops around. */
static bool do_less(const finder *f, const tirbi_ls *with, const tirbi_ls *without) {
    const tirbi_nest_cost less = tirbi_cost_of_nest(f->nest.pool, with),
                          more = tirbi_cost_of_nest(f->nest.pool, without);
    if (!less.lane || !more.lane || more.work < less.work + LEAST_WORK || less.outer > more.outer) return false;
    for (uint32_t i = 0; i < f->n; i++)
        for (uint32_t k = 0; k < f->found[i]->loops.n; k++)
            if (f->found[i]->loops.var[k] == more.lane && tirbi_operand_has_axis(f->found[i], k)) return true;
    return false;
}

/* Whether the nest with the operands in memory runs as what it would not run as without: as a contraction, as lanes, or
 * as lanes with more loops inside them, where these would else compute scalars for each round. */
static bool is_better(tirbi_lx_pool *pool, const tirbi_ls *with, const tirbi_ls *without, uint32_t disabled) {
    tirbi_nest before, after;
    if (!(disabled & TIRB_PASS_CONTRACT)) {
        if (tirbi_contracts(pool, without)) return false;
        if (tirbi_contracts(pool, with)) return true;
    }
    if (disabled & (TIRB_PASS_LANES | TIRB_PASS_INTERCHANGE)) return false;
    if (!tirbi_runs_as_lanes(pool, without)) return tirbi_runs_as_lanes(pool, with);
    return tirbi_plan_nest(pool, without, TIRBI_NEST_ANY, &before) && before.n_outer > 0 &&
           tirbi_plan_nest(pool, with, TIRBI_NEST_ANY, &after) && after.n_outer < before.n_outer;
}

/* Nothing is computed where some loop has no iterations. */
static const tirbi_lx *nonempty(const nest *n, const operand *o) {
    const tirbi_lx *all = NULL, *zero = tirbi_lx_number(n->pool, 0);
    for (uint32_t i = 0; i < o->loops.n && zero; i++) {
        if (o->loops.var[i]->extent->lo >= 1) continue;
        all = tirbi_operand_both(n, all, tirbi_lx_wide(n->pool, TIRB_OP_GT, o->loops.var[i]->extent, zero));
    }
    return all;
}

static const tirbi_ls *under(const nest *n, const tirbi_lx *condition, const tirbi_ls *yes, const tirbi_ls *no) {
    return condition && yes ? tirbi_new_if(n->pool, yes->span, condition, yes, no) : yes;
}

static void tell(const finder *f, const tirbi_ls *loop, tirbi_notes *notes) {
    for (uint32_t i = 0; notes && i < f->n; i++) {
        const operand *o = f->found[i];
        for (uint32_t a = 0; a < o->n_axes; a++) {
            tirbi_note_loop(
                notes, o->axes[a].var, loop->span, TIRB_FORM_OPERAND,
                "an operand of %u %s is computed once for each of its %s elements, before the loops that use it",
                o->n_axes, o->n_axes == 1 ? "axis" : "axes", tirbi_dtypes[o->buffer->type].name);
        }
    }
}

/* Appends what fills an operand, and those that it leads where one nest for all of them runs as lanes. */
static bool put_fill(const finder *f, const operand *o, const tirbi_ls **items, uint32_t *n_items) {
    tirbi_lx_pool *pool = f->nest.pool;
    const tirbi_ls *stores[MAX_OPERANDS];
    const tirbi_lx *runs = nonempty(&f->nest, o);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++)
        if (f->found[i] == o || f->found[i]->leader == o) stores[n++] = f->found[i]->store;
    const tirbi_ls *one = in_axes(o, tirbi_new_sequence(pool, o->store->span, stores, n));
    const bool together = n == 1 || (one && tirbi_runs_as_lanes(pool, one));
    for (uint32_t i = 0; i < (together ? 1 : n); i++) {
        items[*n_items] = under(&f->nest, runs, together ? one : in_axes(o, stores[i]), NULL);
        if (!items[(*n_items)++]) return false;
    }
    return true;
}

/* The nest with operands in place that it is better with; NULL: there are none. */
static const tirbi_ls *find_operands(finder *f, const tirbi_ls *loop, uint32_t disabled) {
    const tirbi_ls *user = rebuild(f, loop);
    if (f->n > 0 && is_better(f->nest.pool, user, loop, disabled)) return user;
    if (f->n == 0 && !tirbi_any_value(loop, TIRBI_WALK_INDICES, takes_long, NULL)) return NULL;
    if (disabled & (TIRB_PASS_LANES | TIRB_PASS_INTERCHANGE)) return NULL;
    if (!(disabled & TIRB_PASS_CONTRACT) && tirbi_contracts(f->nest.pool, loop)) return NULL;
    f->n = 0;
    f->nest.saves_work = true;
    user = rebuild(f, loop);
    return f->n > 0 && do_less(f, user, loop) ? user : NULL;
}

/* The nest with its operands before it; NULL where it stays as it is. */
static const tirbi_ls *put_operands(finder *f, const tirbi_ls *loop, uint32_t disabled, tirbi_notes *notes) {
    tirbi_lx_pool *pool = f->nest.pool;
    const tirbi_ls *items[2 * MAX_OPERANDS + 1];
    const tirbi_lx *condition = NULL;
    uint32_t n = 0;
    if (!survey(&f->nest, loop)) return NULL;
    const tirbi_ls *user = find_operands(f, loop, disabled);
    if (!user) return NULL;
    for (uint32_t i = 0; i < f->n; i++) {
        items[n++] = tirbi_new_alloc(pool, loop->span, f->found[i]->buffer);
        condition = tirbi_operand_both(&f->nest, condition, f->found[i]->condition);
    }
    for (uint32_t i = 0; i < f->n; i++)
        if (!f->found[i]->leader && !put_fill(f, f->found[i], items, &n)) return NULL;
    items[n++] = user;
    tell(f, loop, notes);
    return under(&f->nest, condition, tirbi_new_sequence(pool, loop->span, items, n), loop);
}

static const tirbi_ls *with_operands(tirbi_lx_pool *pool, const tirbi_ls *loop, uint32_t disabled, tirbi_notes *notes) {
    finder *f = TIRBI_NEW(pool->arena, finder);
    if (!f) return NULL;
    f->nest.pool = pool;
    const tirbi_ls *other = put_operands(f, loop, disabled, notes);
    TIRBI_GIVE_BACK(pool->arena, f);
    return other;
}

typedef struct nests {
    tirbi_lx_pool *pool;
    uint32_t disabled;
    tirbi_notes *notes;
} nests;

static const tirbi_ls *compute_all(void *context, const tirbi_ls *s) {
    const nests *all = context;
    if (s->kind == TIRBI_LS_LOOP && s->as.loop.rows) return s; /* a block of them has operands of its own (rows.c) */
    const bool tries = s->kind == TIRBI_LS_LOOP && tirbi_arena_may_try(all->pool->arena);
    const tirbi_ls *other = tries ? with_operands(all->pool, s, all->disabled, all->notes) : NULL;
    return other ? other : tirbi_replace_inside(all->pool, s, compute_all, context);
}

bool tirbi_contracts_operands(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    finder *f = TIRBI_NEW(pool->arena, finder);
    if (!f) return false;
    f->nest.pool = pool;
    const tirbi_ls *user = survey(&f->nest, loop) ? rebuild(f, loop) : loop;
    const bool contracts = f->n > 0 && tirbi_contracts(pool, user);
    TIRBI_GIVE_BACK(pool->arena, f);
    return contracts;
}

const tirbi_ls *tirbi_compute_operands(tirbi_lx_pool *pool, const tirbi_ls *s, uint32_t disabled, tirbi_notes *notes) {
    nests all = {.pool = pool, .disabled = disabled, .notes = notes};
    return compute_all(&all, s);
}
