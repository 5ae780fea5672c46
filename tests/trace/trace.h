/* The trace oracle: small random nests of loop IR are run, element by element, and what happens is held against what
 * the analyses say of them. */
#ifndef TIRB_TESTS_TRACE_TRACE_H
#define TIRB_TESTS_TRACE_TRACE_H

#include "compiler/loop/linear.h"
#include "compiler/optimize/analysis/depend.h"
#include "tests/differential/random.h"

enum { TRACE_PARAMETERS = 4, TRACE_MAX_EVENTS = 4096, TRACE_MAX_CLAIMS = 64 };

/* A nest as text of loop IR, and what its parameters are. */
void trace_generate(tirbi_random *random, tirbi_text *out, int64_t parameters[TRACE_PARAMETERS]);

/* What is said of an expression: it is this polynomial where these conditions hold. */
typedef struct trace_claim {
    const tirbi_lx *x;
    const tirbi_facts *facts;
    tirbi_poly is;
    tirbi_conditions conditions;
} trace_claim;

/* An element, or a variable, that is come to. */
typedef struct trace_event {
    const tirbi_place *place; /* NULL: a variable's */
    const tirbi_lvar *var;
    uint16_t part;
    bool writes;
    const void *memory; /* a root or the variable */
    int64_t element;
    int64_t iteration[TIRBI_NEST_LOOPS]; /* values of loop variables, by the graph's number */
} trace_event;

typedef struct trace_run {
    tirbi_lx_pool *pool;
    const tirbi_lfunc *function;
    const tirbi_dependences *graph;
    const int64_t *parameters;
    trace_event *events;
    uint32_t n_events;
    int64_t iteration[TIRBI_NEST_LOOPS];
    uint16_t part;
    struct {
        const tirbi_lvar *var;
        int64_t value, begun; /* how often it has begun: each time it is another variable */
    } values[32];
    uint32_t n_values;
    struct {
        const tirbi_lbuf *root;
        int64_t *elements;
        int64_t n;
    } memory[8];
    uint32_t n_memory;
    const trace_claim *claims;
    uint32_t n_claims, n_checked;
    const trace_claim *broken; /* the first claim that did not hold */
    bool ended;                /* by a trap, or because there is no more room */
    /* A loop of the nest that the graph is of: what it does is logged, and looked at each time that it has run. Or
     * NULL. */
    const tirbi_ls *inner;
    trace_event *inner_events; /* its room; `events` is NULL outside of it */
    bool (*look)(struct trace_run *run, void *context);
    void *context;
    bool inner_failed;
} trace_run;

/* The statements that a loop's body is. */
static inline const tirbi_ls *const *trace_parts(const tirbi_ls *loop, uint32_t *n) {
    const tirbi_ls *body = loop->as.loop.body;
    *n = body->kind == TIRBI_LS_SEQ ? body->as.seq.n : 1;
    return body->kind == TIRBI_LS_SEQ ? body->as.seq.items : &loop->as.loop.body;
}

/* Runs the nest, whose body is these parts. */
void trace_run_nest(trace_run *run, const tirbi_ls *nest, const tirbi_ls *const *parts, uint32_t n_parts);
/* The value of an expression as things stand; false: it has none. */
bool trace_value(trace_run *run, const tirbi_lx *x, int64_t *out);
/* The value of a polynomial as things stand; false: int64 does not have it. */
bool trace_poly(trace_run *run, const tirbi_facts *facts, const tirbi_poly *p, int64_t *out);
void trace_free_memory(trace_run *run);

#endif
