/* What results are called: the function attribute "tirb.results" is a string with a name for each result of the
 * flattened tuple, between spaces. What a name may be is the bundle's to say, not Python's: models from elsewhere have
 * all sorts. */
#include "compiler/relax/lower/lowering.h"

#include <string.h>

enum { LONGEST_NAME = 1024 }; /* that bundles take */

static bool refuse(tirbi_relax_lowering *l, const tirb_relax_function *f, tirb_status status, const char *why) {
    tirbi_report_error(l->diagnostics, status, f->span, "\"tirb.results\" %s", why ? why : "");
    return false;
}

static bool add_names(tirbi_relax_lowering *l, const tirb_relax_function *f, const char *at) {
    for (size_t length; *(at += strspn(at, " ")); at += length) {
        length = strcspn(at, " ");
        if (length > LONGEST_NAME)
            return refuse(l, f, TIRB_VALUE,
                          tirbi_arena_format(l->arena, "has a name of %zu bytes, which is longer than %d bytes", length,
                                             LONGEST_NAME));
        const char **slot = TIRBI_LIST_ADD(l->arena, &l->result_names, const char *);
        if (!slot || !(*slot = tirbi_arena_format(l->arena, "%.*s", (int)length, at))) return false;
    }
    return true;
}

bool tirbi_relax_read_names(tirbi_relax_lowering *l, const tirb_relax_function *f) {
    l->result_names = (tirbi_list){.n = 0};
    for (uint32_t i = 0; i < f->n_attrs; i++) {
        if (strcmp(f->attrs[i].key, "tirb.results") != 0) continue;
        const tirb_expr *value = f->attrs[i].value;
        if (!value || value->kind != TIRB_EXPR_STRING_IMM)
            return refuse(l, f, TIRB_TYPE, "must be a string with a name for each result, between spaces");
        return add_names(l, f, value->as.string.text);
    }
    return true;
}

bool tirbi_relax_check_names(tirbi_relax_lowering *l, const tirb_relax_function *f, uint32_t n_results) {
    const uint32_t n = l->result_names.n;
    if (n == 0 || n == n_results) return true;
    return refuse(l, f, TIRB_VALUE,
                  tirbi_arena_format(l->arena, "has %u name%s, and `%s` gives %u result%s", (unsigned)n,
                                     n == 1 ? "" : "s", f->name, (unsigned)n_results, n_results == 1 ? "" : "s"));
}

/* Whether it is the number of a result, which finds that one. */
static bool is_number(const char *name, uint32_t n_results) {
    uint64_t number = 0;
    for (; *name; name++) {
        if (*name < '0' || *name > '9') return false;
        if (number < n_results) number = 10 * number + (uint64_t)(*name - '0');
    }
    return number < n_results;
}

const char *tirbi_relax_given_name(const tirbi_relax_lowering *l, uint32_t number) {
    const char *const *names = l->result_names.items;
    return number < l->result_names.n && !is_number(names[number], l->result_names.n) ? names[number] : NULL;
}

bool tirbi_relax_is_spelt(const tirbi_relax_lowering *l, const tirb_relax_var *v) {
    const tirbi_source *source = l->diagnostics->source;
    const size_t size = strlen(v->name);
    return source && v->span.begin < source->size && size <= source->size - v->span.begin &&
           memcmp(source->text + v->span.begin, v->name, size) == 0;
}
