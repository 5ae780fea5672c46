/* Functions that are computed one by one, by code that all instruction sets share: within 4 units in the last place in
 * double, which is what float rounds once. Special values as in C's Annex F and CUDA's library. */
#ifndef TIRB_VM_MATH_SPECIAL_H
#define TIRB_VM_MATH_SPECIAL_H

/* X(NAME, name) by operands. */
#define TIRBI_SPECIAL_1(X)                                                                                             \
    X(CBRT, cbrt) X(SINPI, sinpi) X(COSPI, cospi) X(LOGB, logb)                                                        \
    X(ERFC, erfc) X(ERFCX, erfcx) X(ERFINV, erfinv) X(ERFCINV, erfcinv) X(NORMCDF, normcdf)                            \
    X(TGAMMA, tgamma) X(LGAMMA, lgamma)                                                                                \
    X(J0, j0) X(J1, j1) X(Y0, y0) X(Y1, y1) X(I0, i0) X(I1, i1)
#define TIRBI_SPECIAL_2(X) X(REMAINDER, remainder) X(RHYPOT, rhypot)

/* tirbi_<name>_f64 and tirbi_<name>_f32. */
#define TIRBI_DECLARE_1(NAME, name)                                                                                    \
    double tirbi_##name##_f64(double x);                                                                               \
    float tirbi_##name##_f32(float x);
#define TIRBI_DECLARE_2(NAME, name)                                                                                    \
    double tirbi_##name##_f64(double x, double y);                                                                     \
    float tirbi_##name##_f32(float x, float y);
TIRBI_SPECIAL_1(TIRBI_DECLARE_1)
TIRBI_SPECIAL_2(TIRBI_DECLARE_2)
#undef TIRBI_DECLARE_1
#undef TIRBI_DECLARE_2

#endif
