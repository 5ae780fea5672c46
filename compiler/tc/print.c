/* The canonical text: what it says depends on the nodes and the comments alone, so it is a fixed point. Comments stay
 * where they are between statements; those inside a statement or a signature come before it. A blank line stays one. */
#include <string.h>

#include "compiler/tc/check.h"
#include "compiler/tc/parser.h"
#include "compiler/tc/tc.h"

enum { WIDTH = 120, INDENT = 4, CONTINUED = 8 };

typedef struct printer {
    tirbi_arena *arena;
    const tirbi_source *source;
    char *text;
    uint32_t size, capacity;
    uint32_t line;       /* where the line begins */
    uint32_t last_break; /* a blank in it that may be the end of a line; 0: there is none */
    const tirbi_tc_comment *comments;
    uint32_t next, n_comments;
} printer;

/* ---- Text ------------------------------------------------------------------------------------------------------- */

static bool reserve(printer *p, uint32_t more) {
    if (more <= p->capacity - p->size) return true;
    uint32_t capacity;
    if (__builtin_add_overflow(p->size, more, &capacity) || __builtin_mul_overflow(capacity, 2U, &capacity)) {
        p->arena->failed = true;
        return false;
    }
    char *text = tirbi_arena_extend(p->arena, p->text, p->capacity, capacity, 1);
    if (!text) return false;
    p->text = text;
    p->capacity = capacity;
    return true;
}

static void put_bytes(printer *p, const char *text, uint32_t size) {
    if (size == 0 || !reserve(p, size)) return;
    memcpy(p->text + p->size, text, size);
    p->size += size;
}

static void put(printer *p, const char *text) { put_bytes(p, text, (uint32_t)strlen(text)); }

/* A line that has become too long ends at its last break. */
static void wrap(printer *p) {
    if (p->size - p->line <= WIDTH || p->last_break == 0 || !reserve(p, CONTINUED)) return;
    char *at = p->text + p->last_break;
    memmove(at + 1 + CONTINUED, at + 1, p->size - p->last_break - 1);
    at[0] = '\n';
    memset(at + 1, ' ', CONTINUED);
    p->size += CONTINUED;
    p->line = p->last_break + 1;
    p->last_break = 0;
}

/* A blank that may become the end of a line. */
static void put_break(printer *p) {
    wrap(p);
    p->last_break = p->size;
    put(p, " ");
}

static void begin_line(printer *p, uint32_t indent) {
    p->line = p->size;
    p->last_break = 0;
    for (uint32_t i = 0; i < indent; i++) put(p, " ");
}

static void put_number(printer *p, int64_t value) {
    const char *text = tirbi_arena_format(p->arena, "%lld", (long long)value);
    if (text) put(p, text);
}

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

enum { LEVEL_CHOICE, LEVEL_OR, LEVEL_AND, LEVEL_COMPARE, LEVEL_ADD, LEVEL_MULTIPLY, LEVEL_UNARY, LEVEL_OPERAND };

static const struct {
    const char *text;
    uint32_t level;
} operators[] = {
    [TIRBI_TC_NEG] = {"-", LEVEL_UNARY},    [TIRBI_TC_NOT] = {"!", LEVEL_UNARY},
    [TIRBI_TC_ADD] = {"+", LEVEL_ADD},      [TIRBI_TC_SUB] = {"-", LEVEL_ADD},
    [TIRBI_TC_MUL] = {"*", LEVEL_MULTIPLY}, [TIRBI_TC_DIV] = {"/", LEVEL_MULTIPLY},
    [TIRBI_TC_MOD] = {"%", LEVEL_MULTIPLY}, [TIRBI_TC_EQ] = {"==", LEVEL_COMPARE},
    [TIRBI_TC_NE] = {"!=", LEVEL_COMPARE},  [TIRBI_TC_LT] = {"<", LEVEL_COMPARE},
    [TIRBI_TC_LE] = {"<=", LEVEL_COMPARE},  [TIRBI_TC_GT] = {">", LEVEL_COMPARE},
    [TIRBI_TC_GE] = {">=", LEVEL_COMPARE},  [TIRBI_TC_AND] = {"&&", LEVEL_AND},
    [TIRBI_TC_OR] = {"||", LEVEL_OR},       [TIRBI_TC_CHOICE] = {"?", LEVEL_CHOICE},
    [TIRBI_TC_PAD] = {NULL, LEVEL_OPERAND},
};

static uint32_t level_of(const tirbi_tc_expr *e) {
    return operators[e->kind].text ? operators[e->kind].level : LEVEL_OPERAND;
}

static void put_expr(printer *p, const tirbi_tc_expr *e, uint32_t level);

static void put_list(printer *p, const tirbi_tc_expr *const *items, uint32_t n) {
    put(p, "(");
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) {
            put(p, ",");
            put_break(p);
        }
        put_expr(p, items[i], LEVEL_CHOICE);
    }
    put(p, ")");
}

/* As it is written, with digits on both sides of its point and a small e. */
static void put_float(printer *p, const tirbi_tc_expr *e) {
    const char *text = p->source->text + e->span.begin;
    const uint32_t size = e->span.end - e->span.begin;
    if (text[0] == '.') put(p, "0");
    for (uint32_t i = 0; i < size; i++) {
        put_bytes(p, text[i] == 'E' ? "e" : text + i, 1);
        if (text[i] == '.' && (i + 1 == size || text[i + 1] < '0' || text[i + 1] > '9')) put(p, "0");
    }
}

static void put_operand(printer *p, const tirbi_tc_expr *e) {
    switch (e->kind) {
    case TIRBI_TC_INT:
        put_number(p, e->int_value);
        return;
    case TIRBI_TC_FLOAT:
        put_float(p, e);
        return;
    case TIRBI_TC_BOOL:
        put(p, e->int_value ? "true" : "false");
        return;
    case TIRBI_TC_DIM:
        put(p, e->name);
        put(p, ".");
        put_number(p, e->int_value);
        return;
    case TIRBI_TC_NAME:
        put(p, e->name);
        return;
    default:
        put(p, e->kind == TIRBI_TC_MIN ? "min" : e->kind == TIRBI_TC_MAX ? "max" : e->name);
        put_list(p, e->args, e->n_args);
    }
}

static void put_choice(printer *p, const tirbi_tc_expr *e) {
    put_expr(p, e->args[0], LEVEL_OR);
    put_break(p);
    put(p, "? ");
    put_expr(p, e->args[1], LEVEL_CHOICE);
    put_break(p);
    put(p, ": ");
    put_expr(p, e->args[2], LEVEL_CHOICE);
}

/* In brackets where it binds less tightly than what is around it asks for. */
static void put_expr(printer *p, const tirbi_tc_expr *e, uint32_t level) {
    const uint32_t own = level_of(e);
    if (!tirbi_arena_work(p->arena, 1)) return;
    if (own < level) put(p, "(");
    if (own == LEVEL_OPERAND) {
        put_operand(p, e);
    } else if (own == LEVEL_CHOICE) {
        put_choice(p, e);
    } else if (own == LEVEL_UNARY) {
        put(p, operators[e->kind].text);
        put_expr(p, e->args[0], LEVEL_UNARY);
    } else {
        put_expr(p, e->args[0], own);
        put_break(p);
        put(p, operators[e->kind].text);
        put(p, " ");
        put_expr(p, e->args[1], own + 1);
    }
    if (own < level) put(p, ")");
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

static void put_clause(printer *p, const tirbi_tc_clause *clause) {
    if (clause->kind == TIRBI_TC_EXISTS)
        put(p, "exists");
    else
        put(p, clause->name);
    put(p, clause->kind == TIRBI_TC_IN ? " in " : clause->kind == TIRBI_TC_IS ? " = " : " ");
    put_expr(p, clause->low, LEVEL_CHOICE);
    if (clause->kind != TIRBI_TC_IN) return;
    put(p, ":");
    put_expr(p, clause->high, LEVEL_CHOICE);
}

static void put_call(printer *p, const tirbi_tc_stmt *stmt) {
    for (uint32_t i = 0; i < stmt->n_targets; i++) {
        if (i > 0) {
            put(p, ",");
            put_break(p);
        }
        put(p, stmt->targets[i].name);
    }
    put(p, " = ");
    put(p, stmt->callee_name);
    put_list(p, stmt->call_args, stmt->n_call_args);
}

static void put_stmt(printer *p, const tirbi_tc_stmt *stmt) {
    if (stmt->n_targets > 0) {
        put_call(p, stmt);
        return;
    }
    put(p, stmt->name);
    if (stmt->has_list) put_list(p, stmt->subscripts, stmt->n_subscripts);
    put(p, " ");
    put(p, tirbi_tc_assign_text(stmt->assign, stmt->starts_over));
    put_break(p);
    put_expr(p, stmt->value, LEVEL_CHOICE);
    if (stmt->library) {
        put_break(p);
        put(p, "<=> ");
        put(p, stmt->library);
        put_list(p, stmt->library_args, stmt->n_library_args);
    }
    for (uint32_t i = 0; i < stmt->n_clauses; i++) {
        if (i > 0) put(p, ",");
        put_break(p);
        if (i == 0) put(p, "where ");
        put_clause(p, &stmt->clauses[i]);
    }
}

/* ---- Comments --------------------------------------------------------------------------------------------------- */

static void put_comment(printer *p, const tirbi_tc_comment *comment) {
    const char *text = p->source->text;
    uint32_t end = comment->span.end;
    while (end > comment->span.begin && strchr(" \t\v\f\r", text[end - 1])) end--;
    put_bytes(p, text + comment->span.begin, end - comment->span.begin);
}

/* Whether a blank line stands in front of what begins there. */
static bool is_after_blank_line(const printer *p, uint32_t begin) {
    uint32_t n_lines = 0;
    for (uint32_t i = begin; i > 0; i--) {
        const char c = p->source->text[i - 1];
        if (c == '\n')
            n_lines++;
        else if (!strchr(" \t\v\f\r", c))
            return n_lines > 1;
    }
    return n_lines > 1;
}

/* The comments before `end`, each on a line. `*first` is the first thing of its block, which no blank line precedes.
 * True: there were some. */
static bool put_comments(printer *p, uint32_t end, uint32_t indent, bool *first) {
    const uint32_t begin = p->next;
    for (; p->next < p->n_comments && p->comments[p->next].span.begin < end; p->next++) {
        const tirbi_tc_comment *comment = &p->comments[p->next];
        if (!*first && is_after_blank_line(p, comment->span.begin)) put(p, "\n");
        *first = false;
        begin_line(p, indent);
        put_comment(p, comment);
        put(p, "\n");
    }
    return p->next > begin;
}

/* A comment behind what ends at `end`, on the same line, then the end of the line. */
static void end_line_with_comment(printer *p, uint32_t end) {
    wrap(p);
    const tirbi_tc_comment *comment = p->next < p->n_comments ? &p->comments[p->next] : NULL;
    if (comment && !comment->is_alone && comment->span.begin >= end &&
        !memchr(p->source->text + end, '\n', comment->span.begin - end)) {
        bool follows = true;
        for (uint32_t i = end; i < comment->span.begin; i++) follows &= strchr(" \t\v\f\r", p->source->text[i]) != NULL;
        if (follows) {
            put(p, "  ");
            put_comment(p, comment);
            p->next++;
        }
    }
    put(p, "\n");
}

/* ---- Defs ------------------------------------------------------------------------------------------------------- */

static void put_param(printer *p, const tirbi_tc_param *param) {
    if (param->has_type) {
        put(p, param->type_name);
        if (param->has_sizes) put(p, "(");
        for (uint32_t i = 0; i < param->ndim; i++) {
            if (i > 0) put(p, ", ");
            if (param->sizes[i].name)
                put(p, param->sizes[i].name);
            else
                put_number(p, param->sizes[i].value);
        }
        put(p, param->has_sizes ? ") " : " ");
    }
    put(p, param->name);
}

static void put_params(printer *p, const tirbi_tc_param *params, uint32_t n) {
    put(p, "(");
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) {
            put(p, ",");
            put_break(p);
        }
        put_param(p, &params[i]);
    }
    put(p, ")");
}

static void put_signature(printer *p, const tirbi_tc_def *def) {
    begin_line(p, 0);
    put(p, "def ");
    put(p, def->name);
    put_params(p, def->params, def->n_params);
    put(p, " ->");
    put_break(p);
    if (def->bare_return)
        put(p, def->returns[0].name);
    else
        put_params(p, def->returns, def->n_returns);
    put(p, " {");
    end_line_with_comment(p, def->body);
}

static void put_def(printer *p, const tirbi_tc_def *def, bool is_first) {
    bool first = true;
    const bool blank = is_after_blank_line(p, def->span.begin);
    if (!is_first) put(p, "\n");
    const bool has_comments = put_comments(p, def->span.begin, 0, &first);
    if (has_comments && blank) put(p, "\n");
    put_comments(p, def->body, 0, &first);
    put_signature(p, def);
    first = true;
    for (uint32_t i = 0; i < def->n_stmts && !p->arena->failed; i++) {
        const tirbi_tc_stmt *stmt = &def->stmts[i];
        put_comments(p, stmt->span.begin, INDENT, &first);
        if (!first && is_after_blank_line(p, stmt->span.begin)) put(p, "\n");
        bool inside = true;
        put_comments(p, stmt->span.end, INDENT, &inside);
        first = false;
        begin_line(p, INDENT);
        put_stmt(p, stmt);
        end_line_with_comment(p, stmt->span.end);
    }
    put_comments(p, def->span.end, INDENT, &first);
    begin_line(p, 0);
    put(p, "}");
    end_line_with_comment(p, def->span.end);
}

bool tirbi_tc_print(const tirbi_source *source, tirbi_arena *arena, tirbi_diagnostics *diagnostics, const char **out,
                    size_t *out_size) {
    const tirbi_tc_program *program = tirbi_tc_read(source, arena, diagnostics);
    if (!program || tirbi_has_errors(diagnostics)) return false;
    printer p = {.arena = arena, .source = source, .comments = program->comments, .n_comments = program->n_comments};
    for (uint32_t i = 0; i < program->n_defs && !arena->failed; i++) put_def(&p, program->defs[i], i == 0);
    bool first = program->n_defs == 0;
    if (!first && p.next < p.n_comments && !is_after_blank_line(&p, p.comments[p.next].span.begin)) put(&p, "\n");
    put_comments(&p, UINT32_MAX, 0, &first);
    *out = p.text ? p.text : "";
    *out_size = p.size;
    return !arena->failed;
}
