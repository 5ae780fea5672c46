#include "compiler/relax/lower/joins.h"

#include "compiler/relax/lower/lowering.h"
#include "loader/base/checked.h"

/* Bytes of a tensor whose dimensions are numbers; 0: they are not, or it is none. */
static int64_t bytes_of(const tirb_relax_type *t) {
    int64_t bytes;
    if (t->kind != TIRB_RELAX_TYPE_TENSOR || !t->has_shape || !tirb_relax_knows_dtype(t)) return 0;
    const int64_t count = tirbi_relax_count(t->shape, (uint32_t)t->ndim);
    return count > 0 && t->dtype.lanes == 1 && tirbi_mul_i64(count, (t->dtype.bits + 7) / 8, &bytes) ? bytes : 0;
}

/* Bindings from a part to the concatenation at most, and how often fewer parts are tried. */
enum { MOST_BETWEEN = 255, MOST_TRIES = 16 };

typedef struct finder {
    tirbi_relax_lowering *l;
    const tirb_relax_block *block;
    int64_t *live; /* bytes, by binding */
    int64_t peak;
} finder;

static uint32_t last_use(const finder *f, const tirb_relax_var *var) {
    const uint32_t first = f->l->now + 1, last = f->l->last_use[var->id];
    return last < first ? 0 : last - first;
}

static bool has_memory(const finder *f, uint32_t k) {
    const tirb_relax_binding *b = &f->block->bindings[k];
    const tirbi_relax_group *group = f->l->groups[b->var->id];
    return b->kind == TIRB_RELAX_VAR_BINDING && b->value->kind == TIRB_RELAX_CALL &&
           (!group || group->bindings[group->n - 1] == b);
}

/* What lives behind each binding, as if each value had memory of its own. */
static bool find_living(finder *f) {
    const uint32_t n = f->block->n_bindings;
    f->live = TIRBI_NEW_ARRAY(f->l->arena, int64_t, n + 1);
    for (uint32_t k = 0; f->live && k < n; k++) {
        const tirb_relax_var *var = f->block->bindings[k].var;
        const int64_t bytes = has_memory(f, k) ? bytes_of(var->type) : 0;
        const uint32_t last = last_use(f, var) < k ? k : last_use(f, var) < n ? last_use(f, var) : n - 1;
        if (bytes > INT64_MAX / 4 / n) return false;
        f->live[k] += bytes;
        f->live[last + 1] -= bytes;
    }
    for (uint32_t k = 0; f->live && k < n; k++) {
        if (k > 0) f->live[k] += f->live[k - 1];
        if (f->live[k] > f->peak) f->peak = f->live[k];
    }
    return f->live != NULL;
}

/* The binding ahead of `k` that computes a variable which may be in the memory of the concatenation `k`; UINT32_MAX:
 * none, or it may not. */
static uint32_t part_at(const finder *f, uint32_t k, const tirb_relax_expr *e) {
    const tirb_relax_var *whole = f->block->bindings[k].var, *var = e->as.var;
    if (e->kind != TIRB_RELAX_VAR || f->l->destinations[var->id] || f->l->joined[var->id].in) return UINT32_MAX;
    if (bytes_of(var->type) == 0 || !tirb_datatype_equal(var->type->dtype, whole->type->dtype)) return UINT32_MAX;
    const uint32_t at = f->l->joined[var->id].at;
    if (at >= k || f->block->bindings[at].var != var || !has_memory(f, at)) return UINT32_MAX;
    return f->l->last_use[var->id] <= f->l->last_use[whole->id] ? at : UINT32_MAX;
}

/* Whether the parts of a concatenation follow each other in memory. */
static bool is_row_of_parts(const finder *f, const tirb_relax_binding *b) {
    const tirb_relax_type *t = b->var->type;
    if (b->kind != TIRB_RELAX_VAR_BINDING || !tirb_relax_is_call(b->value, TIRB_RELAX_CONCAT) || bytes_of(t) == 0 ||
        b->value->as.call.args[0]->kind != TIRB_RELAX_TUPLE || f->l->destinations[b->var->id])
        return false;
    const tirb_relax_attr *a = tirbi_relax_attr_of(b->value, "axis");
    int64_t axis = a && a->kind == TIRB_RELAX_ATTR_INT ? a->as.integer : 0;
    if (axis < 0) axis += t->ndim;
    for (int64_t d = 0; d < axis && d < t->ndim; d++)
        if (t->shape[d]->as.int_value != 1) return false;
    return axis >= 0 && axis < t->ndim;
}

/* A part of a concatenation, and the binding that first computes some of it. */
typedef struct row_part {
    uint32_t k, first; /* UINT32_MAX: it is copied */
    int64_t bytes;
} row_part;

/* The parts are in the memory of the concatenation `k`, from binding `first` on: what then lives beside what did.
 * False, and nothing is changed: more than ever did. */
static bool begin_at(finder *f, uint32_t k, const row_part *parts, uint32_t n, uint32_t first) {
    const int64_t bytes = bytes_of(f->block->bindings[k].var->type);
    int64_t joined[MOST_BETWEEN + 1] = {0};
    if (!tirbi_arena_work(f->l->arena, 1 + (k - first + n) / 16)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (parts[i].k != UINT32_MAX) joined[parts[i].first - first] += parts[i].bytes;
    for (uint32_t t = first + 1; t <= k; t++) joined[t - first] += joined[t - 1 - first];
    for (uint32_t t = first; t <= k; t++)
        if (f->live[t] + (t < k ? bytes : 0) - joined[t - first] > f->peak) return false;
    for (uint32_t t = first; t <= k; t++) f->live[t] += (t < k ? bytes : 0) - joined[t - first];
    return true;
}

static uint32_t earliest(const row_part *parts, uint32_t n, uint32_t k) {
    for (uint32_t i = 0; i < n; i++)
        if (parts[i].first < k) k = parts[i].first;
    return k;
}

static bool find_join(finder *f, uint32_t k) {
    tirbi_relax_lowering *l = f->l;
    const tirb_relax_binding *all = f->block->bindings;
    const tirb_relax_expr *tuple = all[k].value->as.call.args[0];
    const uint32_t n = tuple->as.tuple.n;
    row_part *parts = TIRBI_NEW_ARRAY(l->arena, row_part, n);
    tirbi_relax_row *join = TIRBI_NEW(l->arena, tirbi_relax_row);
    if (!parts || !join) return false;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = part_at(f, k, tuple->as.tuple.items[i]);
        const tirbi_relax_row *own = at == UINT32_MAX ? NULL : l->joined[all[at].var->id].own;
        parts[i] = (row_part){at, own ? own->first : at, at == UINT32_MAX ? 0 : bytes_of(all[at].var->type)};
        if (at == UINT32_MAX || k - parts[i].first > MOST_BETWEEN) parts[i].k = parts[i].first = UINT32_MAX;
        if (parts[i].k != UINT32_MAX) l->joined[all[at].var->id].in = join; /* a part once */
    }
    /* The earliest part is left out until what is left needs no more memory than the function does anyway. */
    uint32_t first = earliest(parts, n, k);
    for (unsigned tries = 1; first < k && !begin_at(f, k, parts, n, first); tries++) {
        for (uint32_t i = 0; i < n; i++) {
            if (parts[i].k == UINT32_MAX || (parts[i].first != first && tries < MOST_TRIES)) continue;
            l->joined[all[parts[i].k].var->id].in = NULL;
            parts[i].k = parts[i].first = UINT32_MAX;
        }
        first = earliest(parts, n, k);
    }
    *join = (tirbi_relax_row){.binding = &all[k], .first = first};
    if (first < k) l->joined[all[k].var->id].own = join;
    return true;
}

bool tirbi_relax_find_joins(tirbi_relax_lowering *l, const tirb_relax_block *block) {
    finder f = {.l = l, .block = block};
    for (uint32_t k = 0; k < block->n_bindings; k++)
        l->joined[block->bindings[k].var->id] = (tirbi_relax_joined){.at = k};
    for (uint32_t k = 0; k < block->n_bindings; k++) {
        const tirb_relax_binding *b = &block->bindings[k];
        if (!is_row_of_parts(&f, b)) continue;
        if (!f.live && !find_living(&f)) return !l->arena->failed;
        if (!find_join(&f, k)) return false;
    }
    return true;
}

static const tirbi_relax_held *room_of(tirbi_relax_lowering *l, tirbi_relax_row *join) {
    const tirb_relax_var *var = join->binding->var;
    if (join->room) return join->room;
    if (l->joined[var->id].in) return join->room = tirbi_relax_destination_of(l, var);
    const tirbi_relax_held *room = tirbi_relax_make_room(l, join->binding->span, var->type, NULL);
    if (room) tirbi_relax_use_memory(l, room->buffer, l->last_use[var->id]);
    return join->room = room;
}

const tirbi_relax_held *tirbi_relax_destination_of(tirbi_relax_lowering *l, const tirb_relax_var *var) {
    tirbi_relax_row *join = l->joined[var->id].in;
    if (!join) {
        join = l->joined[var->id].own;
        return join ? room_of(l, join) : l->destinations[var->id];
    }
    const tirb_relax_expr *tuple = join->binding->value->as.call.args[0];
    const tirbi_relax_held *room = room_of(l, join);
    const tirbi_relax_temporary *t = room ? tirbi_relax_temporary_of(l, room->buffer) : NULL;
    int64_t behind = 0;
    if (!t || !t->offset) return NULL;
    for (uint32_t i = 0; i < tuple->as.tuple.n; i++) {
        const tirb_relax_expr *item = tuple->as.tuple.items[i];
        if (item->kind == TIRB_RELAX_VAR && item->as.var == var) break;
        behind += tirbi_relax_count(item->type->shape, (uint32_t)item->type->ndim);
    }
    const tirb_expr *begin = tirbi_make_int(&l->b, join->binding->span, tirbi_type_i64, behind);
    tirbi_relax_held *part = begin ? tirbi_relax_hold(l, TIRBI_RELAX_HELD_TENSOR) : NULL;
    if (!part) return NULL;
    part->buffer = tirbi_relax_room_in(l, join->binding->span, room->buffer, var->type->shape,
                                       (uint32_t)var->type->ndim, begin);
    return part->buffer ? part : NULL;
}
