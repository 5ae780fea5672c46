/* Blocks of lanes are no smaller than those of kernels: no kernel copies its operands but where a loop is that short.
 * Every kernel is run alone and in the company of lanes of each size, which choose how many there are in a block. */
#include "tests/checkasm/checkasm.h"
#include "tests/unit/machine_harness.h"
#include "tests/unit/sampled.h"

/* The linker sends calls of tirbi_kernel_of_few here. */
static unsigned n_few;
bool __real_tirbi_kernel_of_few(void *d, const void *a, const void *b, const void *c, size_t n, tirbi_kernel kernel,
                                tirbi_kernel_block block);
bool __wrap_tirbi_kernel_of_few(void *d, const void *a, const void *b, const void *c, size_t n, tirbi_kernel kernel,
                                tirbi_kernel_block block);
bool __wrap_tirbi_kernel_of_few(void *d, const void *a, const void *b, const void *c, size_t n, tirbi_kernel kernel,
                                tirbi_kernel_block block) {
    n_few += n > 0;
    return __real_tirbi_kernel_of_few(d, a, b, c, n, kernel, block);
}

/* LANES is a whole number of blocks of any machine and any size of lanes; WHOLE + 1 lanes are one block and one lane of
 * loops without banks. */
enum { LANES = 6144, WHOLE = 2048, N_REFS = 6, TEXT_SIZE = 2000 };

static const uint8_t companions[] = {TIRB_TYPE_NONE, TIRB_I8, TIRB_I16, TIRB_F32, TIRB_F64};

/* r0 .. r2 are the kernel's operands, r3 its result; the companion, which is as heavy as three additions, is in r4 and
 * r5. */
static void write_program(char *to, twin_id id, uint8_t companion, uint8_t *types) {
    const char *const other = companion == TIRB_TYPE_NONE ? "f32" : tirbi_dtypes[companion].name;
    int size = snprintf(to, TEXT_SIZE, ".function \"f\" public\n.scalars 1\n.lanes 6\n");
    const unsigned arity = twin_arity(id);
    for (unsigned r = 0; r < 4; r++)
        types[r] = (uint8_t)(r == 3 ? twin_result(id) : r < arity ? twin_operand(id, r) : TIRB_I8);
    types[4] = types[5] = companion == TIRB_TYPE_NONE ? TIRB_F32 : companion;
#define SAY(...) size += snprintf(to + size, (size_t)(TEXT_SIZE - size), __VA_ARGS__)
    for (unsigned r = 0; r < N_REFS; r++)
        SAY(".ref %s%s\n", tirbi_dtypes[types[r]].name, r == 3 || r == 5 ? " writable" : "");
    for (unsigned r = 0; r < N_REFS; r++)
        SAY(".tensor \"t%u\" %s r%u %s ($0)\n", r, tirbi_dtypes[types[r]].name, r, r == 3 || r == 5 ? "write" : "read");
    SAY(".var \"n\" i64 s0\nlane s0, done\n");
    for (unsigned r = 0; r < N_REFS; r++)
        SAY(".cursor r%u %s %s 0 0 1\n", r, tirbi_dtypes[types[r]].name, r == 3 || r == 5 ? "write" : "read");
    for (unsigned r = 0; r < arity; r++) SAY("vload.%s v%u, c%u\n", tirbi_dtypes[types[r]].name, r, r);
    if (companion != TIRB_TYPE_NONE) SAY("vload.%s v4, c4\nvadd.%s v5, v4, v4\n", other, other);
    if (id.kind == TWIN_OP) {
        SAY("v%s.%s v3", tirbi_ops[id.row].mnemonic, tirbi_dtypes[id.column].name);
        for (unsigned r = 0; r < arity; r++) SAY(", v%u", r);
    } else {
        SAY("v%s.%s v3, v0, %s", id.kind == TWIN_CAST ? "cast" : "bits", tirbi_dtypes[id.row].name,
            tirbi_dtypes[id.column].name);
    }
    SAY("\n");
    if (companion != TIRB_TYPE_NONE) SAY("vadd.%s v5, v5, v4\nvadd.%s v5, v5, v4\nvstore.%s c5, v5\n", other, other, other);
    SAY("vstore.%s c3, v3\ndone:\nlane.end\nret.void\n.end\n", tirbi_dtypes[types[3]].name);
#undef SAY
}

/* How many calls of kernels copied their operands. */
static unsigned count_few(harness *h, unsigned isa, const uint8_t *types, uint8_t *const *memory, uint64_t n) {
    tirbi_ref refs[N_REFS];
    for (unsigned r = 0; r < N_REFS; r++)
        refs[r] = (tirbi_ref){
            .data = memory[r], .size = n * tirbi_dtypes[types[r]].size, .type = types[r], .writable = true};
    n_few = 0;
    outcome out = harness_run_one(h, isa, &n, refs, UINT64_MAX, UINT64_MAX, 100, TIRBI_RUN);
    if (out.status != TIRB_OK) harness_fail(h, "%s", out.error.message);
    return n_few;
}

static void no_copies_but_of_short_loops(void **state) {
    uint8_t *memory[N_REFS];
    unsigned number = 0, n_short = 0;
    (void)state;
    for (unsigned r = 0; r < N_REFS; r++) {
        memory[r] = malloc(LANES * sizeof(uint64_t));
        assert_non_null(memory[r]);
    }
    twin_id id = {0};
    for (bool any = next_twin(&id, true); any; any = next_twin(&id, false)) {
        if (number++ % sampled_every() != 0) continue;
        for (unsigned k = 0; k < sizeof companions; k++) {
            char text[TEXT_SIZE];
            uint8_t types[N_REFS];
            harness h;
            write_program(text, id, companions[k], types);
            for (unsigned r = 0; r < N_REFS; r++) put_ordinary(memory[r], (tirbi_dtype)types[r], LANES, r);
            harness_open(&h, text);
            for (unsigned isa = 0; isa < h.n_isas; isa++) {
                unsigned n = count_few(&h, isa, types, memory, LANES);
                if (n > 0) harness_fail(&h, "%s: %u calls copied operands", tirb_isa_name(h.isas[isa]), n);
                /* What is computed twice at the end is nothing to this. */
                n = count_few(&h, isa, types, memory, WHOLE + 1);
                if (n > 1) harness_fail(&h, "%s: %u calls at the end", tirb_isa_name(h.isas[isa]), n);
                n_short += count_few(&h, isa, types, memory, 3);
            }
            harness_close(&h);
        }
    }
    assert_true(n_short > 0);
    for (unsigned r = 0; r < N_REFS; r++) free(memory[r]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_copies_but_of_short_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
