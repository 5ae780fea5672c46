/* f-strings: the pieces of text and the expressions between them. */
#include <string.h>

#include "compiler/text/syntax/parser.h"

typedef struct format_reader {
    tirbi_parser *p;
    const char *text; /* of the source */
    uint32_t at, end;
    bool raw;
    tirbi_list items; /* of tirbi_node * */
    char *piece;      /* the text since the last expression; as long as the string at most */
    uint32_t size, begin;
} format_reader;

static bool add(format_reader *r, tirbi_node *node) {
    if (!node) return false;
    tirbi_node **slot = TIRBI_LIST_ADD(r->p->arena, &r->items, tirbi_node *);
    if (slot) *slot = node;
    return slot != NULL;
}

static bool end_piece(format_reader *r) {
    if (r->size == 0) return true;
    tirbi_node *node = tirbi_make_node(r->p, TIRBI_NODE_STRING, (tirbi_span){r->begin, r->at}, NULL, 0);
    if (!node) return false;
    node->as.string.text = tirbi_arena_text(r->p->arena, r->piece, r->size);
    node->as.string.size = r->size;
    r->size = 0;
    return node->as.string.text && add(r, node);
}

static bool fail(format_reader *r, uint32_t at, const char *message) {
    tirbi_syntax_error(r->p, (tirbi_span){at, at + 1}, "%s", message);
    return false;
}

/* Where an expression ends: at '}', '!' or ':' outside of all brackets and strings; r->end where it does not. */
static uint32_t expression_end(const format_reader *r, uint32_t at) {
    uint32_t depth = 0;
    for (char quote = 0; at < r->end; at++) {
        char c = r->text[at];
        if (quote || c == '\'' || c == '"') {
            if (!quote) quote = c;
            else if (c == quote) quote = 0;
        } else if (strchr("([{", c)) {
            depth++;
        } else if (depth > 0 && strchr(")]}", c)) {
            depth--;
        } else if (depth == 0 && (c == '}' || c == ':' || (c == '!' && (at + 1 == r->end || r->text[at + 1] != '=')))) {
            return at;
        }
    }
    return at;
}

static bool read_pieces(format_reader *r);

/* A format that has expressions itself: a node like that of an f-string. */
static tirbi_node *computed_format(const format_reader *outer, uint32_t begin, uint32_t end) {
    format_reader r = {.p = outer->p, .text = outer->text, .at = begin, .end = end, .raw = true, .begin = begin};
    r.piece = tirbi_arena_alloc(r.p->arena, (size_t)(end - begin) + 1, 1);
    if (!r.piece || !read_pieces(&r)) return NULL;
    return tirbi_make_node(r.p, TIRBI_NODE_FORMAT, (tirbi_span){begin, end}, r.items.items, r.items.n);
}

/* What stands between an expression and its '}': !r, !s or !a and a format, of the node for all of it. */
static tirbi_node *formatted(format_reader *r, tirbi_node *value, uint32_t begin, uint32_t *end) {
    uint32_t at = *end;
    const char *conversion = NULL;
    if (r->text[at] == '!') {
        bool known =
            at + 2 < r->end && strchr("rsa", r->text[at + 1]) && (r->text[at + 2] == '}' || r->text[at + 2] == ':');
        if (!known) {
            fail(r, at, "a conversion in an f-string is !r, !s or !a");
            return NULL;
        }
        conversion = tirbi_intern(r->p->syntax->names, r->text + at + 1, 1);
        at += 2;
    }
    uint32_t format = at + (r->text[at] == ':');
    bool computed = false;
    while (at < r->end && r->text[at] != '}') {
        if (r->text[at] == '\\') {
            fail(r, at, "escapes in the formats of f-strings are not part of the language");
            return NULL;
        }
        if (r->text[at] == '{') {
            computed = true;
            at = expression_end(r, at + 1);
            while (at < r->end && r->text[at] != '}') at++; /* its own conversion and format */
        }
        if (at < r->end) at++;
    }
    if (at >= r->end) {
        fail(r, begin - 1, "the expression in the f-string is not closed");
        return NULL;
    }
    *end = at;
    tirbi_node *parts[2] = {value, computed ? computed_format(r, format, at) : NULL};
    if (computed && !parts[1]) return NULL;
    tirbi_node *node = tirbi_make_node(r->p, TIRBI_NODE_FORMATTED, (tirbi_span){begin, at}, parts, computed ? 2 : 1);
    if (!node) return NULL;
    node->name = conversion;
    node->as.string.text = tirbi_arena_text(r->p->arena, r->text + format, at - format);
    node->as.string.size = at - format;
    return node->as.string.text ? node : NULL;
}

static bool read_expression(format_reader *r) {
    const tirbi_syntax *syntax = r->p->syntax;
    const tirbi_source *source = syntax->diagnostics->source;
    uint32_t begin = r->at + 1, end = expression_end(r, begin);
    tirbi_tokens tokens;
    if (end >= r->end) return fail(r, r->at, "the expression in the f-string is not closed");
    uint32_t errors = syntax->diagnostics->n_errors;
    if (!tirbi_enter(r->p) || !end_piece(r)) return false;
    bool good =
        tirbi_lex(source, (tirbi_span){begin, end}, true, syntax->names, syntax->arena, syntax->diagnostics, &tokens);
    tirbi_node *value =
        good && errors == syntax->diagnostics->n_errors ? tirbi_parse_expression(syntax, &tokens) : NULL;
    if (value && r->text[end] != '}') value = formatted(r, value, begin, &end);
    good = value && add(r, value);
    tirbi_leave(r->p);
    if (!good) r->p->failed = true;
    r->at = end + 1;
    r->begin = r->at;
    return good;
}

static bool read_escape(format_reader *r) {
    static const char known[] = "\\\\''\"\"n\nt\tr\r";
    char c = r->at + 1 < r->end ? r->text[r->at + 1] : 0;
    for (const char *k = known; *k; k += 2) {
        if (*k != c) continue;
        r->piece[r->size++] = k[1];
        r->at += 2;
        return true;
    }
    return fail(r, r->at, "this escape in an f-string is not part of the language");
}

static bool read_pieces(format_reader *r) {
    while (r->at < r->end) {
        char c = r->text[r->at];
        bool doubled = r->at + 1 < r->end && r->text[r->at + 1] == c;
        if (c == '\\' && !r->raw) {
            if (!read_escape(r)) return false;
        } else if (c == '{' && !doubled) {
            if (!read_expression(r)) return false;
        } else if (c == '}' && !doubled) {
            return fail(r, r->at, "a single '}' in an f-string");
        } else {
            r->piece[r->size++] = c;
            r->at += doubled && (c == '{' || c == '}') ? 2 : 1;
        }
    }
    return end_piece(r);
}

tirbi_node *tirbi_format_string(tirbi_parser *p) {
    const tirbi_token *token = tirbi_peek(p);
    const char *text = p->syntax->diagnostics->source->text;
    format_reader r = {.p = p, .text = text, .at = token->span.begin, .end = token->span.end};
    for (; text[r.at] != '"' && text[r.at] != '\''; r.at++) r.raw = r.raw || (text[r.at] | 0x20) == 'r';
    bool triple = r.end - r.at >= 6 && text[r.at + 1] == text[r.at] && text[r.at + 2] == text[r.at];
    r.at += triple ? 3 : 1;
    r.end -= triple ? 3 : 1;
    r.begin = r.at;
    r.piece = tirbi_arena_alloc(p->arena, (size_t)(r.end - r.at) + 1, 1);
    p->at++;
    if (!r.piece || !read_pieces(&r)) return NULL;
    return tirbi_make_node(p, TIRBI_NODE_FORMAT, token->span, r.items.items, r.items.n);
}
