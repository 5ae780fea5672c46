/* Arguments with random contents: plain numbers, and every special value that a type has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loader/isa/isa.h"
#include "tests/differential/program.h"

#include <tirb/dlpack.h>

enum { MAX_ELEMENTS = 1 << 20, MAX_FAR_BYTES = 1 << 20, FAR_PERCENT = 30, GUARD = 64 };

typedef struct environment {
    const tirb_expr *vars[TIRBI_DIFF_PARAMS];
    int64_t values[TIRBI_DIFF_PARAMS];
    uint32_t n;
    uint32_t far; /* which of the shape variables is large; as many as there are or more: none */
} environment;

/* ---- Shapes --------------------------------------------------------------------------------------------------- */

static bool value_of(const environment *env, const tirb_expr *e, int64_t *out) {
    int64_t a;
    int64_t b;
    switch (e->kind) {
    case TIRB_EXPR_INT_IMM: *out = e->as.int_value; return true;
    case TIRB_EXPR_CAST: return value_of(env, e->as.cast.value, out);
    case TIRB_EXPR_VAR:
        for (uint32_t i = 0; i < env->n; i++) {
            if (env->vars[i] != e) continue;
            *out = env->values[i];
            return true;
        }
        return false;
    default: break;
    }
    if (e->kind < TIRB_EXPR_ADD || e->kind > TIRB_EXPR_MAX) return false;
    if (!value_of(env, e->as.binary.a, &a) || !value_of(env, e->as.binary.b, &b)) return false;
    switch (e->kind) {
    case TIRB_EXPR_ADD: *out = a + b; return true;
    case TIRB_EXPR_SUB: *out = a - b; return true;
    case TIRB_EXPR_MUL: *out = a * b; return true;
    case TIRB_EXPR_MIN: *out = a < b ? a : b; return true;
    case TIRB_EXPR_MAX: *out = a > b ? a : b; return true;
    default: break;
    }
    if (b == 0) return false;
    int64_t floor = a / b - (a % b != 0 && (a % b < 0) != (b < 0));
    *out = e->kind == TIRB_EXPR_DIV        ? a / b
           : e->kind == TIRB_EXPR_MOD      ? a % b
           : e->kind == TIRB_EXPR_FLOORDIV ? floor
                                           : a - floor * b;
    return true;
}

/* Around the sizes of vectors, of blocks and of strips. */
static int64_t far_size(tirbi_random *random) {
    static const int64_t sizes[] = {64, 255, 256, 1023, 1024, 4096};
    return sizes[tirbi_random_below(random, sizeof sizes / sizeof *sizes)] + (int64_t)tirbi_random_below(random, 7) - 3;
}

/* Many variables are the sizes of many nested loops: then they are small. */
static void bind(environment *env, const tirb_expr *var, const tirbi_diff_request *request, bool small,
                 tirbi_random *random) {
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 20, 31, 32, 33};
    if (env->n == TIRBI_DIFF_PARAMS) return;
    int64_t value = sizes[tirbi_random_below(random, small ? 6 : sizeof sizes / sizeof *sizes)];
    if (env->n == env->far) value = far_size(random);
    for (uint32_t i = 0; i < request->n_known; i++) {
        if (strcmp(request->known[i].name, var->as.var.name) == 0) value = request->known[i].value;
    }
    env->vars[env->n] = var;
    env->values[env->n++] = value;
}

/* ---- Contents ------------------------------------------------------------------------------------------------- */

/* A double as an f16: the values here are small and short, so that truncation is exact. */
static uint16_t half_of(double value) {
    if (value == 0) return signbit(value) ? 0x8000 : 0;
    int exponent;
    double fraction = frexp(fabs(value), &exponent);
    uint16_t sign = value < 0 ? 0x8000 : 0;
    return (uint16_t)(sign | ((unsigned)(exponent + 14) << 10) | ((unsigned)(fraction * 2048) & 1023));
}

static void put(uint8_t *p, uint32_t size, uint64_t bits) {
    for (uint32_t i = 0; i < size; i++) p[i] = (uint8_t)(bits >> (8 * i));
}

/* Bits that an operation may stumble over. */
static uint64_t special_bits(tirbi_dtype type, tirbi_random *random) {
    /* Infinities, NaNs of all kinds, zeros, subnormal values, the largest; then where integer types and narrower floats
     * saturate, overflow or round: +-2^7.5, 2^15, 2^16 - 0.5, +-2^31, 2^32, +-2^63, 2^64, 65520, 2^-25, 2^-150. */
    static const uint32_t f32[] = {
        0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc00001, 0xffc12345, 0x7f800001, 0x80000000, 1,
        0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f800001, 0x43350000, 0xc3350000, 0x47000000, 0x477fff80,
        0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000, 0x477ff000,
        0x33000000, 0x33000001, 0x387fc000, 0x7f7f8000};
    static const uint64_t f64[] = {
        0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff8000000000001,
        0xfff4000000000000, 0x8000000000000000, 1,                  0x000fffffffffffff, 0x7fefffffffffffff,
        0x3ff0000000000001, 0x406fe00000000000, 0xc060100000000000, 0x40efffe000000000, 0x41dfffffffffffff,
        0x41e0000000000000, 0xc1e0000000200000, 0x41f0000000000000, 0x43dfffffffffffff, 0x43e0000000000000,
        0xc3e0000000000000, 0x43f0000000000000, 0x47efffffefffffff, 0x47effffff0000000, 0x3690000000000000,
        0x3690000000000001, 0x380fffffe0000000, 0x40effe0000000000};
    static const uint16_t f16[] = {0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7e01, 0xfd00, 0x8000, 1,      0x83ff,
                                   0x0400, 0x7bff, 0xfbff, 0x57f8, 0x5800, 0xd801, 0x5bfc, 0x7800, 0x3c01};
    static const uint16_t bf16[] = {0x7f80, 0xff80, 0x7fc0, 0xffc0, 0x7fc1, 0xffa0, 0x8000, 1,      0x807f,
                                    0x0080, 0x7f7f, 0xff7f, 0x42ff, 0x4300, 0xc301, 0x4f00, 0x5f00, 0x4780};
    uint64_t least = 1ull << (tirbi_dtypes[type].bits - 1);
    switch (type) {
    case TIRB_F32: return f32[tirbi_random_below(random, sizeof f32 / sizeof *f32)];
    case TIRB_F64: return f64[tirbi_random_below(random, sizeof f64 / sizeof *f64)];
    case TIRB_F16: return f16[tirbi_random_below(random, sizeof f16 / sizeof *f16)];
    case TIRB_BF16: return bf16[tirbi_random_below(random, sizeof bf16 / sizeof *bf16)];
    default: break;
    }
    switch (tirbi_random_below(random, 5)) {
    case 0: return least;
    case 1: return least - 1;
    case 2: return UINT64_MAX;
    case 3: return 0;
    default: return tirbi_random_next(random);
    }
}

static uint64_t plain_bits(tirbi_dtype type, tirbi_random *random) {
    double value = ((double)tirbi_random_below(random, 4001) - 2000) / 256;
    float f32 = (float)value;
    double f64 = value;
    uint64_t bits = 0;
    switch (type) {
    case TIRB_BOOL: return tirbi_random_below(random, 2);
    case TIRB_F32:
        /* Odd fractions, so that the order of operations shows in the last bits. */
        f32 *= 1.0f + (float)tirbi_random_below(random, 65536) * 1.1920929e-7f;
        memcpy(&bits, &f32, sizeof f32);
        return bits;
    case TIRB_F64:
        f64 *= 1.0 + (double)tirbi_random_below(random, 65536) * 2.220446049250313e-16;
        memcpy(&bits, &f64, sizeof f64);
        return bits;
    case TIRB_F16: return half_of((double)((int)tirbi_random_below(random, 255) - 127) / 16);
    case TIRB_BF16:
        f32 = (float)((int)tirbi_random_below(random, 255) - 127) / 16;
        memcpy(&bits, &f32, sizeof f32);
        return bits >> 16;
    default: break;
    }
    uint64_t small = tirbi_random_below(random, 20);
    return tirbi_dtype_is_signed(type) && tirbi_random_chance(random, 40) ? 0 - small : small;
}

/* The machine type of an argument's elements; storage types are bytes. */
static bool storage_of(tirb_datatype type, tirbi_dtype *out) {
    if (tirb_datatype_machine(type, out)) return true;
    *out = type.code == TIRB_CODE_INT ? TIRB_I8 : TIRB_U8;
    return type.lanes == 1 && (type.bits < 8 || tirb_datatype_is_narrow_float(type));
}

static void fill(uint8_t *p, tirbi_dtype type, uint64_t n, uint32_t wild, tirbi_random *random) {
    uint32_t size = tirbi_dtypes[type].size;
    for (uint64_t i = 0; i < n; i++) {
        bool special = type != TIRB_BOOL && tirbi_random_chance(random, wild);
        put(p + i * size, size, special ? special_bits(type, random) : plain_bits(type, random));
    }
}

/* ---- Memory --------------------------------------------------------------------------------------------------- */

/* Memory of so many bytes between two pages that must not be touched: it ends where the second begins, or begins where
 * the first ends, so that nothing is read beyond this end; at the other one GUARD bytes tell what is written there. */
static bool new_memory(tirbi_diff_tensor *t, size_t bytes, bool at_end) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = bytes + GUARD, inner = (size + page - 1) / page * page;
    uint8_t *pages = mmap(NULL, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return false;
    t->pages = pages;
    t->pages_size = inner + 2 * page;
    t->size = size;
    t->front = at_end ? GUARD : 0;
    t->memory = at_end ? pages + page + inner - size : pages + page;
    t->initial = malloc(size);
    if (mprotect(pages + page, inner, PROT_READ | PROT_WRITE) != 0 || t->initial == NULL) return false;
    memset(t->initial, 0xa5, size);
    return true;
}

static void free_memory(tirbi_diff_tensor *t) {
    if (t->pages != NULL) munmap(t->pages, t->pages_size);
    free(t->initial);
    t->pages = t->memory = t->initial = NULL;
}

/* ---- Arguments ------------------------------------------------------------------------------------------------ */

/* Compact strides, or with a permuted order and padding between rows. */
static uint64_t choose_strides(tirbi_diff_tensor *t, uint32_t ndim, bool strided, tirbi_random *random) {
    uint32_t order[TIRBI_DIFF_NDIM];
    uint64_t stride = 1;
    for (uint32_t i = 0; i < ndim; i++) order[i] = ndim - 1 - i;
    if (strided && ndim > 1 && tirbi_random_chance(random, 50)) {
        uint32_t j = tirbi_random_below(random, ndim);
        uint32_t swap = order[0];
        order[0] = order[j];
        order[j] = swap;
    }
    if (strided && tirbi_random_chance(random, 50)) stride = 1 + tirbi_random_below(random, 3);
    for (uint32_t i = 0; i < ndim; i++) {
        t->strides[order[i]] = (int64_t)stride;
        stride *= t->shape[order[i]] > 0 ? (uint64_t)t->shape[order[i]] : 1;
        if (strided) stride += tirbi_random_below(random, 3);
    }
    return stride;
}

enum { STILL_PERCENT = 25, BACKWARDS_PERCENT = 15 };

/* Some dimensions of what is only read are one element again and again, and some go backwards. */
static void turn_strides(tirbi_diff_tensor *t, uint32_t ndim, bool written, tirbi_random *random) {
    for (uint32_t i = 0; i < ndim; i++) {
        if (!written && tirbi_random_chance(random, STILL_PERCENT)) t->strides[i] = 0;
        if (tirbi_random_chance(random, BACKWARDS_PERCENT)) t->strides[i] = -t->strides[i];
    }
}

/* Where the first element lies, of those that dimensions which go backwards have before it. */
static uint64_t first_element(const tirbi_diff_tensor *t, uint32_t ndim) {
    uint64_t first = 0;
    for (uint32_t i = 0; i < ndim; i++)
        if (t->strides[i] < 0 && t->shape[i] > 0) first += (uint64_t)(t->shape[i] - 1) * (uint64_t)-t->strides[i];
    return first;
}

/* Values for the stride variables of a parameter that no shape and no parameter before it has: rows and columns in any
 * order, with elements between them or not; of what is only read, dimensions may be the same elements, or overlap. */
static void bind_strides(environment *env, const tirb_buffer *buffer, bool written, bool *settled, tirbi_random *apart,
                         tirbi_random *random) {
    int64_t stride = 1;
    bool outwards = buffer->strides[buffer->ndim - 1]->kind == TIRB_EXPR_VAR && tirbi_random_chance(random, 30);
    for (uint32_t k = 0; k < buffer->ndim; k++) {
        const uint32_t i = outwards ? k : buffer->ndim - 1 - k;
        int64_t own = 0, extent = 1;
        if (tirbi_random_chance(random, 40)) stride += (int64_t)tirbi_random_below(random, 4);
        for (uint32_t v = 0; v < env->n; v++) {
            if (env->vars[v] != buffer->strides[i] || settled[v]) continue;
            env->values[v] = stride;
            if (!written && tirbi_random_chance(apart, STILL_PERCENT)) env->values[v] = tirbi_random_below(apart, 3);
            settled[v] = true;
        }
        const bool is_known = value_of(env, buffer->strides[i], &own) && value_of(env, buffer->shape[i], &extent);
        if (is_known && own * extent > stride) stride = own * extent;
    }
}

/* The strides that a parameter declares, and the elements that they reach; false: they cannot be computed, or elements
 * meet, which what is written must not. */
static bool declared_strides(const environment *env, const tirb_buffer *buffer, bool written, tirbi_diff_tensor *t,
                             uint64_t *out) {
    bool taken[TIRBI_DIFF_NDIM] = {false};
    *out = 1;
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        if (!value_of(env, buffer->strides[i], &t->strides[i]) || t->strides[i] < 0) return false;
    }
    for (uint32_t k = 0; k < buffer->ndim && *out <= MAX_ELEMENTS; k++) { /* from the least stride on */
        uint32_t least = 0;
        while (taken[least]) least++;
        for (uint32_t i = least + 1; i < buffer->ndim; i++) {
            if (!taken[i] && t->strides[i] < t->strides[least]) least = i;
        }
        taken[least] = true;
        if (t->shape[least] <= 1) continue;
        if (written && (uint64_t)t->strides[least] < *out) return false;
        *out += (uint64_t)(t->shape[least] - 1) * (uint64_t)t->strides[least];
    }
    return true;
}

static bool is_written(const tirbi_diff_request *request, const tirb_buffer *buffer) {
    return request->written == NULL || request->written[buffer->data->as.var.id];
}

static bool make_tensor(const tirb_buffer *buffer, const environment *env, const tirbi_diff_request *request,
                        tirbi_random *apart, tirbi_random *random, tirbi_diff_tensor *t, tirbi_text *report) {
    tirbi_dtype type;
    tirb_datatype scalar = buffer->dtype;
    scalar.lanes = 1;
    uint32_t ndim = buffer->ndim;
    if (!storage_of(scalar, &type) || ndim >= TIRBI_DIFF_NDIM || buffer->dtype.scalable) {
        tirbi_text_add(report, "parameter %s has a type or rank that no argument is made for\n", buffer->name);
        return false;
    }
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        if (!value_of(env, buffer->shape[i], &t->shape[i]) || t->shape[i] < 0) {
            tirbi_text_add(report, "the shape of %s cannot be computed\n", buffer->name);
            return false;
        }
    }
    const bool is_vector = buffer->dtype.lanes > 1, written = is_written(request, buffer);
    if (is_vector) t->shape[ndim++] = buffer->dtype.lanes; /* lanes are the last dimension */
    bool strided = buffer->strides != NULL || (request->strided && !is_vector && tirbi_random_chance(random, 40));
    uint64_t elements = 0;
    if (buffer->strides == NULL) {
        elements = choose_strides(t, ndim, strided, random);
        if (strided) turn_strides(t, ndim, written, apart);
    } else if (!declared_strides(env, buffer, written, t, &elements)) {
        tirbi_text_add(report, "the strides of %s cannot be computed, or let elements meet\n", buffer->name);
        return false;
    }
    if (elements > MAX_ELEMENTS) {
        tirbi_text_add(report, "parameter %s would have %llu elements\n", buffer->name, (unsigned long long)elements);
        return false;
    }
    uint32_t item = tirbi_dtypes[type].size;
    uint64_t offset = tirbi_random_below(random, 4) * item; /* any alignment of the element */
    bool at_end = tirbi_random_chance(random, 60);
    if (!at_end) offset = 0;
    if (!new_memory(t, (size_t)(elements * item + offset), at_end)) return false;
    static const uint32_t wildness[] = {0, 0, 3, 30};
    fill(t->initial + t->front + offset, type, elements, wildness[tirbi_random_below(random, 4)], random);
    const uint64_t first = strided ? first_element(t, ndim) * item : 0;
    t->tensor = (DLTensor){.data = t->memory + t->front + offset + first,
                           .device = {.device_type = kDLCPU, .device_id = 0},
                           .ndim = (int32_t)ndim,
                           .dtype = tirbi_dtype_to_dl(type),
                           .shape = t->shape,
                           .strides = strided ? t->strides : NULL};
    return true;
}

static bool make_scalar(const tirb_expr *param, const environment *env, tirbi_random *random, tirb_arg *out,
                        tirbi_text *report) {
    tirbi_dtype type;
    if (!storage_of(param->dtype, &type)) {
        tirbi_text_add(report, "parameter %s has a type that no argument is made for\n", param->as.var.name);
        return false;
    }
    if (tirbi_dtype_is_float(type)) {
        *out =
            (tirb_arg){.kind = TIRB_ARG_FLOAT, .value = {.f = ((double)tirbi_random_below(random, 4001) - 2000) / 256}};
        return true;
    }
    int64_t value;
    if (!value_of(env, param, &value)) value = 0;
    if (type == TIRB_BOOL) value &= 1;
    *out = (tirb_arg){.kind = TIRB_ARG_INT, .value = {.i = value}};
    return true;
}

static bool is_in_shape(const tirb_primfunc *f, const tirb_expr *var) {
    for (uint32_t i = 0; i < f->n_params; i++) {
        for (uint32_t d = 0; f->buffers[i] && d < f->buffers[i]->ndim; d++)
            if (f->buffers[i]->shape[d] == var) return true;
    }
    return false;
}

/* Moves the second tensor of a pair into the memory of the first one: to the same place, an element or a byte off, half
 * of it off, or behind it. */
static bool share(const tirb_primfunc *f, const tirb_param_pair *pair, tirbi_random *random, tirbi_diff_args *args) {
    tirbi_diff_tensor *first = &args->tensors[pair->first], *second = &args->tensors[pair->second];
    bool owners = first->memory != NULL && second->memory != NULL && !first->shared && !second->shared;
    bool compact = first->tensor.strides == NULL && second->tensor.strides == NULL;
    bool bools = tirb_datatype_equal(f->buffers[pair->first]->dtype, f->buffers[pair->second]->dtype) ||
                 (first->tensor.dtype.code != TIRB_DL_BOOL && second->tensor.dtype.code != TIRB_DL_BOOL);
    if (!owners || !compact || !bools) return true;
    size_t first_bytes = first->size - GUARD, second_bytes = second->size - GUARD;
    size_t item = first->tensor.dtype.bits / 8u, half = first_bytes / item / 2 * item;
    tirbi_diff_tensor both = *first;
    if (!new_memory(&both, GUARD + 2 * (second_bytes + 8) + first_bytes, true)) {
        free_memory(&both);
        return false;
    }
    /* Between the guards the bits of both tensors' values, again and again. */
    size_t begin = GUARD + (second_bytes + 8) / item * item;
    for (size_t at = begin; second_bytes > 0 && at < both.size - GUARD; at++) {
        both.initial[at] = second->initial[second->front + (at - begin) % second_bytes];
    }
    for (size_t at = begin; second_bytes > 0 && at-- > GUARD;) both.initial[at] = both.initial[at + second_bytes];
    memcpy(both.initial + begin, first->initial + first->front, first_bytes);
    ptrdiff_t offsets[] = {0, 0, 0, (ptrdiff_t)item, -(ptrdiff_t)item, 1, -1, (ptrdiff_t)half, (ptrdiff_t)first_bytes};
    ptrdiff_t offset = offsets[tirbi_random_below(random, sizeof offsets / sizeof *offsets)];
    free_memory(first);
    free_memory(second);
    *first = both;
    first->tensor.data = both.memory + begin;
    second->size = 0;
    second->shared = true;
    second->tensor.data = both.memory + begin + offset;
    first->shared = true;
    return true;
}

/* Extents of nothing; and scalars at the ends of types, where they are in no shape. */
static void take_unusual_values(environment *env, const tirb_primfunc *f, const tirbi_diff_request *request) {
    static const int64_t values[] = {0,         -1,        -2,  -7,  127, 128,  255,   256,  -128,
                                     INT32_MIN, INT32_MAX, INT32_MAX - 1, -129, 32767, 65535, 65536};
    enum { NOTHING_PERCENT = 15, SCALAR_PERCENT = 35 };
    tirbi_random random = {.state = request->seed ^ 0x5851f42d4c957f2d};
    for (uint32_t v = 0; v < env->n; v++) {
        bool known = v == env->far;
        for (uint32_t i = 0; i < request->n_known; i++)
            known = known || strcmp(request->known[i].name, env->vars[v]->as.var.name) == 0;
        if (known) continue;
        if (v < f->n_shape_vars && tirbi_random_chance(&random, NOTHING_PERCENT)) env->values[v] = 0;
        if (v >= f->n_shape_vars && !is_in_shape(f, env->vars[v]) && tirbi_random_chance(&random, SCALAR_PERCENT))
            env->values[v] = values[tirbi_random_below(&random, sizeof values / sizeof *values)];
    }
}

bool tirbi_diff_make_args(const tirb_primfunc *f, const tirbi_diff_request *request, tirbi_diff_args *out,
                          tirbi_text *report) {
    tirbi_random random = {.state = request->seed}, apart = {.state = request->seed ^ 0x9e3779b97f4a7c15};
    const bool is_far = f->n_shape_vars > 0 && tirbi_random_chance(&apart, FAR_PERCENT);
    environment env = {.n = 0, .far = is_far ? tirbi_random_below(&apart, f->n_shape_vars) : UINT32_MAX};
    uint64_t bytes = 0;
    *out = (tirbi_diff_args){.n = f->n_params};
    if (f->n_params > TIRBI_DIFF_PARAMS || f->n_shape_vars > TIRBI_DIFF_PARAMS) {
        tirbi_text_add(report, "too many parameters\n");
        return false;
    }
    for (uint32_t i = 0; i < f->n_shape_vars; i++) bind(&env, f->shape_vars[i], request, f->n_shape_vars > 3, &random);
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->buffers[i] == NULL) bind(&env, f->params[i], request, f->n_params > 5, &random);
    }
    if (request->stirs) take_unusual_values(&env, f, request);
    bool settled[TIRBI_DIFF_PARAMS] = {false};
    for (uint32_t v = 0; v < env.n; v++) settled[v] = v >= f->n_shape_vars || is_in_shape(f, env.vars[v]);
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->buffers[i] && f->buffers[i]->strides)
            bind_strides(&env, f->buffers[i], is_written(request, f->buffers[i]), settled, &apart, &random);
    }
    for (uint32_t i = 0; i < f->n_params; i++) {
        bool made;
        if (f->buffers[i] != NULL) {
            made = make_tensor(f->buffers[i], &env, request, &apart, &random, &out->tensors[i], report);
            out->args[i] = (tirb_arg){.kind = TIRB_ARG_TENSOR, .value = {.tensor = &out->tensors[i].tensor}};
        } else {
            made = make_scalar(f->params[i], &env, &random, &out->args[i], report);
        }
        bytes += out->tensors[i].size;
        if (made && is_far && bytes > MAX_FAR_BYTES) {
            tirbi_text_add(report, "the parameters would have more than %d bytes\n", MAX_FAR_BYTES);
            made = false;
        }
        if (!made) return false;
    }
    for (uint32_t i = 0; i < f->n_may_alias; i++) {
        if (tirbi_random_chance(&random, 70) && !share(f, &f->may_alias[i], &random, out)) return false;
    }
    return true;
}

void tirbi_diff_reset_args(tirbi_diff_args *args) {
    for (uint32_t i = 0; i < args->n; i++) {
        tirbi_diff_tensor *t = &args->tensors[i];
        if (t->memory != NULL) memcpy(t->memory, t->initial, t->size);
    }
}

void tirbi_diff_free_args(tirbi_diff_args *args) {
    for (uint32_t i = 0; i < args->n && i < TIRBI_DIFF_PARAMS; i++) free_memory(&args->tensors[i]);
}
