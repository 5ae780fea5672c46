/* What commands share that make the same call again and again. */
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/run.h"

exit_code time_option_read(const invocation *inv, uint64_t *out_ns) {
    const char *time = option_text(inv, OPTION_TIME);
    *out_ns = 1000000000;
    if (!time) return EXIT_DONE;
    char *end;
    double seconds = strtod(time, &end);
    if (end == time || *end || !(seconds > 0) || !(seconds <= 3600)) {
        return fail_usage(inv->command, "--time is a number of seconds above 0 and up to 3600, not '%s'", time);
    }
    *out_ns = (uint64_t)(seconds * 1e9);
    return EXIT_DONE;
}

exit_code first_values_keep(first_values *first, const run *r) {
    uint32_t n = r->info.n_params;
    first->bytes = calloc((size_t)n + 1, sizeof *first->bytes);
    if (!first->bytes) return fail_memory(r->inv);
    for (uint32_t i = 0; i < n; i++) {
        const parameter *p = &r->parameters[i];
        if (p->info.kind != TIRB_PARAM_TENSOR || !p->info.is_read || !p->info.is_written || p->info.is_result)
            continue;
        first->bytes[i] = malloc(p->value.tensor.size + 1);
        if (!first->bytes[i]) return fail_memory(r->inv);
        memcpy(first->bytes[i], p->value.tensor.data, p->value.tensor.size);
        first->any = true;
    }
    return EXIT_DONE;
}

void first_values_restore(const first_values *first, const run *r) {
    for (uint32_t i = 0; first->any && i < r->info.n_params; i++) {
        const tensor *t = &r->parameters[i].value.tensor;
        if (first->bytes[i]) memcpy(t->data, first->bytes[i], t->size);
    }
}

void first_values_free(first_values *first, const run *r) {
    for (uint32_t i = 0; first->bytes && i < r->info.n_params; i++) free(first->bytes[i]);
    free(first->bytes);
}
