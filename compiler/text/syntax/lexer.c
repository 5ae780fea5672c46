#include "compiler/text/syntax/lexer.h"

#include <stdio.h>
#include <string.h>

#include "compiler/text/syntax/decimal.h"

enum { MAX_INDENTS = 100, MAX_BRACKETS = 200, TAB_WIDTH = 8 };

typedef struct lexer {
    const tirbi_source *source;
    const char *text;
    uint32_t at, end;
    tirbi_names *names;
    tirbi_arena *arena;
    tirbi_diagnostics *diagnostics;
    tirbi_list tokens;
    tirbi_list broken; /* of tirbi_span */
    uint32_t indents[MAX_INDENTS];
    uint32_t n_indents;
    uint32_t brackets[MAX_BRACKETS]; /* where each open bracket is */
    uint32_t n_brackets;
    bool nested;     /* an expression inside a string: no lines, no indentation */
    uint64_t wasted; /* bytes of f-strings that were read to no end */
    tirbi_dialect comment_dialect;
} lexer;

/* ---- Helpers ---------------------------------------------------------------------------------------------------- */

static const char *const token_texts[TIRBI_N_TOKENS] = {
    "the end of the text",
    "the end of the line",
    "an indented line",
    "the end of a block",
    "a name",
    "an integer",
    "a number",
    "a string",
    "an f-string",
    "this",
#define TIRBI_PUNCT(name, text) "'" text "'",
#include "compiler/text/syntax/token.def"
#undef TIRBI_PUNCT
#define TIRBI_KEYWORD(name, text) "'" text "'",
#include "compiler/text/syntax/keyword.def"
#undef TIRBI_KEYWORD
};

const char *tirbi_token_text(tirbi_token_kind kind) { return token_texts[kind]; }

static const struct {
    const char *text;
    tirbi_token_kind kind;
} keywords[] = {
#define TIRBI_KEYWORD(name, text) {text, TIRBI_KEYWORD_##name},
#include "compiler/text/syntax/keyword.def"
#undef TIRBI_KEYWORD
};

static const char *const punctuation[] = {
#define TIRBI_PUNCT(name, text) text,
#include "compiler/text/syntax/token.def"
#undef TIRBI_PUNCT
};

static char peek(const lexer *l, uint32_t ahead) { return ahead < l->end - l->at ? l->text[l->at + ahead] : 0; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || ((unsigned char)c & 0x80);
}
static bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

static int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

/* There are more tokens than anything else: a list that is long already moves as it grows. */
static tirbi_token *new_token(lexer *l) {
    enum { LONG = 1024 }; /* a length that lists have before they grow */
    tirbi_list *list = &l->tokens;
    if (!tirbi_arena_work(l->arena, 1)) return NULL;
    if (list->n < LONG || list->n < list->capacity) return TIRBI_LIST_ADD(l->arena, list, tirbi_token);
    const bool first = list->n == LONG;
    const uint32_t capacity = list->n + list->n / 2; /* of 2 GiB of text at most */
    tirbi_token *items =
        tirbi_arena_extend(l->arena, first ? NULL : list->items, first ? 0 : list->n, capacity, sizeof(tirbi_token));
    if (!items) return NULL;
    if (first) memcpy(items, list->items, LONG * sizeof(tirbi_token));
    list->items = items;
    list->capacity = capacity;
    return &items[list->n++];
}

static tirbi_token *add_token(lexer *l, tirbi_token_kind kind, uint32_t begin) {
    tirbi_token *token = new_token(l);
    if (!token) return NULL;
    token->kind = kind;
    token->span = (tirbi_span){begin, l->at};
    return token;
}

static void bad_token(lexer *l, uint32_t begin, const char *message) {
    tirbi_report_error(l->diagnostics, TIRB_SYNTAX, (tirbi_span){begin, l->at}, "%s", message);
    add_token(l, TIRBI_TOKEN_BAD, begin);
}

/* What is right in Python but no part of the language is only an error where it is parsed. */
static void foreign_token(lexer *l, uint32_t begin, const char *message) {
    tirbi_token *token = add_token(l, TIRBI_TOKEN_BAD, begin);
    if (token) token->as.text = message;
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

static void read_digits(lexer *l, int base) {
    while (hex_value(peek(l, 0)) < base || (peek(l, 0) == '_' && hex_value(peek(l, 1)) < base)) l->at++;
}

static void read_integer(lexer *l, uint32_t begin, uint32_t first, uint64_t base) {
    uint64_t value = 0;
    bool overflow = false;
    for (uint32_t i = first; i < l->at; i++) {
        if (l->text[i] == '_') continue;
        overflow |= __builtin_mul_overflow(value, base, &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)hex_value(l->text[i]), &value);
    }
    if (overflow) {
        foreign_token(l, begin, "this integer does not fit 64 bits");
        return;
    }
    tirbi_token *token = add_token(l, TIRBI_TOKEN_INT, begin);
    if (token) token->as.integer = value;
}

/* 1.0f, 10UL: letters from there to where the lexer is. */
static bool is_suffix_of_c(const lexer *l, uint32_t letters) {
    if (l->at == letters || l->at - letters > 3) return false;
    for (uint32_t i = letters; i < l->at; i++)
        if (!strchr("fFlLuU", l->text[i])) return false;
    return true;
}

static void read_number(lexer *l) {
    uint32_t begin = l->at;
    int base = 10;
    if (peek(l, 0) == '0' && peek(l, 1)) {
        char c = (char)(peek(l, 1) | 0x20);
        base = c == 'x' ? 16 : c == 'b' ? 2 : c == 'o' ? 8 : 10;
        if (base != 10) l->at += 2;
    }
    uint32_t first = l->at;
    if (base != 10 && peek(l, 0) == '_') l->at++;
    read_digits(l, base);
    bool real = false;
    if (base == 10) {
        if (peek(l, 0) == '.') {
            real = true;
            l->at++;
            read_digits(l, 10);
        }
        uint32_t sign = peek(l, 1) == '+' || peek(l, 1) == '-';
        if ((peek(l, 0) == 'e' || peek(l, 0) == 'E') && is_digit(peek(l, 1 + sign))) {
            real = true;
            l->at += 1 + sign;
            read_digits(l, 10);
        }
    }
    if (is_name_part(peek(l, 0)) || l->at == first) {
        bool imaginary = peek(l, 0) == 'j' || peek(l, 0) == 'J';
        const uint32_t letters = l->at;
        while (is_name_part(peek(l, 0))) l->at++;
        foreign_token(l, begin,
                      imaginary ? "imaginary numbers are not part of the language"
                      : is_suffix_of_c(l, letters)
                          ? "a number has no letters behind it; write 1, 1.0, or T.float32(1.0) for its type"
                          : "this is not a number; a product is written with `*`");
    } else if (real) {
        double value = tirbi_decimal_to_double(l->text + begin, l->at - begin);
        tirbi_token *token = add_token(l, TIRBI_TOKEN_FLOAT, begin);
        if (token) token->as.real = value;
    } else if (base == 10 && l->at - begin > 1 && l->text[begin] == '0' &&
               strspn(l->text + begin, "0_") < l->at - begin) {
        bad_token(l, begin, "a decimal integer does not begin with 0");
    } else {
        read_integer(l, begin, first, (uint64_t)base);
    }
}

/* ---- Strings ---------------------------------------------------------------------------------------------------- */

typedef struct string_prefix {
    uint32_t length;
    bool raw, bytes, format;
} string_prefix;

static bool read_prefix(const lexer *l, string_prefix *out) {
    *out = (string_prefix){.length = 0};
    for (; out->length < 3; out->length++) {
        char c = peek(l, out->length);
        if (c == '"' || c == '\'') return true;
        c = (char)(c | 0x20);
        if (c == 'r')
            out->raw = true;
        else if (c == 'b')
            out->bytes = true;
        else if (c == 'f')
            out->format = true;
        else if (c != 'u')
            return false;
    }
    return false;
}

static uint32_t put_utf8(char *out, uint32_t c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    uint32_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (uint32_t i = n - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((0xF0U << (4 - n)) | c);
    return n;
}

/* The character of an escape with `digits` hexadecimal digits; false if it is none. */
static bool read_hex_escape(lexer *l, uint32_t digits, uint32_t *out) {
    uint32_t c = 0;
    for (uint32_t i = 0; i < digits; i++) {
        int value = hex_value(peek(l, i));
        if (value > 15) return false;
        c = c * 16 + (uint32_t)value;
    }
    if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return false;
    l->at += digits;
    *out = c;
    return true;
}

/* Reads what follows a backslash into out (which has room for 4 bytes); returns its size or -1. */
static int read_escape(lexer *l, char *out) {
    static const char plain[] = "\\\\''\"\"a\ab\bf\fn\nr\rt\tv\v";
    char c = peek(l, 0);
    uint32_t value = 0;
    if (c == '\n') {
        l->at++;
        return 0;
    }
    for (const char *p = plain; *p; p += 2) {
        if (*p != c) continue;
        l->at++;
        out[0] = p[1];
        return 1;
    }
    if (c >= '0' && c <= '7') {
        for (int i = 0; i < 3 && peek(l, 0) >= '0' && peek(l, 0) <= '7'; i++)
            value = value * 8 + (uint32_t)(l->text[l->at++] - '0');
        return (int)put_utf8(out, value);
    }
    if (c == 'x' || c == 'u' || c == 'U') {
        l->at++;
        if (!read_hex_escape(l, c == 'x' ? 2 : c == 'u' ? 4 : 8, &value)) return -1;
        return (int)put_utf8(out, value);
    }
    if (c == 'N') return -1;
    out[0] = '\\';
    return 1;
}

static bool closes_at(const lexer *l, uint32_t ahead, char quote, uint32_t quotes) {
    return peek(l, ahead) == quote && (quotes == 1 || (peek(l, ahead + 1) == quote && peek(l, ahead + 2) == quote));
}

/* The bytes from here to the closing quotes, or to where the string must have ended. */
static uint32_t string_length(const lexer *l, char quote, uint32_t quotes) {
    for (uint32_t i = 0;; i++) {
        char c = peek(l, i);
        if (i >= l->end - l->at || (c == '\n' && quotes == 1)) return i;
        if (c == '\\') i++;
        if (closes_at(l, i, quote, quotes)) return i;
    }
}

/* The same for an f-string, whose expressions may hold strings in the same quotes, and lines, since Python 3.12: what
 * is open there is a stack of strings, expressions and formats. UINT32_MAX where it does not end. */
static uint32_t nested_length(const lexer *l, char quote, uint32_t quotes) {
    enum { MAX_OPEN = 16 };
    struct {
        char quote; /* 0: an expression */
        uint32_t quotes, brackets;
        bool format, is_format; /* of a string: an f-string; of an expression: behind its ':' */
    } open[MAX_OPEN] = {{.quote = quote, .quotes = quotes, .format = true}};
    uint32_t n = 1, size = l->end - l->at;
    for (uint32_t i = 0; i < size; i++) {
        char c = peek(l, i), next = peek(l, i + 1);
        bool text = open[n - 1].quote || open[n - 1].is_format;
        if (open[n - 1].quote && closes_at(l, i, open[n - 1].quote, open[n - 1].quotes)) {
            if (--n == 0) return i;
            i += open[n].quotes - 1;
        } else if (open[n - 1].quote && (c == '\\' || (c == '{' && next == '{'))) {
            i++;
        } else if (open[n - 1].quote && c == '\n' && open[n - 1].quotes == 1) {
            return UINT32_MAX;
        } else if (text && c == '{' && (open[n - 1].format || open[n - 1].is_format)) {
            if (n == MAX_OPEN) return UINT32_MAX;
            memset(&open[n++], 0, sizeof open[0]);
        } else if (!text && (c == '\'' || c == '"')) {
            if (n == MAX_OPEN) return UINT32_MAX;
            bool three = next == c && peek(l, i + 2) == c;
            char before = i > 0 ? (char)(peek(l, i - 1) | 0x20) : 0, ahead = i > 1 ? (char)(peek(l, i - 2) | 0x20) : 0;
            open[n].quote = c;
            open[n].quotes = three ? 3 : 1;
            open[n++].format = before == 'f' || (before == 'r' && ahead == 'f');
            i += three ? 2 : 0;
        } else if (!open[n - 1].quote && c == '}' && open[n - 1].brackets == 0) {
            n--;
        } else if (!text) {
            if (strchr("([{", c) && c) open[n - 1].brackets++;
            if (strchr(")]}", c) && c && open[n - 1].brackets > 0) open[n - 1].brackets--;
            if (c == ':' && open[n - 1].brackets == 0) open[n - 1].is_format = true;
        }
    }
    return UINT32_MAX;
}

/* What does not end is read as before 3.12. What that costs in all is bounded by the text. */
static uint32_t format_length(lexer *l, char quote, uint32_t quotes) {
    uint32_t length = l->wasted < 2 * (uint64_t)l->end ? nested_length(l, quote, quotes) : UINT32_MAX;
    if (length == UINT32_MAX) l->wasted += l->end - l->at;
    return length;
}

static void read_string(lexer *l, string_prefix prefix) {
    uint32_t begin = l->at;
    l->at += prefix.length;
    char quote = peek(l, 0);
    uint32_t quotes = peek(l, 1) == quote && peek(l, 2) == quote ? 3 : 1;
    l->at += quotes;
    uint32_t size = 0;
    bool bad_escape = false, closed = false;
    /* The value is never longer than its text, an escape being at least as long as its UTF-8 form. */
    uint32_t length = prefix.format ? format_length(l, quote, quotes) : UINT32_MAX;
    bool measured = length != UINT32_MAX;
    if (!measured) length = string_length(l, quote, quotes);
    char *value = tirbi_arena_alloc(l->names->arena, length + 8, 1);
    if (!value) return;
    const uint32_t last = l->at + length;
    while (l->at < l->end) {
        char c = peek(l, 0);
        if (measured ? l->at >= last : closes_at(l, 0, quote, quotes)) {
            l->at = (measured ? last : l->at) + quotes;
            closed = true;
            break;
        }
        if (c == '\n' && quotes == 1 && !measured) break;
        l->at++;
        if (c != '\\' || l->at == l->end) {
            value[size++] = c;
        } else if (prefix.raw) {
            value[size++] = c;
            value[size++] = l->text[l->at++];
        } else {
            int n = read_escape(l, value + size);
            bad_escape |= n < 0;
            if (n > 0) size += (uint32_t)n;
        }
    }
    if (!closed) {
        bad_token(l, begin, "the string is not closed");
    } else if (prefix.bytes) {
        foreign_token(l, begin, "byte strings are not part of the language");
    } else if (bad_escape) {
        foreign_token(l, begin, "the string has an escape that is no character");
    } else {
        tirbi_token *token = add_token(l, prefix.format ? TIRBI_TOKEN_FSTRING : TIRBI_TOKEN_STRING, begin);
        if (!token) return;
        token->as.text = value;
        token->size = size;
    }
}

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

static void read_comment(lexer *l) {
    uint32_t begin = l->at;
    while (l->at < l->end && peek(l, 0) != '\n') l->at++;
    static const char prefix[] = "# from tvm.script import tir";
    size_t length = sizeof prefix - 1;
    if (l->at - begin <= length || memcmp(l->text + begin, prefix, length) != 0) return;
    char next = l->text[begin + length];
    if (next == 'x') l->comment_dialect = TIRBI_DIALECT_TIRX;
    if (next == ' ') l->comment_dialect = TIRBI_DIALECT_CLASSIC;
}

/* The width of the white space that a line begins with. Blank lines and comments are skipped. */
static uint32_t read_indent(lexer *l) {
    for (;;) {
        uint32_t width = 0;
        for (; l->at < l->end; l->at++) {
            char c = peek(l, 0);
            if (c == ' ')
                width++;
            else if (c == '\t')
                width = (width / TAB_WIDTH + 1) * TAB_WIDTH;
            else if (c == '\f')
                width = 0;
            else
                break;
        }
        if (peek(l, 0) == '#') read_comment(l);
        if (peek(l, 0) == '\r') l->at++;
        if (l->at >= l->end) return 0;
        if (peek(l, 0) != '\n') return width;
        l->at++;
    }
}

static void change_indent(lexer *l, uint32_t width) {
    uint32_t current = l->indents[l->n_indents - 1];
    if (width > current) {
        if (l->n_indents == MAX_INDENTS) {
            bad_token(l, l->at, "too many levels of indentation");
            return;
        }
        l->indents[l->n_indents++] = width;
        add_token(l, TIRBI_TOKEN_INDENT, l->at);
        return;
    }
    while (l->n_indents > 1 && width < l->indents[l->n_indents - 1]) {
        l->n_indents--;
        add_token(l, TIRBI_TOKEN_DEDENT, l->at);
    }
    if (width != l->indents[l->n_indents - 1])
        tirbi_report_error(l->diagnostics, TIRB_SYNTAX, (tirbi_span){l->at, l->at},
                           "this line's indentation is that of no block around it");
}

static void open_bracket(lexer *l) {
    if (l->n_brackets < MAX_BRACKETS) l->brackets[l->n_brackets] = l->at;
    l->n_brackets++;
}

/* Whether the text goes on with a word. The first byte says so of most. */
static bool goes_on(const lexer *l, const char *word, size_t *length) {
    if (l->at == l->end || l->text[l->at] != word[0]) return false;
    *length = strlen(word);
    return l->end - l->at >= *length && memcmp(l->text + l->at, word, *length) == 0;
}

/* A word that begins a statement and no expression, at the beginning of a line inside brackets: the bracket was never
 * closed. */
static bool begins_statement(const lexer *l) {
    static const char *const words[] = {"def ",    "class ",  "return ", "with ", "while ", "assert ", "pass\n",
                                        "break\n", "import ", "@T.",     "@I.",   "try:",   "raise "};
    size_t length;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (goes_on(l, words[i], &length)) return true;
    return false;
}

static void report_unclosed(lexer *l) {
    uint32_t last = l->n_brackets <= MAX_BRACKETS ? l->n_brackets - 1 : MAX_BRACKETS - 1;
    uint32_t begin = l->brackets[last];
    tirbi_report_error(l->diagnostics, TIRB_SYNTAX, (tirbi_span){begin, begin + 1}, "'%c' is never closed",
                       l->text[begin]);
    add_token(l, TIRBI_TOKEN_BAD, l->at);
    tirbi_span *slot = TIRBI_LIST_ADD(l->arena, &l->broken, tirbi_span);
    if (slot) *slot = (tirbi_span){begin, l->at};
    l->n_brackets = 0;
}

/* At the end of a line: the logical line ends unless brackets are open. */
static void end_line(lexer *l) {
    uint32_t begin = l->at++;
    if (l->nested) return;
    if (l->n_brackets == 0) {
        add_token(l, TIRBI_TOKEN_NEWLINE, begin);
        change_indent(l, read_indent(l));
        return;
    }
    uint32_t width = read_indent(l);
    if (!begins_statement(l)) return;
    report_unclosed(l);
    add_token(l, TIRBI_TOKEN_NEWLINE, begin);
    change_indent(l, width);
}

/* What word processors put in the place of a character, and that character; NULL: it is none of these. */
static const char *typed_for(const lexer *l, size_t *length) {
    static const char *const pairs[][2] = {
        {"\u201c", "\""}, {"\u201d", "\""}, {"\u2018", "'"}, {"\u2019", "'"}, {"\u2212", "-"}, {"\u2013", "-"},
        {"\u2014", "-"},  {"\u00d7", "*"},  {"\u00f7", "/"}, {"\u2264", "<="}, {"\u2265", ">="}, {"\u2260", "!="},
        {"\u00a0", "a space"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        *length = strlen(pairs[i][0]);
        if (l->end - l->at >= *length && memcmp(l->text + l->at, pairs[i][0], *length) == 0) return pairs[i][1];
    }
    return NULL;
}

static bool read_typed_for(lexer *l) {
    size_t length;
    const char *plain = typed_for(l, &length);
    if (!plain) return false;
    const uint32_t begin = l->at;
    char message[80];
    snprintf(message, sizeof message, "this character is not part of the language; write %s", plain);
    l->at += (uint32_t)length;
    bad_token(l, begin, message);
    return true;
}

static void read_name(lexer *l) {
    uint32_t begin = l->at;
    size_t length;
    while (is_name_part(peek(l, 0)) && !(((unsigned char)peek(l, 0) & 0x80) && typed_for(l, &length))) l->at++;
    tirbi_token_kind kind = TIRBI_TOKEN_NAME;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (keywords[i].text[0] == l->text[begin] && strlen(keywords[i].text) == l->at - begin &&
            memcmp(keywords[i].text, l->text + begin, l->at - begin) == 0)
            kind = keywords[i].kind;
    const char *name = tirbi_intern(l->names, l->text + begin, l->at - begin);
    tirbi_token *token = add_token(l, kind, begin);
    if (token) token->as.text = name;
}

static void read_punctuation(lexer *l) {
    uint32_t begin = l->at;
    for (size_t i = 0; i < sizeof punctuation / sizeof *punctuation; i++) {
        size_t length;
        if (!goes_on(l, punctuation[i], &length)) continue;
        char c = punctuation[i][0];
        if (c == '(' || c == '[' || c == '{') open_bracket(l);
        if ((c == ')' || c == ']' || c == '}') && l->n_brackets > 0) l->n_brackets--;
        l->at += (uint32_t)length;
        add_token(l, (tirbi_token_kind)(TIRBI_TOKEN_POWER_ASSIGN + (int)i), begin);
        return;
    }
    l->at++;
    while (l->at < l->end && ((unsigned char)l->text[l->at] & 0xC0) == 0x80) l->at++;
    const char c = l->text[begin];
    bad_token(l, begin,
              c == '!'   ? "this character is not part of the language; write `not`"
              : c == '?' ? "this character is not part of the language; write `x if condition else y`"
              : c == 0   ? "this is a NUL character; the size of a text in C is strlen(text), without the one behind it"
                         : "this character is not part of the language");
}

static void read_token(lexer *l) {
    string_prefix prefix;
    char c = peek(l, 0);
    if (c == ' ' || c == '\t' || c == '\f' || c == '\r') {
        l->at++;
    } else if (c == '\n') {
        end_line(l);
    } else if (c == '#') {
        read_comment(l);
    } else if (c == '\\' && (peek(l, 1) == '\n' || (peek(l, 1) == '\r' && peek(l, 2) == '\n'))) {
        l->at += peek(l, 1) == '\n' ? 2 : 3;
    } else if (is_digit(c) || (c == '.' && is_digit(peek(l, 1)))) {
        read_number(l);
    } else if (read_prefix(l, &prefix)) {
        read_string(l, prefix);
    } else if (is_name_start(c)) {
        if (!(((unsigned char)c & 0x80) && read_typed_for(l))) read_name(l);
    } else {
        read_punctuation(l);
    }
}

bool tirbi_lex(const tirbi_source *source, tirbi_span range, bool in_brackets, tirbi_names *names, tirbi_arena *arena,
               tirbi_diagnostics *diagnostics, tirbi_tokens *out) {
    lexer l = {.source = source,
               .text = source->text,
               .at = range.begin,
               .end = range.end,
               .names = names,
               .arena = arena,
               .diagnostics = diagnostics,
               .n_indents = 1,
               .nested = in_brackets};
    uint32_t bad = tirbi_find_bad_utf8(l.text, l.at, l.end);
    if (bad < l.end) {
        tirbi_report_error(diagnostics, TIRB_SYNTAX, (tirbi_span){bad, bad + 1}, "the text is not UTF-8: byte 0x%02x",
                           (unsigned char)l.text[bad]);
        l.end = l.at;
    }
    if (l.end - l.at >= 3 && memcmp(l.text + l.at, "\xEF\xBB\xBF", 3) == 0) l.at += 3;
    if (!in_brackets) {
        uint32_t width = read_indent(&l);
        if (l.at < l.end && width > 0) l.indents[0] = width;
    }
    while (l.at < l.end && !arena->failed) read_token(&l);
    if (l.n_brackets > 0 && !in_brackets) report_unclosed(&l);
    const tirbi_token *items = l.tokens.items;
    if (!in_brackets && l.tokens.n && items[l.tokens.n - 1].kind != TIRBI_TOKEN_NEWLINE)
        add_token(&l, TIRBI_TOKEN_NEWLINE, l.at);
    for (; l.n_indents > 1; l.n_indents--) add_token(&l, TIRBI_TOKEN_DEDENT, l.at);
    add_token(&l, TIRBI_TOKEN_END, l.at);
    *out = (tirbi_tokens){.items = l.tokens.items,
                          .n = l.tokens.n,
                          .broken = l.broken.items,
                          .n_broken = l.broken.n,
                          .comment_dialect = l.comment_dialect};
    return !arena->failed;
}
