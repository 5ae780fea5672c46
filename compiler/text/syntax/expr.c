/* Expressions of the surface tree, by recursive descent and precedence climbing. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/text/syntax/parser.h"
#include "loader/base/checked.h"

/* ---- Helpers ---------------------------------------------------------------------------------------------------- */

void tirbi_syntax_error(tirbi_parser *p, tirbi_span span, const char *format, ...) {
    if (p->failed) return;
    p->failed = true;
    const tirbi_token *token = tirbi_peek(p);
    if (token->kind == TIRBI_TOKEN_BAD) {
        if (token->as.text) tirbi_report_error(p->syntax->diagnostics, TIRB_SYNTAX, token->span, "%s", token->as.text);
        return;
    }
    for (uint32_t i = 0; i < p->all->n_broken; i++)
        if (span.begin >= p->all->broken[i].begin && span.begin <= p->all->broken[i].end) return;
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    tirbi_report_error(p->syntax->diagnostics, TIRB_SYNTAX, span, "%s", message);
}

bool tirbi_accept(tirbi_parser *p, tirbi_token_kind kind) {
    if (!tirbi_at(p, kind)) return false;
    if (kind != TIRBI_TOKEN_END) p->at++;
    return true;
}

static bool begins_operand(tirbi_token_kind kind) {
    return kind == TIRBI_TOKEN_NAME || kind == TIRBI_TOKEN_INT || kind == TIRBI_TOKEN_FLOAT;
}

/* `int x`, as C declares a variable: what its type is called here. */
static const char *type_before(const tirbi_token *token) {
    static const char *const types[][2] = {{"int", "T.int32"},      {"float", "T.float32"}, {"double", "T.float64"},
                                           {"bool", "T.bool"},      {"char", "T.int8"},     {"long", "T.int64"},
                                           {"unsigned", "T.uint32"}};
    for (size_t i = 0; i < sizeof types / sizeof *types && token->kind == TIRBI_TOKEN_NAME; i++)
        if (strcmp(types[i][0], token->as.text) == 0) return types[i][1];
    return NULL;
}

/* What to write where another language's habit stands instead of what was expected; "" where none is recognized. */
static const char *habit_at(const tirbi_parser *p, tirbi_token_kind expected, char text[static 80]) {
    const tirbi_token *token = tirbi_peek(p);
    const char *type = p->at > 0 ? type_before(token - 1) : NULL;
    if (expected == TIRBI_KEYWORD_IN) return "; write `for i in range(n):`";
    if (expected == TIRBI_TOKEN_COLON && token->kind == TIRBI_TOKEN_LBRACE)
        return "; a block stands indented behind a ':', without braces";
    if (expected == TIRBI_TOKEN_COLON && token->kind == TIRBI_TOKEN_NAME && strcmp(token->as.text, "then") == 0)
        return "; leave it out";
    if (expected != TIRBI_TOKEN_NEWLINE) return "";
    if (token->kind == TIRBI_TOKEN_ARROW) return "; write '.'";
    if (token->kind == TIRBI_TOKEN_NAME && p->at > 2 && token[-1].kind == TIRBI_TOKEN_RPAREN &&
        type_before(token - 2)) {
        snprintf(text, 80, "; write %s(%.30s)", type_before(token - 2), token->as.text);
        return text;
    }
    if (token->kind == TIRBI_TOKEN_NAME && type) {
        snprintf(text, 80, "; write `%.30s: %s = ..`", token->as.text, type);
        return text;
    }
    return begins_operand(token->kind) ? "; an operator is missing before it" : "";
}

bool tirbi_expect(tirbi_parser *p, tirbi_token_kind kind, const char *what) {
    char text[80];
    if (tirbi_accept(p, kind)) return true;
    tirbi_syntax_error(p, tirbi_peek(p)->span, "expected %s, found %s%s", what, tirbi_token_text(tirbi_peek(p)->kind),
                       habit_at(p, kind, text));
    return false;
}

bool tirbi_enter(tirbi_parser *p) {
    if (p->depth++ < TIRBI_MAX_NESTING) return true;
    tirbi_syntax_error(p, tirbi_peek(p)->span, "more than %d levels are nested here", TIRBI_MAX_NESTING);
    return false;
}

tirbi_span tirbi_span_from(const tirbi_parser *p, uint32_t begin) {
    return (tirbi_span){begin,
                        p->at > 0 && p->tokens[p->at - 1].span.end > begin ? p->tokens[p->at - 1].span.end : begin};
}

tirbi_node *tirbi_make_node(tirbi_parser *p, tirbi_node_kind kind, tirbi_span span, tirbi_node *const *items,
                            uint32_t n_items) {
    size_t bytes = 0;
    bool fits =
        tirbi_mul_size(n_items, sizeof(tirbi_node *), &bytes) && tirbi_add_size(bytes, sizeof(tirbi_node), &bytes);
    tirbi_node *node = fits ? tirbi_arena_alloc(p->arena, bytes, 1) : NULL;
    if (!node) {
        p->failed = true;
        return NULL;
    }
    tirbi_node **copy = (tirbi_node **)(node + 1);
    if (n_items) memcpy(copy, items, n_items * sizeof *copy);
    *node = (tirbi_node){.kind = (uint8_t)kind, .span = span, .height = 1, .n_items = n_items, .items = copy};
    for (uint32_t i = 0; i < n_items; i++)
        if (copy[i] && copy[i]->height >= node->height) node->height = (uint16_t)(copy[i]->height + 1);
    if (node->height > TIRBI_MAX_HEIGHT) {
        tirbi_syntax_error(p, span, "the expression is more than %d operators deep", TIRBI_MAX_HEIGHT);
        return NULL;
    }
    return node;
}

static bool add_item(tirbi_parser *p, tirbi_list *list, tirbi_node *node) {
    if (!node) return false;
    tirbi_node **slot = TIRBI_LIST_ADD(p->arena, list, tirbi_node *);
    if (!slot) {
        p->failed = true;
        return false;
    }
    *slot = node;
    return true;
}

static tirbi_node *no_such_thing(tirbi_parser *p, const char *what) {
    tirbi_syntax_error(p, tirbi_peek(p)->span, "%s not part of the language", what);
    return NULL;
}

/* ---- Displays --------------------------------------------------------------------------------------------------- */

static tirbi_node *starred_or_expression(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    if (tirbi_at(p, TIRBI_TOKEN_POWER)) return no_such_thing(p, "'**' here is");
    if (!tirbi_accept(p, TIRBI_TOKEN_MUL)) return tirbi_expression(p);
    tirbi_node *value = tirbi_expression(p);
    return value ? tirbi_make_node(p, TIRBI_NODE_STARRED, tirbi_span_from(p, begin), &value, 1) : NULL;
}

static tirbi_node *read_boolean(tirbi_parser *p, tirbi_token_kind op);

/* `for .. in .. if ..`, as often as it stands there, behind the element. */
static tirbi_node *read_clauses(tirbi_parser *p, tirbi_node *element, bool of_dictionary) {
    tirbi_list clauses = {.n = 0};
    if (!add_item(p, &clauses, element)) return NULL;
    if (tirbi_at(p, TIRBI_KEYWORD_ASYNC)) return no_such_thing(p, "'async' is");
    while (tirbi_at(p, TIRBI_KEYWORD_FOR)) {
        uint32_t begin = tirbi_peek(p)->span.begin;
        tirbi_list parts = {.n = 0};
        p->at++;
        if (!add_item(p, &parts, tirbi_target_list(p)) || !tirbi_expect(p, TIRBI_KEYWORD_IN, "'in'")) return NULL;
        if (!add_item(p, &parts, read_boolean(p, TIRBI_KEYWORD_OR))) return NULL;
        while (tirbi_accept(p, TIRBI_KEYWORD_IF))
            if (!add_item(p, &parts, read_boolean(p, TIRBI_KEYWORD_OR))) return NULL;
        if (!add_item(p, &clauses,
                      tirbi_make_node(p, TIRBI_NODE_CLAUSE, tirbi_span_from(p, begin), parts.items, parts.n)))
            return NULL;
    }
    tirbi_node *node =
        tirbi_make_node(p, TIRBI_NODE_COMPREHENSION, tirbi_span_from(p, element->span.begin), clauses.items, clauses.n);
    if (node) node->name = of_dictionary ? "" : NULL;
    return node;
}

static bool at_clause(const tirbi_parser *p) {
    return tirbi_at(p, TIRBI_KEYWORD_FOR) || tirbi_at(p, TIRBI_KEYWORD_ASYNC);
}

/* The last item becomes the element of a comprehension that has to be alone. */
static bool comprehend(tirbi_parser *p, tirbi_list *items) {
    tirbi_node **nodes = items->items;
    if (items->n != 1 || nodes[0]->kind == TIRBI_NODE_STARRED) {
        tirbi_syntax_error(p, tirbi_peek(p)->span, "a comprehension stands alone in its brackets");
        return false;
    }
    nodes[0] = read_clauses(p, nodes[0], false);
    return nodes[0] != NULL;
}

/* Items up to `close`; sets *comma when there is one after any of them. */
static bool read_items(tirbi_parser *p, tirbi_list *items, tirbi_token_kind close, bool *comma) {
    *comma = false;
    while (!tirbi_at(p, close)) {
        if (!add_item(p, items, starred_or_expression(p))) return false;
        if (at_clause(p)) {
            if (!comprehend(p, items)) return false;
            break;
        }
        if (!tirbi_accept(p, TIRBI_TOKEN_COMMA)) break;
        *comma = true;
    }
    return tirbi_expect(p, close, close == TIRBI_TOKEN_RPAREN ? "',' or ')'" : "',' or ']'");
}

static tirbi_node *read_parentheses(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    p->at++;
    tirbi_list items = {.n = 0};
    bool comma;
    if (tirbi_at(p, TIRBI_KEYWORD_YIELD)) return no_such_thing(p, "'yield' is");
    if (!read_items(p, &items, TIRBI_TOKEN_RPAREN, &comma)) return NULL;
    tirbi_node **nodes = items.items;
    if (items.n == 1 && !comma && nodes[0]->kind != TIRBI_NODE_STARRED) {
        nodes[0]->span = tirbi_span_from(p, begin);
        return nodes[0];
    }
    return tirbi_make_node(p, TIRBI_NODE_TUPLE, tirbi_span_from(p, begin), nodes, items.n);
}

static tirbi_node *read_list(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    p->at++;
    tirbi_list items = {.n = 0};
    bool comma;
    if (!read_items(p, &items, TIRBI_TOKEN_RBRACKET, &comma)) return NULL;
    tirbi_node **nodes = items.items;
    if (items.n == 1 && nodes[0]->kind == TIRBI_NODE_COMPREHENSION && !comma) return nodes[0];
    return tirbi_make_node(p, TIRBI_NODE_LIST, tirbi_span_from(p, begin), items.items, items.n);
}

static tirbi_node *read_dict(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    p->at++;
    tirbi_list items = {.n = 0};
    while (!tirbi_at(p, TIRBI_TOKEN_RBRACE)) {
        if (tirbi_at(p, TIRBI_TOKEN_POWER)) return no_such_thing(p, "'**' in a dictionary is");
        if (!add_item(p, &items, tirbi_expression(p))) return NULL;
        if (tirbi_at(p, TIRBI_TOKEN_COMMA) || tirbi_at(p, TIRBI_TOKEN_RBRACE)) return no_such_thing(p, "sets are");
        if (!tirbi_expect(p, TIRBI_TOKEN_COLON, "':'") || !add_item(p, &items, tirbi_expression(p))) return NULL;
        if (at_clause(p)) {
            tirbi_node *pair =
                items.n == 2 ? tirbi_make_node(p, TIRBI_NODE_TUPLE, tirbi_span_from(p, begin), items.items, 2) : NULL;
            if (!pair) return no_such_thing(p, "a comprehension after other items is");
            tirbi_node *node = read_clauses(p, pair, true);
            return node && tirbi_expect(p, TIRBI_TOKEN_RBRACE, "'}'") ? node : NULL;
        }
        if (!tirbi_accept(p, TIRBI_TOKEN_COMMA)) break;
    }
    if (!tirbi_expect(p, TIRBI_TOKEN_RBRACE, "',' or '}'")) return NULL;
    return tirbi_make_node(p, TIRBI_NODE_DICT, tirbi_span_from(p, begin), items.items, items.n);
}

/* Adjacent strings are one. */
static tirbi_node *read_strings(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    const tirbi_token *first = tirbi_peek(p);
    const char *text = first->as.text;
    uint32_t size = first->size;
    for (p->at++; tirbi_at(p, TIRBI_TOKEN_STRING); p->at++) size += tirbi_peek(p)->size;
    if (size > first->size) {
        char *joined = tirbi_arena_alloc(p->syntax->names->arena, (size_t)size + 1, 1);
        if (!joined) {
            p->failed = true;
            return NULL;
        }
        text = joined;
        for (const tirbi_token *part = first; part < tirbi_peek(p); joined += part++->size) {
            memcpy(joined, part->as.text, part->size);
        }
    }
    tirbi_node *node = tirbi_make_node(p, TIRBI_NODE_STRING, tirbi_span_from(p, begin), NULL, 0);
    if (!node) return NULL;
    node->as.string.text = text;
    node->as.string.size = size;
    return node;
}

/* Strings and f-strings side by side are one text. */
static tirbi_node *read_texts(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    tirbi_list items = {.n = 0};
    while (tirbi_at(p, TIRBI_TOKEN_STRING) || tirbi_at(p, TIRBI_TOKEN_FSTRING))
        if (!add_item(p, &items, tirbi_at(p, TIRBI_TOKEN_STRING) ? read_strings(p) : tirbi_format_string(p)))
            return NULL;
    tirbi_node **nodes = items.items;
    if (items.n == 1) return nodes[0];
    return tirbi_make_node(p, TIRBI_NODE_FORMAT, tirbi_span_from(p, begin), nodes, items.n);
}

/* What to write instead of an operator of C, in front of whose end there is no expression. */
static const char *habit_of_c(const tirbi_parser *p) {
    const tirbi_token *token = tirbi_peek(p);
    bool and_so_on = p->at > 0 && token[-1].span.end == token->span.begin;
    if (and_so_on && token->kind == TIRBI_TOKEN_BITAND && token[-1].kind == TIRBI_TOKEN_BITAND) return "; write `and`";
    if (and_so_on && token->kind == TIRBI_TOKEN_BITOR && token[-1].kind == TIRBI_TOKEN_BITOR) return "; write `or`";
    const bool begins = p->at == 0 || token[-1].kind == TIRBI_TOKEN_NEWLINE || token[-1].kind == TIRBI_TOKEN_INDENT ||
                        token[-1].kind == TIRBI_TOKEN_DEDENT;
    if (begins && (token->kind == TIRBI_TOKEN_DIV || token->kind == TIRBI_TOKEN_FLOORDIV))
        return "; a comment begins with #";
    if (and_so_on && token->kind == TIRBI_TOKEN_GT && token[-1].kind == TIRBI_TOKEN_LT) return "; write `!=`";
    if (!begins && token->kind == TIRBI_TOKEN_BITAND) return "; write T.address_of(x) for an address";
    if (p->at < 2 || token->kind != TIRBI_TOKEN_NEWLINE || token[-1].kind != token[-2].kind) return "";
    return token[-1].kind == TIRBI_TOKEN_ADD   ? "; write `+= 1`"
           : token[-1].kind == TIRBI_TOKEN_SUB ? "; write `-= 1`"
                                               : "";
}

static tirbi_node *read_atom(tirbi_parser *p) {
    const tirbi_token *token = tirbi_peek(p);
    tirbi_node *node = NULL;
    switch (token->kind) {
    case TIRBI_TOKEN_NAME:
        node = tirbi_make_node(p, TIRBI_NODE_NAME, token->span, NULL, 0);
        if (node) node->name = token->as.text;
        break;
    case TIRBI_TOKEN_INT:
        node = tirbi_make_node(p, TIRBI_NODE_INT, token->span, NULL, 0);
        if (node) node->as.integer = token->as.integer;
        break;
    case TIRBI_TOKEN_FLOAT:
        node = tirbi_make_node(p, TIRBI_NODE_FLOAT, token->span, NULL, 0);
        if (node) node->as.real = token->as.real;
        break;
    case TIRBI_KEYWORD_TRUE:
    case TIRBI_KEYWORD_FALSE:
        node = tirbi_make_node(p, TIRBI_NODE_BOOL, token->span, NULL, 0);
        if (node) node->as.integer = token->kind == TIRBI_KEYWORD_TRUE;
        break;
    case TIRBI_KEYWORD_NONE:
        node = tirbi_make_node(p, TIRBI_NODE_NONE, token->span, NULL, 0);
        break;
    case TIRBI_TOKEN_STRING:
    case TIRBI_TOKEN_FSTRING:
        return read_texts(p);
    case TIRBI_TOKEN_LPAREN:
        return read_parentheses(p);
    case TIRBI_TOKEN_LBRACKET:
        return read_list(p);
    case TIRBI_TOKEN_LBRACE:
        return read_dict(p);
    case TIRBI_TOKEN_ELLIPSIS:
        return no_such_thing(p, "'...' is");
    case TIRBI_KEYWORD_YIELD:
        return no_such_thing(p, "'yield' is");
    default:
        tirbi_syntax_error(p, token->span, "expected an expression, found %s%s", tirbi_token_text(token->kind),
                           habit_of_c(p));
        return NULL;
    }
    p->at++;
    return node;
}

/* ---- Calls, attributes, subscripts ------------------------------------------------------------------------------ */

static tirbi_node *read_argument(tirbi_parser *p) {
    const tirbi_token *token = tirbi_peek(p);
    if (token->kind != TIRBI_TOKEN_NAME || token[1].kind != TIRBI_TOKEN_ASSIGN) return starred_or_expression(p);
    p->at += 2;
    tirbi_node *value = tirbi_expression(p);
    if (!value) return NULL;
    tirbi_node *node = tirbi_make_node(p, TIRBI_NODE_KEYWORD, tirbi_span_from(p, token->span.begin), &value, 1);
    if (node) node->name = token->as.text;
    return node;
}

static tirbi_node *read_call(tirbi_parser *p, tirbi_node *function) {
    tirbi_list items = {.n = 0};
    if (!add_item(p, &items, function)) return NULL;
    p->at++;
    while (!tirbi_at(p, TIRBI_TOKEN_RPAREN)) {
        if (!add_item(p, &items, read_argument(p))) return NULL;
        if (at_clause(p)) {
            tirbi_node **nodes = items.items, *argument = items.n == 2 ? read_clauses(p, nodes[1], false) : NULL;
            if (!argument) return no_such_thing(p, "a generator beside other arguments is");
            nodes[1] = argument;
            break;
        }
        if (!tirbi_accept(p, TIRBI_TOKEN_COMMA)) break;
    }
    if (!tirbi_expect(p, TIRBI_TOKEN_RPAREN, "',' or ')'")) return NULL;
    return tirbi_make_node(p, TIRBI_NODE_CALL, tirbi_span_from(p, function->span.begin), items.items, items.n);
}

static tirbi_node *read_slice_item(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    tirbi_node *parts[3] = {NULL, NULL, NULL};
    if (!tirbi_at(p, TIRBI_TOKEN_COLON)) {
        parts[0] = starred_or_expression(p);
        if (!parts[0] || !tirbi_at(p, TIRBI_TOKEN_COLON)) return parts[0];
    }
    for (int i = 1; i < 3 && tirbi_accept(p, TIRBI_TOKEN_COLON); i++) {
        if (tirbi_at(p, TIRBI_TOKEN_COLON) || tirbi_at(p, TIRBI_TOKEN_COMMA) || tirbi_at(p, TIRBI_TOKEN_RBRACKET))
            continue;
        parts[i] = tirbi_expression(p);
        if (!parts[i]) return NULL;
    }
    return tirbi_make_node(p, TIRBI_NODE_SLICE, tirbi_span_from(p, begin), parts, 3);
}

static tirbi_node *read_subscript(tirbi_parser *p, tirbi_node *object) {
    p->at++;
    uint32_t begin = tirbi_peek(p)->span.begin;
    tirbi_list items = {.n = 0};
    bool comma = false;
    while (!tirbi_at(p, TIRBI_TOKEN_RBRACKET)) {
        if (!add_item(p, &items, read_slice_item(p))) return NULL;
        if (!tirbi_accept(p, TIRBI_TOKEN_COMMA)) break;
        comma = true;
    }
    if (items.n == 0) {
        tirbi_syntax_error(p, tirbi_peek(p)->span, "an index is missing; a 0-dimensional buffer is indexed with [()]");
        return NULL;
    }
    tirbi_node **nodes = items.items;
    tirbi_node *index = nodes[0];
    if (items.n > 1 || comma || index->kind == TIRBI_NODE_STARRED)
        index = tirbi_make_node(p, TIRBI_NODE_TUPLE, tirbi_span_from(p, begin), nodes, items.n);
    if (!index || !tirbi_expect(p, TIRBI_TOKEN_RBRACKET, "',' or ']'")) return NULL;
    tirbi_node *parts[] = {object, index};
    return tirbi_make_node(p, TIRBI_NODE_SUBSCRIPT, tirbi_span_from(p, object->span.begin), parts, 2);
}

static tirbi_node *read_unary(tirbi_parser *p);

/* `**` binds closer than a sign on its left and less close than one on its right, and groups from the right. */
static tirbi_node *read_power(tirbi_parser *p, tirbi_node *base) {
    if (!tirbi_enter(p)) return NULL;
    p->at++;
    tirbi_node *parts[] = {base, read_unary(p)};
    tirbi_leave(p);
    if (!parts[1]) return NULL;
    tirbi_node *node = tirbi_make_node(p, TIRBI_NODE_BINARY, tirbi_span_from(p, base->span.begin), parts, 2);
    if (node) node->op = TIRBI_TOKEN_POWER;
    return node;
}

static tirbi_node *read_primary(tirbi_parser *p) {
    if (tirbi_at(p, TIRBI_KEYWORD_AWAIT)) return no_such_thing(p, "'await' is");
    tirbi_node *node = read_atom(p);
    while (node) {
        if (tirbi_accept(p, TIRBI_TOKEN_DOT)) {
            const tirbi_token *name = tirbi_peek(p);
            if (!tirbi_expect(p, TIRBI_TOKEN_NAME, "a name after '.'")) return NULL;
            node = tirbi_make_node(p, TIRBI_NODE_ATTRIBUTE, tirbi_span_from(p, node->span.begin), &node, 1);
            if (node) node->name = name->as.text;
        } else if (tirbi_at(p, TIRBI_TOKEN_LPAREN)) {
            node = read_call(p, node);
        } else if (tirbi_at(p, TIRBI_TOKEN_LBRACKET)) {
            node = read_subscript(p, node);
        } else {
            break;
        }
    }
    return node && tirbi_at(p, TIRBI_TOKEN_POWER) ? read_power(p, node) : node;
}

/* ---- Operators -------------------------------------------------------------------------------------------------- */

static tirbi_node *read_unary(tirbi_parser *p) {
    const tirbi_token *token = tirbi_peek(p);
    if (token->kind != TIRBI_TOKEN_SUB && token->kind != TIRBI_TOKEN_ADD && token->kind != TIRBI_TOKEN_BITNOT)
        return read_primary(p);
    if (!tirbi_enter(p)) return NULL;
    p->at++;
    tirbi_node *value = read_unary(p);
    tirbi_leave(p);
    if (!value) return NULL;
    tirbi_node *node = tirbi_make_node(p, TIRBI_NODE_UNARY, tirbi_span_from(p, token->span.begin), &value, 1);
    if (node) node->op = (uint8_t)token->kind;
    return node;
}

static int precedence(tirbi_token_kind op) {
    switch (op) {
    case TIRBI_TOKEN_BITOR:
        return 1;
    case TIRBI_TOKEN_BITXOR:
        return 2;
    case TIRBI_TOKEN_BITAND:
        return 3;
    case TIRBI_TOKEN_SHL:
    case TIRBI_TOKEN_SHR:
        return 4;
    case TIRBI_TOKEN_ADD:
    case TIRBI_TOKEN_SUB:
        return 5;
    case TIRBI_TOKEN_MUL:
    case TIRBI_TOKEN_DIV:
    case TIRBI_TOKEN_FLOORDIV:
    case TIRBI_TOKEN_MOD:
    case TIRBI_TOKEN_AT:
        return 6;
    default:
        return 0;
    }
}

static tirbi_node *read_binary(tirbi_parser *p, int lowest) {
    tirbi_node *left = read_unary(p);
    while (left) {
        tirbi_token_kind op = tirbi_peek(p)->kind;
        int level = precedence(op);
        if (level == 0 || level < lowest) break;
        if (op == TIRBI_TOKEN_AT)
            return no_such_thing(p, "the operator '@' (a loop that adds up products; in Relax R.matmul) is");
        p->at++;
        tirbi_node *right = read_binary(p, level + 1);
        if (!right) return NULL;
        tirbi_node *parts[] = {left, right};
        left = tirbi_make_node(p, TIRBI_NODE_BINARY, tirbi_span_from(p, left->span.begin), parts, 2);
        if (left) left->op = (uint8_t)op;
    }
    return left;
}

static bool accept_comparison(tirbi_parser *p, tirbi_token_kind *op) {
    *op = tirbi_peek(p)->kind;
    switch (*op) {
    case TIRBI_TOKEN_LT:
    case TIRBI_TOKEN_LE:
    case TIRBI_TOKEN_GT:
    case TIRBI_TOKEN_GE:
    case TIRBI_TOKEN_EQ:
    case TIRBI_TOKEN_NE:
        p->at++;
        return true;
    case TIRBI_KEYWORD_IN:
    case TIRBI_KEYWORD_IS:
        tirbi_syntax_error(p, tirbi_peek(p)->span, "the operator %s is not part of the language; write %s",
                           tirbi_token_text(*op), *op == TIRBI_KEYWORD_IS ? "`==`, or `!=`" : "`x == a or x == b`");
        return false;
    case TIRBI_KEYWORD_NOT:
        if (p->tokens[p->at + 1].kind == TIRBI_KEYWORD_IN)
            tirbi_syntax_error(p, tirbi_peek(p)->span,
                               "the operator 'not in' is not part of the language; write `x != a and x != b`");
        return false;
    default:
        return false;
    }
}

static tirbi_node *read_comparison(tirbi_parser *p) {
    tirbi_node *first = read_binary(p, 1);
    tirbi_token_kind op;
    if (!first || !accept_comparison(p, &op)) return p->failed ? NULL : first;
    tirbi_list items = {.n = 0}, ops = {.n = 0};
    if (!add_item(p, &items, first)) return NULL;
    do {
        tirbi_token_kind *slot = TIRBI_LIST_ADD(p->arena, &ops, tirbi_token_kind);
        if (!slot || !add_item(p, &items, read_binary(p, 1))) return NULL;
        *slot = op;
    } while (accept_comparison(p, &op));
    if (p->failed) return NULL;
    tirbi_node *node =
        tirbi_make_node(p, TIRBI_NODE_COMPARE, tirbi_span_from(p, first->span.begin), items.items, items.n);
    if (node) node->as.ops = ops.items;
    return node;
}

static tirbi_node *read_not(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    if (!tirbi_at(p, TIRBI_KEYWORD_NOT)) return read_comparison(p);
    if (!tirbi_enter(p)) return NULL;
    p->at++;
    tirbi_node *value = read_not(p);
    tirbi_leave(p);
    if (!value) return NULL;
    tirbi_node *node = tirbi_make_node(p, TIRBI_NODE_UNARY, tirbi_span_from(p, begin), &value, 1);
    if (node) node->op = TIRBI_KEYWORD_NOT;
    return node;
}

static tirbi_node *read_boolean(tirbi_parser *p, tirbi_token_kind op) {
    tirbi_node *first = op == TIRBI_KEYWORD_OR ? read_boolean(p, TIRBI_KEYWORD_AND) : read_not(p);
    if (!first || !tirbi_at(p, op)) return first;
    tirbi_list items = {.n = 0};
    if (!add_item(p, &items, first)) return NULL;
    while (tirbi_accept(p, op))
        if (!add_item(p, &items, op == TIRBI_KEYWORD_OR ? read_boolean(p, TIRBI_KEYWORD_AND) : read_not(p)))
            return NULL;
    tirbi_node *node =
        tirbi_make_node(p, TIRBI_NODE_BOOLEAN, tirbi_span_from(p, first->span.begin), items.items, items.n);
    if (node) node->op = (uint8_t)op;
    return node;
}

static tirbi_node *read_lambda(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    p->at++;
    tirbi_list names = {.n = 0};
    while (!tirbi_at(p, TIRBI_TOKEN_COLON)) {
        const tirbi_token *token = tirbi_peek(p);
        if (!tirbi_expect(p, TIRBI_TOKEN_NAME, "a plain parameter name of the lambda")) return NULL;
        const char **slot = TIRBI_LIST_ADD(p->arena, &names, const char *);
        if (!slot) return NULL;
        *slot = token->as.text;
        if (!tirbi_accept(p, TIRBI_TOKEN_COMMA)) break;
    }
    if (!tirbi_expect(p, TIRBI_TOKEN_COLON, "':'")) return NULL;
    tirbi_node *body = tirbi_expression(p);
    if (!body) return NULL;
    tirbi_node *node = tirbi_make_node(p, TIRBI_NODE_LAMBDA, tirbi_span_from(p, begin), &body, 1);
    if (!node) return NULL;
    node->as.lambda.names = names.items;
    node->as.lambda.n = names.n;
    return node;
}

static tirbi_node *read_ternary(tirbi_parser *p) {
    if (tirbi_at(p, TIRBI_KEYWORD_LAMBDA)) return read_lambda(p);
    tirbi_node *value = read_boolean(p, TIRBI_KEYWORD_OR);
    if (!value) return NULL;
    if (tirbi_at(p, TIRBI_TOKEN_WALRUS))
        return no_such_thing(p, "the operator ':=' (an assignment has a line of its own) is");
    if (!tirbi_accept(p, TIRBI_KEYWORD_IF)) return value;
    tirbi_node *condition = read_boolean(p, TIRBI_KEYWORD_OR);
    if (!condition || !tirbi_expect(p, TIRBI_KEYWORD_ELSE, "'else'")) return NULL;
    tirbi_node *other = tirbi_expression(p);
    if (!other) return NULL;
    tirbi_node *parts[] = {condition, value, other};
    return tirbi_make_node(p, TIRBI_NODE_TERNARY, tirbi_span_from(p, value->span.begin), parts, 3);
}

tirbi_node *tirbi_expression(tirbi_parser *p) {
    tirbi_node *node = tirbi_enter(p) ? read_ternary(p) : NULL;
    tirbi_leave(p);
    return node;
}

/* ---- Lists of expressions --------------------------------------------------------------------------------------- */

static bool ends_list(const tirbi_parser *p) {
    switch (tirbi_peek(p)->kind) {
    case TIRBI_TOKEN_END:
    case TIRBI_TOKEN_NEWLINE:
    case TIRBI_TOKEN_ASSIGN:
    case TIRBI_TOKEN_COLON:
    case TIRBI_TOKEN_SEMICOLON:
    case TIRBI_TOKEN_RPAREN:
    case TIRBI_KEYWORD_IN:
        return true;
    default:
        return false;
    }
}

static tirbi_node *comma_list(tirbi_parser *p, tirbi_node *(*read)(tirbi_parser *)) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    tirbi_node *first = read(p);
    if (!first || (!tirbi_at(p, TIRBI_TOKEN_COMMA) && first->kind != TIRBI_NODE_STARRED)) return first;
    tirbi_list items = {.n = 0};
    if (!add_item(p, &items, first)) return NULL;
    while (tirbi_accept(p, TIRBI_TOKEN_COMMA) && !ends_list(p))
        if (!add_item(p, &items, read(p))) return NULL;
    return tirbi_make_node(p, TIRBI_NODE_TUPLE, tirbi_span_from(p, begin), items.items, items.n);
}

tirbi_node *tirbi_expression_list(tirbi_parser *p) { return comma_list(p, starred_or_expression); }

static tirbi_node *target_item(tirbi_parser *p) {
    uint32_t begin = tirbi_peek(p)->span.begin;
    if (!tirbi_accept(p, TIRBI_TOKEN_MUL)) return read_primary(p);
    tirbi_node *value = read_primary(p);
    return value ? tirbi_make_node(p, TIRBI_NODE_STARRED, tirbi_span_from(p, begin), &value, 1) : NULL;
}

tirbi_node *tirbi_target_list(tirbi_parser *p) { return comma_list(p, target_item); }

tirbi_node *tirbi_parse_expression_at(const tirbi_syntax *syntax, const tirbi_tokens *tokens, uint32_t at,
                                      uint32_t *end) {
    tirbi_parser p = {.syntax = syntax, .arena = syntax->arena, .tokens = tokens->items, .all = tokens, .at = at};
    tirbi_node *node = tirbi_expression(&p);
    *end = p.at;
    return node;
}

tirbi_node *tirbi_parse_expression(const tirbi_syntax *syntax, const tirbi_tokens *tokens) {
    tirbi_parser p = {.syntax = syntax, .arena = syntax->arena, .tokens = tokens->items, .all = tokens};
    tirbi_node *node = tirbi_expression(&p);
    if (node && !tirbi_at(&p, TIRBI_TOKEN_END)) {
        tirbi_syntax_error(&p, tirbi_peek(&p)->span, "expected the end of the expression, found %s",
                           tirbi_token_text(tirbi_peek(&p)->kind));
        return NULL;
    }
    return node;
}
