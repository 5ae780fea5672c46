/* Recursive descent, with precedence climbing for the binary operators. What is wrong in a statement costs that
 * statement, what is wrong in a signature its def. */
#include "compiler/tc/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/ir/builder.h"
#include "compiler/source/suggest.h"
#include "compiler/tc/lexer.h"

typedef struct parser {
    tirbi_arena *arena;
    tirbi_diagnostics *diagnostics;
    const tirbi_tc_token *tokens;
    uint32_t at;
    uint32_t depth; /* of nesting */
    bool failed;    /* what is being read cannot be: reported */
    bool operators; /* packs and names of types are read */
} parser;

/* ---- Tokens ----------------------------------------------------------------------------------------------------- */

static const tirbi_tc_token *peek(const parser *p) { return &p->tokens[p->at]; }
static bool at(const parser *p, tirbi_tc_token_kind kind) { return p->tokens[p->at].kind == kind; }
/* The kind of the token behind this one. */
static tirbi_tc_token_kind next_kind(const parser *p) {
    return at(p, TIRBI_TC_TOKEN_END) ? TIRBI_TC_TOKEN_END : p->tokens[p->at + 1].kind;
}

__attribute__((format(printf, 3, 4))) static void fail(parser *p, tirbi_span span, const char *format, ...) {
    if (p->failed) return;
    p->failed = true;
    if (at(p, TIRBI_TC_TOKEN_BAD)) return;
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    tirbi_report_error(p->diagnostics, TIRB_SYNTAX, span, "%s", message);
}

static bool accept(parser *p, tirbi_tc_token_kind kind) {
    if (p->failed || !at(p, kind)) return false;
    if (kind != TIRBI_TC_TOKEN_END) p->at++;
    return true;
}

static void fail_expected(parser *p, const char *what) {
    const tirbi_tc_token *token = peek(p);
    tirbi_tc_token_kind next = next_kind(p);
    bool reversed = token->kind == TIRBI_TC_TOKEN_SET && (next == TIRBI_TC_TOKEN_LT || next == TIRBI_TC_TOKEN_GT) &&
                    token[1].span.begin == token->span.end;
    const bool comment = token->kind == TIRBI_TC_TOKEN_DIV && next == TIRBI_TC_TOKEN_DIV &&
                         token[1].span.begin == token->span.end;
    if (reversed)
        fail(p, (tirbi_span){token->span.begin, token[1].span.end}, "this comparison is written '%s'",
             next == TIRBI_TC_TOKEN_LT ? "<=" : ">=");
    else if (p->at > 0 && token[-1].kind == TIRBI_TC_TOKEN_SET && token[-1].span.end == token->span.begin &&
             (token->kind == TIRBI_TC_TOKEN_ADD || token->kind == TIRBI_TC_TOKEN_MUL))
        fail(p, (tirbi_span){token[-1].span.begin, token->span.end}, "a reduction is written '%s'",
             token->kind == TIRBI_TC_TOKEN_ADD ? "+=" : "*=");
    else if (comment)
        fail(p, (tirbi_span){token->span.begin, token[1].span.end}, "comments begin with '#'");
    else if (p->at > 0 && token->kind == TIRBI_TC_TOKEN_MUL && token[-1].kind == TIRBI_TC_TOKEN_MUL)
        fail(p, (tirbi_span){token[-1].span.begin, token->span.end}, "powers are written pow(x, y)");
    else
        fail(p, token->span, "expected %s, found %s", what, tirbi_tc_token_text(token->kind));
}

static bool expect(parser *p, tirbi_tc_token_kind kind, const char *what) {
    if (p->failed) return false;
    if (accept(p, kind)) return true;
    fail_expected(p, what);
    return false;
}

/* The bracket that is open since token `open` ends here. */
static bool expect_close(parser *p, uint32_t open, const char *what) {
    if (p->failed) return false;
    if (accept(p, TIRBI_TC_TOKEN_RPAREN)) return true;
    bool silent = at(p, TIRBI_TC_TOKEN_BAD);
    fail_expected(p, what);
    if (!silent) tirbi_report_note(p->diagnostics, p->tokens[open].span, "this bracket is open");
    return false;
}

/* Counts a level of nesting; false (reported) when there are too many. */
static bool enter(parser *p) {
    if (p->depth++ < TIRBI_TC_MAX_DEPTH) return true;
    fail(p, peek(p)->span, "more than %d levels are nested here", TIRBI_TC_MAX_DEPTH);
    return false;
}

static void leave(parser *p) { p->depth--; }

static tirbi_span span_from(const parser *p, uint32_t begin) {
    uint32_t end = p->at > 0 ? p->tokens[p->at - 1].span.end : begin;
    return (tirbi_span){begin, end > begin ? end : begin};
}

static bool read_name(parser *p, const char **name, tirbi_span *span, const char *what) {
    const tirbi_tc_token *token = peek(p);
    if (!expect(p, TIRBI_TC_TOKEN_NAME, what)) return false;
    *name = token->text;
    *span = token->span;
    return true;
}

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

static const tirbi_tc_expr *read_expr(parser *p);

static tirbi_tc_expr *make_expr(parser *p, tirbi_tc_expr_kind kind, uint32_t begin, const tirbi_tc_expr *const *args,
                                uint32_t n_args) {
    if (p->failed) return NULL;
    tirbi_tc_expr *e = TIRBI_NEW(p->arena, tirbi_tc_expr);
    const tirbi_tc_expr **copy = TIRBI_NEW_ARRAY(p->arena, const tirbi_tc_expr *, n_args);
    if (!e || !copy) {
        p->failed = true;
        return NULL;
    }
    if (n_args) memcpy(copy, args, n_args * sizeof *copy);
    *e = (tirbi_tc_expr){.kind = kind, .depth = 1, .n_args = n_args, .span = span_from(p, begin), .args = copy};
    for (uint32_t i = 0; i < n_args; i++)
        if (copy[i]->depth >= e->depth) e->depth = copy[i]->depth + 1;
    if (e->depth <= TIRBI_TC_MAX_DEPTH) return e;
    fail(p, e->span, "the expression is more than %d operators deep", TIRBI_TC_MAX_DEPTH);
    return NULL;
}

/* Expressions with commas up to the bracket that closes the one at this place. */
static bool read_expr_list(parser *p, tirbi_list *out) {
    uint32_t open = p->at;
    if (!expect(p, TIRBI_TC_TOKEN_LPAREN, "'('")) return false;
    if (accept(p, TIRBI_TC_TOKEN_RPAREN)) return true;
    do {
        const tirbi_tc_expr *item = read_expr(p);
        if (item && p->operators && accept(p, TIRBI_TC_TOKEN_ELLIPSIS))
            item = make_expr(p, TIRBI_TC_PACK, item->span.begin, &item, 1);
        const tirbi_tc_expr **slot = item ? TIRBI_LIST_ADD(p->arena, out, const tirbi_tc_expr *) : NULL;
        if (!slot) return false;
        *slot = item;
    } while (accept(p, TIRBI_TC_TOKEN_COMMA));
    return expect_close(p, open, "',' or ')'");
}

static const tirbi_tc_expr *read_literal(parser *p) {
    const tirbi_tc_token *token = &p->tokens[p->at++];
    tirbi_tc_expr_kind kind = token->kind == TIRBI_TC_TOKEN_INT     ? TIRBI_TC_INT
                              : token->kind == TIRBI_TC_TOKEN_FLOAT ? TIRBI_TC_FLOAT
                                                                    : TIRBI_TC_BOOL;
    tirbi_tc_expr *e = make_expr(p, kind, token->span.begin, NULL, 0);
    if (!e) return NULL;
    if (kind == TIRBI_TC_FLOAT)
        e->float_value = token->value.real;
    else
        e->int_value = kind == TIRBI_TC_INT ? token->value.integer : token->kind == TIRBI_TC_TOKEN_TRUE;
    return e;
}

/* min(a, b), max(a, b), type(a): words of the language that take a fixed number of expressions. */
static const tirbi_tc_expr *read_word_call(parser *p, tirbi_tc_expr_kind kind, uint32_t arity) {
    const tirbi_tc_token *word = &p->tokens[p->at++];
    tirbi_list args = {.n = 0};
    if (!at(p, TIRBI_TC_TOKEN_LPAREN) && kind == TIRBI_TC_CAST) {
        fail(p, word->span, "a type in an expression is a cast, %.*s(x)", (int)(word->span.end - word->span.begin),
             word->text);
        return NULL;
    }
    if (!read_expr_list(p, &args)) return NULL;
    tirbi_tc_expr *e = make_expr(p, kind, word->span.begin, args.items, args.n);
    if (!e) return NULL;
    if (args.n != arity) {
        fail(p, e->span, "%s takes %u argument%s, %u given",
             kind == TIRBI_TC_CAST  ? "a cast"
             : kind == TIRBI_TC_MIN ? "`min`"
                                    : "`max`",
             (unsigned)arity, arity == 1 ? "" : "s", (unsigned)args.n);
        return NULL;
    }
    if (kind == TIRBI_TC_CAST) {
        e->name = word->text;
        e->name_span = word->span;
        e->dtype = word->value.dtype;
    }
    return e;
}

/* A name, T.0, or what stands in front of brackets. */
static const tirbi_tc_expr *read_named(parser *p) {
    const tirbi_tc_token *name = &p->tokens[p->at++];
    const tirbi_tc_token *next = peek(p);
    tirbi_list args = {.n = 0};
    tirbi_tc_expr_kind kind = TIRBI_TC_NAME;
    if (accept(p, TIRBI_TC_TOKEN_DIM)) {
        kind = TIRBI_TC_DIM;
    } else if (at(p, TIRBI_TC_TOKEN_LPAREN)) {
        kind = TIRBI_TC_READ;
        if (!read_expr_list(p, &args)) return NULL;
    }
    tirbi_tc_expr *e = make_expr(p, kind, name->span.begin, args.items, args.n);
    if (!e) return NULL;
    e->name = name->text;
    e->name_span = name->span;
    if (kind == TIRBI_TC_DIM) e->int_value = next->value.integer;
    return e;
}

static const tirbi_tc_expr *read_parenthesised(parser *p) {
    uint32_t open = p->at++;
    const tirbi_tc_expr *e = read_expr(p);
    return e && expect_close(p, open, "')'") ? e : NULL;
}

static const tirbi_tc_expr *read_operand(parser *p) {
    switch (peek(p)->kind) {
    case TIRBI_TC_TOKEN_INT:
    case TIRBI_TC_TOKEN_FLOAT:
    case TIRBI_TC_TOKEN_TRUE:
    case TIRBI_TC_TOKEN_FALSE:
        return read_literal(p);
    case TIRBI_TC_TOKEN_LPAREN:
        return read_parenthesised(p);
    case TIRBI_TC_TOKEN_TYPE:
        return read_word_call(p, TIRBI_TC_CAST, 1);
    case TIRBI_TC_TOKEN_MIN:
        return read_word_call(p, TIRBI_TC_MIN, 2);
    case TIRBI_TC_TOKEN_MAX:
        return read_word_call(p, TIRBI_TC_MAX, 2);
    case TIRBI_TC_TOKEN_NAME:
        return read_named(p);
    default:
        fail_expected(p, "an expression");
        return NULL;
    }
}

static const tirbi_tc_expr *read_unary(parser *p) {
    const tirbi_tc_token *op = peek(p);
    bool negates = op->kind == TIRBI_TC_TOKEN_SUB;
    if (!negates && op->kind != TIRBI_TC_TOKEN_NOT && op->kind != TIRBI_TC_TOKEN_NOT_WORD) return read_operand(p);
    if (!enter(p)) return NULL;
    p->at++;
    const tirbi_tc_expr *operand = read_unary(p);
    leave(p);
    return operand ? make_expr(p, negates ? TIRBI_TC_NEG : TIRBI_TC_NOT, op->span.begin, &operand, 1) : NULL;
}

/* How tightly a binary operator binds; 0: this is none. */
static uint32_t binary_level(tirbi_tc_token_kind token, tirbi_tc_expr_kind *kind) {
    static const struct {
        tirbi_tc_token_kind token;
        tirbi_tc_expr_kind kind;
        uint32_t level;
    } operators[] = {
        {TIRBI_TC_TOKEN_OR, TIRBI_TC_OR, 1},   {TIRBI_TC_TOKEN_OR_WORD, TIRBI_TC_OR, 1},
        {TIRBI_TC_TOKEN_AND, TIRBI_TC_AND, 2}, {TIRBI_TC_TOKEN_AND_WORD, TIRBI_TC_AND, 2},
        {TIRBI_TC_TOKEN_EQ, TIRBI_TC_EQ, 3},   {TIRBI_TC_TOKEN_NE, TIRBI_TC_NE, 3},
        {TIRBI_TC_TOKEN_LT, TIRBI_TC_LT, 3},   {TIRBI_TC_TOKEN_LE, TIRBI_TC_LE, 3},
        {TIRBI_TC_TOKEN_GT, TIRBI_TC_GT, 3},   {TIRBI_TC_TOKEN_GE, TIRBI_TC_GE, 3},
        {TIRBI_TC_TOKEN_ADD, TIRBI_TC_ADD, 4}, {TIRBI_TC_TOKEN_SUB, TIRBI_TC_SUB, 4},
        {TIRBI_TC_TOKEN_MUL, TIRBI_TC_MUL, 5}, {TIRBI_TC_TOKEN_DIV, TIRBI_TC_DIV, 5},
        {TIRBI_TC_TOKEN_MOD, TIRBI_TC_MOD, 5},
    };
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (operators[i].token != token) continue;
        *kind = operators[i].kind;
        return operators[i].level;
    }
    return 0;
}

/* Operators that bind at least as tightly as `level`, from the left. */
static const tirbi_tc_expr *read_binary(parser *p, uint32_t level) {
    const tirbi_tc_expr *left = read_unary(p);
    tirbi_tc_expr_kind kind = TIRBI_TC_OR;
    uint32_t found;
    while (left && (found = binary_level(peek(p)->kind, &kind)) >= level && found > 0) {
        tirbi_tc_expr_kind op = kind;
        p->at++;
        const tirbi_tc_expr *operands[2] = {left, read_binary(p, found + 1)};
        left = operands[1] ? make_expr(p, op, left->span.begin, operands, 2) : NULL;
    }
    return left;
}

static const tirbi_tc_expr *read_choice(parser *p) {
    const tirbi_tc_expr *args[3] = {read_binary(p, 1), NULL, NULL};
    if (!args[0] || !accept(p, TIRBI_TC_TOKEN_QUESTION)) return args[0];
    args[1] = read_expr(p);
    if (!args[1] || !expect(p, TIRBI_TC_TOKEN_COLON, "':' of the choice")) return NULL;
    args[2] = read_expr(p);
    return args[2] ? make_expr(p, TIRBI_TC_CHOICE, args[0]->span.begin, args, 3) : NULL;
}

static const tirbi_tc_expr *read_expr(parser *p) {
    const tirbi_tc_expr *e = enter(p) ? read_choice(p) : NULL;
    leave(p);
    return p->failed ? NULL : e;
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

static bool assign_of(tirbi_tc_token_kind kind, tirbi_tc_assign *assign, bool *starts_over) {
    static const struct {
        tirbi_tc_token_kind token;
        tirbi_tc_assign assign;
        bool starts_over;
    } assigns[] = {
        {TIRBI_TC_TOKEN_SET, TIRBI_TC_SET, false},
        {TIRBI_TC_TOKEN_SUM, TIRBI_TC_SUM, false},
        {TIRBI_TC_TOKEN_SUM_OVER, TIRBI_TC_SUM, true},
        {TIRBI_TC_TOKEN_PRODUCT, TIRBI_TC_PRODUCT, false},
        {TIRBI_TC_TOKEN_PRODUCT_OVER, TIRBI_TC_PRODUCT, true},
        {TIRBI_TC_TOKEN_LEAST, TIRBI_TC_LEAST, false},
        {TIRBI_TC_TOKEN_LEAST_OVER, TIRBI_TC_LEAST, true},
        {TIRBI_TC_TOKEN_GREATEST, TIRBI_TC_GREATEST, false},
        {TIRBI_TC_TOKEN_GREATEST_OVER, TIRBI_TC_GREATEST, true},
    };
    for (size_t i = 0; i < sizeof assigns / sizeof *assigns; i++) {
        if (assigns[i].token != kind) continue;
        *assign = assigns[i].assign;
        *starts_over = assigns[i].starts_over;
        return true;
    }
    return false;
}

static void read_range(parser *p, tirbi_tc_clause *clause) {
    clause->kind = TIRBI_TC_IN;
    clause->low = read_expr(p);
    if (at(p, TIRBI_TC_TOKEN_DOTS)) fail(p, peek(p)->span, "a range is written with ':', as in 0:2");
    if (clause->low && expect(p, TIRBI_TC_TOKEN_COLON, "':' of the range")) clause->high = read_expr(p);
}

static void read_clause(parser *p, tirbi_tc_clause *clause) {
    uint32_t begin = peek(p)->span.begin;
    tirbi_tc_token_kind next = next_kind(p);
    if (accept(p, TIRBI_TC_TOKEN_EXISTS)) {
        clause->kind = TIRBI_TC_EXISTS;
        clause->low = read_expr(p);
    } else if (at(p, TIRBI_TC_TOKEN_NAME) && (next == TIRBI_TC_TOKEN_IN || next == TIRBI_TC_TOKEN_SET)) {
        read_name(p, &clause->name, &clause->name_span, "a name");
        p->at++;
        if (next == TIRBI_TC_TOKEN_IN) {
            read_range(p, clause);
        } else {
            clause->kind = TIRBI_TC_IS;
            clause->low = read_expr(p);
        }
    } else {
        fail_expected(p, "`i in low:high`, `x = value` or `exists value`");
    }
    clause->span = span_from(p, begin);
}

static void read_clauses(parser *p, tirbi_tc_stmt *stmt) {
    tirbi_list clauses = {.n = 0};
    if (!accept(p, TIRBI_TC_TOKEN_WHERE)) return;
    do {
        tirbi_tc_clause *clause = TIRBI_LIST_ADD(p->arena, &clauses, tirbi_tc_clause);
        if (!clause) return;
        read_clause(p, clause);
    } while (accept(p, TIRBI_TC_TOKEN_COMMA));
    stmt->clauses = clauses.items;
    stmt->n_clauses = clauses.n;
}

/* `<=> name(..)` */
static void read_library(parser *p, tirbi_tc_stmt *stmt) {
    tirbi_list args = {.n = 0};
    tirbi_span span;
    if (!accept(p, TIRBI_TC_TOKEN_LIBRARY)) return;
    if (!read_name(p, &stmt->library, &span, "the name of a library's function") || !read_expr_list(p, &args)) return;
    stmt->library_args = args.items;
    stmt->n_library_args = args.n;
}

/* `a, b = f(x, y)` behind its first name. A single target is only known by what `f` is: the checker's. */
static void read_call(parser *p, tirbi_tc_stmt *stmt) {
    tirbi_list targets = {.n = 0}, args = {.n = 0};
    tirbi_tc_name *first = TIRBI_LIST_ADD(p->arena, &targets, tirbi_tc_name);
    if (!first) return;
    *first = (tirbi_tc_name){.name = stmt->name, .span = stmt->name_span};
    while (accept(p, TIRBI_TC_TOKEN_COMMA)) {
        tirbi_tc_name *target = TIRBI_LIST_ADD(p->arena, &targets, tirbi_tc_name);
        if (!target || !read_name(p, &target->name, &target->span, "a name")) return;
    }
    if (!expect(p, TIRBI_TC_TOKEN_SET, "',' or '='")) return;
    if (!read_name(p, &stmt->callee_name, &stmt->callee_span, "the name of a def")) return;
    if (!read_expr_list(p, &args)) return;
    stmt->targets = targets.items;
    stmt->n_targets = targets.n;
    stmt->call_args = args.items;
    stmt->n_call_args = args.n;
}

static void read_stmt(parser *p, tirbi_tc_stmt *stmt) {
    uint32_t begin = peek(p)->span.begin;
    tirbi_list subscripts = {.n = 0};
    if (!read_name(p, &stmt->name, &stmt->name_span, "a statement or '}'")) return;
    if (at(p, TIRBI_TC_TOKEN_COMMA)) {
        read_call(p, stmt);
    } else {
        if (at(p, TIRBI_TC_TOKEN_LPAREN)) {
            stmt->has_list = true;
            if (!read_expr_list(p, &subscripts)) return;
            stmt->subscripts = subscripts.items;
            stmt->n_subscripts = subscripts.n;
        }
        if (!assign_of(peek(p)->kind, &stmt->assign, &stmt->starts_over)) {
            if (strcmp(stmt->name, "if") == 0)
                fail(p, stmt->name_span, "a statement has no condition: write c ? x : y in it");
            else if (strcmp(stmt->name, "for") == 0)
                fail(p, stmt->name_span, "there are no loops: a statement is for all values of its indices");
            else
                fail_expected(p, "'=' or a reduction ('+=!', '*=!', 'min=!', 'max=!', or without '!')");
            return;
        }
        p->at++;
        stmt->value = read_expr(p);
        read_library(p, stmt);
        read_clauses(p, stmt);
    }
    stmt->span = span_from(p, begin);
}

/* A name at the beginning of a line that an assignment follows, with brackets between them or without. */
static bool begins_stmt(const parser *p, uint32_t index) {
    enum { MAX_TARGETS = 16 };
    const tirbi_tc_token *token = &p->tokens[index];
    tirbi_tc_assign assign;
    bool starts_over;
    if (token->kind != TIRBI_TC_TOKEN_NAME || !token->begins_line) return false;
    if (index > 0 && token[-1].kind == TIRBI_TC_TOKEN_COMMA) return false;
    uint32_t next = index + 1;
    for (uint32_t i = 0; i < MAX_TARGETS && p->tokens[next].kind == TIRBI_TC_TOKEN_COMMA; i++) {
        if (p->tokens[next + 1].kind != TIRBI_TC_TOKEN_NAME) return false;
        next += 2;
    }
    if (p->tokens[next].kind == TIRBI_TC_TOKEN_LPAREN) {
        if (p->tokens[next].value.partner == 0) return false;
        next = p->tokens[next].value.partner + 1;
    }
    return assign_of(p->tokens[next].kind, &assign, &starts_over);
}

static bool ends_def(const parser *p) {
    return at(p, TIRBI_TC_TOKEN_END) || at(p, TIRBI_TC_TOKEN_DEF) || at(p, TIRBI_TC_TOKEN_RBRACE);
}

static void skip_stmt(parser *p, uint32_t first) {
    if (p->at == first && !ends_def(p)) p->at++;
    while (!ends_def(p) && !begins_stmt(p, p->at)) p->at++;
    p->failed = false;
    p->depth = 0;
}

static void read_stmts(parser *p, tirbi_tc_def *def) {
    tirbi_list stmts = {.n = 0};
    while (!p->arena->failed && !ends_def(p)) {
        uint32_t first = p->at;
        tirbi_tc_stmt stmt = {.n_targets = 0};
        read_stmt(p, &stmt);
        if (p->failed) {
            skip_stmt(p, first);
            continue;
        }
        tirbi_tc_stmt *slot = TIRBI_LIST_ADD(p->arena, &stmts, tirbi_tc_stmt);
        if (slot) *slot = stmt;
    }
    def->stmts = stmts.items;
    def->n_stmts = stmts.n;
    expect(p, TIRBI_TC_TOKEN_RBRACE, "a statement or '}'");
}

/* ---- Defs ------------------------------------------------------------------------------------------------------- */

static void fail_type(parser *p) {
    static const char *const names[] = {
#define TIRBI_TC_TYPE(text, code, bits)  text,
#define TIRBI_TC_ALIAS(text, code, bits) text,
#include "compiler/tc/token.def"
    };
    tirbi_suggestion suggestion = {.wanted = peek(p)->text};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) tirbi_suggest(&suggestion, names[i]);
    if (suggestion.best)
        fail(p, peek(p)->span, "there is no type `%s`; did you mean `%s`?", peek(p)->text, suggestion.best);
    else
        fail(p, peek(p)->span, "there is no type `%s`", peek(p)->text);
}

static void read_sizes(parser *p, tirbi_tc_param *param) {
    tirbi_list sizes = {.n = 0};
    uint32_t open = p->at;
    if (!accept(p, TIRBI_TC_TOKEN_LPAREN)) return;
    param->has_sizes = true;
    if (accept(p, TIRBI_TC_TOKEN_RPAREN)) return;
    do {
        const tirbi_tc_token *token = peek(p);
        tirbi_tc_size *size = TIRBI_LIST_ADD(p->arena, &sizes, tirbi_tc_size);
        if (!size) return;
        size->span = token->span;
        if (accept(p, TIRBI_TC_TOKEN_INT))
            size->value = token->value.integer;
        else if (!read_name(p, &size->name, &size->span, "a size: a name or a number"))
            return;
        size->is_pack = p->operators && size->name && accept(p, TIRBI_TC_TOKEN_ELLIPSIS);
    } while (accept(p, TIRBI_TC_TOKEN_COMMA));
    expect_close(p, open, "',' or ')'");
    param->sizes = sizes.items;
    param->ndim = sizes.n;
}

static void read_param(parser *p, tirbi_tc_param *param) {
    const tirbi_tc_token *token = peek(p);
    tirbi_tc_token_kind next = next_kind(p);
    if (token->kind == TIRBI_TC_TOKEN_TYPE) {
        param->has_type = true;
        param->dtype = token->value.dtype;
    } else if (token->kind == TIRBI_TC_TOKEN_NAME && (next == TIRBI_TC_TOKEN_NAME || next == TIRBI_TC_TOKEN_LPAREN)) {
        param->has_type = true;
        if (!tirbi_tc_alias(token->text, &param->dtype) && !p->operators) fail_type(p);
    }
    if (param->has_type && !p->failed) {
        param->type_name = token->text;
        p->at++;
        read_sizes(p, param);
    }
    read_name(p, &param->name, &param->name_span, "a name");
    if (at(p, TIRBI_TC_TOKEN_COLON)) fail(p, peek(p)->span, "the type comes first, float(N) %s", param->name);
    param->span = span_from(p, token->span.begin);
}

static void read_params(parser *p, tirbi_tc_param **out, uint32_t *n) {
    tirbi_list params = {.n = 0};
    uint32_t open = p->at;
    if (!expect(p, TIRBI_TC_TOKEN_LPAREN, "'('") || accept(p, TIRBI_TC_TOKEN_RPAREN)) return;
    do {
        tirbi_tc_param *param = TIRBI_LIST_ADD(p->arena, &params, tirbi_tc_param);
        if (!param) return;
        read_param(p, param);
    } while (accept(p, TIRBI_TC_TOKEN_COMMA));
    expect_close(p, open, "',' or ')'");
    *out = params.items;
    *n = params.n;
}

/* `-> id` */
static void read_bare_return(parser *p, tirbi_tc_def *def) {
    if (at(p, TIRBI_TC_TOKEN_TYPE)) fail(p, peek(p)->span, "a result with a type stands in brackets, -> (float(N) O)");
    tirbi_tc_param *result = TIRBI_NEW(p->arena, tirbi_tc_param);
    if (!result || !read_name(p, &result->name, &result->name_span, "the results, -> (O)")) return;
    result->span = result->name_span;
    def->returns = result;
    def->n_returns = 1;
    def->bare_return = true;
}

static tirbi_tc_def *read_def(parser *p) {
    uint32_t begin = peek(p)->span.begin;
    tirbi_tc_def *def = TIRBI_NEW(p->arena, tirbi_tc_def);
    if (!def) return NULL;
    p->at++;
    read_name(p, &def->name, &def->name_span, "the name of the def");
    read_params(p, &def->params, &def->n_params);
    expect(p, TIRBI_TC_TOKEN_ARROW, "'->'");
    if (at(p, TIRBI_TC_TOKEN_LPAREN))
        read_params(p, &def->returns, &def->n_returns);
    else
        read_bare_return(p, def);
    expect(p, TIRBI_TC_TOKEN_LBRACE, "'{'");
    def->body = span_from(p, begin).end;
    if (!p->failed) read_stmts(p, def);
    def->span = span_from(p, begin);
    return p->failed ? NULL : def;
}

static tirbi_tc_program *read_program(const tirbi_source *source, tirbi_arena *arena, tirbi_diagnostics *diagnostics,
                                      bool operators) {
    tirbi_tc_program *program = TIRBI_NEW(arena, tirbi_tc_program);
    tirbi_tc_tokens tokens;
    tirbi_list defs = {.n = 0};
    if (!program || !tirbi_tc_lex(source, arena, diagnostics, &tokens)) return NULL;
    parser p = {.arena = arena, .diagnostics = diagnostics, .tokens = tokens.items, .operators = operators};
    while (!arena->failed && !at(&p, TIRBI_TC_TOKEN_END)) {
        tirbi_tc_def *def = NULL;
        if (at(&p, TIRBI_TC_TOKEN_DEF))
            def = read_def(&p);
        else
            fail_expected(&p, "'def'");
        if (p.failed)
            while (!at(&p, TIRBI_TC_TOKEN_END) && !at(&p, TIRBI_TC_TOKEN_DEF)) p.at++;
        p.failed = false;
        p.depth = 0;
        tirbi_tc_def **slot = def ? TIRBI_LIST_ADD(arena, &defs, tirbi_tc_def *) : NULL;
        if (slot) *slot = def;
    }
    program->defs = defs.items;
    program->n_defs = defs.n;
    program->comments = tokens.comments;
    program->n_comments = tokens.n_comments;
    return arena->failed ? NULL : program;
}

tirbi_tc_program *tirbi_tc_read(const tirbi_source *source, tirbi_arena *arena, tirbi_diagnostics *diagnostics) {
    return read_program(source, arena, diagnostics, false);
}

tirbi_tc_program *tirbi_tc_read_operators(const tirbi_source *source, tirbi_arena *arena,
                                          tirbi_diagnostics *diagnostics) {
    return read_program(source, arena, diagnostics, true);
}
