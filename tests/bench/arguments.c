/* The arguments of a case, made from its description. */
#include "tests/bench/bench.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/math/half.h"

static uint64_t random_state;

static uint32_t random_bits(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}

/* ---- Reading descriptions --------------------------------------------------------------------------------------- */

/* The value of a letter in "LABEL n=5,m=3"; -1 where it has none. */
static int letter_value(const char *size, char letter) {
    const char *at = strchr(size, ' ');
    while (at != NULL) {
        at++;
        if (at[0] == letter && at[1] == '=') return atoi(at + 2);
        at = strchr(at, ',');
    }
    return -1;
}

/* Reads an extent and moves `at` behind it; -1 where there is none. */
static int read_extent(const char **at, const char *size) {
    int total = 0;
    char operation = '+';
    for (;;) {
        char *end;
        int value = isdigit((unsigned char)**at) ? (int)strtol(*at, &end, 10) : letter_value(size, **at);
        if (value < 0) return -1;
        *at = isdigit((unsigned char)**at) ? end : *at + 1;
        total = operation == '*' ? total * value : operation == '-' ? total - value : total + value;
        if (strchr("+-*", **at) == NULL || **at == 0) return total;
        operation = *(*at)++;
    }
}

static bool read_type(const char **at, tirbi_dtype *out) {
    for (unsigned t = 0; t < TIRB_N_DTYPES; t++) {
        size_t length = tirbi_dtypes[t].name == NULL ? 0 : strlen(tirbi_dtypes[t].name);
        if (length == 0 || strncmp(*at, tirbi_dtypes[t].name, length) != 0) continue;
        if (isdigit((unsigned char)(*at)[length])) continue;
        *at += length;
        *out = (tirbi_dtype)t;
        return true;
    }
    return false;
}

static bool read_scalar(const char **at, const char *size, bench_param *out) {
    bool is_int = strncmp(*at, "int=", 4) == 0;
    if (!is_int && strncmp(*at, "float=", 6) != 0) return false;
    *at += is_int ? 4 : 6;
    char *end;
    out->role = is_int ? BENCH_INT : BENCH_FLOAT;
    if (isalpha((unsigned char)**at)) {
        out->scalar = read_extent(at, size);
        return true;
    }
    out->scalar = strtod(*at, &end);
    *at = end;
    return true;
}

static bool read_param(const char **at, const char *size, bench_param *out) {
    *out = (bench_param){.role = BENCH_INPUT};
    if (read_scalar(at, size, out)) return true;
    if (**at == '=') out->role = BENCH_OUTPUT, (*at)++;
    if (**at == '&') out->role = BENCH_UPDATED, (*at)++;
    if (!read_type(at, &out->type)) return false;
    if (**at == '<') {
        (*at)++;
        out->range = read_extent(at, size);
    } else if (**at == '*') {
        char *end;
        out->step = isalpha((unsigned char)(*at)[1]) ? letter_value(size, (*at)[1]) : strtod(*at + 1, &end);
        *at = isalpha((unsigned char)(*at)[1]) ? *at + 2 : end;
    }
    if (**at != '[') return false;
    do {
        (*at)++;
        if (out->ndim == BENCH_MAX_DIMS) return false;
        out->shape[out->ndim] = read_extent(at, size);
        if (out->shape[out->ndim++] < 0) return false;
    } while (**at == ',');
    return *(*at)++ == ']';
}

static bool read_params(const bench_case *program, const char *size, bench_args *out) {
    const char *at = program->params;
    for (out->n = 0; *at != 0; out->n++) {
        if (out->n == BENCH_MAX_PARAMS || !read_param(&at, size, &out->params[out->n])) {
            fprintf(stderr, "bench: %s: parameter %u cannot be read: '%s'\n", program->function, out->n, at);
            return false;
        }
        while (*at == ' ') at++;
    }
    return true;
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

static void *allocate(size_t bytes) {
    void *data = aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (data == NULL) {
        fprintf(stderr, "bench: out of memory\n");
        exit(1);
    }
    memset(data, 0, bytes);
    return data;
}

static double input_value(const bench_param *param, size_t i) {
    if (param->step != 0) return (double)i * param->step;
    uint32_t bits = random_bits();
    if (tirbi_dtype_is_float(param->type))
        return param->range > 0 ? (double)bits / 2147483648.0 * param->range : (double)bits / 1073741824.0 - 1.0;
    int64_t lowest = param->type == TIRB_I8 ? -128 : 0;
    return (double)(lowest + bits % (uint32_t)(param->range > 0 ? param->range : 256));
}

static void put_element(void *data, tirbi_dtype type, size_t i, double value) {
    switch ((unsigned)type) {
    case TIRB_F16: ((uint16_t *)data)[i] = tirbi_f32_to_f16((float)value); return;
    case TIRB_F32: ((float *)data)[i] = (float)value; return;
    case TIRB_F64: ((double *)data)[i] = value; return;
    case TIRB_U8: ((uint8_t *)data)[i] = (uint8_t)value; return;
    case TIRB_I8: ((int8_t *)data)[i] = (int8_t)value; return;
    case TIRB_I64: ((int64_t *)data)[i] = (int64_t)value; return;
    default: ((int32_t *)data)[i] = (int32_t)value; return;
    }
}

static double element(const void *data, tirbi_dtype type, size_t i) {
    switch ((unsigned)type) {
    case TIRB_F16: return (double)tirbi_f16_to_f32(((const uint16_t *)data)[i]);
    case TIRB_F32: return (double)((const float *)data)[i];
    case TIRB_F64: return ((const double *)data)[i];
    case TIRB_U8: return ((const uint8_t *)data)[i];
    case TIRB_I8: return ((const int8_t *)data)[i];
    case TIRB_I64: return (double)((const int64_t *)data)[i];
    default: return ((const int32_t *)data)[i];
    }
}

static bool is_scalar(const bench_param *param) { return param->role == BENCH_INT || param->role == BENCH_FLOAT; }
static bool is_written(const bench_param *param) { return param->role == BENCH_OUTPUT || param->role == BENCH_UPDATED; }

static size_t elements(const bench_param *param) {
    size_t n = 1;
    for (int d = 0; d < param->ndim; d++) n *= (size_t)param->shape[d];
    return n;
}

static void make_side(bench_args *args, int s, unsigned p) {
    const bench_param *param = &args->params[p];
    bench_side *own = &args->sides[s];
    own->twin.scalar[p] = param->scalar;
    own->args[p].kind = TIRB_ARG_TENSOR;
    if (param->role == BENCH_INT) own->args[p].kind = TIRB_ARG_INT, own->args[p].value.i = (int64_t)param->scalar;
    if (param->role == BENCH_FLOAT) own->args[p].kind = TIRB_ARG_FLOAT, own->args[p].value.f = param->scalar;
    if (is_scalar(param)) return;
    own->twin.data[p] = is_written(param) ? allocate(args->bytes[p]) : args->first[p];
    if (is_written(param)) memcpy(own->twin.data[p], args->first[p], args->bytes[p]);
    DLTensor *tensor = &own->tensors[p];
    for (int d = 0; d < param->ndim; d++) own->twin.n[p][d] = param->shape[d], own->shape[p][d] = param->shape[d];
    tensor->data = own->twin.data[p];
    tensor->device.device_type = kDLCPU;
    tensor->ndim = param->ndim;
    tensor->dtype = tirbi_dtype_to_dl(param->type);
    tensor->shape = own->shape[p];
    own->args[p].value.tensor = tensor;
}

bool bench_make_args(const bench_case *program, const char *size, bench_args *out) {
    memset(out, 0, sizeof *out);
    if (!read_params(program, size, out)) return false;
    random_state = 1;
    size_t most = 64;
    for (unsigned p = 0; p < out->n; p++) {
        const bench_param *param = &out->params[p];
        size_t n = is_scalar(param) ? 0 : elements(param);
        out->bytes[p] = n * tirbi_dtypes[param->type].size;
        out->first[p] = allocate(out->bytes[p]);
        if (param->role != BENCH_OUTPUT) {
            for (size_t i = 0; i < n; i++) put_element(out->first[p], param->type, i, input_value(param, i));
        }
        for (int s = 0; s < BENCH_SIDES; s++) make_side(out, s, p);
        if (out->bytes[p] > most) most = out->bytes[p];
    }
    void *scratch = allocate(2 * most);
    for (int s = 0; s < BENCH_SIDES; s++) out->sides[s].twin.scratch = scratch;
    return true;
}

void bench_free_args(bench_args *args) {
    for (unsigned p = 0; p < args->n; p++) {
        for (int s = 0; s < BENCH_SIDES; s++)
            if (is_written(&args->params[p])) free(args->sides[s].twin.data[p]);
        free(args->first[p]);
    }
    free(args->sides[0].twin.scratch);
}

void bench_reset(bench_args *args, int side) {
    for (unsigned p = 0; p < args->n; p++)
        if (is_written(&args->params[p])) memcpy(args->sides[side].twin.data[p], args->first[p], args->bytes[p]);
}

bool bench_same(const bench_case *program, const bench_args *args, int side, int other) {
    for (unsigned p = 0; p < args->n; p++) {
        const bench_param *param = &args->params[p];
        if (!is_written(param)) continue;
        const void *a = args->sides[side].twin.data[p], *b = args->sides[other].twin.data[p];
        size_t n = elements(param), different = 0;
        for (size_t i = 0; i < n; i++) {
            double x = element(a, param->type, i), y = element(b, param->type, i);
            if (x == y || fabs(x - y) <= program->tolerance * (1 + fabs(y))) continue;
            if ((double)++different <= program->may_differ * (double)n) continue;
            fprintf(stderr, "bench: %s: parameter %u element %zu is %g, elsewhere %g\n", program->function, p, i, x, y);
            return false;
        }
    }
    return true;
}
