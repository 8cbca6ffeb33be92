/* SPDX-License-Identifier: Apache-2.0
 * Reads a decimal number with a sign, spaces before it and an exponent. ENTRY: parse(text[n], n) */
static int skip_spaces(const char *text, int n) {
    int at = 0;
    while (at < n && (text[at] == ' ' || text[at] == '\t'))
        at++;
    return at;
}

static int read_digits(const char *text, int at, int n, int *value) {
    while (at < n && text[at] >= '0' && text[at] <= '9') {
        *value = *value * 10 + (text[at] - '0');
        at++;
    }
    return at;
}

int parse(const char *text, int n) {
    int value = 0, exponent = 0, at = skip_spaces(text, n), sign = 1;
    if (at < n && (text[at] == '-' || text[at] == '+'))
        sign = text[at++] == '-' ? -1 : 1;
    int first = at;
    at = read_digits(text, at, n, &value);
    if (at == first)
        return 0;
    if (at < n && text[at] == 'e')
        at = read_digits(text, at + 1, n, &exponent);
    while (exponent-- > 0 && value < 1000)
        value *= 10;
    return sign * value;
}
