/* `tirb run`, `tirb bench` and `tirb profile` in parts: prepare.c opens the program, arguments.c fills the parameters,
 * run.c, bench.c and profile.c call, outputs.c shows, compares and saves. */
#ifndef TIRB_COMPILER_DRIVER_RUN_H
#define TIRB_COMPILER_DRIVER_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/tirb.h>

#include "compiler/driver/command.h"
#include "compiler/driver/params.h"
#include "compiler/driver/program.h"
#include "compiler/driver/values.h"

typedef struct parameter {
    tirb_param_info info;
    tirbi_dtype type;
    bool given;   /* by the command line */
    bool skipped; /* by `_` */
    value value;  /* what was given, or what was allocated */
    DLTensor view;
    DLManagedTensor *made; /* a result that the call has made, which `value` shows */
    char position[12];  /* the name of a packed function's argument */
    const char *save;   /* "@out.npy" of -o, borrowed from the invocation */
    const char *expect; /* "@ref.npy" or a literal of --expect, likewise */
} parameter;

typedef struct run {
    const invocation *inv;
    bundle bundle;
    tirb_engine *engine;
    tirb_module *module;
    tirb_instance *instance;
    uint32_t function;
    tirb_function_info info;
    parameter *parameters; /* info.n_params of them */
    tirb_arg *arguments;
    uint32_t threads;
    bool profiles;           /* calls count their lines */
    bool make_up;            /* what the command line does not give is random */
    bool has_extents;        /* `n=1000` was given: so are tensors of which the shape is known then */
    bool makes_results;      /* the call makes some of its results */
    struct extents *extents; /* shape variables that are known */
    double rtol, atol;
    array_file params; /* of --params */
    tirb_result result;
    uint64_t elapsed_ns;
} run;

/* Whether a call leaves something in it to show. */
static inline bool is_output(const parameter *p) { return p->info.is_written || p->info.is_result; }

/* ---- prepare.c ---- */

/* The options of every command that calls a function. */
#define CALL_OPTIONS                                                                                              \
    {OPTION_FUEL, 0, "fuel", "N", "stop after N units of work (10M is ten million; suffixes k, M, G)"},           \
        {OPTION_TIMEOUT, 0, "timeout", "SECONDS", "stop a call after this time"},                                 \
        {OPTION_MAX_MEMORY, 0, "max-memory", "SIZE",                                                              \
         "memory of frames and temporaries (suffixes K, M, G; default 1G)"},                                      \
        {OPTION_ISA, 0, "isa", "NAME", "auto, generic, sse2, avx2, avx512 or neon; results do not depend on it"}, \
        {OPTION_FP, 0, "fp", "MODE", "precise, strict or fast: rounding of a source that is compiled now"},       \
        {OPTION_PARALLEL, 0, "parallel", "WHICH", "auto, off or all, for a source: loops for several threads"},   \
        {OPTION_MAX_ERRORS, 0, "max-errors", "N", "diagnostics before the compiler gives up (default 20)"},       \
        DISABLE_OPTION, LANGUAGE_OPTIONS, COMPILE_LIMIT_OPTIONS, DIAGNOSTICS_OPTION, NO_CACHE_OPTION

/* Opens the program, chooses the function and makes an instance with the limits that the options give. */
exit_code run_prepare(run *r, uint32_t threads_default);
void run_clear(run *r);

/* ---- arguments.c ---- */

/* Describes the parameters and assigns the command line's values, -o and --expect to them. */
exit_code arguments_read(run *r);
/* Fills r->arguments; what is only written and was not given is allocated in the shape that the others determine. With
 * r->make_up everything that was not given is, and filled at random, the same in every run; with extents all tensors
 * are. */
exit_code arguments_complete(run *r);
/* After a call: the results that it has made. */
void results_take(run *r);
/* Gives them back, for the next call to make its own. */
void results_free(run *r);
/* The error of a call or an inference, with its place. */
exit_code fail_call(const run *r, tirb_status status, const tirb_error *error);

/* ---- made_up.c ---- */

exit_code extents_create(run *r);
void extents_free(run *r);
/* Whether an extent has this name. */
bool extent_find(const run *r, const char *name, size_t length);
/* "NAME=NUMBER" of one that extent_find has found. */
exit_code extent_assign(const run *r, const char *text);
/* A random scalar for a parameter; always the same one. */
number made_up_scalar(const run *r, const parameter *p);
/* A random tensor of the type and shape that `text` ("4x4xf32") says. */
exit_code make_up_as(const run *r, parameter *p, const char *text);
/* Whether the call alone knows the shape of a result. */
bool is_made_by_call(const run *r, const parameter *p);
/* A random tensor in the shape that the arguments and extents so far determine. */
exit_code make_up_tensor(const run *r, parameter *p);

/* ---- repeat.c ---- */

/* --time, in nanoseconds; a second where it is not given. */
exit_code time_option_read(const invocation *inv, uint64_t *out_ns);

/* What parameters that are read and written held before the first call. */
typedef struct first_values {
    uint8_t **bytes; /* per parameter, or NULL */
    bool any;
} first_values;

exit_code first_values_keep(first_values *first, const run *r);
void first_values_restore(const first_values *first, const run *r);
void first_values_free(first_values *first, const run *r);

/* ---- outputs.c ---- */

/* Compares with --expect. */
exit_code outputs_compare(const run *r);
/* Whether what -o names can be written; asked before the call. */
exit_code outputs_check(const run *r);
/* Saves what -o names and prints the rest; files appear whole and only when all of them can be written. */
exit_code outputs_show(const run *r);
/* The --json object of a call that failed, on stdout. */
void outputs_show_failure(const run *r, tirb_status status, const tirb_error *error);

#endif
