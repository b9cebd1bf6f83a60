#include "build.h"

const char *stridebus_build_commit(void) { return BUILD_COMMIT; }
const char *stridebus_build_date(void) { return BUILD_DATE; }
