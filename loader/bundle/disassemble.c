#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "loader/base/error.h"
#include "loader/base/printable.h"
#include "loader/bundle/assembly.h"
#include "loader/bundle/text_map.h"

typedef struct printer {
    const tirbi_program *program;
    tirbi_writer *out;
    tirbi_text_map strings; /* the first of each text */
    uint8_t *labels;        /* bit per byte of the function in hand, and one: a label stands here */
} printer;

static void print(printer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print(printer *p, const char *format, ...) {
    char text[96];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (n > 0) tirbi_write_bytes(p->out, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

static void print_quoted(printer *p, const tirbi_string *s) {
    print(p, "\"");
    for (uint32_t i = 0; i < s->size; i++) {
        uint8_t byte = (uint8_t)s->text[i];
        if (byte == '"' || byte == '\\') {
            print(p, "\\%c", byte);
        } else if (byte == '\n') {
            print(p, "\\n");
        } else if (byte == '\t') {
            print(p, "\\t");
        } else if (tirbi_unprintable(s->text + i, s->size - i) > 0) {
            for (size_t n = tirbi_unprintable(s->text + i, s->size - i); n > 0; n--)
                print(p, "\\x%02x", (uint8_t)s->text[n > 1 ? i++ : i]);
        } else {
            tirbi_write_u8(p->out, byte);
        }
    }
    print(p, "\"");
}

/* A text names the first string that is equal to it: the others, and what they name, have numbers only. */
static bool is_first(const printer *p, uint16_t index) {
    const tirbi_string *s = &p->program->strings[index];
    uint32_t first;
    return tirbi_text_map_find(&p->strings, s->text, s->size, &first) && first == index;
}

/* A string by its text where that finds it again, else by its number. */
static void print_string(printer *p, uint16_t index) {
    if (is_first(p, index)) {
        print_quoted(p, &p->program->strings[index]);
    } else {
        print(p, "#%u", index);
    }
}

/* A function that is called, by its name or its own number. */
static void print_callee(printer *p, int64_t number) {
    uint16_t name = p->program->functions[number].name;
    if (is_first(p, name)) {
        print_quoted(p, &p->program->strings[name]);
    } else {
        print(p, "#%" PRId64, number);
    }
}

static void print_x(printer *p, uint16_t x) {
    if (tirbi_x_is_small(x)) {
        print(p, "%" PRId64, tirbi_x_small(x));
    } else {
        print(p, "s%u", x);
    }
}

/* ---- Signatures ----------------------------------------------------------------------------------------------- */

static void print_dim(printer *p, const tirbi_dim *dim) {
    static const char *const names[] = {"const",    "var",      "add",      "sub", "mul", "floordiv",
                                        "floormod", "truncdiv", "truncmod", "min", "max"};
    if (dim->n_terms != 1) print(p, "{");
    for (unsigned i = 0; i < dim->n_terms; i++) {
        const tirbi_dim_term *term = &dim->terms[i];
        if (i > 0) print(p, " ");
        if (term->op == TIRBI_DIM_CONST) {
            print(p, "%" PRId64, term->value);
        } else if (term->op == TIRBI_DIM_VAR) {
            print(p, "$%" PRId64, term->value);
        } else {
            print(p, "%s", names[term->op]);
        }
    }
    if (dim->n_terms != 1) print(p, "}");
}

static void print_dims(printer *p, const tirbi_dim *dims, unsigned n) {
    print(p, " (");
    for (unsigned i = 0; i < n; i++) {
        if (i > 0) print(p, " ");
        print_dim(p, &dims[i]);
    }
    print(p, ")");
}

static void print_param(printer *p, const tirbi_param *param) {
    bool tensor = param->kind == TIRB_PARAM_TENSOR;
    print(p, tensor ? ".tensor " : ".scalar ");
    print_string(p, param->name);
    print(p, " %s %c%u", tirbi_dtypes[param->dtype].name, tensor ? 'r' : 's', param->reg);
    if (tensor) {
        if (param->access & TIRBI_READ) print(p, " read");
        if (param->access & TIRBI_WRITE) print(p, " write");
        print_dims(p, param->shape, param->ndim);
        if (param->has_strides) {
            print(p, " strides");
            print_dims(p, param->strides, param->ndim);
        }
        if (param->has_elem_offset) {
            print(p, " offset ");
            print_dim(p, &param->elem_offset);
        }
        if (param->minima) {
            print(p, " minima");
            print_dims(p, param->minima, param->ndim);
        }
        if (param->is_result) print(p, " result");
        if (param->is_open) print(p, " open");
    }
    print(p, "\n");
}

static void print_signature(printer *p, const tirbi_function *f) {
    static const char *const red_names[] = {"add", "mul", "min", "max"};
    print(p, "\n.function ");
    print_string(p, f->name);
    if (f->is_public) print(p, " public");
    if (f->is_region) print(p, " region");
    if (f->is_packed) print(p, " packed");
    if (f->returns) print(p, " returns %s", tirbi_dtypes[f->return_type].name);
    print(p, "\n.scalars %u\n", f->n_sregs);
    if (f->n_lane_regs > 0) print(p, ".lanes %u\n", f->n_lane_regs);
    for (unsigned i = 0; i < f->n_refs; i++) {
        print(p, ".ref %s%s\n", tirbi_dtypes[f->refs[i].dtype].name, f->refs[i].writable ? " writable" : "");
    }
    for (unsigned i = 0; i < f->n_reds; i++) {
        print(p, ".red %s %s\n", tirbi_dtypes[f->reds[i].dtype].name, red_names[f->reds[i].op]);
    }
    for (unsigned i = 0; i < f->n_vars; i++) {
        print(p, ".var ");
        print_string(p, f->vars[i].name);
        print(p, " %s s%u", tirbi_dtypes[f->vars[i].dtype].name, f->vars[i].reg);
        if (f->vars[i].param != TIRBI_NO_REG) print(p, " param %u", f->vars[i].param);
        print(p, "\n");
    }
    for (unsigned i = 0; i < f->n_params; i++) print_param(p, &f->params[i]);
    for (unsigned i = 0; i < f->n_aliases; i++) {
        print(p, ".alias %u %u\n", f->aliases[i].first, f->aliases[i].second);
    }
    for (unsigned i = 0; i < f->n_conditions; i++) {
        print(p, ".requires ");
        print_dim(p, &f->conditions[i].left);
        print(p, " %s ", tirbi_relations[f->conditions[i].relation]);
        print_dim(p, &f->conditions[i].right);
        print(p, "\n");
    }
}

static void print_import(printer *p, const tirbi_import *import) {
    static const char *const accesses[] = {"", " read", " write", " read write"};
    print(p, ".import ");
    print_string(p, import->name);
    print(p, " (");
    for (unsigned i = 0; i < import->n_params; i++) {
        print(p, "%s%s%s", i > 0 ? " " : "", tirbi_dtypes[import->params[i].dtype].name,
              accesses[import->params[i].access]);
    }
    print(p, ")");
    if (import->returns) print(p, " returns %s", tirbi_dtypes[import->return_type].name);
    print(p, "\n");
}

/* Its bytes as they are in a bundle, 32 to a line. */
static void print_data(printer *p, const tirbi_constant *constant) {
    enum { BYTES_OF_LINE = 32 };
    static const char digits[] = "0123456789abcdef";
    print(p, ".constant %s", tirbi_dtypes[constant->dtype].name);
    for (uint64_t i = 0; i < constant->size; i++) {
        if (i % BYTES_OF_LINE == 0) print(p, "\n.data ");
        tirbi_write_u8(p->out, (uint8_t)digits[constant->bytes[i] >> 4]);
        tirbi_write_u8(p->out, (uint8_t)digits[constant->bytes[i] & 15]);
    }
    print(p, "\n");
}

/* ---- Code ----------------------------------------------------------------------------------------------------- */

static void print_list(printer *p, char file, const uint16_t *list, int64_t n) {
    print(p, "(");
    for (int64_t i = 0; i < n; i++) print(p, i > 0 ? " %c%u" : "%c%u", file, list[i]);
    print(p, ")");
}

static void print_parts(printer *p, const tirbi_instr *instr, int64_t n) {
    print(p, "(");
    for (int64_t i = 0; i < n; i++) {
        const tirbi_part *part = &instr->parts[i];
        print(p, i > 0 ? ", r%u" : "r%u", instr->refs[i]);
        if (!part->partitioned) continue;
        print(p, " part ");
        print_x(p, part->base);
        print(p, " ");
        print_x(p, part->stride);
        print(p, " ");
        print_x(p, part->extent);
    }
    print(p, ")");
}

static void print_constant(printer *p, const tirbi_instr *instr, int64_t value) {
    switch (tirbi_dtypes[instr->type].class) {
    case 'F':
        print(p, "0x%08" PRIx32, (uint32_t)value);
        break;
    case 'I':
        print(p, "%" PRId64, value);
        break;
    default:
        print(p, "%" PRIu32, (uint32_t)value);
    }
}

static void print_header(printer *p, const tirbi_lane_header *lane) {
    static const char *const accesses[] = {"", "read", "write", "readwrite"};
    print_x(p, lane->n);
    print(p, ", L%" PRIx32, lane->end);
    for (unsigned i = 0; i < lane->n_inner; i++) {
        print(p, "\n    .inner ");
        print_x(p, lane->inner[i].extent);
        if (lane->inner[i].index != TIRBI_NO_REG) print(p, " s%u", lane->inner[i].index);
    }
    for (unsigned i = 0; i < lane->n_cursors; i++) {
        const tirbi_cursor *cursor = &lane->cursors[i];
        print(p, "\n    .cursor r%u %s %s %u ", cursor->ref, tirbi_dtypes[cursor->type].name, accesses[cursor->access],
              cursor->level);
        print_x(p, cursor->start);
        print(p, " ");
        print_x(p, cursor->step);
        for (unsigned k = 0; k < lane->n_inner; k++) {
            print(p, " ");
            print_x(p, cursor->steps[k]);
        }
    }
}

static void print_xs(printer *p, const uint16_t *xs, unsigned n) {
    print(p, "(");
    for (unsigned i = 0; i < n; i++) {
        if (i > 0) print(p, " ");
        print_x(p, xs[i]);
    }
    print(p, ")");
}

static void print_box(printer *p, const tirbi_contract_box *box) {
    print_xs(p, box->extents, box->n_loops);
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        print(p, ", r%u %s ", box->operands[o].ref, tirbi_dtypes[box->operands[o].type].name);
        print_x(p, box->operands[o].start);
        print(p, " ");
        print_xs(p, box->operands[o].steps, box->n_loops);
    }
}

static void print_operand(printer *p, char letter, const tirbi_instr *instr, int64_t value) {
    switch (letter) {
    case 'D':
    case 'S':
        print(p, "s%" PRId64, value);
        break;
    case 'x':
        print_x(p, (uint16_t)value);
        break;
    case 'W':
    case 'R':
        print(p, "r%" PRId64, value);
        break;
    case 'V':
    case 'U':
        print(p, "v%" PRId64, value);
        break;
    case 'Q':
        print(p, "q%" PRId64, value);
        break;
    case 'C':
        print(p, "c%" PRId64, value);
        break;
    case 'L':
        print(p, "l%" PRId64, value);
        break;
    case 'i':
        print_constant(p, instr, value);
        break;
    case 'I':
        print(p, "0x%016" PRIx64, (uint64_t)value);
        break;
    case 'j':
        print(p, "L%" PRIx64, (uint64_t)value);
        break;
    case 'T':
        print(p, "%s", tirbi_dtypes[value].name);
        break;
    case 'F':
        print_callee(p, value);
        break;
    case 'G':
        print(p, "#%" PRId64, value);
        break;
    case 'K':
        print(p, "k%" PRId64, value);
        break;
    case 'Z':
        print_string(p, (uint16_t)value);
        break;
    case 'a':
        print_list(p, 's', instr->scalars, value);
        break;
    case 'r':
        print_list(p, 'r', instr->refs, value);
        break;
    case 'P':
        print_parts(p, instr, value);
        break;
    case 'H':
        print_header(p, &instr->lane);
        break;
    case 'B':
        print_box(p, &instr->box);
        break;
    default: /* n */
        print(p, "%" PRId64, value);
    }
}

/* The value of a constant that is printed as bits. */
static void print_comment(printer *p, const tirbi_instr *instr) {
    uint32_t bits = (uint32_t)instr->operand[1];
    float value;
    memcpy(&value, &bits, sizeof(value));
    if (instr->op == TIRB_OP_CONST && (instr->type == TIRB_F32 || instr->type == TIRB_F64)) {
        print(p, "  ; %.9g", (double)value);
    }
}

static void print_instr(printer *p, const tirbi_instr *instr) {
    const tirbi_op_info *info = &tirbi_ops[instr->op];
    print(p, "    %s", info->mnemonic);
    if (info->types) print(p, ".%s", tirbi_dtypes[instr->type].name);
    for (unsigned i = 0; info->operands[i]; i++) {
        print(p, i > 0 ? ", " : " ");
        print_operand(p, info->operands[i], instr, instr->operand[i]);
    }
    print_comment(p, instr);
    print(p, "\n");
}

static void mark(printer *p, const tirbi_function *f, int64_t target) {
    if (target < f->code_size) p->labels[target / 8] |= (uint8_t)(1u << (target % 8));
}

static tirb_status find_labels(printer *p, const tirbi_function *f, tirbi_instr *instr, tirb_error *error) {
    for (uint32_t at = 0; at < f->code_size; at += instr->size) {
        TIRBI_TRY(tirbi_decode(f->code, f->code_size, at, instr, error));
        const char *letters = tirbi_ops[instr->op].operands;
        for (unsigned i = 0; letters[i]; i++) {
            if (letters[i] == 'j') mark(p, f, instr->operand[i]);
            if (letters[i] == 'H') mark(p, f, instr->lane.end);
        }
    }
    return TIRB_OK;
}

static tirb_status print_code(printer *p, const tirbi_function *f, tirb_error *error) {
    tirbi_instr instr;
    TIRBI_TRY(find_labels(p, f, &instr, error));
    uint32_t line = 0;
    for (uint32_t at = 0; at < f->code_size; at += instr.size) {
        TIRBI_TRY(tirbi_decode(f->code, f->code_size, at, &instr, error));
        if (p->labels[at / 8] >> (at % 8) & 1) print(p, "L%" PRIx32 ":\n", at);
        for (; line < f->n_lines && f->lines[line].offset <= at; line++) {
            print(p, ".line %" PRIu32 " %" PRIu32 "\n", f->lines[line].line, f->lines[line].column);
        }
        print_instr(p, &instr);
    }
    print(p, ".end\n");
    return TIRB_OK;
}

static tirb_status print_function(printer *p, const tirbi_function *f, tirb_error *error) {
    print_signature(p, f);
    size_t size = f->code_size / 8 + 1;
    tirbi_heap *heap = p->out->heap;
    p->labels = (uint8_t *)tirbi_heap_calloc(heap, size, 1);
    if (!p->labels) return tirbi_error_set(error, tirbi_heap_status(heap), "no memory to disassemble");
    tirb_status status = print_code(p, f, error);
    tirbi_heap_free(heap, p->labels, size);
    return status;
}

static tirb_status print_program(printer *p, tirb_error *error) {
    static const char *const fp_modes[] = {"precise", "strict", "fast"};
    const tirbi_program *program = p->program;
    print(p, ".fp %s\n", fp_modes[program->fp_mode]);
    for (unsigned i = 0; i < program->n_strings; i++) {
        const tirbi_string *s = &program->strings[i];
        if (!tirbi_text_map_add(&p->strings, s->text, s->size, i)) {
            return tirbi_error_set(error, tirbi_heap_status(p->out->heap), "no memory to disassemble");
        }
        print(p, ".string ");
        print_quoted(p, s);
        print(p, "\n");
    }
    if (program->source_file != TIRBI_NO_STRING) {
        print(p, ".source ");
        print_string(p, program->source_file);
        print(p, "\n");
    }
    for (unsigned i = 0; i < program->n_imports; i++) print_import(p, &program->imports[i]);
    for (unsigned i = 0; i < program->n_constants; i++) print_data(p, &program->constants[i]);
    for (unsigned i = 0; i < program->n_functions; i++) {
        TIRBI_TRY(print_function(p, &program->functions[i], error));
    }
    if (p->out->failed) return tirbi_error_set(error, tirbi_heap_status(p->out->heap), "no memory to disassemble");
    return TIRB_OK;
}

tirb_status tirbi_disassemble(const tirbi_program *program, tirbi_writer *text, tirb_error *error) {
    printer p = {.program = program, .out = text};
    tirbi_text_map_init(&p.strings, text->heap);
    tirb_status status = print_program(&p, error);
    tirbi_text_map_destroy(&p.strings);
    return status;
}
