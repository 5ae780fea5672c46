/* Contractions whose operands stay in the inner caches: nothing is packed, and no table tells where elements are. */
#include "vm/contract/contract.h"

/* The most bytes of the operand of the columns, of one of its rows, and of the other operand: what is read by a tile,
 * or again by the next one, shall still be there. A longer row needs the other operand to be small. */
enum { LARGEST_B = 65536, LONGEST_ROW = 512, LARGEST_A = 32768 };
/* The least of a product that is worth more by itself than packing many. */
enum { LEAST_ROWS = 4, LEAST_COLUMNS = 8, LEAST_PRODUCTS = 256 };

typedef tirbi_contract_walk walk;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* C's columns, and those of the operand that has them, follow each other, and all else is evenly apart. */
static bool find_walk(const tirbi_contraction *x, const tirbi_contract_shape *s, walk *w) {
    int64_t size = tirbi_dtypes[x->type].size, b_column, c_column;
    return tirbi_contract_evenly(&s->rows, s->a, &w->a_row) && tirbi_contract_evenly(&s->k, s->a, &w->a_k) &&
           tirbi_contract_evenly(&s->k, s->b, &w->b_k) &&
           tirbi_contract_evenly(&s->rows, TIRBI_CONTRACT_C, &w->c_row) &&
           tirbi_contract_evenly(&s->columns, s->b, &b_column) &&
           tirbi_contract_evenly(&s->columns, TIRBI_CONTRACT_C, &c_column) &&
           (s->columns.total == 1 || (b_column == size && c_column == size));
}

bool tirbi_contract_is_direct(const tirbi_contraction *x, const tirbi_contract_shape *s, walk *w) {
    int64_t size = tirbi_dtypes[x->type].size, row, b, a;
    if (s->narrow || tirbi_contract_is_half(x) || (x->flags & TIRBI_CONTRACT_SUBTRACT)) return false;
    if (x->operand[s->a].type != x->type || x->operand[s->b].type != x->type) return false;
    if (__builtin_mul_overflow(s->columns.total, size, &row) || __builtin_mul_overflow(row, s->k.total, &b))
        return false;
    if (b > LARGEST_B) return false;
    if (row > LONGEST_ROW && (__builtin_mul_overflow(s->rows.total, s->k.total * size, &a) || a > LARGEST_A))
        return false;
    return find_walk(x, s, w);
}

/* Makes the outer loops of rows, or of columns, loops of the batch until the others are evenly apart. */
static void move_out(tirbi_contract_group *g, unsigned operand, tirbi_contract_group *batch) {
    unsigned n = g->n > 0 ? g->n - 1 : 0;
    for (; n > 0; n--) {
        const int64_t *own = g->step[operand], *c = g->step[TIRBI_CONTRACT_C];
        if (own[n - 1] != own[n] * g->extent[n] || c[n - 1] != c[n] * g->extent[n]) break;
    }
    g->total = 1;
    for (unsigned i = 0; i < g->n; i++) {
        tirbi_contract_group *to = i < n ? batch : g;
        const unsigned at = i < n ? batch->n++ : i - n;
        to->extent[at] = g->extent[i];
        for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) to->step[o][at] = g->step[o][i];
        if (__builtin_mul_overflow(to->total, to->extent[at], &to->total)) to->total = INT64_MAX;
    }
    g->n -= n;
}

bool tirbi_contract_make_direct(const tirbi_contraction *x, tirbi_contract_shape *s) {
    if (s->columns.n == 0 || s->rows.n == 0 || s->rows.n + s->columns.n == 2) return false; /* nothing would move */
    const tirbi_contract_group rows = s->rows, columns = s->columns, batch = s->batch;
    int64_t products;
    move_out(&s->rows, s->a, &s->batch);
    move_out(&s->columns, s->b, &s->batch);
    if (s->rows.total >= LEAST_ROWS && s->columns.total >= LEAST_COLUMNS && tirbi_contract_is_direct(x, s, &s->walk) &&
        (__builtin_mul_overflow(s->rows.total, s->columns.total * s->k.total, &products) || products >= LEAST_PRODUCTS))
        return true;
    s->rows = rows;
    s->columns = columns;
    s->batch = batch;
    return false;
}

/* How many rows each tile has, as equal as can be. */
static int64_t rows_of_a_tile(int64_t rows, uint32_t most) {
    if (rows <= (int64_t)most) return rows;
    if (rows <= INT32_MAX) { /* the shorter division */
        uint32_t n = (uint32_t)rows, tiles = (n - 1) / most + 1;
        return (n - 1) / tiles + 1;
    }
    int64_t tiles = (rows - 1) / most + 1;
    return (rows - 1) / tiles + 1;
}

/* All rows of some columns, tile by tile; false: stopped. There are as many rows as memory holds, and columns and k
 * that are few. */
static bool run_columns(const tirbi_contraction *x, const tirbi_tile_set *set, tirbi_tile *tile, const walk *w,
                        int64_t rows, int64_t columns, const uint8_t *a, uint8_t *c) {
    uint8_t *pointers[TIRBI_TILE_ROWS];
    const unsigned vectors = columns <= (int64_t)set->lanes ? 1 : ((unsigned)columns - 1) / set->lanes + 1;
    const int64_t each = rows_of_a_tile(rows, set->rows);
    tile->last = (unsigned)(columns - (int64_t)(vectors - 1) * set->lanes);
    tile->c = pointers;
    const tirbi_tile_kernel *kernels = (tile->last < set->lanes ? set->part : set->run)[vectors - 1];
    for (int64_t row = 0; row < rows; row += each) {
        int64_t n = least(each, rows - row);
        if (tirbi_must_stop(x)) return false;
        for (int64_t i = 0; i < n; i++) pointers[i] = c + (row + i) * w->c_row;
        tile->a = a + row * w->a_row;
        if (!tirbi_contract_run_tile(x, kernels[n - 1], tile, n, (int64_t)vectors * set->lanes)) return false;
    }
    return true;
}

static tirbi_tile tile_of(const tirbi_contraction *x, const tirbi_contract_shape *s) {
    const walk *w = &s->walk;
    return (tirbi_tile){.a_row = w->a_row, .a_k = w->a_k, .b_k = w->b_k, .n_k = s->k.total,
                        .first = x->flags & TIRBI_CONTRACT_INIT ? x->first : NULL};
}

/* What is the same in all products of a batch, of which each is one tile; no kernel: they are larger. */
typedef struct alone {
    tirbi_tile_kernel kernel;
    tirbi_tile tile;
    uint8_t *c[TIRBI_TILE_ROWS];
    unsigned rows;
} alone;

static void find_alone(const tirbi_contraction *x, const tirbi_contract_shape *s, const tirbi_tile_set *set,
                       alone *out) {
    const int64_t rows = s->rows.total, columns = s->columns.total, lanes = set->lanes;
    out->kernel = NULL;
    out->tile = tile_of(x, s);
    if (rows < 1 || rows > (int64_t)set->rows || columns < 1 || columns > lanes ||
        s->k.total > tirbi_products_at_once(x) / (rows * lanes))
        return;
    out->kernel = (columns < lanes ? set->part : set->run)[0][rows - 1];
    out->tile.last = (unsigned)columns;
    out->rows = (unsigned)rows;
}

static bool run_alone(const tirbi_contraction *x, const tirbi_contract_shape *s, alone *one, uint8_t *const *base) {
    one->tile.c = one->c;
    one->tile.a = base[s->a];
    one->tile.b = base[s->b];
    for (unsigned i = 0; i < one->rows; i++) one->c[i] = base[TIRBI_CONTRACT_C] + (ptrdiff_t)i * s->walk.c_row;
    one->kernel(&one->tile);
    return !tirbi_must_stop(x);
}

static bool run_batch(const tirbi_contraction *x, const tirbi_contract_shape *s, const tirbi_tile_set *set,
                      tirbi_tile *tile, uint8_t *const *base) {
    int64_t size = tirbi_dtypes[x->type].size, most = (int64_t)set->vectors * set->lanes;
    for (int64_t column = 0; column < s->columns.total; column += most) {
        tile->b = base[s->b] + column * size;
        if (!run_columns(x, set, tile, &s->walk, s->rows.total, least(most, s->columns.total - column), base[s->a],
                         base[TIRBI_CONTRACT_C] + column * size))
            return false;
    }
    return true;
}

bool tirbi_contract_run_direct(const tirbi_contraction *x, const tirbi_contract_shape *s) {
    const tirbi_tile_set *set = tirbi_contract_set(x);
    const tirbi_contract_group *batch = &s->batch;
    int64_t index[TIRBI_MAX_CONTRACT_LOOPS] = {0};
    uint8_t *base[TIRBI_CONTRACT_OPERANDS];
    alone one;
    find_alone(x, s, set, &one);
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) base[o] = x->operand[o].start;
    for (;;) {
        if (one.kernel ? !run_alone(x, s, &one, base) : !run_batch(x, s, set, &one.tile, base)) return false;
        unsigned i = batch->n;
        while (i-- > 0) {
            for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) base[o] += batch->step[o][i];
            if (++index[i] < batch->extent[i]) break;
            for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) base[o] -= batch->extent[i] * batch->step[o][i];
            index[i] = 0;
            if (i == 0) return true;
        }
        if (batch->n == 0) return true;
    }
}
