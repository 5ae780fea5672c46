/* The loops of the kernels in C, as one writes them: the same nests over the same arrays. Compiled twice, once as plain
 * and once as fast, with names to match (TWIN_KIND). Only the padding buffers are static, so that a call allocates
 * nothing. */
#include "tests/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PASTE(kind, name) twin_##kind##_##name
#define NAME(kind, name)  PASTE(kind, name)
#define TWIN(name)        void NAME(TWIN_KIND, name)(const twin_args *args)

enum { SCRATCH = 1 << 18 };
static float scratch[SCRATCH], scratch2[SCRATCH], scratch3[SCRATCH];

TWIN(vector_add) {
    const float *restrict a = args->data[0], *restrict b = args->data[1];
    float *restrict c = args->data[2];
    int n = args->n[0][0];
    for (int i = 0; i < n; i++) c[i] = a[i] + b[i];
}

TWIN(saxpy) {
    float a = (float)args->scalar[0];
    const float *restrict x = args->data[1];
    float *restrict y = args->data[2];
    int n = args->n[1][0];
    for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

TWIN(matmul_ijk) {
    const float *restrict a = args->data[0], *restrict b = args->data[1];
    float *restrict c = args->data[2];
    int m = args->n[0][0], k = args->n[0][1], n = args->n[1][1];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int p = 0; p < k; p++) sum += a[i * k + p] * b[p * n + j];
            c[i * n + j] = sum;
        }
}

TWIN(matmul_ikj) {
    const float *restrict a = args->data[0], *restrict b = args->data[1];
    float *restrict c = args->data[2];
    int m = args->n[0][0], k = args->n[0][1], n = args->n[1][1];
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) c[i * n + j] = 0;
        for (int p = 0; p < k; p++)
            for (int j = 0; j < n; j++) c[i * n + j] += a[i * k + p] * b[p * n + j];
    }
}

static void softmax_rows(const float *restrict x, float *restrict y, int n, int m) {
    for (int i = 0; i < n; i++) {
        float largest = -INFINITY;
        for (int j = 0; j < m; j++) largest = largest > x[i * m + j] ? largest : x[i * m + j];
        float sum = 0;
        for (int j = 0; j < m; j++) y[i * m + j] = expf(x[i * m + j] - largest);
        for (int j = 0; j < m; j++) sum += y[i * m + j];
        for (int j = 0; j < m; j++) y[i * m + j] = y[i * m + j] / sum;
    }
}

TWIN(softmax) { softmax_rows(args->data[0], args->data[1], args->n[0][0], args->n[0][1]); }

TWIN(layer_norm) {
    const float *restrict a = args->data[0], *restrict gamma = args->data[1], *restrict beta = args->data[2];
    float *restrict y = args->data[3];
    int n = args->n[0][0], d = args->n[0][1];
    for (int i = 0; i < n; i++) {
        float sum = 0, squares = 0;
        for (int j = 0; j < d; j++) {
            sum += a[i * d + j];
            squares += a[i * d + j] * a[i * d + j];
        }
        float mean = sum / (float)d, scale = 1 / sqrtf(squares / (float)d - mean * mean + 1e-5f);
        for (int j = 0; j < d; j++) y[i * d + j] = (a[i * d + j] - mean) * scale * gamma[j] + beta[j];
    }
}

/* One pixel of zeros around images of h * w * c. */
static void pad(const float *restrict x, float *restrict padded, int n, int h, int w, int c) {
    memset(padded, 0, (size_t)n * (size_t)(h + 2) * (size_t)(w + 2) * (size_t)c * sizeof(float));
    for (int b = 0; b < n; b++)
        for (int i = 0; i < h; i++)
            memcpy(padded + ((b * (h + 2) + i + 1) * (w + 2) + 1) * c, x + (b * h + i) * w * c,
                   (size_t)w * (size_t)c * sizeof(float));
}

TWIN(conv2d_nhwc) {
    const float *restrict weight = args->data[1];
    float *restrict y = args->data[2];
    const int *s = args->n[0];
    int n = s[0], h = s[1], w = s[2], ci = s[3], co = args->n[1][3];
    pad(args->data[0], scratch, n, h, w, ci);
    for (int b = 0; b < n; b++)
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++)
                for (int f = 0; f < co; f++) {
                    float sum = 0;
                    for (int r = 0; r < 3; r++)
                        for (int q = 0; q < 3; q++)
                            for (int c = 0; c < ci; c++)
                                sum += scratch[((b * (h + 2) + i + r) * (w + 2) + j + q) * ci + c] *
                                       weight[((r * 3 + q) * ci + c) * co + f];
                    y[((b * h + i) * w + j) * co + f] = sum;
                }
}

TWIN(depthwise_nhwc) {
    const float *restrict weight = args->data[1];
    float *restrict y = args->data[2];
    const int *s = args->n[0];
    int n = s[0], h = s[1], w = s[2], channels = s[3];
    pad(args->data[0], scratch, n, h, w, channels);
    for (int b = 0; b < n; b++)
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++)
                for (int c = 0; c < channels; c++) {
                    float sum = 0;
                    for (int r = 0; r < 3; r++)
                        for (int q = 0; q < 3; q++)
                            sum += scratch[((b * (h + 2) + i + r) * (w + 2) + j + q) * channels + c] *
                                   weight[(r * 3 + q) * channels + c];
                    y[((b * h + i) * w + j) * channels + c] = sum;
                }
}

TWIN(jacobi) {
    float *restrict u = args->data[0], *restrict v = scratch;
    int h = args->n[0][0], w = args->n[0][1], steps = (int)args->scalar[1];
    for (int s = 0; s < steps; s++) {
        for (int i = 1; i < h - 1; i++)
            for (int j = 1; j < w - 1; j++)
                v[i * w + j] = (u[(i - 1) * w + j] + u[(i + 1) * w + j] + u[i * w + j - 1] + u[i * w + j + 1]) * 0.25f;
        for (int i = 1; i < h - 1; i++)
            for (int j = 1; j < w - 1; j++) u[i * w + j] = v[i * w + j];
    }
}

TWIN(transpose) {
    const float *restrict a = args->data[0];
    float *restrict b = args->data[1];
    int n = args->n[0][0], m = args->n[0][1];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) b[i * n + j] = a[j * m + i];
}

TWIN(cumsum) {
    const float *restrict a = args->data[0];
    float *restrict b = args->data[1];
    int n = args->n[0][0];
    for (int i = 0; i < n; i++) b[i] = i == 0 ? a[0] : b[i - 1] + a[i];
}

TWIN(histogram_u8) {
    const uint8_t *restrict pixels = args->data[0];
    int32_t *restrict counts = args->data[1];
    int h = args->n[0][0], w = args->n[0][1];
    for (int i = 0; i < 256; i++) counts[i] = 0;
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) counts[pixels[i * w + j]] += 1;
}

TWIN(argmax) {
    const float *restrict a = args->data[0];
    int32_t *restrict where = args->data[1];
    int n = args->n[0][0], m = args->n[0][1];
    for (int i = 0; i < n; i++) {
        int best = 0;
        for (int j = 1; j < m; j++)
            if (a[i * m + j] > a[i * m + best]) best = j;
        where[i] = best;
    }
}

TWIN(embedding) {
    const float *restrict table = args->data[0];
    const int32_t *restrict ids = args->data[1];
    float *restrict out = args->data[2];
    int n = args->n[1][0], d = args->n[0][1];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++) out[i * d + j] = table[ids[i] * d + j];
}

TWIN(mandelbrot) {
    int32_t *restrict count = args->data[0];
    int h = args->n[0][0], w = args->n[0][1], limit = (int)args->scalar[4];
    float left = (float)args->scalar[1], top = (float)args->scalar[2], step = (float)args->scalar[3];
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
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

TWIN(insertion_sort) {
    float *a = args->data[0];
    int n = args->n[0][0];
    for (int i = 1; i < n; i++) {
        float key = a[i];
        int j = i - 1;
        for (; j >= 0 && a[j] > key; j--) a[j + 1] = a[j];
        a[j + 1] = key;
    }
}

TWIN(leaky_relu) {
    const float *restrict x = args->data[0];
    float alpha = (float)args->scalar[1], *restrict y = args->data[2];
    int n = args->n[0][0];
    for (int i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : alpha * x[i];
}

TWIN(sobel_u8) {
    const uint8_t *restrict a = args->data[0];
    uint8_t *restrict b = args->data[1];
    int h = args->n[1][0], w = args->n[1][1], row = args->n[0][1];
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            const uint8_t *p = a + i * row + j, *q = p + row, *r = q + row;
            int gx = p[2] + 2 * q[2] + r[2] - p[0] - 2 * q[0] - r[0];
            int gy = r[0] + 2 * r[1] + r[2] - p[0] - 2 * p[1] - p[2];
            int g = abs(gx) + abs(gy);
            b[i * w + j] = (uint8_t)(g < 255 ? g : 255);
        }
}

TWIN(floyd_warshall) {
    float *d = args->data[0];
    int n = args->n[0][0];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                float way = d[i * n + k] + d[k * n + j];
                d[i * n + j] = d[i * n + j] < way ? d[i * n + j] : way;
            }
}

TWIN(fft) {
    double *restrict re = args->data[0], *restrict im = args->data[1];
    int n = args->n[0][0];
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j |= bit;
        if (i >= j) continue;
        double held_re = re[i], held_im = im[i];
        re[i] = re[j], im[i] = im[j];
        re[j] = held_re, im[j] = held_im;
    }
    for (int half = 1; half < n; half *= 2)
        for (int block = 0; block < n / (half * 2); block++)
            for (int k = 0; k < half; k++) {
                double turn = (double)k / (double)half * -3.141592653589793, c = cos(turn), s = sin(turn);
                int a = block * half * 2 + k, b = a + half;
                double t_re = re[b] * c - im[b] * s, t_im = re[b] * s + im[b] * c;
                re[b] = re[a] - t_re, im[b] = im[a] - t_im;
                re[a] = re[a] + t_re, im[a] = im[a] + t_im;
            }
}

static void dense(const float *restrict x, const float *restrict w, const float *restrict b, float *restrict y, int n,
                  int k, int m) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float sum = 0;
            for (int p = 0; p < k; p++) sum += x[i * k + p] * w[p * m + j];
            y[i * m + j] = sum + b[j];
        }
}

TWIN(digits) {
    const uint8_t *restrict images = args->data[0];
    int32_t *restrict digit = args->data[6];
    int n = args->n[0][0], h = args->n[1][1];
    for (int i = 0; i < n * 64; i++) scratch[i] = (float)images[i] * 0.0625f;
    dense(scratch, args->data[1], args->data[2], scratch2, n, 64, h);
    for (int i = 0; i < n * h; i++) scratch2[i] = scratch2[i] > 0 ? scratch2[i] : 0;
    dense(scratch2, args->data[3], args->data[4], scratch3, n, h, 10);
    softmax_rows(scratch3, args->data[5], n, 10);
    for (int i = 0; i < n; i++) {
        int best = 0;
        for (int j = 1; j < 10; j++)
            if (scratch3[i * 10 + j] > scratch3[i * 10 + best]) best = j;
        digit[i] = best;
    }
}
