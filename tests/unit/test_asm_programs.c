/* Every .tirs file of tests/asm assembles, verifies, goes through text and bundle unchanged, and does on every
 * instruction set of this machine what its comments say:
 *
 *   ; expect f(2, [1 2 3], [0 0 0]) = 6, d = [2 4 6]   the returned value and tensors after the call
 *   ; trap f(1, 0) DIVIDE by zero                      the status and a part of the message
 *   ; fuel f(5) 12                                     the fuel of a call, which no instruction set changes
 *   ; elementwise div.i32: 7 2 = 3 | 7 0 = trap        both forms of the instruction, operands = result
 *   ; elementwise cast.i32 from f32: 1.5 = 1
 *
 * So do the bundles of tests/stored that were made of such files by earlier versions.
 *
 * Arguments are in parameter order; a list is a tensor of one dimension (or none, of one element). Numbers are
 * decimals, 0x.. (the bits of a float), inf, -inf, nan (the canonical one); ~x is x up to the last bits of its type. */
#include "tests/unit/loader_fixture.h"
#include "tests/unit/stored.h"

#include <dirent.h>
#include <math.h>

#include <tirb/tirb.h>

#include "loader/isa/isa.h"
#include "vm/lanes/slots.h"
#include "vm/lanes/kernels.h"
#include "vm/math/half.h"

enum { MAX_ARGS = 8, MAX_ELEMENTS = 256, MAX_CASES = 64, LANES = 75 };

typedef struct number {
    uint64_t bits;
    bool about; /* ~ */
    bool trap;
    double value; /* of floats */
} number;

typedef struct program_test {
    const char *path;
    const char *where; /* the comment line in hand, for messages */
    tirb_isa isa;
    tirb_module *module;
    tirb_instance *instance;
} program_test;

static bool seen[TIRB_N_OPS];

/* ---- Numbers --------------------------------------------------------------------------------------------------- */

static uint64_t float_bits(tirbi_dtype type, double value) {
    float narrow = (float)value;
    uint32_t bits32;
    uint64_t bits64;
    memcpy(&bits32, &narrow, sizeof(bits32));
    memcpy(&bits64, &value, sizeof(bits64));
    switch ((unsigned)type) {
    case TIRB_F16:
        return isnan(value) ? 0x7E00 : tirbi_f32_to_f16(narrow);
    case TIRB_BF16:
        return isnan(value) ? 0x7FC0 : tirbi_f32_to_bf16(narrow);
    case TIRB_F32:
        return isnan(value) ? 0x7FC00000 : bits32;
    default:
        return isnan(value) ? UINT64_C(0x7FF8000000000000) : bits64;
    }
}

static double float_value(tirbi_dtype type, uint64_t bits) {
    uint32_t bits32 = (uint32_t)bits;
    float narrow;
    double wide;
    memcpy(&narrow, &bits32, sizeof(narrow));
    memcpy(&wide, &bits, sizeof(wide));
    switch ((unsigned)type) {
    case TIRB_F16:
        return (double)tirbi_f16_to_f32((uint16_t)bits);
    case TIRB_BF16:
        return (double)tirbi_bf16_to_f32((uint16_t)bits);
    case TIRB_F32:
        return (double)narrow;
    default:
        return wide;
    }
}

static uint64_t type_mask(tirbi_dtype type) {
    return tirbi_dtypes[type].bits == 64 ? UINT64_MAX : (UINT64_C(1) << tirbi_dtypes[type].bits) - 1;
}

static const char *past_spaces(const char *text) {
    while (*text == ' ') text++;
    return text;
}

static const char *parse_number(const program_test *t, const char *text, tirbi_dtype type, number *out) {
    *out = (number){0};
    text = past_spaces(text);
    if (strncmp(text, "trap", 4) == 0) {
        out->trap = true;
        return text + 4;
    }
    if (*text == '~') {
        out->about = true;
        text++;
    }
    char *end;
    bool hexadecimal = strncmp(text, "0x", 2) == 0;
    if (!tirbi_dtype_is_float(type)) {
        out->bits = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    } else if (hexadecimal) {
        out->bits = strtoull(text, &end, 16);
        out->value = float_value(type, out->bits);
    } else {
        out->value = type == TIRB_F64 ? strtod(text, &end) : (double)strtof(text, &end);
        out->bits = float_bits(type, out->value);
    }
    if (end == text) fail_msg("%s: no number at '%s' in: %s", t->path, text, t->where);
    out->bits &= type_mask(type);
    return end;
}

static void assert_number(const program_test *t, tirbi_dtype type, const number *expected, uint64_t bits) {
    static const double tolerances[TIRB_N_DTYPES] = {
        [TIRB_F16] = 2e-3, [TIRB_BF16] = 1.6e-2, [TIRB_F32] = 2.4e-7, [TIRB_F64] = 4.5e-16};
    bits &= type_mask(type);
    bool good = bits == expected->bits;
    if (expected->about) {
        good = fabs(float_value(type, bits) - expected->value) <= tolerances[type] * fabs(expected->value);
    }
    if (!good) {
        fail_msg("%s on %s: 0x%llx, not 0x%llx (%s) in: %s", t->path, tirb_isa_name(t->isa), (unsigned long long)bits,
                 (unsigned long long)expected->bits, tirbi_dtypes[type].name, t->where);
    }
}

/* ---- Calls ----------------------------------------------------------------------------------------------------- */

typedef struct argument {
    tirb_param_info info;
    tirbi_dtype type;
    uint8_t *data; /* of a tensor: `n` elements, alone in their allocation so that overruns are seen */
    int64_t n;
    DLTensor tensor;
} argument;

typedef struct call {
    uint32_t function;
    uint32_t n_args;
    argument arguments[MAX_ARGS];
    tirb_arg args[MAX_ARGS];
    tirb_result result;
    tirb_error error;
} call;

static void store_element(argument *a, int64_t i, uint64_t bits) {
    size_t size = tirbi_dtypes[a->type].size;
    memcpy(a->data + (size_t)i * size, tirbi_slot_bytes(&bits, size), size);
}

static uint64_t load_element(const argument *a, int64_t i) {
    uint64_t bits = 0;
    size_t size = tirbi_dtypes[a->type].size;
    memcpy(tirbi_slot_bytes(&bits, size), a->data + (size_t)i * size, size);
    return bits;
}

static void set_scalar(call *c, unsigned i, const number *value) {
    argument *a = &c->arguments[i];
    if (tirbi_dtype_is_float(a->type)) {
        c->args[i] = (tirb_arg){.kind = TIRB_ARG_FLOAT, .value.f = float_value(a->type, value->bits)};
    } else {
        uint64_t bits = value->bits;
        uint64_t sign = UINT64_C(1) << (tirbi_dtypes[a->type].bits - 1);
        if (tirbi_dtype_is_signed(a->type)) bits = (bits ^ sign) - sign;
        c->args[i] = (tirb_arg){.kind = TIRB_ARG_INT, .value.i = (int64_t)bits};
    }
}

static void set_tensor(call *c, unsigned i, const number *values, int64_t n) {
    argument *a = &c->arguments[i];
    a->n = n;
    a->data = malloc((size_t)n * tirbi_dtypes[a->type].size + 1);
    assert_non_null(a->data);
    for (int64_t k = 0; k < n; k++) store_element(a, k, values[k].bits);
    a->tensor = (DLTensor){.data = a->data,
                           .device = {.device_type = kDLCPU, .device_id = 0},
                           .ndim = a->info.ndim,
                           .dtype = tirbi_dtype_to_dl(a->type),
                           .shape = &a->n};
    c->args[i] = (tirb_arg){.kind = TIRB_ARG_TENSOR, .value.tensor = &a->tensor};
}

static void open_call(const program_test *t, call *c, const char *name) {
    memset(c, 0, sizeof(*c));
    c->error = (tirb_error)TIRB_ERROR_INIT;
    if (tirb_module_find(t->module, name, &c->function, &c->error) != TIRB_OK) fail_msg("%s: %s", t->path, t->where);
    tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
    assert_int_equal(tirb_module_function(t->module, c->function, &info, &c->error), TIRB_OK);
    c->n_args = info.n_params;
    assert_in_range(c->n_args, 0, MAX_ARGS);
    for (uint32_t i = 0; i < c->n_args; i++) {
        c->arguments[i].info = (tirb_param_info)TIRB_PARAM_INFO_INIT;
        assert_int_equal(tirb_module_param(t->module, c->function, i, &c->arguments[i].info, &c->error), TIRB_OK);
        assert_true(tirbi_dtype_from_dl(c->arguments[i].info.dtype, &c->arguments[i].type));
    }
}

static tirb_status run_call(const program_test *t, call *c) {
    return tirb_instance_call(t->instance, c->function, c->args, c->n_args, &c->result, &c->error);
}

static void close_call(call *c) {
    for (uint32_t i = 0; i < c->n_args; i++) free(c->arguments[i].data);
}

static uint64_t result_bits(const program_test *t, const call *c, tirbi_dtype *type) {
    if (!tirbi_dtype_from_dl(c->result.dtype, type)) fail_msg("%s: nothing returned in: %s", t->path, t->where);
    if (!tirbi_dtype_is_float(*type)) return (uint64_t)c->result.value.i;
    return float_bits(*type, c->result.value.f);
}

static void assert_ok(const program_test *t, const call *c, tirb_status status) {
    if (status != TIRB_OK) {
        fail_msg("%s on %s: %s: %s in: %s", t->path, tirb_isa_name(t->isa), tirb_status_name(status), c->error.message,
                 t->where);
    }
}

/* ---- expect and trap ------------------------------------------------------------------------------------------- */

/* `f(1, [2 3])`; returns what follows it. */
static const char *parse_call(const program_test *t, const char *text, call *c) {
    char name[64] = "";
    size_t length = strcspn(text, "(");
    assert_in_range(length, 1, sizeof(name) - 1);
    memcpy(name, text, length);
    open_call(t, c, name);
    text += length + 1;
    for (uint32_t i = 0; i < c->n_args; i++) {
        text = past_spaces(text);
        number values[MAX_ELEMENTS];
        if (*text == '[') {
            int64_t n = 0;
            for (text = past_spaces(text + 1); *text != ']'; text = past_spaces(text)) {
                assert_in_range(n, 0, MAX_ELEMENTS - 1);
                text = parse_number(t, text, c->arguments[i].type, &values[n++]);
            }
            text++;
            set_tensor(c, i, values, n);
        } else {
            text = parse_number(t, text, c->arguments[i].type, &values[0]);
            set_scalar(c, i, &values[0]);
        }
        text = past_spaces(text);
        if (*text == ',') text++;
    }
    if (*text != ')') fail_msg("%s: wrong arguments in: %s", t->path, t->where);
    return past_spaces(text + 1);
}

static const char *check_tensor(const program_test *t, const char *text, const call *c) {
    size_t length = strcspn(text, " =");
    const argument *a = NULL;
    for (uint32_t i = 0; i < c->n_args; i++) {
        const char *name = c->arguments[i].info.name;
        if (strlen(name) == length && strncmp(name, text, length) == 0) a = &c->arguments[i];
    }
    if (!a || !a->data) fail_msg("%s: no such tensor: %s", t->path, t->where);
    text = past_spaces(text + length);
    if (strncmp(text, "= [", 3) != 0) fail_msg("%s: no list in: %s", t->path, t->where);
    int64_t n = 0;
    for (text = past_spaces(text + 3); *text != ']'; text = past_spaces(text)) {
        number expected;
        text = parse_number(t, text, a->type, &expected);
        if (n >= a->n) fail_msg("%s: too many elements in: %s", t->path, t->where);
        assert_number(t, a->type, &expected, load_element(a, n++));
    }
    if (n != a->n) fail_msg("%s: too few elements in: %s", t->path, t->where);
    return text + 1;
}

static void run_expect(const program_test *t, const char *text) {
    call c;
    text = parse_call(t, text, &c);
    assert_ok(t, &c, run_call(t, &c));
    if (*text == '=') {
        tirbi_dtype type;
        uint64_t bits = result_bits(t, &c, &type);
        number expected;
        text = parse_number(t, text + 1, type, &expected);
        assert_number(t, type, &expected, bits);
    }
    while (*(text = past_spaces(text)) == ',') text = check_tensor(t, past_spaces(text + 1), &c);
    if (*text) fail_msg("%s: '%s' not understood in: %s", t->path, text, t->where);
    close_call(&c);
}

static void run_trap(const program_test *t, const char *text) {
    call c;
    text = parse_call(t, text, &c);
    size_t length = strcspn(text, " ");
    tirb_status status = run_call(t, &c);
    const char *name = tirb_status_name(status);
    const char *message = past_spaces(text + length);
    if (strlen(name) != length || strncmp(name, text, length) != 0 || !strstr(c.error.message, message)) {
        fail_msg("%s on %s: %s '%s' in: %s", t->path, tirb_isa_name(t->isa), name, c.error.message, t->where);
    }
    close_call(&c);
}

static void run_fuel(const program_test *t, const char *text) {
    call c;
    text = parse_call(t, text, &c);
    assert_ok(t, &c, run_call(t, &c));
    tirb_stats stats = TIRB_STATS_INIT;
    assert_int_equal(tirb_instance_stats(t->instance, &stats), TIRB_OK);
    if (stats.fuel_used != strtoull(text, NULL, 10)) {
        fail_msg("%s on %s: fuel %llu in: %s", t->path, tirb_isa_name(t->isa), (unsigned long long)stats.fuel_used,
                 t->where);
    }
    close_call(&c);
}

/* ---- elementwise ----------------------------------------------------------------------------------------------- */

typedef struct elementwise {
    tirbi_op op;
    tirbi_dtype type;
    tirbi_dtype source;
    const char *cases; /* the text behind the colon */
} elementwise;

static tirbi_dtype operand_type(const elementwise *e, unsigned i) {
    return tirbi_op_operand_type(e->op, e->type, e->source, i);
}

static elementwise parse_elementwise(const program_test *t, const char *text) {
    elementwise e = {.cases = strchr(text, ':')};
    char mnemonic[32], type[16], source[16];
    int n = sscanf(text, "%31[a-z0-9].%15[a-z0-9] from %15[a-z0-9]", mnemonic, type, source);
    if (n < 2 || !e.cases) fail_msg("%s: %s", t->path, t->where);
    e.cases++;
    assert_true(tirbi_dtype_from_name(type, strlen(type), &e.type));
    e.source = e.type;
    if (n == 3) assert_true(tirbi_dtype_from_name(source, strlen(source), &e.source));
    for (unsigned op = 0; op < TIRB_OP_LANE_FORM; op++) {
        if (tirbi_ops[op].mnemonic && strcmp(tirbi_ops[op].mnemonic, mnemonic) == 0) e.op = (tirbi_op)op;
    }
    if (!(tirbi_ops[e.op].flags & TIRBI_FLAG_ELEMENTWISE)) fail_msg("%s: no instruction: %s", t->path, t->where);
    return e;
}

static void put(tirbi_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(tirbi_writer *w, const char *format, ...) {
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    assert_in_range(n, 0, sizeof(text) - 1);
    tirbi_write_bytes(w, text, (size_t)n);
}

static void put_instr(tirbi_writer *w, const elementwise *e, char file, const char *prefix) {
    put(w, "%s%s.%s %c3", prefix, tirbi_ops[e->op].mnemonic, tirbi_dtypes[e->type].name, file);
    for (unsigned i = 0; i < tirbi_ops[e->op].arity; i++) put(w, ", %c%u", file, i);
    if (strchr(tirbi_ops[e->op].operands, 'T')) put(w, ", %s", tirbi_dtypes[e->source].name);
    put(w, "\n");
}

/* The two functions of elementwise line `index`: s<index> on scalars, v<index> on lanes. */
static void put_functions(tirbi_writer *w, const elementwise *e, unsigned index) {
    unsigned arity = tirbi_ops[e->op].arity;
    const char *result = tirbi_dtypes[tirbi_op_result_type(e->op, e->type)].name;
    put(w, "\n.function \"s%u\" public returns %s\n.scalars 4\n", index, result);
    for (unsigned i = 0; i < arity; i++)
        put(w, ".scalar \"%c\" %s s%u\n", 'a' + (int)i, tirbi_dtypes[operand_type(e, i)].name, i);
    put_instr(w, e, 's', "");
    put(w, "ret.%s s3\n.end\n.function \"v%u\" public\n.scalars 1\n.lanes 4\n", result, index);
    for (unsigned i = 0; i < arity; i++) put(w, ".ref %s\n", tirbi_dtypes[operand_type(e, i)].name);
    put(w, ".ref %s writable\n.var \"n\" i64 s0\n", result);
    for (unsigned i = 0; i < arity; i++) {
        put(w, ".tensor \"%c\" %s r%u read ($0)\n", 'a' + (int)i, tirbi_dtypes[operand_type(e, i)].name, i);
    }
    put(w, ".tensor \"d\" %s r%u write ($0)\nlane s0, done\n", result, arity);
    for (unsigned i = 0; i < arity; i++)
        put(w, ".cursor r%u %s read 0 0 1\n", i, tirbi_dtypes[operand_type(e, i)].name);
    put(w, ".cursor r%u %s write 0 0 1\n", arity, result);
    for (unsigned i = 0; i < arity; i++) put(w, "vload.%s v%u, c%u\n", tirbi_dtypes[operand_type(e, i)].name, i, i);
    put_instr(w, e, 'v', "v");
    put(w, "vstore.%s c%u, v3\ndone: lane.end\nret.void\n.end\n", result, arity);
}

static unsigned parse_cases(const program_test *t, const elementwise *e, number operands[][3], number *results) {
    unsigned n = 0;
    for (const char *text = e->cases; text; n++) {
        assert_in_range(n, 0, MAX_CASES - 1);
        for (unsigned i = 0; i < tirbi_ops[e->op].arity; i++) {
            text = parse_number(t, text, operand_type(e, i), &operands[n][i]);
        }
        text = past_spaces(text);
        if (*text != '=') fail_msg("%s: no result of case %u in: %s", t->path, n, t->where);
        text = past_spaces(parse_number(t, text + 1, tirbi_op_result_type(e->op, e->type), &results[n]));
        if (*text != '|' && *text) fail_msg("%s: '%s' not understood in: %s", t->path, text, t->where);
        text = *text ? text + 1 : NULL;
    }
    return n;
}

static void assert_trap(const program_test *t, const call *c, tirb_status status) {
    if (status == TIRB_DIVIDE) return;
    fail_msg("%s on %s: %s %s, not DIVIDE, in: %s", t->path, tirb_isa_name(t->isa), tirb_status_name(status),
             c->error.message, t->where);
}

/* The cases one by one as scalars, then again and again as the elements of one lane loop, those that trap apart. */
static void run_elementwise(const program_test *t, const char *text, unsigned index) {
    elementwise e = parse_elementwise(t, text);
    number operands[MAX_CASES][3];
    number results[MAX_CASES];
    number columns[3][LANES];
    number blank[LANES] = {{0}};
    const number *expected[LANES];
    unsigned n = parse_cases(t, &e, operands, results);
    unsigned arity = tirbi_ops[e.op].arity;
    tirbi_dtype result_type = tirbi_op_result_type(e.op, e.type);
    unsigned n_lanes = 0;
    char name[16];
    for (unsigned k = 0; k < n; k++) {
        call c;
        snprintf(name, sizeof(name), "s%u", index);
        open_call(t, &c, name);
        for (unsigned i = 0; i < arity; i++) set_scalar(&c, i, &operands[k][i]);
        tirb_status status = run_call(t, &c);
        if (results[k].trap) {
            assert_trap(t, &c, status);
        } else {
            tirbi_dtype type;
            assert_ok(t, &c, status);
            assert_number(t, result_type, &results[k], result_bits(t, &c, &type));
        }
        close_call(&c);
    }
    for (unsigned k = 0; n_lanes < LANES && k < LANES * n; k++) {
        if (results[k % n].trap) continue;
        for (unsigned i = 0; i < arity; i++) columns[i][n_lanes] = operands[k % n][i];
        expected[n_lanes++] = &results[k % n];
    }
    call c;
    snprintf(name, sizeof(name), "v%u", index);
    open_call(t, &c, name);
    for (unsigned i = 0; i < arity; i++) set_tensor(&c, i, columns[i], n_lanes);
    set_tensor(&c, arity, blank, n_lanes);
    assert_ok(t, &c, run_call(t, &c));
    for (unsigned k = 0; k < n_lanes; k++) {
        assert_number(t, result_type, expected[k], load_element(&c.arguments[arity], k));
    }
    for (unsigned k = 0; k < n; k++) {
        if (!results[k].trap) continue;
        for (unsigned i = 0; i < arity; i++) store_element(&c.arguments[i], n_lanes - 1, operands[k][i].bits);
        assert_trap(t, &c, run_call(t, &c));
    }
    close_call(&c);
}

/* ---- Files ----------------------------------------------------------------------------------------------------- */

/* Calls `visit` for each comment line that begins with a known word, with that word's second letter, which tells them
 * apart. `index` counts the elementwise ones. */
typedef void (*visitor)(program_test *t, char word, const char *rest, unsigned index, void *context);

static void visit_comments(program_test *t, const char *text, visitor visit, void *context) {
    static const char *const words[] = {"; elementwise ", "; expect ", "; trap ", "; fuel "};
    unsigned index = 0;
    char line[4096];
    while (*text) {
        size_t length = strcspn(text, "\n");
        assert_in_range(length, 0, sizeof(line) - 1);
        memcpy(line, text, length);
        line[length] = 0;
        t->where = line;
        for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
            if (strncmp(line, words[i], strlen(words[i])) != 0) continue;
            visit(t, words[i][3], line + strlen(words[i]), index, context);
            if (i == 0) index++;
        }
        text += length + (text[length] == '\n');
    }
}

static void visit_functions(program_test *t, char word, const char *rest, unsigned index, void *context) {
    if (word != 'l') return;
    elementwise e = parse_elementwise(t, rest);
    put_functions((tirbi_writer *)context, &e, index);
}

static void visit_run(program_test *t, char word, const char *rest, unsigned index, void *context) {
    ++*(unsigned *)context;
    switch (word) {
    case 'l':
        run_elementwise(t, rest, index);
        break;
    case 'x':
        run_expect(t, rest);
        break;
    case 'r':
        run_trap(t, rest);
        break;
    default:
        run_fuel(t, rest);
    }
}

static void note_opcodes(const tirbi_program *program) {
    tirbi_instr instr;
    for (unsigned i = 0; i < program->n_functions; i++) {
        const tirbi_function *f = &program->functions[i];
        for (uint32_t at = 0; at < f->code_size; at += instr.size) {
            assert_int_equal(tirbi_decode(f->code, f->code_size, at, &instr, NULL), TIRB_OK);
            seen[instr.op] = true;
        }
    }
}

/* Disassembled and assembled again, a program is the same bytes. */
static void check_text(fixture *f, const tirbi_program *program, const tirbi_writer *bytes) {
    tirbi_writer text;
    tirbi_writer_init(&text, &f->heap);
    tirbi_program *again = NULL;
    fixture_ok(f, tirbi_disassemble(program, &text, &f->error), "disassemble");
    fixture_ok(f, tirbi_assemble((const char *)text.data, text.size, &f->arena, &again, &f->error), "assemble again");
    tirbi_writer bytes_again = fixture_bundle(f, again);
    assert_int_equal(bytes->size, bytes_again.size);
    assert_memory_equal(bytes->data, bytes_again.data, bytes->size);
    tirbi_writer_destroy(&bytes_again);
    tirbi_writer_destroy(&text);
}

/* Once more with each number of threads: nothing that can be seen depends on it. */
static void run_bundle_threads(program_test *t, const tirbi_writer *bytes, const char *comments, uint32_t threads) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_limits limits = TIRB_LIMITS_INIT;
    tirb_engine *engine = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    unsigned n = 0;
    options.isa = t->isa;
    options.max_threads = limits.threads = threads;
    assert_int_equal(tirb_engine_create(&options, &engine, &error), TIRB_OK);
    tirb_status status = tirb_module_load(engine, bytes->data, bytes->size, &t->module, &error);
    if (status != TIRB_OK) fail_msg("%s: %s", t->path, error.message);
    assert_int_equal(tirb_instance_create(t->module, &limits, &t->instance, &error), TIRB_OK);
    visit_comments(t, comments, visit_run, &n);
    if (n == 0) fail_msg("%s expects nothing", t->path);
    tirb_instance_destroy(t->instance);
    tirb_module_release(t->module);
    tirb_engine_release(engine);
}

static void run_bundle(program_test *t, bool regions, const tirbi_writer *bytes, const char *comments) {
    for (t->isa = TIRB_ISA_GENERIC; t->isa < TIRBI_N_ISAS; t->isa++) {
        if (!tirb_isa_available(t->isa)) continue;
        run_bundle_threads(t, bytes, comments, 1);
        for (uint32_t threads = 2; regions && threads <= 7; threads += 5)
            run_bundle_threads(t, bytes, comments, threads);
    }
}

static void run_file(const char *path) {
    fixture f;
    program_test t = {.path = path};
    size_t size = 0;
    char *source = fixture_file(path, &size);
    if (!source) fail_msg("cannot read %s", path);
    fixture_open(&f);
    tirbi_writer text;
    tirbi_writer_init(&text, &f.heap);
    tirbi_write_bytes(&text, source, size);
    visit_comments(&t, source, visit_functions, &text);
    tirbi_program *program = NULL;
    fixture_ok(&f, tirbi_assemble((const char *)text.data, text.size, &f.arena, &program, &f.error), path);
    fixture_ok(&f, tirbi_verify(program, &f.heap, &f.error), path);
    note_opcodes(program);
    tirbi_writer bytes = fixture_bundle(&f, program);
    check_text(&f, program, &bytes);
    bool regions = program->n_functions > 0 && program->functions[program->n_functions - 1].is_region;
    run_bundle(&t, regions, &bytes, source);
    tirbi_writer_destroy(&bytes);
    tirbi_writer_destroy(&text);
    fixture_close(&f);
    free(source);
}

/* A bundle of an earlier version, if it says what it expects; test_stored.c has the others. */
static void run_stored(const char *path) {
    program_test t = {.path = path};
    char *text = stored_text(path);
    tirbi_writer bytes = {.data = NULL};
    bytes.data = stored_bytes(text, &bytes.size);
    if (strstr(text, "\n; ") || text[0] == ';') run_bundle(&t, true, &bytes, text);
    free(bytes.data);
    free(text);
}

/* Runs each file of a folder that ends so, and tells how many there were. */
static unsigned run_folder(const char *name, const char *suffix, void (*run)(const char *path)) {
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", TIRB_TEST_ROOT, name);
    DIR *directory = opendir(path);
    assert_non_null(directory);
    unsigned n = 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, suffix) != 0) continue;
        snprintf(path, sizeof(path), "%s/%s/%s", TIRB_TEST_ROOT, name, entry->d_name);
        run(path);
        n++;
    }
    closedir(directory);
    return n;
}

static void test_files(void **state) {
    (void)state;
    assert_true(run_folder("asm", ".tirs", run_file) > 0);
}

static void test_stored_files(void **state) {
    (void)state;
    assert_true(run_folder("stored/1.0", ".hex", run_stored) > 0);
}

static void test_every_opcode(void **state) {
    (void)state;
    for (unsigned op = 0; op < TIRB_N_OPS; op++) {
        if (tirbi_ops[op].mnemonic && !seen[op]) fail_msg("no file of tests/asm has '%s'", tirbi_ops[op].mnemonic);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files), cmocka_unit_test(test_every_opcode),
                                       cmocka_unit_test(test_stored_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
