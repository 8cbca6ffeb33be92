/* SPDX-License-Identifier: Apache-2.0
 *
 * Quoting: text from files and names must not become markup or a URI of another place.
 */
#include "report/issues.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The length of a valid UTF-8 character at TEXT, or 0. */
static size_t character(const unsigned char *text) {
    size_t more = *text < 0x80                     ? 0
                  : *text >= 0xc2 && *text < 0xe0  ? 1
                  : *text >= 0xe0 && *text < 0xf0  ? 2
                  : *text >= 0xf0 && *text <= 0xf4 ? 3
                                                   : 9;
    if (more == 9 || (*text == 0xe0 && text[1] < 0xa0) || (*text == 0xed && text[1] >= 0xa0) ||
        (*text == 0xf0 && text[1] < 0x90) || (*text == 0xf4 && text[1] >= 0x90))
        return 0;
    for (size_t i = 1; i <= more; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool is_odd = *text == 0xef && text[1] == 0xbf && text[2] >= 0xbe; /* not characters */
    return is_odd ? 0 : more + 1;
}

void report_xml(const char *text, struct base_buffer *out) {
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        size_t length = character(at);
        if (*at == '&')
            base_buffer_add(out, "&amp;", 5);
        else if (*at == '<')
            base_buffer_add(out, "&lt;", 4);
        else if (*at == '>')
            base_buffer_add(out, "&gt;", 4);
        else if (*at == '"')
            base_buffer_add(out, "&quot;", 6);
        else if (*at == '\'')
            base_buffer_add(out, "&#39;", 5);
        else if (!length || (*at < ' ' && *at != '\n' && *at != '\t') || *at == 0x7f)
            base_buffer_print(out, "\\x%02x", *at);
        else
            base_buffer_add(out, at, length);
        at += length ? length : 1;
    }
}

void report_uri(const char *path, struct base_buffer *out) {
    for (const unsigned char *at = (const unsigned char *)path; *at; at++)
        if (isalnum(*at) || strchr("/._-~", *at))
            base_buffer_add(out, at, 1);
        else
            base_buffer_print(out, "%%%02X", *at);
}

const char *report_relative(const char *path) {
    char here[PATH_MAX];
    if (*path == '/' && getcwd(here, sizeof here)) {
        size_t length = strlen(here);
        if (strncmp(path, here, length) == 0 && path[length] == '/')
            path += length + 1;
    }
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    return path;
}
