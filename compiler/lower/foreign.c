/* Functions for accelerators. What no CPU has is read, checked and printed; a function with a call of it is compiled to
 * the error that its call gives, so that the other functions of its module run. */
#include "compiler/ir/allreduce.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/lower.h"

typedef struct foreign_search {
    tirbi_visitor visitor;
    const tirb_expr *found; /* the first */
} foreign_search;

static void find_foreign(tirbi_visitor *v, const tirb_expr *e) {
    foreign_search *search = (foreign_search *)v;
    bool is_foreign = e->kind == TIRB_EXPR_CALL && !e->as.call.function_name &&
                      e->as.call.builtin == TIRB_BUILTIN_FOREIGN && !tirbi_is_allreduce(e);
    if (is_foreign && !search->found) search->found = e;
    if (!search->found) tirbi_visit_expr(v, e);
}

bool tirbi_lower_foreign_body(tirbi_lowerer *l, const tirb_primfunc *f) {
    foreign_search search = {.visitor = {.expr = find_foreign, .stmt = tirbi_visit_stmt}};
    tirbi_visit_stmt(&search.visitor, f->body);
    if (!search.found) return false;
    const char *name = search.found->as.call.args[0]->as.string.text;
    tirbi_report_warning(l->diagnostics, search.found->span, "T.%s needs an accelerator: a call of %s fails", name,
                         f->name);
    tirbi_ls *refusal = tirbi_append(l, TIRBI_LS_ASSERT, search.found->span);
    refusal->as.assert_.condition = tirbi_lx_int(l->pool, TIRB_BOOL, 0);
    refusal->as.assert_.error_kind = "RuntimeError";
    refusal->as.assert_.message =
        tirbi_arena_format(l->arena, "T.%s needs an accelerator: it cannot run on a CPU", name);
    return true;
}
