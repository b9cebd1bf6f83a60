#ifndef C_ALLOCATION_COUNT_H
#define C_ALLOCATION_COUNT_H

/// How often this program, or a library that it loaded, asked for memory since it was started, or -1 where that is not
/// counted.
long allocation_count(void);

#endif
