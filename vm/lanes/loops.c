#include "vm/lanes/loops.h"

void tirbi_lane_loops(const tirbi_word *word, uint8_t *const *pointers, size_t lanes) {
    const tirbi_word *const end = word + word->jump;
    /* Of equal parts: calls take as long for a few lanes. */
    const size_t parts = (lanes + word->a - 1) / word->a, part = ((lanes + parts - 1) / parts + 63) & ~(size_t)63;
    const size_t most = part < word->a ? part : word->a;
    for (size_t done = 0; done < lanes; done += most) {
        const size_t n = lanes - done < most ? lanes - done : most;
        for (const tirbi_word *loop = word + 1; loop < end; loop += 3) {
            uint8_t *at[4];
            for (unsigned i = 0; i < 4; i++) at[i] = pointers[loop->list[i]] + done * loop[1].list[i];
            loop[2].kernel(at[0], at[1], at[2], at[3], n);
        }
    }
}
