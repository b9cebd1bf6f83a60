#ifndef STRIDEBUS_SIMDJSON_H
#define STRIDEBUS_SIMDJSON_H

// A C face of simdjson (C++), for the Wire module alone. Nothing here throws: every failure is a code below.
//
// A parser belongs to one thread at a time and reuses its buffers. Whatever a call returns by pointer is valid until
// the next call that is given the same parser.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The result of a call. The numbers of the errors are those of Wire's `WireError`.
enum stridebus_json_result {
    STRIDEBUS_JSON_OK = 0,
    STRIDEBUS_JSON_EMPTY = 3,
    STRIDEBUS_JSON_TOO_LARGE = 4,
    STRIDEBUS_JSON_MALFORMED = 5,
    STRIDEBUS_JSON_NOT_UTF8 = 11,
    STRIDEBUS_JSON_WRONG_TYPE = 6,
    STRIDEBUS_JSON_OUT_OF_RANGE = 7,
    STRIDEBUS_JSON_CONTRADICTION = 17,
    STRIDEBUS_JSON_TOO_MANY_SAMPLES = 10,
    STRIDEBUS_JSON_UNEVEN_SENSORS = 13,
    STRIDEBUS_JSON_NO_SAMPLES = 12,
};

typedef struct stridebus_json_parser stridebus_json_parser;

/// A parser for documents of at most so many bytes, nested at most so deep; NULL when memory is short.
stridebus_json_parser *stridebus_json_parser_create(size_t maximum_bytes, size_t maximum_depth);

/// Frees a parser; NULL is allowed.
void stridebus_json_parser_destroy(stridebus_json_parser *parser);

// MARK: Any document, as a list of its values

enum stridebus_json_kind {
    STRIDEBUS_JSON_NULL = 0,
    STRIDEBUS_JSON_FALSE = 1,
    STRIDEBUS_JSON_TRUE = 2,
    STRIDEBUS_JSON_INTEGER = 3,
    STRIDEBUS_JSON_UNSIGNED = 4,
    STRIDEBUS_JSON_DOUBLE = 5,
    STRIDEBUS_JSON_STRING = 6,
    STRIDEBUS_JSON_ARRAY = 7,
    STRIDEBUS_JSON_OBJECT = 8,
};

/// One value of a document. An array or an object is followed by its `count` children, each with its own children.
typedef struct {
    enum stridebus_json_kind kind;
    uint32_t count;
    union {
        int64_t integer;
        uint64_t unsigned_integer;
        double number;
        const char *text;
    } value;
    size_t text_length;
    const char *key;
    size_t key_length;
} stridebus_json_node;

/// Parses a document into a list of nodes, the root first.
enum stridebus_json_result stridebus_json_parse(
    stridebus_json_parser *parser, const void *bytes, size_t length, const stridebus_json_node **nodes, size_t *count);

// MARK: A sensor frame, in one go

/// A number as it was written: exact where it was an integer.
typedef struct {
    bool present;
    bool is_integer;
    int64_t integer;
    double number;
} stridebus_json_number;

/// The head of a frame; the samples are read by `stridebus_json_frame_read`.
typedef struct {
    bool is_compact;
    bool has_boot;
    bool has_sequence;
    /// Not terminated; a number is given as its decimal digits.
    const char *boot;
    size_t boot_length;
    uint64_t sequence;
    stridebus_json_number time;
    stridebus_json_number uptime_ms;
    stridebus_json_number rate_hz;
    /// Set where `dt_ms` is one number.
    stridebus_json_number period_ms;
    /// Set where `dt_ms` is an array: its number of intervals.
    bool has_intervals;
    size_t interval_count;
    /// Rows of the sensors with three axes; without any, as many as there are pressures.
    size_t sample_count;
    size_t pressure_count;
    bool has_acceleration;
    bool has_angular_velocity;
    bool has_magnetic_field;
    bool gravity_removed;
} stridebus_json_frame;

/// Parses a frame and reports its head. `maximum_samples` bounds the rows of each sensor.
enum stridebus_json_result stridebus_json_frame_parse(
    stridebus_json_parser *parser, const void *bytes, size_t length, size_t maximum_samples,
    stridebus_json_frame *frame);

/// Writes the samples of the frame parsed last: rows of acceleration (m/s²), angular velocity (rad/s) and magnetic
/// field (µT), as far as they are there; the intervals in µs; and the pressures in hPa. All counts must be those of the
/// head.
enum stridebus_json_result stridebus_json_frame_read(
    stridebus_json_parser *parser, float *values, size_t value_count, uint32_t *intervals, size_t interval_count,
    float *pressures, size_t pressure_count);

#ifdef __cplusplus
}
#endif

#endif
