/* What a loop is tried as until it is lanes: as it stands, in order, with other loops, in parts, over other elements.
 * The forms are tried in a fixed order, and the first one that is lanes is emitted. */
#include "compiler/emit/emit.h"

#include "compiler/optimize/carried/behind.h"
#include "compiler/optimize/carried/extremes.h"
#include "compiler/optimize/carried/last.h"
#include "compiler/optimize/carried/overwritten.h"
#include "compiler/optimize/carried/packing.h"
#include "compiler/optimize/carried/place.h"
#include "compiler/optimize/carried/sampled.h"
#include "compiler/optimize/carried/search.h"
#include "compiler/optimize/carried/still.h"
#include "compiler/optimize/carried/targets.h"
#include "compiler/optimize/cuts/crossing.h"
#include "compiler/optimize/cuts/diagonal.h"
#include "compiler/optimize/cuts/distance.h"
#include "compiler/optimize/cuts/meetings.h"
#include "compiler/optimize/cuts/split.h"
#include "compiler/optimize/cuts/wrapped.h"
#include "compiler/optimize/facts/live.h"
#include "compiler/optimize/lanes/guard.h"
#include "compiler/optimize/nests/columns.h"
#include "compiler/optimize/nests/separate.h"
#include "compiler/optimize/rows/joined.h"
#include "compiler/optimize/rows/numbered.h"
#include "compiler/optimize/rows/ragged.h"
#include "compiler/optimize/rows/staged.h"
#include "compiler/optimize/whiles/until.h"

/* How often a loop may be taken for another one that reads less. */
enum { MAX_NAMED = 4 };

static void put_serial(tirbi_emitter *e, const tirbi_ls *s) {
    bool serial = e->serial;
    e->serial = true; /* the loop has been looked at as a region */
    tirbi_put_stmt(e, s);
    e->serial = serial;
}

/* A loop that has least and greatest values in place of conditions, if it is lanes then. */
static bool put_extremes(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_nest nest = {.n_outer = 0, .plan = tirbi_plan_lanes(e->pool, loop)};
    if (!nest.plan) nest.plan = tirbi_plan_in_order(e->pool, loop);
    if (nest.plan) {
        tirbi_put_nest(e, &nest);
        return true;
    }
    const tirbi_ls *carried = tirbi_carry_elements(e->pool, loop);
    if (!carried) carried = tirbi_split_loop(e->pool, loop);
    if (carried) put_serial(e, carried);
    return carried != NULL;
}

/* Whether lanes name the elements that they store to. */
static bool scatters(const tirbi_lane_plan *plan) {
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        if (plan->ops[i].op == TIRB_OP_VSTOREX) return true;
    }
    return false;
}

/* Whether a loop that is not lanes as it stands becomes some in one of the ways that are tried. */
static bool has_lanes(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_blocks blocks;
    if (tirbi_has_lanes(e->pool, loop) || tirbi_has_lanes_in_order(e->pool, loop) ||
        tirbi_carry_elements(e->pool, loop) || tirbi_split_loop(e->pool, loop) ||
        tirbi_block_by_distance(e->pool, loop, &blocks)) {
        return true;
    }
    const tirbi_ls *extremes = tirbi_find_extremes(e->pool, loop);
    return extremes && has_lanes(e, extremes);
}

/* A loop that reads what stands still in it, as one that does not, if it is lanes then: of plain ones only, where it
 * has to be. */
static bool put_still(tirbi_emitter *e, const tirbi_ls *loop, bool plain) {
    const bool may = !(tirbi_disabled(e) & TIRB_PASS_SEQUENCES) && e->named < MAX_NAMED;
    const tirbi_ls *named = may ? tirbi_name_still_loads(e->pool, loop, false) : NULL, *inside = named;
    tirbi_nest nest;
    bool gains = false;
    for (uint32_t i = 0; i < MAX_NAMED && inside && !gains;
         i++) { /* loads by what has been loaded have names then, too */
        if (i > 0) inside = tirbi_name_still_loads(e->pool, inside, false);
        if (inside) inside = inside->as.seq.items[inside->as.seq.n - 1];
        gains = inside && (plain ? tirbi_has_lanes(e->pool, inside)
                                 : has_lanes(e, inside) || tirbi_choose_lanes(e, inside, &nest));
    }
    if (!named || !gains) return false;
    e->named++;
    put_serial(e, named);
    e->named--;
    return true;
}

/* A loop whose lanes are not alike or depend on each other, as lanes that take turns where they must. */
static bool put_in_order(tirbi_emitter *e, const tirbi_ls *loop) {
    if (tirbi_disabled(e) & TIRB_PASS_SEQUENCES) return false;
    tirbi_nest nest = {.n_outer = 0, .plan = tirbi_plan_in_order(e->pool, loop)};
    if (nest.plan && scatters(nest.plan) && put_still(e, loop, true)) return true;
    if (nest.plan) {
        tirbi_put_nest(e, &nest);
        return true;
    }
    const tirbi_ls *carried = tirbi_carry_elements(e->pool, loop);
    const tirbi_ls *last = carried ? NULL : tirbi_keep_last(e->pool, loop);
    if (last) {
        put_serial(e, last);
        return true;
    }
    const tirbi_ls *extremes = carried ? NULL : tirbi_find_extremes(e->pool, loop);
    if (extremes && put_extremes(e, extremes)) return true;
    const tirbi_ls *held = carried || e->unsearched > 0 ? NULL : tirbi_hold_elements(e->pool, loop);
    if (held) {
        put_serial(e, held);
        return true;
    }
    if (!carried && e->unsearched == 0) {
        carried = tirbi_search_updates(e->pool, loop);
        if (!carried) carried = tirbi_search_elements(e->pool, loop);
        if (carried) tirbi_note_loop(e->notes, loop->as.loop.var, loop->span, TIRB_FORM_SEARCHED,
                                     "lanes look for the next iteration that changes something");
    }
    if (carried) put_serial(e, carried);
    return carried != NULL;
}

void tirbi_put_search(tirbi_emitter *e, const tirbi_ls *search) {
    tirbi_lvar *found = search->as.search.found;
    tirbi_lane_plan *plan = tirbi_plan_search(e->pool, search);
    if (!plan) {
        e->failed = e->failed || !e->arena->failed;
        return;
    }
    if (tirbi_reg_of(e, found) < 0) tirbi_set_reg(e, found, tirbi_new_sreg(e));
    /* A lane loop of no lanes leaves the register as it is. */
    if (search->as.search.var->extent->lo < 1) TIRBI_PUT(e, TIRB_OP_CONST, TIRB_I64, tirbi_reg_of(e, found), 0);
    tirbi_put_lane_plan(e, plan);
    tirbi_forget(e, found);
}

/* Rows of at least so many elements are searched one after the other where there are few rows; where there are many,
 * each has a lane unless rows are long, or their lanes have much to compute for each element. */
enum { LEAST_SEARCHED = 48, FEW_ROWS = 16, LONG_ROW = 768, LONG_ENOUGH = 128, MUCH = 7 };

static const tirbi_lx *compare(tirbi_emitter *e, tirbi_op op, const tirbi_lx *x, int64_t with) {
    return tirbi_lx_op(e->pool, op, TIRB_I64, TIRB_TYPE_NONE, x, tirbi_lx_int(e->pool, TIRB_I64, with), NULL);
}

/* When the rows of a loop are better searched than run in lanes; NULL: never. */
static const tirbi_lx *when_searched(tirbi_emitter *e, const tirbi_ls *loop, const tirbi_ls *inner) {
    const tirbi_lx *rounds = inner->as.loop.var->extent, *rows = loop->as.loop.var->extent;
    tirbi_nest nest;
    bool plain = rounds->pure && !rounds->traps && rows->pure && !rows->traps && tirbi_is_available(e->pool, rounds);
    if (!plain || rounds->hi < LEAST_SEARCHED) return NULL;
    if (!tirbi_choose_lanes(e, loop, &nest)) nest.plan = tirbi_plan_in_order(e->pool, loop);
    if (!nest.plan) return NULL;
    uint32_t computed = 0;
    for (uint32_t i = 0; i < nest.plan->n_ops; i++) {
        uint8_t op = nest.plan->ops[i].op;
        computed += (tirbi_ops[op].flags & TIRBI_FLAG_ELEMENTWISE) && op != TIRB_OP_VMOV;
    }
    const tirbi_lx *far = compare(e, TIRB_OP_GE, rounds, computed >= MUCH ? LONG_ENOUGH : LONG_ROW);
    const tirbi_lx *few = compare(e, TIRB_OP_LE, rows, FEW_ROWS);
    return tirbi_lx_op(e->pool, TIRB_OP_AND, TIRB_BOOL, TIRB_TYPE_NONE, compare(e, TIRB_OP_GE, rounds, LEAST_SEARCHED),
                       tirbi_lx_op(e->pool, TIRB_OP_OR, TIRB_BOOL, TIRB_TYPE_NONE, few, far, NULL), NULL);
}

/* A loop around one that may be better searched than run in each lane of this one: both, where it is not known how long
 * that one is. */
static bool put_searched(tirbi_emitter *e, const tirbi_ls *loop) {
    if ((tirbi_disabled(e) & TIRB_PASS_SEQUENCES) || e->unsearched > 0) return false;
    const tirbi_ls *inner = tirbi_find_searched(e->pool, loop);
    const tirbi_lx *searched = inner ? when_searched(e, loop, inner) : NULL;
    if (!searched || tirbi_lx_is_int(searched, 0)) return false;
    if (tirbi_lx_is_int(searched, 1)) {
        tirbi_put_loop_in_order(e, loop);
        return true;
    }
    tirbi_patch_list small = {0}, end = {0};
    tirbi_put_branch_unless(e, searched, &small);
    tirbi_scope scope = tirbi_scope_open(e);
    tirbi_put_loop_in_order(e, loop);
    tirbi_scope_close(e, scope);
    tirbi_put_jump(e, TIRB_OP_JMP, 0, &end);
    tirbi_land(e, &small);
    tirbi_forget_registers(e, loop);
    scope = tirbi_scope_open(e);
    e->unsearched++;
    tirbi_put_stmt(e, loop);
    e->unsearched--;
    tirbi_scope_close(e, scope);
    tirbi_land(e, &end);
    return true;
}

/* A loop along rows, inside the loops in it that choose the rows, once its sums are in elements and their bounds have
 * names; NULL where that makes no lanes along them. */
static const tirbi_ls *sums_of_rows(tirbi_emitter *e, const tirbi_ls *loop) {
    if (loop->as.loop.var->extent->lo < TIRBI_LEAST_COLUMNS) return NULL;
    const tirbi_ls *kept = tirbi_keep_in_targets(e->pool, loop);
    const tirbi_ls *named = tirbi_name_still_loads(e->pool, kept ? kept : loop, true);
    if (!named) return kept ? tirbi_move_inwards(e->pool, kept, true) : NULL;
    const tirbi_ls **nest = &named->as.seq.items[named->as.seq.n - 1];
    *nest = tirbi_move_inwards(e->pool, *nest, true);
    return *nest ? named : NULL;
}

/* A loop that is lanes once it is inside the loops in it, or around each statement for itself. */
static bool put_columns(tirbi_emitter *e, const tirbi_ls *loop) {
    if (tirbi_disabled(e) & TIRB_PASS_INTERCHANGE) return false;
    const tirbi_ls *columns = tirbi_carry_columns(e->pool, loop);
    if (!columns) columns = tirbi_move_inwards(e->pool, loop, false);
    if (!columns) columns = sums_of_rows(e, loop);
    if (!columns) columns = tirbi_take_apart(e->pool, loop);
    if (!columns) return false;
    put_serial(e, columns);
    return true;
}

/* A statement that does what a loop does where a condition holds, which `check` finds out. */
typedef struct either {
    const tirbi_ls *check; /* or NULL */
    const tirbi_lx *condition;
    const tirbi_ls *stmt;
    const tirbi_extents *positive; /* where it holds; NULL: as before */
} either;

/* That statement, or the loop as it was: `again` counts that it is emitted a second time. */
static void put_either(tirbi_emitter *e, const either *choice, const tirbi_ls *loop, uint32_t *again) {
    bool serial = e->serial;
    e->serial = true; /* the loop has been looked at as a region */
    tirbi_patch_list otherwise = {0}, end = {0};
    tirbi_scope scope = tirbi_scope_open(e);
    if (choice->check) tirbi_put_stmt(e, choice->check);
    tirbi_put_branch_unless(e, choice->condition, &otherwise);
    const tirbi_extents *positive = e->pool->positive;
    if (choice->positive) e->pool->positive = choice->positive;
    tirbi_put_stmt(e, choice->stmt);
    e->pool->positive = positive;
    tirbi_scope_close(e, scope);
    tirbi_put_jump(e, TIRB_OP_JMP, 0, &end);
    tirbi_land(e, &otherwise);
    tirbi_forget_registers(e, loop);
    scope = tirbi_scope_open(e);
    tirbi_notes *notes = e->notes;
    e->notes = NULL;
    (*again)++;
    tirbi_put_stmt(e, loop);
    (*again)--;
    e->notes = notes;
    tirbi_scope_close(e, scope);
    tirbi_land(e, &end);
    e->serial = serial;
}

/* A loop around short ranges that follow each other: their places are lanes. Where they do not, it is the loop that it
 * was. */
static bool put_flat(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_ragged flat;
    if ((tirbi_disabled(e) & TIRB_PASS_SEQUENCES) || e->unflattened > 0 ||
        !tirbi_flatten_ranges(e->pool, loop, &flat))
        return false;
    tirbi_note_loop(e->notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT,
                    "the places of the ranges in it are lanes, where these follow each other");
    put_either(e, &(either){flat.check, flat.condition, flat.stmt, NULL}, loop, &e->unflattened);
    return true;
}

/* A loop that reads what it has stored some iterations ago, so many at a time. */
static bool put_blocks(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_blocks blocks;
    if ((tirbi_disabled(e) & TIRB_PASS_SEQUENCES) || e->unblocked > 0 ||
        !tirbi_block_by_distance(e->pool, loop, &blocks))
        return false;
    tirbi_note_loop(e->notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT,
                    "in blocks of as many iterations as lie between those that meet");
    if (tirbi_lx_is_int(blocks.condition, 1)) put_serial(e, blocks.stmt);
    else put_either(e, &(either){NULL, blocks.condition, blocks.stmt, NULL}, loop, &e->unblocked);
    return true;
}

/* Other arrangements of a loop, which are taken where its most is lanes then: those that need no order, or any. */
static const struct {
    bool (*arrange)(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);
    bool in_order;
    tirb_loop_form form;
    const char *text;
} arrangements[] = {
    {tirbi_search_end, false, TIRB_FORM_SEARCHED, "lanes look for the iteration that leaves it"},
    {tirbi_keep_last_store, false, TIRB_FORM_SPLIT,
     "and its last iteration, which alone stores to what stands still"},
    {tirbi_carry_last, true, TIRB_FORM_SPLIT, "with the number of the iteration that has set what others read"},
    {tirbi_pack_elements, true, TIRB_FORM_SPLIT, "what it keeps is put together before it is stored"},
};

static bool put_arranged(tirbi_emitter *e, const tirbi_ls *loop) {
    if (tirbi_disabled(e) & TIRB_PASS_SEQUENCES) return false;
    for (size_t i = 0; i < sizeof(arrangements) / sizeof(*arrangements); i++) {
        tirbi_arranged out = {.loop = NULL};
        if (!arrangements[i].arrange(e->pool, loop, &out)) continue;
        if (arrangements[i].in_order ? !tirbi_has_lanes_in_order(e->pool, out.loop) : !has_lanes(e, out.loop)) continue;
        tirbi_note_loop(e->notes, loop->as.loop.var, loop->span, arrangements[i].form, "%s", arrangements[i].text);
        put_serial(e, out.stmt);
        return true;
    }
    const tirbi_ls *packed = tirbi_pack_by_elements(e->pool, loop);
    if (!packed) return false;
    tirbi_note_loop(e->notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT,
                    "what it keeps is put together before it is stored");
    put_serial(e, packed);
    return true;
}

/* A loop whose iterations only meet where a place that goes up crosses one that goes down. */
static bool put_crossing(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_crossing crossing;
    if ((tirbi_disabled(e) & TIRB_PASS_SEQUENCES) || !tirbi_split_at_crossing(e->pool, loop, &crossing) ||
        !has_lanes(e, crossing.before) || !has_lanes(e, crossing.behind))
        return false;
    tirbi_note_loop(e->notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT,
                    "where what goes up crosses what goes down");
    put_serial(e, crossing.stmt);
    return true;
}

/* A loop whose statements are lanes only without each other. */
static bool put_separate(tirbi_emitter *e, const tirbi_ls *loop) {
    const tirbi_ls *parts[TIRBI_MAX_SEPARATE];
    if (tirbi_disabled(e) & TIRB_PASS_SEQUENCES) return false;
    const uint32_t n = tirbi_separate(e->pool, loop, parts);
    bool gains = false;
    for (uint32_t i = 0; i < n && !gains; i++) gains = has_lanes(e, parts[i]);
    if (!gains) return false;
    tirbi_note_loop(e->notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT, "in loops for statements apart");
    for (uint32_t i = 0; i < n; i++) put_serial(e, parts[i]);
    return true;
}

/* A loop whose iterations only meet on a diagonal, if those beside it are lanes. */
static bool put_beside_diagonal(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_diagonal diagonal;
    if ((tirbi_disabled(e) & TIRB_PASS_SEQUENCES) || !tirbi_leave_diagonal(e->pool, loop, &diagonal) ||
        !tirbi_has_lanes(e->pool, diagonal.rest))
        return false;
    tirbi_note_loop(e->notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT,
                    "beside the iteration that is on the diagonal");
    put_serial(e, diagonal.stmt);
    return true;
}

/* Each may have the code of an iteration again. */
enum { MAX_BEHIND = 4 };

/* A loop that reads what was set in the iteration before, if it is lanes without that. */
static bool put_behind(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_behind behind, further;
    if ((tirbi_disabled(e) & TIRB_PASS_SEQUENCES) || e->behind >= MAX_BEHIND ||
        !tirbi_look_behind(e->pool, loop, &behind))
        return false;
    bool gains = has_lanes(e, behind.rest);
    uint32_t depth = e->behind + 1;
    for (further = behind; !gains && depth < MAX_BEHIND && tirbi_look_behind(e->pool, further.rest, &further); depth++)
        gains = has_lanes(e, further.rest);
    if (!gains) return false;
    tirbi_note_loop(e->notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT,
                    "behind its first iteration, for which a variable was set before");
    e->behind++;
    put_serial(e, behind.stmt);
    e->behind--;
    return true;
}

/* A loop with indices that go around, as choices. */
static bool put_unwrapped(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_unwrapped around;
    if ((tirbi_disabled(e) & TIRB_PASS_WRAP) || e->unwrapped > 0 || e->splits > 0 ||
        !tirbi_unwrap_loop(e->pool, loop, &around))
        return false;
    tirbi_note_loop(e->notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT, "indices in it go around once");
    put_either(e, &(either){NULL, around.condition, around.stmt, NULL}, loop, &e->unwrapped);
    return true;
}

/* Whether all loops of a statement, or those inside them, are lanes in one of the ways that are tried; counts them. */
static bool run_as_lanes(tirbi_emitter *e, const tirbi_ls *s, uint32_t *n) {
    tirbi_nest nest;
    uint32_t inside = 0;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) {
            if (!run_as_lanes(e, s->as.seq.items[i], n)) return false;
        }
        return true;
    case TIRBI_LS_IF:
        return run_as_lanes(e, s->as.if_.then_case, n) &&
               (!s->as.if_.else_case || run_as_lanes(e, s->as.if_.else_case, n));
    case TIRBI_LS_LOOP:
        ++*n;
        return tirbi_choose_lanes(e, s, &nest) || has_lanes(e, s) ||
               (run_as_lanes(e, s->as.loop.body, &inside) && inside > 0);
    default: return true;
    }
}

/* A loop that is lanes where no buffer is empty of which some of its iterations read elements. */
static bool put_filled(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_extents extents;
    uint32_t n = 0;
    if ((tirbi_disabled(e) & TIRB_PASS_SEQUENCES) || e->unfilled > 0 || e->pool->positive ||
        !tirbi_find_guarded_extents(loop, &extents) || run_as_lanes(e, loop, &n))
        return false;
    const tirbi_lx *filled = NULL;
    for (uint32_t i = 0; i < extents.n; i++) {
        const tirbi_lx *extent = extents.item[i];
        if (!extent->pure || extent->traps || !tirbi_is_available(e->pool, extent)) return false;
        const tirbi_lx *some = compare(e, TIRB_OP_GE, extent, 1);
        filled = filled ? tirbi_lx_op(e->pool, TIRB_OP_AND, TIRB_BOOL, TIRB_TYPE_NONE, filled, some, NULL) : some;
    }
    e->pool->positive = &extents;
    const bool gains = run_as_lanes(e, loop, &n);
    e->pool->positive = NULL;
    if (!gains || !filled) return false;
    tirbi_note_loop(e->notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT,
                    "or as it stands, where a buffer is empty that only some of its iterations read");
    put_either(e, &(either){NULL, filled, loop, &extents}, loop, &e->unfilled);
    return true;
}

/* A nest that computes with rows by number or with columns, which are put next to each other before. */
static bool put_staged(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_staged staged;
    if ((tirbi_disabled(e) & TIRB_PASS_FUSE) || e->unstaged > 0 ||
        !tirbi_stage_loads(e->pool, loop, tirbi_disabled(e), &staged))
        return false;
    tirbi_note_loop(e->notes, loop->as.loop.var, loop->span, TIRB_FORM_OPERAND,
                    "what it reads by number or in columns is put together before, for a block of rows");
    if (tirbi_lx_is_int(staged.condition, 1)) put_serial(e, staged.stmt);
    else put_either(e, &(either){NULL, staged.condition, staged.stmt, NULL}, loop, &e->unstaged);
    return true;
}

/* Whether lanes compute where they read: what a clamp or a wrapped index makes of a row. */
static bool gathers(const tirbi_lane_plan *plan) {
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        if (plan->ops[i].op == TIRB_OP_VLOADX) return true;
    }
    return false;
}

enum { SHORT_ROW = 16, SHORT_TO_ENTER = 64 };

/* Whether the innermost loop's lanes, as far as it is some, need an order or name what they reach. */
static bool enters_rows(tirbi_emitter *e, const tirbi_ls *inner) {
    return !tirbi_loop_inside(inner) && !tirbi_has_lanes(e->pool, inner);
}

/* Whether a nest's lanes are the elements of short rows, and compute where they read. */
static bool gathers_short_rows(const tirbi_nest *nest) {
    return gathers(nest->plan) && nest->plan->loops.var[0]->extent->hi <= SHORT_ROW;
}

/* Rows of a few elements that numbers choose, as lanes over the elements of all rows, which keep their order. `nest` is
 * what they are as they stand, or NULL: then each row is entered. */
static bool put_joined(tirbi_emitter *e, const tirbi_ls *loop, const tirbi_nest *nest) {
    const tirbi_ls *inner = tirbi_loop_inside(loop);
    if ((tirbi_disabled(e) & TIRB_PASS_SEQUENCES) || !inner ||
        !(nest ? gathers_short_rows(nest) : enters_rows(e, inner)))
        return false;
    const tirbi_ls *joined = tirbi_join_short_loops(e->pool, loop, nest ? SHORT_ROW : SHORT_TO_ENTER);
    tirbi_nest all = {.n_outer = 0};
    if (!joined) return false;
    if (!tirbi_loop_inside(joined)) all.plan = tirbi_plan_in_order(e->pool, joined);
    else if (!tirbi_choose_lanes(e, joined, &all)) return false;
    if (!all.plan || all.plan->loops.var[0]->extent->hi <= SHORT_ROW) return false;
    tirbi_put_nest(e, &all);
    return true;
}

/* A nest of rows that several numbers choose, or one that is computed. */
static bool put_numbered(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_numbered numbered;
    tirbi_nest nest;
    if ((tirbi_disabled(e) & TIRB_PASS_SEQUENCES) || e->unnumbered > 0 ||
        !tirbi_number_rows(e->pool, loop, &numbered) || !tirbi_choose_lanes(e, numbered.nest, &nest))
        return false;
    tirbi_note_loop(e->notes, loop->as.loop.var, loop->span, TIRB_FORM_OPERAND,
                    "the numbers of rows that several indices choose are computed before");
    put_either(e, &(either){numbered.check, numbered.condition, numbered.stmt, NULL}, loop, &e->unnumbered);
    return true;
}

/* Whether a nest of loops around rows has such rows in the loop inside the outermost: each of its iterations has
 * numbers of its own. */
static bool is_numbered_inside(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_numbered numbered;
    tirbi_nest nest;
    const tirbi_ls *inner = tirbi_loop_inside(loop);
    return !(tirbi_disabled(e) & TIRB_PASS_SEQUENCES) && e->unnumbered == 0 && inner &&
           tirbi_number_rows(e->pool, inner, &numbered) && tirbi_choose_lanes(e, numbered.nest, &nest);
}

/* Whether loops that are inside of each other may have so many rounds in all. */
static bool may_have_rounds(const tirbi_ls *loop, int64_t least) {
    for (; loop && least > 1; loop = tirbi_loop_inside(loop)) {
        const int64_t most = loop->as.loop.var->extent->hi;
        if (most > 0) least = (least - 1) / most + 1;
    }
    return least <= 1;
}

/* A nest in parts where one of its conditions is decided by bounds that stand still in it, which may be loaded. */
static const tirbi_ls *split_at_bounds(tirbi_emitter *e, const tirbi_ls *loop) {
    const tirbi_ls *split = tirbi_split_nest(e->pool, loop);
    const tirbi_ls *named = split ? NULL : tirbi_name_still_loads(e->pool, loop, true);
    if (!named) return split;
    const tirbi_ls **nest = &named->as.seq.items[named->as.seq.n - 1];
    *nest = tirbi_split_nest(e->pool, *nest);
    return *nest ? named : NULL;
}

/* Entering parts takes as long as some hundred elements. */
enum { ENOUGH_FOR_PARTS = 512 };

/* Whether loops inside split so once the loops around them stand still: rows of a batch up to its length, of a matrix
 * up to its diagonal. */
static bool is_split_inside(tirbi_emitter *e, const tirbi_ls *loop) {
    loop = tirbi_loop_inside(loop);
    for (; loop && may_have_rounds(loop, ENOUGH_FOR_PARTS); loop = tirbi_loop_inside(loop)) {
        if (split_at_bounds(e, loop)) return true;
    }
    return false;
}

/* Each split may triple the code. */
enum { MAX_SPLITS = 4 };

/* Whether lanes of a nest choose between values by what may be alike for many of them. */
static bool decides(const tirbi_nest *nest) {
    for (uint32_t i = 0; i < nest->plan->n_ops && nest->plan->loops.n + nest->n_outer > 1; i++) {
        if (nest->plan->ops[i].op == TIRB_OP_VSELECT) return true;
    }
    return false;
}

bool tirbi_put_lanes(tirbi_emitter *e, const tirbi_ls *loop) {
    if (tirbi_disabled(e) & TIRB_PASS_LANES) return false;
    tirbi_nest nest;
    if (put_unwrapped(e, loop) || put_searched(e, loop) || put_filled(e, loop)) return true;
    bool lanes = tirbi_choose_lanes(e, loop, &nest), reorders = !(tirbi_disabled(e) & TIRB_PASS_INTERCHANGE);
    /* Where a condition keeps loops outside of the lane loop, which is entered anew in each of their iterations, its
     * parts may have them inside; and its parts may read rows as they are. */
    const tirbi_ls *split = NULL;
    if (e->splits < MAX_SPLITS && (!lanes || nest.n_outer > 0 || gathers(nest.plan))) {
        if (reorders) split = tirbi_split_nest(e->pool, loop);
        if (!split && !lanes && reorders) split = tirbi_split_at_meetings(e->pool, loop);
        if (!split && !lanes) split = tirbi_split_loop(e->pool, loop);
    }
    if (!split && lanes && reorders && e->splits < MAX_SPLITS && decides(&nest) &&
        may_have_rounds(loop, ENOUGH_FOR_PARTS)) {
        split = split_at_bounds(e, loop);
        if (!split && is_split_inside(e, loop)) return false;
    }
    if (!split && lanes) {
        if (put_joined(e, loop, &nest) || put_numbered(e, loop)) return true;
        if (nest.n_outer > 1 && is_numbered_inside(e, loop)) return false;
        if (!put_staged(e, loop)) tirbi_put_nest(e, &nest);
        return true;
    }
    if (!split)
        return put_numbered(e, loop) || put_flat(e, loop) || put_columns(e, loop) || put_in_order(e, loop) ||
               put_joined(e, loop, NULL) || put_still(e, loop, false) || put_blocks(e, loop) ||
               put_crossing(e, loop) || put_beside_diagonal(e, loop) || put_separate(e, loop) ||
               put_behind(e, loop) || put_arranged(e, loop);
    tirbi_note_loop(e->notes, loop->as.loop.var, loop->span, TIRB_FORM_SPLIT,
                    "in parts, so that each decides its condition at once");
    e->splits++;
    tirbi_put_stmt(e, split);
    e->splits--;
    return true;
}
