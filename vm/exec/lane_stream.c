/* Bodies of one operation, which one handler does with the store of what it gives: vm/lanes/stream.inc. */
#include "vm/exec/lane_plan.h"
#include "vm/lanes/forms.h"

/* The handler for a body of this form, with its result in a bank, and a store of that; or 0. `loads`: one that
 * multiplies what was loaded there. */
static unsigned stream_form(unsigned form, unsigned bank, bool loads) {
    static const uint16_t streams[][3] = {
#define STREAM(OP, T, XY)                                                                                              \
    {TIRBI_L_##OP##_##T##_A##XY, TIRBI_L_##OP##_##T##_B##XY, TIRBI_L_STREAM_##OP##_##T##_##XY}
#define STREAMS(T)                                                                                                     \
    STREAM(ADD, T, MM), STREAM(ADD, T, MK), STREAM(SUB, T, MM), STREAM(SUB, T, MK), STREAM(MUL, T, MM),                \
        STREAM(MUL, T, MK), STREAM(FMA, T, MKM), STREAM(FMA, T, MMM)
        STREAMS(F32), STREAMS(F64)
#undef STREAMS
#undef STREAM
    };
    static const uint16_t loading[][3] = {
        {TIRBI_L_FMA_F32_AAKK, TIRBI_L_FMA_F32_BBKK, TIRBI_L_STREAM_FMA_F32_MKK},
        {TIRBI_L_FMA_F64_AAKK, TIRBI_L_FMA_F64_BBKK, TIRBI_L_STREAM_FMA_F64_MKK}};
    const uint16_t(*rows)[3] = loads ? loading : streams;
    const size_t n = loads ? sizeof loading / sizeof *loading : sizeof streams / sizeof *streams;
    for (size_t i = 0; i < n; i++)
        if (form == rows[i][bank]) return rows[i][2];
    return 0;
}

void tirbi_lane_make_stream(lane_planner *p) {
    if (p->emitter->failed) return;
    tirbi_word *words = p->emitter->words + p->loop->full;
    const uint32_t n = p->emitter->n - p->loop->full;
    if (n != 2 && n != 3) return;
    const tirbi_word store = words[n - 1];
    tirbi_word form = words[n - 2];
    if (store.op < TIRBI_L_LAST_A || store.op > TIRBI_L_LAST_F64_B) return;
    const unsigned bank = (store.op - TIRBI_L_LAST_A) & 1u, stream = stream_form(form.op, bank, n == 3);
    if (stream == 0 || (n == 3 && words[0].op != TIRBI_L_LOAD_A + bank)) return;
    if (n == 3) form.a = words[0].b;
    form.op = (uint16_t)stream;
    words[0] = form;
    words[1] = store;
    p->emitter->n = p->loop->full + 2;
}
