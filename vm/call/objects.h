/* The three objects of the API from the inside. */
#ifndef TIRB_VM_CALL_OBJECTS_H
#define TIRB_VM_CALL_OBJECTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <tirb/tirb.h>

#include "loader/base/alloc.h"
#include "loader/base/sized.h"
#include "loader/bundle/program.h"
#include "loader/cache/memory.h"
#include "vm/call/plain.h"
#include "vm/call/strided.h"
#include "vm/exec/execute.h"
#include "vm/limits/deadline.h"
#include "vm/translate/translate.h"

struct tirb_engine {
    atomic_uint references;
    tirb_isa isa;
    uint64_t max_bundle_size;
    tirbi_heap heap; /* without a budget, so that any thread may use it */
    tirbi_timer timer;
    tirbi_cache *cache; /* of verified programs; NULL: none */
    uint64_t cache_bytes, cache_modules;
    uint32_t max_threads;
    bool profiles;
    bool cpu_quota;
    tirb_parallel_for parallel_for;
    _Atomic(tirbi_team *) team; /* made by the first instance that may use threads */
};

/* What a call needs to know about a function and its parameters do not say directly; made when a module is loaded. */
typedef struct tirbi_plan {
    const char *signature;
    tirbi_plain plain;
    const int64_t *dims;         /* extents of all tensor parameters, one after the other; -1: not a constant */
    const uint32_t *first_dim;   /* by parameter: where its extents begin in `dims` */
    const uint16_t *slots;       /* by parameter: its number among the tensors, or among the scalars */
    const uint16_t *scalar_vars; /* by parameter: the shape variable that it is, or TIRBI_NO_REG */
    const uint32_t *var_slots;   /* by shape variable: where tirbi_execute wants it among the scalars */
    const bool *inferable;       /* by shape variable: some tensor has it as a bare extent, stride or offset */
    uint32_t n_tensors;
    uint32_t n_scalars; /* scalar parameters and the shape variables that are none */
    uint32_t n_dims;
    uint32_t n_results;
    bool has_compound; /* some extent, stride or offset is neither a constant nor a variable */
} tirbi_plan;

/* What was made of a bundle. Modules of the same bytes share it, and so does the engine's cache; it does not know the
 * engine, so that a cached one does not keep its engine alive. */
typedef struct tirbi_verified {
    atomic_uint references;
    tirbi_heap heap; /* used when this is made and destroyed only */
    tirbi_arena arena;
    const tirbi_program *program;
    const tirbi_plan *plans;         /* by function */
    const char *const *import_types; /* by import: tirbi_import_format */
    tirbi_code *code; /* whose functions are translated as they are called: vm/call/translation.c */
    _Atomic int64_t translating; /* the process that has a thread which does; 0: none has */
    tirb_load_stats stats;       /* of reading and verifying, */
    uint64_t loaded;             /* and the bytes of memory that are left of it */
    uint64_t max_memory, max_work; /* of loads without limits, translation included */
    atomic_uint_least64_t memory, work; /* what it has taken so far with translation */
    tirbi_key key; /* in the engine's cache, if there is one */
    bool stays; /* the bundle's bytes outlive this, and constants may be where they are in it */
    void (*release)(void *context); /* of those bytes; NULL: nobody wants to know */
    void *context;
} tirbi_verified;

struct tirb_module {
    atomic_uint references;
    tirb_engine *engine;
    tirbi_verified *verified;
    /* Of `verified`. */
    const tirbi_program *program;
    const tirbi_plan *plans;
    const char *const *import_types;
    const tirbi_code *code;
    uint64_t max_memory, max_work;  /* of its load, translation included; */
    uint64_t memory, work;          /* and of these what translation has taken for its calls, which `verified` guards */
    uint32_t n_callable; /* functions that are no regions, which come last */
};

/* A tensor argument while a call runs. */
typedef struct tirbi_tensor {
    tirbi_view view;
    uint8_t *packed; /* its compact copy; NULL: used in place */
    int64_t elem_offset;
    uint32_t param;
    bool given;
    bool written;
} tirbi_tensor;

/* What the last call of a function was given. */
typedef struct tirbi_bound {
    uint32_t function; /* UINT32_MAX: none */
    bool known;        /* tirbi_plain_bind_again may compare arguments with these */
    tirbi_ref *refs;
    uint64_t *scalars;
    int64_t *shapes;
    DLTensor *tensors; /* those without strides; others are not on the CPU */
} tirbi_bound;

/* Room for the arguments of any function of the module, so that calls do not allocate. */
typedef struct tirbi_scratch {
    tirbi_tensor *tensors;
    int64_t *shapes; /* the tensors' extents and strides, copied at entry */
    int64_t *strides;
    int64_t *var_values;
    bool *var_bound;
    /* Places of the functions that were called last, and the one of this call. */
    tirbi_bound *now;
    tirbi_bound places[TIRBI_PLACES];
    uint32_t n_places, oldest;
    /* Of a call that makes results. */
    tirb_arg *result_args;     /* the arguments with them */
    DLManagedTensor **results; /* by result; NULL: the caller's own */
    int64_t (*result_dims)[TIRBI_MAX_NDIM]; /* by result, of open ones: the extents that arguments determine; -1 */
    uint32_t called;           /* the function that is being called */
} tirbi_scratch;

/* What the host has bound to an import. */
typedef struct tirbi_bound_import {
    tirb_import_function function; /* NULL: nothing */
    void *context;
    bool thread_safe;
} tirbi_bound_import;

struct tirb_instance {
    tirb_module *module;
    tirbi_heap heap;   /* of calls; its budget is limits.max_memory */
    tirbi_heap own;    /* of the instance itself */
    tirbi_arena arena; /* on `own`: the scratch */
    tirbi_scratch scratch;
    tirbi_bound_import *imports; /* by import of the program */
    tirb_limits limits; /* with the defaults filled in */
    tirbi_run run;        /* of the call */
    tirbi_store store; /* of the memory that calls leave to the next ones */
    atomic_uint busy;
    tirbi_stops stops; /* reset when a call starts */
    struct tirbi_owned_tensor *left; /* results of calls that failed */
    tirbi_deadline deadline;
    tirbi_profile profile;      /* runs is NULL where the engine does not profile */
    uint32_t n_lines;           /* entries of the module's line tables */
    atomic_uint_least64_t *samples; /* by entry */
    /* By the last call, stored when it ends: tirb_instance_stats may look while another one begins. */
    atomic_uint_least64_t fuel_used;
    atomic_uint_least64_t peak_memory;
};

/* Makes room for a profile on the instance's arena, where the engine profiles. */
void tirbi_profile_create(tirb_instance *instance);

/* The gate of runs, whose context is the instance (vm/host/import.c). */
tirb_status tirbi_import_call(void *context, uint32_t import, bool in_region, const uint64_t *scalars,
                              const tirbi_ref *refs, uint64_t *result, tirb_error *error);

/* The gate of runs for open results, whose context is the instance (vm/call/results.c). */
tirb_status tirbi_result_make(void *context, uint32_t param, const int64_t *extents, uint64_t bytes,
                              const tirbi_ref *from, tirb_error *error);

/* Takes the instance for one call. Errors: BUSY. */
tirb_status tirbi_instance_enter(tirb_instance *instance, tirb_error *error);
void tirbi_instance_leave(tirb_instance *instance);

static inline const char *tirbi_program_text(const tirbi_program *program, uint16_t string) {
    return string < program->n_strings ? program->strings[string].text : "?";
}

/* tirb_tensor_create for an instance, with elements that are not set yet and memory that its heap counts until it is
 * handed over. Also MEMORY_LIMIT, and what a stop makes a call end with. */
tirb_status tirbi_tensor_make(tirb_instance *instance, DLDataType dtype, const int64_t *shape, int32_t ndim,
                              DLManagedTensor **out, tirb_error *error);
/* False: the call is to stop, and not all elements are zeroes. */
bool tirbi_tensor_clear(const DLManagedTensor *made, const atomic_uint *stop);
void tirbi_tensor_hand_over(tirbi_heap *heap, const DLManagedTensor *made);
/* Of a tensor that was not handed over: it is the instance's to free, at once unless that is stopped. */
void tirbi_tensor_leave(tirb_instance *instance, DLManagedTensor *made);
/* Frees what was left so; false: it was stopped, and some is still left. */
bool tirbi_tensors_free(tirb_instance *instance, const atomic_uint *stop);

/* Translates `n` of the module's functions from number `first` on, unless they are ready. Ends early when *stop becomes
 * non-zero; NULL: nothing stops it. Errors: NO_MEMORY, MEMORY_LIMIT, FUEL (of the load); why it was stopped. */
tirb_status tirbi_module_translate(tirb_module *module, uint32_t first, uint32_t n, const atomic_uint *stop,
                                   tirb_error *error);

void tirbi_engine_retain(tirb_engine *engine);
/* What the engine's cache does with what it holds, a tirbi_verified. */
void tirbi_verified_retain(void *verified);
void tirbi_verified_release(void *verified);
/* Makes the team if there is none yet. Errors: NO_MEMORY. */
tirb_status tirbi_engine_need_team(tirb_engine *engine, tirb_error *error);

#endif
