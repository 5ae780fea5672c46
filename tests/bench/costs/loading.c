/* loading [--rounds N] [--isa NAME] BUNDLE...: what loading bundles takes, in processor time: the least of N rounds.
 * Bytes are those that a bundle unpacks to; MB/s are of these. The last line is of all bundles together. `load` is from
 * the bytes to a module; `translate`, of all its functions, is what first calls take. `memory` is what a program takes
 * to translate, for each byte of its code. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loader/bundle/bundle.h"
#include "loader/verify/verify.h"
#include "vm/translate/translate.h"

typedef struct times {
    double bytes, code, functions, reading, verifying, beginning, translating, memory;
} times;

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void give_up(const char *file, const char *message) {
    fprintf(stderr, "loading: %s: %s\n", file, message);
    exit(1);
}

static times load(const char *file, const void *bundle, size_t size, tirb_isa isa) {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_program *program;
    tirbi_code *code;
    tirb_error error = TIRB_ERROR_INIT;
    times is = {0};
    tirbi_heap_init(&heap, NULL, UINT64_MAX - 1); /* counts */
    tirbi_arena_init(&arena, &heap);
    const double begin = seconds();
    if (tirbi_bundle_read(bundle, size, UINT32_MAX, &arena, &program, &error) != TIRB_OK) give_up(file, error.message);
    const double read = seconds();
    const uint64_t before = heap.used;
    if (tirbi_verify(program, &heap, &error) != TIRB_OK) give_up(file, error.message);
    const double verified = seconds();
    heap.peak = heap.used;
    if (tirbi_code_begin(program, isa, false, &heap, &code, &error) != TIRB_OK) give_up(file, error.message);
    const double begun = seconds();
    if (tirbi_code_need(code, 0, program->n_functions, NULL, &error) != TIRB_OK) give_up(file, error.message);
    const double end = seconds();
    is = (times){.bytes = (double)program->n_bytes, .functions = program->n_functions, .reading = read - begin,
                 .verifying = verified - read, .beginning = begun - verified,
                 .translating = end - begun, .memory = (double)(heap.peak - before)};
    for (uint32_t i = 0; i < program->n_functions; i++) is.code += program->functions[i].code_size;
    tirbi_code_destroy(code);
    tirbi_arena_destroy(&arena);
    return is;
}

static double least(double a, double b) { return a < b ? a : b; }

static void print(const char *name, const times *is) {
    const double loading = is->reading + is->verifying + is->beginning;
    printf("%-28.28s %9.0f bytes %9.0f of code %6.0f functions: read %6.0f, verify %6.0f, translate %6.1f MB/s; "
           "translate %6.1f MB/s of code, memory %5.1f; load %9.1f us, %6.0f MB/s\n",
           name, is->bytes, is->code, is->functions, is->bytes / is->reading * 1e-6, is->bytes / is->verifying * 1e-6,
           is->bytes / is->translating * 1e-6, is->code / is->translating * 1e-6, is->memory / is->code,
           loading * 1e6, is->bytes / loading * 1e-6);
}

static times measure(const char *file, unsigned rounds, tirb_isa isa) {
    FILE *from = fopen(file, "rb");
    if (!from || fseek(from, 0, SEEK_END) != 0) give_up(file, "cannot be read");
    const size_t size = (size_t)ftell(from);
    void *bundle = malloc(size + 1);
    rewind(from);
    if (!bundle || fread(bundle, 1, size, from) != size) give_up(file, "cannot be read");
    fclose(from);
    times is = load(file, bundle, size, isa);
    for (unsigned i = 1; i < rounds; i++) {
        const times again = load(file, bundle, size, isa);
        is.reading = least(is.reading, again.reading);
        is.verifying = least(is.verifying, again.verifying);
        is.beginning = least(is.beginning, again.beginning);
        is.translating = least(is.translating, again.translating);
    }
    free(bundle);
    return is;
}

int main(int argc, char **argv) {
    unsigned rounds = 20, n_files = 0;
    tirb_isa isa = TIRB_ISA_AVX512;
    times all = {0};
    static const tirb_isa best[] = {TIRB_ISA_AVX512, TIRB_ISA_AVX2, TIRB_ISA_SSE2, TIRB_ISA_NEON, TIRB_ISA_GENERIC};
    for (unsigned i = 0; !tirb_isa_available(isa); i++) isa = best[i];
    for (int i = 1; i < argc; i++) {
        if (i + 1 < argc && strcmp(argv[i], "--rounds") == 0) {
            rounds = (unsigned)strtoul(argv[++i], NULL, 10);
            continue;
        }
        if (i + 1 < argc && strcmp(argv[i], "--isa") == 0) {
            if (tirb_isa_from_name(argv[++i], &isa) != TIRB_OK) give_up(argv[i], "no instruction set");
            continue;
        }
        const times is = measure(argv[i], rounds, isa);
        const char *name = strrchr(argv[i], '/');
        print(name ? name + 1 : argv[i], &is);
        all.bytes += is.bytes;
        all.code += is.code;
        all.functions += is.functions;
        all.reading += is.reading;
        all.verifying += is.verifying;
        all.beginning += is.beginning;
        all.translating += is.translating;
        all.memory += is.memory;
        n_files++;
    }
    if (n_files == 0) fprintf(stderr, "Usage: loading [--rounds N] [--isa NAME] BUNDLE...\n");
    else print("all", &all);
    return n_files == 0;
}
