/* State of the planning of one function; private to compiler/optimize/plan. */
#ifndef TIRB_COMPILER_OPTIMIZE_PLAN_PLANNER_H
#define TIRB_COMPILER_OPTIMIZE_PLAN_PLANNER_H

#include "compiler/optimize/facts/live.h"
#include "compiler/optimize/plan/plan.h"
#include "compiler/pipeline/switches.h"

/* Forms that a loop is not planned in: it is what runs where one of them does not hold. */
enum {
    TIRBI_NOT_FLAT = 1,
    TIRBI_NOT_SEARCHED = 2,
    TIRBI_NOT_BLOCKED = 4,
    TIRBI_NOT_NUMBERED = 8,
    TIRBI_NOT_FILLED = 16,
    TIRBI_NOT_STAGED = 32,
    TIRBI_NOT_APART = 64,
    TIRBI_NOT_COLUMNS = 128,
    TIRBI_NOT_EXTREMES = 256,
    TIRBI_NOT_SKIPPED = 512,
    TIRBI_NOT_KEPT = 1024,
    TIRBI_NOT_SHORT = 2048
};

/* What a statement is planned inside of. */
typedef struct tirbi_surroundings {
    uint32_t without;   /* a set of TIRBI_NOT_* */
    uint8_t splits;     /* so many times in parts of a range, */
    uint8_t behind;     /* behind first iterations, */
    uint8_t named;      /* with variables in place of what memory holds */
    bool again;         /* a loop of scalar code, which comes here again and again */
    bool serial;        /* in no region: in one, or where there is too little work, or it has been looked at as one */
    tirbi_notes *notes; /* NULL: nobody asks, or it was told of another version */
} tirbi_surroundings;

typedef struct tirbi_scheduler {
    tirbi_lx_pool *pool;
    const tirbi_lmodule *module;
    tirbi_lfunc *function;
    uint32_t disabled;  /* a set of TIRB_PASS_* */
    uint32_t n_regions; /* of the module, as far as it is planned */
    tirbi_surroundings in;
} tirbi_scheduler;

/* What is not to be done for speed. */
static inline uint32_t tirbi_not_planned(const tirbi_scheduler *p) {
    return tirbi_switched_off(p->disabled, p->pool->arena);
}

/* statements.c: nodes; all are NULL when memory ran out, and may be given what is */
tirbi_sched *tirbi_new_sched(tirbi_scheduler *p, tirbi_sched_kind kind, const tirbi_ls *stmt, uint32_t n);
tirbi_sched *tirbi_schedule(tirbi_scheduler *p, const tirbi_ls *s);
/* The same where it has been looked at as a region. */
tirbi_sched *tirbi_schedule_serial(tirbi_scheduler *p, const tirbi_ls *s);
/* One that is what a transformation, `step`, made of a statement. */
tirbi_sched *tirbi_sched_of(tirbi_scheduler *p, const char *step, tirbi_sched *inside);
/* The iterations of a loop one after the other, as written. */
tirbi_sched *tirbi_schedule_in_order(tirbi_scheduler *p, const tirbi_ls *loop);
/* What is declared in a statement has no values any more: it is planned again. */
void tirbi_forget_declared(tirbi_scheduler *p, const tirbi_ls *s);

/* leaves.c */
/* The lane plan of a loop: of its nest in a better order, or of itself. */
bool tirbi_choose_lanes(tirbi_scheduler *p, const tirbi_ls *loop, tirbi_nest *out);
tirbi_sched *tirbi_sched_lanes(tirbi_scheduler *p, const tirbi_nest *nest);
tirbi_sched *tirbi_schedule_tree(tirbi_scheduler *p, const tirbi_ls *tree);
tirbi_sched *tirbi_schedule_search(tirbi_scheduler *p, const tirbi_ls *search);
/* A nest as a contraction, and as rows of tree reductions; NULL when it is none. */
tirbi_sched *tirbi_schedule_contraction(tirbi_scheduler *p, const tirbi_ls *loop);
tirbi_sched *tirbi_schedule_folds(tirbi_scheduler *p, const tirbi_ls *loop);

/* aliases.c */
/* A loop in which parameters meet that may share memory, one of them written; NULL when it is no such loop. */
tirbi_sched *tirbi_schedule_aliased(tirbi_scheduler *p, const tirbi_ls *loop);

/* regions.c */
/* A nest as a region where its iterations are known to be apart and worth it; else NULL. */
tirbi_sched *tirbi_schedule_region(tirbi_scheduler *p, const tirbi_ls *loop);

/* forms.c */
/* A loop as lanes, as it stands or in another form; else NULL. */
tirbi_sched *tirbi_schedule_lanes(tirbi_scheduler *p, const tirbi_ls *loop);

#endif
