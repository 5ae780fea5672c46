/* The packed functions of TVM's run time that sort, by the plainest stable sort: each element goes in front of those
 * before it that it belongs in front of. */
#include "tests/reference/sorting.h"

#include <string.h>

#include "compiler/ir/equal.h"
#include "tests/reference/value.h"

static const char prefix[] = "tvm.contrib.sort.";

typedef struct array {
    const tirbi_ref_view *view;
    tirbi_dtype type;
} array;

/* Where an element is; false: the array does not have so many. */
static bool find(tirbi_ref_machine *m, const array *a, int64_t index, uint64_t *offset) {
    int64_t elements = 1;
    for (uint32_t d = 0; d < a->view->ndim; d++) elements *= a->view->shape[d];
    if (index >= elements) return tirbi_ref_fail(m, TIRB_BOUNDS, "an array of what is sorted has too few elements");
    *offset = (uint64_t)(a->view->base + index * tirbi_dtypes[a->type].size);
    return true;
}

static bool element(tirbi_ref_machine *m, const array *a, int64_t index, uint64_t *bits) {
    uint64_t offset = 0;
    return find(m, a, index, &offset) && tirbi_ref_read(m, a->view, offset, bits);
}

static bool put(tirbi_ref_machine *m, const array *a, int64_t index, uint64_t bits) {
    uint64_t offset = 0;
    return find(m, a, index, &offset) && tirbi_ref_write(m, a->view, offset, &bits);
}

static bool get_array(tirbi_ref_machine *m, const tirb_expr *e, array *out) {
    if (tirbi_whole_array(e) != NULL) e = tirbi_whole_array(e)->data;
    if (e->kind != TIRB_EXPR_VAR || e->as.var.data_of == NULL)
        return tirbi_ref_fail(m, TIRB_UNSUPPORTED, "an array that is no buffer");
    out->view = tirbi_ref_view_of(m, e->as.var.data_of);
    return out->view != NULL && tirbi_ref_element_type(m, e->as.var.data_of->dtype, &out->type);
}

static bool is_nan(tirbi_dtype type, uint64_t bits) {
    double value = tirbi_dtype_is_float(type) ? tirbi_ref_to_double(type, bits) : 0;
    return value != value;
}

/* Whether `a` belongs in front of `b`, which comes before it in the data. */
static bool in_front(tirbi_dtype type, bool ascend, uint64_t a, uint64_t b) {
    uint64_t less;
    bool known;
    if (is_nan(type, a) || is_nan(type, b)) return is_nan(type, b) && !is_nan(type, a);
    tirbi_ref_binary(ascend ? TIRB_OP_LT : TIRB_OP_GT, type, a, b, &less, &known);
    return less != 0;
}

typedef struct sorting {
    array data, counts, values, numbers;
    int64_t outer, extent, kept, inner;
    bool ascend;
} sorting;

static bool sort_row(tirbi_ref_machine *m, const sorting *s, int64_t o, int64_t i, uint64_t *keys, int64_t *order) {
    int64_t count = s->extent;
    uint64_t bits;
    if (s->counts.view != NULL) {
        if (!element(m, &s->counts, o * s->inner + i, &bits)) return false;
        count = (int64_t)bits < 0 ? 0 : (int64_t)bits < count ? (int64_t)bits : count;
    }
    for (int64_t k = 0; k < s->extent; k++) {
        if (!element(m, &s->data, (o * s->extent + k) * s->inner + i, &keys[k])) return false;
        int64_t at = k;
        while (k < count && at > 0 && in_front(s->data.type, s->ascend, keys[k], keys[order[at - 1]])) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = k;
    }
    for (int64_t k = 0; k < s->kept && k < s->extent; k++) {
        int64_t at = (o * s->kept + k) * s->inner + i;
        if (s->values.view != NULL && !put(m, &s->values, at, keys[order[k]])) return false;
        if (s->numbers.view != NULL &&
            !put(m, &s->numbers, at, tirbi_ref_cast(s->numbers.type, TIRB_I64, (uint64_t)order[k])))
            return false;
    }
    return true;
}

static bool sort_all(tirbi_ref_machine *m, sorting *s, int64_t axis) {
    const tirbi_ref_view *view = s->data.view;
    if (axis < 0) axis += view->ndim;
    s->outer = s->inner = 1;
    for (int64_t d = 0; d < view->ndim; d++) {
        if (d < axis) s->outer *= view->shape[d];
        if (d == axis) s->extent = view->shape[d];
        if (d > axis) s->inner *= view->shape[d];
    }
    if (s->kept < 1) s->kept = s->extent;
    uint64_t *keys = tirbi_ref_scratch(m, (size_t)s->extent, sizeof *keys);
    int64_t *order = tirbi_ref_scratch(m, (size_t)s->extent, sizeof *order);
    if (keys == NULL || order == NULL) return false;
    for (int64_t o = 0; o < s->outer; o++)
        for (int64_t i = 0; i < s->inner; i++)
            if (!sort_row(m, s, o, i, keys, order)) return false;
    return true;
}

/* Which arrays the function `name` has, of counts, values and numbers. */
static bool arrays_of(const char *name, const tirb_expr *e, array **out, sorting *s, bool *top) {
    *top = strcmp(name, "topk") == 0;
    out[0] = out[1] = NULL;
    if (strcmp(name, "sort") == 0) {
        out[0] = &s->values;
    } else if (strcmp(name, "argsort") == 0) {
        out[0] = &s->numbers;
    } else if (strcmp(name, "argsort_nms") == 0) {
        out[0] = &s->counts;
        out[1] = &s->numbers;
    } else if (*top) {
        const char *which = e->as.call.args[e->as.call.n_args - 2]->as.string.text;
        if (strcmp(which, "indices") != 0) out[0] = &s->values;
        if (strcmp(which, "values") != 0) out[out[0] != NULL] = &s->numbers;
    }
    return out[0] != NULL;
}

bool tirbi_ref_sort(tirbi_ref_machine *m, const tirb_expr *e, const char *name, bool *known) {
    sorting s = {.kept = 0};
    array *arrays[2];
    bool top;
    *known = strncmp(name, prefix, sizeof prefix - 1) == 0 && arrays_of(name + sizeof prefix - 1, e, arrays, &s, &top);
    if (!*known) return true;
    int64_t axis;
    uint32_t at = 1;
    if (!get_array(m, e->as.call.args[at++], &s.data)) return false;
    for (int i = 0; i < 2; i++)
        if (arrays[i] != NULL && !get_array(m, e->as.call.args[at++], arrays[i])) return false;
    if (top && !tirbi_ref_eval_int(m, e->as.call.args[at++], &s.kept)) return false;
    return tirbi_ref_eval_int(m, e->as.call.args[at], &axis) &&
           tirbi_ref_eval_bool(m, e->as.call.args[e->as.call.n_args - 1], &s.ascend) && sort_all(m, &s, axis);
}
