#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples/cluster: every script is a shell's, and members do what they say when a scheduler's variables are set by hand: each has
# its own suite, one that is started again goes on, and the merged suite has the best of all.
set -u
cluster=$(cd "$(dirname "$0")/../../examples/cluster" && pwd)
. "$(dirname "$0")/helpers"
export SLOWPATH="$slowpath" FLEET="$PWD/fleet" TIME=0.3

for script in "$cluster"/*.sh "$cluster"/*.sbatch; do
    sh -n "$script" || fail "$script is no shell script"
done

cat >sum.c <<'C'
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    volatile int work = 0;
    for (size_t i = 0; i < size; i++)
        for (int turns = data[i]; turns; turns--)
            work++;
    return 0;
}
C
best() { # SUITE
    sed -n 's/^ *"instructions": \([0-9]*\).*/\1/p' "$1/suite.json" | head -n 1
}
words='sum.c --size 16 --strategy evolve --tests 2'

# As a job array starts them, an indexed job, GNU parallel, and by hand.
# shellcheck disable=SC2086 # several words
{
    SLURM_ARRAY_TASK_ID=0 SLURM_SUBMIT_DIR=$cluster sh "$cluster/array.sbatch" $words >out 2>err || fail "array: $(cat err)"
    JOB_COMPLETION_INDEX=1 sh "$cluster/member.sh" $words --quiet >out 2>err || fail "indexed job: $(cat err)"
    SLURM_ARRAY_TASK_ID=0 sh "$cluster/member.sh" $words >out 2>err || fail "again: $(cat err)"
    FLEET='' sh "$cluster/member.sh" $words >out 2>err && fail "a member without a fleet"
    sh "$cluster/member.sh" $words >out 2>err && fail "a member without a number"
    sh "$cluster/merge.sh" merged $words >out 2>err || fail "merge: $(cat err)"
}
for member in 0 1; do
    [ -f fleet/member-$member/suite/suite.json ] || fail "member $member has no suite"
    [ "$(best merged)" -ge "$(best fleet/member-$member/suite)" ] || fail "the merged suite lacks what $member found"
done
"$slowpath" replay merged --quiet >out 2>err || fail "the merged suite: $(cat out err)"
if command -v parallel >/dev/null; then
    # shellcheck disable=SC2086 # several words
    MEMBERS=2 FLEET=$PWD/more sh "$cluster/parallel.sh" $words --quiet >out 2>err || fail "parallel: $(cat err)"
    [ -f more/member-1/suite/suite.json ] || fail "parallel has started no second member"
fi
if python3 -c 'import yaml' 2>/dev/null; then
    python3 -c 'import sys, yaml; kinds = [part["kind"] for part in yaml.safe_load_all(open(sys.argv[1]))]
assert kinds == ["PersistentVolumeClaim", "Job"], kinds' "$cluster/kubernetes.yaml" || fail "kubernetes.yaml"
fi
[ $failures = 0 ]
