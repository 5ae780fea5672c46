#include "compiler/optimize/schedule/schedule.h"

void tirbi_enter_ranges(const tirbi_ranges *ranges, tirbi_kept_ranges *kept) {
    for (uint32_t i = 0; ranges && i < ranges->n; i++) {
        const tirbi_range *range = &ranges->items[i];
        tirbi_lvar *var = range->var;
        kept->items[i] = (tirbi_range){.var = var, .min = var->min, .extent = var->extent, .below = var->below};
        var->min = range->min;
        var->extent = range->extent;
        var->below = range->below;
    }
}

void tirbi_leave_ranges(const tirbi_ranges *ranges, const tirbi_kept_ranges *kept) {
    for (uint32_t i = 0; ranges && i < ranges->n; i++) {
        const tirbi_range *range = &kept->items[i];
        range->var->min = range->min;
        range->var->extent = range->extent;
        range->var->below = range->below;
    }
}
