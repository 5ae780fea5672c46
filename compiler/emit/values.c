/* Emission of expressions into scalar registers. A pure expression is computed once in the scope that first needs it;
 * what is computed in a scope is known in the scopes inside it. */
#include "compiler/emit/emit.h"

#include "compiler/loop/exact.h"
#include "compiler/optimize/facts/quotient.h"

#include <string.h>

int32_t tirbi_known_reg(const tirbi_emitter *e, const tirbi_lx *x) {
    const uint32_t at = x->id < e->registers->n_known ? e->registers->known[x->id] : 0;
    return at > 0 && at <= e->n_known && e->known[at - 1] == x ? e->known_reg[at - 1] : -1;
}

static void know(tirbi_emitter *e, const tirbi_lx *x, uint16_t reg) {
    if (!x->shared) return;
    uint32_t capacity = e->known_capacity;
    const tirbi_lx **known = tirbi_grow(e->arena, (void *)(uintptr_t)e->known, e->n_known, &capacity, sizeof(*known));
    uint16_t *regs = tirbi_grow(e->arena, e->known_reg, e->n_known, &e->known_capacity, sizeof(*regs));
    if (!known || !regs) return;
    e->known = known;
    e->known_reg = regs;
    known[e->n_known] = x;
    regs[e->n_known] = reg;
    tirbi_set_known(e, x, e->n_known++);
}

void tirbi_forget(tirbi_emitter *e, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < e->n_known; i++) {
        const tirbi_lx *x = e->known[i];
        if (!x || (var ? !tirbi_lx_mentions(x, var) : x->pure)) continue;
        e->known[i] = NULL;
        tirbi_note_forgotten(e, (tirbi_forgotten){TIRBI_FORGOT_KNOWN, i, x});
    }
    for (uint32_t i = 0; i < e->n_checked; i++) {
        const tirbi_lx *index = e->checked[i].index;
        if (!index || (var ? !tirbi_lx_mentions(index, var) : index->pure)) continue;
        e->checked[i].index = NULL;
        tirbi_note_forgotten(e, (tirbi_forgotten){TIRBI_FORGOT_CHECKED, i, index});
    }
    if (var) tirbi_forget_loads_by(e, var);
}

/* The register of a buffer's memory, declared when first used. */
uint16_t tirbi_buffer_ref(tirbi_emitter *e, tirbi_lbuf *root) {
    const int32_t known = tirbi_ref_of(e, root);
    if (known >= 0) return (uint16_t)known;
    const uint16_t ref = tirbi_new_ref(e, root->type, root->written || (root->param < 0 && !root->fetched));
    tirbi_set_ref(e, root, ref);
    return ref;
}

uint16_t tirbi_put_meet(tirbi_emitter *e, uint16_t x, uint16_t y) {
    uint16_t met = tirbi_new_sreg(e);
    TIRBI_PUT(e, TIRB_OP_MEET, TIRB_TYPE_NONE, met, x, y);
    return met;
}

/* ---- Places --------------------------------------------------------------------------------------------------- */

static bool is_checked(const tirbi_emitter *e, const tirbi_lx *index, const tirbi_lx *extent) {
    for (uint32_t i = e->n_checked; i-- > 0;) {
        if (e->checked[i].index == index && e->checked[i].extent == extent) return true;
    }
    return false;
}

/* Registers hold integers extended to 64 bits, so a cast changes nothing that keeps every value: one that widens, or
 * one of what is known to fit. */
static bool keeps_register(const tirbi_lx *x) {
    if (x->kind != TIRBI_LX_OP || x->op != TIRB_OP_CAST) return false;
    const tirbi_dtype_info *from = &tirbi_dtypes[x->source], *to = &tirbi_dtypes[x->type];
    if (from->class == 'F' || to->class == 'F' || x->type == TIRB_BOOL) return false;
    if (tirbi_keeps_value(x)) return true;
    return from->class == 'I' ? to->class == 'I' && to->bits >= from->bits
                              : to->bits > from->bits || (to->bits == from->bits && to->class == 'U');
}

static void remember_check(tirbi_emitter *e, const tirbi_lx *index, const tirbi_lx *extent) {
    if (!extent->pure) return;
    tirbi_checked *checked = tirbi_grow(e->arena, e->checked, e->n_checked, &e->checked_capacity, sizeof(*checked));
    if (!checked) return;
    e->checked = checked;
    checked[e->n_checked++] = (tirbi_checked){.index = index, .extent = extent};
}

/* What stands for an index in the list of those that are checked; NULL: nothing does. */
static const tirbi_lx *remembered_index(const tirbi_emitter *e, const tirbi_lx *index) {
    while (!index->shared && keeps_register(index)) index = index->args[0];
    const tirbi_remembered *known = index->shared ? NULL : tirbi_recall(e, index);
    return index->shared ? index : known ? known->x : NULL;
}

uint16_t tirbi_put_index(tirbi_emitter *e, const tirbi_lx *index, const tirbi_lx *extent, uint32_t dim,
                         const char *name) {
    const uint16_t at = tirbi_put_value(e, index);
    const uint16_t limit = tirbi_put_value(e, extent);
    if (tirbi_index_is_unsigned(index)) dim += TIRBI_INDEX_UNSIGNED;
    index = remembered_index(e, index);
    if ((e->disabled & TIRB_PASS_CHECKS) == 0 && index && is_checked(e, index, extent)) return at;
    TIRBI_PUT(e, TIRB_OP_INDEX, TIRB_TYPE_NONE, at, limit, dim, tirbi_string_number(e->strings, name));
    if (index) remember_check(e, index, extent);
    return at;
}

/* The register of the last index that was computed to be checked, or TIRBI_NO_REG. */
static uint16_t check_indices(tirbi_emitter *e, const tirbi_place *place) {
    uint16_t computed = TIRBI_NO_REG;
    bool all = (e->disabled & TIRB_PASS_CHECKS) != 0;
    if (place->view) check_indices(e, place->view);
    for (uint32_t d = 0; d < place->ndim; d++) {
        const tirbi_lx *extent = place->buffer->shape[d];
        const tirbi_lx *index = place->indices[d];
        if (!all && (tirbi_dim_proven(place, d) || (index->shared && is_checked(e, index, extent)))) continue;
        computed = tirbi_put_index(e, index, extent, d, place->buffer->name);
    }
    return computed;
}

/* Checks a place and gives the number of its element: an index that is the number is computed once, however deep it
 * is. */
static uint16_t put_number(tirbi_emitter *e, const tirbi_place *place) {
    const uint16_t index = check_indices(e, place);
    return index == TIRBI_NO_REG || tirbi_has_own_number(place) ? tirbi_put_operand(e, tirbi_address(e, place)) : index;
}

/* The type that memory is accessed as: views may give the bits of their root another type. */
uint16_t tirbi_put_load(tirbi_emitter *e, const tirbi_place *place) {
    const uint16_t at = put_number(e, place), ref = tirbi_buffer_ref(e, place->buffer->root);
    uint16_t to = tirbi_new_sreg(e);
    TIRBI_PUT(e, TIRB_OP_LOAD, place->buffer->type, to, ref, at);
    return to;
}

static bool is_int_of(uint8_t type, unsigned bits) {
    const tirbi_dtype_info *info = &tirbi_dtypes[type];
    return (info->class == 'I' || info->class == 'U') && info->bits >= bits;
}

/* What has the same lowest bits, of which so many are all that is asked for: a mask that keeps them, and a cast between
 * integers that have them, need not be computed. */
static const tirbi_lx *low_bits(const tirbi_emitter *e, const tirbi_lx *x, unsigned bits) {
    const uint64_t kept = (UINT64_C(2) << (bits - 1)) - 1;
    for (; x->kind == TIRBI_LX_OP && is_int_of(x->type, bits) && !tirbi_is_at_hand(e, x); x = x->args[0]) {
        const bool masks =
            x->op == TIRB_OP_AND && x->args[1]->kind == TIRBI_LX_CONST && ((uint64_t)x->args[1]->value & kept) == kept;
        if (!masks && !(x->op == TIRB_OP_CAST && is_int_of(x->source, bits))) break;
    }
    return x;
}

/* Whether a value is in the register of a variable, which may be assigned. */
static bool is_in_variable(const tirbi_lx *x) {
    while (keeps_register(x)) x = x->args[0];
    return x->kind == TIRBI_LX_VAR;
}

void tirbi_put_store(tirbi_emitter *e, const tirbi_place *place, const tirbi_lx *value, bool reread) {
    tirbi_scope scope = tirbi_scope_open(e);
    const unsigned bits = tirbi_dtypes[place->buffer->type].bits;
    const tirbi_lx *stored = is_int_of((uint8_t)place->buffer->type, bits) ? low_bits(e, value, bits) : value;
    uint16_t v = tirbi_put_value(e, stored);
    const uint16_t at = put_number(e, place), ref = tirbi_buffer_ref(e, place->buffer->root);
    TIRBI_PUT(e, TIRB_OP_STORE, place->buffer->type, ref, at, v);
    tirbi_forget_memory(e, place->buffer->root);
    if (reread && stored == value && value->type == place->buffer->type && !is_in_variable(value))
        tirbi_remember_stored(e, place, v);
    tirbi_block_close(e, scope);
}

/* ---- Constants ------------------------------------------------------------------------------------------------ */

static void emit_constant(tirbi_emitter *e, const tirbi_lx *x, uint16_t to) {
    tirbi_dtype type = (tirbi_dtype)x->type;
    if (type == TIRB_F64) {
        double d;
        memcpy(&d, &x->value, sizeof(d));
        float f = (float)d;
        uint32_t bits;
        memcpy(&bits, &f, sizeof(bits));
        double back = (double)f;
        if (d == d && memcmp(&back, &d, sizeof(d)) == 0) {
            TIRBI_PUT(e, TIRB_OP_CONST, type, to, (int32_t)bits);
            return;
        }
    } else if (tirbi_dtypes[type].size <= 4 || (tirbi_dtype_is_signed(type) && x->value == (int32_t)x->value) ||
               (type == TIRB_U64 && (uint64_t)x->value <= UINT32_MAX)) {
        TIRBI_PUT(e, TIRB_OP_CONST, type, to, (int32_t)(uint32_t)x->value);
        return;
    }
    TIRBI_PUT(e, TIRB_OP_CONST64, TIRB_TYPE_NONE, to, x->value);
}

/* ---- Operations ----------------------------------------------------------------------------------------------- */

/* Whether a cast that changes no register is all that asks for its operand, which one instruction leaves anywhere. */
static bool is_cast_alone(const tirbi_emitter *e, const tirbi_lx *x) {
    if (!keeps_register(x)) return false;
    const tirbi_lx *value = x->args[0];
    const bool is_one = value->kind == TIRBI_LX_LOAD || value->kind == TIRBI_LX_OP;
    return is_one && !value->shared && !tirbi_is_at_hand(e, value);
}

/* The type that an operation is done in: where integers that are extended to 64 bits give the same result, extended
 * too, it is the widest one, whatever they are, so that the machine needs but one form of what it does most. */
static tirbi_dtype type_in_registers(const tirbi_lx *x) {
    const tirbi_dtype type = (tirbi_dtype)x->optype;
    const tirbi_dtype_info *info = &tirbi_dtypes[type];
    if (x->op == TIRB_OP_SELECT) return tirbi_choice_type(type);
    if (info->class != 'I' && info->class != 'U') return type;
    switch (x->op) {
    case TIRB_OP_AND:
    case TIRB_OP_OR:
    case TIRB_OP_XOR:
    case TIRB_OP_EQ:
    case TIRB_OP_NE:
        return TIRB_I64;
    case TIRB_OP_ADD:
    case TIRB_OP_SUB:
    case TIRB_OP_MUL:
    case TIRB_OP_SHL:
        return type == TIRB_U64 ? TIRB_I64 : type;
    case TIRB_OP_SHR: /* the amount is masked */
        return type != TIRB_U64 && x->args[1]->lo >= 0 && x->args[1]->hi < info->bits ? TIRB_I64 : type;
    case TIRB_OP_LT:
    case TIRB_OP_LE:
    case TIRB_OP_GT:
    case TIRB_OP_GE:
    case TIRB_OP_MIN:
    case TIRB_OP_MAX:
        return type != TIRB_U64 ? TIRB_I64 : type;
    default:
        return type;
    }
}

enum { MOST_SHIFT_BITS = 6 }; /* of an amount, which is masked */

static void emit_operation(tirbi_emitter *e, const tirbi_lx *x, uint16_t to) {
    if (is_cast_alone(e, x)) {
        tirbi_put_value_into(e, x->args[0], to);
        return;
    }
    if (x->op == TIRB_OP_BITS) { /* a register holds bits: only how they are extended depends on the type */
        TIRBI_PUT(e, TIRB_OP_MOV, x->type, to, tirbi_put_value(e, x->args[0]));
        return;
    }
    const tirbi_lx *bits = tirbi_division_by_bits(e->pool, x);
    if (bits) x = bits;
    int64_t operands[5] = {to};
    uint32_t n = 1;
    const bool shifts = x->op == TIRB_OP_SHL || x->op == TIRB_OP_SHR;
    if (x->addend_first) operands[3] = tirbi_put_value(e, x->args[2]);
    for (int i = 0; i < x->n_args - x->addend_first; i++)
        operands[n++] = tirbi_put_value(e, i == 1 && shifts ? low_bits(e, x->args[i], MOST_SHIFT_BITS) : x->args[i]);
    n += x->addend_first;
    if (x->op == TIRB_OP_CAST) operands[n++] = x->source;
    tirbi_put_instr(e, (tirbi_op)x->op, type_in_registers(x), operands, n);
}

bool tirbi_is_at_hand(const tirbi_emitter *e, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_CONST || (x->shared && tirbi_known_reg(e, x) >= 0)) return true;
    return x->kind == TIRBI_LX_VAR ? tirbi_reg_of(e, x->var) >= 0 : tirbi_recall(e, x) != NULL;
}

static void put_arm(tirbi_emitter *e, const tirbi_lx *x, uint16_t to) {
    tirbi_scope arm = tirbi_scope_open(e);
    tirbi_put_value_into(e, x, to);
    tirbi_scope_close(e, arm);
}

/* What the first operand computes, which is always evaluated, stays known behind the whole. */
static void emit_lazy(tirbi_emitter *e, const tirbi_lx *x, uint16_t to) {
    tirbi_patch_list other = {0}, end = {0};
    if (x->kind == TIRBI_LX_COND && !tirbi_calls(x->args[0]) && tirbi_is_at_hand(e, x->args[1]) &&
        tirbi_is_at_hand(e, x->args[2])) {
        tirbi_scope scope = tirbi_scope_open(e);
        const uint16_t yes = tirbi_put_value(e, x->args[1]), no = tirbi_put_value(e, x->args[2]);
        tirbi_put_select(e, (tirbi_dtype)x->type, to, x->args[0], yes, no);
        tirbi_scope_close(e, scope);
    } else if (x->kind == TIRBI_LX_COND) {
        tirbi_put_branch_unless(e, x->args[0], &other);
        put_arm(e, x->args[1], to);
        tirbi_put_jump(e, TIRB_OP_JMP, 0, &end);
        tirbi_land(e, &other);
        put_arm(e, x->args[2], to);
    } else {
        tirbi_put_value_into(e, x->args[0], to);
        tirbi_put_jump(e, x->kind == TIRBI_LX_AND ? TIRB_OP_BRNOT : TIRB_OP_BRIF, to, &end);
        put_arm(e, x->args[1], to);
    }
    tirbi_land(e, &end);
}

static uint16_t emit_call_ref(tirbi_emitter *e, const tirbi_lcall_ref *ref, tirbi_lbuf *formal) {
    uint16_t whole = tirbi_buffer_ref(e, ref->buffer);
    bool same_type = ref->buffer->type == formal->type;
    if (!ref->start && same_type) return whole;
    if (tirbi_dtypes[ref->buffer->type].size != tirbi_dtypes[formal->type].size) {
        tirbi_put_too_large(e, e->function->ast->span, "a buffer argument has elements of another size");
        return 0;
    }
    uint16_t part = tirbi_new_ref(e, formal->type, formal->written);
    uint16_t start, count;
    if (ref->start) {
        if (ref->start->ndim) check_indices(e, ref->start);
        start = tirbi_put_value(e, ref->start->flat);
        count = tirbi_put_value(e, ref->count);
    } else {
        start = tirbi_put_value(e, tirbi_lx_number(e->pool, 0));
        count = tirbi_new_sreg(e);
        TIRBI_PUT(e, TIRB_OP_LENGTH, TIRB_TYPE_NONE, count, whole);
    }
    TIRBI_PUT(e, TIRB_OP_SLICE, TIRB_TYPE_NONE, part, whole, start, count);
    return part;
}

static void emit_call_checks(tirbi_emitter *e, const tirbi_lcall *call) {
    for (uint32_t i = 0; i < call->n_checks; i++) {
        const tirbi_lcall_check *check = &call->checks[i];
        const tirbi_lx *equal = tirbi_lx_wide(e->pool, TIRB_OP_EQ, check->actual, check->expected);
        if (!equal || tirbi_lx_is_int(equal, 1)) continue;
        const uint16_t actual = tirbi_put_value(e, check->actual), expected = tirbi_put_value(e, check->expected);
        TIRBI_PUT(e, TIRB_OP_SAME, TIRB_TYPE_NONE, actual, expected, tirbi_string_number(e->strings, check->message));
    }
}

static const tirbi_lx *end_of(tirbi_emitter *e, const tirbi_lcall_ref *ref) {
    return tirbi_lx_add(e->pool, ref->start->flat, ref->count);
}

static const tirbi_lx *either(tirbi_emitter *e, const tirbi_lx *a, const tirbi_lx *b) {
    if (!a || !b) return a ? a : b;
    return tirbi_lx_both(e->pool, TIRB_OP_OR, a, b);
}

/* Whether an argument has no elements; NULL where it surely has some. */
static const tirbi_lx *is_empty(tirbi_emitter *e, const tirbi_lcall_ref *ref) {
    const tirbi_lx *count = ref->start ? ref->count : tirbi_lx_number(e->pool, 1);
    for (uint32_t d = 0; !ref->start && d < ref->buffer->ndim && count; d++) {
        count = tirbi_lx_mul(e->pool, count, ref->buffer->shape[d]);
    }
    if (!count || count->lo > 0) return NULL;
    return tirbi_lx_with(e->pool, TIRB_OP_LE, count, 0);
}

/* Arguments out of one buffer must not overlap where the callee writes one of them. */
static void check_apart(tirbi_emitter *e, const tirbi_lcall_ref *a, const tirbi_lcall_ref *b, const char *message) {
    tirbi_scope scope = tirbi_scope_open(e);
    tirbi_patch_list good = {0};
    const tirbi_lx *apart = either(e, is_empty(e, a), is_empty(e, b));
    if (a->start && b->start) {
        apart = either(e, tirbi_lx_wide(e->pool, TIRB_OP_LE, end_of(e, b), a->start->flat), apart);
        apart = either(e, tirbi_lx_wide(e->pool, TIRB_OP_LE, end_of(e, a), b->start->flat), apart);
    }
    if (message && !(apart && tirbi_lx_is_int(apart, 1))) {
        if (apart) tirbi_put_jump(e, TIRB_OP_BRIF, tirbi_put_value(e, apart), &good);
        TIRBI_PUT(e, TIRB_OP_TRAP, TIRB_TYPE_NONE, TIRB_OVERLAP, tirbi_string_number(e->strings, message));
        tirbi_land(e, &good);
    }
    tirbi_scope_close(e, scope);
}

/* The callee's parameters that are buffers, in the order of the call's references. */
static uint32_t list_formals(const tirbi_lfunc *callee, uint32_t n_refs, tirbi_lbuf *formals[TIRBI_MAX_CALL_ARGS]) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < callee->ast->n_params && n < n_refs; i++) {
        if (callee->param_buffers[i]) formals[n++] = callee->param_buffers[i];
    }
    return n;
}

/* Whether the callee takes it that two of its parameters share no memory. */
static bool must_be_apart(const tirbi_lbuf *x, const tirbi_lbuf *y) {
    bool named = x->aliases && tirbi_may_alias(x->aliases->function, (uint32_t)x->param, (uint32_t)y->param);
    return (x->written || y->written) && !named;
}

/* An argument that is written must not overlap another: the rule of calls from outside, kept inside. This is about
 * parts of one buffer. */
static void check_overlap(tirbi_emitter *e, const tirbi_lcall *call, const tirbi_lfunc *callee) {
    tirbi_lbuf *formals[TIRBI_MAX_CALL_ARGS];
    uint32_t n = list_formals(callee, call->n_refs, formals);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const tirbi_lcall_ref *a = &call->refs[j], *b = &call->refs[i];
            if (a->buffer != b->buffer || !must_be_apart(formals[i], formals[j])) continue;
            bool same = !a->start && !b->start;
            const char *message =
                same ? tirbi_arena_format(e->arena, "'%s' and '%s' of %s are the same buffer and it writes one of them",
                                          formals[j]->name, formals[i]->name, callee->ast->name)
                     : tirbi_arena_format(e->arena, "two arguments of %s overlap and it writes one of them",
                                          callee->ast->name);
            check_apart(e, a, b, message);
        }
    }
}

/* The same for different parameters of the caller that may share memory: only the references tell. */
static void check_aliases(tirbi_emitter *e, const tirbi_lcall *call, const tirbi_lfunc *callee, const uint16_t *refs) {
    tirbi_lbuf *formals[TIRBI_MAX_CALL_ARGS];
    uint32_t n = e->function->ast->n_may_alias ? list_formals(callee, call->n_refs, formals) : 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const tirbi_lbuf *a = call->refs[j].buffer, *b = call->refs[i].buffer;
            if (a == b || !tirbi_may_meet(a, b) || !must_be_apart(formals[i], formals[j])) continue;
            const char *message = tirbi_arena_format(e->arena, "'%s' and '%s' of %s overlap and it writes one of them",
                                                     formals[j]->name, formals[i]->name, callee->ast->name);
            tirbi_patch_list good = {0};
            tirbi_put_jump(e, TIRB_OP_BRNOT, tirbi_put_meet(e, refs[j], refs[i]), &good);
            if (message)
                TIRBI_PUT(e, TIRB_OP_TRAP, TIRB_TYPE_NONE, TIRB_OVERLAP, tirbi_string_number(e->strings, message));
            tirbi_land(e, &good);
        }
    }
}

/* The instruction of a call whose values and references are in their registers. */
static void put_call(tirbi_emitter *e, tirbi_op op, const tirbi_lcall *call, uint16_t to, tirbi_instr *instr) {
    instr->op = (uint8_t)op;
    instr->type = TIRB_TYPE_NONE;
    instr->operand[0] = call->function;
    instr->operand[1] = to;
    instr->operand[2] = call->n_scalars;
    instr->operand[3] = call->n_refs;
    if (!e->failed) tirbi_encode(&e->code, instr);
}

static void emit_call(tirbi_emitter *e, const tirbi_lcall *call, uint16_t to) {
    tirbi_scope scope = tirbi_scope_open(e);
    tirbi_lfunc *callee = &e->module->functions[call->function];
    tirbi_instr *instr = TIRBI_NEW(e->arena, tirbi_instr);
    if (!instr) return;
    if (call->n_scalars > TIRBI_MAX_CALL_ARGS || call->n_refs > TIRBI_MAX_CALL_ARGS) {
        tirbi_put_too_large(e, e->function->ast->span, "a call has more than 255 arguments");
        return;
    }
    emit_call_checks(e, call);
    check_overlap(e, call, callee);
    for (uint32_t i = 0; i < call->n_scalars; i++) instr->scalars[i] = tirbi_put_value(e, call->scalars[i]);
    uint32_t r = 0;
    for (uint32_t i = 0; i < callee->ast->n_params && r < call->n_refs; i++) {
        if (!callee->param_buffers[i]) continue;
        instr->refs[r] = emit_call_ref(e, &call->refs[r], callee->param_buffers[i]);
        r++;
    }
    check_aliases(e, call, callee, instr->refs);
    put_call(e, TIRB_OP_CALL, call, to, instr);
    TIRBI_GIVE_BACK(e->arena, instr);
    tirbi_scope_close(e, scope);
}

/* An import writes what its parameters say; its views may overlap: the host sees what it is given. */
static void emit_import(tirbi_emitter *e, const tirbi_lcall *call, uint16_t to) {
    tirbi_scope scope = tirbi_scope_open(e);
    const tirbi_limport *import = &e->module->imports[call->function];
    tirbi_instr *instr = TIRBI_NEW(e->arena, tirbi_instr);
    if (!instr) return;
    uint32_t s = 0, r = 0;
    for (uint32_t i = 0; i < import->n_params; i++) {
        const tirbi_import_param *param = &import->params[i];
        if (param->access == 0) {
            instr->scalars[s] = tirbi_put_value(e, call->scalars[s]);
            s++;
            continue;
        }
        tirbi_lbuf formal = {.type = (tirbi_dtype)param->dtype, .written = param->access & TIRBI_WRITE};
        instr->refs[r] = emit_call_ref(e, &call->refs[r], &formal);
        r++;
    }
    put_call(e, TIRB_OP_CALLX, call, to, instr);
    TIRBI_GIVE_BACK(e->arena, instr);
    tirbi_scope_close(e, scope);
}

/* A result is made of what the reference has. */
static void emit_result(tirbi_emitter *e, const tirbi_lcall *call) {
    tirbi_scope scope = tirbi_scope_open(e);
    tirbi_instr *instr = TIRBI_NEW(e->arena, tirbi_instr);
    if (!instr) return;
    /* Temporaries of other types may be in the same memory. */
    tirbi_lbuf formal = {.type = e->function->param_buffers[call->function]->type};
    instr->op = TIRB_OP_RESULT;
    instr->type = TIRB_TYPE_NONE;
    for (uint32_t i = 0; i < call->n_scalars; i++) instr->scalars[i] = tirbi_put_value(e, call->scalars[i]);
    instr->operand[0] = call->function;
    instr->operand[1] = emit_call_ref(e, &call->refs[0], &formal);
    instr->operand[2] = call->n_scalars;
    if (!e->failed) tirbi_encode(&e->code, instr);
    TIRBI_GIVE_BACK(e->arena, instr);
    tirbi_scope_close(e, scope);
}

/* ref.put and length: of a whole reference, or of a part of it. */
static void emit_reference_value(tirbi_emitter *e, const tirbi_lcall *call, uint16_t to) {
    tirbi_scope scope = tirbi_scope_open(e);
    tirbi_lbuf *root = call->refs[0].buffer;
    tirbi_lbuf formal = {.type = root->type, .written = root->written};
    uint16_t ref = emit_call_ref(e, &call->refs[0], &formal);
    TIRBI_PUT(e, call->op, TIRB_TYPE_NONE, to, ref);
    tirbi_scope_close(e, scope);
}

/* Verified code has no end without a return: what follows the trap is not known to be unreachable. */
static void emit_trap(tirbi_emitter *e, const tirbi_lcall *call, uint16_t to) {
    tirbi_patch_list behind = {0};
    TIRBI_PUT(e, TIRB_OP_CONST, TIRB_I32, to, 0);
    tirbi_put_jump(e, TIRB_OP_BRIF, to, &behind);
    TIRBI_PUT(e, TIRB_OP_TRAP, TIRB_TYPE_NONE, call->status, tirbi_string_number(e->strings, call->message));
    tirbi_land(e, &behind);
}

/* ---- Everything ----------------------------------------------------------------------------------------------- */

void tirbi_put_value_into(tirbi_emitter *e, const tirbi_lx *x, uint16_t to) {
    if (e->failed || e->arena->failed || !x) return;
    const int32_t computed = x->shared ? tirbi_known_reg(e, x) : -1;
    if (computed >= 0) {
        TIRBI_PUT(e, TIRB_OP_MOV, TIRB_I64, to, computed);
        return;
    }
    const tirbi_remembered *known = tirbi_recall(e, x);
    if (known) {
        TIRBI_PUT(e, TIRB_OP_MOV, TIRB_I64, to, known->reg);
        return;
    }
    switch (x->kind) {
    case TIRBI_LX_CONST:
        emit_constant(e, x, to);
        return;
    case TIRBI_LX_VAR:
        TIRBI_PUT(e, TIRB_OP_MOV, TIRB_I64, to, tirbi_reg_of(e, x->var));
        return;
    case TIRBI_LX_OP:
        emit_operation(e, x, to);
        return;
    case TIRBI_LX_LOAD: {
        const uint16_t at = put_number(e, x->access), ref = tirbi_buffer_ref(e, x->access->buffer->root);
        TIRBI_PUT(e, TIRB_OP_LOAD, x->access->buffer->type, to, ref, at);
        return;
    }
    case TIRBI_LX_COND:
    case TIRBI_LX_AND:
    case TIRBI_LX_OR:
        emit_lazy(e, x, to);
        return;
    default:
        if (x->call->op == TIRB_OP_TRAP)
            emit_trap(e, x->call, to);
        else if (x->call->op == TIRB_OP_RESULT)
            emit_result(e, x->call);
        else if (x->call->op)
            emit_reference_value(e, x->call, to);
        else if (x->call->imported)
            emit_import(e, x->call, to);
        else
            emit_call(e, x->call, to);
        tirbi_forget_memory(e, NULL);
        return;
    }
}

uint16_t tirbi_put_value(tirbi_emitter *e, const tirbi_lx *x) {
    if (e->failed || e->arena->failed || !x) return 0;
    const int32_t computed = x->shared ? tirbi_known_reg(e, x) : -1;
    if (computed >= 0) return (uint16_t)computed;
    if (x->kind == TIRBI_LX_VAR) return (uint16_t)tirbi_reg_of(e, x->var);
    if (keeps_register(x)) return tirbi_put_value(e, x->args[0]);
    const tirbi_remembered *known = tirbi_recall(e, x);
    if (known) return known->reg;
    uint16_t to = tirbi_new_sreg(e);
    tirbi_put_value_into(e, x, to);
    know(e, x, to);
    tirbi_remember(e, x, to);
    return to;
}

uint16_t tirbi_put_operand(tirbi_emitter *e, const tirbi_lx *x) {
    if (x && x->kind == TIRBI_LX_CONST && x->value >= TIRBI_SMALL_MIN && x->value <= TIRBI_SMALL_MAX) {
        return tirbi_x_from_small(x->value);
    }
    return tirbi_put_value(e, x);
}

/* An operand of the instruction that is put next. */
static void note_condition(tirbi_emitter *e, uint32_t operand) {
    enum { OPERANDS = 2 }; /* behind the opcode and the type */
    uint32_t *at = tirbi_grow(e->arena, e->conditions.at, e->conditions.n, &e->conditions.capacity, sizeof(*at));
    if (!at) return;
    e->conditions.at = at;
    at[e->conditions.n++] = tirbi_here(e) + OPERANDS + operand * (uint32_t)sizeof(uint16_t);
}

/* Puts a condition that the next instruction reads as its operand of that number: a comparison that nobody knows yet
 * is not kept. Returns its register, which is not known yet where it is the one of conditions. */
static uint16_t put_condition(tirbi_emitter *e, const tirbi_lx *condition, uint32_t operand) {
    const bool compares = condition->kind == TIRBI_LX_OP && condition->op >= TIRB_OP_EQ && condition->op <= TIRB_OP_GE;
    if (!compares || tirbi_is_at_hand(e, condition)) return tirbi_put_value(e, condition);
    const uint16_t a = tirbi_put_value(e, condition->args[0]), b = tirbi_put_value(e, condition->args[1]);
    note_condition(e, 0);
    TIRBI_PUT(e, (tirbi_op)condition->op, type_in_registers(condition), 0, a, b);
    note_condition(e, operand);
    return 0;
}

/* What is negated is branched on the other way round. */
static void put_branch(tirbi_emitter *e, tirbi_op branch, const tirbi_lx *condition, tirbi_patch_list *list) {
    while (condition->kind == TIRBI_LX_OP && condition->op == TIRB_OP_NOT && condition->type == TIRB_BOOL &&
           !tirbi_is_at_hand(e, condition)) {
        condition = condition->args[0];
        branch = branch == TIRB_OP_BRIF ? TIRB_OP_BRNOT : TIRB_OP_BRIF;
    }
    tirbi_put_jump(e, branch, put_condition(e, condition, 0), list);
}

/* A choice of booleans has no form with the comparison before it, whose register would be read by more than those. */
void tirbi_put_select(tirbi_emitter *e, tirbi_dtype type, uint16_t to, const tirbi_lx *condition, uint16_t yes,
                      uint16_t no) {
    const uint16_t c = type == TIRB_BOOL ? tirbi_put_value(e, condition) : put_condition(e, condition, 1);
    TIRBI_PUT(e, TIRB_OP_SELECT, tirbi_choice_type(type), to, c, yes, no);
}

/* A second operand's branch: what is computed behind the first one's is not known where that lands. */
static void put_second(tirbi_emitter *e, const tirbi_lx *condition, bool branches_if, tirbi_patch_list *list);

/* Where operands of a condition are branched on, no register holds the whole. So are those that might be computed in
 * any order: branches on both take two instructions, and each is one with its comparison. */
static bool is_joined(const tirbi_emitter *e, const tirbi_lx *condition) {
    return (tirbi_is_conjunction(condition) || tirbi_is_disjunction(condition)) && !tirbi_is_at_hand(e, condition);
}

/* `leaves`: the jumps leave the scope that is open. */
static void put_if(tirbi_emitter *e, const tirbi_lx *condition, tirbi_patch_list *list, bool leaves) {
    if (!is_joined(e, condition)) {
        put_branch(e, TIRB_OP_BRIF, condition, list);
    } else if (tirbi_is_disjunction(condition)) {
        put_if(e, condition->args[0], list, leaves);
        if (leaves)
            put_if(e, condition->args[1], list, true);
        else
            put_second(e, condition->args[1], true, list);
    } else {
        tirbi_patch_list fails = {0};
        tirbi_put_branch_unless(e, condition->args[0], &fails);
        put_second(e, condition->args[1], true, list);
        tirbi_land(e, &fails);
    }
}

void tirbi_put_branch_if(tirbi_emitter *e, const tirbi_lx *condition, tirbi_patch_list *list) {
    put_if(e, condition, list, true);
}

void tirbi_put_branch_unless(tirbi_emitter *e, const tirbi_lx *condition, tirbi_patch_list *list) {
    if (!condition) return;
    if (!is_joined(e, condition)) {
        put_branch(e, TIRB_OP_BRNOT, condition, list);
    } else if (tirbi_is_conjunction(condition)) {
        tirbi_put_branch_unless(e, condition->args[0], list);
        put_second(e, condition->args[1], false, list);
    } else {
        tirbi_patch_list holds = {0};
        put_if(e, condition->args[0], &holds, false);
        put_second(e, condition->args[1], false, list);
        tirbi_land(e, &holds);
    }
}

static void put_second(tirbi_emitter *e, const tirbi_lx *condition, bool branches_if, tirbi_patch_list *list) {
    tirbi_scope scope = tirbi_scope_open(e);
    if (branches_if)
        put_if(e, condition, list, false);
    else
        tirbi_put_branch_unless(e, condition, list);
    tirbi_scope_close(e, scope);
}

void tirbi_put_exit_unless(tirbi_emitter *e, const tirbi_lx *condition, tirbi_patch_list *list) {
    if (condition && condition->kind == TIRBI_LX_AND) {
        tirbi_put_exit_unless(e, condition->args[0], list);
        tirbi_put_exit_unless(e, condition->args[1], list);
        return;
    }
    tirbi_put_branch_unless(e, condition, list);
}
