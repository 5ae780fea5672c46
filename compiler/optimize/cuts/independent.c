#include "compiler/optimize/cuts/independent.h"

#include "compiler/loop/linear.h"
#include "compiler/optimize/analysis/depend.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/statements.h"
#include "loader/base/checked.h"

/* More conditions than these are not worth being asked. */
enum { MAX_CONDITIONS = 6 };

static const tirbi_lx *itself(void *context, const tirbi_lx *symbol) {
    (void)context;
    return symbol;
}

/* Whether no part of a polynomial wraps in int64. */
static bool is_small(const tirbi_facts *facts, const tirbi_poly *p) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        int64_t product = p->term[i].factor < 0 ? p->term[i].factor : -p->term[i].factor; /* of magnitudes, negated */
        for (unsigned k = 0; k < p->term[i].of.degree; k++) {
            const tirbi_symbol *s = &facts->symbols[p->term[i].of.symbol[k]];
            const int64_t most = s->lo == INT64_MIN ? INT64_MAX : s->hi > -s->lo ? s->hi : -s->lo;
            if (!s->value || !tirbi_mul_i64(product, most, &product)) return false;
        }
        if (!tirbi_add_i64(sum, product, &sum)) return false;
    }
    return true;
}

static const tirbi_lx *not_negative(tirbi_lx_pool *pool, const tirbi_facts *facts, const tirbi_poly *p) {
    const tirbi_lx *x = is_small(facts, p) ? tirbi_linear_value(pool, TIRB_I64, facts, p, itself, NULL) : NULL;
    const tirbi_lx *zero = tirbi_lx_number(pool, 0);
    return x && x->pure && !x->traps ? tirbi_lx_wide(pool, TIRB_OP_GE, x, zero) : NULL;
}

static const tirbi_lx *join(tirbi_lx_pool *pool, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    return a && b ? tirbi_lx_both(pool, op, a, b) : a ? a : b;
}

/* The condition under which an edge is not there; NULL: none is known. */
static const tirbi_lx *without_edge(tirbi_lx_pool *pool, const tirbi_facts *facts, const tirbi_edge *e) {
    const tirbi_lx *any = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const tirbi_lx *one = e->unless[i] ? not_negative(pool, facts, e->unless[i]) : NULL;
        const tirbi_lx *other = e->provided[i] ? not_negative(pool, facts, e->provided[i]) : NULL;
        if (!one || (e->provided[i] && !other)) continue;
        any = join(pool, TIRB_OP_OR, any, join(pool, TIRB_OP_AND, one, other));
    }
    return any;
}

/* The condition under which the loop carries no edge; NULL: there is none, or it never carries one. */
static const tirbi_lx *without_edges(tirbi_lx_pool *pool, const tirbi_dependences *graph) {
    const tirbi_lx *conditions[MAX_CONDITIONS], *all = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < graph->n_edges; i++) {
        if (graph->edge[i].carrier != 0 || graph->edge[i].n_common == 0) continue;
        const tirbi_lx *one = without_edge(pool, graph->facts, &graph->edge[i]);
        uint32_t k = 0;
        while (k < n && conditions[k] != one) k++;
        if (!one || k == MAX_CONDITIONS) return NULL;
        if (k < n) continue;
        conditions[n++] = one;
        all = join(pool, TIRB_OP_AND, all, one);
    }
    return all;
}

/* The loop with a variable of its own, whose iterations are apart. */
static const tirbi_ls *apart(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_lvar *var = tirbi_variable_like(pool, loop->as.loop.var);
    if (var) var->apart = true;
    return tirbi_loop_of(pool, loop, var, loop->as.loop.body, true);
}

bool tirbi_find_independent(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_independent *out) {
    const tirbi_ls *body = loop->as.loop.body;
    if (loop->as.loop.var->apart || !tirbi_is_plain_loop(loop) || !tirbi_is_made_of(body, TIRBI_STRAIGHT) ||
        !tirbi_can_resolve(body))
        return false;
    tirbi_dependences *graph = tirbi_find_dependences(pool, loop, &body, 1);
    if (!graph) return false;
    out->condition = without_edges(pool, graph);
    tirbi_forget_dependences(pool, graph);
    out->loop = out->condition ? apart(pool, loop) : NULL;
    return out->loop != NULL;
}
