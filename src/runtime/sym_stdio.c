/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the input through the C library in the symbolic build: the library reads, and what came
 * from the input (standard input, or the file that holds it) is marked with its offsets. Files are
 * told apart by device and inode.
 */
#include "runtime/symbolic.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIB(name) __slowpath_lib_##name

/* The offset in the input of what comes next from a descriptor, or -1: it is not the input. */
static off_t input_offset(int fd) {
    struct stat file, input;
    const struct abi_control *control = runtime.control;
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode))
        return -1;
    int known = control->channel == ABI_CHANNEL_FILE    ? stat(control->file_path, &input)
                : control->channel == ABI_CHANNEL_STDIN ? fstat(STDIN_FILENO, &input)
                                                        : -1;
    if (known != 0 || file.st_dev != input.st_dev || file.st_ino != input.st_ino)
        return -1;
    return lseek(fd, 0, SEEK_CUR);
}

static long stream_offset(FILE *stream) {
    return input_offset(fileno(stream)) < 0 ? -1 : ftell(stream);
}

static void mark(void *memory, long offset, size_t bytes) {
    if (offset >= 0)
        runtime_sym_mark_input(memory, (uint64_t)offset, bytes);
    else
        __slowpath_sym_clear(memory, bytes);
}

ssize_t LIB(read)(int fd, void *memory, size_t bytes) {
    off_t offset = input_offset(fd);
    ssize_t got = read(fd, memory, bytes);
    if (got > 0)
        mark(memory, offset, (size_t)got);
    return got;
}

size_t LIB(fread)(void *memory, size_t size, size_t count, FILE *stream) {
    long offset = stream_offset(stream);
    size_t got = fread(memory, size, count, stream);
    mark(memory, offset, got * size);
    return got;
}

int LIB(fgetc)(FILE *stream) {
    long offset = stream_offset(stream);
    int byte = getc(stream);
    uint32_t place;
    if (byte != EOF && offset >= 0 && !runtime_sym_is_fixed((uint64_t)offset, &place)) {
        uint32_t input = runtime_sym_node(ABI_OP_INPUT, 8, 0, place, 0, 0);
        if (input)
            __slowpath_sym_results[0] = runtime_sym_node(ABI_OP_ZEXT, 32, 0, input, 0, 0);
    }
    return byte;
}

int LIB(getc)(FILE *stream) {
    return LIB(fgetc)(stream);
}

int LIB(getc_unlocked)(FILE *stream) {
    return LIB(fgetc)(stream);
}

int LIB(getchar)(void) {
    return LIB(fgetc)(stdin);
}

int LIB(getchar_unlocked)(void) {
    return LIB(fgetc)(stdin);
}

char *LIB(fgets)(char *line, int size, FILE *stream) {
    long offset = stream_offset(stream);
    char *result = fgets(line, size, stream);
    if (result) {
        size_t got = offset < 0 ? strlen(line) : (size_t)(ftell(stream) - offset);
        mark(line, offset, got);
        __slowpath_sym_clear(line + got, 1);
    }
    return result;
}

ssize_t LIB(getdelim)(char **line, size_t *size, int delimiter, FILE *stream) {
    long offset = stream_offset(stream);
    ssize_t got = getdelim(line, size, delimiter, stream);
    if (got >= 0) {
        mark(*line, offset, (size_t)got);
        __slowpath_sym_clear(*line + got, 1);
    }
    __slowpath_sym_clear(line, sizeof *line);
    __slowpath_sym_clear(size, sizeof *size);
    return got;
}

ssize_t LIB(getline)(char **line, size_t *size, FILE *stream) {
    return LIB(getdelim)(line, size, '\n', stream);
}
