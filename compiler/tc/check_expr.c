/* Names and types of expressions. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/source/suggest.h"
#include "compiler/tc/checker.h"
#include "compiler/tc/lexer.h"

static const tirb_datatype wrong = {TIRB_CODE_INT, 0, 1, false};
static const tirb_datatype float64 = {TIRB_CODE_FLOAT, 64, 1, false};

/* ---- Types ------------------------------------------------------------------------------------------------------ */

static uint32_t bits_of(tirb_datatype type) { return type.code == TIRB_CODE_BOOL ? 1 : type.bits; }

tirb_datatype tirbi_tc_match(tirb_datatype a, tirb_datatype b) {
    bool float_a = a.code == TIRB_CODE_FLOAT, float_b = b.code == TIRB_CODE_FLOAT;
    if (float_a != float_b) return float_a ? a : b;
    tirb_datatype wider = bits_of(b) > bits_of(a) ? b : a;
    if (!float_a && (a.code == TIRB_CODE_INT || b.code == TIRB_CODE_INT)) wider.code = TIRB_CODE_INT;
    return wider;
}

bool tirbi_tc_is_integral(tirb_datatype type) { return type.code == TIRB_CODE_INT || type.code == TIRB_CODE_UINT; }

static bool is_bool(tirb_datatype type) { return type.code == TIRB_CODE_BOOL; }

/* The checker is the one that changes nodes, and each of them stands in one place. */
static tirbi_tc_expr *node_of(const tirbi_tc_expr *e) { return (tirbi_tc_expr *)e; }

static tirb_datatype set_type(const tirbi_tc_expr *e, tirb_datatype type) {
    node_of(e)->dtype = type;
    return type;
}

/* Numbers, and what only hands them on. */
static bool is_literal(const tirbi_tc_expr *e) {
    switch (e->kind) {
    case TIRBI_TC_INT:
    case TIRBI_TC_FLOAT:
        return true;
    case TIRBI_TC_NEG:
        return is_literal(e->args[0]);
    case TIRBI_TC_CHOICE:
        return is_literal(e->args[1]) && is_literal(e->args[2]);
    case TIRBI_TC_MIN:
    case TIRBI_TC_MAX:
        return is_literal(e->args[0]) && is_literal(e->args[1]);
    default:
        return false;
    }
}

/* An integer among floats stays one: it is exact. */
static void set_literal(const tirbi_tc_expr *e, tirb_datatype type) {
    if ((e->dtype.code == TIRB_CODE_FLOAT) != (type.code == TIRB_CODE_FLOAT)) return;
    for (uint32_t i = e->kind == TIRBI_TC_CHOICE; i < e->n_args; i++) set_literal(e->args[i], type);
    set_type(e, type);
}

void tirbi_tc_adopt(const tirbi_tc_expr *e, tirb_datatype type) {
    if (tirbi_tc_is_wrong(e->dtype) || !is_literal(e)) return;
    if (e->dtype.code == TIRB_CODE_FLOAT ? type.code == TIRB_CODE_FLOAT : tirbi_tc_literal_fits(e, type))
        set_literal(e, type);
}

bool tirbi_tc_literal_fits(const tirbi_tc_expr *e, tirb_datatype type) {
    bool negative = e->kind == TIRBI_TC_NEG;
    const tirbi_tc_expr *number = negative ? e->args[0] : e;
    if (number->kind != TIRBI_TC_INT || !tirbi_tc_is_integral(type)) return false;
    const bool is_signed = type.code == TIRB_CODE_INT;
    if (negative && !is_signed) return number->int_value == 0;
    const uint64_t limit = (is_signed ? UINT64_MAX >> 1 : UINT64_MAX) >> (64 - type.bits);
    return (uint64_t)number->int_value <= limit + negative;
}

static tirb_datatype match_all(const tirbi_tc_expr *const *args, uint32_t n, tirb_datatype type) {
    bool ok = true;
    for (uint32_t i = 0; i < n; i++) {
        ok = ok && !tirbi_tc_is_wrong(args[i]->dtype);
        type = tirbi_tc_match(type, args[i]->dtype);
    }
    if (!ok) return wrong;
    for (uint32_t i = 0; i < n && tirb_datatype_equal(type, float64); i++) tirbi_tc_adopt(args[i], type);
    return type;
}

/* ---- Messages --------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static tirb_datatype fail(tirbi_tc_checker *c, tirbi_span span,
                                                                const char *format, ...) {
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    tirbi_report_error(c->diagnostics, TIRB_TYPE, span, "%s", message);
    return wrong;
}

const char *tirbi_tc_kind_text(tirbi_tc_symbol_kind kind) {
    static const char *const texts[] = {[TIRBI_TC_SIZE] = "a size",
                                        [TIRBI_TC_TENSOR] = "a tensor",
                                        [TIRBI_TC_INDEX] = "an index",
                                        [TIRBI_TC_LET] = "a name for a value"};
    return texts[kind];
}

/* From here on nothing is said about the name. */
static void forget(tirbi_tc_checker *c, const tirbi_tc_expr *e) {
    tirbi_tc_known *known = tirbi_tc_declare(c, c->global, TIRBI_TC_TENSOR, e->name, e->name_span);
    if (known) known->is_wrong = true;
}

static void suggest_names(const tirbi_tc_checker *c, const tirbi_tc_names *names, bool is_called,
                          tirbi_suggestion *suggestion) {
    if (!tirbi_may_explain(c->diagnostics, names->items.n)) return;
    for (uint32_t i = 0; i < names->items.n; i++) {
        const tirbi_tc_known *known = ((tirbi_tc_known **)names->items.items)[i];
        if (!known->is_wrong && (!is_called || known->symbol.kind == TIRBI_TC_TENSOR))
            tirbi_suggest(suggestion, known->symbol.name);
    }
}

static tirb_datatype undefined(tirbi_tc_checker *c, const tirbi_tc_expr *e, bool is_called) {
    tirbi_suggestion suggestion = {.wanted = e->name};
    const tirbi_tc_builtin *builtin;
    suggest_names(c, &c->local, is_called, &suggestion);
    suggest_names(c, c->global, is_called, &suggestion);
    for (uint32_t i = 0; is_called && (builtin = tirbi_tc_builtin_at(i)); i++)
        tirbi_suggest(&suggestion, builtin->name);
    forget(c, e);
    if (suggestion.best)
        return fail(c, e->name_span, "`%s` is not defined; did you mean `%s`?", e->name, suggestion.best);
    static const char *const others[][2] = {
        {"relu", "fmax(x, 0)"}, {"maximum", "fmax(x, y)"}, {"minimum", "fmin(x, y)"},
        {"where", "c ? x : y"}, {"select", "c ? x : y"},   {"sum", "a statement with +=!"},
    };
    for (size_t i = 0; is_called && i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i][0], e->name) == 0)
            return fail(c, e->name_span, "`%s` is not defined; write %s", e->name, others[i][1]);
    return fail(c, e->name_span,
                "`%s` is not defined; make it an input, float(N) %s, or assign it before this statement", e->name,
                e->name);
}

static const char bounds_rule[] = "the bounds of a range are made of sizes, numbers and integer inputs of rank 0";

static tirb_datatype undefined_bound(tirbi_tc_checker *c, const tirbi_tc_expr *e) {
    tirbi_suggestion suggestion = {.wanted = e->name};
    suggest_names(c, c->global, false, &suggestion);
    forget(c, e);
    if (suggestion.best) return fail(c, e->name_span, "%s; did you mean `%s`?", bounds_rule, suggestion.best);
    return fail(c, e->name_span, "%s, and `%s` is none of them", bounds_rule, e->name);
}

static tirb_datatype need_bool(tirbi_tc_checker *c, const tirbi_tc_expr *e, const char *who) {
    char type[32];
    if (tirbi_tc_is_wrong(e->dtype) || is_bool(e->dtype)) return e->dtype;
    return fail(c, e->span, "%s takes bool, this is %s", who, tirb_datatype_text(e->dtype, type));
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static tirbi_tc_known *lookup(const tirbi_tc_checker *c, const char *name) {
    tirbi_tc_known *known = tirbi_tc_find(&c->local, name);
    return known ? known : tirbi_tc_find(c->global, name);
}

/* The value of a tensor as a whole or in parts: it has one. */
static bool has_value(tirbi_tc_checker *c, const tirbi_tc_expr *e, tirbi_tc_known *known) {
    if (known->is_wrong) return false;
    known->is_read = true;
    if (known->symbol.is_param || known->is_defined) return true;
    fail(c, e->name_span, "`%s` is read before a statement has given it a value", e->name);
    return false;
}

static tirb_datatype check_tensor_name(tirbi_tc_checker *c, const tirbi_tc_expr *e, tirbi_tc_known *known) {
    const tirbi_tc_symbol *symbol = &known->symbol;
    if (!has_value(c, e, known)) return wrong;
    if (symbol->ndim > 0 && c->context != TIRBI_TC_IN_LIBRARY)
        return fail(c, e->name_span, "`%s` has %u dimension%s: an element of it has as many subscripts", e->name,
                    (unsigned)symbol->ndim, tirbi_tc_plural(symbol->ndim));
    if (c->context == TIRBI_TC_IN_BOUND && (!symbol->is_param || !tirbi_tc_is_integral(symbol->dtype)))
        return fail(c, e->name_span, "%s, and `%s` is none of them", bounds_rule, e->name);
    return symbol->dtype;
}

static tirb_datatype check_index_name(tirbi_tc_checker *c, const tirbi_tc_expr *e, tirbi_tc_known *known) {
    if (c->context == TIRBI_TC_IN_BOUND)
        return fail(c, e->name_span,
                    "the bounds of a range cannot depend on the index `%s`: ranges are rectangular; choose with "
                    "`condition ? value : 0` instead",
                    e->name);
    if (c->n_subscripts > 0) known->is_bounded = true;
    return known->symbol.dtype;
}

static tirb_datatype check_name(tirbi_tc_checker *c, const tirbi_tc_expr *e) {
    tirbi_tc_known *known = lookup(c, e->name);
    if (!known) {
        const tirbi_tc_builtin *builtin = tirbi_tc_find_builtin(e->name);
        if (builtin)
            return fail(c, e->name_span, "`%s` is a function of %u argument%s", e->name, (unsigned)builtin->arity,
                        tirbi_tc_plural(builtin->arity));
        if (c->context == TIRBI_TC_IN_BOUND) return undefined_bound(c, e);
        if (c->context == TIRBI_TC_IN_LIBRARY) return undefined(c, e, false);
        known = tirbi_tc_declare_index(c, e->name, e->name_span);
        if (!known) return wrong;
    }
    node_of(e)->symbol = &known->symbol;
    switch (known->symbol.kind) {
    case TIRBI_TC_TENSOR:
        return check_tensor_name(c, e, known);
    case TIRBI_TC_INDEX:
        return check_index_name(c, e, known);
    case TIRBI_TC_LET:
        if (known->is_wrong) return wrong;
        if (c->context == TIRBI_TC_IN_BOUND && known->is_pointwise)
            return fail(c, e->name_span, "%s; the value of `%s` is not", bounds_rule, e->name);
        if (c->n_subscripts > 0) c->let_is_bounded = true;
        return known->symbol.dtype;
    default:
        return known->symbol.dtype;
    }
}

static tirb_datatype check_dim(tirbi_tc_checker *c, const tirbi_tc_expr *e) {
    tirbi_tc_known *known = lookup(c, e->name);
    if (!known) return undefined(c, e, true);
    if (known->is_wrong) return wrong;
    if (known->symbol.kind != TIRBI_TC_TENSOR)
        return fail(c, e->name_span, "`%s` is %s, which has no dimensions", e->name,
                    tirbi_tc_kind_text(known->symbol.kind));
    bool was_read = known->is_read;
    if (!has_value(c, e, known)) return wrong;
    known->is_read = was_read;
    node_of(e)->symbol = &known->symbol;
    if (e->int_value >= known->symbol.ndim)
        return fail(c, e->span, "`%s` has %u dimension%s, numbered from 0", e->name, (unsigned)known->symbol.ndim,
                    tirbi_tc_plural(known->symbol.ndim));
    return tirbi_type_i32;
}

/* ---- What stands in front of brackets --------------------------------------------------------------------------- */

static void check_args(tirbi_tc_checker *c, const tirbi_tc_expr *e) {
    for (uint32_t i = 0; i < e->n_args; i++) tirbi_tc_check_expr(c, e->args[i]);
}

static void check_subscripts(tirbi_tc_checker *c, const tirbi_tc_expr *e) {
    char type[32];
    c->n_subscripts++;
    check_args(c, e);
    c->n_subscripts--;
    for (uint32_t i = 0; i < e->n_args; i++) {
        tirb_datatype found = e->args[i]->dtype;
        if (!tirbi_tc_is_wrong(found) && !tirbi_tc_is_integral(found))
            fail(c, e->args[i]->span, "a subscript is an integer, this is %s; a cast is written int32(x)",
                 tirb_datatype_text(found, type));
    }
}

static tirb_datatype check_read(tirbi_tc_checker *c, const tirbi_tc_expr *e, tirbi_tc_known *known) {
    const tirbi_tc_symbol *symbol = &known->symbol;
    if (symbol->kind != TIRBI_TC_TENSOR) {
        check_args(c, e);
        return fail(c, e->name_span, "`%s` is %s, no tensor: it has no subscripts", e->name,
                    tirbi_tc_kind_text(symbol->kind));
    }
    node_of(e)->symbol = symbol;
    check_subscripts(c, e);
    if (!has_value(c, e, known)) return wrong;
    if (e->n_args != symbol->ndim)
        return fail(c, e->span, "`%s` has %u dimension%s, and %u subscript%s here", e->name, (unsigned)symbol->ndim,
                    tirbi_tc_plural(symbol->ndim), (unsigned)e->n_args, tirbi_tc_plural(e->n_args));
    if (c->context == TIRBI_TC_IN_BOUND && symbol->ndim > 0)
        return fail(c, e->span, "%s: they read no tensor", bounds_rule);
    return e->n_args == 0 ? check_tensor_name(c, e, known) : symbol->dtype;
}

static tirb_datatype check_pad(tirbi_tc_checker *c, const tirbi_tc_expr *e) {
    node_of(e)->kind = TIRBI_TC_PAD;
    check_args(c, e);
    if (e->n_args != 2) return fail(c, e->span, "`pad` takes 2 arguments, %u given", (unsigned)e->n_args);
    return match_all(e->args, 2, e->args[0]->dtype);
}

static tirb_datatype check_builtin(tirbi_tc_checker *c, const tirbi_tc_expr *e, const tirbi_tc_builtin *builtin) {
    node_of(e)->kind = TIRBI_TC_BUILTIN;
    node_of(e)->builtin = builtin;
    check_args(c, e);
    if (e->n_args != builtin->arity)
        return fail(c, e->span, "`%s` takes %u argument%s, %u given", e->name, (unsigned)builtin->arity,
                    tirbi_tc_plural(builtin->arity), (unsigned)e->n_args);
    return match_all(e->args, e->n_args, tirbi_type_f32);
}

static tirb_datatype check_called(tirbi_tc_checker *c, const tirbi_tc_expr *e) {
    tirbi_tc_known *known = lookup(c, e->name);
    if (known && !known->is_wrong) return check_read(c, e, known);
    const tirbi_tc_builtin *builtin = tirbi_tc_find_builtin(e->name);
    tirb_datatype alias;
    char type[32];
    if (builtin) return check_builtin(c, e, builtin);
    if (strcmp(e->name, "pad") == 0 && !known) return check_pad(c, e);
    const bool is_def = !known && tirbi_tc_find_def(c, e->name);
    const tirbi_tc_context context = c->context;
    if (is_def) c->context = TIRBI_TC_IN_LIBRARY;
    c->n_subscripts++;
    check_args(c, e);
    c->n_subscripts--;
    c->context = context;
    if (known) return wrong;
    if (is_def) return fail(c, e->name_span, "a call of `%s` is a statement of its own, a = %s(x)", e->name, e->name);
    if (tirbi_tc_alias(e->name, &alias))
        return fail(c, e->name_span, "a cast is written %s(x)", tirb_datatype_text(alias, type));
    return undefined(c, e, true);
}

/* ---- Operators -------------------------------------------------------------------------------------------------- */

static tirb_datatype check_not(tirbi_tc_checker *c, const tirbi_tc_expr *e) {
    char type[32];
    tirb_datatype found = tirbi_tc_check_expr(c, e->args[0]);
    if (tirbi_tc_is_wrong(found) || is_bool(found)) return found;
    return fail(c, e->args[0]->span, "'!' takes bool, this is %s; it binds tighter than comparisons: !(a < b)",
                tirb_datatype_text(found, type));
}

static tirb_datatype check_logical(tirbi_tc_checker *c, const tirbi_tc_expr *e) {
    const char *who = e->kind == TIRBI_TC_AND ? "'&&'" : "'||'";
    check_args(c, e);
    tirb_datatype left = need_bool(c, e->args[0], who), right = need_bool(c, e->args[1], who);
    return tirbi_tc_is_wrong(left) || tirbi_tc_is_wrong(right) ? wrong : tirbi_type_bool;
}

static tirb_datatype check_cast(tirbi_tc_checker *c, const tirbi_tc_expr *e) {
    tirb_datatype type = e->dtype;
    if (tirbi_tc_is_wrong(tirbi_tc_check_expr(c, e->args[0]))) return wrong;
    tirbi_tc_adopt(e->args[0], type);
    return type;
}

static tirb_datatype check_choice(tirbi_tc_checker *c, const tirbi_tc_expr *e) {
    check_args(c, e);
    tirb_datatype condition = need_bool(c, e->args[0], "the condition of '?:'");
    tirb_datatype type = match_all(e->args + 1, 2, e->args[1]->dtype);
    return tirbi_tc_is_wrong(condition) ? wrong : type;
}

static tirb_datatype check_operator(tirbi_tc_checker *c, const tirbi_tc_expr *e) {
    switch (e->kind) {
    case TIRBI_TC_NOT:
        return check_not(c, e);
    case TIRBI_TC_AND:
    case TIRBI_TC_OR:
        return check_logical(c, e);
    case TIRBI_TC_CAST:
        return check_cast(c, e);
    case TIRBI_TC_CHOICE:
        return check_choice(c, e);
    default:
        break;
    }
    check_args(c, e);
    tirb_datatype type = match_all(e->args, e->n_args, e->args[0]->dtype);
    bool compares = e->kind >= TIRBI_TC_EQ && e->kind <= TIRBI_TC_GE;
    return compares && !tirbi_tc_is_wrong(type) ? tirbi_type_bool : type;
}

tirb_datatype tirbi_tc_check_expr(tirbi_tc_checker *c, const tirbi_tc_expr *e) {
    if (!tirbi_arena_work(c->arena, 1)) return wrong;
    switch (e->kind) {
    case TIRBI_TC_INT:
        return set_type(e, e->int_value > INT32_MAX ? tirbi_type_i64 : tirbi_type_i32);
    case TIRBI_TC_FLOAT:
        return set_type(e, tirbi_type_f32);
    case TIRBI_TC_BOOL:
        return set_type(e, tirbi_type_bool);
    case TIRBI_TC_NAME:
        return set_type(e, check_name(c, e));
    case TIRBI_TC_DIM:
        return set_type(e, check_dim(c, e));
    case TIRBI_TC_READ:
    case TIRBI_TC_BUILTIN:
    case TIRBI_TC_PAD:
        return set_type(e, check_called(c, e));
    default:
        return set_type(e, check_operator(c, e));
    }
}
