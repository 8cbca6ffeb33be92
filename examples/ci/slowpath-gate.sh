#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The gate, for any CI: replays each suite that is committed under FOLDER and leaves reports beside it.
#
#   slowpath-gate.sh [FOLDER]      (default: slowpath; each folder in it with a suite.json is a suite)
#
# Exit code: that of the worst suite: 0 all hold, 1 something got worse, 5 a gate cannot tell. It never accepts anything.
set -u
slowpath=${SLOWPATH:-slowpath} folder=${1:-slowpath} worst=0 suites=0
for suite in "$folder"/*/suite.json; do
    [ -e "$suite" ] || continue
    suite=${suite%/suite.json}
    suites=$((suites + 1))
    status=0
    "$slowpath" replay "$suite" --gate --report-to "reports/${suite##*/}" || status=$?
    [ "$status" -gt "$worst" ] && worst=$status
    if [ -n "${GITHUB_STEP_SUMMARY-}" ] && [ -e "reports/${suite##*/}/summary.md" ]; then
        cat "reports/${suite##*/}/summary.md" >>"$GITHUB_STEP_SUMMARY"
    fi
done
if [ $suites = 0 ]; then
    echo "slowpath-gate: there is no suite under '$folder'" >&2
    exit 5
fi
exit "$worst"
