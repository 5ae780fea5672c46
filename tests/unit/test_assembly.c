/* The assembler's errors name their place, and no stage of the loader loses memory or crashes when memory runs out. */
#include "tests/unit/loader_fixture.h"
#include "tests/unit/sample_program.h"
#include "tests/unit/sampled.h"

static void rejects(const char *text, unsigned line, unsigned column, const char *reason) {
    fixture f;
    fixture_open(&f);
    tirbi_program *program = NULL;
    tirb_status status = tirbi_assemble(text, strlen(text), &f.arena, &program, &f.error);
    if (status != TIRB_SYNTAX || f.error.line != line || f.error.column != column || !strstr(f.error.message, reason)) {
        fail_msg("%s at %u:%u '%s', not at %u:%u '%s'", tirb_status_name(status), f.error.line, f.error.column,
                 f.error.message, line, column, reason);
    }
    fixture_close(&f);
}

#define BODY(lines) ".function \"f\"\n" lines "\n.end\n"

static void test_module_lines(void **state) {
    (void)state;
    rejects("nop\n", 1, 1, "expected .fp, .source, .string, .import, .constant, .data or .function, found 'nop'");
    rejects("\n  .fp quick\n", 2, 7, "expected precise, strict or fast, found 'quick'");
    rejects(".fp fast fast\n", 1, 10, "expected the end of the line");
    rejects(".string f\n", 1, 9, "expected a string, found 'f'");
    rejects(".string \"abc\n", 1, 9, "the string has no end");
    rejects(".string \"abc\\", 1, 9, "the string has no end");
    rejects(".string \"\\xg0\"\n", 1, 9, "\\x without two digits");
    rejects(".string \"\\x1\"\n", 1, 9, "\\x without two digits");
    rejects(".data 00\n", 1, 7, "there is no .constant before its .data");
    rejects(".constant u8\n.data 000\n", 2, 7, "expected pairs of hexadecimal digits, found '000'");
    rejects(".constant u8\n.data 0g\n", 2, 7, "expected pairs of hexadecimal digits, found '0g'");
    rejects(".constant u8\n.data g0\n", 2, 7, "expected pairs of hexadecimal digits, found 'g0'");
    rejects(".constant u8\n.data \"00\"\n", 2, 7, "expected pairs of hexadecimal digits");
    rejects(".source\n", 1, 8, "expected a string, found the end of the line");
    rejects(".function \"f\"\nret.void\n", 3, 1, "the function has no .end");
    rejects(".function \"f\" returns f31\n", 1, 23, "expected a type, found 'f31'");
}

static void test_signature_lines(void **state) {
    (void)state;
    rejects(BODY(".scalars x"), 2, 10, "expected a number, found 'x'");
    rejects(BODY(".scalars 65536"), 2, 10, "65536 is not in 0 .. 65535");
    rejects(BODY(".lanes 256"), 2, 8, "256 is not in 0 .. 255");
    rejects(BODY(".ref"), 2, 5, "expected a type");
    rejects(BODY(".red f32 sub"), 2, 10, "expected add, mul, min or max");
    rejects(BODY(".scalar \"x\" f32 r0"), 2, 17, "expected s0 .. s65535, found 'r0'");
    rejects(BODY(".tensor \"x\" f32 r0 read"), 2, 24, "expected '('");
    rejects(BODY(".tensor \"x\" f32 r0 (1 pow)"), 2, 23, "expected a term of a dimension, found 'pow'");
    rejects(BODY(".tensor \"x\" f32 r0 (1 2) strides (1)"), 2, 34, "1 strides for 2 dimensions");
    rejects(BODY(".tensor \"x\" f32 r0 (1 2) minima (1)"), 2, 33, "1 minima for 2 dimensions");
    rejects(BODY(".tensor \"x\" f32 r0 () minima ()"), 2, 30, "0 minima for 0 dimensions");
    rejects(BODY(".requires 1 = 2"), 2, 13, "expected a relation such as <=, found '='");
    rejects(BODY(".requires 1 <="), 2, 15, "expected a term of a dimension");
    rejects(BODY(".tensor \"x\" f32 r0 ({1 2"), 2, 25, "expected a term of a dimension");
    rejects(BODY(".var \"n\" i64 s0 param x"), 2, 23, "expected a number");
}

static void test_code_lines(void **state) {
    (void)state;
    rejects(BODY("add s0, s1, s2"), 2, 1, "expected an instruction, found 'add'");
    rejects(BODY("add.bool s0, s1, s2"), 2, 1, "expected an instruction, found 'add.bool'");
    rejects(BODY("add.f31 s0, s1, s2"), 2, 1, "expected an instruction");
    rejects(BODY("add.f32 s0, s1"), 2, 15, "expected s0 .. s65535, found the end of the line");
    rejects(BODY("add.f32 s0, s1, s2, s3"), 2, 21, "expected the end of the line, found 's3'");
    rejects(BODY("add.f32 s0, s1, v2"), 2, 17, "found 'v2'");
    rejects(BODY("add.f32 s0, s1, s65536"), 2, 17, "found 's65536'");
    rejects(BODY("const.i8 s0, 1.5"), 2, 14, "expected a number");
    rejects(BODY("const.i32 s0, 2147483648"), 2, 15, "2147483648 is not in");
    rejects(BODY("const.i64 s0, 99999999999999999999"), 2, 15, "expected a number");
    rejects(BODY("const.f32 s0, one"), 2, 15, "expected bits or a decimal");
    rejects(BODY("const64 s0, one"), 2, 13, "expected a number");
    rejects(BODY("load.f32 s0, r0, 16384"), 2, 18, "16384 is not in -16384 .. 16383");
    rejects(BODY("jmp nowhere"), 2, 5, "there is no label 'nowhere'");
    rejects(BODY("jmp @x"), 2, 5, "expected an offset");
    rejects(BODY("here: nop\nhere: nop"), 3, 1, "the label 'here' stands twice");
    rejects(BODY("call \"g\", s0, () ()"), 2, 6, "there is no function 'g'");
    rejects(BODY("call \"f\", s0, (s1 ()"), 2, 19, "found '('");
    rejects(BODY("cast.f32 s0, s1, f31"), 2, 18, "expected a type");
    rejects(BODY(".inner 3"), 2, 8, ".inner stands right after lane");
    rejects(BODY(".cursor r0 f32 read 0 0 1"), 2, 9, ".cursor stands after lane");
    rejects(BODY("lane 1, out\n.cursor r0 f32 peek 0 0 1\nout: lane.end"), 3, 16, "expected read, write or readwrite");
    rejects(BODY("lane 1, out\n.cursor r0 f32 read 0 0 1\n.inner 3\nout: lane.end"), 4, 8, ".inner stands right after");
    rejects(BODY("lane 1, out\n.inner 1\n.inner 1\n.inner 1\n.inner 1\n.inner 1\n.inner 1\n.inner 1\nout: lane.end"), 9,
            8, "more than 6 inner loops");
    rejects(BODY("nop nop"), 2, 5, "expected the end of the line");
    rejects(BODY("( nop"), 2, 1, "expected the end of the line, found '('");
}

/* Text that is not written as the disassembler would, but means the same. */
static void test_spelling(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    tirbi_writer a = fixture_bundle(&f, fixture_assemble(&f, ".function \"f\"\r\n.scalars 0x3\r\nx:\ty: nop;comment\r\n"
                                                             "add.float32 s0 s1,s2\njmp @16\nret.void\n.end"));
    tirbi_writer b = fixture_bundle(&f, fixture_assemble(&f, ".string \"f\"\n.function #0\n.scalars 3\n  nop\n"
                                                             "  add.f32 s0, s1, s2\n  jmp z\nz: ret.void\n.end\n"));
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    tirbi_writer_destroy(&a);
    tirbi_writer_destroy(&b);
    fixture_close(&f);
}

/* Where two strings are equal, the second has no text that finds it: calls of a function named by it use its number. */
static void test_equal_names(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    tirbi_program *program =
        fixture_assemble(&f, ".string \"f\"\n.string \"f\"\n.function #1 public\n.scalars 1\n.scalar #0 i32 s0\n"
                             "call #0, s0, (s0) ()\nret.void\n.end\n");
    tirbi_writer text, bytes = fixture_bundle(&f, program);
    tirbi_writer_init(&text, &f.heap);
    fixture_ok(&f, tirbi_disassemble(program, &text, &f.error), "disassemble");
    tirbi_program *again = NULL;
    fixture_ok(&f, tirbi_assemble((const char *)text.data, text.size, &f.arena, &again, &f.error), "assemble");
    tirbi_writer same = fixture_bundle(&f, again);
    assert_int_equal(same.size, bytes.size);
    assert_memory_equal(same.data, bytes.data, same.size);
    tirbi_writer_destroy(&text);
    tirbi_writer_destroy(&bytes);
    tirbi_writer_destroy(&same);
    fixture_close(&f);
}

/* ---- Failing memory -------------------------------------------------------------------------------------------- */

typedef struct failing {
    unsigned left;
    long live;
} failing;

static void *fail_after(void *context, void *ptr, size_t old_size, size_t new_size) {
    failing *f = (failing *)context;
    (void)old_size;
    if (new_size == 0) {
        f->live -= ptr != NULL;
        free(ptr);
        return NULL;
    }
    if (f->left == 0) return NULL;
    f->left--;
    f->live += ptr == NULL;
    return realloc(ptr, new_size);
}

/* Text to program to bundle to program to text, verified; every step may fail for want of memory only. */
static tirb_status whole_way(tirbi_heap *heap, const char *text, size_t size, tirb_error *error) {
    tirbi_arena arena;
    tirbi_writer bytes, again;
    tirbi_program *program = NULL;
    tirbi_program *restored = NULL;
    tirbi_arena_init(&arena, heap);
    tirbi_writer_init(&bytes, heap);
    tirbi_writer_init(&again, heap);
    tirb_status status = tirbi_assemble(text, size, &arena, &program, error);
    if (status == TIRB_OK) status = tirbi_verify(program, heap, error);
    if (status == TIRB_OK) status = tirbi_bundle_write(program, heap, &bytes, error);
    if (status == TIRB_OK) status = tirbi_bundle_read(bytes.data, bytes.size, 1 << 20, &arena, &restored, error);
    if (status == TIRB_OK) status = tirbi_disassemble(restored, &again, error);
    tirbi_writer_destroy(&bytes);
    tirbi_writer_destroy(&again);
    tirbi_arena_destroy(&arena);
    return status;
}

static void sweep(const char *text, size_t size) {
    tirb_status status = TIRB_NO_MEMORY;
    unsigned n = 0;
    for (; status != TIRB_OK; n += sampled_every()) {
        failing memory = {.left = n};
        tirb_allocator allocator = {fail_after, &memory};
        tirbi_heap heap;
        tirb_error error = TIRB_ERROR_INIT;
        tirbi_heap_init(&heap, &allocator, UINT64_MAX);
        status = whole_way(&heap, text, size, &error);
        if (status != TIRB_OK && status != TIRB_NO_MEMORY) fail_msg("%s: %s", tirb_status_name(status), error.message);
        assert_int_equal(error.code, status);
        assert_int_equal(memory.live, 0);
        assert_in_range(n, 0, 10000);
    }
    assert_true(n > 10);
}

static void test_failing_memory(void **state) {
    (void)state;
    sweep(sample_program, sizeof(sample_program) - 1);
    /* Large enough for zstd. */
    fixture f;
    fixture_open(&f);
    tirbi_writer text;
    tirbi_writer_init(&text, &f.heap);
    for (unsigned i = 0; i < 500; i++) {
        char function[160];
        int size = snprintf(function, sizeof(function),
                            ".function \"f%u\"\n.scalars 3\nadd.i32 s0, s1, s2\nret.void\n.end\n", i);
        tirbi_write_bytes(&text, function, (size_t)size);
    }
    sweep((const char *)text.data, text.size);
    tirbi_writer_destroy(&text);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_module_lines), cmocka_unit_test(test_signature_lines),
                                       cmocka_unit_test(test_code_lines), cmocka_unit_test(test_equal_names),
                                       cmocka_unit_test(test_spelling), cmocka_unit_test(test_failing_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
