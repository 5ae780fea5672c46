#include "vm/translate/live.h"

#include "loader/base/work.h"
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

/* What a form reads and writes of what is followed. An add.i64 may store the sum that it has made: what it reads of
 * that does not count. */
static void find_effect(const tirbi_conditions *c, const tirbi_word *word, tirbi_effect *effect) {
    const unsigned use = uses[word->op];
    uint32_t writes = 0, reads = 0;
    if (use == 0) {
        effect->reads = UINT32_MAX;
        effect->writes = 0;
        return;
    }
    if (use & WRITES_A) writes |= tirbi_live_bit(c, word->a);
    if (use & WRITES_FOURTH) writes |= tirbi_live_bit(c, word[1].list[3]);
    if (use & READS_A) reads |= tirbi_live_bit(c, word->a);
    if (use & WRITES_C) {
        const uint32_t sum = tirbi_live_bit(c, word->c);
        writes |= sum;
        reads &= ~sum;
    }
    if (use & READS_B) reads |= tirbi_live_bit(c, word->b);
    if (use & READS_C) reads |= tirbi_live_bit(c, word->c);
    if (use & READS_FIRST) reads |= tirbi_live_bit(c, word[1].list[0]);
    if (use & READS_SECOND) reads |= tirbi_live_bit(c, word[1].list[1]);
    effect->reads = reads;
    effect->writes = writes;
}

void tirbi_live_begin(tirbi_live *live, const tirbi_words *words, const tirbi_conditions *conditions,
                      const tirbi_form *forms, uint32_t n_forms, const tirbi_heap *heap) {
    const tirbi_jumps *jumps = live->jumps;
    uint32_t n_jumps = jumps->n, n_landings = jumps->n_landings;
    live->n = 0;
    for (uint32_t i = n_forms; i-- > 0 && !tirbi_work_stopped(heap, i);) {
        const uint32_t place = forms[i].place;
        const tirbi_word *word = &words->words[place];
        tirbi_effect *const effect = &live->effects[live->n];
        if (word->op == TIRBI_H_LOOK) word++;
        find_effect(conditions, word, effect);
        effect->ends = (uses[word->op] & ENDS) != 0;
        bool leads = effect->ends;
        for (; n_jumps > 0 && jumps->all[n_jumps - 1].word >= place; n_jumps--) leads = true;
        for (; n_landings > 0 && jumps->landings[n_landings - 1].word >= place; n_landings--) leads = true;
        if (!leads && (effect->reads | effect->writes) == 0) continue;
        effect->form = i;
        effect->jumps = n_jumps;
        effect->landings = n_landings;
        live->n++;
    }
}

/* Goes back once. Whether something is live at a landing that was not. */
static bool turn(const tirbi_live *live, bool is_last, const tirbi_heap *heap) {
    const tirbi_jumps *jumps = live->jumps;
    uint32_t now = 0, n_jumps = jumps->n, n_landings = jumps->n_landings;
    bool changed = false;
    for (uint32_t i = 0; i < live->n && !tirbi_work_stopped(heap, i); i++) {
        tirbi_effect *const effect = &live->effects[i];
        if (effect->ends) now = 0;
        for (; n_jumps > effect->jumps; n_jumps--) now |= jumps->landings[jumps->all[n_jumps - 1].landing].live;
        const uint32_t behind = now;
        now = (now & ~effect->writes) | effect->reads;
        for (; n_landings > effect->landings; n_landings--) {
            tirbi_landing *const landing = &jumps->landings[n_landings - 1];
            changed |= landing->live != now;
            landing->live = now;
        }
        if (is_last) effect->writes = behind;
    }
    return changed;
}

/* Loops bring what their heads read to their ends, one around the other. */
bool tirbi_live_settle(tirbi_live *live, tirbi_heap *heap) {
    enum { MOST_TURNS = 6 };
    for (unsigned i = 0; i < MOST_TURNS; i++) {
        heap->work += live->n / TIRBI_WORDS_AT_ONCE;
        if (turn(live, false, heap)) continue;
        turn(live, true, heap);
        return true;
    }
    return false;
}
