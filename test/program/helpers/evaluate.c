/* SPDX-License-Identifier: Apache-2.0
 *
 * Is what a suite says of its tests true? Writes a C program that evaluates the condition of each
 * test on the inputs of all tests: it must hold on its own and, since paths exclude each other, on
 * no other. What a test is said to allocate must be what was measured.
 *
 *     evaluate SUITE SOURCE [PARAMETER...] >check.c
 *
 * SOURCE is included, for its types. Each PARAMETER declares one of the entry, "int arr[4]", in the
 * order in which the input holds them. Texts that were cut are left out; most must not be.
 */
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **parameters;

static void die(const char *what) {
    fprintf(stderr, "evaluate: %s\n", what);
    exit(1);
}

static int is_cut(const char *text) {
    return strstr(text, "…") || strstr(text, "...");
}

static void print_input(const char *suite, const char *file, size_t number) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", suite, file);
    FILE *input = fopen(path, "rb");
    if (!input)
        die(path);
    printf("static const unsigned char input_%zu[] = {", number);
    for (int byte; (byte = getc(input)) != EOF;)
        printf("%d,", byte);
    printf("0};\n");
    fclose(input);
}

/* "const struct item items[3]" -> "items" */
static void print_name(const char *declaration) {
    const char *end = declaration + strcspn(declaration, "["), *start = end;
    while (start > declaration && (isalnum((unsigned char)start[-1]) || start[-1] == '_'))
        start--;
    printf("%.*s", (int)(end - start), start);
}

/* A function of the input that returns TEXT, which speaks of the parameters. */
static void print_function(const char *type, const char *name, size_t number, const json_t *test,
                           const char *text) {
    const char *tables = json_string_value(json_object_get(test, "tables"));
    printf("static %s %s_%zu(const unsigned char *in) {\n%s", type, name, number,
           tables ? tables : "");
    printf("    const unsigned char *at = in;\n");
    for (char **parameter = parameters; *parameter; parameter++) {
        printf("    %s;\n    memcpy(&", *parameter);
        print_name(*parameter);
        printf(", at, sizeof ");
        print_name(*parameter);
        printf(");\n    at += sizeof ");
        print_name(*parameter);
        printf(";\n");
    }
    printf("    return %s;\n}\n", *text ? text : "1");
}

static void print_conditions(const json_t *tests, size_t count, size_t *skipped) {
    for (size_t i = 0; i < count; i++) {
        const json_t *test = json_array_get(tests, i);
        const char *text = json_string_value(json_object_get(test, "condition"));
        if (!text)
            die("a test without a condition");
        if (is_cut(text)) {
            ++*skipped;
            continue;
        }
        print_function("_Bool", "condition", i, test, text);
    }
}

static const char *cost_text(const json_t *test) {
    return json_string_value(json_object_get(json_object_get(test, "symbolic_cost"), "allocated"));
}

static json_int_t cost_of(const json_t *test) {
    return json_integer_value(json_object_get(json_object_get(test, "cost"), "allocated"));
}

static void print_condition_checks(const json_t *tests, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const json_t *test = json_array_get(tests, i);
        if (is_cut(json_string_value(json_object_get(test, "condition"))))
            continue;
        for (size_t k = 0; k < count; k++)
            printf("    if (condition_%zu(input_%zu) != %d)\n"
                   "        bad++, puts(\"condition %zu is %s on input %zu\");\n",
                   i, k, i == k, i + 1, i == k ? "false" : "true", k + 1);
    }
}

static void print_cost_checks(const json_t *tests, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const json_t *test = json_array_get(tests, i);
        const char *text = cost_text(test);
        if (text && !is_cut(text))
            printf("    if (cost_%zu(input_%zu) != %lld)\n"
                   "        bad++, printf(\"test %zu allocates %%lld\\n\", cost_%zu(input_%zu));\n",
                   i, i, (long long)cost_of(test), i + 1, i, i);
    }
}

int main(int argc, char **argv) {
    if (argc < 3)
        die("SUITE SOURCE [PARAMETER...]");
    char path[4096];
    size_t skipped = 0, costs = 0;
    snprintf(path, sizeof path, "%s/suite.json", argv[1]);
    json_t *suite = json_load_file(path, 0, NULL), *tests = json_object_get(suite, "tests");
    size_t count = json_array_size(tests);
    if (!count)
        die("no tests");
    parameters = argv + 3;
    printf("#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n#include \"%s\"\n",
           argv[2]);
    for (size_t i = 0; i < count; i++)
        print_input(argv[1], json_string_value(json_object_get(json_array_get(tests, i), "file")),
                    i);
    print_conditions(tests, count, &skipped);
    for (size_t i = 0; i < count; i++) {
        const json_t *test = json_array_get(tests, i);
        const char *text = cost_text(test);
        if (text && !is_cut(text)) {
            print_function("long long", "cost", i, test, text);
            costs++;
        }
    }
    printf("int main(void) {\n    int bad = 0;\n");
    print_condition_checks(tests, count);
    print_cost_checks(tests, count);
    printf("    printf(\"%zu conditions, %zu cut, %zu costs, %%d wrong\\n\", bad);\n"
           "    return bad != 0;\n}\n",
           count - skipped, skipped, costs);
    json_decref(suite);
    return skipped * 2 > count;
}
