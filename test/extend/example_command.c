/* SPDX-License-Identifier: Apache-2.0
 *
 * A command as small as one can be.
 */
#include "cli/cli.h"

int cli_example(const struct cli_values *values, struct base_error *error) {
    if (values->before.count != 1)
        return base_fail(error, BASE_USAGE, "it takes one word"), BASE_USAGE;
    printf("an example of %s\n", values->before.data[0]);
    return BASE_OK;
}
