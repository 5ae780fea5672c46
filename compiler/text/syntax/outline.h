/* A file of Python as statements of which only the tokens are known: where each begins and ends, by Python's block
 * structure, and which names it binds. Nothing is parsed, so that any Python may stand there. */
#ifndef TIRB_COMPILER_TEXT_SYNTAX_OUTLINE_H
#define TIRB_COMPILER_TEXT_SYNTAX_OUTLINE_H

#include "compiler/text/syntax/lexer.h"

/* A statement: tokens begin .. end, with the decorators before it and the clauses that belong to it. */
typedef struct tirbi_passage {
    tirbi_token_kind kind; /* of its first token */
    uint32_t begin, end;
} tirbi_passage;

/* `if x: ...`, `else: ...`: its block is the tokens body .. body_end. */
typedef struct tirbi_clause {
    tirbi_token_kind kind;
    uint32_t begin, body, body_end, end;
} tirbi_clause;

/* The first statement of tokens at .. end; false where there is none. */
bool tirbi_next_passage(const tirbi_token *tokens, uint32_t at, uint32_t end, tirbi_passage *out);
/* The clause of a compound statement that begins at this token. */
tirbi_clause tirbi_read_clause(const tirbi_token *tokens, uint32_t at, uint32_t end);

typedef enum tirbi_effect {
    TIRBI_EFFECT_ASSIGNS, /* it is the target of an assignment */
    TIRBI_EFFECT_BINDS,   /* it is bound by other means: an import, a loop, `as`, `def`, `:=`, `del` ... */
    TIRBI_EFFECT_CHANGES  /* what it is bound to is changed: x[0] = 1, x.append(1) */
} tirbi_effect;

typedef void (*tirbi_effect_handler)(void *context, const tirbi_token *name, tirbi_effect effect);

/* Calls the handler for each name outside of functions and classes that the tokens may bind, and for those that a
 * function declares global. */
void tirbi_find_bindings(const tirbi_token *tokens, uint32_t begin, uint32_t end, tirbi_effect_handler handler,
                         void *context);

#endif
