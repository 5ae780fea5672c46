/* The words of the languages, from the tables of the compiler: keywords, punctuation, names by namespace, builtins,
 * types. */
#ifndef TIRB_FUZZ_WORDS_H
#define TIRB_FUZZ_WORDS_H

#include <stdint.h>
#include <stdio.h>

/* Word `index` of TVMScript, or NULL behind the last one; and of Tensor Comprehensions. */
const char *fuzz_word(uint32_t index);
uint32_t fuzz_word_count(void);
const char *fuzz_comprehension_word(uint32_t index);
uint32_t fuzz_comprehension_word_count(void);
/* All of a language as a dictionary of libFuzzer. */
void fuzz_words_print(const char *(*word_at)(uint32_t index), FILE *out);

#endif
