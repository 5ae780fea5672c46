/* What a command line leaves open: random values, in shapes that `n=128` and what is given determine. */
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/run.h"
#include "vm/call/objects.h"

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* The generator xorshift64*. */
static uint64_t next_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* Values that kernels take without trouble: floats above 0 and up to 1, bytes of any value, and other integers small
 * enough to be an index of most things. */
static number random_number(tirbi_dtype type, uint64_t *state) {
    uint64_t bits = next_random(state) >> 32;
    if (tirbi_dtype_is_float(type)) {
        number real = number_from_real((double)(bits + 1) / 4294967296.0);
        real.single = (float)real.real;
        return real;
    }
    if (type == TIRB_BOOL) return number_from_integer((int64_t)(bits & 1), type);
    if (type == TIRB_U8) return number_from_integer((int64_t)(bits & 255), type);
    if (type == TIRB_I8) return number_from_integer((int64_t)(bits & 255) - 128, type);
    return number_from_integer((int64_t)(bits & 3), type);
}

/* Every parameter has values of its own, which do not depend on what else is given. */
static uint64_t random_start(const run *r, const parameter *p) {
    return UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(p - r->parameters + 1);
}

static void fill_random(const run *r, parameter *p) {
    uint64_t state = random_start(r, p);
    tensor *t = &p->value.tensor;
    for (size_t i = 0; i < t->count; i++) {
        number n = random_number(t->narrow ? TIRB_F32 : t->type, &state);
        element_store(t, i, &n);
    }
}

number made_up_scalar(const run *r, const parameter *p) {
    uint64_t state = random_start(r, p);
    return random_number(p->type, &state);
}

/* ---- Extents ----------------------------------------------------------------------------------------------------- */

struct extents {
    int64_t *values; /* by shape variable */
    bool *known;
};

static const tirbi_function *function_of(const run *r) { return &r->module->program->functions[r->function]; }

static const char *variable_name(const run *r, uint32_t v) {
    return tirbi_program_text(r->module->program, function_of(r)->vars[v].name);
}

exit_code extents_create(run *r) {
    size_t n = (size_t)function_of(r)->n_vars + 1;
    r->extents = calloc(1, sizeof *r->extents);
    if (!r->extents) return fail_memory(r->inv);
    r->extents->values = calloc(n, sizeof *r->extents->values);
    r->extents->known = calloc(n, sizeof *r->extents->known);
    return r->extents->values && r->extents->known ? EXIT_DONE : fail_memory(r->inv);
}

void extents_free(run *r) {
    if (!r->extents) return;
    free(r->extents->values);
    free(r->extents->known);
    free(r->extents);
    r->extents = NULL;
}

/* The shape variable of this name, or the number of them. */
static uint32_t find_variable(const run *r, const char *name, size_t length) {
    uint32_t n = function_of(r)->n_vars;
    for (uint32_t v = 0; v < n; v++) {
        const char *own = variable_name(r, v);
        if (strlen(own) == length && memcmp(own, name, length) == 0) return v;
    }
    return n;
}

bool extent_find(const run *r, const char *name, size_t length) {
    return r->extents && find_variable(r, name, length) < function_of(r)->n_vars;
}

exit_code extent_assign(const run *r, const char *text) {
    size_t length;
    const char *digits = split_assignment(text, &length);
    uint32_t v = find_variable(r, text, length);
    number n;
    if (!number_parse(digits, strlen(digits), &n) || !n.is_integer || n.is_unsigned || n.integer < 0) {
        return fail_usage(r->inv->command, "'%.*s' is an extent, a number from 0 on, not '%s'", (int)length, text,
                          digits);
    }
    if (r->extents->known[v]) return fail_usage(r->inv->command, "'%.*s' is given twice", (int)length, text);
    r->extents->values[v] = n.integer;
    r->extents->known[v] = true;
    return EXIT_DONE;
}

/* What the shape of a tensor that is there says of variables that stand alone. Contradictions are for the call to
 * find. */
static void learn_from_tensor(const run *r, const tirbi_param *param, const tensor *t) {
    for (int32_t d = 0; d < t->ndim && d < param->ndim; d++) {
        const tirbi_dim *dim = &param->shape[d];
        if (dim->n_terms != 1 || dim->terms[0].op != TIRBI_DIM_VAR || r->extents->known[dim->terms[0].value]) continue;
        r->extents->values[dim->terms[0].value] = t->shape[d];
        r->extents->known[dim->terms[0].value] = true;
    }
}

static void learn_from_arguments(const run *r) {
    const tirbi_function *f = function_of(r);
    for (uint32_t v = 0; v < f->n_vars; v++) {
        uint16_t param = f->vars[v].param;
        if (param == TIRBI_NO_REG || r->arguments[param].kind != TIRB_ARG_INT) continue;
        r->extents->values[v] = r->arguments[param].value.i;
        r->extents->known[v] = true;
    }
    for (uint32_t i = 0; i < f->n_params; i++) {
        const parameter *p = &r->parameters[i];
        if (p->info.kind == TIRB_PARAM_TENSOR && p->value.is_tensor)
            learn_from_tensor(r, &f->params[i], &p->value.tensor);
    }
}

/* ---- Tensors ----------------------------------------------------------------------------------------------------- */

/* Whether the call will refuse a tensor for its type, or for an extent that is another number. */
static bool is_of_another_shape(const run *r, const parameter *p, const tensor *t) {
    const tirbi_param *param = &function_of(r)->params[p - r->parameters];
    if ((t->type != p->type && !t->narrow) || t->ndim != param->ndim) return true;
    for (int32_t d = 0; d < t->ndim; d++) {
        const tirbi_dim *dim = &param->shape[d];
        if (dim->n_terms == 1 && dim->terms[0].op == TIRBI_DIM_CONST && dim->terms[0].value != t->shape[d]) return true;
    }
    return false;
}

static exit_code fill_new(const run *r, parameter *p, tensor *made) {
    if (!tensor_measure(made) || !tensor_allocate(made)) {
        char text[256];
        tensor_type_text(made, text, sizeof text);
        return fail(r->inv, EXIT_CALL, "'%s': %s needs more memory than there is", p->info.name, text);
    }
    p->value = (value){.is_tensor = true, .tensor = *made};
    if (is_of_another_shape(r, p, made)) return EXIT_DONE; /* its values are not worth their time */
    /* What is only written begins as zeros in a run, as it does without extents. */
    if (r->make_up || p->given || (p->info.is_read && !p->info.is_result)) fill_random(r, p);
    return EXIT_DONE;
}

exit_code make_up_as(const run *r, parameter *p, const char *text) {
    tensor made;
    if (!tensor_of_type_text(text, strlen(text), &made)) return EXIT_INTERNAL; /* the caller has looked */
    p->given = true;
    return fill_new(r, p, &made);
}

/* The variable of an extent that is not known. */
static const char *unknown_variable(const run *r, const tirbi_dim *dim) {
    for (uint32_t i = 0; i < dim->n_terms; i++) {
        const tirbi_dim_term *term = &dim->terms[i];
        if (term->op == TIRBI_DIM_VAR && !r->extents->known[term->value])
            return variable_name(r, (uint32_t)term->value);
    }
    return NULL;
}

bool is_made_by_call(const run *r, const parameter *p) {
    const tirbi_param *param = &function_of(r)->params[p - r->parameters];
    if (!param->is_open) return false;
    learn_from_arguments(r);
    for (uint32_t d = 0; d < param->ndim; d++)
        if (unknown_variable(r, &param->shape[d])) return true;
    return false;
}

exit_code make_up_tensor(const run *r, parameter *p) {
    const tirbi_param *param = &function_of(r)->params[p - r->parameters];
    learn_from_arguments(r);
    tensor made = {.type = p->type, .ndim = param->ndim};
    for (int32_t d = 0; d < made.ndim; d++) {
        tirb_error error = TIRB_ERROR_INIT;
        const char *unknown = unknown_variable(r, &param->shape[d]);
        if (unknown) {
            return fail(r->inv, EXIT_CALL, "shape[%d] of '%s' depends on '%s': give %s=NUMBER, or a tensor, for %s",
                        (int)d, p->info.name, unknown, unknown, r->info.signature);
        }
        tirb_status status =
            tirbi_dim_eval(&param->shape[d], r->extents->values, r->extents->known, &made.shape[d], &error);
        if (status != TIRB_OK || made.shape[d] < 0) {
            return fail(r->inv, EXIT_CALL, "shape[%d] of '%s' cannot be computed: %s", (int)d, p->info.name,
                        status == TIRB_OK ? "it is negative" : error.message);
        }
    }
    return fill_new(r, p, &made);
}
