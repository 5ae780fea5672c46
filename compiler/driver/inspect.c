/* `tirb inspect`: what is in a bundle. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "compiler/driver/json.h"
#include "compiler/driver/program.h"
#include "loader/bundle/bundle.h"
#include "loader/bundle/parts.h"
#include "vm/call/signature.h"

static const option_row inspect_options[] = {
    {OPTION_JSON, 0, "json", NULL, "print one JSON object instead of text"},
    {OPTION_FP, 0, "fp", "MODE", "precise, strict or fast, for a source"},
    {OPTION_PARALLEL, 0, "parallel", "WHICH", "auto, off or all, for a source: loops for several threads"},
    DISABLE_OPTION,
    LANGUAGE_OPTIONS,
    COMPILE_LIMIT_OPTIONS,
    DIAGNOSTICS_OPTION,
    NO_CACHE_OPTION,
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

typedef struct section {
    uint64_t type;
    uint64_t size, unpacked;
} section;

static const char *section_name(uint64_t type) {
    switch (type) {
    case SECTION_NAMES: return "names";
    case SECTION_IMPORTS: return "imports";
    case SECTION_FUNCTIONS: return "functions";
    case SECTION_CODE: return "code";
    case SECTION_CONSTANTS: return "constants";
    case SECTION_LINES: return "lines";
    case SECTION_PRODUCER: return "producer";
    case SECTION_CUSTOM: return "custom";
    default: return "unknown";
    }
}

/* The table of a bundle that has been accepted. Returns the number of sections. */
static unsigned read_sections(const bundle *from, section sections[256]) {
    unsigned n = from->bytes[HEADER_SECTIONS];
    tirbi_reader r = tirbi_reader_over(from->bytes + TIRBI_BUNDLE_HEADER_SIZE, from->size - TIRBI_BUNDLE_HEADER_SIZE);
    for (unsigned i = 0; i < n; i++) {
        uint64_t key = tirbi_read_varint(&r);
        sections[i].type = key >> KEY_TYPE_SHIFT;
        sections[i].size = tirbi_read_varint(&r);
        sections[i].unpacked = key & KEY_COMPRESSED ? tirbi_read_varint(&r) : sections[i].size;
    }
    return n;
}

static const char *fp_name(uint8_t mode) {
    static const char *const names[] = {"precise", "strict", "fast"};
    return mode < 3 ? names[mode] : "unknown";
}

static const char *source_name(const tirbi_program *program) {
    return program->source_file == TIRBI_NO_STRING ? NULL : program->strings[program->source_file].text;
}

/* What is said of functions: as much as they take, and some more. Many may share long names, and a bundle of a few
 * hundred kilobytes has room for lists of hundreds of megabytes. */
enum { ANY_TEXT = 1 << 20, TEXT_PER_BYTE = 16, TEXT_OF_ENTRY = 256 };

static uint64_t room_for_text(const tirbi_program *program) { return ANY_TEXT + TEXT_PER_BYTE * program->n_bytes; }

static uint64_t text_of_dim(const tirbi_program *program, const tirbi_function *f, const tirbi_dim *dim) {
    enum { NUMBER = 24 };
    if (dim->n_terms != 1) return TIRBI_MAX_DIM_TEXT;
    return dim->terms[0].op == TIRBI_DIM_VAR ? program->strings[f->vars[dim->terms[0].value].name].size : NUMBER;
}

/* Extents and minima. */
static uint64_t text_of_dims(const tirbi_program *program, const tirbi_function *f, const tirbi_param *p) {
    enum { APART = 16 };
    uint64_t n = 0;
    for (unsigned d = 0; d < p->ndim; d++)
        n += APART + text_of_dim(program, f, &p->shape[d]) + (p->minima ? text_of_dim(program, f, &p->minima[d]) : 0);
    return n;
}

/* About how long a function's entry is. */
static uint64_t text_of_function(const tirbi_program *program, const tirbi_function *f, bool with_parameters) {
    enum { SIGNATURE = 1024 };
    uint64_t n = TEXT_OF_ENTRY + program->strings[f->name].size + SIGNATURE;
    for (unsigned i = 0; i < f->n_params; i++) {
        const tirbi_param *p = &f->params[i];
        if (with_parameters || (p->access & TIRBI_WRITE))
            n += TEXT_OF_ENTRY + program->strings[p->name].size + text_of_dims(program, f, p);
    }
    for (unsigned i = 0; i < f->n_conditions; i++)
        n += TEXT_OF_ENTRY + text_of_dim(program, f, &f->conditions[i].left) +
             text_of_dim(program, f, &f->conditions[i].right);
    for (unsigned i = 0; i < f->n_aliases; i++)
        n += TEXT_OF_ENTRY + program->strings[f->params[f->aliases[i].first].name].size +
             program->strings[f->params[f->aliases[i].second].name].size;
    return n;
}

/* The number of imports whose entries there is room for, in a half of it, */
static uint32_t shown_imports(const tirbi_program *program) {
    enum { TYPE = 20 };
    uint64_t room = room_for_text(program) / 2;
    for (uint32_t i = 0; i < program->n_imports; i++) {
        const tirbi_import *import = &program->imports[i];
        const uint64_t n = TEXT_OF_ENTRY + program->strings[import->name].size + TYPE * import->n_params;
        if (n > room) return i;
        room -= n;
    }
    return program->n_imports;
}

/* and of functions, in the other one. */
static uint32_t shown_functions(const tirbi_program *program, bool with_parameters) {
    uint64_t room = room_for_text(program) / 2;
    for (uint32_t i = 0; i < program->n_functions; i++) {
        const uint64_t n = text_of_function(program, &program->functions[i], with_parameters);
        if (n > room) return i;
        room -= n;
    }
    return program->n_functions;
}

static void print_dims(const tirbi_program *program, const tirbi_function *f, const tirbi_dim *dims, unsigned n) {
    char text[TIRBI_MAX_DIM_TEXT], clean[CLEAN_SIZE];
    printf("[");
    for (unsigned d = 0; d < n; d++) {
        tirbi_dim_format(program, f, &dims[d], text, sizeof text);
        printf("%s%s", d ? ", " : "", clean_text(text, clean));
    }
    printf("]");
}

/* What a call gives, as expressions of the sizes, and what it requires of them. */
static void print_sizes(const tirbi_program *program, const tirbi_function *f) {
    char text[TIRBI_MAX_CONDITION_TEXT], clean[CLEAN_SIZE];
    for (unsigned i = 0; i < f->n_conditions; i++) {
        tirbi_condition_format(program, f, &f->conditions[i], text);
        printf("%s%s", i ? ", " : "    requires ", clean_text(text, clean));
    }
    if (f->n_conditions) printf("\n");
    for (unsigned i = 0; i < f->n_params && !f->is_packed; i++) {
        const tirbi_param *p = &f->params[i];
        if (!(p->access & TIRBI_WRITE) || p->is_result) continue;
        printf("    writes %s: ", clean_text(program->strings[p->name].text, clean));
        print_dims(program, f, p->shape, p->ndim);
        if (p->minima) {
            printf(" from ");
            print_dims(program, f, p->minima, p->ndim);
        }
        printf("\n");
    }
}

static void print_function(const tirbi_program *program, const tirb_module *module, uint32_t index) {
    const tirbi_function *f = &program->functions[index];
    tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
    char clean[CLEAN_SIZE], other[CLEAN_SIZE];
    if (f->is_region) printf("  %s  (region)\n", clean_text(program->strings[f->name].text, clean));
    else if (tirb_module_function(module, index, &info, NULL) != TIRB_OK) return;
    else printf("  %s%s\n", clean_text(info.signature, clean), f->is_public ? "" : "  (private)");
    if (!f->is_region) print_sizes(program, f);
    for (unsigned k = 0; k < f->n_aliases; k++) {
        printf("%s%s and %s", k ? ", " : "    may share memory: ",
               clean_text(program->strings[f->params[f->aliases[k].first].name].text, clean),
               clean_text(program->strings[f->params[f->aliases[k].second].name].text, other));
    }
    if (f->n_aliases) printf("\n");
    printf("    %u bytes of code, registers: %u scalar, %u lane, %u reference, %u reduction\n", f->code_size,
           f->n_sregs, f->n_lane_regs, f->n_refs, f->n_reds);
}

static void print_text(const bundle *from, const tirbi_program *program, const tirb_module *module) {
    section sections[256];
    unsigned n = read_sections(from, sections);
    const char *source = source_name(program);
    char clean[CLEAN_SIZE], other[CLEAN_SIZE];
    printf("%s: %zu bytes, format %u.%u, fp %s%s%s\n", from->file, from->size, from->bytes[HEADER_MAJOR],
           from->bytes[HEADER_MINOR], fp_name(program->fp_mode), source ? ", from " : "", clean_text(source, clean));
    printf("sections:\n");
    for (unsigned i = 0; i < n; i++) {
        printf("  %-10s %8llu bytes", section_name(sections[i].type), (unsigned long long)sections[i].size);
        if (sections[i].unpacked != sections[i].size) {
            printf(" (unpacks to %llu)", (unsigned long long)sections[i].unpacked);
        }
        printf("\n");
    }
    const uint32_t imports = shown_imports(program);
    if (program->n_imports > 0) printf("imports:\n");
    for (uint32_t i = 0; i < imports; i++) {
        tirb_import_info info = TIRB_IMPORT_INFO_INIT;
        if (tirb_module_import(module, i, &info, NULL) == TIRB_OK)
            printf("  %s%s\n", clean_text(info.name, clean), clean_text(info.types, other));
    }
    if (imports < program->n_imports) printf("  and %u more\n", program->n_imports - imports);
    if (program->n_constants > 0) printf("constants:\n");
    for (uint32_t i = 0; i < program->n_constants; i++) {
        const tirbi_constant *constant = &program->constants[i];
        printf("  k%u: %s, %llu elements\n", i, tirbi_dtypes[constant->dtype].tvm_name,
               (unsigned long long)(constant->size / tirbi_dtypes[constant->dtype].size));
    }
    printf("functions:\n");
    const uint32_t shown = shown_functions(program, false);
    for (uint32_t i = 0; i < shown; i++) print_function(program, module, i);
    if (shown < program->n_functions) printf("  and %u more\n", program->n_functions - shown);
}

static void add_number(cJSON *object, const char *name, uint64_t n) {
    cJSON_AddNumberToObject(object, name, (double)n); /* sizes stay below 2^53 */
}

/* Expressions of the sizes; `dims` NULL: 0 in each dimension. */
static void add_dims(cJSON *param, const char *name, const tirbi_program *program, const tirbi_function *f,
                     const tirbi_dim *dims, unsigned n) {
    cJSON *list = cJSON_AddArrayToObject(param, name);
    for (unsigned d = 0; d < n; d++) {
        char text[TIRBI_MAX_DIM_TEXT] = "0";
        if (dims) tirbi_dim_format(program, f, &dims[d], text, sizeof text);
        cJSON_AddItemToArray(list, cJSON_CreateString(text));
    }
}

static void add_conditions(cJSON *function, const tirbi_program *program, const tirbi_function *f) {
    cJSON *list = cJSON_AddArrayToObject(function, "requires");
    for (unsigned i = 0; i < f->n_conditions; i++) {
        char text[TIRBI_MAX_CONDITION_TEXT];
        tirbi_condition_format(program, f, &f->conditions[i], text);
        cJSON_AddItemToArray(list, cJSON_CreateString(text));
    }
}

static void add_parameters(cJSON *function, const tirbi_program *program, const tirb_module *module, uint32_t index,
                           uint32_t n_params) {
    const tirbi_function *f = &program->functions[index];
    cJSON *list = cJSON_AddArrayToObject(function, "parameters");
    for (uint32_t i = 0; i < n_params; i++) {
        tirb_param_info info = TIRB_PARAM_INFO_INIT;
        tirbi_dtype type;
        if (tirb_module_param(module, index, i, &info, NULL) != TIRB_OK) continue;
        cJSON *own = cJSON_CreateObject();
        cJSON_AddItemToArray(list, own);
        cJSON_AddStringToObject(own, "name", info.name);
        cJSON_AddStringToObject(own, "kind", info.kind == TIRB_PARAM_TENSOR ? "tensor" : "scalar");
        if (tirbi_dtype_from_dl(info.dtype, &type)) cJSON_AddStringToObject(own, "type", tirbi_dtypes[type].name);
        if (info.kind != TIRB_PARAM_TENSOR) {
            cJSON_AddBoolToObject(own, "inferable", info.is_inferable);
            continue;
        }
        cJSON *shape = cJSON_AddArrayToObject(own, "shape");
        for (int32_t d = 0; d < info.ndim; d++) {
            cJSON_AddItemToArray(shape,
                                 info.dims[d] < 0 ? cJSON_CreateNull() : cJSON_CreateNumber((double)info.dims[d]));
        }
        add_dims(own, "extents", program, f, f->params[i].shape, f->params[i].ndim);
        add_dims(own, "minima", program, f, f->params[i].minima, f->params[i].ndim);
        cJSON_AddBoolToObject(own, "read", info.is_read);
        cJSON_AddBoolToObject(own, "written", info.is_written);
        cJSON_AddBoolToObject(own, "result", info.is_result);
    }
}

static exit_code print_json(const invocation *inv, const bundle *from, const tirbi_program *program,
                            const tirb_module *module) {
    section sections[256];
    unsigned n = read_sections(from, sections);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "file", from->file);
    add_number(object, "size", from->size);
    char format[16];
    snprintf(format, sizeof format, "%u.%u", from->bytes[HEADER_MAJOR], from->bytes[HEADER_MINOR]);
    cJSON_AddStringToObject(object, "format", format);
    cJSON_AddStringToObject(object, "fp", fp_name(program->fp_mode));
    if (source_name(program)) json_add_text(object, "source", source_name(program));
    cJSON *list = cJSON_AddArrayToObject(object, "sections");
    for (unsigned i = 0; i < n; i++) {
        cJSON *own = cJSON_CreateObject();
        cJSON_AddItemToArray(list, own);
        cJSON_AddStringToObject(own, "name", section_name(sections[i].type));
        add_number(own, "size", sections[i].size);
        add_number(own, "unpacked", sections[i].unpacked);
    }
    const uint32_t imports = shown_imports(program);
    list = cJSON_AddArrayToObject(object, "imports");
    for (uint32_t i = 0; i < imports; i++) {
        tirb_import_info info = TIRB_IMPORT_INFO_INIT;
        if (tirb_module_import(module, i, &info, NULL) != TIRB_OK) continue;
        cJSON *own = cJSON_CreateObject();
        cJSON_AddItemToArray(list, own);
        cJSON_AddStringToObject(own, "name", info.name);
        cJSON_AddStringToObject(own, "types", info.types);
    }
    list = cJSON_AddArrayToObject(object, "constants");
    for (uint32_t i = 0; i < program->n_constants; i++) {
        const tirbi_constant *constant = &program->constants[i];
        cJSON *own = cJSON_CreateObject();
        cJSON_AddItemToArray(list, own);
        cJSON_AddStringToObject(own, "type", tirbi_dtypes[constant->dtype].name);
        add_number(own, "elements", constant->size / tirbi_dtypes[constant->dtype].size);
    }
    const uint32_t shown = shown_functions(program, true);
    list = cJSON_AddArrayToObject(object, "functions");
    for (uint32_t i = 0; i < shown; i++) {
        const tirbi_function *f = &program->functions[i];
        tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
        if (f->is_region || tirb_module_function(module, i, &info, NULL) != TIRB_OK) continue;
        cJSON *own = cJSON_CreateObject();
        cJSON_AddItemToArray(list, own);
        cJSON_AddStringToObject(own, "name", info.name);
        cJSON_AddStringToObject(own, "signature", info.signature);
        cJSON_AddBoolToObject(own, "public", f->is_public);
        add_number(own, "code_size", f->code_size);
        add_number(own, "scalar_registers", f->n_sregs);
        add_number(own, "lane_registers", f->n_lane_regs);
        add_number(own, "references", f->n_refs);
        add_conditions(own, program, f);
        add_parameters(own, program, module, i, info.n_params);
        cJSON *aliases = cJSON_AddArrayToObject(own, "may_alias");
        for (unsigned k = 0; k < f->n_aliases; k++) {
            const char *names[] = {program->strings[f->params[f->aliases[k].first].name].text,
                                   program->strings[f->params[f->aliases[k].second].name].text};
            cJSON_AddItemToArray(aliases, cJSON_CreateStringArray(names, 2));
        }
    }
    list = cJSON_AddArrayToObject(object, "regions");
    for (uint32_t i = 0; i < shown; i++) {
        const tirbi_function *f = &program->functions[i];
        if (!f->is_region) continue;
        cJSON *own = cJSON_CreateObject();
        cJSON_AddItemToArray(list, own);
        cJSON_AddStringToObject(own, "name", program->strings[f->name].text);
        add_number(own, "code_size", f->code_size);
    }
    if (imports < program->n_imports) add_number(object, "imports_left_out", program->n_imports - imports);
    if (shown < program->n_functions) add_number(object, "functions_left_out", program->n_functions - shown);
    return json_print(inv, object, JSON_LINES);
}

static exit_code show(const invocation *inv, const bundle *from, const tirb_module *module) {
    tirbi_heap heap;
    tirbi_arena arena;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_program *program;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    const tirbi_bundle_limits limits = {.max_size = UINT32_MAX, .stays = true};
    tirb_status status = tirbi_bundle_read_within(from->bytes, from->size, &limits, &arena, &program, &error);
    exit_code code = EXIT_DONE;
    if (status != TIRB_OK) {
        code = fail_bundle(inv, from, status, &error);
    } else if (option_given(inv, OPTION_JSON)) {
        code = print_json(inv, from, program, module);
    } else {
        print_text(from, program, module);
    }
    tirbi_arena_destroy(&arena);
    return code;
}

static exit_code run_inspect(const invocation *inv) {
    bundle from;
    exit_code code = bundle_open(inv, inv->operands[0], &from);
    if (code != EXIT_DONE) return code;
    tirb_engine *engine;
    tirb_module *module;
    code = bundle_load(inv, &from, false, &engine, &module);
    if (code == EXIT_DONE) {
        code = show(inv, &from, module);
        tirb_module_release(module);
        tirb_engine_release(engine);
    }
    bundle_close(&from);
    return code;
}

const command inspect_command = {
    .name = "inspect",
    .operands = "FILE",
    .summary = "Show the sections, functions and sizes of a bundle or of a source",
    .options = inspect_options,
    .details = "Examples:\n"
               "  tirb inspect digits.tirb\n"
               "  tirb inspect digits.tirb --json\n",
    .run = run_inspect,
    .least_operands = 1,
    .most_operands = 1,
};
