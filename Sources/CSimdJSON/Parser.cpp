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

/// Whether a text has a number with more digits than 64 bits hold, or with an exponent of three digits or more: simdjson
/// has one word for these and for what is no number.
static bool has_large_number(std::string_view text) noexcept {
    size_t digits = 0;
    bool is_exponent = false;
    for (char character : text) {
        if (character >= '0' && character <= '9') {
            if (++digits >= (is_exponent ? 3 : 19)) { return true; }
        } else {
            if (digits > 0) { is_exponent = false; }
            if (character == 'e' || character == 'E') { is_exponent = digits > 0; }
            digits = 0;
        }
    }
    return false;
}

stridebus_json_result stridebus_json_parser::parse(const void *bytes, size_t length, dom::element &root) noexcept {
    frame = FrameColumns();
    if (length == 0 || bytes == nullptr) { return STRIDEBUS_JSON_EMPTY; }
    auto error = dom.parse(static_cast<const uint8_t *>(bytes), length).get(root);
    if (error == NUMBER_ERROR && has_large_number({static_cast<const char *>(bytes), length})) {
        return STRIDEBUS_JSON_OUT_OF_RANGE;
    }
    return result_of(error);
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
