#pragma once

/// A topic below the root, and the files of its payloads with a space between them; those of replies come last.
struct stridebus_topic {
    const char *address;
    const char *files;
};

/// A file of `schemas/`; the text ends with a zero.
struct stridebus_schema {
    const char *name;
    const unsigned char *text;
};

/// Both end with an entry whose first pointer is null.
const struct stridebus_topic *stridebus_topics(void);
const struct stridebus_schema *stridebus_schemas(void);
