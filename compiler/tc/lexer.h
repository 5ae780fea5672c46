/* The text of Tensor Comprehensions to tokens. White space only separates them; comments are kept for the printer. */
#ifndef TIRB_COMPILER_TC_LEXER_H
#define TIRB_COMPILER_TC_LEXER_H

#include "compiler/ir/types.h"
#include "compiler/source/names.h"
#include "compiler/source/source.h"
#include "compiler/tc/syntax.h"

typedef enum tirbi_tc_token_kind {
    TIRBI_TC_TOKEN_END,
    TIRBI_TC_TOKEN_NAME,
    TIRBI_TC_TOKEN_INT,
    TIRBI_TC_TOKEN_FLOAT,
    TIRBI_TC_TOKEN_DIM,  /* `.2` right behind a name: its dimension `integer` */
    TIRBI_TC_TOKEN_TYPE, /* a reserved word */
    TIRBI_TC_TOKEN_BAD,  /* reported */
#define TIRBI_TC_PUNCT(name, text)   TIRBI_TC_TOKEN_##name,
#define TIRBI_TC_KEYWORD(name, text) TIRBI_TC_TOKEN_##name,
#include "compiler/tc/token.def"
    TIRBI_TC_N_TOKENS
} tirbi_tc_token_kind;

typedef struct tirbi_tc_token {
    tirbi_tc_token_kind kind;
    tirbi_span span;
    bool begins_line; /* the first of its line */
    const char *text; /* NAME, TYPE: interned */
    union {
        int64_t integer;
        double real;
        tirb_datatype dtype; /* TYPE */
        uint32_t partner;    /* LPAREN: the number of its RPAREN; 0: it is never closed */
    } value;
} tirbi_tc_token;

typedef struct tirbi_tc_tokens {
    const tirbi_tc_token *items; /* ends with END */
    uint32_t n;
    const tirbi_tc_comment *comments; /* in the order of the text */
    uint32_t n_comments;
} tirbi_tc_tokens;

/* False when out of memory. */
bool tirbi_tc_lex(const tirbi_source *source, tirbi_arena *arena, tirbi_diagnostics *diagnostics, tirbi_tc_tokens *out);
/* What a token is called in a message: "','", "a name", "the end of the text". */
const char *tirbi_tc_token_text(tirbi_tc_token_kind kind);
/* The type of a name that is no reserved word but is one where only a type may stand: `int`, `half`. */
bool tirbi_tc_alias(const char *name, tirb_datatype *out);
/* Function `index` of the language, and a function by its name; NULL when there is no such one. */
const tirbi_tc_builtin *tirbi_tc_builtin_at(uint32_t index);
const tirbi_tc_builtin *tirbi_tc_find_builtin(const char *name);

#endif
