#include "compiler/optimize/rewriting/statements.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/rewriting/rewrite.h"

#include <stdio.h>
#include <string.h>

tirbi_ls *tirbi_new_stmt(tirbi_lx_pool *pool, tirbi_ls_kind kind, tirbi_span span) {
    tirbi_ls *s = TIRBI_NEW(pool->arena, tirbi_ls);
    if (s) *s = (tirbi_ls){.kind = (uint8_t)kind, .span = span};
    return s;
}

const tirbi_ls *tirbi_new_set(tirbi_lx_pool *pool, tirbi_span span, tirbi_lvar *var, const tirbi_lx *value,
                              bool declares) {
    tirbi_ls *s = var && value ? tirbi_new_stmt(pool, TIRBI_LS_SET, span) : NULL;
    if (!s) return NULL;
    s->as.set.var = var;
    s->as.set.value = value;
    s->as.set.declares = declares;
    return s;
}

const tirbi_ls *tirbi_new_store(tirbi_lx_pool *pool, tirbi_span span, const tirbi_place *place, const tirbi_lx *value) {
    tirbi_ls *s = place && value ? tirbi_new_stmt(pool, TIRBI_LS_STORE, span) : NULL;
    if (!s) return NULL;
    s->as.store.access = place;
    s->as.store.value = value;
    return s;
}

const tirbi_ls *tirbi_new_alloc(tirbi_lx_pool *pool, tirbi_span span, tirbi_lbuf *buffer) {
    tirbi_ls *s = buffer ? tirbi_new_stmt(pool, TIRBI_LS_ALLOC, span) : NULL;
    if (s) s->as.alloc.buffer = buffer;
    return s;
}

const tirbi_ls *tirbi_new_loop(tirbi_lx_pool *pool, tirbi_span span, tirbi_lvar *var, const tirbi_ls *body) {
    tirbi_ls *s = var && body ? tirbi_new_stmt(pool, TIRBI_LS_LOOP, span) : NULL;
    if (!s) return NULL;
    s->as.loop.var = var;
    s->as.loop.body = body;
    return s;
}

const tirbi_ls *tirbi_new_blocks(tirbi_lx_pool *pool, tirbi_span span, tirbi_lvar *var, const tirbi_lx *step,
                                 const tirbi_ls *body) {
    tirbi_ls *s = step ? (tirbi_ls *)(uintptr_t)tirbi_new_loop(pool, span, var, body) : NULL;
    if (!s) return NULL;
    s->as.loop.step = step;
    s->as.loop.blocks = true;
    return s;
}

const tirbi_ls *tirbi_new_while(tirbi_lx_pool *pool, tirbi_span span, const tirbi_lx *condition, const tirbi_ls *body) {
    tirbi_ls *s = condition && body ? tirbi_new_stmt(pool, TIRBI_LS_WHILE, span) : NULL;
    if (!s) return NULL;
    s->as.while_.condition = condition;
    s->as.while_.body = body;
    s->as.while_.made = true;
    return s;
}

const tirbi_ls *tirbi_new_if(tirbi_lx_pool *pool, tirbi_span span, const tirbi_lx *condition, const tirbi_ls *then_case,
                             const tirbi_ls *else_case) {
    tirbi_ls *s = condition && then_case ? tirbi_new_stmt(pool, TIRBI_LS_IF, span) : NULL;
    if (!s) return NULL;
    s->as.if_.condition = condition;
    s->as.if_.then_case = then_case;
    s->as.if_.else_case = else_case;
    return s;
}

const tirbi_ls *tirbi_new_sequence(tirbi_lx_pool *pool, tirbi_span span, const tirbi_ls *const *items, uint32_t n) {
    if (n == 1) return items[0];
    tirbi_ls *s = tirbi_new_stmt(pool, TIRBI_LS_SEQ, span);
    const tirbi_ls **copy = TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, n);
    if (!s || !copy) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!items[i]) return NULL;
        copy[i] = items[i];
    }
    s->as.seq.items = copy;
    s->as.seq.n = n;
    return s;
}

tirbi_ls *tirbi_same_stmt(const tirbi_lx_pool *pool, const tirbi_ls *s) {
    tirbi_ls *copy = TIRBI_NEW(pool->arena, tirbi_ls);
    if (copy) *copy = *s;
    return copy;
}

const tirbi_ls *tirbi_with_value(const tirbi_lx_pool *pool, const tirbi_ls *s, const tirbi_lx *value) {
    tirbi_ls *copy = value ? tirbi_same_stmt(pool, s) : NULL;
    if (copy && s->kind == TIRBI_LS_STORE) copy->as.store.value = value;
    if (copy && s->kind == TIRBI_LS_SET) copy->as.set.value = value;
    return copy;
}

tirbi_lvar *tirbi_new_variable(tirbi_lx_pool *pool, tirbi_lvar_kind kind, const char *name, tirbi_dtype type,
                               int64_t lo, int64_t hi, tirbi_span span) {
    tirbi_lvar *var = TIRBI_NEW(pool->arena, tirbi_lvar);
    if (var) *var = (tirbi_lvar){.name = name, .kind = kind, .type = type, .lo = lo, .hi = hi, .span = span};
    return var;
}

tirbi_lvar *tirbi_variable_like(tirbi_lx_pool *pool, const tirbi_lvar *old) {
    tirbi_lvar *var = old ? TIRBI_NEW(pool->arena, tirbi_lvar) : NULL;
    if (!var) return NULL;
    *var = *old;
    var->id = 0;
    return var;
}

tirbi_lvar *tirbi_variable_for(tirbi_lx_pool *pool, tirbi_lvar_kind kind, const char *name, const tirbi_lx *value,
                               tirbi_span span) {
    return value ? tirbi_new_variable(pool, kind, name, (tirbi_dtype)value->type, value->lo, value->hi, span) : NULL;
}

tirbi_lvar *tirbi_new_counter(tirbi_lx_pool *pool, const tirbi_lvar *like, tirbi_dtype type, const tirbi_lx *extent) {
    if (!extent) return NULL;
    const int64_t hi = extent->hi > 0 ? extent->hi - 1 : 0;
    tirbi_lvar *var = tirbi_new_variable(pool, TIRBI_LVAR_LOOP, like->name, type, 0, hi, like->span);
    if (!var) return NULL;
    var->min = tirbi_lx_number(pool, 0);
    var->extent = extent;
    return var->min ? var : NULL;
}

tirbi_lvar *tirbi_counter_like(tirbi_lx_pool *pool, const tirbi_lvar *old, const tirbi_lx *extent) {
    tirbi_lvar *var = extent ? tirbi_variable_like(pool, old) : NULL;
    if (!var) return NULL;
    var->min = tirbi_lx_number(pool, 0);
    var->extent = extent;
    var->below = NULL;
    var->lo = 0;
    var->hi = extent->hi > 0 ? extent->hi - 1 : 0;
    return var->min ? var : NULL;
}

tirbi_lbuf *tirbi_new_buffer(tirbi_lx_pool *pool, const char *name, tirbi_dtype type, uint32_t ndim,
                             const tirbi_lx *const *shape) {
    tirbi_lbuf *b = TIRBI_NEW(pool->arena, tirbi_lbuf);
    const tirbi_lx **strides = TIRBI_NEW_ARRAY(pool->arena, const tirbi_lx *, ndim);
    const tirbi_lx *stride = b && strides ? tirbi_lx_number(pool, 1) : NULL;
    for (uint32_t d = ndim; stride && d-- > 0;) {
        strides[d] = stride;
        stride = tirbi_lx_mul(pool, stride, shape[d]);
    }
    if (!stride) return NULL;
    *b = (tirbi_lbuf){.name = name, .type = type, .ndim = ndim, .shape = shape, .strides = strides, .root = b,
                      .param = -1, .written = true};
    return b;
}

/* A list of one value. */
static const tirbi_lx **only(tirbi_lx_pool *pool, const tirbi_lx *x) {
    const tirbi_lx **list = x ? TIRBI_NEW(pool->arena, const tirbi_lx *) : NULL;
    if (list) *list = x;
    return list;
}

tirbi_lbuf *tirbi_new_row(tirbi_lx_pool *pool, const char *name, tirbi_dtype type, const tirbi_lx *extent) {
    const tirbi_lx **shape = only(pool, extent);
    return shape ? tirbi_new_buffer(pool, name, type, 1, shape) : NULL;
}

const tirbi_place *tirbi_element_at(tirbi_lx_pool *pool, tirbi_lbuf *row, const tirbi_lx *index, tirbi_span span) {
    return tirbi_place_in(pool, row, only(pool, index), span);
}

tirbi_ls *tirbi_loop_like(const tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_lvar *var, const tirbi_ls *body) {
    tirbi_ls *s = body ? TIRBI_NEW(pool->arena, tirbi_ls) : NULL;
    if (!s) return NULL;
    *s = *loop;
    if (var) s->as.loop.var = var;
    s->as.loop.body = body;
    return s;
}

const tirbi_ls *tirbi_in_loops(const tirbi_lx_pool *pool, const tirbi_ls *const *loops, uint32_t n,
                               const tirbi_ls *body) {
    while (n-- > 0) body = tirbi_loop_like(pool, loops[n], NULL, body);
    return body;
}

/* The items as they shall be: a new list where one of them changes. */
static const tirbi_ls **replace_items(tirbi_lx_pool *pool, const tirbi_ls *s, tirbi_replacer *replace, void *context) {
    const tirbi_ls **const old = s->as.seq.items, **items = old;
    for (uint32_t i = 0; i < s->as.seq.n; i++) {
        const tirbi_ls *item = replace(context, old[i]);
        if (item == old[i]) continue;
        if (items == old) {
            items = TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, s->as.seq.n);
            if (!items) return old;
            memcpy(items, old, s->as.seq.n * sizeof(*items));
        }
        items[i] = item;
    }
    return items;
}

const tirbi_ls *tirbi_replace_inside(tirbi_lx_pool *pool, const tirbi_ls *s, tirbi_replacer *replace, void *context) {
    tirbi_ls other = *s;
    bool changes;
    switch (s->kind) {
    case TIRBI_LS_LOOP:
        other.as.loop.body = replace(context, s->as.loop.body);
        changes = other.as.loop.body != s->as.loop.body;
        break;
    case TIRBI_LS_WHILE:
        other.as.while_.body = replace(context, s->as.while_.body);
        changes = other.as.while_.body != s->as.while_.body;
        break;
    case TIRBI_LS_IF:
        other.as.if_.then_case = replace(context, s->as.if_.then_case);
        if (s->as.if_.else_case) other.as.if_.else_case = replace(context, s->as.if_.else_case);
        changes = other.as.if_.then_case != s->as.if_.then_case || other.as.if_.else_case != s->as.if_.else_case;
        break;
    case TIRBI_LS_SEQ:
        other.as.seq.items = replace_items(pool, s, replace, context);
        changes = other.as.seq.items != s->as.seq.items;
        break;
    default: return s;
    }
    tirbi_ls *copy = changes ? TIRBI_NEW(pool->arena, tirbi_ls) : NULL;
    if (!copy) return s;
    *copy = other;
    return copy;
}

bool tirbi_list_statements(const tirbi_ls *body, const tirbi_ls **items, uint32_t *n, uint32_t most) {
    if (body->kind != TIRBI_LS_SEQ) {
        if (*n == most) return false;
        items[(*n)++] = body;
        return true;
    }
    for (uint32_t i = 0; i < body->as.seq.n; i++)
        if (!tirbi_list_statements(body->as.seq.items[i], items, n, most)) return false;
    return true;
}

bool tirbi_may_set(const tirbi_ls *s, const tirbi_lvar *var) {
    return !tirbi_is_made_of(s, TIRBI_NESTS | TIRBI_KIND(TREE)) || tirbi_sets(s, var);
}

bool tirbi_has_plain_bounds(const tirbi_lvar *var) {
    return var->min->pure && var->extent->pure && !var->min->traps && !var->extent->traps;
}

bool tirbi_is_bounded_before(const tirbi_loop_set *loops, const tirbi_lvar *var) {
    return tirbi_has_plain_bounds(var) && !tirbi_mentions_loops(var->min, loops) &&
           !tirbi_mentions_loops(var->extent, loops) && (!var->below || !tirbi_mentions_loops(var->below, loops));
}

bool tirbi_is_plain_loop(const tirbi_ls *loop) {
    return !loop->as.loop.step && !loop->as.loop.blocks && !loop->as.loop.rows &&
           tirbi_has_plain_bounds(loop->as.loop.var);
}

const tirbi_ls *tirbi_only_part(const tirbi_ls *s) {
    while (s->kind == TIRBI_LS_SEQ && s->as.seq.n == 1) s = s->as.seq.items[0];
    return s;
}

bool tirbi_is_guard(const tirbi_ls *s) {
    return s->kind == TIRBI_LS_IF && !s->as.if_.else_case && !s->as.if_.first_of && !s->as.if_.sizes &&
           s->as.if_.condition->pure;
}

const tirbi_ls *tirbi_loop_inside(const tirbi_ls *loop) {
    const tirbi_ls *s = tirbi_only_part(loop->as.loop.body);
    return s->kind == TIRBI_LS_LOOP ? s : NULL;
}

int tirbi_beginning_of(const char *name, size_t most) {
    const char *end = memchr(name, 0, most + 1);
    if (end) return (int)(end - name);
    size_t n = most;
    for (; n > 0 && ((unsigned char)name[n] & 0xC0) == 0x80;) n--;
    return (int)n;
}

const char *tirbi_join_names(tirbi_lx_pool *pool, const tirbi_lvar *outer, const tirbi_lvar *inner) {
    enum { MOST = 60 };
    char name[2 * MOST + 3];
    const int n = snprintf(name, sizeof name, "%.*s, %.*s", tirbi_beginning_of(outer->name, MOST), outer->name,
                           tirbi_beginning_of(inner->name, MOST), inner->name);
    return tirbi_arena_text(pool->arena, name, (size_t)n);
}

bool tirbi_asks_for_first(const void *var, const tirbi_ls *s) {
    return s->kind == TIRBI_LS_IF && tirbi_is_listed(var, s->as.if_.first_of, s->as.if_.n_first_of);
}

bool tirbi_is_replaced(const tirbi_ls *s, const tirbi_ls *next) {
    return s->kind == TIRBI_LS_SET && s->as.set.declares && s->as.set.value->kind == TIRBI_LX_CONST &&
           next->kind == TIRBI_LS_SET && next->as.set.var == s->as.set.var && !next->as.set.declares &&
           !tirbi_lx_depends_on(next->as.set.value, s->as.set.var);
}

bool tirbi_fails_by_itself(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_CALL || tirbi_lx_may_divide_by_zero(x);
}
