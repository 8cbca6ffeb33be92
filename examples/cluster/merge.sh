#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One suite of a whole fleet, while it runs or afterwards: everything in its folder is run again, the best of it is kept.
#
#   FLEET=/shared/fleet merge.sh SUITE TARGET... [OPTIONS, as for the members]
set -eu
: "${FLEET:?the folder of the fleet}"
suite=${1:?the folder of the suite}
shift
exec "${SLOWPATH:-slowpath}" run --fleet "$FLEET" --fleet-name merge --out "$suite" --time 0 --runs 1 --jobs 1 "$@"
