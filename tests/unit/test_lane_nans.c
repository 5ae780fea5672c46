/* Stores that need not look for NaNs: which ones do without, and that no NaN but the canonical one comes out of any. */
#include "tests/unit/machine_harness.h"

#include <math.h>

#include "vm/machine/machine.h"
#include "vm/lanes/forms.h"
#include "vm/math/core.h"

/* Bodies between the loads of v0 (f32) and v1 (i32) and the store of v2. s2 is 0, s3 is 6, s4 is a NaN, s5 is one
 * constant or another, and s1 a parameter. */
static const struct {
    const char *body;
    bool settled;
} cases[] = {
    {"vmov.f32 v2, v0", false},
    {"vadd.f32 v2, v0, v0", false},
    {"vsplat.f32 v3, s2\nvmax.f32 v2, v0, v3", true},
    {"vsplat.f32 v3, s2\nvmax.f32 v2, v3, v0", false},
    {"vsplat.f32 v3, s4\nvmax.f32 v2, v0, v3", false},
    {"vsplat.f32 v3, s5\nvmax.f32 v2, v0, v3", false},
    {"vsplat.f32 v3, s1\nvmax.f32 v2, v0, v3", false},
    {"vsplat.f32 v3, s2\nvsplat.f32 v4, s3\nvmax.f32 v2, v0, v3\nvmin.f32 v2, v2, v4", true},
    {"vsplat.f32 v3, s2\nvmax.f32 v2, v0, v3\nvneg.f32 v2, v2", true},
    {"vneg.f32 v2, v0", false},
    /* infinite, minus infinite */
    {"vsplat.f32 v3, s2\nvmax.f32 v2, v0, v3\nvsub.f32 v2, v2, v2", false},
    {"vcast.f32 v2, v1, i32", true},
    {"vcast.f32 v2, v1, i32\nvsplat.f32 v3, s3\nvmul.f32 v2, v2, v3\nvadd.f32 v2, v2, v3", true},
    {"vcast.f32 v2, v1, i32\nvsplat.f32 v3, s1\nvmul.f32 v2, v2, v3", false},
    {"vcast.f32 v2, v1, i32\nvsplat.f32 v3, s3\nvfma.f32 v2, v2, v2, v3", true},
    {"vcast.f32 v2, v1, i32\nvsub.f32 v2, v2, v0", false},
    /* 2^32 four times is beyond the largest float, and infinity times 0 is NaN */
    {"vcast.f32 v2, v1, i32\nvmul.f32 v2, v2, v2\nvmul.f32 v2, v2, v2\nvsplat.f32 v3, s2\nvmul.f32 v2, v2, v3", false},
    {"vcast.f32 v2, v1, i32\nvdiv.f32 v2, v2, v2", false},
    {"vexp.f32 v2, v0", true},
    {"vexp.f32 v2, v0\nvabs.f32 v2, v2", true},
    {"vexp.f32 v2, v0\nvneg.f32 v2, v2", false},
    {"vexp.f32 v2, v0\nvsplat.f32 v3, s2\nvmin.f32 v2, v3, v2", true},
    {"vexp.f32 v2, v0\nvsplat.f32 v3, s3\nvlt.f32 v4, v0, v3\nvselect.f32 v2, v4, v2, v3", true},
    {"vexp.f32 v2, v0\nvsplat.f32 v3, s3\nvlt.f32 v4, v0, v3\nvselect.f32 v2, v4, v2, v0", false},
    /* an inner loop may run never, or again */
    {"vsplat.f32 v2, s3\ninner l0\nvadd.f32 v2, v2, v0\ninner.end l0", false},
    {"vsplat.f32 v2, s3\nvmov.f32 v3, v2\ninner l0\nvadd.f32 v2, v3, v2\nvadd.f32 v3, v2, v2\ninner.end l0", false},
    {"vsplat.f32 v2, s3\nvcast.f32 v3, v1, i32\ninner l0\nvmov.f32 v4, v3\ninner.end l0\nvadd.f32 v2, v2, v3", true},
};
enum { N_CASES = sizeof cases / sizeof *cases, MOST = 300 };

static void write_text(char *to, size_t size, unsigned i) {
    bool loops = strstr(cases[i].body, "inner") != NULL;
    const char *step = loops ? " 0" : "";
    snprintf(to, size,
             ".function \"f\" public\n.scalars 6\n.lanes 5\n.ref f32\n.ref i32\n.ref f32 writable\n"
             ".tensor \"x\" f32 r0 read ($0)\n.tensor \"k\" i32 r1 read ($0)\n.tensor \"y\" f32 r2 write ($0)\n"
             ".scalar \"a\" f32 s1\n.var \"n\" i64 s0\n"
             "const.f32 s2, 0\nconst.f32 s3, 6.0\nconst.f32 s4, 0xffc01234\nconst.f32 s5, 1.0\nbrnot s1, on\n"
             "const.f32 s5, 0x7fc00001\non:\nlane s0, done\n%s"
             ".cursor r0 f32 read 0 0 1%s\n.cursor r1 i32 read 0 0 1%s\n.cursor r2 f32 write 0 0 1%s\n"
             "vload.f32 v0, c0\nvload.i32 v1, c1\n%s\nvstore.f32 c2, v2\ndone:\nlane.end\nret.void\n.end\n",
             loops ? ".inner 3\n" : "", step, step, step, cases[i].body);
}

/* How many words of a loop's body look for NaNs where they store. */
static unsigned count_canonical(const tirbi_code *code, uint32_t from, uint32_t end) {
    const tirbi_word *words = code->functions[0].words;
    tirbi_kernel canon = code->kernels->cast[TIRB_F32][TIRB_F32];
    unsigned n = 0;
    for (uint32_t at = from; at < end;) {
        unsigned op = words[at].op;
        bool kernel = op == TIRBI_L_KERNEL;
        bool stores = op == TIRBI_L_STORE_F32_A || op == TIRBI_L_STORE_F32_B || op == TIRBI_L_LAST_F32_A ||
                      op == TIRBI_L_LAST_F32_B;
        n += stores || (kernel && words[at + 2].kernel == canon);
        at += kernel ? 3 : op == TIRBI_L_REST_FMA_F32_A || op == TIRBI_L_REST_FMA_F32_B ? 2 : 1;
    }
    return n;
}

/* Whether lanes are stored from registers: kernels, which have them in memory, give no other NaNs. */
static bool stores_from_banks(tirb_isa isa) {
#ifdef TIRB_GENERIC_STRIPS
    return isa != TIRB_ISA_GENERIC;
#else
    (void)isa;
    return true;
#endif
}

static void stores_that_do_without(void **state) {
    (void)state;
    for (unsigned i = 0; i < N_CASES; i++) {
        char text[2000];
        harness h;
        write_text(text, sizeof text, i);
        harness_open(&h, text);
        for (unsigned isa = 0; isa < h.n_isas; isa++) {
            if (!stores_from_banks(h.isas[isa])) continue;
            const tirbi_lane_loop *loop = &h.codes[isa]->functions[0].loops[0];
            unsigned n = count_canonical(h.codes[isa], loop->full, loop->tail);
            if ((n == 0) != cases[i].settled)
                harness_fail(&h, "%s: %u stores look for NaNs", tirb_isa_name(h.isas[isa]), n);
        }
        harness_close(&h);
    }
}

static void no_other_nans(void **state) {
    (void)state;
    static const uint32_t x_values[] = {0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFAAAAAA, 0x7F800000, 0xFF800000,
                                        0x00000000, 0x80000000, 0x00000001, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000};
    static const uint32_t k_values[] = {0, 1, 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FC00001, 0xFF800001};
    for (unsigned i = 0; i < N_CASES; i++) {
        char text[2000];
        harness h;
        write_text(text, sizeof text, i);
        harness_open(&h, text);
        for (size_t n = 1; n < MOST; n += 37) {
            uint32_t x[MOST], k[MOST], y[MOST];
            for (size_t e = 0; e < n; e++) {
                x[e] = x_values[e % (sizeof x_values / sizeof *x_values)];
                k[e] = k_values[e % (sizeof k_values / sizeof *k_values)];
                y[e] = 0xFFFFFFFF;
            }
            buffer b[] = {{x, n, TIRB_F32}, {k, n, TIRB_I32}, {y, n, TIRB_F32}};
            assert_int_equal(harness_call(&h, (uint64_t[]){0x7FC00005, n}, b, 3).status, TIRB_OK);
            for (size_t e = 0; e < n; e++)
                if (isnan(tirbi_f32_from_bits(y[e])) && y[e] != 0x7FC00000)
                    harness_fail(&h, "lane %zu of %zu is %08x", e, n, y[e]);
        }
        harness_close(&h);
    }
}

/* Between the load of v0, which has 16 bits, and the store of v2, in `%s`. s1 is 1. */
static const char *const copies[] = {
    "vbits.%s v2, v0, u16",
    "vbits.%s v1, v0, u16\nvmov.%s v2, v1",
    "vbits.%s v1, v0, u16\nvsplat.bool v3, s1\nvselect.%s v2, v3, v1, v1",
    "vbits.%s v1, v0, u16\nvbits.u16 v1, v1, %s\nvbits.%s v2, v1, u16",
};
enum { N_COPIES = sizeof copies / sizeof *copies };

/* Kernels copy bits as they are: what they give is not written to memory directly, however many elements there are. */
static void copies_of_16_bits(void **state) {
    (void)state;
    static const uint16_t values[] = {0x7C01, 0xFE00, 0x7E00, 0x3C00, 0xFFFF, 0x7F81, 0xFF80, 0x8000, 0x7C00};
    static const size_t sizes[] = {1, 63, 64, 255, 256, 257, 1023, 1024, 1025, 4096, 4099};
    enum { MOST_ELEMENTS = 4100, N_VALUES = sizeof values / sizeof *values };
    static uint16_t x[MOST_ELEMENTS], y[MOST_ELEMENTS];
    for (unsigned i = 0; i < 2 * N_COPIES; i++) {
        const char *type = i < N_COPIES ? "f16" : "bf16";
        char body[200], text[1000];
        harness h;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(body, sizeof body, copies[i % N_COPIES], type, type, type);
#pragma GCC diagnostic pop
        snprintf(text, sizeof text,
                 ".function \"f\" public\n.scalars 2\n.lanes 4\n.ref u16\n.ref %s writable\n"
                 ".tensor \"x\" u16 r0 read ($0)\n.tensor \"y\" %s r1 write ($0)\n.var \"n\" i64 s0\n"
                 "const.i64 s1, 1\nlane s0, done\n.cursor r0 u16 read 0 0 1\n.cursor r1 %s write 0 0 1\n"
                 "vload.u16 v0, c0\n%s\nvstore.%s c1, v2\ndone:\nlane.end\nret.void\n.end\n",
                 type, type, type, body, type);
        harness_open(&h, text);
        for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            for (size_t e = 0; e < sizes[k]; e++) x[e] = values[e % N_VALUES];
            buffer b[] = {{x, sizes[k], TIRB_U16}, {y, sizes[k], i < N_COPIES ? TIRB_F16 : TIRB_BF16}};
            assert_int_equal(harness_call(&h, (uint64_t[]){sizes[k]}, b, 2).status, TIRB_OK);
            for (size_t e = 0; e < sizes[k]; e++)
                if (y[e] != (i < N_COPIES ? tirbi_canon_f16(x[e]) : tirbi_canon_bf16(x[e])))
                    harness_fail(&h, "lane %zu of %zu is %04x", e, sizes[k], y[e]);
        }
        harness_close(&h);
    }
}

/* Lanes of 8 bytes hold no floats of 16 bits: a move of one that was stored goes by memory, and writes no lanes but
 * the loop's. */
static void halves_among_wide_lanes(void **state) {
    (void)state;
    enum { BEHIND = 300 };
    for (unsigned i = 0; i < 4; i++) {
        const char *type = i % 2 == 0 ? "f16" : "bf16";
        const uint8_t number = i % 2 == 0 ? TIRB_F16 : TIRB_BF16;
        char text[1000];
        harness h;
        snprintf(text, sizeof text,
                 ".function \"f\" public\n.scalars 3\n.lanes 4\n.ref %s\n.ref %s writable\n"
                 ".tensor \"x\" %s r0 read ($1)\n.tensor \"y\" %s r1 write ($1)\n.var \"n\" i64 s0\n"
                 ".var \"m\" i64 s1\nlane s0, done\n.cursor r0 %s read 0 0 1\n.cursor r1 %s write 0 0 1\n"
                 "vsplat.u64 v1, s2\nvshr.u64 v1, v1, v1\n%s.%s v0, %s\nvstore.%s c1, v0\nvmov.%s v2, v0\n"
                 "vstore.%s c1, v2\ndone:\nlane.end\nret.void\n.end\n",
                 type, type, type, type, type, type, i < 2 ? "vsplat" : "vload", type, i < 2 ? "s2" : "c0", type, type,
                 type);
        harness_open(&h, text);
        for (size_t n = 1; n < BEHIND; n++) {
            uint16_t x[2 * BEHIND] = {0}, y[2 * BEHIND];
            memset(y, 0xFF, sizeof y);
            buffer b[] = {{x, 2 * BEHIND, number}, {y, 2 * BEHIND, number}};
            assert_int_equal(harness_call(&h, (uint64_t[]){n, 2 * BEHIND}, b, 2).status, TIRB_OK);
            for (size_t e = 0; e < 2 * BEHIND; e++)
                if (y[e] != (e < n ? 0 : 0xFFFF)) harness_fail(&h, "lane %zu of %zu is %04x", e, n, y[e]);
        }
        harness_close(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_that_do_without),
        cmocka_unit_test(no_other_nans),
        cmocka_unit_test(copies_of_16_bits),
        cmocka_unit_test(halves_among_wide_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
