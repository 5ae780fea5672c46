/* The assembler: one pass over the lines, after a first one that finds the functions' names. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/base/error.h"
#include "loader/bundle/assembly.h"
#include "loader/bundle/text_map.h"

typedef enum token_kind { TOKEN_END_OF_LINE, TOKEN_WORD, TOKEN_STRING, TOKEN_PUNCT } token_kind;

/* Words are runs of everything but spaces, quotes and ( ) { } : ; A string's text is as written, without its quotes. */
typedef struct token {
    token_kind kind;
    const char *text;
    size_t size;
    uint32_t line;
    uint32_t column;
} token;

/* A jump whose label is not known yet: the u32 at `at` in the code. */
typedef struct fixup {
    size_t at;
    token label;
} fixup;

typedef struct assembler {
    const char *text;
    size_t size;
    size_t at;
    uint32_t line;
    size_t line_start;
    token token; /* the one in hand */

    tirbi_heap *heap;
    tirbi_arena *arena;
    tirb_error *error;
    tirbi_program *program;

    tirbi_text_map string_numbers;
    tirbi_text_map function_numbers;
    tirbi_text_map labels;
    tirbi_writer strings;   /* tirbi_string[] */
    tirbi_writer imports;   /* tirbi_import[] */
    tirbi_writer functions; /* tirbi_function[] */
    tirbi_writer constants; /* tirbi_constant[], whose bytes are one after the other in `data` */
    tirbi_writer data;

    bool in_function;
    bool in_header; /* `instr` is a lane loop whose header goes on */
    token end_label;
    tirbi_instr instr;
    tirbi_function function;
    tirbi_writer refs, reds, vars, params, aliases, conditions, lines, fixups, code;
} assembler;

/* ---- Errors and memory ---------------------------------------------------------------------------------------- */

static tirb_status syntax_at(assembler *a, const token *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static tirb_status syntax_at(assembler *a, const token *where, const char *format, ...) {
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    tirbi_error_set(a->error, TIRB_SYNTAX, "%s", reason);
    tirbi_error_at(a->error, "", where->line, where->column);
    return TIRB_SYNTAX;
}

/* "expected WHAT, found the token in hand". */
static tirb_status expected(assembler *a, const char *what) {
    const token *t = &a->token;
    if (t->kind == TOKEN_END_OF_LINE) return syntax_at(a, t, "expected %s, found the end of the line", what);
    int size = t->size < 40 ? (int)t->size : 40;
    return syntax_at(a, t, "expected %s, found '%.*s'", what, size, t->text);
}

static tirb_status no_memory(assembler *a) {
    return tirbi_error_set(a->error, tirbi_heap_status(a->heap), "no memory to assemble");
}

/* A copy of a list in the arena. */
static const void *keep(assembler *a, const tirbi_writer *list) {
    void *copy = tirbi_arena_alloc(a->arena, list->size, 1);
    if (copy && list->size > 0) memcpy(copy, list->data, list->size);
    return copy;
}

/* ---- Tokens --------------------------------------------------------------------------------------------------- */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; }
static bool is_punct(char c) { return c == '(' || c == ')' || c == '{' || c == '}' || c == ':'; }
static bool is_word(char c) { return !is_space(c) && !is_punct(c) && c != '\n' && c != ';' && c != '"'; }

static tirb_status scan_string(assembler *a) {
    token *t = &a->token;
    t->kind = TOKEN_STRING;
    t->text = a->text + ++a->at;
    while (a->at < a->size && a->text[a->at] != '"' && a->text[a->at] != '\n') {
        if (a->text[a->at] == '\\' && a->at + 1 < a->size && a->text[a->at + 1] != '\n') a->at++;
        a->at++;
    }
    if (a->at >= a->size || a->text[a->at] != '"') return syntax_at(a, t, "the string has no end");
    t->size = (size_t)(a->text + a->at - t->text);
    a->at++;
    return TIRB_OK;
}

/* Takes the next token of the line in hand; its end is not passed. */
static tirb_status next(assembler *a) {
    while (a->at < a->size && is_space(a->text[a->at])) a->at++;
    if (a->at < a->size && a->text[a->at] == ';') {
        while (a->at < a->size && a->text[a->at] != '\n') a->at++;
    }
    const char *text = a->text + a->at;
    a->token = (token){.text = text, .line = a->line, .column = (uint32_t)(a->at - a->line_start + 1)};
    if (a->at >= a->size || *text == '\n') return TIRB_OK;
    if (*text == '"') return scan_string(a);
    if (is_punct(*text)) {
        a->token.kind = TOKEN_PUNCT;
        a->at++;
    } else {
        a->token.kind = TOKEN_WORD;
        while (a->at < a->size && is_word(a->text[a->at])) a->at++;
    }
    a->token.size = (size_t)(a->text + a->at - text);
    return TIRB_OK;
}

/* To the first token of the next line; false at the end of the text. */
static bool next_line(assembler *a) {
    while (a->at < a->size && a->text[a->at] != '\n') a->at++;
    if (a->at >= a->size) return false;
    a->at++;
    a->line++;
    a->line_start = a->at;
    return true;
}

static void rewind_text(assembler *a) {
    a->at = 0;
    a->line = 1;
    a->line_start = 0;
}

static bool is(const assembler *a, const char *word) {
    return a->token.kind == TOKEN_WORD && a->token.size == strlen(word) &&
           memcmp(a->token.text, word, a->token.size) == 0;
}

static bool is_punctuation(const assembler *a, char c) { return a->token.kind == TOKEN_PUNCT && *a->token.text == c; }

/* Takes the token if it is this word. */
static tirb_status accept(assembler *a, const char *word, bool *taken) {
    *taken = is(a, word);
    return *taken ? next(a) : TIRB_OK;
}

static tirb_status take_punctuation(assembler *a, char c) {
    char what[4] = {'\'', c, '\'', 0};
    if (!is_punctuation(a, c)) return expected(a, what);
    return next(a);
}

/* The token in hand as a C string of at most 63 bytes; empty if it is no word or longer. */
static void word_text(const assembler *a, char out[64]) {
    size_t size = a->token.kind == TOKEN_WORD && a->token.size < 64 ? a->token.size : 0;
    memcpy(out, a->token.text, size);
    out[size] = 0;
}

/* ---- Numbers, names, registers -------------------------------------------------------------------------------- */

/* A decimal or hexadecimal number after `prefix` characters of the token in hand. */
static bool parse_int(const assembler *a, size_t prefix, int64_t *out) {
    char word[64];
    word_text(a, word);
    const char *digits = word + (strlen(word) < prefix ? strlen(word) : prefix);
    bool negative = *digits == '-';
    if (negative) digits++;
    if (*digits < '0' || *digits > '9') return false;
    char *end;
    errno = 0;
    unsigned long long v = strtoull(digits, &end, digits[0] == '0' && (digits[1] | 32) == 'x' ? 16 : 10);
    *out = (int64_t)(negative ? 0 - v : v);
    return *end == 0 && errno == 0 && (!negative || v <= UINT64_C(1) << 63);
}

static tirb_status take_int(assembler *a, int64_t low, int64_t high, int64_t *out) {
    if (!parse_int(a, 0, out)) return expected(a, "a number");
    if (*out < low || *out > high) {
        return syntax_at(a, &a->token, "%" PRId64 " is not in %" PRId64 " .. %" PRId64, *out, low, high);
    }
    return next(a);
}

/* A register, cursor or loop: its file's letter and a number. */
static tirb_status take_register(assembler *a, char file, int64_t highest, int64_t *out) {
    char what[32];
    snprintf(what, sizeof(what), "%c0 .. %c%" PRId64, file, file, highest);
    if (a->token.kind != TOKEN_WORD || *a->token.text != file || !parse_int(a, 1, out)) return expected(a, what);
    if (*out < 0 || *out > highest) return expected(a, what);
    return next(a);
}

static tirb_status take_u16(assembler *a, char file, uint16_t *out) {
    int64_t number = 0;
    TIRBI_TRY(take_register(a, file, UINT16_MAX, &number));
    *out = (uint16_t)number;
    return TIRB_OK;
}

/* A scalar register or a small constant. */
static tirb_status take_x(assembler *a, uint16_t *out) {
    int64_t number = 0;
    if (a->token.kind == TOKEN_WORD && *a->token.text == 's') {
        TIRBI_TRY(take_register(a, 's', TIRBI_MAX_SREGS - 1, &number));
        *out = (uint16_t)number;
        return TIRB_OK;
    }
    TIRBI_TRY(take_int(a, TIRBI_SMALL_MIN, TIRBI_SMALL_MAX, &number));
    *out = tirbi_x_from_small(number);
    return TIRB_OK;
}

static tirb_status take_type(assembler *a, uint8_t *out) {
    tirbi_dtype type;
    if (a->token.kind != TOKEN_WORD || !tirbi_dtype_from_name(a->token.text, a->token.size, &type)) {
        return expected(a, "a type");
    }
    *out = (uint8_t)type;
    return next(a);
}

/* The number of the word in a list that NULL ends. */
static tirb_status take_choice(assembler *a, const char *const *words, const char *what, uint8_t *out) {
    for (uint8_t i = 0; words[i]; i++) {
        if (is(a, words[i])) {
            *out = i;
            return next(a);
        }
    }
    return expected(a, what);
}

/* ---- Strings -------------------------------------------------------------------------------------------------- */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 32);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The text that the string token in hand means. */
static tirb_status unescape(assembler *a, tirbi_string *out) {
    const char *from = a->token.text;
    const char *end = from + a->token.size;
    char *text = tirbi_arena_alloc(a->arena, a->token.size + 1, 1);
    if (!text) return no_memory(a);
    uint32_t n = 0;
    while (from < end) {
        char c = *from++;
        if (c == '\\') {
            char escape = *from++; /* the lexer ends no string after a backslash */
            c = escape == 'n' ? '\n' : escape == 't' ? '\t' : escape;
            if (escape == 'x') {
                int high = end - from >= 2 ? hex_digit(from[0]) : -1;
                int low = end - from >= 2 ? hex_digit(from[1]) : -1;
                if (high < 0 || low < 0) return syntax_at(a, &a->token, "\\x without two digits in a string");
                c = (char)(high * 16 + low);
                from += 2;
            }
        }
        text[n++] = c;
    }
    *out = (tirbi_string){.text = text, .size = n};
    return TIRB_OK;
}

static tirb_status append_string(assembler *a, const tirbi_string *s, uint16_t *out) {
    size_t number = a->strings.size / sizeof(*s);
    if (number >= TIRBI_NO_STRING) return syntax_at(a, &a->token, "more than %d strings", TIRBI_NO_STRING);
    tirbi_write_bytes(&a->strings, s, sizeof(*s));
    if (a->strings.failed || !tirbi_text_map_add(&a->string_numbers, s->text, s->size, (uint32_t)number)) {
        return no_memory(a);
    }
    *out = (uint16_t)number;
    return TIRB_OK;
}

/* "text", which is added where it is missing, or #number. */
static tirb_status take_string(assembler *a, uint16_t *out) {
    int64_t number = 0;
    if (a->token.kind == TOKEN_WORD && *a->token.text == '#' && parse_int(a, 1, &number) && number >= 0 &&
        number <= UINT16_MAX) {
        *out = (uint16_t)number;
        return next(a);
    }
    if (a->token.kind != TOKEN_STRING) return expected(a, "a string");
    tirbi_string s;
    uint32_t found;
    TIRBI_TRY(unescape(a, &s));
    if (tirbi_text_map_find(&a->string_numbers, s.text, s.size, &found)) {
        *out = (uint16_t)found;
    } else {
        TIRBI_TRY(append_string(a, &s, out));
    }
    return next(a);
}

static tirb_status take_import(assembler *a, int64_t *out) {
    if (a->token.kind != TOKEN_WORD || *a->token.text != '#' || !parse_int(a, 1, out) || *out < 0 ||
        *out > UINT16_MAX) {
        return expected(a, "the number of an import");
    }
    return next(a);
}

static tirb_status take_function(assembler *a, int64_t *out) {
    if (a->token.kind == TOKEN_WORD && *a->token.text == '#' && parse_int(a, 1, out) && *out >= 0 &&
        *out <= UINT16_MAX) {
        return next(a);
    }
    if (a->token.kind != TOKEN_STRING) return expected(a, "a function");
    tirbi_string s;
    uint32_t number;
    TIRBI_TRY(unescape(a, &s));
    if (!tirbi_text_map_find(&a->function_numbers, s.text, s.size, &number)) {
        return syntax_at(a, &a->token, "there is no function '%.60s'", s.text);
    }
    *out = number;
    return next(a);
}

/* ---- Signatures ----------------------------------------------------------------------------------------------- */

static tirb_status take_term(assembler *a, tirbi_dim_term *term) {
    static const char *const operators[] = {"add",      "sub",      "mul", "floordiv", "floormod",
                                            "truncdiv", "truncmod", "min", "max",      NULL};
    uint8_t op = 0;
    *term = (tirbi_dim_term){0};
    if (parse_int(a, 0, &term->value)) {
        term->op = TIRBI_DIM_CONST;
        return next(a);
    }
    if (a->token.kind == TOKEN_WORD && *a->token.text == '$' && parse_int(a, 1, &term->value)) {
        term->op = TIRBI_DIM_VAR;
        return next(a);
    }
    TIRBI_TRY(take_choice(a, operators, "a term of a dimension", &op));
    term->op = (uint8_t)(TIRBI_DIM_ADD + op);
    return TIRB_OK;
}

static tirb_status take_dim(assembler *a, tirbi_dim *dim) {
    tirbi_dim_term terms[TIRBI_MAX_DIM_TERMS];
    uint16_t n = 0;
    if (is_punctuation(a, '{')) {
        TIRBI_TRY(next(a));
        while (!is_punctuation(a, '}')) {
            if (n == TIRBI_MAX_DIM_TERMS) {
                return syntax_at(a, &a->token, "a dimension of more than %d terms", TIRBI_MAX_DIM_TERMS);
            }
            TIRBI_TRY(take_term(a, &terms[n++]));
        }
        TIRBI_TRY(next(a));
    } else {
        TIRBI_TRY(take_term(a, &terms[n++]));
    }
    tirbi_dim_term *kept = TIRBI_NEW_ARRAY(a->arena, tirbi_dim_term, n);
    if (!kept) return no_memory(a);
    memcpy(kept, terms, n * sizeof(terms[0]));
    *dim = (tirbi_dim){.n_terms = n, .terms = kept};
    return TIRB_OK;
}

static tirb_status take_dims(assembler *a, const tirbi_dim **out, unsigned *n) {
    tirbi_dim dims[UINT8_MAX];
    *n = 0;
    TIRBI_TRY(take_punctuation(a, '('));
    while (!is_punctuation(a, ')')) {
        if (*n == UINT8_MAX) return syntax_at(a, &a->token, "more than %d dimensions", UINT8_MAX);
        TIRBI_TRY(take_dim(a, &dims[*n]));
        ++*n;
    }
    tirbi_dim *kept = TIRBI_NEW_ARRAY(a->arena, tirbi_dim, *n);
    if (!kept) return no_memory(a);
    memcpy(kept, dims, *n * sizeof(dims[0]));
    *out = kept;
    return next(a);
}

static tirb_status parse_tensor(assembler *a) {
    tirbi_param param = {.kind = TIRB_PARAM_TENSOR};
    bool taken;
    unsigned n;
    TIRBI_TRY(take_string(a, &param.name));
    TIRBI_TRY(take_type(a, &param.dtype));
    TIRBI_TRY(take_u16(a, 'r', &param.reg));
    TIRBI_TRY(accept(a, "read", &taken));
    if (taken) param.access |= TIRBI_READ;
    TIRBI_TRY(accept(a, "write", &taken));
    if (taken) param.access |= TIRBI_WRITE;
    TIRBI_TRY(take_dims(a, &param.shape, &n));
    param.ndim = (uint8_t)n;
    TIRBI_TRY(accept(a, "strides", &param.has_strides));
    if (param.has_strides) {
        token place = a->token;
        TIRBI_TRY(take_dims(a, &param.strides, &n));
        if (n != param.ndim) return syntax_at(a, &place, "%u strides for %u dimensions", n, param.ndim);
    }
    TIRBI_TRY(accept(a, "offset", &param.has_elem_offset));
    if (param.has_elem_offset) TIRBI_TRY(take_dim(a, &param.elem_offset));
    TIRBI_TRY(accept(a, "minima", &taken));
    if (taken) {
        token place = a->token;
        TIRBI_TRY(take_dims(a, &param.minima, &n));
        if (n != param.ndim || n == 0) return syntax_at(a, &place, "%u minima for %u dimensions", n, param.ndim);
    }
    TIRBI_TRY(accept(a, "result", &param.is_result));
    TIRBI_TRY(accept(a, "open", &param.is_open));
    tirbi_write_bytes(&a->params, &param, sizeof(param));
    return TIRB_OK;
}

static tirb_status parse_scalar(assembler *a) {
    tirbi_param param = {.kind = TIRB_PARAM_SCALAR};
    TIRBI_TRY(take_string(a, &param.name));
    TIRBI_TRY(take_type(a, &param.dtype));
    TIRBI_TRY(take_u16(a, 's', &param.reg));
    tirbi_write_bytes(&a->params, &param, sizeof(param));
    return TIRB_OK;
}

static tirb_status parse_alias(assembler *a) {
    int64_t first = 0, second = 0;
    TIRBI_TRY(take_int(a, 0, UINT16_MAX, &first));
    TIRBI_TRY(take_int(a, 0, UINT16_MAX, &second));
    tirbi_alias alias = {(uint16_t)first, (uint16_t)second};
    tirbi_write_bytes(&a->aliases, &alias, sizeof(alias));
    return TIRB_OK;
}

static tirb_status parse_requires(assembler *a) {
    tirbi_condition condition = {0};
    TIRBI_TRY(take_dim(a, &condition.left));
    TIRBI_TRY(take_choice(a, tirbi_relations, "a relation such as <=", &condition.relation));
    TIRBI_TRY(take_dim(a, &condition.right));
    tirbi_write_bytes(&a->conditions, &condition, sizeof(condition));
    return TIRB_OK;
}

static tirb_status parse_import(assembler *a) {
    tirbi_import import = {.return_type = TIRB_TYPE_NONE};
    tirbi_import_param params[TIRBI_MAX_CALL_ARGS];
    bool taken;
    TIRBI_TRY(take_string(a, &import.name));
    TIRBI_TRY(take_punctuation(a, '('));
    while (!is_punctuation(a, ')')) {
        if (import.n_params == TIRBI_MAX_CALL_ARGS) {
            return syntax_at(a, &a->token, "more than %d arguments", TIRBI_MAX_CALL_ARGS);
        }
        tirbi_import_param *param = &params[import.n_params++];
        *param = (tirbi_import_param){0};
        TIRBI_TRY(take_type(a, &param->dtype));
        TIRBI_TRY(accept(a, "read", &taken));
        if (taken) param->access |= TIRBI_READ;
        TIRBI_TRY(accept(a, "write", &taken));
        if (taken) param->access |= TIRBI_WRITE;
    }
    TIRBI_TRY(next(a));
    TIRBI_TRY(accept(a, "returns", &import.returns));
    if (import.returns) TIRBI_TRY(take_type(a, &import.return_type));
    tirbi_import_param *kept = TIRBI_NEW_ARRAY(a->arena, tirbi_import_param, import.n_params);
    if (!kept) return no_memory(a);
    if (import.n_params > 0) memcpy(kept, params, import.n_params * sizeof(params[0]));
    import.params = kept;
    if (a->imports.size / sizeof(import) == UINT16_MAX) {
        return syntax_at(a, &a->token, "more than %d imports", UINT16_MAX);
    }
    tirbi_write_bytes(&a->imports, &import, sizeof(import));
    return a->imports.failed ? no_memory(a) : TIRB_OK;
}

static tirb_status parse_var(assembler *a) {
    tirbi_var var = {.param = TIRBI_NO_REG};
    int64_t number = 0;
    bool taken;
    TIRBI_TRY(take_string(a, &var.name));
    TIRBI_TRY(take_type(a, &var.dtype));
    TIRBI_TRY(take_u16(a, 's', &var.reg));
    TIRBI_TRY(accept(a, "param", &taken));
    if (taken) {
        TIRBI_TRY(take_int(a, 0, UINT16_MAX, &number));
        var.param = (uint16_t)number;
    }
    tirbi_write_bytes(&a->vars, &var, sizeof(var));
    return TIRB_OK;
}

static tirb_status parse_ref(assembler *a) {
    tirbi_ref_type ref = {0};
    TIRBI_TRY(take_type(a, &ref.dtype));
    TIRBI_TRY(accept(a, "writable", &ref.writable));
    tirbi_write_bytes(&a->refs, &ref, sizeof(ref));
    return TIRB_OK;
}

static tirb_status parse_red(assembler *a) {
    static const char *const operations[] = {"add", "mul", "min", "max", NULL};
    tirbi_red_type red = {0};
    TIRBI_TRY(take_type(a, &red.dtype));
    TIRBI_TRY(take_choice(a, operations, "add, mul, min or max", &red.op));
    tirbi_write_bytes(&a->reds, &red, sizeof(red));
    return TIRB_OK;
}

static tirb_status parse_line(assembler *a) {
    tirbi_line line = {.offset = (uint32_t)a->code.size};
    int64_t number = 0;
    TIRBI_TRY(take_int(a, 0, UINT32_MAX, &number));
    line.line = (uint32_t)number;
    TIRBI_TRY(take_int(a, 0, UINT32_MAX, &number));
    line.column = (uint32_t)number;
    tirbi_write_bytes(&a->lines, &line, sizeof(line));
    return TIRB_OK;
}

/* ---- Instructions --------------------------------------------------------------------------------------------- */

/* The opcode and the type of a mnemonic such as `red.push.f32` or `lane.end`. */
static bool find_op(const char *text, size_t size, uint8_t *op, uint8_t *type) {
    size_t dot = size;
    while (dot > 0 && text[dot - 1] != '.') dot--;
    tirbi_dtype suffix;
    bool has_type = dot > 0 && tirbi_dtype_from_name(text + dot, size - dot, &suffix);
    for (unsigned i = 0; i < TIRB_N_OPS; i++) {
        const tirbi_op_info *info = &tirbi_ops[i];
        if (!info->mnemonic || (info->types && !has_type)) continue;
        size_t length = info->types ? dot - 1 : size;
        if (strlen(info->mnemonic) != length || memcmp(info->mnemonic, text, length) != 0) continue;
        if (info->types && !(info->types >> suffix & 1)) continue;
        *op = (uint8_t)i;
        *type = info->types ? (uint8_t)suffix : (uint8_t)TIRB_TYPE_NONE;
        return true;
    }
    return false;
}

/* Bits, or a decimal fraction. */
static tirb_status take_float32(assembler *a, int64_t *out) {
    if (parse_int(a, 0, out)) return take_int(a, 0, UINT32_MAX, out);
    char word[64];
    char *end;
    word_text(a, word);
    float value = strtof(word, &end);
    if (end == word || *end) return expected(a, "bits or a decimal");
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    *out = bits;
    return next(a);
}

static tirb_status take_constant(assembler *a, uint8_t type, int64_t *out) {
    switch (tirbi_dtypes[type].class) {
    case 'F':
        if (type == TIRB_F32 || type == TIRB_F64) return take_float32(a, out);
        return take_int(a, 0, UINT16_MAX, out);
    case 'I':
        return take_int(a, INT32_MIN, INT32_MAX, out);
    default:
        return take_int(a, 0, UINT32_MAX, out);
    }
}

static tirb_status take_int64(assembler *a, int64_t *out) {
    if (parse_int(a, 0, out)) return next(a);
    char word[64];
    char *end;
    word_text(a, word);
    double value = strtod(word, &end);
    if (end == word || *end) return expected(a, "a number");
    memcpy(out, &value, sizeof(*out));
    return next(a);
}

/* @offset, or a label that is filled in when the function ends. */
static tirb_status take_target(assembler *a, token *label, int64_t *out) {
    label->kind = TOKEN_END_OF_LINE;
    if (a->token.kind != TOKEN_WORD) return expected(a, "a label");
    if (*a->token.text == '@') {
        if (!parse_int(a, 1, out) || *out < 0 || *out > UINT32_MAX) return expected(a, "an offset");
        return next(a);
    }
    *out = 0;
    *label = a->token;
    return next(a);
}

static tirb_status take_list(assembler *a, char file, uint16_t *list, int64_t *out) {
    int64_t n = 0;
    TIRBI_TRY(take_punctuation(a, '('));
    while (!is_punctuation(a, ')')) {
        if (n == TIRBI_MAX_CALL_ARGS) return syntax_at(a, &a->token, "more than %d arguments", TIRBI_MAX_CALL_ARGS);
        TIRBI_TRY(take_u16(a, file, &list[n++]));
    }
    *out = n;
    return next(a);
}

/* (r1, r2 part base stride extent, ..): whole references, and parts of references. */
static tirb_status take_parts(assembler *a, int64_t *out) {
    tirbi_instr *instr = &a->instr;
    unsigned n = 0;
    TIRBI_TRY(take_punctuation(a, '('));
    while (!is_punctuation(a, ')')) {
        if (n == TIRBI_MAX_CALL_ARGS) return syntax_at(a, &a->token, "more than %d arguments", TIRBI_MAX_CALL_ARGS);
        tirbi_part *part = &instr->parts[n];
        *part = (tirbi_part){.partitioned = false};
        TIRBI_TRY(take_u16(a, 'r', &instr->refs[n++]));
        if (!is(a, "part")) continue;
        TIRBI_TRY(next(a));
        part->partitioned = true;
        TIRBI_TRY(take_x(a, &part->base));
        TIRBI_TRY(take_x(a, &part->stride));
        TIRBI_TRY(take_x(a, &part->extent));
    }
    *out = n;
    return next(a);
}

static tirb_status take_steps(assembler *a, unsigned n, uint16_t *out) {
    TIRBI_TRY(take_punctuation(a, '('));
    for (unsigned i = 0; i < n; i++) TIRBI_TRY(take_x(a, &out[i]));
    return take_punctuation(a, ')');
}

/* (extents), and three times: reference, type, start, (steps). */
static tirb_status take_box(assembler *a) {
    tirbi_contract_box *box = &a->instr.box;
    box->n_loops = 0;
    TIRBI_TRY(take_punctuation(a, '('));
    while (!is_punctuation(a, ')')) {
        if (box->n_loops == TIRBI_MAX_CONTRACT_LOOPS) {
            return syntax_at(a, &a->token, "more than %d loops", TIRBI_MAX_CONTRACT_LOOPS);
        }
        TIRBI_TRY(take_x(a, &box->extents[box->n_loops++]));
    }
    TIRBI_TRY(next(a));
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        TIRBI_TRY(take_u16(a, 'r', &box->operands[o].ref));
        TIRBI_TRY(take_type(a, &box->operands[o].type));
        TIRBI_TRY(take_x(a, &box->operands[o].start));
        TIRBI_TRY(take_steps(a, box->n_loops, box->operands[o].steps));
    }
    return TIRB_OK;
}

static tirb_status take_operand(assembler *a, char letter, token *label, int64_t *out) {
    tirbi_instr *instr = &a->instr;
    uint16_t number = 0;
    uint8_t type = 0;
    switch (letter) {
    case 'D':
    case 'S':
        return take_register(a, 's', UINT16_MAX, out);
    case 'x':
        TIRBI_TRY(take_x(a, &number));
        *out = number;
        return TIRB_OK;
    case 'W':
    case 'R':
        return take_register(a, 'r', UINT16_MAX, out);
    case 'V':
    case 'U':
        return take_register(a, 'v', UINT8_MAX, out);
    case 'Q':
        return take_register(a, 'q', UINT8_MAX, out);
    case 'C':
        return take_register(a, 'c', UINT8_MAX, out);
    case 'L':
        return take_register(a, 'l', UINT8_MAX, out);
    case 'i':
        return take_constant(a, instr->type, out);
    case 'I':
        return take_int64(a, out);
    case 'j':
        return take_target(a, label, out);
    case 'T':
        TIRBI_TRY(take_type(a, &type));
        *out = type;
        return TIRB_OK;
    case 'F':
        return take_function(a, out);
    case 'G':
        return take_import(a, out);
    case 'K':
        return take_register(a, 'k', UINT16_MAX, out);
    case 'Z':
        TIRBI_TRY(take_string(a, &number));
        *out = number;
        return TIRB_OK;
    case 'a':
        return take_list(a, 's', instr->scalars, out);
    case 'r':
        return take_list(a, 'r', instr->refs, out);
    case 'P':
        return take_parts(a, out);
    case 'H':
        TIRBI_TRY(take_x(a, &instr->lane.n));
        TIRBI_TRY(take_target(a, label, out));
        instr->lane.end = (uint32_t)*out;
        instr->lane.n_inner = 0;
        instr->lane.n_cursors = 0;
        return TIRB_OK;
    case 'B':
        *out = 0;
        return take_box(a);
    default: /* n */
        return take_int(a, 0, UINT8_MAX, out);
    }
}

/* Appends the instruction in hand. Its jump, if it has one, is the last of its fields, or the header's end. */
static tirb_status emit(assembler *a, const token *label) {
    size_t start = a->code.size;
    tirbi_encode(&a->code, &a->instr);
    if (label->kind == TOKEN_WORD) {
        enum { HEADER_END = 6, TARGET_SIZE = 4 };
        size_t at = a->instr.op == TIRB_OP_LANE ? start + HEADER_END : a->code.size - TARGET_SIZE;
        tirbi_write_bytes(&a->fixups, &(fixup){.at = at, .label = *label}, sizeof(fixup));
    }
    if (a->code.failed || a->fixups.failed) return no_memory(a);
    if (a->code.size > UINT32_MAX) return syntax_at(a, &a->token, "a function of more than 4 GiB");
    return TIRB_OK;
}

static tirb_status parse_instr(assembler *a) {
    token label = {0};
    if (!find_op(a->token.text, a->token.size, &a->instr.op, &a->instr.type)) return expected(a, "an instruction");
    TIRBI_TRY(next(a));
    const char *letters = tirbi_ops[a->instr.op].operands;
    for (unsigned i = 0; letters[i]; i++) {
        TIRBI_TRY(take_operand(a, letters[i], &label, &a->instr.operand[i]));
    }
    if (a->instr.op == TIRB_OP_LANE) {
        a->in_header = true;
        a->end_label = label;
        return TIRB_OK;
    }
    return emit(a, &label);
}

static tirb_status parse_inner(assembler *a) {
    tirbi_lane_header *lane = &a->instr.lane;
    if (!a->in_header || lane->n_cursors > 0) {
        return syntax_at(a, &a->token, ".inner stands right after lane or .inner");
    }
    if (lane->n_inner == TIRBI_MAX_INNER) {
        return syntax_at(a, &a->token, "more than %d inner loops", TIRBI_MAX_INNER);
    }
    tirbi_inner *inner = &lane->inner[lane->n_inner++];
    inner->index = TIRBI_NO_REG;
    TIRBI_TRY(take_x(a, &inner->extent));
    return a->token.kind == TOKEN_END_OF_LINE ? TIRB_OK : take_u16(a, 's', &inner->index);
}

static tirb_status parse_cursor(assembler *a) {
    static const char *const accesses[] = {"read", "write", "readwrite", NULL};
    tirbi_lane_header *lane = &a->instr.lane;
    int64_t number = 0;
    if (!a->in_header) return syntax_at(a, &a->token, ".cursor stands after lane, .inner or .cursor");
    if (lane->n_cursors == TIRBI_MAX_CURSORS) {
        return syntax_at(a, &a->token, "more than %d cursors", TIRBI_MAX_CURSORS);
    }
    tirbi_cursor *cursor = &lane->cursors[lane->n_cursors++];
    TIRBI_TRY(take_u16(a, 'r', &cursor->ref));
    TIRBI_TRY(take_type(a, &cursor->type));
    TIRBI_TRY(take_choice(a, accesses, "read, write or readwrite", &cursor->access));
    cursor->access++;
    TIRBI_TRY(take_int(a, 0, UINT8_MAX, &number));
    cursor->level = (uint8_t)number;
    TIRBI_TRY(take_x(a, &cursor->start));
    TIRBI_TRY(take_x(a, &cursor->step));
    for (unsigned k = 0; k < lane->n_inner; k++) TIRBI_TRY(take_x(a, &cursor->steps[k]));
    return TIRB_OK;
}

/* ---- Functions ------------------------------------------------------------------------------------------------ */

static tirb_status begin_function(assembler *a) {
    bool taken;
    a->function = (tirbi_function){.return_type = TIRB_TYPE_NONE};
    a->in_function = true;
    tirbi_writer *lists[] = {&a->refs,       &a->reds,  &a->vars,   &a->params, &a->aliases,
                             &a->conditions, &a->lines, &a->fixups, &a->code};
    for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) lists[i]->size = 0;
    tirbi_text_map_clear(&a->labels);
    TIRBI_TRY(take_string(a, &a->function.name));
    TIRBI_TRY(accept(a, "public", &a->function.is_public));
    TIRBI_TRY(accept(a, "region", &a->function.is_region));
    TIRBI_TRY(accept(a, "packed", &a->function.is_packed));
    TIRBI_TRY(accept(a, "returns", &taken));
    a->function.returns = taken;
    return taken ? take_type(a, &a->function.return_type) : TIRB_OK;
}

static tirb_status resolve_labels(assembler *a) {
    for (size_t at = 0; at < a->fixups.size; at += sizeof(fixup)) {
        fixup f;
        uint32_t target;
        memcpy(&f, a->fixups.data + at, sizeof(f));
        if (!tirbi_text_map_find(&a->labels, f.label.text, f.label.size, &target)) {
            return syntax_at(a, &f.label, "there is no label '%.*s'", f.label.size < 40 ? (int)f.label.size : 40,
                             f.label.text);
        }
        tirbi_store_u32(a->code.data + f.at, target);
    }
    return TIRB_OK;
}

static tirb_status end_function(assembler *a) {
    tirbi_function *f = &a->function;
    TIRBI_TRY(resolve_labels(a));
    if (a->refs.failed || a->reds.failed || a->vars.failed || a->params.failed || a->aliases.failed ||
        a->conditions.failed || a->lines.failed) {
        return no_memory(a);
    }
    size_t n_refs = a->refs.size / sizeof(tirbi_ref_type);
    size_t n_reds = a->reds.size / sizeof(tirbi_red_type);
    size_t n_vars = a->vars.size / sizeof(tirbi_var);
    size_t n_params = a->params.size / sizeof(tirbi_param);
    size_t n_aliases = a->aliases.size / sizeof(tirbi_alias);
    size_t n_conditions = a->conditions.size / sizeof(tirbi_condition);
    if (n_refs > UINT16_MAX || n_reds > UINT8_MAX || n_vars > UINT16_MAX || n_params > UINT16_MAX ||
        n_aliases > UINT16_MAX || n_conditions > UINT16_MAX) {
        return syntax_at(a, &a->token,
                         "the function has too many registers, variables, parameters, aliases or conditions");
    }
    f->n_refs = (uint16_t)n_refs;
    f->n_reds = (uint8_t)n_reds;
    f->n_vars = (uint16_t)n_vars;
    f->n_params = (uint16_t)n_params;
    f->n_aliases = (uint16_t)n_aliases;
    f->n_conditions = (uint16_t)n_conditions;
    f->n_lines = (uint32_t)(a->lines.size / sizeof(tirbi_line));
    f->code_size = (uint32_t)a->code.size;
    f->refs = keep(a, &a->refs);
    f->reds = keep(a, &a->reds);
    f->vars = keep(a, &a->vars);
    f->params = keep(a, &a->params);
    f->aliases = keep(a, &a->aliases);
    f->conditions = keep(a, &a->conditions);
    f->lines = keep(a, &a->lines);
    f->code = keep(a, &a->code);
    tirbi_write_bytes(&a->functions, f, sizeof(*f));
    a->in_function = false;
    return a->functions.failed || a->arena->failed ? no_memory(a) : TIRB_OK;
}

/* A label, if the word in hand and a colon make one. */
static tirb_status parse_label(assembler *a, bool *taken) {
    token label = a->token;
    size_t at = a->at;
    TIRBI_TRY(next(a));
    *taken = is_punctuation(a, ':');
    if (!*taken) {
        a->at = at;
        a->token = label;
        return TIRB_OK;
    }
    uint32_t known;
    if (tirbi_text_map_find(&a->labels, label.text, label.size, &known)) {
        return syntax_at(a, &label, "the label '%.*s' stands twice", label.size < 40 ? (int)label.size : 40,
                         label.text);
    }
    if (!tirbi_text_map_add(&a->labels, label.text, label.size, (uint32_t)a->code.size)) return no_memory(a);
    return next(a);
}

/* ---- Lines ---------------------------------------------------------------------------------------------------- */

static tirb_status parse_count(assembler *a) {
    bool lanes = is(a, ".lanes");
    int64_t number = 0;
    TIRBI_TRY(next(a));
    TIRBI_TRY(take_int(a, 0, lanes ? UINT8_MAX : UINT16_MAX, &number));
    if (lanes) {
        a->function.n_lane_regs = (uint8_t)number;
    } else {
        a->function.n_sregs = (uint16_t)number;
    }
    return TIRB_OK;
}

typedef tirb_status (*directive)(assembler *a);

static tirb_status parse_function_line(assembler *a) {
    static const struct {
        const char *word;
        directive parse;
    } directives[] = {{".ref", parse_ref},           {".red", parse_red},       {".var", parse_var},
                      {".tensor", parse_tensor},     {".scalar", parse_scalar}, {".alias", parse_alias},
                      {".requires", parse_requires}, {".line", parse_line},     {".inner", parse_inner},
                      {".cursor", parse_cursor},     {".end", end_function}};
    bool continues = is(a, ".inner") || is(a, ".cursor");
    if (a->in_header && !continues) {
        a->in_header = false;
        TIRBI_TRY(emit(a, &a->end_label));
    }
    if (is(a, ".scalars") || is(a, ".lanes")) return parse_count(a);
    for (unsigned i = 0; i < sizeof(directives) / sizeof(directives[0]); i++) {
        if (is(a, directives[i].word)) {
            TIRBI_TRY(next(a));
            return directives[i].parse(a);
        }
    }
    bool labelled = true;
    while (labelled && a->token.kind == TOKEN_WORD) TIRBI_TRY(parse_label(a, &labelled));
    return a->token.kind == TOKEN_WORD ? parse_instr(a) : TIRB_OK;
}

static tirb_status parse_constant(assembler *a) {
    tirbi_constant constant = {0};
    TIRBI_TRY(take_type(a, &constant.dtype));
    if (a->constants.size / sizeof(constant) == UINT16_MAX)
        return syntax_at(a, &a->token, "more than %d constants", UINT16_MAX);
    tirbi_write_bytes(&a->constants, &constant, sizeof(constant));
    return a->constants.failed ? no_memory(a) : TIRB_OK;
}

static tirb_status parse_data(assembler *a) {
    const token *t = &a->token;
    if (a->constants.size == 0) return syntax_at(a, t, "there is no .constant before its .data");
    tirbi_constant *last = (tirbi_constant *)(void *)(a->constants.data + a->constants.size) - 1;
    if (t->kind != TOKEN_WORD || t->size % 2 != 0) return expected(a, "pairs of hexadecimal digits");
    for (size_t i = 0; i < t->size; i += 2) {
        const int high = hex_digit(t->text[i]), low = hex_digit(t->text[i + 1]);
        if (high < 0 || low < 0) return expected(a, "pairs of hexadecimal digits");
        tirbi_write_u8(&a->data, (uint8_t)(high * 16 + low));
    }
    last->size += t->size / 2;
    return a->data.failed ? no_memory(a) : next(a);
}

/* Constants in the arena, each with its bytes. */
static const tirbi_constant *keep_constants(assembler *a, size_t n) {
    const uint8_t *bytes = keep(a, &a->data);
    tirbi_constant *kept = TIRBI_NEW_ARRAY(a->arena, tirbi_constant, n);
    if (!bytes || !kept || n == 0) return NULL;
    memcpy(kept, a->constants.data, a->constants.size);
    for (size_t i = 0; i < n; i++) {
        kept[i].bytes = bytes;
        bytes += kept[i].size;
    }
    return kept;
}

static tirb_status parse_module_line(assembler *a) {
    static const char *const fp_modes[] = {"precise", "strict", "fast", NULL};
    if (is(a, ".fp")) {
        TIRBI_TRY(next(a));
        return take_choice(a, fp_modes, "precise, strict or fast", &a->program->fp_mode);
    }
    if (is(a, ".source")) {
        TIRBI_TRY(next(a));
        return take_string(a, &a->program->source_file);
    }
    if (is(a, ".string")) {
        TIRBI_TRY(next(a));
        tirbi_string s;
        uint16_t number;
        if (a->token.kind != TOKEN_STRING) return expected(a, "a string");
        TIRBI_TRY(unescape(a, &s));
        TIRBI_TRY(append_string(a, &s, &number));
        return next(a);
    }
    if (is(a, ".import")) {
        TIRBI_TRY(next(a));
        return parse_import(a);
    }
    if (is(a, ".constant") || is(a, ".data")) {
        const bool begins = is(a, ".constant");
        TIRBI_TRY(next(a));
        return begins ? parse_constant(a) : parse_data(a);
    }
    if (is(a, ".function")) {
        TIRBI_TRY(next(a));
        return begin_function(a);
    }
    return expected(a, ".fp, .source, .string, .import, .constant, .data or .function");
}

static tirb_status parse_lines(assembler *a) {
    rewind_text(a);
    do {
        TIRBI_TRY(next(a));
        if (a->token.kind == TOKEN_END_OF_LINE) continue;
        TIRBI_TRY(a->in_function ? parse_function_line(a) : parse_module_line(a));
        if (a->token.kind != TOKEN_END_OF_LINE) return expected(a, "the end of the line");
    } while (next_line(a));
    if (a->in_function) return syntax_at(a, &a->token, "the function has no .end");
    return TIRB_OK;
}

/* Numbers the functions, so that calls may name later ones. */
static tirb_status find_functions(assembler *a) {
    uint32_t n = 0;
    rewind_text(a);
    do {
        TIRBI_TRY(next(a));
        if (!is(a, ".function")) continue;
        TIRBI_TRY(next(a));
        if (n > UINT16_MAX - 1) return syntax_at(a, &a->token, "more than %d functions", UINT16_MAX);
        tirbi_string name;
        if (a->token.kind == TOKEN_STRING) {
            TIRBI_TRY(unescape(a, &name));
            if (!tirbi_text_map_add(&a->function_numbers, name.text, name.size, n)) return no_memory(a);
        }
        n++;
    } while (next_line(a));
    return TIRB_OK;
}

static tirb_status assemble(assembler *a) {
    if (a->size > UINT32_MAX) return tirbi_error_set(a->error, TIRB_SYNTAX, "a text of more than 4 GiB");
    a->program = TIRBI_NEW(a->arena, tirbi_program);
    if (!a->program) return no_memory(a);
    a->program->source_file = TIRBI_NO_STRING;
    TIRBI_TRY(find_functions(a));
    TIRBI_TRY(parse_lines(a));
    a->program->n_functions = (uint16_t)(a->functions.size / sizeof(tirbi_function));
    a->program->n_strings = (uint16_t)(a->strings.size / sizeof(tirbi_string));
    a->program->n_imports = (uint16_t)(a->imports.size / sizeof(tirbi_import));
    a->program->n_constants = (uint16_t)(a->constants.size / sizeof(tirbi_constant));
    a->program->constants = keep_constants(a, a->program->n_constants);
    a->program->functions = keep(a, &a->functions);
    a->program->are_called = TIRBI_NEW_ARRAY(a->arena, bool, a->program->n_functions);
    a->program->imports = keep(a, &a->imports);
    a->program->strings = keep(a, &a->strings);
    return a->arena->failed ? no_memory(a) : TIRB_OK;
}

tirb_status tirbi_assemble(const char *text, size_t size, tirbi_arena *arena, tirbi_program **out, tirb_error *error) {
    assembler a = {.text = text, .size = size, .heap = arena->heap, .arena = arena, .error = error};
    tirbi_writer *lists[] = {&a.strings, &a.imports, &a.functions,  &a.refs,  &a.reds,   &a.vars,
                             &a.params,  &a.aliases, &a.conditions, &a.lines, &a.fixups, &a.code,
                             &a.constants, &a.data};
    tirbi_text_map *maps[] = {&a.string_numbers, &a.function_numbers, &a.labels};
    enum { N_LISTS = sizeof(lists) / sizeof(lists[0]), N_MAPS = sizeof(maps) / sizeof(maps[0]) };
    for (unsigned i = 0; i < N_LISTS; i++) tirbi_writer_init(lists[i], a.heap);
    for (unsigned i = 0; i < N_MAPS; i++) tirbi_text_map_init(maps[i], a.heap);
    tirb_status status = assemble(&a);
    for (unsigned i = 0; i < N_LISTS; i++) tirbi_writer_destroy(lists[i]);
    for (unsigned i = 0; i < N_MAPS; i++) tirbi_text_map_destroy(maps[i]);
    if (status == TIRB_OK) *out = a.program;
    return status;
}
