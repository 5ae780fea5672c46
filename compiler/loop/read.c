#include "compiler/loop/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/base/error.h"

/* Something that has a name. */
typedef struct named {
    const char *name;
    tirbi_lvar *var; /* or a buffer */
    tirbi_lbuf *buffer;
} named;

/* Functions, or imports, that are called: each has the number of its name. */
typedef struct callees {
    const char **names;
    uint32_t n, capacity;
    tirbi_index by_name;
} callees;

enum { MAX_DEPTH = 400, MAX_ITEMS = 256 };

typedef struct reader {
    const char *text, *end, *at;
    uint32_t line;
    const char *line_start;
    tirbi_arena *arena;
    tirbi_lx_pool *pool;
    tirbi_lfunc *function;
    tirb_primfunc *ast;
    callees functions, imports; /* of the functions the first is the one that is read */
    named *items;
    uint32_t n, capacity;
    tirbi_index by_name;
    uint32_t param_capacity, alias_capacity;
    tirb_param_pair *aliases;
    unsigned depth;
    bool in_tree;
    tirb_error *error;
    tirb_status status; /* of the first thing that went wrong */
} reader;

/* ---- Errors and words ------------------------------------------------------------------------------------------ */

static void fail(reader *r, tirb_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void fail(reader *r, tirb_status status, const char *format, ...) {
    char message[160];
    va_list arguments;
    if (r->status != TIRB_OK) { /* which has been told; back_to() may have gone to where nothing is to be read again */
        r->at = r->end;
        return;
    }
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    r->status = tirbi_error_set(r->error, status, "%s", message);
    tirbi_error_at(r->error, "loop IR", r->line, (uint32_t)(r->at - r->line_start) + 1);
    r->at = r->end;
}

/* A place in the text that a message may be about. */
typedef struct mark {
    const char *at, *line_start;
    uint32_t line;
} mark;

static void skip_spaces(reader *r);

static mark mark_here(reader *r) {
    skip_spaces(r);
    return (mark){r->at, r->line_start, r->line};
}

/* What comes next will be said to be at the mark, if it is an error. */
static void back_to(reader *r, mark m) {
    r->at = m.at;
    r->line_start = m.line_start;
    r->line = m.line;
}

static void fail_memory(reader *r) { fail(r, TIRB_NO_MEMORY, "no memory"); }

static void skip_spaces(reader *r) {
    for (; r->at < r->end; r->at++) {
        if (*r->at == '#' && (r->at == r->line_start)) {
            while (r->at < r->end && *r->at != '\n') r->at++;
        }
        if (r->at == r->end) return;
        if (*r->at == '\n') {
            r->line++;
            r->line_start = r->at + 1;
        } else if (*r->at != ' ') {
            return;
        }
    }
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The word that comes next, with what stands behind points in it: `fma.f32`, `i.1`; not taken. */
static size_t word_size(reader *r) {
    skip_spaces(r);
    const char *c = r->at;
    if (c == r->end || !is_word(*c) || (*c >= '0' && *c <= '9')) return 0;
    while (c < r->end && (is_word(*c) || (*c == '.' && c + 1 < r->end && is_word(c[1])))) c++;
    return (size_t)(c - r->at);
}

/* Takes a word or sign if it comes next; words as a whole. */
static bool take(reader *r, const char *wanted) {
    const size_t size = strlen(wanted);
    skip_spaces(r);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, wanted, size) != 0) return false;
    if (is_word(wanted[size - 1]) && word_size(r) != size) return false;
    r->at += size;
    return true;
}

static void expect(reader *r, const char *wanted) {
    if (!take(r, wanted)) fail(r, TIRB_SYNTAX, "'%s' is missing", wanted);
}

static const char *read_word(reader *r) {
    const size_t size = word_size(r);
    if (size == 0) {
        fail(r, TIRB_SYNTAX, "a name is missing");
        return "";
    }
    const char *word = tirbi_arena_text(r->arena, r->at, size);
    if (!word) return fail_memory(r), "";
    r->at += size;
    return word;
}

static const char *read_quoted(reader *r) {
    expect(r, "\"");
    const char *end = r->at;
    while (end < r->end && *end != '"') end += *end == '\\' && r->end - end > 1 ? 2 : 1;
    char *text = tirbi_arena_alloc(r->arena, (size_t)(end - r->at) + 1, 1), *to = text;
    if (!text) return fail_memory(r), "";
    while (r->at < r->end && *r->at != '"') {
        unsigned code;
        if (*r->at != '\\')
            *to++ = *r->at++;
        else if (r->end - r->at > 3 && r->at[1] == 'x' && sscanf(r->at + 2, "%2x", &code) == 1) {
            *to++ = (char)code;
            r->at += 4;
        } else if (r->end - r->at > 1) {
            *to++ = r->at[1];
            r->at += 2;
        } else
            break;
    }
    expect(r, "\"");
    return text;
}

/* A whole number of 64 bits, signed or not. */
static int64_t read_number(reader *r) {
    char digits[24];
    size_t n = 0;
    skip_spaces(r);
    if (r->at < r->end && *r->at == '-') digits[n++] = *r->at++;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9' && n < sizeof(digits) - 1) digits[n++] = *r->at++;
    digits[n] = '\0';
    errno = 0;
    const int64_t value = digits[0] == '-' ? strtoll(digits, NULL, 10) : (int64_t)strtoull(digits, NULL, 10);
    if (n == 0 || (n == 1 && digits[0] == '-') || errno) fail(r, TIRB_SYNTAX, "a whole number is missing");
    return value;
}

static tirbi_dtype read_type(reader *r) {
    tirbi_dtype type = TIRB_I64;
    const size_t size = word_size(r);
    if (!tirbi_dtype_from_name(r->at, size, &type))
        fail(r, TIRB_SYNTAX, "a type is missing");
    else
        r->at += size;
    return type;
}

/* ---- Names ----------------------------------------------------------------------------------------------------- */

static named *find(const reader *r, const char *name, size_t size) {
    uint32_t probe = 0, found;
    const uint32_t hash = tirbi_text_hash(r, name, size);
    while ((found = tirbi_index_next(&r->by_name, hash, &probe)) != 0)
        if (strlen(r->items[found - 1].name) == size && memcmp(r->items[found - 1].name, name, size) == 0)
            return &r->items[found - 1];
    return NULL;
}

static named *declare(reader *r, const char *name) {
    if (r->n == r->capacity) {
        const uint32_t more = r->capacity ? 2 * r->capacity : 64;
        named *items = tirbi_arena_extend(r->arena, r->items, r->capacity, more, sizeof(*items));
        if (!items) return NULL;
        r->items = items;
        r->capacity = more;
    }
    if (!tirbi_index_add(&r->by_name, r->arena, tirbi_text_hash(r, name, strlen(name)), r->n)) return NULL;
    r->items[r->n] = (named){.name = name};
    return &r->items[r->n++];
}

/* The name without the number that told it apart. */
static const char *own_name(reader *r, const char *name) {
    const char *point = strchr(name, '.');
    return point ? tirbi_arena_text(r->arena, name, (size_t)(point - name)) : name;
}

/* A variable that begins here, or did so in another statement before. */
static tirbi_lvar *declare_var(reader *r, const char *name, tirbi_lvar_kind kind, tirbi_dtype type) {
    static tirbi_lvar lost;
    named *item = find(r, name, strlen(name));
    if (item && !item->var) fail(r, TIRB_TYPE, "%s is a buffer", name);
    if (r->status != TIRB_OK) return &lost;
    if (!item) {
        tirbi_lvar *var = TIRBI_NEW(r->arena, tirbi_lvar);
        const char *own = own_name(r, name);
        item = declare(r, name);
        if (!var || !own || !item) return fail_memory(r), &lost;
        *var = (tirbi_lvar){.name = own, .kind = kind};
        item->var = var;
    }
    item->var->type = type;
    tirbi_type_range(type, &item->var->lo, &item->var->hi);
    return item->var;
}

static tirbi_lbuf *declare_buffer(reader *r, const char *name) {
    static tirbi_lbuf lost;
    named *item = find(r, name, strlen(name));
    if (item && !item->buffer) fail(r, TIRB_TYPE, "%s is a variable", name);
    if (r->status != TIRB_OK) return &lost;
    if (item) return item->buffer;
    tirbi_lbuf *buffer = TIRBI_NEW(r->arena, tirbi_lbuf);
    const char *own = own_name(r, name);
    item = declare(r, name);
    if (!buffer || !own || !item) return fail_memory(r), &lost;
    *buffer = (tirbi_lbuf){.name = own, .root = buffer, .param = -1};
    item->buffer = buffer;
    return buffer;
}

static tirbi_lbuf *read_buffer_name(reader *r) {
    const size_t size = word_size(r);
    const named *item = find(r, r->at, size);
    if (!item || !item->buffer) {
        fail(r, TIRB_TYPE, "'%.*s' is no buffer", (int)(size < 60 ? size : 60), r->at);
        return declare_buffer(r, "");
    }
    r->at += size;
    return item->buffer;
}

/* The number of who is called by this name, which is one more where the name has none yet. */
static uint32_t callee_number(reader *r, callees *c, const char *name) {
    uint32_t probe = 0, found;
    const uint32_t hash = tirbi_text_hash(r, name, strlen(name));
    while ((found = tirbi_index_next(&c->by_name, hash, &probe)) != 0)
        if (strcmp(c->names[found - 1], name) == 0) return found - 1;
    if (c->n == c->capacity) {
        const uint32_t more = c->capacity ? 2 * c->capacity : 8;
        const char **names = tirbi_arena_extend(r->arena, c->names, c->capacity, more, sizeof(*names));
        if (!names) return fail_memory(r), 0;
        c->names = names;
        c->capacity = more;
    }
    if (!tirbi_index_add(&c->by_name, r->arena, hash, c->n)) return fail_memory(r), 0;
    c->names[c->n] = name;
    return c->n++;
}

static void read_range(reader *r, tirbi_lvar *var) {
    if (!take(r, "in")) return;
    var->lo = read_number(r);
    expect(r, "..");
    var->hi = read_number(r);
}

/* ---- Expressions ----------------------------------------------------------------------------------------------- */

static const tirbi_lx *read_expr(reader *r, unsigned level);
static const tirbi_lx *read_typed(reader *r, tirbi_dtype type);

static const tirbi_lx *zero(reader *r) { return tirbi_lx_int(r->pool, TIRB_I64, 0); }

/* Expressions with commas between them, up to a closing sign that is not taken; an array of the arena's. */
static const tirbi_lx **read_list(reader *r, uint32_t *n, uint32_t most) {
    const tirbi_lx *items[MAX_ITEMS];
    *n = 0;
    skip_spaces(r);
    if (r->at < r->end && !strchr("]);", *r->at)) {
        do {
            if (*n == most || *n == MAX_ITEMS) {
                fail(r, TIRB_SYNTAX, "there are more than %u expressions", *n);
                break;
            }
            items[(*n)++] = read_expr(r, 0);
        } while (take(r, ","));
    }
    const tirbi_lx **list = TIRBI_NEW_ARRAY(r->arena, const tirbi_lx *, *n + 1);
    if (!list) return fail_memory(r), *n = 0, NULL;
    memcpy(list, items, *n * sizeof(*items));
    return list;
}

/* The number of an element where nothing else is said. */
static const tirbi_lx *usual_number(reader *r, const tirbi_place *place) {
    const tirbi_lbuf *b = place->buffer;
    const tirbi_lx *flat = b->offset ? b->offset : zero(r);
    for (uint32_t i = 0; i < place->ndim && flat; i++)
        flat = tirbi_lx_add(r->pool, flat, tirbi_lx_mul(r->pool, place->indices[i], b->strides[i]));
    return flat;
}

/* `by_number`: it may have no indices, and only say which element it is. */
static const tirbi_place *read_place(reader *r, bool by_number) {
    const mark begin = mark_here(r);
    tirbi_place *place = TIRBI_NEW(r->arena, tirbi_place);
    static const tirbi_place lost;
    if (!place) return fail_memory(r), &lost;
    if (++r->depth > MAX_DEPTH) fail(r, TIRB_SYNTAX, "places are nested too deeply");
    place->buffer = read_buffer_name(r);
    expect(r, "[");
    place->indices = read_list(r, &place->ndim, MAX_ITEMS);
    by_number = by_number && place->ndim == 0;
    const bool fits = r->status != TIRB_OK || by_number || place->ndim == place->buffer->ndim;
    if (!fits) back_to(r, begin);
    if (!fits)
        fail(r, TIRB_TYPE, "%s has %u dimensions, not %u", place->buffer->name, place->buffer->ndim, place->ndim);
    for (uint32_t i = 0; i < place->ndim && r->status == TIRB_OK; i++)
        if (place->indices[i]->type != TIRB_I64) fail(r, TIRB_TYPE, "index %u is no int64", i);
    while (take(r, ";")) {
        if (take(r, "at"))
            place->flat = read_expr(r, 0);
        else if (take(r, "guard"))
            place->guard = (uint16_t)read_number(r);
        else if (take(r, "view"))
            place->view = read_place(r, false);
        else
            fail(r, TIRB_SYNTAX, "'at', 'guard' or 'view' is missing");
    }
    expect(r, "]");
    r->depth--;
    if (r->status == TIRB_OK && !place->flat) place->flat = usual_number(r, place);
    if (r->status == TIRB_OK && place->flat->type != TIRB_I64) fail(r, TIRB_TYPE, "an element's number is no int64");
    return place;
}

static const tirbi_lx *read_constant(reader *r, tirbi_dtype type) {
    if (take(r, "#")) {
        char digits[17];
        size_t n = 0;
        while (r->at < r->end && is_word(*r->at) && n < sizeof(digits) - 1) digits[n++] = *r->at++;
        digits[n] = '\0';
        return tirbi_lx_bits(r->pool, type, strtoull(digits, NULL, 16));
    }
    if (!tirbi_dtype_is_float(type)) return tirbi_lx_int(r->pool, type, read_number(r));
    char digits[40];
    size_t n = 0;
    skip_spaces(r);
    while (r->at < r->end && (is_word(*r->at) || strchr("+-.", *r->at)) && n < sizeof(digits) - 1)
        digits[n++] = *r->at++;
    digits[n] = '\0';
    uint64_t bits = 0;
    if (type == TIRB_F32) {
        const float value = strtof(digits, NULL);
        memcpy(&bits, &value, sizeof(value));
    } else if (type == TIRB_F64) {
        const double value = strtod(digits, NULL);
        memcpy(&bits, &value, sizeof(value));
    } else {
        fail(r, TIRB_SYNTAX, "a constant of %s is given by its bits", tirbi_dtypes[type].name);
    }
    return tirbi_lx_bits(r->pool, type, bits);
}

static bool is_type(const tirbi_lx *x, tirbi_dtype type) { return x && x->type == type; }

/* `mnemonic.type(..)`, behind the bracket. */
static const tirbi_lx *read_operation(reader *r, tirbi_op op, tirbi_dtype type, mark begin) {
    uint32_t n;
    const tirbi_lx **args = read_list(r, &n, 3);
    const bool first = take(r, ";");
    if (first) expect(r, "first");
    expect(r, ")");
    if (r->status != TIRB_OK) return NULL;
    const tirbi_dtype source = op == TIRB_OP_BITS && n == 1 ? (tirbi_dtype)args[0]->type : TIRB_TYPE_NONE;
    if (n != tirbi_ops[op].arity) {
        back_to(r, begin);
        fail(r, TIRB_TYPE, "%s has %u operands", tirbi_ops[op].mnemonic, tirbi_ops[op].arity);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_dtype wanted = tirbi_op_operand_type(op, type, source, i);
        if (is_type(args[i], wanted)) continue;
        back_to(r, begin);
        fail(r, TIRB_TYPE, "operand %u is not of %s", i + 1, tirbi_dtypes[wanted].name);
        return NULL;
    }
    if (r->status != TIRB_OK) return NULL;
    if (op == TIRB_OP_FMA || op == TIRB_OP_FMS || op == TIRB_OP_FNMA)
        return tirbi_lx_fused(r->pool, op, type, args[0], args[1], args[2], first);
    return tirbi_lx_op(r->pool, op, type, source, args[0], n > 1 ? args[1] : NULL, n > 2 ? args[2] : NULL);
}

static const tirbi_lx *read_lazy(reader *r, tirbi_lx_kind kind) {
    uint32_t n;
    expect(r, "(");
    const tirbi_lx **args = read_list(r, &n, 3);
    expect(r, ")");
    if (r->status != TIRB_OK) return NULL;
    if (n != (kind == TIRBI_LX_COND ? 3 : 2) || !is_type(args[0], TIRB_BOOL) ||
        (kind == TIRBI_LX_COND ? args[1]->type != args[2]->type : args[1]->type != TIRB_BOOL)) {
        fail(r, TIRB_TYPE, "cond(bool, x, y), both(bool, bool) or either(bool, bool) is wanted");
        return NULL;
    }
    return tirbi_lx_lazy(r->pool, kind, args[0], args[1], n > 2 ? args[2] : NULL);
}

/* The elementwise operation that a word of a mnemonic, a point and a type names. */
static bool find_operation(const char *word, size_t size, tirbi_op *op, tirbi_dtype *type) {
    size_t point = size;
    while (point > 0 && word[point - 1] != '.') point--;
    if (point == 0 || !tirbi_dtype_from_name(word + point, size - point, type)) return false;
    for (unsigned i = 1; i < TIRB_N_OPS; i++) {
        const tirbi_op_info *info = &tirbi_ops[i];
        if (!info->mnemonic || !(info->flags & TIRBI_FLAG_ELEMENTWISE) || (info->flags & TIRBI_FLAG_LANE)) continue;
        if (strlen(info->mnemonic) != point - 1 || memcmp(info->mnemonic, word, point - 1) != 0) continue;
        *op = (tirbi_op)i;
        return (info->types >> *type & 1) != 0;
    }
    return false;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

/* Room for one more of `n`: the items, moved if need be; NULL where that failed. */
static void *grow(reader *r, void *items, uint32_t n, uint32_t *capacity, size_t size) {
    if (r->status != TIRB_OK || n < *capacity) return r->status == TIRB_OK ? items : NULL;
    const uint32_t more = *capacity ? 2 * *capacity : 4;
    items = tirbi_arena_extend(r->arena, items, *capacity, more, size);
    if (items)
        *capacity = more;
    else
        fail_memory(r);
    return items;
}

/* Buffers, each as a whole or from a place on: `A, B[I, J] of COUNT`. */
static void read_refs(reader *r, tirbi_lcall *call) {
    tirbi_lcall_ref *refs = NULL;
    uint32_t capacity = 0;
    do {
        if (call->n_refs == MAX_ITEMS) fail(r, TIRB_SYNTAX, "there are more than %d buffers in a call", MAX_ITEMS);
        refs = grow(r, refs, call->n_refs, &capacity, sizeof(*refs));
        if (!refs) return;
        tirbi_lcall_ref *ref = &refs[call->n_refs++];
        *ref = (tirbi_lcall_ref){.buffer = NULL};
        call->refs = refs;
        const size_t size = word_size(r);
        if (size > 0 && r->at + size < r->end && r->at[size] == '[') {
            ref->start = read_place(r, true);
            expect(r, "of");
            ref->count = read_typed(r, TIRB_I64);
            ref->buffer = ref->start->buffer;
        } else {
            ref->buffer = read_buffer_name(r);
        }
    } while (r->status == TIRB_OK && take(r, ","));
}

/* What callers check of extents: `E == E "message"`, with `and` between. */
static void read_checks(reader *r, tirbi_lcall *call) {
    tirbi_lcall_check *checks = NULL;
    uint32_t capacity = 0;
    do {
        if (call->n_checks == MAX_ITEMS) fail(r, TIRB_SYNTAX, "there are more than %d checks in a call", MAX_ITEMS);
        checks = grow(r, checks, call->n_checks, &capacity, sizeof(*checks));
        if (!checks) return;
        tirbi_lcall_check *check = &checks[call->n_checks++];
        call->checks = checks;
        *check = (tirbi_lcall_check){.actual = read_expr(r, 2)};
        expect(r, "==");
        check->expected = read_expr(r, 2);
        check->message = read_quoted(r);
        if (r->status == TIRB_OK && check->actual->type != check->expected->type)
            fail(r, TIRB_TYPE, "extents of different types");
    } while (r->status == TIRB_OK && take(r, "and"));
}

/* How a trap ends the call: `STATUS "message"`. */
static void read_ending(reader *r, tirbi_lcall *call) {
    const mark begin = mark_here(r);
    const char *name = read_word(r);
    unsigned status = 0;
    while (strcmp(tirb_status_name((tirb_status)status), name) != 0 && status <= UINT8_MAX) status++;
    const bool none = status > UINT8_MAX || strcmp(name, tirb_status_name((tirb_status)UINT8_MAX)) == 0;
    if (status == TIRB_OK || none) {
        back_to(r, begin);
        fail(r, TIRB_SYNTAX, "the status of a trap is missing");
    }
    call->status = (uint8_t)status;
    call->message = read_quoted(r);
}

/* Sets what an instruction that stands in place of a call is; false: its name is none of these. */
static bool set_instruction(tirbi_lcall *call, const char *name) {
    static const uint8_t ops[] = {TIRB_OP_REF_PUT, TIRB_OP_LENGTH, TIRB_OP_RESULT, TIRB_OP_TRAP};
    for (size_t i = 0; i < sizeof(ops); i++)
        if (strcmp(tirbi_ops[ops[i]].mnemonic, name) == 0) call->op = ops[i];
    return call->op != 0;
}

typedef enum call_kind { CALL_FUNCTION, CALL_IMPORT, CALL_MACHINE } call_kind;

/* Behind the word that says of which kind it is. */
static const tirbi_lx *read_call(reader *r, call_kind kind) {
    tirbi_lcall *call = TIRBI_NEW(r->arena, tirbi_lcall);
    if (!call) return fail_memory(r), NULL;
    const tirbi_dtype type = read_type(r);
    const mark begin = mark_here(r);
    const char *name = read_quoted(r);
    if (r->status != TIRB_OK) return NULL;
    if (kind != CALL_MACHINE) {
        call->imported = kind == CALL_IMPORT;
        call->function = callee_number(r, call->imported ? &r->imports : &r->functions, name);
    } else if (!set_instruction(call, name)) {
        back_to(r, begin);
        fail(r, TIRB_TYPE, "the machine has no such instruction that is a call");
    }
    call->acts = take(r, "acts");
    expect(r, "(");
    call->scalars = read_list(r, &call->n_scalars, MAX_ITEMS);
    if (take(r, ";")) read_refs(r, call);
    expect(r, ")");
    if (take(r, "where")) read_checks(r, call);
    if (call->op == TIRB_OP_TRAP) read_ending(r, call);
    if (call->op == TIRB_OP_RESULT) {
        expect(r, "of");
        call->function = (uint32_t)read_number(r);
    }
    const bool has_scalars = call->n_scalars > 0 && call->op != TIRB_OP_RESULT;
    if (r->status == TIRB_OK && call->op && (has_scalars || call->n_refs != (call->op != TIRB_OP_TRAP))) {
        back_to(r, begin);
        fail(r, TIRB_TYPE, "%s has %d buffers and nothing else", name, call->op != TIRB_OP_TRAP);
    }
    return r->status == TIRB_OK ? tirbi_lx_call(r->pool, type, call) : NULL;
}

/* ---- Whole expressions ------------------------------------------------------------------------------------------ */

static const tirbi_lx *read_primary(reader *r) {
    tirbi_dtype type;
    tirbi_op op;
    if (take(r, "(")) {
        const tirbi_lx *x = read_expr(r, 0);
        expect(r, ")");
        return x;
    }
    if (take(r, "true")) return tirbi_lx_bits(r->pool, TIRB_BOOL, 1);
    if (take(r, "false")) return tirbi_lx_bits(r->pool, TIRB_BOOL, 0);
    if (take(r, "cond")) return read_lazy(r, TIRBI_LX_COND);
    if (take(r, "both")) return read_lazy(r, TIRBI_LX_AND);
    if (take(r, "either")) return read_lazy(r, TIRBI_LX_OR);
    if (take(r, "call")) return read_call(r, CALL_FUNCTION);
    if (take(r, "import")) return read_call(r, CALL_IMPORT);
    if (take(r, "machine")) return read_call(r, CALL_MACHINE);
    const mark begin = mark_here(r);
    const size_t size = word_size(r);
    if (size == 0) return tirbi_lx_int(r->pool, TIRB_I64, read_number(r));
    const char *word = r->at;
    const named *item = find(r, word, size);
    if (item && item->buffer) {
        const tirbi_place *place = read_place(r, false);
        return r->status == TIRB_OK ? tirbi_lx_load(r->pool, place) : NULL;
    }
    r->at += size;
    if (item) return tirbi_lx_var(r->pool, item->var);
    if (find_operation(word, size, &op, &type)) {
        expect(r, "(");
        return read_operation(r, op, type, begin);
    }
    if (tirbi_dtype_from_name(word, size, &type)) {
        if (!take(r, "(")) return read_constant(r, type);
        const tirbi_lx *x = read_expr(r, 0);
        expect(r, ")");
        return tirbi_lx_cast(r->pool, type, x);
    }
    back_to(r, begin);
    fail(r, TIRB_SYNTAX, "'%.*s' is nothing that is known", (int)(size < 60 ? size : 60), word);
    return NULL;
}

/* Operations between two expressions; `level`: those that bind less tightly are not taken. */
static const tirbi_lx *read_expr(reader *r, unsigned level) {
    static const struct {
        const char *sign;
        uint8_t op, level;
    } table[] = {{"==", TIRB_OP_EQ, 1}, {"!=", TIRB_OP_NE, 1},      {"<=", TIRB_OP_LE, 1},       {">=", TIRB_OP_GE, 1},
                 {"<", TIRB_OP_LT, 1},  {">", TIRB_OP_GT, 1},       {"+", TIRB_OP_ADD, 2},       {"-", TIRB_OP_SUB, 2},
                 {"*", TIRB_OP_MUL, 3}, {"%", TIRB_OP_FLOORMOD, 3}, {"//", TIRB_OP_FLOORDIV, 3}, {"/", TIRB_OP_DIV, 3}};
    if (++r->depth > MAX_DEPTH) fail(r, TIRB_SYNTAX, "expressions are nested too deeply");
    const tirbi_lx *x = r->status == TIRB_OK ? read_primary(r) : NULL;
    for (size_t i = 0; x && r->status == TIRB_OK && i < sizeof(table) / sizeof(*table); i++) {
        const mark sign = mark_here(r);
        if (table[i].level < level || !take(r, table[i].sign)) continue;
        if (r->at < r->end && *r->at == '=') { /* `+=` and its like are of statements */
            back_to(r, sign);
            break;
        }
        const tirbi_lx *y = read_expr(r, table[i].level + 1u);
        if (!y) break;
        if (x->type != y->type) {
            back_to(r, sign);
            fail(r, TIRB_TYPE, "%s between values of %s and %s", table[i].sign, tirbi_dtypes[x->type].name,
                 tirbi_dtypes[y->type].name);
            break;
        }
        x = tirbi_lx_op(r->pool, (tirbi_op)table[i].op, (tirbi_dtype)x->type, TIRB_TYPE_NONE, x, y, NULL);
        i = SIZE_MAX; /* from the beginning of the table */
    }
    r->depth--;
    if (!x && r->status == TIRB_OK) fail_memory(r);
    return x;
}

static const tirbi_lx *read_typed(reader *r, tirbi_dtype type) {
    const mark begin = mark_here(r);
    const tirbi_lx *x = read_expr(r, 0);
    if (r->status != TIRB_OK || x->type == type) return x;
    back_to(r, begin);
    fail(r, TIRB_TYPE, "a value of %s, not of %s", tirbi_dtypes[x->type].name, tirbi_dtypes[type].name);
    return x;
}

/* ---- Buffers --------------------------------------------------------------------------------------------------- */

/* Behind the word that begins its line. */
/* One that is there from the start; its elements no text has. */
static void add_constant(reader *r, tirbi_lbuf *b) {
    static const uint8_t unknown[] = {0};
    tirbi_lfunc *f = r->function;
    const uint32_t n = f->n_constants;
    f->constants = tirbi_arena_extend(r->arena, f->constants, n, n + 1, sizeof(*f->constants));
    if (!f->constants) {
        f->n_constants = 0;
        fail_memory(r);
        return;
    }
    f->constants[f->n_constants++] = b;
    b->constant = unknown;
}

static tirbi_lbuf *read_buffer(reader *r) {
    tirbi_lbuf *b = declare_buffer(r, read_word(r));
    uint32_t n;
    expect(r, "[");
    b->shape = read_list(r, &b->ndim, MAX_ITEMS);
    expect(r, "]");
    expect(r, ":");
    b->type = read_type(r);
    if (r->status != TIRB_OK) return b;
    const tirbi_lx **strides = TIRBI_NEW_ARRAY(r->arena, const tirbi_lx *, b->ndim + 1);
    if (!strides) return fail_memory(r), b;
    const tirbi_lx *stride = tirbi_lx_int(r->pool, TIRB_I64, 1);
    for (uint32_t i = b->ndim; i-- > 0; stride = tirbi_lx_mul(r->pool, stride, b->shape[i])) strides[i] = stride;
    b->strides = strides;
    if (take(r, "strides")) {
        expect(r, "[");
        b->strides = read_list(r, &n, MAX_ITEMS);
        expect(r, "]");
        if (r->status == TIRB_OK && n != b->ndim) fail(r, TIRB_TYPE, "%u strides of %u dimensions", n, b->ndim);
    }
    if (take(r, "offset")) b->offset = read_typed(r, TIRB_I64);
    if (take(r, "length")) b->length = read_typed(r, TIRB_I64);
    if (take(r, "holds")) {
        tirbi_lvar *any = TIRBI_NEW(r->arena, tirbi_lvar);
        if (!any) return fail_memory(r), b;
        *any = (tirbi_lvar){.name = "held", .kind = TIRBI_LVAR_LET, .type = b->type};
        any->lo = read_number(r);
        expect(r, "..");
        any->hi = read_number(r);
        b->holds = tirbi_lx_var(r->pool, any);
    }
    if (take(r, "of")) b->root = read_buffer_name(r)->root;
    if (take(r, "part")) {
        b->source = read_buffer_name(r);
        expect(r, "[");
        b->source_mins = read_list(r, &n, MAX_ITEMS);
        expect(r, "]");
    }
    b->read = take(r, "read");
    b->written = take(r, "written");
    b->fetched = take(r, "fetched");
    b->broadcasts = take(r, "broadcasts");
    b->overlaps = take(r, "overlaps");
    b->covers = take(r, "covers");
    if (take(r, "filled")) add_constant(r, b);
    return b;
}

static void add_param(reader *r, tirbi_lvar *var, tirbi_lbuf *buffer) {
    const uint32_t n = r->ast->n_params;
    if (r->status != TIRB_OK) return;
    if (n == r->param_capacity) {
        const uint32_t more = n ? 2 * n : 16;
        r->function->param_vars = tirbi_arena_extend(r->arena, r->function->param_vars, n, more, sizeof(tirbi_lvar *));
        r->function->param_buffers =
            tirbi_arena_extend(r->arena, r->function->param_buffers, n, more, sizeof(tirbi_lbuf *));
        if (!r->function->param_vars || !r->function->param_buffers) {
            fail_memory(r);
            return;
        }
        r->param_capacity = more;
    }
    r->function->param_vars[n] = var;
    r->function->param_buffers[n] = buffer;
    if (buffer) buffer->param = (int32_t)n;
    r->ast->n_params++;
}

static void read_parameter(reader *r) {
    const size_t size = word_size(r);
    if (size > 0 && r->at + size < r->end && r->at[size] == '[') {
        add_param(r, NULL, read_buffer(r));
        return;
    }
    const char *name = read_word(r);
    expect(r, ":");
    tirbi_lvar *var = declare_var(r, name, TIRBI_LVAR_PARAM, read_type(r));
    read_range(r, var);
    add_param(r, var, NULL);
}

static void read_may_alias(reader *r) {
    const tirbi_lbuf *a = read_buffer_name(r);
    expect(r, ",");
    const tirbi_lbuf *b = read_buffer_name(r);
    if (r->status != TIRB_OK) return;
    if (a->param < 0 || b->param <= a->param) {
        fail(r, TIRB_TYPE, "may_alias names two parameters in their order");
        return;
    }
    tirb_param_pair *pairs =
        tirbi_arena_extend(r->arena, r->aliases, r->ast->n_may_alias, r->ast->n_may_alias + 1, sizeof(*pairs));
    if (!pairs) {
        fail_memory(r);
        return;
    }
    pairs[r->ast->n_may_alias++] = (tirb_param_pair){(uint32_t)a->param, (uint32_t)b->param};
    r->ast->may_alias = r->aliases = pairs;
}

/* A parameter of which more is known. */
static void read_narrow(reader *r) {
    const char *name = read_word(r);
    expect(r, ":");
    tirbi_lvar *var = declare_var(r, name, TIRBI_LVAR_PARAM, read_type(r));
    read_range(r, var);
    expect(r, "of");
    const size_t size = word_size(r);
    const named *item = find(r, r->at, size);
    if (!item || !item->var) fail(r, TIRB_TYPE, "the parameter is wanted that %s is", name);
    if (r->status != TIRB_OK) return;
    r->at += size;
    var->as = item->var;
}

/* Memory that is there from the start; its elements are not in the text. */
static void read_constant_buffer(reader *r) {
    static const uint8_t elements[1];
    tirbi_lfunc *f = r->function;
    tirbi_lbuf *b = read_buffer(r), **all;
    if (r->status != TIRB_OK) return;
    all = tirbi_arena_extend(r->arena, f->constants, f->n_constants, f->n_constants + 1, sizeof(*all));
    if (!all) {
        fail_memory(r);
        return;
    }
    b->constant = elements;
    all[f->n_constants++] = b;
    f->constants = all;
    f->constant_capacity = f->n_constants;
}

/* A line that declares what no statement begins; false: it is none. */
static bool read_declaration(reader *r) {
    tirbi_lvar_kind kind;
    if (take(r, "parameter")) return read_parameter(r), true;
    if (take(r, "may_alias")) return read_may_alias(r), true;
    if (take(r, "narrow")) return read_narrow(r), true;
    if (take(r, "buffer")) return read_buffer(r), true;
    if (take(r, "constant")) return read_constant_buffer(r), true;
    if (take(r, "variable"))
        kind = TIRBI_LVAR_LET;
    else if (take(r, "number"))
        kind = TIRBI_LVAR_NUMBER;
    else if (take(r, "local_variable"))
        kind = TIRBI_LVAR_LOCAL;
    else if (take(r, "loop_variable"))
        kind = TIRBI_LVAR_LOOP;
    else
        return false;
    const char *name = read_word(r);
    expect(r, ":");
    read_range(r, declare_var(r, name, kind, read_type(r)));
    return true;
}

/* ---- Statements ------------------------------------------------------------------------------------------------ */

static const tirbi_ls *read_block(reader *r);

static tirbi_ls *new_stmt(reader *r, tirbi_ls_kind kind) {
    static tirbi_ls lost;
    tirbi_ls *s = TIRBI_NEW(r->arena, tirbi_ls);
    if (!s) return fail_memory(r), &lost;
    s->kind = (uint8_t)kind;
    return s;
}

static tirbi_lvar *read_loop_var(reader *r) {
    const char *name = read_word(r);
    const tirbi_dtype type = take(r, ":") ? read_type(r) : TIRB_I64;
    tirbi_lvar *var = declare_var(r, name, TIRBI_LVAR_LOOP, type);
    expect(r, "=");
    const tirbi_lx *min = read_typed(r, TIRB_I64);
    expect(r, ",");
    var->min = min;
    var->extent = read_typed(r, TIRB_I64);
    return var;
}

static const tirbi_ls *read_loop(reader *r) {
    tirbi_ls *s = new_stmt(r, TIRBI_LS_LOOP);
    tirbi_lvar *var = s->as.loop.var = read_loop_var(r);
    if (take(r, "by")) s->as.loop.step = read_typed(r, TIRB_I64);
    read_range(r, var);
    if (take(r, "below")) var->below = read_typed(r, TIRB_I64);
    var->apart = take(r, "apart");
    var->forwards = take(r, "forwards");
    s->as.loop.parallel = take(r, "parallel");
    s->as.loop.blocks = take(r, "blocks");
    if (take(r, "rows")) s->as.loop.rows = (uint8_t)read_number(r);
    if (take(r, "level")) var->level = (uint16_t)read_number(r);
    s->as.loop.body = read_block(r);
    return s;
}

static const tirbi_ls *read_if(reader *r) {
    tirbi_ls *s = new_stmt(r, TIRBI_LS_IF);
    s->as.if_.condition = read_typed(r, TIRB_BOOL);
    if (take(r, "first")) {
        tirbi_lvar *vars[MAX_ITEMS];
        uint32_t n = 0;
        expect(r, "(");
        do {
            const size_t size = word_size(r); /* which goes to where the word begins */
            const named *item = find(r, r->at, size);
            if (!item || !item->var || n == MAX_ITEMS)
                fail(r, TIRB_TYPE, "the variable of a loop is wanted");
            else
                vars[n++] = item->var;
            if (r->status == TIRB_OK) r->at += size;
        } while (r->status == TIRB_OK && take(r, ","));
        expect(r, ")");
        tirbi_lvar **copy = TIRBI_NEW_ARRAY(r->arena, tirbi_lvar *, n + 1);
        if (!copy) return fail_memory(r), s;
        memcpy(copy, vars, n * sizeof(*vars));
        s->as.if_.first_of = copy;
        s->as.if_.n_first_of = n;
    }
    s->as.if_.sizes = take(r, "sizes");
    s->as.if_.then_case = read_block(r);
    if (take(r, "else")) s->as.if_.else_case = read_block(r);
    return s;
}

static const tirbi_ls *read_search(reader *r) {
    tirbi_ls *s = new_stmt(r, TIRBI_LS_SEARCH);
    s->as.search.var = read_loop_var(r);
    read_range(r, s->as.search.var);
    expect(r, "where");
    s->as.search.condition = read_typed(r, TIRB_BOOL);
    expect(r, ",");
    s->as.search.found = declare_var(r, read_word(r), TIRBI_LVAR_LET, TIRB_I64);
    s->as.search.found->lo = 0;
    return s;
}

/* `let`, `local` (which begin a variable) or `set`. */
static const tirbi_ls *read_set(reader *r, bool declares, tirbi_lvar_kind kind) {
    tirbi_ls *s = new_stmt(r, TIRBI_LS_SET);
    s->as.set.declares = declares;
    if (declares) {
        const char *name = read_word(r);
        expect(r, ":");
        s->as.set.var = declare_var(r, name, kind, read_type(r));
        read_range(r, s->as.set.var);
    } else {
        const size_t size = word_size(r);
        const named *item = find(r, r->at, size);
        if (!item || !item->var)
            fail(r, TIRB_TYPE, "what is set is no variable");
        else
            s->as.set.var = item->var;
        if (r->status == TIRB_OK) r->at += size;
    }
    expect(r, "=");
    if (r->status == TIRB_OK) s->as.set.value = read_typed(r, s->as.set.var->type);
    return s;
}

static void read_update(reader *r, tirbi_update *update) {
    static const char *const signs[] = {"+=", "*=", "min=", "max="};
    *update = (tirbi_update){.target = read_place(r, false)};
    unsigned op = 0;
    while (op < 4 && !take(r, signs[op])) op++;
    if (op == 4) fail(r, TIRB_SYNTAX, "+=, *=, min= or max= is missing");
    update->op = (tirbi_red_op)op;
    update->value = read_expr(r, 0);
    if (take(r, ",")) {
        expect(r, "times");
        update->factor = read_expr(r, 0);
    }
}

static const tirbi_ls *read_tree(reader *r) {
    tirbi_ls *s = new_stmt(r, TIRBI_LS_TREE);
    tirbi_lvar *loops[MAX_ITEMS];
    tirbi_update updates[MAX_ITEMS];
    const tirbi_lx *lets[MAX_ITEMS];
    uint32_t n = 0, n_updates = 0, n_lets = 0;
    if (r->in_tree) fail(r, TIRB_SYNTAX, "a tree stands in a tree");
    r->in_tree = true;
    do {
        if (n == MAX_ITEMS)
            fail(r, TIRB_SYNTAX, "a tree has too many loops");
        else
            loops[n++] = read_loop_var(r);
        if (r->status == TIRB_OK) read_range(r, loops[n - 1]);
    } while (r->status == TIRB_OK && take(r, ";"));
    expect(r, "{");
    while (r->status == TIRB_OK && !take(r, "}")) {
        if (read_declaration(r)) continue;
        if (take(r, "init"))
            s->as.tree.init = read_block(r);
        else if (n_lets < MAX_ITEMS && take(r, "eval"))
            lets[n_lets++] = read_expr(r, 0);
        else if (n_updates == MAX_ITEMS)
            fail(r, TIRB_SYNTAX, "a tree has too many updates");
        else
            read_update(r, &updates[n_updates++]);
    }
    r->in_tree = false;
    tirbi_lvar **loops_copy = TIRBI_NEW_ARRAY(r->arena, tirbi_lvar *, n + 1);
    tirbi_update *updates_copy = TIRBI_NEW_ARRAY(r->arena, tirbi_update, n_updates + 1);
    const tirbi_lx **lets_copy = TIRBI_NEW_ARRAY(r->arena, const tirbi_lx *, n_lets + 1);
    if (!loops_copy || !updates_copy || !lets_copy) return fail_memory(r), s;
    memcpy(loops_copy, loops, n * sizeof(*loops));
    memcpy(updates_copy, updates, n_updates * sizeof(*updates));
    memcpy(lets_copy, lets, n_lets * sizeof(*lets));
    s->as.tree.loops = loops_copy;
    s->as.tree.n_loops = n;
    s->as.tree.updates = updates_copy;
    s->as.tree.n_updates = n_updates;
    s->as.tree.lets = lets_copy;
    s->as.tree.n_lets = n_lets;
    return s;
}

static const tirbi_ls *read_store(reader *r) {
    tirbi_ls *s = new_stmt(r, TIRBI_LS_STORE);
    s->as.store.access = read_place(r, false);
    expect(r, "=");
    if (r->status == TIRB_OK) s->as.store.value = read_typed(r, s->as.store.access->buffer->type);
    return s;
}

static const tirbi_ls *read_return(reader *r) {
    tirbi_ls *s = new_stmt(r, TIRBI_LS_RETURN);
    if (r->function->returns) s->as.eval.value = read_typed(r, r->function->return_type);
    return s;
}

static const tirbi_ls *read_assert(reader *r) {
    tirbi_ls *s = new_stmt(r, TIRBI_LS_ASSERT);
    s->as.assert_.condition = read_typed(r, TIRB_BOOL);
    expect(r, ",");
    s->as.assert_.error_kind = read_quoted(r);
    expect(r, ",");
    s->as.assert_.message = read_quoted(r);
    return s;
}

static const tirbi_ls *read_stmt(reader *r) {
    tirbi_ls *s;
    if (take(r, "loop")) return read_loop(r);
    if (take(r, "if")) return read_if(r);
    if (take(r, "search")) return read_search(r);
    if (take(r, "let")) return read_set(r, true, TIRBI_LVAR_LET);
    if (take(r, "local")) return read_set(r, true, TIRBI_LVAR_LOCAL);
    if (take(r, "set")) return read_set(r, false, TIRBI_LVAR_LOCAL);
    if (take(r, "tree")) return read_tree(r);
    if (take(r, "return")) return read_return(r);
    if (take(r, "assert")) return read_assert(r);
    if (take(r, "break")) return new_stmt(r, TIRBI_LS_BREAK);
    if (take(r, "continue")) return new_stmt(r, TIRBI_LS_CONTINUE);
    if (take(r, "alloc")) {
        s = new_stmt(r, TIRBI_LS_ALLOC);
        s->as.alloc.buffer = read_buffer(r);
        return s;
    }
    if (take(r, "eval")) {
        s = new_stmt(r, TIRBI_LS_EVAL);
        s->as.eval.value = read_expr(r, 0);
        return s;
    }
    if (take(r, "while")) {
        s = new_stmt(r, TIRBI_LS_WHILE);
        s->as.while_.condition = read_typed(r, TIRB_BOOL);
        s->as.while_.made = take(r, "made");
        s->as.while_.body = read_block(r);
        return s;
    }
    if (take(r, "fetch")) {
        s = new_stmt(r, TIRBI_LS_FETCH);
        s->as.fetch.buffer = read_buffer(r);
        expect(r, "=");
        s->as.fetch.handle = read_typed(r, TIRB_I64);
        return s;
    }
    return read_store(r);
}

/* Statements up to a closing bracket, which is not taken, or the end: one by itself, else a sequence. */
static const tirbi_ls *read_body(reader *r) {
    tirbi_ls *sequence = new_stmt(r, TIRBI_LS_SEQ);
    const tirbi_ls **items = NULL;
    uint32_t n = 0, capacity = 0;
    for (skip_spaces(r); r->status == TIRB_OK && r->at < r->end && *r->at != '}'; skip_spaces(r)) {
        if (read_declaration(r)) continue;
        const tirbi_ls *s = read_stmt(r);
        if (n == capacity) {
            const uint32_t more = capacity ? 2 * capacity : 8;
            items = tirbi_arena_extend(r->arena, items, capacity, more, sizeof(*items));
            if (!items) return fail_memory(r), sequence;
            capacity = more;
        }
        items[n++] = s;
    }
    sequence->as.seq.items = items;
    sequence->as.seq.n = n;
    return n == 1 ? items[0] : sequence;
}

static const tirbi_ls *read_block(reader *r) {
    expect(r, "{");
    if (++r->depth > MAX_DEPTH) fail(r, TIRB_SYNTAX, "statements are nested too deeply");
    const tirbi_ls *body = read_body(r);
    r->depth--;
    expect(r, "}");
    return body;
}

/* The function that was read, and the names of what it calls. */
static tirbi_lmodule *make_module(reader *r) {
    tirbi_lmodule *m = TIRBI_NEW(r->arena, tirbi_lmodule);
    tirbi_lfunc *functions = TIRBI_NEW_ARRAY(r->arena, tirbi_lfunc, r->functions.n);
    tirb_primfunc *asts = TIRBI_NEW_ARRAY(r->arena, tirb_primfunc, r->functions.n);
    tirbi_limport *imports = TIRBI_NEW_ARRAY(r->arena, tirbi_limport, r->imports.n);
    if (!m || !functions || !asts || !imports) return fail_memory(r), NULL;
    functions[0] = *r->function;
    for (uint32_t i = 0; i < r->ast->n_may_alias; i++) {
        functions[0].param_buffers[r->ast->may_alias[i].first]->aliases = &functions[0].aliases;
        functions[0].param_buffers[r->ast->may_alias[i].second]->aliases = &functions[0].aliases;
    }
    for (uint32_t i = 1; i < r->functions.n; i++) {
        asts[i].name = r->functions.names[i];
        functions[i].ast = &asts[i];
    }
    for (uint32_t i = 0; i < r->imports.n; i++) imports[i].name = r->imports.names[i];
    *m = (tirbi_lmodule){.functions = functions,
                         .n_functions = r->functions.n,
                         .imports = imports,
                         .n_imports = r->imports.n,
                         .import_capacity = r->imports.n};
    return m;
}

tirb_status tirbi_read_loops(const char *text, size_t size, tirbi_arena *arena, tirbi_lmodule **out,
                             tirb_error *error) {
    reader r = {.text = text,
                .end = text + size,
                .at = text,
                .line = 1,
                .line_start = text,
                .arena = arena,
                .error = error,
                .status = TIRB_OK};
    *out = NULL;
    r.function = TIRBI_NEW(arena, tirbi_lfunc);
    r.ast = TIRBI_NEW(arena, tirb_primfunc);
    r.pool = TIRBI_NEW(arena, tirbi_lx_pool);
    if (!r.function || !r.ast || !r.pool) return tirbi_error_set(error, TIRB_NO_MEMORY, "no memory");
    r.pool->arena = arena;
    r.function->ast = r.ast;
    r.function->pool = r.pool;
    r.function->aliases = (tirbi_aliases){.function = r.ast, .mode = TIRBI_ALIAS_ANY};
    expect(&r, "function");
    r.ast->name = read_quoted(&r);
    callee_number(&r, &r.functions, r.ast->name);
    r.function->returns = take(&r, ":");
    if (r.function->returns) r.function->return_type = read_type(&r);
    r.function->body = read_body(&r);
    if (r.at < r.end) fail(&r, TIRB_SYNTAX, "a statement is missing");
    tirbi_lmodule *module = r.status == TIRB_OK ? make_module(&r) : NULL;
    if (r.status == TIRB_OK) *out = module;
    return r.status;
}
