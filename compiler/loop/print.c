#include "compiler/loop/printer.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef tirbi_printer printer;
typedef tirbi_named named;

/* ---- Text ------------------------------------------------------------------------------------------------------ */

static void put(printer *p, const char *text) { tirbi_write_bytes(p->line, text, strlen(text)); }

static void putf(printer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void putf(printer *p, const char *format, ...) {
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    put(p, text);
}

static void put_quoted(printer *p, const char *text) {
    put(p, "\"");
    for (const char *c = text ? text : ""; *c; c++) {
        if (*c == '"' || *c == '\\')
            putf(p, "\\%c", *c);
        else if ((unsigned char)*c < ' ' || *c == 0x7F)
            putf(p, "\\x%02x", (unsigned)(unsigned char)*c);
        else
            tirbi_write_u8(p->line, (uint8_t)*c);
    }
    put(p, "\"");
}

/* Moves the line under way to the finished ones. */
static void end_line(printer *p) {
    for (unsigned i = 0; i < 2 * p->indent; i++) tirbi_write_u8(p->out, ' ');
    tirbi_write_bytes(p->out, p->line->data, p->line->size);
    tirbi_write_u8(p->out, '\n');
    p->line->size = 0;
}

static void begin_block(printer *p) {
    put(p, " {");
    end_line(p);
    p->indent++;
}

static void end_block(printer *p, const char *rest) {
    p->indent--;
    put(p, "}");
    put(p, rest);
}

/* ---- Names ----------------------------------------------------------------------------------------------------- */

static const char *name_of(const printer *p, const void *what) {
    const uint32_t hash = tirbi_text_hash(p, (const char *)&what, sizeof(what));
    uint32_t probe = 0, found;
    while ((found = tirbi_index_next(&p->by_address, hash, &probe)) != 0)
        if (p->items[found - 1].what == what) return p->items[found - 1].name;
    return NULL;
}

/* Of what has been given one; none, if memory ran out. */
static const char *shown_name(const printer *p, const void *what) {
    const char *name = name_of(p, what);
    return name ? name : "";
}

/* Words that begin something else. */
static bool is_reserved(const char *name) {
    static const char *const words[] = {
        "parameter", "loop_variable", "variable", "local_variable", "number",   "buffer", "constant",
        "may_alias", "loop",          "if",       "search",         "let",      "local",  "set",
        "tree",      "return",        "assert",   "break",          "continue", "alloc",  "eval",
        "while",     "fetch",         "init",     "else",           "cond",     "both",   "either",
        "true",      "false",         "call",     "import",         "machine",  "narrow"};
    tirbi_dtype type;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strcmp(words[i], name) == 0) return true;
    return tirbi_dtype_from_name(name, strlen(name), &type);
}

static bool is_taken(const printer *p, const char *name, uint32_t hash) {
    if (is_reserved(name)) return true;
    uint32_t probe = 0, found;
    while ((found = tirbi_index_next(&p->by_name, hash, &probe)) != 0)
        if (strcmp(p->items[found - 1].name, name) == 0) return true;
    return false;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The name that a variable or buffer gets: letters, digits and _ alone, and a number behind it where it is taken. */
static const char *give_name(printer *p, const void *what, const char *wanted) {
    char *base = tirbi_arena_format(
        p->arena, "%s%s", !wanted || !*wanted || (*wanted >= '0' && *wanted <= '9') ? "_" : "", wanted ? wanted : "");
    if (!base) return p->failed = true, "";
    for (char *c = base; *c; c++)
        if (!is_word(*c)) *c = '_';
    const char *name = base;
    uint32_t hash = tirbi_text_hash(p, name, strlen(name));
    for (uint32_t i = 1; name && is_taken(p, name, hash); i++) {
        name = tirbi_arena_format(p->arena, "%s.%" PRIu32, base, i);
        if (name) hash = tirbi_text_hash(p, name, strlen(name));
    }
    if (p->n == p->capacity) {
        const uint32_t more = p->capacity ? 2 * p->capacity : 64;
        named *items = tirbi_arena_extend(p->arena, p->items, p->capacity, more, sizeof(*items));
        if (!items) return p->failed = true, "";
        p->items = items;
        p->capacity = more;
    }
    if (!name || !tirbi_index_add(&p->by_name, p->arena, hash, p->n) ||
        !tirbi_index_add(&p->by_address, p->arena, tirbi_text_hash(p, (const char *)&what, sizeof(what)), p->n))
        return p->failed = true, "";
    p->items[p->n++] = (named){.what = what, .name = name};
    return name;
}

/* ---- Declarations ---------------------------------------------------------------------------------------------- */

static void print_expr(printer *p, const tirbi_lx *x, unsigned around);

static void put_type(printer *p, tirbi_dtype type) { putf(p, ": %s", tirbi_dtypes[type].name); }

/* What an integer variable's type does not say of its values. */
static void put_range(printer *p, const tirbi_lvar *var) {
    int64_t lo, hi;
    if (tirbi_dtype_is_float(var->type)) return;
    tirbi_type_range(var->type, &lo, &hi);
    if (var->lo <= lo && var->hi >= hi) return;
    putf(p, " in %" PRId64 "..%" PRId64, var->lo > lo ? var->lo : lo, var->hi < hi ? var->hi : hi);
}

static void put_list(printer *p, const tirbi_lx *const *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) put(p, ", ");
        print_expr(p, items[i], 0);
    }
}

/* Whether the strides are those of memory without gaps. */
static bool is_compact(const printer *p, const tirbi_lbuf *b) {
    const tirbi_lx *stride = tirbi_lx_int(p->function->pool, TIRB_I64, 1);
    for (uint32_t i = b->ndim; i-- > 0;) {
        if (b->strides[i] != stride) return false;
        stride = tirbi_lx_mul(p->function->pool, stride, b->shape[i]);
    }
    return true;
}

static const char *buffer_name(printer *p, const tirbi_lbuf *b);

/* A buffer behind the word that begins its line. */
static void print_buffer(printer *p, const tirbi_lbuf *b) {
    put(p, shown_name(p, b));
    put(p, "[");
    put_list(p, b->shape, b->ndim);
    put(p, "]");
    put_type(p, b->type);
    if (b->strides && !is_compact(p, b)) {
        put(p, " strides [");
        put_list(p, b->strides, b->ndim);
        put(p, "]");
    }
    if (b->offset) {
        put(p, " offset ");
        print_expr(p, b->offset, 0);
    }
    if (b->length) {
        put(p, " length ");
        print_expr(p, b->length, 0);
    }
    if (b->holds) putf(p, " holds %" PRId64 "..%" PRId64, b->holds->lo, b->holds->hi);
    if (b->root && b->root != b) putf(p, " of %s", buffer_name(p, b->root));
    if (b->source) {
        putf(p, " part %s[", buffer_name(p, b->source));
        put_list(p, b->source_mins, b->source->ndim);
        put(p, "]");
    }
    if (b->read) put(p, " read");
    if (b->written) put(p, " written");
    if (b->fetched) put(p, " fetched");
    if (b->broadcasts) put(p, " broadcasts");
    if (b->overlaps) put(p, " overlaps");
    if (b->covers) put(p, " covers");
    if (b->constant) put(p, " filled");
}

/* Prints a line of its own before the one under way. What has no name, as memory ran out, would be declared at each
 * use. */
static void declare(printer *p, void (*print)(printer *, const void *), const void *what) {
    if (p->failed) return;
    tirbi_writer line, *under_way = p->line;
    tirbi_writer_init(&line, p->out->heap);
    p->line = &line;
    print(p, what);
    end_line(p);
    p->line = under_way;
    p->failed |= line.failed;
    tirbi_writer_destroy(&line);
}

static void print_var_line(printer *p, const void *what) {
    static const char *const words[] = {"parameter", "loop_variable", "variable", "local_variable", "number"};
    const tirbi_lvar *var = what;
    putf(p, "%s %s", var->as ? "narrow" : words[var->kind], shown_name(p, var));
    put_type(p, var->type);
    put_range(p, var);
    if (var->as) putf(p, " of %s", shown_name(p, var->as));
}

static void print_buffer_line(printer *p, const void *what) {
    const tirbi_lbuf *b = what;
    put(p, b->root != b ? "buffer " : b->param >= 0 ? "parameter " : b->constant ? "constant " : "buffer ");
    print_buffer(p, b);
}

static const char *var_name(printer *p, const tirbi_lvar *var) {
    const char *name = name_of(p, var);
    if (name) return name;
    name = give_name(p, var, var->name);
    if (!p->bare) declare(p, print_var_line, var);
    return name;
}

static const char *buffer_name(printer *p, const tirbi_lbuf *b) {
    const char *name = name_of(p, b);
    if (name) return name;
    name = give_name(p, b, b->name);
    if (!p->bare) declare(p, print_buffer_line, b);
    return name;
}

/* ---- Expressions ----------------------------------------------------------------------------------------------- */

typedef struct infix {
    uint8_t op;
    uint8_t level; /* those of a higher one bind more tightly */
    const char *sign;
} infix;

static const infix *infix_of(const tirbi_lx *x) {
    static const infix table[] = {{TIRB_OP_EQ, 1, "=="}, {TIRB_OP_NE, 1, "!="},       {TIRB_OP_LT, 1, "<"},
                                  {TIRB_OP_LE, 1, "<="}, {TIRB_OP_GT, 1, ">"},        {TIRB_OP_GE, 1, ">="},
                                  {TIRB_OP_ADD, 2, "+"}, {TIRB_OP_SUB, 2, "-"},       {TIRB_OP_MUL, 3, "*"},
                                  {TIRB_OP_DIV, 3, "/"}, {TIRB_OP_FLOORDIV, 3, "//"}, {TIRB_OP_FLOORMOD, 3, "%"}};
    if (x->kind != TIRBI_LX_OP || x->optype == TIRB_BOOL) return NULL;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        if (table[i].op != x->op) continue;
        const bool is_float = tirbi_dtype_is_float((tirbi_dtype)x->optype);
        const bool rounds_down = x->op == TIRB_OP_FLOORDIV || x->op == TIRB_OP_FLOORMOD;
        return (x->op == TIRB_OP_DIV && !is_float) || (rounds_down && is_float) ? NULL : &table[i];
    }
    return NULL;
}

static void print_constant(printer *p, const tirbi_lx *x) {
    const char *type = tirbi_dtypes[x->type].name;
    float single;
    double twice;
    memcpy(&single, &x->value, sizeof(single));
    memcpy(&twice, &x->value, sizeof(twice));
    if (x->type == TIRB_I64)
        putf(p, "%" PRId64, x->value);
    else if (x->type == TIRB_BOOL)
        put(p, x->value ? "true" : "false");
    else if (x->type == TIRB_U64)
        putf(p, "%s %" PRIu64, type, (uint64_t)x->value);
    else if (x->type == TIRB_F32 && isfinite(single))
        putf(p, "%s %.9g", type, (double)single);
    else if (x->type == TIRB_F64 && isfinite(twice))
        putf(p, "%s %.17g", type, twice);
    else if (tirbi_dtype_is_float((tirbi_dtype)x->type))
        putf(p, "%s #%" PRIx64, type, (uint64_t)x->value);
    else
        putf(p, "%s %" PRId64, type, x->value);
}

/* Whether two expressions are the same operations on the same nodes: those with loads in them are made anew each time.
 */
static bool is_same(const tirbi_lx *a, const tirbi_lx *b) {
    if (a == b) return true;
    if (a->kind != TIRBI_LX_OP || b->kind != TIRBI_LX_OP || a->op != b->op || a->optype != b->optype ||
        a->source != b->source || a->n_args != b->n_args)
        return false;
    for (unsigned i = 0; i < a->n_args; i++)
        if (!is_same(a->args[i], b->args[i])) return false;
    return true;
}

/* The number of a place's element as it is where nothing else is said. */
static bool has_usual_number(const printer *p, const tirbi_place *place) {
    const tirbi_lbuf *b = place->buffer;
    tirbi_lx_pool *pool = p->function->pool;
    const tirbi_lx *flat = b->offset ? b->offset : tirbi_lx_int(pool, TIRB_I64, 0);
    if (place->ndim != b->ndim || !b->strides) return false;
    for (uint32_t i = 0; i < b->ndim && flat; i++)
        flat = tirbi_lx_add(pool, flat, tirbi_lx_mul(pool, place->indices[i], b->strides[i]));
    return flat && is_same(flat, place->flat);
}

static void print_place(printer *p, const tirbi_place *place) {
    putf(p, "%s[", buffer_name(p, place->buffer));
    put_list(p, place->indices, place->ndim);
    if (p->bare) {
        put(p, "]");
        return;
    }
    if (!has_usual_number(p, place)) {
        put(p, "; at ");
        print_expr(p, place->flat, 0);
    }
    if (place->guard) putf(p, "; guard %u", (unsigned)place->guard);
    if (place->view) {
        put(p, "; view ");
        print_place(p, place->view);
    }
    put(p, "]");
}

static const char *callee_of(const printer *p, const tirbi_lcall *call) {
    if (call->op) return tirbi_ops[call->op].mnemonic;
    return call->imported ? p->module->imports[call->function].name : p->module->functions[call->function].ast->name;
}

/* See text.h. */
static void print_call(printer *p, const tirbi_lx *x) {
    const tirbi_lcall *call = x->call;
    putf(p, "%s %s ", call->op ? "machine" : call->imported ? "import" : "call", tirbi_dtypes[x->type].name);
    put_quoted(p, callee_of(p, call));
    if (call->acts) put(p, " acts");
    put(p, "(");
    put_list(p, call->scalars, call->n_scalars);
    for (uint32_t i = 0; i < call->n_refs; i++) {
        const tirbi_lcall_ref *ref = &call->refs[i];
        put(p, i > 0 ? ", " : "; ");
        if (!ref->start) {
            put(p, buffer_name(p, ref->buffer));
            continue;
        }
        print_place(p, ref->start);
        put(p, " of ");
        print_expr(p, ref->count, 0);
    }
    put(p, ")");
    if (call->op == TIRB_OP_RESULT) putf(p, " of %u", call->function);
    for (uint32_t i = 0; i < call->n_checks; i++) {
        put(p, i > 0 ? " and " : " where ");
        print_expr(p, call->checks[i].actual, 2);
        put(p, " == ");
        print_expr(p, call->checks[i].expected, 2);
        put(p, " ");
        put_quoted(p, call->checks[i].message);
    }
    if (call->message) {
        putf(p, " %s ", tirb_status_name((tirb_status)call->status));
        put_quoted(p, call->message);
    }
}

static void print_operation(printer *p, const tirbi_lx *x) {
    if (x->op == TIRB_OP_CAST)
        putf(p, "%s(", tirbi_dtypes[x->optype].name);
    else
        putf(p, "%s.%s(", tirbi_ops[x->op].mnemonic, tirbi_dtypes[x->optype].name);
    put_list(p, x->args, x->n_args);
    put(p, x->addend_first ? "; first)" : ")");
}

/* `around`: the level of the operation that this is an operand of. */
static void print_expr(printer *p, const tirbi_lx *x, unsigned around) {
    static const char *const lazy[] = {[TIRBI_LX_COND] = "cond(", [TIRBI_LX_AND] = "both(", [TIRBI_LX_OR] = "either("};
    const infix *sign = infix_of(x);
    switch (x->kind) {
    case TIRBI_LX_CONST:
        print_constant(p, x);
        return;
    case TIRBI_LX_VAR:
        put(p, var_name(p, x->var));
        return;
    case TIRBI_LX_LOAD:
        print_place(p, x->access);
        return;
    case TIRBI_LX_CALL:
        print_call(p, x);
        return;
    case TIRBI_LX_OP:
        break;
    default:
        put(p, lazy[x->kind]);
        put_list(p, x->args, x->n_args);
        put(p, ")");
        return;
    }
    if (!sign) {
        print_operation(p, x);
        return;
    }
    const bool inside = sign->level < around;
    if (inside) put(p, "(");
    print_expr(p, x->args[0], sign->level == 1 ? 2 : sign->level);
    putf(p, " %s ", sign->sign);
    print_expr(p, x->args[1], sign->level + 1u);
    if (inside) put(p, ")");
}

/* ---- Statements ------------------------------------------------------------------------------------------------ */

static void print_stmt(printer *p, const tirbi_ls *s);

static void print_block(printer *p, const tirbi_ls *body, const char *rest) {
    begin_block(p);
    if (body) print_stmt(p, body);
    end_block(p, rest);
}

/* A loop's variable, which begins with it. */
static void print_loop_var(printer *p, const tirbi_lvar *var) {
    const char *name = name_of(p, var);
    put(p, name ? name : give_name(p, var, var->name));
    if (var->type != TIRB_I64) put_type(p, var->type);
    put(p, " = ");
    print_expr(p, var->min, 0);
    put(p, ", ");
    print_expr(p, var->extent, 0);
}

static void print_loop(printer *p, const tirbi_ls *s) {
    const tirbi_lvar *var = s->as.loop.var;
    put(p, "loop ");
    print_loop_var(p, var);
    if (s->as.loop.step) {
        put(p, " by ");
        print_expr(p, s->as.loop.step, 0);
    }
    put_range(p, var);
    if (var->below) {
        put(p, " below ");
        print_expr(p, var->below, 0);
    }
    if (var->apart) put(p, " apart");
    if (var->forwards) put(p, " forwards");
    if (s->as.loop.parallel) put(p, " parallel");
    if (s->as.loop.blocks) put(p, " blocks");
    if (s->as.loop.rows) putf(p, " rows %u", s->as.loop.rows);
    if (var->level) putf(p, " level %u", var->level);
    print_block(p, s->as.loop.body, "");
    end_line(p);
}

static void print_if(printer *p, const tirbi_ls *s) {
    put(p, "if ");
    print_expr(p, s->as.if_.condition, 0);
    for (uint32_t i = 0; i < s->as.if_.n_first_of; i++)
        putf(p, "%s%s", i > 0 ? ", " : " first (", var_name(p, s->as.if_.first_of[i]));
    if (s->as.if_.n_first_of > 0) put(p, ")");
    if (s->as.if_.sizes) put(p, " sizes");
    print_block(p, s->as.if_.then_case, s->as.if_.else_case ? " else" : "");
    if (s->as.if_.else_case) print_block(p, s->as.if_.else_case, "");
    end_line(p);
}

static void print_search(printer *p, const tirbi_ls *s) {
    put(p, "search ");
    print_loop_var(p, s->as.search.var);
    put_range(p, s->as.search.var);
    put(p, " where ");
    print_expr(p, s->as.search.condition, 0);
    const char *name = name_of(p, s->as.search.found);
    putf(p, ", %s", name ? name : give_name(p, s->as.search.found, s->as.search.found->name));
    end_line(p);
}

static void print_set(printer *p, const tirbi_ls *s) {
    const tirbi_lvar *var = s->as.set.var;
    if (!s->as.set.declares) {
        putf(p, "set %s", var_name(p, var));
    } else {
        const char *name = name_of(p, var);
        put(p, var->kind == TIRBI_LVAR_LOCAL ? "local " : "let ");
        put(p, name ? name : give_name(p, var, var->name));
        put_type(p, var->type);
        put_range(p, var);
    }
    put(p, " = ");
    print_expr(p, s->as.set.value, 0);
    end_line(p);
}

static void print_memory(printer *p, const char *word, const tirbi_lbuf *b, const tirbi_lx *handle) {
    if (!name_of(p, b)) give_name(p, b, b->name);
    putf(p, "%s ", word);
    print_buffer(p, b);
    if (handle) {
        put(p, " = ");
        print_expr(p, handle, 0);
    }
    end_line(p);
}

static void print_tree(printer *p, const tirbi_ls *s) {
    static const char *const signs[] = {"+=", "*=", "min=", "max="};
    put(p, "tree ");
    for (uint32_t i = 0; i < s->as.tree.n_loops; i++) {
        if (i > 0) put(p, "; ");
        print_loop_var(p, s->as.tree.loops[i]);
        put_range(p, s->as.tree.loops[i]);
    }
    begin_block(p);
    for (uint32_t i = 0; i < s->as.tree.n_lets; i++) {
        put(p, "eval ");
        print_expr(p, s->as.tree.lets[i], 0);
        end_line(p);
    }
    if (s->as.tree.init) {
        put(p, "init");
        print_block(p, s->as.tree.init, "");
        end_line(p);
    }
    for (uint32_t i = 0; i < s->as.tree.n_updates; i++) {
        const tirbi_update *update = &s->as.tree.updates[i];
        print_place(p, update->target);
        putf(p, " %s ", signs[update->op]);
        print_expr(p, update->value, update->factor ? 4 : 0);
        if (update->factor) {
            put(p, ", times ");
            print_expr(p, update->factor, 0);
        }
        end_line(p);
    }
    end_block(p, "");
    end_line(p);
}

static void print_value(printer *p, const char *word, const tirbi_lx *value) {
    put(p, word);
    if (value) {
        put(p, " ");
        print_expr(p, value, 0);
    }
    end_line(p);
}

static void print_stmt(printer *p, const tirbi_ls *s) {
    switch ((tirbi_ls_kind)s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) print_stmt(p, s->as.seq.items[i]);
        return;
    case TIRBI_LS_LOOP:
        print_loop(p, s);
        return;
    case TIRBI_LS_IF:
        print_if(p, s);
        return;
    case TIRBI_LS_WHILE:
        put(p, "while ");
        print_expr(p, s->as.while_.condition, 0);
        if (s->as.while_.made) put(p, " made");
        print_block(p, s->as.while_.body, "");
        end_line(p);
        return;
    case TIRBI_LS_SEARCH:
        print_search(p, s);
        return;
    case TIRBI_LS_STORE:
        print_place(p, s->as.store.access);
        print_value(p, " =", s->as.store.value);
        return;
    case TIRBI_LS_SET:
        print_set(p, s);
        return;
    case TIRBI_LS_ALLOC:
        print_memory(p, "alloc", s->as.alloc.buffer, NULL);
        return;
    case TIRBI_LS_FETCH:
        print_memory(p, "fetch", s->as.fetch.buffer, s->as.fetch.handle);
        return;
    case TIRBI_LS_EVAL:
        print_value(p, "eval", s->as.eval.value);
        return;
    case TIRBI_LS_RETURN:
        print_value(p, "return", s->as.eval.value);
        return;
    case TIRBI_LS_ASSERT:
        put(p, "assert ");
        print_expr(p, s->as.assert_.condition, 0);
        put(p, ", ");
        put_quoted(p, s->as.assert_.error_kind);
        put(p, ", ");
        put_quoted(p, s->as.assert_.message);
        end_line(p);
        return;
    case TIRBI_LS_BREAK:
        print_value(p, "break", NULL);
        return;
    case TIRBI_LS_CONTINUE:
        print_value(p, "continue", NULL);
        return;
    case TIRBI_LS_TREE:
        print_tree(p, s);
        return;
    }
}

/* ---- For other texts -------------------------------------------------------------------------------------------- */

void tirbi_printer_init(tirbi_printer *p, const tirbi_lmodule *module, const tirbi_lfunc *function, tirbi_arena *arena,
                        tirbi_writer *out, tirbi_writer *line) {
    tirbi_writer_init(line, out->heap);
    *p = (printer){.module = module, .function = function, .arena = arena, .out = out, .line = line};
}

bool tirbi_printer_end(tirbi_printer *p) {
    const bool done = !p->failed && !p->line->failed && !p->out->failed && !p->arena->failed;
    tirbi_writer_destroy(p->line);
    return done;
}

void tirbi_printer_put(tirbi_printer *p, const char *text) { put(p, text); }
void tirbi_printer_number(tirbi_printer *p, int64_t number) { putf(p, "%" PRId64, number); }
void tirbi_printer_quoted(tirbi_printer *p, const char *text) { put_quoted(p, text); }
void tirbi_printer_line(tirbi_printer *p) { end_line(p); }
void tirbi_printer_var(tirbi_printer *p, const tirbi_lvar *var) { put(p, var_name(p, var)); }
void tirbi_printer_buffer(tirbi_printer *p, const tirbi_lbuf *buffer) { put(p, buffer_name(p, buffer)); }
void tirbi_printer_expr(tirbi_printer *p, const tirbi_lx *x) { print_expr(p, x, 0); }
void tirbi_printer_stmt(tirbi_printer *p, const tirbi_ls *s) { print_stmt(p, s); }

bool tirbi_print_loops(const tirbi_lmodule *module, const tirbi_lfunc *function, const tirbi_ls *body,
                       tirbi_arena *arena, tirbi_writer *out) {
    tirbi_writer line;
    printer p;
    tirbi_printer_init(&p, module, function, arena, out, &line);
    put(&p, "function ");
    put_quoted(&p, function->ast->name);
    if (function->returns) put_type(&p, function->return_type);
    end_line(&p);
    p.indent = 1;
    for (uint32_t i = 0; i < function->ast->n_params; i++) {
        if (function->param_vars[i])
            var_name(&p, function->param_vars[i]);
        else if (function->param_buffers[i])
            buffer_name(&p, function->param_buffers[i]);
    }
    for (uint32_t i = 0; i < function->ast->n_may_alias; i++) {
        const tirb_param_pair *pair = &function->ast->may_alias[i];
        putf(&p, "may_alias %s, ", buffer_name(&p, function->param_buffers[pair->first]));
        put(&p, buffer_name(&p, function->param_buffers[pair->second]));
        end_line(&p);
    }
    print_stmt(&p, body);
    return tirbi_printer_end(&p);
}
