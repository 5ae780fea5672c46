/* A shared library for exchange.py: what it calls of the API is linked in and exported. Compiled again with the
 * dlpack.h of another age and TIRB_EXCHANGE_HEADER, it is only the functions that tirb/dlpack.h has in itself. */
#include <tirb/dlpack.h>

TIRB_API int exchange_argument_v1(const tirb_dl_managed_v1 *managed, tirb_arg *out_arg);
TIRB_API void exchange_argument(const DLManagedTensor *managed, tirb_arg *out_arg);

int exchange_argument_v1(const tirb_dl_managed_v1 *managed, tirb_arg *out_arg) {
    return tirb_arg_from_managed_v1(managed, out_arg);
}

void exchange_argument(const DLManagedTensor *managed, tirb_arg *out_arg) { tirb_arg_from_managed(managed, out_arg); }

#if !defined(TIRB_EXCHANGE_HEADER)
typedef void (*any_function)(void);

TIRB_API const any_function tirb_exchange_uses[] = {
    (any_function)tirb_engine_create,   (any_function)tirb_engine_release,    (any_function)tirb_module_load,
    (any_function)tirb_module_release,  (any_function)tirb_module_find,       (any_function)tirb_instance_create,
    (any_function)tirb_instance_call,   (any_function)tirb_instance_destroy,  (any_function)tirb_tensor_create,
    (any_function)tirb_tensor_create_v1,
};
#endif
