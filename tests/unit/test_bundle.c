/* The container: what is written comes back, and what is not a bundle is refused before memory is taken for it. */
#include "tests/unit/loader_fixture.h"
#include "tests/unit/sample_program.h"

#include "loader/bundle/parts.h"

enum { MAX_SIZE = 1 << 20 };

static tirb_status read_bundle(fixture *f, const uint8_t *bytes, size_t size, uint64_t max_size, tirbi_program **out) {
    f->error = (tirb_error)TIRB_ERROR_INIT;
    return tirbi_bundle_read(bytes, size, max_size, &f->arena, out, &f->error);
}

static void assert_refused(fixture *f, tirbi_writer *bytes, tirb_status status, const char *reason) {
    tirbi_program *program = NULL;
    if (bytes->size >= TIRBI_BUNDLE_HEADER_SIZE) tirbi_bundle_seal(bytes->data, bytes->size);
    tirb_status got = read_bundle(f, bytes->data, bytes->size, MAX_SIZE, &program);
    if (got != status || !strstr(f->error.message, reason)) {
        fail_msg("%s '%s', not %s '%s'", tirb_status_name(got), f->error.message, tirb_status_name(status), reason);
    }
}

static void assert_text_equal(const tirbi_writer *a, const tirbi_writer *b) {
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

static tirbi_writer disassemble(fixture *f, const tirbi_program *program) {
    tirbi_writer text;
    tirbi_writer_init(&text, &f->heap);
    fixture_ok(f, tirbi_disassemble(program, &text, &f->error), "disassemble");
    return text;
}

/* Text and bundle of a program both give it back, and the same bytes again. */
static void assert_round_trip(fixture *f, const tirbi_program *program) {
    tirbi_writer bytes = fixture_bundle(f, program);
    tirbi_writer text = disassemble(f, program);
    tirbi_program *restored = NULL;
    tirbi_program *assembled = NULL;
    fixture_ok(f, read_bundle(f, bytes.data, bytes.size, UINT64_MAX, &restored), "read");
    fixture_ok(f, tirbi_assemble((const char *)text.data, text.size, &f->arena, &assembled, &f->error), "assemble");
    const tirbi_program *copies[] = {restored, assembled};
    for (unsigned i = 0; i < 2; i++) {
        tirbi_writer bytes_again = fixture_bundle(f, copies[i]);
        tirbi_writer text_again = disassemble(f, copies[i]);
        assert_text_equal(&bytes, &bytes_again);
        assert_text_equal(&text, &text_again);
        tirbi_writer_destroy(&bytes_again);
        tirbi_writer_destroy(&text_again);
    }
    tirbi_writer_destroy(&bytes);
    tirbi_writer_destroy(&text);
}

static void test_round_trip(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    const tirbi_program *program = fixture_assemble(&f, sample_program);
    fixture_ok(&f, tirbi_verify(program, &f.heap, &f.error), "verify");
    assert_round_trip(&f, program);
    assert_round_trip(&f, fixture_assemble(&f, ""));
    fixture_close(&f);
}

static void test_fields(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    tirbi_writer bytes = fixture_bundle(&f, fixture_assemble(&f, sample_program));
    tirbi_program *p = NULL;
    fixture_ok(&f, read_bundle(&f, bytes.data, bytes.size, MAX_SIZE, &p), "read");
    memset(bytes.data, 0, bytes.size); /* nothing points into it */
    assert_int_equal(p->n_functions, 2);
    assert_int_equal(p->fp_mode, 2);
    assert_string_equal(p->strings[p->source_file].text, "dir/sample.py");
    assert_string_equal(p->strings[2].text, "twice \"\\\n\t\x7f");
    const tirbi_function *main_function = &p->functions[0];
    assert_true(main_function->is_public);
    assert_false(main_function->returns);
    assert_int_equal(main_function->n_sregs, 12);
    assert_int_equal(main_function->n_lane_regs, 4);
    assert_int_equal(main_function->n_refs, 3);
    assert_true(main_function->refs[2].writable);
    assert_int_equal(main_function->refs[2].dtype, TIRB_I32);
    assert_int_equal(main_function->reds[1].op, TIRBI_RED_MAX);
    assert_int_equal(main_function->vars[0].param, TIRBI_NO_REG);
    assert_int_equal(main_function->vars[1].param, 2);
    const tirbi_param *b = &main_function->params[1];
    assert_true(b->has_strides && b->has_elem_offset);
    assert_int_equal(b->access, TIRBI_READ | TIRBI_WRITE);
    assert_int_equal(b->strides[0].terms[0].value, -3);
    assert_int_equal(b->elem_offset.n_terms, 3);
    assert_int_equal(main_function->n_lines, 3);
    assert_int_equal(main_function->lines[2].line, 5);
    assert_int_equal(p->functions[1].return_type, TIRB_BOOL);
    assert_false(p->functions[1].is_public);
    tirbi_writer_destroy(&bytes);
    fixture_close(&f);
}

/* Many functions, so that sections are large enough to be compressed. */
static tirbi_program *large_program(fixture *f, unsigned n) {
    tirbi_writer text;
    tirbi_writer_init(&text, &f->heap);
    for (unsigned i = 0; i < n; i++) {
        char function[400];
        int size = snprintf(function, sizeof(function),
                            ".function \"kernel_%u\" public\n.scalars 8\n.ref f32 writable\n.var \"n\" i64 s0\n"
                            ".tensor \"A\" f32 r0 write ($0 %u)\n.line %u 5\nconst.i32 s1, %u\nadd.i64 s2, s1, s0\n"
                            "again:\nstore.f32 r0, s2, s3\nloop s3, s0, again\nret.void\n.end\n",
                            i, i * 37 % 1000, 10 * i + 3, i * i);
        tirbi_write_bytes(&text, function, (size_t)size);
    }
    tirbi_write_u8(&text, 0);
    tirbi_program *program = fixture_assemble(f, (const char *)text.data);
    tirbi_writer_destroy(&text);
    return program;
}

static void test_compressed(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    const tirbi_program *program = large_program(&f, 300);
    fixture_ok(&f, tirbi_verify(program, &f.heap, &f.error), "verify");
    assert_round_trip(&f, program);
    tirbi_writer bytes = fixture_bundle(&f, program);
    uint32_t unpacked = tirbi_load_u32(bytes.data + HEADER_UNPACKED);
    assert_true(bytes.size < unpacked / 2);
    assert_int_equal(bytes.data[HEADER_DICTIONARY], TIRBI_DICTIONARY);
    tirbi_program *restored = NULL;
    assert_int_equal(read_bundle(&f, bytes.data, bytes.size, bytes.size - 1, &restored), TIRB_MEMORY_LIMIT);
    assert_int_equal(read_bundle(&f, bytes.data, bytes.size, unpacked - 1, &restored), TIRB_MEMORY_LIMIT);
    /* A frame that is cut, or that has other contents than its checked entry says, is refused. */
    unsigned n_damaged = 0;
    for (size_t at = TIRBI_BUNDLE_HEADER_SIZE; at < bytes.size; at += 7) {
        uint8_t byte = bytes.data[at];
        bytes.data[at] = (uint8_t)(byte + 1);
        tirbi_bundle_seal(bytes.data, bytes.size);
        tirbi_program *altered = NULL;
        tirb_status status = read_bundle(&f, bytes.data, bytes.size, MAX_SIZE, &altered);
        if (status == TIRB_OK)
            tirbi_verify(altered, &f.heap, NULL);
        else
            n_damaged += strstr(f.error.message, "a compressed section cannot be unpacked") != NULL;
        bytes.data[at] = byte;
    }
    assert_true(n_damaged > 0);
    tirbi_writer_destroy(&bytes);
    fixture_close(&f);
}

static void test_decoded_limit(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    tirbi_writer bytes = fixture_bundle(&f, large_program(&f, 40));
    uint64_t before = f.heap.used;
    tirbi_program *restored = NULL;
    fixture_ok(&f, read_bundle(&f, bytes.data, bytes.size, bytes.size, &restored), "read");
    assert_true(f.heap.used - before < 8 * (uint64_t)bytes.size + 65536); /* and the arena's last block */
    tirbi_writer_destroy(&bytes);
    fixture_close(&f);
}

/* ---- Bounded work and memory ------------------------------------------------------------------------------------ */

typedef struct failing_heap {
    unsigned calls, fail_at;
    size_t largest;
} failing_heap;

static void *reallocate(void *context, void *ptr, size_t old_size, size_t new_size) {
    failing_heap *heap = (failing_heap *)context;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    if (new_size > heap->largest) heap->largest = new_size;
    return heap->calls++ == heap->fail_at ? NULL : realloc(ptr, new_size);
}

/* Reads `bytes` with a heap of this allocator, which may take so many steps. */
static tirb_status read_with(const tirbi_writer *bytes, const tirb_allocator *allocator, uint64_t max_work,
                             uint64_t *work) {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_program *program = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_heap_init(&heap, allocator, MAX_SIZE);
    heap.max_work = max_work;
    tirbi_arena_init(&arena, &heap);
    const tirb_status status = tirbi_bundle_read(bytes->data, bytes->size, MAX_SIZE, &arena, &program, &error);
    assert_true((program != NULL) == (status == TIRB_OK));
    tirbi_arena_destroy(&arena);
    assert_int_equal(heap.used, 0);
    if (work) *work = heap.work;
    return status;
}

/* Every step counts, wherever it is taken: one less than a bundle needs is too few, and so is each smaller number. */
static void check_steps(const tirbi_writer *bytes) {
    uint64_t steps;
    assert_int_equal(read_with(bytes, NULL, UINT64_MAX, &steps), TIRB_OK);
    assert_int_equal(read_with(bytes, NULL, steps, NULL), TIRB_OK);
    for (uint64_t fewer = 0; fewer < steps; fewer++) {
        uint64_t taken;
        assert_int_equal(read_with(bytes, NULL, fewer, &taken), TIRB_FUEL);
        assert_true(taken > fewer);
    }
}

/* What is unpacked is paid for before memory is taken for it. */
static void check_unpaid(const tirbi_writer *bytes) {
    enum { LARGE = 1 << 14 };
    uint64_t first;
    failing_heap heap = {.fail_at = UINT32_MAX};
    const tirb_allocator allocator = {reallocate, &heap};
    assert_int_equal(read_with(bytes, NULL, 0, &first), TIRB_FUEL);
    assert_int_equal(read_with(bytes, &allocator, first, NULL), TIRB_FUEL);
    assert_true(heap.largest < LARGE);
    assert_int_equal(read_with(bytes, &allocator, UINT64_MAX, NULL), TIRB_OK);
    assert_true(heap.largest >= LARGE);
}

/* However little a bundle may unpack to: its sections and its code, each counted. */
static void check_unpacked(fixture *f, const tirbi_writer *bytes) {
    tirbi_program *program = NULL;
    fixture_ok(f, read_bundle(f, bytes->data, bytes->size, MAX_SIZE, &program), "read");
    const uint64_t n = program->n_bytes;
    for (uint64_t most = n; most > n / 2; most--) {
        const tirbi_bundle_limits limits = {.max_size = MAX_SIZE, .max_unpacked = most};
        const tirb_status status =
            tirbi_bundle_read_within(bytes->data, bytes->size, &limits, &f->arena, &program, &f->error);
        assert_int_equal(status, most == n ? TIRB_OK : TIRB_MEMORY_LIMIT);
    }
}

/* Each allocation fails once. */
static void check_allocations(const tirbi_writer *bytes) {
    failing_heap heap = {.fail_at = UINT32_MAX};
    const tirb_allocator allocator = {reallocate, &heap};
    assert_int_equal(read_with(bytes, &allocator, UINT64_MAX, NULL), TIRB_OK);
    const unsigned calls = heap.calls;
    for (unsigned i = 0; i < calls; i++) {
        heap = (failing_heap){.fail_at = i};
        const tirb_status status = read_with(bytes, &allocator, UINT64_MAX, NULL);
        if (status != TIRB_NO_MEMORY) fail_msg("allocation %u of %u fails: %s", i, calls, tirb_status_name(status));
    }
}

static void test_bounded(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    const tirbi_program *programs[] = {
        fixture_assemble(&f, sample_program), large_program(&f, 40),
        fixture_assemble(&f, ".constant u8\n.data 01020304\n.constant i64\n.constant f32\n.data 0000803f\n")};
    for (unsigned i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        tirbi_writer bytes = fixture_bundle(&f, programs[i]);
        check_steps(&bytes);
        check_allocations(&bytes);
        check_unpacked(&f, &bytes);
        tirbi_writer_destroy(&bytes);
    }
    tirbi_writer compressed = fixture_bundle(&f, large_program(&f, 1000));
    check_allocations(&compressed);
    check_unpaid(&compressed);
    tirbi_writer_destroy(&compressed);
    fixture_close(&f);
}

/* A name of each length: wherever the arena's first block ends, what comes next has no memory. */
static void test_each_allocation_fails(void **state) {
    (void)state;
    enum { FIRST_BLOCK = 4096, ALIGNMENT = 16 };
    static char text[sizeof(sample_program) + FIRST_BLOCK + 64], name[FIRST_BLOCK + 1];
    fixture f;
    fixture_open(&f);
    for (unsigned length = 1; length <= FIRST_BLOCK; length += ALIGNMENT) {
        memset(name, 'n', length);
        name[length] = 0;
        snprintf(text, sizeof(text), "%s.string \"%s\"\n", sample_program, name);
        tirbi_writer bytes = fixture_bundle(&f, fixture_assemble(&f, text));
        check_allocations(&bytes);
        tirbi_writer_destroy(&bytes);
    }
    fixture_close(&f);
}

/* Reading goes no further than its steps allow: by no more than an instruction has. */
static void test_steps_of_code(void **state) {
    (void)state;
    enum { TIMES = 2000, MOST_MORE = 8 };
    fixture f;
    fixture_open(&f);
    tirbi_writer text;
    tirbi_writer_init(&text, &f.heap);
    tirbi_write_bytes(&text, ".function \"f\"\n", 14);
    for (unsigned i = 0; i < TIMES; i++) tirbi_write_bytes(&text, "nop\n", 4);
    tirbi_write_bytes(&text, "ret.void\n.end\n", 15);
    tirbi_writer bytes = fixture_bundle(&f, fixture_assemble(&f, (const char *)text.data));
    uint64_t steps, taken;
    assert_int_equal(read_with(&bytes, NULL, UINT64_MAX, &steps), TIRB_OK);
    assert_int_equal(read_with(&bytes, NULL, steps - TIMES, &taken), TIRB_FUEL);
    assert_true(taken - (steps - TIMES) <= MOST_MORE);
    tirbi_writer_destroy(&bytes);
    tirbi_writer_destroy(&text);
    fixture_close(&f);
}

/* Extents, strides, minima and conditions of terms that take up to 16 bytes of memory for each of a bundle: whichever
 * of them the limit on decoded tables refuses, that is what is said, and nothing is read on. */
static void test_refused_dims(void **state) {
    (void)state;
    enum { N = 6, TEXT = 1 << 14 };
    static const char *const forms[][2] = {{".tensor \"A\" i8 r0 (", ")\n"},
                                           {".tensor \"A\" i8 r0 (1) strides (", ")\n"},
                                           {".tensor \"A\" i8 r0 (1) minima (", ")\n"},
                                           {".tensor \"A\" i8 r0 () offset ", "\n"},
                                           {".requires 1 < ", "\n"},
                                           {".requires ", " < 1\n"}};
    for (unsigned form = 0; form < sizeof(forms) / sizeof(forms[0]); form++) {
        char *text = malloc(TEXT);
        assert_non_null(text);
        int at = snprintf(text, TEXT, ".function \"f\"\n.ref i8\n");
        for (unsigned i = 0; i < N; i++) {
            at += snprintf(text + at, TEXT - (size_t)at, "%s{1", forms[form][0]);
            for (unsigned k = 0; k < 31; k++) at += snprintf(text + at, TEXT - (size_t)at, " 2 add");
            at += snprintf(text + at, TEXT - (size_t)at, "}%s", forms[form][1]);
        }
        snprintf(text + at, TEXT - (size_t)at, "ret.void\n.end\n");
        fixture f;
        fixture_open(&f);
        tirbi_writer bytes = fixture_bundle(&f, fixture_assemble(&f, text));
        tirb_status status = TIRB_MEMORY_LIMIT;
        unsigned refused = 0;
        for (uint64_t max_size = bytes.size; status != TIRB_OK; max_size++, refused++) {
            tirbi_program *program = NULL;
            status = read_bundle(&f, bytes.data, bytes.size, max_size, &program);
            if (status != TIRB_OK && status != TIRB_MEMORY_LIMIT) fail_msg("form %u: %s", form, f.error.message);
        }
        assert_true(refused > N);
        tirbi_writer_destroy(&bytes);
        fixture_close(&f);
        free(text);
    }
}

/* ---- Headers and tables ---------------------------------------------------------------------------------------- */

typedef void (*alteration)(tirbi_writer *bytes);

static void cut_to_nothing(tirbi_writer *bytes) { bytes->size = 0; }
static void cut_in_header(tirbi_writer *bytes) { bytes->size = TIRBI_BUNDLE_HEADER_SIZE - 1; }
static void cut_at_end(tirbi_writer *bytes) { bytes->size--; }
static void append_byte(tirbi_writer *bytes) { tirbi_write_u8(bytes, 0); }
static void other_magic(tirbi_writer *bytes) { bytes->data[0] = 't'; }
static void next_major(tirbi_writer *bytes) { bytes->data[HEADER_MAJOR]++; }
static void feature(tirbi_writer *bytes) { bytes->data[HEADER_FEATURES + 1] = 1; }
static void feature_unused(tirbi_writer *bytes) { bytes->data[HEADER_FEATURES] = FEATURE_REGIONS; }
static void unpacked_huge(tirbi_writer *bytes) { tirbi_store_u32(bytes->data + HEADER_UNPACKED, UINT32_MAX); }
static void unpacked_wrong(tirbi_writer *bytes) { bytes->data[HEADER_UNPACKED]++; }
static void dictionary_unknown(tirbi_writer *bytes) { bytes->data[HEADER_DICTIONARY] = 77; }
static void dictionary_unused(tirbi_writer *bytes) { bytes->data[HEADER_DICTIONARY] = TIRBI_DICTIONARY; }
static void one_section_less(tirbi_writer *bytes) { bytes->data[HEADER_SECTIONS]--; }
static void many_sections(tirbi_writer *bytes) { bytes->data[HEADER_SECTIONS] = 255; }

static void test_headers(void **state) {
    (void)state;
    static const struct {
        alteration alter;
        tirb_status status;
        const char *reason;
    } cases[] = {
        {cut_to_nothing, TIRB_FORMAT, "not a tirb bundle"},
        {cut_in_header, TIRB_FORMAT, "truncated"},
        {cut_at_end, TIRB_FORMAT, "truncated"},
        {append_byte, TIRB_FORMAT, "trailing bytes"},
        {other_magic, TIRB_FORMAT, "not a tirb bundle"},
        {next_major, TIRB_VERSION, "bundle format 2.0, this tirb reads 1.x"},
        {feature, TIRB_VERSION, "features 0x11a, this tirb knows 0x7f"},
        {feature_unused, TIRB_FORMAT, "uses the features 0x1a, its header says 0x1"},
        {unpacked_huge, TIRB_MEMORY_LIMIT, "the unpacked bundle has 4294967295 bytes"},
        {unpacked_wrong, TIRB_FORMAT, "unpack to"},
        {dictionary_unknown, TIRB_VERSION, "dictionary 77"},
        {dictionary_unused, TIRB_FORMAT, "no section is compressed"},
        {one_section_less, TIRB_FORMAT, "the sections have"},
        {many_sections, TIRB_FORMAT, "section"},
    };
    fixture f;
    fixture_open(&f);
    const tirbi_program *program = fixture_assemble(&f, sample_program);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tirbi_writer bytes = fixture_bundle(&f, program);
        cases[i].alter(&bytes);
        assert_refused(&f, &bytes, cases[i].status, cases[i].reason);
        tirbi_writer_destroy(&bytes);
    }
    /* Any altered byte breaks the checksum, its own included. */
    tirbi_writer bytes = fixture_bundle(&f, program);
    for (size_t at = HEADER_CHECKSUM; at < bytes.size; at++) {
        tirbi_program *altered = NULL;
        bytes.data[at] ^= 0x10;
        assert_int_not_equal(read_bundle(&f, bytes.data, bytes.size, MAX_SIZE, &altered), TIRB_OK);
        bytes.data[at] ^= 0x10;
    }
    bytes.data[HEADER_CHECKSUM] ^= 1;
    tirbi_program *altered = NULL;
    assert_int_equal(read_bundle(&f, bytes.data, bytes.size, MAX_SIZE, &altered), TIRB_CHECKSUM);
    assert_int_equal(read_bundle(&f, bytes.data, bytes.size, bytes.size - 1, &altered), TIRB_MEMORY_LIMIT);
    tirbi_writer_destroy(&bytes);
    fixture_close(&f);
}

/* ---- Bundles by hand ------------------------------------------------------------------------------------------- */

typedef struct part {
    uint64_t key;
    const char *bytes;
    size_t size;
    uint64_t raw_size; /* where the key says compressed */
} part;

enum { REQUIRED = KEY_REQUIRED, COMPRESSED = KEY_COMPRESSED };
#define KEY(type) ((uint64_t)(type) << KEY_TYPE_SHIFT)
#define PART(key, text) \
    { (key), (text), sizeof(text) - 1, 0 }
#define NAMES(text)     PART(KEY(SECTION_NAMES) | REQUIRED, text)
#define FUNCTIONS(text) PART(KEY(SECTION_FUNCTIONS) | REQUIRED, text)
#define IMPORTS(text)   PART(KEY(SECTION_IMPORTS) | REQUIRED, text)
#define CODE(text)      PART(KEY(SECTION_CODE) | REQUIRED, text)
#define LINES(text)     PART(KEY(SECTION_LINES), text)
#define NO_NAMES        NAMES("\0")
#define NO_FUNCTIONS    FUNCTIONS("\0\0\0")
#define NO_CODE         CODE("")

static tirbi_writer build(fixture *f, const part *parts, unsigned n) {
    tirbi_writer w;
    uint64_t unpacked = 0;
    tirbi_writer_init(&w, &f->heap);
    memset(tirbi_write_space(&w, TIRBI_BUNDLE_HEADER_SIZE), 0, TIRBI_BUNDLE_HEADER_SIZE);
    for (unsigned i = 0; i < n; i++) {
        bool compressed = parts[i].key & KEY_COMPRESSED;
        tirbi_write_varint(&w, parts[i].key);
        tirbi_write_varint(&w, parts[i].size);
        if (compressed) tirbi_write_varint(&w, parts[i].raw_size);
        if (compressed) w.data[HEADER_DICTIONARY] = TIRBI_DICTIONARY;
        unpacked += compressed ? parts[i].raw_size : parts[i].size;
    }
    for (unsigned i = 0; i < n; i++) tirbi_write_bytes(&w, parts[i].bytes, parts[i].size);
    memcpy(w.data, TIRBI_BUNDLE_MAGIC, 4);
    w.data[HEADER_MAJOR] = TIRBI_BUNDLE_MAJOR;
    w.data[HEADER_SECTIONS] = (uint8_t)n;
    tirbi_store_u32(w.data + HEADER_SIZE, (uint32_t)w.size);
    tirbi_store_u32(w.data + HEADER_UNPACKED, (uint32_t)unpacked);
    tirbi_bundle_seal(w.data, w.size);
    return w;
}

enum { MOST_PARTS = 6 };
enum { MOST_MEMORY = 16 << 10, MOST_WITH_FRAME = 160 << 10 }; /* to read any of them */

typedef struct by_hand {
    const char *reason; /* NULL: it is a bundle */
    tirb_status status;
    part parts[MOST_PARTS];
} by_hand;

static void try_by_hand(fixture *f, const by_hand *c, unsigned index) {
    unsigned n = 0;
    while (n < MOST_PARTS && c->parts[n].bytes) n++;
    tirbi_writer bytes = build(f, c->parts, n);
    tirbi_program *program = NULL;
    fixture own;
    fixture_open(&own);
    tirb_status status = read_bundle(&own, bytes.data, bytes.size, MAX_SIZE, &program);
    if (status != c->status || (c->reason && !strstr(own.error.message, c->reason))) {
        fail_msg("case %u: %s '%s', not %s '%s'", index, tirb_status_name(status), own.error.message,
                 tirb_status_name(c->status), c->reason ? c->reason : "");
    }
    const bool opens = strstr(own.error.message, "compressed section");
    if (own.heap.peak > (opens ? MOST_WITH_FRAME : MOST_MEMORY))
        fail_msg("case %u takes %llu bytes", index, (unsigned long long)own.heap.peak);
    fixture_close(&own);
    tirbi_writer_destroy(&bytes);
}

static void test_sections(void **state) {
    (void)state;
    static const by_hand cases[] = {
        {NULL, TIRB_OK, {NO_NAMES, NO_FUNCTIONS, NO_CODE}},
        {NULL, TIRB_OK, {NO_NAMES, NO_FUNCTIONS, NO_CODE, PART(KEY(SECTION_PRODUCER), "me")}},
        {NULL,
         TIRB_OK,
         {NO_NAMES, NO_FUNCTIONS, NO_CODE, PART(KEY(SECTION_CUSTOM), "a"), PART(KEY(SECTION_CUSTOM), "b")}},
        {NULL, TIRB_OK, {NO_NAMES, NO_FUNCTIONS, NO_CODE, PART(KEY(8), "skipped"), PART(KEY(99), "skipped")}},
        {"section of type 8", TIRB_VERSION, {NO_NAMES, NO_FUNCTIONS, NO_CODE, PART(KEY(8) | REQUIRED, "?")}},
        {"section of type 99", TIRB_VERSION, {NO_NAMES, NO_FUNCTIONS, NO_CODE, PART(KEY(99) | REQUIRED, "?")}},
        {NULL, TIRB_OK, {NO_NAMES, IMPORTS("\1\0\0\2\0\0\3\5"), NO_FUNCTIONS, NO_CODE}},
        {"must be marked required", TIRB_FORMAT, {NO_NAMES, PART(KEY(SECTION_IMPORTS), "\0"), NO_FUNCTIONS, NO_CODE}},
        {"section of imports is malformed", TIRB_FORMAT, {NO_NAMES, IMPORTS("\0"), NO_FUNCTIONS, NO_CODE}},
        {"section of imports is malformed", TIRB_FORMAT, {NO_NAMES, IMPORTS("\2\0\0\0"), NO_FUNCTIONS, NO_CODE}},
        {"section of imports is malformed", TIRB_FORMAT, {NO_NAMES, IMPORTS("\1\0\2\0"), NO_FUNCTIONS, NO_CODE}},
        {"section of imports is malformed", TIRB_FORMAT, {NO_NAMES, IMPORTS("\1\0\1\0"), NO_FUNCTIONS, NO_CODE}},
        {"section of imports is malformed", TIRB_FORMAT, {NO_NAMES, IMPORTS("\1\0\0\1\0"), NO_FUNCTIONS, NO_CODE}},
        {"section of imports has 1 bytes too many",
         TIRB_FORMAT,
         {NO_NAMES, IMPORTS("\1\0\0\0\0"), NO_FUNCTIONS, NO_CODE}},
        {"no section of type 1", TIRB_FORMAT, {NO_FUNCTIONS, NO_CODE}},
        {"no section of type 3", TIRB_FORMAT, {NO_NAMES, NO_CODE}},
        {"no section of type 4", TIRB_FORMAT, {NO_NAMES, NO_FUNCTIONS}},
        {"no section of type 1", TIRB_FORMAT, {{0}}},
        {"type 1 after type 3", TIRB_FORMAT, {NO_FUNCTIONS, NO_NAMES, NO_CODE}},
        {"type 1 after type 1", TIRB_FORMAT, {NO_NAMES, NO_NAMES, NO_FUNCTIONS, NO_CODE}},
        {"type 99 after type 99", TIRB_FORMAT, {NO_NAMES, NO_FUNCTIONS, NO_CODE, PART(KEY(99), ""), PART(KEY(99), "")}},
        {"type 0 after type 0", TIRB_FORMAT, {PART(KEY(0), ""), NO_NAMES, NO_FUNCTIONS, NO_CODE}},
        {"must be marked required", TIRB_FORMAT, {PART(KEY(SECTION_NAMES), "\0"), NO_FUNCTIONS, NO_CODE}},
        {"must not be marked required",
         TIRB_FORMAT,
         {NO_NAMES, NO_FUNCTIONS, NO_CODE, PART(KEY(SECTION_PRODUCER) | REQUIRED, "")}},
        {"compressed from 4 to 5",
         TIRB_FORMAT,
         {NO_NAMES, NO_FUNCTIONS, {KEY(SECTION_CODE) | REQUIRED | COMPRESSED, "\0\0\0\0\0", 5, 4}}},
        {"not exactly one zstd frame",
         TIRB_FORMAT,
         {NO_NAMES, NO_FUNCTIONS, {KEY(SECTION_CODE) | REQUIRED | COMPRESSED, "\0\0\0\0\0", 5, 60}}},
        {"has 60 bytes, its entry says",
         TIRB_FORMAT, /* an empty frame */
         {NO_NAMES,
          NO_FUNCTIONS,
          {KEY(SECTION_CODE) | REQUIRED | COMPRESSED, "\x28\xb5\x2f\xfd\x00\x00\xe3\x01\x00\x00", 10, 61}}},
    };
    fixture f;
    fixture_open(&f);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) try_by_hand(&f, &cases[i], i);
    fixture_close(&f);
}

/* A table that ends with a number of two bytes where one would do. */
static void test_malformed_table(void **state) {
    (void)state;
    static const uint8_t table[] = {SECTION_NAMES << KEY_TYPE_SHIFT | REQUIRED, 0x80, 0};
    fixture f;
    fixture_open(&f);
    tirbi_writer bytes = build(&f, NULL, 0);
    tirbi_write_bytes(&bytes, table, sizeof(table));
    bytes.data[HEADER_SECTIONS] = 1;
    tirbi_store_u32(bytes.data + HEADER_SIZE, (uint32_t)bytes.size);
    assert_refused(&f, &bytes, TIRB_FORMAT, "the section table is malformed");
    tirbi_writer_destroy(&bytes);
    fixture_close(&f);
}

/* One function called "f": name 0, flags, registers s r v q, code size, variables, parameters. */
#define F_NAMES      \
    NAMES("\x01\x01" \
          "f")
#define F(text) FUNCTIONS("\0\0\x01" text)

/* Terms of a dimension, each an operation. */
#define TERMS_16 "\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02"
#define TERMS_64 TERMS_16 TERMS_16 TERMS_16 TERMS_16

static void test_contents(void **state) {
    (void)state;
    static const by_hand cases[] = {
        {NULL, TIRB_OK, {F_NAMES, F("\0\0\0\0\0\0\x02\0\0"), CODE("\x08")}},
        /* names */
        {"names is malformed",
         TIRB_FORMAT,
         {NAMES("\x02\x01"
                "f"),
          NO_FUNCTIONS, NO_CODE}},
        {"names is malformed",
         TIRB_FORMAT,
         {NAMES("\x01\x01"
                "fg"),
          NO_FUNCTIONS, NO_CODE}},
        {"names is malformed",
         TIRB_FORMAT,
         {NAMES("\x81\0\x01"
                "f"),
          NO_FUNCTIONS, NO_CODE}},
        {"names is malformed", TIRB_FORMAT, {NAMES(""), NO_FUNCTIONS, NO_CODE}},
        {"names is malformed", TIRB_FORMAT, {NAMES("\xff\xff\x03\x01"), NO_FUNCTIONS, NO_CODE}},
        {"names is malformed", TIRB_FORMAT, {NAMES("\x01\x80\x80\x80\x80\x10"), NO_FUNCTIONS, NO_CODE}},
        {"names is malformed", TIRB_FORMAT, {NAMES("\x02\x03\x80\0fgh"), NO_FUNCTIONS, NO_CODE}},
        {"names is malformed", TIRB_FORMAT, {NAMES("\x80\x80\x04"), NO_FUNCTIONS, NO_CODE}},
        {"names is malformed", TIRB_FORMAT, {NAMES("\x01\xff\xff\xff\xff\x7f"), NO_FUNCTIONS, NO_CODE}},
        /* functions */
        {"functions has 1 bytes too many", TIRB_FORMAT, {F_NAMES, F("\0\0\0\0\0\0\x02\0\0\0"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\x40\0\0\0\0\x02\0\0"), CODE("\x08")}},
        /* aliases: none although the flag says so, too few, numbers too large, without the feature */
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\x08\0\0\0\0\x02\0\0\0"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\x08\0\0\0\0\x02\0\0\x02\0\x01"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\x08\0\0\0\0\x02\0\0\x01\0\x80\x80\x04"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\x08\0\0\0\0\x02\0\0\xff\xff\x03"), CODE("\x08")}},
        {"uses the features 0x2, its header says 0x0",
         TIRB_FORMAT,
         {F_NAMES, F("\0\x08\0\0\0\0\x02\0\0\x01\0\x01"), CODE("\x08")}},
        {"uses the features 0x1, its header says 0x0",
         TIRB_FORMAT,
         {F_NAMES, F("\0\x04\0\0\0\0\x02\0\0"), CODE("\x08")}},
        /* conditions: none although the flag says so, too few, without the feature */
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\x20\0\0\0\0\x02\0\0\0"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\x20\0\0\0\0\x02\0\0\x01\x01\0"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\x20\0\0\0\0\x02\0\0\x01\x01\x03\0"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\x20\0\0\0\0\x02\0\0\x01\x01\0\x03"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\x20\0\0\0\0\x02\0\0\xff\xff\x03"), CODE("\x08")}},
        {"uses the features 0x8, its header says 0x0",
         TIRB_FORMAT,
         {F_NAMES, F("\0\x20\0\0\0\0\x02\0\0\x01\x01\0\0"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\x44\0\0\0\0\x02\0\0"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\0\x01\0\0\x02\0\0"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\0\0\0\x01\x02\0\0"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\0\0\0\0\x02\x01\0"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\0\0\0\0\x02\0\x01"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, FUNCTIONS("\0\0\x02\0\0\0\0\0\0\x02\0\0"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, FUNCTIONS("\0\x81\x80\x04\0"), NO_CODE}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\0\xff\xff\x03\0\0\x02\0\0"), CODE("\x08")}},
        /* open results: of a scalar, without the feature */
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\x01\0\0\0\x02\0\x01\0\x81\x03\0"), CODE("\x08")}},
        {"uses the features 0x40, its header says 0x0",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\x01\0\0\0\x02\0\x01\0\x80\x03\0\0"), CODE("\x08")}},
        /* results: of a scalar, without the feature */
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\x01\0\0\0\x02\0\x01\0\x41\x03\0"), CODE("\x08")}},
        {"uses the features 0x20, its header says 0x0",
         TIRB_FORMAT,
         {F_NAMES, F("\0\x01\0\x01\0\0\x02\0\x01\0\x44\x0b\0\0\x8b"), CODE("\x08")}},
        /* minima: of a scalar, of no dimension, too few, one that is malformed, without the feature */
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\x01\0\0\0\x02\0\x01\0\x21\x03\0"), CODE("\x08")}},
        {"functions is malformed",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\x01\0\0\x02\0\x01\0\x22\x0b\0\0\x0b"), CODE("\x08")}},
        {"functions is malformed",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\x01\0\0\x02\0\x01\0\x22\x0b\0\x01\x10"), CODE("\x08")}},
        {"functions is malformed",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\x01\0\0\x02\0\x01\0\x22\x0b\0\x01\x10\x03\x0b"), CODE("\x08")}},
        {"uses the features 0x10, its header says 0x0",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\x01\0\0\x02\0\x01\0\x22\x0b\0\x01\x10\x04\x0b"), CODE("\x08")}},
        {"functions is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\x01\0\0\0\x02\0\x01\0\x03\x03\0"), CODE("\x08")}},
        {NULL, TIRB_OK, {F_NAMES, F("\0\0\x01\0\0\0\x02\0\x01\0\x01\x03\0"), CODE("\x08")}},
        /* dimensions: as they should be, of a kind that is none, a long form of a short one, too many, a huge one */
        {NULL, TIRB_OK, {F_NAMES, F("\0\0\0\x01\0\0\x02\0\x01\0\x02\x0b\0\x01\x10\x0b"), CODE("\x08")}},
        {"functions is malformed",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\x01\0\0\x02\0\x01\0\x02\x0b\0\x01\x13\x0b"), CODE("\x08")}},
        {"functions is malformed",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\x01\0\0\x02\0\x01\0\x02\x0b\0\x01\x06\0\x08\x0b"), CODE("\x08")}},
        {NULL, TIRB_OK, {F_NAMES, F("\0\0\0\x01\0\0\x02\0\x01\0\x02\x0b\0\x01\x06\0\x07\x0b"), CODE("\x08")}},
        {"functions is malformed",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\x01\0\0\x02\0\x01\0\x02\x0b\0\x01\x86\x02\0\x07\x0b"), CODE("\x08")}},
        {NULL, TIRB_OK, {F_NAMES, F("\0\0\0\x01\0\0\x02\0\x01\0\x02\x0b\0\x01\x82\x02" TERMS_64 "\x0b"), CODE("\x08")}},
        {"functions is malformed",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\x01\0\0\x02\0\x01\0\x02\x0b\0\x01\x86\x02" TERMS_64 "\x02\x0b"), CODE("\x08")}},
        {"functions is malformed",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\x01\0\0\x02\0\x01\0\x02\x0b\0\x01\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x0b"),
          CODE("\x08")}},
        {"functions is malformed",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\x01\0\0\x02\0\x01\0\x02\x0b\0\xff\x10"), CODE("\x08")}},
        /* code */
        {"code is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\0\0\0\0\x02\0\0"), CODE("")}},
        {"code has 1 bytes too many", TIRB_FORMAT, {F_NAMES, F("\0\0\0\0\0\0\x02\0\0"), CODE("\x08\x08")}},
        {"crosses its end, byte 3", TIRB_FORMAT, {F_NAMES, F("\0\0\0\0\0\0\x03\0\0"), CODE("\x08\x08")}},
        {"code is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\0\0\0\0\x02\0\0"), CODE("\x0f")}},
        {"code is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\0\0\0\0\x04\0\0"), CODE("\x07\x0d\0")}},
        {"code is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\0\0\0\0\x04\0\0"), CODE("\x07\x0b\x80\x80\x04")}},
        {"code is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\0\0\0\0\x06\0\0"), CODE("\x01\x01")}}, /* jmp -1 */
        {"code is malformed",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\0\0\0\x06\0\0"), CODE("\x01\x80\x80\x80\x80\x20")}}, /* jmp 2^32 */
        {"code is malformed",
         TIRB_FORMAT, /* store r0[x], x too large */
         {F_NAMES, F("\0\0\0\0\0\0\x08\0\0"), CODE("\x11\x0b\0\x80\x80\x04\0")}},
        {"code is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\0\0\0\0\x0a\0\0"), CODE("\x1c\0\x07\0\0")}}, /* 7 inner */
        {"code is malformed",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\0\0\0\x0a\0\0"), CODE("\x1c\0\0\x21\0")}}, /* 33 cursors */
        {"code is malformed",
         TIRB_FORMAT, /* const.i8 of more than 32 bits */
         {F_NAMES, F("\0\0\0\0\0\0\x08\0\0"), CODE("\x0c\x01\0\x80\x80\x80\x80\x20")}},
        {"code is malformed",
         TIRB_FORMAT, /* const.i8 of less than 32 bits, */
         {F_NAMES, F("\0\0\0\0\0\0\x08\0\0"), CODE("\x0c\x01\0\x81\x80\x80\x80\x10")}},
        {"code is malformed",
         TIRB_FORMAT, /* const.u32 of more */
         {F_NAMES, F("\0\0\0\0\0\0\x08\0\0"), CODE("\x0c\x07\0\x80\x80\x80\x80\x10")}},
        {"code is malformed",
         TIRB_FORMAT, /* fork with reference 2^16 */
         {F_NAMES, F("\0\0\0\0\0\0\x0d\0\0"), CODE("\x1d\0\0\0\0\x01\x80\x80\x08")}},
        /* lines */
        {NULL, TIRB_OK, {F_NAMES, F("\0\0\0\0\0\0\x02\0\0"), CODE("\x08"), LINES("\x01\0\x02\x02")}},
        {"lines is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\0\0\0\0\x02\0\0"), CODE("\x08"), LINES("\0")}},
        {"lines is malformed",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\0\0\0\x02\0\0"), CODE("\x08"), LINES("\x02\0\x02\x02")}},
        {"lines is malformed",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\0\0\0\x02\0\0"), CODE("\x08"), LINES("\x01\x01\x02\x02")}},
        {"lines has 1 bytes too many",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\0\0\0\x02\0\0"), CODE("\x08"), LINES("\x01\0\x02\x02\0")}},
        {"lines is malformed", TIRB_FORMAT, {F_NAMES, F("\0\0\0\0\0\0\x02\0\0"), CODE("\x08"), LINES("\x05\0\0\0")}},
        {"lines is malformed",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\0\0\0\x02\0\0"), CODE("\x08"), LINES("\xff\xff\xff\xff\x0f\0\0\0")}},
        {"lines is malformed",
         TIRB_FORMAT,
         {F_NAMES, F("\0\0\0\0\0\0\x02\0\0"), CODE("\x08"), LINES("\x01\x80\x80\x80\x80\x20\x02\x02")}},
    };
    fixture f;
    fixture_open(&f);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) try_by_hand(&f, &cases[i], i);
    fixture_close(&f);
}

/* Registers take 1 byte each in a bundle and 2 in memory, parameters 5 and some 80: the decoded size has its own
 * limit. */
static void test_small_bundle_large_tables(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    tirbi_writer text;
    tirbi_writer_init(&text, &f.heap);
    const char head[] = ".function \"f\"\n.scalars 4000\n";
    tirbi_write_bytes(&text, head, sizeof(head) - 1);
    for (unsigned i = 0; i < 4000; i++) {
        char line[64];
        int size = snprintf(line, sizeof(line), ".scalar \"f\" i8 s%u\n", i % 100);
        tirbi_write_bytes(&text, line, (size_t)size);
    }
    tirbi_write_bytes(&text, "ret.void\n.end\n\0", 15);
    tirbi_writer bytes = fixture_bundle(&f, fixture_assemble(&f, (const char *)text.data));
    tirbi_program *program = NULL;
    uint32_t unpacked = tirbi_load_u32(bytes.data + HEADER_UNPACKED);
    assert_int_equal(read_bundle(&f, bytes.data, bytes.size, unpacked, &program), TIRB_MEMORY_LIMIT);
    assert_non_null(strstr(f.error.message, "the decoded program"));
    fixture_ok(&f, read_bundle(&f, bytes.data, bytes.size, MAX_SIZE, &program), "read");
    tirbi_writer_destroy(&bytes);
    tirbi_writer_destroy(&text);
    fixture_close(&f);
}

/* ---- Dimensions ------------------------------------------------------------------------------------------------ */

static void assert_dim(fixture *f, const char *dim, tirb_status status, int64_t expected) {
    char text[400];
    snprintf(text, sizeof(text), ".function \"f\"\n.tensor \"A\" i8 r0 (%s)\nret.void\n.end\n", dim);
    const tirbi_program *p = fixture_assemble(f, text);
    int64_t values[] = {7, -7, 0};
    bool bound[] = {true, true, false};
    int64_t value = expected + 1;
    tirb_status got = tirbi_dim_eval(&p->functions[0].params[0].shape[0], values, bound, &value, &f->error);
    if (got != status || (status == TIRB_OK && value != expected)) {
        fail_msg("%s: %s %lld", dim, tirb_status_name(got), (long long)value);
    }
}

static void test_dims(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    assert_dim(&f, "5", TIRB_OK, 5);
    assert_dim(&f, "$0", TIRB_OK, 7);
    assert_dim(&f, "$2", TIRB_SHAPE, 0);
    assert_dim(&f, "{$0 3 add}", TIRB_OK, 10);
    assert_dim(&f, "{$0 3 sub 2 mul}", TIRB_OK, 8);
    assert_dim(&f, "{$0 $1 min}", TIRB_OK, -7);
    assert_dim(&f, "{$0 $1 max}", TIRB_OK, 7);
    static const struct {
        const char *op;
        int64_t results[4]; /* 7 op 2, -7 op 2, 7 op -2, -7 op -2 */
    } divisions[] = {
        {"floordiv", {3, -4, -4, 3}},
        {"floormod", {1, 1, -1, -1}},
        {"truncdiv", {3, -3, -3, 3}},
        {"truncmod", {1, -1, 1, -1}},
    };
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned k = 0; k < 4; k++) {
            char dim[64];
            snprintf(dim, sizeof(dim), "{%s %s %s}", k & 1 ? "$1" : "$0", k & 2 ? "-2" : "2", divisions[i].op);
            assert_dim(&f, dim, TIRB_OK, divisions[i].results[k]);
            snprintf(dim, sizeof(dim), "{$0 0 %s}", divisions[i].op);
            assert_dim(&f, dim, TIRB_SHAPE, 0);
            snprintf(dim, sizeof(dim), "{-9223372036854775808 -1 %s}", divisions[i].op);
            assert_dim(&f, dim, TIRB_SHAPE, 0);
        }
    }
    assert_dim(&f, "{6 -2 floordiv}", TIRB_OK, -3);
    assert_dim(&f, "{6 -2 floormod}", TIRB_OK, 0);
    assert_dim(&f, "{9223372036854775807 1 add}", TIRB_SHAPE, 0);
    assert_dim(&f, "{-9223372036854775807 2 sub}", TIRB_SHAPE, 0);
    assert_dim(&f, "{9223372036854775807 2 mul}", TIRB_SHAPE, 0);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_fields),
        cmocka_unit_test(test_compressed),    cmocka_unit_test(test_decoded_limit),
        cmocka_unit_test(test_bounded),       cmocka_unit_test(test_refused_dims),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_sections),      cmocka_unit_test(test_each_allocation_fails),
        cmocka_unit_test(test_steps_of_code), cmocka_unit_test(test_malformed_table),
        cmocka_unit_test(test_contents),      cmocka_unit_test(test_small_bundle_large_tables),
        cmocka_unit_test(test_dims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
