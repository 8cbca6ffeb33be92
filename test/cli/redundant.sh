#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# redundant: the tests of a suite, also at smaller sizes where they have a recipe; the exit codes; and
# wrong usage gets one clear line on stderr, nothing on stdout, and exit code 2.
set -u
. "$(dirname "$0")/helpers"

# Each letter is looked for in all that was read before it.
cat >t.c <<'END'
#include <stddef.h>
#include <stdint.h>
static uint8_t known[4096];
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < size && count < sizeof known; i++) {
        size_t at = 0;
        while (at < count && known[at] != data[i] + 1)
            at++;
        known[count++] = data[i];
    }
    return 0;
}
END
"$slowpath" run t.c --strategy random --size 64 --runs 50 --jobs 1 --tests 2 --quiet --out suite \
    >out 2>err || fail "no suite to begin with ($(cat err))"
"$slowpath" redundant suite --json json >out 2>err || fail "exit code $? ($(cat err))"
grep -q '^R1  t.c:6 (LLVMFuzzerTestOneInput)  >  t.c:8 (LLVMFuzzerTestOneInput)' out ||
    fail "the nest is not found: $(cat out)"
grep -q 'shown by: tests/000[12].input' out || fail "no test is named: $(cat out)"
grep -q '"repeats": true' json || fail "json does not tell: $(cat json)"
grep -q 'loads grow' out && fail "growth is claimed from one size: $(cat out)"

# A recipe makes tests of other sizes.
sed '0,/"file": "tests/s!"file": "tests/0001.input"!"recipe": "repeat unit=\\"abcdefgh\\"", &!' \
    suite/suite.json >changed
cp changed suite/suite.json
"$slowpath" redundant suite >out 2>err || fail "exit code $? ($(cat err))"
grep -q 'tests/0001.input at 32 bytes' out || fail "the recipe is not grown: $(cat out)"
grep -q 'loads grow like n^[12]' out || fail "growth is not told: $(cat out)"

# The suite keeps what was found: show and report tell it.
grep -q '"redundant": ' suite/suite.json || fail "the suite does not keep it"
"$slowpath" show suite >out 2>err && grep -q '^R1  t.c:6 ' out || fail "show does not tell: $(cat out err)"
"$slowpath" show suite R1 >out 2>err && grep -q 'fix: ' out || fail "show R1 does not tell: $(cat out err)"
"$slowpath" report suite --out page.html >out 2>err && grep -q 'Read again and again' page.html ||
    fail "the report does not tell: $(cat err)"
"$slowpath" export suite --format markdown >out 2>err && grep -q '^| R1 |' out || fail "markdown does not tell: $(cat out err)"

# In a gate, a finding is a failure; --target runs the suite on another program.
"$slowpath" redundant suite --gate --quiet >out 2>err
[ $? = 1 ] || fail "a gate does not fail"
[ "$(wc -l <err)" = 1 ] || fail "not one line: $(cat err)"
sed 's/while (at < count/while (at < 3 \&\& at < count/' t.c >mended.c
"$slowpath" redundant suite --target mended.c --gate --quiet >out 2>err ||
    fail "what was mended is still reported ($(cat out err))"
grep -q 'no loop nest reads the same data again' out || fail "it does not say so: $(cat out)"

wrong 'no target' redundant
wrong 'cannot read the target' redundant none.c
wrong "cannot read 'none'" redundant t.c none
wrong 'it is '\''memory'\'' or '\''values'\''' redundant t.c --by time
wrong '--iterations 1' redundant t.c --iterations 1
wrong '--iterations many' redundant t.c --iterations many
wrong 'a suite brings its own inputs' redundant suite t.c
mkdir empty
wrong 'there are no inputs' redundant t.c empty
wrong 'the entry has no size of that name' redundant t.c --entry 'LLVMFuzzerTestOneInput(d[n], n)' --size m=3
echo 'int main(void) {' >broken.c
"$slowpath" redundant broken.c >out 2>err
[ $? = 3 ] || fail "a target that does not compile is not exit code 3"

# A run that crashes is told, and is no reason to give up.
cat >c.c <<'END'
#include <stdint.h>
#include <stdlib.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; k < size; k++)
            if (data[k] == 'X' && data[i] == 'X')
                abort();
    return 0;
}
END
printf 'abcdefghijkl' >good
printf 'abcdefghijkX' >bad
"$slowpath" redundant c.c bad good >out 2>err || fail "exit code $? after a crash ($(cat err))"
grep -q '^crash .* bad, recorded up to its end' out || fail "the crash is not told: $(cat out)"
grep -q '^R1 ' out || fail "the other run does not count: $(cat out)"
[ $failures = 0 ] && echo "redundant runs suites, and its wrong usage is told" || exit 1
