/* What is known of memory: values that were loaded, or made of what was, and are still what a load would give. A store
 * that may reach them, a call, or an assignment to a variable of theirs makes them unknown; so does the entry of a loop
 * whose body does any of these. */
#include "compiler/emit/emit.h"

#include "compiler/loop/visit.h"

enum { MAX_REMEMBERED = 48, MAX_DEPTH = 48 };

static bool same_value(const tirbi_lx *a, const tirbi_lx *b, unsigned depth);

static bool same_place(const tirbi_place *a, const tirbi_place *b, unsigned depth) {
    if (a->buffer != b->buffer || a->ndim != b->ndim || a->view || b->view) return false;
    for (uint32_t i = 0; i < a->ndim; i++) {
        if (!same_value(a->indices[i], b->indices[i], depth)) return false;
    }
    return true; /* the element's number follows from its indices */
}

static bool same_value(const tirbi_lx *a, const tirbi_lx *b, unsigned depth) {
    if (a == b) return true;
    if (a->shared || b->shared || depth > MAX_DEPTH || a->kind != b->kind || a->type != b->type) return false;
    if (a->kind == TIRBI_LX_LOAD) return same_place(a->access, b->access, depth + 1);
    if (a->kind != TIRBI_LX_OP || a->op != b->op || a->optype != b->optype || a->source != b->source) return false;
    for (int i = 0; i < a->n_args; i++) {
        if (!same_value(a->args[i], b->args[i], depth + 1)) return false;
    }
    return true;
}

/* Operations on loads alone are worth remembering; the others are either pure or choices and calls. */
static bool is_simple(const tirbi_lx *x, unsigned depth) {
    if (x->shared) return true;
    if (depth > MAX_DEPTH || (x->kind != TIRBI_LX_LOAD && x->kind != TIRBI_LX_OP)) return false;
    for (uint32_t i = 0; x->kind == TIRBI_LX_LOAD && i < x->access->ndim; i++) {
        if (!is_simple(x->access->indices[i], depth + 1)) return false;
    }
    for (int i = 0; i < x->n_args; i++) {
        if (!is_simple(x->args[i], depth + 1)) return false;
    }
    return !(x->kind == TIRBI_LX_LOAD && x->access->view);
}

const tirbi_remembered *tirbi_recall(const tirbi_emitter *e, const tirbi_lx *x) {
    if (x->shared || x->kind == TIRBI_LX_CALL) return NULL;
    for (uint32_t i = e->n_remembered; i-- > 0;) {
        if (e->remembered[i].x && same_value(e->remembered[i].x, x, 0)) return &e->remembered[i];
    }
    return NULL;
}

void tirbi_remember(tirbi_emitter *e, const tirbi_lx *x, uint16_t reg) {
    if (x->shared || x->size > TIRBI_MAX_SHARED_SIZE || e->n_remembered == MAX_REMEMBERED || !is_simple(x, 0)) return;
    tirbi_remembered *items =
        tirbi_grow(e->arena, e->remembered, e->n_remembered, &e->remembered_capacity, sizeof(*items));
    if (!items) return;
    e->remembered = items;
    items[e->n_remembered++] = (tirbi_remembered){x, reg};
}

void tirbi_remember_stored(tirbi_emitter *e, const tirbi_place *place, uint16_t reg) {
    const tirbi_lx *load = place->view ? NULL : tirbi_lx_load(e->pool, place);
    if (load) tirbi_remember(e, load, reg);
}

/* ---- Forgetting ----------------------------------------------------------------------------------------------- */

/* What changes: one variable, one buffer's memory, or (both NULL) everything. */
typedef struct change {
    const tirbi_lvar *var;
    const tirbi_lbuf *root;
} change;

static bool depends(const tirbi_lx *x, const change *c) {
    if (!c->var && !c->root) return true;
    if (x->kind == TIRBI_LX_VAR) return x->var == c->var;
    if (x->kind == TIRBI_LX_LOAD) {
        if (c->root && tirbi_may_meet(x->access->buffer->root, c->root)) return true;
        if (tirbi_has_own_number(x->access) && depends(x->access->flat, c)) return true;
        for (uint32_t i = 0; i < x->access->ndim; i++) {
            if (depends(x->access->indices[i], c)) return true;
        }
    }
    for (int i = 0; i < x->n_args; i++) {
        if (depends(x->args[i], c)) return true;
    }
    return false;
}

static void forget(tirbi_emitter *e, const change *c) {
    for (uint32_t i = 0; i < e->n_remembered; i++) {
        const tirbi_lx *x = e->remembered[i].x;
        if (!x || !depends(x, c)) continue;
        e->remembered[i].x = NULL;
        tirbi_note_forgotten(e, (tirbi_forgotten){TIRBI_FORGOT_REMEMBERED, i, x});
        for (uint32_t k = 0; k < e->n_checked; k++) {
            if (e->checked[k].index != x) continue;
            e->checked[k].index = NULL;
            tirbi_note_forgotten(e, (tirbi_forgotten){TIRBI_FORGOT_CHECKED, k, x});
        }
    }
}

/* ---- Arms of branches ------------------------------------------------------------------------------------------- */

void tirbi_note_forgotten(tirbi_emitter *e, tirbi_forgotten forgotten) {
    if (!e->arms) return;
    tirbi_forgotten *items =
        tirbi_grow(e->arena, e->forgotten, e->n_forgotten, &e->forgotten_capacity, sizeof(*items));
    if (!items) return;
    e->forgotten = items;
    items[e->n_forgotten++] = forgotten;
}

/* Entries that are younger than the scope have gone with it, and others may stand where they were. */
static void set_entry(tirbi_emitter *e, const tirbi_forgotten *f, const tirbi_lx *x, const tirbi_scope *scope) {
    switch (f->list) {
    case TIRBI_FORGOT_KNOWN:
        if (f->at >= scope->n_known) return;
        e->known[f->at] = x;
        if (x) tirbi_set_known(e, x, f->at);
        return;
    case TIRBI_FORGOT_REMEMBERED:
        if (f->at < scope->n_remembered) e->remembered[f->at].x = x;
        return;
    case TIRBI_FORGOT_CHECKED:
        if (f->at < scope->n_checked) e->checked[f->at].index = x;
        return;
    }
}

void tirbi_unforget(tirbi_emitter *e, uint32_t mark, const tirbi_scope *scope) {
    for (uint32_t i = e->n_forgotten; i-- > mark;) set_entry(e, &e->forgotten[i], e->forgotten[i].x, scope);
}

void tirbi_forget_again(tirbi_emitter *e, uint32_t from, uint32_t to, const tirbi_scope *scope) {
    for (uint32_t i = from; i < to; i++) set_entry(e, &e->forgotten[i], NULL, scope);
}

void tirbi_forget_memory(tirbi_emitter *e, const tirbi_lbuf *root) { forget(e, &(change){.root = root}); }
void tirbi_forget_loads_by(tirbi_emitter *e, const tirbi_lvar *var) { forget(e, &(change){.var = var}); }

bool tirbi_calls(const tirbi_lx *x) {
    return tirbi_any_expr(x, TIRBI_WALK_INDICES | TIRBI_WALK_IMPURE, tirbi_is_call, NULL);
}

/* What takes note of each thing that a statement changes: memory, or a variable, or all memory where both are NULL. */
typedef struct changes {
    void (*note)(void *context, const tirbi_lbuf *root, const tirbi_lvar *var);
    void *context;
} changes;

static tirbi_step change_by_stmt(tirbi_walk *w, const tirbi_ls *s) {
    const changes *c = w->context;
    switch (s->kind) {
    case TIRBI_LS_LOOP:
        c->note(c->context, NULL, s->as.loop.var);
        return TIRBI_INTO;
    case TIRBI_LS_SET:
        c->note(c->context, NULL, s->as.set.var);
        return TIRBI_INTO;
    case TIRBI_LS_SEARCH:
        c->note(c->context, NULL, s->as.search.found);
        return TIRBI_PAST;
    case TIRBI_LS_ALLOC:
        c->note(c->context, s->as.alloc.buffer->root, NULL);
        return TIRBI_PAST;
    case TIRBI_LS_FETCH:
    case TIRBI_LS_EVAL:
        c->note(c->context, NULL, NULL);
        return TIRBI_PAST;
    case TIRBI_LS_RETURN:
        return TIRBI_PAST; /* nothing follows */
    default:
        return TIRBI_INTO;
    }
}

static tirbi_step change_by_call(tirbi_walk *w, const tirbi_lx *x) {
    const changes *c = w->context;
    if (x->kind == TIRBI_LX_CALL) c->note(c->context, NULL, NULL);
    return x->shared || x->kind == TIRBI_LX_CALL ? TIRBI_PAST : TIRBI_INTO;
}

static bool change_element(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    const changes *c = w->context;
    if (load) return true;
    if (w->at->kind == TIRBI_LS_TREE && place->buffer->local) c->note(c->context, NULL, place->buffer->local);
    c->note(c->context, place->buffer->root, NULL);
    return true;
}

static void find_changes(const tirbi_ls *s, changes *c) {
    tirbi_walk walk = {.context = c,
                       .stmt = change_by_stmt,
                       .expr = change_by_call,
                       .access = change_element,
                       .reach = TIRBI_WALK_PLACES};
    tirbi_walk_stmt(&walk, s);
}

static void forget_change(void *e, const tirbi_lbuf *root, const tirbi_lvar *var) {
    if (var)
        tirbi_forget_loads_by(e, var);
    else
        tirbi_forget_memory(e, root);
}

void tirbi_forget_changes(tirbi_emitter *e, const tirbi_ls *s) {
    changes all = {.note = forget_change, .context = e};
    if (e->n_remembered > 0) find_changes(s, &all);
}

/* ---- What a loop leaves alone ----------------------------------------------------------------------------------- */

static void note_change(void *context, const tirbi_lbuf *root, const tirbi_lvar *var) {
    tirbi_changed *c = context;
    if (var || c->everything) return;
    for (uint32_t i = 0; i < c->n && root; i++)
        if (c->roots[i] == root) return;
    if (!root || c->n == TIRBI_MAX_CHANGED)
        c->everything = true;
    else
        c->roots[c->n++] = root;
}

void tirbi_find_changes(const tirbi_ls *s, tirbi_changed *out) {
    changes all = {.note = note_change, .context = out};
    *out = (tirbi_changed){.everything = tirbi_has_kind(s, TIRBI_KIND(RETURN))};
    find_changes(s, &all);
}

bool tirbi_stays(const tirbi_changed *c, const tirbi_lbuf *root) {
    for (uint32_t i = 0; i < c->n; i++) {
        if (tirbi_may_meet(c->roots[i], root)) return false;
    }
    return !c->everything;
}
