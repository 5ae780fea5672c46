/* The inside of the checker: what its files share. */
#ifndef TIRB_COMPILER_CHECK_CHECKER_H
#define TIRB_COMPILER_CHECK_CHECKER_H

#include "compiler/check/check.h"

/* Where a variable or buffer is in its life, within one function. */
typedef enum tirbi_scope_state {
    TIRBI_SCOPE_NEW,      /* no binding met yet */
    TIRBI_SCOPE_BOUND,    /* in scope */
    TIRBI_SCOPE_LEFT,     /* its scope has ended */
    TIRBI_SCOPE_REPORTED  /* an error about it was reported: no more of them */
} tirbi_scope_state;

/* What bound a variable, where that matters. */
typedef enum tirbi_var_kind {
    TIRBI_VAR_PLAIN,
    TIRBI_VAR_LOOP,
    TIRBI_VAR_THREAD, /* a thread index, which may be bound again */
    TIRBI_VAR_MATCHED /* by the match_buffer in whose shape, strides or offset it stands alone */
} tirbi_var_kind;

typedef struct tirbi_checker {
    const tirb_irmodule *module;
    tirbi_diagnostics *diagnostics;
    const tirb_primfunc *function;
    uint8_t *vars;    /* tirbi_scope_state by variable id */
    uint8_t *buffers; /* the same by buffer id */
    uint8_t *kinds;   /* tirbi_var_kind by variable id */
    bool *determined; /* by variable id: a parameter's shape tells its value */
    uint32_t n_vectorized; /* vectorized loops around */
    uint32_t n_loops;      /* loops of any kind around, in this function */
    uint32_t *blocks;      /* by the id of a loop's variable: blocks with axes around the loop */
    uint32_t n_blocks;     /* such blocks around */
    const tirb_block *block; /* the innermost */
    const tirb_expr *returned; /* the first value returned */
    bool returns_nothing;      /* a return without a value was met */
    bool warned_index_widths;
    tirbi_span at; /* the statement or operation being checked: the place of messages about a variable in it */
} tirbi_checker;

/* Where a message about an operand points to: a variable's node is at its declaration. */
static inline tirbi_span tirbi_check_place(const tirbi_checker *c, const tirb_expr *e) {
    return e->kind == TIRB_EXPR_VAR ? c->at : e->span;
}

/* ---- Bounds (bounds.c) ---- */
/* Warns of accesses that every call makes out of bounds, in a module without errors. */
void tirbi_warn_of_bounds(const tirb_irmodule *module, tirbi_diagnostics *diagnostics, tirbi_arena *arena);

/* ---- Scope (scope.c) ---- */
void tirbi_check_bind_var(tirbi_checker *c, const tirb_expr *var, tirbi_span span);
void tirbi_check_bind_thread(tirbi_checker *c, const tirb_expr *var, tirbi_span span);
void tirbi_check_leave_var(tirbi_checker *c, const tirb_expr *var);
void tirbi_check_use_var(tirbi_checker *c, const tirb_expr *var, tirbi_span span);
/* A buffer and the data variable that comes with it. A variable of `data` that is bound already stays as it is when
 * `shares_data`. */
void tirbi_check_bind_buffer(tirbi_checker *c, const tirb_buffer *buffer, bool shares_data);
void tirbi_check_leave_buffer(tirbi_checker *c, const tirb_buffer *buffer, bool shares_data);
void tirbi_check_use_buffer(tirbi_checker *c, const tirb_buffer *buffer, tirbi_span span);

/* ---- Types (types.c) ---- */
typedef struct tirbi_type_text {
    char text[32];
} tirbi_type_text;
tirbi_type_text tirbi_check_text(tirb_datatype type);
bool tirbi_check_is_int(tirb_datatype type);   /* signed or unsigned, any lanes */
bool tirbi_check_is_float(tirb_datatype type); /* float or bfloat, any lanes */
bool tirbi_check_is_bool(tirb_datatype type);  /* bool, or an unsigned type of 1 bit */
/* Each reports and returns false when the rule does not hold; `what` names the part, as in "the condition of If". */
bool tirbi_check_int_scalar(tirbi_checker *c, const tirb_expr *e, const char *what);
bool tirbi_check_bool_scalar(tirbi_checker *c, const tirb_expr *e, const char *what);
bool tirbi_check_same_type(tirbi_checker *c, tirbi_span span, const char *what, tirb_datatype found,
                           tirb_datatype expected);
/* The shape, strides, offset and data variable of a buffer. */
void tirbi_check_buffer_type(tirbi_checker *c, const tirb_buffer *buffer);

/* ---- Expressions (expr.c, call.c) ---- */
void tirbi_check_expr(tirbi_checker *c, const tirb_expr *e);
void tirbi_check_exprs(tirbi_checker *c, const tirb_expr *const *items, uint32_t n);
/* The indices of a load or store, and the type of the access; false when they are wrong. */
bool tirbi_check_indices(tirbi_checker *c, tirbi_span span, const tirb_buffer *buffer, const tirb_expr *const *indices,
                         uint32_t n, tirb_datatype *type);
void tirbi_check_predicate(tirbi_checker *c, const tirb_expr *predicate, tirb_datatype type);
void tirbi_check_call(tirbi_checker *c, const tirb_expr *call);
/* Expressions in the fields of a buffer: uses of variables and their types. */
void tirbi_check_buffer_exprs(tirbi_checker *c, const tirb_buffer *buffer);

/* ---- Statements (stmt.c) ---- */
void tirbi_check_stmt(tirbi_checker *c, const tirb_stmt *s);

/* ---- Functions (required.c) ---- */
void tirbi_check_required(tirbi_checker *c, const tirb_primfunc *f);

static inline const tirb_buffer *tirbi_check_param_buffer(const tirb_primfunc *f, uint32_t i) {
    return f->buffers != NULL ? f->buffers[i] : NULL;
}

#endif
