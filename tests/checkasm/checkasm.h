/* checkasm: everything that an instruction set has of its own beside its generic twin, for bits and for time. */
#ifndef TIRB_TESTS_CHECKASM_CHECKASM_H
#define TIRB_TESTS_CHECKASM_CHECKASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/isa/isa.h"
#include "vm/lanes/forms.h"
#include "vm/lanes/kernels.h"
#include "vm/lanes/lanes.h"

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

/* The first n elements: 0.5 .. 4.5 for floats, 1 .. 100 for integers, alternating bools. */
void put_ordinary(uint8_t *to, tirbi_dtype type, size_t n, unsigned seed);

/* ---- Memory (memory.c) ---- */

enum { AREA_SIZE = 1 << 16, N_AREAS = 8 };

/* Memory of AREA_SIZE bytes that is followed by none, and before which there is none. */
typedef struct area {
    uint8_t *begin, *end;
} area;

typedef struct checker {
    area areas[N_AREAS];
    uint8_t *kept; /* as much again for each, for copies of operands */
    const tirbi_lane_machine *machine; /* that is tried */
    uint64_t random;
    unsigned failures;
} checker;

bool open_checker(checker *c);
/* Where n elements begin that are followed by `behind` bytes of pattern and then by no memory. */
uint8_t *place(const area *a, size_t size, size_t n, size_t behind);
/* Whether the pattern before and behind them is still there. */
bool untouched(const uint8_t *start, size_t bytes, size_t behind);
uint64_t next_random(checker *c);
/* A special value one time in four, else random bits. */
void put_any(checker *c, void *to, tirbi_dtype type);

/* Compares kernels of one and two operands on every value of 8 and 16 bits, and hard ones of more (every.c). Returns
 * how many kernels were tried. */
unsigned check_every(checker *c, const tirb_isa *isas, unsigned n_isas, int n_words, char **words);
/* The same for functions of one element, on special and random values. */
unsigned check_scalars(checker *c, tirb_isa isa);

/* ---- Lane machines (forms.c, loops.c) ---- */

/* Whether a machine has a form that none leaves out but one for short rows. */
static inline bool has_place_for(const tirbi_lane_machine *machine, unsigned handler) {
    if (handler > TIRBI_L_RARE) return (machine->features & TIRBI_LANE_HAS_RARE) != 0;
    return handler <= TIRBI_L_SMALL || (machine->features & TIRBI_LANE_HAS_SMALL) != 0;
}
/* Returns how many forms the machine has that are wanted. */
unsigned check_forms(checker *c, tirb_isa isa, int n_words, char **words);
/* The same for forms of lanes that stand for other elements (words.c). */
unsigned check_words(checker *c, tirb_isa isa);
/* And of those that pick elements out of others (steps.c). */
unsigned check_apart(checker *c, tirb_isa isa);
void check_loops(checker *c, tirb_isa isa);
/* Returns how many streams the instruction set has (streams.c). */
unsigned check_streams(checker *c, tirb_isa isa);
void bench_forms(int n_words, char **words);
/* What it costs to store a sum with canonical NaNs. */
void bench_canonical_stores(void);

/* ---- Moves (moves.c) ---- */

void check_moves(checker *c, tirb_isa isa);

/* ---- Contractions (contract.c) ---- */

/* Returns how many were tried. */
unsigned check_contractions(checker *c, tirb_isa isa);

/* ---- Time (bench.c) ---- */

/* Nanoseconds of processor time for one call: the least of a few rounds of many calls. */
double time_calls(void (*call)(void *), void *context);

/* Prints nanoseconds per element of 1024 elements in the first-level cache for each kernel and instruction set, beside
 * the C library's function where it has one; and the same for the forms of the lane machines. */
int bench_twins(int n_words, char **words);

#endif
