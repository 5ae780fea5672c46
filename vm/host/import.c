/* Imports: functions of the host that a program calls, bound to an instance by name and types. */
#include "vm/call/objects.h"

#include <string.h>

#include "loader/base/error.h"
#include "vm/call/number.h"
#include "vm/call/signature.h"

enum { SHOWN_NAME = 128, SHOWN_TYPES = 160 };

/* ---- What a module imports -------------------------------------------------------------------------------------- */

uint32_t tirb_module_import_count(const tirb_module *module) { return module ? module->program->n_imports : 0; }

tirb_status tirb_module_import(const tirb_module *module, uint32_t import, tirb_import_info *out_info,
                               tirb_error *error) {
    if (!module || !out_info)
        return tirbi_error_set(error, TIRB_MISUSE, "tirb_module_import: %s is NULL", module ? "out_info" : "module");
    if (import >= module->program->n_imports) {
        return tirbi_error_set(error, TIRB_NOT_FOUND, "the module has no import %u, only %u of them", import,
                               module->program->n_imports);
    }
    const tirbi_import *row = &module->program->imports[import];
    tirb_import_info info = {.n_params = row->n_params,
                             .name = tirbi_program_text(module->program, row->name),
                             .types = module->import_types[import]};
    if (tirbi_info_write(out_info, &info, sizeof(info))) return TIRB_OK;
    return tirbi_error_set(error, TIRB_MISUSE, "tirb_module_import: begin with TIRB_IMPORT_INFO_INIT");
}

/* ---- Binding ---------------------------------------------------------------------------------------------------- */

/* Whether what the host offers fits what the program asks for: equal but for views that the host promises not to
 * write. */
static bool types_fit(const char *offered, const char *wanted) {
    static const char promise[] = "const ";
    enum { PROMISE = sizeof(promise) - 1 };
    while (*offered == *wanted && *offered) {
        offered++;
        wanted++;
    }
    while (*offered != *wanted) {
        if (strncmp(offered, promise, PROMISE) != 0 || strncmp(wanted, promise, PROMISE) == 0) return false;
        const char *end = strpbrk(wanted, ",)");
        if (!end || end[-1] != ']') return false; /* a scalar is not const */
        offered += PROMISE;
        if (*offered != *wanted) return false;
        while (*offered == *wanted && *offered) {
            offered++;
            wanted++;
        }
    }
    return true;
}

static tirb_status no_fit(const tirb_module *module, uint32_t import, const tirb_import *offered, tirb_error *error) {
    const char *wanted = module->import_types[import];
    return tirbi_error_set(error, TIRB_ARGUMENT, "the import '%.*s' has the types %.*s%s, the host's function %.*s",
                           (int)tirbi_text_cut(offered->name, SHOWN_NAME), offered->name,
                           (int)tirbi_text_cut(wanted, SHOWN_TYPES), wanted, strlen(wanted) > SHOWN_TYPES ? ".." : "",
                           (int)tirbi_text_cut(offered->types, SHOWN_TYPES), offered->types);
}

/* Finds the first function that fits an import; *out stays empty when there is none of its name. */
static tirb_status choose(const tirb_module *module, uint32_t import, const tirb_import *offers, uint32_t n,
                          tirbi_bound_import *out, tirb_error *error) {
    const char *name = tirbi_program_text(module->program, module->program->imports[import].name);
    const tirb_import *other = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(offers[i].name, name) != 0) continue;
        if (!offers[i].types || types_fit(offers[i].types, module->import_types[import])) {
            *out = (tirbi_bound_import){.function = offers[i].function,
                                         .context = offers[i].context,
                                         .thread_safe = offers[i].flags & TIRB_IMPORT_THREAD_SAFE};
            return TIRB_OK;
        }
        if (!other) other = &offers[i];
    }
    return other ? no_fit(module, import, other, error) : TIRB_OK;
}

static tirb_status check_offers(const tirb_import *offers, uint32_t n, tirb_error *error) {
    for (uint32_t i = 0; i < n; i++) {
        if (!offers[i].name || !offers[i].function) {
            return tirbi_error_set(error, TIRB_MISUSE, "tirb_instance_bind: imports[%u].%s is NULL", i,
                                   offers[i].name ? "function" : "name");
        }
        if (offers[i].flags & ~(uint64_t)TIRB_IMPORT_THREAD_SAFE) {
            return tirbi_error_set(error, TIRB_MISUSE, "tirb_instance_bind: imports[%u].flags is %llu, expected 0 or 1",
                                   i, (unsigned long long)offers[i].flags);
        }
    }
    return TIRB_OK;
}

/* Everything is chosen once before anything is stored, so that an error changes nothing. */
static tirb_status bind(tirb_instance *instance, const tirb_import *offers, uint32_t n, tirb_error *error) {
    const tirb_module *module = instance->module;
    uint32_t n_imports = module->program->n_imports;
    tirbi_bound_import chosen = {0};
    TIRBI_TRY(check_offers(offers, n, error));
    for (uint32_t i = 0; i < n_imports; i++) TIRBI_TRY(choose(module, i, offers, n, &chosen, error));
    for (uint32_t i = 0; i < n_imports; i++) {
        instance->imports[i] = (tirbi_bound_import){0};
        choose(module, i, offers, n, &instance->imports[i], NULL);
    }
    return TIRB_OK;
}

tirb_status tirb_instance_bind(tirb_instance *instance, const tirb_import *imports, uint32_t n_imports,
                               tirb_error *error) {
    if (!instance || (!imports && n_imports)) {
        return tirbi_error_set(error, TIRB_MISUSE, "tirb_instance_bind: %s is NULL", instance ? "imports" : "instance");
    }
    TIRBI_TRY(tirbi_instance_enter(instance, error));
    tirb_status status = bind(instance, imports, n_imports, error);
    tirbi_instance_leave(instance);
    return status;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

/* The arguments of one call while the host has them. */
typedef struct host_call {
    tirb_import_arg args[UINT8_MAX];
    DLTensor tensors[UINT8_MAX];
    int64_t extents[UINT8_MAX];
} host_call;

static const int64_t unit_stride = 1;

static void pass_scalar(tirb_import_arg *arg, tirbi_dtype type, uint64_t bits) {
    *arg = (tirb_import_arg){.kind = TIRB_ARG_INT, .dtype = tirbi_dtype_to_dl(type), .value = {.i = (int64_t)bits}};
    if (!tirbi_dtype_is_float(type)) return;
    arg->kind = TIRB_ARG_FLOAT;
    arg->value.f = tirbi_number_to_double(type, bits);
}

static void pass_view(host_call *call, unsigned index, tirbi_dtype type, bool writable, const tirbi_ref *ref) {
    call->extents[index] = (int64_t)(ref->size / tirbi_dtypes[type].size);
    call->tensors[index] = (DLTensor){.data = ref->data,
                                      .device = {kDLCPU, 0},
                                      .ndim = 1,
                                      .dtype = tirbi_dtype_to_dl(type),
                                      .shape = &call->extents[index],
                                      .strides = (int64_t *)(uintptr_t)&unit_stride};
    call->args[index] = (tirb_import_arg){.kind = TIRB_ARG_TENSOR,
                                          .flags = writable ? 0 : TIRB_ARG_READ_ONLY,
                                          .dtype = tirbi_dtype_to_dl(type),
                                          .value = {.tensor = &call->tensors[index]}};
}

/* What the function said, behind its name; a number that is no status counts as VALUE. */
static tirb_status refused(const char *name, tirb_status status, const tirb_error *said, tirb_error *error) {
    bool known = strcmp(tirb_status_name(status), "UNKNOWN") != 0;
    const char *message = known ? tirb_status_text(status) : "it returned a number that is no status";
    if (said->message[0]) message = said->message;
    return tirbi_error_set(error, known ? status : TIRB_VALUE, "%.*s: %.*s", (int)tirbi_text_cut(name, SHOWN_NAME),
                           name, (int)tirbi_text_cut(message, 320), message);
}

static tirb_status take_result(const char *name, tirbi_dtype type, const tirb_result *result, uint64_t *bits,
                               tirb_error *error) {
    if (tirbi_dtype_is_float(type)) {
        *bits = tirbi_number_from_double(type, result->value.f);
        return TIRB_OK;
    }
    *bits = (uint64_t)result->value.i;
    if (tirbi_number_fits(type, result->value.i)) return TIRB_OK;
    return tirbi_error_set(error, TIRB_VALUE, "%.*s returned %lld, which is no %s",
                           (int)tirbi_text_cut(name, SHOWN_NAME), name, (long long)result->value.i,
                           tirbi_dtypes[type].tvm_name);
}

tirb_status tirbi_import_call(void *context, uint32_t import, bool in_region, const uint64_t *scalars,
                              const tirbi_ref *refs, uint64_t *result, tirb_error *error) {
    tirb_instance *instance = (tirb_instance *)context;
    const tirbi_program *program = instance->module->program;
    const tirbi_import *row = &program->imports[import];
    const tirbi_bound_import *bound = &instance->imports[import];
    const char *name = tirbi_program_text(program, row->name);
    if (!bound->function) {
        const char *types = instance->module->import_types[import];
        return tirbi_error_set(error, TIRB_IMPORT, "the program calls %.*s%.*s%s, which the host does not provide",
                               (int)tirbi_text_cut(name, SHOWN_NAME), name, (int)tirbi_text_cut(types, SHOWN_TYPES),
                               types, strlen(types) > SHOWN_TYPES ? ".." : "");
    }
    if (in_region && !bound->thread_safe) {
        return tirbi_error_set(error, TIRB_IMPORT, "a region calls %.*s, which is not bound as thread-safe",
                               (int)tirbi_text_cut(name, SHOWN_NAME), name);
    }
    host_call call;
    for (unsigned i = 0; i < row->n_params; i++) {
        tirbi_dtype type = (tirbi_dtype)row->params[i].dtype;
        uint8_t access = row->params[i].access;
        if (access == 0) {
            pass_scalar(&call.args[i], type, *scalars++);
        } else { /* a function that promises not to write may not, whatever memory it is given */
            pass_view(&call, i, type, refs->writable && (access & TIRBI_WRITE), refs);
            refs++;
        }
    }
    tirb_result value = {0};
    if (row->returns) value.dtype = tirbi_dtype_to_dl((tirbi_dtype)row->return_type);
    uint64_t remaining = instance->limits.timeout_ns ? tirbi_deadline_left(&instance->deadline) : UINT64_MAX;
    tirb_error said = TIRB_ERROR_INIT;
    tirb_status status = bound->function(bound->context, call.args, row->n_params, &value, remaining, &said);
    if (status != TIRB_OK) return refused(name, status, &said, error);
    return row->returns ? take_result(name, (tirbi_dtype)row->return_type, &value, result, error) : TIRB_OK;
}
