import Motion
import Wire

extension DeviceCounter {
    /// Counts a frame that has pressures alone. Its time moves no signal's.
    mutating func countPressures(_ frame: Frame, arrival: Int64, scratch: inout SignalScratch) {
        let duration = frame.durationMicroseconds
        let start = start(of: frame, duration: duration, arrival: arrival)
        take(frame.pressuresHectopascals, from: start, to: start + duration, into: &scratch.floors)
        book(&scratch.floors)
    }

    private mutating func start(of frame: Frame, duration: Int64, arrival: Int64) -> Int64 {
        let told: Int64? =
            if case .utc(let microseconds) = frame.time { microseconds } else { uptimeUTC(frame, arrival: arrival) }
        guard let told, told >= ClockLimits.earliestMicroseconds, told - arrival <= ClockLimits.aheadMicroseconds
        else { return arrival - duration }
        return told
    }

    /// Takes pressures that are spread evenly over a stretch of time. Those of a bike tell nothing: floors are gone on
    /// foot.
    mutating func take(
        _ pressures: [Float], from start: Int64, to end: Int64, into events: inout [FloorEvent]
    ) {
        guard !pressures.isEmpty, settings.motion.kind != .bike else { return }
        let spacing = (end - start) / Int64(pressures.count)
        for (index, pressure) in pressures.enumerated() {
            let time = start + spacing * Int64(index) + spacing / 2
            guard Barometer.pressuresHectopascals.contains(pressure) else { continue }
            floors.push(timeMicroseconds: time, hectopascals: pressure, into: &events)
            ledger.change(at: time) { $0.pressures += 1 }
        }
    }

    /// Adds floors to their minutes.
    mutating func book(_ events: inout [FloorEvent]) {
        guard !events.isEmpty else { return }
        for event in events {
            // A floor that ends with a minute belongs to it.
            ledger.change(at: event.timeMicroseconds - 1) {
                switch event.direction {
                case .up: $0.floorsAscended += 1
                case .down: $0.floorsDescended += 1
                }
            }
        }
        events.removeAll(keepingCapacity: true)
    }
}
