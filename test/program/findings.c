/* SPDX-License-Identifier: Apache-2.0
 *
 * A parser that is fed in pieces of 8 bytes and begins the token that is not complete anew with each piece:
 * three functions scan, but the cause is one. Near copies have no places in the suite.
 *
 * RUN: %slowpath run %s --strategy patterns --jobs 1 --time 0 --runs 150000 --max-size 4096 --tests 6 --out a --quiet > out
 * RUN: %check --input-file out
 * RUN: %check --check-prefix=JSON --input-file a/suite.json
 * RUN: %slowpath run %s --strategy patterns --jobs 1 --time 0 --runs 150000 --max-size 4096 --tests 6 --out b --quiet > /dev/null
 * RUN: cmp a/tests/0001.input b/tests/0001.input
 * RUN: %slowpath show a > shown && %check --check-prefix=SHOW --input-file shown
 * RUN: %slowpath replay a --quiet
 *
 * CHECK: F1 {{ *}}O(n^2)
 * CHECK-NEXT: loop in LLVMFuzzerTestOneInput ({{.*}}findings.c:[[#]]) x loop in scan_{{.*}}; {{[1-9]}} more like it
 * CHECK-NOT: F2
 *
 * JSON: "findings": [
 * JSON: "id": "F1"
 * JSON: "kind": "loop"
 * JSON-NEXT: "function": "LLVMFuzzerTestOneInput"
 *
 * SHOW: F1  O(n^2), quadratic
 * SHOW: because   loop in LLVMFuzzerTestOneInput
 * SHOW: x loop in scan_
 * SHOW: cost at
 * SHOW: variants
 */
#include <stddef.h>
#include <stdint.h>

#define PIECE 8

static volatile unsigned tokens;

/* Each returns where the token ends, or 0 when it does not yet. */
static size_t scan_comment(const uint8_t *at, size_t size) {
    for (size_t i = 1; i < size; i++)
        if (at[i] == '}')
            return i + 1;
    return 0;
}

static size_t scan_string(const uint8_t *at, size_t size) {
    for (size_t i = 1; i < size; i++)
        if (at[i] == '"')
            return i + 1;
    return 0;
}

static size_t scan_number(const uint8_t *at, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (at[i] < '0' || at[i] > '9')
            return i;
    return 0;
}

static size_t scan_token(const uint8_t *at, size_t size) {
    if (*at == '{')
        return scan_comment(at, size);
    if (*at == '"')
        return scan_string(at, size);
    if (*at >= '0' && *at <= '9')
        return scan_number(at, size);
    return 1;
}

/* What is not complete is left for the next time. */
static size_t feed(const uint8_t *data, size_t size) {
    size_t done = 0, length;
    while (done < size && (length = scan_token(data + done, size - done)) > 0) {
        done += length;
        tokens++;
    }
    return done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t done = 0;
    for (size_t end = PIECE; end <= size; end += PIECE)
        done += feed(data + done, end - done);
    return 0;
}
