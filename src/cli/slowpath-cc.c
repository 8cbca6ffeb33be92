/* SPDX-License-Identifier: Apache-2.0
 *
 * The executable of the compiler wrapper, which is implemented in src/cc.
 */
#include "cc/cc.h"

int main(int argc, char **argv) {
    return cc_wrapper_main(argc, argv);
}
