/* What the names of an operator's text mean in one use of it, and packs: which of them a list has, how long they are,
 * how far the indices run. */
#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/relax/expand/expanding.h"
#include "compiler/tc/lexer.h"

tirbi_relax_tensor *tirbi_relax_tensor_of(const tirbi_relax_expansion *x, const char *name) {
    tirbi_relax_tensor *const *items = x->tensors.items;
    for (uint32_t i = 0; i < x->tensors.n; i++)
        if (strcmp(items[i]->name, name) == 0) return items[i];
    return NULL;
}

const tirbi_relax_pack *tirbi_relax_pack_of(const tirbi_relax_expansion *x, const char *name) {
    const tirbi_relax_pack *items = x->packs.items;
    for (uint32_t i = 0; i < x->packs.n; i++)
        if (strcmp(items[i].name, name) == 0) return &items[i];
    return NULL;
}

const tirbi_relax_given *tirbi_relax_given_of(const tirbi_relax_expansion *x, const char *name) {
    for (uint32_t i = 0; i < x->use->n_given; i++)
        if (strcmp(x->use->given[i].name, name) == 0) return &x->use->given[i];
    return NULL;
}

/* `mode_clip`: whether the given text `mode` is "clip". */
static bool text_test(const tirbi_relax_expansion *x, const char *name, int64_t *out) {
    for (uint32_t i = 0; i < x->use->n_given; i++) {
        const tirbi_relax_given *g = &x->use->given[i];
        const size_t size = strlen(g->name);
        if (g->kind != TIRBI_RELAX_GIVEN_TEXT || strncmp(name, g->name, size) != 0 || name[size] != '_') continue;
        *out = strcmp(name + size + 1, g->as.text) == 0;
        return true;
    }
    return false;
}

const tirbi_tc_expr *tirbi_relax_let_of(const tirbi_relax_expansion *x, const char *name) {
    for (uint32_t i = 0; x->stmt && i < x->stmt->n_clauses; i++) {
        const tirbi_tc_clause *c = &x->stmt->clauses[i];
        if (c->kind == TIRBI_TC_IS && strcmp(c->name, name) == 0) return c->low;
    }
    return NULL;
}

bool tirbi_relax_type_of(const tirbi_relax_expansion *x, const char *name, tirb_datatype *out) {
    const tirbi_relax_given *given = tirbi_relax_given_of(x, name);
    if (given && given->kind == TIRBI_RELAX_GIVEN_TYPE) {
        *out = given->as.type;
        return true;
    }
    const tirbi_tc_def *def = x->use->def;
    for (uint32_t i = 0; i < def->n_params + def->n_returns; i++) {
        const bool is_result = i >= def->n_params;
        const tirbi_tc_param *p = is_result ? &def->returns[i - def->n_params] : &def->params[i];
        const tirbi_relax_operand *o = is_result ? &x->use->outputs[i - def->n_params] : &x->use->inputs[i];
        if (o->is_absent || !p->type_name || strcmp(p->type_name, name) != 0) continue;
        *out = o->dtype;
        return true;
    }
    return false;
}

/* ---- What is fixed ---------------------------------------------------------------------------------------------- */

static bool fixed_name(tirbi_relax_expansion *x, const char *name, int32_t element, int64_t *out) {
    const tirbi_relax_given *given = tirbi_relax_given_of(x, name);
    if (given && given->kind == TIRBI_RELAX_GIVEN_INTEGER) {
        *out = given->as.integer;
        return true;
    }
    const tirbi_relax_pack *pack = tirbi_relax_pack_of(x, name);
    if (pack) {
        const uint32_t at = pack->is_pack ? (uint32_t)element : 0;
        if ((pack->is_pack && element < 0) || at >= pack->n || pack->items[at]->kind != TIRB_EXPR_INT_IMM) return false;
        *out = pack->items[at]->as.int_value;
        return true;
    }
    return text_test(x, name, out);
}

static bool fixed_test(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int64_t *out) {
    tirb_datatype type;
    if (e->n_args != 1 || e->args[0]->kind != TIRBI_TC_NAME) return false;
    if (strcmp(e->name, "given") == 0) {
        const tirbi_relax_tensor *t = tirbi_relax_tensor_of(x, e->args[0]->name);
        *out = t && !t->is_absent;
        return t != NULL;
    }
    if (strcmp(e->name, "rank") == 0) {
        const tirbi_relax_tensor *t = tirbi_relax_tensor_of(x, e->args[0]->name);
        *out = t ? t->ndim : 0;
        return t != NULL;
    }
    if (!tirbi_relax_type_of(x, e->args[0]->name, &type)) return false;
    if (strcmp(e->name, "is_float") == 0)
        *out = tirbi_type_is_float(type);
    else if (strcmp(e->name, "is_bool") == 0)
        *out = tirbi_type_is_bool(type);
    else if (strcmp(e->name, "is_unsigned") == 0)
        *out = type.code == TIRB_CODE_UINT;
    else if (strcmp(e->name, "bits") == 0)
        *out = type.bits;
    else
        return false;
    return true;
}

static bool fixed_binary(tirbi_tc_expr_kind kind, int64_t a, int64_t b, int64_t *out) {
    switch (kind) {
    case TIRBI_TC_ADD:
        return !__builtin_add_overflow(a, b, out);
    case TIRBI_TC_SUB:
        return !__builtin_sub_overflow(a, b, out);
    case TIRBI_TC_MUL:
        return !__builtin_mul_overflow(a, b, out);
    case TIRBI_TC_EQ:
        *out = a == b;
        return true;
    case TIRBI_TC_NE:
        *out = a != b;
        return true;
    case TIRBI_TC_LT:
        *out = a < b;
        return true;
    case TIRBI_TC_LE:
        *out = a <= b;
        return true;
    case TIRBI_TC_GT:
        *out = a > b;
        return true;
    case TIRBI_TC_GE:
        *out = a >= b;
        return true;
    default:
        return false;
    }
}

bool tirbi_relax_fixed(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element, int64_t *out) {
    int64_t a, b;
    switch (e->kind) {
    case TIRBI_TC_INT:
    case TIRBI_TC_BOOL:
        *out = e->int_value;
        return true;
    case TIRBI_TC_NAME:
        return fixed_name(x, e->name, element, out);
    case TIRBI_TC_DIM:
        return fixed_name(x, e->name, (int32_t)e->int_value, out);
    case TIRBI_TC_READ:
        return fixed_test(x, e, out);
    case TIRBI_TC_NOT:
        if (!tirbi_relax_fixed(x, e->args[0], element, &a)) return false;
        *out = !a;
        return true;
    case TIRBI_TC_AND:
    case TIRBI_TC_OR: {
        const bool stops = e->kind == TIRBI_TC_OR;
        const bool left = tirbi_relax_fixed(x, e->args[0], element, &a);
        if (left && (a != 0) == stops) {
            *out = stops;
            return true;
        }
        const bool right = tirbi_relax_fixed(x, e->args[1], element, &b);
        if (right && (b != 0) == stops) {
            *out = stops;
            return true;
        }
        *out = !stops;
        return left && right;
    }
    default:
        return e->n_args == 2 && e->kind != TIRBI_TC_DIV && tirbi_relax_fixed(x, e->args[0], element, &a) &&
               tirbi_relax_fixed(x, e->args[1], element, &b) && fixed_binary(e->kind, a, b, out);
    }
}

/* ---- Packs ------------------------------------------------------------------------------------------------------ */

static tirbi_relax_length *length_of(const tirbi_relax_expansion *x, const char *name) {
    tirbi_relax_length *items = x->lengths.items;
    for (uint32_t i = 0; i < x->lengths.n; i++)
        if (strcmp(items[i].name, name) == 0) return &items[i];
    return NULL;
}

static bool is_index_name(const tirbi_relax_expansion *x, const char *name) {
    int64_t unused;
    return !tirbi_relax_tensor_of(x, name) && !tirbi_relax_pack_of(x, name) && !tirbi_relax_given_of(x, name) &&
           !tirbi_relax_let_of(x, name) && !text_test(x, name, &unused);
}

/* How often a pattern stands: as its packs are long. False: that is not known, and *unknown is an index that may say
 * it. */
static bool pattern_length(tirbi_relax_expansion *x, const tirbi_tc_expr *e, uint32_t *n, const char **unknown) {
    if (e->kind == TIRBI_TC_NAME) {
        const tirbi_tc_expr *let = tirbi_relax_let_of(x, e->name);
        if (let) return pattern_length(x, let, n, unknown);
        const tirbi_relax_pack *pack = tirbi_relax_pack_of(x, e->name);
        const tirbi_relax_length *length = length_of(x, e->name);
        if (pack && pack->is_pack) *n = pack->n;
        if (length) *n = length->n;
        if ((pack && pack->is_pack) || length) return true;
        if (is_index_name(x, e->name)) *unknown = e->name;
        return false;
    }
    bool known = false;
    if (e->kind == TIRBI_TC_PACK) return false; /* it is spread by itself */
    for (uint32_t i = 0; i < e->n_args; i++) known = pattern_length(x, e->args[i], n, unknown) || known;
    return known;
}

static bool add_slot(tirbi_relax_expansion *x, tirbi_list *out, tirbi_relax_slot slot) {
    tirbi_relax_slot *added = TIRBI_LIST_ADD(x->arena, out, tirbi_relax_slot);
    if (added) *added = slot;
    return added != NULL;
}

static bool choose_slots(tirbi_relax_expansion *x, const tirbi_relax_pack *list, const tirbi_tc_expr *e,
                         int32_t element, tirbi_list *out) {
    tirbi_list all = {.n = 0};
    if (!tirbi_relax_spread(x, e->args, e->n_args, element, &all)) return false;
    const tirbi_relax_slot *slots = all.items;
    for (uint32_t i = 0; i < list->n; i++) {
        const int64_t at = list->items[i]->as.int_value;
        if (list->items[i]->kind != TIRB_EXPR_INT_IMM || at >= (int64_t)all.n)
            return tirbi_relax_refuse(x, "`%s` chooses operand %lld of %u", list->name, (long long)at, (unsigned)all.n);
        const tirbi_relax_slot zero = {e, TIRBI_RELAX_ZERO_ELEMENT, false};
        if (!add_slot(x, out, at < 0 ? zero : slots[at])) return false;
    }
    return true;
}

bool tirbi_relax_spread(tirbi_relax_expansion *x, const tirbi_tc_expr *const *args, uint32_t n, int32_t element,
                        tirbi_list *out) {
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_tc_expr *e = args[i];
        const tirbi_relax_pack *list = e->kind == TIRBI_TC_READ ? tirbi_relax_pack_of(x, e->name) : NULL;
        if (list && list->is_pack) {
            if (!choose_slots(x, list, e, element, out)) return false;
        } else if (e->kind == TIRBI_TC_PACK) {
            const tirbi_tc_expr *pattern = e->args[0];
            uint32_t length = 0;
            const char *unknown = NULL;
            if (!pattern_length(x, pattern, &length, &unknown))
                return tirbi_relax_refuse(x, "nothing says how long the pack `%s` is", unknown ? unknown : "...");
            const bool bare = pattern->kind == TIRBI_TC_NAME && is_index_name(x, pattern->name);
            for (uint32_t k = 0; k < length; k++)
                if (!add_slot(x, out, (tirbi_relax_slot){pattern, (int32_t)k, bare})) return false;
        } else if (!add_slot(x, out, (tirbi_relax_slot){e, element, false})) {
            return false;
        }
    }
    return true;
}

tirbi_relax_index *tirbi_relax_index_of(tirbi_relax_expansion *x, const tirbi_relax_slot *slot) {
    const tirbi_tc_expr *e = slot->e;
    if (slot->element == TIRBI_RELAX_ZERO_ELEMENT || e->kind != TIRBI_TC_NAME || !is_index_name(x, e->name))
        return NULL;
    const int32_t element = length_of(x, e->name) ? slot->element : TIRBI_RELAX_NO_ELEMENT;
    tirbi_relax_index *items = x->indices.items;
    for (uint32_t i = 0; i < x->indices.n; i++)
        if (items[i].element == element && strcmp(items[i].name, e->name) == 0) return &items[i];
    tirbi_relax_index *index = TIRBI_LIST_ADD(x->arena, &x->indices, tirbi_relax_index);
    if (index) *index = (tirbi_relax_index){.name = e->name, .element = element};
    return index;
}

bool tirbi_relax_subscripts(tirbi_relax_expansion *x, const tirbi_relax_tensor *t, const tirbi_tc_expr *const *args,
                            uint32_t n, int32_t element, tirbi_list *out) {
    tirbi_list all = {.n = 0};
    if (!tirbi_relax_spread(x, args, n, element, &all)) return false;
    const tirbi_relax_slot *slots = all.items;
    uint32_t left_out = all.n > t->ndim ? all.n - t->ndim : 0, first = 0;
    while (left_out > 0 && first < all.n && !slots[first].is_spread) first++;
    for (uint32_t i = 0; i < all.n; i++) {
        if (left_out > 0 && i >= first && slots[i].is_spread) {
            left_out--;
            continue;
        }
        tirbi_relax_slot slot = slots[i];
        const uint32_t dim = out->n;
        const tirbi_relax_index *index = slot.is_spread ? tirbi_relax_index_of(x, &slot) : NULL;
        if (index && index->extent && dim < t->ndim && t->has_shape && tirbi_is_const_int(t->shape[dim], 1) &&
            !tirbi_is_const_int(index->extent, 1))
            slot.element = TIRBI_RELAX_ZERO_ELEMENT;
        if (!add_slot(x, out, slot)) return false;
    }
    if (out->n == t->ndim) return true;
    return tirbi_relax_refuse(x, "`%s` has %u dimensions and %u subscripts", t->name, (unsigned)t->ndim,
                              (unsigned)out->n);
}

/* ---- Lengths of packs ------------------------------------------------------------------------------------------- */

static bool set_length(tirbi_relax_expansion *x, const char *name, uint32_t n) {
    if (length_of(x, name)) return true;
    tirbi_relax_length *length = TIRBI_LIST_ADD(x->arena, &x->lengths, tirbi_relax_length);
    if (length) *length = (tirbi_relax_length){name, n};
    return length != NULL;
}

/* Every index of a pattern is a pack as long as the pattern, but for those that stand in it by themselves elsewhere. */
static bool set_lengths(tirbi_relax_expansion *x, const tirbi_tc_expr *e, uint32_t n) {
    if (e->kind == TIRBI_TC_NAME) {
        const tirbi_tc_expr *let = tirbi_relax_let_of(x, e->name);
        if (let) return set_lengths(x, let, n);
        return !is_index_name(x, e->name) || set_length(x, e->name, n);
    }
    if (e->kind == TIRBI_TC_PACK) return true; /* as long as it is by itself */
    for (uint32_t i = 0; i < e->n_args; i++)
        if (!set_lengths(x, e->args[i], n)) return false;
    return true;
}

/* The one pack of `total` operands whose length is open is as long as there is room for. */
static bool lengths_of_total(tirbi_relax_expansion *x, const tirbi_tc_expr *const *args, uint32_t n, uint32_t total) {
    uint32_t used = 0;
    const tirbi_tc_expr *open = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_relax_pack *list = args[i]->kind == TIRBI_TC_READ ? tirbi_relax_pack_of(x, args[i]->name) : NULL;
        uint32_t length = 1;
        const char *unknown = NULL;
        if (list && list->is_pack) {
            length = list->n;
        } else if (args[i]->kind == TIRBI_TC_PACK && !pattern_length(x, args[i]->args[0], &length, &unknown)) {
            if (open) return true;
            open = args[i]->args[0];
            length = 0;
        }
        used += length;
    }
    return !open || used > total || set_lengths(x, open, total - used);
}

/* A list that uses all of its operands, each once, says how many there are. */
static bool is_permutation(const tirbi_relax_pack *list) {
    for (uint32_t wanted = 0; wanted < list->n; wanted++) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < list->n; i++)
            found += list->items[i]->kind == TIRB_EXPR_INT_IMM && list->items[i]->as.int_value == (int64_t)wanted;
        if (found != 1) return false;
    }
    return true;
}

/* Subscripts that are written as the tensor's own dimensions are have packs as long as its are. */
static bool lengths_of_list(tirbi_relax_expansion *x, const tirbi_relax_tensor *t, const tirbi_tc_expr *const *args,
                            uint32_t n) {
    bool alike = n == t->n_parts;
    for (uint32_t i = 0; alike && i < n; i++) alike = (args[i]->kind == TIRBI_TC_PACK) == (t->parts[i] >= 0);
    for (uint32_t i = 0; alike && i < n; i++)
        if (t->parts[i] >= 0 && !set_lengths(x, args[i]->args[0], (uint32_t)t->parts[i])) return false;
    return alike || lengths_of_total(x, args, n, t->ndim);
}

/* `late`: what no tensor has said, lists may. */
static bool find_lengths(tirbi_relax_expansion *x, const tirbi_tc_expr *e, bool late) {
    int64_t chosen;
    uint32_t n = 0;
    const char *unknown = NULL;
    if (!tirbi_arena_work(x->arena, 1)) return false;
    if (e->kind == TIRBI_TC_CHOICE && tirbi_relax_fixed(x, e->args[0], TIRBI_RELAX_NO_ELEMENT, &chosen))
        return find_lengths(x, e->args[chosen ? 1 : 2], late);
    if (e->kind == TIRBI_TC_NAME) {
        const tirbi_tc_expr *let = tirbi_relax_let_of(x, e->name);
        return !let || find_lengths(x, let, late);
    }
    const tirbi_relax_tensor *t = e->kind == TIRBI_TC_READ ? tirbi_relax_tensor_of(x, e->name) : NULL;
    const tirbi_relax_pack *list = e->kind == TIRBI_TC_READ ? tirbi_relax_pack_of(x, e->name) : NULL;
    if (t && !t->is_absent && t->has_shape && !lengths_of_list(x, t, e->args, e->n_args)) return false;
    if (late && list && list->is_pack && is_permutation(list) && !lengths_of_total(x, e->args, e->n_args, list->n))
        return false;
    if (e->kind == TIRBI_TC_PACK && pattern_length(x, e->args[0], &n, &unknown) && !set_lengths(x, e->args[0], n))
        return false;
    for (uint32_t i = 0; i < e->n_args; i++)
        if (!find_lengths(x, e->args[i], late)) return false;
    return true;
}

/* ---- Extents of indices ----------------------------------------------------------------------------------------- */

/* Indices that stand by themselves run over the dimensions where they first do. */
static bool find_extents_at(tirbi_relax_expansion *x, const tirbi_relax_tensor *t, const tirbi_list *subscripts,
                            bool is_left) {
    const tirbi_relax_slot *slots = subscripts->items;
    for (uint32_t i = 0; i < subscripts->n; i++) {
        tirbi_relax_index *index = tirbi_relax_index_of(x, &slots[i]);
        if (!index) continue;
        index->is_left = index->is_left || is_left;
        if (!t->has_shape) continue;
        const bool one = !is_left && slots[i].is_spread && tirbi_is_const_int(t->shape[i], 1);
        if (index->extent && (!index->is_broadcast || one)) continue;
        index->extent = t->shape[i];
        index->is_broadcast = one;
    }
    return true;
}

/* Left to right, so that indices are found in the order of the text. */
static bool find_extents(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element) {
    int64_t chosen;
    if (!tirbi_arena_work(x->arena, 1)) return false;
    if (e->kind == TIRBI_TC_CHOICE && tirbi_relax_fixed(x, e->args[0], element, &chosen))
        return find_extents(x, e->args[chosen ? 1 : 2], element);
    if (e->kind == TIRBI_TC_PACK) {
        tirbi_list slots = {.n = 0};
        if (!tirbi_relax_spread(x, &e, 1, element, &slots)) return false;
        for (uint32_t i = 0; i < slots.n; i++)
            if (!find_extents(x, e->args[0], ((const tirbi_relax_slot *)slots.items)[i].element)) return false;
        return true;
    }
    if (e->kind == TIRBI_TC_NAME) {
        const tirbi_tc_expr *let = tirbi_relax_let_of(x, e->name);
        if (let) return find_extents(x, let, element);
        if (is_index_name(x, e->name)) tirbi_relax_index_of(x, &(tirbi_relax_slot){e, element, false});
        return true;
    }
    const tirbi_relax_tensor *t = e->kind == TIRBI_TC_READ ? tirbi_relax_tensor_of(x, e->name) : NULL;
    if (t && !t->is_absent && !t->scalar) {
        tirbi_list slots = {.n = 0};
        if (!tirbi_relax_subscripts(x, t, e->args, e->n_args, element, &slots) || !find_extents_at(x, t, &slots, false))
            return false;
    } else if (e->kind == TIRBI_TC_READ && (tirbi_relax_pack_of(x, e->name) || !t)) {
        int64_t unused;
        tirb_datatype type;
        if (tirbi_relax_fixed(x, e, element, &unused)) return true;
        if (e->n_args == 1 && e->args[0]->kind == TIRBI_TC_NAME && tirbi_relax_type_of(x, e->args[0]->name, &type))
            return true;
    }
    for (uint32_t i = 0; i < e->n_args; i++)
        if (!find_extents(x, e->args[i], element)) return false;
    return true;
}

static bool find_given_ranges(tirbi_relax_expansion *x) {
    for (uint32_t i = 0; i < x->stmt->n_clauses; i++) {
        const tirbi_tc_clause *c = &x->stmt->clauses[i];
        if (c->kind != TIRBI_TC_IN) continue;
        const tirbi_tc_expr name = {.kind = TIRBI_TC_NAME, .name = c->name};
        const tirbi_relax_length *length = length_of(x, c->name);
        for (uint32_t k = 0; k < (length ? length->n : 1); k++) {
            const int32_t element = length ? (int32_t)k : TIRBI_RELAX_NO_ELEMENT;
            tirbi_relax_index *index = tirbi_relax_index_of(x, &(tirbi_relax_slot){&name, element, false});
            if (!index) return tirbi_relax_refuse(x, "`%s` is no index", c->name);
            index->extent = tirbi_relax_as(x, tirbi_relax_evaluate(x, c->high, element), tirbi_type_i64);
            if (!index->extent) return false;
        }
    }
    return true;
}

static bool set_given_lengths(tirbi_relax_expansion *x) {
    for (uint32_t i = 0; i < x->stmt->n_clauses; i++) {
        const tirbi_tc_clause *c = &x->stmt->clauses[i];
        uint32_t n = 0;
        const char *unknown = NULL;
        if (c->kind == TIRBI_TC_IN && pattern_length(x, c->high, &n, &unknown) && !set_length(x, c->name, n))
            return false;
    }
    return true;
}

bool tirbi_relax_find_indices(tirbi_relax_expansion *x) {
    const tirbi_tc_stmt *stmt = x->stmt;
    const tirbi_relax_tensor *target = tirbi_relax_tensor_of(x, stmt->name);
    x->indices = x->lengths = (tirbi_list){.n = 0};
    if (!set_given_lengths(x)) return false;
    for (int pass = 0; pass < 2; pass++) {
        if (target && target->has_shape && !lengths_of_list(x, target, stmt->subscripts, stmt->n_subscripts))
            return false;
        for (uint32_t i = 0; i < stmt->n_subscripts; i++)
            if (!find_lengths(x, stmt->subscripts[i], pass > 0)) return false;
        if (!find_lengths(x, stmt->value, pass > 0)) return false;
    }
    tirbi_list slots = {.n = 0};
    if (!tirbi_relax_spread(x, stmt->subscripts, stmt->n_subscripts, TIRBI_RELAX_NO_ELEMENT, &slots)) return false;
    const tirbi_relax_tensor open = {.name = stmt->name, .ndim = slots.n};
    if (target && target->has_shape && target->ndim != slots.n)
        return tirbi_relax_refuse(x, "`%s` has %u dimensions and %u subscripts", target->name, (unsigned)target->ndim,
                                  (unsigned)slots.n);
    if (!find_extents_at(x, target && target->has_shape ? target : &open, &slots, true)) return false;
    for (uint32_t i = 0; i < stmt->n_subscripts; i++)
        if (!find_extents(x, stmt->subscripts[i], TIRBI_RELAX_NO_ELEMENT)) return false;
    if (!find_extents(x, stmt->value, TIRBI_RELAX_NO_ELEMENT) || !find_given_ranges(x)) return false;
    const tirbi_relax_index *indices = x->indices.items;
    for (uint32_t i = 0; i < x->indices.n; i++)
        if (!indices[i].extent) return tirbi_relax_refuse(x, "nothing says how far `%s` runs", indices[i].name);
    return true;
}
