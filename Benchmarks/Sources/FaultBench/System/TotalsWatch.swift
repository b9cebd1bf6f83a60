import Wire

/// Whether what is told of a device's totals ever goes back: live by the counter, and for good by history.
struct TotalsWatch: Sendable {
    private struct Source: Hashable {
        var device: DeviceID
        var channel: DeviceChannel
    }

    private var totals: [Source: Workload.Numbers] = [:]
    /// How often a total was below an earlier one.
    private(set) var regressions = 0

    mutating func take(_ device: DeviceID, _ channel: DeviceChannel, _ payload: UnsafeRawBufferPointer) {
        guard let numbers = Self.numbers(channel, payload) else { return }
        let source = Source(device: device, channel: channel)
        if let old = totals[source], numbers.steps < old.steps || numbers.revolutions < old.revolutions {
            regressions += 1
        }
        totals[source] = numbers
    }

    private static func numbers(_ channel: DeviceChannel, _ payload: UnsafeRawBufferPointer) -> Workload.Numbers? {
        switch channel {
        case .total:
            (try? DeviceTotals(json: payload)).map { Workload.Numbers(steps: $0.steps, revolutions: $0.revolutions) }
        case .steps: (try? StepsReport(json: payload)).map { Workload.Numbers(steps: $0.steps) }
        case .cadence:
            (try? CadenceReport(json: payload))?.revolutions.map { Workload.Numbers(revolutions: $0) }
        default: nil
        }
    }
}
