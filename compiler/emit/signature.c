/* Signatures: what a function's parameters are, and what the function does to them. */
#include "compiler/emit/emit.h"

#include "compiler/ir/callers.h"
#include "compiler/ir/linear.h"
#include "compiler/loop/visit.h"

#include <string.h>

/* ---- Reads and writes ------------------------------------------------------------------------------------------- */

typedef struct access_walk {
    tirbi_lmodule *module;
    tirbi_arena *arena;
    uint32_t function; /* that is walked through */
    bool again;        /* it was before */
    uint8_t *touched;  /* by parameter: accessed before, in program order */
    bool changed;
    const tirbi_caller **callers; /* of each function */
} access_walk;

static void note(access_walk *w, tirbi_lbuf *root, bool reads, bool writes) {
    if (writes && !root->written) {
        root->written = true;
        w->changed = w->changed || root->param >= 0;
    }
    if (root->param < 0) return;
    if (reads && !w->touched[root->param] && !root->read) {
        root->read = true;
        w->changed = true;
    }
    w->touched[root->param] = 1;
}

/* The host reads and writes what an import says. */
static void walk_import(access_walk *w, const tirbi_lcall *call) {
    const tirbi_limport *import = &w->module->imports[call->function];
    uint32_t r = 0;
    for (uint32_t i = 0; i < import->n_params; i++) {
        uint8_t access = import->params[i].access;
        if (access) note(w, call->refs[r++].buffer, access & TIRBI_READ, access & TIRBI_WRITE);
    }
}

static void walk_call(tirbi_walk *walk, const tirbi_lcall *call) {
    access_walk *w = walk->context;
    tirbi_walk_call(walk, call);
    if (call->op) { /* whoever gets the handle may do anything */
        if (call->op == TIRB_OP_REF_PUT) note(w, call->refs[0].buffer, true, call->refs[0].buffer->param < 0);
        if (call->op == TIRB_OP_RESULT) {
            note(w, call->refs[0].buffer, true, false);
            note(w, w->module->functions[w->function].param_buffers[call->function], false, true);
        }
        return;
    }
    if (call->imported) {
        walk_import(w, call);
        return;
    }
    tirbi_lfunc *callee = &w->module->functions[call->function];
    uint32_t r = 0;
    if (!w->again) tirbi_note_call(w->arena, w->callers, w->function, call->function);
    for (uint32_t i = 0; i < callee->ast->n_params && r < call->n_refs; i++) {
        tirbi_lbuf *formal = callee->param_buffers[i];
        if (!formal) continue;
        note(w, call->refs[r++].buffer, formal->read, formal->written);
    }
}

static tirbi_step note_calls(tirbi_walk *walk, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_CALL) walk_call(walk, x->call);
    return x->kind == TIRBI_LX_CALL ? TIRBI_PAST : TIRBI_INTO;
}

static bool note_access(tirbi_walk *walk, const tirbi_place *place, const tirbi_lx *load) {
    note(walk->context, place->buffer->root, load || walk->at->kind == TIRBI_LS_TREE, !load);
    return true;
}

static void walk_stmt(access_walk *w, const tirbi_ls *s) {
    tirbi_walk walk = {
        .context = w, .expr = note_calls, .access = note_access, .reach = TIRBI_WALK_ALL};
    tirbi_walk_stmt(&walk, s);
}

/* A parameter is read when the first access in program order may read what the caller put there. Calls make this a
 * fixed point, which only ever adds: functions are walked through again when one that they call has changed. */
void tirbi_find_access(tirbi_lmodule *module, tirbi_arena *arena) {
    const uint32_t n = module->n_functions;
    access_walk w = {.module = module, .arena = arena, .callers = TIRBI_NEW_ARRAY(arena, const tirbi_caller *, n)};
    uint32_t *waiting = TIRBI_NEW_ARRAY(arena, uint32_t, n), n_waiting = n, most = 0;
    uint8_t *waits = TIRBI_NEW_ARRAY(arena, uint8_t, n), *walked = TIRBI_NEW_ARRAY(arena, uint8_t, n);
    for (uint32_t i = 0; i < n; i++)
        if (module->functions[i].ast->n_params > most) most = module->functions[i].ast->n_params;
    w.touched = TIRBI_NEW_ARRAY(arena, uint8_t, most);
    if (arena->failed) return;
    for (uint32_t i = 0; i < n; i++) {
        waiting[i] = i;
        waits[i] = 1;
    }
    while (n_waiting > 0 && !arena->failed) {
        w.function = waiting[--n_waiting];
        w.again = walked[w.function];
        w.changed = false;
        waits[w.function] = 0;
        walked[w.function] = 1;
        tirbi_lfunc *f = &module->functions[w.function];
        if (f->ast->n_params) memset(w.touched, 0, f->ast->n_params);
        walk_stmt(&w, f->body);
        for (const tirbi_caller *c = w.changed ? w.callers[w.function] : NULL; c; c = c->next) {
            if (waits[c->function]) continue;
            waits[c->function] = 1;
            waiting[n_waiting++] = c->function;
        }
    }
}

/* ---- Extents as postfix programs ------------------------------------------------------------------------------ */

typedef struct dim_builder {
    tirbi_emitter *e;
    tirbi_var *vars;
    uint32_t *n_vars;
    tirbi_dim_term terms[TIRBI_MAX_DIM_TERMS];
    uint32_t n;
    bool failed, is_long; /* .., for it has more terms than that */
} dim_builder;

static const tirb_expr *var_expr(const tirb_primfunc *f, uint32_t shape_var) { return f->shape_vars[shape_var]; }

/* The number of a shape variable; a scalar parameter becomes one when a shape mentions it. */
static int64_t var_number(dim_builder *b, const tirb_expr *var) {
    tirbi_emitter *e = b->e;
    const tirb_primfunc *f = e->function->ast;
    for (uint32_t i = 0; i < f->n_shape_vars; i++) {
        if (var_expr(f, i) == var) return i;
    }
    for (uint32_t p = 0; p < f->n_params; p++) {
        if (f->params[p] != var || !e->function->param_vars[p]) continue;
        for (uint32_t i = f->n_shape_vars; i < *b->n_vars; i++) {
            if (b->vars[i].param == p) return i;
        }
        const tirbi_lvar *lvar = e->function->param_vars[p];
        if (!tirbi_dtype_is_int(lvar->type)) break;
        b->vars[*b->n_vars] = (tirbi_var){.name = tirbi_string_number(e->strings, lvar->name),
                                          .dtype = (uint8_t)lvar->type,
                                          .reg = (uint16_t)tirbi_reg_of(e, lvar),
                                          .param = (uint16_t)p};
        return (*b->n_vars)++;
    }
    b->failed = true;
    return 0;
}

static void add_term(dim_builder *b, tirbi_dim_op op, int64_t value) {
    if (b->n == TIRBI_MAX_DIM_TERMS) b->failed = b->is_long = true;
    else b->terms[b->n++] = (tirbi_dim_term){.op = (uint8_t)op, .value = value};
}

static void add_terms(dim_builder *b, const tirb_expr *x);

static void add_apart(dim_builder *b, const tirb_expr *more, const tirb_expr *less) {
    add_terms(b, more);
    add_terms(b, less);
    add_term(b, TIRBI_DIM_SUB, 0);
}

static void add_with(dim_builder *b, int64_t value, tirbi_dim_op op) {
    add_term(b, TIRBI_DIM_CONST, value);
    add_term(b, op, 0);
}

/* 1 where a comparison of integers holds, else 0. Of an order that is min(max(more - less, 0), 1), with 1 added where
 * they may be equal; they are equal where max(1 - max(x - y, y - x), 0) is 1. */
static void add_comparison(dim_builder *b, const tirb_expr *x) {
    if (x->kind < TIRB_EXPR_EQ || x->kind > TIRB_EXPR_GE || x->as.binary.a->dtype.code != TIRB_CODE_INT) {
        b->failed = true;
        return;
    }
    const bool less = x->kind == TIRB_EXPR_LT || x->kind == TIRB_EXPR_LE;
    if (x->kind == TIRB_EXPR_EQ) add_term(b, TIRBI_DIM_CONST, 1);
    add_apart(b, less ? x->as.binary.b : x->as.binary.a, less ? x->as.binary.a : x->as.binary.b);
    if (x->kind == TIRB_EXPR_EQ || x->kind == TIRB_EXPR_NE) {
        add_apart(b, x->as.binary.b, x->as.binary.a);
        add_term(b, TIRBI_DIM_MAX, 0);
    }
    if (x->kind == TIRB_EXPR_EQ) add_term(b, TIRBI_DIM_SUB, 0);
    if (x->kind == TIRB_EXPR_LE || x->kind == TIRB_EXPR_GE) add_with(b, 1, TIRBI_DIM_ADD);
    add_with(b, 0, TIRBI_DIM_MAX);
    if (x->kind != TIRB_EXPR_EQ) add_with(b, 1, TIRBI_DIM_MIN);
}

/* x - y without what both have: an index that counts from the end is one that does not, and the size. */
static void add_difference(dim_builder *b, const tirb_expr *x, const tirb_expr *y) {
    tirbi_linear l = {.n = 0};
    tirbi_linear_add(&l, x, 1);
    tirbi_linear_add(&l, y, -1);
    if (l.overflow) {
        add_terms(b, x);
        add_terms(b, y);
        add_term(b, TIRBI_DIM_SUB, 0);
        return;
    }
    add_term(b, TIRBI_DIM_CONST, l.constant);
    for (uint32_t i = 0; i < l.n; i++) {
        if (l.factors[i] == 0) continue;
        add_terms(b, l.terms[i]);
        if (l.factors[i] != 1) add_with(b, l.factors[i], TIRBI_DIM_MUL);
        add_term(b, TIRBI_DIM_ADD, 0);
    }
}

/* if_then_else(c, x, y) is y + (x - y) * c. */
static void add_conditional(dim_builder *b, const tirb_expr *const *args) {
    add_terms(b, args[2]);
    add_difference(b, args[1], args[2]);
    add_comparison(b, args[0]);
    add_term(b, TIRBI_DIM_MUL, 0);
    add_term(b, TIRBI_DIM_ADD, 0);
}

static void add_terms(dim_builder *b, const tirb_expr *x) {
    static const uint8_t ops[] = {
        [TIRB_EXPR_ADD] = TIRBI_DIM_ADD,           [TIRB_EXPR_SUB] = TIRBI_DIM_SUB,
        [TIRB_EXPR_MUL] = TIRBI_DIM_MUL,           [TIRB_EXPR_DIV] = TIRBI_DIM_TRUNCDIV,
        [TIRB_EXPR_MOD] = TIRBI_DIM_TRUNCMOD,      [TIRB_EXPR_FLOORDIV] = TIRBI_DIM_FLOORDIV,
        [TIRB_EXPR_FLOORMOD] = TIRBI_DIM_FLOORMOD, [TIRB_EXPR_MIN] = TIRBI_DIM_MIN,
        [TIRB_EXPR_MAX] = TIRBI_DIM_MAX,
    };
    if (b->failed) return;
    switch (x->kind) {
    case TIRB_EXPR_INT_IMM: add_term(b, TIRBI_DIM_CONST, x->as.int_value); return;
    case TIRB_EXPR_VAR: add_term(b, TIRBI_DIM_VAR, var_number(b, x)); return;
    case TIRB_EXPR_CAST: add_terms(b, x->as.cast.value); return;
    case TIRB_EXPR_CALL:
        if (tirbi_is_vscale(x)) add_term(b, TIRBI_DIM_CONST, 1);
        else if (x->as.call.builtin == TIRB_BUILTIN_IF_THEN_ELSE) add_conditional(b, x->as.call.args);
        else b->failed = true;
        return;
    default: break;
    }
    if (x->kind < TIRB_EXPR_ADD || x->kind > TIRB_EXPR_MAX) {
        b->failed = true;
        return;
    }
    add_terms(b, x->as.binary.a);
    add_terms(b, x->as.binary.b);
    add_term(b, (tirbi_dim_op)ops[x->kind], 0);
}

/* The program for x * scale; x NULL: for scale. What is said where there is none, and where it has too many terms. */
static void make_dim_of(tirbi_emitter *e, const tirb_expr *x, uint32_t scale, tirbi_var *vars, uint32_t *n_vars,
                        const char *refusal, const char *excess, tirbi_dim *out) {
    dim_builder b = {.e = e, .vars = vars, .n_vars = n_vars};
    if (x) add_terms(&b, x);
    if (!x || scale != 1) add_term(&b, TIRBI_DIM_CONST, scale);
    if (x && scale != 1) add_term(&b, TIRBI_DIM_MUL, 0);
    tirbi_dim_term *terms = TIRBI_NEW_ARRAY(e->lasting, tirbi_dim_term, b.n);
    if (!terms) return;
    if (b.failed) {
        const tirbi_span span = x ? x->span : e->function->ast->span;
        e->failed = true;
        tirbi_report_error(e->diagnostics, TIRB_UNSUPPORTED, span, "%s", b.is_long ? excess : refusal);
        return;
    }
    for (uint32_t i = 0; i < b.n; i++) terms[i] = b.terms[i];
    *out = (tirbi_dim){.n_terms = (uint16_t)b.n, .terms = terms};
}

static void make_dim(tirbi_emitter *e, const tirb_expr *x, uint32_t scale, tirbi_var *vars, uint32_t *n_vars,
                     tirbi_dim *out) {
    make_dim_of(e, x, scale, vars, n_vars,
                "the shape, strides or offset of a parameter must be sums, products and the like of integers "
                "and variables",
                "a size of a parameter has more than 64 terms", out);
    _Static_assert(TIRBI_MAX_DIM_TERMS == 64, "as the message says");
}

/* ---- Parameters ----------------------------------------------------------------------------------------------- */

/* The dimensions, each times `scale`, and one more of `last` where that or the scale is not 1. */
static tirbi_dim *make_dims(tirbi_emitter *e, const tirb_expr *const *items, uint32_t n, uint32_t last, uint32_t scale,
                            tirbi_var *vars, uint32_t *n_vars) {
    bool more = last != 1 || scale != 1;
    tirbi_dim *dims = TIRBI_NEW_ARRAY(e->lasting, tirbi_dim, n + more);
    for (uint32_t i = 0; dims && i < n; i++) make_dim(e, items[i], scale, vars, n_vars, &dims[i]);
    if (dims && more) make_dim(e, NULL, last, vars, n_vars, &dims[n]);
    return dims;
}

static void tensor_param(tirbi_emitter *e, uint32_t i, tirbi_param *out, tirbi_var *vars, uint32_t *n_vars) {
    const tirb_buffer *buffer = e->function->ast->buffers[i];
    const tirbi_lbuf *lowered = e->function->param_buffers[i];
    uint32_t lanes = buffer->dtype.lanes;
    if (buffer->ndim + (lanes > 1) > TIRBI_MAX_NDIM) {
        tirbi_put_too_large(e, buffer->span, "a parameter has more than 16 dimensions");
        return;
    }
    out->name = tirbi_string_number(e->strings, buffer->name);
    out->kind = TIRB_PARAM_TENSOR;
    out->dtype = (uint8_t)lowered->type;
    out->access = (uint8_t)((lowered->read ? TIRBI_READ : 0) | (lowered->written ? TIRBI_WRITE : 0));
    out->reg = (uint16_t)tirbi_ref_of(e, lowered);
    out->ndim = (uint8_t)(buffer->ndim + (lanes > 1)); /* the lanes of vectors are the last dimension */
    out->shape = make_dims(e, buffer->shape, buffer->ndim, lanes, 1, vars, n_vars);
    if (buffer->strides) {
        out->has_strides = true;
        out->strides = make_dims(e, buffer->strides, buffer->ndim, 1, lanes, vars, n_vars);
    }
    bool zero = buffer->elem_offset && buffer->elem_offset->kind == TIRB_EXPR_INT_IMM &&
                buffer->elem_offset->as.int_value == 0;
    if (buffer->elem_offset && !zero) {
        out->has_elem_offset = true;
        make_dim(e, buffer->elem_offset, lanes, vars, n_vars, &out->elem_offset);
    }
}

/* What a comprehension says of where a result begins; a record of zeroes is none. */
static void tensor_minima(tirbi_emitter *e, uint32_t i, tirbi_param *out, tirbi_var *vars, uint32_t *n_vars) {
    const tirb_primfunc *f = e->function->ast;
    const tirb_expr *const *minima = f->minima ? f->minima[i] : NULL;
    const uint32_t ndim = f->buffers[i]->ndim;
    bool any = false;
    for (uint32_t d = 0; minima && d < ndim; d++)
        any = any || minima[d]->kind != TIRB_EXPR_INT_IMM || minima[d]->as.int_value != 0;
    if (any) out->minima = make_dims(e, minima, ndim, f->buffers[i]->dtype.lanes > 1 ? 0 : 1, 1, vars, n_vars);
}

/* ---- Conditions ------------------------------------------------------------------------------------------------ */

typedef struct condition_builder {
    tirbi_emitter *e;
    tirbi_var *vars;
    uint32_t *n_vars;
    tirbi_condition *items; /* NULL: they are only counted */
    uint32_t n;
} condition_builder;

/* A conjunction is one for each of its parts, and a constant, which is true, none. */
static void add_condition(condition_builder *b, const tirb_expr *x) {
    static const uint8_t relations[] = {
        [TIRB_EXPR_LT] = TIRBI_LESS,    [TIRB_EXPR_LE] = TIRBI_LESS_OR_EQUAL,
        [TIRB_EXPR_GT] = TIRBI_GREATER, [TIRB_EXPR_GE] = TIRBI_GREATER_OR_EQUAL,
        [TIRB_EXPR_EQ] = TIRBI_EQUAL,   [TIRB_EXPR_NE] = TIRBI_NOT_EQUAL,
    };
    static const char refusal[] = "a side of a condition on arguments has more than 64 terms";
    if (x->kind == TIRB_EXPR_INT_IMM) return;
    if (x->kind == TIRB_EXPR_AND) {
        add_condition(b, x->as.binary.a);
        add_condition(b, x->as.binary.b);
        return;
    }
    if (b->items) {
        tirbi_condition *out = &b->items[b->n];
        out->relation = relations[x->kind];
        make_dim_of(b->e, x->as.binary.a, 1, b->vars, b->n_vars, refusal, refusal, &out->left);
        make_dim_of(b->e, x->as.binary.b, 1, b->vars, b->n_vars, refusal, refusal, &out->right);
    }
    b->n++;
}

static uint32_t add_conditions(condition_builder *b) {
    const tirb_primfunc *f = b->e->function->ast;
    const tirb_stmt *s = tirbi_first_required(f);
    b->n = 0;
    for (uint32_t i = 0; i < f->n_required; i++, s = s->as.assert_.body) add_condition(b, s->as.assert_.condition);
    return b->n;
}

/* Calls from outside check them. */
static void make_conditions(tirbi_emitter *e, tirbi_var *vars, uint32_t *n_vars, tirbi_function *out) {
    condition_builder b = {.e = e, .vars = vars, .n_vars = n_vars};
    const uint32_t n = add_conditions(&b);
    tirbi_condition *items = TIRBI_NEW_ARRAY(e->lasting, tirbi_condition, n);
    if (!items) return;
    if (n > TIRBI_MAX_CONDITIONS) {
        tirbi_put_too_large(e, e->function->ast->span, "it has more than 4096 conditions on its arguments");
        return;
    }
    b.items = items;
    add_conditions(&b);
    out->conditions = items;
    out->n_conditions = (uint16_t)n;
}

/* A pointer of a packed function: elements of which only the reference knows the number. */
static void packed_param(tirbi_emitter *e, uint32_t i, tirbi_param *out) {
    static const tirbi_dim_term zero = {.op = TIRBI_DIM_CONST, .value = 0};
    const tirbi_lbuf *lowered = e->function->param_buffers[i];
    tirbi_dim *extent = TIRBI_NEW(e->lasting, tirbi_dim);
    if (!extent) return;
    *extent = (tirbi_dim){.n_terms = 1, .terms = &zero};
    *out = (tirbi_param){.name = tirbi_string_number(e->strings, lowered->name),
                         .kind = TIRB_PARAM_TENSOR,
                         .dtype = (uint8_t)lowered->type,
                         .access = (uint8_t)((lowered->read ? TIRBI_READ : 0) | (lowered->written ? TIRBI_WRITE : 0)),
                         .reg = (uint16_t)tirbi_ref_of(e, lowered),
                         .ndim = 1,
                         .shape = extent};
}

/* Names of what a call binds are the source's; a matched buffer is known by the name that the body uses. */
void tirbi_make_signature(tirbi_emitter *e, tirbi_function *out) {
    const tirb_primfunc *f = e->function->ast;
    tirbi_param *params = TIRBI_NEW_ARRAY(e->lasting, tirbi_param, f->n_params);
    tirbi_var *vars = TIRBI_NEW_ARRAY(e->lasting, tirbi_var, f->n_shape_vars + f->n_params);
    uint32_t n_vars = f->n_shape_vars;
    if (!params || !vars) return;
    for (uint32_t i = 0; i < f->n_shape_vars; i++) {
        const tirbi_lvar *v = e->function->shape_vars[i];
        vars[i] = (tirbi_var){.name = tirbi_string_number(e->strings, v->name), .dtype = (uint8_t)v->type,
                              .reg = (uint16_t)tirbi_reg_of(e, v), .param = TIRBI_NO_REG};
    }
    for (uint32_t i = 0; i < f->n_params && !e->failed; i++) {
        const tirbi_lvar *v = e->function->param_vars[i];
        if (!v && e->function->packed) {
            packed_param(e, i, &params[i]);
            bool result = i == 3 || i == 4;
            if ((params[i].access & TIRBI_WRITE) && !result) {
                tirbi_report_error(e->diagnostics, TIRB_UNSUPPORTED, f->span,
                                   "%s writes its parameter '%s': a packed function can write its result only", f->name,
                                   f->params[i]->as.var.name);
            }
            continue;
        }
        if (!v) {
            tensor_param(e, i, &params[i], vars, &n_vars);
            if (!e->failed) tensor_minima(e, i, &params[i], vars, &n_vars);
            params[i].is_result = tirbi_is_public(f) && f->n_params - i <= f->n_results;
            params[i].is_open = params[i].is_result && f->is_open && f->is_open[i - (f->n_params - f->n_results)];
            continue;
        }
        const char *name = f->param_names && f->param_names[i] ? f->param_names[i] : v->name;
        params[i] = (tirbi_param){.name = tirbi_string_number(e->strings, name), .kind = TIRB_PARAM_SCALAR,
                                  .dtype = (uint8_t)v->type, .reg = (uint16_t)tirbi_reg_of(e, v)};
    }
    tirbi_alias *aliases = TIRBI_NEW_ARRAY(e->lasting, tirbi_alias, f->n_may_alias);
    if (!aliases) return;
    for (uint32_t i = 0; i < f->n_may_alias; i++) {
        aliases[i] = (tirbi_alias){(uint16_t)f->may_alias[i].first, (uint16_t)f->may_alias[i].second};
    }
    if (!e->failed && tirbi_is_public(f)) make_conditions(e, vars, &n_vars, out);
    out->aliases = aliases;
    out->n_aliases = (uint16_t)f->n_may_alias;
    out->params = params;
    out->n_params = (uint16_t)f->n_params;
    out->vars = vars;
    out->n_vars = (uint16_t)n_vars;
}
