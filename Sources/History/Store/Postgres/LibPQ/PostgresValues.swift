import CPostgres
import ServiceKit

/// A parameter in the server's binary form.
struct PostgresParameter: Sendable {
    let type: UInt32
    /// `nil` is NULL.
    let bytes: [UInt8]?

    /// A single value. PostgreSQL keeps no U+0000 in a text; it becomes U+FFFD on the way in.
    init(_ value: SQLValue) {
        switch value {
        case .int(let number):
            (type, bytes) = (TypeNumber.int8, number.map { [UInt8](bigEndian: $0) })
        case .double(let number):
            (type, bytes) = (TypeNumber.float8, [UInt8](bigEndian: number.bitPattern))
        case .bool(let flag): (type, bytes) = (TypeNumber.bool, [flag ? 1 : 0])
        case .text(let text):
            let storable = text.map { $0.utf8.contains(0) ? $0.replacing("\0", with: "\u{FFFD}") : $0 }
            (type, bytes) = (TypeNumber.text, storable.map { Array($0.utf8) })
        case .bytes(let content): (type, bytes) = (TypeNumber.bytea, content)
        }
    }

    /// A column of values of one type as an array, of which `unnest($1::bigint[])` makes rows. The layout is that of
    /// `array_recv` in PostgreSQL's `arrayfuncs.c`: a head, then each element's length and bytes.
    init(array values: [SQLValue]) {
        let elements = values.map { PostgresParameter($0) }
        let elementType = elements.first?.type ?? TypeNumber.int8
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + elements.count * 12)
        bytes.append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
        bytes.append(bigEndian: Int32(elements.contains { $0.bytes == nil } ? 1 : 0))
        bytes.append(bigEndian: elementType)
        if !elements.isEmpty {
            bytes.append(bigEndian: Int32(clamping: elements.count))
            bytes.append(bigEndian: Int32(1))
        }
        for element in elements {
            bytes.append(bigEndian: element.bytes.map { Int32(clamping: $0.count) } ?? -1)
            bytes.append(contentsOf: element.bytes ?? [])
        }
        self.bytes = bytes
        type =
            switch elementType {
            case TypeNumber.float8: TypeNumber.float8Array
            case TypeNumber.bool: TypeNumber.boolArray
            case TypeNumber.text: TypeNumber.textArray
            case TypeNumber.bytea: TypeNumber.byteaArray
            default: TypeNumber.int8Array
            }
    }
}

/// The result of a statement, as libpq has it; freed with the last reference.
final class PostgresAnswer {
    private let result: OpaquePointer

    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    /// The command tag, such as `COMMIT`.
    var commandTag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    /// The rows, and how many the statement has changed.
    func values() throws(HistoryError) -> SQLResult {
        var rows: [SQLRow] = []
        let columns = PQnfields(result)
        rows.reserveCapacity(Int(PQntuples(result)))
        for row in 0..<PQntuples(result) {
            var values: [SQLValue] = []
            values.reserveCapacity(Int(columns))
            for column in 0..<columns { values.append(try value(row, column)) }
            rows.append(SQLRow(values))
        }
        let changed = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
        return SQLResult(rows: rows, changedCount: changed)
    }

    private func value(_ row: Int32, _ column: Int32) throws(HistoryError) -> SQLValue {
        guard PQgetisnull(result, row, column) == 0 else { return .int(nil) }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
        switch (PQftype(result, column), bytes.count) {
        case (TypeNumber.int8, 8): return .int(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
        case (TypeNumber.int4, 4): return .int(Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self))))
        case (TypeNumber.float8, 8):
            return .double(Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))))
        case (TypeNumber.bool, 1): return .bool(bytes[0] != 0)
        case (TypeNumber.text, _), (TypeNumber.name, _): return .text(String(decoding: bytes, as: UTF8.self))
        case (TypeNumber.bytea, _): return .bytes(Array(bytes))
        case (let type, _):
            throw .store(.database(path: "PostgreSQL", problem: "column \(column + 1) has the type \(type)"))
        }
    }
}

/// The numbers of types in every PostgreSQL: `pg_type.dat` of its source.
private enum TypeNumber {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let name: UInt32 = 19
    static let int8: UInt32 = 20
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let float8: UInt32 = 701
    static let boolArray: UInt32 = 1000
    static let byteaArray: UInt32 = 1001
    static let textArray: UInt32 = 1009
    static let int8Array: UInt32 = 1016
    static let float8Array: UInt32 = 1022
}

extension [UInt8] {
    fileprivate init(bigEndian number: some FixedWidthInteger) {
        self = []
        append(bigEndian: number)
    }

    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
