#include "vm/translate/live.h"

#include "vm/machine/code.h"
#include "vm/machine/handlers.h"

/* What a form reads and writes: operands of its first word, and of the list in its second one. APART: nothing that is
 * followed. ENDS: what stands behind it is not gone on to. A form that is not here may read anything. */
enum {
    WRITES_A = 1,
    READS_A = 2,
    READS_B = 4,
    READS_C = 8,
    WRITES_C = 16,
    READS_FIRST = 32,
    READS_SECOND = 64,
    WRITES_FOURTH = 128,
    APART = 256,
    ENDS = 512
};

static const uint16_t uses[TIRBI_N_HANDLERS] = {
    [TIRBI_H_JMP] = ENDS, [TIRBI_H_BACK] = ENDS, [TIRBI_H_RET] = ENDS, [TIRBI_H_RETVOID] = ENDS, [TIRBI_H_TRAP] = ENDS,
    [TIRBI_H_BRIF] = READS_A, [TIRBI_H_BRNOT] = READS_A, [TIRBI_H_INDEX] = READS_A,
    [TIRBI_H_CONST] = WRITES_A, [TIRBI_H_CONST64] = WRITES_A,
    [TIRBI_H_FUNCTION] = WRITES_A | READS_B | READS_C | READS_FIRST,
    [TIRBI_H_SELECT] = READS_B | READS_FIRST | READS_SECOND | WRITES_FOURTH,
    [TIRBI_H_SELECT_BOOL] = WRITES_A | READS_B | READS_C | READS_FIRST,
    [TIRBI_H_BOOL64] = WRITES_A | READS_B,
    [TIRBI_H_LOOP] = APART, [TIRBI_H_LOOP_ROWS] = APART, [TIRBI_H_CALL] = APART, [TIRBI_H_CALLX] = APART,
    [TIRBI_H_RESULT] = APART, [TIRBI_H_ASSERT] = APART, [TIRBI_H_SAME] = APART, [TIRBI_H_REF_CONST] = APART,
    [TIRBI_H_CONTRACT] = APART, [TIRBI_H_FOLD] = APART, [TIRBI_H_FOLDS] = APART, [TIRBI_H_ALLOC] = APART,
    [TIRBI_H_SLICE] = APART, [TIRBI_H_LENGTH] = APART, [TIRBI_H_MEET] = APART, [TIRBI_H_REF_GET] = APART,
    [TIRBI_H_REF_PUT] = APART, [TIRBI_H_LANE] = APART, [TIRBI_H_FORK] = APART,
#define UNARY(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE] = WRITES_A | READS_B,
#define BINARY(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE] = WRITES_A | READS_B | READS_C,
#define DIVIDING(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE] = WRITES_A | READS_B | READS_C,
#define TERNARY(OP, op, TYPE, type)                                                                                    \
    [TIRBI_H_##OP##_##TYPE] = WRITES_A | READS_B | READS_C | READS_FIRST,                                              \
    [TIRBI_H_##OP##_##TYPE##_AT_ONCE] = WRITES_A | READS_B | READS_C | READS_FIRST,
#define COMPARE(OP, op, TYPE, type)                                                                                    \
    [TIRBI_H_##OP##_##TYPE] = WRITES_A | READS_B | READS_C, [TIRBI_H_##OP##_##TYPE##_BRIF] = READS_B | READS_C,        \
    [TIRBI_H_##OP##_##TYPE##_BRNOT] = READS_B | READS_C,                                                               \
    [TIRBI_H_##OP##_##TYPE##_SELECT] = READS_B | READS_C | READS_FIRST | READS_SECOND | WRITES_FOURTH,
#define CONVERT(TO, to, FROM, from) [TIRBI_H_CAST_##TO##_##FROM] = WRITES_A | READS_B,
#define STEP(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE##_BACK] = WRITES_A | READS_B | READS_C | ENDS,
#define MEMORY(TYPE, type)                                                                                             \
    [TIRBI_H_LOAD_##TYPE] = WRITES_A | READS_C, [TIRBI_H_STORE_##TYPE] = READS_B | READS_C,                            \
    [TIRBI_H_INDEX_LOAD_##TYPE] = WRITES_A | READS_C, [TIRBI_H_INDEX_STORE_##TYPE] = READS_B | READS_C,                \
    [TIRBI_H_ADD_LOAD_##TYPE] = WRITES_A | WRITES_C | READS_FIRST | READS_SECOND,                                      \
    [TIRBI_H_ADD_STORE_##TYPE] = READS_A | WRITES_C | READS_FIRST | READS_SECOND,
#define EXTEND(TYPE, type)                                                                                             \
    [TIRBI_H_EXTEND_##TYPE] = WRITES_A | READS_B, [TIRBI_H_EXTEND_##TYPE##_BACK] = WRITES_A | READS_B | ENDS,
#include "vm/machine/forms.def"
};

bool tirbi_live_writes_a(unsigned form) { return uses[form] & WRITES_A; }

/* What is read by a form of what is live behind it, or before it otherwise. An add.i64 may store the sum that it has
 * made. */
static uint32_t live_before(const tirbi_conditions *c, const tirbi_word *word, uint32_t live) {
    const unsigned use = uses[word->op];
    if (use == 0) return UINT32_MAX;
    if (use & WRITES_A) live &= ~tirbi_live_bit(c, word->a);
    if (use & WRITES_FOURTH) live &= ~tirbi_live_bit(c, word[1].list[3]);
    if (use & READS_A) live |= tirbi_live_bit(c, word->a);
    if (use & WRITES_C) live &= ~tirbi_live_bit(c, word->c);
    if (use & READS_B) live |= tirbi_live_bit(c, word->b);
    if (use & READS_C) live |= tirbi_live_bit(c, word->c);
    if (use & READS_FIRST) live |= tirbi_live_bit(c, word[1].list[0]);
    if (use & READS_SECOND) live |= tirbi_live_bit(c, word[1].list[1]);
    return live;
}

void tirbi_live_begin(tirbi_live *live) {
    live->n_jumps = live->jumps->n;
    live->n_landings = live->jumps->n_landings;
    live->now = 0;
    live->changed = false;
}

uint32_t tirbi_live_before(tirbi_live *live, uint32_t place) {
    const tirbi_word *word = &live->words->words[place];
    if (word->op == TIRBI_H_LOOK) word++;
    uint32_t behind = uses[word->op] & ENDS ? 0 : live->now;
    for (; live->n_jumps > 0 && live->jumps->all[live->n_jumps - 1].word >= place; live->n_jumps--)
        behind |= live->jumps->landings[live->jumps->all[live->n_jumps - 1].landing].live;
    live->now = live_before(live->conditions, word, behind);
    for (; live->n_landings > 0 && live->jumps->landings[live->n_landings - 1].word >= place; live->n_landings--) {
        tirbi_landing *const landing = &live->jumps->landings[live->n_landings - 1];
        live->changed |= landing->live != live->now;
        landing->live = live->now;
    }
    return behind;
}

/* Loops bring what their heads read to their ends, one around the other. */
bool tirbi_live_settle(tirbi_live *live, tirbi_heap *heap) {
    enum { MOST_TURNS = 6 };
    for (unsigned turn = 0; turn < MOST_TURNS; turn++) {
        heap->work += live->words->n / TIRBI_WORDS_AT_ONCE;
        tirbi_live_begin(live);
        for (uint32_t place = live->words->n; place-- > 0;)
            if (live->words->steps[place] & TIRBI_WORD_BEGINS) tirbi_live_before(live, place);
        if (!live->changed) return true;
    }
    return false;
}
