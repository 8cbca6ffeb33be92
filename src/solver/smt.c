/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything no faster stage knows: the slice of the question as bit-vectors, for Z3. Only this
 * file and its terms use Z3. Questions of one trace share most conditions: each is asserted once,
 * behind a guard, and a question lists the guards that hold, so that Z3 keeps what it has learned
 * (for orders: three times faster). Products and tables profit more from Z3's preprocessing (six
 * times), which is incompatible with guards: such questions are asked from scratch. The translated
 * terms (terms.c) are kept in any case. A time-out, an error or a model that cannot be read is
 * "unknown", never an abort.
 */
#include "solver/smt.h"

#include <math.h>
#include <stdlib.h>

#define MAX_GUARDED 2000
#define CONTEXT_TERMS 200000 /* then start a new context, and free the old one's memory */

struct smt *smt_state(struct solver *solver) {
    return solver->states[SOLVER_STAGE_SMT];
}

static void on_error(Z3_context context, Z3_error_code code) {
    (void)context;
    (void)code; /* the failed call returns NULL or unknown; see failed() */
}

static bool failed(const struct smt *smt) {
    return Z3_get_error_code(smt->context) != Z3_OK;
}

static Z3_solver new_engine(struct smt *smt, const char *logic) {
    Z3_solver engine =
        Z3_mk_solver_for_logic(smt->context, Z3_mk_string_symbol(smt->context, logic));
    Z3_solver_inc_ref(smt->context, engine);
    Z3_params params = Z3_mk_params(smt->context); /* we handle Ctrl-C, even while Z3 works */
    Z3_params_inc_ref(smt->context, params);
    Z3_params_set_bool(smt->context, params, Z3_mk_string_symbol(smt->context, "ctrl_c"), false);
    Z3_solver_set_params(smt->context, engine, params);
    Z3_params_dec_ref(smt->context, params);
    return engine;
}

/* Starting Z3 takes milliseconds, so the first question does it. */
static void start(struct smt *smt) {
    if (smt->context)
        return;
    Z3_config config = Z3_mk_config();
    smt->context = Z3_mk_context(config);
    smt->made = 0;
    smt->guarded = 0;
    smt->has_plain = false;
    smt->engine_stamp++;
    Z3_del_config(config);
    Z3_set_error_handler(smt->context, on_error);
    smt->engine = smt->vectors = new_engine(smt, "QF_BV");
    smt->floats = new_engine(smt, "QF_BVFP");
    if (!smt->caller)
        smt->caller = caller_new();
}

static void *create(struct solver *solver) {
    (void)solver;
    struct smt *smt = base_alloc(sizeof *smt);
    smt->cores = cores_new();
    return smt;
}

static void stop(struct smt *smt) {
    if (!smt->context)
        return;
    Z3_solver_dec_ref(smt->context, smt->vectors);
    Z3_solver_dec_ref(smt->context, smt->floats);
    Z3_del_context(smt->context);
    smt->context = NULL;
}

static void destroy(void *state) {
    struct smt *smt = state;
    if (!smt->context || !smt->caller || !caller_takes_over(smt->caller, smt->context)) {
        stop(smt);
        caller_free(smt->caller);
    }
    base_vector_done(&smt->used);
    base_vector_done(&smt->stack);
    base_vector_done(&smt->assertions);
    base_vector_done(&smt->variables);
    base_vector_done(&smt->guards);
    base_vector_done(&smt->in_core);
    cores_free(smt->cores);
    free(smt->terms);
    free(smt);
}

static void forget(struct smt *smt) {
    Z3_solver_reset(smt->context, smt->engine);
    smt->guarded = 0;
    smt->has_plain = false;
    smt->engine_stamp++;
}

static void begin(struct solver *solver) {
    struct smt *smt = smt_state(solver);
    cores_begin(smt->cores);
    if (solver->keeps && smt->keeping == solver->keeping && smt->made <= CONTEXT_TERMS)
        return;
    smt->keeping = solver->keeping;
    terms_clear(smt);
    if (smt->context && (smt->guarded || smt->has_plain))
        forget(smt);
    if (smt->made > CONTEXT_TERMS)
        stop(smt);
}

static bool add(struct solver *solver, uint32_t condition) {
    (void)solver;
    (void)condition;
    return true;
}

/* ---- one check ---- */

/* Checked now and then, while conditions are translated and asserted. */
static bool is_late(const struct solver *solver, size_t number) {
    return number % 256 == 255 && solver_is_over(solver);
}

/* The Boolean constant that tracks condition i in a question with core. */
static Z3_ast tracker(struct smt *smt, size_t i) {
    Z3_symbol symbol = Z3_mk_int_symbol(smt->context, (int)i);
    return Z3_mk_const(smt->context, symbol, Z3_mk_bool_sort(smt->context));
}

/* Asserts all conditions and nothing else; with TRACK each has a name for the core. */
static bool assert_afresh(struct solver *solver, struct smt *smt, const uint32_t *conditions,
                          size_t count, bool track) {
    forget(smt);
    smt->has_plain = true;
    for (size_t i = 0; i < count; i++) {
        Z3_ast term = terms_of_node(solver, smt, conditions[i]);
        if (!term || is_late(solver, i))
            return false;
        if (track)
            Z3_solver_assert_and_track(smt->context, smt->engine, term, tracker(smt, i));
        else
            Z3_solver_assert(smt->context, smt->engine, term);
    }
    return !failed(smt);
}

/* Chooses the engine; anything that needs floating point is hard. True: ask from scratch. */
static bool any_is_hard(struct solver *solver, struct smt *smt, const uint32_t *conditions,
                        size_t count) {
    bool hard = false, floats = false;
    for (size_t i = 0; i < count && !is_late(solver, i); i++) {
        bool is_known = terms_of_node(solver, smt, conditions[i]);
        hard |= is_known && smt->terms[conditions[i]].is_hard;
        floats |= is_known && smt->terms[conditions[i]].has_floats;
    }
    smt->engine = floats ? smt->floats : smt->vectors;
    return hard;
}

static Z3_ast guard_of(struct solver *solver, struct smt *smt, uint32_t condition) {
    Z3_ast term = terms_of_node(solver, smt, condition);
    struct term *entry = term ? &smt->terms[condition] : NULL;
    if (!entry || entry->known == smt->engine_stamp)
        return entry ? entry->guard : NULL;
    entry->guard = Z3_mk_fresh_const(smt->context, "guard", Z3_mk_bool_sort(smt->context));
    entry->known = smt->engine_stamp;
    smt->guarded++;
    Z3_solver_assert(smt->context, smt->engine, Z3_mk_implies(smt->context, entry->guard, term));
    return entry->guard;
}

static bool guard_all(struct solver *solver, struct smt *smt, const uint32_t *conditions,
                      size_t count) {
    if (smt->has_plain || smt->guarded > MAX_GUARDED)
        forget(smt);
    smt->guards.count = 0;
    for (size_t i = 0; i < count; i++) {
        Z3_ast guard = guard_of(solver, smt, conditions[i]);
        if (!guard || is_late(solver, i))
            return false;
        base_push(&smt->guards, guard);
    }
    return !failed(smt);
}

static void read_core(struct smt *smt, size_t count, bool *core) {
    for (size_t i = 0; i < count; i++)
        core[i] = false;
    Z3_ast_vector vector = Z3_solver_get_unsat_core(smt->context, smt->engine);
    Z3_ast_vector_inc_ref(smt->context, vector);
    for (unsigned i = 0; i < Z3_ast_vector_size(smt->context, vector); i++) {
        Z3_ast name = Z3_ast_vector_get(smt->context, vector, i);
        Z3_func_decl decl = Z3_get_app_decl(smt->context, Z3_to_app(smt->context, name));
        int number = Z3_get_symbol_int(smt->context, Z3_get_decl_name(smt->context, decl));
        if (number >= 0 && (size_t)number < count)
            core[number] = true;
    }
    Z3_ast_vector_dec_ref(smt->context, vector);
}

/* Notes the conditions that Z3 needed; it does not report those without guards. */
static void note_core(struct smt *smt, const struct call *call, size_t count) {
    Z3_ast_vector vector = Z3_solver_get_unsat_core(smt->context, smt->engine);
    Z3_ast_vector_inc_ref(smt->context, vector);
    unsigned size = call->guards ? Z3_ast_vector_size(smt->context, vector) : 0;
    smt->in_core.count = 0;
    for (size_t i = 0; i < count; i++) {
        bool needed = !call->guards;
        for (unsigned k = 0; k < size && !needed; k++)
            needed = Z3_ast_vector_get(smt->context, vector, k) == smt->guards.data[i];
        base_push(&smt->in_core, needed);
    }
    Z3_ast_vector_dec_ref(smt->context, vector);
}

/* A variable's value in the model; the current input's if the model has none. */
static void read_variable(struct solver *solver, struct smt *smt, Z3_model model, uint32_t variable,
                          struct question *question) {
    Z3_ast constant = terms_of_node(solver, smt, expr_variable_node(solver->pool, variable));
    Z3_ast value = NULL;
    uint64_t number = 0;
    if (!Z3_model_eval(smt->context, model, constant, false, &value) || !value)
        return;
    if (!Z3_is_numeral_ast(smt->context, value) ||
        !Z3_get_numeral_uint64(smt->context, value, &number))
        return;
    if (number != solver_current(solver, variable))
        base_push(&question->changes, (struct change){variable, number});
}

static void read_model(struct solver *solver, struct smt *smt, const uint32_t *conditions,
                       size_t count, struct question *question) {
    Z3_model model = Z3_solver_get_model(smt->context, smt->engine);
    if (!model)
        return;
    Z3_model_inc_ref(smt->context, model);
    smt->stamp++;
    for (size_t i = 0; i < count; i++) {
        struct expr_variables list = expr_variables(solver->pool, conditions[i]);
        for (uint32_t k = 0; k < list.count; k++) {
            struct term *term = &smt->terms[expr_variable_node(solver->pool, list.numbers[k])];
            if (term->read == smt->stamp)
                continue;
            term->read = smt->stamp;
            read_variable(solver, smt, model, list.numbers[k], question);
        }
    }
    Z3_model_dec_ref(smt->context, model);
}

/* Passes the conditions to Z3; CALL becomes what to check then. */
static bool prepare(struct solver *solver, struct smt *smt, const uint32_t *conditions,
                    size_t count, const bool *core, struct call *call) {
    bool is_hard = any_is_hard(solver, smt, conditions, count); /* chooses the engine */
    *call = (struct call){.context = smt->context, .engine = smt->engine};
    if ((core && !solver->keeps) || is_hard)
        return assert_afresh(solver, smt, conditions, count, core != NULL);
    if (!guard_all(solver, smt, conditions, count))
        return false;
    call->guards = smt->guards.data;
    call->guard_count = smt->guards.count;
    return true;
}

/* The context is not used again: it was interrupted, or left behind. */
static enum solver_answer give_up(struct smt *smt, enum caller_end end) {
    terms_clear(smt);
    if (end == CALLER_LEFT) {
        smt->context = NULL;
        smt->caller = NULL;
    } else
        stop(smt);
    return SOLVER_UNKNOWN;
}

static enum solver_answer run(struct solver *solver, struct smt *smt, const uint32_t *conditions,
                              size_t count, struct question *question, bool *core) {
    unsigned milliseconds = solver->options.timeout_ms;
    double seconds = milliseconds ? milliseconds / 1000.0 : HUGE_VAL;
    struct call call;
    start(smt);
    if (!smt->caller || !prepare(solver, smt, conditions, count, core, &call))
        return SOLVER_UNKNOWN;
    enum caller_end end = caller_check(smt->caller, &call, solver, seconds);
    if (end != CALLER_ANSWERED)
        return give_up(smt, end);
    if (call.result == Z3_L_TRUE)
        read_model(solver, smt, conditions, count, question);
    if (call.result == Z3_L_FALSE && core && !call.guards)
        read_core(smt, count, core);
    else if (call.result == Z3_L_FALSE)
        note_core(smt, &call, count);
    for (size_t i = 0; call.result == Z3_L_FALSE && core && call.guards && i < count; i++)
        core[i] = smt->in_core.data[i];
    if (failed(smt) || call.result == Z3_L_UNDEF)
        return SOLVER_UNKNOWN;
    return call.result == Z3_L_TRUE ? SOLVER_SAT : SOLVER_UNSAT;
}

enum solver_answer smt_check(struct solver *solver, const uint32_t *conditions, size_t count,
                             struct question *question, bool *core) {
    double began = base_seconds();
    if (solver_is_over(solver))
        return SOLVER_UNKNOWN;
    enum solver_answer answer = run(solver, smt_state(solver), conditions, count, question, core);
    solver->statistics.smt_seconds += base_seconds() - began;
    return answer;
}

void smt_print(struct solver *solver, const uint32_t *conditions, size_t count,
               struct base_buffer *out) {
    for (size_t i = 0; i < count; i++) {
        expr_print(solver->pool, conditions[i], NULL, NULL, out);
        base_buffer_print(out, "\n");
    }
}

static enum solver_answer ask(struct solver *solver, struct question *question) {
    struct smt *smt = smt_state(solver);
    slice_gather(solver, question->conditions, question->count, &smt->assertions, &smt->variables);
    size_t count = smt->assertions.count;
    if (cores_refuse(solver, smt->cores, question, smt->assertions.data, count)) {
        solver->statistics.refused_again++;
        return SOLVER_UNSAT;
    }
    for (size_t i = 0; i < question->count; i++)
        base_push(&smt->assertions, question->conditions[i]);
    enum solver_answer answer =
        smt_check(solver, smt->assertions.data, smt->assertions.count, question, NULL);
    if (answer == SOLVER_UNSAT)
        cores_learn(solver, smt->cores, question, smt->assertions.data, count, smt->in_core.data);
    return answer;
}

const struct stage smt_stage = {
    .create = create, .destroy = destroy, .begin = begin, .add = add, .ask = ask};
