/* Relax functions: signatures, blocks and bindings. */
#include "compiler/text/print/relax.h"

#include <string.h>

/* ---- Symbolic variables of signatures ---------------------------------------------------------------------------- */

static bool is_param(const tirb_relax_function *f, const tirb_expr *var) {
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i]->scalar == var) return true;
    return false;
}

static void note_var(tirbi_printer *p, tirbi_list *vars, const tirb_relax_function *f, const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_CAST) note_var(p, vars, f, e->as.cast.value);
    if (e->kind >= TIRB_EXPR_ADD && e->kind <= TIRB_EXPR_OR) {
        note_var(p, vars, f, e->as.binary.a);
        note_var(p, vars, f, e->as.binary.b);
    }
    for (uint32_t i = 0; e->kind == TIRB_EXPR_CALL && i < e->as.call.n_args; i++)
        note_var(p, vars, f, e->as.call.args[i]);
    if (e->kind != TIRB_EXPR_VAR || is_param(f, e) || p->vars[e->as.var.id]) return;
    const tirb_expr *const *known = vars->items;
    for (uint32_t i = 0; i < vars->n; i++)
        if (known[i] == e) return;
    const tirb_expr **slot = TIRBI_LIST_ADD(p->arena, vars, const tirb_expr *);
    if (slot) *slot = e;
}

static void note_type(tirbi_printer *p, tirbi_list *vars, const tirb_relax_function *f, const tirb_relax_type *t) {
    for (int32_t i = 0; t->has_shape && i < t->ndim; i++) note_var(p, vars, f, t->shape[i]);
    for (uint32_t i = 0; i < t->n_fields; i++) note_type(p, vars, f, t->fields[i]);
    if (t->ret) note_type(p, vars, f, t->ret);
}

/* Those of a function, by name. */
static void signature_vars(tirbi_printer *p, tirbi_list *vars, const tirb_relax_function *f) {
    for (uint32_t i = 0; i < f->n_params; i++) note_type(p, vars, f, f->params[i]->type);
    note_type(p, vars, f, f->ret);
    const tirb_expr **items = vars->items;
    for (uint32_t i = 1; i < vars->n; i++) {
        const tirb_expr *e = items[i];
        uint32_t at = i;
        for (; at > 0 && strcmp(items[at - 1]->as.var.name, e->as.var.name) > 0; at--) items[at] = items[at - 1];
        items[at] = e;
    }
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static const char *name_of(tirbi_printer *p, const tirb_relax_var *var) {
    const char **slot = var->scalar ? &p->vars[var->scalar->as.var.id] : &p->relax_vars[var->id];
    return *slot ? *slot : tirbi_name_new(p, var->name && var->name[0] ? var->name : "v", slot);
}

/* A binding gives its variable a name that nothing in scope has. */
static const char *bind_name(tirbi_printer *p, const tirb_relax_var *var) { return name_of(p, var); }

void tirbi_print_relax_var(tirbi_printer *p, const tirb_relax_var *var) { tirbi_put(p, name_of(p, var)); }

/* ---- Functions named --------------------------------------------------------------------------------------------- */

static bool seq_names(const tirb_relax_seq *seq);

static bool expr_names(const tirb_relax_expr *e) {
    switch (e->kind) {
    case TIRB_RELAX_GLOBAL:
        return true;
    case TIRB_RELAX_TUPLE:
        for (uint32_t i = 0; i < e->as.tuple.n; i++)
            if (expr_names(e->as.tuple.items[i])) return true;
        return false;
    case TIRB_RELAX_TUPLE_GET:
        return expr_names(e->as.get.tuple);
    case TIRB_RELAX_CALL:
        for (uint32_t i = 0; i < e->as.call.n_args; i++)
            if (expr_names(e->as.call.args[i])) return true;
        return e->as.call.callee && expr_names(e->as.call.callee);
    case TIRB_RELAX_FUNCTION:
        return seq_names(e->as.function->body);
    case TIRB_RELAX_IF:
        return seq_names(e->as.if_.then_case) || seq_names(e->as.if_.else_case);
    default:
        return false;
    }
}

static bool seq_names(const tirb_relax_seq *seq) {
    for (uint32_t i = 0; i < seq->n_blocks; i++)
        for (uint32_t j = 0; j < seq->blocks[i].n_bindings; j++)
            if (expr_names(seq->blocks[i].bindings[j].value)) return true;
    return expr_names(seq->body);
}

/* ---- Bindings ---------------------------------------------------------------------------------------------------- */

static void print_seq(tirbi_printer *p, const tirb_relax_seq *seq);
static void print_function(tirbi_printer *p, const tirb_relax_function *f, const char *name, bool local);

static void annotate(tirbi_printer *p, const char *name, const tirb_relax_type *type) {
    tirbi_put(p, name);
    tirbi_put(p, ": ");
    tirbi_print_relax_type(p, type, false);
}

static void print_branch(tirbi_printer *p, const tirb_relax_seq *seq, const tirb_relax_var *var, const char *name) {
    uint32_t mark = tirbi_names_mark(p);
    p->indent++;
    print_seq(p, seq);
    tirbi_text rest = p->line;
    p->line = (tirbi_text){0};
    annotate(p, name, var->type);
    tirbi_put(p, " = ");
    tirbi_print_relax_value(p, seq->body);
    tirbi_end_line(p);
    p->line = rest;
    p->indent--;
    tirbi_names_release(p, mark);
}

static void print_if(tirbi_printer *p, const tirb_relax_binding *binding) {
    const tirb_relax_expr *e = binding->value;
    tirbi_put(p, "if ");
    tirbi_print_relax_expr(p, e->as.if_.condition);
    tirbi_put(p, ":");
    tirbi_end_line(p);
    const char *name = bind_name(p, binding->var);
    print_branch(p, e->as.if_.then_case, binding->var, name);
    tirbi_put(p, "else:");
    tirbi_end_line(p);
    print_branch(p, e->as.if_.else_case, binding->var, name);
}

/* The type that inference gives such a call is written in it. */
static bool says_type(const tirb_relax_binding *binding) {
    const tirb_relax_expr *e = binding->value;
    if (!tirb_relax_is_call(e, TIRB_RELAX_CALL_TIR) && !tirb_relax_is_call(e, TIRB_RELAX_CALL_DPS_PACKED)) return false;
    uint32_t n = e->as.call.n_types;
    const tirb_relax_type *type = binding->var->type;
    if (n == 1) return tirb_relax_type_equal(type, e->as.call.types[0]);
    if (type->kind != TIRB_RELAX_TYPE_TUPLE || type->n_fields != n) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!tirb_relax_type_equal(type->fields[i], e->as.call.types[i])) return false;
    return true;
}

static bool is_void(const tirb_relax_type *t) { return t->kind == TIRB_RELAX_TYPE_TUPLE && t->n_fields == 0; }

static void print_binding(tirbi_printer *p, const tirb_relax_binding *binding) {
    const tirb_relax_expr *value = binding->value;
    if (value->kind == TIRB_RELAX_FUNCTION) {
        print_function(p, value->as.function, bind_name(p, binding->var), true);
        return;
    }
    if (value->kind == TIRB_RELAX_IF) {
        print_if(p, binding);
        return;
    }
    if (binding->kind == TIRB_RELAX_VAR_BINDING && is_void(binding->var->type) && is_void(value->type)) {
        tirbi_print_relax_expr(p, value);
        tirbi_end_line(p);
        return;
    }
    tirbi_text right = {0}, outer = p->line;
    p->line = right;
    if (binding->kind == TIRB_RELAX_MATCH_CAST) {
        tirbi_put(p, "R.match_cast(");
        tirbi_print_relax_expr(p, value);
        tirbi_put(p, ", ");
        tirbi_print_relax_type(p, binding->cast, false);
        tirbi_put(p, ")");
    } else {
        tirbi_print_relax_value(p, value);
    }
    right = p->line;
    p->line = outer;
    const char *name = bind_name(p, binding->var);
    if (says_type(binding))
        tirbi_put(p, name);
    else
        annotate(p, name, binding->var->type);
    tirbi_put(p, " = ");
    tirbi_print_add(p, &p->line, right.data, right.size);
    tirbi_end_line(p);
}

static void print_dataflow(tirbi_printer *p, const tirb_relax_block *block) {
    tirbi_put(p, "with R.dataflow():");
    tirbi_end_line(p);
    p->indent++;
    for (uint32_t i = 0; i < block->n_bindings; i++) print_binding(p, &block->bindings[i]);
    tirbi_put(p, "R.output(");
    bool begun = false;
    for (uint32_t i = 0; i < block->n_bindings; i++) {
        const tirb_relax_var *var = block->bindings[i].var;
        if (var->dataflow) continue;
        if (begun) tirbi_put(p, ", ");
        tirbi_put(p, name_of(p, var));
        begun = true;
    }
    tirbi_put(p, ")");
    tirbi_end_line(p);
    p->indent--;
}

static void print_seq(tirbi_printer *p, const tirb_relax_seq *seq) {
    for (uint32_t i = 0; i < seq->n_blocks; i++) {
        const tirb_relax_block *block = &seq->blocks[i];
        if (block->dataflow) {
            print_dataflow(p, block);
            continue;
        }
        for (uint32_t j = 0; j < block->n_bindings; j++) print_binding(p, &block->bindings[j]);
    }
}

/* ---- Functions --------------------------------------------------------------------------------------------------- */

static void print_decorator(tirbi_printer *p, const tirb_relax_function *f, bool local) {
    bool is_private = !local && !f->global_symbol;
    tirbi_put(p, "@R.function");
    if (!f->pure || is_private) {
        tirbi_put(p, "(");
        if (!f->pure) tirbi_put(p, "pure=False");
        if (!f->pure && is_private) tirbi_put(p, ", ");
        if (is_private) tirbi_put(p, "private=True");
        tirbi_put(p, ")");
    }
    tirbi_end_line(p);
}

static void print_attrs(tirbi_printer *p, const tirb_relax_function *f, bool local) {
    tirb_attr *attrs = TIRBI_NEW_ARRAY(p->arena, tirb_attr, (size_t)f->n_attrs + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; attrs && i < f->n_attrs; i++) {
        const tirb_expr *value = f->attrs[i].value;
        bool same = strcmp(f->attrs[i].key, "global_symbol") == 0 && f->name && (local || f->global_symbol) && value &&
                    value->kind == TIRB_EXPR_STRING_IMM && strcmp(value->as.string.text, f->name) == 0;
        if (!same) attrs[n++] = f->attrs[i];
    }
    if (n == 0) return;
    tirbi_put(p, "R.func_attr(");
    tirbi_print_attrs(p, attrs, n);
    tirbi_put(p, ")");
    tirbi_end_line(p);
}

static void print_signature(tirbi_printer *p, const tirb_relax_function *f, const char *name) {
    tirbi_put(p, "def ");
    tirbi_put(p, name);
    tirbi_put(p, "(");
    for (uint32_t i = 0; i < f->n_params; i++) bind_name(p, f->params[i]);
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_put(p, name_of(p, f->params[i]));
        tirbi_put(p, ": ");
        tirbi_print_relax_type(p, f->params[i]->type, true);
    }
    tirbi_put(p, ") -> ");
    tirbi_print_relax_type(p, f->ret, true);
    tirbi_put(p, ":");
    tirbi_end_line(p);
}

/* What a local function begins with: the imports that the text has needed so far, and its own TypeVars. */
static void print_local_header(tirbi_printer *p, const tirbi_list *vars) {
    const tirb_expr *const *items = vars->items;
    const char *lines[] = {"# from typing import TypeVar", p->tir_import, "# from tvm.tirx.layout import Axis",
                           "# from tvm.script import relax as R"};
    bool tir = p->tir_import && tirbi_uses_tir(p), tirx = tir && strstr(p->tir_import, "tirx");
    p->has_local_type_vars = p->has_local_type_vars || vars->n > 0;
    const bool wanted[] = {p->has_local_type_vars, tir, tirx, true};
    for (int i = 0; i < 4; i++) {
        if (!wanted[i]) continue;
        tirbi_put(p, lines[i]);
        tirbi_end_line(p);
    }
    for (uint32_t i = 0; i < p->indent; i++) tirbi_print_add(p, &p->out, "    ", 4);
    tirbi_print_add(p, &p->out, "\n", 1);
    for (uint32_t i = 0; i < vars->n; i++) {
        tirbi_putf(p, "%s = TypeVar(\"%s\")", p->vars[items[i]->as.var.id], p->vars[items[i]->as.var.id]);
        tirbi_end_line(p);
    }
}

/* Symbolic variables that the body defines come first, wherever they are first used. */
static void print_body(tirbi_printer *p, const tirb_relax_function *f) {
    tirbi_text before = p->out, declared = p->declared;
    uint32_t outer_indent = p->body_indent;
    p->uses_tir = tirbi_uses_tir(p);
    p->out = p->declared = (tirbi_text){0};
    p->body_indent = p->indent;
    print_seq(p, f->body);
    tirbi_put(p, "return ");
    tirbi_print_relax_expr(p, f->body->body);
    tirbi_end_line(p);
    tirbi_text body = p->out, first = p->declared;
    p->out = before;
    p->declared = declared;
    p->body_indent = outer_indent;
    tirbi_print_add(p, &p->out, first.data, first.size);
    tirbi_print_add(p, &p->out, body.data, body.size);
}

static void print_function(tirbi_printer *p, const tirb_relax_function *f, const char *name, bool local) {
    tirbi_list vars = {.n = 0};
    uint32_t mark = tirbi_names_mark(p);
    signature_vars(p, &vars, f);
    const tirb_expr *const *items = vars.items;
    for (uint32_t i = 0; i < vars.n; i++) {
        const char *given = tirbi_name_var(p, items[i]);
        if (!local) tirbi_print_type_var(p, given);
    }
    tirbi_text before = p->out;
    p->uses_tir = tirbi_uses_tir(p);
    p->out = (tirbi_text){0};
    print_decorator(p, f, local);
    tirbi_list outer = p->signature;
    p->signature = vars;
    print_signature(p, f, name);
    p->signature = outer;
    p->indent++;
    print_attrs(p, f, local);
    if (!local && p->in_class && seq_names(f->body)) {
        tirbi_putf(p, "cls = ");
        tirbi_put(p, p->module->name);
        tirbi_end_line(p);
    }
    print_body(p, f);
    p->indent--;
    tirbi_text inside = p->out;
    p->uses_tir = tirbi_uses_tir(p);
    p->out = before;
    if (local) print_local_header(p, &vars);
    tirbi_print_add(p, &p->out, inside.data, inside.size);
    if (local) tirbi_end_line(p);
    tirbi_names_release(p, mark);
}

void tirbi_print_relax(tirbi_printer *p, const tirb_relax_function *f) {
    const bool hybrid = p->hybrid, classic = p->classic;
    p->tir_import = hybrid    ? NULL
                    : classic ? "# from tvm.script import tir as T"
                              : "# from tvm.script import tirx as T";
    p->relax = true;
    p->hybrid = p->classic = false; /* Relax has one spelling */
    p->place = TIRBI_PRINT_BODY;
    print_function(p, f, !p->in_class && !f->global_symbol ? "main" : f->name, false);
    p->relax = false;
    p->hybrid = hybrid;
    p->classic = classic;
}
