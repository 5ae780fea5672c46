/* The rules of the specification, "Typing Rules for Statements", and what each statement binds. */
#include <string.h>

#include "compiler/check/checker.h"

/* ---- Simple statements ---------------------------------------------------------------------------------------- */

static void check_let(tirbi_checker *c, const tirb_stmt *s) {
    const tirb_expr *var = s->as.let.var;
    const tirb_expr *value = s->as.let.value;
    tirbi_check_expr(c, value);
    if (var->as.var.type.kind == TIRB_TYPE_POINTER) {
        if (value->dtype.code != TIRB_CODE_HANDLE || value->dtype.bits == 0) {
            tirbi_report_error(c->diagnostics, TIRB_TYPE, tirbi_check_place(c, value),
                               "pointer '%s' is bound to %s, expected a handle", var->as.var.name,
                               tirbi_check_text(value->dtype).text);
        }
    } else {
        tirbi_check_same_type(c, tirbi_check_place(c, value), "the value of a let", value->dtype, var->dtype);
    }
    tirbi_check_bind_var(c, var, s->span);
    tirbi_check_stmt(c, s->as.let.body);
    tirbi_check_leave_var(c, var);
}

static void check_attr(tirbi_checker *c, const tirb_stmt *s) {
    const tirb_itervar *thread = s->as.attr.thread;
    if (s->as.attr.value != NULL) tirbi_check_expr(c, s->as.attr.value);
    if (thread != NULL) tirbi_check_bind_thread(c, thread->var, s->span);
    tirbi_check_stmt(c, s->as.attr.body);
    if (thread != NULL) tirbi_check_leave_var(c, thread->var);
}

static void check_assert(tirbi_checker *c, const tirb_stmt *s) {
    const tirb_expr *message = s->as.assert_.message;
    tirbi_check_expr(c, s->as.assert_.condition);
    tirbi_check_bool_scalar(c, s->as.assert_.condition, "the condition of an assertion");
    if (message != NULL) {
        tirb_datatype int32 = {TIRB_CODE_INT, 32, 1, false};
        tirbi_check_expr(c, message);
        if (message->kind != TIRB_EXPR_STRING_IMM && !tirb_datatype_equal(message->dtype, int32)) {
            tirbi_report_error(c->diagnostics, TIRB_TYPE, message->span,
                               "the message of an assertion must be a string or int32, found %s",
                               tirbi_check_text(message->dtype).text);
        }
    }
    tirbi_check_stmt(c, s->as.assert_.body);
}

static void check_store(tirbi_checker *c, const tirb_stmt *s) {
    const tirb_buffer *buffer = s->as.store.buffer;
    tirbi_check_expr(c, s->as.store.value);
    tirbi_check_use_buffer(c, buffer, s->span);
    tirb_datatype type;
    if (!tirbi_check_indices(c, s->span, buffer, s->as.store.indices, s->as.store.n_indices, &type)) return;
    tirbi_check_same_type(c, tirbi_check_place(c, s->as.store.value), "the value of a store", s->as.store.value->dtype,
                          type);
    tirbi_check_predicate(c, s->as.store.predicate, type);
}

static void check_if(tirbi_checker *c, const tirb_stmt *s) {
    tirbi_check_expr(c, s->as.if_.condition);
    const tirb_expr *condition = s->as.if_.condition;
    if (tirbi_check_is_int(condition->dtype) && condition->dtype.lanes == 1)
        tirbi_report_warning(c->diagnostics, tirbi_check_place(c, condition),
                             "the condition is of type %s, which TVM reads and does not compile: write `!= 0`",
                             tirbi_check_text(condition->dtype).text);
    else
        tirbi_check_bool_scalar(c, condition, "the condition of If");
    tirbi_check_stmt(c, s->as.if_.then_case);
    tirbi_check_stmt(c, s->as.if_.else_case);
}

static void check_return(tirbi_checker *c, const tirb_stmt *s, const tirb_expr *value) {
    if (value == NULL) {
        c->returns_nothing = true;
        return;
    }
    tirbi_check_expr(c, value);
    if (c->returned == NULL) c->returned = value;
    tirbi_check_same_type(c, s->span, "the returned value", value->dtype, c->returned->dtype);
}

static void check_evaluate(tirbi_checker *c, const tirb_stmt *s) {
    const tirb_expr *e = s->as.evaluate.value;
    bool is_builtin = e->kind == TIRB_EXPR_CALL && e->as.call.function_name == NULL && e->as.call.function == NULL;
    if (is_builtin && e->as.call.builtin == TIRB_BUILTIN_RET && e->as.call.n_args == 1) {
        check_return(c, s, e->as.call.args[0]);
        return;
    }
    tirbi_check_expr(c, e);
}

static void check_jump(tirbi_checker *c, const tirb_stmt *s) {
    if (c->n_loops > 0) return;
    tirbi_report_error(c->diagnostics, TIRB_TYPE, s->span, "%s outside a loop",
                       s->kind == TIRB_STMT_BREAK ? "break" : "continue");
}

/* ---- Memory --------------------------------------------------------------------------------------------------- */

static void check_pointee(tirbi_checker *c, const tirb_buffer *buffer) {
    tirb_datatype element = buffer->data->as.var.type.dtype;
    bool bytes = element.code == TIRB_CODE_INT && element.bits == 8 && tirbi_check_is_bool(buffer->dtype);
    if (buffer->data->as.var.type.kind != TIRB_TYPE_POINTER || bytes) return;
    if (tirb_datatype_equal(element, buffer->dtype)) return;
    tirbi_report_error(c->diagnostics, TIRB_TYPE, buffer->span, "the data of buffer '%s' points to %s, expected %s",
                       buffer->name, tirbi_check_text(element).text, tirbi_check_text(buffer->dtype).text);
}

static void check_new_buffer(tirbi_checker *c, const tirb_buffer *buffer) {
    tirbi_check_buffer_exprs(c, buffer);
    tirbi_check_buffer_type(c, buffer);
    check_pointee(c, buffer);
    tirbi_check_bind_buffer(c, buffer, false);
}

static void check_allocate(tirbi_checker *c, const tirb_stmt *s) {
    const tirb_buffer *buffer = s->as.allocate.buffer;
    if (s->as.allocate.condition != NULL) {
        tirbi_check_expr(c, s->as.allocate.condition);
        tirbi_check_bool_scalar(c, s->as.allocate.condition, "the condition of an allocation");
    }
    check_new_buffer(c, buffer);
    tirbi_check_stmt(c, s->as.allocate.body);
    tirbi_check_leave_buffer(c, buffer, false);
}

/* A view: of data that is bound already, or of a pointer expression that its own data variable is bound to. */
static void check_declare(tirbi_checker *c, const tirb_stmt *s) {
    const tirb_buffer *buffer = s->as.decl.buffer;
    bool shares = s->as.decl.source == NULL;
    if (shares) {
        tirbi_check_use_var(c, buffer->data, s->span);
    } else {
        tirbi_check_expr(c, s->as.decl.source);
        if (s->as.decl.source->dtype.code != TIRB_CODE_HANDLE) {
            tirbi_report_error(c->diagnostics, TIRB_TYPE, s->as.decl.source->span,
                               "buffer '%s' is declared over %s, expected a handle", buffer->name,
                               tirbi_check_text(s->as.decl.source->dtype).text);
        }
    }
    tirbi_check_buffer_exprs(c, buffer);
    tirbi_check_buffer_type(c, buffer);
    tirbi_check_bind_buffer(c, buffer, shares);
    tirbi_check_stmt(c, s->as.decl.body);
    tirbi_check_leave_buffer(c, buffer, shares);
}

static void check_ranges(tirbi_checker *c, const tirb_range *ranges, uint32_t n, const char *what) {
    for (uint32_t i = 0; i < n; i++) {
        tirbi_check_expr(c, ranges[i].min);
        tirbi_check_int_scalar(c, ranges[i].min, what);
        if (ranges[i].extent == NULL) continue;
        tirbi_check_expr(c, ranges[i].extent);
        tirbi_check_int_scalar(c, ranges[i].extent, what);
    }
}

/* A variable that stands alone in the shape, strides or offset of a matched or realized buffer is bound by it. */
static void bind_matched(tirbi_checker *c, const tirb_expr *e) {
    if (e == NULL || e->kind != TIRB_EXPR_VAR || c->vars[e->as.var.id] != TIRBI_SCOPE_NEW) return;
    tirbi_check_bind_var(c, e, e->span);
    c->kinds[e->as.var.id] = TIRBI_VAR_MATCHED;
}

static void leave_matched_var(tirbi_checker *c, const tirb_expr *e) {
    if (e != NULL && e->kind == TIRB_EXPR_VAR && c->kinds[e->as.var.id] == TIRBI_VAR_MATCHED) {
        tirbi_check_leave_var(c, e);
    }
}

static void check_realize(tirbi_checker *c, const tirb_stmt *s) {
    const tirb_buffer *buffer = s->as.realize.buffer;
    if (s->as.realize.bounds != NULL) check_ranges(c, s->as.realize.bounds, buffer->ndim, "a bound of BufferRealize");
    if (s->as.realize.condition != NULL) {
        tirbi_check_expr(c, s->as.realize.condition);
        tirbi_check_bool_scalar(c, s->as.realize.condition, "the condition of BufferRealize");
    }
    /* A parameter's buffer has the caller's memory. */
    bool is_new = c->buffers[buffer->id] != TIRBI_SCOPE_BOUND;
    if (!is_new) {
        tirbi_check_stmt(c, s->as.realize.body);
        return;
    }
    for (uint32_t i = 0; buffer->strides != NULL && i < buffer->ndim; i++) bind_matched(c, buffer->strides[i]);
    bind_matched(c, buffer->elem_offset);
    check_new_buffer(c, buffer);
    tirbi_check_stmt(c, s->as.realize.body);
    tirbi_check_leave_buffer(c, buffer, false);
    for (uint32_t i = 0; buffer->strides != NULL && i < buffer->ndim; i++) leave_matched_var(c, buffer->strides[i]);
    leave_matched_var(c, buffer->elem_offset);
}

/* ---- Loops ---------------------------------------------------------------------------------------------------- */

/* A bound is of the loop variable's type; a narrower constant is promoted. */
static void check_bound(tirbi_checker *c, const tirb_expr *bound, const tirb_expr *var, const char *what) {
    tirbi_check_expr(c, bound);
    if (!tirbi_check_int_scalar(c, bound, what) || tirb_datatype_equal(bound->dtype, var->dtype)) return;
    if (bound->kind == TIRB_EXPR_INT_IMM && bound->dtype.bits < var->dtype.bits) return;
    tirbi_report_error(c->diagnostics, TIRB_TYPE, bound->span, "%s is %s, expected %s as loop variable '%s'", what,
                       tirbi_check_text(bound->dtype).text, tirbi_check_text(var->dtype).text, var->as.var.name);
}

static void check_vectorized(tirbi_checker *c, const tirb_stmt *s) {
    const tirb_expr *min = s->as.for_.min;
    const tirb_expr *extent = s->as.for_.extent;
    if (min->kind != TIRB_EXPR_INT_IMM || min->as.int_value != 0) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, min->kind == TIRB_EXPR_VAR ? s->span : min->span,
                           "a vectorized loop must begin at 0");
    }
    tirbi_lanes lanes;
    if (!tirbi_lanes_of_expr(extent, &lanes) || lanes.n < 1) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, tirbi_check_place(c, extent),
                           "the extent of a vectorized loop must be a constant of 1 or more, or such a multiple of "
                           "T.vscale()");
    }
}

static void check_step(tirbi_checker *c, const tirb_expr *step) {
    if (step == NULL) return;
    tirbi_check_expr(c, step);
    if (!tirbi_check_int_scalar(c, step, "the step of a loop") || step->kind != TIRB_EXPR_INT_IMM) return;
    if (step->as.int_value == 0)
        tirbi_report_error(c->diagnostics, TIRB_VALUE, step->span, "the step of a loop is 0");
}

static void check_for(tirbi_checker *c, const tirb_stmt *s) {
    const tirb_expr *var = s->as.for_.var;
    bool vectorized = s->as.for_.kind == TIRB_FOR_VECTORIZED;
    check_bound(c, s->as.for_.min, var, "the begin of a loop");
    check_bound(c, s->as.for_.extent, var, "the extent of a loop");
    check_step(c, s->as.for_.step);
    if (!tirbi_check_is_int(var->dtype) || var->dtype.lanes != 1) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, s->span, "loop variable '%s' must be an integer scalar, found %s",
                           var->as.var.name, tirbi_check_text(var->dtype).text);
    }
    if (vectorized) check_vectorized(c, s);
    tirbi_check_bind_var(c, var, s->span);
    if (c->kinds[var->as.var.id] == TIRBI_VAR_PLAIN) c->kinds[var->as.var.id] = TIRBI_VAR_LOOP;
    c->blocks[var->as.var.id] = c->n_blocks;
    c->n_loops++;
    c->n_vectorized += vectorized;
    tirbi_check_stmt(c, s->as.for_.body);
    c->n_vectorized -= vectorized;
    c->n_loops--;
    tirbi_check_leave_var(c, var);
}

/* The specification wants a condition that is no constant; TVM prints `while True`. */
static void check_while(tirbi_checker *c, const tirb_stmt *s) {
    const tirb_expr *condition = s->as.while_.condition;
    bool condition_fits = tirbi_check_is_bool(condition->dtype) || tirbi_check_is_int(condition->dtype);
    tirbi_check_expr(c, condition);
    if (!condition_fits || condition->dtype.lanes != 1) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, tirbi_check_place(c, condition),
                           "the condition of While must be a bool or integer scalar, found %s",
                           tirbi_check_text(condition->dtype).text);
    } else if (condition->kind == TIRB_EXPR_INT_IMM) {
        tirbi_report_warning(c->diagnostics, tirbi_check_place(c, condition), "the condition of While is a constant");
    }
    if (c->n_vectorized > 0) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, s->span, "a while loop inside a vectorized loop");
    }
    c->n_loops++;
    tirbi_check_stmt(c, s->as.while_.body);
    c->n_loops--;
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */

static void check_iters(tirbi_checker *c, const tirb_stmt *s) {
    const tirb_block *block = s->as.block.block;
    for (uint32_t i = 0; i < block->n_iters; i++) {
        const tirb_itervar *iter = &block->iters[i];
        const char *name = iter->var->as.var.name;
        if (iter->dom.min != NULL) tirbi_check_expr(c, iter->dom.min);
        if (iter->dom.extent != NULL) {
            tirbi_check_expr(c, iter->dom.extent);
            if (iter->dom.extent->dtype.code != TIRB_CODE_INT ||
                !tirb_datatype_equal(iter->dom.extent->dtype, iter->var->dtype)) {
                tirbi_report_error(c->diagnostics, TIRB_TYPE, tirbi_check_place(c, iter->dom.extent),
                                   "the extent of axis '%s' is %s, expected the signed type %s of the axis", name,
                                   tirbi_check_text(iter->dom.extent->dtype).text,
                                   tirbi_check_text(iter->var->dtype).text);
            }
        }
        if (!tirbi_check_is_int(iter->var->dtype) || iter->var->dtype.lanes != 1) {
            tirbi_report_error(c->diagnostics, TIRB_TYPE, s->span, "axis '%s' must be an integer scalar, found %s",
                               name, tirbi_check_text(iter->var->dtype).text);
        }
        if (s->as.block.values == NULL) continue;
        tirbi_check_expr(c, s->as.block.values[i]);
        tirbi_check_int_scalar(c, s->as.block.values[i], "the value of a block axis");
    }
    if (s->as.block.values == NULL && block->n_iters > 0 && !block->no_realize) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, s->span, "block '%s' has %u axes and no values for them",
                           block->name, block->n_iters);
    }
}

static void check_regions(tirbi_checker *c, const tirb_buffer_region *regions, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        tirbi_check_use_buffer(c, regions[i].buffer, regions[i].buffer->span);
        check_ranges(c, regions[i].region, regions[i].buffer->ndim, "a bound of a region");
    }
}

static void bind_matched_vars(tirbi_checker *c, const tirb_buffer *buffer) {
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        bind_matched(c, buffer->shape[i]);
        bind_matched(c, buffer->strides != NULL ? buffer->strides[i] : NULL);
    }
    bind_matched(c, buffer->elem_offset);
}

static bool known_extent(const tirb_expr *e, int64_t *out) {
    if (e == NULL || e->kind != TIRB_EXPR_INT_IMM) return false;
    *out = e->as.int_value;
    return true;
}

static void check_match_shape(tirbi_checker *c, const tirb_match_buffer *match) {
    const tirb_buffer *buffer = match->buffer;
    uint32_t leading = match->source.buffer->ndim - buffer->ndim;
    for (uint32_t i = 0; i < match->source.buffer->ndim; i++) {
        int64_t found;
        int64_t expected = 1;
        if (!known_extent(match->source.region[i].extent, &found)) continue;
        if (i >= leading && !known_extent(buffer->shape[i - leading], &expected)) continue;
        if (found == expected) continue;
        tirbi_report_error(c->diagnostics, TIRB_TYPE, buffer->span,
                           "extent %u of the region that '%s' matches is %lld, expected %lld", i, buffer->name,
                           (long long)found, (long long)expected);
    }
}

static const char *scope_of(const tirb_buffer *buffer) {
    return buffer->scope == NULL || buffer->scope[0] == '\0' ? "global" : buffer->scope;
}

static void check_match(tirbi_checker *c, const tirb_match_buffer *match) {
    const tirb_buffer *buffer = match->buffer;
    const tirb_buffer *source = match->source.buffer;
    check_regions(c, &match->source, 1);
    bind_matched_vars(c, buffer);
    tirbi_check_buffer_exprs(c, buffer);
    tirbi_check_buffer_type(c, buffer);
    tirbi_check_bind_buffer(c, buffer, false);
    if (!tirb_datatype_equal(buffer->dtype, source->dtype)) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, buffer->span,
                           "'%s' has elements of type %s, its source '%s' of %s", buffer->name,
                           tirbi_check_text(buffer->dtype).text, source->name, tirbi_check_text(source->dtype).text);
    }
    if (strcmp(scope_of(buffer), scope_of(source)) != 0) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, buffer->span,
                           "'%s' has storage scope \"%s\", its source '%s' has \"%s\"", buffer->name, scope_of(buffer),
                           source->name, scope_of(source));
    }
    if (buffer->auto_broadcast || source->auto_broadcast) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, buffer->span, "'%s' matches a buffer of broadcast type",
                           buffer->name);
    }
    if (buffer->data_alignment > 0 && source->data_alignment % buffer->data_alignment != 0) {
        tirbi_report_warning(c->diagnostics, buffer->span,
                             "'%s' asks for an alignment of %d bytes, its source '%s' has %d", buffer->name,
                             (int)buffer->data_alignment, source->name, (int)source->data_alignment);
    }
    if (buffer->ndim > source->ndim) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, buffer->span,
                           "'%s' has %u dimensions, more than the %u of its source", buffer->name, buffer->ndim,
                           source->ndim);
    } else {
        check_match_shape(c, match);
    }
}

static void leave_matched(tirbi_checker *c, const tirb_buffer *buffer) {
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        leave_matched_var(c, buffer->shape[i]);
        leave_matched_var(c, buffer->strides != NULL ? buffer->strides[i] : NULL);
    }
    leave_matched_var(c, buffer->elem_offset);
    tirbi_check_leave_buffer(c, buffer, false);
}

static void check_block(tirbi_checker *c, const tirb_stmt *s) {
    const tirb_block *block = s->as.block.block;
    check_iters(c, s);
    for (uint32_t i = 0; i < block->n_iters; i++) tirbi_check_bind_var(c, block->iters[i].var, s->span);
    if (s->as.block.predicate != NULL) {
        tirbi_check_expr(c, s->as.block.predicate);
        tirbi_check_bool_scalar(c, s->as.block.predicate, "the predicate of a block");
    }
    for (uint32_t i = 0; i < block->n_allocs; i++) check_new_buffer(c, block->allocs[i]);
    for (uint32_t i = 0; i < block->n_matches; i++) check_match(c, &block->matches[i]);
    check_regions(c, block->reads, block->n_reads);
    check_regions(c, block->writes, block->n_writes);
    const tirb_block *outer = c->block;
    if (block->n_iters) c->block = block;
    c->n_blocks += block->n_iters != 0;
    tirbi_check_stmt(c, block->init);
    tirbi_check_stmt(c, block->body);
    c->n_blocks -= block->n_iters != 0;
    c->block = outer;
    for (uint32_t i = 0; i < block->n_matches; i++) leave_matched(c, block->matches[i].buffer);
    for (uint32_t i = 0; i < block->n_allocs; i++) tirbi_check_leave_buffer(c, block->allocs[i], false);
    for (uint32_t i = 0; i < block->n_iters; i++) tirbi_check_leave_var(c, block->iters[i].var);
}

/* ---- The statement switch ------------------------------------------------------------------------------------- */

void tirbi_check_stmt(tirbi_checker *c, const tirb_stmt *s) {
    if (s == NULL) return;
    const tirbi_span outer = c->at;
    c->at = s->span;
    switch (s->kind) {
    case TIRB_STMT_LET: check_let(c, s); break;
    case TIRB_STMT_ATTR: check_attr(c, s); break;
    case TIRB_STMT_ASSERT: check_assert(c, s); break;
    case TIRB_STMT_STORE: check_store(c, s); break;
    case TIRB_STMT_BUFFER_REALIZE: check_realize(c, s); break;
    case TIRB_STMT_ALLOCATE:
    case TIRB_STMT_ALLOCATE_CONST: check_allocate(c, s); break;
    case TIRB_STMT_DECL_BUFFER: check_declare(c, s); break;
    case TIRB_STMT_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) tirbi_check_stmt(c, s->as.seq.items[i]);
        break;
    case TIRB_STMT_IF: check_if(c, s); break;
    case TIRB_STMT_EVALUATE: check_evaluate(c, s); break;
    case TIRB_STMT_FOR: check_for(c, s); break;
    case TIRB_STMT_WHILE: check_while(c, s); break;
    case TIRB_STMT_BLOCK_REALIZE: check_block(c, s); break;
    case TIRB_STMT_RETURN: check_return(c, s, s->as.evaluate.value); break;
    case TIRB_STMT_BREAK:
    case TIRB_STMT_CONTINUE: check_jump(c, s); break;
    case TIRB_STMT_PREFETCH: tirbi_check_stmt(c, s->as.prefetch.body); break;
    }
    c->at = outer;
}
