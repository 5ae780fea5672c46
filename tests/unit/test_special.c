/* The special functions have the same bits on every machine: what all instruction sets give of many arguments, strips
 * and scalars alike, has the stored checksum. Their accuracy is exact/test_accuracy's. */
#include <ctype.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tirb/tirb.h>

#include "tests/unit/sampled.h"
#include "vm/lanes/kernels.h"
#include "vm/math/core.h"
#include "vm/math/special.h"

enum { N = 1 << 16 };

static const struct {
    tirbi_op op;
    uint64_t f16, bf16, f32, f64; /* checksums */
} functions[] = {
#define SUMS(op, f16, bf16, f32, f64) {TIRB_OP_##op, f16, bf16, f32, f64},
#include "tests/unit/special_sums.inc"
#undef SUMS
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

static uint64_t random_bits(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Of all sizes, and ordinary ones. */
static double random_value(uint64_t *state) {
    const uint64_t kind = random_bits(state) % 4;
    const double unit = (double)(random_bits(state) >> 11) * 0x1p-53, sign = (random_bits(state) & 1) != 0 ? -1 : 1;
    if (kind == 0) return tirbi_f64_from_bits(random_bits(state));
    if (kind == 1) return sign * unit * 40;
    if (kind == 2) return sign * unit * 2;
    return sign * tirbi_f64_from_bits(tirbi_f64_bits(1 + unit) + (random_bits(state) % 60 - 50) * ((uint64_t)1 << 52));
}

/* Every number of 16 bits; of others random ones. */
static void fill(void *to, tirbi_dtype type, uint64_t seed) {
    uint64_t state = 0x9E3779B97F4A7C15u + seed;
    for (uint32_t i = 0; i < N; i++) {
        const double value = random_value(&state);
        if (type == TIRB_F64)
            ((double *)to)[i] = value;
        else if (type == TIRB_F32)
            ((float *)to)[i] = (float)value;
        else
            ((uint16_t *)to)[i] = (uint16_t)(seed == 0 ? i : random_bits(&state));
    }
}

static uint64_t bits_at(const void *from, unsigned size, uint32_t i) {
    return size == 8   ? ((const uint64_t *)from)[i]
           : size == 4 ? ((const uint32_t *)from)[i]
                       : ((const uint16_t *)from)[i];
}

/* Fowler, Noll and Vo's, of elements as numbers: their bytes may be in any order. */
static uint64_t sum_of(const void *from, tirbi_dtype type) {
    uint64_t sum = 0xCBF29CE484222325u;
    for (uint32_t i = 0; i < N; i++) {
        sum = (sum ^ bits_at(from, tirbi_dtypes[type].size, i)) * 0x100000001B3u;
        sum ^= sum >> 29;
    }
    return sum;
}

static void expect_sum(const tirbi_kernel_table *table, tirb_isa isa, tirbi_op op, tirbi_dtype type, uint64_t want) {
    static uint64_t x[N], y[N], strip[N];
    const unsigned row = (unsigned)op - TIRBI_FIRST_ELEMENTWISE, size = tirbi_dtypes[type].size;
    fill(x, type, 0);
    fill(y, type, 1);
    assert_true(table->op[row][type](strip, x, y, NULL, N));
    for (uint32_t i = 0, every = sampled_every(); i < N; i += every) {
        uint64_t one = 0;
        assert_true(tirbi_scalar_of(table, row, type)(&one, bits_at(x, size, i), bits_at(y, size, i), 0));
        assert_int_equal(one & UINT64_MAX >> (64 - 8 * size), bits_at(strip, size, i));
    }
    const uint64_t sum = sum_of(strip, type);
    if (sum == want) return;
    print_error("%s.%s on %s: 0x%016" PRIX64 ", not 0x%016" PRIX64 "\n", tirbi_ops[op].mnemonic,
                tirbi_dtypes[type].name, tirb_isa_name(isa), sum, want);
    fail();
}

static void test_sums(void **state) {
    (void)state;
    for (int isa = TIRB_ISA_GENERIC; isa < TIRBI_N_ISAS; isa++) {
        const tirbi_kernel_table *table = tirb_isa_available((tirb_isa)isa) ? tirbi_kernels((tirb_isa)isa) : NULL;
        for (size_t i = 0; table && i < N_FUNCTIONS; i++) {
            expect_sum(table, (tirb_isa)isa, functions[i].op, TIRB_F16, functions[i].f16);
            expect_sum(table, (tirb_isa)isa, functions[i].op, TIRB_BF16, functions[i].bf16);
            expect_sum(table, (tirb_isa)isa, functions[i].op, TIRB_F32, functions[i].f32);
            expect_sum(table, (tirb_isa)isa, functions[i].op, TIRB_F64, functions[i].f64);
        }
    }
}

/* Every function of the lists is in the table. */
static void test_all_are_here(void **state) {
    (void)state;
    static const tirbi_op all[] = {
#define OP(NAME, name) TIRB_OP_##NAME,
        TIRBI_SPECIAL_1(OP) TIRBI_SPECIAL_2(OP)
#undef OP
    };
    assert_int_equal(sizeof all / sizeof *all, N_FUNCTIONS);
    for (size_t i = 0; i < N_FUNCTIONS; i++) assert_int_equal(all[i], functions[i].op);
}

/* test_special --write prints special_sums.inc. */
static void print_sums(void) {
    static uint64_t x[N], y[N], out[N];
    static const tirbi_dtype types[] = {TIRB_F16, TIRB_BF16, TIRB_F32, TIRB_F64};
    const tirbi_kernel_table *table = tirbi_kernels(TIRB_ISA_GENERIC);
    for (unsigned op = TIRB_OP_CBRT; op <= TIRB_OP_RHYPOT; op++) {
        printf("SUMS(");
        for (const char *c = tirbi_ops[op].mnemonic; *c; c++) putchar(toupper(*c));
        for (size_t t = 0; t < 4; t++) {
            fill(x, types[t], 0);
            fill(y, types[t], 1);
            table->op[op - TIRBI_FIRST_ELEMENTWISE][types[t]](out, x, y, NULL, N);
            printf(", 0x%016" PRIX64, sum_of(out, types[t]));
        }
        printf(")\n");
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--write") == 0) {
        print_sums();
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_are_here),
        cmocka_unit_test(test_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
