/* Bank shapes for the lane machine: two banks of 8, 6, 4 or 2 registers. */
#ifndef TIRB_VM_LANES_BANKS_H
#define TIRB_VM_LANES_BANKS_H

#define EACH8(S, ...)                                                                                                  \
    S(0, __VA_ARGS__) S(1, __VA_ARGS__) S(2, __VA_ARGS__) S(3, __VA_ARGS__) S(4, __VA_ARGS__) S(5, __VA_ARGS__)        \
    S(6, __VA_ARGS__) S(7, __VA_ARGS__)
#define EACH6(S, ...)                                                                                                  \
    S(0, __VA_ARGS__) S(1, __VA_ARGS__) S(2, __VA_ARGS__) S(3, __VA_ARGS__) S(4, __VA_ARGS__) S(5, __VA_ARGS__)
#define EACH2(S, ...) S(0, __VA_ARGS__) S(1, __VA_ARGS__)
#define EACH4(S, ...) S(0, __VA_ARGS__) S(1, __VA_ARGS__) S(2, __VA_ARGS__) S(3, __VA_ARGS__)
#define VARIABLES8                                                                                                     \
    V a0, a1, a2, a3, a4, a5, a6, a7;                                                                                  \
    V b0, b1, b2, b3, b4, b5, b6, b7;
#define VARIABLES6                                                                                                     \
    V a0, a1, a2, a3, a4, a5;                                                                                          \
    V b0, b1, b2, b3, b4, b5;
#define VARIABLES4 V a0, a1, a2, a3, b0, b1, b2, b3;
#define VARIABLES2 V a0, a1, b0, b1;
/* An empty instruction that claims to write the banks: what they held is dead, and nothing is saved around calls. `c`
 * is the constraint of a SIMD register. */
#define FORGET8(c)                                                                                                     \
    __asm__ volatile(""                                                                                                \
                     : "=" c(a0), "=" c(a1), "=" c(a2), "=" c(a3), "=" c(a4), "=" c(a5), "=" c(a6), "=" c(a7),         \
                       "=" c(b0), "=" c(b1), "=" c(b2), "=" c(b3), "=" c(b4), "=" c(b5), "=" c(b6), "=" c(b7))
#define FORGET6(c)                                                                                                     \
    __asm__ volatile(""                                                                                                \
                     : "=" c(a0), "=" c(a1), "=" c(a2), "=" c(a3), "=" c(a4), "=" c(a5), "=" c(b0), "=" c(b1),         \
                       "=" c(b2), "=" c(b3), "=" c(b4), "=" c(b5))
#define FORGET4(c)                                                                                                     \
    __asm__ volatile(""                                                                                                \
                     : "=" c(a0), "=" c(a1), "=" c(a2), "=" c(a3), "=" c(b0), "=" c(b1), "=" c(b2), "=" c(b3))
#define FORGET2(c) __asm__ volatile("" : "=" c(a0), "=" c(a1), "=" c(b0), "=" c(b1))
#define CLEAR6()                                                                                                       \
    a0 = a1 = a2 = a3 = a4 = a5 = b0 = b1 = b2 = b3 = b4 = b5 = (V) { 0 }

#endif
