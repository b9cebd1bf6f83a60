/// The kernels for every processor, and the choice at the start of the program.
#include <math.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GLIBC__)
#define KERNEL(name) name##_plain
#else
#define KERNEL(name) name
#endif
#include "kernels.h"

#if defined(__x86_64__) && defined(__GLIBC__)
#define CHOOSE(name)                                                                 \
    extern typeof(name) name##_avx2;                                                 \
    static typeof(name) *name##_chosen(void) {                                       \
        __builtin_cpu_init();                                                        \
        return __builtin_cpu_supports("avx2") ? name##_avx2 : name##_plain;          \
    }                                                                                \
    typeof(name) name __attribute__((ifunc(#name "_chosen")));
CHOOSE(motion_integrate)
CHOOSE(motion_pace)
CHOOSE(motion_follow)
CHOOSE(motion_filter)
CHOOSE(motion_best)
CHOOSE(motion_strengths)
CHOOSE(motion_first_peak)
CHOOSE(motion_levels)
CHOOSE(motion_expand)
CHOOSE(motion_squares)
CHOOSE(motion_cumulate)
CHOOSE(motion_products)
CHOOSE(motion_curves)
CHOOSE(motion_scores)
CHOOSE(motion_likelihoods)
CHOOSE(motion_pack)
CHOOSE(motion_unpack)
CHOOSE(motion_forward)
CHOOSE(motion_backward)
CHOOSE(motion_settle)
CHOOSE(motion_sum)
CHOOSE(motion_gabor)
CHOOSE(motion_band_pass)
CHOOSE(motion_similarity)
CHOOSE(motion_axis_count)
CHOOSE(motion_comb)
CHOOSE(motion_trellis)
CHOOSE(motion_harmonics)
CHOOSE(motion_rotate)
CHOOSE(motion_logarithms)
#endif
