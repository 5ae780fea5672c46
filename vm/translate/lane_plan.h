/* The planner of a lane loop's body: where each lane register's value is, and the words that are made. */
#ifndef TIRB_VM_TRANSLATE_LANE_PLAN_H
#define TIRB_VM_TRANSLATE_LANE_PLAN_H

#include "vm/lanes/forms.h"
#include "vm/translate/emit.h"
#include "vm/translate/lane_body.h"

enum { NO_BANK = -1, NO_VALUE = NO_LANE_REG, KERNEL_STRIP_BYTES = TIRBI_MAX_STRIP_BYTES };

typedef enum lazy { LAZY_NONE, LAZY_STREAM, LAZY_SPLAT, LAZY_WIDEN, LAZY_STEPS } lazy;

/* Where a lane register's value is. At least one place is valid while it is live. */
typedef struct lane_value {
    union {
        struct {
            int8_t bank : 2; /* or NO_BANK */
            bool strip : 1;
            bool has_words : 1; /* its lanes of 4 bytes, which are more than its elements, are somewhere: see `words` */
            bool narrow : 1; /* its lanes in banks are others than its elements: more bytes, or truths */
            uint8_t lazy : 3;
        };
        uint8_t state; /* all of these */
    };
    struct {
        bool same : 1;    /* in all lanes of the strip, whichever have left */
        bool stable : 1;  /* the lazy operand is a scalar register that no inner loop counts in */
        bool in_runs : 1; /* the same in all lanes of a range of the one vadvance */
        bool scalar : 1;  /* the same in all lanes, as a scalar register has it */
        bool raw : 1;     /* the lazy operand are bools as memory has them: any byte but 0 is true */
    };
    uint8_t size;     /* of an element */
    uint8_t dtype;    /* its type */
    uint16_t pointer; /* of the lazy operand */
    uint16_t words;
    uint8_t step;     /* of elements that are picked: how far they are apart */
    uint8_t bytes;    /* of what is to be widened: the elements' type */
    uint8_t type;     /* and to what */
    uint32_t next;    /* the next instruction that reads it */
} lane_value;

_Static_assert(sizeof(lane_value) == 16, "there are many, and each instruction makes one");

typedef struct lane_places {
    lane_value values[TIRBI_MAX_LANE_REGS];
    uint8_t banks[2]; /* the register in each bank */
} lane_places;

/* How an operand is brought to its place. */
typedef enum lane_manner {
    AS_IS,    /* in a bank, as a block in memory, or as a scalar */
    BY_STORE, /* stored to its strip first, then read from there */
    BY_LOAD   /* loaded into the destination first */
} lane_manner;

typedef struct lane_option {
    uint8_t place; /* lane_place */
    uint8_t how;   /* lane_manner */
    uint8_t cost;
} lane_option;

/* How an instruction is done in banks. */
typedef struct lane_choice {
    uint16_t form;
    uint8_t cost; /* NO_CHOICE: there is no way */
    uint8_t dest;
    bool swapped;
    bool is_plain; /* all operands are in banks as they are */
    bool widens;   /* some operand is to be brought into a bank before: see lane_banks.c */
    lane_option operands[3];
} lane_choice;

enum { NO_CHOICE = UINT8_MAX, CHOICE_BITS = 8 };

/* What choices were, by all that they depend on; 0: nothing is known. */
typedef struct lane_known_choice {
    uint64_t key;
    lane_choice is;
} lane_known_choice;

typedef struct lane_planner {
    tirbi_code *code;
    lane_known_choice *choices; /* 2 to the CHOICE_BITS of them */
    lane_body *body;
    tirbi_lane_loop *loop;
    tirbi_emitter *emitter;
    tirbi_constants *constants;
    tirbi_lane_splat *splats;
    uint32_t n_splats;
    uint16_t *splat_chains; /* begin with a splat's number and 1, 0: empty, */
    uint16_t *next_splats;  /* and go on so by splat */
    uint32_t splat_bits;    /* of a chain's number */
    uint32_t n_splat_links; /* of both tables, which are one block, */
    uint16_t *few_links;    /* this one where they are no more than LANE_FEW */
    bool tail;
    bool wide; /* of the tail: streams are read in place */
    bool packs; /* of the tail: what cursors mean is packed in strips */
    bool is_last; /* no other body comes behind it: instructions are given back */
    bool apart;   /* no cursor meets another one that is stored to, */
    bool assumes; /* and that made a difference, or would have, */
    bool full_assumes; /* in the full body */
    tirbi_lane_bodies bodies;
    uint16_t first_splat;
    uint16_t first_strip;
    uint16_t
        first_own; /* tables of the lanes in vloops: for each depth, which lanes they are, and where they were before */
    uint16_t spare_strip;
    uint16_t first_waiting; /* strips of stores of elements apart, which wait for others between them; 0: none do */
    unsigned n_waiting;     /* of them, */
    uint16_t waiting[TIRBI_MOST_SCATTERS], waiting_strips[TIRBI_MOST_SCATTERS]; /* cursors, and what is stored */
    uint16_t ends_strip; /* of the ranges that vadvance finds */
    uint32_t latest; /* the word that was the last to be emitted by itself */
    bool has_rare;   /* words that machines for short rows lack, */
    bool has_small;  /* and such as some of them lack */
    uint32_t full_end; /* behind the full body's words, */
    uint32_t full_place; /* and where the first of them comes from */
    unsigned level; /* vloops that are open: each has its own strips */
    bool ends_in_store; /* the instruction has already written where the store behind it would */
    uint8_t kept;       /* a register that is rather not lost from its bank before this instruction */
    uint32_t kept_until;
    bool looks;                /* some weight may be due a look at whether to stop */
    bool orders_traps;         /* which of several instructions traps is told lane by lane */
    uint64_t set_once;         /* registers that one instruction of the body sets */
    const lane_ins *gather;    /* a vloadx that the vupdatema which reads it does itself, or NULL, */
    uint16_t gather_index;     /* and where its indices are */
    uint8_t *turns;                         /* by form: which handler comes next in a body */
    unsigned n_steps;                       /* of the scan that comes next */
    uint64_t unlooked; /* weight times lanes since the last look at whether to stop, at most */
    /* What follows is set where a body or a loop begins, and not cleared before. */
    uint64_t skipped[LANE_MAX_LOOPS]; /* by loop: the same, where lanes leave it */
    tirbi_word steps[TIRBI_MAX_SCAN_STEPS];
    lane_places now;
    lane_places heads[TIRBI_MAX_INNER]; /* by inner loop: the places at its head */
    uint32_t head_words[TIRBI_MAX_INNER];
    struct {
        lane_places around;
        uint32_t head, last_while; /* words; of the latest vwhile, whose jump waits for the end, or 0 */
        uint32_t last_strips;      /* those that say which strips lanes that leave have, of some vwhile; or 0 */
        uint64_t kept, carried;    /* the registers that they are of */
    } own[TIRBI_MAX_OWN_DEPTH];
} lane_planner;

/* ---- Words ---------------------------------------------------------------------------------------------------- */

static inline uint32_t emit(lane_planner *p, unsigned op, unsigned a, unsigned b, unsigned c) {
    p->latest = p->emitter->all.n;
    p->has_rare |= op > TIRBI_L_RARE;
    p->has_small |= op > TIRBI_L_SMALL && op < TIRBI_L_RARE;
    return tirbi_translate_word(p->emitter,
                                (tirbi_word){.op = (uint16_t)op, .a = (uint16_t)a, .b = (uint16_t)b, .c = (uint16_t)c});
}

static inline unsigned shift_of(unsigned size) { return (unsigned)__builtin_ctz(size); }
static inline uint16_t strip_at(const lane_planner *p, unsigned level, uint8_t reg) {
    return (uint16_t)(p->first_strip + level * p->body->function->n_lane_regs + reg);
}
static inline uint16_t strip_of(const lane_planner *p, uint8_t reg) { return strip_at(p, p->level, reg); }
/* The numbers of the lanes in the vloop of a depth; 0 where none is open. */
static inline uint16_t lanes_at(const lane_planner *p, unsigned level) {
    return (uint16_t)(level == 0 ? 0u : p->first_own + 2 * (level - 1));
}
static inline uint16_t pointer_of_cursor(uint8_t cursor) { return (uint16_t)(1 + cursor); }
static inline bool is_live(const lane_ins *ins, uint8_t reg) { return reg != NO_VALUE && (ins->live >> reg & 1) != 0; }

/* The form of a store that goes on to the next block by itself, and the store that such a form is; others are as they
 * are. */
static inline unsigned tirbi_lane_as_last(unsigned op) {
    if (op >= TIRBI_L_STORE_A && op <= TIRBI_L_STORE_F64_B) return op - TIRBI_L_STORE_A + TIRBI_L_LAST_A;
    if (op == TIRBI_L_NARROW_8_A || op == TIRBI_L_NARROW_8_B) return op - TIRBI_L_NARROW_8_A + TIRBI_L_LAST2_8_A;
    if (op >= TIRBI_L_STORE4_8_A && op <= TIRBI_L_STORE4_16_B) return op - TIRBI_L_STORE4_8_A + TIRBI_L_LAST4_8_A;
    return op;
}
static inline unsigned tirbi_lane_as_store(unsigned op) {
    if (op >= TIRBI_L_LAST_A && op <= TIRBI_L_LAST_F64_B) return op - TIRBI_L_LAST_A + TIRBI_L_STORE_A;
    if (op == TIRBI_L_LAST2_8_A || op == TIRBI_L_LAST2_8_B) return op - TIRBI_L_LAST2_8_A + TIRBI_L_NARROW_8_A;
    if (op >= TIRBI_L_LAST4_8_A && op <= TIRBI_L_LAST4_16_B) return op - TIRBI_L_LAST4_8_A + TIRBI_L_STORE4_8_A;
    return op;
}

/* A kernel's list says what becomes of it where blocks are not whole: it takes whole strips, or what is behind the
 * elements that it gives, of 2 to the LANE_PART_SHIFT bytes, is cleared. See lane_parts.c. */
enum { LANE_IN_PARTS = 1, LANE_PART_SHIFT = 3, LANE_PART_CLEARS = 4, LANE_PART_WIDE = 8 };

/* ---- Places of values: lane_places.c -------------------------------------------------------------------------- */

static inline bool has_memory(const lane_value *v) { return v->strip || v->lazy != LAZY_NONE; }
/* Whether the lanes of such a value have a form of their own in banks. Floats of 16 bits have no lanes of 8 bytes: they
 * are in no such bank. */
static inline bool is_narrow(const lane_planner *p, uint8_t size, uint8_t dtype) {
    if (p->body->main_size == 1) return dtype == TIRB_BOOL;
    const bool is_half = dtype == TIRB_F16 || dtype == TIRB_BF16;
    return p->body->has_words && size < p->body->main_size && !(is_half && p->body->main_size == 8);
}

static inline void put_words(lane_value *v, uint16_t words) {
    v->words = words;
    v->has_words = words != 0;
}

static inline void forget_bank(lane_planner *p, unsigned bank) {
    if (p->now.banks[bank] == NO_VALUE) return;
    p->now.values[p->now.banks[bank]].bank = NO_BANK;
    p->now.banks[bank] = NO_VALUE;
}

static inline void put_in_bank(lane_planner *p, uint8_t reg, unsigned bank) {
    lane_value *v = &p->now.values[reg];
    forget_bank(p, bank);
    if (v->bank != NO_BANK) p->now.banks[v->bank] = NO_VALUE;
    v->bank = bank == 0 ? 0 : 1;
    p->now.banks[bank] = reg;
}

/* The register gets a new value of a type, which is nowhere yet. */
static inline lane_value *define_as(lane_planner *p, const lane_ins *ins, uint8_t size, uint8_t dtype) {
    lane_value *v = &p->now.values[ins->dest];
    if (v->bank != NO_BANK) p->now.banks[v->bank] = NO_VALUE;
    *v = (lane_value){.bank = NO_BANK,
                      .narrow = is_narrow(p, size, dtype),
                      .size = size,
                      .dtype = dtype,
                      .next = tirbi_lane_next(p->body, ins, 3)};
    return v;
}
/* The same of the type that the instruction gives. */
lane_value *tirbi_lane_define(lane_planner *p, const lane_ins *ins, uint8_t size);

/* Behind an instruction: what it was the last to read leaves its bank. */
static inline void go_behind(lane_planner *p, const lane_ins *ins) {
    const uint32_t at = tirbi_lane_ins_number(p->body, ins);
    for (unsigned i = 0; i < ins->n_reads; i++)
        if (ins->reads[i] != ins->dest)
            p->now.values[ins->reads[i]].next = ins->next[i] == 0 ? TIRBI_NO_USE : at + ins->next[i];
    for (unsigned bank = 0; bank < 2; bank++) {
        const uint8_t reg = p->now.banks[bank];
        if (reg != NO_VALUE && reg != ins->dest && !is_live(ins, reg)) forget_bank(p, bank);
    }
}

/* The bank to give up for a value that is only passing through. */
unsigned tirbi_lane_spare_bank(const lane_planner *p, const lane_ins *ins);
/* Frees a bank. Its value is stored first if it is read later (`needed`) and can be had nowhere else. */
void tirbi_lane_evict(lane_planner *p, unsigned bank, bool needed);
/* Moves the value to a bank, whose own value is lost; */
void tirbi_lane_load_bank(lane_planner *p, uint8_t reg, unsigned bank);
/* copies it there, and says nothing of it. */
void tirbi_lane_copy_to_bank(lane_planner *p, uint8_t reg, unsigned bank);
/* What is in banks and read later goes to strips: nothing survives a call. */
static inline void leave_banks(lane_planner *p, const lane_ins *ins) {
    for (unsigned bank = 0; bank < 2; bank++)
        if (p->now.banks[bank] != NO_VALUE) tirbi_lane_evict(p, bank, is_live(ins, p->now.banks[bank]));
}

/* The value, which is in a bank, is in the register's strip as well. */
void tirbi_lane_store_to_strip(lane_planner *p, uint8_t reg);
/* Makes the register's strip valid, wherever the value is. */
void tirbi_lane_fill_strip(lane_planner *p, uint8_t reg);
/* The rest of a strip that was filled for the block's elements only, where forms may read it; no bank is live. */
void tirbi_lane_clear_rest(lane_planner *p, uint8_t reg, uint8_t size);

/* A memory operand of a whole block of elements: the cursor itself where as many are there; */
uint16_t tirbi_lane_block_operand(lane_planner *p, uint8_t reg);
/* of which only the block's elements are read; */
uint16_t tirbi_lane_kernel_operand(lane_planner *p, uint8_t reg);
/* the register's strip. */
uint16_t tirbi_lane_strip_operand(lane_planner *p, uint8_t reg);
void tirbi_lane_emit_kernel(lane_planner *p, unsigned form, tirbi_kernel kernel, uint16_t dest,
                            const uint16_t *operands);
void tirbi_lane_emit_copy(lane_planner *p, uint8_t type, uint16_t dest, uint16_t from);

/* How far the elements of a cursor are apart that a bank reads or writes at once; 0: it does not. */
unsigned tirbi_lane_steps_of(const lane_planner *p, uint8_t cursor, uint8_t type, bool reads);
/* The forms of bank A that store so, and those that store elements narrower than the bank's. */
unsigned tirbi_lane_spread_form(const lane_planner *p, uint8_t type, bool settled, unsigned step);
unsigned tirbi_lane_narrow_store_form(const lane_planner *p, uint8_t type);

/* ---- Instructions on banks: lane_banks.c ---------------------------------------------------------------------- */

/* Chooses the form of an instruction that has some, where its operands come from and which bank its result goes to;
 * false: none takes them, and a kernel has to. */
bool tirbi_lane_plan_in_banks(lane_planner *p, const lane_ins *ins, const lane_ins *next);
/* Whether the next instruction stores a result of 16 bits, which rounds it, and nothing else reads it. */
bool tirbi_lane_is_rounded_by_store(const lane_ins *ins, const lane_ins *next);

/* ---- Instructions --------------------------------------------------------------------------------------------- */

/* Whether an instruction takes hardly longer for a whole block of its kernel than for some elements, and cannot
 * trap. */
bool tirbi_lane_is_light(const lane_ins *ins);
/* ---- Short rows: lane_pack.c ---------------------------------------------------------------------------------- */

/* Whether a body may run on packed rows, and may want to. */
bool tirbi_lane_can_pack(const lane_planner *p);
/* Whether the full body reads all elements that are apart to banks. */
bool tirbi_lane_picks_all(lane_planner *p);
/* What the word before a packed body says: see vm/enter/lane_entry.h. */
tirbi_word tirbi_lane_packed_work(const lane_planner *p);

/* Behind a full body that is one operation or two on what the cursors and scalars give, and the store that ends it: one
 * loop over blocks for machines of one row: lane_stream.c. */
void tirbi_lane_make_stream(lane_planner *p);

/* Makes the tail, or the wide body, of the words of the full body, from number `from` up to `to`: lane_parts.c. False:
 * it has to be planned. */
bool tirbi_lane_remake(lane_planner *p, uint32_t from, uint32_t to, bool wide);
/* How many words an instruction of a body of whole blocks has, with its lists. */
uint32_t tirbi_lane_words_of(const tirbi_word *word);

/* Gives the words of such a body, from number `from` on, one handler or another of their forms, once nothing else looks
 * at them: lane_turns.c. */
void tirbi_lane_take_turns(lane_planner *p, uint32_t from);

/* The pointer of the splat of a slot, which a vsplat of the body reads. */
uint16_t tirbi_lane_pointer_of_splat(lane_planner *p, uint16_t slot, uint8_t size);
/* A full body by the register machine, where that has all it needs and takes less time: where it begins, or 0. It
 * reads what cursors mean behind stores as well: lane_registers.c. */
uint32_t tirbi_lane_plan_registers(lane_planner *p);
/* The same by loops from memory to memory: lane_loops.c. */
uint32_t tirbi_lane_plan_loops(lane_planner *p);
/* The same of few loops, for rows shorter than a block where parts of blocks are copied. */
uint32_t tirbi_lane_plan_short(lane_planner *p);
/* How many blocks of the loop, at most, may go by between two looks at whether to stop. */
uint32_t tirbi_lane_calm_blocks(const lane_planner *p, uint32_t most);

/* ---- What goes from lane to lane, and what names elements: lane_order.c --------------------------------------- */

void tirbi_lane_plan_index(lane_planner *p, const lane_ins *ins);
/* Whether several instructions of a body may trap while its lanes run. */
bool tirbi_lane_orders_traps(const lane_body *body);
/* Ahead of a division by what `divisor` points to; no bank is live. */
void tirbi_lane_plan_divisor(lane_planner *p, const lane_ins *ins, uint16_t divisor);
void tirbi_lane_plan_loadx(lane_planner *p, const lane_ins *ins);
void tirbi_lane_plan_storex(lane_planner *p, const lane_ins *ins);
void tirbi_lane_plan_find(lane_planner *p, const lane_ins *ins);
void tirbi_lane_plan_advance(lane_planner *p, const lane_ins *ins);
void tirbi_lane_plan_step(lane_planner *p, const lane_ins *ins);
void tirbi_lane_plan_scan(lane_planner *p, const lane_ins *ins);

/* ---- Which machines can run a body: lane_machines.c ------------------------------------------------------------ */

/* Whether a wide body would do better than the tail: forms read cursors. Marks those cursors. */
bool tirbi_lane_find_streams(lane_planner *p, tirbi_lane_cursor *cursors);
/* Whether machines that go through several rows at once have the handlers of the words from `from` on. */
bool tirbi_lane_is_by_rows(const tirbi_emitter *emitter, uint32_t from);
/* Whether blocks may have lanes that are computed and not stored: the body, a wide one, stores by masks alone. */
bool tirbi_lane_can_span(const lane_planner *p, uint32_t body);
static inline bool is_cursor(const lane_planner *p, uint16_t pointer) {
    return pointer >= 1 && pointer <= p->loop->n_cursors;
}

#endif
