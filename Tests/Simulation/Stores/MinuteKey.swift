import History
import Wire

/// One minute of one device.
struct MinuteKey: Hashable {
    var device: DeviceID
    var minute: Int64
}

/// What must be equal between two ways of counting.
@dynamicMemberLookup
struct MinuteNumbers: Hashable, CustomStringConvertible {
    var counts = Counts()
    var (cadence, heart, power) = (RateSum(), RateSum(), RateSum())

    init() {}

    init(_ sum: CountSum) {
        (counts, cadence, heart, power) = (sum.counts, sum.cadence, sum.heart, sum.power)
        (counts.floors, cadence.minimum) = (nil, 0)
    }

    subscript<Number>(dynamicMember number: WritableKeyPath<Counts, Number>) -> Number {
        get { counts[keyPath: number] }
        set { counts[keyPath: number] = newValue }
    }

    /// The same without what a length in a config changes.
    var withoutDistance: MinuteNumbers {
        var numbers = self
        numbers.distanceMillimetres = 0
        return numbers
    }

    var description: String {
        let numbers = Amount.ofMinutes.map { "\($0) \(counts[$0])" }.joined(separator: ", ")
        let rates = zip(["cadence", "heart", "power"], [cadence, heart, power]).map { name, rate in
            "\(name) \(rate.integral) over \(rate.seconds) s, at most \(rate.maximum)"
        }
        return "\(numbers), \(rates.joined(separator: ", "))"
    }
}

extension HistoryStore {
    /// Every minute of every device that is not empty.
    func allMinutes() async throws -> [MinuteKey: MinuteNumbers] {
        var minutes: [MinuteKey: MinuteNumbers] = [:]
        for record in try await devices(after: nil, limit: .max) {
            guard let device = record.device else { continue }
            minutes.merge(try await self.minutes(of: device)) { $1 }
        }
        return minutes
    }

    /// Every minute of a device that is not empty.
    func minutes(of device: DeviceID) async throws -> [MinuteKey: MinuteNumbers] {
        var minutes: [MinuteKey: MinuteNumbers] = [:]
        for record in try await self.tracedMinutes(of: .device(device), in: [.min ..< .max])[0] {
            let numbers = MinuteNumbers(record.sum)
            if numbers != MinuteNumbers() { minutes[MinuteKey(device: device, minute: record.minute)] = numbers }
        }
        return minutes
    }
    /// The minutes of a device that were erased for good.
    func erased(_ device: DeviceID) async throws -> RangeSet<Int64> {
        try await database.read(isSnapshot: false) { session in
            let rows = try session.query(
                "SELECT from_minute, to_minute FROM erasures WHERE device = $1", [.text("\(device)")])
            return RangeSet(
                try rows.map { row in
                    var row = row
                    let (start, end) = (try row.int(), try row.int())
                    return start..<max(start, end)
                })
        }
    }
}
