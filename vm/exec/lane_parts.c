/* Bodies for blocks that are not whole, made of the words of the full body: planning it once is most of the time that a
 * loop takes to translate. Where banks do all that a body without loops inside computes, its values are in the same
 * places in these: a store is one of as many elements as there are, and the tail, which touches none behind them, has
 * what cursors mean in strips, each time anew behind a store. */
#include "vm/exec/lane_plan.h"

#include "vm/lanes/forms.h"

typedef struct remaking {
    lane_planner *planner;
    bool wide;                            /* streams are read in place */
    uint32_t pulled;                      /* the set of cursors of which a block is in a strip: */
    uint8_t of_cursor[TIRBI_MAX_CURSORS]; /* that of the first register that it is loaded to, and that has no other use
                                             for its strip */
    bool failed;
} remaking;

static bool is_one_of(unsigned op, unsigned first, unsigned last) { return op >= first && op <= last; }

/* Banks are loaded from memory, which operand b points to. */
static bool loads(unsigned op) {
    return is_one_of(op, TIRBI_L_LOAD_A, TIRBI_L_WIDEN_I8_B) ||
           is_one_of(op, TIRBI_L_LOAD4_U8_A, TIRBI_L_LOAD4_BF16_B) ||
           is_one_of(op, TIRBI_L_SPLAT1_A, TIRBI_L_LOAD1_TRUTH_B) ||
           is_one_of(op, TIRBI_L_LOAD8_U8_A, TIRBI_L_LOAD8_F32_B);
}
/* They are stored as elements of fewer bytes. */
static bool narrows(unsigned op) {
    return is_one_of(op, TIRBI_L_NARROW_8_A, TIRBI_L_NARROW_8_B) ||
           is_one_of(op, TIRBI_L_STORE4_8_A, TIRBI_L_STORE4_BF16_B) ||
           is_one_of(op, TIRBI_L_STORE1_TRUTH_A, TIRBI_L_STORE1_TRUTH_B) ||
           is_one_of(op, TIRBI_L_STORE8_8_A, TIRBI_L_STORE8_F32_B);
}
static bool stores(unsigned op) { return is_one_of(op, TIRBI_L_STORE_A, TIRBI_L_STORE_F64_B); }
static bool computes(unsigned op) { return op > TIRBI_L_STREAM; }
static bool has_no_operands(unsigned op) {
    return is_one_of(op, TIRBI_L_MOVE_A, TIRBI_L_MOVE_B) || is_one_of(op, TIRBI_L_IOTA4_A, TIRBI_L_IOTA8_B) ||
           op == TIRBI_L_LOOK;
}

/* Puts a block of a cursor into a strip, where it is not there yet. */
static uint16_t pull(remaking *r, unsigned cursor) {
    lane_planner *p = r->planner;
    const uint8_t reg = r->of_cursor[cursor];
    if (reg == NO_LANE_REG) {
        r->failed = true;
        return 0;
    }
    if (!(r->pulled >> cursor & 1)) {
        for (unsigned c = 0; c < p->loop->n_cursors; c++)
            if (r->of_cursor[c] == reg) r->pulled &= ~(UINT32_C(1) << c);
        r->pulled |= UINT32_C(1) << cursor;
        emit(p, TIRBI_L_PULL, strip_of(p, reg), pointer_of_cursor((uint8_t)cursor),
             shift_of(p->body->cursor_sizes[cursor]));
    }
    return strip_of(p, reg);
}

/* An operand: a block in memory is one of a cursor whose elements follow each other, or a strip. */
static uint16_t operand(remaking *r, uint16_t pointer) {
    if (r->wide || !is_cursor(r->planner, pointer)) return pointer;
    return r->planner->body->strides[pointer - 1] == STRIDE_ONE ? pull(r, pointer - 1u) : pointer;
}

/* Two blocks that would be in one strip cannot be read at once. */
static bool is_in_place(const remaking *r, uint16_t pointer) {
    if (r->wide || !is_cursor(r->planner, pointer)) return true;
    return r->planner->body->strides[pointer - 1] != STRIDE_ONE || (r->pulled >> (pointer - 1u) & 1);
}

static void remake_store(remaking *r, tirbi_word word) {
    lane_planner *p = r->planner;
    if (!is_cursor(p, word.a)) {
        tirbi_translate_word(p->emitter, word);
        return;
    }
    r->pulled = 0;
    if (narrows(word.op)) {
        emit(p, word.op, p->spare_strip, 0, 0);
        emit(p, TIRBI_L_COPY, word.a, p->spare_strip, shift_of(p->body->cursor_sizes[word.a - 1]));
    } else {
        emit(p, word.op - TIRBI_L_STORE_A + TIRBI_L_PART_A, word.a, p->spare_strip, shift_of(p->body->main_size));
    }
}

/* Moves between memory and strips. */
static bool moves(unsigned op) {
    return op == TIRBI_L_COPY || op == TIRBI_L_FILL || op == TIRBI_L_GATHER || op == TIRBI_L_SCATTER;
}

static void remake_move(remaking *r, tirbi_word word) {
    lane_planner *p = r->planner;
    if (is_cursor(p, word.a))
        r->pulled = 0;
    else if (word.op == TIRBI_L_COPY && is_cursor(p, word.b))
        word.op = TIRBI_L_PULL;
    tirbi_translate_word(p->emitter, word);
    if (word.op == TIRBI_L_GATHER && word.c == shift_of(p->body->main_size)) emit(p, TIRBI_L_CLEAR, word.a, 0, word.c);
}

static void remake(remaking *r, tirbi_word word) {
    lane_planner *p = r->planner;
    if (is_one_of(word.op, TIRBI_L_LAST_A, TIRBI_L_LAST_F64_B))
        word.op = (uint16_t)(word.op - TIRBI_L_LAST_A + TIRBI_L_STORE_A);
    if (stores(word.op) || narrows(word.op)) {
        remake_store(r, word);
    } else if (computes(word.op) || loads(word.op)) {
        const tirbi_word full = word;
        word.a = operand(r, full.a);
        word.b = operand(r, full.b);
        word.c = operand(r, full.c);
        if (!is_in_place(r, full.a) || !is_in_place(r, full.b) || !is_in_place(r, full.c)) r->failed = true;
        tirbi_translate_word(p->emitter, word);
    } else if (moves(word.op)) {
        remake_move(r, word);
    } else if (has_no_operands(word.op)) {
        tirbi_translate_word(p->emitter, word);
    } else {
        r->failed = true;
    }
}

/* Whether the body has no loops inside, and banks compute all of it. */
static bool is_straight(const lane_planner *p) {
    const lane_body *body = p->body;
    return p->loop->only_banks && body->n_own == 0 && p->loop->n_inner == p->loop->n_outer && body->first == 0;
}

/* The registers whose strips words write: mostly there is another one to pull a block to. */
static uint64_t find_strips(const lane_planner *p, uint32_t from, uint32_t to) {
    uint64_t set = 0;
    for (uint32_t i = from; i < to; i++) {
        const tirbi_word *word = &p->emitter->all.words[i];
        const unsigned reg = (unsigned)word->a - p->first_strip;
        if (reg < TIRBI_MAX_LANE_REGS && (stores(word->op) || narrows(word->op) || moves(word->op)))
            set |= UINT64_C(1) << reg;
    }
    return set;
}

static void find_registers(remaking *r, uint64_t strips) {
    const lane_body *body = r->planner->body;
    for (unsigned c = 0; c < r->planner->loop->n_cursors; c++) r->of_cursor[c] = NO_LANE_REG;
    for (uint32_t i = 0; i < body->n; i++) {
        const lane_ins *ins = &body->ins[i];
        if (ins->op != TIRB_OP_VLOAD || (strips >> ins->dest & 1)) continue;
        if (r->of_cursor[ins->cursor] == NO_LANE_REG) r->of_cursor[ins->cursor] = ins->dest;
    }
}

bool tirbi_lane_remake(lane_planner *p, uint32_t from, uint32_t to, bool wide) {
    tirbi_emitter *const emitter = p->emitter;
    const uint32_t at = emitter->all.n;
    if (emitter->failed || from == to || !is_straight(p)) return false;
    remaking r = {.planner = p, .wide = wide};
    if (!wide) find_registers(&r, find_strips(p, from, to));
    p->level = 0;
    uint32_t place = tirbi_words_place(&emitter->all, from), origin = emitter->all.n_origins;
    while (origin > 0 && emitter->all.origins[origin - 1].word > from) origin--;
    for (uint32_t i = from; i + 1 < to && !r.failed && !emitter->failed; i++) {
        if (i > from) place += emitter->all.steps[i] & TIRBI_MOST_STEP;
        if (origin < emitter->all.n_origins && emitter->all.origins[origin].word == i)
            place = emitter->all.origins[origin++].offset;
        emitter->offset = place;
        remake(&r, emitter->all.words[i]);
    }
    if (r.failed && !emitter->failed) tirbi_emitter_cut(emitter, at);
    if (r.failed) return false;
    emit(p, TIRBI_L_FINISH, 0, 0, 0);
    return true;
}
