/* The built-in dictionaries of compressed sections, by number. */
#include "loader/bundle/parts.h"

static const uint8_t first[] = {0};

const uint8_t *tirbi_dictionary(uint8_t number, size_t *size) {
    if (number != TIRBI_DICTIONARY) return NULL;
    *size = sizeof(first);
    return first;
}
