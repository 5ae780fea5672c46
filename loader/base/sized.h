/* Public structs that begin with struct_size: what hosts of other versions pass. */
#ifndef TIRB_LOADER_BASE_SIZED_H
#define TIRB_LOADER_BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/* Copies the caller's options struct `from`, which begins with its struct_size, into the zeroed `to`. A shorter struct
 * leaves the rest at 0, which means the defaults; a longer one must be 0 where this version has no fields. */
bool tirbi_options_read(void *to, size_t to_size, const void *from);
/* Copies `from`, of `size` bytes, into the caller's info struct as far as that goes; both begin with struct_size. */
bool tirbi_info_write(void *to, const void *from, size_t size);

#endif
