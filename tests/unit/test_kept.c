/* The memory that calls leave to those after them: at no moment more than the limit, and not to be told from fresh
 * memory. */
#include "tests/unit/api_fixture.h"

#include <limits.h>
#include <stdatomic.h>

#include "tests/differential/random.h"
#include "tests/unit/sampled.h"
#include "vm/call/objects.h"

/* Blocks of one site that grow, of the frames of a recursion, and of chunks that differ; scratch of contractions and of
 * lanes; frames of few and of many registers. Each function returns how many elements of new blocks were not zero, and
 * leaves no other in them. */
static const char program[] =
    ".function \"fill\"\n.scalars 1\n.lanes 1\n.ref i64 writable\n.tensor \"a\" i64 r0 write ()\n"
    "    length s0, r0\n    lane s0, done\n    .cursor r0 i64 write 0 0 1\n    vsplat.i64 v0, s0\n"
    "    vstore.i64 c0, v0\ndone: lane.end\n    ret.void\n.end\n"
    ".function \"count\" returns i64\n.scalars 5\n.ref i64\n.tensor \"a\" i64 r0 read ()\n    length s0, r0\n"
    "    brnot s0, done\nagain:\n    load.i64 s1, r0, s2\n    ne.i64 s1, s1, s4\n    add.i64 s3, s3, s1\n"
    "    loop s2, s0, again\ndone:\n    ret.i64 s3\n.end\n"
    ".function \"one\" public returns i64\n.scalars 3\n.ref i64 writable\n.scalar \"n\" i64 s0\n"
    "    alloc.i64 r0, s0\n    call \"count\", s1, () (r0)\n    call \"fill\", s2, () (r0)\n    ret.i64 s1\n"
    ".end\n"
    ".function \"grow\" public returns i64\n.scalars 7\n.ref i64 writable\n.scalar \"n\" i64 s0\n"
    "    const.i64 s5, 100\nagain:\n    add.i64 s2, s2, s5\n    alloc.i64 r0, s2\n"
    "    call \"count\", s3, () (r0)\n    add.i64 s4, s4, s3\n    call \"fill\", s3, () (r0)\n"
    "    loop s1, s0, again\n    ret.i64 s4\n.end\n"
    ".function \"deep\" public returns i64\n.scalars 6\n.ref i64 writable\n.scalar \"n\" i64 s0\n"
    "    const.i64 s5, 37\n    mul.i64 s1, s0, s5\n    alloc.i64 r0, s1\n    call \"count\", s2, () (r0)\n"
    "    call \"fill\", s1, () (r0)\n    const.i64 s5, 1\n    lt.i64 s3, s0, s5\n    brif s3, done\n"
    "    sub.i64 s1, s0, s5\n    call \"deep\", s4, (s1) ()\n    add.i64 s2, s2, s4\ndone:\n    ret.i64 s2\n"
    ".end\n"
    ".function \"wide\" public returns i64\n.scalars 3000\n.scalar \"n\" i64 s0\n    call \"one\", s1, (s0) ()\n"
    "    ret.i64 s1\n.end\n"
    ".function \"product\" public returns i64\n.scalars 2\n.ref f32 writable\n.ref f32 writable\n"
    ".ref f32 writable\n.scalar \"n\" i64 s0\n    mul.i64 s1, s0, s0\n    alloc.f32 r0, s1\n"
    "    alloc.f32 r1, s1\n    alloc.f32 r2, s1\n"
    "    contract.f32 1, 0, (s0 s0 s0), r2 f32 0 (s0 1 0), r0 f32 0 (s0 0 1), r1 f32 0 (0 1 s0)\n"
    "    const.i64 s1, 0\n    ret.i64 s1\n.end\n"
    ".function \"shared\" public returns i64\n.scalars 5\n.ref i64 writable\n.ref i64 writable\n"
    ".scalar \"n\" i64 s0\n    const.i64 s1, 24\n    alloc.i64 r0, s1\n    alloc.i64 r1, s0\n"
    "    fork \"shared:0\", s1, 1, (s0), (r0 part 0 1 1)\n    call \"count\", s2, () (r0)\n"
    "    call \"count\", s3, () (r1)\n    call \"fill\", s4, () (r1)\n    add.i64 s2, s2, s3\n    ret.i64 s2\n"
    ".end\n"
    ".function \"shared:0\" region\n.scalars 9\n.ref i64 writable\n.scalar \"b\" i64 s0\n.scalar \"e\" i64 s1\n"
    ".scalar \"n\" i64 s2\n.tensor \"d\" i64 r0 read write ()\n    const.i64 s7, 7\n    and.i64 s3, s0, s7\n"
    "    mul.i64 s3, s3, s2\n    call \"one\", s4, (s3) ()\n    const.i64 s7, 63\n    and.i64 s3, s2, s7\n"
    "    call \"product\", s5, (s3) ()\n    store.i64 r0, s6, s4\n    ret.void\n.end\n";

/* ---- An allocator that watches a limit ----------------------------------------------------------------------------
 */

typedef struct watch {
    atomic_size_t held, most;
    atomic_long calls;
    long fail_every; /* so many-th calls fail; 0: none */
} watch;

static void note_most(watch *w, size_t held) {
    size_t most = atomic_load(&w->most);
    while (held > most && !atomic_compare_exchange_weak(&w->most, &most, held)) continue;
}

static void *watched_reallocate(void *context, void *ptr, size_t old_size, size_t new_size) {
    watch *w = context;
    if (new_size == 0) {
        free(ptr);
        atomic_fetch_sub(&w->held, old_size);
        return NULL;
    }
    const long call = atomic_fetch_add(&w->calls, 1) + 1;
    if (w->fail_every && call % w->fail_every == 0) return NULL;
    if (new_size > old_size) note_most(w, atomic_fetch_add(&w->held, new_size - old_size) + new_size - old_size);
    void *fresh = realloc(ptr, new_size);
    if (new_size < old_size) atomic_fetch_sub(&w->held, old_size - new_size);
    assert_non_null(fresh);
    return fresh;
}

typedef struct host {
    watch memory;
    tirb_engine *engine;
    tirb_module *module;
    tirb_instance *instance;
    size_t idle; /* held when the instance was made */
    uint64_t limit;
} host;

static void open_host(host *h, tirb_isa isa, uint64_t limit, uint32_t threads) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_limits limits = TIRB_LIMITS_INIT;
    memset(h, 0, sizeof *h);
    options.allocator = (tirb_allocator){watched_reallocate, &h->memory};
    options.isa = isa;
    options.max_threads = 4;
    limits.max_memory = h->limit = limit;
    limits.threads = threads;
    limits.max_depth = 100;
    assert_int_equal(tirb_engine_create(&options, &h->engine, NULL), TIRB_OK);
    h->module = load_text(h->engine, program);
    /* What translation takes is the module's, and counts elsewhere. */
    const uint32_t n = h->module->program->n_functions;
    assert_int_equal(tirbi_module_translate(h->module, 0, n, NULL, NULL), TIRB_OK);
    assert_int_equal(tirb_instance_create(h->module, &limits, &h->instance, NULL), TIRB_OK);
    h->idle = atomic_load(&h->memory.held);
    atomic_store(&h->memory.most, h->idle);
}

static void close_host(host *h) {
    assert_true(atomic_load(&h->memory.most) - h->idle <= h->limit);
    assert_int_equal(tirb_instance_trim(h->instance, NULL), TIRB_OK);
    assert_int_equal(atomic_load(&h->memory.held), h->idle);
    tirb_instance_destroy(h->instance);
    tirb_module_release(h->module);
    tirb_engine_release(h->engine);
    assert_int_equal(atomic_load(&h->memory.held), 0);
}

/* ---- Calls --------------------------------------------------------------------------------------------------------
 */

typedef struct kind {
    const char *name;
    uint32_t most; /* the largest argument */
} kind;

static const kind kinds[] = {{"one", 30000}, {"grow", 12},     {"deep", 30},
                             {"wide", 3000}, {"product", 120}, {"shared", 1500}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

typedef struct outcome {
    tirb_status status;
    int64_t dirty;
    tirb_stats stats;
    char message[512];
} outcome;

static outcome call(const host *h, const char *name, int64_t n) {
    outcome o = {.stats = TIRB_STATS_INIT};
    tirb_error error = TIRB_ERROR_INIT;
    tirb_result result = {.value.i = 0};
    const tirb_arg arg = int_arg(n);
    o.status = tirb_instance_call(h->instance, find(h->module, name), &arg, 1, &result, &error);
    o.dirty = o.status == TIRB_OK ? result.value.i : 0;
    if (o.status != TIRB_OK) snprintf(o.message, sizeof o.message, "%s", error.message);
    assert_int_equal(tirb_instance_stats(h->instance, &o.stats), TIRB_OK);
    return o;
}

static void expect_same(const outcome *a, const outcome *b) {
    assert_int_equal(a->dirty, 0);
    assert_int_equal(a->status, b->status);
    assert_string_equal(a->message, b->message);
    assert_int_equal(a->stats.fuel_used, b->stats.fuel_used);
    assert_int_equal(a->stats.peak_memory, b->stats.peak_memory);
}

typedef struct next {
    const kind *of;
    int64_t argument;
} next;

static next next_call(tirbi_random *random) {
    const kind *of = &kinds[tirbi_random_below(random, KINDS)];
    return (next){of, tirbi_random_chance(random, 10) ? 0 : 1 + (int64_t)tirbi_random_below(random, of->most)};
}

/* ---- Histories ----------------------------------------------------------------------------------------------------
 */

static const uint64_t limits_tried[] = {100000, 600000, 4000000};
static const uint32_t threads_tried[] = {1, 2, 6, 64};
enum { CALLS = 40 };

/* What each of some random calls gives on an instance that has made no other one. */
static void expect_fresh(uint64_t seed, uint64_t limit, uint32_t threads, outcome expected[CALLS]) {
    tirbi_random random = {seed};
    for (unsigned i = 0; i < CALLS; i++) {
        host fresh;
        const next n = next_call(&random);
        open_host(&fresh, TIRB_ISA_GENERIC, limit, threads);
        expected[i] = call(&fresh, n.of->name, n.argument);
        assert_true(expected[i].status == TIRB_OK || expected[i].status == TIRB_MEMORY_LIMIT);
        close_host(&fresh);
    }
}

/* The same calls one after the other, some of them twice, and now and then what is kept is given back. */
static void expect_after_others(uint64_t seed, uint64_t limit, uint32_t threads, tirb_isa isa,
                                const outcome expected[CALLS]) {
    tirbi_random random = {seed}, history = {seed + isa};
    host used;
    open_host(&used, isa, limit, threads);
    for (unsigned i = 0; i < CALLS; i++) {
        const next n = next_call(&random);
        for (unsigned times = 1 + tirbi_random_chance(&history, 40); times > 0; times--) {
            const outcome o = call(&used, n.of->name, n.argument);
            expect_same(&o, &expected[i]);
        }
        if (tirbi_random_chance(&history, 10)) {
            assert_int_equal(tirb_instance_trim(used.instance, NULL), TIRB_OK);
            assert_int_equal(atomic_load(&used.memory.held), used.idle);
        }
    }
    close_host(&used);
}

static void what_is_kept_cannot_be_told(void **state) {
    (void)state;
    static const tirb_isa isas[] = {TIRB_ISA_GENERIC, TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
    unsigned number = 0;
    for (unsigned l = 0; l < sizeof limits_tried / sizeof limits_tried[0]; l++) {
        for (unsigned t = 0; t < sizeof threads_tried / sizeof threads_tried[0]; t++) {
            outcome expected[CALLS];
            if (number++ % sampled_every() != 0) continue;
            expect_fresh(number, limits_tried[l], threads_tried[t], expected);
            for (unsigned i = 0; i < sizeof isas / sizeof isas[0]; i++)
                if (tirb_isa_available(isas[i]))
                    expect_after_others(number, limits_tried[l], threads_tried[t], isas[i], expected);
        }
    }
}

/* Calls whose allocations fail now and then end with NO_MEMORY or as they should; then all is as if they had not. */
static void allocations_fail(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        outcome expected[CALLS];
        unsigned failed = 0;
        expect_fresh(7, 600000, threads, expected);
        for (long every = 1; every <= 5; every++) {
            tirbi_random random = {7};
            host h;
            open_host(&h, TIRB_ISA_AUTO, 600000, threads);
            for (unsigned i = 0; i < CALLS; i++) {
                const next n = next_call(&random);
                h.memory.fail_every = every;
                outcome o = call(&h, n.of->name, n.argument);
                h.memory.fail_every = 0;
                failed += o.status == TIRB_NO_MEMORY;
                if (o.status != TIRB_NO_MEMORY) expect_same(&o, &expected[i]);
                o = call(&h, n.of->name, n.argument);
                expect_same(&o, &expected[i]);
            }
            close_host(&h);
        }
        assert_true(failed > CALLS / 2);
    }
}

/* ---- What is kept -------------------------------------------------------------------------------------------------
 */

static void the_same_call_allocates_nothing(void **state) {
    (void)state;
    static const char *const names[] = {"one", "grow", "wide", "product"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        host h;
        open_host(&h, TIRB_ISA_AUTO, 1 << 24, 1);
        call(&h, names[i], 200);
        const long calls = atomic_load(&h.memory.calls);
        const size_t held = atomic_load(&h.memory.held);
        assert_true(held > h.idle);
        for (int times = 0; times < 3; times++) call(&h, names[i], 200);
        assert_int_equal(atomic_load(&h.memory.calls), calls);
        assert_int_equal(atomic_load(&h.memory.held), held);
        close_host(&h);
    }
}

/* Blocks of other sizes serve as well if they are not far from it, and are made to fit. */
static void blocks_of_other_sizes_fit(void **state) {
    (void)state;
    host h;
    open_host(&h, TIRB_ISA_AUTO, 1 << 24, 1);
    call(&h, "one", 10000);
    const size_t held = atomic_load(&h.memory.held);
    call(&h, "one", 9000);
    assert_int_equal(atomic_load(&h.memory.held), held - 8000);
    call(&h, "one", 11000);
    assert_int_equal(atomic_load(&h.memory.held), held + 8000);
    call(&h, "one", 100);
    assert_in_range(atomic_load(&h.memory.held), held + 8000 + 800, held + 8000 + 1000);
    close_host(&h);
}

/* Large blocks of a few sizes that are needed in turn are all kept, those of many are made to fit. */
static void sizes_in_turn_allocate_nothing(void **state) {
    (void)state;
    static const int64_t sizes[] = {40000, 45000, 50000, 38000};
    enum { N = sizeof sizes / sizeof sizes[0], MANY = 20 };
    host h;
    open_host(&h, TIRB_ISA_AUTO, 1 << 24, 1);
    for (unsigned i = 0; i < N; i++) call(&h, "one", sizes[i]);
    const long calls = atomic_load(&h.memory.calls);
    const size_t held = atomic_load(&h.memory.held);
    for (unsigned i = 0; i < 3 * N; i++) call(&h, "one", sizes[i % N]);
    assert_int_equal(atomic_load(&h.memory.calls), calls);
    assert_int_equal(atomic_load(&h.memory.held), held);
    for (int64_t i = 0; i < MANY; i++) call(&h, "one", 36000 + 1000 * i);
    assert_true(atomic_load(&h.memory.held) <= h.idle + (N + 1) * 8 * (36000 + 1000 * MANY));
    close_host(&h);
}

/* What calls need no more does not stay for ever. */
static void what_is_not_used_goes(void **state) {
    (void)state;
    host h;
    open_host(&h, TIRB_ISA_AUTO, 1 << 24, 1);
    call(&h, "one", 10);
    const size_t little = atomic_load(&h.memory.held);
    call(&h, "one", 200000);
    assert_true(atomic_load(&h.memory.held) > little + 1600000);
    for (int i = 0; i < 128; i++) call(&h, "one", 10);
    assert_int_equal(atomic_load(&h.memory.held), little);
    close_host(&h);
}

/* A limit that a call needs to the byte leaves room for nothing else. */
static void a_limit_may_be_exact(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        host h;
        open_host(&h, TIRB_ISA_AUTO, 1 << 30, threads);
        const outcome shared = call(&h, "shared", 1500), one = call(&h, "one", 100000);
        close_host(&h);
        const uint64_t most =
            shared.stats.peak_memory > one.stats.peak_memory ? shared.stats.peak_memory : one.stats.peak_memory;
        open_host(&h, TIRB_ISA_AUTO, most, threads);
        for (int i = 0; i < 4; i++) {
            outcome o = call(&h, "one", 100000);
            expect_same(&o, &one);
            o = call(&h, "shared", 1500);
            expect_same(&o, &shared);
            call(&h, "deep", 30);
        }
        close_host(&h);
    }
}

static tirb_status trim_inside(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                               uint64_t remaining_ns, tirb_error *error) {
    (void)args, (void)n_args, (void)result, (void)remaining_ns, (void)error;
    return tirb_instance_trim(context, NULL) == TIRB_BUSY ? TIRB_OK : TIRB_MISUSE;
}

static void calls_are_not_trimmed(void **state) {
    (void)state;
    session s = open_session(".import \"trim\" ()\n.function \"f\" public\n.scalars 1\n    callx #0, s0, () ()\n"
                             "    ret.void\n.end\n",
                             NULL);
    const tirb_import trim = {.name = "trim", .function = trim_inside, .context = s.instance};
    assert_int_equal(tirb_instance_bind(s.instance, &trim, 1, NULL), TIRB_OK);
    for (int i = 0; i < 3; i++) {
        EXPECT_OK(&s, run(&s, "f", NULL, 0, NULL));
        EXPECT_OK(&s, tirb_instance_trim(s.instance, &s.error));
    }
    close_session(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_cannot_be_told),     cmocka_unit_test(allocations_fail),
        cmocka_unit_test(the_same_call_allocates_nothing), cmocka_unit_test(blocks_of_other_sizes_fit),
        cmocka_unit_test(sizes_in_turn_allocate_nothing),
        cmocka_unit_test(what_is_not_used_goes),           cmocka_unit_test(a_limit_may_be_exact),
        cmocka_unit_test(calls_are_not_trimmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
