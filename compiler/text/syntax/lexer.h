/* Source text to tokens, as Python reads it: indentation, lines joined in brackets and by backslash, comments, numbers
 * and strings. */
#ifndef TIRB_COMPILER_TEXT_SYNTAX_LEXER_H
#define TIRB_COMPILER_TEXT_SYNTAX_LEXER_H

#include "compiler/ir/builder.h"
#include "compiler/source/names.h"
#include "compiler/source/source.h"

typedef enum tirbi_token_kind {
    TIRBI_TOKEN_END,
    TIRBI_TOKEN_NEWLINE,
    TIRBI_TOKEN_INDENT,
    TIRBI_TOKEN_DEDENT,
    TIRBI_TOKEN_NAME,
    TIRBI_TOKEN_INT,
    TIRBI_TOKEN_FLOAT,
    TIRBI_TOKEN_STRING,
    TIRBI_TOKEN_FSTRING,
    TIRBI_TOKEN_BAD, /* reported already, or Python that the language has not: `text` says what it is */
#define TIRBI_PUNCT(name, text) TIRBI_TOKEN_##name,
#include "compiler/text/syntax/token.def"
#undef TIRBI_PUNCT
#define TIRBI_KEYWORD(name, text) TIRBI_KEYWORD_##name,
#include "compiler/text/syntax/keyword.def"
#undef TIRBI_KEYWORD
    TIRBI_N_TOKENS
} tirbi_token_kind;

/* There are more of them than of anything else. */
typedef struct tirbi_token {
    tirbi_token_kind kind;
    tirbi_span span;
    uint32_t size; /* STRING: bytes */
    union {
        const char *text; /* NAME and keywords: interned; STRING: its value; BAD; NULL of other signs */
        uint64_t integer;
        double real;
    } as;
} tirbi_token;

typedef enum tirbi_dialect {
    TIRBI_DIALECT_UNKNOWN,
    TIRBI_DIALECT_TIRX,
    TIRBI_DIALECT_CLASSIC,
    TIRBI_DIALECT_HYBRID /* Hybrid Script of 2020 */
} tirbi_dialect;

typedef struct tirbi_tokens {
    const tirbi_token *items; /* ends with END */
    uint32_t n;
    const tirbi_span *broken; /* from brackets that are never closed, reported, to where the lexer gave up on them */
    uint32_t n_broken;
    tirbi_dialect comment_dialect; /* of a comment `# from tvm.script import tirx as T`, as TVM prints it */
} tirbi_tokens;

/* Reads bytes begin .. end of the source. The tokens are put into the arena; strings and names are put where the names
 * are, for they outlive the tokens. False when out of memory. */
bool tirbi_lex(const tirbi_source *source, tirbi_span range, bool in_brackets, tirbi_names *names, tirbi_arena *arena,
               tirbi_diagnostics *diagnostics, tirbi_tokens *out);
/* What a token is called in a message: "','", "'for'", "a name", "the end of the line". */
const char *tirbi_token_text(tirbi_token_kind kind);

#endif
