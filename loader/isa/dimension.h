/* The dimension that index and vindex name, for messages. */
#ifndef TIRB_LOADER_ISA_DIMENSION_H
#define TIRB_LOADER_ISA_DIMENSION_H

/* Is added to it where the index has 64 bits and no sign. */
enum { TIRBI_INDEX_UNSIGNED = 128 };

#endif
