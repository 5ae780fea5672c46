/* A file of Python with kernels in it. Its statements are run in their order as far as they matter to kernels: imports,
 * constants, functions of Python that kernels call, and the kernels themselves. All others are passed over as tokens,
 * and the names that they bind cannot be evaluated from there on; that is only an error where a kernel uses them.
 *
 * Kernels are declared in a first run, so that they can call each other, and defined in a second one, which repeats the
 * assignments of the first: a kernel sees what its names meant where it stands. */
#include <string.h>

#include "compiler/text/script/script.h"

static const uint32_t NEVER = UINT32_MAX;

/* What a name was bound to, in the order of the file; or the place of a kernel that is defined there. */
typedef struct event {
    const char *name;
    tirbi_value value;
    bool defines;
} event;

typedef struct file {
    tirbi_script *s;
    const tirbi_tokens *tokens;
    tirbi_list events;
    tirbi_span hidden, bare; /* a kernel inside of other Python, and one without decorator; {0, 0}: none */
    const char *bare_text;   /* what to say of that */
} file;

static void run_range(file *f, uint32_t begin, uint32_t end);

/* ---- Quiet evaluation ------------------------------------------------------------------------------------------- */

/* While Python is evaluated that no kernel may need, its errors are reasons, not messages. */
typedef struct quiet {
    tirbi_diagnostics errors, *loud;
} quiet;

static void use_diagnostics(tirbi_script *s, tirbi_diagnostics *diagnostics) {
    s->diagnostics = s->syntax.diagnostics = s->builder.diagnostics = diagnostics;
}

static void begin_quiet(tirbi_script *s, quiet *q) {
    q->loud = s->diagnostics;
    tirbi_diagnostics_init(&q->errors, s->source, s->arena, 1);
    q->errors.plain = true;
    use_diagnostics(s, &q->errors);
    s->syntax.is_python = true;
}

/* The first error since, or NULL. */
static const char *end_quiet(tirbi_script *s, quiet *q) {
    use_diagnostics(s, q->loud);
    s->syntax.is_python = false;
    if (!tirbi_has_errors(&q->errors)) return NULL;
    return q->errors.n_items ? q->errors.items[0].message : "it is not understood";
}

static bool is_quiet(const tirbi_script *s) { return s->syntax.is_python; }

/* ---- Constants -------------------------------------------------------------------------------------------------- */

tirbi_value tirbi_use_constant(tirbi_script *s, const tirbi_node *node, tirbi_constant *c) {
    const char *reason = c->reason ? c->reason : s->now >= c->changed ? "it is changed after its assignment" : NULL;
    if (!reason) return c->value;
    if (c->said && !is_quiet(s)) return tirbi_value_error();
    tirbi_fail(s, TIRB_UNSUPPORTED, node->span, "`%s` cannot be evaluated: %s", node->name, reason);
    if (is_quiet(s)) return tirbi_value_error();
    c->said = true;
    tirbi_report_note(s->diagnostics, c->span, "`%s` is bound here", node->name);
    return tirbi_value_error();
}

/* Later bindings take the place of earlier ones, as in Python. */
static void bind_global(file *f, const char *name, tirbi_span span, tirbi_value value) {
    tirbi_script *s = f->s;
    if (tirbi_lookup(s, name))
        tirbi_rebind(s, name, value);
    else
        tirbi_bind(s, name, span, value);
    event *slot = TIRBI_LIST_ADD(s->arena, &f->events, event);
    if (slot) *slot = (event){.name = name, .value = value};
    s->now = f->events.n;
}

static tirbi_value constant_value(file *f, tirbi_span span, const tirbi_value *value, const char *reason) {
    tirbi_constant *c = TIRBI_NEW(f->s->arena, tirbi_constant);
    if (!c) return tirbi_value_error();
    *c = (tirbi_constant){.reason = reason, .span = span, .changed = NEVER};
    if (value) c->value = *value;
    return (tirbi_value){.kind = TIRBI_VALUE_CONSTANT, .as.constant = c};
}

static void bind_unknown(file *f, const char *name, tirbi_span span, const char *reason) {
    if (reason) bind_global(f, name, span, constant_value(f, span, NULL, reason));
}

typedef struct unknown_names {
    file *f;
    const char *reason;
    bool targets;        /* also what is assigned */
    bool keeps_imported; /* not what an import of TVM has bound */
} unknown_names;

static void take_effect(void *context, const tirbi_token *token, tirbi_effect effect) {
    const unknown_names *u = context;
    const tirbi_binding *old = tirbi_lookup(u->f->s, token->as.text);
    bool imported = old && (old->value.kind == TIRBI_VALUE_NAMESPACE || old->value.kind == TIRBI_VALUE_ENTRY);
    if (effect == TIRBI_EFFECT_CHANGES) {
        tirbi_constant *c = old && old->value.kind == TIRBI_VALUE_CONSTANT ? old->value.as.constant : NULL;
        if (c && c->changed == NEVER) c->changed = u->f->events.n;
    } else if ((effect == TIRBI_EFFECT_BINDS || u->targets) && !(imported && u->keeps_imported)) {
        bind_unknown(u->f, token->as.text, token->span, u->reason);
    }
}

/* The token that is `name` in the dotted name behind the @ at `at`, or `at`. */
static uint32_t find_decorator(const tirbi_token *tokens, uint32_t at, uint32_t end, const char *name) {
    for (uint32_t i = at + 1; i < end && (tokens[i].kind == TIRBI_TOKEN_NAME || tokens[i].kind == TIRBI_TOKEN_DOT); i++)
        if (tokens[i].kind == TIRBI_TOKEN_NAME && strcmp(tokens[i].as.text, name) == 0) return i;
    return at;
}

/* Passes over tokens, whose names cannot be evaluated from there on. */
static void pass_over(file *f, uint32_t begin, uint32_t end, const char *reason, bool keeps_imported) {
    unknown_names u = {.f = f, .reason = reason, .targets = true, .keeps_imported = keeps_imported};
    const tirbi_token *tokens = f->tokens->items;
    tirbi_find_bindings(tokens, begin, end, take_effect, &u);
    for (uint32_t i = begin; i < end && f->hidden.end == 0; i++) {
        if (tokens[i].kind != TIRBI_TOKEN_AT || (i > 0 && tokens[i - 1].kind == TIRBI_TOKEN_NAME)) continue;
        const uint32_t named = find_decorator(tokens, i, end, "prim_func");
        if (named != i) f->hidden = (tirbi_span){tokens[i].span.begin, tokens[named].span.end};
    }
}

/* Lists and dictionaries may change after they are assigned. */
static bool may_change(const tirbi_value *v) {
    return v->kind == TIRBI_VALUE_DICT ||
           (v->kind == TIRBI_VALUE_TUPLE && v->node && v->node->kind != TIRBI_NODE_TUPLE);
}

static void assign_target(file *f, const tirbi_node *target, const tirbi_value *v, const char *reason) {
    bool sequence = target->kind == TIRBI_NODE_TUPLE || target->kind == TIRBI_NODE_LIST;
    if (target->kind == TIRBI_NODE_NAME) {
        bind_global(f, target->name, target->span,
                    reason          ? constant_value(f, target->span, NULL, reason)
                    : may_change(v) ? constant_value(f, target->span, v, NULL)
                                    : *v);
    } else if (target->kind == TIRBI_NODE_STARRED) {
        assign_target(f, target->items[0], v, reason ? reason : "it is what is left of a starred assignment");
    } else if (sequence) {
        const tirbi_value *all = v;
        while (all->kind == TIRBI_VALUE_META) all = all->as.meta;
        bool fits = !reason && all->kind == TIRBI_VALUE_TUPLE && all->as.sequence.n == target->n_items;
        if (!fits && !reason) reason = "what it is assigned has no items that are known";
        for (uint32_t i = 0; i < target->n_items; i++)
            assign_target(f, target->items[i], fits ? &all->as.sequence.items[i] : v, reason);
    }
}

/* The value of one assignment, or why it has none. */
static tirbi_value evaluate_global(tirbi_script *s, const tirbi_line *line, const char **reason) {
    quiet q;
    begin_quiet(s, &q);
    const char *hint = line->target->kind == TIRBI_NODE_NAME ? line->target->name : NULL;
    tirbi_value v = hint ? tirbi_evaluate_named(s, line->value, hint) : tirbi_evaluate(s, line->value);
    if (line->kind == TIRBI_LINE_AUGMENTED) {
        tirbi_value old = tirbi_evaluate(s, line->target);
        v = tirbi_binary(s, line->value, line->op, &old, &v);
    }
    v.node = v.node ? v.node : line->value;
    *reason = end_quiet(s, &q);
    bool possible =
        v.kind != TIRBI_VALUE_FORM && v.kind != TIRBI_VALUE_BUFFER && v.kind != TIRBI_VALUE_EXTERN && !v.declares;
    if (!*reason && !possible)
        *reason = tirbi_arena_format(s->arena, "%s is not possible outside a function", tirbi_value_text(&v));
    return v;
}

static void run_assignment(file *f, const tirbi_line *line) {
    tirbi_script *s = f->s;
    const char *name = line->target->kind == TIRBI_NODE_NAME ? line->target->name : "";
    if (strcmp(name, "metadata") == 0) {
        s->metadata = tirbi_node_text(s, line->value);
        s->metadata_node = line->value;
    }
    if (tirbi_hybrid(s) && strcmp(name, "__tvm_meta__") == 0) {
        s->meta = line->value->kind == TIRBI_NODE_NONE ? NULL : tirbi_node_text(s, line->value);
        return;
    }
    const tirbi_binding *changed = line->kind == TIRBI_LINE_AUGMENTED ? tirbi_lookup(s, name) : NULL;
    if (changed && changed->value.kind == TIRBI_VALUE_CONSTANT && changed->value.as.constant->changed == NEVER)
        changed->value.as.constant->changed = f->events.n + 1; /* `a += [1]` changes the list that a is */
    const char *reason;
    tirbi_value v = evaluate_global(s, line, &reason);
    const tirbi_binding *other = line->value->kind == TIRBI_NODE_NAME ? tirbi_lookup(s, line->value->name) : NULL;
    /* Another name of a list sees its changes; so do all names of `a = b = []`. */
    if (!reason && line->kind != TIRBI_LINE_AUGMENTED && other && other->value.kind == TIRBI_VALUE_CONSTANT)
        v = other->value;
    else if (!reason && may_change(&v))
        v = constant_value(f, line->span, &v, NULL);
    assign_target(f, line->target, &v, reason);
    for (uint32_t i = 0; i < line->orelse.n; i++) assign_target(f, line->orelse.items[i]->target, &v, reason);
}

static void run_simple(file *f, const tirbi_passage *passage) {
    tirbi_lines lines;
    quiet q;
    begin_quiet(f->s, &q);
    tirbi_parse_passage(&f->s->syntax, f->tokens, passage, &lines);
    const char *reason = end_quiet(f->s, &q);
    if (reason) {
        pass_over(f, passage->begin, passage->end, reason, false);
        return;
    }
    unknown_names u = {.f = f, .reason = "it is bound inside of an expression"};
    tirbi_find_bindings(f->tokens->items, passage->begin, passage->end, take_effect, &u);
    for (uint32_t i = 0; i < lines.n; i++) {
        const tirbi_line *line = lines.items[i];
        bool assigns = line->kind == TIRBI_LINE_ASSIGN || line->kind == TIRBI_LINE_AUGMENTED ||
                       (line->kind == TIRBI_LINE_ANNOTATED && line->value);
        if (assigns) run_assignment(f, line);
    }
}

/* ---- Imports ---------------------------------------------------------------------------------------------------- */

static void run_import_passage(file *f, const tirbi_passage *passage) {
    tirbi_script *s = f->s;
    tirbi_lines lines;
    quiet q;
    begin_quiet(s, &q);
    tirbi_parse_passage(&s->syntax, f->tokens, passage, &lines);
    const char *reason = end_quiet(s, &q);
    if (reason) {
        pass_over(f, passage->begin, passage->end, reason, true);
        return;
    }
    for (uint32_t i = 0; i < lines.n; i++)
        for (uint32_t j = 0; lines.items[i]->kind == TIRBI_LINE_IMPORT && j < lines.items[i]->n_imports; j++) {
            const tirbi_import *import = &lines.items[i]->imports[j];
            begin_quiet(s, &q);
            tirbi_value v = tirbi_import_value(s, import);
            reason = end_quiet(s, &q);
            if (reason) v = constant_value(f, import->span, NULL, reason);
            if (v.kind != TIRBI_VALUE_MISSING) bind_global(f, import->as, import->span, v);
        }
}

/* ---- Functions and classes -------------------------------------------------------------------------------------- */

/* What is declared by a kernel's statement is known to what follows, and defined there in the second run. */
static void run_kernel(file *f, const tirbi_passage *passage) {
    tirbi_script *s = f->s;
    tirbi_lines lines;
    if (!tirbi_parse_passage(&s->syntax, f->tokens, passage, &lines)) return;
    for (uint32_t i = 0; i < lines.n; i++) {
        const tirbi_line *line = lines.items[i];
        const tirbi_binding *old = line->name ? tirbi_lookup(s, line->name) : NULL;
        bool python = old && old->value.kind != TIRBI_VALUE_FUNCTION && old->value.kind != TIRBI_VALUE_MACRO &&
                      old->value.kind != TIRBI_VALUE_MODULE;
        if (python) tirbi_rebind(s, line->name, tirbi_value_error());
        uint32_t first = s->functions.n, bound = s->bindings.n, first_relax = tirbi_count_relax(s);
        tirbi_collect_line(s, line);
        const tirbi_binding *bindings = s->bindings.items;
        uint32_t n = s->bindings.n;
        if (python) bind_global(f, line->name, line->name_span, tirbi_lookup(s, line->name)->value);
        for (uint32_t j = bound; j < n; j++, bindings = s->bindings.items)
            bind_global(f, bindings[j].name, line->name_span, bindings[j].value);
        for (uint32_t j = first; j < s->functions.n && !s->arena->failed; j++) {
            tirbi_script_function *function = ((tirbi_script_function **)s->functions.items)[j];
            tirbi_declare_function(s, function);
            event *slot = TIRBI_LIST_ADD(s->arena, &f->events, event);
            if (!slot) return;
            *slot = (event){.name = function->line->name, .defines = true};
            slot->value = (tirbi_value){.kind = TIRBI_VALUE_FUNCTION, .as.function = function};
        }
        for (uint32_t j = first_relax; j < tirbi_count_relax(s) && !s->arena->failed; j++)
            tirbi_declare_relax(s, j);
        s->now = f->events.n;
    }
}

/* Whether the head of a function mentions a name of TVM's: `T.Buffer`, `ty.handle`. */
static bool mentions_tvm(const file *f, const tirbi_clause *clause) {
    const tirbi_token *tokens = f->tokens->items;
    for (uint32_t i = clause->begin; i + 1 < clause->body; i++) {
        if (tokens[i].kind != TIRBI_TOKEN_NAME || tokens[i + 1].kind != TIRBI_TOKEN_DOT) continue;
        const tirbi_node node = {.kind = TIRBI_NODE_NAME, .span = tokens[i].span, .name = tokens[i].as.text};
        quiet q;
        begin_quiet(f->s, &q);
        const tirbi_value v = tirbi_evaluate(f->s, &node);
        end_quiet(f->s, &q);
        if (v.kind == TIRBI_VALUE_NAMESPACE && v.as.space != TIRBI_SPACE_TVM) return true;
    }
    return false;
}

/* The first function or class that lacks the decorator that would make it a kernel. */
static void note_bare(file *f, const tirbi_token *name, const char *kind, const char *decorator) {
    if (f->bare.end > 0 || name->kind != TIRBI_TOKEN_NAME) return;
    f->bare = name->span;
    f->bare_text =
        tirbi_arena_format(f->s->arena, "the %s `%s` needs the decorator %s", kind, name->as.text, decorator);
}

/* The script of te, from before Hybrid Script, has a decorator of that name: `@te.hybrid.script`. */
static void note_older_script(file *f, const tirbi_passage *passage) {
    const tirbi_token *tokens = f->tokens->items;
    if (f->bare.end > 0 || find_decorator(tokens, passage->begin, passage->end, "hybrid") == passage->begin) return;
    f->bare = tokens[passage->begin].span;
    f->bare_text = "the script of te (untyped parameters, output_tensor, const_range) is not read: write a function "
                   "@T.prim_func whose parameters are T.Buffer(...), also for its results";
}

/* A function without decorator: in Hybrid Script a kernel where its head shows it, else Python that kernels may call.
 */
static void run_function(file *f, const tirbi_passage *passage) {
    tirbi_script *s = f->s;
    const tirbi_clause clause = tirbi_read_clause(f->tokens->items, passage->begin, passage->end);
    const bool tvm = mentions_tvm(f, &clause);
    if (tirbi_hybrid(s) && tvm) {
        run_kernel(f, passage);
        return;
    }
    const tirbi_token *name = &f->tokens->items[passage->begin + 1];
    const char *reason = "it is a function of Python that does more than return a value; kernels call those that are "
                         "decorated with T.inline or T.macro";
    tirbi_lines lines = {.n = 0};
    if (tvm) {
        reason = "the function needs the decorator @T.prim_func";
        note_bare(f, name, "function", "@T.prim_func");
    } else {
        quiet q;
        begin_quiet(s, &q);
        tirbi_parse_passage(&s->syntax, f->tokens, passage, &lines);
        if (end_quiet(s, &q)) lines.n = 0;
    }
    pass_over(f, passage->begin, passage->end, reason, false);
    if (lines.n == 1 && tirbi_is_python_function(lines.items[0]))
        bind_global(f, lines.items[0]->name, lines.items[0]->name_span, tirbi_python_function(s, lines.items[0]));
}

/* Whether one of the decorators makes a kernel of the statement, or was meant to: a name of TVM's, known or not. */
static bool is_kernel(file *f, const tirbi_passage *passage) {
    tirbi_script *s = f->s;
    const tirbi_token *tokens = f->tokens->items;
    bool found = false;
    for (uint32_t at = passage->begin; tokens[at].kind == TIRBI_TOKEN_AT && !found; at++) {
        quiet q;
        uint32_t end;
        begin_quiet(s, &q);
        const tirbi_node *node = tirbi_parse_expression_at(&s->syntax, f->tokens, at + 1, &end);
        if (node && node->kind == TIRBI_NODE_CALL) node = node->items[0];
        const tirbi_node *root = node;
        while (root && root->kind == TIRBI_NODE_ATTRIBUTE) root = root->items[0];
        tirbi_value space = root && root->kind == TIRBI_NODE_NAME ? tirbi_evaluate(s, root) : tirbi_value_error();
        tirbi_value v = node ? tirbi_evaluate(s, node) : tirbi_value_error();
        end_quiet(s, &q);
        /* The arguments of one may be what cannot be read. */
        const bool meant = find_decorator(tokens, at, passage->end, "prim_func") != at ||
                           find_decorator(tokens, at, passage->end, "ir_module") != at;
        bool tvm = space.kind == TIRBI_VALUE_NAMESPACE && space.as.space != TIRBI_SPACE_TVM;
        found = meant || tvm || v.kind == TIRBI_VALUE_ENTRY || (node && tirbi_is_hybrid_decorator(s, node));
        while (tokens[at].kind != TIRBI_TOKEN_NEWLINE && at < passage->end) at++;
    }
    return found;
}

/* ---- Compound statements ---------------------------------------------------------------------------------------- */

/* Whether a condition holds; false where it is not known. */
static bool known_condition(file *f, const tirbi_clause *clause, bool *holds) {
    tirbi_script *s = f->s;
    const tirbi_token *head = &f->tokens->items[clause->begin];
    uint32_t end;
    *holds = false;
    if (head[1].kind == TIRBI_TOKEN_NAME && strcmp(head[1].as.text, "__name__") == 0) return true;
    quiet q;
    begin_quiet(s, &q);
    const tirbi_node *node = tirbi_parse_expression_at(&s->syntax, f->tokens, clause->begin + 1, &end);
    tirbi_value v =
        node && f->tokens->items[end].kind == TIRBI_TOKEN_COLON ? tirbi_evaluate(s, node) : tirbi_value_error();
    end_quiet(s, &q);
    if (!tirbi_is_number(&v)) return false;
    *holds = v.kind == TIRBI_VALUE_FLOAT  ? v.as.real != 0
             : v.kind == TIRBI_VALUE_BOOL ? v.as.boolean
                                          : v.as.integer != 0;
    return true;
}

static void run_if(file *f, const tirbi_passage *passage) {
    for (uint32_t at = passage->begin; at < passage->end;) {
        tirbi_clause clause = tirbi_read_clause(f->tokens->items, at, passage->end);
        bool holds = true, known = clause.kind == TIRBI_KEYWORD_ELSE || known_condition(f, &clause, &holds);
        if (!known) {
            pass_over(f, at, passage->end, "it is bound under a condition that is not known", false);
            return;
        }
        if (holds) {
            run_range(f, clause.body, clause.body_end);
            return;
        }
        at = clause.end > at ? clause.end : at + 1;
    }
}

/* What is imported is taken for there; all else may have gone either way. */
static void run_try(file *f, const tirbi_passage *passage) {
    static const char reason[] = "it is bound inside of `try`";
    tirbi_clause clause = tirbi_read_clause(f->tokens->items, passage->begin, passage->end);
    tirbi_passage inner;
    for (uint32_t at = clause.body; tirbi_next_passage(f->tokens->items, at, clause.body_end, &inner); at = inner.end) {
        if (inner.kind == TIRBI_KEYWORD_IMPORT || inner.kind == TIRBI_KEYWORD_FROM)
            run_import_passage(f, &inner);
        else
            pass_over(f, inner.begin, inner.end, reason, false);
    }
    pass_over(f, clause.end, passage->end, reason, true);
}

static void run_with(file *f, const tirbi_passage *passage) {
    tirbi_clause clause = tirbi_read_clause(f->tokens->items, passage->begin, passage->end);
    pass_over(f, clause.begin, clause.body, "it is bound by `with`", false);
    run_range(f, clause.body, clause.body_end);
}

/* A class without decorator that has kernels in it was meant to be a module. */
static void run_class(file *f, const tirbi_passage *passage) {
    const tirbi_token *tokens = f->tokens->items;
    tirbi_clause clause = tirbi_read_clause(tokens, passage->begin, passage->end);
    tirbi_passage inner;
    if (tirbi_hybrid(f->s)) {
        run_kernel(f, passage);
        return;
    }
    for (uint32_t at = clause.body; tirbi_next_passage(tokens, at, clause.body_end, &inner); at = inner.end)
        if (inner.kind == TIRBI_TOKEN_AT && is_kernel(f, &inner))
            note_bare(f, &tokens[passage->begin + 1], "class", "@I.ir_module");
    pass_over(f, passage->begin, passage->end, "it is a class of Python", false);
}

static void run_passage(file *f, const tirbi_passage *passage) {
    switch (passage->kind) {
    case TIRBI_KEYWORD_IMPORT:
    case TIRBI_KEYWORD_FROM:
        run_import_passage(f, passage);
        return;
    case TIRBI_KEYWORD_DEF:
        run_function(f, passage);
        return;
    case TIRBI_KEYWORD_CLASS:
        run_class(f, passage);
        return;
    case TIRBI_TOKEN_AT:
        if (is_kernel(f, passage)) {
            run_kernel(f, passage);
            return;
        }
        note_older_script(f, passage);
        pass_over(f, passage->begin, passage->end, "its decorator is none of TVM's", false);
        return;
    case TIRBI_KEYWORD_IF:
        run_if(f, passage);
        return;
    case TIRBI_KEYWORD_TRY:
        run_try(f, passage);
        return;
    case TIRBI_KEYWORD_WITH:
        run_with(f, passage);
        return;
    case TIRBI_KEYWORD_FOR:
    case TIRBI_KEYWORD_WHILE:
        pass_over(f, passage->begin, passage->end, "it is bound by a loop of Python", false);
        return;
    case TIRBI_KEYWORD_ASYNC:
        pass_over(f, passage->begin, passage->end, "it is asynchronous", false);
        return;
    case TIRBI_TOKEN_INDENT:
    case TIRBI_KEYWORD_ELSE:
    case TIRBI_KEYWORD_ELIF:
    case TIRBI_KEYWORD_EXCEPT:
    case TIRBI_KEYWORD_FINALLY:
        run_kernel(f, passage); /* no Python either: the parser says what is wrong */
        return;
    default:
        run_simple(f, passage);
    }
}

static void run_range(file *f, uint32_t begin, uint32_t end) {
    tirbi_passage passage;
    for (uint32_t at = begin; !f->s->arena->failed && tirbi_next_passage(f->tokens->items, at, end, &passage);
         at = passage.end)
        run_passage(f, &passage);
}

/* ---- The file --------------------------------------------------------------------------------------------------- */

/* What is worth saying of kernels that are not read. */
static void report_unread(file *f) {
    tirbi_script *s = f->s;
    if (tirbi_has_errors(s->diagnostics)) return;
    bool none = s->functions.n + tirbi_count_relax(s) + s->externs.n == 0 && !s->module_name;
    static const char hidden[] = "this function is not read: kernels stand outside of functions, loops and conditions";
    if (f->bare.end > 0 && none)
        tirbi_fail(s, TIRB_SYNTAX, f->bare, "%s", f->bare_text);
    else if (f->bare.end > 0)
        tirbi_report_warning(s->diagnostics, f->bare, "%s", f->bare_text);
    else if (f->hidden.end > 0 && none)
        tirbi_fail(s, TIRB_UNSUPPORTED, f->hidden, "%s", hidden);
    else if (f->hidden.end > 0)
        tirbi_report_warning(s->diagnostics, f->hidden, "%s", hidden);
    if (none && f->bare.end == 0 && f->hidden.end == 0)
        tirbi_fail(s, TIRB_SYNTAX, (tirbi_span){0, 0}, "the file has no function decorated with @T.prim_func");
}

void tirbi_run_file(tirbi_script *s, const tirbi_tokens *tokens) {
    file f = {.s = s, .tokens = tokens};
    run_range(&f, 0, tokens->n);
    const event *events = f.events.items;
    for (uint32_t i = 0; i < f.events.n && !s->arena->failed; i++) {
        s->now = i;
        tirbi_rebind(s, events[i].name, events[i].value);
        if (events[i].defines) tirbi_define_function(s, events[i].value.as.function);
    }
    for (uint32_t i = 0; i < tirbi_count_relax(s) && !s->arena->failed; i++) tirbi_define_relax(s, i);
    report_unread(&f);
}
