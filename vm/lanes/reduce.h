/* Reductions one element at a time, by the same tree as the lane machine's. */
#ifndef TIRB_VM_LANES_REDUCE_H
#define TIRB_VM_LANES_REDUCE_H

#include <math.h>

#include "loader/bundle/program.h"
#include "vm/lanes/lanes.h"
#include "vm/math/ops.h"

#define TIRBI_DEFINE_REDUCTION(t, T, W)                                                                                \
    static inline T tirbi_red_identity_##t(uint8_t op) {                                                               \
        return op == TIRBI_RED_ADD   ? (T)0                                                                            \
               : op == TIRBI_RED_MUL ? (T)1                                                                            \
               : op == TIRBI_RED_MIN ? (T)INFINITY                                                                     \
                                     : (T)-INFINITY;                                                                   \
    }                                                                                                                  \
    static inline T tirbi_red_apply_##t(uint8_t op, T a, T b) {                                                        \
        return op == TIRBI_RED_ADD   ? a + b                                                                           \
               : op == TIRBI_RED_MUL ? a * b                                                                           \
               : op == TIRBI_RED_MIN ? (a < b ? a : b)                                                                 \
                                     : (a > b ? a : b);                                                                \
    }                                                                                                                  \
    static inline void tirbi_red_reset_##t(tirbi_red *red) {                                                           \
        for (unsigned i = 0; i < (W); i++) red->part.t[i] = tirbi_red_identity_##t(red->op);                           \
        red->count = 0;                                                                                                \
    }                                                                                                                  \
    /* Folds the block by halves and combines it into the running value. */                                            \
    static inline void tirbi_red_fold_##t(tirbi_red *red) {                                                            \
        for (unsigned half = (W) / 2; half > 0; half /= 2)                                                             \
            for (unsigned i = 0; i < half; i++)                                                                        \
                red->part.t[i] = tirbi_red_apply_##t(red->op, red->part.t[i], red->part.t[i + half]);                  \
        red->running.t = tirbi_red_apply_##t(red->op, red->running.t, red->part.t[0]);                                 \
        tirbi_red_reset_##t(red);                                                                                      \
    }                                                                                                                  \
    static inline void tirbi_red_begin_##t(tirbi_red *red, uint8_t op, T entry) {                                      \
        red->op = op;                                                                                                  \
        red->running.t = entry;                                                                                        \
        tirbi_red_reset_##t(red);                                                                                      \
    }                                                                                                                  \
    static inline void tirbi_red_push_##t(tirbi_red *red, T value) {                                                   \
        T *part = &red->part.t[red->count % (W)];                                                                      \
        *part = tirbi_red_apply_##t(red->op, *part, value);                                                            \
        if (++red->count == TIRBI_RED_BLOCK) tirbi_red_fold_##t(red);                                                  \
    }                                                                                                                  \
    static inline void tirbi_red_pushma_##t(tirbi_red *red, T a, T b) {                                                \
        T *part = &red->part.t[red->count % (W)];                                                                      \
        *part = tirbi_fma_##t(a, b, *part);                                                                            \
        if (++red->count == TIRBI_RED_BLOCK) tirbi_red_fold_##t(red);                                                  \
    }                                                                                                                  \
    static inline T tirbi_red_end_##t(tirbi_red *red) {                                                                \
        if (red->count > 0) tirbi_red_fold_##t(red);                                                                   \
        return tirbi_canon_##t(red->running.t);                                                                        \
    }

TIRBI_DEFINE_REDUCTION(f32, float, TIRBI_RED_PARTIALS_F32)
TIRBI_DEFINE_REDUCTION(f64, double, TIRBI_RED_PARTIALS_F64)
#undef TIRBI_DEFINE_REDUCTION

#endif
