#include "vm/enter/row_loop.h"

#include <string.h>

#include "vm/enter/lane_again.h"
#include "vm/enter/lane_ends.h"
#include "vm/lanes/slots.h"
#include "vm/math/ops.h"

#pragma GCC diagnostic ignored "-Wpedantic"

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

/* What a value is in row r: at + r * by. */
typedef struct line {
    int64_t at, by;
} line;

/* Fewer take longer to look at than to do. */
enum { FEWEST_ROWS = 6 };
#define FAR (INT64_C(1) << 60) /* of lines that are computed with: sums of some do not wrap */

/* Rows while a line is at least, or at most, as much. The last row most often is what counts, without a division. */
static inline bool reaches(line l, int64_t rows, int64_t *last) {
    return !__builtin_mul_overflow(l.by, rows - 1, last) && !__builtin_add_overflow(l.at, *last, last);
}

static inline void keep_from(line l, int64_t least, int64_t *rows) {
    int64_t last;
    if (l.at < least) *rows = 0;
    if (l.by >= 0 || *rows < 1 || (reaches(l, *rows, &last) && last >= least)) return;
    *rows = (l.at - least) / -l.by + 1;
}

static inline void keep_to(line l, int64_t most, int64_t *rows) {
    int64_t last;
    if (l.at > most) *rows = 0;
    if (l.by <= 0 || *rows < 1 || (reaches(l, *rows, &last) && last <= most)) return;
    *rows = (most - l.at) / l.by + 1;
}

/* Both, of which mostly all rows are kept. */
static inline void keep_between(line l, int64_t least, int64_t most, int64_t *rows) {
    int64_t last;
    if (l.at < least || l.at > most) *rows = 0;
    if (l.by == 0 || *rows < 1 || (reaches(l, *rows, &last) && last >= least && last <= most)) return;
    keep_from(l, least, rows);
    keep_to(l, most, rows);
}

static inline bool is_far(int64_t value) { return value > FAR || value < -FAR; }

static inline void keep_within(line l, uint8_t type, int64_t *rows) {
    const bool is_narrow = type == TIRB_I32;
    if (is_far(l.by)) *rows = 0;
    keep_between(l, is_narrow ? INT32_MIN : -FAR, is_narrow ? INT32_MAX : FAR, rows);
}

static line less(line a, line b) { return (line){a.at - b.at, a.by - b.by}; }

/* A product, of which one factor at least is level. */
static line multiply(line a, line b, int64_t *rows) {
    line product;
    if (a.by != 0) {
        const line other = a;
        a = b;
        b = other;
    }
    if (a.by != 0 || __builtin_mul_overflow(a.at, b.at, &product.at) ||
        __builtin_mul_overflow(a.at, b.by, &product.by)) {
        *rows = 0;
        return (line){0, 0};
    }
    return product;
}

/* The one of two lines that is the lower one in the first row, while it stays so. */
static line lower(line a, line b, int64_t *rows) {
    const line d = less(a, b);
    if (d.at < 0 || (d.at == 0 && d.by <= 0)) {
        keep_to(d, 0, rows);
        return a;
    }
    keep_from(d, 0, rows);
    return b;
}

/* Results are looked at when they are computed. */
static inline bool is_within(const tirbi_row_value *operand, uint8_t type) {
    return operand->kind >= TIRBI_ROW_SAME && (operand->type == type || operand->type == TIRB_I32);
}

static line evaluate(const tirbi_row_value *values, const tirbi_row_value *v, const line *lines, int64_t *rows) {
    line a = lines[v->a], b = lines[v->b], result;
    if (!is_within(&values[v->a], v->type)) keep_within(a, v->type, rows);
    if (v->kind == TIRBI_ROW_SAME) b = a;
    else if (!is_within(&values[v->b], v->type)) keep_within(b, v->type, rows);
    if (*rows < FEWEST_ROWS) return a;
    switch (v->kind) {
    case TIRBI_ROW_ADD: result = (line){a.at + b.at, a.by + b.by}; break;
    case TIRBI_ROW_SUB: result = less(a, b); break;
    case TIRBI_ROW_MUL: result = multiply(a, b, rows); break;
    case TIRBI_ROW_MIN: result = lower(a, b, rows); break;
    case TIRBI_ROW_MAX: {
        const line least = lower(a, b, rows);
        result = least.at == a.at && least.by == a.by ? b : a;
        break;
    }
    default: return a;
    }
    keep_within(result, v->type, rows);
    return result;
}

/* Tests of a comparison, by what has to hold of the difference. */
static void keep_test(const tirbi_row_test *test, const line *lines, int64_t *rows) {
    const line d = less(lines[test->a], lines[test->b]);
    uint8_t op = test->op;
    if (!test->holds) {
        static const uint8_t opposite[][2] = {{TIRB_OP_EQ, TIRB_OP_NE}, {TIRB_OP_NE, TIRB_OP_EQ},
                                              {TIRB_OP_LT, TIRB_OP_GE}, {TIRB_OP_GE, TIRB_OP_LT},
                                              {TIRB_OP_GT, TIRB_OP_LE}, {TIRB_OP_LE, TIRB_OP_GT}};
        for (unsigned i = 0; i < 6; i++) {
            if (opposite[i][0] != test->op) continue;
            op = opposite[i][1];
        }
    }
    switch (op) {
    case TIRB_OP_LT: keep_to(d, -1, rows); break;
    case TIRB_OP_LE: keep_to(d, 0, rows); break;
    case TIRB_OP_GT: keep_from(d, 1, rows); break;
    case TIRB_OP_GE: keep_from(d, 0, rows); break;
    case TIRB_OP_NE:
        if (d.at > 0) keep_from(d, 1, rows);
        else keep_to(d, -1, rows);
        break;
    default:
        keep_to(d, 0, rows);
        keep_from(d, 0, rows);
        break;
    }
}

/* ---- Setting up ------------------------------------------------------------------------------------------------- */

enum { MOST_BLOCKS = 4 };

/* A step, and where it is in memory or what it sets in row 0, and what is added to that from row to row. */
typedef struct move {
    uint16_t kind;
    uint8_t type;
    uint16_t a, b, c, d;
    union {
        struct {
            uint8_t *element;
            ptrdiff_t by;
        };
        line line;
        tirbi_scalar call;
    };
} move;

/* One of the elements that an ending computes with. */
typedef struct term {
    const uint8_t *first; /* of row 0 */
    ptrdiff_t step, by;   /* from element to element and from row to row */
    const uint8_t *end;   /* of what may be read; NULL: it is one value */
    unsigned shift;
} term;

typedef struct run {
    tirbi_machine *machine;
    const tirbi_row_loop *plan;
    const tirbi_lane_loop *loop;
    tirbi_lane_state *state;
    uint64_t *slots;
    const tirbi_ref *refs;
    int64_t rows, row;
    int64_t most; /* lanes of a row */
    line lines[TIRBI_MAX_ROW_VALUES];
    move moves[TIRBI_MAX_ROW_STEPS];
    ptrdiff_t row_moves[TIRBI_MAX_CURSORS];  /* to the cursors' elements of the next row */
    const uint8_t *ends[TIRBI_MAX_CURSORS];  /* of their references */
    term terms[2];
    uint32_t lanes; /* of blocks that the steps are set for; 0: none are */
} run;

/* Rows while a line numbers an element. */
static void keep_inside(line l, uint64_t elements, int64_t *rows) {
    if (elements > (uint64_t)FAR) elements = (uint64_t)FAR;
    keep_between(l, 0, (int64_t)elements - 1, rows);
}

static void find_rows(run *r) {
    const tirbi_row_loop *plan = r->plan;
    int64_t *rows = &r->rows;
    r->lines[0] = (line){(int64_t)r->slots[plan->counter], 1};
    for (unsigned i = 1; i < plan->n_values && *rows >= FEWEST_ROWS; i++) {
        const tirbi_row_value *v = &plan->values[i];
        if (v->kind == TIRBI_ROW_SLOT) r->lines[i] = (line){(int64_t)r->slots[v->a], 0};
        else if (v->kind == TIRBI_ROW_NUMBER) r->lines[i] = (line){v->number, 0};
        else r->lines[i] = evaluate(plan->values, v, r->lines, rows);
    }
    for (unsigned i = 0; i < plan->n_tests && *rows >= FEWEST_ROWS; i++)
        if (plan->tests[i].is_used) keep_test(&plan->tests[i], r->lines, rows);
    for (unsigned i = 0; i < plan->n_steps && *rows >= FEWEST_ROWS; i++) {
        const tirbi_row_step *s = &plan->steps[i];
        move *m = &r->moves[i];
        *m = (move){.kind = s->kind, .type = s->type, .a = s->a, .b = s->b, .c = s->c, .d = s->d};
        if (s->kind == TIRBI_ROW_SET) m->line = r->lines[s->line];
        if (s->kind == TIRBI_ROW_CALL) m->call = s->call;
        if (s->kind < TIRBI_ROW_LOAD || s->kind > TIRBI_ROW_STORE8) continue;
        const tirbi_ref *ref = &r->refs[s->kind < TIRBI_ROW_STORE ? s->b : s->a];
        const unsigned size = tirbi_dtypes[s->type].size;
        const line l = r->lines[s->line];
        keep_inside(l, ref->size >> __builtin_ctz(size), rows);
        m->element = (uint8_t *)((uintptr_t)ref->data + (uintptr_t)l.at * size);
        m->by = (ptrdiff_t)((uint64_t)l.by * size);
    }
}

/* The bytes that a cursor reaches in all rows. */
static void find_hull(const run *r, unsigned c, int64_t *low, int64_t *high) {
    const tirbi_row_loop *plan = r->plan;
    const line ends[2] = {r->lines[plan->first[c]], r->lines[plan->last[c]]};
    const int64_t length = (int64_t)(r->refs[r->loop->cursors[c].ref].size >> r->loop->cursors[c].shift);
    *low = INT64_MAX;
    *high = INT64_MIN;
    for (unsigned i = 0; i < 4; i++) {
        int64_t at = ends[i % 2].at + (i < 2 ? 0 : ends[i % 2].by * (r->rows - 1));
        if (at < *low) *low = at;
        if (plan->n == TIRBI_NO_ROW_LINE) at += r->most - 1;
        if (at > *high) *high = at;
    }
    if (*high >= length) *high = length - 1;
}

/* The first and the last element that a cursor reaches in a row, as lines: its step stays. */
static void find_reach(const run *r, unsigned c, line *low, line *high) {
    const tirbi_row_loop *plan = r->plan;
    const bool is_down = r->lines[plan->step[c]].at < 0;
    *low = r->lines[is_down ? plan->last[c] : plan->first[c]];
    *high = r->lines[is_down ? plan->first[c] : plan->last[c]];
    if (plan->n == TIRBI_NO_ROW_LINE) high->at += r->most - 1;
}

/* Rows in which a written cursor is ahead of or behind all that another one reaches in the same memory. What one row
 * reads another one may write: they are done one after the other. */
static void keep_ahead_or_behind(const run *r, unsigned w, unsigned c, int64_t *rows) {
    line low, high, other_low, other_high;
    find_reach(r, w, &low, &high);
    find_reach(r, c, &other_low, &other_high);
    const line ahead = less(other_low, high), behind = less(low, other_high);
    if (ahead.at > 0) keep_from(ahead, 1, rows);
    else keep_from(behind, 1, rows);
}

/* Keeps the rows in which what is written is apart from what else the row reaches, or the same elements. */
static bool keep_apart(run *r) {
    const tirbi_lane_loop *loop = r->loop;
    const tirbi_row_loop *plan = r->plan;
    for (uint32_t writes = loop->written; writes != 0; writes &= writes - 1) {
        const unsigned w = (unsigned)__builtin_ctz(writes);
        int64_t low, high, other_low, other_high;
        const tirbi_lane_cursor *written = &loop->cursors[w];
        const tirbi_ref *ref = &r->refs[written->ref];
        const uint8_t *data = ref->data;
        if (r->lines[plan->step[w]].at == 0) return false;
        for (unsigned c = 0; c < loop->n_cursors; c++) {
            const tirbi_lane_cursor *other = &loop->cursors[c];
            const tirbi_ref *other_ref = &r->refs[other->ref];
            const uint8_t *other_data = other_ref->data;
            if (c == w || (uintptr_t)data + ref->size <= (uintptr_t)other_data ||
                (uintptr_t)other_data + other_ref->size <= (uintptr_t)data)
                continue;
            find_hull(r, w, &low, &high);
            find_hull(r, c, &other_low, &other_high);
            if ((uintptr_t)(data + (high + 1) * written->size) <= (uintptr_t)(other_data + other_low * other->size) ||
                (uintptr_t)(other_data + (other_high + 1) * other->size) <= (uintptr_t)(data + low * written->size))
                continue;
            if (data != other_data || written->size != other->size) return false;
            const line a = r->lines[plan->first[w]], b = r->lines[plan->first[c]];
            if (a.at == b.at && a.by == b.by && r->lines[plan->step[w]].at == r->lines[plan->step[c]].at) continue;
            keep_ahead_or_behind(r, w, c, &r->rows);
            if (r->rows < FEWEST_ROWS) return false;
        }
    }
    return true;
}

static bool find_cursors(run *r) {
    const tirbi_lane_loop *loop = r->loop;
    const tirbi_row_loop *plan = r->plan;
    if (plan->n != TIRBI_NO_ROW_LINE) {
        keep_from(r->lines[plan->n], 1, &r->rows);
        keep_to(r->lines[plan->n], r->most, &r->rows);
    }
    for (unsigned c = 0; c < loop->n_cursors; c++) {
        const uint64_t elements = r->refs[loop->cursors[c].ref].size >> loop->cursors[c].shift;
        const line step = r->lines[plan->step[c]];
        if (step.at > FAR >> 8 || step.at < -(FAR >> 8) || step.by != 0) return false;
        keep_inside(r->lines[plan->first[c]], elements, &r->rows);
        keep_inside(r->lines[plan->last[c]], elements, &r->rows);
    }
    return r->rows >= FEWEST_ROWS && keep_apart(r);
}

static void set_pointers(run *r) {
    const tirbi_lane_loop *loop = r->loop;
    for (unsigned c = 0; c < loop->n_cursors; c++) {
        const tirbi_lane_cursor *cursor = &loop->cursors[c];
        const tirbi_ref *ref = &r->refs[cursor->ref];
        const line first = r->lines[r->plan->first[c]];
        r->state->pointers[c + 1] = ref->data + ((size_t)first.at << cursor->shift);
        r->state->strides[c] = (ptrdiff_t)((uint64_t)r->lines[r->plan->step[c]].at << cursor->shift);
        r->row_moves[c] = (ptrdiff_t)((uint64_t)first.by << cursor->shift);
        r->ends[c] = ref->data + ref->size;
    }
}

static void set_terms(run *r) {
    const tirbi_lane_ending *ending = r->loop->ending;
    for (unsigned i = 0; i < 2; i++) {
        term *t = &r->terms[i];
        if (ending->terms[i].is_scalar) {
            *t = (term){.first = tirbi_slot_bytes(&r->slots[ending->terms[i].slot], tirbi_dtypes[ending->type].size)};
            continue;
        }
        const unsigned c = ending->terms[i].cursor;
        const tirbi_lane_cursor *cursor = &r->loop->cursors[c];
        const tirbi_ref *ref = &r->refs[cursor->ref];
        const line first = r->lines[r->plan->first[c]];
        *t = (term){.first = ref->data + ((size_t)first.at << cursor->shift),
                    .step = (ptrdiff_t)((uint64_t)r->lines[r->plan->step[c]].at << cursor->shift),
                    .by = (ptrdiff_t)((uint64_t)first.by << cursor->shift),
                    .end = ref->data + ref->size,
                    .shift = cursor->shift};
    }
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

static inline uint64_t load(const uint8_t *from, uint8_t type) {
    uint64_t bytes = 0;
    switch (tirbi_dtypes[type].size) {
    case 1: memcpy(&bytes, from, 1); break;
    case 2: memcpy(&bytes, from, 2); break;
    case 4: memcpy(&bytes, from, 4); break;
    default: memcpy(&bytes, from, 8); break;
    }
    return tirbi_slot_from_bytes(&bytes, type);
}

static inline void store(uint8_t *to, uint64_t *slot, uint8_t type) {
    if (type == TIRB_BOOL) {
        *to = tirbi_slot_bool(*slot);
        return;
    }
    switch (tirbi_dtypes[type].size) {
    case 1: memcpy(to, tirbi_slot_bytes(slot, 1), 1); break;
    case 2: memcpy(to, tirbi_slot_bytes(slot, 2), 2); break;
    case 4: memcpy(to, tirbi_slot_bytes(slot, 4), 4); break;
    default: memcpy(to, slot, 8); break;
    }
}

/* The cursors' steps from block to block, and the ones that the wide body may not always read whole blocks of. */
static void set_blocks(run *r, uint32_t lanes) {
    const tirbi_lane_loop *loop = r->loop;
    tirbi_lane_state *state = r->state;
    r->lanes = lanes;
    for (unsigned c = 0; c < loop->n_cursors; c++) state->block_steps[c] = state->strides[c] * (ptrdiff_t)lanes;
    for (unsigned c = loop->n_cursors; c == 0 || c % TIRBI_POINTERS_AT_ONCE != 0; c++) state->block_steps[c] = 0;
    state->wide = NULL;
    state->n_streams = 0;
    for (uint32_t streaming = loop->streaming; streaming != 0 && loop->wide != 0; streaming &= streaming - 1) {
        const uint32_t c = (uint32_t)__builtin_ctz(streaming);
        const tirbi_ref *ref = &r->refs[loop->cursors[c].ref];
        const uint64_t behind = (uint64_t)lanes << loop->cursors[c].shift;
        if (ref->size < behind || state->strides[c] != (ptrdiff_t)loop->cursors[c].size) return;
        state->streams[state->n_streams].pointer = c + 1;
        state->streams[state->n_streams].row_step = 0;
        state->streams[state->n_streams++].last = ref->data + (ref->size - behind);
    }
    if (loop->wide != 0) state->wide = r->machine->frame->fn->words + loop->wide;
}

static tirbi_lane_end run_blocks(run *r, int64_t n) {
    const tirbi_lane_loop *loop = r->loop;
    tirbi_lane_state *state = r->state;
    const tirbi_word *words = r->machine->frame->fn->words;
    uint32_t lanes;
    const tirbi_lane_machine *const wide = r->machine->code->lanes;
    const tirbi_lane_machine *machinery = n > (int64_t)loop->lanes
                                              ? tirbi_lane_choose_banks(loop, wide, n, false, &lanes)
                                              : tirbi_lane_find_banks(loop, wide, (uint64_t)n, &lanes);
    if (lanes != r->lanes) set_blocks(r, lanes);
    state->n = n;
    state->lanes = lanes;
    if (loop->n_scans > 0) tirbi_lane_renew(r->machine, loop, r->slots);
    const tirbi_lane_end end = machinery->run(state, words + loop->full, words + loop->tail);
    /* Blocks behind the first one have moved the pointers, in order. */
    const int64_t moves = (n - 1) / lanes;
    for (unsigned c = 0; c < loop->n_cursors && moves > 0; c++)
        state->pointers[c + 1] =
            (uint8_t *)((uintptr_t)state->pointers[c + 1] - (uintptr_t)(state->block_steps[c] * moves));
    return end;
}

static inline bool is_in_row(const term *t, const uint8_t *first, int64_t n) {
    return !t->end || (uint64_t)n <= (uint64_t)(t->end - first) >> t->shift;
}

/* An ending of a row; false: the scalar machine does it. */
static inline bool run_ending(run *r, int64_t row, int64_t n) {
    const tirbi_lane_ending *const ending = r->loop->ending;
    const term *const terms = r->terms;
    if (n < 1) return true;
    const uint64_t weight = r->loop->weight, cost = (weight > 0 ? weight : 1) * ((uint64_t)(n - 1) / 64 + 1);
    if (n > r->most || cost > r->machine->fuel) return false;
    const uint8_t *const x = terms[0].first + terms[0].by * row, *const y = terms[1].first + terms[1].by * row;
    if (r->plan->n == TIRBI_NO_ROW_LINE && !(is_in_row(&terms[0], x, n) && is_in_row(&terms[1], y, n))) return false;
    r->machine->fuel -= cost;
    uint64_t *const running = &r->slots[ending->slot];
    const uint64_t end = ending->end(*running, x, terms[0].step, y, terms[1].step, (size_t)n);
    *running = ending->type == TIRB_I32 ? tirbi_slot_of_i32((int32_t)end) : end;
    return true;
}

/* The lanes of a row; false: the scalar machine does them. */
static inline bool run_lanes(run *r, int64_t n, tirb_status *status) {
    const tirbi_lane_loop *loop = r->loop;
    tirbi_lane_state *state = r->state;
    if (n < 1) return true;
    const uint64_t cost = (loop->weight > 0 ? loop->weight : 1) * ((uint64_t)(n - 1) / 64 + 1);
    if (n > r->most || cost > r->machine->fuel) return false;
    if (r->plan->n == TIRBI_NO_ROW_LINE)
        for (unsigned c = 0; c < loop->n_cursors; c++)
            if ((uint64_t)n > (uint64_t)(r->ends[c] - state->pointers[c + 1]) >> loop->cursors[c].shift) return false;
    r->machine->fuel -= cost;
    if (loop->one_row != loop->full) {
        state->n = n;
        tirbi_lane_stream_row(state, r->machine->frame->fn->words + loop->one_row);
        return true;
    }
    const uint32_t in_short = r->plan->inputs->bodies.in_short;
    if (in_short != 0 && n <= (int64_t)loop->lanes) {
        tirbi_lane_run_short(state, r->machine->frame->fn->words + in_short, (size_t)n);
        return true;
    }
    const tirbi_lane_end end = run_blocks(r, n);
    if (end != TIRBI_LANE_DONE || loop->n_scans > 0) *status = tirbi_lane_end_run(r->machine, loop, end);
    return true;
}

static inline uint64_t on_line(const run *r, unsigned number, int64_t row) {
    return (uint64_t)r->lines[number].at + (uint64_t)r->lines[number].by * (uint64_t)row;
}

/* Registers that hold lines and conditions, behind the row. */
static void leave(const run *r, int64_t row) {
    const tirbi_row_loop *plan = r->plan;
    for (unsigned i = 0; i < plan->n_left; i++)
        if (plan->left[i].is_behind) r->slots[plan->left[i].slot] = on_line(r, plan->left[i].line, row);
    for (unsigned i = 0; i < plan->n_tests; i++)
        if (plan->tests[i].has_slot) r->slots[plan->tests[i].slot] = plan->tests[i].holds;
}

/* The same at the lane loop of the row, where the scalar machine goes on. Conditions are what they were in the row
 * before. */
static tirb_status stay_at_lanes(run *r, int64_t row, const tirbi_word **next, tirb_status status) {
    r->row = row;
    const tirbi_row_loop *plan = r->plan;
    for (unsigned i = 0; i < plan->n_left; i++) {
        const tirbi_row_left *left = &plan->left[i];
        if (left->at_lanes != 0)
            r->slots[left->slot] = on_line(r, left->line, left->at_lanes > 0 ? r->row : r->row - 1);
    }
    for (unsigned i = 0; i < plan->n_tests; i++)
        if (plan->tests[i].has_slot) r->slots[plan->tests[i].slot] = plan->tests[i].holds;
    *next = r->machine->frame->fn->words + r->loop->entry;
    return status;
}

#undef bool /* names are put together of types */
#define TAKE(type, slot) tirbi_slot_##type(s[slot])
#ifdef TIRB_SWITCH_DISPATCH
#define BEGIN() switch (step->kind) {
#define END()                                                                                                          \
    default: return TIRB_OK;                                                                                           \
        }
#define HANDLER(name) case TIRBI_ROW_##name:
#define GO() goto dispatch
#else
#define BEGIN() GO();
#define END()
#define HANDLER(name) name:
#define GO() goto *targets[step->kind]
#endif
#define NEXT()                                                                                                         \
    do {                                                                                                               \
        step++;                                                                                                        \
        GO();                                                                                                          \
    } while (0)
#define LANES_OF_ROW (plan->n == TIRBI_NO_ROW_LINE ? (int64_t)s[r->loop->n] : (int64_t)on_line(r, plan->n, row))
#define AT_ELEMENT (step->element + step->by * row)

/* Runs rows until all are done, or the scalar machine has to go on. */
static tirb_status run_rows(run *r, const tirbi_word *at, const tirbi_word **next) {
#ifndef TIRB_SWITCH_DISPATCH
    static const void *const targets[] = {&&SET, &&LOAD, &&LOAD4, &&LOAD_SIGNED4, &&LOAD8, &&STORE, &&STORE4, &&STORE8,
                                          &&MOVE, &&CALL, &&SKIP, &&LANES, &&ENDING, &&END_OF_ROW,
#define TARGET(OP, op, TYPE, type) &&OP##_##TYPE,
#define UNARY TARGET
#define BINARY TARGET
#define TERNARY TARGET
#define COMPARE TARGET
#include "vm/machine/forms.def"
    };
#endif
    tirbi_machine *const machine = r->machine;
    const tirbi_row_loop *const plan = r->plan;
    const move *const steps = r->moves, *step = steps;
    uint64_t *const s = r->slots;
    uint8_t **const pointers = r->loop->ending ? NULL : r->state->pointers + 1;
    const unsigned n_pointers = r->loop->ending ? 0 : r->loop->n_cursors;
    const uint64_t back = at[1].cost, first = s[plan->counter];
    int64_t row = 0;
#ifdef TIRB_SWITCH_DISPATCH
dispatch:
#endif
    BEGIN()

    HANDLER(SET) {
        s[step->a] = (uint64_t)step->line.at + (uint64_t)step->line.by * (uint64_t)row;
        NEXT();
    }
    HANDLER(LOAD) {
        s[step->a] = load(AT_ELEMENT, step->type);
        NEXT();
    }
    HANDLER(LOAD4) {
        uint32_t bits;
        memcpy(&bits, AT_ELEMENT, sizeof bits);
        s[step->a] = bits;
        NEXT();
    }
    HANDLER(LOAD_SIGNED4) {
        int32_t value;
        memcpy(&value, AT_ELEMENT, sizeof value);
        s[step->a] = tirbi_slot_of_i32(value);
        NEXT();
    }
    HANDLER(LOAD8) {
        memcpy(&s[step->a], AT_ELEMENT, sizeof *s);
        NEXT();
    }
    HANDLER(STORE) {
        store(AT_ELEMENT, &s[step->b], step->type);
        NEXT();
    }
    HANDLER(STORE4) {
        const uint32_t bits = (uint32_t)s[step->b];
        memcpy(AT_ELEMENT, &bits, sizeof bits);
        NEXT();
    }
    HANDLER(STORE8) {
        memcpy(AT_ELEMENT, &s[step->b], sizeof *s);
        NEXT();
    }
    HANDLER(MOVE) {
        s[step->a] = tirbi_slot_extend(s[step->b], step->type);
        NEXT();
    }
    HANDLER(CALL) {
        (void)step->call(&s[step->a], s[step->b], s[step->c], s[step->d]);
        NEXT();
    }
    HANDLER(SKIP) {
        step += ((uint8_t)s[step->a] != 0) == (step->type != 0) ? step->d : 1;
        GO();
    }
    HANDLER(LANES) {
        tirb_status status = TIRB_OK;
        if (!run_lanes(r, LANES_OF_ROW, &status) || status != TIRB_OK) return stay_at_lanes(r, row, next, status);
        NEXT();
    }
    HANDLER(ENDING) {
        if (!run_ending(r, row, LANES_OF_ROW)) return stay_at_lanes(r, row, next, TIRB_OK);
        NEXT();
    }
#ifdef TIRB_SWITCH_DISPATCH
    HANDLER(END) {
#else
    HANDLER(END_OF_ROW) {
#endif
        if (back > machine->fuel || atomic_load_explicit(machine->stop, memory_order_relaxed) != TIRBI_RUN) {
            r->row = row;
            leave(r, row);
            *next = at;
            return TIRB_OK;
        }
        machine->fuel -= back;
        row++;
        s[plan->counter] = first + (uint64_t)row;
        if (row == r->rows) {
            r->row = row - 1;
            leave(r, row - 1);
            return TIRB_OK;
        }
        for (unsigned c = 0; c < n_pointers; c++)
            pointers[c] = (uint8_t *)((uintptr_t)pointers[c] + (uintptr_t)r->row_moves[c]);
        step = steps;
        GO();
    }
#define UNARY(OP, op, TYPE, type)                                                                                      \
    HANDLER(OP##_##TYPE) {                                                                                             \
        s[step->a] = tirbi_slot_of_##type((tirbi_c_##type)tirbi_##op##_##type(TAKE(type, step->b)));                   \
        NEXT();                                                                                                        \
    }
#define BINARY(OP, op, TYPE, type)                                                                                     \
    HANDLER(OP##_##TYPE) {                                                                                             \
        s[step->a] =                                                                                                   \
            tirbi_slot_of_##type((tirbi_c_##type)tirbi_##op##_##type(TAKE(type, step->b), TAKE(type, step->c)));       \
        NEXT();                                                                                                        \
    }
#define TERNARY(OP, op, TYPE, type)                                                                                    \
    HANDLER(OP##_##TYPE) {                                                                                             \
        s[step->a] = tirbi_slot_of_##type(                                                                             \
            tirbi_##op##_##type(TAKE(type, step->b), TAKE(type, step->c), TAKE(type, step->d)));                       \
        NEXT();                                                                                                        \
    }
#define COMPARE(OP, op, TYPE, type)                                                                                    \
    HANDLER(OP##_##TYPE) {                                                                                             \
        s[step->a] = tirbi_##op##_##type(TAKE(type, step->b), TAKE(type, step->c)) != 0;                               \
        NEXT();                                                                                                        \
    }
#include "vm/machine/forms.def"
    END()
}
#define bool _Bool

static bool enter(run *r) {
    const tirbi_lane_loop *loop = r->loop;
    const int64_t streamed = TIRBI_STREAM_ROW / 8;
    r->most = loop->ending || loop->one_row != loop->full ? streamed : MOST_BLOCKS * (int64_t)loop->lanes;
    find_rows(r);
    return r->rows >= FEWEST_ROWS && find_cursors(r);
}

/* Looking at rows was in vain: more and more go by before the next look. */
static void miss(tirbi_machine *machine) {
    enum { MOST = 6 };
    if (machine->row_misses < MOST) machine->row_misses++;
    machine->row_waits = UINT32_C(1) << machine->row_misses;
}

static tirb_status done(const run *r, tirb_status status) {
    if (r->row + 1 < FEWEST_ROWS) miss(r->machine);
    else r->machine->row_misses = 0;
    return status;
}

tirb_status tirbi_row_loop_run(tirbi_machine *machine, const tirbi_word *at, const tirbi_word **next) {
    if (machine->row_waits > 0) {
        machine->row_waits--;
        return TIRB_OK;
    }
    const tirbi_row_loop *plan = machine->frame->fn->loop_inputs[at->c].rows;
    run r;
    r.slots = tirbi_frame_slots(machine->frame);
    if (__builtin_sub_overflow((int64_t)r.slots[plan->end], (int64_t)r.slots[plan->counter], &r.rows)) return TIRB_OK;
    if (--r.rows < FEWEST_ROWS) return TIRB_OK;
    /* Rows without lanes take no memory: the first one that has some makes the states. */
    if (!machine->lane_states && !plan->loop->ending) return TIRB_OK;
    r.machine = machine;
    r.plan = plan;
    r.loop = plan->loop;
    r.refs = tirbi_frame_refs(machine->frame);
    r.lanes = 0;
    r.row = 0;
    if (!enter(&r)) {
        miss(machine);
        return TIRB_OK;
    }
    machine->n_entered = TIRBI_REPEATED_LOOPS + 1;
    if (r.loop->ending) { /* which takes no memory */
        set_terms(&r);
        return done(&r, run_rows(&r, at, next));
    }
    r.state = machine->lanes = tirbi_lane_state_at(machine->needs, machine->lane_states, plan->inputs);
    tirbi_lane_again *again = tirbi_lane_again_of(r.state);
    if (again->brief == r.loop && again->slots == r.slots) tirbi_lane_begin(machine, r.loop, r.slots);
    else tirbi_lane_prepare(machine, r.loop, r.slots);
    again->loop = again->brief = NULL;
    again->more = UINT64_MAX;
    set_pointers(&r);
    const tirb_status status = done(&r, run_rows(&r, at, next));
    r.state->n_streams = 0;
    if (status == TIRB_OK && plan->inputs->may_be_brief) again->brief = r.loop; /* as one row leaves it */
    return status;
}
