#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What goes wrong is said in one line, and nothing is left behind, also after a signal.
. "$(dirname "$0")/helpers"

# A source that clang compiles but not to bitcode: the object is there, and a warning.
cat >picky <<C
#!/bin/sh
for argument; do [ "\$argument" != -emit-llvm ] || exit 1; done
exec "$clang" "\$@"
C
chmod +x picky
SLOWPATH_CLANG=$scratch/work/picky "$cc" -c twice.c 2>cc.err || fail "an object without bitcode"
[ "$(cat cc.err)" = "slowpath-cc: warning: no bitcode for twice.c" ] ||
    fail "the warning is '$(cat cc.err)'"
expect_frames twice.o
SLOWPATH_CLANG=$scratch/work/picky "$cc" main.c twice.c -o prog 2>cc.err || fail "a program"
[ "$(wc -l <cc.err)" = 2 ] || fail "the warnings are '$(cat cc.err)'"
[ "$(./prog)" = 42 ] || fail "prog does not run"

# No compiler, no temporary folder.
SLOWPATH_CLANG=$scratch/none "$cc" -c twice.c 2>cc.err && fail "no clang, and it succeeds"
grep -q "^slowpath-cc: error: cannot run '.*/none': " cc.err || fail "no clang: '$(cat cc.err)'"
[ "$(wc -l <cc.err)" = 1 ] || fail "no clang: '$(cat cc.err)'"
SLOWPATH_CLANG=$scratch/none "$cc" --version 2>cc.err && fail "no clang, and it succeeds"
grep -q "^slowpath-cc: error: " cc.err || fail "no clang: '$(cat cc.err)'"
TMPDIR=$scratch/none "$cc" main.c twice.c -o prog 2>cc.err && fail "no TMPDIR, and it succeeds"
grep -q "^slowpath-cc: error: cannot make a temporary folder" cc.err ||
    fail "no TMPDIR: '$(cat cc.err)'"

# Two at once, in one folder, with one name of source.
mkdir one two
cp twice.c one
cp twice.c two
for round in 1 2 3; do
    "$cc" -c one/twice.c -o one.o &
    first=$!
    "$cc" two/twice.c main.c -o two.prog &
    wait $first || fail "the first of two"
    wait $! || fail "the second of two"
    expect_frames one.o one/twice.c
    expect_frames two.prog two/twice.c main.c
done

# A signal ends the wrapper and its child; 143 is SIGTERM.
cat >slow <<C
#!/bin/sh
touch "$scratch/started"
trap 'exit 1' TERM INT
while :; do sleep 0.05; done
C
chmod +x slow
for call in "-c -x c -" "-x c - -o prog"; do
    rm -f "$scratch/started"
    SLOWPATH_CLANG=$scratch/work/slow "$cc" $call <twice.c &
    wrapper=$!
    while [ ! -e "$scratch/started" ]; do sleep 0.05; done
    kill -TERM $wrapper
    wait $wrapper 2>/dev/null
    status=$?
    [ $status = 143 ] || fail "after SIGTERM the status is $status: $call"
done
finish
