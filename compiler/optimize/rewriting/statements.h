/* Statements, variables and memory of the loop IR that passes make, each NULL when memory ran out, or where a part of
 * it is NULL; and what passes ask of loops. */
#ifndef TIRB_COMPILER_OPTIMIZE_REWRITING_STATEMENTS_H
#define TIRB_COMPILER_OPTIMIZE_REWRITING_STATEMENTS_H

#include "compiler/loop/exact.h"

/* One with nothing in it yet. */
tirbi_ls *tirbi_new_stmt(tirbi_lx_pool *pool, tirbi_ls_kind kind, tirbi_span span);
const tirbi_ls *tirbi_new_set(tirbi_lx_pool *pool, tirbi_span span, tirbi_lvar *var, const tirbi_lx *value,
                              bool declares);
const tirbi_ls *tirbi_new_store(tirbi_lx_pool *pool, tirbi_span span, const tirbi_place *place, const tirbi_lx *value);
const tirbi_ls *tirbi_new_alloc(tirbi_lx_pool *pool, tirbi_span span, tirbi_lbuf *buffer);
const tirbi_ls *tirbi_new_loop(tirbi_lx_pool *pool, tirbi_span span, tirbi_lvar *var, const tirbi_ls *body);
/* `else_case`: NULL where there is none. */
const tirbi_ls *tirbi_new_if(tirbi_lx_pool *pool, tirbi_span span, const tirbi_lx *condition, const tirbi_ls *then_case,
                             const tirbi_ls *else_case);
/* One that a pass makes. */
const tirbi_ls *tirbi_new_while(tirbi_lx_pool *pool, tirbi_span span, const tirbi_lx *condition, const tirbi_ls *body);
/* A loop over blocks of `step` iterations; the variable is a block's first. */
const tirbi_ls *tirbi_new_blocks(tirbi_lx_pool *pool, tirbi_span span, tirbi_lvar *var, const tirbi_lx *step,
                                 const tirbi_ls *body);
/* The items, one after the other; their list is copied. One alone is itself. */
const tirbi_ls *tirbi_new_sequence(tirbi_lx_pool *pool, tirbi_span span, const tirbi_ls *const *items, uint32_t n);

/* A copy of a statement, for who changes something in it. */
tirbi_ls *tirbi_same_stmt(const tirbi_lx_pool *pool, const tirbi_ls *s);

/* Another variable of which the same is known. */
tirbi_lvar *tirbi_variable_like(tirbi_lx_pool *pool, const tirbi_lvar *old);
/* A store or an assignment of another value. */
const tirbi_ls *tirbi_with_value(const tirbi_lx_pool *pool, const tirbi_ls *s, const tirbi_lx *value);

/* A variable with values in lo .. hi; one for a value, of its type and range; one that counts up to an extent from 0
 * on, with the name of another one. */
tirbi_lvar *tirbi_new_variable(tirbi_lx_pool *pool, tirbi_lvar_kind kind, const char *name, tirbi_dtype type,
                               int64_t lo, int64_t hi, tirbi_span span);
tirbi_lvar *tirbi_variable_for(tirbi_lx_pool *pool, tirbi_lvar_kind kind, const char *name, const tirbi_lx *value,
                               tirbi_span span);
tirbi_lvar *tirbi_new_counter(tirbi_lx_pool *pool, const tirbi_lvar *like, tirbi_dtype type, const tirbi_lx *extent);
/* A loop's variable of which the same is known, but that it counts from 0 up to another extent. */
tirbi_lvar *tirbi_counter_like(tirbi_lx_pool *pool, const tirbi_lvar *old, const tirbi_lx *extent);

/* Memory of these extents, row after row, to be written. The array stays the caller's. */
tirbi_lbuf *tirbi_new_buffer(tirbi_lx_pool *pool, const char *name, tirbi_dtype type, uint32_t ndim,
                             const tirbi_lx *const *shape);
/* Memory of one dimension, and an element of it. */
tirbi_lbuf *tirbi_new_row(tirbi_lx_pool *pool, const char *name, tirbi_dtype type, const tirbi_lx *extent);
const tirbi_place *tirbi_element_at(tirbi_lx_pool *pool, tirbi_lbuf *row, const tirbi_lx *index, tirbi_span span);

/* A loop as another one, around another body, counted by another variable where `var` is not NULL. */
tirbi_ls *tirbi_loop_like(const tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_lvar *var, const tirbi_ls *body);

/* A body in loops, of which the first is the outermost. */
const tirbi_ls *tirbi_in_loops(const tirbi_lx_pool *pool, const tirbi_ls *const *loops, uint32_t n,
                               const tirbi_ls *body);

/* A loop that was arranged anew. */
typedef struct tirbi_arranged {
    const tirbi_ls *stmt;      /* does what it does, */
    const tirbi_ls *loop;      /* most of that in this one; NULL: it does not matter what becomes of it */
    const tirbi_lx *condition; /* where this holds; NULL: always */
    const tirbi_ls *check;     /* which this finds out; NULL: there is nothing to look for */
    tirbi_extents positive;    /* what is 1 at least where it holds */
} tirbi_arranged;

/* Whether a loop's bounds cannot fail, and are the same wherever they are computed. */
bool tirbi_has_plain_bounds(const tirbi_lvar *var);
/* Whether such bounds are known before other loops. */
bool tirbi_is_bounded_before(const tirbi_loop_set *loops, const tirbi_lvar *var);
/* Whether a loop has such bounds, goes on by one each time, and has not been made into blocks or rows. */
bool tirbi_is_plain_loop(const tirbi_ls *loop);

/* What is all of a sequence, itself where it is none or has several items. */
const tirbi_ls *tirbi_only_part(const tirbi_ls *s);
/* Whether a statement is a condition on pure values alone, with no other case. */
bool tirbi_is_guard(const tirbi_ls *s);
/* The loop that is all of a loop's body; NULL where it has none. */
const tirbi_ls *tirbi_loop_inside(const tirbi_ls *loop);

/* How many bytes of a name are its beginning of at most `most`, in whole characters of UTF-8. */
int tirbi_beginning_of(const char *name, size_t most);
/* What a loop is called that does the work of two: the beginnings of both names. */
const char *tirbi_join_names(tirbi_lx_pool *pool, const tirbi_lvar *outer, const tirbi_lvar *inner);

/* Gives what shall stand for a statement: itself, or another one that does the same. */
typedef const tirbi_ls *tirbi_replacer(void *context, const tirbi_ls *s);
/* A statement with what stands for those directly in it, its body, branches or items; itself where these stay, or
 * memory ran out. */
const tirbi_ls *tirbi_replace_inside(tirbi_lx_pool *pool, const tirbi_ls *s, tirbi_replacer *replace, void *context);

/* Whether a statement may set a variable; true for any of a kind that is not looked into. */
bool tirbi_may_set(const tirbi_ls *s, const tirbi_lvar *var);

/* Of a variable, for a walk: whether a condition asks for the first iteration of its loop. */
bool tirbi_asks_for_first(const void *var, const tirbi_ls *s);
/* Whether a variable begins as a constant that nobody sees, for the next statement sets it anew. */
bool tirbi_is_replaced(const tirbi_ls *s, const tirbi_ls *next);
/* For a walk: whether something other than a subscript may be wrong in a node, which ends the call with another
 * status. */
bool tirbi_fails_by_itself(const void *context, const tirbi_lx *x);

/* The statements of a body, also those of sequences in it; false: they are more than `most`. */
bool tirbi_list_statements(const tirbi_ls *body, const tirbi_ls **items, uint32_t *n, uint32_t most);

#endif
