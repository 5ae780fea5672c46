/* Each check of the verifier refuses what only it refuses, and says why; nothing that is right is refused. */
#include "tests/unit/loader_fixture.h"

#include "loader/base/work.h"
#include "tests/unit/sample_program.h"

static tirb_status verify_text(fixture *f, const char *text) {
    const tirbi_program *program = fixture_assemble(f, text);
    return tirbi_verify(program, &f->heap, &f->error);
}

static void accepts(const char *text) {
    fixture f;
    fixture_open(&f);
    fixture_ok(&f, verify_text(&f, text), text);
    fixture_close(&f);
}

static void assert_reason(const fixture *f, tirb_status status, const char *reason, const char *what) {
    if (status != TIRB_VERIFY || !strstr(f->error.message, reason)) {
        fail_msg("%s '%s' does not say '%s' of:\n%s", tirb_status_name(status), f->error.message, reason, what);
    }
}

static void rejects(const char *text, const char *reason) {
    fixture f;
    fixture_open(&f);
    assert_reason(&f, verify_text(&f, text), reason, text);
    fixture_close(&f);
}

/* A function with registers of all kinds, whose code is `code`. */
#define FUNCTION(code)                                                    \
    ".function \"f\"\n.scalars 8\n.lanes 4\n"                             \
    ".ref f32\n.ref f32 writable\n.ref i32 writable\n.ref f64 writable\n" \
    ".red f32 add\n.red f32 max\n.red f64 add\n" code "\n.end\n"
#define BODY(code) FUNCTION(code "\nret.void")

/* ---- Names ----------------------------------------------------------------------------------------------------- */

static void test_names(void **state) {
    (void)state;
    accepts(".function \"f\"\nret.void\n.end\n.function \"g\"\nret.void\n.end\n.function \"fg\"\nret.void\n.end\n");
    accepts(".function \"caf\xc3\xa9\"\nret.void\n.end\n");
    accepts(".string \"\xe2\x82\xac \xf0\x9f\x98\x80 \xed\x9f\xbf \xef\xbf\xbf \xf4\x8f\xbf\xbf \\n\"\n");
    rejects(".function \"f\"\nret.void\n.end\n.function \"g\"\nret.void\n.end\n.function \"f\"\nret.void\n.end\n",
            "two functions are called 'f'");
    rejects(".function \"\"\nret.void\n.end\n", "function 0: a name of 0 bytes");
    rejects(".function \"a b\"\nret.void\n.end\n", "byte 0x20 in its name");
    rejects(".function \"a\\x7f\"\nret.void\n.end\n", "byte 0x7f in its name");
    rejects(".function #9\nret.void\n.end\n", "string 9 >= 0");
    rejects(".source #3\n", "source file: string 3 >= 0");
    static const char *const bad_text[] = {
        ".string \"\\x00\"\n",
        ".string \"\\x80\"\n",
        ".string \"\\xc1\\x81\"\n",
        ".string \"\\xc3\"\n",
        ".string \"\\xc3(\"\n",
        ".string \"\\xe0\\x9f\\xbf\"\n",
        ".string \"\\xed\\xa0\\x80\"\n",
        ".string \"\\xe2\\x82\"\n",
        ".string \"\\xe2\\x82(\"\n",
        ".string \"\\xf0\\x8f\\xbf\\xbf\"\n",
        ".string \"\\xf4\\x90\\x80\\x80\"\n",
        ".string \"\\xff\"\n",
    };
    for (unsigned i = 0; i < sizeof(bad_text) / sizeof(bad_text[0]); i++) rejects(bad_text[i], "string 0 is not UTF-8");
    char text[1200] = ".function \"";
    memset(text + 11, 'a', 1025);
    strcpy(text + 11 + 1025, "\"\nret.void\n.end\n");
    rejects(text, "a name of 1025 bytes, not 1 to 1024");
}

static void test_aliases(void **state) {
    (void)state;
#define ALIASES(lines)                                                                                        \
    ".function \"f\"\n.scalars 1\n.ref f32\n.ref f32 writable\n.ref i8\n"                                  \
    ".tensor \"A\" f32 r0 read (4)\n.tensor \"B\" f32 r1 write (4)\n.tensor \"C\" i8 r2 read (4)\n" \
    ".scalar \"n\" i32 s0\n" lines "ret.void\n.end\n"
    accepts(ALIASES(".alias 0 1\n"));
    accepts(ALIASES(".alias 0 1\n.alias 0 2\n.alias 1 2\n"));
    rejects(ALIASES(".alias 1 1\n"), "alias 0: parameters 1 and 1 do not ascend");
    rejects(ALIASES(".alias 1 0\n"), "alias 0: parameters 1 and 0 do not ascend");
    rejects(ALIASES(".alias 0 4\n"), "alias 0: parameter 4 >= 4");
    rejects(ALIASES(".alias 0 3\n"), "alias 0: parameter 3 is no tensor");
    rejects(".function \"f\"\n.scalars 1\n.ref f32\n.scalar \"n\" i32 s0\n.tensor \"A\" f32 r0 read (4)\n.alias 0 1\n"
            "ret.void\n.end\n",
            "alias 0: parameter 0 is no tensor");
    rejects(ALIASES(".alias 0 1\n.alias 0 1\n"), "alias 1: 0 and 1 stand behind 0 and 1");
    rejects(ALIASES(".alias 1 2\n.alias 0 1\n"), "alias 1: 0 and 1 stand behind 1 and 2");
    rejects(ALIASES(".alias 0 2\n.alias 0 1\n"), "alias 1: 0 and 1 stand behind 0 and 2");
    rejects(".function \"r\" region\n.scalars 2\n.ref f32\n.ref f32\n.scalar \"begin\" i64 s0\n.scalar \"end\" i64 s1\n"
            ".tensor \"A\" f32 r0 read (4)\n.tensor \"B\" f32 r1 read (4)\n.alias 2 3\nret.void\n.end\n",
            "a region has no aliases");
}

static void test_conditions(void **state) {
    (void)state;
#define CONDITIONS(line) \
    ".function \"f\"\n.scalars 2\n.var \"n\" i64 s0\n.scalar \"k\" i32 s1\n" line "\nret.void\n.end\n"
    accepts(CONDITIONS(".requires $0 < 4\n.requires $0 <= 4\n.requires $0 > {-4}\n.requires {$0 2 floormod} == 0\n"
                       ".requires 1 >= 1\n.requires $0 != 3"));
    rejects(CONDITIONS(".requires $1 < 4"), "condition 0: its left side: shape variable 1 >= 1");
    rejects(CONDITIONS(".requires $0 < 4\n.requires 4 > $1"), "condition 1: its right side: shape variable 1 >= 1");
    rejects(".function \"r\" region\n.scalars 2\n.scalar \"begin\" i64 s0\n.scalar \"end\" i64 s1\n.requires 0 < 1\n"
            "ret.void\n.end\n",
            "a region has no conditions");
}

static void test_many_conditions(void **state) {
    (void)state;
    for (unsigned n = 4096; n <= 4097; n++) {
        fixture f;
        tirbi_writer text;
        fixture_open(&f);
        tirbi_writer_init(&text, &f.heap);
        static const char head[] = ".function \"f\"\n", line[] = ".requires 0 < 1\n", tail[] = "ret.void\n.end\n";
        tirbi_write_bytes(&text, head, sizeof head - 1);
        for (unsigned i = 0; i < n; i++) tirbi_write_bytes(&text, line, sizeof line - 1);
        tirbi_write_bytes(&text, tail, sizeof tail); /* with its end */
        tirb_status status = verify_text(&f, (const char *)text.data);
        if (n == 4096) fixture_ok(&f, status, "as many conditions as there may be");
        else assert_reason(&f, status, "4097 conditions, at most 4096", "one more");
        tirbi_writer_destroy(&text);
        fixture_close(&f);
    }
}

static void test_minima(void **state) {
    (void)state;
#define MINIMA(minima) \
    ".function \"f\"\n.scalars 1\n.ref f32\n.var \"n\" i64 s0\n.tensor \"A\" f32 r0 read ($0 4)" minima "ret.void\n.end\n"
    accepts(MINIMA(" minima (-3 {$0 2 sub})\n"));
    rejects(MINIMA(" minima (0 $1)\n"), "parameter 0: a minimum: shape variable 1 >= 1");
    rejects(".function \"r\" region\n.scalars 2\n.ref f32\n.scalar \"begin\" i64 s0\n.scalar \"end\" i64 s1\n"
            ".tensor \"A\" f32 r0 read (4) minima (1)\nret.void\n.end\n",
            "parameter 2 of a region has minima");
}

/* Many functions in an order that the sort has to change. */
static void test_many_names(void **state) {
    (void)state;
    for (unsigned duplicate = 0; duplicate < 2; duplicate++) {
        fixture f;
        fixture_open(&f);
        tirbi_writer text;
        tirbi_writer_init(&text, &f.heap);
        for (unsigned i = 0; i < 500; i++) {
            char function[64];
            unsigned number = duplicate && i == 499 ? 0 : i * 7919 % 500;
            int size = snprintf(function, sizeof(function), ".function \"n%u\"\nret.void\n.end\n", number);
            tirbi_write_bytes(&text, function, (size_t)size);
        }
        tirbi_write_u8(&text, 0);
        tirb_status status = verify_text(&f, (const char *)text.data);
        assert_int_equal(status, duplicate ? TIRB_VERIFY : TIRB_OK);
        tirbi_writer_destroy(&text);
        fixture_close(&f);
    }
}

/* ---- Signatures ------------------------------------------------------------------------------------------------ */

#define SIGNATURE(lines) ".function \"f\"\n.scalars 4\n.ref f32\n.ref f32 writable\n" lines "\nret.void\n.end\n"

static void test_registers(void **state) {
    (void)state;
    accepts(".function \"f\"\n.scalars 32768\n.lanes 64\nret.void\n.end\n");
    rejects(".function \"f\"\n.scalars 32769\nret.void\n.end\n", "32769 scalar registers, at most 32768");
    rejects(".function \"f\"\n.lanes 65\nret.void\n.end\n", "65 lane registers, at most 64");
    char text[1024] = ".function \"f\"\n";
    for (unsigned i = 0; i < 17; i++) strcat(text, ".red f32 add\n");
    strcat(text, "ret.void\n.end\n");
    rejects(text, "17 reduction states, at most 16");
    rejects(".function \"f\"\n.red f16 add\nret.void\n.end\n", "reduction state 0: type 9 is not f32 or f64");
}

static void test_params(void **state) {
    (void)state;
    accepts(
        SIGNATURE(".var \"n\" u8 s0\n.tensor \"A\" f32 r0 read ($0 {1 $0 add 2 $0 mul sub}) strides (1 1) offset $0"));
    accepts(SIGNATURE(".scalar \"n\" i32 s0\n.var \"n\" i32 s0 param 0"));
    rejects(SIGNATURE(".scalar \"n\" i32 s4"), "parameter 0: scalar register 4 >= 4");
    rejects(SIGNATURE(".scalar \"n\" i32 s0\n.scalar \"n\" i32 s1"), "two parameters are called 'n'");
    rejects(SIGNATURE(".scalar \"n\" i32 s0\n.scalar \"m\" i32 s0"), "parameter 1: register s0 is taken already");
    rejects(SIGNATURE(".scalar \"\" i32 s0"), "parameter 0: a name of 0 bytes");
    rejects(SIGNATURE(".scalar #99 i32 s0"), "parameter 0: string 99 >= 1");
    rejects(SIGNATURE(".tensor \"A\" f32 r2 read ()"), "parameter 0: reference register 2 >= 2");
    rejects(SIGNATURE(".tensor \"A\" f32 r0 read ()\n.tensor \"B\" f32 r0 read ()"), "register r0 is taken already");
    rejects(SIGNATURE(".tensor \"A\" i32 r0 read ()"), "parameter 0 is i32, its register r0 is f32");
    rejects(SIGNATURE(".tensor \"A\" f32 r1 read ()"), "parameter 0 is not written, its register r1 is writable");
    rejects(SIGNATURE(".tensor \"A\" f32 r0 write ()"), "parameter 0 is written, its register r0 is not writable");
    accepts(SIGNATURE(".tensor \"A\" f32 r0 (1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1)"));
    rejects(SIGNATURE(".tensor \"A\" f32 r0 (1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1)"), "17 dimensions, at most 16");
}

static void test_dims(void **state) {
    (void)state;
    accepts(SIGNATURE(".tensor \"A\" f32 r0 ({1 -2 mul}) strides (-1)"));
    rejects(SIGNATURE(".tensor \"A\" f32 r0 (-1)"), "parameter 0: extent -1 < 0");
    rejects(SIGNATURE(".tensor \"A\" f32 r0 ($0)"), "an extent: shape variable 0 >= 0");
    rejects(SIGNATURE(".var \"n\" i64 s0\n.tensor \"A\" f32 r0 ($-1)"), "an extent: shape variable -1 >= 1");
    rejects(SIGNATURE(".tensor \"A\" f32 r0 ({})"), "an extent of 0 terms");
    rejects(SIGNATURE(".tensor \"A\" f32 r0 ({1 add 2})"), "an extent: term 1 has 1 operands, not 2");
    rejects(SIGNATURE(".tensor \"A\" f32 r0 ({1 2})"), "an extent leaves 2 values, not 1");
    rejects(SIGNATURE(".tensor \"A\" f32 r0 (1) strides ({1 2})"), "a stride leaves 2 values, not 1");
    rejects(SIGNATURE(".tensor \"A\" f32 r0 (1) offset {1 2}"), "the offset leaves 2 values, not 1");
}

static void test_results(void **state) {
    (void)state;
#define RESULTS(flags, lines) ".function \"f\" " flags "\n.ref f32 writable\n.ref f32 writable\n" lines "\nret.void\n.end\n"
    accepts(RESULTS("public", ".tensor \"A\" f32 r0 write (4)\n.tensor \"y\" f32 r1 read write () result"));
    accepts(RESULTS("public", ".tensor \"y\" f32 r0 write (4) result\n.tensor \"z\" f32 r1 write () result"));
    rejects(RESULTS("public", ".tensor \"y\" f32 r0 write (4) result\n.tensor \"A\" f32 r1 write ()"),
            "parameter 1 comes after a result");
    rejects(RESULTS("", ".tensor \"y\" f32 r0 write (4) result"), "parameter 0 is a result of a private function");
    rejects(RESULTS("public packed", ".tensor \"y\" f32 r0 write (4) result"),
            "parameter 0 is a result of a packed function");
    rejects(RESULTS("public", ".tensor \"y\" f32 r0 write (4) strides (1) result"),
            "parameter 0 is a result with strides");
    rejects(RESULTS("public", ".tensor \"y\" f32 r0 write (4) offset 0 result"),
            "parameter 0 is a result with an offset");
}

static void test_vars(void **state) {
    (void)state;
    rejects(SIGNATURE(".var \"n\" f32 s0"), "shape variable 0: type 11 is not an integer type");
    rejects(SIGNATURE(".var \"n\" i64 s4"), "shape variable 0: scalar register 4 >= 4");
    rejects(SIGNATURE(".var \"n\" i64 s0\n.var \"m\" i64 s0"), "shape variable 1: register s0 is taken already");
    rejects(SIGNATURE(".var \"n\" i64 s0\n.scalar \"m\" i64 s0"), "shape variable 0: register s0 is taken already");
    rejects(SIGNATURE(".var \"\" i64 s0"), "shape variable 0: a name of 0 bytes");
    rejects(SIGNATURE(".var \"n\" i64 s0 param 0"), "parameter 0 is not a scalar parameter");
    rejects(SIGNATURE(".var \"n\" i64 s0 param 0\n.tensor \"A\" f32 r0 ()"), "parameter 0 is not a scalar parameter");
    rejects(SIGNATURE(".scalar \"n\" i64 s0\n.var \"n\" i64 s1 param 0"), "but its parameter is s0");
    rejects(SIGNATURE(".scalar \"n\" i64 s0\n.var \"n\" i32 s0 param 0"), "but its parameter is s0 of type 4");
    rejects(SIGNATURE(".scalar \"n\" i64 s0\n.var \"n\" i64 s0 param 0\n.var \"m\" i64 s0 param 0"),
            "shape variable 1: register s0 is taken already");
}

/* What no assembly can say: fields out of their range, set in an assembled program. */
typedef void (*alteration)(tirbi_program *p, tirbi_function *f);

#define ALTER(name, change)                                 \
    static void name(tirbi_program *p, tirbi_function *f) { \
        (void)p;                                            \
        (void)f;                                            \
        change;                                             \
    }
#define MUTABLE(type, pointer) ((type *)(uintptr_t)(pointer))
ALTER(no_change, (void)0)
ALTER(bad_fp_mode, p->fp_mode = 3)
ALTER(bad_return_type, (f->returns = true, f->return_type = 13))
ALTER(bad_ref_type, MUTABLE(tirbi_ref_type, f->refs)[1].dtype = 13)
ALTER(bad_red_op, MUTABLE(tirbi_red_type, f->reds)[0].op = 4)
ALTER(bad_param_type, MUTABLE(tirbi_param, f->params)[0].dtype = 13)
ALTER(bad_param_kind, MUTABLE(tirbi_param, f->params)[0].kind = 2)
ALTER(bad_access, MUTABLE(tirbi_param, f->params)[0].access = 4)
ALTER(scalar_access, MUTABLE(tirbi_param, f->params)[1].access = 1)
ALTER(scalar_ndim, MUTABLE(tirbi_param, f->params)[1].ndim = 1)
ALTER(scalar_strides, MUTABLE(tirbi_param, f->params)[1].has_strides = true)
ALTER(scalar_offset, MUTABLE(tirbi_param, f->params)[1].has_elem_offset = true)
ALTER(scalar_minima, MUTABLE(tirbi_param, f->params)[1].minima = f->params[0].shape)
ALTER(scalar_result, MUTABLE(tirbi_param, f->params)[1].is_result = true)
ALTER(scalar_open, MUTABLE(tirbi_param, f->params)[1].is_open = true)
ALTER(open_argument, MUTABLE(tirbi_param, f->params)[0].is_open = true)
ALTER(bad_relation, MUTABLE(tirbi_condition, f->conditions)[0].relation = 6)
ALTER(bad_var_type, MUTABLE(tirbi_var, f->vars)[0].dtype = 13)
ALTER(bad_term, MUTABLE(tirbi_dim_term, f->params[0].shape[0].terms)[0].op = 11)
ALTER(long_dim, MUTABLE(tirbi_dim, f->params[0].shape)[0].n_terms = 65)
/* Behind the last parameter stands what would do. */
ALTER(missing_param, (f->n_params = 1, MUTABLE(tirbi_param, f->params)[1].dtype = TIRB_I64,
                      MUTABLE(tirbi_var, f->vars)[0] = (tirbi_var){f->vars[0].name, TIRB_I64, 1, 1}))
ALTER(no_code, f->code_size = 0)
ALTER(cut_code, f->code_size--)
ALTER(unknown_opcode, MUTABLE(uint8_t, f->code)[0] = 0x44)

static void test_altered(void **state) {
    (void)state;
    static const struct {
        alteration alter;
        const char *reason;
    } cases[] = {
        {bad_fp_mode, "no floating-point mode 3"},
        {bad_return_type, "return type: no type 13"},
        {bad_ref_type, "reference register 1: no type 13"},
        {bad_red_op, "reduction state 0: no operation 4"},
        {bad_param_type, "parameter 0: no type 13"},
        {bad_param_kind, "parameter 0: no kind 2"},
        {bad_access, "parameter 0: access 4"},
        {scalar_access, "parameter 1 is a scalar with what a tensor has"},
        {scalar_ndim, "parameter 1 is a scalar with what a tensor has"},
        {scalar_strides, "parameter 1 is a scalar with what a tensor has"},
        {scalar_offset, "parameter 1 is a scalar with what a tensor has"},
        {scalar_minima, "parameter 1 is a scalar with what a tensor has"},
        {scalar_result, "parameter 1 is a scalar with what a tensor has"},
        {scalar_open, "parameter 1 is a scalar with what a tensor has"},
        {open_argument, "parameter 0 is open and no written result with dimensions"},
        {bad_relation, "condition 0: no relation 6"},
        {bad_var_type, "shape variable 0: no type 13"},
        {bad_term, "an extent: no term 11"},
        {long_dim, "an extent of 65 terms"},
        {missing_param, "shape variable 0: parameter 1 is not a scalar parameter"},
        {no_code, "it has no code"},
        {cut_code, "the code ends inside an instruction"},
        {unknown_opcode, "function 0 'f' at 0x0: unknown opcode 0x44"},
    };
    const char *text =
        SIGNATURE(".red f32 add\n.var \"n\" i64 s0\n.tensor \"A\" f32 r0 read ($0)\n.scalar \"x\" f32 s1\n"
                  ".requires $0 > 0");
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture f;
        fixture_open(&f);
        tirbi_program *program = fixture_assemble(&f, text);
        no_change(program, NULL);
        fixture_ok(&f, tirbi_verify(program, &f.heap, &f.error), "unaltered");
        cases[i].alter(program, MUTABLE(tirbi_function, program->functions));
        assert_reason(&f, tirbi_verify(program, &f.heap, &f.error), cases[i].reason, text);
        fixture_close(&f);
    }
}

#define OPEN_RESULT(body)                                                                           \
    ".function \"f\" public\n.scalars 4\n.ref f32\n.ref f32 writable\n.ref i32\n.var \"n\" i64 s0\n" \
    ".tensor \"x\" f32 r0 read (4)\n.tensor \"y\" f32 r1 write ($0) result open\n" body "\nret.void\n.end\n"

static void test_open_results(void **state) {
    (void)state;
    accepts(OPEN_RESULT("result 1, r0, (s1)"));
    rejects(OPEN_RESULT("result 0, r0, (s1)"), "parameter 0 is no open result");
    rejects(OPEN_RESULT("result 2, r0, (s1)"), "parameter 2 is no open result");
    rejects(OPEN_RESULT("result 1, r0, (s1 s2)"), "parameter 1 has 1 dimensions, not 2");
    rejects(OPEN_RESULT("result 1, r2, (s1)"), "parameter 1 is f32, r2 is i32");
    rejects(OPEN_RESULT("result 1, r0, (s4)"), "scalar register 4 >= 4");
    rejects(OPEN_RESULT("") ".function \"g\"\n.scalars 4\n.ref f32 writable\ncall #0, s0, (s1) (r0 r0)\nret.void\n.end\n",
            "function 0 has an open result");
    rejects(".function \"f\"\n.ref f32 writable\n.tensor \"y\" f32 r0 write (4) result open\nret.void\n.end\n",
            "parameter 0 is a result of a private function");
}

/* ---- Operands -------------------------------------------------------------------------------------------------- */

static void test_operands(void **state) {
    (void)state;
    accepts(BODY("add.i32 s7, s7, s7"));
    rejects(BODY("add.i32 s8, s0, s0"), "function 0 'f' at 0x0: add.i32: scalar register 8 >= 8");
    rejects(BODY("nop\nadd.i32 s0, s0, s9"), "at 0x2: add.i32: scalar register 9 >= 8");
    rejects(BODY("load.f32 s0, r4, 0"), "reference register 4 >= 4");
    rejects(BODY("load.f32 s0, r0, s8"), "scalar register 8 >= 8");
    rejects(BODY("alloc.f32 r4, s0"), "reference register 4 >= 4");
    rejects(BODY("red.begin.f32 q3, s0"), "reduction state 3 >= 3");
    rejects(BODY("red.end.f32 s0, q3"), "reduction state 3 >= 3");
    rejects(BODY("assert s0, #1, \"f\""), "string 1 >= 1");
    rejects(BODY("index s0, s0, 0, #1"), "string 1 >= 1");
    rejects(BODY("call #1, s0, () ()"), "function 1 >= 1");
    rejects(BODY("call \"f\", s0, (s8) ()"), "scalar register 8 >= 8");
    rejects(BODY("call \"f\", s0, () (r4)"), "reference register 4 >= 4");
}

static void test_types(void **state) {
    (void)state;
    accepts(BODY("load.i32 s0, r0, 0\nload.u32 s0, r0, 0\nstore.i32 r1, 0, s0\nload.i64 s0, r3, 0"));
    rejects(BODY("load.f64 s0, r0, 0"), "load.f64: r0 has elements of 4 bytes (f32)");
    rejects(BODY("load.f32 s8, r0, 0"), "scalar register 8 >= 8");
    rejects(BODY("store.f32 r1, s8, s0"), "scalar register 8 >= 8");
    rejects(BODY("store.f32 r1, 0, s8"), "scalar register 8 >= 8");
    rejects(BODY("store.i8 r1, 0, s0"), "r1 has elements of 4 bytes");
    rejects(BODY("store.f32 r0, 0, s0"), "r0 may not be written");
    accepts(BODY("alloc.f32 r2, s0"));
    rejects(BODY("alloc.f32 r0, s0"), "r0 may not be written");
    rejects(BODY("alloc.f32 r3, s0"), "r3 has elements of 8 bytes");
    accepts(BODY("slice r0, r1, s0, s0\nslice r2, r1, s0, s0\nslice r0, r0, s0, s0"));
    rejects(BODY("slice r1, r0, s0, s0"), "r1 is writable, r0 is not");
    rejects(BODY("slice r0, r3, s0, s0"), "elements of 8 bytes as elements of 4");
    accepts(BODY("bits.f32 s0, s1, i32\nbits.bool s0, s1, u8"));
    rejects(BODY("bits.f32 s0, s1, f64"), "bits.f32: f64 has 8 bytes");
    accepts(BODY("cast.f32 s0, s1, f64"));
    accepts(BODY("red.begin.f32 q0, s0\nred.push.f32 q1, s0\nred.pushma.f64 q2, s0, s1\nred.end.f64 s0, q2"));
    rejects(BODY("red.begin.f64 q0, s0"), "reduction state 0 is f32");
    rejects(BODY("red.push.f64 q1, s0"), "reduction state 1 is f32");
    rejects(BODY("red.pushma.f64 q0, s0, s0"), "reduction state 0 is f32");
    rejects(BODY("red.pushma.f32 q1, s0, s0"), "reduction state 1 does not add");
    rejects(BODY("red.end.f32 s0, q2"), "reduction state 2 is f64");
}

static void test_constants(void **state) {
    (void)state;
    accepts(BODY("const.i8 s0, -128\nconst.i8 s0, 127\nconst.u8 s0, 255\nconst.bool s0, 1\nconst.i16 s0, -32768\n"
                 "const.u16 s0, 65535\nconst.f16 s0, 65535\nconst.u32 s0, 4294967295\nconst.i64 s0, -1"));
    rejects(BODY("const.i8 s0, -129"), "-129 is not in -128 .. 127");
    rejects(BODY("const.i8 s0, 128"), "128 is not in -128 .. 127");
    rejects(BODY("const.u8 s0, 256"), "256 is not in 0 .. 255");
    rejects(BODY("const.u8 s0, 4294967295"), "-1 is not in 0 .. 255");
    rejects(BODY("const.bool s0, 2"), "2 is not in 0 .. 1");
    rejects(BODY("const.i16 s0, 32768"), "32768 is not in -32768 .. 32767");
}

static void test_traps(void **state) {
    (void)state;
    static const int good[] = {TIRB_UNSUPPORTED, TIRB_ARGUMENT, TIRB_SHAPE,   TIRB_BOUNDS,
                               TIRB_DIVIDE,      TIRB_ASSERT,   TIRB_OVERLAP, TIRB_VALUE};
    for (int status = 0; status < 256; status++) {
        char text[400];
        snprintf(text, sizeof(text), FUNCTION("trap %d, \"f\""), status);
        bool allowed = false;
        for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) allowed |= good[i] == status;
        if (allowed) {
            accepts(text);
        } else {
            rejects(text, "a program cannot end with status");
        }
    }
}

/* ---- Control flow ---------------------------------------------------------------------------------------------- */

#define LANE_LOOP(body) "lane s0, done\n" body "\ndone: lane.end\n"

static void test_jumps(void **state) {
    (void)state;
    accepts(BODY("again: brif s0, out\nloop s1, s2, again\nback again\nout: nop"));
    accepts(FUNCTION("again: nop\nback again"));
    rejects(BODY("brif s8, out\nout: nop"), "brif: scalar register 8 >= 8");
    rejects(BODY("again: nop\nloop s8, s1, again"), "loop: scalar register 8 >= 8");
    rejects(BODY("again: nop\nloop s1, s8, again"), "loop: scalar register 8 >= 8");
    accepts(FUNCTION("jmp over\nover: jmp end\ntrap 13, \"f\"\nend: ret.void"));
    accepts(BODY("brif s0, past\n" LANE_LOOP("") "past: nop\nagain: lane s0, end\nend: lane.end\n"
                                                 "loop s0, s1, again"));
    rejects(FUNCTION("again: jmp again"), "jump to 0x0 does not go forwards");
    rejects(BODY("again: nop\nbrif s0, again"), "jump to 0x0 does not go forwards");
    rejects(BODY("again: nop\nbrnot s0, again"), "jump to 0x0 does not go forwards");
    rejects(BODY("back over\nover: nop"), "jump to 0x6 does not go backwards");
    rejects(BODY("loop s0, s1, over\nover: nop"), "jump to 0xa does not go backwards");
    rejects(FUNCTION("again: back again"), "jump to 0x0 does not go backwards");
    rejects(BODY("brif s0, @9"), "at 0x0: brif: jump to 0x9, where no instruction");
    rejects(BODY("nop\nnop\nback @1"), "at 0x4: back: jump to 0x1, where no instruction");
    rejects(BODY("jmp @8"), "jump to 0x8, the code ends at 0x8");
    rejects(BODY("jmp @4000000000"), "jump to 0xee6b2800, the code ends at");
    rejects(BODY("brif s0, @6000"), "jump to 0x1770, the code ends at");
    rejects(BODY("nop\nloop s0, s1, @6000"), "jump to 0x1770, the code ends at");
    rejects(BODY("nop\nbrif s0, inside\n"
                 "lane s0, done\ninside: vsplat.f32 v0, s0\ndone: lane.end\n"),
            "at 0x2: brif: jump to 0x14, where no instruction");
    rejects(BODY("brif s0, done\n" LANE_LOOP("")), "jump to 0x12, where no instruction");
    rejects(BODY(LANE_LOOP("") "back done"), "jump to 0xa, where no instruction");
    rejects(FUNCTION("nop"), "control runs off the code's end");
    rejects(FUNCTION("over: nop\nloop s0, s1, over"), "control runs off the code's end");
    rejects(FUNCTION("lane s0, done\ndone: lane.end"), "control runs off the code's end");
}

static void test_returns(void **state) {
    (void)state;
    accepts(".function \"f\" returns i32\n.scalars 1\nret.i32 s0\n.end\n");
    rejects(".function \"f\" returns i32\n.scalars 1\nret.void\n.end\n", "the function returns a i32");
    rejects(".function \"f\" returns i32\n.scalars 1\nret.f32 s0\n.end\n", "the function returns a i32");
    rejects(FUNCTION("ret.i32 s0"), "the function returns nothing");
}

/* A caller with two reference registers, and a callee whose signature is given. */
#define CALLER(call) \
    ".function \"c\"\n.scalars 4\n.ref f32\n.ref f32 writable\n.ref i32 writable\n" call "\nret.void\n.end\n"
#define CALLEE                                                                                                 \
    ".function \"g\"\n.scalars 4\n.ref f32\n.ref f32 writable\n.var \"n\" i64 s0\n.var \"x\" i32 s1 param 1\n" \
    ".tensor \"A\" f32 r0 read ($0)\n.scalar \"x\" i32 s1\n.tensor \"B\" f32 r1 write ($0)\nret.void\n.end\n"

static void test_calls(void **state) {
    (void)state;
    accepts(CALLER("call \"g\", s0, (s1 s2) (r0 r1)") CALLEE);
    accepts(CALLEE CALLER("call \"g\", s0, (s1 s2) (r1 r1)"));
    accepts(CALLER("call \"c\", s0, () ()"));
    rejects(CALLER("call \"g\", s0, (s1) (r0 r1)") CALLEE, "function 1 takes 2 scalars, not 1");
    rejects(CALLER("call \"g\", s0, (s1 s2 s3) (r0 r1)") CALLEE, "function 1 takes 2 scalars, not 3");
    rejects(CALLER("call \"g\", s0, (s1 s2) (r0)") CALLEE, "function 1 takes 2 tensors, not 1");
    rejects(CALLER("call \"g\", s0, (s1 s2) (r2 r1)") CALLEE, "parameter 0 of function 1 is f32, r2 is i32");
    rejects(CALLER("call \"g\", s0, (s1 s2) (r1 r2)") CALLEE, "parameter 2 of function 1 is f32, r2 is i32");
    rejects(CALLER("call \"g\", s0, (s1 s2) (r1 r0)") CALLEE, "function 1 writes parameter 2, r0 may not be written");
    rejects(CALLER("call \"g\", s4, (s1 s2) (r0 r1)") CALLEE, "scalar register 4 >= 4");
}

#define IMPORT ".import \"g\" (i32 f32 read f32 read write) returns f32\n"

/* ---- Regions --------------------------------------------------------------------------------------------------- */

/* A function that forks by `fork`, and the region `region` behind it, whose body only returns. */
#define FORKS(fork, region)                                                                               \
    ".function \"f\"\n.scalars 4\n.ref f32\n.ref f32 writable\n.ref i32 writable\n" fork "\nret.void\n.end\n" \
    ".function \"g\" " region "\n.end\n"
/* What a region is: parameters, and registers for them. */
#define REGION(head, parameters) \
    head "region\n.scalars 4\n.ref f32\n.ref f32 writable\n" parameters "ret.void"
#define CHUNK ".scalar \"begin\" i64 s0\n.scalar \"end\" i64 s1\n"
#define PARTS CHUNK ".scalar \"x\" f32 s2\n.tensor \"a\" f32 r0 read ()\n.tensor \"d\" f32 r1 write ()\n"

static void test_forks(void **state) {
    (void)state;
    accepts(FORKS("fork \"g\", s0, 1, (s3) (r0, r1 part s1 2 s2)", REGION("", PARTS)));
    accepts(FORKS("fork \"g\", s0, 1, (s3) (r1 part 0 1 1, r1 part 0 1 1)", REGION("", PARTS)));
    rejects(FORKS("fork \"f\", s0, 1, () ()", REGION("", PARTS)), "fork: function 0 is not a region");
    rejects(FORKS("call \"g\", s0, (s0 s0 s0) (r0 r1)", REGION("", PARTS)),
            "call: function 1 is a region: only fork runs it");
    rejects(FORKS("fork \"g\", s0, 1, (s4) (r0, r1 part 0 1 1)", REGION("", PARTS)), "scalar register 4 >= 4");
    rejects(FORKS("fork \"g\", s0, 1, (s3) (r3, r1 part 0 1 1)", REGION("", PARTS)), "reference register 3 >= 3");
    rejects(FORKS("fork \"g\", s0, 1, () (r0, r1 part 0 1 1)", REGION("", PARTS)),
            "region 1 takes 1 scalars after begin and end, not 0");
    rejects(FORKS("fork \"g\", s0, 1, (s3 s3) (r0, r1 part 0 1 1)", REGION("", PARTS)),
            "region 1 takes 1 scalars after begin and end, not 2");
    rejects(FORKS("fork \"g\", s0, 1, (s3) (r0)", REGION("", PARTS)), "region 1 takes 2 references, not 1");
    rejects(FORKS("fork \"g\", s0, 1, (s3) (r0, r1 part 0 1 1, r0)", REGION("", PARTS)),
            "region 1 takes 2 references, not 3");
    rejects(FORKS("fork \"g\", s0, 1, (s3) (r0, r1 part s4 1 1)", REGION("", PARTS)), "scalar register 4 >= 4");
    rejects(FORKS("fork \"g\", s0, 1, (s3) (r0, r1 part 0 s5 1)", REGION("", PARTS)), "scalar register 5 >= 4");
    rejects(FORKS("fork \"g\", s0, 1, (s3) (r0, r1 part 0 1 s6)", REGION("", PARTS)), "scalar register 6 >= 4");
    rejects(FORKS("fork \"g\", s0, 1, (s3) (r2, r1 part 0 1 1)", REGION("", PARTS)),
            "parameter 3 of region 1 is f32, r2 is i32");
    rejects(FORKS("fork \"g\", s0, 1, (s3) (r0, r2 part 0 1 1)", REGION("", PARTS)),
            "parameter 4 of region 1 is f32, r2 is i32");
    rejects(FORKS("fork \"g\", s0, 1, (s3) (r0, r0 part 0 1 1)", REGION("", PARTS)),
            "region 1 writes parameter 4, r0 may not be written");
    rejects(FORKS("fork \"g\", s0, 1, (s3) (r0, r1)", REGION("", PARTS)),
            "region 1 writes parameter 4, but r1 is passed whole, not a part of it");
}

static void test_region_signatures(void **state) {
    (void)state;
    accepts(FORKS("fork \"g\", s0, 1, () ()", REGION("", CHUNK)));
    rejects(FORKS("", REGION("public ", CHUNK)), "function 1 'g': a region is not public");
    rejects(".function \"g\" region returns f32\n.scalars 4\n" CHUNK "ret.f32 s2\n.end\n",
            "function 0 'g': a region returns nothing");
    rejects(FORKS("", REGION("", ".var \"n\" i64 s2\n" CHUNK)), "function 1 'g': a region has no shape variables");
    rejects(FORKS("", REGION("", "")), "parameter 0 of a region is not an i64 scalar");
    rejects(FORKS("", REGION("", ".scalar \"begin\" i64 s0\n")), "parameter 1 of a region is not an i64 scalar");
    rejects(FORKS("", REGION("", ".scalar \"begin\" i64 s0\n.scalar \"end\" i32 s1\n")),
            "parameter 1 of a region is not an i64 scalar");
    rejects(FORKS("", REGION("", ".tensor \"a\" f32 r0 read ()\n.scalar \"end\" i64 s1\n")),
            "parameter 0 of a region is not an i64 scalar");
    rejects(FORKS("", REGION("", CHUNK)) ".function \"h\"\nret.void\n.end\n", "function 2 'h': it comes after a region");
}

static void test_imports(void **state) {
    (void)state;
    accepts(IMPORT CALLER("callx #0, s0, (s1) (r0 r1)"));
    accepts(IMPORT IMPORT CALLER("callx #1, s0, (s1) (r1 r1)"));
    accepts(".import \"g\" ()\n" CALLER("callx #0, s0, () ()"));
    rejects(IMPORT CALLER("callx #1, s0, (s1) (r0 r1)"), "import 1 >= 1");
    rejects(IMPORT CALLER("callx #0, s4, (s1) (r0 r1)"), "scalar register 4 >= 4");
    rejects(IMPORT CALLER("callx #0, s0, (s4) (r0 r1)"), "scalar register 4 >= 4");
    rejects(IMPORT CALLER("callx #0, s0, (s1) (r0 r3)"), "reference register 3 >= 3");
    rejects(IMPORT CALLER("callx #0, s0, () (r0 r1)"), "import 0 takes 1 scalars and 2 views, not 0 and 2");
    rejects(IMPORT CALLER("callx #0, s0, (s1) (r0)"), "import 0 takes 1 scalars and 2 views, not 1 and 1");
    rejects(IMPORT CALLER("callx #0, s0, (s1) (r0 r1 r1)"), "import 0 takes 1 scalars and 2 views, not 1 and 3");
    rejects(IMPORT CALLER("callx #0, s0, (s1) (r2 r1)"), "parameter 1 of import 0 is f32, r2 is i32");
    rejects(IMPORT CALLER("callx #0, s0, (s1) (r0 r0)"), "import 0 writes parameter 2, r0 may not be written");
    rejects(".import \"\" ()\n", "import 0: a name of 0 bytes");
    rejects(".import \"a b\" ()\n", "byte 0x20 in its name");
    rejects(".import #7 ()\n", "import 0: string 7 >= 0");
    fixture f;
    fixture_open(&f);
    static const tirbi_import_param bad_type = {.dtype = TIRB_N_DTYPES}, bad_access = {.access = 4};
    const tirbi_string name = {"g", 1};
    tirbi_import import = {.n_params = 1, .params = &bad_type};
    tirbi_program program = {
        .strings = &name, .n_strings = 1, .imports = &import, .n_imports = 1, .source_file = TIRBI_NO_STRING};
    assert_reason(&f, tirbi_verify(&program, &f.heap, &f.error), "import 0: parameter 0: no type 13", "bad type");
    import.params = &bad_access;
    assert_reason(&f, tirbi_verify(&program, &f.heap, &f.error), "import 0: parameter 0: access 4", "bad access");
    import = (tirbi_import){.returns = true, .return_type = TIRB_N_DTYPES};
    assert_reason(&f, tirbi_verify(&program, &f.heap, &f.error), "import 0: return type: no type 13", "bad return");
    fixture_close(&f);
}

static void test_lines(void **state) {
    (void)state;
    accepts(BODY(".line 1 1\nnop\n.line 2 2\n" LANE_LOOP(".line 3 3\nvsplat.f32 v0, s0")));
    rejects(BODY(".line 1 1\n.line 2 2\nnop"), "entry 1 of the source map is at 0x0");
    rejects(FUNCTION("ret.void\n.line 1 1"), "entry 0 of the source map is at 0x2, where no instruction");
    fixture f;
    fixture_open(&f);
    tirbi_program *program = fixture_assemble(&f, BODY(".line 1 1\nnop\n.line 2 2\nadd.i32 s0, s0, s0"));
    tirbi_line *lines = MUTABLE(tirbi_line, program->functions[0].lines);
    lines[1].offset = 3;
    assert_reason(&f, tirbi_verify(program, &f.heap, &f.error), "entry 1 of the source map is at 0x3", "");
    lines[1].offset = 0;
    assert_reason(&f, tirbi_verify(program, &f.heap, &f.error), "entry 1 of the source map is at 0x0", "");
    fixture_close(&f);
}

/* ---- Contractions ---------------------------------------------------------------------------------------------- */

static void test_contractions(void **state) {
    (void)state;
    accepts(BODY("contract.f32 7, s0, (s1 2), r1 f32 s2 (s3 0), r0 i32 0 (1 2), r0 f32 0 (2 1)"));
    accepts(BODY("contract.f64 0, 0, (), r3 f64 0 (), r3 i64 0 (), r0 f32 0 ()"));
    accepts(BODY("contract.f32 17, 0, (1), r1 f32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"));
    accepts(BODY("contract.i32 20, s0, (1), r1 i32 0 (0), r0 i32 0 (0), r0 i32 0 (0)"));
    rejects(BODY("contract.f32 16, 0, (1), r1 f32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"), "semiring 1 has no roundings");
    rejects(BODY("contract.f32 33, 0, (1), r1 f32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"), "semiring 2 has no roundings");
    rejects(BODY("contract.i32 18, 0, (1), r1 i32 0 (0), r0 i32 0 (0), r0 i32 0 (0)"), "semiring 1 has no roundings");
    rejects(BODY("contract.f32 112, 0, (1), r1 f32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"), "f32 have no semiring 7");
    rejects(BODY("contract.i32 240, 0, (1), r1 i32 0 (0), r0 i32 0 (0), r0 i32 0 (0)"), "i32 have no semiring 15");
    rejects(BODY("contract.f32 8, s0, (1), r1 f32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"), "there are no flags 8");
    rejects(BODY("contract.i32 1, s0, (1), r2 i32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"), "products of i32 are not fused");
    rejects(BODY("contract.f16 1, s0, (1), r1 f16 0 (0), r0 f32 0 (0), r0 f16 0 (0)"), "A is f32, not f16");
    rejects(BODY("contract.bf16 0, s0, (1), r1 bf16 0 (0), r0 bf16 0 (0), r0 f16 0 (0)"), "B is f16, not bf16");
    rejects(BODY("contract.f32 0, s8, (1), r1 f32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"), "scalar register 8 >= 8");
    rejects(BODY("contract.f32 0, 0, (s8), r1 f32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"), "scalar register 8 >= 8");
    rejects(BODY("contract.f32 0, 0, (1), r1 f32 s8 (0), r0 f32 0 (0), r0 f32 0 (0)"), "scalar register 8 >= 8");
    rejects(BODY("contract.f32 0, 0, (1), r1 f32 0 (0), r0 f32 0 (0), r0 f32 0 (s8)"), "scalar register 8 >= 8");
    rejects(BODY("contract.f32 0, 0, (1), r4 f32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"), "reference register 4 >= 4");
    rejects(BODY("contract.f32 0, 0, (1), r1 f32 0 (0), r3 f32 0 (0), r0 f32 0 (0)"),
            "A is f32, r3 has elements of 8 bytes");
    rejects(BODY("contract.f32 0, 0, (1), r1 i32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"), "C is i32, not f32");
    rejects(BODY("contract.f32 0, 0, (1), r0 f32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"), "C: r0 may not be written");
}

static void test_folds(void **state) {
    (void)state;
    accepts(BODY("fold.f32 12, s0, (s1 2), r1 f32 s2 (s3 0), r0 f32 0 (1 2), r0 f32 0 (2 1)"));
    accepts(BODY("fold.f64 3, 0, (4), r3 f64 0 (0), r3 f64 0 (1), r3 f64 0 (1)"));
    accepts(BODY("fold.i32 18, s0, (4), r1 i32 0 (0), r0 u32 0 (1), r0 i32 0 (1)"));
    accepts(BODY("fold.i64 12, s0, (4), r3 i64 0 (0), r0 u32 0 (1), r0 i32 0 (1)"));
    rejects(BODY("fold.f32 32, s0, (1), r1 f32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"), "there are no flags 32");
    rejects(BODY("fold.f32 16, s0, (1), r1 f32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"), "bits of f32 have no operation 0");
    rejects(BODY("fold.i32 19, s0, (1), r1 i32 0 (0), r0 i32 0 (0), r0 i32 0 (0)"), "bits of i32 have no operation 3");
    rejects(BODY("fold.i32 24, s0, (1), r1 i32 0 (0), r0 i32 0 (0), r0 i32 0 (0)"), "there is no operation 0 of them");
    rejects(BODY("fold.i32 0, s0, (1), r1 i32 0 (0), r0 f32 0 (0), r0 i32 0 (0)"), "A is f32, not i32");
    rejects(BODY("fold.f32 9, s0, (1), r1 f32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"), "there is no operation 1 of them");
    rejects(BODY("fold.f32 0, 0, (), r1 f32 0 (), r0 f32 0 (), r0 f32 0 ()"), "there is no loop over a row");
    rejects(BODY("fold.f32 0, 0, (1), r1 f32 0 (s0), r0 f32 0 (0), r0 f32 0 (0)"), "C steps along a row");
    rejects(BODY("fold.f32 0, 0, (1), r1 f32 0 (1), r0 f32 0 (0), r0 f32 0 (0)"), "C steps along a row");
    rejects(BODY("fold.f32 0, 0, (1), r1 f32 0 (0), r0 i32 0 (0), r0 f32 0 (0)"), "A is i32, not f32");
    rejects(BODY("fold.f32 0, 0, (1), r1 f32 0 (0), r0 f32 0 (0), r0 u32 0 (0)"), "B is u32, not f32");
    rejects(BODY("fold.f32 0, 0, (1), r1 f32 0 (0), r3 f32 0 (0), r0 f32 0 (0)"), "A is f32, r3 has elements of 8 bytes");
    rejects(BODY("fold.f32 0, 0, (1), r0 f32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"), "C: r0 may not be written");
    rejects(BODY("fold.f32 0, s8, (1), r1 f32 0 (0), r0 f32 0 (0), r0 f32 0 (0)"), "scalar register 8 >= 8");
}

/* ---- Lane loops ------------------------------------------------------------------------------------------------ */

static void test_lane_placement(void **state) {
    (void)state;
    rejects(BODY("vsplat.f32 v0, s0"), "vsplat.f32: only allowed in a lane loop");
    rejects(BODY("vadd.f32 v0, v0, v0"), "only allowed in a lane loop");
    rejects(BODY("lane.end"), "only allowed in a lane loop");
    rejects(BODY("inner l0"), "only allowed in a lane loop");
    rejects(BODY(LANE_LOOP("add.f32 s0, s0, s0")), "add.f32: not allowed in a lane loop");
    rejects(BODY(LANE_LOOP("ret.void")), "not allowed in a lane loop");
    rejects(BODY(LANE_LOOP("jmp done")), "not allowed in a lane loop");
    rejects(BODY(LANE_LOOP("lane s0, done")), "not allowed in a lane loop");
    rejects(FUNCTION("lane s0, done\ndone: vsplat.f32 v0, s0"), "the code ends inside a lane loop");
    rejects(BODY("lane s0, @0\nlane.end"), "lane.end: the lane loop's header says that it ends at 0x0");
    rejects(BODY("lane s0, past\nlane.end\npast: nop"), "the lane loop's header says that it ends at 0xc");
}

static void test_lane_headers(void **state) {
    (void)state;
    accepts(BODY(
        "lane 5, done\n.inner 3\n.inner s1 s2\n.cursor r0 f32 read 0 0 0 s3 s1\n.cursor r1 i32 readwrite 2 1 s1 0 s0\n"
        "inner l1\ninner l0\ninner.end l0\ninner.end l1\ndone: lane.end"));
    rejects(BODY("lane s8, done\ndone: lane.end"), "scalar register 8 >= 8");
    rejects(BODY("lane 5, done\n.inner s8\ninner l0\ninner.end l0\ndone: lane.end"), "scalar register 8 >= 8");
    rejects(BODY("lane 5, done\n.inner 3 s8\ninner l0\ninner.end l0\ndone: lane.end"),
            "inner loop 0: index register 8 >= 8");
    static const char *const read_by_header[] = {
        BODY("lane s1, done\n.inner 3 s1\ninner l0\ninner.end l0\ndone: lane.end"),
        BODY("lane 1, done\n.inner s1 s1\ninner l0\ninner.end l0\ndone: lane.end"),
        BODY("lane 1, done\n.inner 3 s1\n.cursor r0 f32 read 0 s1 1 0\ninner l0\ninner.end l0\ndone: lane.end"),
        BODY("lane 1, done\n.inner 3 s1\n.cursor r0 f32 read 0 1 s1 0\ninner l0\ninner.end l0\ndone: lane.end"),
        BODY("lane 1, done\n.inner 3 s1\n.cursor r0 f32 read 0 1 1 s1\ninner l0\ninner.end l0\ndone: lane.end"),
    };
    for (unsigned i = 0; i < sizeof(read_by_header) / sizeof(read_by_header[0]); i++) {
        rejects(read_by_header[i], "inner loop 0: its index register s1 is read by the header");
    }
    rejects(BODY("lane s0, done\n.cursor r4 f32 read 0 0 1\ndone: lane.end"), "cursor 0: reference register 4 >= 4");
    rejects(BODY("lane s0, done\n.cursor r3 f32 read 0 0 1\ndone: lane.end"), "cursor 0 is f32, r3 has elements of 8");
    rejects(BODY("lane s0, done\n.cursor r0 f32 read 0 s8 1\ndone: lane.end"), "scalar register 8 >= 8");
    rejects(BODY("lane s0, done\n.cursor r0 f32 read 0 0 s8\ndone: lane.end"), "scalar register 8 >= 8");
    rejects(BODY("lane s0, done\n.inner 3\n.cursor r0 f32 read 0 0 1 s8\ninner l0\ninner.end l0\ndone: lane.end"),
            "scalar register 8 >= 8");
    rejects(BODY("lane s0, done\n.cursor r0 f32 write 0 0 1\ndone: lane.end"), "cursor 0: r0 may not be written");
    rejects(BODY("lane s0, done\n.cursor r0 f32 readwrite 0 0 1\ndone: lane.end"), "cursor 0: r0 may not be written");
    rejects(BODY("lane s0, done\n.cursor r1 f32 write 0 0 0\ndone: lane.end"), "cursor 0 is written, but steps by 0");
    accepts(BODY("lane s0, done\n.cursor r1 f32 write 0 0 s0\n.cursor r1 f32 write 0 0 -1\ndone: lane.end"));
}

static void test_inner_loops(void **state) {
    (void)state;
    /* Where more code is behind the loop, its end goes by with what is before it. */
#define TWO_LOOPS(body)                                             \
    BODY("lane s0, done\n.inner 3 s1\n.inner 4 s1\n" body "\ndone: lane.end\n" \
         "const.i64 s1, 1\nconst.i64 s1, 2\nconst.i64 s1, 3")
    accepts(TWO_LOOPS("inner l1\ninner.end l1\ninner l0\ninner.end l0"));
    rejects(TWO_LOOPS("inner l0\ninner.end l0"), "inner loop 1 does not appear");
    rejects(TWO_LOOPS("inner l0\ninner.end l0\ninner l0\ninner.end l0"), "inner loop 0 appears twice");
    rejects(TWO_LOOPS("inner l2\ninner.end l2"), "inner loop 2 >= 2");
    rejects(TWO_LOOPS("inner l0\ninner l1\ninner.end l1\ninner.end l0"),
            "inner loops 0 and 1 share the index register s1");
    rejects(TWO_LOOPS("inner l0\ninner.end l1"), "inner loop 0 is open, not 1");
    rejects(TWO_LOOPS("inner.end l0"), "no inner loop is open");
    rejects(TWO_LOOPS("inner l0\ninner.end l0\ninner l1"), "inner loop 1 is still open");
#undef TWO_LOOPS
}

static void test_seeks(void **state) {
    (void)state;
#define SEEKS(body)                                                                                              \
    BODY("lane s0, done\n.inner 3 s2\n.inner 4\n.cursor r0 f32 read 0 0 1 0 0\n.cursor r1 i32 read 0 0 0 1 0\n" \
         ".cursor r1 i32 readwrite 0 0 1 0 0\n.cursor r1 i32 read 0 0 1 1 0\n.cursor r1 i32 read 0 0 0 0 1\n"     \
         ".cursor r1 i32 read 2 0 0 0 0\n" body "\ndone: lane.end")
#define IN_BOTH(body) SEEKS("inner l0\ninner l1\n" body "\ninner.end l1\ninner.end l0")
    accepts(IN_BOTH("seek.i32 c0, c1, s0, 5\nseek.i32 c3, c4, 2, s1\nvload.f32 v0, c0\nvload.i32 v1, c3"));
    accepts(SEEKS("inner l0\nseek.i32 c0, c1, s0, 5\ninner l1\nvload.f32 v0, c0\ninner.end l1\nvload.i32 v1, c3\n"
                  "inner.end l0"));
    rejects(IN_BOTH("seek.i32 c0, c6, 1, 5"), "cursor 6 >= 6");
    rejects(IN_BOTH("seek.i32 c6, c1, 1, 5"), "cursor 6 >= 6");
    rejects(IN_BOTH("seek.i32 c0, c1, s8, 5"), "scalar register 8 >= 8");
    rejects(IN_BOTH("seek.i32 c0, c1, 1, s8"), "scalar register 8 >= 8");
    rejects(IN_BOTH("seek.u32 c0, c1, 1, 5"), "cursor 1 is i32");
    rejects(IN_BOTH("vload.f32 v0, c0\nseek.i32 c0, c1, 1, 5"), "only inner loops and seeks may be before it");
    rejects(IN_BOTH("seek.i32 c0, c2, 1, 5"), "cursor 2 is written");
    rejects(IN_BOTH("seek.i32 c0, c3, 1, 5"), "cursor 3 steps per lane");
    rejects(IN_BOTH("seek.i32 c1, c1, 1, 5"), "cursor 1 is sought twice, or one that is sought gives numbers");
    rejects(IN_BOTH("seek.i32 c0, c1, 1, 5\nseek.i32 c0, c4, 1, 5"), "cursor 0 is sought twice");
    rejects(IN_BOTH("seek.i32 c1, c4, 1, 5\nseek.i32 c0, c1, 1, 5"), "cursor 0 is sought twice, or one that is sought");
    rejects(IN_BOTH("seek.i32 c0, c1, 1, 5\nseek.i32 c1, c4, 1, 5"), "cursor 1 is sought twice, or one that is sought");
    rejects(SEEKS("seek.i32 c0, c1, 1, 5\ninner l0\ninner l1\ninner.end l1\ninner.end l0"),
            "cursor 1 steps in inner loop 0, which is not open");
    rejects(SEEKS("inner l0\nseek.i32 c0, c5, 1, 5\ninner l1\ninner.end l1\ninner.end l0"),
            "cursor 5 is used outside of its inner loop 1");
    rejects(IN_BOTH("seek.i32 c3, c1, 1, 5"), "both cursors step in inner loop 0");
    rejects(IN_BOTH("seek.i32 c0, c1, s2, 5"), "s2 is the index register of inner loop 0");
    rejects(IN_BOTH("seek.i32 c0, c1, 1, s2"), "s2 is the index register of inner loop 0");
    rejects(SEEKS("inner l0\nseek.i32 c0, c1, 1, 5\ninner.end l0\ninner l1\ninner.end l1"),
            "it is outside of an inner loop that a seek is in");
    rejects(SEEKS("inner l0\ninner l1\nseek.i32 c0, c1, 1, 5\ninner.end l1\nvload.f32 v0, c0\ninner.end l0"),
            "it is outside of an inner loop that a seek is in");
#undef IN_BOTH
#undef SEEKS
}

static void test_cursors(void **state) {
    (void)state;
#define CURSORS(body)                                                                                         \
    BODY("lane s0, done\n.inner 3\n.inner 4\n.cursor r0 f32 read 0 0 1 0 0\n.cursor r1 f32 write 0 0 1 0 0\n" \
         ".cursor r1 i32 readwrite 1 0 1 0 0\n.cursor r0 f32 read 2 0 1 0 0\n" body "\ndone: lane.end")
    accepts(CURSORS("vload.f32 v0, c0\nvstore.f32 c1, v0\ninner l0\nvload.i32 v1, c2\nvstore.i32 c2, v1\ninner l1\n"
                    "vload.i32 v1, c2\nvload.f32 v0, c3\nvload.f32 v0, c0\ninner.end l1\ninner.end l0"));
    rejects(CURSORS("vload.f32 v0, c4"), "cursor 4 >= 4");
    rejects(CURSORS("vload.f32 v0, c1"), "cursor 1 is not declared as read");
    rejects(CURSORS("vload.f32 v0, c0\nvstore.f32 c0, v0"), "cursor 0 is not declared as written");
    rejects(CURSORS("vload.i32 v0, c0"), "cursor 0 is f32");
    rejects(CURSORS("inner l0\ninner l1\ninner.end l1\ninner.end l0\nvload.i32 v0, c2"),
            "cursor 2 is used outside of its inner loop 0");
    rejects(CURSORS("inner l0\nvload.f32 v0, c3\ninner l1\ninner.end l1\ninner.end l0"),
            "cursor 3 is used outside of its inner loop 1");
    accepts(CURSORS("inner l0\ninner.end l0\ninner l1\nvload.f32 v0, c3\ninner.end l1"));
#undef CURSORS
}

static void test_lane_registers(void **state) {
    (void)state;
#define LANES(body) \
    BODY("lane s0, done\n.inner 3\n.inner 4\n.cursor r1 f32 readwrite 0 0 1 0 0\n" body "\ndone: lane.end")
#define LOOPS "inner l0\ninner.end l0\ninner l1\ninner.end l1\n"
    accepts(LANES(LOOPS "vload.f32 v0, c0\nvlt.f32 v1, v0, v0\nvselect.f32 v2, v1, v0, v0\nvcast.i8 v3, v2, f32\n"
                        "viota.i8 v2, s1, 1\nvadd.i8 v2, v2, v3\nvbits.i32 v3, v0, f32\nvred.f32 q1, v0\n"
                        "vredma.f32 q0, v0, v0\nvstore.f32 c0, v0"));
    rejects(LANES(LOOPS "vsplat.f32 v4, s0"), "lane register 4 >= 4");
    rejects(LANES(LOOPS "vsplat.f32 v0, s8"), "scalar register 8 >= 8");
    rejects(LANES(LOOPS "vsplat.f32 v0, s0\nvadd.f32 v0, v0, v4"), "lane register 4 >= 4");
    rejects(LANES(LOOPS "vstore.f32 c0, v0"), "v0 is read, but not defined here");
    rejects(LANES(LOOPS "vsplat.i32 v0, s0\nvstore.f32 c0, v0"), "v0 is i32, not f32");
    rejects(LANES(LOOPS "vsplat.f32 v0, s0\nvadd.f32 v0, v0, v1"), "v1 is read, but not defined here");
    rejects(LANES(LOOPS "vsplat.f32 v0, s0\nvadd.f32 v1, v1, v0"), "v1 is read, but not defined here");
    rejects(LANES(LOOPS "vsplat.f32 v0, s0\nvadd.i32 v0, v0, v0"), "v0 is f32, not i32");
    rejects(LANES(LOOPS "vsplat.f32 v0, s0\nvlt.f32 v1, v0, v0\nvadd.f32 v0, v0, v1"), "v1 is bool, not f32");
    rejects(LANES(LOOPS "vsplat.f32 v0, s0\nvselect.f32 v0, v0, v0, v0"), "v0 is f32, not bool");
    rejects(LANES(LOOPS "vsplat.f32 v0, s0\nvcast.i32 v0, v0, f64"), "v0 is f32, not f64");
    rejects(LANES(LOOPS "vsplat.f32 v0, s0\nvbits.f64 v0, v0, f32"), "f32 has 4 bytes");
    rejects(LANES(LOOPS "vsplat.f32 v0, s0\nvred.f64 q2, v0"), "v0 is f32, not f64");
    rejects(LANES(LOOPS "vsplat.f64 v0, s0\nvred.f64 q0, v0"), "reduction state 0 is f32");
    rejects(LANES(LOOPS "vsplat.f32 v0, s0\nvredma.f32 q1, v0, v0"), "reduction state 1 does not add");
    rejects(LANES(LOOPS "vsplat.f32 v0, s0\nvredma.f32 q0, v0, v1"), "v1 is read, but not defined here");
    rejects(LANES(LOOPS "vsplat.f32 v0, s0\nvred.f32 q0, v0\nvred.f32 q0, v0"), "reduction state 0 is pushed here too");
    rejects(LANES(LOOPS "vsplat.f32 v0, s0\nvred.f32 q0, v0\nvredma.f32 q0, v0, v0"), "state 0 is pushed here too");
    rejects(LANES(LOOPS "vsplat.f32 v0, s0\nvred.f32 q1, v0\nvred.f32 q0, v0\nvred.f32 q1, v0"),
            "state 1 is pushed here too");
    rejects(LANES("inner l1\ninner.end l1\nvsplat.f32 v0, s0\ninner l0\nvred.f32 q0, v0\ninner.end l0"),
            "only allowed at lane level");
    rejects(LANES("inner l1\ninner.end l1\nvsplat.f32 v0, s0\ninner l0\nvredma.f32 q0, v0, v0\ninner.end l0"),
            "only allowed at lane level");
    /* Nothing survives from one lane loop to the next. */
    rejects(BODY(LANE_LOOP("vsplat.f32 v0, s0") "lane s0, done2\nvmov.f32 v1, v0\ndone2: lane.end"),
            "v0 is read, but not defined here");
}

/* Which range a place is in. */
static void test_advance(void **state) {
    (void)state;
#define RANGES(type, access, level, body)                                                                              \
    BODY("lane s0, done\n.inner 3\n.cursor r1 " type " " access " " level " 0 0 0\n" body "\ndone: lane.end")
#define LOOP "inner l0\ninner.end l0\n"
    accepts(RANGES("i32", "read", "7", LOOP "vadvance.i32 v0, s1, c0, s2, i16\nvadd.i16 v0, v0, v0"));
    rejects(RANGES("i32", "read", "7", LOOP "vadvance.i32 v0, s1, c0, s2, i16\nvadd.i32 v0, v0, v0"), "v0 is i16, not i32");
    rejects(RANGES("i32", "read", "7", LOOP "vadvance.i32 v0, s1, c0, s2, f32"), "an index is an integer, not f32");
    rejects(RANGES("i32", "read", "7", LOOP "vadvance.u32 v0, s1, c0, s2, i32"), "cursor 0 is i32");
    rejects(RANGES("i32", "read", "0", LOOP "vadvance.i32 v0, s1, c0, s2, i32"), "cursor 0 is not indexed");
    rejects(RANGES("i32", "readwrite", "7", LOOP "vadvance.i32 v0, s1, c0, s2, i32"), "cursor 0 is not only read");
    rejects(RANGES("i32", "read", "7", LOOP "vadvance.i32 v0, s8, c0, s2, i32"), "scalar register 8 >= 8");
    rejects(RANGES("i32", "read", "7", LOOP "vadvance.i32 v0, s1, c0, s8, i32"), "scalar register 8 >= 8");
    rejects(RANGES("i32", "read", "7", "inner l0\nvadvance.i32 v0, s1, c0, s2, i32\ninner.end l0"), "only allowed at lane level");
#define FOUR "vadvance.i32 v0, s1, c0, s2, i32\nvadvance.i32 v0, s1, c0, s2, i32\nvadvance.i32 v0, s1, c0, s2, i32\nvadvance.i32 v0, s1, c0, s2, i32\n"
    rejects(RANGES("i32", "read", "7", LOOP FOUR FOUR FOUR FOUR FOUR), "scans in a lane loop");
#undef FOUR
#undef LOOP
#undef RANGES
}

/* What goes from lane to lane, and cursors that lanes index. */
static void test_sequences(void **state) {
    (void)state;
#define AT(body)                                                                                                     \
    BODY("lane s0, done\n.inner 3\n.cursor r0 f32 read 7 0 0 0\n.cursor r1 f32 write 7 0 0 0\n"                      \
         ".cursor r1 f32 readwrite 7 0 0 0\n.cursor r0 f32 read 0 0 1 0\nvload.f32 v0, c3\nvsplat.i32 v1, s0\n" body  \
         "\ndone: lane.end")
#define LOOP "inner l0\ninner.end l0\n"
    accepts(AT(LOOP "vindex.i32 v1, s1, 0, \"f\"\nvloadx.f32 v2, c0, v1, i32\nvloadx.f32 v2, c0, v1, i32\n"
                    "vstorex.f32 c1, v1, v0, i32\nvupdate.f32 c2, v1, v0, i32, 18"));
    accepts(AT("inner l0\nvindex.i32 v1, s1, 0, \"f\"\nvloadx.f32 v2, c0, v1, i32\ninner.end l0"));
    rejects(AT(LOOP "vindex.i32 v2, s1, 0, \"f\""), "v2 is read, but not defined here");
    rejects(AT(LOOP "vindex.i64 v1, s1, 0, \"f\""), "v1 is i32, not i64");
    rejects(AT(LOOP "vindex.i32 v1, s8, 0, \"f\""), "scalar register 8 >= 8");
    rejects(AT(LOOP "vload.f32 v0, c0"), "cursor 0 is indexed");
    rejects(AT(LOOP "vstore.f32 c1, v0"), "cursor 1 is indexed");
    rejects(AT(LOOP "vloadx.f32 v0, c3, v1, i32"), "cursor 3 is not indexed");
    rejects(AT(LOOP "vloadx.f32 v0, c2, v1, i32"), "cursor 2 is not only read");
    rejects(AT(LOOP "vstorex.f32 c2, v1, v0, i32"), "cursor 2 is not only written");
    rejects(AT(LOOP "vupdate.f32 c1, v1, v0, i32, 0"), "cursor 1 is not read and written");
    rejects(AT(LOOP "vloadx.i32 v0, c0, v1, i32"), "cursor 0 is f32");
    rejects(AT(LOOP "vloadx.f32 v0, c0, v0, f32"), "an index is an integer, not f32");
    rejects(AT(LOOP "vloadx.f32 v0, c0, v1, i64"), "v1 is i32, not i64");
    rejects(AT(LOOP "vstorex.f32 c1, v1, v1, i32"), "v1 is i32, not f32");
    rejects(AT(LOOP "vupdate.f32 c2, v1, v1, i32, 0"), "v1 is i32, not f32");
    rejects(AT(LOOP "vstorex.f32 c1, v1, v0, i32\nvstorex.f32 c1, v1, v0, i32"), "cursor 1 is written here too");
    rejects(AT("inner l0\nvstorex.f32 c1, v1, v0, i32\ninner.end l0"), "only allowed at lane level");
    rejects(AT(LOOP "vupdate.f32 c2, v1, v0, i32, 32"), "there is no operation 32 of f32");
    rejects(AT(LOOP "vupdate.f32 c2, v1, v0, i32, 4"), "there is no operation 4 of f32");
    rejects(AT(LOOP "vupdate.f32 c2, v1, v0, i32, 16"), "there is no operation 16 of f32");
    rejects(AT(LOOP "vupdate.f32 c2, v1, v0, i32, 9"), "there is no operation 9 of f32");
    accepts(AT(LOOP "vupdatema.f32 c2, v1, v0, v0, i32, 2"));
    rejects(AT(LOOP "vupdatema.f32 c1, v1, v0, v0, i32, 0"), "cursor 1 is not read and written");
    rejects(AT(LOOP "vupdatema.f32 c2, v1, v1, v0, i32, 0"), "v1 is i32, not f32");
    rejects(AT(LOOP "vupdatema.f32 c2, v1, v0, v1, i32, 0"), "v1 is i32, not f32");
    rejects(AT(LOOP "vupdatema.f32 c2, v1, v0, v0, i64, 0"), "v1 is i32, not i64");
    rejects(AT(LOOP "vupdatema.f32 c2, v1, v0, v0, i32, 3"), "there is no operation 3 of f32");
    rejects(AT(LOOP "vupdatema.f32 c2, v1, v0, v0, i32, 16"), "there is no operation 16 of f32");
    rejects(AT(LOOP "vupdatema.f32 c2, v1, v0, v0, i32, 0\nvupdatema.f32 c2, v1, v0, v0, i32, 0"), "cursor 2 is written here too");
    rejects(AT("inner l0\nvupdatema.f32 c2, v1, v0, v0, i32, 0\ninner.end l0"), "only allowed at lane level");
    accepts(AT(LOOP "vscan.i32 v1, s1, v1, 4\nvscan.f32 v2, s1, v0, 98\nvadd.u32 v2, v2, v2\nvscanma.f32 v2, s1, v0, v0, 34"));
    rejects(AT("inner l0\nvscan.f32 v2, s1, v0, 0\ninner.end l0"), "only allowed at lane level");
    rejects(AT("inner l0\nvscanma.f32 v2, s1, v0, v0, 0\ninner.end l0"), "only allowed at lane level");
    rejects(AT(LOOP "vscan.f32 v2, s1, v1, 0"), "v1 is i32, not f32");
    rejects(AT(LOOP "vscan.f32 v2, s8, v0, 0"), "scalar register 8 >= 8");
    rejects(AT(LOOP "vscan.f32 v2, s1, v0, 0\nvadd.u32 v2, v2, v2"), "v2 is f32, not u32");
    rejects(AT(LOOP "vscan.f32 v2, s1, v0, 5"), "there is no operation 5 of f32");
    rejects(AT(LOOP "vscan.f32 v2, s1, v0, 128"), "there is no operation 128 of f32");
    rejects(AT(LOOP "vscanma.f32 v2, s1, v0, v0, 3"), "there is no operation 3 of f32");
    rejects(AT(LOOP "vscanma.f32 v2, s1, v0, v0, 19"), "there is no operation 19 of f32");
    rejects(AT(LOOP "vscan.i32 v2, s1, v1, 8"), "there is no operation 8 of i32");
#define FOUR "vscan.f32 v2, s1, v0, 0\nvscan.f32 v2, s1, v0, 0\nvscan.f32 v2, s1, v0, 0\nvscan.f32 v2, s1, v0, 0\n"
    accepts(AT(LOOP FOUR FOUR FOUR FOUR));
    rejects(AT(LOOP FOUR FOUR FOUR FOUR "vscan.f32 v2, s1, v0, 0"), "more than 16 scans");
    accepts(AT(LOOP "vstep.f32 v0, 24\nvstepma.f32 v0, v0, 18\nvscanma.f32 v2, s1, v0, v0, 50\nvscan.f32 v2, s2, v0, 8"));
    accepts(AT(LOOP "vlt.f32 v2, v0, v0\nvstep.f32 v0, 0\nvscan.f32 v2, s1, v2, 105\nvadd.u32 v2, v2, v2"));
    rejects(AT("inner l0\nvstep.f32 v0, 0\ninner.end l0"), "only allowed at lane level");
    rejects(AT("inner l0\nvstepma.f32 v0, v0, 0\ninner.end l0"), "only allowed at lane level");
    rejects(AT(LOOP "vstep.f32 v1, 0\nvscan.f32 v2, s1, v0, 0"), "v1 is i32, not f32");
    rejects(AT(LOOP "vstepma.f32 v0, v1, 0\nvscan.f32 v2, s1, v0, 0"), "v1 is i32, not f32");
    rejects(AT(LOOP "vstep.f32 v0, 9\nvscan.f32 v2, s1, v0, 0"), "there is no operation 9 of f32");
    rejects(AT(LOOP "vstep.f32 v0, 32\nvscan.f32 v2, s1, v0, 0"), "there is no operation 32 of f32");
    rejects(AT(LOOP "vstep.i32 v1, 8\nvscan.i32 v2, s1, v1, 0"), "there is no operation 8 of i32");
    rejects(AT(LOOP "vstepma.f32 v0, v0, 4\nvscan.f32 v2, s1, v0, 0"), "there is no operation 4 of f32");
    rejects(AT(LOOP "vstepma.f32 v0, v0, 19\nvscan.f32 v2, s1, v0, 0"), "there is no operation 19 of f32");
    rejects(AT(LOOP "vstepma.f32 v0, v0, 3\nvscan.f32 v2, s1, v0, 0"), "v0 is f32, not bool");
    accepts(AT(LOOP "vlt.f32 v2, v0, v0\nvstepma.f32 v2, v0, 3\nvscanma.f32 v2, s1, v2, v0, 99\nvadd.u32 v2, v2, v2"));
    rejects(AT(LOOP "vlt.f32 v2, v0, v0\nvstepma.f32 v2, v1, 3\nvscan.f32 v2, s1, v0, 0"), "v1 is i32, not f32");
    rejects(AT(LOOP "vlt.f32 v2, v0, v0\nvstep.f32 v0, 0\nvscanma.f32 v2, s1, v2, v1, 3"), "v1 is i32, not f32");
    rejects(AT(LOOP "vlt.f32 v2, v0, v0\nvstep.f32 v0, 0\nvscanma.f32 v2, s1, v2, v0, 19"), "there is no operation 19 of f32");
    rejects(AT(LOOP "vlt.f32 v2, v0, v0\nvstep.f32 v0, 0\nvscanma.f32 v2, s1, v2, v0, 131"), "there is no operation 131 of f32");
    rejects(AT(LOOP "vstep.f32 v0, 0\nvscanma.f32 v2, s1, v0, v0, 3"), "v0 is f32, not bool");
    rejects(AT(LOOP "vscan.f32 v2, s1, v0, 9"), "there is no operation 9 of f32");
    rejects(AT(LOOP "vstep.f32 v0, 0\nvscan.f32 v2, s1, v0, 9"), "v0 is f32, not bool");
    rejects(AT(LOOP "vstep.f32 v0, 0"), "no scan of f32 goes on with the step before it");
    rejects(AT(LOOP "vstep.f32 v0, 0\nvadd.f32 v2, v0, v0\nvscan.f32 v2, s1, v0, 0"), "no scan of f32 goes on with the step before it");
    rejects(AT(LOOP "vstep.f32 v0, 0\nvstep.i32 v1, 0\nvscan.i32 v2, s1, v1, 0"), "no scan of f32 goes on with the step before it");
    rejects(AT(LOOP "vstep.f32 v0, 0\nvscan.i32 v2, s1, v1, 0"), "no scan of f32 goes on with the step before it");
#define THREE "vstep.f32 v0, 0\nvstep.f32 v0, 0\nvstepma.f32 v0, v0, 0\n"
    accepts(AT(LOOP THREE THREE THREE THREE THREE "vscan.f32 v2, s1, v0, 0"));
    rejects(AT(LOOP THREE THREE THREE THREE THREE "vstep.f32 v0, 0\nvscan.f32 v2, s1, v0, 0"), "more than 15 steps of a scan");
#undef THREE
#undef FOUR
#undef LOOP
#undef AT
    rejects(BODY("lane s0, done\n.cursor r0 f32 read 7 1 0\ndone: lane.end"), "cursor 0 is indexed, but has a start or steps");
    rejects(BODY("lane s0, done\n.cursor r0 f32 read 7 0 1\ndone: lane.end"), "cursor 0 is indexed, but has a start or steps");
    rejects(BODY("lane s0, done\n.cursor r0 f32 read 7 s0 0\ndone: lane.end"), "cursor 0 is indexed, but has a start or steps");
    rejects(BODY("lane s0, done\n.inner 3\n.cursor r0 f32 read 7 0 0 1\ninner l0\ninner.end l0\ndone: lane.end"),
            "cursor 0 is indexed, but has a start or steps");
    rejects(BODY("lane s0, done\n.cursor r0 f32 read 7 0 0\n.cursor r0 i32 read 0 0 0\nseek.i32 c0, c1, 1, 2\ndone: lane.end"),
            "cursor 0 is indexed");
    rejects(BODY("lane s0, done\n.cursor r0 f32 write 7 0 0\ndone: lane.end"), "cursor 0: r0 may not be written");
    rejects(BODY("lane s0, done\n.cursor r0 f32 read 6 0 0\ndone: lane.end"), "level 6 > 0");
}

/* What ends with the first lane that is found does nothing that lanes behind that one could do. */
static void test_finds(void **state) {
    (void)state;
#define FIND(body) BODY("lane s0, done\n.inner 3\nvsplat.f32 v0, s0\nvlt.f32 v1, v0, v0\n" body "\ndone: lane.end")
#define ENDED(body, end) BODY("lane s0, done\n.cursor r1 f32 readwrite 0 0 1\nvsplat.f32 v0, s0\nvsplat.i32 v2, s0\nvlt.f32 v1, v0, v0\n" body "\ndone: lane.end" end)
#define ALONE(body) ENDED(body, "")
    accepts(ALONE("vfind.bool s1, v1"));
    accepts(ALONE("vload.f32 v0, c0\nvfind.bool s1, v1\nviota.i32 v2, s0, 1\nvdiv.f32 v0, v0, v0"));
    rejects(ALONE("vfind.bool s1, v0"), "v0 is f32, not bool");
    rejects(ALONE("vfind.bool s8, v1"), "scalar register 8 >= 8");
    rejects(ALONE("vfind.bool s1, v3"), "v3 is read, but not defined here");
    rejects(ALONE("vfind.bool s1, v1\nvfind.bool s1, v1"), "a lane loop has one vfind");
    rejects(ALONE("vfind.bool s1, v1\nvstore.f32 c0, v0"), "does nothing that a lane behind it could do");
    rejects(ALONE("vstore.f32 c0, v0\nvfind.bool s1, v1"), "does nothing that a lane behind it could do");
    rejects(ALONE("vdiv.i32 v2, v2, v2\nvfind.bool s1, v1"), "does nothing that a lane behind it could do");
    rejects(ALONE("vscan.f32 v0, s2, v0, 0\nvfind.bool s1, v1"), "does nothing that a lane behind it could do");
    rejects(ALONE("vindex.i32 v2, s0, 0, \"\"\nvfind.bool s1, v1"), "does nothing that a lane behind it could do");
    rejects(ALONE("vloop\nvwhile.bool v1\nvagain\nvfind.bool s1, v1"), "does nothing that a lane behind it could do");
    rejects(FIND("inner l0\nvfind.bool s1, v1\ninner.end l0"), "does nothing that a lane behind it could do");
    /* Where more code is behind the loop, its end goes by with what is before it. */
#define FOLLOWED(body) ENDED(body, "\nconst.i64 s1, 1\nconst.i64 s1, 2\nconst.i64 s1, 3")
    accepts(FOLLOWED("vfind.bool s1, v1\nvload.f32 v0, c0"));
    rejects(FOLLOWED("vfind.bool s1, v1\nvstore.f32 c0, v0"), "does nothing that a lane behind it could do");
#undef FOLLOWED
#undef FIND
#undef ALONE
#undef ENDED
}

/* Loops of a lane's own. */
static void test_own_loops(void **state) {
    (void)state;
#define OWN(body) BODY("lane s0, done\n.inner 3\nvsplat.f32 v0, s0\nvlt.f32 v1, v0, v0\n" body "\ndone: lane.end")
#define INNER "inner l0\ninner.end l0\n"
    accepts(OWN(INNER "vloop\nvwhile.bool v1\nvadd.f32 v0, v0, v0\nvagain\nvneg.f32 v0, v0"));
    accepts(OWN("inner l0\nvloop\nvloop\nvloop\nvwhile.bool v1\nvagain\nvagain\nvagain\ninner.end l0"));
    rejects(OWN(INNER "vloop\nvwhile.bool v2\nvagain"), "v2 is read, but not defined here");
    rejects(OWN(INNER "vloop\nvwhile.bool v0\nvagain"), "v0 is f32, not bool");
    rejects(OWN(INNER "vwhile.bool v1"), "no vloop is open here");
    rejects(OWN("vloop\nvagain\ninner l0\nvwhile.bool v1\ninner.end l0"), "no vloop is open here");
    rejects(OWN(INNER "vagain"), "no vloop is open here");
    rejects(OWN("inner l0\nvagain\ninner.end l0"), "no vloop is open here");
    rejects(OWN(INNER "vloop"), "a vloop is still open");
    rejects(OWN("vloop\ninner l0\ninner.end l0\nvagain"), "inner loop 0 begins in a vloop");
    rejects(OWN("inner l0\nvloop\ninner.end l0\nvagain"), "a vloop is open, not inner loop 0");
    rejects(OWN(INNER "vloop\nvloop\nvloop\nvloop\nvagain\nvagain\nvagain\nvagain"), "vloops are nested more than 3 deep");
#define FOUR "vloop\nvagain\nvloop\nvagain\nvloop\nvagain\nvloop\nvagain\n"
    accepts(OWN(INNER FOUR FOUR));
    rejects(OWN(INNER FOUR FOUR "vloop\nvagain"), "more than 8 vloops");
#undef FOUR
    rejects(OWN(INNER "vloop\nvmov.f32 v2, v0\nvagain\nvmov.f32 v0, v2"), "v2 is read, but not defined here");
    rejects(OWN(INNER "vloop\nvneg.f32 v2, v0\nvcast.i32 v0, v2, f32\nvagain"),
            "v0 is read in a vloop before it gets another type there");
    rejects(OWN(INNER "vloop\nvscan.f32 v2, s1, v0, 0\nvagain"), "only allowed at lane level");
#undef INNER
#undef OWN
}

/* The types of registers around inner loops, which may run zero times or many. */
static void test_lane_flow(void **state) {
    (void)state;
#define ONE(before, inside, after) \
    BODY("lane s0, done\n.inner 3\n" before "\ninner l0\n" inside "\ninner.end l0\n" after "\ndone: lane.end")
#define TWO(before, outer1, inside, outer2, after)                                                \
    BODY("lane s0, done\n.inner 3\n.inner 4\n" before "\ninner l0\n" outer1 "\ninner l1\n" inside \
         "\ninner.end l1\n" outer2 "\ninner.end l0\n" after "\ndone: lane.end")
#define F0      "vsplat.f32 v0, s0"
#define I0      "vsplat.i32 v0, s0"
#define READ_F0 "vmov.f32 v1, v0"
#define READ_I0 "vmov.i32 v1, v0"
    accepts(ONE(F0, "vadd.f32 v0, v0, v0", READ_F0));
    accepts(ONE(F0, F0, READ_F0));
    accepts(ONE("", F0 "\n" READ_F0, ""));
    accepts(ONE("", F0, I0 "\n" READ_I0));
    rejects(ONE("", F0, READ_F0), "v0 is read, but not defined here");
    rejects(ONE("", READ_F0 "\n" F0, ""), "v0 is read, but not defined here");
    rejects(ONE(F0, READ_F0 "\n" I0, ""), "v0 is read in inner loop 0 before it gets another type there");
    accepts(ONE(F0, I0 "\n" READ_I0, ""));
    rejects(ONE(F0, I0, READ_I0), "v0 is read, but not defined here");
    rejects(ONE(F0, I0, READ_F0), "v0 is read, but not defined here");
    accepts(ONE(F0, READ_F0 "\n" I0 "\n" READ_I0 "\n" F0, READ_F0));
    /* Two loops: what the inner one does may reach the outer one's next round. */
    accepts(TWO(F0, READ_F0, "vadd.f32 v0, v0, v0", READ_F0, READ_F0));
    rejects(TWO(F0, READ_F0, I0, "", ""), "v0 is read in inner loop 0 before it gets another type there");
    rejects(TWO(F0, "", READ_F0, I0, ""), "v0 is read in inner loop 0 before it gets another type there");
    accepts(TWO(F0, "", I0, "", ""));
    rejects(TWO(F0, "", I0, READ_F0, ""), "v0 is read, but not defined here");
    accepts(TWO(F0, "", I0, F0 "\n" READ_F0, READ_F0));
    accepts(TWO(F0, F0, READ_F0, I0, ""));
    rejects(TWO(F0, I0, READ_I0 "\n" F0, "", ""), "v0 is read in inner loop 1 before it gets another type there");
    rejects(TWO(F0, "", READ_F0, I0 "\n" READ_I0, ""), "v0 is read in inner loop 0 before it gets another type there");
    rejects(TWO("", F0, READ_F0, "", READ_F0), "v0 is read, but not defined here");
    accepts(TWO("", F0, READ_F0, READ_F0, ""));
}

/* ---- Several at once ------------------------------------------------------------------------------------------- */

/* Where no step may be taken without a look at the clock, each instruction is looked at by itself. */
static tirb_status verify_each(fixture *f, const tirbi_program *program) {
    tirbi_watch watch = {.look_at = UINT64_MAX, .max_work = UINT64_MAX, .deadline = UINT64_MAX, .each_step = true};
    tirbi_work_watched(&f->heap, &watch);
    const tirb_status status = tirbi_verify(program, &f->heap, &f->error);
    tirbi_work_watched(&f->heap, NULL);
    return status;
}

/* With an entry of the source map at each instruction, and where code cannot be decoded further. */
static tirb_status verify_lines(fixture *f, tirbi_function *function, const tirbi_program *program) {
    enum { MOST = 256 };
    tirbi_line lines[MOST];
    tirbi_instr instr;
    uint32_t n = 0;
    for (uint32_t at = 0; at < function->code_size && n < MOST; at += instr.size) {
        lines[n++] = (tirbi_line){.offset = at, .line = 1};
        if (tirbi_decode(function->code, function->code_size, at, &instr, NULL) != TIRB_OK) break;
    }
    function->lines = lines;
    function->n_lines = n;
    const tirb_status status = tirbi_verify(program, &f->heap, &f->error);
    function->lines = NULL;
    function->n_lines = 0;
    return status;
}

static void expect_same(fixture *f, tirbi_function *function, const tirbi_program *program, const char *what) {
    char message[sizeof f->error.message] = "";
    const tirb_status each = verify_each(f, program);
    const uint64_t offset = f->error.offset;
    if (each != TIRB_OK) strcpy(message, f->error.message);
    for (unsigned by_lines = 0; by_lines < 2; by_lines++) {
        const tirb_status all =
            by_lines ? verify_lines(f, function, program) : tirbi_verify(program, &f->heap, &f->error);
        if (all != each || (all != TIRB_OK && (offset != f->error.offset || strcmp(message, f->error.message) != 0)))
            fail_msg("'%s'%s, but '%s' by itself: %s", all == TIRB_OK ? "" : f->error.message,
                     by_lines ? " with lines" : "", message, what);
    }
}

/* What goes by several instructions at once says of any code what is said of each by itself: of bytes that are others,
 * and where the code ends. */
static void check_passing(const char *text) {
    fixture f;
    fixture_open(&f);
    tirbi_program *program = fixture_assemble(&f, text);
    tirbi_function *function = MUTABLE(tirbi_function, program->functions);
    uint8_t *code = MUTABLE(uint8_t, function->code);
    fixture_ok(&f, verify_each(&f, program), text);
    fixture_ok(&f, tirbi_verify(program, &f.heap, &f.error), text);
    const uint32_t size = function->code_size;
    char what[64];
    for (uint32_t at = 0; at < size; at++) {
        const uint8_t was = code[at];
        for (unsigned byte = 0; byte < 256; byte++) {
            snprintf(what, sizeof what, "byte %u as 0x%02x", at, byte);
            code[at] = (uint8_t)byte;
            expect_same(&f, function, program, what);
        }
        code[at] = was;
        snprintf(what, sizeof what, "%u bytes", at);
        function->code_size = at;
        expect_same(&f, function, program, what);
        function->code_size = size;
    }
    fixture_close(&f);
}

/* A register that is not defined has no type, which is none that a cast can name. */
static void test_cast_of_nothing(void **state) {
    (void)state;
    enum { REGISTER = 3, TYPE = 4 };
    fixture f;
    fixture_open(&f);
    tirbi_program *program =
        fixture_assemble(&f, BODY("lane s0, done\nvsplat.f32 v0, s1\nvcast.i32 v1, v0, f32\ndone:\nlane.end"));
    const tirbi_function *function = program->functions;
    tirbi_instr instr;
    uint32_t at = 0;
    while (tirbi_decode(function->code, function->code_size, at, &instr, NULL) == TIRB_OK && instr.op != TIRB_OP_VCAST)
        at += instr.size;
    MUTABLE(uint8_t, function->code)[at + REGISTER] = 2;
    MUTABLE(uint8_t, function->code)[at + TYPE] = TIRB_TYPE_NONE;
    assert_reason(&f, tirbi_verify(program, &f.heap, &f.error), "no type 255", "altered");
    fixture_close(&f);
}

static void test_passing(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "vload.f32 v0, c0\nvload.f32 v1, c0\nvadd.f32 v1, v0, v1\nvfma.f32 v0, v1, v0, v1\nvlt.f32 v2, v0, v1\n"
        "vselect.f32 v1, v2, v0, v1\nvneg.f32 v1, v1\nvstore.f32 c1, v1\nvcast.i32 v3, v1, f32\nvstore.i32 c2, v3\n",
        "vsplat.i32 v0, s1\nviota.i32 v1, s2, 1\nvdiv.i32 v0, v0, v1\nvbits.f32 v2, v0, i32\nvstore.f32 c1, v2\n",
        "vload.f32 v0, c0\ninner l0\nvload.f32 v1, c3\nvmul.f32 v2, v0, v1\nvadd.f32 v0, v0, v2\ninner.end l0\n"
        "vstore.f32 c1, v0\n",
        "vload.f32 v0, c0\ninner l0\nvload.f32 v1, c3\nvcast.i32 v2, v1, f32\nvstore.i32 c2, v2\nvsplat.f32 v1, s1\n"
        "inner.end l0\nvmul.f32 v0, v0, v0\n",
        "vload.f32 v0, c0\nvsplat.f32 v1, s1\nvlt.f32 v2, v0, v1\nvfind.bool s4, v2\n",
        "vload.f32 v0, c0\nvmov.f32 v1, v0\nvstep.f32 v0, 0\nvscan.f32 v1, s4, v0, 1\nvadd.f32 v1, v1, v0\n",
    };
    for (unsigned i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const bool inner = strstr(bodies[i], "inner") != NULL;
        /* Ends of loops go by as well where there is enough behind them. */
        const char *const behind = "add.i64 s1, s2, s3\nadd.i64 s1, s2, s3\nadd.i64 s1, s2, s3\nadd.i64 s1, s2, s3\n";
        char text[2048];
        snprintf(text, sizeof text,
                 FUNCTION("lane s0, done\n%s.cursor r0 f32 read 0 0 1%s\n.cursor r1 f32 readwrite 0 0 1%s\n"
                          ".cursor r2 i32 write 0 0 1%s\n%s%sdone:\nlane.end\n%sret.void"),
                 inner ? ".inner s3\n" : "", inner ? " 0" : "", inner ? " 0" : "", inner ? " 0" : "",
                 inner ? ".cursor r0 f32 read 1 0 1 1\n" : "", bodies[i], behind);
        check_passing(text);
    }
    /* Scalar code: arithmetic, constants, casts, checks, accesses, jumps and ends of loops. */
    check_passing(BODY("nop\nadd.i32 s7, s7, s7\nadd.i64 s1, s2, s3\nload.i32 s0, r0, 5\nload.f32 s0, r0, s7\n"
                       "store.i32 r1, s7, s0\nstore.f32 r1, 3, s7\nload.i64 s0, r3, 0\nadd.i32 s0, s0, s0"));
    check_passing(BODY("nop\nagain: brif s0, out\nbrnot s7, out\nadd.i32 s1, s1, s1\nloop s1, s2, again\n"
                       "loop s7, s7, again\nadd.i32 s1, s1, s1\nout: nop"));
    check_passing(BODY("nop\nconst.i64 s1, 7\nconst.f32 s7, 2\nconst.i8 s2, 3\nconst.bool s2, 1\ncast.f32 s7, s1, i64\n"
                       "cast.bool s1, s7, f16\nindex s1, s7, 0, \"\"\nindex s7, s1, 129, \"\"\nadd.i32 s0, s0, s0\n"
                       "add.i32 s0, s0, s0\nadd.i32 s0, s0, s0\nadd.i32 s0, s0, s0\nadd.i32 s0, s0, s0"));
    check_passing(BODY("nop\njmp on\nagain: add.i32 s1, s1, s1\njmp out\non: add.i32 s1, s1, s1\nback again\n"
                       "out: add.i32 s1, s1, s1"));
    /* A cursor that the loop before had. */
    check_passing(FUNCTION("lane s0, first\n.cursor r0 f32 read 0 0 1\n.cursor r1 f32 readwrite 0 0 1\nvload.f32 v0, c1\n"
                           "vstore.f32 c1, v0\nfirst:\nlane.end\nlane s0, done\n.cursor r1 f32 readwrite 0 0 1\n"
                           "vload.f32 v0, c0\nvstore.f32 c0, v0\ndone:\nlane.end\nret.void"));
}

/* ---- Errors and memory ----------------------------------------------------------------------------------------- */

static void test_error_place(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    verify_text(&f, ".function \"a\"\nret.void\n.end\n.function \"matmul\"\n.scalars 1\nnop\nnop\nmov.f32 s0, s1\n"
                    "ret.void\n.end\n");
    assert_string_equal(f.error.message, "verify: function 1 'matmul' at 0x4: mov.f32: scalar register 1 >= 1");
    assert_string_equal(f.error.where, "matmul");
    assert_int_equal(f.error.offset, 4);
    assert_int_equal(tirbi_verify(fixture_assemble(&f, sample_program), &f.heap, NULL), TIRB_OK);
    fixture_close(&f);
}

static void test_no_memory(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    const tirbi_program *program = fixture_assemble(&f, sample_program);
    tirbi_heap small;
    tirbi_heap_init(&small, NULL, 8);
    assert_int_equal(tirbi_verify(program, &small, &f.error), TIRB_MEMORY_LIMIT);
    fixture_close(&f);
}

/* A packed function whose parameters are `parameters` instead of the usual ones. */
#define PACKED(parameters)                                                                        \
    ".function \"f\" public packed returns i32\n.scalars 2\n.ref i64\n.ref i32\n.ref i64 writable\n" \
    ".ref i32 writable\n.ref i64\n.ref f32\n" parameters "ret.i32 s1\n.end\n"
#define PACKED_HEAD ".tensor \"a\" i64 r0 read (0)\n.tensor \"c\" i32 r1 read (0)\n.scalar \"n\" i32 s0\n"
#define PACKED_TAIL ".tensor \"v\" i64 r2 write (0)\n.tensor \"t\" i32 r3 write (0)\n"

static void test_packed(void **state) {
    (void)state;
    accepts(PACKED(PACKED_HEAD PACKED_TAIL));
    accepts(PACKED(PACKED_HEAD PACKED_TAIL ".tensor \"h\" i64 r4 (0)\n"));
    rejects(PACKED(PACKED_HEAD), "a packed function has 5 or 6 parameters, not 3");
    rejects(PACKED(PACKED_HEAD PACKED_TAIL ".tensor \"h\" f32 r5 (0)\n"), "parameter 5 is not that of a packed function");
    rejects(PACKED(".tensor \"a\" i64 r0 read (1)\n.tensor \"c\" i32 r1 read (0)\n.scalar \"n\" i32 s0\n" PACKED_TAIL),
            "parameter 0 is not that of a packed function");
    rejects(PACKED(".tensor \"a\" i64 r0 read (0) minima (1)\n.tensor \"c\" i32 r1 read (0)\n.scalar \"n\" i32 s0\n" PACKED_TAIL),
            "parameter 0 is not that of a packed function");
    rejects(PACKED(".tensor \"a\" i64 r0 read ()\n.tensor \"c\" i32 r1 read (0)\n.scalar \"n\" i32 s0\n" PACKED_TAIL),
            "parameter 0 is not that of a packed function");
    rejects(PACKED(".tensor \"a\" i64 r2 write (0)\n.tensor \"c\" i32 r1 read (0)\n.scalar \"n\" i32 s0\n"
                   ".tensor \"v\" i64 r0 (0)\n.tensor \"t\" i32 r3 write (0)\n"),
            "parameter 0 is not that of a packed function");
    rejects(PACKED(".tensor \"a\" i64 r0 read (0)\n.tensor \"c\" i32 r1 read (0)\n.scalar \"n\" i64 s0\n" PACKED_TAIL),
            "parameter 2 is not that of a packed function");
    rejects(PACKED(".var \"m\" i64 s0\n" PACKED_HEAD PACKED_TAIL), "a packed function has no shape variables");
    rejects(PACKED(PACKED_HEAD PACKED_TAIL ".requires 0 < 1\n"), "a packed function has no conditions");
    rejects(".function \"f\" packed returns i64\n.scalars 2\n.ref i64\n.ref i32\n.ref i64 writable\n.ref i32 writable\n"
            PACKED_HEAD PACKED_TAIL "ret.i64 s1\n.end\n",
            "a packed function returns i32");
}

/* The type of what it returns counts only where it returns something. */
static void test_packed_returns_nothing(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    tirbi_program *program = fixture_assemble(&f, PACKED(PACKED_HEAD PACKED_TAIL));
    MUTABLE(tirbi_function, program->functions)->returns = false;
    assert_reason(&f, tirbi_verify(program, &f.heap, &f.error), "a packed function returns i32", "altered");
    fixture_close(&f);
}

/* A text in which each '%' is the number. */
static size_t put_numbered(char *out, const char *text, unsigned number) {
    const char *begin = out;
    for (; *text; text++) {
        if (*text == '%') out += sprintf(out, "%u", number);
        else *out++ = *text;
    }
    *out = 0;
    return (size_t)(out - begin);
}

/* Whatever a program has many of, some steps each: who verifies it stops soon after as many as there may be. Names,
 * imports, functions, dimensions, instructions. */
static void test_steps(void **state) {
    (void)state;
    enum { TIMES = 400, MOST_MORE = 64, SIGNATURE = 2 * TIMES };
    static const struct {
        const char *head, *unit, *tail;
        uint64_t at_once; /* beside what a unit takes */
    } programs[] = {
        {"", ".string \"n%\"\n", "", 0},
        {"", ".import \"n%\" (f32)\n", "", 0},
        {"", ".function \"n%\"\nret.void\n.end\n", "", 0},
        {".function \"f\"\n.scalars 1\n.var \"n\" i64 s0\n",
         ".ref f32\n.tensor \"n%\" f32 r% ({$0 $0 add} {$0 $0 min} {$0 $0 max})\n", "ret.void\n.end\n", SIGNATURE},
        {".function \"f\"\n", "nop\n", "ret.void\n.end\n", 0},
        {".function \"f\"\n.lanes 1\n.scalars 1\nlane s0, done\n", "vsplat.i32 v0, s0\n",
         "done:\nlane.end\nret.void\n.end\n", 0},
    };
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        static char text[TIMES * 100 + 200];
        fixture f;
        fixture_open(&f);
        size_t used = put_numbered(text, programs[i].head, 0);
        for (unsigned k = 0; k < TIMES; k++) used += put_numbered(text + used, programs[i].unit, k);
        put_numbered(text + used, programs[i].tail, 0);
        const tirbi_program *program = fixture_assemble(&f, text);
        f.heap.work = 0;
        fixture_ok(&f, tirbi_verify(program, &f.heap, &f.error), text);
        const uint64_t steps = f.heap.work;
        if (steps > TIMES * MOST_MORE) fail_msg("%s: %d steps", programs[i].unit, (int)steps);
        /* In their table names meet at random, which is some of the steps; for no secret is it many. */
        for (unsigned again = 0; again < 4000; again++) {
            f.heap.work = 0;
            fixture_ok(&f, tirbi_verify(program, &f.heap, &f.error), text);
            if (f.heap.work > steps + steps / 4 || f.heap.work < steps - steps / 4) {
                fail_msg("%s: %d steps, and then %d", programs[i].unit, (int)steps, (int)f.heap.work);
            }
        }
        for (f.heap.max_work = 0; f.heap.max_work < steps; f.heap.max_work++) {
            f.heap.work = 0;
            const tirb_status status = tirbi_verify(program, &f.heap, &f.error);
            if (status != TIRB_FUEL && f.heap.max_work < steps / 2) fail_msg("%s: %d", programs[i].unit, (int)status);
            if (f.heap.work > f.heap.max_work + MOST_MORE + programs[i].at_once && f.heap.max_work > steps / 4)
                fail_msg("%s: %d steps of %d", programs[i].unit, (int)f.heap.work, (int)f.heap.max_work);
        }
        fixture_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),          cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_aliases),        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_many_conditions),
        cmocka_unit_test(test_minima),         cmocka_unit_test(test_registers),
        cmocka_unit_test(test_params),         cmocka_unit_test(test_dims),
        cmocka_unit_test(test_results), cmocka_unit_test(test_vars),           cmocka_unit_test(test_altered),
        cmocka_unit_test(test_open_results),
        cmocka_unit_test(test_operands),       cmocka_unit_test(test_types),
        cmocka_unit_test(test_constants),      cmocka_unit_test(test_traps),
        cmocka_unit_test(test_jumps),          cmocka_unit_test(test_returns),
        cmocka_unit_test(test_calls),          cmocka_unit_test(test_imports),
        cmocka_unit_test(test_lines),          cmocka_unit_test(test_contractions),
        cmocka_unit_test(test_folds),          cmocka_unit_test(test_lane_placement),
        cmocka_unit_test(test_lane_headers),   cmocka_unit_test(test_inner_loops),
        cmocka_unit_test(test_cursors),        cmocka_unit_test(test_seeks),
        cmocka_unit_test(test_lane_registers), cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_advance),        cmocka_unit_test(test_finds),
        cmocka_unit_test(test_own_loops),      cmocka_unit_test(test_lane_flow),
        cmocka_unit_test(test_cast_of_nothing),
        cmocka_unit_test(test_error_place),    cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_forks),          cmocka_unit_test(test_region_signatures),
        cmocka_unit_test(test_packed_returns_nothing),
        /* The long ones: what misses a check sooner ends the mutation gate's turn. */
        cmocka_unit_test(test_steps),          cmocka_unit_test(test_passing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
