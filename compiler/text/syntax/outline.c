#include "compiler/text/syntax/outline.h"

#include <string.h>

static bool opens(tirbi_token_kind kind) {
    return kind == TIRBI_TOKEN_LPAREN || kind == TIRBI_TOKEN_LBRACKET || kind == TIRBI_TOKEN_LBRACE;
}

static bool closes(tirbi_token_kind kind) {
    return kind == TIRBI_TOKEN_RPAREN || kind == TIRBI_TOKEN_RBRACKET || kind == TIRBI_TOKEN_RBRACE;
}

static bool between_statements(tirbi_token_kind kind) {
    return kind == TIRBI_TOKEN_NEWLINE || kind == TIRBI_TOKEN_INDENT || kind == TIRBI_TOKEN_DEDENT;
}

static bool is_word(const tirbi_token *token, const char *word) {
    return token->kind == TIRBI_TOKEN_NAME && strcmp(token->as.text, word) == 0;
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

/* Behind the end of the line. */
static uint32_t skip_line(const tirbi_token *tokens, uint32_t at, uint32_t end) {
    while (at < end && !between_statements(tokens[at].kind) && tokens[at].kind != TIRBI_TOKEN_END) at++;
    return at < end && tokens[at].kind == TIRBI_TOKEN_NEWLINE ? at + 1 : at;
}

/* Behind the block whose INDENT is at this token. */
static uint32_t skip_block(const tirbi_token *tokens, uint32_t at, uint32_t end) {
    uint32_t depth = 0;
    do {
        if (tokens[at].kind == TIRBI_TOKEN_INDENT) depth++;
        if (tokens[at].kind == TIRBI_TOKEN_DEDENT) depth--;
        at++;
    } while (depth > 0 && at < end);
    return at;
}

/* The ':' that ends the head of a clause, or the end of the line. */
static uint32_t find_colon(const tirbi_token *tokens, uint32_t at, uint32_t end) {
    uint32_t depth = 0, lambdas = 0;
    for (; at < end && !between_statements(tokens[at].kind); at++) {
        tirbi_token_kind kind = tokens[at].kind;
        if (opens(kind)) depth++;
        if (closes(kind) && depth > 0) depth--;
        if (depth > 0) continue;
        if (kind == TIRBI_KEYWORD_LAMBDA) lambdas++;
        if (kind != TIRBI_TOKEN_COLON) continue;
        if (lambdas == 0) break;
        lambdas--;
    }
    return at;
}

tirbi_clause tirbi_read_clause(const tirbi_token *tokens, uint32_t at, uint32_t end) {
    tirbi_clause clause = {.kind = tokens[at].kind, .begin = at};
    uint32_t colon = find_colon(tokens, at, end);
    clause.body = colon < end && tokens[colon].kind == TIRBI_TOKEN_COLON ? colon + 1 : colon;
    clause.end = clause.body_end = skip_line(tokens, colon, end);
    if (clause.end >= end || tokens[clause.end].kind != TIRBI_TOKEN_INDENT) return clause;
    clause.body = clause.end + 1;
    clause.end = skip_block(tokens, clause.end, end);
    clause.body_end = clause.end > clause.body ? clause.end - 1 : clause.body;
    return clause;
}

static bool continues(tirbi_token_kind kind) {
    return kind == TIRBI_KEYWORD_ELSE || kind == TIRBI_KEYWORD_ELIF || kind == TIRBI_KEYWORD_EXCEPT ||
           kind == TIRBI_KEYWORD_FINALLY;
}

bool tirbi_next_passage(const tirbi_token *tokens, uint32_t at, uint32_t end, tirbi_passage *out) {
    while (at < end && (tokens[at].kind == TIRBI_TOKEN_NEWLINE || tokens[at].kind == TIRBI_TOKEN_DEDENT)) at++;
    if (at >= end || tokens[at].kind == TIRBI_TOKEN_END) return false;
    *out = (tirbi_passage){.kind = tokens[at].kind, .begin = at};
    if (tokens[at].kind == TIRBI_TOKEN_INDENT) {
        out->end = skip_block(tokens, at, end);
        return true;
    }
    while (at < end && tokens[at].kind == TIRBI_TOKEN_AT) at = skip_line(tokens, at, end);
    do {
        at = tirbi_read_clause(tokens, at, end).end;
    } while (at < end && continues(tokens[at].kind));
    out->end = at > out->begin ? at : at + 1;
    return true;
}

/* ---- Names that are bound --------------------------------------------------------------------------------------- */

typedef struct finder {
    const tirbi_token *tokens;
    uint32_t end;
    tirbi_effect_handler handler;
    void *context;
} finder;

static void tell(const finder *f, uint32_t at, tirbi_effect effect) {
    if (f->tokens[at].kind == TIRBI_TOKEN_NAME) f->handler(f->context, &f->tokens[at], effect);
}

/* The names of targets, without those of indices; `x[0]` and `x.a` change x. */
static void tell_targets(const finder *f, uint32_t at, uint32_t end, tirbi_effect effect) {
    uint32_t indices = 0; /* how deep in the brackets of an index or a call */
    for (; at < end; at++) {
        tirbi_token_kind kind = f->tokens[at].kind, next = f->tokens[at + 1].kind;
        bool behind_value = at > 0 && (f->tokens[at - 1].kind == TIRBI_TOKEN_NAME || closes(f->tokens[at - 1].kind));
        if (opens(kind) && (indices > 0 || (behind_value && kind != TIRBI_TOKEN_LBRACE))) indices++;
        if (closes(kind) && indices > 0) indices--;
        if (kind != TIRBI_TOKEN_NAME || indices > 0 || (at > 0 && f->tokens[at - 1].kind == TIRBI_TOKEN_DOT)) continue;
        bool part = next == TIRBI_TOKEN_LBRACKET || next == TIRBI_TOKEN_DOT || next == TIRBI_TOKEN_LPAREN;
        tell(f, at, part ? TIRBI_EFFECT_CHANGES : effect);
    }
}

static bool assigns(tirbi_token_kind kind) {
    return kind == TIRBI_TOKEN_ASSIGN || kind == TIRBI_TOKEN_POWER_ASSIGN || kind == TIRBI_TOKEN_FLOORDIV_ASSIGN ||
           kind == TIRBI_TOKEN_SHR_ASSIGN || kind == TIRBI_TOKEN_SHL_ASSIGN ||
           (kind >= TIRBI_TOKEN_ADD_ASSIGN && kind <= TIRBI_TOKEN_MATMUL_ASSIGN);
}

/* Methods of lists and dictionaries that change them. */
static bool is_changing_method(const tirbi_token *token) {
    static const char *const names[] = {"append", "extend",  "insert", "pop",        "remove", "clear",
                                        "sort",   "reverse", "update", "setdefault", "popitem"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_word(token, names[i])) return true;
    return false;
}

/* What may stand in any expression or head: `x := 1`, `as x`, `x.append(1)`. */
static void tell_inside(const finder *f, uint32_t at, uint32_t end) {
    for (; at < end; at++) {
        const tirbi_token *token = &f->tokens[at];
        if (token->kind == TIRBI_KEYWORD_AS) {
            uint32_t last = at + 1;
            if (opens(f->tokens[last].kind))
                while (last < end && !closes(f->tokens[last].kind)) last++;
            tell_targets(f, at + 1, last + 1 < end ? last + 1 : end, TIRBI_EFFECT_BINDS);
        }
        if (token->kind != TIRBI_TOKEN_NAME) continue;
        if (token[1].kind == TIRBI_TOKEN_WALRUS) tell(f, at, TIRBI_EFFECT_BINDS);
        if (token[1].kind == TIRBI_TOKEN_DOT && token[2].kind == TIRBI_TOKEN_NAME && is_changing_method(&token[2]) &&
            token[3].kind == TIRBI_TOKEN_LPAREN && (at == 0 || token[-1].kind != TIRBI_TOKEN_DOT))
            tell(f, at, TIRBI_EFFECT_CHANGES);
    }
}

/* `import a.b, c as d` binds a and d; `from a import b` binds b. */
static void tell_imports(const finder *f, uint32_t at, uint32_t end) {
    bool from = f->tokens[at].kind == TIRBI_KEYWORD_FROM;
    while (from && at < end && f->tokens[at].kind != TIRBI_KEYWORD_IMPORT) at++;
    for (at++; at < end; at++) {
        tirbi_token_kind before = f->tokens[at - 1].kind, next = f->tokens[at + 1].kind;
        if (before != TIRBI_TOKEN_DOT && before != TIRBI_KEYWORD_AS && next != TIRBI_KEYWORD_AS)
            tell(f, at, TIRBI_EFFECT_BINDS);
    }
}

static void tell_simple(const finder *f, uint32_t at, uint32_t end) {
    const tirbi_token *first = &f->tokens[at];
    uint32_t depth = 0, last = at, colon = end;
    if (first->kind == TIRBI_KEYWORD_IMPORT || first->kind == TIRBI_KEYWORD_FROM) tell_imports(f, at, end);
    if (first->kind == TIRBI_KEYWORD_DEL) tell_targets(f, at + 1, end, TIRBI_EFFECT_BINDS);
    if (is_word(first, "type") && first[1].kind == TIRBI_TOKEN_NAME) tell(f, at + 1, TIRBI_EFFECT_BINDS);
    for (uint32_t i = at; i < end; i++) {
        tirbi_token_kind kind = f->tokens[i].kind;
        if (opens(kind)) depth++;
        if (closes(kind) && depth > 0) depth--;
        if (depth == 0 && kind == TIRBI_TOKEN_COLON && colon == end) colon = i;
        if (depth == 0 && assigns(kind)) last = i;
    }
    if (last > at) tell_targets(f, at, last < colon ? last : colon, TIRBI_EFFECT_ASSIGNS);
    tell_inside(f, at, end);
}

/* The statements of one line, or those behind the head of a clause. */
static void tell_line(const finder *f, uint32_t at, uint32_t end) {
    uint32_t depth = 0, begin = at;
    for (; at < end; at++) {
        tirbi_token_kind kind = f->tokens[at].kind;
        if (opens(kind)) depth++;
        if (closes(kind) && depth > 0) depth--;
        if (depth > 0 || kind != TIRBI_TOKEN_SEMICOLON) continue;
        tell_simple(f, begin, at);
        begin = at + 1;
    }
    if (begin < end) tell_simple(f, begin, end);
}

/* The name of a function or class, whose block is passed over but for what it declares global. */
static uint32_t tell_definition(const finder *f, uint32_t at) {
    tirbi_clause clause = tirbi_read_clause(f->tokens, at, f->end);
    tell(f, at + 1, TIRBI_EFFECT_BINDS);
    bool global = false;
    for (uint32_t i = clause.body; i < clause.body_end; i++) {
        tirbi_token_kind kind = f->tokens[i].kind;
        if (kind == TIRBI_KEYWORD_GLOBAL)
            global = true;
        else if (kind != TIRBI_TOKEN_NAME && kind != TIRBI_TOKEN_COMMA)
            global = false;
        else if (global)
            tell(f, i, TIRBI_EFFECT_BINDS);
    }
    return clause.end;
}

/* The head of a clause binds names too: those of `for`, and what a `case` captures. */
static void tell_head(const finder *f, uint32_t at, uint32_t colon) {
    if (f->tokens[at].kind == TIRBI_KEYWORD_FOR) {
        uint32_t in = at;
        while (in < colon && f->tokens[in].kind != TIRBI_KEYWORD_IN) in++;
        tell_targets(f, at + 1, in, TIRBI_EFFECT_BINDS);
    } else if (is_word(&f->tokens[at], "case")) {
        for (uint32_t i = at + 1; i < colon && f->tokens[i].kind != TIRBI_KEYWORD_IF; i++) {
            tirbi_token_kind next = f->tokens[i + 1].kind;
            bool captures = next != TIRBI_TOKEN_DOT && next != TIRBI_TOKEN_LPAREN && next != TIRBI_TOKEN_ASSIGN;
            if (captures && f->tokens[i - 1].kind != TIRBI_TOKEN_DOT) tell(f, i, TIRBI_EFFECT_BINDS);
        }
    }
    tell_inside(f, at, colon);
}

static bool has_head(const tirbi_token *token) {
    switch (token->kind) {
    case TIRBI_KEYWORD_IF:
    case TIRBI_KEYWORD_ELIF:
    case TIRBI_KEYWORD_ELSE:
    case TIRBI_KEYWORD_FOR:
    case TIRBI_KEYWORD_WHILE:
    case TIRBI_KEYWORD_WITH:
    case TIRBI_KEYWORD_TRY:
    case TIRBI_KEYWORD_EXCEPT:
    case TIRBI_KEYWORD_FINALLY:
        return true;
    default:
        return (is_word(token, "match") || is_word(token, "case")) && token[1].kind != TIRBI_TOKEN_ASSIGN &&
               token[1].kind != TIRBI_TOKEN_DOT && token[1].kind != TIRBI_TOKEN_COLON;
    }
}

void tirbi_find_bindings(const tirbi_token *tokens, uint32_t begin, uint32_t end, tirbi_effect_handler handler,
                         void *context) {
    const finder f = {.tokens = tokens, .end = end, .handler = handler, .context = context};
    for (uint32_t at = begin; at < end;) {
        tirbi_token_kind kind = tokens[at].kind;
        if (between_statements(kind) || kind == TIRBI_KEYWORD_ASYNC) {
            at++;
        } else if (kind == TIRBI_TOKEN_AT) {
            at = skip_line(tokens, at, end);
        } else if (kind == TIRBI_KEYWORD_DEF || kind == TIRBI_KEYWORD_CLASS) {
            at = tell_definition(&f, at);
        } else {
            uint32_t next = skip_line(tokens, at, end), head = has_head(&tokens[at]) ? find_colon(tokens, at, end) : at;
            if (head > at) tell_head(&f, at, head++);
            if (head < next) tell_line(&f, head, next);
            at = next > at ? next : at + 1;
        }
    }
}
