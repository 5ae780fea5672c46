/* What of a text from outside a terminal would obey or show as something else: control characters, marks that change
 * the direction of writing, and bytes that are no UTF-8. */
#ifndef TIRB_LOADER_BASE_PRINTABLE_H
#define TIRB_LOADER_BASE_PRINTABLE_H

#include <stddef.h>

/* The bytes of the UTF-8 character that the text begins with; 0 where it begins with none. */
size_t tirbi_character_size(const char *text, size_t size);

/* How many bytes at the beginning of the text are one such character; 0 where it begins with another. */
size_t tirbi_unprintable(const char *text, size_t size);

/* Copies a text with `?` for each such character, shortened to the room where it must be; `text` may be NULL. Returns
 * `out`. */
const char *tirbi_printable(const char *text, char *out, size_t room);

#endif
