/* What the files of the printer share: text under way, names in scope, and the printers of each kind of node. */
#ifndef TIRB_COMPILER_TEXT_PRINT_PRINTER_H
#define TIRB_COMPILER_TEXT_PRINT_PRINTER_H

#include "compiler/ir/builder.h"

typedef struct tirbi_text {
    char *data;
    size_t size, capacity;
} tirbi_text;

/* A name in scope. `slot` is where its variable or buffer finds it, emptied when the scope ends. */
typedef struct tirbi_print_name {
    const char *name;
    const char **slot;
    uint32_t next; /* in its bucket; index + 1 */
} tirbi_print_name;

/* A variable that the quoted shape of a signature defines. `alone`: it is an extent by itself and stands in no sum. */
typedef struct tirbi_quoted_var {
    const tirb_expr *var;
    bool alone;
} tirbi_quoted_var;

enum { TIRBI_NAME_BUCKETS = 1024 };

/* What the uses of a variable that no statement binds look like. */
typedef enum tirbi_print_place { TIRBI_PRINT_SIGNATURE, TIRBI_PRINT_MATCH, TIRBI_PRINT_BODY } tirbi_print_place;

typedef struct tirbi_printer {
    const tirb_irmodule *module;
    bool classic; /* either of the older dialects */
    bool hybrid;  /* Hybrid Script: what is put as `T.` becomes `tir.` */
    bool s_tir;   /* the function is of schedules: only what was an assigned variable is printed as one */
    bool in_class;
    bool crowded; /* the frame has several statements */
    tirbi_arena *arena;
    tirbi_diagnostics *diagnostics;
    tirbi_builder builder; /* repeats the folding of the parser, to know which sugar is read back as the same node */
    tirbi_text out;        /* finished lines of what is being printed */
    tirbi_text line;       /* the line under way; declarations it turns out to need go to `out` before it */
    uint32_t indent;
    tirbi_print_place place;
    const char **vars, **buffers; /* by id */
    bool *undeclared, *used; /* by id: a variable that the signature's quoted shape defines; the body mentions it */
    bool *later;             /* by id: a scalar parameter that the signature has not come to */
    tirbi_list quoted;       /* of tirbi_quoted_var: those variables, and one without a variable behind a parameter's */
    bool *scalars;           /* by id: buffers that are assigned variables */
    tirbi_list names;        /* of tirbi_print_name */
    uint32_t buckets[TIRBI_NAME_BUCKETS];
    tirbi_list loops;         /* of const tirb_stmt *: the loops around */
    tirbi_list type_vars;     /* of const char *: the names of TypeVars, declared above the function or class */
    bool has_local_type_vars; /* a local function has declared some: all headers from there on say the import */
    tirbi_list quoted_names;  /* of const char *: those of variables that quoted shapes define, in all functions */
    uint32_t depth;           /* of frames in the function */
    uint32_t *bound_at;       /* by id: the depth of the frame that binds a pointer; 0: the function's */
    bool relax;               /* a Relax function is printed: numbers have no types */
    tirbi_text declared;      /* the variables that a Relax function's body defines, which stand first in it */
    uint32_t body_indent;     /* of that body */
    const char *tir_import;   /* the comment that local functions name `T` by; NULL: the PrimFuncs' dialect has none */
    bool uses_tir;            /* finished text has names of `T` */
    bool uses_ir;             /* the text has names of `I` */
    const char **relax_vars;  /* by id */
    tirbi_list signature;     /* of const tirb_expr *: the variables that a Relax function's signature declares */
    tirbi_list constants;     /* of const struct tirb_relax_tensor *: those that the metadata has, in order */
    tirbi_list implied; /* of const tirb_buffer *: views in scope that accesses declare by themselves (Hybrid Script) */
} tirbi_printer;

/* ---- Text and names ---------------------------------------------------------------------------------------------- */

void tirbi_print_add(tirbi_printer *p, tirbi_text *text, const char *bytes, size_t size);
void tirbi_put(tirbi_printer *p, const char *text);
void tirbi_putf(tirbi_printer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A string in double quotes, escaped. */
void tirbi_put_string(tirbi_printer *p, const char *text, size_t size);
/* Ends the line under way. */
void tirbi_end_line(tirbi_printer *p);
uint32_t tirbi_names_mark(const tirbi_printer *p);
void tirbi_names_release(tirbi_printer *p, uint32_t mark);
/* A name for `slot` that no other thing in scope has: `wanted`, or `wanted` with a number. */
const char *tirbi_name_new(tirbi_printer *p, const char *wanted, const char **slot);
const char *tirbi_name_var(tirbi_printer *p, const tirb_expr *var);
/* The variable's own name as a word, which others may have as well. */
const char *tirbi_name_as_is(tirbi_printer *p, const tirb_expr *var);
const char *tirbi_name_buffer(tirbi_printer *p, const tirb_buffer *buffer);
void tirbi_print_reject(tirbi_printer *p, tirbi_span span, const char *what);

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

void tirbi_print_expr(tirbi_printer *p, const tirb_expr *e);
/* Whether an expression is printed as a call, not as an operator. */
bool tirbi_prints_call(tirbi_printer *p, const tirb_expr *e);
void tirbi_print_type(tirbi_printer *p, tirb_type type);
/* Declares a TypeVar above the program. */
void tirbi_print_type_var(tirbi_printer *p, const char *name);
/* The name of a buffer, declared before the line under way if no statement does. */
void tirbi_print_buffer_name(tirbi_printer *p, const tirb_buffer *buffer);
void tirbi_print_reducer(tirbi_printer *p, const tirb_reduce *reducer);
/* Whether a buffer has the shape (1,) in int32. TVM prints accesses to such a buffer as its bare name. It reads stores
 * to it back in this form, but loads only of those that are variables. */
bool tirbi_is_one_i32(const tirb_buffer *buffer);
void tirbi_print_access(tirbi_printer *p, const tirb_buffer *buffer, const tirb_expr *const *indices, uint32_t n,
                        bool stored);
void tirbi_print_region(tirbi_printer *p, const tirb_buffer *buffer, const tirb_range *region);
/* "min:min + extent" or "(min, min + extent)" without brackets: `between` stands between the two. */
/* The end of a range, as the reader computes its extent back from it (then *exact). */
const tirb_expr *tirbi_print_stop(tirbi_printer *p, const tirb_range *range, bool *exact);
void tirbi_print_bounds(tirbi_printer *p, const tirb_range *range, const char *between);
/* "(shape), "dtype", data=..., ..." of a declaration; `data` NULL: none. The type is left out if float32 unless
 * `typed`. */
void tirbi_print_buffer_args(tirbi_printer *p, const tirb_buffer *buffer, const tirb_expr *data, bool typed,
                             bool scoped);
void tirbi_print_attrs(tirbi_printer *p, const tirb_attr *attrs, uint32_t n);
/* The same without sorting them by their keys. */
void tirbi_print_attrs_in_order(tirbi_printer *p, const tirb_attr *attrs, uint32_t n);
void tirbi_print_attr_value(tirbi_printer *p, const tirb_attr *attr);
/* The body of a frame: names that it defines end with it. */
void tirbi_print_body(tirbi_printer *p, const tirb_stmt *body);
void tirbi_print_stmt(tirbi_printer *p, const tirb_stmt *s, bool last);
void tirbi_print_block_alloc(tirbi_printer *p, const tirb_buffer *buffer);
bool tirbi_contains_block(const tirb_stmt *s);

/* ---- Hybrid Script (hybrid.c) ------------------------------------------------------------------------------------ */

/* Whether the views of a DECL_BUFFER, and of those directly in it, are what the reader makes of the accesses behind
 * them; they are then added to `implied`. */
bool tirbi_print_implied(tirbi_printer *p, const tirb_stmt *decl);
bool tirbi_is_implied(const tirbi_printer *p, const tirb_buffer *buffer);
void tirbi_print_pointer_load(tirbi_printer *p, const tirb_expr *e);
void tirbi_print_pointer_store(tirbi_printer *p, const tirb_stmt *s);
/* The head of a block with its iterators and their bindings; false, and nothing, where it has to be spelt otherwise. */
bool tirbi_print_block_head(tirbi_printer *p, const tirb_stmt *s);

#endif
