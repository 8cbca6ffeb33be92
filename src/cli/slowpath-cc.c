/* SPDX-License-Identifier: Apache-2.0
 *
 * The compiler wrapper's executable; the cc room holds all of it.
 */
#include "cc/cc.h"

int main(int argc, char **argv) {
    return cc_wrapper_main(argc, argv);
}
