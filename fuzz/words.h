/* The words of TVMScript, from the tables of the compiler: keywords, punctuation, names by namespace, builtins,
 * types. */
#ifndef TIRB_FUZZ_WORDS_H
#define TIRB_FUZZ_WORDS_H

#include <stdint.h>
#include <stdio.h>

/* Word `index`, or NULL behind the last one. */
const char *fuzz_word(uint32_t index);
uint32_t fuzz_word_count(void);
/* All of them as a dictionary of libFuzzer. */
void fuzz_words_print(FILE *out);

#endif
