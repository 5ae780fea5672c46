/* checkasm: every strip kernel of every instruction set beside its generic twin, for bits and for time. */
#ifndef TIRB_TESTS_CHECKASM_CHECKASM_H
#define TIRB_TESTS_CHECKASM_CHECKASM_H

#include "loader/isa/isa.h"
#include "vm/lanes/kernels.h"

/* One kernel of the table, whatever the instruction set. */
typedef struct twin_id {
    enum { TWIN_OP, TWIN_CAST, TWIN_BITS } kind;
    unsigned row;    /* opcode, or the type that the result has */
    unsigned column; /* type, or the type that is converted */
} twin_id;

/* The next kernel that the generic table has, from {0} on; false behind the last. */
bool next_twin(twin_id *id, bool first);
tirbi_kernel twin_kernel(const tirbi_kernel_table *table, twin_id id);
unsigned twin_arity(twin_id id);
tirbi_dtype twin_result(twin_id id);
tirbi_dtype twin_operand(twin_id id, unsigned i);
/* Such as exp.f32 or cast.i8.f32. */
void twin_name(twin_id id, char *to, size_t size);
/* Whether the name contains one of the words; true if there are none. */
bool twin_wanted(twin_id id, int n_words, char **words);

/* The instruction sets beside generic that this machine has; returns how many. */
unsigned simd_isas(tirb_isa *to);

/* A value of the type, put where it belongs: a special one of its edges, or random bits. `n_specials` tells how many
 * special ones there are. */
unsigned n_specials(tirbi_dtype type);
void put_special(void *to, tirbi_dtype type, unsigned i);
void put_random(void *to, tirbi_dtype type, uint64_t random);

/* Prints nanoseconds per element of 1024 elements in the first-level cache for each kernel and instruction set, beside
 * the C library's function where it has one. */
int bench_twins(int n_words, char **words);

#endif
