/* Which lane machines can run a body, and how: what its words ask of them. */
#include "loader/base/work.h"
#include "vm/lanes/forms.h"
#include "vm/translate/lane_plan.h"

bool tirbi_lane_find_streams(lane_planner *p, tirbi_lane_cursor *cursors) {
    const lane_body *body = p->body;
    bool any = false;
    for (uint32_t i = p->loop->n_outer; i < body->n - p->loop->n_outer && !tirbi_lane_body_is_stopped(body, i); i++) {
        const lane_ins *ins = &body->ins[i];
        if (ins->op != TIRB_OP_VLOAD || body->strides[ins->cursor] != STRIDE_ONE) continue;
        const uint8_t size = tirbi_dtypes[ins->type].size;
        bool widened = body->main_size == 2 ? ins->type == TIRB_U8 || ins->type == TIRB_I8
                                            : body->has_words && size < body->main_size;
        if (size != body->main_size && !widened) continue;
        cursors[ins->cursor].streams = true;
        p->loop->streaming |= UINT32_C(1) << ins->cursor;
        any = true;
    }
    return any;
}

bool tirbi_lane_is_by_rows(const tirbi_emitter *emitter, uint32_t from) {
    for (uint32_t i = from; i < emitter->all.n && !tirbi_work_stopped(emitter->heap, i); i++) {
        unsigned op = emitter->all.words[i].op;
        if (op == TIRBI_L_STREAM) {
            i += 2; /* its operands: no word of machines for several rows */
            continue;
        }
        bool control = op == TIRBI_L_NEXT_BLOCK || op == TIRBI_L_FINISH || op == TIRBI_L_LOOK || op == TIRBI_L_INNER ||
                       op == TIRBI_L_INNER_END;
        bool moves = op == TIRBI_L_COPY || op == TIRBI_L_PULL || (op >= TIRBI_L_LOAD_A && op <= TIRBI_L_PART_F64_B);
        if (!control && !moves && op <= TIRBI_L_REST_FMA_F64_B) return false;
    }
    return !emitter->failed;
}

bool tirbi_lane_can_span(const lane_planner *p, uint32_t body) {
    const tirbi_lane_loop *loop = p->loop;
    if (p->emitter->failed || !p->code->spans_gaps || !loop->by_rows || loop->wide == 0 ||
        loop->n_inner != loop->n_outer)
        return false;
    for (uint32_t i = body; p->emitter->all.words[i].op != TIRBI_L_FINISH; i++) {
        if (tirbi_work_stopped(p->emitter->heap, i)) return false;
        const tirbi_word *word = &p->emitter->all.words[i];
        const unsigned op = word->op;
        if (op == TIRBI_L_NEXT_BLOCK) break;
        const bool computes = op > TIRBI_L_STREAM || op == TIRBI_L_PULL;
        const bool moves = op >= TIRBI_L_LOAD_A && op < TIRBI_L_PART_A && !is_cursor(p, word->a);
        const bool stores = op >= TIRBI_L_PART_A && op <= TIRBI_L_PART_F64_B && word->c == shift_of(p->body->main_size);
        if (!computes && !moves && !stores) return false;
    }
    return true;
}
