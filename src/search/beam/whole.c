/* SPDX-License-Identifier: Apache-2.0
 *
 * Is there time for one more run of a whole input, and which was the costliest of them?
 *
 * A run of a large input may take as long as all the search is given, and a test is worth little
 * that nobody could run again. So what runs took is remembered by what they cost, and one begins
 * only if it and its repetition will have ended in time. A run counts by its length: a short one
 * mostly tells what it takes to begin a run. The costliest input that was run at all is
 * kept: the search may end before the path of it is followed.
 */
#include "search/beam/beam.h"

#include <stdlib.h>
#include <string.h>

#define LONG_RUN 0.05   /* seconds: shorter ones are always begun */
#define SHORT_RUN 0.001 /* seconds: shorter ones say nothing about others */
#define LATELY 8        /* runs: later ones say more than earlier ones */
#define AGAIN 1.2       /* times what a run took: the next one may take longer */

void beam_note_pace(struct beam *beam, double cost, const struct abi_result *result) {
    double seconds = (double)result->wall_ns / 1e9;
    if (seconds < SHORT_RUN || !(cost > 0))
        return;
    pthread_mutex_lock(&beam->search->lock);
    beam->pace.seconds += seconds - beam->pace.seconds / LATELY;
    beam->pace.cost += cost - beam->pace.cost / LATELY;
    pthread_mutex_unlock(&beam->search->lock);
}

double beam_run_seconds(struct beam *beam, double cost) {
    pthread_mutex_lock(&beam->search->lock);
    double pace = beam->pace.cost > 0 ? beam->pace.seconds / beam->pace.cost : 0;
    pthread_mutex_unlock(&beam->search->lock);
    return pace * cost;
}

double beam_record_cost(struct beam *beam) {
    pthread_mutex_lock(&beam->search->lock);
    double cost = beam->record.cost;
    pthread_mutex_unlock(&beam->search->lock);
    return cost;
}

void beam_note_again(struct beam *beam) {
    size_t wanted = beam->search->options.tests, tests = beam->finished.count + beam->pool.count;
    tests = tests > wanted ? wanted : tests ? tests : 1;
    double seconds = beam_run_seconds(beam, beam_record_cost(beam)) * (double)tests;
    if (seconds > LONG_RUN)
        search_note_again(beam->search, seconds * AGAIN);
}

void beam_note_whole(struct beam *beam, const uint8_t *bytes, double cost,
                     const struct abi_result *result) {
    size_t size = beam->search->subject.layout.bytes;
    struct beam_record *record = &beam->record;
    beam_note_pace(beam, cost, result);
    pthread_mutex_lock(&beam->search->lock);
    if (!record->bytes || cost > record->cost ||
        (cost == record->cost && memcmp(bytes, record->bytes, size) < 0)) {
        record->bytes = record->bytes ? record->bytes : base_alloc(size + 1);
        memcpy(record->bytes, bytes, size);
        record->cost = cost;
        record->result = *result;
    }
    pthread_mutex_unlock(&beam->search->lock);
    beam_note_again(beam);
}

bool beam_has_time(struct beam *beam, double cost) {
    double seconds = beam_run_seconds(beam, cost);
    bool is_full = beam->finished.count >= beam->search->options.tests;
    return seconds < LONG_RUN || seconds * (is_full ? 1 : 2) <= search_seconds_left(beam->search);
}
