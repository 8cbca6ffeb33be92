#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Formats: suite.json keeps to its schema; SARIF, JUnit, GitLab, Markdown, CSV and stacks are well-formed and say what was
# found; --report-to writes all of them; annotations only where GITHUB_ACTIONS says so. What validates formats and is not
# installed is skipped with a line.
set -u
. "$(dirname "$0")/helpers"
source=${0%/test/cli/*}
if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: for want of python3"
    exit 0
fi

cat >t.c <<'C'
#include <stddef.h>
#include <stdint.h>
static volatile unsigned sum;
static void look(const uint8_t *data, size_t at) {
    for (size_t i = 0; i < at; i++)
        sum += data[i];
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        look(data, i);
    return 0;
}
C
run() { # ARG...
    "$slowpath" run t.c --strategy patterns --jobs 1 --time 0 --runs 3000 --max-size 1024 --quiet "$@"
}
run --out suite --report-to reports >out 2>err || fail "run: $(cat err)"
grep -q '^::' out && fail "annotations without GITHUB_ACTIONS"
GITHUB_ACTIONS=true run --out suite >out 2>err
grep -q '^::warning file=t.c,line=5,title=superlinear-cost::O(n^2) in look: ' out || fail "no annotation: $(cat out)"

for file in result.json findings.sarif junit.xml gl-code-quality-report.json summary.md tests.csv; do
    [ -s "reports/$file" ] || fail "--report-to writes no $file"
done
python3 - suite/suite.json "$source/share/suite.schema.json" <<'P' || fail "suite.json does not keep to its schema"
import json, sys
suite, schema = (json.load(open(path)) for path in sys.argv[1:])
try:
    import jsonschema
except ImportError:
    print("skipped: the schema, for want of python3-jsonschema")
    sys.exit(0)
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.Draft7Validator(schema).validate(suite)
for member in ("tests", "measure", "stats"):
    less = dict(suite)
    del less[member]
    if jsonschema.Draft7Validator(schema).is_valid(less):
        sys.exit("valid without " + member)
P
python3 - reports <<'P' || fail "a report is not what it should be"
import csv, json, sys
folder = sys.argv[1]
sarif = json.load(open(folder + "/findings.sarif"))
run = sarif["runs"][0]
result = run["results"][0]
rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
assert sarif["version"] == "2.1.0" and rule["id"] == result["ruleId"] == "superlinear-cost"
assert rule["help"]["text"] and len(rule["fullDescription"]["text"]) <= 1024
place = result["locations"][0]["physicalLocation"]
assert place["artifactLocation"]["uri"] == "t.c" and place["region"]["startLine"] == 5, place
assert place["region"]["startColumn"] == 5 and place["region"]["endColumn"] > 5, place
flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
lines = [at["location"]["physicalLocation"]["region"]["startLine"] for at in flow]
assert lines == [8, 9, 10, 5], lines
assert set(result["partialFingerprints"]) == {"slowpathCause/v1", "primaryLocationLineHash"}
assert run["automationDetails"]["id"].startswith("slowpath/suite")
quality = json.load(open(folder + "/gl-code-quality-report.json"))
assert quality[0]["location"] == {"path": "t.c", "lines": {"begin": 5}} and quality[0]["severity"] == "major"
assert len({one["fingerprint"] for one in quality}) == len(quality)
rows = list(csv.DictReader(open(folder + "/tests.csv", newline="")))
assert rows[0]["file"] == "tests/0001.input" and rows[0]["law"] == "O(n^2)" and int(rows[0]["instructions"]) > 0
summary = open(folder + "/summary.md").read()
assert "| F1 |" in summary and len(summary) < 60000
P
if command -v xmllint >/dev/null 2>&1; then
    xmllint --noout reports/junit.xml || fail "junit.xml is not well-formed"
    [ "$(xmllint --xpath 'count(//testcase/failure)' reports/junit.xml)" = 1 ] || fail "junit.xml: $(cat reports/junit.xml)"
else
    echo "skipped: XML, for want of xmllint"
fi
if [ -n "${SARIF_MULTITOOL-}" ]; then
    DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 "$SARIF_MULTITOOL" validate reports/findings.sarif --rule-kind 'Sarif;Ghas' >out 2>&1
    grep -E ': (error|fail)' out && fail "SARIF is refused"
else
    echo "skipped: the SARIF SDK's validator, for want of SARIF_MULTITOOL (its path)"
fi

# After a replay only what fails is a failure.
"$slowpath" accept suite >/dev/null 2>&1 || fail "accept"
"$slowpath" replay suite --report-to green >out 2>err || fail "replay: $(cat err)"
grep -q 'failures="0"' green/junit.xml || fail "green: $(cat green/junit.xml)"
grep -q '"level": "note"' green/findings.sarif || fail "a known finding is no note"
sed 's/sum += data\[i\];/sum += data[i] + sum;/' t.c >s.c
GITHUB_ACTIONS=true "$slowpath" replay suite --target s.c --report-to red >out 2>err && fail "red is green"
grep -q '^::error file=t.c,line=[0-9]*,title=higher-cost::tests/0001.input: COSTS MORE' out || fail "no annotation: $(cat out)"
grep -q '"ruleId": "higher-cost"' red/findings.sarif || fail "red SARIF: $(cat red/findings.sarif)"
grep -q '0 of 1 tests hold' red/summary.md || fail "red summary: $(cat red/summary.md)"

# export
for format in sarif junit gitlab markdown csv folded speedscope callgrind; do
    "$slowpath" export suite --format $format >out 2>err && [ -s out ] || fail "export $format: $(cat err)"
done
"$slowpath" export suite --format folded | grep -q '^LLVMFuzzerTestOneInput;look [0-9]*$' || fail "no stacks"
"$slowpath" export suite --format folded --test 1 --out stacks && [ -s stacks ] || fail "--out"
# A source outside of the checkout has no path in it.
cp -r suite outside && sed -i 's|"file": "t.c"|"file": "/else where/t.c"|' outside/suite.json
"$slowpath" export outside --format sarif >out 2>err || fail "export of a suite from elsewhere: $(cat err)"
grep -q '"uri": "file:///else%20where/t.c"' out || fail "a path of this machine is told as one of the checkout: $(cat out)"
grep -q '"uri": "/' out && fail "a relative reference begins with a slash"
wrong 'which format?' export suite
wrong 'there is no such format' export suite --format pdf
wrong "there is no test '9'" export suite --format folded --test 9
wrong 'one suite is wanted' export --format csv
wrong 'no file suite.json' export none --format csv
wrong 'cannot' export suite --format csv --out none/file
: >file && wrong 'file' run t.c --out t.c.slowpath --report-to file/sub
[ $failures = 0 ] && echo "every format is well-formed" || exit 1
