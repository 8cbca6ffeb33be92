/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a call to Z3 end in time? Z3 can be interrupted and usually obeys, but may take seconds
 * to return: it frees what it has built, a gigabyte in millions of pieces. So a separate thread
 * makes the call while the asking thread watches the clock. If a question takes too much processor
 * time (what else runs on the machine does not matter) or memory, Z3 is interrupted and waited for.
 * When the search is over, Z3 is interrupted and left behind with its context: its thread frees
 * both whenever Z3 returns. If the program ends before that, this does not matter (solver_leave).
 */
#include "solver/caller.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define QUESTION_BYTES ((uint64_t)512 << 20)
#define LARGE_BYTES ((uint64_t)64 << 20)       /* takes a while to free */
#define GLANCE_NANOSECONDS (10L * 1000 * 1000) /* between two checks of the clock */
#define GRACE 0.1                              /* seconds for Z3 to return */

enum state { IDLE, ASKED, DONE, LEFT, DISMISSED };

struct caller {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t news;
    enum state state;
    struct call call;
    BASE_VECTOR(Z3_ast) guards; /* of the call */
};

static atomic_uint left_alone; /* threads left behind in Z3 */

/* ---- the calling thread ---- */

static void release(struct caller *caller) {
    pthread_mutex_destroy(&caller->lock);
    pthread_cond_destroy(&caller->news);
    base_vector_done(&caller->guards);
    free(caller);
}

static Z3_lbool check(const struct caller *caller) {
    const struct call *call = &caller->call;
    return call->guards
               ? Z3_solver_check_assumptions(call->context, call->engine,
                                             (unsigned)caller->guards.count, caller->guards.data)
               : Z3_solver_check(call->context, call->engine);
}

static void *serve(void *context) {
    struct caller *caller = context;
    pthread_mutex_lock(&caller->lock);
    for (;;) {
        while (caller->state == IDLE || caller->state == DONE)
            pthread_cond_wait(&caller->news, &caller->lock);
        if (caller->state != ASKED)
            break;
        pthread_mutex_unlock(&caller->lock);
        Z3_lbool result = check(caller);
        pthread_mutex_lock(&caller->lock);
        caller->call.result = result;
        if (caller->state == LEFT)
            break;
        caller->state = DONE;
        pthread_cond_signal(&caller->news);
    }
    bool is_left = caller->state == LEFT;
    pthread_mutex_unlock(&caller->lock);
    if (is_left) {
        Z3_del_context(caller->call.context);
        release(caller);
        atomic_fetch_sub(&left_alone, 1);
    }
    return NULL;
}

/* ---- the asking thread ---- */

static void init_news(pthread_cond_t *news) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(news, &attributes);
    pthread_condattr_destroy(&attributes);
}

struct caller *caller_new(void) {
    struct caller *caller = base_alloc(sizeof *caller);
    sigset_t all, before;
    pthread_mutex_init(&caller->lock, NULL);
    init_news(&caller->news);
    sigfillset(&all); /* signals are handled by other threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool good = pthread_create(&caller->thread, NULL, serve, caller) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (good)
        return caller;
    release(caller);
    return NULL;
}

void caller_free(struct caller *caller) {
    if (!caller)
        return;
    pthread_mutex_lock(&caller->lock);
    caller->state = DISMISSED;
    pthread_cond_signal(&caller->news);
    pthread_mutex_unlock(&caller->lock);
    pthread_join(caller->thread, NULL);
    release(caller);
}

/* Needs the lock, and releases it while waiting. */
static void wait_a_little(struct caller *caller) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += GLANCE_NANOSECONDS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&caller->news, &caller->lock, &until);
}

/* Needs the lock, for the last time. */
static enum caller_end leave(struct caller *caller) {
    atomic_fetch_add(&left_alone, 1);
    caller->state = LEFT;
    pthread_detach(caller->thread);
    pthread_cond_signal(&caller->news);
    pthread_mutex_unlock(&caller->lock);
    return CALLER_LEFT;
}

bool caller_takes_over(struct caller *caller, Z3_context context) {
    if (Z3_get_estimated_alloc_size() < LARGE_BYTES)
        return false;
    pthread_mutex_lock(&caller->lock);
    caller->call = (struct call){.context = context};
    leave(caller);
    return true;
}

/* Processor time of Z3's thread. */
static double time_of(const struct caller *caller) {
    clockid_t clock;
    struct timespec time;
    if (pthread_getcpuclockid(caller->thread, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return base_seconds();
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Z3 only reports the total of all contexts. */
static bool has_too_much(uint64_t before) {
    return Z3_get_estimated_alloc_size() > before + QUESTION_BYTES;
}

enum caller_end caller_check(struct caller *caller, struct call *call, const struct solver *solver,
                             double seconds) {
    uint64_t before = Z3_get_estimated_alloc_size();
    double end = time_of(caller) + seconds;
    double over = 0; /* when we noticed that the search is over */
    bool was_interrupted = false;
    pthread_mutex_lock(&caller->lock);
    caller->guards.count = 0;
    for (size_t i = 0; i < call->guard_count; i++)
        base_push(&caller->guards, call->guards[i]);
    caller->call = *call;
    caller->state = ASKED;
    pthread_cond_signal(&caller->news);
    while (caller->state != DONE) {
        wait_a_little(caller);
        double now = base_seconds();
        if (caller->state == DONE)
            break;
        if (!over && solver_is_over(solver))
            over = now;
        if (over && now > over + GRACE)
            return leave(caller);
        if (over || time_of(caller) > end || has_too_much(before)) {
            was_interrupted = true;
            Z3_interrupt(call->context);
        }
    }
    caller->state = IDLE;
    call->result = caller->call.result;
    pthread_mutex_unlock(&caller->lock);
    return was_interrupted ? CALLER_INTERRUPTED : CALLER_ANSWERED;
}

void solver_leave(int code) {
    if (!atomic_load(&left_alone))
        return;
    fflush(NULL);
    _exit(code); /* exit() would run Z3's destructors beside its threads */
}
