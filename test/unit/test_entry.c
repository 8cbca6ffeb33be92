/* SPDX-License-Identifier: Apache-2.0
 *
 * Does the text of --entry mean what it should: are faults reported word for word, do the sizes
 * give the bytes, and does the generated C call the function with exactly the input? The driver and
 * the test program are compiled and run on the same random inputs and must agree.
 */
#include "target/entry.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CLANG SLOWPATH_LLVM_BINDIR "/clang"

static char *folder;

static int make_folder(void **state) {
    (void)state;
    folder = base_temp_dir();
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    base_remove_tree(folder);
    free(folder);
    return 0;
}

static char *write_text(const char *name, const char *text) {
    struct base_error error;
    char *path = base_format("%s/%s", folder, name);
    assert_true(base_write_file(path, text, strlen(text), &error));
    return path;
}

static void run_clang(const char *const *options) {
    const char *argv[16] = {CLANG, "-w", "-O1"};
    for (int i = 0; options[i]; i++)
        argv[3 + i] = options[i];
    struct base_buffer text = {0};
    if (base_run(&(struct base_process){.argv = argv, .out = &text, .err = &text}) != 0)
        fail_msg("%s", text.data);
    base_buffer_done(&text);
}

/* ---- one function and its checked entry ---- */

struct subject {
    struct base_arena arena;
    struct ir_signature signature;
    struct target_entry entry;
    char *object;
};

static void read_subject(struct subject *subject, const char *source, const char *function) {
    struct base_error error;
    *subject = (struct subject){.object = base_format("%s/subject.o", folder)};
    char *c_file = write_text("subject.c", source);
    run_clang((const char *[]){"-g", "-c", c_file, "-o", subject->object, NULL});
    if (!ir_read_signature(subject->object, function, &subject->arena, &subject->signature, &error))
        fail_msg("%s", error.message);
    free(c_file);
}

static void done_subject(struct subject *subject) {
    target_entry_done(&subject->entry);
    base_arena_done(&subject->arena);
    free(subject->object);
}

static void start(struct subject *subject, const char *source, const char *text) {
    struct base_error error;
    struct target_entry entry;
    if (!target_entry_parse(text, &entry, &error))
        fail_msg("%s", error.message);
    read_subject(subject, source, entry.function);
    subject->entry = entry;
    if (!target_entry_check(&subject->entry, &subject->signature, &error))
        fail_msg("%s", error.message);
}

/* ---- syntax ---- */

static void check_syntax(const char *text, const char *expected) {
    struct target_entry entry;
    struct base_error error;
    assert_false(target_entry_parse(text, &entry, &error));
    assert_int_equal(error.code, BASE_USAGE);
    assert_string_equal(error.message, expected);
}

static void test_syntax_errors(void **state) {
    (void)state;
    check_syntax("", "bad entry: expected the name of a function\n  \n  ^");
    check_syntax("isort(arr[n, n)", "bad entry: expected ']'\n  isort(arr[n, n)\n             ^");
    check_syntax("isort(arr[n] n)",
                 "bad entry: expected ',' or ')'\n  isort(arr[n] n)\n               ^");
    check_syntax("f(x) y", "bad entry: nothing may follow the last ')'\n  f(x) y\n       ^");
    check_syntax("f x", "bad entry: expected '('\n  f x\n    ^");
    check_syntax("f(\"ab)", "bad entry: this quote is never closed\n  f(\"ab)\n    ^");
    check_syntax("f({1,2)", "bad entry: expected ',' or '}'\n  f({1,2)\n        ^");
    check_syntax("f('ab')",
                 "bad entry: expected one character between the quotes\n  f('ab')\n    ^");
    check_syntax("f(a[])",
                 "bad entry: expected a size: a name, an integer or (..)\n  f(a[])\n      ^");
    check_syntax("f(12ab)", "bad entry: this does not belong to a number\n  f(12ab)\n      ^");
    check_syntax("f(99999999999999999999)",
                 "bad entry: this is no number of up to 64 bits\n  f(99999999999999999999)\n    ^");
    check_syntax("f(\"\\q\")", "bad entry: this escape is not known in C\n  f(\"\\q\")\n     ^");
    check_syntax("f(a[n], a[n])",
                 "bad entry: this name is already another parameter\n  f(a[n], a[n])\n          ^");
    check_syntax("f(x, x)", "bad entry: two parameters are named 'x' in 'f(x, x)'");
    check_syntax("f(n[n])",
                 "bad entry: 'n' is both a size and a parameter of its own in 'f(n[n])'");
    check_syntax("f(&)", "bad entry: expected a name after '&'\n  f(&)\n     ^");
    check_syntax(
        "f(\"\xc3\xa4\", ?)",
        "bad entry: expected a parameter: name, name[n], &name, \"text\", {1, 2}, a number "
        "or NULL\n  f(\"\xc3\xa4\", ?)\n         ^");
}

static void test_parse(void **state) {
    (void)state;
    static const enum target_item_kind kinds[] = {
        TARGET_ARRAY,  TARGET_SIZE,   TARGET_STRING, TARGET_LIST,   TARGET_NUMBER, TARGET_NUMBER,
        TARGET_NUMBER, TARGET_NUMBER, TARGET_NUMBER, TARGET_SCALAR, TARGET_SHAPE,  TARGET_NULL};
    struct target_entry entry;
    struct base_error error;
    if (!target_entry_parse(" f ( a[n*n], n, \"a\\x41\\n\\0b\", {1, -2,'c'}, 42, -1, 0x10, 1.5e3,"
                            " 'c', x, &node, NULL ) ",
                            &entry, &error))
        fail_msg("%s", error.message);
    assert_string_equal(entry.function, "f");
    assert_int_equal(entry.items.count, BASE_COUNT(kinds));
    for (size_t i = 0; i < BASE_COUNT(kinds); i++)
        assert_int_equal(entry.items.data[i].kind, kinds[i]);
    assert_int_equal(entry.sizes.count, 2);
    assert_string_equal(entry.sizes.data[0].name, "n");
    assert_int_equal(entry.sizes.data[0].otherwise, 0);
    assert_string_equal(entry.sizes.data[1].name, "node");
    assert_true(entry.sizes.data[1].otherwise > 0);
    assert_int_equal(entry.items.data[2].byte_count, 5);
    assert_memory_equal(entry.items.data[2].bytes, "aA\n\0b", 5);
    assert_true(entry.items.data[5].is_negative);
    assert_int_equal(entry.items.data[6].magnitude, 16);
    assert_true(entry.items.data[7].is_real);
    target_entry_done(&entry);
}

/* ---- fitting ---- */

static const char *const many_kinds =
    "struct node { int v; struct node *next; }; struct hidden; union u { int i; };"
    "int isort(int *a, int n) { return a[n]; }"
    "void none(void) {}"
    "void one(unsigned char c) {}"
    "void real(double d, float *f) {}"
    "void text(const char *s, void *p) {}"
    "void list(struct node *n, struct hidden *h, union u *u) {}"
    "void call(int (*g)(int), char **names) {}"
    "int print(const char *format, ...) { return 0; }";

static void check_misfit(const char *text, const char *expected) {
    struct subject subject;
    struct target_entry entry;
    struct base_error error;
    assert_true(target_entry_parse(text, &entry, &error));
    read_subject(&subject, many_kinds, entry.function);
    assert_false(target_entry_check(&entry, &subject.signature, &error));
    assert_int_equal(error.code, BASE_TARGET);
    assert_string_equal(error.message, expected);
    target_entry_done(&entry);
    done_subject(&subject);
}

static void test_misfits(void **state) {
    (void)state;
    check_misfit("isort(a[n])",
                 "entry 'isort(a[n])': isort takes 2 parameters: int isort(int *a, int n)");
    check_misfit("none(x)", "entry 'none(x)': none takes no parameters: void none(void)");
    check_misfit("one()", "entry 'one()': one takes 1 parameter: void one(unsigned char c)");
    check_misfit("isort(a[n], 1.5)", "entry 'isort(a[n], 1.5)': '1.5' does not fit 'int n', which "
                                     "is an integer: int isort(int *a, int n)");
    check_misfit("one(256)", "entry 'one(256)': '256' does not fit 'unsigned char c', which cannot "
                             "hold that number: void one(unsigned char c)");
    check_misfit("one(-1)", "entry 'one(-1)': '-1' does not fit 'unsigned char c', which cannot "
                            "hold that number: void one(unsigned char c)");
    check_misfit("isort(n, a[n])", "entry 'isort(n, a[n])': 'n' does not fit 'int *a', which is no "
                                   "integer and so no size: int isort(int *a, int n)");
    check_misfit("isort(a, n)", "entry 'isort(a, n)': 'a' is a pointer ('int *a'), write a[n] for "
                                "an array: int isort(int *a, int n)");
    check_misfit("isort", "entry 'isort': 'a' is a pointer ('int *a'), write a[n] for an array: "
                          "int isort(int *a, int n)");
    check_misfit("isort(a[n], b[n])", "entry 'isort(a[n], b[n])': 'b[n]' does not fit 'int n', "
                                      "which is no pointer: int isort(int *a, int n)");
    check_misfit("list(l, h[n], u[n])",
                 "entry 'list(l, h[n], u[n])': 'l' is a pointer ('struct node *n'), write l[n] for "
                 "an array or a heap shape as &l: void list(struct node *n, struct hidden *h, "
                 "union u *u)");
    check_misfit("list(&l, h[n], u[n])",
                 "entry 'list(&l, h[n], u[n])': 'h[n]' does not fit 'struct hidden *h', whose "
                 "elements have no known size: void list(struct node *n, struct hidden *h, "
                 "union u *u)");
    check_misfit("list(&l, &h, &u)",
                 "entry 'list(&l, &h, &u)': '&h' does not fit 'struct hidden *h', which is no "
                 "pointer to a type that is known: void list(struct node *n, struct hidden *h, "
                 "union u *u)");
    check_misfit(
        "call(g, names[n])",
        "entry 'call(g, names[n])': 'names[n]' does not fit 'char **names', whose elements "
        "are pointers: void call(int (*g)(int), char **names)");
    check_misfit("real(\"x\", f[n])", "entry 'real(\"x\", f[n])': '\"x\"' does not fit 'double d', "
                                      "which is no pointer to characters: void real(double d, "
                                      "float *f)");
    check_misfit("real(d, {\"x\"})", "entry 'real(d, {\"x\"})': '{\"x\"}' does not fit 'float *f', "
                                     "whose elements are numbers: void real(double d, float *f)");
    check_misfit("print(\"%d\", x)",
                 "entry 'print(\"%d\", x)': 'x' does not fit '...', only numbers, strings and NULL "
                 "do: int print(char *format, ...)");
}

/* ---- bytes and sizes ---- */

static void test_bytes_and_sizes(void **state) {
    (void)state;
    struct subject subject;
    struct base_error error;
    uint64_t bytes;
    start(&subject, "void f(int *a, short n, double (*m)[3], char c) {}",
          "f(a[n*n], n, m[(k+1)/2], c)");
    assert_true(target_entry_bytes(&subject.entry, (int64_t[]){3, 4}, &bytes));
    assert_int_equal(bytes, 9 * 4 + 2 * 24 + 1);
    assert_false(target_entry_bytes(&subject.entry, (int64_t[]){INT64_C(1) << 33, 0}, &bytes));
    assert_false(target_entry_bytes(&subject.entry, (int64_t[]){0, -9}, &bytes));
    struct target_fields fields = {0};
    assert_true(target_entry_layout(&subject.entry, (int64_t[]){3, 4}, &fields));
    assert_int_equal(fields.count, 3);
    assert_string_equal(fields.data[1].name, "m");
    assert_int_equal(fields.data[1].count, 6);
    assert_int_equal(fields.data[1].offset, 36);
    assert_int_equal(fields.data[1].element_size, 8);
    assert_true(fields.data[1].is_float);
    assert_true(fields.data[2].is_char);
    base_vector_done(&fields);

    int64_t values[2] = {0, 4};
    assert_true(
        target_entry_solve_sizes(&subject.entry, values, (bool[]){false, true}, 449, &error));
    assert_int_equal(values[0], 10);
    assert_false(
        target_entry_solve_sizes(&subject.entry, values, (bool[]){false, true}, 450, &error));
    assert_int_equal(error.code, BASE_USAGE);
    assert_string_equal(error.message, "an input of 450 bytes does not fit 'f(a[n*n], n, "
                                       "m[(k+1)/2], c)': it takes 449 (n=10) or 533 (n=11)");
    values[0] = 3;
    assert_false(
        target_entry_solve_sizes(&subject.entry, values, (bool[]){true, true}, 84, &error));
    assert_string_equal(error.message, "an input of 84 bytes does not fit 'f(a[n*n], n, "
                                       "m[(k+1)/2], c)': it takes 85");
    assert_false(
        target_entry_solve_sizes(&subject.entry, values, (bool[]){false, false}, 84, &error));
    assert_string_equal(error.message, "give all but one of these sizes of 'f(a[n*n], n, "
                                       "m[(k+1)/2], c)' with --size: n, k");
    done_subject(&subject);

    start(&subject, "void f(char *a, int n) {}", "f(a[10-n], n)");
    assert_true(target_entry_solve_sizes(&subject.entry, values, (bool[]){false}, 3, &error));
    assert_int_equal(values[0], 7);
    done_subject(&subject);
}

/* ---- the generated C ---- */

static const char *const stub =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "void __slowpath_driver(void);\n"
    "static FILE *input; static char **sizes;\n"
    "static void **pools[16]; static unsigned long counts[16], pool_count;\n"
    "void __slowpath_take_into(void *to, unsigned long bytes) {\n"
    "    memset(to, 0, bytes); fread(to, 1, bytes, input); }\n"
    "void __slowpath_heap(unsigned form) { (void)form; pool_count = 0; }\n"
    "void **__slowpath_pool(unsigned long count, unsigned long bytes) {\n"
    "    void **objects = calloc(count + 1, sizeof *objects);\n"
    "    for (unsigned long i = 1; i <= count; i++) objects[i] = calloc(1, bytes + 1);\n"
    "    counts[pool_count] = count; return pools[pool_count++] = objects; }\n"
    "void __slowpath_functions(void *const *functions, unsigned long count) {\n"
    "    pools[pool_count] = calloc(count + 1, sizeof(void *)); counts[pool_count] = count;\n"
    "    memcpy(pools[pool_count++] + 1, functions, count * sizeof(void *)); }\n"
    "void __slowpath_link(void *at, unsigned pool, unsigned owner, unsigned object) {\n"
    "    unsigned short choice; (void)owner; (void)object;\n"
    "    __slowpath_take_into(&choice, 2);\n"
    "    *(void **)at = choice <= counts[pool] ? pools[pool][choice] : 0; }\n"
    "void __slowpath_link_or_not(void *at, unsigned pool, unsigned owner, unsigned object) {\n"
    "    unsigned short choice; (void)owner; (void)object;\n"
    "    __slowpath_take_into(&choice, 2);\n"
    "    if (choice <= counts[pool]) *(void **)at = pools[pool][choice]; }\n"
    "void *__slowpath_take(unsigned long bytes, const char *name) {\n"
    "    char *memory = aligned_alloc(16, (bytes + 31) / 16 * 16);\n"
    "    memset(memory, 0, bytes); fread(memory, 1, bytes, input); return memory; }\n"
    "void *__slowpath_take_array(unsigned long bytes, unsigned long behind, const char *name) {\n"
    "    (void)behind; return __slowpath_take(bytes, name); }\n"
    "long __slowpath_size(const char *name) {\n"
    "    for (char **at = sizes; *at; at += 2) if (!strcmp(*at, name)) return atol(at[1]);\n"
    "    abort(); }\n"
    "int main(int argc, char **argv) { input = fopen(argv[1], \"rb\"); sizes = argv + 2;\n"
    "    __slowpath_driver(); return 0; }\n";

static void run_program(char **argv, struct base_buffer *out) {
    out->count = 0;
    base_buffer_add(out, "", 0);
    struct base_process process = {.argv = (const char *const *)argv, .out = out, .err = out};
    int status = base_run(&process);
    if (status != 0)
        fail_msg("status %d: %s", status, out->data);
}

/* Builds the driver's program; the caller frees its path. */
static char *build_driver(struct subject *subject) {
    struct base_buffer source = {0};
    target_entry_driver(&subject->entry, &subject->signature, subject->signature.name, &source);
    char *driver = write_text("driver.c", source.data), *runner = write_text("stub.c", stub);
    char *program = base_format("%s/driver", folder);
    run_clang((const char *[]){driver, runner, subject->object, "-o", program, NULL});
    base_buffer_done(&source);
    free(driver);
    free(runner);
    return program;
}

static void run_driver(struct subject *subject, const char *program, const int64_t *sizes,
                       const void *input, size_t size, struct base_buffer *out) {
    struct base_error error;
    char *file = base_format("%s/input", folder), *argv[32] = {(char *)program, file};
    assert_true(base_write_file(file, input, size, &error));
    for (size_t i = 0; i < subject->entry.sizes.count; i++) {
        argv[2 + 2 * i] = (char *)subject->entry.sizes.data[i].name;
        argv[3 + 2 * i] = base_format("%" PRId64, sizes[i]);
    }
    run_program(argv, out);
    for (size_t i = 0; i < subject->entry.sizes.count; i++)
        free(argv[3 + 2 * i]);
    free(file);
}

static void run_test_program(struct subject *subject, const int64_t *sizes, const void *input,
                             size_t size, struct base_buffer *out) {
    struct base_buffer source = {0};
    assert_true(target_entry_test_program(&subject->entry, &subject->signature, NULL, sizes, input,
                                          size, &source));
    char *c_file = write_text("program.c", source.data),
         *program = base_format("%s/program", folder);
    run_clang((const char *[]){c_file, subject->object, "-o", program, NULL});
    run_program((char *[]){program, NULL}, out);
    base_buffer_done(&source);
    free(c_file);
    free(program);
}

static void check_call(const char *source, const char *text, const int64_t *sizes,
                       const void *input, size_t size, const char *expected) {
    struct subject subject;
    struct base_buffer out = {0};
    start(&subject, source, text);
    char *program = build_driver(&subject);
    run_driver(&subject, program, sizes, input, size, &out);
    assert_string_equal(out.data, expected);
    run_test_program(&subject, sizes, input, size, &out);
    assert_string_equal(out.data, expected);
    base_buffer_done(&out);
    free(program);
    done_subject(&subject);
}

#define PRINTF "int printf(const char *, ...);\n"

static void test_calls(void **state) {
    (void)state;
    check_call(PRINTF
               "void isort(int *a, int n) { for (int i = 0; i < n; i++) printf(\"%d \", a[i]); }",
               "isort(arr[n], n)", (int64_t[]){3}, (int[]){7, -6, 5}, 12, "7 -6 5 ");
    check_call(PRINTF
               "void f(const char *s, double *d, int c, long l, void *p, unsigned char u,"
               " float x) { printf(\"%s %g %g %d %ld %p %d %g\", s, d[0], d[1], c, l, p, u, x); }",
               "f(\"a\\\"b\\n\", {1.5, -2}, 'c', -9223372036854775808, NULL, 0xff, 1)", NULL, "", 0,
               "a\"b\n 1.5 -2 99 -9223372036854775808 (nil) 255 1");
    check_call(PRINTF "struct s { int x; char c; }; void f(struct s s, _Bool b, short h, double d)"
                      " { printf(\"%d %d %d %d %g\", s.x, s.c, b, h, d); }",
               "f", NULL, "\1\0\0\0\5___\3\376\377\0\0\0\0\0\0\370\277", 19, "1 5 1 -2 -1.5");
    check_call(PRINTF "void f(double (*m)[2], unsigned long n) { printf(\"%g %g %lu\", m[0][1],"
                      " m[1][0], n); }",
               "f(m[n], n)", (int64_t[]){2}, (double[]){1, 2.5, 0.1, 4}, 32, "2.5 0.1 2");
    check_call(PRINTF "int twice(int x) { return 2 * x; } void f(int (*g)(int), int x, void *p)"
                      " { printf(\"%d %s\", g(x), (char *)p); }",
               "f(twice, x, raw[4])", NULL, "\25\0\0\0abc", 8, "42 abc");
    check_call(PRINTF "int f(const char *format, ...) { __builtin_va_list l;"
                      " __builtin_va_start(l, format); return __builtin_vprintf(format, l); }",
               "f(\"%d %s %g\", 42, \"x\", 1.5)", NULL, "", 0, "42 x 1.5");
    check_call(PRINTF
               "void f(char **names, int n) { printf(\"%s %s %d\", names[0], names[1], n); }",
               "f({\"ab\", \"c\"}, 2)", NULL, "", 0, "ab c 2");
    check_call(PRINTF "void in_x(int *in_x, int f) { printf(\"%d %d\", in_x[0], f); }",
               "in_x(int[1], in_x)", NULL, "\1\0\0\0\2\0\0", 8, "1 2");
}

static void test_shapes(void **state) {
    (void)state;
    static const char *const source =
        PRINTF "struct node { int v; struct node *next; };"
               "void f(struct node *n) { for (int i = 0; n && i < 5; i++, n = n->next)"
               " printf(\"%d \", n->v); }";
    int64_t sizes[] = {3};
    check_call(source, "f(&n)", sizes, "\0", 1, "");
    check_call(source, "f(&n)", sizes, "\1\0\7\0\0\0\11\0\0\0\0\0\0\0\2\0", 16, "7 9 ");
    check_call(source, "f(&n)", sizes, "\1\0\7\0\0\0\0\0\0\0\0\0\0\0\1", 15, "7 7 7 7 7 ");
    check_call(source, "f(&n)", sizes, "\3\0\7\0\0\0\0\0\0\0\5\0\0\0\1\0\0\0\1", 19, "5 7 7 7 7 ");
    check_call(source, "f(&n)", sizes, "\1\0\7\0\0\0\0\0\0\0\0\0\0\0\11", 15, "7 ");
    static const char *const either =
        PRINTF "struct e { int v; union { int n; struct e *e; } u; };"
               "void f(struct e *e) { printf(\"%d \", e->v ? e->u.e->v : e->u.n); }";
    check_call(either, "f(&e)", (int64_t[]){1}, "\1\0\0\0\0\0\5\0\0\0\0\0\0\0\2\0", 16, "5 ");
    check_call(either, "f(&e)", (int64_t[]){1}, "\1\0\3\0\0\0\5\0\0\0\0\0\0\0\1\0", 16, "3 ");
    struct subject subject;
    uint64_t bytes;
    start(&subject, source, "f(&n)");
    assert_true(target_entry_bytes(&subject.entry, sizes, &bytes));
    assert_int_equal(bytes, 2 + 3 * (4 + 2));
    done_subject(&subject);
}

/* ---- random tests ---- */

static uint64_t random_state;

static uint64_t random_below(uint64_t limit) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % limit;
}

static void seed_random(void) {
    const char *seed = getenv("SLOWPATH_TEST_SEED");
    random_state = seed ? strtoull(seed, NULL, 0) : (uint64_t)(base_seconds() * 1e6);
    print_message("seed: SLOWPATH_TEST_SEED=%" PRIu64 "\n", random_state);
}

static const char *const tangled = PRINTF
    "typedef unsigned char u8; enum e { A = -1, B };"
    "struct leaf { short h; unsigned b : 5; _Bool ok : 1; _Bool flag; char text[6]; };"
    "struct node { int v; struct node *next, *all[2]; struct { struct leaf *leaf; u8 k; int q : 9; "
    "};"
    "  struct leaf own[2]; union { int i; float f; }; void *other; enum e e; long double ld; };"
    "struct __attribute__((packed)) tight { char c; long l; float f; void *p; };"
    "static void leaf(const struct leaf *l) { if (!l) { printf(\"- \"); return; }"
    "  printf(\"[%d %d %d %d %.6s] \", l->h, l->b, l->ok, l->flag, l->text); }"
    "static void node(const struct node *n, int d) { if (!n || d > 3) { printf(\". \"); return; }"
    "  printf(\"(%d %d %d %d %p %d \", n->v, n->k, n->q, n->i, n->other, n->e);"
    "  leaf(n->leaf); leaf(&n->own[0]); leaf(&n->own[1]);"
    "  node(n->next, d + 1); node(n->all[0], d + 1); node(n->all[1], d + 1); printf(\") \"); }"
    "void f(struct node *a, struct tight *t, int n, struct leaf l, _Bool *flags, float x,"
    "       const char *s, u8 *bytes, __int128 w, union { char c; int i; } u, struct node *b) {"
    "  node(a, 0); for (int i = 0; i < n; i++) printf(\"<%d %ld %a %p %d> \", t[i].c, t[i].l,"
    "    t[i].f, t[i].p, flags[i]); leaf(&l); printf(\"%a %.3s %d %d %lx %lx %d \", x, s, bytes[0],"
    "    bytes[1], (long)w, (long)(w >> 64), u.i); node(b, 0); }";

/* The driver in the target and the program for people agree on what an input means. */
static void test_same_meaning(void **state) {
    (void)state;
    struct subject subject;
    struct base_buffer driven = {0}, told = {0};
    seed_random();
    start(&subject, tangled, "f(&a, t[n], n, l, flags[n], x, s[3], bytes[2], w, u, &b)");
    char *program = build_driver(&subject);
    int64_t sizes[3] = {3, 2, 2};
    uint64_t bytes;
    assert_true(target_entry_bytes(&subject.entry, sizes, &bytes));
    unsigned char *input = base_alloc(bytes);
    for (int round = 0; round < 12; round++) {
        for (uint64_t i = 0; i < bytes; i++)
            input[i] = (unsigned char)random_below(round % 3 ? 4 : 256);
        size_t size = bytes - random_below(bytes / 2);
        run_driver(&subject, program, sizes, input, size, &driven);
        run_test_program(&subject, sizes, input, size, &told);
        assert_string_equal(driven.data, told.data);
    }
    free(input);
    free(program);
    base_buffer_done(&driven);
    base_buffer_done(&told);
    done_subject(&subject);
}

static void add_random_piece(struct base_buffer *text) {
    static const char *const pieces[] = {
        "f",  "(",     ")",      "arr", "[",   "]",  "n",  ",",    "+",    "-",   "*",
        "/",  "\"a\"", "{1,2}",  "{",   "}",   "42", "-1", "0x1f", "1.5",  "'c'", "NULL",
        "&",  "node",  "\\",     "\"",  "'",   " ",  "\n", "\x01", "\xff", "1e",  "0b",
        "08", "1e999", "\\x411", "%s",  "%n",  ".",  "x",  "((((", "$",    "n*n", "{{}}",
        "a[", "n]",    "f(a[n]", ")",   "n/0", ".5", "0x", "1u",   "1.f",  "'\\", "\\777"};
    base_buffer_print(text, "%s", pieces[random_below(BASE_COUNT(pieces))]);
}

/* Whatever the text: no crash, and an error has a message. */
static void test_random_texts(void **state) {
    (void)state;
    struct subject subject;
    seed_random();
    read_subject(&subject, many_kinds, "isort");
    for (int round = 0; round < 100000; round++) {
        struct base_buffer text = {0}, source = {0};
        struct target_entry entry;
        struct base_error error = {0};
        base_buffer_print(&text, "%s", random_below(2) ? "f(" : "");
        for (uint64_t i = random_below(20) + 1; i > 0; i--)
            add_random_piece(&text);
        if (!target_entry_parse(text.data, &entry, &error)) {
            assert_true(error.code == BASE_USAGE && error.message[0]);
        } else {
            if (target_entry_check(&entry, &subject.signature, &error)) {
                target_entry_driver(&entry, &subject.signature, "isort", &source);
                target_entry_test_program(&entry, &subject.signature, NULL, (int64_t[20]){2}, "x",
                                          1, &source);
            } else {
                assert_true(error.code == BASE_TARGET && error.message[0]);
            }
            target_entry_done(&entry);
        }
        base_buffer_done(&text);
        base_buffer_done(&source);
    }
    done_subject(&subject);
}

static void test_deep_texts(void **state) {
    (void)state;
    struct target_entry entry;
    struct base_error error;
    char *text = base_alloc(100001);
    memset(text, '(', 100000);
    memcpy(text, "f(a[", 4);
    assert_false(target_entry_parse(text, &entry, &error));
    memset(text, '{', 100000);
    memcpy(text, "f(", 2);
    assert_false(target_entry_parse(text, &entry, &error));
    assert_int_equal(error.code, BASE_USAGE);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_syntax_errors), cmocka_unit_test(test_parse),
        cmocka_unit_test(test_misfits),       cmocka_unit_test(test_bytes_and_sizes),
        cmocka_unit_test(test_calls),         cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_same_meaning),  cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_deep_texts),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
