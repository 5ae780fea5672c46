/* T.macro and T.inline: functions that are expanded where they are called. Their bodies see what is visible where they
 * are defined (Python's lexical scoping), unless hygienic=False gives them the names of their caller. */
#include <string.h>

#include "compiler/text/script/script.h"

enum { MAX_MACRO_DEPTH = 50, MAX_EXPANSIONS = 10000 };

bool tirbi_is_macro(const char *decorator) {
    return strcmp(decorator, "inline") == 0 || strcmp(decorator, "macro") == 0;
}

static bool read_options(tirbi_script *s, const char *decorator, const tirbi_node *call, tirbi_macro *macro) {
    for (uint32_t i = 1; call && i < call->n_items; i++) {
        const tirbi_node *item = call->items[i];
        bool known = strcmp(decorator, "macro") == 0 && item->kind == TIRBI_NODE_KEYWORD &&
                     strcmp(item->name, "hygienic") == 0 && item->items[0]->kind == TIRBI_NODE_BOOL;
        if (!known) {
            tirbi_fail(s, TIRB_SYNTAX, item->span, "T.%s has no such option; T.macro has hygienic=True or False",
                       decorator);
            return false;
        }
        macro->dynamic = item->items[0]->as.integer == 0;
    }
    return true;
}

void tirbi_define_macro(tirbi_script *s, const tirbi_line *line, const char *decorator, const tirbi_node *call) {
    tirbi_macro *macro = TIRBI_NEW(s->arena, tirbi_macro);
    if (!macro || !read_options(s, decorator, call, macro)) return;
    macro->line = line;
    macro->level = s->level;
    macro->scope = s->scope;
    tirbi_bind(s, line->name, line->name_span, (tirbi_value){.kind = TIRBI_VALUE_MACRO, .as.macro = macro});
}

static tirbi_value lambda_value(tirbi_script *s, const tirbi_node *node, const tirbi_line *line,
                                const tirbi_node *result) {
    tirbi_macro *lambda = TIRBI_NEW(s->arena, tirbi_macro);
    if (!lambda) return tirbi_value_error();
    *lambda = (tirbi_macro){.line = line, .result = result, .level = s->level, .scope = s->scope};
    return (tirbi_value){.kind = TIRBI_VALUE_LAMBDA, .node = node, .as.macro = lambda};
}

tirbi_value tirbi_make_lambda(tirbi_script *s, const tirbi_node *node) {
    uint32_t n = node->as.lambda.n;
    tirbi_line *line = TIRBI_NEW(s->arena, tirbi_line);
    tirbi_parameter *parameters = TIRBI_NEW_ARRAY(s->arena, tirbi_parameter, n);
    if (!line || !parameters) return tirbi_value_error();
    for (uint32_t i = 0; i < n; i++)
        parameters[i] = (tirbi_parameter){.name = node->as.lambda.names[i], .span = node->span};
    *line = (tirbi_line){.name = "lambda", .name_span = node->span, .parameters = parameters, .n_parameters = n};
    return lambda_value(s, node, line, node->items[0]);
}

/* What a function returns that has no other statement than a text before it. */
static const tirbi_node *only_result(const tirbi_line *line) {
    const tirbi_lines *body = &line->body;
    uint32_t first = body->n > 1 && body->items[0]->value && body->items[0]->value->kind == TIRBI_NODE_STRING;
    return body->n == first + 1 && body->items[first]->kind == TIRBI_LINE_RETURN ? body->items[first]->value : NULL;
}

bool tirbi_is_python_function(const tirbi_line *line) {
    return line->kind == TIRBI_LINE_DEF && line->n_decorators == 0 && only_result(line);
}

tirbi_value tirbi_python_function(tirbi_script *s, const tirbi_line *line) {
    return lambda_value(s, NULL, line, only_result(line));
}

/* ---- Arguments -------------------------------------------------------------------------------------------------- */

typedef struct given_arguments {
    const tirbi_argument *items;
    bool *taken;
    uint32_t n;
} given_arguments;

/* The first argument that no parameter has taken yet: of the name, or by position if that is NULL. */
static const tirbi_argument *take(given_arguments *given, const char *name) {
    for (uint32_t i = 0; i < given->n; i++) {
        if (given->taken[i] || given->items[i].name != name) continue;
        given->taken[i] = true;
        return &given->items[i];
    }
    return NULL;
}

/* All that are left: a tuple of those by position, or a dictionary of those by name. */
static tirbi_value take_rest(tirbi_script *s, given_arguments *given, bool by_name) {
    tirbi_list items = {.n = 0};
    for (uint32_t i = 0; i < given->n; i++) {
        const tirbi_argument *argument = &given->items[i];
        if (given->taken[i] || (argument->name != NULL) != by_name) continue;
        given->taken[i] = true;
        tirbi_value *key = by_name ? TIRBI_LIST_ADD(s->arena, &items, tirbi_value) : NULL;
        if (key) {
            key->kind = TIRBI_VALUE_STRING;
            key->as.string.text = argument->name;
            key->as.string.size = (uint32_t)strlen(argument->name);
        }
        tirbi_value *value = TIRBI_LIST_ADD(s->arena, &items, tirbi_value);
        if (!value || (by_name && !key)) return tirbi_value_error();
        *value = argument->value;
    }
    tirbi_value v = {.kind = by_name ? TIRBI_VALUE_DICT : TIRBI_VALUE_TUPLE};
    v.as.sequence.items = items.items;
    v.as.sequence.n = items.n;
    return v;
}

static tirbi_value argument_of(tirbi_script *s, const tirbi_node *call, const tirbi_line *line,
                               const tirbi_parameter *p, given_arguments *given) {
    if (p->kind == TIRBI_PARAMETER_REST || p->kind == TIRBI_PARAMETER_KEYWORDS)
        return take_rest(s, given, p->kind == TIRBI_PARAMETER_KEYWORDS);
    const tirbi_argument *argument = p->kind == TIRBI_PARAMETER_PLAIN ? take(given, NULL) : NULL;
    if (!argument) argument = take(given, p->name);
    if (argument) return argument->value;
    if (p->initial) return tirbi_evaluate(s, p->initial);
    return tirbi_fail(s, TIRB_TYPE, call->span, "`%s` needs the argument `%s`", line->name, p->name);
}

static bool all_taken(tirbi_script *s, const tirbi_line *line, const given_arguments *given) {
    for (uint32_t i = 0; i < given->n; i++) {
        const tirbi_argument *argument = &given->items[i];
        if (given->taken[i]) continue;
        if (argument->name)
            tirbi_fail(s, TIRB_TYPE, argument->node->span, "`%s` has no parameter `%s`, or has got it already",
                       line->name, argument->name);
        else
            tirbi_fail(s, TIRB_TYPE, argument->node->span, "`%s` takes fewer arguments: there is no parameter for this",
                       line->name);
        return false;
    }
    return true;
}

/* The arguments have been evaluated with the caller's names; initial values are with the macro's. */
static bool bind_parameters(tirbi_script *s, const tirbi_node *call, const tirbi_line *line,
                            const tirbi_list *arguments) {
    given_arguments given = {.items = arguments->items, .n = arguments->n};
    given.taken = TIRBI_NEW_ARRAY(s->arena, bool, given.n + 1);
    if (!given.taken) return false;
    for (uint32_t i = 0; i < line->n_parameters; i++) {
        const tirbi_parameter *p = &line->parameters[i];
        tirbi_value v = argument_of(s, call, line, p, &given);
        if (tirbi_is_error(&v) || !tirbi_bind(s, p->name, v.node ? v.node->span : p->span, v)) return false;
    }
    return all_taken(s, line, &given);
}

/* ---- Expansion -------------------------------------------------------------------------------------------------- */

static bool may_expand(tirbi_script *s, const tirbi_node *call) {
    if (s->depth < MAX_MACRO_DEPTH && s->n_expansions < MAX_EXPANSIONS) return true;
    tirbi_fail(s, TIRB_UNSUPPORTED, call->span, "macros are nested more than %d deep or expanded more than %d times",
               MAX_MACRO_DEPTH, MAX_EXPANSIONS);
    return false;
}

/* Runs the body, or evaluates the result, with the parameters bound. */
static tirbi_value expand(tirbi_script *s, const tirbi_node *call, tirbi_macro *macro) {
    tirbi_list arguments = {.n = 0};
    tirbi_value result = tirbi_value_none();
    if (!may_expand(s, call) || !tirbi_read_arguments(s, call, &arguments)) return tirbi_value_error();
    tirbi_scope *own = TIRBI_NEW(s->arena, tirbi_scope);
    if (!own) return tirbi_value_error();
    const tirbi_scope *scope = s->scope;
    uint32_t suffix = s->block_suffix, mark = tirbi_open_level(s);
    *own = (tirbi_scope){.low = macro->level, .high = s->level, .outer = macro->scope};
    if (!macro->dynamic) s->scope = own;
    /* The names of blocks stay apart: the second expansion's get `_1` behind them. */
    s->block_suffix = macro->n_expansions++;
    s->depth++;
    s->n_expansions++;
    if (!bind_parameters(s, call, macro->line, &arguments)) result = tirbi_value_error();
    else if (macro->result) result = tirbi_evaluate(s, macro->result);
    else tirbi_run_lines(s, &macro->line->body);
    s->depth--;
    s->block_suffix = suffix;
    s->scope = scope;
    tirbi_close_level(s, mark);
    return result;
}

bool tirbi_expand_macro(tirbi_script *s, const tirbi_node *call, tirbi_macro *macro) {
    if (!s->function || s->in_signature) {
        tirbi_fail(s, TIRB_TYPE, call->span, "a macro is only expanded in a function");
        return false;
    }
    tirbi_value done = expand(s, call, macro);
    return !tirbi_is_error(&done);
}

tirbi_value tirbi_call_lambda(tirbi_script *s, const tirbi_node *call, tirbi_macro *lambda) {
    return expand(s, call, lambda);
}
