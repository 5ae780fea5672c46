/* The whole interface, wrongly used: NULL for every pointer, structs of other sizes, random sequences of builder calls,
 * and whatever is asked about nothing. What must not happen is anything but a status. */
#include "tests/unit/api_fixture.h"

#include <tirb/builder.h>
#include <tirb/dlpack.h>

#include "loader/base/error.h"
#include "loader/base/printable.h"
#include "tests/differential/random.h"

static const char double_it[] = ".function \"f\" public returns i64\n.scalars 2\n.ref i64 writable\n.var \"n\" i64 "
                                "s0\n.tensor \"a\" i64 r0 read write ($0)\n"
                                "    const.i64 s1, 0\n    load.i64 s1, r0, s1\n    ret.i64 s1\n.end\n";
static const DLDataType int64 = {kDLInt, 64, 1};

/* ---- NULL -------------------------------------------------------------------------------------------------------- */

static void test_runtime_null(void **state) {
    (void)state;
    session s = open_session(double_it, NULL);
    tirb_engine *engine = (tirb_engine *)&s;
    tirb_module *module = (tirb_module *)&s;
    tirb_instance *instance = (tirb_instance *)&s;
    DLManagedTensor *older = (DLManagedTensor *)&s;
    tirb_dl_managed_v1 *newer = (tirb_dl_managed_v1 *)&s;
    const int64_t shape[] = {1};
    uint32_t function;
    int32_t ndim;
    DLDataType type;
    tirb_isa isa;
    tirb_error e = TIRB_ERROR_INIT;
    assert_int_equal(tirb_engine_create(NULL, NULL, &e), TIRB_MISUSE);
    assert_int_equal(tirb_engine_create(NULL, NULL, NULL), TIRB_MISUSE);
    tirb_engine_release(NULL);
    assert_int_equal(tirb_engine_isa(NULL), TIRB_ISA_AUTO);
    assert_int_equal(tirb_isa_from_name(NULL, &isa), TIRB_NOT_FOUND);
    assert_int_equal(tirb_isa_from_name("sse2", NULL), TIRB_NOT_FOUND);
    assert_int_equal(tirb_isa_from_name("", &isa), TIRB_NOT_FOUND);
    assert_string_equal(tirb_isa_name((tirb_isa)-1), "unknown");
    assert_int_equal(tirb_isa_available((tirb_isa)77), 0);
    assert_string_equal(tirb_status_name((tirb_status)-1), "UNKNOWN");
    assert_string_equal(tirb_status_text((tirb_status)1000), "unknown status");
    tirb_engine_cache_clear(NULL);
    assert_int_equal(tirb_engine_cache_stats(NULL, NULL), TIRB_MISUSE);
    assert_int_equal(tirb_module_load(NULL, "", 0, &module, &e), TIRB_MISUSE);
    assert_null(module);
    assert_int_equal(tirb_module_load(s.engine, NULL, 1, &module, &e), TIRB_MISUSE);
    assert_int_equal(tirb_module_load(s.engine, NULL, 0, &module, &e), TIRB_FORMAT);
    assert_int_equal(tirb_module_load(s.engine, "", 0, NULL, &e), TIRB_MISUSE);
    assert_null(tirb_module_retain(NULL));
    tirb_module_release(NULL);
    assert_int_equal(tirb_module_function_count(NULL), 0);
    assert_int_equal(tirb_module_import_count(NULL), 0);
    assert_int_equal(tirb_module_find(NULL, "f", &function, &e), TIRB_MISUSE);
    assert_int_equal(tirb_module_find(s.module, NULL, &function, &e), TIRB_MISUSE);
    assert_int_equal(tirb_module_find(s.module, "f", NULL, &e), TIRB_MISUSE);
    assert_int_equal(tirb_module_function(NULL, 0, NULL, &e), TIRB_MISUSE);
    assert_int_equal(tirb_module_function(s.module, 0, NULL, NULL), TIRB_MISUSE);
    assert_int_equal(tirb_module_param(NULL, 0, 0, NULL, &e), TIRB_MISUSE);
    assert_int_equal(tirb_module_import(NULL, 0, NULL, &e), TIRB_MISUSE);
    assert_int_equal(tirb_instance_create(NULL, NULL, &instance, &e), TIRB_MISUSE);
    assert_null(instance);
    assert_int_equal(tirb_instance_create(s.module, NULL, NULL, &e), TIRB_MISUSE);
    tirb_instance_destroy(NULL);
    tirb_instance_cancel(NULL);
    tirb_instance_sample(NULL);
    assert_int_equal(tirb_instance_call(NULL, 0, NULL, 0, NULL, &e), TIRB_MISUSE);
    assert_int_equal(tirb_instance_call(s.instance, 0, NULL, 1, NULL, &e), TIRB_MISUSE);
    assert_int_equal(tirb_instance_bind(NULL, NULL, 0, &e), TIRB_MISUSE);
    assert_int_equal(tirb_instance_infer(NULL, 0, 0, NULL, 0, NULL, 0, &ndim, &type, &e), TIRB_MISUSE);
    assert_int_equal(tirb_instance_infer(s.instance, 0, 0, NULL, 1, NULL, 0, &ndim, &type, &e), TIRB_MISUSE);
    assert_int_equal(tirb_instance_infer(s.instance, 0, 0, NULL, 0, NULL, 3, &ndim, &type, &e), TIRB_MISUSE);
    assert_int_equal(tirb_instance_minima(NULL, 0, 0, NULL, 0, NULL, 0, &ndim, &e), TIRB_MISUSE);
    assert_int_equal(tirb_instance_stats(NULL, NULL), TIRB_MISUSE);
    assert_int_equal(tirb_instance_trim(NULL, &e), TIRB_MISUSE);
    assert_int_equal(tirb_instance_trim(NULL, NULL), TIRB_MISUSE);
    assert_int_equal(tirb_instance_profile(NULL, 0, NULL, &e), TIRB_MISUSE);
    assert_int_equal(tirb_instance_profile_reset(NULL, &e), TIRB_MISUSE);
    assert_int_equal(tirb_tensor_create(NULL, int64, shape, 1, &older, &e), TIRB_MISUSE);
    assert_null(older);
    assert_int_equal(tirb_tensor_create_v1(s.engine, int64, shape, 1, NULL, &e), TIRB_MISUSE);
    assert_int_equal(tirb_tensor_create_v1(s.engine, int64, NULL, 1, &newer, &e), TIRB_ARGUMENT);
    assert_null(newer);
    assert_int_equal(tirb_engine_create(NULL, &engine, NULL), TIRB_OK);
    tirb_engine_release(engine);
    close_session(&s);
}

static void test_compiler_null(void **state) {
    (void)state;
    tirb_compile_result *result = NULL;
    tirb_builder *builder = NULL;
    tirb_error e = TIRB_ERROR_INIT;
    char text[2] = "x";
    size_t size = 7;
    assert_int_equal(tirb_compile(NULL, 1, NULL, &result, &e), TIRB_MISUSE);
    assert_int_equal(tirb_compile("", 0, NULL, NULL, &e), TIRB_MISUSE);
    assert_int_equal(tirb_format(NULL, 1, TIRB_DIALECT_SAME, NULL, &result, &e), TIRB_MISUSE);
    tirb_compile_result_destroy(NULL);
    assert_null(tirb_compile_result_bytes(NULL, &size));
    assert_int_equal(size, 0);
    assert_null(tirb_compile_result_bytes(NULL, NULL));
    assert_int_equal(tirb_compile_result_diagnostic_count(NULL), 0);
    assert_null(tirb_compile_result_diagnostic(NULL, 0));
    assert_int_equal(tirb_compile_result_format(NULL, 0, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(tirb_compile_result_loop_count(NULL), 0);
    assert_null(tirb_compile_result_loop(NULL, 0));
    assert_int_equal(tirb_compile("def", 3, NULL, &result, &e), TIRB_SYNTAX);
    assert_true(e.line == 1 && e.column > 0 && e.end_column >= e.column);
    assert_true(tirb_compile_result_format(result, 0, NULL, 0) > 10);
    assert_true(tirb_compile_result_format(result, 0, NULL, 9) > 10);
    assert_int_equal(tirb_compile_result_format(result, 99, text, sizeof text), 0);
    assert_true(tirb_compile_result_format(result, 0, text, sizeof text) > 10);
    assert_int_equal(strlen(text), 1);
    assert_null(tirb_compile_result_diagnostic(result, UINT32_MAX));
    tirb_compile_result_destroy(result);

    assert_int_equal(tirb_builder_create(NULL, 0, NULL, &e), TIRB_MISUSE);
    assert_int_equal(tirb_builder_create(NULL, 1, &builder, &e), TIRB_MEMORY_LIMIT);
    assert_null(builder);
    tirb_builder_destroy(NULL);
    assert_int_equal(tirb_builder_status(NULL, &e), TIRB_MISUSE);
    assert_int_equal(tirb_builder_diagnostic_count(NULL), 0);
    assert_null(tirb_builder_diagnostic(NULL, 0));
    assert_int_equal(tirb_builder_compile(NULL, NULL, &result, &e), TIRB_MISUSE);
}

/* ---- Sizes ------------------------------------------------------------------------------------------------------- */

/* An older host's struct ends earlier, a newer one's goes on; what this version does not know must be 0. */
static void test_sizes(void **state) {
    (void)state;
    struct {
        tirb_compile_options options;
        uint64_t more[2];
    } later = {TIRB_COMPILE_OPTIONS_INIT, {0, 0}};
    tirb_compile_result *result = NULL;
    tirb_error e = TIRB_ERROR_INIT;
    static const char text[] =
        "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((4,), 'int32')):\n"
        "    for i in range(4):\n        A[i] = i\n";
    later.options.explain = 1;
    later.options.struct_size = offsetof(tirb_compile_options, explain); /* the field is beyond the end */
    assert_int_equal(tirb_compile(text, sizeof text - 1, &later.options, &result, &e), TIRB_OK);
    assert_int_equal(tirb_compile_result_loop_count(result), 0);
    tirb_compile_result_destroy(result);
    later.options.struct_size = sizeof later;
    assert_int_equal(tirb_compile(text, sizeof text - 1, &later.options, &result, &e), TIRB_OK);
    assert_true(tirb_compile_result_loop_count(result) > 0);
    tirb_compile_result_destroy(result);
    later.more[0] = 1;
    assert_int_equal(tirb_compile(text, sizeof text - 1, &later.options, &result, &e), TIRB_MISUSE);
    assert_non_null(strstr(e.message, "begin with TIRB_COMPILE_OPTIONS_INIT"));
    later.options.struct_size = 0;
    assert_int_equal(tirb_format(text, sizeof text - 1, TIRB_DIALECT_TIRX, &later.options, &result, &e), TIRB_MISUSE);
    later.options = (tirb_compile_options)TIRB_COMPILE_OPTIONS_INIT;
    later.options.fp = (tirb_fp_mode)3;
    assert_int_equal(tirb_compile(text, sizeof text - 1, &later.options, &result, &e), TIRB_MISUSE);
    later.options.fp = TIRB_FP_PRECISE;
    later.options.max_memory = 1000;
    assert_int_equal(tirb_compile(text, sizeof text - 1, &later.options, &result, &e), TIRB_MEMORY_LIMIT);
    assert_null(result);
}

/* An error is filled as far as it goes and not a byte further, its texts ended. */
static void test_error_sizes(void **state) {
    (void)state;
    for (uint32_t size = 0; size <= sizeof(tirb_error) + 4; size++) {
        union {
            tirb_error error;
            uint8_t bytes[sizeof(tirb_error) + 64];
        } e;
        memset(e.bytes, 0xa5, sizeof e.bytes);
        e.error.struct_size = size;
        tirb_compile_result *result = NULL;
        assert_int_equal(tirb_compile("\n  x '", 6, NULL, &result, &e.error), TIRB_SYNTAX);
        tirb_compile_result_destroy(result);
        assert_int_equal(e.error.struct_size, size);
        size_t end = size < sizeof(tirb_error) ? size : sizeof(tirb_error);
        for (size_t i = end < 4 ? 4 : end; i < sizeof e.bytes; i++) assert_int_equal(e.bytes[i], 0xa5);
        if (size >= 8) assert_int_equal(e.error.code, TIRB_SYNTAX);
        if (size >= 16) assert_int_equal(e.error.line, 2);
        if (size > offsetof(tirb_error, where))
            assert_non_null(memchr(e.error.where, 0, end - offsetof(tirb_error, where)));
        if (size > offsetof(tirb_error, message)) {
            assert_non_null(memchr(e.error.message, 0, end - offsetof(tirb_error, message)));
        }
    }
}

/* No character is left half. */
static void test_error_characters(void **state) {
    (void)state;
    char umlauts[4 * sizeof(tirb_error)] = "";
    for (unsigned i = 0; i + 2 < sizeof umlauts; i += 2) memcpy(umlauts + i, "\xC3\xBC", 3);
    for (uint32_t size = offsetof(tirb_error, where) + 1; size <= sizeof(tirb_error); size++) {
        tirb_error error = {.struct_size = size};
        tirbi_error_set(&error, TIRB_IO, "%s", umlauts);
        tirbi_error_at(&error, umlauts, 1, 2);
        const char *texts[] = {error.where, error.message};
        for (unsigned t = 0; t < 2; t++)
            for (const char *c = texts[t]; *c; c += tirbi_character_size(c, strlen(c)))
                assert_int_equal(tirbi_unprintable(c, strlen(c)), 0);
    }
}

/* ---- Limits at their ends ---------------------------------------------------------------------------------------- */

static void test_extreme_limits(void **state) {
    (void)state;
    static const uint64_t values[] = {0, 1, 2, 1000, UINT32_MAX, (uint64_t)INT64_MAX, UINT64_MAX};
    enum { N = sizeof values / sizeof *values };
    session s = open_session(double_it, NULL);
    int64_t data[2] = {42, 0};
    tensor t;
    const tirb_arg arg = tensor_arg(make_tensor(&t, data, int64, 1, 2));
    for (int k = 0; k < N * 5; k++) {
        tirb_limits limits = TIRB_LIMITS_INIT;
        tirb_instance *instance = NULL;
        tirb_result result = {0};
        uint64_t value = values[k % N];
        int field = k / N;
        if (field == 0) limits.fuel = value;
        if (field == 1) limits.max_memory = value;
        if (field == 2) limits.timeout_ns = value;
        if (field == 3) limits.max_depth = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
        if (field == 4) limits.threads = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
        assert_int_equal(tirb_instance_create(s.module, &limits, &instance, &s.error), TIRB_OK);
        tirb_status status = tirb_instance_call(instance, 0, &arg, 1, &result, &s.error);
        static const tirb_status refusals[] = {TIRB_FUEL, TIRB_MEMORY_LIMIT, TIRB_DEADLINE, TIRB_DEPTH, TIRB_OK};
        if (status != refusals[field]) EXPECT_OK(&s, status);
        if (status == TIRB_OK) assert_int_equal(result.value.i, 42);
        bool roomy = value == 0 || value >= UINT32_MAX;
        if (roomy && status != TIRB_OK)
            fail_msg("field %d, value %llu: %s", field, (unsigned long long)value, s.error.message);
        tirb_stats stats = TIRB_STATS_INIT;
        assert_int_equal(tirb_instance_stats(instance, &stats), TIRB_OK);
        tirb_instance_destroy(instance);
    }
    close_session(&s);
}

/* ---- The builder, at random -------------------------------------------------------------------------------------- */

enum { MOST = 64 };

typedef struct player {
    tirbi_random random;
    tirb_builder *b;
    const tirb_expr *exprs[MOST];
    const tirb_buffer *buffers[MOST];
    uint32_t n_exprs, n_buffers, n_functions;
} player;

static uint32_t pick(player *p, uint32_t n) { return tirbi_random_below(&p->random, n); }

static const tirb_expr *some_expr(player *p) {
    if (p->n_exprs == 0 || pick(p, 40) == 0) return NULL;
    return p->exprs[pick(p, p->n_exprs)];
}

static const tirb_buffer *some_buffer(player *p) {
    if (p->n_buffers == 0 || pick(p, 40) == 0) return NULL;
    return p->buffers[pick(p, p->n_buffers)];
}

static const char *some_type(player *p) {
    static const char *const types[] = {"float32",  "int32", "int64",  "bool",   "float16", "uint8",
                                        "int32",    "int32", "handle", "void",   "int7",    "float32x4",
                                        "bfloat16", "",      NULL,     "int32x0"};
    return types[pick(p, pick(p, 5) == 0 ? 16 : 8)];
}

static const char *some_name(player *p) {
    static const char *const names[] = {"f0", "f1", "x", "i", "", NULL, "exp", "fma", "nonsense", "f2"};
    return names[pick(p, 10)];
}

static void keep(player *p, const tirb_expr *e) {
    if (e && p->n_exprs < MOST) p->exprs[p->n_exprs++] = e;
    else if (e) p->exprs[pick(p, MOST)] = e;
}

static void keep_buffer(player *p, const tirb_buffer *buffer) {
    if (buffer && p->n_buffers < MOST) p->buffers[p->n_buffers++] = buffer;
}

static void make_expr(player *p) {
    static const char *const ops[] = {"+", "-", "*", "/", "//", "%", "min", "max", "==", "!=", "<", "<=", ">", ">=",
                                      "and", "or", "&", "|", "^", "<<", ">>", "?", "", NULL};
    tirb_builder *b = p->b;
    const tirb_expr *args[4] = {some_expr(p), some_expr(p), some_expr(p), some_expr(p)};
    uint32_t n = pick(p, 4);
    static const int64_t ints[] = {0, 1, -1, 3, 8, 255, 1 << 20, INT32_MAX, INT64_MIN, INT64_MAX};
    switch (pick(p, 11)) {
    case 0: keep(p, tirb_builder_int(b, some_type(p), ints[pick(p, 10)])); break;
    case 1: keep(p, tirb_builder_float(b, some_type(p), pick(p, 2) ? 1.5 : 1e300)); break;
    case 2: keep(p, tirb_builder_binary(b, ops[pick(p, pick(p, 8) ? 21 : 24)], args[0], args[1])); break;
    case 3: keep(p, tirb_builder_not(b, args[0])); break;
    case 4: keep(p, tirb_builder_cast(b, some_type(p), args[0])); break;
    case 5: keep(p, tirb_builder_if_then_else(b, args[0], args[1], args[2])); break;
    case 6: keep(p, tirb_builder_load(b, some_buffer(p), args, n)); break;
    case 7: keep(p, tirb_builder_ramp(b, args[0], args[1], pick(p, 3) ? 4 : (uint32_t)ints[pick(p, 10)])); break;
    case 8: keep(p, tirb_builder_math(b, some_name(p), args, n)); break;
    case 9: keep(p, tirb_builder_data(b, some_buffer(p))); break;
    default: keep(p, tirb_builder_call(b, some_name(p), args, n)); break;
    }
}

static void make_stmt(player *p) {
    tirb_builder *b = p->b;
    const tirb_expr *args[3] = {some_expr(p), some_expr(p), some_expr(p)};
    uint32_t n = pick(p, 3);
    switch (pick(p, 19)) {
    case 0: keep(p, tirb_builder_for(b, (tirb_loop_kind)pick(p, 5), some_name(p), args[0], args[1])); break;
    case 1: tirb_builder_while(b, args[0]); break;
    case 2: tirb_builder_if(b, args[0]); break;
    case 3: tirb_builder_else(b); break;
    case 4: tirb_builder_block(b, some_name(p)); break;
    case 5: keep(p, tirb_builder_axis(b, some_name(p), (int)pick(p, 2), args[0], args[1])); break;
    case 6: tirb_builder_where(b, args[0]); break;
    case 7: tirb_builder_init(b); break;
    case 8:
    case 9: tirb_builder_store(b, some_buffer(p), args[0], args + 1, n); break;
    case 10: keep(p, tirb_builder_let(b, some_name(p), args[0])); break;
    case 11: keep_buffer(p, tirb_builder_allocate(b, some_name(p), some_type(p), args, n, (int)pick(p, 2))); break;
    case 12: tirb_builder_assert(b, args[0], some_name(p)); break;
    case 13: tirb_builder_evaluate(b, args[0]); break;
    case 14: tirb_builder_return(b, pick(p, 2) ? args[0] : NULL); break;
    case 15: tirb_builder_break(b); break;
    case 16: tirb_builder_continue(b); break;
    case 17: tirb_builder_require(b, args[0], some_name(p)); break;
    default: tirb_builder_may_alias(b, some_buffer(p), some_buffer(p)); break;
    }
}

static void make_function(player *p) {
    static const char *const names[] = {"f0", "f1", "f2"};
    const tirb_expr *dims[2] = {some_expr(p), some_expr(p)};
    tirb_builder *b = p->b;
    tirb_builder_function(b, p->n_functions < 3 ? names[p->n_functions++] : some_name(p),
                          pick(p, 3) ? NULL : some_type(p), (int)pick(p, 2));
    for (uint32_t n = pick(p, 4); n > 0; n--) {
        keep(p, tirb_builder_scalar_param(b, some_name(p), some_type(p)));
        keep(p, tirb_builder_shape_var(b, some_name(p), pick(p, 2) ? "int32" : some_type(p)));
        dims[0] = some_expr(p);
        keep_buffer(p, tirb_builder_buffer_param(b, some_name(p), some_type(p), dims, pick(p, 3)));
    }
}

static void play(player *p, uint32_t steps) {
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t what = pick(p, 100);
        if (what < 4 || i == 0) make_function(p);
        else if (what < 55) make_expr(p);
        else if (what < 85) make_stmt(p);
        else tirb_builder_end(p->b);
    }
}

/* ---- The builder, as a careful program uses it: int32 values, and buffers A (8, 4) and B (16,) ------------------- */

static const tirb_expr *integer(player *p, int64_t value) { return tirb_builder_int(p->b, "int32", value); }

static const tirb_expr *value(player *p) {
    static const char *const ops[] = {"+", "-", "*", "min", "max", "&", "|", "^", "//", "%"};
    if (p->n_exprs == 0 || pick(p, 3) == 0) return integer(p, (int64_t)pick(p, 20) - 4);
    const tirb_expr *x = p->exprs[pick(p, p->n_exprs)];
    return pick(p, 2) ? x : tirb_builder_binary(p->b, ops[pick(p, 10)], x, integer(p, 1 + pick(p, 7)));
}

static const tirb_expr *index_below(player *p, int64_t extent) {
    const tirb_expr *low = tirb_builder_binary(p->b, "max", value(p), integer(p, 0));
    return pick(p, 30) ? tirb_builder_binary(p->b, "min", low, integer(p, extent - 1)) : low;
}

static const tirb_expr *condition(player *p) {
    static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};
    const tirb_expr *x = tirb_builder_binary(p->b, ops[pick(p, 6)], value(p), value(p));
    if (pick(p, 3) == 0) x = tirb_builder_not(p->b, x);
    return pick(p, 4) ? x
                      : tirb_builder_binary(p->b, pick(p, 2) ? "and" : "or", x,
                                            tirb_builder_binary(p->b, "<", value(p), value(p)));
}

static const tirb_expr *real(player *p) {
    const tirb_expr *at[2] = {index_below(p, 8), index_below(p, 4)};
    const tirb_expr *loaded = tirb_builder_load(p->b, p->buffers[0], at, 2);
    switch (pick(p, 4)) {
    case 0: return tirb_builder_cast(p->b, "float32", value(p));
    case 1: return tirb_builder_math(p->b, "tanh", &loaded, 1);
    case 2: return tirb_builder_if_then_else(p->b, condition(p), loaded, tirb_builder_float(p->b, "float32", 0.5));
    default: return loaded;
    }
}

enum { DEEPEST = 6 };

/* What is in scope outside of each open frame. */
typedef struct scopes {
    uint32_t n_exprs[DEEPEST], n_buffers[DEEPEST], depth;
    bool is_if[DEEPEST];
} scopes;

static void enter(player *p, scopes *s, bool is_if) {
    s->n_exprs[s->depth] = p->n_exprs;
    s->n_buffers[s->depth] = p->n_buffers;
    s->is_if[s->depth++] = is_if;
}

static void leave(player *p, scopes *s) {
    tirb_builder_end(p->b);
    s->depth--;
    p->n_exprs = s->n_exprs[s->depth];
    p->n_buffers = s->n_buffers[s->depth];
    if (!s->is_if[s->depth] || pick(p, 2)) return;
    tirb_builder_else(p->b);
    enter(p, s, false);
}

static void put(player *p) {
    const tirb_expr *at[2] = {index_below(p, 8), index_below(p, 4)}, *one = index_below(p, 16);
    if (pick(p, 2)) tirb_builder_store(p->b, p->buffers[0], real(p), at, 2);
    else tirb_builder_store(p->b, p->buffers[1], value(p), &one, 1);
}

static void careful_step(player *p, scopes *s) {
    static const char *const names[] = {"i", "j", "k"};
    const tirb_expr *extent = integer(p, 1 + pick(p, 5)), *var, *sizes[1] = {integer(p, 1 + pick(p, 4))};
    switch (s->depth < DEEPEST - 1 ? pick(p, 14) : 5 + pick(p, 9)) {
    case 0:
    case 1:
        var = tirb_builder_for(p->b, pick(p, 6) ? TIRB_LOOP_SERIAL : (tirb_loop_kind)pick(p, 4), names[pick(p, 3)],
                               integer(p, 0), extent);
        enter(p, s, false);
        keep(p, var);
        break;
    case 2:
        tirb_builder_if(p->b, condition(p));
        enter(p, s, true);
        break;
    case 3:
        tirb_builder_block(p->b, "block");
        enter(p, s, false);
        keep(p, tirb_builder_axis(p->b, "v", (int)pick(p, 2), integer(p, 20), index_below(p, 20)));
        if (pick(p, 2)) tirb_builder_where(p->b, condition(p));
        if (pick(p, 2)) break;
        tirb_builder_init(p->b);
        put(p);
        tirb_builder_end(p->b);
        break;
    case 4: keep(p, tirb_builder_let(p->b, "x", value(p))); break;
    case 5: {
        const tirb_buffer *buffer = tirb_builder_allocate(p->b, "L", "int32", sizes, 1, (int)pick(p, 2));
        const tirb_expr *zero = integer(p, 0);
        tirb_builder_store(p->b, buffer, value(p), &zero, 1);
        keep(p, tirb_builder_load(p->b, buffer, &zero, 1));
        break;
    }
    case 6: tirb_builder_assert(p->b, tirb_builder_binary(p->b, "<", value(p), integer(p, 1000)), "too large"); break;
    case 7:
    case 8:
        if (s->depth > 0) leave(p, s);
        break;
    default: put(p); break;
    }
}

static void careful_function(player *p, const char *name, const char *callee) {
    const tirb_expr *eight_four[2], *sixteen[1];
    scopes s = {.depth = 0};
    p->n_exprs = p->n_buffers = 0;
    tirb_builder_function(p->b, name, NULL, 0);
    eight_four[0] = integer(p, 8);
    eight_four[1] = integer(p, 4);
    sixteen[0] = integer(p, 16);
    keep_buffer(p, tirb_builder_buffer_param(p->b, "A", "float32", eight_four, 2));
    keep_buffer(p, tirb_builder_buffer_param(p->b, "B", "int32", sixteen, 1));
    keep(p, tirb_builder_scalar_param(p->b, "x", "int32"));
    for (uint32_t i = 0; i < 25; i++) careful_step(p, &s);
    while (s.depth > 0) leave(p, &s);
    if (callee) {
        const tirb_expr *args[3] = {tirb_builder_data(p->b, p->buffers[0]), tirb_builder_data(p->b, p->buffers[1]),
                                    value(p)};
        tirb_builder_evaluate(p->b, tirb_builder_call(p->b, callee, args, 3));
    }
    tirb_builder_end(p->b);
}

/* Calls every function with three arguments, which are right for the careful ones and may be for others. */
static void call_all(const uint8_t *bytes, size_t size) {
    tirb_limits limits = TIRB_LIMITS_INIT;
    session s = {.error = TIRB_ERROR_INIT};
    float a[32] = {1, 2, 3};
    int32_t b[16] = {4, 5, 6};
    tensor t, u;
    static const DLDataType int32 = {kDLInt, 32, 1};
    const tirb_arg args[] = {tensor_arg(make_tensor(&t, a, F32, 2, 8, 4)), tensor_arg(make_tensor(&u, b, int32, 1, 16)),
                             int_arg(5)};
    limits.fuel = 100000;
    EXPECT_OK(&s, tirb_engine_create(NULL, &s.engine, &s.error));
    EXPECT_OK(&s, tirb_module_load(s.engine, bytes, size, &s.module, &s.error));
    EXPECT_OK(&s, tirb_instance_create(s.module, &limits, &s.instance, &s.error));
    for (uint32_t f = 0; f < tirb_module_function_count(s.module); f++) {
        tirb_status status = tirb_instance_call(s.instance, f, args, 3, NULL, &s.error);
        assert_int_not_equal(status, TIRB_INTERNAL);
    }
    close_session(&s);
}

/* What the compiler says; the bundle must load and run. */
static tirb_status compile_and_run(player *p) {
    tirb_compile_result *result = NULL, *again = NULL;
    tirb_error e = TIRB_ERROR_INIT;
    tirb_status status = tirb_builder_compile(p->b, NULL, &result, &e);
    assert_int_not_equal(status, TIRB_INTERNAL);
    if (status != TIRB_OK) assert_true(e.message[0] != 0 && e.code == status);
    assert_int_equal(tirb_builder_compile(p->b, NULL, &again, &e), status);
    size_t size = 0, size_again = 0;
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size),
                  *bytes_again = tirb_compile_result_bytes(again, &size_again);
    assert_int_equal(size, size_again);
    assert_true(size == 0 || memcmp(bytes, bytes_again, size) == 0);
    if (status == TIRB_OK) call_all(bytes, size);
    tirb_compile_result_destroy(result);
    tirb_compile_result_destroy(again);
    return status;
}

static void test_builder_at_random(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        player p = {.random = {.state = seed * 77}};
        tirb_error e = TIRB_ERROR_INIT;
        uint64_t budget = seed % 5 == 0 ? 20000 + 97 * (seed % 300) : 0;
        tirb_status status = tirb_builder_create(NULL, budget, &p.b, &e);
        if (seed == 1) { /* once without a builder: everything is passed over */
            tirb_builder_destroy(p.b);
            p.b = NULL;
        } else if (status != TIRB_OK) {
            continue;
        }
        play(&p, 200);
        for (uint32_t i = pick(&p, 12); i > 0; i--) tirb_builder_end(p.b);
        if (p.b) compile_and_run(&p);
        tirb_builder_destroy(p.b);
    }
}

static void test_builder_with_care(void **state) {
    (void)state;
    uint32_t n_good = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        player p = {.random = {.state = seed}};
        tirb_error e = TIRB_ERROR_INIT;
        assert_int_equal(tirb_builder_create(NULL, 0, &p.b, &e), TIRB_OK);
        careful_function(&p, "f0", NULL);
        careful_function(&p, "f1", "f0");
        if (tirb_builder_status(p.b, &e) != TIRB_OK) fail_msg("seed %llu: %s", (unsigned long long)seed, e.message);
        n_good += compile_and_run(&p) == TIRB_OK;
        tirb_builder_destroy(p.b);
    }
    assert_true(n_good > 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runtime_null),   cmocka_unit_test(test_compiler_null),
        cmocka_unit_test(test_sizes),          cmocka_unit_test(test_error_sizes),
        cmocka_unit_test(test_error_characters),
        cmocka_unit_test(test_extreme_limits), cmocka_unit_test(test_builder_at_random),
        cmocka_unit_test(test_builder_with_care),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
