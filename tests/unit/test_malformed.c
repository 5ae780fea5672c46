/* No bytes make the loader crash, and what it loads runs inside its buffers.
 *
 * Bundles are damaged in every byte and cut at every length, with the checksum as it was (always refused) and repaired
 * (refused, or run with limits; meant for a build with sanitizers). TIRB_FULL=1 tries all 256 values of a byte,
 * otherwise a seeded choice of them. tests/malformed holds bundles made by hand: hexadecimal bytes, whose first line
 * says how they are refused. */
#include "tests/unit/loader_fixture.h"
#include "tests/unit/sample_program.h"
#include "tests/unit/sampled.h"

#include <dirent.h>

#include <tirb/tirb.h>

#include "loader/bundle/parts.h"
#include "loader/isa/isa.h"

enum { MAX_SIZE = 1 << 20, MAX_ARGS = 16, EXTENT = 3, TENSOR_BYTES = 1 << 12 };

static tirb_engine *engine;
static bool full;
static unsigned n_loaded;
static unsigned n_called;

static int open_engine(void **state) {
    (void)state;
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    options.max_bundle_size = MAX_SIZE;
    const char *wish = getenv("TIRB_FULL");
    full = wish && *wish == '1';
    return tirb_engine_create(&options, &engine, NULL) == TIRB_OK ? 0 : -1;
}

static int close_engine(void **state) {
    (void)state;
    tirb_engine_release(engine);
    return 0;
}

static uint32_t next_random(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* ---- Running what was loaded ----------------------------------------------------------------------------------- */

typedef struct arguments {
    tirb_arg args[MAX_ARGS];
    DLTensor tensors[MAX_ARGS];
    int64_t shapes[MAX_ARGS][TIRBI_MAX_NDIM];
    uint8_t *data[MAX_ARGS];
    uint32_t n;
} arguments;

/* A tensor of few elements in an allocation of exactly its size; false if the shape asks for more. */
static bool make_tensor(arguments *a, uint32_t i, const tirb_param_info *info) {
    uint64_t bytes = (info->dtype.bits + 7u) / 8u;
    for (int32_t k = 0; k < info->ndim; k++) {
        a->shapes[i][k] = info->dims[k] < 0 ? EXTENT : info->dims[k];
        if (a->shapes[i][k] > TENSOR_BYTES || (bytes *= (uint64_t)a->shapes[i][k]) > TENSOR_BYTES) return false;
    }
    a->data[i] = malloc(bytes ? bytes : 1);
    assert_non_null(a->data[i]);
    memset(a->data[i], 0x11, bytes ? bytes : 1);
    a->tensors[i] = (DLTensor){.data = a->data[i],
                               .device = {.device_type = kDLCPU},
                               .ndim = info->ndim,
                               .dtype = info->dtype,
                               .shape = a->shapes[i]};
    a->args[i] = (tirb_arg){.kind = TIRB_ARG_TENSOR, .value.tensor = &a->tensors[i]};
    return true;
}

static void call_function(tirb_instance *instance, const tirb_module *module, uint32_t function) {
    arguments a = {0};
    tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
    assert_int_equal(tirb_module_function(module, function, &info, NULL), TIRB_OK);
    bool possible = info.n_params <= MAX_ARGS;
    for (a.n = 0; possible && a.n < info.n_params; a.n++) {
        tirb_param_info param = TIRB_PARAM_INFO_INIT;
        assert_int_equal(tirb_module_param(module, function, a.n, &param, NULL), TIRB_OK);
        if (param.kind == TIRB_PARAM_TENSOR) {
            possible = make_tensor(&a, a.n, &param);
        } else if (param.dtype.code == kDLFloat || param.dtype.code == kDLBfloat) {
            a.args[a.n] = (tirb_arg){.kind = TIRB_ARG_FLOAT, .value.f = 1.5};
        } else {
            a.args[a.n] = (tirb_arg){.kind = TIRB_ARG_INT, .value.i = 1};
        }
    }
    tirb_error error = TIRB_ERROR_INIT;
    if (possible) {
        n_called += tirb_instance_call(instance, function, a.args, a.n, NULL, &error) == TIRB_OK;
    }
    for (uint32_t i = 0; i < MAX_ARGS; i++) free(a.data[i]);
}

static void run_module(tirb_module *module) {
    tirb_limits limits = TIRB_LIMITS_INIT;
    tirb_instance *instance = NULL;
    limits.fuel = 1000;
    limits.max_memory = 1 << 20;
    limits.max_depth = 10;
    assert_int_equal(tirb_instance_create(module, &limits, &instance, NULL), TIRB_OK);
    for (uint32_t i = 0; i < tirb_module_function_count(module); i++) call_function(instance, module, i);
    tirb_instance_destroy(instance);
}

/* The bytes in an allocation of their size, so that a read beyond them is seen. */
static tirb_status load_exact(const uint8_t *bytes, size_t size, tirb_error *error) {
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    tirb_module *module = NULL;
    *error = (tirb_error)TIRB_ERROR_INIT;
    tirb_status status = tirb_module_load(engine, copy, size, &module, error);
    free(copy);
    if (status == TIRB_OK) {
        n_loaded++;
        run_module(module);
        tirb_module_release(module);
    } else if (status != TIRB_FORMAT && status != TIRB_VERSION && status != TIRB_CHECKSUM && status != TIRB_VERIFY &&
               status != TIRB_MEMORY_LIMIT) {
        fail_msg("%s: %s", tirb_status_name(status), error->message);
    }
    return status;
}

/* ---- Damage ---------------------------------------------------------------------------------------------------- */

static void change_bytes(tirbi_writer *bytes) {
    uint32_t seed = 2463534242;
    tirb_error error;
    for (size_t at = 0; at < bytes->size; at++) {
        uint8_t original = bytes->data[at];
        unsigned n = full ? 255 : 12 / sampled_every();
        for (unsigned i = 1; i <= n; i++) {
            uint8_t change = full ? (uint8_t)i : i == 1 ? 1 : i == 2 ? 0x80 : (uint8_t)next_random(&seed);
            if (change == 0) continue;
            bytes->data[at] = original ^ change;
            assert_int_not_equal(load_exact(bytes->data, bytes->size, &error), TIRB_OK);
            tirbi_bundle_seal(bytes->data, bytes->size);
            load_exact(bytes->data, bytes->size, &error);
            bytes->data[at] = original;
            tirbi_bundle_seal(bytes->data, bytes->size);
        }
    }
}

/* Two bytes at once: what one change breaks, another may mend. */
static void change_pairs(tirbi_writer *bytes) {
    uint32_t seed = 88172645;
    tirb_error error;
    for (unsigned i = 0; i < (full ? 1000000u : 10000u / sampled_every()); i++) {
        size_t at[2];
        uint8_t original[2];
        for (unsigned k = 0; k < 2; k++) {
            at[k] = HEADER_MAJOR + next_random(&seed) % (bytes->size - HEADER_MAJOR);
            original[k] = bytes->data[at[k]];
            bytes->data[at[k]] = (uint8_t)next_random(&seed);
        }
        tirbi_bundle_seal(bytes->data, bytes->size);
        load_exact(bytes->data, bytes->size, &error);
        for (unsigned k = 2; k > 0; k--) bytes->data[at[k - 1]] = original[k - 1];
    }
    tirbi_bundle_seal(bytes->data, bytes->size);
}

static void cut(const tirbi_writer *bytes) {
    tirb_error error;
    for (size_t size = 0; size < bytes->size; size++) {
        assert_int_not_equal(load_exact(bytes->data, size, &error), TIRB_OK);
        uint8_t *shorter = malloc(size + 1);
        assert_non_null(shorter);
        memcpy(shorter, bytes->data, size);
        if (size >= TIRBI_BUNDLE_HEADER_SIZE) {
            tirbi_store_u32(shorter + HEADER_SIZE, (uint32_t)size);
            tirbi_bundle_seal(shorter, size);
        }
        assert_int_not_equal(load_exact(shorter, size, &error), TIRB_OK);
        free(shorter);
    }
}

static void damage(const char *text) {
    fixture f;
    fixture_open(&f);
    tirbi_writer bytes = fixture_bundle(&f, fixture_assemble(&f, text));
    tirb_error error;
    if (load_exact(bytes.data, bytes.size, &error) != TIRB_OK) fail_msg("%s", error.message);
    change_bytes(&bytes);
    change_pairs(&bytes);
    cut(&bytes);
    tirbi_writer_destroy(&bytes);
    fixture_close(&f);
}

static void test_sample(void **state) {
    (void)state;
    damage(sample_program);
}

/* Programs of tests/asm that have most of what can go wrong in memory. */
static void test_programs(void **state) {
    (void)state;
    static const char *const names[] = {"inner", "lane",      "vred", "slice", "alloc",
                                        "call",  "loop", "ref.const", "same"};
    unsigned called_before = n_called;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[256];
        size_t size = 0;
        snprintf(path, sizeof(path), TIRB_TEST_ROOT "/asm/%s.tirs", names[i]);
        char *text = fixture_file(path, &size);
        assert_non_null(text);
        damage(text);
        free(text);
    }
    /* Enough of the damaged bundles still run for the test to mean something. */
    assert_true(n_called - called_before > 1000);
}

/* Compressed sections: damaged frames. */
static void test_compressed(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    tirbi_writer text;
    tirbi_writer_init(&text, &f.heap);
    for (unsigned i = 0; i < 400; i++) {
        char function[200];
        int size = snprintf(function, sizeof(function),
                            ".function \"f%u\" public\n.scalars 4\n.scalar \"x\" i32 s0\nconst.i32 s1, %u\n"
                            "add.i32 s2, s0, s1\nmul.i32 s3, s2, s1\nret.void\n.end\n",
                            i, i * i);
        tirbi_write_bytes(&text, function, (size_t)size);
    }
    tirbi_write_u8(&text, 0);
    tirbi_writer bytes = fixture_bundle(&f, fixture_assemble(&f, (const char *)text.data));
    assert_int_not_equal(bytes.data[HEADER_DICTIONARY], 0);
    uint32_t seed = 123456789;
    tirb_error error;
    for (size_t at = TIRBI_BUNDLE_HEADER_SIZE; at < bytes.size; at += full ? 1 : 3) {
        uint8_t original = bytes.data[at];
        bytes.data[at] = (uint8_t)next_random(&seed);
        tirbi_bundle_seal(bytes.data, bytes.size);
        load_exact(bytes.data, bytes.size, &error);
        bytes.data[at] = original;
    }
    tirbi_writer_destroy(&bytes);
    tirbi_writer_destroy(&text);
    fixture_close(&f);
}

/* ---- Made by hand ---------------------------------------------------------------------------------------------- */

static size_t parse_hex(const char *text, uint8_t *out, size_t capacity) {
    size_t n = 0;
    while (*text) {
        if (*text == '#') {
            text += strcspn(text, "\n");
        } else if (*text == ' ' || *text == '\n') {
            text++;
        } else {
            unsigned byte = 0;
            assert_int_equal(sscanf(text, "%2x", &byte), 1);
            assert_true(n < capacity);
            out[n++] = (uint8_t)byte;
            text += 2;
        }
    }
    return n;
}

/* `# STATUS part of the message`, and `# seal` on a line of its own where size and checksum are to be filled in. */
static void try_by_hand(const char *path) {
    size_t size = 0;
    char *text = fixture_file(path, &size);
    assert_non_null(text);
    uint8_t bytes[4096];
    size_t n = parse_hex(text, bytes, sizeof(bytes));
    if (strstr(text, "# seal\n")) {
        tirbi_store_u32(bytes + HEADER_SIZE, (uint32_t)n);
        tirbi_bundle_seal(bytes, n);
    }
    char name[32] = "";
    char reason[200] = "";
    assert_int_equal(sscanf(text, "# %31s %199[^\n]", name, reason), 2);
    tirb_error error;
    tirb_status status = load_exact(bytes, n, &error);
    if (strcmp(tirb_status_name(status), name) != 0 || !strstr(error.message, reason)) {
        fail_msg("%s: %s '%s', not %s '%s'", path, tirb_status_name(status), error.message, name, reason);
    }
    free(text);
}

static void test_by_hand(void **state) {
    (void)state;
    DIR *directory = opendir(TIRB_TEST_ROOT "/malformed");
    assert_non_null(directory);
    unsigned n = 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        const char *dot = strrchr(entry->d_name, '.');
        char path[1024];
        if (!dot || strcmp(dot, ".hex") != 0) continue;
        snprintf(path, sizeof(path), "%s/malformed/%s", TIRB_TEST_ROOT, entry->d_name);
        try_by_hand(path);
        n++;
    }
    closedir(directory);
    assert_true(n > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_sample),
                                       cmocka_unit_test(test_programs), cmocka_unit_test(test_compressed)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
