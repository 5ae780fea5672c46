/* Every value of 8 and 16 bits, and of 32 and 64 those that are sums and differences of two powers of two, or beside
 * one: where roundings, carries and saturation change. Second operands are the same for all elements, as in a strip
 * that holds one scalar, or two in turns. */
#include "tests/checkasm/checkasm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/sampled.h"
#include "vm/lanes/slots.h"

enum { MOST = 1 << 16, INTEGER_STEP = 331, FLOAT_STEP = 6619 };

typedef struct values {
    size_t n;
    uint8_t bytes[MOST * 8];
} values;

static void add_value(values *v, tirbi_dtype type, uint64_t bits) {
    const size_t size = tirbi_dtypes[type].size;
    if (v->n == MOST) return;
    memcpy(v->bytes + v->n++ * size, tirbi_slot_bytes(&bits, size), size);
}

/* As bits, which are numbers where the type has integers, and as numbers where it has others. */
static void add_around(values *v, tirbi_dtype type, uint64_t integer) {
    for (unsigned k = 0; k < 6; k++) {
        const uint64_t near = integer + k % 3 - 1, bits = k < 3 ? near : 0 - near;
        add_value(v, type, bits);
        const double number = (double)(int64_t)bits, half = number / 2;
        if (type == TIRB_F64) add_value(v, type, tirbi_slot_of_f64(k < 3 ? number : half));
        if (type == TIRB_F32) add_value(v, type, tirbi_slot_of_f32((float)(k < 3 ? number : half)));
    }
}

static void all_values(values *v, tirbi_dtype type) {
    const unsigned bits = tirbi_dtypes[type].bits;
    v->n = 0;
    if (bits <= 16) {
        const unsigned step = bits == 8 ? 1 : sampled_every();
        for (uint64_t k = 0; k < (uint64_t)1 << bits; k += step) add_value(v, type, k);
        return;
    }
    for (unsigned i = 0; i < bits; i++) {
        for (unsigned j = i % sampled_every(); j <= i; j += sampled_every()) {
            add_around(v, type, ((uint64_t)1 << i) + ((uint64_t)1 << j));
            add_around(v, type, ((uint64_t)1 << i) - ((uint64_t)1 << j));
        }
    }
}

/* The second operands: every one of 8 bits, some of 16, and of more those beside powers of two, and a few others. */
static void some_values(values *v, tirbi_dtype type) {
    const unsigned bits = tirbi_dtypes[type].bits;
    const bool is_float = tirbi_dtype_is_float(type);
    v->n = 0;
    if (bits <= 16) {
        const uint64_t step = bits == 8 ? 1 : is_float ? FLOAT_STEP : INTEGER_STEP;
        for (uint64_t k = 0; k < (uint64_t)1 << bits; k += step * sampled_every()) add_value(v, type, k);
        return;
    }
    if (is_float) return;
    for (unsigned i = 0; i < bits; i += sampled_every()) add_around(v, type, (uint64_t)1 << i);
    for (uint64_t k = 3; k < (uint64_t)1 << (bits - 4); k = k * 3 + 1) add_around(v, type, k);
}

typedef struct tries {
    checker *checker;
    const tirb_isa *isas;
    unsigned n_isas;
} tries;

static values first, second, ones, want, got;

static bool differs(const tries *t, twin_id id) {
    const size_t bytes = first.n * tirbi_dtypes[twin_result(id)].size;
    const uint8_t *b = twin_arity(id) > 1 ? ones.bytes : NULL;
    const bool fine = twin_kernel(tirbi_kernels(TIRB_ISA_GENERIC), id)(want.bytes, first.bytes, b, NULL, first.n);
    for (unsigned k = 0; k < t->n_isas; k++) {
        const bool same = twin_kernel(tirbi_kernels(t->isas[k]), id)(got.bytes, first.bytes, b, NULL, first.n) == fine;
        if (same && (!fine || memcmp(want.bytes, got.bytes, bytes) == 0)) continue;
        char name[48];
        size_t i = 0;
        while (same && want.bytes[i] == got.bytes[i]) i++;
        twin_name(id, name, sizeof name);
        printf("FAIL %s %s: %s at value %zu\n", tirb_isa_name(t->isas[k]), name, same ? "differs" : "stops",
               i / tirbi_dtypes[twin_result(id)].size);
        t->checker->failures++;
        return true;
    }
    return false;
}

/* Of `turns` second operands from number k on, which are no zeros. */
static void fill_ones(tirbi_dtype type, size_t k, size_t turns) {
    const size_t size = tirbi_dtypes[type].size, bytes = first.n * size;
    static const uint8_t zero[8];
    for (size_t i = 0; i < turns; i++) {
        uint8_t *one = ones.bytes + i * size;
        memcpy(one, second.bytes + (k + i) % second.n * size, size);
        if (memcmp(one, zero, size) == 0) *one = 1;
    }
    for (size_t filled = turns * size; filled < bytes; filled *= 2) {
        memcpy(ones.bytes + filled, ones.bytes, filled < bytes - filled ? filled : bytes - filled);
    }
}

unsigned check_every(checker *c, const tirb_isa *isas, unsigned n_isas, int n_words, char **words) {
    const tries t = {c, isas, n_isas};
    unsigned n = 0;
    twin_id id;
    for (bool is_first = true; next_twin(&id, is_first); is_first = false) {
        if (twin_arity(id) > 2 || !twin_wanted(id, n_words, words)) continue;
        const tirbi_dtype type = twin_operand(id, 0);
        all_values(&first, type);
        n++;
        if (twin_arity(id) == 1) {
            differs(&t, id);
            continue;
        }
        some_values(&second, type);
        for (size_t k = 0; k < second.n; k++) {
            fill_ones(type, k, 1);
            if (differs(&t, id)) break;
            fill_ones(type, k, 2);
            if (k % 8 == 0 && differs(&t, id)) break;
        }
    }
    return n;
}

static tirbi_scalar scalar_of(tirb_isa isa, twin_id id) {
    const tirbi_kernel_table *kernels = tirbi_kernels(isa);
    const tirbi_scalars *scalars = kernels->scalars;
    return id.kind == TWIN_OP     ? tirbi_scalar_of(kernels, id.row - TIRBI_FIRST_ELEMENTWISE, id.column)
           : id.kind == TWIN_CAST ? scalars->cast[id.row][id.column]
                                  : scalars->bits[id.row][id.column];
}

/* As a register holds it. */
static uint64_t any_slot(checker *c, tirbi_dtype type) {
    uint64_t value = 0;
    put_any(c, tirbi_slot_bytes(&value, tirbi_dtypes[type].size), type);
    const unsigned unused = 64 - tirbi_dtypes[type].bits;
    return tirbi_dtype_is_signed(type) ? (uint64_t)((int64_t)(value << unused) >> unused) : value;
}

unsigned check_scalars(checker *c, tirb_isa isa) {
    enum { TRIES = 2000 };
    unsigned n = 0;
    twin_id id;
    for (bool is_first = true; next_twin(&id, is_first); is_first = false) {
        const tirbi_scalar mine = scalar_of(isa, id), plain = scalar_of(TIRB_ISA_GENERIC, id);
        bool same = !mine == !plain;
        for (unsigned k = 0; mine && same && k < TRIES; k++) {
            uint64_t operands[3] = {0, 0, 0}, got_slot = 0, want_slot = 0;
            for (unsigned i = 0; i < twin_arity(id); i++) operands[i] = any_slot(c, twin_operand(id, i));
            const bool fine = plain(&want_slot, operands[0], operands[1], operands[2]);
            same = mine(&got_slot, operands[0], operands[1], operands[2]) == fine && (!fine || got_slot == want_slot);
        }
        n += mine != NULL;
        if (same) continue;
        char name[48];
        twin_name(id, name, sizeof name);
        printf("FAIL %s %s: the function of one element differs\n", tirb_isa_name(isa), name);
        c->failures++;
    }
    return n;
}
