/* What the parser makes of expressions and statements: node shapes, promotion, folding, numbers, structural
 * equality. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/ir/equal.h"
#include "compiler/text/syntax/decimal.h"
#include "compiler/text/text.h"

typedef struct program {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    const tirb_irmodule *module;
} program;

static void parse_program(program *p, const char *text) {
    tirbi_heap_init(&p->heap, NULL, UINT64_C(1) << 26);
    tirbi_arena_init(&p->arena, &p->heap);
    assert_true(tirbi_source_init(&p->source, "test.py", text, (uint32_t)strlen(text), &p->arena));
    tirbi_diagnostics_init(&p->diagnostics, &p->source, &p->arena, 0);
    p->module = tirbi_parse(&p->source, &p->arena, &p->diagnostics);
    assert_non_null(p->module);
}

static void free_program(program *p) {
    tirbi_arena_destroy(&p->arena);
    assert_int_equal(p->heap.used, 0);
}

/* ---- Expressions as text ---------------------------------------------------------------------------------------- */

static void put(char *out, const char *text) { strncat(out, text, 1023 - strlen(out)); }

static void put_expr(char *out, const tirb_expr *e);

static void put_list(char *out, const char *head, const tirb_expr *const *items, uint32_t n) {
    put(out, head);
    put(out, "(");
    for (uint32_t i = 0; i < n; i++) {
        if (i) put(out, ", ");
        put_expr(out, items[i]);
    }
    put(out, ")");
}

static void put_expr(char *out, const tirb_expr *e) {
    static const char *const operators[] = {
        [TIRB_EXPR_ADD] = "add",
        [TIRB_EXPR_SUB] = "sub",
        [TIRB_EXPR_MUL] = "mul",
        [TIRB_EXPR_DIV] = "div",
        [TIRB_EXPR_MOD] = "mod",
        [TIRB_EXPR_FLOORDIV] = "floordiv",
        [TIRB_EXPR_FLOORMOD] = "floormod",
        [TIRB_EXPR_MIN] = "min",
        [TIRB_EXPR_MAX] = "max",
        [TIRB_EXPR_EQ] = "eq",
        [TIRB_EXPR_NE] = "ne",
        [TIRB_EXPR_LT] = "lt",
        [TIRB_EXPR_LE] = "le",
        [TIRB_EXPR_GT] = "gt",
        [TIRB_EXPR_GE] = "ge",
        [TIRB_EXPR_AND] = "and",
        [TIRB_EXPR_OR] = "or",
    };
    char text[128], type[32];
    tirb_datatype_text(e->dtype, type);
    switch (e->kind) {
    case TIRB_EXPR_VAR:
        put(out, e->as.var.name);
        return;
    case TIRB_EXPR_INT_IMM:
        snprintf(text, sizeof text, "%lld:%s", (long long)e->as.int_value, type);
        break;
    case TIRB_EXPR_FLOAT_IMM:
        snprintf(text, sizeof text, "%.9g:%s", e->as.float_value, type);
        break;
    case TIRB_EXPR_LOAD:
        put_list(out, e->as.load.buffer->name, e->as.load.indices, e->as.load.n_indices);
        return;
    case TIRB_EXPR_CAST:
    case TIRB_EXPR_NOT:
        put_list(out, e->kind == TIRB_EXPR_NOT ? "not" : type, &e->as.cast.value, 1);
        return;
    case TIRB_EXPR_BROADCAST:
        snprintf(text, sizeof text, "x%u", e->dtype.lanes);
        put_list(out, text, &e->as.broadcast.value, 1);
        return;
    case TIRB_EXPR_RAMP: {
        const tirb_expr *parts[] = {e->as.ramp.base, e->as.ramp.stride};
        snprintf(text, sizeof text, "ramp%u", e->dtype.lanes);
        put_list(out, text, parts, 2);
        return;
    }
    case TIRB_EXPR_SELECT: {
        const tirb_expr *parts[] = {e->as.select.condition, e->as.select.true_value, e->as.select.false_value};
        put_list(out, "select", parts, 3);
        return;
    }
    case TIRB_EXPR_CALL:
        put_list(out, e->as.call.function ? e->as.call.function_name : tirb_builtins[e->as.call.builtin].name,
                 e->as.call.args, e->as.call.n_args);
        return;
    default: {
        const tirb_expr *parts[] = {e->as.binary.a, e->as.binary.b};
        put_list(out, operators[e->kind], parts, 2);
        return;
    }
    }
    put(out, text);
}

static const char prelude[] =
    "@T.prim_func(s_tir=True)\n"
    "def f(h: T.float16, f: T.float32, d: T.float64, bf: T.bfloat16, b: T.int8, i: T.int32, l: T.int64, ub: T.uint8,\n"
    "      u: T.uint32, ul: T.uint64, c: T.bool, A: T.Buffer((8,), \"float32\"), B: T.Buffer((4, 8), \"int32\"),\n"
    "      Z: T.Buffer((), \"float32\")):\n";

static const tirb_stmt *parse_body(program *p, const char *body) {
    char text[2048];
    snprintf(text, sizeof text, "%s    %s\n", prelude, body);
    parse_program(p, text);
    if (p->diagnostics.n_errors) return NULL;
    assert_int_equal(p->module->n_functions, 1);
    return p->module->functions[0]->body;
}

/* ---- Tests ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *text;
    const char *expected; /* or the beginning of the error's message */
} expressions[] = {
    /* Literals. */
    {"1", "1:int32"},
    {"2147483648", "2147483648:int64"},
    {"1.5", "1.5:float32"},
    {"True", "1:bool"},
    {"-3", "-3:int32"},
    {"4 * 1024 // 3 % 7", "0:int32"},
    {"T.float64(0.1)", "0.1:float64"},
    {"T.uint64(18446744073709551615)", "-1:uint64"},
    {"T.int8(128)", "the value 128 does not fit type int8"},
    {"T.float16(70000.0)", "the value 70000 exceeds the maximum 65504 of type float16"},
    {"1e39", "the value 1e+39 exceeds the maximum"},
    {"T.max_value(\"int8\")", "127:int8"},
    {"T.min_value(\"int64\")", "-9223372036854775808:int64"},
    {"T.infinity(\"float32\")", "inf:float32"},
    /* Promotion. */
    {"i + l", "add(int64(i), l)"},
    {"h * 2.0", "mul(float32(h), 2:float32)"},
    {"h * T.float16(2)", "mul(h, 2:float16)"},
    {"b + 1", "add(int32(b), 1:int32)"},
    {"ub + 1", "add(int32(ub), 1:int32)"},
    {"u + 1", "add(u, 1:uint32)"},
    {"u + i", "add(u, uint32(i))"},
    {"u + (-1)", "cannot make uint32 from the negative value -1"},
    {"l + 1", "add(l, 1:int64)"},
    {"f + i", "add(f, float32(i))"},
    {"h + l", "add(h, float16(l))"},
    {"bf + 1.0", "add(float32(bf), 1:float32)"},
    {"bf + i", "add(bf, bfloat16(i))"},
    {"f + d", "add(float64(f), d)"},
    {"c + i", "add(int32(c), i)"},
    {"A[0:4] + f", "add(A(ramp4(0:int32, 1:int32)), x4(f))"},
    {"A[0:4] * 2", "mul(A(ramp4(0:int32, 1:int32)), x4(2:float32))"},
    {"A[0:4] + A[0:8]", "mismatched numbers of lanes"},
    /* Folding. */
    {"i + 0", "i"},
    {"i * 1", "i"},
    {"i * 0", "0:int32"},
    {"f * 0.0", "0:float32"},
    {"i // 1", "i"},
    {"i % 1", "0:int32"},
    {"T.int32(2147483647) + T.int32(1)", "-2147483648:int32"},
    {"T.int32(-7) // T.int32(2)", "-4:int32"},
    {"T.int32(-7) % T.int32(2)", "1:int32"},
    {"T.truncdiv(T.int32(-7), T.int32(2))", "-3:int32"},
    {"T.truncmod(T.int32(-7), T.int32(2))", "-1:int32"},
    {"T.float32(0.1) + T.float32(0.2)", "0.300000012:float32"},
    {"T.float16(1) + T.float16(2)", "add(1:float16, 2:float16)"},
    {"T.min(f, f)", "f"},
    {"T.Add(T.int32(1), T.int32(2))", "add(1:int32, 2:int32)"},
    {"T.Add(i, l)", "mismatched types: int32 and int64"},
    {"T.int64(1) << T.int64(40)", "1099511627776:int64"},
    {"i >> 0", "i"},
    {"i << -1", "the shift amount is -1"},
    {"i // 0", "division by zero"},
    {"f / 0.0", "division by zero"},
    /* Operators. */
    {"-i", "mul(i, -1:int32)"},
    {"-f", "mul(f, -1:float32)"},
    {"~i", "bitwise_not(i)"},
    {"i & 3 | 1", "bitwise_or(bitwise_and(i, 3:int32), 1:int32)"},
    {"f & 1", "bitwise_and needs integer operands"},
    {"f / i", "div(f, float32(i))"},
    {"u / 2", "div(u, 2:uint32)"},
    {"i / 2", "'/' of integers is ambiguous"},
    {"f // 2.0", "'//' and '%' need integer operands"},
    {"i < 3", "lt(i, 3:int32)"},
    {"3 < l", "lt(3:int64, l)"},
    {"h > 0", "gt(h, 0:float16)"},
    {"i == l", "mismatched types: int32 and int64"},
    /* Order promotes, a number on the left does not. */
    {"i < l", "lt(int64(i), l)"},
    {"f >= i", "ge(f, float32(i))"},
    {"i > 2.5", "gt(float32(i), 2.5:float32)"},
    {"h < 0.5", "lt(float32(h), 0.5:float32)"},
    {"0.5 < h", "lt(0.5:float16, h)"},
    {"ub < 300", "lt(int32(ub), 300:int32)"},
    {"-1 < ub", "cannot make uint8 from the negative value -1"},
    {"u < -5", "cannot make uint32 from the negative value -5"},
    /* Python's functions and powers. */
    {"2 ** 3 ** 2 - -2 ** 2", "516:int32"},
    {"2.0 ** -3 + 4 ** 0.5", "2.125:float32"},
    {"(-2) ** 63 == -9223372036854775808", "1:bool"},
    {"2 ** 64", "this constant does not fit 64 bits"},
    {"2.0 ** 0.3", "the exponent of '**' must be an integer or 0.5"},
    {"0 ** -1", "division by zero"},
    {"f ** 2", "the operator '**' is for Python's numbers"},
    {"int(-2.7) + max(1, 5) + min((3, 2)) + abs(-4) + sum([1, 2]) + len((1, 2)) + round(2.5)", "16:int32"},
    {"float(2) * f", "mul(2:float32, f)"},
    {"float(\"inf\") * f", "mul(inf:float32, f)"},
    {"max(f, 0)", "`max` is for Python's numbers; write T.max(a, b)"},
    {"int(f)", "`int` is for Python's numbers; write T.int32(...)"},
    {"len(A)", "`len` is for tuples"},
    {"T.f32(1) + T.Cast(\"float32\", T.i64(2))", "add(1:float32, float32(2:int64))"},
    {"T.BitwiseXor(i, 3)", "bitwise_xor(i, 3:int32)"},
    {"T.LShift(i, 3)", "shift_left(i, 3:int32)"},
    {"T.if_then_else(cond=c, t=i, f=l)", "if_then_else(c, int64(i), l)"},
    {"A.vload([2], \"float32x4\")", "A(ramp4(2:int32, 1:int32))"},
    {"A.vload([2])", "A(2:int32)"},
    {"A.vload([2], \"int32x4\")", "`vload` loads int32x4, but the elements of `A` are float32"},
    {"T.BufferLoad(A, [3])", "A(3:int32)"},
    {"1 < i < 3 <= 4", "and(and(lt(1:int32, i), lt(i, 3:int32)), 1:bool)"},
    {"i > 0 and not c or f != 1", "or(and(gt(i, 0:int32), not(c)), ne(f, 1:float32))"},
    {"i and c", "mismatched types: int32 and bool"},
    {"i if c else l", "if_then_else(c, int64(i), l)"},
    {"i if True else nothing", "i"},
    {"T.Select(c, f, 1.0)", "select(c, f, 1:float32)"},
    {"T.Select(c, f, 1)", "the arms have different types"},
    /* Constants: a number beside bits has their type, an order of two is known, an equality is kept. */
    {"T.int8(3) & 5", "bitwise_and(3:int8, 5:int8)"},
    {"T.uint8(1) << 9", "shift_left(1:uint8, 9:uint8)"},
    {"T.shift_right(T.int16(5), 2)", "shift_right(5:int16, 2:int16)"},
    {"8 | T.uint8(3)", "bitwise_or(8:uint8, 3:uint8)"},
    {"c & 1", "bitwise_and(c, 1:bool)"},
    {"T.uint8(3) | 300", "the value 300 does not fit type uint8"},
    {"c << 1", "shift_left needs integer operands, not bool"},
    {"i & 1.5", "bits are those of integers"},
    {"T.int32(3) < 4", "1:bool"},
    {"T.float32(2) >= 1", "1:bool"},
    {"T.int32(3) == 4", "eq(3:int32, 4:int32)"},
    {"0.5 < i", "mismatched types: float32 and int32"},
    {"c == 2", "the value 2 does not fit type bool"},
    {"T.min(T.float16(1.5), 2)", "1.5:float16"},
    {"T.max(T.float32(\"nan\"), 1)", "nan:float32"},
    {"c // 2", "'//' and '%' need integer operands, not bool"},
    {"T.truncdiv(f, 2)", "T.truncdiv needs integer operands, not float32"},
    {"T.uint32(5) - 6", "4294967295:uint32"},
    {"T.uint32(0) - 6", "0 - 6 is negative"},
    {"ul + (-1)", "cannot make uint64 from the negative value -1"},
    {"T.isinf(T.float32(\"inf\"))", "1:bool"},
    {"T.isfinite(2.5)", "1:bool"},
    {"0.0 % -3.0", "-0:float32"},
    {"5.5 % -3", "-0.5:float32"},
    {"not T.bool(True)", "not(1:bool)"},
    {"True and c", "and(1:bool, c)"},
    {"3 == 4 or c", "or(0:bool, c)"},
    {"True or c", "1:bool"},
    {"~True", "-2:int32"},
    {"-T.uint64(3)", "cannot make uint64 from the negative value -1"},
    {"T.ceil(c)", "c"},
    /* Conversions. */
    {"T.cast(f, \"float32\")", "f"},
    {"T.Cast(\"float32\", f)", "float32(f)"},
    {"f.astype(\"int32\")", "int32(f)"},
    {"T.float32(i)", "float32(i)"},
    {"T.cast(i, \"float32x4\")", "x4(float32(i))"},
    {"T.cast(T.Ramp(i, 1, 4), \"int64x4\")", "ramp4(int64(i), 1:int64)"},
    {"T.cast(T.Broadcast(i, 4), \"float32x4\")", "x4(float32(i))"},
    {"T.int8(2.7)", "2:int8"},
    {"T.reinterpret(\"int32\", f)", "reinterpret(f)"},
    /* Functions. */
    {"T.abs(i)", "select(ge(i, 0:int32), i, sub(0:int32, i))"},
    {"T.abs(f)", "fabs(f)"},
    {"T.abs(u)", "u"},
    {"T.floor(2.5)", "2:float32"},
    {"T.round(2.5)", "2:float32"},
    {"T.round(3.5)", "4:float32"},
    {"T.round(T.float32(-0.5))", "-0:float32"},
    {"T.ceil(i)", "i"},
    {"T.exp(i)", "T.exp needs a floating-point operand"},
    {"T.pow(f, 2.0)", "pow(f, 2:float32)"},
    {"T.isinf(f)", "and(eq(fabs(f), inf:float32), not(isnan(f)))"},
    {"T.popcount(ul)", "popcount(ul)"},
    {"T.call_pure_extern(\"float32\", \"cbrtf\", f)", "cbrt(f)"},
    {"T.call_pure_extern(\"float64\", \"norm3d\", d, d, d)", "norm3d(d, d, d)"},
    {"T.call_extern(\"float32\", \"roundf\", f)", "round_away(f)"},
    {"T.call_intrin(\"float32\", \"tirx.lgamma\", f)", "lgamma(f)"},
    {"T.ceildiv(i, 4)", "floordiv(sub(add(i, 4:int32), 1:int32), 4:int32)"},
    {"T.if_then_else(T.bool(True), f, d)", "float64(f)"},
    /* Buffers. */
    {"A[i]", "A(i)"},
    {"A[l + 1]", "A(add(l, 1:int64))"},
    {"B[1, 0:8:2]", "B(1:int32, ramp4(0:int32, 2:int32))"},
    {"B[1, 7:-1:-2]", "B(1:int32, ramp4(7:int32, -2:int32))"},
    {"B[1, i + 3:i - 1:-1]", "B(1:int32, ramp4(add(i, 3:int32), -1:int32))"},
    {"B[1, i:i + 4]", "B(1:int32, ramp4(i, 1:int32))"},
    {"B[1, i * 4 + 1:4 + i * 4]", "B(1:int32, ramp3(add(mul(i, 4:int32), 1:int32), 1:int32))"},
    {"B[1, i:l]", "the region is used as a value, but its extent is not a constant"},
    {"B[0:2, 0:4]", "only the last index"},
    {"B[2]", "B(2:int32, ramp8(0:int32, 1:int32))"},
    {"Z[()]", "Z()"},
    {"A.shape[0] + B.shape[-1]", "16:int32"},
    {"A.vload([2])", "A(2:int32)"},
    {"T.address_of(B[1, 2])", "address_of(B(1:int32, 2:int32))"},
    {"A.data", "A"},
};

static void expression_shapes(void **state) {
    (void)state;
    int problems = 0;
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
        program p;
        char body[256], text[1024] = "";
        snprintf(body, sizeof body, "T.evaluate(%s)", expressions[i].text);
        const tirb_stmt *stmt = parse_body(&p, body);
        if (!stmt) {
            snprintf(text, sizeof text, "%s", p.diagnostics.items[0].message);
            text[strlen(expressions[i].expected)] = 0;
        } else {
            assert_int_equal(stmt->kind, TIRB_STMT_EVALUATE);
            put_expr(text, stmt->as.evaluate.value);
        }
        if (strcmp(text, expressions[i].expected) != 0) {
            print_error("%s: %s, expected %s\n", expressions[i].text, text, expressions[i].expected);
            problems++;
        }
        free_program(&p);
    }
    assert_int_equal(problems, 0);
}

static void assigned_variables(void **state) {
    (void)state;
    program p;
    const tirb_stmt *s = parse_body(&p, "x = i\n    x = x + 1\n    T.evaluate(x)");
    assert_non_null(s);
    assert_int_equal(s->kind, TIRB_STMT_ALLOCATE);
    assert_true(s->as.allocate.scalar);
    const tirb_buffer *x = s->as.allocate.buffer;
    assert_string_equal(x->scope, "local");
    assert_ptr_equal(x->data->as.var.data_of, x);
    s = s->as.allocate.body;
    assert_int_equal(s->kind, TIRB_STMT_SEQ);
    assert_int_equal(s->as.seq.n, 3);
    assert_int_equal(s->as.seq.items[1]->kind, TIRB_STMT_STORE);
    assert_ptr_equal(s->as.seq.items[1]->as.store.buffer, x);
    free_program(&p);
}

static void classic_lets(void **state) {
    (void)state;
    program p;
    parse_program(
        &p, "from tvm.script import tir as T\n@T.prim_func\ndef f(n: T.int32):\n    x = n + 1\n    T.evaluate(x)\n");
    assert_int_equal(p.diagnostics.n_errors, 0);
    const tirb_stmt *s = p.module->functions[0]->body;
    assert_int_equal(s->kind, TIRB_STMT_LET);
    assert_ptr_equal(s->as.let.body->as.evaluate.value, s->as.let.var);
    free_program(&p);
}

static void blocks_and_root(void **state) {
    (void)state;
    program p;
    const tirb_stmt *s = parse_body(&p, "C = T.sblock_alloc_buffer((8,))\n"
                                        "    for x, y in T.grid(4, (2, 6)):\n"
                                        "        with T.sblock(\"b\"):\n"
                                        "            vx, vy = T.axis.remap(\"SR\", [x, y])\n"
                                        "            vz = T.axis.spatial((l, l + 4), l)\n"
                                        "            T.where(x < 3)\n"
                                        "            with T.init():\n"
                                        "                C[vx] = 0\n"
                                        "            C[vx] += A[vy]\n");
    assert_non_null(s);
    assert_int_equal(s->kind, TIRB_STMT_BLOCK_REALIZE);
    assert_string_equal(s->as.block.block->name, "root");
    assert_int_equal(s->as.block.block->n_iters, 0);
    assert_int_equal(s->as.block.block->n_allocs, 1);
    assert_null(s->as.block.predicate);
    s = s->as.block.block->body->as.for_.body;
    assert_int_equal(s->kind, TIRB_STMT_FOR);
    assert_int_equal(s->as.for_.min->as.int_value, 2);
    assert_int_equal(s->as.for_.extent->as.int_value, 6);
    s = s->as.for_.body;
    const tirb_block *block = s->as.block.block;
    assert_int_equal(block->n_iters, 3);
    assert_int_equal(block->iters[1].type, TIRB_ITER_COMM_REDUCE);
    assert_int_equal(block->iters[1].dom.min->as.int_value, 2);
    assert_int_equal(block->iters[2].dom.extent->as.int_value, 4);
    assert_int_equal(block->iters[2].var->dtype.bits, 64);
    assert_non_null(s->as.block.predicate);
    assert_non_null(block->init);
    assert_true(block->has_reads && block->has_writes); /* found, as the text has none */
    free_program(&p);
}

static void parameters(void **state) {
    (void)state;
    program p;
    parse_program(&p, "n = TypeVar(\"n\")\n"
                      "@T.prim_func(private=True)\n"
                      "def f(a: T.handle, B: T.Buffer((\"m + 1\", n, k), \"int8\"), k: T.int64) -> T.int32:\n"
                      "    m = T.int32()\n"
                      "    A = T.match_buffer(a, (m, 4), offset_factor=4)\n"
                      "    return m\n");
    assert_int_equal(p.diagnostics.n_errors, 0);
    const tirb_primfunc *f = p.module->functions[0];
    assert_true(f->is_private);
    assert_null(f->global_symbol);
    assert_int_equal(f->n_params, 3);
    assert_ptr_not_equal(f->params[0], f->buffers[0]->data);
    assert_ptr_equal(f->buffers[0]->data->as.var.data_of, f->buffers[0]);
    assert_string_equal(f->params[1]->as.var.name, "B");
    assert_null(f->buffers[2]);
    assert_ptr_equal(f->buffers[1]->shape[2], f->params[2]);
    assert_int_equal(f->n_shape_vars, 3); /* m, the offset of A, n */
    assert_int_equal(f->buffers[1]->shape[1]->dtype.bits, 64);
    assert_int_equal(f->ret_type.dtype.bits, 32);
    assert_int_equal(f->body->kind, TIRB_STMT_RETURN);
    assert_ptr_equal(f->body->as.evaluate.value, f->buffers[0]->shape[0]);
    free_program(&p);
}

static void calls_between_functions(void **state) {
    (void)state;
    program p;
    parse_program(
        &p, "@T.prim_func\ndef f(A: T.Buffer((8, 8), \"float32\"), n: T.int64):\n    g(A, 1)\n    g(A[2, 0:8], n)\n"
            "@T.prim_func\ndef g(p: T.handle, n: T.int64):\n    B = T.match_buffer(p, (n,))\n    f(B, n)\n");
    assert_int_equal(p.diagnostics.n_errors, 0);
    const tirb_primfunc *f = p.module->functions[0], *g = p.module->functions[1];
    const tirb_expr *whole = f->body->as.seq.items[0]->as.evaluate.value;
    const tirb_expr *part = f->body->as.seq.items[1]->as.evaluate.value;
    assert_ptr_equal(whole->as.call.function, g);
    assert_ptr_equal(whole->as.call.args[0], f->buffers[0]->data);
    assert_int_equal(whole->as.call.args[1]->dtype.bits, 64);
    assert_int_equal(part->as.call.args[0]->as.call.builtin, TIRB_BUILTIN_ADDRESS_OF);
    assert_int_equal(part->as.call.args[0]->as.call.args[0]->kind, TIRB_EXPR_LOAD);
    assert_ptr_equal(g->body->as.evaluate.value->as.call.args[0], g->buffers[0]->data);
    free_program(&p);
}

static void equality(void **state) {
    (void)state;
    static const char one[] =
        "@T.prim_func\ndef f(A: T.Buffer((\"n\",), \"float32\")):\n    for i in range(4):\n        A[i] = A[i + 1]\n";
    static const char same[] = "@T.prim_func\ndef f(B: T.Buffer((\"m\",), \"float32\")):\n    for k in T.serial(0, "
                               "4):\n        B[k] = B[k + 1]\n";
    static const char other[] = "@T.prim_func\ndef f(B: T.Buffer((\"m\",), \"float32\")):\n    for k in T.serial(0, "
                                "4):\n        B[k] = B[1 + k]\n";
    program a, b, c;
    parse_program(&a, one);
    parse_program(&b, same);
    parse_program(&c, other);
    assert_true(tirbi_module_equal(a.module, b.module, &a.arena));
    assert_false(tirbi_module_equal(a.module, c.module, &a.arena));
    free_program(&a);
    free_program(&b);
    free_program(&c);
    parse_program(&a, "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32xvscalex4\")):\n    T.evaluate(A[0])\n");
    parse_program(&b, "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32xvscalex4\")):\n    T.evaluate(A[0])\n");
    parse_program(&c, "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32x4\")):\n    T.evaluate(A[0])\n");
    assert_true(tirbi_module_equal(a.module, b.module, &a.arena));
    assert_false(tirbi_module_equal(a.module, c.module, &a.arena));
    free_program(&a);
    free_program(&b);
    free_program(&c);
}

static void decimals(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0.1", 0.1},
        {"1_000.5e-3", 1.0005},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
        {"5e-324", 0x1p-1074},
        {"2.4703282292062327e-324", 0},
        {"2.4703282292062328e-324", 0x1p-1074},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"1.7976931348623157e308", 0x1.fffffffffffffp1023},
        {"1.7976931348623159e308", INFINITY},
        {"9007199254740993", 9007199254740992.0},
        {"9007199254740993.00000000000000000000000000000000001", 9007199254740994.0},
        {"0e999999", 0},
        {"1e-999999", 0},
        {"1e999999", INFINITY},
        {".5", 0.5},
        {"3.", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(tirbi_decimal_to_double(cases[i].text, strlen(cases[i].text)) == cases[i].value);
}

/* Places are counted in characters, and long lines are shown in part. */
static void diagnostics(void **state) {
    (void)state;
    program p;
    char text[4096], message[1024];
    int n = snprintf(text, sizeof text, "@T.prim_func\ndef f(n: T.int32):\n\tT.evaluate(\"\xC3\xA9\" + zz)\n    ");
    memset(text + n, ' ', 1000);
    snprintf(text + n + 1000, 100, "\n");
    parse_program(&p, text);
    assert_int_equal(p.diagnostics.n_errors, 1);
    assert_int_equal(p.diagnostics.first_error, TIRB_TYPE);
    tirbi_diagnostic_format("t.py", &p.diagnostics.items[0], message, sizeof message);
    assert_string_equal(message,
                        "t.py:3:19: error: `zz` is not defined; give it a value before this line, or make it a "
                        "parameter, `zz: T.int32`\n\tT.evaluate(\"\xC3\xA9\" + zz)\n\t                 ^~\n");
    size_t length = tirbi_diagnostic_format("t.py", &p.diagnostics.items[0], message, 8);
    assert_int_equal(strlen(message), 7);
    assert_true(length > 8);
    free_program(&p);
    snprintf(text, sizeof text, "@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(%*s zz)\n", 3000, "");
    parse_program(&p, text);
    assert_true(tirbi_diagnostic_format("t.py", &p.diagnostics.items[0], message, sizeof message) < 500);
    free_program(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expression_shapes), cmocka_unit_test(assigned_variables),
        cmocka_unit_test(classic_lets),      cmocka_unit_test(blocks_and_root),
        cmocka_unit_test(parameters),        cmocka_unit_test(calls_between_functions),
        cmocka_unit_test(equality),          cmocka_unit_test(decimals),
        cmocka_unit_test(diagnostics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
