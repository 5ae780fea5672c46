#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/files.h"
#include "compiler/driver/json.h"
#include "compiler/driver/npy.h"
#include "compiler/driver/run.h"

enum { LEADING_TEXT = 16, LEADING_ROWS = 8, LEADING_JSON = 1000 };

/* ---- Comparing -------------------------------------------------------------------------------------------------- */

/* |a - b| <= atol + rtol * |b|, as NumPy has it; integers compare exactly where they can, and NaN is equal to NaN. */
static bool close_enough(const run *r, const number *a, const number *b) {
    if (a->is_integer && b->is_integer && r->rtol == 0 && r->atol == 0) {
        return a->integer == b->integer && a->is_unsigned == b->is_unsigned;
    }
    if (isnan(a->real) || isnan(b->real)) return isnan(a->real) && isnan(b->real);
    if (a->real == b->real) return true;
    if (isinf(a->real) || isinf(b->real)) return false;
    return fabs(a->real - b->real) <= r->atol + r->rtol * fabs(b->real);
}

static exit_code compare(const run *r, const parameter *p, const tensor *expected) {
    tensor as_expected = p->value.tensor;
    const tensor *found = &as_expected;
    if (as_expected.type == TIRB_U8 && expected->narrow) as_expected.narrow = expected->narrow;
    if (!tensor_same_shape(found, expected)) {
        char a[256], b[256];
        tensor_type_text(found, a, sizeof a);
        tensor_type_text(expected, b, sizeof b);
        return fail(r->inv, EXIT_CALL, "'%s' is %s; expected %s", p->info.name, a, b);
    }
    size_t first = 0, differing = 0;
    for (size_t i = 0; i < found->count; i++) {
        number a = element_load(found, i), b = element_load(expected, i);
        if (close_enough(r, &a, &b)) continue;
        if (differing++ == 0) first = i;
    }
    if (differing == 0) return EXIT_DONE;
    char index[320], a[ELEMENT_TEXT_SIZE], b[ELEMENT_TEXT_SIZE];
    tensor_index_text(found, first, index, sizeof index);
    element_text(found, first, a);
    element_text(expected, first, b);
    return fail(r->inv, EXIT_CALL,
                "'%s' differs first at %s: found %s, expected %s (%zu of %zu differ; rtol %g, atol %g)", p->info.name,
                index, a, b, differing, found->count, r->rtol, r->atol);
}

exit_code outputs_compare(const run *r) {
    for (uint32_t i = 0; i < r->info.n_params; i++) {
        const parameter *p = &r->parameters[i];
        if (!p->expect) continue;
        value expected;
        exit_code code = value_read(r->inv, p->expect, &expected);
        if (code != EXIT_DONE) return code;
        if (!expected.is_tensor) {
            tensor made = {.type = p->type};
            if (!tensor_measure(&made) || !tensor_allocate(&made)) return fail_memory(r->inv);
            if (element_store(&made, 0, &expected.scalar) != STORE_DONE) {
                tensor_free(&made);
                return fail(r->inv, EXIT_CALL, "--expect: %s is no value of '%s'", p->expect, p->info.name);
            }
            expected = (value){.is_tensor = true, .tensor = made};
        }
        code = compare(r, p, &expected.tensor);
        value_clear(&expected);
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}

/* ---- Text ------------------------------------------------------------------------------------------------------- */

/* `n` elements from `first` on, of which `shown` are printed. */
static void print_elements(FILE *to, const tensor *t, size_t first, size_t n, size_t shown) {
    for (size_t i = 0; i < n && i < shown; i++) {
        char element[ELEMENT_TEXT_SIZE];
        element_text(t, first + i, element);
        fprintf(to, "%s %s", i ? "," : "", element);
    }
    if (shown < n) fputs(", ...", to);
}

/* The index of an output's first element, where that is not 0 in each dimension. */
static bool find_minima(const run *r, const parameter *p, int64_t minima[TENSOR_MAX_NDIM]) {
    const uint32_t index = (uint32_t)(p - r->parameters);
    bool any = false;
    if (tirb_instance_minima(r->instance, r->function, index, r->arguments, r->info.n_params, minima, TENSOR_MAX_NDIM,
                             NULL, NULL) != TIRB_OK)
        return false;
    for (int32_t d = 0; d < p->value.tensor.ndim; d++) any = any || minima[d] != 0;
    return any;
}

/* "d_I (from [0, 2]): ", or only the name. */
static void print_name(FILE *to, const run *r, const parameter *p) {
    int64_t minima[TENSOR_MAX_NDIM];
    char clean[CLEAN_SIZE];
    fputs(clean_text(p->info.name, clean), to);
    if (find_minima(r, p, minima)) {
        fputs(" (from [", to);
        for (int32_t d = 0; d < p->value.tensor.ndim; d++) fprintf(to, "%s%lld", d ? ", " : "", (long long)minima[d]);
        fputs("])", to);
    }
    fputs(": ", to);
}

/* A vector in one line; of more dimensions each row of the last in a line, with an empty line between matrices. */
static void print_tensor(FILE *to, const run *r, const parameter *p) {
    const tensor *t = &p->value.tensor;
    bool full = option_given(r->inv, OPTION_FULL);
    size_t columns = t->ndim > 1 ? (size_t)t->shape[t->ndim - 1] : t->count, rows = columns ? t->count / columns : 0;
    size_t most_columns = full ? SIZE_MAX : LEADING_TEXT, most_rows = full ? SIZE_MAX : LEADING_ROWS;
    size_t matrix = t->ndim > 2 ? (size_t)t->shape[t->ndim - 2] : SIZE_MAX;
    char text[256];
    tensor_type_text(t, text, sizeof text);
    print_name(to, r, p);
    fprintf(to, "%s =", text);
    for (size_t i = 0; i < rows && i < most_rows; i++) {
        if (t->ndim > 1) fputs(i > 0 && i % matrix == 0 ? "\n\n " : "\n ", to);
        print_elements(to, t, i * columns, columns, most_columns);
    }
    if (rows > most_rows) fputs("\n  ...", to);
    if (rows > most_rows || columns > most_columns) fprintf(to, " (%zu values; --full prints all)", t->count);
    fputc('\n', to);
}

static bool result_number(const tirb_result *result, tirbi_dtype *type, number *out) {
    if (result->dtype.bits == 0 || !tirbi_dtype_from_dl(result->dtype, type)) return false;
    *out =
        tirbi_dtype_is_float(*type) ? number_from_real(result->value.f) : number_from_integer(result->value.i, *type);
    return true;
}

static void print_stats(FILE *to, const run *r) {
    tirb_stats stats = TIRB_STATS_INIT;
    if (!option_given(r->inv, OPTION_STATS) || tirb_instance_stats(r->instance, &stats) != TIRB_OK) return;
    fprintf(to, "fuel: %llu\n", (unsigned long long)stats.fuel_used);
    fprintf(to, "peak memory: %llu bytes\n", (unsigned long long)stats.peak_memory);
    fprintf(to, "time: %.3f ms\n", (double)r->elapsed_ns / 1e6);
    fprintf(to, "isa: %s\n", tirb_isa_name(tirb_engine_isa(r->engine)));
}

/* The call came so far because everything that is expected was found. */
static void print_match(FILE *to, const run *r, const parameter *p) {
    size_t n = p->value.tensor.count;
    char name[CLEAN_SIZE], expected[CLEAN_SIZE];
    if (!p->expect) return;
    fprintf(to, "%s: matches %s (%zu value%s", clean_text(p->info.name, name), clean_text(p->expect, expected), n,
            n == 1 ? "" : "s");
    if (r->rtol > 0 || r->atol > 0) fprintf(to, "; rtol %g, atol %g)\n", r->rtol, r->atol);
    else fputs(", exactly)\n", to);
}

static void print_text(FILE *to, const run *r) {
    for (uint32_t i = 0; i < r->info.n_params; i++) {
        const parameter *p = &r->parameters[i];
        if (is_output(p) && !p->save) print_tensor(to, r, p);
    }
    for (uint32_t i = 0; i < r->info.n_params; i++) print_match(to, r, &r->parameters[i]);
    tirbi_dtype type;
    number returned;
    if (result_number(&r->result, &type, &returned)) {
        char text[ELEMENT_TEXT_SIZE];
        number_text(&returned, type, text);
        fprintf(to, "returned: %s = %s\n", tirbi_dtypes[type].name, text);
    }
    print_stats(to, r);
}

/* ---- JSON: numbers that are none in JSON (nan, inf) are strings -------------------------------------------------- */

static cJSON *json_number(const number *n, tirbi_dtype type) {
    char text[ELEMENT_TEXT_SIZE];
    number_text(n, type, text);
    if (tirbi_dtype_is_float(type) && !isfinite(n->real)) return cJSON_CreateString(text);
    return cJSON_CreateRaw(text);
}

static cJSON *json_unsigned(uint64_t n) {
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    return cJSON_CreateRaw(text);
}

static cJSON *json_tensor(const run *r, const parameter *p) {
    const tensor *t = &p->value.tensor;
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "name", p->info.name);
    char type[NARROW_NAME_SIZE];
    tensor_element_name(t, type);
    cJSON_AddStringToObject(object, "type", type);
    cJSON *shape = cJSON_AddArrayToObject(object, "shape");
    for (int32_t i = 0; i < t->ndim; i++) cJSON_AddItemToArray(shape, json_unsigned((uint64_t)t->shape[i]));
    int64_t minima[TENSOR_MAX_NDIM];
    if (find_minima(r, p, minima)) {
        cJSON *from = cJSON_AddArrayToObject(object, "minima");
        for (int32_t d = 0; d < t->ndim; d++) {
            char text[32];
            snprintf(text, sizeof text, "%lld", (long long)minima[d]);
            cJSON_AddItemToArray(from, cJSON_CreateRaw(text));
        }
    }
    if (p->expect) cJSON_AddBoolToObject(object, "matches", true);
    if (p->save) {
        json_add_text(object, "saved", p->save + 1);
        return object;
    }
    size_t shown = t->count < LEADING_JSON || option_given(r->inv, OPTION_FULL) ? t->count : LEADING_JSON;
    cJSON *values = cJSON_AddArrayToObject(object, "values");
    for (size_t i = 0; i < shown; i++) {
        number element = element_load(t, i);
        cJSON_AddItemToArray(values, json_number(&element, t->narrow ? TIRB_F32 : t->type));
    }
    cJSON_AddBoolToObject(object, "truncated", shown < t->count);
    return object;
}

static void json_stats(const run *r, cJSON *object) {
    tirb_stats stats = TIRB_STATS_INIT;
    if (tirb_instance_stats(r->instance, &stats) != TIRB_OK) return;
    cJSON *own = cJSON_AddObjectToObject(object, "stats");
    cJSON_AddItemToObject(own, "fuel", json_unsigned(stats.fuel_used));
    cJSON_AddItemToObject(own, "peak_memory", json_unsigned(stats.peak_memory));
    cJSON_AddItemToObject(own, "time_ns", json_unsigned(r->elapsed_ns));
    cJSON_AddStringToObject(own, "isa", tirb_isa_name(tirb_engine_isa(r->engine)));
}

static void print_json(FILE *to, cJSON *object) {
    char *text = cJSON_PrintUnformatted(object);
    fprintf(to, "%s\n", text ? text : "{}");
    cJSON_free(text);
    cJSON_Delete(object);
}

static void print_json_run(FILE *to, const run *r) {
    cJSON *object = json_of_call(r, TIRB_OK);
    cJSON *outputs = cJSON_AddArrayToObject(object, "outputs");
    for (uint32_t i = 0; i < r->info.n_params; i++) {
        if (is_output(&r->parameters[i])) cJSON_AddItemToArray(outputs, json_tensor(r, &r->parameters[i]));
    }
    tirbi_dtype type;
    number returned;
    if (result_number(&r->result, &type, &returned)) {
        cJSON *own = cJSON_AddObjectToObject(object, "returned");
        cJSON_AddStringToObject(own, "type", tirbi_dtypes[type].name);
        cJSON_AddItemToObject(own, "value", json_number(&returned, type));
    }
    if (option_given(r->inv, OPTION_STATS)) json_stats(r, object);
    print_json(to, object);
}

void outputs_show_failure(const run *r, tirb_status status, const tirb_error *error) {
    if (!option_given(r->inv, OPTION_JSON)) {
        print_stats(stdout, r);
        return;
    }
    cJSON *object = json_of_call(r, status);
    cJSON *own = cJSON_AddObjectToObject(object, "error");
    json_add_text(own, "message", error->message);
    if (error->line) {
        json_add_text(own, "file", error->where);
        cJSON_AddItemToObject(own, "line", json_unsigned(error->line));
        cJSON_AddItemToObject(own, "column", json_unsigned(error->column));
    }
    if (option_given(r->inv, OPTION_STATS)) json_stats(r, object);
    print_json(stdout, object);
}

/* ---- Saving ----------------------------------------------------------------------------------------------------- */

typedef struct saved {
    uint8_t *bytes;
    output_file file;
} saved;

static exit_code stage(const run *r, const parameter *p, saved *out) {
    file_value to;
    if (!file_value_parse(p->save, &to)) return fail_memory(r->inv);
    exit_code code = EXIT_DONE;
    const tensor *t = &p->value.tensor;
    size_t size = 0;
    if (to.as != TIRB_TYPE_NONE && to.as != t->type) {
        code = fail(r->inv, EXIT_CALL, "-o %s: '%s' is %s", p->save, p->info.name, tirbi_dtypes[t->type].name);
    } else {
        out->bytes = npy_write(t, to.as != TIRB_TYPE_NONE, &size);
        code = out->bytes ? output_stage(r->inv, to.path, out->bytes, size, &out->file) : fail_memory(r->inv);
    }
    free(to.path);
    return code;
}

exit_code outputs_check(const run *r) {
    exit_code code = EXIT_DONE;
    for (uint32_t i = 0; i < r->info.n_params && code == EXIT_DONE; i++) {
        file_value to;
        if (!r->parameters[i].save) continue;
        if (!file_value_parse(r->parameters[i].save, &to)) return fail_memory(r->inv);
        code = output_check(r->inv, to.path);
        free(to.path);
    }
    return code;
}

static bool saves_to_stdout(const run *r) {
    for (uint32_t i = 0; i < r->info.n_params; i++) {
        const char *save = r->parameters[i].save;
        if (save && (strcmp(save, "@-") == 0 || strncmp(save, "@-:", 3) == 0)) return true;
    }
    return false;
}

exit_code outputs_show(const run *r) {
    uint32_t n = r->info.n_params;
    saved *files = calloc((size_t)n + 1, sizeof *files);
    if (!files) return fail_memory(r->inv);
    exit_code code = EXIT_DONE;
    for (uint32_t i = 0; i < n && code == EXIT_DONE; i++) {
        if (r->parameters[i].save) code = stage(r, &r->parameters[i], &files[i]);
    }
    for (uint32_t i = 0; i < n && code == EXIT_DONE; i++) {
        if (r->parameters[i].save) code = output_commit(r->inv, &files[i].file);
    }
    for (uint32_t i = 0; i < n; i++) {
        output_finish(&files[i].file);
        free(files[i].bytes);
    }
    free(files);
    if (code != EXIT_DONE) return code;
    FILE *to = saves_to_stdout(r) ? stderr : stdout;
    if (option_given(r->inv, OPTION_JSON)) {
        print_json_run(to, r);
    } else {
        print_text(to, r);
    }
    return EXIT_DONE;
}
