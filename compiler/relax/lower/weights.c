#include "compiler/relax/lower/weights.h"

#include <string.h>

#include "compiler/relax/infer/dims.h"
#include "compiler/relax/lower/legal.h"
#include "loader/base/checked.h"

/* Of a constant: along its dimension `i` the `size[i]` elements from `first[i]` on, and which dimension comes when. */
typedef struct part {
    const tirb_relax_tensor *of;
    uint32_t n;
    uint8_t order[TIRBI_LEGAL_RANK];
    int64_t first[TIRBI_LEGAL_RANK], size[TIRBI_LEGAL_RANK];
    const tirb_relax_expr *made;
} part;

/* ---- Parts of constants ------------------------------------------------------------------------------------------ */

static bool same_part(const part *a, const part *b) {
    return a->of == b->of && a->n == b->n && memcmp(a->order, b->order, a->n * sizeof *a->order) == 0 &&
           memcmp(a->first, b->first, a->n * sizeof *a->first) == 0 &&
           memcmp(a->size, b->size, a->n * sizeof *a->size) == 0;
}

/* Copies the elements in their new order. False when the compilation is to end. */
static bool copy_elements(tirbi_arena *arena, const part *p, uint8_t *to) {
    const size_t element = (size_t)(p->of->dtype.bits + 7) / 8;
    int64_t stride[TIRBI_LEGAL_RANK], at[TIRBI_LEGAL_RANK] = {0}, offset = 0;
    for (uint32_t i = p->n; i-- > 0;) stride[i] = i + 1 == p->n ? 1 : stride[i + 1] * p->of->shape[i + 1];
    for (uint32_t i = 0; i < p->n; i++) offset += p->first[i] * stride[i];
    const uint32_t inner = p->order[p->n - 1];
    for (uint32_t k;;) {
        if (!tirbi_arena_work(arena, 1)) return false;
        for (int64_t i = 0; i < p->size[inner]; i++, to += element)
            memcpy(to, p->of->bytes + (size_t)(offset + i * stride[inner]) * element, element);
        for (k = p->n - 1; k-- > 0;) {
            const uint32_t dim = p->order[k];
            offset += stride[dim];
            if (++at[dim] < p->size[dim]) break;
            offset -= p->size[dim] * stride[dim];
            at[dim] = 0;
        }
        if (k == UINT32_MAX) return true;
    }
}

static const tirb_relax_expr *make_part(tirbi_relax_lowering *l, const tirb_relax_expr *e, const part *p) {
    tirb_relax_tensor *tensor = TIRBI_NEW(l->arena, tirb_relax_tensor);
    tirb_relax_type *type = TIRBI_NEW(l->arena, tirb_relax_type);
    tirb_relax_expr *made = TIRBI_NEW(l->arena, tirb_relax_expr);
    int64_t *sizes = TIRBI_NEW_ARRAY(l->arena, int64_t, p->n);
    const tirb_expr **shape = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, p->n);
    uint64_t n_bytes = (uint64_t)(p->of->dtype.bits + 7) / 8; /* no more than the constant has */
    if (!tensor || !type || !made || !sizes || !shape) return NULL;
    for (uint32_t k = 0; k < p->n; k++) {
        sizes[k] = p->size[p->order[k]];
        n_bytes *= (uint64_t)sizes[k];
        if (!(shape[k] = tirbi_make_int(&l->b, e->span, tirbi_type_i64, sizes[k]))) return NULL;
    }
    uint8_t *bytes = TIRBI_NEW_ARRAY(l->arena, uint8_t, n_bytes);
    if (!bytes || (n_bytes && !copy_elements(l->arena, p, bytes))) return NULL;
    *tensor = (tirb_relax_tensor){p->of->dtype, p->n, sizes, bytes, n_bytes, -1};
    *type = *e->type;
    type->shape = shape;
    *made = *e;
    made->type = type;
    made->as.constant = tensor;
    return made;
}

/* The constant `e` as the part says, one for all that ask for it. NULL when memory ran out. */
static const tirb_relax_expr *part_of(tirbi_relax_lowering *l, const tirb_relax_expr *e, const part *wanted) {
    const part *items = l->weights.parts.items;
    const uint32_t hash = tirbi_text_hash(l, (const char *)&wanted->of, sizeof wanted->of);
    uint32_t probe = 0, found;
    while ((found = tirbi_index_next(&l->weights.index, hash, &probe)) != 0)
        if (same_part(&items[found - 1], wanted)) return items[found - 1].made;
    part *added = TIRBI_LIST_ADD(l->arena, &l->weights.parts, part);
    if (!added || !tirbi_index_add(&l->weights.index, l->arena, hash, l->weights.parts.n - 1)) return NULL;
    *added = *wanted;
    return added->made = make_part(l, e, added);
}

/* ---- Kernels of convolutions ------------------------------------------------------------------------------------- */

/* A call that gets other arguments and attributes. */
typedef struct changed_call {
    tirb_relax_expr *call;
    const tirb_relax_expr **args;
    tirb_relax_attr *attrs;
} changed_call;

static bool copy_call(tirbi_arena *arena, const tirb_relax_expr *call, changed_call *c) {
    c->call = TIRBI_NEW(arena, tirb_relax_expr);
    c->args = TIRBI_NEW_ARRAY(arena, const tirb_relax_expr *, call->as.call.n_args);
    c->attrs = TIRBI_NEW_ARRAY(arena, tirb_relax_attr, call->as.call.n_attrs);
    if (!c->call || !c->args || !c->attrs) return false;
    memcpy(c->args, call->as.call.args, call->as.call.n_args * sizeof *c->args);
    memcpy(c->attrs, call->as.call.attrs, call->as.call.n_attrs * sizeof *c->attrs);
    *c->call = *call;
    c->call->as.call.args = c->args;
    c->call->as.call.attrs = c->attrs;
    return true;
}

static tirb_relax_attr *attr_of(changed_call *c, const char *name) {
    return &c->attrs[tirbi_relax_attr_of(c->call, name) - c->call->as.call.attrs];
}

/* The part of a kernel that the call needs, the padding that is left for it, and whether that is another kernel. */
typedef struct kernel_part {
    part p;
    int64_t padding[2 * TIRBI_LEGAL_RANK];
    uint32_t n_space;
    bool is_cropped, is_turned;
} kernel_part;

static bool is_number(const tirb_expr *e, int64_t *value) { return tirbi_dim_const(e, value) && *value >= 0; }

/* Along spatial dimension `i`, which is dimension `at` of the kernel: `extent` elements and `result` windows. */
static void crop(const tirb_relax_expr *call, kernel_part *k, uint32_t i, uint32_t at, int64_t extent, int64_t result) {
    const tirb_relax_attr *padding = tirbi_relax_attr_of(call, "padding");
    const int64_t apart = tirbi_relax_attr_of(call, "dilation")->as.list.items[i].as.integer,
                  stride = tirbi_relax_attr_of(call, "strides")->as.list.items[i].as.integer,
                  before = padding->as.list.items[i].as.integer,
                  behind = padding->as.list.items[k->n_space + i].as.integer, size = k->p.size[at];
    int64_t first = 0, end = size;
    k->padding[i] = before;
    k->padding[k->n_space + i] = behind;
    if (!tirbi_legal_places_that_meet(&(tirbi_legal_places){extent, result, stride, apart, before, size}, &first,
                                      &end) ||
        first >= end || end - first == size)
        return;
    k->is_cropped = true;
    k->p.first[at] = first;
    k->p.size[at] = end - first;
    k->padding[i] = before - first * apart;
    k->padding[k->n_space + i] = behind - (size - end) * apart;
}

/* The places of a kernel that the call needs; false where that is not known, or it has no constant kernel. */
static bool read_kernel(const tirb_relax_expr *call, kernel_part *k) {
    if (!tirbi_legal_is_convolution(call) || call->as.call.n_args != 2) return false;
    const tirb_relax_expr *kernel = call->as.call.args[1];
    const tirb_relax_type *x = call->as.call.args[0]->type, *y = call->type;
    const char *data = tirbi_relax_attr_of(call, "data_layout")->as.text,
               *order = tirbi_relax_attr_of(call, "kernel_layout")->as.text;
    if (kernel->kind != TIRB_RELAX_CONST || !x || !x->has_shape || !y || !y->has_shape) return false;
    const tirb_relax_tensor *w = kernel->as.constant;
    const uint32_t n = w->ndim;
    if (n < 3 || n > TIRBI_LEGAL_RANK || strlen(data) != n || strlen(order) != n || x->ndim != (int32_t)n ||
        y->ndim != (int32_t)n)
        return false;
    k->p.of = w;
    k->p.n = n;
    k->n_space = n - 2;
    bool is_one = tirbi_relax_attr_of(call, "groups")->as.integer == 1;
    for (uint32_t i = 0; i < n; i++) {
        k->p.order[i] = (uint8_t)i;
        k->p.size[i] = w->shape[i];
    }
    for (uint32_t i = 0, at = 0, space = 0; i < n; i++) {
        int64_t extent, result;
        if (data[i] == 'C') continue;
        if (!is_number(y->shape[i], &result)) return false;
        is_one = is_one && result == 1;
        if (data[i] == 'N') continue;
        while (at < n && (order[at] == 'O' || order[at] == 'I')) at++;
        if (at == n || !is_number(x->shape[i], &extent)) return false;
        crop(call, k, space++, at++, extent, result);
    }
    const uint32_t outs = (uint32_t)(strchr(order, 'O') ? strchr(order, 'O') - order : n);
    if (outs >= n) return false;
    k->is_turned = is_one && outs != n - 1;
    if (k->is_turned) {
        memmove(k->p.order + outs, k->p.order + outs + 1, n - 1 - outs);
        k->p.order[n - 1] = (uint8_t)outs;
    }
    return k->is_cropped || k->is_turned;
}

/* The call with the kernel that it needs; itself where that is the one that it has. NULL when memory ran out. */
static const tirb_relax_expr *with_kernel(tirbi_relax_lowering *l, const tirb_relax_expr *call) {
    kernel_part *k = TIRBI_NEW(l->arena, kernel_part);
    changed_call c;
    if (!k) return NULL;
    if (!read_kernel(call, k)) return call;
    const uint32_t n = k->p.n, n_padding = 2 * k->n_space;
    const char *order = tirbi_relax_attr_of(call, "kernel_layout")->as.text;
    tirb_relax_attr *padding = TIRBI_NEW_ARRAY(l->arena, tirb_relax_attr, n_padding);
    char *layout = tirbi_arena_format(l->arena, "%s", order);
    if (!padding || !layout || !copy_call(l->arena, call, &c)) return NULL;
    for (uint32_t i = 0; i < n_padding; i++) {
        padding[i].kind = TIRB_RELAX_ATTR_INT;
        padding[i].as.integer = k->padding[i];
    }
    for (uint32_t i = 0; i < n; i++) layout[i] = order[k->p.order[i]];
    attr_of(&c, "padding")->as.list.items = padding;
    attr_of(&c, "kernel_layout")->as.text = layout;
    c.args[1] = part_of(l, call->as.call.args[1], &k->p);
    return c.args[1] ? c.call : NULL;
}

/* ---- Functions --------------------------------------------------------------------------------------------------- */

static bool has_kernel(const tirb_relax_seq *seq) {
    for (uint32_t i = 0; i < seq->n_blocks; i++)
        for (uint32_t k = 0; k < seq->blocks[i].n_bindings; k++) {
            const tirb_relax_expr *e = seq->blocks[i].bindings[k].value;
            if (tirbi_legal_is_convolution(e) && e->as.call.args[1]->kind == TIRB_RELAX_CONST) return true;
            if (e->kind == TIRB_RELAX_IF && (has_kernel(e->as.if_.then_case) || has_kernel(e->as.if_.else_case)))
                return true;
        }
    return false;
}

static const tirb_relax_seq *seq_of(tirbi_relax_lowering *l, const tirb_relax_seq *seq);

static const tirb_relax_expr *if_of(tirbi_relax_lowering *l, const tirb_relax_expr *e) {
    tirb_relax_expr *own = TIRBI_NEW(l->arena, tirb_relax_expr);
    if (!own) return NULL;
    *own = *e;
    own->as.if_.then_case = seq_of(l, e->as.if_.then_case);
    own->as.if_.else_case = seq_of(l, e->as.if_.else_case);
    return own->as.if_.then_case && own->as.if_.else_case ? own : NULL;
}

static const tirb_relax_seq *seq_of(tirbi_relax_lowering *l, const tirb_relax_seq *seq) {
    tirb_relax_seq *own = TIRBI_NEW(l->arena, tirb_relax_seq);
    tirb_relax_block *blocks = TIRBI_NEW_ARRAY(l->arena, tirb_relax_block, seq->n_blocks);
    if (!own || !blocks) return NULL;
    for (uint32_t i = 0; i < seq->n_blocks; i++) {
        const tirb_relax_block *from = &seq->blocks[i];
        tirb_relax_binding *bindings = TIRBI_NEW_ARRAY(l->arena, tirb_relax_binding, from->n_bindings);
        if (!bindings) return NULL;
        for (uint32_t k = 0; k < from->n_bindings; k++) {
            const tirb_relax_expr *e = from->bindings[k].value;
            bindings[k] = from->bindings[k];
            bindings[k].value = e->kind == TIRB_RELAX_CALL ? with_kernel(l, e)
                                : e->kind == TIRB_RELAX_IF ? if_of(l, e)
                                                           : e;
            if (!bindings[k].value) return NULL;
        }
        blocks[i] = (tirb_relax_block){from->dataflow, bindings, from->n_bindings};
    }
    *own = (tirb_relax_seq){blocks, seq->n_blocks, seq->body};
    return own;
}

const tirb_relax_function *tirbi_relax_lay_out_weights(tirbi_relax_lowering *l, const tirb_relax_function *f) {
    if (!has_kernel(f->body)) return f;
    tirb_relax_function *own = TIRBI_NEW(l->arena, tirb_relax_function);
    if (!own) return NULL;
    *own = *f;
    own->body = seq_of(l, f->body);
    return own->body ? own : NULL;
}
