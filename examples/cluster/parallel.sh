#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A fleet on this host, or on those of a list, with GNU parallel:
#
#   FLEET=/shared/fleet MEMBERS=8 parallel.sh parser.c --size 4096
#   FLEET=/shared/fleet MEMBERS=64 HOSTS=hosts.txt parallel.sh parser.c --size 4096
set -eu
here=$(cd "$(dirname "$0")" && pwd)
members=${MEMBERS:-$(nproc)}
export FLEET TIME="${TIME:-3600}"
seq 0 $((members - 1)) |
    parallel -j "${MEMBERS_PER_HOST:-$(nproc)}" ${HOSTS:+--sshloginfile "$HOSTS" --workdir .} --env FLEET --env TIME --line-buffer --tag \
        MEMBER={} sh "$here/member.sh" "$@"
