/* Moving whole blocks of elements that nothing is computed of: rows, fills, and transposition.
 *
 * Addresses go from row to row by steps of any number of bytes. What is written and what is read share no byte, so that
 * an element may be written twice. Any alignment. */
#ifndef TIRB_VM_LANES_MOVES_H
#define TIRB_VM_LANES_MOVES_H

#include <stddef.h>
#include <stdint.h>

typedef struct tirbi_moves {
    /* Element j of row i, at from + i * from_step + j * size, becomes element i of row j, at to + j * to_step + i *
     * size. By the logarithm of the size. Best for up to TIRBI_TRANSPOSE_ROWS rows. */
    void (*transpose[4])(uint8_t *to, ptrdiff_t to_step, const uint8_t *from, ptrdiff_t from_step, size_t rows,
                         size_t columns);
    /* `rows` rows of `size` bytes, size > 0. */
    void (*copy)(uint8_t *to, ptrdiff_t to_step, const uint8_t *from, ptrdiff_t from_step, size_t size, size_t rows);
    /* The same, row i from from + from_rows[i] to to + to_rows[i], in order; up to TIRBI_LISTED_ROWS of them. The first
     * `asked` bytes of rows to come are asked for. */
    void (*list)(uint8_t *to, const ptrdiff_t *to_rows, const uint8_t *from, const ptrdiff_t *from_rows, size_t size,
                 size_t rows, size_t asked);
    /* Rows of `size` bytes: elements that all have the bytes that *pattern repeats. */
    void (*fill)(uint8_t *to, ptrdiff_t to_step, const uint64_t *pattern, size_t size, size_t rows);
    /* n elements, from steps of any number of bytes to steps of any. By the logarithm of the size. */
    void (*place[4])(uint8_t *to, ptrdiff_t to_step, const uint8_t *from, ptrdiff_t from_step, size_t n);
    /* `count` elements of each of n strips, 2 to 4, one of each strip after the other. The strips share no byte with
     * what is written, and there are four pointers. By the logarithm of the size. */
    void (*interleave[4])(uint8_t *to, const uint8_t *const *from, unsigned n, size_t count);
    /* The other way: element k of each of `count` rows of n elements becomes the next one at to[k]. */
    void (*part[4])(uint8_t *const *to, const uint8_t *from, unsigned n, size_t count);
    /* Lines of 64 bytes past the caches, to a line where nothing reads soon; and what makes other threads see them. Or
     * NULL. */
    void (*stream)(uint8_t *to, const uint8_t *from, size_t lines);
    void (*stream_end)(void);
} tirbi_moves;

/* As many rows as have translations of their addresses at hand. */
enum { TIRBI_TRANSPOSE_ROWS = 64, TIRBI_LISTED_ROWS = 64 };

#endif
