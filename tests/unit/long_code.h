/* Functions of any size: a unit of code many times, of every kind that translation has a way of its own for. */
#ifndef TIRB_TESTS_UNIT_LONG_CODE_H
#define TIRB_TESTS_UNIT_LONG_CODE_H

#include "tests/unit/loader_fixture.h"

/* Where the unit is: behind other code, or in the lane loop that the head begins. */
typedef enum where { BEHIND, INSIDE } where;

/* A function with a unit of code many times. */
typedef struct family {
    const char *name;
    const char *head; /* directives, and code before */
    const char *unit; /* is repeated */
    const char *tail;
    where where;
} family;

static const family families[] = {
    {"scalar code",
     ".scalars 8\n.ref f32 writable\n.tensor \"a\" f32 r0 read write (64)\n.scalar \"n\" i64 s0\n",
     "add.i64 s1, s0, s2\nload.f32 s3, r0, s1\nmul.f32 s4, s3, s3\nstore.f32 r0, s1, s4\nlt.i64 s5, s1, s0\n"
     "select.i64 s2, s5, s1, s0\nconst.i32 s6, 7\n",
     "ret.void\n", BEHIND},
    {"lane loops",
     ".scalars 2\n.lanes 4\n.ref f32\n.ref f32 writable\n.tensor \"a\" f32 r0 read (64)\n.tensor \"b\" f32 r1 read "
     "write (64)\n.scalar \"n\" i64 s0\n",
     "lane s0, done%\n.cursor r0 f32 read 0 0 1\n.cursor r1 f32 readwrite 0 0 1\nvload.f32 v0, c0\nvload.f32 v1, c1\n"
     "vsplat.f32 v2, s1\nvmul.f32 v2, v2, v0\nvadd.f32 v3, v2, v1\nvmax.f32 v3, v3, v0\nvstore.f32 c1, v3\n"
     "done%:\nlane.end\n",
     "ret.void\n", BEHIND},
    {"empty lane loops", ".scalars 1\n.lanes 64\n.scalar \"n\" i64 s0\n", "lane s0, done%\ndone%:\nlane.end\n",
     "ret.void\n", BEHIND},
    {"a long body in banks",
     ".scalars 1\n.lanes 8\n.ref f32 writable\n.tensor \"a\" f32 r0 read write (64)\n.scalar \"n\" i64 s0\n"
     "lane s0, done\n.cursor r0 f32 readwrite 0 0 1\nvload.f32 v0, c0\nvload.f32 v1, c0\nvload.f32 v2, c0\n",
     "vadd.f32 v3, v0, v1\nvmul.f32 v1, v3, v2\nvsub.f32 v2, v3, v0\n", "vstore.f32 c0, v2\ndone:\nlane.end\nret.void\n",
     INSIDE},
    {"a body that banks spill",
     ".scalars 1\n.lanes 8\n.ref f32 writable\n.tensor \"a\" f32 r0 read write (64)\n.scalar \"n\" i64 s0\n"
     "lane s0, done\n.cursor r0 f32 readwrite 0 0 1\nvload.f32 v0, c0\nvload.f32 v1, c0\nvload.f32 v2, c0\n"
     "vload.f32 v3, c0\nvload.f32 v4, c0\nvload.f32 v5, c0\n",
     "vadd.f32 v0, v1, v2\nvsub.f32 v3, v4, v5\nvmul.f32 v1, v0, v3\nvadd.f32 v4, v2, v5\nvmul.f32 v2, v1, v0\n"
     "vneg.f32 v5, v4\n", "vstore.f32 c0, v2\ndone:\nlane.end\nret.void\n", INSIDE},
    {"a body of narrow lanes",
     ".scalars 1\n.lanes 8\n.ref u8 writable\n.ref f32 writable\n.tensor \"a\" u8 r0 read write (64)\n"
     ".tensor \"b\" f32 r1 read write (64)\n.scalar \"n\" i64 s0\nlane s0, done\n.cursor r0 u8 readwrite 0 0 1\n"
     ".cursor r1 f32 readwrite 0 0 1\nvload.u8 v0, c0\nvload.f32 v1, c1\nvload.f32 v2, c1\n",
     "vcast.f32 v3, v0, u8\nvadd.f32 v1, v3, v1\nvmul.f32 v2, v1, v2\nvcast.u8 v0, v2, f32\n",
     "vstore.u8 c0, v0\nvstore.f32 c1, v2\ndone:\nlane.end\nret.void\n", INSIDE},
    {"a long body of kernels",
     ".scalars 1\n.lanes 8\n.ref f32 writable\n.tensor \"a\" f32 r0 read write (64)\n.scalar \"n\" i64 s0\n"
     "lane s0, done\n.cursor r0 f32 readwrite 0 0 1\nvload.f32 v0, c0\n",
     "vexp.f32 v1, v0\nvsin.f32 v0, v1\n", "vstore.f32 c0, v0\ndone:\nlane.end\nret.void\n", INSIDE},
    {"kernels beside a constant",
     ".scalars 2\n.lanes 8\n.ref f32 writable\n.tensor \"a\" f32 r0 read write (64)\n.scalar \"n\" i64 s0\n"
     "lane s0, done\n.cursor r0 f32 readwrite 0 0 1\nvload.f32 v0, c0\nvsplat.f32 v2, s1\n",
     "vexp.f32 v1, v0\nvsin.f32 v0, v1\n", "vadd.f32 v0, v0, v2\nvstore.f32 c0, v0\ndone:\nlane.end\nret.void\n",
     INSIDE},
    {"loads and stores",
     ".scalars 1\n.lanes 8\n.ref f32 writable\n.ref f32 writable\n.tensor \"a\" f32 r0 read write (64)\n"
     ".tensor \"b\" f32 r1 read write (64)\n.scalar \"n\" i64 s0\nlane s0, done\n.cursor r0 f32 readwrite 0 0 1\n"
     ".cursor r1 f32 readwrite 0 0 3\nvload.f32 v0, c0\nvload.f32 v1, c1\n",
     "vload.f32 v2, c0\nvstore.f32 c1, v0\nvstore.f32 c0, v1\nvload.f32 v0, c1\nvload.f32 v1, c0\n"
     "vstore.f32 c1, v2\n", "vstore.f32 c0, v0\ndone:\nlane.end\nret.void\n", INSIDE},
    {"truths in memory",
     ".scalars 1\n.lanes 8\n.ref bool writable\n.tensor \"a\" bool r0 read write (64)\n.scalar \"n\" i64 s0\n"
     "lane s0, done\n.cursor r0 bool readwrite 0 0 1\n.cursor r0 bool readwrite 0 0 1\nvload.bool v0, c0\n",
     "vload.bool v1, c0\nvnot.bool v0, v1\nvstore.bool c0, v0\n", "vstore.bool c0, v0\ndone:\nlane.end\nret.void\n",
     INSIDE},
    {"rows of short loops",
     ".scalars 4\n.lanes 4\n.ref f32\n.ref f32 writable\n.tensor \"a\" f32 r0 read (64)\n.tensor \"b\" f32 r1 read "
     "write (64)\n.scalar \"n\" i64 s0\n.scalar \"m\" i64 s1\n",
     "lane s0, done%\n.inner s1\n.cursor r0 f32 read 0 0 1 s0\n.cursor r1 f32 readwrite 0 0 1 s0\ninner l0\n"
     "vload.f32 v0, c0\nvload.f32 v1, c1\nvadd.f32 v2, v1, v0\nvstore.f32 c1, v2\nvexp.f32 v3, v0\n"
     "vstore.f32 c1, v3\ninner.end l0\ndone%:\nlane.end\n",
     "ret.void\n", BEHIND},
    {"lanes that leave",
     ".scalars 1\n.lanes 16\n.ref f32 writable\n.tensor \"a\" f32 r0 read write (64)\n.scalar \"n\" i64 s0\n"
     "lane s0, done\n.cursor r0 f32 readwrite 0 0 1\nvload.f32 v0, c0\nvload.f32 v1, c0\nvload.f32 v2, c0\n"
     "vload.f32 v3, c0\nvload.f32 v4, c0\nvload.f32 v5, c0\nvload.f32 v6, c0\nvload.f32 v7, c0\nvload.f32 v8, c0\n"
     "vload.f32 v9, c0\nvload.f32 v10, c0\nvload.f32 v11, c0\nvload.f32 v12, c0\nvlt.f32 v13, v0, v1\nvloop\n",
     "vwhile.bool v13\nvadd.f32 v0, v1, v2\nvwhile.bool v13\nvmul.f32 v3, v4, v5\nvwhile.bool v13\n",
     "vagain\nvadd.f32 v0, v0, v3\nvfma.f32 v0, v1, v2, v0\nvfma.f32 v0, v4, v5, v0\nvfma.f32 v0, v6, v7, v0\n"
     "vfma.f32 v0, v8, v9, v0\nvfma.f32 v0, v10, v11, v0\nvadd.f32 v0, v0, v12\nvstore.f32 c0, v0\ndone:\nlane.end\n"
     "ret.void\n", INSIDE},
    {"a long inner loop",
     ".scalars 2\n.lanes 8\n.ref f32 writable\n.tensor \"a\" f32 r0 read write (64)\n.scalar \"n\" i64 s0\n"
     "lane s0, done\n.inner s0\n.cursor r0 f32 readwrite 0 0 1 0\nvload.f32 v0, c0\nvload.f32 v1, c0\ninner l0\n",
     "vadd.f32 v1, v0, v1\nvmul.f32 v2, v1, v1\n",
     "inner.end l0\nvstore.f32 c0, v1\ndone:\nlane.end\nret.void\n", INSIDE},
    {"divisors of a long loop",
     ".scalars 2\n.lanes 8\n.ref i32 writable\n.tensor \"a\" i32 r0 read write (64)\n.scalar \"n\" i64 s0\n"
     "lane s0, done\n.inner s0\n.cursor r0 i32 readwrite 0 0 1 0\nvload.i32 v0, c0\nvsplat.i32 v3, s1\ninner l0\n",
     "vdiv.i32 v1, v0, v3\nvadd.i32 v0, v0, v1\n",
     "inner.end l0\nvstore.i32 c0, v0\ndone:\nlane.end\nret.void\n", INSIDE},
    {"stores of elements far behind each other",
     ".scalars 1\n.lanes 8\n.ref f32 writable\n.tensor \"a\" f32 r0 read write (64)\n.scalar \"n\" i64 s0\n"
     "lane s0, done\n.cursor r0 f32 readwrite 0 0 9\n.cursor r0 f32 write 0 1 9\n.cursor r0 f32 write 0 2 9\n"
     "vload.f32 v0, c0\nvstore.f32 c1, v0\n",
     "vadd.f32 v1, v0, v0\nvmul.f32 v0, v1, v1\n",
     "vstore.f32 c2, v0\nvstore.f32 c0, v1\ndone:\nlane.end\nret.void\n", INSIDE},
    {"elements that lanes name",
     ".scalars 3\n.lanes 8\n.ref f32\n.ref i32\n.ref f32 writable\n.tensor \"a\" f32 r0 read (64)\n"
     ".tensor \"i\" i32 r1 read (64)\n.tensor \"b\" f32 r2 read write (64)\n.scalar \"n\" i64 s0\n"
     "lane s0, done\n.cursor r0 f32 read 7 0 0\n.cursor r1 i32 read 0 0 1\n.cursor r2 f32 write 0 0 1\n"
     "vload.i32 v1, c1\n",
     "vindex.i32 v1, s1, 0, \"f\"\nvloadx.f32 v2, c0, v1, i32\nvadd.f32 v3, v2, v2\n",
     "vstore.f32 c2, v3\ndone:\nlane.end\nret.void\n", INSIDE},
    {"what the lanes of ranges compute",
     ".scalars 3\n.lanes 4\n.ref i32\n.ref i64 writable\n.var \"m\" i64 s0\n.var \"n\" i64 s1\n"
     ".tensor \"ends\" i32 r0 read ($0)\n.tensor \"b\" i64 r1 write ($1)\n.scalar \"first\" i64 s2\n"
     "lane s1, done\n.cursor r0 i32 read 7 0 0\n.cursor r1 i64 write 0 0 1\nvsplat.i64 v1, s0\n"
     "vadvance.i32 v0, s2, c0, s2, i64\n",
     "vadd.i64 v2, v1, v1\nvxor.i64 v1, v2, v1\n", "vstore.i64 c1, v0\ndone:\nlane.end\nret.void\n", INSIDE},
    {"a long body behind a scan",
     ".scalars 2\n.lanes 4\n.ref f32 writable\n.tensor \"a\" f32 r0 read write (64)\n.scalar \"n\" i64 s0\n"
     "lane s0, done\n.cursor r0 f32 readwrite 0 0 1\nvload.f32 v0, c0\nvscan.f32 v1, s1, v0, 0\n",
     "vadd.f32 v2, v1, v0\nvmul.f32 v0, v2, v1\n", "vstore.f32 c0, v0\ndone:\nlane.end\nret.void\n", INSIDE},
    {"jumps", ".scalars 2\n.scalar \"n\" i64 s0\n", "brif s0, next%\nnext%:\nnop\n", "ret.void\n", BEHIND},
    {"loops", ".scalars 2\n.scalar \"n\" i64 s0\n", "again%:\nnop\nloop s1, s0, again%\n", "ret.void\n", BEHIND},
    {"checks",
     ".scalars 3\n.ref f32 writable\n.tensor \"a\" f32 r0 read write (64)\n.scalar \"n\" i64 s0\n",
     "index s0, s1, 0, \"a\"\nload.f32 s2, r0, s0\n", "ret.void\n", BEHIND},
};

/* The unit, with its number for each '%'. */
static inline void put_unit(tirbi_writer *text, const family *of, unsigned number) {
    for (const char *c = of->unit; *c; c++)
        tirbi_write_u8(text, *c == '%' ? (uint8_t)('0' + number) : (uint8_t)*c);
}

/* Where an instruction says something about a place in the code, it says it about one `by` bytes behind. */
static inline void shift(tirbi_instr *instr, uint32_t by) {
    const char *letters = tirbi_ops[instr->op].operands;
    for (unsigned i = 0; letters[i]; i++)
        if (letters[i] == 'j') instr->operand[i] += by;
    if (instr->op == TIRB_OP_LANE) instr->lane.end += by;
}

static inline void copy_code(tirbi_writer *to, const tirbi_function *f, uint32_t from, uint32_t end, uint32_t by) {
    tirbi_instr instr;
    for (uint32_t at = from; at < end; at += instr.size) {
        assert_int_equal(tirbi_decode(f->code, f->code_size, at, &instr, NULL), TIRB_OK);
        shift(&instr, by);
        tirbi_encode(to, &instr);
    }
}

/* A program of one function of about `size` bytes of code: some units behind each other, again and again. Its code is
 * in `code`, which is to be destroyed after it. */
static inline tirbi_program *make_long(fixture *f, const family *of, const char *unit, uint32_t size,
                                       tirbi_writer *code) {
    enum { UNITS = 4 };
    tirbi_writer text;
    tirbi_writer_init(&text, &f->heap);
    tirbi_writer_init(code, &f->heap);
    const char *parts[] = {".function \"f\" public\n", of->head, ".line 1 1\n"};
    for (unsigned i = 0; i < 3; i++) tirbi_write_bytes(&text, parts[i], strlen(parts[i]));
    if (unit) tirbi_write_bytes(&text, unit, strlen(unit));
    for (unsigned i = 0; i < UNITS && !unit; i++) put_unit(&text, of, i);
    tirbi_write_bytes(&text, ".line 2 1\n", 10);
    tirbi_write_bytes(&text, of->tail, strlen(of->tail));
    tirbi_write_bytes(&text, ".end", 5);
    tirbi_program *program = fixture_assemble(f, (const char *)text.data);
    tirbi_function *function = (tirbi_function *)(uintptr_t)&program->functions[0];
    const uint32_t first = function->lines[0].offset, last = function->lines[1].offset, block = last - first;
    const uint32_t times = size / block + 1, more = (times - 1) * block;
    copy_code(code, function, 0, first, of->where == BEHIND ? 0 : more);
    for (uint32_t i = 0; i < times; i++) copy_code(code, function, first, last, i * block);
    copy_code(code, function, last, function->code_size, more);
    function->code = code->data;
    function->code_size = (uint32_t)code->size;
    function->n_lines = 0;
    tirbi_writer_destroy(&text);
    return program;
}

#endif
