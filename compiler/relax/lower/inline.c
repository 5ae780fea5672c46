#include "compiler/relax/lower/inline.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/relax/infer/builder.h"
#include "compiler/relax/lower/captured.h"
#include "compiler/relax/lower/lowering.h"

/* What a value is known to be as far as it holds local functions: one of them, a tuple with some (NULL: another field),
 * or what an `if` chooses from two. */
typedef struct known known;
struct known {
    const tirb_relax_function *function;
    const known *const *fields;
    uint32_t n;
    const tirb_relax_expr *condition;
    const known *then_case, *else_case;
    uint32_t depth; /* of choices in each other */
};

/* Each doubles what stands in place of a call. */
enum { MAX_CHOICES = 16 };

typedef struct inliner {
    tirbi_relax_lowering *l;
    tirbi_arena *arena;
    tirbi_relax_builder b;
    tirbi_list leaves;    /* of const tirb_relax_expr *: by a variable's number, what it is in the copy; NULL: itself */
    tirbi_list functions; /* of const known *: by a variable's number, what it is known to be; or NULL */
    tirbi_list defined;   /* of bool: by the number of a TIR variable, whether the function around has it */
    tirbi_list vars, values; /* of const tirb_expr *: sizes and numbers of functions that are copied, and theirs here */
    tirbi_list calls;        /* of const tirb_relax_function *: around the place under way */
    uint32_t depth;          /* of branches and calls in each other */
    bool copies;             /* what is under way is a copy: all that it binds is new */
    tirbi_list *lifted; /* of tirbi_relax_lifted *: by a variable's number, or NULL; NULL: calls are put in place */
    tirbi_list *made;   /* of const tirb_relax_function *: those of `lifted` */
} inliner;

/* ---- Tables by numbers ------------------------------------------------------------------------------------------- */

static const void *pointer_at(const tirbi_list *list, uint32_t id) {
    return id < list->n ? ((const void *const *)list->items)[id] : NULL;
}

static bool set_pointer(inliner *in, tirbi_list *list, uint32_t id, const void *value) {
    while (list->n <= id) {
        const void **slot = TIRBI_LIST_ADD(in->arena, list, const void *);
        if (!slot) return false;
        *slot = NULL;
    }
    ((const void **)list->items)[id] = value;
    return true;
}

static bool is_defined(const inliner *in, const tirb_expr *var) {
    return var->as.var.id < in->defined.n && ((const bool *)in->defined.items)[var->as.var.id];
}

static bool define(inliner *in, const tirb_expr *var, bool is_there) {
    while (in->defined.n <= var->as.var.id) {
        bool *slot = TIRBI_LIST_ADD(in->arena, &in->defined, bool);
        if (!slot) return false;
        *slot = false;
    }
    ((bool *)in->defined.items)[var->as.var.id] = is_there;
    return true;
}

/* ---- Sizes and numbers ------------------------------------------------------------------------------------------- */

static const tirb_expr *prim_of(inliner *in, const tirb_expr *e) {
    if (in->vars.n == 0) return e;
    return tirbi_dim_replace(&in->b.dims, e, in->vars.items, in->values.items, in->vars.n);
}

static bool is_mapped(const inliner *in, const tirb_expr *var) {
    const tirb_expr *const *items = in->vars.items;
    for (uint32_t i = 0; i < in->vars.n; i++)
        if (items[i] == var) return true;
    return false;
}

/* A variable that the copy has for one that begins here; in what is no copy it is that one. */
static bool begin_number(inliner *in, const tirb_expr *var) {
    if (is_mapped(in, var) || is_defined(in, var)) return true;
    if (!in->copies) return define(in, var, true);
    const tirb_expr **from = TIRBI_LIST_ADD(in->arena, &in->vars, const tirb_expr *);
    const tirb_expr **to = from ? TIRBI_LIST_ADD(in->arena, &in->values, const tirb_expr *) : NULL;
    if (!to) return false;
    *from = var;
    *to = tirbi_make_var(&in->l->b, var->span, var->as.var.name, tirbi_prim_type(var->dtype));
    return *to && define(in, *to, true);
}

static bool begin_numbers(inliner *in, const tirb_relax_type *t) {
    for (int32_t i = 0; t->has_shape && i < t->ndim; i++)
        if (t->shape[i]->kind == TIRB_EXPR_VAR && !begin_number(in, t->shape[i])) return false;
    for (uint32_t i = 0; t->kind == TIRB_RELAX_TYPE_TUPLE && i < t->n_fields; i++)
        if (!begin_numbers(in, t->fields[i])) return false;
    return true;
}

/* ---- Copies ------------------------------------------------------------------------------------------------------ */

static const tirb_relax_type *type_of(inliner *in, const tirb_relax_type *t) {
    if (!in->copies || !t) return t;
    const tirb_relax_expr *leaf = t->shape_var ? pointer_at(&in->leaves, t->shape_var->id) : NULL;
    if (leaf && leaf->kind == TIRB_RELAX_VAR) {
        tirb_relax_type *own = TIRBI_NEW(in->arena, tirb_relax_type);
        if (!own) return NULL;
        *own = *t;
        own->shape_var = leaf->as.var;
        return own;
    }
    return tirbi_relax_replace(&in->b, t, in->vars.items, in->values.items, in->vars.n);
}

static const tirb_relax_expr *expr_of(inliner *in, const tirb_relax_expr *e);

static bool exprs_of(inliner *in, const tirb_relax_expr *const **items, uint32_t n) {
    const tirb_relax_expr **own = TIRBI_NEW_ARRAY(in->arena, const tirb_relax_expr *, n);
    for (uint32_t i = 0; own && i < n; i++)
        if (!(own[i] = expr_of(in, (*items)[i]))) return false;
    *items = own;
    return own != NULL;
}

static bool prims_of(inliner *in, const tirb_expr *const **items, uint32_t n) {
    const tirb_expr **own = TIRBI_NEW_ARRAY(in->arena, const tirb_expr *, n);
    for (uint32_t i = 0; own && i < n; i++)
        if (!(own[i] = prim_of(in, (*items)[i]))) return false;
    *items = own;
    return own != NULL;
}

static bool types_of(inliner *in, const tirb_relax_type *const **items, uint32_t n) {
    const tirb_relax_type **own = TIRBI_NEW_ARRAY(in->arena, const tirb_relax_type *, n);
    for (uint32_t i = 0; own && i < n; i++)
        if (!(own[i] = type_of(in, (*items)[i]))) return false;
    *items = own;
    return own != NULL;
}

static bool attrs_of(inliner *in, const tirb_relax_attr **items, uint32_t n) {
    tirb_relax_attr *own = TIRBI_NEW_ARRAY(in->arena, tirb_relax_attr, n);
    for (uint32_t i = 0; own && i < n; i++) {
        own[i] = (*items)[i];
        if (own[i].kind == TIRB_RELAX_ATTR_EXPR && !(own[i].as.expr = prim_of(in, own[i].as.expr))) return false;
    }
    *items = own;
    return own != NULL;
}

static const tirb_relax_var *var_of(inliner *in, const tirb_relax_var *v) {
    if (!in->copies) {
        return !v->scalar || define(in, v->scalar, true) ? v : NULL;
    }
    tirb_relax_var *own = TIRBI_NEW(in->arena, tirb_relax_var);
    tirb_relax_expr *leaf = own ? TIRBI_NEW(in->arena, tirb_relax_expr) : NULL;
    if (!leaf || (v->scalar && !begin_number(in, v->scalar))) return NULL;
    *own = *v;
    own->id = in->l->n_relax_vars++;
    own->type = type_of(in, v->type);
    own->scalar = v->scalar ? prim_of(in, v->scalar) : NULL;
    if (!own->type || !set_pointer(in, &in->leaves, v->id, leaf)) return NULL;
    *leaf =
        (tirb_relax_expr){.kind = TIRB_RELAX_VAR, .span = v->span, .type = own->type, .depth = 1, .as = {.var = own}};
    return own;
}

static bool enter(inliner *in, tirbi_span span) {
    if (++in->depth <= TIRBI_MAX_RELAX_DEPTH) return true;
    return tirbi_relax_refuse_here(in->l, span, "more than %d branches and calls of local functions in each other",
                                   TIRBI_MAX_RELAX_DEPTH);
}

static const tirb_relax_seq *seq_of(inliner *in, const tirb_relax_seq *seq);

/* A local function, over what is known of the variables around it. It is copied where it is called, too. */
static const tirb_relax_function *function_of(inliner *in, const tirb_relax_function *f) {
    tirb_relax_function *own = TIRBI_NEW(in->arena, tirb_relax_function);
    const tirb_relax_var **params = TIRBI_NEW_ARRAY(in->arena, const tirb_relax_var *, f->n_params);
    if (!own || !params) return NULL;
    *own = *f;
    const uint32_t n = in->vars.n;
    for (uint32_t i = 0; i < f->n_params; i++)
        if (!begin_numbers(in, f->params[i]->type) || !(params[i] = var_of(in, f->params[i]))) return NULL;
    own->params = params;
    own->body = seq_of(in, f->body);
    const tirb_expr *const *values = in->values.items;
    for (uint32_t i = n; i < in->values.n; i++) /* they begin when it is called */
        if (!define(in, values[i], false)) return NULL;
    in->vars.n = in->values.n = n;
    return own->body ? own : NULL;
}

/* The local function that a call calls, where that is a function of the module. */
static const tirbi_relax_lifted *lifted_of(const inliner *in, const tirb_relax_expr *e) {
    const bool is_local = e->kind == TIRB_RELAX_CALL && e->as.call.callee && e->as.call.callee->kind == TIRB_RELAX_VAR;
    return in->lifted && is_local ? pointer_at(in->lifted, e->as.call.callee->as.var->id) : NULL;
}

/* Its call: behind the arguments comes what it has from around it, and then the sizes. */
static bool lifted_call(inliner *in, tirb_relax_expr *own, const tirbi_relax_lifted *lifted) {
    const uint32_t n = own->as.call.n_args, n_vars = lifted->vars.n, n_sizes = lifted->sizes.n;
    const tirb_relax_expr **args = TIRBI_NEW_ARRAY(in->arena, const tirb_relax_expr *, n + n_vars + 1);
    tirb_relax_expr *sizes = TIRBI_NEW(in->arena, tirb_relax_expr), *callee = TIRBI_NEW(in->arena, tirb_relax_expr);
    if (!args || !sizes || !callee) return false;
    for (uint32_t i = 0; i < n; i++) args[i] = own->as.call.args[i];
    for (uint32_t i = 0; i < n_vars; i++) args[n + i] = ((const tirb_relax_expr *const *)lifted->vars.items)[i];
    *sizes = (tirb_relax_expr){.kind = TIRB_RELAX_SHAPE, .span = own->span, .depth = 1};
    sizes->as.shape.values = lifted->sizes.items;
    sizes->as.shape.n = n_sizes;
    sizes->type = tirbi_relax_shape(&in->b, lifted->sizes.items, n_sizes);
    args[n + n_vars] = sizes;
    *callee = (tirb_relax_expr){.kind = TIRB_RELAX_GLOBAL, .span = own->span, .depth = 1};
    callee->type = own->as.call.callee->type;
    callee->as.global.name = lifted->function->name;
    callee->as.global.function = lifted->function;
    own->as.call.callee = callee;
    own->as.call.args = args;
    own->as.call.n_args = n + n_vars + (n_sizes > 0);
    return sizes->type != NULL;
}

/* The parts of a call. */
static bool call_of(inliner *in, tirb_relax_expr *own) {
    const tirbi_relax_lifted *lifted = lifted_of(in, own);
    if (lifted && !lifted_call(in, own, lifted)) return false;
    if (own->as.call.callee && own->as.call.callee->kind == TIRB_RELAX_VAR &&
        !(own->as.call.callee = expr_of(in, own->as.call.callee)))
        return false;
    return exprs_of(in, &own->as.call.args, own->as.call.n_args) &&
           attrs_of(in, &own->as.call.attrs, own->as.call.n_attrs) &&
           types_of(in, &own->as.call.types, own->as.call.n_types);
}

static const tirb_relax_expr *expr_of(inliner *in, const tirb_relax_expr *e) {
    if (!tirbi_arena_work(in->arena, 1)) return NULL;
    if (e->kind == TIRB_RELAX_VAR) {
        const tirb_relax_expr *leaf = pointer_at(&in->leaves, e->as.var->id);
        return leaf ? leaf : e;
    }
    const bool holds_others = e->kind == TIRB_RELAX_IF || (in->lifted && e->kind == TIRB_RELAX_FUNCTION);
    if (!in->copies && !holds_others && !lifted_of(in, e)) return e;
    tirb_relax_expr *own = TIRBI_NEW(in->arena, tirb_relax_expr);
    if (!own) return NULL;
    *own = *e;
    if (!(own->type = type_of(in, e->type))) return NULL;
    bool done = true;
    switch (e->kind) {
    case TIRB_RELAX_PRIM:
        done = (own->as.prim = prim_of(in, e->as.prim)) != NULL;
        break;
    case TIRB_RELAX_SHAPE:
        done = prims_of(in, &own->as.shape.values, e->as.shape.n);
        break;
    case TIRB_RELAX_TUPLE:
        done = exprs_of(in, &own->as.tuple.items, e->as.tuple.n);
        break;
    case TIRB_RELAX_TUPLE_GET:
        done = (own->as.get.tuple = expr_of(in, e->as.get.tuple)) != NULL;
        break;
    case TIRB_RELAX_CALL:
        done = call_of(in, own);
        break;
    case TIRB_RELAX_FUNCTION:
        done = (own->as.function = function_of(in, e->as.function)) != NULL;
        break;
    case TIRB_RELAX_IF:
        done = enter(in, e->span) && (own->as.if_.condition = expr_of(in, e->as.if_.condition)) != NULL &&
               (own->as.if_.then_case = seq_of(in, e->as.if_.then_case)) != NULL &&
               (own->as.if_.else_case = seq_of(in, e->as.if_.else_case)) != NULL;
        in->depth--;
        break;
    default:
        break;
    }
    return done ? own : NULL;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static const known *known_var(const inliner *in, const tirb_relax_var *var) {
    const tirb_relax_expr *leaf = pointer_at(&in->leaves, var->id);
    return pointer_at(&in->functions, leaf && leaf->kind == TIRB_RELAX_VAR ? leaf->as.var->id : var->id);
}

static bool has_function(const tirb_relax_type *t) {
    bool found = t->kind == TIRB_RELAX_TYPE_FUNCTION;
    for (uint32_t i = 0; t->kind == TIRB_RELAX_TYPE_TUPLE && i < t->n_fields; i++)
        found = found || has_function(t->fields[i]);
    return found;
}

static bool is_open_type(const tirb_relax_type *t) {
    bool found = has_function(t) || t->kind == TIRB_RELAX_TYPE_ANY;
    found = found || (t->kind == TIRB_RELAX_TYPE_TENSOR && (t->ndim < 0 || !tirb_relax_knows_dtype(t)));
    for (uint32_t i = 0; t->kind == TIRB_RELAX_TYPE_TUPLE && i < t->n_fields; i++)
        found = found || is_open_type(t->fields[i]);
    return found;
}

bool tirbi_relax_needs_call(tirbi_relax_lowering *l, const tirb_relax_function *f) {
    bool found = has_function(f->body->body->type);
    for (uint32_t i = 0; !found && i < f->n_params; i++) {
        const tirb_relax_type *type = tirbi_relax_parameter_type(l, f, f->params[i]);
        found = type && is_open_type(type);
    }
    return found;
}

/* What a call calls, where that is to be in its place; NULL: another call, or none. A function of the module is, where
 * its results are open, it is given local functions, or its parameters are known where it is called alone. */
static const known *callee_of(inliner *in, const tirb_relax_expr *e) {
    const tirb_relax_expr *callee = e->kind == TIRB_RELAX_CALL && !e->as.call.op ? e->as.call.callee : NULL;
    if (!callee || in->lifted) return NULL;
    if (callee->kind == TIRB_RELAX_VAR) return known_var(in, callee->as.var);
    const tirb_relax_function *f = callee->kind == TIRB_RELAX_GLOBAL ? callee->as.global.function : NULL;
    bool is_placed =
        f && (tirbi_relax_needs_call(in->l, f) || (!in->l->is_left_out[f->index] && in->l->lowered[f->index]->is_open));
    for (uint32_t i = 0; f && i < e->as.call.n_args; i++) {
        const tirb_relax_expr *arg = e->as.call.args[i];
        is_placed = is_placed || (arg->kind == TIRB_RELAX_VAR && known_var(in, arg->as.var));
    }
    known *k = is_placed ? TIRBI_NEW(in->arena, known) : NULL;
    if (k) k->function = f;
    return k;
}

static bool add(inliner *in, tirbi_list *out, const tirb_relax_binding *b) {
    tirb_relax_binding *slot = TIRBI_LIST_ADD(in->arena, out, tirb_relax_binding);
    if (slot) *slot = *b;
    return slot != NULL;
}

static const known *choice_of(inliner *in, const tirb_relax_expr *condition, const known *a, const known *b) {
    if (!a || !b || a->depth >= MAX_CHOICES || b->depth >= MAX_CHOICES) return NULL;
    known *k = TIRBI_NEW(in->arena, known);
    const uint32_t depth = 1 + (a->depth > b->depth ? a->depth : b->depth);
    if (k) *k = (known){.condition = condition, .then_case = a, .else_case = b, .depth = depth};
    return k;
}

static const known *field_of(inliner *in, const known *k, uint32_t i) {
    if (!k || !tirbi_arena_work(in->arena, 1)) return NULL;
    if (k->condition) return choice_of(in, k->condition, field_of(in, k->then_case, i), field_of(in, k->else_case, i));
    return i < k->n ? k->fields[i] : NULL;
}

/* What a value of the copy is known to be, or NULL. */
static const known *known_of(inliner *in, const tirb_relax_expr *e) {
    if (e->kind == TIRB_RELAX_VAR) return pointer_at(&in->functions, e->as.var->id);
    if (e->kind == TIRB_RELAX_TUPLE_GET) return field_of(in, known_of(in, e->as.get.tuple), e->as.get.index);
    if (e->kind == TIRB_RELAX_IF)
        return choice_of(in, e->as.if_.condition, known_of(in, e->as.if_.then_case->body),
                         known_of(in, e->as.if_.else_case->body));
    const bool is_global = e->kind == TIRB_RELAX_GLOBAL && e->as.global.function;
    if (e->kind != TIRB_RELAX_FUNCTION && e->kind != TIRB_RELAX_TUPLE && !is_global) return NULL;
    known *k = TIRBI_NEW(in->arena, known);
    if (!k) return NULL;
    if (e->kind != TIRB_RELAX_TUPLE) {
        k->function = is_global ? e->as.global.function : e->as.function;
        return k;
    }
    const known **fields = TIRBI_NEW_ARRAY(in->arena, const known *, e->as.tuple.n + 1);
    bool is_any = false;
    for (uint32_t i = 0; fields && i < e->as.tuple.n; i++) {
        fields[i] = known_of(in, e->as.tuple.items[i]);
        is_any = is_any || fields[i];
    }
    k->fields = fields;
    k->n = e->as.tuple.n;
    return is_any ? k : NULL;
}

/* Keeps what a variable that is bound to this is known to be. */
static bool know(inliner *in, const tirb_relax_var *var, const tirb_relax_expr *value) {
    const known *k = known_of(in, value);
    return !in->arena->failed && (!k || set_pointer(in, &in->functions, var->id, k));
}

static bool binds_functions_only(const tirb_relax_seq *seq) {
    for (uint32_t i = 0; i < seq->n_blocks; i++)
        for (uint32_t k = 0; k < seq->blocks[i].n_bindings; k++)
            if (seq->blocks[i].bindings[k].var->type->kind != TIRB_RELAX_TYPE_FUNCTION) return false;
    return true;
}

/* Whether an `if` chooses a function and does nothing else: it stands where that is called. */
static bool is_choice(const inliner *in, const tirb_relax_binding *b) {
    return !in->lifted && b->value->kind == TIRB_RELAX_IF && b->var->type->kind == TIRB_RELAX_TYPE_FUNCTION &&
           pointer_at(&in->functions, b->var->id) && binds_functions_only(b->value->as.if_.then_case) &&
           binds_functions_only(b->value->as.if_.else_case);
}

/* In its place there is one of the functions: no value is computed from it. */
static const tirb_relax_expr *chosen_function(inliner *in, const tirb_relax_binding *b) {
    const known *k = pointer_at(&in->functions, b->var->id);
    tirb_relax_expr *e = TIRBI_NEW(in->arena, tirb_relax_expr);
    while (k && k->condition) k = k->then_case;
    if (!e || !k) return NULL;
    *e = (tirb_relax_expr){.kind = TIRB_RELAX_FUNCTION, .span = b->span, .type = b->var->type, .depth = 1};
    e->as.function = k->function;
    return e;
}

static bool bindings_of(inliner *in, const tirb_relax_binding *items, uint32_t n, tirbi_list *out);

/* The parameters are the arguments, whose sizes are compared; then comes the body. *value: the leaf that it gives. */
static bool body_of(inliner *in, const tirb_relax_expr *call, const tirb_relax_function *f, tirbi_list *out,
                    const tirb_relax_expr **value) {
    const bool copies = in->copies;
    const tirb_relax_expr *const *args = call->as.call.args;
    if (call->as.call.n_args != f->n_params || !exprs_of(in, &args, f->n_params)) return false;
    in->copies = true;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (!begin_numbers(in, f->params[i]->type)) return false;
        const tirb_relax_binding bound = {.kind = TIRB_RELAX_MATCH_CAST,
                                          .is_argument = true,
                                          .span = call->span,
                                          .var = var_of(in, f->params[i]),
                                          .value = args[i],
                                          .cast = type_of(in, f->params[i]->type)};
        if (!bound.var || !bound.cast || !know(in, bound.var, bound.value) || !add(in, out, &bound)) return false;
    }
    for (uint32_t i = 0; i < f->body->n_blocks; i++)
        if (!bindings_of(in, f->body->blocks[i].bindings, f->body->blocks[i].n_bindings, out)) return false;
    *value = expr_of(in, f->body->body);
    in->copies = copies;
    return *value != NULL;
}

static const tirb_relax_expr *in_place(inliner *in, const tirb_relax_expr *call, const tirb_relax_function *f,
                                       tirbi_list *out) {
    const tirb_relax_function *const *items = in->calls.items;
    for (uint32_t i = 0; i < in->calls.n; i++)
        if (items[i] == f) {
            tirbi_relax_refuse_here(in->l, call->span, "a local function that calls itself is not lowered yet");
            return NULL;
        }
    const tirb_relax_function **site = TIRBI_LIST_ADD(in->arena, &in->calls, const tirb_relax_function *);
    const tirb_relax_expr *value = NULL;
    const uint32_t n_vars = in->vars.n;
    if (!site || !enter(in, call->span)) return NULL;
    *site = f;
    const bool done = body_of(in, call, f, out, &value);
    in->calls.n--;
    in->depth--;
    in->vars.n = in->values.n = n_vars;
    return done ? value : NULL;
}

static const tirb_relax_expr *known_in_place(inliner *in, const tirb_relax_expr *call, const known *k, tirbi_list *out);

/* An arm of the `if` that stands for a call of what one chooses. */
static const tirb_relax_seq *arm_of(inliner *in, const tirb_relax_expr *call, const known *k) {
    tirbi_list out = {.n = 0};
    tirb_relax_seq *seq = TIRBI_NEW(in->arena, tirb_relax_seq);
    tirb_relax_block *block = TIRBI_NEW(in->arena, tirb_relax_block);
    const tirb_relax_expr *value = seq && block ? known_in_place(in, call, k, &out) : NULL;
    if (!value) return NULL;
    if (value->kind == TIRB_RELAX_IF) {
        tirb_relax_var *var = TIRBI_NEW(in->arena, tirb_relax_var);
        tirb_relax_expr *leaf = TIRBI_NEW(in->arena, tirb_relax_expr);
        if (!var || !leaf) return NULL;
        *var = (tirb_relax_var){.name = "chosen", .id = in->l->n_relax_vars++, .span = call->span, .type = value->type};
        *leaf = (tirb_relax_expr){.kind = TIRB_RELAX_VAR, .span = call->span, .type = var->type, .depth = 1};
        leaf->as.var = var;
        const tirb_relax_binding bound = {
            .kind = TIRB_RELAX_VAR_BINDING, .span = call->span, .var = var, .value = value};
        if (!add(in, &out, &bound)) return NULL;
        value = leaf;
    }
    *block = (tirb_relax_block){false, out.items, out.n};
    *seq = (tirb_relax_seq){block, 1, value};
    return seq;
}

/* The value of a call whose callee's body, or an `if` with those of two, comes into its place. */
static const tirb_relax_expr *known_in_place(inliner *in, const tirb_relax_expr *call, const known *k,
                                             tirbi_list *out) {
    if (k->function) return in_place(in, call, k->function, out);
    tirb_relax_expr *chosen = k->condition ? TIRBI_NEW(in->arena, tirb_relax_expr) : NULL;
    if (!chosen || !enter(in, call->span)) return NULL;
    *chosen = (tirb_relax_expr){.kind = TIRB_RELAX_IF, .span = call->span, .depth = call->depth};
    chosen->type = type_of(in, call->type);
    chosen->as.if_.condition = k->condition;
    chosen->as.if_.then_case = arm_of(in, call, k->then_case);
    chosen->as.if_.else_case = chosen->as.if_.then_case ? arm_of(in, call, k->else_case) : NULL;
    in->depth--;
    return chosen->type && chosen->as.if_.else_case ? chosen : NULL;
}

/* ---- Functions that call themselves ------------------------------------------------------------------------------ */

static bool names(const tirb_relax_type *t, const tirb_expr *var) {
    for (int32_t i = 0; t->has_shape && i < t->ndim; i++)
        if (t->shape[i] == var) return true;
    for (uint32_t i = 0; t->kind == TIRB_RELAX_TYPE_TUPLE && i < t->n_fields; i++)
        if (names(t->fields[i], var)) return true;
    return false;
}

/* Of the numbers that the function names, those from around it that no shape of its parameters says. */
static bool keep_sizes(inliner *in, const tirb_relax_function *f, tirbi_relax_lifted *lifted) {
    const tirb_expr **items = lifted->sizes.items;
    uint32_t n = 0;
    for (uint32_t i = 0; i < lifted->sizes.n; i++) {
        bool is_named = !is_mapped(in, items[i]) && !is_defined(in, items[i]);
        for (uint32_t k = 0; k < f->n_params; k++) is_named = is_named || names(f->params[k]->type, items[i]);
        for (uint32_t k = 0; k < lifted->vars.n; k++)
            is_named = is_named || names(((const tirb_relax_expr *const *)lifted->vars.items)[k]->type, items[i]);
        if (is_named) continue;
        if (!tirb_datatype_equal(items[i]->dtype, tirbi_type_i64))
            return tirbi_relax_refuse_here(in->l, f->span,
                                           "a local function that calls itself and has `%s` from around it",
                                           items[i]->as.var.name);
        items[n++] = items[i];
    }
    lifted->sizes.n = n;
    return true;
}

static const tirb_relax_var *copy_parameter(inliner *in, const tirb_relax_var *var) {
    return begin_numbers(in, var->type) ? var_of(in, var) : NULL;
}

/* A parameter for the sizes. */
static const tirb_relax_var *sizes_parameter(inliner *in, tirbi_span span, const tirbi_relax_lifted *lifted) {
    const tirb_expr *const *items = lifted->sizes.items;
    const tirb_expr **dims = TIRBI_NEW_ARRAY(in->arena, const tirb_expr *, lifted->sizes.n);
    tirb_relax_var *var = TIRBI_NEW(in->arena, tirb_relax_var);
    for (uint32_t i = 0; dims && i < lifted->sizes.n; i++)
        if (!begin_number(in, items[i]) || !(dims[i] = prim_of(in, items[i]))) return NULL;
    if (!dims || !var) return NULL;
    *var = (tirb_relax_var){.name = "sizes", .id = in->l->n_relax_vars++, .span = span};
    var->type = tirbi_relax_shape(&in->b, dims, lifted->sizes.n);
    return var->type ? var : NULL;
}

/* Its body, behind the functions that it has from around it. */
static const tirb_relax_seq *body_with(inliner *in, const tirbi_relax_lifted *lifted, const tirb_relax_seq *body) {
    tirb_relax_seq *own = TIRBI_NEW(in->arena, tirb_relax_seq);
    tirb_relax_block *blocks = TIRBI_NEW_ARRAY(in->arena, tirb_relax_block, body->n_blocks + 1);
    tirbi_list out = {.n = 0};
    if (!own || !blocks || !bindings_of(in, lifted->functions.items, lifted->functions.n, &out)) return NULL;
    const tirb_relax_seq *rest = seq_of(in, body);
    if (!rest) return NULL;
    blocks[0] = (tirb_relax_block){false, out.items, out.n};
    for (uint32_t i = 0; i < rest->n_blocks; i++) blocks[i + 1] = rest->blocks[i];
    *own = (tirb_relax_seq){blocks, rest->n_blocks + 1, rest->body};
    return own;
}

/* A copy of it that has all it needs from its parameters. */
static bool make_lifted(inliner *outer, const tirb_relax_var *self, const tirb_relax_function *f,
                        tirbi_relax_lifted *lifted) {
    inliner in = {.l = outer->l, .arena = outer->arena, .depth = outer->depth, .copies = true};
    in.lifted = outer->lifted;
    in.made = outer->made;
    tirbi_relax_builder_init(&in.b, &in.l->b);
    tirb_relax_function *own = TIRBI_NEW(in.arena, tirb_relax_function);
    const tirb_relax_var **params = TIRBI_NEW_ARRAY(in.arena, const tirb_relax_var *, f->n_params + lifted->vars.n + 1);
    const tirb_relax_function **slot = TIRBI_LIST_ADD(in.arena, in.made, const tirb_relax_function *);
    if (!own || !params || !slot) return false;
    *own = *f;
    *slot = lifted->function = own;
    own->index = in.l->module->n_relax + in.made->n - 1;
    own->name = tirbi_arena_format(in.arena, "%s.%u", self->name, (unsigned)own->index);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_params; i++)
        if (!(params[n++] = copy_parameter(&in, f->params[i]))) return false;
    for (uint32_t i = 0; i < lifted->vars.n; i++)
        if (!(params[n++] = copy_parameter(&in, ((const tirb_relax_expr *const *)lifted->vars.items)[i]->as.var)))
            return false;
    if (lifted->sizes.n && !(params[n++] = sizes_parameter(&in, f->span, lifted))) return false;
    own->params = params;
    own->n_params = n;
    own->ret = type_of(&in, f->ret);
    own->body = own->name && own->ret ? body_with(&in, lifted, f->body) : NULL;
    return own->body != NULL;
}

static int by_number(const void *a, const void *b) {
    const uint32_t x = ((const tirb_relax_binding *)a)->var->id, y = ((const tirb_relax_binding *)b)->var->id;
    return x < y ? -1 : x > y;
}

static const tirb_relax_expr *defined_anew(inliner *in, const tirb_relax_expr *use, const known *k);

static const tirb_relax_seq *arm_with(inliner *in, const tirb_relax_expr *use, const known *k) {
    tirb_relax_seq *seq = TIRBI_NEW(in->arena, tirb_relax_seq);
    if (seq) *seq = (tirb_relax_seq){NULL, 0, defined_anew(in, use, k)};
    return seq && seq->body ? seq : NULL;
}

/* The local function that a variable is known to be, or the `if` that chooses one; NULL: it is none, or memory ran
 * out. */
static const tirb_relax_expr *defined_anew(inliner *in, const tirb_relax_expr *use, const known *k) {
    tirb_relax_expr *e = k && (k->function || k->condition) ? TIRBI_NEW(in->arena, tirb_relax_expr) : NULL;
    if (!e) return NULL;
    *e = (tirb_relax_expr){.kind = TIRB_RELAX_FUNCTION, .span = use->span, .type = use->type, .depth = 1};
    e->as.function = k->function;
    if (k->function) return e;
    e->kind = TIRB_RELAX_IF;
    e->as.if_.condition = k->condition;
    e->as.if_.then_case = arm_with(in, use, k->then_case);
    e->as.if_.else_case = arm_with(in, use, k->else_case);
    return e->as.if_.then_case && e->as.if_.else_case ? e : NULL;
}

/* Of what it has from around it, local functions are defined in it once more, and what those have it needs as well.
 * *done stays true where all are known. */
static bool keep_functions(inliner *in, tirbi_relax_lifted *lifted, bool *done) {
    const tirb_relax_expr **uses = lifted->vars.items;
    for (uint32_t i = 0; *done && i < lifted->vars.n; i++, uses = lifted->vars.items) {
        const tirb_relax_expr *use = uses[i];
        if (use->type->kind != TIRB_RELAX_TYPE_FUNCTION) continue;
        const tirb_relax_expr *value = defined_anew(in, use, pointer_at(&in->functions, use->as.var->id));
        bool calls_itself = false;
        if (!value) {
            *done = false;
            return !in->arena->failed;
        }
        const tirb_relax_seq body = {NULL, 0, value};
        const tirb_relax_function around = {.body = &body};
        tirb_relax_binding *slot = TIRBI_LIST_ADD(in->arena, &lifted->functions, tirb_relax_binding);
        if (!slot || !tirbi_relax_find_captured(in->arena, &around, use->as.var, in->lifted, lifted, &calls_itself))
            return false;
        *slot =
            (tirb_relax_binding){.kind = TIRB_RELAX_VAR_BINDING, .span = use->span, .var = use->as.var, .value = value};
        *done = !calls_itself;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < lifted->vars.n; i++)
        if (uses[i]->type->kind != TIRB_RELAX_TYPE_FUNCTION) uses[n++] = uses[i];
    if (*done) lifted->vars.n = n;
    /* A function comes behind those that it has, which were there before it. */
    if (lifted->functions.n > 1)
        qsort(lifted->functions.items, lifted->functions.n, sizeof(tirb_relax_binding), by_number);
    return true;
}

/* Makes a local function that calls itself a function of the module; *done: it is one. */
static bool lift(inliner *in, const tirb_relax_var *self, const tirb_relax_function *f, bool *done) {
    tirbi_relax_lifted *lifted = TIRBI_NEW(in->arena, tirbi_relax_lifted);
    if (!lifted || !tirbi_relax_find_captured(in->arena, f, self, in->lifted, lifted, done)) return false;
    if (*done && !keep_functions(in, lifted, done)) return false;
    if (!*done) return true;
    return keep_sizes(in, f, lifted) && set_pointer(in, in->lifted, self->id, lifted) &&
           make_lifted(in, self, f, lifted);
}

static bool bindings_of(inliner *in, const tirb_relax_binding *items, uint32_t n, tirbi_list *out) {
    for (uint32_t i = 0; i < n; i++) {
        tirb_relax_binding own = items[i];
        bool is_lifted = false;
        if (in->lifted && own.value->kind == TIRB_RELAX_FUNCTION &&
            !lift(in, own.var, own.value->as.function, &is_lifted))
            return false;
        if (is_lifted) continue;
        const known *callee = callee_of(in, own.value);
        /* A function may call itself by its variable's name. */
        const bool is_function = own.value->kind == TIRB_RELAX_FUNCTION;
        if (is_function && !(own.var = var_of(in, own.var))) return false;
        own.value = callee ? known_in_place(in, own.value, callee, out) : expr_of(in, own.value);
        if (!own.value) return false;
        if (own.kind == TIRB_RELAX_MATCH_CAST) {
            if (!begin_numbers(in, own.cast) || !(own.cast = type_of(in, own.cast))) return false;
        }
        if (!is_function && !(own.var = var_of(in, own.var))) return false;
        if (!know(in, own.var, own.value)) return false;
        if (is_choice(in, &own) && !(own.value = chosen_function(in, &own))) return false;
        if (!add(in, out, &own)) return false;
    }
    return true;
}

static const tirb_relax_seq *seq_of(inliner *in, const tirb_relax_seq *seq) {
    tirb_relax_seq *own = TIRBI_NEW(in->arena, tirb_relax_seq);
    tirb_relax_block *blocks = TIRBI_NEW_ARRAY(in->arena, tirb_relax_block, seq->n_blocks);
    if (!own || !blocks) return NULL;
    for (uint32_t i = 0; i < seq->n_blocks; i++) {
        tirbi_list out = {.n = 0};
        if (!bindings_of(in, seq->blocks[i].bindings, seq->blocks[i].n_bindings, &out)) return NULL;
        blocks[i] = (tirb_relax_block){seq->blocks[i].dataflow, out.items, out.n};
    }
    *own = (tirb_relax_seq){blocks, seq->n_blocks, expr_of(in, seq->body)};
    return own->body ? own : NULL;
}

/* ---- A whole function -------------------------------------------------------------------------------------------- */

static bool calls_any(inliner *in, const tirb_relax_seq *seq) {
    for (uint32_t i = 0; i < seq->n_blocks; i++)
        for (uint32_t k = 0; k < seq->blocks[i].n_bindings; k++) {
            const tirb_relax_expr *e = seq->blocks[i].bindings[k].value;
            if (!tirbi_arena_work(in->arena, 1)) return true;
            if (seq->blocks[i].bindings[k].var->type->kind == TIRB_RELAX_TYPE_FUNCTION || callee_of(in, e)) return true;
            if (e->kind == TIRB_RELAX_IF && (calls_any(in, e->as.if_.then_case) || calls_any(in, e->as.if_.else_case)))
                return true;
        }
    return false;
}

const tirb_relax_function *tirbi_relax_inline(tirbi_relax_lowering *l, const tirb_relax_function *f) {
    inliner in = {.l = l, .arena = l->arena};
    if (!calls_any(&in, f->body)) return f;
    tirbi_relax_builder_init(&in.b, &l->b);
    tirb_relax_function *own = TIRBI_NEW(l->arena, tirb_relax_function);
    const tirb_relax_function **self = TIRBI_LIST_ADD(l->arena, &in.calls, const tirb_relax_function *);
    if (!own || !self) return NULL;
    *self = f;
    for (uint32_t i = 0; i < f->n_params; i++)
        if (!begin_numbers(&in, f->params[i]->type) || !var_of(&in, f->params[i])) return NULL;
    *own = *f;
    own->body = seq_of(&in, f->body);
    return own->body && !l->arena->failed ? own : NULL;
}

/* ---- A whole module ---------------------------------------------------------------------------------------------- */

/* The function with calls of others where it had local ones that call themselves. */
static const tirb_relax_function *lift_from(tirbi_relax_lowering *l, const tirb_relax_function *f, tirbi_list *made) {
    tirbi_list lifted = {.n = 0};
    inliner in = {.l = l, .arena = l->arena, .lifted = &lifted, .made = made};
    tirbi_relax_builder_init(&in.b, &l->b);
    tirb_relax_function *own = TIRBI_NEW(l->arena, tirb_relax_function);
    if (!own) return NULL;
    for (uint32_t i = 0; i < f->n_params; i++)
        if (!begin_numbers(&in, f->params[i]->type) || !var_of(&in, f->params[i])) return NULL;
    *own = *f;
    own->body = seq_of(&in, f->body);
    return own->body ? own : NULL;
}

static bool has_local(tirbi_arena *arena, const tirb_relax_seq *seq) {
    for (uint32_t i = 0; i < seq->n_blocks; i++)
        for (uint32_t k = 0; k < seq->blocks[i].n_bindings; k++) {
            const tirb_relax_expr *e = seq->blocks[i].bindings[k].value;
            if (!tirbi_arena_work(arena, 1) || e->kind == TIRB_RELAX_FUNCTION) return true;
            if (e->kind == TIRB_RELAX_IF &&
                (has_local(arena, e->as.if_.then_case) || has_local(arena, e->as.if_.else_case)))
                return true;
        }
    return false;
}

const tirb_irmodule *tirbi_relax_lift(tirbi_relax_lowering *l, const tirb_irmodule *module) {
    tirb_irmodule *grown = TIRBI_NEW(l->arena, tirb_irmodule);
    const tirb_relax_function **own = TIRBI_NEW_ARRAY(l->arena, const tirb_relax_function *, module->n_relax);
    tirbi_list made = {.n = 0};
    if (!grown || !own) return NULL;
    for (uint32_t i = 0; i < module->n_relax; i++) {
        const tirb_relax_function *f = module->relax[i];
        own[i] = f;
        if (!has_local(l->arena, f->body)) continue;
        const uint32_t n = made.n;
        const tirb_relax_function *lifted = lift_from(l, f, &made);
        if (l->arena->failed) return NULL;
        if (lifted && made.n > n) own[i] = lifted;
        if (!lifted) made.n = n; /* it is refused where it is lowered, with what is against it */
        l->reason = NULL;
    }
    if (made.n == 0) return module;
    const tirb_relax_function **all = TIRBI_NEW_ARRAY(l->arena, const tirb_relax_function *, module->n_relax + made.n);
    if (!all) return NULL;
    for (uint32_t i = 0; i < module->n_relax; i++) all[i] = own[i];
    for (uint32_t i = 0; i < made.n; i++)
        all[module->n_relax + i] = ((const tirb_relax_function *const *)made.items)[i];
    *grown = *module;
    grown->relax = all;
    grown->n_relax = module->n_relax + made.n;
    return grown;
}
