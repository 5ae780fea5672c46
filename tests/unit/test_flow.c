/* What jumps leave of a scalar register's constant: lane loops, which compute with constants in other forms than with
 * other scalars, take one for granted only where every way has written it. */
#include "tests/unit/machine_harness.h"

#include "vm/machine/machine.h"
#include "vm/lanes/kernels.h"

/* The code before the lane loop y = x + s1 of f16; s0 is the number of lanes, s2 a parameter. `known`: s1 holds one
 * constant there, whatever way has led to it. The values are those of s1 for s2 = 0 and s2 = 1. */
static const struct {
    const char *code;
    bool known;
    uint16_t values[2];
} cases[] = {
    {"", true, {0, 0}},
    {"const.f16 s1, 0x3c00", true, {0x3C00, 0x3C00}},
    {"const.f16 s1, 0", true, {0, 0}},
    {"brif s2, over\nconst.f16 s1, 0\nover:", true, {0, 0}},
    {"brif s2, over\nconst.f16 s1, 0x3c00\nover:", false, {0x3C00, 0}},
    {"brnot s2, over\nconst.f16 s1, 0x3c00\nover:", false, {0, 0x3C00}},
    {"jmp over\nconst.f16 s1, 0x3c00\nover:", false, {0, 0}},
    {"const.f16 s1, 0x3c00\nbrif s2, over\nconst.f16 s1, 0x3c00\nover:", true, {0x3C00, 0x3C00}},
    {"const.f16 s1, 0x3c00\nbrif s2, over\nconst.f16 s1, 0x4000\nover:", false, {0x4000, 0x3C00}},
    {"const.f16 s1, 0x3c00\nbrif s2, over\nmov.i64 s1, s2\nover:", false, {0, 0x3C00}},
    {"const.f16 s1, 0x3c00\nconst.f16 s1, 0x4000", false, {0x4000, 0x4000}},
    /* both ways write it, which is more than is looked for */
    {"brif s2, one\nconst.f16 s1, 0x3c00\njmp over\none:\nconst.f16 s1, 0x3c00\nover:", false, {0x3C00, 0x3C00}},
    /* jumps that land before it, or leave from behind it */
    {"brif s2, over\nnop\nover:\nconst.f16 s1, 0x3c00\nbrif s2, two\nnop\ntwo:", true, {0x3C00, 0x3C00}},
    {"brif s2, one\nconst.f16 s1, 0x3c00\none:\nbrif s2, two\nnop\ntwo:\nconst.f16 s1, 0x3c00", true, {0x3C00, 0x3C00}},
    {"brif s2, two\nbrif s2, one\none:\nconst.f16 s1, 0x3c00\ntwo:", false, {0x3C00, 0}},
    {"brif s2, one\nbrif s2, two\nconst.f16 s1, 0x3c00\none:\nnop\ntwo:", false, {0x3C00, 0}},
    {"brif s2, one\nnop\nbrif s2, two\none:\nconst.f16 s1, 0x3c00\ntwo:", false, {0x3C00, 0x3C00}},
    /* loops: in one that runs once, before one, and behind its head */
    {"again:\nconst.f16 s1, 0x3c00\nloop s3, s2, again", true, {0x3C00, 0x3C00}},
    {"const.f16 s1, 0x3c00\nagain:\nnop\nloop s3, s2, again", true, {0x3C00, 0x3C00}},
    {"again:\nbrif s3, over\nconst.f16 s1, 0x3c00\nover:\nloop s3, s2, again", false, {0x3C00, 0x3C00}},
    /* s1 may be written behind the loop's head, which the way to it leaves out */
    {"brif s2, middle\nconst.f16 s1, 0x3c00\nagain:\nnop\nmiddle:\nadd.i64 s3, s3, s4\nlt.i64 s5, s3, s6\nbrnot s5, "
     "over\nback again\nover:",
     false,
     {0x3C00, 0}},
};
enum { N_CASES = sizeof cases / sizeof *cases, N = 70 };

static void write_text(char *to, size_t size, unsigned i) {
    snprintf(to, size,
             ".function \"f\" public\n.scalars 7\n.lanes 2\n.ref f16\n.ref f16 writable\n"
             ".tensor \"x\" f16 r0 read ($0)\n.tensor \"y\" f16 r1 write ($0)\n.scalar \"a\" i64 s2\n"
             ".var \"n\" i64 s0\nconst.i64 s4, 1\nconst.i64 s6, 2\n%s\nlane s0, done\n.cursor r0 f16 read 0 0 1\n"
             ".cursor r1 f16 write 0 0 1\nvload.f16 v0, c0\nvsplat.f16 v1, s1\nvadd.f16 v0, v0, v1\n"
             "vstore.f16 c1, v0\ndone:\nlane.end\nret.void\n.end\n",
             cases[i].code);
}

static void constants_that_jumps_leave_out(void **state) {
    (void)state;
    for (unsigned i = 0; i < N_CASES; i++) {
        char text[2000];
        harness h;
        write_text(text, sizeof text, i);
        harness_open(&h, text);
        for (uint64_t a = 0; a < 2; a++) {
            uint16_t x[N] = {0}, y[N];
            memset(y, 0xFF, sizeof y);
            buffer b[] = {{x, N, TIRB_F16}, {y, N, TIRB_F16}};
            assert_int_equal(harness_call(&h, (uint64_t[]){a, N}, b, 2).status, TIRB_OK);
            for (unsigned e = 0; e < N; e++)
                if (y[e] != cases[i].values[a]) harness_fail(&h, "lane %u is %04x, where s2 is %u", e, y[e], (unsigned)a);
        }
        harness_close(&h);
    }
}

/* A constant has a slot of its own for its other form. */
static void constants_that_are_known(void **state) {
    (void)state;
    for (unsigned i = 0; i < N_CASES; i++) {
        char text[2000];
        harness h;
        write_text(text, sizeof text, i);
        harness_open(&h, text);
        for (unsigned isa = 0; isa < h.n_isas; isa++) {
            const unsigned n = h.codes[isa]->functions[0].loops[0].n_splats;
            if ((n == 2) != cases[i].known)
                harness_fail(&h, "case %u, %s: %u forms of a splat", i, tirb_isa_name(h.isas[isa]), n);
        }
        harness_close(&h);
    }
}

/* No later loop takes the constant of an earlier one for granted, nor the other way round. */
static void places_of_one_function(void **state) {
    (void)state;
    enum { FEW = 5 };
    harness h;
    harness_open(&h,
                 ".function \"f\" public\n.scalars 4\n.lanes 2\n.ref f16 writable\n.ref f16 writable\n"
                 ".tensor \"x\" f16 r0 write ($0)\n.tensor \"y\" f16 r1 write ($0)\n.scalar \"a\" i64 s2\n"
                 ".var \"n\" i64 s0\n"
                 "lane s0, first\n.cursor r0 f16 write 0 0 1\nvsplat.f16 v0, s1\nvadd.f16 v0, v0, v0\n"
                 "vstore.f16 c0, v0\nfirst:\nlane.end\n"
                 "brnot s2, over\nconst.f16 s1, 0x3c00\n"
                 "lane s0, second\n.cursor r0 f16 write 0 0 1\nvsplat.f16 v0, s1\nvadd.f16 v0, v0, v0\n"
                 "vstore.f16 c0, v0\nsecond:\nlane.end\n"
                 "over:\n"
                 "lane s0, third\n.cursor r1 f16 write 0 0 1\nvsplat.f16 v0, s1\nvadd.f16 v0, v0, v0\n"
                 "vstore.f16 c0, v0\nthird:\nlane.end\n"
                 "ret.void\n.end\n");
    static const bool known[] = {false, true, false};
    for (unsigned isa = 0; isa < h.n_isas; isa++)
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(h.codes[isa]->functions[0].loops[i].n_splats == 2, known[i]);
    for (uint64_t a = 0; a < 2; a++) {
        uint16_t x[FEW], y[FEW];
        memset(x, 0xFF, sizeof x);
        memset(y, 0xFF, sizeof y);
        buffer b[] = {{x, FEW, TIRB_F16}, {y, FEW, TIRB_F16}};
        assert_int_equal(harness_call(&h, (uint64_t[]){a, FEW}, b, 2).status, TIRB_OK);
        for (unsigned e = 0; e < FEW; e++) {
            assert_int_equal(x[e], a ? 0x4000 : 0);
            assert_int_equal(y[e], a ? 0x4000 : 0);
        }
    }
    harness_close(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_that_jumps_leave_out),
        cmocka_unit_test(constants_that_are_known),
        cmocka_unit_test(places_of_one_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
