#include "stridebus_simdjson.h"
