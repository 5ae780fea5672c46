/* What lanes do in the order of the program: sums of rows whose columns are transposed, running sums of integers,
 * counters, and ranges whose lanes update one element. They give what loops in order give, on every instruction set. */
#include "tests/unit/sampled.h"
#include "tests/unit/script_fixture.h"

#define PARAM(name, shape, type) name ": T.Buffer((" shape ",), \"" type "\"), "
#define MATRIX(name, type)       name ": T.Buffer((\"n\", \"m\"), \"" type "\"), "
#define HEAD                                                                                                           \
    "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\ndef f(" MATRIX("A", "float32") MATRIX("D", "float64") \
        MATRIX("C", "int8") MATRIX("I", "int32") MATRIX("L", "int64") MATRIX("U", "uint8")                             \
            PARAM("W", "m", "float32") PARAM("P", "n + 1", "int32") PARAM("S", "n", "float32") PARAM("E", "n", "float64") \
                PARAM("N", "n", "int32") PARAM("H", "256", "int32") PARAM("G", "256", "int64")                         \
                    "B: T.Buffer((\"n\", \"m\"), \"float32\")):\n    n, m = T.int32(), T.int32()\n"
#define EACH_ROW "    for i in range(n):\n"
#define TABLE(type)                                                                                                   \
    "    X = T.alloc_buffer((257,), \"" #type "\")\n    for q in range(257):\n        X[q] = T.Cast(\"" #type            \
    "\", q * 37 % 100 - 30)\n"

static const char *const programs[] = {
    /* rows in lanes: sums in memory and in variables, of other types, two passes, two columns, the least and the
     * greatest */
    HEAD EACH_ROW "        S[i] = T.float32(0)\n        for k in range(m):\n            S[i] = S[i] + A[i, k]\n",
    HEAD EACH_ROW "        for k in range(m):\n            S[i] = S[i] + A[i, k] * W[k]\n",
    HEAD EACH_ROW "        E[i] = D[i, 0]\n        for k in range(m):\n            E[i] = T.max(E[i], D[i, k])\n",
    HEAD EACH_ROW "        N[i] = 3\n        for k in range(m):\n            N[i] = N[i] + T.Cast(\"int32\", C[i, k]) * I[i, k]\n",
    HEAD EACH_ROW "        t: T.float32 = T.float32(0)\n        for k in range(m):\n            t = t + A[i, k]\n"
                  "        S[i] = t / T.Cast(\"float32\", m)\n        q: T.float32 = T.float32(0)\n        for k in range(m):\n"
                  "            q = q + (A[i, k] - S[i]) * (A[i, k] - S[i])\n        E[i] = T.Cast(\"float64\", q)\n",
    HEAD EACH_ROW "        S[i] = T.float32(0)\n        E[i] = T.float64(1)\n        for k in range(m):\n"
                  "            S[i] = S[i] + A[i, k] * T.Cast(\"float32\", D[i, m - 1 - k])\n"
                  "            E[i] = T.min(E[i], D[i, k] - T.Cast(\"float64\", A[i, k]))\n",
    /* memory that rows also write, and a row that is not there */
    HEAD EACH_ROW "        S[i] = T.float32(0)\n        for k in range(m):\n            S[i] = S[i] + A[i, k]\n"
                  "        for k in range(m):\n            A[i, k] = A[i, k] / S[i]\n",
    HEAD "    for i in range(n + 1):\n        S[i] = T.float32(0)\n        for k in range(m):\n            S[i] = S[i] + A[i, k]\n",
    /* variables that begin as copies: of which arithmetic alone is seen, or whose bits are; stores to columns */
    HEAD EACH_ROW "        t: T.float32 = A[i, 0]\n        for k in range(m):\n            t = t - A[i, k] * W[k]\n"
                  "        B[i, 0] = t / (S[i] + T.float32(2))\n",
    HEAD EACH_ROW "        t: T.float32 = A[i, 0]\n        for k in range(m - 2):\n            t = t - A[i, k] * W[k]\n        B[i, m - 1] = t\n",
    HEAD EACH_ROW "        t: T.float32 = A[i, 0]\n        if U[i, 0] > T.uint8(50):\n            t = A[i, m - 1]\n        S[i] = t\n"
                  "        u: T.float32 = t\n        for k in range(m):\n            u = T.max(u, A[i, k])\n        B[i, 0] = u\n",
    HEAD EACH_ROW "        t: T.float32 = A[i, 0]\n        for k in range(m):\n            t = T.if_then_else(U[i, k] > T.uint8(50), A[i, k], t)\n"
                  "        N[i] = T.reinterpret(\"int32\", t)\n",
    HEAD "    for j in range(T.min(n, m)):\n        for i in range(j, n):\n            t: T.float32 = A[i, j]\n"
         "            for k in range(j):\n                t = t - B[i, k] * B[j, k]\n"
         "            B[i, j] = t / (T.float32(3) + W[j])\n",
    /* running sums and differences, before and after, 32 and 64 bits */
    HEAD EACH_ROW "        t: T.int32 = i\n        for k in range(m):\n            t = t + I[i, k]\n            I[i, k] = t\n",
    HEAD EACH_ROW "        t: T.int32 = i\n        for k in range(m):\n            B[i, k] = T.Cast(\"float32\", t)\n            t = t - I[i, k]\n",
    HEAD EACH_ROW "        t: T.int64 = T.int64(7)\n        for k in range(m):\n            t = t - L[i, k]\n            L[i, k] = t\n",
    HEAD EACH_ROW "        t: T.int64 = T.int64(7)\n        for k in range(m):\n            old: T.let[T.int64] = t\n"
                  "            t = t + L[i, k]\n            L[i, k] = old\n        E[i] = T.Cast(\"float64\", t)\n",
    /* rows of integers, by any operation, into elements and variables, of narrower types, over two loops */
    HEAD EACH_ROW "        N[i] = 7\n        for k in range(m):\n            N[i] = N[i] + I[i, k]\n",
    HEAD EACH_ROW "        for k in range(m):\n            N[i] = N[i] + T.Cast(\"int32\", C[i, k]) * T.Cast(\"int32\", U[i, k])\n",
    HEAD EACH_ROW "        t: T.int64 = T.int64(-5)\n        for k in range(m):\n            t = T.max(t, L[i, k])\n"
                  "        E[i] = T.Cast(\"float64\", t + T.int64(1))\n",
    HEAD EACH_ROW "        t: T.int32 = 0\n        for k in range(m):\n            t = T.bitwise_xor(T.Cast(\"int32\", L[i, k]), t)\n        N[i] = t\n",
    HEAD EACH_ROW "        t: T.int32 = i\n        q: T.int64 = T.int64(1)\n        for k in range(m):\n            t = t + I[i, k]\n"
                  "            q = q * L[i, k]\n        N[i] = t\n        E[i] = T.Cast(\"float64\", q)\n",
    HEAD "    for i, k in T.grid(n, m):\n        N[0] = N[0] + I[i, k]\n",
    HEAD "    for k, i in T.grid(m, n):\n        N[i] = T.min(N[i], T.Cast(\"int32\", C[i, k]))\n",
    HEAD "    for i, k in T.grid(n, m):\n        with T.sblock(\"N\"):\n            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
         "            with T.init():\n                N[vi] = vi * 3\n            N[vi] = N[vi] + T.Cast(\"int32\", U[vi, vk])\n",
    HEAD "    for i, k in T.grid(n, m):\n        with T.sblock(\"H\"):\n            vi, vk = T.axis.remap(\"RR\", [i, k])\n"
         "            with T.init():\n                H[3] = 17\n            H[3] = T.bitwise_or(H[3], I[vi, vk])\n",
    HEAD EACH_ROW "        for k in range(m - 1):\n            H[i] = H[i] + I[i, k + 1]\n",
    HEAD EACH_ROW "        N[i] = 5\n        for q in range(3):\n            for k in range(m):\n                N[i] = N[i] + I[i, k]\n",
    HEAD EACH_ROW "        N[i] = 5\n        for q in range(3):\n            for k in range(9):\n                N[i] = T.max(N[i], H[q * 9 + k + i])\n",
    HEAD EACH_ROW "        t: T.int64 = T.int64(2)\n        for q, k in T.grid(4, m):\n"
                  "            t = t + T.Cast(\"int64\", I[i, k]) * T.Cast(\"int64\", H[q])\n        E[i] = T.Cast(\"float64\", t)\n",
    HEAD "    for i in range(m):\n        for k in range(9):\n            H[i % 256] = H[i % 256] + I[0, k]\n",
    /* rows of integers whose terms are computed, under conditions, in blocks, two at once, before what reads them */
    HEAD EACH_ROW "        N[i] = 3\n        for k in range(m):\n            if I[i, k] > 40:\n                N[i] = N[i] + 1\n",
    HEAD EACH_ROW "        for k in range(m):\n            N[i] = N[i] + T.abs(T.Cast(\"int32\", U[i, k]) - T.Cast(\"int32\", C[i, k]))\n",
    HEAD EACH_ROW "        for k in range(m):\n            if A[i, k] > W[k]:\n                N[i] = T.max(N[i], I[i, k] - 100)\n",
    HEAD "    for i, k in T.grid(n, m):\n        with T.sblock(\"N\"):\n            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
         "            with T.init():\n                N[vi] = vi * 3\n            N[vi] = T.min(N[vi], I[vi, vk] * 3 - vk)\n",
    HEAD EACH_ROW "        N[i] = 0\n        H[i] = 1\n        for k in range(m):\n            N[i] = N[i] + I[i, k] * (k + 1)\n"
                  "            if U[i, k] < T.uint8(77):\n                H[i] = H[i] * (I[i, k] + 3)\n        G[i] = T.Cast(\"int64\", N[i]) + T.int64(1)\n",
    HEAD EACH_ROW "        G[i] = L[i, 0]\n        for k in range(1, m):\n            G[i] = T.max(G[i], L[i, k] * T.int64(-1))\n",
    HEAD EACH_ROW "        N[i] = 0\n        for k in range(m):\n            if I[i, k] > N[i]:\n                N[i] = N[i] + 1\n",
    /* running values that begin anew, by expressions and by statements; longest common subsequences */
    HEAD EACH_ROW "        t: T.int32 = 0\n        for k in range(m):\n"
                  "            t = T.if_then_else(I[i, k] > 40, I[i, k], T.max(t, I[i, k]) + 1)\n            I[i, k] = t\n",
    HEAD EACH_ROW "        t: T.int64 = T.int64(9)\n        for k in range(m):\n            if U[i, k] > T.uint8(100):\n"
                  "                t = t * T.int64(3)\n            else:\n                t = L[i, k]\n            L[i, k] = t\n",
    HEAD EACH_ROW "        for k in range(m - 1):\n            if U[i, k] == U[0, k + 1]:\n                I[i, k + 1] = k\n"
                  "            else:\n                I[i, k + 1] = T.max(I[i, k + 1], I[i, k])\n",
    HEAD EACH_ROW "        t: T.float32 = T.float32(0)\n        for k in range(m):\n"
                  "            t = T.if_then_else(U[i, k] > T.uint8(100), A[i, k], t + A[i, k])\n            B[i, k] = t\n",
    /* sums that begin anew, before and after what is added, of 32 and 64 bits; what looks like it with other masks; a
     * sum of which only the last value counts */
    HEAD EACH_ROW "        t: T.int32 = i\n        for k in range(m):\n"
                  "            t = T.Select(U[i, k] > T.uint8(30), t + I[i, k], k - i)\n"
                  "            I[i, k] = t\n        N[i] = t\n",
    HEAD EACH_ROW "        t: T.int32 = i\n        for k in range(m):\n"
                  "            t = T.Select(U[i, k] > T.uint8(30), t, k * 3) + I[i, k]\n"
                  "            I[i, k] = t\n        N[i] = t\n",
    HEAD EACH_ROW "        t: T.int64 = T.int64(7)\n        for k in range(m):\n"
                  "            t = T.Select(U[i, k] > T.uint8(30), t + L[i, k], T.Cast(\"int64\", I[i, k]))\n"
                  "            L[i, k] = t\n",
    HEAD EACH_ROW "        t: T.int64 = T.int64(7)\n        for k in range(m):\n"
                  "            t = T.Select(U[i, k] < T.uint8(90), t, T.int64(-9)) + L[i, k]\n"
                  "            L[i, k] = t\n",
    HEAD EACH_ROW "        t: T.int32 = i\n        for k in range(m):\n"
                  "            t = T.bitwise_or(T.bitwise_and(t + k, I[i, k]), 5)\n            I[i, k] = t\n",
    HEAD EACH_ROW "        t: T.int32 = i\n        for k in range(m):\n"
                  "            t = T.bitwise_or(T.bitwise_and(t, T.Select(U[i, k] > T.uint8(30), -1, 0)), 6)\n"
                  "            t = t + I[i, k]\n            I[i, k] = t\n",
    HEAD EACH_ROW "        t: T.int32 = i\n        for k in range(m):\n"
                  "            t = T.Select(U[i, k] > T.uint8(30), t + I[i, k], k)\n        N[i] = t\n",
    /* recurrences of products that are fused */
    HEAD EACH_ROW "        t: T.float32 = W[0]\n        for k in range(m):\n"
                  "            t = A[i, k] * t + W[k]\n            B[i, k] = t\n",
    HEAD EACH_ROW "        t: T.float32 = W[0]\n        for k in range(m):\n"
                  "            B[i, k] = t\n            t = A[i, k] * t - W[k]\n        S[i] = t\n",
    HEAD EACH_ROW "        t: T.float64 = D[i, 0]\n        for k in range(m):\n"
                  "            t = T.float64(1) - D[i, k] * t\n            D[i, k] = t\n",
    /* sums of what a condition takes: products, fused ones, and a value that nothing changes */
    HEAD "    for k in range(m):\n        if U[0, k] > T.uint8(50):\n            S[0] = S[0] + A[0, k]\n",
    HEAD EACH_ROW "        E[i] = D[i, 0]\n        for k in range(m):\n            if U[i, k] > T.uint8(50):\n"
                  "                E[i] = E[i] * D[i, k]\n",
    HEAD "    for k in range(m):\n        if A[0, k] > W[k]:\n            S[0] = S[0] + A[0, k] * W[k]\n",
    HEAD EACH_ROW "        t: T.float32 = A[i, 0]\n        for k in range(m):\n            if U[i, k] > T.uint8(i % 7 * 50):\n"
                  "                t = t + A[i, k]\n        N[i] = T.reinterpret(\"int32\", t)\n",
    HEAD "    t: T.float32 = A[0, 50 % m]\n    for k in range(m):\n        if U[0, k] == T.uint8(10):\n            t = t + A[0, k]\n"
         "    N[0] = T.reinterpret(\"int32\", t)\n",
    /* while loops that count: up, down, by several, by the row, to a bound and beyond it, not at all */
    HEAD EACH_ROW "        j: T.int32 = 0\n        while j < m:\n            B[i, j] = A[i, j] * T.float32(2)\n"
                  "            j = j + 1\n        N[i] = j\n",
    HEAD EACH_ROW "        j: T.int32 = m - 1\n        while j >= 0:\n            B[i, j] = A[i, m - 1 - j] + T.Cast(\"float32\", j)\n"
                  "            j = j - 1\n        N[i] = j\n",
    HEAD EACH_ROW "        j: T.int32 = i\n        while m > j:\n            B[i, j] = W[j]\n            j = j + 1\n        N[i] = j\n",
    HEAD EACH_ROW "        j: T.int32 = i * 2\n        while j < 40:\n            H[j] = H[j] + i\n            j = j + (i + 1)\n        N[i] = j\n",
    HEAD EACH_ROW "        j: T.int32 = 255\n        while 3 <= j:\n            G[j] = G[j] + T.Cast(\"int64\", j)\n            j = j - 7\n"
                  "        N[i] = j\n",
    HEAD "    for i in range(1, 30):\n        j: T.int32 = i * i\n        while j < 256:\n            H[j] = 1\n            j = j + i\n",
    HEAD EACH_ROW "        j: T.int32 = 2147483645\n        t: T.int32 = 0\n        while j > 2147483600:\n            t = t + (j - 2147483600)\n"
                  "            j = j + 1\n            if t > 500:\n                j = 0\n        N[i] = t\n",
    HEAD EACH_ROW "        j: T.int32 = 0\n        while j < m:\n            if U[i, j] == T.uint8(9):\n                N[i] = N[i] + 1\n"
                  "            for q in range(3):\n                S[i] = S[i] + A[i, j]\n            j = j + 1\n        E[i] = T.Cast(\"float64\", j)\n",
    /* counters */
    HEAD EACH_ROW "        for k in range(m):\n            H[U[i, k]] += 3\n",
    HEAD EACH_ROW "        for k in range(m):\n            G[U[i, k]] = G[U[i, k]] + T.int64(5)\n",
    HEAD EACH_ROW "        for k in range(m):\n            H[I[i, k]] += 1\n",
    /* ranges of the elements of a row */
    HEAD EACH_ROW "        S[i] = T.float32(0)\n        for k in range(P[i], P[i + 1]):\n            S[i] = S[i] + A[0, k] * W[I[0, k]]\n",
    HEAD EACH_ROW "        N[i] = 0\n        for k in range(P[i], P[i + 1]):\n            N[i] = N[i] + I[0, k] * (i + 1)\n",
    HEAD EACH_ROW "        for k in range(P[i], P[i + 1]):\n            N[i] = T.max(N[i], I[0, k])\n            B[0, k] = A[0, k] * S[i]\n",
    /* the range that an element is in, whose number is of another type than the ranges' ends */
    HEAD "    for q in range(256):\n        G[q] = T.Cast(\"int64\", q * 3)\n    row: T.int32 = 0\n    for e in range(m):\n"
         "        while G[row + 1] <= T.Cast(\"int64\", e):\n            row = row + 1\n"
         "        D[0, e] = (T.Cast(\"float64\", row) * T.float64(0.5) + D[0, e]) * T.float64(3)\n",
    /* rows of elements that others number, where rows before have written some: the least, sums, products, 64 bits */
    HEAD EACH_ROW "        t: T.int32 = H[i] + I[0, i % m] - 60\n        for k in range(P[i], P[i + 1]):\n"
                  "            t = T.min(t, H[I[0, k]])\n        H[i] = t\n",
    HEAD TABLE(float32) EACH_ROW "        t: T.float32 = S[i]\n        for k in range(P[i], P[i + 1]):\n"
                                 "            t = t + A[0, k] * X[I[0, k]]\n        X[i] = t * T.float32(0.25)\n        S[i] = t\n",
    HEAD TABLE(float64) EACH_ROW "        t: T.float64 = E[i]\n        for k in range(P[i], P[i + 1]):\n"
                                 "            t = t + X[I[0, k]]\n        X[i] = t * T.float64(0.25)\n        E[i] = t\n",
    HEAD TABLE(float32) EACH_ROW "        t: T.float32 = A[i, 0]\n        for k in range(P[i], P[i + 1]):\n"
                                 "            t = T.max(X[I[0, k]], t)\n        X[i] = t - T.float32(3)\n        S[i] = t\n",
    HEAD "    for q in range(256):\n        G[q] = T.Cast(\"int64\", q * 7 % 256)\n" EACH_ROW
         "        t: T.int64 = T.int64(i)\n        for k in range(i % 9):\n            t = t + G[G[i + k]]\n"
         "        G[i] = T.bitwise_and(t, T.int64(255))\n        E[i] = T.Cast(\"float64\", t)\n",
};

enum { MOST_ROWS = 140, MOST = 8400, N_PARAMS = 14 };

typedef struct data {
    float a[MOST], w[MOST], s[MOST_ROWS], b[MOST];
    double d[MOST], e[MOST_ROWS];
    int8_t c[MOST];
    uint8_t u[MOST];
    int32_t i[MOST], p[MOST_ROWS + 1], n[MOST_ROWS], h[256];
    int64_t l[MOST], g[256];
} data;

static void fill(data *d, int n, int m) {
    memset(d, 0, sizeof *d);
    for (int k = 0; k < MOST; k++) {
        d->a[k] = (float)(k * 7919 % 1000) / 500.0f - 1.0f;
        if (k % 97 == 50) memcpy(&d->a[k], &(uint32_t){0x7FC01234}, sizeof d->a[k]); /* a NaN that copies keep */
        d->w[k] = (float)(k * 31 % 100) / 70.0f;
        d->d[k] = (double)(k * 104729 % 1000) / 300.0 - 1.0;
        d->c[k] = (int8_t)(k * 37 % 256 - 128);
        d->u[k] = (uint8_t)(k % 3 == 0 ? 9 : k * 53 % 256);
        d->i[k] = k * 17 % (m < 256 ? m + 1 : 256) - (k % 1000 == 999);
        d->l[k] = INT64_C(0x123456789) * k;
    }
    /* Some of the elements of A's first rows; without these there are none. */
    for (int k = 0; k <= n; k++) d->p[k] = n == 0 ? 0 : (int)((int64_t)m * (k / 3 * 3 < n ? k / 3 * 3 : n) / n);
}

static tirb_status run(const script *s, int64_t n, int64_t m, data *d) {
    int64_t matrix[2] = {n, m}, columns = m, rows = n, starts = n + 1, counters = 256;
    const struct {
        void *values;
        int64_t *shape;
        uint8_t code, bits;
    } params[N_PARAMS] = {{d->a, matrix, kDLFloat, 32},  {d->d, matrix, kDLFloat, 64}, {d->c, matrix, kDLInt, 8},
                          {d->i, matrix, kDLInt, 32},    {d->l, matrix, kDLInt, 64},   {d->u, matrix, kDLUInt, 8},
                          {d->w, &columns, kDLFloat, 32}, {d->p, &starts, kDLInt, 32},  {d->s, &rows, kDLFloat, 32},
                          {d->e, &rows, kDLFloat, 64},   {d->n, &rows, kDLInt, 32},    {d->h, &counters, kDLInt, 32},
                          {d->g, &counters, kDLInt, 64}, {d->b, matrix, kDLFloat, 32}};
    DLTensor tensors[N_PARAMS];
    tirb_arg args[N_PARAMS];
    for (int k = 0; k < N_PARAMS; k++) {
        DLDataType type = {params[k].code, params[k].bits, 1};
        args[k] = tensor_arg(&tensors[k], params[k].values, type, params[k].shape == matrix ? 2 : 1, params[k].shape);
    }
    return call_script(s, args, N_PARAMS);
}

static const choices one_by_one = {
    "lanes,fuse,contract,sequences,branches,whiles,induction,scalar_replace", TIRB_PARALLEL_OFF};

static void orders(void **state) {
    static const int64_t shapes[][2] = {{1, 1}, {7, 33},   {60, 100}, {2, 4099}, {40, 3},
                                        {9, 0}, {137, 47}, {16, 16},  {130, 9}};
    enum { N_SHAPES = sizeof shapes / sizeof *shapes };
    static data inputs[N_SHAPES], expected[N_SHAPES], given;
    (void)state;
    for (unsigned k = 0; k < N_SHAPES; k++) fill(&inputs[k], (int)shapes[k][0], (int)shapes[k][1]);
    for (unsigned p = 0; p < sizeof programs / sizeof *programs; p += sampled_every()) {
        tirb_status statuses[N_SHAPES];
        script in_order = open_script(programs[p], one_by_one, TIRB_ISA_GENERIC, 1);
        for (unsigned k = 0; k < N_SHAPES; k++) {
            expected[k] = inputs[k];
            statuses[k] = run(&in_order, shapes[k][0], shapes[k][1], &expected[k]);
        }
        close_script(&in_order);
        for (unsigned i = 0; i < 2 + N_ISAS; i++) {
            const tirb_isa isa = i < 2 ? TIRB_ISA_AUTO : every_isa[i - 2];
            if (!tirb_isa_available(isa)) continue;
            const choices chosen = {NULL, i == 0 ? TIRB_PARALLEL_OFF : TIRB_PARALLEL_AUTO};
            script s = open_script(programs[p], chosen, isa, 1);
            for (unsigned k = 0; k < N_SHAPES; k++) {
                given = inputs[k];
                tirb_status found = run(&s, shapes[k][0], shapes[k][1], &given);
                if (found != statuses[k] || (found == TIRB_OK && memcmp(&given, &expected[k], sizeof given) != 0))
                    fail_msg("program %u, n=%d, m=%d, way %u: status %d for %d, or other values", p, (int)shapes[k][0],
                             (int)shapes[k][1], i, found, statuses[k]);
            }
            close_script(&s);
        }
    }
}

/* An index without a sign is told as what it is, however it is checked; one with a sign as well. */
static void messages_have_the_signs_of_indices(void **state) {
    (void)state;
#define WORDS(type, body)                                                                                \
    "from tvm.script import tirx as T\n\n@T.prim_func\ndef f(k: T." type ", x: T.Buffer((8,), \"" type \
    "\"), a: T.Buffer((8,), \"float32\"), b: T.Buffer((8,), \"float32\")):\n" body
#define BODIES(type)                                                       \
    {WORDS(type, "    a[0] = b[k]\n"), WORDS(type, "    a[k] = b[0]\n"),    \
     WORDS(type, "    for i in range(8):\n        a[i] = b[x[i]]\n"),       \
     WORDS(type, "    for i in range(8):\n        a[x[i]] += b[i]\n"),      \
     WORDS(type, "    for i in range(8):\n        a[i] = b[i] + b[k]\n")}
    static const char *const bodies[2][5] = {BODIES("uint64"), BODIES("int64")};
    static const char *const messages[2] = {"index 18446744073709551615 is out of bounds for dimension 0 of ",
                                            "index -1 is out of bounds for dimension 0 of "};
    int64_t x[8] = {0, 1, 2, -1, 4, 5, 6, 7}, shape = 8;
    float a[8] = {0}, b[8] = {0};
    for (unsigned c = 0; c < 2 * 5 * 2 * N_ISAS; c++) {
        const unsigned sign = c % 2, body = c / 2 % 5, way = c / 10 % 2;
        const tirb_isa isa = every_isa[c / 20];
        if (!tirb_isa_available(isa)) continue;
        script s = open_script(bodies[sign][body], way == 0 ? as_usual : one_by_one, isa, 1);
        DLTensor tensors[3];
        tirb_error error = TIRB_ERROR_INIT;
        const DLDataType index = {sign == 0 ? kDLUInt : kDLInt, 64, 1}, real = {kDLFloat, 32, 1};
        const tirb_arg args[4] = {{.kind = TIRB_ARG_INT, .value.i = -1}, tensor_arg(&tensors[0], x, index, 1, &shape),
                                  tensor_arg(&tensors[1], a, real, 1, &shape),
                                  tensor_arg(&tensors[2], b, real, 1, &shape)};
        assert_int_equal(tirb_instance_call(s.instance, s.function, args, 4, NULL, &error), TIRB_BOUNDS);
        if (!strstr(error.message, messages[sign]))
            fail_msg("way %u of %s: %s in\n%s", way, tirb_isa_name(isa), error.message, bodies[sign][body]);
        close_script(&s);
    }
#undef WORDS
#undef BODIES
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders), cmocka_unit_test(messages_have_the_signs_of_indices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
