/* SPDX-License-Identifier: Apache-2.0
 *
 * What the recording build keeps and hands over: which loops a run was in, and which of its loads
 * read what had been read before.
 *
 * Every byte of the target has a stamp (the entries of abi/shadow.h): how many loops had been
 * entered when an access that begins there last read it; 0 when it was written since. Loops under
 * way are frames on a stack. A load that finds a stamp older than the innermost loop is the first
 * to read this in it; if it is also older than the loop around that one, it reads something fresh,
 * and is asked the same of the loops further out. Sums of these for each pair of nested loops are
 * the nests. When the engine watches nests, the values that are read in them are logged.
 */
#ifndef SLOWPATH_ABI_RECORD_H
#define SLOWPATH_ABI_RECORD_H

#include <stdint.h>

/* Which loop: its number in the facts; behind the loops come functions that call themselves. */
#define ABI_LOOP_NUMBER 0x0fffffffu
#define ABI_LOOP_LIBRARY (1u << 28) /* a library function reads; the number is its call's site */
#define ABI_LOOP_WRITES (1u << 29)  /* it may write to memory */
#define ABI_LOOP_VARIES (1u << 30)  /* what it works on differs by the turn of the outer loop */
#define ABI_LOOP_TESTED (1u << 31)  /* its header is run once more than its body */
#define ABI_LOOP_SAME (ABI_LOOP_NUMBER | ABI_LOOP_LIBRARY) /* bits that tell loops apart */

/* A call: its block, which call of that block, and whether its arguments vary in its loop. */
#define ABI_CALL_INDEX_BITS 6
#define ABI_CALL_INDEX ((1u << ABI_CALL_INDEX_BITS) - 1)
#define ABI_CALL_VARIES (1u << 31)

#define ABI_RECORD_DEPTH 512u  /* loops under way */
#define ABI_RECORD_ROOM 256u   /* loops that lie in each other within a function */
#define ABI_RECORD_LEVELS 8    /* a load is looked at in so many loops around it */
#define ABI_RECORD_CALLS 1024u /* calls under way that are known, a power of two */
#define ABI_RECORD_CHAIN 12u   /* calls between two loops that are told of */
#define ABI_MAX_NESTS (1u << 14)
#define ABI_MAX_WATCHES 32u
#define ABI_MAX_LOG (1u << 23)

/* A loop under way. */
struct abi_frame {
    uint32_t loop;  /* ABI_LOOP_... */
    uint32_t turns; /* times that its header was run */
    uint32_t began; /* the stamp of when it was entered */
    uint32_t watch; /* one more than its number, 0: it is not logged */
    uint64_t loads; /* not beside the stores: added to as a pair they would wait for each other */
    uint64_t first, fresh; /* loads that read something for the first time in it; of these, for the
                              first time in the loop around it */
    uint64_t stores;
    uint64_t distinct; /* when it was entered: loads since then are first and fresh, too */
    uint64_t calls;    /* struct abi_recorder */
};

/* The state that inline hooks and the runtime share. */
struct abi_recorder {
    uint32_t now;      /* the stamp of now */
    uint32_t inner;    /* when the innermost loop began, */
    uint32_t outer;    /* the one around it, */
    uint32_t run;      /* and the run */
    uint32_t depth;    /* of the innermost frame; frame 0 is the run itself */
    uint32_t reads;    /* ranges that a library function has looked at since it was called */
    uint64_t distinct; /* loads of what nobody has read since it was written */
    uint64_t calls;    /* a hash of the calls under way, and in the low half how many there are */
    struct abi_frame frames[ABI_RECORD_DEPTH + ABI_RECORD_ROOM];
    uint32_t sites[ABI_RECORD_CALLS]; /* of the calls under way */
};

/* Two nested loops of a run. */
struct abi_nest {
    uint32_t outer, inner;        /* ABI_LOOP_... */
    uint32_t began;               /* the outer loop's, when last seen */
    uint32_t turn;                /* ... and its turn */
    uint32_t in_one, most_in_one; /* turns of one run of the outer loop in which the inner one has
                                     enough turns */
    uint32_t chain_count;
    uint32_t chain[ABI_RECORD_CHAIN]; /* calls on the way from the outer to the inner one */
    uint64_t entries;                 /* times that the inner loop was entered */
    uint64_t instances;               /* ... and turned often enough */
    uint64_t repeating;               /* of these, such that read hardly anything fresh */
    uint64_t later, later_fresh; /* instances but for the first in one run of the outer loop; their
                                    fresh loads */
    uint64_t turns, loads, stores, first, fresh; /* of all entries */
};

/* The nests of the run under way. */
struct abi_recording {
    uint64_t loads, distinct; /* of the run; reads of what had not been read since it was written */
    uint64_t entries_lost; /* of loops, because loops lay too deep or there were too many nests */
    uint64_t log_lost;     /* loads, because the log was full */
    uint32_t nest_count, log_count;
    uint32_t stamps_ended; /* the run had more turns than there are stamps */
    uint32_t reserved;
};

/* What the engine wants to see the values of: turns t, t + 1 of the outer loop, where t is a
 * multiple of the period. */
struct abi_watch {
    uint32_t outer, inner; /* by ABI_LOOP_SAME */
    uint32_t period;       /* at least 2 */
    uint32_t reserved;
};

/* An entry of the log: a load, or, when `key` is at least ABI_LOG_MARK, a mark with so many words
 * behind it. */
struct abi_logged {
    uint32_t key;   /* a hash of the load's site and of the calls around it */
    uint32_t value; /* ... of what it read; of a mark: the watch */
};
#define ABI_LOG_MARK 0xfffffff0u
#define ABI_LOG_BEGIN 0xfffffff0u /* then {began, turn} of the outer loop, {calls, 0} */
#define ABI_LOG_END 0xfffffff1u   /* then {turns, 0} */

#endif
