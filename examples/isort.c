/* SPDX-License-Identifier: Apache-2.0
 *
 * Insertion sort: linear on a sorted array, quadratic on one that is sorted the other way round.
 */
void isort(int *arr, int n) {
    for (int i = 1; i < n; i++) {
        int value = arr[i], j = i;
        while (j > 0 && arr[j - 1] > value) {
            arr[j] = arr[j - 1];
            j--;
        }
        arr[j] = value;
    }
}
