/* Copies of nests with other loop variables and other memory. */
#ifndef TIRB_COMPILER_OPTIMIZE_REWRITING_COPY_H
#define TIRB_COMPILER_OPTIMIZE_REWRITING_COPY_H

#include "compiler/optimize/facts/affine.h"

enum { TIRBI_MAX_COPIED_LETS = 32 };

typedef struct tirbi_copier {
    const tirbi_loop_set *from, *to; /* to[i] stands for from[i]; NULL: variables stay */
    /* The buffer that an access is to instead, with the same indices; NULL: the one that it is to. May itself be NULL.
     */
    tirbi_lbuf *(*buffer)(void *context, const tirbi_place *place);
    void *context;
    struct {
        const tirbi_lvar *old;
        tirbi_lvar *fresh;
    } lets[TIRBI_MAX_COPIED_LETS]; /* variables that begin in what is copied: others in the copy */
    uint32_t n_lets;
} tirbi_copier;

/* Of loops, stores, declarations of variables and tree reductions; bounds of loops mention nothing that is replaced.
 * NULL for anything else, and when memory ran out. */
const tirbi_ls *tirbi_copy_stmt(tirbi_lx_pool *pool, tirbi_copier *copier, const tirbi_ls *s);

/* The place in `buffer` with these indices. */
const tirbi_place *tirbi_place_in(tirbi_lx_pool *pool, tirbi_lbuf *buffer, const tirbi_lx *const *indices,
                                  tirbi_span span);

#endif
