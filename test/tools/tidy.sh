#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/check-tidy looks at a clean file once, and again when anything changes that it depends on; a
# file with findings fails every time.
set -eu
tool=$(cd "$(dirname "$0")/../../tools" && pwd)/check-tidy
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
unset SLOWPATH_TIDY_CACHE SLOWPATH_TIDY_CLEAN

# clang-tidy, but each file that it is asked about is written down.
real=$(command -v clang-tidy-19)
mkdir bin src build tools
cat >bin/clang-tidy-19 <<SH
#!/bin/sh
[ "\$1" = --version ] || echo "\$2" >>"$scratch/looked"
exec "$real" "\$@"
SH
chmod +x bin/clang-tidy-19
PATH=$scratch/bin:$PATH

fail() {
    echo "FAIL: $*"
    cat out
    exit 1
}
looks_at() { # FILES, in any order
    got=$(sort looked 2>/dev/null | tr '\n' ' ')
    [ "$got" = "${1:+$1 }" ] || fail "looked at '$got' instead of '$1'"
    rm -f looked
}
commands() { # OPTION
    for file in clean dirty; do
        printf '%s\n  "directory": "%s",\n  "command": "clang-19 %s -DNAME=\\\\\\"x\\\\\\" -I%s -o %s.o -c %s",\n  "file": "%s"\n%s\n' \
            "$([ $file = clean ] && echo '[{' || echo '{')" "$scratch" "$1" "$scratch/src" $file \
            "$scratch/src/$file.c" "$scratch/src/$file.c" "$([ $file = clean ] && echo '},' || echo '}]')"
    done >build/compile_commands.json
}

printf "Checks: '-*,bugprone-sizeof-expression'\nWarningsAsErrors: '*'\n" >.clang-tidy
echo 'static const char name[] = NAME;' >src/common.h
echo '#define OTHER 1' >src/other.h
printf '#include "common.h"\nint clean(void) { return name[0]; }\n' >src/clean.c
printf '#include "other.h"\nunsigned long dirty(int *p) { return sizeof(sizeof(*p)) + OTHER; }\n' >src/dirty.c
commands -O1

"$tool" build >out 2>&1 && fail "a finding is no failure"
grep -q bugprone-sizeof-expression out || fail "the finding is not told"
looks_at 'src/clean.c src/dirty.c'
"$tool" build >out 2>&1 && fail "the finding is forgotten"
grep -q bugprone-sizeof-expression out || fail "the finding is not told again"
looks_at src/dirty.c

printf '#include "other.h"\nunsigned long dirty(int *p) { return sizeof(*p) + OTHER; }\n' >src/dirty.c
"$tool" build >out 2>&1 || fail "a mended file fails"
looks_at src/dirty.c
"$tool" build >out 2>&1 || fail "a clean tree fails"
looks_at ''

echo '/* more */' >>src/common.h
"$tool" build >out 2>&1 || fail "a changed header fails"
looks_at src/clean.c
echo '#define OTHER (int)sizeof(sizeof(int))' >src/other.h
"$tool" build >out 2>&1 && fail "a header with a finding is no failure"
looks_at src/dirty.c
echo '#define OTHER 1' >src/other.h
"$tool" build >out 2>&1 || fail "back to what was clean"
looks_at ''

commands -O2
"$tool" build >out 2>&1 || fail "other options"
looks_at 'src/clean.c src/dirty.c'
echo '# another list' >>.clang-tidy
"$tool" build 1/2 >out 2>&1 || fail "another list"
"$tool" build 2/2 >out 2>&1 || fail "another list, the second half"
looks_at 'src/clean.c src/dirty.c'

# What is remembered holds in another folder with the same contents, and only for them.
"$tool" build --remember >out 2>&1 || fail "--remember fails"
looks_at ''
here=$scratch
mkdir there
cp -R src tools .clang-tidy there
cd there
mkdir build
scratch=$PWD
commands -O2
"$tool" build >../out 2>&1 || fail "a copy fails"
scratch=$here
cd "$scratch"
looks_at ''
echo '/* changed */' >>there/src/clean.c
(cd there && "$tool" build) >out 2>&1 || fail "a changed copy fails"
looks_at src/clean.c

echo 'unsigned long plain(int *p) { return sizeof(sizeof(*p)); }' >src/plain.c
"$tool" build >out 2>&1 && fail "a file without a compiler command is left out"
looks_at src/plain.c
echo 'int plain(' >src/plain.c
"$tool" build >out 2>&1 && fail "a file that is not C passes"
"$tool" build >out 2>&1 && fail "a file that is not C passes the second time"
echo "clean files are looked at once"
