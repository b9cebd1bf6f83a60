/// What an asker puts into a request to know its reply by: text or a whole number, given back as it came.
public enum Transaction: Sendable, Hashable, ExpressibleByStringLiteral {
    /// A transaction that is text.
    case text(String)
    /// A transaction that is a number.
    case number(Int64)

    /// The longest text, in bytes.
    public static let maximumBytes = 128

    /// A transaction that is text.
    public init(_ text: String) {
        self = .text(text)
    }

    /// A transaction that is text.
    public init(stringLiteral text: String) {
        self = .text(text)
    }

    /// Reads the field of a request or a reply.
    init?(object: JSONObject) throws(WireError) {
        guard let value = object["transaction"] else { return nil }
        switch value {
        case .integer(let number): self = .number(number)
        case .string(let text):
            guard text.utf8.count <= Self.maximumBytes else { throw .outOfRange }
            self = .text(text)
        default: throw .wrongType
        }
    }

    /// Writes the field of a request or a reply.
    func writeField(to writer: inout JSONWriter) {
        switch self {
        case .text(let text): writer.field("transaction", text)
        case .number(let number): writer.field("transaction", number)
        }
    }
}
