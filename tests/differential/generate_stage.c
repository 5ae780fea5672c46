/* Random pieces of function bodies, each of a shape that real kernels have. */
#include <stdio.h>
#include <string.h>

#include "tests/differential/generate.h"

enum { MAX_WORK = 60000, MAX_LOOPS = 5, PAST_CACHES = 700001 };

typedef struct loop {
    tirbi_gen_dim dim;
    char var[TIRBI_GEN_NAME];
    char axis[TIRBI_GEN_NAME]; /* the block axis over it, or empty */
    bool reduce;
} loop;

static const char *type_name(tirbi_dtype type) { return tirbi_dtypes[type].tvm_name; }
const char *tirbi_gen_block(const tirbi_gen *g) { return g->classic ? "T.block" : "T.sblock"; }

/* ---- Small parts ---------------------------------------------------------------------------------------------- */

tirbi_gen_dim tirbi_gen_constant(int64_t value) { return (tirbi_gen_dim){.value = value, .symbol = -1}; }

int64_t tirbi_gen_large_extent(tirbi_gen *g) {
    static const int64_t extents[] = {255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097};
    return extents[tirbi_gen_pick(g, sizeof extents / sizeof *extents)];
}

tirbi_gen_dim tirbi_gen_some_dim(tirbi_gen *g) {
    static const int64_t extents[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 63, 64, 65, 100, 129};
    if (g->n_symbols > 0 && tirbi_gen_chance(g, 50)) {
        int s = (int)tirbi_gen_pick(g, g->n_symbols);
        return (tirbi_gen_dim){.value = g->symbols[s].value, .symbol = s};
    }
    if (tirbi_gen_chance(g, 6)) return tirbi_gen_constant(tirbi_gen_large_extent(g));
    return tirbi_gen_constant(extents[tirbi_gen_pick(g, sizeof extents / sizeof *extents)]);
}

/* Dimensions whose product is worth running. */
static uint32_t some_dims(tirbi_gen *g, uint32_t max, tirbi_gen_dim *out, int64_t budget) {
    uint32_t n = 1 + tirbi_gen_pick(g, max);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = tirbi_gen_some_dim(g);
        int64_t size = out[i].value > 0 ? out[i].value : 1;
        if (size > budget) out[i] = tirbi_gen_constant(1 + (int64_t)tirbi_gen_pick(g, 3));
        budget /= out[i].value > 0 ? out[i].value : 1;
        if (budget < 1) budget = 1;
    }
    return n;
}

void tirbi_gen_push_index(tirbi_gen *g, const char *name, const tirbi_gen_dim *dim) {
    if (g->n_vars == TIRBI_GEN_VARS) return;
    tirbi_gen_var *v = &g->vars[g->n_vars++];
    *v = (tirbi_gen_var){.type = TIRB_I32, .low = 0, .high = dim->value - 1, .symbol = dim->symbol, .index = true};
    snprintf(v->name, sizeof v->name, "%s", name);
}

static void open_loop(tirbi_gen *g, const char *var, const tirbi_gen_dim *dim, const char *kind) {
    tirbi_text extent = {.data = NULL};
    if (dim->symbol >= 0) g->symbols[dim->symbol].used = true;
    tirbi_gen_dim_text(g, dim, &extent);
    tirbi_gen_line(g, "for %s in %s(%s):", var, kind, extent.data);
    tirbi_text_free(&extent);
    g->indent++;
}

static const char *some_kind(tirbi_gen *g, const tirbi_gen_dim *dim, bool innermost) {
    switch (tirbi_gen_pick(g, 12)) {
    case 0: return "T.parallel";
    case 1: return dim->symbol < 0 && dim->value <= 16 ? "T.unroll" : "T.serial";
    case 2: return innermost && dim->symbol < 0 && dim->value >= 1 ? "T.vectorized" : "range";
    case 3: return "T.serial";
    default: return "range";
    }
}

void tirbi_gen_shuffle(tirbi_gen *g, uint32_t *order, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = tirbi_gen_pick(g, i);
        uint32_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}

tirbi_gen_buffer *tirbi_gen_input(tirbi_gen *g, tirbi_dtype type, uint32_t n, const tirbi_gen_dim *dims) {
    for (uint32_t i = 0; i < g->n_buffers && tirbi_gen_chance(g, 40); i++) {
        tirbi_gen_buffer *b = &g->buffers[i];
        bool same = b->type == type && b->ndim == n;
        for (uint32_t d = 0; same && d < n; d++)
            same = b->dims[d].value == dims[d].value && b->dims[d].symbol == dims[d].symbol;
        if (same) return b;
    }
    return tirbi_gen_new_buffer(g, "A", type, n, dims, true, false);
}


tirbi_gen_buffer *tirbi_gen_output(tirbi_gen *g, tirbi_dtype type, uint32_t n, const tirbi_gen_dim *dims) {
    if (tirbi_gen_chance(g, 75)) return tirbi_gen_new_buffer(g, "O", type, n, dims, true, true);
    tirbi_text shape = {.data = NULL};
    for (uint32_t i = 0; i < n; i++) {
        tirbi_gen_dim_text(g, &dims[i], &shape);
        tirbi_text_add(&shape, ", ");
    }
    tirbi_gen_buffer *b = tirbi_gen_new_buffer(g, "L", type, n, dims, false, true);
    if (b != NULL) {
        const char *call = g->classic                ? "T.alloc_buffer"
                           : tirbi_gen_chance(g, 50) ? "T.alloc_buffer"
                                                     : "T.sblock_alloc_buffer";
        tirbi_gen_line(g, "%s = %s((%s), \"%s\")", b->name, call, shape.data != NULL ? shape.data : "",
                       type_name(type));
    }
    tirbi_text_free(&shape);
    return b;
}

void tirbi_gen_let(tirbi_gen *g) {
    if (g->n_vars == TIRBI_GEN_VARS) return;
    tirbi_dtype type = tirbi_gen_type(g);
    tirbi_text value = {.data = NULL};
    char name[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "x", name);
    tirbi_gen_expr(g, type, 2, &value);
    if (g->classic) {
        tirbi_gen_line(g, "%s = %s", name, value.data);
    } else {
        tirbi_gen_line(g, "%s: T.let[T.%s] = %s", name, type_name(type), value.data);
    }
    tirbi_text_free(&value);
    tirbi_gen_var *v = &g->vars[g->n_vars++];
    *v = (tirbi_gen_var){.type = type};
    snprintf(v->name, sizeof v->name, "%s", name);
}

static void store(tirbi_gen *g, const tirbi_gen_buffer *b, const char *indices, const char *value) {
    tirbi_gen_line(g, "%s[%s] = %s", b->name, indices, value);
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */

/* The axes of a block over the loops, one by one or with remap, in loop order or not. */
static void open_block(tirbi_gen *g, loop *loops, uint32_t n) {
    char name[TIRBI_GEN_NAME];
    uint32_t order[MAX_LOOPS] = {0};
    tirbi_gen_name(g, "b", name);
    tirbi_gen_line(g, "with %s(\"%s\"):", tirbi_gen_block(g), name);
    g->indent++;
    tirbi_gen_shuffle(g, order, n);
    if (tirbi_gen_chance(g, 60)) {
        for (uint32_t i = 0; i < n; i++) order[i] = i;
    }
    for (uint32_t i = 0; i < n; i++) snprintf(loops[i].axis, sizeof loops[i].axis, "v%.20s", loops[i].var);
    if (n > 1 && tirbi_gen_chance(g, 50)) {
        tirbi_text names = {.data = NULL};
        tirbi_text kinds = {.data = NULL};
        tirbi_text vars = {.data = NULL};
        for (uint32_t i = 0; i < n; i++) {
            const loop *l = &loops[order[i]];
            tirbi_text_add(&names, "%s%s", i > 0 ? ", " : "", l->axis);
            tirbi_text_add(&vars, "%s%s", i > 0 ? ", " : "", l->var);
            tirbi_text_add(&kinds, "%c", l->reduce ? 'R' : 'S');
        }
        tirbi_gen_line(g, "%s = T.axis.remap(\"%s\", [%s])", names.data, kinds.data, vars.data);
        tirbi_text_free(&names);
        tirbi_text_free(&kinds);
        tirbi_text_free(&vars);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const loop *l = &loops[order[i]];
        tirbi_text extent = {.data = NULL};
        tirbi_gen_dim_text(g, &l->dim, &extent);
        tirbi_gen_line(g, "%s = T.axis.%s(%s, %s)", l->axis, l->reduce ? "reduce" : "spatial", extent.data, l->var);
        tirbi_text_free(&extent);
    }
}

static void open_loops(tirbi_gen *g, loop *loops, uint32_t n, const uint32_t *order, bool kinds) {
    for (uint32_t i = 0; i < n; i++) {
        loop *l = &loops[order[i]];
        tirbi_gen_name(g, "i", l->var);
        l->axis[0] = '\0';
        open_loop(g, l->var, &l->dim, kinds ? some_kind(g, &l->dim, i + 1 == n) : "range");
    }
}

static const char *index_name(const loop *l) { return l->axis[0] != '\0' ? l->axis : l->var; }

static void push_indices(tirbi_gen *g, const loop *loops, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) tirbi_gen_push_index(g, index_name(&loops[i]), &loops[i].dim);
}

static void index_list(const loop *loops, uint32_t n, bool reduce, tirbi_text *out) {
    bool first = true;
    for (uint32_t i = 0; i < n; i++) {
        if (loops[i].reduce != reduce) continue;
        tirbi_text_add(out, "%s%s", first ? "" : ", ", index_name(&loops[i]));
        first = false;
    }
    if (first) tirbi_text_add(out, "()");
}

/* ---- Stages --------------------------------------------------------------------------------------------------- */

static void elementwise(tirbi_gen *g) {
    tirbi_gen_dim dims[3];
    loop loops[MAX_LOOPS] = {{.reduce = false}};
    uint32_t order[MAX_LOOPS] = {0};
    uint32_t indent = g->indent;
    uint32_t n = some_dims(g, 3, dims, MAX_WORK / 8);
    if (g->far) {
        dims[0] = tirbi_gen_constant(PAST_CACHES);
        n = 1;
    }
    tirbi_dtype type = tirbi_gen_type(g);
    for (uint32_t i = tirbi_gen_pick(g, 3) + 1; i > 0; i--)
        tirbi_gen_input(g, tirbi_gen_chance(g, 60) ? type : tirbi_gen_type(g), n, dims);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, n, dims);
    if (o == NULL) return;
    for (uint32_t i = 0; i < n; i++) loops[i].dim = dims[i];
    tirbi_gen_shuffle(g, order, n);
    if (tirbi_gen_chance(g, 60)) {
        for (uint32_t i = 0; i < n; i++) order[i] = i;
    }
    open_loops(g, loops, n, order, true);
    if (tirbi_gen_chance(g, 50)) open_block(g, loops, n);
    push_indices(g, loops, n);
    if (tirbi_gen_chance(g, 25)) tirbi_gen_let(g);
    bool guarded = tirbi_gen_chance(g, 15);
    tirbi_text text = {.data = NULL};
    tirbi_text at = {.data = NULL};
    if (guarded) {
        tirbi_gen_condition(g, 1, &text);
        tirbi_gen_line(g, "if %s:", text.data);
        tirbi_text_free(&text);
        g->indent++;
    }
    index_list(loops, n, false, &at);
    tirbi_gen_expr(g, type, 1 + tirbi_gen_pick(g, 4), &text);
    store(g, o, at.data, text.data);
    if (guarded && tirbi_gen_chance(g, 50)) {
        g->indent--;
        tirbi_gen_line(g, "else:");
        g->indent++;
        tirbi_text_free(&text);
        tirbi_gen_expr(g, type, 2, &text);
        store(g, o, at.data, text.data);
    }
    tirbi_text_free(&text);
    tirbi_text_free(&at);
    g->indent = indent;
}

static const char *identity_of(tirbi_dtype type, uint32_t op) {
    bool is_float = tirbi_dtype_is_float(type);
    if (op == 0) return "0";
    if (op == 1) return "1";
    return op == 2 ? (is_float ? "\"inf\"" : "127") : is_float ? "\"-inf\"" : "0";
}

void tirbi_gen_number(tirbi_dtype type, const char *text, tirbi_text *out) {
    if (type == TIRB_BF16) {
        tirbi_text_add(out, "T.Cast(\"bfloat16\", T.float32(%s))", text);
    } else {
        tirbi_text_add(out, "T.%s(%s)", type_name(type), text);
    }
}

/* O[s] = op(O[s], e), the operand order chosen. */
static void update(tirbi_gen *g, const char *place, uint32_t op, const char *term, tirbi_text *out) {
    static const char *const open[] = {"", "", "T.min(", "T.max("};
    static const char *const mid[] = {" + ", " * ", ", ", ", "};
    bool swap = tirbi_gen_chance(g, 30);
    tirbi_text_add(out, "%s%s%s%s%s", open[op], swap ? term : place, mid[op], swap ? place : term, op >= 2 ? ")" : "");
}

/* A term of a reduction: a load, a product of loads, or anything. */
static void term(tirbi_gen *g, tirbi_dtype type, const loop *loops, uint32_t n, tirbi_text *out) {
    uint32_t factors = 1 + tirbi_gen_pick(g, 2);
    if (tirbi_gen_chance(g, 15)) {
        tirbi_gen_expr(g, type, 2, out);
        return;
    }
    for (uint32_t f = 0; f < factors; f++) {
        tirbi_gen_dim dims[MAX_LOOPS];
        tirbi_text at = {.data = NULL};
        uint32_t order[MAX_LOOPS] = {0};
        uint32_t used = 0;
        tirbi_gen_shuffle(g, order, n);
        if (tirbi_gen_chance(g, 50)) {
            /* Rows: the reduce axes, which come first in `loops`, are the last indices. */
            for (uint32_t i = 0; i < n; i++) order[i] = n - 1 - i;
        }
        for (uint32_t i = 0; i < n; i++) {
            const loop *l = &loops[order[i]];
            bool wanted = l->reduce || tirbi_gen_chance(g, 60);
            if (!wanted || used == TIRBI_GEN_DIMS) continue;
            dims[used] = l->dim;
            tirbi_text_add(&at, "%s%s", used > 0 ? ", " : "", index_name(l));
            used++;
        }
        tirbi_gen_buffer *a = tirbi_gen_input(g, type, used, dims);
        if (f > 0) tirbi_text_add(out, " * ");
        if (a != NULL && used > 0) {
            tirbi_text_add(out, "%s[%s]", a->name, at.data);
        } else {
            tirbi_gen_number(type, "1", out);
        }
        tirbi_text_free(&at);
    }
}

static void reduction(tirbi_gen *g) {
    static const int64_t lengths[] = {1,   2,   3,   31,  32,   33,    63,    64,    65,
                                      127, 128, 129, 200, 1000, 16383, 16384, 16385, 33000};
    loop loops[MAX_LOOPS] = {{.reduce = false}};
    tirbi_gen_dim spatial[2];
    uint32_t order[MAX_LOOPS] = {0};
    uint32_t indent = g->indent;
    uint32_t n_spatial = tirbi_gen_pick(g, 3);
    uint32_t n_reduce = 1 + tirbi_gen_pick(g, 2);
    tirbi_dtype type = tirbi_gen_chance(g, 75) ? (tirbi_gen_chance(g, 70) ? TIRB_F32 : TIRB_F64) : tirbi_gen_type(g);
    if (type == TIRB_BOOL) type = TIRB_F16;
    uint32_t op = tirbi_gen_chance(g, 60) ? 0 : tirbi_gen_pick(g, 4);
    int64_t work = 1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_reduce; i++) {
        tirbi_gen_dim dim = tirbi_gen_chance(g, 30)
                                ? tirbi_gen_some_dim(g)
                                : tirbi_gen_constant(lengths[tirbi_gen_pick(g, n_reduce == 1 ? 18 : 11)]);
        if (dim.value * work > MAX_WORK) dim = tirbi_gen_constant(3);
        work *= dim.value > 0 ? dim.value : 1;
        loops[n++] = (loop){.dim = dim, .reduce = true};
    }
    for (uint32_t i = 0; i < n_spatial; i++) {
        spatial[i] = tirbi_gen_some_dim(g);
        if (spatial[i].value * work > MAX_WORK) spatial[i] = tirbi_gen_constant(1 + tirbi_gen_pick(g, 3));
        work *= spatial[i].value > 0 ? spatial[i].value : 1;
        loops[n++] = (loop){.dim = spatial[i], .reduce = false};
    }
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, n_spatial, spatial);
    if (o == NULL) return;
    tirbi_gen_shuffle(g, order, n);
    if (tirbi_gen_chance(g, 40)) {
        for (uint32_t i = 0; i < n; i++) order[i] = n - 1 - i;
    }
    open_loops(g, loops, n, order, tirbi_gen_chance(g, 15));
    bool block = tirbi_gen_chance(g, 75);
    if (block) open_block(g, loops, n);
    tirbi_text at = {.data = NULL};
    tirbi_text e = {.data = NULL};
    tirbi_text value = {.data = NULL};
    char place[200];
    index_list(loops, n, false, &at);
    snprintf(place, sizeof place, "%s[%s]", o->name, at.data);
    if (block && tirbi_gen_chance(g, 12)) {
        const loop *l = &loops[tirbi_gen_pick(g, n)];
        tirbi_gen_line(g, "T.where(%s < %lld)", l->var, (long long)(l->dim.value > 1 ? l->dim.value - 1 : 1));
    }
    if (block && tirbi_gen_chance(g, 80)) {
        tirbi_gen_line(g, "with T.init():");
        g->indent++;
        tirbi_gen_number(type, tirbi_gen_chance(g, 85) ? identity_of(type, op) : "2", &value);
        store(g, o, at.data, value.data);
        tirbi_text_free(&value);
        g->indent--;
    }
    push_indices(g, loops, n);
    bool let = tirbi_gen_chance(g, 15);
    if (let) tirbi_gen_let(g);
    term(g, type, loops, n, &e);
    update(g, place, op, e.data, &value);
    bool named = tirbi_gen_chance(g, 15); /* as TVM prints reductions of several values */
    if (named) tirbi_gen_line(g, "v_new: T.let[T.%s] = %s", type_name(type), value.data);
    store(g, o, at.data, named ? "v_new" : value.data);
    tirbi_text_free(&at);
    tirbi_text_free(&e);
    tirbi_text_free(&value);
    g->indent = indent;
}

/* A product of matrices in any loop order, its operands transposed or not, of equal types or widening. */
static void matmul(tirbi_gen *g) {
    loop loops[3];
    uint32_t order[3] = {0};
    uint32_t indent = g->indent;
    static const int64_t sizes[] = {1, 2, 3, 7, 8, 16, 17, 31, 33, 40};
    for (uint32_t i = 0; i < 3; i++) {
        tirbi_gen_dim dim =
            tirbi_gen_chance(g, 25) ? tirbi_gen_some_dim(g) : tirbi_gen_constant(sizes[tirbi_gen_pick(g, 10)]);
        if (dim.value > 40) dim = tirbi_gen_constant(17);
        loops[i] = (loop){.dim = dim, .reduce = i == 2};
    }
    bool widen = tirbi_gen_chance(g, 20);
    tirbi_dtype narrow = widen                     ? (tirbi_gen_chance(g, 50) ? TIRB_I8 : TIRB_F16)
                         : tirbi_gen_chance(g, 60) ? TIRB_F32
                                                   : tirbi_gen_type(g);
    if (narrow == TIRB_BOOL) narrow = TIRB_F64;
    tirbi_dtype type = !widen ? narrow : narrow == TIRB_I8 ? TIRB_I32 : TIRB_F32;
    bool ta = tirbi_gen_chance(g, 30);
    bool tb = tirbi_gen_chance(g, 30);
    tirbi_gen_dim a_dims[2] = {loops[ta ? 2 : 0].dim, loops[ta ? 0 : 2].dim};
    tirbi_gen_dim b_dims[2] = {loops[tb ? 1 : 2].dim, loops[tb ? 2 : 1].dim};
    tirbi_gen_dim c_dims[2] = {loops[0].dim, loops[1].dim};
    tirbi_gen_buffer *a = tirbi_gen_input(g, narrow, 2, a_dims);
    tirbi_gen_buffer *b = tirbi_gen_input(g, narrow, 2, b_dims);
    tirbi_gen_buffer *c = tirbi_gen_output(g, type, 2, c_dims);
    if (a == NULL || b == NULL || c == NULL) return;
    tirbi_gen_shuffle(g, order, 3);
    open_loops(g, loops, 3, order, tirbi_gen_chance(g, 15));
    bool block = tirbi_gen_chance(g, 65);
    if (block) open_block(g, loops, 3);
    const char *i = index_name(&loops[0]);
    const char *j = index_name(&loops[1]);
    const char *k = index_name(&loops[2]);
    if (block) {
        tirbi_gen_line(g, "with T.init():");
        tirbi_text zero = {.data = NULL};
        tirbi_gen_number(type, "0", &zero);
        tirbi_gen_line(g, "    %s[%s, %s] = %s", c->name, i, j, zero.data);
        tirbi_text_free(&zero);
    }
    char left[200];
    char right[200];
    snprintf(left, sizeof left, "%s[%s, %s]", a->name, ta ? k : i, ta ? i : k);
    snprintf(right, sizeof right, "%s[%s, %s]", b->name, tb ? j : k, tb ? k : j);
    if (widen) {
        tirbi_gen_line(g, "%s[%s, %s] = %s[%s, %s] + T.Cast(\"%s\", %s) * T.Cast(\"%s\", %s)", c->name, i, j, c->name,
                       i, j, type_name(type), left, type_name(type), right);
    } else {
        tirbi_gen_line(g, "%s[%s, %s] = %s[%s, %s] + %s * %s", c->name, i, j, c->name, i, j, left, right);
    }
    g->indent = indent;
}

/* Neighbours within a padded input, or guarded at the borders. */
static void stencil(tirbi_gen *g) {
    loop loops[2];
    uint32_t order[2] = {0, 1};
    uint32_t indent = g->indent;
    tirbi_dtype type = tirbi_gen_chance(g, 70) ? TIRB_F32 : tirbi_gen_type(g);
    if (type == TIRB_BOOL) type = TIRB_I16;
    int64_t rows = 1 + tirbi_gen_pick(g, 40);
    int64_t columns = 1 + tirbi_gen_pick(g, 70);
    bool padded = tirbi_gen_chance(g, 50);
    tirbi_gen_dim out_dims[2] = {tirbi_gen_constant(rows), tirbi_gen_constant(columns)};
    tirbi_gen_dim in_dims[2] = {tirbi_gen_constant(padded ? rows + 2 : rows),
                                tirbi_gen_constant(padded ? columns + 2 : columns)};
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 2, in_dims);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 2, out_dims);
    if (a == NULL || o == NULL) return;
    loops[0] = (loop){.dim = out_dims[0]};
    loops[1] = (loop){.dim = out_dims[1]};
    open_loops(g, loops, 2, order, true);
    if (tirbi_gen_chance(g, 50)) open_block(g, loops, 2);
    const char *i = index_name(&loops[0]);
    const char *j = index_name(&loops[1]);
    tirbi_text sum = {.data = NULL};
    tirbi_text zero = {.data = NULL};
    tirbi_gen_number(type, "0", &zero);
    for (uint32_t t = 0; t < 4; t++) {
        int di = (int)tirbi_gen_pick(g, 3) - (padded ? 0 : 1);
        int dj = (int)tirbi_gen_pick(g, 3) - (padded ? 0 : 1);
        if (t > 0) tirbi_text_add(&sum, " + ");
        if (padded) {
            tirbi_text_add(&sum, "%s[%s + %d, %s + %d]", a->name, i, di, j, dj);
        } else {
            tirbi_text_add(
                &sum,
                "T.if_then_else(0 <= %s + (%d) and %s + (%d) < %lld and 0 <= %s + (%d) and %s + (%d) < %lld, "
                "%s[%s + (%d), %s + (%d)], %s)",
                i, di, i, di, (long long)rows, j, dj, j, dj, (long long)columns, a->name, i, di, j, dj, zero.data);
        }
    }
    tirbi_gen_line(g, "%s[%s, %s] = %s", o->name, i, j, sum.data);
    tirbi_text_free(&sum);
    tirbi_text_free(&zero);
    g->indent = indent;
}

/* Loops whose iterations depend on each other. */
static void recurrence(tirbi_gen *g) {
    tirbi_dtype type = tirbi_gen_chance(g, 60) ? TIRB_F32 : tirbi_gen_type(g);
    if (type == TIRB_BOOL) type = TIRB_I32;
    tirbi_gen_dim dim = tirbi_gen_constant(2 + tirbi_gen_pick(g, 100));
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 1, &dim);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 1, &dim);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    switch (tirbi_gen_pick(g, 4)) {
    case 0:
        tirbi_gen_line(g, "for %s in range(1, %lld):", i, (long long)dim.value);
        tirbi_gen_line(g, "    %s[%s] = %s[%s - 1] + %s[%s]", o->name, i, o->name, i, a->name, i);
        break;
    case 1:
        tirbi_gen_line(g, "for %s in range(%lld):", i, (long long)dim.value - 1);
        tirbi_gen_line(g, "    %s[%s] = %s[%s + 1] * %s[%s]", o->name, i, o->name, i, a->name, i);
        break;
    case 2:
        tirbi_gen_line(g, "for %s in range(%lld):", i, (long long)dim.value);
        tirbi_gen_line(g, "    %s[%lld - %s] = %s[%s] - %s[%s]", o->name, (long long)dim.value - 1, i, o->name, i,
                       a->name, i);
        break;
    default: {
        tirbi_gen_dim count = tirbi_gen_constant(40);
        tirbi_gen_buffer *at = tirbi_gen_new_buffer(g, "idx", TIRB_I32, 1, &count, true, false);
        if (at == NULL) return;
        tirbi_gen_line(g, "for %s in range(40):", i);
        tirbi_gen_line(g, "    %s[%s[%s] & 1] = %s[%s[%s] & 1] + %s[T.bitwise_and(%s[%s], 1)]", o->name, at->name, i,
                       o->name, at->name, i, a->name, at->name, i);
        break;
    }
    }
}

/* while, break, continue and assigned variables. */
static void control(tirbi_gen *g) {
    uint32_t indent = g->indent;
    tirbi_dtype type = tirbi_gen_chance(g, 50) ? TIRB_F32 : TIRB_I32;
    tirbi_gen_dim dim = tirbi_gen_constant(4 + tirbi_gen_pick(g, 60));
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 1, &dim);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 1, &dim);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    char s[TIRBI_GEN_NAME];
    char c[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    tirbi_gen_name(g, "s", s);
    tirbi_gen_name(g, "c", c);
    const char *suffix = g->classic ? "[0]" : "";
    if (g->classic) {
        tirbi_gen_line(g, "%s = T.alloc_buffer((1,), \"%s\")", s, type_name(type));
        tirbi_gen_line(g, "%s = T.alloc_buffer((1,), \"int32\")", c);
    }
    tirbi_gen_line(g, "for %s in range(%lld):", i, (long long)dim.value);
    g->indent++;
    if (g->classic) {
        tirbi_gen_line(g, "%s[0] = %s[%s]", s, a->name, i);
        tirbi_gen_line(g, "%s[0] = 0", c);
    } else {
        tirbi_gen_line(g, "%s: T.%s = %s[%s]", s, type_name(type), a->name, i);
        tirbi_gen_line(g, "%s: T.int32 = 0", c);
    }
    tirbi_gen_push_index(g, i, &dim);
    tirbi_text e = {.data = NULL};
    if (tirbi_gen_chance(g, 40)) {
        tirbi_gen_condition(g, 1, &e);
        tirbi_gen_line(g, "if %s:", e.data);
        tirbi_gen_line(g, "    %s", tirbi_gen_chance(g, 30) ? "break" : "continue");
        tirbi_text_free(&e);
    }
    tirbi_gen_line(g, "while %s%s < %u:", c, suffix, tirbi_gen_pick(g, 9));
    g->indent++;
    tirbi_gen_expr(g, type, 2, &e);
    tirbi_gen_line(g, "%s%s = %s%s * %s%s + %s", s, suffix, s, suffix, s, suffix, e.data);
    tirbi_text_free(&e);
    tirbi_gen_line(g, "%s%s = %s%s + %u", c, suffix, c, suffix, 1 + tirbi_gen_pick(g, 2));
    if (tirbi_gen_chance(g, 30)) {
        tirbi_gen_condition(g, 1, &e);
        tirbi_gen_line(g, "if %s:", e.data);
        tirbi_gen_line(g, "    break");
        tirbi_text_free(&e);
    }
    g->indent--;
    tirbi_gen_line(g, "%s[%s] = %s%s", o->name, i, s, suffix);
    g->indent = indent;
}

/* Vectors: slices, ramps, broadcasts. */
static void vectors(tirbi_gen *g) {
    static const uint32_t widths[] = {2, 3, 4, 8, 16, 32};
    uint32_t w = widths[tirbi_gen_pick(g, 6)];
    uint32_t count = 1 + tirbi_gen_pick(g, 12);
    tirbi_dtype type = tirbi_gen_type(g);
    if (type == TIRB_BOOL) type = TIRB_F32;
    tirbi_gen_dim dim = tirbi_gen_constant((int64_t)w * count);
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 1, &dim);
    tirbi_gen_buffer *b = tirbi_gen_input(g, type, 1, &dim);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 1, &dim);
    if (a == NULL || b == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    char slice[100];
    static const char *const ops[] = {" + ", " * ", " - "};
    tirbi_gen_name(g, "i", i);
    snprintf(slice, sizeof slice, "%s * %u:%s * %u + %u", i, w, i, w, w);
    tirbi_gen_line(g, "for %s in range(%u):", i, count);
    switch (tirbi_gen_pick(g, 5)) {
    case 0:
        tirbi_gen_line(g, "    %s[%s] = %s[%s]%s%s[%s]", o->name, slice, a->name, slice, ops[tirbi_gen_pick(g, 3)],
                       b->name, slice);
        break;
    case 1:
        tirbi_gen_line(g, "    %s[T.Ramp(%s, %u, %u)] = %s[%s]%s%s[T.Ramp(%s * %u + %u, -1, %u)]", o->name, i, count, w,
                       a->name, slice, ops[tirbi_gen_pick(g, 3)], b->name, i, w, w - 1, w);
        break;
    case 2:
        tirbi_gen_line(g, "    %s[%s] = T.Broadcast(%s[%s], %u)%s%s[%s]", o->name, slice, a->name, i, w,
                       ops[tirbi_gen_pick(g, 3)], b->name, slice);
        break;
    case 3:
        tirbi_gen_line(g, "    %s[%s] = T.Select(%s[%s] < %s[%s], %s[%s], %s[%s] * %s[%s])", o->name, slice, a->name,
                       slice, b->name, slice, a->name, slice, b->name, slice, b->name, slice);
        break;
    default:
        tirbi_gen_line(g, "    %s[%s] = %s[%s] * %s[%s]%s%s[%s]", o->name, slice, a->name, slice, b->name, slice,
                       ops[tirbi_gen_pick(g, 3)], a->name, slice);
        break;
    }
}

/* The largest element and its place, kept together. */
static void argmax(tirbi_gen *g) {
    tirbi_dtype type = tirbi_gen_chance(g, 60) ? TIRB_F32 : TIRB_I32;
    tirbi_gen_dim dims[2] = {tirbi_gen_constant(1 + tirbi_gen_pick(g, 20)),
                             tirbi_gen_constant(1 + tirbi_gen_pick(g, 70))};
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 2, dims);
    tirbi_gen_buffer *v = tirbi_gen_output(g, type, 1, dims);
    tirbi_gen_buffer *at = tirbi_gen_output(g, TIRB_I32, 1, dims);
    if (a == NULL || v == NULL || at == NULL) return;
    char i[TIRBI_GEN_NAME];
    char k[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    tirbi_gen_name(g, "k", k);
    tirbi_gen_line(g, "for %s, %s in T.grid(%lld, %lld):", i, k, (long long)dims[0].value, (long long)dims[1].value);
    tirbi_gen_line(g, "    with %s(\"argmax\"):", tirbi_gen_block(g));
    tirbi_gen_line(g, "        v%s, v%s = T.axis.remap(\"SR\", [%s, %s])", i, k, i, k);
    tirbi_gen_line(g, "        with T.init():");
    tirbi_gen_line(g, "            %s[v%s] = -1", at->name, i);
    tirbi_gen_line(g, "            %s[v%s] = T.%s(%s)", v->name, i, type_name(type),
                   type == TIRB_F32 ? "\"-inf\"" : "-2147483648");
    const char *let = g->classic ? "" : ": T.let";
    tirbi_gen_line(g, "        a%s%s = T.Select(%s[v%s] >= %s[v%s, v%s], %s[v%s], v%s)", i, let, v->name, i, a->name, i,
                   k, at->name, i, k);
    tirbi_gen_line(g, "        b%s%s = T.Select(%s[v%s] >= %s[v%s, v%s], %s[v%s], %s[v%s, v%s])", i, let, v->name, i,
                   a->name, i, k, v->name, i, a->name, i, k);
    tirbi_gen_line(g, "        %s[v%s] = a%s", at->name, i, i);
    tirbi_gen_line(g, "        %s[v%s] = b%s", v->name, i, i);
}

/* A loop split in two whose last part is cut off by a predicate. */
static void split(tirbi_gen *g) {
    tirbi_dtype type = tirbi_gen_type(g);
    int64_t n = 1 + tirbi_gen_pick(g, 120);
    int64_t factor = 2 + tirbi_gen_pick(g, 15);
    tirbi_gen_dim dim = tirbi_gen_constant(n);
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 1, &dim);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 1, &dim);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    tirbi_gen_line(g, "for %so, %si in T.grid(%lld, %lld):", i, i, (long long)((n + factor - 1) / factor),
                   (long long)factor);
    tirbi_gen_line(g, "    with %s(\"split%s\"):", tirbi_gen_block(g), i);
    tirbi_gen_line(g, "        v%s = T.axis.spatial(%lld, %so * %lld + %si)", i, (long long)n, i, (long long)factor, i);
    tirbi_gen_line(g, "        T.where(%so * %lld + %si < %lld)", i, (long long)factor, i, (long long)n);
    char name[TIRBI_GEN_NAME];
    snprintf(name, sizeof name, "v%.20s", i);
    tirbi_gen_push_index(g, name, &dim);
    tirbi_text e = {.data = NULL};
    tirbi_gen_expr(g, type, 2, &e);
    tirbi_gen_line(g, "        %s[v%s] = %s", o->name, i, e.data);
    tirbi_text_free(&e);
}

/* A block that sees a part of a buffer as a buffer of its own. */
static void matched(tirbi_gen *g) {
    tirbi_dtype type = tirbi_gen_type(g);
    if (type == TIRB_BOOL) type = TIRB_F32;
    int64_t tiles = 1 + tirbi_gen_pick(g, 5);
    int64_t size = 1 + tirbi_gen_pick(g, 20);
    tirbi_gen_dim dims[2] = {tirbi_gen_constant(tiles + tirbi_gen_pick(g, 3)), tirbi_gen_constant(tiles * size)};
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 2, dims);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 2, dims);
    if (a == NULL || o == NULL) return;
    char i[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "i", i);
    tirbi_gen_line(g, "for %s in range(%lld):", i, (long long)tiles);
    tirbi_gen_line(g, "    with %s(\"tile%s\"):", tirbi_gen_block(g), i);
    tirbi_gen_line(g, "        v%s = T.axis.spatial(%lld, %s)", i, (long long)tiles, i);
    tirbi_gen_line(g, "        T.reads(%s[v%s, v%s * %lld:v%s * %lld + %lld])", a->name, i, i, (long long)size, i,
                   (long long)size, (long long)size);
    tirbi_gen_line(g, "        T.writes(%s[v%s, v%s * %lld:v%s * %lld + %lld])", o->name, i, i, (long long)size, i,
                   (long long)size, (long long)size);
    tirbi_gen_line(
        g, "        P%s = T.match_buffer(%s[v%s, v%s * %lld:v%s * %lld + %lld], (%lld,), \"%s\", offset_factor=1)", i,
        a->name, i, i, (long long)size, i, (long long)size, (long long)size, (long long)size, type_name(type));
    tirbi_gen_line(
        g, "        Q%s = T.match_buffer(%s[v%s, v%s * %lld:v%s * %lld + %lld], (%lld,), \"%s\", offset_factor=1)", i,
        o->name, i, i, (long long)size, i, (long long)size, (long long)size, (long long)size, type_name(type));
    tirbi_gen_line(g, "        for j%s in range(%lld):", i, (long long)size);
    tirbi_gen_line(g, "            Q%s[j%s] = P%s[j%s] + P%s[%lld - j%s]", i, i, i, i, i, (long long)size - 1, i);
}

void tirbi_gen_stage(tirbi_gen *g) {
    if (g->far) {
        elementwise(g);
        return;
    }
    if (g->calls && tirbi_gen_chance(g, 50)) {
        tirbi_gen_call(g);
        return;
    }
    if (g->host && tirbi_gen_chance(g, 50)) {
        tirbi_gen_host_call(g);
        return;
    }
    if (tirbi_gen_chance(g, 10)) {
        tirbi_gen_wrapping_stage(g);
        return;
    }
    if (tirbi_gen_chance(g, 35)) {
        tirbi_gen_control_stage(g);
        return;
    }
    if (tirbi_gen_chance(g, 30)) {
        if (tirbi_gen_chance(g, 70)) tirbi_gen_language_stage(g);
        else tirbi_gen_system_stage(g);
        return;
    }
    switch (tirbi_gen_pick(g, 19)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4: elementwise(g); break;
    case 5:
    case 6:
    case 7:
    case 8:
    case 9: reduction(g); break;
    case 10:
        if (tirbi_gen_chance(g, 35)) matmul(g);
        else tirbi_gen_contraction(g);
        break;
    case 11: stencil(g); break;
    case 12: recurrence(g); break;
    case 13: control(g); break;
    case 14:
    case 15: vectors(g); break;
    case 16: argmax(g); break;
    case 17: split(g); break;
    default: matched(g); break;
    }
}
