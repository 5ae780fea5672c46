/* The loops of the kernels in C, as one writes them: the same nests over the same arrays. Compiled for each level of
 * the machine's instructions with -O3 and with -Ofast; the table at the end has a name to match (TWIN_TABLE).
 * Temporaries come from the caller: a call allocates nothing. */
#include "tests/bench/bench.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define TWIN(name) static void twin_##name(const twin_args *args)

/* Parameter p as an input, as an output, its extent in dimension d, and its value. */
#define IN(type, name, p)  const type *restrict name = args->data[p]
#define OUT(type, name, p) type *restrict name = args->data[p]
#define EXTENT(p, d)       args->n[p][d]
#define FLOAT(p)           (float)args->scalar[p]
#define INT(p)             (int)args->scalar[p]
/* The bound is read once: it lies in memory that stores of integers could change. */
#define FOR(i, n)          for (int i = 0, i##_end = (n); i < i##_end; i++)
/* Of more arrays than the compiler tells apart by their addresses. */
#define FOR_APART(i, n)    _Pragma("GCC ivdep") FOR (i, n)

#ifdef __clang__
typedef __fp16 half;
#else
typedef _Float16 half;
#endif

static float larger(float a, float b) { return a > b ? a : b; }
static float smaller(float a, float b) { return a < b ? a : b; }
static int max_int(int a, int b) { return a > b ? a : b; }
static int min_int(int a, int b) { return a < b ? a : b; }

/* ---- Elementwise ------------------------------------------------------------------------------------------------ */

TWIN(saxpy) {
    float a = FLOAT(0);
    IN(float, x, 1);
    OUT(float, y, 2);
    FOR (i, EXTENT(1, 0)) y[i] = a * x[i] + y[i];
}

TWIN(relu_affine) {
    IN(float, x, 0);
    IN(float, scale, 1);
    IN(float, shift, 2);
    OUT(float, y, 3);
    int n = EXTENT(0, 0), m = EXTENT(0, 1);
    FOR (i, n)
        FOR (j, m) y[i * m + j] = larger(x[i * m + j] * scale[j] + shift[j], 0);
}

TWIN(chain8) {
    IN(float, x, 0);
    OUT(float, y, 3);
    float a = FLOAT(1), b = FLOAT(2);
    FOR (i, EXTENT(0, 0)) {
        float t = smaller(larger((x[i] + a) * b - x[i], -0.5f), 0.75f);
        y[i] = fabsf(t * t - b) + x[i];
    }
}

TWIN(polynomial10) {
    IN(float, in, 0);
    OUT(float, y, 1);
    FOR (i, EXTENT(0, 0)) {
        float x = in[i], t = x * 0.1f + 0.2f;
        t = (((t * x - 0.3f) * x + 0.4f) * x - 0.5f) * x + 0.6f;
        y[i] = ((((t * x - 0.7f) * x + 0.8f) * x - 0.9f) * x + 1) * x;
    }
}

TWIN(clip_scale_i8) {
    IN(int8_t, x, 0);
    int scale = INT(1);
    OUT(int8_t, y, 2);
    FOR (i, EXTENT(0, 0)) y[i] = (int8_t)max_int(min_int((x[i] * scale + 64) >> 7, 127), -128);
}

TWIN(scale_f16) {
    IN(half, x, 0);
    OUT(half, y, 1);
    FOR (i, EXTENT(0, 0)) y[i] = (half)(x[i] * (half)0.75f);
}

TWIN(blend_u8) {
    IN(uint8_t, a, 0);
    IN(uint8_t, b, 1);
    IN(uint8_t, alpha, 2);
    OUT(uint8_t, y, 3);
    FOR (i, EXTENT(0, 0)) y[i] = (uint8_t)((a[i] * alpha[i] + b[i] * (255 - alpha[i]) + 128) >> 8);
}

/* ---- Transcendental --------------------------------------------------------------------------------------------- */

TWIN(exp) {
    IN(float, x, 0);
    OUT(float, y, 1);
    FOR (i, EXTENT(0, 0)) y[i] = expf(x[i]);
}

TWIN(sigmoid) {
    IN(float, x, 0);
    OUT(float, y, 1);
    FOR (i, EXTENT(0, 0)) y[i] = 1 / (1 + expf(-x[i]));
}

TWIN(tanh) {
    IN(float, x, 0);
    OUT(float, y, 1);
    FOR (i, EXTENT(0, 0)) y[i] = tanhf(x[i]);
}

TWIN(gelu) {
    IN(float, x, 0);
    OUT(float, y, 1);
    FOR (i, EXTENT(0, 0)) y[i] = x[i] * 0.5f * (1 + erff(x[i] * 0.70710678f));
}

static float row_maximum(const float *restrict row, int m) {
    float largest = -FLT_MAX;
    FOR (j, m) largest = larger(largest, row[j]);
    return largest;
}

static float row_sum(const float *restrict row, int m) {
    float sum = 0;
    FOR (j, m) sum += row[j];
    return sum;
}

TWIN(softmax) {
    IN(float, x, 0);
    OUT(float, y, 1);
    int n = EXTENT(0, 0), m = EXTENT(0, 1);
    FOR (i, n) {
        float largest = row_maximum(x + i * m, m);
        FOR (j, m) y[i * m + j] = expf(x[i * m + j] - largest);
        float sum = row_sum(y + i * m, m);
        FOR (j, m) y[i * m + j] = y[i * m + j] / sum;
    }
}

TWIN(layer_norm) {
    IN(float, x, 0);
    IN(float, gamma, 1);
    IN(float, beta, 2);
    OUT(float, y, 3);
    int n = EXTENT(0, 0), d = EXTENT(0, 1);
    FOR (i, n) {
        float sum = 0, squares = 0;
        FOR (j, d) {
            sum += x[i * d + j];
            squares += x[i * d + j] * x[i * d + j];
        }
        float mean = sum / (float)d, scale = 1 / sqrtf(squares / (float)d - mean * mean + 1e-5f);
        FOR (j, d) y[i * d + j] = (x[i * d + j] - mean) * scale * gamma[j] + beta[j];
    }
}

TWIN(rms_norm) {
    IN(float, x, 0);
    IN(float, w, 1);
    OUT(float, y, 2);
    int n = EXTENT(0, 0), d = EXTENT(0, 1);
    FOR (i, n) {
        float squares = 0;
        FOR (j, d) squares += x[i * d + j] * x[i * d + j];
        float scale = 1 / sqrtf(squares / (float)d + 1e-5f);
        FOR (j, d) y[i * d + j] = x[i * d + j] * scale * w[j];
    }
}

TWIN(log_sum_exp) {
    IN(float, x, 0);
    OUT(float, y, 1);
    int n = EXTENT(0, 0), m = EXTENT(0, 1);
    FOR (i, n) {
        float largest = row_maximum(x + i * m, m), sum = 0;
        FOR (j, m) sum += expf(x[i * m + j] - largest);
        y[i] = largest + logf(sum);
    }
}

/* ---- Reductions ------------------------------------------------------------------------------------------------- */

TWIN(sum) {
    IN(float, a, 0);
    OUT(float, s, 1);
    s[0] = row_sum(a, EXTENT(0, 0));
}

TWIN(dot) {
    IN(float, a, 0);
    IN(float, b, 1);
    OUT(float, s, 2);
    float sum = 0;
    FOR (i, EXTENT(0, 0)) sum += a[i] * b[i];
    s[0] = sum;
}

TWIN(maximum) {
    IN(float, a, 0);
    OUT(float, s, 1);
    s[0] = row_maximum(a, EXTENT(0, 0));
}

TWIN(argmax) {
    IN(float, a, 0);
    OUT(int32_t, where, 1);
    OUT(float, value, 2);
    int n = EXTENT(0, 0), m = EXTENT(0, 1);
    FOR (i, n) {
        float largest = -FLT_MAX;
        int best = -1;
        FOR (j, m)
            if (a[i * m + j] > largest) largest = a[i * m + j], best = j;
        where[i] = best;
        value[i] = largest;
    }
}

TWIN(mean_variance) {
    IN(float, a, 0);
    OUT(float, mean, 1);
    OUT(float, variance, 2);
    int n = EXTENT(0, 0), m = EXTENT(0, 1);
    FOR (i, n) {
        float center = row_sum(a + i * m, m) / (float)m, squares = 0;
        FOR (j, m) squares += (a[i * m + j] - center) * (a[i * m + j] - center);
        mean[i] = center;
        variance[i] = squares / (float)m;
    }
}

TWIN(row_sums) {
    IN(float, a, 0);
    OUT(float, s, 1);
    int n = EXTENT(0, 0), m = EXTENT(0, 1);
    FOR (i, n) s[i] = row_sum(a + i * m, m);
}

TWIN(column_sums) {
    IN(float, a, 0);
    OUT(float, s, 1);
    int n = EXTENT(0, 0), m = EXTENT(0, 1);
    FOR (j, m) {
        float sum = 0;
        FOR (i, n) sum += a[i * m + j];
        s[j] = sum;
    }
}

/* ---- Contractions ----------------------------------------------------------------------------------------------- */

/* C[i, j] = sum of a * b, where the two index expressions use i, j, k and the extents m, n, l. */
#define PRODUCT(in, out, m_of, n_of, l_of, at_a, at_b) \
    IN(in, a, 0);                                      \
    IN(in, b, 1);                                      \
    OUT(out, c, 2);                                    \
    int m = m_of, n = n_of, l = l_of;                  \
    FOR (i, m)                                         \
        FOR (j, n) {                                   \
            out sum = 0;                               \
            FOR (k, l) sum += (out)a[at_a] * (out)b[at_b]; \
            c[i * n + j] = sum;                        \
        }

TWIN(matmul) { PRODUCT(float, float, EXTENT(0, 0), EXTENT(1, 1), EXTENT(0, 1), i * l + k, k * n + j) }
TWIN(matmul_f64) { PRODUCT(double, double, EXTENT(0, 0), EXTENT(1, 1), EXTENT(0, 1), i * l + k, k * n + j) }
TWIN(matmul_f16) { PRODUCT(half, float, EXTENT(0, 0), EXTENT(1, 1), EXTENT(0, 1), i * l + k, k * n + j) }
TWIN(matmul_i8) { PRODUCT(int8_t, int32_t, EXTENT(0, 0), EXTENT(1, 1), EXTENT(0, 1), i * l + k, k * n + j) }
TWIN(matmul_tn) { PRODUCT(float, float, EXTENT(0, 1), EXTENT(1, 1), EXTENT(0, 0), k * m + i, k * n + j) }
TWIN(matmul_nt) { PRODUCT(float, float, EXTENT(0, 0), EXTENT(1, 0), EXTENT(0, 1), i * l + k, j * l + k) }

TWIN(matmul_batched) {
    IN(float, a, 0);
    IN(float, b, 1);
    OUT(float, c, 2);
    int m = EXTENT(0, 1), l = EXTENT(0, 2), n = EXTENT(1, 2);
    FOR (s, EXTENT(0, 0))
        FOR (i, m)
            FOR (j, n) {
                float sum = 0;
                FOR (k, l) sum += a[(s * m + i) * l + k] * b[(s * l + k) * n + j];
                c[(s * m + i) * n + j] = sum;
            }
}

TWIN(gemv) {
    IN(float, a, 0);
    IN(float, x, 1);
    OUT(float, y, 2);
    int m = EXTENT(0, 0), l = EXTENT(0, 1);
    FOR (i, m) {
        float sum = 0;
        FOR (k, l) sum += a[i * l + k] * x[k];
        y[i] = sum;
    }
}

TWIN(gemv_t) {
    IN(float, a, 0);
    IN(float, x, 1);
    OUT(float, y, 2);
    int m = EXTENT(0, 1), l = EXTENT(0, 0);
    FOR (i, m) {
        float sum = 0;
        FOR (k, l) sum += a[k * m + i] * x[k];
        y[i] = sum;
    }
}

/* The loops over images, their rows and columns, and output channels. */
#define FOR_PIXELS(h, w, co) \
    FOR (b, EXTENT(2, 0))    \
        FOR (y, h)           \
            FOR (x, w)       \
                FOR (f, co)

TWIN(conv2d_nhwc) {
    IN(float, in, 0);
    IN(float, weight, 1);
    OUT(float, out, 2);
    float *restrict padded = args->scratch;
    int h = EXTENT(0, 1), w = EXTENT(0, 2), ci = EXTENT(0, 3), co = EXTENT(1, 3);
    FOR (b, EXTENT(0, 0))
        FOR (y, h + 2)
            FOR (x, w + 2)
                FOR (c, ci) {
                    bool inside = y >= 1 && y < h + 1 && x >= 1 && x < w + 1;
                    padded[((b * (h + 2) + y) * (w + 2) + x) * ci + c] =
                        inside ? in[((b * h + y - 1) * w + x - 1) * ci + c] : 0;
                }
    FOR_PIXELS(h, w, co) {
        float sum = 0;
        FOR (r, 3)
            FOR (q, 3)
                FOR (c, ci)
                    sum += padded[((b * (h + 2) + y + r) * (w + 2) + x + q) * ci + c] *
                           weight[((r * 3 + q) * ci + c) * co + f];
        out[((b * h + y) * w + x) * co + f] = sum;
    }
}

TWIN(conv2d_nchw) {
    IN(float, in, 0);
    IN(float, weight, 1);
    OUT(float, out, 2);
    int h = EXTENT(2, 2), w = EXTENT(2, 3), ci = EXTENT(0, 1), co = EXTENT(1, 0);
    FOR (b, EXTENT(0, 0))
        FOR (f, co)
            FOR (y, h)
                FOR (x, w) {
                    float sum = 0;
                    FOR (c, ci)
                        FOR (r, 3)
                            FOR (q, 3)
                                sum += in[((b * ci + c) * (h + 2) + y + r) * (w + 2) + x + q] *
                                       weight[((f * ci + c) * 3 + r) * 3 + q];
                    out[((b * co + f) * h + y) * w + x] = sum;
                }
}

TWIN(conv2d_padded) {
    IN(float, in, 0);
    IN(float, weight, 1);
    OUT(float, out, 2);
    int h = EXTENT(0, 1), w = EXTENT(0, 2), ci = EXTENT(0, 3), co = EXTENT(1, 3);
    FOR_PIXELS(h, w, co) {
        float sum = 0;
        FOR (r, 3)
            FOR (q, 3)
                FOR (c, ci) {
                    bool inside = y + r >= 1 && y + r < h + 1 && x + q >= 1 && x + q < w + 1;
                    sum += (inside ? in[((b * h + y + r - 1) * w + x + q - 1) * ci + c] : 0) *
                           weight[((r * 3 + q) * ci + c) * co + f];
                }
        out[((b * h + y) * w + x) * co + f] = sum;
    }
}

TWIN(depthwise) {
    IN(float, in, 0);
    IN(float, weight, 1);
    OUT(float, out, 2);
    int h = EXTENT(2, 1), w = EXTENT(2, 2), channels = EXTENT(2, 3);
    FOR_PIXELS(h, w, channels) {
        float sum = 0;
        FOR (r, 3)
            FOR (q, 3)
                sum += in[((b * (h + 2) + y + r) * (w + 2) + x + q) * channels + f] *
                       weight[(r * 3 + q) * channels + f];
        out[((b * h + y) * w + x) * channels + f] = sum;
    }
}

TWIN(attention) {
    IN(float, q, 0);
    IN(float, keys, 1);
    IN(float, values, 2);
    OUT(float, out, 3);
    float *restrict s = args->scratch;
    int n = EXTENT(0, 0), d = EXTENT(0, 1), m = EXTENT(1, 0);
    FOR (i, n) {
        FOR (j, m) {
            float sum = 0;
            FOR (k, d) sum += q[i * d + k] * keys[j * d + k];
            s[j] = sum;
        }
        float top = row_maximum(s, m);
        FOR (j, m) s[j] = expf((s[j] - top) * 0.125f);
        float total = row_sum(s, m);
        FOR (k, d) {
            float sum = 0;
            FOR (j, m) sum += s[j] * values[j * d + k];
            out[i * d + k] = sum / total;
        }
    }
}

TWIN(dense_relu) {
    IN(float, x, 0);
    IN(float, weight, 1);
    IN(float, bias, 2);
    OUT(float, y, 3);
    int m = EXTENT(0, 0), l = EXTENT(0, 1), n = EXTENT(1, 0);
    FOR (i, m)
        FOR (j, n) {
            float sum = 0;
            FOR (k, l) sum += x[i * l + k] * weight[j * l + k];
            y[i * n + j] = larger(sum + bias[j], 0);
        }
}

/* ---- Stencils --------------------------------------------------------------------------------------------------- */

TWIN(jacobi_2d) {
    IN(float, a, 0);
    OUT(float, b, 1);
    int h = EXTENT(0, 0), w = EXTENT(0, 1);
    for (int i = 1; i < h - 1; i++)
        for (int j = 1; j < w - 1; j++) {
            const float *p = a + i * w + j;
            b[i * w + j] = (p[0] + p[-w] + p[w] + p[-1] + p[1]) * 0.2f;
        }
}

TWIN(blur3x3) {
    IN(float, a, 0);
    OUT(float, b, 1);
    int h = EXTENT(1, 0), w = EXTENT(1, 1);
    FOR (i, h)
        FOR (j, w) {
            const float *p = a + i * (w + 2) + j, *q = p + w + 2, *r = q + w + 2;
            b[i * w + j] = (p[0] + p[2] + r[0] + r[2]) * 0.0625f + (p[1] + q[0] + q[2] + r[1]) * 0.125f + q[1] * 0.25f;
        }
}

TWIN(heat_3d) {
    IN(float, a, 0);
    OUT(float, b, 1);
    int d = EXTENT(0, 0), h = EXTENT(0, 1), w = EXTENT(0, 2), s = h * w;
    for (int z = 1; z < d - 1; z++)
        for (int y = 1; y < h - 1; y++)
            for (int x = 1; x < w - 1; x++) {
                const float *p = a + z * s + y * w + x;
                b[z * s + y * w + x] = p[0] + 0.125f * (p[s] - 2 * p[0] + p[-s]) + 0.125f * (p[w] - 2 * p[0] + p[-w]) +
                                       0.125f * (p[1] - 2 * p[0] + p[-1]);
            }
}

TWIN(blur_clamped) {
    IN(uint8_t, a, 0);
    OUT(uint8_t, b, 1);
    int h = EXTENT(0, 0), w = EXTENT(0, 1);
    FOR (i, h)
        FOR (j, w)
            b[i * w + j] = (uint8_t)((a[max_int(i - 1, 0) * w + j] + a[min_int(i + 1, h - 1) * w + j] +
                                      a[i * w + max_int(j - 1, 0)] + a[i * w + min_int(j + 1, w - 1)] + 2) >> 2);
}

TWIN(sobel) {
    IN(uint8_t, a, 0);
    OUT(uint8_t, b, 1);
    int h = EXTENT(1, 0), w = EXTENT(1, 1);
    FOR (i, h)
        FOR (j, w) {
            const uint8_t *p = a + i * (w + 2) + j, *q = p + w + 2, *r = q + w + 2;
            int gx = p[2] + 2 * q[2] + r[2] - p[0] - 2 * q[0] - r[0];
            int gy = r[0] + 2 * r[1] + r[2] - p[0] - 2 * p[1] - p[2];
            b[i * w + j] = (uint8_t)min_int(abs(gx) + abs(gy), 255);
        }
}

/* ---- Data movement ---------------------------------------------------------------------------------------------- */

TWIN(transpose) {
    IN(float, a, 0);
    OUT(float, b, 1);
    int n = EXTENT(0, 0), m = EXTENT(0, 1);
    FOR (i, m)
        FOR (j, n) b[i * n + j] = a[j * m + i];
}

TWIN(transpose_4d) {
    IN(float, a, 0);
    OUT(float, out, 1);
    int s = EXTENT(0, 1), h = EXTENT(0, 2), d = EXTENT(0, 3);
    FOR (b, EXTENT(0, 0))
        FOR (i, h)
            FOR (j, d)
                FOR (k, s) out[((b * h + i) * d + j) * s + k] = a[((b * s + k) * h + i) * d + j];
}

TWIN(nchw_to_nhwc) {
    IN(float, a, 0);
    OUT(float, out, 1);
    int channels = EXTENT(0, 1), h = EXTENT(0, 2), w = EXTENT(0, 3);
    FOR (b, EXTENT(0, 0))
        FOR (i, h)
            FOR (j, w)
                FOR (c, channels) out[((b * h + i) * w + j) * channels + c] = a[((b * channels + c) * h + i) * w + j];
}

TWIN(nhwc_to_nchw) {
    IN(float, a, 0);
    OUT(float, out, 1);
    int h = EXTENT(0, 1), w = EXTENT(0, 2), channels = EXTENT(0, 3);
    FOR (b, EXTENT(0, 0))
        FOR (c, channels)
            FOR (i, h)
                FOR (j, w) out[((b * channels + c) * h + i) * w + j] = a[((b * h + i) * w + j) * channels + c];
}

TWIN(pad) {
    IN(float, a, 0);
    OUT(float, b, 1);
    int h = EXTENT(0, 0), w = EXTENT(0, 1);
    FOR (i, h + 4)
        FOR (j, w + 6)
            b[i * (w + 6) + j] = i >= 2 && i < h + 2 && j >= 3 && j < w + 3 ? a[(i - 2) * w + j - 3] : 0;
}

TWIN(concat) {
    IN(float, a, 0);
    IN(float, b, 1);
    OUT(float, c, 2);
    int n = EXTENT(0, 0), p = EXTENT(0, 1), q = EXTENT(1, 1);
    FOR (i, n)
        FOR (j, p + q) c[i * (p + q) + j] = j < p ? a[i * p + j] : b[i * q + j - p];
}

TWIN(gather_rows) {
    IN(float, table, 0);
    IN(int32_t, ids, 1);
    OUT(float, out, 2);
    int n = EXTENT(1, 0), d = EXTENT(0, 1);
    FOR (i, n)
        FOR (j, d) out[i * d + j] = table[ids[i] * d + j];
}

TWIN(scatter_add) {
    IN(float, rows, 0);
    IN(int32_t, ids, 1);
    OUT(float, out, 2);
    int n = EXTENT(0, 0), d = EXTENT(0, 1);
    FOR (i, n)
        FOR (j, d) out[ids[i] * d + j] += rows[i * d + j];
}

/* ---- Irregular -------------------------------------------------------------------------------------------------- */

TWIN(histogram) {
    IN(uint8_t, a, 0);
    OUT(int32_t, counts, 1);
    FOR (v, 256) counts[v] = 0;
    FOR (i, EXTENT(0, 0)) counts[a[i]] += 1;
}

TWIN(prefix_sum) {
    IN(uint32_t, a, 0);
    OUT(uint32_t, b, 1);
    uint32_t total = 0;
    FOR (i, EXTENT(0, 0)) b[i] = total += a[i];
}

TWIN(spmv) {
    IN(float, data, 0);
    IN(int32_t, indices, 1);
    IN(int32_t, indptr, 2);
    IN(float, x, 3);
    OUT(float, y, 4);
    FOR (i, EXTENT(4, 0)) {
        float sum = 0;
        for (int k = indptr[i]; k < indptr[i + 1]; k++) sum += data[k] * x[indices[k]];
        y[i] = sum;
    }
}

TWIN(mandelbrot) {
    float left = FLOAT(0), top = FLOAT(1), step = FLOAT(2);
    int limit = INT(3), h = EXTENT(4, 0), w = EXTENT(4, 1);
    OUT(int32_t, count, 4);
    FOR (i, h)
        FOR (j, w) {
            float cr = left + (float)j * step, ci = top + (float)i * step, zr = 0, zi = 0;
            int n = 0;
            while (n < limit && zr * zr + zi * zi <= 4) {
                float t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = t;
                n++;
            }
            count[i * w + j] = n;
        }
}

TWIN(floyd_warshall) {
    float *d = args->data[0];
    int n = EXTENT(0, 0);
    FOR (k, n)
        FOR (i, n)
            FOR (j, n) d[i * n + j] = smaller(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

TWIN(nms) {
    IN(float, box, 0);
    OUT(int32_t, kept, 1);
    FOR (i, EXTENT(0, 0)) {
        kept[i] = 1;
        FOR (k, i) {
            if (kept[k] != 1 || kept[i] != 1) continue;
            float wide = smaller(box[i * 4], box[k * 4]) + 0.4f - larger(box[i * 4], box[k * 4]);
            float high = smaller(box[i * 4 + 1], box[k * 4 + 1]) + 0.4f - larger(box[i * 4 + 1], box[k * 4 + 1]);
            float both = larger(wide, 0) * larger(high, 0);
            if (both > 0.5f * (0.32f - both)) kept[i] = 0;
        }
    }
}

TWIN(insertion_sort) {
    float *a = args->data[0];
    int n = EXTENT(0, 0);
    for (int i = 1; i < n; i++) {
        float key = a[i];
        int j = i - 1;
        for (; j >= 0 && a[j] > key; j--) a[j + 1] = a[j];
        a[j + 1] = key;
    }
}

TWIN(binary_search) {
    IN(float, sorted, 0);
    IN(float, keys, 1);
    OUT(int32_t, place, 2);
    int n = EXTENT(0, 0);
    FOR (i, EXTENT(1, 0)) {
        int low = 0, high = n;
        while (low < high) {
            int middle = (low + high) / 2;
            if (sorted[middle] < keys[i]) low = middle + 1;
            else high = middle;
        }
        place[i] = low;
    }
}

/* ---- Registers -------------------------------------------------------------------------------------------------- */

#define TREE(type)                                                                                        \
    IN(type, A, 0);                                                                                       \
    IN(type, B, 1);                                                                                       \
    IN(type, C, 2);                                                                                       \
    IN(type, D, 3);                                                                                       \
    OUT(type, y, 4);                                                                                      \
    FOR_APART (i, EXTENT(0, 0)) {                                                                               \
        type a = A[i], b = B[i], c = C[i], d = D[i];                                                      \
        type p = (a + b) * (c - d), q = (a - c) * (b + d), r = (a - d) * (b - c), s = (a + c) * (b - d);  \
        type t = a - b, u = c + d, v = a + d, w = b + c;                                                  \
        y[i] = (p > q ? p : q) + (r < s ? r : s) * ((t > u ? t : u) - (v < w ? v : w));                   \
    }

TWIN(tree) { TREE(float) }
TWIN(tree_f64) { TREE(double) }

TWIN(bicubic_polynomial) {
    IN(float, X, 0);
    IN(float, Y, 1);
    OUT(float, z, 2);
    FOR_APART (i, EXTENT(0, 0)) {
        float x = X[i], y = Y[i];
        float p0 = ((0.1f * x - 0.7f) * x + 0.3f) * x + 0.9f, p1 = ((0.2f * x + 0.5f) * x - 0.6f) * x + 0.4f;
        float p2 = ((0.8f * x - 0.2f) * x + 0.1f) * x - 0.3f, p3 = ((0.6f * x + 0.4f) * x - 0.8f) * x + 0.5f;
        z[i] = ((p3 * y + p2) * y + p1) * y + p0;
    }
}

TWIN(complex_products) {
    IN(float, ar, 0);
    IN(float, ai, 1);
    IN(float, br, 2);
    IN(float, bi, 3);
    IN(float, cr, 4);
    IN(float, ci, 5);
    OUT(float, re, 6);
    OUT(float, im, 7);
    FOR_APART (i, EXTENT(0, 0)) {
        float tr = ar[i] * br[i] - ai[i] * bi[i] + cr[i], ti = ar[i] * bi[i] + ai[i] * br[i] + ci[i];
        re[i] = tr * tr - ti * ti + ar[i];
        im[i] = 2 * tr * ti + ai[i];
    }
}

TWIN(complex_division) {
    IN(float, ar, 0);
    IN(float, ai, 1);
    IN(float, br, 2);
    IN(float, bi, 3);
    OUT(float, re, 4);
    OUT(float, im, 5);
    FOR_APART (i, EXTENT(0, 0)) {
        float scale = 1 / (br[i] * br[i] + bi[i] * bi[i] + 0.5f);
        re[i] = (ar[i] * br[i] + ai[i] * bi[i]) * scale;
        im[i] = (ai[i] * br[i] - ar[i] * bi[i]) * scale;
    }
}

TWIN(quaternion) {
    IN(float, A0, 0);
    IN(float, A1, 1);
    IN(float, A2, 2);
    IN(float, A3, 3);
    IN(float, B0, 4);
    IN(float, B1, 5);
    IN(float, B2, 6);
    IN(float, B3, 7);
    OUT(float, c0, 8);
    OUT(float, c1, 9);
    OUT(float, c2, 10);
    OUT(float, c3, 11);
    FOR_APART (i, EXTENT(0, 0)) {
        float a0 = A0[i], a1 = A1[i], a2 = A2[i], a3 = A3[i], b0 = B0[i], b1 = B1[i], b2 = B2[i], b3 = B3[i];
        c0[i] = a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3;
        c1[i] = a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2;
        c2[i] = a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1;
        c3[i] = a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0;
    }
}

TWIN(ycbcr) {
    IN(float, r, 0);
    IN(float, g, 1);
    IN(float, b, 2);
    OUT(float, y, 3);
    OUT(float, u, 4);
    OUT(float, v, 5);
    FOR_APART (i, EXTENT(0, 0)) {
        y[i] = 0.299f * r[i] + 0.587f * g[i] + 0.114f * b[i];
        u[i] = -0.168736f * r[i] - 0.331264f * g[i] + 0.5f * b[i] + 0.5f;
        v[i] = 0.5f * r[i] - 0.418688f * g[i] - 0.081312f * b[i] + 0.5f;
    }
}

TWIN(ycbcr_u8) {
    IN(uint8_t, r, 0);
    IN(uint8_t, g, 1);
    IN(uint8_t, b, 2);
    OUT(uint8_t, y, 3);
    OUT(uint8_t, u, 4);
    OUT(uint8_t, v, 5);
    FOR_APART (i, EXTENT(0, 0)) {
        y[i] = (uint8_t)((77 * r[i] + 150 * g[i] + 29 * b[i] + 128) >> 8);
        u[i] = (uint8_t)((127 * b[i] - 43 * r[i] - 84 * g[i] + 32896) >> 8);
        v[i] = (uint8_t)((127 * r[i] - 106 * g[i] - 21 * b[i] + 32896) >> 8);
    }
}

TWIN(determinant) {
    IN(float, a, 0);
    IN(float, b, 1);
    IN(float, c, 2);
    IN(float, d, 3);
    IN(float, e, 4);
    IN(float, f, 5);
    IN(float, g, 6);
    IN(float, h, 7);
    IN(float, k, 8);
    OUT(float, y, 9);
    FOR_APART (i, EXTENT(0, 0))
        y[i] = a[i] * (e[i] * k[i] - f[i] * h[i]) - b[i] * (d[i] * k[i] - f[i] * g[i]) +
               c[i] * (d[i] * h[i] - e[i] * g[i]);
}

TWIN(spline) {
    IN(float, P0, 0);
    IN(float, P1, 1);
    IN(float, P2, 2);
    IN(float, P3, 3);
    IN(float, s, 4);
    OUT(float, y, 5);
    FOR_APART (i, EXTENT(0, 0)) {
        float a = P0[i], b = P1[i], c = P2[i], d = P3[i], t = s[i];
        float c3 = 3 * (b - c) + d - a, c2 = 2 * a - 5 * b + 4 * c - d;
        y[i] = 0.5f * (((c3 * t + c2) * t + (c - a)) * t + 2 * b);
    }
}

/* Words wrap, and as signed ones are shifted to the right. */
static uint32_t down(uint32_t word, int by) { return (uint32_t)((int32_t)word >> by); }

TWIN(mixed_words) {
    IN(uint32_t, A, 0);
    IN(uint32_t, B, 1);
    IN(uint32_t, C, 2);
    OUT(uint32_t, y, 3);
    FOR_APART (i, EXTENT(0, 0)) {
        uint32_t a = A[i], b = B[i], c = C[i];
        a = (a - b - c) ^ down(c, 13);
        b = (b - c - a) ^ (a << 8);
        c = (c - a - b) ^ down(b, 13);
        a = (a - b - c) ^ down(c, 12);
        b = (b - c - a) ^ (a << 16);
        c = (c - a - b) ^ down(b, 5);
        y[i] = a ^ b ^ c;
    }
}

/* ---- Scans ------------------------------------------------------------------------------------------------------ */

TWIN(running_sum) {
    IN(float, a, 0);
    OUT(float, b, 1);
    float total = 0;
    FOR (i, EXTENT(0, 0)) b[i] = total += a[i];
}

TWIN(running_sum_i64) {
    IN(int32_t, a, 0);
    OUT(int64_t, b, 1);
    int64_t total = 0;
    FOR (i, EXTENT(0, 0)) b[i] = total += a[i];
}

TWIN(running_product) {
    IN(float, a, 0);
    OUT(float, b, 1);
    float product = 1;
    FOR (i, EXTENT(0, 0)) b[i] = product *= a[i] * 0.001f + 1;
}

TWIN(running_max) {
    IN(float, a, 0);
    OUT(float, b, 1);
    float largest = -FLT_MAX;
    FOR (i, EXTENT(0, 0)) b[i] = largest = larger(largest, a[i]);
}

TWIN(running_min_i32) {
    IN(int32_t, a, 0);
    OUT(int32_t, b, 1);
    int32_t least = INT32_MAX;
    FOR (i, EXTENT(0, 0)) b[i] = least = min_int(least, a[i]);
}

TWIN(sum_with_reset) {
    IN(float, a, 0);
    IN(uint8_t, flag, 1);
    OUT(float, b, 2);
    float total = 0;
    FOR (i, EXTENT(0, 0)) b[i] = total = (flag[i] == 0 ? 0 : total) + a[i];
}

TWIN(run_lengths) {
    IN(uint8_t, a, 0);
    OUT(int32_t, b, 1);
    int32_t length = 0;
    FOR (i, EXTENT(0, 0)) b[i] = length = a[i] == 0 ? 0 : length + 1;
}

TWIN(smoothed) {
    IN(float, a, 0);
    float alpha = FLOAT(1);
    OUT(float, b, 2);
    float y = 0;
    FOR (i, EXTENT(0, 0)) b[i] = y = y + alpha * (a[i] - y);
}

TWIN(recurrence) {
    IN(float, a, 0);
    IN(float, x, 1);
    OUT(float, b, 2);
    float y = 0;
    FOR (i, EXTENT(0, 0)) b[i] = y = a[i] * y + x[i];
}

/* ---- Comprehensions --------------------------------------------------------------------------------------------- */

TWIN(tbmm) {
    IN(float, x, 0);
    IN(float, y, 1);
    OUT(float, z, 2);
    int n = EXTENT(0, 1), m = EXTENT(0, 2), k = EXTENT(1, 1);
    FOR (b, EXTENT(0, 0))
        FOR (i, n)
            FOR (j, k) {
                float sum = 0;
                FOR (p, m) sum += x[(b * n + i) * m + p] * y[(b * k + j) * m + p];
                z[(b * n + i) * k + j] = sum;
            }
}

TWIN(gconv) {
    IN(float, in, 0);
    IN(float, weight, 1);
    IN(float, bias, 2);
    OUT(float, out, 3);
    int g = EXTENT(0, 1), c = EXTENT(0, 2), h0 = EXTENT(0, 3), w0 = EXTENT(0, 4);
    int f = EXTENT(1, 1), kh = EXTENT(1, 3), kw = EXTENT(1, 4), h = EXTENT(3, 3), w = EXTENT(3, 4);
    FOR (n, EXTENT(0, 0))
        FOR (s, g)
            FOR (o, f)
                FOR (y, h)
                    FOR (x, w) {
                        float sum = 0;
                        FOR (p, c)
                            FOR (r, kh)
                                FOR (q, kw)
                                    sum += in[(((n * g + s) * c + p) * h0 + y + r) * w0 + x + q] *
                                           weight[(((s * f + o) * c + p) * kh + r) * kw + q];
                        out[(((n * g + s) * f + o) * h + y) * w + x] = sum + bias[s * f + o];
                    }
}

/* Row b of the sums of the table's rows. */
#define SUM_OF_ROWS(table, ids, out, d, l)                      \
    FOR (b, EXTENT(1, 0)) {                                     \
        FOR (j, d) (out)[b * (d) + j] = 0;                      \
        FOR (k, l)                                              \
            FOR (j, d) (out)[b * (d) + j] += (table)[(ids)[b * (l) + k] * (d) + j]; \
    }

TWIN(lut_1) {
    IN(float, table, 0);
    IN(int32_t, ids, 1);
    OUT(float, out, 2);
    int d = EXTENT(0, 1), l = EXTENT(1, 1);
    SUM_OF_ROWS(table, ids, out, d, l)
}

TWIN(lut_2) {
    IN(float, table1, 0);
    IN(int32_t, ids1, 1);
    IN(float, table2, 2);
    IN(int32_t, ids2, 3);
    OUT(float, out1, 4);
    OUT(float, out2, 5);
    int d = EXTENT(0, 1), l1 = EXTENT(1, 1), l2 = EXTENT(3, 1);
    SUM_OF_ROWS(table1, ids1, out1, d, l1)
    SUM_OF_ROWS(table2, ids2, out2, d, l2)
}

TWIN(mlp_1) {
    IN(float, in, 0);
    IN(float, weight, 1);
    IN(float, bias, 2);
    OUT(float, out, 3);
    int m = EXTENT(0, 1), n = EXTENT(1, 1);
    FOR (b, EXTENT(0, 0))
        FOR (j, n) {
            float sum = 0;
            FOR (k, m) sum += in[b * m + k] * weight[k * n + j];
            out[b * n + j] = larger(sum + bias[j], 0);
        }
}

static void dense(const float *restrict in, const float *restrict weight, const float *restrict bias,
                  float *restrict out, int rows, int m, int n) {
    FOR (b, rows)
        FOR (j, n) {
            float sum = 0;
            FOR (k, m) sum += in[b * m + k] * weight[j * m + k];
            out[b * n + j] = larger(sum + bias[j], 0);
        }
}

TWIN(mlp_3) {
    int b = EXTENT(0, 0);
    dense(args->data[0], args->data[1], args->data[2], args->data[7], b, EXTENT(1, 1), EXTENT(1, 0));
    dense(args->data[7], args->data[3], args->data[4], args->data[8], b, EXTENT(3, 1), EXTENT(3, 0));
    dense(args->data[8], args->data[5], args->data[6], args->data[9], b, EXTENT(5, 1), EXTENT(5, 0));
}

TWIN(kronecker) {
    IN(float, w0, 0);
    IN(float, w1, 1);
    IN(float, w2, 2);
    IN(float, x, 3);
    OUT(float, y, 4);
    OUT(float, xw1, 5);
    OUT(float, xw2, 6);
    int d0 = EXTENT(0, 0), d1 = EXTENT(1, 0), d2 = EXTENT(2, 0);
    int n0 = EXTENT(0, 1), n1 = EXTENT(1, 1), n2 = EXTENT(2, 1);
    FOR (m, EXTENT(3, 0)) {
        FOR (i, n0 * n1)
            FOR (c, d2) {
                float sum = 0;
                FOR (r, n2) sum += x[(m * n0 * n1 + i) * n2 + r] * w2[c * n2 + r];
                xw2[(m * n0 * n1 + i) * d2 + c] = sum;
            }
        FOR (i, n0)
            FOR (b, d1)
                FOR (c, d2) {
                    float sum = 0;
                    FOR (r, n1) sum += xw2[((m * n0 + i) * n1 + r) * d2 + c] * w1[b * n1 + r];
                    xw1[((m * n0 + i) * d1 + b) * d2 + c] = sum;
                }
        FOR (a, d0)
            FOR (i, d1 * d2) {
                float sum = 0;
                FOR (r, n0) sum += xw1[(m * n0 + r) * d1 * d2 + i] * w0[a * n0 + r];
                y[(m * d0 + a) * d1 * d2 + i] = sum;
            }
    }
}

TWIN(group_norm) {
    IN(float, in, 0);
    IN(float, gamma, 1);
    IN(float, beta, 2);
    OUT(float, sums, 3);
    OUT(float, squares, 4);
    OUT(float, out, 5);
    int g = EXTENT(0, 1), d = EXTENT(0, 2), plane = EXTENT(0, 3) * EXTENT(0, 4), count = d * plane;
    FOR (i, EXTENT(0, 0) * g) {
        const float *restrict own = in + i * count;
        float sum = 0, square = 0;
        FOR (k, count) sum += own[k];
        FOR (k, count) square += own[k] * own[k];
        sums[i] = sum;
        squares[i] = square;
        float mean = sum / (float)count, scale = 1 / sqrtf(square / (float)count - mean * mean + 1e-5f);
        FOR (c, d)
            FOR (k, plane)
                out[i * count + c * plane + k] =
                    gamma[i % g * d + c] * (own[c * plane + k] - mean) * scale + beta[i % g * d + c];
    }
}

TWIN(moments) {
    IN(float, in, 0);
    OUT(float, mean, 1);
    OUT(float, var, 2);
    int k = EXTENT(0, 1);
    FOR (i, EXTENT(0, 0)) {
        float sum = 0, square = 0;
        FOR (j, k) sum += in[i * k + j];
        FOR (j, k) square += in[i * k + j] * in[i * k + j];
        mean[i] = sum / (float)k;
        var[i] = square / (float)k - mean[i] * mean[i];
    }
}

/* out[b, o, t] = bias[o] + the taps at t and, where there is one, at t - d. */
static void dilated(const float *restrict in, const float *restrict weight, const float *restrict bias,
                    float *restrict out, int batch, int c, int r, int l, int d) {
    FOR (b, batch)
        FOR (o, l) {
            float *restrict row = out + (b * l + o) * r;
            FOR (t, r) row[t] = bias[o];
            FOR (p, c) {
                const float *restrict own = in + (b * c + p) * r;
                float now = weight[(o * c + p) * 2 + 1], before = weight[(o * c + p) * 2];
                FOR (t, r) row[t] += own[t] * now + (t >= d ? own[t - d] * before : 0);
            }
        }
}

/* out[b, o, t] += the sums over p of weight[o, p] in[b, p, t]. */
static void pointwise(const float *restrict in, const float *restrict weight, float *restrict out, int batch, int c,
                      int r, int l) {
    FOR (b, batch)
        FOR (o, l)
            FOR (p, c)
                FOR (t, r) out[(b * l + o) * r + t] += in[(b * c + p) * r + t] * weight[o * c + p];
}

TWIN(wavenet) {
    IN(float, data, 0);
    IN(float, res_b, 6);
    IN(float, skip_b, 8);
    OUT(float, both, 12);
    OUT(float, res, 13);
    OUT(float, skip, 14);
    int n = EXTENT(0, 0), c = EXTENT(0, 1), r = EXTENT(0, 2), l = EXTENT(1, 0), s = EXTENT(7, 0), d = EXTENT(9, 0);
    const float *filtered = args->data[10], *gate = args->data[11];
    dilated(data, args->data[1], args->data[2], args->data[10], n, c, r, l, d);
    dilated(data, args->data[3], args->data[4], args->data[11], n, c, r, l, d);
    FOR (i, n * l * r) both[i] = tanhf(filtered[i]) * (1 / (1 + expf(-gate[i])));
    FOR (i, n * c)
        FOR (t, r) res[i * r + t] = data[i * r + t] + res_b[i % c];
    FOR (i, n * s)
        FOR (t, r) skip[i * r + t] = skip_b[i % s];
    pointwise(both, args->data[5], res, n, l, r, c);
    pointwise(both, args->data[7], skip, n, l, r, s);
}

#include "tests/bench/control.inc"
#include "tests/bench/polybench.inc"
#include "tests/bench/tsvc.inc"

/* ---- The table -------------------------------------------------------------------------------------------------- */

extern const twin TWIN_TABLE[N_TWINS];
#define X(name) twin_##name,
const twin TWIN_TABLE[N_TWINS] = {TWINS(X)};
#undef X
