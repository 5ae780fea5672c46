#include "compiler/ir/allreduce.h"

#include <string.h>

bool tirbi_is_allreduce(const tirb_expr *e) {
    if (e->kind != TIRB_EXPR_CALL || e->as.call.function || e->as.call.function_name ||
        e->as.call.builtin != TIRB_BUILTIN_FOREIGN)
        return false;
    const tirb_expr *name = e->as.call.n_args ? e->as.call.args[0] : NULL;
    return name && name->kind == TIRB_EXPR_STRING_IMM && strcmp(name->as.string.text, "tvm_thread_allreduce") == 0;
}

bool tirbi_allreduce_of(const tirb_expr *e, tirbi_allreduce *out) {
    enum { FIRST = 2 }; /* behind the name and the number of values */
    const tirb_expr *const *args = e->as.call.args;
    uint32_t n_args = e->as.call.n_args;
    if (n_args < FIRST || args[1]->kind != TIRB_EXPR_INT_IMM || args[1]->as.int_value < 1) return false;
    if (args[1]->as.int_value > n_args || 2 * (uint32_t)args[1]->as.int_value + 1 > n_args - FIRST) return false;
    uint32_t n = (uint32_t)args[1]->as.int_value;
    *out = (tirbi_allreduce){.sources = args + FIRST, .condition = args[FIRST + n], .targets = args + FIRST + n + 1,
                             .threads = args + FIRST + 2 * n + 1, .n = n, .n_threads = n_args - FIRST - 2 * n - 1};
    for (uint32_t i = 0; i < n; i++) {
        if (out->targets[i]->kind != TIRB_EXPR_LOAD || out->targets[i]->dtype.lanes != 1 ||
            out->sources[i]->dtype.lanes != 1)
            return false;
    }
    return out->condition->dtype.code == TIRB_CODE_BOOL && out->condition->dtype.lanes == 1;
}
