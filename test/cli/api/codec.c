#include "codec.h"

#include <stdlib.h>

struct codec {
    unsigned key;
    long sum;
};

codec *codec_new(void) {
    return calloc(1, sizeof(codec));
}

void codec_free(codec *self) {
    free(self);
}

void codec_set_key(codec *self, unsigned key) {
    self->key = key * 3 ^ 0x2bad;
}

/* Only a certain mode and certain lengths get to the loops. */
long codec_pass(codec *self, int mode, size_t len) {
    if (mode != 0x5eed)
        return -1;
    if (len % 37 != 5)
        return -2;
    for (size_t i = 0; i < len; i++)
        for (size_t k = 0; k < len; k++)
            self->sum += (long)(i ^ k);
    return self->sum;
}

/* The key comes from another call. */
long codec_scan(const codec *self, const int *values, size_t count) {
    long equal = 0;
    if (self->key != 77777)
        return -1;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            equal += values[i] == values[k];
    return equal;
}
