#include "vm/translate/pairs.h"

#include "loader/base/work.h"
#include "vm/machine/code.h"
#include "vm/machine/handlers.h"

/* Most forms begin no pair, or stand behind none: two of these are not looked for. A form may be in many pairs. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const bool begins_some[TIRBI_N_HANDLERS] = {
#define PAIR(KIND, operands, NEXT_KIND, next_operands) [TIRBI_HANDLER(TIRBI_NAME_##KIND operands)] = true,
#define THEN(KIND, operands, NEXT_KIND, next_operands, LAST_KIND, last_operands)                                       \
    [TIRBI_HANDLER(TIRBI_INTO(KIND, operands, NEXT_KIND, next_operands))] = true,
#include "vm/machine/pairs.def"
};
static const bool ends_some[TIRBI_N_HANDLERS] = {
#define PAIR(KIND, operands, NEXT_KIND, next_operands) [TIRBI_HANDLER(TIRBI_NAME_##NEXT_KIND next_operands)] = true,
#define THEN(KIND, operands, NEXT_KIND, next_operands, LAST_KIND, last_operands)                                       \
    [TIRBI_HANDLER(TIRBI_NAME_##LAST_KIND last_operands)] = true,
#include "vm/machine/pairs.def"
};
/* By the form: whether it is the first of two of which the second takes its result. */
static const bool goes_into_some[TIRBI_N_HANDLERS] = {
    [0] = false, /* some builds have none */
#define INTO(KIND, operands, NEXT_KIND, next_operands) [TIRBI_HANDLER(TIRBI_NAME_##KIND operands)] = true,
#include "vm/machine/pairs.def"
};
#pragma GCC diagnostic pop

#define KEY(a, b) ((a) * (unsigned)TIRBI_N_HANDLERS + (b))
/* The form of two that follow each other, or 0. */
static unsigned pair_of(unsigned first, unsigned second) {
    if (!ends_some[second]) return 0;
    switch (KEY(first, second)) {
#define PAIR(KIND, operands, NEXT_KIND, next_operands)                                                                 \
    case KEY(TIRBI_HANDLER(TIRBI_NAME_##KIND operands), TIRBI_HANDLER(TIRBI_NAME_##NEXT_KIND next_operands)):          \
        return TIRBI_HANDLER(TIRBI_PAIR(KIND, operands, NEXT_KIND, next_operands));
#define THEN(KIND, operands, NEXT_KIND, next_operands, LAST_KIND, last_operands)                                       \
    case KEY(TIRBI_HANDLER(TIRBI_INTO(KIND, operands, NEXT_KIND, next_operands)),                                      \
             TIRBI_HANDLER(TIRBI_NAME_##LAST_KIND last_operands)):                                                     \
        return TIRBI_HANDLER(TIRBI_THEN(KIND, operands, NEXT_KIND, next_operands, LAST_KIND, last_operands));
#include "vm/machine/pairs.def"
    default: return 0;
    }
}

/* The form of a jump and what it leads to, or 0. */
static unsigned jump_of(unsigned first, unsigned second) {
    switch (KEY(first, second)) {
#define AROUND(NEXT_KIND, next_operands)                                                                               \
    case KEY(TIRBI_H_LOOP, TIRBI_HANDLER(TIRBI_NAME_##NEXT_KIND next_operands)):                                       \
        return TIRBI_HANDLER(TIRBI_PAIR(LOOP, (), NEXT_KIND, next_operands));
#define AROUND_AHEAD(NEXT_KIND, next_operands)                                                                         \
    case KEY(TIRBI_H_JMP_LOOP, TIRBI_HANDLER(TIRBI_PAIR(LOOP, (), NEXT_KIND, next_operands))):                         \
        return TIRBI_HANDLER(TIRBI_PAIR(JMP_LOOP, (), NEXT_KIND, next_operands));
#define AGAIN(KIND, operands, NEXT_KIND, next_operands)                                                                \
    case KEY(TIRBI_HANDLER(TIRBI_NAME_##KIND##_BACK operands), TIRBI_HANDLER(TIRBI_NAME_##NEXT_KIND next_operands)):   \
        return TIRBI_HANDLER(TIRBI_PAIR(KIND##_BACK, operands, NEXT_KIND, next_operands));
#define BESIDE(OP, op, TYPE, type)                                                                                     \
    case KEY(TIRBI_H_##OP##_##TYPE##_BRNOT, TIRBI_H_LOOP): return TIRBI_H_##OP##_##TYPE##_BRNOT_LOOP;
#define ELSE(KIND, OP, op, TYPE, type)                                                                                 \
    case KEY(TIRBI_H_##OP##_##TYPE##_BRNOT, TIRBI_HANDLER(TIRBI_NAME_##KIND(OP, op, TYPE, type))):                     \
        return TIRBI_HANDLER(TIRBI_ELSE(KIND, OP, op, TYPE, type));
#include "vm/machine/pairs.def"
    case KEY(TIRBI_H_JMP, TIRBI_H_LOOP): return TIRBI_H_JMP_LOOP;
    default: return 0;
    }
}

/* By the form of several: the first of them. */
static const uint16_t begins_with[TIRBI_N_HANDLERS] = {
#define PAIR(KIND, operands, NEXT_KIND, next_operands)                                                                 \
    [TIRBI_HANDLER(TIRBI_PAIR(KIND, operands, NEXT_KIND, next_operands))] =                                            \
        TIRBI_HANDLER(TIRBI_NAME_##KIND operands),
#define AROUND(NEXT_KIND, next_operands) [TIRBI_HANDLER(TIRBI_PAIR(LOOP, (), NEXT_KIND, next_operands))] = TIRBI_H_LOOP,
#define AGAIN(KIND, operands, NEXT_KIND, next_operands)                                                                \
    [TIRBI_HANDLER(TIRBI_PAIR(KIND##_BACK, operands, NEXT_KIND, next_operands))] =                                     \
        TIRBI_HANDLER(TIRBI_NAME_##KIND##_BACK operands),
#define THEN(KIND, operands, NEXT_KIND, next_operands, LAST_KIND, last_operands)                                       \
    [TIRBI_HANDLER(TIRBI_THEN(KIND, operands, NEXT_KIND, next_operands, LAST_KIND, last_operands))] =                  \
        TIRBI_HANDLER(TIRBI_INTO(KIND, operands, NEXT_KIND, next_operands)),
#define BESIDE(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE##_BRNOT_LOOP] = TIRBI_H_##OP##_##TYPE##_BRNOT,
#define ELSE(KIND, OP, op, TYPE, type)                                                                                 \
    [TIRBI_HANDLER(TIRBI_ELSE(KIND, OP, op, TYPE, type))] = TIRBI_H_##OP##_##TYPE##_BRNOT,
#include "vm/machine/pairs.def"
};

/* The form of one and of what stands or is led to behind it, as much of that as one form can take; or 0. */
static unsigned form_of_both(unsigned (*form_of)(unsigned, unsigned), unsigned first, unsigned second) {
    const unsigned all = form_of(first, second);
    return all != 0 || begins_with[second] == 0 ? all : form_of(first, begins_with[second]);
}

/* The form of two of which the second reads what the first makes, or 0. */
static unsigned into_of(unsigned first, unsigned second) {
    switch (KEY(first, second)) {
#define INTO(KIND, operands, NEXT_KIND, next_operands)                                                                 \
    case KEY(TIRBI_HANDLER(TIRBI_NAME_##KIND operands), TIRBI_HANDLER(TIRBI_NAME_##NEXT_KIND next_operands)):          \
        return TIRBI_HANDLER(TIRBI_INTO(KIND, operands, NEXT_KIND, next_operands));
#include "vm/machine/pairs.def"
    default: return 0;
    }
#undef KEY
}

/* Which operand such a second form takes. */
enum { READS_B = 1, READS_C, READS_ADDEND };
static const uint8_t reads[TIRBI_N_HANDLERS] = {
#define BINARY(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE] = READS_B,
#define TERNARY(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE##_AT_ONCE] = READS_ADDEND,
#define COMPARE(OP, op, TYPE, type)                                                                                    \
    [TIRBI_H_##OP##_##TYPE##_BRNOT] = READS_B, [TIRBI_H_##OP##_##TYPE##_SELECT] = READS_B,
#define MEMORY(TYPE, type)                                                                                             \
    [TIRBI_H_LOAD_##TYPE] = READS_C, [TIRBI_H_INDEX_LOAD_##TYPE] = READS_C,                                \
    [TIRBI_H_STORE_##TYPE] = READS_C, [TIRBI_H_INDEX_STORE_##TYPE] = READS_C,
#include "vm/machine/forms.def"
#define BESIDE(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE##_BRNOT_LOOP] = READS_B,
#include "vm/machine/pairs.def"
};

/* By the form: the one that does the same with b and c exchanged, or 0. */
static const uint16_t exchanged[TIRBI_N_HANDLERS] = {
#define EXCHANGED_ADD(TYPE) TIRBI_H_ADD_##TYPE
#define EXCHANGED_SUB(TYPE) 0
#define EXCHANGED_MUL(TYPE) TIRBI_H_MUL_##TYPE
#define EXCHANGED_MIN(TYPE) TIRBI_H_MIN_##TYPE
#define EXCHANGED_MAX(TYPE) TIRBI_H_MAX_##TYPE
#define EXCHANGED_AND(TYPE) TIRBI_H_AND_##TYPE
#define EXCHANGED_OR(TYPE)  TIRBI_H_OR_##TYPE
#define EXCHANGED_XOR(TYPE) TIRBI_H_XOR_##TYPE
#define EXCHANGED_SHL(TYPE) 0
#define EXCHANGED_SHR(TYPE) 0
#define EXCHANGED_DIV(TYPE) 0
#define BINARY(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE] = EXCHANGED_##OP(TYPE),
#define EXCHANGED_EQ EQ
#define EXCHANGED_NE NE
#define EXCHANGED_LT GT
#define EXCHANGED_LE GE
#define EXCHANGED_GT LT
#define EXCHANGED_GE LE
#define COMPARE(OP, op, TYPE, type)                                                                                    \
    [TIRBI_H_##OP##_##TYPE##_BRNOT] = COMPARED(EXCHANGED_##OP, TYPE, BRNOT),                                           \
    [TIRBI_H_##OP##_##TYPE##_SELECT] = COMPARED(EXCHANGED_##OP, TYPE, SELECT),
#define COMPARED(OP, TYPE, what)  COMPARED_(OP, TYPE, what)
#define COMPARED_(OP, TYPE, what) TIRBI_H_##OP##_##TYPE##_##what
#include "vm/machine/forms.def"
#define BESIDE(OP, op, TYPE, type)                                                                                     \
    [TIRBI_H_##OP##_##TYPE##_BRNOT_LOOP] = COMPARED(EXCHANGED_##OP, TYPE, BRNOT_LOOP),
#include "vm/machine/pairs.def"
#undef COMPARED
#undef COMPARED_
};

/* How many words a form has that pairs begin with; 0: none does. */
static const uint8_t first_words[TIRBI_N_HANDLERS] = {
#define WORDS_LOAD 1
#define WORDS_EXTEND 1
#define WORDS_STORE 1
#define WORDS_BINARY 1
#define WORDS_ADD_LOAD 2
#define WORDS_INDEX_LOAD 2
#define WORDS_INDEX_STORE 2
#define WORDS_BRNOT 2
#define WORDS_CHOOSE 2
#define WORDS_ADDEND 2
#define WORDS_FUSED 2
#define INTO(KIND, operands, NEXT_KIND, next_operands)                                                                 \
    [TIRBI_HANDLER(TIRBI_INTO(KIND, operands, NEXT_KIND, next_operands))] = WORDS_##KIND + WORDS_##NEXT_KIND,
#define WORDS_BRNOT_LOOP WORDS_BRNOT
#include "vm/machine/pairs.def"
    [TIRBI_H_CONST] = 1,
    [TIRBI_H_INDEX] = 2,
    [TIRBI_H_SELECT] = 2,
#define COMPARE(OP, op, TYPE, type)                                                                                    \
    [TIRBI_H_##OP##_##TYPE] = 1, [TIRBI_H_##OP##_##TYPE##_SELECT] = 2, [TIRBI_H_##OP##_##TYPE##_BRNOT] = 2,
#define MEMORY(TYPE, type)                                                                                             \
    [TIRBI_H_LOAD_##TYPE] = 1, [TIRBI_H_STORE_##TYPE] = 1, [TIRBI_H_INDEX_LOAD_##TYPE] = 2,                            \
    [TIRBI_H_INDEX_STORE_##TYPE] = 2, [TIRBI_H_ADD_LOAD_##TYPE] = 2, [TIRBI_H_ADD_STORE_##TYPE] = 2,
#define BINARY(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE] = 1,
#define TERNARY(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE##_AT_ONCE] = 2,
#define EXTEND(TYPE, type) [TIRBI_H_EXTEND_##TYPE] = 1,
#include "vm/machine/forms.def"
};

/* Whether a form is that of a jump and what it leads to. */
static const bool is_of_jump[TIRBI_N_HANDLERS] = {
#define AROUND(NEXT_KIND, next_operands) [TIRBI_HANDLER(TIRBI_PAIR(LOOP, (), NEXT_KIND, next_operands))] = true,
#define AGAIN(KIND, operands, NEXT_KIND, next_operands)                                                                \
    [TIRBI_HANDLER(TIRBI_PAIR(KIND##_BACK, operands, NEXT_KIND, next_operands))] = true,
#include "vm/machine/pairs.def"
};

/* Makes one form of each jump and what it leads to, of which there may be more than the last time; or of those to loop
 * instructions alone. */
static void pair_jumps(const tirbi_words *all, const tirbi_jumps *jumps, bool to_loops, const tirbi_heap *heap) {
    tirbi_word *const words = all->words;
    for (uint32_t i = 0; i < jumps->n && !tirbi_work_stopped(heap, i); i++) {
        const uint32_t from = jumps->all[i].word, to = jumps->landings[jumps->all[i].landing].word;
        const unsigned first = words[from].op, second = to < all->n ? words[to].op : 0;
        if (to_loops && second != TIRBI_H_LOOP) continue;
        unsigned form = to < all->n ? form_of_both(jump_of, first, second) : 0;
        if (form == 0 && to < all->n && is_of_jump[first]) form = jump_of(begins_with[first], second);
        if (form != 0) words[from].op = (uint16_t)form;
    }
}

/* Whether the form reads that slot as the operand that forms of two take from the first: as it stands, or with b and c
 * exchanged. */
static bool takes(const tirbi_word *form, uint16_t slot, bool *is_exchanged) {
    *is_exchanged = false;
    switch (reads[form->op]) {
    case READS_C: return form->c == slot;
    case READS_ADDEND: return form[1].list[0] == slot;
    case READS_B: break;
    default: return false;
    }
    *is_exchanged = form->b != slot && form->c == slot && exchanged[form->op] != 0;
    return *is_exchanged || form->b == slot;
}

/* Makes one form of two where a result goes from one into the other, from the last to the first. */
static void pair_results(const tirbi_words *all, const uint32_t *forms, uint32_t n, const tirbi_heap *heap) {
    bool is_paired = false; /* the instruction behind, with the one behind that */
    uint32_t behind = all->n;
    for (uint32_t i = n; i-- > 0 && !tirbi_work_stopped(heap, i);) {
        tirbi_word *const first = &all->words[forms[i]], *const second = &all->words[behind];
        const bool may_go = !is_paired && goes_into_some[first->op];
        const bool follows = may_go && behind < all->n && first_words[first->op] == behind - forms[i];
        bool is_exchanged;
        behind = forms[i];
        is_paired = false;
        if (!follows || !takes(second, first->a, &is_exchanged)) continue;
        const unsigned form = into_of(first->op, is_exchanged ? exchanged[second->op] : second->op);
        if (form == 0) continue;
        if (is_exchanged)
            *second = (tirbi_word){.op = exchanged[second->op], .a = second->a, .b = second->c, .c = second->b};
        first->op = (uint16_t)form;
        is_paired = true;
    }
}

/* Makes one form of a jump and what it leads to, then of two or three that follow each other, from the last to the
 * first, then of the other jumps and pairs that they lead to: the first one's word has the number of all, and all words
 * stay where they are, so that a jump may still lead to the others. */
void tirbi_pair_forms(const tirbi_words *all, const uint32_t *forms, uint32_t n, const tirbi_jumps *jumps,
                      const tirbi_heap *heap) {
    tirbi_word *const words = all->words;
    pair_jumps(all, jumps, true, heap);
    pair_results(all, forms, n, heap);
    pair_jumps(all, jumps, false, heap);
    uint32_t behind = all->n, further = all->n; /* the first words of the form behind and of the one behind that */
    for (uint32_t i = n; i-- > 0 && !tirbi_work_stopped(heap, i);) {
        const uint32_t place = forms[i];
        const unsigned first = words[place].op;
        const uint32_t next = place + first_words[first];
        const bool paired = begins_some[first] && next > place && next < all->n && (next == behind || next == further);
        const unsigned form = paired ? form_of_both(pair_of, first, words[next].op) : 0;
        if (form != 0) words[place].op = (uint16_t)form;
        further = behind;
        behind = place;
    }
    pair_jumps(all, jumps, false, heap);
}
