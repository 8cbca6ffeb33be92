/* SPDX-License-Identifier: Apache-2.0
 * Splits a line into words, with quotes and escapes. ENTRY: split(text[n], n) */
int split(const char *text, int n) {
    int words = 0, in_word = 0;
    char quote = 0;
    for (int i = 0; i < n; i++) {
        char c = text[i];
        if (c == '\\' && i + 1 < n) {
            i++;
            words += !in_word;
            in_word = 1;
        } else if (quote) {
            if (c == quote)
                quote = 0;
        } else if (c == '"' || c == '\'') {
            quote = c;
            words += !in_word;
            in_word = 1;
        } else if (c == ' ') {
            in_word = 0;
        } else {
            words += !in_word;
            in_word = 1;
        }
    }
    return quote ? -1 : words;
}
