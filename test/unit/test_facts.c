/* SPDX-License-Identifier: Apache-2.0
 *
 * Linking, cleaning and the static facts: small C sources go through the compiler, the linker of
 * modules and the clean-up, and what a person sees in the source must be in the facts. Damaged
 * fact files must be refused. Set SEED to repeat the random damage.
 */
#include "abi/bundle.h"
#include "ir/module.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char *folder; /* where sources and bitcode go */

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

/* ---- from a text to facts ---- */

struct program {
    struct ir_frames frames, library;
    struct ir_module module;
    struct ir_facts facts;
    struct base_error error;
};

static void write_text(const char *path, const char *text) {
    struct base_error error;
    assert_true(base_write_file(path, text, strlen(text), &error));
}

/* Compiles TEXT as FOLDER/NAME, started in FOLDER so that debug information says NAME. */
static void add_source(struct ir_frames *frames, const char *name, const char *text,
                       const char *option) {
    char *source = base_format("%s/%s", folder, name), *out = base_format("%s.bc", source);
    write_text(source, text);
    char *command = base_format("cd '%s' && '%s/clang' -O1 -Xclang -disable-llvm-passes "
                                "-emit-llvm -c -g %s -w '%s' -o '%s'",
                                folder, SLOWPATH_LLVM_BINDIR, option, name, out);
    const char *argv[] = {"sh", "-c", command, NULL};
    assert_int_equal(base_run(&(struct base_process){.argv = argv}), 0);
    struct ir_frame frame = {.kind = ABI_FRAME_BITCODE, .name = base_strdup(name)};
    struct base_error error;
    assert_true(base_read_file(out, &frame.data, &frame.size, &error));
    base_push(frames, frame);
    free(command);
    free(source);
    free(out);
}

static bool link_program(struct program *program) {
    return ir_link(&program->frames, &program->library, &program->module, &program->error);
}

static void make_facts(struct program *program) {
    bool linked = link_program(program);
    if (!linked)
        print_message("%s\n", program->error.message);
    assert_true(linked);
    assert_true(ir_clean(&program->module, &program->error));
    ir_facts_make(&program->module, &program->facts);
}

static void make_program(struct program *program, const char *text) {
    *program = (struct program){0};
    add_source(&program->frames, "a.c", text, "");
    make_facts(program);
}

static void program_done(struct program *program) {
    ir_facts_done(&program->facts);
    ir_module_done(&program->module);
    ir_frames_done(&program->frames);
    ir_frames_done(&program->library);
}

static const struct ir_function *function_named(const struct ir_facts *facts, const char *name) {
    uint32_t number = ir_find_function(facts, name);
    assert_int_not_equal(number, IR_NONE);
    return &facts->functions[number];
}

static uint32_t count_opcode(const struct ir_facts *facts, const struct ir_function *function,
                             LLVMOpcode opcode) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct ir_block *block = &facts->blocks[function->first_block + b];
        for (uint32_t i = 0; i < block->opcode_count; i++)
            if (facts->opcodes[block->first_opcode + i].opcode == opcode)
                count += facts->opcodes[block->first_opcode + i].count;
    }
    return count;
}

/* Blocks that go more than one way. */
static uint32_t count_decisions(const struct ir_facts *facts, const struct ir_function *function) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < function->block_count; b++)
        count += facts->blocks[function->first_block + b].successor_count > 1;
    return count;
}

static const struct ir_call *call_in(const struct ir_facts *facts,
                                     const struct ir_function *function, uint32_t index) {
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct ir_block *block = &facts->blocks[function->first_block + b];
        if (index < block->call_count)
            return &facts->calls[block->first_call + index];
        index -= block->call_count;
    }
    fail_msg("too few calls");
    return NULL;
}

/* ---- what is in the source is in the facts ---- */

static const char insertion_sort[] = "void sort(int *a, int n) {\n"
                                     "    for (int i = 1; i < n; i++) {\n"
                                     "        int x = a[i];\n"
                                     "        int j = i - 1;\n"
                                     "        while (j >= 0 &&\n"
                                     "               a[j] > x) {\n"
                                     "            a[j + 1] = a[j];\n"
                                     "            j--;\n"
                                     "        }\n"
                                     "        a[j + 1] = x;\n"
                                     "    }\n"
                                     "}\n";

static void test_loops_of_insertion_sort(void **state) {
    (void)state;
    struct program p;
    make_program(&p, insertion_sort);
    const struct ir_function *sort = function_named(&p.facts, "sort");
    assert_int_equal(sort->line, 1);
    assert_string_equal(p.facts.strings + sort->file, "a.c");
    assert_int_equal(count_decisions(&p.facts, sort), 3);
    assert_int_equal(sort->loop_count, 2);
    const struct ir_loop *outer = &p.facts.loops[sort->first_loop], *inner = outer + 1;
    assert_int_equal(outer->depth, 1);
    assert_int_equal(outer->parent, IR_NONE);
    assert_int_equal(outer->line, 2);
    assert_int_equal(inner->depth, 2);
    assert_int_equal(inner->parent, sort->first_loop);
    assert_int_equal(inner->line, 5);
    assert_false(outer->irreducible || inner->irreducible);
    assert_true(ir_dominates(&p.facts, outer->header, inner->header));
    assert_false(ir_dominates(&p.facts, inner->header, outer->header));
    assert_true(ir_dominates(&p.facts, sort->first_block, inner->header));
    program_done(&p);
}

static void test_sums(void **state) {
    (void)state;
    struct program p;
    make_program(&p, insertion_sort);
    for (uint32_t b = 0; b < p.facts.block_count; b++) {
        const struct ir_block *block = &p.facts.blocks[b];
        uint32_t by_line = 0, by_opcode = 0;
        for (uint32_t i = 0; i < block->line_count; i++)
            by_line += p.facts.lines[block->first_line + i].instructions;
        for (uint32_t i = 0; i < block->opcode_count; i++)
            by_opcode += p.facts.opcodes[block->first_opcode + i].count;
        assert_int_equal(by_line, block->instructions);
        assert_int_equal(by_opcode, block->instructions);
        assert_true(block->instructions > 0);
    }
    program_done(&p);
}

/* Each function has as many decisions as its source, and no select took the place of one. */
static void test_decisions_stay(void **state) {
    (void)state;
    static const struct {
        const char *name, *text;
        uint32_t decisions;
    } samples[] = {
        {"both", "int both(int a, int b) { if (a > 1 && b < 3) return 7; return 9; }", 2},
        {"value", "int value(int a, int b) { return a > 1 && b < 3; }", 1},
        {"any", "int any(int a, int b, int c) { if ((a || b) && c) return a; return b; }", 3},
        {"largest", "int largest(int a, int b) { int m = a; if (b > m) m = b; return m; }", 1},
        {"question", "int question(int a, int b) { return a > b ? a : b; }", 1},
        {"flag", "_Bool flag(int a) { _Bool r; if (a < 3) r = 1; else r = 0; return r; }", 1},
        {"empty", "int empty(int x) { if (x > 3) { } return 2; }", 1},
        {"same", "int same(int x) { int r; if (x > 3) r = 2; else r = 2; return r; }", 1},
        {"clamp", "int clamp(int x) { if (x < 0) x = 0; if (x > 9) x = 9; return x; }", 2},
        {"absolute", "int absolute(int x) { if (x < 0) x = -x; return x; }", 1},
        {"choose",
         "int choose(int x) { switch (x) { case 1: return 4; case 2: return 9; case 3: return 4; "
         "default: return -1; } }",
         1},
        {"hint", "int hint(int x) { if (__builtin_expect(x > 4, 1)) return 3; return 2; }", 1},
        {"chain",
         "int chain(int a, int b) { if (a == b) return 1; if (a == 4) return 1; "
         "return 0; }",
         2},
        {"idle", "int idle(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return 3; }", 1},
        {"slow",
         "__attribute__((optnone)) int slow(int n) { int s = 0; while (s < n) s++; "
         "return s; }",
         1},
    };
    struct base_buffer text = {0};
    for (size_t i = 0; i < BASE_COUNT(samples); i++)
        base_buffer_print(&text, "%s\n", samples[i].text);
    struct program p;
    make_program(&p, text.data);
    for (size_t i = 0; i < BASE_COUNT(samples); i++) {
        const struct ir_function *function = function_named(&p.facts, samples[i].name);
        if (count_decisions(&p.facts, function) != samples[i].decisions)
            print_message("%s\n", samples[i].text);
        assert_int_equal(count_decisions(&p.facts, function), samples[i].decisions);
        assert_int_equal(count_opcode(&p.facts, function, LLVMSelect), 0);
        assert_int_equal(count_opcode(&p.facts, function, LLVMAlloca), 0);
        assert_int_equal(function->line, i + 1);
    }
    const struct ir_function *choose = function_named(&p.facts, "choose");
    assert_int_equal(p.facts.blocks[choose->first_block].successor_count, 4);
    base_buffer_done(&text);
    program_done(&p);
}

static void test_irreducible_goto(void **state) {
    (void)state;
    struct program p;
    make_program(&p, "int g(int n, int m) { if (n) goto b; a: n++; if (n > m) return n;\n"
                     "b: m--; if (m) goto a; return m; }\n"
                     "int plain(int n) { a: n--; if (n) goto a; return n; }\n");
    const struct ir_function *g = function_named(&p.facts, "g");
    assert_int_equal(g->loop_count, 1);
    assert_int_equal(p.facts.loops[g->first_loop].irreducible, 1);
    const struct ir_function *plain = function_named(&p.facts, "plain");
    assert_int_equal(plain->loop_count, 1);
    assert_int_equal(p.facts.loops[plain->first_loop].irreducible, 0);
    program_done(&p);
}

static void count_target(uint32_t function, void *context) {
    (void)function;
    ++*(uint32_t *)context;
}

static uint32_t count_targets(const struct ir_facts *facts, const struct ir_call *call) {
    uint32_t count = 0;
    ir_call_targets(facts, call, count_target, &count);
    return count;
}

static void test_calls(void **state) {
    (void)state;
    struct program p;
    make_program(&p, "#include <string.h>\n"
                     "int puts(const char *);\n"
                     "static int one(int a) { return a + 1; }\n"
                     "static int two(int a) { return a * 2; }\n"
                     "int three(int a) { return a * 3; }\n"
                     "int (*const table[])(int) = {one, two};\n"
                     "int run(int i, void *p, void *q) {\n"
                     "    puts(\"x\");\n"
                     "    memcpy(p, q, i);\n"
                     "    three(4);\n"
                     "    __asm__ volatile(\"\");\n"
                     "    return table[i](i);\n"
                     "}\n"
                     "int old(int (*f)()) { return f(3); }\n"
                     "extern int also(int) __attribute__((alias(\"three\")));\n"
                     "int through(void) { return also(1); }\n");
    const struct ir_facts *facts = &p.facts;
    const struct ir_function *run = function_named(facts, "run");
    const struct ir_call *first = call_in(facts, run, 0), *second = call_in(facts, run, 1);
    const struct ir_call *third = call_in(facts, run, 2);
    assert_int_equal(first->callee, ir_find_function(facts, "puts"));
    assert_int_equal(first->line, 8);
    assert_int_equal(function_named(facts, "puts")->block_count, 0);
    assert_int_equal(second->callee, ir_find_function(facts, "three"));
    assert_int_equal(third->callee, IR_NONE);
    assert_int_equal(third->line, 12);
    assert_true(function_named(facts, "one")->address_taken);
    assert_true(function_named(facts, "two")->address_taken);
    assert_false(function_named(facts, "three")->address_taken);
    assert_int_equal(count_targets(facts, first), 1);
    assert_int_equal(count_targets(facts, third), 2);
    assert_int_equal(count_targets(facts, call_in(facts, function_named(facts, "old"), 0)), 2);
    assert_int_equal(call_in(facts, function_named(facts, "through"), 0)->callee,
                     ir_find_function(facts, "three"));
    for (uint32_t f = 0; f < facts->function_count; f++)
        assert_int_not_equal(strncmp(facts->strings + facts->functions[f].name, "llvm.", 5), 0);
    program_done(&p);
}

/* What C allows beyond branches and calls: none of it may be lost or trip the analysis. */
static void test_unusual_code(void **state) {
    (void)state;
    struct program p;
    make_program(&p, "static int fast(int x) { return x + 1; }\n"
                     "static int slow(int x) { return x + 2; }\n"
                     "extern int detect(void);\n"
                     "static void *resolve(void) { return detect() ? fast : slow; }\n"
                     "int pick(int) __attribute__((ifunc(\"resolve\")));\n"
                     "__attribute__((constructor)) static void init(void) {}\n"
                     "__attribute__((used)) static int unused(int x) { return x; }\n"
                     "int run(int x) { void *t[] = {&&a, &&b}; goto *t[x & 1];\n"
                     "a: return pick(x);\n"
                     "b: return 0; }\n"
                     "__asm__(\".globl symbol\\n.set symbol, 5\\n\");\n"
                     "int jump(int x) { asm goto(\"\" : : : : out); return 1; out: return 2; }\n"
                     "void never(int x) { for (;;) x++; }\n");
    const struct ir_facts *facts = &p.facts;
    const struct ir_call *pick = call_in(facts, function_named(facts, "run"), 0);
    assert_int_equal(pick->callee, IR_NONE);
    assert_int_equal(count_targets(facts, pick), 2);
    assert_false(function_named(facts, "init")->address_taken);
    assert_false(function_named(facts, "unused")->address_taken);
    assert_int_equal(count_decisions(facts, function_named(facts, "run")), 1);
    assert_int_equal(count_decisions(facts, function_named(facts, "jump")), 1);
    const struct ir_function *never = function_named(facts, "never");
    assert_int_equal(never->loop_count, 1);
    assert_int_equal(facts->loops[never->first_loop].line, 13);
    program_done(&p);
}

static void test_block_numbers_follow_the_module(void **state) {
    (void)state;
    struct program p;
    make_program(&p, insertion_sort);
    uint32_t number = 0;
    LLVMModuleRef module = p.module.module;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            uint32_t count = 0;
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                count += ir_counts(i);
            assert_int_equal(p.facts.blocks[number++].instructions, count);
        }
    assert_int_equal(number, p.facts.block_count);
    program_done(&p);
}

/* ---- linking ---- */

static void test_statics_of_one_name(void **state) {
    (void)state;
    struct program p = {0};
    add_source(&p.frames, "a.c",
               "static int f(int x) { return x; } int a(void) { return f(1); }\n"
               "int common; inline int in(int x) { return x + 7; }\n"
               "int use(int y) { return in(y); }\n",
               "-fcommon -fPIC");
    add_source(&p.frames, "b.c",
               "static int f(int x) { return 2; } int b(void) { return f(1); }\n"
               "int common;\n",
               "-fcommon -fno-pic -fno-asynchronous-unwind-tables");
    add_source(&p.frames, "c.c",
               "static int f(int x) { return 3; } int c(void) { return f(1); }\n"
               "int common = 5;\n",
               "-gdwarf-4");
    make_facts(&p);
    uint32_t a = call_in(&p.facts, function_named(&p.facts, "a"), 0)->callee;
    uint32_t b = call_in(&p.facts, function_named(&p.facts, "b"), 0)->callee;
    uint32_t c = call_in(&p.facts, function_named(&p.facts, "c"), 0)->callee;
    assert_true(a != b && b != c && a != c);
    assert_string_equal(p.facts.strings + p.facts.functions[b].file, "b.c");
    assert_int_equal(function_named(&p.facts, "in")->block_count, 1);
    program_done(&p);
}

static void expect_failure(struct program *p, const char *text) {
    assert_false(link_program(p));
    if (!strstr(p->error.message, text))
        print_message("%s\n", p->error.message);
    assert_non_null(strstr(p->error.message, text));
    assert_null(strchr(p->error.message, '\n'));
    assert_int_equal(p->error.code, BASE_TARGET);
    assert_null(p->module.context);
    program_done(p);
}

static void test_link_errors(void **state) {
    (void)state;
    struct program p = {0};
    expect_failure(&p, "compile it with slowpath-cc");
    add_source(&p.frames, "a.c", "int f(void) { return 1; }", "");
    add_source(&p.frames, "c.c", "int other;", "");
    add_source(&p.frames, "b.c", "int f(void) { return 2; }", "");
    expect_failure(&p, "symbol 'f' is defined in both a.c and b.c");
    add_source(&p.frames, "a.c", "int f(void) { return 1; }", "");
    add_source(&p.frames, "b.c", "int g(void) { return 2; }", "-m32");
    expect_failure(&p, "a.c and b.c were compiled for different machines");
    add_source(&p.frames, "a.c", "int f(void) { return 1; }", "");
    add_source(&p.frames, "b.c", "int g(void) { return 2; }", "-fshort-wchar");
    expect_failure(&p, "wchar_size");
    add_source(&p.frames, "a.c", "int f(void) { return 1; }", "");
    memset(p.frames.data[0].data + 40, 0x5a, 400);
    expect_failure(&p, "cannot read the bitcode of a.c: ");
    add_source(&p.frames, "a.c", "int f(void) { return 1; }", "");
    p.frames.data[0].size = 16;
    expect_failure(&p, "cannot read the bitcode of a.c: ");
}

/* The value that a function without parameters returns, as cleaned up. */
static long long returned(const struct program *p, const char *name) {
    LLVMValueRef function = LLVMGetNamedFunction(p->module.module, name);
    assert_non_null(function);
    LLVMValueRef last = LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(function));
    LLVMValueRef value = LLVMGetOperand(last, 0);
    assert_non_null(LLVMIsAConstantInt(value));
    return LLVMConstIntGetSExtValue(value);
}

static void test_program_wins_over_library(void **state) {
    (void)state;
    struct program p = {0};
    char *header = base_format("%s/hide.h", folder);
    write_text(header, "__attribute__((visibility(\"hidden\"))) int hidden(void);\n");
    free(header);
    add_source(&p.frames, "a.c",
               "int f(void) { return 1; } int lib(void);\n"
               "int hidden(void) { return 10; }\n"
               "__attribute__((weak)) int w(void) { return 11; }\n"
               "int main(void) { return lib(); }\n ",
               "");
    add_source(&p.library, "l.c",
               "int f(void) { return 2; } int w(void) { return 12; }\n"
               "int first(void) { return 3; }\n"
               "int lib(void) { return f() + hidden(); }\n",
               "-fPIC -include hide.h");
    add_source(&p.library, "m.c", "int hidden(void) { return 20; } int first(void) { return 4; }\n",
               "-fPIC -include hide.h");
    make_facts(&p);
    assert_int_equal(returned(&p, "f"), 1);
    assert_int_equal(returned(&p, "w"), 11);
    assert_int_equal(returned(&p, "hidden"), 10);
    assert_int_equal(returned(&p, "first"), 3);
    const struct ir_function *lib = function_named(&p.facts, "lib");
    assert_int_equal(call_in(&p.facts, lib, 0)->callee, ir_find_function(&p.facts, "f"));
    uint32_t hidden = call_in(&p.facts, lib, 1)->callee;
    assert_int_not_equal(hidden, ir_find_function(&p.facts, "hidden"));
    assert_int_equal(returned(&p, p.facts.strings + p.facts.functions[hidden].name), 20);
    LLVMValueRef first = LLVMGetNamedFunction(p.module.module, "first");
    assert_int_equal(LLVMGetLinkage(first), LLVMExternalLinkage);
    program_done(&p);
}

static void test_names_of_files(void **state) {
    (void)state;
    struct program p = {0};
    char *deep = base_format("%s/sub/src", folder), *header = base_format("%s/h.h", deep);
    struct base_error error;
    assert_true(base_make_dirs(deep, &error));
    write_text(header, "static int twice(int x) { return 2 * x; }\n");
    add_source(&p.frames, "sub/src/a.c", "#include \"h.h\"\nint a(int x) { return twice(x); }\n",
               "");
    make_facts(&p);
    assert_string_equal(p.facts.strings + function_named(&p.facts, "a")->file, "sub/src/a.c");
    const char *file = p.facts.strings + function_named(&p.facts, "twice")->file;
    assert_string_equal(file, "sub/src/h.h");
    program_done(&p);
    free(deep);
    free(header);
}

/* Case values with one block are one outcome; the default comes first. Clang gives a case label
 * behind a default label a block of its own. */
static void test_switch_cases(void **state) {
    (void)state;
    struct program p;
    make_program(&p, "int f(int x, unsigned char c) { int y = 0;\n"
                     "switch (x) { case 7: case 9: y = 1; break; case -3: y = c; break;\n"
                     "default: case 4: y = 5; break; case 11: y = 3; }\n"
                     "switch (c) { case 'a': return y; case 'b': return y * 3; }\n"
                     "return y + 7; }\n");
    static const struct {
        uint64_t value;
        uint32_t outcome;
    } expected[] = {{7, 1}, {9, 1}, {0xfffffffd, 2}, {4, 3}, {11, 4}, {'a', 1}, {'b', 2}};
    assert_int_equal(p.facts.switch_count, 2);
    assert_int_equal(p.facts.case_count, 7);
    assert_int_equal(p.facts.switches[0].case_count, 5);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(p.facts.cases[i].value, expected[i].value);
        assert_int_equal(p.facts.cases[i].outcome, expected[i].outcome);
    }
    uint32_t found = 0;
    for (uint32_t b = 0; b < p.facts.block_count; b++) {
        const struct ir_switch *at = ir_find_switch(&p.facts, b);
        assert_true(!at || (at->block == b && at->default_outcome == 0));
        found += at != NULL;
    }
    assert_int_equal(found, 2);
    program_done(&p);
}

/* ---- files ---- */

static const char larger[] =
    "int puts(const char *); static int one(int a) { return a + 1; }\n"
    "int (*pointer)(int) = one;\n"
    "int f(int n, const char *s) { int c = 0;\n"
    "for (int i = 0; i < n; i++) { for (const char *p = s; *p; p++) if (*p == ' ') c++; }\n"
    "switch (n) { case 1: puts(s); break; case 2: c = pointer(n); break; default: c--; }\n"
    "return c; }\n";

static void test_round_trip(void **state) {
    (void)state;
    struct program p;
    struct ir_facts loaded;
    make_program(&p, larger);
    char *path = base_format("%s/facts", folder);
    assert_true(ir_facts_save(&p.facts, path, &p.error));
    assert_true(ir_facts_load(path, &loaded, &p.error));
#define SAME(field, counter)                                                                       \
    assert_int_equal(loaded.counter, p.facts.counter);                                             \
    assert_memory_equal(loaded.field, p.facts.field, p.facts.counter * sizeof *p.facts.field)
    SAME(functions, function_count);
    SAME(blocks, block_count);
    SAME(successors, successor_count);
    SAME(opcodes, opcode_count);
    SAME(calls, call_count);
    SAME(lines, line_count);
    SAME(loops, loop_count);
    SAME(switches, switch_count);
    SAME(cases, case_count);
    SAME(strings, string_size);
    assert_int_equal(ir_find_function(&loaded, "f"), ir_find_function(&p.facts, "f"));
    assert_int_equal(ir_find_function(&loaded, "nobody"), IR_NONE);
    ir_facts_done(&loaded);
    free(path);
    program_done(&p);
}

static void start_random(void) {
    const char *text = getenv("SEED");
    unsigned seed = text ? (unsigned)strtoul(text, NULL, 10) : (unsigned)time(NULL);
    print_message("SEED=%u\n", seed);
    srand(seed);
}

static void expect_refused(const char *path, const char *data, size_t size) {
    struct base_error error;
    struct ir_facts facts;
    assert_true(base_write_file(path, data, size, &error));
    assert_false(ir_facts_load(path, &facts, &error));
    assert_int_equal(error.code, BASE_USAGE);
    assert_non_null(strstr(error.message, path));
    assert_null(facts.mapping);
}

static void test_damaged_file(void **state) {
    (void)state;
    struct program p;
    make_program(&p, larger);
    char *path = base_format("%s/facts", folder), *data;
    size_t size;
    assert_true(ir_facts_save(&p.facts, path, &p.error));
    assert_true(base_read_file(path, &data, &size, &p.error));
    start_random();
    for (int round = 0; round < 300; round++) {
        size_t at = (size_t)rand() % size;
        char bit = (char)(1 << rand() % 8);
        data[at] ^= bit;
        bool harmless = at >= 41 && at < 48; /* unused bytes behind the hash */
        if (!harmless)
            expect_refused(path, data, size);
        data[at] ^= bit;
        expect_refused(path, data, (size_t)rand() % size);
    }
    expect_refused(path, "", 0);
    assert_int_equal(unlink(path), 0);
    struct ir_facts facts;
    assert_false(ir_facts_load(path, &facts, &p.error));
    free(data);
    free(path);
    program_done(&p);
}

static void visit_nothing(uint32_t function, void *context) {
    const struct ir_facts *facts = context;
    assert_true(function < facts->function_count);
}

/* Follows every number in accepted facts; a sanitizer or a segment fault finds what was missed. */
static void walk_facts(const struct ir_facts *facts) {
    size_t sum = 0;
    for (uint32_t f = 0; f < facts->function_count; f++)
        sum += strlen(facts->strings + facts->functions[f].name) +
               strlen(facts->strings + facts->functions[f].file);
    for (uint32_t b = 0; b < facts->block_count; b++) {
        const struct ir_block *block = &facts->blocks[b];
        uint32_t entry = facts->functions[block->function].first_block;
        sum += ir_dominates(facts, entry, b) + strlen(facts->strings + block->file);
        for (uint32_t i = 0; i < block->successor_count; i++)
            sum += facts->blocks[facts->successors[block->first_successor + i]].line;
        for (uint32_t i = 0; i < block->opcode_count; i++)
            sum += facts->opcodes[block->first_opcode + i].count;
        for (uint32_t i = 0; i < block->line_count; i++)
            sum += strlen(facts->strings + facts->lines[block->first_line + i].file);
        for (uint32_t i = 0; i < block->call_count; i++)
            ir_call_targets(facts, &facts->calls[block->first_call + i], visit_nothing,
                            (void *)facts);
        for (uint32_t l = block->loop; l != IR_NONE; l = facts->loops[l].parent)
            sum += facts->blocks[facts->loops[l].header].line;
        const struct ir_switch *found = ir_find_switch(facts, b);
        for (uint32_t i = 0; found && i < found->case_count; i++)
            sum += facts->cases[found->first_case + i].outcome <= found->case_count;
    }
    assert_true(sum > 0);
}

/* Wrong numbers under a right hash: one 32-bit word of one array is replaced before saving. */
static void test_wrong_numbers(void **state) {
    (void)state;
    struct program p;
    make_program(&p, larger);
    char *path = base_format("%s/facts", folder);
    struct ir_facts *facts = &p.facts;
    struct {
        void *data;
        size_t size;
    } arrays[] = {{facts->functions, facts->function_count * sizeof *facts->functions},
                  {facts->blocks, facts->block_count * sizeof *facts->blocks},
                  {facts->successors, facts->successor_count * sizeof *facts->successors},
                  {facts->calls, facts->call_count * sizeof *facts->calls},
                  {facts->lines, facts->line_count * sizeof *facts->lines},
                  {facts->loops, facts->loop_count * sizeof *facts->loops},
                  {facts->switches, facts->switch_count * sizeof *facts->switches},
                  {facts->cases, facts->case_count * sizeof *facts->cases}};
    uint32_t refused = 0;
    start_random();
    for (int round = 0; round < 2000; round++) {
        size_t array = (size_t)rand() % BASE_COUNT(arrays);
        uint32_t *words = arrays[array].data, at = (uint32_t)rand() % (arrays[array].size / 4);
        uint32_t saved = words[at];
        words[at] = rand() % 3 ? (uint32_t)rand() % 40 : (uint32_t)rand() * 2u + 1;
        struct ir_facts loaded;
        assert_true(ir_facts_save(facts, path, &p.error));
        if (ir_facts_load(path, &loaded, &p.error)) {
            walk_facts(&loaded);
            ir_facts_done(&loaded);
        } else {
            refused++;
        }
        words[at] = saved;
    }
    assert_true(refused > 100);
    free(path);
    program_done(&p);
}

/* ---- tokens ---- */

static bool has_token(const struct ir_facts *facts, enum ir_token_kind kind, const void *bytes,
                      size_t size) {
    for (uint32_t i = 0; i < facts->token_count; i++) {
        const struct ir_token *token = &facts->tokens[i];
        if (token->kind == (uint32_t)kind && token->size == size &&
            memcmp(facts->token_bytes + token->first, bytes, size) == 0)
            return true;
    }
    return false;
}

static void test_tokens(void **state) {
    (void)state;
    struct program p;
    make_program(&p,
                 "int strcmp(const char *, const char *);\n"
                 "int puts(const char *);\n"
                 "static const char *const names[] = {\"true\", \"null\"};\n"
                 "int f(const char *s, unsigned magic, int n) {\n"
                 "    if (s[0] == '[' || magic == 0xfeed1234u || magic == 0x4142u) return 1;\n"
                 "    switch (s[1]) { case 'x': return 2; case 'y': return 3; case 1: return 4; }\n"
                 "    if (strcmp(s, \"key\") == 0) return puts(\"this is no token at all\");\n"
                 "    return names[n][0] + (s[2] == (char)-17);\n"
                 "}\n");
    const struct ir_facts *facts = &p.facts;
    assert_true(has_token(facts, IR_TOKEN_NUMBER, "[", 1));
    assert_true(has_token(facts, IR_TOKEN_NUMBER, "\x34\x12\xed\xfe", 4));
    assert_true(has_token(facts, IR_TOKEN_NUMBER, "BA", 2));
    assert_true(has_token(facts, IR_TOKEN_NUMBER, "\xef", 1));
    assert_true(has_token(facts, IR_TOKEN_CASE, "x", 1));
    assert_true(has_token(facts, IR_TOKEN_CASE, "\x01", 1));
    assert_true(has_token(facts, IR_TOKEN_WORD, "key", 3));
    assert_true(has_token(facts, IR_TOKEN_TEXT, "true", 4));
    assert_true(has_token(facts, IR_TOKEN_TEXT, "null", 4));
    for (uint32_t i = 0; i < facts->token_count; i++) {
        assert_true(facts->tokens[i].size <= 4);
        for (uint32_t j = 0; j < i; j++)
            assert_false(facts->tokens[i].size == facts->tokens[j].size &&
                         memcmp(facts->token_bytes + facts->tokens[i].first,
                                facts->token_bytes + facts->tokens[j].first,
                                facts->tokens[i].size) == 0);
    }
    program_done(&p);
}

/* What refers to something else in facts that were joined is checked when they are loaded. */
static void test_joined(void **state) {
    (void)state;
    static const char text[] =
        "int g(int); static int f(int x) { switch (x) { case 1: return g(2); "
        "case 7: return 3; } while (x > 9) x--; return x; }"
        "int g(int x) { int (*h)(int) = f; return h(x); }"
        "int main(int c, char **v) { return v[0][0] == 'k' ? f(c) : 0; }";
    struct program p;
    struct ir_facts both = {0}, again;
    make_program(&p, text);
    char *path = base_format("%s/joined", folder);
    ir_facts_add(&both, &p.facts);
    ir_facts_add(&both, &p.facts);
    assert_true(ir_facts_save(&both, path, &p.error));
    assert_true(ir_facts_load(path, &again, &p.error));
    assert_int_equal(again.block_count, 2 * p.facts.block_count);
    const struct ir_block *second = &again.blocks[p.facts.block_count];
    assert_int_equal(second->function, p.facts.blocks[0].function + p.facts.function_count);
    assert_string_equal(again.strings + second->file, p.facts.strings + p.facts.blocks[0].file);
    ir_facts_done(&again);
    ir_facts_done(&both);
    free(path);
    program_done(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joined),
        cmocka_unit_test(test_loops_of_insertion_sort),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_decisions_stay),
        cmocka_unit_test(test_irreducible_goto),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_unusual_code),
        cmocka_unit_test(test_block_numbers_follow_the_module),
        cmocka_unit_test(test_statics_of_one_name),
        cmocka_unit_test(test_link_errors),
        cmocka_unit_test(test_program_wins_over_library),
        cmocka_unit_test(test_names_of_files),
        cmocka_unit_test(test_switch_cases),
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damaged_file),
        cmocka_unit_test(test_wrong_numbers),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
