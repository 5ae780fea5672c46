/* Programs to bundles: every section is built whole, compressed where that is smaller, and then laid out. */
#include <string.h>

#include <xxhash.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "loader/base/work.h"
#include "loader/bundle/bundle.h"
#include "loader/bundle/parts.h"

#define TEXT_(number) #number
#define TEXT(number)  TEXT_(number)
#define PRODUCER      "tirb " TEXT(TIRB_VERSION_MAJOR) "." TEXT(TIRB_VERSION_MINOR) "." TEXT(TIRB_VERSION_PATCH)

enum { MAX_SECTIONS = 7 };

typedef struct section {
    uint8_t type;
    bool required;
    bool compressed;
    size_t raw_size;
    tirbi_writer bytes;
} section;

typedef struct bundle {
    tirbi_heap *heap;
    const tirbi_program *program;
    unsigned n_sections;
    section sections[MAX_SECTIONS];
} bundle;

static tirbi_writer *add_section(bundle *b, section_type type, bool required) {
    section *s = &b->sections[b->n_sections++];
    *s = (section){.type = (uint8_t)type, .required = required};
    tirbi_writer_init(&s->bytes, b->heap);
    return &s->bytes;
}

static void write_names(tirbi_writer *w, const tirbi_program *program) {
    tirbi_write_varint(w, program->n_strings);
    for (unsigned i = 0; i < program->n_strings; i++) tirbi_write_varint(w, program->strings[i].size);
    for (unsigned i = 0; i < program->n_strings; i++) {
        tirbi_write_bytes(w, program->strings[i].text, program->strings[i].size);
    }
}

static void write_imports(tirbi_writer *w, const tirbi_program *program) {
    tirbi_write_varint(w, program->n_imports);
    for (unsigned i = 0; i < program->n_imports; i++) {
        const tirbi_import *import = &program->imports[i];
        tirbi_write_varint(w, import->name);
        tirbi_write_u8(w, import->returns ? IMPORT_RETURNS : 0);
        if (import->returns) tirbi_write_u8(w, import->return_type);
        tirbi_write_u8(w, import->n_params);
        for (unsigned p = 0; p < import->n_params; p++) {
            tirbi_write_u8(w, import->params[p].access);
            tirbi_write_u8(w, import->params[p].dtype);
        }
    }
}

/* A register, string or parameter number, or none: shifted by one so that none, 0xFFFF, is the short 0. */
static void write_optional(tirbi_writer *w, uint16_t number) { tirbi_write_varint(w, (uint16_t)(number + 1)); }

static void write_dim(tirbi_writer *w, const tirbi_dim *dim) {
    const tirbi_dim_term *first = dim->terms;
    bool single = dim->n_terms == 1 && first->value >= 0 && first->value <= INT64_MAX >> DIM_SHIFT;
    if (single && first->op == TIRBI_DIM_CONST) {
        tirbi_write_varint(w, (uint64_t)first->value << DIM_SHIFT | DIM_CONST);
    } else if (single && first->op == TIRBI_DIM_VAR) {
        tirbi_write_varint(w, (uint64_t)first->value << DIM_SHIFT | DIM_VAR);
    } else {
        tirbi_write_varint(w, (uint64_t)dim->n_terms << DIM_SHIFT | DIM_TERMS);
        for (unsigned i = 0; i < dim->n_terms; i++) {
            const tirbi_dim_term *term = &dim->terms[i];
            tirbi_write_u8(w, term->op);
            if (term->op == TIRBI_DIM_CONST || term->op == TIRBI_DIM_VAR) tirbi_write_signed(w, term->value);
        }
    }
}

static void write_param(tirbi_writer *w, const tirbi_param *param) {
    bool scalar = param->kind == TIRB_PARAM_SCALAR;
    tirbi_write_varint(w, param->name);
    tirbi_write_u8(w, (uint8_t)((scalar ? PARAM_SCALAR : 0) | param->access << PARAM_ACCESS_SHIFT |
                                (param->has_strides ? PARAM_STRIDES : 0) | (param->has_elem_offset ? PARAM_OFFSET : 0) |
                                (param->minima ? PARAM_MINIMA : 0) | (param->is_result ? PARAM_RESULT : 0) |
                                (param->is_open ? PARAM_OPEN : 0)));
    tirbi_write_u8(w, param->dtype);
    tirbi_write_varint(w, param->reg);
    if (scalar) return;
    tirbi_write_u8(w, param->ndim);
    for (unsigned i = 0; i < param->ndim; i++) write_dim(w, &param->shape[i]);
    for (unsigned i = 0; i < param->ndim && param->has_strides; i++) write_dim(w, &param->strides[i]);
    if (param->has_elem_offset) write_dim(w, &param->elem_offset);
    for (unsigned i = 0; i < param->ndim && param->minima; i++) write_dim(w, &param->minima[i]);
}

static void write_conditions(tirbi_writer *w, const tirbi_function *f) {
    if (f->n_conditions) tirbi_write_varint(w, f->n_conditions);
    for (unsigned i = 0; i < f->n_conditions; i++) {
        tirbi_write_u8(w, f->conditions[i].relation);
        write_dim(w, &f->conditions[i].left);
        write_dim(w, &f->conditions[i].right);
    }
}

static void write_function(tirbi_writer *w, const tirbi_function *f) {
    tirbi_write_varint(w, f->name);
    tirbi_write_u8(w, (uint8_t)((f->is_public ? FUNCTION_PUBLIC : 0) | (f->returns ? FUNCTION_RETURNS : 0) |
                                (f->is_region ? FUNCTION_REGION : 0) | (f->n_aliases ? FUNCTION_ALIASES : 0) |
                                (f->is_packed ? FUNCTION_PACKED : 0) | (f->n_conditions ? FUNCTION_CONDITIONS : 0)));
    if (f->returns) tirbi_write_u8(w, f->return_type);
    tirbi_write_varint(w, f->n_sregs);
    tirbi_write_varint(w, f->n_refs);
    tirbi_write_u8(w, f->n_lane_regs);
    tirbi_write_u8(w, f->n_reds);
    tirbi_write_varint(w, f->code_size);
    tirbi_write_varint(w, f->n_vars);
    for (unsigned i = 0; i < f->n_vars; i++) {
        tirbi_write_varint(w, f->vars[i].name);
        tirbi_write_u8(w, f->vars[i].dtype);
        tirbi_write_varint(w, f->vars[i].reg);
        write_optional(w, f->vars[i].param);
    }
    tirbi_write_varint(w, f->n_params);
    for (unsigned i = 0; i < f->n_params; i++) write_param(w, &f->params[i]);
    if (f->n_aliases) tirbi_write_varint(w, f->n_aliases);
    for (unsigned i = 0; i < f->n_aliases; i++) {
        tirbi_write_varint(w, f->aliases[i].first);
        tirbi_write_varint(w, f->aliases[i].second);
    }
    write_conditions(w, f);
    for (unsigned i = 0; i < f->n_refs; i++) {
        tirbi_write_u8(w, (uint8_t)(f->refs[i].dtype | (f->refs[i].writable ? REF_WRITABLE : 0)));
    }
    for (unsigned i = 0; i < f->n_reds; i++) {
        tirbi_write_u8(w, f->reds[i].dtype);
        tirbi_write_u8(w, f->reds[i].op);
    }
}

static void write_functions(tirbi_writer *w, const tirbi_program *program) {
    tirbi_write_u8(w, program->fp_mode);
    write_optional(w, program->source_file);
    tirbi_write_varint(w, program->n_functions);
    for (unsigned i = 0; i < program->n_functions; i++) write_function(w, &program->functions[i]);
}

static tirb_status write_code(tirbi_writer *w, const tirbi_program *program, tirb_error *error) {
    tirbi_instr instr;
    for (unsigned i = 0; i < program->n_functions; i++) {
        const tirbi_function *f = &program->functions[i];
        for (uint32_t at = 0; at < f->code_size; at += instr.size) {
            TIRBI_TRY(tirbi_work(w->heap, 1, error));
            TIRBI_TRY(tirbi_decode(f->code, f->code_size, at, &instr, error));
            tirbi_pack_instr(w, &instr);
        }
    }
    return TIRB_OK;
}

static tirb_status write_lines(tirbi_writer *w, const tirbi_program *program, tirb_error *error) {
    for (unsigned i = 0; i < program->n_functions; i++) {
        const tirbi_function *f = &program->functions[i];
        tirbi_line last = {0};
        tirbi_write_varint(w, f->n_lines);
        for (uint32_t k = 0; k < f->n_lines; k++) {
            TIRBI_TRY(tirbi_work(w->heap, 1, error));
            const tirbi_line *line = &f->lines[k];
            tirbi_write_signed(w, (int64_t)line->offset - last.offset);
            tirbi_write_signed(w, (int64_t)line->line - last.line);
            tirbi_write_signed(w, (int64_t)line->column - last.column);
            last = *line;
        }
    }
    return TIRB_OK;
}

uint32_t tirbi_features_of(const tirbi_function *f) {
    uint32_t features = (f->is_region ? FEATURE_REGIONS : 0) | (f->n_aliases ? FEATURE_ALIASES : 0) |
                        (f->is_packed ? FEATURE_PACKED : 0) | (f->n_conditions ? FEATURE_CONDITIONS : 0);
    for (unsigned i = 0; i < f->n_params; i++)
        features |= (f->params[i].minima ? FEATURE_MINIMA : 0) | (f->params[i].is_result ? FEATURE_RESULTS : 0) |
                    (f->params[i].is_open ? FEATURE_OPEN : 0);
    return features;
}

static uint32_t features_of(const tirbi_program *program) {
    uint32_t features = 0;
    for (unsigned i = 0; i < program->n_functions; i++) features |= tirbi_features_of(&program->functions[i]);
    return features;
}

static bool has_lines(const tirbi_program *program) {
    for (unsigned i = 0; i < program->n_functions; i++) {
        if (program->functions[i].n_lines > 0) return true;
    }
    return false;
}

/* What stands in front of the elements, but for how many zeroes are between. */
static void write_constants_table(tirbi_writer *w, const tirbi_program *program) {
    tirbi_write_varint(w, program->n_constants);
    for (unsigned i = 0; i < program->n_constants; i++) {
        const tirbi_constant *constant = &program->constants[i];
        tirbi_write_u8(w, constant->dtype);
        tirbi_write_varint(w, constant->size / tirbi_dtypes[constant->dtype].size);
    }
}

static void write_zeroes(tirbi_writer *w, size_t n) {
    uint8_t *zeroes = n ? tirbi_write_space(w, n) : NULL;
    if (zeroes) memset(zeroes, 0, n);
}

/* Zeroes up to where the next constant may begin. */
static uint64_t gap_behind(uint64_t size) { return (CONSTANT_ALIGN - size % CONSTANT_ALIGN) % CONSTANT_ALIGN; }

static size_t varint_size(uint64_t v) {
    size_t n = 1;
    while (v >>= 7) n++;
    return n;
}

/* The section's elements begin at a multiple of CONSTANT_ALIGN in the bundle. How many zeroes that takes depends on how
 * long the section table is, which depends on the section's size: twice as many as may be needed always do. */
static void write_constants(bundle *b, section *s) {
    const tirbi_program *program = b->program;
    uint64_t before = TIRBI_BUNDLE_HEADER_SIZE, elements = 0;
    for (unsigned i = 0; i < b->n_sections; i++) {
        const section *other = &b->sections[i];
        if (other == s) before += 1; /* the key */
        if (other == s) continue;
        before += 1 + varint_size(other->bytes.size) + (other->compressed ? varint_size(other->raw_size) : 0);
        if (other->type < SECTION_CONSTANTS) before += other->bytes.size;
    }
    for (unsigned i = 0; i < program->n_constants; i++) {
        const uint64_t size = program->constants[i].size;
        elements += size + (i + 1 < program->n_constants ? gap_behind(size) : 0);
    }
    write_constants_table(&s->bytes, program);
    const uint64_t table = s->bytes.size + 1;
    uint8_t gap = 0;
    while (gap < 2 * CONSTANT_ALIGN &&
           (before + varint_size(table + gap + elements) + table + gap) % CONSTANT_ALIGN != 0)
        gap++;
    tirbi_write_u8(&s->bytes, gap);
    write_zeroes(&s->bytes, gap);
    for (unsigned i = 0; i < program->n_constants; i++) {
        const tirbi_constant *constant = &program->constants[i];
        if (constant->size) tirbi_write_bytes(&s->bytes, constant->bytes, (size_t)constant->size);
        if (i + 1 < program->n_constants) write_zeroes(&s->bytes, (size_t)gap_behind(constant->size));
    }
    s->raw_size = s->bytes.size;
}

static tirb_status build_sections(bundle *b, tirb_error *error) {
    write_names(add_section(b, SECTION_NAMES, true), b->program);
    if (b->program->n_imports > 0) write_imports(add_section(b, SECTION_IMPORTS, true), b->program);
    write_functions(add_section(b, SECTION_FUNCTIONS, true), b->program);
    TIRBI_TRY(write_code(add_section(b, SECTION_CODE, true), b->program, error));
    if (b->program->n_constants > 0) add_section(b, SECTION_CONSTANTS, true);
    if (has_lines(b->program)) TIRBI_TRY(write_lines(add_section(b, SECTION_LINES, false), b->program, error));
    tirbi_write_bytes(add_section(b, SECTION_PRODUCER, false), PRODUCER, sizeof(PRODUCER) - 1);
    return TIRB_OK;
}

static tirb_status compress_section(section *s, tirbi_heap *heap, tirb_error *error) {
    s->raw_size = s->bytes.size;
    if (s->raw_size < COMPRESS_FROM) return TIRB_OK;
    tirbi_writer frame;
    tirbi_writer_init(&frame, heap);
    tirb_status status = tirbi_frame_write(heap, s->bytes.data, s->bytes.size, &frame, error);
    if (status == TIRB_OK && frame.size < s->bytes.size) {
        tirbi_writer raw = s->bytes;
        s->bytes = frame;
        frame = raw;
        s->compressed = true;
    }
    tirbi_writer_destroy(&frame);
    return status;
}

static void write_table(tirbi_writer *out, const bundle *b) {
    for (unsigned i = 0; i < b->n_sections; i++) {
        const section *s = &b->sections[i];
        tirbi_write_varint(out, (uint64_t)s->type << KEY_TYPE_SHIFT | (s->compressed ? KEY_COMPRESSED : 0) |
                                    (s->required ? KEY_REQUIRED : 0));
        tirbi_write_varint(out, s->bytes.size);
        if (s->compressed) tirbi_write_varint(out, s->raw_size);
    }
}

static tirb_status lay_out(const bundle *b, tirbi_writer *out, tirb_error *error) {
    size_t start = out->size;
    uint64_t unpacked = 0;
    uint8_t dictionary = 0;
    for (unsigned i = 0; i < b->n_sections; i++) {
        unpacked += b->sections[i].raw_size;
        if (b->sections[i].compressed) dictionary = TIRBI_DICTIONARY;
    }
    uint8_t *header = tirbi_write_space(out, TIRBI_BUNDLE_HEADER_SIZE);
    if (header) memset(header, 0, TIRBI_BUNDLE_HEADER_SIZE);
    write_table(out, b);
    for (unsigned i = 0; i < b->n_sections; i++) {
        tirbi_write_bytes(out, b->sections[i].bytes.data, b->sections[i].bytes.size);
    }
    if (out->failed) return tirbi_error_set(error, tirbi_heap_status(out->heap), "no memory for the bundle");
    size_t size = out->size - start;
    if (size > UINT32_MAX || unpacked > UINT32_MAX) {
        return tirbi_error_set(error, TIRB_UNSUPPORTED, "a bundle of %zu bytes, at most 4 GiB", size);
    }
    header = out->data + start; /* the buffer may have moved */
    memcpy(header + HEADER_MAGIC, TIRBI_BUNDLE_MAGIC, 4);
    header[HEADER_MAJOR] = TIRBI_BUNDLE_MAJOR;
    header[HEADER_MINOR] = TIRBI_BUNDLE_MINOR;
    header[HEADER_SECTIONS] = (uint8_t)b->n_sections;
    header[HEADER_DICTIONARY] = dictionary;
    tirbi_store_u32(header + HEADER_FEATURES, features_of(b->program));
    tirbi_store_u32(header + HEADER_SIZE, (uint32_t)size);
    tirbi_store_u32(header + HEADER_UNPACKED, (uint32_t)unpacked);
    tirbi_bundle_seal(header, size);
    return TIRB_OK;
}

static tirb_status write_bundle(bundle *b, tirbi_writer *out, tirb_error *error) {
    TIRBI_TRY(build_sections(b, error));
    section *constants = NULL;
    for (unsigned i = 0; i < b->n_sections; i++) {
        if (b->sections[i].bytes.failed) {
            return tirbi_error_set(error, tirbi_heap_status(b->heap), "no memory to write the bundle");
        }
        if (b->sections[i].type == SECTION_CONSTANTS) constants = &b->sections[i];
        else TIRBI_TRY(compress_section(&b->sections[i], b->heap, error));
    }
    if (constants) write_constants(b, constants); /* where they are to be is known now */
    return lay_out(b, out, error);
}

tirb_status tirbi_bundle_write(const tirbi_program *program, tirbi_heap *heap, tirbi_writer *out, tirb_error *error) {
    bundle b = {.heap = heap, .program = program};
    tirb_status status = write_bundle(&b, out, error);
    for (unsigned i = 0; i < b.n_sections; i++) tirbi_writer_destroy(&b.sections[i].bytes);
    return status;
}

uint64_t tirbi_bundle_checksum(const uint8_t *bytes, size_t size) {
    return XXH3_64bits(bytes + HEADER_MAJOR, size - HEADER_MAJOR);
}

void tirbi_bundle_seal(uint8_t *bytes, size_t size) {
    tirbi_store_u64(bytes + HEADER_CHECKSUM, tirbi_bundle_checksum(bytes, size));
}
