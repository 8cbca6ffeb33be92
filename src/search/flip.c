#include "search/evolve.h"
#include <stdlib.h>
struct evolve_flip {
    int x;
};
struct evolve_flip *evolve_flip_new(struct search *search) {
    (void)search;
    return base_alloc(4);
}
void evolve_flip_free(struct evolve_flip *flip) {
    free(flip);
}
bool evolve_flip_follow(struct evolve_flip *flip, const struct search_programs *programs,
                        const struct target_input *input, const uint64_t *bars,
                        struct evolve_children *children, struct search_counters *counters,
                        struct base_error *error) {
    (void)flip, (void)programs, (void)input, (void)bars, (void)children, (void)counters;
    (void)error;
    return true;
}
void evolve_children_done(struct evolve_children *children) {
    for (size_t i = 0; i < children->count; i++)
        free(children->data[i].bytes);
    base_vector_done(children);
}
