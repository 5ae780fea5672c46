/* Which of several handlers of a form a body's words have.
 *
 * A processor foresees best where a jump leads that always leads there. The jump at the end of a handler leads now here
 * and now there in a body that has its form several times, and what is foreseen wrongly takes as long as some forms do:
 * so the forms that bodies have most often have three handlers, which their words take in turn. With as many, nearly
 * all is foreseen that would be if each word had its own. */
#include "vm/lanes/forms.h"
#include "vm/translate/lane_plan.h"

/* Of a body with more words, the first ones: no processor keeps more jumps in mind. */
enum { HANDLERS = 3, MOST_WORDS = 512 };

/* By form: its other handlers, or 0. Where all go on by one jump, there are none. */
static const uint16_t others[TIRBI_N_LANE_HANDLERS][HANDLERS - 1] = {
#ifndef TIRB_SWITCH_DISPATCH
#define LANE_AGAIN(name, N) [TIRBI_L_##name][(N)-2] = TIRBI_L_##name##_##N,
#define LANE_BINARY_AGAIN(OP, T, D, X, Y, N)                                                                           \
    [TIRBI_L_##OP##_##T##_##D##X##Y][(N)-2] = TIRBI_L_##OP##_##T##_##D##X##Y##_##N,
#define LANE_FUSED_AGAIN(OP, T, D, X, Y, Z, N)                                                                         \
    [TIRBI_L_##OP##_##T##_##D##X##Y##Z][(N)-2] = TIRBI_L_##OP##_##T##_##D##X##Y##Z##_##N,
#include "vm/lanes/forms.def"
#endif
    [TIRBI_L_NEXT_BLOCK] = {0}};

static bool ends(const tirbi_word *body, const tirbi_word *word) {
    return word->op == TIRBI_L_NEXT_BLOCK || word->op == TIRBI_L_FINISH || word - body >= MOST_WORDS;
}

/* All bodies begin with the first handlers: what is the same in two of them is so in the processor's eyes. */
void tirbi_lane_take_turns(lane_planner *p, uint32_t from) {
    uint8_t *const turns = p->turns;
    if (p->emitter->failed) return;
    const tirbi_word *const body = &p->emitter->all.words[from];
    for (const tirbi_word *word = body; !ends(body, word); word += tirbi_lane_words_of(word)) turns[word->op] = 0;
    tirbi_word *word = &p->emitter->all.words[from];
    for (uint32_t words; !ends(body, word); word += words) {
        words = tirbi_lane_words_of(word);
        if (others[word->op][0] == 0) continue;
        const unsigned other = turns[word->op];
        turns[word->op] = (uint8_t)((other + 1) % HANDLERS);
        if (other > 0) word->op = others[word->op][other - 1];
    }
    p->emitter->heap->work += (uint32_t)(word - body) / TIRBI_WORDS_AT_ONCE;
}
