import CSimdJSON

/// One simdjson parser behind the C shim: reuses its buffers and belongs to one thread.
final class SimdJSONParser {
    /// The shim's parser; `nil` when there was no memory for it.
    let handle: OpaquePointer?

    /// A parser for documents of so many bytes; a greater nesting than `JSONValue.maximumDepth` is refused.
    init(maximumBytes: Int) {
        handle = stridebus_json_parser_create(max(maximumBytes, 0), JSONValue.maximumDepth + 1)
    }

    deinit {
        stridebus_json_parser_destroy(handle)
    }
}

extension WireError {
    /// Throws what a result of the shim says, if it says a failure.
    static func check(_ result: stridebus_json_result) throws(WireError) {
        switch result {
        case STRIDEBUS_JSON_OK: return
        case STRIDEBUS_JSON_EMPTY: throw .emptyPayload
        case STRIDEBUS_JSON_TOO_LARGE: throw .payloadTooLarge
        case STRIDEBUS_JSON_NOT_UTF8: throw .notUTF8
        case STRIDEBUS_JSON_WRONG_TYPE: throw .wrongType
        case STRIDEBUS_JSON_OUT_OF_RANGE: throw .outOfRange
        case STRIDEBUS_JSON_CONTRADICTION: throw .contradiction
        case STRIDEBUS_JSON_TOO_MANY_SAMPLES: throw .tooManySamples
        case STRIDEBUS_JSON_UNEVEN_SENSORS: throw .unevenSensors
        case STRIDEBUS_JSON_NO_SAMPLES: throw .noSamples
        default: throw .malformed
        }
    }
}
