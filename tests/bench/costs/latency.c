/* latency [--rounds N] [--json]: how long after it was asked to stop a run goes on, in microseconds: the worst and the
 * middle of N rounds, by instruction and instruction set. Each program does one thing for ever. A busy machine adds
 * what it takes until the thread that asks, or the one that stops, has a core again. */
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
#include "vm/exec/exec.h"

enum { ELEMENTS = 1 << 25, TEXT = 1 << 20, MOST_ROUNDS = 1000 };

/* In `body`, r0 is read and r1 written, both of ELEMENTS elements; s0 is their number, s1 a number far from 0 and s2
 * one near it. A line is there `times` times. */
typedef struct subject {
    const char *name, *type, *before, *line;
    unsigned times;
    const char *after;
} subject;

#define LANES(n, reads, writes) \
    "lane " n ", done\n.cursor r0 T read 0 0 " reads "\n.cursor r1 T write 0 0 " writes "\nvload.T v0, c0\n"
#define STORE "vstore.T c1, v0\ndone:\nlane.end\n"
static const subject subjects[] = {
    {"scalar add", "f32", "", "add.f32 s3, s1, s2\n", 3000, ""},
    {"scalar fmod", "f64", "", "fmod.f64 s3, s1, s2\n", 3000, ""},
    {"scalar pow", "f64", "", "pow.f64 s3, s1, s2\n", 3000, ""},
    {"short loops of fmod", "f64", LANES("32", "1", "1") "vsplat.T v0, s1\nvsplat.T v1, s2\n", "vfmod.T v0, v0, v1\n",
     1, STORE},
    {"lanes: add", "f32", LANES("s0", "1", "1"), "vadd.T v0, v0, v0\n", 3000, STORE},
    {"lanes: fmod", "f64", LANES("s0", "1", "1") "vsplat.T v0, s1\nvsplat.T v1, s2\n", "vfmod.T v2, v0, v1\n", 3000,
     STORE},
    {"lanes: fmod of halves", "f16", LANES("s0", "1", "1") "vsplat.T v0, s1\nvsplat.T v1, s2\n", "vfmod.T v2, v0, v1\n",
     300, STORE},
    {"lanes: exp", "f32", LANES("s0", "1", "1"), "vexp.T v1, v0\n", 300, STORE},
    {"gather", "u8", LANES("s0", "1", "1") "vsplat.i64 v1, s2\n", "vadd.T v0, v0, v0\n", 1, STORE},
    {"prefix sums", "f32", LANES("s0", "1", "1"), "vscan.T v0, s3, v0, 0\n", 1, STORE},
    {"copy", "f32", LANES("s0", "1", "1"), "", 0, STORE},
    {"copy far", "u8", LANES("8191", "4097", "4096"), "", 0, STORE},
    {"copy to columns", "f32",
     "lane 4096, done\n.inner 4096\n.cursor r0 T read 1 0 4096 1\n.cursor r1 T write 1 0 1 4096\n"
     "inner l0\nvload.T v0, c0\n",
     "", 0, "vstore.T c1, v0\ninner.end l0\ndone:\nlane.end\n"},
    {"sum of all", "f32", "fold.T 0, 0, (1 s0), r1 T 0 (1 0), r0 T 0 (0 1), r0 T 0 (0 1)\n", "", 0, ""},
    {"sum of products far", "f64", "fold.T 8, 0, (8192 1024), r1 T 0 (0 0), r0 T 0 (0 127), r0 T 0 (0 128)\n", "", 0,
     ""},
    {"sums of rows far", "f32", "fold.T 0, 0, (16000 8192 1), r1 T 0 (0 1 0), r0 T 0 (0 255 1), r0 T 0 (0 255 1)\n", "",
     0, ""},
    {"product", "f32", "contract.T 1, 0, (1024 1024 1024), r1 T 0 (1024 1 0), r0 T 0 (1024 0 1), r0 T 0 (0 1 1024)\n",
     "", 0, ""},
    {"product of halves", "f16",
     "contract.T 1, 0, (1024 1024 1024), r1 T 0 (1024 1 0), r0 T 0 (1024 0 1), r0 T 0 (0 1 1024)\n", "", 0, ""},
    {"product far", "f32",
     "contract.T 1, 0, (256 256 256), r1 T 0 (256 1 0), r0 T 0 (4096 0 129), r0 T 0 (0 4096 127)\n", "", 0, ""},
    {"alloc", "f32", "alloc.T r2, s0\n", "", 0, ""},
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
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
                  ".function \"f\" public\n.scalars 5\n.lanes 3\n.ref %s\n.ref %s writable\n.ref %s writable\n"
                  ".scalar \"n\" i64 s0\n.var \"n\" i64 s0 param 0\n"
                  ".scalar \"x\" %s s1\n.scalar \"y\" %s s2\n.tensor \"from\" %s r0 read ($0)\n"
                  ".tensor \"to\" %s r1 read write ($0)\ntop:\n",
                  s->type, s->type, s->type, s->type, s->type, s->type, s->type);
    to += write_line(to, s->before, s->type);
    for (unsigned i = 0; i < s->times; i++) to += write_line(to, s->line, s->type);
    to += write_line(to, s->after, s->type);
    strcpy(to, "back top\n.end\n");
}

typedef struct asking {
    atomic_uint *stop;
    double at, delay;
} asking;

static void *ask(void *argument) {
    asking *a = argument;
    const double end = now() + a->delay;
    while (now() < end) continue;
    a->at = now();
    atomic_store(a->stop, TIRBI_STOP_CANCEL);
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
static double run_once(const tirbi_code *code, const subject *s, uint8_t *const *memory, unsigned i) {
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
    atomic_uint stop = TIRBI_RUN;
    asking a = {.stop = &stop, .delay = 2000 + 37.0 * i};
    tirbi_heap heap;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_store store;
    tirbi_spares spares;
    tirbi_store_init(&store, &heap.allocator, UINT64_MAX, &spares, 1);
    heap.keeper = &spares.keeper;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_run run = {.code = code,
                     .heap = &heap,
                     .stop = &stop,
                     .fuel = UINT64_MAX,
                     .max_depth = 10,
                     .store = &store,
                     .host = tirbi_fpu_read()};
    uint64_t result;
    pthread_t thread;
    if (pthread_create(&thread, NULL, ask, &a) != 0) exit(1);
    const tirb_status status = tirbi_execute(&run, 0, scalars, refs, &result, &error);
    const double end = now();
    pthread_join(thread, NULL);
    heap.keeper = NULL;
    tirbi_store_trim(&store);
    if (status != TIRB_CANCELLED) fail(s->name, &error);
    return end - a.at;
}

static void measure(const subject *s, tirb_isa isa, uint8_t *const *memory, unsigned rounds, bool as_json) {
    static char text[TEXT];
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_program *program;
    tirbi_code *code;
    double times[MOST_ROUNDS];
    write_program(text, s);
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    if (tirbi_assemble(text, strlen(text), &arena, &program, &error) != TIRB_OK ||
        tirbi_verify(program, &heap, &error) != TIRB_OK ||
        tirbi_code_create(program, isa, false, &heap, &code, &error) != TIRB_OK)
        fail(s->name, &error);
    for (unsigned i = 0; i < rounds; i++) times[i] = run_once(code, s, memory, i);
    qsort(times, rounds, sizeof *times, by_size);
    if (as_json)
        printf("{\"name\": \"%s\", \"isa\": \"%s\", \"worst_us\": %.1f, \"middle_us\": %.1f}\n", s->name,
               tirb_isa_name(isa), times[rounds - 1], times[rounds / 2]);
    else
        printf("%-24s %-8s %10.1f %10.1f\n", s->name, tirb_isa_name(isa), times[rounds - 1], times[rounds / 2]);
    tirbi_code_destroy(code);
    tirbi_arena_destroy(&arena);
}

int main(int argc, char **argv) {
    static const tirb_isa isas[] = {TIRB_ISA_GENERIC, TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
    unsigned rounds = 20;
    bool as_json = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            as_json = true;
        else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            rounds = (unsigned)strtoul(argv[++i], NULL, 10);
    }
    if (rounds < 1 || rounds > MOST_ROUNDS) rounds = 20;
    uint8_t *memory[2];
    for (unsigned r = 0; r < 2; r++) {
        memory[r] = malloc((size_t)ELEMENTS * 8);
        if (!memory[r]) return 1;
        memset(memory[r], 0, (size_t)ELEMENTS * 8);
    }
    if (!as_json) printf("%-24s %-8s %10s %10s\n", "microseconds", "", "worst", "middle");
    for (unsigned k = 0; k < sizeof subjects / sizeof *subjects; k++)
        for (unsigned i = 0; i < sizeof isas / sizeof *isas; i++)
            if (tirb_isa_available(isas[i])) measure(&subjects[k], isas[i], memory, rounds, as_json);
    for (unsigned r = 0; r < 2; r++) free(memory[r]);
    return 0;
}
