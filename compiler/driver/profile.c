/* `tirb profile`: where the time of a call goes, by source line. */
#include <cjson/cJSON.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compiler/driver/files.h"
#include "compiler/driver/json.h"
#include "compiler/driver/run.h"

enum { SAMPLE_EVERY_NS = 50000, MAX_SOURCE = 256 << 20 };

static const option_row profile_options[] = {
    {OPTION_FUNCTION, 'f', "function", "NAME",
     "the function; may be left out when there is one public function or a main"},
    {OPTION_TIME, 0, "time", "SECONDS", "how long to repeat the call (default 1)"},
    CALL_OPTIONS,
    {OPTION_JSON, 0, "json", NULL, "print one JSON object: calls, samples, and lines with runs, samples and share"},
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

static const char profile_details[] =
    "FILE and ARGS are those of 'tirb bench': what is not given is random. The call is repeated on one thread while\n"
    "another one looks, some thousand times a second, which line it is in.\n"
    "\n"
    "Per line: its share of the time, the time it takes in one call, how often one call comes to it, and the source,\n"
    "where FILE is one. A lane loop counts as the line that it begins in. Counting slows scalar code down: for times "
    "to\n"
    "compare see 'tirb bench'.\n"
    "\n"
    "Examples:\n"
    "  tirb profile digits.py\n"
    "  tirb profile sort.py -f heap_sort n=100000 --json\n"
    "\n"
    "Environment: TIRB_ISA is the default of --isa.\n";

/* The entries of one line in one function. */
typedef struct line_row {
    const char *function;
    uint32_t line;
    uint64_t runs; /* of the entry that calls came to most often: the others are what was computed ahead for it */
    uint64_t samples;
} line_row;

typedef struct profile {
    run call;
    first_values first;
    uint64_t time_ns;
    uint64_t calls, elapsed_ns;
    line_row *rows;
    size_t n_rows;
    uint64_t samples;
} profile;

/* ---- Measuring -------------------------------------------------------------------------------------------------- */

typedef struct sampler {
    tirb_instance *instance;
    atomic_bool stops;
} sampler;

static void *take_samples(void *data) {
    sampler *s = data;
    const struct timespec pause = {.tv_nsec = SAMPLE_EVERY_NS};
    while (!atomic_load_explicit(&s->stops, memory_order_relaxed)) {
        tirb_instance_sample(s->instance);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static exit_code call_repeatedly(profile *p) {
    run *r = &p->call;
    tirb_error error = TIRB_ERROR_INIT;
    tirb_status status = TIRB_OK;
    uint64_t start = now_ns();
    do {
        first_values_restore(&p->first, r);
        uint64_t before = now_ns();
        status = tirb_instance_call(r->instance, r->function, r->arguments, r->info.n_params, &r->result, &error);
        results_free(r);
        p->elapsed_ns += now_ns() - before;
        p->calls++;
    } while (status == TIRB_OK && now_ns() - start < p->time_ns);
    if (status == TIRB_OK) return EXIT_DONE;
    outputs_show_failure(r, status, &error);
    return fail_call(r, status, &error);
}

static exit_code measure(profile *p) {
    sampler s = {.instance = p->call.instance};
    pthread_t thread;
    if (pthread_create(&thread, NULL, take_samples, &s) != 0)
        return fail(p->call.inv, EXIT_INTERNAL, "no thread can be started to take samples");
    exit_code code = call_repeatedly(p);
    atomic_store_explicit(&s.stops, true, memory_order_relaxed);
    pthread_join(thread, NULL);
    return code;
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

static line_row *row_of(profile *p, const tirb_profile_entry *entry) {
    for (size_t i = p->n_rows; i-- > 0;)
        if (p->rows[i].line == entry->line && strcmp(p->rows[i].function, entry->function) == 0) return &p->rows[i];
    p->rows[p->n_rows] = (line_row){.function = entry->function, .line = entry->line};
    return &p->rows[p->n_rows++];
}

/* Functions keep their order in the module. */
static int compare_rows(const void *a, const void *b) {
    const line_row *x = a, *y = b;
    if (x->function != y->function) return x->function < y->function ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static exit_code collect(profile *p) {
    const tirb_instance *instance = p->call.instance;
    tirb_profile_entry entry = TIRB_PROFILE_ENTRY_INIT;
    uint32_t n = 0;
    while (tirb_instance_profile(instance, n, &entry, NULL) == TIRB_OK) n++;
    p->rows = calloc((size_t)n + 1, sizeof *p->rows);
    if (!p->rows) return fail_memory(p->call.inv);
    for (uint32_t i = 0; tirb_instance_profile(instance, i, &entry, NULL) == TIRB_OK; i++) {
        if (entry.runs == 0 && entry.samples == 0) continue;
        line_row *row = row_of(p, &entry);
        if (entry.runs > row->runs) row->runs = entry.runs;
        row->samples += entry.samples;
        p->samples += entry.samples;
    }
    qsort(p->rows, p->n_rows, sizeof *p->rows, compare_rows);
    return EXIT_DONE;
}

static double share_of(const profile *p, const line_row *row) {
    return p->samples > 0 ? (double)row->samples / (double)p->samples : 0;
}

/* ---- Showing ---------------------------------------------------------------------------------------------------- */

static void print_text(const profile *p, const file_bytes *source) {
    const run *r = &p->call;
    double call_us = (double)p->elapsed_ns / (double)p->calls / 1e3;
    char name[CLEAN_SIZE];
    printf("%s: %llu call%s of %.4g us, %llu samples, %s\n", clean_text(r->info.name, name),
           (unsigned long long)p->calls, p->calls == 1 ? "" : "s", call_us, (unsigned long long)p->samples,
           tirb_isa_name(tirb_engine_isa(r->engine)));
    printf("  share     us/call   runs/call\n");
    const char *function = NULL;
    for (size_t i = 0; i < p->n_rows; i++) {
        const line_row *row = &p->rows[i];
        double share = share_of(p, row), runs = (double)row->runs / (double)p->calls;
        size_t size = 0;
        const char *text = source->data ? file_line(source, row->line, &size) : "";
        if (row->function != function) printf("%s:\n", clean_text(row->function, name));
        printf("%6.1f%% %11.4g %11.6g %6u | ", 100 * share, share * call_us, runs, row->line);
        print_source_line(text, size);
        function = row->function;
    }
}

static exit_code print_json(const profile *p) {
    const run *r = &p->call;
    cJSON *object = json_of_call(r, TIRB_OK);
    cJSON_AddStringToObject(object, "isa", tirb_isa_name(tirb_engine_isa(r->engine)));
    cJSON_AddNumberToObject(object, "calls", (double)p->calls);
    cJSON_AddNumberToObject(object, "elapsed_ns", (double)p->elapsed_ns);
    cJSON_AddNumberToObject(object, "samples", (double)p->samples);
    cJSON *lines = cJSON_AddArrayToObject(object, "lines");
    for (size_t i = 0; i < p->n_rows; i++) {
        cJSON *own = cJSON_CreateObject();
        cJSON_AddItemToArray(lines, own);
        cJSON_AddStringToObject(own, "function", p->rows[i].function);
        cJSON_AddNumberToObject(own, "line", p->rows[i].line);
        cJSON_AddNumberToObject(own, "runs", (double)p->rows[i].runs);
        cJSON_AddNumberToObject(own, "samples", (double)p->rows[i].samples);
        cJSON_AddNumberToObject(own, "share", share_of(p, &p->rows[i]));
    }
    return json_print(r->inv, object, JSON_ONE_LINE);
}

static exit_code show(const profile *p) {
    const invocation *inv = p->call.inv;
    if (option_given(inv, OPTION_JSON)) return print_json(p);
    file_bytes source = {0};
    bool too_large;
    bool again = p->call.bundle.was_source && strcmp(inv->operands[0], "-") != 0; /* stdin is read once */
    exit_code code = again ? file_read(inv, inv->operands[0], MAX_SOURCE, &source, &too_large) : EXIT_DONE;
    if (code == EXIT_DONE) print_text(p, &source);
    free(source.data);
    return code;
}

static exit_code run_profile(const invocation *inv) {
    profile p = {.call = {.inv = inv, .make_up = true, .profiles = true}};
    exit_code code = time_option_read(inv, &p.time_ns);
    if (code == EXIT_DONE) code = run_prepare(&p.call, 1);
    if (code == EXIT_DONE) code = arguments_read(&p.call);
    if (code == EXIT_DONE) code = arguments_complete(&p.call);
    if (code == EXIT_DONE) code = first_values_keep(&p.first, &p.call);
    if (code == EXIT_DONE) code = measure(&p);
    if (code == EXIT_DONE) code = collect(&p);
    if (code == EXIT_DONE) code = show(&p);
    first_values_free(&p.first, &p.call);
    free(p.rows);
    run_clear(&p.call);
    return code;
}

const command profile_command = {
    .name = "profile",
    .operands = "FILE [ARGS...]",
    .summary = "Show where the time of a call goes, by source line",
    .options = profile_options,
    .details = profile_details,
    .run = run_profile,
    .least_operands = 1,
    .most_operands = 100000,
};
