/* SPDX-License-Identifier: Apache-2.0
 *
 * A recursive descent over lists, texts and numbers, as in JSON.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    const uint8_t *at, *end;
    size_t values;
    int depth;
};

static void skip(struct parser *parser) {
    while (parser->at < parser->end && strchr(" \n\t,:", *parser->at) && *parser->at)
        parser->at++;
}

static void parse(struct parser *parser);

static void parse_list(struct parser *parser) {
    parser->at++;
    for (skip(parser); parser->at < parser->end && *parser->at != ']'; skip(parser))
        parse(parser);
    parser->at += parser->at < parser->end;
}

static void parse_text(struct parser *parser) {
    do
        parser->at++;
    while (parser->at < parser->end && *parser->at != '"');
    parser->at += parser->at < parser->end;
}

static bool is_plain(uint8_t byte) {
    return byte > ' ' && byte != ',' && byte != '[' && byte != ']' && byte != '"';
}

static void parse(struct parser *parser) {
    if (parser->depth > 200)
        parser->at = parser->end; /* too deep */
    if (parser->at >= parser->end)
        return;
    parser->depth++;
    parser->values++;
    if (*parser->at == '[')
        parse_list(parser);
    else if (*parser->at == '"')
        parse_text(parser);
    else
        do
            parser->at++;
        while (parser->at < parser->end && is_plain(*parser->at));
    parser->depth--;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct parser parser = {data, data + size, 0, 0};
    for (skip(&parser); parser.at < parser.end; skip(&parser))
        parse(&parser);
    return (int)(parser.values & 0);
}
