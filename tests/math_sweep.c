/* math_sweep [--full] [NAME...]: the errors of the mathematical strip kernels against MPFR, in units in the last place.
 *
 * float32 with one argument: every input with --full, else a sample; what differs from the C library's double rounded
 * to float is decided by MPFR. Two arguments, and float64: random inputs, all decided by MPFR. Prints the largest error
 * of each function and where it is; fails where that is over 1 ULP (float32) or 1.5 ULP (float64), of special functions
 * over 0.51 and 4 ULP. All processors work. */
#define _GNU_SOURCE /* exp10, j0 */

#include <inttypes.h>
#include <math.h>
#include <mpfr.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tirb/tirb.h>

#include "loader/isa/isa.h"
#include "tests/exact/exact.h"
#include "tests/unit/sampled.h"
#include "vm/lanes/kernels.h"
#include "vm/math/core.h"
#include "vm/math/special.h"

/* More than any function loses here, and enough to place a float64 among its neighbours. */
enum { PRECISION = 200, BATCH = 4096, MAX_WORKERS = 64 };
static const double bound_f32 = 1.0, bound_f64 = 1.5, special_bound_f32 = 0.51, special_bound_f64 = 4.0;

static int exact_sigmoid(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode) {
    mpfr_neg(out, x, mode);
    mpfr_exp(out, out, mode);
    mpfr_add_ui(out, out, 1, mode);
    return mpfr_ui_div(out, 1, out, mode);
}

/* mpfr_rec_sqrt has no negative infinity for -0. */
static int exact_rsqrt(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode) {
    mpfr_sqrt(out, x, mode);
    return mpfr_ui_div(out, 1, out, mode);
}

static double rsqrt_d(double x) { return 1 / sqrt(x); }
static double sigmoid_d(double x) { return x > 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)); }

typedef struct function {
    const char *name;
    double (*in_double)(double); /* one argument only */
    tirbt_exact_1 one;
    tirbt_exact_2 two;
} function;

/* Functions of vm/math/special.h that the C library has not: float32 is the rounding of their double. */
#define OWN(name, exact) {#name, tirbi_##name##_f64, exact, NULL}

static const function functions[] = {
    {"exp", exp, mpfr_exp, NULL},       {"exp2", exp2, mpfr_exp2, NULL},       {"exp10", exp10, mpfr_exp10, NULL},
    {"expm1", expm1, mpfr_expm1, NULL}, {"log", log, mpfr_log, NULL},          {"log2", log2, mpfr_log2, NULL},
    {"log10", log10, mpfr_log10, NULL}, {"log1p", log1p, mpfr_log1p, NULL},    {"sin", sin, mpfr_sin, NULL},
    {"cos", cos, mpfr_cos, NULL},       {"tan", tan, mpfr_tan, NULL},          {"asin", asin, mpfr_asin, NULL},
    {"acos", acos, mpfr_acos, NULL},    {"atan", atan, mpfr_atan, NULL},       {"sinh", sinh, mpfr_sinh, NULL},
    {"cosh", cosh, mpfr_cosh, NULL},    {"tanh", tanh, mpfr_tanh, NULL},       {"asinh", asinh, mpfr_asinh, NULL},
    {"acosh", acosh, mpfr_acosh, NULL}, {"atanh", atanh, mpfr_atanh, NULL},    {"erf", erf, mpfr_erf, NULL},
    {"sqrt", sqrt, mpfr_sqrt, NULL},    {"rsqrt", rsqrt_d, exact_rsqrt, NULL},
    {"sigmoid", sigmoid_d, exact_sigmoid, NULL},
    {"pow", NULL, NULL, mpfr_pow},      {"atan2", NULL, NULL, mpfr_atan2},     {"hypot", NULL, NULL, mpfr_hypot},
    {"cbrt", cbrt, mpfr_cbrt, NULL},     {"logb", logb, tirbt_logb, NULL},       {"erfc", erfc, mpfr_erfc, NULL},
    {"tgamma", tgamma, mpfr_gamma, NULL}, {"lgamma", lgamma, tirbt_lgamma, NULL}, {"j0", j0, mpfr_j0, NULL},
    {"j1", j1, mpfr_j1, NULL},           {"y0", y0, mpfr_y0, NULL},              {"y1", y1, mpfr_y1, NULL},
    OWN(sinpi, tirbt_sinpi),            OWN(cospi, tirbt_cospi),               OWN(erfcx, tirbt_erfcx),
    OWN(erfinv, tirbt_erfinv),          OWN(erfcinv, tirbt_erfcinv),           OWN(normcdf, tirbt_normcdf),
    OWN(i0, tirbt_i0),                  OWN(i1, tirbt_i1),
    {"rhypot", NULL, NULL, tirbt_rhypot},
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

/* ---- Errors ----------------------------------------------------------------------------------------------------- */

typedef struct scratch {
    mpfr_t x, y, exact;
} scratch;

static double exact_error(scratch *s, const function *f, tirbi_dtype type, double x, double y, double got) {
    mpfr_set_d(s->x, x, MPFR_RNDN);
    mpfr_set_d(s->y, y, MPFR_RNDN);
    if (f->one)
        f->one(s->exact, s->x, MPFR_RNDN);
    else
        f->two(s->exact, s->x, s->y, MPFR_RNDN);
    return type == TIRB_F32 ? tirbt_error_f32(s->exact, got) : tirbt_error_f64(s->exact, got);
}

/* Whether float32 is the rounding of the only double that there is: then every float would say nothing new. */
static bool is_own(const function *f) {
    static double (*const own[])(double) = {tirbi_sinpi_f64, tirbi_cospi_f64, tirbi_erfcx_f64, tirbi_erfinv_f64,
                                            tirbi_erfcinv_f64, tirbi_normcdf_f64, tirbi_i0_f64, tirbi_i1_f64};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (f->in_double == own[i]) return true;
    return false;
}

/* ---- One function ----------------------------------------------------------------------------------------------- */

typedef struct task {
    const function *function;
    tirbi_dtype type;
    tirbi_kernel kernel;
    double worst, at_x, at_y;
    uint64_t inputs;
} task;

static void note(task *t, double error, double x, double y) {
    if (!(error > t->worst)) return;
    t->worst = error;
    t->at_x = x;
    t->at_y = y;
}

static void sweep_floats(task *t, scratch *s, uint64_t step) {
    static _Thread_local float x[BATCH], got[BATCH];
    for (uint64_t bits = 0; bits <= UINT32_MAX;) {
        size_t n = 0;
        for (; n < BATCH && bits <= UINT32_MAX; bits += step) x[n++] = tirbi_f32_from_bits((uint32_t)bits);
        t->kernel(got, x, NULL, NULL, n);
        t->inputs += n;
        for (size_t i = 0; i < n; i++) {
            double near = t->function->in_double((double)x[i]);
            bool right = (float)near == got[i] || (isnan(near) && isnan(got[i]));
            if (!right)
                note(t, exact_error(s, t->function, TIRB_F32, (double)x[i], 0, (double)got[i]), (double)x[i], 0);
        }
    }
}

static uint64_t random_bits(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* All bit patterns alike, or values of ordinary size, or values near a multiple of a quarter. */
static double random_value(uint64_t *state) {
    uint64_t kind = random_bits(state) % 4;
    double unit = (double)(random_bits(state) >> 11) * 0x1p-53;
    double sign = (random_bits(state) & 1) != 0 ? -1 : 1;
    if (kind == 0) return tirbi_f64_from_bits(random_bits(state));
    if (kind == 1) return sign * ldexp(1 + unit, (int)(random_bits(state) % 40) - 30);
    if (kind == 2)
        return sign * ((double)(random_bits(state) % 9) * 0.25 + ldexp(unit - 0.5, -(int)(random_bits(state) % 50)));
    return sign * unit * 800;
}

static void try_random(task *t, scratch *s, unsigned n) {
    uint64_t state = 0x9E3779B97F4A7C15u;
    bool narrow = t->type == TIRB_F32;
    for (unsigned i = 0; i < n; i++) {
        double x = random_value(&state), y = random_value(&state), got = 0;
        float x32 = (float)x, y32 = (float)y, got32 = 0;
        if (narrow) {
            t->kernel(&got32, &x32, t->function->two ? &y32 : NULL, NULL, 1);
            x = (double)x32, y = (double)y32, got = (double)got32;
        } else {
            t->kernel(&got, &x, t->function->two ? &y : NULL, NULL, 1);
        }
        t->inputs++;
        note(t, exact_error(s, t->function, t->type, x, y, got), x, y);
    }
}

/* ---- All of them ------------------------------------------------------------------------------------------------ */

typedef struct work {
    task tasks[2 * N_FUNCTIONS];
    unsigned n;
    bool full;
    atomic_uint next, n_bad;
} work;

static bool is_special(const char *name) {
    static const char *const names[] = {
#define NAME(NAME, name) #name,
        TIRBI_SPECIAL_1(NAME) TIRBI_SPECIAL_2(NAME)
#undef NAME
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* A row of the table, whole and at once: the full sweep takes long, and what is known of it counts. Is it good? */
static bool print(const task *t) {
    const bool narrow = t->type == TIRB_F32;
    bool fits = t->worst <= (!is_special(t->function->name) ? (narrow ? bound_f32 : bound_f64)
                             : narrow                       ? special_bound_f32
                                                            : special_bound_f64);
    char second[40] = "";
    if (t->function->two) snprintf(second, sizeof second, ", %a", t->at_y);
    printf("%s %-8s %9.6f ULP at %a%s (%" PRIu64 " inputs)%s\n", tirbi_dtypes[t->type].name, t->function->name,
           t->worst, t->at_x, second, t->inputs, fits ? "" : " TOO MUCH");
    fflush(stdout);
    return fits;
}

static void *worker(void *data) {
    work *w = data;
    scratch s;
    const unsigned every = sampled_every();
    mpfr_inits2(PRECISION, s.x, s.y, s.exact, (mpfr_ptr)NULL);
    for (unsigned i; (i = atomic_fetch_add(&w->next, 1)) < w->n;) {
        task *t = &w->tasks[i];
        const unsigned step = w->full && !is_own(t->function) ? 1 : 20011 * every;
        if (t->type == TIRB_F32 && t->function->one) sweep_floats(t, &s, step);
        try_random(t, &s, w->full ? 2000000 : 20000 / every);
        if (!print(t)) atomic_fetch_add(&w->n_bad, 1);
    }
    mpfr_clears(s.x, s.y, s.exact, (mpfr_ptr)NULL);
    mpfr_free_cache();
    return NULL;
}

static tirbi_kernel best_kernel(const char *name, tirbi_dtype type) {
    const tirbi_kernel_table *table = tirbi_kernels(TIRB_ISA_GENERIC);
    if (tirb_isa_available(TIRB_ISA_AVX2)) table = tirbi_kernels(TIRB_ISA_AVX2);
    if (tirb_isa_available(TIRB_ISA_AVX512)) table = tirbi_kernels(TIRB_ISA_AVX512);
    for (unsigned op = 0; op < TIRBI_N_ELEMENTWISE; op++) {
        const char *mnemonic = tirbi_ops[op + TIRBI_FIRST_ELEMENTWISE].mnemonic;
        if (mnemonic && strcmp(mnemonic, name) == 0) return table->op[op][type];
    }
    return NULL;
}

static bool wanted(const char *name, int n_words, char **words) {
    for (int i = 0; i < n_words; i++)
        if (strcmp(name, words[i]) == 0) return true;
    return n_words == 0;
}

int main(int argc, char **argv) {
    static work w;
    w.full = argc > 1 && strcmp(argv[1], "--full") == 0;
    int first = w.full ? 2 : 1;
    for (unsigned i = 0; i < 2 * N_FUNCTIONS; i++) {
        const function *f = &functions[i % N_FUNCTIONS];
        tirbi_dtype type = i < N_FUNCTIONS ? TIRB_F32 : TIRB_F64;
        if (!wanted(f->name, argc - first, argv + first)) continue;
        w.tasks[w.n] = (task){.function = f, .type = type, .kernel = best_kernel(f->name, type)};
        /* What the double rounds to is right to half a unit and the double's own error. */
        if (type == TIRB_F32 && f->one) w.tasks[w.n].worst = 0.5;
        if (!w.tasks[w.n++].kernel) {
            printf("there is no kernel for %s\n", f->name);
            return 1;
        }
    }
    pthread_t workers[MAX_WORKERS];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int n_workers = 0;
    for (; n_workers < MAX_WORKERS && n_workers + 1 < processors; n_workers++)
        if (pthread_create(&workers[n_workers], NULL, worker, &w) != 0) break;
    worker(&w);
    while (n_workers > 0) pthread_join(workers[--n_workers], NULL);
    return atomic_load(&w.n_bad) == 0 ? 0 : 1;
}
