/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads are let be and pointed out: threads that run one after the other are counted exactly,
 * those that run at the same time may lose counts.
 *
 * RUN: printf x >in-x
 * RUN: %slowpath measure %s --cflags -pthread in-x --fresh --measure calls:work >out 2>err; %check <out
 * CHECK: in-x ok {{.*}} 3 {{[0-9.]+}} ms
 * RUN: %check --check-prefix=WARNING <err
 * WARNING: warning: the target started {{[0-9]+}} threads: counts of threads that run at the same time are not exact
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

static void *work(void *argument) {
    (void)argument;
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    (void)data, (void)size;
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}
