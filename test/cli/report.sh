#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report: one self-contained page, the same bytes each time, that tells everything and quotes what it tells. In a browser
# where there is one: Debian's chromium, and with SLOWPATH_NPM (a folder of node_modules with playwright-core and axe-core)
# in all modes.
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
/* </script><img src=x onerror=alert(1)> & "quotes" */
static void look(const uint8_t *data, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (data[i] < 200 && data[i] > '<')
            sum += data[i];
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        look(data, i);
    return 0;
}
C
"$slowpath" run t.c --strategy patterns --jobs 1 --time 0 --runs 3000 --max-size 1024 --out suite --quiet >out 2>err ||
    fail "run: $(cat err)"
"$slowpath" report suite -o page.html >out 2>err || fail "report: $(cat err)"
"$slowpath" report suite --out again.html >out 2>err
cmp -s page.html again.html || fail "two reports differ"
mkdir -p sub && (cd sub && "$slowpath" report ../suite -o page.html >out 2>err) || fail "from another folder"
grep -q 'href="../suite/tests/0001.input"' sub/page.html || fail "the link from another folder: $(grep href sub/page.html)"
"$slowpath" report suite >out 2>err && [ -s suite/report.html ] || fail "the default place"
for text in '<h2 id="F1">F1: <span class="law">O(n^2)</span> in <code>look</code>' 'Content-Security-Policy' \
    "default-src 'none'" 'role="img"' '<desc id="chart1-desc">' 'loop in look (t.c:6)' 'n^2.0' 'The source' \
    'if (data[i] &lt; 200 &amp;&amp; data[i] &gt; &#39;&lt;&#39;)' 'href="suite/tests/0001.input"' 'svg class="icicle"' \
    'slowpath run t.c' 'prefers-color-scheme: dark' '@media print'; do
    grep -qF -- "$text" page.html || fail "the page has no '$text'"
done
for text in ' style=' 'http:' 'https:' '<img' 'onerror=alert(1)&gt; &amp;' 'src='; do
    grep -v 'onerror' page.html | grep -qF -- "$text" && fail "the page has '$text'"
done
[ "$(wc -c <page.html)" -lt 200000 ] || fail "the page has $(wc -c <page.html) bytes"
# The policy's hashes are those of the sheet and the script.
python3 - page.html <<'P' || fail "the hashes of the policy"
import base64, hashlib, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
for tag in ("style", "script"):
    text = re.search("<%s>(.*?)</%s>" % (tag, tag), page, re.S).group(1)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert "%s-src 'sha256-%s'" % (tag, digest) in page, tag
P

# An object that was compiled in another folder, from which its source has its name.
mkdir -p elsewhere && cp t.c elsewhere/other.c && (cd elsewhere && "${slowpath}-cc" -g -c other.c -o ../other.o) || fail "slowpath-cc"
"$slowpath" run other.o --strategy patterns --jobs 1 --time 0 --runs 3000 --max-size 1024 --out elsewhere/suite --quiet >out 2>err ||
    fail "run of an object: $(cat err)"
"$slowpath" report elsewhere/suite -o other.html >out 2>err || fail "report of an object: $(cat err)"
grep -q '</code> in other.c<' other.html && grep -qF 'data[i] &gt; &#39;&lt;&#39;' other.html ||
    fail "a source in the folder where it was compiled is not read"

# Without the target, without findings, with damage.
mkdir alone && cp -r suite alone/suite && (cd alone && "$slowpath" report suite -o p.html >out 2>err) || fail "without the target"
grep -q 'Without sources and stacks' alone/p.html || fail "does not say that there is no target"
"$slowpath" run t.c --strategy random --jobs 1 --time 0 --runs 50 --size 8 --out plain --quiet >out 2>err
"$slowpath" report plain -o plain.html >out 2>err || fail "a suite without findings: $(cat err)"
grep -q 'No superlinear cost was found' plain.html || fail "no word about no findings"
cp -r suite odd && sed -i 's/"series": \[/"series": [[0, -1], [1e308, 1e308], "x",/; s/"recipe": "repeat/"recipe": "<script>/' odd/suite.json
"$slowpath" report odd -o odd.html >out 2>err || fail "a suite that is odd: $(cat err)"
[ "$(grep -c '<script>' odd.html)" = 1 ] || fail "a recipe becomes a script"
wrong 'one suite is wanted' report
wrong 'no file suite.json' report none
wrong 'cannot' report suite -o none/page.html

# In a browser.
if command -v chromium >/dev/null 2>&1; then
    # (dbus and graphics are noise here; what the page says is tagged CONSOLE)
    timeout 60 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$PWD/profile" \
        --dump-dom "file://$PWD/page.html" >dom 2>console || fail "chromium: $(tail -n 3 console)"
    grep -q 'CONSOLE' console && fail "the console: $(grep CONSOLE console)"
    grep -q '<button type="button">finding</button>' dom || fail "the script did not run"
    if [ -n "${SLOWPATH_NPM-}" ]; then
        mkdir -p "${SLOWPATH_SHOTS:-shots}"
        timeout 120 node "$source/test/browser/check.mjs" "$PWD/page.html" "${SLOWPATH_SHOTS:-shots}" "$SLOWPATH_NPM" >found 2>&1 ||
            fail "in the browser: $(cat found)"
    else
        echo "skipped: light, dark, print and axe, for want of SLOWPATH_NPM (a folder with playwright-core and axe-core)"
    fi
else
    echo "skipped: the browser, for want of chromium"
fi
[ $failures = 0 ] && echo "the report is whole" || exit 1
