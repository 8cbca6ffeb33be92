#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Baselines: accept writes one, replay compares with it: laws, costs, findings. Each way of not being able to tell has
# its own line and exit code 5; --baseline REV does without a file.
set -u
. "$(dirname "$0")/helpers"

# gate STATUS TEXT ARG...: exit code, and TEXT somewhere in what is printed.
gate() {
    want=$1 text=$2
    shift 2
    "$slowpath" "$@" >out 2>err
    status=$?
    [ $status = "$want" ] || fail "exit code $status instead of $want: $* ($(cat out err))"
    cat out err | grep -qF -- "$text" || fail "does not say '$text': $* ($(cat out err))"
}

mkdir -p project && cd project || exit 1
cat >t.c <<'C'
#include <stddef.h>
#include <stdint.h>
static volatile unsigned sum;
static void look(const uint8_t *data, size_t at) {
#ifdef SLOW
    for (size_t i = 0; i < at; i++)
        sum += data[i];
#endif
    sum += data[at] + EXTRA;
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        look(data, i);
    return 0;
}
C
sed -i '1i #define EXTRA 1' t.c
"$slowpath" run t.c --strategy patterns --jobs 1 --time 0 --runs 3000 --max-size 2048 --out suite --quiet >out 2>err ||
    fail "run: $(cat err)"
# Without a baseline, what the run recorded counts, unless one is wanted.
gate 0 'tests hold' replay suite
gate 5 "there is no baseline: 'suite/baseline.txt' is not there" replay suite --gate

gate 0 'accepted: ' accept suite
grep -q '^+ test tests/0001.input instructions=' out || fail "accept prints no difference: $(cat out)"
grep -q '^key compiler=clang-' suite/baseline.txt || fail "no key: $(cat suite/baseline.txt)"
grep -q '^test tests/0001.input instructions=[0-9]* .*law=O(n) .*input=' suite/baseline.txt || fail "$(cat suite/baseline.txt)"
gate 0 'nothing changes' accept suite
gate 0 "compared with 'suite/baseline.txt'" replay suite --gate
(cd / && "$slowpath" replay "$OLDPWD/suite" --gate >/dev/null 2>&1) || fail "not from another folder"

# A worse law fails, whatever the tolerance; so does a cost beyond it, and what is cheaper is told.
sed 's/^#define EXTRA 1/&\n#define SLOW/' t.c >slow.c
gate 1 'grew as O(n), now as O(n^2): A WORSE LAW' replay suite --target slow.c --tolerance 1e6
sed 's/sum += data\[at\] + EXTRA;/&\n    sum += 1; sum += 2; sum += 3;/' t.c >more.c
gate 1 'COSTS MORE' replay suite --target more.c
gate 0 'within the tolerance' replay suite --target more.c --tolerance 200
gate 0 'within the tolerance' replay suite --target more.c --threshold 200
sed 's/sum += data\[at\] + EXTRA;/sum++;/' t.c >less.c
gate 0 'cheaper by more than 1%: accept to keep' replay suite --target less.c
sed 's/for (size_t i = 0; i < size; i++)/char *p = malloc(size + 99); sum += *(volatile char *)p; free(p);\n    &/; 1i #include <stdlib.h>' t.c >hungry.c
gate 0 'within the tolerance' replay suite --target hungry.c --tolerance 50
gate 1 'COSTS MORE' replay suite --target hungry.c --tolerance 50,memory=5
gate 2 '--tolerance lots' replay suite --tolerance lots
gate 2 '--tolerance memory=' replay suite --tolerance memory=

# Findings that the baseline does not know.
cp -r suite new
sed -i 's/"findings": \[\]/"findings": [{"id": "F1", "law": "O(n^2)", "fingerprint": "abc", "cause": []}]/' new/suite.json
gate 1 'F1  O(n^2) in (not located): A NEW FINDING' replay new
gate 0 '+ finding abc law=O(n^2)' accept new
gate 0 'tests hold' replay new

# Cannot tell, each in its own words.
cp -r suite other && sed -i 's/^key compiler=[^ ]*/key compiler=clang-7.0.1/' other/baseline.txt
gate 5 'is of another environment' replay other
cp -r suite gone && rm gone/baseline.txt
gate 5 "'gone/baseline.txt' is gone" replay gone
cp -r suite changed && printf 'zzzz' >changed/tests/0001.input
gate 5 'not in the baseline, or had another input' replay changed
cp -r suite empty && sed -i '/^test/d' empty/baseline.txt
gate 5 'are not in the baseline' replay empty
cp -r suite odd && echo 'test' >>odd/baseline.txt
gate 2 'line 4: neither key nor test nor finding' replay odd
gate 0 'accepted' accept odd
mkdir bare && printf '{"slowpath": "0", "target": "t.c", "entry": null, "measure": "instructions", "sizes": {}, "options": {}, "tests": []}' >bare/suite.json
gate 5 'the suite has no tests' replay bare
gate 5 'nothing to accept' accept bare
sed 's/return 0;/__builtin_trap();/' t.c >broken.c
cp t.c keep.c && cp broken.c t.c
gate 1 'does not end well: nothing is accepted' accept suite
cp keep.c t.c
wrong 'one suite is wanted' accept
wrong 'no file suite.json' accept none

# Another revision, side by side.
rm -rf suite
git init -q . && git -c user.name=a -c user.email=a@b add t.c && git -c user.name=a -c user.email=a@b commit -qm one
"$slowpath" run t.c --strategy patterns --jobs 1 --time 0 --runs 3000 --max-size 2048 --out suite --quiet >out 2>err
gate 0 'compared with revision HEAD' replay suite --baseline HEAD
cp slow.c t.c
gate 1 'A WORSE LAW' replay suite --baseline HEAD
gate 2 'neither a file nor a revision' replay suite --baseline nowhere
gate 2 'neither a file nor a revision' replay suite --baseline=--output=x
gate 2 'neither a file nor a revision' replay suite --baseline "'; touch pwned; '"
[ ! -e pwned ] || fail "a revision is run by the shell"

[ $failures = 0 ] && echo "baselines are accepted and compared with" || exit 1
