/* Conditions under which all of a loop's body stands, in loops inside of it too. */
#ifndef TIRB_COMPILER_OPTIMIZE_REWRITING_GUARDS_H
#define TIRB_COMPILER_OPTIMIZE_REWRITING_GUARDS_H

#include "compiler/loop/exact.h"

enum { TIRBI_MAX_BEGUN = 32 };

typedef struct tirbi_guards {
    tirbi_lx_pool *pool;
    /* Whether a term of a condition is the one that is looked for; it is asked for the first one of each. */
    bool (*takes)(void *context, const tirbi_lx *term);
    void *context;
    const tirbi_lvar *begun[TIRBI_MAX_BEGUN]; /* variables that begin in the body: a term names none of them */
    uint32_t n_begun;
} tirbi_guards;

/* A body without such a term in its conditions, for who says in another way that it holds: where it does not, nothing
 * in the body is done, and no value in it may fail. NULL: something stands under none. */
const tirbi_ls *tirbi_without_guard(tirbi_guards *guards, const tirbi_ls *body);

#endif
