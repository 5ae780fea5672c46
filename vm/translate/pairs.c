#include "vm/translate/pairs.h"

#include "loader/base/work.h"
#include "vm/machine/code.h"
#include "vm/machine/handlers.h"

#define KEY(a, b) ((a) * (unsigned)TIRBI_N_HANDLERS + (b))
/* The form of two that follow each other, or 0. */
static unsigned pair_of(unsigned first, unsigned second) {
    switch (KEY(first, second)) {
#define PAIR(KIND, operands, NEXT_KIND, next_operands)                                                                 \
    case KEY(TIRBI_HANDLER(TIRBI_NAME_##KIND operands), TIRBI_HANDLER(TIRBI_NAME_##NEXT_KIND next_operands)):          \
        return TIRBI_HANDLER(TIRBI_PAIR(KIND, operands, NEXT_KIND, next_operands));
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
#define INTO(KIND, operands, NEXT_KIND, next_operands) LEADS_##NEXT_KIND(KIND, operands, next_operands)
#define LEADS_BINARY(...)
#define LEADS_ADDEND(...)
#define LEADS_BRNOT(...)
#define LEADS_LOAD(...)
#define LEADS_STORE(...)
#define LEADS_INDEX_LOAD(...)
#define LEADS_INDEX_STORE(...)
#define LEADS_BRNOT_LOOP(KIND, operands, next_operands)                                                                \
    case KEY(TIRBI_HANDLER(TIRBI_INTO(KIND, operands, BRNOT, next_operands)), TIRBI_H_LOOP):                           \
        return TIRBI_HANDLER(TIRBI_INTO(KIND, operands, BRNOT_LOOP, next_operands));
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

/* Which operand such a second form reads, and whether it has another one that is a slot. */
enum { READS_B = 1, READS_C, READS_C_ALONE, READS_ADDEND };
static const uint8_t reads[TIRBI_N_HANDLERS] = {
#define BINARY(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE] = READS_B,
#define TERNARY(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE##_AT_ONCE] = READS_ADDEND,
#define COMPARE(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE##_BRNOT] = READS_B,
#define MEMORY(TYPE, type)                                                                                             \
    [TIRBI_H_LOAD_##TYPE] = READS_C_ALONE, [TIRBI_H_INDEX_LOAD_##TYPE] = READS_C_ALONE,                                \
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
#define COMPARE(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE##_BRNOT] = COMPARED(EXCHANGED_##OP, TYPE, BRNOT),
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
    [TIRBI_H_CONST] = 1,
    [TIRBI_H_INDEX] = 2,
    [TIRBI_H_SELECT] = 3,
#define COMPARE(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE##_SELECT] = 3, [TIRBI_H_##OP##_##TYPE##_BRNOT] = 2,
#define MEMORY(TYPE, type)                                                                                             \
    [TIRBI_H_LOAD_##TYPE] = 1, [TIRBI_H_STORE_##TYPE] = 1, [TIRBI_H_INDEX_LOAD_##TYPE] = 2,                            \
    [TIRBI_H_INDEX_STORE_##TYPE] = 2, [TIRBI_H_ADD_LOAD_##TYPE] = 2, [TIRBI_H_ADD_STORE_##TYPE] = 2,
#define BINARY(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE] = 1,
#define TERNARY(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE##_AT_ONCE] = 2,
#define EXTEND(TYPE, type) [TIRBI_H_EXTEND_##TYPE] = 1,
#include "vm/machine/forms.def"
};

/* Makes one form of each jump and what it leads to. */
static void pair_jumps(const tirbi_words *all, const tirbi_jumps *jumps, const tirbi_heap *heap) {
    tirbi_word *const words = all->words;
    for (uint32_t i = 0; i < jumps->n && !tirbi_work_stopped(heap, i); i++) {
        const uint32_t from = jumps->all[i].word, to = jumps->landings[jumps->all[i].landing].word;
        const unsigned form = to < all->n ? form_of_both(jump_of, words[from].op, words[to].op) : 0;
        if (form != 0) words[from].op = (uint16_t)form;
    }
}

/* Whether the form reads that slot once, as the operand that forms of two take from the first: as it stands, or with b
 * and c exchanged. */
static bool reads_once(const tirbi_word *form, uint16_t slot, bool *is_exchanged) {
    *is_exchanged = false;
    switch (reads[form->op]) {
    case READS_C_ALONE: return form->c == slot;
    case READS_C: return form->c == slot && form->b != slot;
    case READS_ADDEND: return form[1].list[0] == slot && form->b != slot && form->c != slot;
    case READS_B: break;
    default: return false;
    }
    *is_exchanged = form->c == slot;
    return *is_exchanged ? form->b != slot && exchanged[form->op] != 0 : form->b == slot;
}

/* The form of an instruction and the one behind it, which reads its result once; or 0. */
static unsigned into_next(const tirbi_word *first, const tirbi_word *second, bool *is_exchanged) {
    if (!reads_once(second, first->a, is_exchanged) || into_of(first->op, second->op) == 0) return 0;
    return *is_exchanged ? into_of(first->op, exchanged[second->op]) : into_of(first->op, second->op);
}

/* Finds the instructions that go into the next ones, and chooses the registers to follow: results of these, where
 * something else names the register as well. False: there are none to follow. */
static bool find_results(const tirbi_words *all, tirbi_form *forms, uint32_t n, const tirbi_conditions *c,
                         const tirbi_heap *heap) {
    unsigned n_followed = 0;
    uint32_t behind = all->n;
    for (uint32_t i = n; i-- > 0 && !tirbi_work_stopped(heap, i);) {
        tirbi_form *const form = &forms[i];
        const tirbi_word *const first = &all->words[form->place];
        const uint32_t length = behind - form->place;
        form->into = 0;
        if (behind < all->n && first_words[first->op] == length)
            form->into = (uint16_t)into_next(first, first + length, &form->is_exchanged);
        behind = form->place;
        if (form->into == 0 || first->a >= c->n_named || c->named[first->a] != TIRBI_NAMED) continue;
        if (n_followed < TIRBI_MOST_FOLLOWED) c->named[first->a] = (uint8_t)(TIRBI_FIRST_FOLLOWED + n_followed++);
    }
    return n_followed > 0;
}

/* Makes one form of two where a result goes from one into the other alone, from the last to the first. `live` has what
 * is followed, if anything is. */
static void pair_results(const tirbi_words *all, const tirbi_form *forms, uint32_t n, const tirbi_conditions *c,
                         const tirbi_live *live, const tirbi_heap *heap) {
    uint32_t effect = 0;
    bool is_paired = false; /* the instruction behind, with the one behind that */
    for (uint32_t i = n; i-- > 0 && !tirbi_work_stopped(heap, i);) {
        const tirbi_form *const form = &forms[i];
        const bool may_pair = form->into != 0 && !is_paired;
        is_paired = false;
        if (!may_pair) continue;
        /* What is live behind both: the second one reads the result. */
        while (effect < live->n && live->effects[effect].form > i + 1) effect++;
        tirbi_word *const first = &all->words[form->place], *const second = &all->words[form[1].place];
        const uint32_t after =
            effect < live->n && live->effects[effect].form == i + 1 ? live->effects[effect].writes : 0;
        const uint32_t result = live->n > 0 ? tirbi_live_bit(c, first->a) : 0;
        const bool is_dead = result != 0 && (!(after & result) ||
                                             (second->a == first->a && tirbi_live_writes_a(second->op)));
        if (!is_dead && !tirbi_conditions_owns(c, first->a)) continue;
        if (form->is_exchanged)
            *second = (tirbi_word){.op = exchanged[second->op], .a = second->a, .b = second->c, .c = second->b};
        first->op = form->into;
        is_paired = true;
    }
}

/* Makes one form of a jump and what it leads to, then of two or three that follow each other, from the last to the
 * first, then of the other jumps and pairs that they lead to: the first one's word has the number of all, and all words
 * stay where they are, so that a jump may still lead to the others. */
bool tirbi_pair_forms(const tirbi_words *all, tirbi_form *forms, uint32_t n, const tirbi_conditions *conditions,
                      const tirbi_jumps *jumps, tirbi_room *room, tirbi_heap *heap) {
    tirbi_word *const words = all->words;
    tirbi_live live = {.jumps = jumps};
    if (find_results(all, forms, n, conditions, heap)) {
        live.effects = tirbi_room_need(room, heap, n * sizeof *live.effects);
        if (!live.effects) return false;
        tirbi_live_begin(&live, all, conditions, forms, n, heap);
        if (!tirbi_live_settle(&live, heap)) live.n = 0;
    }
    pair_results(all, forms, n, conditions, &live, heap);
    pair_jumps(all, jumps, heap);
    uint32_t behind = all->n; /* the first word of the form behind */
    for (uint32_t i = n; i-- > 0 && !tirbi_work_stopped(heap, i);) {
        const uint32_t place = forms[i].place;
        const unsigned first = words[place].op;
        const bool paired = behind < all->n && first_words[first] == behind - place;
        const unsigned form = paired ? form_of_both(pair_of, first, words[behind].op) : 0;
        if (form != 0) words[place].op = (uint16_t)form;
        behind = place;
    }
    pair_jumps(all, jumps, heap);
    return true;
}
