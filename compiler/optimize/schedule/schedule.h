/* Schedules: what a function's loops become, as data. Planning (compiler/optimize/plan) makes the schedule of a whole
 * function before any of it is emitted, compiler/emit runs it and decides nothing, and `tirb explain --plan` prints it
 * (text.h). The same statement may stand in a schedule several times, each time as something else. */
#ifndef TIRB_COMPILER_OPTIMIZE_SCHEDULE_SCHEDULE_H
#define TIRB_COMPILER_OPTIMIZE_SCHEDULE_SCHEDULE_H

#include "compiler/optimize/schedule/leaf.h"

typedef struct tirbi_sched tirbi_sched;

typedef enum tirbi_sched_kind {
    TIRBI_S_SEQ,     /* what is inside, one after the other */
    TIRBI_S_LOOP,    /* the iterations of `stmt`, one after the other; inside: its body */
    TIRBI_S_VERSION, /* inside: what runs where conditions hold, and what runs where they do not */
    TIRBI_S_REGION,  /* inside: what each chunk of a region runs */
    TIRBI_S_LEAF,    /* instructions for a whole nest; inside: what gives elements their first values, if anything */
    TIRBI_S_PLAIN    /* `stmt` as it stands; inside: the arms of an IF, the body of a WHILE */
} tirbi_sched_kind;

/* Other bounds of a loop, which hold while what is inside a node is planned and emitted. */
typedef struct tirbi_range {
    tirbi_lvar *var;
    const tirbi_lx *min, *extent, *below;
} tirbi_range;

typedef struct tirbi_ranges {
    tirbi_range *items;
    uint32_t n;
} tirbi_ranges;

/* Where what the condition computes is known: in the first version, in both, or in neither. */
typedef enum tirbi_version_scope { TIRBI_KNOWN_IN_FIRST, TIRBI_KNOWN_IN_BOTH, TIRBI_KNOWN_IN_NONE } tirbi_version_scope;

typedef struct tirbi_version {
    tirbi_sched *check;        /* runs first, or NULL */
    const tirbi_lx *condition; /* NULL: it is that no two of `pairs` share memory, */
    const tirb_param_pair *pairs;
    uint32_t n_pairs;
    bool in_place; /* or that those which do begin at the same byte */
    tirbi_version_scope knows;
    tirbi_lvar *const *narrow; /* copies of parameters, of which the first version knows more (lvar.as) */
    uint32_t n_narrow;
    tirbi_alias_mode mode[2]; /* what each may assume of parameters that tirb.may_alias names */
} tirbi_version;

/* The element's number that a place has in a region, where its part of the memory begins at 0. */
typedef struct tirbi_moved_place {
    tirbi_place *place;
    const tirbi_lx *flat;
} tirbi_moved_place;

typedef struct tirbi_region {
    const tirbi_region_plan *plan;
    tirbi_lvar *begin, *end;    /* the chunk's iterations */
    tirbi_lane_uniform *values; /* that are computed first */
    uint32_t n_values;
    tirbi_moved_place *places;
    uint32_t n_places;
} tirbi_region;

typedef enum tirbi_leaf_kind {
    TIRBI_LEAF_LANES,
    TIRBI_LEAF_TREE,
    TIRBI_LEAF_SEARCH,
    TIRBI_LEAF_CONTRACT,
    TIRBI_LEAF_FOLD
} tirbi_leaf_kind;

typedef struct tirbi_leaf {
    tirbi_leaf_kind kind;
    tirbi_nest nest;                     /* LANES, TREE: of its last loop, or no plan; SEARCH */
    const tirbi_contract_plan *contract; /* CONTRACT, FOLD: so many, one after the other */
    uint32_t n;
} tirbi_leaf;

struct tirbi_sched {
    uint8_t kind;         /* tirbi_sched_kind */
    bool reread;          /* PLAIN, a store: the statements behind it load from there */
    const tirbi_ls *of;   /* the statement that became this, where it stands in the program; NULL: a part of one */
    const tirbi_ls *stmt; /* LOOP, PLAIN; VERSION: the loop that both are of, or NULL; LEAF: the tree, the search */
    const char *step;     /* the transformation that made it of the statement, or NULL */
    tirbi_sched **items;  /* what is inside; of a leaf those that are NULL are not there */
    uint32_t n;
    const tirbi_ranges *ranges; /* that hold inside, or NULL */
    union {
        const tirbi_version *version;
        const tirbi_region *region;
        const tirbi_leaf *leaf;
    } as;
};

/* What loops' bounds were before others hold, for as long as what is inside a node is looked at. NULL: there are no
 * others. */
typedef struct tirbi_kept_ranges {
    tirbi_range items[TIRBI_MAX_ROW_LOOPS];
} tirbi_kept_ranges;
void tirbi_enter_ranges(const tirbi_ranges *ranges, tirbi_kept_ranges *kept);
void tirbi_leave_ranges(const tirbi_ranges *ranges, const tirbi_kept_ranges *kept);

#endif
