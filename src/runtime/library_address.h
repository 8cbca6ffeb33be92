/* SPDX-License-Identifier: Apache-2.0
 *
 * Parsing internet addresses, as explored code. Part of sym_library.c.
 */
#ifndef SLOWPATH_RUNTIME_LIBRARY_ADDRESS_H
#define SLOWPATH_RUNTIME_LIBRARY_ADDRESS_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* Four decimal numbers without leading zeros. */
static bool read_address4(const char *text, unsigned char *to) {
    unsigned char bytes[4];
    for (int i = 0; i < 4; i++) {
        unsigned value = 0;
        const char *first = text;
        for (; *text >= '0' && *text <= '9'; text++) {
            if (text > first && *first == '0')
                return false;
            value = value * 10 + (unsigned)(*text - '0');
            if (value > 255)
                return false;
        }
        if (text == first || *text != (i < 3 ? '.' : 0))
            return false;
        text++;
        bytes[i] = (unsigned char)value;
    }
    __builtin_memcpy(to, bytes, 4);
    return true;
}

struct address6 {
    unsigned char bytes[16];
    int count;
    int gap; /* position of "::", or -1 */
};

/* Reads a group of hexadecimal digits, or an IPv4 address at the end. */
static const char *read_group(const char *text, struct address6 *to) {
    unsigned value = 0;
    int digits = 0;
    const char *first = text;
    for (; digit_of(*text) < 16; text++) {
        if (++digits > 4)
            return NULL;
        value = value << 4 | (unsigned)digit_of(*text);
    }
    if (*text == '.' && digits && to->count + 4 <= 16 &&
        read_address4(first, to->bytes + to->count)) {
        to->count += 4;
        return first + LIB(strlen)(first);
    }
    if (!digits || to->count + 2 > 16)
        return NULL;
    to->bytes[to->count++] = (unsigned char)(value >> 8);
    to->bytes[to->count++] = (unsigned char)value;
    return text;
}

static const char *read_groups(const char *text, struct address6 *to) {
    if (text[0] == ':' && text[1] != ':')
        return NULL;
    text += text[0] == ':';
    while (*text) {
        if (*text == ':') { /* the second colon of two */
            if (to->gap >= 0)
                return NULL;
            to->gap = to->count;
            text++;
            continue;
        }
        text = read_group(text, to);
        if (!text || (*text && *text != ':'))
            return NULL;
        if (*text == ':' && !text[1])
            return NULL;
        text += *text == ':';
    }
    return text;
}

static bool read_address6(const char *text, unsigned char *to) {
    struct address6 address = {.gap = -1};
    if (!read_groups(text, &address))
        return false;
    if (address.gap >= 0 ? address.count == 16 : address.count != 16)
        return false;
    int behind = address.gap < 0 ? 0 : address.count - address.gap, missing = 16 - address.count;
    for (int i = 0; i < address.count - behind; i++)
        to[i] = address.bytes[i];
    for (int i = address.count - behind; missing > 0; missing--, i++)
        to[i] = 0;
    for (int i = 0; i < behind; i++)
        to[16 - behind + i] = address.bytes[address.gap + i];
    return true;
}

int LIB(inet_pton)(int family, const char *text, void *to) {
    if (family == AF_INET)
        return read_address4(text, to);
    if (family == AF_INET6)
        return read_address6(text, to);
    errno = EAFNOSUPPORT;
    return -1;
}

/* One to four numbers in any base of C; the last one fills the remaining bytes. */
int LIB(inet_aton)(const char *text, struct in_addr *to) {
    unsigned char bytes[4] = {0};
    for (int count = 0;; count++) {
        char *end;
        if (!LIB(isdigit)((unsigned char)*text))
            return 0;
        unsigned long value = LIB(strtoul)(text, &end, 0);
        if (value > UINT_MAX)
            return 0;
        text = end;
        if (*text == '.') {
            if (count >= 3 || value > 255)
                return 0;
            bytes[count] = (unsigned char)value;
            text++;
            continue;
        }
        if (*text && !(LIB(isspace)((unsigned char)*text)))
            return 0;
        if (value > UINT_MAX >> 8 * count)
            return 0;
        if (to)
            to->s_addr = htonl((unsigned)value | (unsigned)bytes[0] << 24 |
                               (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8);
        return 1;
    }
}

in_addr_t LIB(inet_addr)(const char *text) {
    struct in_addr address;
    if (LIB(inet_aton)(text, &address))
        return address.s_addr;
    return INADDR_NONE;
}

#endif
