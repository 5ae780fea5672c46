/* Random pieces with what compilers put into programs for the system's sake: hints, masks, functions of LLVM, memory
 * that is allocated by call, arguments in structs, regions that are realised, arrays for packed functions. */
#include <stdio.h>

#include "tests/differential/generate.h"

static const char *type_name(tirbi_dtype type) { return tirbi_dtypes[type].tvm_name; }

static tirbi_dtype number_type(tirbi_gen *g) {
    tirbi_dtype type = tirbi_gen_type(g);
    return type == TIRB_BOOL ? TIRB_F32 : type;
}

static long long ll(int64_t v) { return (long long)v; }

/* What a stage of one loop reads and writes. */
typedef struct pair {
    const tirbi_gen_buffer *a, *o;
    int64_t n;
    char i[TIRBI_GEN_NAME];
} pair;

static bool make_pair(tirbi_gen *g, tirbi_dtype type, pair *p) {
    p->n = 1 + tirbi_gen_pick(g, 40);
    tirbi_gen_dim dim = tirbi_gen_constant(p->n);
    p->a = tirbi_gen_new_buffer(g, "A", type, 1, &dim, true, false);
    p->o = tirbi_gen_new_buffer(g, "O", type, 1, &dim, true, true);
    tirbi_gen_name(g, "i", p->i);
    return p->a != NULL && p->o != NULL;
}

static const char *let_of(const tirbi_gen *g) { return g->classic ? "" : ": T.let"; }

/* What changes nothing, around and inside of a loop. */
static void hints(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    pair p;
    if (!make_pair(g, type, &p)) return;
    tirbi_gen_line(g, "T.evaluate(T.start_profile_intrinsic(3))");
    tirbi_gen_line(g, "for %s in range(%lld):", p.i, ll(p.n));
    g->indent++;
    tirbi_gen_line(g, "T.evaluate(T.assume(%s < %lld))", p.i, ll(p.n));
    tirbi_gen_line(g, "T.evaluate(T.prefetch(T.address_of(%s[%s]), 0, 3, 1))", p.a->name, p.i);
    tirbi_gen_line(g, "if T.ignore_loop_partition(%s < %u):", p.i, tirbi_gen_pick(g, 40));
    tirbi_gen_line(g, "    %s[%s] = T.tvm_thread_invariant(%s[%s])", p.o->name, p.i, p.a->name, p.i);
    tirbi_gen_line(g, "else:");
    tirbi_gen_line(g, "    %s[%s] = T.undef(\"%s\")", p.o->name, p.i, type_name(type));
    tirbi_gen_line(g, "    %s[%s] = T.likely(%s[%s])", p.o->name, p.i, p.a->name, p.i);
    g->indent--;
    tirbi_gen_line(g, "T.evaluate(T.end_profile_intrinsic(3))");
}

/* Vectors, of a fixed length or scalable, of which the lanes below a limit are read and written. */
static void masks(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    uint32_t lanes = 2u << tirbi_gen_pick(g, 4), blocks = 1 + tirbi_gen_pick(g, 4),
             limit = tirbi_gen_pick(g, lanes * blocks + 1);
    tirbi_gen_dim dim = tirbi_gen_constant(limit > 0 ? limit : 1);
    tirbi_gen_buffer *a = tirbi_gen_new_buffer(g, "A", type, 1, &dim, true, false);
    tirbi_gen_buffer *o = tirbi_gen_new_buffer(g, "O", type, 1, &dim, true, true);
    char i[TIRBI_GEN_NAME], ramp[96], mask[96];
    if (a == NULL || o == NULL) return;
    bool scalable = tirbi_gen_chance(g, 50);
    tirbi_gen_name(g, "i", i);
    snprintf(ramp, sizeof ramp, "T.Ramp(%s * %u, 1, %s%u)", i, lanes, scalable ? "T.vscale() * " : "", lanes);
    snprintf(mask, sizeof mask, "T.get_active_lane_mask(\"uint1x%s%u\", %s * %u, %u)", scalable ? "vscalex" : "", lanes,
             i, lanes, limit);
    tirbi_gen_line(g, "for %s in range(%u):", i, blocks);
    tirbi_gen_line(g, "    %s.vstore([%s], %s.vload([%s], predicate=%s), predicate=%s)", o->name, ramp, a->name, ramp,
                   mask, mask);
}

/* Functions of LLVM by their names. */
static void llvm_functions(tirbi_gen *g) {
    static const char *const names[] = {"sqrt",  "exp2", "fabs",      "floor", "ceil",
                                        "trunc", "rint", "nearbyint", "cos",   "log10"};
    tirbi_dtype type = tirbi_gen_chance(g, 70) ? TIRB_F32 : TIRB_F64;
    pair p;
    if (!make_pair(g, type, &p)) return;
    const char *t = type_name(type), *a = p.a->name, *name = names[tirbi_gen_pick(g, sizeof names / sizeof *names)];
    const char *call = tirbi_gen_chance(g, 50) ? "call_llvm_pure_intrin" : "call_llvm_intrin";
    tirbi_gen_line(g, "for %s in range(%lld):", p.i, ll(p.n));
    if (tirbi_gen_chance(g, 30)) {
        tirbi_gen_line(g, "    %s[%s] = T.%s(\"%s\", \"llvm.%s\", %s[%s], %s[%lld - %s])", p.o->name, p.i, call, t,
                       tirbi_gen_chance(g, 50) ? "minnum" : "maxnum", a, p.i, a, ll(p.n - 1), p.i);
        tirbi_gen_line(g, "    %s[%s] = T.%s(\"%s\", \"llvm.round\", %s[%s])", p.o->name, p.i, call, t, p.o->name, p.i);
    } else if (tirbi_gen_chance(g, 40)) {
        tirbi_gen_line(g, "    %s[%s] = T.%s(\"%s\", \"llvm.%s\", %s[%s], %s[0], %s[%s])", p.o->name, p.i, call, t,
                       tirbi_gen_chance(g, 50) ? "fma" : "fmuladd", a, p.i, a, a, p.i);
    } else {
        tirbi_gen_line(g, "    %s[%s] = T.%s(\"%s\", \"llvm.%s\", %s[%s])", p.o->name, p.i, call, t, name, a, p.i);
    }
}

/* Functions of processors that sum products of neighbours, on vectors that leave their rows where these are short. */
static void neighbours(tirbi_gen *g) {
    static const struct {
        const char *name;
        uint8_t a, b, out, k;
        bool adds;
    } functions[] = {{"llvm.x86.avx512.vpdpbusd.512", TIRB_U8, TIRB_I8, TIRB_I32, 4, true},
                     {"llvm.x86.avx512.vpdpwssds.256", TIRB_I16, TIRB_I16, TIRB_I32, 2, true},
                     {"llvm.x86.avx2.pmadd.ub.sw", TIRB_U8, TIRB_I8, TIRB_I16, 2, false},
                     {"llvm.x86.sse2.pmadd.wd", TIRB_I16, TIRB_I16, TIRB_I32, 2, false},
                     {"llvm.aarch64.neon.sdot", TIRB_I8, TIRB_I8, TIRB_I32, 4, true},
                     {"llvm.aarch64.neon.udot", TIRB_U8, TIRB_U8, TIRB_U32, 4, true},
                     {"llvm.aarch64.neon.umull", TIRB_U16, TIRB_U16, TIRB_U32, 1, false},
                     {"llvm.aarch64.neon.addp", TIRB_F32, TIRB_F32, TIRB_F32, 1, false}};
    uint32_t f = tirbi_gen_pick(g, sizeof functions / sizeof *functions), lanes = 2u << tirbi_gen_pick(g, 3),
             k = functions[f].k;
    uint32_t blocks = 1 + tirbi_gen_pick(g, 3), row = 1u << tirbi_gen_pick(g, 5);
    tirbi_gen_dim dims[2] = {tirbi_gen_constant((k * lanes * blocks + row - 1) / row), tirbi_gen_constant(row)};
    tirbi_gen_dim flat = tirbi_gen_constant(k * lanes * blocks), out = tirbi_gen_constant(lanes * blocks);
    const tirbi_gen_buffer *a = tirbi_gen_new_buffer(g, "A", (tirbi_dtype)functions[f].a, 1, &flat, true, false);
    const tirbi_gen_buffer *b = tirbi_gen_new_buffer(g, "B", (tirbi_dtype)functions[f].b, 2, dims, true, false);
    const tirbi_gen_buffer *o = tirbi_gen_new_buffer(g, "O", (tirbi_dtype)functions[f].out, 1, &out, true, true);
    char i[TIRBI_GEN_NAME], accumulator[80] = "";
    if (a == NULL || b == NULL || o == NULL) return;
    tirbi_gen_name(g, "i", i);
    if (functions[f].adds)
        snprintf(accumulator, sizeof accumulator, "%s[T.Ramp(%s * %u, 1, %u)], ", o->name, i, lanes, lanes);
    tirbi_gen_line(g, "for %s in range(%u):", i, blocks);
    tirbi_gen_line(
        g,
        "    %s[T.Ramp(%s * %u, 1, %u)] = T.call_llvm_pure_intrin(\"%sx%u\", \"%s\", %s%s[T.Ramp(%s * %u, 1, %u)], "
        "%s[%s * %u // %u, T.Ramp(%s * %u %% %u, 1, %u)])",
        o->name, i, lanes, lanes, type_name((tirbi_dtype)functions[f].out), lanes, functions[f].name, accumulator,
        a->name, i, k * lanes, k * lanes, b->name, i, k * lanes, row, i, k * lanes, row, k * lanes);
}

/* A buffer that has memory for a region of it alone, and one that is asked for early. */
static void realized(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    int64_t n = 2 + tirbi_gen_pick(g, 30), low = tirbi_gen_pick(g, (uint32_t)n),
            extent = 1 + tirbi_gen_pick(g, (uint32_t)(n - low));
    tirbi_gen_dim dim = tirbi_gen_constant(n);
    tirbi_gen_buffer *a = tirbi_gen_new_buffer(g, "A", type, 1, &dim, true, false);
    tirbi_gen_buffer *o = tirbi_gen_new_buffer(g, "O", type, 1, &dim, true, true);
    char i[TIRBI_GEN_NAME];
    if (a == NULL || o == NULL) return;
    tirbi_gen_name(g, "i", i);
    tirbi_gen_line(g, "R%s = T.buffer_decl((%lld,), \"%s\")", i, ll(n), type_name(type));
    tirbi_gen_line(g, "T.prefetch(%s, [T.Range(%lld, %lld)])", a->name, ll(low), ll(low + extent));
    tirbi_gen_line(g, "with T.realize(R%s[%lld:%lld], \"\"):", i, ll(low), ll(low + extent));
    tirbi_gen_line(g, "    for %s in range(%lld, %lld):", i, ll(low), ll(low + extent));
    tirbi_gen_line(g, "        R%s[%s] = %s[%s]", i, i, a->name, i);
    tirbi_gen_line(g, "    for %s in range(%lld, %lld):", i, ll(low), ll(low + extent));
    tirbi_gen_line(g, "        %s[%s] = R%s[%lld - %s] + %s[%s]", o->name, i, i, ll(2 * low + extent - 1), i, a->name,
                   i);
}

/* Memory that is allocated and freed by calls. */
static void workspace(tirbi_gen *g) {
    tirbi_dtype type = tirbi_gen_chance(g, 50) ? TIRB_F32 : TIRB_I32;
    pair p;
    if (!make_pair(g, type, &p)) return;
    tirbi_gen_line(g, "w%s: T.let[T.handle(\"%s\")] = T.TVMBackendAllocWorkspace(1, 0, T.uint64(%lld), %d, 32)", p.i,
                   type_name(type), ll(p.n * 4), type == TIRB_F32 ? 2 : 0);
    tirbi_gen_line(g, "W%s = T.decl_buffer((%lld,), \"%s\", data=w%s)", p.i, ll(p.n), type_name(type), p.i);
    tirbi_gen_line(g, "if T.isnullptr(w%s):", p.i);
    tirbi_gen_line(g, "    T.evaluate(T.tvm_throw_last_error())");
    tirbi_gen_line(g, "for %s in range(%lld):", p.i, ll(p.n));
    tirbi_gen_line(g, "    W%s[%lld - %s] = %s[%s]", p.i, ll(p.n - 1), p.i, p.a->name, p.i);
    tirbi_gen_line(g, "for %s in range(%lld):", p.i, ll(p.n));
    tirbi_gen_line(g, "    %s[%s] = W%s[%s] - %s[%s]", p.o->name, p.i, p.i, p.i, p.a->name, p.i);
    tirbi_gen_line(g, "T.evaluate(T.TVMBackendFreeWorkspace(1, 0, w%s))", p.i);
}

/* Arguments that are written into structs and read from them again; what is not there reads as 0. */
static void structs(tirbi_gen *g) {
    pair p;
    uint32_t cells = 1 + tirbi_gen_pick(g, 5);
    if (!make_pair(g, TIRB_I32, &p)) return;
    tirbi_gen_line(g, "s%s%s = T.tvm_stack_alloca(\"arg_value\", %u)", p.i, let_of(g), cells);
    tirbi_gen_line(g, "for %s in range(%u):", p.i, cells);
    tirbi_gen_line(g, "    T.evaluate(T.tvm_struct_set(s%s, %s, 12, T.Cast(\"int64\", %s[0] + %s)))", p.i, p.i,
                   p.a->name, p.i);
    tirbi_gen_line(g, "for %s in range(%lld):", p.i, ll(p.n));
    tirbi_gen_line(g, "    %s[%s] = T.Cast(\"int32\", T.tvm_struct_get(s%s, %s %% %u, 12, \"int64\"))", p.o->name, p.i,
                   p.i, p.i, cells + tirbi_gen_pick(g, 2));
}

/* A pointer into the middle of memory, by bytes. */
static void byte_pointers(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    pair p;
    if (!make_pair(g, type, &p)) return;
    int64_t first = tirbi_gen_pick(g, (uint32_t)p.n), n = p.n - first;
    tirbi_gen_line(g, "p%s: T.let[T.handle(\"%s\")] = T.ptr_byte_offset(%s.data, %lld, \"%s\")", p.i, type_name(type),
                   p.a->name, ll(first * tirbi_dtypes[type].size), type_name(type));
    tirbi_gen_line(g, "V%s = T.decl_buffer((%lld,), \"%s\", data=p%s)", p.i, ll(n), type_name(type), p.i);
    tirbi_gen_line(g, "for %s in range(%lld):", p.i, ll(n));
    tirbi_gen_line(g, "    %s[%s] = V%s[%lld - %s]", p.o->name, p.i, p.i, ll(n - 1), p.i);
}

/* Calls of the host's packed functions with whole buffers, which the text may describe as arrays. */
static void packed_calls(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    pair p;
    if (!make_pair(g, type, &p)) return;
    const char *call = tirbi_gen_chance(g, 50) ? "call_packed" : "call_cpacked";
    if (tirbi_gen_chance(g, 50)) {
        tirbi_gen_line(g, "T.evaluate(T.%s(\"stir\", %s, %u, %s))", call, p.o->name, tirbi_gen_pick(g, 9), p.a->name);
    } else {
        tirbi_text zero = {.data = NULL};
        tirbi_gen_number(type, "0", &zero);
        tirbi_gen_line(g,
                       "T.evaluate(T.%s(\"stir\", T.tvm_stack_make_array(%s.data, T.tvm_stack_make_shape(%lld), 0, 1, "
                       "%s, 0), %u))",
                       call, p.o->name, ll(p.n), zero.data, tirbi_gen_pick(g, 9));
        tirbi_text_free(&zero);
    }
    tirbi_gen_line(g, "for %s in range(%lld):", p.i, ll(p.n));
    tirbi_gen_line(g, "    %s[%s] = %s[%s] + %s[%s]", p.o->name, p.i, p.o->name, p.i, p.a->name, p.i);
}

static void set_cell(tirbi_gen *g, const char *i, uint32_t cell, int type, const char *value) {
    tirbi_gen_line(g, "T.tvm_struct_set(k%s, %u, 13, %d)", i, cell, type);
    tirbi_gen_line(g, "T.tvm_struct_set(k%s, %u, 14, 0)", i, cell);
    tirbi_gen_line(g, "T.tvm_struct_set(k%s, %u, 15, %s)", i, cell, value);
}

/* The struct of an array in the way that lowered programs write it: `count` elements from `first` on, in one or two
 * dimensions. */
static void set_struct(tirbi_gen *g, const char *i, const tirbi_gen_buffer *b, tirbi_dtype type, int64_t first,
                       int64_t count) {
    uint32_t at = tirbi_gen_pick(g, 3), ndim = 1 + (tirbi_gen_chance(g, 40) ? 1 : 0);
    tirbi_gen_line(g, "h%s[%u] = T.int64(%lld)", i, at, ll(count));
    if (ndim == 2) tirbi_gen_line(g, "h%s[%u] = T.int64(1)", i, at + 1);
    tirbi_gen_line(g, "T.tvm_struct_set(s%s, 0, 1, %s.data)", i, b->name);
    tirbi_gen_line(g, "T.tvm_struct_set(s%s, 0, 2, T.address_of(h%s[%u]))", i, i, at);
    tirbi_gen_line(g, "T.tvm_struct_set(s%s, 0, 3, T.reinterpret(\"handle\", T.uint64(0)))", i);
    tirbi_gen_line(g, "T.tvm_struct_set(s%s, 0, 4, %u)", i, ndim);
    tirbi_gen_line(g, "T.tvm_struct_set(s%s, 0, 5, T.uint8(%d))", i, tirbi_dtypes[type].dl_code);
    tirbi_gen_line(g, "T.tvm_struct_set(s%s, 0, 6, T.uint8(%d))", i, tirbi_dtypes[type].bits);
    tirbi_gen_line(g, "T.tvm_struct_set(s%s, 0, 7, T.uint16(1))", i);
    tirbi_gen_line(g, "T.tvm_struct_set(s%s, 0, 8, T.uint64(%lld))", i, ll(first * tirbi_dtypes[type].size));
}

/* Calls whose arguments are in the cells of a stack, the newer way or the older one. */
static void lowered_calls(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    pair p;
    if (!make_pair(g, type, &p)) return;
    bool old = tirbi_gen_chance(g, 30);
    const char *call = tirbi_gen_chance(g, 50) ? "call_packed_lowered" : "call_cpacked_lowered", *i = p.i;
    uint32_t begin = tirbi_gen_pick(g, 3);
    int64_t first = tirbi_gen_pick(g, (uint32_t)p.n);
    tirbi_gen_line(g, "k%s%s = T.tvm_stack_alloca(\"%s\", 8)", i, let_of(g), old ? "arg_value" : "tvm_ffi_any");
    if (old) tirbi_gen_line(g, "c%s%s = T.tvm_stack_alloca(\"arg_tcode\", 8)", i, let_of(g));
    if (old) tirbi_gen_line(g, "C%s = T.decl_buffer((8,), \"int32\", data=c%s)", i, i);
    tirbi_gen_line(g, "s%s%s = T.tvm_stack_alloca(\"array\", 1)", i, let_of(g));
    tirbi_gen_line(g, "t%s%s = T.tvm_stack_alloca(\"shape\", 4)", i, let_of(g));
    tirbi_gen_line(g, "h%s = T.decl_buffer((4,), \"int64\", data=t%s)", i, i);
    tirbi_gen_line(g, "for %s in range(%u):", i, 1 + tirbi_gen_pick(g, 3));
    g->indent++;
    set_struct(g, i, p.o, type, first, p.n - first);
    char array[64], number[64];
    snprintf(array, sizeof array, "T.tvm_struct_get(s%s, 0, 0, \"handle\")", i);
    snprintf(number, sizeof number, "T.Cast(\"int64\", %s + %u)", i, tirbi_gen_pick(g, 99));
    if (old) {
        tirbi_gen_line(g, "T.tvm_struct_set(k%s, %u, 12, %s)", i, begin, array);
        tirbi_gen_line(g, "C%s[%u] = 7", i, begin);
        tirbi_gen_line(g, "T.tvm_struct_set(k%s, %u, 12, %s)", i, begin + 1, number);
        tirbi_gen_line(g, "C%s[%u] = 0", i, begin + 1);
        tirbi_gen_line(g, "T.tvm_struct_set(k%s, %u, 12, T.float64(2.5))", i, begin + 2);
        tirbi_gen_line(g, "C%s[%u] = 2", i, begin + 2);
        tirbi_gen_line(g, "T.evaluate(T.%s(\"stir\", k%s, c%s, %u, %u))", call, i, i, begin, begin + 3);
    } else {
        set_cell(g, i, begin, 7, array);
        set_cell(g, i, begin + 1, 1, number);
        set_cell(g, i, begin + 2, tirbi_gen_chance(g, 50) ? 3 : 0, "T.float64(-0.75)");
        tirbi_gen_line(g, "T.evaluate(T.%s(\"stir\", k%s, %u, %u))", call, i, begin, begin + 3);
        tirbi_gen_line(g, "%s[%s %% %lld] = T.Cast(\"%s\", T.tvm_struct_get(k%s, %u, 15, \"int64\"))", p.o->name, i,
                       ll(p.n), type_name(type), i, begin + 3);
    }
    g->indent--;
    tirbi_gen_line(g, "for %s in range(%lld):", i, ll(p.n));
    tirbi_gen_line(g, "    %s[%s] = %s[%s] + %s[%s]", p.o->name, i, p.o->name, i, p.a->name, i);
}

/* One call of the host's that has registers for arguments and result, as Relax's machine has it or as its lowered code
 * does. */
static void register_call(tirbi_gen *g, uint32_t size) {
    tirbi_text *h = &g->head;
    uint32_t to = tirbi_gen_pick(g, size), from = tirbi_gen_pick(g, size), other = tirbi_gen_pick(g, size),
             n = tirbi_gen_pick(g, 9);
    const char *c = tirbi_gen_chance(g, 50) ? "c" : "";
    switch (tirbi_gen_pick(g, 5)) {
    case 0:
        tirbi_text_add(h, "        T.call_%spacked(\"stir\", T.anylist_getitem(r, %u), %u, T.anylist_getitem(c, %u))\n",
                       c, from, n, other);
        break;
    case 1: tirbi_text_add(h, "        T.anylist_resetitem(r, %u)\n", to); break;
    case 2:
        tirbi_text_add(h, "        T.tirx.TVMBackendAnyListSetPackedArg(r, %u, k, %u)\n", from, n % 3);
        tirbi_text_add(h, "        T.tvm_struct_set(k, %u, 13, 3)\n", n % 3 + 1);
        tirbi_text_add(h, "        T.tvm_struct_set(k, %u, 15, T.float64(%u))\n", n % 3 + 1, n);
        tirbi_text_add(h, "        T.evaluate(T.call_%spacked_lowered(\"stir\", k, %u, %u))\n", c, n % 3, n % 3 + 2);
        tirbi_text_add(h, "        T.tirx.TVMBackendAnyListMoveFromPackedReturn(r, %u, k, %u)\n", to, n % 3 + 2);
        tirbi_text_add(h, "        T.tirx.TVMBackendAnyListResetItem(r, %u)\n", other);
        break;
    default:
        tirbi_text_add(h,
                       "        T.anylist_setitem_call_%spacked(r, %u, \"stir\", T.anylist_getitem(r, %u), "
                       "T.anylist_getitem(c, %u), %u)\n",
                       c, to, from, other, n);
    }
}

static void registers(tirbi_gen *g) {
    uint32_t size = 2 + tirbi_gen_pick(g, 6);
    tirbi_gen_dim dim = tirbi_gen_constant(size);
    tirbi_gen_buffer *c = tirbi_gen_new_buffer(g, "C", TIRB_I64, 1, &dim, true, false);
    tirbi_gen_buffer *r = tirbi_gen_new_buffer(g, "R", TIRB_I64, 1, &dim, true, true);
    char f[TIRBI_GEN_NAME];
    if (c == NULL || r == NULL) return;
    r->apart = true;
    tirbi_gen_name(g, "f", f);
    tirbi_text_add(&g->head, "    @T.prim_func%s\n    def %s(r: T.handle, c: T.handle):\n",
                   g->classic ? "(private=True)" : "(private=True, s_tir=True)", f);
    tirbi_text_add(&g->head, "        k%s = T.tvm_stack_alloca(\"tvm_ffi_any\", 6)\n", let_of(g));
    tirbi_text_add(&g->head, "        T.anylist_resetitem(r, 0)\n");
    for (uint32_t n = 1 + tirbi_gen_pick(g, 4); n > 0; n--) register_call(g, size);
    tirbi_text_add(&g->head, "        T.anylist_setitem_call_packed(r, 1, \"stir\", T.anylist_getitem(c, 0))\n\n");
    tirbi_gen_line(g, "Module.%s(%s.data, %s.data)", f, r->name, c->name);
}

/* The packed functions that sort, over an axis of up to three. */
static void sorts(tirbi_gen *g) {
    static const char *const names[] = {"sort", "argsort", "argsort_nms", "topk"};
    static const char *const which[] = {"values", "indices", "both"};
    static const tirbi_dtype numberings[] = {TIRB_I32, TIRB_I64, TIRB_F32};
    tirbi_dtype type = number_type(g), numbering = numberings[tirbi_gen_pick(g, 3)];
    uint32_t ndim = 1 + tirbi_gen_pick(g, 3), axis = tirbi_gen_pick(g, ndim), n_counts = 0;
    uint32_t function = tirbi_gen_pick(g, 4), arrays = tirbi_gen_pick(g, 3);
    bool top = function == 3;
    tirbi_gen_dim dims[3], kept[3], counts[2];
    for (uint32_t i = 0; i < ndim; i++) {
        dims[i] = kept[i] = tirbi_gen_constant(i == axis ? 1 + tirbi_gen_pick(g, 40) : 1 + tirbi_gen_pick(g, 4));
        if (i != axis) counts[n_counts++] = dims[i];
    }
    if (top) kept[axis] = tirbi_gen_constant(1 + tirbi_gen_pick(g, (uint32_t)dims[axis].value));
    const tirbi_gen_buffer *a = tirbi_gen_new_buffer(g, "A", type, ndim, dims, true, false), *c = NULL, *v = NULL,
                           *n = NULL;
    if (function == 2) c = tirbi_gen_new_buffer(g, "C", TIRB_I32, n_counts, counts, true, false);
    if (function == 0 || (top && arrays != 1)) v = tirbi_gen_new_buffer(g, "V", type, ndim, kept, true, true);
    if (function == 1 || function == 2 || (top && arrays != 0))
        n = tirbi_gen_new_buffer(g, "N", numbering, ndim, kept, true, true);
    if (a == NULL || (v == NULL && n == NULL) || (function == 2 && c == NULL) ||
        (top && arrays == 2 && (v == NULL || n == NULL)))
        return;
    tirbi_text call = {.data = NULL};
    tirbi_text_add(&call, "T.call_packed(\"tvm.contrib.sort.%s\", %s", names[function], a->name);
    for (uint32_t i = 0; i < 3; i++) {
        const tirbi_gen_buffer *array = i == 0 ? c : i == 1 ? v : n;
        if (array != NULL) tirbi_text_add(&call, ", %s", array->name);
    }
    if (top)
        tirbi_text_add(&call, ", %lld",
                       tirbi_gen_chance(g, 20) && kept[axis].value == dims[axis].value ? 0 : ll(kept[axis].value));
    tirbi_text_add(&call, ", %d", (int)axis - (tirbi_gen_chance(g, 50) ? (int)ndim : 0));
    if (top) tirbi_text_add(&call, ", \"%s\"", which[arrays]);
    tirbi_gen_line(g, "%s, T.bool(%s))", call.data, tirbi_gen_chance(g, 50) ? "True" : "False");
    tirbi_text_free(&call);
}

void tirbi_gen_system_stage(tirbi_gen *g) {
    static void (*const stages[])(tirbi_gen *) = {hints,     masks,         llvm_functions, realized,
                                                  workspace, structs,       byte_pointers,  packed_calls,
                                                  sorts,     lowered_calls, neighbours};
    if (g->calls && tirbi_gen_chance(g, 40)) {
        registers(g);
        return;
    }
    stages[tirbi_gen_pick(g, sizeof stages / sizeof *stages)](g);
}
