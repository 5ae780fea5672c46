#include "compiler/optimize/carried/elements.h"

#include <string.h>

#include "compiler/loop/visit.h"
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/carried/scopes.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/pipeline/switches.h"

enum {
    MAX_ARRAYS = 8,
    MAX_ELEMENTS = 48, /* of an array: lane registers are 64 */
    MAX_INDEX_VARS = 32,
    MAX_BOUND = 64,    /* names that mean something else in what is being written */
    MAX_WRITTEN = 640, /* statements, */
    MAX_NODES = 12000, /* and nodes of their expressions */
    MAX_DEPTH = 48,
    MAX_TRIES = 4, /* of a function, */
    MAX_LOOKS = 20000, /* and at its statements */
    MAX_NOTED = 16,
    LEAST_ROUNDS = 8, /* of a loop around */
    LONG_LOOP = 16    /* lanes that a loop inside has are not given up for those around it */
};

/* Statements that are being written. */
typedef struct listing {
    const tirbi_ls **items;
    uint32_t n, capacity;
} listing;

typedef struct array {
    const tirbi_lbuf *buffer;
    listing *scope;       /* its elements begin here */
    tirbi_lvar **element; /* NULL: not come to yet */
} array;

/* What a name of the program stands for: a counter's value, a constant, the variable of this copy. */
typedef struct binding {
    const tirbi_lvar *var;
    const tirbi_lx *value;
} binding;

typedef struct writer {
    tirbi_lx_pool *pool;
    array arrays[MAX_ARRAYS];
    uint32_t n_arrays;
    const tirbi_lvar *chooses[MAX_INDEX_VARS]; /* variables by which elements are chosen */
    uint32_t n_chooses;
    binding bound[MAX_BOUND];
    uint32_t n_bound;
    const tirbi_ls *apart[MAX_NOTED]; /* loops that were written out, for who asks */
    uint32_t n_apart;
    uint32_t around; /* loops of the nest around it all that are still to come */
    uint32_t statements, nodes;
    listing *out;
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
    if (s->kind == TIRBI_LS_IF && s->as.if_.first_of) return TIRBI_STOP;
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

static tirbi_lvar *new_variable(writer *w, const tirbi_lvar *like) {
    tirbi_lvar *var = TIRBI_NEW(w->pool->arena, tirbi_lvar);
    if (!var) return NULL;
    *var = *like;
    var->id = 0;
    return var;
}

static void bind(writer *w, const tirbi_lvar *var, const tirbi_lx *value) {
    if (w->n_bound == MAX_BOUND || !value)
        w->failed = true;
    else
        w->bound[w->n_bound++] = (binding){var, value};
}

static const tirbi_lx *bound_to(const writer *w, const tirbi_lvar *var) {
    for (uint32_t i = w->n_bound; i-- > 0;) {
        if (w->bound[i].var == var) return w->bound[i].value;
    }
    return NULL;
}

static void append(writer *w, listing *to, const tirbi_ls *s) {
    if (!s || w->failed || ++w->statements > MAX_WRITTEN) {
        w->failed = true;
        return;
    }
    if (to->n == to->capacity) {
        const uint32_t capacity = to->capacity ? 2 * to->capacity : 16;
        const tirbi_ls **items = TIRBI_NEW_ARRAY(w->pool->arena, const tirbi_ls *, capacity);
        if (!items) {
            w->failed = true;
            return;
        }
        if (to->n) memcpy(items, to->items, to->n * sizeof(*items));
        to->items = items;
        to->capacity = capacity;
    }
    to->items[to->n++] = s;
}

static const tirbi_lx *rewritten(writer *w, const tirbi_lx *x);

/* The number of the element that a place of an array is; false where that is not known, or there is none. */
static bool number_of(writer *w, const array *a, const tirbi_place *place, uint32_t *number) {
    int64_t at = 0, index;
    if (place->buffer != a->buffer || place->view) return false;
    for (uint32_t d = 0; d < place->ndim; d++) {
        const tirbi_lx *x = rewritten(w, place->indices[d]);
        if (!x || !constant_of(x, &index) || index < 0 || index >= a->buffer->shape[d]->value) return false;
        at = at * a->buffer->shape[d]->value + index;
    }
    *number = (uint32_t)at;
    return true;
}

static tirbi_lvar *new_element(writer *w, array *a, uint32_t number, const tirbi_lx *like, tirbi_span span) {
    return a->element[number] = tirbi_variable_for(w->pool, TIRBI_LVAR_LOCAL, a->buffer->name, like, span);
}

/* The variable of an element, which begins as zero where it has not been set. */
static tirbi_lvar *element_at(writer *w, array *a, uint32_t number, const tirbi_lx *like, tirbi_span span) {
    if (a->element[number]) return a->element[number];
    tirbi_lvar *var = new_element(w, a, number, like, span);
    append(w, a->scope, tirbi_new_set(w->pool, span, var, tirbi_lx_bits(w->pool, a->buffer->type, 0), true));
    return var;
}

static const tirbi_lx *replace(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    writer *w = rewrite->context;
    if (++w->nodes > MAX_NODES) w->failed = true;
    if (w->failed) return x;
    if (x->kind == TIRBI_LX_VAR) return bound_to(w, x->var);
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
    return var ? tirbi_lx_var(w->pool, var) : NULL;
}

static const tirbi_lx *rewritten(writer *w, const tirbi_lx *x) {
    tirbi_rewrite rewrite = {.pool = w->pool, .replace = replace, .context = w};
    const tirbi_lx *value = w->failed ? NULL : tirbi_rewrite_value(&rewrite, x);
    if (!value) w->failed = true;
    return value;
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

static void write_stmt(writer *w, const tirbi_ls *s);

/* A statement that stays inside another one. */
static const tirbi_ls *written_inside(writer *w, const tirbi_ls *s) {
    listing inside = {.n = 0}, *around = w->out;
    const uint32_t bound = w->n_bound, arrays = w->n_arrays;
    w->out = &inside;
    write_stmt(w, s);
    w->out = around;
    w->n_bound = bound;
    w->n_arrays = arrays;
    if (w->failed) return NULL;
    return tirbi_new_sequence(w->pool, s->span, inside.items, inside.n);
}

static void write_iterations(writer *w, const tirbi_ls *loop) {
    const tirbi_lvar *var = loop->as.loop.var;
    const tirbi_lx *min = rewritten(w, var->min), *extent = rewritten(w, var->extent);
    int64_t first, n;
    if (w->failed || !constant_of(min, &first) || !constant_of(extent, &n) || n > MAX_WRITTEN || first > INT32_MAX ||
        first < INT32_MIN) {
        w->failed = true;
        return;
    }
    if (w->n_apart < MAX_NOTED) w->apart[w->n_apart++] = loop;
    const uint32_t bound = w->n_bound, arrays = w->n_arrays;
    for (int64_t i = 0; i < n && !w->failed; i++) {
        bind(w, var, tirbi_lx_int(w->pool, var->type, first + i));
        write_stmt(w, loop->as.loop.body);
        w->n_bound = bound;
        w->n_arrays = arrays;
    }
}

static void write_loop(writer *w, const tirbi_ls *s) {
    const tirbi_lvar *old = s->as.loop.var;
    const bool around = w->around > 0;
    if (chooses(w, old)) {
        write_iterations(w, s);
        return;
    }
    tirbi_lvar *var = new_variable(w, old);
    tirbi_ls *copy = tirbi_new_stmt(w->pool, TIRBI_LS_LOOP, s->span);
    if (!var || !copy) {
        w->failed = true;
        return;
    }
    var->min = rewritten(w, old->min);
    var->extent = rewritten(w, old->extent);
    var->below = old->below ? rewritten(w, old->below) : NULL;
    if (w->failed) return;
    const uint32_t bound = w->n_bound;
    bind(w, old, tirbi_lx_var(w->pool, var));
    if (around) w->around--;
    *copy = *s;
    copy->as.loop.var = var;
    copy->as.loop.body = written_inside(w, s->as.loop.body);
    w->n_bound = bound;
    if (!copy->as.loop.body) return;
    if (!around && var->extent->hi > LONG_LOOP && tirbi_has_lanes(w->pool, copy)) w->failed = true;
    append(w, w->out, copy);
}

static void write_branch(writer *w, const tirbi_ls *s) {
    const tirbi_lx *condition = rewritten(w, s->as.if_.condition);
    const tirbi_ls *no = s->as.if_.else_case;
    if (w->failed) return;
    if (condition->kind == TIRBI_LX_CONST) {
        if (condition->value)
            write_stmt(w, s->as.if_.then_case);
        else if (no)
            write_stmt(w, no);
        return;
    }
    tirbi_ls *copy = tirbi_same_stmt(w->pool, s);
    if (!copy) {
        w->failed = true;
        return;
    }
    copy->as.if_.condition = condition;
    copy->as.if_.then_case = written_inside(w, s->as.if_.then_case);
    copy->as.if_.else_case = no ? written_inside(w, no) : NULL;
    append(w, w->out, w->failed ? NULL : copy);
}

static void write_while(writer *w, const tirbi_ls *s) {
    tirbi_ls *copy = tirbi_same_stmt(w->pool, s);
    if (!copy) {
        w->failed = true;
        return;
    }
    copy->as.while_.condition = rewritten(w, s->as.while_.condition);
    copy->as.while_.body = written_inside(w, s->as.while_.body);
    append(w, w->out, w->failed ? NULL : copy);
}

static void write_store(writer *w, const tirbi_ls *s) {
    tirbi_rewrite rewrite = {.pool = w->pool, .replace = replace, .context = w};
    const tirbi_place *place = s->as.store.access;
    const tirbi_lx *value = rewritten(w, s->as.store.value);
    array *a = array_of(w, place->buffer->root);
    uint32_t number;
    if (w->failed) return;
    if (a) {
        const tirbi_lx *like = tirbi_lx_load(w->pool, place);
        if (!number_of(w, a, place, &number) || !like) {
            w->failed = true;
            return;
        }
        const bool begins = !a->element[number] && a->scope == w->out;
        tirbi_lvar *var = begins ? new_element(w, a, number, like, s->span) : element_at(w, a, number, like, s->span);
        append(w, w->out, tirbi_new_set(w->pool, s->span, var, value, begins));
        return;
    }
    append(w, w->out, tirbi_new_store(w->pool, s->span, tirbi_rewrite_place(&rewrite, place), value));
}

/* Each copy has variables of its own; a constant has none. */
static void write_set(writer *w, const tirbi_ls *s) {
    const tirbi_lx *value = rewritten(w, s->as.set.value);
    if (w->failed) return;
    if (s->as.set.declares && s->as.set.var->kind == TIRBI_LVAR_LET && value->kind == TIRBI_LX_CONST) {
        bind(w, s->as.set.var, value);
        return;
    }
    const tirbi_lx *known = s->as.set.declares ? NULL : bound_to(w, s->as.set.var);
    tirbi_lvar *var = known ? known->var : s->as.set.var;
    if (s->as.set.declares) {
        var = new_variable(w, s->as.set.var);
        bind(w, s->as.set.var, var ? tirbi_lx_var(w->pool, var) : NULL);
    }
    append(w, w->out, tirbi_new_set(w->pool, s->span, var, value, s->as.set.declares));
}

static void write_allocation(writer *w, const tirbi_lbuf *buffer) {
    const uint32_t n = size_of(buffer);
    tirbi_lvar **elements = TIRBI_NEW_ARRAY(w->pool->arena, tirbi_lvar *, n + 1);
    if (n == 0 || !elements || w->n_arrays == MAX_ARRAYS) {
        w->failed = true;
        return;
    }
    memset(elements, 0, n * sizeof(tirbi_lvar *));
    w->arrays[w->n_arrays++] = (array){.buffer = buffer, .scope = w->out, .element = elements};
}

static void write_stmt(writer *w, const tirbi_ls *s) {
    if (w->failed) return;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) write_stmt(w, s->as.seq.items[i]);
        return;
    case TIRBI_LS_LOOP:
        write_loop(w, s);
        return;
    case TIRBI_LS_IF:
        write_branch(w, s);
        return;
    case TIRBI_LS_WHILE:
        write_while(w, s);
        return;
    case TIRBI_LS_STORE:
        write_store(w, s);
        return;
    case TIRBI_LS_SET:
        write_set(w, s);
        return;
    case TIRBI_LS_ALLOC:
        write_allocation(w, s->as.alloc.buffer);
        return;
    default:
        w->failed = true;
        return;
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

/* Writes the loop, with the allocations in front of it; false where there is nothing to write, or not all can be. */
static bool write_nest(writer *w, const tirbi_ls *const *front, uint32_t n_front, const tirbi_ls *loop,
                       uint32_t *tries) {
    for (uint32_t i = 0; i < n_front; i++) w->arrays[w->n_arrays++].buffer = front[i]->as.alloc.buffer;
    if (!find_arrays(w, loop) || w->n_arrays == 0) return false;
    note_choices(w, loop);
    bool many = false;
    for (const tirbi_ls *at = loop; at->kind == TIRBI_LS_LOOP && !chooses(w, at->as.loop.var); at = at->as.loop.body) {
        many = many || at->as.loop.var->extent->hi >= LEAST_ROUNDS;
        w->around++;
    }
    if (w->failed || !many || ++*tries > MAX_TRIES) return false;
    w->n_arrays = 0;
    for (uint32_t i = 0; i < n_front; i++) write_allocation(w, front[i]->as.alloc.buffer);
    write_stmt(w, loop);
    return !w->failed;
}

/* The loop, with the allocations in front of it that only it uses, as one of which no array is left; NULL where that
 * cannot be, or is not worth it. */
static const tirbi_ls *without_arrays(search *q, const tirbi_ls *const *front, uint32_t n_front, const tirbi_ls *loop) {
    writer *w = TIRBI_NEW(q->pool->arena, writer);
    listing all = {.n = 0};
    if (!w) return NULL;
    w->pool = q->pool;
    w->out = &all;
    const tirbi_ls *out = NULL;
    if (write_nest(w, front, n_front, loop, &q->tries)) {
        out = tirbi_new_sequence(q->pool, loop->span, all.items, all.n);
        if (out) out = all.n == 1 ? all.items[0] : tirbi_narrow_scopes(q->pool, out);
        if (out && (out->kind != TIRBI_LS_LOOP || !becomes_lanes(q->pool, out))) out = NULL;
    }
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
    tirbi_ls *copy;
    const tirbi_ls *body = s->as.loop.body,
                   *other = body->kind == TIRBI_LS_LOOP ? write_inside(q, body) : write_all(q, body);
    if (other == body || !(copy = tirbi_new_stmt(q->pool, TIRBI_LS_LOOP, s->span))) return s;
    *copy = *s;
    copy->as.loop.body = other;
    return copy;
}

static const tirbi_ls *write_all(void *context, const tirbi_ls *s) {
    search *q = context;
    if (s->kind == TIRBI_LS_SEQ) return write_sequence(q, s);
    if (s->kind != TIRBI_LS_LOOP) return tirbi_replace_inside(q->pool, s, write_all, q);
    const tirbi_ls *out = without_arrays(q, NULL, 0, s);
    return out ? out : write_inside(q, s);
}

const tirbi_ls *tirbi_write_out_elements(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled,
                                         tirbi_notes *notes) {
    search q = {.pool = pool, .notes = notes};
    return disabled & (TIRB_PASS_LANES | TIRB_PASS_PROMOTE) ? body : write_all(&q, body);
}
