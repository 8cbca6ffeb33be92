/* SPDX-License-Identifier: Apache-2.0
 *
 * Is there time for one more run of a whole input, and which one was the costliest so far?
 *
 * A run of a large input may take as long as the whole search, and a test is worth little if it
 * cannot be run again. So the duration of runs is tracked per cost, and a run is started only if it
 * and its repetition will end in time. Runs are weighted by their length: a short one mostly
 * measures its own overhead. The costliest input that was run is kept in any case, as the search
 * may end before its path is traced.
 */
#include "search/beam/beam.h"

#include <stdlib.h>
#include <string.h>

#define LONG_RUN 0.05   /* seconds: shorter runs are always started */
#define SHORT_RUN 0.001 /* seconds: shorter runs are not used for estimates */
#define LATELY 8        /* runs: recent ones count more */
#define AGAIN 1.2       /* times the measured duration, in case a rerun is slower */

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
