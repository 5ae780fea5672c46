#include "loader/verify/verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "loader/verify/checker.h"

/* "function 2 'matmul' at 0x1c: vadd.f32: ", as much of it as is known. */
static void format_place(const checker *c, char *out, size_t size) {
    const tirbi_function *f = c->function;
    int n = 0;
    if (f) n = snprintf(out, size, "function %u '%.60s'", c->function_index, c->program->strings[f->name].text);
    if (f && c->instr && n > 0 && (size_t)n < size) {
        const tirbi_op_info *info = &tirbi_ops[c->instr->op];
        bool typed = info->types != 0 && c->instr->type < TIRB_N_DTYPES;
        snprintf(out + n, size - (size_t)n, " at 0x%x%s%s%s%s", c->instr->offset, info->mnemonic ? ": " : "",
                 info->mnemonic ? info->mnemonic : "", typed ? "." : "",
                 typed ? tirbi_dtypes[c->instr->type].name : "");
    }
}

tirb_status tirbi_verify_fail(checker *c, const char *format, ...) {
    char place[160] = "";
    char reason[256];
    format_place(c, place, sizeof(place));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    tirbi_error_set(c->error, TIRB_VERIFY, "verify: %s%s%s", place, place[0] ? ": " : "", reason);
    if (c->function) tirbi_error_at(c->error, c->program->strings[c->function->name].text, 0, 0);
    if (c->instr) tirbi_error_offset(c->error, c->instr->offset);
    return TIRB_VERIFY;
}

static tirb_status verify_program(checker *c) {
    const tirbi_program *p = c->program;
    enum { HIGHEST_FP_MODE = 2 };
    if (p->fp_mode > HIGHEST_FP_MODE) return tirbi_verify_fail(c, "no floating-point mode %u", p->fp_mode);
    if (p->source_file != TIRBI_NO_STRING && p->source_file >= p->n_strings) {
        return tirbi_verify_fail(c, "source file: string %u >= %u", p->source_file, p->n_strings);
    }
    TIRBI_TRY(tirbi_verify_names(c));
    for (unsigned i = 0; i < p->n_constants; i++) {
        const tirbi_constant *constant = &p->constants[i];
        if (constant->dtype >= TIRB_N_DTYPES)
            return tirbi_verify_fail(c, "constant %u: no type %u", i, constant->dtype);
        if (constant->size % tirbi_dtypes[constant->dtype].size == 0) continue;
        return tirbi_verify_fail(c, "constant %u: %" PRIu64 " bytes are no number of elements of %s", i, constant->size,
                                 tirbi_dtypes[constant->dtype].name);
    }
    for (unsigned i = 0; i < p->n_functions; i++) {
        c->function = &p->functions[i];
        c->function_index = i;
        TIRBI_TRY(tirbi_verify_signature(c));
    }
    for (unsigned i = 0; i < p->n_functions; i++) {
        c->function = &p->functions[i];
        c->function_index = i;
        TIRBI_TRY(tirbi_verify_code(c));
    }
    return TIRB_OK;
}

/* How much scratch a program needs, in one block: its parts in the order of alignment. */
typedef struct scratch_sizes {
    size_t arities;
    size_t names;
    size_t scalars, refs; /* bits of registers */
    size_t bits;          /* of code */
    size_t total;
} scratch_sizes;

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static bool measure(const tirbi_program *p, scratch_sizes *sizes, uint32_t *name_mask) {
    size_t code = 0, scalars = 0, refs = 0;
    for (unsigned i = 0; i < p->n_functions; i++) {
        code = larger(code, p->functions[i].code_size);
        scalars = larger(scalars, p->functions[i].n_sregs);
        refs = larger(refs, p->functions[i].n_refs);
    }
    for (*name_mask = 0; *name_mask + 1 < p->n_strings;) *name_mask = 2 * *name_mask + 1;
    sizes->arities = p->n_functions * sizeof(checker_arity);
    sizes->names = (*name_mask + 1) * sizeof(checker_name);
    sizes->scalars = scalars / 8 + 1;
    sizes->refs = refs / 8 + 1;
    sizes->bits = checker_bytes_of_bits(code);
    const size_t tables = sizes->arities + sizes->names + 2 * sizes->scalars + sizes->refs; /* of 16-bit counts */
    return tirbi_add_size(tables, 2 * sizes->bits, &sizes->total);
}

tirb_status tirbi_verify(const tirbi_program *program, tirbi_heap *scratch, tirb_error *error) {
    checker c = {.program = program, .scratch = scratch, .error = error};
    checker_taken taken;
    scratch_sizes sizes;
    uint8_t *memory = measure(program, &sizes, &c.name_mask) ? tirbi_heap_calloc(scratch, sizes.total, 1) : NULL;
    if (!memory) {
        return tirbi_error_set(error, tirbi_heap_status(scratch), "no memory to verify the program");
    }
    c.names = (checker_name *)(void *)memory;
    c.arities = (checker_arity *)(void *)(memory + sizes.names);
    taken.scalars = memory + sizes.names + sizes.arities;
    taken.parameters = taken.scalars + sizes.scalars;
    taken.refs = taken.parameters + sizes.scalars;
    c.taken = &taken;
    c.starts = taken.refs + sizes.refs;
    c.targets = c.starts + sizes.bits;
    memset(c.limits, 0xFF, sizeof(c.limits)); /* letters that name nothing: i I T n; j a r P H B, elsewhere */
    for (uint32_t i = 0; i <= c.name_mask; i++) c.names[i].taken = CHECKER_NOBODY;
    tirb_status status = verify_program(&c);
    tirbi_heap_free(scratch, memory, sizes.total);
    return status;
}
