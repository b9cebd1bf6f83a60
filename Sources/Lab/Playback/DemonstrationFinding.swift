public import Wire

/// What history said about every device, beside what it should have said.
public struct DemonstrationFinding: Sendable {
    /// One device.
    public struct Row: Sendable {
        /// The device, with what it truly did.
        public let device: PlayedDevice
        /// What history should say.
        public let expected: ExpectedTotals
        /// What history says.
        public let answer: IntervalData

        /// Whether that is near enough.
        public var isAsExpected: Bool { expected.accepts(answer) }
    }

    /// The devices.
    public let rows: [Row]

    /// Whether every device's totals are near enough.
    public var isAsExpected: Bool { rows.allSatisfy(\.isAsExpected) }

    /// A table with a verdict a device, and a line that sums up.
    public var lines: [String] {
        var table = TextTable(columns: [
            .words("device"), .numbers("history"), .numbers("expected"), .numbers("true"), .numbers("off"), .words(""),
            .words("from"),
        ])
        for row in rows { table.append(cells(row)) }
        let good = rows.count { $0.isAsExpected }
        return table.lines + ["", "\(good) of \(rows.count) devices as expected"]
    }

    private func cells(_ row: Row) -> [String] {
        let isBike = row.expected.revolutions > row.expected.steps
        let unit = isBike ? "rev" : "steps"
        let counted = isBike ? row.answer.revolutions : row.answer.steps
        let truth = isBike ? row.device.trueRevolutions : row.device.trueSteps
        let off = truth.flatMap { $0 > 0 ? (Double(counted) - Double($0)) / Double($0) * 100 : nil }
        return [
            row.device.id.description, "\(counted) \(unit)",
            "\(isBike ? row.expected.revolutions : row.expected.steps)", truth.map(String.init) ?? "",
            off.map { DecimalText.fixed($0, decimals: 1) + " %" } ?? "", row.isAsExpected ? "ok" : "DIFFERS",
            row.device.origin,
        ]
    }
}
