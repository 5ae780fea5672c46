/* Loops, blocks and the other statements that are spelt as calls. */
#include <string.h>

#include "compiler/text/script/names.h"

static const tirb_expr *arg(tirbi_script *s, const tirbi_call *c, int i) { return tirbi_to_expr(s, &c->args[i]); }

/* ---- Loops ------------------------------------------------------------------------------------------------------ */

/* The type of a loop variable: as wide as the wider bound, unsigned if either is. */
static tirb_datatype loop_type(const tirb_expr *x, const tirb_expr *y) {
    uint8_t bits = x->dtype.bits > y->dtype.bits ? x->dtype.bits : y->dtype.bits;
    bool is_unsigned = x->dtype.code == TIRB_CODE_UINT || y->dtype.code == TIRB_CODE_UINT;
    return (tirb_datatype){is_unsigned ? TIRB_CODE_UINT : TIRB_CODE_INT, bits, 1, false};
}

static bool is_bound(tirbi_script *s, const tirb_expr *e, const char *what) {
    char text[32];
    if (tirbi_type_is_int(e->dtype) && e->dtype.lanes == 1) return true;
    tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, e),
               "%s must be a scalar integer, not %s: write T.Cast(\"int32\", x)", what,
               tirb_datatype_text(e->dtype, text));
    return false;
}

/* Bounds of one loop: from `start` to `stop`, or with `by_extent` for `stop` iterations; stop missing: 0 to start. */
static bool read_bounds(tirbi_script *s, const tirbi_value *start, const tirbi_value *stop, bool by_extent,
                        const tirbi_value *dtype, const tirb_expr **min, const tirb_expr **extent) {
    tirbi_builder *b = &s->builder;
    tirbi_value zero = tirbi_value_int(0);
    bool one = !tirbi_given(stop);
    zero.node = start->node;
    const tirb_expr *from = tirbi_to_expr(s, one ? &zero : start);
    const tirb_expr *to = tirbi_to_expr(s, one ? start : stop);
    if (!from || !to || !is_bound(s, from, "the start of a loop") || !is_bound(s, to, "the end of a loop"))
        return false;
    tirb_datatype type = loop_type(from, to);
    if (one) type = to->dtype;
    if (tirbi_given(dtype) && !tirbi_to_dtype(s, dtype, &type)) return false;
    from = tirbi_make_cast(b, from->span, type, from);
    to = tirbi_make_cast(b, to->span, type, to);
    *min = from;
    *extent = by_extent ? to : tirbi_make_difference(b, to ? to->span : start->node->span, to, from);
    return *min && *extent;
}

static tirb_stmt *make_loop(tirbi_script *s, const tirbi_call *c, tirb_for_kind kind, const tirb_expr *min,
                            const tirb_expr *extent) {
    tirb_stmt *loop = tirbi_make_stmt(&s->builder, c->node->span, TIRB_STMT_FOR);
    if (!loop) return NULL;
    loop->as.for_.kind = kind;
    loop->as.for_.min = min;
    loop->as.for_.extent = extent;
    return loop;
}

static tirbi_value loops_form(tirbi_script *s, tirb_stmt *const *loops, uint32_t n) {
    tirbi_value v = tirbi_value_form(s, TIRBI_FORM_LOOPS);
    if (tirbi_is_error(&v)) return v;
    v.as.form->stmts = TIRBI_NEW_ARRAY(s->arena, tirb_stmt *, n);
    if (!v.as.form->stmts) return tirbi_value_error();
    for (uint32_t i = 0; i < n; i++) {
        if (!loops[i]) return tirbi_value_error();
        v.as.form->stmts[i] = loops[i];
    }
    v.as.form->n_stmts = n;
    return v;
}

static bool read_step(tirbi_script *s, const tirbi_value *v, tirb_stmt *loop) {
    if (!tirbi_given(v)) return true;
    const tirb_expr *step = tirbi_to_typed(s, v, loop->as.for_.min->dtype);
    if (!step || !is_bound(s, step, "the step of a loop")) return false;
    step = tirbi_make_cast(&s->builder, step->span, loop->as.for_.min->dtype, step);
    if (!step) return false;
    if (tirbi_is_const_int(step, 0)) {
        tirbi_fail(s, TIRB_VALUE, step->span, "the step of a loop is 0");
        return false;
    }
    if (!tirbi_is_const_int(step, 1)) loop->as.for_.step = step;
    return true;
}

static bool read_unroll(tirbi_script *s, const tirbi_value *v, tirbi_list *annotations) {
    if (!tirbi_given(v)) return true;
    tirb_attr *slot = TIRBI_LIST_ADD(s->arena, annotations, tirb_attr);
    if (!slot) return false;
    bool off = v->kind == TIRBI_VALUE_BOOL && !v->as.boolean;
    tirbi_value on = {.kind = TIRBI_VALUE_BOOL, .node = v->node, .as.boolean = true};
    *slot = tirbi_to_attr(s, off ? "disable_unroll" : "pragma_unroll", off ? &on : v);
    return true;
}

enum { START, STOP, LOOP_ANNOTATIONS, STEP, LOOP_DTYPE, UNROLL };

static tirbi_value loop(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *min, *extent;
    tirbi_list annotations = {.n = 0};
    if (!read_bounds(s, &c->args[START], &c->args[STOP], false, &c->args[LOOP_DTYPE], &min, &extent))
        return tirbi_value_error();
    tirb_stmt *stmt = make_loop(s, c, (tirb_for_kind)c->entry->data, min, extent);
    if (!stmt || !read_step(s, &c->args[STEP], stmt)) return tirbi_value_error();
    if (c->args[LOOP_ANNOTATIONS].kind == TIRBI_VALUE_INT)
        return strcmp(c->entry->name, "range") == 0
                   ? tirbi_fail(s, TIRB_TYPE, c->node->span, "range takes a begin, an end and a step")
                   : tirbi_fail(s, TIRB_TYPE, c->node->span,
                                "T.%s takes a begin and an end; a step is named, step=%lld, or range's third argument",
                                c->entry->name, (long long)c->args[LOOP_ANNOTATIONS].as.integer);
    if (tirbi_given(&c->args[LOOP_ANNOTATIONS]) && !tirbi_to_attrs(s, &c->args[LOOP_ANNOTATIONS], &annotations))
        return tirbi_value_error();
    if (c->entry->data == TIRB_FOR_SERIAL && !read_unroll(s, &c->args[UNROLL], &annotations))
        return tirbi_value_error();
    stmt->as.for_.annotations = annotations.items;
    stmt->as.for_.n_annotations = annotations.n;
    return loops_form(s, &stmt, 1);
}

/* range(start, stop, step) of Python; in a loop TVM takes the keywords of T.serial as well. */
tirbi_value tirbi_python_range(tirbi_script *s, const tirbi_call *c) {
    enum { AT_START, AT_STOP, AT_STEP, AT_ANNOTATIONS, AT_UNROLL };
    const tirbi_entry entry = {.name = c->entry->name, .data = TIRB_FOR_SERIAL};
    tirbi_value args[] = {
        [START] = c->args[AT_START], [STOP] = c->args[AT_STOP],      [LOOP_ANNOTATIONS] = c->args[AT_ANNOTATIONS],
        [STEP] = c->args[AT_STEP],   [LOOP_DTYPE] = {.node = NULL}, [UNROLL] = c->args[AT_UNROLL]};
    if (!tirbi_given(&args[STOP]) && !tirbi_classic(s) && !tirbi_hybrid(s)) {
        /* range(n) is range(0, n), whose 0 is an int32; T.serial(n) begins at a 0 of n's own type. */
        args[STOP] = args[START];
        args[START] = tirbi_value_int(0);
        args[START].node = args[STOP].node;
    }
    tirbi_call call = *c;
    call.entry = &entry;
    call.args = args;
    return loop(s, &call);
}

static tirbi_value thread_binding(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *min, *extent;
    tirbi_value *stop = &c->args[1], *thread = &c->args[2], none = tirbi_value_none();
    tirbi_list annotations = {.n = 0};
    const char *tag;
    if (stop->kind == TIRBI_VALUE_STRING && !tirbi_given(thread)) {
        *thread = *stop;
        *stop = none;
    }
    if (!tirbi_given(thread))
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "T.thread_binding needs the thread, such as \"threadIdx.x\"");
    if (!tirbi_to_text(s, thread, "the thread", &tag)) return tirbi_value_error();
    if (!read_bounds(s, &c->args[0], stop, false, &none, &min, &extent)) return tirbi_value_error();
    if (tirbi_given(&c->args[3]) && !tirbi_to_attrs(s, &c->args[3], &annotations)) return tirbi_value_error();
    tirb_stmt *stmt = make_loop(s, c, TIRB_FOR_THREAD_BINDING, min, extent);
    if (!stmt) return tirbi_value_error();
    stmt->as.for_.thread_tag = tag;
    stmt->as.for_.annotations = annotations.items;
    stmt->as.for_.n_annotations = annotations.n;
    return loops_form(s, &stmt, 1);
}

static tirbi_value grid(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *items = c->args[0].as.sequence.items;
    uint32_t n = c->args[0].as.sequence.n;
    if (n == 0) return tirbi_fail(s, TIRB_TYPE, c->node->span, "T.grid needs an extent");
    tirb_stmt **loops = TIRBI_NEW_ARRAY(s->arena, tirb_stmt *, n);
    if (!loops) return tirbi_value_error();
    for (uint32_t i = 0; i < n; i++) {
        const tirb_expr *min, *extent;
        tirbi_value none = tirbi_value_none();
        bool pair = items[i].kind == TIRBI_VALUE_TUPLE;
        if (pair && items[i].as.sequence.n != 2)
            return tirbi_fail(s, TIRB_TYPE, c->node->span, "a range of T.grid is a pair (start, extent)");
        const tirbi_value *first = pair ? &items[i].as.sequence.items[0] : &items[i];
        const tirbi_value *second = pair ? &items[i].as.sequence.items[1] : &none;
        if (!read_bounds(s, first, second, true, &c->args[1], &min, &extent)) return tirbi_value_error();
        loops[i] = make_loop(s, c, TIRB_FOR_SERIAL, min, extent);
    }
    return loops_form(s, loops, n);
}

/* ---- Blocks ----------------------------------------------------------------------------------------------------- */

static tirbi_value block(tirbi_script *s, const tirbi_call *c) {
    tirbi_value v = tirbi_value_form(s, TIRBI_FORM_BLOCK);
    if (tirbi_is_error(&v)) return v;
    if (!tirbi_classic(s) && s->function && !s->function->ir->s_tir)
        tirbi_report_warning(s->diagnostics, c->node->span,
                             "TVM takes blocks in functions of schedules only: @T.prim_func(s_tir=True)");
    v.as.form->name = "";
    if (tirbi_given(&c->args[0]) && !tirbi_to_text(s, &c->args[0], "the name of the block", &v.as.form->name))
        return tirbi_value_error();
    if (s->block_suffix) {
        v.as.form->name = tirbi_arena_format(s->arena, "%s_%u", v.as.form->name, s->block_suffix);
        if (!v.as.form->name) return tirbi_value_error();
    }
    v.as.form->no_realize = c->args[1].kind == TIRBI_VALUE_BOOL && c->args[1].as.boolean;
    return v;
}

static tirbi_frame *block_frame(tirbi_script *s, const tirbi_call *c) {
    tirbi_frame *frame = tirbi_frame_top(&s->builder);
    if (frame && frame->kind == TIRBI_FRAME_BLOCK && frame->block) return frame;
    tirbi_fail(s, TIRB_TYPE, c->node->span, "%s is only possible directly in a block",
               tirbi_node_text(s, c->node->items[0]));
    return NULL;
}

static tirbi_value init(tirbi_script *s, const tirbi_call *c) {
    tirbi_frame *frame = block_frame(s, c);
    if (!frame) return tirbi_value_error();
    if (frame->block->init) return tirbi_fail(s, TIRB_TYPE, c->node->span, "the block has a T.init already");
    return tirbi_value_form(s, TIRBI_FORM_INIT);
}

static tirbi_value where(tirbi_script *s, const tirbi_call *c) {
    if (c->args[1].as.sequence.n)
        return tirbi_fail(s, TIRB_TYPE, c->node->span,
                          "T.where is a block's predicate; write T.Select(condition, a, b), or T.if_then_else where an "
                          "arm may not be evaluated");
    tirbi_frame *frame = block_frame(s, c);
    if (!frame) return tirbi_value_error();
    const tirbi_value *v = &c->args[0];
    bool bit = v->kind == TIRBI_VALUE_INT && !v->big && (v->as.integer == 0 || v->as.integer == 1);
    const tirb_expr *e = bit ? tirbi_to_typed(s, v, tirbi_type_bool) : tirbi_to_condition(s, v);
    if (!e) return tirbi_value_error();
    if (frame->has_predicate) return tirbi_fail(s, TIRB_TYPE, c->node->span, "the block has a T.where already");
    frame->has_predicate = true;
    frame->predicate = tirbi_is_const_int(e, 1) ? NULL : e;
    return tirbi_value_none();
}

static tirbi_value access(tirbi_script *s, const tirbi_call *c) {
    tirbi_frame *frame = block_frame(s, c);
    if (!frame) return tirbi_value_error();
    bool writes = c->entry->data == 1;
    bool *has = writes ? &frame->block->has_writes : &frame->block->has_reads;
    tirbi_list *list = writes ? &frame->writes : &frame->reads;
    if (*has) return tirbi_fail(s, TIRB_TYPE, c->node->span, "the block has a T.%s already", c->entry->name);
    *has = true;
    const tirbi_value *regions = &c->args[0];
    if (regions->as.sequence.n == 1 && regions->as.sequence.items[0].kind == TIRBI_VALUE_TUPLE)
        regions = &regions->as.sequence.items[0];
    for (uint32_t i = 0; i < regions->as.sequence.n; i++) {
        tirb_buffer_region region;
        if (!tirbi_to_region(s, &regions->as.sequence.items[i], &region)) return tirbi_value_error();
        tirb_buffer_region *slot = TIRBI_LIST_ADD(s->arena, list, tirb_buffer_region);
        if (slot) *slot = region;
    }
    return tirbi_value_none();
}

static tirbi_value block_attr(tirbi_script *s, const tirbi_call *c) {
    tirbi_frame *frame = block_frame(s, c);
    if (frame) tirbi_to_attrs(s, &c->args[0], &frame->annotations);
    return tirbi_value_none();
}

/* ---- Block axes ------------------------------------------------------------------------------------------------- */

/* An extent, a pair (begin, end) or a T.Range. */
static bool read_domain(tirbi_script *s, const tirbi_call *c, const tirbi_value *v, tirb_range *out) {
    tirbi_builder *b = &s->builder;
    if (v->kind == TIRBI_VALUE_RANGE) {
        *out = v->as.range;
        return true;
    }
    if (v->kind == TIRBI_VALUE_TUPLE) {
        if (v->as.sequence.n != 2) {
            tirbi_fail(s, TIRB_TYPE, c->node->span, "the domain of an axis is an extent or a pair (begin, end)");
            return false;
        }
        const tirb_expr *begin = tirbi_to_expr(s, &v->as.sequence.items[0]),
                        *end = tirbi_to_expr(s, &v->as.sequence.items[1]);
        if (!tirbi_match_types(b, c->node->span, &begin, &end)) return false;
        out->min = begin;
        out->extent = tirbi_make_domain(&s->builder, c->node->span, end, begin);
    } else {
        out->extent = tirbi_to_expr(s, v);
        out->min = out->extent ? tirbi_make_int(b, out->extent->span, out->extent->dtype, 0) : NULL;
    }
    return out->min && out->extent && is_bound(s, out->min, "the domain of an axis") &&
           is_bound(s, out->extent, "the domain of an axis");
}

static const tirb_expr *add_axis(tirbi_script *s, tirbi_frame *frame, tirbi_span span, const char *name,
                                 tirb_range domain, const tirb_expr *value, tirb_itervar_type type,
                                 tirb_datatype dtype) {
    const tirb_expr *var = tirbi_make_var(&s->builder, span, name, tirbi_prim_type(dtype));
    tirb_itervar *iter = TIRBI_LIST_ADD(s->arena, &frame->iters, tirb_itervar);
    const tirb_expr **slot = TIRBI_LIST_ADD(s->arena, &frame->values, const tirb_expr *);
    if (!var || !iter || !slot) return NULL;
    domain.min = tirbi_make_cast(&s->builder, domain.min->span, dtype, domain.min);
    domain.extent = tirbi_make_cast(&s->builder, domain.extent->span, dtype, domain.extent);
    if (!domain.min || !domain.extent) return NULL;
    *iter = (tirb_itervar){.dom = domain, .var = var, .type = type, .thread_tag = ""};
    *slot = value;
    return var;
}

static tirbi_value axis(tirbi_script *s, const tirbi_call *c) {
    tirbi_frame *frame = block_frame(s, c);
    tirb_range domain;
    tirb_datatype type = tirbi_type_i32;
    if (!frame || !read_domain(s, c, &c->args[0], &domain)) return tirbi_value_error();
    if (tirbi_given(&c->args[2]) && !tirbi_to_dtype(s, &c->args[2], &type)) return tirbi_value_error();
    if (type.code != TIRB_CODE_INT || domain.extent->dtype.code != TIRB_CODE_INT)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "an axis is of a signed integer type");
    if (domain.min->dtype.bits > type.bits) type.bits = domain.min->dtype.bits;
    if (domain.extent->dtype.bits > type.bits) type.bits = domain.extent->dtype.bits;
    const tirb_expr *value = NULL;
    if (tirbi_given(&c->args[1])) {
        value = arg(s, c, 1);
        if (!value || !is_bound(s, value, "the binding of an axis")) return tirbi_value_error();
    } else if (!frame->block->no_realize) {
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "T.axis.%s needs the value that the axis is bound to",
                          c->entry->name);
    }
    return tirbi_value_declared(
        add_axis(s, frame, c->node->span, c->hint, domain, value, (tirb_itervar_type)c->entry->data, type));
}

static tirbi_value remap(tirbi_script *s, const tirbi_call *c) {
    tirbi_frame *frame = block_frame(s, c);
    const char *kinds;
    const tirb_expr *const *bindings;
    uint32_t n;
    if (!frame || !tirbi_to_text(s, &c->args[0], "the kinds of the axes", &kinds) ||
        !tirbi_to_exprs(s, &c->args[1], &bindings, &n))
        return tirbi_value_error();
    if (strlen(kinds) != n)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "\"%s\" names %zu axes, but %u are given", kinds, strlen(kinds),
                          n);
    tirbi_value v = {.kind = TIRBI_VALUE_TUPLE};
    v.as.sequence.items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, n);
    v.as.sequence.n = n;
    if (!v.as.sequence.items) return tirbi_value_error();
    for (uint32_t i = 0; i < n; i++) {
        if (kinds[i] != 'S' && kinds[i] != 'R')
            return tirbi_fail(s, TIRB_TYPE, c->node->span, "unknown kind of axis '%c'; it is S or R", kinds[i]);
        if (bindings[i]->kind != TIRB_EXPR_VAR)
            return tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, bindings[i]),
                              "T.axis.remap takes loop variables only");
        const tirb_stmt *stmt = tirbi_frame_loop(&s->builder, bindings[i]);
        if (!stmt)
            return tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, bindings[i]),
                              "`%s` is not the variable of a loop around this block", bindings[i]->as.var.name);
        tirb_range domain = {stmt->as.for_.min, stmt->as.for_.extent};
        const char *name = n == 1 && c->hint ? c->hint : i < c->n_hints ? c->hints[i] : NULL;
        tirb_itervar_type type = kinds[i] == 'S' ? TIRB_ITER_DATA_PAR : TIRB_ITER_COMM_REDUCE;
        const tirb_expr *var = add_axis(s, frame, c->node->span, name, domain, bindings[i], type, bindings[i]->dtype);
        if (!var) return tirbi_value_error();
        v.as.sequence.items[i] = tirbi_value_declared(var);
    }
    return n == 1 ? v.as.sequence.items[0] : v;
}

/* ---- Scoped statements ------------------------------------------------------------------------------------------ */

tirbi_value tirbi_let_scope(tirbi_script *s, tirbi_span span, const tirb_expr *var, const tirb_expr *value) {
    char left[32], right[32];
    if (!var || !value) return tirbi_value_error();
    bool pointers = tirbi_type_is_handle(var->dtype) && tirbi_type_is_handle(value->dtype);
    if (!pointers && !tirb_datatype_equal(var->dtype, value->dtype))
        return tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, value),
                          "`%s` is of type %s and is bound to a value of type %s", var->as.var.name,
                          tirb_datatype_text(var->dtype, left), tirb_datatype_text(value->dtype, right));
    tirb_stmt *stmt = tirbi_make_stmt(&s->builder, span, TIRB_STMT_LET);
    if (!stmt) return tirbi_value_error();
    stmt->as.let.var = var;
    stmt->as.let.value = value;
    return tirbi_value_scope(s, stmt, tirbi_value_declared(var));
}

/* T.LetStmt(value, type, var=x), T.bind(value, var=x) */
static tirbi_value let_stmt(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *var = NULL, *value;
    if (tirbi_given(&c->args[2])) {
        var = arg(s, c, 2);
        if (!var) return tirbi_value_error();
        if (var->kind != TIRB_EXPR_VAR)
            return tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, var), "only a variable can be bound");
        value = tirbi_to_typed(s, &c->args[0], var->dtype);
    } else {
        value = arg(s, c, 0);
        if (!value) return tirbi_value_error();
        tirb_type type =
            tirbi_type_is_handle(value->dtype) ? tirbi_pointer_type_of(value) : tirbi_prim_type(value->dtype);
        var = tirbi_make_var(&s->builder, c->node->span, c->hint, type);
    }
    return tirbi_let_scope(s, c->node->span, var, value);
}

/* T.let(x, value) of the classic spelling. */
static tirbi_value classic_let(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *var = arg(s, c, 0);
    if (!var) return tirbi_value_error();
    if (var->kind != TIRB_EXPR_VAR)
        return tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, var), "only a variable can be bound");
    return tirbi_let_scope(s, c->node->span, var, tirbi_to_typed(s, &c->args[1], var->dtype));
}

static tirb_stmt *attr_stmt(tirbi_script *s, tirbi_span span, const tirb_expr *node, const char *key,
                            const tirb_expr *value) {
    tirb_stmt *stmt = value ? tirbi_make_stmt(&s->builder, span, TIRB_STMT_ATTR) : NULL;
    if (!stmt) return NULL;
    stmt->as.attr.node_expr = node;
    stmt->as.attr.key = key;
    stmt->as.attr.value = value;
    return stmt;
}

static tirbi_value attr_dict(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *dict = &c->args[0];
    uint32_t n = dict->as.sequence.n / 2;
    tirbi_value v = tirbi_value_form(s, TIRBI_FORM_SCOPE);
    if (tirbi_is_error(&v)) return v;
    v.as.form->stmts = TIRBI_NEW_ARRAY(s->arena, tirb_stmt *, n);
    if (!v.as.form->stmts) return tirbi_value_error();
    for (uint32_t i = 0; i < n; i++) {
        const char *key;
        if (!tirbi_to_text(s, &dict->as.sequence.items[2 * i], "the key", &key)) return tirbi_value_error();
        const tirb_expr *node = tirbi_make_int(&s->builder, c->node->span, tirbi_type_i32, 0);
        v.as.form->stmts[i] =
            attr_stmt(s, c->node->span, node, key, tirbi_to_expr(s, &dict->as.sequence.items[2 * i + 1]));
        if (!v.as.form->stmts[i]) return tirbi_value_error();
    }
    v.as.form->n_stmts = n;
    return v;
}

static const tirb_itervar *make_thread(tirbi_script *s, const tirb_expr *var, const char *tag,
                                       const tirb_expr *extent) {
    tirb_itervar *thread = TIRBI_NEW(s->arena, tirb_itervar);
    if (!thread || !var || !extent) return NULL;
    tirb_range domain = {tirbi_make_int(&s->builder, extent->span, extent->dtype, 0), extent};
    *thread = (tirb_itervar){.dom = domain, .var = var, .type = TIRB_ITER_THREAD_INDEX, .thread_tag = tag};
    return thread;
}

/* The tag of a thread index that T.env_thread or T.iter_var made, or NULL. */
static const char *thread_tag(const tirbi_script *s, const tirb_expr *var) {
    const tirbi_thread *threads = s->threads.items;
    for (uint32_t i = 0; i < s->threads.n; i++)
        if (threads[i].var == var) return threads[i].tag;
    return NULL;
}

static void add_thread(tirbi_script *s, const tirb_expr *var, const char *tag) {
    tirbi_thread *slot = TIRBI_LIST_ADD(s->arena, &s->threads, tirbi_thread);
    if (slot) *slot = (tirbi_thread){var, tag};
}

static tirbi_value thread_scope(tirbi_script *s, const tirbi_call *c, const tirb_expr *var, const char *tag,
                                const tirb_expr *extent) {
    bool is_virtual = strncmp(tag, "vthread", 7) == 0;
    tirb_stmt *stmt = attr_stmt(s, c->node->span, var, is_virtual ? "virtual_thread" : "thread_extent", extent);
    if (!stmt) return tirbi_value_error();
    stmt->as.attr.thread = make_thread(s, var, tag, extent);
    return tirbi_value_scope(s, stmt, tirbi_value_declared(var));
}

/* Where an accelerator's code begins: an attribute of nothing. */
static tirbi_value device_entry(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *node = tirbi_make_int(&s->builder, c->node->span, tirbi_type_i32, 0);
    const tirb_expr *value = tirbi_make_bool(&s->builder, c->node->span, true);
    return tirbi_value_scope(s, attr_stmt(s, c->node->span, node, "tirx.device_entry", value), tirbi_value_none());
}

static tirbi_value attr(tirbi_script *s, const tirbi_call *c) {
    if (c->args[0].kind == TIRBI_VALUE_DICT && c->args[1].kind == TIRBI_VALUE_MISSING) return attr_dict(s, c);
    const char *key;
    if (!tirbi_to_text(s, &c->args[1], "the key", &key)) return tirbi_value_error();
    const tirb_expr *node = NULL, *value = tirbi_given(&c->args[2]) ? arg(s, c, 2) : NULL;
    if (!value)
        return c->args[2].kind == TIRBI_VALUE_MISSING ? tirbi_fail(s, TIRB_TYPE, c->node->span, "T.attr needs a value")
                                                      : tirbi_value_error();
    if (c->args[0].kind == TIRBI_VALUE_BUFFER && !c->args[0].scalar)
        node = c->args[0].as.buffer->data;
    else if (c->args[0].kind != TIRBI_VALUE_OPAQUE && c->args[0].kind != TIRBI_VALUE_REDUCER && !(node = arg(s, c, 0)))
        return tirbi_value_error();
    bool thread = strcmp(key, "thread_extent") == 0 || strcmp(key, "virtual_thread") == 0;
    const char *tag = thread && node ? thread_tag(s, node) : NULL;
    if (tag) return thread_scope(s, c, node, tag, value);
    tirb_stmt *stmt = attr_stmt(s, c->node->span, node, key, value);
    bool reduces = c->args[0].kind == TIRBI_VALUE_REDUCER && strcmp(key, "reduce_scope") == 0;
    if (stmt && reduces && !(stmt->as.attr.reducer = tirbi_read_reducer(s, &c->args[0]))) return tirbi_value_error();
    if (stmt && c->args[0].kind == TIRBI_VALUE_BUFFER && !c->args[0].scalar)
        stmt->as.attr.node_buffer = c->args[0].as.buffer;
    if (stmt && !node && c->args[0].node) stmt->as.attr.node_text = tirbi_node_text(s, c->args[0].node);
    return tirbi_value_scope(s, stmt, tirbi_value_none());
}

static const tirb_expr *thread_var(tirbi_script *s, const tirbi_call *c, const char *tag, tirb_datatype type) {
    const tirb_expr *var = tirbi_make_var(&s->builder, c->node->span, c->hint, tirbi_prim_type(type));
    if (var) add_thread(s, var, tag);
    return var;
}

static tirbi_value env_thread(tirbi_script *s, const tirbi_call *c) {
    const char *tag;
    if (!tirbi_to_text(s, &c->args[0], "the thread", &tag)) return tirbi_value_error();
    tirb_datatype type = tirbi_type_i32;
    if (tirbi_given(&c->args[1]) && !tirbi_to_dtype(s, &c->args[1], &type)) return tirbi_value_error();
    return tirbi_value_declared(thread_var(s, c, tag, type));
}

static tirbi_value iter_var(tirbi_script *s, const tirbi_call *c) {
    const char *tag = "";
    tirbi_value v = c->args[0];
    if (v.kind != TIRBI_VALUE_EXPR) return (tirbi_value){.kind = TIRBI_VALUE_OPAQUE};
    if (tirbi_given(&c->args[3]) && !tirbi_to_text(s, &c->args[3], "the thread", &tag)) return tirbi_value_error();
    if (*tag) {
        add_thread(s, v.as.expr, tag);
        return tirbi_value_declared(v.as.expr);
    }
    if (c->args[1].kind == TIRBI_VALUE_RANGE) {
        tirb_itervar *iter = TIRBI_NEW(s->arena, tirb_itervar);
        if (!iter) return tirbi_value_error();
        *iter = (tirb_itervar){
            .dom = c->args[1].as.range, .var = v.as.expr, .type = TIRB_ITER_COMM_REDUCE, .thread_tag = ""};
        return (tirbi_value){.kind = TIRBI_VALUE_ITERVAR, .as.itervar = iter};
    }
    return v;
}

static tirbi_value launch_thread(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *extent = arg(s, c, 1), *var;
    if (!extent) return tirbi_value_error();
    if (c->args[0].kind == TIRBI_VALUE_STRING) {
        const char *tag = c->args[0].as.string.text;
        var = thread_var(s, c, tag, extent->dtype);
        return var ? thread_scope(s, c, var, tag, extent) : tirbi_value_error();
    }
    var = arg(s, c, 0);
    if (!var) return tirbi_value_error();
    const char *tag = thread_tag(s, var);
    if (!tag) return tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, var), "expected a thread from T.env_thread");
    return thread_scope(s, c, var, tag, extent);
}

static tirbi_value assert_scope(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *condition = tirbi_to_condition(s, &c->args[0]);
    tirbi_value text = {.kind = TIRBI_VALUE_STRING, .as.string = {"assertion failed", 16}};
    const tirb_expr *message = tirbi_to_expr(s, tirbi_given(&c->args[1]) ? &c->args[1] : &text);
    tirb_stmt *stmt = condition && message ? tirbi_make_stmt(&s->builder, c->node->span, TIRB_STMT_ASSERT) : NULL;
    if (!stmt) return tirbi_value_error();
    stmt->as.assert_.condition = condition;
    stmt->as.assert_.error_kind = "RuntimeError";
    stmt->as.assert_.message = message;
    return tirbi_value_scope(s, stmt, tirbi_value_none());
}

static tirbi_value conditional(tirbi_script *s, const tirbi_call *c) {
    tirbi_value v = tirbi_value_form(s, (tirbi_form_kind)c->entry->data);
    const tirb_expr *condition = tirbi_to_test(s, &c->args[0]);
    if (!condition || tirbi_is_error(&v)) return tirbi_value_error();
    v.as.form->condition = condition;
    return v;
}

static tirbi_value branch(tirbi_script *s, const tirbi_call *c) {
    if (!s->open_if)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "T.%s is only possible directly in `with T.If(...)`",
                          c->entry->name);
    return tirbi_value_form(s, (tirbi_form_kind)c->entry->data);
}

/* ---- Statements without a body ---------------------------------------------------------------------------------- */

static tirbi_value evaluate(tirbi_script *s, const tirbi_call *c) {
    /* A masked store is a statement already. */
    const tirbi_node *node = c->args[0].node;
    if (c->args[0].kind == TIRBI_VALUE_NONE && node && node->kind == TIRBI_NODE_CALL) return tirbi_value_none();
    if (c->args[0].kind == TIRBI_VALUE_BUFFER && !c->args[0].scalar)
        return tirbi_fail(s, TIRB_TYPE, c->node->span,
                          "T.evaluate needs a value; write `%s.data` for the buffer's pointer",
                          c->args[0].as.buffer->name);
    const tirb_expr *e = arg(s, c, 0);
    if (e) tirbi_emit_value(s, c->node->span, e);
    return tirbi_value_none();
}

static tirbi_value return_value(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *e = arg(s, c, 0);
    if (e) tirbi_emit_return(s, c->node->span, e);
    return tirbi_value_none();
}

/* How many assertions at the body's beginning are conditions on arguments; whether they are, is checked when the whole
 * module has been read. */
static bool read_required(tirbi_script *s, const tirbi_call *c, const tirb_attr *attribute, const tirbi_value *v) {
    tirb_primfunc *ir = s->function->ir;
    const tirb_expr *n = attribute->value;
    if (ir->n_required) {
        tirbi_fail(s, TIRB_VALUE, c->node->span, "the attribute \"%s\" is already set", attribute->key);
        return false;
    }
    if (!n || n->kind != TIRB_EXPR_INT_IMM || !tirbi_type_is_int(n->dtype) || n->as.int_value < 1 ||
        n->as.int_value > INT32_MAX) {
        tirbi_fail(s, TIRB_VALUE, v->node ? v->node->span : c->node->span,
                   "tirb.requires must be the number of assertions, at the beginning of the body, that arguments must "
                   "meet: 1 or more");
        return false;
    }
    ir->n_required = (uint32_t)n->as.int_value;
    return true;
}

static tirbi_value func_attr(tirbi_script *s, const tirbi_call *c) {
    tirbi_list attrs = {.n = 0};
    if (!s->function || !tirbi_to_attrs(s, &c->args[0], &attrs)) return tirbi_value_error();
    for (uint32_t i = 0; i < attrs.n; i++) {
        tirb_attr attribute = ((tirb_attr *)attrs.items)[i];
        tirb_primfunc *ir = s->function->ir;
        if (strcmp(attribute.key, "tirb.may_alias") == 0) {
            if (tirbi_given(&s->function->may_alias))
                return tirbi_fail(s, TIRB_VALUE, c->node->span, "the attribute \"%s\" is already set", attribute.key);
            s->function->may_alias = c->args[0].as.sequence.items[2 * i + 1];
            continue;
        }
        if (strcmp(attribute.key, "tirb.requires") == 0) {
            const tirbi_value *value = &c->args[0].as.sequence.items[2 * i + 1];
            if (!read_required(s, c, &attribute, value)) return tirbi_value_error();
            continue;
        }
        if (strcmp(attribute.key, "global_symbol") == 0 && attribute.value &&
            attribute.value->kind == TIRB_EXPR_STRING_IMM) {
            if (ir->is_private)
                return tirbi_fail(s, TIRB_VALUE, c->node->span, "a private function has no global_symbol");
            ir->global_symbol = attribute.value->as.string.text;
        }
        const tirb_attr *known = s->function->attrs.items;
        if (s->function->attrs.n == TIRBI_MAX_ATTRIBUTES)
            return tirbi_fail(s, TIRB_VALUE, c->node->span, "more than %d attributes", TIRBI_MAX_ATTRIBUTES);
        for (uint32_t j = 0; j < s->function->attrs.n; j++)
            if (strcmp(known[j].key, attribute.key) == 0)
                return tirbi_fail(s, TIRB_VALUE, c->node->span, "the attribute \"%s\" is already set", attribute.key);
        tirb_attr *slot = TIRBI_LIST_ADD(s->arena, &s->function->attrs, tirb_attr);
        if (slot) *slot = attribute;
    }
    return tirbi_value_none();
}

static tirbi_value func_name(tirbi_script *s, const tirbi_call *c) {
    if (!s->function) return tirbi_value_error();
    return tirbi_fail(s, TIRB_TYPE, c->node->span,
                      "the function has a name already, `%s`, from its definition; T.func_attr({\"global_symbol\": "
                      "...}) gives it another",
                      s->function->ir->name);
}

static tirbi_value func_ret(tirbi_script *s, const tirbi_call *c) {
    if (!s->function) return tirbi_value_error();
    if (s->function->line->annotation)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "the return type is given already");
    if (!tirbi_set_return(s->function->ir, &c->args[0]))
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "expected a type, found %s", tirbi_value_text(&c->args[0]));
    s->function->return_known = true;
    return tirbi_value_none();
}

/* T.var("int32") of older texts. */
static tirbi_value old_var(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type = tirbi_type_i32;
    if (tirbi_given(&c->args[0]) && !tirbi_to_dtype(s, &c->args[0], &type)) return tirbi_value_error();
    tirb_type full = tirbi_type_is_handle(type) ? tirbi_pointer_type(tirbi_type_void, "") : tirbi_prim_type(type);
    const char *name = c->hint;
    if (tirbi_given(&c->args[1]) && !tirbi_to_text(s, &c->args[1], "the name", &name)) return tirbi_value_error();
    return tirbi_value_declared(tirbi_make_var(&s->builder, c->node->span, name, full));
}

/* T.Var("n", "int32"): what an assignment names has that name. */
static tirbi_value new_var(tirbi_script *s, const tirbi_call *c) {
    const char *name;
    tirb_datatype type;
    if (!tirbi_to_text(s, &c->args[0], "the name", &name)) return tirbi_value_error();
    if (c->hint) name = c->hint;
    if (c->args[1].kind == TIRBI_VALUE_POINTER)
        return tirbi_value_declared(tirbi_make_var(&s->builder, c->node->span, name, c->args[1].as.type.type));
    if (!tirbi_to_dtype(s, &c->args[1], &type)) return tirbi_value_error();
    tirb_type full = tirbi_type_is_handle(type) ? tirbi_pointer_type(tirbi_type_void, "") : tirbi_prim_type(type);
    return tirbi_value_declared(tirbi_make_var(&s->builder, c->node->span, name, full));
}

static tirbi_value pointer_type(tirbi_script *s, const tirbi_call *c) {
    tirb_type type = tirbi_pointer_type(tirbi_type_void, "global");
    if (!tirbi_to_dtype(s, &c->args[0], &type.dtype)) return tirbi_value_error();
    if (tirbi_given(&c->args[1]) && !tirbi_to_text(s, &c->args[1], "the storage scope", &type.scope))
        return tirbi_value_error();
    if (s->in_signature || c->entry->data == 0) return (tirbi_value){.kind = TIRBI_VALUE_POINTER, .as.type.type = type};
    return tirbi_value_declared(tirbi_make_var(&s->builder, c->node->span, c->hint, type));
}

static tirbi_value module_attrs(tirbi_script *s, const tirbi_call *c) {
    if (!tirbi_to_attrs(s, &c->args[0], &s->module_attrs)) return tirbi_value_error();
    return tirbi_value_none();
}

static tirbi_value string_type(tirbi_script *s, const tirbi_call *c) {
    (void)c;
    return tirbi_relax_string_type(s);
}

static tirbi_value meta_var(tirbi_script *s, const tirbi_call *c) {
    tirbi_value *copy = TIRBI_NEW(s->arena, tirbi_value);
    if (!copy) return tirbi_value_error();
    *copy = c->args[0];
    return (tirbi_value){.kind = TIRBI_VALUE_META, .as.meta = copy};
}

tirbi_value tirbi_type_var(tirbi_script *s, const tirbi_call *c) {
    const char *name;
    if (!tirbi_to_text(s, &c->args[0], "the name of a type variable", &name)) return tirbi_value_error();
    tirbi_value v = {.kind = TIRBI_VALUE_TYPEVAR};
    v.as.name = tirbi_intern(&s->names, name, strlen(name));
    return v.as.name ? v : tirbi_value_error();
}

/* T.Break() and T.Continue(). */
static tirbi_value jump(tirbi_script *s, const tirbi_call *c) {
    tirbi_emit_jump(s, c->node->span, (tirb_stmt_kind)c->entry->data, true);
    return tirbi_value_none();
}

/* T.static_assert(condition, message) of what is known while the text is read. */
static tirbi_value static_assertion(tirbi_script *s, const tirbi_call *c) {
    const char *message = "";
    if (tirbi_given(&c->args[1]) && !tirbi_to_text(s, &c->args[1], "the message", &message)) return tirbi_value_error();
    const tirb_expr *e = tirbi_to_expr(s, &c->args[0]);
    if (!e) return tirbi_value_error();
    if (e->kind != TIRB_EXPR_INT_IMM)
        return tirbi_fail(s, TIRB_TYPE, c->node->span,
                          "T.static_assert needs a condition that is known while the text is read");
    if (e->as.int_value) return tirbi_value_none();
    return tirbi_fail(s, TIRB_VALUE, c->node->span, "the assertion does not hold%s%s", *message ? ": " : "", message);
}

static const char decorator_only[] = "it is only meaningful as a decorator";

const tirbi_entry tirbi_stmt_names[] = {
    {"prim_func", NULL, decorator_only, 0},
    {"macro", NULL, decorator_only, 0},
    {"inline", NULL, decorator_only, 0},
    {"jit", NULL, "functions that Python specialises", 0},
    {"serial", loop, "start stop? annotations? step? dtype? unroll?", TIRB_FOR_SERIAL},
    {"parallel", loop, "start stop? annotations? step? dtype?", TIRB_FOR_PARALLEL},
    {"vectorized", loop, "start stop? annotations? step? dtype?", TIRB_FOR_VECTORIZED},
    {"unroll", loop, "start stop? annotations? step? dtype?", TIRB_FOR_UNROLLED},
    {"thread_binding", thread_binding, "start stop? thread? annotations?", 0},
    {"range", tirbi_python_range, "start stop? step? annotations? unroll?", 0},
    {"device_entry", device_entry, "", 0},
    {"grid", grid, "*extents dtype?", 0},
    {"block", block, "name? no_realize?", 0},
    {"sblock", block, "name? no_realize?", 0},
    {"init", init, "", 0},
    {"where", where, "predicate *arms", 0},
    {"reads", access, "*regions", 0},
    {"writes", access, "*regions", 1},
    {"block_attr", block_attr, "attrs", 0},
    {"sblock_attr", block_attr, "attrs", 0},
    {"attr", attr, "node attr_key? value?", 0},
    {"LetStmt", let_stmt, "value type_annotation? var?", 0},
    {"bind", let_stmt, "value type_annotation? var?", 0},
    {"Bind", let_stmt, "value type_annotation? var?", 0},
    {"let", classic_let, "var value", 0},
    {"env_thread", env_thread, "thread_tag dtype?", 0},
    {"launch_thread", launch_thread, "thread extent", 0},
    {"iter_var", iter_var, "var dom? iter_type? thread_tag?", 0},
    {"Assert", assert_scope, "condition message?", 0},
    {"If", conditional, "condition", TIRBI_FORM_IF},
    {"While", conditional, "condition", TIRBI_FORM_WHILE},
    {"Then", branch, "", TIRBI_FORM_THEN},
    {"Else", branch, "", TIRBI_FORM_ELSE},
    {"evaluate", evaluate, "value", 0},
    {"Return", return_value, "value", 0},
    {"func_attr", func_attr, "attrs", 0},
    {"func_name", func_name, "name", 0},
    {"func_ret", func_ret, "ret_type", 0},
    {"var", old_var, "dtype? name?", 0},
    {"Var", new_var, "name ty", 0},
    {"Ptr", pointer_type, "dtype storage_scope?", 0},
    {"ptr", pointer_type, "dtype storage_scope?", 0},
    {"Break", jump, "", TIRB_STMT_BREAK},
    {"Continue", jump, "", TIRB_STMT_CONTINUE},
    {"static_assert", static_assertion, "x message?", 0},
    {"buffer_var", pointer_type, "dtype storage_scope?", 1},
    {"realize", tirbi_realize, "region scope? condition?", 0},
    {"prefetch", tirbi_prefetch, "*args", 0},
    {"reduce", tirbi_reduce, "combiner source init? axis? condition? value_index?", 0},
    {"Reduce", tirbi_reduce, "combiner source init? axis? condition? value_index?", 0},
    {"load", tirbi_deprecated_load, "dtype var index predicate?", 0},
    {"store", tirbi_deprecated_store, "var index value predicate?", 0},
    {NULL, NULL, NULL, 0},
};

const tirbi_entry tirbi_axis_names[] = {
    {"spatial", axis, "dom binding? dtype?", TIRB_ITER_DATA_PAR},
    {"S", axis, "dom binding? dtype?", TIRB_ITER_DATA_PAR},
    {"reduce", axis, "dom binding? dtype?", TIRB_ITER_COMM_REDUCE},
    {"R", axis, "dom binding? dtype?", TIRB_ITER_COMM_REDUCE},
    {"scan", axis, "dom binding? dtype?", TIRB_ITER_ORDERED},
    {"opaque", axis, "dom binding? dtype?", TIRB_ITER_OPAQUE},
    {"remap", remap, "kinds bindings dtype?", 0},
    {NULL, NULL, NULL, 0},
};

const tirbi_entry tirbi_ir_names[] = {
    {"ir_module", NULL, decorator_only, 0},
    {"module_attrs", module_attrs, "attrs allow_overwrite?", 0},
    {"module_global_infos", tirbi_global_infos, "infos", 0},
    {"dummy_global_info", tirbi_dummy_info, "", 0},
    {"vdevice", tirbi_vdevice, "target vdevice_id? memory_scope?", 0},
    {"meta_var", meta_var, "value", 0},
    {"StringType", string_type, "", 0},
    {NULL, NULL, NULL, 0},
};
