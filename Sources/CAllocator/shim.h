#ifndef STRIDEBUS_CALLOCATOR_SHIM_H
#define STRIDEBUS_CALLOCATOR_SHIM_H
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Limits the heaps that glibc keeps for threads beside one another; it makes up to eight a core. Other allocators have no
   such heaps. */
static inline void stridebus_limit_heaps(int count) {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, count);
#endif
}
#endif
