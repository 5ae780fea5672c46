#include "tests/differential/host.h"

#include <string.h>

#include "loader/isa/isa.h"

enum { MAX_OFFERS = 64, MAX_LOOKED_AT = 4096 };

/* ---- What a call is about --------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t mix_view(uint64_t hash, const DLTensor *t) {
    uint64_t bytes = (uint64_t)t->shape[0] * (t->dtype.bits / 8u);
    hash = mix(hash, (uint64_t)t->shape[0]);
    hash = mix(hash, (uint64_t)t->ndim << 32 | (uint64_t)t->strides[0]);
    const uint8_t *p = (const uint8_t *)t->data + t->byte_offset;
    for (uint64_t i = 0; i < bytes && i < MAX_LOOKED_AT; i++) hash = mix(hash, p[i]);
    return hash;
}

static uint64_t mix_args(const tirb_import_arg *args, uint32_t n) {
    uint64_t hash = n;
    for (uint32_t i = 0; i < n; i++) {
        hash = mix(hash, (uint64_t)args[i].kind << 32 | args[i].flags << 24 | (uint32_t)args[i].dtype.code << 16 |
                             args[i].dtype.bits);
        if (args[i].kind == TIRB_ARG_TENSOR) hash = mix_view(hash, args[i].value.tensor);
        else hash = mix(hash, (uint64_t)args[i].value.i);
    }
    return hash;
}

/* ---- What a call does ------------------------------------------------------------------------------------------- */

static void swap(uint8_t *a, uint8_t *b, uint32_t size) {
    uint8_t held[8];
    memcpy(held, a, size);
    memmove(a, b, size);
    memcpy(b, held, size);
}

/* Some elements change places with those at the other end: what is there stays a value of its type. */
static void stir_view(const DLTensor *t, uint64_t hash) {
    uint32_t item = t->dtype.bits / 8u;
    uint64_t n = (uint64_t)t->shape[0];
    uint8_t *p = (uint8_t *)t->data + t->byte_offset;
    for (uint64_t i = hash % 3; i < n / 2; i += 1 + hash % 2) swap(p + i * item, p + (n - 1 - i) * item, item);
    if (n > 1) swap(p, p + item, item);
}

static void give(tirb_result *result, uint64_t hash) {
    tirbi_dtype type;
    if (result->dtype.bits == 0 || !tirbi_dtype_from_dl(result->dtype, &type)) return;
    if (tirbi_dtype_is_float(type)) result->value.f = ((double)(hash % 2001) - 1000) / 16;
    else if (type == TIRB_BOOL) result->value.i = (int64_t)(hash & 1);
    else result->value.i = (int64_t)(hash % 128);
}

static uint64_t act(tirbi_diff_host *host, const tirb_import_arg *args, uint32_t n) {
    uint64_t hash = mix(mix_args(args, n), host->calls++);
    host->seen = mix(host->seen, hash);
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].kind == TIRB_ARG_TENSOR && !(args[i].flags & TIRB_ARG_READ_ONLY))
            stir_view(args[i].value.tensor, hash);
    }
    return hash;
}

static tirb_status stir(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                        uint64_t remaining_ns, tirb_error *error) {
    (void)remaining_ns, (void)error;
    give(result, act(context, args, n_args));
    return TIRB_OK;
}

static tirb_status few(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                       uint64_t remaining_ns, tirb_error *error) {
    (void)remaining_ns, (void)error;
    give(result, act(context, args, n_args) & 3);
    return TIRB_OK;
}

static tirb_status moody(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                         uint64_t remaining_ns, tirb_error *error) {
    (void)remaining_ns;
    uint64_t hash = act(context, args, n_args);
    give(result, hash);
    if (hash % 32 != 0) return TIRB_OK;
    strcpy(error->message, "not today");
    return TIRB_ARGUMENT;
}

static tirb_status pure(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                        uint64_t remaining_ns, tirb_error *error) {
    (void)context, (void)remaining_ns, (void)error;
    give(result, mix_args(args, n_args));
    return TIRB_OK;
}

/* ---- Binding ---------------------------------------------------------------------------------------------------- */

void tirbi_diff_imports(tirbi_diff_host *host, tirb_import out[TIRBI_DIFF_IMPORTS]) {
    out[0] = (tirb_import){.name = "stir", .function = stir, .context = host};
    out[1] = (tirb_import){.name = "few", .function = few, .context = host};
    out[2] = (tirb_import){.name = "moody", .function = moody, .context = host};
    out[3] = (tirb_import){.name = "pure", .function = pure, .context = host};
}

tirb_status tirbi_diff_bind(tirb_module *module, tirb_instance *instance, tirbi_diff_host *host, tirb_error *error) {
    tirb_import known[TIRBI_DIFF_IMPORTS];
    tirb_import offers[MAX_OFFERS];
    uint32_t n = 0;
    tirbi_diff_imports(host, known);
    for (uint32_t i = 0; i < tirb_module_import_count(module) && n < MAX_OFFERS; i++) {
        tirb_import_info info = TIRB_IMPORT_INFO_INIT;
        tirb_status status = tirb_module_import(module, i, &info, error);
        if (status != TIRB_OK) return status;
        for (uint32_t k = 0; k < TIRBI_DIFF_IMPORTS; k++) {
            if (strcmp(info.name, known[k].name) != 0) continue;
            offers[n] = known[k];
            offers[n++].types = info.types;
        }
    }
    return tirb_instance_bind(instance, offers, n, error);
}
