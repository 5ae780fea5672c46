/* Bodies for blocks that are not whole, of loops over elements that are apart: none of their words moves a whole block.
 * Words are looked at, not run, so that this holds of instruction sets, too, that the CPU at hand has not. */
#include "tests/unit/machine_harness.h"
#include "vm/lanes/forms.h"
#include "vm/lanes/machines.h"
#include "vm/translate/lane_plan.h"
#include "vm/translate/translate.h"

static const char *const types[] = {"f32", "f64", "i32", "i64", "u8", "i16"};
/* What is stored, of v0 and the splat v1, and how cursors go on; * stands for the type. */
static const struct {
    const char *body;
    int reads, writes;
} cases[] = {
    {"vadd.* v2, v0, v1", 1, 2},  {"vadd.* v2, v0, v1", 1, 3},  {"vadd.* v2, v0, v1", 1, 4},
    {"vadd.* v2, v0, v1", 2, 1},  {"vadd.* v2, v0, v1", 3, 1},  {"vadd.* v2, v0, v1", 4, 1},
    {"vmul.* v2, v0, v0", 2, 2},  {"vmul.* v2, v0, v0", 3, 3},  {"vmul.* v2, v0, v0", 4, 4},
    {"vsub.* v2, v0, v1", -1, 3}, {"vsub.* v2, v0, v1", -2, 2}, {"vmov.* v2, v0", 2, 4},
};
enum { N_TYPES = sizeof types / sizeof *types, N_CASES = sizeof cases / sizeof *cases };

static void write_text(char *to, size_t size, unsigned i, const char *type) {
    char body[64];
    const char *const star = strchr(cases[i].body, '*');
    snprintf(body, sizeof body, "%.*s%s%s", (int)(star - cases[i].body), cases[i].body, type, star + 1);
    snprintf(to, size,
             ".function \"f\" public\n.scalars 2\n.lanes 3\n.ref %s\n.ref %s writable\n"
             ".tensor \"x\" %s r0 read ($0)\n.tensor \"y\" %s r1 write ($0)\n.var \"n\" i64 s0\n"
             "lane s0, done\n.cursor r0 %s read 0 0 %d\n.cursor r1 %s write 0 0 %d\n"
             "vload.%s v0, c0\nvsplat.%s v1, s1\n%s\nvstore.%s c1, v2\ndone:\nlane.end\nret.void\n.end\n",
             type, type, type, type, type, cases[i].reads, type, cases[i].writes, type, type, body, type);
}

static bool is_one_of(unsigned op, unsigned first, unsigned last) { return op >= first && op <= last; }

static bool spreads_a_block(unsigned op) {
    return is_one_of(op, TIRBI_L_SPREAD2_4_A, TIRBI_L_SPREAD4_4_B) ||
           is_one_of(op, TIRBI_L_SPREAD2_F32_A, TIRBI_L_SPREAD4_F32_B) ||
           is_one_of(op, TIRBI_L_SPREAD2_8_A, TIRBI_L_SPREAD4_U8_B);
}
static bool picks_a_block(unsigned op) {
    return is_one_of(op, TIRBI_L_PICK2_2_A, TIRBI_L_PICK2_2_B) || is_one_of(op, TIRBI_L_PICK2_4_A, TIRBI_L_PICK4_4_B) ||
           is_one_of(op, TIRBI_L_PICK2_8_A, TIRBI_L_PICK4_U8_B);
}
/* The word stores a block of a bank, be it all that a body ends with, to a cursor. */
static bool stores_a_block(const tirbi_lane_loop *loop, const tirbi_word *word) {
    const bool to_cursor = word->a >= 1 && word->a <= loop->n_cursors;
    return to_cursor && (is_one_of(word->op, TIRBI_L_STORE_A, TIRBI_L_LAST4_16_B) ||
                         is_one_of(word->op, TIRBI_L_STORE4_8_A, TIRBI_L_STORE4_BF16_B) ||
                         is_one_of(word->op, TIRBI_L_STORE8_8_A, TIRBI_L_STORE8_F32_B));
}

typedef bool counted(const tirbi_lane_loop *loop, const tirbi_word *word);
static bool spreads(const tirbi_lane_loop *loop, const tirbi_word *word) {
    (void)loop;
    return spreads_a_block(word->op);
}
static bool moves_a_block(const tirbi_lane_loop *loop, const tirbi_word *word) {
    return spreads_a_block(word->op) || picks_a_block(word->op) || stores_a_block(loop, word);
}

static unsigned count(const tirbi_code *code, uint32_t body, counted *which) {
    const tirbi_lane_loop *loop = &code->functions[0].loops[0];
    const tirbi_word *words = code->functions[0].words;
    unsigned n = 0;
    for (uint32_t at = body;; at += tirbi_lane_words_of(&words[at])) {
        if (words[at].op == TIRBI_L_FINISH || words[at].op == TIRBI_L_NEXT_BLOCK) return n;
        n += which(loop, &words[at]);
    }
}

/* How many words of the loop's full body spread a block. */
static unsigned check(harness *h, tirb_isa isa) {
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_code *code;
    assert_int_equal(tirbi_code_create(h->program, isa, false, &h->heap, &code, &error), TIRB_OK);
    const tirbi_lane_loop *loop = &code->functions[0].loops[0];
    const unsigned n = count(code, loop->full, spreads);
    if (loop->main_size != 0 && count(code, loop->tail, moves_a_block) > 0)
        harness_fail(h, "%s: the tail moves a whole block", tirb_isa_name(isa));
    if (loop->wide != 0 && count(code, loop->wide, moves_a_block) > 0)
        harness_fail(h, "%s: the wide body moves a whole block", tirb_isa_name(isa));
    tirbi_code_destroy(code);
    return n;
}

static void no_part_is_a_whole_block(void **state) {
    (void)state;
    static const tirb_isa all[] = {TIRB_ISA_GENERIC, TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
    unsigned n = 0;
    for (unsigned i = 0; i < N_CASES; i++) {
        for (unsigned t = 0; t < N_TYPES; t++) {
            char text[1000];
            harness h;
            write_text(text, sizeof text, i, types[t]);
            harness_open(&h, text);
            for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
                if (tirbi_lane_machine_of(all[k])) n += check(&h, all[k]);
            harness_close(&h);
        }
    }
    /* Where an instruction set has such words, the cases come to them. */
    if (tirbi_lane_machine_of(TIRB_ISA_AVX512)) assert_true(n > N_CASES);
}

/* A copy of a half beside words, in a block of any size: nothing behind its elements is written. */
static void no_copy_of_a_half_is_a_word(void **state) {
    (void)state;
    harness h;
    harness_open(&h, ".function \"f\" public\n.scalars 2\n.lanes 4\n.ref i8\n.ref f16 writable\n"
                     ".tensor \"x\" i8 r0 read ($0)\n.tensor \"y\" f16 r1 write ($0)\n"
                     ".scalar \"k\" i64 s0\n.var \"n\" i64 s1\n"
                     "lane s0, done\n.cursor r0 i8 read 0 0 1\n.cursor r1 f16 write 0 0 1\nvload.i8 v0, c0\n"
                     "vcast.f16 v1, v0, i8\nvmov.f16 v2, v1\nvstore.f16 c1, v2\nvcast.i32 v3, v0, i8\n"
                     "done:\nlane.end\nret.void\n.end\n");
    enum { MOST = 140 };
    for (size_t n = 1; n < 70; n++) {
        int8_t x[MOST];
        uint16_t y[MOST];
        for (size_t i = 0; i < MOST; i++) x[i] = (int8_t)i, y[i] = 0xABCD;
        buffer b[] = {{x, MOST, TIRB_I8}, {y, MOST, TIRB_F16}};
        assert_int_equal(harness_call(&h, (uint64_t[]){n, MOST}, b, 2).status, TIRB_OK);
        for (size_t i = n; i < MOST; i++) assert_int_equal(y[i], 0xABCD);
    }
    harness_close(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_part_is_a_whole_block),
                                       cmocka_unit_test(no_copy_of_a_half_is_a_word)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
