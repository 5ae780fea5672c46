/* tirb/tirb.h - load verified tensor bundles and run them.
 *
 * Three objects, so that ownership and threads are plain:
 *   engine    policy: allocator, instruction set, cache. Thread-safe, reference-counted.
 *   module    an immutable, verified program. Thread-safe, reference-counted, shared freely between threads.
 *   instance  a module with limits and scratch memory. One call at a time; reusable after any error.
 *
 * The only way to make a module is tirb_module_load (or the same with limits), which verifies; there is no switch to
 * skip that. */
#ifndef TIRB_TIRB_H
#define TIRB_TIRB_H

#include <dlpack/dlpack.h>
#include <tirb/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TIRB_VERSION_MAJOR 0
#define TIRB_VERSION_MINOR 1
#define TIRB_VERSION_PATCH 0

typedef struct tirb_engine tirb_engine;
typedef struct tirb_module tirb_module;
typedef struct tirb_instance tirb_instance;

/* "0.1.0". Thread-safe. */
TIRB_API const char *tirb_version(void);

/* ---- Memory ------------------------------------------------------------------------------------------------- */

/* One function that allocates (ptr NULL, old_size 0), resizes and frees (new_size 0, returns NULL), in the manner of
 * Lua's allocator. Sizes are bytes. Blocks are aligned for any object. Must be thread-safe if the engine is shared. */
typedef struct tirb_allocator {
    void *(*reallocate)(void *context, void *ptr, size_t old_size, size_t new_size);
    void *context;
} tirb_allocator;

/* ---- Engine ------------------------------------------------------------------------------------------------- */

typedef enum tirb_isa {
    TIRB_ISA_AUTO = 0,    /* the best that this CPU has */
    TIRB_ISA_GENERIC = 1, /* plain C */
    TIRB_ISA_AVX2 = 2,    /* x86-64 with AVX2 and FMA */
    TIRB_ISA_AVX512 = 3,  /* x86-64 with AVX-512 F, BW, DQ, VL and CD */
    TIRB_ISA_SSE2 = 4,    /* any x86-64 */
    TIRB_ISA_NEON = 5     /* any AArch64 */
} tirb_isa;

/* The host's threads, for an engine that is to start none of its own. `run` calls task(data, index) once for each index
 * below n, on whichever threads and in whichever order, and returns when all calls have; calls that it leaves out cost
 * time only. It may be called from several threads at once. */
typedef struct tirb_parallel_for {
    void (*run)(void *context, uint32_t n, void (*task)(void *data, uint32_t index), void *data);
    void *context;
} tirb_parallel_for;

typedef struct tirb_engine_options {
    uint32_t struct_size;
    tirb_isa isa;             /* an ISA that this CPU lacks is an error (UNSUPPORTED) */
    tirb_allocator allocator; /* reallocate NULL: the C library's */
    uint64_t max_bundle_size; /* bytes, also of what a bundle unpacks to; 0: 256 MiB */
    uint64_t cache_bytes;     /* of the module cache, see below; 0: none */
    uint64_t cache_modules;   /* at most so many in the cache; 0: 1,024 */
    uint32_t max_threads;     /* that work on one call, the calling one included; 0: a thread for each CPU that this
                                 process may use. Each one that an engine starts has a stack of 256 KiB */
    uint32_t profile; /* not 0: calls count their lines (tirb_instance_profile); they are slower, on one thread */
    tirb_parallel_for parallel_for; /* run NULL: the engine starts threads of its own when a call first needs them */
    uint32_t cpu_quota; /* not 0: where max_threads is 0, the quota of the process's control groups counts as well. The
                           files of /proc and /sys/fs/cgroup that are read for it are all that libtirb ever opens */
    uint32_t reserved;
} tirb_engine_options;

#define TIRB_ENGINE_OPTIONS_INIT                                                                   \
    { (uint32_t)sizeof(tirb_engine_options), TIRB_ISA_AUTO, {0, 0}, 0, 0, 0, 0, 0, {0, 0}, 0, 0 }

/* Makes an engine. `options` may be NULL (all defaults) and is not kept. On success the caller owns *out_engine and
 * gives it back with tirb_engine_release. Errors: NO_MEMORY, UNSUPPORTED, MISUSE. */
TIRB_API tirb_status tirb_engine_create(const tirb_engine_options *options, tirb_engine **out_engine,
                                        tirb_error *error);
/* Drops one reference; NULL is allowed. Modules keep their engine alive. Thread-safe. */
TIRB_API void tirb_engine_release(tirb_engine *engine);
/* The instruction set in use; never TIRB_ISA_AUTO. Thread-safe. */
TIRB_API tirb_isa tirb_engine_isa(const tirb_engine *engine);
/* "generic", "sse2", "avx2", "avx512", "neon" or "auto"; "unknown" for a number that is none. Thread-safe. */
TIRB_API const char *tirb_isa_name(tirb_isa isa);
/* The inverse of tirb_isa_name. Errors: NOT_FOUND. Thread-safe. */
TIRB_API tirb_status tirb_isa_from_name(const char *name, tirb_isa *out_isa);
/* 1 if this CPU and this build have `isa`. Thread-safe. */
TIRB_API int tirb_isa_available(tirb_isa isa);

/* ---- Module cache ------------------------------------------------------------------------------------------- */

/* With cache_bytes, an engine keeps what tirb_module_load has verified, also after the last module of it is released:
 * loading the same bytes again costs a hash and a comparison of all of them. What was used least recently goes first;
 * modules in use are never freed. The bytes that count are the bundle's and what its decoded program takes.
 *
 * It is off unless asked for: a host that keeps its modules needs none, and where tenants share an engine, the time
 * that loading takes tells each of them whether another one has loaded the same bytes. */
typedef struct tirb_cache_stats {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t modules, bytes;         /* in the cache now */
    uint64_t max_modules, max_bytes; /* 0: the engine has no cache */
    uint64_t hits, misses;           /* loads since the engine was made; a bundle that is refused is a miss */
    uint64_t evictions;              /* entries dropped to make room */
} tirb_cache_stats;

#define TIRB_CACHE_STATS_INIT                                                                      \
    { (uint32_t)sizeof(tirb_cache_stats), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Empties the engine's cache. Modules in use stay valid. Thread-safe; does nothing without a cache. */
TIRB_API void tirb_engine_cache_clear(tirb_engine *engine);
/* What is in the engine's cache and what came of it. Set struct_size first (.._INIT). Errors: MISUSE. Thread-safe. */
TIRB_API tirb_status tirb_engine_cache_stats(tirb_engine *engine, tirb_cache_stats *out_stats);

/* ---- Module ------------------------------------------------------------------------------------------------- */

/* Reads, checks and verifies a bundle, all of it, or finds it verified in the engine's cache. A function is translated
 * for this machine, with those that it calls, by the first call of it, which may then end as the load might have: with
 * MEMORY_LIMIT, FUEL or NO_MEMORY (tirb_load_limits.translate_all has it all done here). The bytes are copied; the
 * caller keeps them. On success the caller owns one reference to *out_module. Errors: FORMAT, VERSION, CHECKSUM,
 * VERIFY, MEMORY_LIMIT and FUEL (the defaults of tirb_load_limits), NO_MEMORY, MISUSE. */
TIRB_API tirb_status tirb_module_load(tirb_engine *engine, const void *bytes, size_t size, tirb_module **out_module,
                                      tirb_error *error);

/* What one load may take; all of it is bounded before it is taken. A host that knows its bundles gives some more than
 * tirb_module_load_stats says of them. */
typedef struct tirb_load_limits {
    uint32_t struct_size;
    uint32_t max_functions;    /* regions included; 0: as many as the format has, 65,535 */
    uint64_t max_bytes;        /* of the bundle, and of its sections and their code when they are unpacked; 0: the
                                  engine's max_bundle_size, and of sections and of code no more than 4 MiB and 256
                                  times the bundle's each */
    uint64_t max_instructions; /* 0: as many as that code has room for */
    uint64_t max_memory;       /* bytes at any moment of the load, the module included, and of translation later on; 0:
                                  16 MiB, and 24 times those of the bundle and of what it unpacks to */
    uint64_t max_work;         /* steps through what the bundle holds, the same; 0: 16 million, and 64 for each of those
                                  bytes */
    uint32_t translate_all;    /* 1: all functions are translated by the load, as for a server that is to be warm; 0:
                                  each by its first call */
    uint32_t reserved;
} tirb_load_limits;

#define TIRB_LOAD_LIMITS_INIT                                                                      \
    { (uint32_t)sizeof(tirb_load_limits), 0, 0, 0, 0, 0, 0, 0 }

/* tirb_module_load within limits; NULL: the defaults, which tirb_module_load has. They hold for modules from the
 * engine's cache as well, by what it took to load those. Errors: as tirb_module_load; MEMORY_LIMIT for any limit but
 * max_work, which is FUEL. */
TIRB_API tirb_status tirb_module_load_limited(tirb_engine *engine, const void *bytes, size_t size,
                                              const tirb_load_limits *limits, tirb_module **out_module,
                                              tirb_error *error);

/* tirb_module_load_limited of bytes that stay where they are: constants, which bundles have at multiples of 64, are
 * not copied but used in place where their elements are aligned, so that a mapped file is read as calls come to it
 * (bundles are little-endian: on other machines constants are copies). All else is as ever: every byte is checked once,
 * and what can run is a verified copy. The bytes must stay as they are until `release` is called with `context`, once,
 * on any thread, when nothing of the module is left; or where `release` is NULL, until then. After an error they stay
 * the caller's, and `release` is not called. Constants that change meanwhile make wrong results and nothing worse; what
 * a mapped file has lost ends the process, as for any other reader of it. The engine's cache has no part in it. Errors:
 * as tirb_module_load_limited. */
TIRB_API tirb_status tirb_module_load_in_place(tirb_engine *engine, const void *bytes, size_t size,
                                               const tirb_load_limits *limits, void (*release)(void *context),
                                               void *context, tirb_module **out_module, tirb_error *error);

/* What it took to load a module, and to translate those of its functions that have been called by now, also by others
 * who share it by the engine's cache: `memory` and `work` on this machine, the other numbers on any. */
typedef struct tirb_load_stats {
    uint32_t struct_size;
    uint32_t functions;
    uint64_t bytes;        /* what the bundle unpacked to, with its code */
    uint64_t instructions;
    uint64_t memory;       /* at most, in bytes */
    uint64_t work;         /* steps, a few more or less each time: tables are spread by chance */
} tirb_load_stats;

#define TIRB_LOAD_STATS_INIT                                                                       \
    { (uint32_t)sizeof(tirb_load_stats), 0, 0, 0, 0, 0 }

/* Set struct_size first (.._INIT). Errors: MISUSE. Thread-safe. */
TIRB_API tirb_status tirb_module_load_stats(const tirb_module *module, tirb_load_stats *out_stats);

/* Adds one reference and returns `module`. Thread-safe. */
TIRB_API tirb_module *tirb_module_retain(tirb_module *module);
/* Drops one reference; NULL is allowed. Thread-safe. */
TIRB_API void tirb_module_release(tirb_module *module);

typedef enum tirb_param_kind { TIRB_PARAM_TENSOR = 0, TIRB_PARAM_SCALAR = 1 } tirb_param_kind;

/* One parameter. Strings and arrays belong to the module. dims[i] is -1 where the extent is not a constant. */
typedef struct tirb_param_info {
    uint32_t struct_size;
    tirb_param_kind kind;
    const char *name;
    DLDataType dtype;
    int32_t ndim;
    int32_t is_read;      /* the function may read its elements */
    int32_t is_written;   /* the function may write its elements */
    int32_t is_inferable; /* a scalar that tensor shapes determine: may be left out of a call */
    const int64_t *dims;
    int32_t is_result; /* a tensor that a call may make, and of which it does not look at what was in it before */
    int32_t reserved;
} tirb_param_info;

#define TIRB_PARAM_INFO_INIT                                                                       \
    { (uint32_t)sizeof(tirb_param_info), TIRB_PARAM_TENSOR, 0, {0, 0, 0}, 0, 0, 0, 0, 0, 0, 0 }

typedef struct tirb_function_info {
    uint32_t struct_size;
    uint32_t n_params;
    const char *name;
    int32_t is_public;
    int32_t returns; /* 1 if the function returns a scalar of `return_dtype` */
    DLDataType return_dtype;
    const char *signature; /* "f(A: Tensor([n, 128], float32), x: int32) -> float32" */
    int32_t is_packed; /* 1 if it takes any arguments, packed as TVM's C interface does, and checks them itself; then
                          n_params is 0, `returns` is 0, and a call's result says what it gave back */
    uint32_t n_conditions; /* that a call checks before the function runs: tirb_module_condition */
} tirb_function_info;

#define TIRB_FUNCTION_INFO_INIT                                                                    \
    { (uint32_t)sizeof(tirb_function_info), 0, 0, 0, 0, {0, 0, 0}, 0, 0, 0 }

/* The number of functions, numbered from 0. Thread-safe. */
TIRB_API uint32_t tirb_module_function_count(const tirb_module *module);
/* The number of the function called `name`. Errors: NOT_FOUND. Thread-safe. */
TIRB_API tirb_status tirb_module_find(const tirb_module *module, const char *name, uint32_t *out_function,
                                      tirb_error *error);
/* Describes a function; its texts belong to the module. Set out_info->struct_size first (.._INIT). Errors: NOT_FOUND,
 * MISUSE. Thread-safe. */
TIRB_API tirb_status tirb_module_function(const tirb_module *module, uint32_t function, tirb_function_info *out_info,
                                          tirb_error *error);
/* Describes parameter `param`, numbered from 0 as in the signature, of a function, like tirb_module_function. Errors:
 * NOT_FOUND, MISUSE. Thread-safe. */
TIRB_API tirb_status tirb_module_param(const tirb_module *module, uint32_t function, uint32_t param,
                                       tirb_param_info *out_info, tirb_error *error);

/* 1 if the function's attribute tirb.may_alias names the two parameters: then their tensors may share memory although
 * the function writes one of them; 0 if not, or if there is no such function. Thread-safe. */
TIRB_API int tirb_module_may_alias(const tirb_module *module, uint32_t function, uint32_t param, uint32_t other);

/* Writes what a function requires of its arguments' sizes, condition number `condition` in the order of checking, as
 * "H - KH >= 0" into `buffer` (always terminated when size > 0). Returns the length it needs in bytes without the
 * terminator, less than 324; 0 when there is no such condition. Thread-safe. */
TIRB_API size_t tirb_module_condition(const tirb_module *module, uint32_t function, uint32_t condition, char *buffer,
                                      size_t size);

/* ---- Instance and calls ------------------------------------------------------------------------------------- */

typedef struct tirb_limits {
    uint32_t struct_size;
    uint32_t max_depth;  /* nested calls; 0: 1,000 */
    uint64_t fuel;       /* per call, in machine-independent units; 0: unlimited */
    uint64_t max_memory; /* bytes of frames, scratch, temporaries and results under way that the instance has at any
                            moment, in a call or kept for the next one; 0: 1 GiB */
    uint64_t timeout_ns; /* wall time per call; 0: none */
    uint32_t threads;    /* that a call may use; 0 and 1: the calling one only. Memory is counted for all of them */
    uint32_t reserved;
} tirb_limits;

#define TIRB_LIMITS_INIT                                                                           \
    { (uint32_t)sizeof(tirb_limits), 0, 0, 0, 0, 0, 0 }

/* Makes an instance, which keeps a reference to the module. `limits` may be NULL and is not kept. Errors: NO_MEMORY,
 * MISUSE. */
TIRB_API tirb_status tirb_instance_create(tirb_module *module, const tirb_limits *limits, tirb_instance **out_instance,
                                          tirb_error *error);
/* Destroys an instance that is not in a call; NULL is allowed. */
TIRB_API void tirb_instance_destroy(tirb_instance *instance);

typedef enum tirb_arg_kind {
    TIRB_ARG_TENSOR = 0, /* value.tensor, borrowed for the call; its fields are copied once at entry */
    TIRB_ARG_INT = 1,    /* value.i: any integer or bool parameter; must fit its type */
    TIRB_ARG_FLOAT = 2,  /* value.f: a floating-point parameter; rounded to its type */
    TIRB_ARG_NONE = 3,   /* left out: only an inferable scalar */
    TIRB_ARG_RESULT = 4  /* value.result: only a result, which the call makes; see tirb_instance_call */
} tirb_arg_kind;

enum {
    TIRB_ARG_READ_ONLY = 1, /* flag: passing this tensor to a parameter that is written is an error */
    TIRB_ARG_MAY_ALIAS = 2  /* flag: this tensor is meant to share memory with another argument; passing it to a
                               parameter that no pair of the function's tirb.may_alias names is an error */
};

typedef struct tirb_arg {
    uint32_t kind; /* tirb_arg_kind */
    uint32_t flags;
    union {
        const DLTensor *tensor;
        int64_t i; /* an unsigned 64-bit value is passed by its bits */
        double f;
        DLManagedTensor **result;
    } value;
} tirb_arg;

/* A returned scalar. For integers and bools `i` holds the value (unsigned 64-bit by its bits), for floats `f`. */
typedef struct tirb_result {
    DLDataType dtype; /* bits 0: the function returned nothing */
    union {
        int64_t i;
        double f;
    } value;
} tirb_result;

/* Calls a function. `args` are in parameter order, one for each parameter; a packed function takes up to 255 of any
 * kind, of which those that overlap others can only be read, and NONE is its null. `result` may be NULL.
 *
 * Results of models (tirb_param_info.is_result) are the last parameters. They are given as tensors, or as RESULT: then
 * the call makes a compact tensor, which begins as zeroes, with the engine's allocator and within the instance's
 * max_memory, and puts it into *value.result (NULL after an error). The caller owns it and returns it by its deleter,
 * on any thread; it keeps the engine alive. A program may decide its shape as it runs: a given tensor must have that.
 *
 * The tensors' memory must stay valid and unshared with other writers during the call. After an error the outputs hold
 * unspecified values and the instance can be called again. Errors: ARGUMENT, SHAPE, OVERLAP for what the arguments are;
 * BOUNDS, DIVIDE, VALUE, ASSERT, FUEL, DEADLINE, CANCELLED, MEMORY_LIMIT, DEPTH for what the program does; BUSY when a
 * call is running; IMPORT when it reaches an import that nothing is bound to; what an imported function ends with;
 * NOT_FOUND for a function that is not there or private; NO_MEMORY, MISUSE. A program may also end by itself with
 * ARGUMENT, SHAPE, OVERLAP (in calls of its own functions) or UNSUPPORTED. A run-time error carries the source line in
 * `error` where the bundle has a source map. Like loading, a call takes at most 64 KiB of the thread's stack. */
TIRB_API tirb_status tirb_instance_call(tirb_instance *instance, uint32_t function, const tirb_arg *args,
                                        uint32_t n_args, tirb_result *result, tirb_error *error);

/* ---- Imports ------------------------------------------------------------------------------------------------ */

/* An argument of an imported function. */
typedef struct tirb_import_arg {
    uint32_t kind;    /* TIRB_ARG_TENSOR, TIRB_ARG_INT or TIRB_ARG_FLOAT */
    uint32_t flags;   /* TIRB_ARG_READ_ONLY: a tensor that must not be written */
    DLDataType dtype; /* of the scalar or of the elements */
    union {
        const DLTensor *tensor; /* one dimension, compact, in CPU memory; valid until the function returns */
        int64_t i;              /* integers and bools; an unsigned 64-bit value by its bits */
        double f;
    } value;
} tirb_import_arg;

/* A function of the host that a program calls. It runs on the thread of the call, in the host's floating-point state.
 * It may not call the instance (BUSY), but may cancel it. Tensors may overlap where the program passes a buffer twice.
 * `result` has the import's type (bits 0: it returns nothing) and the value 0, which the function replaces.
 * `remaining_ns` is the time that the call has left, UINT64_MAX without a timeout: a function that takes longer should
 * stop by itself. Anything but TIRB_OK ends the call with that status; the message is what the function wrote into
 * `error`, behind the import's name. */
typedef tirb_status (*tirb_import_function)(void *context, const tirb_import_arg *args, uint32_t n_args,
                                            tirb_result *result, uint64_t remaining_ns, tirb_error *error);

enum { TIRB_IMPORT_THREAD_SAFE = 1 }; /* flag: may be called by several threads of one call at once */

/* What a host offers. `types` is written as `tirb inspect` prints it, "(float32, const float32[]) -> float32":
 * scalars, views of elements, the result if there is one; a view that is const here is bound to one that the program
 * lets the host write, but not the other way round. NULL: any types, which the function looks at itself. */
typedef struct tirb_import {
    const char *name;
    const char *types;
    tirb_import_function function;
    void *context;
    uint64_t flags; /* TIRB_IMPORT_THREAD_SAFE or 0 */
} tirb_import;

/* Binds the instance's imports to what fits them, in place of all earlier bindings. Names that the module does not
 * import are passed over, and imports without a function stay unbound: a call that reaches one ends with IMPORT. The
 * array and its texts are not kept. Errors, which leave the bindings as they were: ARGUMENT when there are functions of
 * an import's name, but none with its types; MISUSE; BUSY. */
TIRB_API tirb_status tirb_instance_bind(tirb_instance *instance, const tirb_import *imports, uint32_t n_imports,
                                        tirb_error *error);

typedef struct tirb_import_info {
    uint32_t struct_size;
    uint32_t n_params;
    const char *name;
    const char *types; /* as in tirb_import */
} tirb_import_info;

#define TIRB_IMPORT_INFO_INIT                                                                      \
    { (uint32_t)sizeof(tirb_import_info), 0, 0, 0 }

/* The number of functions that the module needs from its host, numbered from 0. Thread-safe. */
TIRB_API uint32_t tirb_module_import_count(const tirb_module *module);
/* Describes such a function; its texts belong to the module. Set out_info->struct_size first (.._INIT). Errors:
 * NOT_FOUND, MISUSE. Thread-safe. */
TIRB_API tirb_status tirb_module_import(const tirb_module *module, uint32_t import, tirb_import_info *out_info,
                                        tirb_error *error);

/* Computes the shape that tensor parameter `param` must have, given the other arguments (NULL-kind entries, including
 * `param` itself, are TIRB_ARG_NONE). Writes at most `max_ndim` extents. Errors: SHAPE when they do not determine it, a
 * condition of the function does not hold, as far as they tell, or an extent would be negative or overflow; ARGUMENT;
 * NOT_FOUND, BUSY, MISUSE. */
TIRB_API tirb_status tirb_instance_infer(tirb_instance *instance, uint32_t function, uint32_t param,
                                         const tirb_arg *args, uint32_t n_args, int64_t *out_shape, int32_t max_ndim,
                                         int32_t *out_ndim, DLDataType *out_dtype, tirb_error *error);

/* Computes, like tirb_instance_infer, the index that the program's text has for the first element of tensor parameter
 * `param`, in each dimension: not 0 where a comprehension defines a tensor from another index on. Any argument, that of
 * `param` too, may be TIRB_ARG_NONE. Writes at most `max_ndim` indices. Errors: SHAPE when the arguments do not
 * determine one, a condition of the function does not hold, as far as they tell, or an index would overflow; ARGUMENT;
 * NOT_FOUND, BUSY, MISUSE. */
TIRB_API tirb_status tirb_instance_minima(tirb_instance *instance, uint32_t function, uint32_t param,
                                          const tirb_arg *args, uint32_t n_args, int64_t *out_minima, int32_t max_ndim,
                                          int32_t *out_ndim, tirb_error *error);

/* Stops the running call of `instance`, if any, from any thread: it ends with CANCELLED soon. The next call starts
 * afresh. Thread-safe. */
TIRB_API void tirb_instance_cancel(tirb_instance *instance);

typedef struct tirb_stats {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t fuel_used;   /* by the last call, finished or not */
    uint64_t peak_memory; /* bytes, by the last call */
} tirb_stats;

#define TIRB_STATS_INIT                                                                            \
    { (uint32_t)sizeof(tirb_stats), 0, 0, 0 }

/* What the last call used. Set struct_size first (.._INIT). Errors: BUSY during a call, MISUSE. */
TIRB_API tirb_status tirb_instance_stats(const tirb_instance *instance, tirb_stats *out_stats);

/* Gives back the memory that calls have left for those after them: what the allocator has given the instance is then
 * what it was when it was created. An instance keeps frames, scratch and temporaries, never more than max_memory
 * together with what a call has taken, and gives back by itself what many calls have not used; neither outcomes nor
 * stats depend on it. Errors: BUSY during a call, MISUSE. */
TIRB_API tirb_status tirb_instance_trim(tirb_instance *instance, tirb_error *error);

/* ---- Profiles ----------------------------------------------------------------------------------------------- */

/* What an instance of an engine with options.profile has counted, by entry of its module's line tables: one source line
 * may have several. Strings belong to the module. A lane loop counts as the line that it begins in. */
typedef struct tirb_profile_entry {
    uint32_t struct_size;
    uint32_t line, column; /* 1-based */
    uint32_t reserved;
    const char *function;
    uint64_t runs;    /* how often calls came to it */
    uint64_t samples; /* how often tirb_instance_sample found it running */
} tirb_profile_entry;

#define TIRB_PROFILE_ENTRY_INIT                                                                    \
    { (uint32_t)sizeof(tirb_profile_entry), 0, 0, 0, 0, 0, 0 }

/* Adds a sample to the entry that is running, if a call is. From any thread, at times of the host's choice: where it
 * finds an entry more often, calls spend more of their time. Does nothing where the engine does not profile. */
TIRB_API void tirb_instance_sample(tirb_instance *instance);
/* Entry `index`, counted from 0, since the instance was made or reset. Set struct_size first (.._INIT). Errors:
 * NOT_FOUND behind the last one and where the engine does not profile, BUSY during a call, MISUSE. */
TIRB_API tirb_status tirb_instance_profile(const tirb_instance *instance, uint32_t index,
                                           tirb_profile_entry *out_entry, tirb_error *error);
/* Sets all counts to 0. Errors: BUSY during a call, MISUSE. */
TIRB_API tirb_status tirb_instance_profile_reset(tirb_instance *instance, tirb_error *error);

#ifdef __cplusplus
}
#endif
#endif
