/* The kernels by number, and the values that they are tried on. */
#include "tests/checkasm/checkasm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vm/lanes/slots.h"
#include "vm/math/half.h"

enum { N_OPS = TIRBI_N_ELEMENTWISE * TIRB_N_DTYPES, N_PAIRS = TIRB_N_DTYPES * TIRB_N_DTYPES };

static twin_id twin_of(unsigned index) {
    if (index < N_OPS)
        return (twin_id){TWIN_OP, index / TIRB_N_DTYPES + TIRBI_FIRST_ELEMENTWISE, index % TIRB_N_DTYPES};
    index -= N_OPS;
    return (twin_id){index < N_PAIRS ? TWIN_CAST : TWIN_BITS, index % N_PAIRS / TIRB_N_DTYPES, index % TIRB_N_DTYPES};
}

static unsigned index_of(twin_id id) {
    if (id.kind == TWIN_OP) return (id.row - TIRBI_FIRST_ELEMENTWISE) * TIRB_N_DTYPES + id.column;
    return N_OPS + (id.kind == TWIN_CAST ? 0u : N_PAIRS) + id.row * TIRB_N_DTYPES + id.column;
}

bool next_twin(twin_id *id, bool first) {
    for (unsigned i = first ? 0 : index_of(*id) + 1; i < N_OPS + 2 * N_PAIRS; i++) {
        *id = twin_of(i);
        if (twin_kernel(tirbi_kernels(TIRB_ISA_GENERIC), *id) != NULL) return true;
    }
    return false;
}

tirbi_kernel twin_kernel(const tirbi_kernel_table *table, twin_id id) {
    return id.kind == TWIN_OP     ? table->op[id.row - TIRBI_FIRST_ELEMENTWISE][id.column]
           : id.kind == TWIN_CAST ? table->cast[id.row][id.column]
                                  : table->bits[id.row][id.column];
}

unsigned twin_arity(twin_id id) { return id.kind == TWIN_OP ? tirbi_ops[id.row].arity : 1; }

tirbi_dtype twin_result(twin_id id) {
    return id.kind == TWIN_OP ? (tirbi_dtype)tirbi_op_result_type((tirbi_op)id.row, (tirbi_dtype)id.column)
                              : (tirbi_dtype)id.row;
}

tirbi_dtype twin_operand(twin_id id, unsigned i) {
    tirbi_dtype type = (tirbi_dtype)id.column;
    return id.kind == TWIN_OP ? (tirbi_dtype)tirbi_op_operand_type((tirbi_op)id.row, type, type, i) : type;
}

void twin_name(twin_id id, char *to, size_t size) {
    if (id.kind == TWIN_OP)
        snprintf(to, size, "%s.%s", tirbi_ops[id.row].mnemonic, tirbi_dtypes[id.column].name);
    else
        snprintf(to, size, "%s.%s.%s", id.kind == TWIN_CAST ? "cast" : "bits", tirbi_dtypes[id.row].name,
                 tirbi_dtypes[id.column].name);
}

bool twin_wanted(twin_id id, int n_words, char **words) {
    char name[48];
    twin_name(id, name, sizeof name);
    for (int i = 0; i < n_words; i++)
        if (strstr(name, words[i]) != NULL) return true;
    return n_words == 0;
}

unsigned simd_isas(tirb_isa *to) {
    static const tirb_isa all[] = {TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
    unsigned n = 0;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (tirb_isa_available(all[i])) to[n++] = all[i];
    return n;
}

/* ---- Values ----------------------------------------------------------------------------------------------------- */

/* Edges of the formats, of saturation and of the functions. Those of the widest type are rounded to the others. */
static const double doubles[] = {
    0.0, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, 0.49999997, 0.99999994, 1.0000001, 0x1p-24, 0x1p-25, 0x1p-14, 0x1p-15,
    0x1.ffcp15, 65519.0, 65520.0, 0x1p-126, 0x1p-127, 0x1p-149, 0x1p-150, 0x1.fffffep127, 0x1.ffffffp127, 0x1p128,
    0x1p-1022, 0x1p-1023, 0x1p-1074, 0x1.fffffffffffffp1023, INFINITY, 127.0, 127.5, 128.0, 128.5, 129.0, 255.0, 255.5,
    256.0, 32767.0, 32767.5, 32768.0, 32769.0, 65535.0, 65535.5, 65536.0, 0x1p22, 0x1.000002p22, 0x1p23, 0x1.fffffep22,
    0x1.fffffep30, 2147483647.0, 0x1p31, 2147483649.0, 0x1.fffffep31, 4294967295.0, 0x1p32, 0x1p52, 4503599627370495.5,
    0x1p53, 0x1.fffffffffffffp62, 0x1p63, 0x1.fffffffffffffp63, 0x1p64, 88.72, 88.73, 103.97, 709.78, 745.13, 1e22,
    0x1.921fb6p0, 0x1.921fb54442d18p+1, 0x1.5bf0a8p1, 1e-4, 1e-10, 13.0, 30.0, 1e5, 0x1p20, 3e5};
/* NaNs of each kind: quiet and signalling, with and without more payload. */
static const uint64_t nans_16[] = {0x7E00, 0x7E01, 0x7C01, 0x7D55}, nans_bf16[] = {0x7FC0, 0x7FC1, 0x7F81, 0x7FAA},
                      nans_32[] = {0x7FC00000, 0x7FC00001, 0x7F800001, 0x7FAAAAAA},
                      nans_64[] = {0x7FF8000000000000, 0x7FF8000000000001, 0x7FF0000000000001, 0x7FF555555555AAAA};
static const uint64_t integers[] = {0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100, 0x7F, 0x80, 0xFF, 0x100,
                                    0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000,
                                    0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0x5555555555555555, 0x00FF00FF00FF00FF};
#define COUNT(array) ((unsigned)(sizeof(array) / sizeof *(array)))

unsigned n_specials(tirbi_dtype type) {
    if (type == TIRB_BOOL) return 2;
    return 2 * (tirbi_dtype_is_float(type) ? COUNT(doubles) + COUNT(nans_32) : COUNT(integers));
}

static uint64_t float_bits(tirbi_dtype type, double value) {
    switch ((unsigned)type) {
    case TIRB_F16: return tirbi_f64_to_f16(value);
    case TIRB_BF16: return tirbi_f64_to_bf16(value);
    case TIRB_F32: return tirbi_f32_bits((float)value);
    default: return tirbi_f64_bits(value);
    }
}

static uint64_t nan_bits(tirbi_dtype type, unsigned i) {
    switch ((unsigned)type) {
    case TIRB_F16: return nans_16[i];
    case TIRB_BF16: return nans_bf16[i];
    case TIRB_F32: return nans_32[i];
    default: return nans_64[i];
    }
}

static void put_bits(void *to, tirbi_dtype type, uint64_t bits) {
    memcpy(to, tirbi_slot_bytes(&bits, tirbi_dtypes[type].size), tirbi_dtypes[type].size);
}

void put_special(void *to, tirbi_dtype type, unsigned i) {
    bool negative = (i & 1) != 0;
    if (type == TIRB_BOOL) {
        put_bits(to, type, i & 1);
    } else if (tirbi_dtype_is_float(type)) {
        uint64_t bits = i / 2 < COUNT(doubles) ? float_bits(type, doubles[i / 2])
                                               : nan_bits(type, i / 2 - COUNT(doubles));
        put_bits(to, type, negative ? bits | (uint64_t)1 << (tirbi_dtypes[type].bits - 1) : bits);
    } else {
        put_bits(to, type, negative ? 0 - integers[i / 2] : integers[i / 2]);
    }
}

void put_random(void *to, tirbi_dtype type, uint64_t random) {
    uint64_t bits = random * UINT64_C(0x9E3779B97F4A7C15);
    if (type == TIRB_BOOL) {
        put_bits(to, type, bits >> 63);
    } else if (!tirbi_dtype_is_float(type)) {
        put_bits(to, type, (random & 1) != 0 ? bits : bits >> (bits & 63));
    } else if (random % 3 == 0) {
        put_bits(to, type, bits);
    } else { /* of ordinary size */
        uint64_t exponent = 1015 + random % 72;
        put_bits(to, type, float_bits(type, tirbi_f64_from_bits((bits & ~(UINT64_C(0x7FF) << 52)) | exponent << 52)));
    }
}

void put_ordinary(uint8_t *to, tirbi_dtype type, size_t n, unsigned seed) {
    for (size_t i = 0; i < n; i++) {
        double value = 0.5 + (double)((i * 2654435761u + seed) % 4096) / 1024;
        int64_t integer = (int64_t)((i * 2654435761u + seed) % 100) + 1;
        float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        uint16_t half = type == TIRB_F16 ? (uint16_t)(0x3800 + i % 2048) : (uint16_t)(bits >> 16);
        size_t size = tirbi_dtypes[type].size;
        uint8_t *at = to + i * size;
        if (type == TIRB_F64)
            memcpy(at, &value, size);
        else if (type == TIRB_F32)
            memcpy(at, &narrow, size);
        else if (tirbi_dtype_is_float(type))
            memcpy(at, &half, size);
        else if (type == TIRB_BOOL)
            *at = i & 1;
        else
            put_bits(at, type, (uint64_t)integer);
    }
}
