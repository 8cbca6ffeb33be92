#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A run that stopped so that others go on from there, and the copies of it, end with the engine, however it ends.
set -u
. "$(dirname "$0")/helpers"

cat >t.c <<'C'
#include <stddef.h>
#include <stdint.h>
static volatile unsigned sum;
static void spend(unsigned long rounds) {
    for (unsigned long i = 0; i < rounds; i++)
        sum += (unsigned)i;
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    spend(5000000);
    if (size && data[0] == 'x')
        spend(1000000000000);
    return 0;
}
C

descendants() { # PID
    for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
        echo "$child"
        descendants "$child"
    done
}
# Is there a copy of a worker of a server of the engine?
is_deep() { # PID
    for server in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
        for worker in $(cat /proc/"$server"/task/*/children 2>/dev/null); do
            [ -z "$(cat /proc/"$worker"/task/*/children 2>/dev/null)" ] || return 0
        done
    done
    return 1
}

for signal in KILL TERM; do
    "$slowpath" run t.c --strategy beam --size 1 --jobs 1 --time 100 --limit-time 100 --out suite.$signal --quiet >out 2>err &
    run=$!
    for _ in $(seq 300); do
        is_deep $run && break
        sleep 0.1
    done
    is_deep $run || fail "no run goes on from where another stopped: $(cat err)"
    descendants $run >before
    kill -$signal $run
    wait $run 2>/dev/null
    for _ in $(seq 50); do
        left=
        for process in $(cat before); do
            case $(sed -n 's/^State:[[:space:]]*//p' /proc/"$process"/status 2>/dev/null) in
            '' | [ZX]*) ;;
            *) left="$left $process" ;;
            esac
        done
        [ -n "$left" ] || break
        sleep 0.1
    done
    [ -z "$left" ] || fail "after SIG$signal there is still$left"
done
