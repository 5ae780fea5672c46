/* The table of the benchmark, as text and as JSON. */
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double ratio(const bench_row *row, unsigned column, int side) {
    return row->times[column].best[BENCH_TIRB] / row->times[column].best[side];
}

static int label_length(const char *size) { return (int)strcspn(size, " "); }

/* ---- Targets ---------------------------------------------------------------------------------------------------- */

/* What the instruction sets may take, relative to gcc -O3 for the same: AVX-512 each class's target, the others as many
 * times that over all; and twice gcc's time in a class, or its target where that is more. */
static const struct {
    tirb_isa isa;
    double to_avx512;
} shares[] = {{TIRB_ISA_AVX512, 1}, {TIRB_ISA_AVX2, 1.15}, {TIRB_ISA_SSE2, 1.5}};
static const double most_of_class = 2;

static double share_of(tirb_isa isa) {
    for (unsigned i = 0; i < sizeof shares / sizeof *shares; i++)
        if (shares[i].isa == isa) return shares[i].to_avx512;
    return 0;
}

static bool is_all(const bench_class *class) { return strcmp(class->name, "all") == 0; }

/* 0: none. */
static double target_of(const bench_class *class, tirb_isa isa) {
    if (is_all(class)) return class->target * share_of(isa);
    if (isa == TIRB_ISA_AVX512 || class->target == 0 || class->apart) return class->target;
    return isa == TIRB_ISA_GENERIC ? 0 : fmax(class->target, most_of_class);
}

static bool counts_in(const bench_row *row, const bench_class *class) {
    for (unsigned k = 0; k < bench_n_classes && is_all(class); k++)
        if (strcmp(row->program->group, bench_classes[k].name) == 0) return !bench_classes[k].apart;
    return strcmp(row->program->group, class->name) == 0;
}

/* Geometric mean of tirb's time to a side's over a class; 0: no rows. */
static double geomean(const bench_report *report, unsigned column, const bench_class *class, int side,
                      const bench_row **worst) {
    double sum = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < report->n; i++) {
        const bench_row *row = &report->rows[i];
        if (!counts_in(row, class) || row->times[column].best[side] <= 0) continue;
        sum += log(ratio(row, column, side));
        count++;
        if (worst != NULL && (*worst == NULL || ratio(row, column, side) > ratio(*worst, column, side))) *worst = row;
    }
    return count == 0 ? 0 : exp(sum / count);
}

/* ---- Rows as text ----------------------------------------------------------------------------------------------- */

/* Of one column times and ratios, of several ratios and tirb's time. */
static void print_cells(const bench_report *report, const bench_row *row) {
    for (unsigned c = 0; c < report->n_columns; c++) {
        const double *best = row->times[c].best;
        printf(" %11.2f", best[BENCH_TIRB] / 1e3);
        if (report->n_columns == 1) printf(" %11.2f %11.2f", best[BENCH_PLAIN] / 1e3, best[BENCH_FAST] / 1e3);
        printf(" %8.3f %8.3f", ratio(row, c, BENCH_PLAIN), ratio(row, c, BENCH_FAST));
    }
}

static void print_text_row(const bench_report *report, const bench_row *row) {
    char blas[32] = "", script[32] = "";
    if (row->times[0].best[BENCH_BLAS] > 0) snprintf(blas, sizeof blas, "%.0f%%", 100 / ratio(row, 0, BENCH_BLAS));
    if (row->times[0].best[BENCH_SCRIPT] > 0) snprintf(script, sizeof script, "%.3f", ratio(row, 0, BENCH_SCRIPT));
    printf("%-18s %-5.*s", row->program->function, label_length(row->size), row->size);
    print_cells(report, row);
    printf(" %6s %6s  %s\n", blas, script, row->form);
}

/* ---- Rows as JSON ----------------------------------------------------------------------------------------------- */

static void print_json_text(const char *text) {
    putchar('"');
    for (; *text != 0; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        if ((unsigned char)*text >= ' ') putchar(*text);
    }
    putchar('"');
}

static void print_json_params(const bench_row *row) {
    static const char *const roles[] = {"input", "output", "updated", "int", "float"};
    for (unsigned p = 0; p < row->n_params; p++) {
        const bench_param *param = &row->params[p];
        printf("%s{\"role\": \"%s\"", p ? ", " : "", roles[param->role]);
        if (param->role == BENCH_INT || param->role == BENCH_FLOAT) {
            printf(", \"value\": %.17g}", param->scalar);
            continue;
        }
        printf(", \"type\": \"%s\", \"range\": %d, \"step\": %.17g, \"shape\": [", tirbi_dtypes[param->type].tvm_name,
               param->range, param->step);
        for (int d = 0; d < param->ndim; d++) printf("%s%d", d ? ", " : "", param->shape[d]);
        printf("]}");
    }
}

static void print_json_times(const bench_row *row, unsigned column) {
    static const char *const sides[] = {"tirb", "gcc_o3", "gcc_ofast", "blas", "tvmscript"};
    const bench_times *times = &row->times[column];
    const char *comma = "";
    for (int s = 0; s < BENCH_SIDES; s++) {
        if (times->best[s] <= 0) continue;
        printf("%s\"%s\": {\"best_ns\": %.1f, \"median_ns\": %.1f, \"ratio\": %.4f}", comma, sides[s], times->best[s],
               times->median[s], ratio(row, column, s));
        comma = ", ";
    }
}

/* The first column's times stand in the row itself, those of all under "isas". */
static void print_json_row(const bench_report *report, const bench_row *row) {
    printf(
        "%s\n  {\"class\": \"%s\", \"kernel\": \"%s\", \"twin\": \"%s\", \"size\": \"%s\", \"fresh\": %s, \"form\": ",
        row == report->rows ? "" : ",", row->program->group, row->program->function, row->program->twin, row->size,
        row->program->fresh ? "true" : "false");
    print_json_text(row->form);
    printf(", \"compile_ns\": %.0f, \"bundle_bytes\": %zu, \"params\": [", row->compile_ns, row->bundle_size);
    print_json_params(row);
    printf("], ");
    print_json_times(row, 0);
    printf(", \"isas\": {");
    for (unsigned c = 0; c < report->n_columns; c++) {
        printf("%s\"%s\": {", c ? ", " : "", tirb_isa_name(report->columns[c].isa));
        print_json_times(row, c);
        printf("}");
    }
    printf("}}");
}

void bench_print_row(const bench_report *report) {
    (report->json ? print_json_row : print_text_row)(report, &report->rows[report->n - 1]);
}

/* ---- The head --------------------------------------------------------------------------------------------------- */

static void cpu_name(char *out, size_t size) {
    char line[256];
    snprintf(out, size, "unknown CPU");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *value = strstr(line, ": ");
        if (strncmp(line, "model name", 10) != 0 || value == NULL) continue;
        value[strcspn(value, "\n")] = 0;
        snprintf(out, size, "%s", value + 2);
        break;
    }
    if (file != NULL) fclose(file);
}

static void print_json_head(const bench_report *report, const char *cpu, const char *blas) {
    printf("{\"unit\": \"%s\", \"cpu\": ", bench_counts() ? "instructions" : "ns");
    print_json_text(cpu);
    printf(", \"isa\": \"%s\", \"isas\": {", tirb_isa_name(report->columns[0].isa));
    for (unsigned c = 0; c < report->n_columns; c++)
        printf("%s\"%s\": \"%s\"", c ? ", " : "", tirb_isa_name(report->columns[c].isa),
               report->columns[c].level->name);
    printf("}, \"compiler\": ");
    print_json_text(__VERSION__);
    printf(", \"blas\": ");
    print_json_text(blas);
    printf(", \"rows\": [");
}

void bench_print_head(const bench_report *report, const char *blas) {
    char cpu[200];
    cpu_name(cpu, sizeof cpu);
    if (report->json) {
        print_json_head(report, cpu, blas);
        return;
    }
    printf("%s, one thread; compiler %s; BLAS: %s\n", cpu, __VERSION__, blas);
    if (bench_counts()) printf("in thousands of instructions\n");
    for (unsigned c = 0; c < report->n_columns; c++)
        printf("%s beside C for %s\n", tirb_isa_name(report->columns[c].isa), report->columns[c].level->name);
    const char *const unit = bench_counts() ? "" : " us";
    printf("%-18s %-5s", "kernel", "size");
    for (unsigned c = 0; c < report->n_columns; c++) {
        printf(" %8s%3s", report->n_columns == 1 ? "tirb" : tirb_isa_name(report->columns[c].isa), unit);
        if (report->n_columns == 1) printf(" %8s%3s %8s%3s", "-O3", unit, "-Ofast", unit);
        printf(" %8s %8s", "to -O3", "-Ofast");
    }
    printf(" %6s %6s  %s\n", "BLAS", "script", "loops");
}

/* ---- Classes ---------------------------------------------------------------------------------------------------- */

/* Products of fewer rows are entered for longer than they take, and stand in the table only. */
enum { LEAST_FOR_BLAS = 64 };

static void print_blas_share(const bench_report *report) {
    double sum = 0, least = INFINITY;
    unsigned count = 0;
    for (unsigned i = 0; i < report->n; i++) {
        const bench_row *row = &report->rows[i];
        if (row->times[0].best[BENCH_BLAS] <= 0 || strtoul(row->size, NULL, 10) < LEAST_FOR_BLAS) continue;
        const double share = 100 / ratio(row, 0, BENCH_BLAS);
        sum += log(share);
        least = fmin(least, share);
        count++;
    }
    if (count > 0)
        printf("of the BLAS's rate, f32 products from %d on, %s: %.0f%%, at least %.0f%%\n", LEAST_FOR_BLAS,
               tirb_isa_name(report->columns[0].isa), exp(sum / count), least);
}

/* Of comprehensions: their time to that of the same programs by hand, which none may exceed by a twentieth. */
static const double most_to_script = 1.05;

static void print_script_ratio(const bench_report *report) {
    static const bench_class comprehensions = {.name = "comprehensions"};
    for (unsigned c = 0; c < report->n_columns; c++) {
        const bench_row *worst = NULL;
        const double mean = geomean(report, c, &comprehensions, BENCH_SCRIPT, &worst);
        if (mean == 0) return;
        printf("comprehensions to the same as TVMScript, %s: %.3f, at most %.3f (%s %.*s)%s\n",
               tirb_isa_name(report->columns[c].isa), mean, ratio(worst, c, BENCH_SCRIPT), worst->program->function,
               label_length(worst->size), worst->size,
               ratio(worst, c, BENCH_SCRIPT) > most_to_script ? "  MISSED" : "");
    }
}

/* The figures over all of the other instruction sets to that of AVX-512. */
static void print_shares(const bench_report *report) {
    const bench_class *all = &bench_classes[bench_n_classes - 1];
    double widest = 0;
    for (unsigned c = 0; c < report->n_columns; c++)
        if (report->columns[c].isa == TIRB_ISA_AVX512) widest = geomean(report, c, all, BENCH_PLAIN, NULL);
    for (unsigned c = 0; c < report->n_columns && widest > 0; c++) {
        const tirb_isa isa = report->columns[c].isa;
        const double share = geomean(report, c, all, BENCH_PLAIN, NULL) / widest;
        if (isa == TIRB_ISA_AVX512) continue;
        printf("all, %s to avx512: %.3f", tirb_isa_name(isa), share);
        if (share_of(isa) > 0) printf(", target %.2f%s", share_of(isa), share > share_of(isa) ? "  MISSED" : "");
        printf("\n");
    }
}

/* The rows of a class above a bound, with what the compiler says of them. */
static void print_causes(const bench_report *report, unsigned column, const bench_class *class, double bound) {
    for (unsigned i = 0; i < report->n; i++) {
        const bench_row *row = &report->rows[i];
        if (!counts_in(row, class) || ratio(row, column, BENCH_PLAIN) <= bound) continue;
        printf("    %s %.*s at %.2f: %s\n", row->program->function, label_length(row->size), row->size,
               ratio(row, column, BENCH_PLAIN), row->form);
    }
}

static void print_text_class(const bench_report *report, unsigned column, const bench_class *class) {
    const bench_row *worst = NULL;
    const double plain = geomean(report, column, class, BENCH_PLAIN, &worst);
    const double fast = geomean(report, column, class, BENCH_FAST, NULL);
    const double target = target_of(class, report->columns[column].isa);
    const bool missed = target > 0 && plain > target;
    char shown[32] = "none";
    if (plain == 0) return;
    if (target > 0) snprintf(shown, sizeof shown, "%.2f", target);
    printf("%-22s %-8s %8.3f %8s %8.3f  %s %.*s %.2f%s\n", class->name, tirb_isa_name(report->columns[column].isa),
           plain, shown, fast, worst->program->function, label_length(worst->size), worst->size,
           ratio(worst, column, BENCH_PLAIN), missed ? "  MISSED by" : "");
    if (class->most > 0)
        print_causes(report, column, class, class->most);
    else if (missed && !is_all(class))
        print_causes(report, column, class, target);
}

/* The first column's figures stand in the class itself, those of all under "isas". */
static bool print_json_class(const bench_report *report, const bench_class *class, bool first) {
    if (geomean(report, 0, class, BENCH_PLAIN, NULL) == 0) return false;
    printf("%s\n  {\"class\": \"%s\", ", first ? "" : ",", class->name);
    for (unsigned c = 0; c <= report->n_columns; c++) {
        const unsigned column = c == 0 ? 0 : c - 1;
        const tirb_isa isa = report->columns[column].isa;
        if (c > 0) printf("%s\"%s\": {", c > 1 ? ", " : ", \"isas\": {", tirb_isa_name(isa));
        printf("\"ratio\": %.4f, \"ratio_fast\": %.4f, \"target\": %.3g%s",
               geomean(report, column, class, BENCH_PLAIN, NULL), geomean(report, column, class, BENCH_FAST, NULL),
               target_of(class, isa), c > 0 ? "}" : "");
    }
    printf("}}");
    return true;
}

void bench_print_classes(const bench_report *report) {
    if (report->json) {
        bool first = true;
        printf("\n], \"classes\": [");
        for (unsigned c = 0; c < bench_n_classes; c++)
            first = !print_json_class(report, &bench_classes[c], first) && first;
        printf("\n]}\n");
        return;
    }
    printf("\n%-22s %-8s %8s %8s %8s  worst\n", "class (geomean)", "on", "to -O3", "target", "-Ofast");
    for (unsigned k = 0; k < bench_n_classes; k++)
        for (unsigned c = 0; c < report->n_columns; c++) print_text_class(report, c, &bench_classes[k]);
    print_shares(report);
    print_blas_share(report);
    print_script_ratio(report);
}
