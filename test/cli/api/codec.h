#include <stddef.h>
typedef struct codec codec;
codec *codec_new(void);
void codec_free(codec *self);
void codec_set_key(codec *self, unsigned key);
long codec_pass(codec *self, int mode, size_t len);
long codec_scan(const codec *self, const int *values, size_t count);
