/* Bundles to programs. Every count is bounded by the bytes that are left before memory is taken for it. */
#include <inttypes.h>
#include <string.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "loader/base/work.h"
#include "loader/bundle/bundle.h"
#include "loader/bundle/parts.h"

/* Decoded tables may take this many times max_size: fields that are a byte in a bundle are up to 16 in memory. */
enum { DECODED_FACTOR = 8 };

/* Code of this size is always read, and sections; beyond it, so many times the bundle's size. Loading takes time in
 * proportion to what a bundle unpacks to, and that must stay in proportion to the bundle: what repeats packs to next to
 * nothing. */
enum { ANY_CODE = 4 << 20, CODE_FACTOR = 256 };

typedef struct loading {
    tirbi_arena *arena;
    tirbi_bundle_limits limits; /* without zeroes */
    uint64_t decoded;           /* bytes taken from the arena */
    uint64_t max_decoded;
    uint64_t sections, unpacked; /* bytes of the sections that were read, and with the code */
    uint32_t features;
    const uint8_t *bundle;
    tirbi_frame_reader frames;
    tirbi_program *program;
    tirbi_function *functions;
    tirb_error *error;
} loading;

/* ---- Errors and memory ---------------------------------------------------------------------------------------- */

static tirb_status too_large(loading *l, const char *what, uint64_t size, uint64_t limit) {
    return tirbi_error_set(l->error, TIRB_MEMORY_LIMIT, "%s has %" PRIu64 " bytes, the limit is %" PRIu64, what, size,
                           limit);
}

static tirb_status too_many(loading *l, const char *what, uint64_t n, uint64_t limit) {
    return tirbi_error_set(l->error, TIRB_MEMORY_LIMIT, "%" PRIu64 " %s, the limit is %" PRIu64, n, what, limit);
}

/* Before bytes are unpacked: memory may be taken in proportion to them. */
static tirb_status note_unpacked(loading *l, uint64_t bytes) {
    tirbi_heap *heap = l->arena->heap;
    uint64_t more;
    l->unpacked += bytes; /* sections and functions say their sizes in 32 bits */
    if (l->unpacked > l->limits.max_unpacked)
        return too_large(l, "what the bundle unpacks to", l->unpacked, l->limits.max_unpacked);
    if (!tirbi_mul_u64(bytes, l->limits.memory_per_byte, &more) || !tirbi_add_u64(heap->budget, more, &heap->budget))
        heap->budget = UINT64_MAX - 1;
    return TIRB_OK;
}

/* Room for n things of `size` bytes; nowhere where there is none. */
static tirb_status take(loading *l, size_t n, size_t size, void **out) {
    uint64_t bytes;
    *out = NULL;
    if (!tirbi_mul_u64(n, size, &bytes) || bytes > l->max_decoded - l->decoded) {
        return too_large(l, "the decoded program", l->decoded + n, l->max_decoded);
    }
    l->decoded += bytes;
    TIRBI_TRY(tirbi_work(l->arena->heap, tirbi_work_of_bytes(bytes), l->error));
    *out = tirbi_arena_alloc(l->arena, n, size);
    if (*out) return TIRB_OK;
    return tirbi_error_set(l->error, tirbi_heap_status(l->arena->heap), "no memory for the program");
}

/* A section ends where its last field ends. */
static tirb_status finish(loading *l, const tirbi_reader *r, const char *section) {
    if (r->failed) {
        return tirbi_error_set(l->error, TIRB_FORMAT, "the section of %s is malformed near its byte %zu of %zu",
                               section, r->at, r->size);
    }
    if (tirbi_reader_left(r) > 0) {
        return tirbi_error_set(l->error, TIRB_FORMAT, "the section of %s has %zu bytes too many", section,
                               tirbi_reader_left(r));
    }
    return TIRB_OK;
}

/* ---- Fields --------------------------------------------------------------------------------------------------- */

static uint16_t read_u16(tirbi_reader *r) {
    uint64_t v = tirbi_read_varint(r);
    if (v > UINT16_MAX) r->failed = true;
    return (uint16_t)v;
}

static uint32_t read_u32(tirbi_reader *r) {
    uint64_t v = tirbi_read_varint(r);
    if (v > UINT32_MAX) r->failed = true;
    return (uint32_t)v;
}

/* A count of things that take at least a byte each. */
static uint16_t read_count(tirbi_reader *r) {
    uint16_t n = read_u16(r);
    if (n > tirbi_reader_left(r)) r->failed = true;
    return r->failed ? 0 : n;
}

static uint16_t read_optional(tirbi_reader *r) { return (uint16_t)(read_u16(r) - 1); }

static tirb_status read_names(loading *l, tirbi_reader *r) {
    uint16_t n = read_count(r);
    void *memory;
    TIRBI_TRY(take(l, n, sizeof(tirbi_string), &memory));
    tirbi_string *strings = (tirbi_string *)memory;
    l->program->strings = strings;
    l->program->n_strings = n;
    uint64_t total = 0;
    for (unsigned i = 0; i < n; i++) {
        strings[i].size = read_u32(r);
        total += strings[i].size;
    }
    if (r->failed || total != tirbi_reader_left(r)) {
        r->failed = true;
        return finish(l, r, "names");
    }
    TIRBI_TRY(take(l, (size_t)total + n, 1, &memory));
    char *text = (char *)memory;
    for (unsigned i = 0; i < n; i++) {
        const uint8_t *bytes = tirbi_read_bytes(r, strings[i].size);
        if (strings[i].size > 0) memcpy(text, bytes, strings[i].size);
        strings[i].text = text;
        text += strings[i].size + 1;
    }
    return TIRB_OK; /* the texts are all that was left */
}

static tirb_status read_import(loading *l, tirbi_reader *r, tirbi_import *import) {
    import->name = read_u16(r);
    uint8_t flags = tirbi_read_u8(r);
    if (flags & ~IMPORT_ALL) r->failed = true;
    import->returns = flags & IMPORT_RETURNS;
    import->return_type = import->returns ? tirbi_read_u8(r) : TIRB_TYPE_NONE;
    import->n_params = tirbi_read_u8(r);
    void *memory;
    TIRBI_TRY(take(l, import->n_params, sizeof(tirbi_import_param), &memory));
    tirbi_import_param *params = (tirbi_import_param *)memory;
    import->params = params;
    for (unsigned i = 0; i < import->n_params; i++) {
        params[i].access = tirbi_read_u8(r);
        params[i].dtype = tirbi_read_u8(r);
    }
    return TIRB_OK;
}

/* A program without imports has no such section. */
static tirb_status read_imports(loading *l, tirbi_reader *r) {
    uint16_t n = read_count(r);
    if (n == 0) r->failed = true;
    void *memory;
    TIRBI_TRY(take(l, n, sizeof(tirbi_import), &memory));
    tirbi_import *imports = (tirbi_import *)memory;
    l->program->imports = imports;
    l->program->n_imports = n;
    for (unsigned i = 0; i < n && !r->failed; i++) TIRBI_TRY(read_import(l, r, &imports[i]));
    return finish(l, r, "imports");
}

static tirb_status read_terms(loading *l, tirbi_reader *r, uint64_t n, tirbi_dim *dim) {
    if (n > TIRBI_MAX_DIM_TERMS) {
        r->failed = true;
        return TIRB_OK;
    }
    void *memory;
    TIRBI_TRY(take(l, (size_t)n, sizeof(tirbi_dim_term), &memory));
    tirbi_dim_term *terms = (tirbi_dim_term *)memory;
    for (unsigned i = 0; i < n; i++) {
        terms[i].op = tirbi_read_u8(r);
        if (terms[i].op == TIRBI_DIM_CONST || terms[i].op == TIRBI_DIM_VAR) terms[i].value = tirbi_read_signed(r);
    }
    /* One encoding of each dimension: what has a short form uses it. */
    if (n == 1 && terms[0].op <= TIRBI_DIM_VAR && terms[0].value >= 0 && terms[0].value <= INT64_MAX >> DIM_SHIFT) {
        r->failed = true;
    }
    dim->n_terms = (uint16_t)n;
    dim->terms = terms;
    return TIRB_OK;
}

static tirb_status read_dim(loading *l, tirbi_reader *r, tirbi_dim *dim) {
    uint64_t head = tirbi_read_varint(r);
    uint64_t kind = head & ((1 << DIM_SHIFT) - 1);
    if (kind > DIM_TERMS) {
        r->failed = true;
        return TIRB_OK;
    }
    if (kind == DIM_TERMS) return read_terms(l, r, head >> DIM_SHIFT, dim);
    if (head > (uint64_t)INT64_MAX) r->failed = true;
    void *memory;
    TIRBI_TRY(take(l, 1, sizeof(tirbi_dim_term), &memory));
    tirbi_dim_term *term = (tirbi_dim_term *)memory;
    term->op = kind == DIM_CONST ? TIRBI_DIM_CONST : TIRBI_DIM_VAR;
    term->value = (int64_t)(head >> DIM_SHIFT);
    dim->n_terms = 1;
    dim->terms = term;
    return TIRB_OK;
}

static tirb_status read_dims(loading *l, tirbi_reader *r, unsigned n, const tirbi_dim **out) {
    void *memory;
    TIRBI_TRY(take(l, n, sizeof(tirbi_dim), &memory));
    tirbi_dim *dims = (tirbi_dim *)memory;
    *out = dims;
    for (unsigned i = 0; i < n && !r->failed; i++) TIRBI_TRY(read_dim(l, r, &dims[i]));
    return TIRB_OK;
}

static tirb_status read_param(loading *l, tirbi_reader *r, tirbi_param *param) {
    param->name = read_u16(r);
    uint8_t flags = tirbi_read_u8(r); /* each bit has a meaning (parts.h) */
    param->kind = flags & PARAM_SCALAR ? TIRB_PARAM_SCALAR : TIRB_PARAM_TENSOR;
    param->access = flags >> PARAM_ACCESS_SHIFT & (TIRBI_READ | TIRBI_WRITE);
    param->has_strides = flags & PARAM_STRIDES;
    param->has_elem_offset = flags & PARAM_OFFSET;
    param->is_result = flags & PARAM_RESULT;
    param->is_open = flags & PARAM_OPEN;
    param->dtype = tirbi_read_u8(r);
    param->reg = read_u16(r);
    if (param->kind == TIRB_PARAM_SCALAR) {
        if (flags != PARAM_SCALAR) r->failed = true;
        return TIRB_OK;
    }
    param->ndim = tirbi_read_u8(r);
    TIRBI_TRY(read_dims(l, r, param->ndim, &param->shape));
    if (param->has_strides) TIRBI_TRY(read_dims(l, r, param->ndim, &param->strides));
    if (param->has_elem_offset) TIRBI_TRY(read_dim(l, r, &param->elem_offset));
    if (!(flags & PARAM_MINIMA)) return TIRB_OK;
    if (param->ndim == 0) r->failed = true; /* nothing would follow */
    return read_dims(l, r, param->ndim, &param->minima);
}

static tirb_status read_vars(loading *l, tirbi_reader *r, tirbi_function *f) {
    f->n_vars = read_count(r);
    void *memory;
    TIRBI_TRY(take(l, f->n_vars, sizeof(tirbi_var), &memory));
    tirbi_var *vars = (tirbi_var *)memory;
    f->vars = vars;
    for (unsigned i = 0; i < f->n_vars && !r->failed; i++) {
        vars[i].name = read_u16(r);
        vars[i].dtype = tirbi_read_u8(r);
        vars[i].reg = read_u16(r);
        vars[i].param = read_optional(r);
    }
    return TIRB_OK;
}

static tirb_status read_params(loading *l, tirbi_reader *r, tirbi_function *f) {
    f->n_params = read_count(r);
    void *memory;
    TIRBI_TRY(take(l, f->n_params, sizeof(tirbi_param), &memory));
    tirbi_param *params = (tirbi_param *)memory;
    f->params = params;
    for (unsigned i = 0; i < f->n_params && !r->failed; i++) TIRBI_TRY(read_param(l, r, &params[i]));
    return TIRB_OK;
}

/* Each pair takes two bytes at least, which bounds what is taken. */
static tirb_status read_aliases(loading *l, tirbi_reader *r, tirbi_function *f) {
    f->n_aliases = read_count(r);
    if (f->n_aliases == 0) r->failed = true; /* then the flag is not set */
    void *memory;
    TIRBI_TRY(take(l, f->n_aliases, sizeof(tirbi_alias), &memory));
    tirbi_alias *aliases = (tirbi_alias *)memory;
    f->aliases = aliases;
    for (unsigned i = 0; i < f->n_aliases && !r->failed; i++) {
        aliases[i].first = read_u16(r);
        aliases[i].second = read_u16(r);
    }
    return TIRB_OK;
}

/* Each takes three bytes at least. */
static tirb_status read_conditions(loading *l, tirbi_reader *r, tirbi_function *f) {
    f->n_conditions = read_count(r);
    if (f->n_conditions == 0) r->failed = true; /* then the flag is not set */
    void *memory;
    TIRBI_TRY(take(l, f->n_conditions, sizeof(tirbi_condition), &memory));
    tirbi_condition *conditions = (tirbi_condition *)memory;
    f->conditions = conditions;
    for (unsigned i = 0; i < f->n_conditions && !r->failed; i++) {
        conditions[i].relation = tirbi_read_u8(r);
        TIRBI_TRY(read_dim(l, r, &conditions[i].left));
        TIRBI_TRY(read_dim(l, r, &conditions[i].right));
    }
    return TIRB_OK;
}

static tirb_status read_register_types(loading *l, tirbi_reader *r, tirbi_function *f) {
    if (f->n_refs > tirbi_reader_left(r)) r->failed = true;
    if (r->failed) return TIRB_OK;
    void *memory;
    TIRBI_TRY(take(l, f->n_refs, sizeof(tirbi_ref_type), &memory));
    tirbi_ref_type *refs = (tirbi_ref_type *)memory;
    f->refs = refs;
    for (unsigned i = 0; i < f->n_refs; i++) {
        uint8_t bits = tirbi_read_u8(r);
        refs[i].dtype = bits & (REF_WRITABLE - 1);
        refs[i].writable = bits & REF_WRITABLE;
    }
    TIRBI_TRY(take(l, f->n_reds, sizeof(tirbi_red_type), &memory));
    tirbi_red_type *reds = (tirbi_red_type *)memory;
    f->reds = reds;
    for (unsigned i = 0; i < f->n_reds; i++) {
        reds[i].dtype = tirbi_read_u8(r);
        reds[i].op = tirbi_read_u8(r);
    }
    return TIRB_OK;
}

static tirb_status read_function(loading *l, tirbi_reader *r, tirbi_function *f) {
    f->name = read_u16(r);
    uint8_t flags = tirbi_read_u8(r);
    f->is_public = flags & FUNCTION_PUBLIC;
    f->returns = flags & FUNCTION_RETURNS;
    f->is_region = flags & FUNCTION_REGION;
    f->is_packed = flags & FUNCTION_PACKED;
    f->return_type = f->returns ? tirbi_read_u8(r) : TIRB_TYPE_NONE;
    if (flags & ~FUNCTION_ALL) r->failed = true;
    f->n_sregs = read_u16(r);
    f->n_refs = read_u16(r);
    f->n_lane_regs = tirbi_read_u8(r);
    f->n_reds = tirbi_read_u8(r);
    f->code_size = read_u32(r);
    TIRBI_TRY(read_vars(l, r, f));
    TIRBI_TRY(read_params(l, r, f));
    if (flags & FUNCTION_ALIASES) TIRBI_TRY(read_aliases(l, r, f));
    if (flags & FUNCTION_CONDITIONS) TIRBI_TRY(read_conditions(l, r, f));
    return read_register_types(l, r, f);
}

static tirb_status read_functions(loading *l, tirbi_reader *r) {
    l->program->fp_mode = tirbi_read_u8(r);
    l->program->source_file = read_optional(r);
    uint16_t n = read_count(r);
    if (n > l->limits.max_functions) return too_many(l, "functions", n, l->limits.max_functions);
    void *memory;
    TIRBI_TRY(take(l, n, sizeof(tirbi_function), &memory));
    l->functions = (tirbi_function *)memory;
    TIRBI_TRY(take(l, n, sizeof(bool), &memory));
    l->program->are_called = memory;
    l->program->functions = l->functions;
    l->program->n_functions = n;
    uint32_t used = 0;
    for (unsigned i = 0; i < n && !r->failed; i++) {
        TIRBI_TRY(read_function(l, r, &l->functions[i]));
        used |= tirbi_features_of(&l->functions[i]);
    }
    TIRBI_TRY(finish(l, r, "functions"));
    if (used == l->features) return TIRB_OK;
    return tirbi_error_set(l->error, TIRB_FORMAT, "it uses the features 0x%" PRIx32 ", its header says 0x%" PRIx32,
                           used, l->features);
}

/* ---- Constants ------------------------------------------------------------------------------------------------- */

static void read_zeroes(tirbi_reader *r, size_t n) {
    const uint8_t *zeroes = tirbi_read_bytes(r, n);
    for (size_t i = 0; zeroes && i < n; i++)
        if (zeroes[i] != 0) r->failed = true;
}

/* The elements of one, in place, or a copy of them. */
static tirb_status place_constant(loading *l, const uint8_t *bytes, tirbi_constant *constant) {
    const bool is_aligned = (uintptr_t)bytes % tirbi_dtypes[constant->dtype].size == 0;
    constant->bytes = bytes;
    if ((l->limits.stays && is_aligned) || constant->size == 0) return TIRB_OK;
    TIRBI_TRY(tirbi_work(l->arena->heap, tirbi_work_of_bytes(constant->size), l->error));
    /* The bytes are in memory: their number and some more is one that there is. */
    uint8_t *copy = tirbi_arena_room(l->arena, (size_t)constant->size + CONSTANT_ALIGN);
    if (!copy) return tirbi_error_set(l->error, tirbi_heap_status(l->arena->heap), "no memory for a constant");
    copy += (CONSTANT_ALIGN - (uintptr_t)copy % CONSTANT_ALIGN) % CONSTANT_ALIGN;
    memcpy(copy, bytes, (size_t)constant->size);
    constant->bytes = copy;
    return TIRB_OK;
}

/* Only the table is looked at, and the zeroes between: what the elements are, no program depends on. */
static tirb_status read_constants(loading *l, tirbi_reader *r) {
    uint16_t n = read_count(r);
    if (n == 0) r->failed = true;
    void *memory;
    TIRBI_TRY(take(l, n, sizeof(tirbi_constant), &memory));
    tirbi_constant *constants = (tirbi_constant *)memory;
    l->program->constants = constants;
    l->program->n_constants = n;
    for (unsigned i = 0; i < n && !r->failed; i++) {
        constants[i].dtype = tirbi_read_u8(r);
        const uint64_t count = tirbi_read_varint(r);
        if (constants[i].dtype >= TIRB_N_DTYPES || count > UINT32_MAX) r->failed = true;
        else constants[i].size = count * tirbi_dtypes[constants[i].dtype].size;
    }
    const uint8_t gap = tirbi_read_u8(r);
    if (gap >= 2 * CONSTANT_ALIGN) r->failed = true;
    read_zeroes(r, gap);
    for (unsigned i = 0; i < n && !r->failed; i++) {
        const size_t begin = (size_t)(r->data + r->at - l->bundle);
        if (begin % CONSTANT_ALIGN != 0 && i == 0)
            return tirbi_error_set(l->error, TIRB_FORMAT, "the constants begin at byte %zu, no multiple of %d", begin,
                                   CONSTANT_ALIGN);
        if (i > 0) read_zeroes(r, (CONSTANT_ALIGN - begin % CONSTANT_ALIGN) % CONSTANT_ALIGN);
        const uint8_t *bytes =
            constants[i].size <= tirbi_reader_left(r) ? tirbi_read_bytes(r, (size_t)constants[i].size) : NULL;
        if (!bytes && constants[i].size > 0) r->failed = true;
        else TIRBI_TRY(place_constant(l, bytes, &constants[i]));
    }
    return finish(l, r, "constants");
}

/* ---- Code and lines ------------------------------------------------------------------------------------------- */

/* Unpacks the instructions of one function behind each other until they fill its declared size. One that crosses its
 * end takes room of the functions behind it, and for the last of those there is too little. */
static tirb_status unpack_function(loading *l, tirbi_reader *r, const tirbi_function *f, tirbi_writer *code) {
    tirbi_instr instr;
    size_t start = code->size;
    while (code->size - start < f->code_size) {
        const bool has_room =
            tirbi_reader_left(r) >= TIRBI_USUAL_ROOM && code->capacity - code->size >= TIRBI_USUAL_ROOM;
        const uint32_t offset = (uint32_t)(code->size - start);
        size_t size = 0;
        const size_t packed =
            has_room ? tirbi_unpack_usual(r->data + r->at, offset, code->data + code->size, &size) : 0;
        r->at += packed;
        code->size += size;
        if (packed == 0) {
            if (!tirbi_unpack_instr(r, offset, &instr)) {
                r->failed = true;
                return finish(l, r, "code");
            }
            tirbi_encode(code, &instr);
        }
        if (code->failed)
            return tirbi_error_set(l->error, TIRB_FORMAT,
                                   "the last instruction of a function crosses its end, byte %" PRIu32, f->code_size);
        TIRBI_TRY(tirbi_work(l->arena->heap, 1, l->error));
        if (++l->program->n_instructions > l->limits.max_instructions)
            return too_many(l, "instructions", l->program->n_instructions, l->limits.max_instructions);
    }
    return TIRB_OK;
}

/* The functions say how long their code is: it is unpacked into its place, which no instruction is longer than. */
static tirb_status unpack_functions(loading *l, tirbi_reader *r, uint8_t *at, uint64_t size) {
    tirbi_writer code;
    tirbi_writer_over(&code, at, (size_t)size);
    for (unsigned i = 0; i < l->program->n_functions; i++) {
        l->functions[i].code = code.data + code.size;
        TIRBI_TRY(unpack_function(l, r, &l->functions[i], &code));
    }
    return finish(l, r, "code");
}

static tirb_status read_code(loading *l, tirbi_reader *r) {
    uint64_t size = 0;
    for (unsigned i = 0; i < l->program->n_functions; i++) size += l->functions[i].code_size;
    if (size > l->limits.max_code) return too_large(l, "the code", size, l->limits.max_code);
    TIRBI_TRY(note_unpacked(l, size));
    void *memory;
    TIRBI_TRY(take(l, (size_t)size, 1, &memory));
    return unpack_functions(l, r, (uint8_t *)memory, size);
}

/* last + a signed difference, within u32. */
static uint32_t read_from(tirbi_reader *r, uint32_t last) {
    int64_t v;
    if (!tirbi_add_i64(last, tirbi_read_signed(r), &v) || v < 0 || v > UINT32_MAX) {
        r->failed = true;
        return 0;
    }
    return (uint32_t)v;
}

static tirb_status read_lines(loading *l, tirbi_reader *r) {
    uint64_t total = 0;
    for (unsigned i = 0; i < l->program->n_functions; i++) {
        tirbi_function *f = &l->functions[i];
        uint32_t n = read_u32(r);
        if (n > tirbi_reader_left(r)) {
            r->failed = true;
            break;
        }
        void *memory;
        TIRBI_TRY(take(l, n, sizeof(tirbi_line), &memory));
        tirbi_line *lines = (tirbi_line *)memory;
        f->lines = lines;
        f->n_lines = n;
        total += n;
        tirbi_line last = {0};
        for (uint32_t k = 0; k < n && !r->failed; k++) {
            last.offset = read_from(r, last.offset);
            last.line = read_from(r, last.line);
            last.column = read_from(r, last.column);
            lines[k] = last;
        }
    }
    if (total == 0) r->failed = true; /* such a section is left out */
    return finish(l, r, "lines");
}

/* ---- The container -------------------------------------------------------------------------------------------- */

typedef struct entry {
    uint64_t type;
    bool required;
    bool compressed;
    size_t size;
    size_t raw_size;
} entry;

static tirb_status check_header(loading *l, const uint8_t *bytes, size_t size) {
    if (size > l->limits.max_size) return too_large(l, "the bundle", size, l->limits.max_size);
    if (size < 4 || memcmp(bytes, TIRBI_BUNDLE_MAGIC, 4) != 0) {
        return tirbi_error_set(l->error, TIRB_FORMAT, "not a tirb bundle: it does not begin with \"TIRB\"");
    }
    if (size < TIRBI_BUNDLE_HEADER_SIZE) {
        return tirbi_error_set(l->error, TIRB_FORMAT, "truncated: %zu bytes, the header alone has %d", size,
                               TIRBI_BUNDLE_HEADER_SIZE);
    }
    if (bytes[HEADER_MAJOR] != TIRBI_BUNDLE_MAJOR) {
        return tirbi_error_set(l->error, TIRB_VERSION, "bundle format %u.%u, this tirb reads %d.x", bytes[HEADER_MAJOR],
                               bytes[HEADER_MINOR], TIRBI_BUNDLE_MAJOR);
    }
    uint32_t declared = tirbi_load_u32(bytes + HEADER_SIZE);
    if (declared != size) {
        return tirbi_error_set(l->error, TIRB_FORMAT, "%s: %zu bytes, its header says %" PRIu32,
                               size < declared ? "truncated" : "trailing bytes", size, declared);
    }
    uint64_t stored = tirbi_load_u64(bytes + HEADER_CHECKSUM);
    uint64_t actual = tirbi_bundle_checksum(bytes, size);
    if (stored != actual) {
        return tirbi_error_set(l->error, TIRB_CHECKSUM, "checksum %016" PRIx64 ", its header says %016" PRIx64, actual,
                               stored);
    }
    uint32_t features = tirbi_load_u32(bytes + HEADER_FEATURES);
    if (features & ~(uint32_t)FEATURES_KNOWN) {
        return tirbi_error_set(l->error, TIRB_VERSION, "it needs the features 0x%" PRIx32 ", this tirb knows 0x%x",
                               features, FEATURES_KNOWN);
    }
    l->features = features;
    uint32_t unpacked = tirbi_load_u32(bytes + HEADER_UNPACKED);
    if (unpacked > l->limits.max_size) return too_large(l, "the unpacked bundle", unpacked, l->limits.max_size);
    size_t dictionary_size;
    l->frames.dictionary = bytes[HEADER_DICTIONARY];
    if (l->frames.dictionary != 0 && !tirbi_dictionary(l->frames.dictionary, &dictionary_size)) {
        return tirbi_error_set(l->error, TIRB_VERSION, "it needs dictionary %u, this tirb has up to %d",
                               l->frames.dictionary, TIRBI_DICTIONARY);
    }
    return TIRB_OK;
}

/* Sections have no offsets: they follow the table and each other, so there are no gaps and no overlaps. */
static tirb_status read_table(loading *l, tirbi_reader *r, const uint8_t *header, entry *entries) {
    unsigned n = header[HEADER_SECTIONS];
    uint64_t last_type = 0;
    uint64_t stored = 0;
    uint64_t unpacked = 0;
    bool compressed = false;
    for (unsigned i = 0; i < n && !r->failed; i++) {
        entry *e = &entries[i];
        uint64_t key = tirbi_read_varint(r);
        e->type = key >> KEY_TYPE_SHIFT;
        e->required = key & KEY_REQUIRED;
        e->compressed = key & KEY_COMPRESSED;
        e->size = read_u32(r);
        e->raw_size = e->compressed ? read_u32(r) : e->size;
        if (e->type <= last_type && !(e->type == SECTION_CUSTOM && last_type == SECTION_CUSTOM)) {
            return tirbi_error_set(l->error, TIRB_FORMAT, "section %u: type %" PRIu64 " after type %" PRIu64, i,
                                   e->type, last_type);
        }
        if (e->compressed && e->raw_size <= e->size) {
            return tirbi_error_set(l->error, TIRB_FORMAT, "section %u: compressed from %zu to %zu bytes", i,
                                   e->raw_size, e->size);
        }
        last_type = e->type;
        stored += e->size;
        unpacked += e->raw_size;
        compressed |= e->compressed;
    }
    if (r->failed) return tirbi_error_set(l->error, TIRB_FORMAT, "the section table is malformed");
    if (stored != tirbi_reader_left(r)) {
        return tirbi_error_set(l->error, TIRB_FORMAT, "the sections have %" PRIu64 " bytes, the bundle has %zu", stored,
                               tirbi_reader_left(r));
    }
    if (unpacked != tirbi_load_u32(header + HEADER_UNPACKED)) {
        return tirbi_error_set(l->error, TIRB_FORMAT, "the sections unpack to %" PRIu64 " bytes, the header says %u",
                               unpacked, tirbi_load_u32(header + HEADER_UNPACKED));
    }
    if (compressed != (header[HEADER_DICTIONARY] != 0)) {
        return tirbi_error_set(l->error, TIRB_FORMAT, "dictionary %u named, but %s section is compressed",
                               header[HEADER_DICTIONARY], compressed ? "a" : "no");
    }
    return TIRB_OK;
}

typedef tirb_status (*section_reader)(loading *l, tirbi_reader *r);

static section_reader reader_of(uint64_t type) {
    switch (type) {
    case SECTION_NAMES:
        return read_names;
    case SECTION_IMPORTS:
        return read_imports;
    case SECTION_FUNCTIONS:
        return read_functions;
    case SECTION_CODE:
        return read_code;
    case SECTION_CONSTANTS:
        return read_constants;
    case SECTION_LINES:
        return read_lines;
    default:
        return NULL;
    }
}

/* Reads the section's bytes, which are unpacked first where they are compressed. */
static tirb_status read_payload(loading *l, const entry *e, const uint8_t *bytes, section_reader read) {
    l->sections += e->raw_size;
    if (l->sections > l->limits.max_sections)
        return too_large(l, "what the sections unpack to", l->sections, l->limits.max_sections);
    TIRBI_TRY(note_unpacked(l, e->raw_size));
    if (e->type == SECTION_CONSTANTS && e->compressed)
        return tirbi_error_set(l->error, TIRB_FORMAT, "the section of constants is compressed");
    if (!e->compressed) {
        tirbi_reader r = tirbi_reader_over(bytes, e->size);
        return read(l, &r);
    }
    tirbi_heap *heap = l->arena->heap;
    TIRBI_TRY(tirbi_work(heap, tirbi_work_of_bytes(e->raw_size), l->error));
    uint8_t *raw = (uint8_t *)tirbi_heap_alloc(heap, e->raw_size);
    if (!raw) return tirbi_error_set(l->error, tirbi_heap_status(heap), "no memory to unpack a section");
    tirb_status status = tirbi_frame_read(&l->frames, bytes, e->size, raw, e->raw_size, l->error);
    if (status == TIRB_OK) {
        tirbi_reader r = tirbi_reader_over(raw, e->raw_size);
        status = read(l, &r);
    }
    tirbi_heap_free(heap, raw, e->raw_size);
    return status;
}

static tirb_status read_sections(loading *l, tirbi_reader *r, const entry *entries, unsigned n) {
    static const uint8_t needed[] = {SECTION_NAMES, SECTION_FUNCTIONS, SECTION_CODE};
    unsigned found = 0;
    for (unsigned i = 0; i < n; i++) {
        const entry *e = &entries[i];
        section_reader read = reader_of(e->type);
        const uint8_t *bytes = tirbi_read_bytes(r, e->size);
        bool optional = e->type == SECTION_LINES || e->type == SECTION_PRODUCER || e->type == SECTION_CUSTOM;
        if (!read && e->required && !optional) {
            return tirbi_error_set(l->error, TIRB_VERSION,
                                   "it needs a section of type %" PRIu64 ", unknown to this tirb", e->type);
        }
        if ((read || optional) && e->required == optional) {
            return tirbi_error_set(l->error, TIRB_FORMAT, "section type %" PRIu64 " must %sbe marked required", e->type,
                                   optional ? "not " : "");
        }
        const bool may_lack = e->type == SECTION_IMPORTS || e->type == SECTION_CONSTANTS;
        if (found < sizeof(needed) && read && !optional && !may_lack) {
            if (e->type != needed[found]) break;
            found++;
        }
        if (read) TIRBI_TRY(read_payload(l, e, bytes, read));
    }
    if (found < sizeof(needed)) {
        return tirbi_error_set(l->error, TIRB_FORMAT, "there is no section of type %u", needed[found]);
    }
    return TIRB_OK;
}

/* The bytes of the constants, which nothing is unpacked from. */
static uint64_t constants_of(const entry *entries, unsigned n) {
    uint64_t size = 0;
    for (unsigned i = 0; i < n; i++)
        if (entries[i].type == SECTION_CONSTANTS) size += entries[i].size;
    return size;
}

/* Fills in what is in proportion to the rest of the bundle. */
static void set_defaults(tirbi_bundle_limits *limits, size_t size, uint64_t constants) {
    uint64_t code, sections;
    if (!tirbi_mul_u64(size - constants, CODE_FACTOR, &code) || !tirbi_add_u64(code, ANY_CODE, &code))
        code = UINT64_MAX;
    if (code > limits->max_size) code = limits->max_size;
    if (!tirbi_add_u64(code, constants, &sections)) sections = UINT64_MAX;
    if (limits->max_code == 0) limits->max_code = code;
    if (limits->max_sections == 0) limits->max_sections = sections;
    if (limits->max_unpacked == 0) limits->max_unpacked = UINT64_MAX;
    if (limits->max_functions == 0) limits->max_functions = UINT16_MAX;
    if (limits->max_instructions == 0) limits->max_instructions = UINT64_MAX;
}

static tirb_status read_bundle(loading *l, const uint8_t *bytes, size_t size) {
    l->bundle = bytes;
    TIRBI_TRY(check_header(l, bytes, size));
    entry entries[UINT8_MAX];
    tirbi_reader r = tirbi_reader_over(bytes, size);
    r.at = TIRBI_BUNDLE_HEADER_SIZE;
    TIRBI_TRY(read_table(l, &r, bytes, entries));
    set_defaults(&l->limits, size, constants_of(entries, bytes[HEADER_SECTIONS]));
    void *memory;
    TIRBI_TRY(take(l, 1, sizeof(tirbi_program), &memory));
    l->program = (tirbi_program *)memory;
    return read_sections(l, &r, entries, bytes[HEADER_SECTIONS]);
}

size_t tirbi_bundle_head(const void *bytes, size_t size) {
    const uint8_t *header = (const uint8_t *)bytes;
    if (size < TIRBI_BUNDLE_HEADER_SIZE) return size;
    tirbi_reader r = tirbi_reader_over(bytes, size);
    r.at = TIRBI_BUNDLE_HEADER_SIZE;
    uint64_t before = 0;
    bool found = false;
    for (unsigned i = 0; i < header[HEADER_SECTIONS] && !r.failed; i++) {
        const uint64_t key = tirbi_read_varint(&r);
        const uint32_t stored = read_u32(&r);
        if (key & KEY_COMPRESSED) read_u32(&r);
        found = found || key >> KEY_TYPE_SHIFT == SECTION_CONSTANTS;
        if (!found) before += stored;
    }
    return found && !r.failed && before < tirbi_reader_left(&r) ? r.at + (size_t)before : size;
}

tirb_status tirbi_bundle_read_within(const void *bytes, size_t size, const tirbi_bundle_limits *limits,
                                     tirbi_arena *arena, tirbi_program **out, tirb_error *error) {
    loading l = {.arena = arena, .limits = *limits, .frames = {.heap = arena->heap}, .error = error};
    if (!tirbi_mul_u64(limits->max_size, DECODED_FACTOR, &l.max_decoded)) l.max_decoded = UINT64_MAX;
    tirb_status status = read_bundle(&l, (const uint8_t *)bytes, size);
    tirbi_frame_reader_close(&l.frames);
    if (status != TIRB_OK) return status;
    l.program->n_bytes = l.unpacked;
    *out = l.program;
    return TIRB_OK;
}

tirb_status tirbi_bundle_read(const void *bytes, size_t size, uint64_t max_size, tirbi_arena *arena,
                              tirbi_program **out, tirb_error *error) {
    const tirbi_bundle_limits limits = {.max_size = max_size};
    return tirbi_bundle_read_within(bytes, size, &limits, arena, out, error);
}
