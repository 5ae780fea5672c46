/* Open results, whose extents a function decides while it runs. */
#include "loader/base/error.h"
#include "vm/call/objects.h"
#include "vm/limits/steps.h"

/* An extent that a tensor has, where it ought to have another. */
static tirb_status refuse(const char *name, unsigned dimension, int64_t found, int64_t expected, tirb_error *error) {
    return tirbi_error_set(error, TIRB_SHAPE, "the result '%.64s': shape[%u] is %lld, expected %lld", name, dimension,
                           (long long)found, (long long)expected);
}

/* Errors: an extent is impossible, the caller's own tensor has another, or the signature with what the arguments say,
 * or there are not as many elements. */
static tirb_status check(const tirb_instance *instance, const tirbi_param *param, const int64_t *own,
                         const int64_t *known, const int64_t *extents, uint64_t bytes, const tirbi_ref *from,
                         tirb_error *error) {
    const char *name = tirbi_program_text(instance->module->program, param->name);
    for (unsigned j = 0; j < param->ndim; j++) {
        if (extents[j] < 0)
            return tirbi_error_set(error, TIRB_VALUE, "the result '%.64s': shape[%u] is %lld", name, j,
                                   (long long)extents[j]);
        if (own && own[j] != extents[j]) return refuse(name, j, own[j], extents[j], error);
        if (!own && known[j] >= 0 && known[j] != extents[j]) return refuse(name, j, extents[j], known[j], error);
    }
    if (bytes <= from->size) return TIRB_OK;
    return tirbi_error_set(error, TIRB_BOUNDS, "the result '%.64s' has more elements than it is made of", name);
}

/* Instead of the one that was made before, whose room it may take. */
static tirb_status make(tirb_instance *instance, const tirbi_param *param, const int64_t *extents,
                        DLManagedTensor **result, tirb_error *error) {
    DLManagedTensor *before = *result;
    *result = NULL;
    tirbi_tensor_leave(instance, before);
    return tirbi_tensor_make(instance, tirbi_dtype_to_dl((tirbi_dtype)param->dtype), extents, param->ndim, result,
                             error);
}

tirb_status tirbi_result_make(void *context, uint32_t param, const int64_t *extents, uint64_t bytes,
                              const tirbi_ref *from, tirb_error *error) {
    tirb_instance *instance = context;
    const tirbi_scratch *s = &instance->scratch;
    const tirbi_function *f = &instance->module->program->functions[s->called];
    const tirbi_plan *plan = &instance->module->plans[s->called];
    const tirbi_param *p = &f->params[param];
    const uint32_t number = param - (f->n_params - plan->n_results);
    DLManagedTensor **result = &s->results[number];
    const uint32_t slot = plan->slots[param];
    const int64_t *own = *result ? NULL : s->tensors[slot].view.shape;
    TIRBI_TRY(check(instance, p, own, s->result_dims[number], extents, bytes, from, error));
    if (!own) TIRBI_TRY(make(instance, p, extents, result, error));
    uint8_t *to = own ? s->now->refs[slot].data : (*result)->dl_tensor.data;
    /* The caller's own tensor may alias another. */
    if (tirbi_move_in_steps(to, from->data, bytes, &instance->stops.call)) return TIRB_OK;
    return tirbi_stop_status(atomic_load_explicit(&instance->stops.call, memory_order_relaxed), error);
}
