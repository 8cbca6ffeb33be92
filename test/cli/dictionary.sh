#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Dictionaries and corpora of fuzzers: what is right is used, what is wrong is told with its line.
set -eu
slowpath=$1/slowpath
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
cat >h.c <<'C'
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return size > 3 && data[3] == 'x';
}
C
wrong() { # TEXT LINE...
    text=$1
    shift
    printf '%s\n' "$@" >bad.dict
    if "$slowpath" run h.c --size 8 --strategy evolve --dict bad.dict >out 2>err; then
        fail "accepted: $*"
    fi
    [ "$(wc -l <err)" -eq 1 ] || fail "more than one line: $(cat err)"
    grep -qF -- "$text" err || fail "'$text' is not said of '$*': $(cat err)"
}
wrong "line 2: the closing quote is missing" '# remark' 'a="x'
wrong "line 1: a backslash stands before" 'a="\q"'
wrong "line 1: a backslash stands before" 'a="\x1"'
wrong 'line 1: write NAME="text" or "text"' 'word'
wrong "line 3: the text is empty" '"a"' '' 'b=""'
wrong "line 1: something follows" '"a" b'

# The inputs of AFL's queues are run, the files beside them are not: the costliest is in a queue.
cat >m.c <<'C'
#include <stddef.h>
#include <stdint.h>
#include <slowpath.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    (void)data;
    slowpath_count("found", size == 21 ? 5 : 1);
    return 0;
}
C
mkdir -p sync/default/queue sync/default/crashes
printf 'twenty-one bytes here' >sync/default/queue/id:000000
echo no >sync/default/fuzzer_stats
printf 'a longer one, which is no input of any queue' >sync/default/crashes/README.txt
"$slowpath" run m.c --strategy evolve --seeds sync --measure count:found --runs 1 --time 0 --jobs 1 \
    --out found --quiet >out 2>err || fail "$(cat err)"
grep -q '"count:found": 5' found/suite.json || fail "the queue was not read"
cmp -s found/tests/0001.input sync/default/queue/id:000000 || fail "it is another input"

# A word of the dictionary gets into inputs at once; by chance it would take six right bytes.
cat >w.c <<'C'
#include <stddef.h>
#include <stdint.h>
#include <slowpath.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t value = 0;
    if (size < 6)
        return 0;
    for (int i = 0; i < 6; i++)
        value = value << 8 | (uint8_t)(data[i] * 7 + 3);
    if (value % 999999937 == 919097338)
        slowpath_count("found", 1);
    return 0;
}
C
printf 'name="\\x00\\xff\\"\\\\zq" # a remark\n' >good.dict
"$slowpath" run w.c --strategy evolve --size 8 --dict good.dict --measure count:found --runs 40 \
    --time 0 --jobs 1 --out word --quiet >out 2>err || fail "$(cat err)"
grep -q '"count:found": 1' word/suite.json || fail "the word was not tried"
