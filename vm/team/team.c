#include "vm/team/team.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "loader/base/error.h"
#include "loader/base/process.h"
#include "loader/base/thread.h"

#ifndef TIRB_NO_THREADS
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

enum { MAX_WORKERS = 255, SPINS = 2000, YIELD_EVERY = 64, LINE = 64 };

/* What participants look at and change is one word, so that one cache line goes to and fro: whether the job is open,
 * the number that the next participant gets, how many are inside, and on top the number of the job. */
#define GATE_OPEN     UINT64_C(1)
#define GATE_INSIDE   (UINT64_C(1) << 1)
#define GATE_NEXT_WHO (UINT64_C(1) << 16)
#define GATE_JOB      (UINT64_C(1) << 48)

static inline uint32_t gate_inside(uint64_t gate) { return gate >> 1 & 0x7FFF; }
static inline uint32_t gate_next_who(uint64_t gate) { return (uint32_t)(gate >> 16); }
static inline uint32_t gate_job(uint64_t gate) { return (uint32_t)(gate >> 48); }

/* A job is open while participants may still come. Who comes counts itself in and sees at once whether the job is open,
 * and the caller closes the job before it waits until nobody is inside: so nobody reads a job that has ended. */
struct tirbi_team {
    tirbi_heap *heap;
    tirb_parallel_for host;
    uint32_t max_workers;
    uint32_t spins;
    tirbi_process process;
    /* The process that the rest belongs to: 2 * pid, plus 1 while it is being made anew after a fork. */
    _Atomic int64_t owner;
    atomic_uint busy;
    uint8_t apart[LINE];
    _Atomic uint64_t gate;
    uint8_t apart_too[LINE];
    atomic_uint parked; /* workers that sleep, or are about to, and that nobody has promised to wake */
    sem_t wake;         /* one for each that somebody has */
    atomic_uint quit;
    atomic_uint waiting; /* the caller sleeps until nobody is inside */
    pthread_mutex_t lock;
    pthread_cond_t left;
    pthread_t threads[MAX_WORKERS];
    uint32_t n_threads;
    uint32_t n; /* of the job: participants that it has room for */
    tirbi_team_work work;
    void *context;
};

static inline void pause_cpu(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

/* One round of looking for something that another thread is about to do, which may need this CPU for it. */
static void spin(uint32_t round) {
    pause_cpu();
    if (round % YIELD_EVERY == YIELD_EVERY - 1) sched_yield();
}

/* ---- Participants --------------------------------------------------------------------------------------------- */

static void join_job(tirbi_team *team) {
    uint64_t gate = atomic_fetch_add(&team->gate, GATE_INSIDE + GATE_NEXT_WHO);
    if ((gate & GATE_OPEN) && gate_next_who(gate) < team->n) team->work(team->context, gate_next_who(gate));
    gate = atomic_fetch_sub(&team->gate, GATE_INSIDE);
    if (gate_inside(gate) == 1 && atomic_load(&team->waiting)) {
        pthread_mutex_lock(&team->lock);
        pthread_cond_signal(&team->left);
        pthread_mutex_unlock(&team->lock);
    }
}

/* Takes up to n of those who are parked, and returns how many: for each, one token is due. */
static uint32_t take_parked(tirbi_team *team, uint32_t n) {
    uint32_t parked = atomic_load(&team->parked), taken;
    do taken = parked < n ? parked : n;
    while (taken > 0 && !atomic_compare_exchange_weak(&team->parked, &parked, parked - taken));
    return taken;
}

/* Sleeps until there is a job other than `seen`. Who counts itself in and then looks once more is seen by whoever opens
 * a job after that look; where it has been promised a token meanwhile, the token is on its way. */
static void park(tirbi_team *team, uint32_t seen) {
    atomic_fetch_add(&team->parked, 1);
    bool due = gate_job(atomic_load(&team->gate)) != seen || atomic_load(&team->quit);
    if (due && take_parked(team, 1) == 1) return;
    while (sem_wait(&team->wake) != 0) continue; /* a debugger may interrupt it */
}

/* Waits until the latest job is no longer `seen`, and returns its number. Numbers come again after 65,536 jobs: who has
 * slept through exactly as many misses one, which others do. */
static uint32_t await_job(tirbi_team *team, uint32_t seen) {
    for (uint32_t i = 0; i < team->spins; i++) {
        uint32_t now = gate_job(atomic_load_explicit(&team->gate, memory_order_acquire));
        if (now != seen || atomic_load_explicit(&team->quit, memory_order_relaxed)) return now;
        spin(i);
    }
    park(team, seen);
    return gate_job(atomic_load(&team->gate));
}

static void *worker_main(void *argument) {
    tirbi_team *team = argument;
    uint32_t seen = 0;
    while (!atomic_load(&team->quit)) {
        join_job(team);
        seen = await_job(team, seen);
    }
    return NULL;
}

static void start_workers(tirbi_team *team, uint32_t wanted) {
    if (wanted > team->max_workers) wanted = team->max_workers;
    while (team->n_threads < wanted && tirbi_thread_start(&team->threads[team->n_threads], worker_main, team))
        team->n_threads++;
}

/* ---- Jobs ----------------------------------------------------------------------------------------------------- */

static void wait_until_empty(tirbi_team *team) {
    for (uint32_t i = 0; i < team->spins; i++) {
        if (gate_inside(atomic_load_explicit(&team->gate, memory_order_acquire)) == 0) return;
        spin(i);
    }
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->waiting, 1);
    while (gate_inside(atomic_load(&team->gate)) != 0) pthread_cond_wait(&team->left, &team->lock);
    atomic_store(&team->waiting, 0);
    pthread_mutex_unlock(&team->lock);
}

static void wake_workers(tirbi_team *team, uint32_t n) {
    for (uint32_t left = take_parked(team, n); left > 0; left--) sem_post(&team->wake);
}

static void host_task(void *data, uint32_t index) {
    (void)index;
    join_job(data);
}

static void open_job(tirbi_team *team, uint32_t n, uint32_t first_who, tirbi_team_work work, void *context) {
    team->n = n;
    team->work = work;
    team->context = context;
    uint64_t gate = atomic_load(&team->gate), next;
    do { /* who comes late for the last job may still be inside */
        next = (gate_job(gate) + UINT64_C(1)) * GATE_JOB + first_who * GATE_NEXT_WHO + gate_inside(gate) * GATE_INSIDE +
               GATE_OPEN;
    } while (!atomic_compare_exchange_weak(&team->gate, &gate, next));
}

static bool init_parts(tirbi_team *team) {
    team->n_threads = 0;
    atomic_init(&team->gate, 0);
    atomic_uint *words[] = {&team->busy, &team->parked, &team->waiting, &team->quit};
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) atomic_init(words[i], 0);
    if (sem_init(&team->wake, 0, 0) != 0) return false;
    bool lock = pthread_mutex_init(&team->lock, NULL) == 0;
    if (lock && pthread_cond_init(&team->left, NULL) == 0) return true;
    if (lock) pthread_mutex_destroy(&team->lock);
    sem_destroy(&team->wake);
    return false;
}

/* Makes the team this process's own: what fork() copied has no threads, and its lock may be held by one of the
 * parent's. False while another thread does so. */
static bool adopt(tirbi_team *team) {
    int64_t mine = tirbi_process_number(&team->process) * 2,
            owner = atomic_load_explicit(&team->owner, memory_order_acquire);
    if (owner == mine) return true;
    if (owner == mine + 1 || !atomic_compare_exchange_strong(&team->owner, &owner, mine + 1)) return false;
    bool made = init_parts(team);
    atomic_store_explicit(&team->owner, made ? mine : 0, memory_order_release);
    return made;
}

void tirbi_team_run(tirbi_team *team, uint32_t n, tirbi_team_work work, void *context) {
    bool alone = !team || n < 2 || (!team->host.run && team->max_workers == 0);
    if (alone || !adopt(team) || atomic_exchange(&team->busy, 1)) {
        work(context, 0);
        return;
    }
    if (team->host.run) {
        open_job(team, n, 0, work, context);
        team->host.run(team->host.context, n, host_task, team);
    } else {
        open_job(team, n, 1, work, context);
        start_workers(team, n - 1);
        wake_workers(team, n - 1);
        work(context, 0);
    }
    if (gate_inside(atomic_fetch_and(&team->gate, ~GATE_OPEN)) != 0) wait_until_empty(team);
    /* A host may return before it has done all, or any, of what it was asked to. */
    if (team->host.run) work(context, 0);
    atomic_store(&team->busy, 0);
}

/* ---- The object ------------------------------------------------------------------------------------------------ */

tirb_status tirbi_team_create(tirbi_heap *heap, uint32_t max_threads, uint32_t cpus, const tirb_parallel_for *host,
                              tirbi_team **out, tirb_error *error) {
    *out = NULL;
    tirbi_team *team = tirbi_heap_calloc(heap, 1, sizeof(*team));
    if (!team) return tirbi_error_set(error, TIRB_NO_MEMORY, "out of memory for a team");
    if (max_threads == 0) max_threads = cpus;
    team->heap = heap;
    team->host = *host;
    team->max_workers = max_threads - 1 < MAX_WORKERS ? max_threads - 1 : MAX_WORKERS;
    team->spins = cpus > 1 ? SPINS : 1;
    if (!init_parts(team)) {
        tirbi_heap_free(heap, team, sizeof(*team));
        return tirbi_error_set(error, TIRB_NO_MEMORY, "the team's locks cannot be made");
    }
    tirbi_process_init(&team->process);
    atomic_init(&team->owner, tirbi_process_number(&team->process) * 2);
    *out = team;
    return TIRB_OK;
}

void tirbi_team_destroy(tirbi_team *team) {
    if (!team) return;
    if (atomic_load(&team->owner) == tirbi_process_number(&team->process) * 2) {
        atomic_store(&team->quit, 1);
        wake_workers(team, MAX_WORKERS);
        for (uint32_t i = 0; i < team->n_threads; i++) pthread_join(team->threads[i], NULL);
        pthread_cond_destroy(&team->left);
        pthread_mutex_destroy(&team->lock);
        sem_destroy(&team->wake);
    }
    tirbi_process_destroy(&team->process);
    tirbi_heap_free(team->heap, team, sizeof(*team));
}

#else /* a system without POSIX threads: every job is done by its caller */

struct tirbi_team {
    tirbi_heap *heap;
};

void tirbi_team_run(tirbi_team *team, uint32_t n, tirbi_team_work work, void *context) {
    (void)team;
    (void)n;
    work(context, 0);
}

tirb_status tirbi_team_create(tirbi_heap *heap, uint32_t max_threads, uint32_t cpus, const tirb_parallel_for *host,
                              tirbi_team **out, tirb_error *error) {
    (void)max_threads;
    (void)cpus;
    (void)host;
    *out = tirbi_heap_calloc(heap, 1, sizeof(**out));
    if (!*out) return tirbi_error_set(error, TIRB_NO_MEMORY, "out of memory for a team");
    (*out)->heap = heap;
    return TIRB_OK;
}

void tirbi_team_destroy(tirbi_team *team) {
    if (team) tirbi_heap_free(team->heap, team, sizeof(*team));
}

#endif
