internal import Wire

/// Refusals that the counter has not got yet, by device: a flood of junk from one device becomes a record a second.
struct PendingRefusals {
    private struct Tally {
        var byReason = SIMD32<UInt32>()
        var toldMicroseconds: Int64?
    }

    private let maximumDevices: Int
    private let intervalMicroseconds: Int64
    private var tallies: [DeviceID: Tally] = [:]
    private var nextDueMicroseconds = Int64.max

    init(limits: IngestLimits) {
        maximumDevices = max(limits.maximumRefusedDevices, 0)
        intervalMicroseconds = max(limits.refusalIntervalMicroseconds, 0)
    }

    /// Notes a refusal; `false` when there is no room for another device.
    mutating func note(_ reason: WireError, of device: DeviceID) -> Bool {
        let index = Int(reason.rawValue) & 31
        if tallies[device] == nil {
            guard tallies.count < maximumDevices else { return false }
            nextDueMicroseconds = .min
        }
        let count = tallies[device, default: Tally()].byReason[index]
        tallies[device, default: Tally()].byReason[index] = count == .max ? count : count + 1
        return true
    }

    /// Hands out what is due, and forgets the devices that have nothing left to tell.
    mutating func takeDue(nowMicroseconds now: Int64, _ tell: (DeviceID, WireError, UInt32) -> Void) {
        guard now >= nextDueMicroseconds || now < nextDueMicroseconds - intervalMicroseconds else { return }
        nextDueMicroseconds = .max
        for (device, tally) in tallies where isDue(tally, now) {
            for reason in WireError.allCases {
                let count = tally.byReason[Int(reason.rawValue) & 31]
                if count > 0 { tell(device, reason, count) }
            }
            let isSilent = tally.byReason == SIMD32()
            tallies[device] = isSilent ? nil : Tally(toldMicroseconds: now)
        }
        for tally in tallies.values {
            nextDueMicroseconds = min(nextDueMicroseconds, (tally.toldMicroseconds ?? now) &+ intervalMicroseconds)
        }
    }

    /// A clock that was set back makes everything due.
    private func isDue(_ tally: Tally, _ now: Int64) -> Bool {
        guard let told = tally.toldMicroseconds else { return true }
        return now < told || now - told >= intervalMicroseconds
    }
}
