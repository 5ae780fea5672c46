/* Fused forms and what straight code knows: random scalar programs, as they are translated and with a line to each
 * instruction, across which a profiled translation fuses nothing and forgets everything, and multiplies and adds
 * without the processor's help. */
#include "tests/unit/machine_harness.h"
#include "vm/machine/handlers.h"
#include "vm/machine/machine.h"
#include "vm/translate/translate.h"

enum {
    PROGRAMS = 3000,
    ELEMENTS = 16,
    REGISTERS = 8,
    TEXT_SIZE = 1 << 14,
    MAX_LINES = 1024,
    FUEL = 2000,
    CONDITION = 13,
    MOMENT = 14
};

typedef struct writer {
    char *text;
    size_t used;
    uint64_t random;
    unsigned lines, labels;
    unsigned index, ref; /* of the latest access */
    bool named;          /* the register of conditions is read by others as well, */
    bool kept;           /* and the one that results are in for a moment */
} writer;

static unsigned pick(writer *w, unsigned n) {
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (unsigned)(w->random >> 20) % n;
}

static unsigned reg(writer *w) { return pick(w, REGISTERS); }

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(w->text + w->used, TEXT_SIZE - w->used, format, arguments);
    va_end(arguments);
    assert_true(n >= 0 && (size_t)n < TEXT_SIZE - w->used);
    w->used += (size_t)n;
}

/* An instruction, on a line of its own. */
#define PUT(w, ...)                                                                                                    \
    do {                                                                                                               \
        put(w, ".line %u 1\n    ", ++(w)->lines);                                                                      \
        put(w, __VA_ARGS__);                                                                                           \
        put(w, "\n");                                                                                                  \
    } while (0)

static void put_arithmetic(writer *w) {
    static const char *const binary[] = {"add.i32", "add.i64", "mul.i32", "mul.i64", "sub.i32", "min.i32", "max.i32",
                                         "min.i64", "lt.i32",  "and.i32", "or.i32",  "xor.i32", "shl.i32", "shr.i32",
                                         "add.f32", "mul.f32"};
    static const char *const fused[] = {"fma.f32", "fms.f32", "fnma.f32"};
    static const char *const moves[] = {"mov.i32", "mov.i64", "mov.u8", "mov.bool"};
    if (pick(w, 3) == 0)
        PUT(w, "%s s%u, s%u", moves[pick(w, 4)], reg(w), reg(w));
    else if (pick(w, 4) == 0)
        PUT(w, "const.i32 s%u, %d", reg(w), (int)pick(w, ELEMENTS + 2) - 1);
    else if (pick(w, 6) == 0)
        PUT(w, "%s s%u, s%u, s%u, s%u", fused[pick(w, 3)], reg(w), reg(w), reg(w), reg(w));
    else
        PUT(w, "%s s%u, s%u, s%u", binary[pick(w, sizeof binary / sizeof *binary)], reg(w), reg(w), reg(w));
}

/* Registers 8 and 9 hold ELEMENTS - 1 and ELEMENTS: most indices are made to fit. Many accesses are to the element of
 * the one before, which another way may have led past. */
static void put_access(writer *w) {
    static const char *const types[] = {"i32", "u32"};
    bool again = pick(w, 3) == 0;
    unsigned index = again ? w->index : reg(w), ref = again ? w->ref : pick(w, 2);
    const char *type = ref == 0 ? types[pick(w, 2)] : "u8";
    w->index = index;
    w->ref = ref;
    if (!again && pick(w, 8) != 0) PUT(w, "and.i32 s%u, s%u, s8", index, index);
    for (unsigned times = 1 + pick(w, 3); times > 0; times--) {
        if (pick(w, 3) != 0) PUT(w, "index s%u, s%u, %u, \"A\"", index, pick(w, 8) ? 9 : reg(w), pick(w, 3));
        if (pick(w, 3) != 0)
            PUT(w, "load.%s s%u, r%u, s%u", type, reg(w), ref, index);
        else if (pick(w, 2) == 0)
            PUT(w, "store.%s r%u, s%u, s%u", type, ref, index, reg(w));
        if (pick(w, 3) == 0) put_arithmetic(w);
    }
}

static void put_body(writer *w, unsigned depth);

/* A result that the next instruction reads, and most of the time nothing else: or another way leads to that one. The
 * register may be one that holds something else before and behind. */
static void put_moment(writer *w, unsigned depth) {
    static const char *const types[] = {"i32", "u32"};
    static const char *const binary[] = {"add.i32", "sub.i32", "mul.i32", "and.i32", "or.i32", "xor.i32", "shl.i32",
                                         "shr.i32", "min.i32", "max.i32", "add.i64", "mul.i64", "sub.f32", "mul.f32"};
    static const char *const comparisons[] = {"eq.i32", "ne.i32", "lt.i32", "le.i32", "gt.u8", "ge.f32"};
    enum { N_BINARY = sizeof binary / sizeof *binary };
    const unsigned ref = pick(w, 2), index = pick(w, 3) ? w->index : reg(w), label = w->labels++;
    const unsigned moment = pick(w, 3) ? MOMENT : reg(w);
    const bool led = w->kept && pick(w, 4) == 0;
    if (led) PUT(w, "brif s%u, L%u", reg(w), label);
    if (pick(w, 2) == 0) {
        if (pick(w, 2) == 0) PUT(w, "and.i32 s%u, s%u, s8", index, index);
        if (pick(w, 2) == 0) PUT(w, "index s%u, s9, 0, \"A\"", index);
        PUT(w, "load.%s s%u, r%u, s%u", ref == 0 ? types[pick(w, 2)] : "u8", moment, ref, index);
    } else {
        PUT(w, "%s s%u, s%u, s%u", pick(w, 3) ? binary[pick(w, N_BINARY)] : "and.i32", moment, reg(w),
            pick(w, 3) ? reg(w) : 8);
    }
    if (led) put(w, "L%u:\n", label);
    const unsigned other = pick(w, 8) ? reg(w) : moment;
    switch (pick(w, 6)) {
    case 0: PUT(w, "%s s%u, s%u, s%u", binary[pick(w, N_BINARY)], reg(w), moment, other); break;
    case 1: PUT(w, "%s s%u, s%u, s%u", binary[pick(w, N_BINARY)], reg(w), other, moment); break;
    case 2: PUT(w, "store.%s r%u, s%u, s%u", ref == 0 ? "i32" : "u8", ref, index, moment); break;
    case 3:
        if (pick(w, 2) == 0) PUT(w, "index s%u, s9, 0, \"A\"", moment);
        PUT(w, "load.%s s%u, r%u, s%u", ref == 0 ? "i32" : "u8", reg(w), ref, moment);
        if (w->kept) PUT(w, "load.%s s%u, r%u, s%u", ref == 0 ? "i32" : "u8", reg(w), ref, index);
        break;
    case 4:
        PUT(w, "store.%s r%u, s%u, s%u", ref == 0 ? "i32" : "u8", ref, pick(w, 2) ? moment : index, moment);
        break;
    default: {
        const unsigned out = w->labels++;
        const bool first = pick(w, 2);
        PUT(w, "%s s%u, s%u, s%u", comparisons[pick(w, 6)], CONDITION, first ? moment : other, first ? other : moment);
        PUT(w, "brnot s%u, L%u", CONDITION, out);
        if (depth > 0) put_body(w, depth - 1);
        else put_arithmetic(w);
        put(w, "L%u:\n", out);
    }
    }
    if (w->kept && pick(w, 4) == 0) PUT(w, "mov.i64 s%u, s%u", reg(w), moment);
}

/* A comparison of any type; its register is most of the time one that only conditions are in. */
static unsigned put_comparison(writer *w) {
    static const char *const types[] = {"i32", "i32", "i64", "u8", "f32"};
    static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    const unsigned r = pick(w, 4) ? CONDITION : reg(w);
    PUT(w, "%s.%s s%u, s%u, s%u", comparisons[pick(w, 6)], types[pick(w, 5)], r, reg(w), reg(w));
    return r;
}

static void put_choice(writer *w) {
    const unsigned r = put_comparison(w);
    PUT(w, "select.i32 s%u, s%u, s%u, s%u", reg(w), r, reg(w), reg(w));
}

/* What it branches on may come from elsewhere: another way may lead to the branch, and the comparison be another's. */
static void put_branch(writer *w, unsigned depth) {
    unsigned label = w->labels++, middle = w->labels++, r = reg(w);
    const bool led = w->named && pick(w, 3) == 0;
    if (led) PUT(w, "brif s%u, L%u", reg(w), middle);
    if (pick(w, 4) != 0) r = put_comparison(w);
    else if (w->named && pick(w, 2) == 0) r = CONDITION;
    if (led) put(w, "L%u:\n", middle);
    PUT(w, "%s s%u, L%u", pick(w, 2) ? "brif" : "brnot", r, label);
    put_body(w, depth - 1);
    put(w, "L%u:\n", label);
}

/* A way to the label that may lead through a jump. */
static void put_way(writer *w, unsigned label) {
    if (pick(w, 2) == 0) {
        const unsigned other = w->labels++;
        PUT(w, "brif s%u, L%u", reg(w), other);
        put_arithmetic(w);
        PUT(w, "jmp L%u", label);
        put(w, "L%u:\n", other);
    }
    put_arithmetic(w);
    put(w, "L%u:\n", label);
}

/* A loop that ends with its fuel, if not before. */
static void put_while(writer *w, unsigned depth) {
    unsigned head = w->labels++, back = w->labels++, out = w->labels++;
    put(w, "L%u:\n", head);
    const unsigned r = put_comparison(w);
    PUT(w, "brnot s%u, L%u", r, out);
    put_body(w, depth - 1);
    put_way(w, back);
    PUT(w, "back L%u", head);
    put(w, "L%u:\n", out);
}

static void put_counted(writer *w, unsigned depth) {
    unsigned head = w->labels++, end = w->labels++;
    PUT(w, "const.i64 s%u, 0", 9 + depth);
    put(w, "L%u:\n", head);
    put_arithmetic(w); /* a loop needs a body, and what follows may be nothing */
    put_body(w, depth - 1);
    if (pick(w, 4) == 0) put_way(w, end);
    else if (pick(w, 2) == 0) put_access(w);
    PUT(w, "loop s%u, s%u, L%u", 9 + depth, pick(w, 4) ? 9 : reg(w), head);
}

static void put_body(writer *w, unsigned depth) {
    for (unsigned n = 1 + pick(w, 4); n > 0; n--) {
        unsigned kind = pick(w, depth > 0 ? 9 : 6);
        if (kind < 3 && pick(w, 5) == 0) put_choice(w);
        else if (kind < 4 && pick(w, 2) == 0) put_moment(w, depth);
        else if (kind < 3) put_arithmetic(w);
        else if (kind < 6) put_access(w);
        else if (kind == 6) put_branch(w, depth);
        else if (kind == 7) put_while(w, depth);
        else put_counted(w, depth);
    }
}

static void write_program(writer *w) {
    w->used = w->lines = w->labels = 0;
    w->named = pick(w, 3) == 0;
    w->kept = pick(w, 3) == 0;
    put(w, ".source \"f.py\"\n.function \"f\" public returns i64\n.scalars 15\n.ref i32 writable\n.ref u8 writable\n"
           ".scalar \"a\" i64 s0\n.scalar \"b\" i64 s1\n.tensor \"A\" i32 r0 read write (%d)\n"
           ".tensor \"B\" u8 r1 read write (%d)\n", ELEMENTS, ELEMENTS - 2);
    PUT(w, "const.i32 s8, %d", ELEMENTS - 1);
    PUT(w, "const.i64 s9, %d", ELEMENTS);
    put_body(w, 3);
    PUT(w, "ret.i64 s%u", w->named && pick(w, 2) ? CONDITION : reg(w));
    put(w, ".end\n");
}

typedef struct memory {
    int32_t a[ELEMENTS];
    uint8_t b[ELEMENTS - 2];
} memory;

static outcome run_code(const harness *h, bool profiled, memory *m) {
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_heap heap;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_code *code = NULL;
    const tirb_isa isa = !profiled && tirb_isa_available(TIRB_ISA_AVX2) ? TIRB_ISA_AVX2 : TIRB_ISA_GENERIC;
    assert_int_equal(tirbi_code_create(h->program, isa, profiled, &heap, &code, &error), TIRB_OK);
    static uint64_t runs[MAX_LINES];
    tirbi_profile profile = {.runs = runs};
    atomic_uint stop = 0;
    for (int i = 0; i < ELEMENTS; i++) m->a[i] = i * 5 % 13 - 2;
    for (int i = 0; i < ELEMENTS - 2; i++) m->b[i] = (uint8_t)(i * 7);
    tirbi_ref refs[] = {{.data = (uint8_t *)m->a, .size = sizeof m->a, .type = TIRB_I32, .writable = true},
                        {.data = m->b, .size = sizeof m->b, .type = TIRB_U8, .writable = true}};
    tirbi_run run = {.code = code, .heap = &heap, .stop = &stop, .fuel = FUEL, .max_depth = 2, .host = tirbi_fpu_read(),
                     .profile = profiled ? &profile : NULL};
    outcome out = {.error = TIRB_ERROR_INIT};
    out.status = harness_execute(&run, (uint64_t[]){3, 7}, refs, &out.result, &out.error);
    out.fuel_used = run.fuel_used;
    out.trap_offset = out.status == TIRB_OK ? 0 : run.trap_offset;
    tirbi_code_destroy(code);
    return out;
}

static void fused_as_unfused(void **state) {
    (void)state;
    static char text[TEXT_SIZE];
    writer w = {.text = text, .random = 88172645463325252u};
    unsigned trapped = 0, returned = 0;
    for (unsigned i = 0; i < PROGRAMS; i++) {
        write_program(&w);
        assert_true(w.lines < MAX_LINES);
        harness h;
        harness_open(&h, text);
        memory fused_memory = {0}, memory_of_lines = {0};
        outcome fused = run_code(&h, false, &fused_memory), by_lines = run_code(&h, true, &memory_of_lines);
        if (fused.status != by_lines.status || fused.fuel_used != by_lines.fuel_used ||
            fused.trap_offset != by_lines.trap_offset || strcmp(fused.error.message, by_lines.error.message) != 0 ||
            (fused.status == TIRB_OK && fused.result != by_lines.result) ||
            memcmp(&fused_memory, &memory_of_lines, sizeof fused_memory) != 0)
            harness_fail(&h, "program %u: %s at %u, and by lines %s at %u", i, fused.error.message, fused.trap_offset,
                         by_lines.error.message, by_lines.trap_offset);
        if (fused.status == TIRB_OK) returned++;
        else trapped++;
        harness_close(&h);
    }
    assert_true(trapped > PROGRAMS / 10 && returned > PROGRAMS / 10);
}

/* Programs of a and b, 3 and 7, in which s2 holds something else as well: the sum goes into the product behind it,
 * whether it is read again, in one way or another, or not at all. */
#define SUM_AND_PRODUCT "    add.i32 s2, s0, s1\n    mul.i32 s3, s2, s0\n"

static void run_text(const char *rest, uint64_t result) {
    static char text[TEXT_SIZE];
    snprintf(text, sizeof text, ".function \"f\" public returns i64\n.scalars 6\n.scalar \"a\" i64 s0\n"
             ".scalar \"b\" i64 s1\n%s", rest);
    harness h;
    harness_open(&h, text);
    memory m = {0};
    const outcome fused = run_code(&h, false, &m), by_lines = run_code(&h, true, &m);
    if (fused.status != TIRB_OK || fused.result != result || by_lines.result != result)
        harness_fail(&h, "%s %llu, by lines %llu, expected %llu", fused.error.message,
                     (unsigned long long)fused.result, (unsigned long long)by_lines.result, (unsigned long long)result);
#if !defined(__clang__) || defined(TIRB_SWITCH_DISPATCH)
    const unsigned both =
        TIRBI_HANDLER(TIRBI_INTO(BINARY, (ADD, add, I32, i32), BINARY, (MUL, mul, I32, i32)));
    unsigned found = 0;
    for (unsigned i = 0; i < h.codes[0]->functions[0].all.n; i++)
        found += h.codes[0]->functions[0].words[i].op == both;
    assert_int_equal(found, 1);
#endif
    harness_close(&h);
}

static void results_that_nothing_else_reads(void **state) {
    (void)state;
    run_text(SUM_AND_PRODUCT "    mov.i32 s2, s1\n    add.i32 s4, s2, s3\n    add.i32 s4, s4, s2\n"
             "    ret.i64 s4\n.end\n", 44);
    run_text("    const.i32 s2, 0\n    mov.i32 s4, s2\n    add.i32 s5, s4, s2\n"
             "L1:\n" SUM_AND_PRODUCT "    lt.i32 s2, s4, s1\n    add.i32 s5, s5, s3\n    add.i32 s5, s5, s2\n"
             "    add.i32 s4, s4, s0\n    brnot s2, L2\n    back L1\nL2:\n    ret.i64 s5\n.end\n", 123);
}

static void results_that_are_read_again(void **state) {
    (void)state;
    run_text("    mov.i32 s2, s1\n    mul.i32 s4, s2, s2\n    add.i32 s4, s4, s2\n" SUM_AND_PRODUCT
             "    sub.i32 s5, s1, s0\n    add.i32 s4, s3, s2\n    ret.i64 s4\n.end\n", 40);
}

static void results_that_are_read_behind_jumps(void **state) {
    (void)state;
    /* forwards, on one of two ways; */
    run_text(SUM_AND_PRODUCT "    lt.i32 s4, s3, s1\n    brnot s4, L1\n    mov.i32 s2, s0\n"
             "L1:\n    add.i32 s5, s3, s2\n    ret.i64 s5\n.end\n", 40);
    /* past a write of the register; */
    run_text(SUM_AND_PRODUCT "    brif s0, L1\n    mov.i32 s2, s0\n    add.i32 s3, s3, s2\n    ret.i64 s3\n"
             "L1:\n    add.i32 s5, s3, s2\n    ret.i64 s5\n.end\n", 40);
    /* backwards, in the next iteration of a loop, and of one around a loop; */
    run_text("    mov.i32 s2, s0\n    mov.i32 s4, s0\n"
             "L1:\n    sub.i32 s5, s2, s4\n    add.i32 s4, s4, s5\n" SUM_AND_PRODUCT
             "    lt.i32 s5, s4, s1\n    brnot s5, L2\n    back L1\nL2:\n    ret.i64 s4\n.end\n", 10);
    run_text("    mov.i32 s2, s0\n    mov.i32 s4, s0\n"
             "L1:\n    sub.i32 s5, s2, s4\n    add.i32 s4, s4, s5\n"
             "L2:\n" SUM_AND_PRODUCT "    sub.i32 s5, s0, s0\n    brnot s5, L3\n    back L2\n"
             "L3:\n    lt.i32 s5, s4, s1\n    brnot s5, L4\n    back L1\nL4:\n    ret.i64 s4\n.end\n", 10);
    /* by way of the inner loop's head. */
    run_text("    mov.i32 s2, s0\n    mov.i32 s4, s0\n"
             "L1:\n    sub.i32 s5, s2, s4\n    add.i32 s4, s4, s5\n    lt.i32 s5, s4, s1\n    brnot s5, L4\n"
             "L2:\n    brnot s5, L3\n" SUM_AND_PRODUCT "    sub.i32 s5, s0, s0\n    back L2\n"
             "L3:\n    back L1\nL4:\n    ret.i64 s4\n.end\n", 10);
}

static void results_that_are_read_behind_calls(void **state) {
    (void)state;
    static const char called[] = ".function \"g\"\n.scalars 3\n    const.i32 s2, 5\n    ret.void\n.end\n";
    char text[1024];
    snprintf(text, sizeof text, SUM_AND_PRODUCT "    call \"g\" s4 () ()\n    add.i32 s4, s3, s2\n"
             "    ret.i64 s4\n.end\n%s", called);
    run_text(text, 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_as_unfused),
        cmocka_unit_test(results_that_nothing_else_reads),
        cmocka_unit_test(results_that_are_read_again),
        cmocka_unit_test(results_that_are_read_behind_jumps),
        cmocka_unit_test(results_that_are_read_behind_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
