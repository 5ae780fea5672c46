#include "compiler/lower/library.h"

#include <string.h>

#include "compiler/ir/builder.h"
#include "compiler/ir/equal.h"
#include "compiler/ir/visit.h"
#include "compiler/text/text.h"

/* ---- The functions ---------------------------------------------------------------------------------------------- */

/* Which arrays a function has besides the data, in the order of the call. */
enum { HAS_COUNTS = 1, HAS_VALUES = 2, HAS_NUMBERS = 4, HAS_K = 8 };

typedef struct library_function {
    const char *name;
    unsigned has;
    const char *arguments; /* for messages */
} library_function;

static const library_function functions[] = {
    {"tvm.contrib.sort.sort", HAS_VALUES, "data, values, axis, is_ascend"},
    {"tvm.contrib.sort.argsort", HAS_NUMBERS, "data, numbers, axis, is_ascend"},
    {"tvm.contrib.sort.argsort_nms", HAS_COUNTS | HAS_NUMBERS, "data, counts, numbers, axis, is_ascend"},
    {"tvm.contrib.sort.topk", HAS_K, "data, the arrays, k, axis, \"both\" or \"values\" or \"indices\", is_ascend"},
};

/* Sorts the numbers of a row's elements by keys: unsigned numbers in the order of the elements, alike where these are
 * equal, and the greatest one for NaNs, which come last in either direction. A short row counts for each key those
 * before it; others are sorted by one byte of the keys after the other, from the lowest on, but for bytes that are all
 * alike. The data are outer * extent * inner elements of which `extent` make a row; each row gives `kept` results. A
 * row is read before it is written, so a call may sort in place. */
static const char sort_text[] =
    "@T.prim_func(private=True)\n"
    "def sort(data: T.Buffer((\"outer * extent * inner\",), \"%s\"), %s%s%souter: T.int64, extent: T.int64, kept: "
    "T.int64,\n"
    "         inner: T.int64, ascend: T.bool):\n"
    "    T.func_attr({\"tirb.may_alias\": [%s]})\n"
    "    row = T.alloc_buffer((extent,), \"%s\")\n"
    "    key = T.alloc_buffer((extent,), \"%s\")\n"
    "    order = T.alloc_buffer((extent,), \"int64\")\n"
    "    next_order = T.alloc_buffer((extent,), \"int64\")\n"
    "    digit = T.alloc_buffer((extent,), \"uint8\")\n"
    "    start = T.alloc_buffer((T.int64(256),), \"int64\")\n"
    "    near = T.alloc_buffer((T.int64(64),), \"%s\")\n"
    "    place = T.alloc_buffer((T.int64(64),), \"int64\")\n"
    "    for o, i in T.grid(outer, inner):\n"
    "        count: T.int64 = %s\n"
    "        for k in range(extent):\n"
    "            row[k] = data[(o * extent + k) * inner + i]\n"
    "            order[k] = k\n"
    "        for k in range(count):\n"
    "            x: T.let = row[k]\n"
    "%s"
    "%s"
    "        few: T.let[T.int64] = T.min(count, T.int64(64))\n"
    "        if count <= few:\n"
    "%s"
    "            for k in range(few):\n"
    "                next_order[place[k]] = order[k]\n"
    "            for k in range(few):\n"
    "                order[k] = next_order[k]\n"
    "        else:\n"
    "            for byte in range(T.int64(%u)):\n"
    "                for d in range(T.int64(256)):\n"
    "                    start[d] = T.int64(0)\n"
    "                for k in range(count):\n"
    "                    digit[k] = T.cast(key[order[k]] >> T.cast(byte * T.int64(8), \"%s\"), \"uint8\")\n"
    "                for k in range(count):\n"
    "                    start[digit[k]] = start[digit[k]] + T.int64(1)\n"
    "                if start[digit[T.int64(0)]] < count:\n"
    "                    before: T.int64 = T.int64(0)\n"
    "                    for d in range(T.int64(256)):\n"
    "                        n: T.let = start[d]\n"
    "                        start[d] = before\n"
    "                        before = before + n\n"
    "                    for k in range(count):\n"
    "                        d: T.let = digit[k]\n"
    "                        at: T.let = start[d]\n"
    "                        next_order[at] = order[k]\n"
    "                        start[d] = at + T.int64(1)\n"
    "                    for k in range(count):\n"
    "                        order[k] = next_order[k]\n"
    "        for k in range(T.min(kept, extent)):\n"
    "%s%s";

/* Keys of up to 32 bits stand in 64, where the place of the element can stand below them: no two are equal then. */
static const char count_narrow[] =
    "            for k in range(few):\n"
    "                near[k] = key[order[k]] * T.int64(64) + k\n"
    "            for k in range(few):\n"
    "                place[k] = T.int64(0)\n"
    "                for j in range(few):\n"
    "                    place[k] = place[k] - ((near[j] - near[k]) >> T.int64(63))\n";
static const char count_wide[] = "            for k in range(few):\n"
                                 "                near[k] = key[order[k]]\n"
                                 "            for k in range(few):\n"
                                 "                place[k] = T.int64(0)\n"
                                 "                for j in range(few):\n"
                                 "                    place[k] = place[k] + T.cast(near[j] < near[k] or (near[j] == "
                                 "near[k] and j < k), \"int64\")\n";
/* Where few results are asked for, the highest byte of the last of them is found, then the next one; what is above that
 * is left out. */
static const char few_first[] =
    "        if T.int64(64) < count and kept <= count // T.int64(8):\n"
    "            least: T.%s = T.%s(0)\n"
    "            left: T.int64 = kept\n"
    "            for level in range(T.int64(%u)):\n"
    "                shift: T.let = T.cast(T.int64(%u) - level * T.int64(8), \"%s\")\n"
    "                for d in range(T.int64(256)):\n"
    "                    start[d] = T.int64(0)\n"
    "                for k in range(count):\n"
    "                    digit[k] = T.cast(key[k] >> shift, \"uint8\")\n"
    "                for k in range(count):\n"
    "                    start[digit[k]] = start[digit[k]] + T.cast(key[k] >> shift >> T.%s(8) == least, \"int64\")\n"
    "                d: T.int64 = T.int64(0)\n"
    "                while start[d] < left:\n"
    "                    left = left - start[d]\n"
    "                    d = d + T.int64(1)\n"
    "                least = least * T.%s(256) + T.cast(d, \"%s\")\n"
    "            found: T.int64 = T.int64(0)\n"
    "            for k in range(count):\n"
    "                if key[k] >> T.%s(%u) <= least:\n"
    "                    order[found] = k\n"
    "                    found = found + T.int64(1)\n"
    "            count = found\n";
/* The bits of a float, all of them inverted where it is below zero, the highest one else. */
static const char float_key[] =
    "            bits: T.let = T.reinterpret(\"uint%u\", x)\n"
    "            magnitude: T.let = T.Select(x == T.cast(T.float32(0), \"%s\"), T.uint%u(0), bits)\n"
    "            up: T.let = T.Select(x < T.cast(T.float32(0), \"%s\"), ~bits, magnitude | T.uint%u(%s))\n"
    "            key[k] = T.cast(T.Select(x != x, ~T.uint%u(0), T.Select(ascend, up, ~up)), \"%s\")\n";
static const char integer_key[] =
    "            up: T.let = T.cast(x, \"uint%u\") ^ T.uint%u(%s)\n"
    "            key[k] = T.cast(T.Select(ascend, up, ~up), \"%s\")\n";

static const char counts_parameter[] = "counts: T.Buffer((\"outer * inner\",), \"int32\"), ";
static const char values_parameter[] = "values: T.Buffer((\"outer * kept * inner\",), \"%s\"), ";
static const char numbers_parameter[] = "numbers: T.Buffer((\"outer * kept * inner\",), \"%s\"), ";
static const char counted[] = "T.max(T.min(T.Cast(\"int64\", counts[o * inner + i]), extent), T.int64(0))";
static const char values_line[] = "            values[(o * kept + k) * inner + i] = row[order[k]]\n";
static const char numbers_line[] = "            numbers[(o * kept + k) * inner + i] = T.cast(order[k], \"%s\")\n";

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

typedef struct library_call {
    const library_function *function;
    const tirb_expr *call;
    unsigned has;
    const tirb_expr *data, *counts, *values, *numbers; /* variables of buffers; NULL: none */
    const tirb_expr *k, *ascend;
    uint32_t axis;
} library_call;

static const library_function *function_of(const tirb_expr *e) {
    bool packed = e->kind == TIRB_EXPR_CALL && !e->as.call.function && !e->as.call.function_name &&
                  (e->as.call.builtin == TIRB_BUILTIN_CALL_PACKED || e->as.call.builtin == TIRB_BUILTIN_CALL_CPACKED);
    if (!packed || e->as.call.n_args == 0 || e->as.call.args[0]->kind != TIRB_EXPR_STRING_IMM) return NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, e->as.call.args[0]->as.string.text) == 0) return &functions[i];
    return NULL;
}

bool tirbi_is_library_call(const tirb_expr *call) { return function_of(call) != NULL; }

static bool refuse(const library_call *c, tirbi_diagnostics *diagnostics, const char *what) {
    tirbi_report_error(diagnostics, TIRB_TYPE, c->call->span, "%s: '%s' takes %s", what, c->function->name,
                       c->function->arguments);
    return false;
}

/* The variable of the buffer that an argument is all of, or NULL. */
static const tirb_expr *whole_buffer(const tirb_expr *e) {
    const tirb_buffer *array = tirbi_whole_array(e);
    if (array) return array->data->as.var.data_of == array ? array->data : NULL;
    if (e->kind == TIRB_EXPR_CALL && !e->as.call.function && e->as.call.builtin == TIRB_BUILTIN_BUFFER_DATA)
        e = e->as.call.args[0];
    return e->kind == TIRB_EXPR_VAR && e->as.var.data_of ? e : NULL;
}

static bool is_number_type(tirb_datatype t) {
    return t.lanes == 1 && (tirbi_type_is_int(t) || t.code == TIRB_CODE_FLOAT || t.code == TIRB_CODE_BFLOAT) &&
           t.bits >= 8;
}

static bool read_arrays(library_call *c, tirbi_diagnostics *diagnostics, uint32_t *at) {
    const tirb_expr **arrays[] = {&c->data, &c->counts, &c->values, &c->numbers};
    for (unsigned i = 0; i < 4; i++) {
        if (i > 0 && !(c->has & 1u << (i - 1))) continue;
        *arrays[i] = whole_buffer(c->call->as.call.args[(*at)++]);
        if (!*arrays[i]) return refuse(c, diagnostics, "an array that is not all of a buffer of this function");
        if (!is_number_type((*arrays[i])->as.var.data_of->dtype))
            return refuse(c, diagnostics, "an array whose elements are no numbers");
    }
    const tirb_buffer *data = c->data->as.var.data_of;
    for (unsigned i = 2; i < 4; i++) {
        if (*arrays[i] && (*arrays[i])->as.var.data_of->ndim != data->ndim)
            return refuse(c, diagnostics, "arrays of different ranks");
    }
    if (c->values && !tirb_datatype_equal(c->values->as.var.data_of->dtype, data->dtype))
        return refuse(c, diagnostics, "values of another type than the data");
    static const tirb_datatype i32 = {TIRB_CODE_INT, 32, 1, false};
    return !c->counts || tirb_datatype_equal(c->counts->as.var.data_of->dtype, i32) ||
           refuse(c, diagnostics, "counts that are not int32");
}

/* topk says with a string which arrays it has. */
static unsigned arrays_of(const library_function *f, const tirb_expr *call) {
    if (!(f->has & HAS_K)) return f->has;
    uint32_t n = call->as.call.n_args;
    const tirb_expr *which = n >= 3 ? call->as.call.args[n - 2] : NULL;
    const char *text = which && which->kind == TIRB_EXPR_STRING_IMM ? which->as.string.text : "";
    if (strcmp(text, "both") == 0) return HAS_K | HAS_VALUES | HAS_NUMBERS;
    if (strcmp(text, "values") == 0) return HAS_K | HAS_VALUES;
    return strcmp(text, "indices") == 0 ? HAS_K | HAS_NUMBERS : 0;
}

static bool read_call(const tirb_expr *call, tirbi_diagnostics *diagnostics, library_call *c) {
    *c = (library_call){.function = function_of(call), .call = call};
    c->has = arrays_of(c->function, call);
    uint32_t expected = 1 + 1 + 2 + (c->has & HAS_K ? 2 : 0), at = 1;
    for (unsigned i = 0; i < 3; i++) expected += c->has >> i & 1;
    if (c->has == 0 || call->as.call.n_args != expected) return refuse(c, diagnostics, "a wrong list of arguments");
    if (!read_arrays(c, diagnostics, &at)) return false;
    if (c->has & HAS_K) c->k = call->as.call.args[at++];
    const tirb_expr *axis = call->as.call.args[at++];
    if (c->has & HAS_K) at++;
    c->ascend = call->as.call.args[at];
    int64_t rank = c->data->as.var.data_of->ndim;
    if (axis->kind != TIRB_EXPR_INT_IMM || axis->as.int_value < -rank || axis->as.int_value >= rank)
        return refuse(c, diagnostics, "an axis that is no constant below the rank");
    c->axis = (uint32_t)(axis->as.int_value < 0 ? axis->as.int_value + rank : axis->as.int_value);
    return true;
}

/* ---- Making functions ------------------------------------------------------------------------------------------- */

typedef struct library {
    tirbi_visitor visitor;
    tirbi_arena *arena;
    tirbi_diagnostics *diagnostics;
    tirb_irmodule *module; /* grows */
    tirb_primfunc **functions;
    uint32_t capacity;
} library;

static const char *type_text(tirbi_arena *arena, const tirb_expr *data) {
    char text[32];
    const char *name = tirb_datatype_text(data->as.var.data_of->dtype, text);
    return tirbi_arena_text(arena, name, strlen(name));
}

/* One function serves all calls with the same arrays of the same types. */
static const char *name_of(tirbi_arena *arena, const library_call *c) {
    return tirbi_arena_format(arena, "%s.%s%s%s.%s", c->function->name, type_text(arena, c->data),
                              c->counts ? ".counts" : "", c->values ? ".values" : "",
                              c->numbers ? type_text(arena, c->numbers) : "only");
}

static const tirb_primfunc *find_function(const tirb_irmodule *module, const char *name) {
    for (uint32_t i = module->n_functions - module->n_library; i < module->n_functions; i++)
        if (strcmp(module->functions[i]->name, name) == 0) return module->functions[i];
    return NULL;
}

/* The line or lines that make the key of element x, of the type `key`. */
static const char *key_text(tirbi_arena *arena, tirb_datatype type, const char *name, const char *key) {
    const unsigned bits = type.bits;
    const char *top = bits == 8 ? "0x80" : bits == 16 ? "0x8000" : bits == 32 ? "0x80000000" : "0x8000000000000000";
    if (!tirbi_type_is_int(type))
        return tirbi_arena_format(arena, float_key, bits, name, bits, name, bits, top, bits, key);
    return tirbi_arena_format(arena, integer_key, bits, bits, type.code == TIRB_CODE_INT ? top : "0", key);
}

static const char *text_of(tirbi_arena *arena, const library_call *c) {
    const tirb_datatype type = c->data->as.var.data_of->dtype;
    const bool wide = type.bits == 64;
    const char *name = type_text(arena, c->data), *number = c->numbers ? type_text(arena, c->numbers) : "";
    const char *values = c->values ? tirbi_arena_format(arena, values_parameter, name) : "";
    const char *numbers = c->numbers ? tirbi_arena_format(arena, numbers_parameter, number) : "";
    const char *numbering = c->numbers ? tirbi_arena_format(arena, numbers_line, number) : "";
    const char *aliases =
        c->values && c->numbers   ? "(\"data\", \"values\"), (\"data\", \"numbers\"), (\"values\", \"numbers\")"
        : c->counts && c->numbers ? "(\"data\", \"counts\"), (\"data\", \"numbers\"), (\"counts\", \"numbers\")"
        : c->values               ? "(\"data\", \"values\")"
                                  : "(\"data\", \"numbers\")";
    const char *key = wide ? "uint64" : "int64", *making = key_text(arena, type, name, key);
    const unsigned bytes = type.bits / 8u, levels = bytes < 2 ? bytes : 2, last = type.bits - 8 * levels;
    const char *few = c->has & HAS_K ? tirbi_arena_format(arena, few_first, key, key, levels, type.bits - 8u, key, key,
                                                          key, key, key, last)
                                     : "";
    if (!making || !few) return NULL;
    return tirbi_arena_format(arena, sort_text, name, c->counts ? counts_parameter : "", values, numbers, aliases, name,
                              key, key, c->counts ? counted : "extent", making, few, wide ? count_wide : count_narrow,
                              bytes, key, c->values ? values_line : "", numbering);
}

static void add_function(library *l, const char *name, const char *text) {
    tirb_irmodule *m = l->module;
    tirbi_source source;
    tirbi_diagnostics own;
    if (!tirbi_source_init(&source, "tirb's library", text, (uint32_t)strlen(text), l->arena)) return;
    tirbi_diagnostics_init(&own, &source, l->arena, 1);
    const tirb_irmodule *parsed = tirbi_parse_behind(m, &source, l->arena, &own);
    if (!parsed || parsed->n_functions != 1) {
        l->arena->failed = true; /* the text is ours: only memory can be missing */
        return;
    }
    if (m->n_functions == l->capacity) {
        uint32_t capacity = l->capacity + m->n_library + 4;
        tirb_primfunc **grown = TIRBI_NEW_ARRAY(l->arena, tirb_primfunc *, capacity);
        if (!grown) return;
        if (m->n_functions) memcpy(grown, m->functions, m->n_functions * sizeof *grown);
        l->functions = grown;
        l->capacity = capacity;
        m->functions = grown;
    }
    tirb_primfunc *f = parsed->functions[0];
    f->name = name;
    f->index = m->n_functions;
    l->functions[m->n_functions++] = f;
    m->n_library++;
    m->n_vars = parsed->n_vars;
    m->n_buffers = parsed->n_buffers;
}

static void find_call(tirbi_visitor *visitor, const tirb_expr *e) {
    library *l = visitor->context;
    library_call c;
    if (function_of(e) && read_call(e, l->diagnostics, &c)) {
        const char *name = name_of(l->arena, &c);
        const char *text = name && !find_function(l->module, name) ? text_of(l->arena, &c) : NULL;
        if (text) add_function(l, name, text);
    }
    tirbi_visit_expr(visitor, e);
}

const tirb_irmodule *tirbi_add_library(const tirb_irmodule *module, tirbi_arena *arena,
                                       tirbi_diagnostics *diagnostics) {
    tirb_irmodule *grown = TIRBI_NEW(arena, tirb_irmodule);
    if (!grown) return NULL;
    *grown = *module;
    library l = {.arena = arena, .diagnostics = diagnostics, .module = grown, .capacity = module->n_functions};
    l.visitor = (tirbi_visitor){.expr = find_call, .stmt = tirbi_visit_stmt, .context = &l};
    for (uint32_t i = 0; i < module->n_functions; i++)
        if (module->functions[i]->body) tirbi_visit_stmt(&l.visitor, module->functions[i]->body);
    return arena->failed || tirbi_has_errors(diagnostics) ? NULL : grown;
}

/* ---- Making calls ----------------------------------------------------------------------------------------------- */

/* The product of the extents from `first` to before `end`. */
static const tirb_expr *product(tirbi_builder *b, const library_call *c, uint32_t first, uint32_t end) {
    const tirb_buffer *data = c->data->as.var.data_of;
    const tirb_expr *all = tirbi_make_int(b, c->call->span, tirbi_type_i64, 1);
    for (uint32_t i = first; i < end; i++) {
        const tirb_expr *extent = tirbi_make_cast(b, c->call->span, tirbi_type_i64, data->shape[i]);
        all = tirbi_make_binary(b, c->call->span, TIRB_EXPR_MUL, all, extent);
    }
    return all;
}

/* How many results each row gives: topk's k, where it is above 0. */
static const tirb_expr *kept_of(tirbi_builder *b, const library_call *c, const tirb_expr *extent) {
    if (!c->k) return extent;
    tirbi_span span = c->call->span;
    const tirb_expr *k = tirbi_make_cast(b, span, tirbi_type_i64, c->k);
    const tirb_expr *some = tirbi_make_compare(b, span, TIRB_EXPR_GE, k, tirbi_make_int(b, span, tirbi_type_i64, 1));
    return tirbi_make_if_then_else(b, span, some, k, extent);
}

const tirb_expr *tirbi_library_call(const tirb_irmodule *module, const tirb_expr *call, tirbi_arena *arena,
                                    tirbi_diagnostics *diagnostics) {
    library_call c;
    tirbi_builder b;
    if (!read_call(call, diagnostics, &c)) return NULL;
    const char *name = name_of(arena, &c);
    const tirb_primfunc *f = name ? find_function(module, name) : NULL;
    tirb_expr *made = tirbi_copy_expr(arena, call);
    const tirb_expr **args = TIRBI_NEW_ARRAY(arena, const tirb_expr *, 9);
    if (!f || !made || !args) return NULL;
    tirbi_builder_init(&b, arena, diagnostics);
    const tirb_expr *extent = product(&b, &c, c.axis, c.axis + 1);
    const tirb_expr *parts[] = {c.data,
                                c.counts,
                                c.values,
                                c.numbers,
                                product(&b, &c, 0, c.axis),
                                extent,
                                kept_of(&b, &c, extent),
                                product(&b, &c, c.axis + 1, c.data->as.var.data_of->ndim),
                                tirbi_make_cast(&b, call->span, tirbi_type_bool, c.ascend)};
    uint32_t n = 0;
    for (uint32_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i]) args[n++] = parts[i];
    if (n != f->n_params) return NULL;
    made->as.call.function = f;
    made->as.call.args = args;
    made->as.call.n_args = n;
    return made;
}
