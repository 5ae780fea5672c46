#include "loader/bundle/program.h"

#include <stdio.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"

uint16_t tirbi_function_results(const tirbi_function *f) {
    uint16_t n = 0;
    while (n < f->n_params && f->params[f->n_params - 1 - n].is_result) n++;
    return n;
}

/* a / b rounded towards minus infinity or towards zero; b is not 0. The least value over -1 is an overflow. */
static bool divide(int64_t a, int64_t b, bool floor, int64_t *quotient, int64_t *remainder) {
    if (a == INT64_MIN && b == -1) return false;
    *quotient = a / b;
    *remainder = a % b;
    if (floor && *remainder != 0 && (*remainder < 0) != (b < 0)) {
        *quotient -= 1;
        *remainder += b;
    }
    return true;
}

static bool apply(uint8_t op, int64_t a, int64_t b, int64_t *out) {
    int64_t quotient = 0;
    int64_t remainder = 0;
    bool floor = op == TIRBI_DIM_FLOORDIV || op == TIRBI_DIM_FLOORMOD;
    switch (op) {
    case TIRBI_DIM_ADD:
        return tirbi_add_i64(a, b, out);
    case TIRBI_DIM_SUB:
        return tirbi_sub_i64(a, b, out);
    case TIRBI_DIM_MUL:
        return tirbi_mul_i64(a, b, out);
    case TIRBI_DIM_FLOORDIV:
    case TIRBI_DIM_TRUNCDIV:
        if (b == 0 || !divide(a, b, floor, &quotient, &remainder)) return false;
        *out = quotient;
        return true;
    case TIRBI_DIM_FLOORMOD:
    case TIRBI_DIM_TRUNCMOD:
        if (b == 0 || !divide(a, b, floor, &quotient, &remainder)) return false;
        *out = remainder;
        return true;
    case TIRBI_DIM_MIN:
        *out = a < b ? a : b;
        return true;
    case TIRBI_DIM_MAX:
        *out = a > b ? a : b;
        return true;
    default:
        return false;
    }
}

tirb_status tirbi_dim_eval(const tirbi_dim *dim, const int64_t *values, const bool *bound, int64_t *out,
                           tirb_error *error) {
    int64_t stack[TIRBI_MAX_DIM_TERMS];
    unsigned depth = 0;
    for (unsigned i = 0; i < dim->n_terms; i++) {
        const tirbi_dim_term *term = &dim->terms[i];
        if (term->op == TIRBI_DIM_CONST) {
            stack[depth++] = term->value;
        } else if (term->op == TIRBI_DIM_VAR) {
            if (!bound[term->value]) {
                return tirbi_error_set(error, TIRB_SHAPE, "a shape variable of the extent has no value yet");
            }
            stack[depth++] = values[term->value];
        } else {
            depth--;
            if (!apply(term->op, stack[depth - 1], stack[depth], &stack[depth - 1])) {
                return tirbi_error_set(error, TIRB_SHAPE, "the extent's arithmetic overflows or divides by zero");
            }
        }
    }
    *out = stack[0];
    return TIRB_OK;
}

const char *const tirbi_relations[TIRBI_N_RELATIONS + 1] = {
    [TIRBI_LESS] = "<",   [TIRBI_LESS_OR_EQUAL] = "<=", [TIRBI_GREATER] = ">", [TIRBI_GREATER_OR_EQUAL] = ">=",
    [TIRBI_EQUAL] = "==", [TIRBI_NOT_EQUAL] = "!="};

bool tirbi_relation_holds(uint8_t relation, int64_t left, int64_t right) {
    switch (relation) {
    case TIRBI_LESS:
        return left < right;
    case TIRBI_LESS_OR_EQUAL:
        return left <= right;
    case TIRBI_GREATER:
        return left > right;
    case TIRBI_GREATER_OR_EQUAL:
        return left >= right;
    case TIRBI_EQUAL:
        return left == right;
    default:
        return left != right;
    }
}

void tirbi_import_format(const tirbi_import *import, char out[TIRBI_MAX_IMPORT_TEXT]) {
    size_t at = 0;
    for (unsigned i = 0; i < import->n_params; i++) {
        const tirbi_import_param *param = &import->params[i];
        int n = snprintf(out + at, TIRBI_MAX_IMPORT_TEXT - at, "%s%s%s%s", i > 0 ? ", " : "(",
                         param->access != 0 && !(param->access & TIRBI_WRITE) ? "const " : "",
                         tirbi_dtypes[param->dtype].tvm_name, param->access != 0 ? "[]" : "");
        at += (size_t)n;
    }
    snprintf(out + at, TIRBI_MAX_IMPORT_TEXT - at, "%s%s%s", import->n_params == 0 ? "()" : ")",
             import->returns ? " -> " : "", import->returns ? tirbi_dtypes[import->return_type].tvm_name : "");
}

bool tirbi_function_may_alias(const tirbi_function *function, uint32_t a, uint32_t b) {
    uint32_t first = a < b ? a : b, second = a < b ? b : a;
    uint32_t low = 0, high = function->n_aliases;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const tirbi_alias *alias = &function->aliases[middle];
        if (alias->first == first && alias->second == second) return true;
        if (alias->first < first || (alias->first == first && alias->second < second)) low = middle + 1;
        else high = middle;
    }
    return false;
}

uint16_t tirbi_program_callable(const tirbi_program *program) {
    uint16_t n = program->n_functions;
    while (n > 0 && program->functions[n - 1].is_region) n--;
    return n;
}
