#include "vm/contract/contract.h"

#include <string.h>

#include "vm/contract/pack.h"

/* The largest blocks, in bytes of a row or column of the accumulator's type. B's block, whose rows are those of a panel
 * of tiles, is meant for the outer caches, A's for the middle one, a tile's columns of B for the inner one. Narrow
 * elements are two or four in a word. */
enum {
    K_BLOCK = 256,
    NARROW_K_BLOCK = 2 * K_BLOCK,
    ROW_BLOCK_BYTES = 896,
    COLUMN_BLOCK_BYTES = 4096,
    MAX_LANES = 16,
    LINE = 64
};

enum { TOP_BIT = 0x80 };

/* A B of at most this many bytes is read as fast where it is, for it stays in the inner caches. */
enum { SMALL_B_BYTES = 65536 };

typedef tirbi_contract_group group;
typedef tirbi_contract_shape shape;

/* Where a block of a group's elements begins, and where its elements are relative to the operands. */
typedef struct window {
    int64_t first, n; /* n = 0: nothing is known yet */
} window;

typedef struct runner {
    const tirbi_contraction *x;
    const tirbi_tile_set *set;
    const shape *s;
    size_t size;          /* of a sum in registers, and of an element or word of A's block */
    size_t b_size;        /* of an element or word of B */
    size_t c_size;        /* of an element of C */
    unsigned group;       /* of narrow elements in a word of C's size; else 1 */
    uint8_t a_type, b_type; /* as which they are packed */
    bool flipped;         /* A's top bits */
    uint8_t *add;         /* what makes up for it, of the panel at work; or NULL */
    uint8_t *base[TIRBI_CONTRACT_OPERANDS]; /* of the batch */
    window rows, columns, k;
    int64_t *row_a, *row_c, *column_b, *column_c, *k_a, *k_b, *b_steps;
    tirbi_pack_scratch pack;
    const uint8_t *first; /* x->first, as tiles have it */
    uint8_t *a_block, *b_block;
    ptrdiff_t a_row, a_k, a_tile; /* distances in A's block, the last from tile to tile */
    bool a_direct, b_direct;
    bool b_rows;             /* B is used where it is, of which no more than its columns are side by side */
    bool a_linear, b_linear; /* can be used where they are */
    bool contiguous;         /* C's columns */
    uint8_t *together;       /* B whose elements were apart; or NULL */
    const uint8_t *together_from;
} runner;

/* ---- Sorting the loops ---------------------------------------------------------------------------------------- */

static int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

static void add_loop(group *g, const tirbi_contraction *x, unsigned loop, bool sorted) {
    unsigned at = g->n++;
    int64_t c = magnitude(x->operand[TIRBI_CONTRACT_C].step[loop]);
    for (; sorted && at > 0 && magnitude(g->step[TIRBI_CONTRACT_C][at - 1]) < c; at--) {
        g->extent[at] = g->extent[at - 1];
        for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) g->step[o][at] = g->step[o][at - 1];
    }
    g->extent[at] = x->extent[loop];
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) g->step[o][at] = x->operand[o].step[loop];
    if (__builtin_mul_overflow(g->total, x->extent[loop], &g->total)) g->total = INT64_MAX;
}

static bool steps_by(const group *g, int64_t size) {
    for (unsigned i = 0; i < g->n; i++)
        if (g->step[TIRBI_CONTRACT_C][i] == size) return true;
    return false;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* The type in which tiles hold sums, and A unless it is narrow. */
static uint8_t tile_type(const tirbi_contraction *x) { return tirbi_contract_is_half(x) ? TIRB_F32 : x->type; }

static bool is_narrow(uint8_t type) { return type == TIRB_I8 || type == TIRB_U8 || type == TIRB_I16; }

/* The columns are the group in which C is contiguous, whichever operand that is. */
void tirbi_contract_sort(const tirbi_contraction *x, shape *s) {
    s->rows.n = s->columns.n = s->k.n = s->batch.n = 0;
    s->rows.total = s->columns.total = s->k.total = s->batch.total = 1;
    s->a = TIRBI_CONTRACT_A;
    s->b = TIRBI_CONTRACT_B;
    for (unsigned i = 0; i < x->n_loops; i++) {
        if (x->extent[i] == 1) continue;
        bool a = x->operand[TIRBI_CONTRACT_A].step[i] != 0, b = x->operand[TIRBI_CONTRACT_B].step[i] != 0;
        if (x->operand[TIRBI_CONTRACT_C].step[i] == 0)
            add_loop(&s->k, x, i, false);
        else
            add_loop(a == b ? &s->batch : a ? &s->rows : &s->columns, x, i, true);
    }
    int64_t size = tirbi_dtypes[x->type].size;
    if (!steps_by(&s->columns, size) && (steps_by(&s->rows, size) || s->columns.total < s->rows.total)) {
        group rows = s->rows;
        s->rows = s->columns;
        s->columns = rows;
        s->a = TIRBI_CONTRACT_B;
        s->b = TIRBI_CONTRACT_A;
    }
    unsigned tile_shift = (unsigned)__builtin_ctz(tirbi_dtypes[tile_type(x)].size);
    s->row_block = least(s->rows.total, ROW_BLOCK_BYTES >> tile_shift);
    s->column_block = least(s->columns.total, COLUMN_BLOCK_BYTES >> tile_shift);
    s->narrow = (x->type == TIRB_I32 || x->type == TIRB_U32) && !(x->flags & TIRBI_CONTRACT_SUBTRACT) &&
                tirbi_semiring_of(x->flags) == TIRBI_PRODUCTS && is_narrow(x->operand[TIRBI_CONTRACT_A].type) &&
                is_narrow(x->operand[TIRBI_CONTRACT_B].type);
    s->k_block = least(s->k.total, s->narrow ? NARROW_K_BLOCK : K_BLOCK);
    s->direct = tirbi_contract_is_direct(x, s, &s->walk) || tirbi_contract_make_direct(x, s);
    s->sweeps = tirbi_contract_is_sweep(x, s, &s->sweep);
    s->direct = s->direct && !s->sweeps;
    s->apart = tirbi_contract_apart(x, s, &s->elements);
}

void tirbi_contract_places(const group *g, int64_t first, int64_t n, unsigned one, int64_t *to_one, unsigned other,
                           int64_t *to_other) {
    int64_t index[TIRBI_MAX_CONTRACT_LOOPS] = {0};
    int64_t at = 0, at_other = 0;
    if (g->n == 0) {
        to_one[0] = to_other[0] = 0;
        return;
    }
    for (unsigned i = g->n; i-- > 0;) {
        index[i] = first % g->extent[i];
        first /= g->extent[i];
        at += index[i] * g->step[one][i];
        at_other += index[i] * g->step[other][i];
    }
    unsigned last = g->n - 1;
    int64_t step = g->step[one][last], step_other = g->step[other][last];
    for (int64_t j = 0; j < n;) {
        int64_t run = least(n - j, g->extent[last] - index[last]);
        for (int64_t i = 0; i < run; i++) {
            to_one[j + i] = at + i * step;
            to_other[j + i] = at_other + i * step_other;
        }
        j += run;
        if (j == n) return;
        at -= index[last] * step;
        at_other -= index[last] * step_other;
        index[last] = 0;
        for (unsigned i = last; i-- > 0;) {
            at += g->step[one][i];
            at_other += g->step[other][i];
            if (++index[i] < g->extent[i]) break;
            at -= g->extent[i] * g->step[one][i];
            at_other -= g->extent[i] * g->step[other][i];
            index[i] = 0;
        }
    }
}

static bool same_window(window *w, int64_t first, int64_t n) {
    if (w->n == n && w->first == first) return true;
    *w = (window){first, n};
    return false;
}

/* ---- Scratch -------------------------------------------------------------------------------------------------- */

static size_t lines(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

/* Elements of C's size in a row or column of a block: pairs take more room than quads. */
static size_t packed_k(const shape *s) { return s->narrow ? ((size_t)s->k_block + 1) / 2 : (size_t)s->k_block; }

/* Wide enough for the tiles of every instruction set: rows are padded by at most one half, columns by one vector.
 * Behind each panel of B there is room for one row more. */
static size_t a_size(const shape *s, size_t size) {
    size_t rows = (size_t)s->row_block, k = packed_k(s);
    return lines((rows + rows / 2 + MAX_LANES) * (k * size + 2 * LINE));
}
static size_t b_size(const shape *s, size_t size) {
    return lines(((size_t)s->column_block + MAX_LANES) * (packed_k(s) + s->narrow) * size);
}
static size_t together_size(const shape *s, size_t size) {
    return s->apart > 0 ? lines(((size_t)s->elements + (size_t)s->apart) * size) : 0;
}
static size_t table_size(int64_t n) { return lines((size_t)n * sizeof(int64_t)); }

static size_t longest(const shape *s) {
    int64_t most = s->row_block > s->column_block ? s->row_block : s->column_block;
    return (size_t)(most > s->k_block ? most : s->k_block);
}

size_t tirbi_contract_scratch(const tirbi_contraction *x, const shape *s) {
    if (s->direct) return 0;
    if (s->sweeps) return tirbi_sweep_scratch(x, s);
    size_t size = tirbi_dtypes[tile_type(x)].size;
    return a_size(s, size) + b_size(s, size) + together_size(s, size) + 2 * table_size(s->row_block) +
           2 * table_size(s->column_block) + 3 * table_size(s->k_block) +
           tirbi_pack_scratch_size(longest(s), (size_t)s->k_block);
}

static int64_t *take_table(uint8_t **scratch, int64_t n) {
    int64_t *table = (int64_t *)(void *)*scratch;
    *scratch += table_size(n);
    return table;
}

static void place_scratch(runner *r, uint8_t *scratch) {
    r->row_a = take_table(&scratch, r->s->row_block);
    r->row_c = take_table(&scratch, r->s->row_block);
    r->column_b = take_table(&scratch, r->s->column_block);
    r->column_c = take_table(&scratch, r->s->column_block);
    r->k_a = take_table(&scratch, r->s->k_block);
    r->k_b = take_table(&scratch, r->s->k_block);
    r->b_steps = take_table(&scratch, r->s->k_block);
    r->a_block = scratch;
    scratch += a_size(r->s, r->size);
    r->b_block = scratch;
    scratch += b_size(r->s, r->size);
    r->together = r->s->apart > 0 ? scratch : NULL;
    scratch += together_size(r->s, r->size);
    tirbi_pack_scratch_place(&r->pack, scratch, longest(r->s), (size_t)r->s->k_block);
}

/* ---- Tiles ---------------------------------------------------------------------------------------------------- */

/* How many rows the tiles of a block have: as equal as can be. */
static int64_t tile_rows(const runner *r) {
    int64_t tiles = (r->rows.n + r->set->rows - 1) / r->set->rows;
    return (r->rows.n + tiles - 1) / tiles;
}

/* How many words, or elements that are no part of one, a row of the block of A has. */
static int64_t words_of(const runner *r) { return (r->k.n + r->group - 1) / r->group; }

static bool adjacent(const runner *r, int64_t first, int64_t n) {
    if (r->contiguous) return true;
    for (int64_t j = 1; j < n; j++)
        if (r->column_c[first + j] - r->column_c[first + j - 1] != (int64_t)r->c_size) return false;
    return true;
}

/* Moves n elements that follow each other to places, or the other way. */
static void scatter(uint8_t *to, const int64_t *at, const uint8_t *from, int64_t n, size_t size) {
    if (size == 2)
        for (int64_t j = 0; j < n; j++) memcpy(to + at[j], from + j * 2, 2);
    else if (size == 4)
        for (int64_t j = 0; j < n; j++) memcpy(to + at[j], from + j * 4, 4);
    else
        for (int64_t j = 0; j < n; j++) memcpy(to + at[j], from + j * 8, 8);
}
static void gather(uint8_t *to, const uint8_t *from, const int64_t *at, int64_t n, size_t size) {
    if (size == 2)
        for (int64_t j = 0; j < n; j++) memcpy(to + j * 2, from + at[j], 2);
    else if (size == 4)
        for (int64_t j = 0; j < n; j++) memcpy(to + j * 4, from + at[j], 4);
    else
        for (int64_t j = 0; j < n; j++) memcpy(to + j * 8, from + at[j], 8);
}

/* The lines of a row of C are there when the tile is done: stores that wait for memory wait for each other. */
static void prefetch_row(const uint8_t *c, const int64_t *at, int64_t n) {
    const int64_t span = at[n - 1] - at[0];
    const bool close = span >= 0 && span <= n * LINE;
    for (int64_t i = close ? n - 1 : 0; i < n; i++) __builtin_prefetch(c + at[i], 1);
    for (int64_t i = 0; close && i < span; i += LINE) __builtin_prefetch(c + at[0] + i, 1);
}

bool tirbi_contract_run_tile(const tirbi_contraction *x, tirbi_tile_kernel kernel, const tirbi_tile *tile, int64_t rows,
                             int64_t columns) {
    int64_t products;
    if (!__builtin_mul_overflow(rows * columns, tile->n_k, &products) && products <= tirbi_products_at_once(x)) {
        kernel(tile); /* small ones, of which there are many, do without a division */
        return true;
    }
    const int64_t most = tirbi_products_at_once(x) / (rows * columns), at_once = most > 0 ? most : 1;
    tirbi_tile part = *tile;
    for (int64_t left = tile->n_k; left > 0; left -= part.n_k) {
        part.n_k = least(left, at_once);
        kernel(&part);
        if (tirbi_must_stop(x)) return false;
        part.first = part.add = NULL;
        part.a += part.n_k * part.a_k;
        if (!part.b_steps) part.b += part.n_k * part.b_k;
        for (int64_t k = 0; part.b_steps && k < part.n_k; k++) part.b += *part.b_steps++;
    }
    return true;
}

/* Runs a tile whose columns are apart in C, or are not what its set wants, through a copy. */
static bool run_copied(const runner *r, tirbi_tile *tile, tirbi_tile_kernel kernel, unsigned rows, unsigned width,
                       int64_t column, int64_t columns) {
    _Alignas(64) uint8_t copy[TIRBI_TILE_ROWS * TIRBI_TILE_BYTES];
    uint8_t *pointers[TIRBI_TILE_ROWS];
    const int64_t *at = r->column_c + column;
    const size_t row_size = width * r->c_size, filled = (size_t)columns * r->c_size;
    for (unsigned i = 0; i < rows; i++) {
        pointers[i] = copy + i * row_size;
        if (tile->first)
            prefetch_row(tile->c[i], at, columns);
        else
            gather(pointers[i], tile->c[i], at, columns, r->c_size);
        if (!tile->first) memset(pointers[i] + filled, 0, row_size - filled);
    }
    tirbi_tile inner = *tile;
    inner.c = pointers;
    if (!tirbi_contract_run_tile(r->x, kernel, &inner, rows, width)) return false;
    for (unsigned i = 0; i < rows; i++) scatter(tile->c[i], at, pointers[i], columns, r->c_size);
    return true;
}

static bool is_wide(const runner *r) { return r->s->rows.total == 1 && r->set->wide[0]; }

/* The tiles of one panel of columns, all rows of the block; false: stopped. */
static bool run_panel(const runner *r, int64_t column, int64_t columns, const uint8_t *b, int64_t b_k, bool in_rows) {
    unsigned vectors = (unsigned)((columns + r->set->lanes - 1) / r->set->lanes), width = vectors * r->set->lanes;
    const bool whole = columns == (int64_t)width, half = tirbi_contract_is_half(r->x), part = !half && !whole;
    const bool direct = (whole || part) && adjacent(r, column, columns), alone = is_wide(r);
    int64_t each = tile_rows(r), unlooked = 0;
    tirbi_tile tile = {.a_row = r->a_row, .a_k = r->a_k, .b = b, .b_k = b_k, .n_k = words_of(r), .add = r->add,
                       .b_steps = in_rows ? r->b_steps : NULL,
                       .last = (unsigned)(columns - (int64_t)(vectors - 1) * r->set->lanes),
                       .first = r->k.first == 0 && (r->x->flags & TIRBI_CONTRACT_INIT) ? r->first : NULL};
    for (int64_t row = 0, t = 0; row < r->rows.n; row += each, t++) {
        unsigned rows = (unsigned)least(each, r->rows.n - row);
        uint8_t *pointers[TIRBI_TILE_ROWS];
        uint8_t *c = r->base[TIRBI_CONTRACT_C] + (direct ? r->column_c[column] : 0);
        for (unsigned i = 0; i < rows; i++) pointers[i] = c + r->row_c[row + i];
        tile.c = pointers;
        tile.a = r->a_direct ? r->base[r->s->a] + r->row_a[row] + r->k_a[0] : r->a_block + t * r->a_tile;
        tirbi_tile_kernel kernel = alone  ? r->set->wide[vectors - 1]
                                   : part ? r->set->part[vectors - 1][rows - 1]
                                          : r->set->run[vectors - 1][rows - 1];
        unlooked += tile.n_k * rows * width;
        if (unlooked > tirbi_products_at_once(r->x)) {
            if (tirbi_must_stop(r->x)) return false;
            unlooked = 0;
        }
        const bool done = direct ? tirbi_contract_run_tile(r->x, kernel, &tile, rows, width)
                                 : run_copied(r, &tile, kernel, rows, width, column, columns);
        if (!done) return false;
    }
    return true;
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */

static void flip_top_bits(uint8_t *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) bytes[i] ^= TOP_BIT;
}

typedef void (*packer)(const tirbi_pack *pack, tirbi_pack_scratch *scratch, const int64_t *rows, size_t n_rows,
                       const int64_t *elements, size_t n_elements);

/* Packs some rows at a time, `words` of which become one: elements that are apart wait for memory. False: stopped. */
static bool pack_in_parts(runner *r, const tirbi_pack *pack, packer pack_rows, size_t words, const int64_t *rows,
                          size_t n_rows, const int64_t *elements, size_t n_elements) {
    enum { FOLLOWING = 1 << 14, APART = 1 << 9 };
    const bool apart = n_elements > 1 && elements[1] - elements[0] != tirbi_dtypes[pack->from_type].size;
    const size_t most = (apart ? APART : FOLLOWING) / n_elements / words * words, at_once = most > 0 ? most : words;
    tirbi_pack part = *pack;
    for (size_t i = 0; i < n_rows; i += at_once) {
        if (tirbi_must_stop(r->x)) return false;
        part.to = pack->to + (ptrdiff_t)(i / words) * pack->to_row;
        pack_rows(&part, &r->pack, rows + i, n_rows - i < at_once ? n_rows - i : at_once, elements, n_elements);
    }
    return true;
}

static void pack_words_across(const tirbi_pack *pack, tirbi_pack_scratch *scratch, const int64_t *rows, size_t n_rows,
                              const int64_t *elements, size_t n_elements) {
    tirbi_pack_words(pack, scratch, rows, n_rows, elements, n_elements, false);
}

/* Words of A, row by row, or all rows of a tile side by side where A's elements follow each other along the rows. */
static bool pack_a_words(runner *r, const tirbi_pack *pack, bool columns) {
    tirbi_pack p = *pack;
    int64_t each = tile_rows(r), words = words_of(r);
    r->a_row = columns ? (ptrdiff_t)r->size : (ptrdiff_t)lines((size_t)words * r->size) + LINE;
    r->a_k = columns ? (ptrdiff_t)(r->set->pad * r->size) : (ptrdiff_t)r->size;
    r->a_tile = columns ? r->a_k * words : r->a_row * each;
    p.to_row = columns ? r->a_k : r->a_row;
    if (!columns) {
        p.to = r->a_block;
        p.flip = r->flipped ? TOP_BIT : 0;
        return pack_in_parts(r, &p, tirbi_pack_rows_of_words, 1, r->row_a, (size_t)r->rows.n, r->k_a, (size_t)r->k.n);
    }
    for (int64_t row = 0, t = 0; row < r->rows.n; row += each, t++) {
        size_t n = (size_t)least(each, r->rows.n - row);
        p.to = r->a_block + t * r->a_tile;
        if (!pack_in_parts(r, &p, pack_words_across, r->group, r->k_a, (size_t)r->k.n, r->row_a + row, n)) return false;
        for (int64_t i = 0; r->flipped && i < words; i++) flip_top_bits(p.to + (ptrdiff_t)i * p.to_row, n * r->size);
    }
    return true;
}

static bool pack_a(runner *r) {
    tirbi_pack p = {.strips = r->x->strips, .from = r->base[r->s->a], .from_type = r->x->operand[r->s->a].type,
                    .to_type = r->a_type, .group = (uint8_t)r->group, .set = r->set,
                    .negate = (r->x->flags & TIRBI_CONTRACT_SUBTRACT) != 0};
    int64_t each = tile_rows(r);
    int64_t from_size = tirbi_dtypes[p.from_type].size;
    bool columns = r->rows.n > 1 && r->row_a[1] - r->row_a[0] == from_size &&
                   !(r->k.n > 1 && r->k_a[1] - r->k_a[0] == from_size);
    if (r->group > 1) return pack_a_words(r, &p, columns);
    if (columns) {
        r->a_row = (ptrdiff_t)r->size;
        r->a_k = (ptrdiff_t)(r->set->pad * r->size);
        r->a_tile = r->a_k * r->k.n;
        for (int64_t row = 0, t = 0; row < r->rows.n; row += each, t++) {
            p.to = r->a_block + t * r->a_tile;
            p.to_row = r->a_k;
            const size_t n = (size_t)least(each, r->rows.n - row);
            if (!pack_in_parts(r, &p, tirbi_pack_rows, 1, r->k_a, (size_t)r->k.n, r->row_a + row, n)) return false;
        }
        return true;
    }
    r->a_row = (ptrdiff_t)lines((size_t)r->k.n * r->size) + LINE;
    r->a_k = (ptrdiff_t)r->size;
    r->a_tile = r->a_row * each;
    p.to = r->a_block;
    p.to_row = r->a_row;
    return pack_in_parts(r, &p, tirbi_pack_rows, 1, r->row_a, (size_t)r->rows.n, r->k_a, (size_t)r->k.n);
}

/* 128 times the sums of a packed panel's columns, as the row behind it: the tile of one row of ones, shifted. */
static void sum_panel(const runner *r, const uint8_t *panel, int64_t width, uint8_t *to) {
    static const uint32_t ones = 0x01010101, none = 0;
    tirbi_tile tile = {.a = (const uint8_t *)&ones, .b = panel, .b_k = (ptrdiff_t)((size_t)width * r->size),
                       .n_k = words_of(r), .c = &to, .first = (const uint8_t *)&none, .last = r->set->lanes};
    r->set->run[width / r->set->lanes - 1][0](&tile);
    bool a_unsigned = r->set == &r->x->quads->a_unsigned;
    for (int64_t j = 0; j < width; j++) {
        uint32_t sum;
        memcpy(&sum, to + j * (int64_t)sizeof sum, sizeof sum);
        sum = a_unsigned ? 0 - (sum << 7) : sum << 7;
        memcpy(to + j * (int64_t)sizeof sum, &sum, sizeof sum);
    }
}

/* Elements that follow each other along k are worth being gone through by rows, and transposed. */
enum { LEAST_ROW = 8 };

/* Packs columns for one panel; those that are missing to whole vectors are zero. */
static bool pack_panel(runner *r, uint8_t *to, int64_t column, int64_t columns, int64_t width) {
    tirbi_pack p = {.strips = r->x->strips,
                    .from = r->together ? r->together : r->base[r->s->b],
                    .from_type = r->x->operand[r->s->b].type,
                    .to_type = r->b_type,
                    .group = (uint8_t)r->group,
                    .set = r->set,
                    .to = to,
                    .to_row = (ptrdiff_t)((size_t)width * r->b_size)};
    int64_t from_size = tirbi_dtypes[p.from_type].size;
    int64_t together = 1; /* along k */
    while (together < least(r->k.n, LEAST_ROW) && r->k_b[together] - r->k_b[together - 1] == from_size) together++;
    bool along_k = r->k.n > 1 && together == least(r->k.n, LEAST_ROW) &&
                   !(columns > 1 && r->column_b[column + 1] - r->column_b[column] == from_size);
    if (!along_k) {
        const packer rows = r->group > 1 ? pack_words_across : tirbi_pack_rows;
        const int64_t *elements = r->column_b + column;
        if (!pack_in_parts(r, &p, rows, r->group, r->k_b, (size_t)r->k.n, elements, (size_t)columns)) return false;
    } else if (r->group > 1) {
        tirbi_pack_words(&p, &r->pack, r->k_b, (size_t)r->k.n, r->column_b + column, (size_t)columns, true);
    } else {
        tirbi_pack_transposed(&p, &r->pack, r->k_b, (size_t)r->k.n, r->column_b + column, (size_t)columns);
    }
    int64_t words = words_of(r);
    for (int64_t k = 0; columns < width && k < words; k++)
        memset(to + (k * width + columns) * (int64_t)r->b_size, 0, (size_t)(width - columns) * r->b_size);
    if (r->flipped) sum_panel(r, to, width, to + words * width * (int64_t)r->size);
    return true;
}

/* How many columns, but no more than `most`, follow the first one in B. */
static int64_t side_by_side(const runner *r, int64_t column, int64_t most) {
    int64_t n = 1;
    while (n < most && r->column_b[column + n] - r->column_b[column + n - 1] == (int64_t)r->b_size) n++;
    return n;
}

/* One block of columns and of k, all rows; false: stopped. A panel that no other rows need is packed where the one
 * before it was. */
static bool run_block(runner *r) {
    const int64_t most = (is_wide(r) ? TIRBI_TILE_WIDTH : r->set->vectors) * (int64_t)r->set->lanes;
    int64_t columns;
    const bool half = tirbi_contract_is_half(r->x), once = r->s->rows.total <= r->s->row_block;
    bool packed = false;
    for (int64_t row = 0; row < r->s->rows.total; row += r->s->row_block) {
        int64_t rows = least(r->s->row_block, r->s->rows.total - row);
        if (!same_window(&r->rows, row, rows))
            tirbi_contract_places(&r->s->rows, row, rows, r->s->a, r->row_a, TIRBI_CONTRACT_C, r->row_c);
        if (!r->a_direct && !pack_a(r)) return false;
        uint8_t *panel = r->b_block;
        for (int64_t column = 0; column < r->columns.n; column += columns) {
            if (tirbi_must_stop(r->x)) return false;
            columns = least(most, r->columns.n - column);
            if (r->b_rows) columns = side_by_side(r, column, columns);
            int64_t width = (columns + r->set->lanes - 1) / r->set->lanes * r->set->lanes;
            if (r->b_direct && (!half || columns == width)) {
                int64_t b_k = r->k.n > 1 ? r->k_b[1] - r->k_b[0] : 0;
                const uint8_t *b = (r->together ? r->together : r->base[r->s->b]) + r->column_b[column] + r->k_b[0];
                if (!run_panel(r, column, columns, b, b_k, r->b_rows)) return false;
                continue;
            }
            if (!packed && !pack_panel(r, panel, column, columns, width)) return false;
            size_t line = (size_t)width * r->b_size, words = (size_t)words_of(r);
            r->add = r->flipped ? panel + words * line : NULL;
            if (!run_panel(r, column, columns, panel, (int64_t)line, false)) return false;
            if (!once) panel += (words + r->flipped) * line;
        }
        packed = true;
    }
    return true;
}

static void find_k(runner *r, int64_t k, int64_t n) {
    tirbi_contract_places(&r->s->k, k, n, r->s->a, r->k_a, r->s->b, r->k_b);
    if (!r->b_rows) return;
    for (int64_t i = 0; i < n && r->together; i++)
        r->k_b[i] = tirbi_place_together(r->k_b[i], r->s->elements, r->s->apart, (int64_t)r->b_size);
    for (int64_t i = 0; i < n; i++) r->b_steps[i] = i + 1 < n ? r->k_b[i + 1] - r->k_b[i] : 0;
}

static bool run_batch(runner *r) {
    const uint8_t *const b = r->base[r->s->b];
    if (r->together && b != r->together_from) {
        if (!tirbi_bring_together(r->x, r->together, b, (size_t)r->s->elements, (size_t)r->s->apart, r->b_size))
            return false;
        r->together_from = b;
    }
    for (int64_t column = 0; column < r->s->columns.total; column += r->s->column_block) {
        int64_t columns = least(r->s->column_block, r->s->columns.total - column);
        if (!same_window(&r->columns, column, columns))
            tirbi_contract_places(&r->s->columns, column, columns, r->s->b, r->column_b, TIRBI_CONTRACT_C, r->column_c);
        for (int64_t k = 0; k < r->s->k.total; k += r->s->k_block) {
            int64_t n = least(r->s->k_block, r->s->k.total - k);
            if (!same_window(&r->k, k, n)) find_k(r, k, n);
            if (!run_block(r)) return false;
        }
    }
    return true;
}

/* ---- The whole ------------------------------------------------------------------------------------------------ */

static unsigned slot_of(uint8_t type) {
    switch (type) {
    case TIRB_F32: return TIRBI_TILES_F32;
    case TIRB_F64: return TIRBI_TILES_F64;
    case TIRB_I32:
    case TIRB_U32: return TIRBI_TILES_I32;
    default: return TIRBI_TILES_I64;
    }
}

const tirbi_tile_set *tirbi_contract_set(const tirbi_contraction *x) {
    const unsigned semiring = tirbi_semiring_of(x->flags);
    if (semiring != TIRBI_PRODUCTS) return x->kernels->semirings[semiring][slot_of(x->type)];
    bool fused = x->flags & TIRBI_CONTRACT_FUSED;
    switch (x->type) {
    case TIRB_F16: return fused ? &x->kernels->f16 : &x->kernels->f16_unfused;
    case TIRB_BF16: return fused ? &x->kernels->bf16 : &x->kernels->bf16_unfused;
    case TIRB_F32: return fused ? &x->kernels->f32 : &x->kernels->f32_unfused;
    case TIRB_F64: return fused ? &x->kernels->f64 : &x->kernels->f64_unfused;
    case TIRB_I32:
    case TIRB_U32: return &x->kernels->i32;
    default: return &x->kernels->i64;
    }
}

/* Narrow elements are multiplied four at a time where both operands have 8 bits and the machine knows how, else two. */
static void choose_words(runner *r) {
    const tirbi_contraction *x = r->x;
    uint8_t a = x->operand[r->s->a].type, b = x->operand[r->s->b].type;
    r->group = 1;
    r->a_type = tile_type(x);
    r->b_type = x->type;
    if (!r->s->narrow) return;
    r->group = 2;
    r->a_type = r->b_type = TIRB_I16;
    r->set = &x->kernels->pairs;
    if (!x->quads || a == TIRB_I16 || b == TIRB_I16) return;
    r->group = 4;
    r->a_type = a;
    r->b_type = b;
    r->flipped = a == b;
    r->set = b == TIRB_I8 ? &x->quads->a_unsigned : &x->quads->b_unsigned;
}

/* Whether B is read as fast where it is, though its rows are anywhere, as those of a convolution are: a tile's columns
 * follow each other, and the vectors that are not whole cost less than packing, which takes as long as a vector's
 * product for each element, or nothing where products take long. Rows that are multiples of a page's half apart take
 * the same places of the cache. */
static bool lies_in_rows(const runner *r) {
    enum { HALF_A_PAGE = 2048, MANY = 16 };
    const group *columns = &r->s->columns, *k = &r->s->k;
    const int64_t *steps = columns->step[r->s->b], lanes = r->set->lanes;
    unsigned i = columns->n;
    int64_t run = 1;
    for (; i > 0 && steps[i - 1] == run * (int64_t)r->b_size; i--) run *= columns->extent[i - 1];
    const bool reads_again = r->s->rows.total > 2 * (int64_t)r->set->rows; /* each place more than twice */
    for (unsigned j = 0; reads_again && j < k->n; j++)
        if (k->extent[j] >= MANY && k->step[r->s->b][j] % HALF_A_PAGE == 0) return false;
    if (r->x->kernels->fused_in_parts && (r->x->flags & TIRBI_CONTRACT_FUSED))
        return run % (r->set->vectors * lanes) == 0;
    const int64_t runs = columns->total / run, vectors = (run - 1) / lanes + 1;
    const int64_t packed = (columns->total - 1) / lanes + 1;
    const int64_t alone = vectors % r->set->vectors != 0; /* takes longer than half of two */
    return run > 1 && (2 * (runs * vectors - packed) + runs * alone) * r->s->rows.total <= 2 * columns->total;
}

/* Operands of the tiles' types stay where they are if their elements are evenly apart, when there is little to gain
 * from packing them: each is used but a few times, or the caches hold it anyway. */
static void choose_packing(runner *r) {
    const tirbi_contraction *x = r->x;
    int64_t step, size = (int64_t)r->b_size, ignored;
    const bool subtract = x->flags & TIRBI_CONTRACT_SUBTRACT;
    const bool as_is = x->operand[r->s->b].type == r->b_type && r->group == 1;
    r->a_linear = x->operand[r->s->a].type == r->a_type && r->group == 1 && !subtract &&
                  tirbi_contract_evenly(&r->s->rows, r->s->a, &r->a_row) &&
                  tirbi_contract_evenly(&r->s->k, r->s->a, &r->a_k);
    r->b_linear = as_is && tirbi_contract_evenly(&r->s->columns, r->s->b, &step) &&
                  (step == size || r->s->columns.total == 1) && tirbi_contract_evenly(&r->s->k, r->s->b, &ignored);
    r->contiguous = tirbi_contract_evenly(&r->s->columns, TIRBI_CONTRACT_C, &step) && step == (int64_t)r->c_size;
    r->a_direct = r->a_linear && r->s->columns.total * size <= 512;
    bool small = r->s->columns.total * size <= SMALL_B_BYTES / r->s->k_block && r->s->k.total == r->s->k_block;
    r->b_direct = r->b_linear && (small || r->s->rows.total <= 4 * (int64_t)r->set->rows);
    r->b_rows = !r->b_linear && as_is && lies_in_rows(r);
    r->b_direct |= r->b_rows;
}

/* Takes B as it is once it is brought together, with that shape, where its columns are then read as fast as packed. */
static void choose_together(runner *r, shape *together) {
    *together = *r->s;
    for (unsigned i = 0; i < together->columns.n; i++) together->columns.step[together->b][i] /= together->apart;
    const shape *was = r->s;
    r->s = together;
    r->b_linear = false;
    r->b_rows = r->b_direct = lies_in_rows(r);
    if (r->b_rows) return;
    r->s = was;
    r->together = NULL;
    choose_packing(r);
}

bool tirbi_contract_run(const tirbi_contraction *x, const shape *s, uint8_t *scratch) {
    if (s->direct) return tirbi_contract_run_direct(x, s);
    if (s->sweeps) return tirbi_contract_run_sweep(x, s, scratch);
    runner r = {.x = x, .s = s};
    shape together;
    r.set = tirbi_contract_set(x);
    r.size = tirbi_dtypes[tile_type(x)].size;
    r.b_size = r.c_size = tirbi_dtypes[x->type].size;
    float first;
    if (x->flags & TIRBI_CONTRACT_INIT) r.first = tirbi_contract_first(x, &first);
    choose_words(&r);
    place_scratch(&r, scratch);
    choose_packing(&r);
    if (r.together) choose_together(&r, &together);
    const group *batch = &r.s->batch;
    int64_t index[TIRBI_MAX_CONTRACT_LOOPS] = {0};
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) r.base[o] = x->operand[o].start;
    for (;;) {
        if (!run_batch(&r)) return false;
        unsigned i = batch->n;
        while (i-- > 0) {
            for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) r.base[o] += batch->step[o][i];
            if (++index[i] < batch->extent[i]) break;
            for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) r.base[o] -= batch->extent[i] * batch->step[o][i];
            index[i] = 0;
            if (i == 0) return true;
        }
        if (batch->n == 0) return true;
    }
}
