/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the beam share: states, the origins they start from, and how the frontier is
 * cut into clusters.
 */
#ifndef SLOWPATH_SEARCH_BEAM_H
#define SLOWPATH_SEARCH_BEAM_H

#include "search/core/core.h"

/* ---- cluster.c: pure arithmetic on gaps ---- */

/* Cuts STATES states, where gaps[I] is the distance of neighbours I and I + 1, at the largest gaps
 * into at most CLUSTERS clusters; gaps of LEAST or less are not cut. STARTS (CLUSTERS places) gets
 * the first state of each. Returns the number of clusters; *SMALLEST is the smallest gap that was
 * cut, UINT32_MAX if there is none. Linear in the states and the largest gap. */
size_t beam_cut(const uint32_t *gaps, size_t states, size_t clusters, uint32_t least,
                size_t *starts, uint32_t *smallest);
/* Are clusters whose smallest gap is this far enough apart? More than LOOKAHEAD / CLUSTERS. */
bool beam_is_diverse(uint32_t smallest, uint32_t lookahead, size_t clusters);

/* ---- states and origins ---- */

#define BEAM_WINDOW ((size_t)64 << 10) /* bytes of the input that are symbolic at one time */

/* An input shared by others that differ from it only at their beginning; a pass has one. */
struct beam_ground {
    uint8_t *bytes;
    size_t users;
};
struct beam_ground *beam_ground_new(size_t size);
struct beam_ground *beam_ground_share(struct beam_ground *ground);
void beam_ground_drop(struct beam_ground *ground); /* NULL is fine */

/* Where an episode starts: an input whose path so far is fixed. */
struct beam_origin {
    struct beam_ground *ground;
    uint8_t *head;       /* the first bytes, up to the end of the window; the ground's follow */
    size_t first, count; /* the window: only its bytes may be symbolic, those before it are fixed */
    uint8_t *fixed;      /* a bit for each byte of it: concrete, the path so far depends on it */
    uint64_t *words;     /* the outcomes of the decisions that were fixed */
    uint32_t depth;      /* how many those are */
    uint64_t name; /* identifies what the inputs of its states have in common: all concrete bytes */
    double cost;   /* of its whole input; 0: not run yet */
};

/* The end of a path prefix. */
struct beam_state {
    uint64_t *words;  /* outcomes of its decisions after those of its origin */
    uint8_t *bytes;   /* of the origin's window; with its other bytes they take that path */
    uint32_t origin;  /* number of its origin */
    uint32_t depth;   /* decisions, not counting those of its origin */
    uint32_t open;    /* decisions from this one on have not been changed yet */
    uint32_t bound;   /* decisions that its input was made to take */
    bool any_value;   /* the last of them fixes a value, which may be any except those in `words` */
    bool has_ended;   /* the run ended here */
    bool is_rejected; /* ... by a false assumption */
    bool moves_on; /* it has ended, but only within its window, which ends before the input does */
    bool is_expanded; /* its open decisions have been changed */
    bool is_lost;     /* its input did not take the intended path, or crashed */
    uint32_t changed; /* bytes of the window that differ from the origin's */
    uint32_t site;    /* of the decision that was changed to make it */
    double cost;      /* so far, or as --prospect says */
    double whole;     /* of the whole run of its input, if whole runs are weighed; else 0 */
    double before, before_whole; /* both, of the state it was made from */
};

struct beam_states {
    struct beam_state *data;
    size_t count, capacity;
};

struct beam_origins {
    struct beam_origin *data;
    size_t count, capacity;
};

uint64_t beam_new_name(void); /* one that no origin has had */
void beam_state_done(struct beam_state *state);
void beam_states_done(struct beam_states *states);
void beam_origins_done(struct beam_origins *origins);
/* The whole input of a state, into TO. */
void beam_compose(const struct beam_origins *origins, const struct beam_state *state,
                  size_t input_size, uint8_t *to);
/* The distance of two paths: decisions of the shorter one after their common prefix. */
uint32_t beam_gap(const struct beam_origins *origins, const struct beam_state *a,
                  const struct beam_state *b);
/* Depth-first order: by decisions. */
void beam_sort(const struct beam_origins *origins, struct beam_states *states);

/* ---- guess.c: bytes that the path does not depend on yet ---- */

struct beam_guess;
/* WINDOW: size and ranges of the symbolic bytes; borrowed, may change. */
struct beam_guess *beam_guess_new(const struct search_layout *window);
void beam_guess_free(struct beam_guess *guess);
void beam_guess_begin(struct beam_guess *guess, struct expr_pool *pool, const uint8_t *input,
                      size_t size);
void beam_guess_assert(struct beam_guess *guess, uint32_t condition);
/* True: MODEL satisfies all that was asserted and CONDITION. */
bool beam_guess_ask(struct beam_guess *guess, uint32_t condition, uint8_t *model);
#define BEAM_EARLIER 3u
/* Notes a value that the path has fixed: an address or size. */
void beam_guess_note(struct beam_guess *guess, uint64_t value);
/* Noted values other than CURRENT that EXPR can have, most frequent first, at most MOST (up to
 * BEAM_EARLIER). */
size_t beam_guess_earlier(struct beam_guess *guess, uint32_t expr, uint64_t current,
                          uint64_t *values, size_t most);

/* ---- solve.c: a solver limited to its share of the time ---- */

struct beam_solver;
struct beam_solver *beam_solver_new(struct search *search);
void beam_solver_free(struct beam_solver *solver);
void beam_solver_set_ranges(struct beam_solver *solver, const struct search_layout *layout);
/* These are like those of solver.h. */
void beam_solver_begin(struct beam_solver *solver, struct expr_pool *pool, const uint8_t *input,
                       size_t size);
void beam_solver_assert(struct beam_solver *solver, uint32_t condition);
/* True: MODEL satisfies all that was asserted and CONDITION. */
bool beam_solver_ask(struct beam_solver *solver, uint32_t condition, uint8_t *model,
                     struct search_counters *counters);
void beam_solver_note_guess(struct beam_solver *solver); /* a state was found without it */
struct solver_statistics beam_solver_statistics(const struct beam_solver *solver);

/* How a state is valued: as the user says, unless only whole runs tell. */
static inline enum search_prospect beam_prospect(const struct search *search) {
    return search->subject.prices.is_partial ? SEARCH_WHOLE : search->options.beam.prospect;
}

/* ---- run.c: results of runs ---- */

struct beam_runner; /* workers with their solvers */
struct beam_runner *beam_runner_new(struct search *search, const struct beam_origins *origins);
void beam_runner_free(struct beam_runner *runner);
/* From now on beam_look also runs whole inputs in the measuring build: `whole` of the states. */
void beam_weigh_whole(struct beam_runner *runner, bool weighs);

/* What the walk has cost so far, as far as the measure is known during a run. */
double beam_cost_so_far(const struct search *search, const struct search_walk *walk);
/* Runs each state up to LIMIT decisions after its origin and fills in words, depth and cost. */
bool beam_look(struct beam_runner *runner, struct beam_state *states, size_t count, uint32_t limit,
               struct base_error *error);
/* Asks for inputs that take other directions at the open decisions; CHILDREN gets them, in order.
 */
bool beam_expand(struct beam_runner *runner, struct beam_state **states, size_t count,
                 uint32_t limit, struct beam_states *children, struct base_error *error);
/* Adds to FIXED[i] the bits of the bytes of the window that the path of state i depends on. */
bool beam_support(struct beam_runner *runner, struct beam_state *states, size_t count,
                  uint8_t **fixed, struct base_error *error);

/* ---- share.c: batches run on another rank ---- */

bool beam_serve(struct search *search, size_t worker, const char *piece, size_t size,
                struct base_buffer *answer, struct base_error *error);

/* ---- select.c: which states go on, and which tests are kept ---- */

/* A path that was run to its end and measured. */
struct beam_test {
    struct beam_ground *ground;
    uint8_t *head; /* its first HEAD_SIZE bytes; those of the ground follow */
    size_t head_size;
    uint64_t *words;
    uint32_t depth;
    bool is_unfollowed; /* it was only measured: its decisions are unknown */
    double cost;
    struct abi_result result;
};

struct beam_finished {
    struct beam_test *data;
    size_t count, capacity;
};

/* Ways to fill a region of an input, see fill.c. */
enum beam_fill_kind {
    BEAM_REPEATED,
    BEAM_SHIFTED,
    BEAM_NUMBERED,
    BEAM_RENAMED,
    BEAM_SPACED,
    BEAM_FEW_VALUES,
    BEAM_NESTED,
    BEAM_RESAMPLED,
    BEAM_SCATTERED,
    BEAM_MOVED,
    BEAM_SWAPPED,
    BEAM_FILLS
};
/* How often each was tried, and how often that helped. */
struct beam_rates {
    double tries[BEAM_FILLS], wins[BEAM_FILLS];
};

/* What a part of the search has gained lately: growth of the highest cost, as a logarithm. SPENT is
 * in seconds or runs. */
struct beam_yield {
    double gain, spent;
};

/* See profile.c. */
struct beam_site { /* of decisions */
    double moved;  /* total change of cost by changing them, over all tries */
    uint64_t tries;
    double most;          /* the highest cost between one of them and the next decision */
    uint32_t marks, left; /* in the last survey; used while it is read */
};
struct beam_place { /* bytes of the input */
    size_t first, end;
};
struct beam_profile {
    BASE_VECTOR(struct beam_site) sites;   /* by number + 1 */
    BASE_VECTOR(struct beam_place) barren; /* where episodes found nothing */
    size_t stride;                         /* every stride-th byte is symbolic */
    uint64_t surveys;
    struct beam_origins front; /* the beam's origins while an episode runs elsewhere */
    struct beam_yield fronts, asides;
    double front_spent, aside_spent; /* by all episodes, in seconds or runs */
};

#define BEAM_STARTS 8u

/* The costliest whole input that was run; bytes NULL: none was. */
struct beam_record {
    uint8_t *bytes;
    double cost;
    struct abi_result result;
};

/* Duration and cost of recent runs; cost 0: runs are short. */
struct beam_pace {
    double seconds, cost;
};

/* The search's own state. */
struct beam {
    struct search *search;
    struct beam_runner *runner;
    struct beam_origins origins;
    struct beam_states frontier; /* in depth-first order */
    struct beam_finished finished;
    bool is_unseen;            /* the frontier was changed by spreading and not run since */
    bool is_loaded;            /* the episode resumes from a saved state */
    bool is_aside;             /* the origins are those of an episode by profile */
    uint32_t lookahead, limit; /* limit: decisions after the origins at which this level ends */
    uint32_t level, pass;
    uint64_t fixed, expected;   /* decisions: of earlier episodes; on the path of the first input */
    double first_cost;          /* of the first input; below 0: its run failed */
    size_t starts[BEAM_STARTS]; /* numbers of the costliest inputs to start from, in order */
    size_t start_count;
    double start_cost;    /* of the first of them, per byte */
    size_t cheapest;      /* number of the cheapest of all candidates */
    double cheapest_cost; /* of it, per byte */
    uint64_t level_runs;  /* budget of a level */
    uint64_t let_go;      /* states of this pass that were dropped */
    struct beam_rates rates;
    struct beam_yield levels, spreads;
    struct beam_profile profile;
    double highest; /* highest cost so far, of tests and of spread inputs */
    struct beam_pace pace;
    struct beam_record record;
    struct search_archive pool; /* inputs run before the first level, see root.c */
    struct spread *spread;      /* the spreading under way; NULL: none */
};

struct beam_clusters {
    size_t *starts; /* first state of each; after the last one, the number of states */
    uint32_t *gaps; /* between neighbours */
    size_t count;
    uint32_t smallest; /* of the gaps that were cut */
};
void beam_cluster(const struct beam *beam, const struct beam_states *states, size_t count,
                  struct beam_clusters *clusters);
void beam_clusters_done(struct beam_clusters *clusters);
/* The costliest state so far of a cluster, and the one whose whole run costs most; may be the same.
 */
struct beam_pair {
    size_t so_far, whole;
};
struct beam_pair beam_best(const struct beam_states *states, size_t first, size_t end);
/* Keeps only these of each cluster, in order; returns how many were dropped. */
size_t beam_select(struct beam_states *states, const struct beam_clusters *clusters);

/* ---- whole.c: runs of whole inputs; any thread may call these ---- */

/* Notes that a run of this cost took as long as RESULT says. */
void beam_note_pace(struct beam *beam, double cost, const struct abi_result *result);
/* The same for a whole input that ended normally: it may be the new record. */
void beam_note_whole(struct beam *beam, const uint8_t *bytes, double cost,
                     const struct abi_result *result);
double beam_record_cost(struct beam *beam);              /* 0: there is no record */
double beam_run_seconds(struct beam *beam, double cost); /* of a run of this cost */
/* Is there time to run an input of about this cost, and to run it again as a test of the suite? */
bool beam_has_time(struct beam *beam, double cost);
void beam_note_again(struct beam *beam); /* the number of finished tests has changed */

/* ---- root.c: the input to start from ---- */

/* Writes the first SIZE bytes of starting input NUMBER: zeros, a seed or a style. */
void beam_make_start(const struct search *search, size_t number, uint8_t *to, size_t size);
bool beam_choose_root(struct beam *beam, uint8_t *root, struct base_error *error);

/* ---- episode.c: origins ---- */

/* Begins a pass: one origin of which nothing is fixed. SECONDS: time for finding the first one,
 * besides comparing the starts. */
bool beam_begin(struct beam *beam, double seconds, struct base_error *error);
/* Turns the states of the frontier into origins with concrete paths. */
bool beam_begin_episode(struct beam *beam, struct base_error *error);

/* An origin with a window from FIRST on, of which only the path up to there is fixed. It has the
 * input of FROM, and bytes that are fixed in FROM stay fixed. */
struct beam_origin beam_look_behind(const struct beam *beam, const struct beam_origin *from,
                                    size_t first);

/* The frontier becomes the origins themselves. */
void beam_begin_frontier(struct beam *beam);

/* ---- level.c: one step of all states ---- */

/* Extends the states of the frontier and keeps the promising ones. IS_LAST: clusters even if they
 * are not diverse. */
bool beam_run_level(struct beam *beam, bool is_last, struct base_error *error);
/* Are whole runs cheap enough to run all states to the end? */
bool beam_weighs_whole(const struct beam *beam);
void beam_count_pruned(struct beam *beam, size_t count);
bool beam_all_move_on(const struct beam_states *states);
uint32_t beam_deepest(const struct beam_states *states);

/* ---- spread.c: filling the rest of the input like what was found ---- */

/* Fills the open bytes of the origins with whatever raises their cost, within SECONDS (0: no
 * limit). Afterwards the frontier is the origins again. */
bool beam_spread(struct beam *beam, double seconds, struct base_error *error);

/* Origins whose whole input costs less than the record take over its open bytes if that raises
 * their cost. */
bool beam_adopt_record(struct beam *beam, struct base_error *error);

/* ---- profile.c: episodes where decisions move cost ---- */

/* A decision was changed to make STATE, and it has been run. */
void beam_note_move(struct beam *beam, const struct beam_state *state);
/* Seconds, or runs if time is not limited, so that the search is repeatable. */
double beam_spent(const struct beam *beam);
/* Books for YIELD what was spent since BEGAN, when the record cost BEFORE. */
void beam_note_turn(struct beam *beam, struct beam_yield *yield, double began, double before);
/* Runs such episodes while it is their turn; the frontier is the origins, before and after. */
bool beam_run_profile(struct beam *beam, struct base_error *error);
void beam_profile_done(struct beam_profile *profile);

/* ---- beam.c ---- */

/* Algorithm 1: runs levels until the episode has LONGEST decisions, has used up its time or runs,
 * or no state grows. */
bool beam_run_episode(struct beam *beam, uint32_t longest, struct base_error *error);
double beam_episode_seconds(const struct beam *beam); /* time for one; 0: no limit */
/* Does the path have more decisions than there is time or runs for? (The second: runs only.) */
bool beam_is_long(const struct beam *beam);
bool beam_lacks_runs(const struct beam *beam);
uint32_t beam_place_length(const struct beam *beam); /* decisions of an episode by profile */

/* ---- save.c ---- */

void beam_save(const struct beam *beam, struct base_buffer *out);
bool beam_load(struct beam *beam, const char *data, size_t size);

/* ---- select.c ---- */

/* Measures the states (sets `whole`) and keeps them as tests. */
bool beam_finish(struct beam *beam, struct beam_states *states, struct base_error *error);
/* Keeps an origin whose whole input, BYTES, was run. */
void beam_remember_origin(struct beam *beam, size_t number, uint8_t *bytes,
                          const struct abi_result *result);
/* Drops states whose whole runs cost much less than the costliest. */
void beam_drop_worse(struct beam *beam);
/* The paths of the frontier are about to be fixed. If states were chosen without whole runs, drops
 * those that have turned a costly input into a cheap one. */
bool beam_end_episode(struct beam *beam, struct base_error *error);
/* The suite: the costliest tests that are far enough apart. */
void beam_make_suite(struct beam *beam);
void beam_finished_done(struct beam_finished *finished);
const struct beam_test *beam_costliest_test(const struct beam_finished *finished); /* NULL: none */
/* Writes the whole input of a test to TO. */
void beam_compose_test(const struct beam_test *test, size_t input_size, uint8_t *to);

#endif
