#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every command has a man page with its options, and there are no others.
set -eu
slowpath=$1/slowpath pages=$1/../share/man/man1
commands=$("$slowpath" | sed -n 's/^  slowpath \([a-z]*\)  *.*/\1/p' | sort)
[ "$commands" = "$("$slowpath" --man-list | sort)" ] || { echo "FAIL: --man-list"; exit 1; }
[ "$(ls "$pages")" = "$(echo "$commands" | sed 's/.*/slowpath-&.1/')" ] ||
    { echo "FAIL: the pages are not those of $commands:" && ls "$pages"; exit 1; }
for command in $commands; do
    page=$pages/slowpath-$command.1
    grep -q "^slowpath..$command .. " "$page" || { echo "FAIL: $page has no name"; exit 1; }
    for option in $("$slowpath" "$command" --help | sed -n 's/^  --\([a-z-]*\).*/\1/p'); do
        grep -qxF -- ".B \\-\\-$(echo "$option" | sed 's/-/\\-/g')" "$page" ||
            grep -qF -- ".B \\-\\-$(echo "$option" | sed 's/-/\\-/g') " "$page" ||
            { echo "FAIL: $page does not tell of --$option"; exit 1; }
    done
done
echo "a page for each of $(echo $commands)"
