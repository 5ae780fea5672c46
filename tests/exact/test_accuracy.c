/* test_accuracy [N]: the special functions within 4 units in the last place of MPFR's values, in double.
 *
 * At the places where they are hard: powers of two, ends of table rows and their neighbours, multiples of a quarter,
 * the doubles about zeros of the function, which are searched; and N random arguments (1,000) of each way of choosing
 * them. With 10,000 and more all of the hard places are taken, else a sample. What is composed of several instructions
 * is computed by a compiled program. Prints the largest errors. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exact/exact.h"
#include "tests/unit/sampled.h"
#include "tests/unit/script_fixture.h"
#include "vm/math/core.h"
#include "vm/math/special.h"

/* Of arguments near a zero of j0 at 2^500 the zero itself takes 500 bits more. */
enum { PRECISION = 160 };
static const double bound = 4.0;
static unsigned n_random = 1000;

static uint64_t random_state = 0x9E3779B97F4A7C15u;
static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}
static double unit(void) { return (double)(random_bits() >> 11) * 0x1p-53; }
static double sign(void) { return (random_bits() & 1) != 0 ? -1 : 1; }

typedef struct function {
    const char *name;
    double (*own)(double);
    tirbt_exact_1 exact;
    double low, high; /* where it is neither 0 nor infinite, nor left to its limit: random arguments are there too */
    double waves_to;  /* zeros are searched up to here */
} function;

#define F(name, exact, low, high, waves_to) \
    { #name, tirbi_##name##_f64, exact, low, high, waves_to }
static const function functions[] = {
    F(cbrt, mpfr_cbrt, -1000, 1000, 0),
    F(sinpi, tirbt_sinpi, -5, 5, 0),
    F(cospi, tirbt_cospi, -5, 5, 20),
    F(logb, tirbt_logb, -5, 5, 0),
    F(erfc, mpfr_erfc, -7, 28, 0),
    F(erfcx, tirbt_erfcx, -27, 40, 0),
    F(erfinv, tirbt_erfinv, -1, 1, 0),
    F(erfcinv, tirbt_erfcinv, 0, 2, 0),
    F(normcdf, tirbt_normcdf, -39, 9, 0),
    F(tgamma, mpfr_gamma, -190, 172, 0),
    F(lgamma, tirbt_lgamma, -25, 30, -20),
    F(j0, mpfr_j0, -60, 60, 700),
    F(j1, mpfr_j1, -60, 60, 700),
    F(y0, mpfr_y0, 0, 60, 700),
    F(y1, mpfr_y1, 0, 60, 700),
    F(i0, tirbt_i0, -715, 715, 0),
    F(i1, tirbt_i1, -715, 715, 0),
};

/* ---- One function ----------------------------------------------------------------------------------------------- */

typedef struct trial {
    const function *function;
    mpfr_t x, exact;
    double worst, at;
    uint64_t n;
} trial;

static void try_at(trial *t, double x) {
    mpfr_set_d(t->x, x, MPFR_RNDN);
    t->function->exact(t->exact, t->x, MPFR_RNDN);
    double error = tirbt_error_f64(t->exact, t->function->own(x));
    t->n++;
    if (error > t->worst) t->worst = error, t->at = x;
}

/* And its neighbours, with both signs. */
static void try_about(trial *t, double x) {
    double below = x, above = x;
    for (int i = 0; i < (n_random < 10000 ? 2 : 4); i++) {
        try_at(t, below), try_at(t, -below), try_at(t, above), try_at(t, -above);
        below = nextafter(below, -INFINITY), above = nextafter(above, INFINITY);
    }
}

/* The doubles about a change of sign in a .. b. */
static void try_zero(trial *t, double a, double b) {
    const bool rises = t->function->own(a) < 0;
    while (nextafter(a, b) < b) {
        double middle = a + (b - a) * 0.5;
        if ((t->function->own(middle) < 0) == rises)
            a = middle;
        else
            b = middle;
    }
    for (int i = 0; i < 4; i++, b = nextafter(b, INFINITY), a = nextafter(a, -INFINITY)) try_at(t, a), try_at(t, b);
}
static void search_zeros(trial *t, double from, double to, double step) {
    for (double x = from; x < to; x += step) {
        double a = t->function->own(x), b = t->function->own(x + step);
        if (a * b < 0 && isfinite(a) && isfinite(b)) try_zero(t, x, x + step);
    }
}

static void try_hard(trial *t) {
    const int every = n_random < 10000 ? 13 : 1;
    for (int exponent = -1074; exponent<1024; exponent += exponent> - 30 && exponent < 30 ? 1 : every)
        try_about(t, ldexp(1, exponent));
    for (int i = 0; i < 500; i++) try_about(t, i * 0.0625);
    for (int i = 30; i < 800; i += every) try_about(t, i);
    for (int i = 0; i < 64; i++) try_about(t, ldexp(8 + i % 8, i / 8 - 4)), try_about(t, 1 - ldexp(1, -i));
    const double specials[] = {0.0, INFINITY, NAN, DBL_MAX, DBL_MIN, DBL_TRUE_MIN};
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) try_at(t, specials[i]), try_at(t, -specials[i]);
    if (t->function->waves_to > 0) {
        search_zeros(t, 0.01, t->function->waves_to, 0.3);
        for (int i = 0; i < (every > 1 ? 30 : 3000); i++) {
            double x = ldexp(1 + unit(), 9 + (int)(random_bits() % 40));
            search_zeros(t, x, x + 4, 1);
        }
    } else {
        search_zeros(t, t->function->waves_to, 0, 0x1p-10);
    }
}

static void try_random(trial *t) {
    const double low = t->function->low, high = t->function->high;
    for (unsigned i = 0; i < n_random; i++) {
        try_at(t, tirbi_f64_from_bits(random_bits()));
        try_at(t, sign() * ldexp(1 + unit(), (int)(random_bits() % 40) - 30));
        try_at(t, sign() * ((double)(random_bits() % 80) * 0.25 + ldexp(unit() - 0.5, -(int)(random_bits() % 50))));
        try_at(t, low + (high - low) * unit());
        try_at(t, sign() * ldexp(unit(), (int)(random_bits() % 1070) * -1));
    }
}

static void test_functions(void **state) {
    (void)state;
    bool good = true;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        trial t = {.function = &functions[i]};
        mpfr_inits2(PRECISION, t.x, t.exact, (mpfr_ptr)NULL);
        try_hard(&t);
        try_random(&t);
        mpfr_clears(t.x, t.exact, (mpfr_ptr)NULL);
        const bool fits = t.worst <= bound;
        printf("  %-8s %8.4f ULP at %a (%llu arguments)%s\n", t.function->name, t.worst, t.at, (unsigned long long)t.n,
               fits ? "" : "  TOO MUCH");
        fflush(stdout);
        good = good && fits;
    }
    assert_true(good);
}

/* ---- Of several arguments, and composed functions --------------------------------------------------------------- */

enum { ROWS = 4096, MOST = 4 };

static int sum_of_squares(mpfr_t out, mpfr_t *x, int n) {
    mpfr_t square;
    mpfr_init2(square, mpfr_get_prec(out) + 100);
    mpfr_set_zero(out, 1);
    for (int i = 0; i < n; i++) {
        mpfr_sqr(square, x[i], MPFR_RNDN);
        mpfr_add(out, out, square, MPFR_RNDN);
    }
    mpfr_clear(square);
    for (int i = 0; i < n; i++) { /* as of hypot */
        if (mpfr_inf_p(x[i])) mpfr_set_inf(out, 1);
    }
    return mpfr_sqrt(out, out, MPFR_RNDN);
}
static void exact_norm(mpfr_t out, mpfr_t *x, int n) { sum_of_squares(out, x, n); }
static void exact_rnorm(mpfr_t out, mpfr_t *x, int n) {
    sum_of_squares(out, x, n);
    mpfr_ui_div(out, 1, out, MPFR_RNDN);
}
static void exact_rcbrt(mpfr_t out, mpfr_t *x, int n) {
    (void)n;
    tirbt_rcbrt(out, x[0], MPFR_RNDN);
}
static void exact_normcdfinv(mpfr_t out, mpfr_t *x, int n) {
    (void)n;
    tirbt_normcdfinv(out, x[0], MPFR_RNDN);
}
static void exact_round(mpfr_t out, mpfr_t *x, int n) {
    (void)n;
    mpfr_round(out, x[0]);
}
static void exact_remainder(mpfr_t out, mpfr_t *x, int n) {
    (void)n;
    mpfr_remainder(out, x[0], x[1], MPFR_RNDN);
}
static void exact_fdim(mpfr_t out, mpfr_t *x, int n) {
    (void)n;
    mpfr_dim(out, x[0], x[1], MPFR_RNDN);
}
static void exact_fdivide(mpfr_t out, mpfr_t *x, int n) {
    (void)n;
    mpfr_div(out, x[0], x[1], MPFR_RNDN);
}
static void exact_fmax(mpfr_t out, mpfr_t *x, int n) {
    (void)n;
    mpfr_max(out, x[0], x[1], MPFR_RNDN);
}
static void exact_fmin(mpfr_t out, mpfr_t *x, int n) {
    (void)n;
    mpfr_min(out, x[0], x[1], MPFR_RNDN);
}

static const struct {
    const char *name;
    void (*exact)(mpfr_t out, mpfr_t *x, int n);
    int n;
    double bound;
} composed[] = {
    {"rcbrt", exact_rcbrt, 1, 4},       {"normcdfinv", exact_normcdfinv, 1, 4},
    {"round", exact_round, 1, 0},       {"remainder", exact_remainder, 2, 0},
    {"rhypot", exact_rnorm, 2, 4},      {"fdim", exact_fdim, 2, 0.5},
    {"fdivide", exact_fdivide, 2, 0.5}, {"fmax", exact_fmax, 2, 0},
    {"fmin", exact_fmin, 2, 0},         {"norm3d", exact_norm, 3, 4},
    {"rnorm3d", exact_rnorm, 3, 4},     {"norm4d", exact_norm, 4, 4},
    {"rnorm4d", exact_rnorm, 4, 4},
};

/* Alone, of any size, and near what was drawn before. */
static double drawn(double before) {
    static const double specials[] = {0.0,      -0.0,      0.5, -0.5,    0x1.fffffffffffffp-2, 1,         2.5,
                                      INFINITY, -INFINITY, NAN, DBL_MAX, DBL_TRUE_MIN,         0x1p-1024, 0x1.8p-1023};
    switch (random_bits() % 6) {
    case 0:
        return tirbi_f64_from_bits(random_bits());
    case 1:
        return specials[random_bits() % (sizeof specials / sizeof *specials)];
    case 2:
        return before * ldexp(1 + unit(), (int)(random_bits() % 5) - 2);
    case 3:
        return sign() * ((double)(random_bits() % 9) * 0.5 + ldexp(unit() - 0.5, -(int)(random_bits() % 50)));
    case 4:
        return sign() * ldexp(1 + unit(), -1020 - (int)(random_bits() % 8));
    default:
        return unit();
    }
}

static void test_composed(void **state) {
    (void)state;
    static double operands[MOST][ROWS], result[ROWS];
    mpfr_t x[MOST], exact;
    mpfr_inits2(400, x[0], x[1], x[2], x[3], exact, (mpfr_ptr)NULL);
    bool good = true;
    for (size_t f = 0; f < sizeof composed / sizeof *composed; f++) {
        static const char operands_of[] = ", X[0, i], X[1, i], X[2, i], X[3, i]";
        char text[400];
        snprintf(text, sizeof text,
                 "from tvm.script import tir as T\n@T.prim_func\n"
                 "def f(X: T.Buffer((4, 4096), \"float64\"), Y: T.Buffer((4096,), \"float64\")):\n"
                 "    for i in range(4096):\n        Y[i] = T.call_pure_extern(\"float64\", \"%s\"%.*s)\n",
                 composed[f].name, composed[f].n * 9, operands_of);
        script s = open_script(text, as_usual, TIRB_ISA_AUTO, 1);
        DLTensor tensors[2];
        int64_t shape[2] = {MOST, ROWS};
        const DLDataType f64 = {kDLFloat, 64, 1};
        const tirb_arg args[2] = {tensor_arg(&tensors[0], operands, f64, 2, shape),
                                  tensor_arg(&tensors[1], result, f64, 1, shape + 1)};
        double worst = 0, at[MOST] = {0};
        for (unsigned done = 0; done < n_random * 4; done += ROWS) {
            for (int k = 0; k < ROWS; k++)
                for (int i = 0; i < MOST; i++) operands[i][k] = drawn(i > 0 ? operands[i - 1][k] : 1);
            assert_int_equal(call_script(&s, args, 2), TIRB_OK);
            for (int k = 0; k < ROWS; k++) {
                for (int i = 0; i < composed[f].n; i++) mpfr_set_d(x[i], operands[i][k], MPFR_RNDN);
                composed[f].exact(exact, x, composed[f].n);
                double error = tirbt_error_f64(exact, result[k]);
                if (error > worst) {
                    worst = error;
                    for (int i = 0; i < MOST; i++) at[i] = operands[i][k];
                }
            }
        }
        close_script(&s);
        const bool fits = worst <= composed[f].bound;
        printf("  %-10s %8.4f ULP at %a %a %a %a%s\n", composed[f].name, worst, at[0], at[1], at[2], at[3],
               fits ? "" : "  TOO MUCH");
        good = good && fits;
    }
    mpfr_clears(x[0], x[1], x[2], x[3], exact, (mpfr_ptr)NULL);
    assert_true(good);
}

int main(int argc, char **argv) {
    n_random /= sampled_every();
    if (argc > 1) n_random = (unsigned)strtoul(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_composed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
