/* The visitor of loop IR and the collector of accesses: what they come to, in which order, and what they refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/loop/text.h"
#include "compiler/optimize/analysis/access.h"

static const char program[] = "function \"f\"\n"
                              "  parameter n: i32 in 0..100\n"
                              "  parameter A[64]: f32 written\n"
                              "  parameter B[64]: f32 read\n"
                              "  parameter P[64]: i32 read\n"
                              "  local s: f32 = f32 0\n"
                              "  loop i = 0, i64(n) in 0..63 {\n"
                              "    let x: f32 = B[i64(P[i])]\n"
                              "    if x < B[0] {\n"
                              "      A[i64(P[3])] = cond(x < s, B[1], B[2]) * x\n"
                              "      set s = s + x\n"
                              "    } else {\n"
                              "      A[i] = A[i] + x\n"
                              "    }\n"
                              "    while s < f32 1 {\n"
                              "      set s = s + B[4]\n"
                              "      break\n"
                              "    }\n"
                              "  }\n";

typedef struct room {
    tirbi_heap heap;
    tirbi_arena arena;
    const tirbi_lfunc *function;
    const tirbi_ls *loop, *body; /* the last statement of the function, and what is in it */
    char seen[1024];
} room;

static void open_room(room *r, const char *text) {
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_lmodule *module = NULL;
    *r = (room){.function = NULL};
    tirbi_heap_init(&r->heap, NULL, UINT64_MAX);
    tirbi_arena_init(&r->arena, &r->heap);
    if (tirbi_read_loops(text, strlen(text), &r->arena, &module, &error) != TIRB_OK)
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    r->function = &module->functions[0];
    r->loop = r->function->body;
    while (r->loop->kind == TIRBI_LS_SEQ) r->loop = r->loop->as.seq.items[r->loop->as.seq.n - 1];
    r->body = r->loop->kind == TIRBI_LS_LOOP ? r->loop->as.loop.body : r->loop;
}

static void close_room(room *r) { tirbi_arena_destroy(&r->arena); }

static void note(room *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(room *r, const char *format, ...) {
    const size_t size = strlen(r->seen);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->seen + size, sizeof r->seen - size, format, arguments);
    va_end(arguments);
}

static void expect(room *r, const char *wanted) {
    assert_string_equal(r->seen, wanted);
    r->seen[0] = '\0';
}

/* The n-th statement of the loop's body, from 0. */
static const tirbi_ls *item(const room *r, uint32_t n) { return r->body->as.seq.items[n]; }

static tirbi_lvar *variable_of(const tirbi_ls *s) { return s->kind == TIRBI_LS_SET ? s->as.set.var : s->as.loop.var; }

/* ---- The visitor ------------------------------------------------------------------------------------------------- */

static tirbi_step say_stmt(tirbi_walk *w, const tirbi_ls *s) {
    static const char *const names[] = {"seq",   "loop", "if",     "while",  "search", "store",    "set", "alloc",
                                        "fetch", "eval", "assert", "return", "break",  "continue", "tree"};
    if (s->kind != TIRBI_LS_SEQ) note(w->context, "%s%s ", names[s->kind], w->guarded ? "?" : "");
    return TIRBI_INTO;
}

static tirbi_step say_variable(tirbi_walk *w, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_VAR)
        note(w->context, "%s%s%s ", x->var->name, w->guarded ? "?" : "", w->indexes ? "#" : "");
    return TIRBI_INTO;
}

static bool say_access(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    note(w->context, "%s%s%s%s ", load ? "" : "=", place->buffer->name, w->guarded ? "?" : "", w->indexes ? "#" : "");
    return true;
}

static void test_order(void **state) {
    room r;
    (void)state;
    open_room(&r, program);
    tirbi_walk walk = {.context = &r, .stmt = say_stmt};
    assert_true(tirbi_walk_stmt(&walk, r.loop));
    expect(&r, "loop set if store? set? store? while set? break? ");
    walk = (tirbi_walk){.context = &r, .access = say_access, .reach = TIRBI_WALK_PLACES};
    assert_true(tirbi_walk_stmt(&walk, item(&r, 0)));
    expect(&r, "P# B ");
    assert_true(tirbi_walk_stmt(&walk, item(&r, 1)));
    expect(&r, "B B? B? P?# =A? A? =A? ");
    walk.reach = 0;
    assert_true(tirbi_walk_stmt(&walk, item(&r, 1)));
    expect(&r, "B B? B? =A? A? =A? ");
    close_room(&r);
}

/* What is reached beside operands is what was asked for. */
static void test_reach(void **state) {
    room r;
    (void)state;
    open_room(&r, program);
    tirbi_walk walk = {.context = &r, .expr = say_variable};
    assert_true(tirbi_walk_stmt(&walk, r.loop));
    expect(&r, "x x? s? x? s? x? x? s s? ");
    walk.reach = TIRBI_WALK_BOUNDS;
    tirbi_walk_stmt(&walk, item(&r, 0));
    expect(&r, "");
    walk.stmt = say_stmt;
    assert_true(tirbi_walk_stmt(&walk, r.loop));
    expect(&r, "loop n set if x store? x? s? x? set? s? x? store? x? while s set? s? break? ");
    walk = (tirbi_walk){.context = &r, .expr = say_variable, .reach = TIRBI_WALK_INDICES};
    assert_true(tirbi_walk_stmt(&walk, item(&r, 0)));
    expect(&r, "i# ");
    walk.reach = TIRBI_WALK_STORED;
    assert_true(tirbi_walk_stmt(&walk, item(&r, 1)->as.if_.else_case));
    expect(&r, "x i# ");
    close_room(&r);
}

static tirbi_step past_ifs(tirbi_walk *w, const tirbi_ls *s) {
    say_stmt(w, s);
    return s->kind == TIRBI_LS_IF ? TIRBI_PAST : s->kind == TIRBI_LS_WHILE ? TIRBI_STOP : TIRBI_INTO;
}

static void test_ends(void **state) {
    room r;
    (void)state;
    open_room(&r, program);
    tirbi_walk walk = {.context = &r, .stmt = past_ifs};
    assert_false(tirbi_walk_stmt(&walk, r.loop));
    expect(&r, "loop set if while ");
    walk = (tirbi_walk){.context = &r, .stmt = say_stmt, .kinds = TIRBI_NESTS};
    assert_false(tirbi_walk_stmt(&walk, r.loop));
    expect(&r, "loop set if store? set? store? ");
    assert_true(tirbi_walk_stmt(&walk, item(&r, 1)));
    walk = (tirbi_walk){.context = &r, .expr = say_variable, .deepest = 2};
    assert_false(tirbi_walk_expr(&walk, item(&r, 1)->as.if_.then_case->as.seq.items[0]->as.store.value));
    walk.deepest = 3;
    assert_true(tirbi_walk_expr(&walk, item(&r, 1)->as.if_.then_case->as.seq.items[0]->as.store.value));
    assert_true(tirbi_walk_stmt(&walk, NULL));
    assert_true(tirbi_walk_expr(&walk, NULL));
    close_room(&r);
}

static void test_questions(void **state) {
    room r;
    (void)state;
    open_room(&r, program);
    tirbi_lvar *s = variable_of(r.function->body->as.seq.items[0]), *x = variable_of(item(&r, 0)),
               *i = r.loop->as.loop.var;
    const tirbi_lbuf *a = r.function->param_buffers[1], *b = r.function->param_buffers[2];
    assert_true(tirbi_has_kind(r.loop, TIRBI_KIND(WHILE)));
    assert_false(tirbi_has_kind(item(&r, 1), TIRBI_KIND(WHILE) | TIRBI_KIND(LOOP)));
    assert_true(tirbi_is_made_of(item(&r, 1), TIRBI_STRAIGHT));
    assert_false(tirbi_is_made_of(r.loop, TIRBI_NESTS));
    assert_int_equal(tirbi_count_kind(r.loop, TIRBI_KIND(STORE) | TIRBI_KIND(IF)), 3);
    assert_true(tirbi_has_kind(r.loop, TIRBI_JUMPS));
    assert_false(tirbi_leaves_loop(r.body)); /* the break leaves the loop inside */
    assert_true(tirbi_leaves_loop(item(&r, 2)->as.while_.body));
    assert_true(tirbi_sets(r.loop, x));
    assert_false(tirbi_sets(item(&r, 1), x));
    assert_true(tirbi_sets(item(&r, 1), s));
    assert_true(tirbi_stores_to(r.loop, a));
    assert_false(tirbi_stores_to(r.loop, b));
    assert_true(tirbi_names(item(&r, 1), &i, 1)); /* in a subscript that is stored to */
    assert_false(tirbi_names(item(&r, 2), &i, 1));
    tirbi_lvar *both[] = {i, s};
    assert_true(tirbi_names(item(&r, 2), both, 2));
    const tirbi_lx *condition = item(&r, 1)->as.if_.condition;
    assert_int_equal(tirbi_count_expr(condition, 0, tirbi_is_var, x), 1);
    assert_int_equal(tirbi_count_expr(item(&r, 0)->as.set.value, 0, tirbi_is_var, i), 0);
    assert_int_equal(tirbi_count_expr(item(&r, 0)->as.set.value, TIRBI_WALK_INDICES, tirbi_is_var, i), 1);
    assert_true(tirbi_any_value(r.loop, 0, tirbi_is_var, s));
    assert_false(tirbi_any_expr(condition, TIRBI_WALK_ALL, tirbi_is_var, s));
    /* set; load, cast, load, i */
    assert_int_equal(tirbi_count_nodes(item(&r, 0)), 5);
    close_room(&r);
}

/* ---- The collector ----------------------------------------------------------------------------------------------- */

enum { MOST = 16 };

static void say_all(room *r, const tirbi_accesses *all) {
    static const char *const how[] = {"", "=", "+="};
    for (uint32_t i = 0; i < all->n; i++)
        note(r, "%s%s%s%s ", how[all->item[i].what], all->item[i].place->buffer->name, all->item[i].surely ? "" : "?",
             all->item[i].traps ? "!" : "");
}

static void test_accesses(void **state) {
    room r;
    (void)state;
    open_room(&r, program);
    tirbi_reached places[MOST];
    tirbi_loop_set sets = {.n = 0};
    tirbi_accesses all = {.item = places, .most = MOST, .sets = &sets};
    assert_true(tirbi_find_accesses(&all, item(&r, 0)));
    assert_int_equal(all.refused, TIRBI_REFUSES_NOTHING);
    all.part = 1;
    assert_true(tirbi_find_accesses(&all, item(&r, 1)));
    say_all(&r, &all);
    expect(&r, "P B! B B? B? P? =A? A? +=A? ");
    assert_int_equal(places[1].part, 0);
    assert_int_equal(places[2].part, 1);
    assert_ptr_equal(places[0].stmt, item(&r, 0));
    assert_int_equal(sets.n, 2);
    assert_ptr_equal(sets.var[0], variable_of(item(&r, 0)));
    assert_ptr_equal(tirbi_first_stored(places, all.n), places[6].place);
    assert_null(tirbi_first_stored(places, 6));
    assert_true(tirbi_is_written(&all, r.function->param_buffers[1]));
    assert_false(tirbi_is_written(&all, r.function->param_buffers[2]));
    all.n = 0;
    assert_true(tirbi_find_accesses_of(&all, item(&r, 0)->as.set.value));
    assert_int_equal(all.n, 2);
    assert_null(places[0].stmt);
    close_room(&r);
}

static void expect_refusal(const tirbi_ls *s, tirbi_accesses all, tirbi_refusal why) {
    assert_false(tirbi_find_accesses(&all, s));
    assert_int_equal(all.refused, why);
}

static bool refuse_sets(void *context, const tirbi_ls *s) {
    (void)context;
    return s->kind != TIRBI_LS_SET;
}

static bool refuse_casts(void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind != TIRBI_LX_OP || x->op != TIRB_OP_CAST;
}

static bool refuse_stores(void *context, const tirbi_reached *a) {
    (void)context;
    return a->what == TIRBI_LOADS;
}

static void test_refusals(void **state) {
    room r;
    tirbi_reached places[MOST];
    (void)state;
    open_room(&r, program);
    expect_refusal(r.loop, (tirbi_accesses){.n = 0}, TIRBI_REFUSES_STATEMENT);
    expect_refusal(r.loop, (tirbi_accesses){.kinds = TIRBI_NESTS}, TIRBI_REFUSES_STATEMENT); /* the while */
    expect_refusal(item(&r, 1), (tirbi_accesses){.rules = TIRBI_NO_VARIABLES}, TIRBI_REFUSES_VARIABLE);
    expect_refusal(item(&r, 1), (tirbi_accesses){.item = places, .most = 2}, TIRBI_REFUSES_MANY);
    expect_refusal(item(&r, 1), (tirbi_accesses){.deepest = 1}, TIRBI_REFUSES_DEPTH);
    expect_refusal(item(&r, 1), (tirbi_accesses){.stmt = refuse_sets}, TIRBI_REFUSES_CALLER);
    expect_refusal(item(&r, 0), (tirbi_accesses){.value = refuse_casts}, TIRBI_REFUSES_CALLER);
    expect_refusal(item(&r, 1), (tirbi_accesses){.access = refuse_stores}, TIRBI_REFUSES_CALLER);
    assert_true(tirbi_find_accesses(&(tirbi_accesses){.access = refuse_stores}, item(&r, 0)));
    const tirbi_lcall call = {.function = 0};
    tirbi_ls calls = *item(&r, 0);
    calls.as.set.value = tirbi_lx_call(r.function->pool, TIRB_F32, &call);
    expect_refusal(&calls, (tirbi_accesses){.n = 0}, TIRBI_REFUSES_CALL);
    assert_true(tirbi_find_accesses(&(tirbi_accesses){.rules = TIRBI_TAKE_CALLS}, &calls));
    tirbi_loop_set full = {.n = TIRBI_MAX_AFFINE};
    expect_refusal(item(&r, 0), (tirbi_accesses){.sets = &full}, TIRBI_REFUSES_MANY);
    close_room(&r);
}

static const char nests[] = "function \"g\"\n"
                            "  parameter n: i64 in 0..100\n"
                            "  parameter A[8, 8]: f32 written\n"
                            "  parameter B[8]: f32 read\n"
                            "  parameter C[8]: f32 written\n"
                            "  loop i = 0, 8 in 0..7 {\n"
                            "    loop k = 0, 8 by 2 in 0..7 {\n"
                            "      if k == 0 first (k) {\n"
                            "        C[i] = f32 0\n"
                            "      }\n"
                            "      C[i] = C[i] + A[i, k] * B[k]\n"
                            "      C[n] = B[3]\n"
                            "    }\n"
                            "  }\n";

static void test_nests(void **state) {
    room r;
    tirbi_reached places[MOST];
    tirbi_loop_set loops = {.n = 0}, only = {.n = 0};
    (void)state;
    open_room(&r, nests);
    tirbi_accesses all = {.item = places, .most = MOST, .kinds = TIRBI_NESTS};
    expect_refusal(r.loop, all, TIRBI_REFUSES_LOOP);
    all.rules = TIRBI_TAKE_STEPS;
    all.loops = &loops;
    assert_true(tirbi_find_accesses(&all, r.loop));
    say_all(&r, &all);
    expect(&r, "=C? C A B +=C B =C ");
    assert_int_equal(loops.n, 2);
    assert_ptr_equal(loops.var[0], r.loop->as.loop.var);
    assert_true(tirbi_find_loops(&only, r.loop));
    assert_int_equal(only.n, 2);
    assert_true(tirbi_find_variables(&only, r.body, TIRBI_NESTS));
    assert_int_equal(only.n, 3);
    assert_false(tirbi_find_variables(&only, r.body, TIRBI_STRAIGHT));
    /* What stands still, what is proven, what can fail. */
    const tirbi_loop_set outer = {.var = {loops.var[0]}, .n = 1}, inner = {.var = {loops.var[1]}, .n = 1};
    assert_true(tirbi_stands_still(places[1].place, &inner));
    assert_false(tirbi_stands_still(places[1].place, &outer));
    assert_true(tirbi_is_proven(places[2].place));
    assert_false(tirbi_is_proven(places[6].place));
    assert_false(tirbi_cannot_fail(r.loop));
    assert_true(tirbi_cannot_fail(places[4].stmt));
    /* Memory. */
    tirbi_roots stored = {.n = 0};
    assert_true(tirbi_find_stored(&stored, r.loop, 3));
    assert_int_equal(stored.n, 3);
    assert_false(tirbi_find_stored(&(tirbi_roots){.n = 0}, r.loop, 2));
    assert_true(tirbi_is_among(&stored, r.function->param_buffers[3]));
    assert_false(tirbi_is_among(&stored, r.function->param_buffers[2]));
    const tirbi_lx *c = tirbi_lx_load(r.function->pool, places[1].place),
                   *b = tirbi_lx_load(r.function->pool, places[3].place);
    assert_false(tirbi_is_left_alone(c, &stored, &loops, NULL));
    assert_true(tirbi_is_left_alone(b, &stored, &loops, NULL));
    assert_false(tirbi_is_left_alone(b, &stored, &loops, &inner));
    close_room(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),     cmocka_unit_test(test_reach),    cmocka_unit_test(test_ends),
        cmocka_unit_test(test_questions), cmocka_unit_test(test_accesses), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_nests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
