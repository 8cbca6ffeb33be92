/* SPDX-License-Identifier: Apache-2.0
 *
 * One search on several ranks, for the commands.
 */
#ifndef SLOWPATH_CLI_RANKS_H
#define SLOWPATH_CLI_RANKS_H

#include "cli/cli.h"
#include "search/search.h"

struct cli_ranks;

/* Sets *RANKS if this process is one of several, otherwise NULL. */
bool cli_ranks_open(struct cli_ranks **ranks, struct base_error *error);
/* Accepts NULL. Either all ranks call it, or GOOD is false and the job ends. */
void cli_ranks_close(struct cli_ranks *ranks);
uint32_t cli_ranks_own(const struct cli_ranks *ranks);   /* 0 for NULL */
uint32_t cli_ranks_count(const struct cli_ranks *ranks); /* 1 for NULL */
struct cluster *cli_ranks_cluster(const struct cli_ranks *ranks);
/* On rank 0, before ranks agree: the runs made by an earlier session. */
void cli_ranks_note_runs(struct cli_ranks *ranks, uint64_t made);
/* This rank's share of --runs, if RUNS is for all of them and includes earlier ones; accepts NULL.
 * Call it after ranks have agreed. */
uint64_t cli_ranks_share(const struct cli_ranks *ranks, uint64_t runs);
/* Can all ranks start? If one cannot, all end with its code, and rank 0 prints the reason. */
bool cli_ranks_agree(struct cli_ranks *ranks, bool good, struct base_error *error);
/* From now on ranks agree only with equal KEYs (borrowed): the same target and options. */
void cli_ranks_compare(struct cli_ranks *ranks, const char *key);

/* ---- ranks_exchange.c: exchanging results between ranks ---- */

struct cli_ranks_exchange;
struct cli_ranks_exchange *cli_ranks_exchange_new(struct cluster *cluster);
void cli_ranks_exchange_free(struct cli_ranks_exchange *exchange); /* accepts NULL */
struct search_exchange *cli_ranks_exchange_of(struct cli_ranks_exchange *exchange);

/* ---- progress of all ranks ---- */

/* Before anything starts: notes the existing checkpoint, so that it is not mixed with new ones. */
void cli_ranks_look(struct cli_ranks *ranks, const char *out);
/* On rank 0: the initial state is on disk, in case a rank is lost before the first checkpoint. */
void cli_ranks_mark(struct cli_ranks *ranks, struct search *search, const char *out,
                    const char *key, bool resumes);
/* Then: reports ranks that do not see the suite's folder. False: they disagree how to start. */
bool cli_ranks_check_place(struct cli_ranks *ranks, const char *out, struct base_error *error);
/* From now on this rank sends its progress to rank 0, or receives the others'; and saves its state
 * in the suite's folder when rank 0 says so. Everything is borrowed. */
void cli_ranks_begin(struct cli_ranks *ranks, struct search *search, const char *out,
                     const char *key);
void cli_ranks_save(struct cli_ranks *ranks); /* on rank 0: starts a checkpoint of all ranks */
/* Adds the progress of the other ranks. */
void cli_ranks_add(const struct cli_ranks *ranks, struct search_statistics *now);
void cli_ranks_print(const struct cli_ranks *ranks, const struct search_statistics *own,
                     FILE *out); /* one line each */

#endif
