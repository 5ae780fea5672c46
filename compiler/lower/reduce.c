/* Reduce expressions: loops that run before the statement which the expression stands in, over variables that hold what
 * there is so far. Updates are made in the order of the axes, the last fastest. */
#include "compiler/lower/lower.h"

typedef struct reduction {
    tirbi_lowerer *l;
    const tirb_expr *e;
    const tirb_reduce *r;
    tirbi_lvar **held; /* per value: what there is so far */
} reduction;

static void set(tirbi_lowerer *l, tirbi_lvar *var, const tirbi_lx *value, bool declares, tirbi_span span) {
    if (!value) return;
    tirbi_ls *s = tirbi_append(l, TIRBI_LS_SET, span);
    s->as.set.var = var;
    s->as.set.value = value;
    s->as.set.declares = declares;
}

static const tirbi_lx *new_let(tirbi_lowerer *l, const char *name, const tirbi_lx *value, tirbi_span span) {
    tirbi_lvar *v = value ? tirbi_new_var(l, name, TIRBI_LVAR_LET, (tirbi_dtype)value->type) : NULL;
    if (!v) return NULL;
    set(l, v, value, true, span);
    return tirbi_lx_var(l->pool, v);
}

/* All results are computed before the first is kept. */
static void lower_update(reduction *c) {
    tirbi_lowerer *l = c->l;
    uint32_t n = c->r->n_values;
    const tirbi_lx **results = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, n);
    if (!results) return;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_lx *next = new_let(l, "next", tirbi_lower_expr(l, c->r->source[i], NULL), c->e->span);
        if (!next) return;
        tirbi_lower_bind(l, c->r->rhs[i], next);
        tirbi_lower_bind(l, c->r->lhs[i], tirbi_lx_var(l->pool, c->held[i]));
    }
    for (uint32_t i = 0; i < n; i++) {
        results[i] = tirbi_lower_expr(l, c->r->result[i], NULL);
        if (results[i] && n > 1) results[i] = new_let(l, "result", results[i], c->e->span);
    }
    for (uint32_t i = 0; i < n; i++) set(l, c->held[i], results[i], false, c->e->span);
}

static void lower_guarded(reduction *c) {
    tirbi_lowerer *l = c->l;
    if (!c->r->condition) {
        lower_update(c);
        return;
    }
    const tirbi_lx *condition = tirbi_lower_expr(l, c->r->condition, NULL);
    tirbi_ls *branch = tirbi_append(l, TIRBI_LS_IF, c->e->span);
    tirbi_ls_list list = {0}, *outer = l->out;
    l->out = &list;
    lower_update(c);
    l->out = outer;
    branch->as.if_.condition = condition ? tirbi_lx_cast(l->pool, TIRB_BOOL, condition) : NULL;
    branch->as.if_.then_case = tirbi_finish_list(l, &list, c->e->span);
}

static void lower_axis(reduction *c, uint32_t i) {
    tirbi_lowerer *l = c->l;
    if (i == c->r->n_axis) {
        lower_guarded(c);
        return;
    }
    const tirb_itervar *axis = &c->r->axis[i];
    const tirbi_lx *min = tirbi_lower_index(l, axis->dom.min, NULL),
                   *extent = tirbi_lower_extent(l, axis->dom.extent);
    tirbi_lvar *v = min && extent ? tirbi_lower_loop_var(l, axis->var, min, extent) : NULL;
    if (!v) return;
    tirbi_ls *loop = tirbi_append(l, TIRBI_LS_LOOP, c->e->span);
    tirbi_ls_list list = {0}, *outer = l->out;
    l->out = &list;
    l->depth++;
    lower_axis(c, i + 1);
    l->depth--;
    l->out = outer;
    loop->as.loop.var = v;
    loop->as.loop.body = tirbi_finish_list(l, &list, c->e->span);
}

const tirbi_lx *tirbi_lower_reduce(tirbi_lowerer *l, const tirb_expr *e) {
    const tirb_reduce *r = e->as.reduce;
    reduction c = {.l = l, .e = e, .r = r, .held = TIRBI_NEW_ARRAY(l->arena, tirbi_lvar *, r->n_values)};
    if (!c.held) return NULL;
    for (uint32_t i = 0; i < r->n_values; i++) {
        tirbi_dtype type;
        if (r->source[i]->dtype.lanes != 1) {
            tirbi_unsupported(l, e->span, "a reduction of vectors");
            return NULL;
        }
        if (!tirbi_machine_type(l, r->source[i]->dtype, r->source[i]->span, &type)) return NULL;
        c.held[i] = tirbi_new_var(l, "reduced", TIRBI_LVAR_LOCAL, type);
        const tirbi_lx *first = tirbi_lower_expr(l, r->init ? r->init[i] : r->identity[i], NULL);
        if (!c.held[i] || !first) return NULL;
        set(l, c.held[i], tirbi_lx_cast(l->pool, type, first), true, e->span);
    }
    lower_axis(&c, 0);
    return tirbi_lx_var(l->pool, c.held[r->value_index]);
}
