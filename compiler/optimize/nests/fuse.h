/* Fusion: neighbouring nests over the same elements become one, and what they hand on to each other stays in
 * variables. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_FUSE_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_FUSE_H

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/notes.h"

/* The statement with its nests fused; itself where there is nothing to fuse (or memory ran out). `disabled` is a
 * set of TIRB_PASS_*. */
const tirbi_ls *tirbi_fuse_nests(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled, tirbi_notes *notes);

/* Makes the loops over rows of neighbouring nests one, in a sequence of statements; returns how many there are then.
 * (fuse_rows.c) */
uint32_t tirbi_fuse_rows(tirbi_lx_pool *pool, const tirbi_ls **items, uint32_t n, uint32_t disabled,
                         tirbi_notes *notes);

/* Puts what temporaries hold where the results made of it go, in a sequence of statements; returns how many there are
 * then. (in_place.c) */
uint32_t tirbi_store_in_place(tirbi_lx_pool *pool, const tirbi_ls **items, uint32_t n);

/* ---- Nests that become one --------------------------------------------------------------------------------------- */

enum { TIRBI_MAX_FUSED = 32, TIRBI_MAX_FUSED_ACCESSES = 128 };

/* Nests with the loop variables of the first one, and what has to be so of them. */
typedef struct tirbi_fused {
    tirbi_lx_pool *pool;
    /* Whether the body of nest n may be one of them; its accesses are added. */
    bool (*takes)(struct tirbi_fused *group, const tirbi_ls *body);
    /* Whether two of the accesses are to the same in each iteration, and to what no other one has. */
    bool (*same)(const struct tirbi_fused *group, const tirbi_place *a, const tirbi_place *b);
    bool links_reads; /* nests that read the same have to do with each other */
    bool takes_conditions; /* nests may stand behind conditions on values, which then are asked in the common loops */
    uint32_t n_common;
    const tirbi_ls *loops[TIRBI_MAX_AFFINE];
    tirbi_loop_set vars;
    const tirbi_ls *bodies[TIRBI_MAX_FUSED]; /* inside of the common loops */
    const tirbi_ls *originals[TIRBI_MAX_FUSED];
    bool has_rows[TIRBI_MAX_FUSED]; /* goes through the elements of a row */
    uint32_t n;
    tirbi_reached accesses[TIRBI_MAX_FUSED_ACCESSES]; /* by nest */
    uint32_t n_accesses;
} tirbi_fused;

/* The nest behind a condition on values alone that has no other case; else the statement. */
const tirbi_ls *tirbi_behind_condition(const tirbi_ls *s);
/* The loops that are to be common; what is inside of them, or NULL. */
const tirbi_ls *tirbi_common_loops(const tirbi_fused *group, const tirbi_ls *nest, tirbi_loop_set *vars,
                                   const tirbi_ls **loops);
/* Adds the accesses of a body to the group's, as those of its next nest; `all` has the caller's rules. */
bool tirbi_note_fused(tirbi_fused *group, const tirbi_ls *body, tirbi_accesses all);
/* Whether the last nest of the group may run together with those before it, and has to do with them, if that is not
 * known (`linked`). */
bool tirbi_agrees(const tirbi_fused *group, bool linked);
/* A group of one nest; and with one more, where it may run together with the others. */
bool tirbi_begin_fused(tirbi_fused *group, const tirbi_ls *nest);
bool tirbi_join_fused(tirbi_fused *group, const tirbi_ls *nest);
/* Only the first n nests are left. */
void tirbi_keep_fused(tirbi_fused *group, uint32_t n);

/* The statements of a sequence, some of which become one. */
typedef struct tirbi_fused_items {
    tirbi_lx_pool *pool;
    const tirbi_ls **items;
    uint32_t n;
    uint32_t disabled;
    uint32_t looks; /* at statements, for what else uses a buffer */
    tirbi_notes *notes;
} tirbi_fused_items;

/* Whether a statement other than the group's and item `alloc` has to do with a buffer, or there is no time to look. */
bool tirbi_is_used_elsewhere(tirbi_fused_items *q, const tirbi_fused *group, uint32_t alloc, const tirbi_lbuf *buffer);
/* Moves the allocations between items `first` and `end` before `first`, and returns where that is then. */
uint32_t tirbi_allocate_before(tirbi_fused_items *q, uint32_t first, uint32_t end);
/* Puts the one nest in the place of the group's first one, item `first`, and drops the others and these allocations;
 * `how` says of the note what is done together. */
void tirbi_put_fused(tirbi_fused_items *q, const tirbi_fused *group, uint32_t first, const tirbi_ls *one,
                     const bool *dropped, const char *how);

#endif
