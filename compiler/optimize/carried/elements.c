#include "compiler/optimize/carried/elements.h"

#include <string.h>

#include "compiler/loop/visit.h"
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/carried/records.h"
#include "compiler/optimize/carried/scopes.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/pipeline/switches.h"

enum {
    MAX_ARRAYS = 8,
    MAX_ELEMENTS = 48, /* of an array: lane registers are 64 */
    MAX_INDEX_VARS = 32,
    MAX_WRITTEN = 640, /* statements, */
    MAX_NODES = 12000, /* and nodes of their expressions */
    MAX_DEPTH = 48,
    MAX_TRIES = 4, /* of a function, */
    MAX_LOOKS = 20000, /* and at its statements */
    MAX_NOTED = 16,
    LEAST_ROUNDS = 8, /* of a loop around */
    LONG_LOOP = 16    /* lanes that a loop inside has are not given up for those around it */
};

typedef struct array {
    const tirbi_lbuf *buffer;
    tirbi_lvar **element; /* NULL: not come to yet */
    tirbi_ls *begin;      /* the sequence in which elements that are not set there begin as zero */
    uint32_t level;       /* of the statement that it is in */
} array;

typedef struct writer {
    tirbi_rewrite rewrite; /* what a name of the program stands for: a counter's value, the variable of this copy */
    tirbi_lx_pool *pool;
    array arrays[MAX_ARRAYS];
    uint32_t n_arrays;
    const tirbi_lvar *chooses[MAX_INDEX_VARS]; /* variables by which elements are chosen */
    uint32_t n_chooses;
    const tirbi_ls *apart[MAX_NOTED]; /* loops that were written out, for who asks */
    uint32_t n_apart;
    uint32_t around; /* loops of the nest around it all that are still to come */
    uint32_t level;  /* of statements that are being written, in others */
    uint32_t statements, nodes;
    bool failed;
} writer;

/* ---- Which arrays, and by what their elements are chosen --------------------------------------------------------- */

static bool constant_of(const tirbi_lx *x, int64_t *value) {
    if (x->kind != TIRBI_LX_CONST) return false;
    *value = x->value;
    return true;
}

/* How many elements an array has; 0 where that is not known, they are many, or lie in another way than one after the
 * other. */
static uint32_t size_of(const tirbi_lbuf *b) {
    int64_t n = 1, extent, stride, length;
    if (b->root != b || b->param >= 0 || b->offset || b->source || b->fetched || b->broadcasts || b->local ||
        b->ndim == 0)
        return 0;
    for (uint32_t d = b->ndim; d-- > 0;) {
        if (!constant_of(b->shape[d], &extent) || !constant_of(b->strides[d], &stride) || stride != n || extent < 1 ||
            extent > MAX_ELEMENTS)
            return 0;
        n *= extent;
        if (n > MAX_ELEMENTS) return 0;
    }
    if (b->length && (!constant_of(b->length, &length) || length < n)) return 0;
    return (uint32_t)n;
}

static bool chooses(const writer *w, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < w->n_chooses; i++) {
        if (w->chooses[i] == var) return true;
    }
    return false;
}

static array *array_of(writer *w, const tirbi_lbuf *root) {
    for (uint32_t i = w->n_arrays; i-- > 0;) {
        if (w->arrays[i].buffer == root) return &w->arrays[i];
    }
    return NULL;
}

/* Finds an array that begins in a statement; stops where it is not small, or the statement is not written. */
static tirbi_step find_array(tirbi_walk *walk, const tirbi_ls *s) {
    writer *w = walk->context;
    if (s->kind == TIRBI_LS_LOOP && (s->as.loop.step || s->as.loop.blocks || s->as.loop.rows)) return TIRBI_STOP;
    if (s->kind != TIRBI_LS_ALLOC) return TIRBI_INTO;
    if (size_of(s->as.alloc.buffer) == 0 || w->n_arrays == MAX_ARRAYS) return TIRBI_STOP;
    w->arrays[w->n_arrays++].buffer = s->as.alloc.buffer;
    return TIRBI_PAST;
}

static bool find_arrays(writer *w, const tirbi_ls *s) {
    tirbi_walk walk = {.context = w,
                       .stmt = find_array,
                       .kinds = TIRBI_NESTS | TIRBI_KIND(WHILE) | TIRBI_KIND(ALLOC),
                       .deepest = MAX_DEPTH};
    return tirbi_walk_stmt(&walk, s);
}

static void note_variables(writer *w, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_LOAD || x->kind == TIRBI_LX_CALL) w->failed = true;
    if (x->kind == TIRBI_LX_VAR && !chooses(w, x->var)) {
        if (w->n_chooses == MAX_INDEX_VARS)
            w->failed = true;
        else
            w->chooses[w->n_chooses++] = x->var;
    }
    for (int i = 0; i < x->n_args && !w->failed; i++) note_variables(w, x->args[i]);
}

static void note_place(writer *w, const tirbi_place *place);

static void note_indices(writer *w, const tirbi_lx *x) {
    if (w->failed) return;
    if (x->kind == TIRBI_LX_LOAD) note_place(w, x->access);
    for (int i = 0; i < x->n_args; i++) note_indices(w, x->args[i]);
}

static void note_place(writer *w, const tirbi_place *place) {
    const bool own = array_of(w, place->buffer->root) != NULL;
    for (uint32_t d = 0; d < place->ndim && !w->failed; d++) {
        if (own)
            note_variables(w, place->indices[d]);
        else
            note_indices(w, place->indices[d]);
    }
}

/* Notes the variables by which elements are chosen, backwards: from where a name is used to what it is made of. */
static void note_choices(writer *w, const tirbi_ls *s) {
    if (w->failed) return;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = s->as.seq.n; i-- > 0;) note_choices(w, s->as.seq.items[i]);
        return;
    case TIRBI_LS_LOOP:
        note_choices(w, s->as.loop.body);
        if (!chooses(w, s->as.loop.var)) return;
        note_variables(w, s->as.loop.var->min);
        note_variables(w, s->as.loop.var->extent);
        return;
    case TIRBI_LS_IF:
        note_choices(w, s->as.if_.then_case);
        if (s->as.if_.else_case) note_choices(w, s->as.if_.else_case);
        note_indices(w, s->as.if_.condition);
        return;
    case TIRBI_LS_WHILE:
        note_choices(w, s->as.while_.body);
        note_indices(w, s->as.while_.condition);
        return;
    case TIRBI_LS_STORE:
        note_place(w, s->as.store.access);
        note_indices(w, s->as.store.value);
        return;
    case TIRBI_LS_SET:
        if (chooses(w, s->as.set.var)) note_variables(w, s->as.set.value);
        note_indices(w, s->as.set.value);
        return;
    default:
        return;
    }
}

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

/* The number of the element that a place of an array is; false where that is not known, or there is none. */
static bool number_of(writer *w, const array *a, const tirbi_place *place, uint32_t *number) {
    int64_t at = 0, index;
    if (place->buffer != a->buffer || place->view) return false;
    for (uint32_t d = 0; d < place->ndim; d++) {
        const tirbi_lx *x = tirbi_rewrite_value(&w->rewrite, place->indices[d]);
        if (!x || !constant_of(x, &index) || index < 0 || index >= a->buffer->shape[d]->value) return false;
        at = at * a->buffer->shape[d]->value + index;
    }
    *number = (uint32_t)at;
    return true;
}

/* The variable of an element, which begins as zero where it has not been set. */
static tirbi_lvar *element_at(writer *w, array *a, uint32_t number, const tirbi_lx *like, tirbi_span span) {
    if (a->element[number]) return a->element[number];
    tirbi_lvar *var = tirbi_variable_for(w->pool, TIRBI_LVAR_LOCAL, a->buffer->name, like, span);
    const tirbi_ls *begin = tirbi_new_set(w->pool, span, var, tirbi_lx_bits(w->pool, a->buffer->type, 0), true);
    if (!begin) return NULL;
    a->begin->as.seq.items[a->begin->as.seq.n++] = begin;
    return a->element[number] = var;
}

static const tirbi_lx *replace(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    writer *w = rewrite->context;
    if (++w->nodes > MAX_NODES) w->failed = true;
    if (w->failed) return x;
    if (x->kind == TIRBI_LX_COND || x->kind == TIRBI_LX_AND || x->kind == TIRBI_LX_OR) {
        /* What is not evaluated may name an element that there is not. */
        const tirbi_lx *first = tirbi_rewrite_value(rewrite, x->args[0]);
        if (!first || first->kind != TIRBI_LX_CONST) return NULL;
        if (x->kind == TIRBI_LX_COND) return tirbi_rewrite_value(rewrite, x->args[first->value ? 1 : 2]);
        return (first->value != 0) == (x->kind == TIRBI_LX_AND) ? tirbi_rewrite_value(rewrite, x->args[1]) : first;
    }
    if (x->kind != TIRBI_LX_LOAD) return NULL;
    array *a = array_of(w, x->access->buffer->root);
    uint32_t number;
    if (!a) return NULL;
    if (!number_of(w, a, x->access, &number)) {
        w->failed = true;
        return x;
    }
    tirbi_lvar *var = element_at(w, a, number, x, x->access->span);
    return tirbi_lx_var(w->pool, var);
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

static const tirbi_ls *fail(writer *w) {
    w->failed = true;
    return NULL;
}

static const tirbi_ls *write_iterations(writer *w, const tirbi_ls *loop) {
    const tirbi_lvar *var = loop->as.loop.var;
    const tirbi_lx *min = tirbi_rewrite_value(&w->rewrite, var->min),
                   *extent = tirbi_rewrite_value(&w->rewrite, var->extent);
    int64_t first, n;
    if (!min || !extent || !constant_of(min, &first) || !constant_of(extent, &n) || n > MAX_WRITTEN || n < 0 ||
        first > INT32_MAX || first < INT32_MIN)
        return fail(w);
    const tirbi_ls **items = TIRBI_NEW_ARRAY(w->pool->arena, const tirbi_ls *, (uint32_t)n + 1);
    const tirbi_binding *bound = w->rewrite.bound;
    const uint32_t arrays = w->n_arrays;
    if (!items) return fail(w);
    if (w->n_apart < MAX_NOTED) w->apart[w->n_apart++] = loop;
    for (uint32_t i = 0; i < n && !w->failed; i++) {
        tirbi_bind_variable(&w->rewrite, var, tirbi_lx_int(w->pool, var->type, first + i));
        items[i] = tirbi_rewrite_stmt(&w->rewrite, loop->as.loop.body);
        w->rewrite.bound = bound;
        w->n_arrays = arrays;
    }
    return w->failed ? NULL : tirbi_new_sequence(w->pool, loop->span, items, (uint32_t)n);
}

/* A statement around others. */
static const tirbi_ls *write_around(writer *w, const tirbi_ls *s) {
    const bool around = w->around > 0, loops = s->kind == TIRBI_LS_LOOP;
    const uint32_t arrays = w->n_arrays;
    if (loops && around) w->around--;
    w->level++;
    const tirbi_ls *copy = tirbi_rewrite_inside(&w->rewrite, s);
    w->level--;
    w->n_arrays = arrays;
    if (!copy) return fail(w);
    const bool is_long = copy->kind == TIRBI_LS_LOOP && copy->as.loop.var->extent->hi > LONG_LOOP;
    return loops && !around && is_long && tirbi_has_lanes(w->pool, copy) ? fail(w) : copy;
}

static const tirbi_ls *write_element(writer *w, array *a, const tirbi_ls *s) {
    const tirbi_lx *value = tirbi_rewrite_value(&w->rewrite, s->as.store.value),
                   *like = tirbi_lx_load(w->pool, s->as.store.access);
    uint32_t number;
    if (!value || !like || !number_of(w, a, s->as.store.access, &number)) return fail(w);
    const bool begins = !a->element[number] && a->level == w->level;
    if (begins)
        a->element[number] = tirbi_variable_for(w->pool, TIRBI_LVAR_LOCAL, a->buffer->name, like, s->span);
    return tirbi_new_set(w->pool, s->span, element_at(w, a, number, like, s->span), value, begins);
}

static const tirbi_ls *write_allocation(writer *w, const tirbi_ls *s) {
    const tirbi_lbuf *buffer = s->as.alloc.buffer;
    const uint32_t n = size_of(buffer);
    array a = {.buffer = buffer, .element = TIRBI_NEW_ARRAY(w->pool->arena, tirbi_lvar *, n + 1), .level = w->level};
    a.begin = tirbi_new_stmt(w->pool, TIRBI_LS_SEQ, s->span);
    const tirbi_ls **items = TIRBI_NEW_ARRAY(w->pool->arena, const tirbi_ls *, n + 1);
    if (n == 0 || !a.element || !a.begin || !items || w->n_arrays == MAX_ARRAYS) return fail(w);
    memset(a.element, 0, n * sizeof(tirbi_lvar *));
    items[0] = tirbi_new_sequence(w->pool, s->span, NULL, 0); /* it may get more, so that it stays as long as that */
    a.begin->as.seq.items = items;
    a.begin->as.seq.n = 1;
    w->arrays[w->n_arrays++] = a;
    return a.begin;
}

/* What stands for a statement; the statement itself where it is known that all is in vain. */
static const tirbi_ls *write_stmt(tirbi_rewrite *rewrite, const tirbi_ls *s) {
    writer *w = rewrite->context;
    if (s->kind != TIRBI_LS_SEQ && ++w->statements > MAX_WRITTEN) w->failed = true;
    if (w->failed) return s;
    switch (s->kind) {
    case TIRBI_LS_LOOP: return chooses(w, s->as.loop.var) ? write_iterations(w, s) : write_around(w, s);
    case TIRBI_LS_IF:
    case TIRBI_LS_WHILE: return write_around(w, s);
    case TIRBI_LS_ALLOC: return write_allocation(w, s);
    case TIRBI_LS_STORE: {
        array *a = array_of(w, s->as.store.access->buffer->root);
        return a ? write_element(w, a, s) : NULL;
    }
    case TIRBI_LS_SET: { /* a constant has no name */
        const bool names = s->as.set.declares && s->as.set.var->kind == TIRBI_LVAR_LET;
        const tirbi_lx *value = names ? tirbi_rewrite_value(rewrite, s->as.set.value) : NULL;
        if (!value || value->kind != TIRBI_LX_CONST) return NULL;
        tirbi_bind_variable(rewrite, s->as.set.var, value);
        return tirbi_new_sequence(w->pool, s->span, NULL, 0);
    }
    default: return NULL;
    }
}

/* ---- Loops around arrays ---------------------------------------------------------------------------------------- */

typedef struct search {
    tirbi_lx_pool *pool;
    tirbi_notes *notes;
    uint32_t tries;
    uint32_t looks; /* at statements, for what else uses an array */
} search;

/* Whether a loop of a nest is lanes. */
static bool becomes_lanes(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    for (; loop->kind == TIRBI_LS_LOOP; loop = loop->as.loop.body) {
        if (tirbi_nest_has_lanes(pool, loop, TIRBI_NEST_ANY) || tirbi_has_lanes(pool, loop)) return true;
        if (loop->as.loop.body->kind != TIRBI_LS_LOOP && tirbi_has_lanes_in_order(pool, loop)) return true;
    }
    return false;
}

/* Writes the loop, with the allocations in front of it; NULL where there is nothing to write, or not all can be. */
static const tirbi_ls *write_nest(writer *w, const tirbi_ls *const *front, uint32_t n_front, const tirbi_ls *loop,
                                  uint32_t *tries) {
    const tirbi_ls *items[MAX_ARRAYS + 1];
    for (uint32_t i = 0; i < n_front; i++) w->arrays[w->n_arrays++].buffer = front[i]->as.alloc.buffer;
    if (!find_arrays(w, loop) || w->n_arrays == 0) return NULL;
    note_choices(w, loop);
    bool many = false;
    for (const tirbi_ls *at = loop; at->kind == TIRBI_LS_LOOP && !chooses(w, at->as.loop.var); at = at->as.loop.body) {
        many = many || at->as.loop.var->extent->hi >= LEAST_ROUNDS;
        w->around++;
    }
    if (w->failed || !many || ++*tries > MAX_TRIES) return NULL;
    w->n_arrays = 0;
    for (uint32_t i = 0; i < n_front; i++) items[i] = write_allocation(w, front[i]);
    items[n_front] = tirbi_rewrite_stmt(&w->rewrite, loop);
    return w->failed ? NULL : tirbi_new_sequence(w->pool, loop->span, items, n_front + 1);
}

/* Sequences in sequences, now that all that begins is in them, as one. */
static const tirbi_ls *join_sequences(tirbi_rewrite *rewrite, const tirbi_ls *s) {
    enum { MOST = MAX_WRITTEN + MAX_ARRAYS * MAX_ELEMENTS };
    const tirbi_ls *inside = s->kind == TIRBI_LS_SEQ ? tirbi_rewrite_inside(rewrite, s) : NULL;
    const tirbi_ls **items = inside ? TIRBI_NEW_ARRAY(rewrite->pool->arena, const tirbi_ls *, MOST) : NULL;
    uint32_t n = 0;
    if (!items || !tirbi_list_statements(inside, items, &n, MOST)) return inside;
    return tirbi_new_sequence(rewrite->pool, s->span, items, n);
}

/* The loop, with the allocations in front of it that only it uses, as one of which no array is left; NULL where that
 * cannot be, or is not worth it. */
static const tirbi_ls *without_arrays(search *q, const tirbi_ls *const *front, uint32_t n_front, const tirbi_ls *loop) {
    writer *w = TIRBI_NEW(q->pool->arena, writer);
    if (!w) return NULL;
    w->pool = q->pool;
    w->rewrite = (tirbi_rewrite){.pool = q->pool,
                                 .replace = replace,
                                 .statement = write_stmt,
                                 .context = w,
                                 .kinds = TIRBI_NESTS | TIRBI_KIND(WHILE) | TIRBI_KIND(ALLOC),
                                 .anew = TIRBI_ALL_ANEW};
    const tirbi_ls *out = write_nest(w, front, n_front, loop, &q->tries);
    tirbi_rewrite joins = {.pool = q->pool, .statement = join_sequences, .kinds = TIRBI_NESTS | TIRBI_KIND(WHILE)};
    if (out) out = tirbi_rewrite_stmt(&joins, out);
    if (out && out->kind == TIRBI_LS_SEQ) out = tirbi_narrow_scopes(q->pool, out);
    if (out && (out->kind != TIRBI_LS_LOOP || !becomes_lanes(q->pool, out))) out = NULL;
    for (uint32_t i = 0; i < w->n_apart && out && q->notes; i++) {
        tirbi_note_loop(q->notes, w->apart[i]->as.loop.var, w->apart[i]->span, TIRB_FORM_INNER,
                        "written out, as the elements that it chooses are variables of each lane");
    }
    TIRBI_GIVE_BACK(q->pool->arena, w);
    return out;
}

static bool uses(search *q, const tirbi_ls *s, const tirbi_lbuf *buffer) {
    q->looks++;
    return tirbi_statement_uses(s, buffer);
}

/* Takes the arrays in front of item `at` that nothing but it uses, as long as there is time to look. */
static const tirbi_ls *with_front(search *q, const tirbi_ls **items, uint32_t n, uint32_t at) {
    const tirbi_ls *front[MAX_ARRAYS];
    uint32_t place[MAX_ARRAYS], n_front = 0;
    for (uint32_t i = 0; i < at && n_front < MAX_ARRAYS && q->looks < MAX_LOOKS; i++) {
        if (!items[i] || items[i]->kind != TIRBI_LS_ALLOC || size_of(items[i]->as.alloc.buffer) == 0) continue;
        bool only = uses(q, items[at], items[i]->as.alloc.buffer);
        for (uint32_t k = i + 1; k < n && only; k++) only = k == at || !uses(q, items[k], items[i]->as.alloc.buffer);
        if (!only) continue;
        place[n_front] = i;
        front[n_front++] = items[i];
    }
    const tirbi_ls *out = n_front ? without_arrays(q, front, n_front, items[at]) : NULL;
    for (uint32_t i = 0; i < n_front && out; i++) items[place[i]] = NULL;
    return out;
}

static const tirbi_ls *write_all(void *context, const tirbi_ls *s);

static const tirbi_ls *write_sequence(search *q, const tirbi_ls *s) {
    const uint32_t n = s->as.seq.n;
    const tirbi_ls **items = TIRBI_NEW_ARRAY(q->pool->arena, const tirbi_ls *, n + 1);
    uint32_t kept = 0;
    bool allocates = false, changes = false;
    if (!items) return s;
    for (uint32_t i = 0; i < n; i++) items[i] = s->as.seq.items[i];
    for (uint32_t i = 0; i < n; i++) {
        allocates = allocates || items[i]->kind == TIRBI_LS_ALLOC;
        const tirbi_ls *out = allocates && items[i]->kind == TIRBI_LS_LOOP ? with_front(q, items, n, i) : NULL;
        if (!out) out = write_all(q, items[i]);
        changes = changes || out != items[i];
        items[i] = out;
    }
    if (!changes) return s;
    for (uint32_t i = 0; i < n; i++) {
        if (items[i]) items[kept++] = items[i];
    }
    const tirbi_ls *copy = tirbi_new_sequence(q->pool, s->span, items, kept);
    return copy ? copy : s;
}

/* The body of a nest, where none of its loops is worth it. */
static const tirbi_ls *write_inside(search *q, const tirbi_ls *s) {
    const tirbi_ls *body = s->as.loop.body,
                   *other = body->kind == TIRBI_LS_LOOP ? write_inside(q, body) : write_all(q, body);
    const tirbi_ls *copy = other == body ? NULL : tirbi_loop_like(q->pool, s, NULL, other);
    return copy ? copy : s;
}

/* A loop that is no lanes for the order in which it goes through rows of its own. */
static const tirbi_ls *without_records(search *q, const tirbi_ls *loop) {
    const tirbi_ls *held = q->tries < MAX_TRIES ? tirbi_records_as_arrays(q->pool, loop) : NULL;
    if (!held || tirbi_nest_has_lanes(q->pool, loop, TIRBI_NEST_ANY)) return NULL;
    const tirbi_ls *out = without_arrays(q, NULL, 0, held);
    return out ? tirbi_without_same_stores(q->pool, out) : NULL;
}

static const tirbi_ls *write_all(void *context, const tirbi_ls *s) {
    search *q = context;
    if (s->kind == TIRBI_LS_SEQ) return write_sequence(q, s);
    if (s->kind != TIRBI_LS_LOOP) return tirbi_replace_inside(q->pool, s, write_all, q);
    const tirbi_ls *out = without_arrays(q, NULL, 0, s);
    if (!out) out = without_records(q, s);
    return out ? out : write_inside(q, s);
}

const tirbi_ls *tirbi_write_out_elements(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled,
                                         tirbi_notes *notes) {
    search q = {.pool = pool, .notes = notes};
    return disabled & (TIRB_PASS_LANES | TIRB_PASS_PROMOTE) ? body : write_all(&q, body);
}
