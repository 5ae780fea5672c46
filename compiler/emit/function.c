/* A function as a whole: its parameters, its body, and what it becomes in the program. */
#include "compiler/emit/function.h"

#include <string.h>

#include "compiler/emit/emit.h"

static void number_parameters(tirbi_emitter *e) {
    tirbi_lfunc *f = e->function;
    for (uint32_t i = 0; i < f->ast->n_params; i++) {
        if (f->param_vars[i])
            tirbi_set_reg(e, f->param_vars[i], tirbi_new_sreg(e));
        else
            tirbi_buffer_ref(e, f->param_buffers[i]);
    }
    for (uint32_t i = 0; i < f->ast->n_shape_vars; i++) tirbi_set_reg(e, f->shape_vars[i], tirbi_new_sreg(e));
}

static int64_t constant_number(tirbi_emitter *e, const tirbi_lbuf *b) {
    tirbi_constant_table *table = e->constants;
    for (uint32_t i = 0; i < table->n; i++)
        if (table->items[i].bytes == b->constant && table->items[i].dtype == b->type) return i;
    if (table->n == UINT16_MAX) {
        tirbi_put_too_large(e, e->function->ast->span, "the module has more than 65535 constants");
        return 0;
    }
    tirbi_constant *items = tirbi_grow(table->arena, table->items, table->n, &table->capacity, sizeof(*items));
    if (!items) return 0;
    table->items = items;
    items[table->n] = (tirbi_constant){.dtype = (uint8_t)b->type, .bytes = b->constant, .size = b->constant_size};
    return table->n++;
}

/* References to constants, in front of all else. */
static void place_constants(tirbi_emitter *e) {
    for (uint32_t i = 0; i < e->function->n_constants && !e->failed; i++) {
        tirbi_lbuf *b = e->function->constants[i];
        if (b->written)
            tirbi_report_error(e->diagnostics, TIRB_UNSUPPORTED, e->function->ast->span, "`%s` writes a constant",
                               e->function->ast->name);
        const uint16_t ref = tirbi_buffer_ref(e, b);
        TIRBI_PUT(e, TIRB_OP_REF_CONST, TIRB_TYPE_NONE, ref, constant_number(e, b));
    }
}

/* Conditions that are only branched on have a register of their own: whoever runs the code sees that nothing else reads
 * them. */
static void place_conditions(tirbi_emitter *e) {
    if (e->conditions.n == 0) return;
    e->next_sreg = e->n_sregs;
    const uint16_t reg = tirbi_new_sreg(e);
    for (uint32_t i = 0; i < e->conditions.n && !e->code.failed; i++)
        tirbi_store_u16(e->code.data + e->conditions.at[i], reg);
}

/* A copy of an array that outlives the emitter; NULL when memory ran out. */
static void *kept(const tirbi_emitter *e, const void *items, size_t n, size_t size) {
    void *copy = tirbi_arena_alloc(e->lasting, n, size);
    if (copy && n) memcpy(copy, items, n * size);
    return copy;
}

void tirbi_finish_function(tirbi_emitter *e, const char *name, tirbi_function *out) {
    place_conditions(e);
    if (e->code.failed) e->arena->failed = true;
    const uint8_t *code = e->code.failed ? NULL : kept(e, e->code.data, e->code.size, 1);
    const tirbi_red_type *reds = code ? kept(e, e->reds, e->n_reds, sizeof(*reds)) : NULL;
    const tirbi_ref_type *refs = reds ? kept(e, e->refs, e->n_refs, sizeof(*refs)) : NULL;
    const tirbi_line *lines = refs ? kept(e, e->lines, e->n_lines, sizeof(*lines)) : NULL;
    if (!lines) return;
    out->name = tirbi_string_number(e->strings, name);
    out->n_sregs = (uint16_t)e->n_sregs;
    out->n_refs = (uint16_t)e->n_refs;
    out->n_lane_regs = (uint8_t)e->n_lane_regs;
    out->n_reds = (uint8_t)e->n_reds;
    out->refs = refs;
    out->reds = reds;
    out->code = code;
    out->code_size = (uint32_t)e->code.size;
    out->lines = lines;
    out->n_lines = e->n_lines;
}

static void put_function(tirbi_emitter *e, const tirbi_sched *schedule, tirbi_function *out) {
    const tirbi_lfunc *f = e->function;
    number_parameters(e);
    place_constants(e);
    tirbi_put_sched(e, schedule);
    if (!f->returns) {
        TIRBI_PUT(e, TIRB_OP_RETVOID, TIRB_TYPE_NONE, 0);
    } else {
        tirbi_scope scope = tirbi_scope_open(e);
        uint16_t nothing = tirbi_put_value(e, tirbi_lx_bits(e->pool, f->return_type, 0));
        TIRBI_PUT(e, TIRB_OP_RET, f->return_type, nothing);
        tirbi_scope_close(e, scope);
    }
    tirbi_make_signature(e, out);
    out->is_public = tirbi_is_public(f->ast);
    out->is_packed = f->packed;
    out->returns = f->returns;
    out->return_type = (uint8_t)(out->returns ? f->return_type : 0);
    tirbi_finish_function(e, f->ast->name, out);
}

void tirbi_emit_function(tirbi_emission *emission, tirbi_lfunc *function, const tirbi_sched *schedule,
                         const tirbi_source *source, tirbi_function *out) {
    tirbi_registers registers = {.n_vars = 0};
    tirbi_emitter e = {.arena = function->pool->arena,
                       .lasting = emission->lasting,
                       .diagnostics = emission->diagnostics,
                       .disabled = emission->disabled,
                       .source = source,
                       .module = emission->module,
                       .function = function,
                       .pool = function->pool,
                       .strings = &emission->strings,
                       .constants = &emission->constants,
                       .registers = &registers,
                       .regions = &emission->regions};
    tirbi_writer_init(&e.code, e.arena->heap);
    put_function(&e, schedule, out);
    tirbi_writer_destroy(&e.code);
}
