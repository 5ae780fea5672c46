/* Programs as text. Assembling what the disassembler prints gives the same program.
 *
 *   ; a comment goes to the end of its line; commas are spaces
 *   .fp precise                      precise, strict or fast
 *   .source "saxpy.py"
 *   .string "saxpy"                  entries of the string table in order; texts that code and signatures name are
 *                                    added where they are missing
 *   .import "log" (f32 f32 read write) returns f32
 *                                    a function of the host: scalars and views, numbered in order
 *   .constant f32                    elements that references may lead to, numbered in order: k0, k1, ..
 *   .data 0000803f0000c03f           more of its bytes, in hexadecimal digits
 *   .function "saxpy" public         also: returns f32
 *   .scalars 4                       register counts
 *   .lanes 2
 *   .ref f32                         the type of each reference register in order
 *   .ref f32 writable
 *   .red f32 add                     the type of each reduction state: add, mul, min, max
 *   .var "n" i64 s0                  shape variables in order; "param 1" after them: the scalar parameter that it is
 *   .tensor "A" f32 r0 read ($0 128) parameters in order: read, write or both or none, then the shape;
 *                                    after it: strides (..), offset DIM, minima (..), result
 *   .scalar "x" f32 s1
 *   .alias 0 1                       parameters that may share memory
 *   .requires {$0 4 floormod} == 0   what arguments must meet: DIM, one of < <= > >= == !=, DIM
 *       add.i64 s0, s1, s2           an instruction
 *   again:                           a label
 *       brif s0, again
 *       lane s0, done                the header of a lane loop goes on in the lines below it
 *       .inner 16 s3                 extent, index register
 *       .cursor r0 f32 read 0 s1 1 4 reference, type, read, write or readwrite, level, start, step, step per inner loop
 *   .line 12 5                       what follows comes from line 12, column 5
 *   .end                             of the function
 *
 * A DIM is a constant, a shape variable $0, or a postfix program {$0 4 mul}: add sub mul floordiv floormod truncdiv
 * truncmod min max. Operands are written s0 r0 v0 q0 c0 l0 by file (scalar, reference and lane registers, reduction
 * states, cursors, inner loops), constants as numbers, lists as (s1 s2), functions and strings as "text", or #3 by
 * number; imports by number alone, for two may share a name. Floating-point constants are bits (0x3f800000) or decimals
 * with a point or an exponent. A jump target is a label or a byte offset @28. Strings escape as in C: \" \\ \n \t
 * \x41. */
#ifndef TIRB_LOADER_BUNDLE_ASSEMBLY_H
#define TIRB_LOADER_BUNDLE_ASSEMBLY_H

#include <stddef.h>

#include <tirb/status.h>

#include "loader/base/alloc.h"
#include "loader/base/bytes.h"
#include "loader/bundle/program.h"

/* Appends the text of a program whose code decodes and whose tables are in range (a verified one). Errors: VERIFY,
 * NO_MEMORY, MEMORY_LIMIT. */
tirb_status tirbi_disassemble(const tirbi_program *program, tirbi_writer *text, tirb_error *error);

/* The program that a text means, in `arena`; not verified. Errors: SYNTAX with line and column, NO_MEMORY,
 * MEMORY_LIMIT. */
tirb_status tirbi_assemble(const char *text, size_t size, tirbi_arena *arena, tirbi_program **out, tirb_error *error);

#endif
