import MQTT
import StrideClient
import Wire

/// Asks history over the bus, minute by minute.
struct HistoryReader: Sendable {
    let bus: StrideBus
    let workload: Workload
    /// Devices that are not compared.
    var ignored: Set<DeviceID> = []

    /// How often history is asked until it says what is expected, in milliseconds.
    private static let roundMilliseconds = 400

    /// How far beyond the frames' own time it is looked, in seconds: clocks may be wrong, and frames late.
    private static let marginSeconds = 9_000.0

    /// What history says now.
    func read() async throws -> (truth: Workload.Truth, coveredSeconds: Double) {
        var truth: Workload.Truth = [:]
        var covered = 0.0
        let middle = Double(workload.start / 60_000_000) * 60
        let (from, to) = (middle - Self.marginSeconds, middle + Double(workload.seconds) + Self.marginSeconds)
        for device in workload.devices {
            let series = try await bus.series(
                device: device, from: .instant(seconds: from), to: .instant(seconds: to), bucket: .minute)
            for bucket in series.rows {
                covered += bucket.coveredSeconds
                guard bucket.steps > 0 || bucket.revolutions > 0 else { continue }
                truth[device, default: [:]][Int64(bucket.start) / 60] = Workload.Numbers(
                    steps: bucket.steps, revolutions: bucket.revolutions)
            }
        }
        return (truth, covered)
    }

    /// Asks until history says exactly what is expected, or patience ends; the answer is what differs then.
    func differences(from expected: Workload.Truth, patienceSeconds: Double) async -> [String] {
        let deadline = ContinuousClock.now + .seconds(patienceSeconds)
        var differences = ["history has not answered"]
        while ContinuousClock.now < deadline {
            if let answer = try? await read() {
                differences = differencesNow(answer.truth, expected)
                if differences.isEmpty { return [] }
            }
            try? await ContinuousClock().sleep(for: .milliseconds(Self.roundMilliseconds))
        }
        return differences
    }

    private func differencesNow(_ history: Workload.Truth, _ expected: Workload.Truth) -> [String] {
        var lines: [String] = []
        for device in Set(history.keys).union(expected.keys).sorted() where !ignored.contains(device) {
            let (has, wants) = (history[device] ?? [:], expected[device] ?? [:])
            for minute in Set(has.keys).union(wants.keys).sorted() where has[minute] != wants[minute] {
                let (left, right) = (has[minute] ?? Workload.Numbers(), wants[minute] ?? Workload.Numbers())
                lines.append(
                    "\(device) minute \(minute): \(left.steps)/\(left.revolutions) and not \(right.steps)/\(right.revolutions)"
                )
            }
        }
        return lines
    }
}
