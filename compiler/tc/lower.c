/* Defs to functions: first all ranges, with which every shape and every condition is known, then the statements. */
#include "compiler/tc/lower.h"

#include <string.h>

#include "compiler/ir/builder.h"
#include "compiler/ir/linear.h"
#include "compiler/tc/lowering.h"

enum { MAX_STEPS = 10000, MAX_CALL_DEPTH = 64 };

/* ---- What names mean -------------------------------------------------------------------------------------------- */

static tirbi_tc_scope *new_scope(tirbi_tc_lowering *l, const tirbi_tc_def *def) {
    tirbi_tc_scope *scope = TIRBI_NEW(l->arena, tirbi_tc_scope);
    if (!scope) return NULL;
    scope->def = def;
    scope->tensors = TIRBI_NEW_ARRAY(l->arena, tirbi_tc_tensor *, def->n_symbols);
    scope->sizes = TIRBI_NEW_ARRAY(l->arena, const tirbi_tc_sum *, def->n_symbols);
    if (!scope->tensors || !scope->sizes) return NULL;
    for (uint32_t i = 0; i < def->n_symbols; i++) {
        const tirbi_tc_symbol *symbol = def->symbols[i];
        if (symbol->kind != TIRBI_TC_TENSOR) continue;
        tirbi_tc_tensor *tensor = scope->tensors[symbol->number] = TIRBI_NEW(l->arena, tirbi_tc_tensor);
        if (!tensor) return NULL;
        *tensor = (tirbi_tc_tensor){.symbol = symbol, .ndim = symbol->ndim};
    }
    return scope;
}

/* The dimensions of a type. A size variable that is not bound yet is bound to `extent`, where that is given, else to a
 * variable of the function. */
static bool bind_sizes(tirbi_tc_lowering *l, const tirbi_tc_scope *scope, const tirbi_tc_param *param,
                       tirbi_tc_tensor *tensor, const tirbi_tc_tensor *argument, tirbi_span span) {
    for (uint32_t i = 0; i < param->ndim; i++) {
        const tirbi_tc_size *size = &param->sizes[i];
        const tirbi_tc_sum *wanted = tirbi_tc_constant(&l->sizes, size->value);
        if (size->name) {
            const tirbi_tc_sum **bound = &scope->sizes[size->symbol->number];
            if (!*bound && argument) *bound = argument->extent[i];
            if (!*bound) {
                const tirb_expr *var =
                    tirbi_make_var(&l->b, size->symbol->span, size->name, tirbi_prim_type(tirbi_type_i32));
                *bound = var ? tirbi_tc_variable(&l->sizes, var, true) : NULL;
            }
            wanted = *bound;
        }
        const char *what =
            tirbi_arena_format(l->arena, "dimension %u of `%s` and that of the parameter `%s` of %s", (unsigned)i,
                               argument ? argument->symbol->name : param->name, param->name, scope->def->name);
        if (!wanted || !what) return false;
        if (argument && !tirbi_tc_require_equal(&l->inference, argument->extent[i], wanted, span, what)) return false;
        tensor->low[i] = tirbi_tc_constant(&l->sizes, 0);
        tensor->extent[i] = wanted;
    }
    tensor->has_shape = true;
    return true;
}

static bool bind_param(tirbi_tc_lowering *l, const tirbi_tc_scope *scope, const tirbi_tc_param *param) {
    tirbi_tc_tensor *tensor = scope->tensors[param->symbol->number];
    if (!bind_sizes(l, scope, param, tensor, NULL, param->span)) return false;
    if (param->ndim > 0) return true;
    const bool is_int =
        tirbi_type_is_int(param->dtype) && (param->dtype.code == TIRB_CODE_INT || param->dtype.bits < 64);
    tensor->scalar = tirbi_make_var(&l->b, param->name_span, param->name, tirbi_prim_type(param->dtype));
    if (tensor->scalar && is_int) tensor->value = tirbi_tc_variable(&l->sizes, tensor->scalar, false);
    return tensor->scalar != NULL;
}

/* ---- Steps ------------------------------------------------------------------------------------------------------ */

/* The shape of what a statement defines: that of its annotation, or of the ranges on its left. */
static bool define_target(tirbi_tc_lowering *l, const tirbi_tc_step *step) {
    const tirbi_tc_stmt *stmt = step->stmt;
    tirbi_tc_tensor *target = step->scope->tensors[stmt->target->number];
    const tirbi_tc_param *declared = stmt->target->declared;
    for (uint32_t i = 0; i < stmt->n_subscripts && !stmt->is_scatter; i++) {
        uint32_t v = 0;
        while (v < stmt->n_indices && stmt->indices[v] != stmt->subscripts[i]->symbol) v++;
        const tirbi_tc_range *r = &step->ranges[v];
        const tirbi_tc_sum *extent = tirbi_tc_add_constant(&l->sizes, tirbi_tc_sub(&l->sizes, r->high, r->low), 1);
        const char *what = tirbi_arena_format(l->arena, "dimension %u of `%s` in %s and its annotation", (unsigned)i,
                                              stmt->name, step->scope->def->name);
        if (!extent || !what) return false;
        if (declared &&
            !tirbi_tc_require_equal(&l->inference, extent, target->extent[i], declared->sizes[i].span, what))
            return false;
        target->low[i] = r->low;
        target->extent[i] = extent;
    }
    target->has_shape = true;
    tirbi_tc_tensor **slot = TIRBI_LIST_ADD(l->arena, &l->defined, tirbi_tc_tensor *);
    if (slot) *slot = target;
    return slot != NULL;
}

static bool plan_statement(tirbi_tc_lowering *l, const tirbi_tc_scope *scope, const tirbi_tc_stmt *stmt) {
    tirbi_tc_range *ranges = TIRBI_NEW_ARRAY(l->arena, tirbi_tc_range, stmt->n_indices);
    tirbi_tc_step *step = TIRBI_LIST_ADD(l->arena, &l->steps, tirbi_tc_step);
    if (!ranges || !step) return false;
    *step = (tirbi_tc_step){scope, stmt, ranges};
    return tirbi_tc_infer(&l->inference, scope, stmt, ranges) && (!stmt->defines || define_target(l, step));
}

static bool plan_def(tirbi_tc_lowering *l, const tirbi_tc_scope *scope, uint32_t depth);

/* A parameter is the argument under another name, and begins at 0. */
static bool bind_argument(tirbi_tc_lowering *l, const tirbi_tc_scope *inner, const tirbi_tc_param *param,
                          const tirbi_tc_tensor *argument, tirbi_span span) {
    tirbi_tc_tensor *tensor = inner->tensors[param->symbol->number];
    tensor->of = argument;
    tensor->value = argument->value;
    return bind_sizes(l, inner, param, tensor, argument, span);
}

/* The callee's result is the caller's tensor from then on. */
static bool bind_result(tirbi_tc_lowering *l, const tirbi_tc_scope *scope, const tirbi_tc_scope *inner,
                        const tirbi_tc_name *target, const tirbi_tc_param *result) {
    tirbi_tc_tensor *given = inner->tensors[result->symbol->number];
    const tirbi_tc_tensor *wanted = scope->tensors[target->symbol->number];
    for (uint32_t i = 0; wanted->has_shape && i < given->ndim; i++) {
        const char *what = tirbi_arena_format(l->arena, "dimension %u of `%s` in %s and its annotation", (unsigned)i,
                                              target->name, scope->def->name);
        if (!what || !tirbi_tc_require_equal(&l->inference, given->extent[i], wanted->extent[i], target->span, what))
            return false;
    }
    given->symbol = target->symbol;
    scope->tensors[target->symbol->number] = given;
    return true;
}

static bool plan_call(tirbi_tc_lowering *l, const tirbi_tc_scope *scope, const tirbi_tc_stmt *stmt, uint32_t depth) {
    if (depth == MAX_CALL_DEPTH) {
        tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, stmt->callee_span,
                           "more than %d calls are inside each other", MAX_CALL_DEPTH);
        return false;
    }
    const tirbi_tc_def *callee = stmt->callee;
    const tirbi_tc_scope *inner = new_scope(l, callee);
    if (!inner) return false;
    for (uint32_t i = 0; i < callee->n_params; i++) {
        const tirbi_tc_tensor *argument = scope->tensors[stmt->call_args[i]->symbol->number];
        if (!bind_argument(l, inner, &callee->params[i], argument, stmt->call_args[i]->span)) return false;
    }
    if (!plan_def(l, inner, depth + 1)) return false;
    for (uint32_t i = 0; i < callee->n_returns; i++)
        if (!bind_result(l, scope, inner, &stmt->targets[i], &callee->returns[i])) return false;
    return true;
}

static bool plan_def(tirbi_tc_lowering *l, const tirbi_tc_scope *scope, uint32_t depth) {
    const tirbi_tc_def *def = scope->def;
    for (uint32_t i = 0; i < def->n_returns; i++) {
        const tirbi_tc_param *result = &def->returns[i];
        tirbi_tc_tensor *tensor = scope->tensors[result->symbol->number];
        if (result->has_type && !bind_sizes(l, scope, result, tensor, NULL, result->span)) return false;
    }
    for (uint32_t i = 0; i < def->n_stmts; i++) {
        const tirbi_tc_stmt *stmt = &def->stmts[i];
        if (l->steps.n >= MAX_STEPS) {
            tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, stmt->span,
                               "more than %d statements, with those of all that is called", MAX_STEPS);
            return false;
        }
        if (!(stmt->callee ? plan_call(l, scope, stmt, depth) : plan_statement(l, scope, stmt))) return false;
    }
    return true;
}

/* ---- Buffers ---------------------------------------------------------------------------------------------------- */

static bool make_buffer(tirbi_tc_lowering *l, tirbi_tc_tensor *tensor, tirbi_span span) {
    const tirb_expr **shape = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, tensor->ndim);
    const tirbi_tc_symbol *symbol = tensor->symbol;
    for (uint32_t i = 0; shape && i < tensor->ndim; i++)
        if (!(shape[i] = tirbi_tc_lower_sum(l, span, tensor->extent[i]))) return false;
    if (shape)
        tensor->buffer = tirbi_make_buffer(&l->b, span, symbol->name, symbol->dtype, shape, tensor->ndim, "global");
    return tensor->buffer != NULL;
}

/* Parameters are what they are everywhere; tensors of inlined defs are what was handed to them. */
static void resolve_tensors(const tirbi_tc_scope *scope) {
    for (uint32_t i = 0; i < scope->def->n_symbols; i++) {
        tirbi_tc_tensor *tensor = scope->tensors[i];
        if (!tensor || !tensor->of) continue;
        const tirbi_tc_tensor *own = tensor->of;
        while (own->of) own = own->of;
        tensor->scalar = own->scalar;
        tensor->buffer = own->buffer;
    }
}

static void add_param(tirb_primfunc *f, tirbi_tc_lowering *l, const tirbi_tc_tensor *tensor) {
    const tirb_expr **params = (const tirb_expr **)f->params;
    const tirb_buffer **buffers = (const tirb_buffer **)f->buffers;
    const tirb_buffer *buffer = tensor->buffer;
    params[f->n_params] = tensor->scalar;
    if (buffer)
        params[f->n_params] =
            tirbi_make_var(&l->b, buffer->span, buffer->name, tirbi_pointer_type(buffer->dtype, buffer->scope));
    buffers[f->n_params++] = buffer;
}

static bool add_minima(tirbi_tc_lowering *l, const tirbi_tc_tensor *tensor, const tirb_expr *const **out) {
    bool any = false;
    for (uint32_t i = 0; i < tensor->ndim; i++) any = any || !tirbi_tc_is(tensor->low[i], 0);
    if (!any) return true;
    const tirb_expr **lows = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, tensor->ndim);
    for (uint32_t i = 0; lows && i < tensor->ndim; i++)
        if (!(lows[i] = tirbi_tc_lower_sum(l, tensor->symbol->span, tensor->low[i]))) return false;
    *out = lows;
    return lows != NULL;
}

static bool make_params(tirbi_tc_lowering *l, const tirbi_tc_scope *scope, tirb_primfunc *f) {
    const tirbi_tc_def *def = scope->def;
    const uint32_t n = def->n_params + def->n_returns;
    f->params = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, n);
    f->buffers = TIRBI_NEW_ARRAY(l->arena, const tirb_buffer *, n);
    const tirb_expr *const **minima = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *const *, n);
    if (!f->params || !f->buffers || !minima) return false;
    for (uint32_t i = 0; i < n; i++) {
        const bool is_result = i >= def->n_params;
        const tirbi_tc_param *param = is_result ? &def->returns[i - def->n_params] : &def->params[i];
        tirbi_tc_tensor *tensor = scope->tensors[param->symbol->number];
        if (!tensor->scalar && !make_buffer(l, tensor, param->name_span)) return false;
        add_param(f, l, tensor);
        if (is_result && !add_minima(l, tensor, &minima[i])) return false;
        if (minima[i]) f->minima = minima;
    }
    return true;
}

/* A list of the results that do not begin at 0, for who reads the text: d_I[0, KH - 1]. */
static bool add_minima_attribute(tirbi_tc_lowering *l, const tirbi_tc_scope *scope, tirb_primfunc *f) {
    const tirbi_tc_def *def = scope->def;
    const char *text = "";
    for (uint32_t i = 0; f->minima && i < def->n_returns && text; i++) {
        const tirb_expr *const *minima = f->minima[def->n_params + i];
        const tirbi_tc_tensor *tensor = scope->tensors[def->returns[i].symbol->number];
        if (!minima) continue;
        text = tirbi_arena_format(l->arena, "%s%s%s[", text, *text ? ", " : "", tensor->symbol->name);
        for (uint32_t d = 0; d < tensor->ndim && text; d++) {
            const char *low = tirbi_tc_size_text(l->arena, minima[d]);
            text = low ? tirbi_arena_format(l->arena, "%s%s%s", text, d ? ", " : "", low) : NULL;
        }
        if (text) text = tirbi_arena_format(l->arena, "%s]", text);
    }
    if (!text || !*text) return text != NULL;
    tirb_attr *attr = TIRBI_NEW(l->arena, tirb_attr);
    if (!attr) return false;
    *attr = (tirb_attr){.key = "tirb.minima", .value = tirbi_make_string(&l->b, f->span, text, (uint32_t)strlen(text))};
    f->attrs = attr;
    f->n_attrs = 1;
    return attr->value != NULL;
}

/* ---- Conditions ------------------------------------------------------------------------------------------------- */

/* At least 0, as a person writes it: a number to take away, or to take from, stands on the right. */
static const tirb_expr *lower_condition(tirbi_tc_lowering *l, const tirbi_tc_condition *c) {
    tirbi_tc_sizes *z = &l->sizes;
    const tirbi_tc_sum *left = c->left, *right = c->right;
    tirb_expr_kind relation = right ? TIRB_EXPR_EQ : TIRB_EXPR_GE;
    if (!right) {
        bool is_below = left->n > 0;
        for (uint32_t i = 0; i < left->n; i++) is_below = is_below && left->terms[i].factor < 0;
        const int64_t number = is_below ? left->constant : left->constant < 0 ? -left->constant : 0;
        right = tirbi_tc_constant(z, number);
        left = tirbi_tc_add_constant(z, left, is_below ? -number : number);
        if (is_below) left = tirbi_tc_scale(z, left, -1);
        if (is_below) relation = TIRB_EXPR_LE;
    }
    if (!left || !right) return NULL;
    const bool narrow = tirbi_tc_fits_int32(left) && tirbi_tc_fits_int32(right) && tirbi_is_moderate(left->constant) &&
                        tirbi_is_moderate(right->constant);
    const tirb_datatype type = narrow ? tirbi_type_i32 : tirbi_type_i64;
    uint32_t n_left = 0, n_right = 0;
    const tirb_expr *x = tirbi_tc_sum_expr(&l->b, c->span, type, left, &n_left);
    const tirb_expr *y = tirbi_tc_sum_expr(&l->b, c->span, type, right, &n_right);
    if (n_left > TIRBI_TC_MAX_DIM_TERMS || n_right > TIRBI_TC_MAX_DIM_TERMS) {
        tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, c->span,
                           "a condition on the sizes that follows from this has more than %d terms",
                           TIRBI_TC_MAX_DIM_TERMS);
        return NULL;
    }
    return x && y ? tirbi_make_compare(&l->b, c->span, relation, x, y) : NULL;
}

static bool emit_conditions(tirbi_tc_lowering *l, tirb_primfunc *f) {
    for (uint32_t i = 0; i < l->inference.conditions.n; i++) {
        const tirbi_tc_condition *c = &((const tirbi_tc_condition *)l->inference.conditions.items)[i];
        tirb_stmt *assert = tirbi_make_stmt(&l->b, c->span, TIRB_STMT_ASSERT);
        if (!assert) return false;
        assert->as.assert_.condition = lower_condition(l, c);
        assert->as.assert_.error_kind = "RuntimeError";
        assert->as.assert_.message = tirbi_make_string(&l->b, c->span, c->message, (uint32_t)strlen(c->message));
        if (!assert->as.assert_.condition || !assert->as.assert_.message) return false;
        tirbi_emit_scope(&l->b, assert);
        f->n_required++;
    }
    return true;
}

/* ---- Nests ------------------------------------------------------------------------------------------------------ */

static bool open_loop(tirbi_tc_lowering *l, tirbi_span span, const char *name, const tirbi_tc_sum *extent) {
    tirb_stmt *loop = tirbi_make_stmt(&l->b, span, TIRB_STMT_FOR);
    if (!loop) return false;
    loop->as.for_.var = tirbi_make_var(&l->b, span, name, tirbi_prim_type(tirbi_type_i32));
    loop->as.for_.min = tirbi_make_int(&l->b, span, tirbi_type_i32, 0);
    loop->as.for_.extent = tirbi_tc_lower_sum(l, span, extent);
    loop->as.for_.kind = TIRB_FOR_SERIAL;
    return loop->as.for_.var && loop->as.for_.min && loop->as.for_.extent &&
           tirbi_frame_push(&l->b, TIRBI_FRAME_FOR, loop, span);
}

static void close_frames(tirbi_tc_lowering *l, uint32_t depth) {
    while (l->b.frames.n > depth) tirbi_frame_pop(&l->b);
}

static const tirb_expr *loop_var(const tirbi_tc_lowering *l, uint32_t first_frame, uint32_t i) {
    return ((const tirbi_frame *)l->b.frames.items)[first_frame + i].stmt->as.for_.var;
}

/* An axis of the block that is open, for a loop of the same extent. */
static const tirb_expr *add_axis(tirbi_tc_lowering *l, tirbi_span span, const char *name, const tirb_expr *loop_var,
                                 const tirb_expr *extent, bool is_reduction) {
    tirbi_frame *frame = tirbi_frame_top(&l->b);
    const char *own_name = tirbi_arena_format(l->arena, "v_%s", name);
    const tirb_expr *var = own_name ? tirbi_make_var(&l->b, span, own_name, tirbi_prim_type(tirbi_type_i32)) : NULL;
    tirb_itervar *iter = TIRBI_LIST_ADD(l->arena, &frame->iters, tirb_itervar);
    const tirb_expr **slot = TIRBI_LIST_ADD(l->arena, &frame->values, const tirb_expr *);
    if (!var || !iter || !slot) return NULL;
    *iter = (tirb_itervar){.dom = {tirbi_make_int(&l->b, span, tirbi_type_i32, 0), extent},
                           .var = var,
                           .type = is_reduction ? TIRB_ITER_COMM_REDUCE : TIRB_ITER_DATA_PAR,
                           .thread_tag = ""};
    *slot = loop_var;
    return var;
}

static bool open_block(tirbi_tc_lowering *l, tirbi_span span, const char *name) {
    tirb_stmt *realize = tirbi_make_stmt(&l->b, span, TIRB_STMT_BLOCK_REALIZE);
    tirbi_frame *frame = realize ? tirbi_frame_push(&l->b, TIRBI_FRAME_BLOCK, realize, span) : NULL;
    if (!frame || !frame->block) return false;
    frame->block->name = name;
    return true;
}

static const tirbi_tc_sum *extent_of(tirbi_tc_lowering *l, const tirbi_tc_range *r) {
    return tirbi_tc_add_constant(&l->sizes, tirbi_tc_sub(&l->sizes, r->high, r->low), 1);
}

/* Loops over the first `n` indices of the statement, and a block in them. */
static bool open_nest(tirbi_tc_lowering *l, uint32_t n, const char *name) {
    const tirbi_tc_stmt *stmt = l->here.stmt;
    const uint32_t first = l->b.frames.n;
    for (uint32_t i = 0; i < n; i++)
        if (!open_loop(l, stmt->indices[i]->span, stmt->indices[i]->name, extent_of(l, &l->here.ranges[i])))
            return false;
    if (!open_block(l, stmt->span, name)) return false;
    for (uint32_t i = 0; i < n; i++) {
        const tirb_expr *var = loop_var(l, first, i);
        const tirb_expr *extent = tirbi_tc_lower_sum(l, stmt->indices[i]->span, extent_of(l, &l->here.ranges[i]));
        l->axes[i] =
            extent ? add_axis(l, stmt->indices[i]->span, stmt->indices[i]->name, var, extent, i >= stmt->n_left) : NULL;
        if (!l->axes[i]) return false;
    }
    return true;
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

static const tirb_expr *identity_of(tirbi_tc_lowering *l, const tirbi_tc_stmt *stmt) {
    const tirb_datatype type = stmt->target->dtype;
    const bool least = stmt->assign == TIRBI_TC_LEAST;
    if (stmt->assign == TIRBI_TC_SUM || stmt->assign == TIRBI_TC_PRODUCT)
        return tirbi_make_number(&l->b, stmt->span, type, stmt->assign == TIRBI_TC_PRODUCT);
    if (tirbi_type_is_bool(type)) return tirbi_make_bool(&l->b, stmt->span, least);
    if (tirbi_type_is_float(type))
        return tirbi_make_float(&l->b, stmt->span, type, least ? tirb_datatype_max(type) : -tirb_datatype_max(type));
    const uint64_t ones = UINT64_MAX >> (64 - type.bits);
    int64_t value = least ? (int64_t)(ones >> 1) : -(int64_t)(ones >> 1) - 1;
    if (type.code == TIRB_CODE_UINT) value = least ? (int64_t)ones : 0;
    return tirbi_make_int(&l->b, stmt->span, type, value);
}

static const tirb_expr *const *left_indices(tirbi_tc_lowering *l) {
    const tirbi_tc_stmt *stmt = l->here.stmt;
    const tirbi_tc_tensor *target = l->here.scope->tensors[stmt->target->number];
    const tirb_expr **indices = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, stmt->n_subscripts);
    for (uint32_t i = 0; indices && i < stmt->n_subscripts; i++)
        if (!(indices[i] = tirbi_tc_lower_subscript(l, stmt->subscripts[i], target, i))) return NULL;
    return indices;
}

static bool store(tirbi_tc_lowering *l, const tirb_expr *value) {
    const tirbi_tc_stmt *stmt = l->here.stmt;
    const tirb_expr *const *indices = left_indices(l);
    if (!indices || !value) return false;
    tirbi_emit_store(&l->b, stmt->span, l->here.scope->tensors[stmt->target->number]->buffer, value, indices,
                     stmt->n_subscripts, NULL);
    return true;
}

/* The element gets the value, or what it is combined with. */
static bool update(tirbi_tc_lowering *l, bool combines) {
    static const tirbi_tc_expr_kind kinds[] = {[TIRBI_TC_SUM] = TIRBI_TC_ADD,
                                               [TIRBI_TC_PRODUCT] = TIRBI_TC_MUL,
                                               [TIRBI_TC_LEAST] = TIRBI_TC_MIN,
                                               [TIRBI_TC_GREATEST] = TIRBI_TC_MAX};
    const tirbi_tc_stmt *stmt = l->here.stmt;
    const tirb_expr *value = tirbi_tc_lower_as(l, stmt->value, stmt->target->dtype);
    if (!combines) return store(l, value);
    const tirb_expr *const *indices = left_indices(l);
    const tirb_expr *old =
        indices ? tirbi_make_load(&l->b, stmt->span, l->here.scope->tensors[stmt->target->number]->buffer, indices,
                                  stmt->n_subscripts, NULL)
                : NULL;
    return store(l, tirbi_tc_combine(l, stmt->span, kinds[stmt->assign], old, value));
}

/* Every element that the left names gets the identity. */
static bool emit_start(tirbi_tc_lowering *l) {
    const uint32_t depth = l->b.frames.n;
    const char *name = tirbi_arena_format(l->arena, "%s_init", l->here.stmt->name);
    const bool done = name && open_nest(l, l->here.stmt->n_left, name) && store(l, identity_of(l, l->here.stmt));
    close_frames(l, depth);
    return done;
}

/* A block whose reduction has no iterations does not run, not even what begins it: the condition for that; NULL with no
 * error: there are always some. */
static bool find_nothing_to_reduce(tirbi_tc_lowering *l, const tirb_expr **out) {
    const tirbi_tc_stmt *stmt = l->here.stmt;
    *out = NULL;
    for (uint32_t i = stmt->n_left; i < stmt->n_indices; i++) {
        const tirbi_tc_sum *extent = extent_of(l, &l->here.ranges[i]);
        if (tirbi_tc_is_never_negative(&l->sizes, tirbi_tc_add_constant(&l->sizes, extent, -1))) continue;
        const tirb_expr *e = tirbi_tc_lower_sum(l, stmt->span, extent);
        const tirb_expr *zero = tirbi_make_int(&l->b, stmt->span, tirbi_type_i32, 0);
        const tirb_expr *none = e && zero ? tirbi_make_compare(&l->b, stmt->span, TIRB_EXPR_EQ, e, zero) : NULL;
        if (!none) return false;
        *out = *out ? tirbi_make_raw_binary(&l->b, stmt->span, TIRB_EXPR_OR, *out, none) : none;
    }
    return true;
}

static bool reads(const tirbi_tc_expr *e, const tirbi_tc_symbol *symbol) {
    if (e->symbol == symbol && e->kind != TIRBI_TC_DIM) return true;
    if (e->kind == TIRBI_TC_NAME && e->symbol->kind == TIRBI_TC_LET) return reads(e->symbol->value, symbol);
    for (uint32_t i = 0; i < e->n_args; i++)
        if (reads(e->args[i], symbol)) return true;
    return false;
}

/* The value reads elements of its own target, which all begin anew before it does. */
static bool starts_apart(const tirbi_tc_stmt *stmt) {
    return stmt->assign != TIRBI_TC_SET && stmt->starts_over && !stmt->is_scatter && !stmt->defines &&
           reads(stmt->value, stmt->target);
}

/* An element begins anew before the first of its terms. */
static bool starts_over(const tirbi_tc_stmt *stmt) {
    return stmt->assign != TIRBI_TC_SET && stmt->starts_over && stmt->n_indices > stmt->n_left && !stmt->is_scatter &&
           !starts_apart(stmt);
}

static bool emit_start_of_nothing(tirbi_tc_lowering *l) {
    const tirb_expr *nothing;
    if (!find_nothing_to_reduce(l, &nothing)) return false;
    if (!nothing) return true;
    tirb_stmt *choice = tirbi_make_stmt(&l->b, l->here.stmt->span, TIRB_STMT_IF);
    if (!choice) return false;
    choice->as.if_.condition = nothing;
    const uint32_t depth = l->b.frames.n;
    const bool done = tirbi_frame_push(&l->b, TIRBI_FRAME_THEN, choice, l->here.stmt->span) && emit_start(l);
    close_frames(l, depth);
    return done;
}

static bool emit_nest(tirbi_tc_lowering *l) {
    const tirbi_tc_stmt *stmt = l->here.stmt;
    const uint32_t depth = l->b.frames.n;
    const bool apart = starts_apart(stmt);
    bool done = (!apart || emit_start(l)) && open_nest(l, stmt->n_indices, stmt->name);
    if (done && starts_over(stmt)) {
        done = tirbi_frame_push(&l->b, TIRBI_FRAME_INIT, NULL, stmt->span) && store(l, identity_of(l, stmt));
        if (done) tirbi_frame_pop(&l->b);
    }
    /* With nothing to reduce, an operator that starts over is '='. */
    const bool combines =
        stmt->assign != TIRBI_TC_SET && (!stmt->starts_over || apart || stmt->n_indices > stmt->n_left);
    done = done && update(l, combines);
    close_frames(l, depth);
    return done;
}

/* ---- Scatters --------------------------------------------------------------------------------------------------- */

/* All of the target gets the identity, whatever the left names. */
static bool emit_start_of_all(tirbi_tc_lowering *l) {
    const tirbi_tc_stmt *stmt = l->here.stmt;
    const tirbi_tc_tensor *target = l->here.scope->tensors[stmt->target->number];
    const uint32_t first = l->b.frames.n;
    const tirb_expr **indices = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, target->ndim);
    const char *name = tirbi_arena_format(l->arena, "%s_init", stmt->name);
    bool done = indices && name;
    for (uint32_t i = 0; done && i < target->ndim; i++) {
        const char *loop = tirbi_arena_format(l->arena, "i%u", (unsigned)i);
        done = loop && open_loop(l, stmt->span, loop, target->extent[i]);
    }
    done = done && open_block(l, stmt->span, name);
    for (uint32_t i = 0; done && i < target->ndim; i++) {
        const tirb_expr *var = loop_var(l, first, i), *extent = tirbi_tc_lower_sum(l, stmt->span, target->extent[i]);
        done = extent && (indices[i] = add_axis(l, stmt->span, var->as.var.name, var, extent, false));
    }
    const tirb_expr *identity = done ? identity_of(l, stmt) : NULL;
    if (identity) tirbi_emit_store(&l->b, stmt->span, target->buffer, identity, indices, target->ndim, NULL);
    close_frames(l, first);
    return identity != NULL;
}

/* Plain loops, in order: of several values for one element the last one stays. */
static bool emit_scatter(tirbi_tc_lowering *l) {
    const tirbi_tc_stmt *stmt = l->here.stmt;
    const uint32_t first = l->b.frames.n;
    bool done = stmt->assign == TIRBI_TC_SET || !stmt->starts_over || emit_start_of_all(l);
    for (uint32_t i = 0; done && i < stmt->n_indices; i++) {
        done = open_loop(l, stmt->indices[i]->span, stmt->indices[i]->name, extent_of(l, &l->here.ranges[i]));
        if (done) l->axes[i] = loop_var(l, first, i);
    }
    done = done && update(l, stmt->assign != TIRBI_TC_SET);
    close_frames(l, first);
    return done;
}

/* ---- Functions -------------------------------------------------------------------------------------------------- */

/* What a reduction of nothing leaves in a tensor that it defines comes first: so it is in no way between statements
 * that belong together. */
static bool emit_steps(tirbi_tc_lowering *l) {
    const tirbi_tc_step *steps = l->steps.items;
    for (uint32_t i = 0; i < l->steps.n; i++) {
        l->here = steps[i];
        if (l->here.stmt->defines && starts_over(l->here.stmt) && !emit_start_of_nothing(l)) return false;
    }
    for (uint32_t i = 0; i < l->steps.n; i++) {
        l->here = steps[i];
        if (!l->here.stmt->defines && starts_over(l->here.stmt) && !emit_start_of_nothing(l)) return false;
        if (!(l->here.stmt->is_scatter ? emit_scatter(l) : emit_nest(l))) return false;
    }
    return true;
}

/* The tensors that are no results are allocated for the whole function. */
static bool make_temporaries(tirbi_tc_lowering *l) {
    tirbi_tc_tensor *const *defined = l->defined.items;
    for (uint32_t i = 0; i < l->defined.n; i++) {
        if (defined[i]->buffer) continue;
        if (!make_buffer(l, defined[i], defined[i]->symbol->span)) return false;
        const tirb_buffer **slot = TIRBI_LIST_ADD(l->arena, &tirbi_frame_allocs(&l->b)->allocs, const tirb_buffer *);
        if (!slot) return false;
        *slot = defined[i]->buffer;
    }
    return true;
}

static bool lower_def(tirbi_tc_lowering *l, const tirbi_tc_def *def, tirb_primfunc *f) {
    const tirbi_tc_scope *scope = new_scope(l, def);
    if (!scope) return false;
    for (uint32_t i = 0; i < def->n_params; i++)
        if (!bind_param(l, scope, &def->params[i])) return false;
    if (!plan_def(l, scope, 0) || !make_params(l, scope, f) || !add_minima_attribute(l, scope, f)) return false;
    if (!tirbi_frame_push(&l->b, TIRBI_FRAME_FUNCTION, NULL, def->span)) return false;
    bool done = make_temporaries(l);
    for (uint32_t i = 0; i < l->steps.n; i++) resolve_tensors(((const tirbi_tc_step *)l->steps.items)[i].scope);
    done = done && emit_conditions(l, f) && emit_steps(l);
    if (done) tirbi_function_finish(&l->b, f);
    return done;
}

tirb_irmodule *tirbi_tc_lower(const tirbi_tc_program *program, tirbi_arena *arena, tirbi_diagnostics *diagnostics) {
    tirbi_tc_lowering l = {.arena = arena, .diagnostics = diagnostics};
    tirb_irmodule *module = TIRBI_NEW(arena, tirb_irmodule);
    tirb_primfunc **functions = TIRBI_NEW_ARRAY(arena, tirb_primfunc *, program->n_defs);
    if (!module || !functions) return NULL;
    tirbi_builder_init(&l.b, arena, diagnostics);
    for (uint32_t i = 0; i < program->n_defs && !arena->failed; i++) {
        const tirbi_tc_def *def = program->defs[i];
        tirb_primfunc *f = functions[i] = TIRBI_NEW(arena, tirb_primfunc);
        if (!f) return NULL;
        *f = (tirb_primfunc){.name = def->name,
                             .global_symbol = def->name,
                             .s_tir = true,
                             .index = i,
                             .ret_type = {.kind = TIRB_TYPE_TUPLE, .dtype = tirbi_type_void, .scope = ""},
                             .span = def->name_span};
        tirbi_tc_sizes_init(&l.sizes, arena);
        l.inference = (tirbi_tc_inference){
            .arena = arena, .diagnostics = diagnostics, .sizes = &l.sizes, .n_errors = diagnostics->n_errors};
        l.steps = l.defined = (tirbi_list){.n = 0};
        const uint32_t depth = l.b.frames.n;
        if (!lower_def(&l, def, f) && !arena->failed) tirbi_report_unexplained(diagnostics, def->name_span, "a def");
        close_frames(&l, depth);
    }
    *module = (tirb_irmodule){.name = "Module",
                              .functions = functions,
                              .n_functions = program->n_defs,
                              .n_vars = l.b.n_vars,
                              .n_buffers = l.b.n_buffers};
    return arena->failed ? NULL : module;
}
