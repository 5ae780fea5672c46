/* latency [--rounds N] [--json] [NAME]: how long after it was asked to stop a run goes on, in microseconds: the worst
 * and the middle of N rounds, by instruction and instruction set; of what has NAME in its name. Each program does one
 * thing for ever. A busy machine adds what it takes until the thread that asks, or the one that stops, has a core
 * again: hence the time that the thread of the run has had a core is told as well. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loader/bundle/assembly.h"
#include "loader/verify/verify.h"
#include "vm/exec/execute.h"
#include "vm/team/team.h"
#include "vm/translate/translate.h"

enum { ELEMENTS = 1 << 25, TEXT = 1 << 20, MOST_ROUNDS = 1000, DEPTH = 20000, THREADS = 2 };

/* In a body, r0 is read and r1 written, both of ELEMENTS elements; s0 is their number, s1 a number far from 0, s2 one
 * near it, s4 counts from 0 and s5 is 1. A line is there `times` times. `others` are functions that it calls. */
typedef struct subject {
    const char *name, *type, *before, *line;
    unsigned times;
    const char *after, *others;
    bool has_numbers;   /* r0 holds numbers of rows, far from each other */
    uint32_t megabytes; /* that a run may have; 0: as many as it likes */
} subject;

#define LANES(n, reads, writes) \
    "lane " n ", done\n.cursor r0 T read 0 0 " reads "\n.cursor r1 T write 0 0 " writes "\nvload.T v0, c0\n"
#define STORE "vstore.T c1, v0\ndone:\nlane.end\n"
/* A loop of lanes that are few. */
#define ROWS                                                                                                       \
    "const.i64 s4, 0\nconst.i64 s5, 1000000\nrow:\nconst.i64 s3, 16\nmul.i64 s3, s4, s3\nlane 16, done\n"          \
    ".cursor r0 T read 0 s3 1\n.cursor r1 T write 0 s3 1\nvload.T v0, c0\n"
#define ROWS_END STORE "loop s4, s5, row\n"
#define DOWN(scalars, line)                                           \
    ".function \"down\" returns i64\n.scalars " scalars               \
    "\n.ref T writable\n.scalar \"n\" i64 s0\nconst.i64 s1, 1\n" line \
    "lt.i64 s2, s0, s1\nbrif s2, done\nsub.i64 s0, s0, s1\ncall \"down\", s2, (s0) ()\ndone:\nret.i64 s0\n.end\n"
#define ALLOCS_10                                                                      \
    "alloc.T r0, s0\nalloc.T r0, s0\nalloc.T r0, s0\nalloc.T r0, s0\nalloc.T r0, s0\n" \
    "alloc.T r0, s0\nalloc.T r0, s0\nalloc.T r0, s0\nalloc.T r0, s0\nalloc.T r0, s0\n"
#define ALLOCS_50 ALLOCS_10 ALLOCS_10 ALLOCS_10 ALLOCS_10 ALLOCS_10
#define ALLOCS                                                                                                \
    ".function \"take\" returns i64\n.scalars 1\n.ref T writable\n.scalar \"n\" i64 s0\n" ALLOCS_50 ALLOCS_50 \
        ALLOCS_50 "ret.i64 s0\n.end\n"
#define SEEK(step, row)                                                                                         \
    "const.i64 s3, " row                                                                                        \
    "\nconst.i64 s4, 1000000\nlane s3, done\n.inner s4\n.cursor r0 T read 1 0 1 0\n.cursor r0 T read 1 0 0 1\n" \
    ".cursor r1 T readwrite 1 0 1 " step "\ninner l0\nseek.T c0, c1, s3, s0\nvload.T v0, c0\n"
#define SEEK_STORE "vstore.T c2, v0\ninner.end l0\ndone:\nlane.end\n"
#define PART(line)                                                                                            \
    ".function \"part\" region\n.scalars 3\n.lanes 1\n.ref T\n.ref T writable\n.scalar \"b\" i64 s0\n"        \
    ".scalar \"e\" i64 s1\n.tensor \"from\" T r0 read ()\n.tensor \"to\" T r1 write ()\nsub.i64 s2, s1, s0\n" \
    "lane s2, done\n.cursor r0 T read 0 s0 1\n.cursor r1 T write 0 0 1\nvload.T v0, c0\n" line STORE          \
    "ret.void\n.end\n"
#define ALONE(...) \
    { __VA_ARGS__, NULL, false, 0 }
#define CALLING(...) \
    { __VA_ARGS__, false, 0 }
static const subject subjects[] = {
    ALONE("scalar add", "f32", "", "add.f32 s3, s1, s2\n", 3000, ""),
    ALONE("scalar fmod", "f64", "", "fmod.f64 s3, s1, s2\n", 3000, ""),
    ALONE("scalar pow", "f64", "", "pow.f64 s3, s1, s2\n", 3000, ""),
    ALONE("short loops of fmod", "f64", LANES("32", "1", "1") "vsplat.T v0, s1\nvsplat.T v1, s2\n",
          "vfmod.T v0, v0, v1\n", 1, STORE),
    ALONE("lanes: add", "f32", LANES("s0", "1", "1"), "vadd.T v0, v0, v0\n", 3000, STORE),
    ALONE("lanes: fmod", "f64", LANES("s0", "1", "1") "vsplat.T v0, s1\nvsplat.T v1, s2\n", "vfmod.T v2, v0, v1\n",
          3000, STORE),
    ALONE("lanes: fmod of halves", "f16", LANES("s0", "1", "1") "vsplat.T v0, s1\nvsplat.T v1, s2\n",
          "vfmod.T v2, v0, v1\n", 300, STORE),
    ALONE("lanes: exp", "f32", LANES("s0", "1", "1"), "vexp.T v1, v0\n", 300, STORE),
    ALONE("lanes that read ahead", "f32",
          "sub.i64 s3, s0, s5\nlane s3, done\n.cursor r1 T read 0 s5 1\n.cursor r1 T write 0 0 1\nvload.T v0, c0\n",
          "vadd.T v0, v0, v0\n", 1, STORE),
    ALONE("lanes with loops of fmod", "f64",
          "const.i64 s3, 1000000\nlane s3, done\n.inner 16\n.cursor r0 T read 1 0 17 1\n.cursor r1 T write 1 0 17 1\n"
          "vsplat.T v1, s1\nvsplat.T v2, s2\ninner l0\nvload.T v0, c0\n",
          "vfmod.T v0, v1, v2\n", 3, "vstore.T c1, v0\ninner.end l0\ndone:\nlane.end\n"),
    ALONE("rows", "f32", ROWS, "vadd.T v0, v0, v0\n", 3, ROWS_END),
    ALONE("rows of fmod", "f64", ROWS, "vsplat.T v1, s1\nvsplat.T v2, s2\nvfmod.T v0, v1, v2\n", 2, ROWS_END),
    ALONE("gather", "u8", LANES("s0", "1", "1") "vsplat.i64 v1, s2\n", "vadd.T v0, v0, v0\n", 1, STORE),
    ALONE("prefix sums", "f32", LANES("s0", "1", "1"), "vscan.T v0, s3, v0, 0\n", 1, STORE),
    ALONE("copy", "f32", LANES("s0", "1", "1"), "", 0, STORE),
    ALONE("copy far", "u8", LANES("8191", "4097", "4096"), "", 0, STORE),
    ALONE("copy to columns", "f32",
          "lane 4096, done\n.inner 4096\n.cursor r0 T read 1 0 4096 1\n.cursor r1 T write 1 0 1 4096\n"
          "inner l0\nvload.T v0, c0\n",
          "", 0, "vstore.T c1, v0\ninner.end l0\ndone:\nlane.end\n"),
    ALONE("sum of all", "f32", "fold.T 0, 0, (1 s0), r1 T 0 (1 0), r0 T 0 (0 1), r0 T 0 (0 1)\n", "", 0, ""),
    ALONE("sum of products far", "f64", "fold.T 8, 0, (8192 1024), r1 T 0 (0 0), r0 T 0 (0 127), r0 T 0 (0 128)\n", "",
          0, ""),
    ALONE("sums of rows far", "f32",
          "fold.T 0, 0, (16000 8192 1), r1 T 0 (0 1 0), r0 T 0 (0 255 1), r0 T 0 (0 255 1)\n", "", 0, ""),
    ALONE("product", "f32",
          "contract.T 1, 0, (1024 1024 1024), r1 T 0 (1024 1 0), r0 T 0 (1024 0 1), r0 T 0 (0 1 1024)\n", "", 0, ""),
    ALONE("product of halves", "f16",
          "contract.T 1, 0, (1024 1024 1024), r1 T 0 (1024 1 0), r0 T 0 (1024 0 1), r0 T 0 (0 1 1024)\n", "", 0, ""),
    ALONE("product far", "f32",
          "contract.T 1, 0, (256 256 256), r1 T 0 (256 1 0), r0 T 0 (4096 0 129), r0 T 0 (0 4096 127)\n", "", 0, ""),
    ALONE("alloc", "f32", "alloc.T r2, s0\n", "", 0, ""),
    {"alloc of a GB", "f64", "const.i64 s3, 134217728\nalloc.T r2, s3\n", "", 0, "", NULL, false, 1100},
    {"alloc where another was", "f64",
     "const.i64 s3, 25000000\ncall \"take\", s4, (s3) ()\nconst.i64 s3, 10000000\ncall \"take\", s4, (s3) ()\n", "", 0,
     "",
     ".function \"take\" returns i64\n.scalars 1\n.ref T writable\n.scalar \"n\" i64 s0\nalloc.T r0, s0\n"
     "ret.i64 s0\n.end\n",
     false, 256},
    CALLING("many allocs", "f32", "call \"take\", s3, (s5) ()\n", "", 0, "", ALLOCS),
    CALLING("frames", "f32", "const.i64 s4, 19990\ncall \"down\", s3, (s4) ()\n", "", 0, "", DOWN("3", "")),
    CALLING("wide frames", "f32", "const.i64 s4, 3000\ncall \"down\", s3, (s4) ()\n", "", 0, "", DOWN("30000", "")),
    CALLING("frames with allocs", "f32", "const.i64 s4, 19990\ncall \"down\", s3, (s4) ()\n", "", 0, "",
            DOWN("9", "alloc.T r0, s1\n")),
    CALLING("handles", "f32", "const.i64 s3, 5000000\ncall \"name\", s4, (s3) (r1)\n", "", 0, "",
            ".function \"name\" returns i64\n.scalars 3\n.ref T\n.scalar \"n\" i64 s0\n.tensor \"d\" T r0 read ()\n"
            "again:\nref.put s2, r0\nloop s1, s0, again\nret.i64 s1\n.end\n"),
    {"rows by number", "u32", SEEK("16", "16"), "", 0, SEEK_STORE, NULL, true, 0},
    {"elements by number", "u32", SEEK("1", "1"), "", 0, SEEK_STORE, NULL, true, 0},
    {"sums of rows by number", "u32", SEEK("0", "16") "vload.T v1, c2\nvadd.T v0, v0, v1\n", "", 0, SEEK_STORE,
     .has_numbers = true},
    ALONE(
        "search", "f32",
        "lane s0, done\n.cursor r0 T read 0 0 1\nvload.T v0, c0\nvsplat.T v1, s1\nvgt.T v0, v0, v1\nvfind.bool s3, v0\n"
        "done:\nlane.end\n",
        "", 0, ""),
    ALONE("loops of lanes", "f32",
          LANES("s0", "1", "1") "vsplat.bool v1, s5\nvloop\nvadd.T v0, v0, v0\nvwhile.bool v1\nvagain\n", "", 0, STORE),
    CALLING("forks", "f32", "fork \"part\", s0, 1, () (r0, r1 part 0 1 1)\n", "", 0, "", PART("vadd.T v0, v0, v0\n")),
    CALLING("forks of little", "f32", "const.i64 s3, 64\nfork \"part\", s3, 1, () (r0, r1 part 0 1 1)\n", "", 0, "",
            PART("vadd.T v0, v0, v0\n")),
    CALLING("forks of fmod", "f64", "fork \"part\", s0, 1, () (r0, r1 part 0 1 1)\n", "", 0, "",
            PART("vfmod.T v0, v0, v0\nvfmod.T v0, v0, v0\nvfmod.T v0, v0, v0\n")),
    CALLING(
        "forks of allocs", "f64", "fork \"alloc\", s0, 1, () (r1 part 0 1 1)\n", "", 0, "",
        ".function \"alloc\" region\n.scalars 3\n.ref T writable\n.ref T writable\n.scalar \"b\" i64 s0\n"
        ".scalar \"e\" i64 s1\n.tensor \"to\" T r0 write ()\nconst.i64 s2, 60000000\nalloc.T r1, s2\nret.void\n.end\n"),
};

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* Puts the type in the place of each T that stands alone. */
static size_t write_line(char *to, const char *line, const char *type) {
    const char *const begin = to;
    for (; *line; line++) {
        const bool alone = *line == 'T' && (line[1] == ' ' || line[1] == '\n') && (line[-1] == '.' || line[-1] == ' ');
        if (alone)
            to += strlen(strcpy(to, type));
        else
            *to++ = *line;
    }
    *to = '\0';
    return (size_t)(to - begin);
}

static void write_program(char *to, const subject *s) {
    to += sprintf(to,
                  ".function \"f\" public\n.scalars 6\n.lanes 3\n.ref %s\n.ref %s writable\n.ref %s writable\n"
                  ".scalar \"n\" i64 s0\n.var \"n\" i64 s0 param 0\n"
                  ".scalar \"x\" %s s1\n.scalar \"y\" %s s2\n.tensor \"from\" %s r0 read ($0)\n"
                  ".tensor \"to\" %s r1 read write ($0)\nconst.i64 s5, 1\ntop:\n",
                  s->type, s->type, s->type, s->type, s->type, s->type, s->type);
    to += write_line(to, s->before, s->type);
    for (unsigned i = 0; i < s->times; i++) to += write_line(to, s->line, s->type);
    to += write_line(to, s->after, s->type);
    to += sprintf(to, "back top\n.end\n");
    if (s->others) write_line(to, s->others, s->type);
}

typedef struct asking {
    tirbi_stops *stops;
    clockid_t clock;         /* of the time that the run's thread has had a core */
    double when, at, cpu_at; /* `when` and `cpu_at` by that clock */
} asking;

typedef struct lateness {
    double all, cpu;
} lateness;

static void *ask(void *argument) {
    asking *a = argument;
    const struct timespec nap = {.tv_nsec = 20000};
    while (now(a->clock) < a->when) nanosleep(&nap, NULL);
    a->cpu_at = now(a->clock);
    a->at = now(CLOCK_MONOTONIC);
    tirbi_stop(a->stops, TIRBI_STOP_CANCEL);
    return NULL;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void fail(const char *what, const tirb_error *error) {
    fprintf(stderr, "latency: %s: %s\n", what, error->message);
    exit(1);
}

/* Microseconds from the question to the end of a run. */
static lateness run_once(const tirbi_code *code, const subject *s, uint8_t *const *memory, tirbi_team *team,
                         unsigned i) {
    static const double delays[] = {2000, 5000, 20000, 90000, 300000}; /* us: what is large takes time to make */
    const unsigned n_delays = s->megabytes ? sizeof delays / sizeof *delays : 3;
    const bool wide = strcmp(s->type, "f64") == 0;
    const uint64_t far = wide ? UINT64_C(0x7FE3333333333333) : strcmp(s->type, "f16") == 0 ? 0x7BFF : 0x7F000000;
    const uint64_t scalars[3] = {ELEMENTS, far, wide ? 3 : 1};
    tirbi_ref refs[2];
    tirbi_dtype type;
    (void)tirbi_dtype_from_name(s->type, strlen(s->type), &type);
    for (unsigned r = 0; r < 2; r++)
        refs[r] = (tirbi_ref){.data = memory[r],
                              .size = (uint64_t)ELEMENTS * tirbi_dtypes[type].size,
                              .type = (uint8_t)type,
                              .writable = true};
    tirbi_stops stops = {.call = TIRBI_RUN};
    clockid_t clock;
    if (pthread_getcpuclockid(pthread_self(), &clock) != 0) exit(1);
    asking a = {.stops = &stops, .clock = clock, .when = now(clock) + delays[i % n_delays] + 37.0 * i};
    const uint64_t limit = s->megabytes ? (uint64_t)s->megabytes << 20 : UINT64_C(1) << 40;
    tirbi_heap heap;
    tirbi_heap_init(&heap, NULL, limit);
    tirbi_store store;
    tirbi_spares spares[1 + THREADS];
    tirbi_store_init(&store, &heap.allocator, limit, spares, 1 + THREADS);
    heap.keeper = &spares[0].keeper;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_run run = {.code = code,
                     .heap = &heap,
                     .stop = &stops.call,
                     .stops = &stops,
                     .fuel = UINT64_MAX,
                     .max_depth = DEPTH,
                     .threads = THREADS,
                     .team = team,
                     .store = &store,
                     .host = tirbi_fpu_read()};
    uint64_t result;
    pthread_t thread;
    if (pthread_create(&thread, NULL, ask, &a) != 0) exit(1);
    const tirb_status status = tirbi_execute(&run, 0, scalars, refs, &result, &error);
    const double end = now(CLOCK_MONOTONIC), cpu_end = now(clock);
    pthread_join(thread, NULL);
    heap.keeper = NULL;
    tirbi_store_trim(&store);
    if (status != TIRB_CANCELLED) fail(s->name, &error);
    return (lateness){end - a.at, cpu_end - a.cpu_at};
}

static void measure(const subject *s, tirb_isa isa, uint8_t *const *memory, tirbi_team *team, unsigned rounds,
                    bool as_json) {
    static char text[TEXT];
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_program *program;
    tirbi_code *code;
    double times[MOST_ROUNDS], cpu_times[MOST_ROUNDS];
    write_program(text, s);
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    if (tirbi_assemble(text, strlen(text), &arena, &program, &error) != TIRB_OK ||
        tirbi_verify(program, &heap, &error) != TIRB_OK ||
        tirbi_code_create(program, isa, false, &heap, &code, &error) != TIRB_OK)
        fail(s->name, &error);
    for (unsigned i = 0; i < rounds; i++) {
        const lateness late = run_once(code, s, memory, team, i);
        times[i] = late.all;
        cpu_times[i] = late.cpu;
    }
    qsort(times, rounds, sizeof *times, by_size);
    qsort(cpu_times, rounds, sizeof *cpu_times, by_size);
    const double shown[4] = {times[rounds - 1], times[rounds / 2], cpu_times[rounds - 1], cpu_times[rounds / 2]};
    if (as_json)
        printf("{\"name\": \"%s\", \"isa\": \"%s\", \"worst_us\": %.1f, \"middle_us\": %.1f, "
               "\"worst_cpu_us\": %.1f, \"middle_cpu_us\": %.1f}\n",
               s->name, tirb_isa_name(isa), shown[0], shown[1], shown[2], shown[3]);
    else
        printf("%-24s %-8s %10.1f %10.1f %10.1f %10.1f\n", s->name, tirb_isa_name(isa), shown[0], shown[1], shown[2],
               shown[3]);
    tirbi_code_destroy(code);
    tirbi_arena_destroy(&arena);
}

/* Numbers of rows of up to 16 elements, in no order, or zeroes. */
static void fill(uint8_t *memory, bool with_numbers) {
    uint32_t *numbers = (uint32_t *)(void *)memory, state = 1;
    memset(memory, 0, (size_t)ELEMENTS * 8);
    for (uint32_t i = 0; i < ELEMENTS && with_numbers; i++) {
        state = state * 1664525 + 1013904223;
        numbers[i] = (state >> 8) % (ELEMENTS / 16);
    }
}

int main(int argc, char **argv) {
    static const tirb_isa isas[] = {TIRB_ISA_GENERIC, TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
    unsigned rounds = 20;
    bool as_json = false;
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            as_json = true;
        else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            rounds = (unsigned)strtoul(argv[++i], NULL, 10);
        else
            only = argv[i];
    }
    if (rounds < 1 || rounds > MOST_ROUNDS) rounds = 20;
    uint8_t *memory[2];
    for (unsigned r = 0; r < 2; r++) {
        memory[r] = malloc((size_t)ELEMENTS * 8);
        if (!memory[r]) return 1;
        memset(memory[r], 0, (size_t)ELEMENTS * 8);
    }
    if (!as_json) printf("%-33s %10s %10s %10s %10s\n", "microseconds", "worst", "middle", "worst cpu", "middle cpu");
    tirbi_heap heap;
    tirbi_team *team;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    const tirb_parallel_for own = {0};
    if (tirbi_team_create(&heap, THREADS, THREADS, &own, &team, &error) != TIRB_OK) fail("team", &error);
    for (unsigned k = 0; k < sizeof subjects / sizeof *subjects; k++) {
        if (only && !strstr(subjects[k].name, only)) continue;
        fill(memory[0], subjects[k].has_numbers);
        for (unsigned i = 0; i < sizeof isas / sizeof *isas; i++)
            if (tirb_isa_available(isas[i])) measure(&subjects[k], isas[i], memory, team, rounds, as_json);
    }
    tirbi_team_destroy(team);
    for (unsigned r = 0; r < 2; r++) free(memory[r]);
    return 0;
}
