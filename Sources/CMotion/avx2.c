/// The kernels for processors with AVX2.
#include <math.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GLIBC__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define KERNEL(name) name##_avx2
#include "kernels.h"
#pragma clang attribute pop
#endif
