/* SPDX-License-Identifier: Apache-2.0
 * Are the brackets of a text balanced? ENTRY: check(text[n], n) */
int check(const char *text, int n) {
    char open[64];
    int depth = 0;
    for (int i = 0; i < n; i++) {
        char c = text[i];
        if (c == '(' || c == '[') {
            if (depth == 64)
                return 0;
            open[depth++] = c;
        } else if (c == ')' || c == ']') {
            if (!depth || open[--depth] != (c == ')' ? '(' : '['))
                return 0;
        }
    }
    return depth == 0;
}
