#include "tests/reference/threads.h"

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "compiler/ir/allreduce.h"
#include "compiler/ir/visit.h"
#include "tests/reference/value.h"

enum { STACK_BYTES = 512 << 10, MAX_THREADS = 4096 };

typedef enum state { READY, AT_SYNC, FORKED, DONE } state;

typedef struct thread {
    ucontext_t context;
    void *stack;
    tirbi_ref_machine machine; /* a frame and short-lived objects of its own */
    tirbi_ref_frame frame;
    const tirb_stmt *body;
    uint32_t *allocations; /* by buffer: how often it has executed its allocation */
    state state;
    tirbi_ref_flow flow;
    struct thread *parent, *next;
    uint32_t children; /* that are not done */
    const tirb_expr *sync; /* at which it waits */
    const tirb_expr *var;  /* of the loop that it is an iteration of */
    int64_t number;
    const tirb_expr *brings; /* the reduction that it has values for, NULL where its condition does not hold */
    tirbi_ref_value *values;
} thread;

typedef struct shared {
    const tirb_buffer *buffer;
    uint32_t number; /* of the execution */
    tirbi_ref_memory *memory;
    struct shared *next;
} shared;

struct tirbi_ref_gang {
    ucontext_t scheduler;
    thread *first, *current;
    shared *memory;
    uint32_t n_threads;
};

typedef struct search {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    bool found;
} search;

static void find_sync(tirbi_visitor *visitor, const tirb_expr *e) {
    bool sync = e->kind == TIRB_EXPR_CALL && e->as.call.function_name == NULL &&
                (e->as.call.builtin == TIRB_BUILTIN_TVM_STORAGE_SYNC || tirbi_is_allreduce(e));
    if (sync) ((search *)visitor)->found = true;
    tirbi_visit_expr(visitor, e);
}

static void find_in(tirbi_visitor *visitor, const tirb_stmt *s) { tirbi_visit_stmt(visitor, s); }

bool tirbi_ref_synchronises(const char *thread_tag, const tirb_stmt *body) {
    if (thread_tag == NULL || strncmp(thread_tag, "blockIdx", 8) == 0) return false;
    search found = {.visitor = {.expr = find_sync, .stmt = find_in}};
    find_in(&found.visitor, body);
    return found.found;
}

/* ---- Threads ---------------------------------------------------------------------------------------------------- */

/* Where a new stack begins: makecontext passes numbers only. */
static void start(unsigned high, unsigned low) {
    thread *t = (thread *)((uintptr_t)high << 32 | (uintptr_t)low);
    t->flow = tirbi_ref_run(&t->machine, t->body);
    t->state = DONE;
    swapcontext(&t->context, &t->machine.gang->scheduler);
}

static thread *new_thread(const tirbi_ref_machine *m, const tirb_stmt *body) {
    thread *t = calloc(1, sizeof *t);
    uint32_t n_vars = m->module->n_vars, n_buffers = m->module->n_buffers;
    if (t == NULL) return NULL;
    t->stack = malloc(STACK_BYTES);
    t->frame = (tirbi_ref_frame){.function = m->frame->function, .vars = malloc((n_vars + 1) * sizeof *t->frame.vars),
                                 .views = malloc((n_buffers + 1) * sizeof *t->frame.views)};
    t->allocations = calloc(n_buffers + 1, sizeof *t->allocations);
    if (t->stack != NULL && t->frame.vars != NULL && t->frame.views != NULL && t->allocations != NULL) {
        memcpy(t->frame.vars, m->frame->vars, n_vars * sizeof *t->frame.vars);
        memcpy(t->frame.views, m->frame->views, n_buffers * sizeof *t->frame.views);
    }
    t->machine = *m;
    t->machine.frame = &t->frame;
    t->machine.scratch = NULL;
    t->body = body;
    t->flow = TIRBI_REF_NEXT;
    uintptr_t address = (uintptr_t)t;
    getcontext(&t->context);
    t->context.uc_stack.ss_sp = t->stack;
    t->context.uc_stack.ss_size = STACK_BYTES;
    t->context.uc_link = NULL;
    makecontext(&t->context, (void (*)(void))start, 2, (unsigned)(address >> 32), (unsigned)address);
    return t;
}

static void free_thread(thread *t) {
    tirbi_ref_scratch_destroy(&t->machine);
    free(t->stack);
    free(t->frame.vars);
    free(t->frame.views);
    free(t->allocations);
    free(t);
}

static bool is_private(const tirb_buffer *buffer) {
    return buffer->scope != NULL && strncmp(buffer->scope, "local", 5) == 0;
}

/* ---- Private buffers from outside -------------------------------------------------------------------------------- */

typedef struct uses {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    const tirb_buffer *buffer;
    uint32_t n;
} uses;

static void use_in_expr(tirbi_visitor *visitor, const tirb_expr *e) {
    uses *u = (uses *)visitor;
    if ((e->kind == TIRB_EXPR_LOAD && e->as.load.buffer == u->buffer) || e == u->buffer->data) u->n++;
    tirbi_visit_expr(visitor, e);
}

static void use_in_stmt(tirbi_visitor *visitor, const tirb_stmt *s) {
    uses *u = (uses *)visitor;
    if (s->kind == TIRB_STMT_STORE && s->as.store.buffer == u->buffer) u->n++;
    tirbi_visit_stmt(visitor, s);
}

static uint32_t uses_in(const tirb_buffer *buffer, const tirb_stmt *s) {
    uses u = {.visitor = {.expr = use_in_expr, .stmt = use_in_stmt}, .buffer = buffer};
    use_in_stmt(&u.visitor, s);
    return u.n;
}

typedef struct owning {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    const tirbi_ref_machine *m;
    thread *t;
} owning;

/* A buffer that is the threads' alone is each thread's own, although it is allocated around them. */
static void own(tirbi_visitor *visitor, const tirb_stmt *s) {
    owning *o = (owning *)visitor;
    const tirb_buffer *buffer = s->kind == TIRB_STMT_STORE ? s->as.store.buffer : NULL;
    const tirbi_ref_view *view = buffer != NULL && is_private(buffer) ? o->t->frame.views[buffer->id] : NULL;
    bool outside = view != NULL && view == o->m->frame->views[buffer->id] && view->source == NULL &&
                   buffer->data->as.var.data_of == buffer;
    if (outside && uses_in(buffer, o->t->body) == uses_in(buffer, o->m->frame->function->body)) {
        tirbi_ref_machine *machine = &o->t->machine;
        tirbi_ref_memory *memory = tirbi_ref_scratch(machine, 1, sizeof *memory);
        tirbi_ref_view *mine = tirbi_ref_scratch(machine, 1, sizeof *mine);
        uint8_t *bytes = tirbi_ref_scratch(machine, view->memory->size + 1, 1);
        if (memory == NULL || mine == NULL || bytes == NULL) return;
        *memory = (tirbi_ref_memory){.bytes = bytes, .size = view->memory->size};
        *mine = *view;
        mine->memory = memory;
        o->t->frame.views[buffer->id] = mine;
        o->t->frame.vars[buffer->data->as.var.id].memory = memory;
    }
    tirbi_visit_stmt(visitor, s);
}

/* Threads for all values of the variable, in the list behind their parent. */
static bool fork_threads(tirbi_ref_machine *m, const tirb_expr *var, int64_t min, int64_t extent,
                         const tirb_stmt *body) {
    tirbi_ref_gang *gang = m->gang;
    thread *parent = gang->current, **place = parent != NULL ? &parent->next : &gang->first;
    for (int64_t i = 0; i < extent; i++) {
        if (++gang->n_threads > MAX_THREADS)
            return tirbi_ref_fail(m, TIRB_UNSUPPORTED, "more than %d threads", MAX_THREADS);
        thread *t = new_thread(m, body);
        if (t == NULL) return tirbi_ref_fail(m, TIRB_NO_MEMORY, "out of memory");
        t->parent = parent;
        t->var = var;
        t->number = min + i;
        t->next = *place;
        *place = t;
        place = &t->next;
        tirbi_ref_bind_int(&t->machine, var, min + i);
        owning o = {.visitor = {.stmt = own}, .m = m, .t = t};
        own(&o.visitor, body);
        if (parent != NULL) parent->children++;
    }
    return true;
}

/* ---- The scheduler ---------------------------------------------------------------------------------------------- */

/* Runs one thread until it waits; what all threads count together is the machine's. */
static bool resume(tirbi_ref_machine *m, thread *t) {
    tirbi_ref_gang *gang = m->gang;
    t->machine.steps = m->steps;
    t->machine.allocated = m->allocated;
    gang->current = t;
    swapcontext(&gang->scheduler, &t->context);
    gang->current = NULL;
    m->steps = t->machine.steps;
    m->allocated = t->machine.allocated;
    if (t->machine.status != TIRB_OK) m->status = t->machine.status;
    if (t->state == DONE && t->parent != NULL && --t->parent->children == 0) t->parent->state = READY;
    if (t->state != DONE || t->flow == TIRBI_REF_NEXT) return t->state != DONE || m->status == TIRB_OK;
    return tirbi_ref_fail(m, TIRB_UNSUPPORTED, "a thread leaves the others");
}

static bool run_ready(tirbi_ref_machine *m, bool *any) {
    *any = false;
    for (thread *t = m->gang->first; t != NULL; t = t->next) {
        if (t->state != READY) continue;
        *any = true;
        if (!resume(m, t)) return false;
    }
    return true;
}

/* Threads that wait must wait at one sync, and none that ran with them may have ended without it. */
static bool together(tirbi_ref_machine *m) {
    const tirb_expr *sync = NULL;
    bool apart = false, ended = false;
    for (const thread *t = m->gang->first; t != NULL; t = t->next) {
        ended = ended || (t->state == DONE && (t->parent == NULL || t->parent->state == FORKED));
        if (t->state != AT_SYNC) continue;
        apart = apart || (sync != NULL && t->sync != sync);
        sync = t->sync;
    }
    if (sync == NULL || !(apart || ended)) return true;
    return tirbi_ref_fail(m, TIRB_ASSERT, "threads do not go the same way to a tvm_storage_sync");
}

static bool run_all(tirbi_ref_machine *m) {
    for (;;) {
        bool any, waiting = false;
        do {
            if (!run_ready(m, &any)) return false;
        } while (any);
        if (!together(m)) return false;
        for (thread *t = m->gang->first; t != NULL; t = t->next) {
            if (t->state != AT_SYNC) continue;
            t->state = READY;
            waiting = true;
        }
        if (!waiting) return true;
    }
}

tirbi_ref_flow tirbi_ref_run_threads(tirbi_ref_machine *m, const tirb_expr *var, int64_t min, int64_t extent,
                                     const tirb_stmt *body) {
    if (m->gang != NULL) {
        thread *t = m->gang->current;
        if (!fork_threads(m, var, min, extent, body)) return TIRBI_REF_FAILED;
        if (extent <= 0) return TIRBI_REF_NEXT;
        t->state = FORKED;
        swapcontext(&t->context, &m->gang->scheduler);
        return TIRBI_REF_NEXT;
    }
    tirbi_ref_gang gang = {.first = NULL};
    m->gang = &gang;
    bool done = fork_threads(m, var, min, extent, body) && run_all(m);
    for (thread *t = gang.first, *next; t != NULL; t = next) {
        next = t->next;
        free_thread(t);
    }
    m->gang = NULL;
    for (shared *s = gang.memory, *next; s != NULL; s = next) {
        next = s->next;
        tirbi_ref_free(m, s->memory);
        free(s);
    }
    return done ? TIRBI_REF_NEXT : TIRBI_REF_FAILED;
}

tirbi_ref_flow tirbi_ref_synchronise(tirbi_ref_machine *m, const tirb_expr *sync) {
    if (m->gang == NULL) return TIRBI_REF_NEXT;
    thread *t = m->gang->current;
    t->state = AT_SYNC;
    t->sync = sync;
    swapcontext(&t->context, &m->gang->scheduler);
    return TIRBI_REF_NEXT;
}

/* ---- Reductions ------------------------------------------------------------------------------------------------- */

/* Whether two threads differ in nothing but the variables of a call. */
static bool reduce_together(const thread *a, const thread *b, const tirbi_allreduce *parts) {
    for (; a != NULL && b != NULL; a = a->parent, b = b->parent) {
        bool named = false;
        if (a->var != b->var) return false;
        for (uint32_t i = 0; i < parts->n_threads; i++) named = named || parts->threads[i] == a->var;
        if (!named && a->number != b->number) return false;
    }
    return a == NULL && b == NULL;
}

static bool combine(tirbi_ref_machine *m, const tirb_reduce *r, tirbi_ref_value *held, const tirbi_ref_value *next) {
    for (uint32_t i = 0; i < r->n_values; i++) {
        tirbi_ref_bind(m, r->lhs[i], held[i]);
        tirbi_ref_bind(m, r->rhs[i], next[i]);
    }
    tirbi_ref_value *combined = tirbi_ref_scratch(m, r->n_values, sizeof *combined);
    for (uint32_t i = 0; combined != NULL && i < r->n_values; i++) {
        if (!tirbi_ref_eval(m, r->result[i], NULL, &combined[i])) return false;
    }
    if (combined != NULL) memcpy(held, combined, r->n_values * sizeof *held);
    return combined != NULL;
}

static bool give(tirbi_ref_machine *m, const tirb_expr *target, const tirbi_ref_value *value) {
    const tirbi_ref_view *view = tirbi_ref_view_of(m, target->as.load.buffer);
    uint32_t n = target->as.load.n_indices;
    int64_t *at = tirbi_ref_scratch(m, n, sizeof *at);
    uint64_t offset;
    if (view == NULL || at == NULL) return false;
    for (uint32_t d = 0; d < n; d++) {
        if (!tirbi_ref_eval_int(m, target->as.load.indices[d], &at[d])) return false;
    }
    return tirbi_ref_address(m, view, target->as.load.indices, at, &offset) &&
           tirbi_ref_write(m, view, offset, &value->one);
}

tirbi_ref_flow tirbi_ref_allreduce(tirbi_ref_machine *m, const tirb_expr *call) {
    tirbi_allreduce parts;
    const tirb_reduce *r = m->reducer;
    bool holds;
    if (m->gang == NULL || !tirbi_allreduce_of(call, &parts) || r == NULL || r->n_values != parts.n) {
        tirbi_ref_fail(m, TIRB_UNSUPPORTED, "a reduction over threads without threads or reducer");
        return TIRBI_REF_FAILED;
    }
    thread *self = m->gang->current;
    tirbi_ref_value *held = tirbi_ref_scratch(m, parts.n, sizeof *held);
    self->values = tirbi_ref_scratch(m, parts.n, sizeof *self->values);
    if (held == NULL || self->values == NULL || !tirbi_ref_eval_bool(m, parts.condition, &holds))
        return TIRBI_REF_FAILED;
    for (uint32_t i = 0; i < parts.n; i++) {
        if ((holds && !tirbi_ref_eval(m, parts.sources[i], NULL, &self->values[i])) ||
            !tirbi_ref_eval(m, r->identity[i], NULL, &held[i]))
            return TIRBI_REF_FAILED;
    }
    self->brings = holds ? call : NULL;
    if (tirbi_ref_synchronise(m, call) != TIRBI_REF_NEXT) return TIRBI_REF_FAILED;
    for (thread *t = m->gang->first; t != NULL; t = t->next) {
        if (t->brings == call && reduce_together(t, self, &parts) && !combine(m, r, held, t->values))
            return TIRBI_REF_FAILED;
    }
    for (uint32_t i = 0; i < parts.n; i++) {
        if (!give(m, parts.targets[i], &held[i])) return TIRBI_REF_FAILED;
    }
    tirbi_ref_flow flow = tirbi_ref_synchronise(m, call); /* the others still need what this one brought */
    self->brings = NULL;
    return flow;
}

/* ---- What they share -------------------------------------------------------------------------------------------- */

tirbi_ref_memory *tirbi_ref_shared_memory(tirbi_ref_machine *m, const tirb_buffer *buffer) {
    if (m->gang == NULL || is_private(buffer)) return NULL;
    uint32_t number = m->gang->current->allocations[buffer->id]++;
    for (shared *s = m->gang->memory; s != NULL; s = s->next) {
        if (s->buffer == buffer && s->number == number) return s->memory;
    }
    return NULL;
}

bool tirbi_ref_share(tirbi_ref_machine *m, const tirb_buffer *buffer, tirbi_ref_memory *memory) {
    if (m->gang == NULL || is_private(buffer)) return true;
    shared *s = malloc(sizeof *s);
    if (s == NULL) return tirbi_ref_fail(m, TIRB_NO_MEMORY, "out of memory");
    *s = (shared){.buffer = buffer,
                  .number = m->gang->current->allocations[buffer->id] - 1,
                  .memory = memory,
                  .next = m->gang->memory};
    m->gang->memory = s;
    return true;
}

bool tirbi_ref_is_shared(const tirbi_ref_machine *m, const tirbi_ref_memory *memory) {
    for (const shared *s = m->gang != NULL ? m->gang->memory : NULL; s != NULL; s = s->next) {
        if (s->memory == memory) return true;
    }
    return false;
}
