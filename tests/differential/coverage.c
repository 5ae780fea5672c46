#include "tests/differential/coverage.h"

#include <stdio.h>

#include "compiler/ir/visit.h"
#include "compiler/text/text.h"
#include "loader/base/alloc.h"

static const char *const stmt_names[TIRBI_COVERAGE_STMTS] = {
    [TIRB_STMT_LET] = "Let",
    [TIRB_STMT_ATTR] = "Attr",
    [TIRB_STMT_ASSERT] = "Assert",
    [TIRB_STMT_STORE] = "BufferStore",
    [TIRB_STMT_BUFFER_REALIZE] = "BufferRealize",
    [TIRB_STMT_ALLOCATE] = "Allocate",
    [TIRB_STMT_ALLOCATE_CONST] = "AllocateConst",
    [TIRB_STMT_DECL_BUFFER] = "DeclBuffer",
    [TIRB_STMT_SEQ] = "Seq",
    [TIRB_STMT_IF] = "IfThenElse",
    [TIRB_STMT_EVALUATE] = "Evaluate",
    [TIRB_STMT_FOR] = "For",
    [TIRB_STMT_WHILE] = "While",
    [TIRB_STMT_BLOCK_REALIZE] = "BlockRealize",
    [TIRB_STMT_RETURN] = "Return",
    [TIRB_STMT_BREAK] = "Break",
    [TIRB_STMT_CONTINUE] = "Continue",
    [TIRB_STMT_PREFETCH] = "Prefetch",
};

static const char *const expr_names[TIRBI_COVERAGE_EXPRS] = {
    "Var",      "IntImm", "FloatImm",   "StringImm", "Cast",      "Add", "Sub",  "Mul",     "Div",    "Mod", "FloorDiv",
    "FloorMod", "Min",    "Max",        "EQ",        "NE",        "LT",  "LE",   "GT",      "GE",     "And", "Or",
    "Not",      "Select", "BufferLoad", "Ramp",      "Broadcast", "Let", "Call", "Shuffle", "Reduce",
};

/* Builtins that no program of the generator has, and why. */
static const struct {
    int builtin;
    const char *why;
} left_out[] = {
    {TIRB_BUILTIN_LARGE_UINT_IMM, "read as a constant"},
    {TIRB_BUILTIN_RET, "read as the statement Return"},
    {TIRB_BUILTIN_BREAK_LOOP, "read as the statement Break"},
    {TIRB_BUILTIN_CONTINUE_LOOP, "read as the statement Continue"},
    {TIRB_BUILTIN_TVM_TUPLE, "the object of an attribute: has no value"},
    {TIRB_BUILTIN_FOREIGN, "refused by name, not of a CPU, but for tvm_thread_allreduce"},
};

typedef struct counter {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    tirbi_coverage *c;
} counter;

static void count_type(tirbi_coverage *c, tirb_datatype type) {
    tirbi_dtype machine;
    if (tirb_datatype_machine((tirb_datatype){type.code, type.bits, 1, false}, &machine)) c->types[machine]++;
    c->vectors += type.lanes > 1;
}

static void count_expr(tirbi_visitor *visitor, const tirb_expr *e) {
    tirbi_coverage *c = ((counter *)visitor)->c;
    c->exprs[e->kind]++;
    count_type(c, e->dtype);
    if (e->kind == TIRB_EXPR_CALL) {
        if (e->as.call.function != NULL) c->function_calls++;
        else c->builtins[e->as.call.builtin]++;
    }
    tirbi_visit_expr(visitor, e);
}

static void count_stmt(tirbi_visitor *visitor, const tirb_stmt *s) {
    ((counter *)visitor)->c->stmts[s->kind]++;
    tirbi_visit_stmt(visitor, s);
}

void tirbi_coverage_add(tirbi_coverage *c, const char *text, size_t size) {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    if (tirbi_source_init(&source, "random", text, (uint32_t)size, &arena)) {
        tirbi_diagnostics_init(&diagnostics, &source, &arena, 1);
        const tirb_irmodule *module = tirbi_parse(&source, &arena, &diagnostics);
        counter count = {.visitor = {.expr = count_expr, .stmt = count_stmt}, .c = c};
        for (uint32_t i = 0; module != NULL && i < module->n_functions; i++) {
            if (module->functions[i]->body != NULL) count_stmt(&count.visitor, module->functions[i]->body);
        }
    }
    tirbi_arena_destroy(&arena);
}

static void print_row(const char *title, const char *const *names, const uint64_t *counts, uint32_t n) {
    uint32_t met = 0, column = 0;
    for (uint32_t i = 0; i < n; i++) met += counts[i] != 0;
    printf("%s: %u of %u", title, met, n);
    for (uint32_t i = 0; i < n; i++) {
        if (counts[i] == 0) continue;
        printf("%s%s %llu", column++ % 8 == 0 ? "\n    " : ", ", names[i], (unsigned long long)counts[i]);
    }
    printf(met < n ? "\n    not met:" : "\n");
    for (uint32_t i = 0; i < n; i++) {
        if (counts[i] == 0) printf(" %s", names[i]);
    }
    if (met < n) printf("\n");
}

void tirbi_coverage_print(const tirbi_coverage *c) {
    const char *builtins[TIRB_N_BUILTINS], *types[TIRB_N_DTYPES];
    for (int i = 0; i < TIRB_N_BUILTINS; i++)
        builtins[i] = tirb_builtins[i].name[0] ? tirb_builtins[i].name : "(accelerators)";
    for (int i = 0; i < TIRB_N_DTYPES; i++) types[i] = tirbi_dtypes[i].tvm_name;
    print_row("statements", stmt_names, c->stmts, TIRBI_COVERAGE_STMTS);
    print_row("expressions", expr_names, c->exprs, TIRBI_COVERAGE_EXPRS);
    print_row("builtins", builtins, c->builtins, TIRB_N_BUILTINS);
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        bool met = c->builtins[left_out[i].builtin] != 0;
        printf("    %s: %s%s\n", builtins[left_out[i].builtin], left_out[i].why, met ? " (but it was met)" : "");
    }
    print_row("types", types, c->types, TIRB_N_DTYPES);
    printf("vectors %llu, calls of functions %llu\n", (unsigned long long)c->vectors,
           (unsigned long long)c->function_calls);
}
