#pragma once

/// The version of stridebus, whose changes CHANGELOG.md lists. It stands here and nowhere else.
#define STRIDEBUS_VERSION "0.1.0"

/// The commit that the program was built from, and the commit's date; empty where the build was not told (deploy/package).
const char *stridebus_build_commit(void);
const char *stridebus_build_date(void);
