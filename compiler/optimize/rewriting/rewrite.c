#include "compiler/optimize/rewriting/rewrite.h"

#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/statements.h"

/* Copies with more variables of their own than that are not made: each use of one is looked up among them. */
enum { MOST_ANEW = 64 };

/* ---- Variables -------------------------------------------------------------------------------------------------- */

void tirbi_bind_variable(tirbi_rewrite *r, const tirbi_lvar *var, const tirbi_lx *value) {
    static const tirbi_binding nothing = {.var = NULL};
    tirbi_binding *b = TIRBI_NEW(r->pool->arena, tirbi_binding);
    if (b) *b = (tirbi_binding){.var = var, .value = value, .before = r->bound, .n = r->bound ? r->bound->n + 1 : 1};
    r->bound = b ? b : &nothing;
}

void tirbi_bind_variables(tirbi_rewrite *r, const tirbi_loop_set *from, const tirbi_loop_set *to) {
    for (uint32_t i = 0; i < from->n; i++) tirbi_bind_variable(r, from->var[i], tirbi_lx_var(r->pool, to->var[i]));
}

/* What is bound to a variable; NULL: nothing. */
static const tirbi_binding *binding_of(const tirbi_rewrite *r, const tirbi_lvar *var) {
    const tirbi_binding *b = r->bound;
    while (b && b->var && b->var != var) b = b->before; /* at the end of what memory was there for, all is bound */
    return b;
}

/* The variable that stands for one. */
static tirbi_lvar *named(const tirbi_rewrite *r, tirbi_lvar *var) {
    const tirbi_binding *b = binding_of(r, var);
    return b && b->value && b->value->kind == TIRBI_LX_VAR ? b->value->var : var;
}

/* Another variable for one that begins here. */
static tirbi_lvar *begin_anew(tirbi_rewrite *r, const tirbi_lvar *var) {
    const bool many = (r->anew & TIRBI_SETS_ANEW) && r->bound && r->bound->n >= MOST_ANEW;
    tirbi_lvar *fresh = many ? NULL : tirbi_variable_like(r->pool, var);
    tirbi_bind_variable(r, var, tirbi_lx_var(r->pool, fresh));
    return fresh;
}

/* ---- Places and values ------------------------------------------------------------------------------------------ */

const tirbi_place *tirbi_place_in(tirbi_lx_pool *pool, tirbi_lbuf *buffer, const tirbi_lx *const *indices,
                                  tirbi_span span) {
    tirbi_place *place = buffer && indices ? TIRBI_NEW(pool->arena, tirbi_place) : NULL;
    if (!place) return NULL;
    const tirbi_lx *flat = buffer->offset ? buffer->offset : tirbi_lx_number(pool, 0);
    for (uint32_t i = 0; i < buffer->ndim; i++)
        flat = tirbi_lx_add(pool, flat, tirbi_lx_mul(pool, indices[i], buffer->strides[i]));
    if (!flat) return NULL;
    *place = (tirbi_place){.buffer = buffer, .ndim = buffer->ndim, .indices = indices, .flat = flat, .span = span};
    return place;
}

static bool follows_from_subscripts(tirbi_lx_pool *pool, const tirbi_place *place) {
    const tirbi_place *made = tirbi_place_in(pool, place->buffer, place->indices, place->span);
    return made && tirbi_same_value(made->flat, place->flat);
}

/* Rewrites values into `out`, which is the list itself where all stay as they are; false when memory ran out. */
static bool rewrite_values(tirbi_rewrite *r, const tirbi_lx *const *values, uint32_t n, const tirbi_lx *const **out) {
    const tirbi_lx **fresh = TIRBI_NEW_ARRAY(r->pool->arena, const tirbi_lx *, n + 1);
    bool same = true;
    for (uint32_t i = 0; i < n; i++) {
        if (fresh) fresh[i] = tirbi_rewrite_value(r, values[i]);
        if (!fresh || !fresh[i]) return false;
        same = same && fresh[i] == values[i];
    }
    *out = same ? values : fresh;
    return fresh != NULL;
}

static bool same_values(const tirbi_lx *const *a, const tirbi_lx *const *b, uint32_t n) {
    for (uint32_t i = 0; a != b && i < n; i++) {
        if (a[i] != b[i]) return false;
    }
    return true;
}

static bool same_view(const tirbi_lbuf *a, const tirbi_lbuf *b) {
    return a->offset == b->offset && a->source == b->source && same_values(a->shape, b->shape, a->ndim) &&
           same_values(a->strides, b->strides, a->ndim) &&
           (!a->source || same_values(a->source_mins, b->source_mins, a->source->ndim));
}

/* A view that begins elsewhere, or has other extents, by what is being replaced is another view, the same one for all
 * places. NULL when memory ran out. */
static tirbi_lbuf *rewrite_view(tirbi_rewrite *r, tirbi_lbuf *view) {
    if (view->root == view) return view;
    tirbi_lbuf copy = *view;
    if (view->offset) copy.offset = tirbi_rewrite_value(r, view->offset);
    if (view->source) copy.source = rewrite_view(r, view->source);
    if ((view->offset && !copy.offset) || (view->source && !copy.source) ||
        !rewrite_values(r, view->shape, view->ndim, &copy.shape) ||
        !rewrite_values(r, view->strides, view->ndim, &copy.strides) ||
        (view->source && !rewrite_values(r, view->source_mins, view->source->ndim, &copy.source_mins)))
        return NULL;
    for (tirbi_lbuf *b = view; b; b = b->elsewhere) {
        if (same_view(b, &copy)) return b;
    }
    tirbi_lbuf *made = TIRBI_NEW(r->pool->arena, tirbi_lbuf);
    if (!made) return NULL;
    *made = copy;
    made->id = 0;
    view->elsewhere = made;
    return made;
}

const tirbi_place *tirbi_rewrite_place(tirbi_rewrite *r, const tirbi_place *place) {
    if (!place) return NULL;
    return r->place ? r->place(r, place) : tirbi_rewrite_subscripts(r, place);
}

const tirbi_place *tirbi_rewrite_subscripts(tirbi_rewrite *r, const tirbi_place *place) {
    tirbi_place *copy = TIRBI_NEW(r->pool->arena, tirbi_place);
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(r->pool->arena, const tirbi_lx *, place->ndim);
    if (!copy || !indices) return NULL;
    *copy = *place;
    copy->buffer = rewrite_view(r, place->buffer);
    if (!copy->buffer) return NULL;
    for (uint32_t i = 0; i < place->ndim; i++) {
        indices[i] = tirbi_rewrite_value(r, place->indices[i]);
        if (!indices[i]) return NULL;
    }
    copy->indices = indices;
    if (r->renumber && !place->view && follows_from_subscripts(r->pool, place)) {
        tirbi_place *made = (tirbi_place *)(uintptr_t)tirbi_place_in(r->pool, copy->buffer, indices, place->span);
        if (made) made->guard = place->guard;
        return made;
    }
    copy->flat = tirbi_has_own_number(place) ? tirbi_rewrite_value(r, place->flat) : indices[0];
    copy->view = tirbi_rewrite_place(r, place->view);
    return copy->flat && (copy->view || !place->view) ? copy : NULL;
}

/* Rewrites a value that may not be there. */
static bool other_value(tirbi_rewrite *r, const tirbi_lx **value) {
    if (!*value) return true;
    *value = tirbi_rewrite_value(r, *value);
    return *value != NULL;
}

const tirbi_lx *tirbi_rewrite_value(tirbi_rewrite *r, const tirbi_lx *x) {
    if (!x) return NULL;
    const tirbi_lx *other = r->replace ? r->replace(r, x) : NULL;
    if (other) return other;
    if (x->kind == TIRBI_LX_VAR) {
        const tirbi_binding *b = binding_of(r, x->var);
        return b ? b->value : x;
    }
    if (x->kind == TIRBI_LX_LOAD) {
        return tirbi_lx_load(r->pool, tirbi_rewrite_place(r, x->access));
    }
    if (x->kind == TIRBI_LX_CONST) return x;
    if (x->kind == TIRBI_LX_CALL) return NULL;
    const tirbi_lx *a[3] = {0};
    for (int i = 0; i < x->n_args; i++) {
        a[i] = tirbi_rewrite_value(r, x->args[i]);
        if (!a[i]) return NULL;
    }
    if (x->kind != TIRBI_LX_OP) return tirbi_lx_lazy(r->pool, (tirbi_lx_kind)x->kind, a[0], a[1], a[2]);
    if (x->addend_first)
        return tirbi_lx_fused(r->pool, (tirbi_op)x->op, (tirbi_dtype)x->optype, a[0], a[1], a[2], true);
    return tirbi_lx_op(r->pool, (tirbi_op)x->op, (tirbi_dtype)x->optype, (tirbi_dtype)x->source, a[0], a[1], a[2]);
}

const tirbi_lx *tirbi_value_in_type(tirbi_lx_pool *pool, tirbi_dtype type, const tirbi_lx *x) {
    if (!x || x->type == type || x->kind == TIRBI_LX_CONST) return tirbi_lx_cast(pool, type, x);
    if (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && x->source == type) return x->args[0];
    if (x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_ADD || x->op == TIRB_OP_SUB || x->op == TIRB_OP_MUL)) {
        const tirbi_lx *a = tirbi_value_in_type(pool, type, x->args[0]),
                       *b = tirbi_value_in_type(pool, type, x->args[1]);
        return tirbi_lx_binary(pool, (tirbi_op)x->op, type, a, b);
    }
    return tirbi_lx_cast(pool, type, x);
}

const tirbi_lx *tirbi_value_with(tirbi_lx_pool *pool, const tirbi_lx *x, const tirbi_lvar *var, const tirbi_lx *value) {
    const tirbi_binding bound = {.var = var, .value = value};
    tirbi_rewrite rewrite = {.pool = pool, .bound = &bound};
    return value ? tirbi_rewrite_value(&rewrite, x) : NULL;
}

/* ---- What may be written anew ----------------------------------------------------------------------------------- */

static bool depends(const tirbi_lbuf *buffer, const tirbi_loop_set *counters) {
    for (const tirbi_lbuf *b = buffer; b; b = b->source) {
        if (tirbi_buffer_moves(b, counters)) return true;
        for (uint32_t d = 0; d < b->ndim; d++)
            if (tirbi_depends_on_loops(b->shape[d], counters)) return true;
        for (uint32_t d = 0; b->source && d < b->source->ndim; d++)
            if (tirbi_depends_on_loops(b->source_mins[d], counters)) return true;
    }
    return false;
}

static bool is_counter(const void *counters, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_VAR && tirbi_mentions_loops(x, counters);
}

static bool is_bounded_by(const tirbi_lvar *var, const tirbi_loop_set *counters) {
    const tirbi_lx *bounds[] = {var->min, var->extent, var->below};
    for (uint32_t i = 0; i < 3; i++)
        if (tirbi_any_expr(bounds[i], TIRBI_WALK_INDICES, is_counter, counters)) return true;
    return false;
}

static tirbi_step check_stmt(tirbi_walk *w, const tirbi_ls *s) {
    bool fails = s->kind == TIRBI_LS_SEARCH || s->kind == TIRBI_LS_FETCH;
    if (s->kind == TIRBI_LS_LOOP) fails = is_bounded_by(s->as.loop.var, w->context);
    if (s->kind == TIRBI_LS_ALLOC) fails = depends(s->as.alloc.buffer, w->context);
    for (uint32_t i = 0; s->kind == TIRBI_LS_TREE && i < s->as.tree.n_loops; i++)
        fails = fails || is_bounded_by(s->as.tree.loops[i], w->context);
    return fails ? TIRBI_STOP : TIRBI_INTO;
}

static bool check_place(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    (void)load;
    for (const tirbi_place *v = place; v; v = v->view)
        if (depends(v->buffer, w->context)) return false;
    return true;
}

bool tirbi_may_recount(const tirbi_ls *body, const tirbi_loop_set *counters) {
    tirbi_walk walk = {.context = (void *)(uintptr_t)counters,
                       .stmt = check_stmt,
                       .expr = tirbi_stop_at_call,
                       .access = check_place,
                       .reach = TIRBI_WALK_PLACES | TIRBI_WALK_VIEWS};
    return !tirbi_leaves_loop(body) && tirbi_walk_stmt(&walk, body);
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

/* The variable of a loop, with its bounds. */
static tirbi_lvar *other_counter(tirbi_rewrite *r, const tirbi_lvar *var) {
    if (!(r->anew & TIRBI_LOOPS_ANEW)) return (tirbi_lvar *)(uintptr_t)var;
    tirbi_lvar *fresh = begin_anew(r, var);
    const bool bounded =
        fresh && other_value(r, &fresh->min) && other_value(r, &fresh->extent) && other_value(r, &fresh->below);
    return bounded ? fresh : NULL;
}

static const tirbi_ls *nothing(const tirbi_rewrite *r, const tirbi_ls *like) {
    return tirbi_new_sequence(r->pool, like->span, NULL, 0);
}

static bool is_nothing(const tirbi_ls *s) { return s->kind == TIRBI_LS_SEQ && s->as.seq.n == 0; }

/* A list of loops with others in place of those that count otherwise; NULL: it names only some of these. */
static tirbi_lvar *const *other_loops(const tirbi_rewrite *r, tirbi_lvar *const *vars, uint32_t *n) {
    tirbi_lvar **all = TIRBI_NEW_ARRAY(r->pool->arena, tirbi_lvar *, *n + r->n_to + 1);
    uint32_t count = 0, found = 0;
    if (!all) return NULL;
    for (uint32_t i = 0; i < *n; i++) {
        if (!tirbi_is_listed(vars[i], r->from, r->n_from)) {
            all[count++] = named(r, vars[i]);
            continue;
        }
        for (uint32_t k = 0; found == 0 && k < r->n_to; k++) all[count++] = r->to[k];
        found++;
    }
    *n = count;
    return found == 0 || found == r->n_from ? all : NULL;
}

static bool other_tree(tirbi_rewrite *r, tirbi_ls *tree) {
    const uint32_t n = tree->as.tree.n_updates, n_lets = tree->as.tree.n_lets;
    tirbi_update *updates = TIRBI_NEW_ARRAY(r->pool->arena, tirbi_update, n);
    const tirbi_lx **lets = TIRBI_NEW_ARRAY(r->pool->arena, const tirbi_lx *, n_lets + 1);
    for (uint32_t i = 0; i < tree->as.tree.n_loops; i++)
        if (!tirbi_is_listed(tree->as.tree.loops[i], r->from, r->n_from) && !other_counter(r, tree->as.tree.loops[i]))
            return false;
    tree->as.tree.loops = other_loops(r, tree->as.tree.loops, &tree->as.tree.n_loops);
    if (!updates || !lets || !tree->as.tree.loops) return false;
    for (uint32_t i = 0; i < n; i++) {
        tirbi_update *u = &updates[i];
        *u = tree->as.tree.updates[i];
        if (u->target->buffer->local && r->anew) return false; /* the buffer's variable would be another one */
        u->target = tirbi_rewrite_place(r, u->target);
        u->value = tirbi_rewrite_value(r, u->value);
        if (!u->target || !u->value || !other_value(r, &u->factor)) return false;
    }
    tree->as.tree.n_lets = 0; /* those that still may fail */
    for (uint32_t i = 0; i < n_lets; i++) {
        const tirbi_lx *value = tirbi_rewrite_value(r, tree->as.tree.lets[i]);
        if (!value) return false;
        if (value->traps) lets[tree->as.tree.n_lets++] = value;
    }
    tree->as.tree.updates = updates;
    tree->as.tree.lets = lets;
    const bool begins = tree->as.tree.init != NULL;
    if (begins) tree->as.tree.init = tirbi_rewrite_stmt(r, tree->as.tree.init);
    return !begins || tree->as.tree.init;
}

/* A condition that is decided leaves one of its cases. */
static const tirbi_ls *other_branch(tirbi_rewrite *r, tirbi_ls *branch) {
    const tirbi_ls *no = branch->as.if_.else_case;
    const tirbi_lx *condition = branch->as.if_.condition = tirbi_rewrite_value(r, branch->as.if_.condition);
    if (!condition) return NULL;
    if (condition->kind == TIRBI_LX_CONST && !branch->as.if_.sizes) {
        if (condition->value) return tirbi_rewrite_stmt(r, branch->as.if_.then_case);
        return no ? tirbi_rewrite_stmt(r, no) : nothing(r, branch);
    }
    branch->as.if_.then_case = tirbi_rewrite_stmt(r, branch->as.if_.then_case);
    branch->as.if_.else_case = tirbi_rewrite_stmt(r, no);
    if (!branch->as.if_.then_case || (no && !branch->as.if_.else_case)) return NULL;
    if (no && is_nothing(branch->as.if_.else_case)) branch->as.if_.else_case = NULL;
    if (!branch->as.if_.first_of) return branch;
    branch->as.if_.first_of = other_loops(r, branch->as.if_.first_of, &branch->as.if_.n_first_of);
    if (!branch->as.if_.first_of) return NULL;
    if (branch->as.if_.n_first_of == 0) branch->as.if_.first_of = NULL;
    return branch;
}

static const tirbi_ls *other_set(tirbi_rewrite *r, tirbi_ls *set) {
    tirbi_lvar *var = set->as.set.var;
    const bool begins = set->as.set.declares;
    if ((r->anew & TIRBI_LETS_ANEW) && (!begins || var->kind != TIRBI_LVAR_LET)) return NULL;
    if (!other_value(r, &set->as.set.value)) return NULL;
    const tirbi_binding *element = r->stores ? binding_of(r, var) : NULL;
    if (element && element->value && element->value->kind == TIRBI_LX_LOAD)
        return tirbi_new_store(r->pool, set->span, element->value->access, set->as.set.value);
    if (r->anew & ~TIRBI_LOOPS_ANEW) set->as.set.var = begins ? begin_anew(r, var) : named(r, var);
    return set->as.set.var ? set : NULL;
}

static const tirbi_ls *other_loop(tirbi_rewrite *r, tirbi_ls *loop) {
    const tirbi_binding *before = r->bound;
    if ((r->anew & TIRBI_LOOPS_ANEW) && (loop->as.loop.blocks || loop->as.loop.rows)) return NULL;
    loop->as.loop.var = other_counter(r, loop->as.loop.var);
    if (!loop->as.loop.var || !other_value(r, &loop->as.loop.step)) return NULL;
    if (loop->as.loop.var->extent->hi <= 0) return nothing(r, loop);
    loop->as.loop.body = tirbi_rewrite_stmt(r, loop->as.loop.body);
    r->bound = before;
    if (!loop->as.loop.body) return NULL;
    return is_nothing(loop->as.loop.body) ? nothing(r, loop) : loop;
}

/* What became nothing leaves no trace. */
static const tirbi_ls *other_items(tirbi_rewrite *r, tirbi_ls *seq) {
    const tirbi_ls **items = TIRBI_NEW_ARRAY(r->pool->arena, const tirbi_ls *, seq->as.seq.n + 1);
    uint32_t n = 0;
    if (!items) return NULL;
    for (uint32_t i = 0; i < seq->as.seq.n; i++) {
        items[n] = tirbi_rewrite_stmt(r, seq->as.seq.items[i]);
        if (!items[n]) return NULL;
        n += !is_nothing(items[n]);
    }
    seq->as.seq.items = items;
    seq->as.seq.n = n;
    return n == 1 ? items[0] : seq;
}

/* A copy of a statement as what it becomes. */
static const tirbi_ls *other_stmt(tirbi_rewrite *r, tirbi_ls *s) {
    switch ((tirbi_ls_kind)s->kind) {
    case TIRBI_LS_SEQ: return other_items(r, s);
    case TIRBI_LS_LOOP: return other_loop(r, s);
    case TIRBI_LS_IF: return other_branch(r, s);
    case TIRBI_LS_WHILE:
        s->as.while_.body = tirbi_rewrite_stmt(r, s->as.while_.body);
        return s->as.while_.body && other_value(r, &s->as.while_.condition) ? s : NULL;
    case TIRBI_LS_STORE:
        s->as.store.access = tirbi_rewrite_place(r, s->as.store.access);
        return s->as.store.access && other_value(r, &s->as.store.value) ? s : NULL;
    case TIRBI_LS_SET: return other_set(r, s);
    case TIRBI_LS_EVAL:
    case TIRBI_LS_RETURN: return other_value(r, &s->as.eval.value) ? s : NULL;
    case TIRBI_LS_ASSERT: return other_value(r, &s->as.assert_.condition) ? s : NULL;
    case TIRBI_LS_TREE: return other_tree(r, s) ? s : NULL;
    case TIRBI_LS_ALLOC:
    case TIRBI_LS_FETCH:
    case TIRBI_LS_BREAK:
    case TIRBI_LS_CONTINUE: return s;
    case TIRBI_LS_SEARCH: break;
    }
    return NULL;
}

const tirbi_ls *tirbi_rewrite_inside(tirbi_rewrite *r, const tirbi_ls *s) {
    const uint32_t kinds = r->kinds ? r->kinds : r->anew & TIRBI_LOOPS_ANEW ? TIRBI_NESTS : TIRBI_STRAIGHT;
    tirbi_ls *copy = kinds >> s->kind & 1 ? tirbi_same_stmt(r->pool, s) : NULL;
    return copy ? other_stmt(r, copy) : NULL;
}

const tirbi_ls *tirbi_rewrite_stmt(tirbi_rewrite *r, const tirbi_ls *s) {
    if (!s) return NULL;
    const tirbi_ls *other = r->statement ? r->statement(r, s) : NULL;
    return other ? other : tirbi_rewrite_inside(r, s);
}

const tirbi_ls *tirbi_code_with(tirbi_lx_pool *pool, const tirbi_ls *s, const tirbi_lvar *var, const tirbi_lx *value) {
    const tirbi_binding bound = {.var = var, .value = value};
    tirbi_rewrite rewrite = {.pool = pool, .bound = &bound};
    return value ? tirbi_rewrite_stmt(&rewrite, s) : NULL;
}

const tirbi_ls *tirbi_recount(tirbi_lx_pool *pool, const tirbi_ls *body, tirbi_lvar *old, tirbi_lvar *fresh,
                              const tirbi_lx *value) {
    const tirbi_binding bound = {.var = old, .value = value};
    tirbi_rewrite rewrite = {.pool = pool, .bound = &bound, .kinds = TIRBI_ANY_CODE};
    rewrite.from = &old;
    rewrite.to = &fresh;
    rewrite.n_from = rewrite.n_to = 1;
    return value ? tirbi_rewrite_stmt(&rewrite, body) : NULL;
}
