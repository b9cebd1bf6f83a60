/// Vectors of eight and four floats.
#include "CMotion.h"
#include <string.h>

#pragma STDC FP_CONTRACT OFF
// Vectors pass between inlined functions alone.
#pragma clang diagnostic ignored "-Wpsabi"

#define INLINE static inline __attribute__((always_inline))

typedef float four __attribute__((ext_vector_type(4)));
typedef float eight __attribute__((ext_vector_type(8)));
typedef int32_t whole __attribute__((ext_vector_type(8)));
typedef int16_t short_eight __attribute__((ext_vector_type(8)));
typedef uint16_t cost_eight __attribute__((ext_vector_type(8)));
typedef uint8_t byte_eight __attribute__((ext_vector_type(8)));

INLINE four load4(const float *at) { four v; memcpy(&v, at, 16); return v; }
INLINE eight load8(const float *at) { eight v; memcpy(&v, at, 32); return v; }
INLINE void store4(float *at, four v) { memcpy(at, &v, 16); }
INLINE void store8(float *at, eight v) { memcpy(at, &v, 32); }
INLINE eight join(four low, four high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7); }
INLINE four low(eight v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3); }
INLINE four high(eight v) { return __builtin_shufflevector(v, v, 4, 5, 6, 7); }
INLINE eight all(float v) { return (eight){v, v, v, v, v, v, v, v}; }
INLINE four all4(float v) { return (four){v, v, v, v}; }
INLINE eight both(float a, float b) { return (eight){a, a, a, a, b, b, b, b}; }
INLINE eight greater(eight a, eight b) { return a > b ? a : b; }
INLINE float sum4(four v) { return (v[0] + v[2]) + (v[1] + v[3]); }
INLINE float sum8(eight v) { return sum4(low(v) + high(v)); }

/// Natural logarithms of positive numbers that are not subnormal (S. L. Moshier, "Methods and Programs for Mathematical
/// Functions", 1989).
INLINE eight logarithms(eight x) {
    whole exponent = ((whole)x - 0x3f3504f3) >> 23;
    eight f = (eight)((whole)x - (exponent << 23)) - all(1), e = __builtin_convertvector(exponent, eight), square = f * f;
    eight sum = all(7.0376836292e-2f) * f - all(1.1514610310e-1f);
    sum = sum * f + all(1.1676998740e-1f);
    sum = sum * f - all(1.2420140846e-1f);
    sum = sum * f + all(1.4249322787e-1f);
    sum = sum * f - all(1.6668057665e-1f);
    sum = sum * f + all(2.0000714765e-1f);
    sum = sum * f - all(2.4999993993e-1f);
    sum = sum * f + all(3.3333331174e-1f);
    sum = sum * f * square - e * all(2.12194440e-4f) - all(0.5f) * square;
    return f + sum + e * all(0.693359375f);
}
