/* What is said on stderr about a program: as text for people, or with --diagnostics=json one object a line. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/json.h"
#include "loader/base/printable.h"

bool diagnostics_are_json(const invocation *inv) {
    const char *format = inv ? option_text(inv, OPTION_DIAGNOSTICS) : NULL;
    return format && strcmp(format, "json") == 0;
}

void json_add_text(cJSON *object, const char *key, const char *text) {
    static const char replacement[] = "\xEF\xBF\xBD";
    if (!text) return;
    char *valid = malloc(strlen(text) * (sizeof replacement - 1) + 1), *to = valid;
    if (!valid) return;
    for (const char *from = text; *from;) {
        size_t n = tirbi_character_size(from, strnlen(from, 4));
        memcpy(to, n ? from : replacement, n ? n : sizeof replacement - 1);
        to += n ? n : sizeof replacement - 1;
        from += n ? n : 1;
    }
    *to = '\0';
    cJSON_AddStringToObject(object, key, valid);
    free(valid);
}

static char *finish(cJSON *object) {
    char *text = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    return text;
}

char *diagnostic_json(const char *file, const tirb_diagnostic *d) {
    static const char *const severities[] = {"note", "warning", "error"};
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "severity", severities[d->severity]);
    if (d->code != TIRB_OK) cJSON_AddStringToObject(object, "status", tirb_status_name(d->code));
    json_add_text(object, "message", d->message ? d->message : "");
    json_add_text(object, "file", file);
    if (d->line) {
        cJSON_AddNumberToObject(object, "line", d->line);
        cJSON_AddNumberToObject(object, "column", d->column);
    }
    if (d->end_line) {
        cJSON_AddNumberToObject(object, "end_line", d->end_line);
        cJSON_AddNumberToObject(object, "end_column", d->end_column);
    }
    json_add_text(object, "source_line", d->source_line);
    return finish(object);
}

char *failure_json(const invocation *inv, exit_code code, const char *message) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "severity", "error");
    json_add_text(object, "message", message);
    cJSON_AddStringToObject(object, "command", inv->command->name);
    cJSON_AddNumberToObject(object, "exit_code", code);
    return finish(object);
}

/* One diagnostic of a result with its newline, in `buffer` if it has room; returns the length it needs. */
static size_t one_text(const char *file, const tirb_compile_result *result, uint32_t index, bool json, char *buffer,
                       size_t size) {
    if (!json) return tirb_compile_result_format(result, index, buffer, size);
    char *line = diagnostic_json(file, tirb_compile_result_diagnostic(result, index));
    size_t n = line ? strlen(line) : 0;
    if (line && n + 1 < size) {
        memcpy(buffer, line, n);
        buffer[n] = '\n';
    }
    cJSON_free(line);
    return line ? n + 1 : 0;
}

bool has_warnings(const tirb_compile_result *result) {
    uint32_t n = result ? tirb_compile_result_diagnostic_count(result) : 0;
    for (uint32_t i = 0; i < n; i++)
        if (tirb_compile_result_diagnostic(result, i)->severity == TIRB_SEVERITY_WARNING) return true;
    return false;
}

char *diagnostics_text(const invocation *inv, const char *file, const tirb_compile_result *result, size_t *out_size) {
    bool json = diagnostics_are_json(inv);
    uint32_t n = result ? tirb_compile_result_diagnostic_count(result) : 0;
    size_t size = 0, at = 0;
    bool errors_only = option_given(inv, OPTION_NO_WARNINGS), is_said = true;
    for (uint32_t i = 0; i < n; i++) size += one_text(file, result, i, json, NULL, 0);
    char *text = malloc(size + 1);
    if (!text) return NULL;
    for (uint32_t i = 0; i < n && at < size; i++) {
        tirb_severity severity = tirb_compile_result_diagnostic(result, i)->severity;
        if (severity != TIRB_SEVERITY_NOTE) is_said = !errors_only || severity == TIRB_SEVERITY_ERROR;
        if (is_said) at += one_text(file, result, i, json, text + at, size - at + 1);
    }
    *out_size = at;
    return text;
}
