/// A parameter of a statement. An array is one parameter: `unnest($1::bigint[])` makes rows of it.
///
/// PostgreSQL keeps no U+0000 in a text; it becomes U+FFFD on the way in.
public enum PostgresValue: Sendable, Equatable {
    /// Nothing, of a type that the server finds.
    case null
    /// `bigint`.
    case int(Int64)
    /// `double precision`.
    case double(Double)
    /// `boolean`.
    case bool(Bool)
    /// `text`.
    case text(String)
    /// `bytea`.
    case bytes([UInt8])
    /// `bigint[]`.
    case ints([Int64])
    /// `bigint[]` with gaps.
    case optionalInts([Int64?])
    /// `double precision[]`.
    case doubles([Double])
    /// `text[]`.
    case texts([String])
    /// `text[]` with gaps.
    case optionalTexts([String?])

    /// `text` or nothing.
    case optionalText(String?)
    /// `bigint` or nothing.
    case optionalInt(Int64?)
}

/// The numbers of types in every PostgreSQL: `pg_type.dat` of its source.
enum TypeNumber {
    static let bool: UInt32 = 16
    static let bytes: UInt32 = 17
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let float8: UInt32 = 701
    static let textArray: UInt32 = 1009
    static let int8Array: UInt32 = 1016
    static let float8Array: UInt32 = 1022
}
