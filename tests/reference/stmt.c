#include <string.h>

#include "compiler/ir/allreduce.h"
#include "compiler/ir/anylist.h"
#include "tests/reference/machine.h"
#include "tests/reference/packed.h"
#include "tests/reference/threads.h"
#include "tests/reference/value.h"

static tirbi_ref_flow failed(tirbi_ref_machine *m, tirb_status status, const char *what) {
    tirbi_ref_fail(m, status, "%s", what);
    return TIRBI_REF_FAILED;
}

static tirbi_ref_flow run_seq(tirbi_ref_machine *m, const tirb_stmt *s) {
    for (uint32_t i = 0; i < s->as.seq.n; i++) {
        tirbi_ref_flow flow = tirbi_ref_run(m, s->as.seq.items[i]);
        if (flow != TIRBI_REF_NEXT) return flow;
    }
    return TIRBI_REF_NEXT;
}

static tirbi_ref_flow run_let(tirbi_ref_machine *m, const tirb_stmt *s) {
    tirbi_ref_value value;
    if (!tirbi_ref_eval(m, s->as.let.value, NULL, &value)) return TIRBI_REF_FAILED;
    tirbi_ref_bind(m, s->as.let.var, value);
    return tirbi_ref_run(m, s->as.let.body);
}

static tirbi_ref_flow run_attr(tirbi_ref_machine *m, const tirb_stmt *s) {
    if (s->as.attr.thread == NULL) {
        const tirb_reduce *outer = m->reducer;
        if (s->as.attr.reducer != NULL) m->reducer = s->as.attr.reducer;
        tirbi_ref_flow flow = tirbi_ref_run(m, s->as.attr.body);
        m->reducer = outer;
        return flow;
    }
    int64_t extent;
    if (!tirbi_ref_eval_int(m, s->as.attr.value, &extent)) return TIRBI_REF_FAILED;
    if (tirbi_ref_synchronises(s->as.attr.thread->thread_tag, s->as.attr.body))
        return tirbi_ref_run_threads(m, s->as.attr.thread->var, 0, extent, s->as.attr.body);
    for (int64_t i = 0; i < extent; i++) {
        if (!tirbi_ref_step(m)) return TIRBI_REF_FAILED;
        tirbi_ref_bind_int(m, s->as.attr.thread->var, i);
        tirbi_ref_flow flow = tirbi_ref_run(m, s->as.attr.body);
        if (flow != TIRBI_REF_NEXT) return flow;
    }
    return TIRBI_REF_NEXT;
}

static tirbi_ref_flow run_assert(tirbi_ref_machine *m, const tirb_stmt *s) {
    bool holds;
    if (!tirbi_ref_eval_bool(m, s->as.assert_.condition, &holds)) return TIRBI_REF_FAILED;
    if (holds) return s->as.assert_.body != NULL ? tirbi_ref_run(m, s->as.assert_.body) : TIRBI_REF_NEXT;
    const char *kind = s->as.assert_.error_kind != NULL ? s->as.assert_.error_kind : "RuntimeError";
    tirbi_ref_value message;
    if (s->as.assert_.message == NULL) {
        tirbi_ref_fail(m, TIRB_ASSERT, "%s", kind);
    } else if (tirbi_ref_eval(m, s->as.assert_.message, NULL, &message)) {
        if (message.text != NULL) {
            tirbi_ref_fail(m, TIRB_ASSERT, "%s: %s", kind, message.text);
        } else {
            tirbi_ref_fail(m, TIRB_ASSERT, "%s: %lld", kind, (long long)message.one);
        }
    }
    return TIRBI_REF_FAILED;
}

/* The value first, then the indices, then the elements lane by lane. */
static tirbi_ref_flow run_store(tirbi_ref_machine *m, const tirb_stmt *s) {
    const tirb_buffer *buffer = s->as.store.buffer;
    uint32_t n = s->as.store.n_indices;
    const tirbi_ref_view *view = tirbi_ref_view_of(m, buffer);
    tirbi_ref_value value;
    tirbi_ref_value predicate = {.type = {.lanes = 0}};
    tirbi_ref_value *indices;
    if (view == NULL || !tirbi_ref_eval(m, s->as.store.value, NULL, &value) ||
        !tirbi_ref_eval_indices(m, s->as.store.indices, n, NULL, &indices)) {
        return TIRBI_REF_FAILED;
    }
    if (s->as.store.predicate != NULL && !tirbi_ref_eval(m, s->as.store.predicate, NULL, &predicate)) {
        return TIRBI_REF_FAILED;
    }
    uint32_t index_lanes = n > 0 ? s->as.store.indices[n - 1]->dtype.lanes : 1;
    int64_t *at = tirbi_ref_scratch(m, n, sizeof *at);
    uint64_t *element = tirbi_ref_scratch(m, buffer->dtype.lanes, sizeof *element);
    if (at == NULL || element == NULL) return TIRBI_REF_FAILED;
    for (uint32_t i = 0; i < index_lanes; i++) {
        uint64_t offset;
        if (predicate.type.lanes != 0 && tirbi_ref_lane(&predicate, i) == 0) continue;
        for (uint32_t d = 0; d < n; d++) at[d] = (int64_t)tirbi_ref_lane(&indices[d], d + 1 == n ? i : 0);
        tirbi_ref_next_rows(buffer, s->as.store.indices, n, at);
        for (uint32_t j = 0; j < buffer->dtype.lanes; j++) {
            element[j] = tirbi_ref_lane(&value, i * buffer->dtype.lanes + j);
        }
        if (!tirbi_ref_address(m, view, s->as.store.indices, at, &offset) ||
            !tirbi_ref_write(m, view, offset, element)) {
            return TIRBI_REF_FAILED;
        }
    }
    return TIRBI_REF_NEXT;
}

/* Memory that lives while `body` runs, zeroed at each execution. */
static tirbi_ref_flow run_allocated(tirbi_ref_machine *m, const tirb_buffer *buffer, const tirb_expr *const *elements,
                                    uint32_t n_elements, const tirb_stmt *body) {
    tirbi_ref_memory *memory;
    if (!tirbi_ref_allocate(m, buffer, &memory)) return TIRBI_REF_FAILED;
    for (uint32_t i = 0; i < n_elements; i++) {
        tirbi_ref_value value;
        uint64_t offset = memory->size / n_elements * i;
        if (!tirbi_ref_eval(m, elements[i], NULL, &value) ||
            !tirbi_ref_write(m, tirbi_ref_view_of(m, buffer), offset, &value.one)) {
            return TIRBI_REF_FAILED;
        }
    }
    tirbi_ref_flow flow = tirbi_ref_run(m, body);
    tirbi_ref_free(m, memory);
    return flow;
}

/* A buffer that has memory already, a parameter's, keeps it. */
static tirbi_ref_flow run_realize(tirbi_ref_machine *m, const tirb_stmt *s) {
    const tirb_primfunc *f = m->frame->function;
    tirbi_ref_memory *memory;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->buffers[i] == s->as.realize.buffer) return tirbi_ref_run(m, s->as.realize.body);
    }
    if (!tirbi_ref_realize(m, s, &memory)) return TIRBI_REF_FAILED;
    tirbi_ref_flow flow = tirbi_ref_run(m, s->as.realize.body);
    tirbi_ref_free(m, memory);
    return flow;
}

static tirbi_ref_flow run_allocate(tirbi_ref_machine *m, const tirb_stmt *s) {
    bool wanted = true;
    if (s->as.allocate.condition != NULL && !tirbi_ref_eval_bool(m, s->as.allocate.condition, &wanted)) {
        return TIRBI_REF_FAILED;
    }
    if (!wanted) return TIRBI_REF_NEXT;
    return run_allocated(m, s->as.allocate.buffer, s->as.allocate.elements, s->as.allocate.n_elements,
                         s->as.allocate.body);
}

static tirbi_ref_flow run_declare(tirbi_ref_machine *m, const tirb_stmt *s) {
    const tirb_expr *source = s->as.decl.source != NULL ? s->as.decl.source : s->as.decl.buffer->data;
    tirbi_ref_value pointer;
    if (!tirbi_ref_eval(m, source, NULL, &pointer)) return TIRBI_REF_FAILED;
    if (!tirbi_ref_declare(m, s->as.decl.buffer, pointer)) return TIRBI_REF_FAILED;
    return tirbi_ref_run(m, s->as.decl.body);
}

static tirbi_ref_flow run_if(tirbi_ref_machine *m, const tirb_stmt *s) {
    bool condition;
    if (!tirbi_ref_eval_bool(m, s->as.if_.condition, &condition)) return TIRBI_REF_FAILED;
    if (condition) return tirbi_ref_run(m, s->as.if_.then_case);
    return s->as.if_.else_case != NULL ? tirbi_ref_run(m, s->as.if_.else_case) : TIRBI_REF_NEXT;
}

/* Whether a loop goes on at min + i: below min + extent, or with a step below 0 above it. */
static bool goes_on(int64_t i, int64_t extent, int64_t step, bool is_unsigned) {
    if (step < 0) return i > extent;
    return is_unsigned ? (uint64_t)i < (uint64_t)extent : i < extent;
}

/* min, min + step, .. up to min + extent; the bounds are evaluated once. All kinds run in iteration order. */
static tirbi_ref_flow run_for(tirbi_ref_machine *m, const tirb_stmt *s) {
    const tirbi_ref_tree *tree = tirbi_ref_tree_at(m->trees, s);
    if (tree != NULL) return tirbi_ref_run_tree(m, tree);
    int64_t min;
    int64_t extent;
    int64_t step = 1;
    if (!tirbi_ref_eval_int(m, s->as.for_.min, &min) || !tirbi_ref_eval_int(m, s->as.for_.extent, &extent) ||
        (s->as.for_.step != NULL && !tirbi_ref_eval_int(m, s->as.for_.step, &step))) {
        return TIRBI_REF_FAILED;
    }
    bool constant = s->as.for_.step != NULL && s->as.for_.step->kind == TIRB_EXPR_INT_IMM;
    if (step == 0 || (step < 0 && !constant)) return failed(m, TIRB_VALUE, "the step of a loop is not positive");
    if (s->as.for_.kind == TIRB_FOR_THREAD_BINDING && tirbi_ref_synchronises(s->as.for_.thread_tag, s->as.for_.body))
        return tirbi_ref_run_threads(m, s->as.for_.var, min, extent, s->as.for_.body);
    bool is_unsigned = s->as.for_.extent->dtype.code == TIRB_CODE_UINT;
    for (int64_t i = 0; goes_on(i, extent, step, is_unsigned);) {
        if (!tirbi_ref_step(m)) return TIRBI_REF_FAILED;
        tirbi_ref_bind_int(m, s->as.for_.var, (int64_t)((uint64_t)min + (uint64_t)i));
        tirbi_ref_flow flow = tirbi_ref_run(m, s->as.for_.body);
        if (flow == TIRBI_REF_BREAK) break;
        if (flow == TIRBI_REF_RETURN || flow == TIRBI_REF_FAILED) return flow;
        bool overflow = is_unsigned ? (uint64_t)i > UINT64_MAX - (uint64_t)step : __builtin_add_overflow(i, step, &i);
        if (overflow) break;
        if (is_unsigned) i = (int64_t)((uint64_t)i + (uint64_t)step);
    }
    return TIRBI_REF_NEXT;
}

static tirbi_ref_flow run_while(tirbi_ref_machine *m, const tirb_stmt *s) {
    for (;;) {
        bool condition;
        tirbi_ref_mark mark = tirbi_ref_scratch_mark(m);
        bool evaluated = tirbi_ref_step(m) && tirbi_ref_eval_bool(m, s->as.while_.condition, &condition);
        tirbi_ref_scratch_release(m, mark);
        if (!evaluated) return TIRBI_REF_FAILED;
        if (!condition) return TIRBI_REF_NEXT;
        tirbi_ref_flow flow = tirbi_ref_run(m, s->as.while_.body);
        if (flow == TIRBI_REF_BREAK) return TIRBI_REF_NEXT;
        if (flow == TIRBI_REF_RETURN || flow == TIRBI_REF_FAILED) return flow;
    }
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */

/* init runs when every reduce axis is at the minimum of its domain; a block without one runs it every time. */
static bool at_start(tirbi_ref_machine *m, const tirb_block *block, bool *out) {
    *out = true;
    for (uint32_t i = 0; i < block->n_iters; i++) {
        int64_t value;
        int64_t min;
        if (block->iters[i].type != TIRB_ITER_COMM_REDUCE) continue;
        if (!tirbi_ref_eval_int(m, block->iters[i].var, &value) ||
            !tirbi_ref_eval_int(m, block->iters[i].dom.min, &min)) {
            return false;
        }
        if (value != min) *out = false;
    }
    return true;
}

/* Variables that a match_buffer binds because they stand alone in the buffer's shape, strides or offset: bound anew at
 * each execution. */
static void unbind_matched(tirbi_ref_machine *m, const tirb_expr *e, const bool *outer) {
    if (e != NULL && e->kind == TIRB_EXPR_VAR && !outer[e->as.var.id]) m->frame->vars[e->as.var.id].type.lanes = 0;
}

static void unbind_matches(tirbi_ref_machine *m, const tirb_block *block, const bool *outer) {
    for (uint32_t i = 0; i < block->n_matches; i++) {
        const tirb_buffer *buffer = block->matches[i].buffer;
        for (uint32_t d = 0; d < buffer->ndim; d++) {
            unbind_matched(m, buffer->shape[d], outer);
            unbind_matched(m, buffer->strides != NULL ? buffer->strides[d] : NULL, outer);
        }
        unbind_matched(m, buffer->elem_offset, outer);
    }
}

static tirbi_ref_flow run_inside(tirbi_ref_machine *m, const tirb_stmt *s) {
    const tirb_block *block = s->as.block.block;
    bool predicate = true;
    bool first;
    if (s->as.block.predicate != NULL && !tirbi_ref_eval_bool(m, s->as.block.predicate, &predicate)) {
        return TIRBI_REF_FAILED;
    }
    if (!predicate) return TIRBI_REF_NEXT;
    bool *outer = NULL;
    if (block->n_matches > 0) {
        outer = tirbi_ref_scratch(m, m->module->n_vars, sizeof *outer);
        if (outer == NULL) return TIRBI_REF_FAILED;
        for (uint32_t i = 0; i < m->module->n_vars; i++) outer[i] = m->frame->vars[i].type.lanes != 0;
    }
    for (uint32_t i = 0; i < block->n_matches; i++) {
        if (!tirbi_ref_match(m, &block->matches[i])) return TIRBI_REF_FAILED;
    }
    tirbi_ref_flow flow = TIRBI_REF_NEXT;
    if (block->init != NULL) {
        if (!at_start(m, block, &first)) return TIRBI_REF_FAILED;
        if (first) flow = tirbi_ref_run(m, block->init);
    }
    if (flow == TIRBI_REF_NEXT) flow = tirbi_ref_run(m, block->body);
    unbind_matches(m, block, outer);
    return flow;
}

static tirbi_ref_flow run_block(tirbi_ref_machine *m, const tirb_stmt *s) {
    const tirb_block *block = s->as.block.block;
    tirbi_ref_value *values = tirbi_ref_scratch(m, block->n_iters, sizeof *values);
    tirbi_ref_memory **memory = tirbi_ref_scratch(m, block->n_allocs, sizeof(void *));
    if (values == NULL || memory == NULL) return TIRBI_REF_FAILED;
    for (uint32_t i = 0; i < block->n_iters && s->as.block.values != NULL; i++) {
        if (!tirbi_ref_eval(m, s->as.block.values[i], NULL, &values[i])) return TIRBI_REF_FAILED;
    }
    for (uint32_t i = 0; i < block->n_iters; i++) {
        tirbi_ref_bind_int(m, block->iters[i].var, (int64_t)values[i].one);
    }
    tirbi_ref_flow flow = TIRBI_REF_NEXT;
    for (uint32_t i = 0; i < block->n_allocs && flow == TIRBI_REF_NEXT; i++) {
        if (!tirbi_ref_allocate(m, block->allocs[i], &memory[i])) flow = TIRBI_REF_FAILED;
    }
    if (flow == TIRBI_REF_NEXT) flow = run_inside(m, s);
    for (uint32_t i = 0; i < block->n_allocs; i++) tirbi_ref_free(m, memory[i]);
    return flow;
}

/* ---- Evaluate and return -------------------------------------------------------------------------------------- */

static tirbi_ref_flow run_return(tirbi_ref_machine *m, const tirb_expr *value) {
    tirbi_ref_value result = {.type = {.lanes = 0}}; /* a call inside `value` uses m->returned */
    if (value != NULL && !tirbi_ref_eval(m, value, NULL, &result)) return TIRBI_REF_FAILED;
    m->returned = result;
    return TIRBI_REF_RETURN;
}

static tirbi_ref_flow run_evaluate(tirbi_ref_machine *m, const tirb_stmt *s) {
    const tirb_expr *e = s->as.evaluate.value;
    tirbi_ref_value value;
    if (tirbi_is_allreduce(e)) return tirbi_ref_allreduce(m, e);
    if (tirbi_is_anylist_call(e)) {
        const tirb_stmt *plain = tirbi_anylist_statement(m->arena, e);
        if (plain != NULL) return tirbi_ref_run(m, plain);
    }
    if (e->kind == TIRB_EXPR_CALL && e->as.call.function == NULL && e->as.call.function_name == NULL) {
        switch (e->as.call.builtin) {
        case TIRB_BUILTIN_RET: return run_return(m, e->as.call.args[0]);
        case TIRB_BUILTIN_TVM_THROW_LAST_ERROR:
            if (!tirbi_ref_is_packed(m->frame->function)) {
                tirbi_ref_fail(m, TIRB_ASSERT, "the program raises the last error");
                return TIRBI_REF_FAILED;
            }
            m->returned = (tirbi_ref_value){.type = {TIRB_CODE_INT, 32, 1, false}, .one = UINT64_MAX};
            return TIRBI_REF_RETURN;
        case TIRB_BUILTIN_TVM_STORAGE_SYNC: return tirbi_ref_synchronise(m, e);
        case TIRB_BUILTIN_BREAK_LOOP: return TIRBI_REF_BREAK;
        case TIRB_BUILTIN_CONTINUE_LOOP: return TIRBI_REF_CONTINUE;
        default: break;
        }
    }
    return tirbi_ref_eval(m, e, NULL, &value) ? TIRBI_REF_NEXT : TIRBI_REF_FAILED;
}

static tirbi_ref_flow run_statement(tirbi_ref_machine *m, const tirb_stmt *s) {
    switch (s->kind) {
    case TIRB_STMT_LET: return run_let(m, s);
    case TIRB_STMT_ATTR: return run_attr(m, s);
    case TIRB_STMT_ASSERT: return run_assert(m, s);
    case TIRB_STMT_STORE: return run_store(m, s);
    case TIRB_STMT_BUFFER_REALIZE: return run_realize(m, s);
    case TIRB_STMT_ALLOCATE:
    case TIRB_STMT_ALLOCATE_CONST: return run_allocate(m, s);
    case TIRB_STMT_DECL_BUFFER: return run_declare(m, s);
    case TIRB_STMT_SEQ: return run_seq(m, s);
    case TIRB_STMT_IF: return run_if(m, s);
    case TIRB_STMT_EVALUATE: return run_evaluate(m, s);
    case TIRB_STMT_FOR: return run_for(m, s);
    case TIRB_STMT_WHILE: return run_while(m, s);
    case TIRB_STMT_BLOCK_REALIZE: return run_block(m, s);
    case TIRB_STMT_RETURN: return run_return(m, s->as.evaluate.value);
    case TIRB_STMT_BREAK: return TIRBI_REF_BREAK;
    case TIRB_STMT_CONTINUE: return TIRBI_REF_CONTINUE;
    case TIRB_STMT_PREFETCH:
        return s->as.prefetch.body != NULL ? tirbi_ref_run(m, s->as.prefetch.body) : TIRBI_REF_NEXT;
    }
    return failed(m, TIRB_INTERNAL, "no such statement");
}

tirbi_ref_flow tirbi_ref_run(tirbi_ref_machine *m, const tirb_stmt *s) {
    if (s == NULL) return TIRBI_REF_NEXT;
    if (!tirbi_ref_step(m)) return TIRBI_REF_FAILED;
    tirbi_ref_mark mark = tirbi_ref_scratch_mark(m);
    tirbi_ref_flow flow = run_statement(m, s);
    tirbi_ref_scratch_release(m, mark);
    return flow;
}
