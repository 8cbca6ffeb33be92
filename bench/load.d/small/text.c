/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers of bytes: each byte decides what the next ones mean.
 */

/* Sums of products with brackets, by recursive descent. */
static const char *expression(const char *at, const char *end, int deep);

static const char *factor(const char *at, const char *end, int deep) {
    if (at < end && *at == '(') {
        at = expression(at + 1, end, deep + 1);
        return at && at < end && *at == ')' ? at + 1 : 0;
    }
    const char *from = at;
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at > from ? at : 0;
}

static const char *expression(const char *at, const char *end, int deep) {
    if (deep > 8 || !(at = factor(at, end, deep)))
        return 0;
    while (at && at < end && (*at == '+' || *at == '*'))
        at = factor(at + 1, end, deep);
    return at;
}

int parser(const char *text, int n) {
    return expression(text, text + n, 0) == text + n;
}

/* Words, numbers with a point, comments between # and end of line. */
int scanner(const char *text, int n) {
    enum { BETWEEN, WORD, WHOLE, FRACTION, COMMENT } state = BETWEEN;
    int found = 0;
    for (int i = 0; i < n; i++) {
        char c = text[i];
        switch (state) {
        case BETWEEN:
            if (c >= 'a' && c <= 'z')
                state = WORD;
            else if (c >= '0' && c <= '9')
                state = WHOLE;
            else if (c == '#')
                state = COMMENT;
            break;
        case WORD:
            if (c < 'a' || c > 'z')
                state = BETWEEN, found++;
            break;
        case WHOLE:
            if (c == '.')
                state = FRACTION;
            else if (c < '0' || c > '9')
                state = BETWEEN, found++;
            break;
        case FRACTION:
            if (c < '0' || c > '9')
                state = BETWEEN, found += 2;
            break;
        case COMMENT:
            if (c == '\n')
                state = BETWEEN;
            break;
        }
    }
    return found;
}

/* Does the pattern with stars match the text? Goes back for each star. */
static int matches(const char *pattern, const char *text) {
    for (; *pattern; pattern++, text++) {
        if (*pattern == '*') {
            for (;; text++) {
                if (matches(pattern + 1, text))
                    return 1;
                if (!*text)
                    return 0;
            }
        }
        if (*text != *pattern)
            return 0;
    }
    return !*text;
}

int glob(const char *bytes, int n) {
    char text[16];
    if (n > 15)
        return 0;
    for (int i = 0; i < n; i++)
        text[i] = bytes[i];
    text[n] = 0;
    return matches("a*b*c", text);
}

/* Where does the needle begin? Tried at each place. */
int find(const char *hay, int n) {
    static const char needle[] = "aaab";
    for (int i = 0; i + 4 <= n; i++) {
        int k = 0;
        while (k < 4 && hay[i + k] == needle[k])
            k++;
        if (k == 4)
            return i;
    }
    return -1;
}

/* Longest common subsequence's table against a fixed word. */
int common(const char *text, int n) {
    static const char word[] = "abca";
    int row[5] = {0};
    for (int i = 0; i < n; i++) {
        int corner = 0;
        for (int j = 1; j <= 4; j++) {
            int above = row[j];
            if (text[i] == word[j - 1])
                row[j] = corner + 1;
            else if (row[j - 1] > row[j])
                row[j] = row[j - 1];
            corner = above;
        }
    }
    return row[4];
}
