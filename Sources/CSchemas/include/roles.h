#pragma once

/// The text of `schemas/roles.json`, which ends with a zero.
const unsigned char *stridebus_roles(void);
