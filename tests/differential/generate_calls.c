/* Calls: of other functions of the module, with arguments that may overlap, and of functions of the host (host.h). */
#include <stdio.h>

#include "tests/differential/generate.h"

static const char *type_name(tirbi_dtype type) { return tirbi_dtypes[type].tvm_name; }

static tirbi_dtype number_type(tirbi_gen *g) {
    tirbi_dtype type = tirbi_gen_chance(g, 60) ? TIRB_F32 : tirbi_gen_type(g);
    return type == TIRB_BOOL ? TIRB_I32 : type;
}

/* ---- Functions of the module ------------------------------------------------------------------------------------- */

/* What a function does to Y, which it writes, with X: in an order that shows where they share memory. */
static void body_text(tirbi_gen *g, tirbi_text *out, const char *rows, int64_t columns) {
    static const char *const updates[] = {"Y[i, j] = Y[i, j] + X[i, j] * s", "Y[i, j] = X[i, %lld - j] + s",
                                          "Y[i, %lld - j] = X[i, j] * s", "Y[i, j] = T.max(X[i, j], Y[i, %lld - j])"};
    tirbi_text_add(out, "        for i, j in T.grid(%s, %lld):\n            ", rows, (long long)columns);
    const char *update = updates[tirbi_gen_pick(g, 4)];
    for (const char *p = update; *p; p++) {
        if (*p == '%') {
            tirbi_text_add(out, "%lld", (long long)columns - 1);
            p += 3;
        } else {
            tirbi_text_add(out, "%c", *p);
        }
    }
    tirbi_text_add(out, "\n\n");
}

/* def name(X, Y, s), sometimes by way of another function, sometimes for arguments that share memory. */
static void callee(tirbi_gen *g, const char *name, tirbi_dtype type, const char *rows, bool symbolic, int64_t columns) {
    tirbi_text *h = &g->head;
    char inner[TIRBI_GEN_NAME];
    bool relayed = tirbi_gen_chance(g, 25);
    bool may_alias = tirbi_gen_chance(g, 40);
    if (relayed) {
        tirbi_gen_name(g, "f", inner);
        callee(g, inner, type, rows, symbolic, columns);
    }
    const char *quote = symbolic ? "\"" : "";
    tirbi_text_add(h, "    @T.prim_func%s\n    def %s(", g->classic ? "(private=True)" : "(private=True, s_tir=True)",
                   name);
    tirbi_text_add(h, "X: T.Buffer((%s%s%s, %lld), \"%s\"), ", quote, rows, quote, (long long)columns, type_name(type));
    tirbi_text_add(h, "Y: T.Buffer((%s, %lld), \"%s\"), s: T.%s):\n", rows, (long long)columns, type_name(type),
                   type_name(type));
    if (symbolic) tirbi_text_add(h, "        p = T.int32()\n");
    if (may_alias) tirbi_text_add(h, "        T.func_attr({\"tirb.may_alias\": [[\"X\", \"Y\"]]})\n");
    if (symbolic && tirbi_gen_chance(g, 30)) { /* an assertion in a call of the module */
        tirbi_text_add(h, "        T.func_attr({\"tirb.requires\": 1})\n        assert p * %lld >= %d, \"callee\"\n",
                       (long long)columns, tirbi_gen_chance(g, 10) ? 40 : 0);
    }
    if (g->host && tirbi_gen_chance(g, 50)) {
        const char *view = tirbi_gen_chance(g, 50) ? "X" : "Y"; /* which it then writes */
        tirbi_text_add(h, "        T.evaluate(T.call_extern(\"void\", \"stir\", %s.data, s))\n", view);
    }
    if (relayed) {
        tirbi_text_add(h, "        Module.%s(%s, s)\n\n", inner, tirbi_gen_chance(g, 70) ? "X, Y" : "Y, X");
    } else {
        body_text(g, h, rows, columns);
    }
}

/* Some of the rows of a buffer, as the address of the first or as a region. */
static void part_text(tirbi_gen *g, const tirbi_gen_buffer *b, int64_t rows, const char *var, tirbi_text *out) {
    int64_t room = b->dims[0].value - rows;
    int64_t first = room > 0 ? (int64_t)tirbi_gen_pick(g, (uint32_t)room + 1) : 0;
    bool region = tirbi_gen_chance(g, 50);
    char start[TIRBI_GEN_NAME + 24];
    if (var != NULL && first > 0) snprintf(start, sizeof start, "%s", var);
    else snprintf(start, sizeof start, "%lld", (long long)first);
    if (region)
        tirbi_text_add(out, "%s[%s:%s + %lld, 0:%lld]", b->name, start, start, (long long)rows,
                       (long long)b->dims[1].value);
    else tirbi_text_add(out, "T.address_of(%s[%s, 0])", b->name, start);
}

/* All of a buffer: its name, its data, or a view of its shape or the data of one. */
static void whole_text(tirbi_gen *g, const tirbi_gen_buffer *b, tirbi_text *out) {
    char view[TIRBI_GEN_NAME];
    bool viewed = tirbi_gen_chance(g, 15);
    if (viewed) {
        tirbi_text shape = {.data = NULL};
        for (uint32_t i = 0; i < b->ndim; i++) {
            if (i > 0) tirbi_text_add(&shape, ", ");
            tirbi_gen_dim_text(g, &b->dims[i], &shape);
        }
        tirbi_gen_name(g, "v", view);
        tirbi_gen_line(g, "%s = T.decl_buffer((%s), \"%s\", data=%s.data)", view, shape.data, type_name(b->type),
                       b->name);
        tirbi_text_free(&shape);
    }
    tirbi_text_add(out, "%s%s", viewed ? view : b->name, tirbi_gen_chance(g, 20) ? ".data" : "");
}

/* A call with whole buffers, the same one twice now and then. */
static void call_whole(tirbi_gen *g, const char *f, const tirbi_gen_buffer *a, const tirbi_gen_buffer *o,
                       const char *s) {
    const tirbi_gen_buffer *first = tirbi_gen_chance(g, 15) ? o : a;
    tirbi_text x = {.data = NULL};
    tirbi_text y = {.data = NULL};
    whole_text(g, first, &x);
    whole_text(g, o, &y);
    tirbi_gen_line(g, "Module.%s(%s, %s, %s)", f, x.data, y.data, s);
    tirbi_text_free(&x);
    tirbi_text_free(&y);
}

/* Calls with rows of one buffer or of two, in a loop over the first row or not. */
static void call_parts(tirbi_gen *g, const char *f, const tirbi_gen_buffer *a, const tirbi_gen_buffer *o, int64_t rows,
                       const char *s) {
    tirbi_text x = {.data = NULL};
    tirbi_text y = {.data = NULL};
    char i[TIRBI_GEN_NAME];
    int64_t room = o->dims[0].value - rows;
    bool looped = room > 0 && tirbi_gen_chance(g, 40);
    const tirbi_gen_buffer *first = tirbi_gen_chance(g, 60) ? o : a;
    tirbi_gen_name(g, "r", i);
    part_text(g, first, rows, looped ? i : NULL, &x);
    part_text(g, o, rows, NULL, &y);
    if (looped) tirbi_gen_line(g, "for %s in range(%lld):", i, (long long)room + 1);
    tirbi_gen_line(g, "%sModule.%s(%s, %s, %s)", looped ? "    " : "", f, x.data, y.data, s);
    tirbi_text_free(&x);
    tirbi_text_free(&y);
}

void tirbi_gen_call(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    tirbi_gen_dim dims[2] = {tirbi_gen_some_dim(g), tirbi_gen_constant(1 + tirbi_gen_pick(g, 40))};
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 2, dims);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 2, dims);
    if (a == NULL || o == NULL) return;
    char f[TIRBI_GEN_NAME];
    char rows[40];
    int64_t n_rows = dims[0].value;
    bool parts = dims[0].symbol < 0 && n_rows > 1 && tirbi_gen_chance(g, 40);
    bool symbolic = !parts && (tirbi_gen_chance(g, 50) || dims[0].symbol >= 0);
    if (parts) n_rows = 1 + (int64_t)tirbi_gen_pick(g, (uint32_t)(n_rows < 6 ? n_rows : 6) - 1);
    snprintf(rows, sizeof rows, "%lld", (long long)n_rows);
    if (symbolic) snprintf(rows, sizeof rows, "p");
    tirbi_gen_name(g, "f", f);
    callee(g, f, type, rows, symbolic, dims[1].value);
    tirbi_text s = {.data = NULL};
    tirbi_gen_expr(g, type, 1, &s);
    if (parts) call_parts(g, f, a, o, n_rows, s.data);
    else call_whole(g, f, a, o, s.data);
    tirbi_text_free(&s);
}

/* ---- Functions of the host --------------------------------------------------------------------------------------- */

/* A buffer as an argument: all of it, or what follows one of its elements. */
static void view_text(tirbi_gen *g, const tirbi_gen_buffer *b, tirbi_text *out) {
    bool empty = b->ndim == 0;
    for (uint32_t i = 0; i < b->ndim; i++) empty = empty || b->dims[i].value == 0;
    if (empty || tirbi_gen_chance(g, 60)) {
        tirbi_text_add(out, "%s.data", b->name);
        return;
    }
    tirbi_text_add(out, "T.address_of(");
    tirbi_gen_load(g, b, out);
    tirbi_text_add(out, ")");
}

/* T.call_extern("type", "name", ...): scalars of any types and views of any buffers. */
static void host_call(tirbi_gen *g, const char *builtin, const char *type, const char *name, bool views,
                      tirbi_text *out) {
    uint32_t n = tirbi_gen_pick(g, 4);
    tirbi_text_add(out, "T.%s(", builtin);
    if (type != NULL) tirbi_text_add(out, "\"%s\", ", type);
    tirbi_text_add(out, "\"%s\"", name);
    for (uint32_t i = 0; i < n; i++) {
        tirbi_text_add(out, ", ");
        if (views && g->n_buffers > 0 && tirbi_gen_chance(g, 40)) {
            view_text(g, &g->buffers[tirbi_gen_pick(g, g->n_buffers)], out);
        } else if (tirbi_gen_chance(g, 10)) {
            host_call(g, "call_extern", "int32", "stir", false, out);
        } else {
            tirbi_gen_expr(g, tirbi_gen_type(g), 1, out);
        }
    }
    tirbi_text_add(out, ")");
}

static const char *some_function(tirbi_gen *g) {
    if (!g->may_trap || !tirbi_gen_chance(g, 15)) return "stir";
    return tirbi_gen_chance(g, 90) ? "moody" : "absent";
}

/* A value of the type that the host gives: alone, as an operand, or as one of two that are chosen from. */
static void host_value(tirbi_gen *g, tirbi_dtype type, tirbi_text *out) {
    static const char *const infix[] = {" + ", " - ", " * "}, *const prefix[] = {"T.min(", "T.max(", "T.Select(True, "};
    bool pure = tirbi_gen_chance(g, 30);
    const char *builtin = pure ? "call_pure_extern" : "call_extern", *name = pure ? "pure" : some_function(g);
    uint32_t form = tirbi_gen_pick(g, 5), which = tirbi_gen_pick(g, 3);
    bool last = tirbi_gen_chance(g, 50);
    if (type == TIRB_BOOL || form > 2) {
        host_call(g, builtin, type_name(type), name, true, out);
        return;
    }
    if (form == 0) {
        tirbi_text_add(out, "%s", prefix[which]);
    } else if (form == 1) {
        tirbi_text_add(out, tirbi_gen_chance(g, 50) ? "T.if_then_else(" : "T.Select(");
        tirbi_gen_condition(g, 1, out);
        tirbi_text_add(out, ", ");
    }
    if (last) {
        tirbi_gen_expr(g, type, 2, out);
        tirbi_text_add(out, "%s", form == 2 ? infix[which] : ", ");
    }
    host_call(g, builtin, type_name(type), name, true, out);
    if (!last) {
        tirbi_text_add(out, "%s", form == 2 ? infix[which] : ", ");
        tirbi_gen_expr(g, type, 2, out);
    }
    if (form != 2) tirbi_text_add(out, ")");
}

/* Whether the host says yes: alone, or after or before another condition, of which there may be no need to ask. */
static void host_condition(tirbi_gen *g, tirbi_text *out) {
    uint32_t form = tirbi_gen_pick(g, 4);
    if (form == 1 || form == 2) {
        tirbi_gen_condition(g, 1, out);
        tirbi_text_add(out, form == 1 ? " and " : " or ");
    }
    host_call(g, "call_extern", "bool", "stir", true, out);
    if (form == 3) {
        tirbi_text_add(out, tirbi_gen_chance(g, 50) ? " and " : " or ");
        tirbi_gen_condition(g, 1, out);
    }
}

/* A block whose init and body ask the host, the body for a sum or not. */
static void host_block(tirbi_gen *g, const tirbi_gen_buffer *o, const char *at, const char *name) {
    tirbi_text text = {.data = NULL};
    tirbi_gen_line(g, "for r%s in range(%u):", name, 1 + tirbi_gen_pick(g, 3));
    g->indent++;
    tirbi_gen_line(g, "with %s(\"%s\"):", tirbi_gen_block(g), name);
    g->indent++;
    tirbi_gen_line(g, "v%s = T.axis.reduce(3, r%s)", name, name);
    if (tirbi_gen_chance(g, 50)) {
        tirbi_gen_line(g, "with T.init():");
        host_value(g, o->type, &text);
        tirbi_gen_line(g, "    %s[%s] = %s", o->name, at, text.data);
        tirbi_text_free(&text);
    }
    if (tirbi_gen_chance(g, 50)) tirbi_text_add(&text, "%s[%s] + ", o->name, at);
    host_value(g, o->type, &text);
    tirbi_gen_line(g, "%s[%s] = %s", o->name, at, text.data);
    tirbi_text_free(&text);
    g->indent -= 2;
}

/* One statement that calls the host; `at` is an element of `o`. */
static void host_statement(tirbi_gen *g, const tirbi_gen_buffer *o, const char *at) {
    tirbi_text text = {.data = NULL};
    char name[TIRBI_GEN_NAME];
    tirbi_gen_name(g, "h", name);
    switch (tirbi_gen_pick(g, 10)) {
    case 6:
        host_condition(g, &text);
        tirbi_gen_line(g, "while %s:", text.data);
        tirbi_text_free(&text);
        tirbi_gen_expr(g, o->type, 1, &text);
        tirbi_gen_line(g, "    %s[%s] = %s", o->name, at, text.data);
        tirbi_gen_line(
            g, "    T.evaluate(T.call_extern(\"int32\", \"moody\"))"); /* which ends what would go on for ever */
        break;
    case 7:
        host_call(g, "call_extern", "int32", "stir", true, &text);
        tirbi_gen_line(g, "assert %s < %u, \"as the host says\"", text.data, g->may_trap ? 100 : 1000);
        break;
    case 8: host_block(g, o, at, name); break;
    case 0:
        host_call(g, "call_extern", tirbi_gen_chance(g, 50) ? "void" : "int32", some_function(g), true, &text);
        tirbi_gen_line(g, "T.evaluate(%s)", text.data);
        break;
    case 1:
        host_call(g, "call_packed", NULL, some_function(g), true, &text);
        tirbi_gen_line(g, "T.evaluate(%s)", text.data);
        break;
    case 2:
        host_condition(g, &text);
        tirbi_gen_line(g, "if %s:", text.data);
        tirbi_text_free(&text);
        tirbi_gen_expr(g, o->type, 1, &text);
        tirbi_gen_line(g, "    %s[%s] = %s", o->name, at, text.data);
        break;
    case 3:
        host_call(g, "call_extern", "int32", "few", true, &text);
        tirbi_gen_line(g, "for %s in range(%s):", name, text.data);
        tirbi_text_free(&text);
        tirbi_gen_expr(g, o->type, 1, &text);
        tirbi_gen_line(g, "    %s[%s] = %s", o->name, at, text.data);
        break;
    case 4:
        host_value(g, o->type, &text);
        if (g->classic) tirbi_gen_line(g, "%s = %s", name, text.data);
        else tirbi_gen_line(g, "%s: T.let[T.%s] = %s", name, type_name(o->type), text.data);
        tirbi_gen_line(g, "%s[%s] = %s", o->name, at, name);
        break;
    default:
        host_value(g, o->type, &text);
        tirbi_gen_line(g, "%s[%s] = %s", o->name, at, text.data);
        break;
    }
    tirbi_text_free(&text);
}

void tirbi_gen_host_call(tirbi_gen *g) {
    tirbi_dtype type = number_type(g);
    tirbi_gen_dim dim = tirbi_gen_constant(1 + tirbi_gen_pick(g, 40));
    tirbi_gen_input(g, type, 1, &dim);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 1, &dim);
    if (o == NULL) return;
    char i[TIRBI_GEN_NAME];
    char at[TIRBI_GEN_NAME];
    bool looped = tirbi_gen_chance(g, 60);
    tirbi_gen_name(g, "i", i);
    snprintf(at, sizeof at, "%lld", (long long)tirbi_gen_pick(g, (uint32_t)dim.value));
    if (looped) {
        snprintf(at, sizeof at, "%.20s", i);
        tirbi_gen_line(g, "for %s in %s(%lld):", i, tirbi_gen_chance(g, 20) ? "T.parallel" : "range",
                       (long long)dim.value);
        g->indent++;
        tirbi_gen_push_index(g, i, &dim);
    }
    for (uint32_t n = 1 + tirbi_gen_pick(g, 2); n > 0; n--) host_statement(g, o, at);
    if (looped) g->indent--;
}
