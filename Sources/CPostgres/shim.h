#ifndef STRIDEBUS_CPOSTGRES_SHIM_H
#define STRIDEBUS_CPOSTGRES_SHIM_H
#include <libpq-fe.h>
#endif
