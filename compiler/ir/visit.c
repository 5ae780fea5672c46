#include "compiler/ir/visit.h"

static void visit_expr(tirbi_visitor *v, const tirb_expr *e) {
    if (e && v->expr) v->expr(v, e);
}

static void visit_stmt(tirbi_visitor *v, const tirb_stmt *s) {
    if (s && v->stmt) v->stmt(v, s);
}

static void visit_exprs(tirbi_visitor *v, const tirb_expr *const *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) visit_expr(v, items[i]);
}

static void visit_ranges(tirbi_visitor *v, const tirb_range *ranges, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        visit_expr(v, ranges[i].min);
        visit_expr(v, ranges[i].extent);
    }
}

static void visit_reduce(tirbi_visitor *v, const tirb_reduce *r) {
    for (uint32_t i = 0; i < r->n_axis; i++) visit_ranges(v, &r->axis[i].dom, 1);
    visit_exprs(v, r->source, r->n_values);
    if (r->init) visit_exprs(v, r->init, r->n_values);
    visit_expr(v, r->condition);
    visit_exprs(v, r->result, r->n_values);
    visit_exprs(v, r->identity, r->n_values);
}

/* Where a region begins is in the argument. */
static void visit_passed(tirbi_visitor *v, const tirb_expr *call) {
    const tirb_buffer_region *passed = call->as.call.passed;
    for (uint32_t i = 0; passed && i < call->as.call.n_args; i++)
        for (uint32_t d = 0; passed[i].region && d < passed[i].buffer->ndim; d++)
            visit_expr(v, passed[i].region[d].extent);
}

void tirbi_visit_expr(tirbi_visitor *v, const tirb_expr *e) {
    switch (e->kind) {
    case TIRB_EXPR_VAR:
    case TIRB_EXPR_INT_IMM:
    case TIRB_EXPR_FLOAT_IMM:
    case TIRB_EXPR_STRING_IMM:
        break;
    case TIRB_EXPR_CAST:
    case TIRB_EXPR_NOT:
        visit_expr(v, e->as.cast.value);
        break;
    case TIRB_EXPR_SELECT:
        visit_expr(v, e->as.select.condition);
        visit_expr(v, e->as.select.true_value);
        visit_expr(v, e->as.select.false_value);
        break;
    case TIRB_EXPR_LOAD:
        visit_exprs(v, e->as.load.indices, e->as.load.n_indices);
        visit_expr(v, e->as.load.predicate);
        break;
    case TIRB_EXPR_RAMP:
        visit_expr(v, e->as.ramp.base);
        visit_expr(v, e->as.ramp.stride);
        break;
    case TIRB_EXPR_BROADCAST:
        visit_expr(v, e->as.broadcast.value);
        break;
    case TIRB_EXPR_LET:
        visit_expr(v, e->as.let.value);
        visit_expr(v, e->as.let.body);
        break;
    case TIRB_EXPR_CALL:
        visit_exprs(v, e->as.call.args, e->as.call.n_args);
        visit_passed(v, e);
        break;
    case TIRB_EXPR_SHUFFLE:
        visit_exprs(v, e->as.shuffle.vectors, e->as.shuffle.n_vectors);
        visit_exprs(v, e->as.shuffle.indices, e->as.shuffle.n_indices);
        break;
    case TIRB_EXPR_REDUCE:
        visit_reduce(v, e->as.reduce);
        break;
    default:
        visit_expr(v, e->as.binary.a);
        visit_expr(v, e->as.binary.b);
        break;
    }
}

void tirbi_visit_buffer(tirbi_visitor *v, const tirb_buffer *buffer) {
    visit_exprs(v, buffer->shape, buffer->ndim);
    if (buffer->strides) visit_exprs(v, buffer->strides, buffer->ndim);
    visit_expr(v, buffer->elem_offset);
}

static void visit_regions(tirbi_visitor *v, const tirb_buffer_region *regions, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) visit_ranges(v, regions[i].region, regions[i].buffer->ndim);
}

static void visit_block(tirbi_visitor *v, const tirb_stmt *s) {
    const tirb_block *block = s->as.block.block;
    for (uint32_t i = 0; i < block->n_iters; i++) visit_ranges(v, &block->iters[i].dom, 1);
    if (s->as.block.values) visit_exprs(v, s->as.block.values, block->n_iters);
    visit_expr(v, s->as.block.predicate);
    visit_regions(v, block->reads, block->n_reads);
    visit_regions(v, block->writes, block->n_writes);
    for (uint32_t i = 0; i < block->n_allocs; i++) tirbi_visit_buffer(v, block->allocs[i]);
    for (uint32_t i = 0; i < block->n_matches; i++) {
        visit_regions(v, &block->matches[i].source, 1);
        tirbi_visit_buffer(v, block->matches[i].buffer);
    }
    visit_stmt(v, block->init);
    visit_stmt(v, block->body);
}

static void visit_loop(tirbi_visitor *v, const tirb_stmt *s) {
    visit_expr(v, s->as.for_.min);
    visit_expr(v, s->as.for_.extent);
    visit_expr(v, s->as.for_.step);
    visit_stmt(v, s->as.for_.body);
}

void tirbi_visit_stmt(tirbi_visitor *v, const tirb_stmt *s) {
    switch (s->kind) {
    case TIRB_STMT_LET:
        visit_expr(v, s->as.let.value);
        visit_stmt(v, s->as.let.body);
        break;
    case TIRB_STMT_ATTR:
        visit_expr(v, s->as.attr.node_expr);
        visit_expr(v, s->as.attr.value);
        visit_stmt(v, s->as.attr.body);
        break;
    case TIRB_STMT_ASSERT:
        visit_expr(v, s->as.assert_.condition);
        visit_expr(v, s->as.assert_.message);
        visit_stmt(v, s->as.assert_.body);
        break;
    case TIRB_STMT_STORE:
        visit_expr(v, s->as.store.value);
        visit_exprs(v, s->as.store.indices, s->as.store.n_indices);
        visit_expr(v, s->as.store.predicate);
        break;
    case TIRB_STMT_BUFFER_REALIZE:
        visit_ranges(v, s->as.realize.bounds, s->as.realize.buffer->ndim);
        visit_expr(v, s->as.realize.condition);
        visit_stmt(v, s->as.realize.body);
        break;
    case TIRB_STMT_ALLOCATE:
    case TIRB_STMT_ALLOCATE_CONST:
        tirbi_visit_buffer(v, s->as.allocate.buffer);
        visit_expr(v, s->as.allocate.condition);
        visit_stmt(v, s->as.allocate.body);
        break;
    case TIRB_STMT_DECL_BUFFER:
        tirbi_visit_buffer(v, s->as.decl.buffer);
        visit_expr(v, s->as.decl.source);
        visit_stmt(v, s->as.decl.body);
        break;
    case TIRB_STMT_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) visit_stmt(v, s->as.seq.items[i]);
        break;
    case TIRB_STMT_IF:
        visit_expr(v, s->as.if_.condition);
        visit_stmt(v, s->as.if_.then_case);
        visit_stmt(v, s->as.if_.else_case);
        break;
    case TIRB_STMT_EVALUATE:
    case TIRB_STMT_RETURN:
        visit_expr(v, s->as.evaluate.value);
        break;
    case TIRB_STMT_FOR:
        visit_loop(v, s);
        break;
    case TIRB_STMT_WHILE:
        visit_expr(v, s->as.while_.condition);
        visit_stmt(v, s->as.while_.body);
        break;
    case TIRB_STMT_BLOCK_REALIZE:
        visit_block(v, s);
        break;
    case TIRB_STMT_BREAK:
    case TIRB_STMT_CONTINUE:
        break;
    case TIRB_STMT_PREFETCH:
        visit_ranges(v, s->as.prefetch.bounds, s->as.prefetch.buffer->ndim);
        visit_stmt(v, s->as.prefetch.body);
        break;
    }
}
