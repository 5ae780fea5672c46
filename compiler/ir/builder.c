/* Frames and statements of the builder. */
#include "compiler/ir/builder.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/ir/access.h"
#include "compiler/ir/anylist.h"
#include "compiler/ir/visit.h"
#include "loader/base/checked.h"

enum { MAX_FRAMES = 250 };

void tirbi_builder_init(tirbi_builder *b, tirbi_arena *arena, tirbi_diagnostics *diagnostics) {
    *b = (tirbi_builder){.arena = arena, .diagnostics = diagnostics};
}

void *tirbi_list_add(tirbi_arena *arena, tirbi_list *list, size_t item_size) {
    if (list->n == list->capacity) {
        uint32_t capacity = list->capacity ? list->capacity : item_size > 32 ? 1 : 4;
        if (list->capacity && __builtin_mul_overflow(capacity, 2U, &capacity)) return NULL;
        void *items = tirbi_arena_alloc(arena, capacity, item_size);
        if (!items) return NULL;
        if (list->n) memcpy(items, list->items, list->n * item_size);
        list->items = items;
        list->capacity = capacity;
    }
    return (char *)list->items + item_size * list->n++;
}

/* ---- Buffers ---------------------------------------------------------------------------------------------------- */

tirb_buffer *tirbi_make_buffer(tirbi_builder *b, tirbi_span span, const char *name, tirb_datatype dtype,
                               const tirb_expr *const *shape, uint32_t ndim, const char *scope) {
    tirb_buffer *buffer = TIRBI_NEW(b->arena, tirb_buffer);
    if (!buffer) return NULL;
    scope = scope && *scope ? scope : "global";
    *buffer = (tirb_buffer){.name = name ? name : "buffer",
                            .dtype = dtype,
                            .shape = shape,
                            .ndim = ndim,
                            .scope = scope,
                            .data_alignment = 64,
                            .offset_factor = 1,
                            .span = span,
                            .id = b->n_buffers++};
    tirb_expr *data = tirbi_make_var(b, span, buffer->name, tirbi_pointer_type(dtype, scope));
    if (!data) return NULL;
    data->as.var.data_of = buffer;
    buffer->data = data;
    return buffer;
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

tirb_stmt *tirbi_make_stmt(tirbi_builder *b, tirbi_span span, tirb_stmt_kind kind) {
    tirb_stmt *s = TIRBI_NEW(b->arena, tirb_stmt);
    if (!s) return NULL;
    s->kind = kind;
    s->span = span;
    return s;
}

tirbi_frame *tirbi_frame_top(const tirbi_builder *b) {
    return b->frames.n ? &((tirbi_frame *)b->frames.items)[b->frames.n - 1] : NULL;
}

void tirbi_emit(tirbi_builder *b, tirb_stmt *stmt) {
    tirbi_frame *frame = tirbi_frame_top(b);
    if (!stmt || !frame) return;
    tirb_stmt **slot = TIRBI_LIST_ADD(b->arena, &frame->items, tirb_stmt *);
    if (slot) *slot = stmt;
    b->n_emitted++;
}

static bool enter_scope(tirbi_builder *b, tirbi_span span) {
    if (b->n_scopes < TIRBI_MAX_SCOPES) {
        b->n_scopes++;
        return true;
    }
    if (!b->too_deep)
        tirbi_report_error(b->diagnostics, TIRB_UNSUPPORTED, span, "more than %d scopes are nested here",
                           TIRBI_MAX_SCOPES);
    b->too_deep = true;
    return false;
}

void tirbi_emit_scope(tirbi_builder *b, tirb_stmt *stmt) {
    if (!stmt || !tirbi_frame_top(b) || !enter_scope(b, stmt->span)) return;
    tirbi_frame_top(b)->n_open++;
    tirbi_emit(b, stmt);
}

void tirbi_emit_scope_in(tirbi_builder *b, uint32_t index, tirb_stmt *stmt) {
    if (!stmt || index >= b->frames.n || !enter_scope(b, stmt->span)) return;
    tirbi_frame *frames = b->frames.items, *frame = &frames[index];
    tirb_stmt **slot = TIRBI_LIST_ADD(b->arena, &frame->items, tirb_stmt *);
    if (!slot) return;
    *slot = stmt;
    b->n_emitted++;
    frame->n_open++;
    /* An IF is there already while its else branch is read. */
    bool behind_if = index + 1 < b->frames.n && frames[index + 1].kind == TIRBI_FRAME_ELSE && frame->items.n > 1;
    if (!behind_if) return;
    slot[0] = slot[-1];
    slot[-1] = stmt;
}

static const tirb_stmt **scope_body(tirb_stmt *s) {
    switch (s->kind) {
    case TIRB_STMT_LET:
        return &s->as.let.body;
    case TIRB_STMT_ATTR:
        return &s->as.attr.body;
    case TIRB_STMT_ASSERT:
        return &s->as.assert_.body;
    case TIRB_STMT_ALLOCATE:
    case TIRB_STMT_ALLOCATE_CONST:
        return &s->as.allocate.body;
    case TIRB_STMT_DECL_BUFFER:
        return &s->as.decl.body;
    case TIRB_STMT_BUFFER_REALIZE:
        return &s->as.realize.body;
    case TIRB_STMT_FOR:
        return &s->as.for_.body;
    case TIRB_STMT_WHILE:
        return &s->as.while_.body;
    default:
        return NULL;
    }
}

static bool is_nothing(const tirb_stmt *s) {
    return s->kind == TIRB_STMT_EVALUATE && tirbi_is_const_int(s->as.evaluate.value, 0);
}

static tirb_stmt *make_nothing(tirbi_builder *b, tirbi_span span) {
    tirb_stmt *s = tirbi_make_stmt(b, span, TIRB_STMT_EVALUATE);
    if (s) s->as.evaluate.value = tirbi_make_int(b, span, tirbi_type_i32, 0);
    return s;
}

/* One statement for many: empty ones are left out where there are others. */
static const tirb_stmt *make_seq(tirbi_builder *b, tirbi_span span, tirb_stmt *const *items, uint32_t n) {
    const tirb_stmt **kept = TIRBI_NEW_ARRAY(b->arena, const tirb_stmt *, n);
    if (!kept) return NULL;
    uint32_t n_kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!is_nothing(items[i])) kept[n_kept++] = items[i];
    if (n_kept == 0) return make_nothing(b, n ? items[0]->span : span);
    if (n_kept == 1) return kept[0];
    tirb_stmt *seq = tirbi_make_stmt(b, (tirbi_span){kept[0]->span.begin, kept[n_kept - 1]->span.end}, TIRB_STMT_SEQ);
    if (!seq) return NULL;
    seq->as.seq.items = kept;
    seq->as.seq.n = n_kept;
    return seq;
}

/* From the end to number `first`, each waiting statement of a frame takes what follows it. How many are left. */
static uint32_t close_from(tirbi_builder *b, tirbi_frame *frame, uint32_t first) {
    tirb_stmt *const *items = frame->items.items;
    uint32_t end = frame->items.n;
    for (uint32_t i = end; i > first && frame->n_open > 0; i--) {
        const tirb_stmt **body = scope_body(items[i - 1]);
        if (!body || *body) continue;
        *body = make_seq(b, items[i - 1]->span, items + i, end - i);
        end = i;
        frame->n_open--;
        b->n_scopes--;
    }
    return end;
}

void tirbi_close_scopes(tirbi_builder *b, uint32_t first) {
    tirbi_frame *frame = tirbi_frame_top(b);
    if (frame) frame->items.n = close_from(b, frame, first);
}

/* The body of a frame. */
static const tirb_stmt *assemble(tirbi_builder *b, tirbi_frame *frame) {
    const uint32_t end = close_from(b, frame, 0);
    return make_seq(b, frame->span, frame->items.items, end);
}

void tirbi_emit_evaluate(tirbi_builder *b, tirbi_span span, const tirb_expr *value) {
    tirb_stmt *s = value ? tirbi_make_stmt(b, span, TIRB_STMT_EVALUATE) : NULL;
    if (!s) return;
    s->as.evaluate.value = value;
    tirbi_emit(b, s);
}

static bool is_number_type(tirb_datatype type) {
    return type.code == TIRB_CODE_INT || type.code == TIRB_CODE_UINT || tirbi_type_is_float(type);
}

/* A store casts by itself. Where that loses a fraction or bits, the program is to say that it means it. */
static void warn_of_loss(tirbi_builder *b, const tirb_buffer *buffer, const tirb_expr *value) {
    tirb_datatype from = value->dtype, to = buffer->dtype;
    char from_text[32], to_text[32];
    bool fraction = tirbi_type_is_float(from) && !tirbi_type_is_float(to);
    bool narrow = tirbi_type_is_float(from) == tirbi_type_is_float(to) && from.bits > to.bits;
    if (!is_number_type(from) || !is_number_type(to) || !(fraction || narrow)) return;
    from = tirbi_type_element(from);
    to = tirbi_type_element(to);
    tirb_datatype_text(to, to_text);
    tirbi_report_warning(b->diagnostics, tirbi_place(b, value),
                         "`%s` is %s: storing %s there loses %s; write T.%s(...) around the value if that is meant",
                         buffer->name, to_text, tirb_datatype_text(from, from_text),
                         fraction ? "its fraction" : "what does not fit", to_text);
}

void tirbi_emit_store(tirbi_builder *b, tirbi_span span, const tirb_buffer *buffer, const tirb_expr *value,
                      const tirb_expr *const *indices, uint32_t n_indices, const tirb_expr *predicate) {
    char left[32], right[32];
    if (!value) return;
    for (uint32_t i = 0; i < n_indices; i++)
        if (!indices[i]) return;
    tirb_datatype type;
    if (!tirbi_access_type(b, span, buffer, indices, n_indices, &type)) return;
    if (value->dtype.lanes != 1 && !tirbi_lanes_equal(tirbi_lanes_of(value->dtype), tirbi_lanes_of(type))) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, tirbi_place(b, value),
                           "a value of type %s is stored where `%s` takes %s", tirb_datatype_text(value->dtype, left),
                           buffer->name, tirb_datatype_text(type, right));
        return;
    }
    warn_of_loss(b, buffer, value);
    value = tirbi_make_cast(b, value->span, type, value);
    tirb_stmt *s = value ? tirbi_make_stmt(b, span, TIRB_STMT_STORE) : NULL;
    if (!s) return;
    s->as.store.buffer = buffer;
    s->as.store.value = value;
    s->as.store.indices = indices;
    s->as.store.n_indices = n_indices;
    s->as.store.predicate = predicate;
    tirbi_emit(b, s);
}

/* ---- Frames ----------------------------------------------------------------------------------------------------- */

tirbi_frame *tirbi_frame_push(tirbi_builder *b, tirbi_frame_kind kind, tirb_stmt *stmt, tirbi_span span) {
    if (b->frames.n >= MAX_FRAMES || !enter_scope(b, span)) {
        if (!b->too_deep)
            tirbi_report_error(b->diagnostics, TIRB_UNSUPPORTED, span, "more than %d statements are nested here",
                               MAX_FRAMES);
        b->too_deep = true;
        return NULL;
    }
    tirbi_frame *frame = TIRBI_LIST_ADD(b->arena, &b->frames, tirbi_frame);
    if (!frame) return NULL;
    *frame = (tirbi_frame){.kind = kind, .stmt = stmt, .span = span};
    if (kind == TIRBI_FRAME_FUNCTION) b->blocks.n = 0;
    if (kind == TIRBI_FRAME_BLOCK) {
        frame->block = TIRBI_NEW(b->arena, tirb_block);
        if (frame->block) frame->block->name = "";
    }
    return frame;
}

static tirbi_frame *frame_at(const tirbi_builder *b, uint32_t index) {
    return &((tirbi_frame *)b->frames.items)[index];
}

tirbi_frame *tirbi_frame_block(const tirbi_builder *b) {
    for (uint32_t i = b->frames.n; i > 0; i--) {
        tirbi_frame *frame = frame_at(b, i - 1);
        if (frame->kind == TIRBI_FRAME_BLOCK) return frame;
        if (frame->kind == TIRBI_FRAME_INIT || frame->kind == TIRBI_FRAME_FUNCTION) return NULL;
    }
    return NULL;
}

tirbi_frame *tirbi_frame_allocs(const tirbi_builder *b) {
    for (uint32_t i = b->frames.n; i > 0; i--) {
        tirbi_frame *frame = frame_at(b, i - 1);
        if (frame->kind == TIRBI_FRAME_BLOCK || frame->kind == TIRBI_FRAME_FUNCTION) return frame;
    }
    return NULL;
}

const tirb_stmt *tirbi_frame_loop(const tirbi_builder *b, const tirb_expr *var) {
    for (uint32_t i = b->frames.n; i > 0; i--) {
        tirbi_frame *frame = frame_at(b, i - 1);
        if (frame->kind == TIRBI_FRAME_FOR && frame->stmt && frame->stmt->as.for_.var == var) return frame->stmt;
    }
    return NULL;
}

static void finish_block(tirbi_builder *b, tirbi_frame *frame, const tirb_stmt *body) {
    tirb_block *block = frame->block;
    block->iters = frame->iters.items;
    block->n_iters = frame->iters.n;
    block->reads = frame->reads.items;
    block->n_reads = frame->reads.n;
    block->writes = frame->writes.items;
    block->n_writes = frame->writes.n;
    block->allocs = frame->allocs.items;
    block->n_allocs = frame->allocs.n;
    block->matches = frame->matches.items;
    block->n_matches = frame->matches.n;
    block->annotations = frame->annotations.items;
    block->n_annotations = frame->annotations.n;
    block->body = body;
    frame->stmt->as.block.block = block;
    frame->stmt->as.block.values = block->no_realize ? NULL : frame->values.items;
    frame->stmt->as.block.predicate = frame->predicate;
    tirb_block **slot = TIRBI_LIST_ADD(b->arena, &b->blocks, tirb_block *);
    if (slot) *slot = block;
}

void tirbi_frame_pop(tirbi_builder *b) {
    tirbi_frame *frame = tirbi_frame_top(b);
    if (!frame) return;
    const tirb_stmt *body = assemble(b, frame);
    tirb_stmt *stmt = frame->stmt;
    b->frames.n--;
    b->n_scopes--;
    switch (frame->kind) {
    case TIRBI_FRAME_FUNCTION:
        return;
    case TIRBI_FRAME_INIT: {
        tirbi_frame *block = tirbi_frame_block(b);
        if (block && block->block) block->block->init = body;
        return;
    }
    case TIRBI_FRAME_BLOCK:
        if (!stmt || !frame->block) return;
        finish_block(b, frame, body);
        break;
    case TIRBI_FRAME_ELSE:
        if (stmt) stmt->as.if_.else_case = body;
        return;
    case TIRBI_FRAME_THEN:
        if (stmt) stmt->as.if_.then_case = body;
        break;
    case TIRBI_FRAME_FOR:
    case TIRBI_FRAME_WHILE:
    case TIRBI_FRAME_SCOPE:
        if (stmt && scope_body(stmt)) *scope_body(stmt) = body;
        break;
    }
    tirbi_emit(b, stmt);
}

/* ---- Functions -------------------------------------------------------------------------------------------------- */

typedef struct block_search {
    tirbi_visitor visitor;
    bool found;
} block_search;

static void find_block(tirbi_visitor *v, const tirb_stmt *s) {
    block_search *search = (block_search *)v->context;
    if (search->found) return;
    if (s->kind == TIRB_STMT_BLOCK_REALIZE)
        search->found = true;
    else
        tirbi_visit_stmt(v, s);
}

static bool contains_block(const tirb_stmt *body) {
    block_search search = {.visitor = {.stmt = find_block}};
    search.visitor.context = &search;
    find_block(&search.visitor, body);
    return search.found;
}

static bool needs_root(const tirb_stmt *body, uint32_t n_allocs) {
    if (n_allocs) return true;
    if (body->kind == TIRB_STMT_BLOCK_REALIZE) return body->as.block.block->n_iters > 0;
    return contains_block(body);
}

static const tirb_stmt *wrap_root(tirbi_builder *b, const tirb_stmt *body, const tirbi_list *allocs) {
    tirb_stmt *realize = tirbi_make_stmt(b, body->span, TIRB_STMT_BLOCK_REALIZE);
    tirb_block *block = TIRBI_NEW(b->arena, tirb_block);
    if (!realize || !block) return NULL;
    block->name = "root";
    block->allocs = allocs->items;
    block->n_allocs = allocs->n;
    block->has_reads = block->has_writes = true; /* of nothing: it is no step of a computation */
    block->body = body;
    realize->as.block.block = block;
    return realize;
}

typedef struct var_search {
    tirbi_visitor visitor;
    tirbi_builder *builder;
    const tirb_primfunc *function;
    tirbi_list vars;
} var_search;

static void collect_var(tirbi_visitor *v, const tirb_expr *e) {
    var_search *search = (var_search *)v->context;
    if (e->kind != TIRB_EXPR_VAR) {
        tirbi_visit_expr(v, e);
        return;
    }
    /* Both lists are gone through by text that may be as long as they are. */
    enum { A_STEP = 16 };
    if (!tirbi_arena_work(search->builder->arena, (search->function->n_params + search->vars.n) / A_STEP)) return;
    for (uint32_t i = 0; i < search->function->n_params; i++)
        if (search->function->params[i] == e) return;
    const tirb_expr **known = search->vars.items;
    for (uint32_t i = 0; i < search->vars.n; i++)
        if (known[i] == e) return;
    const tirb_expr **slot = TIRBI_LIST_ADD(search->builder->arena, &search->vars, const tirb_expr *);
    if (slot) *slot = e;
}

typedef struct pointer_search {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    tirbi_arena *arena;
    const tirb_expr *pointer;
    const tirb_buffer *view; /* the first that is declared over it */
    bool is_anylist;
} pointer_search;

static void find_anylist(tirbi_visitor *v, const tirb_expr *e) {
    pointer_search *search = (pointer_search *)v;
    search->is_anylist |= tirbi_is_anylist_call(e) && e->as.call.n_args > 0 && e->as.call.args[0] == search->pointer;
    tirbi_visit_expr(v, e);
}

static void find_view(tirbi_visitor *v, const tirb_stmt *s) {
    pointer_search *search = (pointer_search *)v;
    if (!tirbi_arena_work(search->arena, 1)) return;
    if (s->kind == TIRB_STMT_DECL_BUFFER && !search->view && s->as.decl.buffer->data == search->pointer)
        search->view = s->as.decl.buffer;
    tirbi_visit_stmt(v, s);
}

/* A pointer among the parameters leads to what the argument has: a buffer of one dimension, with elements of the type
 * that the pointer has or, if that is void, the first view over it. */
static void bind_pointers(tirbi_builder *b, tirb_primfunc *function) {
    const tirb_buffer **buffers = TIRBI_NEW_ARRAY(b->arena, const tirb_buffer *, function->n_params);
    if (!buffers || !function->body || tirbi_is_packed(function)) return;
    for (uint32_t i = 0; i < function->n_params; i++) {
        tirb_expr *pointer = (tirb_expr *)function->params[i];
        buffers[i] = function->buffers ? function->buffers[i] : NULL;
        if (buffers[i] || !pointer || pointer->dtype.code != TIRB_CODE_HANDLE) continue;
        pointer_search search = {.visitor = {.expr = find_anylist, .stmt = find_view}, .arena = b->arena,
                                 .pointer = pointer};
        find_view(&search.visitor, function->body);
        tirb_type type = pointer->as.var.type;
        bool typed = type.kind == TIRB_TYPE_POINTER && type.dtype.code != TIRB_CODE_HANDLE;
        if (!typed && !search.view && !search.is_anylist) continue;
        tirb_datatype element = typed ? type.dtype : search.view ? search.view->dtype : tirbi_type_i64;
        const char *size = tirbi_arena_format(b->arena, "%s_size", pointer->as.var.name);
        const tirb_expr **shape = TIRBI_NEW_ARRAY(b->arena, const tirb_expr *, 1);
        if (!size || !shape) return;
        shape[0] = tirbi_make_var(b, pointer->span, size, tirbi_prim_type(tirbi_type_i64));
        tirb_buffer *buffer = tirbi_make_buffer(b, pointer->span, pointer->as.var.name, element, shape, 1, type.scope);
        if (!buffer || !shape[0]) return;
        buffer->is_implied = true;
        buffer->data = pointer;
        pointer->as.var.data_of = buffer;
        buffers[i] = buffer;
    }
    function->buffers = buffers;
}

static void collect_shape_vars(tirbi_builder *b, tirb_primfunc *function) {
    var_search search = {.visitor = {.expr = collect_var}, .builder = b, .function = function};
    search.visitor.context = &search;
    for (uint32_t i = 0; i < function->n_params; i++)
        if (function->buffers && function->buffers[i]) tirbi_visit_buffer(&search.visitor, function->buffers[i]);
    function->shape_vars = search.vars.items;
    function->n_shape_vars = search.vars.n;
}

static int compare_pairs(const void *x, const void *y) {
    const tirb_param_pair *a = x, *b = y;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return a->second < b->second ? -1 : a->second > b->second;
}

void tirbi_function_set_aliases(tirb_primfunc *function, tirb_param_pair *pairs, uint32_t n) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        tirb_param_pair *p = &pairs[i];
        if (p->first > p->second) *p = (tirb_param_pair){p->second, p->first};
    }
    if (n > 1) qsort(pairs, n, sizeof *pairs, compare_pairs);
    for (uint32_t i = 0; i < n; i++) {
        if (kept && compare_pairs(&pairs[kept - 1], &pairs[i]) == 0) continue;
        pairs[kept++] = pairs[i];
    }
    function->may_alias = pairs;
    function->n_may_alias = kept;
}

void tirbi_function_finish(tirbi_builder *b, tirb_primfunc *function) {
    tirbi_frame *frame = tirbi_frame_top(b);
    if (!frame || frame->kind != TIRBI_FRAME_FUNCTION) return;
    const tirb_stmt *body = assemble(b, frame);
    tirbi_list allocs = frame->allocs;
    b->frames.n--;
    b->n_scopes--;
    if (body && needs_root(body, allocs.n)) body = wrap_root(b, body, &allocs);
    function->body = body;
    if (body)
        tirbi_detect_access(b, b->blocks.items, b->blocks.n,
                            body->kind == TIRB_STMT_BLOCK_REALIZE ? body->as.block.block : NULL);
    bind_pointers(b, function);
    collect_shape_vars(b, function);
    b->too_deep = false;
}
