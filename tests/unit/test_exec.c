/* The scalar machine, traps, limits and lifetimes, and lane loops of every shape, on every instruction set. */
#include "tests/unit/machine_harness.h"

#include <fenv.h>
#include <math.h>

#include "vm/lanes/slots.h"
#include "vm/lanes/kernels.h"
#include "vm/lanes/reduce.h"

static uint64_t bits32(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static uint64_t bits64(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* Opens, calls without tensors, closes. */
static outcome call_scalars(const char *text, const uint64_t *scalars) {
    harness h;
    harness_open(&h, text);
    outcome out = harness_call(&h, scalars, NULL, 0);
    harness_close(&h);
    return out;
}

/* ---- Elementwise instructions ---------------------------------------------------------------------------------- */

static uint64_t extend(uint64_t bits, uint8_t type) {
    unsigned shift = 64u - tirbi_dtypes[type].bits;
    if (type == TIRB_BOOL) return (uint8_t)bits != 0;
    return tirbi_dtypes[type].class == 'I' ? (uint64_t)((int64_t)(bits << shift) >> shift) : bits << shift >> shift;
}

static const uint64_t samples[] = {0,          1,          2,          3,           7,          0x7f,       0x80,
                                   0xff,       0x7fff,     0x8000,     0x3c00,      0x7e01,     0x3f800000, 0xc0490fdb,
                                   0x7fffffff, 0x80000000, 0xffffffff, 0x7fa00001,  0xff800000, 0x4b000001,
                                   0x3ff0000000000000, 0xc00921fb54442d18, 0x7ff4000000000001, 0x7fffffffffffffff,
                                   0x8000000000000000, 0xffffffffffffffff};
enum { N_SAMPLES = sizeof samples / sizeof samples[0] };

/* Every elementwise instruction of every type: the scalar machine and the kernels agree on all pairs of samples. */
static void scalar_elementwise(void **state) {
    (void)state;
    const tirbi_kernel_table *kernels = tirbi_kernels(TIRB_ISA_GENERIC);
    for (unsigned op = TIRBI_FIRST_ELEMENTWISE; op <= TIRB_OP_RHYPOT; op++) {
        if (!tirbi_ops[op].mnemonic || op == TIRB_OP_CAST || op == TIRB_OP_BITS) continue;
        for (unsigned type = 0; type < TIRB_N_DTYPES; type++) {
            if (!(tirbi_ops[op].types >> type & 1)) continue;
            tirbi_kernel kernel = kernels->op[op - TIRBI_FIRST_ELEMENTWISE][type];
            assert_non_null(kernel);
            uint8_t result_type = (uint8_t)tirbi_op_result_type((tirbi_op)op, (tirbi_dtype)type);
            char text[512];
            snprintf(text, sizeof text,
                     ".function \"f\" public returns %s\n.scalars 4\n.scalar \"a\" i64 s0\n.scalar \"b\" i64 s1\n"
                     ".scalar \"c\" i64 s2\n    %s.%s s3, s0%s%s\n    ret.%s s3\n.end\n",
                     tirbi_dtypes[result_type].name, tirbi_ops[op].mnemonic, tirbi_dtypes[type].name,
                     tirbi_ops[op].arity > 1 ? ", s1" : "", tirbi_ops[op].arity > 2 ? ", s2" : "",
                     tirbi_dtypes[result_type].name);
            harness h;
            harness_open(&h, text);
            h.n_isas = 1;
            for (unsigned i = 0; i < N_SAMPLES * N_SAMPLES; i++) {
                uint64_t scalars[3] = {samples[i % N_SAMPLES], samples[i / N_SAMPLES], samples[(i * 7) % N_SAMPLES]};
                uint64_t in[3] = {scalars[0], scalars[1], scalars[2]};
                void *at[3] = {&in[0], &in[1], &in[2]};
                for (unsigned k = 0; k < tirbi_ops[op].arity; k++) {
                    unsigned operand = tirbi_op_operand_type((tirbi_op)op, (tirbi_dtype)type, (tirbi_dtype)type, k);
                    if (operand == TIRB_BOOL) in[k] = (uint8_t)in[k] != 0;
                    at[k] = tirbi_slot_bytes(&in[k], tirbi_dtypes[operand].size);
                }
                uint64_t expected = 0;
                bool fine = kernel(tirbi_slot_bytes(&expected, tirbi_dtypes[result_type].size), at[0], at[1], at[2], 1);
                outcome out = harness_call(&h, scalars, NULL, 0);
                assert_int_equal(out.status, fine ? TIRB_OK : TIRB_DIVIDE);
                if (fine && out.result != extend(expected, result_type))
                    harness_fail(&h, "%s.%s of %llx %llx: %llx, not %llx", tirbi_ops[op].mnemonic,
                                 tirbi_dtypes[type].name, (unsigned long long)scalars[0],
                                 (unsigned long long)scalars[1], (unsigned long long)out.result,
                                 (unsigned long long)extend(expected, result_type));
            }
            h.n_isas = 0;
            for (unsigned i = 0; i < TIRBI_N_ISAS; i++) tirbi_code_destroy(h.codes[i]);
            tirbi_arena_destroy(&h.arena);
        }
    }
}

static void scalar_conversions(void **state) {
    (void)state;
    const tirbi_kernel_table *kernels = tirbi_kernels(TIRB_ISA_GENERIC);
    for (unsigned both = 0; both < 2 * TIRB_N_DTYPES * TIRB_N_DTYPES; both++) {
        unsigned from = both / 2 % TIRB_N_DTYPES, to = both / 2 / TIRB_N_DTYPES;
        bool bits = both % 2;
        if (bits && tirbi_dtypes[from].size != tirbi_dtypes[to].size) continue;
        if (bits && (from == TIRB_BOOL || to == TIRB_BOOL)) continue;
        tirbi_kernel kernel = bits ? kernels->bits[to][from] : kernels->cast[to][from];
        assert_non_null(kernel);
        char text[256];
        snprintf(text, sizeof text,
                 ".function \"f\" public returns %s\n.scalars 2\n.scalar \"a\" i64 s0\n    %s.%s s1, s0, %s\n"
                 "    ret.%s s1\n.end\n",
                 tirbi_dtypes[to].name, bits ? "bits" : "cast", tirbi_dtypes[to].name, tirbi_dtypes[from].name,
                 tirbi_dtypes[to].name);
        harness h;
        harness_open(&h, text);
        for (unsigned i = 0; i < N_SAMPLES; i++) {
            uint64_t in = from == TIRB_BOOL ? (uint8_t)samples[i] != 0 : samples[i];
            uint64_t expected = 0;
            kernel(tirbi_slot_bytes(&expected, tirbi_dtypes[to].size), tirbi_slot_bytes(&in, tirbi_dtypes[from].size),
                   NULL, NULL, 1);
            outcome out = harness_call(&h, &samples[i], NULL, 0);
            assert_int_equal(out.status, TIRB_OK);
            if (out.result != extend(expected, (uint8_t)to))
                harness_fail(&h, "%llx gives %llx, not %llx", (unsigned long long)samples[i],
                             (unsigned long long)out.result, (unsigned long long)extend(expected, (uint8_t)to));
        }
        harness_close(&h);
    }
}

/* ---- Control flow and calls ------------------------------------------------------------------------------------ */

static void fused_branches(void **state) {
    (void)state;
    /* The comparison's bool is still written when the branch is fused with it. */
    const char *text = ".function \"f\" public returns i64\n.scalars 3\n.scalar \"a\" i64 s0\n.scalar \"b\" i64 s1\n"
                       "    lt.i64 s2, s0, s1\n    brif s2, yes\n    add.i64 s2, s2, s0\n    ret.i64 s2\n"
                       "yes:\n    add.i64 s2, s2, s1\n    ret.i64 s2\n.end\n";
    assert_int_equal(call_scalars(text, (uint64_t[]){3, 5}).result, 6);
    assert_int_equal(call_scalars(text, (uint64_t[]){5, 3}).result, 5);
    const char *nan = ".function \"f\" public returns i64\n.scalars 3\n.scalar \"a\" f32 s0\n    lt.f32 s1, s0, s0\n"
                      "    brnot s1, no\n    const.i64 s2, 1\nno:\n    ret.i64 s2\n.end\n";
    assert_int_equal(call_scalars(nan, (uint64_t[]){0x7fc00000}).result, 0);
}

static const char *const recursive =
    ".function \"sum\" public returns i64\n.scalars 4\n.scalar \"n\" i64 s0\n    const.i64 s3, 1\n"
    "    lt.i64 s1, s0, s3\n    brif s1, done\n    sub.i64 s1, s0, s3\n    call \"sum\" s2 (s1) ()\n"
    "    add.i64 s2, s2, s0\n    ret.i64 s2\ndone:\n    ret.i64 s2\n.end\n";

static void calls_and_depth(void **state) {
    (void)state;
    harness h;
    harness_open(&h, recursive);
    uint64_t n = 90;
    outcome out = harness_run(&h, &n, NULL, 0, UINT64_MAX, UINT64_MAX, 100);
    assert_int_equal(out.status, TIRB_OK);
    assert_int_equal(out.result, 90 * 91 / 2);
    n = 99;
    assert_int_equal(harness_run(&h, &n, NULL, 0, UINT64_MAX, UINT64_MAX, 100).status, TIRB_OK);
    n = 100;
    out = harness_run(&h, &n, NULL, 0, UINT64_MAX, UINT64_MAX, 100);
    assert_int_equal(out.status, TIRB_DEPTH);
    n = 100000;
    assert_int_equal(harness_run(&h, &n, NULL, 0, UINT64_MAX, 1 << 30, 200000).result, UINT64_C(100000) * 100001 / 2);
    assert_int_equal(harness_run(&h, &n, NULL, 0, UINT64_MAX, 1 << 20, 200000).status, TIRB_MEMORY_LIMIT);
    harness_close(&h);
}

static void arguments_and_references(void **state) {
    (void)state;
    const char *text =
        ".function \"main\" public returns f32\n.scalars 4\n.ref f32 writable\n.ref f32 writable\n"
        ".tensor \"x\" f32 r0 read write ($0)\n.var \"n\" i64 s0\n"
        "    const.i64 s1, 2\n    const.i64 s2, 3\n    slice r1, r0, s1, s2\n"
        "    call \"set\" s3 (s2) (r1)\n    length s3, r1\n    cast.f32 s3, s3, i64\n    ret.f32 s3\n.end\n"
        ".function \"set\"\n.scalars 3\n.ref f32 writable\n.tensor \"y\" f32 r0 read write ($0)\n.var \"m\" i64 s2\n"
        "    const.f32 s1, 7.5\nagain:\n    store.f32 r0, s0, s1\n    loop s0, s2, again\n    ret.void\n.end\n";
    harness h;
    harness_open(&h, text);
    float x[8] = {0};
    uint64_t n = 8;
    buffer b = {x, 8, TIRB_F32};
    outcome out = harness_call(&h, &n, &b, 1);
    assert_int_equal(out.status, TIRB_OK);
    assert_int_equal(out.result, bits32(3.0f));
    for (int i = 0; i < 8; i++) assert_true(x[i] == (i >= 2 && i < 5 ? 7.5f : 0.0f));
    b.n = n = 4;
    out = harness_call(&h, &n, &b, 1);
    assert_int_equal(out.status, TIRB_BOUNDS);
    harness_close(&h);
}

/* ---- Traps ----------------------------------------------------------------------------------------------------- */

static void expect_trap(const char *body, uint64_t a, uint64_t b, tirb_status status, const char *message) {
    char text[1024];
    snprintf(text, sizeof text,
             ".function \"f\" public\n.scalars 6\n.ref i16 writable\n.tensor \"A\" i16 r0 read write ($0)\n"
             ".scalar \"a\" i64 s0\n.scalar \"b\" i64 s1\n.var \"n\" i64 s2\n%s    ret.void\n.end\n",
             body);
    harness h;
    harness_open(&h, text);
    int16_t data[5] = {1, 2, 3, 4, 5};
    buffer buf = {data, 5, TIRB_I16};
    outcome out = harness_call(&h, (uint64_t[]){a, b, 5}, &buf, 1);
    assert_int_equal(out.status, status);
    if (message && !strstr(out.error.message, message)) fail_msg("'%s' has no '%s'", out.error.message, message);
    harness_close(&h);
}

static void traps(void **state) {
    (void)state;
    uint64_t minus1 = UINT64_MAX, least = UINT64_C(1) << 63;
    expect_trap("    load.i16 s3, r0, s0\n", 4, 0, TIRB_OK, NULL);
    expect_trap("    load.i16 s3, r0, s0\n", 5, 0, TIRB_BOUNDS, "load of element 5 is outside of its 5 elements");
    expect_trap("    load.i16 s3, r0, s0\n", minus1, 0, TIRB_BOUNDS, "element -1");
    expect_trap("    load.i16 s3, r0, s0\n", least, 0, TIRB_BOUNDS, NULL);
    expect_trap("    store.i16 r0, 5, s0\n", 0, 0, TIRB_BOUNDS, "store of element 5");
    expect_trap("    store.i16 r0, -1, s0\n", 0, 0, TIRB_BOUNDS, NULL);
    expect_trap("    index s0, s1, 1, \"A\"\n", 3, 4, TIRB_OK, NULL);
    expect_trap("    index s0, s1, 1, \"A\"\n", 4, 4, TIRB_BOUNDS,
                "index 4 is out of bounds for dimension 1 of A, whose extent is 4");
    expect_trap("    index s0, s1, 1, \"A\"\n", minus1, 4, TIRB_BOUNDS, "index -1");
    expect_trap("    index s0, s1, 1, \"A\"\n", least, 4, TIRB_BOUNDS, "index -9223372036854775808");
    expect_trap("    index s0, s1, 129, \"A\"\n", 3, 4, TIRB_OK, NULL);
    expect_trap("    index s0, s1, 129, \"A\"\n", minus1, 4, TIRB_BOUNDS,
                "index 18446744073709551615 is out of bounds for dimension 1 of A, whose extent is 4");
    expect_trap("    assert s0, \"ValueError\", \"a must be set\"\n", 1, 0, TIRB_OK, NULL);
    expect_trap("    assert s0, \"ValueError\", \"a must be set\"\n", 256, 0, TIRB_ASSERT, "ValueError: a must be set");
    expect_trap("    div.i32 s3, s0, s1\n", 1, UINT64_C(1) << 32, TIRB_DIVIDE, NULL);
    expect_trap("    mod.i64 s3, s0, s1\n", least, minus1, TIRB_OK, NULL);
    expect_trap("    floormod.i8 s3, s0, s1\n", 1, 0, TIRB_DIVIDE, NULL);
    expect_trap("    slice r0, r0, s0, s1\n", 2, 3, TIRB_OK, NULL);
    expect_trap("    slice r0, r0, s0, s1\n", 2, 4, TIRB_BOUNDS, "a slice of 4 elements from 2 on");
    expect_trap("    slice r0, r0, s0, s1\n", 5, 0, TIRB_OK, NULL);
    expect_trap("    slice r0, r0, s0, s1\n", 6, 0, TIRB_BOUNDS, NULL);
    expect_trap("    slice r0, r0, s0, s1\n", 1, INT64_MAX, TIRB_BOUNDS, NULL);
    expect_trap("    alloc.i16 r0, s0\n", minus1, 0, TIRB_VALUE, "-1 elements");
    expect_trap("    alloc.i16 r0, s0\n", INT64_MAX, 0, TIRB_MEMORY_LIMIT, NULL);
    expect_trap("    trap 14, \"stop here\"\n", 0, 0, TIRB_DIVIDE, "stop here");
}

/* ---- Memory ---------------------------------------------------------------------------------------------------- */

/* Round after round a buffer grows, and a slice of an early one is still written to: it must stay valid, and the new
 * one must be zero. */
static void allocations(void **state) {
    (void)state;
    const char *text =
        ".function \"f\" public returns i64\n.scalars 10\n.ref i32 writable\n.ref i32 writable\n"
        ".scalar \"n\" i64 s0\n    const.i64 s1, 1\n    const.i64 s2, 4\n    const.i64 s9, 77\nagain:\n"
        "    alloc.i32 r0, s2\n    load.i32 s4, r0, 0\n    add.i64 s5, s5, s4\n    load.i32 s4, r0, 3\n"
        "    add.i64 s5, s5, s4\n    store.i32 r0, 0, s1\n    store.i32 r0, 3, s1\n    ne.i64 s4, s3, s6\n"
        "    brif s4, later\n    slice r1, r0, s6, s1\nlater:\n    store.i32 r1, 0, s9\n    load.i32 s7, r1, 0\n"
        "    add.i64 s2, s2, s2\n    loop s3, s0, again\n    add.i64 s5, s5, s7\n    ret.i64 s5\n.end\n";
    harness h;
    harness_open(&h, text);
    uint64_t n = 12;
    outcome out = harness_run(&h, &n, NULL, 0, UINT64_MAX, 1 << 20, 10);
    assert_int_equal(out.status, TIRB_OK);
    assert_int_equal(out.result, 77);
    n = 30;
    assert_int_equal(harness_run(&h, &n, NULL, 0, UINT64_MAX, 1 << 20, 10).status, TIRB_MEMORY_LIMIT);
    harness_close(&h);
}

/* ---- Fuel and stopping ----------------------------------------------------------------------------------------- */

static void fuel_is_exact(void **state) {
    (void)state;
    /* Per call 7 instructions that weigh 1; back-edge: the 2 from its target to itself, 9 times. */
    const char *text = ".function \"f\" public\n.scalars 4\n.scalar \"n\" i64 s0\n    nop\n    nop\nagain:\n"
                       "    add.i64 s1, s1, s0\n    loop s2, s0, again\n    nop\n    nop\n    ret.void\n.end\n";
    harness h;
    harness_open(&h, text);
    uint64_t n = 10;
    outcome out = harness_run(&h, &n, NULL, 0, 1000, UINT64_MAX, 10);
    assert_int_equal(out.status, TIRB_OK);
    assert_int_equal(out.fuel_used, 7 + 9 * 2);
    assert_int_equal(harness_run(&h, &n, NULL, 0, 25, UINT64_MAX, 10).status, TIRB_OK);
    out = harness_run(&h, &n, NULL, 0, 24, UINT64_MAX, 10);
    assert_int_equal(out.status, TIRB_FUEL);
    assert_int_equal(out.fuel_used, 24);
    assert_int_equal(harness_run(&h, &n, NULL, 0, UINT64_MAX, UINT64_MAX, 10).fuel_used, 25);
    assert_int_equal(harness_run(&h, &n, NULL, 0, 0, UINT64_MAX, 10).status, TIRB_FUEL);
    harness_close(&h);
}

/* Whether lanes behind one that traps are charged for the ranges that they go on to, or those of one vadvance before
 * those of another one, is the same on all machines, whose vectors have more or fewer lanes. */
static void ranges_are_charged_alike(void **state) {
    (void)state;
    enum { LANES = 300, ENDS = 40000, TRAPS = 10, FAR = 40, SUMS = 12 };
    static const char *const others[] = {"vload.i32 v1, c1\nvloadx.f32 v2, c4, v1, i32\n",
                                         "vadvance.i64 v1, s2, c5, s3, i64\nvload.f32 v2, c2\n"};
    static const char head[] =
        ".function \"f\" public\n.scalars 4\n.lanes 4\n.ref i64\n.ref i32\n.ref f32\n.ref f32 writable\n.ref f32\n"
        ".ref i64\n.var \"n\" i64 s0\n.tensor \"ends\" i64 r0 read ($0)\n.tensor \"at\" i32 r1 read ($0)\n"
        ".tensor \"x\" f32 r2 read ($0)\n.tensor \"y\" f32 r3 write ($0)\n.tensor \"table\" f32 r4 read ($0)\n"
        ".tensor \"few\" i64 r5 read ($0)\nlane s0, done\n.cursor r0 i64 read 7 0 0\n.cursor r1 i32 read 0 0 1\n"
        ".cursor r2 f32 read 0 0 1\n.cursor r3 f32 write 0 0 1\n.cursor r4 f32 read 7 0 0\n"
        ".cursor r5 i64 read 7 0 0\nvadvance.i64 v0, s1, c0, s3, i64\n";
    int64_t ends[ENDS], few[] = {0, TRAPS};
    int32_t at[LANES] = {[TRAPS] = 9};
    float x[LANES] = {0}, y[LANES], table[8] = {0};
    for (unsigned i = 0; i < ENDS; i++) ends[i] = i + 1 < ENDS ? FAR : LANES;
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        char text[2048];
        harness h;
        int length = snprintf(text, sizeof text, "%s%svload.f32 v3, c2\n", head, others[i]);
        for (unsigned k = 0; k < SUMS; k++)
            length += snprintf(text + length, sizeof text - (size_t)length, "vmul.f32 v3, v3, v2\n"
                                                                            "vadd.f32 v3, v3, v2\n");
        snprintf(text + length, sizeof text - (size_t)length, "vstore.f32 c3, v3\ndone:\nlane.end\nret.void\n.end\n");
        harness_open(&h, text);
        buffer buffers[] = {{ends, ENDS, TIRB_I64}, {at, LANES, TIRB_I32}, {x, LANES, TIRB_F32}, {y, LANES, TIRB_F32},
                            {table, 8, TIRB_F32},   {few, 2, TIRB_I64}};
        const uint64_t n = LANES;
        memset(y, 0, sizeof y);
        const outcome out = harness_run(&h, &n, buffers, 6, 500, UINT64_MAX, 10);
        assert_int_not_equal(out.status, TIRB_OK);
        harness_close(&h);
    }
}

/* The number of a range is of its own type, whatever elements say where ranges end: also where lanes of it are widened
 * on their way to what computes with them. */
static void numbers_of_ranges(void **state) {
    (void)state;
    enum { LANES = 300, ENDS = 40 };
    static const char *const types[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
    static const uint8_t kinds[] = {TIRB_I8, TIRB_I16, TIRB_I32, TIRB_I64, TIRB_U8, TIRB_U16, TIRB_U32, TIRB_U64};
    const uint64_t n = LANES;
    for (unsigned i = 0; i < 64; i++) {
        const char *const of_ends = types[i / 8], *const of_numbers = types[i % 8];
        const unsigned size = tirbi_dtypes[kinds[i / 8]].size;
        char text[1024];
        harness h;
        snprintf(text, sizeof text,
                 ".function \"f\" public\n.scalars 4\n.lanes 3\n.ref %s\n.ref f64 writable\n.var \"n\" i64 s0\n"
                 ".tensor \"ends\" %s r0 read ($0)\n.tensor \"y\" f64 r1 write ($0)\nconst64 s3, "
                 "4609434218613702656\nlane s0, done\n.cursor r0 %s read 7 0 0\n.cursor r1 f64 write 0 0 1\n"
                 "vadvance.%s v0, s1, c0, s2, %s\nvcast.f64 v1, v0, %s\nvsplat.f64 v2, s3\nvmul.f64 v1, v1, v2\n"
                 "vadd.f64 v1, v1, v2\nvstore.f64 c1, v1\ndone:\nlane.end\nret.void\n.end\n",
                 of_ends, of_ends, of_ends, of_ends, of_numbers, of_numbers);
        harness_open(&h, text);
        uint8_t ends[ENDS * 8] = {0};
        double y[LANES] = {0};
        const unsigned lowest = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? size - 1 : 0;
        for (unsigned k = 0; k < ENDS; k++) ends[k * size + lowest] = (uint8_t)(3 * k);
        buffer buffers[] = {{ends, ENDS, kinds[i / 8]}, {y, LANES, TIRB_F64}};
        const uint64_t few = 3 * (ENDS - 1);
        assert_int_equal(harness_call(&h, &few, buffers, 2).status, TIRB_OK);
        for (unsigned k = 0; k < few; k++) assert_true(y[k] == 1.5 * (k / 3) + 1.5);
        assert_int_equal(harness_call(&h, &n, buffers, 2).status, TIRB_BOUNDS);
        harness_close(&h);
    }
}

/* Loops inside of one go back to different heads in turn, each a few times or never: no other head is gone to, and each
 * time is charged, wherever the fuel at hand ends. */
static void heads_in_turn(void **state) {
    (void)state;
    const char *text = ".function \"f\" public returns i32\n.scalars 9\n.scalar \"n\" i64 s0\n    const.i32 s3, 1\n"
                       "    const.i32 s5, -1\nouter:\n    cast.i32 s4, s1, i64\nfirst:\n    gt.i32 s7, s4, s6\n"
                       "    brnot s7, behind\n    add.i32 s2, s2, s4\n    add.i32 s4, s4, s5\n    back first\nbehind:\n"
                       "    const.i64 s8, 0\nsecond:\n    add.i32 s2, s2, s3\n    loop s8, s0, second\n"
                       "    loop s1, s0, outer\n    ret.i32 s2\n.end\n";
    harness h;
    harness_open(&h, text);
    for (uint64_t n = 1; n < 40; n += 1 + n / 6) {
        const uint64_t used = 13 + 5 * (n * (n - 1) / 2) + 2 * n * (n - 1) + 10 * (n - 1);
        const outcome all = harness_run(&h, &n, NULL, 0, UINT64_MAX, UINT64_MAX, 10);
        assert_int_equal(all.status, TIRB_OK);
        assert_int_equal(all.result, n * (n + 1) * (n - 1) / 6 + n * n);
        assert_int_equal(all.fuel_used, used);
        assert_int_equal(harness_run(&h, &n, NULL, 0, used, UINT64_MAX, 10).status, TIRB_OK);
        for (uint64_t limit = n % 7; limit < used; limit += 1 + used / 50) {
            const outcome out = harness_run(&h, &n, NULL, 0, limit, UINT64_MAX, 10);
            assert_int_equal(out.status, TIRB_FUEL);
            assert_int_equal(out.fuel_used, limit);
        }
    }
    harness_close(&h);
}

static const char *const nest =
    ".function \"f\" public\n.scalars 5\n.lanes 2\n.ref f32 writable\n.tensor \"A\" f32 r0 read write ($0)\n"
    ".scalar \"n\" i64 s0\n.scalar \"k\" i64 s1\n.var \"m\" i64 s2\n    lane s0, done\n    .inner s1 s3\n"
    "    .cursor r0 f32 readwrite 0 0 1 0\n    vload.f32 v0, c0\n    inner l0\n    vadd.f32 v0, v0, v0\n    inner.end "
    "l0\n"
    "    vstore.f32 c0, v0\ndone:\n    lane.end\n    ret.void\n.end\n";

static void fuel_of_lane_loops(void **state) {
    (void)state;
    harness h;
    harness_open(&h, nest);
    static float data[1000];
    buffer b = {data, 1000, TIRB_F32};
    const int64_t shapes[][2] = {{0, 5}, {1, 5}, {64, 5}, {65, 5}, {1000, 0}, {1000, -3}, {1000, 100}};
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        uint64_t n = (uint64_t)shapes[i][0], k = shapes[i][1] > 0 ? (uint64_t)shapes[i][1] : 0;
        outcome out = harness_run(&h, (uint64_t[]){n, (uint64_t)shapes[i][1], 1000}, &b, 1, UINT64_MAX, UINT64_MAX, 10);
        assert_int_equal(out.status, TIRB_OK);
        assert_int_equal(out.fuel_used, 10 + (n + 63) / 64 * (2 + 3 * k));
    }
    outcome out = harness_run(&h, (uint64_t[]){1000, INT64_MAX, 1000}, &b, 1, 1000000, UINT64_MAX, 10);
    assert_int_equal(out.status, TIRB_FUEL);
    assert_int_equal(out.fuel_used, 1000000);
    harness_close(&h);
}

static void stopping(void **state) {
    (void)state;
    harness h;
    harness_open(&h, nest);
    float data[100] = {0};
    for (unsigned isa = 0; isa < h.n_isas; isa++) {
        tirbi_ref ref = {.data = (uint8_t *)data, .size = sizeof data, .type = TIRB_F32, .writable = true};
        uint64_t scalars[3] = {100, 100, 100};
        assert_int_equal(harness_run_one(&h, isa, scalars, &ref, UINT64_MAX, UINT64_MAX, 10, TIRBI_STOP_CANCEL).status,
                         TIRB_CANCELLED);
        assert_int_equal(
            harness_run_one(&h, isa, scalars, &ref, UINT64_MAX, UINT64_MAX, 10, TIRBI_STOP_DEADLINE).status,
            TIRB_DEADLINE);
    }
    harness_close(&h);
}

static void host_rounding_is_restored(void **state) {
    (void)state;
    harness h;
    harness_open(&h, ".function \"f\" public returns f64\n.scalars 3\n.scalar \"a\" f64 s0\n.scalar \"b\" f64 s1\n"
                     "    div.f64 s2, s0, s1\n    ret.f64 s2\n.end\n");
    uint64_t scalars[2] = {bits64(1.0), bits64(3.0)};
    fesetround(FE_UPWARD);
    outcome out = harness_call(&h, scalars, NULL, 0);
    int mode = fegetround();
    fesetround(FE_TONEAREST);
    assert_int_equal(mode, FE_UPWARD);
    assert_int_equal(out.result, bits64(1.0 / 3.0));
    harness_close(&h);
}

/* ---- Reductions ------------------------------------------------------------------------------------------------ */

/* The tree of rule R3 (tests/reference/RULES.md), on plain arrays. */
static float tree_of(unsigned op, float entry, const float *x, size_t n) {
    float running = entry;
    for (size_t base = 0; base < n; base += 16384) {
        float part[64];
        for (unsigned j = 0; j < 64; j++) part[j] = op == 0 ? 0.0f : op == 1 ? 1.0f : op == 2 ? INFINITY : -INFINITY;
        for (size_t i = base; i < n && i < base + 16384; i++) {
            float *p = &part[(i - base) % 64];
            *p = op == 0   ? *p + x[i]
                 : op == 1 ? *p * x[i]
                 : op == 2 ? (*p < x[i] ? *p : x[i])
                           : (*p > x[i] ? *p : x[i]);
        }
        for (unsigned half = 32; half > 0; half /= 2)
            for (unsigned j = 0; j < half; j++) {
                float a = part[j], b = part[j + half];
                part[j] = op == 0 ? a + b : op == 1 ? a * b : op == 2 ? (a < b ? a : b) : (a > b ? a : b);
            }
        float a = running, b = part[0];
        running = op == 0 ? a + b : op == 1 ? a * b : op == 2 ? (a < b ? a : b) : (a > b ? a : b);
    }
    return running;
}

static void reductions(void **state) {
    (void)state;
    static const char *const names[] = {"add", "mul", "min", "max"};
    static float x[40000];
    for (unsigned i = 0; i < 40000; i++) x[i] = 1.0f + (float)((i * 7919u) % 1009u) / 100000.0f;
    const size_t sizes[] = {0, 1, 63, 64, 65, 200, 1000, 16383, 16384, 16385, 33000};
    for (unsigned op = 0; op < 4; op++) {
        char text[1024];
        /* One element by hand before the loop, so that the loop starts in the middle of a round. */
        snprintf(
            text, sizeof text,
            ".function \"f\" public returns f32\n.scalars 5\n.lanes 1\n.ref f32\n.red f32 %s\n"
            ".tensor \"x\" f32 r0 read ($0)\n.scalar \"entry\" f32 s0\n.scalar \"first\" i64 s1\n.scalar \"n\" i64 s2\n"
            ".var \"m\" i64 s3\n    red.begin.f32 q0, s0\n    brnot s1, go\n    load.f32 s4, r0, 0\n"
            "    red.push.f32 q0, s4\ngo:\n    lane s2, done\n    .cursor r0 f32 read 0 s1 1\n"
            "    vload.f32 v0, c0\n    vred.f32 q0, v0\ndone:\n    lane.end\n    red.end.f32 s4, q0\n"
            "    ret.f32 s4\n.end\n",
            names[op]);
        harness h;
        harness_open(&h, text);
        for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            for (unsigned first = 0; first < 2 && first <= sizes[i]; first++) {
                buffer b = {x, sizes[i], TIRB_F32};
                uint64_t scalars[4] = {bits32(-0.0f), first, sizes[i] - first, sizes[i]};
                outcome out = harness_call(&h, scalars, &b, 1);
                assert_int_equal(out.status, TIRB_OK);
                assert_int_equal(out.result, bits32(tree_of(op, -0.0f, x, sizes[i])));
            }
        }
        harness_close(&h);
    }
}

/* ---- Lane loops ------------------------------------------------------------------------------------------------ */

static const char *const saxpy =
    ".function \"saxpy\" public\n.scalars 2\n.lanes 3\n.ref f32\n.ref f32 writable\n.tensor \"x\" f32 r0 read ($0)\n"
    ".tensor \"y\" f32 r1 read write ($0)\n.scalar \"a\" f32 s1\n.var \"n\" i64 s0\n    lane s0, done\n"
    "    .cursor r0 f32 read 0 0 1\n    .cursor r1 f32 readwrite 0 0 1\n    vload.f32 v0, c0\n    vload.f32 v1, c1\n"
    "    vsplat.f32 v2, s1\n    vfma.f32 v1, v2, v0, v1\n    vstore.f32 c1, v1\ndone:\n    lane.end\n    "
    "ret.void\n.end\n";

static void every_tail(void **state) {
    (void)state;
    harness h;
    harness_open(&h, saxpy);
    for (size_t n = 0; n <= 300; n++) {
        float x[300], y[300], expected[300];
        for (size_t i = 0; i < n; i++) {
            x[i] = (float)i * 0.37f;
            y[i] = 1.0f / (float)(i + 1);
            expected[i] = fmaf(2.5f, x[i], y[i]);
        }
        buffer b[2] = {{x, n, TIRB_F32}, {y, n, TIRB_F32}};
        assert_int_equal(harness_call(&h, (uint64_t[]){bits32(2.5f), n}, b, 2).status, TIRB_OK);
        assert_memory_equal(y, expected, n * sizeof(float));
    }
    harness_close(&h);
}

static void matrix_products(void **state) {
    (void)state;
    const char *text =
        ".function \"mm\" public\n.scalars 7\n.lanes 4\n.ref f32\n.ref f32\n.ref f32 writable\n"
        ".tensor \"A\" f32 r0 read ($0 $1)\n.tensor \"B\" f32 r1 read ($1 $2)\n.tensor \"C\" f32 r2 write ($0 $2)\n"
        ".var \"m\" i64 s0\n.var \"k\" i64 s1\n.var \"n\" i64 s2\n    lt.i64 s5, s3, s0\n    brnot s5, end\nagain:\n"
        "    mul.i64 s4, s3, s1\n    mul.i64 s5, s3, s2\n    lane s2, done\n    .inner s1\n"
        "    .cursor r0 f32 read 1 s4 0 1\n    .cursor r1 f32 read 1 0 1 s2\n    .cursor r2 f32 write 0 s5 1 0\n"
        "    vsplat.f32 v0, s6\n    inner l0\n    vload.f32 v1, c0\n    vload.f32 v2, c1\n    vfma.f32 v0, v1, v2, v0\n"
        "    inner.end l0\n    vstore.f32 c2, v0\ndone:\n    lane.end\n    loop s3, s0, again\nend:\n    "
        "ret.void\n.end\n";
    harness h;
    harness_open(&h, text);
    static float a[3 * 6], b[6 * 330], c[3 * 330], expected[3 * 330];
    for (size_t m = 0; m < 3; m++) {
        for (size_t k = 0; k < 6; k++) {
            for (size_t n = 0; n < 330; n += 7) {
                for (size_t i = 0; i < m * k; i++) a[i] = (float)((i * 37) % 11) * 0.3f - 1;
                for (size_t i = 0; i < k * n; i++) b[i] = (float)((i * 17) % 23) * 0.7f - 3;
                for (size_t i = 0; i < m * n; i++) {
                    float s = 0;
                    for (size_t q = 0; q < k; q++) s = fmaf(a[i / n * k + q], b[q * n + i % n], s);
                    expected[i] = s;
                    c[i] = -1;
                }
                buffer bs[3] = {{a, m * k, TIRB_F32}, {b, k * n, TIRB_F32}, {c, m * n, TIRB_F32}};
                assert_int_equal(harness_call(&h, (uint64_t[]){m, k, n}, bs, 3).status, TIRB_OK);
                assert_memory_equal(c, expected, m * n * sizeof(float));
            }
        }
    }
    harness_close(&h);
}

/* What is read behind a store is what it has stored, in blocks that are not whole as well: a cursor for loads and one
 * for stores name the same elements. */
static void loads_behind_stores(void **state) {
    (void)state;
    harness h;
    harness_open(&h,
                 ".function \"f\" public\n.scalars 1\n.lanes 4\n.ref f32 writable\n.ref f32 writable\n"
                 ".tensor \"A\" f32 r0 read write ($0)\n.tensor \"B\" f32 r1 write ($0)\n.var \"n\" i64 s0\n"
                 "    lane s0, done\n    .cursor r0 f32 read 0 0 1\n    .cursor r0 f32 write 0 0 1\n"
                 "    .cursor r1 f32 write 0 0 1\n    vload.f32 v0, c0\n    vadd.f32 v1, v0, v0\n"
                 "    vstore.f32 c1, v1\n    vload.f32 v2, c0\n    vmul.f32 v3, v2, v2\n    vstore.f32 c2, v3\n"
                 "    vload.f32 v0, c0\n    vsub.f32 v0, v0, v3\n    vstore.f32 c1, v0\ndone:\n    lane.end\n"
                 "    ret.void\n.end\n");
    static float a[300], b[300], of_a[300], of_b[300];
    for (size_t n = 0; n < 300; n += n < 70 ? 1 : 23) {
        for (size_t i = 0; i < n; i++) {
            a[i] = (float)((i * 37) % 11) - 4;
            of_b[i] = 4 * a[i] * a[i];
            of_a[i] = 2 * a[i] - of_b[i];
        }
        buffer bs[2] = {{a, n, TIRB_F32}, {b, n, TIRB_F32}};
        assert_int_equal(harness_call(&h, (uint64_t[]){n}, bs, 2).status, TIRB_OK);
        assert_memory_equal(a, of_a, n * sizeof *a);
        assert_memory_equal(b, of_b, n * sizeof *b);
    }
    harness_close(&h);
}

/* A copy from one cursor to another of the same buffer, both given by start and step, and an inner loop for each. */
static tirb_status copy_status(int64_t from, int64_t from_step, int64_t from_inner, int64_t to, int64_t to_step,
                               int64_t to_inner, int64_t n, int64_t k, size_t size) {
    char text[1024];
    snprintf(
        text, sizeof text,
        ".function \"f\" public\n.scalars 9\n.lanes 1\n.ref i32 writable\n.tensor \"A\" i32 r0 read write ($0)\n"
        ".scalar \"a\" i64 s0\n.scalar \"b\" i64 s1\n.scalar \"c\" i64 s2\n.scalar \"d\" i64 s3\n"
        ".scalar \"e\" i64 s4\n.scalar \"g\" i64 s5\n.scalar \"n\" i64 s6\n.scalar \"k\" i64 s7\n.var \"m\" i64 s8\n"
        "    lane s6, done\n    .inner s7\n    .cursor r0 i32 read 1 s0 s1 s2\n    .cursor r0 i32 write 1 s3 s4 s5\n"
        "    inner l0\n    vload.i32 v0, c0\n    vstore.i32 c1, v0\n    inner.end l0\ndone:\n    lane.end\n"
        "    ret.void\n.end\n");
    harness h;
    harness_open(&h, text);
    int32_t *data = calloc(size + 1, sizeof *data);
    int32_t *expected = calloc(size + 1, sizeof *data);
    for (size_t i = 0; i < size; i++) data[i] = expected[i] = (int32_t)i;
    buffer b = {data, size, TIRB_I32};
    uint64_t scalars[9] = {(uint64_t)from, (uint64_t)from_step, (uint64_t)from_inner, (uint64_t)to, (uint64_t)to_step,
                           (uint64_t)to_inner, (uint64_t)n, (uint64_t)k, size};
    outcome out = harness_call(&h, scalars, &b, 1);
    if (out.status == TIRB_OK) {
        for (int64_t e = 0; e < n; e++)
            for (int64_t i = 0; i < k; i++)
                expected[to + e * to_step + i * to_inner] = expected[from + e * from_step + i * from_inner];
        assert_memory_equal(data, expected, size * sizeof *data);
    }
    free(data);
    free(expected);
    harness_close(&h);
    return out.status;
}

/* Whether lanes of a cursor that come to what earlier lanes of another one reach do so later in the body. */
static bool is_forwards(int64_t earlier, int64_t later, int64_t step, int64_t n) {
    const int64_t lanes = (earlier - later) / step;
    return (earlier - later) % step != 0 || lanes >= n || lanes >= 0 || -lanes >= n;
}

/* A body that loads, stores, loads and stores elements of one array, and keeps what it loaded last, in blocks of any
 * size, against lanes one after the other: where lanes meet, it is forwards, or the loop traps. */
static void lanes_meet_forwards(void **state) {
    (void)state;
    enum { SIZE = 900, MIDDLE = 450 };
    static const int64_t lanes[] = {1, 2, 7, 16, 63, 64, 65, 200}, steps[] = {1, -1, 2, -2};
    static int32_t data[SIZE], expected[SIZE], kept[SIZE], of_kept[SIZE];
    harness h;
    harness_open(&h,
                 ".function \"f\" public\n.scalars 8\n.lanes 5\n.ref i32 writable\n.ref i32 writable\n"
                 ".tensor \"A\" i32 r0 read write ($0)\n.tensor \"B\" i32 r1 write ($1)\n"
                 ".scalar \"a\" i64 s0\n.scalar \"b\" i64 s1\n.scalar \"c\" i64 s2\n.scalar \"d\" i64 s3\n"
                 ".scalar \"step\" i64 s4\n.scalar \"n\" i64 s5\n.var \"m\" i64 s6\n.var \"k\" i64 s7\n"
                 "    lane s5, done\n    .cursor r0 i32 read 0 s0 s4\n    .cursor r0 i32 write 0 s1 s4\n"
                 "    .cursor r0 i32 read 0 s2 s4\n    .cursor r0 i32 write 0 s3 s4\n    .cursor r1 i32 write 0 0 1\n"
                 "    vload.i32 v0, c0\n    vadd.i32 v1, v0, v0\n    vstore.i32 c1, v1\n    vload.i32 v2, c2\n"
                 "    vsub.i32 v3, v2, v0\n    vstore.i32 c3, v3\n    vstore.i32 c4, v2\ndone:\n    lane.end\n"
                 "    ret.void\n.end\n");
    for (unsigned round = 0; round < 6000; round++) {
        const int64_t n = lanes[round % 8], step = steps[round / 8 % 4];
        int64_t at[4];
        for (unsigned i = 0; i < 4; i++) at[i] = MIDDLE + (int64_t)((round * 2654435761u >> (5 * i + 3)) % 9) - 4;
        for (size_t i = 0; i < SIZE; i++) data[i] = expected[i] = (int32_t)(i * 7919 % 1000);
        for (int64_t e = 0; e < n; e++) {
            const uint32_t first = (uint32_t)expected[at[0] + e * step];
            expected[at[1] + e * step] = (int32_t)(2 * first);
            of_kept[e] = expected[at[2] + e * step];
            expected[at[3] + e * step] = (int32_t)((uint32_t)of_kept[e] - first);
        }
        bool forwards = true;
        for (unsigned i = 0; i < 4; i++)
            for (unsigned k = i + 1; k < 4; k++)
                forwards = forwards && ((i == 0 && k == 2) || is_forwards(at[i], at[k], step, n));
        buffer bs[2] = {{data, SIZE, TIRB_I32}, {kept, (size_t)n, TIRB_I32}};
        const uint64_t scalars[] = {(uint64_t)at[0], (uint64_t)at[1], (uint64_t)at[2], (uint64_t)at[3],
                                    (uint64_t)step,  (uint64_t)n,     SIZE,            (uint64_t)n};
        const tirb_status status = harness_call(&h, scalars, bs, 2).status;
        assert_int_equal(status, forwards ? TIRB_OK : TIRB_OVERLAP);
        if (status != TIRB_OK) continue;
        assert_memory_equal(data, expected, sizeof data);
        assert_memory_equal(kept, of_kept, (size_t)n * sizeof *kept);
    }
    harness_close(&h);
}

static void bounds_of_cursors(void **state) {
    (void)state;
    assert_int_equal(copy_status(0, 1, 0, 50, 1, 0, 50, 1, 100), TIRB_OK);
    assert_int_equal(copy_status(0, 1, 0, 51, 1, 0, 50, 1, 100), TIRB_BOUNDS);
    assert_int_equal(copy_status(-1, 1, 0, 50, 1, 0, 50, 1, 100), TIRB_BOUNDS);
    assert_int_equal(copy_status(49, -1, 0, 50, 1, 0, 50, 1, 100), TIRB_OK);
    assert_int_equal(copy_status(48, -1, 0, 50, 1, 0, 50, 1, 100), TIRB_BOUNDS);
    assert_int_equal(copy_status(0, INT64_MAX, 0, 50, 1, 0, 3, 1, 100), TIRB_BOUNDS);
    assert_int_equal(copy_status(0, INT64_MAX, 0, 50, INT64_MIN, INT64_MAX, 1, 1, 100), TIRB_OK);
    assert_int_equal(copy_status(INT64_MAX, INT64_MAX, INT64_MAX, 50, 1, 1, 3, 0, 100), TIRB_OK);
    assert_int_equal(copy_status(INT64_MAX, 1, 1, 50, 1, 1, 0, 5, 100), TIRB_OK);
    assert_int_equal(copy_status(INT64_MAX, 1, 1, 50, 1, 1, -1, 5, 100), TIRB_OK);
    assert_int_equal(copy_status(0, 1, 1, 50, 1, 100, 10, 2, 160), TIRB_OK);
    assert_int_equal(copy_status(0, 1, 1, 50, 1, 101, 10, 2, 160), TIRB_BOUNDS);
    assert_int_equal(copy_status(0, 1, 0, 0, 1, 0, 1, 1, 0), TIRB_BOUNDS);
}

static void overlap_of_cursors(void **state) {
    (void)state;
    assert_int_equal(copy_status(0, 1, 0, 0, 1, 0, 100, 1, 100), TIRB_OK);     /* the same elements */
    assert_int_equal(copy_status(0, 1, 0, 1, 1, 0, 99, 1, 100), TIRB_OVERLAP); /* shifted by one */
    assert_int_equal(copy_status(1, 1, 0, 0, 1, 0, 99, 1, 100), TIRB_OVERLAP);
    assert_int_equal(copy_status(0, 2, 0, 1, 2, 0, 50, 1, 100), TIRB_OK);  /* interleaved */
    assert_int_equal(copy_status(0, 2, 0, 1, -2, 0, 1, 1, 100), TIRB_OK);  /* one lane */
    assert_int_equal(copy_status(0, 2, 0, 99, -2, 0, 50, 1, 100), TIRB_OK);
    assert_int_equal(copy_status(0, 0, 0, 5, 1, 0, 50, 1, 100), TIRB_OK);  /* an element before those written */
    assert_int_equal(copy_status(5, 0, 0, 0, 1, 0, 50, 1, 100), TIRB_OVERLAP);
    assert_int_equal(copy_status(0, 1, 0, 50, 0, 0, 50, 1, 100), TIRB_OVERLAP); /* all lanes write one */
    assert_int_equal(copy_status(0, 1, 0, 50, 0, 0, 1, 1, 100), TIRB_OK);
    assert_int_equal(copy_status(0, 1, 0, 50, 1, 1, 10, 3, 100), TIRB_OVERLAP); /* lanes write each other's */
    assert_int_equal(copy_status(0, 1, 10, 50, 1, 10, 10, 3, 100), TIRB_OK);
    assert_int_equal(copy_status(0, 1, 20, 10, 1, 20, 10, 5, 100), TIRB_OK);    /* two columns of a matrix */
    assert_int_equal(copy_status(0, 1, 20, 9, 1, 20, 10, 5, 100), TIRB_OVERLAP);
    assert_int_equal(copy_status(0, 1, 20, 0, 1, 20, 20, 5, 100), TIRB_OK);
    assert_int_equal(copy_status(0, 20, 1, 5, 20, 0, 5, 10, 100), TIRB_OK); /* each lane in a row of its own */
    assert_int_equal(copy_status(19, 20, -1, 0, 20, 0, 5, 20, 100), TIRB_OK);
    assert_int_equal(copy_status(0, 20, 1, 20, 20, 0, 4, 20, 100), TIRB_OVERLAP); /* the row of the next lane */
    assert_int_equal(copy_status(0, 20, 1, 25, 20, 0, 3, 21, 100), TIRB_OVERLAP);
    assert_int_equal(copy_status(0, 20, 1, 5, -20, 0, 1, 10, 100), TIRB_OVERLAP);
}

enum { NO_ROWS = -7 };

/* Twice what one cursor reads goes to another one of the same buffer, in rows around the lanes. */
static tirb_status double_rows(int64_t from, int64_t from_step, int64_t from_row, int64_t to, int64_t to_step,
                               int64_t to_row, int64_t n, int64_t rows, size_t size) {
    static const char text[] =
        ".function \"f\" public\n.scalars 9\n.lanes 1\n.ref i32 writable\n.tensor \"A\" i32 r0 read write ($0)\n"
        ".scalar \"a\" i64 s0\n.scalar \"b\" i64 s1\n.scalar \"c\" i64 s2\n.scalar \"d\" i64 s3\n"
        ".scalar \"n\" i64 s4\n.scalar \"g\" i64 s6\n.scalar \"h\" i64 s7\n.scalar \"k\" i64 s8\n.var \"m\" i64 s5\n"
        "    lane s4, done\n    .inner s8\n    .cursor r0 i32 read 1 s0 s1 s6\n    .cursor r0 i32 write 1 s2 s3 s7\n"
        "    inner l0\n    vload.i32 v0, c0\n    vadd.i32 v0, v0, v0\n    vstore.i32 c1, v0\n    inner.end l0\n"
        "done:\n    lane.end\n    ret.void\n.end\n";
    static const char without[] =
        ".function \"f\" public\n.scalars 6\n.lanes 1\n.ref i32 writable\n.tensor \"A\" i32 r0 read write ($0)\n"
        ".scalar \"a\" i64 s0\n.scalar \"b\" i64 s1\n.scalar \"c\" i64 s2\n.scalar \"d\" i64 s3\n"
        ".scalar \"n\" i64 s4\n.var \"m\" i64 s5\n"
        "    lane s4, done\n    .cursor r0 i32 read 0 s0 s1\n    .cursor r0 i32 write 0 s2 s3\n"
        "    vload.i32 v0, c0\n    vadd.i32 v0, v0, v0\n    vstore.i32 c1, v0\ndone:\n    lane.end\n    "
        "ret.void\n.end\n";
    harness h;
    harness_open(&h, rows == NO_ROWS ? without : text);
    int32_t *data = calloc(size + 1, sizeof *data);
    int32_t *expected = calloc(size + 1, sizeof *data);
    for (size_t i = 0; i < size; i++) data[i] = expected[i] = (int32_t)i;
    buffer b = {data, size, TIRB_I32};
    uint64_t scalars[9] = {(uint64_t)from, (uint64_t)from_step, (uint64_t)to, (uint64_t)to_step, (uint64_t)n,
                           (uint64_t)from_row, (uint64_t)to_row, (uint64_t)rows, size};
    if (rows == NO_ROWS) scalars[5] = size;
    outcome out = harness_call(&h, scalars, &b, 1);
    for (int64_t r = 0; out.status == TIRB_OK && r < (rows == NO_ROWS ? 1 : rows); r++)
        for (int64_t e = 0; e < n; e++)
            expected[to + e * to_step + r * to_row] = 2 * expected[from + e * from_step + r * from_row];
    assert_memory_equal(data, expected, size * sizeof *data);
    free(data);
    free(expected);
    harness_close(&h);
    return out.status;
}

static tirb_status double_status(int64_t from, int64_t from_step, int64_t to, int64_t to_step, int64_t n, size_t size) {
    return double_rows(from, from_step, 0, to, to_step, 0, n, NO_ROWS, size);
}

/* Loops without loops inside, and rows that are joined: what is entered in one pass, and what is like it. */
static void plain_entries(void **state) {
    (void)state;
    for (int64_t n = 1; n < 70; n += 3) {
        int64_t all = 5 * n;
        assert_int_equal(double_rows(0, 1, n, 0, 1, n, n, 5, (size_t)all), TIRB_OK);
        assert_int_equal(double_rows(0, 1, n, all, 1, n, n, 5, 2 * (size_t)all), TIRB_OK);
        assert_int_equal(double_rows(0, 1, n, all, 1, n, n, 5, 2 * (size_t)all - 1), TIRB_BOUNDS);
        assert_int_equal(double_rows(0, 1, n, all, 1, n, n, 0, 1), TIRB_OK);
        assert_int_equal(double_rows(0, 1, n, all, 1, n + 1, n, 5, 2 * (size_t)all + 4), TIRB_OK);
        assert_int_equal(double_rows(0, 1, 0, n, 1, n, n, 5, (size_t)n + (size_t)all), TIRB_OK); /* one row for all */
        assert_int_equal(double_rows(0, 1, n, 1, 1, n, n, 5, (size_t)all + 1), TIRB_OVERLAP);
        assert_int_equal(double_rows(0, 1, n, all, 1, 0, n, 5, (size_t)all + (size_t)n),
                         TIRB_OK); /* the last row stays */
        assert_int_equal(double_rows(0, 2, 2 * n, 1, 2, 2 * n, n, 5, 2 * (size_t)all), TIRB_OK);
    }
    assert_int_equal(double_rows(0, INT64_C(1) << 62, 0, 5, 1, 4, 4, 2, 100), TIRB_BOUNDS);
    static const int64_t counts[] = {1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 300};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        int64_t n = counts[k];
        size_t size = (size_t)n;
        assert_int_equal(double_status(0, 1, 0, 1, n, size), TIRB_OK); /* each once, though it is read and written */
        assert_int_equal(double_status(0, 1, n, 1, n, 2 * size), TIRB_OK);
        assert_int_equal(double_status(n, 1, 0, 1, n, 2 * size), TIRB_OK);
        assert_int_equal(double_status(0, 1, n, 1, n, 2 * size - 1), TIRB_BOUNDS);
        assert_int_equal(double_status(1, 1, n, 1, n, 2 * size - 1), TIRB_BOUNDS);
        assert_int_equal(double_status(n, 1, -1, 1, n, 3 * size), TIRB_BOUNDS);
        assert_int_equal(double_status(0, 2, 1, 2, n, 2 * size), TIRB_OK); /* interleaved */
        assert_int_equal(double_status(n - 1, -1, n, 1, n, 2 * size), TIRB_OK);
        assert_int_equal(double_status(0, 0, 1, 1, n, size + 1), TIRB_OK);
        assert_int_equal(double_status(0, 1, 1, 1, n, size + 1), n > 1 ? TIRB_OVERLAP : TIRB_OK);
        assert_int_equal(double_status(1, 1, 0, 1, n, size + 1), TIRB_OK); /* read before it is written */
        assert_int_equal(double_status(0, 1, 0, 2, n, 2 * size), n > 1 ? TIRB_OVERLAP : TIRB_OK);
        assert_int_equal(double_status(0, 1, n, 0, n, size + 1), n > 1 ? TIRB_OVERLAP : TIRB_OK); /* all write one */
        assert_int_equal(double_status(INT64_MAX, 1, 0, 1, n, size), TIRB_BOUNDS);
        assert_int_equal(double_status(0, INT64_MAX, n, 1, n, 2 * size), n > 1 ? TIRB_BOUNDS : TIRB_OK);
    }
    assert_int_equal(double_status(0, (INT64_MAX >> 1) + 1, 5, 1, 5, 100), TIRB_BOUNDS);
    assert_int_equal(double_status(0, INT64_C(1) << 62, 5, 1, 5, 100),
                     TIRB_BOUNDS); /* four of which are 0 modulo 2^64 */
    assert_int_equal(double_status(0, 1, 0, 1, 1, 0), TIRB_BOUNDS);
    assert_int_equal(double_status(INT64_MAX, 1, INT64_MIN, 1, 0, 0), TIRB_OK);
    assert_int_equal(double_status(0, 1, 0, 1, -1, 10), TIRB_OK);
}

static void division_in_lanes(void **state) {
    (void)state;
    const char *text = ".function \"f\" public\n.scalars 1\n.lanes 2\n.ref i32\n.ref i32 writable\n"
                       ".tensor \"a\" i32 r0 read ($0)\n.tensor \"b\" i32 r1 read write ($0)\n.var \"n\" i64 s0\n"
                       "    lane s0, done\n    .cursor r0 i32 read 0 0 1\n    .cursor r1 i32 readwrite 0 0 1\n"
                       "    vload.i32 v0, c0\n    vload.i32 v1, c1\n    vdiv.i32 v0, v1, v0\n    vstore.i32 c1, v0\n"
                       "done:\n    lane.end\n    ret.void\n.end\n";
    harness h;
    harness_open(&h, text);
    static int32_t a[600], b[600];
    for (size_t n = 1; n < 600; n += 37) {
        for (size_t i = 0; i < 600; i++) {
            a[i] = i < n ? 3 : 0;
            b[i] = (int32_t)i - 300;
        }
        buffer bs[2] = {{a, n, TIRB_I32}, {b, n, TIRB_I32}};
        uint64_t extent = n;
        assert_int_equal(harness_call(&h, &extent, bs, 2).status, TIRB_OK);
        for (size_t i = 0; i < n; i++) assert_int_equal(b[i], ((int32_t)i - 300) / 3);
        a[n - 1] = 0;
        outcome out = harness_call(&h, &extent, bs, 2);
        assert_int_equal(out.status, TIRB_DIVIDE);
        assert_true(out.trap_offset > 0);
    }
    harness_close(&h);
}

/* A NaN of any bits in memory is canonical once a lane loop has stored it as a float, and survives as an integer. */
static void canonical_nans(void **state) {
    (void)state;
    for (unsigned as_float = 0; as_float < 2; as_float++) {
        const char *type = as_float ? "f32" : "u32";
        char text[512];
        snprintf(text, sizeof text,
                 ".function \"f\" public\n.scalars 1\n.lanes 1\n.ref %s writable\n.tensor \"a\" %s r0 read write ($0)\n"
                 ".var \"n\" i64 s0\n    lane s0, done\n    .cursor r0 %s readwrite 0 0 1\n    vload.%s v0, c0\n"
                 "    vstore.%s c0, v0\ndone:\n    lane.end\n    ret.void\n.end\n",
                 type, type, type, type, type);
        harness h;
        harness_open(&h, text);
        uint32_t data[200];
        for (uint32_t i = 0; i < 200; i++) data[i] = 0xff800000u + i;
        buffer b = {data, 200, as_float ? TIRB_F32 : TIRB_U32};
        uint64_t n = 200;
        assert_int_equal(harness_call(&h, &n, &b, 1).status, TIRB_OK);
        for (uint32_t i = 0; i < 200; i++)
            assert_int_equal(data[i], as_float && i > 0 ? 0x7fc00000u : 0xff800000u + i);
        harness_close(&h);
    }
}

/* An allocation refused anywhere leaves nothing behind. */
typedef struct refusing {
    unsigned calls;
    unsigned refuse;
    int live;
} refusing;

static void *refuse_one(void *context, void *ptr, size_t old_size, size_t new_size) {
    refusing *r = context;
    (void)old_size;
    if (new_size == 0) {
        if (ptr) r->live--;
        free(ptr);
        return NULL;
    }
    if (++r->calls == r->refuse) return NULL;
    if (!ptr) r->live++;
    return realloc(ptr, new_size);
}

static void refused_allocations(void **state) {
    (void)state;
    harness h;
    harness_open(&h, nest);
    bool refused = true;
    for (unsigned i = 1; refused; i++) {
        refusing r = {.refuse = i};
        tirb_allocator allocator = {refuse_one, &r};
        tirbi_heap heap;
        tirbi_heap_init(&heap, &allocator, UINT64_MAX);
        tirbi_code *code = NULL;
        tirb_error error = TIRB_ERROR_INIT;
        tirb_status status = tirbi_code_create(h.program, TIRB_ISA_GENERIC, false, &heap, &code, &error);
        if (status == TIRB_OK) {
            atomic_uint stop = 0;
            float data[100] = {0};
            tirbi_ref ref = {.data = (uint8_t *)data, .size = sizeof data, .type = TIRB_F32, .writable = true};
            tirbi_run run = {.code = code, .heap = &heap, .stop = &stop, .fuel = UINT64_MAX, .max_depth = 10,
                             .host = tirbi_fpu_read()};
            status = harness_execute(&run, (uint64_t[]){100, 3, 100}, &ref, NULL, &error);
            tirbi_code_destroy(code);
        }
        refused = r.calls >= i;
        assert_int_equal(status, refused ? TIRB_NO_MEMORY : TIRB_OK);
        assert_int_equal(r.live, 0);
    }
    harness_close(&h);
}

/* ---- Long code ------------------------------------------------------------------------------------------------- */

enum { LONG_UNITS = 3000, LONG_LANES = 100 };

/* What a unit makes of a lane, by kernels alone: w = clz(v), w = not w, v = v + w. */
static const char long_unit[] = "vclz.i32 v1, v0\nvnot.i32 v1, v1\nvpopcount.i32 v2, v1\nvadd.i32 v0, v0, v1\n";
static uint32_t of_unit(uint32_t v) { return v + ~(v ? (uint32_t)__builtin_clz(v) : 32); }

/* Appends a text with a number for each '%'. */
static size_t put(char *to, size_t at, const char *text, unsigned number) {
    for (; *text; text++) {
        if (*text == '%') at += (size_t)sprintf(to + at, "%u", number);
        else to[at++] = *text;
    }
    to[at] = 0;
    return at;
}

/* Units between a head and a tail, each of them with `before` and `behind` around it; the caller frees the text. */
static char *long_text(const char *head, const char *before, const char *behind, const char *tail) {
    const size_t each = strlen(before) + sizeof long_unit + strlen(behind) + 16;
    char *const text = malloc(strlen(head) + strlen(tail) + 1 + LONG_UNITS * each);
    assert_non_null(text);
    size_t at = put(text, 0, head, 0);
    for (unsigned i = 0; i < LONG_UNITS; i++) {
        at = put(text, at, before, i);
        at = put(text, at, long_unit, i);
        at = put(text, at, behind, i);
    }
    put(text, at, tail, 0);
    return text;
}

static void check_long(char *text, uint64_t extent, uint8_t trap) {
    uint32_t x[LONG_LANES];
    harness h;
    harness_open(&h, text);
    for (unsigned e = 0; e < LONG_LANES; e++) x[e] = 0x9E3779B1u * e;
    buffer b = {x, LONG_LANES, TIRB_I32};
    const outcome out = harness_call(&h, (uint64_t[]){extent, LONG_LANES}, &b, 1);
    assert_int_equal(out.status, trap ? TIRB_BOUNDS : TIRB_OK);
    if (trap) assert_int_equal(h.program->functions[0].code[out.trap_offset], trap);
    for (unsigned e = 0; e < LONG_LANES && !trap; e++) {
        uint32_t v = 0x9E3779B1u * e;
        for (unsigned i = 0; i < LONG_UNITS; i++) v = of_unit(v);
        if (x[e] != v) fail_msg("lane %u is %08x, not %08x", e, x[e], v);
    }
    harness_close(&h);
    free(text);
}

#define LONG_HEAD                                                                                                      \
    ".function \"f\" public\n.scalars 2\n.lanes 4\n.ref i32 writable\n.tensor \"x\" i32 r0 read write ($0)\n"          \
    ".var \"n\" i64 s0\n.scalar \"m\" i64 s1\n"
#define LONG_LOOP ".cursor r0 i32 readwrite 0 0 1\nvload.i32 v0, c0\n"

/* As one body, whose instructions are given back while its tail is translated, and where it traps at its end. */
static void long_bodies(void **state) {
    (void)state;
    for (unsigned traps = 0; traps < 2; traps++)
        check_long(long_text(LONG_HEAD "lane s0, done\n" LONG_LOOP, "", "",
                             "vindex.i32 v2, s1, 0, \"x\"\nvstore.i32 c0, v0\ndone:\nlane.end\nret.void\n.end\n"),
                   traps ? 1 : 64, traps ? TIRB_OP_VINDEX : 0);
}

/* As loops that each have as few bodies as they need. */
static void many_loops(void **state) {
    (void)state;
    check_long(long_text(LONG_HEAD, "lane s0, done%\n" LONG_LOOP, "vstore.i32 c0, v0\ndone%:\nlane.end\n",
                         "ret.void\n.end\n"), 0, 0);
}

/* An allocation refused anywhere in it leaves nothing behind either, and all goes back at its true size. */
static void refused_in_long_code(void **state) {
    (void)state;
    char *const text = long_text(LONG_HEAD "lane s0, done\n" LONG_LOOP, "", "",
                                 "vstore.i32 c0, v0\ndone:\nlane.end\nret.void\n.end\n");
    harness h;
    harness_open(&h, text);
    bool refused = true;
    for (unsigned i = 1; refused; i++) {
        refusing r = {.refuse = i};
        tirb_allocator allocator = {refuse_one, &r};
        tirbi_heap heap;
        tirbi_heap_init(&heap, &allocator, UINT64_C(1) << 40);
        tirbi_code *code = NULL;
        tirb_error error = TIRB_ERROR_INIT;
        const tirb_status status = tirbi_code_create(h.program, TIRB_ISA_GENERIC, false, &heap, &code, &error);
        tirbi_code_destroy(code);
        refused = r.calls >= i;
        assert_true(status == TIRB_OK || (refused && status == TIRB_NO_MEMORY)); /* less memory need not be had */
        assert_int_equal(r.live, 0);
        assert_int_equal(heap.used, 0);
    }
    harness_close(&h);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_elementwise),
        cmocka_unit_test(scalar_conversions),
        cmocka_unit_test(fused_branches),
        cmocka_unit_test(calls_and_depth),
        cmocka_unit_test(arguments_and_references),
        cmocka_unit_test(traps),
        cmocka_unit_test(allocations),
        cmocka_unit_test(fuel_is_exact),
        cmocka_unit_test(ranges_are_charged_alike),
        cmocka_unit_test(numbers_of_ranges),
        cmocka_unit_test(heads_in_turn),
        cmocka_unit_test(fuel_of_lane_loops),
        cmocka_unit_test(stopping),
        cmocka_unit_test(host_rounding_is_restored),
        cmocka_unit_test(reductions),
        cmocka_unit_test(every_tail),
        cmocka_unit_test(matrix_products),
        cmocka_unit_test(loads_behind_stores),
        cmocka_unit_test(bounds_of_cursors),
        cmocka_unit_test(overlap_of_cursors),
        cmocka_unit_test(lanes_meet_forwards),
        cmocka_unit_test(plain_entries),
        cmocka_unit_test(division_in_lanes),
        cmocka_unit_test(canonical_nans),
        cmocka_unit_test(refused_allocations),
        cmocka_unit_test(long_bodies),
        cmocka_unit_test(many_loops),
        cmocka_unit_test(refused_in_long_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
