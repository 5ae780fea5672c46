/* Mathematical functions on double. */
#ifndef TIRB_VM_MATH_MATH64_H
#define TIRB_VM_MATH_MATH64_H

#include "vm/math/core.h"

TIRBI_MATH double tirbi_exp_f64(double a) { return tirbi_canon_f64(exp(a)); }
TIRBI_MATH double tirbi_exp2_f64(double a) { return tirbi_canon_f64(exp2(a)); }
TIRBI_MATH double tirbi_exp10_f64(double a) { return tirbi_canon_f64(pow(10, a)); }
TIRBI_MATH double tirbi_expm1_f64(double a) { return tirbi_canon_f64(expm1(a)); }
TIRBI_MATH double tirbi_log_f64(double a) { return tirbi_canon_f64(log(a)); }
TIRBI_MATH double tirbi_log2_f64(double a) { return tirbi_canon_f64(log2(a)); }
TIRBI_MATH double tirbi_log10_f64(double a) { return tirbi_canon_f64(log10(a)); }
TIRBI_MATH double tirbi_log1p_f64(double a) { return tirbi_canon_f64(log1p(a)); }
TIRBI_MATH double tirbi_sin_f64(double a) { return tirbi_canon_f64(sin(a)); }
TIRBI_MATH double tirbi_cos_f64(double a) { return tirbi_canon_f64(cos(a)); }
TIRBI_MATH double tirbi_tan_f64(double a) { return tirbi_canon_f64(tan(a)); }
TIRBI_MATH double tirbi_asin_f64(double a) { return tirbi_canon_f64(asin(a)); }
TIRBI_MATH double tirbi_acos_f64(double a) { return tirbi_canon_f64(acos(a)); }
TIRBI_MATH double tirbi_atan_f64(double a) { return tirbi_canon_f64(atan(a)); }
TIRBI_MATH double tirbi_sinh_f64(double a) { return tirbi_canon_f64(sinh(a)); }
TIRBI_MATH double tirbi_cosh_f64(double a) { return tirbi_canon_f64(cosh(a)); }
TIRBI_MATH double tirbi_tanh_f64(double a) { return tirbi_canon_f64(tanh(a)); }
TIRBI_MATH double tirbi_asinh_f64(double a) { return tirbi_canon_f64(asinh(a)); }
TIRBI_MATH double tirbi_acosh_f64(double a) { return tirbi_canon_f64(acosh(a)); }
TIRBI_MATH double tirbi_atanh_f64(double a) { return tirbi_canon_f64(atanh(a)); }
TIRBI_MATH double tirbi_erf_f64(double a) { return tirbi_canon_f64(erf(a)); }
TIRBI_MATH double tirbi_rsqrt_f64(double a) { return tirbi_canon_f64(1 / __builtin_sqrt(a)); }
TIRBI_MATH double tirbi_sigmoid_f64(double a) { return tirbi_canon_f64(1 / (1 + exp(-a))); }
TIRBI_MATH double tirbi_pow_f64(double a, double b) { return tirbi_canon_f64(pow(a, b)); }
TIRBI_MATH double tirbi_fmod_f64(double a, double b) { return tirbi_canon_f64(fmod(a, b)); }
TIRBI_MATH double tirbi_atan2_f64(double a, double b) { return tirbi_canon_f64(atan2(a, b)); }
TIRBI_MATH double tirbi_hypot_f64(double a, double b) { return tirbi_canon_f64(hypot(a, b)); }
TIRBI_MATH double tirbi_ldexp_f64(double a, double b) { return tirbi_canon_f64(ldexp(a, (int)b)); }

#endif
