import CPostgres

/// The rows that a statement gave, in the binary form in which they came; memory of libpq until the last reference
/// goes.
public final class PostgresRows {
    private let result: OpaquePointer
    /// How many rows there are.
    public let count: Int

    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
    }

    deinit { PQclear(result) }

    /// How many rows the statement has changed.
    public var changedCount: Int {
        PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// The word for what was done, such as `COMMIT`.
    var commandTag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    /// The first row; nil if there is none.
    public var first: PostgresRow? { count > 0 ? PostgresRow(rows: self, index: 0) : nil }

    /// What is made of each row.
    public func map<Value>(_ transform: (PostgresRow) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        for index in 0..<count { values.append(try transform(PostgresRow(rows: self, index: index))) }
        return values
    }

    /// The bytes of a value, or nil for none. They are read at once, because they end with the result.
    func read<Value>(
        row: Int, column: Int, _ body: (UnsafeRawBufferPointer, UInt32) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value? {
        guard column < Int(PQnfields(result)), let row = Int32(exactly: row), let column = Int32(exactly: column) else {
            throw .unexpectedResult(problem: "there is no column \(column)")
        }
        guard PQgetisnull(result, row, column) == 0 else { return nil }
        let length = Int(PQgetlength(result, row, column))
        return try body(
            UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: length), PQftype(result, column))
    }
}

/// One row of a result.
public struct PostgresRow {
    let rows: PostgresRows
    let index: Int

    /// A whole number.
    public func int(_ column: Int) throws(PostgresError) -> Int64 { try present(optionalInt(column), column) }

    /// A whole number, or nothing.
    public func optionalInt(_ column: Int) throws(PostgresError) -> Int64? {
        try rows.read(row: index, column: column) { bytes, type throws(PostgresError) in
            switch (type, bytes.count) {
            case (TypeNumber.int8, 8): Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
            case (TypeNumber.int4, 4): Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
            case (TypeNumber.int2, 2): Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
            default: throw Self.wrong(column, "a whole number", type)
            }
        }
    }

    /// A number with a fraction.
    public func double(_ column: Int) throws(PostgresError) -> Double {
        let number = try rows.read(row: index, column: column) { bytes, type throws(PostgresError) in
            guard type == TypeNumber.float8, bytes.count == 8 else { throw Self.wrong(column, "a double", type) }
            return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
        }
        return try present(number, column)
    }

    /// True or false.
    public func bool(_ column: Int) throws(PostgresError) -> Bool {
        let flag = try rows.read(row: index, column: column) { bytes, type throws(PostgresError) in
            guard type == TypeNumber.bool, bytes.count == 1 else { throw Self.wrong(column, "a boolean", type) }
            return bytes[0] != 0
        }
        return try present(flag, column)
    }

    /// A text.
    public func text(_ column: Int) throws(PostgresError) -> String { try present(optionalText(column), column) }

    /// A text, or nothing.
    public func optionalText(_ column: Int) throws(PostgresError) -> String? {
        try rows.read(row: index, column: column) { bytes, _ throws(PostgresError) in
            String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Bytes, or nothing.
    public func optionalBytes(_ column: Int) throws(PostgresError) -> [UInt8]? {
        try rows.read(row: index, column: column) { bytes, _ throws(PostgresError) in Array(bytes) }
    }

    private func present<Value>(_ value: Value?, _ column: Int) throws(PostgresError) -> Value {
        guard let value else { throw .unexpectedResult(problem: "column \(column) is null") }
        return value
    }

    private static func wrong(_ column: Int, _ expected: String, _ type: UInt32) -> PostgresError {
        .unexpectedResult(problem: "column \(column) is not \(expected) but of the type \(type)")
    }
}
