#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Arrays of arrays: m[n][n] for rows of variable length, m[n][3] where the type has the 3, and a clear
# word where what is written and the type do not agree.
set -u
. "$(dirname "$0")/helpers"

cat >t.c <<'C'
int vla(int n, int m[n][n]) {
    int s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (m[i][j] > i + j)
                s++;
    return s;
}
int wide(int r, int c, short m[r][c]) {
    int s = 0;
    for (int i = 0; i < r; i++)
        for (int j = 0; j < c; j++)
            if (m[i][j] == i * 10 + j)
                s++;
    return s;
}
int fixed(int m[][3], int n) { int s = 0; for (int i = 0; i < n; i++) if (m[i][2] > 3) s++; return s; }
int rows(int (*m)[2], int n) { if (n && m[n - 1][1] > 5) return 1; return 2; }
int flat(int *m, int n) { if (m[n * n - 1] > 5) return 1; return 2; }
int cube(int n, int m[n][n][2]) { if (m[n - 1][n - 1][1] > 5) return 1; return 2; }
int odd(int n, int m[n][4][n]) { if (m[n - 1][3][n - 1] > 5) return 1; return 2; }
int lines(int **m, int n) { if (m[n - 1][n - 1] > 5) return 1; return 2; }
C
# paths COUNT CONDITION ENTRY ARG...: so many paths, and the costliest one's condition.
paths() {
    count=$1 condition=$2 entry=$3
    shift 3
    "$slowpath" run t.c --entry "$entry" "$@" --strategy exhaustive --jobs 1 --quiet --out s --force \
        >out 2>err || fail "$entry: $(cat err)"
    grep -q "^ *$count different paths" out && grep -q '^complete' out || fail "$entry: $(cat out)"
    grep -qF "$condition" s/suite.json || fail "$entry: $(grep condition s/suite.json)"
}
paths 16 'm[0][0] > 0 && m[0][1] > 1 && m[1][0] > 1 && m[1][1] > 2' 'vla(n, m[n][n])' --size n=2
paths 64 'm[1][2] == 12"' 'wide(2, 3, m[2][3])'
paths 64 'm[1][2] == 12"' 'wide(r, c, m[r][c])' --size r=2 --size c=3
paths 4 'm[0][2] > 3 && m[1][2] > 3' 'fixed(m[n][3], n)' --size n=2
paths 4 'm[0][2] > 3 && m[1][2] > 3' 'fixed(m[n], n)' --size n=2
paths 2 'm[1][1] >' 'rows(m[n][2], n)' --size n=2
paths 2 'm[1][1] >' 'flat(m[n][n], n)' --size n=2
paths 2 'm[1][1][1] >' 'cube(n, m[n][n][2])' --size n=2
paths 2 'm[1][1][1] >' 'cube(n, m[n][n])' --size n=2

# The size is found from the input: 16 bytes are 2 times 2 integers.
head -c 16 /dev/zero >sixteen
"$slowpath" measure t.c --entry 'vla(n, m[n][n])' sixteen >out 2>err || fail "measure: $(cat err)"
awk 'NR > 1 { print $2 }' out | grep -qx 2 || fail "n is not 2: $(cat out)"

misfit() { # TEXT ENTRY
    "$slowpath" measure t.c --entry "$2" sixteen >out 2>err
    [ $? = 3 ] || fail "exit code of $2: $(cat out err)"
    [ "$(wc -l <err)" = 1 ] && grep -qF -- "$1" err || fail "$2: $(cat err)"
}
misfit "'m[n]' lacks a dimension: 'm' has 2 of variable length, write m[n][n]" 'vla(n, m[n])'
misfit "write m[n][n] for an array" vla
misfit "lacks a dimension" 'cube(n, m[n])'
misfit "which has fewer dimensions" 'vla(n, m[n][n][n])'
misfit "whose dimension 2 is 3" 'fixed(m[n][4], n)'
misfit "whose dimension 2 is 3" 'fixed(m[n][k], n)'
misfit "whose dimension 3 is 2" 'cube(n, m[n][n][n])'
misfit "whose elements have no known size" 'odd(n, m[n][4][n])'
misfit "whose elements are pointers" 'lines(m[n][n], n)'

[ $failures = 0 ] && echo "arrays of arrays" || exit 1
