#include "tests/reference/tree.h"

#include "compiler/ir/visit.h"

/* A variable set or a let list is short: lists and linear search keep this readable. */
enum { MAX_LOOPS = 64, MAX_VARS = 160, MAX_LETS = 64, MAX_UPDATES = 16, MAX_LOADS = 256, MAX_DEPTH = 2000 };

typedef struct var_set {
    const tirb_expr *vars[MAX_VARS];
    uint32_t n;
} var_set;

typedef struct candidate {
    const tirb_stmt *loops[MAX_LOOPS]; /* the nest, outermost first */
    uint32_t n_loops;
    uint32_t first; /* the outermost reduction loop: N is loops[first ..] */
    bool reduction[MAX_LOOPS];
    const tirb_stmt *realize;
    const tirb_block *block;
    const tirb_stmt *body;
    const tirb_expr *let_vars[MAX_LETS];
    const tirb_expr *let_values[MAX_LETS];
    uint32_t n_lets;
    tirbi_ref_update updates[MAX_UPDATES];
    uint32_t n_updates;
    var_set rv; /* reduction loops' variables and reduce axes */
    var_set sv; /* the others */
    const tirb_expr *loads[MAX_LOADS];
    uint32_t n_loads;
    bool overflow; /* one of the lists is full: no tree */
} candidate;

typedef struct finder {
    tirbi_arena *arena;
    bool fast;
    const tirb_irmodule *module;
    const tirb_primfunc *function;
    const tirb_buffer **match_sources; /* by buffer id: the buffer it is a region or a view of */
    const tirb_expr **pointers;        /* by a pointer variable's id: what a Let binds to it */
    tirbi_ref_tree *trees;
    uint32_t n, capacity;
    uint32_t depth;
} finder;

/* ---- Sets, lets, equality ------------------------------------------------------------------------------------- */

static bool contains(const var_set *set, const tirb_expr *var) {
    for (uint32_t i = 0; i < set->n; i++) {
        if (set->vars[i] == var) return true;
    }
    return false;
}

static void add_var(candidate *c, var_set *set, const tirb_expr *var) {
    if (contains(set, var)) return;
    if (set->n == MAX_VARS) {
        c->overflow = true;
        return;
    }
    set->vars[set->n++] = var;
}

/* What a let of the body binds to `var`, or NULL. */
static const tirb_expr *let_value(const candidate *c, const tirb_expr *var) {
    for (uint32_t i = 0; i < c->n_lets; i++) {
        if (c->let_vars[i] == var) return c->let_values[i];
    }
    return NULL;
}

static const tirb_expr *follow_lets(const candidate *c, const tirb_expr *e) {
    while (e->kind == TIRB_EXPR_VAR && let_value(c, e) != NULL) e = let_value(c, e);
    return e;
}

/* Structural equality with variables and buffers by identity and integers by value. */
static bool same(const tirb_expr *a, const tirb_expr *b) {
    if (a == b) return true;
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case TIRB_EXPR_INT_IMM: return a->as.int_value == b->as.int_value;
    case TIRB_EXPR_FLOAT_IMM: return a->as.float_value == b->as.float_value;
    case TIRB_EXPR_CAST:
    case TIRB_EXPR_NOT: return tirb_datatype_equal(a->dtype, b->dtype) && same(a->as.cast.value, b->as.cast.value);
    case TIRB_EXPR_SELECT:
        return same(a->as.select.condition, b->as.select.condition) &&
               same(a->as.select.true_value, b->as.select.true_value) &&
               same(a->as.select.false_value, b->as.select.false_value);
    default: break;
    }
    return a->kind >= TIRB_EXPR_ADD && a->kind <= TIRB_EXPR_OR && same(a->as.binary.a, b->as.binary.a) &&
           same(a->as.binary.b, b->as.binary.b);
}

/* ---- Walks over expressions ----------------------------------------------------------------------------------- */

typedef struct walk {
    tirbi_visitor visitor;
    candidate *c;
    const var_set *set;
    bool found;       /* mentions: a variable of `set`; clean: something forbidden */
    var_set *mention; /* collects the variables of sv that are mentioned */
    const finder *f;
    bool allow_outputs;
    uint32_t depth;
} walk;

static void mention_walk(tirbi_visitor *visitor, const tirb_expr *e) {
    walk *w = visitor->context;
    if (e->kind == TIRB_EXPR_VAR) {
        const tirb_expr *value = let_value(w->c, e);
        if (value != NULL) {
            mention_walk(visitor, value);
        } else if (contains(w->set, e)) {
            w->found = true;
            if (w->mention != NULL) add_var(w->c, w->mention, e);
        }
        return;
    }
    tirbi_visit_expr(visitor, e);
}

static bool mentions(candidate *c, const tirb_expr *e, const var_set *set) {
    walk w = {.visitor = {.expr = mention_walk}, .c = c, .set = set};
    w.visitor.context = &w;
    mention_walk(&w.visitor, e);
    return w.found;
}

/* No load, call, vector or pointer. */
static bool plain(const tirb_expr *e) {
    if (e->dtype.lanes != 1 || e->dtype.code == TIRB_CODE_HANDLE) return false;
    switch (e->kind) {
    case TIRB_EXPR_VAR:
    case TIRB_EXPR_INT_IMM:
    case TIRB_EXPR_FLOAT_IMM: return true;
    case TIRB_EXPR_CAST:
    case TIRB_EXPR_NOT: return plain(e->as.cast.value);
    case TIRB_EXPR_SELECT:
        return plain(e->as.select.condition) && plain(e->as.select.true_value) && plain(e->as.select.false_value);
    default: break;
    }
    return e->kind >= TIRB_EXPR_ADD && e->kind <= TIRB_EXPR_OR && plain(e->as.binary.a) && plain(e->as.binary.b);
}

static const tirb_buffer *root(const finder *f, const tirb_buffer *buffer) {
    while (f->match_sources[buffer->id] != NULL) buffer = f->match_sources[buffer->id];
    return buffer;
}

static uint32_t param_of(const tirb_primfunc *f, const tirb_buffer *buffer) {
    uint32_t i = 0;
    while (i < f->n_params && f->buffers[i] != buffer) i++;
    return i;
}

/* Whether the memory of two buffers may be the same: that of one root, or of two parameters of a pair of
 * tirb.may_alias. */
static bool may_meet(const finder *f, const tirb_buffer *a, const tirb_buffer *b) {
    a = root(f, a);
    b = root(f, b);
    for (uint32_t i = 0; i < f->function->n_may_alias; i++) {
        const tirb_param_pair *pair = &f->function->may_alias[i];
        uint32_t x = param_of(f->function, a);
        uint32_t y = param_of(f->function, b);
        if ((x == pair->first && y == pair->second) || (x == pair->second && y == pair->first)) return true;
    }
    return a == b;
}

static bool is_output(const finder *f, const candidate *c, const tirb_buffer *buffer) {
    for (uint32_t i = 0; i < c->n_updates; i++) {
        if (may_meet(f, c->updates[i].store->as.store.buffer, buffer)) return true;
    }
    return false;
}

static bool effect_free(const tirb_expr *call) {
    if (call->as.call.function != NULL || call->as.call.function_name != NULL) return false;
    uint8_t effect = tirb_builtins[call->as.call.builtin].effect;
    return effect == TIRB_EFFECT_PURE || effect == TIRB_EFFECT_ANNOTATION;
}

/* Notes what a clean expression must not have, and collects its loads. */
static void clean_walk(tirbi_visitor *visitor, const tirb_expr *e) {
    walk *w = visitor->context;
    if (e->kind == TIRB_EXPR_VAR) {
        const tirb_expr *value = let_value(w->c, e);
        if (e->dtype.code == TIRB_CODE_HANDLE) w->found = true;
        if (value != NULL) clean_walk(visitor, value);
        return;
    }
    if (e->kind == TIRB_EXPR_REDUCE || (e->kind == TIRB_EXPR_CALL && !effect_free(e))) w->found = true;
    if (e->kind == TIRB_EXPR_LOAD) {
        if (!w->allow_outputs && is_output(w->f, w->c, e->as.load.buffer)) w->found = true;
        if (w->c->n_loads == MAX_LOADS) {
            w->c->overflow = true;
        } else if (!w->allow_outputs) {
            w->c->loads[w->c->n_loads++] = e;
        }
    }
    tirbi_visit_expr(visitor, e);
}

static bool clean(const finder *f, candidate *c, const tirb_expr *e, bool allow_outputs) {
    walk w = {.visitor = {.expr = clean_walk}, .c = c, .f = f, .allow_outputs = allow_outputs};
    w.visitor.context = &w;
    clean_walk(&w.visitor, e);
    return !w.found;
}

/* ---- Updates -------------------------------------------------------------------------------------------------- */

/* Whether e, lets followed, is the old value of what the store writes. */
static bool is_old_value(const candidate *c, const tirb_stmt *store, const tirb_expr *e) {
    e = follow_lets(c, e);
    if (e->kind != TIRB_EXPR_LOAD || e->as.load.predicate != NULL || e->as.load.buffer != store->as.store.buffer) {
        return false;
    }
    for (uint32_t i = 0; i < e->as.load.n_indices; i++) {
        if (!same(e->as.load.indices[i], store->as.store.indices[i])) return false;
    }
    return true;
}

static bool is_real(tirb_datatype type) {
    return type.code == TIRB_CODE_FLOAT && (type.bits == 32 || type.bits == 64) && type.lanes == 1;
}

static bool match_update(candidate *c, const tirb_stmt *store) {
    const tirb_expr *v = follow_lets(c, store->as.store.value);
    if (store->as.store.predicate != NULL || !is_real(v->dtype) ||
        !tirb_datatype_equal(v->dtype, store->as.store.buffer->dtype)) {
        return false;
    }
    if (v->kind != TIRB_EXPR_ADD && v->kind != TIRB_EXPR_MUL && v->kind != TIRB_EXPR_MIN && v->kind != TIRB_EXPR_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < store->as.store.n_indices; i++) {
        if (!plain(store->as.store.indices[i])) return false;
    }
    bool a = is_old_value(c, store, v->as.binary.a);
    bool b = is_old_value(c, store, v->as.binary.b);
    if (a == b || c->n_updates == MAX_UPDATES) return false;
    c->updates[c->n_updates++] =
        (tirbi_ref_update){.store = store, .op = v->kind, .term = a ? v->as.binary.b : v->as.binary.a};
    return true;
}

/* Descends through lets and sequences to the stores. */
static bool match_updates(const finder *f, candidate *c, const tirb_stmt *s) {
    if (s->kind == TIRB_STMT_LET) {
        if (c->n_lets == MAX_LETS || !clean(f, c, s->as.let.value, true)) return false;
        c->let_vars[c->n_lets] = s->as.let.var;
        c->let_values[c->n_lets++] = s->as.let.value;
        return match_updates(f, c, s->as.let.body);
    }
    if (s->kind == TIRB_STMT_SEQ) {
        for (uint32_t i = 0; i < s->as.seq.n; i++) {
            if (!match_updates(f, c, s->as.seq.items[i])) return false;
        }
        return s->as.seq.n > 0;
    }
    return s->kind == TIRB_STMT_STORE && match_update(c, s);
}

static bool distinct_outputs(const finder *f, const candidate *c) {
    for (uint32_t i = 0; i < c->n_updates; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (may_meet(f, c->updates[i].store->as.store.buffer, c->updates[j].store->as.store.buffer)) {
                return false;
            }
        }
    }
    return true;
}

static bool terms_clean(const finder *f, candidate *c) {
    for (uint32_t i = 0; i < c->n_updates; i++) {
        if (!clean(f, c, c->updates[i].term, false)) return false;
    }
    return true;
}

static bool outputs_mention(candidate *c, const var_set *set) {
    for (uint32_t i = 0; i < c->n_updates; i++) {
        const tirb_stmt *store = c->updates[i].store;
        for (uint32_t d = 0; d < store->as.store.n_indices; d++) {
            if (mentions(c, store->as.store.indices[d], set)) return true;
        }
    }
    return false;
}

/* Whether `a` or `b` stands alone as an index of every update. */
static bool indexes_every_output(const candidate *c, const tirb_expr *a, const tirb_expr *b) {
    for (uint32_t i = 0; i < c->n_updates; i++) {
        const tirb_stmt *store = c->updates[i].store;
        bool found = false;
        for (uint32_t d = 0; d < store->as.store.n_indices; d++) {
            found = found || store->as.store.indices[d] == a || store->as.store.indices[d] == b;
        }
        if (!found) return false;
    }
    return true;
}

/* ---- Loops ---------------------------------------------------------------------------------------------------- */

static bool is_serial(const tirb_stmt *s) {
    const tirb_expr *step = s->as.for_.step;
    return s->kind == TIRB_STMT_FOR && s->as.for_.kind == TIRB_FOR_SERIAL &&
           (step == NULL || (step->kind == TIRB_EXPR_INT_IMM && step->as.int_value == 1));
}

/* Rule 3: the bounds of the loops from the outermost reduction loop inwards depend on none of them. */
static bool bounds_are_free(candidate *c) {
    var_set inside = {.n = 0};
    for (uint32_t i = c->first; i < c->n_loops; i++) add_var(c, &inside, c->loops[i]->as.for_.var);
    for (uint32_t i = c->first; i < c->n_loops; i++) {
        const tirb_expr *min = c->loops[i]->as.for_.min;
        const tirb_expr *extent = c->loops[i]->as.for_.extent;
        if (!plain(min) || !plain(extent) || mentions(c, min, &inside) || mentions(c, extent, &inside)) return false;
    }
    return true;
}

/* The axis that a loop's variable is the bare value of, or the variable itself: one name for one variable. */
static const tirb_expr *axis_of(const candidate *c, const tirb_expr *var) {
    for (uint32_t i = 0; c->block != NULL && i < c->block->n_iters; i++) {
        if (c->realize->as.block.values[i] == var) return c->block->iters[i].var;
    }
    return var;
}

static void spatial_variables(candidate *c, const tirb_expr *load, var_set *out) {
    out->n = 0;
    var_set found = {.n = 0};
    walk w = {.visitor = {.expr = mention_walk}, .c = c, .set = &c->sv, .mention = &found};
    w.visitor.context = &w;
    for (uint32_t d = 0; d < load->as.load.n_indices; d++) mention_walk(&w.visitor, load->as.load.indices[d]);
    for (uint32_t i = 0; i < found.n; i++) add_var(c, out, axis_of(c, found.vars[i]));
}

static bool subset(const var_set *a, const var_set *b) {
    for (uint32_t i = 0; i < a->n; i++) {
        if (!contains(b, a->vars[i])) return false;
    }
    return true;
}

/* Rule 8: (a) no reducing load runs along a spatial variable in its last index; (b) their spatial variables are
 * nested. */
static bool loads_allow(candidate *c) {
    const tirb_expr *reducing[MAX_LOADS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_loads; i++) {
        const tirb_expr *load = c->loads[i];
        bool reduces = false;
        for (uint32_t d = 0; d < load->as.load.n_indices; d++) {
            reduces = reduces || mentions(c, load->as.load.indices[d], &c->rv);
        }
        if (!reduces) continue;
        if (mentions(c, load->as.load.indices[load->as.load.n_indices - 1], &c->sv)) return false;
        reducing[n++] = load;
    }
    for (uint32_t i = 0; i < n; i++) {
        var_set a;
        spatial_variables(c, reducing[i], &a);
        for (uint32_t j = 0; j < i; j++) {
            var_set b;
            spatial_variables(c, reducing[j], &b);
            if (!subset(&a, &b) && !subset(&b, &a)) return false;
        }
    }
    return true;
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */

static int32_t loop_of(const candidate *c, const tirb_expr *var) {
    for (uint32_t i = 0; i < c->n_loops; i++) {
        if (c->loops[i]->as.for_.var == var) return (int32_t)i;
    }
    return -1;
}

/* Rules 1 and 2: finds the reduction loops. */
static bool match_axes(candidate *c) {
    const tirb_block *block = c->block;
    c->first = c->n_loops;
    if (block->n_allocs > 0 || block->n_matches > 0 || c->realize->as.block.values == NULL) return false;
    for (uint32_t i = 0; i < block->n_iters; i++) {
        const tirb_itervar *axis = &block->iters[i];
        if (axis->type == TIRB_ITER_DATA_PAR) continue;
        if (axis->type != TIRB_ITER_COMM_REDUCE) return false;
        int32_t loop = loop_of(c, c->realize->as.block.values[i]);
        if (loop < 0 || c->reduction[loop]) return false;
        const tirb_stmt *s = c->loops[loop];
        if (!same(axis->dom.min, s->as.for_.min) || !same(axis->dom.extent, s->as.for_.extent)) return false;
        c->reduction[loop] = true;
        add_var(c, &c->rv, axis->var);
        add_var(c, &c->rv, s->as.for_.var);
        if ((uint32_t)loop < c->first) c->first = (uint32_t)loop;
    }
    return c->rv.n > 0;
}

/* Rule 4: each other loop inside the outermost reduction loop selects its own elements of every output. */
static bool spatial_loops_separate(const candidate *c) {
    for (uint32_t i = c->first; i < c->n_loops; i++) {
        const tirb_expr *var = c->loops[i]->as.for_.var;
        bool is_axis = false;
        if (c->reduction[i]) continue;
        for (uint32_t k = 0; k < c->block->n_iters; k++) {
            is_axis = is_axis || (c->realize->as.block.values[k] == var &&
                                  indexes_every_output(c, c->block->iters[k].var, var));
        }
        if (!is_axis) return false;
    }
    return true;
}

/* Rule 5. */
static bool spatial_values_free(candidate *c) {
    for (uint32_t i = 0; i < c->block->n_iters; i++) {
        const tirb_expr *value = c->realize->as.block.values[i];
        if (c->block->iters[i].type == TIRB_ITER_DATA_PAR && (!plain(value) || mentions(c, value, &c->rv)))
            return false;
    }
    const tirb_expr *predicate = c->realize->as.block.predicate;
    return predicate == NULL || (plain(predicate) && !mentions(c, predicate, &c->rv));
}

/* Rule 7: init only stores to the outputs, at their places, values that no output or reduce variable decides. */
static bool init_allows(const finder *f, candidate *c, const tirb_stmt *s) {
    if (s->kind == TIRB_STMT_SEQ) {
        for (uint32_t i = 0; i < s->as.seq.n; i++) {
            if (!init_allows(f, c, s->as.seq.items[i])) return false;
        }
        return s->as.seq.n > 0;
    }
    if (s->kind != TIRB_STMT_STORE || s->as.store.predicate != NULL) return false;
    for (uint32_t i = 0; i < c->n_updates; i++) {
        const tirb_stmt *store = c->updates[i].store;
        if (store->as.store.buffer != s->as.store.buffer) continue;
        for (uint32_t d = 0; d < s->as.store.n_indices; d++) {
            if (!same(s->as.store.indices[d], store->as.store.indices[d])) return false;
        }
        uint32_t n_loads = c->n_loads; /* the loads of init are not those of a term */
        bool allowed = clean(f, c, s->as.store.value, false) && !mentions(c, s->as.store.value, &c->rv);
        c->n_loads = n_loads;
        return allowed;
    }
    return false;
}

static void collect_spatial(candidate *c) {
    for (uint32_t i = 0; c->block != NULL && i < c->block->n_iters; i++) {
        if (c->block->iters[i].type == TIRB_ITER_DATA_PAR) add_var(c, &c->sv, c->block->iters[i].var);
    }
    for (uint32_t i = 0; i < c->n_loops; i++) {
        if (!c->reduction[i]) add_var(c, &c->sv, c->loops[i]->as.for_.var);
    }
}

static bool block_is_tree(const finder *f, candidate *c) {
    if (c->n_loops == 0 || !match_axes(c) || !bounds_are_free(c)) return false;
    if (!match_updates(f, c, c->body) || !distinct_outputs(f, c) || !terms_clean(f, c)) return false;
    if (outputs_mention(c, &c->rv) || !spatial_loops_separate(c) || !spatial_values_free(c)) return false;
    if (c->block->init != NULL && !init_allows(f, c, c->block->init)) return false;
    collect_spatial(c);
    return loads_allow(c) && !c->overflow;
}

/* ---- Plain loops ---------------------------------------------------------------------------------------------- */

static bool loops_are_tree(const finder *f, candidate *c) {
    if (c->n_loops == 0 || !match_updates(f, c, c->body) || !distinct_outputs(f, c) || !terms_clean(f, c)) return false;
    c->first = c->n_loops;
    for (uint32_t i = c->n_loops; i-- > 0;) {
        var_set one = {.vars = {c->loops[i]->as.for_.var}, .n = 1};
        c->reduction[i] = !outputs_mention(c, &one);
        if (!c->reduction[i]) continue;
        c->first = i;
        add_var(c, &c->rv, c->loops[i]->as.for_.var);
    }
    if (c->rv.n == 0 || !bounds_are_free(c)) return false;
    for (uint32_t i = c->first; i < c->n_loops; i++) {
        const tirb_expr *var = c->loops[i]->as.for_.var;
        if (!c->reduction[i] && !indexes_every_output(c, var, var)) return false;
    }
    collect_spatial(c);
    return loads_allow(c) && !c->overflow;
}

/* ---- The search ----------------------------------------------------------------------------------------------- */

static void keep(finder *f, const candidate *c) {
    tirbi_ref_tree_loop *loops = TIRBI_NEW_ARRAY(f->arena, tirbi_ref_tree_loop, c->n_loops - c->first);
    tirbi_ref_update *updates = TIRBI_NEW_ARRAY(f->arena, tirbi_ref_update, c->n_updates);
    uint32_t *radix = TIRBI_NEW_ARRAY(f->arena, uint32_t, c->n_loops);
    if (f->n == f->capacity) {
        uint32_t capacity = f->capacity == 0 ? 16 : f->capacity * 2;
        tirbi_ref_tree *trees = TIRBI_NEW_ARRAY(f->arena, tirbi_ref_tree, capacity);
        for (uint32_t i = 0; trees != NULL && i < f->n; i++) trees[i] = f->trees[i];
        f->trees = trees;
        f->capacity = capacity;
    }
    if (f->arena->failed) return;
    uint32_t n_radix = 0;
    for (uint32_t i = c->first; i < c->n_loops; i++) {
        loops[i - c->first] = (tirbi_ref_tree_loop){.loop = c->loops[i], .reduction = c->reduction[i]};
        if (c->block == NULL && c->reduction[i]) radix[n_radix++] = i - c->first;
    }
    for (uint32_t i = 0; c->block != NULL && i < c->block->n_iters; i++) {
        if (c->block->iters[i].type != TIRB_ITER_COMM_REDUCE) continue;
        radix[n_radix++] = (uint32_t)loop_of(c, c->realize->as.block.values[i]) - c->first;
    }
    for (uint32_t i = 0; i < c->n_updates; i++) updates[i] = c->updates[i];
    f->trees[f->n++] = (tirbi_ref_tree){.loops = loops,
                                        .n_loops = c->n_loops - c->first,
                                        .realize = c->realize,
                                        .radix = radix,
                                        .n_radix = n_radix,
                                        .body = c->body,
                                        .updates = updates,
                                        .n_updates = c->n_updates};
}

static void find(finder *f, const tirb_stmt *s);

/* s is the outermost loop of a nest: judges the nest, then goes on inside. */
static void find_in_nest(finder *f, const tirb_stmt *s) {
    candidate *c = TIRBI_NEW(f->arena, candidate);
    if (c == NULL) return;
    while (s->kind == TIRB_STMT_FOR && is_serial(s) && c->n_loops < MAX_LOOPS) {
        c->loops[c->n_loops++] = s;
        s = s->as.for_.body;
    }
    if (s->kind == TIRB_STMT_BLOCK_REALIZE) {
        c->realize = s;
        c->block = s->as.block.block;
        c->body = c->block->body;
        if (block_is_tree(f, c)) keep(f, c);
    } else if (f->fast) {
        c->body = s;
        if (loops_are_tree(f, c)) keep(f, c);
    }
    find(f, s);
}

static void find_child(tirbi_visitor *visitor, const tirb_stmt *s) { find(visitor->context, s); }

static void find(finder *f, const tirb_stmt *s) {
    if (s == NULL || f->depth == MAX_DEPTH) return;
    f->depth++;
    if (s->kind == TIRB_STMT_FOR && is_serial(s)) {
        find_in_nest(f, s);
    } else {
        tirbi_visitor visitor = {.stmt = find_child, .context = f};
        tirbi_visit_stmt(&visitor, s);
    }
    f->depth--;
}

/* The buffer that a pointer leads into; NULL: it is not known. */
static const tirb_buffer *pointee(const finder *f, const tirb_expr *e) {
    for (uint32_t steps = 0; e != NULL && steps < MAX_DEPTH; steps++) {
        if (e->kind == TIRB_EXPR_VAR && e->as.var.data_of != NULL) return e->as.var.data_of;
        if (e->kind == TIRB_EXPR_VAR) {
            e = f->pointers[e->as.var.id];
            continue;
        }
        if (e->kind == TIRB_EXPR_CAST) {
            e = e->as.cast.value;
            continue;
        }
        if (e->kind != TIRB_EXPR_CALL || e->as.call.function != NULL || e->as.call.n_args == 0) return NULL;
        if (e->as.call.builtin == TIRB_BUILTIN_ADDRESS_OF)
            return e->as.call.args[0]->kind == TIRB_EXPR_LOAD ? e->as.call.args[0]->as.load.buffer : NULL;
        e = e->as.call.args[e->as.call.builtin == TIRB_BUILTIN_TVM_ACCESS_PTR && e->as.call.n_args > 1];
    }
    return NULL;
}

/* Notes of which buffer each matched or declared buffer is a part. */
static void note_sources(tirbi_visitor *visitor, const tirb_stmt *s) {
    finder *f = visitor->context;
    if (s->kind == TIRB_STMT_BLOCK_REALIZE) {
        const tirb_block *block = s->as.block.block;
        for (uint32_t i = 0; i < block->n_matches; i++) {
            f->match_sources[block->matches[i].buffer->id] = block->matches[i].source.buffer;
        }
    }
    if (s->kind == TIRB_STMT_LET && s->as.let.var->dtype.code == TIRB_CODE_HANDLE)
        f->pointers[s->as.let.var->as.var.id] = s->as.let.value;
    if (s->kind == TIRB_STMT_DECL_BUFFER) {
        const tirb_buffer *buffer = s->as.decl.buffer;
        const tirb_buffer *of = pointee(f, s->as.decl.source != NULL ? s->as.decl.source : buffer->data);
        if (of != NULL && of != buffer) f->match_sources[buffer->id] = of;
    }
    if (f->depth == MAX_DEPTH) return;
    f->depth++;
    tirbi_visit_stmt(visitor, s);
    f->depth--;
}

bool tirbi_ref_find_trees(const tirb_irmodule *module, bool fast, tirbi_arena *arena, tirbi_ref_trees *out) {
    finder f = {.arena = arena, .fast = fast, .module = module};
    *out = (tirbi_ref_trees){.items = NULL, .n = 0};
    f.match_sources = TIRBI_NEW_ARRAY(arena, const tirb_buffer *, module->n_buffers);
    f.pointers = TIRBI_NEW_ARRAY(arena, const tirb_expr *, module->n_vars);
    if (f.match_sources == NULL || f.pointers == NULL) return false;
    for (uint32_t i = 0; i < module->n_functions; i++) {
        tirbi_visitor visitor = {.stmt = note_sources, .context = &f};
        if (module->functions[i]->body == NULL) continue;
        f.function = module->functions[i];
        note_sources(&visitor, module->functions[i]->body);
        find(&f, module->functions[i]->body);
    }
    *out = (tirbi_ref_trees){.items = f.trees, .n = f.n};
    return !arena->failed;
}

const tirbi_ref_tree *tirbi_ref_tree_at(const tirbi_ref_trees *trees, const tirb_stmt *loop) {
    for (uint32_t i = 0; i < trees->n; i++) {
        if (trees->items[i].loops[0].loop == loop) return &trees->items[i];
    }
    return NULL;
}
