#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Nothing that cannot be stopped: --time holds and signals end every strategy soon, whatever the
# solver or the target is at, and a suite that can be replayed is there afterwards; --runs is exact.
set -u
. "$(dirname "$0")/helpers"

number() { # NAME FILE
    sed -n "s/^ *\"$1\": \([0-9]*\),/\1/p" "$2" | head -n 1
}

# Remainders of unsigned integers: one question keeps Z3 busy for minutes, one run takes seconds.
cat >prime.c <<'C'
int prime(unsigned n) {
    if (n < 2)
        return 0;
    for (unsigned i = 2; i * i <= n; i++)
        if (n % i == 0)
            return 0;
    return 1;
}
C
cat >sort.c <<'C'
void sort(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i - 1;
        for (; j >= 0 && a[j] > x; j--)
            a[j + 1] = a[j];
        a[j + 1] = x;
    }
}
C
cat >bytes.c <<'C'
#include <stddef.h>
#include <stdint.h>
int sink;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        for (size_t k = i; k < size && data[i] == data[k]; k++)
            sink++;
    return 0;
}
C

target_of() { # STRATEGY
    case $1 in
    patterns) echo "bytes.c --size 64" ;;
    scale | policy) echo "sort.c --entry sort(a[n],n) --size n=200" ;;
    *) echo "prime.c --entry prime" ;;
    esac
}
strategies="random exhaustive beam patterns climb policy scale evolve auto"

# The builds are made before anything is timed.
for file in "prime.c --entry prime" "sort.c --entry sort(a[n],n) --size n=8"; do
    # shellcheck disable=SC2086
    "$slowpath" run $file --strategy exhaustive --runs 1 --out warm --force --quiet >out 2>err ||
        fail "warming up: $(cat err)"
done
"$slowpath" run bytes.c --size 8 --strategy random --runs 1 --out warm --force --quiet >out 2>err

# The time: far more than a second of slack, for machines with much else to do.
for strategy in $strategies; do
    began=$(date +%s)
    # shellcheck disable=SC2046
    "$slowpath" run $(target_of $strategy) --strategy $strategy --time 0.5 --jobs 1 \
        --out "time.$strategy" --quiet >out 2>err || fail "$strategy, half a second: $(cat err)"
    took=$(($(date +%s) - began))
    [ $took -lt 8 ] || fail "$strategy: half a second took $took"
    [ -f "time.$strategy/suite.json" ] || fail "$strategy: no suite after half a second"
done

# A first run that takes a third of a second is not made twice where there is one second for all: this
# target costs something else each time, which nobody notices before the search.
cat >slow.c <<'C'
#include <stddef.h>
#include <stdint.h>
#include <time.h>
int sink;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct timespec now, nap = {.tv_nsec = 330000000};
    nanosleep(&nap, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (long i = now.tv_nsec & 4095; i > 0; i--)
        sink++;
    return size && data[0];
}
C
for strategy in random driven; do
    began=$(date +%s)
    "$slowpath" run slow.c --size 4 --strategy $strategy --time 1 --jobs 1 --out slow.suite --force --quiet >out 2>err ||
        fail "$strategy, slow runs: $(cat err)"
    took=$(($(date +%s) - began))
    [ $took -lt 10 ] || fail "$strategy: slow runs: one second took $took"
    [ "$(number runs slow.suite/suite.json)" -lt 4 ] || fail "$strategy: slow runs: $(number runs slow.suite/suite.json) of them"
done

# Signals, also two at once. One that comes while the search is still being prepared ends it with
# nothing found: then it comes later.
stop_with() { # STRATEGY SIGNAL...
    strategy=$1
    shift
    for delay in 0.5 1.5 5; do
        # shellcheck disable=SC2046
        "$slowpath" run $(target_of "$strategy") --strategy "$strategy" --time 60 --jobs 1 \
            --out stopped --tests 3 >out 2>err &
        job=$!
        sleep $delay
        began=$(date +%s)
        for signal in "$@"; do
            kill "-$signal" $job 2>/dev/null
        done
        wait $job
        status=$?
        took=$(($(date +%s) - began))
        [ $status -gt 128 ] && [ ! -e stopped ] || break
    done
    [ $status = 0 ] || fail "$strategy, $*: exit code $status: $(tail -n 1 err)"
    [ $took -lt 6 ] || fail "$strategy, $*: took $took seconds to end"
    grep -q '^stopping: keeping what was found$' err || finished || fail "$strategy, $*: says $(cat err)"
    grep -q '"end": "stopped"' stopped/suite.json || finished || fail "$strategy, $*: not stopped"
    "$slowpath" replay stopped --quiet >out 2>err || fail "$strategy, $*: replay: $(cat out err)"
    rm -rf stopped
}

# Some have done all there is to do before the signal comes.
finished() {
    grep -q '"end": "finished"' stopped/suite.json
}

stop_with exhaustive TERM
stop_with patterns INT
stop_with evolve HUP
stop_with auto TERM HUP
stop_with scale INT INT

# The number of runs.
for strategy in $strategies; do
    target=$(target_of $strategy)
    [ "$target" = "prime.c --entry prime" ] && target="sort.c --entry sort(a[n],n) --size n=12"
    for jobs in 1 2; do
        # shellcheck disable=SC2086
        "$slowpath" run $target --strategy $strategy --runs 77 --time 0 --jobs $jobs --out runs \
            --force --quiet >out 2>err || fail "$strategy, 77 runs: $(cat err)"
        [ "$(number runs runs/suite.json)" = 77 ] ||
            fail "$strategy, $jobs jobs: $(number runs runs/suite.json) runs instead of 77"
    done
done

[ $failures = 0 ]
