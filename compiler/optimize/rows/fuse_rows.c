/* for i: t[i, ..] = ..; for i: s[i] = the sum of t[i, ..]; for i: u[i, ..] = f(t[i, ..], s[i]) becomes one loop over i
 * around what the three do with a row. A row then comes from a cache where it came from memory, and where t is memory
 * of this program alone that nothing else uses, one row of it is all that there is.
 *
 * Loops are made one when all accesses of one nest to memory that another of them writes are to rows that belong to
 * the iteration: then every location keeps the order of its updates (rule R1). What may trap is not moved before
 * anything else. How many rows are done at a time is chosen where the loop is emitted (rows.c). */
#include "compiler/loop/visit.h"
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/contractions/distribute.h"
#include "compiler/optimize/contractions/int_trees.h"
#include "compiler/optimize/contractions/operands.h"
#include "compiler/optimize/nests/fuse.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/optimize/rows/rows.h"
#include "compiler/pipeline/switches.h"

/* Bytes of a near cache, and how many may be of one row. */
enum { MAX_COMMON = TIRBI_MAX_ROW_LOOPS, NEAR_BYTES = 512 * 1024, NEAR_ROW = NEAR_BYTES / 2 };

/* ---- Nests ---------------------------------------------------------------------------------------------------- */

static bool takes_access(void *context, const tirbi_reached *a) {
    const tirbi_fused *g = context;
    const tirbi_lbuf *b = a->place->buffer;
    return !b->overlaps && !b->local && (g->n == 0 || a->what == TIRBI_LOADS || tirbi_is_surely_inside(a->place));
}

static bool takes_value(void *context, const tirbi_lx *x) {
    const tirbi_fused *g = context;
    return g->n == 0 || !x->traps;
}

static bool takes_stmt(void *context, const tirbi_ls *s) {
    tirbi_fused *g = context;
    if (s->kind == TIRBI_LS_SET) return s->as.set.declares;
    g->has_rows[g->n] = g->has_rows[g->n] || s->kind == TIRBI_LS_LOOP || s->kind == TIRBI_LS_TREE;
    for (uint32_t i = 0; s->kind == TIRBI_LS_TREE && i < s->as.tree.n_loops; i++)
        if (!tirbi_is_bounded_before(&g->vars, s->as.tree.loops[i])) return false;
    return s->kind != TIRBI_LS_LOOP || tirbi_is_bounded_before(&g->vars, s->as.loop.var);
}

static bool note_stmt(tirbi_fused *g, const tirbi_ls *s) {
    const tirbi_accesses all = {.kinds = (TIRBI_NESTS & ~TIRBI_KIND(IF)) | TIRBI_KIND(TREE),
                                .stmt = takes_stmt,
                                .value = takes_value,
                                .access = takes_access};
    return tirbi_note_fused(g, s, all);
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
static bool same_row(const tirbi_fused *g, const tirbi_place *a, const tirbi_place *b) {
    if (a->buffer != b->buffer || !tirbi_has_whole_extents(a->buffer) || a->buffer->broadcasts) return false;
    for (uint32_t i = 0; i < g->vars.n; i++) {
        uint32_t d = row_dimension(a, g->vars.var[i]);
        if (d == a->ndim || row_dimension(b, g->vars.var[i]) != d) return false;
    }
    return true;
}

/* Leaves the last nests out that touch one element of each row: they are lanes over the rows alone. */
static void trim(tirbi_fused *g) {
    uint32_t n = g->n;
    while (n > 0 && !g->has_rows[n - 1]) n--;
    tirbi_keep_fused(g, n);
}

/* ---- What is memory of rows ------------------------------------------------------------------------------------- */

/* Whether all that the group does with a buffer is in rows: then there may be as many of them as are done together. */
static bool is_in_rows(const tirbi_fused *g, const tirbi_lbuf *buffer) {
    const tirbi_place *first = NULL;
    for (uint32_t i = 0; i < g->n_accesses; i++) {
        const tirbi_place *place = g->accesses[i].place;
        if (place->buffer->root != buffer) continue;
        if (!first) first = place;
        if (!same_row(g, first, place)) return false;
    }
    return first != NULL;
}

/* ---- Contractions ----------------------------------------------------------------------------------------------- */

/* Sums of more products take so long that it does not count where their results go. What all rows read must be so small
 * that a block of them reads it as fast where it is as all rows do together, which may pack it once; or a block has so
 * many rows that packing it again does not count. */
enum { MOST_PRODUCTS = 128, MANY = 2 * MOST_PRODUCTS, LEAST_ROW = 64, MOST_SHARED = 65536 };

/* How a nest of sums depends on one of its loops. */
typedef struct sum_rows {
    const tirbi_loop_set *loops; /* all of the nest's */
    const tirbi_lvar *var;
    uint32_t at; /* its number, from the outermost on */
    bool has_own_operands; /* nothing is shared: what has to be computed before the sums is so for each block */
    bool follows;          /* what computes its operands is in the group: sums may be as long as they are */
    bool may_share_much, shares_much; /* what all rows read, of which a block has many then */
    bool are_rows;         /* it is an index of its own, also of elements stored to, but not of those side by side */
} sum_rows;

/* Bytes of memory that the loops inside reach, if no two iterations reach the same. */
static int64_t reached_bytes(const sum_rows *r, const tirbi_place *place) {
    int64_t bytes = tirbi_dtypes[place->buffer->type].size;
    for (uint32_t i = r->at + 1; i < r->loops->n; i++) {
        const int64_t most = r->loops->var[i]->extent->hi;
        if (!tirbi_place_depends_on(place, r->loops->var[i])) continue;
        if (__builtin_mul_overflow(bytes, most > 0 ? most : 1, &bytes)) return INT64_MAX;
    }
    return bytes;
}

static bool find_row_access(void *context, const tirbi_reached *a) {
    sum_rows *r = context;
    const tirbi_place *place = a->place;
    const uint32_t d = row_dimension(place, r->var);
    if (!tirbi_place_depends_on(place, r->var)) {
        const bool is_much = reached_bytes(r, place) > MOST_SHARED;
        r->shares_much = r->shares_much || is_much;
        r->are_rows = a->what == TIRBI_LOADS && !r->has_own_operands &&
                      (!is_much || (r->may_share_much && r->var->extent->hi > TIRBI_SHARING_ROWS));
        return r->are_rows;
    }
    r->are_rows = d + 1 < place->ndim;
    for (uint32_t i = 0; r->are_rows && i < place->ndim; i++)
        r->are_rows = i == d || !tirbi_lx_depends_on(place->indices[i], r->var);
    int64_t products = 1, row = 1;
    for (uint32_t i = 0; i < r->loops->n && a->what != TIRBI_LOADS; i++) {
        const tirbi_lvar *loop = r->loops->var[i];
        int64_t *of = !tirbi_place_depends_on(place, loop) ? &products : i > r->at ? &row : NULL;
        if (of && *of <= MOST_PRODUCTS) *of *= loop->extent->hi < MANY ? loop->extent->hi : MANY;
    }
    if (a->what != TIRBI_LOADS && !r->follows)
        r->are_rows = r->are_rows && products <= MOST_PRODUCTS && row >= LEAST_ROW;
    if (a->what != TIRBI_LOADS && r->follows && r->shares_much) r->are_rows = r->are_rows && row <= MOST_PRODUCTS;
    return r->are_rows;
}

/* How many loops around a contraction of few products for each element are rows; 0: it is none. */
static uint32_t rows_of_sums(tirbi_lx_pool *pool, const tirbi_ls *nest, bool follows, bool shares) {
    tirbi_loop_set loops = {.n = 0};
    uint32_t n = 0;
    bool several = false;
    const bool contracts = tirbi_contracts(pool, nest);
    if ((!contracts && !tirbi_contracts_operands(pool, nest)) || !tirbi_find_loops(&loops, nest)) return 0;
    for (const tirbi_ls *s = nest; s->kind == TIRBI_LS_LOOP && n < MAX_COMMON; s = s->as.loop.body, n++) {
        sum_rows r = {.loops = &loops, .var = s->as.loop.var, .at = n, .has_own_operands = !contracts,
                      .follows = follows, .may_share_much = shares};
        tirbi_accesses all = {
            .kinds = TIRBI_NESTS, .access = find_row_access, .context = &r};
        if (!tirbi_find_accesses(&all, nest)) break;
        several = several || !tirbi_lx_is_int(r.var->extent, 1);
    }
    return several ? n : 0;
}

/* ---- Sequences ------------------------------------------------------------------------------------------------ */

static const tirbi_ls *in_common_loops(const tirbi_fused *g, const tirbi_ls *const *items, uint32_t n) {
    const tirbi_ls *body = tirbi_new_sequence(g->pool, g->bodies[0]->span, items, n);
    uint32_t first = 0; /* loops of one iteration are none of rows, so that those inside may be a region */
    while (first + 1 < g->vars.n && tirbi_lx_is_int(g->vars.var[first]->extent, 1)) first++;
    for (uint32_t i = g->vars.n; body && i-- > 0;) {
        tirbi_ls *loop = tirbi_loop_like(g->pool, g->loops[i], NULL, body);
        if (!loop) return NULL;
        loop->as.loop.rows = i == first ? (uint8_t)(g->vars.n - first) : 0;
        body = loop;
    }
    return body;
}

/* Puts the one nest in the place of the group's first one, `first`, and drops the others. What is memory of rows alone
 * is allocated inside. */
static bool replace(tirbi_fused_items *q, tirbi_fused *g, uint32_t first) {
    const tirbi_ls **items = TIRBI_NEW_ARRAY(q->pool->arena, const tirbi_ls *, q->n + g->n);
    bool *dropped = TIRBI_NEW_ARRAY(q->pool->arena, bool, q->n);
    uint32_t n = 0;
    if (!items || !dropped) return false;
    for (uint32_t i = 0; i < q->n; i++) {
        const tirbi_lbuf *buffer = tirbi_is_plain_allocation(q->items[i]) ? q->items[i]->as.alloc.buffer : NULL;
        dropped[i] = buffer && !tirbi_is_used_elsewhere(q, g, i, buffer) && is_in_rows(g, buffer);
        if (dropped[i]) items[n++] = q->items[i];
    }
    for (uint32_t i = 0; i < g->n; i++) items[n++] = g->bodies[i];
    const tirbi_ls *one = in_common_loops(g, items, n);
    if (one) tirbi_put_fused(q, g, first, one, dropped, ", for a block of rows at a time");
    return one;
}

/* Whether any of the nests that a group which begins at `first` could have is around a tree. */
static bool may_have_tree(const tirbi_fused_items *q, uint32_t first) {
    uint32_t n = 0;
    for (uint32_t i = first; i < q->n && n < TIRBI_MAX_FUSED; i++) {
        if (tirbi_is_plain_allocation(q->items[i])) continue;
        if (q->items[i]->kind != TIRBI_LS_LOOP) return false;
        if (tirbi_has_kind(q->items[i], TIRBI_KIND(TREE))) return true;
        n++;
    }
    return false;
}

/* What a group begins with: what the next nest reads windows of; a contraction, and reductions of trees have to follow
 * or not. */
typedef enum beginning {
    BEGINS_WITH_ELEMENTS,
    BEGINS_WITH_OPERAND,
    BEGINS_WITH_SUMS,
    BEGINS_WITH_SUMS_OF_TREES
} beginning;

/* Adds a nest; a contraction only where the common loops are rows of it as well, and behind its operand only one of few
 * products: of a longer one it does not count where the operand comes from. */
static bool join(tirbi_fused *g, const tirbi_ls *nest, beginning how) {
    const tirbi_ls *loops = tirbi_behind_condition(nest);
    if (loops->kind != TIRBI_LS_LOOP) return false;
    const bool contracts = tirbi_contracts(g->pool, loops);
    const bool is_first = how == BEGINS_WITH_OPERAND && g->n == 1;
    return (!contracts || rows_of_sums(g->pool, loops, !is_first, !is_first) >= g->n_common) &&
           tirbi_join_fused(g, nest);
}

/* Bytes of a buffer's dimensions, or of those alone that are no rows as a place of it has them; INT64_MAX where that is
 * not known. */
static int64_t bytes_of(const tirbi_fused *g, const tirbi_lbuf *buffer, const tirbi_place *rows) {
    int64_t bytes = tirbi_dtypes[buffer->type].size;
    for (uint32_t d = 0; d < buffer->ndim; d++) {
        bool is_row = false;
        for (uint32_t i = 0; rows && i < g->vars.n; i++) is_row = is_row || row_dimension(rows, g->vars.var[i]) == d;
        if (!is_row && __builtin_mul_overflow(bytes, buffer->shape[d]->hi, &bytes)) return INT64_MAX;
    }
    return bytes;
}

/* Whether a near cache holds a buffer's rows, and not all of them: then one that is read as soon as it is made comes
 * from there. */
static bool rows_stay_near(const tirbi_fused_items *q, const tirbi_fused *g, const tirbi_lbuf *buffer) {
    const int64_t near = q->disabled & TIRB_PASS_GRAIN ? 0 : NEAR_BYTES;
    const tirbi_place *place = NULL;
    for (uint32_t i = 0; i < g->n_accesses && !place; i++)
        if (g->accesses[i].place->buffer == buffer) place = g->accesses[i].place;
    return place && bytes_of(g, buffer, NULL) > near && bytes_of(g, buffer, place) <= NEAR_ROW;
}

/* Whether the group's first nest makes such memory, which only the group uses, and in rows. */
static bool hands_rows_on(tirbi_fused_items *q, const tirbi_fused *g) {
    for (uint32_t i = 0; i < q->n; i++) {
        const tirbi_lbuf *buffer = tirbi_is_plain_allocation(q->items[i]) ? q->items[i]->as.alloc.buffer : NULL;
        if (buffer && tirbi_stores_to(g->originals[0], buffer) && is_in_rows(g, buffer) &&
            rows_stay_near(q, g, buffer) && !tirbi_is_used_elsewhere(q, g, i, buffer))
            return true;
    }
    return false;
}

static bool fuse_group(tirbi_fused_items *q, tirbi_fused *g, uint32_t first, uint32_t least, beginning how) {
    const bool sums = how == BEGINS_WITH_SUMS || how == BEGINS_WITH_SUMS_OF_TREES;
    const bool needs_tree = how == BEGINS_WITH_ELEMENTS || how == BEGINS_WITH_SUMS_OF_TREES;
    if ((how == BEGINS_WITH_ELEMENTS && !may_have_tree(q, first)) || !tirbi_begin_fused(g, q->items[first]) ||
        !g->has_rows[0] || (!sums && tirbi_contracts(q->pool, q->items[first])))
        return false;
    uint32_t end = first + 1;
    for (; end < q->n; end++) {
        if (tirbi_is_plain_allocation(q->items[end])) continue;
        if (!join(g, q->items[end], how)) break;
    }
    trim(g);
    bool has_tree = false;
    for (uint32_t i = 0; i < g->n; i++) has_tree = has_tree || tirbi_has_kind(g->bodies[i], TIRBI_KIND(TREE));
    if ((!has_tree && needs_tree) || g->n < least || (how == BEGINS_WITH_OPERAND && !hands_rows_on(q, g)) ||
        (g->n == 1 && !tirbi_computes_terms(g->pool, g->bodies[0], &g->vars)))
        return false;
    return replace(q, g, tirbi_allocate_before(q, first, end));
}

static tirbi_fused *new_group(tirbi_lx_pool *pool) {
    tirbi_fused *g = TIRBI_NEW(pool->arena, tirbi_fused);
    if (g) *g = (tirbi_fused){.pool = pool, .takes = note_stmt, .same = same_row, .links_reads = true,
                              .takes_conditions = true};
    return g;
}

/* With at least so many nests; one alone only where its terms are computed. */
static bool fuse_from(tirbi_fused_items *q, uint32_t first, uint32_t n_common, uint32_t least, beginning how) {
    tirbi_fused *g = new_group(q->pool);
    if (!g) return false;
    g->n_common = n_common;
    const bool fused = fuse_group(q, g, first, least, how);
    TIRBI_GIVE_BACK(q->pool->arena, g);
    return fused;
}

/* ---- Integers --------------------------------------------------------------------------------------------------- */

enum { MAX_ROW_LOADS = 16 };

/* The rows' loops that elements of the sums depend on. */
typedef struct row_loads {
    const tirbi_fused *g;
    const tirbi_lvar *axis;
    uint32_t rows[MAX_ROW_LOADS];
    uint32_t n;
} row_loads;

/* Whether the elements that a value reads along an axis are in rows: not side by side from row to row, and no two of
 * them in rows of different loops, as those of a product of matrices are. */
static bool are_rows(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    row_loads *l = w->context;
    (void)load;
    if (!tirbi_place_depends_on(place, l->axis)) return true;
    uint32_t rows = 0;
    if (place->ndim == 0 || l->n == MAX_ROW_LOADS) return false;
    for (uint32_t i = 0; i < l->g->vars.n; i++) {
        if (tirbi_lx_depends_on(place->indices[place->ndim - 1], l->g->vars.var[i])) return false;
        rows |= (uint32_t)tirbi_place_depends_on(place, l->g->vars.var[i]) << i;
    }
    for (uint32_t i = 0; i < l->n; i++)
        if ((l->rows[i] & rows) != rows && (l->rows[i] & rows) != l->rows[i]) return false;
    l->rows[l->n++] = rows;
    return true;
}

/* Whether a reduction of integers is one of rows, each into an element of its own. */
static bool sums_rows(const tirbi_fused *g, const tirbi_ls *tree) {
    for (uint32_t u = 0; u < tree->as.tree.n_updates; u++) {
        const tirbi_update *update = &tree->as.tree.updates[u];
        row_loads loads = {.g = g, .axis = tree->as.tree.loops[0]};
        for (uint32_t i = 0; i < g->vars.n; i++)
            if (row_dimension(update->target, g->vars.var[i]) == update->target->ndim) return false;
        tirbi_walk walk = {.context = &loads, .access = are_rows, .reach = TIRBI_WALK_INDICES};
        if (!tirbi_walk_expr(&walk, update->value)) return false;
    }
    return true;
}

static tirbi_step find_sums(tirbi_walk *w, const tirbi_ls *s) {
    if (s->kind != TIRBI_LS_TREE) return TIRBI_INTO;
    return sums_rows(w->context, s) ? TIRBI_PAST : TIRBI_STOP;
}

/* Whether all reductions in a statement are. */
static bool has_only_rows(const tirbi_fused *g, const tirbi_ls *s) {
    tirbi_walk walk = {.context = (void *)(uintptr_t)g, .stmt = find_sums};
    return tirbi_walk_stmt(&walk, s);
}

/* Another statement inside of the common loops, which may be done for several rows before the next one is. */
static bool add_part(tirbi_fused *g, const tirbi_ls *nest, const tirbi_ls *part) {
    if (part->kind == TIRBI_LS_SET || g->n == TIRBI_MAX_FUSED || !note_stmt(g, part) ||
        (g->n > 0 && !tirbi_agrees(g, false)))
        return false;
    g->bodies[g->n] = part;
    g->originals[g->n++] = nest;
    return true;
}

/* A nest around reductions of integers whose terms are computed, statement by statement. A reduction inside of a loop
 * of its own is short for each round of that: what is written out, or lanes over elements, does better. */
static bool cut_nest(tirbi_fused *g, const tirbi_ls *nest, const tirbi_ls *trees) {
    const tirbi_ls *body = trees;
    bool computes = false;
    for (g->n_common = 0; body->kind == TIRBI_LS_LOOP && g->n_common < MAX_COMMON; body = body->as.loop.body)
        g->n_common++;
    body = tirbi_common_loops(g, trees, &g->vars, g->loops);
    if (!body || tirbi_contracts(g->pool, nest)) return false;
    const tirbi_ls *const *parts = body->kind == TIRBI_LS_SEQ ? body->as.seq.items : &body;
    const uint32_t n = body->kind == TIRBI_LS_SEQ ? body->as.seq.n : 1;
    for (uint32_t i = 0; i < n; i++) {
        if (parts[i]->kind == TIRBI_LS_LOOP) return false;
        if (!add_part(g, nest, parts[i]) || !has_only_rows(g, parts[i])) return false;
        computes = computes || tirbi_computes_terms(g->pool, parts[i], &g->vars);
    }
    return computes;
}

static void fuse_ints(tirbi_fused_items *q, uint32_t at) {
    const tirbi_ls *nest = q->items[at], *trees = tirbi_int_trees(q->pool, nest);
    if (trees == nest || trees->kind != TIRBI_LS_LOOP) return;
    tirbi_fused *g = new_group(q->pool);
    if (!g) return;
    const tirbi_ls *one = cut_nest(g, nest, trees)
                              ? in_common_loops(g, g->bodies, g->n)
                              : NULL;
    if (one) q->items[at] = one;
}

uint32_t tirbi_fuse_rows(tirbi_lx_pool *pool, const tirbi_ls **items, uint32_t n, uint32_t disabled,
                         tirbi_notes *notes) {
    tirbi_fused_items q = {.pool = pool, .items = items, .n = n, .disabled = disabled, .notes = notes};
    for (uint32_t i = 0; i < q.n && tirbi_arena_may_try(pool->arena); i++) {
        uint32_t depth = 0;
        const tirbi_ls *s = q.items[i];
        for (; s->kind == TIRBI_LS_LOOP && depth < MAX_COMMON; s = s->as.loop.body) depth++;
        uint32_t all = depth;
        const uint32_t sums = all > 0 ? rows_of_sums(pool, q.items[i], false, false) : 0;
        const uint32_t shared = all > 0 ? rows_of_sums(pool, q.items[i], false, true) : 0;
        if (shared > sums && fuse_from(&q, i, shared, 2, BEGINS_WITH_SUMS_OF_TREES)) continue;
        if (sums > 0 && fuse_from(&q, i, sums, 2, BEGINS_WITH_SUMS)) continue;
        while (depth > 0 && !fuse_from(&q, i, depth, 2, BEGINS_WITH_ELEMENTS)) depth--;
        if (depth > 0) continue;
        for (depth = all; depth > 0 && !fuse_from(&q, i, depth, 2, BEGINS_WITH_OPERAND);) depth--;
        if (depth == 0 && all > 0 && !fuse_from(&q, i, all, 1, BEGINS_WITH_ELEMENTS)) fuse_ints(&q, i);
    }
    return q.n;
}
