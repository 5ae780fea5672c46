/* Narrowing works on a plan's values, of which most have one operation that gives them. Pixels are bytes that a program
 * widens to 32 bits before it adds them up; what comes out is narrowed again. The range of every value follows from
 * those of its operands, so an operation that cannot leave 16 bits gives the same value there. All of them have a sign,
 * or none has. */
#include "compiler/optimize/lanes/narrow_lanes.h"

#include <string.h>

typedef struct fact {
    int64_t lo, hi;     /* of integers */
    uint32_t givers;    /* operations that give the value */
    uint32_t uses;
    uint32_t giver;     /* the last of them */
    bool narrow;        /* can be 16 bits wide */
} fact;

typedef struct narrower {
    tirbi_lane_plan *plan;
    fact *facts;
    uint8_t type; /* that wide values become: i16 or u16 */
} narrower;

static bool is_int(uint8_t type) { return tirbi_dtype_is_int((tirbi_dtype)type); }
static bool is_wide(uint8_t type) { return type == TIRB_I32 || type == TIRB_U32; }
static bool is_elementwise(const tirbi_lane_op *o) { return (tirbi_ops[o->op].flags & TIRBI_FLAG_ELEMENTWISE) != 0; }

static bool is_comparison(uint8_t op) { return op >= TIRB_OP_VEQ && op <= TIRB_OP_VGE; }

/* ---- What is known of values ---------------------------------------------------------------------------------- */

static fact range_of_type(uint8_t type) {
    unsigned bits = tirbi_dtypes[type].bits;
    if (type == TIRB_BOOL) return (fact){.lo = 0, .hi = 1};
    if (!is_int(type) || bits == 64) return (fact){.lo = INT64_MIN, .hi = INT64_MAX};
    if (!tirbi_dtype_is_signed((tirbi_dtype)type)) return (fact){.lo = 0, .hi = (INT64_C(1) << bits) - 1};
    return (fact){.lo = -(INT64_C(1) << (bits - 1)), .hi = (INT64_C(1) << (bits - 1)) - 1};
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static fact between(int64_t lo, int64_t hi) { return (fact){.lo = lo, .hi = hi}; }

/* That of two of uint32 may need 64 bits and no sign: the largest number then, which is out of every range asked
 * about. */
static int64_t times(int64_t a, int64_t b) {
    int64_t p;
    return __builtin_mul_overflow(a, b, &p) ? ((a < 0) == (b < 0) ? INT64_MAX : INT64_MIN) : p;
}

static fact product(fact a, fact b) {
    int64_t p = times(a.lo, b.lo), q = times(a.lo, b.hi), r = times(a.hi, b.lo), s = times(a.hi, b.hi);
    return between(least(least(p, q), least(r, s)), most(most(p, q), most(r, s)));
}

static int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/* Of a division by a number above 0, which cannot fail. */
static bool range_of_division(uint8_t op, fact x, fact by, fact *out) {
    const bool natural = x.lo >= 0;
    if (by.lo < 1) return false;
    switch (op) {
    case TIRB_OP_VFLOORDIV:
        *out = between(floor_of(x.lo, x.lo < 0 ? by.lo : by.hi), floor_of(x.hi, x.hi < 0 ? by.hi : by.lo));
        return true;
    case TIRB_OP_VDIV:
        *out = between(x.lo / (x.lo < 0 ? by.lo : by.hi), x.hi / (x.hi < 0 ? by.hi : by.lo));
        return true;
    case TIRB_OP_VFLOORMOD: *out = between(0, natural ? least(x.hi, by.hi - 1) : by.hi - 1); return true;
    default:
        *out = natural ? between(0, least(x.hi, by.hi - 1)) : between(1 - by.hi, by.hi - 1);
        return true;
    }
}

/* The largest number that two of at most `hi` can make of their bits. */
static int64_t bits_around(int64_t hi) {
    return hi <= INT16_MAX ? INT16_MAX : hi <= UINT16_MAX ? UINT16_MAX : INT64_MAX;
}

/* Of operands of at most 32 bits, so that no other result overflows; false when nothing is known of the result. */
static bool range_of_op(const tirbi_lane_op *o, const fact *of, fact *out) {
    bool shifts = of[1].lo == of[1].hi && of[1].lo >= 0 && of[1].lo < 16;
    bool natural = of[0].lo >= 0 && of[1].lo >= 0;
    switch (o->op) {
    case TIRB_OP_VADD: *out = between(of[0].lo + of[1].lo, of[0].hi + of[1].hi); return true;
    case TIRB_OP_VSUB: *out = between(of[0].lo - of[1].hi, of[0].hi - of[1].lo); return true;
    case TIRB_OP_VMUL: *out = product(of[0], of[1]); return true;
    case TIRB_OP_VMIN: *out = between(least(of[0].lo, of[1].lo), least(of[0].hi, of[1].hi)); return true;
    case TIRB_OP_VMAX: *out = between(most(of[0].lo, of[1].lo), most(of[0].hi, of[1].hi)); return true;
    case TIRB_OP_VNEG: *out = between(-of[0].hi, -of[0].lo); return true;
    case TIRB_OP_VABS: *out = between(of[0].lo > 0 ? of[0].lo : 0, most(-of[0].lo, of[0].hi)); return true;
    case TIRB_OP_VAND: /* one that is not negative bounds both */
        *out = between(0, of[0].lo < 0 ? of[1].hi : of[1].lo < 0 ? of[0].hi : least(of[0].hi, of[1].hi));
        return of[0].lo >= 0 || of[1].lo >= 0;
    case TIRB_OP_VOR:
    case TIRB_OP_VXOR:
        *out = between(0, bits_around(most(of[0].hi, of[1].hi)));
        return natural;
    case TIRB_OP_VSHL:
        if (shifts) *out = product(of[0], between(1 << of[1].lo, 1 << of[1].lo));
        return shifts;
    case TIRB_OP_VSHR:
        if (shifts) *out = between(of[0].lo >> of[1].lo, of[0].hi >> of[1].lo);
        return shifts;
    case TIRB_OP_VDIV:
    case TIRB_OP_VMOD:
    case TIRB_OP_VFLOORDIV:
    case TIRB_OP_VFLOORMOD: return range_of_division(o->op, of[0], of[1], out);
    case TIRB_OP_VSELECT: *out = between(least(of[1].lo, of[2].lo), most(of[1].hi, of[2].hi)); return true;
    case TIRB_OP_VCAST: *out = of[0]; return is_int(o->source) || o->source == TIRB_BOOL;
    default: return false;
    }
}

static void find_range(const narrower *n, const tirbi_lane_op *o, fact *out) {
    fact any = range_of_type(o->op == TIRB_OP_VADVANCE ? o->source : o->type), found = any;
    bool known = false;
    if (o->op == TIRB_OP_VSPLAT && o->scalar && is_int(o->type) && o->scalar->type == o->type) {
        found = between(o->scalar->lo, o->scalar->hi);
        known = true;
    } else if (is_elementwise(o) && is_int(o->type) && !is_comparison(o->op)) {
        fact of[3] = {{.givers = 0}};
        known = true;
        for (int k = 0; k < tirbi_ops[o->op].arity; k++) {
            of[k] = n->facts[o->from[k]];
            bool counts = !(o->op == TIRB_OP_VSELECT && k == 0);
            if (counts && (of[k].lo < INT32_MIN || of[k].hi > UINT32_MAX)) known = false;
        }
        known = known && range_of_op(o, of, &found);
    }
    if (!known || found.lo < any.lo || found.hi > any.hi) found = any;
    out->lo = found.lo;
    out->hi = found.hi;
}

static void find_facts(narrower *n, uint32_t n_values) {
    const tirbi_lane_plan *plan = n->plan;
    for (uint32_t v = 0; v < n_values; v++) n->facts[v] = (fact){.lo = INT64_MIN, .hi = INT64_MAX};
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        const tirbi_lane_op *o = &plan->ops[i];
        for (int k = 0; k < 3; k++)
            if (o->from[k] != TIRBI_NO_VALUE) n->facts[o->from[k]].uses++;
        if (o->to == TIRBI_NO_VALUE) continue;
        n->facts[o->to].givers++;
        n->facts[o->to].giver = i;
    }
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        const tirbi_lane_op *o = &plan->ops[i];
        if (o->to != TIRBI_NO_VALUE && n->facts[o->to].givers == 1) find_range(n, o, &n->facts[o->to]);
    }
}

/* ---- Magnitudes ----------------------------------------------------------------------------------------------- */

static const tirbi_lane_op *only_giver(const narrower *n, uint16_t value) {
    return n->facts[value].givers == 1 ? &n->plan->ops[n->facts[value].giver] : NULL;
}

static bool is_zero(const narrower *n, uint16_t value) {
    const tirbi_lane_op *o = only_giver(n, value);
    return o && o->op == TIRB_OP_VSPLAT && o->scalar && o->scalar->kind == TIRBI_LX_CONST && o->scalar->value == 0;
}

static bool is_negation(const narrower *n, uint16_t value, uint16_t of) {
    const tirbi_lane_op *o = only_giver(n, value);
    if (!o) return false;
    return (o->op == TIRB_OP_VNEG && o->from[0] == of) ||
           (o->op == TIRB_OP_VSUB && o->from[1] == of && is_zero(n, o->from[0]));
}

/* x >= 0 ? x : -x */
static void find_magnitude(const narrower *n, tirbi_lane_op *o) {
    const tirbi_lane_op *test = o->op == TIRB_OP_VSELECT && is_int(o->type) ? only_giver(n, o->from[0]) : NULL;
    if (!test || !tirbi_dtype_is_signed((tirbi_dtype)o->type) || test->type != o->type) return;
    if (!only_giver(n, o->from[1]) || test->from[0] != o->from[1]) return;
    bool positive = (test->op == TIRB_OP_VGE || test->op == TIRB_OP_VGT) && is_zero(n, test->from[1]);
    if (!positive || !is_negation(n, o->from[2], o->from[1])) return;
    o->op = TIRB_OP_VABS;
    o->from[0] = o->from[1];
    o->from[1] = o->from[2] = TIRBI_NO_VALUE;
}

/* Operations whose values nothing uses any more, which cannot fail. */
static void drop_unused(narrower *n) {
    tirbi_lane_plan *plan = n->plan;
    uint32_t kept = plan->n_ops;
    for (uint32_t i = plan->n_ops; i-- > 0;) {
        const tirbi_lane_op *o = &plan->ops[i];
        bool plain = (is_elementwise(o) && !(tirbi_ops[o->op].flags & TIRBI_FLAG_TRAP)) || o->op == TIRB_OP_VSPLAT;
        if (plain && o->to != TIRBI_NO_VALUE && n->facts[o->to].uses == 0) {
            for (int k = 0; k < 3; k++)
                if (o->from[k] != TIRBI_NO_VALUE) n->facts[o->from[k]].uses--;
            continue;
        }
        plan->ops[--kept] = *o;
    }
    plan->n_ops -= kept;
    memmove(plan->ops, plan->ops + kept, plan->n_ops * sizeof *plan->ops);
}

/* ---- Narrowing ------------------------------------------------------------------------------------------------ */

static bool may_be_narrow(const narrower *n, const tirbi_lane_op *o) {
    switch (o->op) {
    case TIRB_OP_VSPLAT:
    case TIRB_OP_VADD:
    case TIRB_OP_VSUB:
    case TIRB_OP_VMUL:
    case TIRB_OP_VMIN:
    case TIRB_OP_VMAX:
    case TIRB_OP_VAND:
    case TIRB_OP_VOR:
    case TIRB_OP_VXOR:
    case TIRB_OP_VSHL:
    case TIRB_OP_VSHR:
    case TIRB_OP_VDIV:
    case TIRB_OP_VMOD:
    case TIRB_OP_VFLOORDIV:
    case TIRB_OP_VFLOORMOD:
    case TIRB_OP_VSELECT: return true;
    case TIRB_OP_VNEG:
    case TIRB_OP_VABS: return n->type == TIRB_I16;
    case TIRB_OP_VCAST: return o->source == TIRB_BOOL || (is_int(o->source) && tirbi_dtypes[o->source].size <= 2);
    default: return false;
    }
}

static bool is_narrow(const narrower *n, uint16_t value) { return n->facts[value].narrow; }

/* Whether an operation that gives or takes narrow values can do so; what cannot be narrow for it is marked. */
static bool settle(narrower *n, const tirbi_lane_op *o) {
    bool gives = o->to != TIRBI_NO_VALUE && is_narrow(n, o->to);
    bool casts = o->op == TIRB_OP_VCAST, chooses = o->op == TIRB_OP_VSELECT, changed = false;
    bool alike = true;
    for (int k = chooses ? 1 : 0; k < 3; k++)
        if (o->from[k] != TIRBI_NO_VALUE) alike = alike && is_narrow(n, o->from[k]);
    if (gives && !casts && !alike) {
        n->facts[o->to].narrow = gives = false;
        changed = true;
    }
    bool takes = casts || gives || (is_comparison(o->op) && alike && n->type == TIRB_I16);
    for (int k = 0; k < 3 && !takes; k++) {
        if (o->from[k] == TIRBI_NO_VALUE || !is_narrow(n, o->from[k])) continue;
        n->facts[o->from[k]].narrow = false;
        changed = true;
    }
    return changed;
}

/* Whether an operation computes with more than 16 bits, which is then what the lanes are as wide as. */
static bool stays_wide(const narrower *n, const tirbi_lane_op *o) {
    if (!is_elementwise(o) || tirbi_dtypes[o->type].size <= 2) return false;
    if (is_comparison(o->op)) return !is_narrow(n, o->from[0]);
    return !is_narrow(n, o->to);
}

static void find_narrow(narrower *n) {
    tirbi_lane_plan *plan = n->plan;
    const fact whole = range_of_type(n->type);
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        const tirbi_lane_op *o = &plan->ops[i];
        if (o->to == TIRBI_NO_VALUE) continue;
        fact *f = &n->facts[o->to];
        f->narrow = f->givers == 1 && is_wide(o->type) && may_be_narrow(n, o) && f->lo >= whole.lo && f->hi <= whole.hi;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < plan->n_ops; i++) changed = settle(n, &plan->ops[i]) || changed;
    }
}

static void make_narrow(narrower *n) {
    tirbi_lane_plan *plan = n->plan;
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        tirbi_lane_op *o = &plan->ops[i];
        if (o->op == TIRB_OP_VCAST && is_narrow(n, o->from[0])) o->source = n->type;
        if (is_comparison(o->op) && is_narrow(n, o->from[0])) o->type = n->type;
        if (o->to == TIRBI_NO_VALUE || !is_narrow(n, o->to)) continue;
        o->type = n->type;
        if (o->op != TIRB_OP_VCAST || o->source != n->type) continue;
        o->op = TIRB_OP_VMOV;
        o->source = TIRB_TYPE_NONE;
    }
}

bool tirbi_narrow_lanes(tirbi_lane_plan *plan, uint32_t n_values, tirbi_arena *arena) {
    narrower n = {.plan = plan, .facts = TIRBI_NEW_ARRAY(arena, fact, n_values ? n_values : 1)};
    if (!n.facts) return false;
    bool integers = false;
    for (uint32_t i = 0; i < plan->n_ops; i++)
        integers = integers || (is_elementwise(&plan->ops[i]) && is_int(plan->ops[i].type));
    if (!integers) return true;
    find_facts(&n, n_values);
    for (uint32_t i = 0; i < plan->n_ops; i++) find_magnitude(&n, &plan->ops[i]);
    find_facts(&n, n_values);
    drop_unused(&n);
    find_facts(&n, n_values);
    static const uint8_t types[] = {TIRB_I16, TIRB_U16};
    for (unsigned t = 0; t < 2; t++) {
        bool stays = false;
        n.type = types[t];
        find_narrow(&n);
        for (uint32_t i = 0; i < plan->n_ops; i++) stays = stays || stays_wide(&n, &plan->ops[i]);
        if (stays) continue;
        make_narrow(&n);
        return true;
    }
    return true;
}
