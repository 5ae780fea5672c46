#include "compiler/relax/lower/fuse.h"

#include <stdio.h>
#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/relax/lower/legal.h"

/* What kind of loops an operator is, as Relay's and Relax's FuseOps have it; one that is in no row is opaque. */
typedef enum pattern {
    ELEMWISE,          /* an element of the result is made of elements at its place, or broadcast over it */
    COMM_REDUCE,       /* a sum or its like, which nothing follows */
    OUT_EWISE_FUSABLE, /* what is elementwise may follow in the same loops */
    OPAQUE
} pattern;

/* The rule of costs is the last two columns: false where two functions were measured to be no slower than one, as loops
 * are optimized. A contraction is an instruction over whole tensors, with which nothing shares loops. */
typedef struct pattern_row {
    tirb_relax_op op;
    pattern pattern;
    bool takes_input, takes_output; /* elementwise operators may stand in front of it in its function, and behind it */
} pattern_row;

static const pattern_row patterns[] = {
    {TIRB_RELAX_ABS, ELEMWISE, true, true},
    {TIRB_RELAX_CEIL, ELEMWISE, true, true},
    {TIRB_RELAX_COS, ELEMWISE, true, true},
    {TIRB_RELAX_ERF, ELEMWISE, true, true},
    {TIRB_RELAX_EXP, ELEMWISE, true, true},
    {TIRB_RELAX_FLOOR, ELEMWISE, true, true},
    {TIRB_RELAX_LOG, ELEMWISE, true, true},
    {TIRB_RELAX_LOGICAL_NOT, ELEMWISE, true, true},
    {TIRB_RELAX_NEGATIVE, ELEMWISE, true, true},
    {TIRB_RELAX_ROUND, ELEMWISE, true, true},
    {TIRB_RELAX_RSQRT, ELEMWISE, true, true},
    {TIRB_RELAX_SIGMOID, ELEMWISE, true, true},
    {TIRB_RELAX_SIN, ELEMWISE, true, true},
    {TIRB_RELAX_SQRT, ELEMWISE, true, true},
    {TIRB_RELAX_SQUARE, ELEMWISE, true, true},
    {TIRB_RELAX_TANH, ELEMWISE, true, true},
    {TIRB_RELAX_TRUNC, ELEMWISE, true, true},
    {TIRB_RELAX_CLIP, ELEMWISE, true, true},
    {TIRB_RELAX_ASTYPE, ELEMWISE, true, true},
    {TIRB_RELAX_ADD, ELEMWISE, true, true},
    {TIRB_RELAX_SUBTRACT, ELEMWISE, true, true},
    {TIRB_RELAX_MULTIPLY, ELEMWISE, true, true},
    {TIRB_RELAX_DIVIDE, ELEMWISE, true, true},
    {TIRB_RELAX_POWER, ELEMWISE, true, true},
    {TIRB_RELAX_MAXIMUM, ELEMWISE, true, true},
    {TIRB_RELAX_MINIMUM, ELEMWISE, true, true},
    {TIRB_RELAX_EQUAL, ELEMWISE, true, true},
    {TIRB_RELAX_NOT_EQUAL, ELEMWISE, true, true},
    {TIRB_RELAX_LESS, ELEMWISE, true, true},
    {TIRB_RELAX_LESS_EQUAL, ELEMWISE, true, true},
    {TIRB_RELAX_GREATER, ELEMWISE, true, true},
    {TIRB_RELAX_GREATER_EQUAL, ELEMWISE, true, true},
    {TIRB_RELAX_WHERE, ELEMWISE, true, true},
    {TIRB_RELAX_NN_RELU, ELEMWISE, true, true},
    {TIRB_RELAX_NN_RELU6, ELEMWISE, true, true},
    {TIRB_RELAX_NN_LEAKYRELU, ELEMWISE, true, true},
    {TIRB_RELAX_NN_GELU, ELEMWISE, true, true},
    {TIRB_RELAX_NN_GELU_TANH, ELEMWISE, true, true},
    {TIRB_RELAX_NN_SELU, ELEMWISE, true, true},
    {TIRB_RELAX_NN_SILU, ELEMWISE, true, true},
    {TIRB_RELAX_NN_SOFTPLUS, ELEMWISE, true, true},
    {TIRB_RELAX_QUANTIZE, ELEMWISE, true, true},
    {TIRB_RELAX_DEQUANTIZE, ELEMWISE, true, true},
    {TIRB_RELAX_SUM, COMM_REDUCE, true, false},
    {TIRB_RELAX_PROD, COMM_REDUCE, true, false},
    {TIRB_RELAX_MAX, COMM_REDUCE, true, false},
    {TIRB_RELAX_MIN, COMM_REDUCE, true, false},
    {TIRB_RELAX_MEAN, OUT_EWISE_FUSABLE, true, true},
    {TIRB_RELAX_VARIANCE, OUT_EWISE_FUSABLE, true, true},
    {TIRB_RELAX_NN_SOFTMAX, OUT_EWISE_FUSABLE, true, true},
    {TIRB_RELAX_NN_LOG_SOFTMAX, OUT_EWISE_FUSABLE, true, true},
    {TIRB_RELAX_NN_LAYER_NORM, OUT_EWISE_FUSABLE, true, true},
    {TIRB_RELAX_NN_RMS_NORM, OUT_EWISE_FUSABLE, true, true},
    {TIRB_RELAX_MATMUL, OUT_EWISE_FUSABLE, false, false},
    {TIRB_RELAX_NN_CONV1D, OUT_EWISE_FUSABLE, false, false},
    {TIRB_RELAX_NN_CONV2D, OUT_EWISE_FUSABLE, false, true},
    {TIRB_RELAX_NN_CONV3D, OUT_EWISE_FUSABLE, false, false},
    {TIRB_RELAX_NN_MAX_POOL2D, OUT_EWISE_FUSABLE, false, true},
    {TIRB_RELAX_NN_AVG_POOL2D, OUT_EWISE_FUSABLE, false, true},
    {TIRB_RELAX_NN_ADAPTIVE_AVG_POOL2D, OUT_EWISE_FUSABLE, false, true},
};

enum { MAX_MEMBERS = 64, MAX_OPERANDS = 32, MAX_NAME = 64 };

/* ---- The graph of a block ---------------------------------------------------------------------------------------- */

typedef struct node {
    const tirb_relax_binding *binding;
    const pattern_row *row;         /* NULL: opaque */
    bool is_output;                 /* others than this block use it */
    tirbi_list users;               /* of uint32_t: nodes behind it */
    uint32_t post_dominator, depth; /* the next node that all of its uses lead to; n: the end of the block */
    uint32_t group;                 /* the number of a node that stands for its group */
    uint32_t n_members, n_anchors;  /* of the group: nodes, and those that are not elementwise */
    bool takes_input;               /* of the group: its anchor, if it has one, may have operators in front of it */
    uint32_t seen;                  /* the last search that came here */
    uint32_t n_writes;              /* bindings ahead of it that may write to tensors that others have made */
    tirbi_relax_group *made;        /* of the group: what it becomes, and its bindings */
    const tirb_relax_binding **members;
    bool leaves, is_broken; /* of the group: others use its last member; it cannot be computed where that stands */
} node;

typedef struct graph {
    tirbi_relax_lowering *l;
    node *nodes;
    uint32_t n, n_searches;
    uint32_t n_found; /* members of groups that the search under way has come to */
} graph;

static const pattern_row *row_of(const tirb_relax_expr *call) {
    for (uint32_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (tirb_relax_is_call(call, patterns[i].op)) return &patterns[i];
    return NULL;
}

static bool is_tensor(const tirb_relax_type *t) {
    return t && t->kind == TIRB_RELAX_TYPE_TENSOR && t->has_shape && tirb_relax_knows_dtype(t);
}

/* Whether each operand is a tensor, or a number of the text that is given to the operator's text. */
static bool has_plain_operands(const tirb_relax_expr *call) {
    tirbi_relax_parameter parameters[TIRBI_MAX_RELAX_PARAMETERS];
    const uint32_t n = tirbi_relax_parameters(call->as.call.op, parameters);
    uint32_t arg = 0;
    for (uint32_t i = 0; i < n && arg < call->as.call.n_args; i++) {
        if (tirbi_relax_is_attr(&parameters[i]) || parameters[i].kind == 'T') continue;
        const tirb_relax_expr *e = call->as.call.args[arg++];
        const bool is_number = e->kind == TIRB_RELAX_PRIM &&
                               (e->as.prim->kind == TIRB_EXPR_INT_IMM || e->as.prim->kind == TIRB_EXPR_FLOAT_IMM);
        const bool is_plain = e->kind == TIRB_RELAX_VAR ? is_tensor(e->as.var->type) : e->kind == TIRB_RELAX_CONST;
        if (parameters[i].kind == 'n' ? !is_number : !is_plain) return false;
    }
    return arg == call->as.call.n_args;
}

static bool add_user(graph *g, const tirb_relax_expr *e, uint32_t user) {
    if (!tirbi_arena_work(g->l->arena, 1)) return false;
    if (e->kind == TIRB_RELAX_TUPLE)
        for (uint32_t i = 0; i < e->as.tuple.n; i++)
            if (!add_user(g, e->as.tuple.items[i], user)) return false;
    if (e->kind == TIRB_RELAX_TUPLE_GET) return add_user(g, e->as.get.tuple, user);
    if (e->kind == TIRB_RELAX_CALL)
        for (uint32_t i = 0; i < e->as.call.n_args; i++)
            if (!add_user(g, e->as.call.args[i], user)) return false;
    const uint32_t number = e->kind == TIRB_RELAX_VAR ? g->l->node_of[e->as.var->id] : 0;
    uint32_t *slot = number ? TIRBI_LIST_ADD(g->l->arena, &g->nodes[number - 1].users, uint32_t) : NULL;
    if (slot) *slot = user;
    return !number || slot;
}

/* Whether a binding may write to tensors that were there before it: in place, as what it calls may do as well. */
static bool may_write(const tirb_relax_binding *b) {
    const tirb_relax_expr *e = b->value;
    if (e->kind != TIRB_RELAX_CALL) return e->kind == TIRB_RELAX_IF;
    return !e->as.call.op || tirb_relax_is_call(e, TIRB_RELAX_CALL_TIR_INPLACE) ||
           tirb_relax_is_call(e, TIRB_RELAX_CALL_INPLACE_PACKED) ||
           tirb_relax_is_call(e, TIRB_RELAX_INVOKE_PURE_CLOSURE);
}

/* Whether a function calls what may write to its arguments and does not say so: a PrimFunc, a function of the host, or,
 * where functions of the module write in place at all, one of those. */
static bool calls_writer(const tirbi_relax_lowering *l, const tirb_relax_seq *seq, bool any_writes) {
    for (uint32_t i = 0; i < seq->n_blocks; i++)
        for (uint32_t k = 0; k < seq->blocks[i].n_bindings; k++) {
            const tirb_relax_expr *e = seq->blocks[i].bindings[k].value;
            if (!tirbi_arena_work(l->arena, 1)) return true;
            if (e->kind == TIRB_RELAX_IF && (calls_writer(l, e->as.if_.then_case, any_writes) ||
                                             calls_writer(l, e->as.if_.else_case, any_writes)))
                return true;
            if (e->kind != TIRB_RELAX_CALL || e->as.call.op) continue;
            const tirb_relax_expr *callee = e->as.call.callee;
            if (any_writes || callee->kind != TIRB_RELAX_GLOBAL || !callee->as.global.function) return true;
        }
    return false;
}

static bool writes_any(const tirbi_relax_lowering *l, const tirb_relax_seq *seq) {
    for (uint32_t i = 0; i < seq->n_blocks; i++)
        for (uint32_t k = 0; k < seq->blocks[i].n_bindings; k++) {
            const tirb_relax_expr *e = seq->blocks[i].bindings[k].value;
            if (!tirbi_arena_work(l->arena, 1)) return true;
            if (tirb_relax_is_call(e, TIRB_RELAX_CALL_TIR_INPLACE) ||
                tirb_relax_is_call(e, TIRB_RELAX_CALL_INPLACE_PACKED))
                return true;
            if (e->kind == TIRB_RELAX_IF && (writes_any(l, e->as.if_.then_case) || writes_any(l, e->as.if_.else_case)))
                return true;
            if (e->kind == TIRB_RELAX_FUNCTION && writes_any(l, e->as.function->body)) return true;
        }
    return calls_writer(l, seq, false);
}

bool tirbi_relax_writes_unseen(const tirbi_relax_lowering *l, const tirb_relax_function *f) {
    if (!calls_writer(l, f->body, true)) return false;
    bool any = false;
    for (uint32_t i = 0; i < l->module->n_relax && !any; i++) any = writes_any(l, l->module->relax[i]->body);
    return calls_writer(l, f->body, any);
}

static bool read_block(graph *g, const tirb_relax_block *block) {
    uint32_t n_writes = 0;
    for (uint32_t i = 0; i < block->n_bindings; i++) {
        const tirb_relax_binding *b = &block->bindings[i];
        const bool fits = b->kind == TIRB_RELAX_VAR_BINDING && b->value->kind == TIRB_RELAX_CALL &&
                          b->value->as.call.op && is_tensor(b->var->type) && is_tensor(b->value->type);
        const pattern_row *row = fits ? row_of(b->value) : NULL;
        if (row && (!has_plain_operands(b->value) || tirbi_legal_goes_by_channels(b->value))) row = NULL;
        g->nodes[i] = (node){.binding = b,
                             .row = row,
                             .is_output = !b->var->dataflow,
                             .group = i,
                             .n_members = 1,
                             .n_writes = n_writes,
                             .n_anchors = row && row->pattern == ELEMWISE ? 0 : 1,
                             .takes_input = row && row->takes_input};
        if (!add_user(g, b->value, i)) return false;
        g->l->node_of[b->var->id] = i + 1;
        n_writes += may_write(b);
    }
    return true;
}

static uint32_t depth_of(const graph *g, uint32_t i) { return i == g->n ? 0 : g->nodes[i].depth; }

static void find_post_dominators(graph *g) {
    for (uint32_t i = g->n; i-- > 0;) {
        node *x = &g->nodes[i];
        const uint32_t *users = x->users.items;
        uint32_t p = x->is_output || x->users.n == 0 ? g->n : users[0];
        for (uint32_t k = 1; k < x->users.n && p != g->n; k++)
            for (uint32_t q = users[k]; p != q && tirbi_arena_work(g->l->arena, 1);) {
                if (depth_of(g, p) >= depth_of(g, q))
                    p = g->nodes[p].post_dominator;
                else
                    q = g->nodes[q].post_dominator;
            }
        x->post_dominator = p;
        x->depth = depth_of(g, p) + 1;
    }
}

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

static uint32_t group_of(const graph *g, uint32_t i) {
    while (g->nodes[i].group != i) i = g->nodes[i].group;
    return i;
}

static bool same_shape(const node *a, const node *b) {
    const tirb_relax_type *x = a->binding->var->type, *y = b->binding->var->type;
    if (x->ndim != y->ndim) return false;
    for (int32_t i = 0; i < x->ndim; i++)
        if (!tirbi_expr_equal(x->shape[i], y->shape[i])) return false;
    return true;
}

/* What is elementwise, and behind an anchor has its shape, so that its loops can be the anchor's. */
static bool may_follow(const graph *g, uint32_t from, uint32_t at) {
    const node *x = &g->nodes[at], *first = &g->nodes[from];
    return x->row && x->row->pattern == ELEMWISE && (first->row->pattern == ELEMWISE || same_shape(first, x));
}

static void join(graph *g, uint32_t with, uint32_t at) {
    const uint32_t a = group_of(g, with), b = group_of(g, at);
    if (a == b) return;
    g->nodes[a].group = b;
    g->nodes[b].n_members += g->nodes[a].n_members;
    g->nodes[b].n_anchors += g->nodes[a].n_anchors;
    g->nodes[b].takes_input = g->nodes[b].takes_input && g->nodes[a].takes_input;
}

/* Whether what is on the ways from node `from` to its post-dominator, behind node `at`, may be in one group with both;
 * `joined`: makes it so instead. `left`: how long ways may be. */
static bool on_all_ways(graph *g, uint32_t from, uint32_t at, uint32_t left, bool joined) {
    const uint32_t *users = g->nodes[at].users.items, to = g->nodes[from].post_dominator;
    for (uint32_t k = 0; k < g->nodes[at].users.n; k++) {
        node *x = &g->nodes[users[k]];
        if (users[k] == to || x->seen == g->n_searches) continue;
        x->seen = g->n_searches;
        const uint32_t group = group_of(g, users[k]);
        if (!joined) g->n_found += g->nodes[group].n_members;
        const bool has_anchor = group != group_of(g, from) && group != group_of(g, to) && g->nodes[group].n_anchors;
        if (!tirbi_arena_work(g->l->arena, 1) || left == 0 || g->n_found > MAX_MEMBERS ||
            (!joined && (has_anchor || !may_follow(g, from, users[k]))))
            return false;
        if (joined) join(g, users[k], to);
        if (!on_all_ways(g, from, users[k], left - 1, joined)) return false;
    }
    return true;
}

/* Makes one group of a node, its post-dominator and what is between them, where their kinds allow it. */
static void fuse_with_post_dominator(graph *g, uint32_t i) {
    const node *x = &g->nodes[i];
    const uint32_t p = x->post_dominator;
    if (!x->row || !x->row->takes_output || p == g->n || !g->nodes[p].row) return;
    const node *a = &g->nodes[group_of(g, i)], *b = &g->nodes[group_of(g, p)];
    const bool leads_in = x->row->pattern == ELEMWISE && g->nodes[p].row->takes_input;
    if (x->row->pattern == ELEMWISE && !a->n_anchors && !b->takes_input) return;
    if ((!leads_in && !may_follow(g, i, p)) || a == b || a->n_anchors + b->n_anchors > 1) return;
    g->n_searches++;
    g->n_found = a->n_members + b->n_members;
    if (g->n_found > MAX_MEMBERS || !on_all_ways(g, i, i, MAX_MEMBERS, false)) return;
    g->n_searches++;
    on_all_ways(g, i, i, MAX_MEMBERS, true);
    join(g, i, p);
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* Sums of more products are cut into blocks of rows no more, as loops are optimized. */
enum { MOST_PRODUCTS = 128 };

static bool is_softmax_of_rows(const node *x) {
    if (!x->row || (x->row->op != TIRB_RELAX_NN_SOFTMAX && x->row->op != TIRB_RELAX_NN_LOG_SOFTMAX)) return false;
    const int64_t axis = tirbi_relax_attr_of(x->binding->value, "axis")->as.integer;
    return axis == -1 || axis + 1 == x->binding->var->type->ndim;
}

static bool is_product(const node *x) { return x->row && x->row->op == TIRB_RELAX_MATMUL; }

static bool has_few_products(const node *x) {
    const tirb_relax_type *a = x->binding->value->as.call.args[0]->type;
    if (!a || !a->has_shape || a->ndim < 1) return false;
    const tirb_expr *k = a->shape[a->ndim - 1];
    return k->kind == TIRB_EXPR_INT_IMM && k->as.int_value <= MOST_PRODUCTS;
}

/* Whether a product of matrices, of which `x` is the first one, has a row for each row of that. */
static bool multiplies_rows(const node *product, const node *x) {
    const tirb_relax_expr *const *args = product->binding->value->as.call.args;
    const tirb_relax_type *a = x->binding->var->type, *b = product->binding->var->type;
    if (!is_product(product) || args[0]->kind != TIRB_RELAX_VAR || args[0]->as.var != x->binding->var ||
        a->ndim != b->ndim || a->ndim < 2)
        return false;
    for (int32_t i = 0; i + 1 < a->ndim; i++)
        if (!tirbi_expr_equal(a->shape[i], b->shape[i])) return false;
    return true;
}

static bool join_rows(graph *g, uint32_t with, uint32_t at) {
    if (g->nodes[group_of(g, with)].n_members + g->nodes[group_of(g, at)].n_members > MAX_MEMBERS) return false;
    join(g, with, at);
    return true;
}

/* Makes what computes the rows that node `at` takes, element by element, part of its group. */
static bool join_product_before(graph *g, uint32_t at, uint32_t left) {
    const tirb_relax_expr *call = g->nodes[at].binding->value;
    for (uint32_t i = 0; i < call->as.call.n_args && left > 0 && tirbi_arena_work(g->l->arena, 1); i++) {
        const tirb_relax_expr *e = call->as.call.args[i];
        const uint32_t number = e->kind == TIRB_RELAX_VAR ? g->l->node_of[e->as.var->id] : 0;
        const node *x = number ? &g->nodes[number - 1] : NULL;
        if (!x || x->is_output || x->users.n != 1 || !x->row || !same_shape(x, &g->nodes[at])) continue;
        if (is_product(x)) return has_few_products(x) && join_rows(g, number - 1, at);
        if (group_of(g, number - 1) == group_of(g, at) && join_product_before(g, number - 1, left - 1)) return true;
    }
    return false;
}

/* Makes the product that takes the rows that node `at` computes part of its group. */
static void join_product_behind(graph *g, uint32_t at) {
    while (tirbi_arena_work(g->l->arena, 1)) {
        const node *x = &g->nodes[at];
        const uint32_t *users = x->users.items;
        if (x->is_output || x->users.n != 1) return;
        if (multiplies_rows(&g->nodes[users[0]], x)) {
            join_rows(g, at, users[0]);
            return;
        }
        if (group_of(g, users[0]) != group_of(g, at) || !same_shape(x, &g->nodes[users[0]])) return;
        at = users[0];
    }
}

/* Attention: softmax between products of matrices, which then are computed for a block of rows at a time. */
static void fuse_rows(graph *g, uint32_t i) {
    if (!is_softmax_of_rows(&g->nodes[i])) return;
    join_product_before(g, i, MAX_MEMBERS);
    join_product_behind(g, i);
}

/* Whether others than its group use a node. */
static bool leaves_group(const graph *g, uint32_t i) {
    const uint32_t *users = g->nodes[i].users.items, root = group_of(g, i);
    for (uint32_t k = 0; k < g->nodes[i].users.n; k++)
        if (group_of(g, users[k]) != root) return true;
    return g->nodes[i].is_output;
}

/* Adds nodes to their groups, in their order. A group of which others use more than the last value is none, nor is one
 * whose first members would read, at the place of the last, what was written between them. */
static bool list_groups(graph *g) {
    for (uint32_t i = 0; i < g->n; i++) {
        node *root = &g->nodes[group_of(g, i)];
        if (root->n_members < 2) continue;
        if (!root->made) {
            root->made = TIRBI_NEW(g->l->arena, tirbi_relax_group);
            root->members = TIRBI_NEW_ARRAY(g->l->arena, const tirb_relax_binding *, root->n_members);
            if (!root->made || !root->members) return false;
            root->made->bindings = root->members;
        }
        const node *first = root->made->n ? &g->nodes[g->l->node_of[root->members[0]->var->id] - 1] : &g->nodes[i];
        root->is_broken = root->is_broken || root->leaves || first->n_writes != g->nodes[i].n_writes;
        root->leaves = leaves_group(g, i);
        root->members[root->made->n++] = g->nodes[i].binding;
    }
    return true;
}

void tirbi_relax_group_block(tirbi_relax_lowering *l, const tirb_relax_block *block) {
    graph g = {.l = l, .n = block->n_bindings, .nodes = TIRBI_NEW_ARRAY(l->arena, node, block->n_bindings)};
    if (!g.nodes) return;
    if (read_block(&g, block)) {
        find_post_dominators(&g);
        for (int elementwise = 0; elementwise < 2; elementwise++)
            for (uint32_t i = 0; i < g.n; i++)
                if (g.nodes[i].row && (g.nodes[i].row->pattern == ELEMWISE) == (elementwise != 0))
                    fuse_with_post_dominator(&g, i);
        for (uint32_t i = 0; i < g.n; i++) fuse_rows(&g, i);
        const bool listed = list_groups(&g);
        for (uint32_t i = 0; listed && i < g.n; i++) {
            const node *root = &g.nodes[group_of(&g, i)];
            if (root->made && !root->is_broken) l->groups[g.nodes[i].binding->var->id] = root->made;
        }
    }
    for (uint32_t i = 0; i < g.n; i++) l->node_of[block->bindings[i].var->id] = 0;
}

/* ---- Functions --------------------------------------------------------------------------------------------------- */

/* A tensor that a group takes: a variable's or a constant's. */
typedef struct operand {
    const tirb_relax_expr *e;
    const tirbi_relax_held *outside, *inside;
} operand;

typedef struct made {
    tirbi_relax_lowering *l;
    const tirbi_relax_group *group;
    tirbi_span span;
    operand operands[MAX_OPERANDS];
    uint32_t n;
    const tirbi_relax_held *result, *result_inside;
    tirb_primfunc *f;
} made;

static bool is_member(const tirbi_relax_group *group, const tirb_relax_expr *e) {
    for (uint32_t i = 0; e->kind == TIRB_RELAX_VAR && i < group->n; i++)
        if (group->bindings[i]->var == e->as.var) return true;
    return false;
}

static bool same_leaf(const tirb_relax_expr *a, const tirb_relax_expr *b) {
    if (a->kind != b->kind) return false;
    return a->kind == TIRB_RELAX_VAR ? a->as.var == b->as.var : a->as.constant == b->as.constant;
}

/* A constant of one element and no dimensions is a number of the function's code. */
static bool is_number(const tirb_relax_expr *e) {
    return e->kind == TIRB_RELAX_PRIM || (e->kind == TIRB_RELAX_CONST && e->as.constant->ndim == 0);
}

static bool list_operands(made *m) {
    for (uint32_t i = 0; i < m->group->n; i++) {
        const tirb_relax_expr *call = m->group->bindings[i]->value;
        for (uint32_t k = 0; k < call->as.call.n_args; k++) {
            const tirb_relax_expr *e = call->as.call.args[k];
            uint32_t at = 0;
            if (is_number(e) || is_member(m->group, e)) continue;
            while (at < m->n && !same_leaf(m->operands[at].e, e)) at++;
            if (at < m->n) continue;
            const tirbi_relax_held *h = m->n < MAX_OPERANDS ? tirbi_relax_held_of(m->l, e) : NULL;
            if (!h || h->kind != TIRBI_RELAX_HELD_TENSOR) return false;
            m->operands[m->n++] = (operand){.e = e, .outside = h};
        }
    }
    return true;
}

/* The group's variable for a size; `adds`: a new one where it has none. NULL: it has none. */
static const tirb_expr *dim_inside(tirbi_relax_lowering *l, tirbi_span span, const tirb_expr *dim, bool adds) {
    if (dim->kind == TIRB_EXPR_INT_IMM) return dim;
    const tirb_expr *const *pairs = l->group_dims.items;
    for (uint32_t i = 0; i + 1 < l->group_dims.n; i += 2)
        if (tirbi_expr_equal(pairs[i], dim)) return pairs[i + 1];
    const char *name = dim->kind == TIRB_EXPR_VAR
                           ? dim->as.var.name
                           : tirbi_arena_format(l->arena, "d%u", (unsigned)(l->group_dims.n / 2));
    const tirb_expr *var = adds && name ? tirbi_make_var(&l->b, span, name, tirbi_prim_type(tirbi_type_i64)) : NULL;
    const tirb_expr **outer = var ? TIRBI_LIST_ADD(l->arena, &l->group_dims, const tirb_expr *) : NULL;
    if (outer) *outer = dim;
    const tirb_expr **inner = outer ? TIRBI_LIST_ADD(l->arena, &l->group_dims, const tirb_expr *) : NULL;
    if (inner) *inner = var;
    return inner ? var : NULL;
}

const tirb_relax_type *tirbi_relax_type_inside(tirbi_relax_lowering *l, tirbi_span span, const tirb_relax_type *type) {
    tirb_relax_type *t = TIRBI_NEW(l->arena, tirb_relax_type);
    const tirb_expr **shape = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, (uint32_t)type->ndim);
    if (!t || !shape) return NULL;
    for (int32_t i = 0; i < type->ndim; i++) {
        if ((shape[i] = dim_inside(l, span, type->shape[i], false))) continue;
        tirbi_relax_refuse_here(l, span, "a size is not known in its group");
        return NULL;
    }
    *t = *type;
    t->shape = shape;
    return t;
}

static const tirbi_relax_held *add_parameter(made *m, const char *name, const tirb_buffer *outside) {
    tirbi_relax_lowering *l = m->l;
    const tirb_expr **shape = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, outside->ndim);
    for (uint32_t i = 0; shape && i < outside->ndim; i++)
        if (!(shape[i] = dim_inside(l, m->span, outside->shape[i], true))) return NULL;
    tirbi_relax_held *h = tirbi_relax_hold(l, TIRBI_RELAX_HELD_TENSOR);
    tirb_buffer *buffer =
        h && shape ? tirbi_make_buffer(&l->b, m->span, name, outside->dtype, shape, outside->ndim, "global") : NULL;
    tirb_expr *var = buffer ? tirbi_make_var(&l->b, m->span, name, tirbi_pointer_type(outside->dtype, "global")) : NULL;
    if (!var) return NULL;
    ((const tirb_expr **)m->f->params)[m->f->n_params] = var;
    ((const tirb_buffer **)m->f->buffers)[m->f->n_params++] = buffer;
    h->buffer = buffer;
    return h;
}

/* `fused_conv2d_add_relu`, as TVM calls it. */
static const char *name_of(const made *m) {
    char name[MAX_NAME + 32] = "fused";
    size_t at = strlen(name);
    for (uint32_t i = 0; i < m->group->n && at < MAX_NAME; i++) {
        const char *op = m->group->bindings[i]->value->as.call.op->name;
        const char *last = strrchr(op, '.');
        at += (size_t)snprintf(name + at, sizeof name - at, "_%.24s", last ? last + 1 : op);
    }
    return tirbi_arena_format(m->l->arena, "%s", name);
}

static bool declare(made *m) {
    tirbi_relax_lowering *l = m->l;
    m->f = TIRBI_NEW(l->arena, tirb_primfunc);
    const char *name = name_of(m);
    if (!m->f || !name) return false;
    *m->f = (tirb_primfunc){.name = name,
                            .is_private = true,
                            .s_tir = true,
                            .params = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, m->n + 1),
                            .buffers = TIRBI_NEW_ARRAY(l->arena, const tirb_buffer *, m->n + 1),
                            .ret_type = {.kind = TIRB_TYPE_TUPLE, .dtype = tirbi_type_void, .scope = ""},
                            .span = m->span};
    if (!m->f->params || !m->f->buffers) return false;
    for (uint32_t i = 0; i < m->n; i++) {
        const char *text = tirbi_arena_format(l->arena, "p%u", (unsigned)i);
        if (!text || !(m->operands[i].inside = add_parameter(m, text, m->operands[i].outside->buffer))) return false;
    }
    return (m->result_inside = add_parameter(m, "y", m->result->buffer)) != NULL;
}

/* The operators one after the other; the function is open in l->b. */
static bool emit_members(made *m) {
    tirbi_relax_lowering *l = m->l;
    for (uint32_t i = 0; i < m->n; i++) {
        const operand *o = &m->operands[i];
        if (o->e->kind == TIRB_RELAX_VAR)
            l->held[o->e->as.var->id] = o->inside;
        else if (!tirbi_relax_know_constant(l, o->e->as.constant, o->inside))
            return false;
    }
    for (uint32_t i = 0; i < m->group->n; i++) {
        const tirb_relax_binding *b = m->group->bindings[i];
        const bool is_last = i + 1 == m->group->n;
        const tirbi_relax_held *h = tirbi_relax_legalise(l, b->value, is_last ? m->result_inside : NULL);
        if (!h || (is_last && h != m->result_inside)) return false;
        l->held[b->var->id] = h;
    }
    return true;
}

/* Makes the function in a builder of its own, and in this memory. `same`: gets what the module has that is the same,
 * and the numbers of variables are free again; NULL: the function is to stay. */
static bool make_function(made *m, tirbi_arena *arena, const tirb_primfunc **same) {
    tirbi_relax_lowering *l = m->l, outside = *l;
    l->arena = arena;
    tirbi_builder_init(&l->b, arena, l->diagnostics);
    l->b.n_vars = outside.b.n_vars;
    l->b.n_buffers = outside.b.n_buffers;
    l->group = m->group;
    l->constants = l->scopes = l->group_dims = l->cast_vars = l->cast_dims = (tirbi_list){.n = 0};
    l->n_outer_scopes = 0;
    l->memory = (tirbi_relax_memory){.first_buffer = UINT32_MAX};
    bool done = declare(m) && tirbi_frame_push(&l->b, TIRBI_FRAME_FUNCTION, NULL, m->span) && emit_members(m);
    while (l->b.frames.n > 1 && !arena->failed) tirbi_frame_pop(&l->b);
    if (done) tirbi_function_finish(&l->b, m->f);
    if (done && same) *same = tirbi_relax_find_same(l, m->f, &l->b);
    for (uint32_t i = 0; i < m->n; i++)
        if (m->operands[i].e->kind == TIRB_RELAX_VAR) l->held[m->operands[i].e->as.var->id] = m->operands[i].outside;
    if (!same) {
        outside.b.n_vars = l->b.n_vars;
        outside.b.n_buffers = l->b.n_buffers;
    }
    *l = outside;
    if (arena->failed) l->arena->failed = true;
    return done && !arena->failed;
}

/* The function, among those of the module. It is made in memory that is given back, and again where none is the
 * same. */
static const tirb_primfunc *function_of(made *m) {
    tirbi_relax_lowering *l = m->l;
    const tirb_primfunc *f = NULL;
    tirbi_arena own;
    tirbi_arena_init(&own, l->arena->heap);
    own.watch = l->arena->watch;
    const bool can_be = make_function(m, &own, &f);
    tirbi_arena_destroy(&own);
    if (f || !can_be) return f;
    return make_function(m, l->arena, NULL) ? tirbi_relax_add_operator(l, m->f) : NULL;
}

const tirbi_relax_held *tirbi_relax_lower_group(tirbi_relax_lowering *l, const tirbi_relax_group *group,
                                                const tirbi_relax_held *destination) {
    const tirb_relax_binding *last = group->bindings[group->n - 1];
    made *m = TIRBI_NEW(l->arena, made);
    const tirbi_relax_held *args[MAX_OPERANDS + 1];
    if (!m) return NULL;
    for (uint32_t i = 0; i < group->n; i++)
        if (l->is_trimmed[group->bindings[i]->var->id] || tirbi_relax_is_long(group->bindings[i]->value->type))
            return NULL;
    *m = (made){.l = l, .group = group, .span = last->value->span};
    if (!list_operands(m)) return NULL;
    m->result = tirbi_relax_make_room(l, m->span, last->value->type, destination);
    const tirb_primfunc *f = m->result ? function_of(m) : NULL;
    for (uint32_t i = 0; i < m->n; i++) args[i] = m->operands[i].outside;
    args[m->n] = m->result;
    return f && tirbi_relax_emit_call(l, m->span, f, args, m->n + 1) ? m->result : NULL;
}
