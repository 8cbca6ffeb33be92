#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whatever fails around it, the engine ends with a documented exit code, and what it has written stays whole. bench/faults
# injects far more faults of the same kind.
set -eu
"$(dirname "$0")/../../bench/faults" 57 "$1"
# A place that does not exist is pointed out.
SLOWPATH_FAULT=nowhere:1 "$1/slowpath" --help 2>&1 >/dev/null | grep -q "'nowhere:1' is no PLACE:NUMBER"
