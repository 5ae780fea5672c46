/* Walking loop IR: what is inside a statement or an expression, and in which order it is come to.
 *
 * A walk calls a question for each node, ahead of what is inside it, in program order: bounds ahead of bodies,
 * subscripts ahead of the element, what is stored ahead of the store. The answer says how it goes on. Which expressions
 * it comes to beside operands, and which statements it knows, is said beforehand, so that a question is a few lines
 * about its own matter. Nothing is allocated; the machine's stack is as deep as the tree. */
#ifndef TIRB_COMPILER_LOOP_VISIT_H
#define TIRB_COMPILER_LOOP_VISIT_H

#include "compiler/loop/loop.h"

/* How a walk goes on behind a node that it has come to. */
typedef enum tirbi_step {
    TIRBI_INTO, /* with what is inside */
    TIRBI_PAST, /* behind it */
    TIRBI_STOP  /* not at all */
} tirbi_step;

/* What a walk comes to beside the operands of a statement's own values, and what it leaves out. */
enum {
    TIRBI_WALK_INDICES = 1, /* subscripts of loads */
    TIRBI_WALK_STORED = 2,  /* subscripts of what is stored to */
    TIRBI_WALK_BOUNDS = 4,  /* first value, extent and step of loops, extents of what is allocated */
    TIRBI_WALK_VIEWS = 8,   /* with subscripts: those of views, extents, and numbers that are no subscript */
    TIRBI_WALK_CALLS = 16,  /* arguments of calls */
    TIRBI_WALK_PLACES = TIRBI_WALK_INDICES | TIRBI_WALK_STORED,
    TIRBI_WALK_ALL = 31,
    TIRBI_WALK_IMPURE = 32 /* nothing that is pure, which loads and calls nothing */
};

/* Sets of kinds of statements, by bits. */
#define TIRBI_KIND(kind) (UINT32_C(1) << TIRBI_LS_##kind)
#define TIRBI_STRAIGHT   (TIRBI_KIND(SEQ) | TIRBI_KIND(IF) | TIRBI_KIND(STORE) | TIRBI_KIND(SET))
#define TIRBI_NESTS      (TIRBI_STRAIGHT | TIRBI_KIND(LOOP))
#define TIRBI_GUARDED_STORES (TIRBI_KIND(SEQ) | TIRBI_KIND(IF) | TIRBI_KIND(STORE))
#define TIRBI_JUMPS      (TIRBI_KIND(BREAK) | TIRBI_KIND(CONTINUE) | TIRBI_KIND(RETURN))

typedef struct tirbi_walk {
    void *context;
    tirbi_step (*stmt)(struct tirbi_walk *walk, const tirbi_ls *s); /* NULL: into every statement */
    tirbi_step (*expr)(struct tirbi_walk *walk, const tirbi_lx *x); /* NULL: into every expression */
    /* Each element that is loaded, behind its subscripts, or stored to (`load` is NULL), behind the value; false stops
     * the walk. May be NULL. */
    bool (*access)(struct tirbi_walk *walk, const tirbi_place *place, const tirbi_lx *load);
    uint32_t kinds;   /* of statements: others stop the walk; 0: it knows all */
    unsigned deepest; /* expressions that are in more others, and statements, stop it; 0: none does */
    uint8_t reach;    /* TIRBI_WALK_... */

    /* Where it is; kept by the walk. */
    const tirbi_ls *at;    /* the statement, or NULL */
    unsigned depth, level; /* of the expression in the statement's own, and of the statement */
    bool guarded;          /* a condition around decides whether it is come to */
    bool indexes;          /* in a subscript */
} tirbi_walk;

/* Walk a tree; false where the walk was stopped. What is NULL is nothing. */
bool tirbi_walk_stmt(tirbi_walk *walk, const tirbi_ls *s);
bool tirbi_walk_expr(tirbi_walk *walk, const tirbi_lx *x);
/* What a call is given. */
bool tirbi_walk_call(tirbi_walk *walk, const tirbi_lcall *call);

/* Whether some node of a tree is what a test asks for: of an expression; of a statement; of a statement's values. */
typedef bool tirbi_lx_test(const void *context, const tirbi_lx *x);
typedef bool tirbi_ls_test(const void *context, const tirbi_ls *s);
bool tirbi_any_expr(const tirbi_lx *x, unsigned reach, tirbi_lx_test *test, const void *context);
bool tirbi_any_stmt(const tirbi_ls *s, tirbi_ls_test *test, const void *context);
bool tirbi_any_value(const tirbi_ls *s, unsigned reach, tirbi_lx_test *test, const void *context);
/* How many nodes of an expression are. */
uint32_t tirbi_count_expr(const tirbi_lx *x, unsigned reach, tirbi_lx_test *test, const void *context);

/* Questions that are asked in many places. */

/* Whether a statement or one inside it is of these kinds, and whether all are. */
bool tirbi_has_kind(const tirbi_ls *s, uint32_t kinds);
bool tirbi_is_made_of(const tirbi_ls *s, uint32_t kinds);
/* Statements of these kinds. */
uint32_t tirbi_count_kind(const tirbi_ls *s, uint32_t kinds);
/* Whether a break in a loop's body leaves that loop. */
bool tirbi_leaves_loop(const tirbi_ls *body);
/* Whether a variable is set in a statement. */
bool tirbi_sets(const tirbi_ls *s, const tirbi_lvar *var);
/* Whether a statement stores to memory that may be a root's. Calls and trees are not looked into. */
bool tirbi_stores_to(const tirbi_ls *s, const tirbi_lbuf *root);
/* Whether some value, bound or subscript in a statement names one of some variables; calls may name any. */
bool tirbi_names(const tirbi_ls *s, tirbi_lvar *const *vars, uint32_t n);
/* Whether a node of an expression is a variable; a test as above. */
bool tirbi_is_var(const void *var, const tirbi_lx *x);
/* Whether it is a call, or loads from a buffer itself; tests as well. */
bool tirbi_is_call(const void *nothing, const tirbi_lx *x);
/* The walk ends there. */
tirbi_step tirbi_stop_at_call(tirbi_walk *walk, const tirbi_lx *x);
bool tirbi_is_load_from(const void *buffer, const tirbi_lx *x);
/* Nodes of a statement's tree, each statement and each node of its values, subscripts of loads among them. */
int64_t tirbi_count_nodes(const tirbi_ls *s);

#endif
