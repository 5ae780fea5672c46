/* Packing: gathering the elements of an operand, as another type, to where the micro-kernels want them. */
#ifndef TIRB_VM_CONTRACT_PACK_H
#define TIRB_VM_CONTRACT_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/contract/tiles.h"
#include "vm/lanes/kernels.h"

typedef struct tirbi_pack {
    const tirbi_kernel_table *strips; /* for conversions */
    const tirbi_tile_set *set;
    const uint8_t *from;
    uint8_t from_type, to_type;
    uint8_t group; /* tirbi_pack_words: elements of to_type in a word of 4 bytes */
    uint8_t flip; /* rows of words: every byte is changed in these bits */
    bool negate;
    uint8_t *to;
    ptrdiff_t to_row; /* bytes from row to row */
} tirbi_pack;

/* Elements evenly apart. */
typedef struct tirbi_pack_run {
    uint32_t first, n;
    int64_t step; /* bytes */
} tirbi_pack_run;

typedef struct tirbi_pack_scratch {
    tirbi_pack_run *runs;
    uint8_t *raw;    /* rows that are not converted yet, one at least */
    size_t raw_size;
    uint8_t *staged; /* rows to be transposed */
    ptrdiff_t staged_row;
} tirbi_pack_scratch;

size_t tirbi_pack_scratch_size(size_t longest, size_t k_block);
void tirbi_pack_scratch_place(tirbi_pack_scratch *scratch, uint8_t *at, size_t longest, size_t k_block);

/* to[i][j] = the element at from + rows[i] + elements[j]. */
void tirbi_pack_rows(const tirbi_pack *pack, tirbi_pack_scratch *scratch, const int64_t *rows, size_t n_rows,
                     const int64_t *elements, size_t n_elements);
/* The same for elements that follow each other along the rows' index i rather than along j. */
void tirbi_pack_transposed(const tirbi_pack *pack, tirbi_pack_scratch *scratch, const int64_t *rows, size_t n_rows,
                           const int64_t *elements, size_t n_elements);

/* In words of `group` elements. Rows of words: to[i] = the elements of row i, then zeroes up to a whole word. */
void tirbi_pack_rows_of_words(const tirbi_pack *pack, tirbi_pack_scratch *scratch, const int64_t *rows, size_t n_rows,
                              const int64_t *elements, size_t n_elements);
/* Words across rows: to[w][j] = element j of the rows w * group, w * group + 1, .., as a word, zeroes behind the last
 * row. `along`: elements follow each other along the rows' index rather than along j. */
void tirbi_pack_words(const tirbi_pack *pack, tirbi_pack_scratch *scratch, const int64_t *rows, size_t n_rows,
                      const int64_t *elements, size_t n_elements, bool along);

#endif
