/* Register files, parameters and shape variables. */
#include <string.h>

#include "loader/base/error.h"
#include "loader/base/work.h"
#include "loader/verify/checker.h"

/* ---- Registers ------------------------------------------------------------------------------------------------ */

static tirb_status check_register_files(checker *c) {
    const tirbi_function *f = c->function;
    if (f->n_sregs > TIRBI_MAX_SREGS) {
        return tirbi_verify_fail(c, "%u scalar registers, at most %d", f->n_sregs, TIRBI_MAX_SREGS);
    }
    if (f->n_lane_regs > TIRBI_MAX_LANE_REGS) {
        return tirbi_verify_fail(c, "%u lane registers, at most %d", f->n_lane_regs, TIRBI_MAX_LANE_REGS);
    }
    if (f->n_reds > TIRBI_MAX_REDUCTIONS) {
        return tirbi_verify_fail(c, "%u reduction states, at most %d", f->n_reds, TIRBI_MAX_REDUCTIONS);
    }
    if (f->returns && f->return_type >= TIRB_N_DTYPES) {
        return tirbi_verify_fail(c, "return type: no type %u", f->return_type);
    }
    for (unsigned i = 0; i < f->n_refs; i++) {
        if (f->refs[i].dtype >= TIRB_N_DTYPES) {
            return tirbi_verify_fail(c, "reference register %u: no type %u", i, f->refs[i].dtype);
        }
    }
    for (unsigned i = 0; i < f->n_reds; i++) {
        if (f->reds[i].dtype != TIRB_F32 && f->reds[i].dtype != TIRB_F64) {
            return tirbi_verify_fail(c, "reduction state %u: type %u is not f32 or f64", i, f->reds[i].dtype);
        }
        if (f->reds[i].op > TIRBI_RED_MAX) {
            return tirbi_verify_fail(c, "reduction state %u: no operation %u", i, f->reds[i].op);
        }
    }
    return TIRB_OK;
}

/* ---- Parameters and shape variables --------------------------------------------------------------------------- */

/* Of `owner` number `index`: "parameter", "condition". */
static tirb_status check_dim(checker *c, const tirbi_dim *dim, const char *owner, unsigned index, const char *what) {
    if (dim->n_terms == 0 || dim->n_terms > TIRBI_MAX_DIM_TERMS) {
        return tirbi_verify_fail(c, "%s %u: %s of %u terms, not 1 to %d", owner, index, what, dim->n_terms,
                                 TIRBI_MAX_DIM_TERMS);
    }
    TIRBI_TRY(tirbi_work(c->scratch, dim->n_terms, c->error));
    unsigned depth = 0;
    for (unsigned i = 0; i < dim->n_terms; i++) {
        const tirbi_dim_term *term = &dim->terms[i];
        if (term->op > TIRBI_DIM_MAX)
            return tirbi_verify_fail(c, "%s %u: %s: no term %u", owner, index, what, term->op);
        if (term->op == TIRBI_DIM_VAR && (term->value < 0 || term->value >= c->function->n_vars)) {
            return tirbi_verify_fail(c, "%s %u: %s: shape variable %lld >= %u", owner, index, what,
                                     (long long)term->value, c->function->n_vars);
        }
        if (term->op <= TIRBI_DIM_VAR) {
            depth++;
        } else if (depth < 2) {
            return tirbi_verify_fail(c, "%s %u: %s: term %u has %u operands, not 2", owner, index, what, i, depth);
        } else {
            depth--;
        }
    }
    if (depth == 1) return TIRB_OK;
    return tirbi_verify_fail(c, "%s %u: %s leaves %u values, not 1", owner, index, what, depth);
}

static tirb_status check_tensor(checker *c, const tirbi_param *param, unsigned index) {
    const tirbi_function *f = c->function;
    if (param->reg >= f->n_refs) {
        return tirbi_verify_fail(c, "parameter %u: reference register %u >= %u", index, param->reg, f->n_refs);
    }
    if (param->access > (TIRBI_READ | TIRBI_WRITE)) {
        return tirbi_verify_fail(c, "parameter %u: access %u is not 0 to 3", index, param->access);
    }
    const tirbi_ref_type *ref = &f->refs[param->reg];
    if (ref->dtype != param->dtype) {
        return tirbi_verify_fail(c, "parameter %u is %s, its register r%u is %s", index,
                                 tirbi_dtypes[param->dtype].name, param->reg, tirbi_dtypes[ref->dtype].name);
    }
    bool written = param->access & TIRBI_WRITE;
    if (ref->writable != written) {
        return tirbi_verify_fail(c, "parameter %u is %swritten, its register r%u is %swritable", index,
                                 written ? "" : "not ", param->reg, ref->writable ? "" : "not ");
    }
    if (param->ndim > TIRBI_MAX_NDIM) {
        return tirbi_verify_fail(c, "parameter %u: %u dimensions, at most %d", index, param->ndim, TIRBI_MAX_NDIM);
    }
    for (unsigned i = 0; i < param->ndim; i++) {
        TIRBI_TRY(check_dim(c, &param->shape[i], "parameter", index, "an extent"));
        const tirbi_dim_term *term = param->shape[i].terms;
        if (param->shape[i].n_terms == 1 && term->op == TIRBI_DIM_CONST && term->value < 0) {
            return tirbi_verify_fail(c, "parameter %u: extent %lld < 0", index, (long long)term->value);
        }
    }
    for (unsigned i = 0; i < param->ndim && param->has_strides; i++) {
        TIRBI_TRY(check_dim(c, &param->strides[i], "parameter", index, "a stride"));
    }
    for (unsigned i = 0; i < param->ndim && param->minima; i++) {
        TIRBI_TRY(check_dim(c, &param->minima[i], "parameter", index, "a minimum"));
    }
    return param->has_elem_offset ? check_dim(c, &param->elem_offset, "parameter", index, "the offset") : TIRB_OK;
}

/* A call makes a compact tensor for a result that the caller leaves out. */
static tirb_status check_result(checker *c, const tirbi_param *param, unsigned index) {
    const tirbi_function *f = c->function;
    if (param->is_open && (!param->is_result || param->ndim == 0 || !(param->access & TIRBI_WRITE))) {
        return tirbi_verify_fail(c, "parameter %u is open and no written result with dimensions", index);
    }
    if (!param->is_result) {
        if (index == 0 || !param[-1].is_result) return TIRB_OK;
        return tirbi_verify_fail(c, "parameter %u comes after a result", index);
    }
    if (!f->is_public || f->is_packed) {
        return tirbi_verify_fail(c, "parameter %u is a result of a %s function", index,
                                 f->is_packed ? "packed" : "private");
    }
    if (!param->has_strides && !param->has_elem_offset) return TIRB_OK;
    return tirbi_verify_fail(c, "parameter %u is a result with %s", index,
                             param->has_strides ? "strides" : "an offset");
}

static tirb_status check_scalar(checker *c, const tirbi_param *param, unsigned index) {
    if (param->reg >= c->function->n_sregs) {
        return tirbi_verify_fail(c, "parameter %u: scalar register %u >= %u", index, param->reg, c->function->n_sregs);
    }
    if (param->access != 0 || param->ndim != 0 || param->has_strides || param->has_elem_offset || param->minima ||
        param->is_result || param->is_open) {
        return tirbi_verify_fail(c, "parameter %u is a scalar with what a tensor has: access, a shape, strides, an "
                                    "offset or minima, or a result",
                                 index);
    }
    return TIRB_OK;
}

/* Which registers hold parameters and variables, bit per register; all are 0 between functions. */
static tirb_status take_register(checker *c, uint8_t *taken, uint16_t reg, char file, const char *what,
                                 unsigned index) {
    if (checker_bit(taken, reg)) {
        return tirbi_verify_fail(c, "%s %u: register %c%u is taken already", what, index, file, reg);
    }
    checker_set_bit(taken, reg);
    return TIRB_OK;
}

/* A function has as many registers as it says, and says so in few bytes: only what was taken is cleared. */
static void give_registers_back(checker *c) {
    const tirbi_function *f = c->function;
    checker_taken *taken = c->taken;
    for (unsigned i = 0; i < f->n_params; i++) {
        const bool is_tensor = f->params[i].kind == TIRB_PARAM_TENSOR;
        (is_tensor ? taken->refs : taken->scalars)[f->params[i].reg / 8] = 0;
    }
    for (unsigned i = 0; i < f->n_vars; i++)
        taken->scalars[f->vars[i].reg / 8] = taken->parameters[f->vars[i].reg / 8] = 0;
}

static tirb_status check_params(checker *c, checker_arity *arity) {
    const tirbi_function *f = c->function;
    for (unsigned i = 0; i < f->n_params; i++) {
        const tirbi_param *param = &f->params[i];
        TIRBI_TRY(tirbi_verify_name(c, param->name, "parameter", i));
        TIRBI_TRY(tirbi_verify_unique(c, param->name, c->function_index, "parameters"));
        if (param->dtype >= TIRB_N_DTYPES) return tirbi_verify_fail(c, "parameter %u: no type %u", i, param->dtype);
        if (param->kind == TIRB_PARAM_TENSOR) {
            TIRBI_TRY(check_tensor(c, param, i));
            TIRBI_TRY(take_register(c, c->taken->refs, param->reg, 'r', "parameter", i));
            arity->n_tensors++;
        } else if (param->kind == TIRB_PARAM_SCALAR) {
            TIRBI_TRY(check_scalar(c, param, i));
            TIRBI_TRY(take_register(c, c->taken->scalars, param->reg, 's', "parameter", i));
            arity->n_scalars++;
        } else {
            return tirbi_verify_fail(c, "parameter %u: no kind %u", i, param->kind);
        }
        TIRBI_TRY(check_result(c, param, i));
    }
    return TIRB_OK;
}

static tirb_status check_aliases(checker *c) {
    const tirbi_function *f = c->function;
    for (unsigned i = 0; i < f->n_aliases; i++) {
        const tirbi_alias *alias = &f->aliases[i], *last = i > 0 ? &f->aliases[i - 1] : NULL;
        if (alias->first >= alias->second) {
            return tirbi_verify_fail(c, "alias %u: parameters %u and %u do not ascend", i, alias->first, alias->second);
        }
        if (alias->second >= f->n_params) {
            return tirbi_verify_fail(c, "alias %u: parameter %u >= %u", i, alias->second, f->n_params);
        }
        for (unsigned k = 0; k < 2; k++) {
            unsigned param = k == 0 ? alias->first : alias->second;
            if (f->params[param].kind == TIRB_PARAM_TENSOR) continue;
            return tirbi_verify_fail(c, "alias %u: parameter %u is no tensor", i, param);
        }
        bool ascends =
            !last || last->first < alias->first || (last->first == alias->first && last->second < alias->second);
        if (!ascends) {
            return tirbi_verify_fail(c, "alias %u: %u and %u stand behind %u and %u", i, alias->first, alias->second,
                                     last->first, last->second);
        }
    }
    return TIRB_OK;
}

static tirb_status check_conditions(checker *c) {
    const tirbi_function *f = c->function;
    if (f->n_conditions > TIRBI_MAX_CONDITIONS) {
        return tirbi_verify_fail(c, "%u conditions, at most %d", f->n_conditions, TIRBI_MAX_CONDITIONS);
    }
    for (unsigned i = 0; i < f->n_conditions; i++) {
        const tirbi_condition *condition = &f->conditions[i];
        if (condition->relation >= TIRBI_N_RELATIONS) {
            return tirbi_verify_fail(c, "condition %u: no relation %u", i, condition->relation);
        }
        TIRBI_TRY(check_dim(c, &condition->left, "condition", i, "its left side"));
        TIRBI_TRY(check_dim(c, &condition->right, "condition", i, "its right side"));
    }
    return TIRB_OK;
}

/* A shape variable that is a scalar parameter shares its register and type. */
static tirb_status check_shared_var(checker *c, const tirbi_var *var, unsigned index) {
    const tirbi_function *f = c->function;
    if (var->param >= f->n_params || f->params[var->param].kind != TIRB_PARAM_SCALAR) {
        return tirbi_verify_fail(c, "shape variable %u: parameter %u is not a scalar parameter", index, var->param);
    }
    const tirbi_param *param = &f->params[var->param];
    if (param->reg != var->reg || param->dtype != var->dtype) {
        return tirbi_verify_fail(c, "shape variable %u is s%u of type %u, but its parameter is s%u of type %u", index,
                                 var->reg, var->dtype, param->reg, param->dtype);
    }
    return take_register(c, c->taken->parameters, var->reg, 's', "shape variable", index);
}

static tirb_status check_vars(checker *c, checker_arity *arity) {
    const tirbi_function *f = c->function;
    for (unsigned i = 0; i < f->n_vars; i++) {
        const tirbi_var *var = &f->vars[i];
        TIRBI_TRY(tirbi_verify_name(c, var->name, "shape variable", i));
        if (var->dtype >= TIRB_N_DTYPES) {
            return tirbi_verify_fail(c, "shape variable %u: no type %u", i, var->dtype);
        }
        if (!tirbi_dtype_is_int((tirbi_dtype)var->dtype)) {
            return tirbi_verify_fail(c, "shape variable %u: type %u is not an integer type", i, var->dtype);
        }
        if (var->reg >= f->n_sregs) {
            return tirbi_verify_fail(c, "shape variable %u: scalar register %u >= %u", i, var->reg, f->n_sregs);
        }
        if (var->param != TIRBI_NO_REG) {
            TIRBI_TRY(check_shared_var(c, var, i));
        } else {
            TIRBI_TRY(take_register(c, c->taken->scalars, var->reg, 's', "shape variable", i));
            arity->n_scalars++;
        }
    }
    return TIRB_OK;
}

/* What a fork calls: nobody else does, it begins with the chunk's begin and end, and gives nothing back. Regions come
 * behind all other functions, so that the numbers of those do not depend on how loops run. */
static tirb_status check_region(checker *c) {
    const tirbi_function *f = c->function;
    if (!f->is_region) {
        if (c->function_index == 0 || !f[-1].is_region) return TIRB_OK;
        return tirbi_verify_fail(c, "it comes after a region");
    }
    if (f->is_public) return tirbi_verify_fail(c, "a region is not public");
    if (f->returns) return tirbi_verify_fail(c, "a region returns nothing");
    if (f->n_vars > 0) return tirbi_verify_fail(c, "a region has no shape variables");
    if (f->n_aliases > 0) return tirbi_verify_fail(c, "a region has no aliases");
    if (f->n_conditions > 0) return tirbi_verify_fail(c, "a region has no conditions");
    for (unsigned i = 0; i < f->n_params; i++) {
        if (f->params[i].minima) return tirbi_verify_fail(c, "parameter %u of a region has minima", i);
    }
    for (unsigned i = 0; i < 2; i++) {
        bool counts = i < f->n_params && f->params[i].kind == TIRB_PARAM_SCALAR && f->params[i].dtype == TIRB_I64;
        if (!counts) return tirbi_verify_fail(c, "parameter %u of a region is not an i64 scalar", i);
    }
    return TIRB_OK;
}

/* What the VM hands to a packed function: the values of the arguments, their type codes, their number, places for a
 * result and its code, and a resource handle in newer ones. Their extents are not known: 0. */
static tirb_status check_packed(checker *c) {
    static const struct {
        uint8_t kind, dtype;
    } wanted[] = {{TIRB_PARAM_TENSOR, TIRB_I64}, {TIRB_PARAM_TENSOR, TIRB_I32}, {TIRB_PARAM_SCALAR, TIRB_I32},
                  {TIRB_PARAM_TENSOR, TIRB_I64}, {TIRB_PARAM_TENSOR, TIRB_I32}, {TIRB_PARAM_TENSOR, TIRB_I64}};
    const tirbi_function *f = c->function;
    if (!f->is_packed) return TIRB_OK;
    if (f->n_params != 5 && f->n_params != 6) {
        return tirbi_verify_fail(c, "a packed function has 5 or 6 parameters, not %u", f->n_params);
    }
    if (!f->returns || f->return_type != TIRB_I32) return tirbi_verify_fail(c, "a packed function returns i32");
    if (f->n_vars > 0) return tirbi_verify_fail(c, "a packed function has no shape variables");
    if (f->n_conditions > 0) return tirbi_verify_fail(c, "a packed function has no conditions");
    for (unsigned i = 0; i < f->n_params; i++) {
        const tirbi_param *param = &f->params[i];
        bool good = param->kind == wanted[i].kind && param->dtype == wanted[i].dtype;
        if (good && param->kind == TIRB_PARAM_TENSOR) {
            good = param->ndim == 1 && !param->has_strides && !param->has_elem_offset && !param->minima &&
                   param->shape[0].n_terms == 1 && param->shape[0].terms[0].op == TIRBI_DIM_CONST &&
                   param->shape[0].terms[0].value == 0;
        }
        if (good && (param->access & TIRBI_WRITE)) good = i == 3 || i == 4;
        if (!good) return tirbi_verify_fail(c, "parameter %u is not that of a packed function", i);
    }
    return TIRB_OK;
}

tirb_status tirbi_verify_signature(checker *c) {
    checker_arity *arity = &c->arities[c->function_index];
    const tirbi_function *f = c->function;
    *arity = (checker_arity){0};
    const uint64_t registers = UINT64_C(1) + f->n_refs + f->n_reds;
    const uint64_t rest = UINT64_C(0) + f->n_params + f->n_vars + f->n_aliases + f->n_conditions;
    TIRBI_TRY(tirbi_work(c->scratch, registers + rest, c->error));
    TIRBI_TRY(check_register_files(c));
    TIRBI_TRY(check_params(c, arity));
    TIRBI_TRY(check_aliases(c));
    TIRBI_TRY(check_conditions(c));
    TIRBI_TRY(check_region(c));
    TIRBI_TRY(check_packed(c));
    TIRBI_TRY(check_vars(c, arity));
    give_registers_back(c);
    return TIRB_OK;
}
