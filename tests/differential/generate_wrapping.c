/* Stages whose indices, bounds and conditions are arithmetic that wraps: near the limits of every integer type, brought
 * back inside by casts, minima and maxima, remainders or one more addition. */
#include <stdio.h>
#include <string.h>

#include "tests/differential/generate.h"

enum { MAX_LOOPS = 3, MAX_DEPTH = 3 };

/* An integer expression, and its value in the first iteration of all loops. */
typedef struct number {
    tirbi_text text;
    tirbi_dtype type;
    int64_t value;
} number;

typedef struct counter {
    char name[TIRBI_GEN_NAME];
    tirbi_dtype type;
    tirbi_gen_dim dim;
} counter;

typedef struct wrapping {
    tirbi_gen *g;
    tirbi_dtype type; /* that most of the arithmetic is in */
    counter loops[MAX_LOOPS];
    uint32_t n;
} wrapping;

static const char *type_name(tirbi_dtype type) { return tirbi_dtypes[type].tvm_name; }

static int64_t wrap(tirbi_dtype type, uint64_t value) {
    unsigned unused = 64 - tirbi_dtypes[type].bits;
    return tirbi_dtype_is_signed(type) ? (int64_t)(value << unused) >> unused : (int64_t)(value << unused >> unused);
}

/* ---- Parts ---------------------------------------------------------------------------------------------------- */

static tirbi_dtype some_type(tirbi_gen *g) {
    static const uint8_t types[] = {TIRB_I32, TIRB_I32, TIRB_I32, TIRB_I32, TIRB_I32, TIRB_I32, TIRB_I32, TIRB_I64,
                                    TIRB_I64, TIRB_I64, TIRB_I8,  TIRB_U8,  TIRB_I16, TIRB_U16, TIRB_U32, TIRB_U64};
    return (tirbi_dtype)types[tirbi_gen_pick(g, sizeof types)];
}

/* A number at an end of the type, or some part of its range away from 0, or a small one. */
static int64_t near_an_end(tirbi_gen *g, tirbi_dtype type) {
    unsigned bits = tirbi_dtypes[type].bits;
    uint64_t at = UINT64_C(1) << (bits - 1 - (tirbi_gen_chance(g, 40) ? tirbi_gen_pick(g, 3) : 0));
    uint64_t off = tirbi_gen_chance(g, 70) ? tirbi_gen_pick(g, 4) : tirbi_gen_pick(g, 40);
    if (tirbi_gen_chance(g, 10)) at = 0;
    if (tirbi_gen_chance(g, 20)) at = 0 - at;
    return wrap(type, tirbi_gen_chance(g, 60) ? at - off : at + off);
}

static void add_constant(number *x, tirbi_dtype type, int64_t value) {
    *x = (number){.type = type, .value = value};
    if (value == INT64_MIN)
        tirbi_text_add(&x->text, "T.min_value(\"int64\")");
    else if (type == TIRB_U64 && value < 0)
        tirbi_text_add(&x->text, "T.Cast(\"uint64\", T.int64(%lld))", (long long)value);
    else
        tirbi_text_add(&x->text, "T.%s(%lld)", type_name(type), (long long)value);
}

/* A parameter with that value; a constant where there are enough of them. Arguments are not above int64's. */
static void add_parameter(wrapping *w, number *x, tirbi_dtype type, int64_t value) {
    tirbi_gen *g = w->g;
    if (g->n_scalars == TIRBI_GEN_SCALARS || type == TIRB_U64) {
        add_constant(x, type, value);
        return;
    }
    tirbi_gen_scalar *s = &g->scalars[g->n_scalars++];
    *s = (tirbi_gen_scalar){.type = type, .value = value};
    tirbi_gen_name(g, "s", s->name);
    *x = (number){.type = type, .value = value};
    tirbi_text_add(&x->text, "%s", s->name);
}

/* A parameter, known before or not. */
static void add_scalar(wrapping *w, number *x, tirbi_dtype type) {
    tirbi_gen *g = w->g;
    for (uint32_t i = 0; i < g->n_scalars; i++) {
        if (g->scalars[i].type != type || !tirbi_gen_chance(g, 50)) continue;
        *x = (number){.type = type, .value = g->scalars[i].value};
        tirbi_text_add(&x->text, "%s", g->scalars[i].name);
        return;
    }
    add_parameter(w, x, type, near_an_end(g, type));
}

static void cast_to(number *x, tirbi_dtype type) {
    if (x->type == type) return;
    number cast = {.type = type, .value = wrap(type, (uint64_t)x->value)};
    tirbi_text_add(&cast.text, "T.Cast(\"%s\", %s)", type_name(type), x->text.data);
    tirbi_text_free(&x->text);
    *x = cast;
}

static void clamp(number *a, number *b, bool greatest);

static void leaf(wrapping *w, number *x, tirbi_dtype type) {
    tirbi_gen *g = w->g;
    number least;
    uint32_t what = tirbi_gen_pick(g, 10);
    if (what < 6 && w->n > 0) {
        const counter *c = &w->loops[tirbi_gen_pick(g, w->n)];
        *x = (number){.type = c->type};
        tirbi_text_add(&x->text, "%s", c->name);
        cast_to(x, type);
    } else if (what < 9) {
        add_scalar(w, x, type);
        if (!tirbi_gen_chance(g, 40)) return;
        add_constant(&least, type, tirbi_gen_pick(g, 3)); /* its sign is known now */
        clamp(x, &least, true);
    } else if (g->n_symbols > 0 && tirbi_gen_chance(g, 50)) {
        tirbi_gen_symbol *s = &g->symbols[tirbi_gen_pick(g, g->n_symbols)];
        s->used = true;
        *x = (number){.type = TIRB_I32, .value = s->value};
        tirbi_text_add(&x->text, "%s", s->name);
        cast_to(x, type);
    } else {
        add_constant(x, type, wrap(type, tirbi_gen_pick(g, 6)));
    }
}

/* a becomes a op b; `format` has both. */
static void join(number *a, number *b, const char *before, const char *between, uint64_t value) {
    number both = {.type = a->type, .value = wrap(a->type, value)};
    tirbi_text_add(&both.text, "%s%s%s%s)", before, a->text.data, between, b->text.data);
    tirbi_text_free(&a->text);
    tirbi_text_free(&b->text);
    *a = both;
}

static bool is_less(tirbi_dtype type, int64_t a, int64_t b) {
    return type == TIRB_U64 ? (uint64_t)a < (uint64_t)b : a < b;
}

static void clamp(number *a, number *b, bool greatest) {
    int64_t value = is_less(a->type, a->value, b->value) == greatest ? b->value : a->value;
    join(a, b, greatest ? "T.max(" : "T.min(", ", ", (uint64_t)value);
}

static int64_t floored(int64_t a, int64_t b, bool remainder) {
    const bool rounds_up = a % b < 0;
    return remainder ? a % b + (rounds_up ? b : 0) : a / b - rounds_up;
}

/* Arithmetic of the type, whose operands may be minima, quotients or casts of more of it. */
static void arithmetic(wrapping *w, number *x, tirbi_dtype type, uint32_t depth) {
    tirbi_gen *g = w->g;
    number b;
    if (depth == 0 || tirbi_gen_chance(g, 15)) {
        leaf(w, x, type);
        return;
    }
    uint32_t what = tirbi_gen_pick(g, 14);
    if (what == 13 || (what == 12 && type == TIRB_U64)) {
        arithmetic(w, x, tirbi_gen_chance(g, 50) ? w->type : some_type(g), depth - 1);
        cast_to(x, type);
        return;
    }
    arithmetic(w, x, type, depth - 1);
    if (what < 7 || what == 10 || what == 11) arithmetic(w, &b, type, what < 7 ? depth - 1 : 0);
    uint64_t u = (uint64_t)x->value;
    if (what < 5) {
        join(x, &b, "(", " + ", u + (uint64_t)b.value);
    } else if (what < 7) {
        join(x, &b, "(", " - ", u - (uint64_t)b.value);
    } else if (what < 10) {
        int64_t factor = tirbi_gen_chance(g, 70) ? 2 + tirbi_gen_pick(g, 6) : near_an_end(g, type);
        if (tirbi_gen_chance(g, 60))
            add_constant(&b, type, factor);
        else
            leaf(w, &b, type);
        join(x, &b, "(", " * ", u * (uint64_t)b.value);
    } else if (what < 12) {
        clamp(x, &b, what == 10);
    } else {
        const bool remainder = tirbi_gen_chance(g, 60);
        add_constant(&b, type, 1 + tirbi_gen_pick(g, 20));
        join(x, &b, remainder ? "T.floormod(" : "T.floordiv(", ", ", (uint64_t)floored(x->value, b.value, remainder));
    }
}

/* What indices are most times: a counter, perhaps some times over, and what stands still, perhaps with a sign. */
static void linear(wrapping *w, number *x, tirbi_dtype type) {
    tirbi_gen *g = w->g;
    number b;
    const counter *c = &w->loops[tirbi_gen_chance(g, 70) ? w->n - 1 : tirbi_gen_pick(g, w->n)];
    *x = (number){.type = c->type};
    tirbi_text_add(&x->text, "%s", c->name);
    cast_to(x, type);
    if (tirbi_gen_chance(g, 25)) {
        if (tirbi_gen_chance(g, 50))
            add_constant(&b, type, 2 + tirbi_gen_pick(g, 3));
        else
            add_scalar(w, &b, type);
        join(x, &b, "(", " * ", (uint64_t)x->value * (uint64_t)b.value);
    }
    if (tirbi_gen_chance(g, 20)) { /* from something known on, which the counter is added to */
        leaf(w, &b, type);
        join(x, &b, "(", " + ", (uint64_t)x->value + (uint64_t)b.value);
    }
    if (tirbi_gen_chance(g, 12)) tirbi_text_free(&x->text), add_scalar(w, x, type); /* or without the counter */
    add_scalar(w, &b, type);
    if (tirbi_gen_chance(g, 40)) {
        number least;
        add_constant(&least, type, tirbi_gen_pick(g, 2));
        clamp(&b, &least, true);
    }
    if (tirbi_gen_chance(g, 75))
        join(x, &b, "(", " + ", (uint64_t)x->value + (uint64_t)b.value);
    else
        join(x, &b, "(", " - ", (uint64_t)x->value - (uint64_t)b.value);
    if (tirbi_gen_chance(g, 25)) {
        add_constant(&b, type, tirbi_gen_chance(g, 70) ? 2 : 3 + tirbi_gen_pick(g, 3));
        join(x, &b, "(", " * ", (uint64_t)x->value * (uint64_t)b.value);
    }
}

/* Adds what makes it `value` in the first iteration. */
static void move_to(wrapping *w, number *x, int64_t value) {
    number b;
    if (x->value == value) return;
    const int64_t by = wrap(x->type, (uint64_t)value - (uint64_t)x->value);
    if (tirbi_gen_chance(w->g, 60))
        add_parameter(w, &b, x->type, by);
    else
        add_constant(&b, x->type, by);
    join(x, &b, "(", " + ", (uint64_t)value);
}

static void extent_text(wrapping *w, const tirbi_gen_dim *dim, number *x) {
    *x = (number){.type = TIRB_I32, .value = dim->value};
    if (dim->symbol >= 0) w->g->symbols[dim->symbol].used = true;
    tirbi_gen_dim_text(w->g, dim, &x->text);
}

/* Brings an index inside of the dimension, from both sides or from one, which may have to be `below`. */
static void clamp_inside(wrapping *w, const tirbi_gen_dim *dim, number *x, bool below) {
    tirbi_gen *g = w->g;
    number b;
    const uint32_t sides = tirbi_gen_pick(g, 4);
    if (sides != 0 || below) {
        add_constant(&b, x->type, tirbi_gen_pick(g, 2));
        clamp(x, &b, true);
    }
    if (sides != 1) {
        extent_text(w, dim, &b);
        cast_to(&b, x->type);
        tirbi_text_add(&b.text, " - 1");
        b.value = wrap(x->type, (uint64_t)b.value - 1);
        clamp(x, &b, false);
    }
}

/* A counter, or how far it counts, and a number that go beyond the type's end in one of the iterations, or all: below a
 * maximum, in a wider type that takes the number away again, or times what takes its bits away. */
static void aimed(wrapping *w, const tirbi_gen_dim *dim, number *x) {
    tirbi_gen *g = w->g;
    number b;
    const counter *c = &w->loops[tirbi_gen_chance(g, 80) ? w->n - 1 : tirbi_gen_pick(g, w->n)];
    const tirbi_dtype type = tirbi_gen_chance(g, 80) ? c->type : w->type;
    const unsigned bits = tirbi_dtypes[type].bits, shift = 1 + tirbi_gen_pick(g, 2);
    const uint64_t most = UINT64_MAX >> (64 - bits + (tirbi_dtype_is_signed(type) ? 1 : 0));
    const uint32_t which = tirbi_gen_pick(g, 4), what = which < 2 ? which : 2,
                   back = tirbi_gen_pick(g, (uint32_t)c->dim.value % 64 + 2);
    const uint64_t at = what == 2 ? (UINT64_C(1) << (bits - shift)) + tirbi_gen_pick(g, 3) : most - back;
    if (tirbi_gen_chance(g, 25)) {
        extent_text(w, &c->dim, x);
    } else {
        *x = (number){.type = c->type};
        tirbi_text_add(&x->text, "%s", c->name);
    }
    cast_to(x, type);
    add_parameter(w, &b, type, wrap(type, at));
    if (what != 2 && tirbi_gen_chance(g, 40)) { /* its sign is known */
        number least;
        add_constant(&least, type, 0);
        clamp(&b, &least, true);
    }
    join(x, &b, "(", " + ", (uint64_t)x->value + (uint64_t)b.value);
    if (what == 2) {
        add_constant(&b, type, INT64_C(1) << shift);
        join(x, &b, "(", " * ", (uint64_t)x->value << shift);
    } else if (what == 1) {
        cast_to(x, TIRB_I64);
        add_constant(&b, TIRB_I64, (int64_t)at);
        join(x, &b, "(", " - ", (uint64_t)x->value - at);
    }
    if (what == 0 || tirbi_gen_chance(g, what == 1 ? 75 : 20)) clamp_inside(w, dim, x, tirbi_gen_chance(g, 85));
}

/* An index of a dimension, most times inside of it. */
static void index_of(wrapping *w, const tirbi_gen_dim *dim, number *x) {
    tirbi_gen *g = w->g;
    number b;
    int64_t first = dim->value > 0 ? tirbi_gen_pick(g, (uint32_t)dim->value) : 0;
    if (tirbi_gen_chance(g, 60)) first = 0;
    const bool is_clamped = tirbi_gen_chance(g, 50);
    if (tirbi_gen_chance(g, 50)) {
        aimed(w, dim, x);
        cast_to(x, tirbi_gen_chance(g, 60) ? TIRB_I64 : TIRB_I32);
        return;
    }
    if (tirbi_gen_chance(g, 75))
        linear(w, x, w->type);
    else
        arithmetic(w, x, w->type, 1 + tirbi_gen_pick(g, MAX_DEPTH));
    if (tirbi_gen_chance(g, 40)) cast_to(x, tirbi_gen_chance(g, 75) ? TIRB_I64 : some_type(g));
    if (tirbi_gen_chance(g, is_clamped ? 30 : 85)) move_to(w, x, first);
    if (is_clamped && dim->value > 0 && dim->value < 100 && x->type != TIRB_U64 && tirbi_gen_chance(g, 15)) {
        add_constant(&b, x->type, dim->value);
        join(x, &b, "T.floormod(", ", ", (uint64_t)floored(x->value, dim->value, true));
    } else if (is_clamped) {
        clamp_inside(w, dim, x, false);
    }
    cast_to(x, tirbi_gen_chance(g, 60) ? TIRB_I64 : TIRB_I32);
}

/* ---- Statements ----------------------------------------------------------------------------------------------- */

/* The loop that counts the dimension, if there is one. */
static const counter *counter_of(const wrapping *w, const tirbi_gen_dim *dim) {
    for (uint32_t i = w->n; i-- > 0;) {
        const counter *c = &w->loops[i];
        if (c->dim.value <= dim->value && (dim->symbol < 0 || c->dim.symbol == dim->symbol)) return c;
    }
    return NULL;
}

/* An element, of the loops' own iteration where it is `plain`. */
static void element(wrapping *w, const tirbi_gen_buffer *b, bool plain, tirbi_text *out) {
    const uint32_t wraps = tirbi_gen_pick(w->g, b->ndim);
    tirbi_text_add(out, "%s[", b->name);
    for (uint32_t d = 0; d < b->ndim; d++) {
        const counter *own = counter_of(w, &b->dims[d]);
        tirbi_text_add(out, "%s", d > 0 ? ", " : "");
        if (own != NULL && (plain || (d != wraps && tirbi_gen_chance(w->g, 70)))) {
            tirbi_text_add(out, "%s", own->name);
            continue;
        }
        number x;
        index_of(w, &b->dims[d], &x);
        tirbi_text_add(out, "%s", x.text.data);
        tirbi_text_free(&x.text);
    }
    tirbi_text_add(out, "]");
}

static void condition(wrapping *w, tirbi_text *out) {
    static const char *const compare[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
    tirbi_dtype type = tirbi_gen_chance(w->g, 60) ? w->type : some_type(w->g);
    number a, b;
    arithmetic(w, &a, type, 2);
    if (tirbi_gen_chance(w->g, 60)) {
        add_constant(&b, type, wrap(type, (uint64_t)a.value + tirbi_gen_pick(w->g, 9)));
    } else {
        arithmetic(w, &b, type, 2);
    }
    tirbi_text_add(out, "%s%s%s", a.text.data, compare[tirbi_gen_pick(w->g, 6)], b.text.data);
    tirbi_text_free(&a.text);
    tirbi_text_free(&b.text);
}

static void open_loop(wrapping *w, bool innermost) {
    static const int64_t extents[] = {0, 1, 2, 3, 5, 8, 16, 17, 33, 40, 64};
    tirbi_gen *g = w->g;
    counter *c = &w->loops[w->n];
    number extent;
    c->dim = tirbi_gen_constant(extents[tirbi_gen_pick(g, innermost ? 11 : 7)]);
    if (g->n_symbols > 0 && tirbi_gen_chance(g, 55)) {
        int s = (int)tirbi_gen_pick(g, g->n_symbols);
        c->dim = (tirbi_gen_dim){.value = g->symbols[s].value, .symbol = s};
    }
    c->type = w->type == TIRB_I64 ? TIRB_I64 : TIRB_I32;
    if (tirbi_gen_chance(g, 15)) c->type = TIRB_I64;
    extent_text(w, &c->dim, &extent);
    if (tirbi_gen_chance(g, 12)) { /* a bound that wraps, and few iterations whatever it is */
        number most;
        tirbi_text_free(&extent.text);
        arithmetic(w, &extent, w->type, 2);
        move_to(w, &extent, wrap(w->type, (uint64_t)c->dim.value));
        add_constant(&most, w->type, 9);
        clamp(&extent, &most, false);
        cast_to(&extent, TIRB_I32);
        c->dim = tirbi_gen_constant(9);
    }
    cast_to(&extent, c->type);
    tirbi_gen_name(g, "i", c->name);
    tirbi_gen_line(g, "for %s in %s(%s):", c->name, tirbi_gen_chance(g, 12) ? "T.parallel" : "range", extent.text.data);
    tirbi_text_free(&extent.text);
    w->n++;
    g->indent++;
}

/* One dimension, or two, whose extents are those of the loops, or larger, or 0, or 1. */
static tirbi_gen_buffer *some_buffer(wrapping *w, tirbi_dtype type, bool output) {
    tirbi_gen *g = w->g;
    tirbi_gen_dim dims[2];
    uint32_t n = tirbi_gen_chance(g, 75) ? 1 : 2;
    for (uint32_t d = 0; d < n; d++) {
        dims[d] = tirbi_gen_constant(20 + tirbi_gen_pick(g, 150));
        if (tirbi_gen_chance(g, output ? 60 : 35))
            dims[d] = w->loops[d + 1 == n ? w->n - 1 : tirbi_gen_pick(g, w->n)].dim;
        else if (tirbi_gen_chance(g, 8))
            dims[d] = tirbi_gen_constant(tirbi_gen_pick(g, 2));
    }
    return tirbi_gen_new_buffer(g, output ? "O" : "A", type, n, dims, true, output);
}

/* What traps in another way than an index does, where its loops run. */
static void divide(wrapping *w, tirbi_text *out) {
    number z;
    leaf(w, &z, TIRB_I32);
    tirbi_text_add(out, "T.Cast(\"int32\", T.floordiv(T.int32(7), %s))", z.text.data);
    tirbi_text_free(&z.text);
}

static void wrapping_nest(tirbi_gen *g) {
    wrapping w = {.g = g, .type = some_type(g)};
    uint32_t indent = g->indent, loops = tirbi_gen_chance(g, 65) ? 1 : 2 + tirbi_gen_pick(g, MAX_LOOPS - 1);
    tirbi_dtype type = tirbi_gen_chance(g, 50) ? TIRB_I32 : TIRB_F32;
    tirbi_text text = {.data = NULL};
    for (uint32_t i = 0; i < loops; i++) open_loop(&w, i + 1 == loops);
    tirbi_gen_buffer *a = some_buffer(&w, type, false);
    tirbi_gen_buffer *o = some_buffer(&w, type, true);
    if (a == NULL || o == NULL) {
        tirbi_gen_line(g, "pass");
        g->indent = indent;
        return;
    }
    bool guarded = tirbi_gen_chance(g, 20);
    if (guarded) {
        condition(&w, &text);
        tirbi_gen_line(g, "if %s:", text.data);
        tirbi_text_free(&text);
        g->indent++;
    }
    for (uint32_t n = tirbi_gen_chance(g, 80) ? 1 : 2; n > 0; n--) {
        bool in_place = tirbi_gen_chance(g, 55);
        element(&w, o, tirbi_gen_chance(g, 75), &text);
        tirbi_text_add(&text, " = ");
        if (type == TIRB_I32 && tirbi_gen_chance(g, 8))
            divide(&w, &text);
        else
            element(&w, in_place ? o : a, tirbi_gen_chance(g, 15), &text);
        tirbi_text_add(&text, " + T.%s(%u)", type_name(type), 1 + tirbi_gen_pick(g, 3));
        tirbi_gen_line(g, "%s", text.data);
        tirbi_text_free(&text);
    }
    g->indent = indent;
}

void tirbi_gen_wrapping_stage(tirbi_gen *g) {
    for (uint32_t n = 1 + tirbi_gen_pick(g, 3); n > 0; n--) wrapping_nest(g);
}
