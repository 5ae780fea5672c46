/* Copies of function bodies in which indices and bounds are sums of int64 products. */
#include "compiler/optimize/normalise/versions.h"

#include <string.h>

#include "compiler/loop/exact.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/normalise/version_buffers.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "loader/base/checked.h"

enum { MAX_VARS = 4096 };

/* ---- Lists ------------------------------------------------------------------------------------------------------ */

bool tirbi_version_grow(tirbi_versions *v, void **items, uint32_t n, uint32_t *capacity, size_t size, uint32_t most) {
    if (n < *capacity) return true;
    const uint32_t more = *capacity ? 2 * *capacity : 16;
    void *fresh = n < most ? tirbi_arena_alloc(v->pool->arena, more, size) : NULL;
    if (!fresh) return v->refused = true, false;
    if (n) memcpy(fresh, *items, n * size);
    *items = fresh;
    *capacity = more;
    return true;
}

static bool add_var(tirbi_versions *v, const tirbi_lvar *from, tirbi_lvar *to, const tirbi_lx *value) {
    void *items = v->vars;
    if (!tirbi_version_grow(v, &items, v->n_vars, &v->var_capacity, sizeof(*v->vars), MAX_VARS)) return false;
    v->vars = items;
    v->vars[v->n_vars].from = from;
    v->vars[v->n_vars].to = to;
    v->vars[v->n_vars++].value = value;
    return true;
}

bool tirbi_version_rename(tirbi_versions *v, const tirbi_lvar *from, tirbi_lvar *to) {
    return add_var(v, from, to, NULL);
}

static uint32_t find_var(const tirbi_versions *v, const tirbi_lvar *var) {
    uint32_t i = v->n_vars;
    while (i > 0 && v->vars[i - 1].from != var) i--;
    return i;
}

tirbi_lvar *tirbi_version_variable(const tirbi_versions *v, const tirbi_lvar *var) {
    const uint32_t i = find_var(v, var);
    return i > 0 ? v->vars[i - 1].to : NULL;
}

static const tirbi_lx *value_of(void *context, const tirbi_lvar *var) {
    const tirbi_versions *v = context;
    if (var->kind != TIRBI_LVAR_LET) return NULL;
    const uint32_t i = find_var(v, var);
    return i > 0 ? v->vars[i - 1].value : NULL;
}

/* A variable that begins in the body: another one in its copy. */
static tirbi_lvar *fresh_var(tirbi_versions *v, const tirbi_lvar *old, const tirbi_lx *value) {
    const bool builds = v->phase == TIRBI_PHASE_BUILD;
    tirbi_lvar *var = builds ? TIRBI_NEW(v->pool->arena, tirbi_lvar) : (tirbi_lvar *)(uintptr_t)old;
    if (!var || !add_var(v, old, var, value)) return NULL;
    if (!builds) return var;
    *var = *old;
    var->id = 0;
    return var;
}

/* ---- Polynomials ------------------------------------------------------------------------------------------------ */

bool tirbi_version_assume(tirbi_versions *v, const tirbi_conditions *conditions) {
    for (uint32_t i = 0; i < conditions->n; i++) {
        bool known = false;
        for (uint32_t k = 0; k < v->n_lists && !known; k++)
            for (uint32_t j = 0; j < v->conditions[k].n && !known; j++)
                known = tirbi_poly_equal(&v->conditions[k].item[j], &conditions->item[i]);
        if (known) continue;
        tirbi_conditions *last = v->n_lists > 0 ? &v->conditions[v->n_lists - 1] : NULL;
        if (!last || last->n == TIRBI_MAX_ASSUMED) {
            if (v->n_lists == sizeof(v->conditions) / sizeof(*v->conditions)) return false;
            last = &v->conditions[v->n_lists++];
            last->n = 0;
        }
        last->item[last->n++] = conditions->item[i];
    }
    return true;
}

/* What a loop counts to whose variable is multiplied by a size: their product has to fit. */
static void take_counts(tirbi_versions *v, const tirbi_poly *last) {
    for (uint32_t i = 0; last && i < last->n; i++) {
        for (unsigned k = 0; k < last->term[i].of.degree; k++) {
            tirbi_symbol *s = &v->facts.symbols[last->term[i].of.symbol[k]];
            if (s->steady && s->hi > INT32_MAX && s->lo <= INT32_MAX) s->hi = INT32_MAX;
        }
    }
}

/* What is multiplied, and what a sum that is multiplied consists of, is no more than 32 bits hold. */
static void limit_factor(tirbi_versions *v, uint32_t symbol) {
    tirbi_symbol *s = &v->facts.symbols[symbol];
    if (s->hi > INT32_MAX && s->lo <= INT32_MAX) s->hi = INT32_MAX;
    for (uint32_t i = 0; s->means && i < s->means->n; i++) {
        for (unsigned k = 0; k < s->means->term[i].of.degree; k++) {
            tirbi_symbol *part = &v->facts.symbols[s->means->term[i].of.symbol[k]];
            if (part->lo < 0 && part->hi > 0) part->lo = 0;
            if (part->hi > INT32_MAX && part->lo <= INT32_MAX) part->hi = INT32_MAX;
        }
    }
}

/* What takes part in products is a size, and what is counted to is not negative. */
static void take_roles(tirbi_versions *v, const tirbi_poly *p, bool counts) {
    for (uint32_t i = 0; i < p->n; i++) {
        const tirbi_monomial *m = &p->term[i].of;
        bool varies = false;
        for (unsigned k = 0; k < m->degree; k++) varies = varies || !v->facts.symbols[m->symbol[k]].steady;
        for (unsigned k = 0; k < m->degree; k++) {
            tirbi_symbol *s = &v->facts.symbols[m->symbol[k]];
            if (!s->steady && m->degree > 1) take_counts(v, s->last);
            if (!s->steady || !(counts || (varies && m->degree > 1))) continue;
            if (s->lo < 0 && s->hi > 0) s->lo = 0;
            if (counts && s->hi > TIRBI_SANE_SIZE && s->lo <= 0) s->hi = TIRBI_SANE_SIZE;
            if (m->degree > 1) limit_factor(v, m->symbol[k]);
        }
    }
}

bool tirbi_version_linear(tirbi_versions *v, const tirbi_lx *x, tirbi_poly *out, tirbi_conditions *conditions) {
    const tirbi_linear_reader reader = {
        .facts = &v->facts, .value_of = value_of, .context = v, .ends = true, .loose = v->phase == TIRBI_PHASE_ROLES};
    /* Calls may do something else each time. */
    return !tirbi_any_expr(x, TIRBI_WALK_INDICES, tirbi_is_call, NULL) &&
           tirbi_read_linear(&reader, x, out, conditions);
}

/* Whether a polynomial is the same as long as the variables that it names are there. */
static bool stays(const tirbi_versions *v, const tirbi_poly *p) {
    for (uint32_t i = 0; i < p->n; i++)
        for (unsigned k = 0; k < p->term[i].of.degree; k++)
            if (!v->facts.symbols[p->term[i].of.symbol[k]].value->pure) return false;
    return true;
}

static const tirbi_lx *rename_symbol(void *context, const tirbi_lx *symbol) {
    return tirbi_version_of_value(context, symbol);
}

/* Whether all that is computed is int32, and comes to int32: then it is computed so, as programs write it. Products of
 * sizes are not expected to. */
static bool is_narrow(tirbi_versions *v, const tirbi_poly *p) {
    tirbi_conditions conditions = {.n = 0};
    for (uint32_t i = 0; i < p->n; i++) {
        unsigned sizes = 0;
        for (unsigned k = 0; k < p->term[i].of.degree; k++) {
            const tirbi_symbol *s = &v->facts.symbols[p->term[i].of.symbol[k]];
            if (s->value->type != TIRB_I32 || (s->steady && sizes++ > 0)) return false;
        }
    }
    return tirbi_exact_if(&v->facts, p, TIRB_I32, &conditions) && tirbi_version_assume(v, &conditions);
}

const tirbi_lx *tirbi_version_of_poly(tirbi_versions *v, const tirbi_poly *p) {
    const tirbi_dtype type = is_narrow(v, p) ? TIRB_I32 : TIRB_I64;
    const tirbi_lx *value = tirbi_linear_value(v->pool, type, &v->facts, p, rename_symbol, v);
    return tirbi_lx_cast(v->pool, TIRB_I64, value);
}

const tirbi_lx *tirbi_version_of_bound(tirbi_versions *v, const tirbi_lx *x, bool counts) {
    tirbi_conditions conditions = {.n = 0};
    tirbi_poly p;
    const bool linear = tirbi_version_linear(v, x, &p, &conditions);
    if (v->phase == TIRBI_PHASE_ROLES && linear) take_roles(v, &p, counts);
    if (v->phase != TIRBI_PHASE_BUILD) return x;
    if (!linear || !stays(v, &p) || !tirbi_version_assume(v, &conditions)) return tirbi_version_of_value(v, x);
    return tirbi_version_of_poly(v, &p);
}

bool tirbi_version_split(tirbi_versions *v) {
    for (uint32_t i = 0; i < v->split.n; i++) {
        tirbi_conditions conditions = {.n = 0};
        const tirbi_lx *x = v->split.value[i];
        tirbi_poly p;
        if (!tirbi_version_linear(v, x, &p, &conditions)) return false;
        if (v->phase == TIRBI_PHASE_ROLES) {
            take_roles(v, &p, true);
        } else if (!tirbi_exact_if(&v->facts, &p, (tirbi_dtype)x->type, &conditions) ||
                   !tirbi_not_negative_if(&v->facts, &p, &conditions) || !tirbi_version_assume(v, &conditions)) {
            return false;
        }
    }
    return true;
}

/* ---- Places ----------------------------------------------------------------------------------------------------- */

/* Whether the number of an element is nothing but the sum of its indices times strides. */
static bool is_plain(const tirbi_place *place) {
    const tirbi_lbuf *b = place->buffer;
    return !place->view && !b->source && !b->broadcasts && !b->overlaps && !b->resized && !b->local && !b->fetched &&
           b->ndim > 0;
}

/* How many dimensions a place has in this nest; 0: more than there may be. */
static uint32_t count_dimensions(tirbi_versions *v, const tirbi_place *place) {
    uint32_t n = 0;
    for (uint32_t d = 0; d < place->ndim; d++) {
        const tirbi_dimensions *in = tirbi_version_parts(v, place->buffer, d);
        n += in ? in->n : 1;
    }
    return n <= TIRBI_MAX_NDIM ? n : 0;
}

/* Whether something that is not a number multiplies what varies. */
static bool has_symbolic_step(const tirbi_versions *v, const tirbi_poly *p) {
    for (uint32_t i = 0; i < p->n; i++) {
        bool steady = false, varies = false;
        for (unsigned k = 0; k < p->term[i].of.degree; k++) {
            const bool is = v->facts.symbols[p->term[i].of.symbol[k]].steady;
            steady = steady || is;
            varies = varies || !is;
        }
        if (steady && varies) return true;
    }
    return false;
}

/* Takes note of one index of a place. */
static void look_at_index(tirbi_versions *v, const tirbi_place *place, uint32_t d) {
    tirbi_conditions conditions = {.n = 0};
    tirbi_poly index, extent;
    tirbi_dimension *dimension =
        v->phase == TIRBI_PHASE_ROLES ? NULL : tirbi_version_dimension(v, place->buffer, d, true);
    const bool linear = tirbi_version_linear(v, place->indices[d], &index, &conditions);
    if (v->phase == TIRBI_PHASE_ROLES) {
        if (linear) take_roles(v, &index, false);
        if (tirbi_version_linear(v, place->buffer->shape[d], &extent, &conditions)) take_roles(v, &extent, true);
    } else if (!dimension || !linear) {
        if (dimension) dimension->in.impossible = true;
    } else if (v->phase == TIRBI_PHASE_STRIDES) {
        tirbi_add_strides(&v->facts, &index, &dimension->in);
    } else if (!dimension->in.impossible) {
        tirbi_fit_index(&v->facts, &dimension->in, &index, place->guard == 0);
    }
}

/* An index to which all iterations come is inside, or the program fails: that is a condition as well. */
static void assume_inside(tirbi_versions *v, const tirbi_place *place, const tirbi_poly *index,
                          const tirbi_poly *extent) {
    tirbi_conditions conditions = {.n = 0};
    tirbi_poly room = *extent;
    if (place->guard == 0 && tirbi_exact_if(&v->facts, extent, TIRB_I64, &conditions) &&
        tirbi_poly_add_constant(&room, -1) && tirbi_poly_add(&room, index, -1) &&
        tirbi_not_negative_if(&v->facts, index, &conditions) && tirbi_not_negative_if(&v->facts, &room, &conditions))
        tirbi_version_assume(v, &conditions);
}

/* Whether an index adds to what a loop of too many iterations counts: behind the test that cannot wrap. */
static bool adds_to_counter(const tirbi_versions *v, const tirbi_poly *index) {
    for (uint32_t i = 0; index->n > 1 && i < index->n; i++)
        for (unsigned k = 0; k < index->term[i].of.degree; k++)
            if (v->facts.symbols[index->term[i].of.symbol[k]].value->hi > TIRBI_SANE_SIZE) return true;
    return false;
}

bool tirbi_version_mixes(const tirbi_lx *x) {
    if (x->kind != TIRBI_LX_OP) return false;
    if (x->op == TIRB_OP_CAST && x->type == TIRB_I32 && x->source == TIRB_I64) return !tirbi_keeps_value(x);
    for (int i = 0; i < x->n_args && tirbi_is_arithmetic(x); i++) {
        const tirbi_lx *a = x->args[i];
        if (a->kind == TIRBI_LX_OP && a->op == TIRB_OP_CAST && a->type == TIRB_I64 && a->source == TIRB_I32 &&
            tirbi_is_arithmetic(a->args[0]) && !tirbi_is_exact(a->args[0], NULL))
            return true;
    }
    return false;
}

/* Whether a value is a sum of multiples of loops' variables. */
static bool counts(const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_VAR) return x->var->kind == TIRBI_LVAR_LOOP;
    if (x->kind != TIRBI_LX_OP) return false;
    if (x->op == TIRB_OP_ADD || x->op == TIRB_OP_SUB)
        return (counts(x->args[0]) || x->args[0]->kind == TIRBI_LX_CONST) &&
               (counts(x->args[1]) || x->args[1]->kind == TIRBI_LX_CONST);
    return x->op == TIRB_OP_MUL && counts(x->args[0]) && x->args[1]->kind == TIRBI_LX_CONST;
}

/* Whether it is a sum that too many iterations may make wrap. */
static bool may_wrap(const tirbi_lx *x) {
    return x->kind == TIRBI_LX_OP && counts(x) && x->hi > TIRBI_SANE_SIZE;
}

enum { OF_COUNTERS = 1, OF_SIZES = 2, OF_OTHERS = 4 };

/* What a sum of multiples is made of, where it is no longer than indices are. */
static unsigned made_of(const tirbi_lx *x) {
    if (x->size > TIRBI_MAX_INDEX_SIZE) return OF_OTHERS;
    if (x->kind == TIRBI_LX_CONST) return 0;
    if (x->kind == TIRBI_LX_VAR)
        return x->var->kind == TIRBI_LVAR_LOOP ? OF_COUNTERS : x->var->kind == TIRBI_LVAR_PARAM ? OF_SIZES : OF_OTHERS;
    if (x->kind != TIRBI_LX_OP) return OF_OTHERS;
    if (x->op == TIRB_OP_ADD || x->op == TIRB_OP_SUB || x->op == TIRB_OP_MIN || x->op == TIRB_OP_MAX)
        return made_of(x->args[0]) | made_of(x->args[1]);
    return x->op == TIRB_OP_MUL && x->args[1]->kind == TIRBI_LX_CONST ? made_of(x->args[0]) : OF_OTHERS;
}

/* Whether counters of int32 are compared with sums of sizes, `i + r < n + 4`, which may wrap. */
static bool compares_sums(const tirbi_lx *x) {
    const unsigned first = made_of(x->args[0]), second = made_of(x->args[1]);
    return (first | second) == (OF_COUNTERS | OF_SIZES) &&
           (((first & OF_SIZES) && !tirbi_is_exact(x->args[0], NULL)) ||
            ((second & OF_SIZES) && !tirbi_is_exact(x->args[1], NULL)));
}

bool tirbi_version_compares(const tirbi_lx *x) {
    if (x->kind != TIRBI_LX_OP || (x->optype != TIRB_I64 && x->optype != TIRB_I32)) return false;
    const bool chooses = x->op == TIRB_OP_MIN || x->op == TIRB_OP_MAX;
    if (!chooses && tirbi_opposite(x->op) == TIRB_OP_NOP) return false;
    if (x->optype == TIRB_I32) return compares_sums(x);
    if (chooses) return may_wrap(x->args[0]) || may_wrap(x->args[1]);
    return counts(x->args[0]) && counts(x->args[1]) &&
           (x->args[0]->hi > TIRBI_SANE_SIZE || x->args[1]->hi > TIRBI_SANE_SIZE);
}

bool tirbi_version_goes_around(const tirbi_lx *x) {
    if (x->kind != TIRBI_LX_OP || x->op != TIRB_OP_FLOORMOD || !tirbi_is_arithmetic(x->args[0])) return false;
    const tirbi_lx *size = tirbi_lx_before_cast(x->args[1]);
    return size->kind == TIRBI_LX_VAR && size->var->kind == TIRBI_LVAR_PARAM && !tirbi_is_exact(x->args[0], NULL);
}

bool tirbi_version_divides(const tirbi_lx *x) {
    return tirbi_is_quotient_by_size(x) && x->args[1]->lo < 1;
}

/* Assumes that what divides is 1 at least, wherever the function is, and what follows from that for a quotient. */
static void assume_quotient(tirbi_versions *v, const tirbi_lx *x) {
    const uint32_t n_known = v->facts.n_known;
    tirbi_conditions conditions = {.n = 0}, more = {.n = 0};
    tirbi_poly p;
    if (v->phase == TIRBI_PHASE_ROLES) {
        if (tirbi_version_linear(v, x->args[0], &p, &conditions)) take_roles(v, &p, false);
        return;
    }
    v->facts.n_known = 0;
    const bool holds = tirbi_version_linear(v, x->args[1], &p, &conditions) && tirbi_poly_add_constant(&p, -1) &&
                       tirbi_not_negative_if(&v->facts, &p, &conditions) && tirbi_version_assume(v, &conditions);
    v->facts.n_known = n_known;
    if (!holds) return;
    if (tirbi_version_linear(v, x, &p, &more)) tirbi_version_assume(v, &more);
    v->gains++;
}

/* Assumes that a type holds the sums that the first n arguments are. */
static void assume_exact(tirbi_versions *v, const tirbi_lx *x, int n, tirbi_dtype type) {
    for (int i = 0; i < n; i++) {
        tirbi_conditions conditions = {.n = 0};
        tirbi_poly p;
        if (!tirbi_version_linear(v, x->args[i], &p, &conditions) ||
            !tirbi_exact_if(&v->facts, &p, type, &conditions) || !tirbi_version_assume(v, &conditions))
            return;
    }
    v->gains++;
}

static bool mixes(const tirbi_lx *x) {
    bool found = tirbi_version_mixes(x);
    for (int i = 0; x->kind == TIRBI_LX_OP && i < x->n_args && !found; i++) found = mixes(x->args[i]);
    return found;
}

/* The subscripts of a place in the copy, of which `indices` has room for as many as there may be. */
static bool fill_indices(tirbi_versions *v, const tirbi_place *place, const tirbi_lx **indices) {
    uint32_t n = 0;
    for (uint32_t d = 0; d < place->ndim; d++) {
        tirbi_conditions conditions = {.n = 0};
        tirbi_poly index, extent, parts[TIRBI_MAX_STRIDES];
        const tirbi_dimensions *in = tirbi_version_parts(v, place->buffer, d);
        const bool linear = tirbi_version_linear(v, place->indices[d], &index, &conditions);
        if (in) {
            if (!linear || !tirbi_exact_if(&v->facts, &in->extent, TIRB_I64, &conditions) ||
                !tirbi_subscripts_of(&v->facts, in, &index, parts, &conditions) ||
                !tirbi_version_assume(v, &conditions))
                return v->refused = true, false;
            for (uint32_t k = in->n; k-- > 0; n++)
                if (!(indices[n] = tirbi_version_of_poly(v, &parts[k]))) return false;
            assume_inside(v, place, &parts[in->n - 1], &in->size[in->n - 1]);
            v->gains++;
            continue;
        }
        const bool sum = linear && tirbi_version_assume(v, &conditions);
        if (sum && (has_symbolic_step(v, &index) || adds_to_counter(v, &index) || mixes(place->indices[d])))
            v->gains++;
        if (sum && tirbi_version_linear(v, place->buffer->shape[d], &extent, &conditions))
            assume_inside(v, place, &index, &extent);
        indices[n] = sum ? tirbi_version_of_poly(v, &index) : tirbi_version_of_value(v, place->indices[d]);
        if (!indices[n++]) return false;
    }
    return true;
}

/* A place that is left as it is, but for what its variables and buffers are called. */
static const tirbi_place *same_place(tirbi_versions *v, const tirbi_place *place) {
    tirbi_place *copy = TIRBI_NEW(v->pool->arena, tirbi_place);
    if (!copy) return NULL;
    *copy = *place;
    copy->buffer = tirbi_version_buffer(v, place->buffer);
    copy->indices = tirbi_version_of_values(v, place->indices, place->ndim, false);
    if (!copy->buffer || !copy->indices) return NULL;
    copy->flat = tirbi_has_own_number(place) ? tirbi_version_of_value(v, place->flat) : copy->indices[0];
    copy->view = place->view ? same_place(v, place->view) : NULL;
    return copy->flat && (copy->view || !place->view) ? copy : NULL;
}

static const tirbi_place *other_place(tirbi_versions *v, const tirbi_place *place) {
    if (v->phase != TIRBI_PHASE_BUILD) {
        for (uint32_t d = 0; d < place->ndim; d++) {
            tirbi_version_of_value(v, place->indices[d]);
            if (is_plain(place)) look_at_index(v, place, d);
        }
        return place;
    }
    const uint32_t n = is_plain(place) ? count_dimensions(v, place) : 0;
    if (n == 0) return same_place(v, place);
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(v->pool->arena, const tirbi_lx *, n);
    tirbi_lbuf *buffer =
        n > place->ndim ? tirbi_version_view(v, place->buffer) : tirbi_version_buffer(v, place->buffer);
    if (!indices || !buffer || !fill_indices(v, place, indices)) return NULL;
    tirbi_place *made = (tirbi_place *)(uintptr_t)tirbi_place_in(v->pool, buffer, indices, place->span);
    if (made) made->guard = place->guard;
    return made;
}

/* ---- Values ----------------------------------------------------------------------------------------------------- */

/* Takes note of what a comparison says where it holds. */
static void know_comparison(tirbi_versions *v, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    tirbi_conditions conditions = {.n = 0};
    tirbi_poly x, y, more;
    if (!tirbi_dtype_is_int((tirbi_dtype)a->type) || !tirbi_version_linear(v, a, &x, &conditions) ||
        !tirbi_version_linear(v, b, &y, &conditions) || !stays(v, &x) || !stays(v, &y) ||
        !tirbi_exact_if(&v->facts, &x, (tirbi_dtype)a->type, &conditions) ||
        !tirbi_exact_if(&v->facts, &y, (tirbi_dtype)b->type, &conditions) || !tirbi_version_assume(v, &conditions))
        return;
    more = y;
    if (!tirbi_poly_add(&more, &x, -1)) return;
    if ((op == TIRB_OP_LT && tirbi_poly_add_constant(&more, -1)) || op == TIRB_OP_LE || op == TIRB_OP_EQ)
        tirbi_know(&v->facts, &more);
    if (op == TIRB_OP_EQ) know_comparison(v, TIRB_OP_LE, b, a);
}

/* Takes note of what a condition says where it holds, or where it does not. */
static void know(tirbi_versions *v, const tirbi_lx *x, bool holds) {
    if (v->phase == TIRBI_PHASE_ROLES || x->type != TIRB_BOOL) return;
    const bool both = x->kind == TIRBI_LX_AND || (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_AND);
    const bool either = x->kind == TIRBI_LX_OR || (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_OR);
    if (both || either) {
        if (both != holds) return;
        know(v, x->args[0], holds);
        know(v, x->args[1], holds);
    } else if (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_NOT) {
        know(v, x->args[0], !holds);
    } else if (x->kind == TIRBI_LX_OP && x->n_args == 2) {
        const tirbi_op says = holds ? (tirbi_op)x->op : tirbi_opposite(x->op);
        const bool turned = says == TIRB_OP_GT || says == TIRB_OP_GE;
        const tirbi_op op = says == TIRB_OP_GT ? TIRB_OP_LT : says == TIRB_OP_GE ? TIRB_OP_LE : says;
        know_comparison(v, op, x->args[turned ? 1 : 0], x->args[turned ? 0 : 1]);
    }
}

static const tirbi_lx *other_call(tirbi_versions *v, const tirbi_lx *x) {
    if (x->call->n_refs > 0 || x->call->n_checks > 0) return v->refused = true, NULL;
    tirbi_lcall *call = TIRBI_NEW(v->pool->arena, tirbi_lcall);
    if (!call) return NULL;
    *call = *x->call;
    call->scalars = tirbi_version_of_values(v, x->call->scalars, x->call->n_scalars, false);
    return call->scalars ? tirbi_lx_call(v->pool, (tirbi_dtype)x->type, call) : NULL;
}

const tirbi_lx *tirbi_version_of_value(tirbi_versions *v, const tirbi_lx *x) {
    const uint32_t n_known = v->facts.n_known;
    const tirbi_lx *a[3] = {0};
    if (!tirbi_arena_work(v->pool->arena, 1)) return NULL;
    if (x->kind == TIRBI_LX_CONST) return x;
    if (x->kind == TIRBI_LX_VAR) {
        const uint32_t i = find_var(v, x->var);
        return i > 0 && v->vars[i - 1].to ? tirbi_lx_var(v->pool, v->vars[i - 1].to) : x;
    }
    if (x->kind == TIRBI_LX_CALL) return other_call(v, x);
    if (x->kind == TIRBI_LX_LOAD) {
        const tirbi_place *place = other_place(v, x->access);
        return v->phase != TIRBI_PHASE_BUILD ? x : place ? tirbi_lx_load(v->pool, place) : NULL;
    }
    for (int i = 0; i < x->n_args; i++) {
        if (i == 2 && x->kind == TIRBI_LX_COND) v->facts.n_known = n_known;
        const bool holds = x->kind == TIRBI_LX_AND || (x->kind == TIRBI_LX_COND && i == 1);
        if (i > 0 && x->kind != TIRBI_LX_OP) know(v, x->args[0], holds);
        a[i] = tirbi_version_of_value(v, x->args[i]);
        if (!a[i]) return NULL;
    }
    v->facts.n_known = n_known;
    if (v->phase != TIRBI_PHASE_ROLES && tirbi_version_compares(x)) assume_exact(v, x, 2, TIRB_I32);
    if (v->phase != TIRBI_PHASE_ROLES && tirbi_version_goes_around(x)) assume_exact(v, x, 1, (tirbi_dtype)x->type);
    if (tirbi_version_divides(x)) assume_quotient(v, x);
    if (v->phase != TIRBI_PHASE_BUILD) return x;
    if (x->kind != TIRBI_LX_OP) return tirbi_lx_lazy(v->pool, (tirbi_lx_kind)x->kind, a[0], a[1], a[2]);
    if (x->addend_first)
        return tirbi_lx_fused(v->pool, (tirbi_op)x->op, (tirbi_dtype)x->optype, a[0], a[1], a[2], true);
    return tirbi_lx_op(v->pool, (tirbi_op)x->op, (tirbi_dtype)x->optype, (tirbi_dtype)x->source, a[0], a[1], a[2]);
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

/* Bounds are int64, and have to be whole numbers there; before it is known which symbols are sizes nobody asks. */
static bool is_exact_bound(const tirbi_versions *v, const tirbi_poly *p, tirbi_conditions *conditions) {
    return v->phase == TIRBI_PHASE_ROLES || tirbi_exact_if(&v->facts, p, TIRB_I64, conditions);
}

/* What is known of a loop's bounds is known of its variable. */
static void narrow_range(tirbi_lvar *var) {
    int64_t last;
    if (var->min->lo > var->lo) var->lo = var->min->lo;
    if (tirbi_add_i64(var->min->hi, var->extent->hi, &last) && last > var->lo && last - 1 < var->hi) var->hi = last - 1;
}

/* Whether a loop counts to a product of int64 sizes: behind the test that cannot wrap. */
static bool counts_product(const tirbi_versions *v, const tirbi_poly *count) {
    for (uint32_t i = 0; i < count->n; i++)
        for (unsigned k = 0; count->term[i].of.degree > 1 && k < count->term[i].of.degree; k++)
            if (v->facts.symbols[count->term[i].of.symbol[k]].value->type == TIRB_I64) return true;
    return false;
}

/* The variable of a loop, whose values are known from here on as far as its bounds tell them. */
static tirbi_lvar *other_counter(tirbi_versions *v, const tirbi_lvar *old) {
    const tirbi_lx *min = tirbi_version_of_bound(v, old->min, false);
    const tirbi_lx *extent = tirbi_version_of_bound(v, old->extent, true);
    const tirbi_lx *below = old->below && v->phase == TIRBI_PHASE_BUILD ? tirbi_version_of_value(v, old->below) : NULL;
    tirbi_conditions conditions = {.n = 0};
    tirbi_poly first, count;
    if (!min || !extent) return NULL;
    const bool known = tirbi_version_linear(v, old->min, &first, &conditions) &&
                       tirbi_version_linear(v, old->extent, &count, &conditions) && stays(v, &first) &&
                       stays(v, &count) && is_exact_bound(v, &first, &conditions) &&
                       is_exact_bound(v, &count, &conditions) && tirbi_version_assume(v, &conditions);
    if (known && counts_product(v, &count)) v->gains++;
    tirbi_lvar *var = fresh_var(v, old, NULL);
    if (!var) return NULL;
    if (v->phase == TIRBI_PHASE_BUILD) {
        var->min = min;
        var->extent = extent;
        var->below = below;
        narrow_range(var);
    }
    const uint32_t symbol = tirbi_symbol_of(&v->facts, tirbi_lx_var(v->pool, (tirbi_lvar *)(uintptr_t)old));
    if (symbol != TIRBI_MAX_SYMBOLS && known) tirbi_bound_symbol(&v->facts, symbol, &first, &count);
    return var;
}

static void enter(tirbi_versions *v) {
    if (v->depth++ == 0) v->nest++;
}

static bool other_loop(tirbi_versions *v, const tirbi_ls *s, tirbi_ls *copy) {
    if (s->as.loop.blocks || s->as.loop.rows) return v->refused = true, false;
    if (s->as.loop.step) copy->as.loop.step = tirbi_version_of_bound(v, s->as.loop.step, true);
    enter(v);
    copy->as.loop.var = other_counter(v, s->as.loop.var);
    copy->as.loop.body = copy->as.loop.var ? tirbi_version_of(v, s->as.loop.body) : NULL;
    v->depth--;
    return copy->as.loop.body && (copy->as.loop.step || !s->as.loop.step);
}

static bool other_if(tirbi_versions *v, const tirbi_ls *s, tirbi_ls *copy) {
    const uint32_t n_known = v->facts.n_known;
    copy->as.if_.condition = tirbi_version_of_value(v, s->as.if_.condition);
    if (s->as.if_.n_first_of > 0) {
        tirbi_lvar **vars = TIRBI_NEW_ARRAY(v->pool->arena, tirbi_lvar *, s->as.if_.n_first_of);
        for (uint32_t i = 0; vars && i < s->as.if_.n_first_of; i++) {
            const uint32_t at = find_var(v, s->as.if_.first_of[i]);
            vars[i] = at > 0 ? v->vars[at - 1].to : s->as.if_.first_of[i];
        }
        if (!vars) return false;
        copy->as.if_.first_of = vars;
    }
    know(v, s->as.if_.condition, true);
    copy->as.if_.then_case = tirbi_version_of(v, s->as.if_.then_case);
    v->facts.n_known = n_known;
    if (s->as.if_.else_case) {
        know(v, s->as.if_.condition, false);
        copy->as.if_.else_case = tirbi_version_of(v, s->as.if_.else_case);
        v->facts.n_known = n_known;
    }
    return copy->as.if_.condition && copy->as.if_.then_case && (copy->as.if_.else_case || !s->as.if_.else_case);
}

static bool other_set(tirbi_versions *v, const tirbi_ls *s, tirbi_ls *copy) {
    const tirbi_lx *value = s->as.set.value;
    const bool once = s->as.set.var->kind == TIRBI_LVAR_LET && value && value->pure && !value->traps;
    if (value) copy->as.set.value = tirbi_version_of_value(v, value);
    if (s->as.set.declares) {
        copy->as.set.var = fresh_var(v, s->as.set.var, once ? value : NULL);
    } else {
        const uint32_t at = find_var(v, s->as.set.var);
        copy->as.set.var = at > 0 ? v->vars[at - 1].to : s->as.set.var;
    }
    return copy->as.set.var && (copy->as.set.value || !value);
}

static bool other_sequence(tirbi_versions *v, const tirbi_ls *s, tirbi_ls *copy) {
    const tirbi_ls **items = TIRBI_NEW_ARRAY(v->pool->arena, const tirbi_ls *, s->as.seq.n);
    for (uint32_t i = 0; items && i < s->as.seq.n; i++)
        if (!(items[i] = tirbi_version_of(v, s->as.seq.items[i]))) return false;
    copy->as.seq.items = items;
    return items != NULL;
}

static bool other_updates(tirbi_versions *v, const tirbi_ls *s, tirbi_update *updates) {
    for (uint32_t i = 0; i < s->as.tree.n_updates; i++) {
        const tirbi_update *old = &s->as.tree.updates[i];
        updates[i] = *old;
        updates[i].target = other_place(v, old->target);
        updates[i].value = tirbi_version_of_value(v, old->value);
        updates[i].factor = old->factor ? tirbi_version_of_value(v, old->factor) : NULL;
        if (!updates[i].target || !updates[i].value || (old->factor && !updates[i].factor)) return false;
    }
    return true;
}

static bool other_tree(tirbi_versions *v, const tirbi_ls *s, tirbi_ls *copy) {
    tirbi_lvar **loops = TIRBI_NEW_ARRAY(v->pool->arena, tirbi_lvar *, s->as.tree.n_loops + 1);
    tirbi_update *updates = TIRBI_NEW_ARRAY(v->pool->arena, tirbi_update, s->as.tree.n_updates + 1);
    if (!loops || !updates) return false;
    enter(v);
    for (uint32_t i = 0; i < s->as.tree.n_loops; i++)
        if (!(loops[i] = other_counter(v, s->as.tree.loops[i]))) return false;
    if (s->as.tree.init && !(copy->as.tree.init = tirbi_version_of(v, s->as.tree.init))) return false;
    copy->as.tree.lets = tirbi_version_of_values(v, s->as.tree.lets, s->as.tree.n_lets, false);
    const bool done = copy->as.tree.lets && other_updates(v, s, updates);
    v->depth--;
    copy->as.tree.loops = loops;
    copy->as.tree.updates = updates;
    return done;
}

static bool other_parts(tirbi_versions *v, const tirbi_ls *s, tirbi_ls *copy) {
    switch ((tirbi_ls_kind)s->kind) {
    case TIRBI_LS_SEQ:
        return other_sequence(v, s, copy);
    case TIRBI_LS_LOOP:
        return other_loop(v, s, copy);
    case TIRBI_LS_IF:
        return other_if(v, s, copy);
    case TIRBI_LS_WHILE:
        enter(v);
        copy->as.while_.condition = tirbi_version_of_value(v, s->as.while_.condition);
        copy->as.while_.body = tirbi_version_of(v, s->as.while_.body);
        v->depth--;
        return copy->as.while_.condition && copy->as.while_.body;
    case TIRBI_LS_STORE:
        copy->as.store.access = other_place(v, s->as.store.access);
        copy->as.store.value = tirbi_version_of_value(v, s->as.store.value);
        return copy->as.store.access && copy->as.store.value;
    case TIRBI_LS_SET:
        return other_set(v, s, copy);
    case TIRBI_LS_ALLOC:
        if (v->phase == TIRBI_PHASE_BUILD)
            return (copy->as.alloc.buffer = tirbi_version_buffer(v, s->as.alloc.buffer)) != NULL;
        return true;
    case TIRBI_LS_EVAL:
        return (copy->as.eval.value = tirbi_version_of_value(v, s->as.eval.value)) != NULL;
    case TIRBI_LS_ASSERT:
        return (copy->as.assert_.condition = tirbi_version_of_value(v, s->as.assert_.condition)) != NULL;
    case TIRBI_LS_RETURN:
        if (!s->as.eval.value) return true;
        return (copy->as.eval.value = tirbi_version_of_value(v, s->as.eval.value)) != NULL;
    case TIRBI_LS_BREAK:
    case TIRBI_LS_CONTINUE:
        return true;
    case TIRBI_LS_TREE:
        return other_tree(v, s, copy);
    case TIRBI_LS_SEARCH:
    case TIRBI_LS_FETCH:
        break;
    }
    v->refused = true;
    return false;
}

const tirbi_ls *tirbi_version_of(tirbi_versions *v, const tirbi_ls *s) {
    const uint32_t n_known = v->facts.n_known;
    tirbi_ls *copy = v->refused ? NULL : tirbi_same_stmt(v->pool, s);
    if (!copy) return NULL;
    const bool made = other_parts(v, s, copy);
    v->facts.n_known = n_known;
    return made ? copy : NULL;
}
