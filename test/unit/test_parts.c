/* SPDX-License-Identifier: Apache-2.0
 *
 * When does a part of a large module have to be compiled again? Its key, which is made from the
 * module in memory, must change with everything that its code depends on, and with nothing else.
 */
#include "abi/abi.h"
#include "instrument/keys.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <llvm-c/IRReader.h>
#include <stdlib.h>
#include <string.h>

/* Part 1 has @f, part 2 @other and @copied, of which part 1 has a copy. */
static const char text[] =
    "source_filename = \"a.c\"\n"
    "target datalayout = \"e-m:e-i64:64-f80:128-n8:16:32:64-S128\"\n"
    "target triple = \"x86_64-pc-linux-gnu\"\n"
    "%struct.pair = type { i32, i64 }\n"
    "@" ABI_SYMBOL_COUNTERS " = global [64 x i64] zeroinitializer\n"
    "@table = hidden global [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 16\n"
    "@small = hidden constant i32 77, align 4\n"
    "@aim = hidden constant ptr @last\n"
    "@pair = hidden global %struct.pair zeroinitializer\n"
    "@apart = hidden global i32 5\n"
    "define i32 @f(i32 %a, ptr %p, double %d, <4 x i32> %v) #0 !dbg !10 {\n"
    "entry:\n"
    "  %n = load i64, ptr getelementptr inbounds (i64, ptr @" ABI_SYMBOL_COUNTERS ", i64 10)\n"
    "  %n1 = add i64 %n, 1\n"
    "  store i64 %n1, ptr getelementptr inbounds (i64, ptr @" ABI_SYMBOL_COUNTERS ", i64 10)\n"
    "  %sum = add nsw i32 %a, 42, !dbg !12\n"
    "  %narrow = trunc nuw i32 %sum to i8\n"
    "  %wide = zext nneg i8 %narrow to i32\n"
    "  %part = udiv exact i32 %wide, 3\n"
    "  %both = or disjoint i32 %part, 4\n"
    "  %place = getelementptr inbounds %struct.pair, ptr %p, i64 0, i32 1\n"
    "  %read = load i32, ptr %place, align 4, !tbaa !20\n"
    "  store volatile i32 %read, ptr @table, align 4\n"
    "  %old = atomicrmw add ptr @apart, i32 1 seq_cst, align 4\n"
    "  %swap = cmpxchg ptr @apart, i32 1, i32 2 acq_rel monotonic\n"
    "  %value = extractvalue { i32, i1 } %swap, 0\n"
    "  %mixed = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 0, i32 1>\n"
    "  %first = extractelement <2 x i32> %mixed, i32 0\n"
    "  %real = fadd nnan double %d, 1.500000e+00\n"
    "  %is = fcmp olt double %real, 2.000000e+00\n"
    "  %known = load i32, ptr @small\n"
    "  %where = load ptr, ptr @aim\n"
    "  store i32 %first, ptr getelementptr inbounds (%struct.pair, ptr @pair, i32 0, i32 1)\n"
    "  call void asm sideeffect \"nop\", \"~{memory}\"()\n"
    "  %made = tail call i32 @copied(i32 noundef %both)\n"
    "  %told = call fastcc i32 @other(i32 %made)\n"
    "  %bits = call range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %told)\n"
    "  call void @outside(ptr byval(%struct.pair) %p)\n"
    "  %less = icmp slt i32 %bits, %value\n"
    "  br i1 %less, label %yes, label %no\n"
    "yes:\n"
    "  switch i32 %value, label %no [ i32 7, label %yes2 ]\n"
    "yes2:\n"
    "  %n2 = load i64, ptr getelementptr inbounds (i64, ptr @" ABI_SYMBOL_COUNTERS ", i64 12)\n"
    "  br label %yes2, !llvm.loop !30\n"
    "no:\n"
    "  %end = phi i32 [ 1, %entry ], [ 2, %yes ]\n"
    "  ret i32 %end\n"
    "}\n"
    "define hidden i32 @copied(i32 %x) {\n"
    "  %y = mul i32 %x, 3\n"
    "  ret i32 %y\n"
    "}\n"
    "define hidden fastcc i32 @other(i32 %x) #1 {\n"
    "  %y = sub i32 %x, 5\n"
    "  ret i32 %y\n"
    "}\n"
    "define hidden void @last() {\n"
    "  ret void\n"
    "}\n"
    "declare i32 @llvm.ctpop.i32(i32)\n"
    "declare void @outside(ptr) #2\n"
    "attributes #0 = { nounwind \"target-features\"=\"+sse2\" }\n"
    "attributes #1 = { noinline }\n"
    "attributes #2 = { nounwind }\n"
    "!llvm.module.flags = !{!0, !1}\n"
    "!llvm.dbg.cu = !{!2}\n"
    "!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
    "!1 = !{i32 8, !\"PIC Level\", i32 2}\n"
    "!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, emissionKind: LineTablesOnly)\n"
    "!3 = !DIFile(filename: \"target\", directory: \"\")\n"
    "!4 = !DIFile(filename: \"f\", directory: \"\")\n"
    "!5 = !DISubroutineType(types: !6)\n"
    "!6 = !{}\n"
    "!10 = distinct !DISubprogram(name: \"f\", file: !4, type: !5, spFlags: DISPFlagDefinition, "
    "unit: !2)\n"
    "!12 = !DILocation(line: 3, scope: !10)\n"
    "!20 = !{!21, !21, i64 0}\n"
    "!21 = !{!\"int\", !22}\n"
    "!22 = !{!\"root\"}\n"
    "!30 = distinct !{!30, !31}\n"
    "!31 = !{!\"llvm.loop.mustprogress\"}\n";

/* The text with TO for the first FROM. */
static char *changed(const char *from, const char *to) {
    const char *at = strstr(text, from);
    assert_non_null(at);
    return base_format("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

/* False: the key is not enough. */
static bool make_key(const char *source, char key[33]) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module;
    char *message = NULL;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(source, strlen(source), "text");
    if (LLVMParseIRInContext(context, buffer, &module, &message))
        fail_msg("%s", message);
    struct base_map homes = {0};
    base_map_set(&homes, "f", 2 * 1);
    base_map_set(&homes, "other", 2 * 2);
    base_map_set(&homes, "copied", 2 * 2 + 1);
    base_map_set(&homes, "last", 2 * 3);
    struct instrument_keys *keys = instrument_keys_new(module, &homes);
    LLVMValueRef function = LLVMGetNamedFunction(module, "f");
    bool good = instrument_key_of_part(keys, 1, &function, 1, key);
    instrument_keys_free(keys);
    base_map_done(&homes);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return good;
}

struct change {
    const char *from, *to;
};

static bool is_same(const struct change *change) {
    char before[33], after[33], *other = changed(change->from, change->to);
    assert_true(make_key(text, before));
    assert_true(make_key(other, after));
    free(other);
    return strcmp(before, after) == 0;
}

/* ---- the tests ---- */

static void what_matters_is_in_the_key(void **state) {
    static const struct change changes[] = {
        /* instructions: what they do, flags, details */
        {"%a, 42", "%a, 43"},
        {"%a, 42", "42, %a"},
        {"add nsw i32", "sub nsw i32"},
        {"add nsw i32", "add i32"},
        {"add nsw i32", "add nuw nsw i32"},
        {"trunc nuw", "trunc"},
        {"zext nneg", "zext"},
        {"udiv exact", "udiv"},
        {"or disjoint", "or"},
        {"getelementptr inbounds %struct.pair, ptr %p", "getelementptr %struct.pair, ptr %p"},
        {"%place, align 4", "%place, align 2"},
        {"store volatile", "store"},
        {"atomicrmw add", "atomicrmw or"},
        {"seq_cst", "monotonic"},
        {"1 seq_cst", "1 syncscope(\"singlethread\") seq_cst"},
        {"cmpxchg ptr", "cmpxchg weak ptr"},
        {"acq_rel monotonic", "acq_rel acquire"},
        {"acq_rel monotonic", "acquire monotonic"},
        {"%swap = cmpxchg ptr", "%swap = cmpxchg volatile ptr"},
        {"<i32 0, i32 1>", "<i32 0, i32 2>"},
        {"fadd nnan", "fadd"},
        {"1.500000e+00", "1.250000e+00"},
        {"fcmp olt", "fcmp ole"},
        {"icmp slt", "icmp ult"},
        {"i32 7, label", "i32 8, label"},
        {"i32 7, label %yes2", "i32 7, label %yes2 i32 9, label %yes2"},
        {"[ 1, %entry ], [ 2, %yes ]", "[ 2, %entry ], [ 1, %yes ]"},
        {"\"nop\"", "\"nop;nop\""},
        {"asm sideeffect", "asm"},
        /* calls: how, with which promises */
        {"tail call", "call"},
        {"tail call", "notail call"},
        {"noundef %both", "%both"},
        {"call fastcc", "call"},
        {"range(i32 0, 33)", "range(i32 0, 32)"},
        {"byval(%struct.pair)", "byval(i64)"},
        {"call void @outside(ptr byval", "call void @last(ptr byval"},
        /* types, metadata, lines, counters */
        {"type { i32, i64 }", "type { i64, i64 }"},
        {"!\"int\"", "!\"long\""},
        {"!\"int\", !22}", "!\"int\", !22, i64 0}"},
        {", !tbaa !20", ""},
        {"mustprogress", "unroll.disable"},
        {"line: 3", "line: 4"},
        {", !dbg !12", ""},
        {"i64 12)", "i64 13)"},
        /* what it refers to, as far as it knows of it */
        {"mul i32 %x, 3", "mul i32 %x, 4"},
        {"i32 77", "i32 78"},
        {"constant ptr @last", "constant ptr @other"},
        {"constant i32 77, align 4", "global i32 77, align 4"},
        {"align 16", "align 32"},
        {"[4 x i32] [i32 1, i32 2, i32 3, i32 4]", "[3 x i32] [i32 1, i32 2, i32 3]"},
        {"@apart = hidden global", "@apart = hidden thread_local global"},
        {"@apart = hidden global i32 5", "@apart = hidden global i32 5, section \"x\""},
        {"@apart = hidden global", "@apart = global"},
        {"{ noinline }", "{ noinline nounwind }"},
        {"hidden fastcc i32 @other", "hidden i32 @other"},
        {"attributes #2 = { nounwind }", "attributes #2 = { nounwind memory(read) }"},
        {"declare void @outside(ptr)", "declare void @outside(ptr nonnull)"},
        {"declare void @outside", "declare extern_weak void @outside"},
        /* the function itself */
        {"+sse2", "+avx2"},
        {"define i32 @f", "define hidden i32 @f"},
        {"i32 %a, ptr %p", "i32 signext %a, ptr %p"},
        /* the module */
        {"PIC Level\", i32 2", "PIC Level\", i32 1"},
        {"x86_64-pc-linux-gnu", "x86_64-unknown-linux-gnu"},
        {"f80:128", "f80:64"},
    };
    (void)state;
    for (size_t i = 0; i < BASE_COUNT(changes); i++)
        if (is_same(&changes[i]))
            fail_msg("the key stays the same with '%s' for '%s'", changes[i].to, changes[i].from);
}

static void what_does_not_matter_is_not(void **state) {
    static const struct change changes[] = {
        {"sub i32 %x, 5", "sub i32 %x, 6"}, /* in a function that others have no copy of */
        {"[i32 1, i32 2,", "[i32 9, i32 2,"},
        {"global i32 5", "global i32 6"},
        {"@pair = hidden", "@more = hidden global i32 1\n@pair = hidden"},
        {"define hidden i32 @copied", "declare void @unused()\ndefine hidden i32 @copied"},
        {"%struct.pair = type", "%struct.unused = type { i8 }\n%struct.pair = type"},
        {"@last() {\n", "@last() {\n  call void @outside(ptr null)\n"},
        {"  %y = mul i32 %x, 3\n  ret i32 %y", "  %z = mul i32 %x, 3\n  ret i32 %z"},
    };
    (void)state;
    for (size_t i = 0; i < BASE_COUNT(changes); i++)
        if (!is_same(&changes[i]))
            fail_msg("the key changes with '%s' for '%s'", changes[i].to, changes[i].from);
}

/* Where the function's counters begin may change; how they lie may not. */
static void counters_are_relative(void **state) {
    char before[33], after[33], *other = base_strdup(text);
    (void)state;
    for (char *at = other; (at = strstr(at, "i64 10)"));)
        at[5] = '1';
    assert_true(make_key(text, before) && make_key(other, after));
    assert_string_not_equal(before, after);
    memcpy(strstr(other, "i64 12)"), "i64 13)", 7);
    assert_true(make_key(other, after));
    assert_string_equal(before, after);
    free(other);
}

/* Of what is not known in full, the bitcode has to tell. */
static void the_unusual_has_no_key(void **state) {
    static const struct change changes[] = {
        {"  %known =", "  fence seq_cst\n  %known ="},
        {"i32 @copied(i32 noundef %both)", "i32 @copied(i32 noundef %both) [ \"tag\"(i32 1) ]"},
        {"store volatile i32 %read, ptr @table, align 4",
         "store volatile i32 %read, ptr @table, align 4, !own !6"},
        {"ptr @apart, i32 1 seq_cst", "ptr @second, i32 1 seq_cst"},
        {"load ptr, ptr @aim", "load ptr, ptr @second"},
        {"define i32 @f(i32 %a, ptr %p, double %d, <4 x i32> %v) #0",
         "define i32 @f(i32 %a, ptr %p, double %d, <4 x i32> %v) #0 prefix i32 1"},
        {"line: 3, scope: !10)", "line: 3, scope: !13)\n!13 = distinct !DILexicalBlock(scope: !10, "
                                 "file: !4, line: 1)"},
        {"name: \"f\", file: !4,", "name: \"f\", file: !4, line: 9,"},
    };
    (void)state;
    for (size_t i = 0; i < BASE_COUNT(changes); i++) {
        char key[33], *once = changed(changes[i].from, changes[i].to);
        char *other = base_format("%s@second = alias i32, ptr @apart\n", once);
        if (make_key(other, key))
            fail_msg("there is a key with '%s'", changes[i].to);
        free(once);
        free(other);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_matters_is_in_the_key),
        cmocka_unit_test(what_does_not_matter_is_not),
        cmocka_unit_test(counters_are_relative),
        cmocka_unit_test(the_unusual_has_no_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
