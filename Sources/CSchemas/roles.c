#include "roles.h"

static const unsigned char roles[] = {
#embed "../../schemas/roles.json"
    , 0};

const unsigned char *stridebus_roles(void) { return roles; }
