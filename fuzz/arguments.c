#include "fuzz/arguments.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TENSOR = 1 << 14, MAX_VARS = 64, ATTEMPTS = 6 };
/* Elements that are more than the caches hold, and for 8 bytes each as many as count as much (TIRBI_MUCH). */
enum { PAST_CACHES = (2 << 20) + 65 };

/* ---- Values ---------------------------------------------------------------------------------------------------- */

static uint64_t float_bits(tirbi_dtype type, fuzz_random *r) {
    static const uint32_t special[] = {0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000,
                                       0x7FC00000, 0x7FA12345, 0xFFC54321, 0x00000001, 0x807FFFFF, 0x7F7FFFFF,
                                       0x42B17218, 0x4B800000, 0x5F000000, 0x33800000};
    uint32_t single = special[fuzz_below(r, sizeof(special) / sizeof(special[0]))];
    if (!fuzz_one_in(r, 4)) {
        float small = ((float)fuzz_below(r, 64) - 24.0f) / 4.0f;
        memcpy(&single, &small, sizeof(single));
    }
    if (fuzz_one_in(r, 6)) return fuzz_next(r);
    if (type == TIRB_F32) return single;
    if (type == TIRB_BF16) return single >> 16;
    if (type == TIRB_F16) return (single >> 16 & 0x8000) | (single >> 13 & 0x7FFF);
    float narrow;
    memcpy(&narrow, &single, sizeof(narrow));
    double wide = (double)narrow;
    uint64_t bits;
    memcpy(&bits, &wide, sizeof(bits));
    return bits;
}

static uint64_t element_bits(tirbi_dtype type, fuzz_random *r) {
    if (type == TIRB_BOOL) return fuzz_below(r, 2);
    if (tirbi_dtype_is_float(type)) return float_bits(type, r);
    return fuzz_one_in(r, 3) ? (uint64_t)fuzz_interesting(r) : fuzz_below(r, 20);
}

static void store_bits(uint8_t *at, uint64_t bits, size_t size) {
    for (size_t i = 0; i < size; i++) at[i] = (uint8_t)(bits >> 8 * i);
}

/* How many bytes are chosen, before they repeat, and after how many: no power of two. */
enum { MOST_CHOSEN = 1 << 18, REPEATED = 8 * 4099 };

/* Fills gaps between elements as well: they are what must be kept. */
static void fill(fuzz_tensor *t, fuzz_random *r) {
    size_t item = tirbi_dtypes[t->type].size;
    memset(t->block, 0xA5, t->size);
    const size_t chosen = t->size - t->skew < MOST_CHOSEN ? t->size : t->skew + MOST_CHOSEN;
    size_t at = t->skew;
    for (; at + item <= chosen; at += item) store_bits(t->block + at, element_bits(t->type, r), item);
    for (; at + item <= t->size; at += item) memcpy(t->block + at, t->block + at - REPEATED, item);
}

/* ---- Layouts --------------------------------------------------------------------------------------------------- */

/* Compact strides in a random order of the dimensions, with gaps, some of them backwards, or 0 in what is only read. */
static void choose_strides(fuzz_tensor *t, int ndim, fuzz_random *r) {
    int order[TIRBI_MAX_NDIM] = {0};
    for (int i = 0; i < ndim; i++) {
        int k = (int)fuzz_below(r, (uint64_t)i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    int64_t step = 1 + fuzz_below(r, 3);
    for (int i = 0; i < ndim; i++) {
        int64_t extent = t->shape[order[i]];
        t->strides[order[i]] = fuzz_one_in(r, 4) ? -step : step;
        if (!t->written && fuzz_one_in(r, 8)) t->strides[order[i]] = 0;
        step = step * (extent > 0 ? extent : 1) + (fuzz_one_in(r, 4) ? fuzz_below(r, 4) : 0);
    }
}

/* The elements that a view reaches: from *low to *high around its first one. False: none. */
static bool reach(const fuzz_tensor *t, int ndim, int64_t *low, int64_t *high) {
    *low = *high = 0;
    for (int i = 0; i < ndim; i++) {
        if (t->shape[i] == 0) return false;
        int64_t far = (t->shape[i] - 1) * t->strides[i];
        if (far < 0) *low += far;
        if (far > 0) *high += far;
    }
    return true;
}

/* Memory of exactly what the view reaches, `offset` elements behind `data`; -1: where it likes. */
static bool allocate(fuzz_tensor *t, int ndim, int64_t offset, int64_t most, fuzz_random *r) {
    int64_t low, high, item = tirbi_dtypes[t->type].size;
    bool any = reach(t, ndim, &low, &high);
    if (high - low > most) return false;
    if (offset < 0) offset = -low + (fuzz_one_in(r, 4) ? fuzz_below(r, 3) : 0);
    size_t span = any ? (size_t)((high + 1) * item) : 0;
    t->skew = fuzz_one_in(r, 4) ? fuzz_below(r, 16) : 0;
    t->size = t->skew + (size_t)(offset * item) + span;
    t->block = fuzz_allocate(t->size);
    t->view.data = t->block + t->skew;
    t->view.byte_offset = (uint64_t)(offset * item);
    return true;
}

typedef struct choice {
    const tirbi_function *function;
    int64_t values[MAX_VARS];
    bool bound[MAX_VARS];
    int64_t most; /* elements of a tensor */
    fuzz_random random;
} choice;

/* A dimension's value, within what a tensor here may have. */
static bool evaluate(const choice *c, const tirbi_dim *dim, int64_t *out) {
    return tirbi_dim_eval(dim, c->values, c->bound, out, NULL) == TIRB_OK && *out >= 0 && *out <= c->most;
}

static bool shape_tensor(choice *c, const tirbi_param *param, fuzz_tensor *t) {
    int64_t count = 1;
    for (int i = 0; i < param->ndim; i++) {
        if (!evaluate(c, &param->shape[i], &t->shape[i])) return false;
        count *= t->shape[i] > 0 ? t->shape[i] : 1;
        if (count > c->most) return false;
    }
    int64_t stride = 1;
    for (int i = param->ndim - 1; i >= 0; i--) {
        t->strides[i] = stride;
        stride *= t->shape[i];
    }
    return true;
}

static bool make_tensor(choice *c, const tirbi_param *param, fuzz_tensor *t, tirb_arg *arg) {
    t->type = (tirbi_dtype)param->dtype;
    t->written = param->access & TIRBI_WRITE;
    t->whole = param->has_strides;
    if (!shape_tensor(c, param, t)) return false;
    bool strided = param->has_strides;
    for (int i = 0; strided && i < param->ndim; i++) {
        if (!evaluate(c, &param->strides[i], &t->strides[i])) return false;
    }
    if (!strided && !param->has_elem_offset && fuzz_one_in(&c->random, 4)) {
        choose_strides(t, param->ndim, &c->random);
        strided = true;
    }
    int64_t offset = -1;
    if (param->has_elem_offset && !evaluate(c, &param->elem_offset, &offset)) return false;
    if (!allocate(t, param->ndim, offset, c->most, &c->random)) return false;
    t->view.device.device_type = kDLCPU;
    t->view.ndim = param->ndim;
    t->view.dtype = tirbi_dtype_to_dl(t->type);
    t->view.shape = t->shape;
    t->view.strides = strided || fuzz_one_in(&c->random, 4) ? t->strides : NULL;
    *arg = (tirb_arg){.kind = TIRB_ARG_TENSOR, .value.tensor = &t->view};
    fill(t, &c->random);
    return true;
}

/* ---- Arguments ------------------------------------------------------------------------------------------------- */

static void make_scalar(choice *c, uint32_t index, tirb_arg *arg) {
    const tirbi_param *param = &c->function->params[index];
    tirbi_dtype type = (tirbi_dtype)param->dtype;
    if (tirbi_dtype_is_float(type)) {
        float value;
        uint32_t bits = (uint32_t)float_bits(TIRB_F32, &c->random);
        memcpy(&value, &bits, sizeof(value));
        *arg = (tirb_arg){.kind = TIRB_ARG_FLOAT, .value.f = (double)value};
        return;
    }
    int64_t value = fuzz_one_in(&c->random, 3) ? fuzz_interesting(&c->random) : (int64_t)fuzz_below(&c->random, 20);
    if (type == TIRB_BOOL) value &= 1;
    for (unsigned v = 0; v < c->function->n_vars; v++) {
        if (c->function->vars[v].param == index) value = c->values[v];
    }
    *arg = (tirb_arg){.kind = TIRB_ARG_INT, .value.i = value};
}

/* Now and then one extent is around the sizes of blocks of kernels, or past the caches. Drawn apart from the rest. */
static void choose_large(choice *c, uint64_t seed) {
    static const uint16_t extents[] = {255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097};
    fuzz_random r = fuzz_seed(~seed);
    if (c->function->n_vars == 0 || !fuzz_one_in(&r, 6)) return;
    int64_t *value = &c->values[fuzz_below(&r, c->function->n_vars)];
    *value = extents[fuzz_below(&r, sizeof(extents) / sizeof(extents[0]))];
    if (!fuzz_one_in(&r, 512)) return;
    *value = PAST_CACHES;
    c->most = 2 * PAST_CACHES;
}

/* Small extents, around the sizes of vectors and strips. Later attempts try smaller ones. */
static void choose_vars(choice *c, uint32_t attempt) {
    static const uint8_t extents[] = {1, 2, 3, 4, 5, 0, 7, 8, 16, 17, 31, 33, 64, 65, 100, 127};
    for (unsigned v = 0; v < c->function->n_vars; v++) {
        uint32_t most = (uint32_t)sizeof(extents) >> attempt;
        c->values[v] = extents[fuzz_below(&c->random, most ? most : 1)];
        c->bound[v] = true;
    }
}

static bool make(fuzz_arguments *a, choice *c, uint64_t seed, uint32_t attempt) {
    memset(a, 0, sizeof(*a));
    a->n = c->function->n_params;
    c->most = MAX_TENSOR;
    choose_vars(c, attempt);
    if (attempt < 2) choose_large(c, seed);
    for (uint32_t i = 0; i < a->n; i++) {
        const tirbi_param *param = &c->function->params[i];
        if (param->kind != TIRB_PARAM_TENSOR) {
            make_scalar(c, i, &a->args[i]);
        } else if (!make_tensor(c, param, &a->tensors[i], &a->args[i])) {
            fuzz_arguments_free(a);
            return false;
        }
    }
    return true;
}

bool fuzz_arguments_make(fuzz_arguments *a, const tirbi_function *function, uint64_t seed) {
    if (function->n_params > FUZZ_MAX_ARGS || function->n_vars > MAX_VARS) return false;
    choice c = {.function = function, .random = fuzz_seed(seed)};
    for (uint32_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (!make(a, &c, seed, attempt)) continue;
        a->is_far = c.most > MAX_TENSOR;
        return true;
    }
    return false;
}

void fuzz_arguments_copy(fuzz_arguments *to, const fuzz_arguments *from) {
    *to = *from;
    for (uint32_t i = 0; i < from->n; i++) {
        fuzz_tensor *t = &to->tensors[i];
        if (!t->block) continue;
        t->block = fuzz_copy(from->tensors[i].block, t->size);
        t->view.data = t->block + t->skew;
        t->view.shape = t->shape;
        if (t->view.strides) t->view.strides = t->strides;
        to->args[i].value.tensor = &t->view;
    }
}

void fuzz_arguments_refill(fuzz_arguments *a, uint64_t seed) {
    fuzz_random random = fuzz_seed(seed);
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->tensors[i].block) fill(&a->tensors[i], &random);
    }
}

void fuzz_arguments_free(fuzz_arguments *a) {
    for (uint32_t i = 0; i < a->n; i++) free(a->tensors[i].block);
    a->n = 0;
}

/* ---- Comparing ------------------------------------------------------------------------------------------------- */

/* Marks the bytes of the elements: every index tuple is visited. */
static void mark_elements(const fuzz_tensor *t, uint8_t *marks) {
    int64_t index[TIRBI_MAX_NDIM] = {0};
    size_t item = tirbi_dtypes[t->type].size;
    for (int i = 0; i < t->view.ndim; i++) {
        if (t->shape[i] == 0) return;
    }
    int d;
    do {
        int64_t at = (int64_t)t->skew + (int64_t)t->view.byte_offset;
        for (int i = 0; i < t->view.ndim; i++) at += index[i] * t->strides[i] * (int64_t)item;
        memset(marks + at, 1, item);
        for (d = t->view.ndim - 1; d >= 0 && ++index[d] == t->shape[d]; d--) index[d] = 0;
    } while (d >= 0);
}

void fuzz_arguments_check_kept(const fuzz_arguments *before, const fuzz_arguments *after) {
    for (uint32_t i = 0; i < before->n; i++) {
        const fuzz_tensor *b = &before->tensors[i], *a = &after->tensors[i];
        if (!b->block || memcmp(a->block, b->block, b->size) == 0) continue;
        if (!b->written) fuzz_fail("argument %u is only read, but changed", i);
        if (b->whole) continue;
        uint8_t *marks = fuzz_allocate(b->size);
        memset(marks, 0, b->size);
        mark_elements(b, marks);
        for (size_t k = 0; k < b->size; k++) {
            if (!marks[k] && a->block[k] != b->block[k]) fuzz_fail("argument %u: byte %zu is no element's", i, k);
        }
        free(marks);
    }
}

bool fuzz_arguments_equal(const fuzz_arguments *a, const fuzz_arguments *b, uint32_t *out_tensor) {
    for (uint32_t i = 0; i < a->n; i++) {
        *out_tensor = i;
        if (a->tensors[i].block && memcmp(a->tensors[i].block, b->tensors[i].block, a->tensors[i].size) != 0)
            return false;
    }
    return true;
}
