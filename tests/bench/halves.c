/* What clang calls to convert a half where the processor has no instruction for it, and gcc's library has under other
 * names: the C loops of the bench link with either compiler. */
#include "vm/math/ops.h"

#if defined(__clang__) && defined(__x86_64__)

float __gnu_h2f_ieee(uint16_t half);
uint16_t __gnu_f2h_ieee(float value);

__attribute__((weak)) float __gnu_h2f_ieee(uint16_t half) { return tirbi_f16_value(half); }
__attribute__((weak)) uint16_t __gnu_f2h_ieee(float value) { return tirbi_f32_to_f16(value); }

#endif
