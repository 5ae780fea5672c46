/* How much goes by between two looks at whether to stop, told without a clock: programs ask themselves to stop, by
 * writing to the word that is looked at, and go on to write what must not be reached any more. */
#include <stdatomic.h>

#include "tests/unit/machine_harness.h"

enum { TEXT = 1 << 20, MOST_UNLOOKED = 2048, LONG_BODY = 3000 };

typedef struct text {
    char *at;
    size_t n;
} text;

static __attribute__((format(printf, 2, 3))) void put(text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    t->n += (size_t)vsnprintf(t->at + t->n, TEXT - t->n, format, arguments);
    va_end(arguments);
    assert_true(t->n < TEXT);
}

static void repeat(text *t, const char *line, unsigned times) {
    for (unsigned i = 0; i < times; i++) put(t, "%s", line);
}

/* Runs function 0 with a word to look at that is inside of what it writes. */
static tirb_status run_stopping(const harness *h, unsigned isa, const uint64_t *scalars, tirbi_ref *refs,
                                const atomic_uint *stop) {
    tirbi_heap heap;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_run run = {.code = h->codes[isa],
                     .heap = &heap,
                     .stop = stop,
                     .fuel = UINT64_MAX,
                     .max_depth = 10,
                     .host = tirbi_fpu_read()};
    tirb_error error = TIRB_ERROR_INIT;
    uint64_t result;
    return harness_execute(&run, scalars, refs, &result, &error);
}

/* A program that asks to stop through r0, and writes to r1 what must not be reached. */
static void expect_stop(const char *program, const char *what) {
    harness h;
    harness_open(&h, program);
    for (unsigned isa = 0; isa < h.n_isas; isa++) {
        atomic_uint stop = TIRBI_RUN;
        int64_t reached = 0, other[16] = {0};
        tirbi_ref refs[3] = {{.data = (uint8_t *)&stop, .size = 4, .type = TIRB_U32, .writable = true},
                             {.data = (uint8_t *)&reached, .size = 8, .type = TIRB_I64, .writable = true},
                             {.data = (uint8_t *)other, .size = sizeof other, .type = TIRB_I64, .writable = true}};
        const tirb_status status = run_stopping(&h, isa, NULL, refs, &stop);
        if (status != TIRB_CANCELLED || reached != 0)
            fail_msg("%s on %s: status %d, %s", what, tirb_isa_name(h.isas[isa]), (int)status,
                     reached ? "goes on" : "stopped");
    }
    harness_close(&h);
}

static const char scalar_head[] = ".function \"f\" public\n.scalars 8\n.ref u32 writable\n.ref i64 writable\n"
                                  ".ref i64 writable\n.ref i64\n.red f32 add\n"
                                  ".tensor \"stop\" u32 r0 read write (1)\n.tensor \"reached\" i64 r1 write (1)\n"
                                  ".tensor \"other\" i64 r2 read write (16)\n"
                                  "    const.i64 s1, 1\n    store.u32 r0, 0, s1\n";
static const char scalar_end[] = "    store.i64 r1, 0, s1\n    ret.void\n.end\n";

/* What an elementwise instruction looks like in scalar code or, with `lane`, in a lane loop's. */
static void name_of(char *line, size_t size, uint8_t op, uint8_t type, bool lane) {
    static const char *const operands[2][4] = {{"", "s1", "s1, s1", "s1, s1, s1"}, {"", "v1", "v1, v1", "v1, v1, v1"}};
    const bool converts = op == TIRB_OP_CAST || op == TIRB_OP_BITS;
    const char *source = op == TIRB_OP_CAST ? "f16" : tirbi_dtypes[type].name;
    snprintf(line, size, "    %s%s.%s %s, %s%s%s\n", lane ? "v" : "", tirbi_ops[op].mnemonic, tirbi_dtypes[type].name,
             lane ? "v2" : "s3", operands[lane][tirbi_ops[op].arity], converts ? ", " : "", converts ? source : "");
}

static void straight_code_looks(void **state) {
    (void)state;
    static const char *const others[] = {"    nop\n",
                                         "    const.i64 s3, 5\n",
                                         "    load.i64 s3, r2, 3\n",
                                         "    store.i64 r2, 3, s1\n",
                                         "    length s3, r2\n",
                                         "    meet s3, r2, r1\n",
                                         "    slice r3, r2, s1, s1\n",
                                         "    red.begin.f32 q0, s1\n",
                                         "    red.push.f32 q0, s1\n"};
    static const uint32_t weights[] = {1, 1, 4, 4, 1, 1, 4, 8, 4};
    char line[128];
    text t = {.at = malloc(TEXT)};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        t.n = 0;
        put(&t, "%s", scalar_head);
        repeat(&t, others[i], MOST_UNLOOKED / weights[i] + 8);
        put(&t, "%s", scalar_end);
        expect_stop(t.at, others[i]);
    }
    for (unsigned op = 0; op < TIRB_OP_LANE_FORM; op++) {
        for (uint8_t type = 0; type < TIRB_N_DTYPES; type++) {
            if (!(tirbi_ops[op].flags & TIRBI_FLAG_ELEMENTWISE) || !(tirbi_ops[op].types >> type & 1)) continue;
            name_of(line, sizeof line, (uint8_t)op, type, false);
            t.n = 0;
            put(&t, "%s", scalar_head);
            repeat(&t, line, MOST_UNLOOKED / tirbi_op_weight((tirbi_op)op, type, type) + 8);
            put(&t, "%s", scalar_end);
            expect_stop(t.at, line);
        }
    }
    free(t.at);
}

/* Where looks would stand by the text alone, jumps lead around them. */
static void jumps_lead_around_no_look(void **state) {
    (void)state;
    enum { RUN = 900, SKIPPED = 1200, TIMES = 6 };
    text t = {.at = malloc(TEXT)};
    t.n = 0;
    put(&t, "%s", scalar_head);
    for (unsigned i = 0; i < TIMES; i++) {
        repeat(&t, "    nop\n", RUN);
        put(&t, "    brif s1, on%u\n", i);
        repeat(&t, "    nop\n", SKIPPED);
        put(&t, "on%u:\n", i);
    }
    put(&t, "%s", scalar_end);
    expect_stop(t.at, "jumps");
    free(t.at);
}

static void bodies_of_lane_loops_look(void **state) {
    (void)state;
    char line[128];
    text t = {.at = malloc(TEXT)};
    for (unsigned op = 0; op < TIRB_OP_LANE_FORM; op++) {
        for (uint8_t type = 0; type < TIRB_N_DTYPES; type++) {
            if (!(tirbi_ops[op].flags & TIRBI_FLAG_ELEMENTWISE) || !(tirbi_ops[op].types >> type & 1)) continue;
            const uint32_t weight = tirbi_op_weight((tirbi_op)op, type, type);
            const uint8_t from = op == TIRB_OP_SELECT ? TIRB_BOOL : op == TIRB_OP_CAST ? TIRB_F16 : type;
            if (op == TIRB_OP_SELECT && type != TIRB_BOOL) continue; /* v1 cannot be both */
            name_of(line, sizeof line, (uint8_t)op, type, true);
            t.n = 0;
            put(&t,
                ".function \"f\" public\n.scalars 4\n.lanes 4\n.ref u32 writable\n.ref i64 writable\n"
                ".ref i64 writable\n.tensor \"stop\" u32 r0 read write (1)\n.tensor \"reached\" i64 r1 write (1)\n"
                ".tensor \"other\" i64 r2 read write (16)\n    const.i64 s1, 1\n    lane 1, done\n"
                "    .cursor r0 u32 write 0 0 1\n    .cursor r1 i64 write 0 0 1\n    vsplat.u32 v0, s1\n"
                "    vstore.u32 c0, v0\n    vsplat.%s v1, s1\n",
                tirbi_dtypes[from].name);
            repeat(&t, line, LONG_BODY / weight + 8);
            put(&t, "    vsplat.i64 v3, s1\n    vstore.i64 c1, v3\ndone:\n    lane.end\n    ret.void\n.end\n");
            expect_stop(t.at, line);
        }
    }
    free(t.at);
}

/* ---- Long instructions ----------------------------------------------------------------------------------------- */

/* What is written holds the word to look at, among its first elements; no more than MOST bytes are written then. */
typedef struct long_one {
    const char *name, *body;
    uint8_t type; /* of what is written */
} long_one;

static const long_one long_ones[] = {
    {"copy",
     "lane s0, done\n.cursor r0 u32 read 0 0 1\n.cursor r1 u32 write 0 0 1\nvload.u32 v0, c0\nvstore.u32 c1, v0\n"
     "done:\nlane.end\n",
     TIRB_U32},
    {"copy apart",
     "lane s2, done\n.cursor r0 u32 read 0 0 17\n.cursor r1 u32 write 0 0 16\nvload.u32 v0, c0\n"
     "vstore.u32 c1, v0\ndone:\nlane.end\n",
     TIRB_U32},
    {"transpose",
     "lane 1000, done\n.inner 1000\n.cursor r0 u32 read 1 0 1000 1\n.cursor r1 u32 write 1 0 1 1000\n"
     "inner l0\nvload.u32 v0, c0\nvstore.u32 c1, v0\ninner.end l0\ndone:\nlane.end\n",
     TIRB_U32},
    {"fill", "lane s0, done\n.cursor r1 u32 write 0 0 1\nvsplat.u32 v0, s1\nvstore.u32 c0, v0\ndone:\nlane.end\n",
     TIRB_U32},
    {"sum",
     "lane s0, done\n.cursor r0 u32 read 0 0 1\n.cursor r1 u32 write 0 0 1\nvload.u32 v0, c0\nvadd.u32 v0, v0, v0\n"
     "vstore.u32 c1, v0\ndone:\nlane.end\n",
     TIRB_U32},
    {"division",
     "lane s0, done\n.cursor r0 u32 read 0 0 1\n.cursor r1 u32 write 0 0 1\nvload.u32 v0, c0\n"
     "vdiv.u32 v0, v0, v0\nvstore.u32 c1, v0\ndone:\nlane.end\n",
     TIRB_U32},
    {"prefix",
     "lane s0, done\n.cursor r0 u32 read 0 0 1\n.cursor r1 u32 write 0 0 1\nvload.u32 v0, c0\n"
     "vscan.u32 v0, s3, v0, 0\nvstore.u32 c1, v0\ndone:\nlane.end\n",
     TIRB_U32},
    {"rows", "fold.i32 0, 0, (s2 16), r1 i32 0 (1 0), r0 i32 0 (0 1), r0 i32 0 (0 1)\n", TIRB_I32},
    {"rows of elements apart", "fold.i32 0, 0, (s2 16), r1 i32 0 (1 0), r0 i32 0 (16 1000), r0 i32 0 (16 1000)\n",
     TIRB_I32},
    {"rows of floats", "fold.f32 0, 0, (s2 16), r1 f32 0 (1 0), r0 f32 0 (0 1), r0 f32 0 (0 1)\n", TIRB_F32},
    {"product", "contract.i32 0, 0, (1000 900 4), r1 i32 0 (1000 1 0), r0 i32 0 (4 0 1), r0 i32 0 (0 1 1000)\n",
     TIRB_I32},
    {"product of floats",
     "contract.f32 1, 0, (1000 900 64), r1 f32 0 (1000 1 0), r0 f32 0 (64 0 1), "
     "r0 f32 0 (0 1 1000)\n",
     TIRB_F32},
};

static void long_instructions_look(void **state) {
    (void)state;
    enum { N = 1000000, AT = 16, MOST = 1 << 18 };
    uint32_t *const from = malloc(N * 2 * 4), *const to = malloc(N * 4);
    for (unsigned k = 0; k < sizeof long_ones / sizeof *long_ones; k++) {
        const long_one *one = &long_ones[k];
        const char *type = tirbi_dtypes[one->type].name;
        char program[2048];
        snprintf(program, sizeof program,
                 ".function \"f\" public\n.scalars 4\n.lanes 1\n.ref %s\n.ref %s writable\n.scalar \"n\" i64 s0\n"
                 ".tensor \"from\" %s r0 read (2000000)\n.tensor \"to\" %s r1 read write (1000000)\n"
                 "const.i64 s1, 1\nconst.i64 s2, 60000\n%sret.void\n.end\n",
                 type, type, type, type, one->body);
        harness h;
        harness_open(&h, program);
        for (unsigned isa = 0; isa < h.n_isas; isa++) {
            for (unsigned i = 0; i < 2 * N; i++) from[i] = one->type == TIRB_F32 ? UINT32_C(0x3F800000) : 1;
            memset(to, 0, N * 4);
            tirbi_ref refs[2] = {{.data = (uint8_t *)from, .size = N * 8, .type = one->type},
                                 {.data = (uint8_t *)to, .size = N * 4, .type = one->type, .writable = true}};
            const atomic_uint *stop = (const atomic_uint *)(const void *)&to[AT];
            const uint64_t n = N;
            (void)run_stopping(&h, isa, &n, refs, stop); /* what is written need not be a reason */
            size_t written = 0;
            for (size_t i = 0; i < N; i++) written += to[i] != 0;
            if (written <= AT || written > MOST / sizeof *to)
                fail_msg("%s on %s: %zu elements written", one->name, tirb_isa_name(h.isas[isa]), written);
        }
        harness_close(&h);
    }
    free(from);
    free(to);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_code_looks),
        cmocka_unit_test(jumps_lead_around_no_look),
        cmocka_unit_test(bodies_of_lane_loops_look),
        cmocka_unit_test(long_instructions_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
