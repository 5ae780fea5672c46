#include "compiler/text/syntax/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    MAX_DIGITS = 800, /* no double needs more to be told from its neighbours; the rest only counts as not zero */
    MAX_WORDS = 240,  /* 800 digits times 10^309, or 2^1200 times as much */
    MAX_EXPONENT = 100000
};

typedef struct big {
    uint32_t words[MAX_WORDS]; /* little-endian */
    uint32_t n;
} big;

static void big_multiply_add(big *x, uint32_t factor, uint32_t addend) {
    uint64_t carry = addend;
    for (uint32_t i = 0; i < x->n; i++) {
        carry += (uint64_t)x->words[i] * factor;
        x->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && x->n < MAX_WORDS) x->words[x->n++] = (uint32_t)carry;
}

/* Divides and returns the remainder. */
static uint32_t big_divide(big *x, uint32_t divisor) {
    uint64_t rest = 0;
    for (uint32_t i = x->n; i > 0; i--) {
        rest = rest << 32 | x->words[i - 1];
        x->words[i - 1] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (x->n && x->words[x->n - 1] == 0) x->n--;
    return (uint32_t)rest;
}

static void big_shift_words(big *x, uint32_t words) {
    memmove(x->words + words, x->words, x->n * sizeof *x->words);
    memset(x->words, 0, words * sizeof *x->words);
    x->n += words;
}

static uint32_t big_bits(const big *x) { return x->n * 32 - (uint32_t)__builtin_clz(x->words[x->n - 1]); }

static bool big_bit(const big *x, uint32_t at) { return x->words[at / 32] >> (at % 32) & 1; }

/* x * 2^exponent, rounded once to nearest, ties to even; `sticky`: x is a little more than it says. */
static double big_to_double(const big *x, int exponent, bool sticky) {
    uint32_t bits = big_bits(x);
    int top = (int)bits + exponent; /* the value is in [2^(top-1), 2^top) */
    if (top > 1024) return INFINITY;
    int keep = top >= -1021 ? 53 : 53 - (-1021 - top); /* fewer for subnormal numbers */
    if (keep < 0) return 0;
    uint64_t mantissa = 0;
    uint32_t drop = bits > (uint32_t)keep ? bits - (uint32_t)keep : 0;
    for (uint32_t i = bits; i > drop; i--) mantissa = mantissa << 1 | big_bit(x, i - 1);
    if (drop) {
        bool half = big_bit(x, drop - 1), rest = sticky;
        for (uint32_t i = 0; i + 1 < drop && !rest; i++) rest = big_bit(x, i);
        mantissa += half && (rest || (mantissa & 1));
    }
    return ldexp((double)mantissa, exponent + (int)drop);
}

static double scale(big *digits, int exponent10, bool sticky) {
    if (exponent10 > 310) return INFINITY;
    if (exponent10 < -1200) return 0;
    for (; exponent10 >= 9; exponent10 -= 9) big_multiply_add(digits, 1000000000, 0);
    for (; exponent10 > 0; exponent10--) big_multiply_add(digits, 10, 0);
    if (exponent10 == 0) return big_to_double(digits, 0, sticky);

    /* Enough zero bits below that the quotient keeps 64 more than a double needs. */
    uint32_t words = (uint32_t)(-exponent10) * 4 / 32 + 4;
    big_shift_words(digits, words);
    for (; exponent10 <= -9; exponent10 += 9) sticky |= big_divide(digits, 1000000000) != 0;
    for (; exponent10 < 0; exponent10++) sticky |= big_divide(digits, 10) != 0;
    return digits->n ? big_to_double(digits, -(int)words * 32, sticky) : 0;
}

double tirbi_decimal_to_double(const char *text, size_t size) {
    big digits = {.n = 0};
    int exponent = 0, n_digits = 0;
    bool point = false, sticky = false;
    size_t i = 0;
    for (; i < size && text[i] != 'e' && text[i] != 'E'; i++) {
        if (text[i] == '_') continue;
        if (text[i] == '.') {
            point = true;
            continue;
        }
        uint32_t digit = (uint32_t)(text[i] - '0');
        if (n_digits == MAX_DIGITS) {
            sticky |= digit != 0;
            exponent += !point;
            continue;
        }
        if (n_digits > 0 || digit) {
            n_digits++;
            big_multiply_add(&digits, 10, digit);
        }
        exponent -= point;
        if (exponent < -MAX_EXPONENT || exponent > MAX_EXPONENT) break;
    }
    if (digits.n == 0) return 0;
    if (i < size && (text[i] == 'e' || text[i] == 'E')) {
        bool negative = ++i < size && text[i] == '-';
        if (i < size && (text[i] == '-' || text[i] == '+')) i++;
        int written = 0;
        for (; i < size; i++)
            if (text[i] != '_' && written < MAX_EXPONENT) written = written * 10 + (text[i] - '0');
        exponent += negative ? -written : written;
    }
    return scale(&digits, exponent, sticky);
}
