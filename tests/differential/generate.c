/* The frame of a program: its parameters, symbols and functions around the stages. */
#include "tests/differential/generate.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FAR_APART = 200 }; /* programs from one that goes past the caches to the next */

uint32_t tirbi_gen_pick(tirbi_gen *g, uint32_t n) { return tirbi_random_below(&g->random, n); }

bool tirbi_gen_chance(tirbi_gen *g, uint32_t percent) { return tirbi_random_chance(&g->random, percent); }

void tirbi_gen_line(tirbi_gen *g, const char *format, ...) {
    char line[8000];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    tirbi_text_add(&g->body, "%*s%s\n", (int)(g->indent * 4), "", line);
}

void tirbi_gen_name(tirbi_gen *g, const char *prefix, char *out) {
    snprintf(out, TIRBI_GEN_NAME, "%.12s%u", prefix, g->n_names++);
}

tirbi_dtype tirbi_gen_type(tirbi_gen *g) {
    static const uint8_t types[] = {TIRB_F32, TIRB_F32, TIRB_F32, TIRB_F32, TIRB_F32, TIRB_F32, TIRB_I32, TIRB_I32,
                                    TIRB_I32, TIRB_F64, TIRB_F64, TIRB_I64, TIRB_I8,  TIRB_U8,  TIRB_I16, TIRB_U16,
                                    TIRB_U32, TIRB_U64, TIRB_F16, TIRB_BF16, TIRB_BOOL};
    return (tirbi_dtype)types[tirbi_gen_pick(g, sizeof types)];
}

void tirbi_gen_dim_text(const tirbi_gen *g, const tirbi_gen_dim *dim, tirbi_text *out) {
    if (dim->symbol >= 0) {
        tirbi_text_add(out, "%s", g->symbols[dim->symbol].name);
    } else {
        tirbi_text_add(out, "%lld", (long long)dim->value);
    }
}

tirbi_gen_buffer *tirbi_gen_new_buffer(tirbi_gen *g, const char *prefix, tirbi_dtype type, uint32_t ndim,
                                       const tirbi_gen_dim *dims, bool param, bool writable) {
    if (g->n_buffers == TIRBI_GEN_BUFFERS) return NULL;
    tirbi_gen_buffer *b = &g->buffers[g->n_buffers++];
    *b = (tirbi_gen_buffer){.type = type, .ndim = ndim, .param = param, .writable = writable};
    tirbi_gen_name(g, prefix, b->name);
    for (uint32_t i = 0; i < ndim; i++) {
        b->dims[i] = dims[i];
        if (dims[i].symbol >= 0) g->symbols[dims[i].symbol].used = true;
    }
    return b;
}

static void shape_text(const tirbi_gen *g, const tirbi_gen_buffer *b, bool *quoted, tirbi_text *out) {
    bool before[TIRBI_GEN_SYMBOLS] = {false}; /* a name is quoted throughout the shape that first mentions it */
    tirbi_text_add(out, "(");
    for (uint32_t i = 0; quoted != NULL && i < TIRBI_GEN_SYMBOLS; i++) before[i] = quoted[i];
    for (uint32_t i = 0; i < b->ndim; i++) {
        int symbol = b->dims[i].symbol;
        bool quote = quoted != NULL && symbol >= 0 && !before[symbol];
        tirbi_text_add(out, "%s", i > 0 ? ", " : "");
        if (quote) tirbi_text_add(out, "\"");
        tirbi_gen_dim_text(g, &b->dims[i], out);
        if (quote) {
            tirbi_text_add(out, "\"");
            quoted[symbol] = true;
        }
    }
    tirbi_text_add(out, "%s", b->ndim == 1 ? ",)" : ")");
}

/* Sometimes a few pairs of parameters that the call may give the same memory. */
static void aliases_text(tirbi_gen *g, const char *pad, tirbi_text *out) {
    const tirbi_gen_buffer *params[TIRBI_GEN_BUFFERS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_buffers; i++) {
        if (g->buffers[i].param && !g->buffers[i].apart) params[n++] = &g->buffers[i];
    }
    if (n < 2 || !tirbi_gen_chance(g, 25)) return;
    tirbi_text_add(out, "%s    T.func_attr({\"tirb.may_alias\": [", pad);
    uint32_t n_pairs = 1 + tirbi_gen_pick(g, 3);
    for (uint32_t i = 0; i < n_pairs; i++) {
        uint32_t first = tirbi_gen_pick(g, n), second = (first + 1 + tirbi_gen_pick(g, n - 1)) % n;
        tirbi_text_add(out, "%s[\"%s\", \"%s\"]", i > 0 ? ", " : "", params[first]->name, params[second]->name);
    }
    tirbi_text_add(out, "]})\n");
}

/* A side of a condition: what it says and its value. Symbols are small, and so is what is made of two of them. */
static int64_t side_text(tirbi_gen *g, tirbi_text *out) {
    const tirbi_gen_symbol *used[TIRBI_GEN_SYMBOLS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_symbols; i++)
        if (g->symbols[i].used) used[n++] = &g->symbols[i];
    const tirbi_gen_symbol *a = used[tirbi_gen_pick(g, n)], *b = used[tirbi_gen_pick(g, n)];
    const int64_t x = a->value, y = b->value, k = 1 + (int64_t)tirbi_gen_pick(g, 9);
    switch (tirbi_gen_pick(g, 8)) {
    case 0: tirbi_text_add(out, "%s", a->name); return x;
    case 1: tirbi_text_add(out, "%s * %lld - %s", a->name, (long long)k, b->name); return x * k - y;
    case 2: tirbi_text_add(out, "(%s - %lld) // %lld", a->name, (long long)k, (long long)k);
        return (x - k >= 0 ? x - k : x - k - (k - 1)) / k;
    case 3: tirbi_text_add(out, "(%s + %s) %% %lld", a->name, b->name, (long long)k + 1);
        return (x + y) % (k + 1);
    case 4: tirbi_text_add(out, "T.min(%s, %lld) + 1", a->name, (long long)k); return (x < k ? x : k) + 1;
    case 5: tirbi_text_add(out, "T.max(%s, %s)", a->name, b->name); return x > y ? x : y;
    case 6: tirbi_text_add(out, "T.truncdiv(%s - %lld, %lld)", a->name, (long long)k, (long long)k); return (x - k) / k;
    default: tirbi_text_add(out, "%lld - %s", (long long)k, a->name); return k - x;
    }
}

/* A comparison that holds, but now and then. */
static void requirement_text(tirbi_gen *g, tirbi_text *out) {
    static const char *const relations[] = {"<", "<=", ">", ">=", "==", "!="};
    tirbi_text right = {.data = NULL};
    const int64_t l = side_text(g, out), r = tirbi_gen_chance(g, 50) ? side_text(g, &right) : 3;
    const bool holds[] = {l < r, l <= r, l > r, l >= r, l == r, l != r};
    uint32_t relation = tirbi_gen_pick(g, 6);
    while (!holds[relation] && !tirbi_gen_chance(g, 2)) relation = tirbi_gen_pick(g, 6);
    tirbi_text_add(out, " %s %s", relations[relation], right.data != NULL ? right.data : "3");
    tirbi_text_free(&right);
}

/* Sometimes a few conditions on the sizes, and an assertion that is none. */
static void requirements_text(tirbi_gen *g, const char *pad, tirbi_text *out) {
    bool any = false;
    for (uint32_t i = 0; i < g->n_symbols; i++) any = any || g->symbols[i].used;
    if (!any || !tirbi_gen_chance(g, 70)) return;
    uint32_t n = 1 + tirbi_gen_pick(g, 3);
    tirbi_text_add(out, "%s    T.func_attr({\"tirb.requires\": %u})\n", pad, (unsigned)n);
    for (uint32_t i = 0; i < n + 1; i++) {
        if (i == n && tirbi_gen_chance(g, 50)) continue;
        tirbi_text_add(out, "%s    assert ", pad);
        requirement_text(g, out);
        if (i < n && tirbi_gen_chance(g, 25)) {
            tirbi_text_add(out, " and ");
            requirement_text(g, out);
        }
        tirbi_text_add(out, ", \"%s\"\n", i < n ? TIRBI_GEN_REQUIRED : "not required");
    }
}

/* `T.Buffer` parameters in one spelling, handles with match_buffer in the other. */
static void main_function(tirbi_gen *g, tirbi_text *out) {
    const char *pad = g->calls ? "    " : "";
    bool handles = g->classic && tirbi_gen_chance(g, 50);
    bool quoted[TIRBI_GEN_SYMBOLS] = {false};
    tirbi_text_add(out, "%s@T.prim_func%s\n%sdef main(", pad, g->classic ? "" : "(s_tir=True)", pad);
    bool first = true;
    for (uint32_t i = 0; i < g->n_buffers; i++) {
        const tirbi_gen_buffer *b = &g->buffers[i];
        if (!b->param) continue;
        tirbi_text_add(out, "%s", first ? "" : ", ");
        first = false;
        if (handles) {
            tirbi_text_add(out, "h_%s: T.handle", b->name);
            continue;
        }
        tirbi_text_add(out, "%s: T.Buffer(", b->name);
        shape_text(g, b, quoted, out);
        tirbi_text_add(out, ", \"%s\")", tirbi_dtypes[b->type].tvm_name);
    }
    for (uint32_t i = 0; i < g->n_scalars; i++) {
        const tirbi_gen_scalar *s = &g->scalars[i];
        tirbi_text_add(out, "%s%s: T.%s", first ? "" : ", ", s->name, tirbi_dtypes[s->type].tvm_name);
        first = false;
    }
    tirbi_text_add(out, "):\n");
    for (uint32_t i = 0; i < g->n_symbols; i++) {
        if (g->symbols[i].used) tirbi_text_add(out, "%s    %s = T.int32()\n", pad, g->symbols[i].name);
    }
    for (uint32_t i = 0; handles && i < g->n_buffers; i++) {
        const tirbi_gen_buffer *b = &g->buffers[i];
        if (!b->param) continue;
        tirbi_text_add(out, "%s    %s = T.match_buffer(h_%s, ", pad, b->name, b->name);
        shape_text(g, b, NULL, out);
        tirbi_text_add(out, ", \"%s\")\n", tirbi_dtypes[b->type].tvm_name);
    }
    aliases_text(g, pad, out);
    requirements_text(g, pad, out);
    tirbi_text_add(out, "%s", g->body.data != NULL ? g->body.data : "");
}

/* Whether a parameter binds each symbol that is used: without one it has no value. */
static void bind_symbols(tirbi_gen *g) {
    for (int s = 0; s < (int)g->n_symbols; s++) {
        bool bound = !g->symbols[s].used;
        for (uint32_t i = 0; i < g->n_buffers; i++) {
            for (uint32_t d = 0; d < g->buffers[i].ndim; d++) {
                bound = bound || (g->buffers[i].param && g->buffers[i].dims[d].symbol == s);
            }
        }
        tirbi_gen_dim dim = {.value = g->symbols[s].value, .symbol = s};
        if (!bound) tirbi_gen_new_buffer(g, "sized", TIRB_F32, 1, &dim, true, false);
    }
}

void tirbi_generate(tirbi_gen *g, uint64_t seed, tirbi_text *out) {
    static const int64_t extents[] = {0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129};
    *g = (tirbi_gen){.random = {.state = seed * 0x2545f4914f6cdd1dull + 12345}, .work = 1};
    g->classic = tirbi_gen_chance(g, 50);
    g->may_trap = tirbi_gen_chance(g, 20);
    g->n_symbols = tirbi_gen_chance(g, 35) ? 1 + tirbi_gen_pick(g, 2) : 0;
    for (uint32_t i = 0; i < g->n_symbols; i++) {
        g->symbols[i].value = extents[tirbi_gen_pick(g, sizeof extents / sizeof *extents)];
        if (tirbi_gen_chance(g, 15)) g->symbols[i].value = tirbi_gen_large_extent(g);
        snprintf(g->symbols[i].name, TIRBI_GEN_NAME, "%c", "nmk"[i]);
    }
    g->far = seed % FAR_APART == FAR_APART - 1;
    uint32_t n_stages = g->far ? 1 : 1 + tirbi_gen_pick(g, 3);
    g->calls = tirbi_gen_chance(g, 15);
    g->host = tirbi_gen_chance(g, g->calls ? 35 : 15);
    g->indent = g->calls ? 2 : 1;
    for (uint32_t i = 0; i < n_stages; i++) {
        g->n_vars = 0;
        if (i == 0 && seed % 3 == 1) tirbi_gen_wrapping_stage(g);
        else tirbi_gen_stage(g);
    }
    if (seed % 4 == 0 && !g->far) tirbi_gen_function(g, seed / 4);
    if (g->body.data == NULL) tirbi_gen_line(g, "pass"); /* there was no room for what was to be made */
    bind_symbols(g);
    tirbi_text_add(out, "from tvm.script import ir as I\nfrom tvm.script import %s as T\n\n",
                   g->classic ? "tir" : "tirx");
    if (g->calls) tirbi_text_add(out, "@I.ir_module\nclass Module:\n%s", g->head.data != NULL ? g->head.data : "");
    main_function(g, out);
    tirbi_text_free(&g->head);
    tirbi_text_free(&g->body);
}
