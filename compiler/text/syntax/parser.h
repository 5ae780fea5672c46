/* What the two halves of the parser share. */
#ifndef TIRB_COMPILER_TEXT_SYNTAX_PARSER_H
#define TIRB_COMPILER_TEXT_SYNTAX_PARSER_H

#include "compiler/text/syntax/syntax.h"

typedef struct tirbi_parser {
    const tirbi_syntax *syntax;
    tirbi_arena *arena;
    const tirbi_token *tokens;
    const tirbi_tokens *all;
    uint32_t at;
    uint32_t depth;
    bool failed; /* the current statement cannot be read: reported */
} tirbi_parser;

static inline const tirbi_token *tirbi_peek(const tirbi_parser *p) { return &p->tokens[p->at]; }
static inline bool tirbi_at(const tirbi_parser *p, tirbi_token_kind kind) { return p->tokens[p->at].kind == kind; }
/* Steps over the token if it is of this kind. */
bool tirbi_accept(tirbi_parser *p, tirbi_token_kind kind);
/* The same, with an error that `what` was expected there. */
bool tirbi_expect(tirbi_parser *p, tirbi_token_kind kind, const char *what);
/* Reports an error, unless the statement has one already. */
void tirbi_syntax_error(tirbi_parser *p, tirbi_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Counts a level of nesting; false (reported) when there are too many. */
bool tirbi_enter(tirbi_parser *p);
static inline void tirbi_leave(tirbi_parser *p) { p->depth--; }
tirbi_span tirbi_span_from(const tirbi_parser *p, uint32_t begin);

tirbi_node *tirbi_make_node(tirbi_parser *p, tirbi_node_kind kind, tirbi_span span, tirbi_node *const *items,
                            uint32_t n_items);
/* The f-string at this place. */
tirbi_node *tirbi_format_string(tirbi_parser *p);
/* One expression without a bare comma. */
tirbi_node *tirbi_expression(tirbi_parser *p);
/* Expressions with commas: a tuple if there is one. Starred items may be among them. */
tirbi_node *tirbi_expression_list(tirbi_parser *p);
/* What may stand before `in`, `=`: names, tuples, subscripts. */
tirbi_node *tirbi_target_list(tirbi_parser *p);

#endif
