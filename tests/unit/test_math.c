/* The accuracy of the mathematical functions against the C library in higher precision, and their special values.
 *
 * float is compared with double, double with long double where that is wider. A sample by default; with TIRB_FULL=1 in
 * the environment, or --full, every float that a function of one argument can be given. Prints the largest errors. */
#define _GNU_SOURCE /* exp10 */

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <tirb/tirb.h>

#include "loader/isa/isa.h"
#include "tests/unit/sampled.h"
#include "vm/lanes/kernels.h"
#include "vm/math/ops.h"

static bool full;
/* How many random values are tried, of `usual` ones. */
static int n_random(int usual) { return full ? 50000000 : usual / (int)sampled_every(); }

static uint64_t random_state = 0x9E3779B97F4A7C15u;
static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* ---- Errors in units in the last place -------------------------------------------------------------------------- */

/* Of `got` beside the exact value; a value that rounds to infinity is expected as infinity. */
static double error_f32(float got, double exact) {
    float rounded = (float)exact;
    if (isnan(exact) || isnan(got)) return isnan(exact) && isnan(got) ? 0 : INFINITY;
    if (isinf(rounded) || isinf(got))
        return rounded == got ? 0 : fabs(exact) > 3.4028234e38 && isinf(got) ? 0.5 : INFINITY;
    if (exact == 0) return got == 0 && !signbit(got) == !signbit(exact) ? 0 : INFINITY;
    int exponent;
    frexp(exact, &exponent);
    double unit = ldexp(1, exponent - 24 < -149 ? -149 : exponent - 24);
    return fabs((double)got - exact) / unit;
}

static double error_f64(double got, long double exact) {
    double rounded = (double)exact;
    if (isnan(exact) || isnan(got)) return isnan(exact) && isnan(got) ? 0 : (double)INFINITY;
    if (isinf(rounded) || isinf(got))
        return rounded == got ? 0 : fabsl(exact) > 1.797693134862315e308L && isinf(got) ? 0.5 : (double)INFINITY;
    if (exact == 0) return got == 0 && !signbit(got) == !signbit(exact) ? 0 : (double)INFINITY;
    int exponent;
    frexpl(exact, &exponent);
    long double unit = ldexpl(1, exponent - 53 < -1074 ? -1074 : exponent - 53);
    return (double)(fabsl((long double)got - exact) / unit);
}

/* ---- The functions and their oracles ---------------------------------------------------------------------------- */

typedef struct one_argument {
    const char *name;
    float (*f32)(float);
    double (*oracle32)(double);
    double (*f64)(double);
    long double (*oracle64)(long double);
    double bound32, bound64;
} one_argument;

typedef struct two_arguments {
    const char *name;
    float (*f32)(float, float);
    double (*oracle32)(double, double);
    double (*f64)(double, double);
    long double (*oracle64)(long double, long double);
    double bound32, bound64;
} two_arguments;

static double rsqrt_d(double x) { return 1 / sqrt(x); }
static long double rsqrt_l(long double x) { return 1 / sqrtl(x); }
static double sigmoid_d(double x) { return x > 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)); }
static long double sigmoid_l(long double x) { return x > 0 ? 1 / (1 + expl(-x)) : expl(x) / (1 + expl(x)); }
static long double exp10_l(long double x) { return exp10l(x); }

#define FUNCTION_1(op, oracle, oracle_l) \
    { #op, tirbi_##op##_f32, oracle, tirbi_##op##_f64, oracle_l, 0.51, 1.0 }
/* float32.h computes in float. */
#define FUNCTION_1_FLOAT(op, oracle, oracle_l, bound) \
    { #op, tirbi_##op##_f32, oracle, tirbi_##op##_f64, oracle_l, 1.0, bound }
#define FUNCTION_1_WIDE(op, oracle, oracle_l, bound) \
    { #op, tirbi_##op##_f32, oracle, tirbi_##op##_f64, oracle_l, 0.51, bound }
static const one_argument functions_1[] = {
    FUNCTION_1_FLOAT(exp, exp, expl, 1.0),
    FUNCTION_1_FLOAT(exp2, exp2, exp2l, 1.0),
    FUNCTION_1_FLOAT(exp10, exp10, exp10_l, 1.0),
    FUNCTION_1_FLOAT(expm1, expm1, expm1l, 1.0),
    FUNCTION_1_FLOAT(log, log, logl, 1.0),
    FUNCTION_1_FLOAT(log2, log2, log2l, 1.0),
    FUNCTION_1_FLOAT(log10, log10, log10l, 1.0),
    FUNCTION_1(log1p, log1p, log1pl),
    FUNCTION_1_FLOAT(sin, sin, sinl, 1.0),
    FUNCTION_1_FLOAT(cos, cos, cosl, 1.0),
    FUNCTION_1(tan, tan, tanl),
    FUNCTION_1(asin, asin, asinl),
    FUNCTION_1(acos, acos, acosl),
    FUNCTION_1(atan, atan, atanl),
    FUNCTION_1(sinh, sinh, sinhl),
    FUNCTION_1(cosh, cosh, coshl),
    FUNCTION_1_FLOAT(tanh, tanh, tanhl, 1.0),
    FUNCTION_1(asinh, asinh, asinhl),
    FUNCTION_1(acosh, acosh, acoshl),
    FUNCTION_1(atanh, atanh, atanhl),
    FUNCTION_1_FLOAT(erf, erf, erfl, 1.1),
    FUNCTION_1_WIDE(rsqrt, rsqrt_d, rsqrt_l, 1.5),
    FUNCTION_1_FLOAT(sigmoid, sigmoid_d, sigmoid_l, 1.0),
    FUNCTION_1(sqrt, sqrt, sqrtl),
};
#define FUNCTION_2(op, oracle, oracle_l) \
    { #op, tirbi_##op##_f32, oracle, tirbi_##op##_f64, oracle_l, 0.51, 1.0 }
static const two_arguments functions_2[] = {
    FUNCTION_2(pow, pow, powl),
    {"atan2", tirbi_atan2_f32, atan2, tirbi_atan2_f64, atan2l, 0.51, 1.1},
    FUNCTION_2(hypot, hypot, hypotl),
};
enum {
    N_FUNCTIONS_1 = sizeof functions_1 / sizeof *functions_1,
    N_FUNCTIONS_2 = sizeof functions_2 / sizeof *functions_2
};

/* ---- Arguments -------------------------------------------------------------------------------------------------- */

/* All bit patterns alike, or values of ordinary size, or values near a small integer. */
static double random_value(void) {
    uint64_t kind = random_bits() % 4;
    double unit = (double)(random_bits() >> 11) * 0x1p-53;
    double sign = (random_bits() & 1) != 0 ? -1 : 1;
    if (kind == 0) return tirbi_f64_from_bits(random_bits());
    if (kind == 1) return sign * ldexp(1 + unit, (int)(random_bits() % 40) - 30);
    if (kind == 2) return sign * ((double)(random_bits() % 9) * 0.25 + ldexp(unit - 0.5, -(int)(random_bits() % 50)));
    return sign * unit * 800;
}
static float random_float(void) {
    if (random_bits() % 4 == 0) return tirbi_f32_from_bits((uint32_t)random_bits());
    return (float)random_value();
}

/* ---- Accuracy --------------------------------------------------------------------------------------------------- */

/* The largest error of one function over every `step`-th float and some random ones. In a full test the results come
 * from the machine's best strip kernel, which another test compares with the inline function bit for bit. */
typedef struct sweep {
    const one_argument *function;
    tirbi_kernel kernel;
    double worst;
    float at;
} sweep;

static void note_error(sweep *s, float x, float got) {
    double exact = s->function->oracle32((double)x);
    if ((float)exact == got && got != 0) return;
    double error = error_f32(got, exact);
    if (error > s->worst) s->worst = error, s->at = x;
}

enum { BATCH = 4096 };

static void sweep_function(sweep *s, uint64_t step) {
    static _Thread_local float x[BATCH], got[BATCH];
    s->worst = 0.5; /* of correct rounding */
    for (uint64_t bits = 0; bits <= UINT32_MAX;) {
        size_t n = 0;
        for (; n < BATCH && bits <= UINT32_MAX; bits += step) x[n++] = tirbi_f32_from_bits((uint32_t)bits);
        s->kernel(got, x, NULL, NULL, n);
        for (size_t i = 0; i < n; i++) note_error(s, x[i], got[i]);
    }
}

typedef struct sweeps {
    sweep all[N_FUNCTIONS_1];
    atomic_uint next;
} sweeps;

static void *sweep_worker(void *data) {
    sweeps *s = data;
    const unsigned step = full ? 1 : 4001 * sampled_every();
    for (unsigned i; (i = atomic_fetch_add(&s->next, 1)) < N_FUNCTIONS_1;) sweep_function(&s->all[i], step);
    return NULL;
}

static tirbi_kernel best_kernel(const char *name) {
    tirb_isa isa = tirb_isa_available(TIRB_ISA_AVX512) ? TIRB_ISA_AVX512
                   : tirb_isa_available(TIRB_ISA_AVX2) ? TIRB_ISA_AVX2
                   : tirb_isa_available(TIRB_ISA_NEON) ? TIRB_ISA_NEON
                                                       : TIRB_ISA_GENERIC;
    for (unsigned op = 0; op < TIRBI_N_ELEMENTWISE; op++) {
        const char *mnemonic = tirbi_ops[op + TIRBI_FIRST_ELEMENTWISE].mnemonic;
        if (mnemonic != NULL && strcmp(mnemonic, name) == 0) return tirbi_kernels(isa)->op[op][TIRB_F32];
    }
    return NULL;
}

static void test_one_argument_f32(void **state) {
    (void)state;
    static sweeps s;
    pthread_t workers[64];
    long n_processors = sysconf(_SC_NPROCESSORS_ONLN);
    int n_workers = 0;
    for (size_t i = 0; i < N_FUNCTIONS_1; i++) {
        s.all[i].function = &functions_1[i];
        s.all[i].kernel = best_kernel(functions_1[i].name);
        assert_non_null(s.all[i].kernel);
    }
    for (; n_workers < 64 && n_workers + 1 < n_processors; n_workers++)
        if (pthread_create(&workers[n_workers], NULL, sweep_worker, &s) != 0) break;
    sweep_worker(&s);
    while (n_workers > 0) pthread_join(workers[--n_workers], NULL);
    bool good = true;
    for (size_t i = 0; i < N_FUNCTIONS_1; i++) {
        sweep *f = &s.all[i];
        for (int n = 200000 / (int)sampled_every(); n > 0; n--) {
            float x = random_float();
            note_error(f, x, f->function->f32(x));
        }
        printf("  f32 %-8s %10.6f ULP at %a%s\n", f->function->name, f->worst, (double)f->at,
               f->worst <= f->function->bound32 ? "" : "  TOO MUCH");
        good = good && f->worst <= f->function->bound32;
    }
    assert_true(good);
}

static void test_two_arguments_f32(void **state) {
    (void)state;
    bool good = true;
    for (size_t i = 0; i < N_FUNCTIONS_2; i++) {
        const two_arguments *f = &functions_2[i];
        double worst = 0;
        float at_x = 0, at_y = 0;
        for (int n = n_random(1000000); n > 0; n--) {
            float x = random_float(), y = random_float();
            double error = error_f32(f->f32(x, y), f->oracle32((double)x, (double)y));
            if (error > worst) worst = error, at_x = x, at_y = y;
        }
        printf("  f32 %-8s %8.4f ULP at %a, %a%s\n", f->name, worst, (double)at_x, (double)at_y,
               worst <= f->bound32 ? "" : "  TOO MUCH");
        good = good && worst <= f->bound32;
    }
    assert_true(good);
}

static void test_one_argument_f64(void **state) {
    (void)state;
    if (LDBL_MANT_DIG < 64) skip();
    bool good = true;
    for (size_t i = 0; i < N_FUNCTIONS_1; i++) {
        const one_argument *f = &functions_1[i];
        double worst = 0, at = 0;
        for (int n = n_random(600000); n > 0; n--) {
            double x = random_value();
            double error = error_f64(f->f64(x), f->oracle64((long double)x));
            if (error > worst) worst = error, at = x;
        }
        printf("  f64 %-8s %8.4f ULP at %a%s\n", f->name, worst, at, worst <= f->bound64 ? "" : "  TOO MUCH");
        good = good && worst <= f->bound64;
    }
    assert_true(good);
}

static void test_two_arguments_f64(void **state) {
    (void)state;
    if (LDBL_MANT_DIG < 64) skip();
    bool good = true;
    for (size_t i = 0; i < N_FUNCTIONS_2; i++) {
        const two_arguments *f = &functions_2[i];
        double worst = 0, at_x = 0, at_y = 0;
        for (int n = n_random(1000000); n > 0; n--) {
            double x = random_value(), y = random_value();
            double error = error_f64(f->f64(x, y), f->oracle64((long double)x, (long double)y));
            if (error > worst) worst = error, at_x = x, at_y = y;
        }
        printf("  f64 %-8s %8.4f ULP at %a, %a%s\n", f->name, worst, at_x, at_y,
               worst <= f->bound64 ? "" : "  TOO MUCH");
        good = good && worst <= f->bound64;
    }
    assert_true(good);
}

/* ---- Exact functions -------------------------------------------------------------------------------------------- */

static void expect_f32(const char *name, float got, float expected, float x, float y) {
    uint32_t bits = isnan(expected) ? 0x7FC00000u : tirbi_f32_bits(expected);
    if (tirbi_f32_bits(got) != bits) {
        print_error("%s(%a, %a) is %a, expected %a\n", name, (double)x, (double)y, (double)got, (double)expected);
        fail();
    }
}
static void expect_f64(const char *name, double got, double expected, double x, double y) {
    uint64_t bits = isnan(expected) ? 0x7FF8000000000000u : tirbi_f64_bits(expected);
    if (tirbi_f64_bits(got) != bits) {
        print_error("%s(%a, %a) is %a, expected %a\n", name, x, y, got, expected);
        fail();
    }
}

/* Quotients of up to 2,098 bits, by divisors of all lengths: the exponents are as far apart as they can be. */
static void test_far_remainders(void **state) {
    (void)state;
    for (int n = 0; n < 200000; n++) {
        uint64_t above = (uint64_t)(2046 - random_bits() % 40) << 52, kept = UINT64_MAX << random_bits() % 52;
        double x = tirbi_f64_from_bits(above | (random_bits() & 0x800FFFFFFFFFFFFFu));
        double y = tirbi_f64_from_bits((random_bits() & kept & 0x801FFFFFFFFFFFFFu) >> random_bits() % 2 | 1u << 31);
        expect_f64("fmod", tirbi_fmod_f64(x, y), fmod(x, y), x, y);
    }
}

static void test_exact_functions(void **state) {
    (void)state;
    for (int n = 400000 / (int)sampled_every(); n > 0; n--) {
        float x = random_float(), y = random_float(), z = random_float();
        double u = random_value(), v = random_value(), w = random_value();
        expect_f32("sqrt", tirbi_sqrt_f32(x), sqrtf(x), x, 0);
        expect_f32("floor", tirbi_floor_f32(x), floorf(x), x, 0);
        expect_f32("ceil", tirbi_ceil_f32(x), ceilf(x), x, 0);
        expect_f32("trunc", tirbi_trunc_f32(x), truncf(x), x, 0);
        expect_f32("round", tirbi_round_f32(x), rintf(x), x, 0);
        expect_f32("fmod", tirbi_fmod_f32(x, y), fmodf(x, y), x, y);
        expect_f32("nextafter", tirbi_nextafter_f32(x, y), nextafterf(x, y), x, y);
        expect_f32("copysign", tirbi_copysign_f32(x, y), copysignf(x, y), x, y);
        expect_f32("fma", tirbi_fma_f32(x, y, z), fmaf(x, y, z), x, y);
        expect_f64("floor", tirbi_floor_f64(u), floor(u), u, 0);
        expect_f64("ceil", tirbi_ceil_f64(u), ceil(u), u, 0);
        expect_f64("trunc", tirbi_trunc_f64(u), trunc(u), u, 0);
        expect_f64("round", tirbi_round_f64(u), rint(u), u, 0);
        expect_f64("fmod", tirbi_fmod_f64(u, v), fmod(u, v), u, v);
        expect_f64("nextafter", tirbi_nextafter_f64(u, v), nextafter(u, v), u, v);
        expect_f64("fma", tirbi_fma_f64(u, v, w), fma(u, v, w), u, v);
        int power = (int)(random_bits() % 5000) - 2500;
        expect_f32("ldexp", tirbi_ldexp_f32(x, (float)power), ldexpf(x, power), x, (float)power);
        expect_f64("ldexp", tirbi_ldexp_f64(u, power), ldexp(u, power), u, power);
        power = (int)(random_bits() % 300) - 150;
        expect_f32("ldexp", tirbi_ldexp_f32(x, (float)power), ldexpf(x, power), x, (float)power);
    }
}

/* ---- Special values --------------------------------------------------------------------------------------------- */

static const double specials[] = {
    0.0,       -0.0,       1,        -1,        0.5,       -0.5,           2,         -2,
    3,         -3,         4,        1e300,     -1e300,    INFINITY,       -INFINITY, NAN,
    0x1p-1074, -0x1p-1074, 0x1p-149, -0x1p-149, 0x1p-1022, 0x1.fffffep127, 0x1p53,    0x1.fffffffffffffp1023,
    0x1p20,    -0x1p20,    0x1p31,   1e22,      709.9,     -745.2,         88.8,      -104};
enum { N_SPECIALS = sizeof specials / sizeof *specials };

/* NaN, infinities and zeros with their signs are those of the C library, NaNs canonical. */
static void test_special_values(void **state) {
    (void)state;
    for (size_t i = 0; i < N_FUNCTIONS_1; i++)
        for (size_t k = 0; k < N_SPECIALS; k++) {
            double x = specials[k], exact = functions_1[i].oracle32(x), got = functions_1[i].f64(x);
            if (isnan(exact) || isinf(exact) || exact == 0) expect_f64(functions_1[i].name, got, exact, x, 0);
            float y = (float)x, narrow = (float)functions_1[i].oracle32((double)y);
            if (isnan(narrow) || isinf(narrow) || narrow == 0)
                expect_f32(functions_1[i].name, functions_1[i].f32(y), narrow, y, 0);
        }
    for (size_t i = 0; i < N_FUNCTIONS_2; i++)
        for (size_t k = 0; k < N_SPECIALS * N_SPECIALS; k++) {
            double x = specials[k / N_SPECIALS], y = specials[k % N_SPECIALS];
            double exact = functions_2[i].oracle32(x, y), got = functions_2[i].f64(x, y);
            /* C makes hypot(infinity, NaN) infinite and so do we. */
            if (isnan(exact) || isinf(exact) || exact == 0) expect_f64(functions_2[i].name, got, exact, x, y);
            if (isnan(x) || isnan(y) || exact == 1) assert_true(error_f64(got, (long double)exact) <= 1);
            float u = (float)x, v = (float)y, narrow = (float)functions_2[i].oracle32((double)u, (double)v);
            if (isnan(narrow) || isinf(narrow) || narrow == 0)
                expect_f32(functions_2[i].name, functions_2[i].f32(u, v), narrow, u, v);
        }
    for (size_t k = 0; k < N_SPECIALS * N_SPECIALS; k++) {
        double x = specials[k / N_SPECIALS], y = specials[k % N_SPECIALS];
        float u = (float)x, v = (float)y;
        expect_f64("fmod", tirbi_fmod_f64(x, y), fmod(x, y), x, y);
        expect_f32("fmod", tirbi_fmod_f32(u, v), fmodf(u, v), u, v);
        expect_f64("nextafter", tirbi_nextafter_f64(x, y), nextafter(x, y), x, y);
        expect_f32("nextafter", tirbi_nextafter_f32(u, v), nextafterf(u, v), u, v);
    }
    expect_f64("ldexp", tirbi_ldexp_f64(1, NAN), NAN, 1, NAN);
    expect_f64("ldexp", tirbi_ldexp_f64(INFINITY, -5000), INFINITY, INFINITY, -5000);
    expect_f64("ldexp", tirbi_ldexp_f64(-0.0, INFINITY), -0.0, -0.0, INFINITY);
    expect_f64("ldexp", tirbi_ldexp_f64(0x1p-1074, 2097), 0x1p1023, 0x1p-1074, 2097);
}

/* ---- Half precision --------------------------------------------------------------------------------------------- */

/* Every value converts to float32 and back; between neighbours the boundary is their middle, which goes to the even. */
static void test_half(void **state) {
    (void)state;
    for (uint32_t h = 0; h <= 0xFFFF; h++) {
        uint16_t v = (uint16_t)h;
        assert_int_equal(tirbi_f32_to_f16(tirbi_f16_to_f32(v)), tirbi_canon_f16(v));
        assert_int_equal(tirbi_f32_to_bf16(tirbi_bf16_to_f32(v)), tirbi_canon_bf16(v));
        int exponent = (int)(h >> 10 & 31), fraction = (int)(h & 1023);
        double expected = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
        if (exponent < 31) assert_true(fabs((double)tirbi_f16_to_f32(v)) == expected);
    }
    for (uint32_t h = 0; h < 0x7C00; h++) {
        float low = tirbi_f16_to_f32((uint16_t)h);
        float high = h + 1 == 0x7C00 ? 65536.0f : tirbi_f16_to_f32((uint16_t)(h + 1));
        float middle = (low + high) / 2;
        uint16_t even = (uint16_t)(h % 2 == 0 ? h : h + 1);
        assert_int_equal(tirbi_f32_to_f16(middle), even);
        assert_int_equal(tirbi_f32_to_f16(-middle), even | 0x8000);
        assert_int_equal(tirbi_f32_to_f16(nextafterf(middle, 0)), h);
        assert_int_equal(tirbi_f32_to_f16(nextafterf(middle, INFINITY)), h + 1);
        assert_int_equal(tirbi_f64_to_f16((double)middle), even);
        assert_int_equal(tirbi_f64_to_f16(nextafter((double)middle, 0)), h);
        assert_int_equal(tirbi_f64_to_f16(nextafter((double)middle, INFINITY)), h + 1);
    }
    for (uint32_t h = 0; h < 0x7F80; h++) {
        double low = (double)tirbi_bf16_to_f32((uint16_t)h);
        double high = h + 1 == 0x7F80 ? 0x1p128 : (double)tirbi_bf16_to_f32((uint16_t)(h + 1));
        double middle = (low + high) / 2;
        uint16_t even = (uint16_t)(h % 2 == 0 ? h : h + 1);
        assert_int_equal(tirbi_f32_to_bf16((float)middle), even);
        assert_int_equal(tirbi_f64_to_bf16(middle), even);
        assert_int_equal(tirbi_f64_to_bf16(nextafter(middle, 0)), h);
        assert_int_equal(tirbi_f64_to_bf16(nextafter(middle, INFINITY)), h + 1);
    }
}

/* The 8 leading digits of an integer, rounded half to even by what is behind them. */
static uint16_t bf16_of_digits(uint64_t magnitude, bool negative) {
    unsigned behind = 0;
    while (magnitude >> behind > 0xFF) behind++;
    uint64_t digits = magnitude >> behind, rest = magnitude - (digits << behind);
    const uint64_t half = behind > 0 ? (uint64_t)1 << (behind - 1) : 1;
    if (rest > half || (rest == half && behind > 0 && (digits & 1) != 0)) digits++;
    const float value = ldexpf((float)digits, (int)behind);
    return (uint16_t)(tirbi_f32_bits(negative ? -value : value) >> 16);
}

/* Between any two powers of two there are middles; they and what is beside them round as their digits say. */
static void test_bfloat_of_integers(void **state) {
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        for (unsigned j = 0; j <= i; j++) {
            for (uint64_t leading = 0x80; leading < 0x100; leading += 0x11) {
                const uint64_t top = i >= 7 ? leading << (i - 7) : (uint64_t)1 << i;
                for (unsigned k = 0; k < 6; k++) {
                    const uint64_t u = (k < 3 ? top + ((uint64_t)1 << j) : top - ((uint64_t)1 << j)) + k % 3 - 1;
                    const int64_t v = (int64_t)u;
                    assert_int_equal(tirbi_cast_bf16_u64(u), bf16_of_digits(u, false));
                    assert_int_equal(tirbi_cast_bf16_i64(v), bf16_of_digits(v < 0 ? 0 - u : u, v < 0));
                    const uint32_t narrow = (uint32_t)u;
                    const int32_t w = (int32_t)narrow;
                    assert_int_equal(tirbi_cast_bf16_u32(narrow), bf16_of_digits(narrow, false));
                    assert_int_equal(tirbi_cast_bf16_i32(w), bf16_of_digits(w < 0 ? 0 - narrow : narrow, w < 0));
                }
            }
        }
    }
}

/* ---- Integers and conversions ----------------------------------------------------------------------------------- */

static void test_integers(void **state) {
    (void)state;
    int32_t q = 0;
    int8_t narrow = 0;
    assert_int_equal(tirbi_add_i32(INT32_MAX, 1), INT32_MIN);
    assert_int_equal(tirbi_mul_i16(INT16_MIN, -1), INT16_MIN);
    assert_int_equal(tirbi_mul_u16(65535, 65535), 1);
    assert_int_equal(tirbi_abs_i8(-128), -128);
    assert_int_equal(tirbi_neg_u8(1), 255);
    assert_false(tirbi_div_i32(1, 0, &q));
    assert_true(tirbi_div_i32(INT32_MIN, -1, &q) && q == INT32_MIN);
    assert_true(tirbi_mod_i32(INT32_MIN, -1, &q) && q == 0);
    assert_true(tirbi_mod_i32(-7, 2, &q) && q == -1);
    assert_true(tirbi_floordiv_i32(-7, 2, &q) && q == -4);
    assert_true(tirbi_floormod_i32(-7, 2, &q) && q == 1);
    assert_true(tirbi_floormod_i32(7, -2, &q) && q == -1);
    assert_true(tirbi_floordiv_i8(-128, -1, &narrow) && narrow == -128);
    assert_int_equal(tirbi_shl_i32(1, 33), 2);
    assert_int_equal(tirbi_shr_i8(-128, 7), -1);
    assert_int_equal(tirbi_shr_u8(128, 15), 1);
    assert_int_equal(tirbi_clz_i8(0), 8);
    assert_int_equal(tirbi_clz_u64(1), 63);
    assert_int_equal(tirbi_popcount_i16(-1), 16);
    for (int n = 0; n < 1000; n++) {
        uint64_t v = random_bits() >> (n % 64);
        assert_int_equal(tirbi_popcount_u64(v), __builtin_popcountll(v));
        assert_int_equal(tirbi_popcount_u32((uint32_t)v), __builtin_popcount((uint32_t)v));
    }
}

static void test_casts(void **state) {
    (void)state;
    assert_int_equal(tirbi_cast_i8_f32(300), 127);
    assert_int_equal(tirbi_cast_i8_f32(-128.9f), -128);
    assert_int_equal(tirbi_cast_u8_f64(-0.9), 0);
    assert_int_equal(tirbi_cast_u8_f64(-5), 0);
    assert_int_equal(tirbi_cast_i32_f32(2147483648.0f), INT32_MAX);
    assert_int_equal(tirbi_cast_i32_f64(2147483647.5), INT32_MAX);
    assert_int_equal(tirbi_cast_i32_f64(-INFINITY), INT32_MIN);
    assert_int_equal(tirbi_cast_i64_f64(NAN), 0);
    assert_int_equal(tirbi_cast_i64_f32(INFINITY), INT64_MAX);
    assert_true(tirbi_cast_u64_f64(1e30) == UINT64_MAX);
    assert_true(tirbi_cast_u64_f64(0x1.8p63) == UINT64_C(0xC000000000000000));
    assert_int_equal(tirbi_cast_u32_f32(4294967040.0f), 4294967040u);
    assert_int_equal(tirbi_cast_i32_f16(0x7C00), INT32_MAX);
    assert_int_equal(tirbi_cast_i16_bf16(0xFF80), INT16_MIN);
    assert_int_equal(tirbi_cast_i16_f16(0x7E01), 0);
    assert_true(tirbi_cast_bool_f32(NAN) == 1 && tirbi_cast_bool_f32(-0.0f) == 0 && tirbi_cast_bool_f16(0x8000) == 0);
    assert_int_equal(tirbi_cast_u8_i32(-1), 255);
    assert_int_equal(tirbi_cast_i64_u32(UINT32_MAX), 4294967295);
    assert_int_equal(tirbi_cast_f16_i32(65519), 0x7BFF);
    assert_int_equal(tirbi_cast_f16_i64(INT64_MIN), 0xFC00);
    /* Rounding an integer to float32 first would make a tie of these. */
    assert_int_equal(tirbi_cast_bf16_i32((1 << 30) + (1 << 22) + 1), 0x4E81);
    assert_int_equal(tirbi_cast_bf16_i32((1 << 30) + (1 << 22)), 0x4E80);
    assert_int_equal(tirbi_cast_bf16_i64((INT64_C(1) << 62) + (INT64_C(1) << 54) + 1), 0x5E81);
    assert_int_equal(tirbi_cast_bf16_i64(-(INT64_C(1) << 62) - (INT64_C(1) << 54) - 1), 0xDE81);
    assert_int_equal(tirbi_cast_bf16_u64((UINT64_C(1) << 63) + (UINT64_C(1) << 55) + 1), 0x5F01);
    /* NaNs are canonical after bits and arithmetic, and kept by mov and select. */
    assert_int_equal(tirbi_bits_u32_f32(tirbi_f32_from_bits(0xFFC12345u)), 0x7FC00000);
    assert_int_equal(tirbi_f32_bits(tirbi_bits_f32_i32(-1)), 0xFFFFFFFF);
    assert_int_equal(tirbi_f32_bits(tirbi_neg_f32(NAN)), 0x7FC00000);
    assert_int_equal(tirbi_add_f16(0x7C00, 0xFC00), 0x7E00);
    assert_int_equal(tirbi_select_bf16(1, 0xFFC1, 0), 0xFFC1);
    assert_int_equal(tirbi_min_f32(NAN, 1.0f) == 1.0f, 1);
    assert_int_equal(tirbi_f32_bits(tirbi_min_f32(1.0f, NAN)), 0x7FC00000);
    assert_int_equal(tirbi_f32_bits(tirbi_max_f32(0.0f, -0.0f)), 0x80000000);
}

int main(int argc, char **argv) {
    const char *setting = getenv("TIRB_FULL");
    full = (argc > 1 && strcmp(argv[1], "--full") == 0) || (setting != NULL && strcmp(setting, "1") == 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_casts),
        cmocka_unit_test(test_half),
        cmocka_unit_test(test_bfloat_of_integers),
        cmocka_unit_test(test_exact_functions),
        cmocka_unit_test(test_far_remainders),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_one_argument_f32),
        cmocka_unit_test(test_two_arguments_f32),
        cmocka_unit_test(test_one_argument_f64),
        cmocka_unit_test(test_two_arguments_f64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
