#include "compiler/optimize/normalise/sizes.h"

#include "compiler/loop/exact.h"
#include "compiler/loop/visit.h"
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/normalise/versions.h"
#include "compiler/optimize/rewriting/statements.h"

/* What products of sizes may come to before the next factor, and as a whole: so far no int64 wraps, nor a sum of so
 * many of them as a polynomial has. */
#define MOST_PARTIAL (INT64_C(1) << 32)
#define MOST_WHOLE   (INT64_C(1) << 57)

/* ---- Phases ----------------------------------------------------------------------------------------------------- */

/* A parameter to which a constant is added, without wrapping, is at most what leaves room for that. */
static void leave_room(tirbi_versions *v) {
    for (uint32_t i = 0; i < v->split.n; i++) {
        const tirbi_lx *x = v->split.value[i];
        int64_t least, most;
        if (x->kind != TIRBI_LX_OP || x->op != TIRB_OP_ADD || x->args[0]->kind != TIRBI_LX_VAR ||
            x->args[1]->kind != TIRBI_LX_CONST || x->args[1]->value < 0)
            continue;
        const uint32_t symbol = tirbi_symbol_of(&v->facts, x->args[0]);
        tirbi_type_range((tirbi_dtype)x->type, &least, &most);
        if (symbol != TIRBI_MAX_SYMBOLS && v->facts.symbols[symbol].hi > most - x->args[1]->value)
            v->facts.symbols[symbol].hi = most - x->args[1]->value;
    }
}

/* Parameters that are sizes have another variable in the version, of which more is known. */
static bool narrow_parameters(tirbi_versions *v) {
    leave_room(v);
    for (uint32_t i = 0; i < v->facts.n_symbols; i++) {
        const tirbi_symbol *s = &v->facts.symbols[i];
        if (!s->steady || s->value->kind != TIRBI_LX_VAR || (s->lo <= s->value->lo && s->hi >= s->value->hi)) continue;
        tirbi_lvar *narrow = TIRBI_NEW(v->pool->arena, tirbi_lvar);
        if (!narrow || !tirbi_version_rename(v, s->value->var, narrow)) return false;
        *narrow = *s->value->var;
        narrow->id = 0;
        narrow->lo = s->lo;
        narrow->hi = s->hi;
        narrow->as = s->value->var;
        v->narrow[v->n_narrow++] = narrow;
    }
    return true;
}

/* What a condition on one symbol alone says of its range: at most so much, or at least. */
static void narrow_symbol(tirbi_facts *facts, const tirbi_poly *p) {
    const unsigned at = p->n > 0 && p->term[0].of.degree == 0 ? 1 : 0;
    const int64_t constant = p->n < 2 ? 0 : p->term[1 - at].factor;
    if (at >= p->n || p->n > 2 || p->term[at].of.degree != 1 || (p->n == 2 && p->term[1 - at].of.degree != 0) ||
        constant < -TIRBI_SANE_SIZE || constant > TIRBI_SANE_SIZE)
        return;
    tirbi_symbol *s = &facts->symbols[p->term[at].of.symbol[0]];
    const int64_t factor = p->term[at].factor;
    if (factor < 0 && factor > INT64_MIN && constant >= 0 && constant / -factor < s->hi) s->hi = constant / -factor;
    if (factor > 0 && constant <= 0 && -constant / factor > s->lo) s->lo = -constant / factor;
}

/* What the conditions so far, of bounds, say of single sizes. */
static void narrow_symbols(const tirbi_versions *v, tirbi_facts *facts) {
    for (uint32_t i = 0; i < v->n_lists; i++)
        for (uint32_t k = 0; k < v->conditions[i].n; k++) narrow_symbol(facts, &v->conditions[i].item[k]);
}

/* What the version's own code is told of: its conditions, and symbols as it names them. */
static void know_conditions(tirbi_versions *v) {
    for (uint32_t i = 0; i < v->n_lists; i++)
        for (uint32_t k = 0; k < v->conditions[i].n; k++) tirbi_know(v->known, &v->conditions[i].item[k]);
    for (uint32_t i = 0; i < v->facts.n_symbols; i++) {
        tirbi_symbol *s = &v->known->symbols[i];
        *s = v->facts.symbols[i];
        s->first = s->last = NULL;
        s->value = s->steady ? tirbi_version_of_value(v, s->value) : NULL;
    }
    v->known->n_symbols = v->facts.n_symbols;
    narrow_symbols(v, v->known);
}

static const tirbi_ls *run(tirbi_versions *v, tirbi_phase phase, const tirbi_ls *body) {
    if (phase == TIRBI_PHASE_BUILD) narrow_symbols(v, &v->facts);
    v->phase = phase;
    v->n_lists = v->n_vars = v->n_buffers = 0;
    v->facts.n_known = 0;
    v->nest = v->depth = v->gains = 0;
    if (phase == TIRBI_PHASE_BUILD && !narrow_parameters(v)) return NULL;
    if (!tirbi_version_split(v)) return NULL;
    v->gains = v->split.n + v->meets;
    const tirbi_ls *made = tirbi_version_of(v, body);
    if (!made || phase != TIRBI_PHASE_BUILD || v->gains == 0) return made;
    /* All conditions: only now loads know whether they may fail, and sizes that conditions alone ask for how large they
     * are. */
    narrow_symbols(v, &v->facts);
    v->n_vars = v->n_buffers = v->n_narrow = 0;
    if (!narrow_parameters(v)) return NULL;
    know_conditions(v);
    v->facts.n_known = v->nest = v->depth = 0;
    return tirbi_version_of(v, body);
}

/* ---- The test --------------------------------------------------------------------------------------------------- */

enum { MAX_ASKED = 128 };

/* What is asked of sizes: each is at most, or at least, so much. */
typedef struct test {
    tirbi_lx_pool *pool;
    const tirbi_facts *facts;
    struct {
        tirbi_op op;
        const tirbi_lx *value;
        int64_t limit;
    } asked[MAX_ASKED];
    uint32_t n;
    bool failed;
} test;

/* Adds a question, or makes one harder that asks the same of the same value. */
static void ask(test *t, tirbi_op op, const tirbi_lx *value, int64_t limit) {
    uint32_t i = 0;
    while (i < t->n && (t->asked[i].op != op || t->asked[i].value != value)) i++;
    if (!value || i == MAX_ASKED) {
        t->failed = true;
        return;
    }
    if (i == t->n) {
        t->asked[t->n].op = op;
        t->asked[t->n].value = value;
        t->asked[t->n++].limit = limit;
    } else if ((op == TIRB_OP_LE) == (limit < t->asked[i].limit)) {
        t->asked[i].limit = limit;
    }
}

static const tirbi_lx *condition_of(const test *t) {
    const tirbi_lx *all = tirbi_lx_int(t->pool, TIRB_BOOL, 1);
    for (uint32_t i = 0; i < t->n && all; i++) {
        const tirbi_lx *limit = tirbi_lx_number(t->pool, t->asked[i].limit), *holds;
        holds = tirbi_lx_wide(t->pool, t->asked[i].op, t->asked[i].value, limit);
        all = !holds ? NULL : i == 0 ? holds : tirbi_lx_both(t->pool, TIRB_OP_AND, all, holds);
    }
    return t->failed ? NULL : all;
}

static void ask_at_most(test *t, const tirbi_lx *x, int64_t most) {
    if (!x || x->hi > most) ask(t, TIRB_OP_LE, x, most);
}

static void ask_at_least(test *t, const tirbi_lx *x, int64_t least) {
    if (!x || x->lo < least) ask(t, TIRB_OP_GE, x, least);
}

static const tirbi_lx *symbol_value(const test *t, uint32_t symbol) {
    return tirbi_lx_cast(t->pool, TIRB_I64, t->facts->symbols[symbol].value);
}

/* The product of sizes, none of which is negative, that a term is; what may wrap on the way is asked for, and whether
 * it is at most that. */
static const tirbi_lx *product_of(test *t, const tirbi_monomial *m, int64_t most) {
    const tirbi_lx *product = NULL;
    for (unsigned k = 0; k < m->degree; k++) {
        const tirbi_lx *x = symbol_value(t, m->symbol[k]);
        if (k > 1) ask_at_most(t, product, MOST_PARTIAL);
        product = !x ? NULL : k == 0 ? x : tirbi_lx_mul(t->pool, product, x);
        if (!product) return NULL;
    }
    ask_at_most(t, product, most);
    if (m->degree == 1) ask_at_least(t, product, -most);
    return product;
}

/* Whether a polynomial is a number less one product. */
static bool is_limit(const tirbi_poly *p, uint32_t *product, int64_t *most) {
    if (p->n != 2) return false;
    *product = p->term[0].of.degree == 0 ? 1 : 0;
    const int64_t constant = p->term[1 - *product].factor, factor = p->term[*product].factor;
    if (p->term[1 - *product].of.degree > 0 || constant < 0 || factor >= 0 || factor == INT64_MIN) return false;
    *most = constant / -factor;
    return *most < MOST_WHOLE;
}

/* Asks whether a polynomial is not negative: whether a sum is at least what its constant takes away. */
static void ask_for(test *t, const tirbi_poly *p) {
    const tirbi_lx *sum = tirbi_lx_number(t->pool, 0);
    int64_t constant = 0, most;
    uint32_t product;
    if (is_limit(p, &product, &most)) {
        product_of(t, &p->term[product].of, most);
        return;
    }
    for (uint32_t i = 0; i < p->n && sum; i++) {
        const int64_t factor = p->term[i].factor;
        if (p->term[i].of.degree == 0) {
            constant = factor;
            continue;
        }
        const tirbi_lx *term = product_of(t, &p->term[i].of, MOST_WHOLE / (factor < 0 ? -factor : factor));
        term = tirbi_lx_mul(t->pool, term, tirbi_lx_number(t->pool, factor));
        sum = tirbi_lx_add(t->pool, sum, term);
    }
    if (!sum || constant == INT64_MIN)
        t->failed = true;
    else
        ask(t, TIRB_OP_GE, sum, -constant);
}

/* Asks whether all symbols lie where the version takes them to be, and for all of its conditions. */
static const tirbi_lx *test_of(const tirbi_versions *v) {
    test t = {.pool = v->pool, .facts = &v->facts};
    for (uint32_t i = 0; i < v->facts.n_symbols; i++) {
        const tirbi_symbol *s = &v->facts.symbols[i];
        if (!s->steady || (s->lo <= s->value->lo && s->hi >= s->value->hi)) continue;
        ask_at_least(&t, symbol_value(&t, i), s->lo);
        ask_at_most(&t, symbol_value(&t, i), s->hi);
    }
    for (uint32_t i = 0; i < v->n_lists; i++)
        for (uint32_t k = 0; k < v->conditions[i].n; k++) ask_for(&t, &v->conditions[i].item[k]);
    return condition_of(&t);
}

/* ---- Versions --------------------------------------------------------------------------------------------------- */

/* Whether an operation of integers is one of those that versions are made for: a product of what is not constant, an
 * int64 of which too little is known for it not to wrap, what is computed in both types, what compares int64, or what
 * goes around a size. */
static bool may_wrap(const void *context, const tirbi_lx *x) {
    (void)context;
    if (tirbi_version_compares(x) || tirbi_version_goes_around(x) || tirbi_version_divides(x)) return true;
    if (x->kind != TIRBI_LX_OP || !tirbi_dtype_is_int((tirbi_dtype)x->type)) return false;
    if (tirbi_version_mixes(x)) return true;
    const bool is_product = x->op == TIRB_OP_MUL, is_sum = x->op == TIRB_OP_ADD || x->op == TIRB_OP_SUB;
    if (is_product && x->args[0]->kind != TIRBI_LX_CONST && x->args[1]->kind != TIRBI_LX_CONST) return true;
    return is_sum && x->type == TIRB_I64 && (x->hi > TIRBI_SANE_SIZE * 2 || x->lo < -TIRBI_SANE_SIZE * 2);
}

/* Whether there are such operations in indices or bounds: else there is no version to be made. */
static bool has_products(const tirbi_ls *s) {
    return tirbi_has_kind(s, TIRBI_KIND(TREE)) ||
           tirbi_any_value(s, TIRBI_WALK_PLACES | TIRBI_WALK_BOUNDS, may_wrap, NULL);
}

static bool is_load(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_LOAD;
}

static bool counts_far(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOOP && x->hi > TIRBI_SANE_SIZE;
}

static bool is_set(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOCAL;
}

/* Whether an element is loaded from the memory that a statement stores to, by another counter of int64; not where only
 * the program knows what it stores to. */
static bool is_other_element(const void *store, const tirbi_lx *x) {
    const tirbi_place *to = ((const tirbi_ls *)store)->as.store.access, *from = x->access;
    if (x->kind != TIRBI_LX_LOAD || from->buffer->root != to->buffer->root) return false;
    for (uint32_t d = 0; d < from->ndim && d < to->ndim; d++)
        if (from->indices[d] != to->indices[d] && tirbi_any_expr(from->indices[d], 0, counts_far, NULL) &&
            !tirbi_any_expr(to->indices[d], TIRBI_WALK_INDICES, is_set, NULL))
            return true;
    return false;
}

/* Whether a statement reads what other iterations of it store: where these meet is only asked of counters that are no
 * more than sane ones. */
static bool may_meet(const void *context, const tirbi_ls *s) {
    (void)context;
    return s->kind == TIRBI_LS_STORE && tirbi_any_expr(s->as.store.value, TIRBI_WALK_INDICES, is_other_element, s);
}

/* Whether a row of elements begins at a multiple of something: of a number that is loaded, or of anything. */
static bool is_multiple(const void *loaded, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_OP && x->op == TIRB_OP_MUL && x->args[1]->kind == TIRBI_LX_CONST &&
           (!*(const bool *)loaded || tirbi_any_expr(x->args[0], 0, is_load, NULL));
}

/* Memory of one dimension that is read by rows which dimensions tell apart: by a sum of multiples, of memory that is
 * stored to as well, or of rows that have numbers in memory. */
typedef struct flat_rows {
    tirbi_roots stored, found;
} flat_rows;

static bool has_rows(const flat_rows *rows, const tirbi_lbuf *root) {
    for (uint32_t i = 0; i < rows->found.n; i++)
        if (rows->found.item[i] == root) return true;
    return false;
}

static bool note_flat_rows(const void *context, const tirbi_lx *x) {
    flat_rows *rows = *(flat_rows *const *)context;
    const tirbi_place *place = x->kind == TIRBI_LX_LOAD ? x->access : NULL;
    if (!place || place->ndim != 1 || place->buffer->shape[0]->kind != TIRBI_LX_CONST) return false;
    const tirbi_lbuf *root = place->buffer->root;
    const bool loaded = !tirbi_is_among(&rows->stored, root);
    const tirbi_lx *index = tirbi_lx_before_cast(place->indices[0]);
    if (tirbi_is_arithmetic(index) && index->op != TIRB_OP_MUL && rows->found.n < TIRBI_MAX_ROOTS &&
        tirbi_any_expr(index, 0, is_multiple, &loaded) && !has_rows(rows, root))
        rows->found.item[rows->found.n++] = root;
    return false;
}

static void find_flat_rows(const tirbi_ls *s, flat_rows *out) {
    out->stored.n = out->found.n = 0;
    if (tirbi_find_stored(&out->stored, s, TIRBI_MAX_ROOTS))
        tirbi_any_value(s, TIRBI_WALK_PLACES | TIRBI_WALK_INDICES, note_flat_rows, &out);
}

/* Orders the strides that were found, by the extents of the dimensions that have them. */
static void order_strides(tirbi_versions *v, const flat_rows *rows) {
    for (uint32_t i = 0; i < v->n_dimensions; i++) {
        tirbi_dimension *d = &v->dimensions[i];
        tirbi_conditions conditions = {.n = 0};
        tirbi_poly extent;
        d->in.apart = has_rows(rows, d->buffer->root);
        if (tirbi_version_linear(v, d->buffer->shape[d->d], &extent, &conditions))
            tirbi_order_strides(&d->in, &extent);
        else
            d->in.impossible = true;
    }
}

/* The version for sizes for which a test says that they are sane; NULL: there is none that gains anything. */
static const tirbi_ls *version(tirbi_versions *v, const tirbi_ls *body, const tirbi_lx **out_test) {
    flat_rows rows;
    find_flat_rows(body, &rows);
    v->meets = tirbi_any_stmt(body, may_meet, NULL);
    if (!run(v, TIRBI_PHASE_ROLES, body) || !run(v, TIRBI_PHASE_STRIDES, body)) return NULL;
    order_strides(v, &rows);
    if (!run(v, TIRBI_PHASE_FIT, body)) return NULL;
    const tirbi_ls *made = run(v, TIRBI_PHASE_BUILD, body);
    *out_test = made && v->gains > 0 ? test_of(v) : NULL;
    return *out_test && !tirbi_lx_is_int(*out_test, 0) ? made : NULL;
}

/* Begins a version of a body; false: memory ran out. */
static bool begin(tirbi_versions *v, tirbi_lx_pool *pool) {
    v->pool = pool;
    v->facts.symbols = TIRBI_NEW_ARRAY(pool->arena, tirbi_symbol, TIRBI_MAX_SYMBOLS);
    v->facts.arena = pool->arena;
    v->known = TIRBI_NEW(pool->arena, tirbi_facts);
    if (!v->facts.symbols || !v->known) return false;
    v->known->symbols = TIRBI_NEW_ARRAY(pool->arena, tirbi_symbol, TIRBI_MAX_SYMBOLS);
    v->known->room = TIRBI_NEW_ARRAY(pool->arena, tirbi_poly, TIRBI_MAX_ROOM);
    return v->known->symbols && v->known->room;
}

/* The choice between the version of a body, loops of which may be split already, and the plain one; itself where there
 * is none. */
static const tirbi_ls *choose(tirbi_lx_pool *pool, const tirbi_ls *body, const tirbi_ls *split,
                              const tirbi_split_sizes *sizes) {
    tirbi_versions *v = TIRBI_NEW(pool->arena, tirbi_versions);
    const tirbi_lx *sane = NULL;
    if (!v || !begin(v, pool)) return NULL;
    if (sizes) v->split = *sizes;
    const tirbi_ls *made = version(v, split, &sane);
    tirbi_ls *choice = made && !pool->arena->failed ? tirbi_new_stmt(pool, TIRBI_LS_IF, body->span) : NULL;
    if (pool->arena->failed) return NULL;
    if (!choice) return body;
    if (tirbi_lx_is_int(sane, 1) && v->n_narrow == 0) return made; /* all sizes are numbers */
    choice->as.if_.condition = sane;
    choice->as.if_.then_case = made;
    choice->as.if_.else_case = body;
    choice->as.if_.sizes = true;
    choice->as.if_.narrow = v->narrow;
    choice->as.if_.n_narrow = v->n_narrow;
    return choice;
}

/* Takes a sum that a loop's extent rounds up to whole tiles: (n + 7) // 8. */
static void take_rounding(tirbi_split_sizes *sizes, const tirbi_ls *loop) {
    const tirbi_lx *rounds = tirbi_lx_before_cast(loop->as.loop.var->extent), *sum;
    if (rounds->kind != TIRBI_LX_OP || (rounds->op != TIRB_OP_FLOORDIV && rounds->op != TIRB_OP_DIV) ||
        rounds->args[1]->kind != TIRBI_LX_CONST)
        return;
    sum = rounds->args[0];
    if (sum->kind != TIRBI_LX_OP || sum->op != TIRB_OP_ADD || sum->args[0]->kind != TIRBI_LX_VAR ||
        sum->args[0]->var->kind != TIRBI_LVAR_PARAM || sum->args[1]->kind != TIRBI_LX_CONST ||
        sum->args[1]->value != rounds->args[1]->value - 1 || tirbi_is_exact(sum, NULL))
        return;
    for (uint32_t i = 0; i < sizes->n; i++)
        if (sizes->value[i] == sum) return;
    if (sizes->n < TIRBI_MAX_SPLIT_SIZES) sizes->value[sizes->n++] = sum;
}

static tirbi_step find_rounding(tirbi_walk *w, const tirbi_ls *s) {
    if (s->kind == TIRBI_LS_LOOP) take_rounding(w->context, s);
    return TIRBI_INTO;
}

const tirbi_ls *tirbi_version_sizes(tirbi_lx_pool *pool, const tirbi_ls *body) {
    tirbi_split_sizes *sizes = body ? TIRBI_NEW(pool->arena, tirbi_split_sizes) : NULL;
    const tirbi_ls *split = sizes ? tirbi_split_products(pool, body, sizes) : body;
    if (sizes) {
        tirbi_walk tiles = {.context = sizes, .stmt = find_rounding};
        tirbi_walk_stmt(&tiles, split);
    }
    if (sizes && sizes->n > 0) {
        const tirbi_ls *made = choose(pool, body, split, sizes);
        if (made != body) return made;
    }
    flat_rows rows = {.found.n = 0};
    if (body) find_flat_rows(body, &rows);
    const bool gains =
        body && (rows.found.n > 0 || has_products(body) || tirbi_any_stmt(body, may_meet, NULL));
    return gains ? choose(pool, body, body, NULL) : body;
}
