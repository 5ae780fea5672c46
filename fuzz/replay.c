/* Runs a fuzz target over files, without libFuzzer:
 *
 *   fuzz_replay TARGET [--mutate N] [--seed S] [--print] FILE-OR-FOLDER...
 *   fuzz_replay --dictionary [tc]
 *   fuzz_replay --letters
 *
 * Every file is run; with --mutate N, N inputs made from them as well, each a few mutations away from one of the files
 * or of the inputs made before. Inputs run in a child process: one that ends it, or takes too long, is left behind in
 * the file fuzz-input; run it again with `fuzz_replay TARGET fuzz-input`. --dictionary prints the words of a language
 * in libFuzzer's form; --letters looks whether the mutators know every operand letter of the opcode table. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "fuzz/operands.h"
#include "fuzz/words.h"

enum { MAX_SIZE = 1 << 16, MAX_KEPT = 4096, MAX_SECONDS = 30, MAX_WAITING = 300 };

static const fuzz_target *const targets[] = {&fuzz_target_text,  &fuzz_target_assembly,      &fuzz_target_bundle,
                                             &fuzz_target_run,   &fuzz_target_bind,          &fuzz_target_values,
                                             &fuzz_target_cache, &fuzz_target_comprehensions};
enum { N_TARGETS = sizeof(targets) / sizeof(targets[0]) };

typedef struct input {
    uint8_t *data;
    size_t size;
} input;

static input kept[MAX_KEPT];
static uint32_t n_kept;
static fuzz_random random_state;

/* ---- Mutating bytes -------------------------------------------------------------------------------------------- */

static size_t insert_bytes(uint8_t *data, size_t size, size_t max_size) {
    size_t at = fuzz_below(&random_state, size + 1);
    size_t n = 1 + fuzz_below(&random_state, 8);
    if (n > max_size - size) return size;
    memmove(data + at + n, data + at, size - at);
    size_t from = fuzz_below(&random_state, size + 1);
    for (size_t i = 0; i < n; i++) {
        data[at + i] =
            fuzz_one_in(&random_state, 2) && from + i < size ? data[from + i] : (uint8_t)fuzz_next(&random_state);
    }
    return size + n;
}

static size_t erase_bytes(uint8_t *data, size_t size) {
    size_t at = fuzz_below(&random_state, size);
    size_t n = 1 + fuzz_below(&random_state, size - at < 16 ? size - at : 16);
    memmove(data + at, data + at + n, size - at - n);
    return size - n;
}

size_t fuzz_mutate_bytes(uint8_t *data, size_t size, size_t max_size) {
    if (size == 0) return insert_bytes(data, size, max_size);
    size_t at = fuzz_below(&random_state, size);
    switch (fuzz_below(&random_state, 6)) {
    case 0:
        data[at] ^= (uint8_t)(1u << fuzz_below(&random_state, 8));
        return size;
    case 1:
        data[at] = (uint8_t)fuzz_next(&random_state);
        return size;
    case 2:
        data[at] = (uint8_t)fuzz_interesting(&random_state);
        return size;
    case 3:
        data[at] = (uint8_t)(data[at] + fuzz_below(&random_state, 9) - 4);
        return size;
    case 4:
        return insert_bytes(data, size, max_size);
    default:
        return erase_bytes(data, size);
    }
}

/* ---- Inputs ---------------------------------------------------------------------------------------------------- */

static void keep(const uint8_t *data, size_t size) {
    uint32_t at = n_kept < MAX_KEPT ? n_kept++ : MAX_KEPT / 2 + fuzz_below(&random_state, MAX_KEPT / 2);
    free(kept[at].data);
    kept[at] = (input){fuzz_copy(data, size), size};
}

static bool read_input(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    uint8_t *data = fuzz_allocate(MAX_SIZE);
    size_t size = fread(data, 1, MAX_SIZE, file);
    bool whole = !ferror(file);
    fclose(file);
    if (whole) keep(data, size);
    free(data);
    return whole;
}

static bool read_path(const char *path);

static int visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static bool read_folder(const char *path) {
    struct dirent **entries;
    int n = scandir(path, &entries, visible, alphasort);
    bool all = n >= 0;
    for (int i = 0; i < n; i++) {
        char inner[4096];
        int length = snprintf(inner, sizeof(inner), "%s/%s", path, entries[i]->d_name);
        all &= length > 0 && (size_t)length < sizeof(inner) && read_path(inner);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
    return all;
}

/* Folders are walked in the order of their names, so that a run can be repeated. */
static bool read_path(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0) return false;
    return S_ISDIR(about.st_mode) ? read_folder(path) : read_input(path);
}

/* ---- Running --------------------------------------------------------------------------------------------------- */

/* What the child is at, seen by the parent. */
typedef struct progress {
    uint64_t n_run, n_taken;
    size_t size;
    uint8_t data[MAX_SIZE];
} progress;

static progress *shared;

static void run_input(const fuzz_target *target, const uint8_t *data, size_t size) {
    memcpy(shared->data, data, size);
    shared->size = size;
    shared->n_run++;
    shared->n_taken += target->run(data, size);
}

static size_t mutate(const fuzz_target *target, uint8_t *data, size_t size) {
    uint32_t times = 1 + fuzz_below(&random_state, 4);
    for (uint32_t i = 0; i < times; i++) {
        size = target->mutate ? target->mutate(data, size, MAX_SIZE, &random_state)
                              : fuzz_mutate_bytes(data, size, MAX_SIZE);
    }
    return size;
}

/* Most often a file: without coverage to choose by, what many mutations have made is soon refused at the door. */
static const input *pick_input(uint32_t n_files) {
    return &kept[fuzz_below(&random_state, fuzz_one_in(&random_state, 4) ? n_kept : n_files)];
}

static size_t make_input(const fuzz_target *target, uint32_t n_files, uint8_t *data) {
    const input *a = pick_input(n_files), *b = pick_input(n_files);
    size_t size = 0;
    if (target->cross && fuzz_one_in(&random_state, 8)) {
        size = target->cross(a->data, a->size, b->data, b->size, data, MAX_SIZE, &random_state);
    }
    if (size > 0) return size;
    memcpy(data, a->data, a->size);
    return mutate(target, data, a->size);
}

static void run_mutated(const fuzz_target *target, uint32_t n_files, uint32_t count) {
    uint8_t *data = fuzz_allocate(MAX_SIZE);
    for (uint32_t i = 0; i < count; i++) {
        size_t size = make_input(target, n_files, data);
        uint8_t *exact = fuzz_copy(data, size);
        run_input(target, exact, size);
        free(exact);
        if (fuzz_one_in(&random_state, 16)) keep(data, size);
    }
    free(data);
}

static time_t seconds_of(clockid_t clock) {
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return now.tv_sec;
}

/* Waits for the child; false: it failed, or was at one input for too long. What counts is its own time, for other
 * processes may want the CPUs too; and where it only waits, any. */
static bool watch(pid_t child) {
    const struct timespec moment = {.tv_nsec = 20000000};
    uint64_t last = 0;
    clockid_t own = CLOCK_MONOTONIC;
    clock_getcpuclockid(child, &own);
    time_t since = seconds_of(CLOCK_MONOTONIC), own_since = seconds_of(own);
    int status;
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0) {
        nanosleep(&moment, NULL);
        time_t now = seconds_of(CLOCK_MONOTONIC), own_now = seconds_of(own);
        if (shared->n_run != last) {
            since = now;
            own_since = own_now;
        }
        last = shared->n_run;
        if (own_now - own_since <= MAX_SECONDS && now - since <= MAX_WAITING) continue;
        fprintf(stderr, "fuzz_replay: more than %d seconds\n", MAX_SECONDS);
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        return false;
    }
    return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void leave_behind(void) {
    FILE *file = fopen("fuzz-input", "wb");
    bool written = file && fwrite(shared->data, 1, shared->size, file) == shared->size;
    if (file && fclose(file) != 0) written = false;
    fprintf(stderr, written ? "fuzz_replay: the input is in fuzz-input\n" : "fuzz_replay: cannot write fuzz-input\n");
}

static int usage(void) {
    fprintf(stderr, "usage: fuzz_replay TARGET [--mutate N] [--seed S] [--print] FILE-OR-FOLDER...\n"
                    "       fuzz_replay --dictionary [tc] | --letters\ntargets:");
    for (uint32_t i = 0; i < N_TARGETS; i++) fprintf(stderr, " %s", targets[i]->name);
    fputc('\n', stderr);
    return 2;
}

static const fuzz_target *find_target(const char *name) {
    for (uint32_t i = 0; i < N_TARGETS; i++) {
        if (strcmp(targets[i]->name, name) == 0) return targets[i];
    }
    return NULL;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int run_all(const fuzz_target *target, uint32_t count, bool print) {
    uint32_t n_files = n_kept;
    double start = seconds();
    for (uint32_t i = 0; i < n_files; i++) {
        if (print) fprintf(stderr, "input %u, %zu bytes\n", i, kept[i].size);
        run_input(target, kept[i].data, kept[i].size);
    }
    const uint64_t files_taken = shared->n_taken;
    run_mutated(target, n_files, count);
    double spent = seconds() - start;
    printf("%s: %u files, %u mutated inputs, %.0f a second; %llu and %llu were taken\n", target->name, n_files, count,
           spent > 0 ? (double)(n_files + count) / spent : 0, (unsigned long long)files_taken,
           (unsigned long long)(shared->n_taken - files_taken));
    for (uint32_t i = 0; i < n_kept; i++) free(kept[i].data);
    return 0;
}

int main(int argc, char **argv) {
    if (argc >= 2 && argc <= 3 && strcmp(argv[1], "--dictionary") == 0) {
        fuzz_words_print(argc == 3 && strcmp(argv[2], "tc") == 0 ? fuzz_comprehension_word : fuzz_word, stdout);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--letters") == 0) {
        printf("%u operands of known letters\n", fuzz_check_letters());
        return 0;
    }
    const fuzz_target *target = argc > 2 ? find_target(argv[1]) : NULL;
    if (!target) return usage();
    unsigned long count = 0, seed = 1;
    bool print = false;
    random_state = fuzz_seed(seed);
    for (int i = 2; i < argc; i++) {
        bool number = i + 1 < argc;
        if (strcmp(argv[i], "--mutate") == 0 && number) {
            count = strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--seed") == 0 && number) {
            seed = strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--print") == 0) {
            print = true;
        } else if (argv[i][0] == '-' || !read_path(argv[i])) {
            fprintf(stderr, "fuzz_replay: cannot read %s\n", argv[i]);
            return usage();
        }
    }
    random_state = fuzz_seed(seed);
    if (n_kept == 0) {
        fprintf(stderr, "fuzz_replay: no input: nothing would be run\n");
        return usage();
    }
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) fuzz_fail("no shared memory");
    pid_t child = fork();
    if (child < 0) fuzz_fail("no child process");
    if (child == 0) return run_all(target, (uint32_t)count, print);
    if (watch(child)) return 0;
    leave_behind();
    return 1;
}
