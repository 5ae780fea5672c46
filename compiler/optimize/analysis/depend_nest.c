#include "compiler/optimize/analysis/depend_nest.h"

#include <string.h>

#include "compiler/loop/linear.h"
#include "compiler/optimize/facts/injective.h"

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

static bool note_access(void *context, const tirbi_reached *at) {
    builder *b = context;
    if (b->stored && at->what == TIRBI_LOADS && !tirbi_is_among(b->stored, at->place->buffer->root)) return true;
    return add_access(b, at, NULL);
}

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
    if (tirbi_is_listed(var, b->changed.var, b->changed.n)) return true;
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
        .rules = TIRBI_TAKE_VIEWS, .context = b, .value = note_value, .access = note_access};
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
void tirbi_bound_nest_loop(builder *b, const nest_loop *l) {
    tirbi_poly runs = l->last;
    bound_variable(b, l);
    if (l->bounded && tirbi_poly_add(&runs, &l->first, -1)) tirbi_know(b->facts, &runs);
}

void tirbi_unbound_nest(builder *b) {
    for (uint32_t i = 0; i < b->facts->n_symbols; i++) b->facts->symbols[i].first = b->facts->symbols[i].last = NULL;
    for (uint32_t i = 0; i < b->n_around; i++) bound_variable(b, &b->around[i]);
    b->facts->n_known = b->known;
    b->n_bound = 0;
}

static bool read_exactly(builder *b, const tirbi_lx *x, tirbi_poly *out) {
    const tirbi_linear_reader reader = {.facts = b->facts, .value_of = let_value, .context = b};
    tirbi_conditions conditions; /* is large */
    conditions.n = 0;
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

static unsigned narrowest(const tirbi_lx *x);

/* The same of the casts in a sum that is exact, which its own bits do not cut. */
static unsigned narrowest_in(const tirbi_lx *x) {
    if (!tirbi_is_arithmetic(x)) return narrowest(x);
    unsigned bits = WHOLE;
    for (int i = 0; i < x->n_args; i++) {
        const unsigned part = narrowest_in(x->args[i]);
        if (part < bits) bits = part;
    }
    return bits;
}

/* Modulo which power of 2 an integer is the sum that it is made of, where casts keep no more of its parts. */
static unsigned narrowest(const tirbi_lx *x) {
    const bool casts = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && tirbi_dtype_is_int((tirbi_dtype)x->source);
    unsigned bits = tirbi_dtypes[x->type].bits;
    if (!casts && !tirbi_is_arithmetic(x)) return WHOLE;
    if (casts && tirbi_is_exact(x->args[0], NULL) && tirbi_keeps_value(x)) return narrowest_in(x->args[0]);
    for (int i = 0; i < x->n_args; i++) {
        const unsigned part = narrowest(x->args[i]);
        if (part < bits) bits = part;
    }
    return bits;
}

static void read_form(builder *b, const tirbi_lx *x, form *out) {
    tirbi_linear_reader reader = {.facts = b->facts, .value_of = let_value, .context = b};
    tirbi_conditions conditions; /* is large */
    conditions.n = 0;
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

/* How many forms an element has that can be compared. */
static uint32_t count_forms(const builder *b, const tirbi_place *place) {
    if (!place || place->view || place->buffer->overlaps || place->buffer->broadcasts || place->ndim >= MAX_FORMS ||
        tirbi_buffer_moves(place->buffer, &b->changed))
        return 0;
    return tirbi_has_own_number(place) ? 1 + place->ndim : 1;
}

bool tirbi_read_nest_access(builder *b, uint32_t at) {
    const tirbi_nest_access *access = &b->g->access[at];
    const tirbi_place *place = access->at.place;
    access_forms *out = &b->forms[at];
    if (out->n == 0 || out->item) return true;
    out->item = TIRBI_NEW_ARRAY(b->pool->arena, form, out->n);
    if (!out->item) return false;
    tirbi_unbound_nest(b);
    for (uint32_t i = 0; i < access->n_loops; i++) tirbi_bound_nest_loop(b, &b->loop[access->loop[i]]);
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
uint32_t tirbi_loops_of_symbol(builder *b, uint32_t symbol) {
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
            if (tirbi_loops_of_symbol(b, p->term[i].of.symbol[k]) == ALWAYS) return true;
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
    tirbi_unbound_nest(b);
    for (uint32_t i = 0; i + 1 < n; i++) tirbi_bound_nest_loop(b, &b->loop[path[i]]);
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
        tirbi_bound_nest_loop(b, &b->around[i]);
        b->known = b->facts->n_known;
    }
}

bool tirbi_read_nest(builder *b, const tirbi_ls *const *loops, uint32_t n_loops, const tirbi_ls *const *parts,
                     uint32_t n_parts) {
    tirbi_dependences *g = b->g;
    tirbi_roots stored = {.n = 0};
    bool edges_only = b->asked && b->asked->parts; /* none ends at what is loaded from memory that nothing stores to */
    for (uint32_t i = 0; i < n_parts && edges_only; i++)
        edges_only = tirbi_find_stored(&stored, parts[i], TIRBI_MAX_ROOTS);
    if (edges_only) b->stored = &stored;
    for (uint32_t i = 0; i < n_loops; i++) {
        b->n_choices += i > 0 && loops[i]->as.loop.var->extent->lo < 1;
        if (!list_loop(b, loops[i])) return false;
    }
    for (uint32_t i = 0; i < n_parts; i++) {
        b->part = (uint16_t)i;
        if (!list_stmt(b, parts[i])) return false;
    }
    b->stored = NULL;
    find_all_around(b);
    if (!name_loops(b)) return false;
    bound_around(b);
    for (uint32_t i = 0; i < g->n_accesses; i++) {
        const tirbi_nest_access *a = &g->access[i];
        b->forms[i].n = count_forms(b, a->at.place);
        for (uint32_t k = 0; k < a->n_loops; k++)
            if (!b->loop[a->loop[k]].bounded) read_bounds(b, a->loop, k + 1);
    }
    return true;
}
