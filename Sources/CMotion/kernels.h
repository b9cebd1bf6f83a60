/// The kernels, which `plain.c` and `avx2.c` compile under names of their own.
#include "vectors.h"
#include "samples.h"
#include "person.h"
#include "bike.h"
