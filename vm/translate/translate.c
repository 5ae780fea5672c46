/* Translation of verified bytecode into the words of the scalar machine. */
#include "vm/translate/translate.h"

#include <stddef.h>
#include <string.h>

#include "loader/base/bytes.h"
#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "loader/base/work.h"
#include "loader/isa/weights.h"
#include "vm/enter/lane_again.h"
#include "vm/enter/lane_copy.h"
#include "vm/machine/handlers.h"
#include "vm/translate/conditions.h"
#include "vm/translate/constants.h"
#include "vm/translate/flow.h"
#include "vm/translate/function.h"
#include "vm/translate/known.h"
#include "vm/translate/lane_body.h"
#include "vm/translate/lane_translate.h"
#include "vm/translate/offsets.h"
#include "vm/translate/pairs.h"
#include "vm/translate/row_plan.h"
#include "vm/translate/sizes.h"

/* ---- Which form carries which instruction --------------------------------------------------------------------- */

enum { NO_FORM = TIRBI_N_HANDLERS };

/* By opcode and type, one more than the handler, so that 0 is none. */
static const uint16_t elementwise_forms[TIRB_OP_LANE_FORM][TIRB_N_DTYPES] = {
#define UNARY(OP, op, TYPE, type) [TIRB_OP_##OP][TIRB_##TYPE] = TIRBI_H_##OP##_##TYPE + 1,
#define BINARY(OP, op, TYPE, type) [TIRB_OP_##OP][TIRB_##TYPE] = TIRBI_H_##OP##_##TYPE + 1,
#define DIVIDING(OP, op, TYPE, type) [TIRB_OP_##OP][TIRB_##TYPE] = TIRBI_H_##OP##_##TYPE + 1,
#define TERNARY(OP, op, TYPE, type) [TIRB_OP_##OP][TIRB_##TYPE] = TIRBI_H_##OP##_##TYPE + 1,
#define COMPARE(OP, op, TYPE, type) [TIRB_OP_##OP][TIRB_##TYPE] = TIRBI_H_##OP##_##TYPE + 1,
#include "vm/machine/forms.def"
};

/* By the handler: the one that uses the processor's own fused multiply-add, or 0. */
static const uint16_t fused_forms[TIRBI_N_HANDLERS] = {
#define TERNARY(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE] = TIRBI_H_##OP##_##TYPE##_AT_ONCE,
#include "vm/machine/forms.def"
};

/* By the comparison: the one that branches where it holds, or 0. */
static const uint16_t branch_forms[TIRBI_N_HANDLERS] = {
#define BRANCH(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE] = TIRBI_H_##OP##_##TYPE##_BRIF,
#include "vm/machine/forms.def"
};

/* By the comparison: the one that holds where it does not, of all that are not in branch_forms. */
static const uint8_t opposite[TIRB_OP_LANE_FORM] = {
    [TIRB_OP_EQ] = TIRB_OP_NE, [TIRB_OP_NE] = TIRB_OP_EQ, [TIRB_OP_LT] = TIRB_OP_GE,
    [TIRB_OP_GE] = TIRB_OP_LT, [TIRB_OP_LE] = TIRB_OP_GT, [TIRB_OP_GT] = TIRB_OP_LE};

static const uint16_t convert_forms[TIRB_N_DTYPES][TIRB_N_DTYPES] = {
#define CONVERT(TO, to, FROM, from) [TIRB_##TO][TIRB_##FROM] = TIRBI_H_CAST_##TO##_##FROM + 1,
#include "vm/machine/forms.def"
};

/* Which type's load and store, and which extension, carry each type: what counts is its size and sign. */
static const uint8_t carrier[TIRB_N_DTYPES] = {
    [TIRB_BOOL] = TIRB_BOOL, [TIRB_I8] = TIRB_I8,   [TIRB_I16] = TIRB_I16, [TIRB_I32] = TIRB_I32, [TIRB_I64] = TIRB_I64,
    [TIRB_U8] = TIRB_U8,     [TIRB_U16] = TIRB_U16, [TIRB_U32] = TIRB_U32, [TIRB_U64] = TIRB_I64, [TIRB_F16] = TIRB_U16,
    [TIRB_BF16] = TIRB_U16,  [TIRB_F32] = TIRB_U32, [TIRB_F64] = TIRB_I64};

static const uint16_t load_forms[TIRB_N_DTYPES] = {
#define MEMORY(TYPE, type) [TIRB_##TYPE] = TIRBI_H_LOAD_##TYPE,
#include "vm/machine/forms.def"
};
static const uint16_t store_forms[TIRB_N_DTYPES] = {
#define MEMORY(TYPE, type) [TIRB_##TYPE] = TIRBI_H_STORE_##TYPE,
#include "vm/machine/forms.def"
};
static const uint16_t index_load_forms[TIRB_N_DTYPES] = {
#define MEMORY(TYPE, type) [TIRB_##TYPE] = TIRBI_H_INDEX_LOAD_##TYPE,
#include "vm/machine/forms.def"
};
static const uint16_t index_store_forms[TIRB_N_DTYPES] = {
#define MEMORY(TYPE, type) [TIRB_##TYPE] = TIRBI_H_INDEX_STORE_##TYPE,
#include "vm/machine/forms.def"
};
static const uint16_t add_load_forms[TIRB_N_DTYPES] = {
#define MEMORY(TYPE, type) [TIRB_##TYPE] = TIRBI_H_ADD_LOAD_##TYPE,
#include "vm/machine/forms.def"
};
static const uint16_t add_store_forms[TIRB_N_DTYPES] = {
#define MEMORY(TYPE, type) [TIRB_##TYPE] = TIRBI_H_ADD_STORE_##TYPE,
#include "vm/machine/forms.def"
};
static const uint16_t extend_forms[TIRB_N_DTYPES] = {
#define EXTEND(TYPE, type) [TIRB_##TYPE] = TIRBI_H_EXTEND_##TYPE,
#include "vm/machine/forms.def"
};

/* By the handler: the same with a back behind it, or 0. */
static const uint16_t back_forms[TIRBI_N_HANDLERS] = {
#define STEP(OP, op, TYPE, type) [TIRBI_H_##OP##_##TYPE] = TIRBI_H_##OP##_##TYPE##_BACK,
#define EXTEND(TYPE, type) [TIRBI_H_EXTEND_##TYPE] = TIRBI_H_EXTEND_##TYPE##_BACK,
#include "vm/machine/forms.def"
};

/* The type whose extension is an integer cast, or TIRB_TYPE_NONE when it takes more than an extension. */
static uint8_t cast_as_extension(uint8_t to, uint8_t from) {
    bool from_int = tirbi_dtype_is_int(from) || from == TIRB_BOOL;
    if (!from_int || tirbi_dtype_is_float(to) || (to == TIRB_BOOL && from != TIRB_BOOL)) return TIRB_TYPE_NONE;
    if (from == TIRB_BOOL) return TIRB_BOOL;
    if (tirbi_dtypes[to].size <= tirbi_dtypes[from].size) return carrier[to];
    if (!tirbi_dtype_is_signed(from) || tirbi_dtype_is_signed(to) || tirbi_dtypes[to].size == 8) return carrier[from];
    return TIRB_TYPE_NONE;
}

/* ---- Writing words -------------------------------------------------------------------------------------------- */

static tirbi_word word_of(unsigned op, unsigned a, unsigned b, unsigned c) {
    return (tirbi_word){.op = (uint16_t)op, .a = (uint16_t)a, .b = (uint16_t)b, .c = (uint16_t)c};
}

static tirbi_word list_of(unsigned a, unsigned b, unsigned c, unsigned d) {
    return (tirbi_word){.list = {(uint16_t)a, (uint16_t)b, (uint16_t)c, (uint16_t)d}};
}

/* ---- Translating one function --------------------------------------------------------------------------------- */

enum { LANE_END_SIZE = 2 };
typedef struct tirbi_translator {
    tirbi_code *code;
    tirbi_heap *heap;
    tirb_error *error;
    tirbi_instr *instr;
    tirbi_instr *next;
    /* What keeps its room from function to function. */
    tirbi_emitter emitter;
    tirbi_flow flow;
    tirbi_room tables;
    tirbi_room landing_room;
    tirbi_room form_room;
    tirbi_jump *fixups;
    uint32_t fixup_capacity;
    /* What is of one function, and cleared before. */
    const tirbi_function *function;
    tirbi_fn *fn;
    bool is_called; /* by other code, maybe */
    tirbi_constants constants;
    tirbi_offsets targets; /* something jumps there */
    size_t place_words; /* of these */
    tirbi_landing *landings; /* by number of a target */
    uint32_t n_landings;
    uint32_t *forms; /* in code that is not profiled, outside of lane loops: the first word of each instruction */
    uint32_t n_forms, max_forms;
    uint32_t own;      /* what the instruction weighs, */
    uint32_t weight;   /* and what stands before it */
    uint32_t unlooked; /* what has run since the last look, at most */
    bool is_joined;    /* the words of the next instruction follow those before it at once */
    bool told; /* what is known has been changed already by the instruction */
    tirbi_conditions conditions;
    uint8_t *computed; /* by scalar register, as many as conditions.n_named: an argument, or scalar code writes it */
    uint32_t lines; /* of the line table, in profiled code: those that have begun */
    uint32_t n_fixups;
    tirbi_lane_loop *loops;
    tirbi_lane_inputs *loop_inputs;
    uint32_t n_loops;
    uint32_t loops_seen, loops_kept, copies_kept;
    uint32_t last_lanes; /* where the last of them is; 0: or a loop around it was seen */
    tirbi_fork *forks;
    uint32_t n_forks;
    uint32_t forks_seen;
    tirbi_contract *contracts;
    uint32_t n_contracts;
    uint32_t contracts_seen;
    uint32_t *callees;
    uint32_t n_callees;
    tirbi_known known;
    tirbi_sizes sizes; /* which is set as it begins */
    tirbi_instr instrs[2];
} translator;

static int64_t jump_operand(const tirbi_instr *instr) {
    if (!(tirbi_ops[instr->op].flags & TIRBI_FLAG_JUMP)) return -1;
    const char *letters = tirbi_ops[instr->op].operands;
    unsigned i = 0;
    while (letters[i] != 'j') i++; /* which every jump has */
    return instr->operand[i];
}

/* Its instructions, but for the bodies of lane loops, and its registers, which a frame clears: as many bytes as they
 * would take on any machine. */
static uint32_t cost_of_call(const tirbi_function *f, uint32_t weight) {
    return tirbi_add_weight(weight, (8u * f->n_sregs + 32u * f->n_refs + 256u * f->n_reds) / 512);
}

static void note_read(translator *t, int64_t ref) {
    if (ref < 64) t->fn->refs_read |= UINT64_C(1) << ref;
}

/* Notes the references whose elements an instruction may read, or hand on. */
static void note_refs(translator *t) {
    const tirbi_instr *in = t->instr;
    if (in->op == TIRB_OP_CONST || in->op == TIRB_OP_LENGTH || in->op == TIRB_OP_MEET) return;
    const char *letters = tirbi_ops[in->op].operands;
    for (unsigned i = 0; letters[i]; i++) {
        switch (letters[i]) {
        case 'R': note_read(t, in->operand[i]); break;
        case 'r':
        case 'P':
            for (int64_t k = 0; k < in->operand[i]; k++) note_read(t, in->refs[k]);
            break;
        case 'B':
            for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) note_read(t, in->box.operands[o].ref);
            break;
        case 'H':
            for (unsigned c = 0; c < in->lane.n_cursors; c++)
                if (in->lane.cursors[c].access & TIRBI_READ) note_read(t, in->lane.cursors[c].ref);
            break;
        default: break;
        }
    }
}

static tirb_status note_target(translator *t, uint32_t target) {
    if (target <= t->instr->offset && !tirbi_has_offset(&t->targets, target)) {
        TIRBI_TRY(tirbi_decode_verified(t->function->code, t->function->code_size, target, t->next, t->error));
        tirbi_conditions_note(&t->conditions, t->function->code + target, t->next, true);
        t->conditions.written = 0; /* by the jump itself */
        t->max_forms++;
    }
    tirbi_add_offset(&t->targets, target);
    return TIRB_OK;
}

/* Bytes of an instruction: lists and headers are long. */
enum { TRANSLATED_AT_ONCE = 8 };

/* Goes by instructions of a lane loop's body that name no scalar register, or splat one: nothing else of them matters
 * outside of it. */
static uint32_t pass_lanes(translator *t, uint32_t at, uint32_t end, bool *splats) {
    enum { HEAD = 2, LOOP_SIZE = HEAD + 1, SPLAT_SIZE = HEAD + 3, MOST_AT_ONCE = 1 << 12 };
    const uint8_t *const code = t->function->code;
    const uint32_t from = at;
    for (uint32_t size; at < end && at - from < MOST_AT_ONCE; at += size) {
        const uint8_t *const in = code + at;
        if (in[0] == TIRB_OP_VSPLAT) {
            size = SPLAT_SIZE;
            tirbi_conditions_name(&t->conditions, tirbi_load_u16(in + HEAD + 1));
            *splats |= tirbi_lane_may_splat_constant(in[0], in[1]);
        } else if (in[0] == TIRB_OP_INNER || in[0] == TIRB_OP_INNER_END || in[0] == TIRB_OP_VWHILE) {
            size = LOOP_SIZE;
        } else if ((size = tirbi_lane_sizes[in[0]]) == 0) {
            break;
        }
    }
    if (at > from) t->conditions.written = 0;
    t->heap->work += (at - from) / TRANSLATED_AT_ONCE;
    return at;
}

/* Goes by what most scalar code is made of. */
static uint32_t survey_usual(translator *t, tirbi_flow *flow, uint32_t at) {
    enum { HEAD = 2, REGISTER = 2, INDEX_SIZE = 9, ACCESS_SIZE = 8 };
    const tirbi_function *const f = t->function;
    for (uint32_t size; at < f->code_size && t->heap->work < t->heap->max_work; at += size) {
        const uint8_t *const in = f->code + at, *const o = in + HEAD;
        const bool is_target = tirbi_has_offset(&t->targets, at);
        size = tirbi_row_sizes[in[0]];
        if (size != 0) tirbi_conditions_note_row(&t->conditions, in, size, is_target);
        else if (!tirbi_conditions_note_usual(&t->conditions, in, is_target)) break;
        const uint16_t first = tirbi_load_u16(o);
        if (flow) tirbi_flow_arrive(flow, t->heap, at);
        t->max_forms++;
        if (size != 0) {
            tirbi_sizes_write(&t->sizes, first);
            if (flow) tirbi_flow_survey_write(flow, first, false, 0);
            t->heap->work += 1 + size / TRANSLATED_AT_ONCE;
            continue;
        }
        size = ACCESS_SIZE;
        switch (in[0]) {
        case TIRB_OP_INDEX: size = INDEX_SIZE; break;
        case TIRB_OP_STORE: note_read(t, first); break;
        case TIRB_OP_BRIF:
        case TIRB_OP_BRNOT:
            tirbi_add_offset(&t->targets, tirbi_load_u32(o + REGISTER));
            t->sizes.has_branched = true;
            if (flow) tirbi_flow_survey_jump(flow, at, tirbi_load_u32(o + REGISTER));
            break;
        case TIRB_OP_CONST:
            tirbi_sizes_write(&t->sizes, first);
            if (flow)
                tirbi_flow_survey_write(flow, first, true, tirbi_value_of_bits(in[1], tirbi_load_u32(o + REGISTER)));
            break;
        default: /* a load */
            note_read(t, tirbi_load_u16(o + REGISTER));
            tirbi_sizes_write(&t->sizes, first);
            if (flow) tirbi_flow_survey_write(flow, first, false, 0);
        }
        t->heap->work += 1 + size / TRANSLATED_AT_ONCE;
    }
    return at;
}

/* Whether it counts as an instruction when forms are paired. A lane loop is no part of a pair, and has many words: it
 * only counts where something jumps to it. */
static inline bool has_form(const translator *t, uint8_t op, uint32_t at) {
    if (tirbi_ops[op].flags & TIRBI_FLAG_LANE) return false;
    return op != TIRB_OP_LANE || tirbi_has_offset(&t->targets, at);
}

/* Of an instruction that is another. */
static tirb_status survey_other(translator *t) {
    const tirbi_instr *in = t->instr;
    note_refs(t);
    const int64_t target = jump_operand(in);
    if (target >= 0 && target < t->function->code_size) TIRBI_TRY(note_target(t, (uint32_t)target));
    t->max_forms += has_form(t, in->op, in->offset);
    t->fn->n_sites += in->op == TIRB_OP_ALLOC;
    t->n_loops += in->op == TIRB_OP_LANE;
    t->n_forks += in->op == TIRB_OP_FORK;
    t->n_contracts += in->op == TIRB_OP_CONTRACT || in->op == TIRB_OP_FOLD;
    t->n_callees += in->op == TIRB_OP_CALL || in->op == TIRB_OP_FORK;
    return TIRB_OK;
}

/* No lane loop asks for it. */
static void leave_flow(translator *t) {
    enum { LARGE = 1 << 16 }; /* bytes */
    t->constants.flow = NULL;
    if (t->flow.room.size > LARGE) (void)tirbi_room_leave(&t->flow.room, t->heap);
}

/* Finds the jump targets, the alloc sites and the lane loops, and what control flow leaves of registers that are
 * splat. */
static tirb_status survey(translator *t) {
    const tirbi_function *f = t->function;
    tirbi_flow *const flow = f->n_lane_regs > 0 ? &t->flow : NULL;
    t->constants.flow = flow;
    if (flow && !tirbi_flow_begin(flow, t->heap, f)) return tirbi_heap_status(t->heap);
    bool splats = false;
    uint32_t lanes_end = 0;
    for (uint32_t at = 0; at < f->code_size; at += t->instr->size) {
        at = at < lanes_end ? pass_lanes(t, at, lanes_end, &splats) : survey_usual(t, flow, at);
        TIRBI_TRY(tirbi_decode_verified(f->code, f->code_size, at, t->instr, t->error));
        TIRBI_TRY(tirbi_work(t->heap, 1 + t->instr->size / TRANSLATED_AT_ONCE, t->error));
        if (flow) tirbi_flow_survey(flow, t->heap, t->instr);
        tirbi_conditions_note(&t->conditions, f->code + at, t->instr, tirbi_has_offset(&t->targets, at));
        tirbi_sizes_note(&t->sizes, t->instr);
        if (t->instr->op == TIRB_OP_LANE) lanes_end = t->instr->lane.end;
        TIRBI_TRY(survey_other(t));
    }
    if (flow && flow->failed) return tirbi_heap_status(t->heap);
    if (flow && splats) tirbi_flow_again(flow);
    else leave_flow(t);
    t->fn->n_sites = 0;
    if (t->n_loops > 0) t->loops = TIRBI_NEW_ARRAY(&t->code->arena, tirbi_lane_loop, t->n_loops);
    if (t->n_loops > 0) t->loop_inputs = TIRBI_NEW_ARRAY(&t->code->arena, tirbi_lane_inputs, t->n_loops);
    if (t->n_forks > 0) t->forks = TIRBI_NEW_ARRAY(&t->code->arena, tirbi_fork, t->n_forks);
    if (t->n_contracts > 0) t->contracts = TIRBI_NEW_ARRAY(&t->code->arena, tirbi_contract, t->n_contracts);
    if (t->n_callees > 0) t->callees = TIRBI_NEW_ARRAY(&t->code->arena, uint32_t, t->n_callees);
    return t->code->arena.failed ? tirbi_heap_status(t->heap) : TIRB_OK;
}

/* Loops look at whether to stop when what they charge has come to a slice of fuel. All that is charged already stands
 * behind it, on ways that only lead forwards: no such way goes on for longer without a look. */
enum { MOST_UNLOOKED = 2048 };

static tirbi_landing *landing_at(const translator *t, uint32_t at) {
    return &t->landings[tirbi_number_of_offset(&t->targets, at)];
}

/* Something jumps to what comes next. */
static void land(translator *t, uint32_t at) {
    tirbi_landing *const here = landing_at(t, at);
    here->word = t->emitter.all.n;
    here->weight = t->weight;
    if (here->unlooked > t->unlooked) t->unlooked = here->unlooked;
    tirbi_known_clear(&t->known);
    if (t->constants.flow) tirbi_flow_arrive(t->constants.flow, t->heap, at);
}

/* Before an instruction. */
static inline void look(translator *t) {
    const uint32_t all = tirbi_add_weight(t->unlooked, t->own);
    if (!t->is_joined && t->unlooked > 0 && all > MOST_UNLOOKED) {
        tirbi_translate_word(&t->emitter, (tirbi_word){.op = TIRBI_H_LOOK});
        t->unlooked = 0;
    }
    t->is_joined = false;
}

/* Behind it, and behind the one that it took in where `at` is not its end. The body of a lane loop is charged there. */
static void count_weight(translator *t, uint32_t at) {
    const tirbi_instr *in = t->instr;
    const uint32_t behind = in->offset + in->size;
    const uint8_t *next = t->function->code + behind;
    uint32_t weight = t->own;
    if (in->op != TIRB_OP_LANE && at > behind) weight += tirbi_op_weight((tirbi_op)next[0], next[1], next[1]);
    t->weight = tirbi_add_weight(t->weight, weight);
    t->unlooked = tirbi_add_weight(t->unlooked, weight);
}

static void add_fixup(translator *t, uint32_t word, uint32_t field, int64_t target) {
    const uint32_t unlooked = tirbi_add_weight(t->unlooked, t->own);
    tirbi_landing *const there = landing_at(t, (uint32_t)target);
    if (there->unlooked < unlooked) there->unlooked = unlooked;
    if (t->n_fixups == t->fixup_capacity) {
        uint32_t capacity = t->fixup_capacity ? t->fixup_capacity * 2 : 16;
        tirbi_jump *grown =
            tirbi_heap_resize(t->heap, t->fixups, t->fixup_capacity * sizeof *grown, capacity * sizeof *grown);
        if (!grown) {
            t->emitter.failed = true;
            return;
        }
        t->fixups = grown;
        t->fixup_capacity = capacity;
    }
    t->fixups[t->n_fixups++] = (tirbi_jump){word, field, (uint32_t)(there - t->landings), TIRBI_NO_BACK};
}

static uint16_t slot_of(translator *t, int64_t x) { return tirbi_slot_of_x(&t->constants, (uint16_t)x); }

static void emit1(translator *t, unsigned op, int64_t a, int64_t b, int64_t c) {
    tirbi_translate_word(&t->emitter, word_of(op, (unsigned)a, (unsigned)b, (unsigned)c));
}

/* A jump whose distance is in its first word. */
static void emit_jump(translator *t, unsigned op, int64_t a, int64_t target) {
    uint32_t word = tirbi_translate_word(&t->emitter, word_of(op, (unsigned)a, 0, 0));
    add_fixup(t, word, word, target);
}

/* The distance and the cost as a second word. */
static void emit_far(translator *t, uint32_t cost, int64_t target) {
    uint32_t word = tirbi_translate_word(&t->emitter, (tirbi_word){.cost = cost});
    add_fixup(t, word - 1, word, target);
}

/* At the line that has begun, or again in it. */
static void emit_probe(translator *t, bool again) {
    emit1(t, TIRBI_H_PROBE, 0, !again, 0);
    tirbi_translate_word(&t->emitter, (tirbi_word){.cost = t->fn->first_line + t->lines - 1});
}

static void probe_line(translator *t, uint32_t at) {
    const tirbi_function *const f = t->function;
    while (t->lines < f->n_lines && f->lines[t->lines].offset <= at) t->lines++;
    if (t->lines > 0 && f->lines[t->lines - 1].offset == at) emit_probe(t, false);
}

/* Behind what leaves the function for a while. */
static void probe_again(translator *t) {
    const uint8_t op = t->instr->op;
    const bool leaves = op == TIRB_OP_CALL || op == TIRB_OP_CALLX || op == TIRB_OP_FORK;
    if (leaves && t->lines > 0) emit_probe(t, true);
}

/* Whether the instruction after the current one is op and belongs to it alone. */
static bool next_is(translator *t, uint32_t at, uint8_t op) {
    if (at >= t->function->code_size || tirbi_has_offset(&t->targets, at)) return false;
    if (t->function->code[at] != op) return false;
    return tirbi_decode_verified(t->function->code, t->function->code_size, at, t->next, NULL) == TIRB_OK;
}

/* Whether the next instruction is a back, or a jump to one, which does the same; *at is then moved behind it, *target
 * is where it leads and *place the back itself. */
static bool next_goes_back(translator *t, uint32_t *at, uint32_t *place, int64_t *target) {
    const uint8_t op = *at < t->function->code_size ? t->function->code[*at] : TIRB_OP_NOP;
    if (op != TIRB_OP_BACK && op != TIRB_OP_JMP) return false;
    bool back = next_is(t, *at, TIRB_OP_BACK);
    if (!back && !next_is(t, *at, TIRB_OP_JMP)) return false;
    uint32_t size = t->next->size;
    *place = back ? *at : (uint32_t)t->next->operand[0];
    if (!back && (t->code->profiled || t->function->code[*place] != TIRB_OP_BACK ||
                  tirbi_decode(t->function->code, t->function->code_size, *place, t->next, NULL) != TIRB_OK))
        return false;
    *target = t->next->operand[0];
    *at += size;
    return true;
}

/* The distance of the back at `back`, and its cost, which is known later where something else jumps to it. */
static void emit_far_back(translator *t, uint32_t back, int64_t target) {
    const tirbi_instr *in = t->instr;
    const uint32_t own = back == in->offset ? 0 : t->own;
    const bool is_known = back == in->offset || back == in->offset + in->size;
    const uint32_t before = tirbi_add_weight(t->weight, own) - landing_at(t, (uint32_t)target)->weight;
    emit_far(t, is_known ? tirbi_add_weight(before, 1) : 0, target);
    if (!is_known && t->n_fixups > 0) t->fixups[t->n_fixups - 1].back = back;
}

static void emit_back(translator *t, uint32_t place, int64_t target) {
    emit1(t, TIRBI_H_BACK, 0, 0, 0);
    emit_far_back(t, place, target);
}

/* One word that has a fused form with a back: takes in the back, where one follows. */
static void emit_step(translator *t, unsigned op, int64_t a, int64_t b, int64_t c, uint32_t *at) {
    uint32_t place;
    int64_t target;
    if (back_forms[op] == 0 || !next_goes_back(t, at, &place, &target)) {
        emit1(t, op, a, b, c);
        return;
    }
    emit1(t, back_forms[op], a, b, c);
    t->emitter.offset = place;
    emit_far_back(t, place, target);
}

static void emit_function(translator *t, tirbi_scalar function, unsigned arity) {
    const int64_t *o = t->instr->operand;
    emit1(t, TIRBI_H_FUNCTION, o[0], o[1], arity > 1 ? o[2] : 0);
    tirbi_translate_word(&t->emitter, list_of(arity > 2 ? (unsigned)o[3] : 0, 0, 0, 0));
    tirbi_translate_word(&t->emitter, (tirbi_word){.scalar = function});
}

static tirb_status no_function(translator *t) {
    return tirbi_error_set(t->error, TIRB_INTERNAL, "no function for %s.%s", tirbi_ops[t->instr->op].mnemonic,
                           tirbi_dtypes[t->instr->type].name);
}

static tirb_status translate_conversion(translator *t, uint32_t *at) {
    const tirbi_instr *in = t->instr;
    uint8_t from = (uint8_t)in->operand[2];
    tirbi_scalar function;
    if (in->op == TIRB_OP_BITS) {
        if (!tirbi_dtype_is_float(from) && !tirbi_dtype_is_float(in->type)) {
            emit_step(t, extend_forms[carrier[in->type]], in->operand[0], in->operand[1], 0, at);
            return TIRB_OK;
        }
        function = t->code->kernels->scalars->bits[in->type][from];
    } else {
        uint8_t extension = cast_as_extension(in->type, from);
        if (extension != TIRB_TYPE_NONE) {
            emit_step(t, extend_forms[extension], in->operand[0], in->operand[1], 0, at);
            return TIRB_OK;
        }
        if (convert_forms[in->type][from] != 0) {
            emit1(t, convert_forms[in->type][from] - 1u, in->operand[0], in->operand[1], 0);
            return TIRB_OK;
        }
        function = t->code->kernels->scalars->cast[in->type][from];
    }
    if (!function) return no_function(t);
    emit_function(t, function, 1);
    return TIRB_OK;
}

/* The second and the third word of a select. */
static void emit_choice(translator *t, const tirbi_instr *select) {
    const int64_t *o = select->operand;
    tirbi_translate_word(&t->emitter, list_of((unsigned)o[3], (unsigned)o[2], (unsigned)o[0], 0));
}

/* A sum that is the number of the element which is accessed next. */
static bool translate_addressed(translator *t, uint32_t *at) {
    const int64_t *o = t->instr->operand, *n = t->next->operand;
    const bool load = next_is(t, *at, TIRB_OP_LOAD) && n[2] == o[0],
               store = !load && next_is(t, *at, TIRB_OP_STORE) && n[1] == o[0];
    if (!load && !store) return false;
    const uint8_t type = carrier[t->next->type];
    emit1(t, load ? add_load_forms[type] : add_store_forms[type], load ? n[0] : n[2], load ? n[1] : n[0], o[0]);
    t->emitter.offset = *at;
    tirbi_translate_word(&t->emitter, list_of((unsigned)o[1], (unsigned)o[2], 0, 0));
    *at += t->next->size;
    tirbi_known_write(&t->known, (uint16_t)o[0]);
    if (load) tirbi_known_add_load(&t->known, type, (uint16_t)n[1], (uint16_t)o[0], (uint16_t)n[0]);
    else tirbi_known_store(&t->known);
    t->told = true;
    return true;
}

/* Also takes the branch on its result, where one follows; *at is then moved behind it. */
/* A comparison and the branch behind it, which most often is one that is taken where another comparison does not hold:
 * there are more forms of those with others. */
static unsigned branching_form(const tirbi_instr *in, unsigned form, bool branches_if) {
    if (branches_if && branch_forms[form] != 0) return branch_forms[form];
    return branches_if ? elementwise_forms[opposite[in->op]][in->type] : form + 1;
}

static tirb_status translate_elementwise(translator *t, uint32_t *at) {
    const tirbi_instr *in = t->instr;
    const int64_t *operand = in->operand;
    if (in->op == TIRB_OP_CAST || in->op == TIRB_OP_BITS) return translate_conversion(t, at);
    if (in->op == TIRB_OP_MOV) {
        emit_step(t, extend_forms[carrier[in->type]], operand[0], operand[1], 0, at);
        return TIRB_OK;
    }
    if (in->op == TIRB_OP_SELECT) {
        const bool is_whole = tirbi_dtypes[in->type].bits == 64;
        const unsigned select = is_whole ? TIRBI_H_SELECT : TIRBI_H_SELECT_PART;
        emit1(t, in->type == TIRB_BOOL ? TIRBI_H_SELECT_BOOL : select, operand[0], operand[1], operand[2]);
        if (is_whole) emit_choice(t, in);
        else tirbi_translate_word(&t->emitter, list_of((unsigned)operand[3], in->type, 0, 0));
        return TIRB_OK;
    }
    if (in->op == TIRB_OP_ADD && in->type == TIRB_I64 && translate_addressed(t, at)) return TIRB_OK;
    unsigned form = elementwise_forms[in->op][in->type];
    if (form == 0) {
        tirbi_scalar function = tirbi_scalar_of(t->code->kernels, in->op - TIRBI_FIRST_ELEMENTWISE, in->type);
        if (!function) return no_function(t);
        emit_function(t, function, tirbi_ops[in->op].arity);
        return TIRB_OK;
    }
    form--;
    if (tirbi_is_comparison(in->op) && tirbi_conditions_owns(&t->conditions, operand[0])) {
        const bool branches_if = next_is(t, *at, TIRB_OP_BRIF);
        if ((branches_if || next_is(t, *at, TIRB_OP_BRNOT)) && t->next->operand[0] == operand[0]) {
            emit1(t, branching_form(in, form, branches_if), operand[0], operand[1], operand[2]);
            emit_far(t, 0, t->next->operand[1]);
            *at += t->next->size;
            return TIRB_OK;
        }
        /* The condition is in no register then, so it is none of the values. */
        if (next_is(t, *at, TIRB_OP_SELECT) && tirbi_dtypes[t->next->type].bits == 64 &&
            t->next->operand[1] == operand[0] && t->next->operand[2] != operand[0] &&
            t->next->operand[3] != operand[0]) {
            emit1(t, form + 2, operand[0], operand[1], operand[2]);
            emit_choice(t, t->next);
            tirbi_known_write(&t->known, (uint16_t)t->next->operand[0]);
            *at += t->next->size;
            return TIRB_OK;
        }
    }
    if (tirbi_ops[in->op].arity == 2) {
        emit_step(t, form, operand[0], operand[1], operand[2], at);
        return TIRB_OK;
    }
    if (t->code->fuses && fused_forms[form] != 0) form = fused_forms[form];
    emit1(t, form, operand[0], operand[1], tirbi_ops[in->op].arity > 1 ? operand[2] : 0);
    if (tirbi_ops[in->op].arity == 3) tirbi_translate_word(&t->emitter, list_of((unsigned)operand[3], 0, 0, 0));
    return TIRB_OK;
}

static void emit_list(translator *t, const uint16_t *list, unsigned n) {
    for (unsigned i = 0; i < n; i += 4)
        tirbi_translate_word(&t->emitter, list_of(list[i], i + 1 < n ? list[i + 1] : 0u, i + 2 < n ? list[i + 2] : 0u,
                                        i + 3 < n ? list[i + 3] : 0u));
}

static void note_computed(translator *t, uint32_t reg) {
    if (reg < t->conditions.n_named) t->computed[reg] = 1;
}

/* Whether the loop counts in registers that were computed before: a repetition would find them counted. */
static bool counts_in_computed(const translator *t, const tirbi_lane_loop *loop) {
    for (unsigned k = 0; k < loop->n_inner; k++) {
        const uint16_t index = loop->inner[k].index;
        if (index != TIRBI_NO_REG && (index >= t->conditions.n_named || t->computed[index])) return true;
    }
    return false;
}

static tirb_status translate_lane(translator *t, uint32_t *at) {
    tirbi_lane_loop *loop = &t->loops[t->loops_seen];
    tirbi_lane_inputs *inputs = &t->loop_inputs[t->loops_seen];
    t->last_lanes = t->instr->offset;
    const uint32_t entry = t->emitter.all.n;
    emit1(t, TIRBI_H_LANE, 0, 0, 0);
    tirbi_translate_word(&t->emitter, (tirbi_word){.cost = t->loops_seen++});
    tirbi_lane_bodies bodies;
    TIRBI_TRY(
        tirbi_lane_translate(t->code, t->function, t->instr, &t->constants, &t->emitter, loop, &bodies, t->error));
    if (counts_in_computed(t, loop)) t->fn->may_repeat = false;
    if (!tirbi_lane_find_inputs(loop, t->constants.first_slot, &t->code->arena, inputs))
        return tirbi_heap_status(t->heap);
    inputs->bodies = bodies;
    if (inputs->are_kept && loop->n_copies > 0)
        inputs->copies = (uint8_t)(t->copies_kept++ % TIRBI_COPIES_KNOWN);
    else if (inputs->are_kept)
        inputs->place = (uint8_t)(t->loops_kept++ % TIRBI_LANE_STATES);
    if (t->code->needs.n_states <= inputs->place) t->code->needs.n_states = inputs->place + 1u;
    loop->entry = entry;
    loop->after = t->emitter.all.n;
    *at = t->instr->lane.end + LANE_END_SIZE;
    return TIRB_OK;
}

/* A loop that a lane loop is in may go through rows of it at once. */
static tirb_status translate_loop(translator *t) {
    const tirbi_instr *in = t->instr;
    const uint32_t last = t->loops_seen - 1;
    bool by_rows = !t->code->profiled && last <= UINT16_MAX && t->last_lanes > 0 && t->last_lanes >= in->operand[2];
    if (by_rows) {
        TIRBI_TRY(tirbi_row_loop_find(t->code, t->function, in, t->next, &t->constants, &t->loops[last],
                                      &t->loop_inputs[last], t->error));
        by_rows = t->loop_inputs[last].rows != NULL;
        t->last_lanes = 0; /* which loops around this one are not the innermost ones around */
    }
    emit1(t, by_rows ? TIRBI_H_LOOP_ROWS : TIRBI_H_LOOP, in->operand[0], in->operand[1], by_rows ? last : 0);
    emit_far_back(t, in->offset, in->operand[2]);
    return TIRB_OK;
}

static tirb_status translate_fork(translator *t) {
    const tirbi_instr *in = t->instr;
    const tirbi_function *region = &t->code->program->functions[in->operand[0]];
    tirbi_fork *fork = &t->forks[t->forks_seen];
    *fork = (tirbi_fork){.region = (uint32_t)in->operand[0], .n = (uint16_t)in->operand[1],
                         .grain = slot_of(t, in->operand[2]), .n_scalars = (uint16_t)in->operand[3],
                         .n_args = (uint16_t)in->operand[4]};
    uint16_t *scalars = TIRBI_NEW_ARRAY(&t->code->arena, uint16_t, fork->n_scalars);
    tirbi_fork_arg *args = TIRBI_NEW_ARRAY(&t->code->arena, tirbi_fork_arg, fork->n_args);
    if (!scalars || !args) return tirbi_heap_status(t->heap);
    for (unsigned i = 0; i < fork->n_scalars; i++) scalars[i] = in->scalars[i];
    unsigned n = 0;
    for (unsigned i = 0; i < region->n_params; i++) {
        if (region->params[i].kind != TIRB_PARAM_TENSOR) continue;
        const tirbi_part *part = &in->parts[n];
        tirbi_fork_arg *arg = &args[n];
        *arg = (tirbi_fork_arg){.ref = in->refs[n], .partitioned = part->partitioned,
                                .written = region->params[i].access & TIRBI_WRITE};
        n++;
        if (!part->partitioned) continue;
        arg->base = slot_of(t, part->base);
        arg->stride = slot_of(t, part->stride);
        arg->extent = slot_of(t, part->extent);
    }
    fork->scalars = scalars;
    fork->args = args;
    t->callees[t->fn->n_callees++] = fork->region;
    emit1(t, TIRBI_H_FORK, 0, 0, 0);
    tirbi_translate_word(&t->emitter, (tirbi_word){.cost = t->forks_seen++});
    return TIRB_OK;
}

/* A slot that entries look at; constants are the same each time. */
static uint16_t contract_input(translator *t, tirbi_contract *contract, uint16_t x) {
    const uint16_t slot = slot_of(t, x);
    if (slot < t->constants.first_slot) contract->inputs[contract->n_inputs++] = slot;
    return slot;
}

static void translate_contract(translator *t, unsigned form) {
    const tirbi_instr *in = t->instr;
    const tirbi_contract_box *box = &in->box;
    tirbi_contract *contract = &t->contracts[t->contracts_seen];
    *contract = (tirbi_contract){.type = in->type, .flags = (uint8_t)in->operand[0], .n_loops = box->n_loops,
                                 .place = (uint8_t)(t->contracts_seen % TIRBI_CONTRACTS_KNOWN),
                                 .first = slot_of(t, in->operand[1])};
    for (unsigned i = 0; i < box->n_loops; i++) contract->extents[i] = contract_input(t, contract, box->extents[i]);
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        contract->operands[o].ref = box->operands[o].ref;
        contract->operands[o].type = box->operands[o].type;
        contract->operands[o].start = slot_of(t, box->operands[o].start);
        for (unsigned i = 0; i < box->n_loops; i++)
            contract->operands[o].steps[i] = contract_input(t, contract, box->operands[o].steps[i]);
    }
    emit1(t, form, 0, 0, 0);
    tirbi_translate_word(&t->emitter, (tirbi_word){.cost = t->contracts_seen++});
}

/* Whether the reference ends where the extent says. Then what is not its element fails as the index instruction that it
 * comes from (see out_of_bounds of dispatch.c). */
static bool ends_there(translator *t, int64_t ref, uint16_t extent) {
    if (!tirbi_sizes_tell(&t->sizes, t->constants.flow, ref, extent, t->instr->offset)) return false;
    return true;
}

/* An index that has been checked against that extent is not checked again; else the access that follows is taken in. */
static void translate_index(translator *t, uint32_t *at) {
    const int64_t *o = t->instr->operand;
    uint16_t index = (uint16_t)o[0], extent = (uint16_t)o[1], held;
    if (tirbi_known_check(&t->known, index, extent)) return;
    tirbi_known_add_check(&t->known, index, extent);
    const int64_t *n = t->next->operand;
    bool load = next_is(t, *at, TIRB_OP_LOAD) && n[2] == o[0] &&
                !tirbi_known_load(&t->known, carrier[t->next->type], (uint16_t)n[1], index, &held);
    bool store = !load && next_is(t, *at, TIRB_OP_STORE) && n[1] == o[0];
    if (!load && !store) {
        emit1(t, TIRBI_H_INDEX, o[0], 0, 0);
        tirbi_translate_word(&t->emitter, list_of(extent, (unsigned)o[2], (unsigned)o[3], 0));
        return;
    }
    uint8_t type = carrier[t->next->type];
    if (ends_there(t, n[load], extent)) {
        emit1(t, load ? load_forms[type] : store_forms[type], n[0], n[1], n[2]);
    } else {
        emit1(t, load ? index_load_forms[type] : index_store_forms[type], n[0], n[1], n[2]);
        t->emitter.offset = *at;
        tirbi_translate_word(&t->emitter, list_of(extent, (unsigned)o[2], (unsigned)o[3], 0));
    }
    *at += t->next->size;
    if (load)
        tirbi_known_add_load(&t->known, type, (uint16_t)n[1], index, (uint16_t)n[0]);
    else
        tirbi_known_store(&t->known);
}

static void translate_load(translator *t, uint32_t *at) {
    const int64_t *o = t->instr->operand;
    uint8_t type = carrier[t->instr->type];
    uint16_t index = slot_of(t, o[2]), held;
    if (tirbi_known_load(&t->known, type, (uint16_t)o[1], index, &held)) {
        /* Also where it stays: what reads it reads what wrote it before. */
        tirbi_conditions_name(&t->conditions, held);
        if (held == o[0]) return;
        tirbi_known_write(&t->known, (uint16_t)o[0]);
        emit_step(t, TIRBI_H_EXTEND_I64, o[0], held, 0, at);
        return;
    }
    tirbi_known_add_load(&t->known, type, (uint16_t)o[1], index, (uint16_t)o[0]);
    emit1(t, load_forms[type], o[0], o[1], index);
}

static void translate_store(translator *t) {
    const int64_t *o = t->instr->operand;
    tirbi_known_store(&t->known);
    emit1(t, store_forms[carrier[t->instr->type]], o[0], slot_of(t, o[1]), o[2]);
}

/* Memory, references and reductions. */
static void translate_memory(translator *t, uint32_t *at) {
    const tirbi_instr *in = t->instr;
    const int64_t *o = in->operand;
    switch (in->op) {
    case TIRB_OP_LOAD: translate_load(t, at); break;
    case TIRB_OP_STORE: translate_store(t); break;
    case TIRB_OP_ALLOC:
        emit1(t, TIRBI_H_ALLOC, o[0], o[1], in->type);
        tirbi_translate_word(&t->emitter, (tirbi_word){.cost = t->fn->n_sites++});
        break;
    case TIRB_OP_SLICE:
        emit1(t, TIRBI_H_SLICE, o[0], o[1], o[2]);
        tirbi_translate_word(&t->emitter, list_of((unsigned)o[3], t->function->refs[o[0]].dtype, 0, 0));
        break;
    case TIRB_OP_LENGTH: {
        uint8_t size = tirbi_dtypes[t->function->refs[o[1]].dtype].size;
        emit1(t, TIRBI_H_LENGTH, o[0], o[1], __builtin_ctz(size));
        break;
    }
    case TIRB_OP_MEET: emit1(t, TIRBI_H_MEET, o[0], o[1], o[2]); break;
    case TIRB_OP_REF_GET: emit1(t, TIRBI_H_REF_GET, o[0], o[1], 0); break;
    case TIRB_OP_REF_PUT: emit1(t, TIRBI_H_REF_PUT, o[0], o[1], 0); break;
    case TIRB_OP_RED_BEGIN: emit1(t, TIRBI_H_RED_BEGIN, o[0], o[1], in->type); break;
    case TIRB_OP_RED_PUSH: emit1(t, TIRBI_H_RED_PUSH, o[0], o[1], in->type); break;
    case TIRB_OP_RED_PUSHMA:
        emit1(t, TIRBI_H_RED_PUSHMA, o[0], o[1], o[2]);
        tirbi_translate_word(&t->emitter, list_of(in->type, 0, 0, 0));
        break;
    case TIRB_OP_RED_END: emit1(t, TIRBI_H_RED_END, o[0], o[1], in->type); break;
    default: break;
    }
}

/* A jump to a back goes back itself. */
static void translate_jump(translator *t) {
    uint32_t place = (uint32_t)t->instr->operand[0];
    if (t->code->profiled || t->function->code[place] != TIRB_OP_BACK ||
        tirbi_decode(t->function->code, t->function->code_size, place, t->next, NULL) != TIRB_OK) {
        emit_jump(t, TIRBI_H_JMP, 0, t->instr->operand[0]);
        return;
    }
    t->emitter.offset = place;
    emit_back(t, place, t->next->operand[0]);
}

/* What an instruction leaves of what was known. Loads, stores and checks have told by themselves. */
static void forget(translator *t, const tirbi_instr *in) {
    const bool told = t->told;
    t->told = false;
    if (told) return;
    switch (in->op) {
    case TIRB_OP_NOP:
    case TIRB_OP_BRIF:
    case TIRB_OP_BRNOT:
    case TIRB_OP_ASSERT:
    case TIRB_OP_SAME:
    case TIRB_OP_INDEX:
    case TIRB_OP_LOAD:
    case TIRB_OP_STORE: return;
    case TIRB_OP_CONST:
    case TIRB_OP_CONST64:
    case TIRB_OP_LENGTH:
    case TIRB_OP_MEET:
    case TIRB_OP_LOOP: tirbi_known_write(&t->known, (uint16_t)in->operand[0]); return;
    default:
        if (tirbi_ops[in->op].flags & TIRBI_FLAG_ELEMENTWISE)
            tirbi_known_write(&t->known, (uint16_t)in->operand[0]);
        else
            tirbi_known_clear(&t->known);
    }
}

/* Whether a repetition of the function may leave the instruction out, as it gives what it gave before or enters a lane
 * loop, whose registers nothing changes behind it but loops inside that count in them. A fork tells by itself that it
 * was executed. */
static bool may_repeat(translator *t, const tirbi_instr *in) {
    switch (in->op) {
    case TIRB_OP_NOP:
    case TIRB_OP_JMP:
    case TIRB_OP_BRIF:
    case TIRB_OP_BRNOT:
    case TIRB_OP_ASSERT:
    case TIRB_OP_SAME:
    case TIRB_OP_INDEX:
    case TIRB_OP_RET:
    case TIRB_OP_RETVOID:
    case TIRB_OP_FORK:
    case TIRB_OP_LANE: return true;
    case TIRB_OP_REF_CONST: return t->loops_seen == 0;
    case TIRB_OP_CONST:
    case TIRB_OP_CONST64:
    case TIRB_OP_LENGTH:
    case TIRB_OP_MEET: break;
    default:
        if (!(tirbi_ops[in->op].flags & TIRBI_FLAG_ELEMENTWISE)) return false;
    }
    note_computed(t, (uint32_t)in->operand[0]);
    return t->loops_seen == 0;
}

/* Looks at the instructions that another one has taken in. */
static tirb_status look_at_taken_in(translator *t, uint32_t at, uint32_t end) {
    while (t->fn->may_repeat && at < end) {
        TIRBI_TRY(tirbi_decode_verified(t->function->code, t->function->code_size, at, t->next, t->error));
        t->fn->may_repeat = may_repeat(t, t->next);
        at += t->next->size;
    }
    return TIRB_OK;
}

/* Translates the instruction in t->instr; *at is the offset behind it and is moved on where it takes in more. */
static tirb_status translate_one(translator *t, uint32_t *at) {
    const tirbi_instr *in = t->instr;
    const int64_t *o = in->operand;
    if (tirbi_ops[in->op].flags & TIRBI_FLAG_ELEMENTWISE) return translate_elementwise(t, at);
    switch (in->op) {
    case TIRB_OP_NOP: break;
    case TIRB_OP_JMP: translate_jump(t); break;
    case TIRB_OP_BACK:
        emit_back(t, in->offset, o[0]);
        break;
    case TIRB_OP_BRIF: emit_jump(t, TIRBI_H_BRIF, o[0], o[1]); break;
    case TIRB_OP_BRNOT: emit_jump(t, TIRBI_H_BRNOT, o[0], o[1]); break;
    case TIRB_OP_LOOP:
        return translate_loop(t);
    case TIRB_OP_CALL:
        t->callees[t->fn->n_callees++] = (uint32_t)o[0];
        emit1(t, TIRBI_H_CALL, o[0], o[1], 0);
        emit_list(t, in->scalars, (unsigned)o[2]);
        emit_list(t, in->refs, (unsigned)o[3]);
        break;
    case TIRB_OP_CALLX:
        emit1(t, TIRBI_H_CALLX, o[0], o[1], 0);
        emit_list(t, in->scalars, (unsigned)o[2]);
        emit_list(t, in->refs, (unsigned)o[3]);
        break;
    case TIRB_OP_RESULT:
        emit1(t, TIRBI_H_RESULT, o[0], o[1], o[2]);
        emit_list(t, in->scalars, (unsigned)o[2]);
        break;
    case TIRB_OP_RET: emit1(t, TIRBI_H_RET, o[0], in->type, 0); break;
    case TIRB_OP_RETVOID: emit1(t, TIRBI_H_RETVOID, 0, 0, 0); break;
    case TIRB_OP_ASSERT: emit1(t, TIRBI_H_ASSERT, o[0], o[1], o[2]); break;
    case TIRB_OP_SAME: emit1(t, TIRBI_H_SAME, o[0], o[1], o[2]); break;
    case TIRB_OP_REF_CONST: emit1(t, TIRBI_H_REF_CONST, o[0], o[1], 0); break;
    case TIRB_OP_TRAP: emit1(t, TIRBI_H_TRAP, o[0], o[1], 0); break;
    case TIRB_OP_INDEX: translate_index(t, at); break;
    case TIRB_OP_CONST: {
        uint64_t value = tirbi_value_of_const(in);
        if (value == (uint64_t)(int64_t)(int32_t)value) {
            tirbi_translate_word(&t->emitter,
                       (tirbi_word){.op = TIRBI_H_CONST, .a = (uint16_t)o[0], .jump = (int32_t)value});
            break;
        }
        emit1(t, TIRBI_H_CONST64, o[0], 0, 0);
        tirbi_translate_word(&t->emitter, (tirbi_word){.bits = value});
        break;
    }
    case TIRB_OP_CONST64:
        emit1(t, TIRBI_H_CONST64, o[0], 0, 0);
        tirbi_translate_word(&t->emitter, (tirbi_word){.bits = (uint64_t)o[1]});
        break;
    case TIRB_OP_LANE: return translate_lane(t, at);
    case TIRB_OP_FORK: return translate_fork(t);
    case TIRB_OP_CONTRACT: translate_contract(t, TIRBI_H_CONTRACT); break;
    case TIRB_OP_FOLD:
        t->is_joined = next_is(t, *at, TIRB_OP_FOLD);
        translate_contract(t, t->is_joined ? TIRBI_H_FOLDS : TIRBI_H_FOLD);
        break;
    default: translate_memory(t, at); break;
    }
    return TIRB_OK;
}

static void patch_jumps(translator *t) {
    tirbi_word *words = t->emitter.all.words;
    for (uint32_t i = 0; i < t->n_fixups && !tirbi_work_stopped(t->heap, i); i++) {
        const tirbi_jump *f = &t->fixups[i];
        const tirbi_landing *there = &t->landings[f->landing];
        int32_t distance = (int32_t)((int64_t)there->word - (int64_t)f->word);
        if (f->field == f->word)
            words[f->field].jump = distance;
        else
            words[f->field].far_jump = distance;
        if (f->back == TIRBI_NO_BACK) continue;
        words[f->field].cost = tirbi_add_weight(landing_at(t, f->back)->weight - there->weight, 1);
    }
}

static void pair_forms(translator *t) {
    const tirbi_jumps jumps = {t->fixups, t->n_fixups, t->landings, t->n_landings};
    if (t->n_forms > 0) tirbi_pair_forms(&t->emitter.all, t->forms, t->n_forms, &jumps, t->heap);
}

/* An instruction has words from this one on, if there are any. */
static inline void add_form(translator *t, uint32_t first) {
    if (first < t->emitter.all.n) t->forms[t->n_forms++] = first;
}

/* In profiled code no instruction is fused across the beginning of a line. */
static void separate_lines(translator *t) {
    const tirbi_function *f = t->function;
    for (uint32_t i = 0; t->code->profiled && i < f->n_lines && !tirbi_work_stopped(t->heap, i); i++)
        if (f->lines[i].offset < f->code_size) tirbi_add_offset(&t->targets, f->lines[i].offset);
}

static bool make_targets(translator *t) {
    const uint32_t n = t->n_landings = tirbi_number_offsets(&t->targets, t->place_words, t->heap);
    if (tirbi_work_seen(t->heap, t->error) != TIRB_OK) return false;
    t->landings = tirbi_room_take(&t->landing_room, t->heap, n * sizeof *t->landings);
    t->forms = tirbi_room_need(&t->form_room, t->heap, t->max_forms * sizeof *t->forms);
    return (n == 0 || t->landings) && (t->max_forms == 0 || t->forms);
}

/* The form of a row that is one word of its own, plus one; 0: it is another. */
static unsigned plain_form(const translator *t, const uint8_t *in, uint8_t next) {
    enum { HEAD = 2, SIZE_OF_TWO = 8 };
    const uint8_t op = in[0], type = in[1];
    if (next == TIRB_OP_BACK || next == TIRB_OP_JMP) return 0;
    if (op == TIRB_OP_MOV) return extend_forms[carrier[type]] + 1u;
    if (tirbi_row_sizes[op] != SIZE_OF_TWO) return 0;
    if (op == TIRB_OP_ADD && type == TIRB_I64 && (next == TIRB_OP_LOAD || next == TIRB_OP_STORE)) return 0;
    if (tirbi_is_comparison(op) && tirbi_conditions_owns(&t->conditions, tirbi_load_u16(in + HEAD))) return 0;
    return elementwise_forms[op][type];
}

/* Goes by rows and constants that become one word each, where nothing jumps to: they do nothing else. */
static uint32_t translate_plain(translator *t, uint32_t at) {
    enum { HEAD = 2, REGISTER = 2, SIZE_OF_ONE = 6, CONST_SIZE = 8 };
    const tirbi_function *const f = t->function;
    tirbi_flow *const flow = t->constants.flow;
    for (uint32_t size; t->heap->work < t->heap->max_work && !tirbi_has_offset(&t->targets, at); at += size) {
        const uint8_t *const in = f->code + at, *const o = in + HEAD;
        size = tirbi_row_sizes[in[0]];
        const bool is_row = size != 0;
        if (!is_row && in[0] != TIRB_OP_CONST) break;
        const uint16_t to = tirbi_load_u16(o);
        tirbi_word word;
        if (!is_row) {
            const uint64_t value = tirbi_value_of_bits(in[1], tirbi_load_u32(o + REGISTER));
            if (value != (uint64_t)(int64_t)(int32_t)value) break;
            size = CONST_SIZE;
            word = (tirbi_word){.op = TIRBI_H_CONST, .a = to, .jump = (int32_t)value};
            if (flow) tirbi_flow_write(flow, at, to);
        } else {
            const unsigned form = plain_form(t, in, in[size]); /* behind a row is always more */
            if (form == 0) break;
            const unsigned second = size > SIZE_OF_ONE ? tirbi_load_u16(o + 2 * REGISTER) : 0u;
            word = word_of(form - 1, to, tirbi_load_u16(o + REGISTER), second);
        }
        t->heap->work += 1 + size / TRANSLATED_AT_ONCE;
        t->own = tirbi_row_weight(in[0], in[1]);
        t->emitter.offset = at;
        const uint32_t first = t->emitter.all.n;
        look(t);
        tirbi_translate_word(&t->emitter, word);
        if (t->emitter.failed) break;
        add_form(t, first);
        if (t->fn->may_repeat) {
            note_computed(t, to);
            t->fn->may_repeat = t->loops_seen == 0;
        }
        t->weight = tirbi_add_weight(t->weight, t->own);
        t->unlooked = tirbi_add_weight(t->unlooked, t->own);
        tirbi_known_write(&t->known, to);
    }
    return at;
}

static tirb_status translate_code(translator *t) {
    const tirbi_function *f = t->function;
    tirbi_flow *const flow = t->constants.flow;
    t->fn->may_repeat = !t->code->profiled;
    separate_lines(t);
    if (!make_targets(t)) return tirbi_heap_status(t->heap);
    for (uint32_t at = 0; at < f->code_size;) {
        if (!t->code->profiled) at = translate_plain(t, at);
        const uint8_t op = f->code[at];
        TIRBI_TRY(tirbi_decode_verified(f->code, f->code_size, at, t->instr, t->error));
        TIRBI_TRY(tirbi_work(t->heap, 1 + t->instr->size / TRANSLATED_AT_ONCE, t->error));
        t->own = tirbi_instr_weight(t->instr);
        t->emitter.offset = at;
        const uint32_t first = t->emitter.all.n;
        if (tirbi_has_offset(&t->targets, at)) land(t, at);
        if (t->code->profiled) probe_line(t, at);
        if (flow && tirbi_is_constant(op)) tirbi_flow_write(flow, at, (uint16_t)t->instr->operand[0]);
        look(t);
        at += t->instr->size;
        t->fn->may_repeat = t->fn->may_repeat && may_repeat(t, t->instr);
        const uint32_t behind = op == TIRB_OP_LANE ? f->code_size : at;
        TIRBI_TRY(translate_one(t, &at));
        if (behind < at) TIRBI_TRY(look_at_taken_in(t, behind, at));
        count_weight(t, at);
        forget(t, t->instr);
        if (t->code->profiled) probe_again(t);
        if (t->emitter.failed || t->constants.failed || (flow && flow->failed))
            return tirbi_heap_status(t->heap);
        if (!t->code->profiled && has_form(t, op, t->instr->offset)) add_form(t, first);
    }
    t->fn->cost = cost_of_call(f, t->weight);
    patch_jumps(t);
    pair_forms(t);
    return tirbi_work_seen(t->heap, t->error);
}

/* ---- Layout of a function's frame and its arguments ----------------------------------------------------------- */

static tirbi_ref_arg ref_arg(const tirbi_function *f, uint16_t reg) {
    return (tirbi_ref_arg){.reg = reg, .type = f->refs[reg].dtype, .writable = f->refs[reg].writable};
}

/* The registers that a call's arguments arrive in: scalar parameters, shape variables that are none, tensors. */
static tirb_status collect_arguments(translator *t) {
    const tirbi_function *f = t->function;
    uint16_t *scalars = TIRBI_NEW_ARRAY(&t->code->arena, uint16_t, (size_t)f->n_params + f->n_vars);
    tirbi_ref_arg *refs = TIRBI_NEW_ARRAY(&t->code->arena, tirbi_ref_arg, f->n_params);
    if (!scalars || !refs) return tirbi_heap_status(t->heap);
    tirbi_fn *fn = t->fn;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->params[i].kind == TIRB_PARAM_SCALAR)
            scalars[fn->n_scalar_args++] = f->params[i].reg;
        else
            refs[fn->n_ref_args++] = ref_arg(f, f->params[i].reg);
    }
    for (uint32_t i = 0; i < f->n_vars; i++)
        if (f->vars[i].param == TIRBI_NO_REG) scalars[fn->n_scalar_args++] = f->vars[i].reg;
    for (uint32_t i = 0; i < fn->n_scalar_args; i++) note_computed(t, scalars[i]);
    fn->scalar_args = scalars;
    fn->ref_args = refs;
    return TIRB_OK;
}

static uint32_t align16(uint32_t size) { return (size + 15) / 16 * 16; }

/* All counts are at most 2^16 and the sites at most the code size, so 32 bits hold every sum. */
static tirb_status lay_out_frame(translator *t) {
    tirbi_fn *fn = t->fn;
    fn->n_constants = t->constants.n;
    fn->constants = t->constants.values;
    fn->n_slots = t->function->n_sregs + fn->n_constants;
    uint64_t sites = (uint64_t)fn->n_sites * sizeof(tirbi_block *);
    if (sites > UINT32_MAX / 2) return tirbi_error_set(t->error, TIRB_MEMORY_LIMIT, "too many allocations");
    fn->refs_at = align16((uint32_t)TIRBI_FRAME_SLOTS + fn->n_slots * (uint32_t)sizeof(uint64_t));
    fn->reds_at = align16(fn->refs_at + t->function->n_refs * (uint32_t)sizeof(tirbi_ref));
    fn->sites_at = align16(fn->reds_at + t->function->n_reds * (uint32_t)sizeof(tirbi_red));
    fn->frame_size = align16(fn->sites_at + (uint32_t)sites);
    return TIRB_OK;
}

/* Keeps the words and what belongs to them, at their final size. */
static tirb_status keep_words(translator *t) {
    tirbi_fn *fn = t->fn;
    uint64_t *constants = TIRBI_NEW_ARRAY(&t->code->arena, uint64_t, t->constants.n);
    if (!constants || !tirbi_emitter_give(&t->emitter, &t->code->arena, &fn->all)) return tirbi_heap_status(t->heap);
    if (t->constants.n > 0) memcpy(constants, t->constants.values, t->constants.n * sizeof *constants);
    fn->words = fn->all.words;
    fn->constants = constants;
    fn->loops = t->loops;
    fn->loop_inputs = t->loop_inputs;
    fn->forks = t->forks;
    fn->contracts = t->contracts;
    fn->callees = t->callees;
    fn->needs = t->code->needs;
    if (fn->needs.n_states > 0) tirbi_lane_size_states(&fn->needs);
    return TIRB_OK;
}

/* The tables by byte offset and by register, in one block. */
static bool make_tables(translator *t) {
    const size_t size = (size_t)t->function->code_size + 1, words = size / TIRBI_OFFSETS_IN_WORD + 1;
    const size_t registers = t->function->n_sregs < size ? t->function->n_sregs : size;
    uint64_t *block =
        tirbi_room_take(&t->tables, t->heap, words * (sizeof(uint64_t) + sizeof(uint32_t)) + 3 * registers);
    if (!block) return false;
    t->place_words = words;
    t->targets.bits = block;
    t->targets.before = (uint32_t *)(block + words);
    t->conditions =
        (tirbi_conditions){.named = (uint8_t *)(t->targets.before + words), .n_named = (uint32_t)registers};
    t->computed = t->conditions.named + registers;
    tirbi_sizes_begin(&t->sizes, t->function, t->computed + registers, (uint32_t)registers, t->is_called);
    return true;
}

static tirb_status translate(translator *t) {
    enum { MOST_CODE = INT32_MAX }; /* distances of jumps are below it */
    if (t->function->code_size > MOST_CODE)
        return tirbi_error_set(t->error, TIRB_MEMORY_LIMIT, "a function has %u bytes of code, at most %u",
                               t->function->code_size, (unsigned)MOST_CODE);
    if (!make_tables(t)) return tirbi_heap_status(t->heap);
    tirbi_constants_init(&t->constants, t->heap, t->function->n_sregs, t->code->secret);
    tirbi_emitter_cut(&t->emitter, 0);
    tirb_status status = survey(t);
    if (status == TIRB_OK) status = collect_arguments(t);
    if (status == TIRB_OK) status = translate_code(t);
    if (status == TIRB_OK) status = lay_out_frame(t);
    if (status == TIRB_OK) status = keep_words(t);
    tirbi_constants_release(&t->constants);
    return status;
}

/* ---- One after the other -------------------------------------------------------------------------------------- */

tirbi_translator *tirbi_translator_create(tirbi_code *code) {
    translator *t = tirbi_heap_alloc(code->heap, sizeof *t);
    if (!t) return NULL;
    memset(t, 0, offsetof(translator, sizes));
    t->code = code;
    t->heap = code->heap;
    t->instr = &t->instrs[0];
    t->next = &t->instrs[1];
    t->emitter.heap = code->heap;
    return t;
}

tirb_status tirbi_translate_function(tirbi_translator *t, uint32_t function, tirb_error *error) {
    const tirbi_program *const program = t->code->program;
    memset(&t->function, 0, offsetof(translator, sizes) - offsetof(translator, function));
    t->error = error;
    t->function = &program->functions[function];
    t->fn = &t->code->functions[function];
    t->is_called = !program->are_called || program->are_called[function];
    t->code->needs = (tirbi_lane_needs){0};
    t->emitter.failed = false; /* as where it was stopped */
    *t->fn = (tirbi_fn){.function = t->function, .first_line = t->fn->first_line};
    return translate(t);
}

bool tirbi_translator_release(tirbi_translator *t) {
    tirbi_heap *const heap = t->heap;
    if (!tirbi_heap_release(heap, t->fixups, t->fixup_capacity * sizeof *t->fixups)) return false;
    t->fixups = NULL;
    t->fixup_capacity = 0;
    return tirbi_emitter_release(&t->emitter) && tirbi_flow_release(&t->flow, heap) &&
           tirbi_room_leave(&t->tables, heap) && tirbi_room_leave(&t->landing_room, heap) &&
           tirbi_room_leave(&t->form_room, heap) && tirbi_lane_clear_desk(t->code);
}

void tirbi_translator_destroy(tirbi_translator *t) {
    if (!t) return;
    (void)tirbi_translator_release(t); /* nobody stops it here */
    tirbi_heap_free(t->heap, t, sizeof *t);
}
