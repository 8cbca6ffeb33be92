#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A run that did not get the processor is no slow input: it is repeated before it is told of. One
# that never ends is.
set -u
. "$(dirname "$0")/helpers"

cat >t.c <<'C'
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 4000000; i++) /* so that it is stopped in a run */
        sum += size;
#ifdef ENDLESS
    while (size > 2 && data[0] == 'x')
        sum++;
#endif
    return 0;
}
C
search="run t.c --size 8 --strategy evolve --jobs 1 --quiet --out s --force --json out.json"

printf abc >in
"$slowpath" measure t.c in >/dev/null || fail "does not build"
"$slowpath" $search --time 6 >out 2>err &
engine=$!
# Stops the worker that has used a fifth of a second of the processor, and not the one that follows symbolically, which has
# terabytes of addresses.
stop_worker() {
    for _ in $(seq 100); do
        for server in $(cat /proc/$engine/task/*/children 2>/dev/null); do
            for child in $(cat /proc/"$server"/task/*/children 2>/dev/null); do
                used=$(cut -d' ' -f14 /proc/"$child"/stat 2>/dev/null)
                pages=$(cut -d' ' -f1 /proc/"$child"/statm 2>/dev/null)
                [ "${used:-0}" -lt 20 ] || [ "${pages:-0}" -gt 268435456 ] || { kill -STOP "$child" && return; }
            done
        done
        sleep 0.05
    done
    fail "no worker to stop"
}
# One that is stopped between two runs loses none, so that several are.
for _ in 1 2 3 4 5; do
    stop_worker
    sleep 0.3 # until it is replaced
done
wait $engine || fail "$(cat err)"
grep -q "runs that took too long" out || fail "no run took too long: $(cat out)"
[ ! -e s/slow ] && ! grep -q '^slow/' out || fail "a run that was stopped is told as slow: $(cat out)"

"$slowpath" $search --time 2 --cflags -DENDLESS >out 2>err || fail "$(cat err)"
grep -q '^slow/0001.input' out && [ -s s/slow/0001.input ] || fail "a run without end is not told: $(cat out)"

[ "$failures" = 0 ]
