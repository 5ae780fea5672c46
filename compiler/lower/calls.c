/* Calls of other PrimFuncs: references for buffers, values for scalars, and the shape variables that the callee's
 * parameters would bind from a caller outside. */
#include "compiler/lower/lower.h"
#include "compiler/lower/narrow.h"

#include <string.h>

enum { MAX_TERM_DEPTH = 64 };

typedef struct call_site {
    tirbi_lowerer *l;
    const tirb_expr *call;
    const tirb_primfunc *callee;
    const tirbi_lx **known; /* per shape variable of the callee, then per parameter; NULL: not bound yet */
    tirbi_lcall_ref *refs;  /* per tensor parameter, in order */
    tirbi_lbuf **buffers;   /* per parameter: the caller's buffer where all of it is passed */
    bool *pointers;         /* per parameter: it is a buffer's data alone, whose shape need not be the parameter's */
    tirbi_lcall_check *checks;
    uint32_t n_checks, max_checks;
    bool failed;
} call_site;

static const tirbi_lx **slot_of(call_site *c, const tirb_expr *var) {
    const tirb_primfunc *f = c->callee;
    for (uint32_t i = 0; i < f->n_shape_vars; i++) {
        if (f->shape_vars[i] == var) return &c->known[i];
    }
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->params[i] == var) return &c->known[f->n_shape_vars + i];
    }
    return NULL;
}

/* A callee's extent in terms of the caller's values; NULL when a variable in it is not bound. */
static const tirbi_lx *extent_of(call_site *c, const tirb_expr *e, unsigned depth) {
    static const tirbi_op ops[] = {
        [TIRB_EXPR_ADD] = TIRB_OP_ADD,           [TIRB_EXPR_SUB] = TIRB_OP_SUB,
        [TIRB_EXPR_MUL] = TIRB_OP_MUL,           [TIRB_EXPR_DIV] = TIRB_OP_DIV,
        [TIRB_EXPR_MOD] = TIRB_OP_MOD,           [TIRB_EXPR_FLOORDIV] = TIRB_OP_FLOORDIV,
        [TIRB_EXPR_FLOORMOD] = TIRB_OP_FLOORMOD, [TIRB_EXPR_MIN] = TIRB_OP_MIN,
        [TIRB_EXPR_MAX] = TIRB_OP_MAX,           [TIRB_EXPR_EQ] = TIRB_OP_EQ,
        [TIRB_EXPR_NE] = TIRB_OP_NE,             [TIRB_EXPR_LT] = TIRB_OP_LT,
        [TIRB_EXPR_LE] = TIRB_OP_LE,             [TIRB_EXPR_GT] = TIRB_OP_GT,
        [TIRB_EXPR_GE] = TIRB_OP_GE,
    };
    tirbi_lx_pool *pool = c->l->pool;
    if (depth > MAX_TERM_DEPTH) return NULL;
    if (e->kind == TIRB_EXPR_INT_IMM) return tirbi_lx_number(pool, e->as.int_value);
    if (e->kind == TIRB_EXPR_VAR) {
        const tirbi_lx **slot = slot_of(c, e);
        return slot && *slot ? tirbi_lx_cast(pool, TIRB_I64, *slot) : NULL;
    }
    if (e->kind == TIRB_EXPR_CAST) return extent_of(c, e->as.cast.value, depth + 1);
    if (e->kind == TIRB_EXPR_CALL && e->as.call.builtin == TIRB_BUILTIN_IF_THEN_ELSE) {
        const tirbi_lx *args[3];
        for (uint32_t i = 0; i < 3; i++)
            if (!(args[i] = extent_of(c, e->as.call.args[i], depth + 1))) return NULL;
        return tirbi_lx_op(pool, TIRB_OP_SELECT, TIRB_I64, TIRB_TYPE_NONE, args[0], args[1], args[2]);
    }
    if (e->kind < TIRB_EXPR_ADD || e->kind > TIRB_EXPR_GE) return NULL;
    const tirbi_lx *a = extent_of(c, e->as.binary.a, depth + 1), *b = extent_of(c, e->as.binary.b, depth + 1);
    return tirbi_lx_wide(pool, ops[e->kind], a, b);
}

/* The caller's `actual` must be what the callee's parameter says; a variable that is not bound yet is bound to it. */
static void unify(call_site *c, const tirb_expr *formal, const tirbi_lx *actual, const char *what, uint32_t dim,
                  bool bind_only) {
    tirbi_lx_pool *pool = c->l->pool;
    if (formal->kind == TIRB_EXPR_VAR) {
        const tirbi_lx **slot = slot_of(c, formal);
        tirbi_dtype type;
        if (slot && !*slot) {
            if (tirbi_machine_type(c->l, formal->dtype, formal->span, &type)) *slot = tirbi_lx_cast(pool, type, actual);
            return;
        }
    }
    if (bind_only) return;
    const tirbi_lx *expected = extent_of(c, formal, 0);
    if (!expected || !actual) {
        tirbi_report_error(c->l->diagnostics, TIRB_UNSUPPORTED, c->call->span,
                           "dimension %u of '%s' in the call of '%s' cannot be computed from the arguments",
                           (unsigned)dim, what, c->callee->name);
        c->failed = true;
        return;
    }
    if (expected == actual || c->n_checks == c->max_checks) return;
    c->checks[c->n_checks++] = (tirbi_lcall_check){
        .actual = actual,
        .expected = expected,
        .message = tirbi_arena_format(c->l->arena, "dimension %u of argument '%s' of %s", (unsigned)dim, what,
                                      c->callee->name)};
}

bool tirbi_is_row_major(tirbi_lowerer *l, const tirbi_lbuf *b) {
    const tirbi_lx *stride = tirbi_lx_number(l->pool, 1);
    for (uint32_t i = b->ndim; i-- > 0;) {
        if (b->strides[i] != stride && !tirbi_lx_is_int(b->shape[i], 1)) return false;
        stride = tirbi_lx_mul(l->pool, stride, b->shape[i]);
        if (!stride) return false;
    }
    return true;
}

/* How many elements lie from the first one to behind the last one, none where an extent is 0. */
static const tirbi_lx *span_of(tirbi_lx_pool *pool, const tirbi_lx *const *shape, const tirbi_lx *const *strides,
                               uint32_t n) {
    const tirbi_lx *one = tirbi_lx_number(pool, 1), *span = one, *some = one;
    for (uint32_t d = 0; d < n && span && some; d++) {
        const tirbi_lx *steps = tirbi_lx_sub(pool, shape[d], one);
        const tirbi_lx *length = steps ? tirbi_lx_mul(pool, steps, strides[d]) : NULL;
        span = length ? tirbi_lx_add(pool, span, length) : NULL;
        const tirbi_lx *any = tirbi_lx_wide(pool, TIRB_OP_MIN, shape[d], one);
        some = any ? tirbi_lx_mul(pool, some, any) : NULL;
    }
    return span && some ? tirbi_lx_mul(pool, span, some) : NULL;
}

static void refuse_resized(call_site *c) {
    tirbi_unsupported(c->l, c->call->span, "passing a view whose elements have another size than the memory's");
    c->failed = true;
}

/* A whole buffer, or, for a matched region or view, the run of elements that it is. */
static void pass_whole(call_site *c, uint32_t param, tirbi_lbuf *b, tirbi_lcall_ref *ref) {
    tirbi_lowerer *l = c->l;
    const tirb_buffer *formal = c->callee->buffers[param];
    if (b->resized) {
        refuse_resized(c);
        return;
    }
    if (!formal->strides && !tirbi_is_row_major(l, b)) {
        tirbi_unsupported(l, c->call->span, "passing a buffer with strides to a parameter without");
        c->failed = true;
        return;
    }
    ref->buffer = b->root;
    c->buffers[param] = b;
    if (b->root == b) return;
    const tirbi_lx *count = tirbi_lx_number(l->pool, 1);
    if (tirbi_is_row_major(l, b)) {
        for (uint32_t i = 0; i < b->ndim; i++) count = count ? tirbi_lx_mul(l->pool, count, b->shape[i]) : NULL;
    } else {
        count = span_of(l->pool, b->shape, b->strides, b->ndim);
    }
    tirbi_place *start = TIRBI_NEW(l->arena, tirbi_place);
    if (!start || !count) return;
    *start =
        (tirbi_place){.buffer = b, .flat = b->offset ? b->offset : tirbi_lx_number(l->pool, 0), .span = c->call->span};
    ref->start = start;
    ref->count = count;
}

/* That a part of a buffer ends inside of it. */
static void check_part(call_site *c, const tirbi_lbuf *of, const tirb_range *range, uint32_t dim,
                       const tirbi_lx *extent) {
    tirbi_lx_pool *pool = c->l->pool;
    const tirbi_lx *min = tirbi_lower_index(c->l, range->min, NULL),
                   *room = min ? tirbi_lx_sub(pool, of->shape[dim], min) : NULL;
    if (!room || c->n_checks == c->max_checks) return;
    c->checks[c->n_checks++] = (tirbi_lcall_check){
        .actual = tirbi_lx_wide(pool, TIRB_OP_MIN, extent, room),
        .expected = extent,
        .message = tirbi_arena_format(c->l->arena,
                                      "dimension %u of the part of '%s' that is passed to %s, as far as it is inside,",
                                      (unsigned)dim, of->name, c->callee->name)};
}

/* Elements that lie behind each other; the dimensions in which it is one element thick are not the parameter's, unless
 * it has as many. */
static void pass_part(call_site *c, uint32_t param, const tirb_expr *arg, const tirb_buffer_region *part,
                      tirbi_lcall_ref *ref) {
    tirbi_lowerer *l = c->l;
    const tirb_expr *load = arg->as.call.args[0];
    const tirbi_place *start = tirbi_lower_place(l, load->as.load.buffer, load->as.load.indices,
                                                 load->as.load.n_indices, tirbi_lx_number(l->pool, 0), arg->span);
    tirbi_lbuf *view = start ? TIRBI_NEW(l->arena, tirbi_lbuf) : NULL;
    const tirbi_lx **shape = view ? TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, start->buffer->ndim) : NULL;
    const tirbi_lx **strides = shape ? TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, start->buffer->ndim) : NULL;
    c->failed = !strides;
    if (c->failed) return;
    const tirbi_lbuf *of = start->buffer;
    bool thin = part->buffer->ndim != c->callee->buffers[param]->ndim;
    *view = *of;
    view->offset = start->flat;
    view->shape = shape;
    view->strides = strides;
    view->ndim = 0;
    for (uint32_t d = 0; d < of->ndim; d++) {
        bool lanes = d == part->buffer->ndim; /* those of a buffer of vectors */
        const tirbi_lx *extent = lanes ? of->shape[d] : tirbi_lower_index(l, part->region[d].extent, NULL);
        if (!extent) return;
        if (tirbi_lx_is_int(extent, 1) && thin) continue;
        if (!lanes) check_part(c, of, &part->region[d], d, extent);
        shape[view->ndim] = extent;
        strides[view->ndim++] = of->strides[d];
    }
    view->root = of->root; /* never the view itself: it has a start */
    pass_whole(c, param, view, ref);
    if (!c->failed) ref->start = start;
}

/* Of what follows a pointer the parameter's shape tells how much is passed: that may be less than the buffer has. */
static void limit_pointer(call_site *c, tirbi_lbuf *b, const tirb_buffer *formal, tirbi_lcall_ref *ref) {
    bool same = b->root == b && b->ndim == formal->ndim;
    for (uint32_t d = 0; d < formal->ndim && same; d++)
        same =
            formal->shape[d]->kind != TIRB_EXPR_INT_IMM || tirbi_lx_is_int(b->shape[d], formal->shape[d]->as.int_value);
    if (same) return;
    tirbi_place *start = TIRBI_NEW(c->l->arena, tirbi_place);
    if (!start) return;
    *start = (tirbi_place){
        .buffer = b, .flat = b->offset ? b->offset : tirbi_lx_number(c->l->pool, 0), .span = c->call->span};
    ref->start = start;
    ref->count = NULL; /* known once all variables are bound */
}

static void pass_buffer(call_site *c, uint32_t param, const tirb_expr *arg, tirbi_lcall_ref *ref) {
    tirbi_lowerer *l = c->l;
    const tirb_buffer_region *passed = c->call->as.call.passed ? &c->call->as.call.passed[param] : NULL;
    if (passed && passed->region) {
        pass_part(c, param, arg, passed, ref);
        return;
    }
    if (arg->kind == TIRB_EXPR_CALL && !arg->as.call.function && arg->as.call.builtin == TIRB_BUILTIN_ADDRESS_OF &&
        arg->as.call.n_args == 1 && arg->as.call.args[0]->kind == TIRB_EXPR_LOAD) {
        const tirb_expr *load = arg->as.call.args[0];
        ref->start = tirbi_lower_place(l, load->as.load.buffer, load->as.load.indices, load->as.load.n_indices,
                                       tirbi_lx_number(l->pool, 0), arg->span);
        if (!ref->start) c->failed = true;
        else if (ref->start->buffer->resized) refuse_resized(c);
        else ref->buffer = ref->start->buffer->root;
        return; /* its count is known once all variables are bound */
    }
    const tirb_expr *data = arg;
    if (arg->kind == TIRB_EXPR_CALL && arg->as.call.builtin == TIRB_BUILTIN_BUFFER_DATA && arg->as.call.n_args == 1) {
        data = arg->as.call.args[0];
    }
    tirbi_lbuf *b = NULL;
    tirbi_pointer pointer;
    if (passed && passed->buffer) {
        b = tirbi_buffer_of(l, passed->buffer, arg->span);
    } else if (data->kind == TIRB_EXPR_VAR && data->as.var.data_of) {
        c->pointers[param] = true;
        b = tirbi_buffer_of(l, data->as.var.data_of, arg->span);
    } else if (arg->dtype.code == TIRB_CODE_HANDLE) {
        tirbi_place *start = TIRBI_NEW(l->arena, tirbi_place);
        c->failed = !tirbi_lower_pointer(l, arg, c->call->span, &pointer) || !start;
        if (c->failed) return;
        *start = (tirbi_place){.buffer = pointer.memory, .flat = pointer.offset, .span = c->call->span};
        ref->start = start;
        ref->buffer = pointer.memory;
        return;
    }
    if (!b || b->local) {
        tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, arg->span,
                           "argument '%s' of %s must be a buffer, its data or the address of one of its elements",
                           c->callee->buffers[param]->name, c->callee->name);
        c->failed = true;
        return;
    }
    pass_whole(c, param, b, ref);
    if (c->pointers[param] && !c->failed && !c->callee->buffers[param]->is_implied)
        limit_pointer(c, b, c->callee->buffers[param], ref);
}

static void pass_arguments(call_site *c) {
    const tirb_primfunc *f = c->callee;
    uint32_t r = 0;
    for (uint32_t i = 0; i < f->n_params && !c->failed; i++) {
        const tirb_expr *arg = c->call->as.call.args[i];
        if (f->buffers[i]) {
            pass_buffer(c, i, arg, &c->refs[r++]);
            continue;
        }
        tirbi_dtype type;
        tirbi_mark mark = tirbi_mark_here(c->l);
        const tirbi_lx *value = tirbi_lower_expr(c->l, arg, NULL);
        for (uint32_t k = 0; k < i; k++) {
            const tirbi_lx **earlier = &c->known[f->n_shape_vars + k];
            *earlier = tirbi_keep_order(c->l, mark, *earlier, arg->span);
        }
        if (!value || !tirbi_machine_type(c->l, f->params[i]->dtype, arg->span, &type)) {
            c->failed = true;
            return;
        }
        c->known[f->n_shape_vars + i] = tirbi_lx_cast(c->l->pool, type, value);
    }
}

/* Pointers as parameters lead to what follows in the buffer that is passed. */
static void bind_implied(call_site *c) {
    const tirb_primfunc *f = c->callee;
    tirbi_lx_pool *pool = c->l->pool;
    uint32_t r = 0;
    for (uint32_t i = 0; i < f->n_params && !c->failed; i++) {
        if (!f->buffers[i]) continue;
        const tirbi_lcall_ref *ref = &c->refs[r++];
        const tirbi_lbuf *b = c->buffers[i] ? c->buffers[i] : ref->start ? ref->start->buffer : NULL;
        if (!f->buffers[i]->is_implied || !b) continue;
        const tirbi_lx *count = tirbi_lx_number(pool, 1);
        for (uint32_t d = 0; d < b->ndim && count; d++) count = tirbi_lx_mul(pool, count, b->shape[d]);
        if (count && !c->buffers[i]) {
            const tirbi_lx *end = b->offset ? tirbi_lx_add(pool, b->offset, count) : count;
            count = end ? tirbi_lx_sub(pool, end, ref->start->flat) : NULL;
        }
        if (count) unify(c, f->buffers[i]->shape[0], count, f->buffers[i]->name, 0, true);
    }
}

/* First the variables that stand alone as an extent, then everything else against them. */
static void match_shapes(call_site *c, bool bind_only) {
    const tirb_primfunc *f = c->callee;
    for (uint32_t i = 0; i < f->n_params; i++) {
        const tirb_buffer *formal = f->buffers[i];
        tirbi_lbuf *actual = c->buffers[i];
        if (!formal || !actual || formal->is_implied || (c->pointers[i] && !bind_only)) continue;
        if (actual->ndim != formal->ndim + (formal->dtype.lanes > 1))
            continue; /* another view of the same elements: the reference bounds it */
        for (uint32_t d = 0; d < formal->ndim; d++) {
            unify(c, formal->shape[d], actual->shape[d], formal->name, d, bind_only);
            if (formal->strides) unify(c, formal->strides[d], actual->strides[d], formal->name, d, bind_only);
        }
        if (formal->elem_offset) {
            unify(c, formal->elem_offset, tirbi_lx_number(c->l->pool, 0), formal->name, 0, true);
        }
    }
}

/* The elements of a parameter that a pointer leads to. */
static const tirbi_lx *count_formal(call_site *c, const tirb_buffer *formal) {
    tirbi_lowerer *l = c->l;
    const tirbi_lx *lanes = tirbi_lx_number(l->pool, formal->dtype.lanes), *count = lanes;
    const tirbi_lx **shape = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, formal->ndim);
    const tirbi_lx **strides = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, formal->ndim);
    if (l->arena->failed) return NULL;
    for (uint32_t d = 0; d < formal->ndim && count; d++) {
        shape[d] = extent_of(c, formal->shape[d], 0);
        strides[d] = formal->strides ? extent_of(c, formal->strides[d], 0) : NULL;
        if (!shape[d] || (formal->strides && !strides[d])) return NULL;
        count = tirbi_lx_mul(l->pool, count, shape[d]);
    }
    if (!formal->strides) return count;
    const tirbi_lx *span = span_of(l->pool, shape, strides, formal->ndim);
    return span ? tirbi_lx_mul(l->pool, span, lanes) : NULL;
}

static void count_parts(call_site *c) {
    const tirb_primfunc *f = c->callee;
    uint32_t r = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (!f->buffers[i]) continue;
        tirbi_lcall_ref *ref = &c->refs[r++];
        if (!ref->start || ref->count) continue;
        ref->count = count_formal(c, f->buffers[i]);
        if (!ref->count) {
            tirbi_report_error(c->l->diagnostics, TIRB_UNSUPPORTED, c->call->span,
                               "the extent of '%s' in the call of '%s' cannot be computed from the arguments",
                               f->buffers[i]->name, f->name);
            c->failed = true;
            return;
        }
    }
}

static const tirbi_lx *finish_call(call_site *c, uint32_t n_refs) {
    const tirb_primfunc *f = c->callee;
    tirbi_lowerer *l = c->l;
    tirbi_lcall *call = TIRBI_NEW(l->arena, tirbi_lcall);
    const tirbi_lx **scalars = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, f->n_params + f->n_shape_vars);
    if (!call || !scalars) return NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (!f->buffers[i]) scalars[n++] = c->known[f->n_shape_vars + i];
    }
    for (uint32_t i = 0; i < f->n_shape_vars; i++) {
        if (!c->known[i]) {
            tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, c->call->span,
                               "'%s' of '%s' cannot be computed from the arguments of this call",
                               f->shape_vars[i]->as.var.name, f->name);
            return NULL;
        }
        scalars[n++] = c->known[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!scalars[i]) return NULL;
    }
    *call = (tirbi_lcall){.function = f->index,
                          .acts = l->acts[f->index],
                          .scalars = scalars,
                          .n_scalars = n,
                          .refs = c->refs,
                          .n_refs = n_refs,
                          .checks = c->checks,
                          .n_checks = c->n_checks};
    tirbi_dtype type = TIRB_I32; /* of a call that returns nothing: never looked at */
    if (f->ret_type.kind == TIRB_TYPE_PRIM) tirbi_storage_type(f->ret_type.dtype, &type);
    if (f->ret_type.kind == TIRB_TYPE_POINTER) type = TIRB_I64; /* bytes from one of the arguments on */
    return tirbi_lx_call(l->pool, type, call);
}

const tirbi_lx *tirbi_lower_trap(tirbi_lowerer *l, tirb_status status, const char *message, tirbi_dtype type) {
    tirbi_lcall *call = TIRBI_NEW(l->arena, tirbi_lcall);
    if (!call || !message) return NULL;
    *call = (tirbi_lcall){.op = TIRB_OP_TRAP, .status = (uint8_t)status, .message = message};
    return tirbi_lx_call(l->pool, type, call);
}

const tirbi_lx *tirbi_lower_call(tirbi_lowerer *l, const tirb_expr *e) {
    const tirb_primfunc *f = e->as.call.function;
    if (!f) {
        const char *message =
            tirbi_arena_format(l->arena, "'%s' is no PrimFunc of this module", e->as.call.function_name);
        return tirbi_lower_trap(l, TIRB_VALUE, message, TIRB_I32);
    }
    if (tirbi_is_packed(f)) {
        tirbi_unsupported(l, e->span, "a call of a packed function from within the module");
        return NULL;
    }
    if (e->as.call.n_args != f->n_params) {
        tirbi_report_error(l->diagnostics, TIRB_TYPE, e->span, "'%s' takes %u arguments, got %u", f->name,
                           (unsigned)f->n_params, (unsigned)e->as.call.n_args);
        return NULL;
    }
    call_site c = {.l = l, .call = e, .callee = f};
    uint32_t n_refs = 0, n_dims = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (!f->buffers[i]) continue;
        n_refs++;
        n_dims += 2 * f->buffers[i]->ndim;
        const tirb_buffer_region *passed = e->as.call.passed ? &e->as.call.passed[i] : NULL;
        if (passed && passed->region) n_dims += passed->buffer->ndim;
    }
    c.known = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, f->n_shape_vars + f->n_params);
    c.refs = TIRBI_NEW_ARRAY(l->arena, tirbi_lcall_ref, n_refs);
    c.buffers = TIRBI_NEW_ARRAY(l->arena, tirbi_lbuf *, f->n_params);
    c.pointers = TIRBI_NEW_ARRAY(l->arena, bool, f->n_params);
    c.checks = TIRBI_NEW_ARRAY(l->arena, tirbi_lcall_check, n_dims);
    c.max_checks = n_dims;
    if (l->arena->failed) return NULL;
    pass_arguments(&c);
    if (c.failed) return NULL;
    bind_implied(&c);
    match_shapes(&c, true);
    match_shapes(&c, false);
    count_parts(&c);
    return c.failed ? NULL : finish_call(&c, n_refs);
}
