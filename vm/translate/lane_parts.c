/* Bodies for blocks that are not whole, made of the words of the full body: planning it once is most of the time that a
 * loop takes to translate. Values are in the same places in these: a store of a bank is one of as many elements as
 * there are, kernels take as many, and the tail, where banks touch none behind them, has what cursors mean in strips,
 * each time anew behind a store and where pointers move. Loops of a lane's own have no blocks of elements in memory:
 * their words stay as they are. */
#include "loader/base/work.h"
#include "vm/lanes/forms.h"
#include "vm/translate/lane_plan.h"

typedef struct remaking {
    lane_planner *planner;
    bool wide;                            /* streams are read in place */
    uint32_t pulled;                      /* the set of cursors of which a block is in a strip: */
    uint8_t of_cursor[TIRBI_MAX_CURSORS]; /* that of the first register that it is loaded to, and that has no other use
                                             for its strip */
    uint32_t heads[TIRBI_MAX_INNER];      /* words, by inner loop */
    unsigned own_depth;                   /* loops of a lane's own that are open */
    bool failed;
} remaking;

static const tirbi_word *word_at(const lane_planner *p, uint32_t at) { return &p->emitter->all.words[at]; }

uint32_t tirbi_lane_words_of(const tirbi_word *word) {
    switch (word->op) {
    case TIRBI_L_KERNEL:
    case TIRBI_L_KERNEL_WIDE:
    case TIRBI_L_SEQUENCE:
    case TIRBI_L_SCATTERS:
    case TIRBI_L_OWN_AGAIN: return 3;
    case TIRBI_L_CHAIN:
    case TIRBI_L_OWN_WHILE: return 3u + word[1].list[2];
    case TIRBI_L_OWN: return 2u + word[1].list[0];
    case TIRBI_L_REDMA:
    case TIRBI_L_LOAD_OWN:
    case TIRBI_L_STORE_OWN:
    case TIRBI_L_IOTA_OWN:
    case TIRBI_L_IOTA:
    case TIRBI_L_COLUMN:
    case TIRBI_L_INDEX4_A:
    case TIRBI_L_INDEX4_B:
    case TIRBI_L_TAKE4_AA:
    case TIRBI_L_TAKE4_AB:
    case TIRBI_L_TAKE4_BA:
    case TIRBI_L_TAKE4_BB: return 2;
    default: return 1;
    }
}

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
/* What is stored as every second, third or fourth element. */
static bool spreads(unsigned op) { return is_one_of(op, TIRBI_L_SPREAD2_4_A, TIRBI_L_SPREAD4_U8_B); }
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

/* Elements of 4 bytes have forms where a block is not whole; what else is stored apart is planned anew. */
static void remake_spread(remaking *r, tirbi_word word) {
    if (is_one_of(word.op, TIRBI_L_SPREAD2_4_A, TIRBI_L_SPREAD4_4_B))
        word.op = (uint16_t)(word.op - TIRBI_L_SPREAD2_4_A + TIRBI_L_SPREAD2_PART_4_A);
    else if (is_one_of(word.op, TIRBI_L_SPREAD2_F32_A, TIRBI_L_SPREAD4_F32_B))
        word.op = (uint16_t)(word.op - TIRBI_L_SPREAD2_F32_A + TIRBI_L_SPREAD2_PART_F32_A);
    else
        r->failed = true;
    r->pulled = 0;
    tirbi_translate_word(r->planner->emitter, word);
}

/* Moves between memory and strips. */
static bool moves(unsigned op) {
    return op == TIRBI_L_COPY || op == TIRBI_L_FILL || op == TIRBI_L_GATHER || op == TIRBI_L_SCATTER;
}
/* What is the same for any number of elements. */
static bool stays(unsigned op) {
    return op == TIRBI_L_IOTA || op == TIRBI_L_COLUMN || op == TIRBI_L_RED || op == TIRBI_L_REDMA;
}

static void remake_move(remaking *r, tirbi_word word) {
    lane_planner *p = r->planner;
    if (is_cursor(p, word.a))
        r->pulled = 0;
    else if (word.op == TIRBI_L_COPY && is_cursor(p, word.b))
        word.op = TIRBI_L_PULL;
    tirbi_translate_word(p->emitter, word);
    const uint8_t main_size = p->body->main_size; /* 0: there are no banks to read what is behind the elements */
    const bool is_read_whole = word.op == TIRBI_L_GATHER && main_size != 0 && word.c == shift_of(main_size);
    if (is_read_whole) emit(p, TIRBI_L_CLEAR, word.a, 0, word.c);
}

/* The words of an instruction as they are. */
static void keep_words_of(const remaking *r, uint32_t at, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) tirbi_translate_word(r->planner->emitter, *word_at(r->planner, at + i));
}

/* Whether an operand of a kernel is in a strip, or may be put there. */
static bool may_be_in_strip(const remaking *r, uint16_t pointer) {
    return !is_cursor(r->planner, pointer) || (!r->wide && r->of_cursor[pointer - 1u] != NO_LANE_REG);
}

static uint16_t in_strip(remaking *r, uint16_t pointer) {
    return is_cursor(r->planner, pointer) ? pull(r, pointer - 1u) : pointer;
}

/* A kernel that would hardly take longer has whole strips. */
static void remake_kernel(remaking *r, uint32_t at) {
    lane_planner *p = r->planner;
    const tirbi_word kernel = *word_at(p, at), list = *word_at(p, at + 1), does = *word_at(p, at + 2);
    const unsigned how = list.list[LANE_IN_PARTS];
    uint16_t operands[3] = {kernel.b, kernel.c, list.list[0]};
    if ((how & LANE_PART_WIDE) && may_be_in_strip(r, operands[0]) && may_be_in_strip(r, operands[1]) &&
        may_be_in_strip(r, operands[2])) {
        for (unsigned i = 0; i < 3; i++) operands[i] = in_strip(r, operands[i]);
        if (is_in_place(r, kernel.b) && is_in_place(r, kernel.c) && is_in_place(r, list.list[0])) {
            tirbi_lane_emit_kernel(p, TIRBI_L_KERNEL_WIDE, does.kernel, kernel.a, operands);
            return;
        }
    }
    if (is_cursor(p, kernel.a)) r->pulled = 0;
    keep_words_of(r, at, 3);
    if (how & LANE_PART_CLEARS) emit(p, TIRBI_L_CLEAR, kernel.a, 0, how & LANE_PART_SHIFT);
}

/* The head or the end of an inner loop, which may have more words here. */
static void remake_inner(remaking *r, tirbi_word word) {
    lane_planner *p = r->planner;
    const uint32_t at = tirbi_translate_word(p->emitter, word);
    r->pulled = 0;
    if (word.op == TIRBI_L_INNER) r->heads[word.a] = at;
    if (word.op == TIRBI_L_INNER || p->emitter->failed) return;
    const uint32_t head = r->heads[word.a];
    p->emitter->all.words[head].jump = (int32_t)(at + 1 - head);
    p->emitter->all.words[at].jump = (int32_t)head + 1 - (int32_t)at;
}

/* An inner loop that is one instruction. */
static void remake_loop(remaking *r, tirbi_word word) {
    lane_planner *p = r->planner;
    if (!r->wide) word.op = (uint16_t)(word.op - TIRBI_L_LOOP_FMA_F32_A + TIRBI_L_REST_FMA_F32_A);
    tirbi_translate_word(p->emitter, word);
    if (!r->wide) tirbi_translate_word(p->emitter, (tirbi_word){.list = {p->spare_strip, 0, 0, 0}});
    r->pulled = 0;
}

/* Sequences clear nothing behind the elements that they give. */
static void remake_sequence(remaking *r, uint32_t at, uint32_t n) {
    const lane_planner *p = r->planner;
    if (p->body->main_size != 0 && word_at(p, at)->a >= p->first_strip) r->failed = true;
    r->pulled = 0;
    keep_words_of(r, at, n);
}

/* Stores of strips take as many lanes as there are. */
static void remake_scatters(remaking *r, uint32_t at, uint32_t n) {
    r->pulled = 0;
    keep_words_of(r, at, n);
}

/* Between the head and the end of a loop of a lane's own. */
static void remake_own(remaking *r, uint32_t at, uint32_t n) {
    const unsigned op = word_at(r->planner, at)->op;
    if (op == TIRBI_L_OWN) r->own_depth++;
    if (op == TIRBI_L_OWN_AGAIN) r->own_depth--;
    r->pulled = 0;
    keep_words_of(r, at, n);
}

static void remake_in_banks(remaking *r, tirbi_word word) {
    const tirbi_word full = word;
    word.a = operand(r, full.a);
    word.b = operand(r, full.b);
    word.c = operand(r, full.c);
    if (!is_in_place(r, full.a) || !is_in_place(r, full.b) || !is_in_place(r, full.c)) r->failed = true;
    tirbi_translate_word(r->planner->emitter, word);
}

/* The instruction of n words at `at`. */
static void remake(remaking *r, uint32_t at, uint32_t n) {
    tirbi_word word = *word_at(r->planner, at);
    word.op = (uint16_t)tirbi_lane_as_store(word.op);
    if (r->own_depth > 0 || word.op == TIRBI_L_OWN)
        remake_own(r, at, n);
    else if (stores(word.op) || narrows(word.op))
        remake_store(r, word);
    else if (spreads(word.op))
        remake_spread(r, word);
    else if (computes(word.op) || loads(word.op))
        remake_in_banks(r, word);
    else if (word.op == TIRBI_L_KERNEL || word.op == TIRBI_L_KERNEL_WIDE)
        remake_kernel(r, at);
    else if (moves(word.op))
        remake_move(r, word);
    else if (word.op == TIRBI_L_INNER || word.op == TIRBI_L_INNER_END)
        remake_inner(r, word);
    else if (is_one_of(word.op, TIRBI_L_LOOP_FMA_F32_A, TIRBI_L_LOOP_FMA_F64_B))
        remake_loop(r, word);
    else if (word.op == TIRBI_L_SEQUENCE || word.op == TIRBI_L_CHAIN)
        remake_sequence(r, at, n);
    else if (word.op == TIRBI_L_SCATTERS)
        remake_scatters(r, at, n);
    else if (has_no_operands(word.op) || stays(word.op))
        keep_words_of(r, at, n);
    else
        r->failed = true;
}

/* Adds the register that a strip is of, if it is one. */
static void add_strip(const lane_planner *p, uint16_t pointer, uint64_t *set) {
    const unsigned reg = (unsigned)pointer - p->first_strip;
    if (reg < TIRBI_MAX_LANE_REGS) *set |= UINT64_C(1) << reg;
}

/* The registers whose strips words write: mostly there is another one to pull a block to. All results have that place
 * in words, and some operands, which have been written before. */
static uint64_t find_strips(const lane_planner *p, uint32_t from, uint32_t to) {
    uint64_t set = 0;
    for (uint32_t i = from, n, turn = 0; i < to && !tirbi_lane_body_is_stopped(p->body, turn); i += n, turn++) {
        const tirbi_word *word = word_at(p, i);
        n = tirbi_lane_words_of(word);
        add_strip(p, word->a, &set);
        for (uint32_t k = 3; word->op == TIRBI_L_OWN_WHILE && k < n; k++) add_strip(p, word[k].list[1], &set);
    }
    return set;
}

static void find_registers(remaking *r, uint64_t strips) {
    const lane_body *body = r->planner->body;
    for (unsigned c = 0; c < r->planner->loop->n_cursors; c++) r->of_cursor[c] = NO_LANE_REG;
    for (uint32_t i = 0; i < body->n && !tirbi_lane_body_is_stopped(body, i); i++) {
        const lane_ins *ins = &body->ins[i];
        if (ins->op != TIRB_OP_VLOAD || (strips >> ins->dest & 1)) continue;
        if (r->of_cursor[ins->cursor] == NO_LANE_REG) r->of_cursor[ins->cursor] = ins->dest;
    }
}

bool tirbi_lane_remake(lane_planner *p, uint32_t from, uint32_t to, bool wide) {
    enum { TURNS_OF_ONE = 4 };
    tirbi_emitter *const emitter = p->emitter;
    const uint32_t at = emitter->all.n;
    if (emitter->failed || from == to) return false;
    remaking r = {.planner = p, .wide = wide};
    if (!wide) find_registers(&r, find_strips(p, from, to));
    p->level = 0;
    emitter->heap->work += (to - from) / TIRBI_WORDS_AT_ONCE;
    uint32_t place = p->full_place, origin = emitter->all.n_origins;
    while (origin > 0 && emitter->all.origins[origin - 1].word > from) origin--;
    for (uint32_t i = from, n, turn = 0; i + 1 < to && !r.failed && !emitter->failed; i += n) {
        if (tirbi_work_stopped(emitter->heap, turn++ * TURNS_OF_ONE)) {
            emitter->failed = true;
            return false;
        }
        n = tirbi_lane_words_of(word_at(p, i));
        if (i > from) place += emitter->all.steps[i];
        for (; origin < emitter->all.n_origins && emitter->all.origins[origin].word < i + n; origin++)
            place = emitter->all.origins[origin].offset;
        emitter->offset = place;
        remake(&r, i, n);
    }
    if (r.failed && !emitter->failed) tirbi_emitter_cut(emitter, at);
    if (r.failed) return false;
    emit(p, TIRBI_L_FINISH, 0, 0, 0);
    return true;
}
