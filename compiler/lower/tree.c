/* Which nests are tree reductions: rules R3 and R4, condition by condition as tests/reference/RULES.md numbers them.
 * The answer depends on the program's text alone. */
#include "compiler/lower/lower.h"

#include <string.h>

#include "compiler/ir/visit.h"

enum { MAX_SET = 64, MAX_LETS = 32, MAX_LOADS = 64, MAX_UPDATES = 16, MAX_DEPTH = 400, MAX_STEPS = 200000 };

/* Lets of the body that is looked at; expressions are read with their variables replaced. */
typedef struct let_list {
    const tirb_expr *var[MAX_LETS], *value[MAX_LETS];
    uint32_t n;
} let_list;

typedef struct var_set {
    const tirb_expr *var[MAX_SET];
    uint32_t n;
} var_set;

typedef struct finder {
    tirbi_lowerer *l;
    let_list lets;
    const tirb_stmt *stores[MAX_UPDATES];
    const tirb_expr *terms[MAX_UPDATES];
    tirbi_red_op ops[MAX_UPDATES];
    uint32_t n_updates;
    var_set rv; /* reduction variables, of loops and axes */
    var_set sv; /* spatial variables; alias[i] is the loop variable that axis i is bound to, or NULL */
    const tirb_expr *alias[MAX_SET];
} finder;

static bool in_set(const var_set *set, const tirb_expr *var) {
    for (uint32_t i = 0; i < set->n; i++) {
        if (set->var[i] == var) return true;
    }
    return false;
}

static bool add_to(var_set *set, const tirb_expr *var) {
    if (in_set(set, var)) return true;
    if (set->n == MAX_SET) return false;
    set->var[set->n++] = var;
    return true;
}

static const tirb_expr *let_value(const let_list *lets, const tirb_expr *e) {
    for (uint32_t hops = 0; e->kind == TIRB_EXPR_VAR && hops <= lets->n; hops++) {
        uint32_t i = 0;
        while (i < lets->n && lets->var[i] != e) i++;
        if (i == lets->n) return e;
        e = lets->value[i];
    }
    return e;
}

/* ---- Walking with lets replaced ------------------------------------------------------------------------------- */

typedef struct walk {
    tirbi_visitor visitor; /* first */
    const finder *f;
    bool (*stop)(struct walk *w, const tirb_expr *e); /* true: the walk has found what it looks for */
    const void *context;
    bool found;
    unsigned depth, steps; /* lets that double each other would make a walk endless: past MAX_STEPS it gives up */
} walk;

static void walk_expr(tirbi_visitor *visitor, const tirb_expr *e) {
    walk *w = (walk *)visitor;
    if (w->found) return;
    const tirb_expr *actual = let_value(&w->f->lets, e);
    if (++w->depth > MAX_DEPTH || ++w->steps > MAX_STEPS || w->stop(w, actual)) {
        w->found = true;
    } else {
        tirbi_visit_expr(visitor, actual);
    }
    w->depth--;
}

static bool any(const finder *f, const tirb_expr *e, bool (*stop)(walk *, const tirb_expr *), const void *context) {
    walk w = {.visitor = {.expr = walk_expr}, .f = f, .stop = stop, .context = context};
    walk_expr(&w.visitor, e);
    return w.found;
}

static bool is_member(walk *w, const tirb_expr *e) { return e->kind == TIRB_EXPR_VAR && in_set(w->context, e); }

static bool mentions(const finder *f, const tirb_expr *e, const var_set *set) { return any(f, e, is_member, set); }

static bool not_plain(walk *w, const tirb_expr *e) {
    (void)w;
    switch (e->kind) {
    case TIRB_EXPR_VAR: return e->as.var.type.kind == TIRB_TYPE_POINTER || e->dtype.code == TIRB_CODE_HANDLE;
    case TIRB_EXPR_STRING_IMM:
    case TIRB_EXPR_LOAD:
    case TIRB_EXPR_RAMP:
    case TIRB_EXPR_BROADCAST:
    case TIRB_EXPR_LET:
    case TIRB_EXPR_CALL:
    case TIRB_EXPR_SHUFFLE:
    case TIRB_EXPR_REDUCE: return true;
    default: return false;
    }
}

static bool plain(const finder *f, const tirb_expr *e) { return !any(f, e, not_plain, NULL); }

/* ---- Structural equality -------------------------------------------------------------------------------------- */

static bool same(const tirb_expr *a, const tirb_expr *b, unsigned depth) {
    if (a == b) return true;
    if (!a || !b || depth > MAX_DEPTH || a->kind != b->kind) return false;
    if (a->kind == TIRB_EXPR_INT_IMM) return a->as.int_value == b->as.int_value;
    if (a->kind == TIRB_EXPR_VAR || !tirb_datatype_equal(a->dtype, b->dtype)) return false;
    switch (a->kind) {
    case TIRB_EXPR_FLOAT_IMM: return memcmp(&a->as.float_value, &b->as.float_value, sizeof(double)) == 0;
    case TIRB_EXPR_CAST:
    case TIRB_EXPR_NOT: return same(a->as.cast.value, b->as.cast.value, depth + 1);
    case TIRB_EXPR_SELECT:
        return same(a->as.select.condition, b->as.select.condition, depth + 1) &&
               same(a->as.select.true_value, b->as.select.true_value, depth + 1) &&
               same(a->as.select.false_value, b->as.select.false_value, depth + 1);
    case TIRB_EXPR_ADD: case TIRB_EXPR_SUB: case TIRB_EXPR_MUL: case TIRB_EXPR_DIV: case TIRB_EXPR_MOD:
    case TIRB_EXPR_FLOORDIV: case TIRB_EXPR_FLOORMOD: case TIRB_EXPR_MIN: case TIRB_EXPR_MAX: case TIRB_EXPR_EQ:
    case TIRB_EXPR_NE: case TIRB_EXPR_LT: case TIRB_EXPR_LE: case TIRB_EXPR_GT: case TIRB_EXPR_GE: case TIRB_EXPR_AND:
    case TIRB_EXPR_OR:
        return same(a->as.binary.a, b->as.binary.a, depth + 1) && same(a->as.binary.b, b->as.binary.b, depth + 1);
    default: return false; /* only plain expressions are compared */
    }
}

static bool same_indices(const tirb_expr *const *a, const tirb_expr *const *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (!same(a[i], b[i], 0)) return false;
    }
    return true;
}

/* ---- Updates -------------------------------------------------------------------------------------------------- */

/* The memory that a buffer is in. Regions that outer blocks match and views of pointers have been declared by now.
 * NULL: it is declared where it is used, or nothing is lowered. */
static const tirbi_lbuf *memory_of(const finder *f, const tirb_buffer *b) {
    const tirbi_lbuf *declared = f->l && b->id < f->l->n_buffers ? f->l->buffers[b->id] : NULL;
    return declared ? declared->root : NULL;
}

static const tirb_buffer *root_of(const tirb_buffer *b) {
    const tirb_expr *data = b->data;
    return data && data->as.var.data_of ? data->as.var.data_of : b;
}

/* Whether two buffers may be the same memory: one root, or two parameters that may alias. */
static bool may_meet(const finder *f, const tirb_buffer *a, const tirb_buffer *b) {
    a = memory_of(f, a) ? a : root_of(a);
    b = memory_of(f, b) ? b : root_of(b);
    const tirbi_lbuf *first = memory_of(f, a), *second = memory_of(f, b);
    return a == b || (first && second && tirbi_may_meet(first, second));
}

static bool is_old_value(const finder *f, const tirb_expr *e, const tirb_stmt *store) {
    e = let_value(&f->lets, e);
    return e->kind == TIRB_EXPR_LOAD && !e->as.load.predicate && e->as.load.buffer == store->as.store.buffer &&
           e->as.load.n_indices == store->as.store.n_indices &&
           same_indices(e->as.load.indices, store->as.store.indices, e->as.load.n_indices);
}

static bool is_update(const finder *f, const tirb_stmt *s, tirbi_red_op *op, const tirb_expr **term) {
    const tirb_expr *v = let_value(&f->lets, s->as.store.value);
    tirb_datatype type = s->as.store.buffer->dtype;
    if (s->as.store.predicate || type.lanes != 1 || type.code != TIRB_CODE_FLOAT || type.bits < 32) return false;
    if (!tirb_datatype_equal(v->dtype, type)) return false;
    switch (v->kind) {
    case TIRB_EXPR_ADD: *op = TIRBI_RED_ADD; break;
    case TIRB_EXPR_MUL: *op = TIRBI_RED_MUL; break;
    case TIRB_EXPR_MIN: *op = TIRBI_RED_MIN; break;
    case TIRB_EXPR_MAX: *op = TIRBI_RED_MAX; break;
    default: return false;
    }
    bool a = is_old_value(f, v->as.binary.a, s), b = is_old_value(f, v->as.binary.b, s);
    if (a == b) return false;
    *term = a ? v->as.binary.b : v->as.binary.a;
    for (uint32_t i = 0; i < s->as.store.n_indices; i++) {
        if (!plain(f, s->as.store.indices[i])) return false;
    }
    return true;
}

/* Or a Reduce, whose loops cannot stand in a tree. */
static bool is_effect(const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_VAR) return e->as.var.type.kind == TIRB_TYPE_POINTER || e->dtype.code == TIRB_CODE_HANDLE;
    if (e->kind != TIRB_EXPR_CALL) return e->kind == TIRB_EXPR_REDUCE;
    if (e->as.call.function || e->as.call.function_name) return true;
    const uint8_t effect = tirb_builtins[e->as.call.builtin].effect;
    return effect != TIRB_EFFECT_PURE && effect != TIRB_EFFECT_ANNOTATION;
}

static bool stop_at_effect(walk *w, const tirb_expr *e) {
    (void)w;
    return is_effect(e);
}

/* Collects lets and updates of a body; false when it holds anything else. */
static bool find_updates(finder *f, const tirb_stmt *s) {
    if (s->kind == TIRB_STMT_LET) {
        if (f->lets.n == MAX_LETS || any(f, s->as.let.value, stop_at_effect, NULL)) return false;
        f->lets.var[f->lets.n] = s->as.let.var;
        f->lets.value[f->lets.n++] = s->as.let.value;
        return find_updates(f, s->as.let.body);
    }
    if (s->kind == TIRB_STMT_SEQ) {
        for (uint32_t i = 0; i < s->as.seq.n; i++) {
            if (!find_updates(f, s->as.seq.items[i])) return false;
        }
        return s->as.seq.n > 0;
    }
    if (s->kind != TIRB_STMT_STORE || f->n_updates == MAX_UPDATES) return false;
    uint32_t n = f->n_updates;
    if (!is_update(f, s, &f->ops[n], &f->terms[n])) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (may_meet(f, f->stores[i]->as.store.buffer, s->as.store.buffer)) return false;
    }
    f->stores[n] = s;
    f->n_updates++;
    return true;
}

static bool is_unclean(walk *w, const tirb_expr *e) {
    const finder *f = w->f;
    for (uint32_t i = 0; e->kind == TIRB_EXPR_LOAD && i < f->n_updates; i++) {
        if (may_meet(f, f->stores[i]->as.store.buffer, e->as.load.buffer)) return true;
    }
    return is_effect(e);
}

static bool clean(const finder *f, const tirb_expr *e) { return !any(f, e, is_unclean, NULL); }

static bool terms_are_clean(const finder *f) {
    for (uint32_t i = 0; i < f->n_updates; i++) {
        if (!clean(f, f->terms[i])) return false;
    }
    return true;
}

static bool targets_mention_rv(const finder *f) {
    for (uint32_t u = 0; u < f->n_updates; u++) {
        for (uint32_t i = 0; i < f->stores[u]->as.store.n_indices; i++) {
            if (mentions(f, f->stores[u]->as.store.indices[i], &f->rv)) return true;
        }
    }
    return false;
}

/* ---- Condition 8: how the terms read memory ------------------------------------------------------------------- */

typedef struct load_list {
    const tirb_expr *load[MAX_LOADS];
    uint64_t spatial[MAX_LOADS]; /* which of f->sv its indices mention */
    uint32_t n;
    bool overflow;
} load_list;

static bool collect_load(walk *w, const tirb_expr *e) {
    load_list *list = (load_list *)(uintptr_t)w->context;
    if (e->kind != TIRB_EXPR_LOAD) return false;
    bool reduces = false;
    for (uint32_t i = 0; i < e->as.load.n_indices; i++) {
        reduces = reduces || mentions(w->f, e->as.load.indices[i], &w->f->rv);
    }
    if (!reduces) return false;
    if (list->n == MAX_LOADS) list->overflow = true;
    else list->load[list->n++] = e;
    return false;
}

/* The spatial variables in an expression; a loop variable counts as the axis that is bound to it, if there is one. */
static uint64_t spatial_in(const finder *f, const tirb_expr *e) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < f->sv.n; i++) {
        var_set one = {.var = {f->sv.var[i]}, .n = 1};
        if (!mentions(f, e, &one)) continue;
        uint32_t at = i;
        for (uint32_t j = 0; j < f->sv.n; j++) {
            if (f->alias[j] == f->sv.var[i]) {
                at = j;
                break;
            }
        }
        bits |= UINT64_C(1) << at;
    }
    return bits;
}

static bool loads_allow_tree(const finder *f) {
    load_list list = {.n = 0};
    for (uint32_t i = 0; i < f->n_updates; i++) any(f, f->terms[i], collect_load, &list);
    if (list.overflow) return false;
    for (uint32_t i = 0; i < list.n; i++) {
        const tirb_expr *load = list.load[i];
        uint32_t n = load->as.load.n_indices;
        if (spatial_in(f, load->as.load.indices[n - 1])) return false;
        for (uint32_t d = 0; d < n; d++) list.spatial[i] |= spatial_in(f, load->as.load.indices[d]);
        for (uint32_t j = 0; j < i; j++) {
            uint64_t both = list.spatial[i] & list.spatial[j];
            if (both != list.spatial[i] && both != list.spatial[j]) return false;
        }
    }
    return true;
}

/* ---- The nest ------------------------------------------------------------------------------------------------- */

static bool same_domain(const tirb_itervar *iter, const tirb_stmt *loop) {
    return iter->dom.min && iter->dom.extent && same(iter->dom.min, loop->as.for_.min, 0) &&
           same(iter->dom.extent, loop->as.for_.extent, 0);
}

/* Conditions 1 and 2: fills order with loops of the chain. */
static bool bind_reduce_axes(finder *f, const tirb_stmt *realize, const tirb_stmt *const *chain, uint32_t n,
                             tirbi_tree *out) {
    const tirb_block *block = realize->as.block.block;
    if (block->n_allocs || block->n_matches || block->no_realize) return false;
    for (uint32_t i = 0; i < block->n_iters; i++) {
        const tirb_itervar *iter = &block->iters[i];
        if (iter->type == TIRB_ITER_DATA_PAR) continue;
        if (iter->type != TIRB_ITER_COMM_REDUCE) return false;
        uint32_t at = 0;
        while (at < n && chain[at]->as.for_.var != realize->as.block.values[i]) at++;
        if (at == n || out->n_order == 32 || in_set(&f->rv, chain[at]->as.for_.var)) return false;
        if (!same_domain(iter, chain[at])) return false;
        out->order[out->n_order++] = at;
        if (!add_to(&f->rv, chain[at]->as.for_.var) || !add_to(&f->rv, iter->var)) return false;
    }
    return out->n_order > 0;
}

/* Condition 3; `order` becomes relative to the outermost reduction loop. */
static bool take_inner(finder *f, const tirb_stmt *const *chain, uint32_t n, tirbi_tree *out) {
    uint32_t first = n;
    for (uint32_t i = 0; i < out->n_order; i++) {
        if (out->order[i] < first) first = out->order[i];
    }
    if (n - first > 32) return false;
    var_set inner = {.n = 0};
    out->n_inner = n - first;
    for (uint32_t i = first; i < n; i++) {
        out->inner[i - first] = chain[i];
        if (!add_to(&inner, chain[i]->as.for_.var)) return false;
    }
    for (uint32_t i = 0; i < out->n_order; i++) {
        out->order[i] -= first;
        out->reduces[out->order[i]] = true;
    }
    for (uint32_t i = 0; i < out->n_inner; i++) {
        const tirb_expr *min = out->inner[i]->as.for_.min, *extent = out->inner[i]->as.for_.extent;
        if (!plain(f, min) || !plain(f, extent) || mentions(f, min, &inner) || mentions(f, extent, &inner))
            return false;
    }
    out->outermost = out->inner[0];
    return true;
}

/* Whether one of the two variables (the second may be NULL) stands bare among the indices of every update. */
static bool indexes_all(const finder *f, const tirb_expr *var, const tirb_expr *other) {
    for (uint32_t u = 0; u < f->n_updates; u++) {
        const tirb_stmt *s = f->stores[u];
        bool found = false;
        for (uint32_t i = 0; i < s->as.store.n_indices; i++) {
            const tirb_expr *index = s->as.store.indices[i];
            found = found || index == var || (other && index == other);
        }
        if (!found) return false;
    }
    return true;
}

/* Condition 4. */
static bool inner_loops_index(const finder *f, const tirbi_tree *tree) {
    for (uint32_t i = 0; i < tree->n_inner; i++) {
        if (tree->reduces[i]) continue;
        const tirb_expr *var = tree->inner[i]->as.for_.var, *axis = NULL;
        if (tree->realize) {
            const tirb_block *block = tree->realize->as.block.block;
            for (uint32_t a = 0; a < block->n_iters && !axis; a++) {
                if (block->iters[a].type == TIRB_ITER_DATA_PAR && tree->realize->as.block.values[a] == var) {
                    axis = block->iters[a].var;
                }
            }
            if (!axis) return false;
        }
        if (!indexes_all(f, var, axis)) return false;
    }
    return true;
}

/* Condition 5. */
static bool realize_is_regular(const finder *f, const tirb_stmt *realize) {
    const tirb_block *block = realize->as.block.block;
    for (uint32_t i = 0; i < block->n_iters; i++) {
        if (block->iters[i].type != TIRB_ITER_DATA_PAR) continue;
        const tirb_expr *value = realize->as.block.values[i];
        if (!plain(f, value) || mentions(f, value, &f->rv)) return false;
    }
    const tirb_expr *predicate = realize->as.block.predicate;
    return !predicate || (plain(f, predicate) && !mentions(f, predicate, &f->rv));
}

/* Condition 7. */
static bool init_is_regular(const finder *f, const tirb_stmt *s) {
    if (s->kind == TIRB_STMT_SEQ) {
        for (uint32_t i = 0; i < s->as.seq.n; i++) {
            if (!init_is_regular(f, s->as.seq.items[i])) return false;
        }
        return true;
    }
    if (s->kind != TIRB_STMT_STORE || s->as.store.predicate) return false;
    for (uint32_t u = 0; u < f->n_updates; u++) {
        const tirb_stmt *update = f->stores[u];
        if (update->as.store.buffer != s->as.store.buffer) continue;
        return update->as.store.n_indices == s->as.store.n_indices &&
               same_indices(update->as.store.indices, s->as.store.indices, s->as.store.n_indices) &&
               clean(f, s->as.store.value) && !mentions(f, s->as.store.value, &f->rv);
    }
    return false;
}

static bool gather_spatial(finder *f, const tirbi_tree *tree, const tirb_stmt *const *chain, uint32_t n) {
    if (tree->realize) {
        const tirb_block *block = tree->realize->as.block.block;
        for (uint32_t i = 0; i < block->n_iters; i++) {
            if (block->iters[i].type != TIRB_ITER_DATA_PAR) continue;
            const tirb_expr *value = tree->realize->as.block.values[i];
            if (f->sv.n == MAX_SET) return false;
            f->alias[f->sv.n] = value->kind == TIRB_EXPR_VAR ? value : NULL;
            if (!add_to(&f->sv, block->iters[i].var)) return false;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const tirb_expr *var = chain[i]->as.for_.var;
        if (!in_set(&f->rv, var) && !add_to(&f->sv, var)) return false;
    }
    return true;
}

static bool find_block_tree(finder *f, const tirb_stmt *realize, const tirb_stmt *const *chain, uint32_t n,
                            tirbi_tree *out) {
    const tirb_block *block = realize->as.block.block;
    out->realize = realize;
    out->body = block->body;
    return bind_reduce_axes(f, realize, chain, n, out) && find_updates(f, block->body) &&
           take_inner(f, chain, n, out) && inner_loops_index(f, out) && realize_is_regular(f, realize) &&
           !targets_mention_rv(f) && terms_are_clean(f) && (!block->init || init_is_regular(f, block->init)) &&
           gather_spatial(f, out, chain, n) && loads_allow_tree(f);
}

/* Rule R4: plain loops. */
static bool find_loop_tree(finder *f, const tirb_stmt *body, const tirb_stmt *const *chain, uint32_t n,
                           tirbi_tree *out) {
    out->body = body;
    if (!find_updates(f, body) || !terms_are_clean(f)) return false;
    for (uint32_t i = 0; i < n; i++) {
        var_set one = {.var = {chain[i]->as.for_.var}, .n = 1};
        bool spatial = false;
        for (uint32_t u = 0; u < f->n_updates; u++) {
            for (uint32_t d = 0; d < f->stores[u]->as.store.n_indices; d++) {
                spatial = spatial || mentions(f, f->stores[u]->as.store.indices[d], &one);
            }
        }
        if (spatial) continue;
        out->order[out->n_order++] = i;
        if (!add_to(&f->rv, chain[i]->as.for_.var)) return false;
    }
    return out->n_order > 0 && take_inner(f, chain, n, out) && inner_loops_index(f, out) &&
           gather_spatial(f, out, chain, n) && loads_allow_tree(f);
}

bool tirbi_find_tree(tirbi_lowerer *l, const tirb_stmt *const *chain, uint32_t n, tirbi_tree *out) {
    const tirb_stmt *body = chain[n - 1]->as.for_.body;
    memset(out, 0, sizeof(*out));
    finder *f = TIRBI_NEW(l->arena, finder);
    if (!f || !body) return false;
    f->l = l;
    bool found = false;
    if (body->kind == TIRB_STMT_BLOCK_REALIZE) {
        found = find_block_tree(f, body, chain, n, out);
    } else if (l->fp == TIRB_FP_FAST) {
        found = find_loop_tree(f, body, chain, n, out);
    }
    TIRBI_GIVE_BACK(l->arena, f);
    if (!found) out->outermost = NULL;
    return found;
}

bool tirbi_tree_update(const tirbi_tree *tree, const tirb_stmt *store, tirbi_red_op *op, const tirb_expr **term) {
    finder f = {.l = NULL};
    if (!find_updates(&f, tree->body)) return false;
    for (uint32_t i = 0; i < f.n_updates; i++) {
        if (f.stores[i] != store) continue;
        *op = f.ops[i];
        *term = f.terms[i];
        return true;
    }
    return false;
}
