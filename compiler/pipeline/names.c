#include "compiler/pipeline/names.h"

#include <stdio.h>
#include <string.h>

#include "compiler/pipeline/passes.h"
#include "loader/base/error.h"

const char *tirb_pass_name(uint32_t index, const char **out_summary) {
    const tirbi_pass *pass = tirbi_pass_at(index);
    if (out_summary) *out_summary = pass ? pass->summary : NULL;
    return pass ? pass->name : NULL;
}

static const tirbi_pass *find_pass(const char *name, size_t size) {
    const tirbi_pass *pass;
    for (uint32_t i = 0; (pass = tirbi_pass_at(i)) != NULL; i++)
        if (strlen(pass->name) == size && memcmp(pass->name, name, size) == 0) return pass;
    return NULL;
}

/* Says that there is no such row, and what there is. */
static tirb_status no_such_pass(const char *name, size_t size, bool forms, tirb_error *error) {
    char list[512];
    size_t n = 0;
    for (uint32_t i = 0; i < TIRBI_PASSES && n < sizeof(list); i++) {
        const tirbi_pass *pass = tirbi_pass_at(i);
        if (!pass->run && !forms) continue;
        n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i > 0 ? ", " : "", pass->name);
    }
    const int shown = size < 64 ? (int)size : 64;
    return tirbi_error_set(error, TIRB_MISUSE, "there is no pass '%.*s': %s %s", shown, name,
                           forms ? "what can be left out is all, or" : "the passes are", list);
}

tirb_status tirbi_read_passes(const char *names, uint32_t *out_set, tirb_error *error) {
    *out_set = 0;
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t size = strcspn(at, ",");
        const tirbi_pass *pass = find_pass(at, size);
        if (pass)
            *out_set |= pass->bit;
        else if (size == 3 && memcmp(at, "all", size) == 0)
            *out_set |= (UINT32_C(1) << TIRBI_PASSES) - 1;
        else
            return no_such_pass(at, size, true, error);
    }
    return TIRB_OK;
}

uint32_t tirbi_left_out(const tirb_compile_options *options) {
    uint32_t set;
    (void)tirbi_read_passes(options->disable, &set, NULL);
    if (options->parallel == TIRB_PARALLEL_OFF) set |= TIRB_PASS_REGIONS;
    return options->parallel == TIRB_PARALLEL_ALL ? set | TIRB_PASS_GRAIN : set;
}

tirb_status tirbi_check_view(const char *pass, tirb_error *error) {
    const tirbi_pass *found = find_pass(pass, strlen(pass));
    return found && found->run ? TIRB_OK : no_such_pass(pass, strlen(pass), false, error);
}
