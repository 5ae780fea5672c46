#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "tests/reference/machine.h"
#include "tests/reference/threads.h"
#include "tests/reference/value.h"

enum { CHUNK_BYTES = 1 << 16, ALIGNMENT = 16 };
static const uint64_t max_allocated = 1ull << 30;

/* ---- Errors and limits ---------------------------------------------------------------------------------------- */

bool tirbi_ref_fail(tirbi_ref_machine *m, tirb_status status, const char *format, ...) {
    if (m->status != TIRB_OK) return false;
    char message[400];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    m->status = tirbi_error_set(m->error, status, "%s", message);
    return false;
}

bool tirbi_ref_step(tirbi_ref_machine *m) {
    m->steps++;
    if (m->options.max_steps == 0 || m->steps <= m->options.max_steps) return true;
    return tirbi_ref_fail(m, TIRB_FUEL, "more than %llu steps", (unsigned long long)m->options.max_steps);
}

/* ---- The stack of short-lived objects ------------------------------------------------------------------------- */

struct tirbi_ref_chunk {
    tirbi_ref_chunk *below;
    size_t capacity;
    size_t used;
    size_t reserved; /* keeps the bytes that follow aligned */
};

static uint8_t *chunk_bytes(tirbi_ref_chunk *chunk) { return (uint8_t *)(chunk + 1); }

void *tirbi_ref_scratch(tirbi_ref_machine *m, size_t n, size_t size) {
    size_t bytes;
    if (!tirbi_mul_size(n, size, &bytes) || bytes > SIZE_MAX / 2) {
        tirbi_ref_fail(m, TIRB_NO_MEMORY, "out of memory");
        return NULL;
    }
    bytes = (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    tirbi_ref_chunk *chunk = m->scratch;
    if (chunk == NULL || bytes > chunk->capacity - chunk->used) {
        size_t capacity = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        chunk = malloc(sizeof *chunk + capacity);
        if (chunk == NULL) {
            tirbi_ref_fail(m, TIRB_NO_MEMORY, "out of memory");
            return NULL;
        }
        *chunk = (tirbi_ref_chunk){.below = m->scratch, .capacity = capacity};
        m->scratch = chunk;
    }
    void *object = chunk_bytes(chunk) + chunk->used;
    chunk->used += bytes;
    memset(object, 0, bytes);
    return object;
}

tirbi_ref_mark tirbi_ref_scratch_mark(const tirbi_ref_machine *m) {
    return (tirbi_ref_mark){.chunk = m->scratch, .used = m->scratch != NULL ? m->scratch->used : 0};
}

void tirbi_ref_scratch_release(tirbi_ref_machine *m, tirbi_ref_mark mark) {
    while (m->scratch != mark.chunk) {
        tirbi_ref_chunk *chunk = m->scratch;
        m->scratch = chunk->below;
        free(chunk);
    }
    if (m->scratch != NULL) m->scratch->used = mark.used;
}

void tirbi_ref_scratch_destroy(tirbi_ref_machine *m) {
    tirbi_ref_scratch_release(m, (tirbi_ref_mark){.chunk = NULL, .used = 0});
}

/* ---- Shapes --------------------------------------------------------------------------------------------------- */

/* Bytes of one element of a buffer, all its lanes. */
static bool element_size(tirbi_ref_machine *m, const tirb_buffer *buffer, int64_t *out) {
    tirbi_dtype type;
    if (!tirbi_ref_element_type(m, buffer->dtype, &type)) return false;
    *out = (int64_t)tirbi_dtypes[type].size * buffer->dtype.lanes;
    return true;
}

/* A view of `buffer` with its shape and, when it has any, its strides evaluated; else they are compact. */
static tirbi_ref_view *new_view(tirbi_ref_machine *m, const tirb_buffer *buffer) {
    tirbi_ref_view *view = tirbi_ref_scratch(m, 1, sizeof *view);
    if (view == NULL) return NULL;
    view->buffer = buffer;
    view->ndim = buffer->ndim;
    view->shape = tirbi_ref_scratch(m, buffer->ndim, sizeof *view->shape);
    view->strides = tirbi_ref_scratch(m, buffer->ndim, sizeof *view->strides);
    if (view->shape == NULL || view->strides == NULL) return NULL;
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        if (!tirbi_ref_eval_int(m, buffer->shape[i], &view->shape[i])) return NULL;
        if (view->shape[i] < 0) {
            tirbi_ref_fail(m, TIRB_VALUE, "extent %lld of dimension %u of %s is negative", (long long)view->shape[i], i,
                           buffer->name);
            return NULL;
        }
    }
    int64_t stride = 1;
    for (uint32_t i = buffer->ndim; i-- > 0;) {
        view->strides[i] = stride;
        if (buffer->strides != NULL) {
            if (!tirbi_ref_eval_int(m, buffer->strides[i], &view->strides[i])) return NULL;
        } else if (!tirbi_mul_i64(stride, view->shape[i] > 0 ? view->shape[i] : 1, &stride)) {
            tirbi_ref_fail(m, TIRB_MEMORY_LIMIT, "the size of %s overflows", buffer->name);
            return NULL;
        }
    }
    return view;
}

bool tirbi_ref_compact(const tirbi_ref_view *view) {
    int64_t expected = 1;
    for (uint32_t i = 0; i < view->ndim; i++) {
        if (view->shape[i] == 0) return true;
    }
    for (uint32_t i = view->ndim; i-- > 0;) {
        if (view->shape[i] != 1 && view->strides[i] != expected) return false;
        expected *= view->shape[i];
    }
    return true;
}

static void bind_view(tirbi_ref_machine *m, const tirb_buffer *buffer, const tirbi_ref_view *view) {
    m->frame->views[buffer->id] = view;
}

static void bind_data(tirbi_ref_machine *m, const tirb_buffer *buffer, tirbi_ref_memory *memory, int64_t offset) {
    tirbi_ref_bind(m, buffer->data,
                   (tirbi_ref_value){.type = buffer->data->dtype, .one = (uint64_t)offset, .memory = memory});
}

/* ---- Allocation, declaration, matching ------------------------------------------------------------------------ */

bool tirbi_ref_allocate(tirbi_ref_machine *m, const tirb_buffer *buffer, tirbi_ref_memory **out) {
    *out = tirbi_ref_shared_memory(m, buffer);
    if (*out != NULL) {
        tirbi_ref_value pointer = {.type = buffer->data->dtype, .memory = *out};
        tirbi_ref_bind(m, buffer->data, pointer);
        return tirbi_ref_declare(m, buffer, pointer);
    }
    int64_t size;
    tirbi_ref_view *view = new_view(m, buffer);
    if (view == NULL || !element_size(m, buffer, &size)) return false;
    int64_t offset = 0;
    if (buffer->elem_offset != NULL && !tirbi_ref_eval_int(m, buffer->elem_offset, &offset)) return false;
    /* The last element's place decides how much a strided buffer takes. */
    int64_t count = offset + 1;
    bool empty = false;
    bool fits = offset >= 0;
    for (uint32_t i = 0; i < view->ndim; i++) {
        int64_t reach;
        empty = empty || view->shape[i] == 0;
        fits =
            fits && tirbi_mul_i64(view->shape[i] - 1, view->strides[i], &reach) && tirbi_add_i64(count, reach, &count);
    }
    if (empty) count = 0;
    uint64_t bytes = 0;
    fits = fits && count >= 0 && tirbi_mul_u64((uint64_t)count, (uint64_t)size, &bytes);
    if (!fits || bytes > max_allocated - m->allocated) {
        return tirbi_ref_fail(m, TIRB_MEMORY_LIMIT, "%s takes more than %llu bytes", buffer->name,
                              (unsigned long long)max_allocated);
    }
    tirbi_ref_memory *memory = malloc(sizeof *memory);
    uint8_t *storage = calloc(bytes + 1, 1);
    if (memory == NULL || storage == NULL) {
        free(memory);
        free(storage);
        return tirbi_ref_fail(m, TIRB_NO_MEMORY, "out of memory");
    }
    *memory = (tirbi_ref_memory){.bytes = storage, .size = bytes};
    m->allocated += bytes;
    view->memory = memory;
    view->base = offset * size;
    bind_view(m, buffer, view);
    bind_data(m, buffer, memory, 0);
    *out = memory;
    return tirbi_ref_share(m, buffer, memory);
}

bool tirbi_ref_realize(tirbi_ref_machine *m, const tirb_stmt *realize, tirbi_ref_memory **out) {
    const tirb_buffer *buffer = realize->as.realize.buffer;
    uint32_t n = buffer->ndim;
    tirb_buffer *inner = tirbi_ref_scratch(m, 1, sizeof *inner);
    const tirb_expr **extents = tirbi_ref_scratch(m, n, sizeof *extents);
    int64_t *shifts = tirbi_ref_scratch(m, n, sizeof *shifts);
    if (inner == NULL || extents == NULL || shifts == NULL) return false;
    for (uint32_t i = 0; i < n; i++) {
        extents[i] = realize->as.realize.bounds[i].extent;
        if (!tirbi_ref_eval_int(m, realize->as.realize.bounds[i].min, &shifts[i])) return false;
        shifts[i] = -shifts[i];
    }
    *inner = *buffer;
    inner->shape = extents;
    inner->strides = NULL;
    inner->elem_offset = NULL;
    if (!tirbi_ref_allocate(m, inner, out)) return false;
    const tirbi_ref_view *memory = m->frame->views[buffer->id];
    for (uint32_t i = 0; buffer->strides != NULL && i < n; i++) {
        if (buffer->strides[i]->kind == TIRB_EXPR_VAR) tirbi_ref_bind_int(m, buffer->strides[i], memory->strides[i]);
    }
    if (buffer->elem_offset != NULL && buffer->elem_offset->kind == TIRB_EXPR_VAR)
        tirbi_ref_bind_int(m, buffer->elem_offset, 0);
    tirbi_ref_view *view = new_view(m, buffer);
    if (view == NULL) return false;
    view->memory = memory->memory;
    view->source = memory;
    view->mins = shifts;
    m->frame->views[buffer->id] = view;
    return true;
}

void tirbi_ref_free(tirbi_ref_machine *m, tirbi_ref_memory *memory) {
    if (memory == NULL || tirbi_ref_is_shared(m, memory)) return;
    m->allocated -= memory->size;
    free(memory->bytes);
    free(memory);
}

/* A view of the memory that `pointer` means, by the buffer's own shape, strides and offset. */
static tirbi_ref_view *view_over(tirbi_ref_machine *m, const tirb_buffer *buffer, tirbi_ref_value pointer) {
    int64_t size;
    int64_t offset = 0;
    if (pointer.memory == NULL && tirbi_is_pointee(buffer)) { /* as many elements as there are: none */
        pointer = (tirbi_ref_value){.type = pointer.type, .memory = tirbi_ref_scratch(m, 1, sizeof *pointer.memory)};
        if (pointer.memory == NULL) return NULL;
    }
    if (pointer.memory == NULL) {
        tirbi_ref_fail(m, TIRB_BOUNDS, "%s is declared over a null pointer", buffer->name);
        return NULL;
    }
    tirbi_ref_view *view = new_view(m, buffer);
    if (view == NULL || !element_size(m, buffer, &size)) return NULL;
    if (buffer->elem_offset != NULL && !tirbi_ref_eval_int(m, buffer->elem_offset, &offset)) return NULL;
    view->memory = pointer.memory;
    view->base = (int64_t)pointer.one + offset * size;
    return view;
}

bool tirbi_ref_declare(tirbi_ref_machine *m, const tirb_buffer *buffer, tirbi_ref_value pointer) {
    const tirbi_ref_view *view = view_over(m, buffer, pointer);
    if (view == NULL) return false;
    bind_view(m, buffer, view);
    tirbi_ref_bind(m, buffer->data, pointer);
    return true;
}

/* Binds a variable that stands alone in a shape, stride or offset, or else compares. */
static bool unify(tirbi_ref_machine *m, const tirb_expr *e, int64_t actual, const char *what,
                  const tirb_buffer *buffer) {
    if (e->kind == TIRB_EXPR_VAR && m->frame->vars[e->as.var.id].type.lanes == 0) {
        tirbi_ref_bind_int(m, e, actual);
        return true;
    }
    int64_t expected;
    if (!tirbi_ref_eval_int(m, e, &expected)) return false;
    if (expected == actual) return true;
    return tirbi_ref_fail(m, TIRB_SHAPE, "%s of %s is %lld, expected %lld", what, buffer->name, (long long)actual,
                          (long long)expected);
}

/* The region's mins and the extents of those dimensions that the matched buffer has; the others must be 1. */
static bool match_region(tirbi_ref_machine *m, const tirb_match_buffer *match, int64_t *mins) {
    const tirb_buffer *buffer = match->buffer;
    const tirb_buffer *source = match->source.buffer;
    if (buffer->ndim > source->ndim) {
        return tirbi_ref_fail(m, TIRB_SHAPE, "%s has more dimensions than its source %s", buffer->name, source->name);
    }
    uint32_t leading = source->ndim - buffer->ndim;
    for (uint32_t i = 0; i < source->ndim; i++) {
        int64_t extent;
        const tirb_range *range = &match->source.region[i];
        if (!tirbi_ref_eval_int(m, range->min, &mins[i])) return false;
        if (!tirbi_ref_eval_int(m, range->extent, &extent)) return false;
        if (i >= leading) {
            if (!unify(m, buffer->shape[i - leading], extent, "the extent", buffer)) return false;
        } else if (extent != 1) {
            return tirbi_ref_fail(m, TIRB_SHAPE, "leading extent %lld of the region of %s is not 1", (long long)extent,
                                  buffer->name);
        }
    }
    return true;
}

bool tirbi_ref_match(tirbi_ref_machine *m, const tirb_match_buffer *match) {
    const tirb_buffer *buffer = match->buffer;
    const tirbi_ref_view *source = tirbi_ref_view_of(m, match->source.buffer);
    if (source == NULL) return false;
    int64_t size;
    int64_t *mins = tirbi_ref_scratch(m, source->ndim, sizeof *mins);
    if (mins == NULL || !element_size(m, buffer, &size) || !match_region(m, match, mins)) return false;
    uint32_t leading = source->ndim - buffer->ndim;
    int64_t base = source->base;
    for (uint32_t i = 0; i < source->ndim; i++) base += mins[i] * source->strides[i] * size;
    for (uint32_t i = 0; buffer->strides != NULL && i < buffer->ndim; i++) {
        if (!unify(m, buffer->strides[i], source->strides[leading + i], "a stride", buffer)) return false;
    }
    if (buffer->elem_offset != NULL && !unify(m, buffer->elem_offset, base / size, "elem_offset", buffer)) return false;
    tirbi_ref_view *view = new_view(m, buffer);
    if (view == NULL) return false;
    for (uint32_t i = 0; i < buffer->ndim; i++) view->strides[i] = source->strides[leading + i];
    view->memory = source->memory;
    view->base = base;
    view->source = source;
    view->mins = mins;
    bind_view(m, buffer, view);
    bind_data(m, buffer, source->memory, buffer->elem_offset != NULL ? 0 : base);
    return true;
}

/* ---- Access --------------------------------------------------------------------------------------------------- */

const tirbi_ref_view *tirbi_ref_view_of(tirbi_ref_machine *m, const tirb_buffer *buffer) {
    const tirbi_ref_view *view = m->frame->views[buffer->id];
    if (view != NULL) return view;
    /* A buffer that no statement declares is a view of what its data points to now. */
    const tirbi_ref_value *data = &m->frame->vars[buffer->data->as.var.id];
    if (data->type.lanes != 0) return view_over(m, buffer, *data);
    tirbi_ref_fail(m, TIRB_TYPE, "buffer %s is used where it is not in scope", buffer->name);
    return NULL;
}

void tirbi_ref_next_rows(const tirb_buffer *buffer, const tirb_expr *const *indices, uint32_t n, int64_t *at) {
    const tirb_expr *last = n > 1 ? indices[n - 1] : NULL;
    if (last == NULL || last->kind != TIRB_EXPR_RAMP || buffer->auto_broadcast) return;
    const tirb_expr *stride = last->as.ramp.stride;
    if (stride->kind != TIRB_EXPR_INT_IMM || stride->as.int_value != 1) return;
    int64_t lanes = last->dtype.lanes;
    for (uint32_t d = n - 1; d > 0; d--) {
        const tirb_expr *extent = buffer->shape[d];
        if (extent->kind != TIRB_EXPR_INT_IMM || extent->as.int_value < 1 || lanes <= extent->as.int_value || at[d] < 0)
            return;
        at[d - 1] += at[d] / extent->as.int_value;
        at[d] %= extent->as.int_value;
        lanes = lanes / extent->as.int_value + 1;
    }
}

bool tirbi_ref_bad_index(tirbi_ref_machine *m, const tirbi_ref_view *view, uint32_t d, const tirb_expr *written,
                         int64_t index) {
    const long long extent = (long long)view->shape[d];
    const char *const name = view->buffer->name;
    if (written != NULL && written->dtype.code == TIRB_CODE_UINT && written->dtype.bits == 64)
        return tirbi_ref_fail(m, TIRB_BOUNDS, "index %llu is out of bounds for dimension %u of %s with extent %lld",
                              (unsigned long long)index, d, name, extent);
    return tirbi_ref_fail(m, TIRB_BOUNDS, "index %lld is out of bounds for dimension %u of %s with extent %lld",
                          (long long)index, d, name, extent);
}

bool tirbi_ref_address(tirbi_ref_machine *m, const tirbi_ref_view *view, const tirb_expr *const *written,
                       const int64_t *indices, uint64_t *out) {
    const tirb_buffer *buffer = view->buffer;
    int64_t size;
    if (!element_size(m, buffer, &size)) return false;
    bool broadcasts = buffer != NULL && buffer->auto_broadcast;
    for (uint32_t i = 0; i < view->ndim; i++) {
        if (broadcasts && view->shape[i] == 1) continue;
        if (indices[i] < 0 || indices[i] >= view->shape[i])
            return tirbi_ref_bad_index(m, view, i, written != NULL ? written[i] : NULL, indices[i]);
    }
    if (view->source != NULL) {
        /* An access to a matched buffer is the access to its source, shifted by the region's mins. */
        int64_t shifted[64];
        uint32_t leading = view->source->ndim - view->ndim;
        for (uint32_t i = 0; i < view->source->ndim && i < 64; i++) {
            shifted[i] = view->mins[i] + (i >= leading ? indices[i - leading] : 0);
        }
        return tirbi_ref_address(m, view->source, NULL, shifted, out);
    }
    int64_t offset = view->base;
    for (uint32_t i = 0; i < view->ndim; i++) {
        int64_t step, index = broadcasts && view->shape[i] == 1 ? 0 : indices[i];
        if (!tirbi_mul_i64(index, view->strides[i], &step) || !tirbi_mul_i64(step, size, &step) ||
            !tirbi_add_i64(offset, step, &offset)) {
            return tirbi_ref_fail(m, TIRB_BOUNDS, "the offset into %s overflows", buffer->name);
        }
    }
    if (offset < 0 || !tirbi_in_range((uint64_t)offset, (uint64_t)size, view->memory->size)) {
        return tirbi_ref_fail(m, TIRB_BOUNDS, "byte offset %lld is outside the memory of %s with %llu bytes",
                              (long long)offset, buffer->name, (unsigned long long)view->memory->size);
    }
    *out = (uint64_t)offset;
    return true;
}

/* The machine is little-endian or not; elements are in the host's order. */
static uint64_t load_element(tirbi_dtype type, const uint8_t *p) {
    uint8_t b1;
    uint16_t b2;
    uint32_t b4;
    uint64_t b8;
    switch (tirbi_dtypes[type].size) {
    case 1: memcpy(&b1, p, 1); return tirbi_ref_extend(type, b1);
    case 2: memcpy(&b2, p, 2); return tirbi_ref_extend(type, b2);
    case 4: memcpy(&b4, p, 4); return tirbi_ref_extend(type, b4);
    default: memcpy(&b8, p, 8); return b8;
    }
}

static void store_element(tirbi_dtype type, uint8_t *p, uint64_t bits) {
    uint8_t b1 = (uint8_t)bits;
    uint16_t b2 = (uint16_t)bits;
    uint32_t b4 = (uint32_t)bits;
    switch (tirbi_dtypes[type].size) {
    case 1: memcpy(p, &b1, 1); break;
    case 2: memcpy(p, &b2, 2); break;
    case 4: memcpy(p, &b4, 4); break;
    default: memcpy(p, &bits, 8); break;
    }
}

bool tirbi_ref_read(tirbi_ref_machine *m, const tirbi_ref_view *view, uint64_t offset, uint64_t *lanes) {
    tirbi_dtype type;
    if (!tirbi_ref_element_type(m, view->buffer->dtype, &type)) return false;
    for (uint32_t i = 0; i < view->buffer->dtype.lanes; i++) {
        lanes[i] = load_element(type, view->memory->bytes + offset + (uint64_t)i * tirbi_dtypes[type].size);
    }
    return true;
}

bool tirbi_ref_write(tirbi_ref_machine *m, const tirbi_ref_view *view, uint64_t offset, const uint64_t *lanes) {
    tirbi_dtype type;
    if (!tirbi_ref_element_type(m, view->buffer->dtype, &type)) return false;
    for (uint32_t i = 0; i < view->buffer->dtype.lanes; i++) {
        store_element(type, view->memory->bytes + offset + (uint64_t)i * tirbi_dtypes[type].size, lanes[i]);
    }
    return true;
}
