/* The instruction set's tables, and that every instruction decodes to what was encoded. */
#include "tests/unit/loader_fixture.h"

#include "loader/base/bytes.h"
#include "loader/isa/isa.h"

static void test_dtypes(void **state) {
    (void)state;
    for (unsigned i = 0; i < TIRB_N_DTYPES; i++) {
        const tirbi_dtype_info *info = &tirbi_dtypes[i];
        tirbi_dtype found;
        assert_true(tirbi_dtype_from_name(info->name, strlen(info->name), &found));
        assert_int_equal(found, i);
        assert_true(tirbi_dtype_from_name(info->tvm_name, strlen(info->tvm_name), &found));
        assert_int_equal(found, i);
        assert_true(tirbi_dtype_from_dl(tirbi_dtype_to_dl((tirbi_dtype)i), &found));
        assert_int_equal(found, i);
        assert_int_equal(info->size * 8, info->bits);
    }
    tirbi_dtype found = TIRB_F64;
    assert_false(tirbi_dtype_from_name("float", 5, &found));
    assert_false(tirbi_dtype_from_name("f3", 2, &found));
    assert_false(tirbi_dtype_from_name("", 0, &found));
    assert_true(tirbi_dtype_from_dl((DLDataType){1, 1, 1}, &found));
    assert_int_equal(found, TIRB_BOOL);
    assert_true(tirbi_dtype_from_dl((DLDataType){1, 8, 1}, &found));
    assert_int_equal(found, TIRB_U8);
    assert_false(tirbi_dtype_from_dl((DLDataType){2, 32, 4}, &found));
    assert_false(tirbi_dtype_from_dl((DLDataType){3, 64, 1}, &found));
}

static void test_small_constants(void **state) {
    (void)state;
    for (int64_t v = TIRBI_SMALL_MIN; v <= TIRBI_SMALL_MAX; v++) {
        uint16_t x = tirbi_x_from_small(v);
        assert_true(tirbi_x_is_small(x));
        assert_int_equal(tirbi_x_small(x), v);
    }
    assert_false(tirbi_x_is_small(TIRBI_MAX_SREGS - 1));
}

static void test_elementwise_types(void **state) {
    (void)state;
    assert_int_equal(tirbi_op_result_type(TIRB_OP_LT, TIRB_F32), TIRB_BOOL);
    assert_int_equal(tirbi_op_result_type(TIRB_OP_VGE, TIRB_I8), TIRB_BOOL);
    assert_int_equal(tirbi_op_result_type(TIRB_OP_VISNAN, TIRB_F16), TIRB_BOOL);
    assert_int_equal(tirbi_op_result_type(TIRB_OP_SELECT, TIRB_I16), TIRB_I16);
    assert_int_equal(tirbi_op_result_type(TIRB_OP_VCAST, TIRB_I16), TIRB_I16);
    assert_int_equal(tirbi_op_operand_type(TIRB_OP_VSELECT, TIRB_F32, TIRB_F32, 0), TIRB_BOOL);
    assert_int_equal(tirbi_op_operand_type(TIRB_OP_VSELECT, TIRB_F32, TIRB_F32, 1), TIRB_F32);
    assert_int_equal(tirbi_op_operand_type(TIRB_OP_VCAST, TIRB_F32, TIRB_I8, 0), TIRB_I8);
    assert_int_equal(tirbi_op_operand_type(TIRB_OP_BITS, TIRB_F32, TIRB_I32, 0), TIRB_I32);
    assert_int_equal(tirbi_op_operand_type(TIRB_OP_LT, TIRB_F32, TIRB_F32, 1), TIRB_F32);
    assert_string_equal(tirbi_ops[TIRB_OP_CAST].operands, "DST");
    assert_string_equal(tirbi_ops[TIRB_OP_VBITS].operands, "VUT");
    assert_string_equal(tirbi_ops[TIRB_OP_FMA].operands, "DSSS");
    assert_string_equal(tirbi_ops[TIRB_OP_VNEG].operands, "VU");
    assert_string_equal(tirbi_ops[TIRB_OP_VNEG].mnemonic, "vneg");
}

/* Rows are what opcodes.def promises of them. */
static void test_rows(void **state) {
    (void)state;
    for (unsigned i = 0; i < TIRB_N_OPS; i++) {
        const tirbi_op_info *info = &tirbi_ops[i];
        if (!info->mnemonic) continue;
        assert_true(strspn(info->operands, "DSxWRVUQCLiIjTnFGKZarPHB") == strlen(info->operands));
        assert_true(strlen(info->meaning) > 0);
        if (info->flags & TIRBI_FLAG_ELEMENTWISE) {
            unsigned other = i ^ TIRB_OP_LANE_FORM;
            assert_true(tirbi_ops[other].flags & TIRBI_FLAG_ELEMENTWISE);
            assert_int_equal(tirbi_ops[other].types, info->types);
            assert_int_equal((info->flags & TIRBI_FLAG_LANE) != 0, i >= TIRB_OP_LANE_FORM);
        }
        assert_int_equal(strchr(info->operands, 'j') != NULL, (info->flags & TIRBI_FLAG_JUMP) != 0);
        for (unsigned k = 0; k < TIRB_N_OPS; k++) {
            if (k != i && tirbi_ops[k].mnemonic) assert_string_not_equal(tirbi_ops[k].mnemonic, info->mnemonic);
        }
    }
}

static int64_t sample(char letter, unsigned i) {
    switch (letter) {
    case 'i':
        return -5 - (int64_t)i;
    case 'I':
        return INT64_MIN + (int64_t)i;
    case 'j':
        return 0x12345678;
    case 'T':
        return TIRB_I32;
    case 'D':
    case 'S':
    case 'x':
    case 'W':
    case 'R':
    case 'F':
    case 'G':
    case 'K':
    case 'Z':
        return 0x8123 + (int64_t)i;
    case 'a':
        return 3;
    case 'r':
    case 'P':
        return 2;
    case 'H':
    case 'B':
        return 0;
    default:
        return 0x81 + (int64_t)i;
    }
}

static void fill(tirbi_instr *instr, uint8_t op, uint8_t type) {
    memset(instr, 0, sizeof(*instr));
    instr->op = op;
    instr->type = type;
    const char *letters = tirbi_ops[op].operands;
    for (unsigned i = 0; letters[i]; i++) instr->operand[i] = sample(letters[i], i);
    if (strchr(letters, 'a')) {
        for (uint16_t i = 0; i < 3; i++) instr->scalars[i] = (uint16_t)(1000 + i);
        for (uint16_t i = 0; i < 2 && strchr(letters, 'r'); i++) instr->refs[i] = (uint16_t)(2000 + i);
    }
    if (strchr(letters, 'P')) {
        tirbi_part *part = &instr->parts[1];
        part->partitioned = true;
        part->base = 0x8001;
        part->stride = 0x1234;
        part->extent = 5;
    }
    if (strchr(letters, 'B')) {
        instr->box.n_loops = 2;
        instr->box.extents[0] = 0x8001;
        instr->box.extents[1] = 0x1234;
        for (uint16_t i = 0; i < TIRBI_CONTRACT_OPERANDS; i++) {
            instr->box.operands[i].ref = i;
            instr->box.operands[i].type = (uint8_t)i;
            instr->box.operands[i].start = 0x8005;
            instr->box.operands[i].steps[1] = 7;
        }
    }
    if (!strchr(letters, 'H')) return;
    instr->lane.n = 7;
    instr->lane.n_inner = 2;
    instr->lane.n_cursors = 3;
    instr->lane.end = 0xABCDEF01;
    for (uint16_t i = 0; i < 2; i++) {
        instr->lane.inner[i].extent = i;
        instr->lane.inner[i].index = (uint16_t)(i - 1);
    }
    for (uint8_t i = 0; i < 3; i++) {
        tirbi_cursor *cursor = &instr->lane.cursors[i];
        cursor->ref = i;
        cursor->type = i;
        cursor->access = (uint8_t)(i + 1);
        cursor->level = i;
        cursor->start = 0x8001;
        cursor->step = 0x1234;
        cursor->steps[0] = 5;
        cursor->steps[1] = 6;
    }
}

typedef tirb_status (*decoder)(const uint8_t *code, size_t size, uint32_t offset, tirbi_instr *out, tirb_error *error);

/* An instruction behind one other byte. */
static void expect_decoded(fixture *f, decoder decode, const tirbi_writer *w, const tirbi_instr *in) {
    tirbi_instr out;
    memset(&out, 0, sizeof(out));
    fixture_ok(f, decode(w->data, w->size, 1, &out, &f->error), tirbi_ops[in->op].mnemonic);
    assert_int_equal(out.offset, 1);
    assert_int_equal(out.size, w->size - 1);
    out.offset = 0;
    out.size = 0;
    assert_memory_equal(in, &out, sizeof(out));
}

/* The tables of sizes have what it takes, if it is theirs. */
static void expect_sizes(uint8_t op, size_t size) {
    const bool is_row = (tirbi_ops[op].flags & TIRBI_FLAG_ELEMENTWISE) != 0;
    const bool is_lane = (tirbi_ops[op].flags & TIRBI_FLAG_LANE) != 0;
    const bool moves = op == TIRB_OP_VLOAD || op == TIRB_OP_VSTORE;
    assert_int_equal(tirbi_row_sizes[op], is_row && !is_lane ? size : 0);
    assert_int_equal(tirbi_lane_sizes[op], (is_row && is_lane) || moves ? size : 0);
}

static void test_round_trip(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    for (unsigned op = 0; op < TIRB_N_OPS; op++) {
        if (!tirbi_ops[op].mnemonic) continue;
        for (unsigned type = 0; type <= TIRB_N_DTYPES; type++) {
            bool untyped = tirbi_ops[op].types == 0;
            if (untyped != (type == TIRB_N_DTYPES)) continue;
            if (!untyped && !(tirbi_ops[op].types >> type & 1)) continue;
            tirbi_instr in, out;
            fill(&in, (uint8_t)op, untyped ? (uint8_t)TIRB_TYPE_NONE : (uint8_t)type);
            tirbi_writer w;
            tirbi_writer_init(&w, &f.heap);
            tirbi_write_u8(&w, 0xEE);
            tirbi_encode(&w, &in);
            expect_decoded(&f, tirbi_decode, &w, &in);
            expect_decoded(&f, tirbi_decode_verified, &w, &in);
            expect_sizes((uint8_t)op, w.size - 1);
            /* No prefix of an instruction is one. */
            for (size_t size = 0; size < w.size; size++) {
                assert_int_equal(tirbi_decode(w.data, size, 1, &out, NULL), TIRB_VERIFY);
            }
            tirbi_writer_destroy(&w);
        }
    }
    fixture_close(&f);
}

static void rejects(const uint8_t *code, size_t size, const char *reason) {
    tirbi_instr out;
    tirb_error error = TIRB_ERROR_INIT;
    assert_int_equal(tirbi_decode(code, size, 0, &out, &error), TIRB_VERIFY);
    if (!strstr(error.message, reason)) fail_msg("'%s' does not say '%s'", error.message, reason);
}

static void test_malformed(void **state) {
    (void)state;
    rejects((const uint8_t[]){0x44, 0xFF}, 2, "unknown opcode 0x44");
    rejects((const uint8_t[]){0x00, 0x01}, 2, "nop has no type");
    rejects((const uint8_t[]){0x21, 0xFF, 0, 0, 0, 0, 0, 0}, 8, "add: no type 255");
    rejects((const uint8_t[]){0x21, 0x00, 0, 0, 0, 0, 0, 0}, 8, "add does not exist for bool");
    rejects((const uint8_t[]){0x40, 0x0B, 0, 0, 0, 0, 13}, 7, "no type 13");
    rejects((const uint8_t[]){0x1C, 0xFF, 0, 0, 7, 0, 0, 0, 0, 0}, 10, "7 inner loops");
    rejects((const uint8_t[]){0x1C, 0xFF, 0, 0, 0, 33, 0, 0, 0, 0}, 10, "33 cursors");
    rejects((const uint8_t[]){0x1C, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 13, 1, 0, 0, 0, 0, 0}, 19, "no type 13");
    rejects((const uint8_t[]){0x1C, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0}, 19, "access 0");
    rejects((const uint8_t[]){0x1C, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 11, 4, 0, 0, 0, 0, 0}, 19, "access 4");
    rejects((const uint8_t[]){0x1C, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 11, 1, 1, 0, 0, 0, 0}, 19, "level 1 > 0");
    rejects((const uint8_t[]){0x1D, 0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0}, 19,
            "reference 0: no kind 2");
    /* A contraction over 10 loops is as long as one over 11 would at least have to be. */
    uint8_t box[256] = {0x1E, TIRB_F32, 0, 0, 0, 11};
    rejects(box, sizeof(box), "11 loops, at most 10");
    rejects((const uint8_t[]){0x1E, 0x0B, 0, 0, 0, 0, 0, 0, 0x0B, 0, 0, 0, 0, 13, 0, 0, 0, 0, 0x0B, 0, 0}, 21,
            "A: no type 13");
    rejects((const uint8_t[]){0x1F, 0x0B, 0, 0, 0, 0, 0, 0, 0x0B, 0, 0, 0, 0, 0x0B, 0, 0, 0, 0, 255, 0, 0}, 21,
            "B: no type 255");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dtypes), cmocka_unit_test(test_small_constants), cmocka_unit_test(test_elementwise_types),
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_round_trip),      cmocka_unit_test(test_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
