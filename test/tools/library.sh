# SPDX-License-Identifier: Apache-2.0
# Is every function of the C library's headers in abi/library.def? What is in no list is assumed to be
# the worst; here that is to be a decision, and not an oversight.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for header in string strings stdlib stdio wchar wctype ctype search regex fnmatch getopt inttypes; do
    echo "#include <$header.h>"
done >"$work/headers.c"
"${LLVM_BINDIR:-/usr/bin}/clang" -D_GNU_SOURCE -fsyntax-only -Xclang -ast-dump -fno-color-diagnostics "$work/headers.c" |
    sed -n "s/^.*FunctionDecl .* \([A-Za-z_0-9]*\) '.*/\1/p" | sort -u >"$work/declared"
sed -n 's/^[A-Z_]*(\([A-Za-z_0-9]*\).*/\1/p' "$here/src/abi/library.def" | sort -u >"$work/known"
count=$(wc -l <"$work/declared")
[ "$count" -gt 400 ] || { echo "only $count functions found"; exit 1; }
missing=$(comm -23 "$work/declared" "$work/known")
[ -z "$missing" ] || { echo "not in abi/library.def:" $missing; exit 1; }
