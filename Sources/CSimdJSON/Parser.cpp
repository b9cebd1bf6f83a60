#include "Parser.hpp"

#include <new>

using namespace simdjson;

/// What a new parser is ready for without another allocation: a second of six sensors at 100 Hz.
static constexpr size_t initial_bytes = 16384;

stridebus_json_result result_of(error_code code) noexcept {
    switch (code) {
    case SUCCESS: return STRIDEBUS_JSON_OK;
    case EMPTY: return STRIDEBUS_JSON_EMPTY;
    case CAPACITY:
    case MEMALLOC: return STRIDEBUS_JSON_TOO_LARGE;
    case UTF8_ERROR: return STRIDEBUS_JSON_NOT_UTF8;
    case INCORRECT_TYPE:
    case NO_SUCH_FIELD: return STRIDEBUS_JSON_WRONG_TYPE;
    case NUMBER_OUT_OF_RANGE: return STRIDEBUS_JSON_OUT_OF_RANGE;
    default: return STRIDEBUS_JSON_MALFORMED;
    }
}

stridebus_json_result stridebus_json_parser::parse(const void *bytes, size_t length, dom::element &root) noexcept {
    frame = FrameColumns();
    if (length == 0 || bytes == nullptr) { return STRIDEBUS_JSON_EMPTY; }
    return result_of(dom.parse(static_cast<const uint8_t *>(bytes), length).get(root));
}

extern "C" stridebus_json_parser *stridebus_json_parser_create(size_t maximum_bytes, size_t maximum_depth) {
    auto *parser = new (std::nothrow) stridebus_json_parser(maximum_bytes);
    if (parser == nullptr) { return nullptr; }
    if (parser->dom.allocate(maximum_bytes < initial_bytes ? maximum_bytes : initial_bytes, maximum_depth)) {
        delete parser;
        return nullptr;
    }
    return parser;
}

extern "C" void stridebus_json_parser_destroy(stridebus_json_parser *parser) { delete parser; }
