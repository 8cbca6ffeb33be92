/* SPDX-License-Identifier: Apache-2.0
 *
 * Does a library function cost the same in both builds? Every function of abi/library.def that has
 * a version of ours is called with random arguments (library_calls.c): in the measuring build, and
 * in the symbolic build with all bytes of the input symbolic, half of them, and none. The
 * instructions and the bytes charged must be the same, and so must what was asked from the heap.
 *
 * Nothing has to be taken off: the symbolic build counts the program's own blocks only, neither
 * the runtime nor a driver. Set SEED for other arguments.
 */
#include "ir/facts.h"
#include "measure/measure.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>

#define ROOM 24 /* as in library_calls.c */
#define INPUT_SIZE (8 + 2 * ROOM)
#define ROUNDS 24 /* for each function */

struct function {
    const char *name;
    bool is_charged; /* else nothing but its call counts */
};

/* The list itself: a new row has to have a call. */
static const struct function functions[] = {
#define INLINE(name) {#name, true},
#define MODELLED(name) {#name, false},
#include "abi/library.def"
};

#define COUNT (BASE_COUNT(functions) * ROUNDS)

struct outcome {
    uint64_t cost, bytes, allocated, peak;
};

/* Which bytes of the input are symbolic. */
enum symbolic { ALL, HALF, NONE };

struct runs {
    enum symbolic symbolic; /* of those under way */
    uint8_t data[COUNT][INPUT_SIZE];
    struct target_input inputs[COUNT];
    struct abi_result results[COUNT];
    struct outcome measured[COUNT], traced[COUNT];
};

/* ---- inputs ---- */

static uint64_t random_state;

static unsigned pick(unsigned below) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 20) % below;
}

/* Texts of few characters, so that things are found and words are equal. */
static void fill_text(uint8_t *text, const char *letters) {
    unsigned length = pick(3) ? pick(ROOM + 1) : pick(4);
    for (unsigned i = 0; i < length; i++)
        text[i] = (uint8_t)letters[pick((unsigned)strlen(letters))];
    for (unsigned i = length; i < ROOM; i++)
        text[i] = pick(2) ? 0 : (uint8_t)letters[0];
    text[length < ROOM ? length : ROOM - 1] = 0;
}

static void fill_input(uint8_t *data, unsigned function) {
    static const char *const alphabets[] = {
        "a",    "ab",           "aAbB",           "01",         " \t-+0123456789xXfF",
        "a,; ", "\x80\xff~Zz[", "0123456789.e-+", "infatyxp.1e"};
    const char *letters = alphabets[pick(BASE_COUNT(alphabets))];
    data[0] = (uint8_t)function;
    for (unsigned i = 1; i < 8; i++)
        data[i] = (uint8_t)pick(256);
    if (pick(4))
        data[4] = (uint8_t)letters[pick((unsigned)strlen(letters) + 1)];
    fill_text(data + 8, letters);
    fill_text(data + 8 + ROOM, pick(4) ? letters : ",; ");
    if (pick(4) == 0) /* an equal start */
        memcpy(data + 8 + ROOM, data + 8, pick(ROOM));
}

static struct runs *make_runs(void) {
    struct runs *runs = base_alloc(sizeof *runs);
    for (unsigned i = 0; i < COUNT; i++) {
        fill_input(runs->data[i], i / ROUNDS);
        runs->inputs[i] = (struct target_input){runs->data[i], INPUT_SIZE};
    }
    return runs;
}

/* ---- the builds ---- */

static struct target *open_target(enum instrument_kind kind, bool concrete, const char *builtins) {
    static const char *const paths[] = {TEST_SOURCES "/test/unit/library_calls.c"};
    const char *const cflags[] = {"-I" TEST_SOURCES "/src", builtins};
    struct target_options options = {.paths = paths,
                                     .path_count = 1,
                                     .cflags = cflags,
                                     .cflag_count = 2,
                                     .limits = {.seconds = 10, .memory = 1 << 30},
                                     .kind = kind,
                                     .concrete = concrete};
    struct base_error error = {0};
    struct target *target = target_open(&options, &error);
    if (!target)
        fail_msg("%s", error.message);
    return target;
}

/* Costs are told in any case; all else only when something is symbolic. */
static bool has_expression(const struct abi_trace *header) {
    const struct abi_node *nodes = (const struct abi_node *)(header + 1);
    const struct abi_event *events = (const struct abi_event *)(nodes + header->node_count);
    for (uint32_t i = 0; i < header->event_count; i++)
        if (events[i].kind != ABI_EVENT_COST)
            return true;
    return false;
}

/* `instructions`, and the bytes in it. */
static void set_weights(struct target *target) {
    struct measure_weights weights;
    struct measure measure = {0};
    struct base_error error = {0};
    measure_weights_init(&weights);
    if (!measure_parse("instructions", target_facts(target), &measure, &error))
        fail_msg("%s", error.message);
    measure_apply(&measure, &weights, target);
    uint32_t slots = target_facts(target)->block_count + 1;
    uint32_t *bytes = base_alloc(slots * sizeof *bytes);
    bytes[0] = 1;
    target_set_weights(target, MEASURE_CHOSEN, bytes);
    free(bytes);
    measure_done(&measure);
    measure_weights_done(&weights);
}

static void measure_all(struct runs *runs, const char *builtins) {
    struct target *target = open_target(INSTRUMENT_MEASURE, false, builtins);
    struct base_error error = {0};
    set_weights(target);
    assert_true(target_run(target, runs->inputs, COUNT, runs->results, &error));
    for (size_t i = 0; i < COUNT; i++) {
        const struct abi_result *result = &runs->results[i];
        if (result->status != ABI_STATUS_OK)
            fail_msg("%s ends with status %u, signal %u", functions[i / ROUNDS].name,
                     (unsigned)result->status, result->signal);
        runs->measured[i] = (struct outcome){result->weighted[MEASURE_INSTRUCTIONS],
                                             result->weighted[MEASURE_CHOSEN],
                                             result->costs.allocated, result->costs.peak};
    }
    target_close(target);
}

static void keep_trace(size_t index, const struct abi_result *result, const void *trace,
                       size_t trace_size, void *context) {
    struct runs *runs = context;
    const struct abi_trace *header = trace;
    if (result->status != ABI_STATUS_OK)
        fail_msg("%s ends with status %u, signal %u", functions[index / ROUNDS].name,
                 (unsigned)result->status, result->signal);
    assert_true(trace && trace_size >= sizeof *header && !header->flags);
    if (runs->symbolic != HALF)
        assert_true(has_expression(header) == (runs->symbolic != NONE));
    runs->traced[index] = (struct outcome){
        .cost = header->cost, .allocated = result->costs.allocated, .peak = result->costs.peak};
}

static void trace_all(struct runs *runs, enum symbolic symbolic, const char *builtins) {
    struct target *target = open_target(INSTRUMENT_SYMBOLIC, symbolic == NONE, builtins);
    uint8_t fixed[INPUT_SIZE / 8] = {0x55, 0xaa, 0x3c, 0xf0, 0x66, 0xc3, 0x99};
    struct target_aim aim = {.fixed = fixed, .bytes = INPUT_SIZE};
    struct base_error error = {0};
    runs->symbolic = symbolic;
    if (symbolic == HALF)
        target_set_aim(target, &aim);
    assert_true(target_run_traced(target, runs->inputs, COUNT, keep_trace, runs, &error));
    target_close(target);
}

/* ---- comparing ---- */

static void print_input(const uint8_t *data) {
    for (unsigned i = 0; i < INPUT_SIZE; i++)
        print_error("%02x%s", data[i], i == 7 || i == 7 + ROOM ? " " : "");
    print_error("\n");
}

static unsigned compare_all(const struct runs *runs) {
    static const char *const names[] = {"symbolic", "half symbolic", "concrete"};
    unsigned failures = 0;
    for (size_t i = 0; i < COUNT; i++) {
        const struct outcome *measured = &runs->measured[i], *traced = &runs->traced[i];
        if (measured->cost == traced->cost && measured->allocated == traced->allocated &&
            measured->peak == traced->peak)
            continue;
        if (failures++ < 20) {
            print_error("%s, %s: cost %llu (%llu bytes) and %llu, heap %llu and %llu, input ",
                        functions[i / ROUNDS].name, names[runs->symbolic],
                        (unsigned long long)measured->cost, (unsigned long long)measured->bytes,
                        (unsigned long long)traced->cost, (unsigned long long)measured->allocated,
                        (unsigned long long)traced->allocated);
            print_input(runs->data[i]);
        }
    }
    return failures;
}

/* Functions are charged for bytes, or none of their calls is. */
static void check_bytes(const struct runs *runs) {
    for (size_t f = 0; f < BASE_COUNT(functions); f++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < ROUNDS; i++)
            sum += runs->measured[f * ROUNDS + i].bytes;
        if ((sum > 0) != functions[f].is_charged)
            fail_msg("%s is charged %llu bytes", functions[f].name, (unsigned long long)sum);
    }
}

static void check_costs(const char *builtins) {
    struct runs *runs = make_runs();
    unsigned failures = 0;
    measure_all(runs, builtins);
    check_bytes(runs);
    for (enum symbolic symbolic = ALL; symbolic <= NONE; symbolic++) {
        trace_all(runs, symbolic, builtins);
        failures += compare_all(runs);
    }
    assert_int_equal(failures, 0);
    free(runs);
}

/* The test command runs this twice, with few rounds under sanitizers and with more in the ordinary
 * build: half of it each. */
static bool is_part(bool few) {
    const char *rounds = getenv("SLOWPATH_ROUNDS");
    return !rounds || (atoi(rounds) < 2) == few;
}

static void test_calls(void **state) {
    (void)state;
    if (is_part(true))
        check_costs("-fno-builtin");
}

/* LLVM makes some calls instructions of its own. */
static void test_intrinsics(void **state) {
    (void)state;
    if (is_part(false))
        check_costs("-fbuiltin");
}

int main(void) {
    const char *given = getenv("SEED");
    random_state = given ? strtoull(given, NULL, 0) : 1;
    print_message("SEED=%llu\n", (unsigned long long)random_state);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls),
                                       cmocka_unit_test(test_intrinsics)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
