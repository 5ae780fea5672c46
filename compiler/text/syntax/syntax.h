/* The surface tree: the part of Python's syntax that TVMScript uses, before any name has a meaning. */
#ifndef TIRB_COMPILER_TEXT_SYNTAX_SYNTAX_H
#define TIRB_COMPILER_TEXT_SYNTAX_SYNTAX_H

#include "compiler/text/syntax/lexer.h"
#include "compiler/text/syntax/outline.h"

enum { TIRBI_MAX_NESTING = 200, TIRBI_MAX_HEIGHT = 900 };

typedef enum tirbi_node_kind {
    TIRBI_NODE_NAME,
    TIRBI_NODE_INT,
    TIRBI_NODE_FLOAT,
    TIRBI_NODE_STRING,
    TIRBI_NODE_BOOL, /* integer: 0 or 1 */
    TIRBI_NODE_NONE,
    TIRBI_NODE_TUPLE,         /* items */
    TIRBI_NODE_LIST,          /* items */
    TIRBI_NODE_DICT,          /* items: key, value, key, value, ... */
    TIRBI_NODE_ATTRIBUTE,     /* items[0] . name */
    TIRBI_NODE_SUBSCRIPT,     /* items[0] [ items[1] ] */
    TIRBI_NODE_SLICE,         /* items[0] : items[1] : items[2], any of them NULL */
    TIRBI_NODE_CALL,          /* items[0] ( items[1], ... ) */
    TIRBI_NODE_KEYWORD,       /* name = items[0], in a call */
    TIRBI_NODE_STARRED,       /* * items[0] */
    TIRBI_NODE_UNARY,         /* op items[0] */
    TIRBI_NODE_BINARY,        /* items[0] op items[1] */
    TIRBI_NODE_COMPARE,       /* items[0] ops[0] items[1] ops[1] items[2] ... */
    TIRBI_NODE_BOOLEAN,       /* items[0] op items[1] op ..., op is AND or OR */
    TIRBI_NODE_TERNARY,       /* items[1] if items[0] else items[2] */
    TIRBI_NODE_LAMBDA,        /* names; items[0] is the body */
    TIRBI_NODE_FORMAT,        /* an f-string: items are strings, expressions and FORMATTED */
    TIRBI_NODE_FORMATTED,     /* {items[0]!name:string} in an f-string; without a conversion name is NULL */
    TIRBI_NODE_COMPREHENSION, /* items[0] is the element, the others are clauses; with a name: of a dictionary, the
                               * element a tuple of key and value */
    TIRBI_NODE_CLAUSE         /* for items[0] in items[1] if items[2] if ... */
} tirbi_node_kind;

typedef struct tirbi_node tirbi_node;
struct tirbi_node {
    uint8_t kind;    /* tirbi_node_kind */
    uint8_t op;      /* tirbi_token_kind */
    uint16_t height; /* at most TIRBI_MAX_HEIGHT */
    uint32_t n_items;
    tirbi_node **items;
    tirbi_span span;
    const char *name; /* interned */
    union {
        uint64_t integer;
        double real;
        struct {
            const char *text;
            uint32_t size;
        } string;
        const tirbi_token_kind *ops;
        struct {
            const char *const *names;
            uint32_t n;
        } lambda;
    } as;
};

typedef enum tirbi_line_kind {
    TIRBI_LINE_EXPR,
    TIRBI_LINE_ASSIGN,    /* target = value; outside of functions also a = b = value, whose b = value is in orelse */
    TIRBI_LINE_ANNOTATED, /* target: annotation [= value] */
    TIRBI_LINE_AUGMENTED, /* target op= value */
    TIRBI_LINE_FOR,       /* for target in value: body */
    TIRBI_LINE_WHILE,     /* while value: body */
    TIRBI_LINE_IF,        /* if value: body else: orelse */
    TIRBI_LINE_WITH,      /* with value as target: body; several are nested */
    TIRBI_LINE_RETURN,
    TIRBI_LINE_ASSERT, /* assert value, target */
    TIRBI_LINE_PASS,
    TIRBI_LINE_BREAK,
    TIRBI_LINE_CONTINUE,
    TIRBI_LINE_DEF,
    TIRBI_LINE_CLASS,
    TIRBI_LINE_IMPORT
} tirbi_line_kind;

typedef struct tirbi_line tirbi_line;

typedef struct tirbi_lines {
    tirbi_line *const *items;
    uint32_t n;
} tirbi_lines;

typedef enum tirbi_parameter_kind {
    TIRBI_PARAMETER_PLAIN,
    TIRBI_PARAMETER_REST,    /* *args: further arguments by position */
    TIRBI_PARAMETER_KEYWORD, /* behind `*` or *args: by name only */
    TIRBI_PARAMETER_KEYWORDS /* **kwargs: further arguments by name */
} tirbi_parameter_kind;

typedef struct tirbi_parameter {
    const char *name;
    tirbi_parameter_kind kind;
    tirbi_span span;
    tirbi_node *annotation, *initial;
} tirbi_parameter;

typedef struct tirbi_import {
    const char *module; /* "tvm.script" */
    const char *name;   /* "tir"; NULL: `import module` */
    const char *as;     /* the name that it gets here */
    tirbi_span span;
} tirbi_import;

struct tirbi_line {
    tirbi_line_kind kind;
    tirbi_token_kind op;
    tirbi_span span; /* of the statement's head */
    tirbi_node *target, *value, *annotation;
    tirbi_lines body, orelse;
    const char *name; /* DEF, CLASS */
    tirbi_span name_span;
    tirbi_node *const *decorators;
    uint32_t n_decorators;
    const tirbi_parameter *parameters;
    uint32_t n_parameters;
    const char *const *type_parameters; /* def f[n](...) */
    uint32_t n_type_parameters;
    const tirbi_import *imports;
    uint32_t n_imports;
};

typedef struct tirbi_syntax {
    tirbi_names *names; /* where strings are too: they outlive the tree */
    tirbi_arena *arena;
    tirbi_diagnostics *diagnostics;
    bool is_python; /* what is parsed is no kernel: Python that a kernel may refer to */
} tirbi_syntax;

/* One statement of a file. Every syntax error is reported; what could be read is in *out. False when out of memory. */
bool tirbi_parse_passage(const tirbi_syntax *syntax, const tirbi_tokens *tokens, const tirbi_passage *passage,
                         tirbi_lines *out);
/* The expression at one of the tokens; NULL after an error. *end is where it ends. */
tirbi_node *tirbi_parse_expression_at(const tirbi_syntax *syntax, const tirbi_tokens *tokens, uint32_t at,
                                      uint32_t *end);
/* One expression that takes all tokens; NULL after an error. */
tirbi_node *tirbi_parse_expression(const tirbi_syntax *syntax, const tirbi_tokens *tokens);

#endif
