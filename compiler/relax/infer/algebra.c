/* The algebra of types: which are subtypes of which, the least common one, and what a call of a function gives. */
#include <stdio.h>
#include <string.h>

#include "compiler/relax/infer/infer.h"

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static tirbi_relax_check worse(tirbi_relax_check x, tirbi_relax_check y) { return x < y ? x : y; }

static tirbi_relax_check check_dims(tirbi_relax_builder *b, const tirb_expr *const *base,
                                    const tirb_expr *const *derived, uint32_t n) {
    tirbi_relax_check result = TIRBI_RELAX_SUBTYPE;
    for (uint32_t i = 0; i < n; i++) {
        int64_t x, y;
        if (tirbi_dim_equal(&b->dims, base[i], derived[i])) continue;
        bool constants = tirbi_dim_const(base[i], &x) && tirbi_dim_const(derived[i], &y);
        result = worse(result, constants ? TIRBI_RELAX_IMPOSSIBLE : TIRBI_RELAX_UNPROVED);
    }
    return result;
}

static tirbi_relax_check check_rank(const tirb_relax_type *base, const tirb_relax_type *derived) {
    if (base->ndim < 0 || base->ndim == derived->ndim) return TIRBI_RELAX_SUBTYPE;
    return derived->ndim < 0 ? TIRBI_RELAX_CASTABLE : TIRBI_RELAX_IMPOSSIBLE;
}

static tirbi_relax_check check_shape(tirbi_relax_builder *b, const tirb_relax_type *base,
                                     const tirb_relax_type *derived) {
    tirbi_relax_check rank = check_rank(base, derived);
    if (rank != TIRBI_RELAX_SUBTYPE || !base->has_shape) return rank;
    if (!derived->has_shape) return TIRBI_RELAX_UNPROVED;
    return check_dims(b, base->shape, derived->shape, (uint32_t)base->ndim);
}

static tirbi_relax_check check_tensor(tirbi_relax_builder *b, const tirb_relax_type *base,
                                      const tirb_relax_type *derived) {
    if (tirb_relax_knows_dtype(base)) {
        if (!tirb_relax_knows_dtype(derived)) return TIRBI_RELAX_CASTABLE;
        if (!tirb_datatype_equal(base->dtype, derived->dtype)) return TIRBI_RELAX_IMPOSSIBLE;
    }
    tirbi_relax_check rank = check_rank(base, derived);
    if (rank != TIRBI_RELAX_SUBTYPE) return rank;
    if (base->vdevice && base->vdevice != derived->vdevice)
        return derived->vdevice ? TIRBI_RELAX_IMPOSSIBLE : TIRBI_RELAX_CASTABLE;
    if (base->shape_var) return base->shape_var == derived->shape_var ? TIRBI_RELAX_SUBTYPE : TIRBI_RELAX_UNPROVED;
    if (!base->has_shape) return TIRBI_RELAX_SUBTYPE;
    if (!derived->has_shape) return TIRBI_RELAX_UNPROVED;
    return check_dims(b, base->shape, derived->shape, (uint32_t)base->ndim);
}

static tirbi_relax_check check_function(tirbi_relax_builder *b, const tirb_relax_type *base,
                                        const tirb_relax_type *derived) {
    if (base->pure && !derived->pure) return TIRBI_RELAX_IMPOSSIBLE;
    if (base->opaque) return tirbi_relax_base_check(b, base->ret, derived->ret);
    if (derived->opaque) return TIRBI_RELAX_UNPROVED;
    if (tirb_relax_type_equal(base, derived)) return TIRBI_RELAX_SUBTYPE;
    if (base->n_fields != derived->n_fields) return TIRBI_RELAX_IMPOSSIBLE;
    tirbi_relax_check result = TIRBI_RELAX_SUBTYPE;
    for (uint32_t i = 0; i < base->n_fields; i++) {
        tirbi_relax_check one = tirbi_relax_base_check(b, base->fields[i], derived->fields[i]);
        result = worse(result, one == TIRBI_RELAX_CASTABLE ? TIRBI_RELAX_UNPROVED : one);
    }
    return worse(result, tirbi_relax_base_check(b, base->ret, derived->ret));
}

tirbi_relax_check tirbi_relax_base_check(tirbi_relax_builder *b, const tirb_relax_type *base,
                                         const tirb_relax_type *derived) {
    const bool is_any = derived->kind == TIRB_RELAX_TYPE_ANY;
    if (base == derived || (base->kind == TIRB_RELAX_TYPE_ANY && !base->is_text)) return TIRBI_RELAX_SUBTYPE;
    if (is_any && base->is_text && derived->is_text) return TIRBI_RELAX_SUBTYPE;
    if (is_any) return derived->is_text ? TIRBI_RELAX_IMPOSSIBLE : TIRBI_RELAX_CASTABLE;
    if (base->kind != derived->kind) return TIRBI_RELAX_IMPOSSIBLE;
    switch (base->kind) {
    case TIRB_RELAX_TYPE_ANY:
        break;
    case TIRB_RELAX_TYPE_PRIM:
        return tirb_datatype_equal(base->dtype, derived->dtype) ? TIRBI_RELAX_SUBTYPE : TIRBI_RELAX_IMPOSSIBLE;
    case TIRB_RELAX_TYPE_SHAPE:
        return check_shape(b, base, derived);
    case TIRB_RELAX_TYPE_TENSOR:
        return check_tensor(b, base, derived);
    case TIRB_RELAX_TYPE_TUPLE: {
        tirbi_relax_check result = TIRBI_RELAX_SUBTYPE;
        if (base->n_fields != derived->n_fields) return TIRBI_RELAX_IMPOSSIBLE;
        for (uint32_t i = 0; i < base->n_fields; i++)
            result = worse(result, tirbi_relax_base_check(b, base->fields[i], derived->fields[i]));
        return result;
    }
    case TIRB_RELAX_TYPE_FUNCTION:
        return check_function(b, base, derived);
    }
    return TIRBI_RELAX_SUBTYPE;
}

/* ---- The least common type --------------------------------------------------------------------------------------- */

static bool proves_dims(tirbi_relax_builder *b, const tirb_relax_type *x, const tirb_relax_type *y) {
    if (!x->has_shape || !y->has_shape || x->ndim != y->ndim) return false;
    for (int32_t i = 0; i < x->ndim; i++)
        if (!tirbi_dim_equal(&b->dims, x->shape[i], y->shape[i])) return false;
    return true;
}

static const tirb_relax_type *join_tensors(tirbi_relax_builder *b, const tirb_relax_type *x, const tirb_relax_type *y) {
    tirb_datatype dtype = tirb_datatype_equal(x->dtype, y->dtype) ? x->dtype : tirbi_type_void;
    tirb_relax_type *t = TIRBI_NEW(b->arena, tirb_relax_type);
    if (!t) return NULL;
    bool same_var = x->shape_var && x->shape_var == y->shape_var;
    if (same_var || proves_dims(b, x, y)) {
        *t = *x;
    } else {
        const tirb_relax_type *rank = tirbi_relax_tensor_of_rank(b, x->ndim == y->ndim ? x->ndim : -1, dtype);
        if (!rank) return NULL;
        *t = *rank;
    }
    t->dtype = dtype;
    t->vdevice = x->vdevice == y->vdevice ? x->vdevice : NULL;
    return t;
}

const tirb_relax_type *tirbi_relax_join(tirbi_relax_builder *b, const tirb_relax_type *x, const tirb_relax_type *y) {
    if (!x || !y) return NULL;
    if (x == y) return x;
    if (x->kind != y->kind) return tirbi_relax_any(b);
    switch (x->kind) {
    case TIRB_RELAX_TYPE_ANY:
        return x->is_text == y->is_text ? x : tirbi_relax_any(b);
    case TIRB_RELAX_TYPE_PRIM:
        return tirb_datatype_equal(x->dtype, y->dtype) ? x : tirbi_relax_any(b);
    case TIRB_RELAX_TYPE_SHAPE:
        return proves_dims(b, x, y) ? x : tirbi_relax_shape_of_rank(b, x->ndim == y->ndim ? x->ndim : -1);
    case TIRB_RELAX_TYPE_TENSOR:
        return join_tensors(b, x, y);
    case TIRB_RELAX_TYPE_TUPLE: {
        if (x->n_fields != y->n_fields) return tirbi_relax_any(b);
        const tirb_relax_type **fields = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_type *, x->n_fields);
        for (uint32_t i = 0; fields && i < x->n_fields; i++)
            fields[i] = tirbi_relax_join(b, x->fields[i], y->fields[i]);
        return fields ? tirbi_relax_tuple(b, fields, x->n_fields) : NULL;
    }
    case TIRB_RELAX_TYPE_FUNCTION:
        if (tirb_relax_type_equal(x, y)) return x;
        return tirbi_relax_opaque_function(b, tirbi_relax_join(b, x->ret, y->ret), x->pure && y->pure);
    }
    return NULL;
}

/* ---- Erasing and replacing --------------------------------------------------------------------------------------- */

static bool knows(const tirbi_list *known, const tirb_expr *e) {
    const tirb_expr *const *vars = known->items;
    if (e->kind == TIRB_EXPR_VAR) {
        for (uint32_t i = 0; i < known->n; i++)
            if (vars[i] == e) return true;
        return false;
    }
    if (e->kind == TIRB_EXPR_CAST) return knows(known, e->as.cast.value);
    if (e->kind >= TIRB_EXPR_ADD && e->kind <= TIRB_EXPR_OR)
        return knows(known, e->as.binary.a) && knows(known, e->as.binary.b);
    for (uint32_t i = 0; e->kind == TIRB_EXPR_CALL && i < e->as.call.n_args; i++)
        if (!knows(known, e->as.call.args[i])) return false;
    return true;
}

static bool knows_dims(const tirbi_list *known, const tirb_relax_type *t) {
    for (int32_t i = 0; t->has_shape && i < t->ndim; i++)
        if (!knows(known, t->shape[i])) return false;
    return true;
}

/* The type with a function applied to the types that it is made of. */
typedef const tirb_relax_type *(*mapping)(tirbi_relax_builder *b, const tirb_relax_type *t, const void *context);

static const tirb_relax_type *map_fields(tirbi_relax_builder *b, const tirb_relax_type *t, mapping map,
                                         const void *context) {
    tirb_relax_type *copy = TIRBI_NEW(b->arena, tirb_relax_type);
    const tirb_relax_type **fields = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_type *, t->n_fields);
    if (!copy || !fields) return NULL;
    *copy = *t;
    for (uint32_t i = 0; i < t->n_fields; i++)
        if (!(fields[i] = map(b, t->fields[i], context))) return NULL;
    copy->fields = fields;
    if (t->kind == TIRB_RELAX_TYPE_FUNCTION && t->ret && !(copy->ret = map(b, t->ret, context))) return NULL;
    return copy;
}

typedef struct scope {
    const tirbi_list *known;
    uint32_t first_var;
} scope;

static const tirb_relax_type *erase(tirbi_relax_builder *b, const tirb_relax_type *t, const void *context) {
    const scope *visible = context;
    const tirbi_list *vars = visible->known;
    switch (t->kind) {
    case TIRB_RELAX_TYPE_SHAPE:
        return knows_dims(vars, t) ? t : tirbi_relax_shape_of_rank(b, t->ndim);
    case TIRB_RELAX_TYPE_TENSOR:
        if (t->shape_var && t->shape_var->id < visible->first_var) return t;
        return knows_dims(vars, t) && !t->shape_var ? t : tirbi_relax_tensor_of_rank(b, t->ndim, t->dtype);
    case TIRB_RELAX_TYPE_TUPLE:
        return map_fields(b, t, erase, context);
    default:
        return t;
    }
}

const tirb_relax_type *tirbi_relax_erase(tirbi_relax_builder *b, const tirb_relax_type *t, const tirbi_list *known,
                                         uint32_t first_var) {
    const scope visible = {known, first_var};
    return t ? erase(b, t, &visible) : NULL;
}

typedef struct replacement {
    const tirb_expr *const *vars, *const *values;
    uint32_t n;
} replacement;

static const tirb_relax_type *replace(tirbi_relax_builder *b, const tirb_relax_type *t, const void *context) {
    const replacement *r = context;
    if (t->kind == TIRB_RELAX_TYPE_TUPLE || t->kind == TIRB_RELAX_TYPE_FUNCTION)
        return map_fields(b, t, replace, context);
    if (!t->has_shape || t->ndim == 0) return t;
    const tirb_expr **dims = tirbi_relax_new_dims(b, (uint32_t)t->ndim);
    tirb_relax_type *copy = TIRBI_NEW(b->arena, tirb_relax_type);
    if (!dims || !copy) return NULL;
    *copy = *t;
    copy->shape = dims;
    for (int32_t i = 0; i < t->ndim; i++) {
        dims[i] = tirbi_dim_replace(&b->dims, t->shape[i], r->vars, r->values, r->n);
        if (dims[i] && dims[i] != t->shape[i]) dims[i] = tirbi_dim_simplify(&b->dims, dims[i]);
        if (!dims[i]) return NULL;
    }
    return copy;
}

const tirb_relax_type *tirbi_relax_replace(tirbi_relax_builder *b, const tirb_relax_type *t,
                                           const tirb_expr *const *vars, const tirb_expr *const *values, uint32_t n) {
    const replacement r = {vars, values, n};
    return t ? replace(b, t, &r) : NULL;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

typedef struct solution {
    tirbi_list vars, values; /* of const tirb_expr * */
} solution;

static void solve(tirbi_relax_builder *b, solution *s, const tirb_expr *param, const tirb_expr *arg) {
    const tirb_expr *const *vars = s->vars.items;
    if (param->kind != TIRB_EXPR_VAR) return;
    for (uint32_t i = 0; i < s->vars.n; i++)
        if (vars[i] == param) return;
    const tirb_expr **var = TIRBI_LIST_ADD(b->arena, &s->vars, const tirb_expr *);
    const tirb_expr **value = TIRBI_LIST_ADD(b->arena, &s->values, const tirb_expr *);
    if (!var || !value) return;
    *var = param;
    *value = arg;
}

/* Binds the bare dimensions of a parameter's type to an argument's. */
static void solve_type(tirbi_relax_builder *b, solution *s, const tirb_relax_type *param, const tirb_relax_type *arg) {
    if (param->kind != arg->kind) return;
    if (param->kind == TIRB_RELAX_TYPE_TUPLE)
        for (uint32_t i = 0; i < param->n_fields && i < arg->n_fields; i++)
            solve_type(b, s, param->fields[i], arg->fields[i]);
    if (!param->has_shape || !arg->has_shape || param->ndim != arg->ndim) return;
    for (int32_t i = 0; i < param->ndim; i++) solve(b, s, param->shape[i], arg->shape[i]);
}

const tirb_relax_type *tirbi_relax_call_type(tirbi_relax_builder *b, const tirb_relax_expr *call,
                                             const tirb_relax_type *function) {
    const tirb_relax_expr *const *args = call->as.call.args;
    if (function->opaque) {
        if (call->as.call.n_types == 1) return call->as.call.types[0];
        if (call->as.call.n_types > 1) return tirbi_relax_tuple(b, call->as.call.types, call->as.call.n_types);
        return function->ret;
    }
    if (call->as.call.n_args != function->n_fields)
        return tirbi_relax_fail(b, call, "the function takes %u argument%s, %u given", function->n_fields,
                                function->n_fields == 1 ? "" : "s", call->as.call.n_args);
    solution s = {.vars = {.n = 0}};
    for (uint32_t i = 0; i < function->n_fields; i++) solve_type(b, &s, function->fields[i], args[i]->type);
    /* A scalar parameter is a variable that dimensions of others and of the result may mention. */
    for (uint32_t i = 0; i < function->n_fields; i++) {
        const tirb_relax_type *param =
            tirbi_relax_replace(b, function->fields[i], s.vars.items, s.values.items, s.vars.n);
        if (!param) return NULL;
        if (tirbi_relax_base_check(b, param, args[i]->type) < TIRBI_RELAX_UNPROVED)
            return tirbi_relax_fail(b, call, "argument %u is of type %s where the function takes %s", i,
                                    tirbi_relax_type_text(b, args[i]->type),
                                    tirbi_relax_type_text(b, function->fields[i]));
    }
    const tirb_relax_type *ret = tirbi_relax_replace(b, function->ret, s.vars.items, s.values.items, s.vars.n);
    return tirbi_relax_erase(b, ret, &b->known, UINT32_MAX);
}

/* ---- Text for messages ------------------------------------------------------------------------------------------- */

static const char *dim_text(tirbi_relax_builder *b, const tirb_expr *e) {
    static const char *const signs[] = {"+", "-", "*", "/", "%", "//", "%"};
    if (e->kind == TIRB_EXPR_INT_IMM) return tirbi_arena_format(b->arena, "%lld", (long long)e->as.int_value);
    if (e->kind == TIRB_EXPR_VAR) return e->as.var.name;
    if (e->kind < TIRB_EXPR_ADD || e->kind > TIRB_EXPR_MAX || e->depth > 4) return "...";
    const char *x = dim_text(b, e->as.binary.a), *y = dim_text(b, e->as.binary.b);
    if (e->kind >= TIRB_EXPR_MIN)
        return tirbi_arena_format(b->arena, "T.%s(%s, %s)", e->kind == TIRB_EXPR_MIN ? "min" : "max", x, y);
    return tirbi_arena_format(b->arena, "(%s %s %s)", x, signs[e->kind - TIRB_EXPR_ADD], y);
}

static const char *joined(tirbi_relax_builder *b, const char *before, const char *const *items, uint32_t n,
                          const char *after) {
    const char *text = before;
    for (uint32_t i = 0; i < n && text; i++)
        text = tirbi_arena_format(b->arena, "%s%s%s", text, i ? ", " : "", items[i]);
    return text ? tirbi_arena_format(b->arena, "%s%s", text, after) : "";
}

static const char *dims_text(tirbi_relax_builder *b, const tirb_relax_type *t, const char *open, const char *close) {
    const char *items[8];
    uint32_t n = t->ndim > 8 ? 8 : (uint32_t)t->ndim;
    for (uint32_t i = 0; i < n; i++) items[i] = dim_text(b, t->shape[i]);
    return joined(b, open, items, n, t->ndim > 8 ? ", ..." : n == 1 && *open == '(' ? ",)" : close);
}

const char *tirbi_relax_type_text(tirbi_relax_builder *b, const tirb_relax_type *t) {
    char dtype[32];
    const char *text = "R.Any";
    switch (t->kind) {
    case TIRB_RELAX_TYPE_ANY:
        if (t->is_text) text = "I.StringType()";
        break;
    case TIRB_RELAX_TYPE_PRIM:
        text = tirbi_arena_format(b->arena, "T.%s", tirb_datatype_text(t->dtype, dtype));
        break;
    case TIRB_RELAX_TYPE_SHAPE:
        text = t->has_shape ? tirbi_arena_format(b->arena, "R.Shape(%s)", dims_text(b, t, "[", "]"))
                            : tirbi_arena_format(b->arena, "R.Shape(ndim=%d)", t->ndim);
        break;
    case TIRB_RELAX_TYPE_TENSOR: {
        const char *shape = t->has_shape   ? dims_text(b, t, "(", ")")
                            : t->ndim >= 0 ? tirbi_arena_format(b->arena, "ndim=%d", t->ndim)
                                           : "";
        bool typed = tirb_relax_knows_dtype(t);
        text =
            tirbi_arena_format(b->arena, "R.Tensor(%s%s%s%s%s)", shape, typed && *shape ? ", " : "", typed ? "\"" : "",
                               typed ? tirb_datatype_text(t->dtype, dtype) : "", typed ? "\"" : "");
        break;
    }
    case TIRB_RELAX_TYPE_TUPLE: {
        const char *items[8];
        uint32_t n = t->n_fields > 8 ? 8 : t->n_fields;
        for (uint32_t i = 0; i < n; i++) items[i] = tirbi_relax_type_text(b, t->fields[i]);
        text = joined(b, "R.Tuple(", items, n, t->n_fields > 8 ? ", ...)" : ")");
        break;
    }
    case TIRB_RELAX_TYPE_FUNCTION:
        text = "R.Callable";
        break;
    }
    return text ? text : "";
}
