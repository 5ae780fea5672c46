#include "compiler/text/print/print.h"

#include <string.h>

#include "compiler/ir/visit.h"
#include "compiler/text/print/printer.h"
#include "compiler/text/print/relax.h"

static void append(tirbi_printer *p, tirbi_text *to, const char *text) { tirbi_print_add(p, to, text, strlen(text)); }

/* Whether a signature can spell a size: sums and the like of constants and of variables that it can define. */
static bool is_plain_size(const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_CAST) return is_plain_size(e->as.cast.value);
    if (e->kind >= TIRB_EXPR_ADD && e->kind <= TIRB_EXPR_MAX)
        return is_plain_size(e->as.binary.a) && is_plain_size(e->as.binary.b);
    if (e->kind == TIRB_EXPR_INT_IMM || tirbi_is_vscale(e)) return true;
    return e->kind == TIRB_EXPR_VAR && !e->as.var.data_of &&
           (tirb_datatype_equal(e->dtype, tirbi_type_i32) || tirb_datatype_equal(e->dtype, tirbi_type_i64));
}

/* Whether T.Buffer(...) in a signature says all of the buffer. */
static bool fits_signature(const tirb_buffer *buffer) {
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        if (!is_plain_size(buffer->shape[i]) || (buffer->strides && !is_plain_size(buffer->strides[i]))) return false;
        /* A variable of two strides is none that these make. */
        for (uint32_t j = 0; j < i && buffer->strides; j++)
            if (buffer->strides[j] == buffer->strides[i] && buffer->strides[i]->kind == TIRB_EXPR_VAR) return false;
    }
    const tirb_expr *offset = buffer->elem_offset;
    bool made = offset && offset->kind == TIRB_EXPR_VAR && buffer->ndim > 0 && buffer->offset_factor > 0 &&
                tirb_datatype_equal(offset->dtype, buffer->shape[0]->dtype);
    return !offset || offset->kind == TIRB_EXPR_INT_IMM || made;
}

typedef struct search {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    const tirb_expr *var;
    bool found;
} search;

static void search_expr(tirbi_visitor *visitor, const tirb_expr *e) {
    search *s = (search *)visitor;
    s->found |= e == s->var;
    if (!s->found) tirbi_visit_expr(visitor, e);
}

static void search_stmt(tirbi_visitor *visitor, const tirb_stmt *stmt) {
    if (!((search *)visitor)->found) tirbi_visit_stmt(visitor, stmt);
}

/* Whether a stride of the buffer names a parameter behind it: a quoted stride in a signature is a variable of its
 * own. */
static bool has_later_stride(const tirb_primfunc *f, uint32_t i) {
    const tirb_buffer *buffer = f->buffers[i];
    for (uint32_t d = 0; buffer->strides && d < buffer->ndim; d++)
        for (uint32_t k = i + 1; k < f->n_params; k++) {
            search s = {.visitor = {.expr = search_expr, .stmt = search_stmt}, .var = f->params[k]};
            search_expr(&s.visitor, buffer->strides[d]);
            if (s.found) return true;
        }
    return false;
}

/* A parameter `a: T.handle` that match_buffer binds, rather than `A: T.Buffer(...)`. TVM has the second form only: the
 * handle is gone, and stays where a body uses it before it is bound, or where no signature can spell the buffer. */
static bool is_matched(const tirbi_printer *p, const tirb_primfunc *f, uint32_t i) {
    tirb_type type = f->params[i]->as.var.type;
    bool typed = type.kind == TIRB_TYPE_POINTER && !tirbi_type_is_handle(type.dtype);
    if (!f->buffers[i] || f->buffers[i]->is_implied) return false;
    if (p->hybrid || typed) return p->hybrid;
    if (p->classic || !fits_signature(f->buffers[i]) || has_later_stride(f, i)) return true;
    search s = {.visitor = {.expr = search_expr, .stmt = search_stmt}, .var = f->params[i]};
    if (f->body) search_stmt(&s.visitor, f->body);
    return s.found;
}

/* A handle leaves the name that both have to its buffer, which the body mentions. */
static void name_param(tirbi_printer *p, const tirb_primfunc *f, uint32_t i) {
    const tirb_expr *param = f->params[i];
    const char *name = param->as.var.name, *wanted = NULL;
    if (p->hybrid && f->buffers[i] && !f->buffers[i]->is_implied && name && strcmp(name, f->buffers[i]->name) == 0)
        wanted = tirbi_arena_format(p->arena, "var_%s", name);
    if (wanted)
        tirbi_name_new(p, wanted, &p->vars[param->as.var.id]);
    else
        tirbi_name_var(p, param);
}

static void print_param(tirbi_printer *p, const tirb_primfunc *f, uint32_t i) {
    const tirb_expr *param = f->params[i];
    if (f->buffers[i] && !f->buffers[i]->is_implied && !is_matched(p, f, i)) {
        tirbi_put(p, tirbi_name_buffer(p, f->buffers[i]));
        tirbi_put(p, ": T.Buffer(");
        tirbi_print_buffer_args(p, f->buffers[i], NULL, true, true);
        tirbi_put(p, ")");
        tirbi_quoted_var *end = TIRBI_LIST_ADD(p->arena, &p->quoted, tirbi_quoted_var);
        if (end) *end = (tirbi_quoted_var){NULL, false};
        return;
    }
    tirbi_put(p, p->vars[param->as.var.id] ? p->vars[param->as.var.id] : "v");
    p->later[param->as.var.id] = false;
    tirbi_put(p, ": ");
    tirbi_print_type(p, param->as.var.type);
}

static void print_signature(tirbi_printer *p, const tirb_primfunc *f) {
    p->s_tir = f->s_tir;
    if (!p->hybrid || !p->in_class || f->is_private) tirbi_put(p, p->hybrid ? "@tvm.hybrid.script" : "@T.prim_func");
    bool marked = f->s_tir && !p->classic;
    if (f->is_private || marked) {
        tirbi_put(p, "(");
        if (f->is_private) tirbi_put(p, "private=True");
        if (f->is_private && marked) tirbi_put(p, ", ");
        if (marked) tirbi_put(p, "s_tir=True");
        tirbi_put(p, ")");
    }
    if (p->line.size) tirbi_end_line(p);
    p->place = TIRBI_PRINT_SIGNATURE;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->buffers[i] && !f->buffers[i]->is_implied && !is_matched(p, f, i)) continue;
        name_param(p, f, i);
        p->later[f->params[i]->as.var.id] = !p->classic;
    }
    tirbi_put(p, "def ");
    tirbi_put(p, f->name ? f->name : "main");
    tirbi_put(p, "(");
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (i) tirbi_put(p, ", ");
        print_param(p, f, i);
    }
    tirbi_put(p, ")");
    if (f->ret_type.kind != TIRB_TYPE_TUPLE) {
        tirbi_put(p, " -> ");
        tirbi_print_type(p, f->ret_type);
    } else if (p->hybrid) {
        tirbi_put(p, " -> None");
    } else if (f->says_void && !p->classic) {
        tirbi_put(p, " -> T.void");
    }
    tirbi_put(p, ":");
    tirbi_end_line(p);
    p->place = TIRBI_PRINT_BODY;
}

static void print_matched(tirbi_printer *p, const tirb_primfunc *f) {
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (!is_matched(p, f, i)) continue;
        tirbi_print_expr(p, f->params[i]);
        tirbi_put(p, ", ");
        tirbi_print_buffer_args(p, f->buffers[i], NULL, true, true);
        tirbi_text rest = p->line;
        p->line = (tirbi_text){0};
        tirbi_put(p, tirbi_name_buffer(p, f->buffers[i]));
        tirbi_put(p, p->hybrid ? " = T.buffer_bind(" : " = T.match_buffer(");
        tirbi_print_add(p, &p->line, rest.data, rest.size);
        tirbi_put(p, ")");
        tirbi_end_line(p);
    }
}

/* The body of a function without the implicit root block that the reader would put around it, whatever it is called. */
static const tirb_stmt *print_root(tirbi_printer *p, const tirb_stmt *body) {
    if (!body || body->kind != TIRB_STMT_BLOCK_REALIZE) return body;
    const tirb_block *root = body->as.block.block;
    const tirb_stmt *inner = root->body;
    bool wrapped =
        root->n_allocs || (inner && inner->kind == TIRB_STMT_BLOCK_REALIZE ? inner->as.block.block->n_iters > 0
                                                                           : tirbi_contains_block(inner));
    if (!wrapped || root->n_iters || body->as.block.predicate || root->n_reads || root->n_writes || root->n_matches ||
        root->n_annotations || root->init || root->no_realize)
        return body;
    tirbi_put(p, p->classic ? "# with T.block(\"root\"):" : "# with T.sblock(\"root\"):");
    tirbi_end_line(p);
    for (uint32_t i = 0; i < root->n_allocs; i++) tirbi_print_block_alloc(p, root->allocs[i]);
    return inner;
}

/* The pairs of buffers that may share memory, by the names that they have in the text. */
static const char *alias_text(tirbi_printer *p, const tirb_primfunc *f) {
    tirbi_text outer = p->line;
    p->line = (tirbi_text){0};
    tirbi_put(p, "[");
    for (uint32_t i = 0; i < f->n_may_alias; i++) {
        const tirb_param_pair *pair = &f->may_alias[i];
        const char *first = p->buffers[f->buffers[pair->first]->id];
        const char *second = p->buffers[f->buffers[pair->second]->id];
        tirbi_put(p, i ? ", [" : "[");
        tirbi_put_string(p, first, strlen(first));
        tirbi_put(p, ", ");
        tirbi_put_string(p, second, strlen(second));
        tirbi_put(p, "]");
    }
    tirbi_put(p, "]");
    tirbi_print_add(p, &p->line, "", 1);
    const char *text = p->line.data;
    p->line = outer;
    return text;
}

static void print_func_attr(tirbi_printer *p, const tirb_primfunc *f) {
    tirb_attr *attrs = TIRBI_NEW_ARRAY(p->arena, tirb_attr, (size_t)f->n_attrs + 3);
    if (!attrs) return;
    uint32_t n = 0;
    bool named = !p->classic && f->global_symbol && f->name && strcmp(f->global_symbol, f->name) == 0;
    for (uint32_t i = 0; i < f->n_attrs; i++)
        if (!named || strcmp(f->attrs[i].key, "global_symbol") != 0) attrs[n++] = f->attrs[i];
    bool renamed = f->global_symbol && f->name && strcmp(f->global_symbol, f->name) != 0 && !f->is_private;
    for (uint32_t i = 0; i < n; i++) renamed = renamed && strcmp(attrs[i].key, "global_symbol") != 0;
    if (renamed) {
        const tirb_expr *symbol =
            tirbi_make_string(&p->builder, f->span, f->global_symbol, (uint32_t)strlen(f->global_symbol));
        attrs[n++] = (tirb_attr){.key = "global_symbol", .value = symbol};
    }
    if (f->n_may_alias) attrs[n++] = (tirb_attr){.key = "tirb.may_alias", .text = alias_text(p, f)};
    if (f->n_required) {
        const tirb_expr *required = tirbi_make_int(&p->builder, f->span, tirbi_type_i32, f->n_required);
        attrs[n++] = (tirb_attr){.key = "tirb.requires", .value = required};
    }
    if (!n) return;
    tirbi_put(p, "T.func_attr(");
    tirbi_print_attrs(p, attrs, n);
    tirbi_put(p, ")");
    tirbi_end_line(p);
}

/* The variables of quoted shapes, in classic text those that the body mentions. Of each parameter those that stand in
 * sums have a line each, `n = T.int32()`; those that are extents then share one, `n, m = T.int32(), T.int32()`. Classic
 * text has them all in one. */
static void print_quoted(tirbi_printer *p) {
    const tirbi_quoted_var *quoted = p->quoted.items;
    tirbi_text shared = {0};
    uint32_t n = 0;
    p->indent++;
    for (uint32_t i = 0; i < p->quoted.n; i++) {
        const tirb_expr *var = quoted[i].var;
        const char *name = var ? p->vars[var->as.var.id] : "";
        if (var && (!p->classic || p->used[var->as.var.id])) {
            if (quoted[i].alone || p->classic) {
                if (n++) tirbi_print_add(p, &shared, ", ", 2);
                tirbi_print_add(p, &shared, name, strlen(name));
            } else {
                tirbi_putf(p, "%s = T.int32()", name);
                tirbi_end_line(p);
            }
        }
        if (var || !n) continue;
        tirbi_print_add(p, &p->line, shared.data, shared.size);
        shared = (tirbi_text){0};
        tirbi_put(p, " = T.int32()");
        while (--n) tirbi_put(p, ", T.int32()");
        tirbi_end_line(p);
    }
    p->indent--;
}

/* The TypeVars that a function is the first to name, by name. There are as few as symbolic sizes in a signature. */
static void sort_type_vars(tirbi_printer *p, uint32_t first) {
    const char **names = p->type_vars.items;
    for (uint32_t i = first; i < p->type_vars.n; i++) {
        const char *name = names[i];
        uint32_t at = i;
        for (; at > first && strcmp(names[at - 1], name) > 0; at--) names[at] = names[at - 1];
        names[at] = name;
    }
}

static void print_function(tirbi_printer *p, const tirb_primfunc *f) {
    uint32_t mark = tirbi_names_mark(p);
    const uint32_t n_type_vars = p->type_vars.n;
    memset(p->undeclared, 0, p->module->n_vars * sizeof *p->undeclared);
    memset(p->used, 0, p->module->n_vars * sizeof *p->used);
    memset(p->later, 0, p->module->n_vars * sizeof *p->later);
    p->quoted.n = 0;
    p->depth = 0;
    p->implied.n = 0;
    memset(p->bound_at, 0, p->module->n_vars * sizeof *p->bound_at);
    print_signature(p, f);
    tirbi_text before = p->out;
    p->out = (tirbi_text){0};
    p->indent++;
    /* Hybrid Script has the attributes first, unless they tell of buffers, which have no names before. */
    bool first = p->hybrid && !f->n_may_alias;
    if (first) print_func_attr(p, f);
    print_matched(p, f);
    if (!first) print_func_attr(p, f);
    const tirb_stmt *body = print_root(p, f->body);
    p->indent--;
    tirbi_print_body(p, body);
    tirbi_text inside = p->out;
    p->out = before;
    print_quoted(p);
    tirbi_print_add(p, &p->out, inside.data, inside.size);
    tirbi_names_release(p, mark);
    sort_type_vars(p, n_type_vars);
}

/* Functions by name. */
static const tirb_primfunc **sorted_functions(tirbi_printer *p) {
    uint32_t n = p->module->n_functions;
    const tirb_primfunc **sorted = TIRBI_NEW_ARRAY(p->arena, const tirb_primfunc *, n);
    for (uint32_t i = 0; sorted && i < n; i++) {
        const tirb_primfunc *f = p->module->functions[i];
        uint32_t at = i;
        for (; at > 0 && strcmp(sorted[at - 1]->name, f->name) > 0; at--) sorted[at] = sorted[at - 1];
        sorted[at] = f;
    }
    return sorted;
}

static const tirb_extern **sorted_externs(tirbi_printer *p) {
    uint32_t n = p->module->n_externs;
    const tirb_extern **sorted = TIRBI_NEW_ARRAY(p->arena, const tirb_extern *, n);
    for (uint32_t i = 0; sorted && i < n; i++) {
        const tirb_extern *external = &p->module->externs[i];
        uint32_t at = i;
        for (; at > 0 && strcmp(sorted[at - 1]->name, external->name) > 0; at--) sorted[at] = sorted[at - 1];
        sorted[at] = external;
    }
    return sorted;
}

static const tirb_relax_function **sorted_relax(tirbi_printer *p) {
    uint32_t n = p->module->n_relax;
    const tirb_relax_function **sorted = TIRBI_NEW_ARRAY(p->arena, const tirb_relax_function *, n);
    for (uint32_t i = 0; sorted && i < n; i++) {
        const tirb_relax_function *f = p->module->relax[i];
        uint32_t at = i;
        for (; at > 0 && strcmp(sorted[at - 1]->name, f->name) > 0; at--) sorted[at] = sorted[at - 1];
        sorted[at] = f;
    }
    return sorted;
}

static bool is_main(const char *name) { return strcmp(name, "main") == 0; }

/* The section that `meta[..]` in attributes refers to, as it was written. */
static void print_meta(tirbi_printer *p) {
    if (!p->hybrid || !p->module->meta) return;
    tirbi_put(p, "__tvm_meta__ = ");
    tirbi_print_add(p, &p->line, p->module->meta, strlen(p->module->meta));
    tirbi_end_line(p);
}

/* The functions that are called `main`, or are not; an empty line stands between two. */
static void print_functions(tirbi_printer *p, const tirb_primfunc *const *functions, const tirb_extern *const *externs,
                            const tirb_relax_function *const *relax, bool mains, bool *begun) {
    for (uint32_t i = 0; i < p->module->n_functions; i++) {
        if (is_main(functions[i]->name) != mains) continue;
        if (*begun) tirbi_end_line(p);
        print_function(p, functions[i]);
        *begun = true;
    }
    bool open = *begun;
    for (uint32_t i = 0; i < p->module->n_externs; i++) {
        if (is_main(externs[i]->name) != mains) continue;
        if (open) tirbi_end_line(p);
        open = false;
        tirbi_put(p, externs[i]->name);
        tirbi_put(p, " = R.ExternFunc(");
        tirbi_put_string(p, externs[i]->symbol, strlen(externs[i]->symbol));
        tirbi_put(p, ")");
        tirbi_end_line(p);
        *begun = false; /* what follows stands right below */
    }
    for (uint32_t i = 0; i < p->module->n_relax; i++) {
        if (is_main(relax[i]->name) != mains) continue;
        if (*begun) tirbi_end_line(p);
        tirbi_print_relax(p, relax[i]);
        *begun = true;
    }
}

static void print_infos(tirbi_printer *p) {
    const tirb_global_info *infos = p->module->infos;
    if (p->module->n_infos == 0) return;
    tirbi_put(p, "I.module_global_infos({");
    for (uint32_t i = 0; i < p->module->n_infos; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_put_string(p, infos[i].key, strlen(infos[i].key));
        tirbi_put(p, ": [");
        for (uint32_t k = 0; k < infos[i].n; k++) {
            const tirb_relax_vdevice *v = infos[i].items[k];
            if (k) tirbi_put(p, ", ");
            if (!v) {
                tirbi_put(p, "I.dummy_global_info()");
                continue;
            }
            tirbi_put(p, "I.vdevice(");
            tirbi_put(p, v->target);
            tirbi_putf(p, ", %lld, ", (long long)v->id);
            tirbi_put_string(p, v->scope, strlen(v->scope));
            tirbi_put(p, ")");
        }
        tirbi_put(p, "]");
    }
    tirbi_put(p, "})");
    tirbi_end_line(p);
}

static void print_module(tirbi_printer *p) {
    const tirb_primfunc **functions = sorted_functions(p);
    const tirb_extern **externs = sorted_externs(p);
    const tirb_relax_function **relax = sorted_relax(p);
    if (!functions || !externs || !relax) return;
    const char *name = p->module->name;
    tirbi_put(p, p->hybrid ? "@tvm.hybrid.script" : "@I.ir_module");
    tirbi_end_line(p);
    tirbi_put(p, "class ");
    tirbi_put(p, tirbi_name_new(p, name, NULL));
    tirbi_put(p, ":");
    tirbi_end_line(p);
    p->indent = 1;
    print_meta(p);
    if (p->module->n_attrs) {
        tirbi_put(p, "I.module_attrs(");
        tirbi_print_attrs(p, p->module->attrs, p->module->n_attrs);
        tirbi_put(p, ")");
        tirbi_end_line(p);
    }
    print_infos(p);
    bool begun = false;
    if (p->module->n_functions + p->module->n_externs + p->module->n_relax + p->module->n_attrs + p->module->n_infos ==
        0) {
        tirbi_put(p, "pass");
        tirbi_end_line(p);
    }
    print_functions(p, functions, externs, relax, false, &begun);
    print_functions(p, functions, externs, relax, true, &begun);
    p->indent = 0;
}

static void add_type_vars(tirbi_printer *p, tirbi_text *to) {
    const char **names = p->type_vars.items;
    for (uint32_t i = 0; i < p->type_vars.n; i++) {
        append(p, to, names[i]);
        append(p, to, " = TypeVar(\"");
        append(p, to, names[i]);
        append(p, to, "\")\n");
    }
}

static bool start(tirbi_printer *p) {
    uint32_t n_vars = p->module->n_vars, n_buffers = p->module->n_buffers;
    p->vars = TIRBI_NEW_ARRAY(p->arena, const char *, n_vars);
    p->undeclared = TIRBI_NEW_ARRAY(p->arena, bool, n_vars);
    p->used = TIRBI_NEW_ARRAY(p->arena, bool, n_vars);
    p->later = TIRBI_NEW_ARRAY(p->arena, bool, n_vars);
    p->bound_at = TIRBI_NEW_ARRAY(p->arena, uint32_t, n_vars);
    p->buffers = TIRBI_NEW_ARRAY(p->arena, const char *, n_buffers);
    p->scalars = TIRBI_NEW_ARRAY(p->arena, bool, n_buffers);
    p->relax_vars = TIRBI_NEW_ARRAY(p->arena, const char *, (size_t)p->module->n_relax_vars + 1);
    tirbi_diagnostics *folding = TIRBI_NEW(p->arena, tirbi_diagnostics);
    if (!p->vars || !p->undeclared || !p->used || !p->later || !p->buffers || !p->scalars || !p->bound_at ||
        !p->relax_vars || !folding)
        return false;
    /* What folding refuses prints in its raw form: its messages are nobody's business. */
    tirbi_diagnostics_init(folding, p->diagnostics->source, p->arena, 1);
    tirbi_builder_init(&p->builder, p->arena, folding);
    return true;
}

static tirb_dialect dialect_of(const tirb_irmodule *module) {
    const tirb_primfunc *first = module->n_functions ? module->functions[0] : NULL;
    if (!first || !first->classic) return TIRB_DIALECT_TIRX;
    return first->hybrid ? TIRB_DIALECT_HYBRID : TIRB_DIALECT_TIR;
}

static bool has_tir(const tirbi_text *text) {
    for (size_t i = 1; i + 1 < text->size; i++)
        if (text->data[i] == 'T' && text->data[i + 1] == '.' && strchr(" ([,=\"", text->data[i - 1])) return true;
    return false;
}

bool tirbi_uses_tir(const tirbi_printer *p) {
    return p->uses_tir || has_tir(&p->out) || has_tir(&p->declared) || has_tir(&p->line);
}

/* What TVM prints above a program, so that it is known how to read it; Hybrid Script is known by its decorator. */
static void add_imports(tirbi_printer *p, tirbi_text *to) {
    if (p->hybrid) return;
    if (p->type_vars.n || p->has_local_type_vars) append(p, to, "# from typing import TypeVar\n");
    if (p->in_class || p->uses_ir) append(p, to, "# from tvm.script import ir as I\n");
    if (p->module->n_functions || tirbi_uses_tir(p))
        append(p, to,
               p->classic ? "# from tvm.script import tir as T\n"
                          : "# from tvm.script import tirx as T\n# from tvm.tirx.layout import Axis\n");
    if (p->module->n_externs || p->module->n_relax) append(p, to, "# from tvm.script import relax as R\n");
    append(p, to, "\n");
}

bool tirbi_print(const tirb_irmodule *module, tirb_dialect dialect, tirbi_arena *arena, tirbi_diagnostics *diagnostics,
                 const char **text, size_t *size) {
    tirbi_printer *p = TIRBI_NEW(arena, tirbi_printer);
    if (!p) return false;
    p->module = module;
    if (dialect == TIRB_DIALECT_SAME) dialect = dialect_of(module);
    p->classic = dialect != TIRB_DIALECT_TIRX;
    p->hybrid = dialect == TIRB_DIALECT_HYBRID;
    p->arena = arena;
    p->diagnostics = diagnostics;
    p->in_class = module->name != NULL;
    if (!start(p)) return false;
    if (p->in_class) {
        print_module(p);
    } else {
        print_meta(p);
        for (uint32_t i = 0; i < module->n_functions; i++) {
            if (i) tirbi_end_line(p);
            print_function(p, module->functions[i]);
        }
        for (uint32_t i = 0; i < module->n_relax; i++) {
            if (i || module->n_functions) tirbi_end_line(p);
            tirbi_print_relax(p, module->relax[i]);
        }
    }
    tirbi_text whole = {0};
    if (module->metadata) {
        append(p, &whole, "metadata = ");
        append(p, &whole, module->metadata);
        append(p, &whole, "\n");
    }
    add_imports(p, &whole);
    add_type_vars(p, &whole);
    tirbi_print_add(p, &whole, p->out.data, p->out.size);
    if (module->omits_metadata || (p->constants.n && !module->metadata))
        append(p, &whole, "\n# Metadata omitted. Use show_meta=True in script() method to show it.\n");
    tirbi_print_add(p, &whole, "", 1);
    if (arena->failed || tirbi_has_errors(diagnostics)) return false;
    *text = whole.data;
    *size = whole.size - 1;
    return true;
}
