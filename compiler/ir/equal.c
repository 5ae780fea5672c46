#include "compiler/ir/equal.h"

#include <string.h>

#include "compiler/ir/builder.h"
#include "compiler/ir/relax.h"

/* Which variable or buffer of the right side stands for one of the left; `exact`: only the same ones are equal. */
typedef struct correspondence {
    bool exact;
    const void **of_left;  /* by id of the left side */
    const void **of_right; /* by id of the right side */
    uint32_t n_left, n_right;
} correspondence;

typedef struct comparison {
    correspondence vars, buffers;
} comparison;

static bool same_expr(comparison *c, const tirb_expr *a, const tirb_expr *b);
static bool same_stmt(comparison *c, const tirb_stmt *a, const tirb_stmt *b);

static bool pair(correspondence *m, const void *a, uint32_t a_id, const void *b, uint32_t b_id) {
    if (m->exact) return a == b;
    if (a_id >= m->n_left || b_id >= m->n_right) return false;
    if (!m->of_left[a_id] && !m->of_right[b_id]) {
        m->of_left[a_id] = b;
        m->of_right[b_id] = a;
        return true;
    }
    return m->of_left[a_id] == b && m->of_right[b_id] == a;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool same_type(tirb_type a, tirb_type b) {
    return a.kind == b.kind && tirb_datatype_equal(a.dtype, b.dtype) && same_text(a.scope, b.scope);
}

static bool same_exprs(comparison *c, const tirb_expr *const *a, uint32_t n_a, const tirb_expr *const *b,
                       uint32_t n_b) {
    if (n_a != n_b || !a != !b) return n_a == 0 && n_b == 0;
    for (uint32_t i = 0; a && i < n_a; i++)
        if (!same_expr(c, a[i], b[i])) return false;
    return true;
}

static bool same_buffer(comparison *c, const tirb_buffer *a, const tirb_buffer *b) {
    if (!a || !b) return a == b;
    if (c->buffers.exact) return a == b;
    bool known = a->id < c->buffers.n_left && c->buffers.of_left[a->id];
    if (!pair(&c->buffers, a, a->id, b, b->id)) return false;
    if (known) return true;
    return same_expr(c, a->data, b->data) && same_buffer(c, a->over, b->over) &&
           tirb_datatype_equal(a->dtype, b->dtype) && same_exprs(c, a->shape, a->ndim, b->shape, b->ndim) &&
           !a->strides == !b->strides &&
           same_exprs(c, a->strides, a->strides ? a->ndim : 0, b->strides, b->strides ? b->ndim : 0) &&
           same_expr(c, a->elem_offset, b->elem_offset) && same_text(a->scope, b->scope) &&
           a->data_alignment == b->data_alignment && a->offset_factor == b->offset_factor &&
           a->auto_broadcast == b->auto_broadcast;
}

static bool same_range(comparison *c, const tirb_range *a, const tirb_range *b) {
    return same_expr(c, a->min, b->min) && same_expr(c, a->extent, b->extent);
}

static bool same_itervars(comparison *c, const tirb_itervar *a, const tirb_itervar *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (a[i].type != b[i].type || !same_text(a[i].thread_tag, b[i].thread_tag) ||
            !same_range(c, &a[i].dom, &b[i].dom) || !same_expr(c, a[i].var, b[i].var))
            return false;
    return true;
}

static bool same_reduce(comparison *c, const tirb_reduce *a, const tirb_reduce *b) {
    uint32_t n = a->n_values;
    if (n != b->n_values || a->n_axis != b->n_axis || a->value_index != b->value_index || !a->init != !b->init)
        return false;
    return same_exprs(c, a->lhs, n, b->lhs, n) && same_exprs(c, a->rhs, n, b->rhs, n) &&
           same_exprs(c, a->result, n, b->result, n) && same_exprs(c, a->identity, n, b->identity, n) &&
           same_itervars(c, a->axis, b->axis, a->n_axis) && same_exprs(c, a->source, n, b->source, n) &&
           (!a->init || same_exprs(c, a->init, n, b->init, n)) && same_expr(c, a->condition, b->condition);
}

static bool same_var(comparison *c, const tirb_expr *a, const tirb_expr *b) {
    if (!same_type(a->as.var.type, b->as.var.type)) return false;
    return pair(&c->vars, a, a->as.var.id, b, b->as.var.id);
}

static bool same_region(comparison *c, const tirb_buffer_region *a, const tirb_buffer_region *b) {
    if (!same_buffer(c, a->buffer, b->buffer) || !a->region != !b->region) return false;
    for (uint32_t i = 0; a->region && i < a->buffer->ndim; i++)
        if (!same_range(c, &a->region[i], &b->region[i])) return false;
    return true;
}

static bool same_call(comparison *c, const tirb_expr *a, const tirb_expr *b) {
    if (!a->as.call.function != !b->as.call.function) return false;
    const char *name = a->as.call.function_name;
    if (!name != !b->as.call.function_name) return false;
    if (name ? !same_text(name, b->as.call.function_name) : a->as.call.builtin != b->as.call.builtin) return false;
    if (!a->as.call.symbol != !b->as.call.symbol) return false;
    if (a->as.call.symbol &&
        (!same_text(a->as.call.symbol, b->as.call.symbol) || a->as.call.written_as != b->as.call.written_as))
        return false;
    if (!same_exprs(c, a->as.call.args, a->as.call.n_args, b->as.call.args, b->as.call.n_args)) return false;
    const tirb_buffer_region *x = a->as.call.passed, *y = b->as.call.passed, none = {0};
    for (uint32_t i = 0; (x || y) && i < a->as.call.n_args; i++)
        if (!same_region(c, x ? &x[i] : &none, y ? &y[i] : &none)) return false;
    return true;
}

static bool same_bits(double x, double y) { return memcmp(&x, &y, sizeof x) == 0; }

static bool same_expr(comparison *c, const tirb_expr *a, const tirb_expr *b) {
    if (a == b && c->vars.exact) return true;
    if (!a || !b) return a == b;
    if (a->kind != b->kind || !tirb_datatype_equal(a->dtype, b->dtype)) return false;
    switch (a->kind) {
    case TIRB_EXPR_VAR:
        return same_var(c, a, b);
    case TIRB_EXPR_INT_IMM:
        return a->as.int_value == b->as.int_value;
    case TIRB_EXPR_FLOAT_IMM:
        return same_bits(a->as.float_value, b->as.float_value);
    case TIRB_EXPR_STRING_IMM:
        return a->as.string.size == b->as.string.size &&
               memcmp(a->as.string.text, b->as.string.text, a->as.string.size) == 0;
    case TIRB_EXPR_CAST:
    case TIRB_EXPR_NOT:
        return same_expr(c, a->as.cast.value, b->as.cast.value);
    case TIRB_EXPR_SELECT:
        return same_expr(c, a->as.select.condition, b->as.select.condition) &&
               same_expr(c, a->as.select.true_value, b->as.select.true_value) &&
               same_expr(c, a->as.select.false_value, b->as.select.false_value);
    case TIRB_EXPR_LOAD:
        return same_buffer(c, a->as.load.buffer, b->as.load.buffer) &&
               same_exprs(c, a->as.load.indices, a->as.load.n_indices, b->as.load.indices, b->as.load.n_indices) &&
               same_expr(c, a->as.load.predicate, b->as.load.predicate);
    case TIRB_EXPR_RAMP:
        return same_expr(c, a->as.ramp.base, b->as.ramp.base) && same_expr(c, a->as.ramp.stride, b->as.ramp.stride);
    case TIRB_EXPR_BROADCAST:
        return same_expr(c, a->as.broadcast.value, b->as.broadcast.value);
    case TIRB_EXPR_LET:
        return same_expr(c, a->as.let.value, b->as.let.value) && same_expr(c, a->as.let.var, b->as.let.var) &&
               same_expr(c, a->as.let.body, b->as.let.body);
    case TIRB_EXPR_CALL:
        return same_call(c, a, b);
    case TIRB_EXPR_SHUFFLE:
        return same_exprs(c, a->as.shuffle.vectors, a->as.shuffle.n_vectors, b->as.shuffle.vectors,
                          b->as.shuffle.n_vectors) &&
               same_exprs(c, a->as.shuffle.indices, a->as.shuffle.n_indices, b->as.shuffle.indices,
                          b->as.shuffle.n_indices);
    case TIRB_EXPR_REDUCE:
        return same_reduce(c, a->as.reduce, b->as.reduce);
    default:
        return same_expr(c, a->as.binary.a, b->as.binary.a) && same_expr(c, a->as.binary.b, b->as.binary.b);
    }
}

/* Whether an attribute is compared with the function that has it: any dialect may leave it out where it is the name. */
static bool is_symbol(const tirb_attr *attr) { return same_text(attr->key, "global_symbol"); }

static bool same_attrs(comparison *c, const tirb_attr *a, uint32_t n_a, const tirb_attr *b, uint32_t n_b) {
    uint32_t n_left = 0, n_right = 0;
    for (uint32_t i = 0; i < n_a; i++) n_left += !is_symbol(&a[i]);
    for (uint32_t i = 0; i < n_b; i++) n_right += !is_symbol(&b[i]);
    if (n_left != n_right) return false;
    for (uint32_t i = 0; i < n_a; i++) {
        if (is_symbol(&a[i])) continue;
        uint32_t j = 0;
        while (j < n_b && !same_text(a[i].key, b[j].key)) j++;
        if (j == n_b || a[i].bare != b[j].bare) return false;
        if (!same_expr(c, a[i].value, b[j].value) || !same_text(a[i].text, b[j].text)) return false;
    }
    return true;
}

static bool same_regions(comparison *c, const tirb_buffer_region *a, uint32_t n_a, const tirb_buffer_region *b,
                         uint32_t n_b) {
    if (n_a != n_b) return false;
    for (uint32_t i = 0; i < n_a; i++)
        if (!same_region(c, &a[i], &b[i])) return false;
    return true;
}

static bool same_block(comparison *c, const tirb_stmt *s, const tirb_stmt *t) {
    const tirb_block *a = s->as.block.block, *b = t->as.block.block;
    if (a->n_iters != b->n_iters || a->n_allocs != b->n_allocs || a->n_matches != b->n_matches ||
        a->no_realize != b->no_realize)
        return false; /* names of blocks mean nothing, as those of variables */
    if (!same_exprs(c, s->as.block.values, a->n_iters, t->as.block.values, b->n_iters)) return false;
    if (!same_itervars(c, a->iters, b->iters, a->n_iters)) return false;
    if (!same_expr(c, s->as.block.predicate, t->as.block.predicate)) return false;
    for (uint32_t i = 0; i < a->n_allocs; i++)
        if (!same_buffer(c, a->allocs[i], b->allocs[i])) return false;
    for (uint32_t i = 0; i < a->n_matches; i++)
        if (!same_regions(c, &a->matches[i].source, 1, &b->matches[i].source, 1) ||
            !same_buffer(c, a->matches[i].buffer, b->matches[i].buffer))
            return false;
    return same_regions(c, a->reads, a->n_reads, b->reads, b->n_reads) &&
           same_regions(c, a->writes, a->n_writes, b->writes, b->n_writes) &&
           same_attrs(c, a->annotations, a->n_annotations, b->annotations, b->n_annotations) &&
           same_stmt(c, a->init, b->init) && same_stmt(c, a->body, b->body);
}

static bool same_loop(comparison *c, const tirb_stmt *a, const tirb_stmt *b) {
    return a->as.for_.kind == b->as.for_.kind && same_text(a->as.for_.thread_tag, b->as.for_.thread_tag) &&
           same_expr(c, a->as.for_.min, b->as.for_.min) && same_expr(c, a->as.for_.extent, b->as.for_.extent) &&
           same_expr(c, a->as.for_.step, b->as.for_.step) && same_expr(c, a->as.for_.var, b->as.for_.var) &&
           same_attrs(c, a->as.for_.annotations, a->as.for_.n_annotations, b->as.for_.annotations,
                      b->as.for_.n_annotations) &&
           same_stmt(c, a->as.for_.body, b->as.for_.body);
}

static bool same_allocate(comparison *c, const tirb_stmt *a, const tirb_stmt *b) {
    return same_exprs(c, a->as.allocate.elements, a->as.allocate.n_elements, b->as.allocate.elements,
                      b->as.allocate.n_elements) &&
           a->as.allocate.bytes == b->as.allocate.bytes && a->as.allocate.n_bytes == b->as.allocate.n_bytes &&
           same_buffer(c, a->as.allocate.buffer, b->as.allocate.buffer) &&
           same_expr(c, a->as.allocate.condition, b->as.allocate.condition) &&
           same_attrs(c, a->as.allocate.annotations, a->as.allocate.n_annotations, b->as.allocate.annotations,
                      b->as.allocate.n_annotations) &&
           same_stmt(c, a->as.allocate.body, b->as.allocate.body);
}

static bool same_attr_stmt(comparison *c, const tirb_stmt *a, const tirb_stmt *b) {
    if (!same_text(a->as.attr.key, b->as.attr.key) || !a->as.attr.thread != !b->as.attr.thread) return false;
    if (a->as.attr.thread && !same_itervars(c, a->as.attr.thread, b->as.attr.thread, 1)) return false;
    /* A reducer is what it does; its text has the names of the dialect. */
    bool reducers = a->as.attr.reducer && b->as.attr.reducer;
    bool same_node = reducers ? same_reduce(c, a->as.attr.reducer, b->as.attr.reducer)
                              : same_text(a->as.attr.node_text, b->as.attr.node_text);
    return same_node && same_expr(c, a->as.attr.node_expr, b->as.attr.node_expr) &&
           same_expr(c, a->as.attr.value, b->as.attr.value) && same_stmt(c, a->as.attr.body, b->as.attr.body);
}

static bool same_bounds(comparison *c, const tirb_buffer *a, const tirb_range *x, const tirb_buffer *b,
                        const tirb_range *y) {
    if (!same_buffer(c, a, b)) return false;
    for (uint32_t i = 0; i < a->ndim; i++)
        if (!same_range(c, &x[i], &y[i])) return false;
    return true;
}

static bool same_stmt(comparison *c, const tirb_stmt *a, const tirb_stmt *b) {
    if (!a || !b) return a == b;
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case TIRB_STMT_LET:
        return same_expr(c, a->as.let.value, b->as.let.value) && same_expr(c, a->as.let.var, b->as.let.var) &&
               same_stmt(c, a->as.let.body, b->as.let.body);
    case TIRB_STMT_ATTR:
        return same_attr_stmt(c, a, b);
    case TIRB_STMT_ASSERT:
        return same_expr(c, a->as.assert_.condition, b->as.assert_.condition) &&
               same_text(a->as.assert_.error_kind, b->as.assert_.error_kind) &&
               same_expr(c, a->as.assert_.message, b->as.assert_.message) &&
               same_stmt(c, a->as.assert_.body, b->as.assert_.body);
    case TIRB_STMT_STORE:
        return same_buffer(c, a->as.store.buffer, b->as.store.buffer) &&
               same_expr(c, a->as.store.value, b->as.store.value) &&
               same_exprs(c, a->as.store.indices, a->as.store.n_indices, b->as.store.indices, b->as.store.n_indices) &&
               same_expr(c, a->as.store.predicate, b->as.store.predicate);
    case TIRB_STMT_BUFFER_REALIZE:
        return same_bounds(c, a->as.realize.buffer, a->as.realize.bounds, b->as.realize.buffer, b->as.realize.bounds) &&
               same_expr(c, a->as.realize.condition, b->as.realize.condition) &&
               same_stmt(c, a->as.realize.body, b->as.realize.body);
    case TIRB_STMT_ALLOCATE:
    case TIRB_STMT_ALLOCATE_CONST:
        return same_allocate(c, a, b);
    case TIRB_STMT_DECL_BUFFER:
        return same_expr(c, a->as.decl.source, b->as.decl.source) &&
               same_buffer(c, a->as.decl.buffer, b->as.decl.buffer) && same_stmt(c, a->as.decl.body, b->as.decl.body);
    case TIRB_STMT_SEQ:
        if (a->as.seq.n != b->as.seq.n) return false;
        for (uint32_t i = 0; i < a->as.seq.n; i++)
            if (!same_stmt(c, a->as.seq.items[i], b->as.seq.items[i])) return false;
        return true;
    case TIRB_STMT_IF:
        return same_expr(c, a->as.if_.condition, b->as.if_.condition) &&
               same_stmt(c, a->as.if_.then_case, b->as.if_.then_case) &&
               same_stmt(c, a->as.if_.else_case, b->as.if_.else_case);
    case TIRB_STMT_EVALUATE:
    case TIRB_STMT_RETURN:
        return same_expr(c, a->as.evaluate.value, b->as.evaluate.value);
    case TIRB_STMT_FOR:
        return same_loop(c, a, b);
    case TIRB_STMT_WHILE:
        return same_expr(c, a->as.while_.condition, b->as.while_.condition) &&
               same_stmt(c, a->as.while_.body, b->as.while_.body);
    case TIRB_STMT_BLOCK_REALIZE:
        return same_block(c, a, b);
    case TIRB_STMT_BREAK:
    case TIRB_STMT_CONTINUE:
        return a->as.jump.is_statement == b->as.jump.is_statement;
    case TIRB_STMT_PREFETCH:
        return same_bounds(c, a->as.prefetch.buffer, a->as.prefetch.bounds, b->as.prefetch.buffer,
                           b->as.prefetch.bounds) &&
               same_stmt(c, a->as.prefetch.body, b->as.prefetch.body);
    }
    return false;
}

bool tirbi_expr_equal(const tirb_expr *a, const tirb_expr *b) {
    comparison c = {.vars = {.exact = true}, .buffers = {.exact = true}};
    return same_expr(&c, a, b);
}

static bool is_call_of(const tirb_expr *e, tirb_builtin builtin, uint32_t n) {
    return e->kind == TIRB_EXPR_CALL && !e->as.call.function && !e->as.call.function_name &&
           e->as.call.builtin == builtin && e->as.call.n_args == n;
}

/* An extent is the same number whatever its type. */
static bool same_extent(const tirb_expr *a, const tirb_expr *b) {
    bool constants = a->kind == TIRB_EXPR_INT_IMM && b->kind == TIRB_EXPR_INT_IMM;
    return constants ? a->as.int_value == b->as.int_value : tirbi_expr_equal(a, b);
}

const tirb_buffer *tirbi_whole_array(const tirb_expr *e) {
    if (!is_call_of(e, TIRB_BUILTIN_TVM_STACK_MAKE_ARRAY, 6)) return NULL;
    const tirb_expr *data = e->as.call.args[0], *shape = e->as.call.args[1], *offset = e->as.call.args[5];
    const tirb_buffer *view =
        is_call_of(data, TIRB_BUILTIN_BUFFER_DATA, 1) && data->as.call.passed ? data->as.call.passed[0].buffer : NULL;
    const tirb_buffer *buffer = data->kind == TIRB_EXPR_VAR ? data->as.var.data_of : view;
    if (!buffer || !is_call_of(shape, TIRB_BUILTIN_TVM_STACK_MAKE_SHAPE, buffer->ndim)) return NULL;
    for (uint32_t i = 0; i < buffer->ndim; i++)
        if (!same_extent(shape->as.call.args[i], buffer->shape[i])) return NULL;
    bool at_start = buffer->elem_offset ? tirbi_expr_equal(offset, buffer->elem_offset)
                                        : offset->kind == TIRB_EXPR_INT_IMM && offset->as.int_value == 0;
    return at_start ? buffer : NULL;
}

static bool same_function(comparison *c, const tirb_primfunc *a, const tirb_primfunc *b) {
    if (a->n_params != b->n_params || a->is_private != b->is_private || !same_type(a->ret_type, b->ret_type))
        return false;
    for (uint32_t i = 0; i < a->n_params; i++) {
        /* What binds a buffer is a handle in one spelling and a pointer to its elements in the other. */
        const tirb_expr *x = a->params[i], *y = b->params[i];
        bool bound = a->buffers[i] && b->buffers[i];
        if (!(bound ? pair(&c->vars, x, x->as.var.id, y, y->as.var.id) : same_expr(c, x, y))) return false;
    }
    for (uint32_t i = 0; i < a->n_params; i++)
        if (!same_buffer(c, a->buffers[i], b->buffers[i])) return false;
    if (a->n_may_alias != b->n_may_alias || a->n_required != b->n_required) return false;
    for (uint32_t i = 0; i < a->n_may_alias; i++) {
        const tirb_param_pair *x = &a->may_alias[i], *y = &b->may_alias[i];
        if (x->first != y->first || x->second != y->second) return false;
    }
    return same_text(a->global_symbol, b->global_symbol) && same_attrs(c, a->attrs, a->n_attrs, b->attrs, b->n_attrs) &&
           same_stmt(c, a->body, b->body);
}

static bool start(correspondence *m, uint32_t n_left, uint32_t n_right, tirbi_arena *arena) {
    m->of_left = TIRBI_NEW_ARRAY(arena, const void *, n_left);
    m->of_right = TIRBI_NEW_ARRAY(arena, const void *, n_right);
    m->n_left = n_left;
    m->n_right = n_right;
    return m->of_left && m->of_right;
}

bool tirbi_function_equal(const tirb_irmodule *a_module, const tirb_primfunc *a, const tirb_irmodule *b_module,
                          const tirb_primfunc *b, tirbi_arena *arena) {
    comparison c = {.vars = {.exact = false}};
    if (!start(&c.vars, a_module->n_vars, b_module->n_vars, arena)) return false;
    if (!start(&c.buffers, a_module->n_buffers, b_module->n_buffers, arena)) return false;
    return same_function(&c, a, b);
}

bool tirbi_module_equal(const tirb_irmodule *a, const tirb_irmodule *b, tirbi_arena *arena) {
    if (a->n_functions != b->n_functions) return false;
    for (uint32_t i = 0; i < a->n_functions; i++) {
        uint32_t j = 0;
        while (j < b->n_functions && !same_text(a->functions[i]->name, b->functions[j]->name)) j++;
        if (j == b->n_functions || !tirbi_function_equal(a, a->functions[i], b, b->functions[j], arena)) return false;
    }
    if (a->n_externs != b->n_externs) return false;
    for (uint32_t i = 0; i < a->n_externs; i++) {
        uint32_t j = 0;
        while (j < b->n_externs && !same_text(a->externs[i].name, b->externs[j].name)) j++;
        if (j == b->n_externs || !same_text(a->externs[i].symbol, b->externs[j].symbol)) return false;
    }
    return tirbi_relax_modules_equal(a, b, arena);
}
