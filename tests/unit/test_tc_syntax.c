/* The front half of Tensor Comprehensions: tokens, the shape of expressions, what the checker fills in, warnings, and
 * the canonical text. Its errors are in tests/golden. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/tc/check.h"
#include "compiler/tc/lexer.h"
#include "compiler/tc/parser.h"
#include "compiler/tc/tc.h"

typedef struct text {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    tirbi_tc_program *program;
} text;

static void open_text(text *t, const char *code, size_t size) {
    *t = (text){.program = NULL};
    tirbi_heap_init(&t->heap, NULL, UINT64_C(1) << 26);
    tirbi_arena_init(&t->arena, &t->heap);
    assert_true(tirbi_source_init(&t->source, "test.tc", code, (uint32_t)size, &t->arena));
    tirbi_diagnostics_init(&t->diagnostics, &t->source, &t->arena, 0);
}

static void close_text(text *t) {
    tirbi_arena_destroy(&t->arena);
    assert_int_equal(t->heap.used, 0);
}

static void read_text(text *t, const char *code) {
    open_text(t, code, strlen(code));
    t->program = tirbi_tc_read(&t->source, &t->arena, &t->diagnostics);
    assert_non_null(t->program);
    if (tirbi_has_errors(&t->diagnostics)) fail_msg("%s: %s", code, t->diagnostics.items[0].message);
}

static void check_text(text *t, const char *code) {
    read_text(t, code);
    if (!tirbi_tc_check(t->program, &t->arena, &t->diagnostics))
        fail_msg("%s: %s", code, t->diagnostics.items[0].message);
}

/* ---- Tokens ----------------------------------------------------------------------------------------------------- */

static void assert_tokens(const char *code, const tirbi_tc_token_kind *kinds, uint32_t n) {
    text t;
    tirbi_tc_tokens tokens;
    open_text(&t, code, strlen(code));
    assert_true(tirbi_tc_lex(&t.source, &t.arena, &t.diagnostics, &tokens));
    assert_false(tirbi_has_errors(&t.diagnostics));
    assert_int_equal(tokens.n, n + 1);
    for (uint32_t i = 0; i < n; i++)
        if (tokens.items[i].kind != kinds[i])
            fail_msg("%s: token %u is %s", code, i, tirbi_tc_token_text(tokens.items[i].kind));
    assert_int_equal(tokens.items[n].kind, TIRBI_TC_TOKEN_END);
    close_text(&t);
}

#define ASSERT_TOKENS(code, ...)                                              \
    do {                                                                      \
        const tirbi_tc_token_kind kinds[] = {__VA_ARGS__};                    \
        assert_tokens(code, kinds, (uint32_t)(sizeof kinds / sizeof *kinds)); \
    } while (0)

static void tokens(void **state) {
    (void)state;
    ASSERT_TOKENS("+=! += ! min=! min= min(", TIRBI_TC_TOKEN_SUM_OVER, TIRBI_TC_TOKEN_SUM, TIRBI_TC_TOKEN_NOT,
                  TIRBI_TC_TOKEN_LEAST_OVER, TIRBI_TC_TOKEN_LEAST, TIRBI_TC_TOKEN_MIN, TIRBI_TC_TOKEN_LPAREN);
    ASSERT_TOKENS("<=> <= < -> - >=", TIRBI_TC_TOKEN_LIBRARY, TIRBI_TC_TOKEN_LE, TIRBI_TC_TOKEN_LT,
                  TIRBI_TC_TOKEN_ARROW, TIRBI_TC_TOKEN_SUB, TIRBI_TC_TOKEN_GE);
    ASSERT_TOKENS("max== maximum max=", TIRBI_TC_TOKEN_MAX, TIRBI_TC_TOKEN_EQ, TIRBI_TC_TOKEN_NAME,
                  TIRBI_TC_TOKEN_GREATEST);
    ASSERT_TOKENS("T.0 T .5 3.1 T(3)", TIRBI_TC_TOKEN_NAME, TIRBI_TC_TOKEN_DIM, TIRBI_TC_TOKEN_NAME,
                  TIRBI_TC_TOKEN_FLOAT, TIRBI_TC_TOKEN_FLOAT, TIRBI_TC_TOKEN_NAME, TIRBI_TC_TOKEN_LPAREN,
                  TIRBI_TC_TOKEN_INT, TIRBI_TC_TOKEN_RPAREN);
    ASSERT_TOKENS("0..2 3E-5 3e5 3.", TIRBI_TC_TOKEN_INT, TIRBI_TC_TOKEN_DOTS, TIRBI_TC_TOKEN_INT, TIRBI_TC_TOKEN_FLOAT,
                  TIRBI_TC_TOKEN_FLOAT, TIRBI_TC_TOKEN_FLOAT);
    ASSERT_TOKENS("info nano float int # where\r\nwhere", TIRBI_TC_TOKEN_NAME, TIRBI_TC_TOKEN_NAME, TIRBI_TC_TOKEN_TYPE,
                  TIRBI_TC_TOKEN_NAME, TIRBI_TC_TOKEN_WHERE);
    ASSERT_TOKENS("and or not && || !", TIRBI_TC_TOKEN_AND_WORD, TIRBI_TC_TOKEN_OR_WORD, TIRBI_TC_TOKEN_NOT_WORD,
                  TIRBI_TC_TOKEN_AND, TIRBI_TC_TOKEN_OR, TIRBI_TC_TOKEN_NOT);
}

static void tables(void **state) {
    (void)state;
    uint32_t n = 0, arities[5] = {0};
    for (const tirbi_tc_builtin *b; (b = tirbi_tc_builtin_at(n)); n++) {
        assert_ptr_equal(tirbi_tc_find_builtin(b->name), b);
        assert_in_range(b->arity, 1, 4);
        arities[b->arity]++;
    }
    assert_int_equal(n, 64);
    assert_int_equal(arities[1], 47);
    assert_int_equal(arities[2], 12);
    assert_int_equal(arities[3], 3);
    assert_int_equal(arities[4], 2);
}

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

static void put(char *out, const char *word) { strncat(out, word, 1023 - strlen(out)); }

/* Every operator in brackets. */
static void put_expr(char *out, const tirbi_tc_expr *e) {
    static const char *const operators[TIRBI_TC_PAD + 1] = {
        [TIRBI_TC_NEG] = "-", [TIRBI_TC_NOT] = "!", [TIRBI_TC_ADD] = "+", [TIRBI_TC_SUB] = "-",
        [TIRBI_TC_MUL] = "*", [TIRBI_TC_DIV] = "/", [TIRBI_TC_MOD] = "%", [TIRBI_TC_EQ] = "==",
        [TIRBI_TC_NE] = "!=", [TIRBI_TC_LT] = "<",  [TIRBI_TC_LE] = "<=", [TIRBI_TC_GT] = ">",
        [TIRBI_TC_GE] = ">=", [TIRBI_TC_AND] = "&", [TIRBI_TC_OR] = "|",  [TIRBI_TC_CHOICE] = "?"};
    char number[32];
    if (operators[e->kind]) {
        put(out, "(");
        put(out, operators[e->kind]);
        for (uint32_t i = 0; i < e->n_args; i++) {
            put(out, " ");
            put_expr(out, e->args[i]);
        }
        put(out, ")");
    } else if (e->kind == TIRBI_TC_INT) {
        snprintf(number, sizeof number, "%lld", (long long)e->int_value);
        put(out, number);
    } else {
        put(out, e->name ? e->name : "?");
    }
}

static void assert_shape(const char *expression, const char *expected) {
    char code[512], shape[1024] = "";
    text t;
    snprintf(code, sizeof code, "def f() -> (O) { O = %s }", expression);
    read_text(&t, code);
    put_expr(shape, t.program->defs[0]->stmts[0].value);
    assert_string_equal(shape, expected);
    close_text(&t);
}

static void precedence(void **state) {
    (void)state;
    assert_shape("-3%2+4*5+7-a", "(- (+ (+ (% (- 3) 2) (* 4 5)) 7) a)");
    assert_shape("!a<b", "(< (! a) b)");
    assert_shape("not a and b or c && d", "(| (& (! a) b) (& c d))");
    assert_shape("a<b<c == d", "(== (< (< a b) c) d)");
    assert_shape("a - (b - c) - d", "(- (- a (- b c)) d)");
    assert_shape("a ? b : c ? d : e", "(? a b (? c d e))");
    assert_shape("a ? b ? c : d : e", "(? a (? b c d) e)");
    assert_shape("a || b ? c + 1 : d", "(? (| a b) (+ c 1) d)");
    assert_shape("- -a * !b", "(* (- (- a)) (! b))");
}

/* ---- What the checker fills in ---------------------------------------------------------------------------------- */

/* The indices of a statement, reductions with a star. */
static void assert_indices(const char *signature, const char *stmt, const char *expected) {
    char code[512], found[256] = "";
    text t;
    snprintf(code, sizeof code, "def f(%s) -> (float(N) P, O) { P(i) = 0 %s O = 1 }", signature, stmt);
    check_text(&t, code);
    const tirbi_tc_stmt *checked = &t.program->defs[0]->stmts[1];
    for (uint32_t i = 0; i < checked->n_indices; i++) {
        if (i == checked->n_left) strcat(found, "| ");
        strcat(found, checked->indices[i]->name);
        strcat(found, checked->indices[i]->is_reduction ? "* " : " ");
        assert_int_equal(checked->indices[i]->is_reduction, i >= checked->n_left);
    }
    assert_string_equal(found, expected);
    close_text(&t);
}

static void indices(void **state) {
    (void)state;
    assert_indices("float(N, M, K) A", "P(i) +=! A(i, k, j) * A(i, k, l)", "i | k* j* l* ");
    assert_indices("float(N) A", "T(j, i) = A(i) + A(j)", "j i ");
    /* A let stands where it is used; clauses come last, whatever was checked first. */
    assert_indices("float(N) A", "P(i) +=! A(i) * x + A(m) where q in 0:3, x = A(r), exists A(s)", "i | r* m* q* s* ");
    assert_indices("float(N) A, int32(N) I", "P(I(j)) += A(k)", "j | k* ");
    assert_indices("float(N) A", "P(0) max=! A(k)", "| k* ");
}

static void assert_type(const char *expression, const char *expected) {
    char code[512], type[32];
    text t;
    snprintf(code, sizeof code,
             "def f(bool b, uint8 u8, uint32 u32, int8 i8, int32 i32, int64 i64, half h, float s, double d) -> (O) "
             "{ O = %s }",
             expression);
    check_text(&t, code);
    const tirbi_tc_stmt *stmt = &t.program->defs[0]->stmts[0];
    if (strcmp(tirb_datatype_text(stmt->value->dtype, type), expected) != 0)
        fail_msg("%s is %s, not %s", expression, type, expected);
    assert_true(tirb_datatype_equal(stmt->target->dtype, stmt->value->dtype));
    close_text(&t);
}

static void types(void **state) {
    (void)state;
    static const char *const rows[][2] = {{"b + b", "bool"},         {"b + u8", "uint8"},
                                          {"u8 + u32", "uint32"},    {"u32 + i8", "int32"},
                                          {"u32 + i64", "int64"},    {"i64 + s", "float32"},
                                          {"i32 + h", "float16"},    {"h + s", "float32"},
                                          {"s * d", "float64"},      {"1", "int32"},
                                          {"1.5", "float32"},        {"3000000000", "int64"},
                                          {"h * 2.0", "float32"},    {"u8 < d", "bool"},
                                          {"b && !b", "bool"},       {"b ? 1 : 0.5", "float32"},
                                          {"min(u8, i8)", "int8"},   {"sqrt(i32)", "float32"},
                                          {"fmax(d, 0)", "float64"}, {"log(h)", "float32"},
                                          {"int8(d)", "int8"},       {"pad(u8, i32)", "int32"},
                                          {"-u8", "uint8"},          {"true", "bool"},
                                          {"i32 % i64", "int64"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) assert_type(rows[i][0], rows[i][1]);
}

/* A literal has the type that it is rounded to. */
static void literals(void **state) {
    (void)state;
    text t;
    check_text(&t, "def f(double d, float s) -> (uint8 O, double P, Q, half R, S) {\n"
                   "O = 255 P = -0.1 Q = d * (0.1 + s) + 0.1 R = 0.1 S = double(0.1) }");
    const tirbi_tc_stmt *stmts = t.program->defs[0]->stmts;
    assert_int_equal(stmts[0].value->dtype.code, TIRB_CODE_UINT);
    assert_int_equal(stmts[0].value->dtype.bits, 8);
    assert_int_equal(stmts[1].value->args[0]->dtype.bits, 64);
    assert_int_equal(stmts[2].value->args[1]->dtype.bits, 64);
    assert_int_equal(stmts[2].value->args[0]->args[1]->args[0]->dtype.bits, 32);
    assert_int_equal(stmts[3].value->dtype.bits, 16);
    assert_int_equal(stmts[4].value->args[0]->dtype.bits, 64);
    close_text(&t);
}

static void statements(void **state) {
    (void)state;
    text t;
    check_text(&t, "def g(float(N) A) -> B { B(i) = A(i) }\n"
                   "def f(float(N) A, int32(N) I) -> (float(N) h, P) {\n"
                   "h(I(i)) += A(i) h(i) = 0 pad(i) = A(i) h(0) = 1 T = g(A) U, P = k(T, pad)\n"
                   "h(i) = pad(i) + pad.0 + U }\n"
                   "def k(float(N) A, float(M) B) -> (S, R) { S +=! A(i) R(i) = pad(B(i), 0) where i in 0:A.0 }");
    const tirbi_tc_def *f = t.program->defs[1];
    const tirbi_tc_stmt *stmts = f->stmts;
    assert_true(stmts[0].is_scatter && stmts[0].defines);
    assert_true(!stmts[1].is_scatter && !stmts[1].defines);
    assert_true(stmts[3].is_scatter && stmts[3].n_indices == 0);
    assert_ptr_equal(stmts[4].callee, t.program->defs[0]);
    assert_null(stmts[4].value);
    assert_int_equal(stmts[4].targets[0].symbol->ndim, 1);
    assert_ptr_equal(stmts[5].callee, t.program->defs[2]);
    assert_int_equal(stmts[5].targets[0].symbol->ndim, 0);
    assert_int_equal(stmts[6].value->args[0]->args[0]->kind, TIRBI_TC_READ);
    assert_int_equal(t.program->defs[2]->stmts[1].value->kind, TIRBI_TC_PAD);
    assert_ptr_equal(t.program->order[2], f);
    assert_true(t.program->defs[0]->is_called && t.program->defs[2]->is_called && !f->is_called);
    for (uint32_t i = 0; i < f->n_symbols; i++) assert_int_equal(f->symbols[i]->number, i);
    close_text(&t);
}

static void assert_warnings(const char *code, uint32_t n, const char *words) {
    text t;
    check_text(&t, code);
    uint32_t found = 0;
    for (uint32_t i = 0; i < t.diagnostics.n_items; i++) {
        assert_int_equal(t.diagnostics.items[i].severity, TIRB_SEVERITY_WARNING);
        found += strstr(t.diagnostics.items[i].message, words) != NULL;
    }
    if (found != n || t.diagnostics.n_items != n) fail_msg("%s: %u warnings", code, t.diagnostics.n_items);
    close_text(&t);
}

static void warnings(void **state) {
    (void)state;
    static const char start[] = "reduction without initialization";
    assert_warnings("def f(float(N) A) -> (O) { O += A(i) }", 1, start);
    assert_warnings("def f(float(N) A) -> (O) { O(i) max= A(i) }", 1, start);
    assert_warnings("def f(float(N) A) -> (O) { O +=! A(i) O += A(i) }", 0, start);
    assert_warnings("def f(float(N) A) -> (O) { O = 0.0 O += A(i) O *= 2 }", 0, start);
    assert_warnings("def f(float(N) A) -> (O) { T +=! A(i) O = 1 }", 1, "`T` is neither a result nor read");
    assert_warnings("def f(float(N) A) -> (O) { T +=! A(i) O = T() }", 0, "`T`");
}

/* A note shows what gave a tensor its type. */
static void notes(void **state) {
    (void)state;
    text t;
    read_text(&t, "def f(float(N) A) -> (O) {\n  O = 0\n  O += A(i)\n}");
    assert_false(tirbi_tc_check(t.program, &t.arena, &t.diagnostics));
    assert_int_equal(t.diagnostics.n_items, 2);
    assert_int_equal(t.diagnostics.items[0].line, 3);
    assert_int_equal(t.diagnostics.items[1].severity, TIRB_SEVERITY_NOTE);
    assert_int_equal(t.diagnostics.items[1].line, 2);
    assert_string_equal(t.diagnostics.items[1].message, "this makes it int32");
    close_text(&t);
}

/* ---- The corner cases of the original's tests -------------------------------------------------------------------- */

/* Accepted where `words` is NULL; else refused with a message that has them. */
typedef struct corner_case {
    const char *name, *code, *words;
} corner_case;

static const corner_case corner_cases[] = {
    {"E1", "def f{float(1) a) -> (b) { b(i) = a(i) }", "expected '(', found '{'"},
    {"E2", "def f(float(1) a) -> (b) { b(i) = a(i) }", NULL},
    {"E3", "def f(float(A) a) -> (b) { b(i) = a(i) }", NULL},
    {"E4", "def f(float a) -> (b) { b = a }", NULL},
    {"E5", "def f() -> (b) { b(i) = 4 where i in 0:10 }", NULL},
    {"E6", "def f(float a) -> (b) { b(i) = a where i in 0:10 }", NULL},
    {"E10", "def f(float a) -> (b) { b(i) = a() where i in 0:10 }", NULL},
    {"E11", "def f(float(1) a) -> (b) { b(i) = a(a(i)) }", "a subscript is an integer"},
    {"E12", "def f(int32(1) a) -> (b) { b(i) = 4.0 where i in 0:a(0) }", "they read no tensor"},
    /* The original refuses a scalar input in a range; here it is known when the range is. */
    {"E13", "def f(int32 a) -> (b) { b(i) = 4.0 where i in 0:a }", NULL},
    {"E13f", "def f(float a) -> (b) { b(i) = 4.0 where i in 0:a }", "`a` is none of them"},
    {"E14", "def f(float(N) a) -> (b) { b(i) = a(i) where i in 0:N }", NULL},
    {"E15",
     "def f(float(N) a, float(N) b) -> (c, d, e) { c(i) = float(a(i) == b(i)) d(i) = float(a(i) != b(i)) "
     "e(i) = float(a(i) <= b(i)) }",
     NULL},
    {"E16",
     "def f(float(N) a, float(N) b) -> (c, d) { c(i) = float(!(a(i) < 0.5) && b(i) > 0.5) "
     "d(i) = float(!(a(i) < 0.5) || b(i) > 0.5) }",
     NULL},
    {"E17", "def f(float(N) a) -> (b) { b(i) = 4.0 where exists a(i) }", NULL},
    {"E18", "def f(float(N) a) -> (b) { b(i) = 2 * foo where foo = a(i) }", NULL},
    {"E19", "def f(float(N) a) -> (b) { b(i) = 2 * foo where foo in 1:2, foo = a(i) }", "`foo` is defined already"},
    /* Temporaries are what the original has not. */
    {"E20", "def f(float(N) a) -> (b) { c(i) = a(i) b(i) = c(i) }", NULL},
    {"E21", "def f(float(N) a, float(N) b) -> (c) { c(i) = max(a(i), b(i)) }", NULL},
    {"E22", "def f(float(N) a, float(N) b) -> (c) { c(i) = min(a(i), b(i)) }", NULL},
    {"E23", "def f(float(N) a, float(N) b, float(N) c) -> (d) { d(i) = min(a(i), max(b(i), c(i))) }", NULL},
    {"E24", "def f(float(N) a,\n float(N)\n b) ->\n (d)\n {\n d(i)\n = min(a(i),\n\n b(i)) +\n max(a(i), b(i)\n) }",
     NULL},
    {"E25", "def f(float(N) a) -> (float(N, N) b) { b(i) = a(i) }", "`b` has 2 dimensions, and 1 subscript here"},
    {"E26", "def f(int32(N) a, int32(N) b) -> (c) { c(i) = a(i) % b(i) }", NULL},
};

static void corners(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof corner_cases / sizeof *corner_cases; i++) {
        const corner_case *one = &corner_cases[i];
        text t;
        open_text(&t, one->code, strlen(one->code));
        t.program = tirbi_tc_read(&t.source, &t.arena, &t.diagnostics);
        assert_non_null(t.program);
        if (!tirbi_has_errors(&t.diagnostics)) tirbi_tc_check(t.program, &t.arena, &t.diagnostics);
        const char *said = t.diagnostics.n_errors > 0 ? t.diagnostics.items[0].message : NULL;
        if (!said != !one->words || (said && !strstr(said, one->words)))
            fail_msg("%s: %s", one->name, said ? said : "it is accepted");
        close_text(&t);
    }
}

/* ---- The canonical text ----------------------------------------------------------------------------------------- */

static void assert_printed(const char *code, const char *expected) {
    text t;
    const char *printed;
    size_t size;
    open_text(&t, code, strlen(code));
    assert_true(tirbi_tc_print(&t.source, &t.arena, &t.diagnostics, &printed, &size));
    assert_int_equal(size, strlen(expected));
    if (memcmp(printed, expected, size) != 0) fail_msg("%.*s", (int)size, printed);
    close_text(&t);
}

static void canonical(const char *code, const char *expected) {
    assert_printed(code, expected);
    assert_printed(expected, expected);
}

static void printing(void **state) {
    (void)state;
    canonical("def mm( float (M,K)A,float(K , N) B )->(C){C(m,n)+=!(A(m,k)*B(k,n))}",
              "def mm(float(M, K) A, float(K, N) B) -> (C) {\n    C(m, n) +=! A(m, k) * B(k, n)\n}\n");
    canonical("def f(int k,half(2,N) A,double() d)->O{ O()=(k-(1-2))-3*(4%5)/6 O min= not(true)==(A.0<=.5E+3)\n"
              "a,b=g(A) P=(a?b:c)?(d?e:f):(g?h:i) Q=((a||b)&&c)||d}",
              "def f(int k, half(2, N) A, double() d) -> O {\n"
              "    O() = k - (1 - 2) - 3 * (4 % 5) / 6\n"
              "    O min= !true == (A.0 <= 0.5e+3)\n"
              "    a, b = g(A)\n"
              "    P = (a ? b : c) ? d ? e : f : g ? h : i\n"
              "    Q = (a || b) && c || d\n"
              "}\n");
    canonical("def f(float(N) A) -> (O) { O(i) = float(min(A(i),max(1,2.))) <=> lib(A,0) where x=A(i),i in 0:(N),"
              "exists(A(i+1)) }",
              "def f(float(N) A) -> (O) {\n"
              "    O(i) = float(min(A(i), max(1, 2.0))) <=> lib(A, 0) where x = A(i), i in 0:N, exists A(i + 1)\n}\n");
    canonical("", "");
    canonical("def f() -> (O) {}def g() -> (O) {}", "def f() -> (O) {\n}\n\ndef g() -> (O) {\n}\n");
}

static void comments(void **state) {
    (void)state;
    canonical("# head  \n\n\n# of f\ndef f(float(N) A # its input\n) -> (O) { # opens\n\n  # first\n\n\n  # second\n"
              "  O(i) = A(i) + # inside\n 1 # behind\n  # last\n} # closes\n# end\n",
              "# head\n\n# of f\n# its input\ndef f(float(N) A) -> (O) {  # opens\n    # first\n\n    # second\n"
              "    # inside\n    O(i) = A(i) + 1  # behind\n    # last\n}  # closes\n\n# end\n");
    canonical("def f(float(N) A) -> (O) {\n O(i) = A(i)\n\n\n O(i) = 1\n O(i) = 2\n}",
              "def f(float(N) A) -> (O) {\n    O(i) = A(i)\n\n    O(i) = 1\n    O(i) = 2\n}\n");
    canonical("# alone", "# alone\n");
}

static void long_lines(void **state) {
    (void)state;
    canonical("def f(float(N) A) -> (O) { O(i) = A(i) * 1000000001 + A(i) * 1000000002 + A(i) * 1000000003 + A(i) * "
              "1000000004"
              " where i in 0:1000 }",
              "def f(float(N) A) -> (O) {\n"
              "    O(i) = A(i) * 1000000001 + A(i) * 1000000002 + A(i) * 1000000003 + A(i) * 1000000004 where i in "
              "0:1000\n}\n");
    canonical(
        "def f(float(N) A) -> (O) { O(i) = A(i) * 1000000001 + A(i) * 1000000002 + A(i) * 1000000003 + A(i) * "
        "1000000004"
        " + A(i) * 1000000005 where i in 0:1000 }",
        "def f(float(N) A) -> (O) {\n"
        "    O(i) = A(i) * 1000000001 + A(i) * 1000000002 + A(i) * 1000000003 + A(i) * 1000000004 + A(i) * 1000000005\n"
        "        where i in 0:1000\n}\n");
}

/* ---- Which language --------------------------------------------------------------------------------------------- */

static tirb_status format_as(tirb_language language, const char *file, const char *code) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    options.language = language;
    options.file_name = file;
    tirb_status status = tirb_format(code, strlen(code), TIRB_DIALECT_SAME, &options, &result, NULL);
    tirb_compile_result_destroy(result);
    return status;
}

static void languages(void **state) {
    (void)state;
    static const char comprehension[] = "def f(float(N) A) -> (O) { O(i) = A(i) }";
    static const char script[] = "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    A[0] = 1.0\n";
    assert_int_equal(format_as(TIRB_LANGUAGE_AUTO, "f.tc", comprehension), TIRB_OK);
    assert_int_equal(format_as(TIRB_LANGUAGE_AUTO, "f.py", comprehension), TIRB_SYNTAX);
    assert_int_equal(format_as(TIRB_LANGUAGE_AUTO, ".tc.txt", comprehension), TIRB_SYNTAX);
    assert_int_equal(format_as(TIRB_LANGUAGE_AUTO, NULL, script), TIRB_OK);
    assert_int_equal(format_as(TIRB_LANGUAGE_TVMSCRIPT, "f.tc", script), TIRB_OK);
    assert_int_equal(format_as(TIRB_LANGUAGE_TENSOR_COMPREHENSIONS, "f.py", comprehension), TIRB_OK);
    assert_int_equal(format_as(TIRB_LANGUAGE_TENSOR_COMPREHENSIONS, NULL, script), TIRB_SYNTAX);
    assert_int_equal(format_as((tirb_language)3, "f.tc", comprehension), TIRB_MISUSE);
}

/* Options of a host from before there were languages. */
static void short_options(void **state) {
    (void)state;
    static const char code[] = "def f(float(N) A) -> (O) { O(i) = A(i) }";
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    options.struct_size = (uint32_t)offsetof(tirb_compile_options, language);
    options.language = (tirb_language)77;
    options.file_name = "f.tc";
    assert_int_equal(tirb_format(code, strlen(code), TIRB_DIALECT_SAME, &options, &result, NULL), TIRB_OK);
    tirb_compile_result_destroy(result);
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

/* Memory that runs out anywhere ends the reading and nothing else. */
static void every_budget(void **state) {
    (void)state;
    static const char code[] = "# c\ndef g(float(N) A) -> B { B(i) = A(i) }\n"
                               "def f(float(N) A) -> (O, P) { O(i) +=! A(i) * x where x = A(k), k in 0:3 P = g(A) }";
    bool done = false;
    for (uint64_t budget = 0; !done; budget += 1 + budget / 16) {
        text t = {.program = NULL};
        tirbi_heap_init(&t.heap, NULL, budget);
        tirbi_arena_init(&t.arena, &t.heap);
        if (tirbi_source_init(&t.source, "test.tc", code, sizeof code - 1, &t.arena)) {
            const char *printed;
            size_t size;
            tirbi_diagnostics_init(&t.diagnostics, &t.source, &t.arena, 0);
            t.program = tirbi_tc_read(&t.source, &t.arena, &t.diagnostics);
            assert_true(!t.program == t.arena.failed);
            done = t.program && tirbi_tc_check(t.program, &t.arena, &t.diagnostics) &&
                   tirbi_tc_print(&t.source, &t.arena, &t.diagnostics, &printed, &size);
            assert_true(done != t.arena.failed);
            assert_false(tirbi_has_errors(&t.diagnostics));
        }
        close_text(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens),       cmocka_unit_test(tables),     cmocka_unit_test(precedence),
        cmocka_unit_test(indices),      cmocka_unit_test(types),      cmocka_unit_test(literals),
        cmocka_unit_test(statements),   cmocka_unit_test(warnings),   cmocka_unit_test(printing),
        cmocka_unit_test(comments),     cmocka_unit_test(long_lines), cmocka_unit_test(every_budget),
        cmocka_unit_test(corners),      cmocka_unit_test(notes),      cmocka_unit_test(languages),
        cmocka_unit_test(short_options)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
