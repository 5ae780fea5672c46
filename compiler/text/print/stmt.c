/* Statements. A scoped statement that is the last of its frame prints as a line by itself, and its body after it. */
#include <math.h>
#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/ir/visit.h"
#include "compiler/text/print/printer.h"

static void print_lines(tirbi_printer *p, const tirb_stmt *s, bool last) {
    if (s->kind != TIRB_STMT_SEQ) {
        tirbi_print_stmt(p, s, last);
        return;
    }
    p->crowded |= s->as.seq.n > 1;
    for (uint32_t i = 0; i < s->as.seq.n; i++) tirbi_print_stmt(p, s->as.seq.items[i], last && i + 1 == s->as.seq.n);
}

void tirbi_print_body(tirbi_printer *p, const tirb_stmt *body) {
    uint32_t mark = tirbi_names_mark(p), implied = p->implied.n;
    bool crowded = p->crowded;
    p->crowded = false;
    p->indent++;
    p->depth++;
    if (body) {
        print_lines(p, body, true);
    } else {
        tirbi_put(p, "T.evaluate(0)");
        tirbi_end_line(p);
    }
    p->depth--;
    p->indent--;
    p->crowded = crowded;
    p->implied.n = implied;
    tirbi_names_release(p, mark);
}

/* ---- Scoped statements ------------------------------------------------------------------------------------------ */

/* "name = " or "with " before what opens the scope; `finish_scope` ends the line and prints the body. */
static void start_scope(tirbi_printer *p, bool last, const char *name) {
    if (!last) {
        tirbi_put(p, "with ");
    } else if (name) {
        tirbi_put(p, name);
        tirbi_put(p, " = ");
    }
}

static void finish_scope(tirbi_printer *p, bool last, const char *name, const tirb_stmt *body) {
    if (last) {
        tirbi_end_line(p);
        if (body) print_lines(p, body, true);
        return;
    }
    if (name) {
        tirbi_put(p, " as ");
        tirbi_put(p, name);
    }
    tirbi_put(p, ":");
    tirbi_end_line(p);
    tirbi_print_body(p, body);
}

static bool is_nothing(const tirb_stmt *s) {
    const tirb_expr *value = s && s->kind == TIRB_STMT_EVALUATE ? s->as.evaluate.value : NULL;
    return value && value->kind == TIRB_EXPR_INT_IMM && value->as.int_value == 0;
}

/* The end of what new TVMScript has as statements without a body: nothing stands for an empty rest. */
static void finish_flat(tirbi_printer *p, bool last, const char *name, const tirb_stmt *body) {
    p->crowded = true;
    finish_scope(p, last, name, last && !p->classic && is_nothing(body) ? NULL : body);
}

static void print_let(tirbi_printer *p, const tirb_stmt *s, bool last) {
    const tirb_expr *var = s->as.let.var;
    tirbi_text value = {0};
    tirbi_print_expr(p, s->as.let.value);
    value = p->line;
    p->line = (tirbi_text){0};
    uint32_t mark = tirbi_names_mark(p);
    const char *name = tirbi_name_var(p, var);
    p->bound_at[var->as.var.id] = p->depth + !last;
    if (last) {
        tirbi_put(p, name);
        if (!p->hybrid && (!p->classic || var->as.var.type.kind == TIRB_TYPE_POINTER)) {
            tirbi_put(p, ": T.let[");
            tirbi_print_type(p, var->as.var.type);
            tirbi_put(p, "] = ");
        } else {
            tirbi_put(p, ": ");
            tirbi_print_type(p, var->as.var.type);
            tirbi_put(p, " = ");
        }
        tirbi_print_add(p, &p->line, value.data, value.size);
    } else {
        tirbi_put(p, "with T.LetStmt(");
        tirbi_print_add(p, &p->line, value.data, value.size);
        tirbi_put(p, ")");
    }
    finish_flat(p, last, name, s->as.let.body);
    if (!last) tirbi_names_release(p, mark);
}

static bool is_pragma(const tirb_stmt *s) {
    return s && s->kind == TIRB_STMT_ATTR && !s->as.attr.thread && s->as.attr.node_expr &&
           tirbi_is_const_int(s->as.attr.node_expr, 0) && s->as.attr.value;
}

static bool has_attr(const tirbi_list *attrs, const char *key) {
    for (uint32_t i = 0; i < attrs->n; i++)
        if (strcmp(((const tirb_attr *)attrs->items)[i].key, key) == 0) return true;
    return false;
}

/* T.attr({"key": value, ...}): attributes of nothing, one inside the other, up to a key that is there already. */
static void print_pragmas(tirbi_printer *p, const tirb_stmt *s, bool last) {
    tirbi_list attrs = {.n = 0};
    for (; is_pragma(s) && !has_attr(&attrs, s->as.attr.key); s = s->as.attr.body) {
        tirb_attr *slot = TIRBI_LIST_ADD(p->arena, &attrs, tirb_attr);
        if (!slot) return;
        *slot = (tirb_attr){.key = s->as.attr.key, .value = s->as.attr.value};
    }
    start_scope(p, last, NULL);
    tirbi_put(p, "T.attr(");
    tirbi_print_attrs_in_order(p, attrs.items, attrs.n);
    tirbi_put(p, ")");
    finish_scope(p, last, NULL, s);
}

/* Hybrid Script names the buffers themselves. */
static void print_attr_node(tirbi_printer *p, const tirb_stmt *s) {
    const tirb_expr *node = s->as.attr.node_expr;
    if (!node) {
        if (s->as.attr.reducer)
            tirbi_print_reducer(p, s->as.attr.reducer);
        else
            tirbi_put(p, s->as.attr.node_text);
        return;
    }
    if (s->as.attr.node_buffer && !p->hybrid) {
        tirbi_print_buffer_name(p, s->as.attr.node_buffer);
        return;
    }
    bool list = p->hybrid && node->kind == TIRB_EXPR_CALL && !node->as.call.function &&
                node->as.call.builtin == TIRB_BUILTIN_TVM_TUPLE;
    if (!list) {
        tirbi_print_expr(p, node);
        return;
    }
    tirbi_put(p, "[");
    for (uint32_t i = 0; i < node->as.call.n_args; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_print_expr(p, node->as.call.args[i]);
    }
    tirbi_put(p, "]");
}

static void print_attr(tirbi_printer *p, const tirb_stmt *s, bool last) {
    if (p->crowded && !p->classic)
        last = false; /* TVM writes one without a frame only where its frame has nothing else */
    if (is_pragma(s) && s->as.attr.key[0] && !p->hybrid) {
        print_pragmas(p, s, last);
        return;
    }
    if (!s->as.attr.thread && !s->as.attr.node_expr && !s->as.attr.node_text) {
        tirbi_print_reject(p, s->span, "an attribute of an object that is no expression");
        return;
    }
    const tirb_itervar *thread = s->as.attr.thread;
    const char *name = NULL;
    uint32_t mark = tirbi_names_mark(p);
    if (thread) {
        name = p->vars[thread->var->as.var.id];
        if (!name) name = tirbi_name_var(p, thread->var);
        start_scope(p, last, name);
        tirbi_put(p, "T.launch_thread(");
        tirbi_put_string(p, thread->thread_tag ? thread->thread_tag : "",
                         thread->thread_tag ? strlen(thread->thread_tag) : 0);
        tirbi_put(p, ", ");
    } else {
        start_scope(p, last, NULL);
        tirbi_put(p, "T.attr(");
        print_attr_node(p, s);
        tirbi_put(p, ", ");
        tirbi_put_string(p, s->as.attr.key, strlen(s->as.attr.key));
        tirbi_put(p, ", ");
    }
    tirbi_print_expr(p, s->as.attr.value);
    tirbi_put(p, ")");
    finish_scope(p, last, name, s->as.attr.body);
    if (!last) tirbi_names_release(p, mark);
}

static void print_assert(tirbi_printer *p, const tirb_stmt *s, bool last) {
    const char *kind = s->as.assert_.error_kind ? s->as.assert_.error_kind : "RuntimeError";
    const tirb_expr *message = s->as.assert_.message;
    bool text = message && message->kind == TIRB_EXPR_STRING_IMM;
    tirbi_put(p, last ? "assert " : "with T.Assert(");
    tirbi_print_expr(p, s->as.assert_.condition);
    tirbi_put(p, ", ");
    if (text && !(p->classic && strcmp(kind, "RuntimeError") == 0)) {
        tirbi_put(p, "(");
        tirbi_put_string(p, kind, strlen(kind));
        tirbi_put(p, ", [");
        const char *const *parts = s->as.assert_.parts;
        if (!parts) tirbi_print_expr(p, message);
        for (uint32_t i = 0; parts && i < s->as.assert_.n_parts; i++) {
            if (i) tirbi_put(p, ", ");
            static const char apart[] = "metadata[\"ir.StringImm\"][";
            if (strncmp(parts[i], apart, sizeof apart - 1) == 0) tirbi_put(p, parts[i]);
            else tirbi_put_string(p, parts[i], strlen(parts[i]));
        }
        tirbi_put(p, "])");
    } else {
        tirbi_print_expr(p, message);
    }
    if (!last) tirbi_put(p, ")");
    finish_flat(p, last, NULL, s->as.assert_.body);
}

static const char *allocator_of(const tirbi_printer *p, const tirb_stmt *s) {
    const char *scope = s->as.allocate.buffer->scope;
    if (s->as.allocate.condition || p->hybrid) return "T.allocate(";
    if (scope && strcmp(scope, "local") == 0) return "T.alloc_local(";
    if (scope && strcmp(scope, "shared") == 0) return "T.alloc_shared(";
    return p->classic ? "T.allocate(" : "T.alloc_buffer(";
}

/* T.allocate([extents], "dtype", "scope", condition): the older form, which the classic spelling needs. */
static void print_old_allocation(tirbi_printer *p, const tirb_stmt *s) {
    const tirb_buffer *buffer = s->as.allocate.buffer;
    char type[32];
    tirbi_put(p, "T.allocate([");
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_print_expr(p, buffer->shape[i]);
    }
    tirbi_putf(p, "], \"%s\", ", tirb_datatype_text(buffer->dtype, type));
    const char *scope = buffer->scope && buffer->scope[0] ? buffer->scope : "global";
    tirbi_put_string(p, scope, strlen(scope));
    if (s->as.allocate.condition) {
        tirbi_put(p, ", ");
        tirbi_print_expr(p, s->as.allocate.condition);
    }
}

/* Whether an allocation is what an assigned variable makes, and can be printed as one. */
static bool is_variable(const tirbi_printer *p, const tirb_stmt *s) {
    const tirb_buffer *b = s->as.allocate.buffer;
    if (s->as.allocate.scalar) return true;
    return !p->s_tir && !p->classic && tirbi_is_one_i32(b) && b->scope && strcmp(b->scope, "local") == 0 &&
           !b->strides && !b->n_odd_strides && !b->elem_offset && b->data_alignment == 64 && b->offset_factor <= 1 &&
           !b->auto_broadcast && !b->layout && !s->as.allocate.condition && !s->as.allocate.n_annotations;
}

static void print_allocate(tirbi_printer *p, const tirb_stmt *s, bool last) {
    const tirb_buffer *buffer = s->as.allocate.buffer;
    uint32_t mark = tirbi_names_mark(p);
    const char *name = tirbi_name_buffer(p, buffer), *allocator = allocator_of(p, s);
    p->bound_at[buffer->data->as.var.id] = p->depth + !last;
    char type[32];
    if (is_variable(p, s)) {
        p->scalars[buffer->id] = true;
        if (last && !p->classic) {
            const tirb_stmt *body = s->as.allocate.body;
            const tirb_stmt *first = body && body->kind == TIRB_STMT_SEQ ? body->as.seq.items[0] : body;
            bool fused = first && first->kind == TIRB_STMT_STORE && first->as.store.buffer == buffer &&
                         !first->as.store.predicate && first->as.store.n_indices == 1 &&
                         tirbi_is_const_int(first->as.store.indices[0], 0);
            tirbi_put(p, name);
            tirbi_putf(p, ": T.%s", tirb_datatype_text(buffer->dtype, type));
            if (fused) {
                tirbi_put(p, " = ");
                tirbi_print_expr(p, first->as.store.value);
            }
            tirbi_end_line(p);
            if (!fused) {
                p->crowded = true;
                if (body) print_lines(p, body, true);
            } else if (body != first) {
                for (uint32_t i = 1; i < body->as.seq.n; i++)
                    tirbi_print_stmt(p, body->as.seq.items[i], i + 1 == body->as.seq.n);
            }
            return;
        }
        start_scope(p, last, name);
        tirbi_putf(p, "T.local_scalar(\"%s\")", tirb_datatype_text(buffer->dtype, type));
        finish_flat(p, last, name, s->as.allocate.body);
        if (!last) tirbi_names_release(p, mark);
        return;
    }
    start_scope(p, last, name);
    if (strcmp(allocator, "T.allocate(") == 0) {
        print_old_allocation(p, s);
    } else {
        tirbi_put(p, allocator);
        tirbi_print_buffer_args(p, buffer, NULL, false, strcmp(allocator, "T.alloc_buffer(") == 0);
    }
    if (s->as.allocate.n_annotations) {
        tirbi_put(p, ", annotations=");
        tirbi_print_attrs(p, s->as.allocate.annotations, s->as.allocate.n_annotations);
    }
    tirbi_put(p, ")");
    finish_flat(p, last, name, s->as.allocate.body);
    if (!last) tirbi_names_release(p, mark);
}

/* A number as it stands in a list whose type is written beside it. */
static void print_plain_number(tirbi_printer *p, const tirb_expr *e) {
    bool special = e->kind == TIRB_EXPR_FLOAT_IMM && !isfinite(e->as.float_value);
    if (special) tirbi_print_expr(p, e);
    else if (e->kind == TIRB_EXPR_FLOAT_IMM)
        tirbi_putf(p, e->as.float_value == floor(e->as.float_value) ? "%.1f" : "%.17g", e->as.float_value);
    else if (tirbi_type_is_bool(e->dtype)) tirbi_put(p, e->as.int_value ? "True" : "False");
    else if (e->dtype.code == TIRB_CODE_UINT) tirbi_putf(p, "%llu", (unsigned long long)e->as.int_value);
    else tirbi_putf(p, "%lld", (long long)e->as.int_value);
}

static void print_constant(tirbi_printer *p, const tirb_stmt *s, bool last) {
    const tirb_buffer *buffer = s->as.allocate.buffer;
    uint32_t mark = tirbi_names_mark(p);
    const char *name = tirbi_name_buffer(p, buffer);
    char type[32];
    start_scope(p, last, name);
    tirbi_put(p, "T.allocate_const([");
    for (uint32_t i = 0; i < s->as.allocate.n_elements; i++) {
        if (i) tirbi_put(p, ", ");
        print_plain_number(p, s->as.allocate.elements[i]);
    }
    tirbi_putf(p, "], \"%s\", [", tirb_datatype_text(buffer->dtype, type));
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_print_expr(p, buffer->shape[i]);
    }
    tirbi_put(p, "]");
    if (s->as.allocate.n_annotations) {
        tirbi_put(p, ", ");
        tirbi_print_attrs(p, s->as.allocate.annotations, s->as.allocate.n_annotations);
    }
    tirbi_put(p, ")");
    finish_flat(p, last, name, s->as.allocate.body);
    if (!last) tirbi_names_release(p, mark);
}

static void print_prefetch(tirbi_printer *p, const tirb_stmt *s) {
    tirbi_put(p, "T.prefetch(");
    tirbi_print_buffer_name(p, s->as.prefetch.buffer);
    tirbi_put(p, ", [");
    for (uint32_t i = 0; i < s->as.prefetch.buffer->ndim; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_put(p, "T.Range(");
        tirbi_print_bounds(p, &s->as.prefetch.bounds[i], ", ");
        tirbi_put(p, ")");
    }
    tirbi_put(p, "])");
    tirbi_end_line(p);
}

static bool same_size(const tirb_expr *a, const tirb_expr *b) { return a == b || (a && b && tirbi_expr_equal(a, b)); }

static bool same_offset(const tirb_buffer *a, const tirb_buffer *b) {
    const tirb_expr *x = a->elem_offset, *y = b->elem_offset;
    if (x && y) return tirbi_expr_equal(x, y);
    if ((x && !tirbi_is_const_int(x, 0)) || (y && !tirbi_is_const_int(y, 0))) return false;
    return tirb_datatype_equal(x ? x->dtype : tirbi_offset_type(a), y ? y->dtype : tirbi_offset_type(b));
}

static bool same_layout(const tirb_buffer *view, const tirb_buffer *of) {
    if (!view->layout || !of->layout) return view->layout == of->layout;
    return strcmp(view->layout, of->layout) == 0 && strcmp(view->layout, "None") == 0;
}

/* Whether a view is all of a buffer as another type: the last extent grows or shrinks with it. TVM reads its text of
 * these in functions whose buffers have layouts alone. */
static bool is_retyped(tirbi_printer *p, const tirb_buffer *view, const tirb_buffer *of) {
    if (p->s_tir || of->layout || view->ndim != of->ndim || view->dtype.lanes != 1 || of->dtype.lanes != 1)
        return false;
    for (uint32_t d = 0; d + 1 < view->ndim; d++)
        if (!same_size(view->shape[d], of->shape[d])) return false;
    const uint32_t from = of->dtype.bits, to = view->dtype.bits, many = from > to ? from : to,
                   few = from > to ? to : from;
    if (few < 8 || many % few) return false;
    if (view->elem_offset && !tirbi_is_const_int(view->elem_offset, 0)) return false;
    const tirb_expr *size = view->shape[view->ndim - 1], *all = of->shape[of->ndim - 1];
    const tirb_expr *ratio = tirbi_make_int(&p->builder, all->span, all->dtype, many / few);
    const tirb_expr_kind kind = from > to ? TIRB_EXPR_MUL : TIRB_EXPR_FLOORDIV;
    return same_size(size, ratio ? tirbi_make_binary(&p->builder, all->span, kind, all, ratio) : NULL);
}

/* The buffer of which a declaration is a plain view: nothing but its shape, or its type, differs. */
static const tirb_buffer *plain_view_of(tirbi_printer *p, const tirb_stmt *s) {
    const tirb_buffer *view = s->as.decl.buffer;
    if (p->classic || s->as.decl.source || view->data->kind != TIRB_EXPR_VAR) return NULL;
    const tirb_buffer *of = view->over ? view->over : view->data->as.var.data_of;
    bool plain = of && of != view && !of->is_implied && !view->auto_broadcast && !view->strides && !of->strides &&
                 !view->n_odd_strides && view->data_alignment == of->data_alignment &&
                 view->offset_factor == of->offset_factor && same_layout(view, of) && view->ndim &&
                 same_offset(view, of) && strcmp(view->scope, of->scope) == 0;
    if (!plain) return NULL;
    if (!tirb_datatype_equal(view->dtype, of->dtype)) return is_retyped(p, view, of) ? of : NULL;
    bool same_shape = view->ndim == of->ndim;
    for (uint32_t d = 0; d < view->ndim && same_shape; d++) same_shape = same_size(view->shape[d], of->shape[d]);
    return same_shape ? NULL : of; /* which TVM declares again */
}

static void print_plain_view(tirbi_printer *p, const tirb_stmt *s, const tirb_buffer *of, bool last) {
    const tirb_buffer *view = s->as.decl.buffer;
    const bool retyped = !tirb_datatype_equal(view->dtype, of->dtype);
    uint32_t mark = tirbi_names_mark(p);
    char type[32];
    tirbi_print_buffer_name(p, of);
    tirbi_put(p, ".view(");
    if (retyped) tirbi_putf(p, "\"%s\"", tirb_datatype_text(view->dtype, type));
    for (uint32_t i = 0; i < view->ndim && !retyped; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_print_expr(p, view->shape[i]);
    }
    tirbi_put(p, ")");
    tirbi_text rest = p->line;
    p->line = (tirbi_text){0};
    const char *name = tirbi_name_buffer(p, view);
    start_scope(p, last, name);
    tirbi_print_add(p, &p->line, rest.data, rest.size);
    finish_flat(p, last, name, s->as.decl.body);
    if (!last) tirbi_names_release(p, mark);
}

static void print_decl(tirbi_printer *p, const tirb_stmt *s, bool last) {
    const tirb_buffer *buffer = s->as.decl.buffer, *of = plain_view_of(p, s);
    if (of) {
        print_plain_view(p, s, of, last);
        return;
    }
    uint32_t mark = tirbi_names_mark(p);
    tirbi_text rest;
    if (p->hybrid && last && (tirbi_is_implied(p, buffer) || tirbi_print_implied(p, s))) {
        if (s->as.decl.body) print_lines(p, s->as.decl.body, true);
        return;
    }
    if (s->as.decl.source) p->bound_at[buffer->data->as.var.id] = p->depth + !last;
    tirbi_print_buffer_args(p, buffer, s->as.decl.source ? s->as.decl.source : buffer->data, false, true);
    rest = p->line;
    p->line = (tirbi_text){0};
    const char *name = tirbi_name_buffer(p, buffer);
    start_scope(p, last, name);
    tirbi_put(p, "T.decl_buffer(");
    tirbi_print_add(p, &p->line, rest.data, rest.size);
    tirbi_put(p, ")");
    finish_flat(p, last, name, s->as.decl.body);
    if (!last) tirbi_names_release(p, mark);
}

/* T.realize(buffer[region], "scope", condition) */
static void print_realize(tirbi_printer *p, const tirb_stmt *s, bool last) {
    const tirb_buffer *buffer = s->as.realize.buffer;
    uint32_t mark = tirbi_names_mark(p);
    p->bound_at[buffer->data->as.var.id] = p->depth + !last;
    start_scope(p, last, NULL);
    tirbi_put(p, "T.realize(");
    tirbi_print_region(p, buffer, s->as.realize.bounds);
    tirbi_put(p, ", ");
    tirbi_put_string(p, buffer->scope ? buffer->scope : "", buffer->scope ? strlen(buffer->scope) : 0);
    if (s->as.realize.condition) {
        tirbi_put(p, ", ");
        tirbi_print_expr(p, s->as.realize.condition);
    }
    tirbi_put(p, ")");
    finish_scope(p, last, NULL, s->as.realize.body);
    if (!last) tirbi_names_release(p, mark);
}

/* ---- Blocks ----------------------------------------------------------------------------------------------------- */

bool tirbi_contains_block(const tirb_stmt *s) {
    if (!s) return false;
    switch (s->kind) {
    case TIRB_STMT_BLOCK_REALIZE: return true;
    case TIRB_STMT_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++)
            if (tirbi_contains_block(s->as.seq.items[i])) return true;
        return false;
    case TIRB_STMT_IF: return tirbi_contains_block(s->as.if_.then_case) || tirbi_contains_block(s->as.if_.else_case);
    case TIRB_STMT_FOR: return tirbi_contains_block(s->as.for_.body);
    case TIRB_STMT_WHILE: return tirbi_contains_block(s->as.while_.body);
    case TIRB_STMT_LET: return tirbi_contains_block(s->as.let.body);
    case TIRB_STMT_ATTR: return tirbi_contains_block(s->as.attr.body);
    case TIRB_STMT_ASSERT: return tirbi_contains_block(s->as.assert_.body);
    case TIRB_STMT_ALLOCATE: return tirbi_contains_block(s->as.allocate.body);
    case TIRB_STMT_DECL_BUFFER: return tirbi_contains_block(s->as.decl.body);
    case TIRB_STMT_BUFFER_REALIZE: return tirbi_contains_block(s->as.realize.body);
    default: return false;
    }
}

static bool is_remap(const tirbi_printer *p, const tirb_itervar *iter, const tirb_expr *value) {
    if (iter->type != TIRB_ITER_DATA_PAR && iter->type != TIRB_ITER_COMM_REDUCE) return false;
    if (!value || value->kind != TIRB_EXPR_VAR) return false;
    const tirb_stmt *const *loops = p->loops.items;
    for (uint32_t i = p->loops.n; i-- > 0;) {
        if (loops[i]->as.for_.var != value) continue;
        return tirbi_expr_equal(loops[i]->as.for_.min, iter->dom.min) &&
               tirbi_expr_equal(loops[i]->as.for_.extent, iter->dom.extent);
    }
    return false;
}

/* Where a domain ends: of x - begin it is x, else the sum of both, folded where that is read as the same extent. */
static void print_domain(tirbi_printer *p, const tirb_range *dom) {
    const tirb_expr *x = dom->extent, *min = dom->min;
    bool minus = x->kind == TIRB_EXPR_SUB && tirbi_expr_equal(x->as.binary.b, min);
    const tirb_expr *stop = minus ? x->as.binary.a : tirbi_make_binary(&p->builder, min->span, TIRB_EXPR_ADD, min, x);
    const tirb_expr *read = stop ? tirbi_make_domain(&p->builder, min->span, stop, min) : NULL;
    if (!read || !tirbi_expr_equal(read, x))
        stop = tirbi_make_raw_binary(&p->builder, min->span, TIRB_EXPR_ADD, min, x);
    tirbi_print_expr(p, min);
    tirbi_put(p, ", ");
    if (stop) tirbi_print_expr(p, stop);
}

static void print_axis(tirbi_printer *p, const tirb_itervar *iter, const tirb_expr *value) {
    const char *kind = iter->type == TIRB_ITER_DATA_PAR      ? "spatial"
                       : iter->type == TIRB_ITER_COMM_REDUCE ? "reduce"
                       : iter->type == TIRB_ITER_ORDERED     ? "scan"
                                                             : "opaque";
    tirbi_put(p, tirbi_name_var(p, iter->var));
    tirbi_putf(p, " = T.axis.%s(", kind);
    if (tirbi_is_const_int(iter->dom.min, 0)) {
        tirbi_print_expr(p, iter->dom.extent);
    } else {
        tirbi_put(p, "(");
        print_domain(p, &iter->dom);
        tirbi_put(p, ")");
    }
    if (value) { /* a block that is not realized has none */
        tirbi_put(p, ", ");
        tirbi_print_expr(p, value);
    }
    char type[32];
    if (iter->var->dtype.bits > 32 && iter->dom.extent->dtype.bits <= 32 && iter->dom.min->dtype.bits <= 32)
        tirbi_putf(p, ", dtype=\"%s\"", tirb_datatype_text(iter->var->dtype, type));
    tirbi_put(p, ")");
    tirbi_end_line(p);
}

static void print_axes(tirbi_printer *p, const tirb_block *block, const tirb_expr *const *values) {
    for (uint32_t i = 0; i < block->n_iters;) {
        uint32_t end = i;
        while (end < block->n_iters && is_remap(p, &block->iters[end], values ? values[end] : NULL)) end++;
        if (end - i < 2) {
            print_axis(p, &block->iters[i], values ? values[i] : NULL);
            i++;
            continue;
        }
        for (uint32_t j = i; j < end; j++) {
            if (j > i) tirbi_put(p, ", ");
            tirbi_put(p, tirbi_name_var(p, block->iters[j].var));
        }
        tirbi_put(p, " = T.axis.remap(\"");
        for (uint32_t j = i; j < end; j++) tirbi_put(p, block->iters[j].type == TIRB_ITER_DATA_PAR ? "S" : "R");
        tirbi_put(p, "\", [");
        for (uint32_t j = i; j < end; j++) {
            if (j > i) tirbi_put(p, ", ");
            tirbi_print_expr(p, values[j]);
        }
        tirbi_put(p, "])");
        tirbi_end_line(p);
        i = end;
    }
}

static void print_regions(tirbi_printer *p, const char *what, const tirb_buffer_region *regions, uint32_t n) {
    tirbi_putf(p, "T.%s(", what);
    for (uint32_t i = 0; i < n; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_print_region(p, regions[i].buffer, regions[i].region);
    }
    tirbi_put(p, ")");
    tirbi_end_line(p);
}

void tirbi_print_block_alloc(tirbi_printer *p, const tirb_buffer *buffer) {
    tirbi_put(p, tirbi_name_buffer(p, buffer));
    tirbi_put(p, p->classic ? " = T.alloc_buffer(" : " = T.sblock_alloc_buffer(");
    tirbi_print_buffer_args(p, buffer, NULL, false, true);
    tirbi_put(p, ")");
    tirbi_end_line(p);
}

static void print_match(tirbi_printer *p, const tirb_match_buffer *match) {
    tirbi_print_region(p, match->source.buffer, match->source.region);
    tirbi_put(p, ", ");
    const char *name = tirbi_name_buffer(p, match->buffer);
    p->place = TIRBI_PRINT_MATCH;
    tirbi_print_buffer_args(p, match->buffer, NULL, false, true);
    p->place = TIRBI_PRINT_BODY;
    tirbi_text rest = p->line;
    p->line = (tirbi_text){0};
    tirbi_put(p, name);
    tirbi_put(p, " = T.match_buffer(");
    tirbi_print_add(p, &p->line, rest.data, rest.size);
    tirbi_put(p, ")");
    tirbi_end_line(p);
}

static void print_block(tirbi_printer *p, const tirb_stmt *s) {
    const tirb_block *block = s->as.block.block;
    uint32_t mark = tirbi_names_mark(p), implied = p->implied.n;
    bool headed = tirbi_print_block_head(p, s);
    if (!headed) {
        tirbi_put(p, p->classic ? "with T.block(" : "with T.sblock(");
        tirbi_put_string(p, block->name ? block->name : "", block->name ? strlen(block->name) : 0);
        tirbi_put(p, block->no_realize ? ", no_realize=True):" : "):");
        tirbi_end_line(p);
    }
    p->indent++;
    p->depth++;
    if (!headed) print_axes(p, block, s->as.block.values);
    for (uint32_t i = 0; i < block->n_allocs; i++) p->bound_at[block->allocs[i]->data->as.var.id] = p->depth;
    for (uint32_t i = 0; i < block->n_matches; i++) p->bound_at[block->matches[i].buffer->data->as.var.id] = p->depth;
    if (s->as.block.predicate) {
        tirbi_put(p, "T.where(");
        tirbi_print_expr(p, s->as.block.predicate);
        tirbi_put(p, ")");
        tirbi_end_line(p);
    }
    if (block->has_reads) print_regions(p, "reads", block->reads, block->n_reads);
    if (block->has_writes) print_regions(p, "writes", block->writes, block->n_writes);
    if (block->n_annotations) {
        tirbi_put(p, p->classic ? "T.block_attr(" : "T.sblock_attr(");
        tirbi_print_attrs(p, block->annotations, block->n_annotations);
        tirbi_put(p, ")");
        tirbi_end_line(p);
    }
    for (uint32_t i = 0; i < block->n_allocs; i++) tirbi_print_block_alloc(p, block->allocs[i]);
    for (uint32_t i = 0; i < block->n_matches; i++) print_match(p, &block->matches[i]);
    if (block->init) {
        tirbi_put(p, "with T.init():");
        tirbi_end_line(p);
        tirbi_print_body(p, block->init);
    }
    bool crowded = p->crowded;
    p->crowded = false;
    if (block->body) print_lines(p, block->body, true);
    p->crowded = crowded;
    p->implied.n = implied;
    p->depth--;
    p->indent--;
    tirbi_names_release(p, mark);
}

/* ---- Loops and simple statements -------------------------------------------------------------------------------- */

typedef struct search {
    const tirb_stmt *const *loops;
    uint32_t n;
    bool found;
} search;

static void find_loop_var(tirbi_visitor *visitor, const tirb_expr *e) {
    search *s = visitor->context;
    if (e->kind == TIRB_EXPR_VAR) {
        for (uint32_t i = 0; i < s->n; i++) s->found = s->found || s->loops[i]->as.for_.var == e;
    } else {
        tirbi_visit_expr(visitor, e);
    }
}

static bool mentions_name(const tirb_expr *e, const tirb_stmt *const *loops, uint32_t n) {
    if (!e) return false;
    if (e->kind == TIRB_EXPR_VAR) {
        for (uint32_t i = 0; i < n; i++)
            if (loops[i]->as.for_.var == e) return true;
        return false;
    }
    if (e->kind == TIRB_EXPR_INT_IMM) return false;
    if (e->kind == TIRB_EXPR_CAST) return mentions_name(e->as.cast.value, loops, n);
    if (e->kind >= TIRB_EXPR_ADD && e->kind <= TIRB_EXPR_GE)
        return mentions_name(e->as.binary.a, loops, n) || mentions_name(e->as.binary.b, loops, n);
    search found = {loops, n, false};
    tirbi_visitor visitor = {.expr = find_loop_var, .context = &found};
    tirbi_visit_expr(&visitor, e);
    return found.found;
}

static bool is_plain_loop(const tirb_stmt *s) {
    return s && s->kind == TIRB_STMT_FOR && s->as.for_.kind == TIRB_FOR_SERIAL && !s->as.for_.step &&
           !s->as.for_.n_annotations && tirbi_is_const_int(s->as.for_.min, 0);
}

/* The loops that print as one T.grid, from `s` inwards, into `out`. */
static uint32_t collect_grid(tirbi_printer *p, const tirb_stmt *s, tirbi_list *out) {
    while (is_plain_loop(s) && !mentions_name(s->as.for_.extent, out->items, out->n)) {
        const tirb_stmt **slot = TIRBI_LIST_ADD(p->arena, out, const tirb_stmt *);
        if (!slot) return 0;
        *slot = s;
        s = s->as.for_.body;
    }
    return out->n;
}

/* TVM writes these two annotations of a serial loop as `unroll=`. */
static void print_loop_annotations(tirbi_printer *p, const tirb_stmt *s) {
    const tirb_attr *only = &s->as.for_.annotations[0];
    bool sugar = s->as.for_.n_annotations == 1 && s->as.for_.kind == TIRB_FOR_SERIAL && !p->classic && only->value;
    if (sugar && strcmp(only->key, "pragma_unroll") == 0) {
        tirbi_put(p, ", unroll=");
        tirbi_print_attr_value(p, only);
    } else if (sugar && strcmp(only->key, "disable_unroll") == 0 && tirbi_is_const_int(only->value, 1)) {
        tirbi_put(p, ", unroll=False");
    } else {
        tirbi_put(p, ", annotations=");
        tirbi_print_attrs(p, s->as.for_.annotations, s->as.for_.n_annotations);
    }
}

static void print_loop_head(tirbi_printer *p, const tirb_stmt *s) {
    static const char *const names[] = {"serial", "parallel", "vectorized", "unroll", "thread_binding"};
    tirb_range bounds = {s->as.for_.min, s->as.for_.extent};
    /* range(n) has a variable of 32 bits or more. */
    bool narrow =
        bounds.extent->dtype.bits < 32 && tirbi_is_const_int(bounds.min, 0) && !s->as.for_.step && !p->classic;
    bool range = s->as.for_.kind == TIRB_FOR_SERIAL && !s->as.for_.n_annotations && !narrow, exact = true;
    tirbi_print_stop(p, &bounds, &exact);
    if (range && !exact && !s->as.for_.step) {
        bool moved = !tirbi_is_const_int(bounds.min, 0);
        tirbi_put(p, moved ? "T.grid((" : "T.grid(");
        if (moved) {
            tirbi_print_expr(p, bounds.min);
            tirbi_put(p, ", ");
        }
        tirbi_print_expr(p, bounds.extent);
        tirbi_put(p, moved ? "))" : ")");
        return;
    }
    if (range && p->hybrid && !s->as.for_.step) {
        tirbi_put(p, "T.range(");
        tirbi_print_bounds(p, &bounds, ", ");
        tirbi_put(p, ")");
        return;
    }
    if (range) {
        tirbi_put(p, "range(");
    } else {
        tirbi_putf(p, "T.%s(", names[s->as.for_.kind]);
    }
    if (tirbi_is_const_int(bounds.min, 0) && !s->as.for_.step) {
        tirbi_print_expr(p, bounds.extent);
    } else {
        tirbi_print_bounds(p, &bounds, ", ");
    }
    if (s->as.for_.kind == TIRB_FOR_THREAD_BINDING && s->as.for_.thread_tag) {
        tirbi_put(p, ", thread=");
        tirbi_put_string(p, s->as.for_.thread_tag, strlen(s->as.for_.thread_tag));
    }
    if (s->as.for_.n_annotations) print_loop_annotations(p, s);
    if (s->as.for_.step) {
        tirbi_put(p, range ? ", " : ", step=");
        tirbi_print_expr(p, s->as.for_.step);
    }
    tirbi_put(p, ")");
}

static void print_loops(tirbi_printer *p, const tirb_stmt *s) {
    tirbi_list grid = {.n = 0};
    uint32_t n = collect_grid(p, s, &grid), mark = tirbi_names_mark(p), loops = p->loops.n;
    const tirb_stmt *one = s, *const *items = n > 1 ? grid.items : &one;
    if (n < 2) n = 1;
    tirbi_text names = {0};
    /* The extents do not see the variables, and come first: what they declare stands before the loop. */
    if (n == 1) {
        print_loop_head(p, s);
    } else {
        tirbi_put(p, "T.grid(");
        for (uint32_t i = 0; i < n; i++) {
            if (i) tirbi_put(p, ", ");
            tirbi_print_expr(p, items[i]->as.for_.extent);
        }
        tirbi_put(p, ")");
    }
    tirbi_text head = p->line;
    p->line = names;
    tirbi_put(p, "for ");
    for (uint32_t i = 0; i < n; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_put(p, tirbi_name_var(p, items[i]->as.for_.var));
        const tirb_stmt **slot = TIRBI_LIST_ADD(p->arena, &p->loops, const tirb_stmt *);
        if (slot) *slot = items[i];
    }
    tirbi_put(p, " in ");
    tirbi_print_add(p, &p->line, head.data, head.size);
    tirbi_put(p, ":");
    tirbi_end_line(p);
    tirbi_print_body(p, items[n - 1]->as.for_.body);
    p->loops.n = loops;
    tirbi_names_release(p, mark);
}

static void print_indices(tirbi_printer *p, const tirb_stmt *s) {
    for (uint32_t i = 0; i < s->as.store.n_indices; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_print_expr(p, s->as.store.indices[i]);
    }
}

static void print_masked_store(tirbi_printer *p, const tirb_stmt *s) {
    if (!p->classic) tirbi_put(p, "T.masked_store(");
    tirbi_print_buffer_name(p, s->as.store.buffer);
    if (p->classic) {
        tirbi_put(p, ".vstore([");
        print_indices(p, s);
        tirbi_put(p, "]");
    }
    tirbi_put(p, ", ");
    tirbi_print_expr(p, s->as.store.value);
    tirbi_put(p, ", ");
    if (p->classic) {
        tirbi_put(p, "predicate=");
    } else {
        print_indices(p, s);
        tirbi_put(p, ", ");
    }
    tirbi_print_expr(p, s->as.store.predicate);
    tirbi_put(p, ")");
}

static void print_store(tirbi_printer *p, const tirb_stmt *s) {
    if (tirbi_is_implied(p, s->as.store.buffer)) {
        tirbi_print_pointer_store(p, s);
        return;
    }
    if (s->as.store.predicate) {
        print_masked_store(p, s);
    } else {
        tirbi_print_access(p, s->as.store.buffer, s->as.store.indices, s->as.store.n_indices, true);
        tirbi_put(p, " = ");
        tirbi_print_expr(p, s->as.store.value);
    }
    tirbi_end_line(p);
}

static void print_if(tirbi_printer *p, const tirb_stmt *s) {
    tirbi_put(p, "if ");
    tirbi_print_expr(p, s->as.if_.condition);
    tirbi_put(p, ":");
    tirbi_end_line(p);
    tirbi_print_body(p, s->as.if_.then_case);
    if (!s->as.if_.else_case) return;
    tirbi_put(p, "else:");
    tirbi_end_line(p);
    tirbi_print_body(p, s->as.if_.else_case);
}

static void print_jump(tirbi_printer *p, const tirb_stmt *s, const char *classic, const char *modern,
                       const char *statement) {
    tirbi_put(p, s->as.jump.is_statement ? statement : p->classic ? classic : modern);
    tirbi_end_line(p);
}

void tirbi_print_stmt(tirbi_printer *p, const tirb_stmt *s, bool last) {
    if (!s || p->arena->failed) return;
    switch (s->kind) {
    case TIRB_STMT_LET: print_let(p, s, last); break;
    case TIRB_STMT_ATTR: print_attr(p, s, last); break;
    case TIRB_STMT_ASSERT: print_assert(p, s, last); break;
    case TIRB_STMT_STORE: print_store(p, s); break;
    case TIRB_STMT_ALLOCATE: print_allocate(p, s, last); break;
    case TIRB_STMT_DECL_BUFFER: print_decl(p, s, last); break;
    case TIRB_STMT_SEQ: print_lines(p, s, last); break;
    case TIRB_STMT_IF: print_if(p, s); break;
    case TIRB_STMT_EVALUATE:
        if (s->as.evaluate.value && tirbi_prints_call(p, s->as.evaluate.value)) {
            tirbi_print_expr(p, s->as.evaluate.value);
        } else {
            tirbi_put(p, "T.evaluate(");
            tirbi_print_expr(p, s->as.evaluate.value);
            tirbi_put(p, ")");
        }
        tirbi_end_line(p);
        break;
    case TIRB_STMT_RETURN:
        tirbi_put(p, "return");
        if (s->as.evaluate.value) {
            tirbi_put(p, " ");
            tirbi_print_expr(p, s->as.evaluate.value);
        }
        tirbi_end_line(p);
        break;
    case TIRB_STMT_FOR: print_loops(p, s); break;
    case TIRB_STMT_WHILE:
        tirbi_put(p, "while ");
        tirbi_print_expr(p, s->as.while_.condition);
        tirbi_put(p, ":");
        tirbi_end_line(p);
        tirbi_print_body(p, s->as.while_.body);
        break;
    case TIRB_STMT_BLOCK_REALIZE: print_block(p, s); break;
    case TIRB_STMT_BREAK: print_jump(p, s, "break", "T.break_loop()", "T.Break()"); break;
    case TIRB_STMT_CONTINUE: print_jump(p, s, "continue", "T.continue_loop()", "T.Continue()"); break;
    case TIRB_STMT_BUFFER_REALIZE: print_realize(p, s, last); break;
    case TIRB_STMT_ALLOCATE_CONST: print_constant(p, s, last); break;
    case TIRB_STMT_PREFETCH: print_prefetch(p, s); break;
    }
}
