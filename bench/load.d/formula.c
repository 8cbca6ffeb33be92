/* SPDX-License-Identifier: Apache-2.0
 *
 * PicoSAT: is the formula of the input, in DIMACS format, satisfiable? After DECISIONS decisions it
 * gives up, so that no formula takes for ever.
 */
#include <picosat.h>
#include <stdint.h>
#include <stdlib.h>

#define DECISIONS 20000

struct text {
    const uint8_t *at, *end;
};

static int is_blank(uint8_t byte) {
    return byte == ' ' || byte == '\n';
}

/* The next number; comments and the header have been skipped. */
static int read_literal(struct text *text, int *literal) {
    int sign = 1, value = 0;
    while (text->at < text->end && is_blank(*text->at))
        text->at++;
    if (text->at == text->end)
        return 0;
    if (*text->at == '-') {
        sign = -1;
        text->at++;
    }
    for (; text->at < text->end && !is_blank(*text->at); text->at++)
        value = value * 10 + (*text->at - '0');
    *literal = sign * value;
    return 1;
}

static void skip_lines(struct text *text) {
    while (text->at < text->end && (*text->at == 'c' || *text->at == 'p')) {
        while (text->at < text->end && *text->at != '\n')
            text->at++;
        while (text->at < text->end && *text->at == '\n')
            text->at++;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct text text = {data, data + size};
    PicoSAT *solver = picosat_init();
    int literal;
    skip_lines(&text);
    while (read_literal(&text, &literal))
        picosat_add(solver, literal);
    picosat_sat(solver, DECISIONS);
    picosat_reset(solver);
    return 0;
}
