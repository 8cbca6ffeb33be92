#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What README.md and docs show is what the tool prints: every "$ slowpath ..." of a block is run on the examples, in order,
# and its output compared, but for times. A block after <!-- not checked: why --> is left out.
set -u
. "$(dirname "$0")/helpers"
source=${0%/test/cli/*}
if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: the examples of README.md, for want of python3"
    exit 0
fi
cp "$source"/examples/*.c "$source"/examples/redundant/*.c .
mkdir bin
for name in words lsort; do
    "$slowpath-cc" -o bin/$name "$source/examples/pipe/$name.c" || fail "$name does not build"
done
cat >check.py <<'P'
import itertools, re, struct, subprocess, sys

slowpath, pages = sys.argv[1], sys.argv[2:]

# ---- the inputs that the pages name ----
def write(name, data):
    open(name, "wb").write(data)

for n in (16, 32, 64, 128):
    write("down-%d" % n, struct.pack("<%di" % n, *range(n, 0, -1)))
text = b"\n" + b"a" * 24
write("one-star", b"a*b" + text)
write("three-stars", b"a*a*a*b" + text)
write("five-stars", b"a*a*a*a*a*b" + text)
write("plain", b"".join(b"word%d\n" % i for i in range(2000)))
write("anagrams", "".join("".join(p) + "\n" for p in itertools.islice(itertools.permutations("abcdefg"), 2000)).encode())
write("disjoint", struct.pack("<128i", *range(128)))
write("flat", b"(()())")
write("deep", b"(" * 1000000)

# ---- what is compared ----
def comparable(line):
    if re.search(r"of the time|runs/s|outside the target| ms +\(Segmentation", line):
        return None
    line = re.sub(r"\d+\.\d+ ms", "T", line)
    line = re.sub(r"\d+\.\d+ s\b", "T", line)
    return re.sub(r" +", " ", line).strip()

def blocks(page):
    skip = False
    block = []
    for line in open(page, encoding="utf-8").read().split("\n") + ["end"]:
        if line.startswith("    ") or (block and not line.strip()):
            block.append(line[4:])
        elif block:
            if not skip and any(one.startswith("$ slowpath ") for one in block):
                yield block
            block, skip = [], False
        if line.startswith("<!-- not checked:"):
            skip = True

failures = commands = 0
for page in pages:
    for block in blocks(page):
        while block:
            command, block = block[0], block[1:]
            shown = list(itertools.takewhile(lambda line: not line.startswith("$ "), block))
            block = block[len(shown):]
            if not command.startswith("$ slowpath "):
                continue
            commands += 1
            run = subprocess.run(["sh", "-c", command[2:].replace("slowpath", slowpath, 1)],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            # where a stack ends depends on what lies on it before: the function counts, not the
            # line, which the instruction at fault may not even have
            crash = re.findall(r"\(Segmentation fault in \w+", "\n".join(shown))
            printed = {comparable(line) for line in run.stdout.split("\n")}
            wrong = [line for line in shown if line.strip() and comparable(line) not in printed | {None}]
            wrong += [text for text in crash if text not in run.stdout]
            if wrong:
                failures += 1
                print("FAIL: %s: '%s' does not print:" % (page, command))
                print("\n".join(wrong))
                print("but:\n" + run.stdout)
print("%d commands of %d pages print what is shown" % (commands - failures, len(pages)))
sys.exit(1 if failures or not commands else 0)
P
timeout 200 python3 check.py "$slowpath" "$source/README.md" "$source/docs/findings.md" "$source/docs/pipelines.md" \
    "$source/docs/redundant.md" || fail "an example is not what is printed"
[ $failures = 0 ] || exit 1
