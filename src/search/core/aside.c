/* SPDX-License-Identifier: Apache-2.0
 *
 * How is the symbolic build made while the search runs? A thread waits for it while workers
 * measure; it fills the cache, and each worker opens the build from there when it first traces a
 * run.
 */
#include "search/core/aside.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define CACHED_SECONDS 0.3

struct search_builder {
    struct target_options options;
    struct base_watch watch;
    pthread_t thread;
    bool is_joined;
    atomic_bool is_over;
    bool good;
    struct base_error error;
    double began, seconds;
};

static void *build(void *context) {
    struct search_builder *builder = context;
    builder->good = target_build(&builder->options, &builder->error);
    builder->seconds = base_seconds() - builder->began;
    atomic_store(&builder->is_over, true);
    return NULL;
}

struct search_builder *search_builder_start(const struct target_options *options) {
    struct search_builder *builder = base_alloc(sizeof *builder);
    builder->options = *options;
    builder->options.kind = INSTRUMENT_SYMBOLIC;
    builder->options.watch = &builder->watch;
    builder->watch.is_aside = true;
    builder->began = base_seconds();
    if (pthread_create(&builder->thread, NULL, build, builder) != 0)
        base_give_up("cannot start a thread");
    return builder;
}

bool search_builder_is_over(const struct search_builder *builder) {
    return atomic_load(&builder->is_over);
}

static void rest(void) {
    struct timespec moment = {.tv_nsec = 5000000};
    nanosleep(&moment, NULL);
}

void search_builder_pause(const struct search_builder *builder) {
    while (!search_builder_is_over(builder) && base_seconds() - builder->began < CACHED_SECONDS)
        rest();
}

static void join(struct search_builder *builder) {
    if (!builder->is_joined)
        pthread_join(builder->thread, NULL);
    builder->is_joined = true;
}

bool search_builder_wait(struct search_builder *builder, struct base_error *error) {
    const _Atomic double *halt = builder->options.halt;
    while (!search_builder_is_over(builder)) {
        if (halt && base_seconds() >= atomic_load(halt))
            return base_fail(error, BASE_STOPPED, "the search ended before its symbolic build");
        rest();
    }
    join(builder);
    if (!builder->good)
        *error = builder->error;
    return builder->good;
}

void search_builder_look(const struct search_builder *builder, struct search_aside *aside) {
    aside->done = atomic_load(&builder->watch.done);
    aside->all = atomic_load(&builder->watch.all);
    aside->is_over = search_builder_is_over(builder);
    aside->seconds = aside->is_over ? builder->seconds : base_seconds() - builder->began;
}

void search_builder_free(struct search_builder *builder) {
    atomic_store(&builder->watch.is_unwanted, true);
    join(builder);
    free(builder);
}
