/* Statements. */
#include <math.h>
#include <string.h>

#include "compiler/text/script/names.h"
#include "compiler/text/script/script.h"

/* ---- Emitting --------------------------------------------------------------------------------------------------- */

void tirbi_emit_return(tirbi_script *s, tirbi_span span, const tirb_expr *value) {
    tirb_primfunc *ir = s->function->ir;
    char left[32], right[32];
    if (value && !s->function->return_known) {
        ir->ret_type = tirbi_type_is_handle(value->dtype) ? tirbi_pointer_type(tirbi_type_void, "")
                                                          : tirbi_prim_type(value->dtype);
        s->function->return_known = true;
    }
    bool returns = ir->ret_type.kind != TIRB_TYPE_TUPLE;
    if (s->function->return_known && returns != (value != NULL)) {
        tirbi_fail(s, TIRB_TYPE, span, returns ? "`%s` must return a value" : "`%s` returns no value", ir->name);
        return;
    }
    if (value && ir->ret_type.kind == TIRB_TYPE_PRIM && !tirb_datatype_equal(ir->ret_type.dtype, value->dtype)) {
        tirbi_fail(s, TIRB_TYPE, span, "`%s` returns %s, not %s", ir->name,
                   tirb_datatype_text(ir->ret_type.dtype, left), tirb_datatype_text(value->dtype, right));
        return;
    }
    tirb_stmt *stmt = tirbi_make_stmt(&s->builder, span, TIRB_STMT_RETURN);
    if (stmt) stmt->as.evaluate.value = value;
    tirbi_emit(&s->builder, stmt);
}

void tirbi_emit_jump(tirbi_script *s, tirbi_span span, tirb_stmt_kind kind, bool is_statement) {
    const tirbi_frame *frames = s->builder.frames.items;
    for (uint32_t i = s->builder.frames.n; i > 0; i--) {
        if (frames[i - 1].kind != TIRBI_FRAME_FOR && frames[i - 1].kind != TIRBI_FRAME_WHILE) continue;
        tirb_stmt *stmt = tirbi_make_stmt(&s->builder, span, kind);
        if (stmt) stmt->as.jump.is_statement = is_statement;
        tirbi_emit(&s->builder, stmt);
        return;
    }
    tirbi_fail(s, TIRB_SYNTAX, span, "'%s' outside a loop", kind == TIRB_STMT_BREAK ? "break" : "continue");
}

void tirbi_emit_value(tirbi_script *s, tirbi_span span, const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_CALL && !e->as.call.function_name) {
        if (e->as.call.builtin == TIRB_BUILTIN_RET) {
            tirbi_emit_return(s, span, e->as.call.args[0]);
            return;
        }
        if (e->as.call.builtin == TIRB_BUILTIN_BREAK_LOOP || e->as.call.builtin == TIRB_BUILTIN_CONTINUE_LOOP) {
            tirbi_emit_jump(
                s, span, e->as.call.builtin == TIRB_BUILTIN_BREAK_LOOP ? TIRB_STMT_BREAK : TIRB_STMT_CONTINUE, false);
            return;
        }
    }
    tirbi_emit_evaluate(&s->builder, span, e);
}

static void emit_form(tirbi_script *s, const tirbi_form *form) {
    for (uint32_t i = 0; i < form->n_stmts; i++) tirbi_emit_scope(&s->builder, form->stmts[i]);
}

static const char *form_text(const tirbi_form *form) {
    switch (form->kind) {
    case TIRBI_FORM_LOOPS:
        return "a loop is entered with 'for'";
    case TIRBI_FORM_BLOCK:
        return "a block is entered with 'with'";
    default:
        return "this is entered with 'with'";
    }
}

/* ---- Assignment ------------------------------------------------------------------------------------------------- */

static void store_element(tirbi_script *s, tirbi_span span, const tirb_buffer *buffer, const tirb_expr *value) {
    const tirb_expr **index = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, 1);
    if (!index || !value) return;
    index[0] = tirbi_make_int(&s->builder, span, tirbi_type_i32, 0);
    tirbi_emit_store(&s->builder, span, buffer, value, index, 1, NULL);
}

/* A new variable that can be assigned to: a local buffer of one element. */
static const tirb_buffer *allocate_variable(tirbi_script *s, const tirbi_node *target, tirb_datatype dtype) {
    const tirb_expr **shape = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, 1);
    if (!shape) return NULL;
    shape[0] = tirbi_make_int(&s->builder, target->span, tirbi_type_i32, 1);
    tirb_buffer *buffer = tirbi_make_buffer(&s->builder, target->span, target->name, dtype, shape, 1, "local");
    tirb_stmt *stmt = buffer ? tirbi_make_stmt(&s->builder, target->span, TIRB_STMT_ALLOCATE) : NULL;
    if (!stmt) return NULL;
    stmt->as.allocate.buffer = buffer;
    stmt->as.allocate.scalar = true;
    tirbi_value v = tirbi_value_buffer(buffer);
    v.scalar = true;
    if (!tirbi_bind(s, target->name, target->span, v)) return NULL;
    tirbi_emit_scope(&s->builder, stmt);
    return buffer;
}

static void bind_let(tirbi_script *s, const tirbi_node *target, tirbi_span span, tirb_type type,
                     const tirb_expr *value) {
    const tirb_expr *var = tirbi_make_var(&s->builder, target->span, target->name, type);
    tirbi_value v = tirbi_let_scope(s, span, var, value);
    bool bound = tirbi_bind(s, target->name, target->span, tirbi_is_error(&v) ? v : tirbi_value_expr(var));
    if (bound && !tirbi_is_error(&v)) emit_form(s, v.as.form);
}

static tirb_type let_type_of(const tirb_expr *value) {
    return tirbi_type_is_handle(value->dtype) ? tirbi_pointer_type_of(value) : tirbi_prim_type(value->dtype);
}

static void warn_of_fraction(tirbi_script *s, const tirbi_value *value, const tirbi_node *target,
                             const tirb_buffer *buffer) {
    const tirb_datatype to = buffer->dtype;
    char text[32];
    if (value->kind == TIRBI_VALUE_FLOAT && !tirbi_type_is_float(to) && !tirbi_type_is_bool(to) &&
        value->as.real != trunc(value->as.real))
        tirbi_report_warning(s->diagnostics, value->node ? value->node->span : target->span,
                             "`%s` is %s: storing %g there loses its fraction", buffer->name,
                             tirb_datatype_text(to, text), value->as.real);
}

static void assign_prim(tirbi_script *s, const tirbi_node *target, tirbi_span span, const tirbi_value *value) {
    const tirbi_binding *old = tirbi_lookup(s, target->name);
    if (old && tirbi_is_element(&old->value)) {
        const tirb_buffer *buffer = old->value.as.buffer;
        warn_of_fraction(s, value, target, buffer);
        store_element(s, span, buffer, tirbi_to_typed(s, value, tirbi_type_element(buffer->dtype)));
        return;
    }
    const tirb_expr *e = tirbi_to_expr(s, value);
    if (!e) {
        if (!old) tirbi_bind(s, target->name, target->span, tirbi_value_error());
        return;
    }
    if (tirbi_classic(s) || tirbi_type_is_handle(e->dtype)) {
        bind_let(s, target, span, let_type_of(e), e);
        return;
    }
    const tirb_buffer *buffer = allocate_variable(s, target, e->dtype);
    if (buffer) store_element(s, span, buffer, e);
}

static void assign_name(tirbi_script *s, const tirbi_node *target, tirbi_span span, tirbi_value value) {
    const tirbi_binding *old = tirbi_lookup(s, target->name);
    value.node = value.node ? value.node : target;
    switch (value.kind) {
    case TIRBI_VALUE_ERROR:
        if (!old) tirbi_bind(s, target->name, target->span, value);
        return;
    case TIRBI_VALUE_NONE:
        tirbi_fail(s, TIRB_TYPE, span, "this has no value to assign");
        return;
    case TIRBI_VALUE_LAMBDA:
        tirbi_fail(s, TIRB_SYNTAX, value.node->span,
                   "a lambda is only part of the language in T.comm_reducer and T.index_map");
        return;
    case TIRBI_VALUE_FORM:
        if (value.as.form->kind != TIRBI_FORM_SCOPE) {
            tirbi_fail(s, TIRB_TYPE, span, "%s", form_text(value.as.form));
        } else if (value.as.form->result.kind == TIRBI_VALUE_NONE) {
            tirbi_fail(s, TIRB_TYPE, span, "this has no value to assign");
        } else if (tirbi_bind(s, target->name, target->span, value.as.form->result)) {
            emit_form(s, value.as.form);
        }
        return;
    case TIRBI_VALUE_EXPR:
        if (value.declares) {
            bool same = old && old->level == s->level && old->value.kind == TIRBI_VALUE_EXPR &&
                        old->value.as.expr == value.as.expr;
            if (!same) tirbi_bind(s, target->name, target->span, value);
            return;
        }
        break;
    default:
        break;
    }
    bool element = tirbi_is_element(&value) && old && tirbi_is_element(&old->value);
    if (element || (tirbi_is_prim(&value) && !(value.kind == TIRBI_VALUE_BUFFER && value.declares)))
        assign_prim(s, target, span, &value);
    else
        tirbi_bind(s, target->name, target->span, value);
}

/* `acc = [0.0] * 4` is a list of Python, which a program only reads. Said once. */
static void fail_list_element(tirbi_script *s, const tirbi_node *target, const tirbi_value *list) {
    const tirbi_node *name = target->items[0];
    uint32_t n = list->as.sequence.n;
    bool real = n && list->as.sequence.items[0].kind == TIRBI_VALUE_FLOAT;
    const char *text = name->kind == TIRBI_NODE_NAME ? name->name : "a";
    tirbi_fail(
        s, TIRB_TYPE, target->span,
        "a list or tuple of Python cannot be stored to; write `%s = T.alloc_buffer((%u,), \"%s\")` and store its "
        "elements",
        text, n, real ? "float32" : "int32");
    if (name->kind == TIRBI_NODE_NAME) tirbi_rebind(s, name->name, tirbi_value_error());
}

static void assign_element(tirbi_script *s, const tirbi_node *target, tirbi_span span, const tirbi_value *value) {
    tirbi_value object = tirbi_evaluate(s, target->items[0]);
    const tirb_expr *const *indices;
    uint32_t n;
    while (object.kind == TIRBI_VALUE_META) object = *object.as.meta;
    if (tirbi_is_error(&object) || tirbi_is_error(value)) return;
    if (tirbi_hybrid(s) && object.kind == TIRBI_VALUE_EXPR && tirbi_type_is_handle(object.as.expr->dtype)) {
        tirbi_value index = tirbi_evaluate(s, target->items[1]);
        const tirb_expr *pointer = tirbi_to_expr(s, &object), *at = tirbi_to_expr(s, &index);
        tirbi_pointer_store(s, span, pointer, at, tirbi_to_expr(s, value), NULL);
        return;
    }
    if (object.kind == TIRBI_VALUE_TUPLE) {
        fail_list_element(s, target, &object);
        return;
    }
    if (object.kind != TIRBI_VALUE_BUFFER) {
        tirbi_fail(s, TIRB_TYPE, target->span, "only elements of buffers can be assigned to, not of %s%s",
                   tirbi_value_text(&object), tirbi_buffer_of_pointer(s, &object));
        return;
    }
    if (!tirbi_store_indices(s, object.as.buffer, target->items[1], &indices, &n)) return;
    warn_of_fraction(s, value, target, object.as.buffer);
    const tirb_expr *e = tirbi_to_typed(s, value, tirbi_type_element(object.as.buffer->dtype));
    tirbi_emit_store(&s->builder, span, object.as.buffer, e, indices, n, NULL);
}

static void assign(tirbi_script *s, const tirbi_node *target, tirbi_span span, const tirbi_value *value);

/* Whether an assignment to this target stores, so that a later value of the same statement may read what it changed. */
static bool stores(const tirbi_script *s, const tirbi_node *target) {
    if (target->kind == TIRBI_NODE_SUBSCRIPT) return true;
    const tirbi_binding *old = target->kind == TIRBI_NODE_NAME ? tirbi_lookup(s, target->name) : NULL;
    return old && tirbi_is_element(&old->value);
}

/* Python evaluates the whole right side first: values are held in lets where a store could come between. */
static void hold_values(tirbi_script *s, const tirbi_node *target, tirbi_value *items, uint32_t n) {
    bool any = false;
    for (uint32_t i = 0; i < target->n_items; i++) any |= stores(s, target->items[i]);
    for (uint32_t i = 0; any && i < n; i++) {
        if ((!tirbi_is_prim(&items[i]) && !tirbi_is_element(&items[i])) || tirbi_is_number(&items[i]) ||
            items[i].declares)
            continue;
        const tirb_expr *e = tirbi_to_expr(s, &items[i]);
        if (!e) continue;
        const tirb_expr *var = tirbi_make_var(&s->builder, target->span, "held", let_type_of(e));
        tirbi_value let = tirbi_let_scope(s, target->span, var, e);
        if (tirbi_is_error(&let)) continue;
        emit_form(s, let.as.form);
        const tirbi_node *node = items[i].node;
        items[i] = tirbi_value_expr(var);
        items[i].node = node;
    }
}

/* The items of a meta variable are meta variables. */
static tirbi_value unpacked_meta(tirbi_script *s, const tirbi_value *value) {
    const tirbi_value *tuple = value;
    while (tuple->kind == TIRBI_VALUE_META) tuple = tuple->as.meta;
    if (tuple == value || tuple->kind != TIRBI_VALUE_TUPLE) return *value;
    tirbi_value *items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, tuple->as.sequence.n);
    if (!items) return tirbi_value_error();
    for (uint32_t i = 0; i < tuple->as.sequence.n; i++)
        items[i] = (tirbi_value){.kind = TIRBI_VALUE_META, .as.meta = &tuple->as.sequence.items[i]};
    tirbi_value all = *tuple;
    all.as.sequence.items = items;
    return all;
}

static void assign_tuple(tirbi_script *s, const tirbi_node *target, tirbi_span span, const tirbi_value *given_value) {
    const tirbi_value unpacked = unpacked_meta(s, given_value), *value = &unpacked;
    uint32_t n = target->n_items, star = n;
    tirbi_value error = tirbi_value_error();
    for (uint32_t i = 0; i < n; i++)
        if (target->items[i]->kind == TIRBI_NODE_STARRED && star == n) star = i;
    uint32_t given = value->kind == TIRBI_VALUE_TUPLE ? value->as.sequence.n : 0;
    bool fits = value->kind == TIRBI_VALUE_TUPLE && (star == n ? given == n : given + 1 >= n);
    if (!fits) {
        if (value->kind == TIRBI_VALUE_TUPLE)
            tirbi_fail(s, TIRB_TYPE, span, "%u value%s assigned to %u names", given, given == 1 ? " is" : "s are", n);
        else if (!tirbi_is_error(value))
            tirbi_fail(s, TIRB_TYPE, span, "%s cannot be assigned to %u names", tirbi_value_text(value), n);
        for (uint32_t i = 0; i < n; i++)
            assign(s, target->items[i]->kind == TIRBI_NODE_STARRED ? target->items[i]->items[0] : target->items[i],
                   span, &error);
        return;
    }
    tirbi_value *items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, given);
    if (!items) return;
    if (given) memcpy(items, value->as.sequence.items, given * sizeof *items);
    hold_values(s, target, items, given);
    uint32_t extra = given - (star == n ? n : n - 1), at = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i != star) {
            assign(s, target->items[i], span, &items[at++]);
            continue;
        }
        tirbi_value rest = {.kind = TIRBI_VALUE_TUPLE, .node = value->node};
        rest.as.sequence.items = items + at;
        rest.as.sequence.n = extra;
        at += extra;
        tirbi_bind(s, target->items[i]->items[0]->name, target->items[i]->span, rest);
    }
}

static void assign(tirbi_script *s, const tirbi_node *target, tirbi_span span, const tirbi_value *value) {
    switch (target->kind) {
    case TIRBI_NODE_NAME:
        assign_name(s, target, span, *value);
        return;
    case TIRBI_NODE_SUBSCRIPT:
        assign_element(s, target, span, value);
        return;
    case TIRBI_NODE_TUPLE:
    case TIRBI_NODE_LIST:
        assign_tuple(s, target, span, value);
        return;
    default:
        tirbi_fail(s, TIRB_TYPE, target->span, "this cannot be assigned to");
        return;
    }
}

/* The names of a tuple, for what the right side makes. */
static void set_hints(tirbi_script *s, const tirbi_node *target) {
    s->hint = target->kind == TIRBI_NODE_NAME ? target->name : NULL;
    s->n_hints = 0;
    if (target->kind != TIRBI_NODE_TUPLE) return;
    const char **names = TIRBI_NEW_ARRAY(s->arena, const char *, target->n_items);
    if (!names) return;
    for (uint32_t i = 0; i < target->n_items; i++) {
        if (target->items[i]->kind != TIRBI_NODE_NAME) break;
        names[s->n_hints++] = target->items[i]->name;
    }
    s->hints = names;
}

/* `a, b = x, y`: each value with the name that it gets. */
static tirbi_value evaluate_pairs(tirbi_script *s, const tirbi_node *node, const tirbi_node *target) {
    tirbi_value v = {.kind = TIRBI_VALUE_TUPLE, .node = node};
    v.as.sequence.items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, node->n_items);
    if (!v.as.sequence.items) return tirbi_value_error();
    v.as.sequence.n = node->n_items;
    for (uint32_t i = 0; i < node->n_items; i++) {
        set_hints(s, target->items[i]);
        v.as.sequence.items[i] = tirbi_evaluate(s, node->items[i]);
        s->hint = NULL;
        s->n_hints = 0;
    }
    return v;
}

static bool is_plain_tuple(const tirbi_node *node) {
    if (node->kind != TIRBI_NODE_TUPLE && node->kind != TIRBI_NODE_LIST) return false;
    for (uint32_t i = 0; i < node->n_items; i++)
        if (node->items[i]->kind == TIRBI_NODE_STARRED) return false;
    return true;
}

static tirbi_value evaluate_for(tirbi_script *s, const tirbi_node *node, const tirbi_node *target) {
    if (target && is_plain_tuple(target) && is_plain_tuple(node) && target->n_items == node->n_items)
        return evaluate_pairs(s, node, target);
    if (target) set_hints(s, target);
    tirbi_value v = tirbi_evaluate(s, node);
    s->hint = NULL;
    s->n_hints = 0;
    return v;
}

static bool check_duplicates(tirbi_script *s, const tirbi_node *target) {
    if (target->kind != TIRBI_NODE_TUPLE) return true;
    for (uint32_t i = 0; i < target->n_items; i++)
        for (uint32_t j = 0; j < i; j++)
            if (target->items[i]->kind == TIRBI_NODE_NAME && target->items[j]->name == target->items[i]->name &&
                target->items[j]->kind == TIRBI_NODE_NAME && strcmp(target->items[i]->name, "_") != 0) {
                tirbi_fail(s, TIRB_TYPE, target->items[i]->span, "`%s` is assigned twice in one statement",
                           target->items[i]->name);
                return false;
            }
    return true;
}

static void run_assign(tirbi_script *s, const tirbi_line *line) {
    if (!check_duplicates(s, line->target)) return;
    tirbi_value v = evaluate_for(s, line->value, line->target);
    assign(s, line->target, line->span, &v);
}

static void run_augmented(tirbi_script *s, const tirbi_line *line) {
    const tirbi_node *target = line->target;
    tirbi_value right = tirbi_evaluate(s, line->value);
    tirbi_node *whole = TIRBI_NEW(s->arena, tirbi_node);
    if (!whole) return;
    whole->span = line->span;
    if (target->kind == TIRBI_NODE_NAME) {
        tirbi_value left = tirbi_evaluate(s, target);
        if (tirbi_is_error(&left)) return;
        if (!tirbi_is_element(&left)) {
            if (left.kind == TIRBI_VALUE_EXPR && tirbi_is_parameter(s, left.as.expr))
                tirbi_fail_parameter(s, line->span, target->name);
            else if (left.kind == TIRBI_VALUE_EXPR)
                tirbi_fail(s, TIRB_TYPE, line->span,
                           "`%s` is bound once and cannot be changed; use a buffer of one element", target->name);
            else
                tirbi_fail(s, TIRB_TYPE, line->span, "`%s` is %s and cannot be changed%s", target->name,
                           tirbi_value_text(&left),
                           left.kind == TIRBI_VALUE_BUFFER ? "; change its elements in a loop, x[i] += .." : "");
            return;
        }
        tirbi_value v = tirbi_binary(s, whole, line->op, &left, &right);
        v.node = whole;
        if (!tirbi_is_error(&v)) store_element(s, line->span, left.as.buffer, tirbi_to_expr(s, &v));
        return;
    }
    if (target->kind != TIRBI_NODE_SUBSCRIPT) {
        tirbi_fail(s, TIRB_TYPE, target->span, "this cannot be assigned to");
        return;
    }
    tirbi_value object = tirbi_evaluate(s, target->items[0]);
    const tirb_expr *const *indices;
    uint32_t n;
    if (tirbi_is_error(&object)) return;
    if (object.kind == TIRBI_VALUE_TUPLE) {
        fail_list_element(s, target, &object);
        return;
    }
    if (object.kind != TIRBI_VALUE_BUFFER) {
        tirbi_fail(s, TIRB_TYPE, target->span, "only elements of buffers can be assigned to, not of %s%s",
                   tirbi_value_text(&object), tirbi_buffer_of_pointer(s, &object));
        return;
    }
    if (!tirbi_store_indices(s, object.as.buffer, target->items[1], &indices, &n)) return;
    tirbi_value left = tirbi_value_expr(tirbi_make_load(&s->builder, target->span, object.as.buffer, indices, n, NULL));
    left.node = target;
    tirbi_value v = tirbi_binary(s, whole, line->op, &left, &right);
    v.node = whole;
    if (!tirbi_is_error(&v))
        tirbi_emit_store(&s->builder, line->span, object.as.buffer, tirbi_to_expr(s, &v), indices, n, NULL);
}

/* ---- Annotated assignment --------------------------------------------------------------------------------------- */

static void annotated_let(tirbi_script *s, const tirbi_line *line, tirb_type type, bool known) {
    if (!line->value) {
        tirbi_fail(s, TIRB_TYPE, line->span, "`%s` needs a value", line->target->name);
        return;
    }
    tirbi_value v = evaluate_for(s, line->value, line->target);
    const tirb_expr *e =
        known && type.kind == TIRB_TYPE_PRIM ? tirbi_to_typed(s, &v, type.dtype) : tirbi_to_expr(s, &v);
    if (!e) {
        tirbi_bind(s, line->target->name, line->target->span, tirbi_value_error());
        return;
    }
    bind_let(s, line->target, line->span, known ? type : let_type_of(e), e);
}

static void annotated_variable(tirbi_script *s, const tirbi_line *line, tirb_datatype dtype) {
    tirbi_value v = {.kind = TIRBI_VALUE_MISSING};
    if (line->value) v = tirbi_evaluate(s, line->value);
    const tirb_buffer *buffer = allocate_variable(s, line->target, dtype);
    if (!buffer || !line->value || tirbi_is_error(&v)) return;
    store_element(s, line->span, buffer, tirbi_to_typed(s, &v, tirbi_type_element(dtype)));
}

static void annotated_array(tirbi_script *s, const tirbi_line *line, const tirbi_value *type) {
    if (line->value) {
        tirbi_fail(s, TIRB_TYPE, line->value->span, "an array has no initial value; store its elements");
        return;
    }
    tirb_buffer *buffer = tirbi_make_buffer(&s->builder, line->target->span, line->target->name, type->as.array.dtype,
                                            type->as.array.shape, type->as.array.ndim, "local");
    tirbi_value v = buffer ? tirbi_allocate_scope(s, line->span, buffer) : tirbi_value_error();
    assign_name(s, line->target, line->span, v);
}

static void run_annotated(tirbi_script *s, const tirbi_line *line) {
    bool in_signature = s->in_signature;
    s->in_signature = true;
    tirbi_value type = tirbi_evaluate(s, line->annotation);
    s->in_signature = in_signature;
    switch (type.kind) {
    case TIRBI_VALUE_ERROR:
        tirbi_bind(s, line->target->name, line->target->span, type);
        return;
    case TIRBI_VALUE_DTYPE:
        if (tirbi_classic(s))
            annotated_let(s, line, tirbi_prim_type(type.as.dtype), true);
        else
            annotated_variable(s, line, type.as.dtype);
        return;
    case TIRBI_VALUE_POINTER:
        if (!tirbi_classic(s)) {
            tirbi_fail(s, TIRB_TYPE, line->annotation->span,
                       "a variable of pointer type is bound once: write `%s: T.let[%s] = ...`", line->target->name,
                       tirbi_node_text(s, line->annotation));
            tirbi_bind(s, line->target->name, line->target->span, tirbi_value_error());
            return;
        }
        annotated_let(s, line, type.as.type.type, true);
        return;
    case TIRBI_VALUE_LET:
        annotated_let(s, line, type.as.type.type, true);
        return;
    case TIRBI_VALUE_ARRAY:
        annotated_array(s, line, &type);
        return;
    case TIRBI_VALUE_ENTRY:
        if (strcmp(type.as.entry->name, "let") == 0) {
            annotated_let(s, line, (tirb_type){.kind = TIRB_TYPE_PRIM}, false);
            return;
        }
        break;
    default:
        break;
    }
    tirb_datatype named;
    const char *instead = tirbi_type_of_python(&type);
    if (type.kind == TIRBI_VALUE_STRING && tirb_datatype_from_text(type.as.string.text, type.as.string.size, &named))
        instead = type.as.string.text;
    tirbi_fail(s, TIRB_TYPE, line->annotation->span, "expected a type such as T.int32 or T.let, found %s%s%s",
               tirbi_value_text(&type), instead ? "; write T." : "", instead ? instead : "");
    tirbi_bind(s, line->target->name, line->target->span, tirbi_value_error());
}

/* ---- Loops ------------------------------------------------------------------------------------------------------ */

/* Runs a body whose head is wrong, so that its own errors are reported as well. */
static void run_broken(tirbi_script *s, const tirbi_node *target, const tirbi_lines *body) {
    uint32_t mark = tirbi_open_level(s);
    tirbi_value error = tirbi_value_error();
    tirbi_report_unexplained(s->diagnostics, s->builder.at, "a statement");
    if (target) assign(s, target, target->span, &error);
    tirbi_run_lines(s, body);
    tirbi_close_level(s, mark);
}

/* The part of a target that names the loop variable `index` of n. */
static const tirbi_node *loop_target(const tirbi_node *target, uint32_t index, uint32_t n) {
    if (target->kind != TIRBI_NODE_TUPLE && target->kind != TIRBI_NODE_LIST) return target;
    uint32_t at = 0;
    for (uint32_t i = 0; i < target->n_items; i++) {
        bool starred = target->items[i]->kind == TIRBI_NODE_STARRED;
        uint32_t takes = !starred ? 1 : n + 1 >= target->n_items ? n + 1 - target->n_items : 0;
        if (index < at + takes) return starred ? target->items[i]->items[0] : target->items[i];
        at += takes;
    }
    return target;
}

/* Whether a loop's target has a name for more variables than the loop has. */
static bool names_more(const tirbi_node *target, uint32_t n) {
    if (target->kind != TIRBI_NODE_TUPLE && target->kind != TIRBI_NODE_LIST) return false;
    for (uint32_t i = 0; i < target->n_items; i++)
        if (target->items[i]->kind != TIRBI_NODE_NAME) return false;
    return target->n_items > n;
}

static bool is_size(const tirbi_value *v) { return v->kind == TIRBI_VALUE_INT || v->kind == TIRBI_VALUE_EXPR; }

static void run_for(tirbi_script *s, const tirbi_line *line) {
    tirbi_value v = tirbi_evaluate(s, line->value);
    if (v.kind != TIRBI_VALUE_FORM || v.as.form->kind != TIRBI_FORM_LOOPS) {
        if (v.kind == TIRBI_VALUE_BUFFER)
            tirbi_fail_buffer_loop(s, line->value, v.as.buffer);
        else if (!tirbi_is_error(&v))
            tirbi_fail(s, TIRB_TYPE, line->value->span,
                       "a 'for' statement goes over range, T.grid, T.serial and the like, not %s; write `for i in "
                       "range(%s)`%s",
                       tirbi_value_text(&v), is_size(&v) ? tirbi_node_text(s, line->value) : "n",
                       v.kind == TIRBI_VALUE_TUPLE ? ", and choose by i" : "");
        run_broken(s, line->target, &line->body);
        return;
    }
    uint32_t n = v.as.form->n_stmts, pushed = 0, first = 0;
    if (names_more(line->target, n)) {
        tirbi_fail(s, TIRB_TYPE, line->target->span,
                   "%u names are given to the variable%s of %s: write T.grid(m, n), one extent for each",
                   line->target->n_items, n == 1 ? "" : "s", tirbi_node_text(s, line->value));
        run_broken(s, line->target, &line->body);
        return;
    }
    tirbi_value vars = {.kind = TIRBI_VALUE_TUPLE, .node = line->value};
    vars.as.sequence.items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, n);
    vars.as.sequence.n = n;
    if (!vars.as.sequence.items) return;
    for (; pushed < n; pushed++) {
        tirb_stmt *loop = v.as.form->stmts[pushed];
        loop->span = line->span;
        const tirbi_node *name = loop_target(line->target, pushed, n);
        const char *called = name->kind == TIRBI_NODE_NAME ? name->name : "i";
        /* One name for several loops has their numbers. */
        bool before = pushed > 0 && loop_target(line->target, pushed - 1, n) == name;
        bool after = pushed + 1 < n && loop_target(line->target, pushed + 1, n) == name;
        if (!before) first = pushed;
        if (before || after) called = tirbi_arena_format(s->arena, "%s_%u", called, (unsigned)(pushed - first));
        loop->as.for_.var = tirbi_make_var(&s->builder, name->span, called, tirbi_prim_type(loop->as.for_.min->dtype));
        if (!loop->as.for_.var || !tirbi_frame_push(&s->builder, TIRBI_FRAME_FOR, loop, line->span)) break;
        vars.as.sequence.items[pushed] = tirbi_value_declared(loop->as.for_.var);
    }
    if (pushed == n) {
        uint32_t mark = tirbi_open_level(s);
        bool single = n == 1 && line->target->kind == TIRBI_NODE_NAME;
        if (check_duplicates(s, line->target))
            assign(s, line->target, line->span, single ? &vars.as.sequence.items[0] : &vars);
        tirbi_run_lines(s, &line->body);
        tirbi_close_level(s, mark);
    }
    while (pushed-- > 0) tirbi_frame_pop(&s->builder);
}

static void run_level(tirbi_script *s, const tirbi_lines *lines) {
    uint32_t mark = tirbi_open_level(s);
    tirbi_run_lines(s, lines);
    tirbi_close_level(s, mark);
}

static void run_while_body(tirbi_script *s, tirbi_span span, const tirb_expr *condition, const tirbi_lines *body) {
    tirb_stmt *stmt = tirbi_make_stmt(&s->builder, span, TIRB_STMT_WHILE);
    if (!stmt) return;
    stmt->as.while_.condition = condition;
    if (!tirbi_frame_push(&s->builder, TIRBI_FRAME_WHILE, stmt, span)) return;
    run_level(s, body);
    tirbi_frame_pop(&s->builder);
}

static void run_while(tirbi_script *s, const tirbi_line *line) {
    tirbi_value v = tirbi_evaluate(s, line->value);
    /* Unlike a branch's, this condition may be a number of Python. */
    const tirb_expr *condition = v.kind == TIRBI_VALUE_INT ? tirbi_to_expr(s, &v) : tirbi_to_test(s, &v);
    if (condition)
        run_while_body(s, line->span, condition, &line->body);
    else
        run_broken(s, NULL, &line->body);
}

static void run_branch(tirbi_script *s, tirbi_frame_kind kind, tirb_stmt *stmt, const tirbi_lines *lines) {
    if (!tirbi_frame_push(&s->builder, kind, stmt, stmt->span)) return;
    run_level(s, lines);
    tirbi_frame_pop(&s->builder);
}

static void run_if(tirbi_script *s, const tirbi_line *line) {
    tirbi_value v = tirbi_evaluate(s, line->value);
    while (v.kind == TIRBI_VALUE_META) v = *v.as.meta;
    if (v.kind == TIRBI_VALUE_BOOL) {
        tirbi_run_lines(s, v.as.boolean ? &line->body : &line->orelse);
        return;
    }
    const tirb_expr *condition = tirbi_to_test(s, &v);
    tirb_stmt *stmt = condition ? tirbi_make_stmt(&s->builder, line->span, TIRB_STMT_IF) : NULL;
    if (!stmt) {
        run_broken(s, NULL, &line->body);
        run_broken(s, NULL, &line->orelse);
        return;
    }
    stmt->as.if_.condition = condition;
    run_branch(s, TIRBI_FRAME_THEN, stmt, &line->body);
    if (line->orelse.n) run_branch(s, TIRBI_FRAME_ELSE, stmt, &line->orelse);
}

/* ---- with ------------------------------------------------------------------------------------------------------- */

static void run_block(tirbi_script *s, const tirbi_line *line, const tirbi_form *form) {
    bool bound = false;
    uint32_t n_loops = tirbi_open_block_loops(s, form, line->span);
    tirb_stmt *stmt = tirbi_make_stmt(&s->builder, line->span, TIRB_STMT_BLOCK_REALIZE);
    tirbi_frame *frame = stmt ? tirbi_frame_push(&s->builder, TIRBI_FRAME_BLOCK, stmt, line->span) : NULL;
    if (frame && frame->block) {
        frame->block->name = form->name;
        frame->block->no_realize = form->no_realize;
        uint32_t mark = tirbi_open_level(s);
        tirbi_block_axes(s, form, line->target, line->span);
        tirbi_run_lines(s, &line->body);
        tirbi_close_level(s, mark);
        bound = tirbi_block_bindings(s, tirbi_frame_top(&s->builder));
    }
    if (frame) tirbi_frame_pop(&s->builder);
    tirbi_close_block_loops(s, n_loops, bound);
}

static void run_scopes(tirbi_script *s, const tirbi_line *line, const tirbi_form *form) {
    uint32_t pushed = 0;
    while (pushed < form->n_stmts && tirbi_frame_push(&s->builder, TIRBI_FRAME_SCOPE, form->stmts[pushed], line->span))
        pushed++;
    if (pushed == form->n_stmts) {
        uint32_t mark = tirbi_open_level(s);
        tirbi_value result = form->result;
        if (line->target) assign(s, line->target, line->span, &result);
        tirbi_run_lines(s, &line->body);
        tirbi_close_level(s, mark);
    }
    while (pushed-- > 0) tirbi_frame_pop(&s->builder);
}

static void run_with_if(tirbi_script *s, const tirbi_line *line, const tirbi_form *form) {
    tirb_stmt *outer = s->open_if, *stmt = tirbi_make_stmt(&s->builder, line->span, TIRB_STMT_IF);
    if (!stmt) return;
    stmt->as.if_.condition = form->condition;
    s->open_if = stmt;
    tirbi_run_lines(s, &line->body);
    s->open_if = outer;
    if (!stmt->as.if_.then_case && !s->arena->failed)
        tirbi_fail(s, TIRB_TYPE, line->span, "T.If needs a `with T.Then():`");
}

static void run_with_branch(tirbi_script *s, const tirbi_line *line, bool then) {
    tirb_stmt *stmt = s->open_if;
    const tirb_stmt *done = then ? stmt->as.if_.then_case : stmt->as.if_.else_case;
    if (done || (!then && !stmt->as.if_.then_case)) {
        tirbi_fail(s, TIRB_TYPE, line->span, done ? "T.If has this branch already" : "T.Else comes after T.Then");
        return;
    }
    s->open_if = NULL;
    run_branch(s, then ? TIRBI_FRAME_THEN : TIRBI_FRAME_ELSE, stmt, &line->body);
    s->open_if = stmt;
}

static void run_init(tirbi_script *s, const tirbi_line *line) {
    if (!tirbi_frame_push(&s->builder, TIRBI_FRAME_INIT, NULL, line->span)) return;
    run_level(s, &line->body);
    tirbi_frame_pop(&s->builder);
}

static void run_with(tirbi_script *s, const tirbi_line *line) {
    tirbi_value v = evaluate_for(s, line->value, line->target);
    if (v.kind != TIRBI_VALUE_FORM) {
        if (!tirbi_is_error(&v))
            tirbi_fail(s, TIRB_TYPE, line->value->span, "'with' cannot enter %s%s", tirbi_value_text(&v),
                       v.kind == TIRBI_VALUE_ENTRY ? "; call it, as in T.sblock(\"name\") or T.init()" : "");
        run_broken(s, line->target, &line->body);
        return;
    }
    const tirbi_form *form = v.as.form;
    bool named = form->kind == TIRBI_FORM_SCOPE ? form->result.kind != TIRBI_VALUE_NONE : form->axes != NULL;
    if (line->target && !named) {
        tirbi_fail(s, TIRB_TYPE, line->target->span, "this 'with' has no value for 'as'");
        run_broken(s, line->target, &line->body);
        return;
    }
    switch (form->kind) {
    case TIRBI_FORM_LOOPS:
        tirbi_fail(s, TIRB_TYPE, line->value->span, "%s", form_text(form));
        return;
    case TIRBI_FORM_BLOCK:
        run_block(s, line, form);
        return;
    case TIRBI_FORM_INIT:
        run_init(s, line);
        return;
    case TIRBI_FORM_SCOPE:
        run_scopes(s, line, form);
        return;
    case TIRBI_FORM_WHILE:
        run_while_body(s, line->span, form->condition, &line->body);
        return;
    case TIRBI_FORM_IF:
        run_with_if(s, line, form);
        return;
    case TIRBI_FORM_THEN:
    case TIRBI_FORM_ELSE:
        run_with_branch(s, line, form->kind == TIRBI_FORM_THEN);
        return;
    }
}

/* ---- Other statements ------------------------------------------------------------------------------------------- */

static void fail_returned_buffer(tirbi_script *s, tirbi_span span, const tirb_buffer *buffer) {
    const tirb_primfunc *ir = s->function->ir;
    for (uint32_t i = 0; i < ir->n_params; i++) {
        if (s->function->buffers[i] != buffer) continue;
        tirbi_fail(s, TIRB_TYPE, span,
                   "a function returns no buffer, and the caller sees what is stored into its parameter `%s`; leave "
                   "the return out",
                   buffer->name);
        return;
    }
    tirbi_fail(s, TIRB_TYPE, span,
               "a function returns no buffer; make `%s` a parameter, `%s: T.Buffer(...)`, and store into that",
               buffer->name, buffer->name);
}

static void run_return(tirbi_script *s, const tirbi_line *line) {
    tirbi_value v = tirbi_value_none();
    const tirb_primfunc *ir = s->function->ir;
    if (line->value) v = tirbi_evaluate(s, line->value);
    if (tirbi_is_error(&v)) return;
    const tirb_expr *e = NULL;
    if (v.kind == TIRBI_VALUE_BUFFER && !tirbi_is_element(&v) && !v.declares) {
        fail_returned_buffer(s, line->value->span, v.as.buffer);
        return;
    }
    if (v.kind == TIRBI_VALUE_NONE && line->value && line->value->kind != TIRBI_NODE_NONE) {
        tirbi_fail(s, TIRB_TYPE, line->value->span, "this is no value that can be returned");
        return;
    }
    if (v.kind != TIRBI_VALUE_NONE) {
        bool typed = s->function->return_known && ir->ret_type.kind == TIRB_TYPE_PRIM;
        e = typed ? tirbi_to_typed(s, &v, ir->ret_type.dtype) : tirbi_to_expr(s, &v);
        if (!e) return;
    }
    tirbi_emit_return(s, line->span, e);
}

/* The message of an assertion: "text" or ("Kind", ["part", ...]). */
static const tirb_expr *read_message(tirbi_script *s, const tirbi_node *node, const char **kind,
                                     const char *const **parts_out, uint32_t *n_parts) {
    tirbi_value v = tirbi_evaluate(s, node);
    if (v.kind != TIRBI_VALUE_TUPLE) return tirbi_to_expr(s, &v);
    const tirbi_value *items = v.as.sequence.items;
    if (v.as.sequence.n != 2) {
        tirbi_fail(s, TIRB_TYPE, node->span, "the message of an assertion is a string or (\"Kind\", [\"part\", ...])");
        return NULL;
    }
    if (!tirbi_to_text(s, &items[0], "the kind of the error", kind)) return NULL;
    const tirbi_value *parts = items[1].kind == TIRBI_VALUE_TUPLE ? items[1].as.sequence.items : &items[1];
    uint32_t n = items[1].kind == TIRBI_VALUE_TUPLE ? items[1].as.sequence.n : 1;
    const char **texts = TIRBI_NEW_ARRAY(s->arena, const char *, n);
    for (uint32_t i = 0; texts && i < n; i++) {
        /* What TVM keeps apart, texts with line ends, stays a reference. */
        bool apart = parts[i].kind == TIRBI_VALUE_OPAQUE && parts[i].node;
        if (apart)
            texts[i] = tirbi_node_text(s, parts[i].node);
        else if (!tirbi_to_text(s, &parts[i], "a part of the message", &texts[i]))
            return NULL;
        if (!texts[i]) return NULL;
        s->keeps_metadata = s->keeps_metadata || apart;
    }
    const char *text = texts ? tirbi_join_texts(s, node->span, texts, n) : NULL;
    if (!text) return NULL;
    *parts_out = texts;
    *n_parts = n;
    return tirbi_make_string(&s->builder, node->span, text, (uint32_t)strlen(text));
}

static void run_assert(tirbi_script *s, const tirbi_line *line) {
    tirbi_value v = tirbi_evaluate(s, line->value);
    const char *kind = "RuntimeError";
    const tirb_expr *condition = tirbi_to_condition(s, &v);
    if (!line->target && tirbi_hybrid(s))
        tirbi_fail(s, TIRB_SYNTAX, line->span,
                   "an assertion of Hybrid Script needs a message: assert condition, \"text\"");
    const char *const *parts = NULL;
    uint32_t n_parts = 0;
    const tirb_expr *message = line->target ? read_message(s, line->target, &kind, &parts, &n_parts)
                                            : tirbi_make_string(&s->builder, line->span, "assertion failed", 16);
    tirb_stmt *stmt = condition && message ? tirbi_make_stmt(&s->builder, line->span, TIRB_STMT_ASSERT) : NULL;
    if (!stmt) return;
    stmt->as.assert_.condition = condition;
    stmt->as.assert_.error_kind = kind;
    stmt->as.assert_.message = message;
    stmt->as.assert_.parts = parts;
    stmt->as.assert_.n_parts = n_parts;
    tirbi_emit_scope(&s->builder, stmt);
}

/* `++n`, which C has and Python reads as n with two signs. */
static bool is_step_of_c(const tirbi_node *node) {
    const bool sign = node->kind == TIRBI_NODE_UNARY && (node->op == TIRBI_TOKEN_ADD || node->op == TIRBI_TOKEN_SUB);
    const tirbi_node *inner = sign ? node->items[0] : NULL;
    return inner && inner->kind == TIRBI_NODE_UNARY && inner->op == node->op;
}

static void run_expression(tirbi_script *s, const tirbi_line *line) {
    if (is_step_of_c(line->value)) {
        const char *sign = line->value->op == TIRBI_TOKEN_ADD ? "+" : "-";
        tirbi_fail(s, TIRB_TYPE, line->span, "this changes nothing; write `x %s= 1`", sign);
        return;
    }
    tirbi_value v = tirbi_evaluate(s, line->value);
    switch (v.kind) {
    case TIRBI_VALUE_ERROR:
    case TIRBI_VALUE_NONE:
    case TIRBI_VALUE_STRING:
    case TIRBI_VALUE_BUFFER:
        return;
    case TIRBI_VALUE_FORM:
        if (v.as.form->kind == TIRBI_FORM_SCOPE)
            emit_form(s, v.as.form);
        else
            tirbi_fail(s, TIRB_TYPE, line->span, "%s", form_text(v.as.form));
        return;
    default:
        break;
    }
    if (!tirbi_is_prim(&v)) {
        tirbi_fail(s, TIRB_TYPE, line->span, "%s is no statement: `%.60s`", tirbi_value_text(&v),
                   v.node ? tirbi_node_text(s, v.node) : "");
        return;
    }
    const tirb_expr *e = tirbi_to_expr(s, &v);
    if (e) tirbi_emit_value(s, line->span, e);
}

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

static void run_def(tirbi_script *s, const tirbi_line *line) {
    const tirbi_node *decorator = line->n_decorators ? line->decorators[line->n_decorators - 1] : NULL;
    const tirbi_node *call = decorator && decorator->kind == TIRBI_NODE_CALL ? decorator : NULL;
    tirbi_value v = decorator ? tirbi_evaluate(s, call ? call->items[0] : decorator) : tirbi_value_none();
    if (v.kind == TIRBI_VALUE_ENTRY && tirbi_is_macro(v.as.entry->name))
        tirbi_define_macro(s, line, v.as.entry->name, call);
    else
        tirbi_fail(s, TIRB_SYNTAX, line->span,
                   "a function inside a function is not part of the language, unless it is a T.inline: write @T.inline "
                   "above it, or move it out and give it @T.prim_func");
}

static void run_line(tirbi_script *s, const tirbi_line *line) {
    s->builder.at = line->span;
    switch (line->kind) {
    case TIRBI_LINE_EXPR:
        run_expression(s, line);
        return;
    case TIRBI_LINE_ASSIGN:
        run_assign(s, line);
        return;
    case TIRBI_LINE_ANNOTATED:
        run_annotated(s, line);
        return;
    case TIRBI_LINE_AUGMENTED:
        run_augmented(s, line);
        return;
    case TIRBI_LINE_FOR:
        run_for(s, line);
        return;
    case TIRBI_LINE_WHILE:
        run_while(s, line);
        return;
    case TIRBI_LINE_IF:
        run_if(s, line);
        return;
    case TIRBI_LINE_WITH:
        run_with(s, line);
        return;
    case TIRBI_LINE_RETURN:
        run_return(s, line);
        return;
    case TIRBI_LINE_ASSERT:
        run_assert(s, line);
        return;
    case TIRBI_LINE_PASS:
        return;
    case TIRBI_LINE_BREAK:
        tirbi_emit_jump(s, line->span, TIRB_STMT_BREAK, false);
        return;
    case TIRBI_LINE_CONTINUE:
        tirbi_emit_jump(s, line->span, TIRB_STMT_CONTINUE, false);
        return;
    case TIRBI_LINE_DEF:
        run_def(s, line);
        return;
    case TIRBI_LINE_CLASS:
        tirbi_fail(s, TIRB_SYNTAX, line->span, "a class inside a function is not part of the language");
        return;
    case TIRBI_LINE_IMPORT:
        tirbi_fail(s, TIRB_SYNTAX, line->span,
                   "an import inside a function is not part of the language; move it to the head of the file");
        return;
    }
}

/* Whether a line makes a statement of the program, however it is written: others may bind names only, or be computed
 * while the text is read. */
static bool makes_statement(const tirbi_line *line) {
    switch (line->kind) {
    case TIRBI_LINE_ASSIGN:
        return line->target->kind == TIRBI_NODE_SUBSCRIPT;
    case TIRBI_LINE_AUGMENTED:
    case TIRBI_LINE_FOR:
    case TIRBI_LINE_WHILE:
    case TIRBI_LINE_RETURN:
    case TIRBI_LINE_ASSERT:
    case TIRBI_LINE_BREAK:
    case TIRBI_LINE_CONTINUE:
        return true;
    default:
        return false;
    }
}

void tirbi_run_lines(tirbi_script *s, const tirbi_lines *lines) {
    for (uint32_t i = 0; i < lines->n && !s->arena->failed; i++) {
        const uint32_t before = s->builder.n_emitted;
        run_line(s, lines->items[i]);
        if (makes_statement(lines->items[i]) && s->builder.n_emitted == before)
            tirbi_report_unexplained(s->diagnostics, lines->items[i]->span, "a statement");
    }
}
