/* Views whose elements have another size than the memory's. The memory keeps its elements: a smaller element of a view
 * is some bits of one, a larger one is the bits of several that follow each other, the first the least significant. So
 * what a view shows of numbers of another size is the same on machines of either byte order. */
#include "compiler/lower/lower.h"

static tirbi_dtype unsigned_of(uint32_t bytes) {
    return bytes == 1 ? TIRB_U8 : bytes == 2 ? TIRB_U16 : bytes == 4 ? TIRB_U32 : TIRB_U64;
}

static const tirbi_lx *op2(tirbi_lowerer *l, tirbi_op op, tirbi_dtype type, const tirbi_lx *a, const tirbi_lx *b) {
    return a && b ? tirbi_lx_op(l->pool, op, type, TIRB_TYPE_NONE, a, b, NULL) : NULL;
}

const tirbi_lx *tirbi_as_bits(tirbi_lowerer *l, tirbi_dtype to, const tirbi_lx *x) {
    if (!x || x->type == to) return x;
    if (x->type == TIRB_BOOL || to == TIRB_BOOL) return tirbi_lx_cast(l->pool, to, x);
    return tirbi_lx_op(l->pool, TIRB_OP_BITS, to, (tirbi_dtype)x->type, x, NULL, NULL);
}

const tirbi_lx *tirbi_part_of(tirbi_lowerer *l, tirbi_dtype to, const tirbi_lx *whole, const tirbi_lx *part) {
    uint32_t size = tirbi_dtypes[to].size;
    if (!whole || !part) return NULL;
    tirbi_dtype wide = unsigned_of(tirbi_dtypes[whole->type].size);
    const tirbi_lx *by = tirbi_lx_mul(l->pool, part, tirbi_lx_number(l->pool, 8 * size));
    const tirbi_lx *moved =
        by ? op2(l, TIRB_OP_SHR, wide, tirbi_as_bits(l, wide, whole), tirbi_lx_cast(l->pool, wide, by)) : NULL;
    return moved ? tirbi_as_bits(l, to, tirbi_lx_cast(l->pool, unsigned_of(size), moved)) : NULL;
}

const tirbi_lx *tirbi_with_part(tirbi_lowerer *l, tirbi_dtype type, const tirbi_lx *lower, const tirbi_lx *x,
                                uint32_t number) {
    if (!x || (number > 0 && !lower)) return NULL;
    uint32_t size = tirbi_dtypes[x->type].size;
    x = tirbi_lx_cast(l->pool, type, tirbi_as_bits(l, unsigned_of(size), x));
    if (number == 0) return x;
    x = op2(l, TIRB_OP_SHL, type, x, tirbi_lx_int(l->pool, type, 8 * (int64_t)size * number));
    return op2(l, TIRB_OP_OR, type, lower, x);
}

bool tirbi_resize_view(tirbi_lowerer *l, tirbi_lbuf *view, const tirbi_pointer *memory) {
    tirbi_resized *r = TIRBI_NEW(l->arena, tirbi_resized);
    const tirbi_lx **sizes = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, 2);
    if (!r || !sizes || !memory->offset) return false;
    sizes[0] = tirbi_lx_number(l->pool, TIRBI_POINTEE_EXTENT);
    sizes[1] = tirbi_lx_number(l->pool, 1);
    r->words = (tirbi_lbuf){.name = view->name, .type = unsigned_of(tirbi_dtypes[memory->memory->type].size), .ndim = 1,
                            .shape = sizes, .strides = sizes + 1, .root = memory->memory, .param = -1};
    r->first = tirbi_hold(l, view->name, memory->offset, (tirbi_span){0, 0});
    view->resized = r;
    return sizes[0] && sizes[1] && r->first;
}

/* The word with this number, where the element of the view that it is of, or NULL, is checked as well. */
static const tirbi_place *word_at(tirbi_lowerer *l, const tirbi_place *place, const tirbi_lx *number, bool checked) {
    tirbi_resized *r = place->buffer->resized;
    const tirbi_place *word = number ? tirbi_place_at(l, &r->words, &number, place->span) : NULL;
    if (word && checked) ((tirbi_place *)(uintptr_t)word)->view = place;
    return word;
}

/* Where an element of a view is. Smaller than a word: word `at`, and which part of it; larger: the words from `at`
 * on. */
typedef struct position {
    const tirbi_lx *at, *part;
    uint32_t word, size; /* in bytes */
} position;

static bool find(tirbi_lowerer *l, const tirbi_place *place, position *out) {
    const tirbi_resized *r = place->buffer->resized;
    out->word = tirbi_dtypes[r->words.type].size;
    out->size = tirbi_dtypes[place->buffer->type].size;
    out->part = NULL;
    if (out->size > out->word) {
        const tirbi_lx *words = tirbi_lx_mul(l->pool, place->flat, tirbi_lx_number(l->pool, out->size / out->word));
        out->at = words ? tirbi_lx_add(l->pool, r->first, words) : NULL;
        return out->at != NULL;
    }
    const tirbi_lx *per = tirbi_lx_number(l->pool, out->word / out->size);
    const tirbi_lx *words = op2(l, TIRB_OP_FLOORDIV, TIRB_I64, place->flat, per);
    out->at = words ? tirbi_lx_add(l->pool, r->first, words) : NULL;
    out->part = op2(l, TIRB_OP_FLOORMOD, TIRB_I64, place->flat, per);
    return out->at && out->part;
}

const tirbi_lx *tirbi_read_resized(tirbi_lowerer *l, const tirbi_place *place) {
    position p;
    if (!find(l, place, &p)) return NULL;
    tirbi_dtype type = place->buffer->type;
    if (p.part) {
        const tirbi_place *word = word_at(l, place, p.at, true);
        return word ? tirbi_part_of(l, type, tirbi_lx_load(l->pool, word), p.part) : NULL;
    }
    const tirbi_lx *all = NULL;
    for (uint32_t i = 0; i < p.size / p.word; i++) {
        const tirbi_lx *number = tirbi_lx_add(l->pool, p.at, tirbi_lx_number(l->pool, i));
        const tirbi_place *word = word_at(l, place, number, i == 0);
        all = word ? tirbi_with_part(l, unsigned_of(p.size), all, tirbi_lx_load(l->pool, word), i) : NULL;
        if (!all) return NULL;
    }
    return tirbi_as_bits(l, type, all);
}

static void append_store(tirbi_lowerer *l, const tirbi_place *word, const tirbi_lx *value, tirbi_span span) {
    if (!word || !value) return;
    tirbi_ls *store = tirbi_append(l, TIRBI_LS_STORE, span);
    store->as.store.access = word;
    store->as.store.value = value;
}

void tirbi_store_resized(tirbi_lowerer *l, const tirbi_place *place, const tirbi_lx *value, tirbi_span span) {
    position p;
    if (!find(l, place, &p)) return;
    tirbi_dtype word = place->buffer->resized->words.type, bits = unsigned_of(p.size);
    value = tirbi_hold(l, "value", tirbi_as_bits(l, bits, value), span);
    p.at = tirbi_hold(l, "word", p.at, span);
    if (!value || !p.at) return;
    if (!p.part) {
        for (uint32_t i = 0; i < p.size / p.word; i++) {
            const tirbi_lx *number = tirbi_lx_add(l->pool, p.at, tirbi_lx_number(l->pool, i));
            append_store(l, word_at(l, place, number, i == 0),
                         tirbi_part_of(l, word, value, tirbi_lx_number(l->pool, i)), span);
        }
        return;
    }
    tirbi_lx_pool *pool = l->pool;
    const tirbi_lx *by = tirbi_lx_mul(pool, p.part, tirbi_lx_number(pool, 8 * p.size));
    by = by ? tirbi_hold(l, "shift", tirbi_lx_cast(pool, word, by), span) : NULL;
    const tirbi_lx *mask = op2(l, TIRB_OP_SHL, word, tirbi_lx_bits(pool, word, (UINT64_C(1) << (8 * p.size)) - 1), by);
    const tirbi_lx *others = mask ? tirbi_lx_op(pool, TIRB_OP_NOT, word, TIRB_TYPE_NONE, mask, NULL, NULL) : NULL;
    const tirbi_place *target = word_at(l, place, p.at, true);
    const tirbi_lx *kept = target ? op2(l, TIRB_OP_AND, word, tirbi_lx_load(pool, target), others) : NULL;
    append_store(l, target,
                 op2(l, TIRB_OP_OR, word, kept, op2(l, TIRB_OP_SHL, word, tirbi_lx_cast(pool, word, value), by)), span);
}
