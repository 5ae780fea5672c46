/* Open results, whose extents a function decides while it runs. */
#include <string.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "vm/call/objects.h"

/* How many bytes the result has. Errors: an extent is impossible, or there are not as many elements. */
static tirb_status measure(const tirb_instance *instance, const tirbi_param *param, const int64_t *wanted,
                           const int64_t *extents, const tirbi_ref *from, uint64_t *bytes, tirb_error *error) {
    const char *name = tirbi_program_text(instance->module->program, param->name);
    int64_t count = 1;
    bool fits = true;
    for (unsigned j = 0; j < param->ndim; j++) {
        if (extents[j] < 0)
            return tirbi_error_set(error, TIRB_VALUE, "the result '%.64s': shape[%u] is %lld", name, j,
                                   (long long)extents[j]);
        if (wanted[j] >= 0 && wanted[j] != extents[j])
            return tirbi_error_set(error, TIRB_SHAPE, "the result '%.64s': shape[%u] is %lld, expected %lld", name, j,
                                   (long long)wanted[j], (long long)extents[j]);
    }
    for (unsigned j = 0; j < param->ndim; j++)
        if (extents[j] == 0) count = 0;
    for (unsigned j = 0; j < param->ndim && count > 0 && fits; j++) fits = tirbi_mul_i64(count, extents[j], &count);
    *bytes = fits && count <= INT64_MAX / 8 ? (uint64_t)count * tirbi_dtypes[param->dtype].size : UINT64_MAX;
    if (*bytes <= from->size) return TIRB_OK;
    return tirbi_error_set(error, TIRB_BOUNDS, "the result '%.64s' has more elements than it is made of", name);
}

static tirb_status make(tirb_instance *instance, const tirbi_param *param, const int64_t *extents,
                        DLManagedTensor **result, tirb_error *error) {
    DLManagedTensor *made;
    TIRBI_TRY(tirbi_tensor_make(instance->module->engine, &instance->heap, tirbi_dtype_to_dl((tirbi_dtype)param->dtype),
                                extents, param->ndim, &made, error));
    tirbi_tensor_hand_over(&instance->heap, *result);
    (*result)->deleter(*result);
    *result = made;
    return TIRB_OK;
}

tirb_status tirbi_result_make(void *context, uint32_t param, const int64_t *extents, const tirbi_ref *from,
                              tirb_error *error) {
    tirb_instance *instance = context;
    const tirbi_scratch *s = &instance->scratch;
    const tirbi_function *f = &instance->module->program->functions[s->called];
    const tirbi_plan *plan = &instance->module->plans[s->called];
    const tirbi_param *p = &f->params[param];
    DLManagedTensor **result = &s->results[param - (f->n_params - plan->n_results)];
    const uint32_t slot = plan->slots[param];
    const int64_t *given = *result ? plan->dims + plan->first_dim[param] : s->tensors[slot].view.shape;
    uint64_t bytes = 0;
    TIRBI_TRY(measure(instance, p, given, extents, from, &bytes, error));
    if (*result) TIRBI_TRY(make(instance, p, extents, result, error));
    uint8_t *to = *result ? (*result)->dl_tensor.data : s->refs[slot].data;
    if (bytes) memmove(to, from->data, (size_t)bytes); /* the caller's own tensor may alias another */
    return TIRB_OK;
}
