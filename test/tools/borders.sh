#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/check-borders fails on every kind of include that ARCHITECTURE.md forbids, and on nothing else.
set -eu
tool=$(cd "$(dirname "$0")/../../tools" && pwd)/check-borders
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# A house of four rooms, as all its includes are allowed.
build() {
    rm -rf src
    mkdir -p src/low src/maker/core src/maker/left src/maker/right src/user src/top
    cat >ARCHITECTURE.md <<'MD'
| room | responsibility | may use |
|---|---|---|
| `low` | nothing | - |
| `maker` | things | low |
| `user` | uses things | maker, low |
| `top` | all of it | all |

| library | for | headers | seen by |
|---|---|---|---|
| Engine | making | `engine-c`, `engine` | maker |
| Paper | writing | `paper` | user, top |
MD
    echo '#include <stdio.h>' >src/low/low.h
    printf '#include "low/low.h"\n' >src/maker/maker.h
    printf '#include "maker/maker.h"\n#include <engine-c/Core.h>\n' >src/maker/module.h
    printf '#include "maker/module.h"\n' >src/maker/core/core.h
    printf '#include "maker/core/core.h"\n#include <engine.h>\n' >src/maker/left/left.h
    printf '#include "maker/left/left.h"\n' >src/maker/left/left.c
    printf '#include "maker/core/core.h"\n' >src/maker/right/right.c
    printf '  #  include "maker/maker.h"\n#include <paper.h>\n' >src/user/user.h
    printf '#include "user/user.h"\n#include "low/low.h"\n' >src/top/top.c
}

holds() { # WHAT
    "$tool" >out || { echo "FAIL: $1: $(cat out)"; exit 1; }
}
breaks() { # MESSAGE FILE INCLUDE
    build
    echo "#include $3" >>"$2"
    if "$tool" >out; then
        echo "FAIL: $2 may include $3"
        exit 1
    fi
    grep -qF -- "$1" out || { echo "FAIL: not told of '$1': $(cat out)"; exit 1; }
    [ "$(wc -l <out)" = 1 ] || { echo "FAIL: told more than once: $(cat out)"; exit 1; }
}

build
holds "the house as it is"

# Between rooms.
breaks 'src/low/low.h includes maker/, but low may use: -' src/low/low.h '"maker/maker.h"'
breaks 'src/maker/left/left.c includes user/, but maker may use: low' src/maker/left/left.c '"user/nothing.h"'
breaks 'src/user/user.h includes top/' src/user/user.h '"top/table.def"'

# Between folders of a room: only the top, `core` and one's own.
breaks 'src/maker/right/right.c includes maker/left/, a folder beside its own' \
    src/maker/right/right.c '"maker/left/left.h"'
breaks 'src/maker/core/core.h includes maker/right/, a folder beside its own' \
    src/maker/core/core.h '"maker/right/right.h"'

# A library, also through a header of a room that may see it, and only the first file is told.
breaks 'src/low/low.c sees <engine-c> directly' src/low/low.c '<engine-c/Core.h>'
breaks 'src/maker/right/right.c sees <paper> directly' src/maker/right/right.c '<paper.h>'
breaks 'src/user/user.h sees <engine-c> through src/maker/module.h' src/user/user.h '"maker/module.h"'
breaks 'src/user/user.h sees <engine-c> through src/maker/core/core.h' src/user/user.h '"maker/core/core.h"'

# A room that the table does not know.
build
mkdir src/attic
echo 'int a;' >src/attic/attic.c
! "$tool" >out || { echo "FAIL: an unknown room"; exit 1; }
grep -qx 'attic: not in the table of ARCHITECTURE.md' out || { echo "FAIL: $(cat out)"; exit 1; }

# The compiler agrees: LLVM's headers are given to these rooms alone.
cd "$(dirname "$tool")/.."
rooms=$(sed -n 's/^add_room(\([a-z]*\) .*[ (]llvm[ )].*/\1/p' src/CMakeLists.txt | sort | tr '\n' ' ')
seen=$(sed -n 's/.*| `llvm-c` | *\(.*\) |$/\1/p' ARCHITECTURE.md | tr -d , | tr ' ' '\n' | sort | tr '\n' ' ')
[ "$rooms" = "$seen" ] || { echo "FAIL: llvm is given to $rooms, and the table says $seen"; exit 1; }
echo "borders hold"
