/* What is known of memory: values that were loaded, or made of what was, and are still what a load would give. A store
 * that may reach them, a call, or an assignment to a variable of theirs makes them unknown; so does the entry of a loop
 * whose body does any of these. */
#include "compiler/emit/emit.h"

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
    if (!x || x->shared) return false;
    if (x->kind == TIRBI_LX_CALL) return true;
    for (uint32_t i = 0; x->kind == TIRBI_LX_LOAD && i < x->access->ndim; i++) {
        if (tirbi_calls(x->access->indices[i])) return true;
    }
    for (int i = 0; i < x->n_args; i++) {
        if (tirbi_calls(x->args[i])) return true;
    }
    return false;
}

static void forget_if_called(tirbi_emitter *e, const tirbi_lx *x) {
    if (tirbi_calls(x)) tirbi_forget_memory(e, NULL);
}

void tirbi_forget_changes(tirbi_emitter *e, const tirbi_ls *s) {
    if (!s || e->n_remembered == 0) return;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) tirbi_forget_changes(e, s->as.seq.items[i]);
        return;
    case TIRBI_LS_LOOP:
        tirbi_forget_loads_by(e, s->as.loop.var);
        tirbi_forget_changes(e, s->as.loop.body);
        return;
    case TIRBI_LS_IF:
        forget_if_called(e, s->as.if_.condition);
        tirbi_forget_changes(e, s->as.if_.then_case);
        tirbi_forget_changes(e, s->as.if_.else_case);
        return;
    case TIRBI_LS_WHILE:
        forget_if_called(e, s->as.while_.condition);
        tirbi_forget_changes(e, s->as.while_.body);
        return;
    case TIRBI_LS_STORE:
        forget_if_called(e, s->as.store.value);
        for (uint32_t i = 0; i < s->as.store.access->ndim; i++) forget_if_called(e, s->as.store.access->indices[i]);
        tirbi_forget_memory(e, s->as.store.access->buffer->root);
        return;
    case TIRBI_LS_SET:
        forget_if_called(e, s->as.set.value);
        tirbi_forget_loads_by(e, s->as.set.var);
        return;
    case TIRBI_LS_TREE:
        tirbi_forget_changes(e, s->as.tree.init);
        for (uint32_t u = 0; u < s->as.tree.n_updates; u++) {
            const tirbi_lbuf *buffer = s->as.tree.updates[u].target->buffer;
            if (buffer->local) tirbi_forget_loads_by(e, buffer->local);
            tirbi_forget_memory(e, buffer->root);
        }
        return;
    case TIRBI_LS_ALLOC: tirbi_forget_memory(e, s->as.alloc.buffer->root); return;
    case TIRBI_LS_SEARCH: tirbi_forget_loads_by(e, s->as.search.found); return;
    case TIRBI_LS_BREAK:
    case TIRBI_LS_CONTINUE: return;
    case TIRBI_LS_RETURN: return; /* nothing follows */
    case TIRBI_LS_ASSERT: forget_if_called(e, s->as.assert_.condition); return;
    default: tirbi_forget_memory(e, NULL); return;
    }
}

/* ---- What a loop leaves alone ----------------------------------------------------------------------------------- */

static void note_root(tirbi_changed *c, const tirbi_lbuf *root) {
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->roots[i] == root) return;
    }
    if (c->n == TIRBI_MAX_CHANGED) c->everything = true;
    else c->roots[c->n++] = root;
}

static void note_calls(tirbi_changed *c, const tirbi_lx *x) { c->everything = c->everything || tirbi_calls(x); }

static void note_changes(tirbi_changed *c, const tirbi_ls *s) {
    if (!s || c->everything) return;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) note_changes(c, s->as.seq.items[i]);
        return;
    case TIRBI_LS_LOOP: note_changes(c, s->as.loop.body); return;
    case TIRBI_LS_IF:
        note_calls(c, s->as.if_.condition);
        note_changes(c, s->as.if_.then_case);
        note_changes(c, s->as.if_.else_case);
        return;
    case TIRBI_LS_WHILE:
        note_calls(c, s->as.while_.condition);
        note_changes(c, s->as.while_.body);
        return;
    case TIRBI_LS_STORE:
        note_calls(c, s->as.store.value);
        for (uint32_t i = 0; i < s->as.store.access->ndim; i++) note_calls(c, s->as.store.access->indices[i]);
        note_root(c, s->as.store.access->buffer->root);
        return;
    case TIRBI_LS_SET: note_calls(c, s->as.set.value); return;
    case TIRBI_LS_ALLOC: note_root(c, s->as.alloc.buffer->root); return;
    case TIRBI_LS_TREE:
        note_changes(c, s->as.tree.init);
        for (uint32_t u = 0; u < s->as.tree.n_updates; u++) note_root(c, s->as.tree.updates[u].target->buffer->root);
        return;
    case TIRBI_LS_ASSERT: note_calls(c, s->as.assert_.condition); return;
    case TIRBI_LS_SEARCH:
    case TIRBI_LS_BREAK:
    case TIRBI_LS_CONTINUE: return;
    default: c->everything = true; return;
    }
}

void tirbi_find_changes(const tirbi_ls *s, tirbi_changed *out) {
    *out = (tirbi_changed){.n = 0};
    note_changes(out, s);
}

bool tirbi_stays(const tirbi_changed *c, const tirbi_lbuf *root) {
    for (uint32_t i = 0; i < c->n; i++) {
        if (tirbi_may_meet(c->roots[i], root)) return false;
    }
    return !c->everything;
}
