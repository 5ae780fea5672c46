/* Packed functions (calling_conv 1) and the structs that their arguments are in. A struct is memory of cells, each of
 * which holds a value with its type; what is not there reads as 0 or null. */
#include "tests/reference/packed.h"

#include <string.h>

#include "tests/reference/machine.h"
#include "tests/reference/value.h"

enum {
    FIELD_ADDRESS = 0,
    FIELD_DATA = 1,
    FIELD_SHAPE = 2,
    FIELD_NDIM = 4,
    FIELD_CODE = 5,
    FIELD_BITS = 6,
    FIELD_OFFSET = 8
};
enum {
    FIELD_VALUE = 12,
    FIELD_ANY_TYPE = 13,
    FIELD_ANY_VALUE = 15,
    CELLS_OF_TENSOR = 16,
    CODE_INT = 0,
    CODE_FLOAT = 2,
    CODE_NULL = 4,
    CODE_TENSOR = 7
};

typedef enum argument_type {
    ARGUMENT_NULL,
    ARGUMENT_INT,
    ARGUMENT_FLOAT,
    ARGUMENT_TENSOR,
    ARGUMENT_OTHER
} argument_type;

static const tirb_datatype handle_type = {TIRB_CODE_HANDLE, 64, 1, false};

bool tirbi_ref_is_packed(const tirb_primfunc *f) {
    for (uint32_t i = 0; i < f->n_attrs; i++) {
        const tirb_expr *value = f->attrs[i].value;
        if (strcmp(f->attrs[i].key, "calling_conv") == 0 && value != NULL && value->kind == TIRB_EXPR_INT_IMM) {
            return value->as.int_value == 1;
        }
    }
    return false;
}

/* ---- Memory that lives as long as the statement, or the call, that makes it -------------------------------------- */

static tirbi_ref_memory *new_memory(tirbi_ref_machine *m, uint64_t bytes, uint64_t cells) {
    tirbi_ref_memory *memory = tirbi_ref_scratch(m, 1, sizeof *memory);
    uint8_t *storage = bytes > 0 ? tirbi_ref_scratch(m, bytes, 1) : NULL;
    tirbi_ref_value *values = cells > 0 ? tirbi_ref_scratch(m, cells, sizeof *values) : NULL;
    if (memory == NULL || (bytes > 0 && storage == NULL) || (cells > 0 && values == NULL)) return NULL;
    *memory = (tirbi_ref_memory){.bytes = storage, .size = bytes, .cells = values, .n_cells = cells};
    return memory;
}

static tirbi_ref_value handle_of(tirbi_ref_memory *memory) {
    return (tirbi_ref_value){.type = handle_type, .memory = memory};
}

static tirbi_ref_value number(int64_t value) {
    return (tirbi_ref_value){.type = {TIRB_CODE_INT, 64, 1, false}, .one = (uint64_t)value};
}

/* ---- Fields ----------------------------------------------------------------------------------------------------- */

static bool find_cell(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value **out) {
    tirbi_ref_value base;
    int64_t index;
    int64_t field;
    *out = NULL;
    if (!tirbi_ref_eval(m, e->as.call.args[0], NULL, &base) || !tirbi_ref_eval_int(m, e->as.call.args[1], &index) ||
        !tirbi_ref_eval_int(m, e->as.call.args[2], &field)) {
        return false;
    }
    if (field != FIELD_VALUE) index = (int64_t)base.one + index * CELLS_OF_TENSOR + field;
    if (base.memory != NULL && index >= 0 && (uint64_t)index < base.memory->n_cells) *out = &base.memory->cells[index];
    return true;
}

static bool get_field(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    tirbi_ref_value *cell;
    tirbi_dtype type;
    if (!find_cell(m, e, &cell)) return false;
    *out = (tirbi_ref_value){.type = e->dtype};
    if (cell == NULL) return true;
    if (e->as.call.args[2]->kind == TIRB_EXPR_INT_IMM && e->as.call.args[2]->as.int_value == FIELD_ADDRESS) {
        tirbi_ref_value base;
        if (!tirbi_ref_eval(m, e->as.call.args[0], NULL, &base)) return false;
        out->memory = base.memory;
        out->one = (uint64_t)(cell - base.memory->cells);
        return true;
    }
    *out = *cell;
    out->type = e->dtype;
    if (e->dtype.code == TIRB_CODE_HANDLE) return true;
    if (!tirbi_ref_element_type(m, e->dtype, &type)) return false;
    out->memory = NULL;
    if (type != TIRB_F64) out->one = tirbi_ref_cast(type, TIRB_I64, cell->one);
    return true;
}

static bool set_field(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    tirbi_ref_value *cell;
    tirbi_ref_value value;
    tirbi_dtype type;
    const tirb_expr *given = e->as.call.args[3];
    if (!tirbi_ref_eval(m, given, NULL, &value) || !find_cell(m, e, &cell)) return false;
    if (cell == NULL) return tirbi_ref_fail(m, TIRB_BOUNDS, "a field outside its struct is set");
    if (given->dtype.code != TIRB_CODE_HANDLE) {
        if (!tirbi_ref_element_type(m, given->dtype, &type)) return false;
        value.one = tirbi_ref_cast(tirbi_dtype_is_float(type) ? TIRB_F64 : TIRB_I64, type, value.one);
    }
    *cell = value;
    *out = (tirbi_ref_value){.type = e->dtype};
    return true;
}

static bool stack_memory(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    const char *kind = e->as.call.args[0]->kind == TIRB_EXPR_STRING_IMM ? e->as.call.args[0]->as.string.text : "";
    int64_t n;
    if (!tirbi_ref_eval_int(m, e->as.call.args[1], &n)) return false;
    if (n < 0) return tirbi_ref_fail(m, TIRB_VALUE, "a negative number of elements");
    bool bytes = strcmp(kind, "arg_tcode") == 0 || strcmp(kind, "shape") == 0;
    bool structs = strcmp(kind, "array") == 0 || strcmp(kind, "tvm_ffi_any") == 0;
    uint64_t cells = structs ? (uint64_t)n * CELLS_OF_TENSOR : (uint64_t)n;
    tirbi_ref_memory *memory =
        bytes ? new_memory(m, (uint64_t)n * (kind[0] == 's' ? 8 : 4), 0) : new_memory(m, 0, cells);
    *out = handle_of(memory);
    return memory != NULL;
}

bool tirbi_ref_eval_packed(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out, bool *known) {
    int64_t bytes;
    *known = true;
    switch (e->as.call.builtin) {
    case TIRB_BUILTIN_TVM_STRUCT_GET: return get_field(m, e, out);
    case TIRB_BUILTIN_TVM_STRUCT_SET: return set_field(m, e, out);
    case TIRB_BUILTIN_TVM_STACK_ALLOCA: return stack_memory(m, e, out);
    case TIRB_BUILTIN_BACKEND_ALLOC_WORKSPACE:
        if (!tirbi_ref_eval_int(m, e->as.call.args[2], &bytes)) return false;
        if (bytes < 0 || bytes > 1 << 30)
            return tirbi_ref_fail(m, TIRB_MEMORY_LIMIT, "a workspace of %lld bytes", (long long)bytes);
        *out = handle_of(new_memory(m, (uint64_t)bytes, 0));
        return out->memory != NULL;
    case TIRB_BUILTIN_BACKEND_FREE_WORKSPACE: *out = (tirbi_ref_value){.type = e->dtype}; return true;
    default: *known = false; return true;
    }
}

/* ---- Calls with their arguments in cells ------------------------------------------------------------------------- */

/* One argument's view, its extent and stride. */
typedef struct cell_view {
    DLTensor tensor;
    int64_t extent, stride;
} cell_view;

/* The elements that an array's struct describes, one after another. */
static bool view_of_struct(tirbi_ref_machine *m, const tirbi_ref_value *handle, tirb_import_arg *out) {
    const tirbi_ref_memory *memory = handle->memory;
    if (memory == NULL || memory->cells == NULL || handle->one + CELLS_OF_TENSOR > memory->n_cells)
        return tirbi_ref_fail(m, TIRB_BOUNDS, "an argument is no array");
    const tirbi_ref_value *cells = memory->cells + handle->one, *data = &cells[FIELD_DATA],
                          *shape = &cells[FIELD_SHAPE];
    int64_t ndim = (int64_t)cells[FIELD_NDIM].one;
    DLDataType dl = {(uint8_t)cells[FIELD_CODE].one, (uint8_t)cells[FIELD_BITS].one, 1};
    tirbi_dtype type;
    cell_view *view = tirbi_ref_scratch(m, 1, sizeof *view);
    if (view == NULL || data->memory == NULL || !tirbi_dtype_from_dl(dl, &type))
        return tirbi_ref_fail(m, TIRB_TYPE, "no array of elements");
    view->extent = view->stride = 1;
    for (int64_t d = 0; d < ndim; d++) {
        int64_t extent;
        if (shape->memory == NULL || shape->one + 8 * (uint64_t)(d + 1) > shape->memory->size)
            return tirbi_ref_fail(m, TIRB_BOUNDS, "a shape outside its memory");
        memcpy(&extent, shape->memory->bytes + shape->one + 8 * d, 8);
        view->extent *= extent;
    }
    uint64_t start = data->one + cells[FIELD_OFFSET].one, bytes = (uint64_t)view->extent * tirbi_dtypes[type].size;
    if (view->extent < 0 || start > data->memory->size || bytes > data->memory->size - start)
        return tirbi_ref_fail(m, TIRB_BOUNDS, "an array reaches past its memory");
    view->tensor = (DLTensor){.data = data->memory->bytes + start,
                              .device = {.device_type = kDLCPU, .device_id = 0},
                              .ndim = 1,
                              .dtype = dl,
                              .shape = &view->extent,
                              .strides = &view->stride};
    *out = (tirb_import_arg){.kind = TIRB_ARG_TENSOR, .dtype = dl, .value = {.tensor = &view->tensor}};
    return true;
}

static bool argument_of_cell(tirbi_ref_machine *m, argument_type type, const tirbi_ref_value *value,
                             tirb_import_arg *out) {
    switch (type) {
    case ARGUMENT_NULL:
    case ARGUMENT_INT:
        *out = (tirb_import_arg){.kind = TIRB_ARG_INT, .dtype = tirbi_dtype_to_dl(TIRB_I64)};
        out->value.i = type == ARGUMENT_NULL ? 0 : (int64_t)value->one;
        return true;
    case ARGUMENT_FLOAT:
        *out = (tirb_import_arg){.kind = TIRB_ARG_FLOAT, .dtype = tirbi_dtype_to_dl(TIRB_F64)};
        memcpy(&out->value.f, &value->one, 8);
        return true;
    case ARGUMENT_TENSOR: return view_of_struct(m, value, out);
    default: return tirbi_ref_fail(m, TIRB_UNSUPPORTED, "an argument of a type that imports do not take");
    }
}

bool tirbi_ref_lowered_arguments(tirbi_ref_machine *m, const tirb_expr *e, tirb_import_arg **out, uint32_t *n_out) {
    static const uint8_t of_index[] = {ARGUMENT_NULL,  ARGUMENT_INT,   ARGUMENT_INT,   ARGUMENT_FLOAT,
                                       ARGUMENT_OTHER, ARGUMENT_OTHER, ARGUMENT_OTHER, ARGUMENT_TENSOR};
    static const uint8_t of_code[] = {ARGUMENT_INT,  ARGUMENT_INT,   ARGUMENT_FLOAT, ARGUMENT_OTHER,
                                      ARGUMENT_NULL, ARGUMENT_OTHER, ARGUMENT_OTHER, ARGUMENT_TENSOR};
    uint32_t n = e->as.call.n_args;
    tirbi_ref_value values, codes = {.memory = NULL};
    int64_t begin, end;
    bool two = n == 5;
    if ((n != 4 && n != 5) || !tirbi_ref_eval(m, e->as.call.args[1], NULL, &values) ||
        (two && !tirbi_ref_eval(m, e->as.call.args[2], NULL, &codes)) ||
        !tirbi_ref_eval_int(m, e->as.call.args[n - 2], &begin) ||
        !tirbi_ref_eval_int(m, e->as.call.args[n - 1], &end)) {
        return false;
    }
    uint64_t size = two ? 1 : CELLS_OF_TENSOR;
    if (begin < 0 || end < begin || values.memory == NULL || (uint64_t)end > values.memory->n_cells / size ||
        (two && (codes.memory == NULL || (uint64_t)end > codes.memory->size / 4))) {
        return tirbi_ref_fail(m, TIRB_BOUNDS, "arguments outside their stack");
    }
    tirb_import_arg *args = tirbi_ref_scratch(m, (size_t)(end - begin) + 1, sizeof *args);
    if (args == NULL) return false;
    for (int64_t i = begin; i < end; i++) {
        const tirbi_ref_value *cell = &values.memory->cells[(uint64_t)i * size];
        int32_t type = two ? 0 : (int32_t)cell[FIELD_ANY_TYPE].one;
        if (two) memcpy(&type, codes.memory->bytes + 4 * i, 4);
        argument_type kind = type < 0 || type > 7 ? ARGUMENT_OTHER : two ? of_code[type] : of_index[type];
        if (!argument_of_cell(m, kind, two ? cell : cell + FIELD_ANY_VALUE, &args[i - begin])) return false;
    }
    *out = args;
    *n_out = (uint32_t)(end - begin);
    return true;
}

bool tirbi_ref_lowered_result(tirbi_ref_machine *m, const tirb_expr *e, const tirbi_ref_value *result) {
    tirbi_ref_value values;
    tirbi_dtype type;
    int64_t end;
    if (e->as.call.n_args != 4 || result->type.code == TIRB_CODE_HANDLE) return true;
    if (!tirbi_ref_eval(m, e->as.call.args[1], NULL, &values) || !tirbi_ref_eval_int(m, e->as.call.args[3], &end) ||
        !tirbi_ref_element_type(m, result->type, &type)) {
        return false;
    }
    if ((uint64_t)end >= values.memory->n_cells / CELLS_OF_TENSOR)
        return tirbi_ref_fail(m, TIRB_BOUNDS, "no cell for the result");
    tirbi_ref_value *cell = &values.memory->cells[(uint64_t)end * CELLS_OF_TENSOR];
    bool real = tirbi_dtype_is_float(type);
    cell[FIELD_ANY_TYPE] = number(real ? 3 : 1);
    cell[FIELD_ANY_VALUE] = number((int64_t)tirbi_ref_cast(real ? TIRB_F64 : TIRB_I64, type, result->one));
    return true;
}

/* ---- Calls from outside ------------------------------------------------------------------------------------------ */

static bool pack_tensor(tirbi_ref_machine *m, const DLTensor *t, tirbi_ref_value *out) {
    tirbi_ref_memory *cells = new_memory(m, 0, CELLS_OF_TENSOR), *data = new_memory(m, 0, 0);
    uint64_t n = (uint64_t)t->ndim, item = ((uint64_t)t->dtype.bits * t->dtype.lanes + 7) / 8;
    tirbi_ref_memory *shape = new_memory(m, 8 * n, 0), *strides = new_memory(m, 8 * n, 0);
    if (cells == NULL || data == NULL || shape == NULL || strides == NULL) return false;
    int64_t reach = 0;
    int64_t stride = 1;
    bool empty = false;
    for (uint64_t d = n; d-- > 0;) {
        int64_t step = t->strides != NULL ? t->strides[d] : stride;
        memcpy(shape->bytes + 8 * d, &t->shape[d], 8);
        memcpy(strides->bytes + 8 * d, &step, 8);
        empty = empty || t->shape[d] == 0;
        if (step > 0) reach += (t->shape[d] - 1) * step;
        stride *= t->shape[d];
    }
    data->bytes = t->data;
    data->size = empty || t->device.device_type != kDLCPU ? 0 : t->byte_offset + (uint64_t)(reach + 1) * item;
    bool is_bool = t->dtype.code == tirbi_dtypes[TIRB_BOOL].dl_code;
    const tirbi_ref_value fields[] = {number(0), handle_of(data), handle_of(shape),
                                      t->strides != NULL ? handle_of(strides) : handle_of(NULL), number(t->ndim),
                                      number(is_bool ? kDLUInt : t->dtype.code), number(is_bool ? 1 : t->dtype.bits),
                                      number(t->dtype.lanes), number((int64_t)t->byte_offset),
                                      number(t->device.device_id), number((int64_t)t->device.device_type)};
    memcpy(cells->cells, fields, sizeof fields);
    *out = handle_of(cells);
    return true;
}

bool tirbi_ref_pack(tirbi_ref_machine *m, const tirb_arg *args, uint32_t n_args, tirbi_ref_packed *out) {
    tirbi_ref_memory *values = new_memory(m, 0, n_args), *codes = new_memory(m, 4 * (uint64_t)n_args, 0);
    out->result = new_memory(m, 0, 1);
    out->code = new_memory(m, 4, 0);
    if (values == NULL || codes == NULL || out->result == NULL || out->code == NULL) return false;
    for (uint32_t i = 0; i < n_args; i++) {
        int32_t code = args[i].kind == TIRB_ARG_TENSOR  ? CODE_TENSOR
                       : args[i].kind == TIRB_ARG_INT   ? CODE_INT
                       : args[i].kind == TIRB_ARG_FLOAT ? CODE_FLOAT
                                                        : CODE_NULL;
        memcpy(codes->bytes + 4 * (size_t)i, &code, 4);
        values->cells[i] = number(code == CODE_NULL ? 0 : args[i].value.i);
        if (code == CODE_TENSOR && !pack_tensor(m, args[i].value.tensor, &values->cells[i])) return false;
    }
    int32_t none = CODE_NULL;
    memcpy(out->code->bytes, &none, 4);
    out->params[0] = handle_of(values);
    out->params[1] = handle_of(codes);
    out->params[2] = (tirbi_ref_value){.type = {TIRB_CODE_INT, 32, 1, false}, .one = n_args};
    out->params[3] = handle_of(out->result);
    out->params[4] = handle_of(out->code);
    out->params[5] = handle_of(NULL);
    return true;
}

bool tirbi_ref_packed_result(tirbi_ref_machine *m, const tirbi_ref_packed *packed, uint64_t status,
                             tirb_result *result) {
    int32_t code;
    *result = (tirb_result){.dtype = {.bits = 0}};
    if ((int32_t)status != 0) return tirbi_ref_fail(m, TIRB_VALUE, "it returned %d", (int)(int32_t)status);
    memcpy(&code, packed->code->bytes, 4);
    if (code != CODE_INT && code != CODE_FLOAT) return true;
    result->dtype = tirbi_dtype_to_dl(code == CODE_INT ? TIRB_I64 : TIRB_F64);
    result->value.i = (int64_t)packed->result->cells[0].one;
    return true;
}
