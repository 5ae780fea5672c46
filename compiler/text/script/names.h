/* The names of the language, by where they are found. Each table ends with an entry without a name; an entry without a
 * handler is known but not supported, and its signature says why. */
#ifndef TIRB_COMPILER_TEXT_SCRIPT_NAMES_H
#define TIRB_COMPILER_TEXT_SCRIPT_NAMES_H

#include "compiler/text/script/script.h"

extern const tirbi_entry tirbi_expr_names[];     /* T: values */
extern const tirbi_entry tirbi_math_names[];     /* T: mathematics */
extern const tirbi_entry tirbi_buffer_names[];   /* T: declarations of buffers */
extern const tirbi_entry tirbi_stmt_names[];     /* T: loops, blocks and other statements */
extern const tirbi_entry tirbi_axis_names[];     /* T.axis */
extern const tirbi_entry tirbi_ir_names[];       /* I */
extern const tirbi_entry tirbi_relax_names[];    /* R: the little of Relax that modules of PrimFuncs have */
extern const tirbi_entry tirbi_python_names[];   /* without a namespace */
extern const tirbi_entry tirbi_math_functions[]; /* math of Python, over numbers */
extern const tirbi_entry tirbi_method_names[];   /* of buffers and expressions */
extern const tirbi_entry tirbi_packed_names[];   /* T: the packed calling convention */
/* Blocks whose iterators stand in their heads: Hybrid Script, and the first classic spelling. */
const tirbi_entry *tirbi_block_entry(const char *name);
extern const tirbi_entry tirbi_hybrid_names[]; /* tir of Hybrid Script, where it is not as in T */

/* Handlers that several tables name. */
tirbi_value tirbi_python_range(tirbi_script *s, const tirbi_call *c);
tirbi_value tirbi_realize(tirbi_script *s, const tirbi_call *c);
tirbi_value tirbi_target(tirbi_script *s, const tirbi_call *c);
tirbi_value tirbi_type_var(tirbi_script *s, const tirbi_call *c);
tirbi_value tirbi_vdevice(tirbi_script *s, const tirbi_call *c);
tirbi_value tirbi_dummy_info(tirbi_script *s, const tirbi_call *c);
tirbi_value tirbi_global_infos(tirbi_script *s, const tirbi_call *c);

/* An expression as a statement: EVALUATE, or what a jump builtin stands for. */
void tirbi_emit_value(tirbi_script *s, tirbi_span span, const tirb_expr *e);
/* A RETURN; value NULL: of nothing. */
void tirbi_emit_return(tirbi_script *s, tirbi_span span, const tirb_expr *value);
/* BREAK or CONTINUE, inside a loop. */
/* Makes each buffer among the arguments of a call its data. The result says which they were; NULL if out of memory. */
const tirb_buffer_region *tirbi_named_buffers(tirbi_script *s, const tirbi_value *arguments);
void tirbi_emit_jump(tirbi_script *s, tirbi_span span, tirb_stmt_kind kind, bool is_statement);
/* A LET of a new variable. */
tirbi_value tirbi_let_scope(tirbi_script *s, tirbi_span span, const tirb_expr *var, const tirb_expr *value);
/* A load or store through a bare pointer, as Hybrid Script has them: of elements of `type`. */
tirbi_value tirbi_pointer_load(tirbi_script *s, tirbi_span span, const tirb_expr *pointer, tirb_datatype type,
                               const tirb_expr *index, const tirb_expr *predicate);
void tirbi_pointer_store(tirbi_script *s, tirbi_span span, const tirb_expr *pointer, const tirb_expr *index,
                         const tirb_expr *value, const tirb_expr *predicate);
/* The iterators of a block whose head names them: binds them and adds them to the frame on top. */
/* load(dtype, pointer, index, predicate) and store(pointer, index, value, predicate), deprecated, of a pointer's
 * elements. */
tirbi_value tirbi_deprecated_load(tirbi_script *s, const tirbi_call *c);
tirbi_value tirbi_deprecated_store(tirbi_script *s, const tirbi_call *c);
/* Opens a loop for each iterator of a block outside of all loops, which binds what the block does not bind itself, as
 * the parser of 2021 did. Returns how many. */
uint32_t tirbi_open_block_loops(tirbi_script *s, const tirbi_form *form, tirbi_span span);
/* Closes them, and takes them away where the block has bound its iterators. */
void tirbi_close_block_loops(tirbi_script *s, uint32_t n, bool used);
void tirbi_block_axes(tirbi_script *s, const tirbi_form *form, const tirbi_node *target, tirbi_span span);
/* After the body of such a block: axes without T.bind are bound to the loops around it. */
/* True: they are bound to the loops around. */
bool tirbi_block_bindings(tirbi_script *s, tirbi_frame *frame);
/* A builtin that no table names, called with a type as `dtype=`; NULL if there is none of the name. */
const tirbi_entry *tirbi_builtin_entry(tirbi_script *s, const char *name);
/* An ALLOCATE of a new buffer. */
tirbi_value tirbi_allocate_scope(tirbi_script *s, tirbi_span span, const tirb_buffer *buffer);

/* What the tensor expression language and older texts have. */
tirbi_value tirbi_comm_reducer(tirbi_script *s, const tirbi_call *c);
tirbi_value tirbi_reduce(tirbi_script *s, const tirbi_call *c);
/* A reducer as such, with values of the types of its identity; NULL after an error. */
const tirb_reduce *tirbi_read_reducer(tirbi_script *s, const tirbi_value *reducer);
tirbi_value tirbi_allocate_const(tirbi_script *s, const tirbi_call *c);
tirbi_value tirbi_prefetch(tirbi_script *s, const tirbi_call *c);

/* Names of accelerators: T.ptx.mma is foreign, and so is what stands below T.ptx. */
bool tirbi_is_foreign(const char *name);
tirbi_value tirbi_foreign(tirbi_script *s, const char *outer, const char *name);
tirbi_value tirbi_call_foreign(tirbi_script *s, const tirbi_node *node, const char *name);

/* Loads and stores of some lanes (names_method.c). */
tirbi_value tirbi_masked_load(tirbi_script *s, const tirbi_call *c);
tirbi_value tirbi_masked_store(tirbi_script *s, const tirbi_call *c);

/* Views: A.view, A.local, A.permute. */
tirbi_value tirbi_method_view(tirbi_script *s, const tirbi_call *c);
tirbi_value tirbi_method_permute(tirbi_script *s, const tirbi_call *c);

#endif
