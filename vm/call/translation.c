/* Functions are translated when they are called first: one thread at a time translates what modules of the same bytes
 * share, others wait for it. What is ready is run without asking. */
#include "vm/call/objects.h"

#include <time.h>

#include "loader/base/error.h"

/* Waiting takes milliseconds at most, or tens of them where a program is large; a call that waits may be stopped. */
enum { LOOK_EVERY_NS = 20000 };

static tirb_status stopped(const atomic_uint *stop, tirb_error *error) {
    return stop ? tirbi_stop_status(atomic_load_explicit(stop, memory_order_relaxed), error) : TIRB_OK;
}

/* After fork() a child may find that a thread of its parent was at it, and goes on from what was whole. */
static tirb_status begin(tirbi_verified *verified, int64_t process, const atomic_uint *stop, tirb_error *error) {
    int64_t other = 0;
    while (!atomic_compare_exchange_strong(&verified->translating, &other, process)) {
        if (other != process && atomic_compare_exchange_strong(&verified->translating, &other, process)) {
            tirbi_code_orphaned(verified->code);
            return TIRB_OK;
        }
        TIRBI_TRY(stopped(stop, error));
        nanosleep(&(struct timespec){.tv_nsec = LOOK_EVERY_NS}, NULL);
        other = 0;
    }
    return TIRB_OK;
}

static uint64_t left_of(uint64_t limit, uint64_t taken) { return taken < limit ? limit - taken : 0; }

static uint64_t sum_of(uint64_t a, uint64_t b) { return a < UINT64_MAX - 1 - b ? a + b : UINT64_MAX - 1; }

/* What others have had translated counts for them: a module may always have what it would have had alone. What was
 * stopped counts for nobody, for it is given back: steps count where a function is whole, and memory where all is. */
static tirb_status translate(tirb_module *module, uint32_t first, uint32_t n, const atomic_uint *stop,
                             tirb_error *error) {
    tirbi_verified *const verified = module->verified;
    tirbi_heap *const heap = &verified->heap;
    const uint64_t used = heap->used, whole = tirbi_code_work(verified->code);
    heap->budget = sum_of(used, left_of(left_of(module->max_memory, verified->loaded), module->memory));
    heap->work = sum_of(verified->stats.work, module->work);
    heap->max_work = module->max_work;
    const tirb_status status = tirbi_code_need(verified->code, first, n, stop, error);
    if (status != TIRB_CANCELLED) module->memory += left_of(heap->used, used);
    module->work += left_of(tirbi_code_work(verified->code), whole);
    atomic_store_explicit(&verified->memory, heap->peak, memory_order_relaxed);
    atomic_store_explicit(&verified->work, sum_of(verified->stats.work, tirbi_code_work(verified->code)),
                          memory_order_relaxed);
    return status;
}

tirb_status tirbi_module_translate(tirb_module *module, uint32_t first, uint32_t n, const atomic_uint *stop,
                                   tirb_error *error) {
    tirb_engine *const engine = module->engine;
    tirbi_verified *const verified = module->verified;
    TIRBI_TRY(begin(verified, tirbi_process_number(&engine->timer.process), stop, error));
    tirb_status status = translate(module, first, n, stop, error);
    const uint64_t size = sizeof(*verified) + verified->heap.used;
    atomic_store_explicit(&verified->translating, 0, memory_order_release);
    if (engine->cache) tirbi_cache_grown(engine->cache, verified->key, verified, size);
    if (status == TIRB_CANCELLED) status = stopped(stop, error);
    return status;
}
