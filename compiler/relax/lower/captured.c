#include "compiler/relax/lower/captured.h"

#include "compiler/ir/visit.h"

typedef struct collector {
    tirbi_arena *arena;
    const tirb_relax_var *self;
    const tirbi_list *lifted;
    tirbi_relax_lifted *out;
    tirbi_list bound; /* of bool: by the number of a variable */
    bool calls_itself, failed;
} collector;

static bool is_bound(const collector *c, uint32_t id) { return id < c->bound.n && ((const bool *)c->bound.items)[id]; }

static void bind(collector *c, const tirb_relax_var *var) {
    while (c->bound.n <= var->id) {
        bool *slot = TIRBI_LIST_ADD(c->arena, &c->bound, bool);
        if (!slot) {
            c->failed = true;
            return;
        }
        *slot = false;
    }
    ((bool *)c->bound.items)[var->id] = true;
}

static void add_size(collector *c, const tirb_expr *var) {
    const tirb_expr *const *items = c->out->sizes.items;
    for (uint32_t i = 0; i < c->out->sizes.n; i++)
        if (items[i] == var) return;
    const tirb_expr **slot = TIRBI_LIST_ADD(c->arena, &c->out->sizes, const tirb_expr *);
    if (slot) *slot = var;
    c->failed |= !slot;
}

static void add_var(collector *c, const tirb_relax_expr *use) {
    const tirb_relax_expr *const *items = c->out->vars.items;
    for (uint32_t i = 0; i < c->out->vars.n; i++)
        if (items[i]->as.var == use->as.var) return;
    const tirb_relax_expr **slot = TIRBI_LIST_ADD(c->arena, &c->out->vars, const tirb_relax_expr *);
    if (slot) *slot = use;
    c->failed |= !slot;
}

static void walk_prim(tirbi_visitor *visitor, const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_VAR) add_size(visitor->context, e);
    tirbi_visit_expr(visitor, e);
}

static void prims(collector *c, const tirb_expr *const *items, uint32_t n) {
    tirbi_visitor visitor = {.expr = walk_prim, .context = c};
    for (uint32_t i = 0; i < n; i++) walk_prim(&visitor, items[i]);
}

static void walk_type(collector *c, const tirb_relax_type *t) {
    if (!t || c->failed || !tirbi_arena_work(c->arena, 1)) return;
    if (t->has_shape) prims(c, t->shape, (uint32_t)t->ndim);
    for (uint32_t i = 0; i < t->n_fields; i++) walk_type(c, t->fields[i]);
    walk_type(c, t->ret);
}

static void walk_seq(collector *c, const tirb_relax_seq *seq);

static void walk_use(collector *c, const tirb_relax_expr *e) {
    const uint32_t id = e->as.var->id;
    c->calls_itself |= e->as.var == c->self;
    if (e->as.var == c->self || is_bound(c, id)) return;
    const tirbi_relax_lifted *other = id < c->lifted->n ? ((tirbi_relax_lifted *const *)c->lifted->items)[id] : NULL;
    if (!other) add_var(c, e);
    for (uint32_t i = 0; other && i < other->vars.n; i++)
        add_var(c, ((const tirb_relax_expr *const *)other->vars.items)[i]);
    for (uint32_t i = 0; other && i < other->sizes.n; i++)
        add_size(c, ((const tirb_expr *const *)other->sizes.items)[i]);
    bind(c, e->as.var); /* once is enough */
}

static void walk_function(collector *c, const tirb_relax_function *f) {
    for (uint32_t i = 0; i < f->n_params; i++) {
        walk_type(c, f->params[i]->type);
        bind(c, f->params[i]);
    }
    walk_type(c, f->ret);
    walk_seq(c, f->body);
}

static void walk_expr(collector *c, const tirb_relax_expr *e) {
    if (c->failed || !tirbi_arena_work(c->arena, 1)) return;
    walk_type(c, e->kind == TIRB_RELAX_FUNCTION ? NULL : e->type);
    switch (e->kind) {
    case TIRB_RELAX_VAR:
        walk_use(c, e);
        break;
    case TIRB_RELAX_PRIM:
        prims(c, &e->as.prim, 1);
        break;
    case TIRB_RELAX_SHAPE:
        prims(c, e->as.shape.values, e->as.shape.n);
        break;
    case TIRB_RELAX_TUPLE:
        for (uint32_t i = 0; i < e->as.tuple.n; i++) walk_expr(c, e->as.tuple.items[i]);
        break;
    case TIRB_RELAX_TUPLE_GET:
        walk_expr(c, e->as.get.tuple);
        break;
    case TIRB_RELAX_CALL:
        if (e->as.call.callee) walk_expr(c, e->as.call.callee);
        for (uint32_t i = 0; i < e->as.call.n_args; i++) walk_expr(c, e->as.call.args[i]);
        for (uint32_t i = 0; i < e->as.call.n_attrs; i++)
            if (e->as.call.attrs[i].kind == TIRB_RELAX_ATTR_EXPR) prims(c, &e->as.call.attrs[i].as.expr, 1);
        for (uint32_t i = 0; i < e->as.call.n_types; i++) walk_type(c, e->as.call.types[i]);
        break;
    case TIRB_RELAX_FUNCTION:
        walk_function(c, e->as.function);
        break;
    case TIRB_RELAX_IF:
        walk_expr(c, e->as.if_.condition);
        walk_seq(c, e->as.if_.then_case);
        walk_seq(c, e->as.if_.else_case);
        break;
    default:
        break;
    }
}

static void walk_seq(collector *c, const tirb_relax_seq *seq) {
    for (uint32_t i = 0; i < seq->n_blocks; i++)
        for (uint32_t k = 0; k < seq->blocks[i].n_bindings; k++) {
            const tirb_relax_binding *b = &seq->blocks[i].bindings[k];
            if (b->value->kind == TIRB_RELAX_FUNCTION) bind(c, b->var); /* which may call itself */
            walk_expr(c, b->value);
            if (b->kind == TIRB_RELAX_MATCH_CAST) walk_type(c, b->cast);
            bind(c, b->var);
        }
    walk_expr(c, seq->body);
}

bool tirbi_relax_find_captured(tirbi_arena *arena, const tirb_relax_function *f, const tirb_relax_var *self,
                               const tirbi_list *lifted, tirbi_relax_lifted *out, bool *calls_itself) {
    collector c = {.arena = arena, .self = self, .lifted = lifted, .out = out};
    walk_function(&c, f);
    *calls_itself = c.calls_itself;
    return !c.failed && !arena->failed;
}
