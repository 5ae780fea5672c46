/* Evaluation of the surface tree: what each name and expression of TVMScript means, put into the builder.
 *
 * A value is what Python would hold while TVM's parser runs: a number, a tuple, an expression of the program, a buffer,
 * a name of the language. Handlers of the names of the language are in tables (names.h), one row each. */
#ifndef TIRB_COMPILER_TEXT_SCRIPT_SCRIPT_H
#define TIRB_COMPILER_TEXT_SCRIPT_SCRIPT_H

#include "compiler/source/index.h"
#include "compiler/source/suggest.h"
#include "compiler/text/syntax/syntax.h"

typedef struct tirbi_script tirbi_script;
typedef struct tirbi_value tirbi_value;
typedef struct tirbi_entry tirbi_entry;
typedef struct tirbi_script_function tirbi_script_function;
typedef struct tirbi_form tirbi_form;

typedef enum tirbi_value_kind {
    TIRBI_VALUE_MISSING, /* an argument that is not given */
    TIRBI_VALUE_ERROR,   /* reported */
    TIRBI_VALUE_NONE,
    TIRBI_VALUE_INT,
    TIRBI_VALUE_FLOAT,
    TIRBI_VALUE_BOOL,
    TIRBI_VALUE_STRING,
    TIRBI_VALUE_EXPR,
    TIRBI_VALUE_BUFFER,
    TIRBI_VALUE_REGION,
    TIRBI_VALUE_TUPLE, /* also a list */
    TIRBI_VALUE_DICT,  /* items: key, value, key, value, ... */
    TIRBI_VALUE_NAMESPACE,
    TIRBI_VALUE_ENTRY,   /* a name of the language */
    TIRBI_VALUE_DTYPE,   /* T.float32 */
    TIRBI_VALUE_POINTER, /* T.handle, T.handle("float32", "global") */
    TIRBI_VALUE_LET,     /* T.let[...] */
    TIRBI_VALUE_ARRAY,   /* T.float32[4] as annotation */
    TIRBI_VALUE_METHOD,  /* A.vload */
    TIRBI_VALUE_FORM,    /* what a for, a with or a statement by itself enters */
    TIRBI_VALUE_RANGE,   /* T.Range */
    TIRBI_VALUE_TYPEVAR,
    TIRBI_VALUE_MODULE,
    TIRBI_VALUE_FUNCTION,
    TIRBI_VALUE_EXTERN, /* R.ExternFunc, or a global of the module that is one */
    TIRBI_VALUE_MACRO,
    TIRBI_VALUE_LAMBDA,
    TIRBI_VALUE_META,        /* T.meta_var(value): an alias */
    TIRBI_VALUE_REDUCER,     /* T.comm_reducer: items are the lambda and the identity elements */
    TIRBI_VALUE_ITERVAR,     /* T.iter_var with a domain */
    TIRBI_VALUE_FOREIGN,     /* T.ptx.mma: a name of an accelerator */
    TIRBI_VALUE_IMPORTED,    /* a module that is not TVM's, or what comes from one */
    TIRBI_VALUE_CONSTANT,    /* only bound to names of a file: what is not known, or may change */
    TIRBI_VALUE_RELAX,       /* an expression of Relax */
    TIRBI_VALUE_RELAX_TYPE,  /* R.Tensor(...) */
    TIRBI_VALUE_RELAX_NAME,  /* a name behind `R.` that is no entry: an operator, a type */
    TIRBI_VALUE_RELAX_CAST,  /* R.match_cast(value, type) */
    TIRBI_VALUE_GLOBAL_INFO, /* I.vdevice(...), or I.dummy_global_info(): NULL */
    TIRBI_VALUE_OPAQUE       /* something that only annotations hold: kept as its text */
} tirbi_value_kind;

typedef enum tirbi_namespace {
    TIRBI_SPACE_TIR,
    TIRBI_SPACE_AXIS,
    TIRBI_SPACE_IR,
    TIRBI_SPACE_RELAX,
    TIRBI_SPACE_TVM,
    TIRBI_SPACE_SCRIPT, /* tvm.script */
    TIRBI_SPACE_PYTHON, /* range, TypeVar, ... */
    TIRBI_SPACE_HYBRID, /* `tir` of Hybrid Script: its own names before those of T */
    TIRBI_SPACE_TYPES   /* `ty` of Hybrid Script */
} tirbi_namespace;

struct tirbi_value {
    tirbi_value_kind kind;
    bool declares; /* EXPR: a new variable, which an assignment names; BUFFER: a pointer (T.allocate) */
    bool scalar;   /* BUFFER: an assigned variable; its name means its element */
    bool big;      /* INT: integer is the bits of a number from 2^63 on */
    uint8_t axis;  /* RANGE: tirb_itervar_type of the axis that it is the domain of */
    const tirbi_node *node;
    union {
        int64_t integer;
        double real;
        bool boolean;
        struct {
            const char *text;
            uint32_t size;
        } string;
        const tirb_expr *expr;
        const tirb_buffer *buffer;
        struct {
            const tirb_buffer *buffer;
            const tirb_range *ranges;
        } region;
        struct {
            tirbi_value *items;
            uint32_t n;
        } sequence;
        tirbi_namespace space;
        const tirbi_entry *entry;
        tirb_datatype dtype;
        struct {
            tirb_type type;
            bool known; /* LET: the type was written */
        } type;
        struct {
            tirb_datatype dtype;
            const tirb_expr *const *shape;
            uint32_t ndim;
        } array;
        struct {
            const tirbi_value *object;
            const tirbi_entry *entry;
        } method;
        tirbi_form *form;
        tirb_range range;
        const struct tirb_relax_expr *relax;
        const struct tirb_relax_type *relax_type;
        const struct tirb_relax_vdevice *vdevice;
        struct {
            const struct tirb_relax_expr *value;
            const struct tirb_relax_type *type;
        } cast;
        const char *name; /* TYPEVAR: interned; RELAX_NAME: after `R.`; FOREIGN: after `T.`; EXTERN: the symbol,
                             then the name in the module; IMPORTED: the module */
        tirbi_script_function *function;
        struct tirbi_macro *macro;
        const tirbi_value *meta;
        const tirb_itervar *itervar;
        struct tirbi_constant *constant;
    } as;
};

/* What Python outside of kernels binds a name to. */
typedef struct tirbi_constant {
    tirbi_value value;
    const char *reason; /* why it cannot be evaluated; NULL: the value is known */
    tirbi_span span;    /* where it is bound */
    uint32_t changed;   /* the event of the file that changes it */
    bool said;          /* the reason has been reported */
} tirbi_constant;

/* What a `for` or `with` enters, or a statement by itself. */
typedef enum tirbi_form_kind {
    TIRBI_FORM_LOOPS, /* one FOR for each of loops */
    TIRBI_FORM_BLOCK,
    TIRBI_FORM_INIT,
    TIRBI_FORM_SCOPE, /* scoped statements, the first outermost */
    TIRBI_FORM_WHILE,
    TIRBI_FORM_IF,
    TIRBI_FORM_THEN,
    TIRBI_FORM_ELSE
} tirbi_form_kind;

struct tirbi_form {
    tirbi_form_kind kind;
    tirb_stmt **stmts;
    uint32_t n_stmts;
    tirbi_value result;      /* what `as` or an assignment names */
    const char *name;        /* BLOCK */
    bool no_realize;         /* BLOCK */
    const tirbi_value *axes; /* BLOCK: the domains of iterators that `as` names */
    uint32_t n_axes;
    const tirb_expr *condition; /* WHILE, IF */
};

typedef struct tirbi_call {
    const tirbi_node *node;
    const tirbi_entry *entry;
    const tirbi_value *object; /* of a method */
    tirbi_value *args;         /* one for each name of the signature */
    const char *hint;          /* the name that the result is assigned to, or NULL */
    const char *const *hints;  /* the names of a tuple that it is assigned to */
    uint32_t n_hints;
} tirbi_call;

typedef tirbi_value (*tirbi_handler)(tirbi_script *s, const tirbi_call *call);

/* A name of the language. The signature is parameter names, separated by spaces; `name?` may be left out, `*name` takes
 * all further arguments as a tuple. Every function takes and ignores `dtype=` where it has no such parameter. */
struct tirbi_entry {
    const char *name;
    tirbi_handler handler;
    const char *signature;
    int data;
};

typedef struct tirbi_binding {
    const char *name; /* interned */
    tirbi_value value;
    uint32_t level;
    uint32_t hidden; /* one more than the number of the name's binding before, or 0 */
} tirbi_binding;

/* From names to their latest bindings: one more than the number, or 0. */
typedef struct tirbi_name_table {
    const char **names; /* open addressing by address */
    uint32_t *latest;
    uint32_t n, capacity;
} tirbi_name_table;

/* A function between its declaration and its definition. */
struct tirbi_script_function {
    const tirbi_line *line;
    tirb_primfunc *ir;
    tirbi_binding *bindings; /* of the signature */
    uint32_t n_bindings;
    tirbi_list attrs;            /* of tirb_attr */
    tirbi_value may_alias;       /* of the attribute tirb.may_alias, resolved when the body has been read */
    tirbi_list type_vars;        /* of const tirb_expr *: this function's variables for the file's TypeVars */
    const tirb_buffer **buffers; /* per parameter; match_buffer fills them in */
    bool broken;                 /* the signature has errors */
    bool return_known;           /* by an annotation or by a return statement */
    bool uses_blocks;
};

/* What the body of a macro sees: names from level `high` on, which are its own, and up to level `low`, where it was
 * defined, as far as the scope there shows them. */
typedef struct tirbi_scope {
    uint32_t low, high;
    const struct tirbi_scope *outer; /* NULL: it shows all */
} tirbi_scope;

typedef struct tirbi_macro {
    const tirbi_line *line;
    const tirbi_node *result; /* of a lambda or a function of Python: its value, and the line has no body; else NULL */
    bool dynamic;             /* hygienic=False: it sees what its caller sees */
    uint32_t level;           /* where it was defined */
    const tirbi_scope *scope; /* there */
    uint32_t n_expansions;
} tirbi_macro;

/* The memory behind a pointer as elements of one type: what loads and stores through a bare pointer go to. */
typedef struct tirbi_pointee {
    const tirb_expr *pointer;
    const tirb_stmt *declaration; /* in scope as long as it waits for its body */
} tirbi_pointee;

/* The storage scope that an attribute gives to what is declared behind it. */
typedef struct tirbi_scope_note {
    const tirb_expr *pointer;
    const char *scope;
} tirbi_scope_note;

typedef struct tirbi_thread {
    const tirb_expr *var;
    const char *tag; /* "threadIdx.x" */
} tirbi_thread;

struct tirbi_script {
    const tirbi_source *source;
    tirbi_arena *arena;
    tirbi_diagnostics *diagnostics;
    tirbi_names names;
    tirbi_syntax syntax;
    tirbi_builder builder;
    tirbi_dialect dialect;
    tirbi_list bindings; /* of tirbi_binding */
    tirbi_name_table bound;
    uint32_t level;
    const tirbi_scope *scope;     /* of the macro that is expanded, or NULL */
    uint32_t block_suffix;        /* behind the names of its blocks; 0: none */
    uint32_t now;                 /* how many bindings of the file's own come before this place */
    tirbi_list functions;         /* of tirbi_script_function * */
    tirbi_index function_numbers; /* by name */
    const char *module_name;
    tirbi_list module_attrs;
    tirbi_list externs;              /* of tirb_extern */
    tirbi_script_function *function; /* that is being read */
    bool in_signature;
    bool define_names; /* an unknown name in a quoted shape defines a variable */
    tirb_datatype define_type;
    const char *hint;
    const char *const *hints;
    uint32_t n_hints;
    uint32_t depth; /* of macros */
    uint32_t n_expansions;
    tirbi_list threads;              /* of tirbi_thread: thread indices that statements will bind */
    tirb_stmt *open_if;              /* of `with T.If(..):`, directly in its body */
    tirbi_list pointees;             /* of tirbi_pointee */
    tirbi_list scope_notes;          /* of tirbi_scope_note */
    const char *meta;                /* the text of __tvm_meta__, or NULL */
    struct tirbi_relax *relax;       /* of Relax functions (relax.h), or NULL */
    bool keeps_metadata;             /* what is kept as it is written refers to `metadata` */
    const char *metadata;            /* the text of the value of `metadata`, or NULL */
    const tirbi_node *metadata_node; /* that value */
};

static inline bool tirbi_hybrid(const tirbi_script *s) { return s->dialect == TIRBI_DIALECT_HYBRID; }
/* In both older dialects an assignment is a let, and allocations belong to blocks. */
static inline bool tirbi_classic(const tirbi_script *s) {
    return s->dialect == TIRBI_DIALECT_CLASSIC || tirbi_hybrid(s);
}

/* ---- Errors ----------------------------------------------------------------------------------------------------- */

tirbi_value tirbi_fail(tirbi_script *s, tirb_status code, tirbi_span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static inline bool tirbi_is_error(const tirbi_value *v) { return v->kind == TIRBI_VALUE_ERROR; }
static inline bool tirbi_given(const tirbi_value *v) {
    return v->kind != TIRBI_VALUE_MISSING && v->kind != TIRBI_VALUE_NONE;
}
/* "an integer", "a buffer", for messages. */
const char *tirbi_value_text(const tirbi_value *v);
/* Offers the names of all types. */
void tirbi_suggest_types(tirbi_suggestion *suggestion);

/* ---- Values ----------------------------------------------------------------------------------------------------- */

static inline tirbi_value tirbi_value_error(void) { return (tirbi_value){.kind = TIRBI_VALUE_ERROR}; }
static inline tirbi_value tirbi_value_none(void) { return (tirbi_value){.kind = TIRBI_VALUE_NONE}; }
/* ERROR for NULL, which a constructor of the builder returned. */
tirbi_value tirbi_value_expr(const tirb_expr *e);
tirbi_value tirbi_value_declared(const tirb_expr *var);
tirbi_value tirbi_value_buffer(const tirb_buffer *buffer);
tirbi_value tirbi_value_int(int64_t n);
tirbi_value tirbi_value_form(tirbi_script *s, tirbi_form_kind kind);
/* A SCOPE form of one statement; ERROR for NULL. */
tirbi_value tirbi_value_scope(tirbi_script *s, tirb_stmt *stmt, tirbi_value result);
const char *tirbi_node_text(tirbi_script *s, const tirbi_node *node);

/* Conversions; each reports an error and gives NULL or false when the value is none of the kind. An ERROR is silent. */
const tirb_expr *tirbi_to_expr(tirbi_script *s, const tirbi_value *v);
/* Whether a value is a buffer whose name may mean its element: an assigned variable, or one of shape (1,), whose
 * accesses TVM prints so. */
bool tirbi_is_element(const tirbi_value *v);
/* The operands of a bitwise operator or a shift: a Python number takes the type of the other. False after an error. */
bool tirbi_to_bit_operands(tirbi_script *s, const tirbi_value *x, const tirbi_value *y, const tirb_expr **left,
                           const tirb_expr **right);
/* The same with a number taking the given type. */
const tirb_expr *tirbi_to_typed(tirbi_script *s, const tirbi_value *v, tirb_datatype dtype);
/* A scalar bool. */
const tirb_expr *tirbi_to_condition(tirbi_script *s, const tirbi_value *v);
/* What a branch or a loop asks for: a scalar bool, or a scalar integer of the program, which holds unless it is 0. */
const tirb_expr *tirbi_to_test(tirbi_script *s, const tirbi_value *v);
bool tirbi_to_int(tirbi_script *s, const tirbi_value *v, const char *what, int64_t *out);
bool tirbi_to_text(tirbi_script *s, const tirbi_value *v, const char *what, const char **out);
/* "float32x4", or a short form: "f32". */
bool tirbi_type_of_name(const char *name, tirb_datatype *out);
bool tirbi_to_dtype(tirbi_script *s, const tirbi_value *v, tirb_datatype *out);
/* A tuple's items as expressions; a single expression counts as one of them. */
bool tirbi_to_exprs(tirbi_script *s, const tirbi_value *v, const tirb_expr *const **out, uint32_t *n);
bool tirbi_to_region(tirbi_script *s, const tirbi_value *v, tirb_buffer_region *out);
/* A value of func_attr, annotations or sblock_attr. */
tirb_attr tirbi_to_attr(tirbi_script *s, const char *key, const tirbi_value *v);
void tirbi_resolve_aliases(tirbi_script *s);
/* Each is compared with all others of its list. */
enum { TIRBI_MAX_ATTRIBUTES = 1000 };
bool tirbi_to_attrs(tirbi_script *s, const tirbi_value *dict, tirbi_list *out);
bool tirbi_is_number(const tirbi_value *v);
/* A number or an expression of the program. */
bool tirbi_is_prim(const tirbi_value *v);

/* ---- Names ------------------------------------------------------------------------------------------------------ */

const tirbi_binding *tirbi_lookup(const tirbi_script *s, const char *name);
/* Binds a name in the innermost frame; an error if that has it already. */
bool tirbi_bind(tirbi_script *s, const char *name, tirbi_span span, tirbi_value value);
/* Whether it is the variable of a parameter of the function that is read. */
bool tirbi_is_parameter(const tirbi_script *s, const tirb_expr *e);
void tirbi_fail_parameter(tirbi_script *s, tirbi_span span, const char *name);
void tirbi_rebind(tirbi_script *s, const char *name, tirbi_value value);
/* Binds as it is what was bound before; false: memory ran out. */
bool tirbi_push_binding(tirbi_script *s, const tirbi_binding *binding);
uint32_t tirbi_open_level(tirbi_script *s);
void tirbi_close_level(tirbi_script *s, uint32_t mark);

/* Gives the function the type of its result; false: the value is no type. */
bool tirbi_set_return(tirb_primfunc *f, const tirbi_value *type);

/* ---- Evaluation ------------------------------------------------------------------------------------------------- */

tirbi_value tirbi_evaluate(tirbi_script *s, const tirbi_node *node);
/* What Python computes while a text is read (python.c). */
tirbi_value tirbi_evaluate_comprehension(tirbi_script *s, const tirbi_node *node);
/* How a pointer becomes a buffer, which has elements, as the end of a message; "" for what is no pointer. */
const char *tirbi_buffer_of_pointer(tirbi_script *s, const tirbi_value *v);
/* The call that an annotation with brackets is. */
const tirbi_node *tirbi_subscript_call(tirbi_script *s, const tirbi_node *node);
tirbi_value tirbi_evaluate_format(tirbi_script *s, const tirbi_node *node);
/* How many characters a text in UTF-8 has: the bytes that begin one. */
size_t tirbi_count_characters(const char *text, size_t size);
/* What Python's str() makes of a number, True, False, None, an integer of the program or the name of a variable; else
 * NULL. */
const char *tirbi_python_text(tirbi_script *s, const tirbi_value *v);
/* n texts, one behind the other; NULL where that is too long, which is then reported, or where memory ran out. */
const char *tirbi_join_texts(tirbi_script *s, tirbi_span span, const char *const *texts, uint32_t n);
/* What to write instead of a loop over a buffer. */
void tirbi_fail_buffer_loop(tirbi_script *s, const tirbi_node *node, const tirb_buffer *buffer);
/* The items of a tuple, a list or a range, as a TUPLE. */
bool tirbi_to_items(tirbi_script *s, const tirbi_node *node, const tirbi_value *v, tirbi_value *out);
/* As the right side of an assignment to `hint`. */
tirbi_value tirbi_evaluate_named(tirbi_script *s, const tirbi_node *node, const char *hint);
tirbi_value tirbi_evaluate_quoted(tirbi_script *s, const tirbi_value *text, tirb_datatype type);
/* Operators of Python's integers and bools (integers.c); / and negative exponents make floats. */
tirbi_value tirbi_integer_operator(tirbi_script *s, const tirbi_node *node, tirbi_token_kind op, const tirbi_value *a,
                                   const tirbi_value *b);
/* Below 0, 0 or above 0, as a is below, equal to or above b. */
int tirbi_compare_integers(const tirbi_value *a, const tirbi_value *b);
tirbi_value tirbi_binary(tirbi_script *s, const tirbi_node *node, tirbi_token_kind op, const tirbi_value *x,
                         const tirbi_value *y);
tirbi_value tirbi_index_buffer(tirbi_script *s, const tirb_buffer *buffer, const tirbi_node *node,
                               const tirbi_node *index);
/* The indices of an access that is stored to: slices are ramps. */
bool tirbi_store_indices(tirbi_script *s, const tirb_buffer *buffer, const tirbi_node *index,
                         const tirb_expr *const **out, uint32_t *n);
tirbi_value tirbi_call_function(tirbi_script *s, const tirbi_node *node, tirbi_script_function *function);
/* What stands for a buffer among the arguments of a packed function (names_packed.c). False after an error. */
bool tirbi_pack_buffers(tirbi_script *s, const tirbi_value *arguments);
/* ---- Relax (relax.c and relax_call.c, with what they need here) */
/* A Relax function of the file or the class. */
void tirbi_add_relax(tirbi_script *s, const tirbi_line *line, bool in_class);
/* Declares and defines the i-th of them. */
uint32_t tirbi_count_relax(const tirbi_script *s);
void tirbi_declare_relax(tirbi_script *s, uint32_t i);
void tirbi_define_relax(tirbi_script *s, uint32_t i);
/* The module's Relax function of a name, as a value; MISSING: it has none. */
tirbi_value tirbi_find_relax(tirbi_script *s, const char *name, tirbi_span span);
/* Whether the name is one of a dataflow block that has ended, and no output of it. */
bool tirbi_relax_hides(const tirbi_script *s, const char *name);
/* I.StringType(), the type of what R.str makes. */
tirbi_value tirbi_relax_string_type(tirbi_script *s);
/* The value of `R.name`, and of a name below one. */
tirbi_value tirbi_relax_attribute(tirbi_script *s, const tirbi_node *node, const char *outer);
tirbi_value tirbi_relax_member(tirbi_script *s, const tirbi_node *node, const tirbi_value *object);
/* A call of such a name, or of a value of Relax. */
tirbi_value tirbi_call_relax(tirbi_script *s, const tirbi_node *node, const tirbi_value *callee);
/* Operators of tensors. */
static inline bool tirbi_is_relax(const tirbi_value *v) { return v->kind == TIRBI_VALUE_RELAX; }
/* A number that an expression of Relax gives, as in `p[1]`, is bound to a variable, which sums and sizes may have in
 * them. Other values are as they are. */
tirbi_value tirbi_relax_number(tirbi_script *s, const tirbi_value *v);
tirbi_value tirbi_relax_operator(tirbi_script *s, const tirbi_node *node, tirbi_token_kind op, const tirbi_value *x,
                                 const tirbi_value *y);
tirbi_value tirbi_relax_index(tirbi_script *s, const tirbi_node *node, const tirbi_value *object);
/* The list that holds the variables for TypeVars of the function that is read; NULL: none is. */
tirbi_list *tirbi_relax_type_vars(tirbi_script *s);
/* The module's function of a name; NULL: it has none. */
tirbi_script_function *tirbi_find_function(const tirbi_script *s, const char *name);
/* Gives a module its Relax functions. */
void tirbi_finish_relax(tirbi_script *s, tirb_irmodule *module);
tirbi_value tirbi_call_extern(tirbi_script *s, const tirbi_node *node, const char *name);
tirbi_value tirbi_call_entry(tirbi_script *s, const tirbi_node *node, const tirbi_entry *entry,
                             const tirbi_value *object);
/* Arguments in the order of the text, starred tuples expanded. */
typedef struct tirbi_argument {
    const char *name; /* of a keyword, or NULL */
    const tirbi_node *node;
    tirbi_value value;
} tirbi_argument;

/* The arguments of a call, as a list of tirbi_argument. */
bool tirbi_read_arguments(tirbi_script *s, const tirbi_node *node, tirbi_list *out);
/* Binds the name of a T.macro or T.inline (macro.c); `decorator` is its call, or NULL where it has no
 * options. */
void tirbi_define_macro(tirbi_script *s, const tirbi_line *line, const char *decorator, const tirbi_node *call);
bool tirbi_is_macro(const char *decorator);
bool tirbi_expand_macro(tirbi_script *s, const tirbi_node *call, tirbi_macro *macro);
/* A name of a module that is not TVM's: what to write instead. */
tirbi_value tirbi_fail_imported(tirbi_script *s, const tirbi_node *place, const char *module, const char *name);
/* Says what to write for what a library of Python has; false, and nothing said, where that is not known. */
bool tirbi_explain_imported(tirbi_script *s, const tirbi_node *place, const char *module, const char *name);
/* A name that nothing has defined where it is used (undefined.c). */
tirbi_value tirbi_fail_undefined(tirbi_script *s, const tirbi_node *node);
/* The type that the Python function of this name converts to, int, float or bool; NULL: it is none of them. */
const char *tirbi_type_of_python(const tirbi_value *v);
/* What to write in TIR for what NumPy and its like have; NULL: nothing comes near it. */
const char *tirbi_written_in_tir(const char *name, char text[static 64]);
/* The same in Hybrid Script's names where the text is of it: `tir.exp` for `T.exp`. */
const char *tirbi_in_dialect(const tirbi_script *s, const char *text, char out[static 128]);
/* A name that T, or another namespace of TIR, has not. */
tirbi_value tirbi_fail_unknown(tirbi_script *s, const tirbi_node *place, const char *space, const char *name);
/* math.pi and math.sqrt of Python: what is the same number on every machine. */
tirbi_value tirbi_math_member(tirbi_script *s, const tirbi_node *place, const char *name);
/* A function that is one value (macro.c): a lambda, or a `def` without decorator that does nothing but
 * return. */
tirbi_value tirbi_make_lambda(tirbi_script *s, const tirbi_node *node);
bool tirbi_is_python_function(const tirbi_line *line);
tirbi_value tirbi_python_function(tirbi_script *s, const tirbi_line *line);
tirbi_value tirbi_call_lambda(tirbi_script *s, const tirbi_node *call, tirbi_macro *lambda);
void tirbi_run_lines(tirbi_script *s, const tirbi_lines *lines);

/* ---- Files (file.c, with what it needs of script.c) -------------------------------------------------------------- */

/* Runs a file: declares its functions, then defines them. */
void tirbi_run_file(tirbi_script *s, const tirbi_tokens *tokens);
/* The value of a name that Python outside of kernels binds; an error, reported once, where it is not known. */
tirbi_value tirbi_use_constant(tirbi_script *s, const tirbi_node *node, tirbi_constant *constant);
/* What an import binds its name to; MISSING: nothing that a kernel may need. */
tirbi_value tirbi_import_value(tirbi_script *s, const tirbi_import *import);
/* A kernel of the file, decorated or of Hybrid Script. */
void tirbi_collect_line(tirbi_script *s, const tirbi_line *line);
void tirbi_declare_function(tirbi_script *s, tirbi_script_function *function);
void tirbi_define_function(tirbi_script *s, tirbi_script_function *function);
/* Whether a decorator, without its arguments, is one of Hybrid Script's. */
bool tirbi_is_hybrid_decorator(tirbi_script *s, const tirbi_node *node);

/* A name of a namespace, or NULL. */
const tirbi_entry *tirbi_find_entry(tirbi_namespace space, const char *name);
const tirbi_entry *tirbi_find_method(const char *name);
void tirbi_suggest_entries(tirbi_namespace space, tirbi_suggestion *suggestion);

#endif
