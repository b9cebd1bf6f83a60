#include "Parser.hpp"

#include <cstdlib>

using namespace simdjson;

/// Room for one more node, or nullptr when memory is short.
static stridebus_json_node *append_node(stridebus_json_parser *parser) noexcept {
    if (parser->node_count == parser->node_capacity) {
        size_t capacity = parser->node_capacity == 0 ? 64 : parser->node_capacity * 2;
        auto *nodes = static_cast<stridebus_json_node *>(realloc(parser->nodes, capacity * sizeof(stridebus_json_node)));
        if (nodes == nullptr) { return nullptr; }
        parser->nodes = nodes;
        parser->node_capacity = capacity;
    }
    stridebus_json_node *node = &parser->nodes[parser->node_count++];
    *node = stridebus_json_node();
    return node;
}

static stridebus_json_result append_value(
    stridebus_json_parser *parser, dom::element element, std::string_view key) noexcept;

static stridebus_json_result append_array(stridebus_json_parser *parser, dom::array array, size_t place) noexcept {
    uint32_t count = 0;
    for (dom::element child : array) {
        auto result = append_value(parser, child, std::string_view());
        if (result != STRIDEBUS_JSON_OK) { return result; }
        count++;
    }
    parser->nodes[place].count = count;
    return STRIDEBUS_JSON_OK;
}

static stridebus_json_result append_object(stridebus_json_parser *parser, dom::object object, size_t place) noexcept {
    uint32_t count = 0;
    for (dom::key_value_pair field : object) {
        auto result = append_value(parser, field.value, field.key);
        if (result != STRIDEBUS_JSON_OK) { return result; }
        count++;
    }
    parser->nodes[place].count = count;
    return STRIDEBUS_JSON_OK;
}

/// Recursion is as deep as the document, which the parser has bounded.
static stridebus_json_result append_value(
    stridebus_json_parser *parser, dom::element element, std::string_view key) noexcept {
    size_t place = parser->node_count;
    stridebus_json_node *node = append_node(parser);
    if (node == nullptr) { return STRIDEBUS_JSON_TOO_LARGE; }
    node->key = key.data();
    node->key_length = key.size();
    switch (element.type()) {
    case dom::element_type::NULL_VALUE: node->kind = STRIDEBUS_JSON_NULL; break;
    case dom::element_type::BOOL: {
        bool flag = false;
        if (auto error = element.get(flag)) { return result_of(error); }
        node->kind = flag ? STRIDEBUS_JSON_TRUE : STRIDEBUS_JSON_FALSE;
        break;
    }
    case dom::element_type::INT64:
        node->kind = STRIDEBUS_JSON_INTEGER;
        return result_of(element.get(node->value.integer));
    case dom::element_type::UINT64:
        node->kind = STRIDEBUS_JSON_UNSIGNED;
        return result_of(element.get(node->value.unsigned_integer));
    case dom::element_type::DOUBLE:
        node->kind = STRIDEBUS_JSON_DOUBLE;
        return result_of(element.get(node->value.number));
    case dom::element_type::STRING: {
        std::string_view text;
        if (auto error = element.get(text)) { return result_of(error); }
        node->kind = STRIDEBUS_JSON_STRING;
        node->value.text = text.data();
        node->text_length = text.size();
        break;
    }
    case dom::element_type::ARRAY: {
        dom::array array;
        if (auto error = element.get(array)) { return result_of(error); }
        node->kind = STRIDEBUS_JSON_ARRAY;
        return append_array(parser, array, place);
    }
    case dom::element_type::OBJECT: {
        dom::object object;
        if (auto error = element.get(object)) { return result_of(error); }
        node->kind = STRIDEBUS_JSON_OBJECT;
        return append_object(parser, object, place);
    }
    default: return STRIDEBUS_JSON_MALFORMED;
    }
    return STRIDEBUS_JSON_OK;
}

extern "C" stridebus_json_result stridebus_json_parse(
    stridebus_json_parser *parser, const void *bytes, size_t length, const stridebus_json_node **nodes,
    size_t *count) {
    parser->node_count = 0;
    dom::element root;
    auto result = parser->parse(bytes, length, root);
    if (result == STRIDEBUS_JSON_OK) { result = append_value(parser, root, std::string_view()); }
    *nodes = parser->nodes;
    *count = result == STRIDEBUS_JSON_OK ? parser->node_count : 0;
    return result;
}
