/* SPDX-License-Identifier: Apache-2.0
 *
 * One search on several ranks, as the command line sees it.
 */
#ifndef SLOWPATH_CLI_RANKS_H
#define SLOWPATH_CLI_RANKS_H

#include "cli/cli.h"
#include "search/search.h"

struct cli_ranks;

/* If this process was started as one of several; *RANKS is NULL if not. */
bool cli_ranks_open(struct cli_ranks **ranks, struct base_error *error);
/* NULL is fine. All ranks do it, or GOOD is false and the job ends. */
void cli_ranks_close(struct cli_ranks *ranks);
uint32_t cli_ranks_own(const struct cli_ranks *ranks);   /* 0 for NULL */
uint32_t cli_ranks_count(const struct cli_ranks *ranks); /* 1 for NULL */
struct cluster *cli_ranks_cluster(const struct cli_ranks *ranks);
/* On rank 0, before all agree: runs that an earlier session has made. */
void cli_ranks_note_runs(struct cli_ranks *ranks, uint64_t made);
/* What --runs leaves this rank to come to, if it is RUNS for all of them, those made before
 * included; NULL is fine. Once all have agreed. */
uint64_t cli_ranks_share(const struct cli_ranks *ranks, uint64_t runs);
/* Can all begin? If one cannot, all end with its code, and rank 0 says why. */
bool cli_ranks_agree(struct cli_ranks *ranks, bool good, struct base_error *error);
/* From here on ranks agree only if all have this KEY (borrowed): the same target and options. */
void cli_ranks_compare(struct cli_ranks *ranks, const char *key);

/* ---- ranks_exchange.c: what searches on other ranks have found, and what they are told ---- */

struct cli_ranks_exchange;
struct cli_ranks_exchange *cli_ranks_exchange_new(struct cluster *cluster);
void cli_ranks_exchange_free(struct cli_ranks_exchange *exchange); /* NULL is fine */
struct search_exchange *cli_ranks_exchange_of(struct cli_ranks_exchange *exchange);

/* ---- how far all of them are ---- */

/* Before anybody begins: what lies in the suite's folder is not to be mixed with what comes. */
void cli_ranks_look(struct cli_ranks *ranks, const char *out);
/* On rank 0: what the search begins with is on disk, should a rank be lost before the first moment.
 */
void cli_ranks_mark(struct cli_ranks *ranks, struct search *search, const char *out,
                    const char *key, bool resumes);
/* Then: who does not see the suite's folder is told of. False: they do not agree on how to begin.
 */
bool cli_ranks_check_place(struct cli_ranks *ranks, const char *out, struct base_error *error);
/* From here on this rank tells rank 0 now and then, or hears of the others; and saves what it has
 * in the suite's folder when rank 0 says so. All is borrowed. */
void cli_ranks_begin(struct cli_ranks *ranks, struct search *search, const char *out,
                     const char *key);
void cli_ranks_save(struct cli_ranks *ranks); /* on rank 0: one moment of all ranks */
/* Adds what the others have told. */
void cli_ranks_add(const struct cli_ranks *ranks, struct search_statistics *now);
void cli_ranks_print(const struct cli_ranks *ranks, const struct search_statistics *own,
                     FILE *out); /* a line for each */

#endif
