#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/run.h"

/* ---- Which value is whose --------------------------------------------------------------------------------------- */

static exit_code describe_parameters(run *r) {
    uint32_t n = r->info.n_params;
    r->parameters = calloc((size_t)n + 1, sizeof *r->parameters);
    r->arguments = calloc((size_t)n + 1, sizeof *r->arguments);
    if (!r->parameters || !r->arguments) return fail_memory(r->inv);
    for (uint32_t i = 0; i < n; i++) {
        parameter *p = &r->parameters[i];
        p->info = (tirb_param_info)TIRB_PARAM_INFO_INIT;
        tirb_error error = TIRB_ERROR_INIT;
        tirb_status status = tirb_module_param(r->module, r->function, i, &p->info, &error);
        if (status != TIRB_OK) return fail(r->inv, EXIT_INTERNAL, "%s", error.message);
        if (!tirbi_dtype_from_dl(p->info.dtype, &p->type)) {
            return fail(r->inv, EXIT_CALL, "%s: the command has no values of the type of '%s'", r->info.signature,
                        p->info.name);
        }
    }
    return EXIT_DONE;
}

/* A packed function takes what it is given: its arguments are known by their positions. */
static exit_code describe_packed(run *r) {
    uint32_t n = (uint32_t)r->inv->n_operands - 1;
    r->info.n_params = n;
    r->parameters = calloc((size_t)n + 1, sizeof *r->parameters);
    r->arguments = calloc((size_t)n + 1, sizeof *r->arguments);
    if (!r->parameters || !r->arguments) return fail_memory(r->inv);
    for (uint32_t i = 0; i < n; i++) {
        parameter *p = &r->parameters[i];
        snprintf(p->position, sizeof p->position, "%u", i);
        p->info = (tirb_param_info)TIRB_PARAM_INFO_INIT;
        p->info.kind = TIRB_PARAM_SCALAR;
        p->info.name = p->position;
        p->info.is_inferable = p->info.is_written = 1;
        p->type = TIRB_I64;
    }
    return EXIT_DONE;
}

/* The kind of a packed function's argument is that of the value. */
static exit_code take_kind(const run *r, parameter *p) {
    p->info.kind = p->value.is_tensor ? TIRB_PARAM_TENSOR : TIRB_PARAM_SCALAR;
    p->type = p->value.is_tensor ? p->value.tensor.type : p->value.scalar.is_integer ? TIRB_I64 : TIRB_F64;
    p->info.is_written = p->value.is_tensor;
    if (p->value.is_tensor || !(p->save || p->expect)) return EXIT_DONE;
    return fail(r->inv, EXIT_CALL, "argument %s of %s is no tensor: it has nothing to save or compare", p->info.name,
                r->info.signature);
}

/* A result by its number among them. */
static parameter *find_result(const run *r, const char *digits, size_t length) {
    number position;
    if (digits[0] < '0' || digits[0] > '9' || !number_parse(digits, length, &position) || !position.is_integer)
        return NULL;
    uint64_t left = (uint64_t)position.integer;
    for (uint32_t i = 0; i < r->info.n_params; i++)
        if (r->parameters[i].info.is_result && left-- == 0) return &r->parameters[i];
    return NULL;
}

static parameter *find_parameter(const run *r, const char *name, size_t length) {
    for (uint32_t i = 0; i < r->info.n_params; i++) {
        const char *own = r->parameters[i].info.name;
        if (strlen(own) == length && memcmp(own, name, length) == 0) return &r->parameters[i];
    }
    return find_result(r, name, length);
}

/* The value of "NAME=VALUE", behind the longest name of a parameter that it begins with, whatever characters that has,
 * or else behind what may be a name; NULL: it has none. */
static const char *split_named(const run *r, const char *text, size_t *length) {
    size_t longest = 0;
    for (uint32_t i = 0; i < r->info.n_params; i++) {
        const size_t n = strlen(r->parameters[i].info.name);
        if (n > longest && strncmp(text, r->parameters[i].info.name, n) == 0 && text[n] == '=') longest = n;
    }
    if (longest == 0) return split_assignment(text, length);
    *length = longest;
    return text + longest + 1;
}

/* Says how what has fields, or dimensions, that are parameters is given: '' where it has none. */
static void say_fields(const run *r, const char *name, char *out, size_t size) {
    const size_t length = strlen(name);
    uint32_t n = 0;
    bool is_shape = true;
    snprintf(out, size, "'%s' is given by its fields: ", name);
    for (uint32_t i = 0; i < r->info.n_params; i++) {
        const tirb_param_info *p = &r->parameters[i].info;
        if (p->is_result || strncmp(p->name, name, length) != 0 || p->name[length] != '.') continue;
        const size_t used = strlen(out);
        is_shape = is_shape && p->kind == TIRB_PARAM_SCALAR && !strchr(p->name + length + 1, '.');
        if (n < 5) snprintf(out + used, size - used, "%s%s", n > 0 ? ", " : "", n < 4 ? p->name : "...");
        n++;
    }
    if (n > 0 && is_shape) snprintf(out, size, "'%s' is a shape: %s=2", name, name);
    for (uint32_t i = 1, used; is_shape && i < n && (used = (uint32_t)strlen(out)) + 3 < size; i++)
        memcpy(out + used, "x2", 3);
    if (n == 0) out[0] = '\0';
}

/* Writes ", did you mean 'x'?" where some parameter is called nearly so. */
static const char *say_closest(const run *r, const char *name, char *out, size_t size) {
    const char **names = calloc((size_t)r->info.n_params + 1, sizeof *names);
    for (uint32_t i = 0; names && i < r->info.n_params; i++) names[i] = r->parameters[i].info.name;
    const char *meant = names ? closest(name, names) : NULL;
    if (meant) snprintf(out, size, "; did you mean '%s'?", meant);
    else out[0] = '\0';
    free(names);
    return out;
}

static exit_code fail_no_parameter(const run *r, const char *name, size_t length) {
    char copy[64], fields[400];
    snprintf(copy, sizeof copy, "%.*s", (int)length, name);
    say_fields(r, copy, fields, sizeof fields);
    if (fields[0]) return fail_usage(r->inv->command, "%s, in %s", fields, r->info.signature);
    return fail_usage(r->inv->command, "there is no parameter '%s' in %s%s", copy, r->info.signature,
                      say_closest(r, copy, fields, sizeof fields));
}

/* ---- Assigning --------------------------------------------------------------------------------------------------- */

/* A literal for one parameter: a plain number makes a tensor without dimensions, and such a tensor makes a scalar. */
static exit_code fit_kind(const run *r, parameter *p) {
    bool wants_tensor = p->info.kind == TIRB_PARAM_TENSOR;
    if (wants_tensor == p->value.is_tensor) return EXIT_DONE;
    if (p->value.is_tensor) {
        tensor given = p->value.tensor;
        if (given.ndim == 0 && given.type == p->type) {
            number scalar = element_load(&given, 0);
            value_clear(&p->value);
            p->value.scalar = scalar;
            return EXIT_DONE;
        }
        char type[256];
        tensor_type_text(&given, type, sizeof type);
        return fail(r->inv, EXIT_CALL, "'%s' is a scalar and was given a tensor (%s), in %s; '_' skips a parameter",
                    p->info.name, type, r->info.signature);
    }
    if (p->info.ndim != 0) {
        return fail(r->inv, EXIT_CALL, "'%s' is a tensor and was given a number, in %s", p->info.name,
                    r->info.signature);
    }
    number scalar = p->value.scalar;
    tensor made = {.type = p->type};
    if (!tensor_measure(&made) || !tensor_allocate(&made)) return fail_memory(r->inv);
    p->value = (value){.is_tensor = true, .tensor = made};
    if (element_store(&made, 0, &scalar) == STORE_DONE) return EXIT_DONE;
    return fail(r->inv, EXIT_CALL, "'%s': the number is not a value of %s", p->info.name, tirbi_dtypes[p->type].name);
}

static bool is_taken(const parameter *p) { return p->given || p->skipped; }

static exit_code assign(const run *r, parameter *p, const char *text) {
    if (is_taken(p)) return fail_usage(r->inv->command, "'%s' is given twice", p->info.name);
    if (strcmp(text, "_") == 0) {
        p->skipped = true;
        return EXIT_DONE;
    }
    if (p->info.kind == TIRB_PARAM_TENSOR && is_tensor_type(text, strlen(text))) {
        return make_up_as(r, p, text);
    }
    exit_code code = value_read(r->inv, text, &p->value);
    if (code != EXIT_DONE) return code;
    p->given = true;
    return r->info.is_packed ? take_kind(r, p) : fit_kind(r, p);
}

/* The parameter that is dimension `d` of a shape. */
static parameter *find_dimension(const run *r, const char *name, size_t length, uint32_t d) {
    char text[300];
    const int size = snprintf(text, sizeof text, "%.*s.%u", (int)(length < 256 ? length : 256), name, d);
    parameter *p = find_parameter(r, text, (size_t)size);
    return p && p->info.kind == TIRB_PARAM_SCALAR ? p : NULL;
}

/* What stands for a shape, as "s=3x5". */
static bool is_shape(const run *r, const char *text) {
    size_t length;
    const char *after = split_assignment(text, &length);
    return after && *after >= '0' && *after <= '9' && !find_parameter(r, text, length) &&
           find_dimension(r, text, length, 0);
}

/* A number for each dimension. */
static exit_code assign_shape(const run *r, const char *text) {
    size_t length;
    const char *at = split_assignment(text, &length);
    uint32_t n = 0, d = 0;
    while (find_dimension(r, text, length, n)) n++;
    for (; *at; d++) {
        char extent[24];
        const size_t digits = strspn(at, "0123456789");
        const bool ends = at[digits] == '\0', goes_on = at[digits] == 'x' && at[digits + 1] != '\0';
        if (digits == 0 || digits >= sizeof extent || !(ends || goes_on))
            return fail_usage(r->inv->command, "'%s' is no shape such as 3x5", text);
        if (d >= n) break;
        snprintf(extent, sizeof extent, "%.*s", (int)digits, at);
        exit_code code = assign(r, find_dimension(r, text, length, d), extent);
        if (code != EXIT_DONE) return code;
        at += digits + goes_on;
    }
    if (d == n && *at == '\0') return EXIT_DONE;
    return fail_usage(r->inv->command, "'%.*s' has %u dimension%s, which '%s' does not give", (int)length, text, n,
                      n == 1 ? "" : "s", text);
}

/* "NAME=VALUE" of a parameter: sets *value_text. A tensor literal ("f32=1") is not one unless a parameter is so
 * called. */
static exit_code find_named(const run *r, const char *text, parameter **out, const char **value_text) {
    size_t length;
    *out = NULL;
    *value_text = split_named(r, text, &length);
    if (!*value_text) return EXIT_DONE;
    *out = find_parameter(r, text, length);
    if (*out || is_tensor_type(text, length) || extent_find(r, text, length) || is_shape(r, text)) return EXIT_DONE;
    return fail_no_parameter(r, text, length);
}

/* What stands for a parameter, or for an extent where those may be given. */
static bool is_extent(const run *r, const char *text) {
    size_t length;
    const char *after = split_assignment(text, &length);
    return after && !find_parameter(r, text, length) && extent_find(r, text, length);
}

/* Named values first; the others take the parameters that are left, in order. */
static bool is_function(const run *r, const char *name) {
    uint32_t function;
    return tirb_module_find(r->module, name, &function, NULL) == TIRB_OK;
}

static exit_code assign_operands(run *r) {
    parameter *named;
    const char *text;
    size_t n_unnamed = 0;
    for (size_t i = 1; i < r->inv->n_operands; i++) {
        exit_code code = find_named(r, r->inv->operands[i], &named, &text);
        bool shape = !named && is_shape(r, r->inv->operands[i]);
        bool extent = !named && !shape && is_extent(r, r->inv->operands[i]);
        n_unnamed += !named && !extent && !shape;
        if (code == EXIT_DONE && shape) code = assign_shape(r, r->inv->operands[i]);
        if (code == EXIT_DONE && extent) code = extent_assign(r, r->inv->operands[i]);
        r->has_extents = r->has_extents || extent;
        if (code == EXIT_DONE && named) code = assign(r, named, text);
        if (code != EXIT_DONE) return code;
    }
    uint32_t left = 0, next = 0;
    for (uint32_t i = 0; i < r->info.n_params; i++) left += !is_taken(&r->parameters[i]);
    if (n_unnamed > left && r->inv->n_operands > 1 && is_function(r, r->inv->operands[1])) {
        return fail(r->inv, EXIT_CALL, "'%s' is a function, and stands where an argument must be: write -f %s",
                    r->inv->operands[1], r->inv->operands[1]);
    }
    if (n_unnamed > left) {
        return fail(r->inv, EXIT_CALL, "%zu argument%s given and %u parameter%s left to take them: %s", n_unnamed,
                    n_unnamed == 1 ? " is" : "s are", left, left == 1 ? " is" : "s are", r->info.signature);
    }
    for (size_t i = 1; i < r->inv->n_operands; i++) {
        exit_code code = find_named(r, r->inv->operands[i], &named, &text);
        if (code != EXIT_DONE) return code;
        if (named || is_extent(r, r->inv->operands[i]) || is_shape(r, r->inv->operands[i])) continue;
        while (is_taken(&r->parameters[next])) next++;
        code = assign(r, &r->parameters[next], r->inv->operands[i]);
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}

static exit_code assign_save(const run *r, parameter *p, const char *text) {
    if (!is_output(p)) {
        return fail_usage(r->inv->command, "-o: '%s' is not written by %s", p->info.name, r->info.signature);
    }
    if (p->save) return fail_usage(r->inv->command, "-o: '%s' is saved twice", p->info.name);
    if (text[0] != '@' || text[1] == '\0') {
        return fail_usage(r->inv->command, "-o: '%s' is not of the form @FILE.npy or PARAM=@FILE.npy", text);
    }
    p->save = text;
    return EXIT_DONE;
}

static exit_code assign_unnamed_save(const run *r, const char *text) {
    for (uint32_t i = 0; i < r->info.n_params; i++) {
        parameter *p = &r->parameters[i];
        if (is_output(p) && !p->save) return assign_save(r, p, text);
    }
    return fail_usage(r->inv->command, "-o %s: no written parameter is left, in %s", text, r->info.signature);
}

static exit_code assign_expect(const run *r, const char *text) {
    size_t length;
    const char *expected = split_named(r, text, &length);
    if (!expected) return fail_usage(r->inv->command, "--expect: '%s' is not of the form PARAM=@FILE.npy", text);
    parameter *p = find_parameter(r, text, length);
    if (!p) return fail_no_parameter(r, text, length);
    if (!is_output(p)) {
        return fail_usage(r->inv->command, "--expect: '%s' is not written by %s", p->info.name, r->info.signature);
    }
    p->expect = expected;
    return EXIT_DONE;
}

static exit_code assign_outputs(run *r) {
    size_t length;
    exit_code code = EXIT_DONE;
    for (int pass = 0; pass < 2; pass++) { /* -o with a name first */
        for (size_t i = 0; i < r->inv->n_options && code == EXIT_DONE; i++) {
            const option_value *option = &r->inv->options[i];
            if (option->key == OPTION_EXPECT && pass == 0) code = assign_expect(r, option->text);
            if (option->key != OPTION_OUTPUT) continue;
            const char *file = split_named(r, option->text, &length);
            const char *odd = file || option->text[0] == '@' ? NULL : strstr(option->text, "=@");
            if (odd) length = (size_t)(odd - option->text), file = odd + 1;
            if (file && pass == 0) {
                parameter *p = find_parameter(r, option->text, length);
                code = p ? assign_save(r, p, file) : fail_no_parameter(r, option->text, length);
            } else if (!file && pass == 1) {
                code = assign_unnamed_save(r, option->text);
            }
        }
    }
    return code;
}

/* ---- Arrays of a file -------------------------------------------------------------------------------------------- */

/* Names of arrays have characters that those of parameters have not, which are `_` there. */
static bool is_called(const parameter *p, const char *name, bool exactly) {
    const char *own = p->info.name;
    if (exactly) return strcmp(own, name) == 0;
    for (; *own && *name; own++, name++) {
        const bool plain =
            (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9');
        if (*own != (plain ? *name : '_')) return false;
    }
    return *own == *name;
}

static parameter *find_called(const run *r, const char *name) {
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < r->info.n_params; i++)
            if (!r->parameters[i].info.is_result && is_called(&r->parameters[i], name, pass == 0))
                return &r->parameters[i];
    return NULL;
}

/* The array itself where the parameter may have it: in the machine's byte order, aligned, and only read; else a copy.
 */
static exit_code take_array(const run *r, parameter *p, const char *name, const tensor *from) {
    char found[256];
    tensor_type_text(from, found, sizeof found);
    if (p->info.kind != TIRB_PARAM_TENSOR || from->type != p->type || from->ndim != p->info.ndim)
        return fail(r->inv, EXIT_CALL, "%s: '%s' is %s, and the parameter '%s' is no such tensor, in %s",
                    r->params.path, name, found, p->info.name, r->info.signature);
    tensor taken = *from;
    const bool own = from->block != NULL || !tensor_is_native(from);
    taken.block = NULL;
    if (own || p->info.is_written || (uintptr_t)from->data % tirbi_dtypes[from->type].size != 0) {
        if (!tensor_allocate(&taken)) return fail_memory(r->inv);
        tensor_copy_little(&taken, from);
    }
    p->value = (value){.is_tensor = true, .tensor = taken};
    p->given = true;
    return EXIT_DONE;
}

static exit_code assign_params(run *r) {
    const char *path = option_text(r->inv, OPTION_PARAMS);
    exit_code code = path ? array_file_open(r->inv, path, &r->params) : EXIT_DONE;
    for (size_t i = 0; i < r->params.n && code == EXIT_DONE; i++) {
        const named_array *array = &r->params.arrays[i];
        parameter *p = find_called(r, array->name);
        char closest_name[400];
        if (!p)
            return fail(r->inv, EXIT_CALL, "%s: it has '%s', which is no parameter of %s%s", path, array->name,
                        r->info.signature, say_closest(r, array->name, closest_name, sizeof closest_name));
        if (is_taken(p))
            return fail(r->inv, EXIT_CALL, "%s: '%s' is one more array for the parameter '%s'", path, array->name,
                        p->info.name);
        code = take_array(r, p, array->name, &array->tensor);
    }
    return code;
}

exit_code arguments_read(run *r) {
    exit_code code = r->info.is_packed ? describe_packed(r) : describe_parameters(r);
    if (code == EXIT_DONE) code = extents_create(r);
    if (code == EXIT_DONE) code = assign_outputs(r);
    if (code == EXIT_DONE) code = assign_params(r);
    if (code == EXIT_DONE) code = assign_operands(r);
    return code;
}

/* ---- What the library is given ---------------------------------------------------------------------------------- */

/* The first tensor that was given with other elements than its parameter's; NULL: none. */
static const parameter *given_as_other_type(const run *r) {
    for (uint32_t i = 0; i < r->info.n_params; i++) {
        const parameter *p = &r->parameters[i];
        if (p->given && p->value.is_tensor && p->info.kind == TIRB_PARAM_TENSOR && p->value.tensor.type != p->type)
            return p;
    }
    return NULL;
}

exit_code fail_call(const run *r, tirb_status status, const tirb_error *error) {
    exit_code code = exit_code_of_call(status);
    const char *message = error->message[0] ? error->message : tirb_status_text(status);
    const parameter *wrong = status == TIRB_ARGUMENT ? given_as_other_type(r) : NULL;
    const char *wanted = wrong ? tirbi_dtypes[wrong->type].tvm_name : "";
    if (!error->line && wrong)
        return fail(r->inv, code, "%s: %s; NumPy makes it so with %s.astype(\"%s\")", r->bundle.file, message,
                    wrong->info.name, wanted);
    if (!error->line) return fail(r->inv, code, "%s: %s", r->bundle.file, message);
    tirb_diagnostic place = {.severity = TIRB_SEVERITY_ERROR,
                             .code = status,
                             .line = error->line,
                             .column = error->column,
                             .message = message};
    return fail_at(r->inv, code, error->where, &place);
}

/* An integer that is written as a float: 7.0 is not 7, for 2^53 + 1 would not be either. */
static exit_code fail_fraction(const run *r, const parameter *p, const number *given) {
    char text[ELEMENT_TEXT_SIZE], whole[ELEMENT_TEXT_SIZE];
    snprintf(text, sizeof text, "%.17g", given->real);
    if (given->real != trunc(given->real) || fabs(given->real) >= 0x1p53) {
        return fail(r->inv, EXIT_CALL, "'%s' is %s, an integer, and was given %s, in %s", p->info.name,
                    tirbi_dtypes[p->type].tvm_name, text, r->info.signature);
    }
    snprintf(whole, sizeof whole, "%.0f", given->real);
    return fail(r->inv, EXIT_CALL, "'%s' is %s, an integer, and was given the float %s%s; write %s=%s, in %s",
                p->info.name, tirbi_dtypes[p->type].tvm_name, text, strpbrk(text, ".e") ? "" : ".0", p->info.name,
                whole, r->info.signature);
}

static exit_code make_scalar(const run *r, const parameter *p, tirb_arg *out) {
    number scalar = p->value.scalar;
    if (tirbi_dtype_is_float(p->type)) {
        *out = (tirb_arg){.kind = TIRB_ARG_FLOAT};
        out->value.f = p->type == TIRB_F32 ? (double)scalar.single : scalar.real;
        return EXIT_DONE;
    }
    int64_t element[1];
    tensor probe = {.type = p->type, .count = 1, .data = element};
    char text[ELEMENT_TEXT_SIZE];
    switch (element_store(&probe, 0, &scalar)) {
    case STORE_DONE:
        break;
    case STORE_NOT_INTEGER:
        return fail_fraction(r, p, &scalar);
    case STORE_OUT_OF_RANGE:
        number_text(&scalar, scalar.is_unsigned ? TIRB_U64 : TIRB_I64, text);
        return fail(r->inv, EXIT_CALL, "'%s': %s is not a value of %s, in %s", p->info.name, text,
                    tirbi_dtypes[p->type].tvm_name, r->info.signature);
    }
    *out = (tirb_arg){.kind = TIRB_ARG_INT};
    out->value.i = scalar.integer;
    return EXIT_DONE;
}

static void make_tensor(parameter *p, tirb_arg *out) {
    tensor *t = &p->value.tensor;
    p->view = (DLTensor){.data = t->data,
                         .device = {kDLCPU, 0},
                         .ndim = t->ndim,
                         .dtype = tirbi_dtype_to_dl(t->type),
                         .shape = t->shape};
    *out = (tirb_arg){.kind = TIRB_ARG_TENSOR};
    out->value.tensor = &p->view;
}

/* Memory for an output, in the shape that the arguments so far determine. */
static exit_code allocate_output(run *r, uint32_t index) {
    parameter *p = &r->parameters[index];
    tirb_error error = TIRB_ERROR_INIT;
    tensor made = {.type = p->type};
    DLDataType type;
    tirb_status status = tirb_instance_infer(r->instance, r->function, index, r->arguments, r->info.n_params,
                                             made.shape, TENSOR_MAX_NDIM, &made.ndim, &type, &error);
    if (status != TIRB_OK) {
        outputs_show_failure(r, status, &error);
        return fail_call(r, status, &error);
    }
    if (!tensor_measure(&made) || !tensor_allocate(&made)) {
        char text[256];
        tensor_type_text(&made, text, sizeof text);
        return fail(r->inv, EXIT_CALL, "'%s': %s needs more memory than there is", p->info.name, text);
    }
    p->value = (value){.is_tensor = true, .tensor = made};
    make_tensor(p, &r->arguments[index]);
    return EXIT_DONE;
}

exit_code arguments_complete(run *r) {
    exit_code code = EXIT_DONE;
    for (uint32_t i = 0; i < r->info.n_params && code == EXIT_DONE; i++) {
        parameter *p = &r->parameters[i];
        r->arguments[i] = (tirb_arg){.kind = TIRB_ARG_NONE};
        if (p->info.is_result && !p->given) continue;
        if (p->given) {
            if (p->value.is_tensor) {
                make_tensor(p, &r->arguments[i]);
            } else {
                code = make_scalar(r, p, &r->arguments[i]);
            }
        } else if (r->make_up) {
            if (p->info.kind == TIRB_PARAM_SCALAR && !p->info.is_inferable) {
                p->value.scalar = made_up_scalar(r, p);
                code = make_scalar(r, p, &r->arguments[i]);
            }
        } else if (p->info.kind == TIRB_PARAM_SCALAR ? !p->info.is_inferable : p->info.is_read && !r->has_extents) {
            code = fail(r->inv, EXIT_CALL, "the argument '%s' is missing%s%s, for %s", p->info.name,
                        r->params.path ? ", also in " : "", r->params.path ? r->params.path : "", r->info.signature);
        }
    }
    for (uint32_t i = 0; i < r->info.n_params && code == EXIT_DONE; i++) {
        parameter *p = &r->parameters[i];
        if (p->given || p->info.kind != TIRB_PARAM_TENSOR) continue;
        if ((r->make_up || r->has_extents) && !is_made_by_call(r, p)) {
            code = make_up_tensor(r, p);
            if (code == EXIT_DONE) make_tensor(p, &r->arguments[i]);
        } else if (p->info.is_result) {
            r->arguments[i] = (tirb_arg){.kind = TIRB_ARG_RESULT, .value.result = &p->made};
            r->makes_results = true;
        } else {
            code = allocate_output(r, i);
        }
    }
    return code;
}

void results_free(run *r) {
    for (uint32_t i = 0; r->makes_results && i < r->info.n_params; i++) {
        DLManagedTensor **made = &r->parameters[i].made;
        if (*made) (*made)->deleter(*made);
        *made = NULL;
    }
}

void results_take(run *r) {
    for (uint32_t i = 0; i < r->info.n_params; i++) {
        parameter *p = &r->parameters[i];
        if (!p->made) continue;
        tensor shown = {.type = p->type, .ndim = p->made->dl_tensor.ndim, .data = p->made->dl_tensor.data};
        for (int32_t d = 0; d < shown.ndim; d++) shown.shape[d] = p->made->dl_tensor.shape[d];
        tensor_measure(&shown);
        p->value = (value){.is_tensor = true, .tensor = shown};
    }
}
