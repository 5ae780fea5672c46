/* Random well-typed programs as TVMScript text. */
#ifndef TIRB_TESTS_DIFFERENTIAL_GENERATE_H
#define TIRB_TESTS_DIFFERENTIAL_GENERATE_H

#include "loader/isa/isa.h"
#include "tests/differential/random.h"

enum { TIRBI_GEN_NAME = 24, TIRBI_GEN_DIMS = 4, TIRBI_GEN_BUFFERS = 40, TIRBI_GEN_VARS = 32, TIRBI_GEN_SYMBOLS = 3,
       TIRBI_GEN_SCALARS = 8 };

/* The message of the assertions that are conditions on arguments. */
#define TIRBI_GEN_REQUIRED "arguments must meet this"

/* An extent: a constant, or a symbol with the value that the program will be called with. */
typedef struct tirbi_gen_dim {
    int64_t value;
    int symbol; /* index into symbols, or -1 */
} tirbi_gen_dim;

typedef struct tirbi_gen_buffer {
    char name[TIRBI_GEN_NAME];
    tirbi_dtype type;
    uint32_t ndim;
    tirbi_gen_dim dims[TIRBI_GEN_DIMS];
    bool param, writable;
    bool apart;     /* from all others: it is given to a function that says nothing of aliases */
    uint32_t scope; /* nesting level at which it ends; 0: the function */
} tirbi_gen_buffer;

/* An integer in scope with a known range, or a value of another type that a let binds. */
typedef struct tirbi_gen_var {
    char name[TIRBI_GEN_NAME];
    tirbi_dtype type;
    int64_t low, high; /* inclusive, int32 loop variables and axes only */
    int symbol;        /* the loop runs over this symbol's extent */
    bool index;
} tirbi_gen_var;

typedef struct tirbi_gen_symbol {
    char name[TIRBI_GEN_NAME];
    int64_t value;
    bool used;
} tirbi_gen_symbol;

/* A parameter of an integer type, with the value that the program will be called with. */
typedef struct tirbi_gen_scalar {
    char name[TIRBI_GEN_NAME];
    tirbi_dtype type;
    int64_t value;
} tirbi_gen_scalar;

typedef struct tirbi_gen {
    tirbi_random random;
    bool classic;     /* `tir as T` instead of `tirx as T` */
    tirbi_text head;  /* functions before the main one */
    tirbi_text body;
    uint32_t indent;
    tirbi_gen_buffer buffers[TIRBI_GEN_BUFFERS];
    uint32_t n_buffers;
    tirbi_gen_var vars[TIRBI_GEN_VARS];
    uint32_t n_vars;
    tirbi_gen_symbol symbols[TIRBI_GEN_SYMBOLS];
    uint32_t n_symbols;
    tirbi_gen_scalar scalars[TIRBI_GEN_SCALARS];
    uint32_t n_scalars;
    uint32_t n_names;
    bool calls; /* a module, whose functions call each other */
    bool host;  /* it calls functions of the host */
    int64_t work;   /* iterations that the loops around the current place make */
    bool may_trap;  /* sometimes an index or divisor may be wrong */
    bool far;       /* one stage, on more elements than the caches hold */
} tirbi_gen;

/* A whole program of one seed into `out`; the function to call is `main`. The values of its symbols stay in `g`. */
void tirbi_generate(tirbi_gen *g, uint64_t seed, tirbi_text *out);

/* ---- Shared by the generator's files ---- */
uint32_t tirbi_gen_pick(tirbi_gen *g, uint32_t n);
bool tirbi_gen_chance(tirbi_gen *g, uint32_t percent);
void tirbi_gen_line(tirbi_gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tirbi_gen_name(tirbi_gen *g, const char *prefix, char *out);
tirbi_dtype tirbi_gen_type(tirbi_gen *g);
tirbi_gen_buffer *tirbi_gen_new_buffer(tirbi_gen *g, const char *prefix, tirbi_dtype type, uint32_t ndim,
                                       const tirbi_gen_dim *dims, bool param, bool writable);
void tirbi_gen_dim_text(const tirbi_gen *g, const tirbi_gen_dim *dim, tirbi_text *out);

/* Appends an expression of the type to `out`. */
void tirbi_gen_expr(tirbi_gen *g, tirbi_dtype type, uint32_t depth, tirbi_text *out);
void tirbi_gen_condition(tirbi_gen *g, uint32_t depth, tirbi_text *out);
void tirbi_gen_load(tirbi_gen *g, const tirbi_gen_buffer *b, tirbi_text *out);
/* An index that is inside the extent (nearly always, when traps are allowed). */
void tirbi_gen_index(tirbi_gen *g, const tirbi_gen_dim *dim, tirbi_text *out);
/* One random piece of a function body: a kernel's loops (generate_stage.c), or one in which control flow, scopes and
 * guards matter (generate_control.c). */
void tirbi_gen_stage(tirbi_gen *g);
void tirbi_gen_control_stage(tirbi_gen *g);
/* One with the seldom parts of the language (generate_language.c). */
void tirbi_gen_language_stage(tirbi_gen *g);
/* One with hints, masks, memory of the system and arguments in structs (generate_system.c). */
void tirbi_gen_system_stage(tirbi_gen *g);
/* One whose indices wrap (generate_wrapping.c). */
void tirbi_gen_wrapping_stage(tirbi_gen *g);
/* A contraction (generate_contract.c). */
void tirbi_gen_contraction(tirbi_gen *g);
/* A function and calls of it, and calls of the host's functions (generate_calls.c). */
void tirbi_gen_call(tirbi_gen *g);
void tirbi_gen_host_call(tirbi_gen *g);

/* ---- Parts of stages (generate_stage.c) ---- */
tirbi_gen_dim tirbi_gen_constant(int64_t value);
tirbi_gen_dim tirbi_gen_some_dim(tirbi_gen *g);
/* Around the sizes of blocks of kernels. */
int64_t tirbi_gen_large_extent(tirbi_gen *g);
/* One of the mathematical functions of an input: each of them has its turn. */
void tirbi_gen_function(tirbi_gen *g, uint64_t turn);
void tirbi_gen_push_index(tirbi_gen *g, const char *name, const tirbi_gen_dim *dim);
void tirbi_gen_shuffle(tirbi_gen *g, uint32_t *order, uint32_t n);
/* A buffer to read, new or (when one fits) an old one; NULL when there are too many. */
tirbi_gen_buffer *tirbi_gen_input(tirbi_gen *g, tirbi_dtype type, uint32_t n, const tirbi_gen_dim *dims);
/* Where a stage writes: a parameter, or a buffer of the function's own that later stages may read. */
tirbi_gen_buffer *tirbi_gen_output(tirbi_gen *g, tirbi_dtype type, uint32_t n, const tirbi_gen_dim *dims);
void tirbi_gen_let(tirbi_gen *g);
const char *tirbi_gen_block(const tirbi_gen *g);
/* A constant of the type, `text` being how Python writes it. */
void tirbi_gen_number(tirbi_dtype type, const char *text, tirbi_text *out);

#endif
