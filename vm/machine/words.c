#include "vm/machine/words.h"

void tirbi_words_release(const tirbi_words *words, tirbi_heap *heap) {
    if (words->n < TIRBI_MANY_WORDS) return;
    tirbi_heap_free(heap, words->words, words->n * sizeof *words->words);
    tirbi_heap_free(heap, words->steps, words->n);
    tirbi_heap_free(heap, words->origins, words->n_origins * sizeof *words->origins);
}

uint32_t tirbi_words_place(const tirbi_words *words, uint32_t word) {
    uint32_t low = 0, high = words->n_origins;
    if (word >= words->n) return 0;
    while (high - low > 1) { /* the last one up to the word is one of these */
        const uint32_t middle = low + (high - low) / 2;
        if (words->origins[middle].word > word)
            high = middle;
        else
            low = middle;
    }
    uint32_t place = words->origins[low].offset;
    for (uint32_t i = words->origins[low].word + 1; i <= word; i++) place += words->steps[i];
    return place;
}
