/* Constants: where they stand in a bundle, what the reader and the verifier refuse of them, and that they are used in
 * place when the bytes stay. */
#include "tests/unit/api_fixture.h"

#include "loader/bundle/parts.h"
#include "loader/verify/verify.h"

/* gather(C): C[i] = k0[i] + k1[i], of 4 elements; k2 has none. */
static const char sums[] = ".constant f32\n.data 0000803f000000400000404000008040\n"
                           ".constant f32\n.data 00002041000020410000\n.data 20410000a040\n"
                           ".constant i64\n"
                           ".function \"sum\" public\n.scalars 5\n.ref f32\n.ref f32\n.ref f32 writable\n.ref i64\n"
                           ".tensor \"C\" f32 r2 write (4) result\n"
                           "ref.const r0, k0\nref.const r1, k1\nref.const r3, k2\nconst.i64 s1, 4\nagain:\n"
                           "load.f32 s2, r0, s0\nload.f32 s3, r1, s0\nadd.f32 s4, s2, s3\nstore.f32 r2, s0, s4\n"
                           "loop s0, s1, again\nret.void\n.end\n";
static const float wanted[] = {11, 12, 13, 9};

/* ---- The section --------------------------------------------------------------------------------------------------
 */

/* Where a section's bytes begin in an uncompressed bundle; *size: how many there are. */
static size_t section_at(const bundle *b, uint64_t type, size_t *size) {
    tirbi_reader r = tirbi_reader_over(b->bytes, b->size);
    size_t before = 0, found = 0;
    r.at = TIRBI_BUNDLE_HEADER_SIZE;
    for (unsigned i = 0; i < b->bytes[HEADER_SECTIONS]; i++) {
        const uint64_t key = tirbi_read_varint(&r), stored = tirbi_read_varint(&r);
        if (key >> KEY_TYPE_SHIFT == type) found = before, *size = (size_t)stored;
        before += (size_t)stored;
    }
    return r.at + found;
}

static tirb_status read_bytes(const uint8_t *bytes, size_t size, bool stays, tirb_error *error) {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_program *program = NULL;
    *error = (tirb_error)TIRB_ERROR_INIT;
    tirbi_heap_init(&heap, NULL, UINT64_MAX - 1);
    tirbi_arena_init(&arena, &heap);
    const tirbi_bundle_limits limits = {.max_size = 1 << 20, .stays = stays};
    tirb_status status = tirbi_bundle_read_within(bytes, size, &limits, &arena, &program, error);
    for (unsigned i = 0; status == TIRB_OK && i < program->n_constants; i++) {
        const tirbi_constant *k = &program->constants[i];
        const bool in_place = k->bytes >= bytes && k->bytes <= bytes + size;
        if (k->size > 0) assert_int_equal(in_place, stays);
        if (k->size > 0 && !stays) assert_int_equal((uintptr_t)k->bytes % CONSTANT_ALIGN, 0);
    }
    tirbi_arena_destroy(&arena);
    assert_int_equal(heap.used, 0);
    return status;
}

/* The bundle with one byte changed and its checksum made right is refused for this reason; NULL: it is not. */
static void changed(const bundle *b, size_t at, uint8_t byte, const char *reason) {
    tirb_error error;
    uint8_t *copy = malloc(b->size);
    assert_non_null(copy);
    memcpy(copy, b->bytes, b->size);
    copy[at] = byte;
    tirbi_bundle_seal(copy, b->size);
    tirb_status status = read_bytes(copy, b->size, false, &error);
    if (reason ? status != TIRB_FORMAT || !strstr(error.message, reason) : status != TIRB_OK)
        fail_msg("byte %zu: %s: %s, not %s", at, tirb_status_name(status), error.message, reason ? reason : "OK");
    free(copy);
}

static void test_section(void **state) {
    (void)state;
    bundle b = assemble(sums);
    tirb_error error;
    size_t size = 0;
    const size_t at = section_at(&b, SECTION_CONSTANTS, &size), table = at + 7, gap = b.bytes[table];
    const size_t first = table + 1 + gap;
    assert_int_equal(first % CONSTANT_ALIGN, 0);
    assert_int_equal(at + size, first + 64 + 64); /* up to where the one without elements begins */
    assert_memory_equal(b.bytes + first, "\0\0\x80\x3f", 4);
    assert_int_equal(read_bytes(b.bytes, b.size, false, &error), TIRB_OK);
    assert_int_equal(read_bytes(b.bytes, b.size, true, &error), TIRB_OK);
    changed(&b, first, 1, NULL);
    changed(&b, at, 0, "constants is malformed");                 /* there are none */
    changed(&b, at, 2, "constants");                              /* one less */
    changed(&b, at + 1, TIRB_N_DTYPES, "constants is malformed"); /* no type */
    changed(&b, at + 2, 3, "constants is malformed");             /* an element where zeroes are to be */
    changed(&b, at + 4, 64, "constants is malformed");            /* more elements than there are bytes */
    changed(&b, at + 6, 1, "constants is malformed");
    changed(&b, at + 6, 2, "constants is malformed");
    changed(&b, table, 128, "constants is malformed"); /* too wide a gap */
    if (gap > 0) changed(&b, table, (uint8_t)(gap - 1), "no multiple of 64");
    if (gap > 0) changed(&b, table + 1, 1, "constants is malformed"); /* a gap that is not of zeroes */
    changed(&b, first + 63, 1, "constants is malformed");             /* likewise between two */
    free(b.bytes);
}

/* However long what stands before them is, they begin where they should. */
static void test_alignment(void **state) {
    (void)state;
    char name[300], text[900];
    for (size_t n = 1; n < sizeof name; n++) {
        memset(name, 'n', n);
        name[n] = 0;
        snprintf(text, sizeof text, ".string \"%s\"\n.constant u8\n.data 01\n.constant i8\n.data %s", name,
                 n % 2 ? "02" : "0203");
        tirb_error error;
        bundle b = assemble(text);
        if (read_bytes(b.bytes, b.size, true, &error) != TIRB_OK) fail_msg("%zu: %s", n, error.message);
        free(b.bytes);
    }
}

/* The table of sections is as long with any gap but one: then a longer gap is needed. */
static void test_gap(void **state) {
    (void)state;
    for (unsigned elements = 0; elements < 16400; elements += elements < 16256 ? 127 : 1) {
        tirbi_heap heap;
        tirbi_heap_init(&heap, NULL, UINT64_MAX);
        static const uint8_t zeroes[1 << 15];
        const tirbi_constant constant = {.dtype = TIRB_U8, .bytes = zeroes, .size = elements};
        const tirbi_program program = {.source_file = TIRBI_NO_STRING, .n_constants = 1, .constants = &constant};
        tirbi_writer out;
        tirb_error error;
        tirbi_writer_init(&out, &heap);
        assert_int_equal(tirbi_bundle_write(&program, &heap, &out, NULL), TIRB_OK);
        if (read_bytes(out.data, out.size, true, &error) != TIRB_OK) fail_msg("%u: %s", elements, error.message);
        tirbi_writer_destroy(&out);
    }
}

static void test_not_compressed(void **state) {
    (void)state;
    bundle b = assemble(".constant u8\n.data 0102\n");
    tirb_error error;
    /* In the table: three sections of a key and a size, then the constants'. */
    const size_t key = TIRBI_BUNDLE_HEADER_SIZE + 6;
    assert_int_equal(b.bytes[key], SECTION_CONSTANTS << KEY_TYPE_SHIFT | KEY_REQUIRED);
    b.bytes[key] &= (uint8_t)~KEY_REQUIRED;
    tirbi_bundle_seal(b.bytes, b.size);
    assert_int_equal(read_bytes(b.bytes, b.size, false, &error), TIRB_FORMAT);
    assert_non_null(strstr(error.message, "section type 5 must be marked required"));
    free(b.bytes);
    /* Four sections without anything, the last of which says that it is compressed from 2 bytes. */
    uint8_t bytes[] = {'T', 'I', 'R', 'B', 0, 0, 0, 0, 0, 0,  0, 0,  1, 0,  4, 1, 0, 0, 0, 0, 42,
                       0,   0,   0,   7,   0, 0, 0, 5, 1, 13, 3, 17, 0, 23, 1, 3, 0, 0, 0, 0, 0};
    bytes[HEADER_SIZE] = sizeof bytes;
    tirbi_bundle_seal(bytes, sizeof bytes);
    assert_int_equal(read_bytes(bytes, sizeof bytes, false, &error), TIRB_FORMAT);
    assert_non_null(strstr(error.message, "the section of constants is compressed"));
}

/* ---- What the program may do with them ----------------------------------------------------------------------------
 */

static void verifies(const char *text, const char *reason) {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_program *program = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_heap_init(&heap, NULL, UINT64_MAX - 1);
    tirbi_arena_init(&arena, &heap);
    if (tirbi_assemble(text, strlen(text), &arena, &program, &error) != TIRB_OK) fail_msg("%s", error.message);
    tirb_status status = tirbi_verify(program, &heap, &error);
    if (reason ? status != TIRB_VERIFY || !strstr(error.message, reason) : status != TIRB_OK)
        fail_msg("%s: %s, not %s", tirb_status_name(status), error.message, reason ? reason : "OK");
    tirbi_arena_destroy(&arena);
}

#define TAKES(refs, code) ".constant f32\n.data 0000803f\n.function \"f\"\n" refs code "\nret.void\n.end\n"

static void test_verified(void **state) {
    (void)state;
    verifies(sums, NULL);
    verifies(TAKES(".ref f32\n", "ref.const r0, k0"), NULL);
    verifies(TAKES(".ref f32\n", "ref.const r0, k1"), "constant 1 >= 1");
    verifies(TAKES(".ref f32\n", "ref.const r1, k0"), "reference register 1 >= 1");
    verifies(TAKES(".ref f32 writable\n", "ref.const r0, k0"), "r0 may be written, a constant may not");
    verifies(TAKES(".ref i32\n", "ref.const r0, k0"), "r0 is i32, constant 0 is f32");
    verifies(".constant f32\n.data 0000803f00\n", "constant 0: 5 bytes are no number of elements of f32");
    const tirbi_constant constant = {.dtype = TIRB_N_DTYPES};
    const tirbi_program program = {.source_file = TIRBI_NO_STRING, .n_constants = 1, .constants = &constant};
    tirbi_heap heap;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_heap_init(&heap, NULL, UINT64_MAX - 1);
    assert_int_equal(tirbi_verify(&program, &heap, &error), TIRB_VERIFY);
    assert_non_null(strstr(error.message, "constant 0: no type 13"));
}

/* ---- Loading ------------------------------------------------------------------------------------------------------
 */

static void call_sum(tirb_module *module, const float *expected) {
    tirb_instance *instance;
    tirb_error error = TIRB_ERROR_INIT;
    float c[4] = {0};
    tensor t;
    const tirb_arg arg = tensor_arg(make_tensor(&t, c, F32, 1, 4));
    assert_int_equal(tirb_instance_create(module, NULL, &instance, NULL), TIRB_OK);
    if (tirb_instance_call(instance, find(module, "sum"), &arg, 1, NULL, &error) != TIRB_OK)
        fail_msg("%s", error.message);
    assert_memory_equal(c, expected, sizeof c);
    tirb_instance_destroy(instance);
}

/* Bundles are little-endian: elsewhere constants are copies, in place or not. */
static bool is_little_endian(void) {
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* 101, as a bundle has it. */
static const uint8_t more[4] = {0x00, 0x00, 0xCA, 0x42};

static void count_release(void *context) { ++*(int *)context; }

/* 64 bytes further on than memory of the allocator is aligned to. */
static uint8_t *aligned_copy(const bundle *b, void **block) {
    *block = malloc(b->size + 64);
    assert_non_null(*block);
    uint8_t *bytes = (uint8_t *)*block + (64 - (uintptr_t)*block % 64);
    memcpy(bytes, b->bytes, b->size);
    return bytes;
}

static void test_in_place(void **state) {
    (void)state;
    tirb_engine *engine;
    tirb_module *module, *other;
    int released = 0;
    void *block;
    size_t size;
    bundle b = assemble(sums);
    uint8_t *bytes = aligned_copy(&b, &block);
    const size_t at = section_at(&b, SECTION_CONSTANTS, &size);
    const size_t first = at + 8 + bytes[at + 7];
    assert_int_equal(tirb_engine_create(NULL, &engine, NULL), TIRB_OK);
    assert_int_equal(tirb_module_load_in_place(engine, bytes, b.size, NULL, count_release, &released, &module, NULL),
                     TIRB_OK);
    assert_int_equal(tirb_module_load(engine, bytes, b.size, &other, NULL), TIRB_OK);
    call_sum(module, wanted);
    const float changed_sums[] = {111, 12, 13, 9};
    memcpy(bytes + first, more, sizeof more);
    call_sum(module, is_little_endian() ? changed_sums : wanted); /* it is the caller's memory, */
    call_sum(other, wanted);                                      /* and here a copy */
    tirb_module *again = tirb_module_retain(module);
    tirb_module_release(module);
    assert_int_equal(released, 0);
    tirb_module_release(again);
    assert_int_equal(released, 1);
    /* The sum is wrong now; what was refused is not released. */
    tirb_error error = TIRB_ERROR_INIT;
    assert_int_equal(tirb_module_load_in_place(engine, bytes, b.size, NULL, count_release, &released, &module, &error),
                     TIRB_CHECKSUM);
    assert_int_equal(released, 1);
    assert_null(module);
    assert_int_equal(tirb_module_load_in_place(NULL, bytes, b.size, NULL, NULL, NULL, &module, &error), TIRB_MISUSE);
    assert_non_null(strstr(error.message, "tirb_module_load_in_place: engine is NULL"));
    tirb_module_release(other);
    tirb_engine_release(engine);
    free(block);
    free(b.bytes);
}

/* Elements that are not aligned are copied: the result is the same. */
static void test_odd_place(void **state) {
    (void)state;
    tirb_engine *engine;
    tirb_module *module;
    bundle b = assemble(sums);
    void *block;
    uint8_t *bytes = aligned_copy(&b, &block);
    memmove(bytes - 1, bytes, b.size);
    assert_int_equal(tirb_engine_create(NULL, &engine, NULL), TIRB_OK);
    assert_int_equal(tirb_module_load_in_place(engine, bytes - 1, b.size, NULL, NULL, NULL, &module, NULL), TIRB_OK);
    memset(bytes - 1, 0xEE, b.size);
    call_sum(module, wanted);
    tirb_module_release(module);
    tirb_engine_release(engine);
    free(block);
    free(b.bytes);
}

/* Bundles whose constants alone differ are different modules, although the constants are not hashed for the cache. */
static void test_cached(void **state) {
    (void)state;
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    options.cache_bytes = 1 << 20;
    tirb_engine *engine;
    tirb_module *modules[3];
    bundle b = assemble(sums);
    size_t size;
    const size_t at = section_at(&b, SECTION_CONSTANTS, &size);
    const float changed_sums[] = {111, 12, 13, 9};
    assert_int_equal(tirbi_bundle_head(b.bytes, b.size), at);
    assert_int_equal(tirbi_bundle_head(b.bytes, 20), 20);
    assert_int_equal(tirb_engine_create(&options, &engine, NULL), TIRB_OK);
    assert_int_equal(tirb_module_load(engine, b.bytes, b.size, &modules[0], NULL), TIRB_OK);
    assert_int_equal(tirb_module_load(engine, b.bytes, b.size, &modules[1], NULL), TIRB_OK);
    memcpy(b.bytes + at + 8 + b.bytes[at + 7], more, sizeof more);
    assert_int_equal(tirb_module_load(engine, b.bytes, b.size, &modules[2], NULL), TIRB_CHECKSUM);
    tirbi_bundle_seal(b.bytes, b.size);
    assert_int_equal(tirb_module_load(engine, b.bytes, b.size, &modules[2], NULL), TIRB_OK);
    tirb_cache_stats stats = TIRB_CACHE_STATS_INIT;
    assert_int_equal(tirb_engine_cache_stats(engine, &stats), TIRB_OK);
    assert_int_equal(stats.hits, 1);
    assert_int_equal(stats.modules, 2);
    call_sum(modules[1], wanted);
    call_sum(modules[2], changed_sums);
    for (int i = 0; i < 3; i++) tirb_module_release(modules[i]);
    tirb_engine_release(engine);
    free(b.bytes);
}

/* Limits count constants, in place or not; copies count as memory too. */
static void test_limits(void **state) {
    (void)state;
    enum { BYTES = 1 << 20 };
    static uint8_t zeroes[BYTES];
    tirbi_heap heap;
    tirbi_writer out;
    tirb_engine *engine;
    tirb_module *module;
    const tirbi_constant constant = {.dtype = TIRB_U8, .bytes = zeroes, .size = BYTES};
    const tirbi_program program = {.source_file = TIRBI_NO_STRING, .n_constants = 1, .constants = &constant};
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&out, &heap);
    assert_int_equal(tirbi_bundle_write(&program, &heap, &out, NULL), TIRB_OK);
    assert_int_equal(tirb_engine_create(NULL, &engine, NULL), TIRB_OK);
    tirb_load_limits limits = TIRB_LOAD_LIMITS_INIT;
    limits.max_bytes = BYTES;
    assert_int_equal(tirb_module_load_limited(engine, out.data, out.size, &limits, &module, NULL), TIRB_MEMORY_LIMIT);
    assert_int_equal(tirb_module_load_in_place(engine, out.data, out.size, &limits, NULL, NULL, &module, NULL),
                     TIRB_MEMORY_LIMIT);
    limits = (tirb_load_limits)TIRB_LOAD_LIMITS_INIT;
    limits.max_work = BYTES / 8;
    assert_int_equal(tirb_module_load_limited(engine, out.data, out.size, &limits, &module, NULL), TIRB_FUEL);
    limits = (tirb_load_limits)TIRB_LOAD_LIMITS_INIT;
    limits.max_memory = BYTES;
    assert_int_equal(tirb_module_load_limited(engine, out.data, out.size, &limits, &module, NULL), TIRB_MEMORY_LIMIT);
    if (is_little_endian()) {
        tirb_load_stats stats = TIRB_LOAD_STATS_INIT;
        assert_int_equal(tirb_module_load_in_place(engine, out.data, out.size, &limits, NULL, NULL, &module, NULL),
                         TIRB_OK);
        assert_int_equal(tirb_module_load_stats(module, &stats), TIRB_OK);
        assert_true(stats.bytes >= BYTES);
        assert_true(stats.memory < BYTES / 4);
        assert_true(stats.work < BYTES / 16);
        tirb_module_release(module);
    }
    tirb_engine_release(engine);
    tirbi_writer_destroy(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_section),        cmocka_unit_test(test_alignment), cmocka_unit_test(test_gap),
        cmocka_unit_test(test_not_compressed), cmocka_unit_test(test_verified),  cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_odd_place),      cmocka_unit_test(test_cached),    cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
