/* Names behind `R.`: types, values and operators, whose parameters are those of the table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/text/script/relax.h"

enum { MAX_LIST = 10000 };

static tirbi_value type_value(const tirb_relax_type *type) {
    return type ? (tirbi_value){.kind = TIRBI_VALUE_RELAX_TYPE, .as.relax_type = type} : tirbi_value_error();
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* What is no operator. */
static const char *const other_names[] = {
    "Tensor",    "Shape",      "Tuple",      "Any",      "Object",          "Prim",        "Callable",
    "const",     "shape",      "prim_value", "str",      "dtype",           "tuple",       "emit",
    "func_attr", "match_cast", "output",     "dataflow", "emit_match_cast", "call_packed", "stop_lift_params",
    "device",    "cpu",        "ext_dev",
};

static bool is_name(const char *name) {
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (strcmp(other_names[i], name) == 0) return true;
    return tirbi_relax_find_operator(name) != NULL;
}

/* What others call an operator, or the operator of this name in another space; NULL: there is none. */
static const char *operator_meant(const char *name) {
    static const char *const others[][2] = {
        {"transpose", "permute_dims"},
        {"cast", "astype"},
        {"concatenate", "concat"},
        {"pow", "power"},
        {"dot", "matmul"},
        {"var", "variance"},
        {"slice", "strided_slice"},
        {"gather", "take"},
        {"nn.dense", "matmul"},
        {"nn.linear", "matmul"},
        {"view", "reshape"},
        {"unsqueeze", "expand_dims"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i][0], name) == 0) return others[i][1];
    const char *last = strrchr(name, '.');
    last = last ? last + 1 : name;
    for (uint32_t i = 0; i < TIRB_N_RELAX_OPS; i++) {
        const char *dot = strrchr(tirb_relax_operators[i].name, '.');
        if (strcmp(dot ? dot + 1 : tirb_relax_operators[i].name, last) == 0) return tirb_relax_operators[i].name;
    }
    return NULL;
}

tirbi_value tirbi_relax_attribute(tirbi_script *s, const tirbi_node *node, const char *outer) {
    const char *name = outer ? tirbi_arena_format(s->arena, "%s.%s", outer, node->name) : node->name;
    if (!name || !tirbi_relax_state(s)) return tirbi_value_error();
    if (is_name(name) || tirbi_relax_is_space(name))
        return (tirbi_value){.kind = TIRBI_VALUE_RELAX_NAME, .node = node, .as.name = name};
    tirbi_suggestion suggestion = {.wanted = name, .best = operator_meant(name)};
    for (uint32_t i = 0; !suggestion.best && i < TIRB_N_RELAX_OPS; i++)
        tirbi_suggest(&suggestion, tirb_relax_operators[i].name);
    if (suggestion.best)
        return tirbi_fail(s, TIRB_TYPE, node->span, "there is no `R.%s`; did you mean `R.%s`?", name, suggestion.best);
    return tirbi_fail(s, TIRB_UNSUPPORTED, node->span, "`R.%s` is not supported", name);
}

tirbi_value tirbi_relax_type_name(tirbi_script *s, const tirbi_node *node, const char *name) {
    tirbi_relax_builder *b = &s->relax->builder;
    if (strcmp(name, "Tensor") == 0) return type_value(tirbi_relax_tensor_of_rank(b, -1, tirbi_type_void));
    if (strcmp(name, "Shape") == 0) return type_value(tirbi_relax_shape_of_rank(b, -1));
    if (strcmp(name, "Tuple") == 0) return type_value(tirbi_relax_tuple(b, NULL, 0));
    if (strcmp(name, "Any") == 0 || strcmp(name, "Object") == 0) return type_value(tirbi_relax_any(b));
    if (strcmp(name, "Callable") == 0) return type_value(tirbi_relax_opaque_function(b, tirbi_relax_any(b), false));
    return tirbi_fail(s, TIRB_TYPE, node->span, "`R.%s` is no type", name);
}

tirbi_value tirbi_relax_string_type(tirbi_script *s) {
    struct tirbi_relax *r = tirbi_relax_state(s);
    return r ? type_value(tirbi_relax_text_type(&r->builder)) : tirbi_value_error();
}

/* ---- Arguments --------------------------------------------------------------------------------------------------- */

typedef struct arguments {
    const tirbi_node *node;
    const char *name;
    tirbi_list given; /* of tirbi_argument */
} arguments;

/* Binds arguments to names separated by spaces; those that are not given are MISSING. A last name `*` takes all that
 * follow by position, as a TUPLE. */
static bool bind_names(tirbi_script *s, arguments *a, const char *names, tirbi_value *out, uint32_t n) {
    const tirbi_argument *given = a->given.items;
    const char *starts[TIRBI_MAX_RELAX_PARAMETERS];
    size_t sizes[TIRBI_MAX_RELAX_PARAMETERS];
    uint32_t count = 0, next = 0;
    for (const char *at = names; *at && count < n; at += *at == ' ') {
        starts[count] = at;
        sizes[count] = strcspn(at, " ");
        at += sizes[count++];
    }
    for (uint32_t i = 0; i < count; i++) out[i] = (tirbi_value){.kind = TIRBI_VALUE_MISSING};
    for (uint32_t i = 0; i < a->given.n; i++) {
        uint32_t at = next;
        if (given[i].name) {
            for (at = 0; at < count; at++)
                if (strlen(given[i].name) == sizes[at] && memcmp(given[i].name, starts[at], sizes[at]) == 0) break;
            if (at == count) {
                tirbi_fail(s, TIRB_TYPE, given[i].node->span, "R.%s has no parameter `%s`", a->name, given[i].name);
                return false;
            }
        } else if (next < count && *starts[next] == '*') {
            if (out[next].kind == TIRBI_VALUE_MISSING) {
                out[next] = (tirbi_value){.kind = TIRBI_VALUE_TUPLE, .node = a->node};
                out[next].as.sequence.items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, a->given.n);
                if (!out[next].as.sequence.items) return false;
            }
            out[next].as.sequence.items[out[next].as.sequence.n++] = given[i].value;
            continue;
        } else if (next == count) {
            tirbi_fail(s, TIRB_TYPE, given[i].node->span, "R.%s takes at most %u argument%s", a->name, count,
                       count == 1 ? "" : "s");
            return false;
        } else {
            next++;
        }
        if (out[at].kind != TIRBI_VALUE_MISSING) {
            tirbi_fail(s, TIRB_TYPE, given[i].node->span, "R.%s gets the argument `%.*s` twice", a->name,
                       (int)sizes[at], starts[at]);
            return false;
        }
        out[at] = given[i].value;
        if (!out[at].node) out[at].node = given[i].node;
    }
    return true;
}

/* ---- Types that are called --------------------------------------------------------------------------------------- */

static bool to_rank(tirbi_script *s, const tirbi_value *v, int32_t *out) {
    int64_t n = -1;
    if (tirbi_given(v) && !tirbi_to_int(s, v, "ndim", &n)) return false;
    if (n < -1 || n > TIRBI_MAX_RELAX_RANK) {
        tirbi_fail(s, TIRB_VALUE, v->node->span, "ndim is %lld; the most is %d", (long long)n,
                   (int)TIRBI_MAX_RELAX_RANK);
        return false;
    }
    *out = (int32_t)n;
    return true;
}

static tirbi_value tensor_type_of(tirbi_script *s, arguments *a, tirbi_value args[4]) {
    tirbi_relax_builder *b = &s->relax->builder;
    tirb_datatype dtype = tirbi_type_void;
    int32_t ndim;
    const tirb_expr *const *dims;
    uint32_t n;
    if (args[0].kind == TIRBI_VALUE_STRING && !tirbi_given(&args[1])) {
        args[1] = args[0];
        args[0].kind = TIRBI_VALUE_MISSING;
    }
    if (tirbi_given(&args[1]) && !tirbi_to_dtype(s, &args[1], &dtype)) return tirbi_value_error();
    if (!to_rank(s, &args[3], &ndim)) return tirbi_value_error();
    if (!tirbi_given(&args[0])) return type_value(tirbi_relax_tensor_of_rank(b, ndim, dtype));
    const tirb_relax_expr *shape = args[0].kind == TIRBI_VALUE_RELAX ? args[0].as.relax : NULL;
    if (shape && shape->kind == TIRB_RELAX_SHAPE)
        return type_value(tirbi_relax_tensor(b, shape->as.shape.values, shape->as.shape.n, dtype));
    if (shape) {
        if (shape->kind != TIRB_RELAX_VAR || shape->type->kind != TIRB_RELAX_TYPE_SHAPE)
            return tirbi_fail(s, TIRB_TYPE, args[0].node->span,
                              "the shape must be a tuple or a variable of type R.Shape");
        tirb_relax_type *t = (tirb_relax_type *)tirbi_relax_tensor_of_rank(b, shape->type->ndim, dtype);
        if (t) t->shape_var = shape->as.var;
        return type_value(t);
    }
    if (!tirbi_to_dims(s, &args[0], &dims, &n)) return tirbi_value_error();
    if (ndim >= 0 && (uint32_t)ndim != n)
        return tirbi_fail(s, TIRB_TYPE, a->node->span, "ndim is %d, but the shape has %u dimensions", ndim, n);
    return type_value(tirbi_relax_tensor(b, dims, n, dtype));
}

static tirbi_value tensor_type(tirbi_script *s, arguments *a) {
    tirbi_value args[4];
    const tirb_relax_vdevice *vdevice = NULL;
    if (!bind_names(s, a, "shape dtype vdevice ndim", args, 4)) return tirbi_value_error();
    if (args[0].kind == TIRBI_VALUE_INT && args[1].kind == TIRBI_VALUE_INT)
        return tirbi_fail(s, TIRB_TYPE, a->node->span,
                          "a shape is one tuple: write R.Tensor((%lld, %lld), \"float32\")",
                          (long long)args[0].as.integer, (long long)args[1].as.integer);
    if (tirbi_given(&args[2]) && !tirbi_to_vdevice(s, &args[2], &vdevice)) return tirbi_value_error();
    tirbi_value v = tensor_type_of(s, a, args);
    if (v.kind != TIRBI_VALUE_RELAX_TYPE || !vdevice) return v;
    tirb_relax_type *placed = TIRBI_NEW(s->arena, tirb_relax_type);
    if (!placed) return tirbi_value_error();
    *placed = *v.as.relax_type;
    placed->vdevice = vdevice;
    return type_value(placed);
}

static tirbi_value shape_type(tirbi_script *s, arguments *a) {
    tirbi_value args[2];
    int32_t ndim;
    const tirb_expr *const *dims;
    uint32_t n;
    if (!bind_names(s, a, "values ndim", args, 2) || !to_rank(s, &args[1], &ndim)) return tirbi_value_error();
    if (!tirbi_given(&args[0])) return type_value(tirbi_relax_shape_of_rank(&s->relax->builder, ndim));
    if (!tirbi_to_dims(s, &args[0], &dims, &n)) return tirbi_value_error();
    /* An empty list counts as none. */
    if (n == 0) return type_value(tirbi_relax_shape_of_rank(&s->relax->builder, ndim));
    return type_value(tirbi_relax_shape(&s->relax->builder, dims, n));
}

/* A tuple of types, or one. */
static bool to_types(tirbi_script *s, const tirbi_value *v, const tirb_relax_type *const **out, uint32_t *n) {
    bool several = v->kind == TIRBI_VALUE_TUPLE;
    uint32_t count = several ? v->as.sequence.n : 1;
    const tirb_relax_type **types = TIRBI_NEW_ARRAY(s->arena, const tirb_relax_type *, (size_t)count + 1);
    if (!types) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!(types[i] = tirbi_to_relax_type(s, several ? &v->as.sequence.items[i] : v))) return false;
    *out = types;
    *n = count;
    return true;
}

static tirbi_value tuple_type(tirbi_script *s, arguments *a) {
    tirbi_value args[1];
    const tirb_relax_type *const *types;
    uint32_t n;
    if (!bind_names(s, a, "*", args, 1)) return tirbi_value_error();
    if (!tirbi_given(&args[0])) return type_value(tirbi_relax_tuple(&s->relax->builder, NULL, 0));
    const tirbi_value *fields = args;
    if (args[0].as.sequence.n == 1 && args[0].as.sequence.items[0].kind == TIRBI_VALUE_TUPLE)
        fields = &args[0].as.sequence.items[0];
    if (!to_types(s, fields, &types, &n)) return tirbi_value_error();
    return type_value(tirbi_relax_tuple(&s->relax->builder, types, n));
}

static tirbi_value callable_type(tirbi_script *s, arguments *a) {
    tirbi_value args[4];
    tirbi_relax_builder *b = &s->relax->builder;
    if (!bind_names(s, a, "params ret purity derive_func", args, 4)) return tirbi_value_error();
    if (tirbi_given(&args[3]))
        return tirbi_fail(s, TIRB_UNSUPPORTED, args[3].node->span, "`derive_func` is a function of Python");
    bool opaque = !tirbi_given(&args[0]), pure = !opaque;
    if (tirbi_given(&args[2])) {
        if (args[2].kind != TIRBI_VALUE_BOOL)
            return tirbi_fail(s, TIRB_TYPE, args[2].node->span, "`purity` is True or False");
        pure = args[2].as.boolean;
    }
    const tirb_relax_type *ret = args[1].kind == TIRBI_VALUE_MISSING ? NULL : tirbi_to_relax_type(s, &args[1]);
    if (args[1].kind != TIRBI_VALUE_MISSING && !ret) return tirbi_value_error();
    if (!ret) ret = tirbi_relax_any(b);
    const tirb_relax_type *const *params;
    uint32_t n;
    if (opaque) return type_value(tirbi_relax_opaque_function(b, ret, pure));
    if (!to_types(s, &args[0], &params, &n)) return tirbi_value_error();
    return type_value(tirbi_relax_function_type(b, params, n, ret, pure));
}

static tirbi_value prim_type(tirbi_script *s, arguments *a) {
    tirbi_value args[2];
    tirb_datatype dtype = tirbi_type_i64;
    if (!bind_names(s, a, "dtype value", args, 2)) return tirbi_value_error();
    if (tirbi_given(&args[1]))
        return tirbi_fail(
            s, TIRB_UNSUPPORTED, args[1].node->span,
            "R.Prim has no value in TVM 0.27: make the parameter itself the dimension, `n: R.Prim(\"int64\")`");
    if (tirbi_given(&args[0]) && !tirbi_to_dtype(s, &args[0], &dtype)) return tirbi_value_error();
    return type_value(tirbi_relax_prim(&s->relax->builder, dtype));
}

/* ---- Values of attributes ---------------------------------------------------------------------------------------- */

static bool integer_attr(tirbi_script *s, const tirbi_value *v, const char *what, tirb_relax_attr *out) {
    out->kind = TIRB_RELAX_ATTR_INT;
    return tirbi_to_int(s, v, what, &out->as.integer);
}

static bool real_attr(tirbi_script *s, const tirbi_value *v, const char *what, tirb_relax_attr *out) {
    out->kind = TIRB_RELAX_ATTR_FLOAT;
    const tirb_expr *e = v->kind == TIRBI_VALUE_EXPR ? v->as.expr : NULL;
    if (v->kind == TIRBI_VALUE_FLOAT)
        out->as.real = v->as.real;
    else if (v->kind == TIRBI_VALUE_INT)
        out->as.real = (double)v->as.integer;
    else if (v->kind == TIRBI_VALUE_BOOL)
        out->as.real = v->as.boolean;
    else if (e && e->kind == TIRB_EXPR_FLOAT_IMM)
        out->as.real = e->as.float_value;
    else if (e && e->kind == TIRB_EXPR_INT_IMM)
        out->as.real = (double)e->as.int_value;
    else {
        tirbi_fail(s, TIRB_TYPE, v->node->span, "%s must be a number, not %s", what, tirbi_value_text(v));
        return false;
    }
    return true;
}

/* A float32 of the program, whose text TVM does not round. */
static bool single_attr(tirbi_script *s, const tirbi_value *v, const char *what, tirb_relax_attr *out) {
    tirb_relax_attr real;
    if (!real_attr(s, v, what, &real)) return false;
    out->kind = TIRB_RELAX_ATTR_EXPR;
    out->as.expr = tirbi_make_float(&s->builder, v->node->span, tirbi_type_f32, real.as.real);
    return out->as.expr != NULL;
}

typedef bool (*attr_reader)(tirbi_script *s, const tirbi_value *v, const char *what, tirb_relax_attr *out);

/* An integer, or a dimension of the program. */
static bool place_attr(tirbi_script *s, const tirbi_value *v, const char *what, tirb_relax_attr *out) {
    bool constant = tirbi_is_number(v) || (v->kind == TIRBI_VALUE_EXPR && v->as.expr->kind == TIRB_EXPR_INT_IMM);
    if (constant) return integer_attr(s, v, what, out);
    out->kind = TIRB_RELAX_ATTR_EXPR;
    out->as.expr = tirbi_to_dim(s, v);
    return out->as.expr != NULL;
}

/* The items of a list, or one value as often as `times` says (0: once). */
static bool list_attr(tirbi_script *s, const tirbi_value *v, const char *what, uint32_t times, attr_reader read,
                      tirb_relax_attr *out) {
    bool several = v->kind == TIRBI_VALUE_TUPLE;
    uint32_t n = several ? v->as.sequence.n : 1, m = times > n && n == 1 ? times : n;
    tirb_relax_attr *items = m <= MAX_LIST ? TIRBI_NEW_ARRAY(s->arena, tirb_relax_attr, (size_t)m + 1) : NULL;
    if (m > MAX_LIST) tirbi_fail(s, TIRB_UNSUPPORTED, v->node->span, "%s has more than %d items", what, (int)MAX_LIST);
    if (!items) return false;
    for (uint32_t i = 0; i < m; i++) {
        tirbi_value one = several ? v->as.sequence.items[n == 1 ? 0 : i] : *v;
        if (!one.node) one.node = v->node;
        if (!read(s, &one, what, &items[i])) return false;
    }
    if (times && m != times) {
        tirbi_fail(s, TIRB_TYPE, v->node->span, "%s has %u numbers; it needs 1 or %u", what, n, times);
        return false;
    }
    *out = (tirb_relax_attr){.kind = TIRB_RELAX_ATTR_LIST};
    out->as.list.items = items;
    out->as.list.n = m;
    return true;
}

/* Padding of k dimensions: one number for all ends, k for both ends of each, or 2 k. */
static bool padding_attr(tirbi_script *s, const tirbi_value *v, const char *what, uint32_t k, tirb_relax_attr *out) {
    tirb_relax_attr *items = TIRBI_NEW_ARRAY(s->arena, tirb_relax_attr, 2 * (size_t)k);
    if (!items || !list_attr(s, v, what, 0, integer_attr, out)) return false;
    uint32_t n = out->as.list.n;
    if (n != 1 && n != k && n != 2 * k) {
        tirbi_fail(s, TIRB_TYPE, v->node->span, "%s has %u numbers; it needs 1, %u or %u", what, n, k, 2 * k);
        return false;
    }
    for (uint32_t i = 0; i < 2 * k; i++) items[i] = out->as.list.items[i % n];
    out->as.list.items = items;
    out->as.list.n = 2 * k;
    return true;
}

/* lambda i, j: (j, i), over variables of its own, or T.index_map of one. */
static bool map_attr(tirbi_script *s, const tirbi_value *v, tirb_relax_attr *out) {
    const tirbi_node *call =
        v->kind == TIRBI_VALUE_OPAQUE && v->node && v->node->kind == TIRBI_NODE_CALL ? v->node : NULL;
    tirbi_value inner;
    if (call && call->n_items > 1 && call->items[1]->kind == TIRBI_NODE_LAMBDA) {
        inner = tirbi_evaluate(s, call->items[1]);
        v = &inner;
    }
    if (v->kind != TIRBI_VALUE_LAMBDA) {
        tirbi_fail(s, TIRB_TYPE, v->node->span, "index_map must be a lambda, not %s", tirbi_value_text(v));
        return false;
    }
    const tirbi_line *line = v->as.macro->line;
    const tirb_expr **vars = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, (size_t)line->n_parameters + 1);
    uint32_t mark = tirbi_open_level(s);
    for (uint32_t i = 0; vars && i < line->n_parameters; i++) {
        const tirbi_parameter *p = &line->parameters[i];
        vars[i] = tirbi_make_var(&s->builder, p->span, p->name, tirbi_prim_type(tirbi_type_i64));
        if (vars[i]) tirbi_bind(s, p->name, p->span, tirbi_value_expr(vars[i]));
    }
    tirbi_value result = tirbi_evaluate(s, v->as.macro->result);
    tirbi_value single = {.kind = TIRBI_VALUE_TUPLE, .node = v->node};
    single.as.sequence.items = &result;
    single.as.sequence.n = 1;
    *out = (tirb_relax_attr){.kind = TIRB_RELAX_ATTR_MAP};
    bool good =
        vars && tirbi_to_dims(s, result.kind == TIRBI_VALUE_TUPLE || tirbi_is_error(&result) ? &result : &single,
                              &out->as.map.indices, &out->as.map.n_indices);
    tirbi_close_level(s, mark);
    out->as.map.vars = vars;
    out->as.map.n_vars = line->n_parameters;
    return good;
}

static bool to_attr(tirbi_script *s, const tirbi_relax_parameter *p, const tirbi_value *v, tirb_relax_attr *out) {
    const char *what = tirbi_arena_format(s->arena, "`%.*s`", (int)p->name_size, p->name);
    *out = (tirb_relax_attr){.kind = TIRB_RELAX_ATTR_NONE};
    if (!what) return false;
    bool none = v->kind == TIRBI_VALUE_NONE;
    if (none && p->kind == 'R') {
        tirbi_value zero = {.kind = TIRBI_VALUE_INT, .node = v->node};
        return list_attr(s, &zero, what, 2u * p->count, single_attr, out);
    }
    if (none && p->nullable) return true;
    if (v->kind == TIRBI_VALUE_RELAX && p->kind == 'I') {
        tirbi_fail(s, TIRB_TYPE, v->node->span, "%s is a number, and no tensor: several tensors are one tuple, (a, b)",
                   what);
        return false;
    }
    switch (p->kind) {
    case 'B':
        out->kind = TIRB_RELAX_ATTR_BOOL;
        out->as.boolean = v->kind == TIRBI_VALUE_BOOL ? v->as.boolean : v->as.integer != 0;
        if (v->kind == TIRBI_VALUE_BOOL || v->kind == TIRBI_VALUE_INT) return true;
        tirbi_fail(s, TIRB_TYPE, v->node->span, "%s is True or False, not %s", what, tirbi_value_text(v));
        return false;
    case 'I':
        return integer_attr(s, v, what, out);
    case 'F':
        return real_attr(s, v, what, out);
    case 'S':
        out->kind = TIRB_RELAX_ATTR_STRING;
        return tirbi_to_text(s, v, what, &out->as.text);
    case 'D':
        out->kind = TIRB_RELAX_ATTR_DTYPE;
        return tirbi_to_dtype(s, v, &out->as.dtype);
    case 'L':
        return list_attr(s, v, what, p->count, integer_attr, out);
    case 'P':
        return padding_attr(s, v, what, p->count, out);
    case 'N':
        return v->kind == TIRBI_VALUE_TUPLE ? list_attr(s, v, what, 0, place_attr, out) : integer_attr(s, v, what, out);
    case 'M':
        return single_attr(s, v, what, out);
    case 'R':
        return list_attr(s, v, what, 2u * p->count, single_attr, out);
    case 'U':
        return list_attr(s, v, what, p->count, real_attr, out);
    case 'X':
        return map_attr(s, v, out);
    case 'V':
        if (v->kind != TIRBI_VALUE_EXPR) return real_attr(s, v, what, out);
        out->kind = TIRB_RELAX_ATTR_EXPR;
        out->as.expr = v->as.expr;
        return true;
    default:
        out->kind = TIRB_RELAX_ATTR_VDEVICE;
        return tirbi_to_vdevice(s, v, &out->as.vdevice);
    }
}

/* ---- Arguments of operators -------------------------------------------------------------------------------------- */

static const tirb_relax_expr *to_shape(tirbi_script *s, const tirbi_value *v, uint32_t count) {
    const tirb_expr *const *dims;
    uint32_t n;
    if (v->kind == TIRBI_VALUE_RELAX) return v->as.relax;
    bool single = count && (v->kind == TIRBI_VALUE_INT || v->kind == TIRBI_VALUE_EXPR);
    tirbi_value items[9], repeated = {.kind = TIRBI_VALUE_TUPLE, .node = v->node};
    for (uint32_t i = 0; single && i < count; i++) items[i] = *v;
    repeated.as.sequence.items = items;
    repeated.as.sequence.n = count;
    if (!tirbi_to_dims(s, single ? &repeated : v, &dims, &n)) return NULL;
    return tirbi_relax_make_shape(&s->relax->builder, v->node->span, dims, n);
}

/* A tuple of scalars. */
static const tirb_relax_expr *to_scalars(tirbi_script *s, const tirbi_value *v) {
    tirbi_value single = {.kind = TIRBI_VALUE_TUPLE, .node = v->node};
    single.as.sequence.items = (tirbi_value *)v;
    single.as.sequence.n = 1;
    if (v->kind == TIRBI_VALUE_RELAX) return v->as.relax;
    return tirbi_to_relax(s, v->kind == TIRBI_VALUE_TUPLE ? v : &single);
}

/* A tuple; one expression that is none becomes one of it where the operator is a call. */
static const tirb_relax_expr *to_tuple(tirbi_script *s, const tirb_relax_operator *op, const tirbi_value *v) {
    const tirb_relax_expr *e = tirbi_to_relax(s, v);
    bool calls = strncmp(op->name, "call_", 5) == 0 || strncmp(op->name, "invoke_", 7) == 0;
    if (!e || !calls || e->kind == TIRB_RELAX_TUPLE) return e;
    if (e->type && e->type->kind == TIRB_RELAX_TYPE_TUPLE) return e;
    const tirb_relax_expr **items = TIRBI_NEW_ARRAY(s->arena, const tirb_relax_expr *, 1);
    if (!items) return NULL;
    items[0] = e;
    return tirbi_relax_make_tuple(&s->relax->builder, e->span, items, 1);
}

static const tirb_relax_expr *to_extern(tirbi_script *s, const tirbi_value *v) {
    tirbi_relax_builder *b = &s->relax->builder;
    if (v->kind != TIRBI_VALUE_STRING) return tirbi_to_relax(s, v);
    tirb_relax_expr *e = tirbi_relax_make(b, v->node->span, TIRB_RELAX_EXTERN);
    if (!e) return NULL;
    e->as.symbol = v->as.string.text;
    e->type = tirbi_relax_opaque_function(b, tirbi_relax_any(b), false);
    return e->type ? e : NULL;
}

/* A string as what the operator takes for one: of `dtype` a type, else a string. */
static const tirb_relax_expr *to_expression(tirbi_script *s, const tirbi_relax_parameter *p, const tirbi_value *v) {
    tirb_datatype type;
    bool dtype = p->name_size == 5 && memcmp(p->name, "dtype", 5) == 0 &&
                 (v->kind == TIRBI_VALUE_STRING || v->kind == TIRBI_VALUE_DTYPE);
    if (!dtype) return tirbi_to_relax(s, v);
    tirb_relax_expr *e =
        tirbi_to_dtype(s, v, &type) ? tirbi_relax_make(&s->relax->builder, v->node->span, TIRB_RELAX_DTYPE) : NULL;
    if (!e) return NULL;
    e->as.dtype = type;
    e->type = tirbi_relax_any(&s->relax->builder);
    return e->type ? e : NULL;
}

static const tirb_relax_expr *to_argument(tirbi_script *s, const tirb_relax_operator *op,
                                          const tirbi_relax_parameter *p, const tirbi_value *v) {
    switch (p->kind) {
    case 's':
        return to_shape(s, v, p->count);
    case 't':
        return to_tuple(s, op, v);
    case 'i':
        return to_scalars(s, v);
    case 'e':
        return to_extern(s, v);
    default:
        return to_expression(s, p, v);
    }
}

/* The value of a default, which may be another parameter's. */
static bool initial_value(tirbi_script *s, const tirbi_node *node, const tirbi_relax_parameter *p, uint32_t n,
                          const tirbi_relax_parameter *of, tirbi_value *values, tirbi_value *out) {
    const char *text = of->initial;
    size_t size = of->initial_size;
    *out = (tirbi_value){.kind = TIRBI_VALUE_NONE, .node = node};
    if (size == 4 && memcmp(text, "None", 4) == 0) return true;
    bool yes = size == 4 && memcmp(text, "True", 4) == 0, no = size == 5 && memcmp(text, "False", 5) == 0;
    for (uint32_t i = 0; i < n && !yes && !no; i++) {
        if (p[i].name_size != size || memcmp(p[i].name, text, size) != 0) continue;
        *out = values[i];
        return true;
    }
    if (yes || no) {
        out->kind = TIRBI_VALUE_BOOL;
        out->as.boolean = yes;
        return true;
    }
    if (*text == '\'' || (*text >= 'a' && *text <= 'z')) {
        bool quoted = *text == '\'';
        out->kind = TIRBI_VALUE_STRING;
        out->as.string.size = (uint32_t)(size - 2 * quoted);
        out->as.string.text = tirbi_arena_text(s->arena, text + quoted, size - 2 * quoted);
        return out->as.string.text != NULL;
    }
    bool real = memchr(text, '.', size) || memchr(text, 'e', size);
    out->kind = real ? TIRBI_VALUE_FLOAT : TIRBI_VALUE_INT;
    if (real)
        out->as.real = strtod(text, NULL);
    else
        out->as.integer = strtoll(text, NULL, 10);
    return true;
}

/* ---- Operators --------------------------------------------------------------------------------------------------- */

typedef struct built_call {
    const tirb_relax_expr **args;
    tirb_relax_attr *attrs;
    const tirb_relax_type *const *types;
    uint32_t n_args, n_attrs, n_types;
} built_call;

/* What a function of the host is given: a bool of Python as a number. */
static const tirb_relax_expr *to_packed(tirbi_script *s, const tirbi_value *v) {
    tirbi_value number = {.kind = TIRBI_VALUE_INT, .node = v->node};
    if (v->kind != TIRBI_VALUE_BOOL) return tirbi_to_relax(s, v);
    number.as.integer = v->as.boolean;
    return tirbi_to_relax(s, &number);
}

static bool add_value(tirbi_script *s, const tirb_relax_operator *op, const tirbi_relax_parameter *p,
                      const tirbi_value *v, built_call *call) {
    if (p->kind == 'T') return v->kind == TIRBI_VALUE_NONE || to_types(s, v, &call->types, &call->n_types);
    if (tirbi_relax_is_attr(p)) return to_attr(s, p, v, &call->attrs[call->n_attrs++]);
    if (v->kind == TIRBI_VALUE_NONE && (p->nullable || (p->initial && *p->initial == 'N'))) return true;
    if (p->kind == 'r') {
        for (uint32_t i = 0; v->kind == TIRBI_VALUE_TUPLE && i < v->as.sequence.n; i++)
            if (!(call->args[call->n_args++] = to_packed(s, &v->as.sequence.items[i]))) return false;
        return true;
    }
    return (call->args[call->n_args++] = to_argument(s, op, p, v)) != NULL;
}

/* The names of a row, separated by spaces; rest parameters are `*`. */
static const char *names_of(tirbi_script *s, const tirbi_relax_parameter *p, uint32_t n) {
    const char *names = "";
    for (uint32_t i = 0; i < n && names; i++)
        names = p[i].kind == 'r'
                    ? tirbi_arena_format(s->arena, "%s%s*", names, i ? " " : "")
                    : tirbi_arena_format(s->arena, "%s%s%.*s", names, i ? " " : "", (int)p[i].name_size, p[i].name);
    return names;
}

/* What the integers of an operand beside a number are; int32: there is none. */
static tirb_datatype integers_beside(const tirbi_relax_parameter *p, const tirbi_value *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const tirb_relax_type *t =
            p[i].kind == 'x' && values[i].kind == TIRBI_VALUE_RELAX ? values[i].as.relax->type : NULL;
        if (t && t->dtype.bits > 0 && tirbi_type_is_int(t->dtype) && !tirbi_type_is_bool(t->dtype)) return t->dtype;
    }
    return tirbi_type_i32;
}

/* A number of Python as an operand: int32 or float32, as in TVM, or int64 where it is larger. TVM prints integers of
 * all types alike, so that one is what it is used with. */
static const tirb_relax_expr *to_number(tirbi_script *s, const tirbi_value *v, tirb_datatype integer) {
    const bool fits = v->kind != TIRBI_VALUE_INT || (v->as.integer >= INT32_MIN && v->as.integer <= INT32_MAX);
    const tirb_datatype type = v->kind == TIRBI_VALUE_INT ? integer : tirbi_type_f32;
    if (!fits) return tirbi_to_relax(s, v);
    return tirbi_relax_make_prim(&s->relax->builder, v->node->span, tirbi_to_typed(s, v, type));
}

static bool is_number(const tirbi_value *v) { return v->kind == TIRBI_VALUE_INT || v->kind == TIRBI_VALUE_FLOAT; }

/* Takes the argument of this name out of those given; MISSING: there is none. */
static tirbi_value take_named(arguments *a, const char *name) {
    tirbi_argument *given = a->given.items;
    tirbi_value found = {.kind = TIRBI_VALUE_MISSING};
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->given.n; i++) {
        if (given[i].name && strcmp(given[i].name, name) == 0 && found.kind == TIRBI_VALUE_MISSING) {
            found = given[i].value;
            found.node = given[i].node;
        } else {
            given[n++] = given[i];
        }
    }
    a->given.n = n;
    return found;
}

/* What R.assert_op shows: `shown`, by name, or what stands behind the condition. It may be written as one tuple or
 * list, whose items are the arguments then, as in TVM, and the format behind it. */
static bool spread_shown(tirbi_script *s, const tirbi_value *shown, tirbi_value *v, tirbi_value *format) {
    const bool is_named = shown->kind != TIRBI_VALUE_MISSING && shown->kind != TIRBI_VALUE_NONE;
    if (is_named && (v->kind != TIRBI_VALUE_MISSING || is_number(shown) || shown->kind == TIRBI_VALUE_STRING)) {
        const bool twice = v->kind != TIRBI_VALUE_MISSING;
        tirbi_fail(s, TIRB_TYPE, shown->node->span,
                   twice ? "R.assert_op gets the argument `format_args` twice" : "`format_args` is a value or a list");
        return false;
    }
    if (is_named) {
        tirbi_value *one = TIRBI_NEW_ARRAY(s->arena, tirbi_value, 1);
        if (!one) return false;
        *one = *shown;
        *v = (tirbi_value){.kind = TIRBI_VALUE_TUPLE, .node = shown->node};
        v->as.sequence.items = one;
        v->as.sequence.n = 1;
    }
    if (v->kind != TIRBI_VALUE_TUPLE) return true;
    if (v->as.sequence.n == 2 && v->as.sequence.items[1].kind == TIRBI_VALUE_STRING &&
        format->kind == TIRBI_VALUE_MISSING) {
        *format = v->as.sequence.items[1];
        v->as.sequence.n = 1;
    }
    if (v->as.sequence.n == 1 && v->as.sequence.items[0].kind == TIRBI_VALUE_TUPLE) *v = v->as.sequence.items[0];
    return true;
}

/* R.print shows its arguments, no list of such. */
static bool refuse_list(tirbi_script *s, const tirbi_value *v) {
    for (uint32_t i = 0; v->kind == TIRBI_VALUE_TUPLE && i < v->as.sequence.n; i++) {
        if (v->as.sequence.items[i].kind != TIRBI_VALUE_TUPLE) continue;
        tirbi_fail(s, TIRB_TYPE, v->node->span, "R.print takes values, no list of such: R.print(x, y)");
        return false;
    }
    return true;
}

static bool build_call(tirbi_script *s, arguments *a, const tirb_relax_operator *op, built_call *call) {
    tirbi_relax_parameter p[TIRBI_MAX_RELAX_PARAMETERS];
    tirbi_value values[TIRBI_MAX_RELAX_PARAMETERS];
    uint32_t n = tirbi_relax_parameters(op, p);
    const char *names = names_of(s, p, n);
    const bool asserts = op == &tirb_relax_operators[TIRB_RELAX_ASSERT_OP];
    tirbi_value shown = {.kind = TIRBI_VALUE_MISSING};
    if (asserts) shown = take_named(a, "format_args");
    if (!names || !bind_names(s, a, names, values, n)) return false;
    if (asserts && !spread_shown(s, &shown, &values[1], &values[2])) return false;
    if (op == &tirb_relax_operators[TIRB_RELAX_PRINT] && !refuse_list(s, &values[0])) return false;
    size_t room = (size_t)n + a->given.n + 1;
    for (uint32_t i = 0; i < n; i++) {
        if (p[i].kind == 'r' && values[i].kind == TIRBI_VALUE_TUPLE) room += values[i].as.sequence.n;
    }
    call->args = TIRBI_NEW_ARRAY(s->arena, const tirb_relax_expr *, room);
    call->attrs = TIRBI_NEW_ARRAY(s->arena, tirb_relax_attr, (size_t)n + 1);
    if (!call->args || !call->attrs) return false;
    for (uint32_t i = 0; i < n; i++) {
        bool missing = values[i].kind == TIRBI_VALUE_MISSING;
        if (missing && p[i].initial) {
            if (!initial_value(s, a->node, p, n, &p[i], values, &values[i])) return false;
        } else if (missing && p[i].kind != 'r') {
            tirbi_fail(s, TIRB_TYPE, a->node->span, "R.%s needs the argument `%.*s`", op->name, (int)p[i].name_size,
                       p[i].name);
            return false;
        }
        while (values[i].kind == TIRBI_VALUE_META) values[i] = *values[i].as.meta;
        if (!values[i].node) values[i].node = a->node;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (p[i].kind == 'x' && is_number(&values[i])) {
            const tirb_datatype integer = integers_beside(p, values, n);
            if (!(call->args[call->n_args++] = to_number(s, &values[i], integer))) return false;
        } else if (!add_value(s, op, &p[i], &values[i], call)) {
            return false;
        }
    }
    return true;
}

static const tirb_relax_expr *operator_of(tirbi_script *s, tirbi_span span, tirb_relax_op op, const tirb_relax_expr *x,
                                          const tirb_relax_expr *y, const tirb_relax_attr *attrs) {
    const tirb_relax_expr **args = TIRBI_NEW_ARRAY(s->arena, const tirb_relax_expr *, 2);
    if (!args) return NULL;
    args[0] = x;
    args[1] = y;
    return tirbi_relax_make_call(&s->relax->builder, span, &tirb_relax_operators[op], args, y ? 2 : 1, attrs, NULL, 0);
}

/* R.linear(data, weight, bias) is matmul(data, permute_dims(weight)) + bias. */
static const tirb_relax_expr *expand_linear(tirbi_script *s, tirbi_span span, const built_call *c) {
    static const tirb_relax_attr none = {.kind = TIRB_RELAX_ATTR_NONE};
    const tirb_relax_expr *turned = operator_of(s, span, TIRB_RELAX_PERMUTE_DIMS, c->args[1], NULL, &none);
    const tirb_relax_expr *product =
        turned ? operator_of(s, span, TIRB_RELAX_MATMUL, c->args[0], turned, c->attrs) : NULL;
    if (!product || c->n_args < 3) return product;
    return operator_of(s, span, TIRB_RELAX_ADD, product, c->args[2], NULL);
}

static const tirb_relax_expr *expand_relu6(tirbi_script *s, tirbi_span span, const built_call *c) {
    tirbi_relax_builder *b = &s->relax->builder;
    const tirb_relax_expr **args = TIRBI_NEW_ARRAY(s->arena, const tirb_relax_expr *, 3);
    if (!args) return NULL;
    args[0] = c->args[0];
    for (int64_t i = 0; i < 2; i++) args[1 + i] = tirbi_relax_make_prim(b, span, tirbi_dim(&b->dims, 6 * i));
    return tirbi_relax_make_call(b, span, &tirb_relax_operators[TIRB_RELAX_CLIP], args, 3, NULL, NULL, 0);
}

/* R.hint_on_device(x, R.device(type, index), scope) has both numbers as attributes. */
static bool spread_device(tirbi_script *s, arguments *a) {
    tirbi_value args[3];
    if (!bind_names(s, a, "data dst_vdevice memory_scope", args, 3)) return false;
    const bool is_device = args[1].kind == TIRBI_VALUE_TUPLE && args[1].as.sequence.n == 2 && args[1].node &&
                           args[1].node->kind == TIRBI_NODE_CALL;
    if (!is_device) {
        tirbi_fail(s, TIRB_TYPE, a->node->span, "R.hint_on_device needs a device: R.device(1, 0)");
        return false;
    }
    const tirbi_value spread[4] = {args[0], args[1].as.sequence.items[0], args[1].as.sequence.items[1], args[2]};
    a->given = (tirbi_list){.n = 0};
    for (uint32_t i = 0; i < 3u + tirbi_given(&args[2]); i++) {
        tirbi_argument *slot = TIRBI_LIST_ADD(s->arena, &a->given, tirbi_argument);
        if (!slot) return false;
        *slot = (tirbi_argument){.node = a->node, .value = spread[i]};
    }
    return true;
}

static tirbi_value call_operator(tirbi_script *s, arguments *a, const tirb_relax_operator *op) {
    built_call c = {.n_args = 0};
    tirbi_span span = a->node->span;
    if (op == &tirb_relax_operators[TIRB_RELAX_HINT_ON_DEVICE] && !spread_device(s, a)) return tirbi_value_error();
    if (!build_call(s, a, op, &c)) return tirbi_value_error();
    if (op == &tirb_relax_operators[TIRB_RELAX_LINEAR]) return tirbi_value_relax(expand_linear(s, span, &c));
    if (op == &tirb_relax_operators[TIRB_RELAX_NN_RELU6]) return tirbi_value_relax(expand_relu6(s, span, &c));
    return tirbi_value_relax(
        tirbi_relax_make_call(&s->relax->builder, span, op, c.args, c.n_args, c.attrs, c.types, c.n_types));
}

/* R.call_packed("f", a, b, ty_args=..., attribute=...) */
static tirbi_value call_packed(tirbi_script *s, arguments *a) {
    const tirbi_argument *given = a->given.items;
    const tirb_relax_expr **args = TIRBI_NEW_ARRAY(s->arena, const tirb_relax_expr *, (size_t)a->given.n + 1);
    const tirb_relax_type *const *types = NULL;
    uint32_t n = 0, n_types = 0;
    tirbi_list named = {.n = 0};
    if (!args) return tirbi_value_error();
    for (uint32_t i = 0; i < a->given.n; i++) {
        tirbi_value v = given[i].value;
        bool out = given[i].name && (strcmp(given[i].name, "ty_args") == 0 || strcmp(given[i].name, "sinfo_args") == 0);
        if (out) {
            if (v.kind != TIRBI_VALUE_NONE && !to_types(s, &v, &types, &n_types)) return tirbi_value_error();
        } else if (given[i].name) {
            tirb_attr *slot = TIRBI_LIST_ADD(s->arena, &named, tirb_attr);
            if (!slot) return tirbi_value_error();
            *slot = tirbi_to_attr(s, given[i].name, &v);
        } else {
            args[n] = n == 0 ? to_extern(s, &v) : to_packed(s, &v);
            if (!args[n++]) return tirbi_value_error();
        }
    }
    if (n == 0) return tirbi_fail(s, TIRB_TYPE, a->node->span, "R.call_packed needs the name of a function");
    tirb_relax_expr *call = (tirb_relax_expr *)tirbi_relax_make_function_call(&s->relax->builder, a->node->span,
                                                                              args[0], args + 1, n - 1, types, n_types);
    if (!call) return tirbi_value_error();
    call->as.call.named = named.items;
    call->as.call.n_named = named.n;
    return tirbi_value_relax(call);
}

/* ---- Other names ------------------------------------------------------------------------------------------------- */

static tirbi_value match_cast(tirbi_script *s, arguments *a, bool emits) {
    tirbi_value args[2], out = {.kind = TIRBI_VALUE_RELAX_CAST, .node = a->node};
    if (!bind_names(s, a, "value ty", args, 2)) return tirbi_value_error();
    if (args[0].kind == TIRBI_VALUE_MISSING || args[1].kind == TIRBI_VALUE_MISSING)
        return tirbi_fail(s, TIRB_TYPE, a->node->span, "R.%s needs a value and a type", a->name);
    out.as.cast.value = tirbi_to_relax(s, &args[0]);
    out.as.cast.type = tirbi_to_relax_type(s, &args[1]);
    if (!out.as.cast.value || !out.as.cast.type) return tirbi_value_error();
    if (!emits) return out;
    const tirb_relax_var *var = tirbi_relax_emit_cast(&s->relax->builder, out.as.cast.value, NULL, out.as.cast.type);
    return tirbi_relax_use(s, a->node->span, var);
}

static tirbi_value emit(tirbi_script *s, arguments *a) {
    tirbi_value args[2];
    if (!bind_names(s, a, "value annotate_ty", args, 2)) return tirbi_value_error();
    const tirb_relax_expr *value = tirbi_to_relax(s, &args[0]);
    const tirb_relax_type *type = tirbi_given(&args[1]) ? tirbi_to_relax_type(s, &args[1]) : NULL;
    if (!value || (tirbi_given(&args[1]) && !type)) return tirbi_value_error();
    return tirbi_relax_use(s, a->node->span, tirbi_relax_emit(&s->relax->builder, value, NULL, type));
}

static tirbi_value make_shape(tirbi_script *s, arguments *a) {
    tirbi_value args[1];
    const tirb_expr *const *dims;
    uint32_t n;
    if (!bind_names(s, a, "value", args, 1) || !tirbi_to_dims(s, &args[0], &dims, &n)) return tirbi_value_error();
    return tirbi_value_relax(tirbi_relax_make_shape(&s->relax->builder, a->node->span, dims, n));
}

static tirbi_value text_or_type(tirbi_script *s, arguments *a, bool dtype) {
    tirbi_value args[1];
    tirbi_relax_parameter p = {.name = dtype ? "dtype" : "value", .name_size = 5, .kind = 'x'};
    if (!bind_names(s, a, "value", args, 1)) return tirbi_value_error();
    if (args[0].kind == TIRBI_VALUE_STRING || (dtype && args[0].kind == TIRBI_VALUE_DTYPE))
        return tirbi_value_relax(to_expression(s, &p, &args[0]));
    return tirbi_fail(s, TIRB_TYPE, a->node->span, "R.%s takes a string", a->name);
}

static tirbi_value set_attrs(tirbi_script *s, arguments *a) {
    tirbi_value args[1];
    if (!bind_names(s, a, "attrs", args, 1)) return tirbi_value_error();
    if (!tirbi_to_attrs(s, &args[0], &s->relax->function->attrs)) return tirbi_value_error();
    return tirbi_value_none();
}

static tirbi_value output(tirbi_script *s, arguments *a) {
    const tirbi_argument *given = a->given.items;
    struct tirbi_relax *r = s->relax;
    if (!r->outputs) return tirbi_fail(s, TIRB_SYNTAX, a->node->span, "R.output stands in `with R.dataflow():`");
    if (r->output_seen) return tirbi_fail(s, TIRB_SYNTAX, a->node->span, "the dataflow block has its outputs already");
    r->output_seen = true;
    for (uint32_t i = 0; i < a->given.n; i++) {
        const tirbi_node *node = given[i].node;
        const char **slot = TIRBI_LIST_ADD(s->arena, r->outputs, const char *);
        if (node->kind != TIRBI_NODE_NAME)
            return tirbi_fail(s, TIRB_TYPE, node->span, "an output is a variable of the dataflow block");
        if (slot) *slot = node->name;
    }
    return tirbi_value_none();
}

static tirbi_value call_other(tirbi_script *s, arguments *a) {
    const char *name = a->name;
    tirbi_value args[2];
    if (strcmp(name, "Tensor") == 0) return tensor_type(s, a);
    if (strcmp(name, "Shape") == 0) return shape_type(s, a);
    if (strcmp(name, "Tuple") == 0) return tuple_type(s, a);
    if (strcmp(name, "Callable") == 0) return callable_type(s, a);
    if (strcmp(name, "Prim") == 0) return prim_type(s, a);
    if (strcmp(name, "Any") == 0 || strcmp(name, "Object") == 0) return type_value(tirbi_relax_any(&s->relax->builder));
    if (!tirbi_in_relax(s))
        return tirbi_fail(s, TIRB_TYPE, a->node->span, "`R.%s` stands in a function decorated with @R.function", name);
    if (strcmp(name, "device") == 0 || strcmp(name, "cpu") == 0 || strcmp(name, "ext_dev") == 0) {
        const bool any = *name == 'd';
        if (!bind_names(s, a, any ? "device_type index" : "index", args, any ? 2 : 1)) return tirbi_value_error();
        return tirbi_relax_device(s, name, &args[0], any ? &args[1] : NULL);
    }
    if (strcmp(name, "shape") == 0) return make_shape(s, a);
    if (strcmp(name, "str") == 0 || strcmp(name, "dtype") == 0) return text_or_type(s, a, *name == 'd');
    if (strcmp(name, "match_cast") == 0 || strcmp(name, "emit_match_cast") == 0) return match_cast(s, a, *name == 'e');
    if (strcmp(name, "emit") == 0) return emit(s, a);
    if (strcmp(name, "func_attr") == 0) return set_attrs(s, a);
    if (strcmp(name, "output") == 0) return output(s, a);
    if (strcmp(name, "call_packed") == 0) return call_packed(s, a);
    if (strcmp(name, "stop_lift_params") == 0)
        return call_operator(s, a, &tirb_relax_operators[TIRB_RELAX_STOP_LIFT_PARAMS]);
    if (strcmp(name, "const") == 0) {
        if (!bind_names(s, a, "value dtype", args, 2)) return tirbi_value_error();
        return tirbi_relax_const(s, a->node, &args[0], &args[1]);
    }
    if (strcmp(name, "prim_value") == 0) {
        if (!bind_names(s, a, "value", args, 1)) return tirbi_value_error();
        return tirbi_value_relax(tirbi_to_relax(s, &args[0]));
    }
    if (strcmp(name, "tuple") == 0) {
        if (!bind_names(s, a, "*", args, 1)) return tirbi_value_error();
        if (args[0].kind == TIRBI_VALUE_MISSING)
            return tirbi_value_relax(tirbi_relax_make_tuple(&s->relax->builder, a->node->span, NULL, 0));
        const tirb_relax_expr **items = TIRBI_NEW_ARRAY(s->arena, const tirb_relax_expr *, args[0].as.sequence.n);
        for (uint32_t i = 0; items && i < args[0].as.sequence.n; i++) {
            const tirbi_value *item = &args[0].as.sequence.items[i];
            if (!(items[i] = is_number(item) ? to_number(s, item, tirbi_type_i32) : tirbi_to_relax(s, item)))
                return tirbi_value_error();
        }
        if (!items) return tirbi_value_error();
        return tirbi_value_relax(
            tirbi_relax_make_tuple(&s->relax->builder, a->node->span, items, args[0].as.sequence.n));
    }
    return tirbi_fail(s, TIRB_TYPE, a->node->span, "`R.%s` cannot be called here", name);
}

/* Older names of parameters. */
static void rename_older(arguments *a) {
    tirbi_argument *given = a->given.items;
    for (uint32_t i = 0; i < a->given.n; i++) {
        if (!given[i].name) continue;
        if (strcmp(given[i].name, "out_sinfo") == 0)
            given[i].name = "out_ty";
        else if (strcmp(given[i].name, "sinfo_args") == 0)
            given[i].name = "ty_args";
        else if (strcmp(given[i].name, "struct_info") == 0)
            given[i].name = "ty";
    }
}

/* x.astype("float16") */
static tirbi_value call_astype(tirbi_script *s, arguments *a, const tirb_relax_expr *x) {
    tirbi_value args[1];
    tirb_relax_attr *dtype = TIRBI_NEW(s->arena, tirb_relax_attr);
    a->name = "astype";
    if (!dtype || !bind_names(s, a, "dtype", args, 1) || !tirbi_to_dtype(s, &args[0], &dtype->as.dtype))
        return tirbi_value_error();
    dtype->kind = TIRB_RELAX_ATTR_DTYPE;
    return tirbi_value_relax(operator_of(s, a->node->span, TIRB_RELAX_ASTYPE, x, NULL, dtype));
}

/* A PrimFunc that is called as one: it writes some of its arguments, and gives nothing. */
static const tirb_relax_expr *called_primfunc(tirbi_script *s, const tirb_relax_expr *name) {
    tirbi_relax_builder *b = &s->relax->builder;
    const tirb_primfunc *f = name->as.global.primfunc;
    tirb_relax_expr *own = tirbi_relax_make(b, name->span, TIRB_RELAX_GLOBAL);
    const tirb_relax_type **params = TIRBI_NEW_ARRAY(s->arena, const tirb_relax_type *, f->n_params);
    for (uint32_t i = 0; params && i < f->n_params; i++) {
        const tirb_buffer *buffer = f->buffers[i];
        params[i] = buffer ? tirbi_relax_tensor(b, buffer->shape, buffer->ndim, buffer->dtype)
                    : tirbi_type_is_handle(f->params[i]->dtype) ? tirbi_relax_any(b)
                                                                : tirbi_relax_prim(b, f->params[i]->dtype);
        if (!params[i]) return NULL;
    }
    if (!own || !params) return NULL;
    own->as.global = name->as.global;
    own->type = tirbi_relax_function_type(b, params, f->n_params, tirbi_relax_tuple(b, NULL, 0), false);
    return own->type ? own : NULL;
}

static tirbi_value call_value(tirbi_script *s, arguments *a, const tirb_relax_expr *callee) {
    if (callee && callee->kind == TIRB_RELAX_GLOBAL && callee->as.global.primfunc) callee = called_primfunc(s, callee);
    if (!callee) return tirbi_value_error();
    const tirbi_argument *given = a->given.items;
    const tirb_relax_expr **args = TIRBI_NEW_ARRAY(s->arena, const tirb_relax_expr *, (size_t)a->given.n + 1);
    if (!args) return tirbi_value_error();
    for (uint32_t i = 0; i < a->given.n; i++) {
        if (given[i].name)
            return tirbi_fail(s, TIRB_TYPE, given[i].node->span, "a function takes no arguments by name");
        if (!(args[i] = tirbi_to_relax(s, &given[i].value))) return tirbi_value_error();
    }
    return tirbi_value_relax(
        tirbi_relax_make_function_call(&s->relax->builder, a->node->span, callee, args, a->given.n, NULL, 0));
}

tirbi_value tirbi_call_relax(tirbi_script *s, const tirbi_node *node, const tirbi_value *callee) {
    arguments a = {.node = node, .name = callee->kind == TIRBI_VALUE_RELAX_NAME ? callee->as.name : ""};
    if (!tirbi_read_arguments(s, node, &a.given)) return tirbi_value_error();
    rename_older(&a);
    if (callee->kind == TIRBI_VALUE_RELAX_CAST) return call_astype(s, &a, callee->as.cast.value);
    if (callee->kind == TIRBI_VALUE_RELAX) return call_value(s, &a, callee->as.relax);
    if (callee->kind == TIRBI_VALUE_EXTERN || callee->kind == TIRBI_VALUE_FUNCTION)
        return call_value(s, &a, tirbi_to_relax(s, callee));
    const tirb_relax_operator *op = tirbi_relax_find_operator(a.name);
    if (!op) return call_other(s, &a);
    if (!tirbi_in_relax(s))
        return tirbi_fail(s, TIRB_TYPE, node->span, "`R.%s` stands in a function decorated with @R.function", a.name);
    return call_operator(s, &a, op);
}

/* ---- Operators of Python ----------------------------------------------------------------------------------------- */

tirbi_value tirbi_relax_operator(tirbi_script *s, const tirbi_node *node, tirbi_token_kind op, const tirbi_value *x,
                                 const tirbi_value *y) {
    static const struct {
        tirbi_token_kind token;
        tirb_relax_op op;
    } operators[] = {
        {TIRBI_TOKEN_ADD, TIRB_RELAX_ADD},
        {TIRBI_TOKEN_SUB, TIRB_RELAX_SUBTRACT},
        {TIRBI_TOKEN_MUL, TIRB_RELAX_MULTIPLY},
        {TIRBI_TOKEN_DIV, TIRB_RELAX_DIVIDE},
        {TIRBI_TOKEN_FLOORDIV, TIRB_RELAX_FLOOR_DIVIDE},
        {TIRBI_TOKEN_MOD, TIRB_RELAX_MOD},
        {TIRBI_TOKEN_POWER, TIRB_RELAX_POWER},
        {TIRBI_TOKEN_LT, TIRB_RELAX_LESS},
        {TIRBI_TOKEN_LE, TIRB_RELAX_LESS_EQUAL},
        {TIRBI_TOKEN_GT, TIRB_RELAX_GREATER},
        {TIRBI_TOKEN_GE, TIRB_RELAX_GREATER_EQUAL},
    };
    if (tirbi_is_error(x) || (y && tirbi_is_error(y))) return tirbi_value_error();
    if (!tirbi_in_relax(s))
        return tirbi_fail(s, TIRB_TYPE, node->span, "a value of Relax stands in a function decorated with @R.function");
    if (!y) return tirbi_value_relax(operator_of(s, node->span, TIRB_RELAX_NEGATIVE, tirbi_to_relax(s, x), NULL, NULL));
    if (tirbi_is_number(x) || tirbi_is_number(y))
        return tirbi_fail(s, TIRB_TYPE, node->span, "%s of a tensor and a number: write R.const(%s, \"float32\")",
                          tirbi_token_text(op), tirbi_is_number(y) && y->node ? tirbi_node_text(s, y->node) : "...");
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].token == op) {
            const tirb_relax_expr *left = tirbi_to_relax(s, x), *right = left ? tirbi_to_relax(s, y) : NULL;
            if (!right) return tirbi_value_error();
            return tirbi_value_relax(operator_of(s, node->span, operators[i].op, left, right, NULL));
        }
    return tirbi_fail(s, TIRB_TYPE, node->span, "%s is no operator of tensors", tirbi_token_text(op));
}

tirbi_value tirbi_relax_index(tirbi_script *s, const tirbi_node *node, const tirbi_value *object) {
    int64_t index;
    tirbi_value v = tirbi_evaluate(s, node->items[1]);
    if (!tirbi_to_int(s, &v, "the index of a tuple", &index)) return tirbi_value_error();
    if (index < 0 || index > UINT32_MAX)
        return tirbi_fail(s, TIRB_TYPE, node->span, "the index of a tuple is %lld", (long long)index);
    return tirbi_value_relax(tirbi_relax_make_get(&s->relax->builder, node->span, object->as.relax, (uint32_t)index));
}

tirbi_value tirbi_relax_member(tirbi_script *s, const tirbi_node *node, const tirbi_value *object) {
    if (object->kind == TIRBI_VALUE_RELAX_NAME) return tirbi_relax_attribute(s, node, object->as.name);
    const char *meant = strcmp(node->name, "shape") == 0 ? "shape_of" : operator_meant(node->name);
    if (strcmp(node->name, "astype") != 0 && meant)
        return tirbi_fail(s, TIRB_TYPE, node->span, "a value of Relax has no attribute `%s`: write R.%s(...)",
                          node->name, meant);
    if (strcmp(node->name, "astype") != 0)
        return tirbi_fail(s, TIRB_TYPE, node->span, "a value of Relax has no attribute `%s`%s", node->name,
                          strcmp(node->name, "T") == 0 ? ": write R.permute_dims(...)" : "");
    tirbi_value method = {.kind = TIRBI_VALUE_RELAX_CAST, .node = node};
    method.as.cast.value = object->as.relax;
    return method;
}
