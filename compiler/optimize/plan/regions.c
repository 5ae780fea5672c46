/* Regions: nests that become functions of their own, which several threads run. A chunk numbers the iterations of the
 * region's loop, and the elements of what it writes, from its own first one: while its schedule is made, the loop's
 * bounds and the places are those of a chunk. */
#include "compiler/optimize/threads/regions.h"

#include "compiler/optimize/plan/planner.h"
#include "compiler/optimize/rewriting/statements.h"

static tirbi_lvar *new_let(tirbi_scheduler *p, const char *name, int64_t lo, int64_t hi) {
    tirbi_lvar *var = tirbi_new_variable(p->pool, TIRBI_LVAR_LET, name, TIRB_I64, lo, hi, (tirbi_span){0});
    if (var) tirbi_live_set(p->pool, var, true);
    return var;
}

/* A variable that a chunk computes before all else; NULL when memory ran out. */
static tirbi_lvar *name_value(tirbi_scheduler *p, tirbi_region *r, const char *name, const tirbi_lx *value, int64_t lo,
                              int64_t hi) {
    tirbi_lvar *var = value ? new_let(p, name, lo, hi) : NULL;
    if (var) r->values[r->n_values++] = (tirbi_lane_uniform){.var = var, .value = value};
    return var;
}

/* What a place's buffer was before the elements got numbers of their own. */
typedef struct kept_place {
    const tirbi_lx *flat, *offset;
} kept_place;

static const tirbi_lx *from_part(tirbi_scheduler *p, const tirbi_lx *number, const tirbi_lx *first) {
    return tirbi_lx_sub(p->pool, number ? number : tirbi_lx_number(p->pool, 0), first);
}

/* The number of the first element of a root that a chunk writes. */
static const tirbi_lx *first_element(tirbi_scheduler *p, tirbi_region *r, const tirbi_region_root *root) {
    const tirbi_lx *way = tirbi_lx_mul(p->pool, tirbi_lx_var(p->pool, r->begin), root->stride);
    const tirbi_lx *first = tirbi_lx_add(p->pool, root->base, way);
    if (!first || first->kind == TIRBI_LX_VAR) return first;
    tirbi_lvar *var = name_value(p, r, "first", first, first->lo, first->hi);
    return tirbi_lx_var(p->pool, var);
}

/* Elements of a written root are numbered from its part's first one, by its places and by those that will be made in
 * its buffers. Places may stand in other statements too: the caller puts back what `kept` keeps. */
static void move_places(tirbi_scheduler *p, tirbi_region *r, kept_place *kept) {
    const tirbi_region_plan *plan = r->plan;
    for (uint32_t k = 0; k < plan->n_places; k++)
        kept[k] = (kept_place){plan->places[k]->flat, plan->places[k]->buffer->offset};
    for (uint32_t i = 0; i < plan->n_roots; i++) {
        const tirbi_region_root *root = &plan->roots[i];
        if (!root->written) continue;
        const tirbi_lx *first = first_element(p, r, root);
        if (!first) return;
        root->root->in_part = true;
        for (uint32_t k = 0; k < plan->n_places; k++) {
            tirbi_place *place = (tirbi_place *)(uintptr_t)plan->places[k];
            if (place->buffer->root != root->root) continue;
            place->flat = from_part(p, place->flat, first);
            if (place->buffer->offset == kept[k].offset) place->buffer->offset = from_part(p, kept[k].offset, first);
            r->places[r->n_places++] = (tirbi_moved_place){place, place->flat};
        }
    }
}

static void restore_places(const tirbi_region_plan *plan, const kept_place *kept) {
    for (uint32_t i = 0; i < plan->n_roots; i++) plan->roots[i].root->in_part = false;
    for (uint32_t k = 0; k < plan->n_places; k++) {
        tirbi_place *place = (tirbi_place *)(uintptr_t)plan->places[k];
        place->flat = kept[k].flat;
        place->buffer->offset = kept[k].offset;
    }
}

/* Makes the loop's bounds a chunk's, which `ranges` keeps. */
static bool enter_chunk(tirbi_scheduler *p, tirbi_region *r, tirbi_ranges *ranges, const tirbi_lvar *count) {
    tirbi_lvar *var = r->plan->loop;
    const tirbi_lvar was = *var;
    if (was.min->lo >= 0) var->below = tirbi_lx_add(p->pool, was.min, was.extent);
    var->min = tirbi_lx_add(p->pool, was.min, tirbi_lx_var(p->pool, r->begin));
    var->extent = tirbi_lx_var(p->pool, (tirbi_lvar *)(uintptr_t)count);
    ranges->items[0] = (tirbi_range){.var = var, .min = var->min, .extent = var->extent, .below = var->below};
    ranges->n = 1;
    return var->min && var->extent;
}

/* The nest, for the region's part of the values of its loop. */
static tirbi_sched *schedule_chunk(tirbi_scheduler *p, tirbi_region *r, tirbi_ranges *ranges, const tirbi_ls *loop) {
    tirbi_lvar *var = r->plan->loop, was = *var;
    kept_place *kept = TIRBI_NEW_ARRAY(p->pool->arena, kept_place, r->plan->n_places);
    r->begin = new_let(p, "begin", 0, var->extent->hi);
    r->end = new_let(p, "end", 0, INT64_MAX);
    const tirbi_lx *rounds = tirbi_lx_sub(p->pool, tirbi_lx_var(p->pool, r->end), tirbi_lx_var(p->pool, r->begin));
    tirbi_lvar *count = name_value(p, r, "count", rounds, 1, var->extent->hi);
    if (!count || !kept) return NULL;
    const tirbi_surroundings outer = p->in;
    p->in = (tirbi_surroundings){.serial = true, .notes = outer.notes};
    move_places(p, r, kept);
    tirbi_sched *node = enter_chunk(p, r, ranges, count) ? tirbi_schedule(p, loop) : NULL;
    *var = was;
    restore_places(r->plan, kept);
    p->in = outer;
    return node;
}

/* What begins inside has no value outside of the region, nor in it before its own. */
static void forget_inner(tirbi_scheduler *p, const tirbi_region_plan *plan) {
    for (uint32_t i = 0; i < plan->n_inner; i++) tirbi_live_set(p->pool, plan->inner[i], false);
}

static tirbi_sched *schedule_forked(tirbi_scheduler *p, const tirbi_region_plan *plan, const tirbi_ls *loop) {
    tirbi_arena *arena = p->pool->arena;
    tirbi_sched *node = tirbi_new_sched(p, TIRBI_S_REGION, loop, 1);
    tirbi_region *r = node ? TIRBI_NEW(arena, tirbi_region) : NULL;
    tirbi_ranges *ranges = r ? TIRBI_NEW(arena, tirbi_ranges) : NULL;
    if (!ranges) return NULL;
    ranges->items = TIRBI_NEW(arena, tirbi_range);
    r->values = TIRBI_NEW_ARRAY(arena, tirbi_lane_uniform, 1 + plan->n_roots);
    r->places = TIRBI_NEW_ARRAY(arena, tirbi_moved_place, plan->n_places);
    if (!ranges->items || !r->values || !r->places) return NULL;
    r->plan = plan;
    node->as.region = r;
    node->ranges = ranges;
    forget_inner(p, plan);
    node->items[0] = schedule_chunk(p, r, ranges, loop);
    forget_inner(p, plan);
    return node->items[0] ? node : NULL;
}

/* The nest as it is without a region, for when it has too little work. */
static tirbi_sched *schedule_small(tirbi_scheduler *p, const tirbi_ls *loop) {
    tirbi_notes *notes = p->in.notes;
    p->in.notes = NULL;
    tirbi_sched *node = tirbi_schedule_serial(p, loop);
    p->in.notes = notes;
    return node;
}

static const tirbi_region_plan *plan_region(tirbi_scheduler *p, const tirbi_ls *loop) {
    const char *why;
    const tirbi_region_plan *plan = tirbi_plan_region(p->pool, p->module, loop, tirbi_not_planned(p), &why);
    if (plan) {
        tirbi_note_loop(p->in.notes, plan->loop, loop->span, TIRB_FORM_REGION, "%s",
                        plan->worth ? "in chunks for several threads, where there is enough work for two"
                                    : "in chunks for several threads");
    } else if (loop->as.loop.parallel && why) {
        tirbi_note_loop(p->in.notes, loop->as.loop.var, loop->span, TIRB_FORM_SERIAL, "%s", why);
    }
    return plan;
}

tirbi_sched *tirbi_schedule_region(tirbi_scheduler *p, const tirbi_ls *loop) {
    if (p->in.serial || (tirbi_not_planned(p) & TIRB_PASS_REGIONS)) return NULL;
    const bool room = p->module->n_functions + p->n_regions < UINT16_MAX;
    const tirbi_region_plan *plan = room ? plan_region(p, loop) : NULL;
    if (!plan) return NULL;
    tirbi_sched *forked = schedule_forked(p, plan, loop);
    p->n_regions++;
    if (!plan->worth || !forked) return forked;
    tirbi_version *version = TIRBI_NEW(p->pool->arena, tirbi_version);
    tirbi_sched *node = version ? tirbi_new_sched(p, TIRBI_S_VERSION, loop, 2) : NULL;
    if (!node) return NULL;
    *version = (tirbi_version){.condition = plan->worth, .knows = TIRBI_KNOWN_IN_BOTH};
    version->mode[0] = version->mode[1] = p->function->aliases.mode;
    node->as.version = version;
    node->items[0] = forked;
    node->items[1] = schedule_small(p, loop);
    return node->items[1] ? node : NULL;
}
