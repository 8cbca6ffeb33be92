/* SPDX-License-Identifier: Apache-2.0
 *
 * How does one command become one search on several ranks? Each rank is started with the same
 * words. They open the target, agree that all can start, and search; only rank 0 writes and prints.
 * The others send it their progress.
 */
#include "cli/ranks.h"
#include "suite/suite.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STATUS_SECONDS 0.5
#define LOOKS 60 /* tries to see the suite's folder: three seconds */

struct status {
    double seconds, best, solver_seconds;
    uint64_t runs, paths, frontier, best_size, pieces;
    char doing[16], host[48];
};

struct cli_ranks {
    const struct cluster_transport *transport;
    struct cluster *cluster;
    struct status *of; /* of each rank, as last reported */
    double told;
    /* agreeing */
    uint32_t ready;
    bool has_verdict;
    const char *same;          /* what must be equal on all ranks besides the version; or NULL */
    uint32_t warned;           /* ranks that can start, but with a warning ... */
    struct base_error warning; /* ... of which this is the first */
    uint64_t made;             /* runs of earlier sessions, which rank 0 has */
    struct base_error verdict; /* code BASE_OK: all can start */
    /* what is on disk */
    struct search *search;
    const char *out, *key;
    uint32_t before; /* the last checkpoint of an earlier search in that folder */
    uint32_t parts;  /* files of late work in this checkpoint */
    bool has_warned;
    bool is_marked; /* there is a checkpoint to continue from */
    bool is_blind;  /* this rank cannot see the suite's folder */
};

/* ---- opening ---- */

static bool is_quiet_rank(const struct cli_ranks *ranks) {
    return cluster_rank(ranks->cluster) > 0;
}

bool cli_ranks_open(struct cli_ranks **ranks, struct base_error *error) {
    const char *reason = NULL;
    *ranks = NULL;
    if (!cluster_is_launched())
        return true;
    const struct cluster_transport *transport = cluster_load_transport(&reason);
    if (!transport)
        return base_fail(error, BASE_USAGE,
                         "started as one of several ranks, but %s: build slowpath where MPI is "
                         "installed, or start it without mpirun or srun --mpi",
                         reason);
    struct cli_ranks *all = *ranks = base_alloc(sizeof *all);
    all->transport = transport;
    all->cluster = cluster_new(transport, 0);
    all->of = base_alloc(transport->size * sizeof *all->of);
    if (is_quiet_rank(all)) {
        base_log_level(-1);
        base_show_progress = NULL;
    }
    return true;
}

void cli_ranks_close(struct cli_ranks *ranks) {
    if (!ranks)
        return;
    ranks->transport->close(ranks->transport->self, true);
    cluster_free(ranks->cluster);
    free(ranks->of);
    free(ranks);
}

uint32_t cli_ranks_own(const struct cli_ranks *ranks) {
    return ranks ? cluster_rank(ranks->cluster) : 0;
}

uint32_t cli_ranks_count(const struct cli_ranks *ranks) {
    return ranks ? cluster_size(ranks->cluster) : 1;
}

struct cluster *cli_ranks_cluster(const struct cli_ranks *ranks) {
    return cli_ranks_count(ranks) > 1 ? ranks->cluster : NULL;
}

/* ---- agreeing ---- */

/* From each rank: its verdict, its version, and what else must be equal. */
struct ready {
    int32_t code;
    uint32_t message, same; /* sizes of the texts that follow, with their terminators */
};

static void put_ready(const struct cli_ranks *ranks, const struct base_error *own,
                      struct base_buffer *out) {
    const char *same = ranks->same ? ranks->same : "";
    struct ready ready = {(int32_t)own->code, (uint32_t)strlen(own->message) + 1,
                          (uint32_t)strlen(same) + 1};
    base_buffer_add(out, SLOWPATH_VERSION, sizeof SLOWPATH_VERSION);
    base_buffer_add(out, &ready, sizeof ready);
    base_buffer_add(out, own->message, ready.message);
    base_buffer_add(out, same, ready.same);
}

/* False: this version would not have written it. */
static bool read_ready(const struct cli_ranks *ranks, const char *data, size_t size,
                       struct base_error *error, bool *is_alike) {
    const char *same = ranks->same ? ranks->same : "";
    struct ready ready;
    size_t head = sizeof SLOWPATH_VERSION + sizeof ready;
    if (size < head || memcmp(data, SLOWPATH_VERSION, sizeof SLOWPATH_VERSION) != 0)
        return false;
    memcpy(&ready, data + sizeof SLOWPATH_VERSION, sizeof ready);
    if (size != head + ready.message + ready.same || !ready.message || !ready.same)
        return false;
    error->code = (enum base_exit)ready.code;
    snprintf(error->message, sizeof error->message, "%.*s", (int)ready.message - 1, data + head);
    *is_alike = ready.same == strlen(same) + 1 &&
                memcmp(data + head + ready.message, same, ready.same) == 0;
    return true;
}

static void on_ready(void *context, uint32_t from, const char *data, size_t size) {
    struct cli_ranks *ranks = context;
    struct base_error error = {0}, *verdict = &ranks->verdict;
    bool is_alike = true;
    ranks->ready++;
    if (verdict->code != BASE_OK)
        return;
    if (!read_ready(ranks, data, size, &error, &is_alike))
        base_fail(verdict, BASE_USAGE,
                  "rank %u runs another version of slowpath than rank 0 (" SLOWPATH_VERSION
                  "): start the same on all",
                  from);
    else if (error.code != BASE_OK)
        base_fail(verdict, error.code, "rank %u: %.3900s", from, error.message);
    else if (!is_alike)
        base_fail(verdict, BASE_USAGE,
                  "rank %u has another target or other options than rank 0: start all ranks with "
                  "the same words, where they see the same files",
                  from);
    else if (*error.message && !ranks->warned++)
        base_fail(&ranks->warning, BASE_OK, "rank %u%.3900s", from, error.message);
}

struct begin { /* with rank 0's verdict */
    uint64_t made;
    uint64_t is_marked;
};

static void on_begin(void *context, uint32_t from, const char *data, size_t size) {
    struct cli_ranks *ranks = context;
    (void)from;
    struct begin begin;
    if (size < sizeof begin)
        return;
    memcpy(&begin, data, sizeof begin);
    ranks->made = begin.made;
    ranks->is_marked = begin.is_marked;
    data += sizeof begin;
    size -= sizeof begin;
    memcpy(&ranks->verdict, data, size < sizeof ranks->verdict ? size : sizeof ranks->verdict - 1);
    ranks->has_verdict = true;
}

static void await(struct cli_ranks *ranks, const bool *is_there, const uint32_t *count) {
    struct timespec moment = {.tv_nsec = 2000000};
    while (is_there ? !*is_there : *count + 1 < cluster_size(ranks->cluster))
        if (!cluster_hear(ranks->cluster))
            nanosleep(&moment, NULL);
}

static size_t size_of(const struct base_error *error) {
    return offsetof(struct base_error, message) + strlen(error->message) + 1;
}

static void send_verdict(struct cli_ranks *ranks) {
    struct base_buffer message = {0};
    const struct begin begin = {ranks->made, ranks->is_marked};
    base_buffer_add(&message, &begin, sizeof begin);
    base_buffer_add(&message, &ranks->verdict, size_of(&ranks->verdict));
    cluster_send_all(ranks->cluster, CLUSTER_BEGIN, message.data, message.count);
    base_buffer_done(&message);
}

void cli_ranks_note_runs(struct cli_ranks *ranks, uint64_t made) {
    if (ranks)
        ranks->made = made;
}

/* 0 would mean no limit, so a rank always gets at least one. */
uint64_t cli_ranks_share(const struct cli_ranks *ranks, uint64_t runs) {
    uint64_t count = cli_ranks_count(ranks), made = ranks ? ranks->made : 0;
    if (!runs || count == 1)
        return runs;
    uint64_t left = runs > made ? runs - made : 0;
    uint64_t share = left / count + (cli_ranks_own(ranks) < left % count);
    return cli_ranks_own(ranks) ? share + !share : made + share;
}

static void tell_warning(const struct cli_ranks *ranks) {
    if (ranks->warned > 1)
        base_warn("%s (and %u more)", ranks->warning.message, ranks->warned - 1);
    else if (ranks->warned)
        base_warn("%s", ranks->warning.message);
}

void cli_ranks_compare(struct cli_ranks *ranks, const char *key) {
    if (ranks)
        ranks->same = key;
}

/* OWN: with a message but no code it is a warning. */
static bool agree(struct cli_ranks *ranks, bool good, const struct base_error *own,
                  struct base_error *error) {
    struct base_error none = {.code = BASE_OK};
    ranks->ready = ranks->warned = 0;
    ranks->has_verdict = false;
    ranks->verdict = none;
    cluster_listen(ranks->cluster, CLUSTER_READY, on_ready, ranks);
    cluster_listen(ranks->cluster, CLUSTER_BEGIN, on_begin, ranks);
    if (cli_ranks_own(ranks) == 0) {
        await(ranks, NULL, &ranks->ready);
        if (!good)
            ranks->verdict = *error;
        send_verdict(ranks);
        tell_warning(ranks);
    } else {
        struct base_buffer message = {0};
        put_ready(ranks, own, &message);
        cluster_send(ranks->cluster, 0, CLUSTER_READY, message.data, message.count);
        base_buffer_done(&message);
        await(ranks, &ranks->has_verdict, NULL);
    }
    if (ranks->verdict.code != BASE_OK)
        *error = ranks->verdict;
    return ranks->verdict.code == BASE_OK;
}

bool cli_ranks_agree(struct cli_ranks *ranks, bool good, struct base_error *error) {
    const struct base_error none = {.code = BASE_OK};
    return cli_ranks_cluster(ranks) ? agree(ranks, good, good ? &none : error, error) : good;
}

/* ---- progress ---- */

static void on_status(void *context, uint32_t from, const char *data, size_t size) {
    struct cli_ranks *ranks = context;
    if (size == sizeof *ranks->of)
        memcpy(&ranks->of[from], data, size);
}

static void take_status(const struct search_statistics *now, struct status *status) {
    *status = (struct status){.seconds = now->seconds,
                              .best = now->best,
                              .solver_seconds = now->solver.seconds,
                              .runs = now->counters.runs,
                              .paths = now->counters.paths,
                              .frontier = now->frontier,
                              .best_size = now->best_size,
                              .pieces = now->pieces};
    snprintf(status->doing, sizeof status->doing, "%s", now->doing);
    gethostname(status->host, sizeof status->host - 1);
}

static void tell(struct search *search, void *context) {
    struct cli_ranks *ranks = context;
    struct search_statistics now;
    struct status status;
    if (base_seconds() - ranks->told < STATUS_SECONDS)
        return;
    ranks->told = base_seconds();
    search_statistics(search, &now);
    take_status(&now, &status);
    cluster_send(ranks->cluster, 0, CLUSTER_STATUS, &status, sizeof status);
}

/* ---- checkpoints ---- */

static bool save_buffer(struct cli_ranks *ranks, uint32_t epoch, uint32_t part,
                        const struct base_buffer *state) {
    struct suite_rank_file file = {ranks->before + epoch, cluster_rank(ranks->cluster), part};
    struct base_error error;
    if (suite_save_rank(ranks->out, ranks->key, &file, state, &error))
        return true;
    if (!ranks->has_warned)
        fprintf(stderr, "slowpath: warning: rank %u cannot save its state: %s\n", file.rank,
                error.message);
    ranks->has_warned = true;
    return false;
}

static bool save(void *self, uint32_t epoch) {
    struct cli_ranks *ranks = self;
    struct base_buffer state = {0};
    ranks->parts = 0;
    if (ranks->is_blind)
        return false; /* already reported */
    search_save(ranks->search, &state);
    bool good = save_buffer(ranks, epoch, 0, &state);
    base_buffer_done(&state);
    return good;
}

static bool add(void *self, uint32_t epoch, const char *work, size_t size) {
    struct cli_ranks *ranks = self;
    struct base_buffer state = {0};
    base_buffer_add(&state, work, size);
    bool good = save_buffer(ranks, epoch, ++ranks->parts, &state);
    base_buffer_done(&state);
    return good;
}

static void commit(void *self, uint32_t epoch, uint32_t late) {
    struct cli_ranks *ranks = self;
    struct base_error error;
    if (!suite_commit_ranks(ranks->out, ranks->before + epoch, cli_ranks_count(ranks), late,
                            &error))
        base_warn("the search cannot be resumed from now on: %s", error.message);
}

void cli_ranks_look(struct cli_ranks *ranks, const char *out) {
    if (!ranks)
        return;
    if (!is_quiet_rank(ranks))
        suite_forget_unfinished(out);
    ranks->before = suite_last_moment(out);
}

/* If a rank is lost before the first checkpoint, the search continues from here: from the state
 * that rank 0 has loaded, or from nothing, which is a checkpoint of no ranks. */
void cli_ranks_mark(struct cli_ranks *ranks, struct search *search, const char *out,
                    const char *key, bool resumes) {
    struct base_error error;
    if (!cli_ranks_cluster(ranks) || (resumes && suite_has_ranks(out)))
        return;
    struct base_buffer state = {0};
    const struct suite_rank_file file = {ranks->before, 0, 0};
    if (resumes)
        search_save(search, &state);
    ranks->is_marked = (!resumes || suite_save_rank(out, key, &file, &state, &error)) &&
                       suite_commit_ranks(out, ranks->before, resumes, 0, &error);
    if (!ranks->is_marked)
        base_warn("the search cannot be resumed: %s", error.message);
    base_buffer_done(&state);
}

/* A network file system may show another host's writes late. */
static bool sees(const char *out) {
    struct timespec moment = {.tv_nsec = 50000000};
    for (int tries = 0; tries < LOOKS; tries++) {
        if (suite_has_ranks(out))
            return true;
        nanosleep(&moment, NULL);
    }
    return false;
}

/* Rank 0 has written a file there. */
bool cli_ranks_check_place(struct cli_ranks *ranks, const char *out, struct base_error *error) {
    struct base_error own = {.code = BASE_OK};
    char host[64] = "";
    if (!cli_ranks_cluster(ranks))
        return true;
    ranks->is_blind = is_quiet_rank(ranks) && ranks->is_marked && !sees(out);
    gethostname(host, sizeof host - 1);
    if (ranks->is_blind)
        base_fail(&own, BASE_OK,
                  " on %s does not see '%s': if a rank is lost the search begins anew; name a "
                  "folder that all ranks share with --out",
                  host, out);
    return agree(ranks, true, &own, error);
}

static void keep_on_disk(struct cli_ranks *ranks) {
    const struct cluster_disk disk = {ranks, save, add, commit};
    cluster_keep(ranks->cluster, &disk);
}

void cli_ranks_save(struct cli_ranks *ranks) {
    cluster_cut(ranks->cluster);
}

/* ---- the search ---- */

void cli_ranks_begin(struct cli_ranks *ranks, struct search *search, const char *out,
                     const char *key) {
    ranks->search = search;
    ranks->out = out;
    ranks->key = key;
    if (cli_ranks_cluster(ranks))
        keep_on_disk(ranks);
    if (is_quiet_rank(ranks))
        search_set_watch(search, tell, ranks);
    else
        cluster_listen(ranks->cluster, CLUSTER_STATUS, on_status, ranks);
}

void cli_ranks_add(const struct cli_ranks *ranks, struct search_statistics *now) {
    for (uint32_t rank = 1; rank < cli_ranks_count(ranks); rank++) {
        const struct status *other = &ranks->of[rank];
        now->counters.runs += other->runs;
        now->counters.paths += other->paths;
        now->frontier += other->frontier;
        now->solver.seconds += other->solver_seconds / cli_ranks_count(ranks);
        if (other->best > now->best) {
            now->best = other->best;
            now->best_size = other->best_size;
        }
    }
}

void cli_ranks_print(const struct cli_ranks *ranks, const struct search_statistics *own,
                     FILE *out) {
    take_status(own, &ranks->of[0]);
    for (uint32_t rank = 0; rank < cli_ranks_count(ranks); rank++) {
        const struct status *status = &ranks->of[rank];
        if (!(status->seconds > 0))
            continue;
        fprintf(out, "  rank %u, %s: %.1f s  %s  %llu runs  %llu paths  best %.15g  frontier %llu",
                rank, status->host, status->seconds, status->doing,
                (unsigned long long)status->runs, (unsigned long long)status->paths, status->best,
                (unsigned long long)status->frontier);
        if (rank && status->pieces)
            fprintf(out, "  %llu pieces done for rank 0", (unsigned long long)status->pieces);
        fputc('\n', out);
    }
}
