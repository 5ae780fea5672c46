#include "compiler/tc/lexer.h"

#include <float.h>
#include <string.h>

#include "compiler/ir/builder.h"
#include "compiler/text/syntax/decimal.h"

typedef struct lexer {
    const char *text;
    uint32_t at, end;
    tirbi_names names;
    tirbi_arena *arena;
    tirbi_diagnostics *diagnostics;
    tirbi_list tokens;
    tirbi_list comments;
    tirbi_list open; /* of uint32_t: the numbers of the brackets that are not closed yet */
    bool begins_line;
} lexer;

/* ---- Tables ----------------------------------------------------------------------------------------------------- */

static const char *const token_texts[TIRBI_TC_N_TOKENS] = {
    "the end of the text", "a name", "an integer", "a number", "a dimension", "a type", "this",
#define TIRBI_TC_PUNCT(name, text)   "'" text "'",
#define TIRBI_TC_KEYWORD(name, text) "'" text "'",
#include "compiler/tc/token.def"
};

const char *tirbi_tc_token_text(tirbi_tc_token_kind kind) { return token_texts[kind]; }

typedef struct word {
    const char *text;
    tirbi_tc_token_kind kind;
} word;

static const word punctuation[] = {
#define TIRBI_TC_PUNCT(name, text) {text, TIRBI_TC_TOKEN_##name},
#include "compiler/tc/token.def"
};

static const word keywords[] = {
#define TIRBI_TC_KEYWORD(name, text) {text, TIRBI_TC_TOKEN_##name},
#include "compiler/tc/token.def"
};

typedef struct type_name {
    const char *text;
    tirb_datatype type;
} type_name;

static const type_name types[] = {
#define TIRBI_TC_TYPE(text, code, bits) {text, {code, bits, 1, false}},
#include "compiler/tc/token.def"
};

static const type_name aliases[] = {
#define TIRBI_TC_ALIAS(text, code, bits) {text, {code, bits, 1, false}},
#include "compiler/tc/token.def"
};

static const tirbi_tc_builtin builtins[] = {
#define TIRBI_TC_BUILTIN(name, arity, builtin) {name, arity, TIRB_BUILTIN_##builtin},
#include "compiler/tc/builtins.def"
#undef TIRBI_TC_BUILTIN
};

bool tirbi_tc_alias(const char *name, tirb_datatype *out) {
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (strcmp(aliases[i].text, name) != 0) continue;
        *out = aliases[i].type;
        return true;
    }
    return false;
}

const tirbi_tc_builtin *tirbi_tc_builtin_at(uint32_t index) {
    return index < sizeof builtins / sizeof *builtins ? &builtins[index] : NULL;
}

const tirbi_tc_builtin *tirbi_tc_find_builtin(const char *name) {
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (strcmp(builtins[i].name, name) == 0) return &builtins[i];
    return NULL;
}

/* ---- Helpers ---------------------------------------------------------------------------------------------------- */

static char peek(const lexer *l, uint32_t ahead) { return ahead < l->end - l->at ? l->text[l->at + ahead] : 0; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

static bool starts_with(const lexer *l, const char *text) {
    size_t length = strlen(text);
    return l->end - l->at >= length && memcmp(l->text + l->at, text, length) == 0;
}

static tirbi_tc_token *add_token(lexer *l, tirbi_tc_token_kind kind, uint32_t begin) {
    if (!tirbi_arena_work(l->arena, 1)) return NULL;
    tirbi_tc_token *token = TIRBI_LIST_ADD(l->arena, &l->tokens, tirbi_tc_token);
    if (!token) return NULL;
    *token = (tirbi_tc_token){.kind = kind, .span = {begin, l->at}, .begins_line = l->begins_line};
    l->begins_line = false;
    return token;
}

static void bad_token(lexer *l, uint32_t begin, const char *message) {
    tirbi_report_error(l->diagnostics, TIRB_SYNTAX, (tirbi_span){begin, l->at}, "%s", message);
    add_token(l, TIRBI_TC_TOKEN_BAD, begin);
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

static void read_digits(lexer *l) {
    while (is_digit(peek(l, 0))) l->at++;
}

/* False: it is more than 64 bits hold. */
static bool integer_value(const lexer *l, uint32_t begin, int64_t *out) {
    int64_t value = 0;
    for (uint32_t i = begin; i < l->at; i++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, l->text[i] - '0', &value))
            return false;
    *out = value;
    return true;
}

static void read_integer(lexer *l, uint32_t begin, tirbi_tc_token_kind kind, uint32_t first) {
    int64_t value;
    if (l->at - first > 1 && l->text[first] == '0') {
        bad_token(l, begin, "a decimal integer does not begin with 0");
    } else if (!integer_value(l, first, &value)) {
        bad_token(l, begin, "this integer does not fit int64");
    } else {
        tirbi_tc_token *token = add_token(l, kind, begin);
        if (token) token->value.integer = value;
    }
}

static void read_number(lexer *l) {
    uint32_t begin = l->at;
    bool real = false;
    read_digits(l);
    if (peek(l, 0) == '.' && peek(l, 1) != '.') {
        real = true;
        l->at++;
        read_digits(l);
    }
    uint32_t sign = peek(l, 1) == '+' || peek(l, 1) == '-';
    if ((peek(l, 0) == 'e' || peek(l, 0) == 'E') && is_digit(peek(l, 1 + sign))) {
        real = true;
        l->at += 1 + sign;
        read_digits(l);
    }
    if (is_name_part(peek(l, 0))) {
        bool hex = (peek(l, 0) == 'x' || peek(l, 0) == 'X') && l->at == begin + 1 && l->text[begin] == '0';
        while (is_name_part(peek(l, 0))) l->at++;
        bad_token(l, begin,
                  hex ? "numbers are decimal: hexadecimal ones are not part of the language" : "this is not a number");
    } else if (real) {
        double value = tirbi_decimal_to_double(l->text + begin, l->at - begin);
        if (value > DBL_MAX) {
            bad_token(l, begin, "this number does not fit float64");
            return;
        }
        tirbi_tc_token *token = add_token(l, TIRBI_TC_TOKEN_FLOAT, begin);
        if (token) token->value.real = value;
    } else {
        read_integer(l, begin, TIRBI_TC_TOKEN_INT, begin);
    }
}

/* `.2` right behind a name. */
static void read_dim(lexer *l) {
    uint32_t begin = l->at++;
    read_digits(l);
    if (is_name_part(peek(l, 0)) || (peek(l, 0) == '.' && is_digit(peek(l, 1)))) {
        while (is_name_part(peek(l, 0)) || peek(l, 0) == '.') l->at++;
        bad_token(l, begin, "the number of a dimension is an integer, `T.0`");
    } else {
        read_integer(l, begin, TIRBI_TC_TOKEN_DIM, begin + 1);
    }
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

/* What the original's strtod reads as a number. */
static bool is_odd_number(const char *text, uint32_t size) {
    static const char *const words[] = {"inf", "infinity", "nan"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) != size) continue;
        uint32_t at = 0;
        while (at < size && (text[at] | 0x20) == words[i][at]) at++;
        if (at == size) return true;
    }
    return false;
}

static void read_name(lexer *l) {
    uint32_t begin = l->at;
    while (is_name_part(peek(l, 0))) l->at++;
    const char *text = l->text + begin;
    uint32_t size = l->at - begin;
    if (is_odd_number(text, size)) {
        bad_token(l, begin, "infinity and NaN have no literals");
        return;
    }
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (strlen(keywords[i].text) != size || memcmp(keywords[i].text, text, size) != 0) continue;
        add_token(l, keywords[i].kind, begin);
        return;
    }
    const char *name = tirbi_intern(&l->names, text, size);
    if (!name) return;
    tirbi_tc_token *token = add_token(l, TIRBI_TC_TOKEN_NAME, begin);
    if (!token) return;
    token->text = name;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].text, name) != 0) continue;
        token->kind = TIRBI_TC_TOKEN_TYPE;
        token->value.dtype = types[i].type;
    }
    if (token->kind == TIRBI_TC_TOKEN_NAME && peek(l, 0) == '.' && is_digit(peek(l, 1))) read_dim(l);
}

/* ---- Everything else -------------------------------------------------------------------------------------------- */

/* A round bracket ends where a brace is: what is never closed costs its own statements alone. */
static void match_brackets(lexer *l, tirbi_tc_token_kind kind) {
    uint32_t number = l->tokens.n - 1;
    tirbi_tc_token *tokens = l->tokens.items;
    const uint32_t *open = l->open.items;
    if (kind == TIRBI_TC_TOKEN_LPAREN) {
        uint32_t *slot = TIRBI_LIST_ADD(l->arena, &l->open, uint32_t);
        if (slot) *slot = number;
    } else if (kind == TIRBI_TC_TOKEN_RPAREN && l->open.n > 0) {
        tokens[open[--l->open.n]].value.partner = number;
    } else if (kind == TIRBI_TC_TOKEN_LBRACE || kind == TIRBI_TC_TOKEN_RBRACE) {
        l->open.n = 0;
    }
}

static void read_punctuation(lexer *l) {
    uint32_t begin = l->at;
    for (size_t i = 0; i < sizeof punctuation / sizeof *punctuation; i++) {
        if (!starts_with(l, punctuation[i].text)) continue;
        l->at += (uint32_t)strlen(punctuation[i].text);
        if (add_token(l, punctuation[i].kind, begin)) match_brackets(l, punctuation[i].kind);
        return;
    }
    do l->at++;
    while (l->at < l->end && ((unsigned char)l->text[l->at] & 0xC0) == 0x80);
    char c = l->text[begin];
    bad_token(l, begin,
              c == '[' || c == ']'   ? "subscripts stand in round brackets, A(i, j)"
              : c == ';'             ? "nothing stands between statements, also no ';'"
              : c == '&' || c == '|' ? "the operators are '&&' and '||'"
                                     : "this character is not part of the language");
}

static void read_comment(lexer *l) {
    uint32_t begin = l->at;
    while (l->at < l->end && peek(l, 0) != '\n' && peek(l, 0) != '\r') l->at++;
    tirbi_tc_comment *comment = TIRBI_LIST_ADD(l->arena, &l->comments, tirbi_tc_comment);
    if (!comment) return;
    comment->span = (tirbi_span){begin, l->at};
    comment->is_alone = l->begins_line;
}

/* `min=` is a sign, not the word `min`. */
static bool at_min_assign(const lexer *l) {
    return (starts_with(l, "min=") || starts_with(l, "max=")) && peek(l, 4) != '=';
}

static void read_token(lexer *l) {
    char c = peek(l, 0);
    if (c == '\n' || c == '\r') {
        l->at++;
        l->begins_line = true;
    } else if (c == ' ' || c == '\t' || c == '\v' || c == '\f') {
        l->at++;
    } else if (c == '#') {
        read_comment(l);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(l, 1)))) {
        read_number(l);
    } else if (is_name_start(c) && !at_min_assign(l)) {
        read_name(l);
    } else {
        read_punctuation(l);
    }
}

bool tirbi_tc_lex(const tirbi_source *source, tirbi_arena *arena, tirbi_diagnostics *diagnostics,
                  tirbi_tc_tokens *out) {
    lexer l = {.text = source->text,
               .end = source->size,
               .names = {.arena = arena},
               .arena = arena,
               .diagnostics = diagnostics,
               .begins_line = true};
    uint32_t bad = tirbi_find_bad_utf8(l.text, 0, l.end);
    if (bad < l.end) {
        tirbi_report_error(diagnostics, TIRB_SYNTAX, (tirbi_span){bad, bad + 1}, "the text is not UTF-8: byte 0x%02x",
                           (unsigned char)l.text[bad]);
        l.end = 0;
    }
    if (starts_with(&l, "\xEF\xBB\xBF")) l.at += 3;
    while (l.at < l.end && !arena->failed) read_token(&l);
    add_token(&l, TIRBI_TC_TOKEN_END, l.at);
    *out = (tirbi_tc_tokens){
        .items = l.tokens.items, .n = l.tokens.n, .comments = l.comments.items, .n_comments = l.comments.n};
    return !arena->failed;
}
