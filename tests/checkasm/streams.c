/* Streams (vm/lanes/streams.inc) beside what the generic kernels of their operations give one after the other. */
#include "tests/checkasm/checkasm.h"

#include <stdio.h>
#include <string.h>

typedef struct stream_trial {
    tirb_isa isa;
    tirbi_dtype type;
    const char *name;
    tirbi_kernel kernel;
    uint8_t op, then; /* instructions; then: 0, or what is done to the result, with itself if `square` */
    bool from, square, fused;
    bool is_scalar[2]; /* y and z */
} stream_trial;

enum { N = 128, N_TRIALS = 12 };

static const uint8_t ops[TIRBI_N_STREAM_OPS] = {
    [TIRBI_STREAM_ADD] = TIRB_OP_ADD, [TIRBI_STREAM_SUB] = TIRB_OP_SUB, [TIRBI_STREAM_MUL] = TIRB_OP_MUL,
    [TIRBI_STREAM_MIN] = TIRB_OP_MIN, [TIRBI_STREAM_MAX] = TIRB_OP_MAX, [TIRBI_STREAM_FROM] = TIRB_OP_SUB,
    [TIRBI_STREAM_AND] = TIRB_OP_AND, [TIRBI_STREAM_OR] = TIRB_OP_OR,   [TIRBI_STREAM_XOR] = TIRB_OP_XOR,
    [TIRBI_STREAM_SHL] = TIRB_OP_SHL, [TIRBI_STREAM_SHR] = TIRB_OP_SHR};
static const uint8_t fused_ops[TIRBI_N_STREAM_FUSED] = {TIRB_OP_FMA, TIRB_OP_FMS, TIRB_OP_FNMA};

static tirbi_kernel generic(uint8_t op, tirbi_dtype type) {
    return tirbi_kernels(TIRB_ISA_GENERIC)->op[op - TIRBI_FIRST_ELEMENTWISE][type];
}

/* What the stream should give, of operands with an element for each lane. */
static void expect(const stream_trial *t, const uint8_t *x, const uint8_t *y, const uint8_t *z, uint8_t *want) {
    if (t->fused)
        generic(t->op, t->type)(want, x, y, z, N);
    else
        generic(t->op, t->type)(want, t->from ? y : x, t->from ? x : y, NULL, N);
    if (t->then != 0) generic(t->then, t->type)(want, want, t->square ? want : z, NULL, N);
    if (tirbi_dtype_is_float(t->type))
        tirbi_kernels(TIRB_ISA_GENERIC)->cast[t->type][t->type](want, want, NULL, NULL, N);
}

static void try_stream(checker *c, const stream_trial *t, bool in_place) {
    static uint8_t want[N * 8], splat[3][N * 8];
    const size_t size = tirbi_dtypes[t->type].size;
    uint8_t *start[3];
    for (unsigned k = 0; k < 3; k++) {
        const bool is_scalar = k > 0 && t->is_scalar[k - 1];
        start[k] = place(&c->areas[k], size, is_scalar ? 1 : N, 3 * k);
        for (size_t i = 0; i < (is_scalar ? 1 : N); i++) put_any(c, start[k] + i * size, t->type);
        for (size_t i = 0; i < N; i++) memcpy(splat[k] + i * size, start[k] + (is_scalar ? 0 : i * size), size);
    }
    uint8_t *const got = in_place ? start[0] : place(&c->areas[3], size, N, 5);
    expect(t, splat[0], splat[1], splat[2], want);
    t->kernel(got, start[0], start[1], start[2], N);
    if (memcmp(got, want, N * size) == 0 && untouched(got, N * size, in_place ? 0 : 5)) return;
    printf("FAIL %s stream %s.%s, then %u, scalars %u %u\n", tirb_isa_name(t->isa), t->name,
           tirbi_dtypes[t->type].name, t->then, t->is_scalar[0], t->is_scalar[1]);
    c->failures++;
}

static unsigned try_streams(checker *c, const stream_trial *t) {
    const unsigned failures = c->failures;
    if (!t->kernel) return 0;
    for (unsigned i = 0; i < N_TRIALS && c->failures == failures; i++) try_stream(c, t, i % 2 == 1);
    return 1;
}

unsigned check_streams(checker *c, tirb_isa isa) {
    const tirbi_streams *streams = &tirbi_kernels(isa)->streams;
    unsigned n = 0;
    for (unsigned type = 0; type < TIRB_N_DTYPES; type++) {
        stream_trial t = {.isa = isa, .type = (tirbi_dtype)type};
        for (unsigned scalars = 0; scalars < 4; scalars++) {
            const unsigned y = scalars & 1, z = scalars >> 1;
            t.is_scalar[0] = y;
            t.is_scalar[1] = z;
            t.fused = true;
            t.then = 0;
            t.from = t.square = false;
            for (unsigned op = 0; op < TIRBI_N_STREAM_FUSED; op++) {
                t.name = "fused";
                t.op = fused_ops[op];
                t.kernel = streams->fused[type][op][y][z];
                n += try_streams(c, &t);
            }
            t.fused = false;
            for (unsigned op = 0; op < TIRBI_N_STREAM_OPS; op++) {
                t.name = "one";
                t.op = ops[op];
                t.then = 0;
                t.from = op == TIRBI_STREAM_FROM;
                t.square = false;
                t.kernel = z == 0 ? streams->one[type][op][y] : NULL;
                n += try_streams(c, &t);
                for (unsigned then = 0; op < TIRBI_STREAM_PAIRS && then <= TIRBI_STREAM_SQUARE; then++) {
                    t.name = "two";
                    t.square = then == TIRBI_STREAM_SQUARE;
                    t.then = t.square ? (uint8_t)TIRB_OP_MUL : ops[then];
                    t.kernel = streams->two[type][op][y][then][z];
                    n += try_streams(c, &t);
                }
            }
        }
    }
    return n;
}
