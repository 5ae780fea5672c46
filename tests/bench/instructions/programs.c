/* A program for each row, as text for the assembler: a lane loop that runs a given number of times. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/bundle/assembly.h"
#include "loader/bundle/bundle.h"
#include "tests/bench/instructions/instructions.h"

enum { MOST_TEXT = 4096 };

typedef struct text {
    char data[MOST_TEXT];
    size_t size;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(t->data + t->size, MOST_TEXT - t->size, format, list);
    va_end(list);
    t->size += (size_t)n;
}

static const char *name_of(unsigned type) { return tirbi_dtypes[type].name; }

/* ---- What it works on ------------------------------------------------------------------------------------------- */

/* The arrays that the instruction alone reads. */
static unsigned operands_of(instruction of) {
    switch (of.op) {
    case TIRB_OP_VSPLAT:
    case TIRB_OP_VIOTA:
        return 0;
    case TIRB_OP_VLOAD:
    case TIRB_OP_VINDEX:
    case TIRB_OP_VFIND:
    case TIRB_OP_VRED:
    case TIRB_OP_VSCAN:
        return 1;
    case TIRB_OP_VUPDATEMA:
        return 3;
    case TIRB_OP_VREDMA:
    case TIRB_OP_VSCANMA:
    case TIRB_OP_VLOADX:
    case TIRB_OP_VSTOREX:
    case TIRB_OP_VUPDATE:
        return 2;
    default:
        return tirbi_ops[of.op].arity;
    }
}

static bool is_indexed(instruction of) {
    return of.op == TIRB_OP_VLOADX || of.op == TIRB_OP_VSTOREX || of.op == TIRB_OP_VUPDATE ||
           of.op == TIRB_OP_VUPDATEMA;
}

static bool is_elementwise(instruction of) { return (tirbi_ops[of.op].flags & TIRBI_FLAG_ELEMENTWISE) != 0; }

/* The operand that is computed in company. */
static unsigned made_operand(instruction of) {
    return of.op == TIRB_OP_VSELECT || (is_indexed(of) && of.op != TIRB_OP_VLOADX);
}

layout layout_of(instruction of, form f) {
    layout l = {.n_in = operands_of(of), .out = (tirbi_dtype)of.type, .index = is_indexed(of)};
    for (unsigned i = 0; i < l.n_in; i++) {
        l.in[i] = (tirbi_dtype)of.type;
        if (is_elementwise(of)) l.in[i] = tirbi_op_operand_type(of.op, (tirbi_dtype)of.type, (tirbi_dtype)of.detail, i);
    }
    if (l.index) l.in[0] = TIRB_I32;
    if (is_elementwise(of)) l.out = tirbi_op_result_type(of.op, (tirbi_dtype)of.type);
    if (of.op == TIRB_OP_VFIND) l.out = TIRB_I64;
    l.one_result = of.op == TIRB_OP_VFIND || of.op == TIRB_OP_VRED || of.op == TIRB_OP_VREDMA;
    l.n_operands = l.n_in;
    if (f == IN_COMPANY) {
        l.in[l.n_in] = l.n_in == 0 || of.op == TIRB_OP_VLOADX ? (tirbi_dtype)of.type : l.in[made_operand(of)];
        l.n_in++;
    }
    return l;
}

/* ---- Bodies ----------------------------------------------------------------------------------------------------- */

/* Lane registers: the operands from v0 on, then what is computed. */
enum { MADE = 8, FIRST, SECOND };

/* v`to` = v`a` and v`b` put together. */
static void mix(text *t, tirbi_dtype type, unsigned to, unsigned a, unsigned b) {
    add(t, "    v%s.%s v%u, v%u, v%u\n", type == TIRB_BOOL ? "xor" : "add", name_of(type), to, a, b);
}

/* One instruction, to v`to`, whose operand `made` is in v`at`. */
static void elementwise(text *t, instruction of, unsigned to, unsigned made, unsigned at) {
    add(t, "    %s.%s v%u", tirbi_ops[of.op].mnemonic, name_of(of.type), to);
    for (unsigned i = 0; i < tirbi_ops[of.op].arity; i++) add(t, ", v%u", i == made ? at : i);
    if (of.op == TIRB_OP_VCAST || of.op == TIRB_OP_VBITS) add(t, ", %s", name_of(of.detail));
    add(t, "\n");
}

static void elementwise_body(text *t, instruction of, const layout *l, form f) {
    const unsigned made = made_operand(of);
    elementwise(t, of, FIRST, made, f == ALONE ? made : MADE);
    if (f == IN_COMPANY) {
        elementwise(t, of, SECOND, made, made);
        mix(t, l->out, FIRST, FIRST, SECOND);
    }
    add(t, "    vstore.%s c%u, v%d\n", name_of(l->out), l->n_in, FIRST);
}

/* Of the rest, `a` is the register of the operand that may be computed. */
static void other_body(text *t, instruction of, const layout *l, form f) {
    const char *type = name_of(of.type);
    const unsigned a = f == ALONE ? made_operand(of) : MADE, out = l->n_in;
    switch (of.op) {
    case TIRB_OP_VLOAD:
        add(t, "    vstore.%s c%u, v%u\n", type, out, a);
        return;
    case TIRB_OP_VSPLAT:
        add(t, "    vsplat.%s v%d, s2\n", type, FIRST);
        break;
    case TIRB_OP_VIOTA:
        add(t, "    viota.%s v%d, s2, 3\n", type, FIRST);
        break;
    case TIRB_OP_VINDEX:
        add(t, "    vindex.%s v0, s2, 0, \"a\"\n    vstore.%s c1, v0\n", type, type);
        return;
    case TIRB_OP_VFIND:
        add(t, "    vfind.bool s2, v%u\n", a);
        return;
    case TIRB_OP_VRED:
        add(t, "    vred.%s q0, v%u\n", type, a);
        return;
    case TIRB_OP_VREDMA:
        add(t, "    vredma.%s q0, v%u, v1\n", type, a);
        return;
    case TIRB_OP_VSCAN:
        add(t, "    vscan.%s v%d, s2, v%u, %u\n", type, FIRST, a, of.detail);
        break;
    case TIRB_OP_VSCANMA:
        add(t, "    vscanma.%s v%d, s2, v%u, v1, %u\n", type, FIRST, a, of.detail);
        break;
    case TIRB_OP_VLOADX:
        add(t, "    vloadx.%s v%d, c1, v0, i32\n", type, FIRST);
        break;
    case TIRB_OP_VSTOREX:
        add(t, "    vstorex.%s c%u, v0, v%u, i32\n", type, out, a);
        return;
    case TIRB_OP_VUPDATE:
        add(t, "    vupdate.%s c%u, v0, v%u, i32, 0\n", type, out, a);
        return;
    default:
        add(t, "    vupdatema.%s c%u, v0, v%u, v2, i32, 0\n", type, out, a);
        return;
    }
    /* What such an instruction gives goes into a sum, the operand of a scan has gone into one. */
    if (f == IN_COMPANY) mix(t, l->out, FIRST, FIRST, of.op == TIRB_OP_VLOADX ? 2 : 0);
    add(t, "    vstore.%s c%u, v%d\n", type, out, FIRST);
}

/* ---- Whole programs --------------------------------------------------------------------------------------------- */

static bool is_table(instruction of, unsigned array) { return of.op == TIRB_OP_VLOADX && array == 1; }

static void head(text *t, instruction of, const layout *l) {
    static const char *const reductions[] = {"add", "mul", "min", "max"};
    add(t, ".function \"f\" public\n.scalars 4\n.lanes 12\n");
    for (unsigned i = 0; i < l->n_in; i++) add(t, ".ref %s\n", name_of(l->in[i]));
    add(t, ".ref %s writable\n", name_of(l->out));
    if (of.op == TIRB_OP_VRED) add(t, ".red %s %s\n", name_of(of.type), reductions[of.detail]);
    if (of.op == TIRB_OP_VREDMA) add(t, ".red %s add\n", name_of(of.type));
    if (l->n_in > 0 || !l->one_result) add(t, ".var \"n\" i64 s0\n");
    for (unsigned i = 0; i < l->n_in; i++) add(t, ".tensor \"in%u\" %s r%u read ($0)\n", i, name_of(l->in[i]), i);
    add(t, ".tensor \"out\" %s r%u %swrite (%s)\n", name_of(l->out), l->n_in, l->index ? "read " : "",
        l->one_result ? "1" : "$0");
    add(t, ".scalar \"times\" i64 s1\n");
}

/* 1 as the assembler reads it. */
static const char *one_of(tirbi_dtype type) {
    if (type == TIRB_F16) return "0x3c00";
    if (type == TIRB_BF16) return "0x3f80";
    return tirbi_dtype_is_float(type) ? "1.0" : "1";
}

/* s2: where a scan begins, what is splat, the bound of indices; s3 counts the times. */
static void before_loop(text *t, instruction of) {
    const char *type = name_of(of.type);
    add(t, "    const.i64 s3, 0\nagain:\n");
    if (of.op == TIRB_OP_VINDEX)
        add(t, "    const.i64 s2, %d\n", INDEX_LIMIT);
    else if (of.op == TIRB_OP_VIOTA)
        add(t, "    const.%s s2, 5\n", type);
    else if (!is_elementwise(of))
        add(t, "    const.%s s2, %s\n", type, one_of((tirbi_dtype)of.type));
    if (of.op == TIRB_OP_VRED || of.op == TIRB_OP_VREDMA) add(t, "    red.begin.%s q0, s2\n", type);
}

static void after_loop(text *t, instruction of, const layout *l) {
    if (of.op == TIRB_OP_VRED || of.op == TIRB_OP_VREDMA) add(t, "    red.end.%s s2, q0\n", name_of(of.type));
    if (l->one_result) add(t, "    store.%s r%u, 0, s2\n", name_of(l->out), l->n_in);
    add(t, "    loop s3, s1, again\n    ret.void\n.end\n");
}

static void lane_loop(text *t, instruction of, const layout *l, form f) {
    add(t, "    lane s0, done\n");
    for (unsigned i = 0; i < l->n_in; i++)
        add(t, "    .cursor r%u %s read %s\n", i, name_of(l->in[i]), is_table(of, i) ? "7 0 0" : "0 0 1");
    const bool updates = of.op == TIRB_OP_VUPDATE || of.op == TIRB_OP_VUPDATEMA;
    if (!l->one_result)
        add(t, "    .cursor r%u %s %s %s\n", l->n_in, name_of(l->out), updates ? "readwrite" : "write",
            l->index && of.op != TIRB_OP_VLOADX ? "7 0 0" : "0 0 1");
    for (unsigned i = 0; i < l->n_in; i++)
        if (!is_table(of, i)) add(t, "    vload.%s v%u, c%u\n", name_of(l->in[i]), i, i);
    const unsigned made = made_operand(of);
    if (f == IN_COMPANY && operands_of(of) > 0 && of.op != TIRB_OP_VLOADX) mix(t, l->in[made], MADE, made, l->n_in - 1);
    (is_elementwise(of) ? elementwise_body : other_body)(t, of, l, f);
    add(t, "done:\n    lane.end\n");
}

uint8_t *make_bundle(instruction of, form f, size_t *size) {
    text t = {.size = 0};
    const layout l = layout_of(of, f);
    head(&t, of, &l);
    before_loop(&t, of);
    lane_loop(&t, of, &l, f);
    after_loop(&t, of, &l);

    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_writer writer;
    tirbi_program *program = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    tirbi_writer_init(&writer, &heap);
    uint8_t *bytes = NULL;
    if (tirbi_assemble(t.data, t.size, &arena, &program, &error) == TIRB_OK &&
        tirbi_bundle_write(program, &heap, &writer, &error) == TIRB_OK)
        bytes = malloc(writer.size);
    if (bytes != NULL)
        memcpy(bytes, writer.data, writer.size);
    else
        fprintf(stderr, "instructions: %u: %s\n%s", error.line, error.message, t.data);
    *size = writer.size;
    tirbi_writer_destroy(&writer);
    tirbi_arena_destroy(&arena);
    return bytes;
}
