/* Loop IR as text: printed for people, and read again by tests.
 *
 *   function matmul
 *     parameter n: i32 in 0..2147483647
 *     parameter A[i64(n), 4]: f32 read
 *     loop i = 0, i64(n) {
 *       let x: f32 = A[i, 0] * f32 2
 *       A[i, 1] = fma.f32(x, A[i, 2], x)
 *     }
 *
 * A variable or buffer has one name in a function: its own, and a number behind a point where others have it too.
 * What no statement begins (parameters, constants, views, variables that passes share) is declared by a line
 * of its own, ahead of the statement that is the first to mention it. So are parameters in a version for some sizes:
 * `narrow n.1: i32 in 1..9 of n`.
 *
 *   loop i = MIN, EXTENT [by STEP] [in LO..HI] [below E] [apart] [forwards] [parallel] [blocks] [rows N]
 *     [level N] { .. }
 *   if C [first (i, j)] [sizes] { .. } else { .. }       while C [made] { .. }
 *   search i = MIN, EXTENT where C, found        PLACE = E
 *   let x: f32 [in LO..HI] = E                   local x: f32 [in LO..HI] = E       set x = E
 *   alloc A[..]: f32 ..                          fetch A[..]: f32 .. = HANDLE
 *   eval E         return [E]       break        continue           assert C, "kind", "message"
 *   tree k = MIN, EXTENT; .. { eval E  init { .. }  PLACE += E [, times E] }
 *
 * Expressions: + - * and comparisons between values of one type, / of floats, // and % of integers, which round down;
 * TYPE(E) casts; other operations by their mnemonic, a point and the type: `shl.i32(a, b)`. `cond(C, A, B)`,
 * `both(A, B)` and `either(A, B)` evaluate what they need alone. Constants: `5` is an int64, others have their type in
 * front; floats that no decimal number is, and those of 16 bits, are given by their bits behind a `#`. A place:
 * `A[I, J]`, and behind semicolons what is not as it would be made anew: `at E` (the number of the element), `guard N`,
 * `view PLACE`.
 *
 *   call TYPE "f" [acts](E, ..; A, PLACE of E, ..) [where E == E "message" and ..]
 *   import TYPE "f" [acts](E, ..; A, ..)
 *   machine TYPE "trap"() STATUS "message"       machine TYPE "length"(; A)
 *
 * are calls of functions, of the host's, and instructions in place of one: scalars, then buffers, as a whole or so many
 * elements from a place on, which may be `A[; at E]`. Of what is called the text has no more than the name. */
#ifndef TIRB_COMPILER_LOOP_TEXT_H
#define TIRB_COMPILER_LOOP_TEXT_H

#include "compiler/loop/loop.h"
#include "loader/base/bytes.h"

/* Adds a function's text to `out`, with `body` for its body; `module` names what it calls. Nothing of the function
 * changes. False: out of memory (the arena's or the writer's). */
bool tirbi_print_loops(const tirbi_lmodule *module, const tirbi_lfunc *function, const tirbi_ls *body,
                       tirbi_arena *arena, tirbi_writer *out);

/* Reads the text of one function, whose nodes are made in `arena`: the first of a module which has of the functions and
 * imports that it calls the names alone. Printed again it is the same text. Errors: SYNTAX and TYPE with the line and
 * column, NO_MEMORY. */
tirb_status tirbi_read_loops(const char *text, size_t size, tirbi_arena *arena, tirbi_lmodule **out, tirb_error *error);

#endif
