/* The buffers of a version, and what they are made by (version_buffers.c, versions.c). */
#ifndef TIRB_COMPILER_OPTIMIZE_NORMALISE_VERSION_BUFFERS_H
#define TIRB_COMPILER_OPTIMIZE_NORMALISE_VERSION_BUFFERS_H

#include "compiler/optimize/normalise/versions.h"

/* A dimension of a buffer in this nest; NULL: it is not known, and not added. */
tirbi_dimension *tirbi_version_dimension(tirbi_versions *v, const tirbi_lbuf *buffer, uint32_t d, bool add);
/* The dimensions that one is made of; NULL: it is one. */
const tirbi_dimensions *tirbi_version_parts(tirbi_versions *v, const tirbi_lbuf *buffer, uint32_t d);
/* The copy of a buffer. */
tirbi_lbuf *tirbi_version_buffer(tirbi_versions *v, const tirbi_lbuf *b);
/* The same with the dimensions that it has in this nest. Memory without gaps still has none where the parts of all its
 * dimensions but the outermost fill these. */
tirbi_lbuf *tirbi_version_view(tirbi_versions *v, const tirbi_lbuf *b);
/* The expressions of a list in the copy, or its bounds. */
const tirbi_lx *const *tirbi_version_of_values(tirbi_versions *v, const tirbi_lx *const *from, uint32_t n, bool bounds);

/* Room for one more; false: memory ran out, or there are too many, and no version is made. */
bool tirbi_version_grow(tirbi_versions *v, void **items, uint32_t n, uint32_t *capacity, size_t size, uint32_t most);
/* What stands for a variable in the copy, or NULL. */
tirbi_lvar *tirbi_version_variable(const tirbi_versions *v, const tirbi_lvar *var);
/* A polynomial as an int64. */
const tirbi_lx *tirbi_version_of_poly(tirbi_versions *v, const tirbi_poly *p);
/* A bound of a loop or an extent: an int64 that is a sum of products, as far as it is one. */
const tirbi_lx *tirbi_version_of_bound(tirbi_versions *v, const tirbi_lx *x, bool counts);

#endif
