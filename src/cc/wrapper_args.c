/* SPDX-License-Identifier: Apache-2.0
 *
 * What does this command line ask clang to do? The driver's grammar is a long list of options, of
 * which only a few facts matter here: which options take the next argument (or that argument would
 * look like an input), which mean that no object is made, and which must not reach the second
 * compilation that makes bitcode. Each fact is one table; an option in no table is an option
 * without a separate argument that the bitcode needs too.
 */
#include "cc/wrapper.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* clang-format off */

/* Options of clang 19 that take the next argument when they stand alone. */
static const char *const separate[] = {
    "--analyzer-output", "--assert", "--classpath", "--config", "--define-macro", "--dyld-prefix",
    "--encoding", "--for-linker", "--force-link", "--imacros", "--include", "--include-directory",
    "--include-directory-after", "--include-prefix", "--include-with-prefix",
    "--include-with-prefix-after", "--include-with-prefix-before", "--language",
    "--library-directory", "--mhwdiv", "--output", "--param", "--prefix", "--print-file-name",
    "--print-prog-name", "--resource", "--rtlib", "--serialize-diagnostics", "--specs", "--std",
    "--stdlib", "--sysroot", "--undefine-macro", "--vfsoverlay", "-A", "-B", "-D", "-F", "-G",
    "-I", "-L", "-MF", "-MJ", "-MQ", "-MT", "-T", "-U", "-V", "-Xanalyzer", "-Xarch_*",
    "-Xassembler", "-Xclang", "-Xcuda-fatbinary", "-Xcuda-ptxas", "-Xlinker", "-Xoffload-linker*",
    "-Xopenmp-target*", "-Xpreprocessor", "-allowable_client", "-arch", "-b", "-bundle_loader",
    "-ccc-arcmt-migrate", "-ccc-gcc-name", "-ccc-install-dir", "-ccc-objcmt-migrate",
    "-client_name", "-compatibility_version", "-current_version", "-cxx-isystem",
    "-darwin-target-variant", "-dependency-dot", "-dependency-file", "-dsym-dir", "-dumpdir",
    "-dylib_file", "-dylinker_install_name", "-e", "-exported_symbols_list",
    "-fdebug-compilation-dir", "-filelist", "-fmodules-user-build-path", "-fnew-alignment",
    "-force_load", "-framework", "-ftrapv-handler", "-gen-cdb-fragment-path", "-hlsl-entry",
    "-iapinotes-modules", "-idirafter", "-iframework", "-iframeworkwithsysroot", "-imacros",
    "-image_base", "-imultilib", "-include", "-include-pch", "-init", "-install_name", "-iprefix",
    "-iquote", "-isysroot", "-isystem", "-isystem-after", "-ivfsoverlay", "-iwithprefix",
    "-iwithprefixbefore", "-iwithsysroot", "-l", "-lazy_framework", "-lazy_library", "-meabi",
    "-mllvm", "-mmlir", "-module-dependency-dir", "-mthread-model", "-multiply_defined", "-o",
    "-pagezero_size", "-read_only_relocs", "-reexport_framework", "-reexport_library",
    "-resource-dir", "-rpath", "-seg1addr", "-segaddr", "-serialize-diagnostics",
    "-stdlib++-isystem", "-sub_library", "-sub_umbrella", "-target", "-u", "-umbrella",
    "-undefined", "-unexported_symbols_list", "-vfsoverlay", "-weak_framework", "-weak_library",
    "-working-directory", "-x", "-z"
};

/* Options with which clang makes no object or executable. */
static const char *const silent[] = {
    "-###", "--analyze", "--assemble", "--autocomplete*", "--dependencies", "--dump*", "--help*",
    "--migrate", "--precompile", "--preprocess", "--print-*", "--user-dependencies", "--version",
    "-E", "-M", "-MM", "-S", "-cc1*", "-ccc-print-*", "-dump*", "-emit-*", "-extract-api",
    "-fdriver-only", "-fsyntax-only", "-help*", "-module-file-info", "-print-*", "-rewrite-*",
    "-verify-pch"
};

/* Options that begin like one in the next table but mean something else. */
static const char *const needed[] = {"-ObjC*", "-gcc-*", "-undef"};

/* Options that the bitcode does without: they choose an optimisation or debug information, they
 * instrument, they write files beside the object, or they are the linker's business. */
static const char *const unneeded[] = {
    "--coverage", "--for-linker*", "--ld-path=*", "--library-directory*", "--pedantic-errors",
    "--save-temps*", "--serialize-diagnostics", "--verbose", "--write-dependencies",
    "--write-user-dependencies", "-H", "-L*", "-M*", "-O*", "-T*", "-Wa,*", "-Werror*", "-Wl,*",
    "-Wp,-M*", "-Xanalyzer", "-Xassembler", "-Xlinker", "-coverage", "-dependency-dot",
    "-dependency-file", "-e", "-fauto-profile*", "-fbasic-block-*", "-fcoverage-*",
    "-fcrash-diagnostics*", "-fcs-profile-*", "-fembed-bitcode*", "-ffat-lto-objects", "-flto*",
    "-fmemory-profile*", "-fno-lto", "-fno-profile*", "-fno-sanitize*", "-foptimization-record*",
    "-fpass-plugin*", "-fproc-stat-report*", "-fprofile*", "-fpseudo-probe-for-profiling",
    "-fsanitize*", "-fsave-optimization-record*", "-fsplit-lto-unit", "-fstack-clash-protection",
    "-fstack-protector*", "-fstack-usage", "-ftest-coverage", "-fthin*", "-ftime-*", "-fuse-ld*",
    "-fwhole-program-vtables", "-fxray-*", "-g*", "-l*", "-mfentry", "-mllvm", "-mnop-mcount",
    "-mrecord-mcount", "-p", "-pedantic-errors", "-pg", "-rpath", "-save-temps*",
    "-serialize-diagnostics", "-u", "-v", "-z"
};

/* What asks for link-time optimisation. */
static const char *const link_time[] = {"-flto", "-flto=*", "-ffat-lto-objects"};

/* clang-format on */

/* How -x, or the ending of a file's name, decides what an input is. */
struct kind_name {
    const char *name;
    enum cc_input_kind kind;
};

static const struct kind_name languages[] = {
    {"c", CC_INPUT_C},
    {"cpp-output", CC_INPUT_C},
    {"assembler", CC_INPUT_ASSEMBLER},
    {"assembler-with-cpp", CC_INPUT_ASSEMBLER},
};

static const struct kind_name endings[] = {
    {"c", CC_INPUT_C},         {"i", CC_INPUT_C},          {"s", CC_INPUT_ASSEMBLER},
    {"S", CC_INPUT_ASSEMBLER}, {"sx", CC_INPUT_ASSEMBLER}, {"asm", CC_INPUT_ASSEMBLER},
    {"h", CC_INPUT_HEADER},    {"H", CC_INPUT_HEADER},     {"hh", CC_INPUT_HEADER},
    {"hpp", CC_INPUT_HEADER},  {"hxx", CC_INPUT_HEADER},   {"C", CC_INPUT_OTHER},
    {"CC", CC_INPUT_OTHER},    {"CPP", CC_INPUT_OTHER},    {"CXX", CC_INPUT_OTHER},
    {"c++", CC_INPUT_OTHER},   {"cc", CC_INPUT_OTHER},     {"cp", CC_INPUT_OTHER},
    {"cpp", CC_INPUT_OTHER},   {"cppm", CC_INPUT_OTHER},   {"cxx", CC_INPUT_OTHER},
    {"ii", CC_INPUT_OTHER},    {"m", CC_INPUT_OTHER},      {"mi", CC_INPUT_OTHER},
    {"mm", CC_INPUT_OTHER},    {"mii", CC_INPUT_OTHER},    {"M", CC_INPUT_OTHER},
    {"ll", CC_INPUT_OTHER},    {"bc", CC_INPUT_OTHER},
};

/* A pattern that ends in `*` stands for all that begins with it. */
static bool matches(const char *pattern, const char *option) {
    size_t length = strlen(pattern);
    if (length && pattern[length - 1] == '*')
        return strncmp(pattern, option, length - 1) == 0;
    return strcmp(pattern, option) == 0;
}

static bool is_listed(const char *const *patterns, size_t count, const char *option) {
    for (size_t i = 0; i < count; i++)
        if (matches(patterns[i], option))
            return true;
    return false;
}
#define IS_LISTED(table, option) is_listed(table, BASE_COUNT(table), option)

/* ---- response files ---- */

/* Adds one argument of a response file, as clang's tokenizer reads it: a backslash takes the next
 * character as it is, in quotes of either kind too. Returns what follows the argument. */
static const char *split_one(const char *text, struct base_buffer *word) {
    for (char quote = 0; *text; text++) {
        if (*text == '\\' && text[1])
            base_buffer_add(word, ++text, 1);
        else if (quote && *text == quote)
            quote = 0;
        else if (!quote && (*text == '"' || *text == '\''))
            quote = *text;
        else if (!quote && isspace((unsigned char)*text))
            break;
        else
            base_buffer_add(word, text, 1);
    }
    return text;
}

void cc_split_response(const char *text, struct base_strings *arguments) {
    for (;;) {
        while (isspace((unsigned char)*text))
            text++;
        if (!*text)
            return;
        struct base_buffer word = {0};
        base_buffer_add(&word, "", 0);
        text = split_one(text, &word);
        base_strings_add(arguments, word.data);
        base_buffer_done(&word);
    }
}

static bool is_regular(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* Like clang: `@name` stays an argument when there is no such file. DEPTH stops a file that
 * includes itself, which clang refuses with a message of its own. */
static void expand(const char *argument, struct base_strings *arguments, int depth) {
    char *text;
    size_t size;
    struct base_error error;
    if (argument[0] != '@' || depth > 20 || !is_regular(argument + 1) ||
        !base_read_file(argument + 1, &text, &size, &error)) {
        base_strings_add(arguments, argument);
        return;
    }
    struct base_strings words = {0};
    cc_split_response(text, &words);
    for (size_t i = 0; i < words.count; i++)
        expand(words.data[i], arguments, depth + 1);
    base_strings_done(&words);
    free(text);
}

void cc_expand_arguments(size_t count, const char *const *given, struct base_strings *arguments) {
    for (size_t i = 0; i < count; i++)
        expand(given[i], arguments, 0);
}

/* ---- inputs ---- */

static enum cc_input_kind kind_by_language(const char *language) {
    for (size_t i = 0; i < BASE_COUNT(languages); i++)
        if (strcmp(languages[i].name, language) == 0)
            return languages[i].kind;
    return strstr(language, "-header") ? CC_INPUT_HEADER : CC_INPUT_OTHER;
}

static enum cc_input_kind kind_by_name(const char *path) {
    if (strcmp(path, "-") == 0)
        return CC_INPUT_C;
    const char *dot = strrchr(base_basename(path), '.');
    for (size_t i = 0; dot && i < BASE_COUNT(endings); i++)
        if (strcmp(endings[i].name, dot + 1) == 0)
            return endings[i].kind;
    return CC_INPUT_LINKER;
}

/* clang warns about an option for headers that nothing uses, so it matters whether one is read. */
static bool is_preprocessed(const struct cc_input *input) {
    static const char *const plain_languages[] = {"assembler", "ir", "cpp-output",
                                                  "c++-cpp-output"};
    static const char *const plain_endings[] = {".s",  ".asm", ".i",  ".ii",
                                                ".mi", ".mii", ".ll", ".bc"};
    if (input->kind == CC_INPUT_LINKER)
        return false;
    if (input->language)
        return !IS_LISTED(plain_languages, input->language);
    const char *dot = strrchr(input->path, '.');
    return !dot || !IS_LISTED(plain_endings, dot);
}

static void add_input(struct cc_call *call, const char *path, const char *language) {
    struct cc_input input = {path, language,
                             language ? kind_by_language(language) : kind_by_name(path)};
    base_push(&call->inputs, input);
    if (input.kind == CC_INPUT_HEADER)
        call->pass_through = true;
    if (is_preprocessed(&input))
        call->searches_headers = true;
}

/* ---- options ---- */

/* The value of `-oVALUE`, `-o VALUE`, `--output=VALUE` or `--output VALUE`, or NULL. */
static const char *value_of(const char *option, const char *next, const char *brief,
                            const char *full) {
    size_t length = strlen(full);
    if (strcmp(option, brief) == 0 || strcmp(option, full) == 0)
        return next;
    if (strncmp(option, full, length) == 0 && option[length] == '=')
        return option + length + 1;
    return strncmp(option, brief, 2) == 0 ? option + 2 : NULL;
}

/* Notes what an option means for this call. NEXT is its separate argument, or NULL. */
static void add_option(struct cc_call *call, const char *option, const char *next,
                       const char **language) {
    const char *value;
    if (strcmp(option, "-c") == 0 || strcmp(option, "--compile") == 0)
        call->compile_only = true;
    else if ((value = value_of(option, next, "-o", "--output")) && !matches("-obj*", option))
        call->output = value;
    else if ((value = value_of(option, next, "-x", "--language")))
        *language = strcmp(value, "none") == 0 ? NULL : value;
    else if (IS_LISTED(silent, option))
        call->pass_through = true;
    else if (IS_LISTED(needed, option) || !IS_LISTED(unneeded, option)) {
        base_strings_add(&call->kept, option);
        if (next)
            base_strings_add(&call->kept, next);
    }
    if (IS_LISTED(link_time, option))
        call->link_time = true;
    if (strcmp(option, "-fno-lto") == 0)
        call->link_time = false;
}

static void understand(struct cc_call *call) {
    const char *language = NULL;
    bool options_over = false;
    for (size_t i = 0; i < call->arguments.count; i++) {
        const char *argument = call->arguments.data[i];
        if (options_over || argument[0] != '-' || !argument[1]) {
            add_input(call, argument, language);
        } else if (strcmp(argument, "--") == 0) {
            options_over = true;
        } else if (!IS_LISTED(separate, argument)) {
            add_option(call, argument, NULL, &language);
        } else if (i + 1 < call->arguments.count) {
            add_option(call, argument, call->arguments.data[++i], &language);
        } else {
            call->pass_through = true; /* clang says what is missing */
        }
    }
    if (!call->inputs.count)
        call->pass_through = true;
}

void cc_call_init(struct cc_call *call, size_t count, const char *const *arguments) {
    *call = (struct cc_call){0};
    cc_expand_arguments(count, arguments, &call->arguments);
    understand(call);
}

void cc_call_done(struct cc_call *call) {
    base_strings_done(&call->arguments);
    base_strings_done(&call->kept);
    base_vector_done(&call->inputs);
}

void cc_add_option(struct base_strings *command, const char *option) {
    size_t end = 1;
    while (end < command->count && strcmp(command->data[end], "--") != 0)
        end++;
    base_strings_add(command, option);
    char *added = command->data[command->count - 1];
    memmove(command->data + end + 1, command->data + end,
            (command->count - 1 - end) * sizeof *command->data);
    command->data[end] = added;
}

/* ---- names of objects ---- */

static size_t stem_length(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : strlen(name);
}

char *cc_object_name(const struct cc_call *call, const struct cc_input *input) {
    if (call->output)
        return base_strdup(call->output);
    const char *name = base_basename(input->path);
    return base_format("%.*s.o", (int)stem_length(name), name);
}

/* clang names it STEM-HEXDIGITS.o in a temporary folder, or STEM.o under -save-temps. */
bool cc_is_temporary_object(const struct cc_input *input, const char *object) {
    const char *source = base_basename(input->path), *name = base_basename(object);
    size_t length = stem_length(source);
    if (strncmp(source, name, length) != 0)
        return false;
    const char *rest = name + length;
    if (*rest == '-')
        rest += 1 + strspn(rest + 1, "0123456789abcdef");
    return strcmp(rest, ".o") == 0;
}
