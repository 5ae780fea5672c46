/* Relax functions: signatures, statements, and what a module gets of them. */
#include "compiler/text/script/relax.h"

#include <string.h>

struct tirbi_relax *tirbi_relax_state(tirbi_script *s) {
    if (s->relax) return s->relax;
    s->relax = TIRBI_NEW(s->arena, struct tirbi_relax);
    if (s->relax) tirbi_relax_builder_init(&s->relax->builder, &s->builder);
    return s->relax;
}

tirbi_list *tirbi_relax_type_vars(tirbi_script *s) { return tirbi_in_relax(s) ? &s->relax->function->type_vars : NULL; }

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* A name may be bound again at any time. */
static void bind_name(tirbi_script *s, const char *name, tirbi_value value) {
    const tirbi_binding *old = tirbi_lookup(s, name);
    if (old && old->level == s->level) {
        tirbi_rebind(s, name, value);
        return;
    }
    const tirbi_binding binding = {.name = name, .value = value, .level = s->level};
    tirbi_push_binding(s, &binding);
}

static tirbi_relax_decl *find_decl(const tirbi_script *s, const char *name) {
    tirbi_relax_decl *const *all = s->relax ? s->relax->functions.items : NULL;
    for (uint32_t i = 0; all && i < s->relax->functions.n; i++)
        if (strcmp(all[i]->line->name, name) == 0) return all[i];
    return NULL;
}

tirbi_value tirbi_find_relax(tirbi_script *s, const char *name, tirbi_span span) {
    const tirbi_relax_decl *decl = find_decl(s, name);
    tirb_relax_expr *e = decl ? tirbi_relax_make(&s->relax->builder, span, TIRB_RELAX_GLOBAL) : NULL;
    if (!decl) return (tirbi_value){.kind = TIRBI_VALUE_MISSING};
    if (!e || !decl->ir->type) return tirbi_value_error();
    e->as.global.name = name;
    e->as.global.function = decl->ir;
    e->type = decl->ir->type;
    return tirbi_value_relax(e);
}

/* ---- Declaration ------------------------------------------------------------------------------------------------- */

static bool read_options(tirbi_script *s, const tirbi_line *line, tirb_relax_function *ir, bool *is_private) {
    const tirbi_node *decorator = line->n_decorators ? line->decorators[line->n_decorators - 1] : NULL;
    ir->pure = true;
    *is_private = false;
    for (uint32_t i = 1; decorator && decorator->kind == TIRBI_NODE_CALL && i < decorator->n_items; i++) {
        const tirbi_node *item = decorator->items[i];
        if (item->kind != TIRBI_NODE_KEYWORD || item->items[0]->kind != TIRBI_NODE_BOOL) {
            tirbi_fail(s, TIRB_SYNTAX, item->span, "an option of R.function is a keyword with True or False");
            return false;
        }
        bool value = item->items[0]->as.integer != 0;
        if (strcmp(item->name, "pure") == 0)
            ir->pure = value;
        else if (strcmp(item->name, "private") == 0)
            *is_private = value;
        else if (strcmp(item->name, "check_well_formed") != 0) {
            tirbi_fail(s, TIRB_SYNTAX, item->span, "R.function has no option `%s`", item->name);
            return false;
        }
    }
    return true;
}

static tirbi_relax_decl *new_decl(tirbi_script *s, const tirbi_line *line) {
    tirbi_relax_decl *decl = TIRBI_NEW(s->arena, tirbi_relax_decl);
    tirb_relax_function *ir = TIRBI_NEW(s->arena, tirb_relax_function);
    bool is_private;
    if (!decl || !ir || !tirbi_relax_state(s) || !read_options(s, line, ir, &is_private)) return NULL;
    decl->line = line;
    decl->ir = ir;
    ir->name = line->name;
    ir->global_symbol = is_private ? NULL : line->name;
    ir->span = line->name_span;
    return decl;
}

void tirbi_add_relax(tirbi_script *s, const tirbi_line *line, bool in_class) {
    tirbi_relax_decl *decl = new_decl(s, line);
    tirbi_relax_decl **slot = decl ? TIRBI_LIST_ADD(s->arena, &s->relax->functions, tirbi_relax_decl *) : NULL;
    if (!slot) return;
    decl->outside = !in_class;
    *slot = decl;
}

uint32_t tirbi_count_relax(const tirbi_script *s) { return s->relax ? s->relax->functions.n : 0; }

static bool is_identifier(const char *text, uint32_t size) {
    for (uint32_t i = 0; i < size; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) return false;
    }
    return size > 0;
}

/* The variables that quoted names in shapes define, before anything is read that may mention them. */
static void define_quoted(tirbi_script *s, const tirbi_node *node, bool in_shape) {
    if (node->kind == TIRBI_NODE_STRING && in_shape && is_identifier(node->as.string.text, node->as.string.size)) {
        const char *name = tirbi_intern(&s->names, node->as.string.text, node->as.string.size);
        const tirbi_binding *old = name ? tirbi_lookup(s, name) : NULL;
        if (!name || (old && old->level == s->level) || (old && old->value.kind == TIRBI_VALUE_TYPEVAR)) return;
        const tirb_expr *var = tirbi_make_var(&s->builder, node->span, name, tirbi_prim_type(tirbi_type_i64));
        if (var) bind_name(s, name, tirbi_value_expr(var));
        return;
    }
    bool shape = node->kind == TIRBI_NODE_TUPLE || node->kind == TIRBI_NODE_LIST;
    for (uint32_t i = 0; i < node->n_items; i++)
        if (node->items[i]) define_quoted(s, node->items[i], shape && node->kind != TIRBI_NODE_CALL);
}

/* A parameter that is a scalar can be a dimension of others, also of those before it. */
static const tirb_relax_type *scalar_type(tirbi_script *s, const tirbi_node *annotation) {
    const tirbi_node *callee = annotation->kind == TIRBI_NODE_CALL ? annotation->items[0] : annotation;
    bool prim = annotation->kind == TIRBI_NODE_CALL && callee->kind == TIRBI_NODE_ATTRIBUTE &&
                strcmp(callee->name, "Prim") == 0;
    bool dtype = annotation->kind == TIRBI_NODE_ATTRIBUTE && annotation->items[0]->kind == TIRBI_NODE_NAME &&
                 strcmp(annotation->items[0]->name, "R") != 0;
    if (!prim && !dtype) return NULL;
    tirbi_value v = tirbi_evaluate(s, annotation);
    const tirb_relax_type *type = tirbi_to_relax_type(s, &v);
    return type && type->kind == TIRB_RELAX_TYPE_PRIM ? type : NULL;
}

static const tirb_relax_type *read_type(tirbi_script *s, const tirbi_node *node) {
    tirbi_value v = tirbi_evaluate(s, node);
    if (!v.node) v.node = node;
    return tirbi_to_relax_type(s, &v);
}

static bool read_params(tirbi_script *s, tirbi_relax_decl *decl) {
    const tirbi_line *line = decl->line;
    tirbi_relax_builder *b = &s->relax->builder;
    const tirb_relax_var **params = TIRBI_NEW_ARRAY(s->arena, const tirb_relax_var *, (size_t)line->n_parameters + 1);
    if (!params) return false;
    for (uint32_t i = 0; i < line->n_parameters; i++) {
        const tirbi_parameter *p = &line->parameters[i];
        if (p->kind != TIRBI_PARAMETER_PLAIN || !p->annotation || p->initial) {
            tirbi_fail(s, TIRB_TYPE, p->span, "the parameter `%s` %s", p->name,
                       !p->annotation ? "needs a type" : "must be a plain one without a default value");
            return false;
        }
        const tirb_relax_type *type = scalar_type(s, p->annotation);
        if (!type) continue;
        params[i] = tirbi_relax_new_var(b, p->span, p->name, type);
        if (params[i]) bind_name(s, p->name, tirbi_relax_use(s, p->span, params[i]));
    }
    for (uint32_t i = 0; i < line->n_parameters; i++) define_quoted(s, line->parameters[i].annotation, false);
    for (uint32_t i = 0; i < line->n_parameters; i++) {
        const tirbi_parameter *p = &line->parameters[i];
        if (params[i]) continue;
        const tirbi_binding *old = tirbi_lookup(s, p->name);
        if (old && old->level == s->level) {
            tirbi_fail(s, TIRB_TYPE, p->span, "`%s` is already defined in this scope", p->name);
            return false;
        }
        params[i] = tirbi_relax_new_var(b, p->span, p->name, read_type(s, p->annotation));
        if (!params[i]) return false;
        bind_name(s, p->name, tirbi_relax_use(s, p->span, params[i]));
    }
    decl->ir->params = params;
    decl->ir->n_params = line->n_parameters;
    return true;
}

static void set_type(tirbi_script *s, tirb_relax_function *ir, const tirb_relax_type *ret) {
    const tirb_relax_type **types = TIRBI_NEW_ARRAY(s->arena, const tirb_relax_type *, (size_t)ir->n_params + 1);
    if (!types) return;
    for (uint32_t i = 0; i < ir->n_params; i++) types[i] = ir->params[i]->type;
    ir->ret = ret;
    ir->type = tirbi_relax_function_type(&s->relax->builder, types, ir->n_params, ret, ir->pure);
}

/* Reads the signature in a level of its own, which `decl` keeps. */
static void declare(tirbi_script *s, tirbi_relax_decl *decl) {
    uint32_t mark = tirbi_open_level(s);
    decl->outer = s->relax->function;
    if (decl->outer) decl->type_vars = decl->outer->type_vars; /* the same variables inside */
    s->relax->function = decl;
    s->in_signature = true;
    s->builder.at = decl->line->name_span;
    uint32_t known = s->relax->builder.known.n;
    bool good = read_params(s, decl);
    if (good && decl->line->annotation) {
        decl->annotation = read_type(s, decl->line->annotation);
        good = decl->annotation != NULL;
    }
    s->relax->builder.known.n = known; /* scalars are defined again with the body */
    decl->broken = !good;
    uint32_t n = s->bindings.n - mark;
    decl->bindings = TIRBI_NEW_ARRAY(s->arena, tirbi_binding, (size_t)n + 1);
    if (decl->bindings) {
        decl->n_bindings = n;
        if (n) memcpy(decl->bindings, (tirbi_binding *)s->bindings.items + mark, n * sizeof *decl->bindings);
    }
    s->in_signature = false;
    s->relax->function = decl->outer;
    tirbi_close_level(s, mark);
    if (good) set_type(s, decl->ir, decl->annotation ? decl->annotation : tirbi_relax_any(&s->relax->builder));
}

void tirbi_declare_relax(tirbi_script *s, uint32_t i) {
    declare(s, ((tirbi_relax_decl **)s->relax->functions.items)[i]);
}

/* ---- Assignments ------------------------------------------------------------------------------------------------- */

static void run_lines(tirbi_script *s, const tirbi_lines *lines);

/* `T.int64()`, which declares the variable that it is assigned to. */
static bool is_declaration(const tirbi_node *node) {
    return node->kind == TIRBI_NODE_CALL && node->n_items == 1 && node->items[0]->kind == TIRBI_NODE_ATTRIBUTE &&
           node->items[0]->items[0]->kind == TIRBI_NODE_NAME;
}

static void declare_dim(tirbi_script *s, const tirbi_node *target, const tirbi_value *v) {
    char left[32], right[32];
    const tirbi_binding *old = tirbi_lookup(s, target->name);
    tirbi_value known = old ? old->value : tirbi_value_none();
    if (known.kind == TIRBI_VALUE_TYPEVAR) known = tirbi_value_expr(tirbi_to_expr(s, &known));
    if (known.kind == TIRBI_VALUE_EXPR && known.as.expr->kind == TIRB_EXPR_VAR) {
        if (!tirb_datatype_equal(known.as.expr->dtype, v->as.expr->dtype))
            tirbi_fail(s, TIRB_TYPE, target->span, "`%s` is of type %s, not %s", target->name,
                       tirb_datatype_text(known.as.expr->dtype, left), tirb_datatype_text(v->as.expr->dtype, right));
        bind_name(s, target->name, known);
        return;
    }
    const tirb_expr *var = tirbi_make_var(&s->builder, target->span, target->name, v->as.expr->as.var.type);
    bind_name(s, target->name, tirbi_value_expr(var));
}

static void assign(tirbi_script *s, const tirbi_node *target, const tirbi_node *source, tirbi_value v,
                   const tirb_relax_type *annotation);

/* a, b = t: a binding for each name. */
/* The value as Python sees it: of a tuple or shape that is written there, its items. */
static tirbi_value with_items(tirbi_script *s, tirbi_value v) {
    const tirb_relax_expr *e = v.kind == TIRBI_VALUE_RELAX ? v.as.relax : NULL;
    if (!e || (e->kind != TIRB_RELAX_TUPLE && e->kind != TIRB_RELAX_SHAPE)) return v;
    const bool is_tuple = e->kind == TIRB_RELAX_TUPLE;
    tirbi_value out = {.kind = TIRBI_VALUE_TUPLE, .node = v.node};
    out.as.sequence.n = is_tuple ? e->as.tuple.n : e->as.shape.n;
    out.as.sequence.items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, out.as.sequence.n);
    if (!out.as.sequence.items) return tirbi_value_error();
    for (uint32_t i = 0; i < out.as.sequence.n; i++)
        out.as.sequence.items[i] =
            is_tuple ? tirbi_value_relax(e->as.tuple.items[i]) : tirbi_value_expr(e->as.shape.values[i]);
    return out;
}

/* `*rest` is a list of the values that are left: a name while the text is read. */
static void name_list(tirbi_script *s, const tirbi_node *target, const tirbi_node *source, tirbi_value *items,
                      uint32_t n) {
    tirbi_value list = {.kind = TIRBI_VALUE_TUPLE, .node = source};
    for (uint32_t i = 0; i < n; i++) items[i].node = source;
    list.as.sequence.items = items;
    list.as.sequence.n = n;
    if (target->kind == TIRBI_NODE_NAME)
        bind_name(s, target->name, list);
    else
        tirbi_fail(s, TIRB_SYNTAX, target->span, "only a name stands behind `*`");
}

static void unpack(tirbi_script *s, const tirbi_node *target, const tirbi_node *source, tirbi_value v) {
    v = with_items(s, v);
    bool items = v.kind == TIRBI_VALUE_TUPLE;
    if (!items && v.kind != TIRBI_VALUE_RELAX) {
        tirbi_fail(s, TIRB_TYPE, target->span, "%s cannot be unpacked", tirbi_value_text(&v));
        return;
    }
    if (!items && v.as.relax->kind == TIRB_RELAX_CALL) {
        tirbi_fail(s, TIRB_TYPE, target->span,
                   "TVM unpacks no call: give its value a name, and unpack that: `t = %.60s`, then `... = t`",
                   tirbi_node_text(s, source));
        return;
    }
    const tirb_relax_expr *tuple = items ? NULL : tirbi_relax_normalise(&s->relax->builder, v.as.relax);
    if (!items && !tuple) return;
    uint32_t n = items ? v.as.sequence.n : tuple->type->kind == TIRB_RELAX_TYPE_TUPLE ? tuple->type->n_fields : 0;
    const uint32_t n_targets = target->n_items;
    uint32_t star = n_targets;
    for (uint32_t i = 0; i < n_targets; i++)
        if (target->items[i]->kind == TIRBI_NODE_STARRED && star == n_targets) star = i;
    if (star == n_targets ? n != n_targets : n + 1 < n_targets) {
        tirbi_fail(s, TIRB_TYPE, target->span, "%u names for %u values", n_targets, n);
        return;
    }
    for (uint32_t i = 0; i < n_targets; i++)
        for (uint32_t k = 0; k < i; k++)
            if (target->items[i]->kind == TIRBI_NODE_NAME && target->items[k]->kind == TIRBI_NODE_NAME &&
                strcmp(target->items[i]->name, target->items[k]->name) == 0) {
                tirbi_fail(s, TIRB_TYPE, target->items[i]->span, "`%s` is assigned twice", target->items[i]->name);
                return;
            }
    uint32_t at = 0; /* the value that is next */
    for (uint32_t i = 0; i < n_targets; i++) {
        const uint32_t count = i == star ? n + 1 - n_targets : 1;
        tirbi_value *parts = TIRBI_NEW_ARRAY(s->arena, tirbi_value, count);
        for (uint32_t k = 0; parts && k < count; k++)
            parts[k] = items ? v.as.sequence.items[at + k]
                             : tirbi_value_relax(
                                   tirbi_relax_make_get(&s->relax->builder, source->span, tuple, at + k));
        const bool is_item = items && source->kind == TIRBI_NODE_TUPLE && at < source->n_items;
        if (parts && i == star)
            name_list(s, target->items[i]->items[0], source, parts, count);
        else if (parts)
            assign(s, target->items[i], is_item ? source->items[at] : source, parts[0], NULL);
        at += count;
    }
}

static void assign_name(tirbi_script *s, const tirbi_node *target, const tirbi_node *source, tirbi_value v,
                        const tirb_relax_type *annotation) {
    tirbi_relax_builder *b = &s->relax->builder;
    const tirb_relax_var *var = NULL;
    const char *name = target->name;
    tirbi_value none = {.kind = TIRBI_VALUE_MISSING};
    if (v.kind == TIRBI_VALUE_META) {
        bind_name(s, name, *v.as.meta);
        return;
    }
    if (v.kind == TIRBI_VALUE_EXPR && v.as.expr->kind == TIRB_EXPR_VAR && is_declaration(source)) {
        declare_dim(s, target, &v);
        return;
    }
    if (v.kind == TIRBI_VALUE_RELAX_CAST && v.as.cast.type) {
        var = tirbi_relax_emit_cast(b, v.as.cast.value, name, v.as.cast.type);
    } else if (tirbi_is_number(&v)) {
        bool scalar = annotation && annotation->kind == TIRB_RELAX_TYPE_PRIM;
        tirbi_value made =
            scalar ? tirbi_value_relax(tirbi_relax_make_prim(b, source->span, tirbi_to_typed(s, &v, annotation->dtype)))
                   : tirbi_relax_const(s, source, &v, &none);
        var = tirbi_relax_emit(b, tirbi_to_relax(s, &made), name, annotation);
    } else if (v.kind == TIRBI_VALUE_STRING || v.kind == TIRBI_VALUE_NONE || v.kind == TIRBI_VALUE_DICT ||
               v.kind == TIRBI_VALUE_MODULE || v.kind == TIRBI_VALUE_LAMBDA || v.kind == TIRBI_VALUE_RELAX_TYPE ||
               v.kind == TIRBI_VALUE_RELAX_NAME || v.kind == TIRBI_VALUE_DTYPE ||
               (v.kind == TIRBI_VALUE_TYPEVAR && source->kind == TIRBI_NODE_CALL) ||
               (v.kind == TIRBI_VALUE_TUPLE && source->kind == TIRBI_NODE_LIST)) {
        bind_name(s, name, v); /* a name while the text is read */
        return;
    } else {
        var = tirbi_relax_emit(b, tirbi_to_relax(s, &v), name, annotation);
    }
    bind_name(s, name, var ? tirbi_relax_use(s, target->span, var) : tirbi_value_error());
}

static void assign(tirbi_script *s, const tirbi_node *target, const tirbi_node *source, tirbi_value v,
                   const tirb_relax_type *annotation) {
    if (!v.node) v.node = source;
    if (target->kind == TIRBI_NODE_NAME) {
        if (tirbi_is_error(&v))
            bind_name(s, target->name, v);
        else
            assign_name(s, target, source, v, annotation);
    } else if (target->kind == TIRBI_NODE_TUPLE || target->kind == TIRBI_NODE_LIST) {
        if (!tirbi_is_error(&v)) unpack(s, target, source, v);
    } else {
        tirbi_fail(s, TIRB_SYNTAX, target->span, "only a name can be assigned: a value of Relax does not change");
    }
}

static void run_assign(tirbi_script *s, const tirbi_line *line) {
    const tirb_relax_type *annotation = NULL;
    tirbi_value v = tirbi_evaluate(s, line->value);
    if (line->annotation && !(annotation = read_type(s, line->annotation))) v = tirbi_value_error();
    assign(s, line->target, line->value, v, annotation);
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

static tirb_relax_binding *last_binding(tirbi_script *s) {
    tirbi_relax_seq_frame *frame = tirbi_relax_top(&s->relax->builder);
    return frame && frame->bindings.n ? (tirb_relax_binding *)frame->bindings.items + frame->bindings.n - 1 : NULL;
}

/* The variable of the block under way that a name means, if it is one. */
static tirb_relax_var *block_var(tirbi_script *s, const char *name) {
    const tirbi_binding *binding = tirbi_lookup(s, name);
    tirbi_relax_seq_frame *frame = tirbi_relax_top(&s->relax->builder);
    const tirbi_value *v = binding ? &binding->value : NULL;
    for (uint32_t i = 0; v && i < frame->bindings.n; i++) {
        const tirb_relax_var *var = ((tirb_relax_binding *)frame->bindings.items)[i].var;
        if ((v->kind == TIRBI_VALUE_RELAX && v->as.relax->kind == TIRB_RELAX_VAR && v->as.relax->as.var == var) ||
            (v->kind == TIRBI_VALUE_EXPR && var->scalar == v->as.expr))
            return (tirb_relax_var *)var;
    }
    return NULL;
}

/* Notes which names a dataflow block has to itself, for messages: those bound from `mark` on. */
static void hide_names(tirbi_script *s, uint32_t mark) {
    const tirbi_binding *bindings = s->bindings.items;
    for (uint32_t i = mark; i < s->bindings.n; i++) {
        const char **slot = TIRBI_LIST_ADD(s->arena, &s->relax->hidden, const char *);
        if (slot) *slot = bindings[i].name;
    }
}

bool tirbi_relax_hides(const tirbi_script *s, const char *name) {
    const tirbi_list *hidden = tirbi_in_relax(s) ? &s->relax->hidden : NULL;
    for (uint32_t i = hidden ? hidden->n : 0; i-- > 0;)
        if (strcmp(((const char *const *)hidden->items)[i], name) == 0) return true;
    return false;
}

static void run_dataflow(tirbi_script *s, const tirbi_line *line) {
    struct tirbi_relax *r = s->relax;
    tirbi_list outputs = {.n = 0};
    if (r->outputs) {
        tirbi_fail(s, TIRB_SYNTAX, line->span, "a dataflow block inside another one");
        return;
    }
    tirbi_relax_begin_block(&r->builder, true);
    r->outputs = &outputs;
    r->output_seen = false;
    uint32_t mark = tirbi_open_level(s), n = 0;
    run_lines(s, &line->body);
    const char **names = outputs.items;
    tirbi_value *values = TIRBI_NEW_ARRAY(s->arena, tirbi_value, (size_t)outputs.n + 1);
    for (uint32_t i = 0; values && i < outputs.n; i++) {
        tirb_relax_var *var = block_var(s, names[i]);
        if (var) {
            var->dataflow = false;
            values[n++] = tirbi_relax_use(s, line->span, var);
        } else {
            const tirbi_binding *known = tirbi_lookup(s, names[i]);
            if (!known || !tirbi_is_error(&known->value))
                tirbi_fail(s, TIRB_TYPE, line->span, "the output `%s` is no variable of this dataflow block", names[i]);
            values[n++] = tirbi_value_error();
        }
    }
    const bool wrong = tirbi_has_errors(r->builder.diagnostics);
    if (!wrong) tirbi_relax_end_dataflow(&r->builder);
    const uint32_t first = r->hidden.n;
    hide_names(s, mark);
    tirbi_close_level(s, mark);
    r->outputs = NULL;
    tirbi_relax_begin_block(&r->builder, false);
    for (uint32_t i = 0; i < n; i++) bind_name(s, names[i], values[i]);
    /* R.output of what is wrong has not run: any of the block's names may be an output, and none is worth a message. */
    for (uint32_t i = first; wrong && !r->output_seen && i < r->hidden.n; i++)
        bind_name(s, ((const char *const *)r->hidden.items)[i], tirbi_value_error());
}

static void run_with(tirbi_script *s, const tirbi_line *line) {
    const tirbi_node *callee = line->value->kind == TIRBI_NODE_CALL ? line->value->items[0] : NULL;
    bool dataflow = callee && callee->kind == TIRBI_NODE_ATTRIBUTE && strcmp(callee->name, "dataflow") == 0;
    if (!dataflow || line->target) {
        tirbi_fail(s, TIRB_SYNTAX, line->span, "Relax has no other `with` than `with R.dataflow():`");
        return;
    }
    run_dataflow(s, line);
}

/* ---- if ---------------------------------------------------------------------------------------------------------- */

/* The value of a branch: what its last statement binds. */
static const tirb_relax_expr *branch_value(tirbi_script *s, const tirbi_line *line, const char *suffix,
                                           const char **name) {
    tirbi_relax_builder *b = &s->relax->builder;
    tirbi_relax_seq_frame *frame = tirbi_relax_top(b);
    if (frame->bindings.n == 0) tirbi_relax_begin_block(b, frame->dataflow);
    tirb_relax_binding *last = last_binding(s);
    if (!last) {
        if (!tirbi_has_errors(s->diagnostics))
            tirbi_fail(s, TIRB_SYNTAX, line->span, "both branches end with a binding of one variable");
        return NULL;
    }
    *name = last->var->name;
    if (last->kind == TIRB_RELAX_VAR_BINDING && tirbi_relax_is_leaf(last->value)) {
        frame->bindings.n--;
        return last->value;
    }
    tirb_relax_var *var = (tirb_relax_var *)last->var;
    var->name = tirbi_arena_format(s->arena, "%s_%s", *name, suffix);
    return var->name ? tirbi_relax_make_var(b, line->span, var) : NULL;
}

static const tirb_relax_seq *run_branch(tirbi_script *s, const tirbi_line *line, const tirbi_lines *lines,
                                        const char *suffix, const char **name, const tirb_relax_type **type) {
    tirbi_relax_builder *b = &s->relax->builder;
    if (!tirbi_relax_open(b, false)) return NULL;
    uint32_t mark = tirbi_open_level(s);
    run_lines(s, lines);
    const tirb_relax_expr *value = branch_value(s, line, suffix, name);
    tirbi_close_level(s, mark);
    const tirb_relax_type *inner = value ? value->type : NULL;
    const uint32_t first_var = tirbi_relax_top(b)->first_var;
    const tirb_relax_seq *seq = tirbi_relax_close(b, value);
    *type = inner ? tirbi_relax_erase(b, inner, &b->known, first_var) : NULL;
    return seq;
}

static void run_if(tirbi_script *s, const tirbi_line *line) {
    tirbi_relax_builder *b = &s->relax->builder;
    if (s->relax->outputs) {
        tirbi_fail(s, TIRB_SYNTAX, line->span, "`if` is not possible in a dataflow block");
        return;
    }
    if (line->orelse.n == 0) {
        tirbi_fail(s, TIRB_SYNTAX, line->span, "an `if` of Relax needs an `else`: both bind one variable");
        return;
    }
    tirbi_value v = tirbi_evaluate(s, line->value);
    const tirb_relax_expr *condition = tirbi_to_relax(s, &v);
    const char *then_name = NULL, *else_name = NULL;
    const tirb_relax_type *then_type = NULL, *else_type = NULL;
    const tirb_relax_seq *then_case = run_branch(s, line, &line->body, "then", &then_name, &then_type);
    const tirb_relax_seq *else_case = run_branch(s, line, &line->orelse, "else", &else_name, &else_type);
    b->at = line->span;
    condition = tirbi_relax_normalise(b, condition); /* before the branches, but numbered after them, as in TVM */
    if (!condition || !then_case || !else_case) {
        if (then_name) bind_name(s, then_name, tirbi_value_error());
        return;
    }
    if (strcmp(then_name, else_name) != 0) {
        tirbi_fail(s, TIRB_SYNTAX, line->span,
                   "the branches end with bindings of `%s` and of `%s`: it must be one variable", then_name, else_name);
        return;
    }
    tirb_relax_expr *e = tirbi_relax_make(b, line->span, TIRB_RELAX_IF);
    if (!e) return;
    e->as.if_.condition = condition;
    e->as.if_.then_case = then_case;
    e->as.if_.else_case = else_case;
    e->type = tirbi_relax_join(b, then_type, else_type);
    const tirb_relax_var *var = e->type ? tirbi_relax_emit(b, e, then_name, NULL) : NULL;
    bind_name(s, then_name, tirbi_relax_use(s, line->span, var));
}

/* ---- Functions --------------------------------------------------------------------------------------------------- */

static void run_return(tirbi_script *s, const tirbi_line *line) {
    tirbi_relax_decl *decl = s->relax->function;
    tirbi_relax_seq_frame *frame = tirbi_relax_top(&s->relax->builder);
    if (!frame->is_function || s->relax->outputs) {
        tirbi_fail(s, TIRB_SYNTAX, line->span, "`return` stands at the end of the function");
        return;
    }
    if (decl->returned) {
        tirbi_fail(s, TIRB_SYNTAX, line->span, "a function of Relax has one return");
        return;
    }
    decl->returned = true;
    if (!line->value) {
        tirbi_fail(s, TIRB_TYPE, line->span, "a function of Relax returns a value; write `return R.tuple()`");
        return;
    }
    tirbi_value v = tirbi_evaluate(s, line->value);
    decl->result = tirbi_relax_normalise(&s->relax->builder, tirbi_to_relax(s, &v));
}

/* The TIR variables that parameters define: those of shapes, and numbers. The result: those that the type of what is
 * returned may name, which in TVM are the first, and none of a function around this one. */
static tirbi_list define_params(tirbi_script *s, const tirb_relax_function *ir) {
    tirbi_relax_builder *b = &s->relax->builder;
    const tirbi_list outer = b->known;
    b->known = (tirbi_list){.n = 0};
    for (uint32_t i = 0; i < ir->n_params; i++) tirbi_relax_define_dims(b, ir->params[i]->type);
    const tirbi_list named = b->known;
    b->known = outer;
    for (uint32_t i = 0; i < ir->n_params; i++) {
        tirbi_relax_define_dims(b, ir->params[i]->type);
        const tirb_expr *scalar = ir->params[i]->scalar;
        const tirb_expr **slot = scalar ? TIRBI_LIST_ADD(s->arena, &b->known, const tirb_expr *) : NULL;
        if (slot) *slot = scalar;
    }
    return named;
}

static void define(tirbi_script *s, tirbi_relax_decl *decl) {
    struct tirbi_relax *r = s->relax;
    tirbi_relax_builder *b = &r->builder;
    tirb_relax_function *ir = decl->ir;
    tirbi_relax_counters counters = b->counters;
    tirbi_list *outputs = r->outputs;
    if (decl->broken || !tirbi_relax_open(b, true)) return;
    uint32_t mark = tirbi_open_level(s);
    decl->outer = r->function;
    r->function = decl;
    const tirbi_list hidden = r->hidden;
    r->hidden = (tirbi_list){.n = 0};
    r->outputs = NULL;
    b->counters = (tirbi_relax_counters){0, 0};
    for (uint32_t i = 0; i < decl->n_bindings; i++) {
        tirbi_binding binding = decl->bindings[i];
        binding.level = s->level;
        tirbi_push_binding(s, &binding);
    }
    const tirbi_list defined = define_params(s, ir);
    run_lines(s, &decl->line->body);
    if (!decl->returned && !tirbi_has_errors(s->diagnostics))
        tirbi_fail(s, TIRB_SYNTAX, decl->line->name_span, "the function `%s` needs a return", decl->line->name);
    const tirb_relax_type *inner = decl->result ? decl->result->type : NULL, *ret = NULL;
    if (inner) {
        ret = tirbi_relax_erase(b, inner, &defined, 0); /* also shapes that are parameters */
        if (ret && decl->annotation && !tirbi_relax_is_base_of(b, decl->annotation, ret)) ret = decl->annotation;
    }
    tirbi_close_level(s, mark);
    ir->body = tirbi_relax_close(b, decl->result);
    ir->attrs = decl->attrs.items;
    ir->n_attrs = decl->attrs.n;
    r->function = decl->outer;
    r->outputs = outputs;
    r->hidden = hidden;
    b->counters = counters;
    if (ret)
        set_type(s, ir, ret);
    else
        decl->broken = true;
}

void tirbi_define_relax(tirbi_script *s, uint32_t i) {
    tirbi_relax_decl *decl = ((tirbi_relax_decl **)s->relax->functions.items)[i];
    s->relax->builder.frames.n = 0;
    s->relax->builder.known.n = 0;
    define(s, decl);
}

/* Whether the text of a body calls this name. */
static bool calls_name(const tirbi_lines *lines, const char *name) {
    for (uint32_t i = 0; i < lines->n; i++) {
        const tirbi_line *line = lines->items[i];
        const tirbi_node *value = line->value;
        if (value && value->kind == TIRBI_NODE_CALL && value->items[0]->kind == TIRBI_NODE_NAME &&
            value->items[0]->name == name)
            return true;
        if (calls_name(&line->body, name) || calls_name(&line->orelse, name)) return true;
    }
    return false;
}

static void run_local(tirbi_script *s, const tirbi_line *line) {
    tirbi_relax_builder *b = &s->relax->builder;
    const tirbi_node *decorator = line->n_decorators ? line->decorators[line->n_decorators - 1] : NULL;
    const tirbi_node *named = decorator && decorator->kind == TIRBI_NODE_CALL ? decorator->items[0] : decorator;
    tirbi_value kind = named ? tirbi_evaluate(s, named) : tirbi_value_none();
    if (kind.kind != TIRBI_VALUE_ENTRY || strcmp(kind.as.entry->name, "function") != 0) {
        tirbi_fail(s, TIRB_SYNTAX, line->name_span, "a function inside a function needs the decorator @R.function");
        return;
    }
    tirbi_relax_decl *decl = new_decl(s, line);
    if (!decl) return;
    decl->ir->name = decl->ir->global_symbol = NULL;
    declare(s, decl);
    const tirb_relax_var *reserved = NULL;
    if (!decl->broken && calls_name(&line->body, line->name)) {
        if (!decl->annotation) set_type(s, decl->ir, tirbi_relax_tuple(b, NULL, 0));
        tirb_relax_var *var = (tirb_relax_var *)tirbi_relax_new_var(b, line->name_span, line->name, decl->ir->type);
        if (var) var->dataflow = s->relax->outputs != NULL;
        reserved = var;
        bind_name(s, line->name, tirbi_relax_use(s, line->name_span, reserved));
    }
    define(s, decl);
    tirb_relax_expr *e = decl->broken ? NULL : tirbi_relax_make(b, line->name_span, TIRB_RELAX_FUNCTION);
    if (!e) {
        bind_name(s, line->name, tirbi_value_error());
        return;
    }
    e->as.function = decl->ir;
    e->type = decl->ir->type;
    b->at = line->span;
    if (reserved)
        tirbi_relax_bind(b, reserved, e);
    else
        bind_name(s, line->name, tirbi_relax_use(s, line->name_span, tirbi_relax_emit(b, e, line->name, NULL)));
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static void run_expression(tirbi_script *s, const tirbi_line *line) {
    tirbi_relax_builder *b = &s->relax->builder;
    tirbi_value v = tirbi_evaluate(s, line->value);
    if (tirbi_is_error(&v) || v.kind == TIRBI_VALUE_NONE) return;
    if (v.kind == TIRBI_VALUE_STRING) {
        tirbi_fail(s, TIRB_SYNTAX, line->span, "a text is no statement of Relax");
        return;
    }
    const tirb_relax_var *var = tirbi_relax_emit(b, tirbi_to_relax(s, &v), "_", NULL);
    if (var && !tirbi_relax_is_void(var->type))
        tirbi_fail(s, TIRB_TYPE, line->span, "the value, of type %s, must be assigned to a variable",
                   tirbi_relax_type_text(b, var->type));
}

static void run_line(tirbi_script *s, const tirbi_line *line) {
    s->builder.at = s->relax->builder.at = line->span;
    if (s->relax->outputs && s->relax->output_seen && line->kind != TIRBI_LINE_PASS) {
        tirbi_fail(s, TIRB_SYNTAX, line->span, "nothing stands behind R.output in a dataflow block");
        return;
    }
    switch (line->kind) {
    case TIRBI_LINE_EXPR:
        run_expression(s, line);
        return;
    case TIRBI_LINE_ASSIGN:
    case TIRBI_LINE_ANNOTATED:
        if (line->value)
            run_assign(s, line);
        else
            tirbi_fail(s, TIRB_SYNTAX, line->span, "a declaration without a value is not part of Relax");
        return;
    case TIRBI_LINE_IF:
        run_if(s, line);
        return;
    case TIRBI_LINE_WITH:
        run_with(s, line);
        return;
    case TIRBI_LINE_RETURN:
        run_return(s, line);
        return;
    case TIRBI_LINE_DEF:
        run_local(s, line);
        return;
    case TIRBI_LINE_PASS:
        return;
    case TIRBI_LINE_FOR:
    case TIRBI_LINE_WHILE:
        tirbi_fail(s, TIRB_SYNTAX, line->span,
                   "Relax has no loops: write its rounds out, or a function that calls itself under an `if`");
        return;
    case TIRBI_LINE_AUGMENTED:
        tirbi_fail(s, TIRB_SYNTAX, line->span, "Relax has no augmented assignment: write `x = x + y`");
        return;
    case TIRBI_LINE_ASSERT:
        tirbi_fail(s, TIRB_SYNTAX, line->span, "an assertion of Relax is R.assert_op(condition, format=\"...\")");
        return;
    default:
        tirbi_fail(s, TIRB_SYNTAX, line->span, "this statement is not part of Relax");
    }
}

static void run_lines(tirbi_script *s, const tirbi_lines *lines) {
    for (uint32_t i = 0; i < lines->n && !s->arena->failed; i++) run_line(s, lines->items[i]);
}

/* ---- Modules ----------------------------------------------------------------------------------------------------- */

void tirbi_finish_relax(tirbi_script *s, tirb_irmodule *module) {
    if (s->keeps_metadata) module->metadata = s->metadata;
    module->omits_metadata = s->keeps_metadata && !s->metadata;
    if (!s->relax) return;
    tirbi_relax_decl *const *all = s->relax->functions.items;
    const tirb_relax_function **functions =
        TIRBI_NEW_ARRAY(s->arena, const tirb_relax_function *, s->relax->functions.n);
    if (!functions) return;
    for (uint32_t i = 0; i < s->relax->functions.n; i++) {
        if (all[i]->broken || !all[i]->ir->body) {
            tirbi_report_unexplained(s->diagnostics, all[i]->line->name_span, "a function");
            continue;
        }
        all[i]->ir->index = module->n_relax;
        functions[module->n_relax++] = all[i]->ir;
    }
    module->relax = functions;
    module->infos = s->relax->infos.items;
    module->n_infos = s->relax->infos.n;
    module->n_relax_vars = s->relax->builder.n_vars;
}
