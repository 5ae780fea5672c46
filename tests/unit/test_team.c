/* The team: who runs a job, when it has ended, and what becomes of it where threads cannot be had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <pthread.h>

#include "loader/base/cpu.h"
#include "loader/base/process.h"
#include "vm/team/team.h"

#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#elif defined(__has_feature)
#define UNDER_TSAN __has_feature(thread_sanitizer)
#else
#define UNDER_TSAN 0
#endif

enum { MOST = 16 };

/* Items that participants take until there are none left, and who came. */
typedef struct job {
    tirbi_team *team;
    uint32_t n;
    atomic_uint next;
    atomic_uint came[MOST];
    atomic_uint strangers; /* participants with a number that the job has no room for */
    atomic_uint nested;    /* jobs that were begun inside of this one */
    uint64_t squares[1000];
} job;

static void take_items(void *context, uint32_t who) {
    job *j = context;
    if (who >= j->n) atomic_fetch_add(&j->strangers, 1);
    else atomic_fetch_add(&j->came[who], 1);
    for (uint32_t i; (i = atomic_fetch_add(&j->next, 1)) < 1000;) j->squares[i] = (uint64_t)i * i;
}

static tirbi_team *new_team(tirbi_heap *heap, uint32_t threads, const tirb_parallel_for *host) {
    static const tirb_parallel_for none = {0};
    tirbi_team *team = NULL;
    tirbi_heap_init(heap, NULL, UINT64_MAX);
    assert_int_equal(tirbi_team_create(heap, threads, tirbi_usable_cpus(), host ? host : &none, &team, NULL), TIRB_OK);
    return team;
}

static void expect_done(tirbi_team *team, uint32_t n) {
    job j = {.team = team, .n = n};
    tirbi_team_run(team, n, take_items, &j);
    assert_int_equal(atomic_load(&j.strangers), 0);
    assert_true(atomic_load(&j.came[0]) >= 1);
    for (uint32_t i = 1; i < MOST; i++) assert_true(atomic_load(&j.came[i]) <= 1);
    for (uint64_t i = 0; i < 1000; i++) assert_int_equal(j.squares[i], i * i);
}

static void rest(long microseconds) {
    struct timespec t = {.tv_nsec = microseconds * 1000};
    nanosleep(&t, NULL);
}

/* Jobs at once and jobs after workers went to sleep, of fewer and of more participants than the team has. */
static void jobs_are_done_by_those_who_come(void **state) {
    (void)state;
    tirbi_heap heap;
    tirbi_team *team = new_team(&heap, 7, NULL);
    for (uint32_t i = 0; i < 2000; i++) {
        expect_done(team, 1 + i % MOST);
        if (i % 100 == 0) rest(3000);
    }
    tirbi_team_destroy(team);
    expect_done(NULL, 7);
}

/* Waits until all participants of a job are there at once. */
static void wait_for_all(void *context, uint32_t who) {
    job *j = context;
    atomic_fetch_add(&j->came[who], 1);
    atomic_fetch_add(&j->next, 1);
    while (atomic_load(&j->next) < j->n) rest(1);
}

static void workers_come_without_being_waited_for(void **state) {
    (void)state;
    tirbi_heap heap;
    tirbi_team *team = new_team(&heap, 5, NULL);
    for (uint32_t i = 0; i < 20; i++) {
        job j = {.n = 5};
        tirbi_team_run(team, 5, wait_for_all, &j);
        for (uint32_t who = 0; who < 5; who++) assert_int_equal(atomic_load(&j.came[who]), 1);
        if (i % 5 == 0) rest(3000);
    }
    tirbi_team_destroy(team);
}

static void count_and_nest(void *context, uint32_t who);

static void count(void *context, uint32_t who) {
    job *j = context;
    (void)who;
    atomic_fetch_add(&j->nested, 1);
}

static void count_and_nest(void *context, uint32_t who) {
    job *j = context;
    if (who != 0) return;
    tirbi_team_run(j->team, 4, count, j);
}

static void a_busy_team_is_not_waited_for(void **state) {
    (void)state;
    tirbi_heap heap;
    job j = {.team = new_team(&heap, 4, NULL)};
    tirbi_team_run(j.team, 4, count_and_nest, &j);
    assert_int_equal(atomic_load(&j.nested), 1); /* the caller alone */
    tirbi_team_destroy(j.team);
}

static void *many_jobs(void *context) {
    for (uint32_t i = 0; i < 300; i++) expect_done(context, 3);
    return NULL;
}

static void callers_share_a_team(void **state) {
    (void)state;
    tirbi_heap heap;
    tirbi_team *team = new_team(&heap, 3, NULL);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&threads[i], NULL, many_jobs, team), 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    tirbi_team_destroy(team);
}

/* The child has none of its parent's workers. It starts its own, and leaves the parent's alone. */
static void a_child_has_a_team_of_its_own(void **state) {
    (void)state;
    if (UNDER_TSAN || getenv("TIRB_EMULATED"))
        skip(); /* neither does threads in the child of a process that had some */
    tirbi_heap heap;
    tirbi_team *team = new_team(&heap, 4, NULL);
    for (int unused_in_parent = 0; unused_in_parent < 2; unused_in_parent++) {
        if (!unused_in_parent) expect_done(team, 4);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(60);
            job j = {.n = 4};
            tirbi_team_run(team, 4, wait_for_all, &j);
            tirbi_team_destroy(team);
            _exit(atomic_load(&j.next) == 4 ? 0 : 1);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        expect_done(team, 4);
    }
    tirbi_team_destroy(team);
}

/* In the child of a child, too, and again after the first look. */
static void a_process_knows_its_number(void **state) {
    (void)state;
    tirbi_process process;
    tirbi_process_init(&process);
    for (int look = 0; look < 2; look++) assert_int_equal(tirbi_process_number(&process), getpid());
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool right = tirbi_process_number(&process) == getpid() && tirbi_process_number(&process) == getpid();
        pid_t grandchild = fork();
        if (grandchild == 0) _exit(tirbi_process_number(&process) == getpid() ? 0 : 1);
        int status = 1;
        right = right && waitpid(grandchild, &status, 0) == grandchild && status == 0;
        _exit(right ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(tirbi_process_number(&process), getpid());
    tirbi_process_destroy(&process);
}

/* ---- A host's own threads --------------------------------------------------------------------------------------- */

typedef struct host {
    uint32_t calls, share; /* it does n * share / 4 tasks */
} host;

static void host_run(void *context, uint32_t n, void (*task)(void *data, uint32_t index), void *data) {
    host *h = context;
    h->calls++;
    for (uint32_t i = 0; i < n * h->share / 4; i++) task(data, i);
}

static void a_host_brings_its_threads(void **state) {
    (void)state;
    for (uint32_t share = 0; share <= 4; share++) {
        host h = {.share = share};
        tirb_parallel_for own = {.run = host_run, .context = &h};
        tirbi_heap heap;
        tirbi_team *team = new_team(&heap, 4, &own);
        expect_done(team, 4);
        assert_int_equal(h.calls, 1);
        expect_done(team, 1);
        assert_int_equal(h.calls, 1);
        tirbi_team_destroy(team);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_are_done_by_those_who_come),
        cmocka_unit_test(workers_come_without_being_waited_for),
        cmocka_unit_test(a_busy_team_is_not_waited_for),
        cmocka_unit_test(callers_share_a_team),
        cmocka_unit_test(a_child_has_a_team_of_its_own),
        cmocka_unit_test(a_process_knows_its_number),
        cmocka_unit_test(a_host_brings_its_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
