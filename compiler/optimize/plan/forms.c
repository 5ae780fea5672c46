/* What a loop is tried as until it is lanes: as it stands, in order, with other loops, in parts, over other elements.
 * The forms are tried in a fixed order, and the first one that is lanes is taken. */
#include "compiler/optimize/plan/planner.h"

#include "compiler/optimize/carried/behind.h"
#include "compiler/optimize/carried/extremes.h"
#include "compiler/optimize/carried/last.h"
#include "compiler/optimize/carried/overwritten.h"
#include "compiler/optimize/carried/packing.h"
#include "compiler/optimize/carried/place.h"
#include "compiler/optimize/carried/search.h"
#include "compiler/optimize/carried/still.h"
#include "compiler/optimize/cuts/distance.h"
#include "compiler/optimize/cuts/meetings.h"
#include "compiler/optimize/cuts/split.h"
#include "compiler/optimize/lanes/guard.h"
#include "compiler/optimize/nests/columns.h"
#include "compiler/optimize/rows/joined.h"
#include "compiler/optimize/rows/numbered.h"
#include "compiler/optimize/rows/ragged.h"
#include "compiler/optimize/rows/staged.h"
#include "compiler/optimize/transform/distribute.h"
#include "compiler/optimize/transform/numbers.h"
#include "compiler/optimize/whiles/until.h"

/* How often a loop may be taken for another one that reads less. */
enum { MAX_NAMED = 4 };

/* What a transformation made of a loop, which has been looked at as a region. */
static tirbi_sched *made(tirbi_scheduler *p, const char *step, const tirbi_ls *s) {
    return tirbi_sched_of(p, step, tirbi_schedule_serial(p, s));
}

/* Whether lanes name the elements that they store to. */
static bool scatters(const tirbi_lane_plan *plan) { return tirbi_lanes_do(plan, TIRB_OP_VSTOREX); }

/* Whether lanes compute where they read: what a clamp or a wrapped index makes of a row. */
static bool gathers(const tirbi_lane_plan *plan) { return tirbi_lanes_do(plan, TIRB_OP_VLOADX); }

/* Fewer iterations are not worth being lanes. */
enum { FEW = 8 };

/* Each split may triple the code. */
enum { MAX_SPLITS = 4 };

/* Entering parts takes as long as some hundred elements. */
enum { ENOUGH_FOR_PARTS = 512 };

/* Whether loops that are inside of each other may have so many rounds in all. */
static bool may_have_rounds(const tirbi_ls *loop, int64_t least) {
    for (; loop && least > 1; loop = tirbi_loop_inside(loop)) {
        const int64_t most = loop->as.loop.var->extent->hi;
        if (most > 0) least = (least - 1) / most + 1;
    }
    return least <= 1;
}

static const tirbi_ls *split_statements(tirbi_scheduler *p, const tirbi_ls *loop);

/* Whether a loop that is not lanes as it stands becomes some in one of the ways that are tried. */
static bool has_lanes(tirbi_scheduler *p, const tirbi_ls *loop) {
    tirbi_arranged blocks;
    return tirbi_has_lanes(p->pool, loop) || tirbi_has_lanes_in_order(p->pool, loop) ||
           tirbi_carry_elements(p->pool, loop) || tirbi_split_loop(p->pool, loop) ||
           (tirbi_block_by_distance(p->pool, loop, &blocks) && (!blocks.loop || has_lanes(p, blocks.loop))) ||
           split_statements(p, loop);
}

/* A loop that may be long in parts that are lanes, where the choice among its statements is decided by its bounds. */
static const tirbi_ls *split_statements(tirbi_scheduler *p, const tirbi_ls *loop) {
    if (p->in.splits >= MAX_SPLITS || !may_have_rounds(loop, ENOUGH_FOR_PARTS)) return NULL;
    const tirbi_ls *split = tirbi_split_statements(p->pool, loop);
    p->in.splits++;
    for (uint32_t i = 0; split && split->kind == TIRBI_LS_SEQ && i < split->as.seq.n; i++) {
        const tirbi_ls *part = split->as.seq.items[i];
        if (part->as.loop.var->extent->hi >= FEW && !has_lanes(p, part)) split = NULL;
    }
    p->in.splits--;
    return split;
}

/* Whether some innermost loop, which may be long, is in parts by itself. */
static bool has_split_rows(tirbi_scheduler *p, const tirbi_ls *s) {
    if (s->kind == TIRBI_LS_SEQ) {
        for (uint32_t i = 0; i < s->as.seq.n; i++)
            if (has_split_rows(p, s->as.seq.items[i])) return true;
        return false;
    }
    if (s->kind != TIRBI_LS_LOOP) return false;
    if (tirbi_has_kind(s->as.loop.body, TIRBI_KIND(LOOP))) return has_split_rows(p, s->as.loop.body);
    return split_statements(p, s);
}

/* Whether lanes compute where they read what rows inside of them, each in parts, read as it is. */
static bool gathers_from_rows(tirbi_scheduler *p, const tirbi_ls *loop, const tirbi_lane_plan *plan) {
    return p->in.splits < MAX_SPLITS && gathers(plan) && has_split_rows(p, loop->as.loop.body);
}

/* A loop that reads what stands still in it, as one that does not, if it is lanes then: of plain ones only, where it
 * has to be. */
static tirbi_sched *as_still(tirbi_scheduler *p, const tirbi_ls *loop, bool plain) {
    const bool may = !(tirbi_not_planned(p) & TIRB_PASS_SEQUENCES) && p->in.named < MAX_NAMED;
    const tirbi_ls *named = may ? tirbi_name_still_loads(p->pool, loop, false) : NULL, *inside = named;
    tirbi_nest nest;
    bool gains = false;
    for (uint32_t i = 0; i < MAX_NAMED && inside && !gains;
         i++) { /* loads by what has been loaded have names then, too */
        if (i > 0) inside = tirbi_name_still_loads(p->pool, inside, false);
        if (inside) inside = inside->as.seq.items[inside->as.seq.n - 1];
        gains = inside && (plain ? tirbi_has_lanes(p->pool, inside)
                                 : has_lanes(p, inside) || tirbi_choose_lanes(p, inside, &nest));
    }
    if (!named || !gains) return NULL;
    p->in.named++;
    tirbi_sched *node = made(p, "hoisting", named);
    p->in.named--;
    return node;
}

static tirbi_sched *in_versions(tirbi_scheduler *p, const char *step, const tirbi_arranged *choice,
                                const tirbi_ls *loop, uint32_t without);

/* A loop with extremes of floats that are no NaN ahead of it, if it is lanes then. */
static tirbi_sched *as_float_extremes(tirbi_scheduler *p, const tirbi_ls *loop) {
    tirbi_arranged choice = {.check = NULL};
    if (p->in.without & TIRBI_NOT_EXTREMES) return NULL;
    choice.stmt = tirbi_find_float_extremes(p->pool, loop, &choice.condition);
    if (!choice.stmt || !has_lanes(p, choice.stmt)) return NULL;
    return in_versions(p, "minima and maxima", &choice, loop, TIRBI_NOT_EXTREMES);
}

/* A loop whose lanes are not alike or depend on each other, as lanes that take turns where they must. */
static tirbi_sched *as_turns(tirbi_scheduler *p, const tirbi_ls *loop) {
    if (tirbi_not_planned(p) & TIRB_PASS_SEQUENCES) return NULL;
    const bool may_search = !(p->in.without & TIRBI_NOT_SEARCHED);
    tirbi_nest nest = {.n_outer = 0, .plan = tirbi_plan_in_order(p->pool, loop)};
    if (nest.plan && gathers_from_rows(p, loop, nest.plan)) return NULL;
    tirbi_sched *node = nest.plan && scatters(nest.plan) ? as_still(p, loop, true) : NULL;
    if (node) return node;
    if (nest.plan) return tirbi_sched_lanes(p, &nest);
    const tirbi_ls *carried = tirbi_carry_elements(p->pool, loop);
    if (carried) return made(p, "scalar replacement", carried);
    const tirbi_ls *last = tirbi_keep_last(p->pool, loop);
    if (last) {
        tirbi_note_loop(p->in.notes, loop->as.loop.var, loop->span, TIRB_FORM_SEARCHED,
                        "lanes look for the last iteration that sets something, from the end on");
        return made(p, "last value", last);
    }
    if (!may_search) return NULL;
    const tirbi_ls *held = tirbi_hold_elements(p->pool, loop);
    if (held) return made(p, "scalar replacement", held);
    const tirbi_ls *searched = tirbi_search_updates(p->pool, loop);
    if (!searched) searched = tirbi_search_elements(p->pool, loop);
    if (!searched) return as_float_extremes(p, loop);
    tirbi_note_loop(p->in.notes, loop->as.loop.var, loop->span, TIRB_FORM_SEARCHED,
                    "lanes look for the next iteration that changes something");
    return made(p, "speculative search", searched);
}

/* Rows of at least so many elements are searched one after the other where there are few rows; where there are many,
 * each has a lane unless rows are long, or their lanes have much to compute for each element. */
enum { LEAST_SEARCHED = 48, FEW_ROWS = 16, LONG_ROW = 768, LONG_ENOUGH = 128, MUCH = 7 };

/* When the rows of a loop are better searched than run in lanes; NULL: never. */
static const tirbi_lx *when_searched(tirbi_scheduler *p, const tirbi_ls *loop, const tirbi_ls *inner) {
    const tirbi_lx *rounds = inner->as.loop.var->extent, *rows = loop->as.loop.var->extent;
    tirbi_nest nest;
    bool plain = rounds->pure && !rounds->traps && rows->pure && !rows->traps && tirbi_is_available(p->pool, rounds);
    if (!plain || rounds->hi < LEAST_SEARCHED) return NULL;
    if (!tirbi_choose_lanes(p, loop, &nest)) nest.plan = tirbi_plan_in_order(p->pool, loop);
    if (!nest.plan) return NULL;
    uint32_t computed = 0;
    for (uint32_t i = 0; i < nest.plan->n_ops; i++) {
        uint8_t op = nest.plan->ops[i].op;
        computed += (tirbi_ops[op].flags & TIRBI_FLAG_ELEMENTWISE) && op != TIRB_OP_VMOV;
    }
    const tirbi_lx *far = tirbi_lx_with(p->pool, TIRB_OP_GE, rounds, computed >= MUCH ? LONG_ENOUGH : LONG_ROW);
    const tirbi_lx *few = tirbi_lx_with(p->pool, TIRB_OP_LE, rows, FEW_ROWS);
    return tirbi_lx_both(p->pool, TIRB_OP_AND, tirbi_lx_with(p->pool, TIRB_OP_GE, rounds, LEAST_SEARCHED),
                         tirbi_lx_both(p->pool, TIRB_OP_OR, few, far));
}

/* A loop around one that may be better searched than run in each lane of this one: both, where it is not known how long
 * that one is. */
static tirbi_sched *as_searched(tirbi_scheduler *p, const tirbi_ls *loop) {
    if ((tirbi_not_planned(p) & TIRB_PASS_SEQUENCES) || (p->in.without & TIRBI_NOT_SEARCHED)) return NULL;
    const tirbi_ls *inner = tirbi_find_searched(p->pool, loop);
    const tirbi_lx *searched = inner ? when_searched(p, loop, inner) : NULL;
    if (!searched || tirbi_lx_is_int(searched, 0)) return NULL;
    if (tirbi_lx_is_int(searched, 1)) return tirbi_schedule_in_order(p, loop);
    tirbi_version *version = TIRBI_NEW(p->pool->arena, tirbi_version);
    tirbi_sched *node = version ? tirbi_new_sched(p, TIRBI_S_VERSION, loop, 2) : NULL;
    if (!node) return NULL;
    *version = (tirbi_version){.condition = searched, .knows = TIRBI_KNOWN_IN_BOTH};
    version->mode[0] = version->mode[1] = p->function->aliases.mode;
    node->as.version = version;
    node->items[0] = tirbi_schedule_in_order(p, loop);
    tirbi_forget_declared(p, loop);
    const tirbi_surroundings outer = p->in;
    p->in.without |= TIRBI_NOT_SEARCHED;
    node->items[1] = tirbi_schedule(p, loop);
    p->in = outer;
    return node->items[0] && node->items[1] ? node : NULL;
}

/* A loop inside the loops in it, once what stands still in it has names; NULL where that does not make what is asked
 * for. */
static const tirbi_ls *move_named(tirbi_scheduler *p, const tirbi_ls *loop, tirbi_inwards as) {
    const tirbi_ls *named = tirbi_name_still_loads(p->pool, loop, true);
    if (!named) return tirbi_move_inwards(p->pool, loop, as);
    const tirbi_ls **nest = &named->as.seq.items[named->as.seq.n - 1];
    *nest = tirbi_move_inwards(p->pool, *nest, as);
    return *nest ? named : NULL;
}

/* Columns that are lanes along rows, and a row of few, of which several may follow each other. */
enum { LEAST_ALONG = 8, SHORT_ROW_OF_COLUMNS = 256 };

/* A loop that is lanes inside the loops in it, where it has iterations enough: only the run tells. */
static tirbi_sched *as_enough_columns(tirbi_scheduler *p, const tirbi_ls *loop, const tirbi_ls *columns) {
    const tirbi_lx *extent = loop->as.loop.var->extent;
    if ((p->in.without & TIRBI_NOT_COLUMNS) || !extent->pure || extent->traps || !tirbi_is_available(p->pool, extent))
        return NULL;
    const tirbi_lx *enough = tirbi_lx_with(p->pool, TIRB_OP_GE, extent, LEAST_ALONG);
    const tirbi_arranged choice = {.stmt = columns, .condition = enough};
    return enough ? in_versions(p, "interchange", &choice, loop, TIRBI_NOT_COLUMNS) : NULL;
}

/* A loop that is lanes once it is inside the loops in it, of `least` columns along rows, or around each statement for
 * itself. */
static tirbi_sched *as_many_columns(tirbi_scheduler *p, const tirbi_ls *loop, int64_t least) {
    if (tirbi_not_planned(p) & TIRB_PASS_INTERCHANGE) return NULL;
    const tirbi_lx *extent = loop->as.loop.var->extent;
    const tirbi_ls *columns =
        extent->lo >= TIRBI_LEAST_COLUMNS ? tirbi_move_inwards(p->pool, loop, TIRBI_INWARDS_UNIT) : NULL;
    if (columns) return made(p, "interchange", columns);
    /* Sums of rows that other loops choose. */
    columns = extent->hi >= least ? move_named(p, loop, TIRBI_INWARDS_ALONG) : NULL;
    if (columns && extent->lo >= least) return made(p, "interchange", columns);
    const tirbi_ls *parts = tirbi_take_apart(p->pool, loop);
    if (parts) return made(p, "distribution", parts);
    tirbi_sched *versions = columns ? as_enough_columns(p, loop, columns) : NULL;
    if (versions) return versions;
    columns = tirbi_join_columns(p->pool, loop, SHORT_ROW_OF_COLUMNS); /* few, in rows that follow each other */
    return columns ? as_many_columns(p, columns, TIRBI_LEAST_COLUMNS) : NULL;
}

static tirbi_sched *as_columns(tirbi_scheduler *p, const tirbi_ls *loop) {
    return as_many_columns(p, loop, LEAST_ALONG);
}

/* What the lanes of all innermost loops of a statement take, once what is alike in them is computed before; false where
 * some are no lanes. */
static bool add_work(tirbi_scheduler *p, const tirbi_ls *s, uint32_t *work) {
    if (s->kind == TIRBI_LS_SEQ) {
        for (uint32_t i = 0; i < s->as.seq.n; i++)
            if (!add_work(p, s->as.seq.items[i], work)) return false;
        return true;
    }
    if (s->kind != TIRBI_LS_LOOP) return s->kind == TIRBI_LS_SET;
    if (tirbi_has_kind(s->as.loop.body, TIRBI_KIND(LOOP))) return add_work(p, s->as.loop.body, work);
    const tirbi_ls *named = tirbi_name_still_loads(p->pool, s, false);
    tirbi_lane_plan *plan = tirbi_plan_in_order(p->pool, named ? named->as.seq.items[named->as.seq.n - 1] : s);
    if (plan) *work += tirbi_lane_work(plan);
    tirbi_drop_plan(p->pool, plan);
    return plan != NULL;
}

/* Whether `many` lanes that take `work` and have the rest computed once, before them, gain beside a row of `alone`, in
 * which each does all. Entering lanes and a scalar are counted in operations of a block of lanes. */
static bool computes_less(int64_t many, uint32_t work, const tirbi_lane_plan *alone) {
    enum { BLOCK = 16, ENTRY = 400, SCALAR = 2 };
    const int64_t row = alone->loops.var[0]->extent->hi, more = tirbi_lane_work(alone);
    if (row < 1 || row >= BLOCK || work >= more) return false;
    return more >= row * ((ENTRY + SCALAR * (more - work)) / many + work / BLOCK + 1);
}

/* Innermost loops behind what is alike in their iterations; those around them as they stand. */
static tirbi_sched *schedule_alike(tirbi_scheduler *p, const tirbi_ls *s) {
    const bool loop = s->kind == TIRBI_LS_LOOP;
    if (loop && !tirbi_has_kind(s->as.loop.body, TIRBI_KIND(LOOP))) {
        const tirbi_ls *named = tirbi_name_still_loads(p->pool, s, false);
        const uint32_t last = named ? named->as.seq.n - 1 : 0;
        const tirbi_ls *usual = tirbi_split_usual(p->pool, named ? named->as.seq.items[last] : s);
        if (named && usual) named->as.seq.items[last] = usual;
        return tirbi_schedule_serial(p, named ? named : usual ? usual : s);
    }
    if (!loop && s->kind != TIRBI_LS_SEQ) return tirbi_schedule_serial(p, s);
    tirbi_sched *node =
        loop ? tirbi_new_sched(p, TIRBI_S_LOOP, s, 1) : tirbi_new_sched(p, TIRBI_S_SEQ, NULL, s->as.seq.n);
    if (loop) {
        tirbi_note_loop(p->in.notes, s->as.loop.var, s->span, TIRB_FORM_OUTER,
                        "runs around a lane loop, in whose iterations much of what it computes is alike");
        tirbi_live_set(p->pool, s->as.loop.var, true);
    }
    for (uint32_t i = 0; node && i < node->n; i++) {
        node->items[i] = schedule_alike(p, loop ? s->as.loop.body : s->as.seq.items[i]);
        if (!node->items[i]) return NULL;
    }
    if (loop) tirbi_live_set(p->pool, s->as.loop.var, false);
    return node;
}

/* A nest whose rows are short lanes, which compute in each iteration of a loop around them what is alike in all of
 * these: that loop as lanes inside of all, behind what is alike. */
static tirbi_sched *as_alike(tirbi_scheduler *p, const tirbi_ls *loop) {
    if (tirbi_not_planned(p) & (TIRB_PASS_INTERCHANGE | TIRB_PASS_SEQUENCES)) return NULL;
    const int64_t many = loop->as.loop.var->extent->lo;
    const tirbi_ls *row = tirbi_loop_inside(loop), *moved = NULL;
    while (row && tirbi_loop_inside(row)) row = tirbi_loop_inside(row);
    tirbi_lane_plan *alone = row && many >= TIRBI_LEAST_COLUMNS ? tirbi_plan_in_order(p->pool, row) : NULL;
    uint32_t work = 0;
    if (alone && gathers(alone)) moved = move_named(p, loop, TIRBI_INWARDS_ANY);
    const bool gains = moved && add_work(p, moved, &work) && computes_less(many, work, alone);
    tirbi_drop_plan(p->pool, alone);
    return gains ? tirbi_sched_of(p, "interchange", schedule_alike(p, moved)) : NULL;
}

/* That statement, or the loop as it was, which is not planned in the form `without` again. */
static tirbi_sched *in_versions(tirbi_scheduler *p, const char *step, const tirbi_arranged *choice,
                                const tirbi_ls *loop, uint32_t without) {
    tirbi_version *version = TIRBI_NEW(p->pool->arena, tirbi_version);
    tirbi_sched *node = version ? tirbi_new_sched(p, TIRBI_S_VERSION, loop, 2) : NULL;
    if (!node) return NULL;
    const tirbi_surroundings outer = p->in;
    const tirbi_extents *positive = p->pool->positive;
    p->in.serial = true; /* the loop has been looked at as a region */
    version->condition = choice->condition;
    version->mode[0] = version->mode[1] = p->function->aliases.mode;
    node->step = step;
    node->as.version = version;
    if (choice->check) version->check = tirbi_schedule(p, choice->check);
    if (choice->positive.n > 0) p->pool->positive = &choice->positive;
    node->items[0] = tirbi_schedule(p, choice->stmt);
    p->pool->positive = positive;
    tirbi_forget_declared(p, loop);
    p->in.notes = NULL;
    p->in.without |= without;
    node->items[1] = tirbi_schedule(p, loop);
    p->in = outer;
    return node->items[0] && node->items[1] && (version->check || !choice->check) ? node : NULL;
}

static bool has_nest(tirbi_scheduler *p, const tirbi_ls *loop) {
    tirbi_nest nest;
    return tirbi_choose_lanes(p, loop, &nest);
}

static bool is_lanes(void *context, const tirbi_ls *loop) {
    tirbi_scheduler *p = context;
    return has_lanes(p, loop) || has_nest(p, loop);
}

/* A loop whose statements are lanes only without each other: all of them where it may fail, for the indices that are
 * checked one by one take longer in several loops; of `loops`, those that have some inside. Loops inside may be better
 * off together, else, for what they read of memory. */
static tirbi_sched *in_statements(tirbi_scheduler *p, const tirbi_ls *loop, bool loops) {
    const tirbi_joins joins = {.suits = is_lanes, .context = p};
    tirbi_distribution parts;
    if ((tirbi_not_planned(p) & TIRB_PASS_SEQUENCES) ||
        !tirbi_distribute_loop(p->pool, loop, loops, loops ? NULL : &joins, &parts))
        return NULL;
    const bool all = loops || !tirbi_cannot_fail(loop);
    bool gains = false, missed = false;
    for (uint32_t i = 0; i < parts.n && !(all ? missed : gains); i++) {
        if (loops && !tirbi_has_kind(parts.item[i]->as.loop.body, TIRBI_KIND(LOOP))) continue;
        const bool is_some = is_lanes(p, parts.item[i]);
        gains = gains || is_some;
        missed = missed || (all && !is_some);
    }
    if (!gains || missed) return NULL;
    tirbi_note_loop(p->in.notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT, "in loops for statements apart");
    tirbi_sched *node = tirbi_new_sched(p, TIRBI_S_SEQ, NULL, parts.n);
    for (uint32_t i = 0; node && i < parts.n; i++) {
        node->items[i] = tirbi_schedule_serial(p, parts.item[i]);
        if (!node->items[i]) return NULL;
    }
    if (node) node->step = "distribution";
    return node;
}

static tirbi_sched *as_separate(tirbi_scheduler *p, const tirbi_ls *loop) { return in_statements(p, loop, false); }

/* A loop whose statements are lanes without each other once what they all use, a number that each iteration computes,
 * is kept in memory. */
static tirbi_sched *as_kept_apart(tirbi_scheduler *p, const tirbi_ls *loop) {
    tirbi_arranged kept = {.stmt = NULL};
    tirbi_distribution parts;
    if ((tirbi_not_planned(p) & TIRB_PASS_SEQUENCES) || (p->in.without & TIRBI_NOT_KEPT) ||
        !tirbi_keep_numbers(p->pool, loop, &kept) ||
        !tirbi_distribute_loop(p->pool, kept.loop, false, NULL, &parts))
        return NULL;
    for (uint32_t i = 0; i < parts.n; i++)
        if (!is_lanes(p, parts.item[i])) return NULL;
    return kept.condition ? in_versions(p, "scalar expansion", &kept, loop, TIRBI_NOT_KEPT)
                          : made(p, "scalar expansion", kept.stmt);
}

/* A loop whose iterations never meet where sizes are what they mostly are: a step that is not 0, say; or only in one of
 * them, if those before it and behind it are lanes. */
static tirbi_sched *as_apart(tirbi_scheduler *p, const tirbi_ls *loop) {
    tirbi_apart lanes;
    bool gains = false;
    if ((tirbi_not_planned(p) & TIRB_PASS_SEQUENCES) || !tirbi_find_apart(p->pool, loop, &lanes) ||
        !tirbi_is_available(p->pool, lanes.asks))
        return NULL;
    if (lanes.all) { /* where blocks by the distance are not long enough, it is not beyond the loop either */
        if ((p->in.without & (TIRBI_NOT_APART | TIRBI_NOT_BLOCKED)) || !has_lanes(p, lanes.all)) return NULL;
        if (tirbi_lx_is_int(lanes.asks, 1)) return made(p, "independent iterations", lanes.all);
        tirbi_note_loop(p->in.notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT,
                        "where a test before it says that its iterations never meet");
        const tirbi_arranged choice = {.stmt = lanes.all, .condition = lanes.asks};
        return in_versions(p, "independent iterations", &choice, loop, TIRBI_NOT_APART);
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (!lanes.most[i] || lanes.most[i]->as.loop.var->extent->hi < FEW) continue;
        if (!has_lanes(p, lanes.most[i])) return NULL;
        gains = true;
    }
    if (!gains) return NULL;
    /* An iteration by itself takes as long as the lanes beside it where loops are in it. */
    tirbi_sched *apart = tirbi_has_kind(loop->as.loop.body, TIRBI_KIND(LOOP)) ? in_statements(p, loop, true) : NULL;
    if (apart) return apart;
    tirbi_note_loop(p->in.notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT,
                    lanes.crosses ? "where what goes up crosses what goes down"
                                  : "beside the iteration that others meet");
    return made(p, "index-set splitting", lanes.cut);
}

/* An arrangement of a loop that is taken where lanes gain by it. */
typedef struct arrangement {
    bool (*arrange)(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);
    uint32_t pass, without; /* that leave it out: of TIRB_PASS_*, of TIRBI_NOT_* */
    bool (*gains)(tirbi_scheduler *p, const tirbi_ls *loop); /* what is asked of the loop in it, where there is one */
    tirb_loop_form form;
    const char *step, *text;
} arrangement;

static bool has_lanes_in_order(tirbi_scheduler *p, const tirbi_ls *loop) {
    return tirbi_has_lanes_in_order(p->pool, loop);
}

enum { BY_NUMBER, FLAT, COLUMNS, BLOCKS, STAGED, LEFT, LAST_STORE, LAST_VALUE, PACKED, SKIPPED };

static const arrangement arrangements[] = {
    [BY_NUMBER] = {tirbi_number_rows, TIRB_PASS_SEQUENCES, TIRBI_NOT_NUMBERED, has_nest, TIRB_FORM_OPERAND,
                   "materialisation", "the numbers of rows that several indices choose are computed before"},
    [FLAT] = {tirbi_flatten_ranges, TIRB_PASS_SEQUENCES, TIRBI_NOT_FLAT, NULL, TIRB_FORM_SPLIT, "segments flattened",
              "the places of the ranges in it are lanes, where these follow each other"},
    [COLUMNS] = {tirbi_carry_columns, TIRB_PASS_INTERCHANGE, TIRBI_NOT_COLUMNS, NULL, TIRB_FORM_SPLIT, "interchange",
                 "in columns, where there are some and they are near each other"},
    [BLOCKS] = {tirbi_block_by_distance, TIRB_PASS_SEQUENCES, TIRBI_NOT_BLOCKED, has_lanes, TIRB_FORM_SPLIT,
                "strip-mining", "in blocks of as many iterations as lie between those that meet"},
    [STAGED] = {NULL, TIRB_PASS_FUSE, TIRBI_NOT_STAGED, NULL, TIRB_FORM_OPERAND, "materialisation",
                "what it reads by number or in columns is put together before, for a block of rows"},
    [LEFT] = {tirbi_search_end, TIRB_PASS_SEQUENCES, 0, has_lanes, TIRB_FORM_SEARCHED, "speculative search",
              "lanes look for the iteration that leaves it"},
    [LAST_STORE] = {tirbi_keep_last_store, TIRB_PASS_SEQUENCES, 0, has_lanes, TIRB_FORM_SPLIT, "peeling",
                    "and its last iteration, which alone stores to what stands still"},
    [LAST_VALUE] = {tirbi_carry_last, TIRB_PASS_SEQUENCES, 0, has_lanes_in_order, TIRB_FORM_SPLIT, "last value",
                    "with the number of the iteration that has set what others read"},
    [PACKED] = {tirbi_pack_elements, TIRB_PASS_SEQUENCES, 0, has_lanes_in_order, TIRB_FORM_SPLIT, "stream compaction",
                "what it keeps is put together before it is stored"},
    [SKIPPED] = {tirbi_skip_idle, TIRB_PASS_SEQUENCES, TIRBI_NOT_SKIPPED, NULL, TIRB_FORM_SEARCHED,
                 "speculative search", "lanes look for the next iteration that does something"},
};

static tirbi_sched *schedule_arranged(tirbi_scheduler *p, const tirbi_ls *loop, const arrangement *a,
                                      const tirbi_arranged *out) {
    const bool always = !out->check && (!out->condition || tirbi_lx_is_int(out->condition, 1));
    tirbi_notes *const notes = p->in.notes;
    tirbi_note_loop(notes, loop->as.loop.var, loop->span, a->form, "%s", a->text);
    if (!always) return in_versions(p, a->step, out, loop, a->without);
    if (a->form == TIRB_FORM_SEARCHED && !out->loop) p->in.notes = NULL; /* the search says all */
    tirbi_sched *node = made(p, a->step, out->stmt);
    p->in.notes = notes;
    return node;
}

static bool may_arrange(const tirbi_scheduler *p, const arrangement *a) {
    return !(tirbi_not_planned(p) & a->pass) && !(p->in.without & a->without);
}

static bool arrange(tirbi_scheduler *p, const tirbi_ls *loop, const arrangement *a, tirbi_arranged *out) {
    *out = (tirbi_arranged){.stmt = NULL};
    return may_arrange(p, a) && a->arrange(p->pool, loop, out) && (!a->gains || !out->loop || a->gains(p, out->loop));
}

static tirbi_sched *as_arranged(tirbi_scheduler *p, const tirbi_ls *loop, uint32_t which) {
    tirbi_arranged out;
    return arrange(p, loop, &arrangements[which], &out) ? schedule_arranged(p, loop, &arrangements[which], &out) : NULL;
}

static tirbi_sched *as_packed(tirbi_scheduler *p, const tirbi_ls *loop) {
    if (tirbi_not_planned(p) & TIRB_PASS_SEQUENCES) return NULL;
    const tirbi_ls *packed = tirbi_pack_by_elements(p->pool, loop);
    if (!packed) return NULL;
    tirbi_note_loop(p->in.notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT,
                    "what it keeps is put together before it is stored");
    return made(p, "stream compaction", packed);
}

/* Each may have the code of an iteration again. */
enum { MAX_BEHIND = 4 };

/* A loop that reads what was set in the iteration before, if it is lanes without that. */
static tirbi_sched *as_behind(tirbi_scheduler *p, const tirbi_ls *loop) {
    tirbi_arranged behind, further;
    if ((tirbi_not_planned(p) & TIRB_PASS_SEQUENCES) || p->in.behind >= MAX_BEHIND ||
        !tirbi_look_behind(p->pool, loop, &behind))
        return NULL;
    bool gains = has_lanes(p, behind.loop);
    uint32_t depth = p->in.behind + 1u;
    for (further = behind; !gains && depth < MAX_BEHIND && tirbi_look_behind(p->pool, further.loop, &further); depth++)
        gains = has_lanes(p, further.loop);
    if (!gains) return NULL;
    tirbi_note_loop(p->in.notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT,
                    "behind its first iteration, for which a variable was set before");
    p->in.behind++;
    tirbi_sched *node = made(p, "peeling", behind.stmt);
    p->in.behind--;
    return node;
}

/* Whether all loops of a statement, or those inside them, are lanes in one of the ways that are tried; counts them. */
static bool run_as_lanes(tirbi_scheduler *p, const tirbi_ls *s, uint32_t *n) {
    tirbi_nest nest;
    uint32_t inside = 0;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) {
            if (!run_as_lanes(p, s->as.seq.items[i], n)) return false;
        }
        return true;
    case TIRBI_LS_IF:
        return run_as_lanes(p, s->as.if_.then_case, n) &&
               (!s->as.if_.else_case || run_as_lanes(p, s->as.if_.else_case, n));
    case TIRBI_LS_LOOP:
        ++*n;
        return tirbi_choose_lanes(p, s, &nest) || has_lanes(p, s) ||
               (run_as_lanes(p, s->as.loop.body, &inside) && inside > 0);
    default:
        return true;
    }
}

/* A loop that is lanes where no buffer is empty of which some of its iterations read elements. */
static tirbi_sched *as_filled(tirbi_scheduler *p, const tirbi_ls *loop) {
    tirbi_extents extents;
    uint32_t n = 0;
    if ((tirbi_not_planned(p) & TIRB_PASS_SEQUENCES) || (p->in.without & TIRBI_NOT_FILLED) || p->pool->positive ||
        !tirbi_find_guarded_extents(loop, &extents) || run_as_lanes(p, loop, &n))
        return NULL;
    const tirbi_lx *filled = NULL;
    for (uint32_t i = 0; i < extents.n; i++) {
        const tirbi_lx *extent = extents.item[i];
        if (!extent->pure || extent->traps || !tirbi_is_available(p->pool, extent)) return NULL;
        const tirbi_lx *some = tirbi_lx_with(p->pool, TIRB_OP_GE, extent, 1);
        filled = tirbi_lx_and(p->pool, filled, some);
    }
    p->pool->positive = &extents;
    const bool gains = run_as_lanes(p, loop, &n);
    p->pool->positive = NULL;
    if (!gains || !filled) return NULL;
    tirbi_note_loop(p->in.notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT,
                    "or as it stands, where a buffer is empty that only some of its iterations read");
    const tirbi_arranged choice = {.stmt = loop, .condition = filled, .positive = extents};
    return in_versions(p, "empty buffers apart", &choice, loop, TIRBI_NOT_FILLED);
}

/* A nest that computes with rows by number or with columns, which are put next to each other before. */
static tirbi_sched *as_staged(tirbi_scheduler *p, const tirbi_ls *loop) {
    const arrangement *staged = &arrangements[STAGED];
    tirbi_arranged out = {.stmt = NULL};
    if (!may_arrange(p, staged) || !tirbi_stage_loads(p->pool, loop, tirbi_not_planned(p), &out)) return NULL;
    return schedule_arranged(p, loop, staged, &out);
}

enum { SHORT_ROW = 16, SHORT_TO_ENTER = 64 };

/* Whether the innermost loop's lanes, as far as it is some, need an order or name what they reach. */
static bool enters_rows(tirbi_scheduler *p, const tirbi_ls *inner) {
    return !tirbi_loop_inside(inner) && !tirbi_has_lanes(p->pool, inner);
}

/* Whether a nest's lanes are the elements of short rows, and compute where they read. */
static bool gathers_short_rows(const tirbi_nest *nest) {
    return gathers(nest->plan) && nest->plan->loops.var[0]->extent->hi <= SHORT_ROW;
}

/* Rows of a few elements that numbers choose, as lanes over the elements of all rows, which keep their order. `nest` is
 * what they are as they stand, or NULL: then each row is entered. */
static tirbi_sched *as_joined(tirbi_scheduler *p, const tirbi_ls *loop, const tirbi_nest *nest) {
    const tirbi_ls *inner = tirbi_loop_inside(loop);
    if ((tirbi_not_planned(p) & TIRB_PASS_SEQUENCES) || !inner ||
        !(nest ? gathers_short_rows(nest) : enters_rows(p, inner)))
        return NULL;
    const tirbi_ls *joined = tirbi_join_short_loops(p->pool, loop, nest ? SHORT_ROW : SHORT_TO_ENTER);
    tirbi_nest all = {.n_outer = 0};
    if (!joined) return NULL;
    if (!tirbi_loop_inside(joined))
        all.plan = tirbi_plan_in_order(p->pool, joined);
    else if (!tirbi_choose_lanes(p, joined, &all))
        return NULL;
    if (!all.plan || all.plan->loops.var[0]->extent->hi <= SHORT_ROW) return NULL;
    return tirbi_sched_of(p, "collapse", tirbi_sched_lanes(p, &all));
}

static tirbi_sched *as_short_rows(tirbi_scheduler *p, const tirbi_ls *loop) { return as_joined(p, loop, NULL); }
static tirbi_sched *as_named(tirbi_scheduler *p, const tirbi_ls *loop) { return as_still(p, loop, false); }

/* A loop that reads elements by number from a row of memory that it stores to elsewhere: where no other form reads them
 * as they are. */
static tirbi_sched *as_rows_apart(tirbi_scheduler *p, const tirbi_ls *loop) {
    if (tirbi_not_planned(p) & TIRB_PASS_SEQUENCES) return NULL;
    tirbi_nest nest = {.n_outer = 0};
    p->pool->rows_apart = true;
    nest.plan = tirbi_plan_in_order(p->pool, loop);
    p->pool->rows_apart = false;
    return nest.plan ? tirbi_sched_lanes(p, &nest) : NULL;
}

/* Whether a nest of loops around rows has such rows in the loop inside the outermost: each of its iterations has
 * numbers of its own. */
static bool is_numbered_inside(tirbi_scheduler *p, const tirbi_ls *loop) {
    const tirbi_ls *inner = tirbi_loop_inside(loop);
    tirbi_arranged out;
    return inner && arrange(p, inner, &arrangements[BY_NUMBER], &out);
}

/* A nest in parts where one of its conditions is decided by bounds that stand still in it, which may be loaded. */
static const tirbi_ls *split_at_bounds(tirbi_scheduler *p, const tirbi_ls *loop) {
    const tirbi_ls *split = tirbi_split_nest(p->pool, loop);
    const tirbi_ls *named = split ? NULL : tirbi_name_still_loads(p->pool, loop, true);
    if (!named) return split;
    const tirbi_ls **nest = &named->as.seq.items[named->as.seq.n - 1];
    *nest = tirbi_split_nest(p->pool, *nest);
    return *nest ? named : NULL;
}

/* Whether loops inside split so once the loops around them stand still: rows of a batch up to its length, of a matrix
 * up to its diagonal. */
static bool is_split_inside(tirbi_scheduler *p, const tirbi_ls *loop) {
    loop = tirbi_loop_inside(loop);
    for (; loop && may_have_rounds(loop, ENOUGH_FOR_PARTS); loop = tirbi_loop_inside(loop)) {
        if (split_at_bounds(p, loop)) return true;
    }
    return false;
}

/* Whether lanes of a nest choose between values by what may be alike for many of them. */
static bool decides(const tirbi_nest *nest) {
    return nest->plan->loops.n + nest->n_outer > 1 && tirbi_lanes_do(nest->plan, TIRB_OP_VSELECT);
}

/* A loop that is no lanes as it stands, in another form that is: the first of these, which are functions or
 * arrangements. */
static tirbi_sched *in_another_form(tirbi_scheduler *p, const tirbi_ls *loop) {
    static const struct {
        tirbi_sched *(*as)(tirbi_scheduler *, const tirbi_ls *);
        uint32_t arranged;
    } forms[] = {{NULL, BY_NUMBER},  {NULL, FLAT},       {NULL, COLUMNS},    {as_columns, 0},
                 {as_alike, 0},      {as_turns, 0},      {as_short_rows, 0}, {as_named, 0},
                 {NULL, BLOCKS},     {as_apart, 0},      {as_separate, 0},   {as_kept_apart, 0}, {as_behind, 0},
                 {NULL, LEFT},       {NULL, LAST_STORE}, {NULL, LAST_VALUE}, {NULL, PACKED},
                 {as_packed, 0},      {NULL, SKIPPED},    {as_rows_apart, 0}};
    tirbi_sched *node = NULL;
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms) && !node; i++)
        node = forms[i].as ? forms[i].as(p, loop) : as_arranged(p, loop, forms[i].arranged);
    return node;
}

/* A loop whose nest has lanes as it stands; NULL: those of a loop inside it are better. */
static tirbi_sched *as_it_stands(tirbi_scheduler *p, const tirbi_ls *loop, const tirbi_nest *nest) {
    tirbi_sched *node = as_joined(p, loop, nest);
    if (!node) node = as_arranged(p, loop, BY_NUMBER);
    if (node || (nest->n_outer > 1 && is_numbered_inside(p, loop))) return node;
    node = as_staged(p, loop);
    return node ? node : tirbi_sched_lanes(p, nest);
}

/* In parts, so that a condition is decided at once in each. */
static tirbi_sched *in_parts(tirbi_scheduler *p, const tirbi_ls *loop, const tirbi_ls *split) {
    tirbi_note_loop(p->in.notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT,
                    "in parts, so that each decides its condition at once");
    p->in.splits++;
    tirbi_sched *node = tirbi_sched_of(p, "index-set splitting", tirbi_schedule(p, split));
    p->in.splits--;
    return node;
}

static tirbi_sched *as_lanes(tirbi_scheduler *p, const tirbi_ls *loop) {
    tirbi_nest nest;
    tirbi_sched *node = as_searched(p, loop);
    if (!node) node = as_filled(p, loop);
    if (node) return node;
    bool lanes = tirbi_choose_lanes(p, loop, &nest), reorders = !(tirbi_not_planned(p) & TIRB_PASS_INTERCHANGE);
    /* Where a condition keeps loops outside of the lane loop, which is entered anew in each of their iterations, its
     * parts may have them inside; and its parts may read rows as they are. */
    const tirbi_ls *split = NULL;
    if (p->in.splits < MAX_SPLITS && (!lanes || nest.n_outer > 0 || gathers(nest.plan))) {
        if (reorders) split = tirbi_split_nest(p->pool, loop);
        if (!split && !lanes && reorders) split = tirbi_split_at_meetings(p->pool, loop);
        if (!split && !lanes) split = tirbi_split_loop(p->pool, loop);
        if (!split) split = split_statements(p, loop);
    }
    if (!split && lanes && reorders && p->in.splits < MAX_SPLITS && decides(&nest) &&
        may_have_rounds(loop, ENOUGH_FOR_PARTS)) {
        split = split_at_bounds(p, loop);
        if (!split && (is_split_inside(p, loop) || gathers_from_rows(p, loop, nest.plan))) return NULL;
    }
    if (split) return in_parts(p, loop, split);
    return lanes ? as_it_stands(p, loop, &nest) : in_another_form(p, loop);
}

/* Whether a number is computed at run time from more than sizes and the loops around: it may be anything each time. */
static bool is_computed(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_VAR && (x->var->kind == TIRBI_LVAR_LET || x->var->kind == TIRBI_LVAR_LOCAL);
}

static bool is_counter(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOOP;
}

/* Whether it doubles, or is divided, from iteration to iteration: then it is small in many of them. */
static bool jumps(const void *context, const tirbi_lx *x) {
    (void)context;
    const bool shifts = x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_SHL || x->op == TIRB_OP_SHR);
    return shifts && tirbi_any_expr(x->args[1], 0, is_counter, NULL);
}

/* Whether a loop of the program (or what was a while loop of it, which alone says below what it stays) that is come to
 * again and again has a few iterations as often as not, or none: the elements of a row that others number, of a run, a
 * list. */
static bool may_be_short(const tirbi_scheduler *p, const tirbi_ls *loop) {
    const tirbi_lvar *var = loop->as.loop.var;
    const tirbi_lx *extent = var->extent;
    if (!p->in.again || (var->level == 0 && !var->below) || (p->in.without & TIRBI_NOT_SHORT) ||
        (tirbi_not_planned(p) & TIRB_PASS_SEQUENCES))
        return false;
    return extent->pure && !extent->traps &&
           (tirbi_any_expr(extent, 0, jumps, NULL) ||
            (extent->lo < 1 && tirbi_any_expr(extent, 0, is_computed, NULL))) &&
           tirbi_is_available(p->pool, extent) && tirbi_is_made_of(loop->as.loop.body, TIRBI_STRAIGHT);
}

/* The operations of the first lane loop in a schedule; 0: there is none. */
static uint32_t operations(const tirbi_sched *node) {
    uint32_t n = node->kind == TIRBI_S_LEAF && node->as.leaf->nest.plan ? node->as.leaf->nest.plan->n_ops : 0;
    for (uint32_t i = 0; i < node->n && n == 0; i++)
        if (node->items[i]) n = operations(node->items[i]);
    return n;
}

/* How many iterations take as long one by one as entering lanes with so many operations: that takes as long as some
 * instructions of the scalar machine, and as some more for each operation. */
static int64_t enough_for_lanes(uint32_t n_operations) {
    enum { ENTRY = 28, OPERATION = 4 };
    return (ENTRY + OPERATION * (int64_t)n_operations) / (n_operations + 1);
}

/* Lanes of a loop where it has enough iterations for them, which else run one by one. */
static tirbi_sched *unless_short(tirbi_scheduler *p, const tirbi_ls *loop, tirbi_sched *lanes) {
    const tirbi_lx *extent = loop->as.loop.var->extent;
    const uint32_t n = operations(lanes);
    const int64_t enough = enough_for_lanes(n);
    if (n == 0 || extent->hi < enough) return lanes;
    tirbi_version *version = TIRBI_NEW(p->pool->arena, tirbi_version);
    tirbi_sched *node = version ? tirbi_new_sched(p, TIRBI_S_VERSION, loop, 2) : NULL;
    if (!node) return NULL;
    *version = (tirbi_version){.condition = tirbi_lx_with(p->pool, TIRB_OP_GE, extent, enough)};
    version->mode[0] = version->mode[1] = p->function->aliases.mode;
    node->step = "short loops";
    node->as.version = version;
    node->items[0] = lanes;
    tirbi_forget_declared(p, loop);
    tirbi_notes *const notes = p->in.notes;
    p->in.notes = NULL;
    node->items[1] = tirbi_schedule_in_order(p, loop);
    p->in.notes = notes;
    return node->items[1] ? node : NULL;
}

tirbi_sched *tirbi_schedule_lanes(tirbi_scheduler *p, const tirbi_ls *loop) {
    if (tirbi_not_planned(p) & TIRB_PASS_LANES) return NULL;
    if (!may_be_short(p, loop)) return as_lanes(p, loop);
    p->in.without |= TIRBI_NOT_SHORT;
    tirbi_sched *lanes = as_lanes(p, loop);
    p->in.without &= ~(uint32_t)TIRBI_NOT_SHORT;
    return lanes ? unless_short(p, loop, lanes) : NULL;
}
