/* Statements of the surface tree. A statement that cannot be read is reported and skipped with the block below it. */
#include <string.h>

#include "compiler/text/syntax/parser.h"

static bool read_statement(tirbi_parser *p, tirbi_list *out);

static tirbi_line *make_line(tirbi_parser *p, tirbi_line_kind kind, uint32_t begin) {
    tirbi_line *line = TIRBI_NEW(p->arena, tirbi_line);
    if (!line) {
        p->failed = true;
        return NULL;
    }
    line->kind = kind;
    line->span = tirbi_span_from(p, begin);
    return line;
}

static bool add_line(tirbi_parser *p, tirbi_list *out, tirbi_line *line) {
    if (!line) return false;
    tirbi_line **slot = TIRBI_LIST_ADD(p->arena, out, tirbi_line *);
    if (!slot) return false;
    *slot = line;
    return true;
}

/* ---- Recovery --------------------------------------------------------------------------------------------------- */

static void skip_block(tirbi_parser *p) {
    uint32_t depth = 0;
    do {
        if (tirbi_at(p, TIRBI_TOKEN_INDENT)) depth++;
        if (tirbi_at(p, TIRBI_TOKEN_DEDENT)) depth--;
        if (tirbi_at(p, TIRBI_TOKEN_END)) return;
        p->at++;
    } while (depth > 0);
}

static void skip_clause(tirbi_parser *p) {
    while (!tirbi_at(p, TIRBI_TOKEN_NEWLINE) && !tirbi_at(p, TIRBI_TOKEN_END) && !tirbi_at(p, TIRBI_TOKEN_INDENT) &&
           !tirbi_at(p, TIRBI_TOKEN_DEDENT))
        p->at++;
    tirbi_accept(p, TIRBI_TOKEN_NEWLINE);
    if (tirbi_at(p, TIRBI_TOKEN_INDENT)) skip_block(p);
}

/* Skips the rest of a statement that was reported, with the clauses that belong to it. */
static void skip_statement(tirbi_parser *p) {
    skip_clause(p);
    while (tirbi_at(p, TIRBI_KEYWORD_ELSE) || tirbi_at(p, TIRBI_KEYWORD_ELIF) || tirbi_at(p, TIRBI_KEYWORD_EXCEPT) ||
           tirbi_at(p, TIRBI_KEYWORD_FINALLY))
        skip_clause(p);
    p->failed = false;
}

/* ---- Blocks ----------------------------------------------------------------------------------------------------- */

static bool read_block(tirbi_parser *p, tirbi_lines *out) {
    tirbi_list lines = {.n = 0};
    const char *colon = tirbi_at(p, TIRBI_TOKEN_ASSIGN) ? "':', or '==' for equal values"
                        : tirbi_at(p, TIRBI_KEYWORD_IF) && p->tokens[p->at - 1].kind == TIRBI_KEYWORD_ELSE
                            ? "':', or 'elif'"
                            : "':'";
    if (!tirbi_expect(p, TIRBI_TOKEN_COLON, colon)) return false;
    if (!tirbi_enter(p)) return false;
    if (tirbi_accept(p, TIRBI_TOKEN_NEWLINE)) {
        if (!tirbi_accept(p, TIRBI_TOKEN_INDENT)) {
            tirbi_syntax_error(p, tirbi_peek(p)->span, "expected an indented block");
            return false;
        }
        while (!tirbi_at(p, TIRBI_TOKEN_DEDENT) && !tirbi_at(p, TIRBI_TOKEN_END))
            if (!read_statement(p, &lines)) skip_statement(p);
        tirbi_accept(p, TIRBI_TOKEN_DEDENT);
    } else if (!read_statement(p, &lines)) {
        return false;
    }
    tirbi_leave(p);
    out->items = lines.items;
    out->n = lines.n;
    return true;
}

/* ---- Simple statements ------------------------------------------------------------------------------------------ */

static bool augmented_op(tirbi_token_kind kind, tirbi_token_kind *out) {
    switch (kind) {
    case TIRBI_TOKEN_ADD_ASSIGN:
        *out = TIRBI_TOKEN_ADD;
        return true;
    case TIRBI_TOKEN_SUB_ASSIGN:
        *out = TIRBI_TOKEN_SUB;
        return true;
    case TIRBI_TOKEN_MUL_ASSIGN:
        *out = TIRBI_TOKEN_MUL;
        return true;
    case TIRBI_TOKEN_DIV_ASSIGN:
        *out = TIRBI_TOKEN_DIV;
        return true;
    case TIRBI_TOKEN_MOD_ASSIGN:
        *out = TIRBI_TOKEN_MOD;
        return true;
    case TIRBI_TOKEN_FLOORDIV_ASSIGN:
        *out = TIRBI_TOKEN_FLOORDIV;
        return true;
    case TIRBI_TOKEN_SHL_ASSIGN:
        *out = TIRBI_TOKEN_SHL;
        return true;
    case TIRBI_TOKEN_SHR_ASSIGN:
        *out = TIRBI_TOKEN_SHR;
        return true;
    case TIRBI_TOKEN_AND_ASSIGN:
        *out = TIRBI_TOKEN_BITAND;
        return true;
    case TIRBI_TOKEN_OR_ASSIGN:
        *out = TIRBI_TOKEN_BITOR;
        return true;
    case TIRBI_TOKEN_XOR_ASSIGN:
        *out = TIRBI_TOKEN_BITXOR;
        return true;
    default:
        return false;
    }
}

static bool is_target(const tirbi_node *node) {
    switch (node->kind) {
    case TIRBI_NODE_NAME:
    case TIRBI_NODE_SUBSCRIPT:
    case TIRBI_NODE_ATTRIBUTE:
        return true;
    case TIRBI_NODE_STARRED:
        return is_target(node->items[0]);
    case TIRBI_NODE_TUPLE:
    case TIRBI_NODE_LIST:
        for (uint32_t i = 0; i < node->n_items; i++)
            if (!is_target(node->items[i])) return false;
        return true;
    default:
        return false;
    }
}

static bool check_target(tirbi_parser *p, const tirbi_node *node) {
    if (is_target(node)) return true;
    tirbi_syntax_error(p, node->span,
                       node->kind == TIRBI_NODE_CALL
                           ? "a call cannot be assigned to; elements of a buffer are in square brackets, A[i, j] = .."
                           : "this cannot be assigned to");
    return false;
}

static tirbi_line *read_assignment(tirbi_parser *p, tirbi_node *target, uint32_t begin) {
    if (!check_target(p, target)) return NULL;
    tirbi_list further = {.n = 0};
    tirbi_node *value = tirbi_expression_list(p);
    while (value && p->syntax->is_python && tirbi_accept(p, TIRBI_TOKEN_ASSIGN)) {
        tirbi_line *other = check_target(p, value) ? make_line(p, TIRBI_LINE_ASSIGN, value->span.begin) : NULL;
        if (!add_line(p, &further, other)) return NULL;
        other->target = value;
        value = tirbi_expression_list(p);
    }
    if (!value) return NULL;
    if (tirbi_at(p, TIRBI_TOKEN_ASSIGN)) {
        tirbi_syntax_error(p, tirbi_peek(p)->span,
                           "assignments like 'a = b = c' are not part of the language; write two lines");
        return NULL;
    }
    tirbi_line *line = make_line(p, TIRBI_LINE_ASSIGN, begin);
    if (!line) return NULL;
    line->target = target;
    line->value = value;
    line->orelse = (tirbi_lines){.items = further.items, .n = further.n};
    return line;
}

static tirbi_line *read_annotated(tirbi_parser *p, tirbi_node *target, uint32_t begin) {
    if (target->kind != TIRBI_NODE_NAME) {
        tirbi_syntax_error(
            p, target->span,
            "only a name can have a type annotation; what a block follows is if, elif, else, for, while, with, "
            "def or class");
        return NULL;
    }
    tirbi_node *annotation = tirbi_expression(p), *value = NULL;
    if (!annotation) return NULL;
    if (tirbi_accept(p, TIRBI_TOKEN_ASSIGN)) {
        value = tirbi_expression_list(p);
        if (!value) return NULL;
    }
    tirbi_line *line = make_line(p, TIRBI_LINE_ANNOTATED, begin);
    if (!line) return NULL;
    line->target = target;
    line->annotation = annotation;
    line->value = value;
    return line;
}

static const char *instead_of_keyword(tirbi_token_kind kind) {
    switch (kind) {
    case TIRBI_KEYWORD_RAISE:
        return "; write `assert condition, \"message\"`";
    case TIRBI_KEYWORD_TRY:
    case TIRBI_KEYWORD_EXCEPT:
    case TIRBI_KEYWORD_FINALLY:
        return ": a kernel has no exceptions; test with `if` first";
    case TIRBI_KEYWORD_GLOBAL:
    case TIRBI_KEYWORD_NONLOCAL:
        return "; make the value a parameter";
    case TIRBI_KEYWORD_DEL:
        return "; leave it out: a buffer ends with its block";
    case TIRBI_KEYWORD_YIELD:
        return "; store the values into a buffer";
    default:
        return "";
    }
}

static tirbi_line *read_expression_line(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    const tirbi_token *token = tirbi_peek(p);
    if (token->kind == TIRBI_TOKEN_NAME && strcmp(token->as.text, "match") == 0 && token[1].kind == TIRBI_TOKEN_NAME) {
        tirbi_syntax_error(p, token->span, "'match' is not part of the language; write `if` and `elif`");
        return NULL;
    }
    tirbi_node *value = tirbi_expression_list(p);
    if (!value) return NULL;
    tirbi_token_kind op;
    if (tirbi_accept(p, TIRBI_TOKEN_ASSIGN)) return read_assignment(p, value, begin);
    if (tirbi_accept(p, TIRBI_TOKEN_COLON)) return read_annotated(p, value, begin);
    if (augmented_op(tirbi_peek(p)->kind, &op)) {
        p->at++;
        if (!check_target(p, value)) return NULL;
        tirbi_node *operand = tirbi_expression_list(p);
        tirbi_line *line = operand ? make_line(p, TIRBI_LINE_AUGMENTED, begin) : NULL;
        if (!line) return NULL;
        line->target = value;
        line->value = operand;
        line->op = op;
        return line;
    }
    if (tirbi_at(p, TIRBI_TOKEN_POWER_ASSIGN) || tirbi_at(p, TIRBI_TOKEN_MATMUL_ASSIGN)) {
        tirbi_syntax_error(p, tirbi_peek(p)->span, "the operator %s is not part of the language",
                           tirbi_token_text(tirbi_peek(p)->kind));
        return NULL;
    }
    tirbi_line *line = make_line(p, TIRBI_LINE_EXPR, begin);
    if (line) line->value = value;
    return line;
}

static tirbi_line *read_return(tirbi_parser *p, uint32_t begin) {
    tirbi_node *value = NULL;
    if (!tirbi_at(p, TIRBI_TOKEN_NEWLINE) && !tirbi_at(p, TIRBI_TOKEN_SEMICOLON)) {
        value = tirbi_expression_list(p);
        if (!value) return NULL;
    }
    tirbi_line *line = make_line(p, TIRBI_LINE_RETURN, begin);
    if (line) line->value = value;
    return line;
}

static tirbi_line *read_assert(tirbi_parser *p, uint32_t begin) {
    tirbi_node *condition = tirbi_expression(p), *message = NULL;
    if (!condition) return NULL;
    if (tirbi_accept(p, TIRBI_TOKEN_COMMA)) {
        message = tirbi_expression(p);
        if (!message) return NULL;
    }
    tirbi_line *line = make_line(p, TIRBI_LINE_ASSERT, begin);
    if (!line) return NULL;
    line->value = condition;
    line->target = message;
    return line;
}

/* ---- Imports ---------------------------------------------------------------------------------------------------- */

static const char *read_dotted(tirbi_parser *p) {
    const char *name = NULL;
    do {
        const tirbi_token *token = tirbi_peek(p);
        if (!tirbi_expect(p, TIRBI_TOKEN_NAME, "a name")) return NULL;
        name = name ? tirbi_arena_format(p->arena, "%s.%s", name, token->as.text) : token->as.text;
    } while (name && tirbi_accept(p, TIRBI_TOKEN_DOT));
    return name;
}

static bool read_import_item(tirbi_parser *p, const char *module, tirbi_list *imports) {
    const tirbi_token *token = tirbi_peek(p);
    tirbi_import import = {.module = module};
    if (module) {
        if (tirbi_at(p, TIRBI_TOKEN_MUL)) {
            tirbi_syntax_error(p, token->span, "'import *' is not part of the language");
            return false;
        }
        if (!tirbi_expect(p, TIRBI_TOKEN_NAME, "a name")) return false;
        import.name = import.as = token->as.text;
    } else {
        import.module = read_dotted(p);
        if (!import.module) return false;
        import.as = token->as.text;
    }
    if (tirbi_accept(p, TIRBI_KEYWORD_AS)) {
        import.as = tirbi_peek(p)->as.text;
        if (!tirbi_expect(p, TIRBI_TOKEN_NAME, "a name after 'as'")) return false;
    }
    import.span = tirbi_span_from(p, token->span.begin);
    tirbi_import *slot = TIRBI_LIST_ADD(p->arena, imports, tirbi_import);
    if (slot) *slot = import;
    return slot != NULL;
}

static tirbi_line *read_import(tirbi_parser *p, bool from, uint32_t begin) {
    const char *module = NULL;
    tirbi_list imports = {.n = 0};
    if (from) {
        module = read_dotted(p);
        if (!module || !tirbi_expect(p, TIRBI_KEYWORD_IMPORT, "'import'")) return NULL;
    }
    bool parentheses = from && tirbi_accept(p, TIRBI_TOKEN_LPAREN);
    do {
        if (parentheses && tirbi_at(p, TIRBI_TOKEN_RPAREN)) break;
        if (!read_import_item(p, module, &imports)) return NULL;
    } while (tirbi_accept(p, TIRBI_TOKEN_COMMA));
    if (parentheses && !tirbi_expect(p, TIRBI_TOKEN_RPAREN, "')'")) return NULL;
    tirbi_line *line = make_line(p, TIRBI_LINE_IMPORT, begin);
    if (!line) return NULL;
    line->imports = imports.items;
    line->n_imports = imports.n;
    return line;
}

static tirbi_line *read_simple(tirbi_parser *p) {
    const tirbi_token *token = tirbi_peek(p);
    uint32_t begin = token->span.begin;
    switch (token->kind) {
    case TIRBI_KEYWORD_PASS:
        p->at++;
        return make_line(p, TIRBI_LINE_PASS, begin);
    case TIRBI_KEYWORD_BREAK:
        p->at++;
        return make_line(p, TIRBI_LINE_BREAK, begin);
    case TIRBI_KEYWORD_CONTINUE:
        p->at++;
        return make_line(p, TIRBI_LINE_CONTINUE, begin);
    case TIRBI_KEYWORD_RETURN:
        p->at++;
        return read_return(p, begin);
    case TIRBI_KEYWORD_ASSERT:
        p->at++;
        return read_assert(p, begin);
    case TIRBI_KEYWORD_IMPORT:
        p->at++;
        return read_import(p, false, begin);
    case TIRBI_KEYWORD_FROM:
        p->at++;
        return read_import(p, true, begin);
    case TIRBI_KEYWORD_DEL:
    case TIRBI_KEYWORD_RAISE:
    case TIRBI_KEYWORD_GLOBAL:
    case TIRBI_KEYWORD_NONLOCAL:
    case TIRBI_KEYWORD_TRY:
    case TIRBI_KEYWORD_EXCEPT:
    case TIRBI_KEYWORD_FINALLY:
    case TIRBI_KEYWORD_ASYNC:
    case TIRBI_KEYWORD_YIELD:
        tirbi_syntax_error(p, token->span, "%s is not part of the language%s", tirbi_token_text(token->kind),
                           instead_of_keyword(token->kind));
        return NULL;
    case TIRBI_KEYWORD_ELSE:
    case TIRBI_KEYWORD_ELIF:
        tirbi_syntax_error(p, token->span, "%s without an 'if' before it", tirbi_token_text(token->kind));
        return NULL;
    case TIRBI_TOKEN_INDENT:
        tirbi_syntax_error(p, token->span, "unexpected indentation");
        return NULL;
    default:
        return read_expression_line(p);
    }
}

static bool read_simple_line(tirbi_parser *p, tirbi_list *out) {
    do {
        if (tirbi_at(p, TIRBI_TOKEN_NEWLINE)) break;
        if (!add_line(p, out, read_simple(p))) return false;
    } while (tirbi_accept(p, TIRBI_TOKEN_SEMICOLON));
    return tirbi_expect(p, TIRBI_TOKEN_NEWLINE, "the end of the line");
}

/* ---- Compound statements ---------------------------------------------------------------------------------------- */

static tirbi_line *read_for(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    p->at++;
    tirbi_node *target = tirbi_target_list(p);
    if (!target || !check_target(p, target) || !tirbi_expect(p, TIRBI_KEYWORD_IN, "'in'")) return NULL;
    tirbi_node *value = tirbi_expression_list(p);
    tirbi_line *line = value ? make_line(p, TIRBI_LINE_FOR, begin) : NULL;
    if (!line) return NULL;
    line->target = target;
    line->value = value;
    if (!read_block(p, &line->body)) return NULL;
    if (tirbi_at(p, TIRBI_KEYWORD_ELSE)) {
        tirbi_syntax_error(p, tirbi_peek(p)->span, "'else' after a loop is not part of the language");
        return NULL;
    }
    return line;
}

static tirbi_line *read_while(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    p->at++;
    tirbi_node *value = tirbi_expression(p);
    tirbi_line *line = value ? make_line(p, TIRBI_LINE_WHILE, begin) : NULL;
    if (!line) return NULL;
    line->value = value;
    if (!read_block(p, &line->body)) return NULL;
    if (tirbi_at(p, TIRBI_KEYWORD_ELSE)) {
        tirbi_syntax_error(p, tirbi_peek(p)->span, "'else' after a loop is not part of the language");
        return NULL;
    }
    return line;
}

static bool one_line(tirbi_parser *p, tirbi_line *line, tirbi_lines *out) {
    tirbi_list lines = {.n = 0};
    if (!add_line(p, &lines, line)) return false;
    out->items = lines.items;
    out->n = lines.n;
    return true;
}

static tirbi_line *read_if(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    p->at++;
    tirbi_node *value = tirbi_expression(p);
    tirbi_line *line = value ? make_line(p, TIRBI_LINE_IF, begin) : NULL;
    if (!line) return NULL;
    line->value = value;
    if (!read_block(p, &line->body)) return NULL;
    if (tirbi_at(p, TIRBI_KEYWORD_ELIF)) {
        tirbi_line *other = tirbi_enter(p) ? read_if(p) : NULL;
        tirbi_leave(p);
        return other && one_line(p, other, &line->orelse) ? line : NULL;
    }
    if (tirbi_accept(p, TIRBI_KEYWORD_ELSE) && !read_block(p, &line->orelse)) return NULL;
    return line;
}

static bool read_with_item(tirbi_parser *p, tirbi_list *items) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    tirbi_node *value = tirbi_expression(p), *target = NULL;
    if (!value) return false;
    if (tirbi_accept(p, TIRBI_KEYWORD_AS)) {
        target = tirbi_target_list(p);
        if (!target || !check_target(p, target)) return false;
    }
    tirbi_line *line = make_line(p, TIRBI_LINE_WITH, begin);
    if (!line) return false;
    line->value = value;
    line->target = target;
    return add_line(p, items, line);
}

/* Whether the bracket at the cursor closes right before the ':' of the line: `with (a as b, c):`. */
static bool is_with_group(const tirbi_parser *p) {
    uint32_t depth = 0;
    bool named = false;
    for (uint32_t i = p->at;; i++) {
        tirbi_token_kind kind = p->tokens[i].kind;
        if (kind == TIRBI_TOKEN_END || kind == TIRBI_TOKEN_NEWLINE) return false;
        if (kind == TIRBI_TOKEN_LPAREN) depth++;
        if (kind == TIRBI_TOKEN_COMMA || kind == TIRBI_KEYWORD_AS) named |= depth == 1;
        if (kind == TIRBI_TOKEN_RPAREN && --depth == 0) return named && p->tokens[i + 1].kind == TIRBI_TOKEN_COLON;
    }
}

static tirbi_line *read_with(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    p->at++;
    tirbi_list items = {.n = 0};
    bool group = tirbi_at(p, TIRBI_TOKEN_LPAREN) && is_with_group(p);
    if (group) p->at++;
    do {
        if (group && tirbi_at(p, TIRBI_TOKEN_RPAREN)) break;
        if (!read_with_item(p, &items)) return NULL;
    } while (tirbi_accept(p, TIRBI_TOKEN_COMMA));
    if (group && !tirbi_expect(p, TIRBI_TOKEN_RPAREN, "')'")) return NULL;
    if (items.n > TIRBI_MAX_NESTING) {
        tirbi_syntax_error(p, tirbi_span_from(p, begin), "more than %d levels are nested here", TIRBI_MAX_NESTING);
        return NULL;
    }
    tirbi_line **lines = items.items;
    lines[0]->span.begin = begin;
    if (!read_block(p, &lines[items.n - 1]->body)) return NULL;
    for (uint32_t i = items.n - 1; i > 0; i--)
        if (!one_line(p, lines[i], &lines[i - 1]->body)) return NULL;
    return lines[0];
}

/* The stars before a parameter: what it is, or for a bare `*` what those behind it are. */
static bool read_stars(tirbi_parser *p, tirbi_parameter_kind *kind, bool *named) {
    const tirbi_token *token = tirbi_peek(p);
    if (*kind == TIRBI_PARAMETER_KEYWORDS || token->kind == TIRBI_TOKEN_DIV ||
        (*kind != TIRBI_PARAMETER_PLAIN && token->kind == TIRBI_TOKEN_MUL)) {
        tirbi_syntax_error(p, token->span, "%s here among parameters is not part of the language",
                           tirbi_token_text(token->kind));
        return false;
    }
    if (*kind == TIRBI_PARAMETER_REST) *kind = TIRBI_PARAMETER_KEYWORD;
    if (tirbi_accept(p, TIRBI_TOKEN_POWER)) {
        *kind = TIRBI_PARAMETER_KEYWORDS;
    } else if (tirbi_accept(p, TIRBI_TOKEN_MUL)) {
        *named = !tirbi_at(p, TIRBI_TOKEN_COMMA);
        *kind = *named ? TIRBI_PARAMETER_REST : TIRBI_PARAMETER_KEYWORD;
    }
    return true;
}

static bool read_parameters(tirbi_parser *p, tirbi_line *line) {
    tirbi_list parameters = {.n = 0};
    tirbi_parameter_kind kind = TIRBI_PARAMETER_PLAIN;
    if (!tirbi_expect(p, TIRBI_TOKEN_LPAREN, "'('")) return false;
    while (!tirbi_at(p, TIRBI_TOKEN_RPAREN)) {
        bool named = true;
        if (!read_stars(p, &kind, &named)) return false;
        const tirbi_token *token = tirbi_peek(p);
        if (named) {
            if (!tirbi_expect(p, TIRBI_TOKEN_NAME, "a parameter name")) return false;
            tirbi_parameter *slot = TIRBI_LIST_ADD(p->arena, &parameters, tirbi_parameter);
            if (!slot) return false;
            slot->name = token->as.text;
            slot->kind = kind;
            slot->span = token->span;
            if (tirbi_accept(p, TIRBI_TOKEN_COLON) && !(slot->annotation = tirbi_expression(p))) return false;
            if (tirbi_accept(p, TIRBI_TOKEN_ASSIGN) && !(slot->initial = tirbi_expression(p))) return false;
        }
        if (!tirbi_accept(p, TIRBI_TOKEN_COMMA)) break;
    }
    line->parameters = parameters.items;
    line->n_parameters = parameters.n;
    return tirbi_expect(p, TIRBI_TOKEN_RPAREN, "',' or ')'");
}

static bool read_type_parameters(tirbi_parser *p, tirbi_line *line) {
    tirbi_list names = {.n = 0};
    if (!tirbi_accept(p, TIRBI_TOKEN_LBRACKET)) return true;
    while (!tirbi_at(p, TIRBI_TOKEN_RBRACKET)) {
        const tirbi_token *token = tirbi_peek(p);
        if (!tirbi_expect(p, TIRBI_TOKEN_NAME, "a type parameter")) return false;
        const char **slot = TIRBI_LIST_ADD(p->arena, &names, const char *);
        if (!slot) return false;
        *slot = token->as.text;
        if (!tirbi_accept(p, TIRBI_TOKEN_COMMA)) break;
    }
    line->type_parameters = names.items;
    line->n_type_parameters = names.n;
    return tirbi_expect(p, TIRBI_TOKEN_RBRACKET, "',' or ']'");
}

static tirbi_line *read_def(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    p->at++;
    const tirbi_token *name = tirbi_peek(p);
    if (!tirbi_expect(p, TIRBI_TOKEN_NAME, "a function name")) return NULL;
    tirbi_line *line = make_line(p, TIRBI_LINE_DEF, begin);
    if (!line) return NULL;
    line->name = name->as.text;
    line->name_span = name->span;
    if (!read_type_parameters(p, line) || !read_parameters(p, line)) return NULL;
    if (tirbi_accept(p, TIRBI_TOKEN_ARROW) && !(line->annotation = tirbi_expression(p))) return NULL;
    line->span = tirbi_span_from(p, begin);
    return read_block(p, &line->body) ? line : NULL;
}

static tirbi_line *read_class(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    p->at++;
    const tirbi_token *name = tirbi_peek(p);
    if (!tirbi_expect(p, TIRBI_TOKEN_NAME, "a class name")) return NULL;
    tirbi_line *line = make_line(p, TIRBI_LINE_CLASS, begin);
    if (!line) return NULL;
    line->name = name->as.text;
    line->name_span = name->span;
    if (tirbi_accept(p, TIRBI_TOKEN_LPAREN) && !tirbi_accept(p, TIRBI_TOKEN_RPAREN)) {
        tirbi_syntax_error(p, tirbi_peek(p)->span, "base classes are not part of the language");
        return NULL;
    }
    return read_block(p, &line->body) ? line : NULL;
}

static tirbi_line *read_decorated(tirbi_parser *p) {
    tirbi_list decorators = {.n = 0};
    while (tirbi_accept(p, TIRBI_TOKEN_AT)) {
        tirbi_node *node = tirbi_expression(p);
        if (!node || !tirbi_expect(p, TIRBI_TOKEN_NEWLINE, "the end of the line")) return NULL;
        tirbi_node **slot = TIRBI_LIST_ADD(p->arena, &decorators, tirbi_node *);
        if (!slot) return NULL;
        *slot = node;
    }
    tirbi_line *line = NULL;
    if (tirbi_at(p, TIRBI_KEYWORD_DEF))
        line = read_def(p);
    else if (tirbi_at(p, TIRBI_KEYWORD_CLASS))
        line = read_class(p);
    else
        tirbi_syntax_error(p, tirbi_peek(p)->span, "expected 'def' or 'class' after a decorator, found %s",
                           tirbi_token_text(tirbi_peek(p)->kind));
    if (!line) return NULL;
    line->decorators = decorators.items;
    line->n_decorators = decorators.n;
    return line;
}

static bool read_statement(tirbi_parser *p, tirbi_list *out) {
    uint32_t depth = p->depth;
    bool read;
    switch (tirbi_peek(p)->kind) {
    case TIRBI_KEYWORD_FOR:
        read = add_line(p, out, read_for(p));
        break;
    case TIRBI_KEYWORD_WHILE:
        read = add_line(p, out, read_while(p));
        break;
    case TIRBI_KEYWORD_IF:
        read = add_line(p, out, read_if(p));
        break;
    case TIRBI_KEYWORD_WITH:
        read = add_line(p, out, read_with(p));
        break;
    case TIRBI_KEYWORD_DEF:
        read = add_line(p, out, read_def(p));
        break;
    case TIRBI_KEYWORD_CLASS:
        read = add_line(p, out, read_class(p));
        break;
    case TIRBI_TOKEN_AT:
        read = add_line(p, out, read_decorated(p));
        break;
    default:
        read = read_simple_line(p, out);
        break;
    }
    p->depth = depth;
    return read;
}

bool tirbi_parse_passage(const tirbi_syntax *syntax, const tirbi_tokens *tokens, const tirbi_passage *passage,
                         tirbi_lines *out) {
    tirbi_parser p = {
        .syntax = syntax, .arena = syntax->arena, .tokens = tokens->items, .all = tokens, .at = passage->begin};
    tirbi_list lines = {.n = 0};
    while (p.at < passage->end && !tirbi_at(&p, TIRBI_TOKEN_END) && !p.arena->failed) {
        if (tirbi_accept(&p, TIRBI_TOKEN_NEWLINE) || tirbi_accept(&p, TIRBI_TOKEN_DEDENT)) continue;
        if (!read_statement(&p, &lines)) skip_statement(&p);
    }
    out->items = lines.items;
    out->n = lines.n;
    return !p.arena->failed;
}
