/* Odd functions on float that level off, in pieces: value + t P(t) at t = |x| - center, each piece with its own center,
 * value and polynomial.
 *
 * A center is a float whose value is very nearly a float too, and t is exact, so that all of the error but the last
 * rounding is that of a small term. In the pieces about 0, center is 0 and value is |x| itself. From the limit on the
 * function rounds to 1. The table is there twice, for vector code that looks up a term in all lanes, and that loads
 * rows. */
#ifndef TIRB_VM_MATH_PIECES_H
#define TIRB_VM_MATH_PIECES_H

#include "vm/math/coefficients.h"
#include "vm/math/core.h"

enum { TIRBI_PIECES = 32, TIRBI_PIECE_ROW = 8, TIRBI_PIECE_CENTER = 0, TIRBI_PIECE_VALUE = 1 };

typedef struct tirbi_pieces {
    _Alignas(64) float rows[TIRBI_PIECES][TIRBI_PIECE_ROW]; /* center, value, and coefficients, that of t last */
    _Alignas(64) float columns[TIRBI_PIECE_ROW][TIRBI_PIECES];
    float limit;
    float scale;    /* pieces in 1 */
    float direct;   /* where value is |x|; less than any other value */
    unsigned first; /* the highest coefficient: those before it are 0 */
} tirbi_pieces;

#define TIRBI_PIECE_IN_ROW(a, b, c, d, e, f, g, h) {a, b, c, d, e, f, g, h},
#define TIRBI_PIECE_0(a, b, c, d, e, f, g, h) a,
#define TIRBI_PIECE_1(a, b, c, d, e, f, g, h) b,
#define TIRBI_PIECE_2(a, b, c, d, e, f, g, h) c,
#define TIRBI_PIECE_3(a, b, c, d, e, f, g, h) d,
#define TIRBI_PIECE_4(a, b, c, d, e, f, g, h) e,
#define TIRBI_PIECE_5(a, b, c, d, e, f, g, h) f,
#define TIRBI_PIECE_6(a, b, c, d, e, f, g, h) g,
#define TIRBI_PIECE_7(a, b, c, d, e, f, g, h) h,
#define TIRBI_PIECES_OF(NAME)                                                                                          \
    {                                                                                                                  \
        .rows = {TIRBI_PIECES_##NAME(TIRBI_PIECE_IN_ROW)},                                                             \
        .columns = {{TIRBI_PIECES_##NAME(TIRBI_PIECE_0)}, {TIRBI_PIECES_##NAME(TIRBI_PIECE_1)},                        \
                    {TIRBI_PIECES_##NAME(TIRBI_PIECE_2)}, {TIRBI_PIECES_##NAME(TIRBI_PIECE_3)},                        \
                    {TIRBI_PIECES_##NAME(TIRBI_PIECE_4)}, {TIRBI_PIECES_##NAME(TIRBI_PIECE_5)},                        \
                    {TIRBI_PIECES_##NAME(TIRBI_PIECE_6)}, {TIRBI_PIECES_##NAME(TIRBI_PIECE_7)}},                       \
        .limit = TIRBI_PIECES_##NAME##_LIMIT, .scale = TIRBI_PIECES_##NAME##_SCALE,                                    \
        .direct = TIRBI_PIECES_##NAME##_DIRECT, .first = TIRBI_PIECE_ROW - TIRBI_PIECES_##NAME##_TERMS                 \
    }
static const tirbi_pieces tirbi_pieces_tanh = TIRBI_PIECES_OF(TANH);
static const tirbi_pieces tirbi_pieces_erf = TIRBI_PIECES_OF(ERF);

TIRBI_MATH float tirbi_odd_pieces(float x, const tirbi_pieces *pieces) {
    float a = tirbi_magnitude_f32(x);
    a = a < pieces->limit ? a : pieces->limit;
    uint32_t piece = tirbi_f32_bits(tirbi_float_fma(a, pieces->scale, TIRBI_ROUNDER_F32)) % TIRBI_PIECES;
    const float *row = pieces->rows[piece];
    float t = a - row[TIRBI_PIECE_CENTER];
    float p = row[pieces->first];
    for (unsigned k = pieces->first + 1; k < TIRBI_PIECE_ROW; k++) p = tirbi_float_fma(p, t, row[k]);
    float direct = a < pieces->direct ? a : pieces->direct;
    float value = row[TIRBI_PIECE_VALUE] > direct ? row[TIRBI_PIECE_VALUE] : direct;
    float result = tirbi_with_sign_f32(tirbi_float_fma(p, t, value), x);
    return x != x ? TIRBI_NAN_F32 : result;
}

#endif
