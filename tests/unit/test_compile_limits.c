/* What compiling a stranger's source costs: work and bytes are counted, never time. */
#include "tests/unit/census.h"

#include <tirb/builder.h>

/* ---- Counting ---------------------------------------------------------------------------------------------------- */

/* What a compilation takes of its allocator. */
typedef struct meter {
    size_t held, peak; /* bytes */
    size_t calls;
} meter;

static void *metered(void *context, void *ptr, size_t old_size, size_t new_size) {
    meter *m = context;
    m->held = m->held - old_size + new_size;
    m->peak = m->held > m->peak ? m->held : m->peak;
    m->calls++;
    if (new_size > 0) return realloc(ptr, new_size);
    free(ptr);
    return NULL;
}

static meter measure(const char *text, const tirb_compile_options *given, tirb_status expected) {
    meter m = {0};
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    if (given) options = *given;
    options.allocator = (tirb_allocator){.reallocate = metered, .context = &m};
    const tirb_status status = tirb_compile(text, strlen(text), &options, &result, NULL);
    if (status != expected) print_error("%s for %.2000s\n", tirb_status_name(status), text);
    assert_int_equal(status, expected);
    tirb_compile_result_destroy(result);
    assert_int_equal(m.held, 0);
    return m;
}

/* ---- Nests of small extents -------------------------------------------------------------------------------------- */

typedef enum nest_form { COPY, TURNED, TURNED_BACK, BLOCK, GUARDED, SUMMED, N_NEST_FORMS } nest_form;

static void list(char *out, size_t size, const char *name, int n, int step) {
    size_t used = 0;
    for (int i = step > 0 ? 0 : n - 1; i >= 0 && i < n; i += step)
        used += (size_t)snprintf(out + used, size - used, "%s%s%d", used ? ", " : "", name, i);
}

/* O[i...] = S[i...] + 1 over n loops of one extent, and nests like it. */
static const char *nest_over(int n, int extent, nest_form form) {
    static char text[1 << 14];
    char i[256] = "", v[256] = "", back[256] = "", shape[256] = "", kinds[32] = "";
    size_t used = 0;
    list(i, sizeof(i), "i", n, 1);
    list(v, sizeof(v), "v", n, 1);
    list(back, sizeof(back), "i", n, -1);
    memset(kinds, 'S', (size_t)n);
    for (int k = 0; k < n; k++) used += (size_t)snprintf(shape + used, sizeof(shape) - used, "%d, ", extent);
    used = (size_t)snprintf(text, sizeof(text),
                            HEADER "@T.prim_func\ndef f(S: T.Buffer((%s), \"float32\"), "
                                   "O: T.Buffer((%s), \"float32\")):\n",
                            shape, shape);
    int depth = 1;
    for (int k = 0; k < n; k++) {
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used, "%*sfor i%d in range(%d):\n", depth++, "", k, extent);
        if (form == GUARDED)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%*sif i%d < %d:\n", depth++, "", k, extent - 1);
    }
    char *at = text + used;
    const size_t left = sizeof(text) - used;
    switch (form) {
    case TURNED:
        snprintf(at, left, "%*sO[%s] = S[%s] + T.float32(1)\n", depth, "", i, back);
        break;
    case TURNED_BACK:
        snprintf(at, left, "%*sO[%s] = T.exp(S[%s])\n", depth, "", back, i);
        break;
    case SUMMED:
        snprintf(at, left, "%*sO[%s] = O[%s] + S[%s]\n", depth, "", i, i, back);
        break;
    case BLOCK:
        snprintf(at, left,
                 "%*swith T.sblock(\"b\"):\n%*s%s = T.axis.remap(\"%s\", [%s])\n"
                 "%*sO[%s] = S[%s] + T.float32(1)\n",
                 depth, "", depth + 1, "", v, kinds, i, depth + 1, "", v, v);
        break;
    default:
        snprintf(at, left, "%*sO[%s] = S[%s] + T.float32(1)\n", depth, "", i, i);
    }
    return text;
}

/* Twice as many loops are tried in more orders, each of which has more of them: that is a polynomial of them, and never
 * a factor for each. */
static void nests_of_small_extents_do_not_explode(void **state) {
    (void)state;
    enum { MOST_CALLS = 4000, MOST_BYTES = 5 << 20 };
    for (int form = 0; form < N_NEST_FORMS; form++) {
        for (int extent = 1; extent <= 5; extent++) {
            for (int n = 4; n <= 16; n += 3) {
                const meter m = measure(nest_over(n, extent, (nest_form)form), NULL, TIRB_OK);
                if (m.calls > MOST_CALLS || m.peak > MOST_BYTES)
                    print_error("form %d, %d loops of %d: %zu calls, %zu bytes\n", form, n, extent, m.calls, m.peak);
                assert_true(m.calls <= MOST_CALLS && m.peak <= MOST_BYTES);
            }
        }
    }
}

/* ---- Long sources ------------------------------------------------------------------------------------------------ */

/* A unit many times between a head and a tail; each '%' of it is its number. */
typedef struct family {
    const char *name, *head, *unit, *tail;
    tirb_status status;
} family;

#define KERNEL(body)                                                                              \
    HEADER "@T.prim_func\ndef f(A: T.Buffer((64,), \"float32\"), I: T.Buffer((64,), \"int32\"), " \
           "B: T.Buffer((64, 64), \"float32\")):\n" body

static char *source_of(const family *of, unsigned n) {
    enum { DIGITS = 10 };
    size_t longest = 0;
    for (const char *c = of->unit; *c; c++) longest += *c == '%' ? DIGITS : 1;
    char *text = malloc(strlen(of->head) + longest * n + strlen(of->tail) + 1), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s", of->head);
    for (unsigned i = 0; i < n; i++) {
        for (const char *c = of->unit; *c; c++) {
            if (*c == '%')
                at += sprintf(at, "%u", i);
            else
                *at++ = *c == '~' ? 0 : *c;
        }
    }
    sprintf(at, "%s", of->tail); /* the text may have NUL in it, the tail not */
    return text;
}

typedef struct spent {
    size_t bytes; /* of the source */
    uint64_t work, memory;
} spent;

static spent compile_family(const family *of, unsigned n, tirb_language language) {
    char *text = source_of(of, n);
    size_t size = strlen(of->head) + strlen(of->tail);
    for (unsigned i = 0; i < n; i++)
        for (const char *c = of->unit; *c; c++) size += *c == '%' ? (size_t)snprintf(NULL, 0, "%u", i) : 1;
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    tirb_compile_stats stats = TIRB_COMPILE_STATS_INIT;
    tirb_error error = TIRB_ERROR_INIT;
    options.language = language;
    const tirb_status status = tirb_compile(text, size, &options, &result, &error);
    if (status != of->status) fail_msg("%s %u: %s: %s", of->name, n, tirb_status_name(status), error.message);
    assert_int_equal(tirb_compile_result_stats(result, &stats), TIRB_OK);
    tirb_compile_result_destroy(result);
    free(text);
    return (spent){size, stats.work, stats.peak_memory};
}

/* What is four times as long takes four times the steps and the memory, and each byte only so much. */
static void check_proportion(const family *of, tirb_language language) {
    enum { FEW = 2000, MANY = 4 * FEW, MOST_MEMORY = 160, MOST_WORK = 4, ANY_MEMORY = 1 << 20 };
    const spent few = compile_family(of, FEW, language), many = compile_family(of, MANY, language);
    const uint64_t most_memory = ANY_MEMORY + (uint64_t)MOST_MEMORY * many.bytes;
    if (many.work > 5 * few.work || many.work > MOST_WORK * many.bytes || many.memory > 5 * few.memory + ANY_MEMORY ||
        many.memory > most_memory)
        fail_msg("%s: %zu bytes: %llu steps (%llu), %llu bytes of memory (%llu)", of->name, many.bytes,
                 (unsigned long long)many.work, (unsigned long long)few.work, (unsigned long long)many.memory,
                 (unsigned long long)few.memory);
}

static void long_sources_cost_in_proportion(void **state) {
    (void)state;
    static const family families[] = {
        {"NUL bytes", "", "~~~~~~~~~~~~~~~~", "", TIRB_SYNTAX},
        {"at signs", "", "@@@@@@@@@@@@@@@@", "", TIRB_SYNTAX},
        {"at signs in lines", "", "@@@@@@@@@@@@@@@\n", "", TIRB_SYNTAX},
        {"brackets", KERNEL("    A[0] = "), "((((((((((((((((", "A[1]\n", TIRB_SYNTAX},
        {"indices", KERNEL("    A[0] = "), "A[A[A[A[A[A[A[A[", "0\n", TIRB_SYNTAX},
        {"minus signs", KERNEL("    A[0] = "), "----------------", "A[1]\n", TIRB_SYNTAX},
        {"one line", KERNEL("    A[0] = A[1]"), " + A[2] * A[%  ]", "\n", TIRB_SYNTAX},
        {"a long number", KERNEL("    A[0] = T.float32(1"), "0123456789012345", ")\n", TIRB_SYNTAX},
        {"a long name", KERNEL("    A[0] = a"), "_long_name_of_it", "\n", TIRB_TYPE},
        {"names", "", "name_% = %\n", HEADER, TIRB_SYNTAX},
        {"strings", "", "s% = 'a text of it'\n", HEADER, TIRB_SYNTAX},
        {"statements", KERNEL(""), "    A[1] = A[2] + T.float32(%)\n", "", TIRB_OK},
        {"unknown names", KERNEL(""), "    a% = T.float32(1)\n    A[0] = b%\n", "", TIRB_TYPE},
    };
    static const family comprehensions[] = {
        {"unknown tensors", "def f(float(N) A) -> (C) {", "C(i) = A(i) * A(i) + unknown_%(i)\n", "}", TIRB_TYPE},
        {"unknown defs", "", "def f%(float(N) A) -> (C) { C = g%(A) }\n", "", TIRB_TYPE},
        {"parentheses", "def f(float(N) A) -> (C) { C(i) = ", "((((((((((((((((", "}", TIRB_SYNTAX},
        {"a sum", "def f(float(N) A) -> (C) { C(i) = A(i)", " + A(i) * % %%", "}", TIRB_SYNTAX},
        {"clauses", "def f(float(N) A) -> (C) { C(i) = A(i) where i in 0:N", ", exists A(i)", "}", TIRB_OK},
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        check_proportion(&families[i], TIRB_LANGUAGE_TVMSCRIPT);
    for (size_t i = 0; i < sizeof comprehensions / sizeof *comprehensions; i++)
        check_proportion(&comprehensions[i], TIRB_LANGUAGE_TENSOR_COMPREHENSIONS);
}

/* Loops that depend on each other, more than plans are made for: what is tried in vain leaves no memory behind, and
 * plain loops are had for few steps. */
static void many_loops_fit(void **state) {
    (void)state;
    enum { LOOPS = 10000, MOST_WORK = 5500000, MOST_MEMORY = 224 << 20 };
    static const family families[] = {
        {"a copy by numbers", KERNEL(""), "    for i in range(64):\n        A[i] = A[I[i]] * T.float32(%)\n", "",
         TIRB_OK},
        {"a sum of each row", KERNEL(""),
         "    for i, j in T.grid(64, 64):\n        A[i] = A[i] + B[i, j] * T.float32(%)\n", "", TIRB_OK},
        {"a transposition", KERNEL(""), "    for i, j in T.grid(64, 64):\n        B[i, j] = B[j, i] + A[i]\n", "",
         TIRB_OK},
        {"a recurrence", KERNEL(""), "    for i in range(63):\n        A[i + 1] = A[i] * T.float32(%)\n", "", TIRB_OK},
        {"a condition", KERNEL(""),
         "    for i in range(64):\n        if A[i] > T.float32(%):\n            A[i] = B[i, 3]\n", "", TIRB_OK},
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const spent all = compile_family(&families[i], LOOPS, TIRB_LANGUAGE_TVMSCRIPT);
        if (all.work > MOST_WORK || all.memory > MOST_MEMORY)
            fail_msg("%s: %llu steps, %llu bytes of memory", families[i].name, (unsigned long long)all.work,
                     (unsigned long long)all.memory);
    }
}

/* A quarter of what fits 240 MiB, of the 256 that there are by default: 16,000 functions, or 100,000 statements
 * (80,000 where half of them are variables). Loops are made plain where they are many, so that all are taken. */
static void long_programs_fit(void **state) {
    (void)state;
    enum { FUNCTIONS = 4000, STATEMENTS = 25000, MOST_MEMORY = 60 << 20 };
    static const struct {
        family of;
        unsigned n, quarters;
        uint32_t language;
    } programs[] = {
        {{"functions", HEADER,
          "@T.prim_func\ndef f%(A: T.Buffer((8,), \"float32\")):\n    A[0] = A[1] + T.float32(%)\n", "", TIRB_OK},
         FUNCTIONS, 1, TIRB_LANGUAGE_TVMSCRIPT},
        {{"functions with loops", HEADER,
          "@T.prim_func\ndef f%(A: T.Buffer((8,), \"float32\")):\n    for i in range(8):\n"
          "        A[i] = A[i] + T.float32(%)\n",
          "", TIRB_OK},
         FUNCTIONS, 1, TIRB_LANGUAGE_TVMSCRIPT},
        {{"functions with blocks", HEADER,
          "@T.prim_func\ndef f%(A: T.Buffer((8,), \"float32\")):\n    for i in range(8):\n"
          "        with T.sblock(\"b\"):\n            v = T.axis.spatial(8, i)\n            A[v] = T.float32(%)\n",
          "", TIRB_OK},
         FUNCTIONS, 1, TIRB_LANGUAGE_TVMSCRIPT},
        {{"comprehensions", "", "def f%(float(N) A) -> (B) { B(i) = A(i) + % }\n", "", TIRB_OK},
         FUNCTIONS / 2, 1, TIRB_LANGUAGE_TENSOR_COMPREHENSIONS},
        {{"dataflow blocks",
          "from tvm.script import relax as R\n@R.function\ndef f(x: R.Tensor((4,), \"float32\")):\n",
          "    with R.dataflow():\n        a% = R.add(x, x)\n        b% = R.add(a%, x)\n        R.output(b%)\n"
          "    c% = R.add(b%, x)\n",
          "    return x\n", TIRB_OK},
         FUNCTIONS, 1, TIRB_LANGUAGE_TVMSCRIPT},
        {{"stores", KERNEL(""), "    A[7] = B[9, 60] + T.float32(%)\n", "", TIRB_OK},
         STATEMENTS, 1, TIRB_LANGUAGE_TVMSCRIPT},
        {{"lets", HEADER,
          "@T.prim_func\ndef f%(A: T.Buffer((8,), \"float32\")):\n"
          "    x0: T.let = A[0] + T.float32(%)\n    A[1] = x0\n    x1: T.let = A[2] + T.float32(%)\n    A[3] = x1\n"
          "    x2: T.let = A[4] + T.float32(%)\n    A[5] = x2\n    x3: T.let = A[6] + T.float32(%)\n    A[7] = x3\n",
          "", TIRB_OK},
         STATEMENTS / 8, 1, TIRB_LANGUAGE_TVMSCRIPT},
        {{"variables", HEADER,
          "@T.prim_func\ndef f%(A: T.Buffer((8,), \"float32\")):\n"
          "    x0 = A[0]\n    A[1] = x0 + T.float32(%)\n    x1 = A[2]\n    A[3] = x1 + T.float32(%)\n"
          "    x2 = A[4]\n    A[5] = x2 + T.float32(%)\n    x3 = A[6]\n    A[7] = x3 + T.float32(%)\n",
          "", TIRB_OK},
         STATEMENTS / 10, 1, TIRB_LANGUAGE_TVMSCRIPT},
        {{"branches", KERNEL(""), "    if B[1, 2] > T.float32(%):\n        A[5] = T.float32(1)\n", "", TIRB_OK},
         STATEMENTS / 2, 1, TIRB_LANGUAGE_TVMSCRIPT},
        {{"loops", KERNEL(""), "    for i in range(5):\n        A[i + 9] = B[i, 7] + T.float32(%)\n", "", TIRB_OK},
         4 * (STATEMENTS / 2), 4, TIRB_LANGUAGE_TVMSCRIPT},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const spent all = compile_family(&programs[i].of, programs[i].n, programs[i].language);
        if (all.memory > (uint64_t)MOST_MEMORY * programs[i].quarters)
            fail_msg("%s: %llu bytes of memory", programs[i].of.name, (unsigned long long)all.memory);
    }
}

/* What a counted variable begins with is written into its loop where that is short. */
static void values_that_double_have_names(void **state) {
    (void)state;
    enum { LOOPS = 20, MOST_WORK = 100000 };
#define DOUBLE "    k[0] = k[0] * k[0] + k[0]\n"
#define DOUBLE_4 DOUBLE DOUBLE DOUBLE DOUBLE
    static const family doubled = {"values that double",
                                   HEADER "@T.prim_func\ndef f(n: T.int32, A: T.Buffer((64,), \"float32\")):\n"
                                          "    k = T.alloc_buffer((1,), \"int32\")\n",
                                   "    k[0] = n + %\n" DOUBLE_4 DOUBLE_4 DOUBLE_4
                                   "    for i in range(9):\n        if k[0] >= 0 and k[0] < 64:\n"
                                   "            A[k[0]] = T.float32(1)\n        k[0] = k[0] + 1\n",
                                   "", TIRB_OK};
    const spent all = compile_family(&doubled, LOOPS, TIRB_LANGUAGE_TVMSCRIPT);
    if (all.work > MOST_WORK) fail_msg("%llu steps", (unsigned long long)all.work);
}

/* Going through a list once for each of its items is counted: else it takes seconds before it is refused. */
static void long_lists_of_parameters_are_work(void **state) {
    (void)state;
    enum { PARAMETERS = 30000 };
    static const family comprehension = {"parameters", "def f(float(M) A", ", float(N%) A%",
                                         ") -> (C) { C(i) = A(i) }", TIRB_FUEL};
    compile_family(&comprehension, PARAMETERS, TIRB_LANGUAGE_TENSOR_COMPREHENSIONS);
}

/* The caller's text is there beside all that the compiler takes of its allocator. */
static void given_text_is_counted(void **state) {
    (void)state;
    enum { COMMENT = 1 << 20 };
    static const char before[] = HEADER "@T.prim_func\ndef f():\n    pass  # ";
    char *text = malloc(sizeof(before) + COMMENT);
    assert_non_null(text);
    memcpy(text, before, sizeof(before));
    memset(text + sizeof(before) - 1, '.', COMMENT);
    text[sizeof(before) - 1 + COMMENT] = '\0';
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    const meter all = measure(text, NULL, TIRB_OK);
    options.max_memory = all.peak + COMMENT;
    measure(text, &options, TIRB_MEMORY_LIMIT);
    options.max_memory = all.peak + strlen(text);
    measure(text, &options, TIRB_OK);
    free(text);
}

/* ---- Limits ------------------------------------------------------------------------------------------------------ */

static const char several[] =
    HEADER "@T.prim_func\ndef f(A: T.Buffer((\"m\", 40), \"float32\"), B: T.Buffer((40, 32), \"float32\"), "
           "C: T.Buffer((\"m\", 32), \"float32\"), n: T.int32):\n"
           "    m = T.int32()\n"
           "    for i, j, k in T.grid(m, 32, 40):\n"
           "        C[i, j] = C[i, j] + A[i, k] * B[k, j]\n"
           "    for i, j in T.grid(m, 32):\n"
           "        if i < n:\n"
           "            C[i, j] = T.exp(C[i, j])\n"
           "    for j, i in T.grid(38, m):\n"
           "        A[i, j] = A[i, j + 1] + A[i, j + 2] * T.float32(3)\n";

typedef struct outcome {
    tirb_status status;
    tirb_error error;
    tirb_compile_stats stats;
    size_t size;
    uint8_t bytes[1 << 14];
} outcome;

static outcome compile_within(const char *text, const tirb_compile_options *options) {
    static const outcome none = {.error = TIRB_ERROR_INIT, .stats = TIRB_COMPILE_STATS_INIT};
    outcome out = none;
    tirb_compile_result *result = NULL;
    out.status = tirb_compile(text, strlen(text), options, &result, &out.error);
    const uint8_t *bytes = tirb_compile_result_bytes(result, &out.size);
    assert_true(out.size <= sizeof(out.bytes) && (out.size > 0) == (out.status == TIRB_OK));
    if (bytes) memcpy(out.bytes, bytes, out.size);
    if (result) assert_int_equal(tirb_compile_result_stats(result, &out.stats), TIRB_OK);
    tirb_compile_result_destroy(result);
    return out;
}

/* Work makes plans plain, later it refuses; both at the same step each time. What is limited neither way is what is
 * made without limits. */
static void work_is_limited(void **state) {
    (void)state;
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    const outcome whole = compile_within(several, &options);
    unsigned n_refused = 0, n_plain = 0, n_forms = 0;
    size_t last_size = 0;
    assert_int_equal(whole.status, TIRB_OK);
    assert_false(whole.stats.is_plain);
    for (options.max_work = 1; options.max_work <= whole.stats.work * 2; options.max_work += options.max_work / 7 + 1) {
        const outcome first = compile_within(several, &options), second = compile_within(several, &options);
        assert_int_equal(first.status, second.status);
        assert_int_equal(first.size, second.size);
        assert_memory_equal(first.bytes, second.bytes, first.size);
        if (first.status == TIRB_FUEL) {
            assert_true(n_plain == 0 && first.stats.work > options.max_work);
            assert_non_null(strstr(first.error.message, "steps"));
            n_refused++;
            continue;
        }
        assert_int_equal(first.status, TIRB_OK);
        assert_int_equal(first.stats.is_plain, first.stats.work >= options.max_work);
        n_plain += first.stats.is_plain;
        n_forms += first.size != last_size;
        last_size = first.size;
        if (first.stats.is_plain) continue;
        assert_int_equal(first.stats.work, whole.stats.work);
        assert_int_equal(first.size, whole.size);
        assert_memory_equal(first.bytes, whole.bytes, whole.size);
    }
    assert_true(n_refused > 5 && n_plain > 5 && n_forms > 3);
}

/* However little it may take, it ends with that status, or as if it could take all. */
static void memory_is_limited(void **state) {
    (void)state;
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    const outcome whole = compile_within(several, &options);
    unsigned n_refused = 0;
    for (options.max_memory = 1; options.max_memory <= whole.stats.peak_memory * 2;
         options.max_memory += options.max_memory / 5 + 64) {
        const outcome part = compile_within(several, &options);
        assert_true(part.stats.peak_memory <= options.max_memory);
        n_refused += part.status == TIRB_MEMORY_LIMIT;
        if (part.status == TIRB_MEMORY_LIMIT) continue;
        assert_int_equal(part.status, TIRB_OK);
        assert_int_equal(part.size, whole.size);
        assert_memory_equal(part.bytes, whole.bytes, whole.size);
    }
    assert_true(n_refused > 10);
}

/* Who looks on sees what there is, or that there is nothing: a pass that is ended leaves no loop IR to print. */
static void what_is_shown_is_limited(void **state) {
    (void)state;
    static const char two_reads[] = HEADER "@T.prim_func\n"
                                           "def f(A: T.Buffer((65, 5, 2), \"float16\")):\n"
                                           "    for i, j, k in T.grid(65, 5, 2):\n"
                                           "        A[i, j, k] = T.fma(A[k, j, k], A[j, j, k], A[k, k, k // 3])\n";
    const char *const texts[] = {several, two_reads};
    for (unsigned t = 0; t < 2; t++) {
        tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
        options.show_ir = "";
        options.show_plan = options.explain = 1;
        const outcome whole = compile_within(texts[t], &options);
        unsigned n_refused = 0;
        const uint64_t work = whole.stats.work;
        for (options.max_work = 1; options.max_work <= work; options.max_work += options.max_work / 50 + 1) {
            const outcome part = compile_within(texts[t], &options);
            assert_true(part.status == TIRB_OK || part.status == TIRB_FUEL);
            n_refused += part.status == TIRB_FUEL;
        }
        options.max_work = 0;
        for (options.max_memory = whole.stats.peak_memory / 64; options.max_memory <= whole.stats.peak_memory;
             options.max_memory += options.max_memory / 50 + 1) {
            const outcome part = compile_within(texts[t], &options);
            assert_true(part.status == TIRB_OK || part.status == TIRB_MEMORY_LIMIT);
            n_refused += part.status == TIRB_MEMORY_LIMIT;
        }
        assert_true(n_refused > 50);
    }
}

/* Cancels when the allocator is called for the `countdown`th time, as another thread might. */
typedef struct canceling {
    tirb_canceller *canceller;
    size_t countdown, after;
} canceling;

static void *canceling_reallocate(void *context, void *ptr, size_t old_size, size_t new_size) {
    canceling *c = context;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    if (c->countdown == 0)
        c->after++;
    else if (--c->countdown == 0)
        tirb_canceller_cancel(c->canceller);
    return realloc(ptr, new_size);
}

static void compilations_are_cancelled(void **state) {
    (void)state;
    enum { MOST_AFTER = 64 }; /* what a planner takes between two looks at the flag */
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    canceling c = {0};
    assert_int_equal(tirb_canceller_create(NULL, NULL, NULL), TIRB_MISUSE);
    assert_int_equal(tirb_canceller_create(NULL, &c.canceller, NULL), TIRB_OK);
    options.canceller = c.canceller;
    options.allocator = (tirb_allocator){.reallocate = canceling_reallocate, .context = &c};
    tirb_status status = TIRB_CANCELLED;
    for (size_t n = 1; status == TIRB_CANCELLED; n += 5) {
        c.countdown = n;
        c.after = 0;
        tirb_canceller_reset(c.canceller);
        status = compile_within(several, &options).status;
        if (status == TIRB_CANCELLED) assert_true(c.countdown == 0 && c.after <= MOST_AFTER);
    }
    assert_int_equal(status, TIRB_OK);
    assert_true(c.countdown > 0); /* it came to its end first */

    tirb_canceller_cancel(c.canceller); /* before it begins, for all that there are */
    tirb_compile_result *result = NULL;
    for (int i = 0; i < 2; i++) assert_int_equal(compile_within(several, &options).status, TIRB_CANCELLED);
    assert_int_equal(tirb_format(several, strlen(several), TIRB_DIALECT_SAME, &options, &result, NULL), TIRB_CANCELLED);
    tirb_compile_result_destroy(result);
    tirb_canceller_destroy(c.canceller);
    tirb_canceller_destroy(NULL);
}

/* Verifying what was made and writing it are looked at as well: who cancels in the midst of them waits for few of their
 * allocations. */
static void last_stages_are_cancelled(void **state) {
    (void)state;
    enum { STATEMENTS = 3000, STAGES = 20, MOST_AFTER = 4 };
    static const family statements = {"statements", KERNEL(""), "    A[I[3]] = A[2] + T.float32(%)\n", "", TIRB_OK};
    char *text = source_of(&statements, STATEMENTS);
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    canceling c = {.countdown = SIZE_MAX};
    options.allocator = (tirb_allocator){.reallocate = canceling_reallocate, .context = &c};
    assert_int_equal(tirb_canceller_create(NULL, &c.canceller, NULL), TIRB_OK);
    options.canceller = c.canceller;
    tirb_compile_result *result = NULL;
    assert_int_equal(tirb_compile(text, strlen(text), &options, &result, NULL), TIRB_OK);
    tirb_compile_result_destroy(result);
    const size_t calls = SIZE_MAX - c.countdown;
    size_t most = 0;
    for (size_t n = 0; n < STAGES; n++) {
        c.countdown = calls - n;
        c.after = 0;
        tirb_canceller_reset(c.canceller);
        assert_int_equal(tirb_compile(text, strlen(text), &options, &result, NULL), TIRB_CANCELLED);
        tirb_compile_result_destroy(result);
        most = c.after > most ? c.after : most;
    }
    if (most > MOST_AFTER) fail_msg("%zu allocations", most);
    tirb_canceller_destroy(c.canceller);
    free(text);
}

/* None ends well after its deadline, at whatever stage that passes. */
static void deadlines_are_kept(void **state) {
    (void)state;
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    options.timeout_ns = 1;
    const outcome late = compile_within(several, &options);
    assert_int_equal(late.status, TIRB_DEADLINE);
    assert_non_null(strstr(late.error.message, "<string>"));
    assert_true(late.stats.work < 1000);
    assert_int_equal(tirb_format(several, strlen(several), TIRB_DIALECT_TIR, &options, &result, NULL), TIRB_DEADLINE);
    assert_null(tirb_compile_result_bytes(result, NULL));
    tirb_compile_result_destroy(result);
    options.timeout_ns = UINT64_MAX; /* later than any clock says */
    assert_int_equal(compile_within(several, &options).status, TIRB_OK);
}

static void what_is_built_is_limited(void **state) {
    (void)state;
    tirb_builder *b = NULL;
    tirb_compile_result *result = NULL;
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    assert_int_equal(tirb_builder_create(NULL, 0, &b, NULL), TIRB_OK);
    tirb_builder_function(b, "f", NULL, 0);
    const tirb_expr *n = tirb_builder_int(b, "int32", 64);
    const tirb_buffer *x = tirb_builder_buffer_param(b, "x", "float32", &n, 1);
    const tirb_expr *i = tirb_builder_for(b, TIRB_LOOP_SERIAL, "i", tirb_builder_int(b, "int32", 0), n);
    tirb_builder_store(b, x, tirb_builder_float(b, "float32", 1), &i, 1);
    tirb_builder_end(b);
    tirb_builder_end(b);
    options.timeout_ns = 1;
    assert_int_equal(tirb_builder_compile(b, &options, &result, NULL), TIRB_DEADLINE);
    tirb_compile_result_destroy(result);
    options = (tirb_compile_options)TIRB_COMPILE_OPTIONS_INIT;
    options.max_work = 1;
    assert_int_equal(tirb_builder_compile(b, &options, &result, NULL), TIRB_FUEL);
    tirb_compile_result_destroy(result);
    assert_int_equal(tirb_builder_compile(b, NULL, &result, NULL), TIRB_OK); /* what stopped it stays with it */
    tirb_compile_result_destroy(result);
    tirb_builder_destroy(b);
}

/* What no bundle has room for ends before anything is looked at for each of so many. */
static void parameters_are_counted_first(void **state) {
    (void)state;
    enum { PARAMS = 100000, LINE = 24 };
    char *text = malloc(PARAMS * LINE + 1000);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, HEADER "@T.prim_func\ndef f(");
    for (unsigned i = 0; i < PARAMS; i++) used += (size_t)snprintf(text + used, LINE, "p%u: T.int32, ", i);
    memcpy(text + used, "):\n    T.evaluate(0)\n", sizeof "):\n    T.evaluate(0)\n");
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.timeout_ns = UINT64_C(20000000000); /* on any machine: looking at each for each takes minutes */
    const outcome many = compile_within(text, &options);
    assert_int_equal(many.status, TIRB_UNSUPPORTED);
    assert_non_null(strstr(many.error.message, "it has more than 255 parameters"));
    free(text);
}

/* Options of a host that was compiled before there were any limits but memory. */
static void older_options_have_no_limits(void **state) {
    (void)state;
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.struct_size = offsetof(tirb_compile_options, reserved);
    options.timeout_ns = options.max_work = 1; /* what lies behind is not read */
    assert_int_equal(compile_within(several, &options).status, TIRB_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_limited),
        cmocka_unit_test(long_programs_fit),
        cmocka_unit_test(given_text_is_counted),
        cmocka_unit_test(values_that_double_have_names),
        cmocka_unit_test(long_lists_of_parameters_are_work),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(what_is_shown_is_limited),
        cmocka_unit_test(compilations_are_cancelled),
        cmocka_unit_test(deadlines_are_kept),
        cmocka_unit_test(last_stages_are_cancelled),
        cmocka_unit_test(what_is_built_is_limited),
        cmocka_unit_test(parameters_are_counted_first),
        cmocka_unit_test(older_options_have_no_limits),
        cmocka_unit_test(nests_of_small_extents_do_not_explode),
        cmocka_unit_test(long_sources_cost_in_proportion),
        cmocka_unit_test(many_loops_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
