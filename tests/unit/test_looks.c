/* Translation looks at whether to stop as it goes: what it does between two looks is counted, and no time. Its sources
 * are compiled once more here, so that each of their basic blocks counts one; what they copy and clear counts too.
 * Wherever a look stops it, nothing is lost and nothing is left. */
#include "loader/base/work.h"
#include "tests/unit/long_code.h"
#include "vm/limits/stops.h"
#include "vm/translate/translate.h"

static struct {
    uint64_t blocks; /* since the last look */
    uint64_t most;   /* between two */
    uint64_t looks;
    uint64_t stop_at; /* the look that finds that it is to stop; 0: none does */
    atomic_uint stop;
} seen;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) { seen.blocks++; }

static void end_of_stretch(void) {
    if (seen.blocks > seen.most) seen.most = seen.blocks;
    seen.blocks = 0;
}

bool __real_tirbi_watch_look(tirbi_watch *watch);
bool __wrap_tirbi_watch_look(tirbi_watch *watch);
bool __wrap_tirbi_watch_look(tirbi_watch *watch) {
    end_of_stretch();
    if (++seen.looks == seen.stop_at) atomic_store(&seen.stop, TIRBI_STOP_CANCEL);
    return __real_tirbi_watch_look(watch);
}

enum { BYTES_IN_BLOCK = 16 }; /* of what is moved or cleared, in about the time of a basic block */

void *__real_memset(void *to, int byte, size_t n);
void *__wrap_memset(void *to, int byte, size_t n);
void *__wrap_memset(void *to, int byte, size_t n) {
    seen.blocks += n / BYTES_IN_BLOCK;
    return __real_memset(to, byte, n);
}
void *__real_memcpy(void *to, const void *from, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n) {
    seen.blocks += n / BYTES_IN_BLOCK;
    return __real_memcpy(to, from, n);
}
void *__real_memmove(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n) {
    seen.blocks += n / BYTES_IN_BLOCK;
    return __real_memmove(to, from, n);
}

/* Of basic blocks, some tens of microseconds. */
enum { MOST_BLOCKS = 40000 };

static const tirb_isa isas[] = {TIRB_ISA_GENERIC, TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};

static void expect_looks(const tirbi_program *program, const char *name, tirb_isa isa, bool profiled) {
    tirbi_heap heap;
    tirbi_code *code = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_heap_init(&heap, NULL, UINT64_C(1) << 31);
    assert_int_equal(tirbi_code_begin(program, isa, profiled, &heap, &code, &error), TIRB_OK);
    seen.most = seen.blocks = seen.looks = seen.stop_at = 0;
    const tirb_status status = tirbi_code_need(code, 0, program->n_functions, &seen.stop, &error);
    end_of_stretch();
    tirbi_code_destroy(code);
    if (status != TIRB_OK) fail_msg("%s: %s", name, error.message);
    if (getenv("TIRB_SHOW_LOOKS"))
        printf("%-42s %-8s %7llu looks, %8llu blocks at most between two\n", name, tirb_isa_name(isa),
               (unsigned long long)seen.looks, (unsigned long long)seen.most);
    else if (seen.most > MOST_BLOCKS)
        fail_msg("%s on %s: %llu blocks between two looks", name, tirb_isa_name(isa), (unsigned long long)seen.most);
}

/* Stops at some look, and goes on from there to the end. */
static void stop_once(const tirbi_program *program, const char *name, tirb_isa isa, uint64_t look) {
    tirbi_heap heap;
    tirbi_code *code = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_heap_init(&heap, NULL, UINT64_C(1) << 31);
    assert_int_equal(tirbi_code_begin(program, isa, false, &heap, &code, &error), TIRB_OK);
    seen.looks = 0;
    seen.stop_at = look;
    tirb_status status = tirbi_code_need(code, 0, program->n_functions, &seen.stop, &error);
    if (status != TIRB_CANCELLED && seen.looks > look) fail_msg("%s went on behind look %u", name, (unsigned)look);
    atomic_store(&seen.stop, 0);
    seen.stop_at = 0;
    status = tirbi_code_need(code, 0, program->n_functions, &seen.stop, &error);
    if (status != TIRB_OK) fail_msg("%s behind look %u: %s", name, (unsigned)look, error.message);
    tirbi_code_destroy(code);
    assert_int_equal(heap.used, 0);
}

/* Every kind of code in so many bytes, on every instruction set: it looks, and so many times, spread over all, it is
 * stopped. */
static void try_all(uint32_t size, uint64_t stops) {
    for (unsigned i = 0; i < sizeof families / sizeof *families; i++) {
        fixture f;
        tirbi_writer code;
        fixture_open(&f);
        const char *const name = families[i].name;
        const tirbi_program *program = make_long(&f, &families[i], NULL, size, &code);
        expect_looks(program, name, TIRB_ISA_GENERIC, true);
        for (unsigned k = 0; k < sizeof isas / sizeof *isas; k++) {
            if (!tirb_isa_available(isas[k])) continue;
            expect_looks(program, name, isas[k], false);
            const uint64_t looks = stops > 0 ? seen.looks : 0;
            for (uint64_t at = 1; at <= looks; at += 1 + looks / stops) stop_once(program, name, isas[k], at);
        }
        tirbi_writer_destroy(&code);
        fixture_close(&f);
    }
}

static void every_kind_of_code(void **state) {
    (void)state;
    try_all(1 << 17, 0);
}

static void stopped_in_long_code(void **state) {
    (void)state;
    try_all(1 << 14, 12);
}

/* What is found in part where a pass begins is not gone by behind it: room for fewer scalars than there are, say. */
static void stopped_at_every_look(void **state) {
    (void)state;
    try_all(1, UINT64_MAX);
}

/* What is not given back stops the watch too, so that who asks why is told. */
static void stopped_as_it_gives_back(void **state) {
    enum { SIZE = 1 << 10 };
    (void)state;
    tirbi_heap heap;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_watch watch = {
        .look_at = UINT64_MAX, .max_work = UINT64_MAX, .deadline = UINT64_MAX, .cancelled = &seen.stop};
    tirbi_heap_init(&heap, NULL, SIZE);
    void *const memory = tirbi_heap_alloc(&heap, SIZE);
    assert_non_null(memory);
    tirbi_work_watched(&heap, &watch);
    atomic_store(&seen.stop, TIRBI_STOP_CANCEL);
    assert_false(tirbi_heap_release(&heap, memory, SIZE));
    assert_int_equal(tirbi_work_seen(&heap, &error), TIRB_CANCELLED);
    atomic_store(&seen.stop, 0);
    tirbi_work_watched(&heap, NULL);
    assert_true(tirbi_heap_release(&heap, memory, SIZE));
    assert_int_equal(heap.used, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_code),
        cmocka_unit_test(stopped_in_long_code),
        cmocka_unit_test(stopped_at_every_look),
        cmocka_unit_test(stopped_as_it_gives_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
