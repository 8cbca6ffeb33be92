#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One member of a fleet, whoever starts it: a Slurm job array or srun, a Kubernetes job, GNU parallel, a loop.
#
#   FLEET=/shared/fleet TIME=3600 member.sh TARGET... [OPTIONS of slowpath run]
#
# FLEET is a folder that all members see. The number of the member comes from whoever starts it, or from MEMBER. Started again (after
# preemption, a dead node, a requeue), a member goes on where it was.
set -eu
: "${FLEET:?a folder that all members share}"
number=${MEMBER:-${SLURM_ARRAY_TASK_ID:-${JOB_COMPLETION_INDEX:-${SLURM_PROCID:-${PARALLEL_SEQ:-}}}}}
: "${number:?which member is this? MEMBER=0, 1, ...}"
name=member-$number
[ -e "$FLEET/$name/suite/state" ] && set -- --resume "$@"
# exec: signals reach the search itself, which then keeps what it found.
exec "${SLOWPATH:-slowpath}" run --fleet "$FLEET" --fleet-name "$name" --time "${TIME:-3600}" --jobs "${JOBS:-1}" "$@"
