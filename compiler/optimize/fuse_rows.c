/* for i: t[i, ..] = ..; for i: s[i] = the sum of t[i, ..]; for i: u[i, ..] = f(t[i, ..], s[i]) becomes one loop over i
 * around what the three do with a row. A row then comes from a cache where it came from memory, and where t is memory
 * of this program alone that nothing else uses, one row of it is all that there is.
 *
 * Loops are made one when all accesses of one nest to memory that another of them writes are to rows that belong to
 * the iteration: then every location keeps the order of its updates (rule R1). What may trap is not moved before
 * anything else. Several small lane loops per row cost more than one large one per nest, so this is for long rows, and
 * many: where the program does not say how many there are, it chooses when it runs. */
#include "compiler/optimize/distribute.h"
#include "compiler/optimize/fuse.h"
#include "compiler/optimize/rewrite.h"

enum { MAX_NESTS = 32, MAX_ACCESSES = 128, MAX_DEPTH = 64, MAX_LETS = 32, MAX_NESTING = 16, MAX_COMMON = 4 };
/* Elements of a row, and of all rows, from which the passes over memory that are saved are worth more than what several
 * lane loops per row cost: caches near the processor do not hold so many. */
enum { LONG_ROW = 128, MANY_ELEMENTS = 1 << 18 };

typedef struct access {
    const tirbi_place *place;
    uint32_t nest;
    bool write;
} access;

/* Nests that are being made one, with the loop variables of the first one. */
typedef struct group {
    tirbi_lx_pool *pool;
    uint32_t n_common;
    tirbi_loop_set vars;
    const tirbi_ls *loops[MAX_COMMON];
    const tirbi_ls *bodies[MAX_NESTS]; /* inside of the common loops */
    const tirbi_ls *originals[MAX_NESTS];
    bool has_rows[MAX_NESTS]; /* goes through the elements of a row */
    uint32_t n;
    access accesses[MAX_ACCESSES];
    uint32_t n_accesses;
} group;

/* ---- Copies with other variables ------------------------------------------------------------------------------ */

typedef struct copier {
    const tirbi_loop_set *from, *to;
    struct {
        const tirbi_lvar *old;
        tirbi_lvar *fresh;
    } lets[MAX_LETS];
    uint32_t n_lets;
    const tirbi_lbuf *buffer; /* what `row` stands for, or NULL */
    tirbi_lbuf *row;
} copier;

static const tirbi_place *row_place(tirbi_rewrite *rewrite, const tirbi_place *place);

static const tirbi_lx *other_value(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const copier *c = rewrite->context;
    if (x->kind == TIRBI_LX_LOAD && x->access->buffer == c->buffer) {
        const tirbi_place *place = row_place(rewrite, x->access);
        return place ? tirbi_lx_load(rewrite->pool, place) : NULL;
    }
    if (x->kind != TIRBI_LX_VAR) return NULL;
    for (uint32_t i = 0; c->from && i < c->from->n; i++) {
        if (x->var == c->from->var[i]) return tirbi_lx_var(rewrite->pool, c->to->var[i]);
    }
    for (uint32_t i = 0; i < c->n_lets; i++) {
        if (x->var == c->lets[i].old) return tirbi_lx_var(rewrite->pool, c->lets[i].fresh);
    }
    return NULL;
}

/* The place in the buffer of one row: extents of 1 have the index 0. */
static const tirbi_place *row_place(tirbi_rewrite *rewrite, const tirbi_place *place) {
    const copier *c = rewrite->context;
    tirbi_place *copy = TIRBI_NEW(rewrite->pool->arena, tirbi_place);
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(rewrite->pool->arena, const tirbi_lx *, place->ndim);
    const tirbi_lx *flat = tirbi_lx_int(rewrite->pool, TIRB_I64, 0);
    if (!copy || !indices) return NULL;
    for (uint32_t d = 0; d < place->ndim; d++) {
        bool one = c->row->shape[d] != c->buffer->shape[d];
        indices[d] = one ? tirbi_lx_int(rewrite->pool, TIRB_I64, 0) : tirbi_rewrite_value(rewrite, place->indices[d]);
        if (!indices[d] || !flat) return NULL;
        flat = tirbi_lx_add(rewrite->pool, flat, tirbi_lx_mul(rewrite->pool, indices[d], c->row->strides[d]));
    }
    *copy = *place;
    copy->buffer = c->row;
    copy->indices = indices;
    copy->flat = flat;
    return flat ? copy : NULL;
}

static const tirbi_place *other_place(tirbi_rewrite *rewrite, const tirbi_place *place) {
    const copier *c = rewrite->context;
    return place->buffer == c->buffer ? row_place(rewrite, place) : tirbi_rewrite_place(rewrite, place);
}

/* A variable that begins in the statement is another one in its copy, as both may be emitted. */
static tirbi_lvar *fresh_let(tirbi_rewrite *rewrite, tirbi_lvar *old) {
    copier *c = rewrite->context;
    tirbi_lvar *fresh = c->n_lets < MAX_LETS ? TIRBI_NEW(rewrite->pool->arena, tirbi_lvar) : NULL;
    if (!fresh) return NULL;
    *fresh = *old;
    fresh->reg = -1;
    c->lets[c->n_lets].old = old;
    c->lets[c->n_lets++].fresh = fresh;
    return fresh;
}

static const tirbi_ls *other_stmt(tirbi_rewrite *rewrite, const tirbi_ls *s);

static bool other_updates(tirbi_rewrite *rewrite, const tirbi_ls *s, tirbi_ls *copy) {
    tirbi_update *updates = TIRBI_NEW_ARRAY(rewrite->pool->arena, tirbi_update, s->as.tree.n_updates);
    const tirbi_lx **lets = TIRBI_NEW_ARRAY(rewrite->pool->arena, const tirbi_lx *, s->as.tree.n_lets + 1);
    if (!updates || !lets) return false;
    for (uint32_t i = 0; i < s->as.tree.n_updates; i++) {
        const tirbi_update *old = &s->as.tree.updates[i];
        updates[i] = *old;
        updates[i].target = other_place(rewrite, old->target);
        updates[i].value = tirbi_rewrite_value(rewrite, old->value);
        updates[i].factor = old->factor ? tirbi_rewrite_value(rewrite, old->factor) : NULL;
        if (!updates[i].target || !updates[i].value || (old->factor && !updates[i].factor)) return false;
    }
    for (uint32_t i = 0; i < s->as.tree.n_lets; i++) {
        lets[i] = tirbi_rewrite_value(rewrite, s->as.tree.lets[i]);
        if (!lets[i]) return false;
    }
    copy->as.tree.updates = updates;
    copy->as.tree.lets = lets;
    copy->as.tree.init = s->as.tree.init ? other_stmt(rewrite, s->as.tree.init) : NULL;
    return copy->as.tree.init || !s->as.tree.init;
}

/* Of the statements that note_stmt accepts; bounds of loops mention nothing that is replaced. */
static const tirbi_ls *other_stmt(tirbi_rewrite *rewrite, const tirbi_ls *s) {
    tirbi_ls *copy = TIRBI_NEW(rewrite->pool->arena, tirbi_ls);
    if (!copy) return NULL;
    *copy = *s;
    switch (s->kind) {
    case TIRBI_LS_SEQ: {
        const tirbi_ls **items = TIRBI_NEW_ARRAY(rewrite->pool->arena, const tirbi_ls *, s->as.seq.n);
        for (uint32_t i = 0; items && i < s->as.seq.n; i++) {
            items[i] = other_stmt(rewrite, s->as.seq.items[i]);
            if (!items[i]) return NULL;
        }
        copy->as.seq.items = items;
        return items ? copy : NULL;
    }
    case TIRBI_LS_LOOP:
        copy->as.loop.body = other_stmt(rewrite, s->as.loop.body);
        return copy->as.loop.body ? copy : NULL;
    case TIRBI_LS_STORE:
        copy->as.store.access = other_place(rewrite, s->as.store.access);
        copy->as.store.value = tirbi_rewrite_value(rewrite, s->as.store.value);
        return copy->as.store.access && copy->as.store.value ? copy : NULL;
    case TIRBI_LS_SET:
        copy->as.set.value = tirbi_rewrite_value(rewrite, s->as.set.value);
        copy->as.set.var = fresh_let(rewrite, s->as.set.var);
        return copy->as.set.value && copy->as.set.var ? copy : NULL;
    case TIRBI_LS_TREE: return other_updates(rewrite, s, copy) ? copy : NULL;
    default: return NULL;
    }
}

/* ---- Nests ---------------------------------------------------------------------------------------------------- */

static bool invariant(const tirbi_loop_set *loops, const tirbi_lx *x) {
    return x->pure && !x->traps && !tirbi_mentions_loops(x, loops);
}

static bool plain_loop(const tirbi_loop_set *loops, const tirbi_lvar *var) {
    return invariant(loops, var->min) && invariant(loops, var->extent) &&
           (!var->below || !tirbi_mentions_loops(var->below, loops));
}

/* The loops that are to be common; what is inside of them, or NULL. */
static const tirbi_ls *collect(uint32_t n_common, const tirbi_ls *s, tirbi_loop_set *vars, const tirbi_ls **loops) {
    for (vars->n = 0; vars->n < n_common; s = s->as.loop.body) {
        if (s->kind != TIRBI_LS_LOOP || s->as.loop.step || !plain_loop(vars, s->as.loop.var)) return NULL;
        loops[vars->n] = s;
        vars->var[vars->n++] = s->as.loop.var;
    }
    return s;
}

static bool note(group *g, const tirbi_place *place, bool write) {
    const tirbi_lbuf *b = place->buffer;
    if (g->n_accesses == MAX_ACCESSES || place->view || b->overlaps || b->local) return false;
    g->accesses[g->n_accesses++] = (access){place, g->n, write};
    return true;
}

static bool note_value(group *g, const tirbi_lx *x, unsigned depth);

static bool note_place(group *g, const tirbi_place *place, bool write, unsigned depth) {
    for (uint32_t i = 0; i < place->ndim; i++) {
        if (!note_value(g, place->indices[i], depth + 1)) return false;
        if (g->n > 0 && write && !tirbi_index_proven(place->indices[i], place->buffer->shape[i])) return false;
    }
    return note(g, place, write);
}

static bool note_value(group *g, const tirbi_lx *x, unsigned depth) {
    if (depth > MAX_DEPTH || x->kind == TIRBI_LX_CALL || (g->n > 0 && x->traps)) return false;
    if (x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOCAL) return false;
    if (x->kind == TIRBI_LX_LOAD && !note_place(g, x->access, false, depth)) return false;
    for (int i = 0; i < x->n_args; i++) {
        if (!note_value(g, x->args[i], depth + 1)) return false;
    }
    return true;
}

static bool note_stmt(group *g, const tirbi_ls *s, unsigned depth);

static bool note_tree(group *g, const tirbi_ls *s) {
    g->has_rows[g->n] = true;
    for (uint32_t i = 0; i < s->as.tree.n_loops; i++) {
        if (!plain_loop(&g->vars, s->as.tree.loops[i])) return false;
    }
    for (uint32_t i = 0; i < s->as.tree.n_lets; i++) {
        if (!note_value(g, s->as.tree.lets[i], 0)) return false;
    }
    for (uint32_t i = 0; i < s->as.tree.n_updates; i++) {
        const tirbi_update *update = &s->as.tree.updates[i];
        if (!note_place(g, update->target, false, 0) || !note_place(g, update->target, true, 0) ||
            !note_value(g, update->value, 0) || (update->factor && !note_value(g, update->factor, 0))) {
            return false;
        }
    }
    return !s->as.tree.init || note_stmt(g, s->as.tree.init, 0);
}

static bool note_stmt(group *g, const tirbi_ls *s, unsigned depth) {
    if (depth > MAX_NESTING) return false;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) {
            if (!note_stmt(g, s->as.seq.items[i], depth + 1)) return false;
        }
        return true;
    case TIRBI_LS_LOOP:
        g->has_rows[g->n] = true;
        return !s->as.loop.step && plain_loop(&g->vars, s->as.loop.var) && note_stmt(g, s->as.loop.body, depth + 1);
    case TIRBI_LS_STORE: return note_place(g, s->as.store.access, true, 0) && note_value(g, s->as.store.value, 0);
    case TIRBI_LS_SET: return s->as.set.declares && note_value(g, s->as.set.value, 0);
    case TIRBI_LS_TREE: return note_tree(g, s);
    default: return false;
    }
}

static bool contains_tree(const tirbi_ls *s) {
    if (s->kind == TIRBI_LS_LOOP) return contains_tree(s->as.loop.body);
    for (uint32_t i = 0; s->kind == TIRBI_LS_SEQ && i < s->as.seq.n; i++) {
        if (contains_tree(s->as.seq.items[i])) return true;
    }
    return s->kind == TIRBI_LS_TREE;
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

/* The dimension whose index is the loop's variable, as it is or as an int64; ndim if there is none. */
static uint32_t row_dimension(const tirbi_place *place, const tirbi_lvar *var) {
    uint32_t d = 0;
    for (; d < place->ndim; d++) {
        const tirbi_lx *x = place->indices[d];
        if (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && x->type == TIRB_I64) x = x->args[0];
        if (x->kind == TIRBI_LX_VAR && x->var == var) break;
    }
    return d;
}

/* Whether both are in the same row, and in that of no other iteration. */
static bool same_row(const group *g, const tirbi_place *a, const tirbi_place *b) {
    if (a->buffer != b->buffer || a->buffer->root != a->buffer || a->buffer->broadcasts) return false;
    for (uint32_t i = 0; i < g->vars.n; i++) {
        uint32_t d = row_dimension(a, g->vars.var[i]);
        if (d == a->ndim || row_dimension(b, g->vars.var[i]) != d) return false;
    }
    return true;
}

/* Whether the last nest of the group may run together with those before it, and is about the same rows. */
static bool agrees(const group *g) {
    bool linked = false;
    for (uint32_t i = 0; i < g->n_accesses; i++) {
        const access *a = &g->accesses[i];
        if (a->nest != g->n) continue;
        for (uint32_t k = 0; k < g->n_accesses; k++) {
            const access *b = &g->accesses[k];
            if (b->nest == g->n || !tirbi_may_meet(a->place->buffer->root, b->place->buffer->root)) continue;
            bool same = same_row(g, a->place, b->place);
            if (!same && (a->write || b->write)) return false;
            linked = linked || same;
        }
    }
    return linked;
}

/* ---- Making the group ------------------------------------------------------------------------------------------- */

static bool is_contraction(const group *g, const tirbi_ls *nest) {
    tirbi_contract_plan plan;
    tirbi_distribution *parts = TIRBI_NEW(g->pool->arena, tirbi_distribution);
    return !parts || tirbi_plan_contraction(g->pool, nest, &plan) || tirbi_distribute_contraction(g->pool, nest, parts);
}

static bool begin(group *g, const tirbi_ls *nest) {
    const tirbi_ls *body = collect(g->n_common, nest, &g->vars, g->loops);
    g->n = g->n_accesses = 0;
    if (!body || is_contraction(g, nest) || !note_stmt(g, body, 0) || !g->has_rows[0]) return false;
    g->bodies[0] = body;
    g->originals[0] = nest;
    g->n = 1;
    return true;
}

static bool same_loops(const group *g, const tirbi_loop_set *vars, const tirbi_ls *const *loops) {
    for (uint32_t i = 0; i < g->vars.n; i++) {
        const tirbi_lvar *a = g->vars.var[i], *b = vars->var[i];
        if (a->min != b->min || a->extent != b->extent || a->type != b->type || a->below != b->below) return false;
        if (g->loops[i]->as.loop.parallel != loops[i]->as.loop.parallel) return false;
    }
    return true;
}

static bool join(group *g, const tirbi_ls *nest) {
    tirbi_loop_set vars;
    const tirbi_ls *loops[MAX_COMMON];
    const tirbi_ls *body = g->n < MAX_NESTS ? collect(g->n_common, nest, &vars, loops) : NULL;
    if (!body || !same_loops(g, &vars, loops) || is_contraction(g, nest)) return false;
    uint32_t known = g->n_accesses;
    tirbi_loop_set common = g->vars;
    g->has_rows[g->n] = false;
    g->vars = vars; /* bounds are looked at before variables are replaced */
    bool plain = note_stmt(g, body, 0);
    g->vars = common;
    g->n_accesses = known;
    copier c = {.from = &vars, .to = &g->vars};
    tirbi_rewrite rewrite = {.pool = g->pool, .replace = other_value, .context = &c};
    const tirbi_ls *copy = plain ? other_stmt(&rewrite, body) : NULL;
    if (copy && note_stmt(g, copy, 0) && agrees(g)) {
        g->bodies[g->n] = copy;
        g->originals[g->n++] = nest;
        return true;
    }
    g->n_accesses = known;
    return false;
}

/* Leaves the last nests out that touch one element of each row: they are lanes over the rows alone. */
static void trim(group *g) {
    while (g->n > 0 && !g->has_rows[g->n - 1]) g->n--;
    uint32_t kept = 0;
    while (kept < g->n_accesses && g->accesses[kept].nest < g->n) kept++;
    g->n_accesses = kept;
}

/* ---- What is one row only ---------------------------------------------------------------------------------------- */

/* A buffer for one row where all that the group does with `buffer` is in rows; else NULL. */
static tirbi_lbuf *one_row(const group *g, tirbi_lbuf *buffer) {
    const tirbi_place *first = NULL;
    for (uint32_t i = 0; i < g->n_accesses; i++) {
        const tirbi_place *place = g->accesses[i].place;
        if (place->buffer->root != buffer) continue;
        if (!first) first = place;
        if (!same_row(g, first, place)) return NULL;
    }
    if (!first || buffer->ndim <= g->vars.n) return NULL;
    tirbi_lbuf *row = TIRBI_NEW(g->pool->arena, tirbi_lbuf);
    const tirbi_lx **shape = TIRBI_NEW_ARRAY(g->pool->arena, const tirbi_lx *, buffer->ndim);
    const tirbi_lx **strides = TIRBI_NEW_ARRAY(g->pool->arena, const tirbi_lx *, buffer->ndim);
    if (!row || !shape || !strides) return NULL;
    for (uint32_t d = 0; d < buffer->ndim; d++) shape[d] = buffer->shape[d];
    for (uint32_t i = 0; i < g->vars.n; i++) {
        uint32_t d = row_dimension(first, g->vars.var[i]);
        shape[d] = tirbi_lx_int(g->pool, TIRB_I64, 1);
        if (shape[d] == buffer->shape[d]) return NULL;
    }
    const tirbi_lx *stride = tirbi_lx_int(g->pool, TIRB_I64, 1);
    for (uint32_t d = buffer->ndim; d-- > 0 && stride;) {
        strides[d] = stride;
        stride = tirbi_lx_mul(g->pool, stride, shape[d]);
    }
    *row = *buffer;
    row->shape = shape;
    row->strides = strides;
    row->root = row;
    row->reg = -1;
    return stride ? row : NULL;
}

static bool use_row(group *g, const tirbi_lbuf *buffer, tirbi_lbuf *row) {
    copier c = {.buffer = buffer, .row = row};
    tirbi_rewrite rewrite = {.pool = g->pool, .replace = other_value, .context = &c};
    for (uint32_t i = 0; i < g->n; i++) {
        g->bodies[i] = other_stmt(&rewrite, g->bodies[i]);
        if (!g->bodies[i]) return false;
    }
    return true;
}

/* ---- Sequences ------------------------------------------------------------------------------------------------ */

static tirbi_ls *sequence_of(tirbi_lx_pool *pool, tirbi_span span, const tirbi_ls *const *a, uint32_t n_a,
                             const tirbi_ls *const *b, uint32_t n_b) {
    tirbi_ls *seq = TIRBI_NEW(pool->arena, tirbi_ls);
    const tirbi_ls **items = TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, n_a + n_b);
    if (!seq || !items) return NULL;
    for (uint32_t i = 0; i < n_a; i++) items[i] = a[i];
    for (uint32_t i = 0; i < n_b; i++) items[n_a + i] = b[i];
    seq->kind = TIRBI_LS_SEQ;
    seq->span = span;
    seq->as.seq.items = items;
    seq->as.seq.n = n_a + n_b;
    return seq;
}

static const tirbi_ls *in_common_loops(const group *g, const tirbi_ls *body) {
    for (uint32_t i = g->vars.n; body && i-- > 0;) {
        tirbi_ls *loop = TIRBI_NEW(g->pool->arena, tirbi_ls);
        if (!loop) return NULL;
        *loop = *g->loops[i];
        loop->as.loop.body = body;
        body = loop;
    }
    return body;
}

/* How many elements of a row the nest that goes through most loops visits. */
static const tirbi_lx *row_length(tirbi_lx_pool *pool, const tirbi_ls *s) {
    const tirbi_lx *length = tirbi_lx_int(pool, TIRB_I64, 1);
    while (length && s->kind == TIRBI_LS_SEQ) {
        const tirbi_ls *inner = s->as.seq.items[s->as.seq.n - 1];
        for (uint32_t i = 0; i < s->as.seq.n; i++) {
            const tirbi_ls *item = s->as.seq.items[i];
            if (item->kind == TIRBI_LS_LOOP || item->kind == TIRBI_LS_TREE) inner = item;
        }
        s = inner;
    }
    for (; length && s->kind == TIRBI_LS_LOOP; s = s->as.loop.body)
        length = tirbi_lx_mul(pool, length, s->as.loop.var->extent);
    for (uint32_t i = 0; length && s->kind == TIRBI_LS_TREE && i < s->as.tree.n_loops; i++)
        length = tirbi_lx_mul(pool, length, s->as.tree.loops[i]->extent);
    return length;
}

/* Whether it is worth it, as a bool. */
static const tirbi_lx *worth(const group *g) {
    tirbi_lx_pool *pool = g->pool;
    const tirbi_lx *length = row_length(pool, g->bodies[0]), *all = length;
    for (uint32_t i = 0; all && i < g->vars.n; i++) all = tirbi_lx_mul(pool, all, g->vars.var[i]->extent);
    if (!all) return NULL;
    const tirbi_lx *is_long = tirbi_lx_op(pool, TIRB_OP_GE, TIRB_I64, TIRB_TYPE_NONE, length,
                                          tirbi_lx_int(pool, TIRB_I64, LONG_ROW), NULL);
    const tirbi_lx *is_many = tirbi_lx_op(pool, TIRB_OP_GE, TIRB_I64, TIRB_TYPE_NONE, all,
                                          tirbi_lx_int(pool, TIRB_I64, MANY_ELEMENTS), NULL);
    if (!is_long || !is_many) return NULL;
    return tirbi_lx_op(pool, TIRB_OP_AND, TIRB_BOOL, TIRB_TYPE_NONE, is_long, is_many, NULL);
}

typedef struct sequence {
    tirbi_lx_pool *pool;
    const tirbi_ls **items;
    uint32_t n;
    bool always; /* worth it or not */
    tirbi_notes *notes;
} sequence;

static bool is_original(const group *g, const tirbi_ls *s) {
    for (uint32_t i = 0; i < g->n; i++) {
        if (g->originals[i] == s) return true;
    }
    return false;
}

static bool used_elsewhere(const sequence *q, const group *g, uint32_t alloc, const tirbi_lbuf *buffer) {
    for (uint32_t i = 0; i < q->n; i++) {
        if (i != alloc && !is_original(g, q->items[i]) && tirbi_statement_uses(q->items[i], buffer)) return true;
    }
    return false;
}

/* Puts the one nest in the place of the group's first one, `first`, and drops the others. */
static bool replace(sequence *q, group *g, uint32_t first) {
    const tirbi_lx *condition = q->always ? tirbi_lx_int(q->pool, TIRB_BOOL, 1) : worth(g);
    const tirbi_ls **rows = TIRBI_NEW_ARRAY(q->pool->arena, const tirbi_ls *, q->n);
    const tirbi_ls **moved = TIRBI_NEW_ARRAY(q->pool->arena, const tirbi_ls *, q->n);
    uint32_t n_rows = 0;
    if (!condition || !rows || !moved || tirbi_lx_is_int(condition, 0)) return false;
    for (uint32_t i = 0; i < q->n; i++) {
        tirbi_lbuf *buffer = tirbi_is_plain_allocation(q->items[i]) ? q->items[i]->as.alloc.buffer : NULL;
        tirbi_lbuf *row = buffer && !used_elsewhere(q, g, i, buffer) ? one_row(g, buffer) : NULL;
        tirbi_ls *alloc = row ? TIRBI_NEW(q->pool->arena, tirbi_ls) : NULL;
        if (!alloc) continue;
        *alloc = *q->items[i];
        alloc->as.alloc.buffer = row;
        if (!use_row(g, buffer, row)) return false;
        moved[n_rows] = q->items[i];
        rows[n_rows++] = alloc;
    }
    const tirbi_ls *one = in_common_loops(g, sequence_of(q->pool, g->bodies[0]->span, rows, n_rows, g->bodies, g->n));
    if (!one) return false;
    if (!tirbi_lx_is_int(condition, 1)) {
        tirbi_ls *choice = TIRBI_NEW(q->pool->arena, tirbi_ls);
        const tirbi_ls *apart = sequence_of(q->pool, g->originals[0]->span, moved, n_rows, g->originals, g->n);
        if (!choice || !apart) return false;
        choice->kind = TIRBI_LS_IF;
        choice->span = g->originals[0]->span;
        choice->as.if_.condition = condition;
        choice->as.if_.then_case = one;
        choice->as.if_.else_case = apart;
        one = choice;
    }
    for (uint32_t k = 1; k < g->n && q->notes; k++) {
        tirbi_note_loop(q->notes, g->originals[k]->as.loop.var, g->originals[k]->span, TIRB_FORM_FUSED,
                        "runs together with the loop over %s before it, row by row, where rows are long and many",
                        g->vars.var[0]->name);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < q->n; i++) {
        bool dropped = i != first && is_original(g, q->items[i]);
        for (uint32_t k = 0; k < n_rows; k++) dropped = dropped || q->items[i] == moved[k];
        if (!dropped) q->items[kept++] = i == first ? one : q->items[i];
    }
    q->n = kept;
    return true;
}

/* Moves the allocations between items `first` and `end` before `first`, and returns where that is then. */
static uint32_t allocate_before(sequence *q, uint32_t first, uint32_t end) {
    for (uint32_t i = first + 1; i < end; i++) {
        if (q->items[i]->kind != TIRBI_LS_ALLOC) continue;
        const tirbi_ls *alloc = q->items[i];
        for (uint32_t k = i; k > first; k--) q->items[k] = q->items[k - 1];
        q->items[first++] = alloc;
    }
    return first;
}

static bool fuse_from(sequence *q, uint32_t first, uint32_t n_common) {
    group *g = TIRBI_NEW(q->pool->arena, group);
    if (!g) return false;
    g->pool = q->pool;
    g->n_common = n_common;
    if (!begin(g, q->items[first])) return false;
    uint32_t end = first + 1;
    for (; end < q->n; end++) {
        if (tirbi_is_plain_allocation(q->items[end])) continue;
        if (q->items[end]->kind != TIRBI_LS_LOOP || !join(g, q->items[end])) break;
    }
    trim(g);
    bool has_tree = false;
    for (uint32_t i = 0; i < g->n; i++) has_tree = has_tree || contains_tree(g->bodies[i]);
    if (g->n < 2 || !has_tree) return false;
    return replace(q, g, allocate_before(q, first, end));
}

uint32_t tirbi_fuse_rows(tirbi_lx_pool *pool, const tirbi_ls **items, uint32_t n, uint32_t disabled,
                         tirbi_notes *notes) {
    bool always = (disabled & TIRB_PASS_GRAIN) != 0;
    sequence q = {.pool = pool, .items = items, .n = n, .always = always, .notes = notes};
    for (uint32_t i = 0; i < q.n; i++) {
        uint32_t depth = 0;
        const tirbi_ls *s = q.items[i];
        for (; s->kind == TIRBI_LS_LOOP && depth < MAX_COMMON; s = s->as.loop.body) depth++;
        while (depth > 0 && !fuse_from(&q, i, depth)) depth--;
    }
    return q.n;
}
