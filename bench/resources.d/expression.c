/* SPDX-License-Identifier: Apache-2.0
 * Sums of products of digits and brackets, by recursive descent. ENTRY: evaluate(text[n], n) */
struct reader {
    const char *text;
    int at, end, failed;
};

static int sum(struct reader *reader);

static int peek(const struct reader *reader) {
    return reader->at < reader->end ? reader->text[reader->at] : 0;
}

static int factor(struct reader *reader) {
    int c = peek(reader);
    if (c == '(') {
        reader->at++;
        int value = sum(reader);
        if (peek(reader) == ')')
            reader->at++;
        else
            reader->failed = 1;
        return value;
    }
    if (c >= '0' && c <= '9') {
        reader->at++;
        return c - '0';
    }
    reader->failed = 1;
    return 0;
}

static int product(struct reader *reader) {
    int value = factor(reader);
    while (!reader->failed && peek(reader) == '*') {
        reader->at++;
        value *= factor(reader);
    }
    return value;
}

static int sum(struct reader *reader) {
    int value = product(reader);
    while (!reader->failed && peek(reader) == '+') {
        reader->at++;
        value += product(reader);
    }
    return value;
}

int evaluate(const char *text, int n) {
    struct reader reader = {text, 0, n, 0};
    int value = sum(&reader);
    return reader.failed ? -1 : value;
}
