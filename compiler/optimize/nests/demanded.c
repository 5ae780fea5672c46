/* What is stored to a buffer of bytes or words is computed in as many bits as it takes.
 *
 * Two things let a value have fewer bits. Of a sum, a difference, a product, bitwise operations and left shifts the low
 * bits depend on the low bits of operands alone: where no more are asked for, operands may be narrower modulo their
 * range. And where a value is known to lie in the narrower type's range, it is exactly the same there, and so are
 * comparisons, minima, quotients and right shifts of such values. Loads of narrow elements, constants and what stands
 * still in a loop are where this ends; a float, a counter or a wide element ends it without result. */
#include "compiler/optimize/nests/demanded.h"

#include <limits.h>

#include "compiler/loop/exact.h"
#include "compiler/loop/visit.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

/* Trees are gone through once for each type that is tried. */
enum { TYPES = 6, MAX_SIZE = 2048, MAX_DEPTH = 256, MAX_NAMES = 32, MAX_TWINS = 64, STEPS_PER_NODE = 64 };

/* A narrower variable beside one that the loop names a value by: its low bits. */
typedef struct twin {
    const tirbi_lvar *of;
    tirbi_lvar *var;
    const tirbi_lx *value;
    unsigned bits;
    bool used;
} twin;

/* The loop whose iterations are lanes. */
typedef struct lane_body {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    const tirbi_ls *names[MAX_NAMES]; /* what sets wide integers, once each, in program order */
    bool dropped[MAX_NAMES];          /* nothing uses it any more */
    uint32_t n_names;
    twin twins[MAX_TWINS]; /* what one is made of comes before it */
    uint32_t n_twins;
    tirbi_dtype types[TYPES]; /* in the order in which they are tried */
    bool changed;
    int64_t steps;                            /* that may still be made */
    uint32_t depth;                           /* of what is being looked at, through names as well */
    uint8_t failed[MAX_NAMES][TIRB_N_DTYPES]; /* a name has not so many low bits in a type, or more; 0: not known */
} lane_body;

typedef struct narrowing {
    lane_body *body;
    tirbi_lx_pool *pool;
    tirbi_dtype type; /* what is computed in */
} narrowing;

static unsigned bits_of(unsigned type) { return tirbi_dtypes[type].bits; }
static bool is_int(unsigned type) { return tirbi_dtype_is_int((tirbi_dtype)type); }

/* The type of as many bits that has a sign where this one has none, and none where it has one. */
static tirbi_dtype other_sign(tirbi_dtype type) {
    static const tirbi_dtype others[][2] = {{TIRB_I8, TIRB_U8}, {TIRB_I16, TIRB_U16}, {TIRB_I32, TIRB_U32}};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        for (unsigned k = 0; k < 2; k++)
            if (others[i][k] == type) return others[i][1 - k];
    return type;
}

/* ---- Ranges ----------------------------------------------------------------------------------------------------- */

typedef struct range {
    int64_t lo, hi;
} range;

/* Whether x is so many parts of `all`, and y the others of the same, and how many parts there are. */
static bool are_parts(const tirbi_lx *x, const tirbi_lx *y, int64_t *all) {
    if (y->kind != TIRBI_LX_OP || y->op != TIRB_OP_SUB || y->args[0]->kind != TIRBI_LX_CONST) return false;
    *all = y->args[0]->value;
    return x->lo >= 0 && x->hi <= *all && *all <= INT16_MAX && tirbi_same_value(y->args[1], x);
}

/* x w + y (c - w) is no more than c times the greater one of x and y, as where one image is laid over another. */
static bool is_mixture(const tirbi_lx *sum, range *out) {
    const tirbi_lx *a = sum->args[0], *b = sum->args[1];
    if (a->kind != TIRBI_LX_OP || a->op != TIRB_OP_MUL || b->kind != TIRBI_LX_OP || b->op != TIRB_OP_MUL) return false;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned k = i & 1, m = i >> 1;
        const tirbi_lx *x = a->args[1 - k], *y = b->args[1 - m];
        int64_t all;
        if (x->lo < 0 || y->lo < 0 || x->hi > INT16_MAX || y->hi > INT16_MAX ||
            !(are_parts(a->args[k], b->args[m], &all) || are_parts(b->args[m], a->args[k], &all)))
            continue;
        *out = (range){0, all * (x->hi > y->hi ? x->hi : y->hi)};
        return true;
    }
    return false;
}

/* Goes into something; false: there has been work enough, or it is too deep. */
static bool enter(const narrowing *n) {
    if (n->body->depth == MAX_DEPTH || n->body->steps <= 0) return false;
    n->body->steps--;
    n->body->depth++;
    return true;
}

static range range_of(const narrowing *n, const tirbi_lx *x);

static range range_inside(const narrowing *n, const tirbi_lx *x) {
    range all = {x->lo, x->hi}, own, other;
    if (x->kind == TIRBI_LX_VAR) {
        for (uint32_t i = 0; i < n->body->n_names; i++)
            if (n->body->names[i]->as.set.var == x->var) return range_of(n, n->body->names[i]->as.set.value);
    }
    if (x->kind != TIRBI_LX_OP || x->type != x->optype || bits_of(x->type) < 32) return all;
    if (x->op == TIRB_OP_SHR && x->args[1]->kind == TIRBI_LX_CONST && x->args[1]->value >= 0 &&
        x->args[1]->value < bits_of(x->type)) {
        own = range_of(n, x->args[0]);
        return (range){own.lo >> x->args[1]->value, own.hi >> x->args[1]->value};
    }
    if (x->op != TIRB_OP_ADD || is_mixture(x, &all)) return all;
    own = range_of(n, x->args[0]);
    other = range_of(n, x->args[1]);
    const bool is_small = own.lo >= 0 && other.lo >= 0 && own.hi <= INT32_MAX / 2 && other.hi <= INT32_MAX / 2;
    return is_small ? (range){own.lo + other.lo, own.hi + other.hi} : all;
}

/* The values that one may have: what the node says, or less where it is made of mixtures. */
static range range_of(const narrowing *n, const tirbi_lx *x) {
    range all = {x->lo, x->hi};
    if (!enter(n)) return all;
    all = range_inside(n, x);
    n->body->depth--;
    return all;
}

static bool fits(const narrowing *n, const tirbi_lx *x) {
    int64_t lo, hi;
    tirbi_type_range(n->type, &lo, &hi);
    if (!is_int(x->type) || x->type == TIRB_U64) return false;
    if (x->lo >= lo && x->hi <= hi) return true;
    const range own = range_of(n, x);
    return own.lo >= lo && own.hi <= hi;
}

/* ---- Values ----------------------------------------------------------------------------------------------------- */

static const tirbi_lx *low(const narrowing *n, const tirbi_lx *x, unsigned bits);
static const tirbi_lx *narrow_condition(const narrowing *n, const tirbi_lx *x);

/* The same value, where the type holds it. */
static const tirbi_lx *exact(const narrowing *n, const tirbi_lx *x) {
    return fits(n, x) ? low(n, x, bits_of(n->type)) : NULL;
}

static const tirbi_lx *of_two(const narrowing *n, unsigned op, const tirbi_lx *a, const tirbi_lx *b) {
    return a && b ? tirbi_lx_binary(n->pool, (tirbi_op)op, n->type, a, b) : NULL;
}

/* Bits that lie higher come to be asked for; or they are copies of the sign of a value that is the same. */
static const tirbi_lx *shifted_right(const narrowing *n, const tirbi_lx *x, unsigned bits) {
    const int64_t by = x->args[1]->value;
    if (x->args[1]->kind != TIRBI_LX_CONST || by < 0 || by >= bits_of(n->type)) return NULL;
    const bool in_reach = bits + (unsigned)by <= bits_of(n->type);
    const tirbi_lx *value = in_reach ? low(n, x->args[0], bits + (unsigned)by) : exact(n, x->args[0]);
    return of_two(n, x->op, value, tirbi_lx_int(n->pool, n->type, by));
}

static const tirbi_lx *shifted_left(const narrowing *n, const tirbi_lx *x, unsigned bits) {
    const int64_t by = x->args[1]->value;
    if (x->args[1]->kind != TIRBI_LX_CONST || by < 0 || by >= bits_of(n->type)) return NULL;
    return of_two(n, x->op, low(n, x->args[0], bits), tirbi_lx_int(n->pool, n->type, by));
}

static const tirbi_lx *divided(const narrowing *n, const tirbi_lx *x) {
    if (x->args[1]->kind != TIRBI_LX_CONST || x->args[1]->value <= 0) return NULL;
    return of_two(n, x->op, exact(n, x->args[0]), exact(n, x->args[1]));
}

static bool is_negative_of(const tirbi_lx *x, const tirbi_lx *a) {
    if (x->kind != TIRBI_LX_OP) return false;
    if (x->op == TIRB_OP_NEG) return tirbi_same_value(x->args[0], a);
    return x->op == TIRB_OP_SUB && tirbi_lx_is_int(x->args[0], 0) && tirbi_same_value(x->args[1], a);
}

/* What a choice between two values is that compares them, or one with 0 that is taken with the other sign else: MIN,
 * MAX or ABS of what is compared, or NOP. */
static tirbi_op meaning_of(const tirbi_lx *x) {
    const tirbi_lx *when = x->args[0];
    if (!tirbi_is_comparison(when) || when->op < TIRB_OP_LT || when->optype != x->type) return TIRB_OP_NOP;
    const bool less = when->op == TIRB_OP_LT || when->op == TIRB_OP_LE;
    const tirbi_lx *a = when->args[0], *b = when->args[1];
    const tirbi_lx *smaller = x->args[less ? 1 : 2], *greater = x->args[less ? 2 : 1]; /* if a is the smaller one */
    if (tirbi_same_value(smaller, a) && tirbi_same_value(greater, b)) return TIRB_OP_MIN;
    if (tirbi_same_value(smaller, b) && tirbi_same_value(greater, a)) return TIRB_OP_MAX;
    return tirbi_lx_is_int(b, 0) && tirbi_same_value(greater, a) && is_negative_of(smaller, a) ? TIRB_OP_ABS
                                                                                               : TIRB_OP_NOP;
}

/* The least integer stays, which has the low bits of its magnitude. */
static const tirbi_lx *magnitude(const narrowing *n, const tirbi_lx *of) {
    const tirbi_lx *a = exact(n, of);
    return a ? tirbi_lx_op(n->pool, TIRB_OP_ABS, n->type, TIRB_TYPE_NONE, a, NULL, NULL) : NULL;
}

/* Truths have as many bits as what is compared; banks have none of 16. */
static const tirbi_lx *chosen(const narrowing *n, const tirbi_lx *x, unsigned bits) {
    const tirbi_op meaning = meaning_of(x);
    const tirbi_lx *a = x->args[0]->args[0], *b = x->args[0]->args[1];
    if (meaning == TIRB_OP_ABS) return magnitude(n, a);
    if (meaning != TIRB_OP_NOP) return of_two(n, meaning, exact(n, a), exact(n, b));
    const tirbi_lx *when = bits_of(n->type) != 16 ? narrow_condition(n, x->args[0]) : NULL,
                   *then = when ? low(n, x->args[1], bits) : NULL, *otherwise = then ? low(n, x->args[2], bits) : NULL;
    if (!otherwise) return NULL;
    if (x->kind == TIRBI_LX_COND) return tirbi_lx_lazy(n->pool, TIRBI_LX_COND, when, then, otherwise);
    return tirbi_lx_op(n->pool, TIRB_OP_SELECT, n->type, TIRB_TYPE_NONE, when, then, otherwise);
}

/* What is cast from a narrow type is all there; of a wide value so much is asked for as the cast keeps, or less. */
static const tirbi_lx *cast(const narrowing *n, const tirbi_lx *x, unsigned bits) {
    if (x->source == TIRB_BOOL && bits_of(n->type) != 16)
        return tirbi_lx_cast(n->pool, n->type, narrow_condition(n, x->args[0]));
    if (!is_int(x->source)) return NULL;
    if (bits_of(x->source) <= bits_of(n->type)) return tirbi_lx_cast(n->pool, n->type, x->args[0]);
    return low(n, x->args[0], bits);
}

/* Few instruction sets multiply or shift bytes. */
static bool is_for_words(uint8_t op) {
    return op == TIRB_OP_MUL || op == TIRB_OP_SHL || op == TIRB_OP_SHR || (op >= TIRB_OP_DIV && op <= TIRB_OP_FLOORMOD);
}

static const tirbi_lx *operation(const narrowing *n, const tirbi_lx *x, unsigned bits) {
    if (bits_of(n->type) < 16 && is_for_words(x->op)) return NULL;
    switch (x->op) {
    case TIRB_OP_ADD:
    case TIRB_OP_SUB:
    case TIRB_OP_MUL:
    case TIRB_OP_AND:
    case TIRB_OP_OR:
    case TIRB_OP_XOR:
        return of_two(n, x->op, low(n, x->args[0], bits), low(n, x->args[1], bits));
    case TIRB_OP_NEG:
    case TIRB_OP_NOT: {
        const tirbi_lx *a = low(n, x->args[0], bits);
        return a ? tirbi_lx_op(n->pool, (tirbi_op)x->op, n->type, TIRB_TYPE_NONE, a, NULL, NULL) : NULL;
    }
    case TIRB_OP_ABS:
        return magnitude(n, x->args[0]);
    case TIRB_OP_MIN:
    case TIRB_OP_MAX:
        return of_two(n, x->op, exact(n, x->args[0]), exact(n, x->args[1]));
    case TIRB_OP_DIV:
    case TIRB_OP_MOD:
    case TIRB_OP_FLOORDIV:
    case TIRB_OP_FLOORMOD:
        return divided(n, x);
    case TIRB_OP_SHL:
        return shifted_left(n, x, bits);
    case TIRB_OP_SHR:
        return shifted_right(n, x, bits);
    case TIRB_OP_SELECT:
        return chosen(n, x, bits);
    case TIRB_OP_CAST:
        return cast(n, x, bits);
    default:
        return NULL;
    }
}

/* Parameters, and what is set outside of the loop, are one value for all lanes. */
static bool stands_still(const narrowing *n, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_VAR && x->var->kind != TIRBI_LVAR_LOOP && !tirbi_sets(n->body->loop, x->var);
}

static const tirbi_lx *make_twin(const narrowing *n, uint32_t number, unsigned bits) {
    const unsigned all = bits_of(n->type);
    lane_body *b = n->body;
    const tirbi_ls *name = b->names[number];
    uint8_t *failed = &b->failed[number][n->type];
    if (*failed != 0 && *failed <= bits) return NULL;
    const tirbi_lx *value = *failed == 0 ? low(n, name->as.set.value, all) : NULL;
    const bool is_whole = value != NULL;
    if (!value && bits < all) value = low(n, name->as.set.value, bits);
    if (!is_whole) *failed = (uint8_t)(value ? all : bits);
    if (!value || b->n_twins == MAX_TWINS) return NULL;
    tirbi_lvar *var = tirbi_variable_for(n->pool, TIRBI_LVAR_LET, name->as.set.var->name, value, name->span);
    if (!var) return NULL;
    b->twins[b->n_twins++] = (twin){name->as.set.var, var, value, is_whole ? all : bits, false};
    return tirbi_lx_var(n->pool, var);
}

/* A name's low bits: by its twin, which is made where it has none. */
static const tirbi_lx *low_of_name(const narrowing *n, const tirbi_lvar *var, unsigned bits) {
    const lane_body *b = n->body;
    for (uint32_t i = 0; i < b->n_twins; i++)
        if (b->twins[i].of == var && b->twins[i].var->type == n->type && b->twins[i].bits >= bits)
            return tirbi_lx_var(n->pool, b->twins[i].var);
    for (uint32_t i = 0; i < b->n_names; i++)
        if (b->names[i]->as.set.var == var) return make_twin(n, i, bits);
    return NULL;
}

static const tirbi_lx *low_inside(const narrowing *n, const tirbi_lx *x, unsigned bits) {
    if (x->kind == TIRBI_LX_CONST) return tirbi_lx_int(n->pool, n->type, x->value);
    if (bits_of(x->type) <= bits_of(n->type) || stands_still(n, x)) return tirbi_lx_cast(n->pool, n->type, x);
    if (x->kind == TIRBI_LX_VAR) return low_of_name(n, x->var, bits);
    if (x->kind == TIRBI_LX_COND) return chosen(n, x, bits);
    return x->kind == TIRBI_LX_OP ? operation(n, x, bits) : NULL;
}

/* A value of the type whose `bits` low bits are those of x; NULL: there is none, or memory ran out. */
static const tirbi_lx *low(const narrowing *n, const tirbi_lx *x, unsigned bits) {
    if (!is_int(x->type) || !enter(n)) return NULL;
    const tirbi_lx *value = low_inside(n, x, bits);
    n->body->depth--;
    return value;
}

/* ---- Conditions ------------------------------------------------------------------------------------------------- */

/* A comparison of values that the type, or the one of the same bits with or without a sign, holds. */
static const tirbi_lx *narrow_comparison(const narrowing *n, const tirbi_lx *x) {
    const tirbi_dtype types[] = {n->type, other_sign(n->type)};
    if (bits_of(n->type) == 16) return NULL;
    if (bits_of(x->optype) <= bits_of(n->type)) return x;
    for (unsigned i = 0; i < 2; i++) {
        const narrowing with = {.body = n->body, .pool = n->pool, .type = types[i]};
        const tirbi_lx *a = exact(&with, x->args[0]), *b = a ? exact(&with, x->args[1]) : NULL;
        if (b) return tirbi_lx_binary(n->pool, (tirbi_op)x->op, types[i], a, b);
    }
    return NULL;
}

static const tirbi_lx *narrow_condition(const narrowing *n, const tirbi_lx *x) {
    if (x->type != TIRB_BOOL) return NULL;
    if (tirbi_is_comparison(x)) return narrow_comparison(n, x);
    if (x->kind == TIRBI_LX_CONST || x->kind == TIRBI_LX_VAR || x->kind == TIRBI_LX_LOAD) return x;
    const bool lazy = x->kind == TIRBI_LX_AND || x->kind == TIRBI_LX_OR;
    if (!lazy && (x->kind != TIRBI_LX_OP || (x->op != TIRB_OP_AND && x->op != TIRB_OP_OR && x->op != TIRB_OP_NOT)))
        return NULL;
    const tirbi_lx *a = narrow_condition(n, x->args[0]), *b = a && x->n_args > 1 ? narrow_condition(n, x->args[1]) : a;
    if (!a || !b) return NULL;
    if (lazy) return tirbi_lx_lazy(n->pool, (tirbi_lx_kind)x->kind, a, b, NULL);
    return tirbi_lx_op(n->pool, (tirbi_op)x->op, TIRB_BOOL, TIRB_TYPE_NONE, a, x->n_args > 1 ? b : NULL, NULL);
}

/* ---- Loops ------------------------------------------------------------------------------------------------------ */

/* What is tried first of the two types of as many bits is that of most elements, which need no cast then; SSE2 has
 * limits of bytes without a sign, and of words with one. */
static const tirbi_dtype by_bits[TYPES] = {TIRB_U8, TIRB_I8, TIRB_I16, TIRB_U16, TIRB_U32, TIRB_I32};

static tirbi_step note_element(tirbi_walk *w, const tirbi_lx *x) {
    uint32_t *elements = w->context;
    if (x->kind == TIRBI_LX_LOAD) elements[x->type]++;
    return TIRBI_INTO;
}

static bool note_store(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    uint32_t *elements = w->context;
    if (!load) elements[place->buffer->type]++;
    return true;
}

static void put_types_in_order(lane_body *b) {
    uint32_t elements[TIRB_N_DTYPES] = {0};
    tirbi_walk walk = {.context = elements, .expr = note_element, .access = note_store};
    tirbi_walk_stmt(&walk, b->loop);
    for (unsigned i = 0; i < TYPES; i += 2) {
        const bool other = elements[by_bits[i + 1]] > elements[by_bits[i]];
        b->types[i] = by_bits[other ? i + 1 : i];
        b->types[i + 1] = by_bits[other ? i : i + 1];
    }
}

/* Whether something is computed, which is not only a change of types. */
static bool computes(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_COND || (x->kind == TIRBI_LX_OP && x->op != TIRB_OP_CAST);
}

static bool loads_narrow(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_LOAD && (x->type == TIRB_BOOL || (is_int(x->type) && bits_of(x->type) < 32));
}

/* Whether a wide integer becomes a narrow one, or is compared. */
static bool may_be_narrow(const void *context, const tirbi_lx *x) {
    (void)context;
    if (x->size > MAX_SIZE) return false;
    if (tirbi_is_comparison(x)) return is_int(x->optype) && bits_of(x->optype) >= 32;
    return x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && is_int(x->type) && is_int(x->source) &&
           bits_of(x->source) > bits_of(x->type) && tirbi_any_expr(x->args[0], 0, computes, NULL);
}

static const tirbi_lx *replace(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    lane_body *b = rewrite->context;
    if (!may_be_narrow(NULL, x)) return NULL;
    const bool compares = tirbi_is_comparison(x);
    const unsigned least = compares ? 8 : bits_of(x->type), wide = bits_of(compares ? x->optype : x->source);
    for (unsigned i = 0; i < TYPES && bits_of(b->types[i]) < wide; i++) {
        const narrowing n = {.body = b, .pool = b->pool, .type = b->types[i]};
        if (bits_of(n.type) < least) continue;
        const tirbi_lx *value = compares ? narrow_comparison(&n, x) : low(&n, x->args[0], bits_of(x->type));
        if (!value) continue;
        b->changed = true;
        return tirbi_lx_cast(b->pool, (tirbi_dtype)x->type, value);
    }
    return NULL;
}

/* Indices stay as they are. */
static const tirbi_place *same_place(tirbi_rewrite *rewrite, const tirbi_place *place) {
    (void)rewrite;
    return place;
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

/* What is set once, and is a wide integer; false: there are too many of them. */
static bool note_name(const void *context, const tirbi_ls *s) {
    lane_body *b = (lane_body *)(uintptr_t)context;
    if (s->kind != TIRBI_LS_SET || !s->as.set.declares || !s->as.set.value || s->as.set.var->kind != TIRBI_LVAR_LET ||
        !is_int(s->as.set.var->type) || bits_of(s->as.set.var->type) < 32 || s->as.set.value->size > MAX_SIZE)
        return false;
    if (b->n_names == MAX_NAMES) return true;
    b->names[b->n_names++] = s;
    return false;
}

static bool is_dropped(const lane_body *b, const tirbi_ls *s) {
    for (uint32_t i = 0; s->kind == TIRBI_LS_SET && i < b->n_names; i++)
        if (b->names[i]->as.set.var == s->as.set.var) return b->dropped[i];
    return false;
}

typedef struct use {
    const lane_body *body;
    const tirbi_lvar *var;
} use;

static tirbi_step past_dropped(tirbi_walk *w, const tirbi_ls *s) {
    const use *of = w->context;
    return is_dropped(of->body, s) ? TIRBI_PAST : TIRBI_INTO;
}

static tirbi_step stop_at_use(tirbi_walk *w, const tirbi_lx *x) {
    const use *of = w->context;
    return x->kind == TIRBI_LX_VAR && x->var == of->var ? TIRBI_STOP : TIRBI_INTO;
}

/* Whether what stays of a loop uses a variable. */
static bool is_used(const lane_body *b, const tirbi_ls *loop, const tirbi_lvar *var) {
    use of = {b, var};
    tirbi_walk walk = {.context = &of, .stmt = past_dropped, .expr = stop_at_use, .reach = TIRBI_WALK_ALL};
    return !tirbi_walk_stmt(&walk, loop);
}

/* Whether a twin that is used, of those from number `first` on, is made of a variable. */
static bool makes_twins(const lane_body *b, uint32_t first, const tirbi_lvar *var) {
    for (uint32_t i = first; i < b->n_twins; i++)
        if (b->twins[i].used && tirbi_lx_depends_on(b->twins[i].value, var)) return true;
    return false;
}

/* Which twins are used, by the loop and by other twins; and which names are not, that have a twin in their place. */
static void settle_names(lane_body *b, const tirbi_ls *loop) {
    for (uint32_t i = b->n_twins; i-- > 0;)
        b->twins[i].used = is_used(b, loop, b->twins[i].var) || makes_twins(b, i + 1, b->twins[i].var);
    for (uint32_t i = b->n_names; i-- > 0;) {
        const tirbi_lvar *var = b->names[i]->as.set.var;
        for (uint32_t k = 0; k < b->n_twins && !b->dropped[i]; k++)
            b->dropped[i] =
                b->twins[k].used && b->twins[k].of == var && !makes_twins(b, 0, var) && !is_used(b, loop, var);
    }
}

/* Twins begin where what they are of does. */
static const tirbi_ls *put_twins(void *context, const tirbi_ls *s) {
    const lane_body *b = context;
    const tirbi_ls *items[MAX_TWINS + 1];
    uint32_t n = 0;
    if (s->kind != TIRBI_LS_SET) return tirbi_replace_inside(b->pool, s, put_twins, context);
    if (!is_dropped(b, s)) items[n++] = s;
    for (uint32_t i = 0; i < b->n_twins; i++)
        if (b->twins[i].used && b->twins[i].of == s->as.set.var)
            items[n++] = tirbi_new_set(b->pool, s->span, b->twins[i].var, b->twins[i].value, true);
    return n == 1 && items[0] == s ? s : tirbi_new_sequence(b->pool, s->span, items, n);
}

/* ---- Whether it is worth it -------------------------------------------------------------------------------------- */

/* A block has as many lanes as a register has of the widest type. */
typedef struct width {
    unsigned bits;
} width;

static tirbi_step note_width(tirbi_walk *w, const tirbi_lx *x) {
    width *most = w->context;
    const unsigned type = tirbi_is_comparison(x) ? x->optype : x->type;
    if (x->kind != TIRBI_LX_CONST && x->kind != TIRBI_LX_VAR && bits_of(type) > most->bits) most->bits = bits_of(type);
    return TIRBI_INTO;
}

static unsigned width_of(const tirbi_ls *s) {
    width most = {0};
    tirbi_walk walk = {.context = &most, .expr = note_width};
    return tirbi_walk_stmt(&walk, s) ? most.bits : UINT_MAX;
}

static const tirbi_ls *narrow_loop(lane_body *b) {
    tirbi_rewrite rewrite = {
        .pool = b->pool, .replace = replace, .place = same_place, .context = b, .kinds = TIRBI_NESTS};
    if (tirbi_any_stmt(b->loop, note_name, b)) return NULL;
    put_types_in_order(b);
    const tirbi_ls *narrow = tirbi_rewrite_stmt(&rewrite, b->loop);
    if (!narrow || !b->changed) return NULL;
    settle_names(b, narrow);
    narrow = put_twins(b, narrow);
    return narrow && width_of(narrow) < width_of(b->loop) ? narrow : NULL;
}

static const tirbi_ls *narrow_loops(void *context, const tirbi_ls *s) {
    tirbi_lx_pool *pool = context;
    if (s->kind != TIRBI_LS_LOOP) return tirbi_replace_inside(pool, s, narrow_loops, pool);
    if (!tirbi_arena_may_try(pool->arena) || !tirbi_any_value(s, 0, loads_narrow, NULL) ||
        !tirbi_any_value(s, 0, may_be_narrow, NULL))
        return s;
    if (!tirbi_runs_as_lanes(pool, s)) return tirbi_replace_inside(pool, s, narrow_loops, pool);
    lane_body *b = TIRBI_NEW(pool->arena, lane_body);
    if (!b) return s;
    b->pool = pool;
    b->loop = s;
    b->steps = STEPS_PER_NODE * tirbi_count_nodes(s);
    const tirbi_ls *narrow = narrow_loop(b);
    TIRBI_GIVE_BACK(pool->arena, b);
    return narrow ? narrow : s;
}

const tirbi_ls *tirbi_narrow_arithmetic(tirbi_lx_pool *pool, const tirbi_ls *body) {
    return body ? narrow_loops(pool, body) : NULL;
}
