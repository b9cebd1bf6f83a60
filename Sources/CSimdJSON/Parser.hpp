#pragma once

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include "stridebus_simdjson.h"

/// The arrays of one frame, kept between the two calls that read it.
struct FrameSensor {
    simdjson::dom::array rows;
    bool present = false;
};

struct FrameColumns {
    bool is_compact = false;
    size_t sample_count = 0;
    FrameSensor acceleration, angular_velocity, magnetic_field, user_acceleration, gravity, rotation_rate;
    FrameSensor intervals;
    FrameSensor pressure;
};

struct stridebus_json_parser {
    simdjson::dom::parser dom;
    stridebus_json_node *nodes = nullptr;
    size_t node_capacity = 0;
    size_t node_count = 0;
    FrameColumns frame;
    char boot_digits[24];

    explicit stridebus_json_parser(size_t maximum_bytes) noexcept : dom(maximum_bytes) {}
    ~stridebus_json_parser() { free(nodes); }
    stridebus_json_parser(const stridebus_json_parser &) = delete;
    stridebus_json_parser &operator=(const stridebus_json_parser &) = delete;

    stridebus_json_result parse(const void *bytes, size_t length, simdjson::dom::element &root) noexcept;
};

/// The shim's word for a parser's error.
stridebus_json_result result_of(simdjson::error_code code) noexcept;
