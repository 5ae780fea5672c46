/* Mutators that know what they change, so that most of what they make goes deep. */
#ifndef TIRB_FUZZ_MUTATE_H
#define TIRB_FUZZ_MUTATE_H

#include "fuzz/fuzz.h"

/* Lines and tokens of TVMScript, of Tensor Comprehensions and of assembly. */
size_t fuzz_mutate_script(uint8_t *data, size_t size, size_t max_size, fuzz_random *random);
size_t fuzz_mutate_comprehensions(uint8_t *data, size_t size, size_t max_size, fuzz_random *random);
size_t fuzz_mutate_assembly(uint8_t *data, size_t size, size_t max_size, fuzz_random *random);
/* Lines of one text, then lines of another. */
size_t fuzz_cross_text(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out, size_t max_size,
                       fuzz_random *random);

/* Bundles: mostly by instructions and signatures (fuzz/mutate_program.c) so that they verify, else the bytes of a
 * section, then with sizes and checksum put right; now and then raw bytes. Up to 8 bytes may follow a bundle. */
size_t fuzz_mutate_bundle(uint8_t *data, size_t size, size_t max_size, fuzz_random *random);
/* A function of one bundle goes to the other. */
size_t fuzz_cross_bundle(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
                         size_t max_size, fuzz_random *random);
/* How much of an input is the bundle: what its header says, if that is there; else everything. */
size_t fuzz_bundle_size(const uint8_t *data, size_t size);

/* Changes the program of a bundle. Returns the new bundle's size, 0 when `data` is none that can be read or the result
 * does not fit. `other`, or NULL, is a bundle to take a function from. */
size_t fuzz_mutate_program(uint8_t *data, size_t size, const uint8_t *other, size_t other_size, size_t max_size,
                           fuzz_random *random);

#endif
