#include "fuzz/edit.h"

#include <string.h>

#include "loader/bundle/bundle.h"

enum { MAX_CODE = 1 << 17 };

/* ---- Targets --------------------------------------------------------------------------------------------------- */

bool edit_target_at(tirbi_instr *instr, unsigned index, edit_target *out) {
    const char *letters = tirbi_ops[instr->op].operands;
    unsigned seen = 0;
    for (unsigned i = 0; letters[i]; i++) {
        bool header = letters[i] == 'H';
        if ((header || letters[i] == 'j') && seen++ == index) {
            *out = header ? (edit_target){.end = &instr->lane.end} : (edit_target){.operand = &instr->operand[i]};
            return true;
        }
    }
    return false;
}

uint32_t edit_target_get(const edit_target *t) { return t->end ? *t->end : (uint32_t)*t->operand; }

void edit_target_set(const edit_target *t, uint32_t value) {
    if (t->end) {
        *t->end = value;
    } else {
        *t->operand = value;
    }
}

uint32_t edit_find(const edit_function *f, uint32_t id) {
    uint32_t i = 0;
    while (i < f->n_nodes && f->nodes[i].id != id) i++;
    return i;
}

/* ---- Opening --------------------------------------------------------------------------------------------------- */

static void *copy_array(tirbi_arena *arena, const void *from, size_t n, size_t size) {
    void *to = tirbi_arena_alloc(arena, n, size);
    if (to && n > 0) memcpy(to, from, n * size);
    return to;
}

static bool own_arrays(edit_program *e, edit_function *f) {
    tirbi_function *h = &f->head;
    f->params = copy_array(e->arena, h->params, h->n_params, sizeof(*f->params));
    f->vars = copy_array(e->arena, h->vars, h->n_vars, sizeof(*f->vars));
    f->refs = copy_array(e->arena, h->refs, h->n_refs, sizeof(*f->refs));
    f->reds = copy_array(e->arena, h->reds, h->n_reds, sizeof(*f->reds));
    h->params = f->params;
    h->vars = f->vars;
    h->refs = f->refs;
    h->reds = f->reds;
    return !e->arena->failed;
}

/* Offsets become ids: node i gets id i + 1 and an offset where no instruction starts becomes 0, which none has. */
static void name_targets(edit_function *f, const uint32_t *id_of_offset) {
    for (uint32_t i = 0; i < f->n_nodes; i++) {
        tirbi_instr *instr = (tirbi_instr *)(uintptr_t)f->nodes[i].instr;
        edit_target target;
        for (unsigned k = 0; edit_target_at(instr, k, &target); k++) {
            uint32_t offset = edit_target_get(&target);
            edit_target_set(&target, offset < f->head.code_size ? id_of_offset[offset] : 0);
        }
    }
}

static bool decode(edit_program *e, edit_function *f, uint32_t *id_of_offset) {
    tirbi_instr instr;
    uint32_t next_line = 0;
    memset(&instr, 0, sizeof(instr)); /* whole instructions are copied */
    for (uint32_t at = 0; at < f->head.code_size; at += instr.size) {
        if (tirbi_decode(f->head.code, f->head.code_size, at, &instr, NULL) != TIRB_OK) return false;
        if (f->n_nodes == EDIT_MAX_NODES) return false;
        edit_node *node = &f->nodes[f->n_nodes++];
        node->instr = copy_array(e->arena, &instr, 1, sizeof(instr));
        node->id = f->n_nodes;
        id_of_offset[at] = node->id;
        if (next_line < f->head.n_lines && f->head.lines[next_line].offset == at) {
            node->has_line = true;
            node->line = f->head.lines[next_line].line;
            node->column = f->head.lines[next_line++].column;
        }
        if (!node->instr) return false;
    }
    f->next_id = f->n_nodes + 1;
    name_targets(f, id_of_offset);
    return true;
}

static bool open_function(edit_program *e, const tirbi_function *from, edit_function *f) {
    *f = (edit_function){.head = *from};
    if (from->code_size > MAX_CODE || !own_arrays(e, f)) return false;
    uint32_t *id_of_offset = TIRBI_NEW_ARRAY(e->arena, uint32_t, (size_t)from->code_size + 1);
    f->nodes =
        TIRBI_NEW_ARRAY(e->arena, edit_node, from->code_size < EDIT_MAX_NODES ? from->code_size : EDIT_MAX_NODES);
    return id_of_offset && f->nodes && decode(e, f, id_of_offset);
}

bool edit_open(edit_program *e, const uint8_t *bytes, size_t size, tirbi_arena *arena) {
    tirbi_program *program;
    *e = (edit_program){.arena = arena};
    if (tirbi_bundle_read(bytes, size, 1 << 20, arena, &program, NULL) != TIRB_OK) return false;
    if (program->n_functions > EDIT_MAX_FUNCTIONS) return false;
    e->head = *program;
    e->n_functions = program->n_functions;
    for (uint32_t i = 0; i < e->n_functions; i++) {
        if (!open_function(e, &program->functions[i], &e->functions[i])) return false;
    }
    return true;
}

/* ---- Closing --------------------------------------------------------------------------------------------------- */

/* Offsets of the nodes by id; sizes do not depend on targets. */
static uint32_t *measure(edit_program *e, const edit_function *f, tirbi_writer *scratch) {
    uint32_t *offsets = TIRBI_NEW_ARRAY(e->arena, uint32_t, (size_t)f->next_id + 1);
    for (uint32_t i = 0; offsets && i < f->n_nodes; i++) {
        offsets[f->nodes[i].id] = (uint32_t)scratch->size;
        tirbi_encode(scratch, f->nodes[i].instr);
    }
    return scratch->failed ? NULL : offsets;
}

static void encode(const edit_function *f, const uint32_t *offsets, tirbi_writer *out, tirbi_line *lines) {
    uint32_t n_lines = 0;
    for (uint32_t i = 0; i < f->n_nodes; i++) {
        const edit_node *node = &f->nodes[i];
        tirbi_instr instr = *node->instr;
        edit_target target;
        for (unsigned k = 0; edit_target_at(&instr, k, &target); k++) {
            uint32_t id = edit_target_get(&target);
            edit_target_set(&target, id < f->next_id ? offsets[id] : 0);
        }
        if (node->has_line) lines[n_lines++] = (tirbi_line){(uint32_t)out->size, node->line, node->column};
        tirbi_encode(out, &instr);
    }
}

bool edit_encode(edit_program *e, edit_function *f) {
    tirbi_writer code;
    tirbi_writer_init(&code, e->arena->heap);
    uint32_t n_lines = 0;
    for (uint32_t i = 0; i < f->n_nodes; i++) n_lines += f->nodes[i].has_line;
    tirbi_line *lines = TIRBI_NEW_ARRAY(e->arena, tirbi_line, n_lines);
    const uint32_t *offsets = measure(e, f, &code);
    bool done = lines && offsets;
    if (done) {
        code.size = 0;
        encode(f, offsets, &code, lines);
        f->head.code_size = (uint32_t)code.size;
        f->head.code = copy_array(e->arena, code.data, code.size, 1);
        f->head.lines = lines;
        f->head.n_lines = n_lines;
        done = !code.failed && f->head.code;
    }
    tirbi_writer_destroy(&code);
    return done;
}

tirbi_program *edit_program_of(edit_program *e) {
    tirbi_program *program = TIRBI_NEW(e->arena, tirbi_program);
    tirbi_function *functions = TIRBI_NEW_ARRAY(e->arena, tirbi_function, e->n_functions);
    if (!program || !functions) return NULL;
    for (uint32_t i = 0; i < e->n_functions; i++) functions[i] = e->functions[i].head;
    *program = e->head;
    program->functions = functions;
    program->n_functions = (uint16_t)e->n_functions;
    program->are_called = TIRBI_NEW_ARRAY(e->arena, bool, e->n_functions); /* there may be more of them */
    return program;
}

/* ---- Changing -------------------------------------------------------------------------------------------------- */

bool edit_copy(edit_program *e, const edit_function *from, edit_function *to) {
    *to = *from;
    to->nodes = copy_array(e->arena, from->nodes, from->n_nodes, sizeof(*to->nodes));
    return own_arrays(e, to);
}

tirbi_instr *edit_own(edit_program *e, edit_node *node) {
    tirbi_instr *own = copy_array(e->arena, node->instr, 1, sizeof(*own));
    if (own) node->instr = own;
    return own;
}

bool edit_insert(edit_program *e, edit_function *f, uint32_t at, uint32_t count) {
    if (count > EDIT_MAX_NODES - f->n_nodes) return false;
    edit_node *nodes = TIRBI_NEW_ARRAY(e->arena, edit_node, f->n_nodes + count);
    if (!nodes) return false;
    memcpy(nodes, f->nodes, at * sizeof(*nodes));
    memcpy(nodes + at + count, f->nodes + at, (f->n_nodes - at) * sizeof(*nodes));
    for (uint32_t i = 0; i < count; i++) nodes[at + i].id = f->next_id++;
    f->nodes = nodes;
    f->n_nodes += count;
    return true;
}

static void move_targets(edit_program *e, edit_function *f, uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < f->n_nodes; i++) {
        edit_target target;
        for (unsigned k = 0; edit_target_at((tirbi_instr *)(uintptr_t)f->nodes[i].instr, k, &target); k++) {
            if (edit_target_get(&target) != from) continue;
            tirbi_instr *own = edit_own(e, &f->nodes[i]);
            if (own && edit_target_at(own, k, &target)) edit_target_set(&target, to);
        }
    }
}

void edit_erase(edit_program *e, edit_function *f, uint32_t at, uint32_t count) {
    uint32_t next = at + count < f->n_nodes ? f->nodes[at + count].id : 0;
    for (uint32_t i = 0; i < count; i++) move_targets(e, f, f->nodes[at + i].id, next);
    f->n_nodes -= count;
    memmove(f->nodes + at, f->nodes + at + count, (f->n_nodes - at) * sizeof(*f->nodes));
}

uint32_t edit_unit(const edit_function *f, uint32_t at) {
    const tirbi_instr *first = f->nodes[at].instr;
    uint32_t end = at;
    if (first->op == TIRB_OP_INNER) {
        while (end < f->n_nodes && !(f->nodes[end].instr->op == TIRB_OP_INNER_END &&
                                     f->nodes[end].instr->operand[0] == first->operand[0])) {
            end++;
        }
    } else if (strchr(tirbi_ops[first->op].operands, 'H')) {
        end = edit_find(f, first->lane.end);
    }
    return end >= at && end < f->n_nodes ? end - at + 1 : 1;
}
