/* State of the emission of one function; private to compiler/emit. */
#ifndef TIRB_COMPILER_EMIT_EMIT_H
#define TIRB_COMPILER_EMIT_EMIT_H

#include "compiler/emit/function.h"
#include "compiler/loop/loop.h"
#include "compiler/optimize/schedule/schedule.h"
#include "compiler/pipeline/switches.h"
#include "loader/base/bytes.h"

/* Forward jumps that wait for their target. */
typedef struct tirbi_patch_list {
    uint32_t *at; /* offsets of the target operand in the code */
    uint32_t n, capacity;
} tirbi_patch_list;

typedef struct tirbi_loop_frame {
    struct tirbi_loop_frame *outer;
    tirbi_patch_list breaks, continues;
} tirbi_loop_frame;

/* An index that has been checked against an extent. */
typedef struct tirbi_checked {
    const tirbi_lx *index, *extent;
} tirbi_checked;

/* A value made of what was loaded, in a register. */
typedef struct tirbi_remembered {
    const tirbi_lx *x; /* NULL: not known any more */
    uint16_t reg;
} tirbi_remembered;

/* Registers of what a function's loop IR names, by ids: one more than the register, or 0. A function and its regions
 * share the arrays, for one of them is emitted at a time. */
typedef struct tirbi_registers {
    uint32_t *var, *ref;
    uint32_t *known; /* of expressions: one more than their place in the list of known ones, where they are */
    uint32_t n_vars, n_refs, n_known;
} tirbi_registers;

/* What was forgotten: an entry of one of the emitter's lists. */
typedef struct tirbi_forgotten {
    enum { TIRBI_FORGOT_KNOWN, TIRBI_FORGOT_REMEMBERED, TIRBI_FORGOT_CHECKED } list;
    uint32_t at;
    const tirbi_lx *x;
} tirbi_forgotten;

/* The memory that a statement may write. */
enum { TIRBI_MAX_CHANGED = 16 };
typedef struct tirbi_changed {
    const tirbi_lbuf *roots[TIRBI_MAX_CHANGED];
    uint32_t n;
    bool everything;
} tirbi_changed;

typedef struct tirbi_scope {
    uint32_t n_known;
    uint32_t n_remembered;
    uint32_t n_checked;
    uint32_t next_sreg;
} tirbi_scope;

typedef struct tirbi_emitter {
    tirbi_arena *arena;   /* for as long as the function is emitted */
    tirbi_arena *lasting; /* of what it becomes */
    tirbi_diagnostics *diagnostics;
    uint32_t disabled; /* a set of TIRB_PASS_* */
    const tirbi_source *source;
    tirbi_lmodule *module;
    tirbi_lfunc *function;
    tirbi_lx_pool *pool;
    tirbi_string_table *strings;
    tirbi_constant_table *constants;
    tirbi_writer code;
    tirbi_registers *registers;
    const tirbi_lx **known; /* expressions whose value is in a register, innermost scope last */
    uint16_t *known_reg;
    uint32_t n_known, known_capacity;
    tirbi_remembered *remembered;
    uint32_t n_remembered, remembered_capacity;
    const tirbi_changed *changed; /* by the loop before which values are being computed; NULL: none */
    tirbi_checked *checked;
    uint32_t n_checked, checked_capacity;
    tirbi_forgotten *forgotten; /* in arms of branches, which are emitted one after the other but do not run so */
    uint32_t n_forgotten, forgotten_capacity;
    uint32_t arms; /* in which what is forgotten is noted */
    uint32_t next_sreg, n_sregs;
    tirbi_patch_list
        conditions; /* the places in the code that name the register of conditions which are only branched on */
    tirbi_ref_type *refs;
    uint32_t n_refs, refs_capacity;
    tirbi_red_type reds[TIRBI_MAX_REDUCTIONS];
    uint32_t n_reds;
    uint8_t red_of[TIRBI_MAX_REDUCTIONS]; /* the states of the tree reduction being emitted, per update */
    uint32_t n_lane_regs;
    tirbi_line *lines;
    uint32_t n_lines, lines_capacity;
    tirbi_loop_frame *loops;
    tirbi_region_list *regions;
    bool failed; /* reported */
} tirbi_emitter;

/* emit.c: registers, instructions, jumps */
tirbi_scope tirbi_scope_open(tirbi_emitter *e);
void tirbi_scope_close(tirbi_emitter *e, tirbi_scope scope);
/* Ends a statement whose values the next ones of its block may use: what it has loaded stays known in the scope around
 * it while registers are few. */
void tirbi_block_close(tirbi_emitter *e, tirbi_scope scope);
/* Notes what an entry of a list has been, which is forgotten now. */
void tirbi_note_forgotten(tirbi_emitter *e, tirbi_forgotten forgotten);
uint16_t tirbi_new_sreg(tirbi_emitter *e);
/* The register of a variable, or -1. */
static inline int32_t tirbi_reg_of(const tirbi_emitter *e, const tirbi_lvar *var) {
    return var->id < e->registers->n_vars ? (int32_t)e->registers->var[var->id] - 1 : -1;
}
/* The same of a buffer's memory. */
static inline int32_t tirbi_ref_of(const tirbi_emitter *e, const tirbi_lbuf *root) {
    return root->id < e->registers->n_refs ? (int32_t)e->registers->ref[root->id] - 1 : -1;
}
/* Gives either a register, or takes it away (-1). */
void tirbi_set_reg(tirbi_emitter *e, tirbi_lvar *var, int32_t reg);
void tirbi_set_ref(tirbi_emitter *e, tirbi_lbuf *root, int32_t reg);
uint16_t tirbi_new_ref(tirbi_emitter *e, tirbi_dtype type, bool writable);
void tirbi_put_instr(tirbi_emitter *e, tirbi_op op, tirbi_dtype type, const int64_t *operands, uint32_t n);
#define TIRBI_PUT(e, op, type, ...)                                                               \
    tirbi_put_instr((e), (op), (type), (const int64_t[]){__VA_ARGS__},                            \
                     (uint32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))
/* Emits a forward jump (JMP: condition ignored) and remembers it. */
void tirbi_put_jump(tirbi_emitter *e, tirbi_op op, uint16_t condition, tirbi_patch_list *list);
/* Makes the jumps of a list land here. */
void tirbi_land(tirbi_emitter *e, tirbi_patch_list *list);
uint32_t tirbi_here(const tirbi_emitter *e);
void tirbi_mark_line(tirbi_emitter *e, tirbi_span span);
/* Room for one more item: the array, moved if need be; NULL when memory ran out. */
void *tirbi_grow(tirbi_arena *arena, void *items, uint32_t n, uint32_t *capacity, size_t size);
void tirbi_put_too_large(tirbi_emitter *e, tirbi_span span, const char *what);

/* values.c: expressions */
uint16_t tirbi_put_value(tirbi_emitter *e, const tirbi_lx *x);
/* The value as operand x: a small constant or a register. */
uint16_t tirbi_put_operand(tirbi_emitter *e, const tirbi_lx *x);
/* The register of a shared expression's value, or -1. */
int32_t tirbi_known_reg(const tirbi_emitter *e, const tirbi_lx *x);
/* Where it is in the list of those that are known. */
void tirbi_set_known(tirbi_emitter *e, const tirbi_lx *x, uint32_t at);
/* Whether a value is in a register, or is a constant. */
bool tirbi_is_at_hand(const tirbi_emitter *e, const tirbi_lx *x);
void tirbi_put_value_into(tirbi_emitter *e, const tirbi_lx *x, uint16_t reg);
/* `reread`: the statements behind it load from there, and what was stored is kept for them. */
void tirbi_put_store(tirbi_emitter *e, const tirbi_place *place, const tirbi_lx *value, bool reread);
uint16_t tirbi_put_load(tirbi_emitter *e, const tirbi_place *place);
/* Computes an index and checks it, unless that was done; its register. */
uint16_t tirbi_put_index(tirbi_emitter *e, const tirbi_lx *index, const tirbi_lx *extent, uint32_t dim,
                         const char *name);
/* Jumps where a condition is false, or where it is true. */
void tirbi_put_branch_unless(tirbi_emitter *e, const tirbi_lx *condition, tirbi_patch_list *list);
void tirbi_put_branch_if(tirbi_emitter *e, const tirbi_lx *condition, tirbi_patch_list *list);
/* The same where the jumps leave the scope that is open: what the whole condition computes is known in the rest of
 * it. */
void tirbi_put_exit_unless(tirbi_emitter *e, const tirbi_lx *condition, tirbi_patch_list *list);
/* `to` is one of two values which are in registers. */
void tirbi_put_select(tirbi_emitter *e, tirbi_dtype type, uint16_t to, const tirbi_lx *condition, uint16_t yes,
                      uint16_t no);
uint16_t tirbi_buffer_ref(tirbi_emitter *e, tirbi_lbuf *root);
/* How two references meet: 0 they share nothing, 1 they begin at the same byte, 2 otherwise. */
uint16_t tirbi_put_meet(tirbi_emitter *e, uint16_t x, uint16_t y);
/* Forgets what was computed from a variable that is assigned again, or (NULL) from any that may be. */
void tirbi_forget(tirbi_emitter *e, const tirbi_lvar *var);

/* addresses.c */
/* The number of a place's element, in terms whose sums are known where what they are of is. */
const tirbi_lx *tirbi_address(const tirbi_emitter *e, const tirbi_place *place);

/* memory.c */
/* Where a value which is not pure is known; NULL where it is not. */
const tirbi_remembered *tirbi_recall(const tirbi_emitter *e, const tirbi_lx *x);
void tirbi_remember(tirbi_emitter *e, const tirbi_lx *x, uint16_t reg);
/* Remembers that a register, which nothing else is put into, holds what is now in a place. */
void tirbi_remember_stored(tirbi_emitter *e, const tirbi_place *place, uint16_t reg);
/* Takes back what has been forgotten since `mark`, of what was there when `scope` was opened; and forgets it anew. */
void tirbi_unforget(tirbi_emitter *e, uint32_t mark, const tirbi_scope *scope);
void tirbi_forget_again(tirbi_emitter *e, uint32_t from, uint32_t to, const tirbi_scope *scope);
/* Forgets what was loaded from a buffer's memory, or (NULL) from any. */
void tirbi_forget_memory(tirbi_emitter *e, const tirbi_lbuf *root);
/* Forgets what was loaded from where a variable says. */
void tirbi_forget_loads_by(tirbi_emitter *e, const tirbi_lvar *var);
/* Whether an expression calls something, which may change memory. */
bool tirbi_calls(const tirbi_lx *x);
/* Forgets what running a statement may change. */
void tirbi_forget_changes(tirbi_emitter *e, const tirbi_ls *s);
void tirbi_find_changes(const tirbi_ls *s, tirbi_changed *out);
/* Whether a buffer's memory is the same after what has been found. */
bool tirbi_stays(const tirbi_changed *changed, const tirbi_lbuf *root);

/* The type of a choice between registers: they hold values of all types as they are to be, and 64 bits are chosen at
 * once, but those of booleans count alone. */
static inline tirbi_dtype tirbi_choice_type(tirbi_dtype type) { return type == TIRB_BOOL ? TIRB_BOOL : TIRB_I64; }

/* statements.c */
/* Emits what a schedule says. */
void tirbi_put_sched(tirbi_emitter *e, const tirbi_sched *node);
/* Computes before a loop what does not change in it and cannot trap. */
void tirbi_hoist_value(tirbi_emitter *e, const tirbi_lx *x);
/* Whether a loop runs at all. */
const tirbi_lx *tirbi_some_rounds(const tirbi_emitter *e, const tirbi_lvar *loop);
/* Jumps over a loop that runs no times. */
void tirbi_put_guard(tirbi_emitter *e, const tirbi_lvar *loop, tirbi_patch_list *skip);

typedef void (*tirbi_loop_body)(tirbi_emitter *e, const void *context);
/* for var in min .. min + extent, by `step` (NULL: 1): body. `frame` collects break and continue, if there can be
 * any. */
void tirbi_put_counted(tirbi_emitter *e, tirbi_lvar *var, const tirbi_lx *step, tirbi_loop_frame *frame,
                        tirbi_loop_body body, const void *context);

/* lane_loops.c */
void tirbi_put_nest(tirbi_emitter *e, const tirbi_nest *nest);
/* Computes before a loop what a lane loop inside is entered with, as far as it does not change there. */
void tirbi_hoist_plan(tirbi_emitter *e, const tirbi_lane_plan *plan);
void tirbi_put_lane_plan(tirbi_emitter *e, const tirbi_lane_plan *plan);
void tirbi_put_search(tirbi_emitter *e, const tirbi_ls *search, const tirbi_lane_plan *plan);
/* Checks the indices of one place (not of what it is a view of) that are not proven, for all iterations of the loops in
 * `enclosing`, a bit per loop. */
void tirbi_put_box_checks(tirbi_emitter *e, const tirbi_place *place, const tirbi_loop_set *loops, uint64_t enclosing);

/* contractions.c */
/* The contractions or folds of a leaf. */
void tirbi_put_contractions(tirbi_emitter *e, const tirbi_sched *node);

/* versions.c */
void tirbi_put_version(tirbi_emitter *e, const tirbi_sched *node);

/* regions.c */
/* The fork of a region, and its function. */
void tirbi_put_region(tirbi_emitter *e, const tirbi_sched *node);

/* function.c */
/* Moves what was emitted into `out`. */
void tirbi_finish_function(tirbi_emitter *e, const char *name, tirbi_function *out);

/* signature.c */
void tirbi_make_signature(tirbi_emitter *e, tirbi_function *out);

#endif
