/* The ground of emission: strings, registers, instructions, jumps and source lines. */
#include "compiler/emit/emit.h"

#include <string.h>

#include "loader/base/checked.h"

void tirbi_put_too_large(tirbi_emitter *e, tirbi_span span, const char *what) {
    if (e->failed) return;
    e->failed = true;
    tirbi_report_error(e->diagnostics, TIRB_UNSUPPORTED, span, "function '%s' is too large: %s", e->function->ast->name,
                       what);
}

void *tirbi_grow(tirbi_arena *arena, void *items, uint32_t n, uint32_t *capacity, size_t size) {
    if (n < *capacity) return items;
    uint32_t larger = *capacity ? *capacity * 2 : 16;
    void *fresh = tirbi_arena_alloc(arena, larger, size);
    if (!fresh) return NULL;
    if (n) memcpy(fresh, items, n * size);
    *capacity = larger;
    return fresh;
}

/* ---- Strings -------------------------------------------------------------------------------------------------- */

uint16_t tirbi_string_number(tirbi_string_table *table, const char *text) {
    size_t size = strlen(text);
    uint32_t hash = tirbi_text_hash(table->arena, text, size), probe = 0, found;
    while ((found = tirbi_index_next(&table->index, hash, &probe)) != 0) {
        if (strcmp(table->items[found - 1].text, text) == 0) return (uint16_t)(found - 1);
    }
    if (table->n == TIRBI_NO_STRING) {
        table->full = true;
        return 0;
    }
    tirbi_string *items = tirbi_grow(table->arena, table->items, table->n, &table->capacity, sizeof(*items));
    char *copy = items ? tirbi_arena_text(table->arena, text, size) : NULL;
    if (!copy || !tirbi_index_add(&table->index, table->arena, hash, table->n)) return 0;
    table->items = items;
    items[table->n] = (tirbi_string){.text = copy, .size = (uint32_t)size};
    return (uint16_t)table->n++;
}

/* ---- Registers ------------------------------------------------------------------------------------------------ */

tirbi_scope tirbi_scope_open(tirbi_emitter *e) {
    return (tirbi_scope){.n_known = e->n_known, .n_remembered = e->n_remembered, .n_checked = e->n_checked,
                         .next_sreg = e->next_sreg};
}

void tirbi_scope_close(tirbi_emitter *e, tirbi_scope scope) {
    if (e->n_known > scope.n_known) e->n_known = scope.n_known;
    e->n_checked = scope.n_checked < e->n_checked ? scope.n_checked : e->n_checked;
    if (e->n_remembered > scope.n_remembered) e->n_remembered = scope.n_remembered;
    e->next_sreg = scope.next_sreg;
}

/* Processors forward what was just written to a register to the next one that reads it where both name the same one
 * again and again: registers are used anew unless that saves a load. */
void tirbi_block_close(tirbi_emitter *e, tirbi_scope scope) {
    enum { MAX_KEPT = 160 };
    if (e->next_sreg > MAX_KEPT || e->n_remembered == scope.n_remembered) tirbi_scope_close(e, scope);
}

uint16_t tirbi_new_sreg(tirbi_emitter *e) {
    if (e->next_sreg >= TIRBI_MAX_SREGS) {
        tirbi_put_too_large(e, e->function->ast->span, "it needs more than 32768 registers");
        return 0;
    }
    uint16_t reg = (uint16_t)e->next_sreg++;
    if (e->next_sreg > e->n_sregs) e->n_sregs = e->next_sreg;
    return reg;
}

/* Room for entry `id` of an array of the registers; false when memory ran out. */
static bool reach(tirbi_emitter *e, uint32_t **array, uint32_t *n, uint32_t id) {
    if (id < *n) return true;
    uint32_t larger = *n ? *n : 64;
    while (larger <= id) {
        if (larger > UINT32_MAX / 2) return false;
        larger *= 2;
    }
    uint32_t *longer = tirbi_arena_extend(e->arena, *array, *n, larger, sizeof(**array));
    if (!longer) return false;
    *array = longer;
    *n = larger;
    return true;
}

void tirbi_set_reg(tirbi_emitter *e, tirbi_lvar *var, int32_t reg) {
    tirbi_registers *r = e->registers;
    if (reg < 0 && tirbi_reg_of(e, var) < 0) return;
    if (reach(e, &r->var, &r->n_vars, tirbi_lvar_id(e->pool, var))) r->var[var->id] = (uint32_t)(reg + 1);
}

void tirbi_set_ref(tirbi_emitter *e, tirbi_lbuf *root, int32_t reg) {
    tirbi_registers *r = e->registers;
    if (reg < 0 && tirbi_ref_of(e, root) < 0) return;
    if (reach(e, &r->ref, &r->n_refs, tirbi_lbuf_id(e->pool, root))) r->ref[root->id] = (uint32_t)(reg + 1);
}

void tirbi_set_known(tirbi_emitter *e, const tirbi_lx *x, uint32_t at) {
    tirbi_registers *r = e->registers;
    if (reach(e, &r->known, &r->n_known, tirbi_lx_id(e->pool, x))) r->known[x->id] = at + 1;
}

uint16_t tirbi_new_ref(tirbi_emitter *e, tirbi_dtype type, bool writable) {
    tirbi_ref_type *refs = tirbi_grow(e->arena, e->refs, e->n_refs, &e->refs_capacity, sizeof(*refs));
    if (!refs || e->n_refs >= TIRBI_NO_REG) {
        tirbi_put_too_large(e, e->function->ast->span, "it has more than 65535 buffers");
        return 0;
    }
    e->refs = refs;
    refs[e->n_refs] = (tirbi_ref_type){.dtype = (uint8_t)type, .writable = writable};
    return (uint16_t)e->n_refs++;
}

/* ---- Instructions --------------------------------------------------------------------------------------------- */

uint32_t tirbi_here(const tirbi_emitter *e) { return (uint32_t)e->code.size; }

void tirbi_put_instr(tirbi_emitter *e, tirbi_op op, tirbi_dtype type, const int64_t *operands, uint32_t n) {
    if (e->failed || !tirbi_arena_work(e->arena, 1)) return;
    if (e->code.size > UINT32_MAX / 2) {
        tirbi_put_too_large(e, e->function->ast->span, "its code has more than 2 GiB");
        return;
    }
    tirbi_instr instr = {.op = (uint8_t)op, .type = (uint8_t)type};
    for (uint32_t i = 0; i < n && i < TIRBI_MAX_OPERANDS; i++) instr.operand[i] = operands[i];
    tirbi_encode(&e->code, &instr);
}

static void remember_patch(tirbi_emitter *e, tirbi_patch_list *list) {
    uint32_t *at = tirbi_grow(e->arena, list->at, list->n, &list->capacity, sizeof(*at));
    if (!at) return;
    list->at = at;
    at[list->n++] = tirbi_here(e) - 4; /* the target is the last operand of every jump */
}

void tirbi_put_jump(tirbi_emitter *e, tirbi_op op, uint16_t condition, tirbi_patch_list *list) {
    if (op == TIRB_OP_JMP) TIRBI_PUT(e, op, TIRB_TYPE_NONE, 0);
    else TIRBI_PUT(e, op, TIRB_TYPE_NONE, condition, 0);
    remember_patch(e, list);
}

void tirbi_land(tirbi_emitter *e, tirbi_patch_list *list) {
    for (uint32_t i = 0; i < list->n && !e->code.failed && !e->failed; i++) {
        tirbi_store_u32(e->code.data + list->at[i], tirbi_here(e));
    }
    list->n = 0;
}

void tirbi_mark_line(tirbi_emitter *e, tirbi_span span) {
    uint32_t line, column;
    if (!e->source) return;
    tirbi_source_locate(e->source, span.begin, &line, &column);
    tirbi_line *last = e->n_lines ? &e->lines[e->n_lines - 1] : NULL;
    if (last && last->line == line && last->column == column) return;
    if (last && last->offset == tirbi_here(e)) {
        last->line = line;
        last->column = column;
        return;
    }
    tirbi_line *lines = tirbi_grow(e->arena, e->lines, e->n_lines, &e->lines_capacity, sizeof(*lines));
    if (!lines) return;
    e->lines = lines;
    lines[e->n_lines++] = (tirbi_line){.offset = tirbi_here(e), .line = line, .column = column};
}
