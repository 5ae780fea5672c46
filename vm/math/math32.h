/* Mathematical functions on float. */
#ifndef TIRB_VM_MATH_MATH32_H
#define TIRB_VM_MATH_MATH32_H

#include "vm/math/core.h"

TIRBI_MATH float tirbi_exp_f32(float a) { return tirbi_canon_f32(expf(a)); }
TIRBI_MATH float tirbi_exp2_f32(float a) { return tirbi_canon_f32(exp2f(a)); }
TIRBI_MATH float tirbi_exp10_f32(float a) { return tirbi_canon_f32(powf(10, a)); }
TIRBI_MATH float tirbi_expm1_f32(float a) { return tirbi_canon_f32(expm1f(a)); }
TIRBI_MATH float tirbi_log_f32(float a) { return tirbi_canon_f32(logf(a)); }
TIRBI_MATH float tirbi_log2_f32(float a) { return tirbi_canon_f32(log2f(a)); }
TIRBI_MATH float tirbi_log10_f32(float a) { return tirbi_canon_f32(log10f(a)); }
TIRBI_MATH float tirbi_log1p_f32(float a) { return tirbi_canon_f32(log1pf(a)); }
TIRBI_MATH float tirbi_sin_f32(float a) { return tirbi_canon_f32(sinf(a)); }
TIRBI_MATH float tirbi_cos_f32(float a) { return tirbi_canon_f32(cosf(a)); }
TIRBI_MATH float tirbi_tan_f32(float a) { return tirbi_canon_f32(tanf(a)); }
TIRBI_MATH float tirbi_asin_f32(float a) { return tirbi_canon_f32(asinf(a)); }
TIRBI_MATH float tirbi_acos_f32(float a) { return tirbi_canon_f32(acosf(a)); }
TIRBI_MATH float tirbi_atan_f32(float a) { return tirbi_canon_f32(atanf(a)); }
TIRBI_MATH float tirbi_sinh_f32(float a) { return tirbi_canon_f32(sinhf(a)); }
TIRBI_MATH float tirbi_cosh_f32(float a) { return tirbi_canon_f32(coshf(a)); }
TIRBI_MATH float tirbi_tanh_f32(float a) { return tirbi_canon_f32(tanhf(a)); }
TIRBI_MATH float tirbi_asinh_f32(float a) { return tirbi_canon_f32(asinhf(a)); }
TIRBI_MATH float tirbi_acosh_f32(float a) { return tirbi_canon_f32(acoshf(a)); }
TIRBI_MATH float tirbi_atanh_f32(float a) { return tirbi_canon_f32(atanhf(a)); }
TIRBI_MATH float tirbi_erf_f32(float a) { return tirbi_canon_f32(erff(a)); }
TIRBI_MATH float tirbi_rsqrt_f32(float a) { return tirbi_canon_f32(1 / __builtin_sqrtf(a)); }
TIRBI_MATH float tirbi_sigmoid_f32(float a) { return tirbi_canon_f32(1 / (1 + expf(-a))); }
TIRBI_MATH float tirbi_pow_f32(float a, float b) { return tirbi_canon_f32(powf(a, b)); }
TIRBI_MATH float tirbi_fmod_f32(float a, float b) { return tirbi_canon_f32(fmodf(a, b)); }
TIRBI_MATH float tirbi_atan2_f32(float a, float b) { return tirbi_canon_f32(atan2f(a, b)); }
TIRBI_MATH float tirbi_hypot_f32(float a, float b) { return tirbi_canon_f32(hypotf(a, b)); }
TIRBI_MATH float tirbi_ldexp_f32(float a, float b) { return tirbi_canon_f32(ldexpf(a, (int)b)); }

#endif
