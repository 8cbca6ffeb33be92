/* SPDX-License-Identifier: Apache-2.0
 *
 * The rest of run_losses.c. What is fixed is a decision, and all of its values are tried.
 * RUN: kept() { %slowpath run %s --entry "$1(s[1])" --strategy exhaustive --time 20 --out s --force --quiet >out; \
 * RUN:   grep -q '"complete": true' s/suite.json || { echo "$1 is not complete"; cat out; exit 1; }; \
 * RUN:   grep -q "^tests/0001.input  *$2 " out || { echo "$1: not $2"; cat out; exit 1; }; }
 * RUN: most() { for i in $(seq 0 255); do printf "\\$(printf %03o $i)" >in-$i; done; \
 * RUN:   %slowpath measure %s --entry "$1(s[1])" in-* | awk '$2 == "ok" { if ($3 > m) m = $3 } END { print m }'; }
 * RUN: kept by_number "$(most by_number)"
 * RUN: kept by_number_in_global "$(most by_number_in_global)"
 * RUN: kept by_result "$(most by_result)"
 * RUN: kept by_callee "$(most by_callee)"
 * RUN: kept by_printed "$(most by_printed)"
 * RUN: kept by_digits "$(most by_digits)"
 * RUN: kept by_date "$(most by_date)"
 * RUN: kept by_month "$(most by_month)"
 * RUN: kept by_seed "$(most by_seed)"
 * RUN: kept by_copied_text "$(most by_copied_text)"
 * RUN: grep -q ' [12] different paths' out
 * RUN: kept by_stale_text "$(most by_stale_text)"
 *
 * The input itself, when it is read in a way that nobody models.
 * RUN: reads() { %slowpath run %s --stdin 2 --args $1 --strategy exhaustive --runs 60 --out s --force --quiet >out; \
 * RUN:   grep -q "lost in $2" out || { echo "$1: no '$2'"; cat out; exit 1; }; }
 * RUN: reads getw getw; reads syscall syscall; reads preadv preadv
 *
 * Wide characters are followed, also from a stream that has given bytes before: then there are none.
 * RUN: follows() { %slowpath run %s --stdin 2 --args $1 --strategy exhaustive --out s --force --quiet >out; \
 * RUN:   printf 'xx' >in-x; most=$(%slowpath measure %s --stdin 2 --args $1 in-x | awk '$1 == "in-x" { print $3 }'); \
 * RUN:   grep -q '^complete' out && grep -q "^tests/0001.input  *$most " out || { echo "$1: not $most"; cat out; exit 1; }; }
 * RUN: follows wide; follows mixed
 */
#include "run_losses.c"
