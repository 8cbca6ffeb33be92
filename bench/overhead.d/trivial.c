/* SPDX-License-Identifier: Apache-2.0
 *
 * The least that can be run: what remains is the cost of a run itself.
 */
int next(int x) {
    return x + 1;
}
