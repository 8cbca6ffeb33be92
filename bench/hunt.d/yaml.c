/* SPDX-License-Identifier: Apache-2.0
 *
 * libyaml: scans the input, a YAML stream, to its end.
 */
#include <stdint.h>
#include <yaml.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    yaml_parser_t parser;
    yaml_token_t token;
    int more = 1;
    if (!yaml_parser_initialize(&parser))
        return 1;
    yaml_parser_set_input_string(&parser, data, size);
    while (more && yaml_parser_scan(&parser, &token)) {
        more = token.type != YAML_STREAM_END_TOKEN;
        yaml_token_delete(&token);
    }
    yaml_parser_delete(&parser);
    return 0;
}
