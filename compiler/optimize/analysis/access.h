/* What code reaches in memory: the elements that it loads and stores to, in program order, and the variables that it
 * sets. Code that cannot be told so is refused, with the reason. */
#ifndef TIRB_COMPILER_OPTIMIZE_ANALYSIS_ACCESS_H
#define TIRB_COMPILER_OPTIMIZE_ANALYSIS_ACCESS_H

#include "compiler/loop/visit.h"
#include "compiler/loop/exact.h"

typedef enum tirbi_reached_how {
    TIRBI_LOADS,
    TIRBI_STORES,
    TIRBI_UPDATES /* a write of what the element held, and one operation more; of a tree, of any operation */
} tirbi_reached_how;

typedef struct tirbi_reached {
    const tirbi_place *place;
    const tirbi_ls *stmt; /* that comes to it; NULL: the value of none */
    uint16_t part;        /* of several pieces of code, as the list said then */
    uint8_t what;         /* tirbi_reached_how; the read of an update is there as well, but for a tree's */
    bool surely;          /* no condition decides whether it is come to */
    bool traps;           /* READ: it, or what finds it, may end the call */
} tirbi_reached;

/* Why code is refused. */
typedef enum tirbi_refusal {
    TIRBI_REFUSES_NOTHING,
    TIRBI_REFUSES_STATEMENT, /* of a kind that is not in `kinds` */
    TIRBI_REFUSES_LOOP,      /* with a step, or of blocks or rows */
    TIRBI_REFUSES_CALL,
    TIRBI_REFUSES_VIEW,     /* an element by a buffer that is matched to a part of another one */
    TIRBI_REFUSES_VARIABLE, /* the value of one that is assigned more than once */
    TIRBI_REFUSES_MANY,     /* accesses, variables or loops: there is no room for them */
    TIRBI_REFUSES_DEPTH,
    TIRBI_REFUSES_CALLER /* one of the functions of the list said so */
} tirbi_refusal;

/* What is taken that else is refused, and the other way round. */
enum {
    TIRBI_TAKE_VIEWS = 1,
    TIRBI_TAKE_STEPS = 2,
    TIRBI_TAKE_CALLS = 4,  /* they are not looked into */
    TIRBI_NO_VARIABLES = 8 /* whose value is assigned more than once */
};

typedef struct tirbi_accesses {
    tirbi_reached *item; /* the caller's array; NULL: they only go to `access` */
    uint32_t n, most;
    uint16_t part;
    uint8_t rules;                /* TIRBI_TAKE_... */
    unsigned deepest;             /* as of a walk */
    uint32_t kinds;               /* of statements; 0: TIRBI_STRAIGHT */
    tirbi_loop_set *sets, *loops; /* get the variables that are set, each time, and those of loops; NULL: not asked */
    /* The caller's own conditions, each ahead of what is inside, an access's behind: false refuses. NULL: there are
     * none. Pure values are not looked into. */
    void *context;
    bool (*stmt)(void *context, const tirbi_ls *s);
    bool (*value)(void *context, const tirbi_lx *x);
    bool (*access)(void *context, const tirbi_reached *a);
    tirbi_refusal refused;
} tirbi_accesses;

/* Adds the accesses of a statement, of a value, or of a place's subscripts. False where something is refused; what came
 * before it is in the list then. */
bool tirbi_find_accesses(tirbi_accesses *out, const tirbi_ls *stmt);
bool tirbi_find_accesses_of(tirbi_accesses *out, const tirbi_lx *value);

/* The first place that some of n accesses store to; NULL: none does. */
const tirbi_place *tirbi_first_stored(const tirbi_reached *all, uint32_t n);

/* Memory, as often as it was come to. */
enum { TIRBI_MAX_ROOTS = 32 };
typedef struct tirbi_roots {
    const tirbi_lbuf *item[TIRBI_MAX_ROOTS];
    uint32_t n;
} tirbi_roots;

/* The memory that the stores of a statement, at most so many, go to; false: they are more. */
bool tirbi_find_stored(tirbi_roots *out, const tirbi_ls *stmt, uint32_t most);
/* Whether memory may be some of it. */
bool tirbi_is_among(const tirbi_roots *roots, const tirbi_lbuf *root);
/* The variables that a statement sets and those of loops in it; false: too many, or it is not made of these kinds. */
bool tirbi_find_variables(tirbi_loop_set *out, const tirbi_ls *stmt, uint32_t kinds);
/* The loops of a perfect nest, outermost first, as many as are plain and have bounds that are known before all of it,
 * but at most so many; gives what is inside of them. */
const tirbi_ls *tirbi_perfect_nest(const tirbi_ls *s, uint32_t most, const tirbi_ls **loops, tirbi_loop_set *vars);
/* The variables of its loops alone; false: too many. */
bool tirbi_find_loops(tirbi_loop_set *out, const tirbi_ls *stmt);

/* Whether a value is made of what a nest leaves alone: variables that are set once, elsewhere, and elements of memory
 * that it does not store to, by buffers that lie still in `loops`. `own`: variables that the nest sets, or NULL. */
bool tirbi_is_left_alone(const tirbi_lx *x, const tirbi_roots *stored, const tirbi_loop_set *loops,
                         const tirbi_loop_set *own);
/* Whether every subscript of a place is proven to be inside. */
bool tirbi_is_proven(const tirbi_place *place);
/* Whether a place is surely in memory: that, of a view that is no larger than its memory. */
bool tirbi_is_surely_inside(const tirbi_place *place);
/* Whether a place is the same element of its buffer whatever the variables of a set are, by what it says itself. */
bool tirbi_stands_still(const tirbi_place *place, const tirbi_loop_set *set);
/* Whether no value of a statement can fail, and it stores only to what is proven to be there. */
bool tirbi_cannot_fail(const tirbi_ls *stmt);
/* Whether the order in which code comes to what may fail tells nothing: it may end the call in one way alone. What may
 * end it in several goes on in the order of the program, in which the first that fails is the call's end; but that some
 * place will lie outside may be found out at any time before. */
bool tirbi_fails_alike(const tirbi_ls *stmt);
/* Whether some access writes memory that may be a root's. */
bool tirbi_is_written(const tirbi_accesses *all, const tirbi_lbuf *root);

/* Whether a statement has to do with memory that may be some of `root`'s. */
bool tirbi_statement_uses(const tirbi_ls *s, const tirbi_lbuf *root);
/* Whether leaving an allocation out changes nothing but memory; false for what is none. */
bool tirbi_is_plain_allocation(const tirbi_ls *s);

#endif
