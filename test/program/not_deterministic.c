/* SPDX-License-Identifier: Apache-2.0
 *
 * A target that costs something else each time is told so: a warning, the result all the same, and
 * exit code 4.
 *
 * RUN: printf x >in-x
 * RUN: %exit 4 %slowpath measure %s in-x --json json >out 2>err; %check <err; grep -q 'in-x *ok' out
 * RUN: grep '"deterministic": false' json
 * RUN: %exit 4 %slowpath measure %s in-x --fresh 2>err >out; %check <err
 * CHECK: slowpath: warning: the target is not deterministic: 'in-x' costs something else each time
 * CHECK: slowpath measure: the target is not deterministic: its counts are not exact
 *
 * Also when only a repetition shows it: this part of the target differs once in a few hundred runs.
 * RUN: printf y >in-y; %exit 4 %slowpath measure %s in-y --repeat 20000 2>err >out
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t random = 0;
    volatile unsigned sum = 0;
    int file = open("/dev/urandom", O_RDONLY);
    if (read(file, &random, sizeof random) != sizeof random)
        return 1;
    close(file);
    unsigned most = size && data[0] == 'y' ? random % 300 == 0 : (unsigned)(random % 1000000);
    for (unsigned i = 0; i < most; i++)
        sum += i;
    return 0;
}
