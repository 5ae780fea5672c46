#include "compiler/optimize/plan/plan.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/carried/still.h"
#include "compiler/optimize/contractions/int_trees.h"
#include "compiler/optimize/plan/planner.h"
#include "compiler/optimize/rewriting/clamps.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/optimize/rows/rows.h"
#include "compiler/optimize/whiles/ahead.h"
#include "compiler/optimize/whiles/ends.h"

/* ---- Nodes ------------------------------------------------------------------------------------------------------ */

tirbi_sched *tirbi_new_sched(tirbi_scheduler *p, tirbi_sched_kind kind, const tirbi_ls *stmt, uint32_t n) {
    tirbi_sched *node = TIRBI_NEW(p->pool->arena, tirbi_sched);
    if (!node) return NULL;
    node->kind = (uint8_t)kind;
    node->stmt = stmt;
    if (n > 0) node->items = TIRBI_NEW_ARRAY(p->pool->arena, tirbi_sched *, n);
    if (n > 0 && !node->items) return NULL;
    node->n = n;
    return node;
}

tirbi_sched *tirbi_sched_of(tirbi_scheduler *p, const char *step, tirbi_sched *inside) {
    tirbi_sched *node = inside ? tirbi_new_sched(p, TIRBI_S_SEQ, NULL, 1) : NULL;
    if (!node) return NULL;
    node->step = step;
    node->items[0] = inside;
    return node;
}

tirbi_sched *tirbi_schedule_serial(tirbi_scheduler *p, const tirbi_ls *s) {
    const bool serial = p->in.serial;
    p->in.serial = true;
    tirbi_sched *node = tirbi_schedule(p, s);
    p->in.serial = serial;
    return node;
}

static tirbi_step forget_declared(tirbi_walk *w, const tirbi_ls *s) {
    if (s->kind == TIRBI_LS_SET && s->as.set.declares) tirbi_live_set(w->context, s->as.set.var, false);
    return TIRBI_INTO;
}

void tirbi_forget_declared(tirbi_scheduler *p, const tirbi_ls *s) {
    tirbi_walk_stmt(&(tirbi_walk){.context = p->pool, .stmt = forget_declared}, s);
}

/* ---- Loops ------------------------------------------------------------------------------------------------------ */

static void note_scalar(tirbi_scheduler *p, const tirbi_ls *loop) {
    if (!p->in.notes || loop->as.loop.blocks) return;
    const tirbi_alias_mode mode = p->function->aliases.mode;
    const char *why;
    if (mode == TIRBI_ALIAS_MET || mode == TIRBI_ALIAS_CROSSED) {
        why = "where parameters that may share memory do";
    } else {
        bool tried = !(tirbi_not_planned(p) & TIRB_PASS_LANES);
        why = tried                           ? tirbi_why_not_lanes(p->pool, loop)
              : p->disabled & TIRB_PASS_LANES ? "lane loops are switched off"
                                              : "compiling has taken the work that plans are looked for with";
    }
    tirbi_note_loop(p->in.notes, loop->as.loop.var, loop->span, TIRB_FORM_SCALAR, "%s",
                    why ? why : "its rows are searched one after the other");
}

/* What a loop of scalar code comes to in each of its rounds. */
static tirbi_sched *schedule_rounds(tirbi_scheduler *p, const tirbi_ls *body) {
    const bool again = p->in.again;
    p->in.again = true;
    tirbi_sched *node = tirbi_schedule(p, body);
    p->in.again = again;
    return node;
}

tirbi_sched *tirbi_schedule_in_order(tirbi_scheduler *p, const tirbi_ls *loop) {
    note_scalar(p, loop);
    tirbi_sched *node = tirbi_new_sched(p, TIRBI_S_LOOP, loop, 1);
    if (!node) return NULL;
    tirbi_live_set(p->pool, loop->as.loop.var, true);
    node->items[0] = schedule_rounds(p, loop->as.loop.body);
    tirbi_live_set(p->pool, loop->as.loop.var, false);
    return node->items[0] ? node : NULL;
}

/* The bounds that the loops of rows have now. */
static const tirbi_ranges *ranges_of(tirbi_scheduler *p, const tirbi_row_blocks *blocks) {
    tirbi_ranges *ranges = TIRBI_NEW(p->pool->arena, tirbi_ranges);
    if (ranges) ranges->items = TIRBI_NEW_ARRAY(p->pool->arena, tirbi_range, blocks->n);
    if (!ranges || !ranges->items) return NULL;
    ranges->n = blocks->n;
    for (uint32_t i = 0; i < blocks->n; i++) {
        tirbi_lvar *var = blocks->var[i];
        ranges->items[i] = (tirbi_range){.var = var, .min = var->min, .extent = var->extent, .below = var->below};
    }
    return ranges;
}

/* Rows by blocks, which have been looked at as a region. */
static tirbi_sched *schedule_rows(tirbi_scheduler *p, const tirbi_ls *loop) {
    tirbi_row_blocks blocks;
    if (!tirbi_block_rows(p->pool, loop, tirbi_not_planned(p), p->in.notes, &blocks)) return NULL;
    const tirbi_ranges *ranges = ranges_of(p, &blocks);
    tirbi_sched *node = tirbi_sched_of(p, "strip-mining", tirbi_schedule_serial(p, blocks.stmt));
    tirbi_restore_rows(&blocks);
    if (!ranges || !node) return NULL;
    node->ranges = ranges;
    return node;
}

/* A loop that is no rows, as instructions for whole nests. */
static tirbi_sched *schedule_nest(tirbi_scheduler *p, const tirbi_ls *loop) {
    tirbi_sched *node = tirbi_schedule_contraction(p, loop);
    if (!node) node = tirbi_schedule_folds(p, loop);
    return node ? node : tirbi_schedule_lanes(p, loop);
}

/* A loop with variables that are set once for it. */
static tirbi_sched *schedule_named(tirbi_scheduler *p, const tirbi_ls *named) {
    p->in.named++;
    tirbi_sched *node = tirbi_sched_of(p, "hoisting", tirbi_schedule(p, named));
    p->in.named--;
    return node;
}

/* A loop of scalar code that has at hand what its last iteration stored; why it is scalar, the loop itself tells. */
static tirbi_sched *schedule_carried(tirbi_scheduler *p, const tirbi_ls *loop) {
    const tirbi_ls *carried = tirbi_carry_in_order(p->pool, loop);
    if (!carried) return NULL;
    note_scalar(p, loop);
    const tirbi_surroundings outer = p->in;
    p->in.notes = NULL;
    tirbi_sched *node = tirbi_sched_of(p, "scalar replacement", tirbi_schedule_serial(p, carried));
    p->in = outer;
    return node;
}

static tirbi_sched *schedule_loop(tirbi_scheduler *p, const tirbi_ls *s) {
    const bool blocks = s->as.loop.blocks, may = !(tirbi_not_planned(p) & TIRB_PASS_LANES);
    const tirbi_ls *named = may && p->in.named == 0 ? tirbi_name_still_variables(p->pool, s) : NULL;
    if (named) return schedule_named(p, named);
    tirbi_sched *node = blocks ? NULL : tirbi_schedule_aliased(p, s);
    if (!node && !blocks) node = tirbi_schedule_region(p, s);
    if (!node && s->as.loop.rows)
        node = schedule_rows(p, s);
    else if (!node && !blocks)
        node = schedule_nest(p, s);
    if (!node && may && !blocks && !s->as.loop.rows) node = schedule_carried(p, s);
    if (!node) node = tirbi_schedule_in_order(p, s);
    if (node) node->of = s;
    return node;
}

/* ---- The other statements --------------------------------------------------------------------------------------- */

/* Whether one of the next statements behind a store loads from its buffer first of all. */
static bool is_reread(const tirbi_ls *seq, uint32_t store) {
    enum { NEXT = 3 };
    const tirbi_lbuf *buffer = seq->as.seq.items[store]->as.store.access->buffer;
    for (uint32_t i = store + 1; i < seq->as.seq.n && i <= store + NEXT; i++) {
        const tirbi_ls *s = seq->as.seq.items[i];
        const tirbi_lx *x = s->kind == TIRBI_LS_SET     ? s->as.set.value
                            : s->kind == TIRBI_LS_STORE ? s->as.store.value
                            : s->kind == TIRBI_LS_IF    ? s->as.if_.condition
                                                        : NULL;
        if (tirbi_any_expr(x, TIRBI_WALK_INDICES | TIRBI_WALK_IMPURE, tirbi_is_load_from, buffer)) return true;
    }
    return false;
}

/* Rounds of a while loop that are run ahead of it, behind the statement `before`; NULL: there are none. */
static tirbi_sched *rounds_ahead(tirbi_scheduler *p, const tirbi_ls *s, const tirbi_ls *before) {
    const bool may = !s->as.while_.made && !(tirbi_not_planned(p) & TIRB_PASS_SEQUENCES);
    const tirbi_ls *ahead = may ? tirbi_run_ahead(p->pool, s, before) : NULL;
    if (!ahead) return NULL;
    tirbi_note_loop(p->in.notes, NULL, s->span, TIRB_FORM_SEARCHED,
                    "lanes look for the round that ends it, where that is far");
    return tirbi_sched_of(p, "speculative search", tirbi_schedule_serial(p, ahead));
}

static tirbi_sched *schedule_seq(tirbi_scheduler *p, const tirbi_ls *s) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->as.seq.n; i++) n += s->as.seq.items[i]->kind == TIRBI_LS_WHILE ? 2 : 1;
    tirbi_sched *node = tirbi_new_sched(p, TIRBI_S_SEQ, NULL, n);
    if (!node) return NULL;
    node->n = 0;
    for (uint32_t i = 0; i < s->as.seq.n; i++) {
        const tirbi_ls *item = s->as.seq.items[i];
        if (i + 1 < s->as.seq.n && tirbi_is_replaced(item, s->as.seq.items[i + 1])) continue;
        tirbi_sched *ahead =
            item->kind == TIRBI_LS_WHILE && i > 0 ? rounds_ahead(p, item, s->as.seq.items[i - 1]) : NULL;
        if (ahead) node->items[node->n++] = ahead;
        tirbi_sched *own = tirbi_schedule(p, item);
        if (!own) return NULL;
        if (item->kind == TIRBI_LS_STORE) own->reread = is_reread(s, i);
        node->items[node->n++] = own;
    }
    return node;
}

/* What no sane call runs is as little code as there may be, and nobody is told of it. */
static tirbi_sched *schedule_insane(tirbi_scheduler *p, const tirbi_ls *s) {
    const uint32_t disabled = p->disabled;
    const tirbi_surroundings outer = p->in;
    p->disabled |= TIRBI_PASSES_BY_SEARCH;
    p->in.notes = NULL;
    tirbi_sched *node = tirbi_schedule(p, s);
    p->disabled = disabled;
    p->in = outer;
    return node;
}

/* A choice by sizes. */
static tirbi_sched *schedule_sizes(tirbi_scheduler *p, const tirbi_ls *s) {
    tirbi_version *version = TIRBI_NEW(p->pool->arena, tirbi_version);
    tirbi_sched *node = version ? tirbi_new_sched(p, TIRBI_S_VERSION, NULL, 2) : NULL;
    if (!node) return NULL;
    *version = (tirbi_version){.condition = s->as.if_.condition,
                               .knows = TIRBI_KNOWN_IN_NONE,
                               .narrow = s->as.if_.narrow,
                               .n_narrow = s->as.if_.n_narrow};
    for (uint32_t i = 0; i < version->n_narrow; i++) tirbi_live_set(p->pool, version->narrow[i], true);
    version->mode[0] = version->mode[1] = p->function->aliases.mode;
    node->as.version = version;
    node->of = s;
    node->step = "sizes";
    node->items[0] = tirbi_schedule(p, s->as.if_.then_case);
    node->items[1] = schedule_insane(p, s->as.if_.else_case);
    return node->items[0] && node->items[1] ? node : NULL;
}

/* A branch, or a while loop, of scalar code, whose condition clamps nothing that needs none. */
static const tirbi_ls *without_clamps(const tirbi_scheduler *p, const tirbi_ls *s) {
    const bool branch = s->kind == TIRBI_LS_IF;
    const tirbi_lx *condition = branch ? s->as.if_.condition : s->as.while_.condition;
    const tirbi_lx *other =
        tirbi_not_planned(p) & TIRB_PASS_BRANCHES ? condition : tirbi_without_clamps(p->pool, condition);
    if (!other || other == condition) return s;
    tirbi_ls *copy = tirbi_same_stmt(p->pool, s);
    if (!copy) return s;
    *(branch ? &copy->as.if_.condition : &copy->as.while_.condition) = other;
    return copy;
}

static tirbi_sched *schedule_if(tirbi_scheduler *p, const tirbi_ls *s) {
    if (s->as.if_.sizes) return schedule_sizes(p, s);
    s = without_clamps(p, s);
    const tirbi_ls *arms[2] = {s->as.if_.then_case, s->as.if_.else_case};
    tirbi_sched *node = tirbi_new_sched(p, TIRBI_S_PLAIN, s, arms[1] ? 2 : 1);
    for (uint32_t i = 0; node && i < node->n; i++) {
        node->items[i] = tirbi_schedule(p, arms[i]);
        if (!node->items[i]) return NULL;
    }
    return node;
}

static tirbi_sched *schedule_while(tirbi_scheduler *p, const tirbi_ls *s) {
    if (!s->as.while_.made) tirbi_note_loop(p->in.notes, NULL, s->span, TIRB_FORM_SCALAR, "a while loop");
    const tirbi_ls *ended = tirbi_not_planned(p) & TIRB_PASS_BRANCHES ? s : tirbi_end_iterations(p->pool, s);
    if (ended != s) return tirbi_sched_of(p, "ends of iterations", tirbi_schedule(p, ended));
    s = without_clamps(p, s);
    tirbi_sched *node = tirbi_new_sched(p, TIRBI_S_PLAIN, s, 1);
    if (!node) return NULL;
    node->items[0] = schedule_rounds(p, s->as.while_.body);
    return node->items[0] ? node : NULL;
}

/* A tree reduction of integers may be loops. */
static tirbi_sched *schedule_reduction(tirbi_scheduler *p, const tirbi_ls *s) {
    const tirbi_ls *loops = tirbi_is_int_tree(s) ? tirbi_loops_of_tree(p->pool, s) : NULL;
    tirbi_sched *node =
        loops ? tirbi_sched_of(p, "loops of a reduction", tirbi_schedule(p, loops)) : tirbi_schedule_tree(p, s);
    if (node) node->of = s;
    return node;
}

tirbi_sched *tirbi_schedule(tirbi_scheduler *p, const tirbi_ls *s) {
    if (p->pool->arena->failed) return NULL;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        return schedule_seq(p, s);
    case TIRBI_LS_LOOP:
        return schedule_loop(p, s);
    case TIRBI_LS_IF:
        return schedule_if(p, s);
    case TIRBI_LS_WHILE:
        return schedule_while(p, s);
    case TIRBI_LS_SEARCH:
        return tirbi_schedule_search(p, s);
    case TIRBI_LS_TREE:
        return schedule_reduction(p, s);
    case TIRBI_LS_SET:
        tirbi_live_set(p->pool, s->as.set.var, true);
        break;
    default:
        break;
    }
    return tirbi_new_sched(p, TIRBI_S_PLAIN, s, 0);
}

const tirbi_sched *tirbi_plan_function(const tirbi_lmodule *module, tirbi_lfunc *function, const tirbi_ls *body,
                                       uint32_t disabled, tirbi_notes *notes, uint32_t n_regions) {
    tirbi_scheduler p = {.pool = function->pool,
                         .module = module,
                         .function = function,
                         .disabled = disabled,
                         .n_regions = n_regions,
                         .in = {.notes = notes}};
    for (uint32_t i = 0; i < function->ast->n_params; i++) {
        if (function->param_vars[i]) tirbi_live_set(p.pool, function->param_vars[i], true);
    }
    for (uint32_t i = 0; i < function->ast->n_shape_vars; i++) tirbi_live_set(p.pool, function->shape_vars[i], true);
    return tirbi_schedule(&p, body);
}
