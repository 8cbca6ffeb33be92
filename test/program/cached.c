/* SPDX-License-Identifier: Apache-2.0
 *
 * A second call takes everything from the cache; a changed source, header, variant or entry does
 * not; an option that does not change the code (-DMORE) does not matter; a damaged entry is built
 * again without a word; a folder that cannot be used is said so.
 *
 * RUN: export SLOWPATH_CACHE=$PWD/cache; printf '\1\0\0\0' >in-one; cp %s target.c; echo '#define ADD 1' >add.h
 * RUN: cached() { %slowpath measure target.c --cflags '-I.' --entry 'add(x)' in-one "$@" --json - 2>/dev/null | sed -n 's,.*"cached": \([a-z]*\).*,\1,p'; }
 * RUN: [ $(cached) = false ]; [ $(cached) = true ]
 * RUN: echo '#define ADD 2' >add.h; [ $(cached) = false ]; [ $(cached) = true ]
 * RUN: echo '#define ADD 1' >add.h; [ $(cached) = true ]
 * RUN: [ $(cached --entry 'other(x)') = false ]; [ $(cached --cflags '-I. -DMORE') = true ]; [ $(cached --uncounted) = false ]
 *
 * How to link is remembered; when that does not work any more, clang is asked again.
 * RUN: (export SLOWPATH_CACHE=$PWD/other; [ $(cached) = false ]; recipe=$(find other -name recipe)
 * RUN:   sed -i 's,/crt1[.]o,/gone.o,' $recipe; grep -q /gone.o $recipe
 * RUN:   [ $(cached --entry 'other(x)') = false ]; [ ! -e $recipe ]
 * RUN:   [ $(cached --uncounted) = false ]; grep -q /crt1.o $recipe)
 *
 * RUN: for file in $(find cache -type f ! -name 'driver.?'); do
 * RUN:   : >$file; [ -n "$(cached)" ]
 * RUN: done
 * RUN: [ $(cached) = true ]
 *
 * Several at once, with a full cache and with none.
 * RUN: (cached >a & cached >b & cached --fresh >c & wait); cat a b c | sort -u | grep -qx true
 * RUN: rm -rf cache; (cached >a & cached >b & wait); [ -s a ]; [ -s b ]
 *
 * The default is $XDG_CACHE_HOME/slowpath.
 * RUN: (unset SLOWPATH_CACHE; XDG_CACHE_HOME=$PWD/xdg cached >/dev/null); [ -n "$(ls xdg/slowpath)" ]
 *
 * RUN: export SLOWPATH_CACHE=$PWD/target.c
 * RUN: %exit 2 %slowpath measure target.c --cflags -I. --entry 'add(x)' in-one 2>&1 | %check
 * CHECK: is in the way: it is not a folder
 */
#include "add.h"

int add(int x) {
    return x + ADD;
}

int other(int x) {
    return x - ADD;
}
