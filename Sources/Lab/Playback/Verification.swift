import Foundation
import StrideClient
import Wire

/// Asks history for the totals of every device of a source until they are as expected or patience ends.
struct Verification<Source: VerifiableSource>: Sendable {
    let source: Source
    let startMicroseconds: Int64
    let patienceSeconds: Double

    /// Asks again and again; the answer that counts is the last one.
    func run(on bus: StrideBus) async throws -> DemonstrationFinding {
        let expected = source.devices.indices.map { source.expectedTotals(of: $0) }
        let deadline = ContinuousClock.now + .seconds(patienceSeconds)
        while true {
            do {
                let finding = try await ask(bus, expected)
                if finding.isAsExpected || ContinuousClock.now >= deadline { return finding }
            } catch StrideClientError.noReply(let seconds) {
                guard ContinuousClock.now < deadline else { throw StrideClientError.noReply(seconds: seconds) }
            }
            try await Task.sleep(for: .milliseconds(250))
        }
    }

    private func ask(_ bus: StrideBus, _ expected: [ExpectedTotals]) async throws -> DemonstrationFinding {
        var rows: [DemonstrationFinding.Row] = []
        for (device, totals) in zip(source.devices, expected) {
            let answer = try await answer(device.id, bus)
            rows.append(DemonstrationFinding.Row(device: device, expected: totals, answer: answer))
        }
        return DemonstrationFinding(rows: rows)
    }

    /// History's minutes are whole: the interval is widened to them.
    private func answer(_ device: DeviceID, _ bus: StrideBus) async throws -> IntervalData {
        let from = (Double(startMicroseconds) / 60e6).rounded(.down) * 60
        let to = (Date().timeIntervalSince1970 / 60).rounded(.up) * 60 + 60
        return try await bus.interval(
            device: device, from: .instant(seconds: from), to: .instant(seconds: to))
    }
}
