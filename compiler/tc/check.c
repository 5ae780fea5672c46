/* Names of defs, statements and the calls between defs. */
#include "compiler/tc/check.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/source/suggest.h"
#include "compiler/tc/checker.h"
#include "compiler/tc/lexer.h"

enum { MAX_NODES = 1 << 16 /* of an expression with its lets in place */ };

/* ---- Names ------------------------------------------------------------------------------------------------------ */

tirbi_tc_known *tirbi_tc_find(const tirbi_tc_names *names, const char *name) {
    const uint32_t hash = tirbi_text_hash(names, name, strlen(name));
    uint32_t probe = 0, number;
    while ((number = tirbi_index_next(&names->index, hash, &probe)) > 0) {
        tirbi_tc_known *known = ((tirbi_tc_known **)names->items.items)[number - 1];
        if (strcmp(known->symbol.name, name) == 0) return known;
    }
    return NULL;
}

tirbi_tc_known *tirbi_tc_declare(tirbi_tc_checker *c, tirbi_tc_names *names, tirbi_tc_symbol_kind kind,
                                 const char *name, tirbi_span span) {
    tirbi_tc_known *known = TIRBI_NEW(c->arena, tirbi_tc_known);
    tirbi_tc_known **slot = TIRBI_LIST_ADD(c->arena, &names->items, tirbi_tc_known *);
    tirbi_tc_symbol **listed = TIRBI_LIST_ADD(c->arena, &c->symbols, tirbi_tc_symbol *);
    if (!known || !slot || !listed) return NULL;
    known->symbol = (tirbi_tc_symbol){
        .kind = kind, .name = name, .span = span, .number = c->symbols.n - 1, .dtype = tirbi_type_i32};
    *slot = known;
    *listed = &known->symbol;
    const uint32_t hash = tirbi_text_hash(names, name, strlen(name));
    return tirbi_index_add(&names->index, c->arena, hash, names->items.n - 1) ? known : NULL;
}

tirbi_tc_known *tirbi_tc_declare_index(tirbi_tc_checker *c, const char *name, tirbi_span span) {
    if (c->n_indices++ == TIRBI_TC_MAX_INDICES)
        tirbi_report_error(c->diagnostics, TIRB_UNSUPPORTED, span, "a statement has at most %d indices",
                           TIRBI_TC_MAX_INDICES);
    return c->n_indices > TIRBI_TC_MAX_INDICES ? NULL : tirbi_tc_declare(c, &c->local, TIRBI_TC_INDEX, name, span);
}

tirbi_tc_def *tirbi_tc_find_def(const tirbi_tc_checker *c, const char *name) {
    uint32_t probe = 0, number;
    const uint32_t hash = tirbi_text_hash(c, name, strlen(name));
    while ((number = tirbi_index_next(&c->defs, hash, &probe)) > 0)
        if (strcmp(c->program->defs[number - 1]->name, name) == 0) return c->program->defs[number - 1];
    return NULL;
}

__attribute__((format(printf, 3, 4))) static bool fail(tirbi_tc_checker *c, tirbi_span span, const char *format, ...) {
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    tirbi_report_error(c->diagnostics, TIRB_TYPE, span, "%s", message);
    return false;
}

/* A name is to mean something new: functions of the language keep theirs. */
static void check_free(tirbi_tc_checker *c, const char *name, tirbi_span span) {
    if (tirbi_tc_find_builtin(name))
        fail(c, span, "`%s` is a function of the language, and no name for anything else", name);
}

static tirbi_tc_known *declare(tirbi_tc_checker *c, tirbi_tc_names *names, tirbi_tc_symbol_kind kind, const char *name,
                               tirbi_span span) {
    check_free(c, name, span);
    return tirbi_tc_declare(c, names, kind, name, span);
}

static tirbi_tc_known *declare_index(tirbi_tc_checker *c, const char *name, tirbi_span span) {
    check_free(c, name, span);
    return tirbi_tc_declare_index(c, name, span);
}

/* The checker's own part of a symbol, which begins with it. */
static tirbi_tc_known *known_of(const tirbi_tc_symbol *symbol) { return (tirbi_tc_known *)symbol; }

const char *tirbi_tc_assign_text(tirbi_tc_assign assign, bool starts_over) {
    static const char *const texts[][2] = {[TIRBI_TC_SET] = {"=", "="},
                                           [TIRBI_TC_SUM] = {"+=", "+=!"},
                                           [TIRBI_TC_PRODUCT] = {"*=", "*=!"},
                                           [TIRBI_TC_LEAST] = {"min=", "min=!"},
                                           [TIRBI_TC_GREATEST] = {"max=", "max=!"}};
    return texts[assign][starts_over];
}

/* ---- Signatures ------------------------------------------------------------------------------------------------- */

static void declare_sizes(tirbi_tc_checker *c, const tirbi_tc_param *param, bool is_result) {
    for (uint32_t i = 0; i < param->ndim; i++) {
        tirbi_tc_size *size = (tirbi_tc_size *)&param->sizes[i];
        if (!size->name) {
            if (size->value > INT32_MAX)
                fail(c, size->span, "a dimension fits int32, %lld does not", (long long)size->value);
            continue;
        }
        tirbi_tc_known *known = tirbi_tc_find(c->global, size->name);
        if (!known && is_result) {
            fail(c, size->span, "`%s` is no size of a parameter: nothing says how large it is", size->name);
            continue;
        }
        if (!known) known = declare(c, c->global, TIRBI_TC_SIZE, size->name, size->span);
        if (!known) continue;
        if (known->symbol.kind != TIRBI_TC_SIZE)
            fail(c, size->span, "`%s` is %s, no size", size->name, tirbi_tc_kind_text(known->symbol.kind));
        size->symbol = &known->symbol;
    }
}

static void declare_param(tirbi_tc_checker *c, tirbi_tc_param *param, bool is_result) {
    declare_sizes(c, param, is_result);
    if (param->ndim > TIRBI_TC_MAX_RANK)
        tirbi_report_error(c->diagnostics, TIRB_UNSUPPORTED, param->span, "a tensor has at most %d dimensions",
                           TIRBI_TC_MAX_RANK);
    if (!param->has_type && !is_result) fail(c, param->name_span, "a parameter has a type, float(N) %s", param->name);
    tirbi_tc_known *known = tirbi_tc_find(c->global, param->name);
    if (known) {
        if (is_result && known->symbol.is_param)
            fail(c, param->name_span, "`%s` is an input, and inputs are no results", param->name);
        else
            fail(c, param->name_span, "`%s` is defined already, as %s", param->name,
                 tirbi_tc_kind_text(known->symbol.kind));
        return;
    }
    known = declare(c, c->global, TIRBI_TC_TENSOR, param->name, param->name_span);
    if (!known) return;
    known->symbol.is_param = !is_result;
    known->symbol.is_returned = is_result;
    known->symbol.dtype = param->dtype;
    known->symbol.ndim = param->ndim;
    known->symbol.declared = param->has_type ? param : NULL;
    known->is_wrong = !param->has_type && !is_result;
    param->symbol = &known->symbol;
}

/* What a statement assigns to: a result, or a temporary, which begins to be one here. */
static tirbi_tc_symbol *declare_target(tirbi_tc_checker *c, const char *name, tirbi_span span) {
    tirbi_tc_known *known = tirbi_tc_find(c->global, name);
    if (!known) {
        known = declare(c, c->global, TIRBI_TC_TENSOR, name, span);
        return known ? &known->symbol : NULL;
    }
    if (known->symbol.kind == TIRBI_TC_TENSOR && !known->symbol.is_param) return &known->symbol;
    if (known->symbol.is_param)
        fail(c, span, "`%s` is an input, and inputs are not assigned to", name);
    else
        fail(c, span, "`%s` is a size, and sizes are not assigned to", name);
    return NULL;
}

/* `a = f(x)` where `f` is a def is a call: it becomes what `a, b = f(x)` is. */
static void find_call(tirbi_tc_checker *c, tirbi_tc_stmt *stmt) {
    const tirbi_tc_expr *value = stmt->value;
    if (stmt->n_targets > 0 || value->kind != TIRBI_TC_READ) return;
    if (tirbi_tc_find(c->global, value->name) || tirbi_tc_find_builtin(value->name)) return;
    if (!tirbi_tc_find_def(c, value->name)) return;
    if (stmt->has_list || stmt->assign != TIRBI_TC_SET)
        fail(c, stmt->name_span, "`%s` gives whole tensors: its call is written %s = %s(..)", value->name, stmt->name,
             value->name);
    if (stmt->n_clauses > 0) fail(c, stmt->clauses[0].span, "a call of a def has no where clauses");
    if (stmt->library) fail(c, stmt->span, "a call of a def has no library call beside it");
    tirbi_tc_name *target = TIRBI_NEW(c->arena, tirbi_tc_name);
    if (!target) return;
    *target = (tirbi_tc_name){.name = stmt->name, .span = stmt->name_span, .symbol = stmt->target};
    stmt->targets = target;
    stmt->n_targets = 1;
    stmt->callee_name = value->name;
    stmt->callee_span = value->name_span;
    stmt->call_args = value->args;
    stmt->n_call_args = value->n_args;
    stmt->value = NULL;
}

static void find_callee(tirbi_tc_checker *c, tirbi_tc_stmt *stmt) {
    tirbi_suggestion suggestion = {.wanted = stmt->callee_name};
    tirbi_tc_def *callee = tirbi_tc_find_def(c, stmt->callee_name);
    stmt->callee = callee;
    if (callee) {
        callee->is_called = true;
        return;
    }
    const uint32_t n = tirbi_may_explain(c->diagnostics, c->program->n_defs) ? c->program->n_defs : 0;
    for (uint32_t i = 0; i < n; i++) tirbi_suggest(&suggestion, c->program->defs[i]->name);
    if (suggestion.best)
        fail(c, stmt->callee_span, "there is no def `%s`; did you mean `%s`?", stmt->callee_name, suggestion.best);
    else
        fail(c, stmt->callee_span, "there is no def `%s`", stmt->callee_name);
}

static void declare_def(tirbi_tc_checker *c) {
    tirbi_tc_def *def = c->def;
    for (uint32_t i = 0; i < def->n_params; i++) declare_param(c, &def->params[i], false);
    for (uint32_t i = 0; i < def->n_returns; i++) declare_param(c, &def->returns[i], true);
    for (uint32_t i = 0; i < def->n_stmts && !c->arena->failed; i++) {
        tirbi_tc_stmt *stmt = &def->stmts[i];
        for (uint32_t j = 0; j < stmt->n_targets; j++)
            stmt->targets[j].symbol = declare_target(c, stmt->targets[j].name, stmt->targets[j].span);
        if (stmt->n_targets == 0) stmt->target = declare_target(c, stmt->name, stmt->name_span);
    }
    for (uint32_t i = 0; i < def->n_stmts && !c->arena->failed; i++) {
        find_call(c, &def->stmts[i]);
        if (def->stmts[i].n_targets > 0) find_callee(c, &def->stmts[i]);
    }
}

/* ---- Where clauses ---------------------------------------------------------------------------------------------- */

/* How deep an expression is with its lets in place, and of how many nodes. */
static void measure(const tirbi_tc_expr *e, uint32_t level, uint32_t *depth, uint64_t *size) {
    const tirbi_tc_known *let = e->symbol && e->symbol->kind == TIRBI_TC_LET ? known_of(e->symbol) : NULL;
    uint32_t here = level + (let ? let->depth : 1);
    *size += let ? let->size : 1;
    if (here > *depth) *depth = here;
    for (uint32_t i = 0; i < e->n_args; i++) measure(e->args[i], level + 1, depth, size);
}

static bool check_measure(tirbi_tc_checker *c, const tirbi_tc_expr *e, uint32_t *depth, uint64_t *size) {
    *depth = 0;
    *size = 0;
    measure(e, 0, depth, size);
    if (*depth <= TIRBI_TC_MAX_DEPTH && *size <= MAX_NODES) return true;
    tirbi_report_error(c->diagnostics, TIRB_UNSUPPORTED, e->span,
                       "with the values of its where clause in place this is more than %d operators deep, or has more "
                       "than %d of them",
                       TIRBI_TC_MAX_DEPTH, MAX_NODES);
    return false;
}

/* Whether a value is no size: it depends on indices or on what tensors hold. */
static bool is_pointwise(const tirbi_tc_expr *e) {
    const tirbi_tc_symbol *symbol = e->kind == TIRBI_TC_DIM ? NULL : e->symbol;
    if (symbol && symbol->kind == TIRBI_TC_INDEX) return true;
    if (symbol && symbol->kind == TIRBI_TC_LET && known_of(symbol)->is_pointwise) return true;
    const bool is_bound = symbol && symbol->is_param && symbol->ndim == 0 && tirbi_tc_is_integral(symbol->dtype);
    if (symbol && symbol->kind == TIRBI_TC_TENSOR && !is_bound) return true;
    bool found = false;
    for (uint32_t i = 0; i < e->n_args; i++) found |= is_pointwise(e->args[i]);
    return found;
}

static bool constant_of(const tirbi_tc_expr *e, int64_t *out) {
    const bool negative = e->kind == TIRBI_TC_NEG;
    const tirbi_tc_expr *number = negative ? e->args[0] : e;
    if (number->kind != TIRBI_TC_INT) return false;
    *out = negative ? -number->int_value : number->int_value;
    return true;
}

static void check_bound(tirbi_tc_checker *c, const tirbi_tc_expr *e) {
    char type[32];
    c->context = TIRBI_TC_IN_BOUND;
    tirb_datatype found = tirbi_tc_check_expr(c, e);
    c->context = TIRBI_TC_IN_VALUE;
    if (!tirbi_tc_is_wrong(found) && !tirbi_tc_is_integral(found))
        fail(c, e->span, "the bounds of a range are integers, this is %s", tirb_datatype_text(found, type));
    uint32_t depth;
    uint64_t size;
    check_measure(c, e, &depth, &size);
}

static void check_range(tirbi_tc_checker *c, tirbi_tc_clause *clause) {
    tirbi_tc_known *known = tirbi_tc_find(&c->local, clause->name);
    int64_t low, high;
    if (!known) known = tirbi_tc_find(c->global, clause->name);
    check_bound(c, clause->low);
    check_bound(c, clause->high);
    if (!known) known = declare_index(c, clause->name, clause->name_span);
    if (!known || known->is_wrong) return;
    if (known->symbol.kind != TIRBI_TC_INDEX) {
        fail(c, clause->name_span, "`%s` is %s: a range is given to an index of the statement", clause->name,
             tirbi_tc_kind_text(known->symbol.kind));
        return;
    }
    clause->symbol = &known->symbol;
    if (known->is_ranged) fail(c, clause->name_span, "the index `%s` has a range already", clause->name);
    if (constant_of(clause->low, &low) && constant_of(clause->high, &high) && low >= high)
        fail(c, clause->span, "the range of `%s` is empty: %lld:%lld", clause->name, (long long)low, (long long)high);
    known->is_ranged = true;
}

static void check_let(tirbi_tc_checker *c, tirbi_tc_clause *clause) {
    const tirbi_tc_known *old = tirbi_tc_find(&c->local, clause->name);
    tirb_datatype type = tirbi_tc_check_expr(c, clause->low);
    if (!old) old = tirbi_tc_find(&c->local, clause->name);
    if (!old) old = tirbi_tc_find(c->global, clause->name);
    if (old) {
        if (!old->is_wrong)
            fail(c, clause->name_span, "`%s` is defined already, as %s", clause->name,
                 tirbi_tc_kind_text(old->symbol.kind));
        return;
    }
    tirbi_tc_known *known = declare(c, &c->local, TIRBI_TC_LET, clause->name, clause->name_span);
    if (!known) return;
    clause->symbol = &known->symbol;
    known->symbol.dtype = type;
    known->symbol.value = clause->low;
    known->is_wrong = tirbi_tc_is_wrong(type) || !check_measure(c, clause->low, &known->depth, &known->size);
    known->is_pointwise = is_pointwise(clause->low);
}

static void check_clause(tirbi_tc_checker *c, tirbi_tc_clause *clause) {
    uint32_t depth;
    uint64_t size;
    switch (clause->kind) {
    case TIRBI_TC_IN:
        check_range(c, clause);
        return;
    case TIRBI_TC_IS:
        check_let(c, clause);
        return;
    case TIRBI_TC_EXISTS:
        tirbi_tc_check_expr(c, clause->low);
        check_measure(c, clause->low, &depth, &size);
        return;
    }
}

/* ---- Indices ---------------------------------------------------------------------------------------------------- */

/* Lists the indices below an expression in the order in which they appear, those of a let where it first stands; and
 * looks at numbers, whose types are settled. */
static void order_indices(tirbi_tc_checker *c, const tirbi_tc_expr *e, tirbi_list *out, bool is_left) {
    tirbi_tc_known *known = e->symbol ? known_of(e->symbol) : NULL;
    if (e->kind == TIRBI_TC_FLOAT && e->dtype.bits < 64 && e->float_value > tirb_datatype_max(e->dtype)) {
        char type[32];
        fail(c, e->span, "this number does not fit %s", tirb_datatype_text(e->dtype, type));
    }
    if (known && !known->is_ordered && known->symbol.kind == TIRBI_TC_INDEX) {
        tirbi_tc_symbol **slot = TIRBI_LIST_ADD(c->arena, out, tirbi_tc_symbol *);
        known->is_ordered = true;
        known->is_left = is_left;
        known->symbol.is_reduction = !is_left;
        if (slot) *slot = &known->symbol;
    }
    if (known && !known->is_ordered && known->symbol.kind == TIRBI_TC_LET) {
        known->is_ordered = true;
        order_indices(c, known->symbol.value, out, is_left);
    }
    for (uint32_t i = 0; i < e->n_args; i++) order_indices(c, e->args[i], out, is_left);
}

static void list_indices(tirbi_tc_checker *c, tirbi_tc_stmt *stmt) {
    tirbi_list indices = {.n = 0};
    for (uint32_t i = 0; i < stmt->n_subscripts; i++) order_indices(c, stmt->subscripts[i], &indices, true);
    stmt->n_left = indices.n;
    order_indices(c, stmt->value, &indices, false);
    for (uint32_t i = 0; i < stmt->n_clauses; i++) {
        const tirbi_tc_clause *clause = &stmt->clauses[i];
        tirbi_tc_expr ranged = {.kind = TIRBI_TC_NAME, .symbol = clause->symbol};
        if (clause->kind == TIRBI_TC_IN)
            order_indices(c, &ranged, &indices, false);
        else
            order_indices(c, clause->low, &indices, false);
    }
    stmt->indices = indices.items;
    stmt->n_indices = indices.n;
}

/* An index that nothing bounds: it may well be a name that is misspelt. */
static bool check_bounded(tirbi_tc_checker *c, const tirbi_tc_known *index, bool target_has_shape) {
    const char *name = index->symbol.name;
    tirbi_suggestion suggestion = {.wanted = name};
    if (index->is_ranged || index->is_bounded || c->let_is_bounded) return true;
    if (index->is_left && target_has_shape) return true;
    const uint32_t n = tirbi_may_explain(c->diagnostics, c->global->items.n) ? c->global->items.n : 0;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_tc_known *known = ((tirbi_tc_known **)c->global->items.items)[i];
        if (!known->is_wrong && known->symbol.ndim == 0) tirbi_suggest(&suggestion, known->symbol.name);
    }
    if (suggestion.best && !index->is_left)
        return fail(c, index->symbol.span, "`%s` is not defined, and as an index it has no range; did you mean `%s`?",
                    name, suggestion.best);
    return fail(c, index->symbol.span, "nothing gives the index `%s` a range: add `where %s in 0:..`", name, name);
}

static void check_indices(tirbi_tc_checker *c, const tirbi_tc_stmt *stmt, bool target_has_shape) {
    bool reported = false;
    for (uint32_t i = 0; i < stmt->n_indices; i++) {
        const tirbi_tc_known *index = known_of(stmt->indices[i]);
        bool bounded = check_bounded(c, index, target_has_shape);
        if (bounded && !reported && i >= stmt->n_left && stmt->assign == TIRBI_TC_SET) {
            reported = true;
            fail(c, index->symbol.span,
                 "`%s` is not on the left, so this is a reduction, but '=' does not say which: write '+=!', '*=!', "
                 "'min=!' or 'max=!'",
                 index->symbol.name);
        }
    }
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

/* A name that is not in scope is an index; of what is, only a scalar that is read may be a subscript on the left. */
static void declare_left(tirbi_tc_checker *c, const tirbi_tc_stmt *stmt) {
    for (uint32_t i = 0; i < stmt->n_subscripts; i++) {
        const tirbi_tc_expr *e = stmt->subscripts[i];
        if (e->kind != TIRBI_TC_NAME || tirbi_tc_find(&c->local, e->name)) continue;
        const tirbi_tc_known *known = tirbi_tc_find(c->global, e->name);
        if (!known) declare_index(c, e->name, e->name_span);
        if (known && known->symbol.kind == TIRBI_TC_SIZE)
            fail(c, e->name_span, "`%s` is a size, and no index can have its name", e->name);
    }
}

static void check_left(tirbi_tc_checker *c, tirbi_tc_stmt *stmt, bool has_shape) {
    char type[32];
    if (stmt->n_subscripts > TIRBI_TC_MAX_RANK) {
        tirbi_report_error(c->diagnostics, TIRB_UNSUPPORTED, stmt->span, "a tensor has at most %d dimensions",
                           TIRBI_TC_MAX_RANK);
        stmt->n_subscripts = 0;
    }
    const tirbi_tc_expr *computed = NULL;
    for (uint32_t i = 0; i < stmt->n_subscripts; i++) {
        const tirbi_tc_expr *e = stmt->subscripts[i];
        c->n_subscripts += has_shape;
        tirb_datatype found = tirbi_tc_check_expr(c, e);
        c->n_subscripts -= has_shape;
        if (!tirbi_tc_is_wrong(found) && !tirbi_tc_is_integral(found))
            fail(c, e->span, "a subscript is an integer, this is %s; a cast is written int32(x)",
                 tirb_datatype_text(found, type));
        bool is_index = e->symbol && (e->symbol->kind == TIRBI_TC_INDEX || e->symbol->kind == TIRBI_TC_SIZE);
        for (uint32_t j = 0; j < i; j++) is_index &= e->symbol != stmt->subscripts[j]->symbol;
        if (!is_index && !computed) computed = e;
    }
    stmt->is_scatter = computed != NULL;
    if (computed && !has_shape)
        fail(c, computed->span,
             "`%s` has no shape yet: subscripts on its left are different indices until an annotation, "
             "-> (float(N) %s), or an earlier statement says its shape",
             stmt->name, stmt->name);
}

static bool is_assignable(tirb_datatype to, tirb_datatype from) {
    return tirb_datatype_equal(tirbi_tc_match(to, from), to);
}

/* The type and the rank of the target, which its annotation or its first statement says. */
static void check_target(tirbi_tc_checker *c, tirbi_tc_stmt *stmt, tirbi_tc_known *target) {
    tirbi_tc_symbol *symbol = &target->symbol;
    char to[32], from[32];
    tirb_datatype type = stmt->value->dtype;
    if (!target->is_defined && !symbol->declared) {
        symbol->dtype = type;
        symbol->ndim = stmt->n_subscripts;
        target->defined_by = stmt->value->span;
        if (tirbi_tc_is_wrong(type)) target->is_wrong = true;
        return;
    }
    if (stmt->n_subscripts != symbol->ndim)
        fail(c, stmt->name_span, "`%s` has %u dimension%s, and %u subscript%s here", symbol->name,
             (unsigned)symbol->ndim, tirbi_tc_plural(symbol->ndim), (unsigned)stmt->n_subscripts,
             tirbi_tc_plural(stmt->n_subscripts));
    if (tirbi_tc_is_wrong(type)) return;
    tirbi_tc_adopt(stmt->value, symbol->dtype);
    if (is_assignable(symbol->dtype, stmt->value->dtype)) return;
    tirb_datatype_text(symbol->dtype, to);
    fail(c, stmt->value->span, "`%s` is %s, and this is %s: a cast is written %s(x)", symbol->name, to,
         tirb_datatype_text(type, from), to);
    if (target->defined_by.end > 0) tirbi_report_note(c->diagnostics, target->defined_by, "this makes it %s", to);
}

/* What `+=` adds to where nothing was assigned before. */
static void check_start(tirbi_tc_checker *c, const tirbi_tc_stmt *stmt) {
    const char *with = tirbi_tc_assign_text(stmt->assign, true), *without = tirbi_tc_assign_text(stmt->assign, false);
    if (stmt->assign == TIRBI_TC_SET || stmt->starts_over) return;
    if (!stmt->target->is_returned)
        fail(c, stmt->name_span, "the temporary `%s` has no value yet: write '%s' instead of '%s'", stmt->name, with,
             without);
    else
        tirbi_report_warning(c->diagnostics, stmt->name_span,
                             "reduction without initialization: '%s' goes on from what the caller's `%s` holds; '%s' "
                             "begins anew",
                             without, stmt->name, with);
}

/* What is said of a statement but its target's type. False: there are errors. */
static bool check_parts(tirbi_tc_checker *c, tirbi_tc_stmt *stmt, bool has_shape) {
    const uint32_t n_errors = c->diagnostics->n_errors;
    uint32_t depth;
    uint64_t size;
    declare_left(c, stmt);
    for (uint32_t i = 0; i < stmt->n_clauses; i++) check_clause(c, (tirbi_tc_clause *)&stmt->clauses[i]);
    check_left(c, stmt, has_shape);
    tirbi_tc_check_expr(c, stmt->value);
    check_measure(c, stmt->value, &depth, &size);
    return c->diagnostics->n_errors == n_errors;
}

static void begin_stmt(tirbi_tc_checker *c, tirbi_tc_context context) {
    c->local = (tirbi_tc_names){.items = {.n = 0}};
    c->context = context;
    c->n_indices = c->n_subscripts = 0;
    c->let_is_bounded = false;
}

static void check_stmt(tirbi_tc_checker *c, tirbi_tc_stmt *stmt) {
    tirbi_tc_known *target = stmt->target ? known_of(stmt->target) : NULL;
    begin_stmt(c, TIRBI_TC_IN_VALUE);
    if (!target || target->is_wrong) {
        check_parts(c, stmt, true);
        return;
    }
    const bool has_shape = target->is_defined || target->symbol.declared;
    stmt->defines = !target->is_defined;
    const bool complete = check_parts(c, stmt, has_shape);
    check_target(c, stmt, target);
    if (complete) {
        list_indices(c, stmt);
        check_indices(c, stmt, has_shape);
    }
    c->context = TIRBI_TC_IN_LIBRARY;
    for (uint32_t i = 0; i < stmt->n_library_args; i++) tirbi_tc_check_expr(c, stmt->library_args[i]);
    if (stmt->defines) check_start(c, stmt);
    target->is_defined = true;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static void check_argument(tirbi_tc_checker *c, const tirbi_tc_expr *e, const tirbi_tc_param *param,
                           const tirbi_tc_stmt *stmt) {
    char type[32], wanted[32];
    if (e->kind != TIRBI_TC_NAME) {
        fail(c, e->span, "an argument of a def is the name of a whole tensor");
        return;
    }
    tirb_datatype found = tirbi_tc_check_expr(c, e);
    if (tirbi_tc_is_wrong(found) || !param->has_type) return;
    if (e->symbol->kind != TIRBI_TC_TENSOR)
        fail(c, e->span, "an argument of a def is the name of a whole tensor, `%s` is %s", e->name,
             tirbi_tc_kind_text(e->symbol->kind));
    else if (e->symbol->ndim != param->ndim)
        fail(c, e->span, "`%s` has %u dimension%s, the parameter `%s` of `%s` has %u", e->name,
             (unsigned)e->symbol->ndim, tirbi_tc_plural(e->symbol->ndim), param->name, stmt->callee_name,
             (unsigned)param->ndim);
    else if (!tirb_datatype_equal(found, param->dtype))
        fail(c, e->span, "`%s` is %s, the parameter `%s` of `%s` is %s", e->name, tirb_datatype_text(found, type),
             param->name, stmt->callee_name, tirb_datatype_text(param->dtype, wanted));
}

static void check_result(tirbi_tc_checker *c, const tirbi_tc_name *target, const tirbi_tc_param *result,
                         const tirbi_tc_stmt *stmt) {
    char type[32], wanted[32];
    if (!target->symbol) return;
    tirbi_tc_known *known = known_of(target->symbol);
    tirbi_tc_symbol *symbol = &known->symbol;
    if (known->is_wrong) return;
    const tirbi_tc_symbol *given = result ? result->symbol : NULL;
    if (!given || known_of(given)->is_wrong || !known_of(given)->is_defined) {
        known->is_wrong = true;
        return;
    }
    if (known->is_defined)
        fail(c, target->span, "`%s` has a value already, and a call gives whole tensors", target->name);
    else if (symbol->declared && symbol->ndim != given->ndim)
        fail(c, target->span, "`%s` has %u dimension%s, the result `%s` of `%s` has %u", target->name,
             (unsigned)symbol->ndim, tirbi_tc_plural(symbol->ndim), given->name, stmt->callee_name,
             (unsigned)given->ndim);
    else if (symbol->declared && !tirb_datatype_equal(symbol->dtype, given->dtype))
        fail(c, target->span, "`%s` is %s, the result `%s` of `%s` is %s", target->name,
             tirb_datatype_text(symbol->dtype, type), given->name, stmt->callee_name,
             tirb_datatype_text(given->dtype, wanted));
    symbol->dtype = given->dtype;
    symbol->ndim = given->ndim;
    known->is_defined = true;
}

static void check_call(tirbi_tc_checker *c, tirbi_tc_stmt *stmt) {
    const tirbi_tc_def *callee = stmt->callee;
    begin_stmt(c, TIRBI_TC_IN_LIBRARY);
    if (callee && stmt->n_call_args != callee->n_params)
        fail(c, stmt->callee_span, "`%s` takes %u argument%s, %u given", callee->name, (unsigned)callee->n_params,
             tirbi_tc_plural(callee->n_params), (unsigned)stmt->n_call_args);
    else
        for (uint32_t i = 0; callee && i < callee->n_params; i++)
            check_argument(c, stmt->call_args[i], &callee->params[i], stmt);
    if (callee && stmt->n_targets != callee->n_returns)
        fail(c, stmt->callee_span, "`%s` has %u result%s, and %u name%s here", callee->name,
             (unsigned)callee->n_returns, tirbi_tc_plural(callee->n_returns), (unsigned)stmt->n_targets,
             tirbi_tc_plural(stmt->n_targets));
    for (uint32_t i = 0; i < stmt->n_targets; i++)
        check_result(c, &stmt->targets[i], callee && i < callee->n_returns ? &callee->returns[i] : NULL, stmt);
}

/* ---- Defs ------------------------------------------------------------------------------------------------------- */

static void check_results(tirbi_tc_checker *c) {
    for (uint32_t i = 0; i < c->global->items.n; i++) {
        const tirbi_tc_known *known = ((tirbi_tc_known **)c->global->items.items)[i];
        const tirbi_tc_symbol *symbol = &known->symbol;
        if (known->is_wrong || symbol->kind != TIRBI_TC_TENSOR || symbol->is_param) continue;
        if (!known->is_defined) {
            fail(c, symbol->span, "`%s` is a result, and no statement gives it a value", symbol->name);
        } else if (!symbol->is_returned && !known->is_read) {
            tirbi_report_warning(c->diagnostics, symbol->span, "`%s` is neither a result nor read by any statement",
                                 symbol->name);
        }
    }
}

static void check_def(tirbi_tc_checker *c) {
    for (uint32_t i = 0; i < c->def->n_stmts && !c->arena->failed; i++) {
        if (c->def->stmts[i].n_targets > 0)
            check_call(c, &c->def->stmts[i]);
        else
            check_stmt(c, &c->def->stmts[i]);
    }
    check_results(c);
    c->def->symbols = c->symbols.items;
    c->def->n_symbols = c->symbols.n;
}

/* A def between its declaration and its check, and where its calls have been followed to. */
typedef struct tirbi_tc_visit {
    tirbi_tc_names names;
    tirbi_list symbols;
    uint32_t next;   /* statement */
    uint32_t caller; /* one more than its number; 0: none */
    bool is_open, is_done;
} tirbi_tc_visit;

static bool number_of_def(const tirbi_tc_checker *c, const tirbi_tc_def *def, uint32_t *out) {
    uint32_t probe = 0, number;
    const uint32_t hash = tirbi_text_hash(c, def->name, strlen(def->name));
    while ((number = tirbi_index_next(&c->defs, hash, &probe)) > 0)
        if (c->program->defs[number - 1] == def) {
            *out = number - 1;
            return true;
        }
    return false;
}

static void select_def(tirbi_tc_checker *c, tirbi_tc_visit *visits, uint32_t number) {
    c->def = c->program->defs[number];
    c->global = &visits[number].names;
    c->symbols = visits[number].symbols;
}

/* Checks a def behind all that it calls, without recursion. */
static void visit_def(tirbi_tc_checker *c, tirbi_tc_visit *visits, uint32_t first, const tirbi_tc_def **order,
                      uint32_t *n_ordered) {
    uint32_t at = first, callee;
    while (!visits[at].is_done && !c->arena->failed) {
        tirbi_tc_def *def = c->program->defs[at];
        tirbi_tc_visit *visit = &visits[at];
        visit->is_open = true;
        if (visit->next < def->n_stmts) {
            tirbi_tc_stmt *stmt = &def->stmts[visit->next++];
            if (!stmt->callee || !number_of_def(c, stmt->callee, &callee) || visits[callee].is_done) continue;
            if (visits[callee].is_open) {
                fail(c, stmt->callee_span, "this call of `%s` is recursive, and defs do not call themselves",
                     stmt->callee_name);
                stmt->callee = NULL;
                continue;
            }
            visits[callee].caller = at + 1;
            at = callee;
            continue;
        }
        select_def(c, visits, at);
        check_def(c);
        visit->is_done = true;
        order[(*n_ordered)++] = def;
        if (visit->caller > 0) at = visit->caller - 1;
    }
}

/* Defs by name; of two with one name the first. */
static void index_defs(tirbi_tc_checker *c) {
    for (uint32_t i = 0; i < c->program->n_defs; i++) {
        const tirbi_tc_def *def = c->program->defs[i];
        if (tirbi_tc_find_def(c, def->name)) fail(c, def->name_span, "`%s` is defined already", def->name);
        check_free(c, def->name, def->name_span);
        tirbi_index_add(&c->defs, c->arena, tirbi_text_hash(c, def->name, strlen(def->name)), i);
    }
}

bool tirbi_tc_check(tirbi_tc_program *program, tirbi_arena *arena, tirbi_diagnostics *diagnostics) {
    tirbi_tc_checker c = {.program = program, .arena = arena, .diagnostics = diagnostics};
    tirbi_tc_visit *visits = TIRBI_NEW_ARRAY(arena, tirbi_tc_visit, program->n_defs);
    const tirbi_tc_def **order = TIRBI_NEW_ARRAY(arena, const tirbi_tc_def *, program->n_defs);
    uint32_t n_ordered = 0;
    if (!visits || !order) return false;
    index_defs(&c);
    for (uint32_t i = 0; i < program->n_defs && !arena->failed; i++) {
        select_def(&c, visits, i);
        declare_def(&c);
        visits[i].symbols = c.symbols;
    }
    for (uint32_t i = 0; i < program->n_defs; i++) visit_def(&c, visits, i, order, &n_ordered);
    program->order = order;
    return !arena->failed && !tirbi_has_errors(diagnostics);
}
