/* Which nests become contractions, and how nests are cut, joined and fused. */
#include "tests/unit/census.h"

/* Whatever the order of its loops, a matrix product is a contraction; without those, lanes keep their sums in registers
 * over k. */
static void matrix_products_in_any_order(void **state) {
    (void)state;
    const char *orders[] = {"i, j, k", "i, k, j", "k, i, j", "j, i, k", "j, k, i", "k, j, i"};
    for (size_t o = 0; o < sizeof(orders) / sizeof(orders[0]); o++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 HEADER "@T.prim_func(s_tir=True)\n"
                        "def f(A: T.Buffer((\"m\", \"p\"), \"float32\"), B: T.Buffer((\"p\", \"n\"), \"float32\"), "
                        "C: T.Buffer((\"m\", \"n\"), \"float32\")):\n"
                        "    m, n, p = T.int32(), T.int32(), T.int32()\n"
                        "    for %s in T.grid(%c, %c, %c):\n"
                        "        with T.sblock(\"C\"):\n"
                        "            vi = T.axis.spatial(m, i)\n"
                        "            vj = T.axis.spatial(n, j)\n"
                        "            vk = T.axis.reduce(p, k)\n"
                        "            with T.init():\n"
                        "                C[vi, vj] = T.float32(0)\n"
                        "            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n",
                 orders[o], "mnp"[orders[o][0] - 'i'], "mnp"[orders[o][3] - 'i'], "mnp"[orders[o][6] - 'i']);
        census c = count(text, NULL);
        assert_int_equal(c.contractions, 1);
        assert_int_equal(c.lanes, 0);
        assert_int_equal(c.stores, 0);
        tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
        options.disable = "contract";
        c = count(text, &options);
        assert_int_equal(c.contractions, 0);
        assert_int_equal(c.lanes, 1);
        assert_int_equal(c.inner_fma, 1);
        assert_int_equal(c.stores, 0);
    }
}

/* A nest over i, j and k of 20 iterations each with this body, of which A, B and C are square. */
static unsigned contractions_of(const char *type, const char *body) {
    char text[2048];
    snprintf(text, sizeof(text),
             HEADER
             "@T.prim_func(s_tir=True)\n"
             "def f(A: T.Buffer((20, 20), \"%s\"), B: T.Buffer((20, 20), \"%s\"), C: T.Buffer((20, 20), \"%s\"), "
             "D: T.Buffer((20, 20), \"int8\")):\n"
             "    for i, j, k in T.grid(20, 20, 20):\n        %s\n",
             type, type, type, body);
    return count(text, NULL).contractions;
}

static void what_is_a_contraction(void **state) {
    (void)state;
    assert_int_equal(contractions_of("float32", "C[i, j] = C[i, j] + A[i, k] * B[k, j]"), 1);
    assert_int_equal(contractions_of("float32", "C[i, j] = A[i, k] * B[k, j] + C[i, j]"), 1);
    assert_int_equal(contractions_of("float32", "C[i, j] = C[i, j] - A[k, i] * A[j, k]"), 1);
    assert_int_equal(contractions_of("float64", "C[j, i] = C[j, i] + A[i, k] * B[k, j]"), 1);
    assert_int_equal(contractions_of("int32", "C[i, j] = C[i, j] + A[i, k] * T.Cast(\"int32\", D[k, j])"), 1);
    assert_int_equal(contractions_of("int64", "C[i, j] = C[i, j] - A[i, k] * B[k, j]"), 1);
    assert_int_equal(contractions_of("float16", "C[i, j] = C[i, j] + A[i, k] * B[k, j]"), 1);
    assert_int_equal(contractions_of("bfloat16", "C[i, j] = C[i, j] - A[k, i] * B[j, k]"), 1);
    /* Other operations. */
    assert_int_equal(contractions_of("float32", "C[i, j] = C[i, j] + (A[i, k] - B[j, k]) * (A[i, k] - B[j, k])"), 1);
    assert_int_equal(contractions_of("float64", "C[i, j] = T.abs(A[i, k] - B[k, j]) + C[i, j]"), 1);
    assert_int_equal(contractions_of("float32", "C[i, j] = T.min(C[i, j], A[i, k] + B[k, j])"), 1);
    assert_int_equal(contractions_of("int32", "C[i, j] = T.max(A[i, k] + B[k, j], C[i, j])"), 1);
    assert_int_equal(contractions_of("int64", "C[i, j] = C[i, j] ^ (A[i, k] & B[k, j])"), 1);
    assert_int_equal(contractions_of("int32", "C[i, j] = C[i, j] + T.Cast(\"int32\", D[i, k] != D[j, k])"), 1);
    assert_int_equal(contractions_of("float32", "C[i, j] = C[i, j] + (A[i, k] - B[j, k]) * (B[j, k] - A[i, k])"), 0);
    assert_int_equal(contractions_of("float32", "C[i, j] = T.min(A[i, k] + B[k, j], C[i, j])"), 0);
    assert_int_equal(contractions_of("float32", "C[i, j] = T.max(C[i, j], T.min(A[i, k], B[k, j]))"), 0);
    /* The sum is read elsewhere, or not a sum of products, or its elements share nothing, or there is no sum. */
    assert_int_equal(contractions_of("float32", "C[i, j] = C[i, j] + A[i, k] * C[k, j]"), 0);
    assert_int_equal(contractions_of("float32", "C[i, j] = C[j, i] + A[i, k] * B[k, j]"), 0);
    assert_int_equal(contractions_of("float32", "C[i, j] = A[i, k] * B[k, j] - C[i, j]"), 0);
    assert_int_equal(contractions_of("float32", "C[i, j] = C[i, j] + A[i, k]"), 0);
    assert_int_equal(contractions_of("float32", "C[i, j] = C[i, j] + A[i, j] * B[k, j]"), 0);
    assert_int_equal(contractions_of("float32", "C[i, k] = C[i, k] + A[i, k] * B[j, k]"), 0);
    assert_int_equal(contractions_of("int16", "C[i, j] = C[i, j] + A[i, k] * B[k, j]"), 0);
    assert_int_equal(contractions_of("float16", "C[i, j] = C[i, j] + A[i, k] * T.Cast(\"float16\", D[k, j])"), 0);
    assert_int_equal(contractions_of("float32", "C[i + j, 0] = C[i + j, 0] + A[i, k] * B[k, j]"), 0);
}

/* A short sum is a contraction, too, where its first value is stored in the loops around it, and not written out. */
static void short_sums_are_contractions(void **state) {
    (void)state;
    static const char text[] =
        HEADER "@T.prim_func(s_tir=True)\n"
               "def f(A: T.Buffer((200, 4), \"float32\"), B: T.Buffer((4, 8), \"float32\"), "
               "C: T.Buffer((200, 8), \"float32\")):\n"
               "    for i, j in T.grid(200, 8):\n"
               "        C[i, j] = T.float32(0)\n"
               "        for k in range(4):\n"
               "            C[i, j] = C[i, j] + A[i, k] * B[k, j]\n";
    assert_int_equal(count(text, NULL).contractions, 1);
}

/* A sum over several loops whose terms are computed is one of rows only if those of its last loop are. */
static void quantized_windows_are_contractions(void **state) {
    (void)state;
    static const char text[] =
        HEADER "@T.prim_func(s_tir=True)\n"
               "def f(A: T.Buffer((18, 18, 16), \"uint8\"), W: T.Buffer((32, 3, 3, 16), \"int8\"), "
               "C: T.Buffer((16, 16, 32), \"int32\")):\n"
               "    for h, w, o in T.grid(16, 16, 32):\n"
               "        C[h, w, o] = 0\n"
               "        for r, s, c in T.grid(3, 3, 16):\n"
               "            C[h, w, o] = C[h, w, o] + (T.Cast(\"int32\", A[h + r, w + s, c]) - 128) * "
               "T.Cast(\"int32\", W[o, r, s, c])\n";
    assert_int_equal(count(text, NULL).contractions, 1);
}

/* Windows of one channel are swept over, where it is one of those side by side and where they are rows of it. */
static void depthwise_windows_are_contractions(void **state) {
    (void)state;
    static const struct {
        const char *loops, *element, *window, *weight;
        unsigned contractions;
    } cases[] = {
        {"h, w, c in T.grid(16, 16, 16)", "h, w, c", "h + r, w + s, c", "r, s, c", 1},
        {"c, h, w in T.grid(16, 16, 16)", "c, h, w", "c, h + r, w + s", "c, r, s", 1},
        {"c, h, w in T.grid(16, 16, 8)", "c, h, w", "c, h + r, w * 2 + s", "c, r, s", 1},
        {"c, h, w in T.grid(3, 3, 16)", "c, h, w", "c, h + r, w", "c, h, w", 0},      /* no weight is used again */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 HEADER "@T.prim_func(s_tir=True)\n"
                        "def f(A: T.Buffer((18, 18, 18), \"float32\"), W: T.Buffer((16, 16, 16), \"float32\"), "
                        "C: T.Buffer((16, 16, 16), \"float32\")):\n"
                        "    for %s:\n"
                        "        C[%s] = T.float32(0)\n"
                        "        for r, s in T.grid(3, 3):\n"
                        "            C[%s] = C[%s] + A[%s] * W[%s]\n",
                 cases[i].loops, cases[i].element, cases[i].element, cases[i].element, cases[i].window,
                 cases[i].weight);
        if (count(text, NULL).contractions != cases[i].contractions) print_error("%s", text);
        assert_int_equal(count(text, NULL).contractions, cases[i].contractions);
    }
}

/* Scratch that is allocated in front of all loops begins in the innermost ones whose iterations set it first. */
static void scratch_begins_in_loops(void **state) {
    (void)state;
    static const struct {
        const char *before_sum, *behind_sum, *behind;
        unsigned contractions;
    } cases[] = {
        {"c[0] = 0\n        ", "", "", 1},
        {"c[0] = 0\n        ", "w: T.int32 = c[0] + 1\n        D[j, i] = T.cast(w * w, \"int8\")\n", "", 1},
        {"c[0] = 0\n        ", "", "D[0, 0] = T.cast(c[0], \"int8\")", 0},
        {"", "", "", 0},
        {"if i > j:\n            c[0] = 0\n        ", "", "", 0},
        {"c[0] = c[0] // 2\n        ", "", "", 0},
        {"if D[i, j] == T.int8(5):\n            continue\n        c[0] = 0\n        ", "c[0] = 0\n", "", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 HEADER "@T.prim_func(s_tir=True)\n"
                        "def f(A: T.Buffer((20, 20), \"int8\"), B: T.Buffer((20, 20), \"int8\"), "
                        "D: T.Buffer((20, 20), \"int8\")):\n"
                        "    c = T.sblock_alloc_buffer((1,), \"int32\")\n"
                        "    for i, j in T.grid(20, 20):\n"
                        "        %sfor k in range(20):\n"
                        "            c[0] = c[0] + T.cast(A[i, k], \"int32\") * T.cast(B[j, k], \"int32\")\n"
                        "        v: T.int32 = c[0] // 128\n        r: T.int32 = T.max(v, 0 - v)\n"
                        "        D[i, j] = T.cast(v + r, \"int8\")\n        %s\n    %s\n",
                 cases[i].before_sum, cases[i].behind_sum, cases[i].behind);
        if (count(text, NULL).contractions != cases[i].contractions) print_error("%s", text);
        const census c = count(text, NULL);
        assert_int_equal(c.contractions, cases[i].contractions);
        if (cases[i].contractions && !*cases[i].behind_sum) assert_int_equal(c.loops, 0); /* none is in a loop */
    }
}

/* Operands that are more than loads are computed once, before the sum, where that makes it a contraction or lanes. */
static void operands_are_computed_once(void **state) {
    (void)state;
    assert_int_equal(contractions_of("float32", "C[i, j] = C[i, j] + T.max(A[i, k], T.float32(0)) * B[k, j]"), 1);
    assert_int_equal(contractions_of("float32", "C[i, j] = C[i, j] + A[i, k] * T.exp(B[k, j] - A[k, 0])"), 1);
    assert_int_equal(contractions_of("int32", "C[i, j] = C[i, j] + A[i, k] * (T.Cast(\"int32\", D[k, j]) - 3)"), 1);
    assert_int_equal(contractions_of("float32", "C[i, j] = C[i, j] + A[T.Cast(\"int32\", D[i, 0]), k] * B[k, j]"), 1);
    /* Of what the nest writes, or as large as the nest, or in some iterations only. */
    assert_int_equal(contractions_of("float32", "C[i, j] = C[i, j] + T.max(C[i, k], T.float32(0)) * B[k, j]"), 0);
    assert_int_equal(contractions_of("float32", "C[i, j] = C[i, j] + T.max(A[i, k], B[k, j]) * B[k, j]"), 0);
    assert_int_equal(contractions_of("float32", "C[i, j] = C[i, j] + T.if_then_else(B[k, j] > A[i, k], "
                                                "T.max(A[T.Cast(\"int32\", D[i, 0]), k], T.float32(0)), "
                                                "T.float32(1)) * B[k, j]"), 0);
    static const struct { const char *index, *guard; unsigned contractions; } windows[] = {
        {"y + r - 1", "1 <= y + r and y + r < 17", 1},
        {"2 * y + r - 1", "1 <= 2 * y + r and 2 * y + r < 17", 1},
        {"y + 2 * r - 2", "2 <= y + 2 * r and y + 2 * r < 18", 1},
        {"y - r + 1", "r <= y + 1 and y - r < 15", 1},
        {"4 * y + r - 1", "1 <= 4 * y + r and 4 * y + r < 17", 1}, /* between the windows there are gaps */
        {"y + r - 1", "1 <= y + r and y + r < 17 and 1 <= y", 1}, /* not by y + r alone */
    };
    for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 HEADER "@T.prim_func(s_tir=True)\n"
                        "def f(A: T.Buffer((16, 8), \"float32\"), W: T.Buffer((3, 8, 32), \"float32\"), "
                        "O: T.Buffer((16, 32), \"float32\")):\n"
                        "    for y, f, r, c in T.grid(16, 32, 3, 8):\n"
                        "        O[y, f] = O[y, f] + T.if_then_else(%s, A[%s, c], T.float32(0)) * W[r, c, f]\n",
                 windows[i].guard, windows[i].index);
        assert_int_equal(count(text, NULL).contractions, windows[i].contractions);
    }
    const char *pool = HEADER "@T.prim_func(s_tir=True)\n"
                              "def f(A: T.Buffer((\"h\", 64), \"float32\"), O: T.Buffer((\"h\", 64), \"float32\")):\n"
                              "    h = T.int32()\n"
                              "    for y, c, r in T.grid(h, 64, 3):\n"
                              "        O[y, c] = T.max(O[y, c], T.if_then_else(1 <= y + r and y + r <= h, "
                              "A[y + r - 1, c], T.float32(0)))\n";
    assert_int_equal(count(pool, NULL).stores, 0);
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.disable = "lanes";
    assert_true(count(pool, &options).stores > 0);
}

/* Mean and scale of a row are computed by one loop over the rows, and the sums that they are of by folds side by
 * side. */
static void operands_of_the_same_axes_share_loops(void **state) {
    (void)state;
    const char *text =
        HEADER "@T.prim_func(s_tir=True)\n"
               "def f(A: T.Buffer((8, 100), \"float32\"), Y: T.Buffer((8, 100), \"float32\")):\n"
               "    s = T.sblock_alloc_buffer((8,))\n    q = T.sblock_alloc_buffer((8,))\n"
               "    for i, k in T.grid(8, 100):\n"
               "        with T.sblock(\"sums\"):\n"
               "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
               "            with T.init():\n"
               "                s[vi] = T.float32(0)\n                q[vi] = T.float32(0)\n"
               "            v_s: T.let[T.float32] = s[vi] + A[vi, vk]\n"
               "            v_q: T.let[T.float32] = q[vi] + A[vi, vk] * A[vi, vk]\n"
               "            s[vi] = v_s\n            q[vi] = v_q\n"
               "    for i, j in T.grid(8, 100):\n"
               "        with T.sblock(\"Y\"):\n"
               "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
               "            Y[vi, vj] = (A[vi, vj] - s[vi] / T.float32(100)) * T.rsqrt(q[vi] + T.float32(1))\n";
    census c = count(text, NULL);
    assert_int_equal(c.lanes, 2);
    assert_int_equal(c.folds, 2);
    assert_int_equal(c.trees + c.stores, 0);
}

/* A nest of several sums, or of several nests, is cut apart where each iteration of what is around them has elements of
 * its own, and nothing of it is where it has not. */
static void nests_of_several_sums_are_cut(void **state) {
    (void)state;
    static const struct { const char *body; unsigned contractions; } nests[] = {
        {"    for i in range(32):\n"
         "        for j in range(32):\n"
         "            C[i, j] = C[i, j] * T.float32(2)\n"
         "        for k, j in T.grid(32, 32):\n"
         "            C[i, j] = C[i, j] + A[i, k] * B[k, j]\n", 1},
        {"    for i, j in T.grid(32, 32):\n"
         "        s: T.float32 = T.float32(0)\n"
         "        t: T.float32 = T.float32(0)\n"
         "        for k in range(32):\n"
         "            s += A[i, k] * B[k, j]\n"
         "            t += A[i, k] * D[k, j]\n"
         "        C[i, j] = s * t + C[i, j]\n", 2},
        {"    for i, j, k in T.grid(32, 32, 32):\n"
         "        C[i, j] = C[i, j] + A[i, k] * B[k, j]\n"
         "        D[i, j] = D[i, j] + A[k, i] * B[k, j]\n", 2},
        /* One sum is made of the other; all else is done before the sums, or behind them; each waits for the other; a
         * sum's length is a sum. */
        {"    for i, j in T.grid(32, 32):\n"
         "        s: T.float32 = T.float32(0)\n"
         "        t: T.float32 = T.float32(0)\n"
         "        for k in range(32):\n"
         "            s += A[i, k] * B[k, j]\n"
         "            t += s * D[k, j]\n"
         "        C[i, j] = s * t + C[i, j]\n", 0},
        {"    for i in range(31):\n"
         "        for j in range(32):\n"
         "            C[i + 1, j] = C[i + 1, j] * T.float32(2)\n"
         "        for k, j in T.grid(32, 32):\n"
         "            C[i, j] = C[i, j] + A[i, k] * B[k, j]\n", 1},
        {"    for i in range(31):\n"
         "        for j in range(32):\n"
         "            C[i, j] = C[i, j] * T.float32(2)\n"
         "        for k, j in T.grid(32, 32):\n"
         "            C[i + 1, j] = C[i + 1, j] + A[i, k] * B[k, j]\n", 1},
        {"    for i in range(31):\n"
         "        for j in range(32):\n"
         "            C[i + 1, j] = C[i, j] * T.float32(2)\n"
         "        for k, j in T.grid(32, 32):\n"
         "            C[i + 1, j] = C[i + 1, j] + A[i, k] * B[k, j]\n", 0},
        {"    for i, j, k in T.grid(32, 32, 32):\n"
         "        C[i, j] = C[i, j] + A[i, k] * B[k, j]\n"
         "        D[i, j] = D[i, j] + C[i, k] * B[k, j]\n", 0},
    };
    for (size_t i = 0; i < sizeof(nests) / sizeof(nests[0]); i++) {
        char text[2048];
        snprintf(text, sizeof(text),
                 HEADER "@T.prim_func(s_tir=True)\n"
                        "def f(A: T.Buffer((32, 32), \"float32\"), B: T.Buffer((32, 32), \"float32\"), "
                        "C: T.Buffer((32, 32), \"float32\"), D: T.Buffer((32, 32), \"float32\")):\n%s",
                 nests[i].body);
        assert_int_equal(count(text, NULL).contractions, nests[i].contractions);
    }
}

/* The tail of a tile, the border of a window and a triangle are cut off where they bound the loops. */
static void conditions_of_nests_are_bounds(void **state) {
    (void)state;
    const char *tiles = HEADER "@T.prim_func(s_tir=True)\n"
                               "def f(A: T.Buffer((100, 64), \"float32\"), B: T.Buffer((64, 48), \"float32\"), "
                               "C: T.Buffer((100, 48), \"float32\")):\n"
                               "    for i, t, j, k in T.grid(4, 32, 48, 64):\n"
                               "        with T.sblock(\"C\"):\n"
                               "            vi = T.axis.spatial(100, i * 32 + t)\n"
                               "            vj, vk = T.axis.remap(\"SR\", [j, k])\n"
                               "            T.where(i * 32 + t < 100)\n"
                               "            with T.init():\n"
                               "                C[vi, vj] = T.float32(0)\n"
                               "            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n";
    tirb_compile_options apart = TIRB_COMPILE_OPTIONS_INIT;
    apart.disable = "digits,collapse,unsplit,sizes";
    census c = count(tiles, &apart);
    assert_int_equal(c.contractions, 2); /* whole tiles, and the last one */
    assert_int_equal(c.stores + c.lanes, 0);
    c = count(tiles, NULL);
    assert_int_equal(c.contractions, 1); /* the loops are one again */
    assert_int_equal(c.stores + c.lanes, 0);
    const char *border = HEADER "@T.prim_func(s_tir=True)\n"
                                "def f(A: T.Buffer((16, 8), \"float32\"), W: T.Buffer((3, 8, 32), \"float32\"), "
                                "O: T.Buffer((16, 32), \"float32\")):\n"
                                "    for y, f, r, c in T.grid(16, 32, 3, 8):\n"
                                "        if 1 <= y + r and y + r < 17:\n"
                                "            O[y, f] = O[y, f] + A[y + r - 1, c] * W[r, c, f]\n";
    c = count(border, NULL);
    assert_int_equal(c.contractions, 1);
    assert_int_equal(c.lanes, 2);
    assert_int_equal(c.stores, 0);
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.disable = "interchange,reroll,partition,unroll,wrap";
    assert_int_equal(count(border, &options).contractions, 0);
    /* The first iteration of a sum that is cut off is not where it begins. */
    c = count(HEADER "@T.prim_func(s_tir=True)\n"
                     "def f(A: T.Buffer((32, 32), \"float32\"), B: T.Buffer((32, 32), \"float32\"), "
                     "C: T.Buffer((32, 32), \"float32\")):\n"
                     "    for i, j, k in T.grid(32, 32, 32):\n"
                     "        with T.sblock(\"C\"):\n"
                     "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
                     "            T.where(i < k)\n"
                     "            with T.init():\n"
                     "                C[vi, vj] = T.float32(0)\n"
                     "            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n",
              NULL);
    assert_int_equal(c.contractions, 0);
}

/* Loops are cut where what they ask changes: no part of them asks, gathers or stores one element at a time. */
static void borders_are_parts(void **state) {
    (void)state;
    static const struct {
        const char *body;
        unsigned lanes; /* at most */
    } cases[] = {
        {"        O[i, j] = T.if_then_else(i < 2 or i >= 62 or j < 2 or j >= 62, T.float32(0), A[i - 2, j - 2])\n", 5},
        {"        O[i, j] = A[(i + 5) % 64, (j + 59) % 64]\n", 4},
        {"        O[i, j] = A[T.min(T.max(i - 1, 0), 63), T.abs(j - 1)]\n", 6},
        {"        if i == 0 or i == 63 or j == 0 or j == 63:\n"
         "            O[i, j] = A[i, j]\n"
         "        else:\n"
         "            O[i, j] = A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]\n", 5},
        {"        O[i, j] = T.float32(0)\n"
         "        for r, s in T.grid(3, 3):\n"
         "            if i + r >= 1 and i + r < 65 and j + s >= 1 and j + s < 65:\n"
         "                O[i, j] = O[i, j] + A[i + r - 1, j + s - 1]\n", 9},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text), "%s%s", HEADER "@T.prim_func\n"
                 "def f(A: T.Buffer((64, 64), \"float32\"), O: T.Buffer((64, 64), \"float32\")):\n"
                 "    for i, j in T.grid(64, 64):\n", cases[i].body);
        census c = count(text, NULL);
        assert_in_range(c.stores, 0, 8); /* corners */
        assert_int_equal(c.indexed, 0);
        assert_int_equal(c.checks, 0);
        assert_in_range(c.lanes, 1, cases[i].lanes);
        tirb_compile_options whole = TIRB_COMPILE_OPTIONS_INIT;
        whole.disable = "reroll,partition,unroll,wrap,interchange";
        census asked = count(text, &whole);
        assert_true(asked.lanes != c.lanes || asked.stores > 0 || asked.indexed > 0);
    }
}

/* So are those of sizes that are known at run time, where there is something between them. */
static void borders_of_any_size_are_parts(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "        if i == 0:\n            O[i, j] = A[i + 1, j]\n"
        "        elif i == h - 1:\n            O[i, j] = A[i - 1, j]\n"
        "        else:\n            O[i, j] = A[i + 1, j] - A[i - 1, j]\n",
        "        O[i, j] = T.float32(0)\n"
        "        for r, s in T.grid(5, 3):\n"
        "            if i + r >= 2 and i + r - 2 < h and j + s - 1 >= 0 and j + s - 1 <= w - 1:\n"
        "                O[i, j] = O[i, j] + A[i + r - 2, j + s - 1]\n",
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text), "%s%s", HEADER "@T.prim_func\n"
                 "def f(A: T.Buffer((\"h\", \"w\"), \"float32\"), O: T.Buffer((\"h\", \"w\"), \"float32\")):\n"
                 "    h = T.int32()\n    w = T.int32()\n"
                 "    for i, j in T.grid(h, w):\n", bodies[i]);
        tirb_compile_options whole = TIRB_COMPILE_OPTIONS_INIT;
        whole.disable = "reroll,partition,unroll,wrap,interchange";
        assert_true(count(text, NULL).lanes > count(text, &whole).lanes);
    }
}

/* Windows are written out, and every second iteration is a loop: no lanes ask. */
static void windows_and_turns(void **state) {
    (void)state;
    census c = count(HEADER "@T.prim_func\n"
                            "def f(A: T.Buffer((64, 64), \"float32\"), O: T.Buffer((62, 62), \"float32\")):\n"
                            "    for i, j in T.grid(62, 62):\n"
                            "        O[i, j] = T.float32(0)\n"
                            "        for r, s in T.grid(3, 3):\n"
                            "            O[i, j] = O[i, j] + A[i + r, j + s]\n",
                     NULL);
    assert_int_equal(c.lanes, 1);
    assert_int_equal(c.stores, 0);
    c = count(HEADER
              "@T.prim_func\n"
              "def f(U: T.Buffer((66, 66), \"float32\")):\n"
              "    for c in range(2):\n"
              "        for i, j in T.grid(64, 64):\n"
              "            if (i + j) % 2 == c:\n"
              "                U[i + 1, j + 1] = U[i, j + 1] + U[i + 2, j + 1] + U[i + 1, j] + U[i + 1, j + 2]\n",
              NULL);
    assert_int_equal(c.lanes, 4);
    assert_int_equal(c.stores, 0);
}

/* Elements that loops inside of a body move stay in memory while it runs. */
static void loops_in_a_body_move_elements(void **state) {
    (void)state;
    census c = count(HEADER "@T.prim_func\n"
                            "def f(O: T.Buffer((40, 3), \"int64\")):\n"
                            "    for j in range(40):\n"
                            "        for i in range(2):\n"
                            "            for k in range(2):\n"
                            "                for l in range(17):\n"
                            "                    O[j, k + 1] = 4\n"
                            "            for l in range(17):\n"
                            "                O[j, 0] = 4\n",
                     NULL);
    assert_true(c.lanes + c.stores > 0);
    /* One loop does not move both what is sought by number and the numbers. */
    c = count(HEADER "@T.prim_func\n"
                     "def f(B: T.Buffer((7, 4, 1), \"int32\"), P: T.Buffer((8, 4), \"int32\")):\n"
                     "    for i, j, k in T.grid(3, 7, 1):\n"
                     "        P[j, i + k] = B[j, T.max(i - k, 0), k]\n",
              NULL);
    assert_true(c.lanes + c.stores > 0);
}

/* A sum that is cleared by a statement of its own, or kept in a variable, and what is done with it afterwards: the nest
 * is cut, and clearing becomes the contraction's first value. */
static void nests_around_a_sum_are_cut(void **state) {
    (void)state;
    const char *head = HEADER "@T.prim_func(s_tir=True)\n"
                              "def f(A: T.Buffer((32, 48), \"float32\"), B: T.Buffer((48, 64), \"float32\"), "
                              "C: T.Buffer((32, 64), \"float32\")):\n"
                              "    for i in range(32):\n"
                              "        for j in range(64):\n";
    char text[2048];
    snprintf(text, sizeof(text), "%s            C[i, j] = T.float32(0)\n            for k in range(48):\n"
                                 "                C[i, j] = C[i, j] + A[i, k] * B[k, j]\n", head);
    census c = count(text, NULL);
    assert_int_equal(c.contractions, 1);
    assert_int_equal(c.lanes, 0);
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.disable = "contract";
    c = count(text, &options);
    assert_int_equal(c.lanes, 1);
    assert_int_equal(c.inner_fma, 1);
    snprintf(text, sizeof(text),
             "%s            s: T.float32 = 0.0\n            for k in range(48):\n"
             "                s = s + A[i, k] * B[k, j]\n            C[i, j] = T.max(s, 0.0)\n",
             head);
    c = count(text, NULL);
    assert_int_equal(c.contractions, 1);
    assert_int_equal(c.lanes, 1);
    assert_int_equal(c.stores, 0);
    /* The sum is added to what C held: it is kept elsewhere. */
    snprintf(text, sizeof(text),
             "%s            s: T.float32 = 0.0\n            for k in range(48):\n"
             "                s = s + A[i, k] * B[k, j]\n            C[i, j] = C[i, j] + s\n",
             head);
    assert_int_equal(count(text, NULL).contractions, 1);
}

/* Neighbouring nests over the same elements are one, and what is between them is no memory, where nobody else looks. */
static void neighbours_are_fused(void **state) {
    (void)state;
    static const char text[] =
        HEADER "@T.prim_func(s_tir=True)\n"
               "def f(A: T.Buffer((64, 100), \"float32\"), B: T.Buffer((64, 100), \"float32\")):\n"
               "    t = T.sblock_alloc_buffer((64, 100))\n"
               "    u = T.sblock_alloc_buffer((64, 100))\n"
               "    for i, j in T.grid(64, 100):\n"
               "        t[i, j] = T.exp(A[i, j])\n"
               "    for i, j in T.grid(64, 100):\n"
               "        u[i, j] = t[i, j] * T.float32(2)\n"
               "    for x, y in T.grid(64, 100):\n"
               "        B[x, y] = u[x, y] - A[x, y]\n";
    census c = count(text, NULL);
    assert_int_equal(c.lanes, 1);
    assert_int_equal(c.allocations, 0);
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.disable = "fuse";
    c = count(text, &options);
    assert_int_equal(c.lanes, 3);
    assert_int_equal(c.allocations, 2);
    char other[sizeof(text) + 100]; /* a third reader: t must be there for it */
    snprintf(other, sizeof(other), "%s    B[0, 0] = t[63, 99]\n", text);
    c = count(other, NULL);
    assert_int_equal(c.lanes, 1);
    assert_int_equal(c.allocations, 1);
    /* Another element than the neighbour's own: the first nest must have ended. */
    c = count(HEADER "@T.prim_func(s_tir=True)\n"
                     "def f(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")):\n"
                     "    t = T.sblock_alloc_buffer((64,))\n"
                     "    for i in range(64):\n        t[i] = T.exp(A[i])\n"
                     "    for i in range(64):\n        B[i] = t[63 - i]\n",
              NULL);
    assert_int_equal(c.lanes, 2);
    assert_int_equal(c.allocations, 1);
}

/* What nests do with rows is done for a block of rows at a time, few or many, short or long. */
static void rows_are_fused(void **state) {
    (void)state;
#define ROWS(n, m) "(" #n ", " #m ")"
#define SUMMED_ROWS(n, m, first, last)                                                     \
    HEADER "@T.prim_func(s_tir=True)\n"                                                    \
           "def f(A: T.Buffer(" ROWS(n, m) ", \"float32\"), B: T.Buffer(" ROWS(n, m) ", \"float32\")):\n" \
           "    t = T.sblock_alloc_buffer(" ROWS(n, m) ")\n"                               \
           "    s = T.sblock_alloc_buffer((" #n ",))\n"                                    \
           "    for i, j in T.grid" ROWS(n, m) ":\n        t[i, j] = T.exp(" first ")\n"  \
           "    for i, k in T.grid" ROWS(n, m) ":\n"                                       \
           "        with T.sblock(\"s\"):\n"                                               \
           "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"                           \
           "            with T.init():\n                s[vi] = T.float32(0)\n"           \
           "            s[vi] = s[vi] + t[vi, vk] * T.float32(3)\n"                        \
           "    for i, j in T.grid" ROWS(n, m) ":\n        B[i, j] = " last "\n"
    static const struct {
        const char *text;
        unsigned fused;
    } cases[] = {
        {SUMMED_ROWS(512, 600, "A[i, j]", "t[i, j] / s[i]"), 2},
        {SUMMED_ROWS(64, 600, "A[i, j]", "t[i, j] / s[i]"), 2},                     /* few */
        {SUMMED_ROWS(30000, 20, "A[i, j]", "t[i, j] / s[i]"), 2},                   /* short */
        {SUMMED_ROWS(512, 600, "A[i, j]", "t[i, j] / s[511 - i]"), 1},              /* another row's sum */
        {SUMMED_ROWS(512, 600, "A[i, j]", "t[i, j] / s[i] + B[511 - i, j]"), 2}, /* as one with what comes before */
        {SUMMED_ROWS(512, 600, "A[i, j]", "t[i, j] / s[i] + A[i, j + 1]"), 1},  /* may trap */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
        options.explain = 1;
        tirb_compile_result *result = compile_with(cases[i].text, &options);
        unsigned fused = 0;
        for (uint32_t k = 0; k < tirb_compile_result_loop_count(result); k++)
            fused += tirb_compile_result_loop(result, k)->form == TIRB_FORM_FUSED;
        tirb_compile_result_destroy(result);
        if (fused != cases[i].fused) fail_msg("case %zu: %u fused loops", i, fused);
    }
}

/* A counter that indices take apart is several: no division is left, and no check of an index. */
static void counters_are_taken_apart(void **state) {
    (void)state;
    static const char text[] = HEADER "@T.prim_func(s_tir=True)\n"
                                      "def f(A: T.Buffer((6, 10, 8), \"int32\"), B: T.Buffer((8, 6, 10), \"int32\")):\n"
                                      "    for f in range(480):\n"
                                      "        B[f % 8, f // 80, f // 8 % 10] = A[f // 80, f % 80 // 8, f % 8]\n";
    census c = count(text, NULL);
    assert_int_equal(c.lanes, 1);
    assert_int_equal(c.checks, 0);
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.disable = "digits,collapse,unsplit,sizes,sequences,branches,whiles,induction,scalar_replace";
    c = count(text, &options);
    assert_int_equal(c.lanes, 0);
    /* 43 = 8 * 5 + 3: the last round is a loop of its own. */
    c = count(HEADER "@T.prim_func(s_tir=True)\n"
                     "def f(A: T.Buffer((9, 6), \"int32\"), B: T.Buffer((43,), \"int32\")):\n"
                     "    for f in range(43):\n"
                     "        B[f] = A[f // 5, f % 5]\n",
              NULL);
    assert_int_equal(c.lanes, 1);
    assert_int_equal(c.stores, 1);
    /* Indices of all of a row are the number of the element: there is nothing to take apart. */
    c = count(HEADER "@T.prim_func(s_tir=True)\n"
                     "def f(A: T.Buffer((6, 10, 35), \"int32\"), B: T.Buffer((14, 150), \"int32\")):\n"
                     "    for i, j in T.grid(14, 150):\n"
                     "        B[i, j] = A[(i * 150 + j) // 350, (i * 150 + j) % 350 // 35, (i * 150 + j) % 35]\n"
                     "    for i in range(2100):\n"
                     "        B[i // 150, i % 150] += A[i // 350, i // 35 % 10, i % 35]\n",
              NULL);
    assert_int_equal(c.lanes, 2);
    assert_int_equal(c.stores + c.indexed + c.checks, 0);
    /* A fused reduction axis is still one tree, and a window's axis the inner loops of lanes. */
    c = count(HEADER "@T.prim_func(s_tir=True)\n"
                     "def f(A: T.Buffer((24, 30), \"float32\"), S: T.Buffer((), \"float32\")):\n"
                     "    for f in range(720):\n"
                     "        with T.sblock(\"S\"):\n"
                     "            v = T.axis.reduce(720, f)\n"
                     "            with T.init():\n"
                     "                S[()] = T.float32(0)\n"
                     "            S[()] = S[()] + A[v // 30, v % 30]\n",
              NULL);
    assert_int_equal(c.trees, 1);
    assert_int_equal(c.lanes, 1);
}

/* Axes of a tree reduction that follow each other in memory are one row; elements of those that do not are put next to
 * each other first. */
static void axes_are_joined(void **state) {
    (void)state;
    static const char format[] = HEADER "@T.prim_func(s_tir=True)\n"
                                        "def f(A: T.Buffer((8, 5, %d), \"float32\"), S: T.Buffer((8,), \"float32\")):\n"
                                        "    for i, h, w in T.grid(8, 5, 7):\n"
                                        "        with T.sblock(\"S\"):\n"
                                        "            vi, vh, vw = T.axis.remap(\"SRR\", [i, h, w])\n"
                                        "            with T.init():\n"
                                        "                S[vi] = T.float32(0)\n"
                                        "            S[vi] = S[vi] + A[vi, vh, vw]\n";
    char text[sizeof(format) + 10];
    snprintf(text, sizeof(text), format, 7);
    census c = count(text, NULL);
    assert_int_equal(c.folds, 1);
    assert_int_equal(c.trees, 0);
    snprintf(text, sizeof(text), format, 8);
    c = count(text, NULL);
    assert_int_equal(c.folds, 1);
    assert_int_equal(c.trees, 0);
    assert_int_equal(c.lanes, 1);
}

/* Clamped coordinates and padding: the middle of the image is lanes without a condition. */
static void borders_are_split_off(void **state) {
    (void)state;
    static const char head[] = HEADER "@T.prim_func(s_tir=True)\n"
                                      "def f(A: T.Buffer((\"n\", \"n\"), \"float32\"), B: T.Buffer((\"n\", \"n\"), "
                                      "\"float32\")):\n    n = T.int32()\n    for i, j in T.grid(n, n):\n";
    char text[1000];
    snprintf(text, sizeof(text), "%s        B[i, j] = A[i, T.max(j - 1, 0)] + A[i, T.min(j + 1, n - 1)]\n", head);
    assert_true(count(text, NULL).lanes >= 1);
    snprintf(text, sizeof(text), "%s        B[i, j] = T.if_then_else(2 <= i and i < n - 1 and 3 <= j, A[i - 2, j - 3], "
                                 "T.float32(1)) * T.float32(2)\n", head);
    census c = count(text, NULL);
    assert_true(c.lanes >= 3);
    assert_int_equal(c.stores, 0);
}

/* The one iteration that changes what all others read is run alone; and rows of a triangle are lanes. */
static void meetings_are_split_off(void **state) {
    (void)state;
    census c = count(HEADER "@T.prim_func(s_tir=True)\n"
                            "def f(D: T.Buffer((\"n\", \"n\"), \"float32\")):\n"
                            "    n = T.int32()\n"
                            "    for k, i, j in T.grid(n, n, n):\n"
                            "        D[i, j] = T.min(D[i, j], D[i, k] + D[k, j])\n",
                     NULL);
    /* Four nests of whole rows, two columns, and the row that all read: two parts and the element they share. */
    assert_int_equal(c.lanes, 8);
    assert_int_equal(c.stores, 1);
    c = count(HEADER "@T.prim_func(s_tir=True)\n"
                     "def f(R: T.Buffer((70, 70), \"bool\")):\n"
                     "    for k in range(70):\n"
                     "        for i in range(70):\n"
                     "            for j in range(70):\n"
                     "                if R[i, k] and R[k, j]:\n"
                     "                    R[i, j] = True\n",
              NULL);
    assert_true(c.lanes >= 6);
    c = count(HEADER "@T.prim_func(s_tir=True)\n"
                     "def f(A: T.Buffer((\"n\", \"n\"), \"float32\")):\n"
                     "    n = T.int32()\n"
                     "    for k in range(n):\n"
                     "        for i in range(k + 1, n):\n"
                     "            for j in range(k + 1, n):\n"
                     "                A[i, j] = A[i, j] - A[i, k] * A[k, j]\n",
              NULL);
    assert_int_equal(c.lanes, 1);
    assert_int_equal(c.stores, 0);
}

/* Loops that update windows which overlap, of so few rows that most are at borders: those of the window stand outside,
 * and the others are lanes, or with a sum a contraction. */
static void windows_are_turned(void **state) {
    (void)state;
    static const char text[] = HEADER "@T.prim_func\n"
        "def f(G: T.Buffer((8, 7, 20), \"float32\"), W: T.Buffer((8, 4, 3, 5), \"float32\"), %s, \"float32\")):\n"
        "    for %s:\n        %s = %s + G[o, h, w] * W[o, c, p, q]\n";
    static const struct {
        const char *buffer, *loops, *place;
        unsigned inners, contractions;
    } cases[] = {
        {"D: T.Buffer((4, 9, 24)", "o, h, w, c, p, q in T.grid(8, 7, 20, 4, 3, 5)", "D[c, h + p, w + q]", 2, 0},
        {"D: T.Buffer((4, 9, 81)", "o, c, h, w, p, q in T.grid(8, 4, 7, 20, 3, 5)", "D[c, h + p, w * 4 + q]", 2, 0},
        {"D: T.Buffer((4 * 9 * 24,)", "o, h, p, c, w, q in T.grid(8, 7, 3, 4, 20, 5)",
         "D[(c * 9 + h + p) * 24 + w + q]", 2, 0},
        {"D: T.Buffer((4, 9, 24)", "h, w, p, q, o, c in T.grid(7, 20, 3, 5, 8, 4)", "D[c, h + p, w + 4 - q]", 0, 1},
        {"D: T.Buffer((9, 24, 4)", "h, w, p, q, c, o in T.grid(7, 20, 3, 5, 4, 8)", "D[h + p, w + q, c]", 0, 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char whole[1024];
        snprintf(whole, sizeof(whole), text, cases[i].buffer, cases[i].loops, cases[i].place, cases[i].place);
        census c = count(whole, NULL);
        assert_int_equal(c.inners, cases[i].inners);
        assert_int_equal(c.contractions, cases[i].contractions);
        assert_int_equal(c.lanes, 1 - cases[i].contractions);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_products_in_any_order),
        cmocka_unit_test(what_is_a_contraction),
        cmocka_unit_test(short_sums_are_contractions),
        cmocka_unit_test(quantized_windows_are_contractions),
        cmocka_unit_test(depthwise_windows_are_contractions),
        cmocka_unit_test(scratch_begins_in_loops),
        cmocka_unit_test(operands_are_computed_once),
        cmocka_unit_test(operands_of_the_same_axes_share_loops),
        cmocka_unit_test(nests_of_several_sums_are_cut),
        cmocka_unit_test(conditions_of_nests_are_bounds),
        cmocka_unit_test(borders_are_parts),
        cmocka_unit_test(borders_of_any_size_are_parts),
        cmocka_unit_test(windows_and_turns),
        cmocka_unit_test(loops_in_a_body_move_elements),
        cmocka_unit_test(nests_around_a_sum_are_cut),
        cmocka_unit_test(neighbours_are_fused),
        cmocka_unit_test(rows_are_fused),
        cmocka_unit_test(counters_are_taken_apart),
        cmocka_unit_test(axes_are_joined),
        cmocka_unit_test(borders_are_split_off),
        cmocka_unit_test(meetings_are_split_off),
        cmocka_unit_test(windows_are_turned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
