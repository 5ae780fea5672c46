/* differential: random programs, or a file's functions, run by the oracle and by the machine, compared bit by bit.
 *
 *   differential --seed S --count N [--isa best|all] [--passes one|few|all] [--sets N] [--stir] [--print]
 *   differential FILE.py [-f NAME] [--seed S] [--count N]
 *
 * The first way to compile has all passes, the second also every region on several threads: --passes few are these two.
 * As many sets of passes as --sets says, one by default, are left out as well, each drawn by the seed.
 * With --stir, as one random program in four is run, sizes may be 0 and scalars at the ends of types; between two calls
 * is one with other arguments; and a call runs out of fuel with less than it used, by however little, and else not.
 * Arguments lie beside pages that nothing may touch; who touches one ends the process, and what ran is printed before.
 *
 * Exit status: 0 all equal, 1 some differ, 2 the command line or file cannot be read. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/differential/coverage.h"
#include "tests/differential/generate.h"
#include "tests/differential/program.h"

typedef struct settings {
    uint64_t seed, count;
    const char *file, *function;
    bool print, best_isa, stirs;
    uint32_t variants; /* how many ways to compile; 0: all */
    uint32_t sets;     /* of passes that are left out as well */
    tirbi_coverage *coverage;
} settings;

typedef struct tally {
    uint64_t n[TIRBI_DIFF_MISMATCH + 1];
} tally;

/* What was begun, what is running of it, and who else is told of a fault. */
static char begun[100], running[TIRBI_DIFF_NOW];
static struct sigaction told_of_fault;

static void tell(const char *text) { (void)!write(STDOUT_FILENO, text, strlen(text)); }

static void on_fault(int signal) {
    tell(begun);
    tell(running);
    tell("\n");
    sigaction(signal, &told_of_fault, NULL); /* the access is tried again, and faults again */
}

static void report_faults(void) {
    struct sigaction action = {.sa_handler = on_fault};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &told_of_fault);
}

static bool read_file(const char *path, tirbi_text *out) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    char chunk[4096];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, file)) > 0) tirbi_text_add(out, "%.*s", (int)n, chunk);
    bool good = ferror(file) == 0 && !out->failed;
    fclose(file);
    return good;
}

static const char *fp_name(tirb_fp_mode fp) {
    return fp == TIRB_FP_STRICT ? "strict" : fp == TIRB_FP_FAST ? "fast" : "precise";
}

static tirbi_diff_outcome run(const tirbi_diff_request *request, tirbi_diff_bundles *bundles, uint64_t seed,
                              tirbi_text *why) {
    snprintf(begun, sizeof begun, "---- FAULT: seed %llu, fp %s, ", (unsigned long long)seed, fp_name(bundles->fp));
    running[0] = '\0';
    return tirbi_diff_run(request, bundles, why);
}

static void report(tally *t, tirbi_diff_outcome outcome, uint64_t seed, const char *program, tirb_fp_mode fp,
                   const tirbi_text *text) {
    t->n[outcome]++;
    const char *what = outcome == TIRBI_DIFF_MISMATCH   ? "MISMATCH"
                       : outcome == TIRBI_DIFF_REJECTED ? "REJECTED"
                                                        : "UNSUPPORTED";
    if (outcome == TIRBI_DIFF_SAME || outcome == TIRBI_DIFF_TRAPPED || outcome == TIRBI_DIFF_REFUSED) return;
    if (outcome == TIRBI_DIFF_UNSUPPORTED && t->n[outcome] > 5) return;
    printf("---- %s: seed %llu, fp %s\n%s\n%s\n", what, (unsigned long long)seed, fp_name(fp), program,
           text->data != NULL ? text->data : "");
    fflush(stdout);
}

static void run_generated(const settings *s, uint64_t seed, tally *t) {
    tirbi_gen *g = calloc(1, sizeof *g);
    tirbi_text program = {.data = NULL};
    tirbi_text why = {.data = NULL};
    if (g == NULL) return;
    tirbi_generate(g, seed, &program);
    tirbi_diff_known known[TIRBI_GEN_SYMBOLS + TIRBI_GEN_SCALARS];
    uint32_t n_known = 0;
    for (uint32_t i = 0; i < g->n_symbols; i++) {
        known[n_known++] = (tirbi_diff_known){.name = g->symbols[i].name, .value = g->symbols[i].value};
    }
    for (uint32_t i = 0; i < g->n_scalars; i++) {
        known[n_known++] = (tirbi_diff_known){.name = g->scalars[i].name, .value = g->scalars[i].value};
    }
    uint32_t mode = (uint32_t)(seed % 8);
    tirbi_diff_bundles bundles = {.text = program.data,
                                  .size = program.size,
                                  .fp = mode == 6 ? TIRB_FP_STRICT : mode == 7 ? TIRB_FP_FAST : TIRB_FP_PRECISE};
    tirbi_diff_request request = {.function = "main",
                                  .seed = seed ^ 0x5deece66d,
                                  .known = known,
                                  .n_known = n_known,
                                  .strided = seed % 5 == 0,
                                  .stirs = s->stirs || seed % 4 == 0,
                                  .one_isa = s->best_isa,
                                  .variants = s->variants,
                                  .sets = s->sets,
                                  .now = running};
    if (s->print) printf("---- seed %llu\n%s\n", (unsigned long long)seed, program.data);
    tirbi_coverage_add(s->coverage, program.data, program.size);
    report(t, run(&request, &bundles, seed, &why), seed, program.data, bundles.fp, &why);
    tirbi_diff_free_bundles(&bundles);
    tirbi_text_free(&program);
    tirbi_text_free(&why);
    free(g);
}

typedef struct file_run {
    const settings *settings;
    tirbi_diff_bundles *bundles;
    uint64_t seed;
    tally *tally;
} file_run;

static void run_function(void *context, const char *name) {
    const file_run *file = context;
    const settings *s = file->settings;
    if (s->function != NULL && strcmp(s->function, name) != 0) return;
    tirbi_text why = {.data = NULL};
    tirbi_diff_request request = {.function = name,
                                  .seed = file->seed,
                                  .strided = file->seed % 3 == 0,
                                  .stirs = s->stirs,
                                  .one_isa = s->best_isa,
                                  .variants = s->variants,
                                  .sets = s->sets,
                                  .now = running};
    report(file->tally, run(&request, file->bundles, file->seed, &why), file->seed, name, file->bundles->fp, &why);
    tirbi_text_free(&why);
}

/* The function asked for, or every public one, in every mode. */
static void run_file(const settings *s, const tirbi_text *program, uint64_t seed, tally *t) {
    static const tirb_fp_mode modes[] = {TIRB_FP_PRECISE, TIRB_FP_STRICT, TIRB_FP_FAST};
    bool good = true;
    for (uint32_t i = 0; i < 3 && good; i++) {
        tirbi_diff_bundles bundles = {.text = program->data, .size = program->size, .fp = modes[i]};
        file_run file = {.settings = s, .bundles = &bundles, .seed = seed, .tally = t};
        tirbi_text why = {.data = NULL};
        good = tirbi_diff_functions(program->data, program->size, run_function, &file, &why);
        if (!good) report(t, TIRBI_DIFF_REJECTED, seed, s->file, modes[i], &why);
        tirbi_text_free(&why);
        tirbi_diff_free_bundles(&bundles);
    }
}

static bool read_options(int argc, char **argv, settings *s) {
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(option, "--print") == 0) {
            s->print = true;
            continue;
        }
        if (strcmp(option, "--stir") == 0) {
            s->stirs = true;
            continue;
        }
        if (option[0] != '-') {
            s->file = option;
            continue;
        }
        if (value == NULL) return false;
        i++;
        if (strcmp(option, "--seed") == 0) {
            s->seed = strtoull(value, NULL, 0);
        } else if (strcmp(option, "--count") == 0) {
            s->count = strtoull(value, NULL, 0);
        } else if (strcmp(option, "--isa") == 0) {
            s->best_isa = strcmp(value, "best") == 0;
        } else if (strcmp(option, "--passes") == 0) {
            s->variants = strcmp(value, "one") == 0 ? 1 : strcmp(value, "few") == 0 ? 2 : 0;
        } else if (strcmp(option, "--sets") == 0) {
            s->sets = (uint32_t)strtoul(value, NULL, 0);
        } else if (strcmp(option, "-f") == 0) {
            s->function = value;
        } else {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    static tirbi_coverage coverage;
    settings s = {.seed = 1, .count = 1, .sets = 1, .coverage = &coverage};
    tally t = {.n = {0}};
    tirbi_text file = {.data = NULL};
    if (!read_options(argc, argv, &s)) {
        fprintf(stderr,
                "usage: differential [FILE.py] [-f NAME] [--seed S] [--count N] [--isa best|all] "
                "[--passes one|few|all] [--sets N] [--stir] [--print]\n");
        return 2;
    }
    if (s.file != NULL && !read_file(s.file, &file)) {
        fprintf(stderr, "differential: cannot read %s\n", s.file);
        return 2;
    }
    report_faults();
    for (uint64_t i = 0; i < s.count; i++) {
        if (s.file != NULL) {
            run_file(&s, &file, s.seed + i, &t);
        } else {
            run_generated(&s, s.seed + i, &t);
        }
    }
    if (s.file == NULL && s.count > 1) tirbi_coverage_print(&coverage);
    printf("%llu equal, %llu trapped alike, %llu refused, %llu unsupported, %llu rejected, %llu differ\n",
           (unsigned long long)t.n[TIRBI_DIFF_SAME], (unsigned long long)t.n[TIRBI_DIFF_TRAPPED],
           (unsigned long long)t.n[TIRBI_DIFF_REFUSED],
           (unsigned long long)t.n[TIRBI_DIFF_UNSUPPORTED], (unsigned long long)t.n[TIRBI_DIFF_REJECTED],
           (unsigned long long)t.n[TIRBI_DIFF_MISMATCH]);
    tirbi_text_free(&file);
    return t.n[TIRBI_DIFF_MISMATCH] + t.n[TIRBI_DIFF_REJECTED] > 0;
}
