/* Random pieces in which control flow, scopes and guards matter. */
#include <stdio.h>

#include "tests/differential/generate.h"

static const char *type_name(tirbi_dtype type) { return tirbi_dtypes[type].tvm_name; }

static tirbi_dtype number_type(tirbi_gen *g) {
    tirbi_dtype type = tirbi_gen_type(g);
    return type == TIRB_BOOL ? TIRB_F32 : type;
}

static long long ll(int64_t v) { return (long long)v; }

/* Loads that only a condition keeps inside their buffer. */
static void guarded(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    tirbi_gen_dim dim = tirbi_gen_constant(1 + tirbi_gen_pick(g, 70));
    int64_t offset = (int64_t)tirbi_gen_pick(g, 5) - 2;
    int64_t extra = tirbi_gen_pick(g, 4);
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 1, &dim);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 1, &dim);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    char guard[200];
    tirbi_text zero = {.data = NULL};
    tirbi_gen_name(g, "i", i);
    tirbi_gen_number(type, "0", &zero);
    snprintf(guard, sizeof guard, "0 <= %s + (%lld) and %s + (%lld) < %lld", i, ll(offset), i, ll(offset),
             ll(dim.value));
    switch (tirbi_gen_pick(g, 5)) {
    case 0:
        tirbi_gen_line(g, "for %s in range(%lld):", i, ll(dim.value));
        tirbi_gen_line(g, "    if %s:", guard);
        tirbi_gen_line(g, "        %s[%s] = %s[%s + (%lld)]", o->name, i, a->name, i, ll(offset));
        break;
    case 1:
        tirbi_gen_line(g, "for %s in range(%lld):", i, ll(dim.value));
        tirbi_gen_line(g, "    %s[%s] = T.Select(%s, %s[%s + (%lld)], %s)", o->name, i, guard, a->name, i, ll(offset),
                       zero.data);
        break;
    case 2:
        tirbi_gen_line(g, "for %s in T.serial(%lld):", i, ll(dim.value + extra));
        tirbi_gen_line(g, "    if %s < %lld and %s[%s] > %s:", i, ll(dim.value), a->name, i, zero.data);
        tirbi_gen_line(g, "        %s[%s] = %s[%s] + %s[%s]", o->name, i, a->name, i, o->name, i);
        break;
    case 3:
        tirbi_gen_line(g, "for %s in range(%lld):", i, ll(dim.value + extra));
        tirbi_gen_line(g, "    if %s >= %lld or %s[%s] != %s:", i, ll(dim.value), a->name, i, zero.data);
        tirbi_gen_line(g, "        %s[T.min(%s, %lld)] = %s[T.max(%lld - %s, 0)]", o->name, i, ll(dim.value - 1),
                       a->name, ll(dim.value - 1), i);
        break;
    default:
        tirbi_gen_line(g, "for %s in range(%lld):", i, ll(dim.value));
        tirbi_gen_line(g, "    %s[%s] = T.if_then_else(%s, %s[%s + (%lld)] + %s[%s], %s[%s])", o->name, i, guard,
                       a->name, i, ll(offset), a->name, i, o->name, i);
        break;
    }
    tirbi_text_free(&zero);
}

/* Elements chosen by other elements. */
static void gather(tirbi_gen *g) {
    tirbi_dtype type = tirbi_gen_type(g);
    tirbi_dtype index_type = tirbi_gen_chance(g, 70) ? TIRB_I32 : tirbi_gen_chance(g, 50) ? TIRB_I64 : TIRB_U8;
    tirbi_gen_dim rows = tirbi_gen_constant(1 + tirbi_gen_pick(g, 30));
    tirbi_gen_dim dims[2] = {tirbi_gen_constant(1 + tirbi_gen_pick(g, 30)),
                             tirbi_gen_constant(1 + tirbi_gen_pick(g, 20))};
    tirbi_gen_dim out_dims[2] = {rows, dims[1]};
    tirbi_gen_buffer *at = tirbi_gen_new_buffer(g, "idx", index_type, 1, &rows, true, false);
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 2, dims);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 2, out_dims);
    if (at == NULL || a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    char j[TIRBI_GEN_NAME];
    char index[200];
    tirbi_gen_name(g, "i", i);
    tirbi_gen_name(g, "j", j);
    const char *cast = type_name(index_type);
    if (g->may_trap && tirbi_gen_chance(g, 50)) {
        snprintf(index, sizeof index, "%s[%s]", at->name, i);
    } else if (tirbi_gen_chance(g, 50)) {
        snprintf(index, sizeof index, "T.max(T.min(%s[%s], T.%s(%lld)), T.%s(0))", at->name, i, cast,
                 ll(dims[0].value - 1), cast);
    } else {
        snprintf(index, sizeof index, "%s[%s] %% T.%s(%lld)", at->name, i, cast, ll(dims[0].value));
    }
    tirbi_gen_line(g, "for %s, %s in T.grid(%lld, %lld):", i, j, ll(rows.value), ll(dims[1].value));
    tirbi_gen_line(g, "    %s[%s, %s] = %s[%s, %s]", o->name, i, j, a->name, index, j);
}

/* A sum kept in an assigned variable. */
static void accumulate(tirbi_gen *g) {
    tirbi_dtype type = tirbi_gen_chance(g, 60) ? TIRB_F32 : number_type(g);
    tirbi_gen_dim dims[2] = {tirbi_gen_some_dim(g), tirbi_gen_constant(1 + tirbi_gen_pick(g, 140))};
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 2, dims);
    tirbi_gen_buffer *x = tirbi_gen_input(g, type, 1, &dims[1]);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 1, dims);
    if (a == NULL || x == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    char k[TIRBI_GEN_NAME];
    char s[TIRBI_GEN_NAME];
    char place[TIRBI_GEN_NAME + 4];
    char term[200];
    char value[300];
    tirbi_text rows = {.data = NULL};
    tirbi_text zero = {.data = NULL};
    tirbi_gen_name(g, "i", i);
    tirbi_gen_name(g, "k", k);
    tirbi_gen_name(g, "s", s);
    tirbi_gen_dim_text(g, &dims[0], &rows);
    tirbi_gen_number(type, "0", &zero);
    snprintf(place, sizeof place, g->classic ? "%s[0]" : "%s", s);
    snprintf(term, sizeof term, tirbi_gen_chance(g, 60) ? "%s[%s, %s] * %s[%s]" : "(%s[%s, %s] - %s[%s])", a->name, i,
             k, x->name, k);
    uint32_t form = tirbi_gen_chance(g, 60) ? 0 : tirbi_gen_pick(g, 4);
    if (form == 0) {
        snprintf(value, sizeof value, "%s + %s", place, term);
    } else if (form == 3) {
        snprintf(value, sizeof value, "%s * (%s)", place, term);
    } else {
        snprintf(value, sizeof value, form == 1 ? "T.max(%s, %s)" : "T.min(%s, %s)", place, term);
    }
    if (g->classic) tirbi_gen_line(g, "%s = T.alloc_buffer((1,), \"%s\")", s, type_name(type));
    tirbi_gen_line(g, "for %s in %s(%s):", i, tirbi_gen_chance(g, 20) ? "T.parallel" : "range", rows.data);
    if (g->classic || type == TIRB_BF16) {
        tirbi_gen_line(g, g->classic ? "    %s[0] = %s" : "    %s = %s", s, zero.data);
    } else {
        tirbi_gen_line(g, "    %s: T.%s = %s", s, type_name(type), zero.data);
    }
    tirbi_gen_line(g, "    for %s in range(%lld):", k, ll(dims[1].value));
    tirbi_gen_line(g, "        %s = %s", place, value);
    tirbi_gen_line(g, "    %s[%s] = %s", o->name, i, place);
    tirbi_text_free(&rows);
    tirbi_text_free(&zero);
}

/* Memory of a loop iteration's own: zero at each execution, partly written, then read. */
static void scratch(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    int64_t n = 1 + tirbi_gen_pick(g, 20);
    int64_t m = 1 + tirbi_gen_pick(g, 40);
    tirbi_gen_dim dims[2] = {tirbi_gen_constant(n), tirbi_gen_constant(m)};
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 2, dims);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 2, dims);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    char l[TIRBI_GEN_NAME];
    uint32_t indent = g->indent;
    tirbi_gen_name(g, "i", i);
    tirbi_gen_name(g, "W", l);
    tirbi_gen_line(g, "for %s in range(%lld):", i, ll(n));
    g->indent++;
    const char *index = i;
    char axis[TIRBI_GEN_NAME];
    snprintf(axis, sizeof axis, "v%.20s", i);
    if (g->classic || tirbi_gen_chance(g, 60)) {
        tirbi_gen_line(g, "with %s(\"outer%s\"):", tirbi_gen_block(g), i);
        g->indent++;
        tirbi_gen_line(g, "%s = T.axis.spatial(%lld, %s)", axis, ll(n), i);
        tirbi_gen_line(g, "%s = %s((%lld,), \"%s\")", l, g->classic ? "T.alloc_buffer" : "T.sblock_alloc_buffer", ll(m),
                       type_name(type));
        index = axis;
    } else {
        tirbi_gen_line(g, "%s = T.alloc_buffer((%lld,), \"%s\")", l, ll(m), type_name(type));
    }
    int64_t step = 1 + tirbi_gen_pick(g, 3);
    tirbi_gen_line(g, "for j%s in range(%lld):", i, ll((m + step - 1) / step));
    if (tirbi_gen_chance(g, 30)) {
        tirbi_gen_line(g, "    if %s[%s, j%s * %lld] > %s[%s, 0]:", a->name, index, i, ll(step), a->name, index);
        tirbi_gen_line(g, "        %s[j%s * %lld] = %s[%s, j%s * %lld]", l, i, ll(step), a->name, index, i, ll(step));
    } else {
        tirbi_gen_line(g, "    %s[j%s * %lld] = %s[j%s * %lld] + %s[%s, j%s * %lld]", l, i, ll(step), l, i, ll(step),
                       a->name, index, i, ll(step));
    }
    tirbi_gen_line(g, "for k%s in range(%lld):", i, ll(m));
    tirbi_gen_line(g, "    %s[%s, k%s] = %s[k%s] + %s[%lld - k%s]", o->name, index, i, l, i, l, ll(m - 1), i);
    g->indent = indent;
}

/* Block axes whose values are not their loops: shifted, beyond their domains, from split loops. */
static void shifted_axes(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    int64_t n = 2 + tirbi_gen_pick(g, 40);
    int64_t shift = tirbi_gen_pick(g, 4);
    int64_t size = n + shift + (g->may_trap ? -(int64_t)tirbi_gen_pick(g, 2) : tirbi_gen_pick(g, 3));
    tirbi_gen_dim dim = tirbi_gen_constant(size);
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 1, &dim);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 1, &dim);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    int64_t domain = tirbi_gen_chance(g, 70) ? n + shift : n; /* the value may leave a domain that is too small */
    bool reduce = tirbi_gen_chance(g, 40);
    tirbi_gen_line(g, "for %s in %s(%lld):", i, tirbi_gen_chance(g, 15) ? "T.vectorized" : "range", ll(n));
    tirbi_gen_line(g, "    with %s(\"shift%s\"):", tirbi_gen_block(g), i);
    tirbi_gen_line(g, "        v%s = T.axis.%s(%lld, %s + %lld)", i, reduce ? "reduce" : "spatial", ll(domain), i,
                   ll(shift));
    if (tirbi_gen_chance(g, 40)) tirbi_gen_line(g, "        T.where(%s %% 3 != 1)", i);
    if (tirbi_gen_chance(g, 50)) {
        tirbi_text zero = {.data = NULL};
        tirbi_gen_number(type, "1", &zero);
        tirbi_gen_line(g, "        with T.init():");
        tirbi_gen_line(g, "            %s[v%s] = %s", o->name, i, zero.data);
        tirbi_text_free(&zero);
    }
    tirbi_gen_line(g, "        %s[v%s] = %s[v%s] + %s[v%s - %lld]", o->name, i, o->name, i, a->name, i, ll(shift));
}

/* Loops from other places than 0, with steps up and down, over int64, in grids, of extents from outer loops. */
static void odd_loops(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    int64_t n = 3 + tirbi_gen_pick(g, 60);
    tirbi_gen_dim dim = tirbi_gen_constant(n);
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 1, &dim);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 1, &dim);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    uint32_t low = tirbi_gen_pick(g, 3);
    switch (tirbi_gen_pick(g, 6)) {
    case 0:
        tirbi_gen_line(g, "for %s in range(%u, %lld):", i, low, ll(n));
        tirbi_gen_line(g, "    %s[%s] = %s[%s - %u] * %s[%s]", o->name, i, a->name, i, low, a->name, i);
        break;
    case 1:
        tirbi_gen_line(g, "for %s in range(%u, %lld, %u):", i, low, ll(n), 1 + tirbi_gen_pick(g, 4));
        tirbi_gen_line(g, "    %s[%s] = %s[%s] + %s[%lld - %s]", o->name, i, a->name, i, a->name, ll(n - 1), i);
        break;
    case 2: {
        const char *wide = tirbi_gen_chance(g, 50) ? "T.int64" : "T.int32";
        tirbi_gen_line(g, "for %s in T.serial(%s(%lld), %s(%lld), step=%s(-%u)):", i, wide, ll(n - 1), wide,
                       ll((int64_t)low - 1), wide, 1 + tirbi_gen_pick(g, 4));
        tirbi_gen_line(g, "    %s[%s] = %s[%s] + %s[%lld - %s]", o->name, i, o->name, i, a->name, ll(n - 1), i);
        break;
    }
    case 3:
        tirbi_gen_line(g, "for %s in T.serial(T.int64(%lld)):", i, ll(n));
        tirbi_gen_line(g, "    %s[%s] = %s[T.int64(%lld) - %s] - %s[%s]", o->name, i, a->name, ll(n - 1), i, o->name,
                       i);
        break;
    case 4:
        tirbi_gen_line(g, "for %s in range(%lld):", i, ll(n));
        tirbi_gen_line(g, "    for k%s in range(%s + 1):", i, i);
        tirbi_gen_line(g, "        %s[%s] = %s[%s] + %s[k%s]", o->name, i, o->name, i, a->name, i);
        break;
    default:
        tirbi_gen_line(g, "for %s, k%s in T.grid((1, %lld), (0, 3)):", i, i, ll(n - 1));
        tirbi_gen_line(g, "    %s[%s] = %s[%s] * %s[(%s + k%s) %% %lld]", o->name, i, o->name, i, a->name, i, i, ll(n));
        break;
    }
}

/* Two results of one reduction. */
static void two_results(tirbi_gen *g) {
    tirbi_dtype type = tirbi_gen_chance(g, 80) ? TIRB_F32 : TIRB_F64;
    tirbi_gen_dim dims[2] = {tirbi_gen_constant(1 + tirbi_gen_pick(g, 9)),
                             tirbi_gen_constant(1 + tirbi_gen_pick(g, 300))};
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 2, dims);
    tirbi_gen_buffer *x = tirbi_gen_output(g, type, 1, dims);
    tirbi_gen_buffer *y = tirbi_gen_output(g, type, 1, dims);
    if (a == NULL || x == NULL || y == NULL) return;
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    bool swapped = tirbi_gen_chance(g, 30);
    tirbi_gen_line(g, "for %s, k%s in T.grid(%lld, %lld):", i, i, ll(dims[0].value), ll(dims[1].value));
    tirbi_gen_line(g, "    with %s(\"two%s\"):", tirbi_gen_block(g), i);
    tirbi_gen_line(g, "        vk%s, v%s = T.axis.remap(\"RS\", [k%s, %s])", i, i, i, i);
    tirbi_gen_line(g, "        with T.init():");
    tirbi_gen_line(g, "            %s[v%s] = T.%s(0)", x->name, i, type_name(type));
    tirbi_gen_line(g, "            %s[v%s] = T.%s(%s)", y->name, i, type_name(type),
                   tirbi_gen_chance(g, 50) ? "0" : "1");
    if (tirbi_gen_chance(g, 40)) {
        tirbi_gen_line(g, "        t%s%s = %s[v%s, vk%s]", i, g->classic ? "" : ": T.let", a->name, i, i);
        tirbi_gen_line(g, "        %s[v%s] = %s[v%s] + t%s", x->name, i, x->name, i, i);
        tirbi_gen_line(g, "        %s[v%s] = t%s * t%s + %s[v%s]", y->name, i, i, i, y->name, i);
    } else {
        tirbi_gen_line(g, "        %s[v%s] = %s[v%s] + %s[v%s, vk%s]", x->name, i, x->name, i, a->name, i, i);
        tirbi_gen_line(g, "        %s[v%s] = T.max(%s[v%s], %s[v%s, vk%s])", swapped ? x->name : y->name, i,
                       swapped ? x->name : y->name, i, a->name, i, i);
    }
}

/* Vector expressions of more kinds than sums. */
static void vector_operations(tirbi_gen *g) {
    static const uint32_t widths[] = {2, 4, 8, 16, 5};
    uint32_t w = widths[tirbi_gen_pick(g, 5)];
    uint32_t count = 1 + tirbi_gen_pick(g, 6);
    tirbi_dtype type = tirbi_gen_chance(g, 70) ? TIRB_F32 : TIRB_F64;
    tirbi_gen_dim dim = tirbi_gen_constant((int64_t)w * count);
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 1, &dim);
    tirbi_gen_buffer *n = tirbi_gen_input(g, TIRB_I32, 1, &dim);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 1, &dim);
    if (a == NULL || n == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    char at[100];
    tirbi_gen_name(g, "i", i);
    snprintf(at, sizeof at, "%s * %u:%s * %u + %u", i, w, i, w, w);
    tirbi_gen_line(g, "for %s in range(%u):", i, count);
    switch (tirbi_gen_pick(g, 7)) {
    case 0: tirbi_gen_line(g, "    %s[%s] = T.exp(%s[%s])", o->name, at, a->name, at); break;
    case 1:
        tirbi_gen_line(g, "    %s[%s] = T.Cast(\"%sx%u\", %s[%s])", o->name, at, type_name(type), w, n->name, at);
        break;
    case 2:
        tirbi_gen_line(g, "    %s[%s] = T.if_then_else(%s %% 2 == 0, %s[%s], T.Broadcast(T.%s(2), %u))", o->name, at, i,
                       a->name, at, type_name(type), w);
        break;
    case 3:
        tirbi_gen_line(g, "    %s[%s] = T.max(%s[%s], T.Broadcast(%s[%s], %u))", o->name, at, a->name, at, a->name, i,
                       w);
        break;
    case 4:
        tirbi_gen_line(g, "    for j%s in T.vectorized(%u):", i, w);
        tirbi_gen_line(g, "        if %s[%s * %u + j%s] > 3:", n->name, i, w, i);
        tirbi_gen_line(g, "            %s[%s * %u + j%s] = T.sqrt(%s[%s * %u + j%s])", o->name, i, w, i, a->name, i, w,
                       i);
        break;
    case 5: {
        tirbi_text lanes = {.data = NULL};
        for (uint32_t j = 0; j < w; j++) tirbi_text_add(&lanes, "%s%u", j > 0 ? ", " : "", tirbi_gen_pick(g, w));
        tirbi_gen_line(g, "    %s[%s] = T.Shuffle([%s[%s]], [%s])", o->name, at, a->name, at, lanes.data);
        tirbi_text_free(&lanes);
        break;
    }
    default:
        tirbi_gen_line(g, "    %s[%s] = T.fma(%s[%s], %s[%s], %s[%s])", o->name, at, a->name, at, a->name, at, o->name,
                       at);
        break;
    }
}

/* A function of numbers, called in expressions, itself recursive or not. */
static void scalar_function(tirbi_gen *g) {
    if (!g->calls) {
        guarded(g);
        return;
    }
    tirbi_dtype type = tirbi_gen_chance(g, 50) ? TIRB_I32 : tirbi_gen_chance(g, 50) ? TIRB_F32 : TIRB_I64;
    tirbi_gen_dim dim = tirbi_gen_constant(1 + tirbi_gen_pick(g, 30));
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 1, &dim);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 1, &dim);
    if (a == NULL || o == NULL) return;
    char f[TIRBI_GEN_NAME];
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "f", f);
    tirbi_gen_name(g, "i", i);
    tirbi_text *h = &g->head;
    tirbi_text_add(h, "    @T.prim_func%s\n", g->classic ? "(private=True)" : "(private=True, s_tir=True)");
    tirbi_text_add(h, "    def %s(x: T.%s, d: T.int32) -> T.%s:\n", f, type_name(type), type_name(type));
    tirbi_text_add(h, "        if d <= 0:\n            return x\n");
    tirbi_text_add(h, "        if x > T.%s(%u):\n", type_name(type), tirbi_gen_pick(g, 6));
    tirbi_text_add(h, "            return Module.%s(x - T.%s(1), d - 1) + T.%s(2)\n", f, type_name(type),
                   type_name(type));
    tirbi_text_add(h, "        return Module.%s(x * x + T.%s(1), d - 2)\n\n", f, type_name(type));
    tirbi_gen_line(g, "for %s in range(%lld):", i, ll(dim.value));
    tirbi_gen_line(g, "    %s[%s] = Module.%s(%s[%s], %s %% 7)", o->name, i, f, a->name, i, i);
}

/* Assertions that hold, mostly. */
static void assertion(tirbi_gen *g) {
    tirbi_gen_dim dim = tirbi_gen_constant(1 + tirbi_gen_pick(g, 20));
    tirbi_gen_buffer *a = tirbi_gen_input(g, TIRB_I32, 1, &dim);
    tirbi_gen_buffer *o = tirbi_gen_output(g, TIRB_I32, 1, &dim);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    tirbi_gen_line(g, "for %s in range(%lld):", i, ll(dim.value));
    tirbi_gen_line(g, "    assert %s[%s] %s %s[%s], \"as asserted\"", a->name, i,
                   g->may_trap && tirbi_gen_chance(g, 50) ? "<" : ">=", a->name, i);
    tirbi_gen_line(g, "    %s[%s] = %s[%s] + 1", o->name, i, a->name, i);
}

void tirbi_gen_control_stage(tirbi_gen *g) {
    static void (*const stages[])(tirbi_gen *) = {guarded,         gather,    accumulate,  scratch,
                                                  shifted_axes,    odd_loops, two_results, vector_operations,
                                                  scalar_function, assertion, accumulate,  scratch};
    stages[tirbi_gen_pick(g, sizeof stages / sizeof *stages)](g);
}
