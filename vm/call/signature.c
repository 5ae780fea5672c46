#include "vm/call/signature.h"

#include <stdio.h>
#include <string.h>

/* A text of limited size; what does not fit is dropped and remembered. */
typedef struct text {
    char *data;
    size_t size;
    size_t used; /* less than size */
    bool cut;
} text;

static text text_over(char *data, size_t size) {
    data[0] = 0;
    return (text){.data = data, .size = size};
}

/* Without formats: each module that is loaded shows the signatures of its functions. */
static void put(text *t, const char *string) {
    size_t length = strlen(string), room = t->size - t->used - 1;
    if (length > room) {
        t->cut = true;
        length = room;
    }
    memcpy(t->data + t->used, string, length);
    t->used += length;
    t->data[t->used] = 0;
}

size_t tirbi_text_cut(const char *string, size_t limit) {
    size_t length = strnlen(string, limit + 1);
    if (length <= limit) return length;
    length = limit;
    for (unsigned k = 0; k < 3 && length > 0 && ((unsigned char)string[length] & 0xC0) == 0x80; k++) length--;
    return length;
}

static size_t finish(text *t) {
    if (t->cut) {
        t->used = tirbi_text_cut(t->data, t->size - 4);
        memcpy(t->data + t->used, "...", 4);
        t->used += 3;
    }
    return t->used;
}

/* ---- Extents --------------------------------------------------------------------------------------------------- */

typedef struct dim_operator {
    const char *before, *between, *after;
    int level;         /* how tightly it binds: sum 1, product 2, anything closed 3 */
    int operand_level; /* the level that its right operand needs */
} dim_operator;

enum { CLOSED = 3 };

static const dim_operator dim_operators[] = {
    [TIRBI_DIM_ADD] = {"", " + ", "", 1, 1},
    [TIRBI_DIM_SUB] = {"", " - ", "", 1, 2},
    [TIRBI_DIM_MUL] = {"", " * ", "", 2, 3},
    [TIRBI_DIM_FLOORDIV] = {"", " // ", "", 2, 3},
    [TIRBI_DIM_FLOORMOD] = {"", " % ", "", 2, 3},
    [TIRBI_DIM_TRUNCDIV] = {"truncdiv(", ", ", ")", CLOSED, 0},
    [TIRBI_DIM_TRUNCMOD] = {"truncmod(", ", ", ")", CLOSED, 0},
    [TIRBI_DIM_MIN] = {"min(", ", ", ")", CLOSED, 0},
    [TIRBI_DIM_MAX] = {"max(", ", ", ")", CLOSED, 0},
};

enum { N_DIM_OPERATORS = sizeof(dim_operators) / sizeof(dim_operators[0]) };

static void insert(text *t, size_t at, const char *string) {
    size_t length = strlen(string);
    if (length >= t->size - t->used) {
        t->cut = true;
        return;
    }
    memmove(t->data + at + length, t->data + at, t->used - at + 1);
    memcpy(t->data + at, string, length);
    t->used += length;
}

/* An operand on the stack: its text begins at `start` and ends where the next one begins. */
typedef struct dim_operand {
    size_t start;
    int level;
} dim_operand;

static void join(text *t, const dim_operand *left, const dim_operand *right, const dim_operator *op) {
    bool closed = op->level == CLOSED;
    if (!closed && right->level < op->operand_level) {
        insert(t, right->start, "(");
        put(t, ")");
    }
    insert(t, right->start, op->between);
    if (!closed && left->level < op->level) {
        insert(t, right->start, ")");
        insert(t, left->start, "(");
    }
    insert(t, left->start, op->before);
    put(t, op->after);
}

size_t tirbi_dim_format(const tirbi_program *program, const tirbi_function *function, const tirbi_dim *dim, char *out,
                        size_t size) {
    text t = text_over(out, size);
    dim_operand stack[TIRBI_MAX_DIM_TERMS];
    unsigned depth = 0;
    for (unsigned i = 0; i < dim->n_terms && !t.cut; i++) {
        const tirbi_dim_term *term = &dim->terms[i];
        if (term->op == TIRBI_DIM_CONST || term->op == TIRBI_DIM_VAR) {
            stack[depth++] = (dim_operand){t.used, CLOSED};
            if (term->op == TIRBI_DIM_CONST) {
                char number[24];
                snprintf(number, sizeof number, "%lld", (long long)term->value);
                put(&t, number);
            } else {
                uint16_t name = function->vars[term->value].name;
                put(&t, name < program->n_strings ? program->strings[name].text : "?");
            }
        } else if (term->op < N_DIM_OPERATORS && depth >= 2) {
            depth--;
            join(&t, &stack[depth - 1], &stack[depth], &dim_operators[term->op]);
            stack[depth - 1].level = dim_operators[term->op].level;
        }
    }
    return finish(&t);
}

size_t tirbi_condition_format(const tirbi_program *program, const tirbi_function *function,
                              const tirbi_condition *condition, char out[TIRBI_MAX_CONDITION_TEXT]) {
    char left[TIRBI_MAX_DIM_TEXT], right[TIRBI_MAX_DIM_TEXT];
    tirbi_dim_format(program, function, &condition->left, left, sizeof left);
    tirbi_dim_format(program, function, &condition->right, right, sizeof right);
    return (size_t)snprintf(out, TIRBI_MAX_CONDITION_TEXT, "%s %s %s", left, tirbi_relations[condition->relation],
                            right);
}

/* ---- Functions ------------------------------------------------------------------------------------------------- */

static const char *name_of(const tirbi_program *program, uint16_t string) {
    return string < program->n_strings ? program->strings[string].text : "?";
}

static void put_param(text *t, const tirbi_program *program, const tirbi_function *function, const tirbi_param *param) {
    const char *type = tirbi_dtypes[param->dtype].tvm_name;
    put(t, name_of(program, param->name));
    if (param->kind != TIRB_PARAM_TENSOR) {
        put(t, ": ");
        put(t, type);
        return;
    }
    put(t, ": Tensor([");
    for (unsigned i = 0; i < param->ndim; i++) {
        char extent[TIRBI_MAX_DIM_TEXT];
        tirbi_dim_format(program, function, &param->shape[i], extent, sizeof(extent));
        if (i) put(t, ", ");
        put(t, extent);
    }
    put(t, "], ");
    put(t, type);
    put(t, ")");
}

size_t tirbi_signature_format(const tirbi_program *program, const tirbi_function *function, char *out, size_t size) {
    text t = text_over(out, size);
    put(&t, name_of(program, function->name));
    put(&t, "(");
    if (function->is_packed) {
        put(&t, "...)");
        return finish(&t);
    }
    const unsigned n_arguments = function->n_params - tirbi_function_results(function);
    for (unsigned i = 0; i < function->n_params && !t.cut; i++) {
        put(&t, i == n_arguments ? ") -> (" : i ? ", " : "");
        put_param(&t, program, function, &function->params[i]);
    }
    put(&t, ")");
    if (function->returns) {
        put(&t, " -> ");
        put(&t, tirbi_dtypes[function->return_type].tvm_name);
    }
    return finish(&t);
}

void tirbi_dl_type_format(DLDataType type, char out[48]) {
    static const char *const families[] = {"int", "uint", "float", NULL, "bfloat", "complex"};
    enum { N_FAMILIES = sizeof(families) / sizeof(families[0]), SIZE = 48 };
    const tirbi_dtype_info *boolean = &tirbi_dtypes[TIRB_BOOL];
    int length;
    if (type.code == boolean->dl_code) {
        length = type.bits == boolean->bits ? snprintf(out, SIZE, "bool") : snprintf(out, SIZE, "bool%u", type.bits);
    } else if (type.code < N_FAMILIES && families[type.code]) {
        length = snprintf(out, SIZE, "%s%u", families[type.code], type.bits);
    } else {
        length = snprintf(out, SIZE, "type(%u, %u bits)", type.code, type.bits);
    }
    if (type.lanes != 1 && length > 0 && length < SIZE) {
        snprintf(out + length, SIZE - (size_t)length, "x%u", type.lanes);
    }
}
