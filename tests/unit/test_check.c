/* Every rule of the checker, each on a program that breaks only that rule. The trees are made by hand, since the parser
 * and the builder refuse most of them earlier. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/check/check.h"
#include "compiler/text/text.h"

typedef struct fixture {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    tirb_irmodule module;
    tirb_primfunc function;
    tirb_primfunc *functions[1];
} fixture;

static const tirb_datatype t_i32 = {TIRB_CODE_INT, 32, 1, false};
static const tirb_datatype t_i64 = {TIRB_CODE_INT, 64, 1, false};
static const tirb_datatype t_u8 = {TIRB_CODE_UINT, 8, 1, false};
static const tirb_datatype t_f32 = {TIRB_CODE_FLOAT, 32, 1, false};
static const tirb_datatype t_f16 = {TIRB_CODE_FLOAT, 16, 1, false};
static const tirb_datatype t_bool = {TIRB_CODE_BOOL, 8, 1, false};
static const tirb_datatype t_handle = {TIRB_CODE_HANDLE, 64, 1, false};
static const tirb_datatype t_i32x4 = {TIRB_CODE_INT, 32, 4, false};
static const tirb_datatype t_f32x4 = {TIRB_CODE_FLOAT, 32, 4, false};
static const tirb_datatype t_boolx2 = {TIRB_CODE_BOOL, 8, 2, false};

static int setup(void **state) {
    fixture *f = test_calloc(1, sizeof *f);
    tirbi_heap_init(&f->heap, NULL, UINT64_MAX);
    tirbi_arena_init(&f->arena, &f->heap);
    tirbi_source_init(&f->source, "test", "\n", 1, &f->arena);
    tirbi_diagnostics_init(&f->diagnostics, &f->source, &f->arena, 0);
    f->functions[0] = &f->function;
    f->function.name = "f";
    f->module = (tirb_irmodule){.functions = f->functions, .n_functions = 1};
    f->function.ret_type.kind = TIRB_TYPE_TUPLE;
    *state = f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    tirbi_arena_destroy(&f->arena);
    test_free(f);
    return 0;
}

/* ---- Trees ---------------------------------------------------------------------------------------------------- */

static tirb_expr *expr(fixture *f, tirb_expr_kind kind, tirb_datatype type) {
    tirb_expr *e = TIRBI_NEW(&f->arena, tirb_expr);
    e->kind = kind;
    e->dtype = type;
    return e;
}

static tirb_expr *imm(fixture *f, tirb_datatype type, int64_t value) {
    tirb_expr *e = expr(f, TIRB_EXPR_INT_IMM, type);
    e->as.int_value = value;
    return e;
}

static tirb_expr *num(fixture *f, tirb_datatype type, double value) {
    tirb_expr *e = expr(f, TIRB_EXPR_FLOAT_IMM, type);
    e->as.float_value = value;
    return e;
}

static tirb_expr *binary(fixture *f, tirb_expr_kind kind, tirb_datatype type, const tirb_expr *a, const tirb_expr *b) {
    tirb_expr *e = expr(f, kind, type);
    e->as.binary.a = a;
    e->as.binary.b = b;
    return e;
}

static tirb_expr *var(fixture *f, const char *name, tirb_datatype type) {
    tirb_expr *e = expr(f, TIRB_EXPR_VAR, type);
    e->as.var.name = name;
    e->as.var.id = f->module.n_vars++;
    e->as.var.type =
        (tirb_type){.kind = type.code == TIRB_CODE_HANDLE ? TIRB_TYPE_POINTER : TIRB_TYPE_PRIM, .dtype = type};
    return e;
}

static const tirb_expr **list(fixture *f, uint32_t n, const tirb_expr *a, const tirb_expr *b, const tirb_expr *c) {
    const tirb_expr **items = TIRBI_NEW_ARRAY(&f->arena, const tirb_expr *, 3);
    items[0] = a;
    items[1] = b;
    items[2] = c;
    (void)n;
    return items;
}

static tirb_expr *call(fixture *f, tirb_datatype type, tirb_builtin builtin, uint32_t n, const tirb_expr *a,
                       const tirb_expr *b, const tirb_expr *c) {
    tirb_expr *e = expr(f, TIRB_EXPR_CALL, type);
    e->as.call.builtin = builtin;
    e->as.call.args = list(f, n, a, b, c);
    e->as.call.n_args = n;
    return e;
}

static tirb_buffer *buffer(fixture *f, const char *name, tirb_datatype type, uint32_t ndim, const tirb_expr *d0,
                           const tirb_expr *d1) {
    tirb_buffer *b = TIRBI_NEW(&f->arena, tirb_buffer);
    tirb_expr *data = var(f, name, t_handle);
    data->as.var.type.dtype = type;
    data->as.var.data_of = b;
    *b = (tirb_buffer){.name = name,
                       .data = data,
                       .dtype = type,
                       .shape = list(f, ndim, d0, d1, NULL),
                       .ndim = ndim,
                       .scope = "global",
                       .id = f->module.n_buffers++};
    return b;
}

static tirb_expr *load(fixture *f, tirb_datatype type, const tirb_buffer *b, uint32_t n, const tirb_expr *i,
                       const tirb_expr *j) {
    tirb_expr *e = expr(f, TIRB_EXPR_LOAD, type);
    e->as.load.buffer = b;
    e->as.load.indices = list(f, n, i, j, NULL);
    e->as.load.n_indices = n;
    return e;
}

static tirb_stmt *stmt(fixture *f, tirb_stmt_kind kind) {
    tirb_stmt *s = TIRBI_NEW(&f->arena, tirb_stmt);
    s->kind = kind;
    return s;
}

static tirb_stmt *evaluate(fixture *f, const tirb_expr *e) {
    tirb_stmt *s = stmt(f, TIRB_STMT_EVALUATE);
    s->as.evaluate.value = e;
    return s;
}

static tirb_stmt *nothing(fixture *f) { return evaluate(f, imm(f, t_i32, 0)); }

static tirb_stmt *two(fixture *f, const tirb_stmt *a, const tirb_stmt *b) {
    tirb_stmt *s = stmt(f, TIRB_STMT_SEQ);
    const tirb_stmt **items = TIRBI_NEW_ARRAY(&f->arena, const tirb_stmt *, 2);
    items[0] = a;
    items[1] = b;
    s->as.seq.items = items;
    s->as.seq.n = 2;
    return s;
}

static tirb_stmt *loop(fixture *f, const tirb_expr *v, const tirb_expr *min, const tirb_expr *extent,
                       tirb_for_kind kind, const tirb_stmt *body) {
    tirb_stmt *s = stmt(f, TIRB_STMT_FOR);
    s->as.for_.var = v;
    s->as.for_.min = min;
    s->as.for_.extent = extent;
    s->as.for_.kind = kind;
    s->as.for_.body = body;
    return s;
}

static tirb_stmt *allocate(fixture *f, const tirb_buffer *b, const tirb_stmt *body) {
    tirb_stmt *s = stmt(f, TIRB_STMT_ALLOCATE);
    s->as.allocate.buffer = b;
    s->as.allocate.body = body;
    return s;
}

static tirb_stmt *let(fixture *f, const tirb_expr *v, const tirb_expr *value, const tirb_stmt *body) {
    tirb_stmt *s = stmt(f, TIRB_STMT_LET);
    s->as.let.var = v;
    s->as.let.value = value;
    s->as.let.body = body;
    return s;
}

static tirb_stmt *store(fixture *f, const tirb_buffer *b, const tirb_expr *value, uint32_t n, const tirb_expr *i,
                        const tirb_expr *j) {
    tirb_stmt *s = stmt(f, TIRB_STMT_STORE);
    s->as.store.buffer = b;
    s->as.store.value = value;
    s->as.store.indices = list(f, n, i, j, NULL);
    s->as.store.n_indices = n;
    return s;
}

static tirb_stmt *returns(fixture *f, const tirb_expr *value) {
    tirb_stmt *s = stmt(f, TIRB_STMT_RETURN);
    s->as.evaluate.value = value;
    return s;
}

/* ---- Verdicts ------------------------------------------------------------------------------------------------- */

static bool check(fixture *f, const tirb_stmt *body) {
    f->function.body = body;
    tirbi_diagnostics_init(&f->diagnostics, &f->source, &f->arena, 0);
    return tirbi_check_module(&f->module, &f->diagnostics, &f->arena);
}

static const char *first_message(const fixture *f, tirb_severity severity) {
    for (uint32_t i = 0; i < f->diagnostics.n_items; i++) {
        if (f->diagnostics.items[i].severity == severity) return f->diagnostics.items[i].message;
    }
    return "";
}

/* The body has an error that says `text`. */
static void wrong(fixture *f, const tirb_stmt *body, const char *text) {
    bool good = check(f, body);
    const char *message = first_message(f, TIRB_SEVERITY_ERROR);
    if (good || strstr(message, text) == NULL) print_error("expected an error with '%s', found '%s'\n", text, message);
    assert_false(good);
    assert_non_null(strstr(message, text));
}

static void wrong_expr(fixture *f, const tirb_expr *e, const char *text) { wrong(f, evaluate(f, e), text); }

static void right(fixture *f, const tirb_stmt *body) {
    bool good = check(f, body);
    if (!good) print_error("unexpected: %s\n", first_message(f, TIRB_SEVERITY_ERROR));
    assert_true(good);
    assert_int_equal(f->diagnostics.n_items, 0);
}

static void right_expr(fixture *f, const tirb_expr *e) { right(f, evaluate(f, e)); }

static void warns(fixture *f, const tirb_stmt *body, const char *text) {
    assert_true(check(f, body));
    assert_non_null(strstr(first_message(f, TIRB_SEVERITY_WARNING), text));
}

/* ---- Expressions ---------------------------------------------------------------------------------------------- */

static void constants_fit_their_type(void **state) {
    fixture *f = *state;
    right_expr(f, imm(f, t_u8, 255));
    wrong_expr(f, imm(f, t_u8, 256), "256 does not fit type uint8");
    wrong_expr(f, imm(f, t_u8, -1), "does not fit");
    wrong_expr(f, imm(f, t_i32, 1ll << 31), "does not fit");
    right_expr(f, imm(f, t_i32, -(1ll << 31)));
    wrong_expr(f, imm(f, t_bool, 2), "does not fit");
    wrong_expr(f, imm(f, t_f32, 1), "must be an integer scalar, found float32");
    wrong_expr(f, imm(f, t_i32x4, 1), "must be an integer scalar");
    right_expr(f, num(f, t_f16, 65504));
    wrong_expr(f, num(f, t_f16, 65505), "exceeds the maximum");
    right_expr(f, num(f, t_f16, (double)INFINITY));
    wrong_expr(f, num(f, t_f32, 1e39), "exceeds the maximum");
    wrong_expr(f, num(f, t_i32, 1), "must be a float scalar, found int32");
}

static void casts_keep_lanes_and_handles_apart(void **state) {
    fixture *f = *state;
    tirb_expr *e = expr(f, TIRB_EXPR_CAST, t_f32x4);
    e->as.cast.value = imm(f, t_i32, 1);
    wrong_expr(f, e, "cannot cast int32 to float32x4: the numbers of lanes differ");
    e = expr(f, TIRB_EXPR_CAST, t_handle);
    e->as.cast.value = num(f, t_f32, 1);
    wrong_expr(f, e, "cannot cast float32 to handle");
    tirb_expr *p = var(f, "p", t_handle);
    e = expr(f, TIRB_EXPR_CAST, t_i32);
    e->as.cast.value = p;
    wrong(f, let(f, p, call(f, t_handle, TIRB_BUILTIN_CALL_EXTERN, 0, NULL, NULL, NULL), evaluate(f, e)),
          "cannot cast handle to int32");
}

static tirb_expr *select_of(fixture *f, const tirb_expr *c, const tirb_expr *t, const tirb_expr *e) {
    tirb_expr *s = expr(f, TIRB_EXPR_SELECT, t->dtype);
    s->as.select.condition = c;
    s->as.select.true_value = t;
    s->as.select.false_value = e;
    return s;
}

static void select_needs_bool_and_equal_arms(void **state) {
    fixture *f = *state;
    tirb_expr *one = imm(f, t_i32, 1);
    tirb_expr *yes = imm(f, t_bool, 1);
    right_expr(f, select_of(f, yes, one, one));
    wrong_expr(f, select_of(f, one, one, one), "condition of Select must be bool, found int32");
    wrong_expr(f, select_of(f, yes, one, imm(f, t_i64, 1)), "the second value of Select is int64, expected int32");
    tirb_expr *wide = expr(f, TIRB_EXPR_BROADCAST, t_boolx2);
    wide->as.broadcast.value = yes;
    wrong_expr(f, select_of(f, wide, one, one), "Select is boolx2");
    tirb_expr *other = select_of(f, yes, one, one);
    other->dtype = t_f32;
    wrong_expr(f, other, "the type of Select is float32");
}

static void operands_agree(void **state) {
    fixture *f = *state;
    tirb_expr *one = imm(f, t_i32, 1);
    tirb_expr *half = num(f, t_f32, 0.5);
    tirb_expr *yes = imm(f, t_bool, 1);
    right_expr(f, binary(f, TIRB_EXPR_ADD, t_i32, one, one));
    wrong_expr(f, binary(f, TIRB_EXPR_ADD, t_i32, one, half), "the right operand is float32, expected int32");
    wrong_expr(f, binary(f, TIRB_EXPR_ADD, t_f32, one, one), "the type of the operation is float32");
    right_expr(f, binary(f, TIRB_EXPR_MOD, t_f32, half, half));
    right_expr(f, binary(f, TIRB_EXPR_LT, t_bool, one, one));
    wrong_expr(f, binary(f, TIRB_EXPR_LT, t_bool, one, half), "the right operand of a comparison is float32");
    wrong_expr(f, binary(f, TIRB_EXPR_LT, t_i32, one, one), "expected bool");
    right_expr(f, binary(f, TIRB_EXPR_AND, t_bool, yes, yes));
    wrong_expr(f, binary(f, TIRB_EXPR_AND, t_bool, one, yes), "And needs bool operands, found int32");
    wrong_expr(f, binary(f, TIRB_EXPR_OR, t_bool, yes, one), "Or needs bool operands, found int32");
    tirb_expr *not_one = expr(f, TIRB_EXPR_NOT, t_bool);
    not_one->as.cast.value = one;
    wrong_expr(f, not_one, "Not needs bool operands, found int32");
    tirb_expr *p = var(f, "p", t_handle);
    tirb_expr *pointer = call(f, t_handle, TIRB_BUILTIN_CALL_EXTERN, 0, NULL, NULL, NULL);
    wrong(f, let(f, p, pointer, evaluate(f, binary(f, TIRB_EXPR_ADD, t_handle, p, p))), "arithmetic on handle");
    p = var(f, "p", t_handle);
    wrong(f, let(f, p, pointer, evaluate(f, binary(f, TIRB_EXPR_EQ, t_bool, p, p))), "handles cannot be compared");
}

static tirb_expr *ramp(fixture *f, tirb_datatype type, const tirb_expr *base, const tirb_expr *stride) {
    tirb_expr *e = expr(f, TIRB_EXPR_RAMP, type);
    e->as.ramp.base = base;
    e->as.ramp.stride = stride;
    return e;
}

static void vectors_are_made_of_scalars(void **state) {
    fixture *f = *state;
    tirb_expr *one = imm(f, t_i32, 1);
    right_expr(f, ramp(f, t_i32x4, one, one));
    wrong_expr(f, ramp(f, t_i32, one, one), "Ramp makes 1 lanes");
    wrong_expr(f, ramp(f, t_i32x4, one, imm(f, t_i64, 1)), "the stride of Ramp is int64");
    wrong_expr(f, ramp(f, t_f32x4, num(f, t_f32, 1), num(f, t_f32, 1)), "the base of Ramp must be an integer scalar");
    tirb_expr *wide = expr(f, TIRB_EXPR_BROADCAST, t_i32x4);
    wide->as.broadcast.value = ramp(f, t_i32x4, one, one);
    wrong_expr(f, wide, "the value of Broadcast must be a scalar");
    wide->as.broadcast.value = num(f, t_f32, 1);
    wrong_expr(f, wide, "the type of the vector is int32x4, expected float32x4");
    wide->dtype = t_f32;
    wrong_expr(f, wide, "Broadcast makes 1 lanes");
}

static void shuffles_index_their_lanes(void **state) {
    fixture *f = *state;
    tirb_expr *one = imm(f, t_i32, 1);
    tirb_expr *v = ramp(f, t_i32x4, one, one);
    tirb_expr *e = expr(f, TIRB_EXPR_SHUFFLE, (tirb_datatype){TIRB_CODE_INT, 32, 2, false});
    e->as.shuffle.vectors = list(f, 1, v, NULL, NULL);
    e->as.shuffle.n_vectors = 1;
    e->as.shuffle.indices = list(f, 2, imm(f, t_i32, 3), imm(f, t_i32, 0), NULL);
    e->as.shuffle.n_indices = 2;
    right_expr(f, e);
    e->as.shuffle.indices = list(f, 2, imm(f, t_i32, 4), imm(f, t_i32, 0), NULL);
    wrong_expr(f, e, "index 4 of Shuffle is outside its 4 lanes");
    e->as.shuffle.indices = list(f, 2, num(f, t_f32, 1), imm(f, t_i32, 0), NULL);
    wrong_expr(f, e, "an index of Shuffle must be an integer scalar");
    e->as.shuffle.indices = list(f, 2, one, one, NULL);
    e->as.shuffle.vectors = list(f, 2, v, num(f, t_f32, 1), NULL);
    e->as.shuffle.n_vectors = 2;
    wrong_expr(f, e, "have element types of int32x4 and float32");
    e->as.shuffle.n_vectors = 0;
    wrong_expr(f, e, "at least one vector");
}

static void loads_fit_their_buffer(void **state) {
    fixture *f = *state;
    tirb_expr *n = imm(f, t_i32, 8);
    tirb_expr *zero = imm(f, t_i32, 0);
    tirb_buffer *b = buffer(f, "B", t_f32, 2, n, n);
    right(f, allocate(f, b, evaluate(f, load(f, t_f32, b, 2, zero, zero))));
    wrong(f, allocate(f, b, evaluate(f, load(f, t_f32, b, 1, zero, NULL))), "has 2 dimensions, found 1 indices");
    wrong(f, allocate(f, b, evaluate(f, load(f, t_f32, b, 2, num(f, t_f32, 0), zero))),
          "index 0 of 'B' must be an integer");
    tirb_expr *wide = ramp(f, t_i32x4, zero, imm(f, t_i32, 1));
    wrong(f, allocate(f, b, evaluate(f, load(f, t_f32x4, b, 2, wide, zero))), "only the last index may be one");
    right(f, allocate(f, b, evaluate(f, load(f, t_f32x4, b, 2, zero, wide))));
    wrong(f, allocate(f, b, evaluate(f, load(f, t_f32, b, 2, zero, wide))),
          "the type of a load is float32, expected float32x4");
    warns(f, allocate(f, b, evaluate(f, load(f, t_f32, b, 2, zero, imm(f, t_i64, 0)))), "indices of different types");
    tirb_expr *masked = load(f, t_f32x4, b, 2, zero, wide);
    masked->as.load.predicate = imm(f, t_bool, 1);
    wrong(f, allocate(f, b, evaluate(f, masked)), "the predicate of an access is bool");
}

static void builtins_have_rules(void **state) {
    fixture *f = *state;
    tirb_expr *one = imm(f, t_i32, 1);
    tirb_expr *half = num(f, t_f32, 0.5);
    right_expr(f, call(f, t_f32, TIRB_BUILTIN_EXP, 1, half, NULL, NULL));
    wrong_expr(f, call(f, t_f32, TIRB_BUILTIN_EXP, 2, half, half, NULL), "exp takes 1 argument, found 2");
    wrong_expr(f, call(f, t_i32, TIRB_BUILTIN_EXP, 1, one, NULL, NULL), "exp needs float operands, found int32");
    wrong_expr(f, call(f, t_i32, TIRB_BUILTIN_EXP, 1, half, NULL, NULL), "the type of exp is int32, expected float32");
    wrong_expr(f, call(f, t_f32, TIRB_BUILTIN_POW, 2, half, num(f, t_f16, 1), NULL), "argument 2 of pow is float16");
    wrong_expr(f, call(f, t_f32, TIRB_BUILTIN_BITWISE_AND, 2, half, half, NULL), "needs integer or bool operands");
    wrong_expr(f, call(f, t_f32, TIRB_BUILTIN_SHIFT_LEFT, 2, half, half, NULL), "needs integer operands");
    right_expr(f, call(f, t_i32, TIRB_BUILTIN_SHIFT_LEFT, 2, one, imm(f, t_i32, 31), NULL));
    wrong_expr(f, call(f, t_i32, TIRB_BUILTIN_SHIFT_LEFT, 2, one, imm(f, t_i32, 32), NULL), "shift amount 32");
    wrong_expr(f, call(f, t_i32, TIRB_BUILTIN_SHIFT_RIGHT, 2, one, imm(f, t_i32, -1), NULL), "shift amount -1");
    wrong_expr(f, call(f, t_i32, TIRB_BUILTIN_POPCOUNT, 1, imm(f, t_u8, 1), NULL, NULL),
               "the type of popcount is int32, expected uint8");
    wrong_expr(f, call(f, t_bool, TIRB_BUILTIN_ISNAN, 1, one, NULL, NULL), "isnan needs float operands");
    wrong_expr(f, call(f, t_i32, TIRB_BUILTIN_IF_THEN_ELSE, 3, one, one, one), "must be a bool scalar, found int32");
    wrong_expr(f, call(f, t_i32, TIRB_BUILTIN_IF_THEN_ELSE, 3, imm(f, t_bool, 1), one, half),
               "argument 3 of if_then_else is float32");
    wrong_expr(f, call(f, t_i64, TIRB_BUILTIN_REINTERPRET, 1, half, NULL, NULL), "cannot reinterpret float32 as int64");
    wrong_expr(f, call(f, t_i64, TIRB_BUILTIN_LIKELY, 1, one, NULL, NULL), "the type of likely");
}

/* ---- Scope ---------------------------------------------------------------------------------------------------- */

static void variables_are_bound_once_and_used_in_scope(void **state) {
    fixture *f = *state;
    tirb_expr *x = var(f, "x", t_i32);
    tirb_expr *one = imm(f, t_i32, 1);
    right(f, let(f, x, one, evaluate(f, x)));
    wrong_expr(f, x, "variable 'x' is not bound here");
    wrong(f, two(f, let(f, x, one, nothing(f)), evaluate(f, x)), "variable 'x' is used after the end of its scope");
    wrong(f, two(f, let(f, x, one, nothing(f)), let(f, x, one, nothing(f))), "is bound a second time");
    wrong(f, let(f, x, one, loop(f, x, one, one, TIRB_FOR_SERIAL, nothing(f))), "is bound again in its own scope");
    tirb_expr *inner = expr(f, TIRB_EXPR_LET, t_i32);
    inner->as.let.var = x;
    inner->as.let.value = one;
    inner->as.let.body = x;
    right_expr(f, inner);
    wrong_expr(f, binary(f, TIRB_EXPR_ADD, t_i32, inner, x), "used after the end of its scope");
    inner->as.let.value = num(f, t_f32, 1);
    wrong_expr(f, inner, "the value of a let is float32, expected int32");
}

static void buffers_are_used_in_scope(void **state) {
    fixture *f = *state;
    tirb_expr *n = imm(f, t_i32, 8);
    tirb_buffer *b = buffer(f, "B", t_f32, 1, n, NULL);
    const tirb_expr *use = load(f, t_f32, b, 1, imm(f, t_i32, 0), NULL);
    wrong_expr(f, use, "buffer 'B' is not declared here");
    wrong(f, two(f, allocate(f, b, nothing(f)), evaluate(f, use)), "buffer 'B' is used after the end of its scope");
    wrong(f, two(f, allocate(f, b, nothing(f)), allocate(f, b, nothing(f))), "declared a second time");
    tirb_buffer *view = buffer(f, "V", t_f32, 1, n, NULL);
    view->data = b->data;
    warns(f, allocate(f, b, evaluate(f, load(f, t_f32, view, 1, imm(f, t_i32, 0), NULL))),
          "used without a declaration");
}

static void threads_may_be_bound_again(void **state) {
    fixture *f = *state;
    tirb_expr *x = var(f, "tx", t_i32);
    tirb_itervar *thread = TIRBI_NEW(&f->arena, tirb_itervar);
    *thread = (tirb_itervar){.var = x, .type = TIRB_ITER_THREAD_INDEX, .thread_tag = "threadIdx.x"};
    tirb_stmt *a = stmt(f, TIRB_STMT_ATTR);
    a->as.attr.key = "thread_extent";
    a->as.attr.value = imm(f, t_i32, 4);
    a->as.attr.thread = thread;
    a->as.attr.body = evaluate(f, x);
    right(f, two(f, a, a));
}

/* ---- Statements ----------------------------------------------------------------------------------------------- */

static void conditions_are_bool(void **state) {
    fixture *f = *state;
    tirb_stmt *s = stmt(f, TIRB_STMT_IF);
    s->as.if_.condition = num(f, t_f32, 1);
    s->as.if_.then_case = nothing(f);
    wrong(f, s, "the condition of If must be a bool scalar, found float32");
    s->as.if_.condition = imm(f, t_i32, 1);
    warns(f, s, "the condition is of type int32, which TVM reads and does not compile: write `!= 0`");
    s = stmt(f, TIRB_STMT_ASSERT);
    s->as.assert_.condition = imm(f, t_i32, 1);
    wrong(f, s, "the condition of an assertion must be a bool scalar");
    s->as.assert_.condition = imm(f, t_bool, 1);
    s->as.assert_.message = num(f, t_f32, 1);
    wrong(f, s, "the message of an assertion must be a string or int32, found float32");
    s = stmt(f, TIRB_STMT_WHILE);
    s->as.while_.condition = num(f, t_f32, 1);
    s->as.while_.body = nothing(f);
    wrong(f, s, "the condition of While must be a bool or integer scalar, found float32");
    s->as.while_.condition = imm(f, t_bool, 1);
    warns(f, s, "the condition of While is a constant");
}

static void stores_fit_their_buffer(void **state) {
    fixture *f = *state;
    tirb_expr *zero = imm(f, t_i32, 0);
    tirb_buffer *b = buffer(f, "B", t_f32, 1, imm(f, t_i32, 8), NULL);
    right(f, allocate(f, b, store(f, b, num(f, t_f32, 1), 1, zero, NULL)));
    wrong(f, allocate(f, b, store(f, b, zero, 1, zero, NULL)), "the value of a store is int32, expected float32");
    tirb_expr *wide = ramp(f, t_i32x4, zero, imm(f, t_i32, 1));
    wrong(f, allocate(f, b, store(f, b, num(f, t_f32, 1), 1, wide, NULL)), "expected float32x4");
    wrong(f, allocate(f, b, store(f, b, num(f, t_f32, 1), 2, zero, zero)), "has 1 dimensions, found 2 indices");
    wrong(f, store(f, b, num(f, t_f32, 1), 1, zero, NULL), "not declared here");
}

static void lets_match_their_values(void **state) {
    fixture *f = *state;
    wrong(f, let(f, var(f, "x", t_i32), num(f, t_f32, 1), nothing(f)), "the value of a let is float32, expected int32");
    wrong(f, let(f, var(f, "p", t_handle), imm(f, t_i32, 1), nothing(f)), "pointer 'p' is bound to int32");
}

static void buffers_have_integer_shapes(void **state) {
    fixture *f = *state;
    tirb_buffer *b = buffer(f, "B", t_f32, 1, num(f, t_f32, 8), NULL);
    wrong(f, allocate(f, b, nothing(f)), "an extent of a buffer must be an integer scalar, found float32");
    b = buffer(f, "B", t_f32, 1, imm(f, t_i32, -1), NULL);
    wrong(f, allocate(f, b, nothing(f)), "extent 0 of buffer 'B' is -1");
    b = buffer(f, "B", t_f32, 2, imm(f, t_i32, 8), imm(f, t_i32, 8));
    b->strides = list(f, 2, imm(f, t_i32, 8), imm(f, t_i64, 1), NULL);
    wrong(f, allocate(f, b, nothing(f)), "the type of a stride is int64, expected int32");
    b->strides = NULL;
    b->elem_offset = num(f, t_f32, 0);
    wrong(f, allocate(f, b, nothing(f)), "the elem_offset of a buffer must be an integer scalar");
    b->elem_offset = NULL;
    b->dtype = t_i32;
    wrong(f, allocate(f, b, nothing(f)), "the data of buffer 'B' points to float32, expected int32");
    tirb_stmt *a = allocate(f, buffer(f, "C", t_f32, 1, imm(f, t_i32, 8), NULL), nothing(f));
    a->as.allocate.condition = imm(f, t_i32, 1);
    wrong(f, a, "the condition of an allocation must be a bool scalar");
}

static void views_are_over_handles(void **state) {
    fixture *f = *state;
    tirb_stmt *s = stmt(f, TIRB_STMT_DECL_BUFFER);
    s->as.decl.buffer = buffer(f, "V", t_f32, 1, imm(f, t_i32, 8), NULL);
    s->as.decl.source = imm(f, t_i32, 0);
    s->as.decl.body = nothing(f);
    wrong(f, s, "buffer 'V' is declared over int32, expected a handle");
}

static void loops_have_integer_bounds_of_one_type(void **state) {
    fixture *f = *state;
    tirb_expr *i = var(f, "i", t_i64);
    tirb_expr *zero = imm(f, t_i64, 0);
    tirb_stmt *body = nothing(f);
    right(f, loop(f, i, zero, imm(f, t_i64, 8), TIRB_FOR_SERIAL, body));
    right(f, loop(f, i, zero, imm(f, t_i32, 8), TIRB_FOR_SERIAL, body)); /* a constant is promoted */
    wrong(f, loop(f, i, zero, num(f, t_f32, 8), TIRB_FOR_SERIAL, body),
          "the extent of a loop must be an integer scalar");
    tirb_expr *n = var(f, "n", t_i32);
    wrong(f, let(f, n, imm(f, t_i32, 8), loop(f, i, zero, n, TIRB_FOR_SERIAL, body)),
          "the extent of a loop is int32, expected int64");
    tirb_expr *j = var(f, "j", t_i32);
    wrong(f, loop(f, j, imm(f, t_i64, 0), imm(f, t_i32, 8), TIRB_FOR_SERIAL, body),
          "the begin of a loop is int64, expected int32");
    wrong(f, loop(f, var(f, "x", t_f32), zero, zero, TIRB_FOR_SERIAL, body), "loop variable 'x'");
    tirb_stmt *s = loop(f, i, zero, imm(f, t_i64, 8), TIRB_FOR_SERIAL, body);
    s->as.for_.step = imm(f, t_i64, 0);
    wrong(f, s, "the step of a loop is 0");
}

static void vectorized_loops_are_constant_and_without_while(void **state) {
    fixture *f = *state;
    tirb_expr *i = var(f, "i", t_i32);
    tirb_expr *zero = imm(f, t_i32, 0);
    tirb_expr *eight = imm(f, t_i32, 8);
    right(f, loop(f, i, zero, eight, TIRB_FOR_VECTORIZED, nothing(f)));
    wrong(f, loop(f, i, eight, eight, TIRB_FOR_VECTORIZED, nothing(f)), "must begin at 0");
    wrong(f, loop(f, i, zero, zero, TIRB_FOR_VECTORIZED, nothing(f)), "a constant of 1 or more");
    tirb_expr *n = var(f, "n", t_i32);
    wrong(f, let(f, n, eight, loop(f, i, zero, n, TIRB_FOR_VECTORIZED, nothing(f))), "a constant of 1 or more");
    tirb_stmt *s = stmt(f, TIRB_STMT_WHILE);
    s->as.while_.condition = binary(f, TIRB_EXPR_LT, t_bool, i, i);
    s->as.while_.body = nothing(f);
    wrong(f, loop(f, i, zero, eight, TIRB_FOR_VECTORIZED, s), "a while loop inside a vectorized loop");
}

static void jumps_are_inside_loops(void **state) {
    fixture *f = *state;
    wrong(f, stmt(f, TIRB_STMT_BREAK), "break outside a loop");
    wrong(f, stmt(f, TIRB_STMT_CONTINUE), "continue outside a loop");
}

static tirb_stmt *block(fixture *f, tirb_itervar *iter, const tirb_expr *value, const tirb_match_buffer *match,
                        const tirb_stmt *body) {
    tirb_stmt *s = stmt(f, TIRB_STMT_BLOCK_REALIZE);
    tirb_block *b = TIRBI_NEW(&f->arena, tirb_block);
    *b = (tirb_block){.name = "b",
                      .iters = iter,
                      .n_iters = iter != NULL,
                      .matches = match,
                      .n_matches = match != NULL,
                      .body = body};
    s->as.block.block = b;
    s->as.block.values = value != NULL ? list(f, 1, value, NULL, NULL) : NULL;
    return s;
}

static void blocks_have_integer_axes(void **state) {
    fixture *f = *state;
    tirb_expr *zero = imm(f, t_i32, 0);
    tirb_itervar iter = {.dom = {zero, imm(f, t_i32, 8)}, .var = var(f, "v", t_i32), .type = TIRB_ITER_DATA_PAR};
    right(f, block(f, &iter, zero, NULL, evaluate(f, iter.var)));
    wrong(f, block(f, &iter, NULL, NULL, nothing(f)), "has 1 axes and no values");
    wrong(f, block(f, &iter, num(f, t_f32, 0), NULL, nothing(f)),
          "the value of a block axis must be an integer scalar");
    wrong(f, two(f, block(f, &iter, zero, NULL, nothing(f)), evaluate(f, iter.var)), "used after the end of its scope");
    tirb_expr *i = var(f, "i", t_i32), *eight = imm(f, t_i32, 8);
    right(f, loop(f, i, zero, eight, TIRB_FOR_SERIAL, block(f, &iter, i, NULL, evaluate(f, iter.var))));
    warns(f, loop(f, i, zero, eight, TIRB_FOR_SERIAL, block(f, &iter, i, NULL, evaluate(f, i))),
          "'i' is used in the block 'b'");
    right(f, loop(f, i, zero, eight, TIRB_FOR_SERIAL, block(f, NULL, NULL, NULL, evaluate(f, i))));
    right(f, block(f, &iter, zero, NULL, loop(f, i, zero, eight, TIRB_FOR_SERIAL, evaluate(f, i))));
    tirb_stmt *s = block(f, &iter, zero, NULL, nothing(f));
    s->as.block.predicate = zero;
    wrong(f, s, "the predicate of a block must be a bool scalar");
    iter.dom.extent = imm(f, t_i64, 8);
    wrong(f, block(f, &iter, zero, NULL, nothing(f)),
          "the extent of axis 'v' is int64, expected the signed type int32");
    tirb_itervar real = {.dom = {zero, num(f, t_f32, 8)}, .var = var(f, "w", t_f32)};
    wrong(f, block(f, &real, zero, NULL, nothing(f)), "the extent of axis 'w' is float32");
    real.dom.extent = NULL;
    wrong(f, block(f, &real, zero, NULL, nothing(f)), "axis 'w' must be an integer scalar");
}

static tirb_stmt *match(fixture *f, tirb_buffer *b, const tirb_buffer *source, const tirb_expr *extent,
                        const tirb_stmt *body) {
    tirb_range *region = TIRBI_NEW_ARRAY(&f->arena, tirb_range, 2);
    tirb_match_buffer *m = TIRBI_NEW(&f->arena, tirb_match_buffer);
    region[0] = (tirb_range){imm(f, t_i32, 0), extent};
    region[1] = (tirb_range){imm(f, t_i32, 0), imm(f, t_i32, 4)};
    *m = (tirb_match_buffer){.buffer = b, .source = {.buffer = source, .region = region}};
    return allocate(f, source, block(f, NULL, NULL, m, body));
}

static void matched_buffers_fit_their_region(void **state) {
    fixture *f = *state;
    tirb_expr *four = imm(f, t_i32, 4);
    tirb_expr *one = imm(f, t_i32, 1);
    tirb_buffer *source = buffer(f, "S", t_f32, 2, four, four);
    right(f, match(f, buffer(f, "M", t_f32, 1, four, NULL), source, one, nothing(f)));
    wrong(f, match(f, buffer(f, "M", t_i32, 1, four, NULL), source, one, nothing(f)),
          "'M' has elements of type int32, its source 'S' of float32");
    wrong(f, match(f, buffer(f, "M", t_f32, 1, four, NULL), source, four, nothing(f)),
          "extent 0 of the region that 'M' matches is 4, expected 1");
    wrong(f, match(f, buffer(f, "M", t_f32, 1, one, NULL), source, one, nothing(f)),
          "extent 1 of the region that 'M' matches is 4, expected 1");
    tirb_buffer *local = buffer(f, "M", t_f32, 1, four, NULL);
    local->scope = "local";
    wrong(f, match(f, local, source, one, nothing(f)), "storage scope \"local\"");
    tirb_buffer *wide = buffer(f, "M", t_f32, 1, four, NULL);
    wide->auto_broadcast = true;
    wrong(f, match(f, wide, source, one, nothing(f)), "broadcast");
    tirb_buffer *aligned = buffer(f, "M", t_f32, 1, four, NULL);
    aligned->data_alignment = 128;
    source->data_alignment = 64;
    warns(f, match(f, aligned, source, one, nothing(f)), "asks for an alignment of 128");
    tirb_buffer *small = buffer(f, "T", t_f32, 1, four, NULL);
    tirb_buffer *deep = buffer(f, "M", t_f32, 2, one, four);
    wrong(f, match(f, deep, small, one, nothing(f)), "'M' has 2 dimensions, more than the 1");
    /* A variable that stands alone in the shape is bound for the block, and only there. */
    tirb_expr *n = var(f, "n", t_i32);
    right(f, match(f, buffer(f, "M", t_f32, 1, n, NULL), source, one, evaluate(f, n)));
    wrong(f, two(f, match(f, buffer(f, "M", t_f32, 1, n, NULL), source, one, nothing(f)), evaluate(f, n)),
          "after the end of its scope");
}

/* ---- Functions ------------------------------------------------------------------------------------------------ */

static void returns_agree_with_the_declared_type(void **state) {
    fixture *f = *state;
    tirb_expr *one = imm(f, t_i32, 1);
    right(f, returns(f, one)); /* no declared type: the value decides */
    wrong(f, two(f, returns(f, one), returns(f, num(f, t_f32, 1))), "the returned value is float32, expected int32");
    wrong(f, two(f, returns(f, one), returns(f, NULL)), "nothing in another place");
    f->function.ret_type = (tirb_type){.kind = TIRB_TYPE_PRIM, .dtype = t_f32};
    wrong(f, returns(f, one), "f returns int32, expected float32 as declared");
    wrong(f, nothing(f), "declared to return float32 and returns nothing");
    f->function.ret_type = (tirb_type){.kind = TIRB_TYPE_POINTER, .dtype = t_f32};
    wrong(f, returns(f, one), "f returns int32, expected a handle");
}

static void calls_pass_what_the_function_takes(void **state) {
    fixture *f = *state;
    static const char module[] =
        "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n@I.ir_module\nclass Module:\n"
        "    @T.prim_func(s_tir=True)\n"
        "    def g(X: T.Buffer((4, 8), \"float32\"), k: T.int32):\n        X[0, 0] = T.Cast(\"float32\", k)\n"
        "    @T.prim_func(s_tir=True)\n"
        "    def main(A: T.Buffer((4, 8), \"float32\"), B: T.Buffer((4, 9), \"float32\"), C: T.Buffer((4, 8), "
        "\"int32\"), D: T.Buffer((32,), \"float32\"), l: T.int64, k: T.int32):\n"
        "        ";
    static const struct {
        const char *call, *error;
    } cases[] = {
        {"Module.g(A, 1)", NULL},
        {"Module.g(A, k)", NULL},
        {"Module.g(B, 1)", "dimension 1 of argument 'X' of g is 9, expected 8"},
        {"Module.g(C, 1)", "argument 'X' of g has elements of type int32, expected float32"},
        {"Module.g(D, 1)", "argument 'X' of g has 1 dimensions, expected 2"},
        {"Module.g(A, l)", "argument 'k' of g is int64, expected int32"},
        {"Module.g(A, T.float32(1))", "argument 'k' of g is float32, expected int32"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2000];
        snprintf(text, sizeof text, "%s%s\n", module, cases[i].call);
        assert_true(tirbi_source_init(&f->source, "test", text, (uint32_t)strlen(text), &f->arena));
        tirbi_diagnostics_init(&f->diagnostics, &f->source, &f->arena, 0);
        const tirb_irmodule *parsed = tirbi_parse(&f->source, &f->arena, &f->diagnostics);
        assert_non_null(parsed);
        if (!tirbi_has_errors(&f->diagnostics)) tirbi_check_module(parsed, &f->diagnostics, &f->arena);
        const char *message = first_message(f, TIRB_SEVERITY_ERROR);
        if (cases[i].error == NULL ? message[0] != '\0' : strstr(message, cases[i].error) == NULL) {
            print_error("%s: '%s'\n", cases[i].call, message);
            fail();
        }
    }
}

static void calls_have_arguments_of_the_right_kind(void **state) {
    fixture *f = *state;
    tirb_primfunc g = {.name = "g", .ret_type = {.kind = TIRB_TYPE_TUPLE}};
    tirb_expr *e =
        call(f, (tirb_datatype){TIRB_CODE_HANDLE, 0, 1, false}, TIRB_BUILTIN_EXP, 1, imm(f, t_i32, 1), NULL, NULL);
    e->as.call.function = &g;
    e->as.call.function_name = g.name;
    wrong_expr(f, e, "g takes 0 arguments, found 1");
    const tirb_buffer *buffers[1] = {buffer(f, "X", t_f32, 1, imm(f, t_i32, 4), NULL)};
    const tirb_expr *params[1] = {var(f, "X", t_handle)};
    g.buffers = buffers;
    g.params = params;
    g.n_params = 1;
    wrong_expr(f, e, "argument 'X' of g is int32, expected a buffer");
}

static void other_globals_may_be_called(void **state) {
    fixture *f = *state;
    tirb_expr *e = call(f, t_i32, TIRB_BUILTIN_EXP, 0, NULL, NULL, NULL);
    e->as.call.function_name = "relax_thing";
    right_expr(f, e);
}

static void shapes_determine_their_variables(void **state) {
    fixture *f = *state;
    tirb_expr *n = var(f, "n", t_i32);
    tirb_buffer *b = buffer(f, "A", t_f32, 1, binary(f, TIRB_EXPR_ADD, t_i32, n, imm(f, t_i32, 1)), NULL);
    const tirb_buffer *buffers[1] = {b};
    const tirb_expr *params[1] = {var(f, "A", t_handle)};
    const tirb_expr *shape_vars[1] = {n};
    f->function.params = params;
    f->function.buffers = buffers;
    f->function.n_params = 1;
    f->function.shape_vars = shape_vars;
    f->function.n_shape_vars = 1;
    warns(f, nothing(f), "no parameter's shape determines 'n'");
    buffers[0] = buffer(f, "A", t_f32, 1, n, NULL);
    right(f, nothing(f));
}

#define CHECK_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CHECK_TEST(constants_fit_their_type),
        CHECK_TEST(casts_keep_lanes_and_handles_apart),
        CHECK_TEST(select_needs_bool_and_equal_arms),
        CHECK_TEST(operands_agree),
        CHECK_TEST(vectors_are_made_of_scalars),
        CHECK_TEST(shuffles_index_their_lanes),
        CHECK_TEST(loads_fit_their_buffer),
        CHECK_TEST(builtins_have_rules),
        CHECK_TEST(variables_are_bound_once_and_used_in_scope),
        CHECK_TEST(buffers_are_used_in_scope),
        CHECK_TEST(threads_may_be_bound_again),
        CHECK_TEST(conditions_are_bool),
        CHECK_TEST(stores_fit_their_buffer),
        CHECK_TEST(lets_match_their_values),
        CHECK_TEST(buffers_have_integer_shapes),
        CHECK_TEST(views_are_over_handles),
        CHECK_TEST(loops_have_integer_bounds_of_one_type),
        CHECK_TEST(vectorized_loops_are_constant_and_without_while),
        CHECK_TEST(jumps_are_inside_loops),
        CHECK_TEST(blocks_have_integer_axes),
        CHECK_TEST(matched_buffers_fit_their_region),
        CHECK_TEST(returns_agree_with_the_declared_type),
        CHECK_TEST(calls_pass_what_the_function_takes),
        CHECK_TEST(calls_have_arguments_of_the_right_kind),
        CHECK_TEST(other_globals_may_be_called),
        CHECK_TEST(shapes_determine_their_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
