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
INLINE eight both(float a, float b) { return (eight){a, a, a, a, b, b, b, b}; }
INLINE eight greater(eight a, eight b) { return a > b ? a : b; }
INLINE float sum4(four v) { return (v[0] + v[2]) + (v[1] + v[3]); }
