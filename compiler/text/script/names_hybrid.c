/* Hybrid Script of 2020: what the names behind `tir.` mean where they do not mean what they do behind `T.`. Its first
 * version has scopes take their variable as an argument and loops as tir.range; later ones are close to TVMScript. */
#include <string.h>

#include "compiler/ir/c_functions.h"
#include "compiler/text/script/names.h"

static const tirb_expr *arg(tirbi_script *s, const tirbi_call *c, int i) { return tirbi_to_expr(s, &c->args[i]); }

/* What the same name means behind `T.`. */
static tirbi_value as_usual(tirbi_script *s, const tirbi_call *c, const char *name) {
    tirbi_call usual = *c;
    usual.entry = tirbi_find_entry(TIRBI_SPACE_TIR, name);
    return usual.entry && usual.entry->handler ? usual.entry->handler(s, &usual) : tirbi_value_error();
}

/* ---- Bare pointers ---------------------------------------------------------------------------------------------- */

/* Whether a statement of the frame, or the one that it is the body of, declares the pointer. */
static bool declares(const tirb_stmt *stmt, const tirb_expr *pointer) {
    switch (stmt->kind) {
    case TIRB_STMT_LET: return stmt->as.let.var == pointer;
    case TIRB_STMT_ALLOCATE: return stmt->as.allocate.buffer->data == pointer;
    case TIRB_STMT_DECL_BUFFER: return stmt->as.decl.source && stmt->as.decl.buffer->data == pointer;
    case TIRB_STMT_BUFFER_REALIZE: return stmt->as.realize.buffer->data == pointer;
    default: return false;
    }
}

static bool frame_declares(const tirbi_frame *frame, const tirb_expr *pointer) {
    tirb_stmt *const *items = frame->items.items;
    if (frame->kind == TIRBI_FRAME_SCOPE && frame->stmt && declares(frame->stmt, pointer)) return true;
    for (uint32_t i = 0; i < frame->items.n; i++)
        if (declares(items[i], pointer)) return true;
    const tirb_buffer *const *allocs = frame->allocs.items;
    for (uint32_t i = 0; frame->kind == TIRBI_FRAME_BLOCK && i < frame->allocs.n; i++)
        if (allocs[i]->data == pointer) return true;
    const tirb_match_buffer *matches = frame->matches.items;
    for (uint32_t i = 0; i < frame->matches.n; i++)
        if (matches[i].buffer->data == pointer) return true;
    return false;
}

/* The frame that the pointer lives in; what is declared nowhere lives in the function. */
static uint32_t frame_of(const tirbi_builder *b, const tirb_expr *pointer) {
    const tirbi_frame *frames = b->frames.items;
    for (uint32_t i = b->frames.n; i > 1; i--)
        if (frame_declares(&frames[i - 1], pointer)) return i - 1;
    return 0;
}

/* The elements of one type behind a pointer: declared where they are first used, in the frame that the pointer lives
 * in, so that all uses in its scope mean one view. */
static const tirb_buffer *pointee(tirbi_script *s, tirbi_span span, const tirb_expr *pointer, tirb_datatype type) {
    const tirbi_pointee *known = s->pointees.items;
    for (uint32_t i = s->pointees.n; i > 0; i--) {
        const tirb_stmt *declaration = known[i - 1].declaration;
        const tirb_buffer *buffer = declaration->as.decl.buffer;
        if (known[i - 1].pointer == pointer && !declaration->as.decl.body && tirb_datatype_equal(buffer->dtype, type))
            return buffer;
    }
    if (pointer->kind != TIRB_EXPR_VAR) {
        tirbi_fail(s, TIRB_TYPE, span, "only a variable can be used as a pointer here; bind the pointer to one");
        return NULL;
    }
    const tirb_expr **shape = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, 1);
    const char *name = tirbi_arena_format(s->arena, "%s_data", pointer->as.var.name);
    tirb_stmt *stmt = tirbi_make_stmt(&s->builder, span, TIRB_STMT_DECL_BUFFER);
    tirbi_pointee *slot = TIRBI_LIST_ADD(s->arena, &s->pointees, tirbi_pointee);
    if (!shape || !name || !stmt || !slot) return NULL;
    shape[0] = tirbi_make_int(&s->builder, span, tirbi_type_i64, TIRBI_POINTEE_EXTENT);
    tirb_buffer *buffer = tirbi_make_buffer(&s->builder, span, name, type, shape, 1, "global");
    if (!buffer) return NULL;
    buffer->data = pointer;
    stmt->as.decl.buffer = buffer;
    *slot = (tirbi_pointee){pointer, stmt};
    tirbi_emit_scope_in(&s->builder, frame_of(&s->builder, pointer), stmt);
    return buffer;
}

static bool is_true(const tirb_expr *predicate) {
    if (predicate->kind == TIRB_EXPR_BROADCAST) predicate = predicate->as.broadcast.value;
    return tirbi_is_const_int(predicate, 1);
}

static const tirb_expr *const *one_index(tirbi_script *s, const tirb_expr *index) {
    char text[32];
    if (index && !tirbi_type_is_int(index->dtype)) {
        tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, index), "an index must be an integer, not %s",
                   tirb_datatype_text(index->dtype, text));
        return NULL;
    }
    const tirb_expr **indices = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, 1);
    if (!index || !indices) return NULL;
    indices[0] = index;
    return indices;
}

tirbi_value tirbi_pointer_load(tirbi_script *s, tirbi_span span, const tirb_expr *pointer, tirb_datatype type,
                               const tirb_expr *index, const tirb_expr *predicate) {
    char left[32], right[32];
    if (!pointer || !index) return tirbi_value_error();
    const tirb_expr *const *indices = one_index(s, index);
    if (!indices) return tirbi_value_error();
    if (!tirbi_lanes_equal(tirbi_lanes_of(type), tirbi_lanes_of(index->dtype)))
        return tirbi_fail(s, TIRB_TYPE, span, "a load of %s needs an index of as many lanes, not %s",
                          tirb_datatype_text(type, left), tirb_datatype_text(index->dtype, right));
    const tirb_buffer *buffer = pointee(s, span, pointer, tirbi_type_element(type));
    if (!buffer) return tirbi_value_error();
    if (predicate && is_true(predicate)) predicate = NULL;
    return tirbi_value_expr(tirbi_make_load(&s->builder, span, buffer, indices, 1, predicate));
}

void tirbi_pointer_store(tirbi_script *s, tirbi_span span, const tirb_expr *pointer, const tirb_expr *index,
                         const tirb_expr *value, const tirb_expr *predicate) {
    const tirb_expr *const *indices = pointer && value ? one_index(s, index) : NULL;
    if (!indices) return;
    const tirb_buffer *buffer = pointee(s, span, pointer, tirbi_type_element(value->dtype));
    if (!buffer) return;
    if (predicate && is_true(predicate)) predicate = NULL;
    tirbi_emit_store(&s->builder, span, buffer, value, indices, 1, predicate);
}

/* The pointer that an argument is: a handle or a buffer's data. */
static const tirb_expr *pointer_of(tirbi_script *s, const tirbi_call *c, int i) {
    char text[32];
    const tirb_expr *e = arg(s, c, i);
    if (!e || tirbi_type_is_handle(e->dtype)) return e;
    tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, e), "expected a pointer, not a value of type %s",
               tirb_datatype_text(e->dtype, text));
    return NULL;
}

tirbi_value tirbi_deprecated_load(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    if (!tirbi_to_dtype(s, &c->args[0], &type)) return tirbi_value_error();
    const tirb_expr *pointer = pointer_of(s, c, 1), *index = arg(s, c, 2);
    const tirb_expr *predicate = tirbi_given(&c->args[3]) ? arg(s, c, 3) : NULL;
    if (tirbi_given(&c->args[3]) && !predicate) return tirbi_value_error();
    return tirbi_pointer_load(s, c->node->span, pointer, type, index, predicate);
}

tirbi_value tirbi_deprecated_store(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *pointer = pointer_of(s, c, 0), *index = arg(s, c, 1), *value = arg(s, c, 2);
    const tirb_expr *predicate = tirbi_given(&c->args[3]) ? arg(s, c, 3) : NULL;
    if (tirbi_given(&c->args[3]) && !predicate) return tirbi_value_error();
    tirbi_pointer_store(s, c->node->span, pointer, index, value, predicate);
    return tirbi_value_none();
}

/* ---- Loops ------------------------------------------------------------------------------------------------------ */

/* A range from 0 has its end as it is written for its extent; others have a difference, which is simplified. */
static void drop_zero(tirbi_value bounds[2]) {
    if (bounds[0].kind != TIRBI_VALUE_INT || bounds[0].as.integer != 0 || !tirbi_given(&bounds[1])) return;
    bounds[0] = bounds[1];
    bounds[1] = (tirbi_value){.kind = TIRBI_VALUE_MISSING};
}

static tirbi_value range(tirbi_script *s, const tirbi_call *c) {
    static const struct {
        const char *name, *entry;
    } kinds[] = {{"serial", "serial"},     {"parallel", "parallel"}, {"vectorized", "vectorized"},
                 {"vectorize", "vectorized"}, {"unroll", "unroll"},     {"unrolled", "unroll"},
                 {"Unrolled", "unroll"}};
    const char *kind = "serial";
    if (!tirbi_given(&c->args[1]))
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "tir.range misses the argument `end`: tir.range(begin, end)");
    if (tirbi_given(&c->args[2]) && !tirbi_to_text(s, &c->args[2], "the kind of a loop", &kind))
        return tirbi_value_error();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        tirbi_value args[8] = {c->args[0], c->args[1]};
        tirbi_call bounds = *c;
        if (strcmp(kinds[i].name, kind) != 0) continue;
        drop_zero(args);
        bounds.args = args;
        return as_usual(s, &bounds, kinds[i].entry);
    }
    return tirbi_fail(s, TIRB_VALUE, c->node->span,
                      "unknown kind of loop \"%s\"; it is \"serial\", \"parallel\", \"vectorized\" or \"unroll\"",
                      kind);
}

/* ---- Blocks ----------------------------------------------------------------------------------------------------- */

/* tir.range, tir.reduce_axis and the like as the domain of an axis: begin and end. */
static tirbi_value axis_range(tirbi_script *s, const tirbi_call *c) {
    tirbi_call bounds = *c;
    tirbi_value args[8] = {c->args[0], c->args[1]};
    drop_zero(args);
    bounds.args = args;
    tirbi_value v = as_usual(s, &bounds, "Range");
    v.axis = (uint8_t)c->entry->data;
    return v;
}

/* tir.block([domains], "name"), whose `as` names the iterators, or tir.block("name") with axes inside. */
static tirbi_value block(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *axes = &c->args[0];
    tirbi_call usual = *c;
    tirbi_value args[2] = {c->args[0], c->args[2]};
    usual.args = args;
    if (axes->kind == TIRBI_VALUE_DICT)
        return tirbi_fail(s, TIRB_UNSUPPORTED, c->node->span,
                          "a block whose iterators are a dictionary: write tir.block([16, 16], \"name\") as [vi, vj]");
    if (axes->kind == TIRBI_VALUE_STRING || axes->kind == TIRBI_VALUE_MISSING) {
        if (c->args[1].kind == TIRBI_VALUE_BOOL) args[1] = c->args[1];
        return as_usual(s, &usual, "block");
    }
    args[0] = c->args[1];
    tirbi_value v = as_usual(s, &usual, "block");
    if (tirbi_is_error(&v)) return v;
    bool several = axes->kind == TIRBI_VALUE_TUPLE;
    v.as.form->n_axes = several ? axes->as.sequence.n : 1;
    tirbi_value *copy = TIRBI_NEW_ARRAY(s->arena, tirbi_value, v.as.form->n_axes);
    if (!copy) return tirbi_value_error();
    for (uint32_t i = 0; i < v.as.form->n_axes; i++) copy[i] = several ? axes->as.sequence.items[i] : *axes;
    v.as.form->axes = copy;
    return v;
}

/* A domain: a number of iterations from 0 on, a loop's range, or a range with the type of its axis. */
static bool read_domain(tirbi_script *s, const tirbi_value *v, tirb_range *out) {
    if (v->kind == TIRBI_VALUE_RANGE) {
        *out = v->as.range;
    } else if (v->kind == TIRBI_VALUE_FORM && v->as.form->kind == TIRBI_FORM_LOOPS && v->as.form->n_stmts == 1) {
        *out = (tirb_range){v->as.form->stmts[0]->as.for_.min, v->as.form->stmts[0]->as.for_.extent};
    } else {
        out->extent = tirbi_to_expr(s, v);
        out->min = out->extent ? tirbi_make_int(&s->builder, out->extent->span, out->extent->dtype, 0) : NULL;
    }
    if (!out->min || !out->extent) return false;
    if (tirbi_type_is_int(out->extent->dtype) && out->extent->dtype.lanes == 1) return true;
    tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, out->extent),
               "the domain of an iterator must be a scalar integer");
    return false;
}

static const tirbi_node *axis_name(const tirbi_form *form, const tirbi_node *target, uint32_t i) {
    const tirbi_node *name = target;
    bool listed = target->kind == TIRBI_NODE_TUPLE || target->kind == TIRBI_NODE_LIST;
    if (listed ? target->n_items != form->n_axes : form->n_axes != 1) return NULL;
    if (listed) name = target->items[i];
    return name->kind == TIRBI_NODE_NAME ? name : NULL;
}

void tirbi_block_axes(tirbi_script *s, const tirbi_form *form, const tirbi_node *target, tirbi_span span) {
    tirbi_frame *frame = tirbi_frame_top(&s->builder);
    for (uint32_t i = 0; i < form->n_axes; i++) {
        const tirbi_node *name = target ? axis_name(form, target, i) : NULL;
        tirb_range domain;
        if (!name) {
            tirbi_fail(s, TIRB_TYPE, span, "a block with %u iterator%s needs their names: as [..]", form->n_axes,
                       form->n_axes == 1 ? "" : "s");
            return;
        }
        bool good = read_domain(s, &form->axes[i], &domain);
        const tirb_expr *var = good ? tirbi_make_var(&s->builder, name->span, name->name,
                                                     tirbi_prim_type(domain.extent->dtype))
                                    : NULL;
        tirbi_bind(s, name->name, name->span, tirbi_value_expr(var));
        tirb_itervar *iter = var ? TIRBI_LIST_ADD(s->arena, &frame->iters, tirb_itervar) : NULL;
        const tirb_expr **value = iter ? TIRBI_LIST_ADD(s->arena, &frame->values, const tirb_expr *) : NULL;
        if (!value) continue;
        domain.min = tirbi_make_cast(&s->builder, domain.min->span, var->dtype, domain.min);
        *iter =
            (tirb_itervar){.dom = domain, .var = var, .type = (tirb_itervar_type)form->axes[i].axis, .thread_tag = ""};
    }
}

/* tir.bind(iterator, value); of anything else it is T.bind. */
static tirbi_value bind(tirbi_script *s, const tirbi_call *c) {
    tirbi_frame *frame = tirbi_frame_top(&s->builder);
    const tirb_itervar *iters = frame ? frame->iters.items : NULL;
    const tirb_expr **values = frame ? frame->values.items : NULL;
    for (uint32_t i = 0; frame && frame->kind == TIRBI_FRAME_BLOCK && i < frame->iters.n; i++) {
        if (c->args[0].kind != TIRBI_VALUE_EXPR || c->args[0].as.expr != iters[i].var) continue;
        if (values[i])
            return tirbi_fail(s, TIRB_TYPE, c->node->span, "`%s` is bound already", iters[i].var->as.var.name);
        values[i] = tirbi_to_typed(s, &c->args[1], iters[i].var->dtype);
        return values[i] ? tirbi_value_none() : tirbi_value_error();
    }
    return as_usual(s, c, "bind");
}

/* The first frame of those between the one at `last` and the block or function around it; counts the loops. */
static uint32_t loops_around(const tirbi_script *s, uint32_t last, uint32_t *n_loops) {
    const tirbi_frame *frames = s->builder.frames.items;
    *n_loops = 0;
    while (last > 0 && frames[last - 1].kind != TIRBI_FRAME_BLOCK && frames[last - 1].kind != TIRBI_FRAME_FUNCTION)
        *n_loops += frames[--last].kind == TIRBI_FRAME_FOR;
    return last;
}

uint32_t tirbi_open_block_loops(tirbi_script *s, const tirbi_form *form, tirbi_span span) {
    uint32_t n_loops, n = 0;
    loops_around(s, s->builder.frames.n, &n_loops);
    if (n_loops > 0 || !tirbi_classic(s)) return 0;
    for (; n < form->n_axes; n++) {
        tirb_range domain;
        tirb_stmt *loop =
            read_domain(s, &form->axes[n], &domain) ? tirbi_make_stmt(&s->builder, span, TIRB_STMT_FOR) : NULL;
        const char *name = tirbi_arena_format(s->arena, "i%u", (unsigned)n);
        if (!loop || !name) break;
        tirb_datatype type = domain.extent->dtype;
        loop->as.for_.var = tirbi_make_var(&s->builder, span, name, tirbi_prim_type(type));
        loop->as.for_.min = tirbi_make_cast(&s->builder, span, type, domain.min);
        loop->as.for_.extent = domain.extent;
        loop->as.for_.kind = TIRB_FOR_SERIAL;
        if (!loop->as.for_.var || !loop->as.for_.min || !tirbi_frame_push(&s->builder, TIRBI_FRAME_FOR, loop, span))
            break;
    }
    return n;
}

void tirbi_close_block_loops(tirbi_script *s, uint32_t n, bool used) {
    for (uint32_t i = 0; i < n; i++) tirbi_frame_pop(&s->builder);
    tirbi_frame *frame = tirbi_frame_top(&s->builder);
    if (n == 0 || used || !frame || frame->items.n == 0) return;
    tirb_stmt **last = (tirb_stmt **)frame->items.items + frame->items.n - 1;
    for (const tirb_stmt *inner = *last; n > 0 && inner && inner->kind == TIRB_STMT_FOR; n--) {
        inner = inner->as.for_.body;
        if (n == 1) *last = (tirb_stmt *)inner;
    }
}

bool tirbi_block_bindings(tirbi_script *s, tirbi_frame *frame) {
    const tirbi_frame *frames = s->builder.frames.items;
    const tirb_expr **values = frame->values.items;
    const tirb_itervar *iters = frame->iters.items;
    uint32_t n_open = 0, n_loops, first = loops_around(s, s->builder.frames.n - 1, &n_loops);
    for (uint32_t i = 0; i < frame->values.n; i++) n_open += !values[i];
    if (n_open == 0 || frame->block->no_realize || !tirbi_classic(s)) return false;
    if (n_open != frame->values.n || n_loops != n_open) {
        uint32_t i = 0;
        while (values[i]) i++;
        tirbi_fail(s, TIRB_TYPE, frame->span, "the iterator `%s` of the block needs a tir.bind",
                   iters[i].var->as.var.name);
        return false;
    }
    for (uint32_t i = 0; i < n_open; first++) {
        if (frames[first].kind == TIRBI_FRAME_FOR) values[i++] = frames[first].stmt->as.for_.var;
    }
    return true;
}

/* ---- Scopes ----------------------------------------------------------------------------------------------------- */

static const char *noted_scope(const tirbi_script *s, const tirb_expr *pointer) {
    const tirbi_scope_note *notes = s->scope_notes.items;
    for (uint32_t i = s->scope_notes.n; i > 0; i--)
        if (notes[i - 1].pointer == pointer) return notes[i - 1].scope;
    return "global";
}

static bool is_param_buffer(const tirbi_script *s, const tirb_buffer *buffer) {
    for (uint32_t i = 0; s->function && i < s->function->ir->n_params; i++)
        if (s->function->buffers[i] == buffer) return true;
    return false;
}

/* An attribute that gives a storage scope to a declaration behind it belongs to that declaration. */
static bool note_scope(tirbi_script *s, const tirbi_call *c, const char *key, tirbi_value *out) {
    const tirbi_value *node = &c->args[0];
    bool storage = strcmp(key, "storage_scope") == 0 && node->kind == TIRBI_VALUE_EXPR &&
                   node->as.expr->kind == TIRB_EXPR_VAR && frame_of(&s->builder, node->as.expr) == 0 &&
                   !frame_declares(s->builder.frames.items, node->as.expr);
    bool realize = strcmp(key, "realize_scope") == 0 && node->kind == TIRBI_VALUE_BUFFER;
    const char *scope;
    if (!storage && !realize) return false;
    *out = tirbi_value_error();
    if (!tirbi_to_text(s, &c->args[2], "the storage scope", &scope)) return true;
    tirbi_scope_note *slot = TIRBI_LIST_ADD(s->arena, &s->scope_notes, tirbi_scope_note);
    if (slot) *slot = (tirbi_scope_note){storage ? node->as.expr : node->as.buffer->data, scope};
    *out = tirbi_value_form(s, TIRBI_FORM_SCOPE);
    return true;
}

static tirbi_value attr(tirbi_script *s, const tirbi_call *c) {
    const char *key;
    tirbi_value v;
    if (c->args[0].kind == TIRBI_VALUE_DICT) return as_usual(s, c, "attr");
    if (!tirbi_to_text(s, &c->args[1], "the key", &key)) return tirbi_value_error();
    if (note_scope(s, c, key, &v)) return v;
    if (c->args[0].kind != TIRBI_VALUE_TUPLE) return as_usual(s, c, "attr");
    /* A list of buffers is kept as the tuple of their pointers. */
    uint32_t n = c->args[0].as.sequence.n;
    const tirb_expr **pointers = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, n);
    if (!pointers) return tirbi_value_error();
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_value *item = &c->args[0].as.sequence.items[i];
        pointers[i] = item->kind == TIRBI_VALUE_BUFFER ? item->as.buffer->data : tirbi_to_expr(s, item);
        if (!pointers[i]) return tirbi_value_error();
    }
    tirbi_value args[3] = {tirbi_value_expr(tirbi_make_call(&s->builder, c->node->span, tirbi_type_handle,
                                                            TIRB_BUILTIN_TVM_TUPLE, pointers, n)),
                           c->args[1], c->args[2]};
    tirbi_call usual = *c;
    usual.args = args;
    return as_usual(s, &usual, "attr");
}

/* What is realized: buffer[begin:end, ..], or a buffer and a list of its ranges. */
static bool realized_region(tirbi_script *s, const tirbi_call *c, bool listed, tirb_buffer_region *region) {
    if (!tirbi_to_region(s, &c->args[0], region) || !listed) return !listed && region->buffer;
    const uint32_t n = c->args[1].as.sequence.n;
    if (n != region->buffer->ndim) {
        tirbi_fail(s, TIRB_TYPE, c->node->span, "`%s` is %u-dimensional and is realized over %u ranges",
                   region->buffer->name, region->buffer->ndim, n);
        return false;
    }
    tirb_range *ranges = TIRBI_NEW_ARRAY(s->arena, tirb_range, n);
    for (uint32_t i = 0; ranges && i < n; i++)
        if (!read_domain(s, &c->args[1].as.sequence.items[i], &ranges[i])) return false;
    region->region = ranges;
    return ranges != NULL;
}

/* realize(buffer[begin:end, ..], "scope", condition); the first version has no scope. */
tirbi_value tirbi_realize(tirbi_script *s, const tirbi_call *c) {
    tirb_buffer_region region = {.buffer = NULL};
    const tirbi_value *condition = &c->args[2];
    const char *scope = NULL;
    const bool listed = c->args[0].kind == TIRBI_VALUE_BUFFER && c->args[1].kind == TIRBI_VALUE_TUPLE;
    if (!realized_region(s, c, listed, &region)) return tirbi_value_error();
    if (listed)
        scope = NULL;
    else if (c->args[1].kind == TIRBI_VALUE_STRING)
        scope = c->args[1].as.string.text;
    else if (tirbi_given(&c->args[1]))
        condition = &c->args[1];
    tirb_stmt *stmt = tirbi_make_stmt(&s->builder, c->node->span, TIRB_STMT_BUFFER_REALIZE);
    if (!stmt) return tirbi_value_error();
    if (tirbi_given(condition)) {
        const tirb_expr *e = tirbi_to_typed(s, condition, tirbi_type_bool);
        if (!e) return tirbi_value_error();
        stmt->as.realize.condition = tirbi_is_const_int(e, 1) ? NULL : e;
    }
    if (!scope) scope = noted_scope(s, region.buffer->data);
    if (!is_param_buffer(s, region.buffer) && *scope) {
        ((tirb_buffer *)(uintptr_t)region.buffer)->scope = scope;
        ((tirb_expr *)(uintptr_t)region.buffer->data)->as.var.type.scope = scope;
    }
    stmt->as.realize.buffer = region.buffer;
    stmt->as.realize.bounds = region.region;
    return tirbi_value_scope(s, stmt, tirbi_value_none());
}

/* tir.var("handle"), or tir.var(name_hint="p", dtype="handle") where no assignment names it. */
static tirbi_value variable(tirbi_script *s, const tirbi_call *c) { return as_usual(s, c, "var"); }

/* tir.allocate(pointer, "dtype", [extents], condition) of the first version, whose pointer is declared by tir.var. */
static tirbi_value allocate(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    const tirb_expr *const *shape, *condition = NULL;
    uint32_t n;
    const tirbi_value *first = &c->args[0];
    if (first->kind != TIRBI_VALUE_EXPR || !tirbi_type_is_handle(first->as.expr->dtype))
        return as_usual(s, c, "allocate");
    tirb_expr *pointer = (tirb_expr *)(uintptr_t)first->as.expr;
    if (pointer->kind != TIRB_EXPR_VAR || pointer->as.var.data_of)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "tir.allocate needs a pointer from tir.var(\"handle\")");
    if (!tirbi_to_dtype(s, &c->args[1], &type) || !tirbi_to_exprs(s, &c->args[2], &shape, &n))
        return tirbi_value_error();
    if (tirbi_given(&c->args[3]) && !(condition = tirbi_to_typed(s, &c->args[3], tirbi_type_bool)))
        return tirbi_value_error();
    const char *scope = noted_scope(s, pointer);
    tirb_buffer *buffer =
        tirbi_make_buffer(&s->builder, c->node->span, pointer->as.var.name, type, shape, n, *scope ? scope : "global");
    if (!buffer) return tirbi_value_error();
    buffer->data = pointer;
    pointer->as.var.type = tirbi_pointer_type(type, buffer->scope);
    pointer->as.var.data_of = buffer;
    tirbi_value v = tirbi_allocate_scope(s, c->node->span, buffer);
    if (tirbi_is_error(&v)) return v;
    v.as.form->stmts[0]->as.allocate.condition = condition && tirbi_is_const_int(condition, 1) ? NULL : condition;
    v.as.form->result = tirbi_value_none();
    return v;
}

/* tir.let(variable, value), or as an expression tir.let(variable, value, body). */
static tirbi_value let(tirbi_script *s, const tirbi_call *c) {
    if (!tirbi_given(&c->args[2])) return as_usual(s, c, "let");
    const tirb_expr *var = arg(s, c, 0), *body = arg(s, c, 2);
    const tirb_expr *value = var ? tirbi_to_typed(s, &c->args[1], var->dtype) : NULL;
    if (var && var->kind != TIRB_EXPR_VAR)
        return tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, var), "only a variable can be bound");
    return tirbi_value_expr(tirbi_make_let(&s->builder, c->node->span, var, value, body));
}

/* ---- Values ----------------------------------------------------------------------------------------------------- */

/* tir.cast("dtype", value) of the first version, tir.cast(value, "dtype") of later ones. */
static tirbi_value cast(tirbi_script *s, const tirbi_call *c) {
    tirbi_value args[2] = {c->args[0], c->args[1]};
    tirbi_call usual = *c;
    usual.args = args;
    if (args[0].kind == TIRBI_VALUE_STRING || args[0].kind == TIRBI_VALUE_DTYPE) {
        args[0] = c->args[1];
        args[1] = c->args[0];
    }
    return as_usual(s, &usual, "cast");
}

static tirbi_value alias(tirbi_script *s, const tirbi_call *c) {
    static const char *const names[] = {"Select", "Shuffle"};
    return as_usual(s, c, names[c->entry->data]);
}

/* A name of LLVM in place of its number. */
static tirbi_value lookup_intrinsic(tirbi_script *s, const tirbi_call *c) {
    const char *name;
    if (!tirbi_to_text(s, &c->args[0], "the name of the intrinsic", &name)) return tirbi_value_error();
    return c->args[0];
}

/* tir.name(args.., dtype="float32"): the type stands last, by its name. The order of TVMScript is read as well. */
static tirbi_value typed_call(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    const tirb_expr *const *args;
    uint32_t n;
    tirbi_value all = c->args[0];
    const tirbi_value *dtype = &c->args[1];
    if (!tirbi_given(dtype)) {
        const tirbi_value *first = all.as.sequence.n ? &all.as.sequence.items[0] : NULL;
        bool leads = first && (first->kind == TIRBI_VALUE_DTYPE ||
                               (first->kind == TIRBI_VALUE_STRING &&
                                tirb_datatype_from_text(first->as.string.text, first->as.string.size, &type)));
        if (!leads)
            return tirbi_fail(s, TIRB_TYPE, c->node->span, "tir.%s needs its type: dtype=\"..\"", c->entry->name);
        dtype = first;
        all.as.sequence.items++;
        all.as.sequence.n--;
    }
    tirb_builtin builtin = (tirb_builtin)c->entry->data;
    bool external = builtin == TIRB_BUILTIN_CALL_EXTERN || builtin == TIRB_BUILTIN_CALL_PURE_EXTERN;
    const tirb_buffer_region *passed = external ? tirbi_named_buffers(s, &all) : NULL;
    if (!tirbi_to_dtype(s, dtype, &type) || !tirbi_to_exprs(s, &all, &args, &n)) return tirbi_value_error();
    int arity = tirb_builtins[builtin].arity;
    if (arity >= 0 && n != (uint32_t)arity)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "tir.%s takes %d argument%s, %u given", c->entry->name, arity,
                          arity == 1 ? "" : "s", n);
    if (external && tirbi_is_c_function(type, args, n))
        return tirbi_value_expr(tirbi_make_c_call(&s->builder, c->node->span, type, builtin, args, n));
    return tirbi_value_expr(tirbi_make_passing_call(&s->builder, c->node->span, type, builtin, args, passed, n));
}

const tirbi_entry *tirbi_builtin_entry(tirbi_script *s, const char *name) {
    for (int i = 0; i < TIRB_N_BUILTINS; i++) {
        bool spaced = strncmp(tirb_builtins[i].name, "tirx.", 5) == 0;
        if (strcmp(tirb_builtins[i].name + (spaced ? 5 : 0), name) != 0) continue;
        tirbi_entry *entry = TIRBI_NEW(s->arena, tirbi_entry);
        if (entry) *entry = (tirbi_entry){tirb_builtins[i].name, typed_call, "*args dtype?", i};
        return entry;
    }
    return NULL;
}

static const tirbi_entry block_names[] = {
    {"block", block, "axes? name? no_realize?", 0},
    {"bind", bind, "iter_var value? var?", 0},
    {"reduce_axis", axis_range, "begin end?", TIRB_ITER_COMM_REDUCE},
    {"scan_axis", axis_range, "begin end?", TIRB_ITER_ORDERED},
    {"opaque_axis", axis_range, "begin end?", TIRB_ITER_OPAQUE},
};

const tirbi_entry *tirbi_block_entry(const char *name) {
    for (size_t i = 0; i < sizeof block_names / sizeof *block_names; i++)
        if (strcmp(block_names[i].name, name) == 0) return &block_names[i];
    return NULL;
}

const tirbi_entry tirbi_hybrid_names[] = {
    {"load", tirbi_deprecated_load, "dtype var index predicate?", 0},
    {"store", tirbi_deprecated_store, "var index value predicate?", 0},
    {"range", range, "begin end? for_type?", 0},
    {"var", variable, "dtype? name_hint?", 0},
    {"attr", attr, "node attr_key? value?", 0},
    {"allocate", allocate, "extents dtype? scope? condition? annotations?", 0},
    {"let", let, "var value body?", 0},
    {"cast", cast, "value dtype", 0},
    {"select", alias, "condition true_value false_value", 0},
    {"shuffle", alias, "vectors indices", 1},
    {"llvm_lookup_intrinsic_id", lookup_intrinsic, "name", 0},
    {"reinterpret", typed_call, "*args dtype?", TIRB_BUILTIN_REINTERPRET},
    {"vectorlow", typed_call, "*args dtype?", TIRB_BUILTIN_VECTORLOW},
    {"vectorhigh", typed_call, "*args dtype?", TIRB_BUILTIN_VECTORHIGH},
    {"vectorcombine", typed_call, "*args dtype?", TIRB_BUILTIN_VECTORCOMBINE},
    {"call_extern", typed_call, "*args dtype?", TIRB_BUILTIN_CALL_EXTERN},
    {"call_pure_extern", typed_call, "*args dtype?", TIRB_BUILTIN_CALL_PURE_EXTERN},
    {"call_llvm_intrin", typed_call, "*args dtype?", TIRB_BUILTIN_CALL_LLVM_INTRIN},
    {"call_llvm_pure_intrin", typed_call, "*args dtype?", TIRB_BUILTIN_CALL_LLVM_PURE_INTRIN},
    {"get_active_lane_mask", typed_call, "*args dtype?", TIRB_BUILTIN_GET_ACTIVE_LANE_MASK},
    {"vscale", typed_call, "*args dtype?", TIRB_BUILTIN_VSCALE},
    {NULL, NULL, NULL, 0},
};
