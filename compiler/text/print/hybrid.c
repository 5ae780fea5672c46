/* What Hybrid Script of 2020 spells in its own way: views behind bare pointers, blocks with iterators in their
 * heads. */
#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/ir/visit.h"
#include "compiler/text/print/printer.h"

/* ---- Views that loads and stores through a pointer make by themselves -------------------------------------------- */

typedef struct accesses {
    tirbi_visitor visitor;
    const tirb_buffer **seen; /* pointees in the order that the reader meets them */
    uint32_t n, capacity;
    const tirb_buffer *other; /* found in a place where only a declared buffer can stand */
} accesses;

static void see(accesses *a, const tirb_buffer *buffer) {
    for (uint32_t i = 0; i < a->n; i++)
        if (a->seen[i] == buffer) return;
    if (a->n < a->capacity) a->seen[a->n++] = buffer;
}

/* The reader evaluates a let's body before its value, as that is the order of the text. */
static void see_expr(tirbi_visitor *visitor, const tirb_expr *e) {
    accesses *a = visitor->context;
    if (e->kind == TIRB_EXPR_LET) {
        see_expr(visitor, e->as.let.body);
        see_expr(visitor, e->as.let.value);
        return;
    }
    tirbi_visit_expr(visitor, e);
    if (e->kind == TIRB_EXPR_LOAD && tirbi_is_pointee(e->as.load.buffer)) see(a, e->as.load.buffer);
}

static void see_store(tirbi_visitor *visitor, const tirb_stmt *s) {
    accesses *a = visitor->context;
    if (!s->as.store.predicate) see_expr(visitor, s->as.store.value);
    for (uint32_t i = 0; i < s->as.store.n_indices; i++) see_expr(visitor, s->as.store.indices[i]);
    if (s->as.store.predicate) see_expr(visitor, s->as.store.value);
    if (s->as.store.predicate) see_expr(visitor, s->as.store.predicate);
    if (tirbi_is_pointee(s->as.store.buffer)) see(a, s->as.store.buffer);
}

static void see_stmt(tirbi_visitor *visitor, const tirb_stmt *s) {
    if (s->kind == TIRB_STMT_STORE)
        see_store(visitor, s);
    else
        tirbi_visit_stmt(visitor, s);
}

/* The head of a statement that takes the rest of its frame as its body. */
static bool see_head(accesses *a, const tirb_stmt *s) {
    switch (s->kind) {
    case TIRB_STMT_LET: see_expr(&a->visitor, s->as.let.value); return true;
    case TIRB_STMT_ASSERT: see_expr(&a->visitor, s->as.assert_.condition); return true;
    case TIRB_STMT_ATTR: see_expr(&a->visitor, s->as.attr.value); return true;
    case TIRB_STMT_ALLOCATE:
        for (uint32_t i = 0; i < s->as.allocate.buffer->ndim; i++)
            see_expr(&a->visitor, s->as.allocate.buffer->shape[i]);
        return true;
    case TIRB_STMT_DECL_BUFFER:
    case TIRB_STMT_BUFFER_REALIZE: return true;
    default: return false;
    }
}

static void note_region(accesses *a, const tirb_buffer *buffer, const tirb_buffer *wanted) {
    if (buffer == wanted) a->other = buffer;
}

typedef struct other_uses {
    accesses base;
    const tirb_buffer *wanted;
} other_uses;

static void find_other(tirbi_visitor *visitor, const tirb_stmt *s) {
    other_uses *u = visitor->context;
    if (s->kind == TIRB_STMT_BLOCK_REALIZE) {
        const tirb_block *block = s->as.block.block;
        for (uint32_t i = 0; i < block->n_reads; i++) note_region(&u->base, block->reads[i].buffer, u->wanted);
        for (uint32_t i = 0; i < block->n_writes; i++) note_region(&u->base, block->writes[i].buffer, u->wanted);
        for (uint32_t i = 0; i < block->n_matches; i++)
            note_region(&u->base, block->matches[i].source.buffer, u->wanted);
    }
    if (s->kind == TIRB_STMT_PREFETCH) note_region(&u->base, s->as.prefetch.buffer, u->wanted);
    tirbi_visit_stmt(visitor, s);
}

static bool only_accessed(const tirb_buffer *buffer, const tirb_stmt *body) {
    other_uses u = {.base = {.other = NULL}, .wanted = buffer};
    u.base.visitor = (tirbi_visitor){.stmt = find_other, .context = &u};
    if (body) find_other(&u.base.visitor, body);
    return !u.base.other;
}

/* A declaration as the reader makes it: in the frame of its pointer, of a view that no other in scope is like. */
static bool could_be_implied(const tirbi_printer *p, const tirb_stmt *s) {
    if (!s || s->kind != TIRB_STMT_DECL_BUFFER || s->as.decl.source || !tirbi_is_pointee(s->as.decl.buffer))
        return false;
    const tirb_buffer *buffer = s->as.decl.buffer;
    if (buffer->data_alignment != 64 || buffer->offset_factor > 1 || buffer->dtype.lanes != 1 ||
        (buffer->scope && strcmp(buffer->scope, "global") != 0))
        return false;
    uint32_t bound = p->bound_at[buffer->data->as.var.id];
    if ((bound ? bound : 1) != p->depth) return false;
    const tirb_buffer *const *open = p->implied.items;
    for (uint32_t i = 0; i < p->implied.n; i++)
        if (open[i]->data == buffer->data && tirb_datatype_equal(open[i]->dtype, buffer->dtype)) return false;
    return only_accessed(buffer, s->as.decl.body);
}

enum { MAX_CHAIN = 64 };

bool tirbi_print_implied(tirbi_printer *p, const tirb_stmt *decl) {
    const tirb_buffer *chain[MAX_CHAIN], *seen[MAX_CHAIN * 4];
    uint32_t n = 0, at = 0;
    const tirb_stmt *s = decl;
    for (; n < MAX_CHAIN && could_be_implied(p, s); s = s->as.decl.body) chain[n++] = s->as.decl.buffer;
    if (n == 0 || !s) return false;
    const tirb_stmt *first = s->kind == TIRB_STMT_SEQ ? s->as.seq.items[0] : s;
    bool alone = first == s || s->as.seq.n == 1;
    accesses a = {.seen = seen, .capacity = MAX_CHAIN * 4};
    a.visitor = (tirbi_visitor){.expr = see_expr, .stmt = see_stmt, .context = &a};
    if (!alone || !see_head(&a, first)) see_stmt(&a.visitor, first);
    for (uint32_t i = 0; i < a.n; i++) {
        bool in_chain = false;
        for (uint32_t j = 0; j < n; j++) in_chain |= chain[j] == a.seen[i];
        if (in_chain && (at == n || chain[at++] != a.seen[i])) return false;
    }
    if (at != n) return false;
    for (uint32_t i = 0; i < n; i++) {
        const tirb_buffer **slot = TIRBI_LIST_ADD(p->arena, &p->implied, const tirb_buffer *);
        if (slot) *slot = chain[i];
    }
    return true;
}

bool tirbi_is_implied(const tirbi_printer *p, const tirb_buffer *buffer) {
    const tirb_buffer *const *open = p->implied.items;
    for (uint32_t i = 0; i < p->implied.n; i++)
        if (open[i] == buffer) return true;
    return false;
}

void tirbi_print_pointer_load(tirbi_printer *p, const tirb_expr *e) {
    char type[32];
    tirbi_putf(p, "T.load(\"%s\", ", tirb_datatype_text(e->dtype, type));
    tirbi_print_expr(p, e->as.load.buffer->data);
    tirbi_put(p, ", ");
    tirbi_print_expr(p, e->as.load.indices[0]);
    if (e->as.load.predicate) {
        tirbi_put(p, ", ");
        tirbi_print_expr(p, e->as.load.predicate);
    }
    tirbi_put(p, ")");
}

void tirbi_print_pointer_store(tirbi_printer *p, const tirb_stmt *s) {
    bool masked = s->as.store.predicate != NULL;
    if (masked) tirbi_put(p, "T.store(");
    tirbi_print_expr(p, s->as.store.buffer->data);
    tirbi_put(p, masked ? ", " : "[");
    tirbi_print_expr(p, s->as.store.indices[0]);
    tirbi_put(p, masked ? ", " : "] = ");
    tirbi_print_expr(p, s->as.store.value);
    if (masked) {
        tirbi_put(p, ", ");
        tirbi_print_expr(p, s->as.store.predicate);
        tirbi_put(p, ")");
    }
    tirbi_end_line(p);
}

/* ---- Blocks ----------------------------------------------------------------------------------------------------- */

static bool is_plain_axis(const tirb_itervar *iter) {
    return iter->type <= TIRB_ITER_OPAQUE && iter->type != TIRB_ITER_THREAD_INDEX &&
           tirb_datatype_equal(iter->var->dtype, iter->dom.extent->dtype) &&
           tirb_datatype_equal(iter->var->dtype, iter->dom.min->dtype);
}

bool tirbi_print_block_head(tirbi_printer *p, const tirb_stmt *s) {
    const tirb_block *block = s->as.block.block;
    if (!p->hybrid || block->no_realize || block->n_iters == 0 || !s->as.block.values) return false;
    for (uint32_t i = 0; i < block->n_iters; i++) {
        bool exact = true;
        tirbi_print_stop(p, &block->iters[i].dom, &exact);
        if (!is_plain_axis(&block->iters[i]) || !exact || !s->as.block.values[i] ||
            !tirb_datatype_equal(s->as.block.values[i]->dtype, block->iters[i].var->dtype))
            return false;
    }
    tirbi_put(p, "with T.block([");
    for (uint32_t i = 0; i < block->n_iters; i++) {
        const tirb_itervar *iter = &block->iters[i];
        const char *kind = iter->type == TIRB_ITER_COMM_REDUCE ? "reduce_axis"
                           : iter->type == TIRB_ITER_ORDERED   ? "scan_axis"
                           : iter->type == TIRB_ITER_OPAQUE    ? "opaque_axis"
                                                               : "range";
        if (i) tirbi_put(p, ", ");
        if (iter->type == TIRB_ITER_DATA_PAR && tirbi_is_const_int(iter->dom.min, 0)) {
            tirbi_print_expr(p, iter->dom.extent);
            continue;
        }
        tirbi_putf(p, "T.%s(", kind);
        tirbi_print_bounds(p, &iter->dom, ", ");
        tirbi_put(p, ")");
    }
    tirbi_put(p, "], ");
    tirbi_put_string(p, block->name ? block->name : "", block->name ? strlen(block->name) : 0);
    tirbi_put(p, ") as [");
    for (uint32_t i = 0; i < block->n_iters; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_put(p, tirbi_name_var(p, block->iters[i].var));
    }
    tirbi_put(p, "]:");
    tirbi_end_line(p);
    p->indent++;
    for (uint32_t i = 0; i < block->n_iters; i++) {
        tirbi_put(p, "T.bind(");
        tirbi_print_expr(p, block->iters[i].var);
        tirbi_put(p, ", ");
        tirbi_print_expr(p, s->as.block.values[i]);
        tirbi_put(p, ")");
        tirbi_end_line(p);
    }
    p->indent--;
    return true;
}
