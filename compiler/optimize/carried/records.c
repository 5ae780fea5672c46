#include "compiler/optimize/carried/records.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_PLACES = 96, MAX_RECORDS = 4, MAX_FIELDS = 16 };

typedef struct record {
    const tirbi_place *place; /* one of its elements */
    uint32_t n_leading;       /* subscripts that say which record it is; the others, which of its elements */
    uint32_t n_fields;
    tirbi_lbuf *array; /* in its place */
} record;

typedef struct finder {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_loop_set inside; /* what the iteration sets */
    tirbi_reached item[MAX_PLACES];
    uint32_t n_items;
    record records[MAX_RECORDS];
    uint32_t n;
} finder;

/* ---- Which there are -------------------------------------------------------------------------------------------- */

static bool is_plain(const tirbi_lbuf *b) {
    return b->ndim > 1 && tirbi_has_whole_extents(b) && !b->source && !b->broadcasts && !b->overlaps && !b->resized &&
           !b->local && !b->fetched && !b->root->length;
}

/* How many elements the dimensions from one on have; 0: many, or it is not known. */
static uint32_t count_fields(const tirbi_lbuf *b, uint32_t from) {
    int64_t n = 1;
    for (uint32_t d = from; d < b->ndim; d++) {
        if (b->shape[d]->kind != TIRBI_LX_CONST || b->shape[d]->value < 1 || b->shape[d]->value > MAX_FIELDS) return 0;
        n *= b->shape[d]->value;
        if (n > MAX_FIELDS) return 0;
    }
    return (uint32_t)n;
}

/* Whether subscripts are the same wherever the iteration is, lie inside, and are others in every iteration. */
static bool leads(const finder *f, const tirbi_place *place, uint32_t n) {
    bool own = false;
    for (uint32_t d = 0; d < n; d++) {
        const tirbi_lx *index = place->indices[d], *narrow = tirbi_lx_before_cast(index);
        if (!index->pure || tirbi_mentions_loops(index, &f->inside) || !tirbi_dim_proven(place, d)) return false;
        own = own || (narrow->kind == TIRBI_LX_VAR && narrow->var == f->loop->as.loop.var);
    }
    return own;
}

/* Whether all that may reach a place's memory are elements of the same record; what comes to it by other buffers
 * is not known to be. */
static bool is_alone(const finder *f, const tirbi_place *place, uint32_t n_leading) {
    bool loaded = false, others = false;
    for (uint32_t i = 0; i < f->n_items; i++) {
        const tirbi_place *other = f->item[i].place;
        if (!tirbi_may_meet(other->buffer->root, place->buffer->root)) continue;
        if (other->buffer != place->buffer || other->view) return false;
        for (uint32_t d = 0; d < n_leading; d++)
            if (other->indices[d] != place->indices[d] || !tirbi_dim_proven(other, d)) return false;
        loaded = loaded || f->item[i].what == TIRBI_LOADS;
        for (uint32_t d = n_leading; d < place->ndim; d++)
            others = others || other->indices[d] != place->indices[d];
    }
    return loaded && others;
}

static record *record_of(finder *f, const tirbi_lbuf *buffer) {
    for (uint32_t i = 0; i < f->n; i++)
        if (f->records[i].place->buffer == buffer) return &f->records[i];
    return NULL;
}

static void find_record(finder *f, const tirbi_place *place) {
    if (f->n == MAX_RECORDS || place->view || !is_plain(place->buffer) || record_of(f, place->buffer)) return;
    for (uint32_t n = 1; n < place->ndim; n++) {
        const uint32_t n_fields = count_fields(place->buffer, n);
        if (n_fields < 2 || !leads(f, place, n) || !is_alone(f, place, n)) continue;
        f->records[f->n++] = (record){.place = place, .n_leading = n, .n_fields = n_fields};
        return;
    }
}

static bool find_records(finder *f) {
    const tirbi_ls *body = f->loop->as.loop.body;
    tirbi_accesses all = {.item = f->item, .most = MAX_PLACES, .kinds = TIRBI_NESTS};
    if (!tirbi_find_variables(&f->inside, body, TIRBI_NESTS) || !tirbi_find_accesses(&all, body)) return false;
    f->n_items = all.n;
    for (uint32_t i = 0; i < all.n; i++)
        if (all.item[i].what != TIRBI_LOADS) find_record(f, all.item[i].place);
    return f->n > 0;
}

/* ---- Arrays in their place -------------------------------------------------------------------------------------- */

static const tirbi_place *in_array(tirbi_rewrite *rewrite, const tirbi_place *place) {
    const record *r = record_of(rewrite->context, place->buffer);
    if (!r) return tirbi_rewrite_subscripts(rewrite, place);
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(rewrite->pool->arena, const tirbi_lx *, place->ndim);
    for (uint32_t d = r->n_leading; d < place->ndim && indices; d++)
        if (!(indices[d - r->n_leading] = tirbi_rewrite_value(rewrite, place->indices[d]))) return NULL;
    return tirbi_place_in(rewrite->pool, r->array, indices, place->span);
}

/* One of the record's elements, in memory or in the array. */
static const tirbi_place *field_at(const finder *f, const record *r, uint32_t number, bool in_memory) {
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(f->pool->arena, const tirbi_lx *, r->place->ndim);
    const uint32_t n = in_memory ? r->n_leading : 0;
    if (!indices) return NULL;
    for (uint32_t d = 0; d < n; d++) indices[d] = r->place->indices[d];
    for (uint32_t d = r->array->ndim; d-- > 0;) {
        const uint32_t extent = (uint32_t)r->array->shape[d]->value;
        if (!(indices[n + d] = tirbi_lx_number(f->pool, number % extent))) return NULL;
        number /= extent;
    }
    return tirbi_place_in(f->pool, in_memory ? r->place->buffer : r->array, indices, r->place->span);
}

/* Fills the array with the record's elements, or stores them back. */
static const tirbi_ls *copy_fields(const finder *f, const record *r, bool back) {
    const tirbi_ls *items[MAX_FIELDS];
    for (uint32_t i = 0; i < r->n_fields; i++) {
        const tirbi_place *from = field_at(f, r, i, !back), *to = field_at(f, r, i, back);
        const tirbi_lx *value = from ? tirbi_lx_load(f->pool, from) : NULL;
        items[i] = to && value ? tirbi_new_store(f->pool, r->place->span, to, value) : NULL;
        if (!items[i]) return NULL;
    }
    return tirbi_new_sequence(f->pool, r->place->span, items, r->n_fields);
}

static const tirbi_ls *with_arrays(finder *f) {
    const tirbi_ls *items[3 * MAX_RECORDS + 1], *body = f->loop->as.loop.body;
    tirbi_rewrite rewrite = {.pool = f->pool, .place = in_array, .context = f, .kinds = TIRBI_NESTS,
                              .anew = TIRBI_ALL_ANEW};
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        record *r = &f->records[i];
        const tirbi_lbuf *b = r->place->buffer;
        r->array = tirbi_new_buffer(f->pool, b->name, b->type, b->ndim - r->n_leading, b->shape + r->n_leading);
        if (!r->array) return NULL;
        items[n++] = tirbi_new_alloc(f->pool, body->span, r->array);
        items[n++] = copy_fields(f, r, false);
    }
    items[n++] = tirbi_rewrite_stmt(&rewrite, body);
    for (uint32_t i = 0; i < f->n; i++) items[n++] = copy_fields(f, &f->records[i], true);
    for (uint32_t i = 0; i < n; i++)
        if (!items[i]) return NULL;
    return tirbi_loop_like(f->pool, f->loop, NULL, tirbi_new_sequence(f->pool, body->span, items, n));
}

const tirbi_ls *tirbi_records_as_arrays(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    if (!tirbi_is_plain_loop(loop) || !tirbi_has_kind(loop->as.loop.body, TIRBI_KIND(LOOP))) return NULL;
    finder *f = TIRBI_NEW(pool->arena, finder);
    if (!f) return NULL;
    f->pool = pool;
    f->loop = loop;
    const tirbi_ls *out = find_records(f) ? with_arrays(f) : NULL;
    TIRBI_GIVE_BACK(pool->arena, f);
    return out;
}

/* ---- Elements that stay as they were ---------------------------------------------------------------------------- */

typedef struct origin {
    const tirbi_lvar *var;
    const tirbi_lx *value; /* that it is declared with */
    bool set;              /* to something else as well */
} origin;

static tirbi_step note_origin(tirbi_walk *w, const tirbi_ls *s) {
    origin *o = w->context;
    if (s->kind != TIRBI_LS_SET || s->as.set.var != o->var) return TIRBI_INTO;
    if (s->as.set.declares && !o->value)
        o->value = s->as.set.value;
    else
        o->set = true;
    return TIRBI_PAST;
}

/* Whether both are elements of one buffer that constants tell apart. */
static bool are_apart(const tirbi_place *a, const tirbi_place *b) {
    for (uint32_t d = 0; a->buffer == b->buffer && d < a->ndim; d++) {
        const tirbi_lx *x = a->indices[d], *y = b->indices[d];
        if (x->kind == TIRBI_LX_CONST && y->kind == TIRBI_LX_CONST && x->value != y->value) return true;
    }
    return false;
}

/* A store, and whether another one may be to its element. */
typedef struct rival {
    const tirbi_ls *store;
    bool found;
} rival;

static tirbi_step find_rival(tirbi_walk *w, const tirbi_ls *s) {
    rival *r = w->context;
    if (s == r->store || s->kind == TIRBI_LS_SET) return TIRBI_PAST;
    if (s->kind == TIRBI_LS_SEQ || s->kind == TIRBI_LS_IF || s->kind == TIRBI_LS_LOOP) return TIRBI_INTO;
    const tirbi_place *place = r->store->as.store.access;
    r->found = s->kind != TIRBI_LS_STORE || (tirbi_may_meet(s->as.store.access->buffer->root, place->buffer->root) &&
                                             !are_apart(s->as.store.access, place));
    return r->found ? TIRBI_STOP : TIRBI_PAST;
}

/* Whether the first that a body does with a variable behind its declaration is to set it to something else. */
typedef struct first_use {
    tirbi_lvar *var;
    const tirbi_ls *declaration;
    bool behind, sets;
} first_use;

static bool sets_it(const void *var, const tirbi_ls *s) { return s->kind == TIRBI_LS_SET && s->as.set.var == var; }

static tirbi_step find_first_use(tirbi_walk *w, const tirbi_ls *s) {
    first_use *u = w->context;
    if (s->kind == TIRBI_LS_SEQ) return TIRBI_INTO;
    const bool reads = u->behind && tirbi_names(s, &u->var, 1);
    u->sets = u->behind && !reads && sets_it(u->var, s);
    const bool ends = reads || u->sets || (u->behind && tirbi_any_stmt(s, sets_it, u->var));
    u->behind = u->behind || s == u->declaration;
    return ends ? TIRBI_STOP : TIRBI_PAST;
}

/* An element that nobody asks for before it is set is not loaded, or the variable would hold bits that are copied. */
static const tirbi_ls *without_load(tirbi_rewrite *rewrite, const tirbi_ls *s) {
    const tirbi_ls *loop = rewrite->context;
    if (!s->as.set.declares || s->as.set.value->kind != TIRBI_LX_LOAD || s->as.set.value->traps) return NULL;
    first_use use = {.var = s->as.set.var, .declaration = s};
    tirbi_walk walk = {.context = &use, .stmt = find_first_use};
    tirbi_walk_stmt(&walk, loop->as.loop.body);
    const tirbi_lx *zero = use.sets ? tirbi_lx_bits(rewrite->pool, (tirbi_dtype)s->as.set.value->type, 0) : NULL;
    return zero ? tirbi_with_value(rewrite->pool, s, zero) : NULL;
}

static const tirbi_ls *without_same(tirbi_rewrite *rewrite, const tirbi_ls *s) {
    const tirbi_ls *loop = rewrite->context;
    if (s->kind == TIRBI_LS_SET) return without_load(rewrite, s);
    if (s->kind != TIRBI_LS_STORE || s->as.store.value->kind != TIRBI_LX_VAR) return NULL;
    origin o = {.var = s->as.store.value->var};
    rival r = {.store = s};
    tirbi_walk walk = {.context = &o, .stmt = note_origin}, others = {.context = &r, .stmt = find_rival};
    tirbi_walk_stmt(&walk, loop->as.loop.body);
    const bool same = o.value && !o.set && o.value->kind == TIRBI_LX_LOAD &&
                      tirbi_same_place(o.value->access, s->as.store.access);
    if (!same) return NULL;
    tirbi_walk_stmt(&others, loop->as.loop.body);
    return r.found ? NULL : tirbi_new_sequence(rewrite->pool, s->span, NULL, 0);
}

const tirbi_ls *tirbi_without_same_stores(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_rewrite rewrite = {
        .pool = pool, .statement = without_same, .context = (void *)(uintptr_t)loop, .kinds = TIRBI_NESTS};
    const tirbi_ls *body = tirbi_rewrite_stmt(&rewrite, loop->as.loop.body);
    return body ? tirbi_loop_like(pool, loop, NULL, body) : NULL;
}
