#include "vm/exec/pairs.h"

#include "vm/exec/machine.h"

#define KEY(a, b) ((a) * (unsigned)TIRBI_N_HANDLERS + (b))
/* The form of two that follow each other, or 0. */
static unsigned pair_of(unsigned first, unsigned second) {
    switch (KEY(first, second)) {
#define PAIR(KIND, operands, NEXT_KIND, next_operands)                                                                 \
    case KEY(TIRBI_HANDLER(TIRBI_NAME_##KIND operands), TIRBI_HANDLER(TIRBI_NAME_##NEXT_KIND next_operands)):          \
        return TIRBI_HANDLER(TIRBI_PAIR(KIND, operands, NEXT_KIND, next_operands));
#include "vm/exec/pairs.def"
    default: return 0;
    }
}

/* The form of a jump and what it leads to, or 0. */
static unsigned jump_of(unsigned first, unsigned second) {
    switch (KEY(first, second)) {
#define AROUND(NEXT_KIND, next_operands)                                                                               \
    case KEY(TIRBI_H_LOOP, TIRBI_HANDLER(TIRBI_NAME_##NEXT_KIND next_operands)):                                       \
        return TIRBI_HANDLER(TIRBI_PAIR(LOOP, (), NEXT_KIND, next_operands));
#define AGAIN(KIND, operands, NEXT_KIND, next_operands)                                                                \
    case KEY(TIRBI_HANDLER(TIRBI_NAME_##KIND##_BACK operands), TIRBI_HANDLER(TIRBI_NAME_##NEXT_KIND next_operands)):   \
        return TIRBI_HANDLER(TIRBI_PAIR(KIND##_BACK, operands, NEXT_KIND, next_operands));
#define BESIDE(OP, op, TYPE, type)                                                                                     \
    case KEY(TIRBI_H_##OP##_##TYPE##_BRNOT, TIRBI_H_LOOP): return TIRBI_H_##OP##_##TYPE##_BRNOT_LOOP;
#define ELSE(KIND, OP, op, TYPE, type)                                                                                 \
    case KEY(TIRBI_H_##OP##_##TYPE##_BRNOT, TIRBI_HANDLER(TIRBI_NAME_##KIND(OP, op, TYPE, type))):                     \
        return TIRBI_HANDLER(TIRBI_ELSE(KIND, OP, op, TYPE, type));
#define INTO(KIND, operands, NEXT_KIND, next_operands) LEADS_##NEXT_KIND(KIND, operands, next_operands)
#define LEADS_BINARY(...)
#define LEADS_BRNOT(...)
#define LEADS_LOAD(...)
#define LEADS_STORE(...)
#define LEADS_INDEX_LOAD(...)
#define LEADS_INDEX_STORE(...)
#define LEADS_BRNOT_LOOP(KIND, operands, next_operands)                                                                \
    case KEY(TIRBI_HANDLER(TIRBI_INTO(KIND, operands, BRNOT, next_operands)), TIRBI_H_LOOP):                           \
        return TIRBI_HANDLER(TIRBI_INTO(KIND, operands, BRNOT_LOOP, next_operands));
#include "vm/exec/pairs.def"
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
#define BESIDE(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE##_BRNOT_LOOP] = TIRBI_H_##OP##_##TYPE##_BRNOT,
#define ELSE(KIND, OP, op, TYPE, type)                                                                                 \
    [TIRBI_HANDLER(TIRBI_ELSE(KIND, OP, op, TYPE, type))] = TIRBI_H_##OP##_##TYPE##_BRNOT,
#include "vm/exec/pairs.def"
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
#include "vm/exec/pairs.def"
    default: return 0;
    }
#undef KEY
}

/* Which operand such a second form reads, and whether it has another one that is a slot. */
enum { READS_B = 1, READS_C, READS_C_ALONE };
static const uint8_t reads[TIRBI_N_HANDLERS] = {
#define BINARY(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE] = READS_B,
#define COMPARE(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE##_BRNOT] = READS_B,
#define MEMORY(TYPE, type)                                                                                             \
    [TIRBI_H_LOAD_##TYPE] = READS_C_ALONE, [TIRBI_H_INDEX_LOAD_##TYPE] = READS_C_ALONE,                                \
    [TIRBI_H_STORE_##TYPE] = READS_C, [TIRBI_H_INDEX_STORE_##TYPE] = READS_C,
#include "vm/exec/forms.def"
#define BESIDE(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE##_BRNOT_LOOP] = READS_B,
#include "vm/exec/pairs.def"
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
#define COMPARE(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE##_BRNOT] = COMPARED(EXCHANGED_##OP, TYPE, BRNOT),
#define COMPARED(OP, TYPE, what)  COMPARED_(OP, TYPE, what)
#define COMPARED_(OP, TYPE, what) TIRBI_H_##OP##_##TYPE##_##what
#include "vm/exec/forms.def"
#define BESIDE(OP, op, TYPE, type)                                                                                     \
    [TIRBI_H_##OP##_##TYPE##_BRNOT_LOOP] = COMPARED(EXCHANGED_##OP, TYPE, BRNOT_LOOP),
#include "vm/exec/pairs.def"
#undef COMPARED
#undef COMPARED_
};

/* How many words a form has that pairs begin with; 0: none does. */
static const uint8_t first_words[TIRBI_N_HANDLERS] = {
    [TIRBI_H_CONST] = 1,
    [TIRBI_H_INDEX] = 2,
#define COMPARE(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE##_SELECT] = 3, [TIRBI_H_##OP##_##TYPE##_BRNOT] = 2,
#define MEMORY(TYPE, type)                                                                                             \
    [TIRBI_H_LOAD_##TYPE] = 1, [TIRBI_H_STORE_##TYPE] = 1, [TIRBI_H_INDEX_LOAD_##TYPE] = 2,                            \
    [TIRBI_H_INDEX_STORE_##TYPE] = 2, [TIRBI_H_ADD_LOAD_##TYPE] = 2, [TIRBI_H_ADD_STORE_##TYPE] = 2,
#define BINARY(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE] = 1,
#define EXTEND(TYPE, type) [TIRBI_H_EXTEND_##TYPE] = 1,
#include "vm/exec/forms.def"
};

/* Makes one form of each jump and what it leads to. */
static void pair_jumps(const tirbi_words *all, const tirbi_jump *jumps, uint32_t n_jumps) {
    tirbi_word *const words = all->words;
    for (uint32_t i = 0; i < n_jumps; i++) {
        const uint32_t from = jumps[i].word, field = jumps[i].field;
        const uint32_t to = from + (uint32_t)(field == from ? words[field].jump : words[field].far_jump);
        const unsigned form = to < all->n ? form_of_both(jump_of, words[from].op, words[to].op) : 0;
        if (form != 0) words[from].op = (uint16_t)form;
    }
}

/* Whether the second form, behind the first, reads what that makes, and nothing else does; then it is made the first of
 * its operands. */
static bool reads_result(const tirbi_conditions *conditions, const tirbi_word *first, tirbi_word *second) {
    const uint16_t result = first->a;
    if (!tirbi_conditions_owns(conditions, result)) return false;
    switch (reads[second->op]) {
    case READS_C_ALONE: return second->c == result;
    case READS_C: return second->c == result && second->b != result;
    case READS_B: break;
    default: return false;
    }
    if (second->c == result && second->b != result && exchanged[second->op] != 0) {
        *second = (tirbi_word){.op = exchanged[second->op], .a = second->a, .b = second->c, .c = second->b};
        return true;
    }
    return second->b == result && second->c != result;
}

/* Makes one form of two where a result goes from one into the other alone, from the last to the first. */
static void pair_results(const tirbi_words *all, const tirbi_conditions *conditions) {
    tirbi_word *const words = all->words;
    uint32_t behind = all->n; /* the first word of the form behind that is not part of another */
    for (uint32_t place = all->n; place-- > 0;) {
        if (!(all->steps[place] & TIRBI_WORD_BEGINS)) continue;
        const unsigned first = words[place].op;
        const bool stands = behind < all->n && first_words[first] == behind - place &&
                            reads[words[behind].op] != 0;
        unsigned form = stands ? into_of(first, words[behind].op) : 0;
        if (form != 0 && reads_result(conditions, &words[place], &words[behind])) {
            form = into_of(first, words[behind].op); /* which may be another now */
            words[place].op = (uint16_t)form;
        }
        behind = place;
    }
}

/* Makes one form of a jump and what it leads to, then of two or three that follow each other, from the last to the
 * first, then of the other jumps and pairs that they lead to: the first one's word has the number of all, and all words
 * stay where they are, so that a jump may still lead to the others. */
void tirbi_pair_forms(const tirbi_words *all, const tirbi_conditions *conditions, const tirbi_jump *jumps,
                      uint32_t n_jumps) {
    tirbi_word *const words = all->words;
    pair_results(all, conditions);
    pair_jumps(all, jumps, n_jumps);
    uint32_t behind = all->n; /* the first word of the form behind */
    for (uint32_t place = all->n; place-- > 0;) {
        if (!(all->steps[place] & TIRBI_WORD_BEGINS)) continue;
        all->steps[place] &= TIRBI_MOST_STEP;
        const unsigned first = words[place].op;
        const bool paired = behind < all->n && first_words[first] == behind - place;
        const unsigned form = paired ? form_of_both(pair_of, first, words[behind].op) : 0;
        if (form != 0) words[place].op = (uint16_t)form;
        behind = place;
    }
    pair_jumps(all, jumps, n_jumps);
}
