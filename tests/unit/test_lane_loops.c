/* Which loops become lanes, scans, searches and folds of rows. */
#include "tests/unit/census.h"

static void elementwise_loops_become_lanes(void **state) {
    (void)state;
    census c = count(HEADER "@T.prim_func(s_tir=True)\n"
                            "def f(A: T.Buffer((64, 100), \"float32\"), B: T.Buffer((64, 100), \"float32\")):\n"
                            "    for i, j in T.grid(64, 100):\n"
                            "        with T.sblock(\"B\"):\n"
                            "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
                            "            B[vi, vj] = A[vi, vj] * T.float32(2) + T.float32(1)\n",
                     NULL);
    assert_int_equal(c.lanes, 1);
    assert_int_equal(c.lane_fma, 1);
    assert_int_equal(c.stores, 0);
    assert_int_equal(c.checks, 0);
}

/* Plain sums keep the program's order; what they carry goes from lane to lane. */
static void carried_values_become_scans(void **state) {
    (void)state;
    const char *bodies[] = {
        "    S[0] = T.float32(0)\n    for i in range(n):\n        S[0] = S[0] + A[i]\n",
        "    S[0] = T.float32(0)\n    for i in range(n):\n        S[0] = S[0] + A[i] * B[i]\n",
        "    for i in range(n):\n        S[1] = T.max(A[i], S[1])\n",
        "    total: T.float32 = T.float32(0)\n    for i in range(n):\n        total = total + A[i]\n        B[i] = "
        "total\n",
        "    total: T.float32 = T.float32(0)\n    for i in range(n):\n        B[i] = total\n        total = total * "
        "A[i]\n",
        "    for i in range(T.cast(S[0], \"int32\")):\n        S[1] = S[1] - A[i]\n",
        "    for i in range(1, n):\n        t: T.float32 = T.max(A[i - 1], B[i])\n        A[i] = t\n",
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 HEADER "@T.prim_func(s_tir=True)\n"
                        "def f(A: T.Buffer((\"n\",), \"float32\"), B: T.Buffer((\"n\",), \"float32\"), S: "
                        "T.Buffer((2,), \"float32\")):\n"
                        "    n = T.int32()\n%s",
                 bodies[i]);
        census c = count(text, NULL);
        if (c.scans != 1) print_error("%s", text);
        assert_int_equal(c.scans, 1);
        tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
        options.disable = "sequences,branches,whiles,induction,scalar_replace";
        assert_int_equal(count(text, &options).scans, 0);
    }
    /* A choice of which one arm does more. */
    census c = count(HEADER "@T.prim_func(s_tir=True)\n"
                            "def f(A: T.Buffer((99,), \"int32\"), B: T.Buffer((99,), \"int32\")):\n"
                            "    best: T.int32 = 0\n    for i in range(1, 99):\n        if B[i] > 1:\n"
                            "            A[i] = A[i - 1] + B[i]\n            best = T.max(best, A[i])\n"
                            "        else:\n            A[i] = 0\n    B[0] = best\n",
                     NULL);
    assert_int_equal(c.scans, 2);
    assert_int_equal(c.lanes, 1);
}

/* What a row hands on to the next one stays in the lanes of its columns. */
static void rows_are_handed_on_in_lanes(void **state) {
    (void)state;
    const char *bodies[] = {
        "    for i in range(1, 40):\n        for j in range(48):\n            A[i, j] = A[i - 1, j] + B[i, j]\n",
        "    for j in range(48):\n        for i in range(1, 40):\n            A[i, j] = A[i - 1, j] * B[i, j]\n",
        "    for i in range(39):\n        for j in range(48):\n            A[38 - i, j] = T.max(A[39 - i, j], B[i, j])\n",
        ("    for i in range(40):\n        for j in range(48):\n            S[j] = S[j] * T.float32(0.5) + B[i, j]\n"
        "            A[i, j] = S[j]\n"),
    };
    const char *begun = HEADER "@T.prim_func(s_tir=True)\n"
                               "def f(A: T.Buffer((40, 48), \"float32\"), B: T.Buffer((40, 48), \"float32\"), S: "
                               "T.Buffer((48,), \"float32\")):\n";
    char text[1024];
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        snprintf(text, sizeof(text), "%s%s", begun, bodies[i]);
        census c = count(text, NULL);
        if (c.inners != 1) print_error("%s", text);
        assert_int_equal(c.inners, 1);
        assert_int_equal(c.lanes, 1);
        tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
        options.disable = "interchange";
        assert_int_equal(count(text, &options).inners, 0);
    }
    /* Columns that read each other are none. */
    snprintf(text, sizeof(text), "%s%s", begun,
             "    for i in range(1, 40):\n        for j in range(47):\n            A[i, j] = A[i - 1, j + 1] + B[i, j]\n");
    assert_int_equal(count(text, NULL).inners, 0);
}

/* While loops that go on as long as elements say are run ahead, unless rounds change what later ones look at. */
static void while_loops_run_ahead(void **state) {
    (void)state;
    const struct {
        const char *body;
        unsigned finds;
    } cases[] = {
        {"while j >= 0 and A[j] > p:\n            A[j + 1] = A[j]\n            j = j - 1\n", 1},
        {"while j < n and A[j] != p:\n            j = j + 1\n", 1},
        {"while j < n and A[j] < p:\n            A[j - 1] = A[j]\n            B[j] = p\n            j = j + 1\n", 1},
        {"while j >= 0 and A[j] > p:\n            A[j - 1] = A[j]\n            j = j - 1\n", 0},
        {"while j >= 0 and A[j] > B[0]:\n            B[j] = A[j]\n            j = j - 1\n", 0},
        {"while j >= 0 and A[n - j] > p:\n            B[j] = A[j]\n            j = j - 1\n", 0},
        {"while A[j] > p and j >= 0:\n            B[j] = A[j]\n            j = j - 1\n", 0},
        {"while j < n and A[j] > p:\n            B[j] = A[j]\n            j = j + 2\n", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 HEADER "@T.prim_func(s_tir=True)\n"
                        "def f(A: T.Buffer((\"n\",), \"float32\"), B: T.Buffer((\"n\",), \"float32\"), S: "
                        "T.Buffer((\"n\",), \"int32\"), p: T.float32):\n    n = T.int32()\n"
                        "    for i in range(1, n):\n        j: T.int32 = i - 1\n        %s        A[i] = p\n        S[i] = j\n",
                 cases[i].body);
        census c = count(text, NULL);
        if (c.finds != cases[i].finds) print_error("%s", text);
        assert_int_equal(c.finds, cases[i].finds);
    }
}

/* Updates that most iterations do not make are looked for by many lanes at once. */
static void rare_updates_are_searched(void **state) {
    (void)state;
    const char *bodies[] = {
        "    for i in range(n):\n        if A[i] > S[0]:\n            S[0] = A[i]\n            W[0] = i\n",
        "    for i in range(n):\n        if A[i] + B[i] < S[0] or i < 0:\n            W[0] = i\n            S[0] = "
        "A[i] + B[i]\n",
        "    best: T.float32 = S[0]\n    where: T.int32 = 0\n    for i in range(n):\n"
        "        where = T.Select(A[i] >= best, i, where)\n        best = T.Select(A[i] >= best, A[i], best)\n"
        "    S[0] = best\n    W[0] = where\n",
        "    for i in range(n):\n        with T.sblock():\n            vi = T.axis.reduce(n, i)\n            with "
        "T.init():\n"
        "                S[0] = T.float32(0)\n                W[0] = -1\n"
        "            w: T.let[T.int32] = T.Select(S[0] > A[vi] or S[0] == A[vi] and W[0] < vi, W[0], vi)\n"
        "            s: T.let[T.float32] = T.Select(S[0] > A[vi], S[0], A[vi])\n"
        "            W[0] = w\n            S[0] = s\n",
        ("    for i in range(n):\n        if A[i] > S[0]:\n            S[1] = S[0]\n            S[0] = A[i]\n"
         "        elif A[i] > S[1]:\n            S[1] = A[i]\n"),
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 HEADER "@T.prim_func(s_tir=True)\n"
                        "def f(A: T.Buffer((\"n\",), \"float32\"), B: T.Buffer((\"n\",), \"float32\"), S: "
                        "T.Buffer((2,), \"float32\"), "
                        "W: T.Buffer((1,), \"int32\")):\n    n = T.int32()\n%s",
                 bodies[i]);
        census c = count(text, NULL);
        unsigned finds = i == 0 || i == 3 ? 2 : 1; /* behind a fold where there are few: S and W say what and where */
        if (c.finds != finds) print_error("%s", text);
        assert_int_equal(c.finds, finds);
        tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
        options.disable = "sequences,branches,whiles,induction,scalar_replace";
        assert_int_equal(count(text, &options).finds, 0);
    }
    /* Where nothing that was found before is looked at, the last one is searched for; divisions may fail. */
    const char *others[] = {"        if A[i] > B[i]:\n            W[0] = i\n",
                            "        if i // W[0] > W[1]:\n            W[1] = i\n"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 HEADER "@T.prim_func(s_tir=True)\n"
                        "def f(A: T.Buffer((\"n\",), \"float32\"), B: T.Buffer((\"n\",), \"float32\"), W: "
                        "T.Buffer((2,), \"int32\")):\n"
                        "    n = T.int32()\n    for i in range(n):\n%s",
                 others[i]);
        assert_int_equal(count(text, NULL).finds, i == 0);
    }
}

/* Loops over ranges that follow each other: as many lane loops over their places as there are of them. */
static void ranges_become_lanes(void **state) {
    (void)state;
    const struct {
        const char *body;
        unsigned advances;
    } cases[] = {
        {"Y[i] = T.float32(0)\n        for k in range(P[i + 1] - P[i]):\n            Y[i] += V[P[i] + k] * X[C[P[i] + "
         "k]]\n",
         1},
        {"k: T.int32 = P[i]\n        s: T.float32 = T.float32(0)\n        while k < P[i + 1]:\n            s = s + "
         "V[k]\n            k = k + 1\n"
         "        Y[i] = s\n",
         1},
        {"b: T.let[T.int32] = P[i]\n        Y[i] = V[0]\n        for k in range(P[i + 1] - b):\n            Y[i] = "
         "T.max(Y[i], V[b + k])\n",
         1},
        {"s: T.float32 = T.float32(0)\n        for k in range(P[i], P[i + 1]):\n            s = s + V[k]\n"
         "        for k in range(P[i], P[i + 1]):\n            O[k] = V[k] / s\n",
         2},
        /* a range that does not end where the next one begins; rows that read what others write */
        {"Y[i] = T.float32(0)\n        for k in range(P[i], C[i]):\n            Y[i] += V[k]\n", 0},
        {"Y[i] = T.float32(0)\n        for k in range(P[i], P[i + 1]):\n            Y[i] += Y[C[k]]\n", 0},
        {"for k in range(P[i], P[i + 1]):\n            O[k] = X[C[k]]\n        X[i] = T.float32(1)\n", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1500];
        snprintf(text, sizeof(text),
                 HEADER "@T.prim_func(s_tir=True)\n"
                        "def f(P: T.Buffer((\"n + 1\",), \"int32\"), C: T.Buffer((\"e\",), \"int32\"), V: "
                        "T.Buffer((\"e\",), \"float32\"), "
                        "X: T.Buffer((\"m\",), \"float32\"), Y: T.Buffer((\"n\",), \"float32\"), O: T.Buffer((\"e\",), "
                        "\"float32\")):\n"
                        "    n, e, m = T.int32(), T.int32(), T.int32()\n    for i in range(n):\n        %s",
                 cases[i].body);
        census c = count(text, NULL);
        if (c.advances != cases[i].advances) print_error("%s", text);
        assert_int_equal(c.advances, cases[i].advances);
    }
}

/* Elements that iterations compute: gathers anywhere, stores and updates where nothing else reaches the buffer. */
static void computed_indices_become_lanes(void **state) {
    (void)state;
    const struct {
        const char *body;
        unsigned indexed, updates;
    } cases[] = {
        {"        C[i] = A[J[i]]\n", 2, 0},
        {"        A[J[i]] = C[i]\n", 2, 0},
        {"        A[J[i]] = A[J[i]] + C[i]\n", 1, 1},
        {"        A[J[i]] = T.min(C[i], A[J[i]])\n", 1, 1},
        {"        A[J[i]] = A[J[i] - 1] + C[i]\n", 0, 0},
        {"        A[J[i]] = A[J[i]] + A[i]\n", 0, 0},
        {"        J[J[i]] = J[i]\n", 0, 0},
        {"        C[i] = T.if_then_else(J[i] >= 0, D[J[i]], T.float32(0))\n", 2, 0},
        {"        C[i] = T.if_then_else(J[i] >= 0, A[J[i]], T.float32(0))\n", 2, 0},
        {"        for k in range(1):\n            A[J[i] + k] = A[J[i] + k] + C[i + k]\n", 1, 1},
        {"        for k in range(1):\n            if J[i] > 3:\n                C[i] = A[J[i] + k]\n", 2, 0},
        {"        if J[i] >= 0 and D[J[i]] > T.float32(0):\n            C[i] = D[J[i] - 1]\n", 4, 0},
        {"        C[i] = D[J[i] // 7 * 7 + J[i] % 7] + E[J[i] // 7, J[i] % 7]\n", 4, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 HEADER "@T.prim_func(s_tir=True)\n"
                        "def f(A: T.Buffer((\"n\",), \"float32\"), C: T.Buffer((\"n\",), \"float32\"), J: "
                        "T.Buffer((\"n\",), \"int32\"), "
                        "D: T.Buffer((70,), \"float32\"), E: T.Buffer((10, 7), \"float32\")):\n"
                        "    n = T.int32()\n    for i in range(n):\n%s",
                 cases[i].body);
        census c = count(text, NULL);
        if (c.indexed != cases[i].indexed || c.updates != cases[i].updates) print_error("%s", text);
        assert_int_equal(c.indexed, cases[i].indexed);
        assert_int_equal(c.updates, cases[i].updates);
    }
}

/* Rows by number are read, stored and updated by one lane loop for all of them; those that may meet others are not. */
static void rows_by_number_become_lanes(void **state) {
    (void)state;
    const struct {
        const char *body;
        unsigned seeks;
    } cases[] = {
        {"C[i, j] = A[J[i], j]", 1},
        {"A[J[i], j] = C[i, j]", 1},
        {"A[J[i], j] = T.float32(0)", 1},
        {"A[J[i], j] = A[J[i], j] + C[i, j]", 1},
        {"A[J[i], j] = A[i, j]", 0},
        {"A[J[i], j] = C[i, j] + A[0, j]", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 HEADER "@T.prim_func(s_tir=True)\n"
                        "def f(A: T.Buffer((\"v\", \"d\"), \"float32\"), C: T.Buffer((\"n\", \"d\"), \"float32\"), J: "
                        "T.Buffer((\"n\",), \"int32\")):\n"
                        "    n, v, d = T.int32(), T.int32(), T.int32()\n    for i, j in T.grid(n, d):\n        %s\n",
                 cases[i].body);
        census c = count(text, NULL);
        if (c.seeks != cases[i].seeks) print_error("%s", text);
        assert_int_equal(c.seeks, cases[i].seeks);
    }
}

static void sums_become_trees(void **state) {
    (void)state;
    const char *text = HEADER "@T.prim_func(s_tir=True)\n"
                              "def f(A: T.Buffer((8, 100), \"float32\"), B: T.Buffer((8,), \"float32\")):\n"
                              "    for i, k in T.grid(8, 100):\n"
                              "        with T.sblock(\"B\"):\n"
                              "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
                              "            with T.init():\n"
                              "                B[vi] = T.float32(0)\n"
                              "            B[vi] = B[vi] + A[vi, vk] * A[vi, vk]\n";
    assert_int_equal(count(text, NULL).folds, 1);
    assert_int_equal(count(text, NULL).stores, 0);
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.disable = "contract";
    assert_int_equal(count(text, &options).trees, 1);
    assert_int_equal(count(text, &options).folds, 0);
    options.disable = "lanes";
    assert_int_equal(count(text, &options).trees, 0);
    const char *several = HEADER "@T.prim_func(s_tir=True)\n"
                                 "def f(A: T.Buffer((8, 100), \"float32\"), B: T.Buffer((8,), \"float32\"), "
                                 "C: T.Buffer((8,), \"float32\")):\n"
                                 "    for i, k in T.grid(8, 100):\n"
                                 "        with T.sblock(\"B\"):\n"
                                 "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
                                 "            v_B: T.let[T.float32] = B[vi] + A[vi, vk]\n"
                                 "            v_C: T.let[T.float32] = C[vi] + A[vi, vk] * A[vi, vk]\n"
                                 "            B[vi] = v_B\n"
                                 "            C[vi] = v_C\n";
    assert_int_equal(count(several, NULL).trees + count(several, NULL).folds, 2);
}

/* A nest over i and k of rows of 100, in a block whose body this is, of which A is 8 by 100 and B and C have 8
 * elements. */
static unsigned folds_of(const char *type, const char *body) {
    char text[2048];
    snprintf(text, sizeof(text),
             HEADER "@T.prim_func(s_tir=True)\n"
                    "def f(A: T.Buffer((8, 100), \"%s\"), X: T.Buffer((100,), \"%s\"), B: T.Buffer((8,), \"%s\"), "
                    "C: T.Buffer((8,), \"%s\")):\n"
                    "    for i, k in T.grid(8, 100):\n"
                    "        with T.sblock(\"B\"):\n"
                    "            vi, vk = T.axis.remap(\"SR\", [i, k])\n            %s\n",
             type, type, type, type, body);
    return count(text, NULL).folds;
}

static void rows_of_trees_are_folds(void **state) {
    (void)state;
    assert_int_equal(folds_of("float32", "B[vi] = B[vi] + A[vi, vk]"), 1);
    assert_int_equal(folds_of("float64", "B[vi] = B[vi] + A[vi, vk] * X[vk]"), 1);
    assert_int_equal(folds_of("float32", "B[vi] = T.max(B[vi], A[vi, vk])"), 1);
    assert_int_equal(folds_of("float32", "B[vi] = T.min(A[vi, vk], B[vi])"), 1);
    assert_int_equal(folds_of("float32", "B[vi] = B[vi] * A[vi, vk]"), 1);
    /* Terms that are more than elements, or not side by side, are computed before. */
    assert_int_equal(folds_of("float32", "B[vi] = B[vi] + T.exp(A[vi, vk])"), 1);
    assert_int_equal(folds_of("float32", "B[vi] = B[vi] + A[vi, 99 - vk]"), 1);
    assert_int_equal(folds_of("float32", "B[vi] = T.max(B[vi], A[vi, vk] * X[vk])"), 1);
    /* Of another type, a sum for all rows, or no tree. */
    assert_int_equal(folds_of("float16", "B[vi] = B[vi] + A[vi, vk]"), 0);
    assert_int_equal(folds_of("float32", "B[0] = B[0] + A[vi, vk]"), 0);
    /* Integers. */
    assert_int_equal(folds_of("int32", "B[vi] = B[vi] + A[vi, vk]"), 1);
    assert_int_equal(folds_of("uint8", "B[vi] = T.max(A[vi, vk], B[vi])"), 1);
    assert_int_equal(folds_of("int64", "B[vi] = B[vi] + A[vi, vk] * A[vi, vk]"), 1);
    assert_int_equal(folds_of("int16", "B[vi] = T.bitwise_xor(B[vi], A[vi, vk])"), 1);
    assert_int_equal(folds_of("int32", "B[vi] = B[vi] - A[vi, vk]"), 0);
}

static void dependent_loops_stay_scalar(void **state) {
    (void)state;
    census c = count(HEADER "@T.prim_func(s_tir=True)\n"
                            "def f(A: T.Buffer((100,), \"float32\")):\n"
                            "    for i in range(99):\n"
                            "        A[i + 1] = A[i] * A[i] + A[i + 1]\n",
                     NULL);
    assert_int_equal(c.lanes, 0);
    assert_int_equal(c.stores, 1);
}

/* Registers hold integers extended to 64 bits: a cast of what is known to fit is no instruction. */
static void casts_of_what_fits_are_none(void **state) {
    (void)state;
    const struct {
        const char *value;
        unsigned casts;
    } cases[] = {{"T.Cast(\"int32\", T.bitwise_and(A[i], T.uint32(255)))", 0},
                 {"T.Cast(\"int32\", T.shift_right(A[i], T.uint32(1)))", 0},
                 {"T.Cast(\"int32\", A[i])", 1},
                 {"T.Cast(\"int32\", T.min(B[h], T.int64(9)))", 1},
                 {"T.Cast(\"int32\", T.max(T.min(B[h], T.int64(9)), T.int64(-9)))", 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 HEADER "@T.prim_func(s_tir=True)\n"
                        "def f(A: T.Buffer((100,), \"uint32\"), B: T.Buffer((256,), \"int64\"), C: T.Buffer((1,), "
                        "\"int32\")):\n"
                        "    h: T.int32 = C[0]\n    for i in range(100):\n        h = %s\n"
                        "        B[h] = B[h] * B[h] + B[100]\n    C[0] = h\n",
                 cases[i].value);
        census c = count(text, NULL);
        if (c.casts != cases[i].casts) print_error("%u casts of %s", c.casts, text);
        assert_int_equal(c.lanes, 0);
        assert_int_equal(c.casts, cases[i].casts);
    }
}

/* Elements of the array itself at a distance that memory tells, bounds in memory, comparisons that are extremes, and an
 * element whose place is carried: `lanes` of them, with copies of what is overwritten and without. */
static void tables_become_lanes(void **state) {
    (void)state;
    const struct {
        const char *body;
        unsigned lanes, scans, finds;
    } cases[] = {
        {"for c in range(100):\n            if c >= w[i]:\n                D[i + 1, c] = T.max(D[i, c], D[i, c - w[i]] "
         "+ 1)\n",
         1, 0, 0},
        {"for k in range(100):\n            if 99 - k >= w[i]:\n                B[99 - k] = T.max(B[99 - k], B[99 - k "
         "- w[i]])\n",
         3, 0, 0},
        {"for a in range(w[i], 100):\n            B[a] = B[a] + B[a - w[i]]\n", 2, 0, 0},
        {"for k in range(70):\n            B[k] = B[k + 30] - B[k]\n", 1, 0, 0},
        {"for k in range(70):\n            B[k + 30] = B[k] - 1\n", 1, 0, 0},
        {"for k in range(95):\n            B[k + 5] = B[k] - 1\n", 1, 1, 0},
        {"for k in range(100):\n            if w[k] > B[0]:\n                B[0] = w[k]\n", 0, 0, 0}, /* a fold */
        {"m: T.int32 = i\n        for k in range(i + 1, 100):\n            if w[k] < w[m]:\n                m = k\n    "
         "    B[i] = m\n",
         2, 1, 1},
        {"m: T.int32 = i\n        for k in range(100):\n            if w[k] < w[m]:\n                m = k + w[0]\n    "
         "    B[i] = m\n",
         1, 0, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 HEADER "@T.prim_func(s_tir=True)\n"
                        "def f(w: T.Buffer((100,), \"int32\"), B: T.Buffer((100,), \"int32\"), D: T.Buffer((100, 100), "
                        "\"int32\")):\n"
                        "    for i in range(99):\n        %s",
                 cases[i].body);
        census c = count(text, NULL);
        if (c.lanes != cases[i].lanes || c.scans != cases[i].scans || c.finds != cases[i].finds)
            print_error("%u lanes, %u scans, %u finds of %s", c.lanes, c.scans, c.finds, text);
        assert_int_equal(c.lanes, cases[i].lanes);
        assert_int_equal(c.scans, cases[i].scans);
        assert_int_equal(c.finds, cases[i].finds);
    }
}

/* One that goes from element to element by operations that steps of a scan are. */
static void recurrences_are_lanes(void **state) {
    (void)state;
    census c = count(HEADER "@T.prim_func(s_tir=True)\n"
                            "def f(A: T.Buffer((100,), \"float32\")):\n"
                            "    for i in range(99):\n"
                            "        A[i + 1] = (A[i] - A[i + 1]) * T.float32(0.5)\n",
                     NULL);
    assert_int_equal(c.lanes, 1);
    assert_int_equal(c.stores, 0);
}

/* What lanes read before others store it is where it was. */
static void values_that_stay_are_not_moved(void **state) {
    (void)state;
    const census c = count(HEADER "@T.prim_func(s_tir=True)\n"
                                  "def f(A: T.Buffer((1001,), \"float32\"), B: T.Buffer((1000,), \"float32\")):\n"
                                  "    for i in range(1000):\n"
                                  "        A[i] = A[i + 1] + B[i]\n",
                           NULL);
    assert_int_equal(c.lanes, 1);
    assert_int_equal(c.moves, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elementwise_loops_become_lanes),
        cmocka_unit_test(carried_values_become_scans),
        cmocka_unit_test(rows_are_handed_on_in_lanes),
        cmocka_unit_test(while_loops_run_ahead),
        cmocka_unit_test(rare_updates_are_searched),
        cmocka_unit_test(ranges_become_lanes),
        cmocka_unit_test(computed_indices_become_lanes),
        cmocka_unit_test(rows_by_number_become_lanes),
        cmocka_unit_test(sums_become_trees),
        cmocka_unit_test(rows_of_trees_are_folds),
        cmocka_unit_test(dependent_loops_stay_scalar),
        cmocka_unit_test(casts_of_what_fits_are_none),
        cmocka_unit_test(tables_become_lanes),
        cmocka_unit_test(recurrences_are_lanes),
        cmocka_unit_test(values_that_stay_are_not_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
