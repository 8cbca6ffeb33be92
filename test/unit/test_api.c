/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences of calls: whatever is made, bred and decoded is a program in which every handle that is
 * used is alive.
 */
#include "api/growth.h"
#include "api/search.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* A list with new, free, add(list, data), all(list, list) and a number. */
static void make_model(struct api_model *model) {
    static struct ir_type record = {.kind = IR_TYPE_STRUCT, .name = "list", .size = 16},
                          handle = {.kind = IR_TYPE_POINTER, .size = 8, .element = &record},
                          data = {.kind = IR_TYPE_POINTER, .size = 8},
                          number = {.kind = IR_TYPE_SIGNED, .name = "int", .size = 4};
    static const struct ir_signature signatures[] = {{.name = "list_new", .result = &handle},
                                                     {.name = "list_free"},
                                                     {.name = "list_add"},
                                                     {.name = "list_all"},
                                                     {.name = "spin"}};
    *model = (struct api_model){0};
    struct api_parameter list = {
        .type = &handle, .name = "l", .kind = API_HANDLE, .shares = IR_NONE};
    struct api_parameter gone = list, item = list, count = list;
    gone.kind = API_DESTROYED;
    item.type = &data;
    item.kind = API_CELL;
    count.type = &number;
    count.kind = API_SCALAR;
    base_push(
        &model->types,
        (struct api_type){
            .name = "list", .type = &record, .destroyer = 1, .sizer = IR_NONE, .is_made = true});
    base_push(&model->functions,
              (struct api_function){.signature = &signatures[0], .result = API_NEW});
    base_push(&model->functions,
              (struct api_function){.signature = &signatures[1], .parameters = {gone}, .count = 1});
    base_push(
        &model->functions,
        (struct api_function){.signature = &signatures[2], .parameters = {list, item}, .count = 2});
    base_push(
        &model->functions,
        (struct api_function){.signature = &signatures[3], .parameters = {list, list}, .count = 2});
    base_push(
        &model->functions,
        (struct api_function){.signature = &signatures[4], .parameters = {count}, .count = 1});
    api_model_number(model);
}

/* Every statement happens, and the last one is a single call of FUNCTION. */
static void check(const struct api_model *model, const struct api_sequence *sequence,
                  uint32_t function) {
    struct api_alive alive = {0};
    int found[API_ARGUMENTS];
    assert_in_range(sequence->count, 1, API_STATEMENTS);
    for (uint32_t i = 0; i < sequence->count; i++)
        assert_true(api_alive_step(&alive, model, &sequence->statements[i], found));
    const struct api_statement *last = &sequence->statements[sequence->count - 1];
    assert_int_equal(last->function, function);
    assert_int_equal(last->repeat, API_ONCE);
    assert_true(sequence->count < 2 || !sequence->statements[sequence->count - 2].joined);
}

static void bred_sequences_are_whole(void **state) {
    (void)state;
    struct api_model model;
    struct api_random random = {(uint64_t)time(NULL)};
    print_message("seed %llu\n", (unsigned long long)random.state);
    make_model(&model);
    for (uint32_t round = 0; round < 400; round++) {
        uint32_t function = round % 5;
        struct api_sequence a, b, child;
        api_sequence_make(&model, &random, function, &a);
        check(&model, &a, function);
        api_sequence_make(&model, &random, function, &b);
        for (unsigned i = 0; i < 20; i++) {
            api_sequence_mutate(&model, &random, &a);
            check(&model, &a, function);
            api_sequence_cross(&model, &random, &b, &a, &child);
            check(&model, &child, function);
            b = a;
            a = child;
        }
    }
    api_model_done(&model);
}

static void bytes_and_back(void **state) {
    (void)state;
    struct api_model model;
    struct api_random random = {7};
    struct api_sequence sequence, again;
    struct base_buffer bytes = {0};
    make_model(&model);
    api_sequence_make(&model, &random, 3, &sequence);
    api_sequence_encode(&model, &sequence, sequence.count, &bytes);
    assert_int_equal(bytes.count, 16 + 80 * sequence.count);
    assert_true(api_sequence_decode(&model, bytes.data, bytes.count, &again));
    assert_int_equal(again.count, sequence.count);
    assert_memory_equal(again.statements, sequence.statements,
                        sequence.count * sizeof *sequence.statements);
    assert_false(api_sequence_decode(&model, bytes.data, 15, &again));
    base_buffer_done(&bytes);
    api_model_done(&model);
}

static void a_recipe_is_c(void **state) {
    (void)state;
    struct api_model model;
    struct base_buffer text = {0};
    make_model(&model);
    struct api_sequence sequence = {.count = 3};
    sequence.statements[0].function = 0;
    sequence.statements[1] =
        (struct api_statement){.function = 2,
                               .repeat = API_N_TIMES,
                               .arguments[1] = {.mode = API_COUNTER, .step = 2, .base = 3}};
    sequence.statements[2] = (struct api_statement){
        .function = 2, .arguments[1] = {.mode = API_LAST, .step = 2, .base = 3}};
    api_sequence_recipe(&model, &sequence, &text);
    assert_string_equal(text.data, "list0 = (void *)list_new();\n"
                                   "for (long i = 0; i < n; i++) {\n"
                                   "    list_add(list0, sp_item(3 + 2 * i));\n"
                                   "}\n"
                                   "list_add(list0, sp_item(3 + 2 * (n - 1)));\n");
    base_buffer_done(&text);
    api_model_done(&model);
}

/* A handle in whose place another one comes may be needed to make that one, so it goes last. */
static void a_handle_is_replaced_after_the_call(void **state) {
    (void)state;
    struct api_model model;
    struct base_buffer text = {0};
    make_model(&model);
    struct api_sequence sequence = {.count = 2}; /* twice to the same place */
    api_sequence_print(&model, &sequence, "cc", &text);
    const char *call = strstr(text.data, "made = (void *)list_new();"),
               *gone = strstr(text.data, "if (list0 && list0 != made) {"),
               *place = strstr(text.data, "list0 = made;");
    assert_true(call && gone && place && call < gone && gone < place);
    base_buffer_done(&text);
    api_model_done(&model);
}

/* An iterator belongs to the list that it came from: it is used with that one alone, and not after
 * the list has another. */
static void what_is_lent_belongs_to_its_owner(void **state) {
    (void)state;
    struct api_model model;
    struct api_alive alive = {0};
    int found[API_ARGUMENTS];
    static struct ir_type record = {.kind = IR_TYPE_STRUCT, .name = "item", .size = 8},
                          item = {.kind = IR_TYPE_POINTER, .size = 8, .element = &record};
    static const struct ir_signature first = {.name = "list_first", .result = &item},
                                     next = {.name = "list_next"};
    make_model(&model);
    struct api_parameter list = model.functions.data[2].parameters[0], lent = list;
    lent.type = &item;
    lent.handle = 1;
    base_push(
        &model.types,
        (struct api_type){.name = "item", .type = &record, .destroyer = IR_NONE, .sizer = IR_NONE});
    base_push(&model.functions, (struct api_function){.signature = &first,
                                                      .parameters = {list},
                                                      .count = 1,
                                                      .result = API_BORROWED,
                                                      .handle = 1});
    base_push(&model.functions,
              (struct api_function){.signature = &next, .parameters = {list, lent}, .count = 2});
    api_model_number(&model);
    struct api_statement make = {.function = 0}, other = {.function = 0, .result = 1},
                         lend = {.function = 5}, use = {.function = 6};
    assert_true(api_alive_step(&alive, &model, &make, found));
    assert_true(api_alive_step(&alive, &model, &other, found));
    assert_true(api_alive_step(&alive, &model, &lend, found));
    assert_true(api_alive_step(&alive, &model, &use, found));
    use.arguments[0].pick = 1;
    assert_false(api_alive_step(&alive, &model, &use, found)); /* the other list's */
    use.arguments[0].pick = 0;
    assert_true(api_alive_step(&alive, &model, &make, found)); /* in the place of its owner */
    assert_false(api_alive_step(&alive, &model, &use, found));
    api_model_done(&model);
}

/* Costs at 16, 32, ... and at sizes half-way to the next one. */
static void judge(double (*cost)(double), struct api_series *series) {
    struct measure_point others[API_POINTS];
    *series = (struct api_series){.count = 9};
    for (size_t i = 0; i < series->count; i++) {
        int64_t n = 16 << i;
        series->points[i] = (struct measure_point){n, cost((double)n)};
        others[i] = (struct measure_point){n + n / 2, cost((double)n * 1.5)};
    }
    measure_growth_fit(series->points, series->count, &series->growth);
    api_confirm_with(series, others, series->count);
}

static double quadratic(double n) {
    return 3 * n * n + 20;
}
static double at_powers(double n) { /* a table that is full at powers of two only */
    return log2(n) == floor(log2(n)) ? 10 * n : 12;
}
static double uneven_linear(double n) { /* more by how many digits are shared */
    return 8 * n * (1 + 0.2 * fmod(log10(n), 1));
}
static double turning_tree(double n) {
    return 40 * floor(log2(n)) + (fmod(n, 3) == 0 ? 9 : 0);
}
static double resized(double n) { /* n calls, of which some copy all */
    return 10 * n + 4 * exp2(floor(log2(n) / 2) * 2);
}

static void laws_hold_at_other_sizes(void **state) {
    (void)state;
    struct api_series series;
    judge(quadratic, &series);
    assert_true(series.is_confirmed);
    assert_true(measure_is_superlinear(&series.growth));
    judge(at_powers, &series);
    assert_int_equal(series.growth.kind, MEASURE_GROWTH_LINEAR);
    assert_false(series.is_confirmed);
    judge(uneven_linear, &series);
    assert_true(series.is_confirmed);
    assert_int_equal(series.growth.kind, MEASURE_GROWTH_LINEAR);
    judge(turning_tree, &series);
    assert_true(series.is_confirmed);
    assert_int_equal(series.growth.kind, MEASURE_GROWTH_SUBLINEAR);
    judge(resized, &series);
    assert_false(series.is_confirmed && series.growth.kind == MEASURE_GROWTH_LINEAR_LOG);
}

/* list_all crashes, the others do not; list_new is in all sequences. */
static void what_crashes_is_avoided(void **state) {
    (void)state;
    struct api_model model;
    struct api_random random = {1};
    make_model(&model);
    struct api_search search = {.model = &model};
    for (unsigned round = 0; round < 400; round++) {
        struct api_sequence sequence;
        uint32_t function = round % 2 ? 2 : round % 8 ? 4 : 3;
        if (model.functions.data[function].is_avoided)
            function = 2;
        api_sequence_make(&model, &random, function, &sequence);
        bool crashes = false;
        for (uint32_t i = 0; i < sequence.count; i++)
            crashes |= sequence.statements[i].function == 3;
        assert_false(crashes && model.functions.data[3].is_avoided);
        search.evaluations++;
        api_search_blame(&search, &sequence, crashes);
    }
    for (uint32_t i = 0; i < model.functions.count; i++)
        assert_int_equal(model.functions.data[i].is_avoided, i == 3);
    free(search.blame);
    base_vector_done(&model.functions);
    base_vector_done(&model.types);
    base_vector_done(&model.called);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bred_sequences_are_whole),
                                       cmocka_unit_test(bytes_and_back),
                                       cmocka_unit_test(a_recipe_is_c),
                                       cmocka_unit_test(a_handle_is_replaced_after_the_call),
                                       cmocka_unit_test(what_is_lent_belongs_to_its_owner),
                                       cmocka_unit_test(laws_hold_at_other_sizes),
                                       cmocka_unit_test(what_crashes_is_avoided)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
