/* Random pieces with the parts of the language that kernels seldom have: views that move with the loops around them,
 * storage types, expressions with lets, threads, constants in memory, reductions as expressions, pointers. */
#include <stdio.h>

#include "tests/differential/generate.h"

static const char *type_name(tirbi_dtype type) { return tirbi_dtypes[type].tvm_name; }

static tirbi_dtype number_type(tirbi_gen *g) {
    tirbi_dtype type = tirbi_gen_type(g);
    return type == TIRB_BOOL ? TIRB_F32 : type;
}

static long long ll(int64_t v) { return (long long)v; }

/* A buffer of its own for what is declared over it. */
static tirbi_gen_buffer *memory(tirbi_gen *g, tirbi_dtype type, int64_t n, bool writable) {
    tirbi_gen_dim dim = tirbi_gen_constant(n);
    return tirbi_gen_new_buffer(g, writable ? "O" : "A", type, 1, &dim, true, writable);
}

/* Views over parts of memory that may overlap from one iteration to the next, with strides or without. */
static void moving_views(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    int64_t rows = 1 + tirbi_gen_pick(g, 9), columns = 1 + tirbi_gen_pick(g, 20);
    int64_t step = tirbi_gen_pick(g, (uint32_t)columns + 3), stride = 1 + tirbi_gen_pick(g, 3);
    int64_t reach = (rows - 1) * step + (columns - 1) * stride + 1;
    tirbi_gen_buffer *a = memory(g, type, reach, false), *o = memory(g, type, reach, true);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME], strides[60] = "";
    tirbi_gen_name(g, "i", i);
    if (stride > 1 || tirbi_gen_chance(g, 20)) snprintf(strides, sizeof strides, ", strides=[%lld]", ll(stride));
    bool inside = tirbi_gen_chance(g, 50); /* declared in the inner of two loops */
    const char *pad = inside ? "        " : "    ";
    tirbi_gen_line(g, "for %s in %s(%lld):", i, tirbi_gen_chance(g, 15) ? "T.parallel" : "range", ll(rows));
    if (inside) tirbi_gen_line(g, "    for j%s in range(%lld):", i, ll(columns));
    tirbi_gen_line(g, "%sV%s = T.decl_buffer((%lld,), \"%s\", data=%s.data%s, elem_offset=%s * %lld)", pad, i,
                   ll(columns), type_name(type), a->name, strides, i, ll(step));
    tirbi_gen_line(g, "%sW%s = T.decl_buffer((%lld,), \"%s\", data=%s.data%s, elem_offset=%s * %lld)", pad, i,
                   ll(columns), type_name(type), o->name, strides, i, ll(step));
    if (!inside) tirbi_gen_line(g, "    for j%s in range(%lld):", i, ll(columns));
    pad = "        ";
    switch (tirbi_gen_pick(g, 4)) {
    case 0: tirbi_gen_line(g, "%sW%s[j%s] = V%s[j%s] + V%s[j%s // 2]", pad, i, i, i, i, i, i); break;
    case 1: tirbi_gen_line(g, "%sW%s[j%s] = W%s[j%s] * V%s[%lld - j%s]", pad, i, i, i, i, i, ll(columns - 1), i); break;
    case 2: tirbi_gen_line(g, "%sW%s[0] = W%s[0] + V%s[j%s]", pad, i, i, i, i); break;
    default: tirbi_gen_line(g, "%sW%s[j%s] = W%s[j%s // 2] - V%s[j%s]", pad, i, i, i, i, i, i); break;
    }
}

/* Storage types: what casts, arithmetic and comparisons make of them. */
static void storage(tirbi_gen *g) {
    static const char *const types[] = {"float8_e3m4",
                                        "float8_e4m3",
                                        "float8_e4m3b11fnuz",
                                        "float8_e4m3fn",
                                        "float8_e4m3fnuz",
                                        "float8_e5m2",
                                        "float8_e5m2fnuz",
                                        "float8_e8m0fnu",
                                        "float6_e2m3fn",
                                        "float6_e3m2fn",
                                        "float4_e2m1fn",
                                        "int4",
                                        "uint4"};
    const char *narrow = types[tirbi_gen_pick(g, sizeof types / sizeof *types)];
    tirbi_dtype type = tirbi_gen_chance(g, 60) ? TIRB_F32 : number_type(g);
    int64_t n = 1 + tirbi_gen_pick(g, 70);
    tirbi_gen_buffer *a = memory(g, type, n, false), *o = memory(g, type, n, true);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    tirbi_gen_line(g, "N%s = T.alloc_buffer((%lld,), \"%s\")", i, ll(n), narrow);
    tirbi_gen_line(g, "for %s in range(%lld):", i, ll(n));
    tirbi_gen_line(g, "    N%s[%s] = T.Cast(\"%s\", %s[%s])", i, i, narrow, a->name, i);
    switch (tirbi_gen_pick(g, 4)) {
    case 0: tirbi_gen_line(g, "    N%s[%s] = N%s[%s] * N%s[%s] + N%s[%s]", i, i, i, i, i, i, i, i); break;
    case 1: tirbi_gen_line(g, "    N%s[%s] = T.max(N%s[%s], N%s[%s // 2]) - N%s[0]", i, i, i, i, i, i, i); break;
    case 2:
        tirbi_gen_line(g, "    N%s[%s] = T.Select(N%s[%s] < N%s[0], N%s[%s // 3], N%s[%s])", i, i, i, i, i, i, i, i, i);
        break;
    default: break;
    }
    tirbi_gen_line(g, "for k%s in range(%lld):", i, ll(n));
    tirbi_gen_line(g, "    %s[k%s] = T.Cast(\"%s\", N%s[k%s])", o->name, i, type_name(type), i, i);
}

/* Lets inside an expression, each used more than once. */
static void let_expression(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    int64_t n = 1 + tirbi_gen_pick(g, 60);
    tirbi_gen_buffer *a = memory(g, type, n, false), *o = memory(g, type, n, true);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    uint32_t lets = 1 + tirbi_gen_pick(g, tirbi_gen_chance(g, 10) ? 14 : 3);
    tirbi_text value = {.data = NULL}, last = {.data = NULL};
    tirbi_gen_name(g, "i", i);
    for (uint32_t k = 0; k < lets; k++) tirbi_gen_line(g, "y%s_%u = T.%s()", i, k, type_name(type));
    for (uint32_t k = 0; k < lets; k++) tirbi_text_add(&value, "T.Let(");
    tirbi_text_add(&value, "y%s_%u - %s[%s]", i, lets - 1, a->name, i);
    for (uint32_t k = lets; k-- > 0;) {
        if (k > 0) tirbi_text_add(&last, "y%s_%u %s y%s_%u", i, k - 1, tirbi_gen_chance(g, 50) ? "+" : "*", i, k - 1);
        else tirbi_text_add(&last, "%s[%s]", a->name, i);
        tirbi_text_add(&value, ", where={y%s_%u: %s})", i, k, last.data);
        tirbi_text_free(&last);
    }
    tirbi_gen_line(g, "for %s in range(%lld):", i, ll(n));
    if (tirbi_gen_chance(g, 30)) {
        tirbi_gen_line(g, "    %s[%s] = T.if_then_else(T.likely(%s %% 3 != 1), %s, %s[%s])", o->name, i, i, value.data,
                       a->name, i);
    } else {
        tirbi_gen_line(g, "    %s[%s] = %s", o->name, i, value.data);
    }
    tirbi_text_free(&value);
}

/* Threads that do not meet, as loops and as attributes. */
static void threads(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    int64_t blocks = 1 + tirbi_gen_pick(g, 6), n = 1 + tirbi_gen_pick(g, 40);
    tirbi_gen_buffer *a = memory(g, type, blocks * n, false), *o = memory(g, type, blocks * n, true);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    const char *kind = tirbi_gen_chance(g, 30) ? "vthread" : "threadIdx.x";
    if (tirbi_gen_chance(g, 50)) {
        tirbi_gen_line(g, "for %s in T.thread_binding(%lld, thread=\"blockIdx.x\"):", i, ll(blocks));
        tirbi_gen_line(g, "    for t%s in T.thread_binding(%lld, thread=\"%s\"):", i, ll(n), kind);
    } else {
        tirbi_gen_line(g, "with T.launch_thread(\"blockIdx.x\", %lld) as %s:", ll(blocks), i);
        tirbi_gen_line(g, "    with T.launch_thread(\"%s\", %lld) as t%s:", kind, ll(n), i);
    }
    tirbi_gen_line(g, "        with T.attr(0, \"pragma_note\", 1):");
    tirbi_gen_line(g, "            %s[%s * %lld + t%s] = %s[%s * %lld + t%s] + %s[t%s]", o->name, i, ll(n), i, a->name,
                   i, ll(n), i, a->name, i);
}

/* Threads that hand values to each other in shared memory: what one reads the others wrote before the sync. */
static void synchronised(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    int64_t blocks = 1 + tirbi_gen_pick(g, 3), n = 2 + tirbi_gen_pick(g, 20), rounds = 1 + tirbi_gen_pick(g, 3);
    tirbi_gen_buffer *a = memory(g, type, blocks * n, false), *o = memory(g, type, blocks * n, true);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    uint32_t indent = g->indent;
    tirbi_gen_name(g, "i", i);
    tirbi_gen_line(g, "for %s in T.thread_binding(%lld, thread=\"blockIdx.x\"):", i, ll(blocks));
    g->indent++;
    tirbi_gen_line(g, "for t%s in T.thread_binding(%lld, thread=\"threadIdx.x\"):", i, ll(n));
    g->indent++;
    tirbi_gen_line(g, "with %s(\"threads%s\"):", tirbi_gen_block(g), i);
    g->indent++;
    const char *alloc = g->classic ? "T.alloc_buffer" : "T.sblock_alloc_buffer";
    tirbi_gen_line(g, "S%s = %s((%lld,), \"%s\", scope=\"shared\")", i, alloc, ll(n), type_name(type));
    tirbi_gen_line(g, "P%s = %s((2,), \"%s\", scope=\"local\")", i, alloc, type_name(type));
    tirbi_gen_line(g, "S%s[t%s] = %s[%s * %lld + t%s]", i, i, a->name, i, ll(n), i);
    tirbi_gen_line(g, "P%s[0] = S%s[t%s]", i, i, i);
    tirbi_gen_line(g, "T.tvm_storage_sync(\"shared\")");
    if (tirbi_gen_chance(g, 70)) {
        bool counted = tirbi_gen_chance(g, 40); /* each thread counts for itself */
        if (counted) tirbi_gen_line(g, "R%s = %s((1,), \"int32\", scope=\"local\")", i, alloc);
        if (counted) tirbi_gen_line(g, "R%s[0] = %lld", i, ll(rounds));
        if (counted) tirbi_gen_line(g, "while R%s[0] > 0:", i);
        else tirbi_gen_line(g, "for r%s in range(%lld):", i, ll(rounds));
        tirbi_gen_line(g, "    P%s[1] = S%s[(t%s + %s%s%s + 1) %% %lld]", i, i, i, counted ? "R" : "r", i,
                       counted ? "[0]" : "", ll(n));
        if (counted) tirbi_gen_line(g, "    R%s[0] = R%s[0] - 1", i, i);
        tirbi_gen_line(g, "    T.tvm_storage_sync(\"shared\")");
        tirbi_gen_line(g, "    if t%s < %lld:", i, ll(1 + tirbi_gen_pick(g, (uint32_t)n)));
        tirbi_gen_line(g, "        S%s[t%s] = P%s[1] + P%s[0]", i, i, i, i);
        tirbi_gen_line(g, "    T.tvm_storage_sync(\"shared\")");
    }
    tirbi_gen_line(g, "%s[%s * %lld + t%s] = S%s[%lld - t%s] + P%s[0] - P%s[1]", o->name, i, ll(n), i, i, ll(n - 1), i,
                   i, i);
    g->indent = indent;
}

/* Values of threads that are combined across one of two dimensions of them, or both; the buffers for it around the
 * threads or inside of them. */
static void reduced_by_threads(tirbi_gen *g) {
    static const char *const reducers[] = {"lambda x, y: x + y", "lambda x, y: T.max(x, y)", "lambda x, y: T.min(x, y)",
                                           "lambda x, y: x * y"};
    tirbi_dtype type = number_type(g);
    int64_t rows = 1 + tirbi_gen_pick(g, 5), n = 1 + tirbi_gen_pick(g, 20);
    tirbi_gen_buffer *a = memory(g, type, rows * n, false), *o = memory(g, type, rows * n, true);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    uint32_t indent = g->indent, which = tirbi_gen_pick(g, 3);
    bool outside = tirbi_gen_chance(g, 50);
    tirbi_text identity = {.data = NULL};
    tirbi_gen_number(type, "1", &identity);
    tirbi_gen_name(g, "i", i);
    const char *alloc = g->classic ? "T.alloc_buffer" : "T.sblock_alloc_buffer";
    if (outside) tirbi_gen_line(g, "with %s(\"around%s\"):", tirbi_gen_block(g), i);
    g->indent += outside;
    if (outside) tirbi_gen_line(g, "M%s = %s((1,), \"%s\", scope=\"local\")", i, alloc, type_name(type));
    tirbi_gen_line(g, "for u%s in T.thread_binding(%lld, thread=\"threadIdx.y\"):", i, ll(rows));
    g->indent++;
    tirbi_gen_line(g, "for t%s in T.thread_binding(%lld, thread=\"threadIdx.x\"):", i, ll(n));
    g->indent++;
    tirbi_gen_line(g, "with %s(\"threads%s\"):", tirbi_gen_block(g), i);
    g->indent++;
    if (!outside) tirbi_gen_line(g, "M%s = %s((1,), \"%s\", scope=\"local\")", i, alloc, type_name(type));
    tirbi_gen_line(g, "S%s = %s((1,), \"%s\", scope=\"local\")", i, alloc, type_name(type));
    tirbi_gen_line(g, "M%s[0] = %s[u%s * %lld + t%s]", i, a->name, i, ll(n), i);
    tirbi_gen_line(g, "with T.attr(T.comm_reducer(%s, [%s]), \"reduce_scope\", T.int32(0)):",
                   reducers[tirbi_gen_pick(g, 4)], identity.data);
    char condition[80];
    snprintf(condition, sizeof condition, "(t%s + u%s) %% %u != 0", i, i, 2 + tirbi_gen_pick(g, 3));
    tirbi_gen_line(g, "    T.tvm_thread_allreduce(T.uint32(1), M%s[0], %s, S%s[0]%s%s%s%s)", i,
                   tirbi_gen_chance(g, 50) ? "T.bool(True)" : condition, i, which != 1 ? ", t" : "",
                   which != 1 ? i : "", which != 0 ? ", u" : "", which != 0 ? i : "");
    tirbi_gen_line(g, "%s[u%s * %lld + t%s] = S%s[0] - M%s[0]", o->name, i, ll(n), i, i, i);
    tirbi_text_free(&identity);
    g->indent = indent;
}

/* A reduction that is an expression. */
static void reduce_expression(tirbi_gen *g) {
    static const char *const reducers[] = {"lambda x, y: x + y", "lambda x, y: x * y", "lambda x, y: T.max(x, y)",
                                           "lambda x, y: T.min(x, y)"};
    tirbi_dtype type = tirbi_gen_chance(g, 60) ? TIRB_F32 : number_type(g);
    int64_t n = 1 + tirbi_gen_pick(g, 8), m = 1 + tirbi_gen_pick(g, 40);
    tirbi_gen_dim dims[2] = {tirbi_gen_constant(n), tirbi_gen_constant(m)};
    tirbi_gen_buffer *a = tirbi_gen_new_buffer(g, "A", type, 2, dims, true, false);
    tirbi_gen_buffer *o = tirbi_gen_new_buffer(g, "O", type, 1, dims, true, true);
    if (a == NULL || o == NULL || type == TIRB_BF16) return;
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    tirbi_gen_line(g, "for %s in range(%lld):", i, ll(n));
    tirbi_gen_line(g, "    k%s = T.int32()", i);
    tirbi_gen_line(
        g,
        "    %s[%s] = T.reduce(T.comm_reducer(%s, [T.%s(1)]), source=[%s[%s, k%s]], init=[], "
        "axis=[T.iter_var(k%s, T.Range(0, %lld), \"CommReduce\", \"\")], condition=k%s %% 4 != 3, value_index=0)",
        o->name, i, reducers[tirbi_gen_pick(g, 4)], type_name(type), a->name, i, i, i, ll(m), i);
}

/* Constants in memory, and the halves of vectors. */
static void vectors_and_constants(tirbi_gen *g) {
    tirbi_gen_dim dim = tirbi_gen_constant(8);
    tirbi_gen_buffer *a = tirbi_gen_new_buffer(g, "A", TIRB_I32, 1, &dim, true, false);
    tirbi_gen_buffer *o = tirbi_gen_new_buffer(g, "O", TIRB_I32, 1, &dim, true, true);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    if (g->classic) {
        tirbi_gen_line(g, "C%s = T.allocate_const([3, 1, 4, 1, 5, 9, 2, 6], \"int32\", [8])", i);
        tirbi_gen_line(g, "D%s = T.decl_buffer((8,), \"int32\", data=C%s)", i, i);
        tirbi_gen_line(g, "for %s in range(8):", i);
        tirbi_gen_line(g, "    %s[%s] = %s[%s] * D%s[7 - %s]", o->name, i, a->name, i, i, i);
        return;
    }
    tirbi_gen_line(g, "%s[0:4] = T.vectorhigh(\"int32x4\", %s[0:8])", o->name, a->name);
    tirbi_gen_line(g, "%s[0:8] = T.vectorcombine(\"int32x8\", T.vectorlow(\"int32x4\", %s[0:8]), %s[0:4])", o->name,
                   a->name, o->name);
}

/* Fixed-point products, as quantised networks have them. */
static void fixed_point(tirbi_gen *g) {
    int64_t n = 1 + tirbi_gen_pick(g, 60);
    tirbi_gen_buffer *a = memory(g, TIRB_I32, n, false), *o = memory(g, TIRB_I32, n, true);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    tirbi_gen_line(g, "for %s in range(%lld):", i, ll(n));
    if (tirbi_gen_chance(g, 60)) {
        tirbi_gen_line(g, "    %s[%s] = T.q_multiply_shift(%s[%s], %d, 31, %d)", o->name, i, a->name, i,
                       (int)(1 + tirbi_gen_pick(g, 1u << 30)), (int)tirbi_gen_pick(g, 12) - 8);
    } else {
        tirbi_gen_line(g, "    %s[%s] = T.q_multiply_shift_per_axis(%s[%s], %d, %u, %u, 31, T.bool(%s), T.bool(%s))",
                       o->name, i, a->name, i, (int)(1 + tirbi_gen_pick(g, 1u << 30)), tirbi_gen_pick(g, 4),
                       tirbi_gen_pick(g, 8), tirbi_gen_chance(g, 50) ? "True" : "False",
                       tirbi_gen_chance(g, 50) ? "True" : "False");
    }
}

/* Mathematics of one argument that expressions have no other place for. */
static void mathematics(tirbi_gen *g) {
    static const char *const names[] = {"exp10", "log10", "log1p", "tan",   "asin", "acos",  "sinh",
                                        "cosh",  "asinh", "acosh", "atanh", "fabs", "floor", "ceil"};
    tirbi_dtype type = tirbi_gen_chance(g, 70) ? TIRB_F32 : TIRB_F64;
    int64_t n = 1 + tirbi_gen_pick(g, 60);
    tirbi_gen_buffer *a = memory(g, type, n, false), *o = memory(g, type, n, true);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    tirbi_gen_line(g, "for %s in range(%lld):", i, ll(n));
    if (tirbi_gen_chance(g, 20)) {
        static const char *const binary[] = {"ldexp", "fmod", "truncmod"};
        tirbi_gen_line(g, "    %s[%s] = T.%s(%s[%s], %s)", o->name, i, binary[tirbi_gen_pick(g, 3)], a->name, i,
                       tirbi_gen_chance(g, 50) ? "3" : "2");
    } else {
        tirbi_gen_line(g, "    %s[%s] = T.%s(%s[%s])", o->name, i,
                       names[tirbi_gen_pick(g, sizeof names / sizeof *names)], a->name, i);
    }
}

/* A function that gets pointers into its caller's memory. */
static void pointers(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    int64_t parts = 1 + tirbi_gen_pick(g, 5), n = 1 + tirbi_gen_pick(g, 20);
    tirbi_gen_buffer *a = memory(g, type, parts * n, false), *o = memory(g, type, parts * n, true);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    int64_t bytes = n * tirbi_dtypes[type].size;
    const char *let = g->classic ? "" : ": T.let";
    tirbi_gen_line(g, "for %s in range(%lld):", i, ll(parts));
    if (tirbi_gen_chance(g, 50)) {
        tirbi_gen_line(g, "    p%s%s = T.handle_add_byte_offset(%s.data, %s * %lld)", i, let, a->name, i, ll(bytes));
    } else {
        tirbi_gen_line(g, "    p%s%s = T.tvm_access_ptr(T.type_annotation(\"%s\"), %s.data, %s * %lld, %lld, 1)", i,
                       let, type_name(type), a->name, i, ll(n), ll(n));
    }
    tirbi_gen_line(g, "    V%s = T.decl_buffer((%lld,), \"%s\", data=p%s)", i, ll(n), type_name(type), i);
    tirbi_gen_line(g, "    for j%s in range(%lld):", i, ll(n));
    tirbi_gen_line(g, "        %s[%s * %lld + j%s] = V%s[%lld - j%s]", o->name, i, ll(n), i, i, ll(n - 1), i);
}

/* Views whose elements have another size than the memory's, and vectors reinterpreted in another number of lanes. */
static void resized(tirbi_gen *g) {
    static const char *const sized[] = {"int8",  "uint8",   "int16", "uint16", "float16",
                                        "int32", "float32", "int64", "float64"};
    static const uint8_t bytes[] = {1, 1, 2, 2, 2, 4, 4, 8, 8};
    tirbi_dtype type = number_type(g);
    uint32_t which = tirbi_gen_pick(g, sizeof bytes), size = tirbi_dtypes[type].size;
    int64_t words = 1 + tirbi_gen_pick(g, 12), n = words * 8 / bytes[which];
    tirbi_gen_buffer *a = memory(g, type, words * 8 / size, false), *o = memory(g, type, words * 8 / size, true);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    const char *other = sized[which];
    if (tirbi_gen_chance(g, 30)) { /* 8 bytes as lanes of either type */
        tirbi_gen_line(g, "for %s in range(%lld):", i, ll(words));
        if (size < 8 && bytes[which] < 8) {
            tirbi_gen_line(g,
                           "    %s[%s * %u:%s * %u + %u] = T.reinterpret(\"%sx%u\", T.reinterpret(\"%sx%u\", %s[%s * "
                           "%u:%s * %u + %u]))",
                           o->name, i, 8 / size, i, 8 / size, 8 / size, type_name(type), 8 / size, other,
                           8U / bytes[which], a->name, i, 8 / size, i, 8 / size, 8 / size);
            return;
        }
        tirbi_gen_line(g, "    pass");
    }
    tirbi_gen_line(g, "V%s = T.decl_buffer((%lld,), \"%s\", data=%s.data)", i, ll(n), other, a->name);
    tirbi_gen_line(g, "W%s = T.decl_buffer((%lld,), \"%s\", data=%s.data)", i, ll(n), other, o->name);
    tirbi_gen_line(g, "for %s in %s(%lld):", i, tirbi_gen_chance(g, 15) ? "T.parallel" : "range", ll(n));
    switch (tirbi_gen_pick(g, 3)) {
    case 0: tirbi_gen_line(g, "    W%s[%s] = V%s[%lld - %s]", i, i, i, ll(n - 1), i); break;
    case 1: tirbi_gen_line(g, "    W%s[%s] = W%s[%s] + V%s[%s // 2]", i, i, i, i, i, i); break;
    default: tirbi_gen_line(g, "    W%s[%s] = V%s[%s] * W%s[%s // 2]", i, i, i, i, i, i); break;
    }
}

void tirbi_gen_language_stage(tirbi_gen *g) {
    static void (*const stages[])(tirbi_gen *) = {
        moving_views,          moving_views, storage,     let_expression, threads, synchronised,      reduce_expression,
        vectors_and_constants, fixed_point,  mathematics, pointers,       resized, reduced_by_threads};
    stages[tirbi_gen_pick(g, sizeof stages / sizeof *stages)](g);
}
