/* The state of planning one lane loop, shared by its parts: lanes.c makes plans, lane_statements.c plans the body,
 * lane_inner.c the loops in it, lane_values.c expressions, lane_cursors.c what the body reads and writes, sequences.c
 * what goes from lane to lane and where lanes say themselves what they access. */
#ifndef TIRB_COMPILER_OPTIMIZE_LANES_LANE_PLANNER_H
#define TIRB_COMPILER_OPTIMIZE_LANES_LANE_PLANNER_H

#include "compiler/optimize/lanes/lanes.h"

enum {
    MAX_VALUES = 4000,
    MAX_OPS = 4000,
    MAX_ACCESSES = 256,
    MAX_CHECKS = 512,
    MEMO_SIZE = 1024,
    MAX_VARS = 128,
    MAX_PROMOTED = 16,
    MAX_WRITTEN = 32,
    MAX_CARRIED = 16
};

/* A variable of the body and the lane value that holds it. A raw value holds the bits of a float that may be a NaN to
 * be copied as it is, in an unsigned type of its size. */
typedef struct lane_var {
    tirbi_lvar *var;
    uint16_t value;
    bool raw;
    uint8_t depth; /* in so many inner loops it begins */
} lane_var;

typedef struct lane_memo {
    const tirbi_lx *x; /* a pure expression, or NULL: what cursor `cursor` holds */
    uint8_t cursor;
    bool raw;
    uint16_t value;
} lane_memo;

/* An element that stays in a lane value while an inner loop runs. */
typedef struct promotion {
    const tirbi_place *place;
    uint16_t value;
    bool raw; /* it is copied as well: by its bits */
} promotion;

typedef struct lane_access {
    const tirbi_place *place;
    uint64_t enclosing; /* loops, by bits */
    bool write;
} lane_access;

/* A variable that an iteration finds as the one before it left it. */
typedef struct carried_var {
    tirbi_lvar *var;
    const tirbi_lx *value; /* that it is set to */
    uint32_t n_sets;
    bool done; /* its scan stands before the assignment */
} carried_var;

typedef struct planner {
    tirbi_lx_pool *pool;
    tirbi_lane_plan *plan;
    const tirbi_ls *body, *single; /* and what stands for one iteration of a loop in it, with variables of its own */
    bool writes_out;               /* iterations of short loops stand one behind the other, */
    bool wrote_out;                /* and there were some, */
    uint32_t copies;               /* so many for one of the statement that is planned */
    uint8_t path[TIRBI_MAX_INNER]; /* inner loops that are open, outermost first */
    uint32_t n_path;
    lane_var vars[MAX_VARS];
    uint32_t n_vars;
    lane_memo memo[MEMO_SIZE];
    uint32_t n_memo;
    promotion promoted[MAX_PROMOTED];
    uint32_t n_promoted;
    bool in_memory; /* none is, for the loops around all of the body seek rows by number */
    lane_access accesses[MAX_ACCESSES];
    uint32_t n_accesses;
    const tirbi_place *written[MAX_WRITTEN]; /* what the body stores to */
    uint32_t n_written;
    uint32_t n_named; /* how often an element that lanes name was asked for */
    bool sequences;            /* what goes from lane to lane may be planned */
    bool fails_alike;          /* the order of what may fail in the loop tells nothing */
    uint32_t n_own, own_total; /* loops of each lane's own: that are open, that there were */
    uint32_t own_start;        /* the operation that opens the outermost of them */
    uint32_t own_values;       /* values that there were before it */
    bool ahead;                /* what is planned will stand before it, */
    uint32_t ahead_values;     /* from this value on */
    carried_var carried[MAX_CARRIED];
    uint32_t n_carried;
    uint32_t n_values;
    tirbi_span span;
    tirbi_lane_op lost; /* written to and never read once the plan has failed */
    bool failed;
    bool explains;
    const char *why; /* of a plan that failed and is to be explained */
} planner;

/* lanes.c */
/* Fails, and says why not as lanes: the first reason counts. Without a reason: memory ran out. */
uint16_t tirbi_plan_refuse(planner *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint16_t tirbi_plan_fail(planner *p);
/* A plan of the loop over `var` that is empty still; NULL when memory ran out. A planner is large and there are several
 * for each loop: unlike its plan, it is given back when it has ended. The plan is the result where it was planned. */
planner *tirbi_new_planner(tirbi_lx_pool *pool, tirbi_lvar *var);
tirbi_lane_plan *tirbi_end_planner(planner *p, bool planned);

/* lane_values.c */
/* Why a plan is refused for what only some lanes compute. */
extern const char tirbi_plan_lazy_arm[];
/* The lane value of an expression; of a float that is copied, in an unsigned type of its size. */
uint16_t tirbi_plan_value(planner *p, const tirbi_lx *x);
uint16_t tirbi_plan_raw(planner *p, const tirbi_lx *x);
tirbi_dtype tirbi_plan_raw_type(tirbi_dtype type);
/* Whether the value of an expression may be the bits of a float that it does not compute. */
bool tirbi_plan_is_copy(planner *p, const tirbi_lx *x);
/* Whether a pure expression is the same for all lanes and iterations. */
bool tirbi_plan_is_invariant(planner *p, const tirbi_lx *x);
uint16_t tirbi_plan_new_value(planner *p);
tirbi_lane_op *tirbi_plan_op(planner *p, unsigned op, tirbi_dtype type);
/* The value of an operation on values, of a scalar, and of an element: computed before in this iteration, or by one
 * more operation. */
uint16_t tirbi_plan_elementwise(planner *p, tirbi_op op, tirbi_dtype type, tirbi_dtype source, uint16_t a, uint16_t b,
                                uint16_t c);
uint16_t tirbi_plan_splat(planner *p, tirbi_dtype type, const tirbi_lx *scalar);
uint16_t tirbi_plan_load(planner *p, const tirbi_place *place, tirbi_dtype type, bool raw);
/* A value for all lanes that only those ask for where the condition holds. */
const tirbi_lx *tirbi_plan_guard(planner *p, const tirbi_lx *condition, const tirbi_lx *x);
/* What the iteration has computed or loaded so far: the value of an expression, or where x is NULL of a cursor's
 * element. All that was loaded from a buffer's memory is forgotten where it may have been written to; NULL: from all.
 */
void tirbi_plan_remember(planner *p, const tirbi_lx *x, uint8_t cursor, bool raw, uint16_t value);
uint16_t tirbi_plan_recall(const planner *p, const tirbi_lx *x, uint8_t cursor, bool raw);
void tirbi_plan_forget_loads(planner *p, const tirbi_lbuf *root);
/* Whether a value may be given again: it holds a variable, or an element that stays in a lane value. */
bool tirbi_plan_is_assigned(const planner *p, uint16_t value);
/* An operation like the wanted one before, in this iteration, on the same operands, none of which is assigned in
 * between; or NULL. Loads are of what nothing in the body writes. */
const tirbi_lane_op *tirbi_plan_find_same(const planner *p, const tirbi_lane_op *wanted);
lane_var *tirbi_plan_find_var(planner *p, const tirbi_lvar *var);

/* lane_statements.c */
void tirbi_plan_stmt(planner *p, const tirbi_ls *s);
void tirbi_plan_set(planner *p, tirbi_lvar *var, const tirbi_lx *value, bool declares);
/* Adds a variable of the body; false when there are too many. */
bool tirbi_plan_add_var(planner *p, lane_var var);
/* A condition that is evaluated once, here; NULL when the plan has failed. */
const tirbi_lx *tirbi_plan_as_variable(planner *p, const tirbi_lx *condition);

/* lane_inner.c */
/* Whether there are loops in a loop that may be written out. */
bool tirbi_plan_may_write_out(const tirbi_ls *loop);
/* A loop inside. */
void tirbi_plan_loop(planner *p, const tirbi_ls *loop);
void tirbi_plan_while(planner *p, const tirbi_ls *s);
/* Lanes leave the innermost loop of their own where a condition is false. */
void tirbi_plan_leave_unless(planner *p, const tirbi_lx *condition);

/* lane_order.c */
/* Puts the operations of a plan in an order in which few values are needed at once; false when memory ran out. */
bool tirbi_order_lanes(tirbi_lane_plan *plan, uint32_t n_values, tirbi_arena *arena);

/* scatters.c */
/* Lanes that scatter what they write are worth it only where the loops inside could do no better. */
bool tirbi_plan_writes_well(tirbi_lx_pool *pool, const tirbi_lane_plan *plan, const tirbi_ls *body);

/* lane_cursors.c */
/* The same place where the plan has asked for checks of it in all iterations of the loops that are open, so that it may
 * be reached under any condition in them; else NULL. */
const tirbi_place *tirbi_plan_checked(const planner *p, const tirbi_place *place);
/* The cursor of a place; TIRBI_MAX_CURSORS when there is none, and the plan has failed. */
uint8_t tirbi_plan_cursor(planner *p, const tirbi_place *place, tirbi_dtype type, bool write);
/* One more cursor, which is cleared; NULL: there are too many. Another one more may move it. */
tirbi_lane_cursor *tirbi_plan_new_cursor(planner *p);
/* Whether a place moves by the same step from lane to lane. */
bool tirbi_plan_moves_alike(planner *p, const tirbi_place *place);
/* Whether an index uses a variable that the body sets: such an element is somewhere else in every lane. */
bool tirbi_plan_depends_on_body(planner *p, const tirbi_lx *x);
/* Whether a loop of the nest runs at all wherever the plan does. */
bool tirbi_plan_runs(const planner *p, const tirbi_lvar *var);
/* The variable that holds a uniform value that is not pure; NULL when x is not to be computed before the loop. What can
 * trap is only moved there from where it happens for certain. */
const tirbi_lx *tirbi_plan_uniform(planner *p, const tirbi_lx *x);
/* Notes what the body stores to. */
void tirbi_plan_find_written(planner *p, const tirbi_ls *s);
/* The loops that a row's number is loaded in are around everything, and what rows are written or read by number is
 * reached in no other way. */
bool tirbi_plan_rows_fit(planner *p);

/* inner.c */
/* How the floats of a place are copied: what it was stays in some iterations; or from it, or to it. */
enum { TIRBI_STAYS = 1, TIRBI_IS_COPIED = 2 };
/* Whether within `s` the memory of a place is only ever used as this one element. `copied` gets how floats are. */
bool tirbi_plan_only_this(planner *p, const tirbi_ls *s, const tirbi_place *place, const tirbi_loop_set *loops,
                          unsigned *copied);
/* What keeps the element of a place in a lane value while a loop runs, or NULL. The place may be written anew since, as
 * rounds are that are written out; one that may or may not be such an element is refused. */
const promotion *tirbi_plan_promoted(planner *p, const tirbi_place *place);
/* The places that a loop's body stores to; those that it may never store to only where reaching them cannot fail. */
void tirbi_plan_find_stores(planner *p, const tirbi_ls *s, bool always, const tirbi_place **out, uint32_t *n);
bool tirbi_plan_stands_still(const tirbi_place *place, const tirbi_ls *loop);
/* Whether the bits of a float variable can be told from what a statement does with it, beside arithmetic. */
bool tirbi_plan_shows_bits(const tirbi_ls *s, const tirbi_lvar *var);

/* sequences.c */
/* Whether two expressions of one statement have the same value. Those that load are not interned. */
bool tirbi_same_value(const tirbi_lx *a, const tirbi_lx *b);
bool tirbi_same_element(const tirbi_place *a, const tirbi_place *b);
/* Whether no index of a place needs a check, as what is inside of its buffer's extents is in memory. */
bool tirbi_plan_is_proven(const tirbi_place *place);
/* An index as narrow as it was computed. */
const tirbi_lx *tirbi_plan_narrow(const tirbi_lx *x);
/* The same number in 32 bits where these hold it and lanes need not be made narrow for it, else NULL. */
const tirbi_lx *tirbi_plan_in_32_bits(planner *p, const tirbi_lx *x);
/* Notes which variables the body carries from one iteration to the next. */
void tirbi_plan_find_carried(planner *p, const tirbi_ls *s);
bool tirbi_plan_is_carried(const planner *p, const tirbi_lvar *var);
/* Plans var = value where the variable is carried; where a condition is given, that holds where it does. */
void tirbi_plan_carry(planner *p, tirbi_lvar *var, const tirbi_lx *value, const tirbi_lx *condition);
/* Plans what a carried variable holds before the body assigns to it; NULL when that cannot be. */
lane_var *tirbi_plan_carried_before(planner *p, tirbi_lvar *var);
/* Whether an assignment that was planned ahead has nothing to do any more. */
bool tirbi_plan_is_done(const planner *p, const tirbi_lvar *var);
/* Plans a while loop that only counts a carried variable up to the range that the lane's place is in; false where it is
 * none. */
bool tirbi_plan_advance(planner *p, const tirbi_ls *s);
/* An element, or a store to one, whose place each lane computes. */
uint16_t tirbi_plan_gather(planner *p, const tirbi_place *place, tirbi_dtype type);
void tirbi_plan_scatter(planner *p, const tirbi_place *place, const tirbi_lx *value);

/* apart.c */
/* Whether the lanes keep apart; refuses if not. */
bool tirbi_plan_independent(planner *p);

#endif
