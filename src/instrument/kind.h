/* SPDX-License-Identifier: Apache-2.0
 *
 * The variants that a program is built in, by name: all that those who ask for one need to know.
 */
#ifndef SLOWPATH_INSTRUMENT_KIND_H
#define SLOWPATH_INSTRUMENT_KIND_H

enum instrument_kind {
    INSTRUMENT_PLAIN,    /* nothing is counted: what overhead is compared with */
    INSTRUMENT_MEASURE,  /* block counters and library bytes */
    INSTRUMENT_SYMBOLIC, /* shadow memory, expressions, decisions */
    INSTRUMENT_RECORD    /* loops, and loads that read again what was read before */
};

#endif
