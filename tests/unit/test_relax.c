/* Dimensions in TVM's forms, and the algebra of Relax's types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <string.h>

#include "compiler/relax/infer/builder.h"

typedef struct world {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    tirbi_builder base;
    tirbi_relax_builder builder;
    const tirb_expr *n, *m, *k; /* k may be negative */
} world;

static const tirb_expr *new_dim(world *w, const char *name, bool natural) {
    const tirb_expr *var = tirbi_make_var(&w->base, (tirbi_span){0, 0}, name, tirbi_prim_type(tirbi_type_i64));
    if (natural) tirbi_dim_is_natural(&w->builder.dims, var);
    return var;
}

static int setup(void **state) {
    static world w;
    memset(&w, 0, sizeof w);
    tirbi_heap_init(&w.heap, NULL, UINT64_MAX);
    tirbi_arena_init(&w.arena, &w.heap);
    assert_true(tirbi_source_init(&w.source, "test", "", 0, &w.arena));
    tirbi_diagnostics_init(&w.diagnostics, &w.source, &w.arena, 5);
    tirbi_builder_init(&w.base, &w.arena, &w.diagnostics);
    tirbi_relax_builder_init(&w.builder, &w.base);
    w.n = new_dim(&w, "n", true);
    w.m = new_dim(&w, "m", true);
    w.k = new_dim(&w, "k", false);
    *state = &w;
    return 0;
}

static int teardown(void **state) {
    tirbi_arena_destroy(&((world *)*state)->arena);
    return 0;
}

static const tirb_expr *number(world *w, int64_t value) { return tirbi_dim(&w->builder.dims, value); }

static const tirb_expr *op(world *w, tirb_expr_kind kind, const tirb_expr *x, const tirb_expr *y) {
    return tirbi_dim_op(&w->builder.dims, kind, x, y);
}

static const tirb_relax_type *tensor(world *w, tirb_datatype dtype, const tirb_expr *x, const tirb_expr *y) {
    const tirb_expr **dims = TIRBI_NEW_ARRAY(&w->arena, const tirb_expr *, 2);
    dims[0] = x;
    dims[1] = y;
    return tirbi_relax_tensor(&w->builder, dims, y ? 2 : 1, dtype);
}

static void simplifies(world *w, const tirb_expr *e, const char *wanted) {
    const tirb_relax_type *t = tensor(w, tirbi_type_void, tirbi_dim_simplify(&w->builder.dims, e), NULL);
    char text[100];
    snprintf(text, sizeof text, "R.Tensor((%s,))", wanted);
    assert_string_equal(tirbi_relax_type_text(&w->builder, t), text);
}

/* The right sides are what TVM's analyzer gives. */
static void test_dims(void **state) {
    world *w = *state;
    const tirb_expr *n = w->n, *m = w->m, *one = number(w, 1), *two = number(w, 2), *four = number(w, 4);
    simplifies(w, op(w, TIRB_EXPR_ADD, number(w, 5), n), "(n + 5)");
    simplifies(w, op(w, TIRB_EXPR_ADD, op(w, TIRB_EXPR_ADD, n, n), n), "(n * 3)");
    simplifies(w, op(w, TIRB_EXPR_SUB, op(w, TIRB_EXPR_MUL, n, m), op(w, TIRB_EXPR_MUL, m, n)), "0");
    simplifies(w, op(w, TIRB_EXPR_MUL, op(w, TIRB_EXPR_MUL, n, four), m), "((n * m) * 4)");
    simplifies(w, op(w, TIRB_EXPR_MUL, op(w, TIRB_EXPR_ADD, n, one), op(w, TIRB_EXPR_ADD, m, one)),
               "((n + 1) * (m + 1))");
    simplifies(w, op(w, TIRB_EXPR_FLOORDIV, op(w, TIRB_EXPR_MUL, op(w, TIRB_EXPR_MUL, n, four), m), n), "(m * 4)");
    simplifies(w, op(w, TIRB_EXPR_FLOORDIV, op(w, TIRB_EXPR_ADD, op(w, TIRB_EXPR_MUL, m, two), number(w, 3)), two),
               "(m + 1)");
    simplifies(w, op(w, TIRB_EXPR_FLOORDIV, op(w, TIRB_EXPR_ADD, m, two), number(w, 3)), "((m + 2) // 3)");
    simplifies(w, op(w, TIRB_EXPR_SUB, number(w, 3), n), "(3 - n)");
    const tirb_expr *parts = op(w, TIRB_EXPR_MUL, op(w, TIRB_EXPR_FLOORDIV, n, four), four);
    simplifies(w, op(w, TIRB_EXPR_ADD, parts, op(w, TIRB_EXPR_FLOORMOD, n, four)), "n");
    simplifies(w, op(w, TIRB_EXPR_MAX, op(w, TIRB_EXPR_ADD, n, two), number(w, 0)), "(n + 2)");
    simplifies(w, op(w, TIRB_EXPR_MAX, op(w, TIRB_EXPR_ADD, w->k, two), number(w, 0)), "T.max((k + 2), 0)");
    simplifies(w, op(w, TIRB_EXPR_MIN, n, op(w, TIRB_EXPR_ADD, n, one)), "n");
    simplifies(w, op(w, TIRB_EXPR_SUB, n, op(w, TIRB_EXPR_MIN, one, n)), "T.max((n - 1), 0)");
}

/* The right sides are what TVM prints for slices that end there. */
static void test_from_front(void **state) {
    world *w = *state;
    tirbi_dims *d = &w->builder.dims;
    const tirb_expr *n = w->n, *m = w->m, *two = number(w, 2), *three = number(w, 3);
    assert_ptr_equal(tirbi_dim_from_front(d, n, m), n);
    assert_true(tirbi_dim_equal(d, tirbi_dim_from_front(d, number(w, -2), n), op(w, TIRB_EXPR_SUB, n, two)));
    const struct {
        const tirb_expr *index, *bounds[2];
    } cases[] = {
        {op(w, TIRB_EXPR_SUB, n, three), {n, three}},
        {op(w, TIRB_EXPR_SUB, op(w, TIRB_EXPR_MUL, n, two), three), {n, two}},
        {op(w, TIRB_EXPR_SUB, op(w, TIRB_EXPR_FLOORDIV, n, two), three), {n, number(w, 6)}},
        {op(w, TIRB_EXPR_SUB, number(w, 6), n), {number(w, 6), n}},
        {op(w, TIRB_EXPR_SUB, number(w, 7), op(w, TIRB_EXPR_MUL, n, two)), {three, n}},
        {op(w, TIRB_EXPR_SUB, n, m), {op(w, TIRB_EXPR_SUB, n, m), number(w, 0)}},
        {op(w, TIRB_EXPR_SUB, op(w, TIRB_EXPR_SUB, op(w, TIRB_EXPR_MUL, n, two), op(w, TIRB_EXPR_MUL, m, number(w, 4))),
            number(w, 4)),
         {op(w, TIRB_EXPR_SUB, n, op(w, TIRB_EXPR_MUL, m, two)), two}},
        {op(w, TIRB_EXPR_SUB, op(w, TIRB_EXPR_SUB, op(w, TIRB_EXPR_MUL, n, two), op(w, TIRB_EXPR_MUL, m, number(w, 4))),
            three),
         {op(w, TIRB_EXPR_SUB, op(w, TIRB_EXPR_MUL, n, two), op(w, TIRB_EXPR_MUL, m, number(w, 4))), three}},
        {w->k, {w->k, number(w, 0)}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tirb_expr *e = tirbi_dim_from_front(d, cases[i].index, m);
        assert_int_equal(e->kind, TIRB_EXPR_CALL);
        assert_int_equal(e->as.call.builtin, TIRB_BUILTIN_IF_THEN_ELSE);
        const tirb_expr *const *args = e->as.call.args;
        assert_int_equal(args[0]->kind, TIRB_EXPR_LT);
        assert_true(tirbi_dim_equal(d, args[0]->as.binary.a, cases[i].bounds[0]));
        assert_true(tirbi_dim_equal(d, args[0]->as.binary.b, cases[i].bounds[1]));
        assert_true(tirbi_dim_equal(d, args[1], op(w, TIRB_EXPR_ADD, cases[i].index, m)));
        assert_true(tirbi_dim_equal(d, args[2], cases[i].index));
        const tirb_expr *vars[] = {n, m, w->k}, *values[] = {number(w, 1), number(w, 9), number(w, 4)};
        assert_int_equal(tirbi_dim_replace(d, e, vars, values, 3)->kind, TIRB_EXPR_INT_IMM);
    }
}

static void test_proofs(void **state) {
    world *w = *state;
    tirbi_dims *d = &w->builder.dims;
    const tirb_expr *next = op(w, TIRB_EXPR_ADD, w->n, number(w, 1));
    assert_true(tirbi_dim_equal(d, op(w, TIRB_EXPR_SUB, next, number(w, 1)), w->n));
    assert_true(tirbi_dim_apart(d, next, w->n));
    assert_false(tirbi_dim_equal(d, w->n, w->m));
    assert_false(tirbi_dim_apart(d, w->n, w->m));
    assert_true(tirbi_dim_at_least(d, next, 1));
    assert_false(tirbi_dim_at_least(d, w->k, 0));
}

static void test_subtypes(void **state) {
    world *w = *state;
    tirbi_relax_builder *b = &w->builder;
    const tirb_datatype f32 = tirbi_type_f32, i64 = tirbi_type_i64, unknown = tirbi_type_void;
    const tirb_relax_type *any = tirbi_relax_any(b), *nm = tensor(w, f32, w->n, w->m);
    const tirb_relax_type *two = tensor(w, f32, number(w, 2), w->m), *three = tensor(w, f32, number(w, 3), w->m);
    const tirb_relax_type *rank = tirbi_relax_tensor_of_rank(b, 2, f32), *flat = tirbi_relax_tensor_of_rank(b, 1, f32);
    const struct {
        const tirb_relax_type *base, *derived;
        tirbi_relax_check wanted;
    } cases[] = {
        {any, nm, TIRBI_RELAX_SUBTYPE},
        {nm, any, TIRBI_RELAX_CASTABLE},
        {nm, nm, TIRBI_RELAX_SUBTYPE},
        {rank, nm, TIRBI_RELAX_SUBTYPE},
        {nm, rank, TIRBI_RELAX_UNPROVED},
        {nm, two, TIRBI_RELAX_UNPROVED},
        {two, three, TIRBI_RELAX_IMPOSSIBLE},
        {flat, rank, TIRBI_RELAX_IMPOSSIBLE},
        {rank, tirbi_relax_tensor_of_rank(b, -1, f32), TIRBI_RELAX_CASTABLE},
        {rank, tensor(w, i64, w->n, w->m), TIRBI_RELAX_IMPOSSIBLE},
        {rank, tensor(w, unknown, w->n, w->m), TIRBI_RELAX_CASTABLE},
        {tirbi_relax_prim(b, i64), tirbi_relax_prim(b, f32), TIRBI_RELAX_IMPOSSIBLE},
        {tirbi_relax_tuple(b, &rank, 1), tirbi_relax_tuple(b, &nm, 1), TIRBI_RELAX_SUBTYPE},
        {tirbi_relax_tuple(b, &rank, 1), tirbi_relax_tuple(b, NULL, 0), TIRBI_RELAX_IMPOSSIBLE},
        {tirbi_relax_opaque_function(b, any, true), tirbi_relax_opaque_function(b, any, false), TIRBI_RELAX_IMPOSSIBLE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(tirbi_relax_base_check(b, cases[i].base, cases[i].derived), cases[i].wanted);
}

static void joins(world *w, const tirb_relax_type *x, const tirb_relax_type *y, const char *wanted) {
    assert_string_equal(tirbi_relax_type_text(&w->builder, tirbi_relax_join(&w->builder, x, y)), wanted);
}

static void test_join(void **state) {
    world *w = *state;
    tirbi_relax_builder *b = &w->builder;
    const tirb_relax_type *nm = tensor(w, tirbi_type_f32, w->n, w->m), *mn = tensor(w, tirbi_type_f32, w->m, w->n);
    joins(w, nm, tensor(w, tirbi_type_f32, w->n, w->m), "R.Tensor((n, m), \"float32\")");
    joins(w, nm, mn, "R.Tensor(ndim=2, \"float32\")");
    joins(w, nm, tensor(w, tirbi_type_i64, w->n, w->m), "R.Tensor((n, m))");
    joins(w, nm, tensor(w, tirbi_type_f32, w->n, NULL), "R.Tensor(\"float32\")");
    joins(w, nm, tirbi_relax_prim(b, tirbi_type_i64), "R.Any");
    joins(w, tirbi_relax_tuple(b, &nm, 1), tirbi_relax_tuple(b, &mn, 1), "R.Tuple(R.Tensor(ndim=2, \"float32\"))");
    joins(w, tirbi_relax_tuple(b, &nm, 1), tirbi_relax_tuple(b, NULL, 0), "R.Any");
}

static void test_erase(void **state) {
    world *w = *state;
    tirbi_list known = {.n = 0};
    const tirb_expr **slot = TIRBI_LIST_ADD(&w->arena, &known, const tirb_expr *);
    *slot = w->n;
    const tirb_relax_type *square = tensor(w, tirbi_type_f32, w->n, w->n), *nm = tensor(w, tirbi_type_f32, w->n, w->m);
    assert_ptr_equal(tirbi_relax_erase(&w->builder, square, &known, 0), square);
    assert_string_equal(tirbi_relax_type_text(&w->builder, tirbi_relax_erase(&w->builder, nm, &known, 0)),
                        "R.Tensor(ndim=2, \"float32\")");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_dims, setup, teardown),
        cmocka_unit_test_setup_teardown(test_from_front, setup, teardown),
        cmocka_unit_test_setup_teardown(test_proofs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_subtypes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_join, setup, teardown),
        cmocka_unit_test_setup_teardown(test_erase, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
