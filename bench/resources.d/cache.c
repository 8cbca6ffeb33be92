/* SPDX-License-Identifier: Apache-2.0
 * A cache that drops what was not used for longest. ENTRY: run(k[n], n) */
static int key[3], age[3];

int run(const unsigned char *k, int n) {
    int miss = 0;
    for (int i = 0; i < 3; i++) {
        key[i] = -1;
        age[i] = 0;
    }
    for (int i = 0; i < n; i++) {
        int found = -1, oldest = 0;
        for (int j = 0; j < 3; j++) {
            if (key[j] == k[i]) {
                found = j;
                break;
            }
            if (age[j] < age[oldest])
                oldest = j;
        }
        if (found < 0) {
            miss++;
            found = oldest;
            key[found] = k[i];
        }
        age[found] = i + 1;
    }
    return miss;
}
