/* Emission of lane plans: checks of indices over whole boxes, the header, the body, the loops around it. */
#include "compiler/emit/emit.h"

#include "compiler/loop/sums.h"

static const tirbi_lx *zero(tirbi_emitter *e) { return tirbi_lx_number(e->pool, 0); }

/* The least or greatest value that an affine index takes while the loops in `enclosing` run. */
static const tirbi_lx *extreme(tirbi_emitter *e, const tirbi_affine *form, const tirbi_loop_set *loops,
                               uint64_t enclosing, bool greatest) {
    const tirbi_lx *value = form->start;
    for (uint32_t i = 0; i < loops->n && value; i++) {
        int direction;
        if (!(enclosing >> i & 1) || !tirbi_affine_direction(form, i, &direction) || direction == 0) continue;
        const bool either = direction == TIRBI_EITHER_WAY;
        if (!either && (direction > 0) != greatest) continue;
        const tirbi_lx *last = tirbi_lx_sub(e->pool, loops->var[i]->extent, tirbi_lx_number(e->pool, 1));
        const tirbi_lx *way = last ? tirbi_lx_mul(e->pool, last, form->coefficient[i]) : NULL;
        if (way && either) way = tirbi_lx_wide(e->pool, greatest ? TIRB_OP_MAX : TIRB_OP_MIN, way, zero(e));
        value = way ? tirbi_lx_add(e->pool, value, way) : NULL;
    }
    return value;
}

static void emit_index(tirbi_emitter *e, const tirbi_lx *index, const tirbi_lx *extent, uint32_t dim,
                       const char *name) {
    if (!index || (index->lo >= 0 && index->hi < extent->lo)) return;
    tirbi_put_index(e, index, extent, dim, name);
}

static void put_checks(tirbi_emitter *e, const tirbi_place *place, const tirbi_loop_set *loops, uint64_t enclosing) {
    tirbi_mark_line(e, place->span);
    for (uint32_t d = 0; d < place->ndim; d++) {
        const tirbi_lx *extent = place->buffer->shape[d];
        tirbi_affine form;
        if (tirbi_dim_proven(place, d) || tirbi_row_number(place->indices[d])) continue;
        if (!tirbi_affine_index(e->pool, place, d, loops, &form)) continue;
        const tirbi_lx *least = extreme(e, &form, loops, enclosing, false);
        const tirbi_lx *greatest = extreme(e, &form, loops, enclosing, true);
        if (least && greatest && least->lo >= 0 && tirbi_is_below(greatest, place->buffer, d))
            continue; /* the loops run: least <= greatest */
        emit_index(e, least, extent, d, place->buffer->name);
        if (greatest != least) emit_index(e, greatest, extent, d, place->buffer->name);
    }
}

void tirbi_put_box_checks(tirbi_emitter *e, const tirbi_place *place, const tirbi_loop_set *loops, uint64_t enclosing) {
    tirbi_scope scope = tirbi_scope_open(e);
    put_checks(e, place, loops, enclosing);
    tirbi_scope_close(e, scope);
}

/* A check holds for accesses that happen: it is skipped where a loop around them does not run. What it computes where
 * none can be skipped, other checks and the cursors ask for again. */
static void emit_check(tirbi_emitter *e, const tirbi_lane_plan *plan, const tirbi_lane_check *check) {
    tirbi_patch_list skip = {0};
    bool skips = false;
    for (uint32_t i = 1; i < plan->loops.n && !plan->whole_nest; i++) {
        if (!(check->enclosing >> i & 1)) continue;
        tirbi_put_guard(e, plan->loops.var[i], &skip);
        skips = skips || plan->loops.var[i]->extent->lo < 1;
    }
    if (skips) tirbi_put_box_checks(e, check->place, &plan->loops, check->enclosing);
    else put_checks(e, check->place, &plan->loops, check->enclosing);
    tirbi_land(e, &skip);
}

/* The reference of a cursor: of its memory, or of a part of that, which the lanes name elements of. */
static uint16_t cursor_ref(tirbi_emitter *e, const tirbi_lane_cursor *c) {
    tirbi_lbuf *root = c->place->buffer->root;
    const uint16_t whole = tirbi_buffer_ref(e, root);
    if (!c->part.start) return whole;
    const uint16_t part = tirbi_new_ref(e, root->type, false);
    const uint16_t start = tirbi_put_value(e, c->part.start), count = tirbi_put_value(e, c->part.count);
    TIRBI_PUT(e, TIRB_OP_SLICE, TIRB_TYPE_NONE, part, whole, start, count);
    return part;
}

static void fill_header(tirbi_emitter *e, const tirbi_lane_plan *plan, tirbi_instr *instr) {
    tirbi_lane_header *h = &instr->lane;
    instr->op = TIRB_OP_LANE;
    instr->type = TIRB_TYPE_NONE;
    h->n = tirbi_put_operand(e, plan->loops.var[0]->extent);
    h->n_inner = (uint8_t)(plan->loops.n - 1);
    h->n_cursors = (uint8_t)plan->n_cursors;
    for (uint32_t i = 0; i < h->n_inner; i++) {
        h->inner[i].extent = tirbi_put_operand(e, plan->loops.var[i + 1]->extent);
        h->inner[i].index = plan->index_used[i] ? tirbi_new_sreg(e) : (uint16_t)TIRBI_NO_REG;
    }
    for (uint32_t i = 0; i < h->n_cursors; i++) {
        const tirbi_lane_cursor *from = &plan->cursors[i];
        tirbi_cursor *to = &h->cursors[i];
        to->ref = cursor_ref(e, from);
        to->type = from->type;
        to->access = from->access;
        to->level = from->level;
        to->start = tirbi_put_operand(e, from->form.start);
        to->step = tirbi_put_operand(e, from->form.coefficient[0] ? from->form.coefficient[0] : zero(e));
        for (uint32_t k = 0; k < h->n_inner; k++) {
            const tirbi_lx *step = from->form.coefficient[k + 1];
            to->steps[k] = tirbi_put_operand(e, step ? step : zero(e));
        }
    }
}

/* Puts the seeks that are due inside the first `depth` inner loops. */
static void emit_seeks(tirbi_emitter *e, const tirbi_lane_plan *plan, const uint16_t *operands, uint32_t depth) {
    for (uint32_t i = 0; i < plan->n_cursors; i++) {
        const tirbi_lane_cursor *c = &plan->cursors[i];
        const tirbi_lane_row *row = c->row ? &plan->rows[c->row - 1] : NULL;
        if (!row || row->loops != depth) continue;
        TIRBI_PUT(e, TIRB_OP_SEEK, row->var->type, i, row->cursor, operands[2 * i], operands[2 * i + 1]);
    }
}

/* The scales and limits of sought cursors. */
static uint16_t *put_seek_operands(tirbi_emitter *e, const tirbi_lane_plan *plan) {
    uint16_t *operands = TIRBI_NEW_ARRAY(e->arena, uint16_t, 2 * plan->n_cursors + 1);
    for (uint32_t i = 0; operands && i < plan->n_cursors; i++) {
        const tirbi_lane_cursor *c = &plan->cursors[i];
        if (!c->row) continue;
        operands[2 * i] = tirbi_put_operand(e, c->scale);
        operands[2 * i + 1] = tirbi_put_operand(e, c->limit);
    }
    return operands;
}

/* Scalars that the body reads are computed before the loop. */
static uint16_t *emit_scalars(tirbi_emitter *e, const tirbi_lane_plan *plan) {
    uint16_t *regs = TIRBI_NEW_ARRAY(e->arena, uint16_t, plan->n_ops);
    for (uint32_t i = 0; regs && i < plan->n_ops; i++) {
        if (plan->ops[i].scalar) regs[i] = tirbi_put_value(e, plan->ops[i].scalar);
    }
    return regs;
}

static void emit_lane_op(tirbi_emitter *e, const tirbi_lane_op *o, uint16_t scalar) {
    switch (o->op) {
    case TIRB_OP_VLOOP:
    case TIRB_OP_VAGAIN: tirbi_put_instr(e, (tirbi_op)o->op, TIRB_TYPE_NONE, NULL, 0); return;
    case TIRB_OP_VWHILE: TIRBI_PUT(e, TIRB_OP_VWHILE, TIRB_BOOL, o->from[0]); return;
    case TIRB_OP_INNER:
    case TIRB_OP_INNER_END: TIRBI_PUT(e, (tirbi_op)o->op, TIRB_TYPE_NONE, o->loop); return;
    case TIRB_OP_VLOAD: TIRBI_PUT(e, TIRB_OP_VLOAD, o->type, o->to, o->cursor); return;
    case TIRB_OP_VSTORE: TIRBI_PUT(e, TIRB_OP_VSTORE, o->type, o->cursor, o->from[0]); return;
    case TIRB_OP_VSPLAT: TIRBI_PUT(e, TIRB_OP_VSPLAT, o->type, o->to, scalar); return;
    case TIRB_OP_VIOTA: TIRBI_PUT(e, TIRB_OP_VIOTA, o->type, o->to, scalar, tirbi_x_from_small(1)); return;
    case TIRB_OP_VRED: TIRBI_PUT(e, TIRB_OP_VRED, o->type, e->red_of[o->red], o->from[0]); return;
    case TIRB_OP_VFIND: TIRBI_PUT(e, TIRB_OP_VFIND, TIRB_BOOL, tirbi_reg_of(e, o->carried), o->from[0]); return;
    case TIRB_OP_VINDEX:
        TIRBI_PUT(e, TIRB_OP_VINDEX, o->type, o->from[0], scalar, o->fold, tirbi_string_number(e->strings, o->name));
        return;
    case TIRB_OP_VLOADX: TIRBI_PUT(e, TIRB_OP_VLOADX, o->type, o->to, o->cursor, o->from[0], o->source); return;
    case TIRB_OP_VSTOREX: TIRBI_PUT(e, TIRB_OP_VSTOREX, o->type, o->cursor, o->from[0], o->from[1], o->source); return;
    case TIRB_OP_VUPDATE:
        TIRBI_PUT(e, TIRB_OP_VUPDATE, o->type, o->cursor, o->from[0], o->from[1], o->source, o->fold);
        return;
    case TIRB_OP_VUPDATEMA:
        TIRBI_PUT(e, TIRB_OP_VUPDATEMA, o->type, o->cursor, o->from[0], o->from[1], o->from[2], o->source, o->fold);
        return;
    case TIRB_OP_VADVANCE:
        TIRBI_PUT(e, TIRB_OP_VADVANCE, o->type, o->to, tirbi_reg_of(e, o->carried), o->cursor, scalar, o->source);
        return;
    case TIRB_OP_VSCAN:
        TIRBI_PUT(e, TIRB_OP_VSCAN, o->type, o->to, tirbi_reg_of(e, o->carried), o->from[0], o->fold);
        return;
    case TIRB_OP_VSCANMA:
        TIRBI_PUT(e, TIRB_OP_VSCANMA, o->type, o->to, tirbi_reg_of(e, o->carried), o->from[0], o->from[1], o->fold);
        return;
    case TIRB_OP_VSTEP: TIRBI_PUT(e, TIRB_OP_VSTEP, o->type, o->from[0], o->fold); return;
    case TIRB_OP_VSTEPMA: TIRBI_PUT(e, TIRB_OP_VSTEPMA, o->type, o->from[0], o->from[1], o->fold); return;
    case TIRB_OP_VREDMA: TIRBI_PUT(e, TIRB_OP_VREDMA, o->type, e->red_of[o->red], o->from[0], o->from[1]); return;
    default: break;
    }
    int64_t operands[5] = {o->to};
    uint32_t n = 1;
    for (int i = 0; i < tirbi_ops[o->op].arity; i++) operands[n++] = o->from[i];
    if (o->source != TIRB_TYPE_NONE) operands[n++] = o->source;
    tirbi_put_instr(e, (tirbi_op)o->op, (tirbi_dtype)o->type, operands, n);
}

static bool may_trap(const tirbi_lx *x) { return x && x->traps; }

/* Whether what is computed before the lane loop cannot fail where there are no lanes, of which the loop then makes
 * nothing. */
static bool may_be_empty(const tirbi_lane_plan *plan) {
    if (plan->loops.n != 1 || plan->n_uniforms > 0 || plan->n_checks > 0 || may_trap(plan->loops.var[0]->extent))
        return false;
    for (uint32_t i = 0; i < plan->n_cursors; i++) {
        const tirbi_lane_cursor *c = &plan->cursors[i];
        if (c->row || may_trap(c->form.start) || may_trap(c->form.coefficient[0])) return false;
    }
    for (uint32_t i = 0; i < plan->n_ops; i++)
        if (may_trap(plan->ops[i].scalar)) return false;
    return true;
}

void tirbi_put_lane_plan(tirbi_emitter *e, const tirbi_lane_plan *plan) {
    tirbi_patch_list skip = {0};
    tirbi_scope scope = tirbi_scope_open(e);
    if (!may_be_empty(plan)) tirbi_put_guard(e, plan->loops.var[0], &skip);
    for (uint32_t i = 1; plan->whole_nest && i < plan->loops.n; i++) tirbi_put_guard(e, plan->loops.var[i], &skip);
    tirbi_scope inside = tirbi_scope_open(e);
    for (uint32_t i = 0; i < plan->n_uniforms; i++) {
        const tirbi_lane_uniform *u = &plan->uniforms[i];
        const uint16_t reg = tirbi_new_sreg(e);
        tirbi_set_reg(e, u->var, reg);
        tirbi_put_value_into(e, u->value, reg);
    }
    for (uint32_t i = 0; i < plan->n_checks; i++) emit_check(e, plan, &plan->checks[i]);
    tirbi_instr *instr = TIRBI_NEW(e->arena, tirbi_instr);
    uint16_t *scalars = emit_scalars(e, plan);
    uint16_t *seeks = put_seek_operands(e, plan);
    if (!instr || !scalars || !seeks) return;
    fill_header(e, plan, instr);
    if (e->failed) return;
    uint32_t at = tirbi_here(e);
    tirbi_encode(&e->code, instr);
    emit_seeks(e, plan, seeks, 0);
    uint32_t leading = 0;
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        const tirbi_lane_op *o = &plan->ops[i];
        if (o->op != TIRB_OP_INNER && o->op != TIRB_OP_INNER_END) tirbi_mark_line(e, o->span);
        emit_lane_op(e, o, o->scalar ? scalars[i] : o->loop != 0xFF ? instr->lane.inner[o->loop].index : 0);
        if (o->op == TIRB_OP_INNER && i == leading) emit_seeks(e, plan, seeks, ++leading);
    }
    TIRBI_GIVE_BACK(e->arena, instr);
    uint32_t end = tirbi_here(e);
    TIRBI_PUT(e, TIRB_OP_LANE_END, TIRB_TYPE_NONE, 0);
    /* The end offset stands after opcode, type, n and the two counts. */
    if (!e->code.failed && !e->failed) tirbi_store_u32(e->code.data + at + 6, end);
    if (plan->n_values > e->n_lane_regs) e->n_lane_regs = plan->n_values;
    tirbi_scope_close(e, inside);
    tirbi_land(e, &skip);
    tirbi_scope_close(e, scope);
}

/* ---- Nests ----------------------------------------------------------------------------------------------------- */

void tirbi_hoist_plan(tirbi_emitter *e, const tirbi_lane_plan *plan) {
    for (uint32_t i = 0; i < plan->loops.n; i++) {
        const tirbi_lx *extent = plan->loops.var[i]->extent;
        tirbi_hoist_value(e, extent->lo < 1 ? tirbi_some_rounds(e, plan->loops.var[i]) : extent);
    }
    for (uint32_t i = 0; i < plan->n_cursors; i++) {
        const tirbi_affine *form = &plan->cursors[i].form;
        tirbi_hoist_value(e, form->start);
        for (uint32_t k = 0; k < plan->loops.n; k++) tirbi_hoist_value(e, form->coefficient[k]);
        tirbi_hoist_value(e, plan->cursors[i].scale);
        tirbi_hoist_value(e, plan->cursors[i].limit);
        tirbi_hoist_value(e, plan->cursors[i].part.start);
        tirbi_hoist_value(e, plan->cursors[i].part.count);
    }
    for (uint32_t i = 0; i < plan->n_ops; i++) tirbi_hoist_value(e, plan->ops[i].scalar);
    for (uint32_t i = 0; i < plan->n_checks; i++) {
        const tirbi_lane_check *check = &plan->checks[i];
        for (uint32_t d = 0; d < check->place->ndim; d++) {
            tirbi_affine form;
            if (tirbi_row_number(check->place->indices[d])) continue;
            if (!tirbi_affine_index(e->pool, check->place, d, &plan->loops, &form)) continue;
            tirbi_hoist_value(e, extreme(e, &form, &plan->loops, check->enclosing, false));
            tirbi_hoist_value(e, extreme(e, &form, &plan->loops, check->enclosing, true));
        }
    }
}

typedef struct outer_context {
    const tirbi_nest *nest;
    uint32_t level;
} outer_context;

static void emit_outer(tirbi_emitter *e, const void *context) {
    const outer_context *c = context;
    if (c->level == c->nest->n_outer) {
        tirbi_put_lane_plan(e, c->nest->plan);
        return;
    }
    outer_context inner = {.nest = c->nest, .level = c->level + 1};
    tirbi_scope scope = tirbi_scope_open(e);
    tirbi_hoist_plan(e, c->nest->plan);
    tirbi_put_counted(e, c->nest->outer[c->level], NULL, NULL, emit_outer, &inner);
    tirbi_scope_close(e, scope);
}

void tirbi_put_nest(tirbi_emitter *e, const tirbi_nest *nest) {
    outer_context outermost = {.nest = nest, .level = 0};
    emit_outer(e, &outermost);
}

void tirbi_put_search(tirbi_emitter *e, const tirbi_ls *search, const tirbi_lane_plan *plan) {
    tirbi_lvar *found = search->as.search.found;
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
