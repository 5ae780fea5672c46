/* Random contractions: products of tensors over some common loops, in any order of loops and dimensions, with windows,
 * conversions, first values and what follows a sum. */
#include <stdio.h>

#include "tests/differential/generate.h"

enum { MAX_LOOPS = 6 };

/* Which operands a loop indexes. */
enum { IN_C = 1, IN_A = 2, IN_B = 4 };

typedef struct sum_loop {
    char var[TIRBI_GEN_NAME];
    tirbi_gen_dim dim;
    unsigned in;
    int window; /* A is indexed by this loop plus that one; -1: by itself */
} sum_loop;

typedef struct nest {
    sum_loop loops[MAX_LOOPS];
    uint32_t n;
    int64_t work;
    bool block; /* of which the loops' variables are axes */
} nest;

static void add_loop(tirbi_gen *g, nest *x, unsigned in, int64_t most) {
    static const int64_t extents[] = {1, 2, 3, 4, 5, 7, 8, 13, 14, 15, 16, 17, 29, 31, 32, 33, 48, 65};
    sum_loop *l = &x->loops[x->n++];
    *l = (sum_loop){.in = in, .window = -1};
    l->dim = tirbi_gen_chance(g, 20) ? tirbi_gen_some_dim(g) : tirbi_gen_constant(extents[tirbi_gen_pick(g, 18)]);
    if (in == (IN_A | IN_B) && tirbi_gen_chance(g, 8)) l->dim = tirbi_gen_constant(250 + tirbi_gen_pick(g, 300));
    if (l->dim.value > most || l->dim.value * x->work > 80000) l->dim = tirbi_gen_constant(1 + tirbi_gen_pick(g, 4));
    x->work *= l->dim.value > 0 ? l->dim.value : 1;
    tirbi_gen_name(g, "i", l->var);
}

/* Adds an index to a place, or one that is shifted out of the dimension at one end, which `guard` tells. */
static void add_index(tirbi_gen *g, const char *index, const tirbi_gen_dim *dim, tirbi_text *at, tirbi_text *guard) {
    unsigned shift = 1 + tirbi_gen_pick(g, 2);
    if (!guard || !tirbi_gen_chance(g, 20)) {
        tirbi_text_add(at, "%s", index);
        return;
    }
    tirbi_text_add(guard, guard->data ? " and " : "");
    if (tirbi_gen_chance(g, 50)) {
        tirbi_text_add(guard, "%u <= %s", shift, index);
        tirbi_text_add(at, "%s - %u", index, shift);
    } else {
        tirbi_text extent = {.data = NULL};
        tirbi_gen_dim_text(g, dim, &extent);
        tirbi_text_add(guard, "%s + %u < %s", index, shift, extent.data);
        tirbi_text_add(at, "%s + %u", index, shift);
        tirbi_text_free(&extent);
    }
}

/* An operand that is more than a load. */
static void dress(tirbi_gen *g, tirbi_dtype type, const char *guard, char *place, size_t size) {
    char plain[400]; /* the place alone */
    tirbi_text other = {.data = NULL};
    tirbi_gen_number(type, tirbi_gen_chance(g, 60) ? "0" : "3", &other);
    snprintf(plain, sizeof plain, "%s", place);
    if (guard) {
        snprintf(place, size, "T.%s(%s, %s, %s)", tirbi_gen_chance(g, 70) ? "if_then_else" : "Select", guard, plain,
                 other.data);
    } else if (tirbi_gen_chance(g, 20)) {
        snprintf(place, size, tirbi_gen_chance(g, 50) ? "T.max(%s, %s)" : "(%s - %s)", plain, other.data);
    }
    tirbi_text_free(&other);
}

/* The dimensions of an operand and its element in the loops. */
static tirbi_gen_buffer *operand(tirbi_gen *g, const nest *x, unsigned which, tirbi_dtype type, char *place,
                                 size_t size) {
    tirbi_text guard = {.data = NULL};
    tirbi_text *may_guard = which != IN_C && tirbi_gen_chance(g, 40) ? &guard : NULL;
    tirbi_gen_dim dims[TIRBI_GEN_DIMS];
    uint32_t order[MAX_LOOPS] = {0}, n = 0;
    tirbi_text at = {.data = NULL};
    const char *axis = x->block ? "v" : "";
    tirbi_gen_shuffle(g, order, x->n);
    if (tirbi_gen_chance(g, 50)) {
        for (uint32_t i = 0; i < x->n; i++) order[i] = i;
    }
    for (uint32_t i = 0; i < x->n; i++) {
        const sum_loop *l = &x->loops[order[i]];
        bool inner = false; /* the loop that another one's window steps by */
        for (uint32_t k = 0; which == IN_A && k < x->n; k++) inner = inner || x->loops[k].window == (int)order[i];
        if (!(l->in & which) || inner || n == TIRBI_GEN_DIMS) continue;
        char index[3 * TIRBI_GEN_NAME];
        tirbi_text_add(&at, n > 0 ? ", " : "");
        if (which == IN_A && l->window >= 0) {
            const sum_loop *w = &x->loops[l->window];
            dims[n] = tirbi_gen_constant(l->dim.value + w->dim.value);
            snprintf(index, sizeof index, "%s%s + %s%s", axis, l->var, axis, w->var);
        } else {
            dims[n] = l->dim;
            snprintf(index, sizeof index, "%s%s", axis, l->var);
        }
        add_index(g, index, &dims[n++], &at, may_guard);
    }
    tirbi_gen_buffer *b = n == 0          ? NULL
                          : which == IN_C ? tirbi_gen_output(g, type, n, dims)
                                          : tirbi_gen_input(g, type, n, dims);
    if (b) snprintf(place, size, "%s[%s]", b->name, at.data);
    if (b && which != IN_C) dress(g, type, guard.data, place, size);
    tirbi_text_free(&at);
    tirbi_text_free(&guard);
    return b;
}

static void open_loop(tirbi_gen *g, const sum_loop *l) {
    tirbi_text extent = {.data = NULL};
    if (l->dim.symbol >= 0) g->symbols[l->dim.symbol].used = true;
    tirbi_gen_dim_text(g, &l->dim, &extent);
    tirbi_gen_line(g, "for %s in range(%s):", l->var, extent.data);
    tirbi_text_free(&extent);
    g->indent++;
}

/* The sum as statements inside of the loops that C has: in C, or in a variable. */
static void whole_sum(tirbi_gen *g, const nest *x, tirbi_dtype type, const char *c, const char *sign,
                      const char *product) {
    char sum[400];
    tirbi_text zero = {.data = NULL};
    tirbi_gen_number(type, tirbi_gen_chance(g, 70) ? "0" : "3", &zero);
    snprintf(sum, sizeof sum, "%s", c);
    bool variable = !g->classic && type != TIRB_BF16 && tirbi_gen_chance(g, 50);
    for (uint32_t i = 0; i < x->n; i++) {
        if (x->loops[i].in & IN_C) open_loop(g, &x->loops[i]);
    }
    if (variable) {
        tirbi_gen_name(g, "s", sum);
        tirbi_gen_line(g, "%s: T.%s = %s", sum, tirbi_dtypes[type].tvm_name, zero.data);
    } else if (tirbi_gen_chance(g, 80)) {
        tirbi_gen_line(g, "%s = %s", c, zero.data);
    }
    uint32_t indent = g->indent;
    for (uint32_t i = 0; i < x->n; i++) {
        if (!(x->loops[i].in & IN_C)) open_loop(g, &x->loops[i]);
    }
    tirbi_gen_line(g, "%s = %s %s %s", sum, sum, sign, product);
    g->indent = indent;
    if (tirbi_gen_chance(g, 40)) {
        tirbi_gen_line(g, "%s = T.max(%s, %s)", c, sum, zero.data);
    } else if (variable) {
        tirbi_gen_line(g, "%s = %s", c, sum);
    }
    tirbi_text_free(&zero);
}

static void axes(tirbi_gen *g, const nest *x) {
    for (uint32_t i = 0; i < x->n; i++) {
        const sum_loop *l = &x->loops[i];
        tirbi_text extent = {.data = NULL};
        tirbi_gen_dim_text(g, &l->dim, &extent);
        tirbi_gen_line(g, "v%s = T.axis.%s(%s, %s)", l->var, l->in & IN_C ? "spatial" : "reduce", extent.data, l->var);
        tirbi_text_free(&extent);
    }
}

/* Bounds on loops, as the tails of tiles and the borders of windows have them. */
static void predicate(tirbi_gen *g, const nest *x, tirbi_text *out) {
    for (unsigned terms = 1 + tirbi_gen_pick(g, 2); terms > 0; terms--) {
        const char *a = x->loops[tirbi_gen_pick(g, x->n)].var, *b = x->loops[tirbi_gen_pick(g, x->n)].var;
        unsigned number = 1 + tirbi_gen_pick(g, 9);
        switch (tirbi_gen_pick(g, 5)) {
        case 0: tirbi_text_add(out, "%s + %s >= %u", a, b, number); break;
        case 1: tirbi_text_add(out, "%s * %u + %s < %u", a, number, b, 4 * number); break;
        case 2: tirbi_text_add(out, "%s <= %s + %u", a, b, number); break;
        case 3: tirbi_text_add(out, "%u < %s * 2", number, a); break;
        default: tirbi_text_add(out, "%s - %s * 2 < %u", a, b, number); break;
        }
        tirbi_text_add(out, terms > 1 ? " and " : "");
    }
}

void tirbi_gen_contraction(tirbi_gen *g) {
    static const tirbi_dtype types[][3] = {
        {TIRB_F32, TIRB_F32, TIRB_F32}, {TIRB_F64, TIRB_F64, TIRB_F64}, {TIRB_I32, TIRB_I8, TIRB_I8},
        {TIRB_I32, TIRB_U8, TIRB_I8},   {TIRB_I32, TIRB_I16, TIRB_U8},  {TIRB_I64, TIRB_I32, TIRB_U16},
        {TIRB_F32, TIRB_F16, TIRB_F16}, {TIRB_F32, TIRB_BF16, TIRB_F32}, {TIRB_U32, TIRB_U8, TIRB_U8},
        {TIRB_F16, TIRB_F16, TIRB_F16}};
    const tirbi_dtype *type = types[tirbi_gen_chance(g, 45) ? 0 : tirbi_gen_pick(g, 10)];
    nest x = {.work = 1};
    uint32_t order[MAX_LOOPS] = {0}, indent = g->indent;
    if (tirbi_gen_chance(g, 20)) add_loop(g, &x, IN_C | IN_A | IN_B, 5);
    add_loop(g, &x, IN_C | IN_A, 80);
    if (tirbi_gen_chance(g, 20)) add_loop(g, &x, IN_C | IN_A, 8);
    add_loop(g, &x, IN_C | IN_B, 80);
    add_loop(g, &x, IN_A | IN_B, 600);
    if (tirbi_gen_chance(g, 30)) add_loop(g, &x, IN_A | IN_B, 5);
    /* A window: a row loop of A also steps by a loop of the sum. */
    if (tirbi_gen_chance(g, 30) && x.n > 3) {
        for (uint32_t i = 0; i < x.n; i++) {
            if (x.loops[i].in == (IN_C | IN_A)) x.loops[i].window = (int)x.n - 1;
        }
    }
    bool whole = tirbi_gen_chance(g, 35);
    x.block = !whole && tirbi_gen_chance(g, 60);
    char a[600], b[600], c[400], product[1300];
    tirbi_gen_buffer *c_buffer = operand(g, &x, IN_C, type[0], c, sizeof c);
    tirbi_gen_buffer *a_buffer = operand(g, &x, IN_A, type[1], a, sizeof a);
    tirbi_gen_buffer *b_buffer = operand(g, &x, IN_B, type[2], b, sizeof b);
    if (!a_buffer || !b_buffer || !c_buffer) return;
    const char *name = tirbi_dtypes[type[0]].tvm_name;
    if (type[0] == type[1] && type[0] == type[2]) snprintf(product, sizeof product, "%s * %s", a, b);
    else snprintf(product, sizeof product, "T.Cast(\"%s\", %s) * T.Cast(\"%s\", %s)", name, a, name, b);
    const char *sign = tirbi_gen_chance(g, 85) ? "+" : "-";
    if (whole) {
        whole_sum(g, &x, type[0], c, sign, product);
        g->indent = indent;
        return;
    }
    tirbi_gen_shuffle(g, order, x.n);
    for (uint32_t i = 0; i < x.n; i++) open_loop(g, &x.loops[order[i]]);
    tirbi_text where = {.data = NULL};
    if (tirbi_gen_chance(g, 20)) predicate(g, &x, &where);
    if (x.block) {
        char block[TIRBI_GEN_NAME];
        tirbi_text first = {.data = NULL};
        tirbi_gen_name(g, "b", block);
        tirbi_gen_number(type[0], tirbi_gen_chance(g, 80) ? "0" : "2", &first);
        tirbi_gen_line(g, "with %s(\"%s\"):", tirbi_gen_block(g), block);
        g->indent++;
        axes(g, &x);
        if (where.data) tirbi_gen_line(g, "T.where(%s)", where.data);
        tirbi_gen_line(g, "with T.init():");
        tirbi_gen_line(g, "    %s = %s", c, first.data);
        tirbi_text_free(&first);
    }
    if (where.data && !x.block) {
        tirbi_gen_line(g, "if %s:", where.data);
        g->indent++;
    }
    tirbi_gen_line(g, "%s = %s %s %s", c, c, sign, product);
    tirbi_text_free(&where);
    g->indent = indent;
}
