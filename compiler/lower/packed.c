/* The packed convention of TVM 0.27 in terms of the older one, which the machine has: `args` and `result` are arrays of
 * values with a type index each, where the older one has arrays of values and arrays of type codes. */
#include "compiler/lower/lower.h"

#include <string.h>

enum { ANY_PARAMS = 4, PARAMS = 6 };
enum { SELF, ARGS, COUNT, RESULT };

static bool is_any_packed(const tirb_primfunc *f) {
    if (!tirbi_is_packed(f) || f->n_params != ANY_PARAMS) return false;
    for (uint32_t i = 0; i < ANY_PARAMS; i++) {
        tirb_datatype type = f->params[i]->dtype;
        bool count = type.code == TIRB_CODE_INT && type.bits == 32 && type.lanes == 1;
        if (f->buffers[i] || (i == COUNT ? !count : type.code != TIRB_CODE_HANDLE)) return false;
    }
    return true;
}

static const tirb_expr *codes_of(tirbi_arena *arena, tirb_irmodule *m, const tirb_expr *values) {
    tirb_expr *codes = tirbi_copy_expr(arena, values);
    if (!codes) return NULL;
    codes->as.var.name = tirbi_arena_format(arena, "%s_codes", values->as.var.name);
    codes->as.var.id = m->n_vars++;
    return codes;
}

static tirb_primfunc *with_codes(tirbi_arena *arena, tirb_irmodule *m, const tirb_primfunc *f) {
    tirb_primfunc *made = TIRBI_NEW(arena, tirb_primfunc);
    const tirb_expr **params = TIRBI_NEW_ARRAY(arena, const tirb_expr *, PARAMS);
    const tirb_buffer **buffers = TIRBI_NEW_ARRAY(arena, const tirb_buffer *, PARAMS);
    if (!made || !params || !buffers) return NULL;
    const tirb_expr *const order[PARAMS] = {f->params[ARGS],   codes_of(arena, m, f->params[ARGS]),   f->params[COUNT],
                                            f->params[RESULT], codes_of(arena, m, f->params[RESULT]), f->params[SELF]};
    memcpy(params, order, sizeof order);
    *made = *f;
    made->params = params;
    made->buffers = buffers;
    made->n_params = PARAMS;
    made->any_packed = true;
    return made;
}

const tirb_irmodule *tirbi_with_type_codes(const tirb_irmodule *module, tirbi_arena *arena) {
    bool any = false;
    for (uint32_t i = 0; i < module->n_functions; i++) any = any || is_any_packed(module->functions[i]);
    if (!any) return module;
    tirb_irmodule *made = TIRBI_NEW(arena, tirb_irmodule);
    tirb_primfunc **functions = TIRBI_NEW_ARRAY(arena, tirb_primfunc *, module->n_functions);
    if (!made || !functions) return NULL;
    *made = *module;
    made->functions = functions;
    for (uint32_t i = 0; i < module->n_functions; i++) {
        bool packed = is_any_packed(module->functions[i]);
        functions[i] = packed ? with_codes(arena, made, module->functions[i]) : module->functions[i];
    }
    return arena->failed ? NULL : made;
}

/* ---- Type indices ----------------------------------------------------------------------------------------------- */

/* The older convention's codes of what a call may have, and the newer one's indices. */
static const struct {
    int8_t code, index;
} kinds[] = {{0, 1}, {2, 3}, {4, 0}}; /* integers, floats, nothing; everything else is a tensor */
enum { TENSOR = 7 };

static const tirbi_lx *mapped(tirbi_lx_pool *pool, const tirbi_lx *value, bool to_index) {
    const tirbi_lx *result = tirbi_lx_int(pool, TIRB_I32, TENSOR);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && value && result; i++) {
        const tirbi_lx *from = tirbi_lx_int(pool, TIRB_I32, to_index ? kinds[i].code : kinds[i].index);
        const tirbi_lx *to = tirbi_lx_int(pool, TIRB_I32, to_index ? kinds[i].index : kinds[i].code);
        const tirbi_lx *same = from ? tirbi_lx_op(pool, TIRB_OP_EQ, TIRB_I32, TIRB_TYPE_NONE, value, from, NULL) : NULL;
        result = same && to ? tirbi_lx_lazy(pool, TIRBI_LX_COND, same, to, result) : NULL;
    }
    return result;
}

const tirbi_lx *tirbi_index_of_code(tirbi_lx_pool *pool, const tirbi_lx *code) { return mapped(pool, code, true); }
const tirbi_lx *tirbi_code_of_index(tirbi_lx_pool *pool, const tirbi_lx *index) { return mapped(pool, index, false); }

const tirb_expr *tirbi_codes_of(const tirb_primfunc *f, const tirb_expr *values) {
    if (!f->any_packed || (values != f->params[0] && values != f->params[3])) return NULL;
    return values == f->params[0] ? f->params[1] : f->params[4];
}
