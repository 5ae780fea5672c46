#include "compiler/optimize/analysis/depend.h"

#include <string.h>

#include "compiler/loop/linear.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/facts/injective.h"
#include "loader/base/checked.h"
#include "loader/base/divisor.h"

enum { MAX_ACCESSES = 64, MAX_EDGES = 2048, MAX_LETS = 16, MAX_FORMS = 5, MAX_AROUND = 8, MAX_GIVEN = 4 };

/* Bits of a number that is exact: no two values of it are the same modulo any power. */
enum { WHOLE = 65 };

/* A symbol that may have another value whenever it is come to. */
#define ALWAYS UINT32_MAX

/* A loop of the nest: the symbols of its variable and of the distance between two of its iterations, and its first and
 * last values, where these are polynomials. */
typedef struct nest_loop {
    tirbi_lvar *var;
    uint32_t symbol, distance;
    bool begins, bounded; /* the first one is known; both are */
    tirbi_poly first, last;
} nest_loop;

/* What a subscript is, modulo 2^bits. */
typedef struct form {
    bool read;
    unsigned bits;
    tirbi_poly is;
} form;

/* Conditions that hold where an access is come to; or do not. */
typedef struct given {
    const tirbi_lx *condition[MAX_GIVEN];
    bool holds[MAX_GIVEN];
    uint32_t n;
} given;

typedef struct access_forms {
    form *item; /* the element's number, then its subscripts; NULL: it has none that can be compared */
    uint32_t n, n_more;
    given given;
    tirbi_poly *more; /* what these say: none of them is negative */
} access_forms;

typedef struct let {
    const tirbi_lvar *var;
    const tirbi_lx *value; /* NULL: it is not pure */
    uint32_t loops;        /* around it, by bits */
} let;

typedef struct builder {
    tirbi_lx_pool *pool;
    const tirbi_asked *asked;
    tirbi_dependences *g;
    tirbi_facts *facts;
    nest_loop loop[TIRBI_NEST_LOOPS];
    nest_loop around[MAX_AROUND]; /* the nest; outer ones first */
    uint32_t n_around;
    uint8_t path[TIRBI_NEST_DEPTH];
    uint32_t n_path;
    uint32_t n_choices; /* conditions, and loops that may not run, around what is listed */
    given given;
    uint16_t part;
    let lets[MAX_LETS];
    uint32_t n_lets;
    tirbi_loop_set changed; /* variables of loops, and those that are set */
    access_forms forms[MAX_ACCESSES];
    bool substituted; /* a variable's value stands in what was read */
    struct {
        uint32_t loops; /* that it depends on, by bits; ALWAYS */
        uint16_t other; /* in another iteration; 0: it has no symbol yet */
        bool known;
    } symbol[TIRBI_MAX_SYMBOLS];
    tirbi_poly bound[TIRBI_NEST_LOOPS * 4]; /* of a test */
    uint32_t n_bound;
    uint32_t known; /* facts that hold outside of any test */
} builder;

/* ---- What there is ---------------------------------------------------------------------------------------------- */

static uint32_t bits_of(const uint8_t *loops, uint32_t n) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < n; i++) bits |= UINT32_C(1) << loops[i];
    return bits;
}

static bool add_access(builder *b, const tirbi_reached *at, const tirbi_lvar *var) {
    tirbi_dependences *g = b->g;
    if (g->n_accesses == MAX_ACCESSES) return false;
    b->forms[g->n_accesses].given = b->given;
    tirbi_nest_access *access = &g->access[g->n_accesses++];
    *access = (tirbi_nest_access){.at = *at, .var = var, .n_loops = (uint8_t)b->n_path};
    access->at.part = b->part;
    access->at.surely = access->at.surely && b->n_choices == 0;
    memcpy(access->loop, b->path, sizeof(access->loop));
    return true;
}

static bool note_access(void *context, const tirbi_reached *at) { return add_access(context, at, NULL); }

static const let *find_let(const builder *b, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < b->n_lets; i++)
        if (b->lets[i].var == var) return &b->lets[i];
    return NULL;
}

static bool note_value(void *context, const tirbi_lx *x) {
    builder *b = context;
    if (x->kind != TIRBI_LX_VAR || (x->var->kind != TIRBI_LVAR_LOCAL && !find_let(b, x->var))) return true;
    return add_access(b, &(tirbi_reached){.what = TIRBI_LOADS}, x->var);
}

static bool change(builder *b, tirbi_lvar *var) {
    for (uint32_t i = 0; i < b->changed.n; i++)
        if (b->changed.var[i] == var) return true;
    if (b->changed.n == TIRBI_MAX_AFFINE) return false;
    b->changed.var[b->changed.n++] = var;
    return true;
}

static bool note_set(builder *b, const tirbi_ls *s) {
    tirbi_lvar *var = s->as.set.var;
    if (!change(b, var)) return false;
    if (var->kind == TIRBI_LVAR_LET) {
        if (b->n_lets == MAX_LETS) return false;
        const tirbi_lx *value = s->as.set.value;
        b->lets[b->n_lets++] =
            (let){.var = var, .value = value->pure ? value : NULL, .loops = bits_of(b->path, b->n_path)};
    }
    return add_access(b, &(tirbi_reached){.stmt = s, .what = TIRBI_STORES}, var);
}

static tirbi_accesses lister_of(builder *b) {
    return (tirbi_accesses){
        .rules = TIRBI_TAKE_VIEWS | TIRBI_TAKE_INITS, .context = b, .value = note_value, .access = note_access};
}

static bool list_value(builder *b, const tirbi_lx *x) {
    tirbi_accesses all = lister_of(b);
    return tirbi_find_accesses_of(&all, x);
}

static bool list_stmt(builder *b, const tirbi_ls *s);

static bool list_loop(builder *b, const tirbi_ls *s) {
    tirbi_dependences *g = b->g;
    tirbi_lvar *var = s->as.loop.var;
    if (s->as.loop.step || s->as.loop.blocks || s->as.loop.rows || b->n_path == TIRBI_NEST_DEPTH ||
        g->n_loops == TIRBI_NEST_LOOPS || !list_value(b, var->min) || !list_value(b, var->extent) || !change(b, var))
        return false;
    b->loop[g->n_loops].var = var;
    b->path[b->n_path++] = (uint8_t)g->n_loops;
    g->loop[g->n_loops++] = s;
    return true;
}

/* A tree's updates are one statement, in which its own variables may have any values. */
static bool list_tree(builder *b, const tirbi_ls *s) {
    tirbi_accesses all = lister_of(b);
    all.kinds = TIRBI_STRAIGHT | TIRBI_KIND(TREE);
    for (uint32_t i = 0; i < s->as.tree.n_loops; i++)
        if (!change(b, s->as.tree.loops[i])) return false;
    b->n_choices++;
    const bool listed = tirbi_find_accesses(&all, s);
    b->n_choices--;
    return listed;
}

/* A branch, in which what its comparisons say is known. */
static bool list_arm(builder *b, const tirbi_lx *condition, bool holds, const tirbi_ls *s) {
    const given around = b->given;
    const tirbi_lx *x = condition;
    for (bool last = false; !last && x->pure && b->given.n < MAX_GIVEN; b->given.n++) {
        const bool both = x->kind == TIRBI_LX_AND || (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_AND);
        last = !holds || !both || x->type != TIRB_BOOL;
        b->given.condition[b->given.n] = last ? x : x->args[1];
        b->given.holds[b->given.n] = holds;
        if (!last) x = x->args[0];
    }
    const bool listed = list_stmt(b, s);
    b->given = around;
    return listed;
}

static bool list_stmt(builder *b, const tirbi_ls *s) {
    tirbi_accesses all = lister_of(b);
    switch ((tirbi_ls_kind)s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++)
            if (!list_stmt(b, s->as.seq.items[i])) return false;
        return true;
    case TIRBI_LS_IF: {
        const tirbi_lx *condition = s->as.if_.condition;
        if (!list_value(b, condition)) return false;
        b->n_choices++;
        const bool listed = list_arm(b, condition, true, s->as.if_.then_case) &&
                            (!s->as.if_.else_case || list_arm(b, condition, false, s->as.if_.else_case));
        b->n_choices--;
        return listed;
    }
    case TIRBI_LS_LOOP: {
        const bool may_not_run = s->as.loop.var->extent->lo < 1;
        b->n_choices += may_not_run;
        const bool listed = list_loop(b, s) && list_stmt(b, s->as.loop.body);
        b->n_choices -= may_not_run;
        b->n_path -= listed;
        return listed;
    }
    case TIRBI_LS_SET:
        return tirbi_find_accesses(&all, s) && note_set(b, s);
    case TIRBI_LS_STORE:
        return tirbi_find_accesses(&all, s);
    case TIRBI_LS_TREE:
        return list_tree(b, s);
    default:
        return false;
    }
}

/* ---- Forms ------------------------------------------------------------------------------------------------------ */

static const tirbi_lx *let_value(void *context, const tirbi_lvar *var) {
    builder *b = context;
    const let *set = find_let(b, var);
    if (!set || !set->value) return NULL;
    b->substituted = true;
    return set->value;
}

static void bound_variable(builder *b, const nest_loop *l) {
    b->facts->symbols[l->symbol].first = l->bounded ? &l->first : NULL;
    b->facts->symbols[l->symbol].last = l->bounded ? &l->last : NULL;
}

/* Takes note of the bounds of a loop, as they are where no test has changed them. */
static void bound_loop(builder *b, const nest_loop *l) {
    tirbi_poly runs = l->last;
    bound_variable(b, l);
    if (l->bounded && tirbi_poly_add(&runs, &l->first, -1)) tirbi_know(b->facts, &runs);
}

static void unbound_loops(builder *b) {
    for (uint32_t i = 0; i < b->facts->n_symbols; i++) b->facts->symbols[i].first = b->facts->symbols[i].last = NULL;
    for (uint32_t i = 0; i < b->n_around; i++) bound_variable(b, &b->around[i]);
    b->facts->n_known = b->known;
    b->n_bound = 0;
}

static bool read_exactly(builder *b, const tirbi_lx *x, tirbi_poly *out) {
    const tirbi_linear_reader reader = {.facts = b->facts, .value_of = let_value, .context = b};
    tirbi_conditions conditions = {.n = 0};
    return tirbi_read_linear(&reader, x, out, &conditions) &&
           tirbi_exact_if(b->facts, out, (tirbi_dtype)x->type, &conditions) && conditions.n == 0;
}

static bool name_loop(builder *b, nest_loop *l) {
    const tirbi_lx *var = tirbi_lx_var(b->pool, l->var);
    l->symbol = var ? tirbi_symbol_of(b->facts, var) : TIRBI_MAX_SYMBOLS;
    return l->symbol != TIRBI_MAX_SYMBOLS;
}

/* The symbols of all loops, outer ones first, so that bounds name symbols that come before them. */
static bool name_loops(builder *b) {
    for (uint32_t i = 0; i < b->n_around; i++)
        if (!name_loop(b, &b->around[i])) return false;
    for (uint32_t i = 0; i < b->g->n_loops; i++)
        if (!name_loop(b, &b->loop[i])) return false;
    for (uint32_t i = 0; i < b->g->n_loops; i++) {
        tirbi_lx *distance = TIRBI_NEW(b->pool->arena, tirbi_lx);
        if (!distance) return false;
        *distance = *b->facts->symbols[b->loop[i].symbol].value;
        b->loop[i].distance = tirbi_symbol_of(b->facts, distance);
        if (b->loop[i].distance == TIRBI_MAX_SYMBOLS) return false;
    }
    return true;
}

/* Modulo which power of 2 an integer is the sum that it is made of, where casts keep no more of its parts. */
static unsigned narrowest(const tirbi_lx *x) {
    const bool casts = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && tirbi_dtype_is_int((tirbi_dtype)x->source);
    unsigned bits = tirbi_dtypes[x->type].bits;
    if (!casts && !tirbi_is_arithmetic(x)) return WHOLE;
    if (casts && tirbi_is_exact(x->args[0], NULL) && tirbi_keeps_value(x)) return WHOLE;
    for (int i = 0; i < x->n_args; i++) {
        const unsigned part = narrowest(x->args[i]);
        if (part < bits) bits = part;
    }
    return bits;
}

static void read_form(builder *b, const tirbi_lx *x, form *out) {
    tirbi_linear_reader reader = {.facts = b->facts, .value_of = let_value, .context = b};
    tirbi_conditions conditions = {.n = 0};
    while (tirbi_keeps_value(x)) x = x->args[0];
    const unsigned bits = tirbi_dtypes[x->type].bits, fewest = narrowest(x);
    reader.modulo = fewest < bits;
    b->substituted = false;
    out->bits = reader.modulo ? fewest : bits;
    out->read = tirbi_read_linear(&reader, x, &out->is, &conditions) && conditions.n == 0 &&
                tirbi_expand(b->facts, &out->is, &out->is);
    if (!out->read || reader.modulo) return;
    const bool exact = !b->substituted && tirbi_is_exact(x, NULL);
    if (exact || (tirbi_exact_if(b->facts, &out->is, (tirbi_dtype)x->type, &conditions) && conditions.n == 0))
        out->bits = WHOLE;
}

static bool read_given(builder *b, access_forms *out);

static bool read_access(builder *b, uint32_t at) {
    const tirbi_nest_access *access = &b->g->access[at];
    const tirbi_place *place = access->at.place;
    access_forms *out = &b->forms[at];
    if (!place || place->view || place->buffer->overlaps || place->buffer->broadcasts || place->ndim >= MAX_FORMS ||
        tirbi_buffer_moves(place->buffer, &b->changed))
        return true;
    out->n = tirbi_is_compact(b->pool, place->buffer) && tirbi_has_own_number(place) ? 1 + place->ndim : 1;
    out->item = TIRBI_NEW_ARRAY(b->pool->arena, form, out->n);
    if (!out->item) return false;
    unbound_loops(b);
    for (uint32_t i = 0; i < access->n_loops; i++) bound_loop(b, &b->loop[access->loop[i]]);
    if (!read_given(b, out)) return false;
    read_form(b, place->flat, &out->item[0]);
    for (uint32_t d = 0; d + 1 < out->n; d++) read_form(b, place->indices[d], &out->item[d + 1]);
    return true;
}

static bool is_loop(const builder *b, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < b->g->n_loops; i++)
        if (b->loop[i].var == var) return true;
    return false;
}

typedef struct dependent {
    const builder *b;
    uint32_t loops;
} dependent;

static bool depends(const void *context, const tirbi_lx *x) {
    dependent *d = (dependent *)(uintptr_t)context;
    if (x->kind == TIRBI_LX_LOAD || x->kind == TIRBI_LX_CALL) d->loops = ALWAYS;
    if (x->kind != TIRBI_LX_VAR) return d->loops == ALWAYS;
    const let *set = find_let(d->b, x->var);
    if (set) d->loops |= set->loops;
    for (uint32_t i = 0; i < d->b->g->n_loops; i++)
        if (d->b->loop[i].var == x->var) d->loops |= UINT32_C(1) << i;
    for (uint32_t i = 0; !set && i < d->b->changed.n; i++)
        if (d->b->changed.var[i] == x->var && !is_loop(d->b, x->var)) d->loops = ALWAYS;
    return d->loops == ALWAYS;
}

/* The loops whose iteration a symbol's value depends on. */
static uint32_t loops_of(builder *b, uint32_t symbol) {
    if (!b->symbol[symbol].known) {
        dependent d = {.b = b};
        tirbi_any_expr(b->facts->symbols[symbol].value, TIRBI_WALK_INDICES, depends, &d);
        b->symbol[symbol].loops = d.loops;
        b->symbol[symbol].known = true;
    }
    return b->symbol[symbol].loops;
}

/* Whether some symbol may have another value each time. */
static bool is_loaded(builder *b, const tirbi_poly *p) {
    for (uint32_t i = 0; i < p->n; i++)
        for (unsigned k = 0; k < p->term[i].of.degree; k++)
            if (loops_of(b, p->term[i].of.symbol[k]) == ALWAYS) return true;
    return false;
}

/* What a comparison says where it holds, or does not: the polynomial is not negative. */
static bool read_comparison(builder *b, const tirbi_lx *x, bool holds, tirbi_poly *out) {
    tirbi_poly less;
    if (x->kind != TIRBI_LX_OP || x->n_args != 2 || !tirbi_dtype_is_int((tirbi_dtype)x->args[0]->type)) return false;
    const tirbi_op op = holds ? (tirbi_op)x->op : tirbi_opposite(x->op);
    const bool below = op == TIRB_OP_LT || op == TIRB_OP_LE, above = op == TIRB_OP_GT || op == TIRB_OP_GE;
    return (below || above) && read_exactly(b, x->args[below ? 1 : 0], out) &&
           read_exactly(b, x->args[below ? 0 : 1], &less) && tirbi_poly_add(out, &less, -1) &&
           (op == TIRB_OP_LE || op == TIRB_OP_GE || tirbi_poly_add_constant(out, -1)) &&
           tirbi_expand(b->facts, out, out) && !is_loaded(b, out);
}

/* What the conditions around an access say, with the bounds of its loops known. */
static bool read_given(builder *b, access_forms *out) {
    if (out->given.n == 0) return true;
    out->more = TIRBI_NEW_ARRAY(b->pool->arena, tirbi_poly, out->given.n);
    for (uint32_t i = 0; out->more && i < out->given.n; i++)
        out->n_more += read_comparison(b, out->given.condition[i], out->given.holds[i], &out->more[out->n_more]);
    return out->more != NULL;
}

static void read_ends(builder *b, nest_loop *l) {
    tirbi_poly *count = &l->last;
    l->begins = read_exactly(b, l->var->min, &l->first) && tirbi_expand(b->facts, &l->first, &l->first) &&
                !is_loaded(b, &l->first);
    l->bounded = l->begins && read_exactly(b, l->var->extent, count) && tirbi_expand(b->facts, count, count) &&
                 tirbi_poly_add_constant(count, -1) && tirbi_poly_add(count, &l->first, 1) && !is_loaded(b, &l->last);
}

static void read_bounds(builder *b, const uint8_t *path, uint32_t n) {
    unbound_loops(b);
    for (uint32_t i = 0; i + 1 < n; i++) bound_loop(b, &b->loop[path[i]]);
    read_ends(b, &b->loop[path[n - 1]]);
}

/* ---- Loops around the nest -------------------------------------------------------------------------------------- */

/* A variable that may have had another value where a bound was computed. */
static bool may_have_changed(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_LOAD || x->kind == TIRBI_LX_CALL ||
           (x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOCAL);
}

static bool find_around(const void *context, const tirbi_lx *x);

/* Takes note of the loops whose variables an expression has; of those that their bounds have, ahead of them. */
static void note_around(builder *b, const tirbi_lx *x) { tirbi_any_expr(x, TIRBI_WALK_INDICES, find_around, b); }

static bool find_around(const void *context, const tirbi_lx *x) {
    builder *b = (builder *)(uintptr_t)context;
    if (x->kind != TIRBI_LX_VAR || x->var->kind != TIRBI_LVAR_LOOP || b->n_around == MAX_AROUND) return false;
    for (uint32_t i = 0; i < b->changed.n; i++)
        if (b->changed.var[i] == x->var) return false;
    for (uint32_t i = 0; i < b->n_around; i++)
        if (b->around[i].var == x->var) return false;
    if (tirbi_any_expr(x->var->min, TIRBI_WALK_INDICES, may_have_changed, NULL) ||
        tirbi_any_expr(x->var->extent, TIRBI_WALK_INDICES, may_have_changed, NULL))
        return false;
    note_around(b, x->var->min);
    note_around(b, x->var->extent);
    if (b->n_around < MAX_AROUND) b->around[b->n_around++].var = x->var;
    return false;
}

static void find_all_around(builder *b) {
    for (uint32_t i = 0; i < b->g->n_loops; i++) {
        note_around(b, b->loop[i].var->min);
        note_around(b, b->loop[i].var->extent);
    }
    for (uint32_t i = 0; i < b->g->n_accesses; i++) {
        const tirbi_place *place = b->g->access[i].at.place;
        for (uint32_t d = 0; place && d < place->ndim; d++) note_around(b, place->indices[d]);
    }
}

/* What their bounds say holds in all of the nest. */
static void bound_around(builder *b) {
    for (uint32_t i = 0; i < b->n_around; i++) {
        read_ends(b, &b->around[i]);
        bound_loop(b, &b->around[i]);
        b->known = b->facts->n_known;
    }
}

/* ---- A test ----------------------------------------------------------------------------------------------------- */

/* Two accesses, and how the iteration of the second lies to that of the first by common loop. */
typedef struct test {
    builder *b;
    const tirbi_nest_access *from, *to;
    const access_forms *first, *second;
    uint32_t n_common;
    uint8_t way[TIRBI_NEST_DEPTH];
    uint32_t same; /* common loops whose iteration is the same, by bits */
    bool solved[TIRBI_NEST_DEPTH];
    tirbi_poly distance[TIRBI_NEST_DEPTH];
    bool multiplied; /* some difference is the carrier's distance times `factor`, modulo 2^factor_bits */
    tirbi_poly factor;
    unsigned factor_bits;
} test;

/* A symbol in the second iteration. */
static bool in_second(test *t, uint32_t symbol, tirbi_poly *out) {
    builder *b = t->b;
    *out = tirbi_poly_symbol(symbol);
    for (uint32_t i = 0; i < t->n_common; i++) {
        const nest_loop *l = &b->loop[t->from->loop[i]];
        if (l->symbol != symbol) continue;
        const tirbi_poly distance = tirbi_poly_symbol(l->distance);
        return t->way[i] == TIRBI_EQ || tirbi_poly_add(out, &distance, 1);
    }
    for (uint32_t i = 0; i < b->g->n_loops; i++)
        if (b->loop[i].symbol == symbol) return true; /* of one that is around the second alone */
    if (!(loops_of(b, symbol) & ~t->same)) return true;
    if (b->symbol[symbol].other == 0) {
        tirbi_lx *copy = TIRBI_NEW(b->pool->arena, tirbi_lx);
        if (!copy) return false;
        *copy = *b->facts->symbols[symbol].value;
        const uint32_t other = tirbi_symbol_of(b->facts, copy);
        if (other == TIRBI_MAX_SYMBOLS) return false;
        b->facts->symbols[other].lo = b->facts->symbols[symbol].lo;
        b->facts->symbols[other].hi = b->facts->symbols[symbol].hi;
        b->symbol[symbol].other = (uint16_t)other;
    }
    *out = tirbi_poly_symbol(b->symbol[symbol].other);
    return true;
}

static bool rename_poly(test *t, const tirbi_poly *p, tirbi_poly *out) {
    tirbi_poly sum = {.n = 0};
    for (uint32_t i = 0; i < p->n; i++) {
        tirbi_poly product = tirbi_poly_constant(p->term[i].factor), symbol;
        for (unsigned k = 0; k < p->term[i].of.degree; k++)
            if (!in_second(t, p->term[i].of.symbol[k], &symbol) || !tirbi_poly_multiply(&product, &symbol, &product))
                return false;
        if (!tirbi_poly_add(&sum, &product, 1)) return false;
    }
    *out = sum;
    return true;
}

static tirbi_poly *keep_bound(builder *b, const tirbi_poly *p) {
    tirbi_poly *kept = &b->bound[b->n_bound++];
    *kept = *p;
    return kept;
}

static int64_t most_apart(const tirbi_lvar *var) {
    int64_t most;
    return __builtin_sub_overflow(var->hi, var->lo, &most) ? INT64_MAX : most < 0 ? 0 : most;
}

/* Bounds of the distance between the iterations of a common loop, and of its variable in the first one. */
static void bound_distance(test *t, uint32_t at) {
    builder *b = t->b;
    const nest_loop *l = &b->loop[t->from->loop[at]];
    const uint8_t way = t->way[at];
    tirbi_symbol *s = &b->facts->symbols[l->distance], *own = &b->facts->symbols[l->symbol];
    const int64_t most = most_apart(l->var);
    bound_loop(b, l);
    s->lo = way & TIRBI_GT ? (most == INT64_MAX ? INT64_MIN : -most) : way & TIRBI_EQ ? 0 : 1;
    s->hi = way & TIRBI_LT ? most : way & TIRBI_EQ ? 0 : -1;
    if (way == TIRBI_EQ || !l->bounded) return;
    const tirbi_poly here = tirbi_poly_symbol(l->symbol);
    tirbi_poly first, last;
    if (!rename_poly(t, &l->first, &first) || !rename_poly(t, &l->last, &last)) return;
    const bool still = tirbi_poly_equal(&first, &l->first) && tirbi_poly_equal(&last, &l->last);
    if (!tirbi_poly_add(&first, &here, -1) || !tirbi_poly_add(&last, &here, -1)) return;
    if (!(way & TIRBI_GT)) first = tirbi_poly_constant(way & TIRBI_EQ ? 0 : 1);
    if (!(way & TIRBI_LT)) last = tirbi_poly_constant(way & TIRBI_EQ ? 0 : -1);
    s->first = keep_bound(b, &first);
    s->last = keep_bound(b, &last);
    /* Neither the last iteration is before another one, nor the first one behind. */
    first = l->first;
    last = l->last;
    if (still && way == TIRBI_LT && tirbi_poly_add_constant(&last, -1)) own->last = keep_bound(b, &last);
    if (still && way == TIRBI_GT && tirbi_poly_add_constant(&first, 1)) own->first = keep_bound(b, &first);
}

static void bound_test(test *t) {
    builder *b = t->b;
    unbound_loops(b);
    for (uint32_t i = 0; i < t->n_common; i++) bound_distance(t, i);
    for (uint32_t i = t->n_common; i < t->from->n_loops; i++) bound_loop(b, &b->loop[t->from->loop[i]]);
    for (uint32_t i = t->n_common; i < t->to->n_loops; i++) {
        const nest_loop *l = &b->loop[t->to->loop[i]];
        tirbi_poly first, last, runs;
        if (!l->bounded || !rename_poly(t, &l->first, &first) || !rename_poly(t, &l->last, &last)) continue;
        b->facts->symbols[l->symbol].first = keep_bound(b, &first);
        b->facts->symbols[l->symbol].last = keep_bound(b, &last);
        runs = last;
        if (tirbi_poly_add(&runs, &first, -1)) tirbi_know(b->facts, &runs);
    }
    for (uint32_t i = 0; i < t->first->n_more; i++) tirbi_know(b->facts, &t->first->more[i]);
    for (uint32_t i = 0; i < t->second->n_more; i++) {
        tirbi_poly more;
        if (rename_poly(t, &t->second->more[i], &more)) tirbi_know(b->facts, &more);
    }
}

/* Whether factor * p + plus is not negative. */
static bool not_negative(const builder *b, const tirbi_poly *p, int64_t factor, int64_t plus) {
    tirbi_poly x = {.n = 0};
    return tirbi_poly_add(&x, p, factor) && tirbi_poly_add_constant(&x, plus) && tirbi_not_negative(b->facts, &x);
}

/* The greatest magnitude by which two numbers that are equal modulo 2^bits do not differ, unless by 0. */
static int64_t most_of(unsigned bits) { return bits >= 63 ? INT64_C(1) << 62 : (INT64_C(1) << bits) - 1; }

static bool is_bounded(const builder *b, const tirbi_poly *p, unsigned bits, int64_t sign) {
    return bits == WHOLE || not_negative(b, p, -sign, most_of(bits));
}

/* Whether there is a multiple of a number, of 0 for 0, in a range. */
static bool has_multiple(int64_t lo, int64_t hi, uint64_t of) {
    if (lo <= 0 && hi >= 0) return true;
    const uint64_t least = tirbi_magnitude(lo > 0 ? lo : hi), most = tirbi_magnitude(lo > 0 ? hi : lo);
    return of != 0 && most / of > (least - 1) / of;
}

/* The terms by what a constant, or a symbol of known range, is multiplied by; products of symbols come last. */
static void order_terms(const tirbi_poly *p, uint32_t *order) {
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t k = i;
        const unsigned degree = p->term[i].of.degree;
        for (; k > 0; k--) {
            const uint32_t before = order[k - 1];
            const unsigned others = p->term[before].of.degree;
            if (others < degree && (others == 0 || degree > 1)) break;
            if (others == degree && tirbi_magnitude(p->term[before].factor) <= tirbi_magnitude(p->term[i].factor))
                break;
            order[k] = before;
        }
        order[k] = i;
    }
}

/* Whether a difference is no multiple of 2^bits: of the terms with the least factors, the constant first, none may be a
 * multiple of what divides all others, where these are apart by more than what it comes to. */
static bool never_congruent(const builder *b, const tirbi_poly *p, unsigned bits) {
    uint32_t order[TIRBI_MAX_MONOMIALS];
    uint64_t divisor[TIRBI_MAX_MONOMIALS + 1];
    int64_t lo = 0, hi = 0;
    order_terms(p, order);
    divisor[p->n] = bits < 64 ? UINT64_C(1) << bits : 0;
    for (uint32_t i = p->n; i-- > 0;) {
        divisor[i] = tirbi_common_divisor(divisor[i + 1], tirbi_magnitude(p->term[order[i]].factor));
        if (bits == 64) divisor[i] &= 0 - divisor[i];
    }
    for (uint32_t i = 0; i < p->n; i++) {
        const tirbi_monomial *of = &p->term[order[i]].of;
        const tirbi_symbol *s = of->degree > 0 ? &b->facts->symbols[of->symbol[0]] : NULL;
        const int64_t factor = p->term[order[i]].factor,
                      low = !s           ? 1
                            : factor > 0 ? s->lo
                                         : s->hi,
                      high = !s           ? 1
                             : factor > 0 ? s->hi
                                          : s->lo;
        int64_t least, most;
        if (of->degree > 1 || !tirbi_mul_i64(factor, low, &least) || !tirbi_mul_i64(factor, high, &most) ||
            !tirbi_add_i64(lo, least, &lo) || !tirbi_add_i64(hi, most, &hi))
            return false;
        if (!has_multiple(lo, hi, divisor[i + 1])) return true;
    }
    return false;
}

static bool never_zero(const builder *b, const tirbi_poly *p, unsigned bits) {
    return never_congruent(b, p, bits) || (not_negative(b, p, 1, -1) && is_bounded(b, p, bits, 1)) ||
           (not_negative(b, p, -1, -1) && is_bounded(b, p, bits, -1));
}

static bool replace_distance(const builder *b, tirbi_poly *p, const test *t, uint32_t at) {
    tirbi_poly by, rest, product;
    const uint32_t symbol = b->loop[t->from->loop[at]].distance;
    if (!tirbi_poly_mentions(p, symbol)) return true;
    if (!tirbi_poly_split(p, symbol, &by, &rest) || !tirbi_poly_multiply(&by, &t->distance[at], &product) ||
        !tirbi_poly_add(&rest, &product, 1))
        return false;
    *p = rest;
    return true;
}

/* Whether a polynomial has the same value in all iterations of the nest. */
static bool stays(builder *b, const tirbi_poly *p) {
    for (uint32_t i = 0; i < p->n; i++) {
        for (unsigned k = 0; k < p->term[i].of.degree; k++) {
            const uint32_t symbol = p->term[i].of.symbol[k];
            for (uint32_t l = 0; l < b->g->n_loops; l++)
                if (b->loop[l].symbol == symbol || b->loop[l].distance == symbol) return false;
            if (loops_of(b, symbol) != 0) return false;
        }
    }
    return true;
}

/* A polynomial by a number, other than the least one, that divides each of its factors. */
static bool divide(const tirbi_poly *p, int64_t by, tirbi_poly *out) {
    const tirbi_monomial one = {.degree = 0};
    const tirbi_poly whole = *p;
    if (by > 0) return tirbi_poly_divide(&whole, &one, by, out);
    out->n = 0;
    return tirbi_poly_add(out, &whole, -1) && tirbi_poly_divide(out, &one, -by, out);
}

/* The distance of a common loop that makes a difference 0, where it is one number. */
static void solve(test *t, const tirbi_poly *difference, unsigned bits) {
    builder *b = t->b;
    for (uint32_t i = 0; i < t->n_common; i++) {
        const uint32_t symbol = b->loop[t->from->loop[i]].distance;
        tirbi_poly by, rest, quotient;
        int64_t c;
        if (t->way[i] == TIRBI_EQ || t->solved[i] || !tirbi_poly_mentions(difference, symbol)) continue;
        if (!tirbi_poly_split(difference, symbol, &by, &rest)) return;
        if (rest.n == 0 && t->way[i] == TIRBI_LT && !t->multiplied && stays(b, &by)) {
            t->multiplied = true;
            t->factor = by;
            t->factor_bits = bits;
        }
        if (!tirbi_poly_is_constant(&by, &c) || c == INT64_MIN || !stays(b, &rest) || !divide(&rest, c, &quotient) ||
            !is_bounded(b, difference, bits, 1) || !is_bounded(b, difference, bits, -1))
            return;
        t->distance[i].n = 0;
        t->solved[i] = tirbi_poly_add(&t->distance[i], &quotient, -1);
        return;
    }
}

/* Whether what a form is in the first iteration may be what it is in the second; a distance is solved then. */
static bool may_be_equal(test *t, const form *x, const form *y) {
    builder *b = t->b;
    tirbi_poly difference;
    const unsigned bits = x->bits < y->bits ? x->bits : y->bits;
    if (!x->read || !y->read || !rename_poly(t, &y->is, &difference) || !tirbi_poly_add(&difference, &x->is, -1))
        return true;
    for (uint32_t i = 0; i < t->n_common; i++)
        if (t->solved[i] && !replace_distance(b, &difference, t, i)) return true;
    if (difference.n == 0) return true;
    if (never_zero(b, &difference, bits)) return false;
    solve(t, &difference, bits);
    return true;
}

/* Whether the two accesses may be of the same element in such iterations; distances are solved then. */
static bool may_meet(test *t) {
    memset(t->solved, 0, sizeof(t->solved));
    t->multiplied = false;
    t->same = 0;
    for (uint32_t i = 0; i < t->n_common; i++)
        if (t->way[i] == TIRBI_EQ) t->same |= UINT32_C(1) << t->from->loop[i];
    bound_test(t);
    for (uint32_t round = 0, solved = 0; round < 2; round++) {
        for (uint32_t f = t->first->n; f-- > 0;) /* the element's number, which is the longest, comes last */
            if (!may_be_equal(t, &t->first->item[f], &t->second->item[f])) return false;
        for (uint32_t i = 0; i < t->n_common; i++) solved += t->solved[i];
        if (solved == 0 || t->first->n == 1) break; /* no distance to put into other forms */
    }
    return true;
}

/* ---- Edges ------------------------------------------------------------------------------------------------------ */

static const tirbi_poly *keep(builder *b, const tirbi_poly *p) {
    tirbi_poly *kept = TIRBI_NEW(b->pool->arena, tirbi_poly);
    if (kept) *kept = *p;
    return kept;
}

/* The conditions under which a factor is not 0, and so no multiple of it that a loop has is: it stays below 2^bits. */
static void find_factor(builder *b, const test *t, tirbi_edge *e) {
    const nest_loop *l = &b->loop[t->from->loop[e->carrier]];
    if (t->factor_bits != WHOLE && (!l->bounded || !stays(b, &l->first) || !stays(b, &l->last))) return;
    for (int32_t i = 0; i < 2; i++) {
        tirbi_poly some = tirbi_poly_constant(-1), room = tirbi_poly_constant(most_of(t->factor_bits)), most = l->last;
        if (!tirbi_poly_add(&some, &t->factor, i == 0 ? 1 : -1)) continue;
        if (t->factor_bits != WHOLE) {
            if (!tirbi_poly_add(&most, &l->first, -1) || !tirbi_poly_multiply(&t->factor, &most, &most) ||
                !tirbi_poly_add(&room, &most, i == 0 ? -1 : 1))
                continue;
            e->provided[i] = keep(b, &room);
            if (!e->provided[i]) continue;
        }
        e->unless[i] = keep(b, &some);
    }
}

/* The conditions under which a distance lies outside of its loop, or is no way ahead. */
static void find_unless(builder *b, const test *t, tirbi_edge *e) {
    const nest_loop *l = &b->loop[t->from->loop[e->carrier]];
    const tirbi_poly *distance = e->distance[e->carrier];
    tirbi_poly none = {.n = 0}, far;
    int64_t constant;
    if (!distance && t->multiplied) find_factor(b, t, e);
    if (!distance || tirbi_poly_is_constant(distance, &constant)) return;
    if (tirbi_poly_add(&none, distance, -1)) e->unless[0] = keep(b, &none);
    far = *distance;
    if (l->bounded && stays(b, &l->first) && stays(b, &l->last) && tirbi_poly_add(&far, &l->last, -1) &&
        tirbi_poly_add(&far, &l->first, 1) && tirbi_poly_add_constant(&far, -1))
        e->unless[1] = keep(b, &far);
}

/* Where the ends of an edge meet: by a form that its loop alone changes, with constant steps. */
static void find_meeting(builder *b, const test *t, tirbi_edge *e) {
    const bool carried = e->carrier < e->n_common;
    const uint32_t symbol = b->loop[t->from->loop[carried ? e->carrier : 0]].symbol;
    if (carried && e->distance[e->carrier]) e->meets = TIRBI_MEETS_EVERY;
    for (uint32_t f = 0; f < t->first->n && e->meets == TIRBI_MEETS_ANYWHERE; f++) {
        const form *x = &t->first->item[f], *y = &t->second->item[f];
        tirbi_poly by[2], rest[2], at;
        int64_t step[2];
        if (!x->read || !y->read || x->bits != WHOLE || y->bits != WHOLE ||
            !tirbi_poly_split(&x->is, symbol, &by[0], &rest[0]) ||
            !tirbi_poly_split(&y->is, symbol, &by[1], &rest[1]) || !tirbi_poly_is_constant(&by[0], &step[0]) ||
            !tirbi_poly_is_constant(&by[1], &step[1]) || !stays(b, &rest[0]) || !stays(b, &rest[1]) ||
            step[0] == INT64_MIN || step[1] == INT64_MIN)
            continue;
        const bool crosses = step[0] == -step[1] && step[0] != 0, first = step[0] == 0;
        if (!crosses && (first == (step[1] == 0))) continue;
        at = rest[1]; /* step * i is this, less that */
        if (!tirbi_poly_add(&at, &rest[0], -1) || !divide(&at, first ? -step[1] : step[0], &at)) continue;
        e->meets = crosses ? TIRBI_MEETS_CROSSING : TIRBI_MEETS_AT;
        e->at = keep(b, &at);
    }
}

static bool add_edge(builder *b, const tirbi_edge *e) {
    tirbi_dependences *g = b->g;
    if (g->n_edges == MAX_EDGES) return false;
    if ((g->n_edges & (g->n_edges - 1)) == 0 && (g->n_edges == 0 || g->n_edges >= 16)) {
        const uint32_t capacity = g->n_edges == 0 ? 16 : g->n_edges * 2;
        tirbi_edge *grown = TIRBI_NEW_ARRAY(b->pool->arena, tirbi_edge, capacity);
        if (!grown) return false;
        if (g->n_edges > 0) memcpy(grown, g->edge, g->n_edges * sizeof(*grown));
        g->edge = grown;
    }
    g->edge[g->n_edges++] = *e;
    return true;
}

/* The ways in which loops inside the carrier may lie; false: there are none. */
static bool refine(test *t, tirbi_edge *e) {
    static const uint8_t ways[] = {TIRBI_LT, TIRBI_EQ, TIRBI_GT};
    for (uint32_t i = e->carrier + 1u; i < t->n_common; i++) {
        const uint8_t before = t->way[i];
        uint8_t may = 0;
        for (uint32_t k = 0; k < 3; k++) {
            t->way[i] = ways[k];
            if (may_meet(t)) may |= ways[k];
        }
        t->way[i] = before;
        e->direction[i] = may;
        if (may == 0) return false;
    }
    return true;
}

static bool is_comparable(const test *t) {
    return t->from->at.place && t->first->item && t->second->item && t->first->n == t->second->n &&
           t->from->at.place->buffer == t->to->at.place->buffer;
}

/* Adds the edge from one access to another that a loop carries, or that none does, where it may be there. */
static bool connect_at(test *t, uint32_t from, uint32_t to, uint32_t carrier) {
    builder *b = t->b;
    const bool reads = t->to->at.what == TIRBI_LOADS, was_read = t->from->at.what == TIRBI_LOADS;
    tirbi_edge e = {.from = (uint16_t)from, .to = (uint16_t)to, .n_common = (uint8_t)t->n_common};
    e.kind = t->from->var ? TIRBI_SCALAR : reads ? TIRBI_FLOW : was_read ? TIRBI_ANTI : TIRBI_OUTPUT;
    e.carrier = (uint8_t)carrier;
    for (uint32_t i = 0; i < t->n_common; i++) {
        t->way[i] = i < carrier ? TIRBI_EQ : i == carrier ? TIRBI_LT : TIRBI_ANY_WAY;
        e.direction[i] = t->way[i];
    }
    if (!tirbi_arena_work(b->pool->arena, 4)) return false;
    if (is_comparable(t)) {
        if (!may_meet(t)) return true;
        for (uint32_t i = 0; i < t->n_common; i++)
            if (t->solved[i]) e.distance[i] = keep(b, &t->distance[i]);
        if (carrier < t->n_common) find_unless(b, t, &e);
        if (t->n_common > 0) find_meeting(b, t, &e);
        if (!refine(t, &e)) return true;
    }
    return (!b->asked || b->asked->leaves(&e)) && add_edge(b, &e);
}

/* Loops outside of which a variable does not live: those around its declaration. */
static uint32_t loops_around_declaration(const tirbi_dependences *g, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < g->n_accesses; i++) {
        const tirbi_nest_access *a = &g->access[i];
        if (a->var == var && a->at.stmt && a->at.stmt->kind == TIRBI_LS_SET && a->at.stmt->as.set.declares)
            return a->n_loops;
    }
    return 0;
}

static bool connect(builder *b, uint32_t from, uint32_t to) {
    tirbi_dependences *g = b->g;
    test t = {
        .b = b, .from = &g->access[from], .to = &g->access[to], .first = &b->forms[from], .second = &b->forms[to]};
    const tirbi_nest_access *x = t.from, *y = t.to;
    uint32_t outermost = 0;
    if (x->at.what == TIRBI_LOADS && y->at.what == TIRBI_LOADS) return true;
    if (x->var != y->var || (!x->var && !tirbi_may_meet(x->at.place->buffer->root, y->at.place->buffer->root)))
        return true;
    while (t.n_common < x->n_loops && t.n_common < y->n_loops && x->loop[t.n_common] == y->loop[t.n_common])
        t.n_common++;
    if (x->var) outermost = loops_around_declaration(g, x->var);
    for (uint32_t carrier = outermost; carrier < t.n_common; carrier++)
        if ((!b->asked || b->asked->carriers >> carrier & 1) && !connect_at(&t, from, to, carrier)) return false;
    return from >= to || (b->asked && !b->asked->alike) || connect_at(&t, from, to, t.n_common);
}

static bool build(builder *b, const tirbi_ls *loop, const tirbi_ls *const *parts, uint32_t n_parts) {
    tirbi_dependences *g = b->g;
    if (!list_loop(b, loop)) return false;
    for (uint32_t i = 0; i < n_parts; i++) {
        b->part = (uint16_t)i;
        if (!list_stmt(b, parts[i])) return false;
    }
    find_all_around(b);
    if (!name_loops(b)) return false;
    bound_around(b);
    for (uint32_t i = 0; i < g->n_accesses; i++) {
        const tirbi_nest_access *a = &g->access[i];
        for (uint32_t k = 0; k < a->n_loops; k++)
            if (!b->loop[a->loop[k]].bounded) read_bounds(b, a->loop, k + 1);
    }
    for (uint32_t i = 0; i < g->n_loops; i++) {
        const nest_loop *l = &b->loop[i];
        if (l->begins && stays(b, &l->first)) g->first[i] = keep(b, &l->first);
        if (l->bounded && stays(b, &l->last)) g->last[i] = keep(b, &l->last);
    }
    for (uint32_t i = 0; i < g->n_accesses; i++)
        if (!read_access(b, i)) return false;
    for (uint32_t i = 0; i < g->n_accesses; i++)
        for (uint32_t k = 0; k < g->n_accesses; k++)
            if (!connect(b, i, k)) return false;
    return true;
}

/* What is known of sizes in the version of a function that a nest is in. */
static const tirbi_facts *known_of(const tirbi_ls *const *parts, uint32_t n_parts) {
    tirbi_reached first;
    for (uint32_t i = 0; i < n_parts; i++) {
        tirbi_accesses all = {.item = &first, .most = 1, .kinds = TIRBI_NESTS, .rules = TIRBI_TAKE_VIEWS};
        tirbi_find_accesses(&all, parts[i]);
        if (all.n > 0) return first.place->buffer->known;
    }
    return NULL;
}

tirbi_dependences *tirbi_find_dependences(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_ls *const *parts,
                                          uint32_t n_parts, const tirbi_asked *asked) {
    builder *b = TIRBI_NEW(pool->arena, builder);
    tirbi_dependences *g = TIRBI_NEW(pool->arena, tirbi_dependences);
    tirbi_facts *facts = TIRBI_NEW(pool->arena, tirbi_facts);
    tirbi_symbol *symbols = TIRBI_NEW_ARRAY(pool->arena, tirbi_symbol, TIRBI_MAX_SYMBOLS);
    tirbi_poly *room = TIRBI_NEW_ARRAY(pool->arena, tirbi_poly, TIRBI_MAX_ROOM);
    tirbi_nest_access *accesses = TIRBI_NEW_ARRAY(pool->arena, tirbi_nest_access, MAX_ACCESSES);
    if (!b || !g || !facts || !symbols || !room || !accesses) return NULL;
    const tirbi_facts *known = known_of(parts, n_parts);
    if (known) *facts = *known;
    if (known) memcpy(symbols, known->symbols, known->n_symbols * sizeof(*symbols));
    facts->arena = NULL;
    facts->room = room;
    facts->n_room = 0;
    facts->symbols = symbols;
    g->access = accesses;
    g->facts = b->facts = facts;
    b->pool = pool;
    b->asked = asked;
    b->g = g;
    b->known = facts->n_known;
    const bool built = build(b, loop, parts, n_parts);
    TIRBI_GIVE_BACK(pool->arena, b);
    if (built) return g;
    tirbi_forget_dependences(pool, g);
    return NULL;
}

void tirbi_forget_dependences(tirbi_lx_pool *pool, tirbi_dependences *g) {
    tirbi_arena_give_back(pool->arena, g->facts->symbols, TIRBI_MAX_SYMBOLS, sizeof(*g->facts->symbols));
    tirbi_arena_give_back(pool->arena, g->facts->room, TIRBI_MAX_ROOM, sizeof(*g->facts->room));
    tirbi_arena_give_back(pool->arena, g->access, MAX_ACCESSES, sizeof(*g->access));
    TIRBI_GIVE_BACK(pool->arena, g->facts);
    TIRBI_GIVE_BACK(pool->arena, g);
}
