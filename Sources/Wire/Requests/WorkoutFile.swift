/// The form of a workout's file.
package enum WorkoutFormat: String, Sendable, Hashable, CaseIterable {
    case fit, csv
}

/// The data of `workouts/export`: a part of a file.
package struct WorkoutFileData: FieldPayload, Hashable {
    /// The name that the file may have.
    package var name = ""
    /// Its media type.
    package var type = ""
    package var part: [UInt8] = []
    /// The cursor of the next part; absent on the last one.
    package var cursor: String?

    /// The longest part, in bytes.
    package static let maximumPartBytes = 49_152
    package static var maximumBytes: Int { 4 * maximumPartBytes }

    package init() {}

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("name", &name, .text)
        try list.field("type", &type, .text)
        try list.field("part", &part, .base64(maximumBytes: Self.maximumPartBytes))
        try list.field("cursor", &cursor, .text)
    }
}

extension FieldForm<[UInt8]> {
    /// Bytes as base64.
    fileprivate static func base64(maximumBytes: Int) -> Self {
        Self(
            type: .string,
            read: { json throws(WireError) in
                try TextEncoding.bytes(base64: try json.text(maximumBytes: (maximumBytes + 2) / 3 * 4))
            }, write: { $0.value(TextEncoding.base64($1)) })
    }
}

extension TextEncoding {
    /// Base64 with its padding. Source: RFC 4648, section 4.
    fileprivate static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let text = stride(from: 0, to: bytes.count, by: 3).flatMap { start in
            let three = bytes[start..<min(start + 3, bytes.count)]
            let bits = three.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - three.count))
            return (0..<4).map { $0 > three.count ? UInt8(ascii: "=") : letters[bits >> (18 - 6 * $0) & 63] }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
