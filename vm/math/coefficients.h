/* Polynomials and constants, made by fit.py. Each polynomial approximates the function named above it. */
#ifndef TIRB_VM_MATH_COEFFICIENTS_H
#define TIRB_VM_MATH_COEFFICIENTS_H

#include "vm/math/core.h"

/* Constants as sums of parts: part 1 has spare bits at its end, so that small integers times it are exact. */
#define TIRBI_LN2_1 0x1.62e42fee00000p-1
#define TIRBI_LN2_2 0x1.a39ef35793c76p-33
#define TIRBI_LN2_FULL_1 0x1.62e42fefa39efp-1
#define TIRBI_LN2_FULL_2 0x1.abc9e3b39803fp-56
#define TIRBI_LOG2_E_1 0x1.71547652b82fep+0
#define TIRBI_LOG2_E_2 0x1.777d0ffda0d24p-56
#define TIRBI_LOG10_E_1 0x1.bcb7b1526e50ep-2
#define TIRBI_LOG10_E_2 0x1.95355baaafad3p-57
#define TIRBI_LOG10_2_1 0x1.3441350800000p-2
#define TIRBI_LOG10_2_2 0x1.f79fef311f12bp-34
#define TIRBI_LOG2_10 0x1.a934f0979a371p+1
#define TIRBI_LN10_1 0x1.26bb1bbb55516p+1
#define TIRBI_LN10_2 -0x1.f48ad494ea3e9p-53
#define TIRBI_LN2_DD_1 0x1.62e42fefa3800p-1
#define TIRBI_LN2_DD_2 0x1.ef35793c76730p-45
#define TIRBI_TWO_OVER_PI 0x1.45f306dc9c883p-1
#define TIRBI_PI_HALF_1 0x1.921fb54442d18p+0
#define TIRBI_PI_HALF_2 0x1.1a62633145c07p-54
#define TIRBI_PI_HALF_3 -0x1.f1976b7ed8fbcp-110
#define TIRBI_PI_HALF_DD_1 0x1.921fb54442d18p+0
#define TIRBI_PI_HALF_DD_2 0x1.1a62633145c07p-54
#define TIRBI_PI_DD_1 0x1.921fb54442d18p+1
#define TIRBI_PI_DD_2 0x1.1a62633145c07p-53
#define TIRBI_PI_QUARTER_DD_1 0x1.921fb54442d18p-1
#define TIRBI_PI_QUARTER_DD_2 0x1.1a62633145c07p-55
#define TIRBI_ATAN_HALF_DD_1 0x1.dac670561bb4fp-2
#define TIRBI_ATAN_HALF_DD_2 0x1.a2b7f222f65e2p-56
#define TIRBI_ATAN_3_HALVES_DD_1 0x1.f730bd281f69bp-1
#define TIRBI_ATAN_3_HALVES_DD_2 0x1.007887af0cbbdp-56
#define TIRBI_TWO_THIRDS_DD_1 0x1.5555555555555p-1
#define TIRBI_TWO_THIRDS_DD_2 0x1.5555555555555p-55
#define TIRBI_LN2_SHORT_F32_1 0x1.62e4p-1f
#define TIRBI_LN2_SHORT_F32_2 0x1.7f7d1cp-20f
#define TIRBI_LOG2_E_F32_1 0x1.715476p+0f
#define TIRBI_LOG2_E_F32_2 0x1.4ae0cp-26f
#define TIRBI_LOG10_E_F32_1 0x1.bcb7b2p-2f
#define TIRBI_LOG10_E_F32_2 -0x1.5b235ep-27f
#define TIRBI_LOG10_2_SHORT_F32_1 0x1.344p-2f
#define TIRBI_LOG10_2_SHORT_F32_2 0x1.3509f8p-18f
#define TIRBI_LOG2_10_F32_1 0x1.a934fp+1f
#define TIRBI_LOG2_10_F32_2 0x1.2f346ep-24f
#define TIRBI_LN10_F32_1 0x1.26bb1cp+1f
#define TIRBI_LN10_F32_2 -0x1.12aabap-25f
#define TIRBI_TWO_OVER_PI_F32_1 0x1.45f306p-1f
#define TIRBI_PI_HALF_F32_1 0x1.92p+0f
#define TIRBI_PI_HALF_F32_2 0x1.fb4p-12f
#define TIRBI_PI_HALF_F32_3 0x1.444p-24f
#define TIRBI_PI_HALF_F32_4 0x1.68c234p-39f

static const uint64_t tirbi_two_over_pi[20] = {
    0xA2F9836E4E441529u, 0xFC2757D1F534DDC0u, 0xDB6295993C439041u, 0xFE5163ABDEBBC561u,
    0xB7246E3A424DD2E0u, 0x06492EEA09D1921Cu, 0xFE1DEB1CB129A73Eu, 0xE88235F52EBB4484u,
    0xE99C7026B45F7E41u, 0x3991D639835339F4u, 0x9C845F8BBDF9283Bu, 0x1FF897FFDE05980Fu,
    0xEF2F118B5A0A6D1Fu, 0x6D367ECF27CB09B7u, 0x4F463F669E5FEA2Du, 0x7527BAC7EBE5F17Bu,
    0x3D0739F78A5292EAu, 0x6BFB5FB11F8D5D08u, 0x56033046FC7B6BABu, 0xF0CFBC209AF4361Du
};

/* (exp(x) - 1 - x) / x^2, |x| <= ln(2) / 2: error 2^-34.3 of the largest value */
TIRBI_MATH double tirbi_poly_exp_short(double x) {
    double p = 0x1.a1132015ba37ep-16;
    p = tirbi_double_fma(p, x, 0x1.a15179d80ae96p-13);
    p = tirbi_double_fma(p, x, 0x1.6c16858b7acb9p-10);
    p = tirbi_double_fma(p, x, 0x1.1110c632a3088p-7);
    p = tirbi_double_fma(p, x, 0x1.5555555c87148p-5);
    p = tirbi_double_fma(p, x, 0x1.55555567532adp-3);
    p = tirbi_double_fma(p, x, 0x1.0000000000000p-1);
    return p;
}

/* (2 atanh(s) - 2 s) / s^3 at x = s^2, s <= (sqrt(2) - 1) / (sqrt(2) + 1): error 2^-43.7 of the largest value */
TIRBI_MATH double tirbi_poly_log_short(double x) {
    double p = 0x1.546adfbbda333p-3;
    p = tirbi_double_fma(p, x, 0x1.7382d06f0c1dep-3);
    p = tirbi_double_fma(p, x, 0x1.c71fcd1ced0aep-3);
    p = tirbi_double_fma(p, x, 0x1.2492462aa8c89p-2);
    p = tirbi_double_fma(p, x, 0x1.9999999b86b7cp-2);
    p = tirbi_double_fma(p, x, 0x1.55555555553b8p-1);
    return p;
}

/* (sin(r) - r) / r^3 at x = r^2, r <= pi / 4: error 2^-42.4 of the largest value */
TIRBI_MATH double tirbi_poly_sin_short(double x) {
    double p = -0x1.aa283bea75579p-26;
    p = tirbi_double_fma(p, x, 0x1.71d9a9b87993fp-19);
    p = tirbi_double_fma(p, x, -0x1.a019fd9ae7168p-13);
    p = tirbi_double_fma(p, x, 0x1.1111110fd3b3cp-7);
    p = tirbi_double_fma(p, x, -0x1.555555555516bp-3);
    return p;
}

/* (cos(r) - 1 + r^2 / 2) / r^4 at x = r^2, r <= pi / 4: error 2^-44.3 of the largest value */
TIRBI_MATH double tirbi_poly_cos_short(double x) {
    double p = 0x1.1c81b3862d88cp-29;
    p = tirbi_double_fma(p, x, -0x1.27e25f2996b83p-22);
    p = tirbi_double_fma(p, x, 0x1.a019ff537986cp-16);
    p = tirbi_double_fma(p, x, -0x1.6c16c16b613d3p-10);
    p = tirbi_double_fma(p, x, 0x1.5555555555437p-5);
    return p;
}

/* (atan(t) - t) / t^3 at x = t^2, t <= tan(pi / 8): error 2^-38.9 of the largest value */
TIRBI_MATH double tirbi_poly_atan_short(double x) {
    double p = 0x1.0ddf6121afe09p-5;
    p = tirbi_double_fma(p, x, -0x1.edb21ec623742p-5);
    p = tirbi_double_fma(p, x, 0x1.377c65145e4d9p-4);
    p = tirbi_double_fma(p, x, -0x1.7415871db67d0p-4);
    p = tirbi_double_fma(p, x, 0x1.c71960fb12addp-4);
    p = tirbi_double_fma(p, x, -0x1.249240d225f4fp-3);
    p = tirbi_double_fma(p, x, 0x1.9999998849aafp-3);
    p = tirbi_double_fma(p, x, -0x1.55555555525d5p-2);
    return p;
}

/* (asin(t) - t) / t^3 at x = t^2, t <= 1 / 2: error 2^-37.6 of the largest value */
TIRBI_MATH double tirbi_poly_asin_short(double x) {
    double p = 0x1.d0a710b072b00p-6;
    p = tirbi_double_fma(p, x, 0x1.148f816806cb3p-10);
    p = tirbi_double_fma(p, x, 0x1.1460edb1ea630p-6);
    p = tirbi_double_fma(p, x, 0x1.14eb1fd23981cp-6);
    p = tirbi_double_fma(p, x, 0x1.6f34e8d0b24a5p-6);
    p = tirbi_double_fma(p, x, 0x1.f1beb39d0c483p-6);
    p = tirbi_double_fma(p, x, 0x1.6db6f6000eadfp-5);
    p = tirbi_double_fma(p, x, 0x1.333333131447fp-4);
    p = tirbi_double_fma(p, x, 0x1.555555555bb08p-3);
    return p;
}

/* erf(t) / t at x = t^2 / 8 - 1, t <= 4: error 2^-37.4 of the largest value */
TIRBI_MATH double tirbi_poly_erf_short(double x) {
    double p = 0x1.affb49acb570ap-17;
    p = tirbi_double_fma(p, x, -0x1.33b971ec16712p-15);
    p = tirbi_double_fma(p, x, 0x1.14a6affe30a5dp-15);
    p = tirbi_double_fma(p, x, -0x1.2fecf75962793p-14);
    p = tirbi_double_fma(p, x, 0x1.35799ef561d5dp-12);
    p = tirbi_double_fma(p, x, -0x1.60bd5cd0fbaffp-11);
    p = tirbi_double_fma(p, x, 0x1.4ec6e7bdca99cp-10);
    p = tirbi_double_fma(p, x, -0x1.4bb343de2e5a7p-9);
    p = tirbi_double_fma(p, x, 0x1.3e965dc66e8e1p-8);
    p = tirbi_double_fma(p, x, -0x1.1ac84937ba3d2p-7);
    p = tirbi_double_fma(p, x, 0x1.d6212dadedaeap-7);
    p = tirbi_double_fma(p, x, -0x1.701656f8b2ed4p-6);
    p = tirbi_double_fma(p, x, 0x1.0ed618c4f8020p-5);
    p = tirbi_double_fma(p, x, -0x1.76eb3afae916ap-5);
    p = tirbi_double_fma(p, x, 0x1.ea97d94410fc4p-5);
    p = tirbi_double_fma(p, x, -0x1.3215b3d79ca84p-4);
    p = tirbi_double_fma(p, x, 0x1.717efd071ad1bp-4);
    p = tirbi_double_fma(p, x, -0x1.b92e97780fe60p-4);
    p = tirbi_double_fma(p, x, 0x1.0dabaf051a407p-3);
    p = tirbi_double_fma(p, x, -0x1.69a0ccd73f872p-3);
    p = tirbi_double_fma(p, x, 0x1.6a040781a499cp-2);
    return p;
}

/* (exp(x) - 1 - x) / x^2, |x| <= ln(2) / 2, of exp(x): error 2^-28.2 */
TIRBI_MATH float tirbi_poly_exp_f32(float x) {
    float p = 0x1.6a349p-10f;
    p = tirbi_float_fma(p, x, 0x1.12384ap-7f);
    p = tirbi_float_fma(p, x, 0x1.5558c6p-5f);
    p = tirbi_float_fma(p, x, 0x1.555494p-3f);
    p = tirbi_float_fma(p, x, 0x1.fffffcp-2f);
    return p;
}

/* (2^x - 1) / x, |x| <= 1/2, of 2^x: error 2^-28.3 */
TIRBI_MATH float tirbi_poly_exp2_f32(float x) {
    float p = 0x1.417654p-13f;
    p = tirbi_float_fma(p, x, 0x1.5f093ap-10f);
    p = tirbi_float_fma(p, x, 0x1.3b2dd6p-7f);
    p = tirbi_float_fma(p, x, 0x1.c6af7ap-5f);
    p = tirbi_float_fma(p, x, 0x1.ebfbdcp-3f);
    p = tirbi_float_fma(p, x, 0x1.62e43p-1f);
    return p;
}

/* the same with one term more: error 2^-33.1 */
TIRBI_MATH float tirbi_poly_expm1_f32(float x) {
    float p = 0x1.a23e4p-13f;
    p = tirbi_float_fma(p, x, 0x1.6d4a78p-10f);
    p = tirbi_float_fma(p, x, 0x1.111006p-7f);
    p = tirbi_float_fma(p, x, 0x1.5554eap-5f);
    p = tirbi_float_fma(p, x, 0x1.555556p-3f);
    p = tirbi_float_fma(p, x, 0x1p-1f);
    return p;
}

/* (log(1 + x) - x) / x^2, sqrt(1/2) <= 1 + x <= sqrt(2), of log(1 + x): error 2^-27.8 */
TIRBI_MATH float tirbi_poly_log_f32(float x) {
    float p = -0x1.37f58ep-4f;
    p = tirbi_float_fma(p, x, 0x1.08506p-3f);
    p = tirbi_float_fma(p, x, -0x1.0f46f8p-3f);
    p = tirbi_float_fma(p, x, 0x1.22707p-3f);
    p = tirbi_float_fma(p, x, -0x1.54253ep-3f);
    p = tirbi_float_fma(p, x, 0x1.99a402p-3f);
    p = tirbi_float_fma(p, x, -0x1.000434p-2f);
    p = tirbi_float_fma(p, x, 0x1.55555p-2f);
    p = tirbi_float_fma(p, x, -0x1.fffff8p-2f);
    return p;
}

/* the same over ln(2): error 2^-29.7 */
TIRBI_MATH float tirbi_poly_log2_f32(float x) {
    float p = 0x1.8ac7fcp-4f;
    p = tirbi_float_fma(p, x, -0x1.573de2p-3f);
    p = tirbi_float_fma(p, x, 0x1.5f5c5ap-3f);
    p = tirbi_float_fma(p, x, -0x1.6ef158p-3f);
    p = tirbi_float_fma(p, x, 0x1.a42aep-3f);
    p = tirbi_float_fma(p, x, -0x1.ec71bcp-3f);
    p = tirbi_float_fma(p, x, 0x1.277e64p-2f);
    p = tirbi_float_fma(p, x, -0x1.7154acp-2f);
    p = tirbi_float_fma(p, x, 0x1.ec708cp-2f);
    p = tirbi_float_fma(p, x, -0x1.715476p-1f);
    return p;
}

/* the same over ln(10): error 2^-28.9 */
TIRBI_MATH float tirbi_poly_log10_f32(float x) {
    float p = -0x1.10c236p-5f;
    p = tirbi_float_fma(p, x, 0x1.ccb284p-5f);
    p = tirbi_float_fma(p, x, -0x1.d7526cp-5f);
    p = tirbi_float_fma(p, x, 0x1.f84feap-5f);
    p = tirbi_float_fma(p, x, -0x1.276d38p-4f);
    p = tirbi_float_fma(p, x, 0x1.63d078p-4f);
    p = tirbi_float_fma(p, x, -0x1.bcbf44p-4f);
    p = tirbi_float_fma(p, x, 0x1.287a7p-3f);
    p = tirbi_float_fma(p, x, -0x1.bcb7aap-3f);
    return p;
}

/* (sin(r) - r) / r^3 at x = r^2, r <= pi / 4, of sin(r): error 2^-27.9 */
TIRBI_MATH float tirbi_poly_sin_f32(float x) {
    float p = -0x1.995434p-13f;
    p = tirbi_float_fma(p, x, 0x1.110778p-7f);
    p = tirbi_float_fma(p, x, -0x1.555546p-3f);
    return p;
}

/* (cos(r) - 1 + r^2 / 2) / r^4 at x = r^2, r <= pi / 4, of cos(r): error 2^-33.0 */
TIRBI_MATH float tirbi_poly_cos_f32(float x) {
    float p = 0x1.99eap-16f;
    p = tirbi_float_fma(p, x, -0x1.6c0c2cp-10f);
    p = tirbi_float_fma(p, x, 0x1.55554ap-5f);
    return p;
}

/* tanh(x), 0 <= x <= 9.2, in pieces: error 2^-27.7 of the value. ROW(center, value, coefficients downwards) */
#define TIRBI_PIECES_TANH(ROW) \
    ROW(0x0p+0f, 0x0p+0f, -0x1.7bb75ep-6f, 0x1.18ce6ap-3f, -0x1.2b4bc8p-12f, -0x1.5552c6p-2f, -0x1.067514p-23f, 0x1.1100f6p-32f) \
    ROW(0x0p+0f, 0x0p+0f, -0x1.138decp-4f, 0x1.60962p-3f, -0x1.9827eap-7f, -0x1.53010cp-2f, -0x1.ced6c2p-13f, 0x1.278bc8p-17f) \
    ROW(0x1.2aeecep-1f, 0x1.0d0924p-1f, -0x1.099122p-5f, -0x1.8153ap-5f, 0x1.303ce4p-3f, -0x1.53723ap-5f, -0x1.858158p-2f, 0x1.72a1e6p-1f) \
    ROW(0x1.c20d7ep-1f, 0x1.696ebp-1f, 0x1.ad5acep-7f, -0x1.dc7d8p-5f, 0x1.e8709cp-5f, 0x1.53064cp-4f, -0x1.6aa458p-2f, 0x1.00db52p-1f) \
    ROW(0x1.2c793ap+0f, 0x1.a6a308p-1f, 0x1.1d6f64p-6f, -0x1.b6e038p-6f, -0x1.fb83eap-9f, 0x1.c63988p-4f, -0x1.0d505ep-2f, 0x1.46421ap-2f) \
    ROW(0x1.79a8a2p+0f, 0x1.cd178ep-1f, 0x1.0279f2p-7f, -0x1.01e2p-8f, -0x1.928b04p-6f, 0x1.71c25ap-4f, -0x1.5c893p-3f, 0x1.83045p-3f) \
    ROW(0x1.c62fbp+0f, 0x1.e35c6p-1f, 0x1.ef3b0cp-10f, 0x1.00a644p-8f, -0x1.79d4dep-6f, 0x1.f1030cp-5f, -0x1.a47f14p-4f, 0x1.bd6932p-4f) \
    ROW(0x1.06e544p+1f, 0x1.ef6ed4p-1f, -0x1.7316a4p-12f, 0x1.3168bp-8f, -0x1.10336ap-6f, 0x1.3a82acp-5f, -0x1.f8b15p-5f, 0x1.04c8ep-4f) \
    ROW(0x1.2d7a9p+1f, 0x1.f6ddecp-1f, -0x1.92ef84p-11f, 0x1.cb213ep-9f, -0x1.5314e8p-7f, 0x1.6db934p-6f, -0x1.1c7c78p-5f, 0x1.21a73p-5f) \
    ROW(0x1.52a38p+1f, 0x1.fade92p-1f, -0x1.446114p-11f, 0x1.2a7596p-9f, -0x1.957558p-8f, 0x1.a694ep-7f, -0x1.437038p-6f, 0x1.46b656p-6f) \
    ROW(0x1.7695p+1f, 0x1.fd115ap-1f, -0x1.b658d8p-12f, 0x1.6e79bap-10f, -0x1.df2644p-9f, 0x1.ea727ap-8f, -0x1.741b2cp-7f, 0x1.763fdep-7f) \
    ROW(0x1.9d532ep+1f, 0x1.fe65b4p-1f, -0x1.07c6a6p-12f, 0x1.a1a64ap-11f, -0x1.0b2486p-9f, 0x1.0e8aa4p-8f, -0x1.985f52p-8f, 0x1.99a79ap-8f) \
    ROW(0x1.c66a9cp+1f, 0x1.ff27fp-1f, -0x1.33b8fcp-13f, 0x1.c1cdp-12f, -0x1.1c7e74p-10f, 0x1.1e6c74p-9f, -0x1.af0ea4p-9f, 0x1.afc4d4p-9f) \
    ROW(0x1.e96934p+1f, 0x1.ff82e6p-1f, -0x1.58208ap-14f, 0x1.083c14p-12f, -0x1.4b3976p-11f, 0x1.4c7c5cp-10f, -0x1.f3b0a4p-10f, 0x1.f42adcp-10f) \
    ROW(0x1.074caep+2f, 0x1.ffba04p-1f, -0x1.86e296p-15f, 0x1.29facp-13f, -0x1.73c1dcp-12f, 0x1.748b72p-11f, -0x1.17b69cp-10f, 0x1.17dcdep-10f) \
    ROW(0x1.19ba12p+2f, 0x1.ffd8a6p-1f, -0x1.bca254p-16f, 0x1.4eea3cp-14f, -0x1.a2ccf2p-13f, 0x1.a34f3p-12f, -0x1.3aabb2p-11f, 0x1.3ac3e2p-11f) \
    ROW(0x1.2c8dacp+2f, 0x1.ffea26p-1f, -0x1.f09606p-17f, 0x1.75b4a8p-15f, -0x1.d19464p-14f, 0x1.d1e368p-13f, -0x1.5d8994p-12f, 0x1.5d988p-12f) \
    ROW(0x1.3f22bep+2f, 0x1.fff3c6p-1f, -0x1.14549ap-17f, 0x1.a1efbp-16f, -0x1.04a792p-14f, 0x1.04bf56p-13f, -0x1.87321p-13f, 0x1.873b68p-13f) \
    ROW(0x1.52129ap+2f, 0x1.fff93cp-1f, -0x1.32c256p-18f, 0x1.cf1e0ap-17f, -0x1.208eecp-15f, 0x1.209ca2p-14f, -0x1.b0f734p-14f, 0x1.b0fceep-14f) \
    ROW(0x1.649fdcp+2f, 0x1.fffc36p-1f, -0x1.59d7d2p-19f, 0x1.03d65ep-17f, -0x1.43433ap-16f, 0x1.434beap-15f, -0x1.e4faep-15f, 0x1.e4fe78p-15f) \
    ROW(0x1.77d878p+2f, 0x1.fffdecp-1f, -0x1.7999fcp-20f, 0x1.1d6b96p-18f, -0x1.62a106p-17f, 0x1.62a3c6p-16f, -0x1.09fe7p-15f, 0x1.09ff86p-15f) \
    ROW(0x1.8bee56p+2f, 0x1.fffee4p-1f, -0x1.b07dd2p-21f, 0x1.2ee836p-19f, -0x1.7a94aap-18f, 0x1.7aa8f6p-17f, -0x1.1bff6ap-16f, 0x1.1c0004p-16f) \
    ROW(0x1.9de548p+2f, 0x1.ffff5ep-1f, -0x1.d78cd2p-22f, 0x1.5a89bep-20f, -0x1.aff30ep-19f, 0x1.affc92p-18f, -0x1.43fe8ap-17f, 0x1.43feeep-17f) \
    ROW(0x1.b0004cp+2f, 0x1.ffffa4p-1f, -0x1.0786f6p-22f, 0x1.8a7036p-21f, -0x1.eaa58cp-20f, 0x1.eaa7bap-19f, -0x1.6fffaap-18f, 0x1.6fffecp-18f) \
    ROW(0x1.c382dep+2f, 0x1.ffffcep-1f, -0x1.22eedap-23f, 0x1.ac0586p-22f, -0x1.0aaa6ep-20f, 0x1.0aaf42p-19f, -0x1.9007c4p-19f, 0x1.9007e8p-19f) \
    ROW(0x1.d610b8p+2f, 0x1.ffffe4p-1f, -0x1.3e5cb4p-24f, 0x1.e004aep-23f, -0x1.2ab11p-21f, 0x1.2aafb6p-20f, -0x1.c00922p-20f, 0x1.c0093cp-20f) \
    ROW(0x1.e7fba4p+2f, 0x1.fffffp-1f, -0x1.692f6p-25f, 0x1.11faf2p-23f, -0x1.55435cp-22f, 0x1.554064p-21f, -0x1.ffe1bep-21f, 0x1.ffe1dp-21f) \
    ROW(0x1.fe246ap+2f, 0x1.fffff8p-1f, -0x1.a61fdcp-26f, 0x1.0f5a64p-24f, -0x1.556946p-23f, 0x1.557dc2p-22f, -0x1.001cd2p-21f, 0x1.001cd4p-21f) \
    ROW(0x1.0964fep+3f, 0x1.fffffcp-1f, -0x1.baed54p-27f, 0x1.1cb456p-25f, -0x1.662d4p-24f, 0x1.664262p-23f, -0x1.0cb04cp-22f, 0x1.0cb04cp-22f) \
    ROW(0x1.12c9fcp+3f, 0x1.fffffep-1f, -0x1.e9f0c4p-28f, 0x1.3c758ep-26f, -0x1.8e483p-25f, 0x1.8e503cp-24f, -0x1.2abb3p-23f, 0x1.2abb32p-23f) \
    ROW(0x1.177c7ap+3f, 0x1.fffffep-1f, -0x1.1447e2p-28f, 0x1.d8a214p-27f, -0x1.28fep-25f, 0x1.28fa7p-24f, -0x1.bd768ap-24f, 0x1.bd768ap-24f) \
    ROW(0x1.2593f6p+3f, 0x1p+0f, -0x1.4dcc14p-29f, 0x1.7ea41cp-28f, -0x1.ed1dacp-27f, 0x1.ec578p-26f, -0x1.714516p-25f, 0x1.71451ep-25f)
#define TIRBI_PIECES_TANH_TERMS 6
#define TIRBI_PIECES_TANH_SCALE 0x1.b4p+1f
#define TIRBI_PIECES_TANH_LIMIT 0x1.26p+3f
#define TIRBI_PIECES_TANH_DIRECT 0x1.c2ef9p-2f

/* erf(x), 0 <= x <= 4, in pieces: error 2^-28.4 of the value. ROW(center, value, coefficients downwards) */
#define TIRBI_PIECES_ERF(ROW) \
    ROW(0x0p+0f, 0x0p+0f, 0x0p+0f, 0x1.b32bfp-4f, 0x1.b52474p-11f, -0x1.813022p-2f, 0x1.e35884p-22f, 0x1.06eba8p-3f) \
    ROW(0x0p+0f, 0x0p+0f, 0x0p+0f, 0x1.b320c6p-4f, 0x1.1b9028p-9f, -0x1.8173p-2f, 0x1.277ccp-16f, 0x1.06eb72p-3f) \
    ROW(0x1.00ec08p-2f, 0x1.1bef72p-2f, 0x0p+0f, 0x1.6786b8p-4f, 0x1.044668p-3f, -0x1.3c2b08p-2f, -0x1.1037c6p-2f, 0x1.0f3dc4p+0f) \
    ROW(0x1.86711ap-2f, 0x1.a41db2p-2f, 0x0p+0f, 0x1.5e3254p-5f, 0x1.578644p-3f, -0x1.d86536p-3f, -0x1.7cf426p-2f, 0x1.f38ee8p-1f) \
    ROW(0x1.f92996p-2f, 0x1.077b48p-1f, 0x0p+0f, 0x1.8ffa12p-8f, 0x1.76364cp-3f, -0x1.35f76p-3f, -0x1.bee1d4p-2f, 0x1.c4ee5p-1f) \
    ROW(0x1.4adaap-1f, 0x1.4746bcp-1f, 0x0p+0f, -0x1.fbb144p-6f, 0x1.628caap-3f, -0x1.4e9334p-5f, -0x1.ebc7dcp-2f, 0x1.7c849ap-1f) \
    ROW(0x1.88001p-1f, 0x1.7131fp-1f, 0x0p+0f, -0x1.e6f51p-5f, 0x1.2bae6cp-3f, 0x1.27b536p-5f, -0x1.ec42dap-2f, 0x1.4179fcp-1f) \
    ROW(0x1.ca3ad4p-1f, 0x1.96b894p-1f, 0x0p+0f, -0x1.0892p-4f, 0x1.b08914p-4f, 0x1.a039fep-4f, -0x1.d032a6p-2f, 0x1.03558ep-1f) \
    ROW(0x1.06892p+0f, 0x1.b4c06p-1f, 0x0p+0f, -0x1.168684p-4f, 0x1.ef1856p-5f, 0x1.28eccap-3f, -0x1.9df3ecp-2f, 0x1.93a5d2p-2f) \
    ROW(0x1.25d088p+0f, 0x1.ca7662p-1f, 0x0p+0f, -0x1.e7284cp-5f, 0x1.5b8cap-6f, 0x1.5145aap-3f, -0x1.633c36p-2f, 0x1.3583fep-2f) \
    ROW(0x1.4557a4p+0f, 0x1.dafca4p-1f, 0x0p+0f, -0x1.63132ap-5f, -0x1.63d01cp-7f, 0x1.55a2fp-3f, -0x1.240708p-2f, 0x1.cb924ap-3f) \
    ROW(0x1.677e4cp+0f, 0x1.e7ea5cp-1f, 0x0p+0f, -0x1.b795d6p-6f, -0x1.1b4f4p-5f, 0x1.3ba0b2p-3f, -0x1.c3aa88p-3f, 0x1.41a326p-3f) \
    ROW(0x1.87e916p+0f, 0x1.f0713ap-1f, 0x0p+0f, -0x1.71ee5ap-7f, -0x1.7d34fp-5f, 0x1.109abcp-3f, -0x1.538b1ep-3f, 0x1.bb961cp-4f) \
    ROW(0x1.a87014p+0f, 0x1.f64024p-1f, 0x0p+0f, 0x1.cee976p-13f, -0x1.97d37ep-5f, 0x1.bb7e02p-4f, -0x1.ea70e2p-4f, 0x1.27cf4ap-4f) \
    ROW(0x1.c92b4ap+0f, 0x1.fa15cap-1f, 0x0p+0f, 0x1.13408ap-7f, -0x1.7eb192p-5f, 0x1.556f7ap-4f, -0x1.541d62p-4f, 0x1.7ce812p-5f) \
    ROW(0x1.e933e6p+0f, 0x1.fc79eep-1f, 0x0p+0f, 0x1.8f80e8p-7f, -0x1.48999ep-5f, 0x1.f7f0cep-5f, -0x1.ca528p-5f, 0x1.dfae2ap-6f) \
    ROW(0x1.04eeaep+1f, 0x1.fdfb92p-1f, 0x0p+0f, 0x1.a7e7e2p-7f, -0x1.057f26p-5f, 0x1.612664p-5f, -0x1.27648cp-5f, 0x1.21cf1cp-6f) \
    ROW(0x1.153c18p+1f, 0x1.fee0d2p-1f, 0x0p+0f, 0x1.87d308p-7f, -0x1.870f4ep-6f, 0x1.da03cep-6f, -0x1.6f717ep-6f, 0x1.534cap-7f) \
    ROW(0x1.25b028p+1f, 0x1.ff65f6p-1f, 0x0p+0f, 0x1.429112p-7f, -0x1.1395eep-6f, 0x1.2fb90cp-6f, -0x1.b6cb26p-7f, 0x1.7e7c3p-8f) \
    ROW(0x1.36105ep+1f, 0x1.ffafa4p-1f, 0x0p+0f, 0x1.eb275ap-8f, -0x1.7171bcp-7f, 0x1.764cbcp-7f, -0x1.fabbb2p-8f, 0x1.a260dcp-9f) \
    ROW(0x1.464754p+1f, 0x1.ffd712p-1f, 0x0p+0f, 0x1.5c96ep-8f, -0x1.da2a26p-8f, 0x1.bd94cp-8f, -0x1.1c0fa8p-8f, 0x1.bdc0f4p-10f) \
    ROW(0x1.56559p+1f, 0x1.ffeba2p-1f, 0x0p+0f, 0x1.d1d1p-9f, -0x1.2460e8p-8f, 0x1.00b14ep-8f, -0x1.358ff8p-9f, 0x1.cefd12p-11f) \
    ROW(0x1.662b64p+1f, 0x1.fff61p-1f, 0x0p+0f, 0x1.2784e8p-9f, -0x1.5c332ep-9f, 0x1.1f6c76p-9f, -0x1.4923bep-10f, 0x1.d68152p-12f) \
    ROW(0x1.771814p+1f, 0x1.fffb88p-1f, 0x0p+0f, 0x1.64858cp-10f, -0x1.7f3056p-10f, 0x1.295aa2p-10f, -0x1.4338dap-11f, 0x1.b9332cp-13f) \
    ROW(0x1.87ae9ap+1f, 0x1.fffe06p-1f, 0x0p+0f, 0x1.9a37d4p-11f, -0x1.98c946p-11f, 0x1.2bdfb4p-11f, -0x1.3693eep-12f, 0x1.95fcdap-14f) \
    ROW(0x1.9776dcp+1f, 0x1.ffff1ep-1f, 0x0p+0f, 0x1.c2b866p-12f, -0x1.b09d9ep-12f, 0x1.2de76cp-12f, -0x1.2b408cp-13f, 0x1.780828p-15f) \
    ROW(0x1.a86c6cp+1f, 0x1.ffffa4p-1f, 0x0p+0f, 0x1.da78a8p-13f, -0x1.a34bb8p-13f, 0x1.160072p-13f, -0x1.0783f8p-14f, 0x1.3de598p-16f) \
    ROW(0x1.b88518p+1f, 0x1.ffffdap-1f, 0x0p+0f, 0x1.de7d0ep-14f, -0x1.95acfep-14f, 0x1.00f6d2p-14f, -0x1.d3b7ecp-16f, 0x1.0fd028p-17f) \
    ROW(0x1.ca0ef6p+1f, 0x1.fffff2p-1f, 0x0p+0f, 0x1.cf70f6p-15f, -0x1.603648p-15f, 0x1.a9efa2p-16f, -0x1.73bap-17f, 0x1.9f8326p-19f) \
    ROW(0x1.d87aeap+1f, 0x1.fffffap-1f, 0x0p+0f, 0x1.af2d98p-16f, -0x1.57f322p-16f, 0x1.90cd34p-17f, -0x1.520dfp-18f, 0x1.6e5794p-20f) \
    ROW(0x1.ea87dap+1f, 0x1.fffffep-1f, 0x0p+0f, 0x1.81666cp-17f, -0x1.0ce7f8p-17f, 0x1.2ba7ecp-18f, -0x1.e5e90ep-20f, 0x1.fb3292p-22f) \
    ROW(0x1.fdf5cep+1f, 0x1p+0f, 0x0p+0f, 0x1.5d35d6p-18f, -0x1.631f4p-19f, 0x1.8d8cacp-20f, -0x1.34761ap-21f, 0x1.35b0d4p-23f)
#define TIRBI_PIECES_ERF_TERMS 5
#define TIRBI_PIECES_ERF_SCALE 0x1.f6p+2f
#define TIRBI_PIECES_ERF_LIMIT 0x1p+2f
#define TIRBI_PIECES_ERF_DIRECT 0x1.87a64p-3f

/* (exp(x) - 1 - x) / x^2, |x| <= ln(2) / 2: error 2^-57.6 of the largest value */
TIRBI_MATH double tirbi_poly_exp_f64(double x) {
    double p = 0x1.1f730349868cep-29;
    p = tirbi_double_fma(p, x, 0x1.af4de97ca4194p-26);
    p = tirbi_double_fma(p, x, 0x1.27e4db646b17ep-22);
    p = tirbi_double_fma(p, x, 0x1.71de0231960ebp-19);
    p = tirbi_double_fma(p, x, 0x1.a01a01a6d889cp-16);
    p = tirbi_double_fma(p, x, 0x1.a01a01abe7fe1p-13);
    p = tirbi_double_fma(p, x, 0x1.6c16c16c162d4p-10);
    p = tirbi_double_fma(p, x, 0x1.11111111100dcp-7);
    p = tirbi_double_fma(p, x, 0x1.5555555555556p-5);
    p = tirbi_double_fma(p, x, 0x1.5555555555557p-3);
    p = tirbi_double_fma(p, x, 0x1.0000000000000p-1);
    return p;
}

/* (2^x - 1) / x, |x| <= 1/2: error 2^-54.7 of the largest value */
TIRBI_MATH double tirbi_poly_exp2_f64(double x) {
    double p = 0x1.c4a2aaa2b01d9p-36;
    p = tirbi_double_fma(p, x, 0x1.e9ec3d7558475p-32);
    p = tirbi_double_fma(p, x, 0x1.e4cf10d1896bep-28);
    p = tirbi_double_fma(p, x, 0x1.b524ebc089f66p-24);
    p = tirbi_double_fma(p, x, 0x1.62c02242bb0bdp-20);
    p = tirbi_double_fma(p, x, 0x1.ffcbfc6dad6adp-17);
    p = tirbi_double_fma(p, x, 0x1.430912f86b7d4p-13);
    p = tirbi_double_fma(p, x, 0x1.5d87fe78a3f8cp-10);
    p = tirbi_double_fma(p, x, 0x1.3b2ab6fba4e79p-7);
    p = tirbi_double_fma(p, x, 0x1.c6b08d704a0c6p-5);
    p = tirbi_double_fma(p, x, 0x1.ebfbdff82c58fp-3);
    p = tirbi_double_fma(p, x, 0x1.62e42fefa39efp-1);
    return p;
}

/* (2 atanh(s) - 2 s) / s^3 at x = s^2, s <= (sqrt(2) - 1) / (sqrt(2) + 1): error 2^-54.0 of the largest value */
TIRBI_MATH double tirbi_poly_log_f64(double x) {
    double p = 0x1.0c04595972ab8p-3;
    p = tirbi_double_fma(p, x, 0x1.0fbe83c2cbcf3p-3);
    p = tirbi_double_fma(p, x, 0x1.3b1c360763b8ap-3);
    p = tirbi_double_fma(p, x, 0x1.745cf901605f7p-3);
    p = tirbi_double_fma(p, x, 0x1.c71c720160b47p-3);
    p = tirbi_double_fma(p, x, 0x1.2492492476c87p-2);
    p = tirbi_double_fma(p, x, 0x1.9999999999a38p-2);
    p = tirbi_double_fma(p, x, 0x1.5555555555555p-1);
    return p;
}

/* (2 atanh(s) - 2 s - 2 s^3 / 3) / s^5 at x = s^2, s <= (sqrt(2) - 1) / (sqrt(2) + 1): error 2^-54.0 of the largest
 * value */
TIRBI_MATH double tirbi_poly_log_dd(double x) {
    double p = 0x1.b8d433113b7fap-4;
    p = tirbi_double_fma(p, x, 0x1.ac4a89c964b82p-4);
    p = tirbi_double_fma(p, x, 0x1.e1f7fa7547177p-4);
    p = tirbi_double_fma(p, x, 0x1.1110dfad0f8eap-3);
    p = tirbi_double_fma(p, x, 0x1.3b13b1bc75cd4p-3);
    p = tirbi_double_fma(p, x, 0x1.745d174513593p-3);
    p = tirbi_double_fma(p, x, 0x1.c71c71c71cfd9p-3);
    p = tirbi_double_fma(p, x, 0x1.2492492492491p-2);
    p = tirbi_double_fma(p, x, 0x1.999999999999ap-2);
    return p;
}

/* (sin(r) - r) / r^3 at x = r^2, r <= pi / 4: error 2^-54.0 of the largest value */
TIRBI_MATH double tirbi_poly_sin_f64(double x) {
    double p = -0x1.ab17bdcbd3414p-41;
    p = tirbi_double_fma(p, x, 0x1.61217ee5cca1bp-33);
    p = tirbi_double_fma(p, x, -0x1.ae64541295cdfp-26);
    p = tirbi_double_fma(p, x, 0x1.71de3a54607a5p-19);
    p = tirbi_double_fma(p, x, -0x1.a01a01a019937p-13);
    p = tirbi_double_fma(p, x, 0x1.1111111111110p-7);
    p = tirbi_double_fma(p, x, -0x1.5555555555555p-3);
    return p;
}

/* (cos(r) - 1 + r^2 / 2) / r^4 at x = r^2, r <= pi / 4: error 2^-54.0 of the largest value */
TIRBI_MATH double tirbi_poly_cos_f64(double x) {
    double p = 0x1.ab78473be59d7p-45;
    p = tirbi_double_fma(p, x, -0x1.9394b9eb4d56dp-37);
    p = tirbi_double_fma(p, x, 0x1.1eed8deb82809p-29);
    p = tirbi_double_fma(p, x, -0x1.27e4fb7712ca2p-22);
    p = tirbi_double_fma(p, x, 0x1.a01a01a019d0ap-16);
    p = tirbi_double_fma(p, x, -0x1.6c16c16c16c16p-10);
    p = tirbi_double_fma(p, x, 0x1.5555555555555p-5);
    return p;
}

/* (atan(t) - t) / t^3 at x = t^2, t <= 7 / 16: error 2^-54.0 of the largest value */
TIRBI_MATH double tirbi_poly_atan_f64(double x) {
    double p = 0x1.e3a13d4845b1dp-7;
    p = tirbi_double_fma(p, x, -0x1.0f4536c8e1d9bp-5);
    p = tirbi_double_fma(p, x, 0x1.6ff4b115a6e54p-5);
    p = tirbi_double_fma(p, x, -0x1.ab56913db3abbp-5);
    p = tirbi_double_fma(p, x, 0x1.e1700656c4be8p-5);
    p = tirbi_double_fma(p, x, -0x1.110c96ff0da2ap-4);
    p = tirbi_double_fma(p, x, 0x1.3b13757053bf2p-4);
    p = tirbi_double_fma(p, x, -0x1.745d1548e3594p-4);
    p = tirbi_double_fma(p, x, 0x1.c71c71bd16af7p-4);
    p = tirbi_double_fma(p, x, -0x1.249249248531ap-3);
    p = tirbi_double_fma(p, x, 0x1.99999999998c3p-3);
    p = tirbi_double_fma(p, x, -0x1.5555555555555p-2);
    return p;
}

/* (asin(t) - t) / t^3 at x = t^2, t <= 1 / 2: error 2^-54.2 of the largest value */
TIRBI_MATH double tirbi_poly_asin_f64(double x) {
    double p = 0x1.e58a4f278e007p-6;
    p = tirbi_double_fma(p, x, -0x1.3bd7e353ddbc2p-6);
    p = tirbi_double_fma(p, x, 0x1.40c91fa8deb7ep-6);
    p = tirbi_double_fma(p, x, 0x1.8dcdf11997e0fp-9);
    p = tirbi_double_fma(p, x, 0x1.31777489dfd29p-7);
    p = tirbi_double_fma(p, x, 0x1.3b462d121c5d2p-7);
    p = tirbi_double_fma(p, x, 0x1.7b02ef007d23ep-7);
    p = tirbi_double_fma(p, x, 0x1.c990a42b32b03p-7);
    p = tirbi_double_fma(p, x, 0x1.1c4efd20ebb99p-6);
    p = tirbi_double_fma(p, x, 0x1.6e8ba121b9d5fp-6);
    p = tirbi_double_fma(p, x, 0x1.f1c71c7a5e151p-6);
    p = tirbi_double_fma(p, x, 0x1.6db6db6dac0eap-5);
    p = tirbi_double_fma(p, x, 0x1.3333333333389p-4);
    p = tirbi_double_fma(p, x, 0x1.5555555555555p-3);
    return p;
}

/* erf(t) / t - 1 at x = t^2, t <= 7 / 8: error 2^-53.2 of the largest value */
TIRBI_MATH double tirbi_poly_erf_f64(double x) {
    double p = 0x1.23717940f8a9ap-34;
    p = tirbi_double_fma(p, x, -0x1.41f0dfafe1e18p-30);
    p = tirbi_double_fma(p, x, 0x1.fa4d27ef22c11p-27);
    p = tirbi_double_fma(p, x, -0x1.5f5419f85f235p-23);
    p = tirbi_double_fma(p, x, 0x1.b9e493c293067p-20);
    p = tirbi_double_fma(p, x, -0x1.f4d2415d03c77p-17);
    p = tirbi_double_fma(p, x, 0x1.f9a32619a5c25p-14);
    p = tirbi_double_fma(p, x, -0x1.c02db3fb5b665p-11);
    p = tirbi_double_fma(p, x, 0x1.565bcd0e58bc1p-8);
    p = tirbi_double_fma(p, x, -0x1.b82ce3128869cp-6);
    p = tirbi_double_fma(p, x, 0x1.ce2f21a042bd7p-4);
    p = tirbi_double_fma(p, x, -0x1.812746b0379e7p-2);
    p = tirbi_double_fma(p, x, 0x1.06eba8214db69p-3);
    return p;
}

/* exp(t^2) erfc(t) at x = (t - 2) / (t + 2), 7 / 8 <= t <= 6: error 2^-54.4 of the largest value */
TIRBI_MATH double tirbi_poly_erfc_f64(double x) {
    double p = -0x1.ea21f1ec96f75p-21;
    p = tirbi_double_fma(p, x, 0x1.06bb714294756p-20);
    p = tirbi_double_fma(p, x, 0x1.0ed140e3fd753p-18);
    p = tirbi_double_fma(p, x, 0x1.7d04ec4bb316dp-20);
    p = tirbi_double_fma(p, x, -0x1.d6db7978d956fp-17);
    p = tirbi_double_fma(p, x, -0x1.ceb27341789adp-16);
    p = tirbi_double_fma(p, x, 0x1.cdf302450ce02p-16);
    p = tirbi_double_fma(p, x, 0x1.6da923d82d075p-13);
    p = tirbi_double_fma(p, x, 0x1.6d5d7e1b6a35ep-15);
    p = tirbi_double_fma(p, x, -0x1.016b5bf706eb5p-10);
    p = tirbi_double_fma(p, x, -0x1.bc25a37cc4b55p-11);
    p = tirbi_double_fma(p, x, 0x1.ca95ed50edd45p-8);
    p = tirbi_double_fma(p, x, 0x1.e9471596491dcp-9);
    p = tirbi_double_fma(p, x, -0x1.437f0b68c02d0p-4);
    p = tirbi_double_fma(p, x, 0x1.eeea7dc8a7964p-3);
    p = tirbi_double_fma(p, x, -0x1.b57034efd3f75p-2);
    p = tirbi_double_fma(p, x, 0x1.058671b52c776p-2);
    return p;
}

#endif
