/* By which sums of its loops' iterations a value depends on them, and the axes that are made of these sums. */
#include "compiler/optimize/contractions/operand.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/optimize/facts/affine.h"
#include "loader/base/divisor.h"

enum { LARGEST_FACTOR = 1 << 30 };

/* ---- Linear forms --------------------------------------------------------------------------------------------- */

bool tirbi_operand_form(const operand *o, const tirbi_lx *x, int64_t out[TIRBI_MAX_AFFINE], int64_t *factor,
                        const tirbi_lx **start) {
    tirbi_affine form;
    int64_t divisor = 0, first = 0;
    if (!tirbi_dtype_is_int((tirbi_dtype)x->type) || !tirbi_mentions_loops(x, &o->loops) ||
        !tirbi_affine_modulo(o->nest->pool, x, &o->loops, &form)) {
        return false;
    }
    memset(out, 0, TIRBI_MAX_AFFINE * sizeof(*out));
    for (uint32_t i = 0; i < o->loops.n; i++) {
        if (!tirbi_affine_constant(&form, i, &out[i]) || out[i] > LARGEST_FACTOR || out[i] < -LARGEST_FACTOR)
            return false;
        divisor = (int64_t)tirbi_common_divisor((uint64_t)divisor, tirbi_magnitude(out[i]));
        if (first == 0) first = out[i];
    }
    if (divisor == 0) return false;
    *factor = first < 0 ? -divisor : divisor;
    *start = form.start;
    for (uint32_t i = 0; i < o->loops.n; i++) out[i] /= *factor;
    return true;
}

static bool note_form(operand *o, const int64_t c[TIRBI_MAX_AFFINE]) {
    for (uint32_t i = 0; i < o->n_forms; i++) {
        if (memcmp(o->forms[i], c, sizeof(o->forms[i])) == 0) return true;
    }
    if (o->n_forms == TIRBI_OPERAND_FORMS) return false;
    memcpy(o->forms[o->n_forms++], c, sizeof(o->forms[0]));
    return true;
}

bool tirbi_operand_find_forms(operand *o, const tirbi_lx *x, bool loads) {
    int64_t c[TIRBI_MAX_AFFINE], factor;
    const tirbi_lx *start;
    if (tirbi_operand_form(o, x, c, &factor, &start)) return loads || note_form(o, c);
    if (x->kind == TIRBI_LX_VAR) return !tirbi_mentions_loops(x, &o->loops);
    for (uint32_t i = 0; x->kind == TIRBI_LX_LOAD && i < x->access->ndim; i++) {
        if (!tirbi_operand_find_forms(o, x->access->indices[i], false)) return false;
    }
    if (x->kind == TIRBI_LX_LOAD && x->access->ndim > o->rank) o->rank = x->access->ndim;
    for (int i = 0; i < x->n_args; i++) {
        if (!tirbi_operand_find_forms(o, x->args[i], loads)) return false;
    }
    return true;
}

/* ---- Axes ----------------------------------------------------------------------------------------------------- */

/* In order of their sizes, every coefficient must be at most one more than what the smaller ones reach. */
static bool make_axis(operand *o, const int64_t c[TIRBI_MAX_AFFINE]) {
    const nest *n = o->nest;
    if (o->n_axes == TIRBI_MAX_NDIM) return false;
    axis *a = &o->axes[o->n_axes++];
    *a = (axis){.behind = tirbi_lx_number(n->pool, 0), .extent = tirbi_lx_number(n->pool, 1)};
    memcpy(a->c, c, sizeof(a->c));
    bool used[TIRBI_MAX_AFFINE] = {false}, narrow = true;
    const tirbi_lx *sum = tirbi_lx_number(n->pool, 0);
    int64_t rest = 1; /* extent = sum + rest */
    for (;;) {
        uint32_t at = TIRBI_MAX_AFFINE;
        for (uint32_t i = 0; i < o->loops.n; i++) {
            if (c[i] == 0 || used[i]) continue;
            if (at == TIRBI_MAX_AFFINE || llabs(c[i]) < llabs(c[at])) at = i;
        }
        if (at == TIRBI_MAX_AFFINE) break;
        used[at] = true;
        a->n_loops++;
        const tirbi_lvar *loop = o->loops.var[at];
        const tirbi_lx *size = tirbi_lx_number(n->pool, llabs(c[at])),
                       *product = tirbi_lx_mul(n->pool, loop->extent, size);
        if (!product || !a->extent || !sum) return false;
        if (size->value > a->extent->lo && size->value > 1) {
            const tirbi_lx *dense = tirbi_lx_wide(n->pool, TIRB_OP_LE, size, a->extent);
            a->dense = tirbi_operand_both(n, a->dense, dense);
        }
        bool known = product->kind == TIRBI_LX_CONST && product->value <= LARGEST_FACTOR;
        rest += (known ? product->value : 0) - size->value;
        if (!known) sum = tirbi_lx_add(n->pool, sum, product);
        a->extent = tirbi_lx_add(n->pool, sum, tirbi_lx_number(n->pool, rest));
        if (c[at] < 0 && a->behind) a->behind = tirbi_lx_add(n->pool, a->behind, tirbi_lx_sub(n->pool, product, size));
        narrow = narrow && tirbi_dtypes[loop->type].bits <= 32;
    }
    if (a->extent && a->extent->lo < 0) {
        a->extent = tirbi_lx_with(n->pool, TIRB_OP_MAX, a->extent, 0);
    }
    if (a->extent && a->extent->hi > INT32_MAX && narrow) { /* the program's own arithmetic reaches no further */
        a->extent = tirbi_lx_with(n->pool, TIRB_OP_MIN, a->extent, INT32_MAX);
    }
    if (!a->behind || !a->extent) return false;
    return !a->dense || a->dense->kind != TIRBI_LX_CONST || a->dense->value != 0;
}

bool tirbi_operand_has_axis(const operand *o, uint32_t loop) {
    for (uint32_t i = 0; i < o->n_axes; i++) {
        if (o->axes[i].c[loop] != 0) return true;
    }
    return false;
}

/* Whether loops are in all forms, or in none, and in the same proportion. */
static bool go_together(const operand *o, uint32_t i, uint32_t k) {
    const int64_t *first = NULL;
    for (uint32_t f = 0; f < o->n_forms; f++) {
        const int64_t *c = o->forms[f];
        if ((c[i] != 0) != (c[k] != 0)) return false;
        if (!first && c[i] != 0) first = c;
        if (first && c[i] * first[k] != c[k] * first[i]) return false;
    }
    return true;
}

/* What the loops that go together with one of them are in a form, without a common divisor, the first of them positive;
 * times this it is the form: the divisor, without a sign. */
static int64_t find_share(const operand *o, const int64_t form[TIRBI_MAX_AFFINE], uint32_t loop,
                          int64_t out[TIRBI_MAX_AFFINE]) {
    int64_t divisor = 0, first = 0;
    memset(out, 0, TIRBI_MAX_AFFINE * sizeof(*out));
    for (uint32_t i = 0; i < o->loops.n; i++) {
        if (form[i] == 0 || !go_together(o, loop, i)) continue;
        out[i] = form[i];
        divisor = (int64_t)tirbi_common_divisor((uint64_t)divisor, tirbi_magnitude(form[i]));
        if (first == 0) first = form[i];
    }
    for (uint32_t i = 0; i < o->loops.n; i++) out[i] /= first < 0 ? -divisor : divisor;
    return divisor;
}

/* The axes of a form, in the order of memory that is read by it: those that come the farthest first. */
static bool make_axes_of(operand *o, const int64_t form[TIRBI_MAX_AFFINE]) {
    for (;;) {
        int64_t c[TIRBI_MAX_AFFINE], share[TIRBI_MAX_AFFINE], most = 0;
        uint32_t at = 0;
        for (uint32_t i = 0; i < o->loops.n; i++) {
            if (form[i] == 0 || tirbi_operand_has_axis(o, i)) continue;
            const int64_t times = find_share(o, form, i, share);
            if (times <= most) continue;
            most = times;
            at = i;
            memcpy(c, share, sizeof c);
        }
        if (most == 0) return true;
        const uint32_t before = o->n_axes;
        if (make_axis(o, c)) continue;
        o->n_axes = before;
        for (uint32_t i = 0; i < o->loops.n; i++)
            if (!tirbi_operand_has_axis(o, i) && llabs(c[i]) > llabs(c[at])) at = i;
        memset(c, 0, sizeof c);
        c[at] = 1;
        if (!make_axis(o, c)) return false;
    }
}

/* Loops that go together are an axis, and the others are axes each. */
bool tirbi_operand_make_axes(operand *o) {
    for (uint32_t f = 0; f < o->n_forms; f++) {
        if (!make_axes_of(o, o->forms[f])) return false;
    }
    for (uint32_t i = 0; i < o->n_axes; i++) o->condition = tirbi_operand_both(o->nest, o->condition, o->axes[i].dense);
    return o->n_axes > 0;
}
