/* for i, j: t[i, j] = f(i, j); for k: u[k] = g(t[k // n, k % n]) becomes for k: u[k] = g(f(k // n, k % n)), and t is
 * never allocated: slices, concatenations, reshapes, transpositions and broadcasts that follow each other are one copy,
 * and operations on large arrays are one nest whatever small ones stand between them.
 *
 * A temporary is memory of this program alone, each element of which one nest stores to, once, from what stands still
 * until the last one has read it. Its readers' subscripts are inside of it, by their ranges or by the conditions around
 * them, for a check would be gone as well; what may trap is not moved. A value that is more than elements and choices
 * between them is computed no more often than it was. Readers that reduce keep what they read: their operands are
 * arranged elsewhere (contractions/operands.c, rows). */
#include "compiler/optimize/nests/inline.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/contractions/contract.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/nests/digits.h"
#include "compiler/optimize/rewriting/fill.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum {
    MAX_VALUE = 200,  /* nodes of what a reader stores then */
    MAX_ITEMS = 64,   /* of a sequence in which allocations are moved */
    MAX_LOOKS = 20000 /* at statements of one sequence; what is behind that stays */
};

/* ---- The temporary ---------------------------------------------------------------------------------------------- */

typedef struct temporary {
    tirbi_lx_pool *pool;
    const tirbi_lbuf *buffer;
    tirbi_fill fill; /* the nest that stores to it */
    const tirbi_lx *value;
    bool moves;   /* elements, and choices between them */
    int64_t made; /* elements; INT64_MAX: not known */
} temporary;

/* Adds what a condition says where it holds, or where it does not. */
static void add_facts(tirbi_given *facts, const tirbi_lx *x, bool holds) {
    const bool both = x->kind == TIRBI_LX_AND || (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_AND);
    const bool either = x->kind == TIRBI_LX_OR || (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_OR);
    if (holds ? both : either) {
        add_facts(facts, x->args[0], holds);
        add_facts(facts, x->args[1], holds);
        return;
    }
    if (x->kind != TIRBI_LX_OP) return;
    switch (x->op) {
    case TIRB_OP_NOT:
        add_facts(facts, x->args[0], !holds);
        return;
    case TIRB_OP_LT:
        tirbi_add_fact(facts, x->args[holds], x->args[!holds], holds ? -1 : 0);
        return;
    case TIRB_OP_LE:
        tirbi_add_fact(facts, x->args[holds], x->args[!holds], holds ? 0 : -1);
        return;
    case TIRB_OP_GT:
        tirbi_add_fact(facts, x->args[!holds], x->args[holds], holds ? -1 : 0);
        return;
    case TIRB_OP_GE:
        tirbi_add_fact(facts, x->args[!holds], x->args[holds], holds ? 0 : -1);
        return;
    default:
        return;
    }
}

/* Whether an element is inside of its buffer where the facts hold. */
static bool is_inside(tirbi_lx_pool *pool, const tirbi_given *facts, const tirbi_place *place) {
    if (!tirbi_has_whole_extents(place->buffer) || place->view) return false;
    for (uint32_t d = 0; d < place->ndim; d++) {
        const tirbi_lx *x = place->indices[d], *zero = tirbi_lx_int(pool, TIRB_I64, 0);
        if (!zero || x->traps) return false;
        if (!tirbi_dim_proven(place, d) && (!x->pure || tirbi_decide(facts, TIRB_OP_GE, x, zero) != 1 ||
                                            tirbi_decide(facts, TIRB_OP_LT, x, place->buffer->shape[d]) != 1))
            return false;
    }
    return true;
}

/* Whether a value can be computed anywhere its operands can: it traps nowhere, and is made of what does not change. */
static bool is_plain_value(tirbi_lx_pool *pool, const tirbi_given *facts, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_VAR) return x->var->kind != TIRBI_LVAR_LOCAL;
    if (x->kind == TIRBI_LX_CALL) return false;
    if (x->kind == TIRBI_LX_LOAD) {
        for (uint32_t d = 0; d < x->access->ndim; d++)
            if (!is_plain_value(pool, facts, x->access->indices[d])) return false;
        return is_inside(pool, facts, x->access);
    }
    if (x->kind == TIRBI_LX_COND) {
        tirbi_given then_facts = *facts, else_facts = *facts;
        add_facts(&then_facts, x->args[0], true);
        add_facts(&else_facts, x->args[0], false);
        return is_plain_value(pool, facts, x->args[0]) && is_plain_value(pool, &then_facts, x->args[1]) &&
               is_plain_value(pool, &else_facts, x->args[2]);
    }
    bool traps = false;
    for (unsigned i = 0; i < x->n_args; i++) {
        if (!is_plain_value(pool, facts, x->args[i])) return false;
        traps = traps || x->args[i]->traps;
    }
    return !x->traps || (traps && tirbi_dtype_is_float((tirbi_dtype)x->optype));
}

/* Whether elements are taken as they are; conditions and subscripts may compute. */
static bool only_moves(const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_COND) return only_moves(x->args[1]) && only_moves(x->args[2]);
    return x->kind == TIRBI_LX_LOAD || x->kind == TIRBI_LX_CONST;
}

static int64_t iterations(const tirbi_loop_set *loops) {
    int64_t n = 1;
    for (uint32_t i = 0; i < loops->n; i++) {
        const tirbi_lx *extent = loops->var[i]->extent;
        if (extent->kind != TIRBI_LX_CONST || __builtin_mul_overflow(n, extent->value, &n)) return INT64_MAX;
    }
    return n;
}

/* The memory that a nest may give the elements of, or NULL. */
static const tirbi_lbuf *find_temporary(temporary *t, const tirbi_ls *nest) {
    const tirbi_given none = {.n = 0};
    if (!tirbi_read_fill(nest, &t->fill) || t->fill.body != t->fill.store) return NULL;
    t->buffer = t->fill.store->as.store.access->buffer;
    t->value = t->fill.store->as.store.value;
    if (t->buffer->root != t->buffer || t->buffer->param >= 0 || t->buffer->local) return NULL;
    if (t->value->size > MAX_VALUE || !is_plain_value(t->pool, &none, t->value)) return NULL;
    t->moves = only_moves(t->value);
    t->made = iterations(&t->fill.loops);
    return t->buffer;
}

/* ---- What is stored between ------------------------------------------------------------------------------------- */

static bool loads_root(const void *root, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_LOAD && tirbi_may_meet(x->access->buffer->root, root);
}

static bool is_other_memory(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    const temporary *t = w->context;
    return load || !tirbi_any_expr(t->value, TIRBI_WALK_PLACES, loads_root, place->buffer->root);
}

/* Whether what the temporary's value is made of is the same behind a statement, and in it. */
static bool leaves_alone(const temporary *t, const tirbi_ls *s) {
    tirbi_walk walk = {.context = (void *)(uintptr_t)t,
                       .expr = tirbi_stop_at_call,
                       .access = is_other_memory,
                       .kinds = TIRBI_NESTS | TIRBI_KIND(ALLOC) | TIRBI_KIND(TREE),
                       .reach = TIRBI_WALK_ALL};
    return tirbi_walk_stmt(&walk, s);
}

/* ---- Readers ---------------------------------------------------------------------------------------------------- */

typedef struct reader {
    const temporary *t;
    tirbi_loop_set loops; /* around */
    tirbi_given facts;
    bool moves;  /* what a statement stores is elements as they are */
    bool in_arm; /* of a choice */
    bool failed;
    uint32_t once; /* reads of each element at most once */
    int64_t times; /* that the others read one, all in all, or INT64_MAX */
} reader;

/* Whether not every iteration comes to an element. */
static bool is_guarded(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_LOAD && x->access->guard > 0;
}

/* Elements that are loaded come under the reader's conditions. */
static const tirbi_lx *load_there(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const uint16_t *guard = rewrite->context;
    tirbi_place *place =
        x->kind == TIRBI_LX_LOAD ? (tirbi_place *)(uintptr_t)tirbi_rewrite_place(rewrite, x->access) : NULL;
    if (place) place->guard = *guard;
    return tirbi_lx_load(rewrite->pool, place);
}

/* Whether a value's elements follow each other along the innermost loop, or stand still in it. */
static bool is_out_of_step(const void *context, const tirbi_lx *x) {
    const reader *r = context;
    tirbi_loop_set innermost = {.n = 0};
    for (uint32_t i = r->loops.n; i-- > 0 && innermost.n == 0;)
        if (!tirbi_lx_is_int(r->loops.var[i]->extent, 1)) innermost.var[innermost.n++] = r->loops.var[i];
    if (x->kind != TIRBI_LX_LOAD || innermost.n == 0) return false;
    tirbi_affine form;
    int64_t step = 0;
    return !tirbi_affine_number(r->t->pool, x->access, &innermost, &form) ||
           (form.coefficient[0] && (!tirbi_affine_constant(&form, 0, &step) || (step != 0 && step != 1)));
}

static bool is_not_affine(const void *context, const tirbi_lx *x) {
    const reader *r = context;
    tirbi_affine form;
    return x->kind == TIRBI_LX_LOAD && !tirbi_affine_number(r->t->pool, x->access, &r->loops, &form);
}

/* The temporary's value where an element of it is read, or NULL. */
static const tirbi_lx *value_at(const reader *r, const tirbi_place *place) {
    const temporary *t = r->t;
    if (place->buffer != t->buffer || !is_inside(t->pool, &r->facts, place)) return NULL;
    uint16_t guard = place->guard;
    if (tirbi_any_expr(t->value, TIRBI_WALK_PLACES, is_guarded, NULL)) {
        for (uint32_t i = 0; i < r->loops.n; i++)
            if (r->loops.var[i]->level > guard) guard = r->loops.var[i]->level;
    }
    tirbi_rewrite rewrite = {.pool = t->pool, .replace = load_there, .context = &guard};
    tirbi_bind_fill(&rewrite, &t->fill, place);
    const tirbi_lx *value = tirbi_rewrite_value(&rewrite, t->value);
    /* Arms that take a loop apart in ways of their own leave no way to cut it where the choice changes. */
    if (value && r->in_arm && tirbi_any_expr(value, 0, is_not_affine, r)) return NULL;
    const bool may_be_anywhere = t->moves && r->moves;
    return value && (may_be_anywhere || !tirbi_any_expr(value, 0, is_out_of_step, r)) ? value : NULL;
}

static void count_read(reader *r, const tirbi_place *place) {
    const int64_t here = iterations(&r->loops);
    if (tirbi_tells_all(r->t->pool, &r->loops, place))
        r->once++;
    else if (here == INT64_MAX || __builtin_add_overflow(r->times, here, &r->times))
        r->times = INT64_MAX;
}

/* Whether the value may be computed as often as it is read: an element is cheap, or it is done no more often. */
static bool suits_readers(const reader *r) {
    if (r->t->moves && r->t->value->kind != TIRBI_LX_COND) return true;
    return r->once == 0 ? r->times <= r->t->made && r->times < INT64_MAX : r->once == 1 && r->times == 0;
}

/* One arm of a choice, in which a condition holds or does not. */
static const tirbi_lx *read_arm(tirbi_rewrite *rewrite, const tirbi_lx *condition, bool holds, const tirbi_lx *x) {
    reader *r = rewrite->context;
    const tirbi_given around = r->facts;
    const bool in_arm = r->in_arm;
    add_facts(&r->facts, condition, holds);
    r->in_arm = true;
    const tirbi_lx *arm = tirbi_rewrite_value(rewrite, x);
    r->in_arm = in_arm;
    r->facts = around;
    return arm;
}

static const tirbi_lx *read_value(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    reader *r = rewrite->context;
    if (x->kind == TIRBI_LX_LOAD && x->access->buffer->root == r->t->buffer) {
        const tirbi_lx *value = value_at(r, x->access);
        count_read(r, x->access);
        r->failed = r->failed || !value;
        return value ? value : x;
    }
    if (x->kind != TIRBI_LX_COND) return NULL;
    return tirbi_lx_lazy(rewrite->pool, TIRBI_LX_COND, tirbi_rewrite_value(rewrite, x->args[0]),
                         read_arm(rewrite, x->args[0], true, x->args[1]),
                         read_arm(rewrite, x->args[0], false, x->args[2]));
}

static bool loads_temporary(const void *root, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_LOAD && x->access->buffer->root == root;
}

/* What is stored or set, with values in place of the temporary's elements; NULL: that is not to be. */
static const tirbi_lx *read_all(reader *r, const tirbi_lx *x) {
    tirbi_rewrite rewrite = {.pool = r->t->pool, .replace = read_value, .context = r};
    r->moves = only_moves(x);
    r->facts.n = 0;
    const tirbi_lx *value = x->size <= MAX_VALUE ? tirbi_rewrite_value(&rewrite, x) : NULL;
    return value && !r->failed && value->size <= MAX_VALUE ? value : NULL;
}

/* ---- Runs ------------------------------------------------------------------------------------------------------- */

/* Two loops of a nest, of which the inner one has so many iterations. */
typedef struct neighbours {
    tirbi_lx_pool *pool;
    tirbi_loop_set loops; /* outer, inner */
    int64_t extent;
} neighbours;

/* Whether a place does not go on behind the inner loop's last iteration as it goes in it. */
static bool breaks_run(const neighbours *n, const tirbi_place *place) {
    tirbi_affine form;
    int64_t outer = 0, inner = 0, span;
    if (!tirbi_affine_number(n->pool, place, &n->loops, &form)) return true;
    if (form.coefficient[0] && !tirbi_affine_constant(&form, 0, &outer)) return true;
    if (form.coefficient[1] && !tirbi_affine_constant(&form, 1, &inner)) return true;
    return __builtin_mul_overflow(inner, n->extent, &span) || outer != span;
}

static bool load_breaks_run(const void *context, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_LOAD && breaks_run(context, x->access);
}

/* How many iterations of the innermost loops are one run through all that a store reads and writes, at most `most`. */
static int64_t run_of(const reader *r, const tirbi_place *stored, const tirbi_lx *value, int64_t most) {
    neighbours n = {.pool = r->t->pool, .loops.n = 2, .extent = 1};
    for (uint32_t i = r->loops.n; i-- > 0 && n.extent < most;) {
        const tirbi_lx *extent = r->loops.var[i]->extent;
        if (tirbi_lx_is_int(extent, 1)) continue;
        n.loops.var[0] = r->loops.var[i];
        if (n.loops.var[1] && (breaks_run(&n, stored) || tirbi_any_expr(value, 0, load_breaks_run, &n))) break;
        if (extent->kind != TIRBI_LX_CONST) return most;
        n.loops.var[1] = r->loops.var[i];
        if (__builtin_mul_overflow(n.extent, extent->value, &n.extent)) return most;
    }
    return n.extent;
}

static bool is_operation(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_OP && tirbi_dtype_is_float((tirbi_dtype)x->type);
}

/* Whether operations that went through long runs would go through short ones: each run begins anew. */
static bool shortens_runs(const reader *r, const tirbi_ls *store, const tirbi_lx *value) {
    enum { LONG = 256 };
    const tirbi_place *stored = store->as.store.access;
    if (tirbi_count_expr(store->as.store.value, 0, is_operation, NULL) == 0) return false;
    const int64_t now = run_of(r, stored, value, LONG);
    return now < LONG && run_of(r, stored, store->as.store.value, LONG) >= 4 * now;
}

/* ---- Statements that read --------------------------------------------------------------------------------------- */

/* The statement as it is where the temporary has to stay, which is seen by its being used. */
static const tirbi_ls *read_stmt(tirbi_rewrite *rewrite, const tirbi_ls *s) {
    reader *r = rewrite->context;
    if (s->kind == TIRBI_LS_LOOP) {
        if (r->loops.n == TIRBI_MAX_AFFINE) return s;
        r->loops.var[r->loops.n++] = s->as.loop.var;
        const tirbi_ls *inside = tirbi_rewrite_inside(rewrite, s);
        r->loops.n--;
        return inside ? inside : s;
    }
    const bool stores = s->kind == TIRBI_LS_STORE;
    const tirbi_lx *x = stores ? s->as.store.value : s->kind == TIRBI_LS_SET ? s->as.set.value : NULL;
    if (!x) return NULL;
    if (!tirbi_any_expr(x, TIRBI_WALK_PLACES, loads_temporary, r->t->buffer)) return s;
    const bool may = stores ? !tirbi_any_expr(x, TIRBI_WALK_PLACES, loads_root, s->as.store.access->buffer->root)
                            : s->as.set.declares && s->as.set.var->kind == TIRBI_LVAR_LET;
    const tirbi_ls *copy = may ? tirbi_with_value(r->t->pool, s, read_all(r, x)) : NULL;
    return copy && !(stores && shortens_runs(r, s, copy->as.store.value)) ? copy : s;
}

/* ---- Sequences -------------------------------------------------------------------------------------------------- */

enum { MAX_READERS = 16, MAX_TURNS = 3 };

typedef struct sequence {
    tirbi_lx_pool *pool;
    const tirbi_ls **items;
    uint32_t n, looks;
    tirbi_notes *notes;
    bool changed;
} sequence;

static bool uses(sequence *q, uint32_t i, const tirbi_lbuf *buffer) {
    q->looks++;
    return q->looks > MAX_LOOKS || tirbi_statement_uses(q->items[i], buffer);
}

/* The readers' statements without the temporary that item `producer` stores to; false: it has to stay. */
static bool read_without(sequence *q, const temporary *t, uint32_t producer, const tirbi_ls **fresh, uint32_t *n_read,
                         uint32_t *at) {
    reader *r = TIRBI_NEW(q->pool->arena, reader);
    uint32_t looked = producer + 1;
    bool done = r != NULL;
    if (r) r->t = t;
    for (uint32_t i = producer + 1; done && i < q->n; i++) {
        if (!uses(q, i, t->buffer)) continue;
        while (done && looked <= i) done = leaves_alone(t, q->items[looked++]);
        tirbi_rewrite rewrite = {.pool = q->pool, .statement = read_stmt, .context = r};
        rewrite.kinds = TIRBI_KIND(SEQ) | TIRBI_KIND(LOOP);
        const tirbi_ls *s = done && *n_read < MAX_READERS ? tirbi_rewrite_stmt(&rewrite, q->items[i]) : NULL;
        done = s && !tirbi_statement_uses(s, t->buffer);
        if (!done) break;
        at[*n_read] = i;
        fresh[(*n_read)++] = s;
    }
    done = done && suits_readers(r);
    if (r) TIRBI_GIVE_BACK(q->pool->arena, r);
    return done;
}

/* Whether item `producer` and what it stores to are gone. */
static bool inline_producer(sequence *q, uint32_t producer) {
    temporary t = {.pool = q->pool};
    const tirbi_lbuf *buffer = find_temporary(&t, q->items[producer]);
    const tirbi_ls *fresh[MAX_READERS];
    uint32_t alloc = producer, n_read = 0, at[MAX_READERS];
    if (!buffer) return false;
    while (alloc > 0 && (q->items[alloc]->kind != TIRBI_LS_ALLOC || q->items[alloc]->as.alloc.buffer != buffer)) {
        if (alloc < producer && uses(q, alloc, buffer)) return false;
        alloc--;
    }
    if (!tirbi_is_plain_allocation(q->items[alloc]) || q->items[alloc]->as.alloc.buffer != buffer) return false;
    if (!read_without(q, &t, producer, fresh, &n_read, at)) return false;
    for (uint32_t i = 0; i < n_read; i++) q->items[at[i]] = fresh[i];
    if (q->notes)
        tirbi_note_loop(q->notes, t.fill.loops.var[0], q->items[producer]->span, TIRB_FORM_FUSED,
                        n_read > 0 ? "%s is computed where it is read" : "nothing reads %s", buffer->name);
    uint32_t kept = alloc;
    for (uint32_t i = alloc + 1; i < q->n; i++)
        if (i != producer) q->items[kept++] = q->items[i];
    q->n = kept;
    q->changed = true;
    return true;
}

typedef struct inliner {
    tirbi_lx_pool *pool;
    tirbi_notes *notes;
    bool changed;
} inliner;

static const tirbi_ls *inline_in(void *context, const tirbi_ls *s) {
    inliner *in = context;
    const tirbi_ls *inside = tirbi_replace_inside(in->pool, s, inline_in, in);
    if (inside->kind != TIRBI_LS_SEQ || !tirbi_arena_may_try(in->pool->arena)) return inside;
    sequence q = {.pool = in->pool, .n = inside->as.seq.n, .notes = in->notes};
    q.items = TIRBI_NEW_ARRAY(in->pool->arena, const tirbi_ls *, q.n);
    if (!q.items) return inside;
    for (uint32_t i = 0; i < q.n; i++) q.items[i] = inside->as.seq.items[i];
    for (uint32_t i = 0; i < q.n;) {
        if (q.items[i]->kind == TIRBI_LS_LOOP && inline_producer(&q, i))
            i--;
        else
            i++;
    }
    if (!q.changed) return inside;
    in->changed = true;
    const tirbi_ls *rest = tirbi_new_sequence(in->pool, inside->span, q.items, q.n);
    return rest ? rest : inside;
}

/* ---- Temporaries of iterations ---------------------------------------------------------------------------------- */

/* Whether a statement is a nest that stores to all of a buffer, and reads none of it. */
static bool fills(const tirbi_ls *s, const tirbi_lbuf *buffer) {
    tirbi_fill fill;
    return tirbi_read_fill(s, &fill) && fill.body == fill.store && fill.store->as.store.access->buffer == buffer &&
           !tirbi_may_read(fill.store->as.store.value, buffer);
}

/* A loop, each iteration of which fills the buffer before it does anything else with it, with the allocation inside;
 * NULL: it is none. */
static const tirbi_ls *with_own(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_ls *alloc) {
    const tirbi_lbuf *buffer = alloc->as.alloc.buffer;
    const tirbi_ls *body = loop->as.loop.body, *items[MAX_ITEMS];
    uint32_t n = 1, at = 0;
    for (uint32_t d = 0; d < buffer->ndim; d++)
        if (buffer->shape[d]->kind != TIRBI_LX_CONST) return NULL;
    items[0] = alloc;
    if (!tirbi_is_plain_loop(loop) || !tirbi_list_statements(body, items, &n, MAX_ITEMS)) return NULL;
    while (++at < n && !tirbi_statement_uses(items[at], buffer)) {}
    if (at == n) return NULL;
    const bool here = fills(items[at], buffer);
    if (!here) {
        const tirbi_ls *inside = items[at]->kind == TIRBI_LS_LOOP ? with_own(pool, items[at], alloc) : NULL;
        for (uint32_t i = at + 1; i < n; i++)
            if (tirbi_statement_uses(items[i], buffer)) return NULL;
        if (!inside) return NULL;
        items[at] = inside;
    }
    return tirbi_loop_like(pool, loop, NULL, tirbi_new_sequence(pool, body->span, items + !here, n - !here));
}

/* An allocation that one loop behind it uses alone, each of whose iterations fills it first, begins there. */
static const tirbi_ls *narrow(void *context, const tirbi_ls *s) {
    inliner *in = context;
    s = tirbi_replace_inside(in->pool, s, narrow, in);
    const tirbi_ls *items[MAX_ITEMS];
    uint32_t n = 0;
    bool changed = false;
    if (s->kind != TIRBI_LS_SEQ || !tirbi_list_statements(s, items, &n, MAX_ITEMS)) return s;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t users = 0, user = n;
        if (!tirbi_is_plain_allocation(items[i]) || !tirbi_arena_may_try(in->pool->arena)) continue;
        for (uint32_t k = 0; k < n && users < 2; k++) {
            if (k == i || !tirbi_statement_uses(items[k], items[i]->as.alloc.buffer)) continue;
            user = k;
            users++;
        }
        const bool alone = users == 1 && user > i && items[user]->kind == TIRBI_LS_LOOP;
        const tirbi_ls *loop = alone ? with_own(in->pool, items[user], items[i]) : NULL;
        if (!loop) continue;
        items[user] = loop;
        for (uint32_t k = i--; k + 1 < n; k++) items[k] = items[k + 1];
        n--;
        changed = true;
    }
    const tirbi_ls *made = changed ? tirbi_new_sequence(in->pool, s->span, items, n) : s;
    return made ? made : s;
}

/* Loops that subscripts take apart are made nests in between: then more of them tell elements apart. */
const tirbi_ls *tirbi_inline_temporaries(tirbi_lx_pool *pool, const tirbi_ls *body, tirbi_notes *notes) {
    inliner in = {.pool = pool, .notes = notes, .changed = true};
    body = body ? narrow(&in, body) : NULL;
    for (int turn = 0; body && turn < MAX_TURNS && in.changed; turn++) {
        in.changed = false;
        const tirbi_ls *inlined = inline_in(&in, body);
        if (in.changed) body = tirbi_split_digits(pool, inlined);
    }
    return body;
}
