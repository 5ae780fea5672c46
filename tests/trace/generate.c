/* Random nests: subscripts and bounds are sums of counters, sizes and constants, in int32 and int64, spelled in ways
 * that wrap and come back, and in some that do not. */
#include <stdio.h>

#include "tests/trace/trace.h"

enum { MAX_LOOPS = 4, MAX_NAMES = 12, DEPTH = 3, NAME = 16, SPELLINGS = 5 };

typedef struct name {
    char text[NAME];
    bool wide; /* int64 */
} name;

typedef struct generator {
    tirbi_random *random;
    tirbi_text *out;
    name names[MAX_NAMES]; /* counters, parameters and variables that are there */
    uint32_t outer;        /* the name of the loop around */
    uint32_t n_names, n_parameters, n_loops, n_variables, statements;
    int64_t hi[MAX_NAMES]; /* no counter is above, nor below 0 */
    char carried[NAME];    /* a variable that is set again and again, or "" */
} generator;

static uint32_t pick(generator *g, uint32_t n) { return tirbi_random_below(g->random, n); }
static bool chance(generator *g, uint32_t percent) { return tirbi_random_chance(g->random, percent); }

static const char *constant(bool wide, int64_t value) {
    static _Thread_local char text[8][40];
    static _Thread_local unsigned at;
    char *out = text[at++ % 8];
    snprintf(out, 40, "%s%lld", wide ? "" : "i32 ", (long long)value);
    return out;
}

/* A name in one type. */
static void add_name(generator *g, const name *n, bool wide) {
    if (n->wide == wide)
        tirbi_text_add(g->out, "%s", n->text);
    else
        tirbi_text_add(g->out, "%s(%s)", wide ? "i64" : "i32", n->text);
}

/* A counter or a size, as it is or by arithmetic that comes back to it. */
static void add_symbol(generator *g, bool wide) {
    const bool counts = g->n_names > g->n_parameters && chance(g, 70);
    const uint32_t from = counts ? g->n_parameters : 0;
    const name *n = &g->names[from + pick(g, g->n_names - from)];
    const uint32_t spelling = chance(g, 70) ? SPELLINGS : pick(g, wide ? 1 : SPELLINGS);
    static const char *const before[] = {"(", "(", "(i32 2147483647 - (i32 2147483647 - ", "(", "i32(i64("};
    static const char *const behind[] = {"", " + i32 2147483647 - i32 2147483647)", "))", " * i32 1073741825 - ",
                                         ") + 4294967296)"};
    if (spelling == SPELLINGS) {
        add_name(g, n, wide);
        return;
    }
    tirbi_text_add(g->out, "%s", before[spelling]);
    add_name(g, n, wide);
    tirbi_text_add(g->out, "%s", behind[spelling]);
    if (spelling == 0) { /* and a multiple of 2^32, or 2^64 */
        tirbi_text_add(g->out, " + ");
        add_name(g, &g->names[pick(g, g->n_names)], wide);
        tirbi_text_add(g->out, " * %s * %s)", constant(wide, wide ? INT64_C(1) << 62 : 1 << 30), constant(wide, 4));
    } else if (spelling == 3) {
        add_name(g, n, wide);
        tirbi_text_add(g->out, " * i32 1073741824)");
    }
}

/* What may wrap for good: seen through a remainder, or a cast. */
static void add_wrapped(generator *g, bool wide) {
    const uint32_t kind = pick(g, 3);
    if (wide && kind == 0) {
        tirbi_text_add(g->out, "(i64(");
        add_symbol(g, false);
        tirbi_text_add(g->out, " + i32 2147483645) %% 61)");
    } else {
        tirbi_text_add(g->out, "((");
        add_symbol(g, wide);
        tirbi_text_add(g->out, " * %s", constant(wide, wide ? INT64_C(4611686018427387905) : 1073741825));
        tirbi_text_add(g->out, ") %s %s)", kind == 1 ? "//" : "%",
                       constant(wide, kind == 1 ? INT64_C(1) << (wide ? 60 : 28) : 47));
    }
}

static void add_sum(generator *g, bool wide);

static void add_term(generator *g, bool wide) {
    const uint32_t kind = pick(g, 100);
    if (kind < 45)
        add_symbol(g, wide);
    else if (kind < 75) {
        add_symbol(g, wide);
        tirbi_text_add(g->out, " * %s", constant(wide, (int64_t)pick(g, 7) - 3));
    } else if (kind < 80) {
        tirbi_text_add(g->out, "(");
        add_symbol(g, wide);
        tirbi_text_add(g->out, " %s %s)", chance(g, 50) ? "//" : "%", constant(wide, 2 + pick(g, 4)));
    } else if (kind < 84) {
        add_name(g, &g->names[pick(g, g->n_parameters)], wide);
        tirbi_text_add(g->out, " * ");
        add_symbol(g, wide);
    } else if (kind < 89) {
        add_wrapped(g, wide);
    } else if (wide && kind < 91) { /* a sum whose parts wrap, or do not, by themselves */
        tirbi_text_add(g->out, "i64(");
        add_sum(g, false);
        tirbi_text_add(g->out, chance(g, 50) ? ")" : " + i32 2147483647) + 2147483647");
    } else if (kind < 93) {
        tirbi_text_add(g->out, "%s.%s(", chance(g, 50) ? "min" : "max", wide ? "i64" : "i32");
        add_symbol(g, wide);
        tirbi_text_add(g->out, ", %s)", constant(wide, pick(g, 6)));
    } else {
        tirbi_text_add(g->out, "%s", constant(wide, pick(g, 9)));
    }
}

static void add_sum(generator *g, bool wide) {
    add_term(g, wide);
    for (uint32_t n = pick(g, 3); n > 0; n--) {
        tirbi_text_add(g->out, chance(g, 75) ? " + " : " - ");
        tirbi_text_add(g->out, "(");
        add_term(g, wide);
        tirbi_text_add(g->out, ")");
    }
}

/* An int64 that lies near `middle`. */
static void add_subscript(generator *g, int64_t middle) {
    const bool wide = chance(g, 50);
    tirbi_text_add(g->out, wide ? "(" : "i64(");
    add_sum(g, wide);
    if (middle != 0) tirbi_text_add(g->out, " + %s", constant(wide, middle));
    tirbi_text_add(g->out, ")");
}

static void add_place(generator *g) {
    switch (pick(g, 8)) {
    case 0:
    case 1:
        tirbi_text_add(g->out, "B[");
        add_subscript(g, 16);
        tirbi_text_add(g->out, ", ");
        add_subscript(g, 16);
        break;
    case 2:
        tirbi_text_add(g->out, "C[");
        add_subscript(g, 64);
        break;
    case 3:
        tirbi_text_add(g->out, "A[i64(X[");
        add_subscript(g, 32);
        tirbi_text_add(g->out, "]) + 512");
        break;
    case 4:
        tirbi_text_add(g->out, "A[%s%s", g->carried[0] ? "i64(" : "400", g->carried);
        if (g->carried[0]) tirbi_text_add(g->out, ") + 512");
        break;
    default:
        tirbi_text_add(g->out, "A[");
        add_subscript(g, 512);
    }
    tirbi_text_add(g->out, "]");
}

static void indent(const generator *g, uint32_t depth) { tirbi_text_add(g->out, "%*s", (int)(2 * depth + 2), ""); }

static void add_value(generator *g) {
    add_place(g);
    for (uint32_t n = pick(g, 2); n > 0; n--) {
        tirbi_text_add(g->out, " + ");
        add_place(g);
    }
    if (chance(g, 30)) tirbi_text_add(g->out, " %% i32 7");
}

static void add_store(generator *g, uint32_t depth) {
    indent(g, depth);
    add_place(g);
    tirbi_text_add(g->out, " = ");
    add_value(g);
    tirbi_text_add(g->out, "\n");
}

static void add_body(generator *g, uint32_t depth);

/* Counts from 0, 1 or an outer counter; up to a constant, a size, what is left of one, or an outer counter. */
static void add_loop(generator *g, uint32_t depth) {
    const uint32_t at = g->n_names, outer = g->outer;
    const bool inner = depth > 0 && chance(g, 30);
    int64_t low = pick(g, 3), most, above = low;
    name *n = &g->names[at];
    snprintf(n->text, NAME, "i%u", g->n_loops++);
    indent(g, depth);
    tirbi_text_add(g->out, "loop %s", n->text);
    const uint32_t kind = pick(g, 4);
    const char *outer_text = g->names[outer].text;
    char first[48], count[64];
    snprintf(first, sizeof first, "%lld", (long long)low);
    if (inner && chance(g, 50)) {
        snprintf(first, sizeof first, "i64(%s)", outer_text);
        low = 0;
        above = g->hi[outer];
    }
    if (inner && chance(g, 50)) {
        snprintf(count, sizeof count, "i64(%s) + 1", outer_text);
        most = g->hi[outer] + 1;
    } else if (kind == 0) {
        snprintf(count, sizeof count, "i64(n) - %s", first);
        most = INT32_MAX;
    } else if (kind == 1) {
        snprintf(count, sizeof count, "i64(m)");
        most = INT32_MAX;
    } else {
        most = 1 + pick(g, 6);
        snprintf(count, sizeof count, "%lld", (long long)most);
    }
    g->hi[at] = above + most - 1;
    n->wide = g->hi[at] > INT32_MAX || chance(g, 40);
    tirbi_text_add(g->out, ": %s = %s, %s in %lld..%lld {\n", n->wide ? "i64" : "i32", first, count, (long long)low,
                   (long long)g->hi[at]);
    g->n_names++;
    g->outer = at;
    add_body(g, depth + 1);
    g->outer = outer;
    g->n_names = at;
    indent(g, depth);
    tirbi_text_add(g->out, "}\n");
}

static void add_statement(generator *g, uint32_t depth) {
    const uint32_t kind = pick(g, 100);
    if (kind < 12 && g->n_names < MAX_NAMES - MAX_LOOPS) {
        name n = {.wide = chance(g, 50)};
        snprintf(n.text, NAME, "v%u", g->n_variables++);
        indent(g, depth);
        tirbi_text_add(g->out, "let %s: %s = ", n.text, n.wide ? "i64" : "i32");
        add_sum(g, n.wide);
        tirbi_text_add(g->out, "\n");
        g->hi[g->n_names] = INT32_MAX;
        g->names[g->n_names++] = n;
    } else if (kind < 22 && g->carried[0]) {
        indent(g, depth);
        tirbi_text_add(g->out, "set %s = (%s + ", g->carried, chance(g, 50) ? g->carried : "i32 3");
        add_place(g);
        tirbi_text_add(g->out, ") %% i32 9\n");
    } else if (kind < 34) {
        indent(g, depth);
        tirbi_text_add(g->out, "if ");
        add_sum(g, true);
        tirbi_text_add(g->out, " < %s {\n", constant(true, pick(g, 8)));
        add_store(g, depth + 1);
        indent(g, depth);
        tirbi_text_add(g->out, "}\n");
    } else {
        add_store(g, depth);
    }
}

static void add_body(generator *g, uint32_t depth) {
    const uint32_t n_names = g->n_names;
    for (uint32_t n = 1 + pick(g, 3); n > 0; n--) {
        if (depth < DEPTH && g->n_loops < MAX_LOOPS && chance(g, 45))
            add_loop(g, depth);
        else if (g->statements++ < 6)
            add_statement(g, depth);
    }
    g->n_names = n_names;
}

void trace_generate(tirbi_random *random, tirbi_text *out, int64_t parameters[TRACE_PARAMETERS]) {
    generator g = {.random = random, .out = out};
    static const char *const names[] = {"n", "m", "k", "w"};
    for (uint32_t i = 0; i < TRACE_PARAMETERS; i++) {
        snprintf(g.names[i].text, NAME, "%s", names[i]);
        g.names[i].wide = i == 3;
        parameters[i] = i < 2 ? (int64_t)pick(&g, 8) : (int64_t)pick(&g, 9) - 3;
    }
    g.n_names = g.n_parameters = TRACE_PARAMETERS;
    tirbi_text_add(out, "function \"f\"\n  parameter n: i32 in 0..2147483647\n  parameter m: i32 in 0..2147483647\n"
                        "  parameter k: i32\n  parameter w: i64\n  parameter A[1024]: i32 read written\n"
                        "  parameter B[32, 40]: i32 read written\n  parameter C[i64(n) * 16 + 128]: i32 read written\n"
                        "  parameter X[128]: i32 read written\n");
    if (chance(&g, 40)) {
        snprintf(g.carried, NAME, "s");
        tirbi_text_add(out, "  local s: i32 = i32 0\n");
    }
    add_loop(&g, 0);
}
