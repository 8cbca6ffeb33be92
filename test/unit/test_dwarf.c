/* SPDX-License-Identifier: Apache-2.0
 *
 * Is the signature of a function read from debug information, and printed in C again, what the
 * source says? Snippets are compiled here; the printed definitions are compiled once more, where
 * their own assertions check each size and offset.
 */
#include "ir/types.h"

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

/* Compiles SOURCE and returns the path of the result; the caller frees it. */
static char *compile(const char *source, const char *const *options) {
    struct base_error error;
    char *c_file = base_format("%s/snippet.c", folder), *object = base_format("%s/out", folder);
    assert_true(base_write_file(c_file, source, strlen(source), &error));
    const char *argv[16] = {CLANG, "-w", "-g", c_file, "-o", object};
    for (int i = 0; options[i]; i++)
        argv[6 + i] = options[i];
    struct base_buffer text = {0};
    int status = base_run(&(struct base_process){.argv = argv, .out = &text, .err = &text});
    if (status != 0)
        fail_msg("%s\n%s", text.data, source);
    base_buffer_done(&text);
    free(c_file);
    return object;
}

static char *compile_object(const char *source) {
    return compile(source, (const char *[]){"-c", NULL});
}

static void print_signature(const struct ir_signature *signature, struct base_buffer *out) {
    struct ir_type function = {.kind = IR_TYPE_FUNCTION,
                               .name = "",
                               .element = signature->result,
                               .members = signature->parameters,
                               .member_count = signature->parameter_count,
                               .is_variadic = signature->is_variadic};
    ir_print_declaration(&function, signature->name, out);
}

/* Reads FUNCTION back from SOURCE and checks how it prints; its definitions must compile. */
static void check(const char *source, const char *function, const char *expected) {
    struct base_arena arena = {0};
    struct ir_signature signature;
    struct base_error error;
    struct base_buffer out = {0}, definitions = {0};
    char *object = compile_object(source);
    if (!ir_read_signature(object, function, &arena, &signature, &error))
        fail_msg("%s", error.message);
    print_signature(&signature, &out);
    assert_string_equal(out.data, expected);
    ir_print_definitions(&signature, &definitions);
    base_buffer_print(&definitions, "%s;\n", out.data);
    free(compile_object(definitions.data));
    base_buffer_done(&out);
    base_buffer_done(&definitions);
    base_arena_done(&arena);
    free(object);
}

static void test_numbers(void **state) {
    (void)state;
    check("int isort(int *a, int n) { return a[n]; }", "isort", "int isort(int *a, int n)");
    check("void f(void) {}", "f", "void f(void)");
    check("static void f(char a, signed char b, unsigned char c, short d, unsigned short e) {}"
          "void (*use)(char, signed char, unsigned char, short, unsigned short) = f;",
          "f", "void f(char a, signed char b, unsigned char c, short d, unsigned short e)");
    check("long f(unsigned a, unsigned long b, long long c, unsigned long long d) { return 0; }",
          "f", "long f(unsigned int a, unsigned long b, long long c, unsigned long long d)");
    check(
        "_Bool f(float a, double b, long double c, __int128 d, unsigned __int128 e) { return 0; }",
        "f", "_Bool f(float a, double b, long double c, __int128 d, unsigned __int128 e)");
    check("void f(_Float16 *h, _BitInt(40) *b) {}", "f", "void f(_Float16 *h, long *b)");
}

static void test_typedefs_and_qualifiers(void **state) {
    (void)state;
    check("#include <stdint.h>\n#include <stddef.h>\n"
          "size_t f(const uint8_t *restrict p, volatile int32_t *const q, _Atomic int *r)"
          " { return 0; }",
          "f", "unsigned long f(unsigned char *p, int *q, int *r)");
    check("typedef void nothing; nothing *f(const nothing *p) { return 0; }", "f",
          "void *f(void *p)");
}

static void test_derived_types(void **state) {
    (void)state;
    check("int f(int (*g)(char), char **argv) { return 0; }", "f",
          "int f(int (*g)(char), char **argv)");
    check("void f(double m[3][4], int (*p)[5], char *names[7]) {}", "f",
          "void f(double (*m)[4], int (*p)[5], char **names)");
    check("int (*f(int a))[3] { return 0; }", "f", "int (*f(int a))[3]");
    check("void (*f(int s, void (*h)(int)))(int) { return h; }", "f",
          "void (*f(int s, void (*h)(int)))(int)");
    check("void f(int n, int a[n][n]) {}", "f", "void f(int n, int *a)");
    check("int f(int (*a)[]) { return (*a)[0]; }", "f", "int f(int *a)");
    check("int f(const char *format, ...) { return 0; }", "f", "int f(char *format, ...)");
    check("int f(a, b, c) int a; float b; char c; { return 0; }", "f",
          "int f(int a, float b, char c)");
    check("typedef int v4 __attribute__((vector_size(16))); v4 f(v4 a, v4 *b) { return a; }", "f",
          "__attribute__((vector_size(16))) int f(__attribute__((vector_size(16))) int a, "
          "__attribute__((vector_size(16))) int *b)");
    check("_Complex double f(_Complex float a) { return a; }", "f",
          "struct complex_double f(struct complex_float a)");
}

static void test_enums(void **state) {
    (void)state;
    check("enum color { RED, BLUE }; int f(enum color c) { return c; }", "f",
          "int f(unsigned int c)");
    check("enum sign { MINUS = -1, PLUS }; int f(enum sign c) { return c; }", "f", "int f(int c)");
    check("enum small { A } __attribute__((packed)); int f(enum small *c) { return *c; }", "f",
          "int f(unsigned char *c)");
}

static void test_structs(void **state) {
    (void)state;
    check("struct node { int v; struct node *next; }; int f(struct node *n) { return n->v; }", "f",
          "int f(struct node *n)");
    check("typedef struct { int x, y; } point; int f(point p) { return p.x; }", "f",
          "int f(struct point p)");
    check("struct b; struct a { struct b *b; }; struct b { struct a a[2]; void (*g)(struct a *); };"
          "int f(struct a a, struct b *b) { return b->a == a.b->a; }",
          "f", "int f(struct a a, struct b *b)");
    check("struct hidden; int f(struct hidden *h, union u *u) { return 0; }", "f",
          "int f(struct hidden *h, union u *u)");
    check("union u { int i; char c[5]; struct { short s; } in; }; union u f(union u x)"
          " { return x; }",
          "f", "union u f(union u x)");
    check("struct { int a; } *f(struct { char b; struct { int c; } d; } *p) { return 0; }", "f",
          "struct anonymous_1 *f(struct anonymous_2 *p)");
    check("typedef struct { int x; } node; struct node { char c; };"
          "void f(node a, struct node b) {}",
          "f", "void f(struct node a, struct node_2 b)");
}

/* Each is the parameter of a function; the printed struct must have the same layout. */
static void test_layouts(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "struct s { char c; int i; short h; double d; long double l; }",
        "struct s { unsigned a : 3, b : 5; signed char c : 4; int d : 20; long e : 40; }",
        "struct s { _Bool a : 1; _Bool b : 1; short c : 9; char d : 7; _Bool e; }",
        "struct s { int a : 3; int : 7; int b : 4; }",
        "struct s { int a : 3; int : 0; int b : 4; char c; }",
        "struct s { char c; int : 12; int b : 4; }",
        "struct s { union { int i; float f; struct { char x, y; }; }; int tail[]; }",
        "struct s { int n; struct { short h; } in[3][2]; char last; }",
        "struct __attribute__((packed)) s { char c; int i; short h; double d; }",
        "struct __attribute__((packed)) s { char c; int a : 3, b : 30; short h; }",
        "struct __attribute__((packed, aligned(4))) s { char c; int i; short h; }",
        "struct __attribute__((aligned(64))) s { int i; }",
        "struct s { char c; _Alignas(16) int i; char d; }",
        "struct s { char c; _Alignas(32) struct { long v; } in; }",
        "struct s { char c; struct __attribute__((packed)) { int i; } in; int after; }",
        "struct s { char c __attribute__((aligned(4))); char d; }",
        "struct s { char c; _Complex double z; _Complex float y; }",
        "struct s { char c; int v __attribute__((vector_size(16))); }",
        "struct s { char c; _BitInt(200) wide; int i; }",
        "struct s { struct {} empty; int i; struct s *self, **others; void (*call)(struct s *); }",
        "struct s { char c; int i __attribute__((packed)); }",
        "struct s { enum { P, Q } e; enum { R } __attribute__((packed)) tiny; _Bool b[3]; }",
        "union __attribute__((packed)) s { int i; char c[5]; }",
        "union s { int a : 5; long long b : 33; char c; }",
        "union __attribute__((aligned(16))) s { char c; }",
    };
    for (size_t i = 0; i < BASE_COUNT(bodies); i++) {
        const char *word = strncmp(bodies[i], "union", 5) == 0 ? "union" : "struct";
        char *source =
            base_format("%s; int f(%s s *p, int n) { return sizeof *p; }", bodies[i], word);
        char *expected = base_format("int f(%s s *p, int n)", word);
        check(source, "f", expected);
        free(expected);
        free(source);
    }
}

static void check_error(const char *source, const char *function, const char *expected) {
    struct base_arena arena = {0};
    struct ir_signature signature;
    struct base_error error;
    char *object = compile_object(source);
    assert_false(ir_read_signature(object, function, &arena, &signature, &error));
    assert_int_equal(error.code, BASE_TARGET);
    assert_string_equal(error.message, expected);
    base_arena_done(&arena);
    free(object);
}

static void test_missing(void **state) {
    (void)state;
    const char *source = "void isort(void) {} void ssort(void) {} void main_loop(void) {}"
                         "void qsort_all(void) {} int puts(const char *); int x(void)"
                         "{ return puts(\"\"); }";
    check_error(source, "isrot", "no function 'isrot' in the target; did you mean isort?");
    check_error(source, "asort", "no function 'asort' in the target; did you mean isort, ssort?");
    check_error(source, "compress",
                "no function 'compress' in the target; it has isort, ssort, qsort_all, …");
    check_error("int x;", "f", "no function 'f' in the target; it has none with a body");
    check_error("typedef _Complex long double wide; wide f(void) { return 0; }", "f",
                "'f' returns a type that cannot be called from C here");
}

static void test_no_debug_information(void **state) {
    (void)state;
    struct base_arena arena = {0};
    struct ir_signature signature;
    struct base_error error;
    char *object = compile("void f(void) {}", (const char *[]){"-c", "-g0", NULL});
    assert_false(ir_read_signature(object, "f", &arena, &signature, &error));
    assert_int_equal(error.code, BASE_TARGET);
    assert_non_null(strstr(error.message, "has no debug information: compile it with -g"));
    assert_false(ir_read_signature("/nowhere/x.o", "f", &arena, &signature, &error));
    assert_int_equal(error.code, BASE_TARGET);
    base_arena_done(&arena);
    free(object);
}

static void test_place(void **state) {
    (void)state;
    struct base_arena arena = {0};
    struct ir_signature signature;
    struct base_error error;
    char *object = compile_object("\n\nstatic int f(int a) { return a; }\nint (*p)(int) = f;");
    assert_true(ir_read_signature(object, "f", &arena, &signature, &error));
    assert_string_equal(base_basename(signature.file), "snippet.c");
    assert_int_equal(signature.line, 3);
    base_arena_done(&arena);
    free(object);
}

/* Optimised objects, executables and older debug information say the same. */
static void test_other_files(void **state) {
    (void)state;
    static const char *const source =
        "struct s { int a : 3; int b : 20; struct s *n; };"
        "static int f(struct s *p, int unused) { return p->a; }"
        "__attribute__((noinline)) int g(struct s *p, int n, float unused) { return f(p, n) + n; }"
        "int main(void) { struct s x = {1}; return g(&x, 2, 3); }";
    static const char *const options[][4] = {{"-O2"},
                                             {"-c", "-O2"},
                                             {"-c", "-gdwarf-4"},
                                             {"-c", "-gdwarf-2"},
                                             {"-c", "-O1", "-fdebug-types-section"}};
    for (size_t i = 0; i < BASE_COUNT(options); i++) {
        struct base_arena arena = {0};
        struct ir_signature signature;
        struct base_error error;
        struct base_buffer out = {0};
        char *object = compile(source, options[i]);
        if (!ir_read_signature(object, "f", &arena, &signature, &error))
            fail_msg("%s: %s", options[i][0], error.message);
        print_signature(&signature, &out);
        assert_string_equal(out.data, "int f(struct s *p, int unused)");
        assert_int_equal(signature.parameters[0].type->element->members[1].offset, 0);
        assert_int_equal(signature.parameters[0].type->element->members[1].bit_offset, 3);
        base_buffer_done(&out);
        base_arena_done(&arena);
        free(object);
    }
}

/* One unit only declares what another one defines; a second static f is f.1 for the linker. */
static void test_two_units(void **state) {
    (void)state;
    struct base_arena arena = {0};
    struct ir_signature signature;
    struct base_error error;
    struct base_buffer out = {0};
    char *object = compile("struct t; struct s { int v; struct t *t; };"
                           "int f(struct s *p, struct t *t) { return p->v; }"
                           "int f1(long x) __asm__(\"f.1\"); int f1(long x) { return x; }",
                           (const char *[]){"-c", NULL});
    char *first = base_format("%s/first.o", folder), *both = base_format("%s/both.o", folder);
    assert_int_equal(rename(object, first), 0);
    free(object);
    object = compile_object("struct s; struct t { struct s *s; int w[3]; };"
                            "int g(struct t *t) { return t->w[1]; }");
    const char *argv[] = {CLANG, "-r", "-o", both, first, object, NULL};
    assert_int_equal(base_run(&(struct base_process){.argv = argv}), 0);
    assert_true(ir_read_signature(both, "f", &arena, &signature, &error));
    const struct ir_type *s = signature.parameters[0].type->element;
    const struct ir_type *t = signature.parameters[1].type->element;
    assert_int_equal(t->size, 24);
    assert_ptr_equal(t->members[0].type->element, s);
    assert_ptr_equal(s->members[1].type->element, t);
    assert_true(ir_read_signature(both, "f.1", &arena, &signature, &error));
    print_signature(&signature, &out);
    assert_string_equal(out.data, "int f1(long x)");
    base_buffer_done(&out);
    base_arena_done(&arena);
    free(first);
    free(both);
    free(object);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),       cmocka_unit_test(test_typedefs_and_qualifiers),
        cmocka_unit_test(test_derived_types), cmocka_unit_test(test_enums),
        cmocka_unit_test(test_structs),       cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_missing),       cmocka_unit_test(test_no_debug_information),
        cmocka_unit_test(test_place),         cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_two_units),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
