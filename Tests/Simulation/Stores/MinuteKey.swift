import History
import Wire

/// One minute of one device.
struct MinuteKey: Hashable {
    var device: DeviceID
    var minute: Int64
}

/// What must be equal between two ways of counting.
struct MinuteNumbers: Hashable, CustomStringConvertible {
    var steps: Int64 = 0
    var revolutions: Int64 = 0
    var distanceMillimetres: Int64 = 0
    var coveredMilliseconds: Int64 = 0
    var activeMilliseconds: Int64 = 0
    var activityMilliseconds = [Int64](repeating: 0, count: ActivityKind.allCases.count)
    var cadenceIntegral = 0.0
    var cadenceSeconds: Int64 = 0
    var cadenceMaximum = 0.0

    init() {}

    init(_ sum: CountSum) {
        (steps, revolutions) = (sum.counts.steps, sum.counts.revolutions)
        distanceMillimetres = sum.counts.distanceMillimetres
        (coveredMilliseconds, activeMilliseconds) = (sum.counts.coveredMilliseconds, sum.counts.activeMilliseconds)
        activityMilliseconds = sum.activityMilliseconds
        (cadenceIntegral, cadenceSeconds) = (sum.cadence.integral, sum.cadence.seconds)
        cadenceMaximum = sum.cadence.maximum
    }

    /// The same without what a length in a config changes.
    var withoutDistance: MinuteNumbers {
        var numbers = self
        numbers.distanceMillimetres = 0
        return numbers
    }

    var description: String {
        """
        \(steps) steps, \(revolutions) revolutions, \(distanceMillimetres) mm, covered \(coveredMilliseconds) ms, \
        active \(activeMilliseconds) ms, activities \(activityMilliseconds), cadence \(cadenceIntegral) over \
        \(cadenceSeconds) s, at most \(cadenceMaximum)
        """
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
        for record in try await self.minutes(of: .device(device), in: .min ..< .max, limit: .max) {
            let numbers = MinuteNumbers(record.sum)
            if numbers != MinuteNumbers() { minutes[MinuteKey(device: device, minute: record.minute)] = numbers }
        }
        return minutes
    }
}
