/* How much goes by between two looks at whether to stop, told without a clock: programs ask themselves to stop, by
 * writing to the word that is looked at, and go on to write what must not be reached any more. */
#include <stdatomic.h>

#include "tests/unit/machine_harness.h"
#include "vm/limits/steps.h"

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
static tirb_status run_counting(const harness *h, unsigned isa, const uint64_t *scalars, tirbi_ref *refs,
                                const atomic_uint *stop, uint64_t *fuel_used) {
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
    const tirb_status status = harness_execute(&run, scalars, refs, &result, &error);
    *fuel_used = run.fuel_used;
    return status;
}

static tirb_status run_stopping(const harness *h, unsigned isa, const uint64_t *scalars, tirbi_ref *refs,
                                const atomic_uint *stop) {
    uint64_t fuel_used;
    return run_counting(h, isa, scalars, refs, stop, &fuel_used);
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

/* Behind a call code may do nothing but return, from however many frames there are. */
static void returns_look(void **state) {
    (void)state;
    static const char *const ends[][2] = {{"", "    ret.void\n"}, {" returns i64", "    ret.i64 s0\n"}};
    text t = {.at = malloc(TEXT)};
    for (unsigned i = 0; i < 2; i++) {
        t.n = 0;
        put(&t,
            ".function \"f\" public\n.scalars 4\n.ref u32 writable\n.ref i64 writable\n.ref i64 writable\n"
            ".tensor \"stop\" u32 r0 read write (1)\n.tensor \"reached\" i64 r1 write (1)\n"
            ".tensor \"other\" i64 r2 read write (16)\n    const.i64 s1, 1\n    call \"ask\", s3, (s1) (r0)\n%s"
            ".function \"ask\"%s\n.scalars 1\n.ref u32 writable\n.scalar \"n\" i64 s0\n"
            ".tensor \"stop\" u32 r0 write ()\n    store.u32 r0, 0, s0\n%s.end\n",
            scalar_end, ends[i][0], ends[i][1]);
        expect_stop(t.at, "returns");
    }
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
    {"rows by number",
     "const.i64 s3, 16\nlane s3, done\n.inner s2\n.cursor r0 u32 read 1 0 1 0\n.cursor r0 u32 read 1 0 0 1\n"
     ".cursor r1 u32 write 1 0 1 16\ninner l0\nseek.u32 c0, c1, 1, s0\nvload.u32 v0, c0\nvstore.u32 c2, v0\n"
     "inner.end l0\ndone:\nlane.end\n",
     TIRB_U32},
    {"elements by number",
     "lane 1, done\n.inner s0\n.cursor r0 u32 read 1 0 1 0\n.cursor r0 u32 read 1 0 0 1\n"
     ".cursor r1 u32 write 1 0 1 1\ninner l0\nseek.u32 c0, c1, 1, s0\nvload.u32 v0, c0\nvstore.u32 c2, v0\n"
     "inner.end l0\ndone:\nlane.end\n",
     TIRB_U32},
    {"sums of rows by number",
     "const.i64 s3, 16\nlane s3, done\n.inner s2\n.cursor r0 u32 read 1 0 1 0\n.cursor r0 u32 read 1 0 0 1\n"
     ".cursor r1 u32 readwrite 1 0 1 16\ninner l0\nseek.u32 c0, c1, 1, s0\nvload.u32 v0, c0\nvload.u32 v1, c2\n"
     "vadd.u32 v0, v0, v1\nvstore.u32 c2, v0\ninner.end l0\ndone:\nlane.end\n",
     TIRB_U32},
    {"loops of lanes",
     "lane s0, done\n.cursor r0 u32 read 0 0 1\n.cursor r1 u32 write 0 0 1\nvload.u32 v0, c0\nvload.u32 v1, c0\n"
     "vloop\nvadd.u32 v1, v1, v0\nvlt.u32 v2, v1, v0\nvwhile.bool v2\nvagain\nvstore.u32 c1, v0\ndone:\nlane.end\n",
     TIRB_U32},
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
                 ".function \"f\" public\n.scalars 4\n.lanes 3\n.ref %s\n.ref %s writable\n.scalar \"n\" i64 s0\n"
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

/* A loop that looks for a lane charges as it goes. */
static void searches_look(void **state) {
    (void)state;
    enum { N = 1000000, MOST = 1 << 13 };
    static const char program[] =
        ".function \"f\" public\n.scalars 3\n.lanes 2\n.ref u32 writable\n.ref u32\n.scalar \"n\" i64 s0\n"
        ".tensor \"stop\" u32 r0 write (1)\n.tensor \"from\" u32 r1 read (1000000)\nconst.i64 s1, 1\n"
        "store.u32 r0, 0, s1\nlane s0, done\n.cursor r1 u32 read 0 0 1\nvload.u32 v0, c0\nvsplat.u32 v1, s1\n"
        "vgt.u32 v0, v0, v1\nvfind.bool s2, v0\ndone:\nlane.end\nret.void\n.end\n";
    uint32_t *from = calloc(N, sizeof *from);
    harness h;
    harness_open(&h, program);
    for (unsigned isa = 0; isa < h.n_isas; isa++) {
        atomic_uint stop = TIRBI_RUN;
        tirbi_ref refs[2] = {{.data = (uint8_t *)&stop, .size = 4, .type = TIRB_U32, .writable = true},
                             {.data = (uint8_t *)from, .size = N * 4, .type = TIRB_U32}};
        const uint64_t n = N;
        uint64_t fuel = 0;
        assert_int_equal(run_counting(&h, isa, &n, refs, &stop, &fuel), TIRB_CANCELLED);
        if (fuel > MOST) fail_msg("%s: %llu units", tirb_isa_name(h.isas[isa]), (unsigned long long)fuel);
    }
    harness_close(&h);
    free(from);
}

/* Between two rows that a loop does at once, in the function and in a chunk of it: row 50 of 4,000 asks. */
static void rows_look(void **state) {
    (void)state;
    enum { N = 4000, ASKS = 50, MOST = 1 };
    static const char rows[] = ".function \"%s\" %s\n.scalars 8\n.lanes 2\n.ref u32 writable\n.ref u32 writable\n.ref u32\n"
                               ".scalar \"b\" i64 s0\n.scalar \"e\" i64 s1\n"
                               ".tensor \"stop\" u32 r0 read write %s\n.tensor \"done\" u32 r1 read write %s\n"
                               ".tensor \"asks\" u32 r2 read %s\n    const.i64 s2, 1\n"
                               "again:\n    load.u32 s3, r2, s0\n    store.u32 r0, s0, s3\n    lane s2, at\n"
                               "    .cursor r1 u32 readwrite 0 s0 1\n    vload.u32 v0, c0\n    vsplat.u32 v1, s2\n"
                               "    vadd.u32 v0, v0, v1\n    vstore.u32 c0, v0\nat:\n    lane.end\n"
                               "    loop s0, s1, again\n    ret.void\n.end\n";
    for (unsigned chunk = 0; chunk < 2; chunk++) {
        text t = {.at = malloc(TEXT)};
        if (chunk)
            put(&t, ".function \"f\" public\n.scalars 2\n.ref u32 writable\n.ref u32 writable\n.ref u32\n"
                    ".scalar \"b\" i64 s0\n.scalar \"e\" i64 s1\n"
                    ".tensor \"stop\" u32 r0 read write (4000)\n.tensor \"done\" u32 r1 read write (4000)\n"
                    ".tensor \"asks\" u32 r2 read (4000)\n"
                    "    fork \"rows\", s1, 4000, () (r0 part 0 1 1, r1 part 0 1 1, r2)\n    ret.void\n.end\n");
        put(&t, rows, chunk ? "rows" : "f", chunk ? "region" : "public", chunk ? "()" : "(4000)", chunk ? "()" : "(4000)",
            chunk ? "()" : "(4000)");
        harness h;
        harness_open(&h, t.at);
        for (unsigned isa = 0; isa < h.n_isas; isa++) {
            static uint32_t asks[N], done[N];
            static atomic_uint stops[N];
            memset(done, 0, sizeof done);
            memset(stops, 0, sizeof stops);
            for (unsigned i = ASKS; i < N; i++) asks[i] = TIRBI_STOP_CANCEL;
            tirbi_ref refs[3] = {{.data = (uint8_t *)stops, .size = sizeof stops, .type = TIRB_U32, .writable = true},
                                 {.data = (uint8_t *)done, .size = sizeof done, .type = TIRB_U32, .writable = true},
                                 {.data = (uint8_t *)asks, .size = sizeof asks, .type = TIRB_U32}};
            const uint64_t ends[2] = {0, N};
            assert_int_equal(run_stopping(&h, isa, ends, refs, &stops[ASKS]), TIRB_CANCELLED);
            unsigned late = 0;
            for (unsigned i = ASKS + 1; i < N; i++) late += done[i];
            if (late > MOST) fail_msg("%s: %u rows%s", tirb_isa_name(h.isas[isa]), late, chunk ? " of a chunk" : "");
        }
        harness_close(&h);
        free(t.at);
    }
}

/* Each chunk of those that run in order. */
static void chunks_look(void **state) {
    (void)state;
    expect_stop(".function \"f\" public\n.scalars 1\n.ref u32 writable\n.ref i64 writable\n.ref i64 writable\n"
                ".tensor \"stop\" u32 r0 read write (1)\n.tensor \"reached\" i64 r1 write (1)\n"
                ".tensor \"other\" i64 r2 read write (16)\n    const.i64 s0, 1\n"
                "    fork \"stops\", s0, 1, () (r0 part 0 1 1)\n    fork \"reaches\", s0, 1, () (r1 part 0 1 1)\n"
                "    ret.void\n.end\n"
                ".function \"stops\" region\n.scalars 3\n.ref u32 writable\n.scalar \"b\" i64 s0\n"
                ".scalar \"e\" i64 s1\n.tensor \"d\" u32 r0 write ()\n    store.u32 r0, s0, s1\n    ret.void\n.end\n"
                ".function \"reaches\" region\n.scalars 3\n.ref i64 writable\n.scalar \"b\" i64 s0\n"
                ".scalar \"e\" i64 s1\n.tensor \"d\" i64 r0 write ()\n    store.i64 r0, s0, s1\n    ret.void\n.end\n",
                "chunks");
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

/* An allocator that asks to stop when it is given something back, and counts what it is given after that. */
typedef struct giving {
    atomic_uint stop;
    bool armed;
    unsigned late;
} giving;

static void *reallocate(void *context, void *ptr, size_t old_size, size_t new_size) {
    giving *g = context;
    (void)old_size;
    if (new_size > 0) return realloc(ptr, new_size);
    free(ptr);
    g->late += atomic_load(&g->stop) != TIRBI_RUN;
    if (g->armed) atomic_store(&g->stop, TIRBI_STOP_CANCEL);
    return NULL;
}

typedef struct instance {
    harness h;
    giving memory;
    tirbi_heap heap;
    tirbi_store store;
    tirbi_spares spares;
    tirbi_run run;
} instance;

enum { DEEP = 2000 };

/* f(n, size) goes n deep, with an allocation in each frame, makes a buffer of `size` elements behind that if it is
 * asked to, and writes to the word that is looked at at the bottom if that is given. */
static const char deep[] =
    ".function \"f\" public returns i64\n.scalars 4\n.ref u32 writable\n.ref u32 writable\n.scalar \"n\" i64 s0\n"
    ".scalar \"size\" i64 s1\n.scalar \"stop\" i64 s2\n.tensor \"word\" u32 r0 write (1)\n"
    "    call \"down\", s3, (s0 s2) (r0)\n    alloc.u32 r1, s1\n    ret.i64 s3\n.end\n"
    ".function \"down\" returns i64\n.scalars 600\n.ref u32 writable\n.ref u32 writable\n.scalar \"n\" i64 s0\n"
    ".scalar \"stop\" i64 s2\n.tensor \"word\" u32 r0 write (1)\n    const.i64 s1, 1\n    alloc.u32 r1, s1\n"
    "    lt.i64 s3, s0, s1\n    brif s3, done\n    sub.i64 s0, s0, s1\n    call \"down\", s3, (s0 s2) (r0)\n"
    "    ret.i64 s3\ndone:\n    brnot s2, go\n    const.i64 s1, 0\n    store.u32 r0, s1, s2\ngo:\n"
    "    call \"looks\", s3, () ()\n    ret.i64 s3\n.end\n"
    ".function \"looks\" returns i64\n.scalars 1\n    ret.i64 s0\n.end\n";

static void open_instance(instance *i, uint64_t limit) {
    memset(i, 0, sizeof *i);
    harness_open(&i->h, deep);
    const tirb_allocator allocator = {reallocate, &i->memory};
    tirbi_heap_init(&i->heap, &allocator, limit);
    tirbi_store_init(&i->store, &i->heap.allocator, limit, &i->spares, 1);
    i->heap.keeper = &i->spares.keeper;
    i->run = (tirbi_run){.code = i->h.codes[0],
                         .heap = &i->heap,
                         .stop = &i->memory.stop,
                         .fuel = UINT64_MAX,
                         .max_depth = DEEP + 10,
                         .store = &i->store,
                         .host = tirbi_fpu_read()};
}

static void close_instance(instance *i) {
    tirbi_store_trim(&i->store);
    assert_int_equal(i->spares.held, 0);
    harness_close(&i->h);
}

static tirb_status run_deep(instance *i, uint64_t n, uint64_t size, bool stops) {
    tirb_error error = TIRB_ERROR_INIT;
    uint64_t result;
    const uint64_t scalars[3] = {n, size, stops ? TIRBI_STOP_CANCEL : 0};
    const tirbi_ref word = {.data = (uint8_t *)&i->memory.stop, .size = 4, .type = TIRB_U32, .writable = true};
    atomic_store(&i->memory.stop, TIRBI_RUN);
    i->memory.late = 0;
    const tirb_status status = tirbi_execute(&i->run, 0, scalars, &word, &result, &error);
    assert_int_equal(i->heap.used, 0);
    return status;
}

static unsigned n_left(const instance *i) {
    unsigned n = 0;
    for (const tirbi_block *block = i->spares.left; block; block = block->older) n++;
    return n;
}

/* A run that is stopped leaves its frames, and what they have allocated, as they are: the next one sorts them. */
static void frames_are_left_at_once(void **state) {
    (void)state;
    instance i;
    open_instance(&i, UINT64_C(1) << 30);
    assert_int_equal(run_deep(&i, DEEP, 4, true), TIRB_CANCELLED);
    assert_int_equal(i.memory.late, 0);
    assert_true(n_left(&i) > DEEP && i.spares.n_idle < 2);
    assert_int_equal(run_deep(&i, 3, 4, false), TIRB_OK);
    assert_true(n_left(&i) < 20 && i.spares.n_idle > DEEP);
    close_instance(&i);
}

/* What is asked to stop while it makes room gives back no more. */
static void making_room_looks(void **state) {
    (void)state;
    enum { LIMIT = 32 << 20 };
    instance i;
    open_instance(&i, LIMIT);
    assert_int_equal(run_deep(&i, DEEP, 4, false), TIRB_OK);
    i.memory.armed = true;
    assert_int_equal(run_deep(&i, 3, (LIMIT - (1 << 16)) / 4, false), TIRB_CANCELLED);
    assert_int_equal(i.memory.late, 0);
    i.memory.armed = false;
    assert_int_equal(run_deep(&i, 3, (LIMIT - (1 << 16)) / 4, false), TIRB_OK);
    close_instance(&i);
}

/* Nor does what gives back blocks that many runs have not taken. */
static void sweeping_looks(void **state) {
    (void)state;
    enum { RUNS = 1000 };
    instance i;
    open_instance(&i, UINT64_C(1) << 30);
    assert_int_equal(run_deep(&i, DEEP, 4, false), TIRB_OK);
    i.memory.armed = true;
    unsigned n = 0;
    while (atomic_load(&i.memory.stop) == TIRBI_RUN && n++ < RUNS) assert_int_equal(run_deep(&i, 3, 4, false), TIRB_OK);
    assert_int_equal(atomic_load(&i.memory.stop), TIRBI_STOP_CANCEL);
    assert_int_equal(i.memory.late, 0);
    assert_true(i.spares.n_idle > DEEP / 2);
    i.memory.armed = false;
    close_instance(&i);
}

/* Memory that is cleared or moved holds the word to look at, among what is written first. */
static void writing_looks(void **state) {
    (void)state;
    enum { SIZE = 1 << 20, N = SIZE / sizeof(uint32_t), MOST = (1 << 15) / sizeof(uint32_t), GAP = 40 };
    uint32_t *const all = malloc(SIZE + GAP * sizeof *all);
    for (int backwards = 0; backwards < 2; backwards++) {
        uint32_t *const from = all + (backwards ? 0 : GAP), *const to = all + (backwards ? GAP : 0);
        const atomic_uint *stop = (const atomic_uint *)(const void *)(to + (backwards ? N - 1 : 0));
        for (uint32_t i = 0; i < N + GAP; i++) all[i] = 0;
        for (uint32_t i = 0; i < N; i++) from[i] = i + 1;
        *(uint32_t *)(uintptr_t)stop = 0; /* which may be of what is moved, behind what is written first */
        assert_false(tirbi_move_in_steps((uint8_t *)to, (const uint8_t *)from, SIZE, stop));
        size_t written = 0;
        for (uint32_t i = 0; i < N; i++) written += to[i] == i + 1;
        assert_true(written > 0 && written <= MOST);
        for (uint32_t i = 0; i < N; i++) from[i] = i + 1;
        assert_true(tirbi_move_in_steps((uint8_t *)to, (const uint8_t *)from, SIZE, NULL));
        for (uint32_t i = 0; i < N; i++) assert_int_equal(to[i], i + 1);
    }
    atomic_uint stop = TIRBI_RUN;
    memset(all, 1, SIZE);
    assert_true(tirbi_clear_in_steps((uint8_t *)all, SIZE - 1, &stop));
    for (uint32_t i = 0; i < N - 1; i++) assert_int_equal(all[i], 0);
    assert_true(all[N - 1] != 0);
    atomic_store(&stop, TIRBI_STOP_CANCEL);
    memset(all, 1, SIZE);
    assert_false(tirbi_clear_in_steps((uint8_t *)all, SIZE, &stop));
    assert_int_equal(all[0], 0x01010101);
    free(all);
}

/* The C library's memory goes back to the system before it is freed, unless something stops that. */
static void pages_go_back_in_steps(void **state) {
    (void)state;
    enum { SIZE = 16 << 20, INSIDE = 1 << 20 };
    tirbi_heap heap;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    const tirb_allocator other = {reallocate, NULL};
    atomic_uint stop = TIRBI_STOP_CANCEL;
    uint8_t *memory = tirbi_heap_alloc(&heap, SIZE);
    assert_non_null(memory);
    memset(memory, 1, SIZE);
    assert_false(tirbi_discard(&heap.allocator, memory, SIZE, &stop));
    assert_true(tirbi_discard(&other, memory, SIZE, NULL));
    for (size_t at = 0; at < SIZE; at++) assert_int_equal(memory[at], 1);
    atomic_store(&stop, TIRBI_RUN);
    assert_true(tirbi_discard(&heap.allocator, memory, SIZE, &stop));
#ifdef __linux__
    if (!getenv("TIRB_EMULATED"))
        for (size_t at = INSIDE; at < SIZE - INSIDE; at++) assert_int_equal(memory[at], 0);
#endif
    assert_int_equal(memory[0], 1);
    assert_int_equal(memory[SIZE - 1], 1);
    tirbi_heap_free(&heap, memory, SIZE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_code_looks),
        cmocka_unit_test(jumps_lead_around_no_look),
        cmocka_unit_test(returns_look),
        cmocka_unit_test(bodies_of_lane_loops_look),
        cmocka_unit_test(long_instructions_look),
        cmocka_unit_test(searches_look),
        cmocka_unit_test(rows_look),
        cmocka_unit_test(chunks_look),
        cmocka_unit_test(frames_are_left_at_once),
        cmocka_unit_test(making_room_looks),
        cmocka_unit_test(sweeping_looks),
        cmocka_unit_test(writing_looks),
        cmocka_unit_test(pages_go_back_in_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
