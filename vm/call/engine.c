/* The engine: policy that modules and instances share, and what this CPU can do. */
#include "vm/call/objects.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <string.h>

#include "loader/base/cpu.h"
#include "loader/base/error.h"
#include "loader/bundle/bundle.h"
#include "loader/cache/build_id.h"
#include "vm/lanes/kernels.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

const char *tirb_version(void) {
    return TEXT(TIRB_VERSION_MAJOR) "." TEXT(TIRB_VERSION_MINOR) "." TEXT(TIRB_VERSION_PATCH);
}

/* ---- Instruction sets ------------------------------------------------------------------------------------------ */

static const char *const isa_names[TIRBI_N_ISAS] = {
    [TIRB_ISA_AUTO] = "auto",     [TIRB_ISA_GENERIC] = "generic", [TIRB_ISA_AVX2] = "avx2",
    [TIRB_ISA_AVX512] = "avx512", [TIRB_ISA_SSE2] = "sse2",       [TIRB_ISA_NEON] = "neon",
};

const char *tirb_isa_name(tirb_isa isa) { return (unsigned)isa < TIRBI_N_ISAS ? isa_names[isa] : "unknown"; }

tirb_status tirb_isa_from_name(const char *name, tirb_isa *out_isa) {
    for (unsigned i = 0; name && out_isa && i < TIRBI_N_ISAS; i++) {
        if (strcmp(name, isa_names[i]) == 0) {
            *out_isa = (tirb_isa)i;
            return TIRB_OK;
        }
    }
    return TIRB_NOT_FOUND;
}

#if defined(__x86_64__)
/* What the files for AVX2 are compiled to use beside it. Not every compiler's __builtin_cpu_supports knows F16C and
 * LZCNT, so those are asked for by CPUID. */
static bool cpu_has_avx2(void) {
    unsigned a, b, c = 0, d, extended = 0;
    __get_cpuid(1, &a, &b, &c, &d);
    __get_cpuid(0x80000001u, &a, &b, &extended, &d);
    return (c >> 29 & 1) != 0 && (extended >> 5 & 1) != 0 && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}
#endif

/* __builtin_cpu_supports counts AVX and AVX-512 only where the operating system saves their registers (XCR0). */
static bool cpu_has(tirb_isa isa) {
#if defined(__x86_64__)
    if (isa == TIRB_ISA_SSE2) return true;
    if (isa == TIRB_ISA_AVX2) return cpu_has_avx2();
    if (isa == TIRB_ISA_AVX512) {
        return cpu_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512cd");
    }
#elif defined(__aarch64__)
    if (isa == TIRB_ISA_NEON) return true;
#endif
    return isa == TIRB_ISA_GENERIC;
}

int tirb_isa_available(tirb_isa isa) {
    if (isa == TIRB_ISA_AUTO) return 1;
    return (unsigned)isa < TIRBI_N_ISAS && cpu_has(isa) && tirbi_kernels(isa) != NULL;
}

static tirb_isa best_isa(void) {
    static const tirb_isa by_merit[] = {TIRB_ISA_AVX512, TIRB_ISA_AVX2, TIRB_ISA_SSE2, TIRB_ISA_NEON};
    for (unsigned i = 0; i < sizeof(by_merit) / sizeof(by_merit[0]); i++) {
        if (tirb_isa_available(by_merit[i])) return by_merit[i];
    }
    return TIRB_ISA_GENERIC;
}

/* ---- The object ------------------------------------------------------------------------------------------------ */

#define DEFAULT_MAX_BUNDLE_SIZE (UINT64_C(256) << 20)
enum { DEFAULT_CACHE_MODULES = 1024 };

static tirb_status make_cache(tirb_engine *engine, tirb_error *error) {
    if (engine->cache_bytes == 0) return TIRB_OK;
    /* What a verified program depends on besides its bundle. */
    struct {
        char build[TIRBI_BUILD_ID_SIZE];
        uint64_t format, isa, max_bundle_size;
    } context = {.format = (uint64_t)TIRBI_BUNDLE_MAJOR << 8 | TIRBI_BUNDLE_MINOR,
                 .isa = (uint64_t)engine->isa,
                 .max_bundle_size = engine->max_bundle_size};
    memcpy(context.build, tirbi_build_id, sizeof(context.build));
    tirbi_cache_policy policy = {
        .head = tirbi_bundle_head,
        .max_bytes = engine->cache_bytes,
        .max_entries = engine->cache_modules,
        .context = &context,
        .context_size = sizeof(context),
        .retain = tirbi_verified_retain,
        .release = tirbi_verified_release,
    };
    return tirbi_cache_create(&engine->heap, &policy, &engine->cache, error);
}

tirb_status tirb_engine_create(const tirb_engine_options *options, tirb_engine **out_engine, tirb_error *error) {
    if (!out_engine) return tirbi_error_set(error, TIRB_MISUSE, "tirb_engine_create: out_engine is NULL");
    *out_engine = NULL;
    tirb_engine_options chosen = {0};
    if (options && !tirbi_options_read(&chosen, sizeof(chosen), options)) {
        return tirbi_error_set(error, TIRB_MISUSE,
                               "tirb_engine_create: options.struct_size is %u; begin with TIRB_ENGINE_OPTIONS_INIT",
                               options->struct_size);
    }
    if ((unsigned)chosen.isa >= TIRBI_N_ISAS) {
        return tirbi_error_set(error, TIRB_MISUSE, "tirb_engine_create: no instruction set has the number %d",
                               (int)chosen.isa);
    }
    if (!tirb_isa_available(chosen.isa)) {
        return tirbi_error_set(error, TIRB_UNSUPPORTED, "this %s has no %s", cpu_has(chosen.isa) ? "build" : "CPU",
                               tirb_isa_name(chosen.isa));
    }
    tirbi_heap heap;
    tirbi_heap_init(&heap, &chosen.allocator, UINT64_MAX);
    tirb_engine *engine = tirbi_heap_calloc(&heap, 1, sizeof(*engine));
    if (!engine) return tirbi_error_set(error, TIRB_NO_MEMORY, "out of memory for an engine");
    tirb_status status = tirbi_timer_init(&engine->timer, error);
    if (status != TIRB_OK) {
        tirbi_heap_free(&heap, engine, sizeof(*engine));
        return status;
    }
    atomic_init(&engine->references, 1);
    engine->heap = heap;
    engine->max_threads = chosen.max_threads;
    engine->profiles = chosen.profile != 0;
    engine->parallel_for = chosen.parallel_for;
    engine->cpu_quota = chosen.cpu_quota != 0;
    atomic_init(&engine->team, NULL);
    engine->isa = chosen.isa == TIRB_ISA_AUTO ? best_isa() : chosen.isa;
    engine->max_bundle_size = chosen.max_bundle_size ? chosen.max_bundle_size : DEFAULT_MAX_BUNDLE_SIZE;
    engine->cache_bytes = chosen.cache_bytes;
    engine->cache_modules = chosen.cache_modules ? chosen.cache_modules : DEFAULT_CACHE_MODULES;
    status = make_cache(engine, error);
    if (status != TIRB_OK) {
        tirb_engine_release(engine);
        return status;
    }
    *out_engine = engine;
    return TIRB_OK;
}

void tirbi_engine_retain(tirb_engine *engine) {
    atomic_fetch_add_explicit(&engine->references, 1, memory_order_relaxed);
}

tirb_status tirbi_engine_need_team(tirb_engine *engine, tirb_error *error) {
    if (atomic_load_explicit(&engine->team, memory_order_acquire)) return TIRB_OK;
    tirbi_team *team, *none = NULL;
    uint32_t cpus = tirbi_usable_cpus();
    if (engine->cpu_quota) cpus = tirbi_cpus_by_quota("", cpus);
    TIRBI_TRY(tirbi_team_create(&engine->heap, engine->max_threads, cpus, &engine->parallel_for, &team, error));
    if (!atomic_compare_exchange_strong(&engine->team, &none, team)) tirbi_team_destroy(team);
    return TIRB_OK;
}

void tirb_engine_release(tirb_engine *engine) {
    if (!engine || atomic_fetch_sub_explicit(&engine->references, 1, memory_order_acq_rel) != 1) return;
    tirbi_cache_destroy(engine->cache);
    tirbi_team_destroy(atomic_load(&engine->team));
    tirbi_timer_destroy(&engine->timer);
    tirbi_heap heap = engine->heap;
    tirbi_heap_free(&heap, engine, sizeof(*engine));
}

tirb_isa tirb_engine_isa(const tirb_engine *engine) { return engine ? engine->isa : TIRB_ISA_AUTO; }

/* ---- The cache ------------------------------------------------------------------------------------------------- */

void tirb_engine_cache_clear(tirb_engine *engine) {
    if (engine && engine->cache) tirbi_cache_clear(engine->cache);
}

tirb_status tirb_engine_cache_stats(tirb_engine *engine, tirb_cache_stats *out_stats) {
    if (!engine || !out_stats) return TIRB_MISUSE;
    tirbi_cache_counts counts = {0};
    if (engine->cache) counts = tirbi_cache_count(engine->cache);
    tirb_cache_stats stats = {
        .modules = counts.entries,
        .bytes = counts.bytes,
        .max_modules = engine->cache ? engine->cache_modules : 0,
        .max_bytes = engine->cache_bytes,
        .hits = counts.hits,
        .misses = counts.misses,
        .evictions = counts.evictions,
    };
    return tirbi_info_write(out_stats, &stats, sizeof(stats)) ? TIRB_OK : TIRB_MISUSE;
}
