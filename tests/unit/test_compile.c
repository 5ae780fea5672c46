/* The compiler as a whole: programs that try it, what it makes of all kernels, and how it fails when memory does. */
#include "tests/unit/census.h"

#include <dirent.h>

#include <tirb/builder.h>

#include "tests/unit/sampled.h"

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = malloc(1 << 20);
    *size = text ? fread(text, 1, 1 << 20, file) : 0;
    fclose(file);
    return text;
}

/* ---- Programs ---------------------------------------------------------------------------------------------------- */

/* A nest deeper than what tree reductions are looked for in, and spatial axes beyond what is remembered of them. */
static void deep_nests_compile(void **state) {
    (void)state;
    static char text[1 << 16];
    size_t n = (size_t)snprintf(text, sizeof(text), HEADER "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n");
    for (int i = 0; i < 70; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%*sfor i%d in range(1):\n", i + 1, "", i);
    snprintf(text + n, sizeof(text) - n, "%*sA[0] = A[0] + A[i40]\n", 72, "");
    tirb_compile_result_destroy(compile_with(text, NULL));
    n = (size_t)snprintf(text, sizeof(text), HEADER "@T.prim_func\ndef f(A: T.Buffer((64,), \"float32\"), "
                                                    "B: T.Buffer((1,), \"float32\")):\n for k in range(64):\n"
                                                    "  with T.sblock(\"b\"):\n");
    for (int i = 0; i < 80; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "   v%d = T.axis.spatial(1, 0)\n", i);
    snprintf(text + n, sizeof(text) - n, "   vk = T.axis.reduce(64, k)\n   B[0] = B[0] + A[vk]\n");
    tirb_compile_result_destroy(compile_with(text, NULL));
}

/* An init that uses reduce variables is not moved before their loops. */
static void an_init_may_use_reduce_variables(void **state) {
    (void)state;
    static const char text[] = HEADER "@T.prim_func\n"
        "def f(X: T.Buffer((2, 33, 33), \"float32\"), M: T.Buffer((2, 33), \"float32\")):\n"
        "    for h, i, j, k in T.grid(2, 33, 3, 3):\n"
        "        with T.sblock(\"M\"):\n"
        "            vh, vi, vj, vk = T.axis.remap(\"SSRR\", [h, i, j, k])\n"
        "            with T.init():\n"
        "                M[vh, vi] = X[vh, vi, vj + vk]\n"
        "            M[vh, vi] = T.max(M[vh, vi], X[vh, vi, vj + 1])\n";
    tirb_compile_result_destroy(compile_with(text, NULL));
}

/* Two indices of this view are one element, so that its rows are not independent. */
static void overlapping_views_stay_scalar(void **state) {
    (void)state;
    static const char text[] = HEADER "@T.prim_func\ndef f(A: T.Buffer((64,), \"float32\")):\n"
        "    V = T.decl_buffer((8, 4), \"float32\", data=A.data, strides=[1, 2])\n"
        "    for i, j in T.grid(8, 3):\n        V[i, j + 1] = V[i, j] + T.float32(1)\n";
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    assert_int_equal(count(text, &options).lanes, 0);
    options.disable = "interchange";
    assert_int_equal(count(text, &options).lanes, 0);
}

static void compiling_twice_gives_the_same_bytes(void **state) {
    (void)state;
    unsigned n = 0, n_compiled = 0;
    DIR *folder = opendir("tests/kernels");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *dot = strrchr(entry->d_name, '.');
        char path[512];
        size_t size = 0, first_size, second_size;
        if (!dot || strcmp(dot, ".py") != 0) continue;
        snprintf(path, sizeof(path), "tests/kernels/%s", entry->d_name);
        if (++n % sampled_every() != 0) continue;
        char *text = read_file(path, &size);
        assert_non_null(text);
        tirb_compile_result *first = NULL, *second = NULL;
        if (strstr(text, "T.prim_func") && tirb_compile(text, size, NULL, &first, NULL) == TIRB_OK) {
            assert_int_equal(tirb_compile(text, size, NULL, &second, NULL), TIRB_OK);
            const uint8_t *a = tirb_compile_result_bytes(first, &first_size);
            const uint8_t *b = tirb_compile_result_bytes(second, &second_size);
            assert_int_equal(first_size, second_size);
            assert_memory_equal(a, b, first_size);
            n_compiled++;
        }
        tirb_compile_result_destroy(first);
        tirb_compile_result_destroy(second);
        free(text);
    }
    closedir(folder);
    assert_true(n_compiled * sampled_every() >= 20);
}

/* ---- Programs built in C ----------------------------------------------------------------------------------------- */

/* y[i] = a * x[i] + y[i], compiled from a builder, loaded and called. */
static void a_built_module_runs(void **state) {
    (void)state;
    tirb_builder *b = NULL;
    assert_int_equal(tirb_builder_create(NULL, 0, &b, NULL), TIRB_OK);
    tirb_builder_function(b, "saxpy", NULL, 0);
    const tirb_expr *n = tirb_builder_shape_var(b, "n", "int32");
    const tirb_expr *a = tirb_builder_scalar_param(b, "a", "float32");
    const tirb_buffer *x = tirb_builder_buffer_param(b, "x", "float32", &n, 1);
    const tirb_buffer *y = tirb_builder_buffer_param(b, "y", "float32", &n, 1);
    const tirb_expr *i = tirb_builder_for(b, TIRB_LOOP_SERIAL, "i", tirb_builder_int(b, "int32", 0), n);
    const tirb_expr *product = tirb_builder_binary(b, "*", a, tirb_builder_load(b, x, &i, 1));
    tirb_builder_store(b, y, tirb_builder_binary(b, "+", product, tirb_builder_load(b, y, &i, 1)), &i, 1);
    tirb_compile_result *result = NULL;
    assert_int_equal(tirb_builder_compile(b, NULL, &result, NULL), TIRB_MISUSE); /* two frames are open */
    tirb_builder_end(b);
    tirb_builder_end(b);
    assert_int_equal(tirb_builder_compile(b, NULL, &result, NULL), TIRB_OK);
    tirb_builder_destroy(b);

    size_t size;
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    tirb_engine *engine = NULL;
    tirb_module *module = NULL;
    tirb_instance *instance = NULL;
    assert_int_equal(tirb_engine_create(NULL, &engine, NULL), TIRB_OK);
    assert_int_equal(tirb_module_load(engine, bytes, size, &module, NULL), TIRB_OK);
    assert_int_equal(tirb_instance_create(module, NULL, &instance, NULL), TIRB_OK);
    float xs[3] = {1, 2, 3}, ys[3] = {10, 20, 30};
    int64_t shape = 3;
    DLTensor tx = {.data = xs, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = &shape};
    DLTensor ty = tx;
    ty.data = ys;
    tirb_arg args[3] = {{.kind = TIRB_ARG_FLOAT, .value.f = 2}, {.value.tensor = &tx}, {.value.tensor = &ty}};
    assert_int_equal(tirb_instance_call(instance, 0, args, 3, NULL, NULL), TIRB_OK);
    assert_true(ys[0] == 12 && ys[1] == 24 && ys[2] == 36);
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    tirb_engine_release(engine);
    tirb_compile_result_destroy(result);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

typedef struct failing {
    size_t countdown;
    size_t live;
} failing;

static void *failing_reallocate(void *context, void *ptr, size_t old_size, size_t new_size) {
    failing *f = context;
    if (new_size == 0) {
        f->live -= old_size;
        free(ptr);
        return NULL;
    }
    if (f->countdown == 0) return NULL;
    f->countdown--;
    void *fresh = realloc(ptr, new_size);
    if (fresh) f->live += new_size - old_size;
    return fresh;
}

static const char *small = HEADER "@T.prim_func(s_tir=True)\n"
                                  "def f(A: T.Buffer((\"n\",), \"float32\"), B: T.Buffer((\"n\",), \"float32\")):\n"
                                  "    n = T.int32()\n"
                                  "    for i in range(n):\n"
                                  "        B[i] = T.exp(A[i]) + T.float32(1)\n";

static const char padded[] =
    HEADER "@T.prim_func(s_tir=True)\n"
           "def f(A: T.Buffer((\"h\", 8), \"float32\"), W: T.Buffer((3, 8, 32), \"float32\"), "
           "O: T.Buffer((\"h\", 32), \"float32\")):\n"
           "    h = T.int32()\n"
           "    for y, f, r, c in T.grid(h, 32, 3, 8):\n"
           "        O[y, f] = O[y, f] + T.if_then_else(1 <= y + r and y + r <= h, A[y + r - 1, c], T.float32(0)) * "
           "W[r, c, f]\n";

static void fail_each_allocation_of(const char *text) {
    for (size_t n = 0;; n++) {
        failing f = {.countdown = n};
        tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
        options.allocator = (tirb_allocator){failing_reallocate, &f};
        options.explain = 1;
        tirb_compile_result *result = NULL;
        tirb_error error = TIRB_ERROR_INIT;
        tirb_status status = tirb_compile(text, strlen(text), &options, &result, &error);
        if (status != TIRB_NO_MEMORY && status != TIRB_OK) print_error("allocation %zu: %s\n", n, error.message);
        tirb_compile_result_destroy(result);
        assert_int_equal(f.live, 0);
        if (status == TIRB_OK) break;
        assert_int_equal(status, TIRB_NO_MEMORY);
        assert_true(n < 10000);
    }
}

static void every_failing_allocation_is_reported(void **state) {
    (void)state;
    fail_each_allocation_of(small);
    fail_each_allocation_of(padded);
}

static void loops_are_explained_on_request(void **state) {
    (void)state;
    for (uint32_t explain = 0; explain < 2; explain++) {
        tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
        options.explain = explain;
        options.parallel = TIRB_PARALLEL_OFF;
        tirb_compile_result *result = NULL;
        assert_int_equal(tirb_compile(small, strlen(small), &options, &result, NULL), TIRB_OK);
        assert_int_equal(tirb_compile_result_loop_count(result), explain);
        assert_null(tirb_compile_result_loop(result, explain));
        const tirb_loop_note *note = tirb_compile_result_loop(result, 0);
        if (explain) {
            assert_string_equal(note->function, "f");
            assert_string_equal(note->variable, "i");
            assert_int_equal(note->form, TIRB_FORM_LANES);
            assert_int_equal(note->column, 9);
            assert_non_null(strstr(note->text, "vexp.f32"));
        }
        tirb_compile_result_destroy(result);
    }
}

static void passes_are_left_out_by_name(void **state) {
    static const char text[] = HEADER "@T.prim_func\ndef f(A: T.Buffer((64, 64), \"float32\")):\n"
        "    for i, j in T.grid(64, 64):\n        A[i, j] = A[i, j] + T.float32(1)\n";
    static const struct {
        const char *names;
        bool known, lanes;
    } cases[] = {{NULL, true, true},           {"fuse,collapse", true, true}, {"lanes", true, false},
                 {"fuse,lanes", true, false},  {"all", true, false},          {"lanes,fusion", false, false},
                 {"", false, false},           {"lanes,", false, false},      {"lane", false, false},
                 {"regions", false, false},    {"LANES", false, false},       {" lanes", false, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
        tirb_compile_result *result = NULL;
        tirb_error error = TIRB_ERROR_INIT;
        options.disable = cases[i].names;
        if (cases[i].known) {
            assert_int_equal(count(text, &options).lanes > 0, cases[i].lanes);
            continue;
        }
        assert_int_equal(tirb_compile(text, strlen(text), &options, &result, &error), TIRB_MISUSE);
        assert_null(result);
        for (uint32_t k = 0; tirb_pass_name(k, NULL); k++) /* says what there is */
            assert_non_null(strstr(error.message, tirb_pass_name(k, NULL)));
    }
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    options.parallel = (tirb_parallel)3;
    assert_int_equal(tirb_compile(text, strlen(text), &options, &result, &error), TIRB_MISUSE);
    options.parallel = TIRB_PARALLEL_AUTO;
    options.show_ir = "lanes"; /* no pass over loop IR */
    assert_int_equal(tirb_compile(text, strlen(text), &options, &result, &error), TIRB_MISUSE);
    assert_null(result);
}

static void memory_is_limited(void **state) {
    (void)state;
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.max_memory = 4096;
    tirb_compile_result *result = NULL;
    assert_int_equal(tirb_compile(small, strlen(small), &options, &result, NULL), TIRB_MEMORY_LIMIT);
    tirb_compile_result_destroy(result);
}

/* What is NULL is named, and a text whose size counts the NUL behind it says so. */
static void wrong_use_is_named(void **state) {
    (void)state;
    static const char text[] = "from tvm.script import tirx as T\n@T.prim_func\ndef f(n: T.int32):\n    pass\n";
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    assert_int_equal(tirb_compile(NULL, 5, NULL, &result, &error), TIRB_MISUSE);
    assert_string_equal(error.message, "tirb_compile: text is NULL");
    assert_int_equal(tirb_compile(text, sizeof text - 1, NULL, NULL, &error), TIRB_MISUSE);
    assert_string_equal(error.message, "tirb_compile: out_result is NULL");
    assert_int_equal(tirb_format(NULL, 5, TIRB_DIALECT_SAME, NULL, &result, &error), TIRB_MISUSE);
    assert_string_equal(error.message, "tirb_format: text is NULL");
    assert_int_equal(tirb_builder_compile(NULL, NULL, &result, &error), TIRB_MISUSE);
    assert_string_equal(error.message, "tirb_builder_compile: builder is NULL");
    assert_int_equal(tirb_compile(text, sizeof text, NULL, &result, &error), TIRB_SYNTAX);
    assert_non_null(strstr(error.message, "the size of a text in C is strlen(text)"));
    tirb_compile_result_destroy(result);
    assert_int_equal(tirb_compile(text, sizeof text - 1, NULL, &result, &error), TIRB_OK);
    tirb_compile_result_destroy(result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_nests_compile),
        cmocka_unit_test(an_init_may_use_reduce_variables),
        cmocka_unit_test(overlapping_views_stay_scalar),
        cmocka_unit_test(compiling_twice_gives_the_same_bytes),
        cmocka_unit_test(a_built_module_runs),
        cmocka_unit_test(every_failing_allocation_is_reported),
        cmocka_unit_test(loops_are_explained_on_request),
        cmocka_unit_test(passes_are_left_out_by_name),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(wrong_use_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
