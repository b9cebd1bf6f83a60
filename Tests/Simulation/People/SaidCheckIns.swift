import Wire

/// Whose each device is by what history has answered to check-ins and check-outs, without history.
struct SaidCheckIns {
    /// A stretch of time that was somebody's by one check-in, or nobody's; a later one lies over an earlier one.
    private struct Layer {
        var minutes: Range<Int64>
        var person: String?
    }

    private var layers: [DeviceID: [Layer]] = [:]
    /// Devices of which it is not known what history has taken: it died while it answered.
    private var unsure: Set<DeviceID> = []

    /// Whose a device is in a minute; `nil` where that is not known.
    func owner(of device: DeviceID, at minute: Int64) -> String?? {
        guard !unsure.contains(device) else { return nil }
        return .some(layers[device]?.last { $0.minutes.contains(minute) }?.person)
    }

    mutating func checkIn(_ data: AssignmentData) {
        layers[data.device, default: []].append(Layer(minutes: Self.minutes(of: data), person: data.person))
    }

    /// A check-in ends at a minute: of what goes on, as much as no later one lies over.
    mutating func checkOut(_ data: AssignmentData) {
        let end = Self.minutes(of: data).upperBound
        guard let known = layers[data.device], let index = known.lastIndex(where: { $0.minutes.contains(end) }) else {
            return
        }
        let later = known[(index + 1)...].map(\.minutes.lowerBound).filter { $0 > end }.min() ?? .max
        let rest = end..<min(known[index].minutes.upperBound, later)
        layers[data.device]?.append(Layer(minutes: rest, person: nil))
    }

    /// Nothing is a person's any more.
    mutating func forget(person: String) {
        for (device, known) in layers {
            layers[device] = known.map { Layer(minutes: $0.minutes, person: $0.person == person ? nil : $0.person) }
        }
    }

    mutating func doubt(_ devices: some Sequence<DeviceID>) { unsure.formUnion(devices) }

    private static func minutes(of data: AssignmentData) -> Range<Int64> {
        let start = data.from.map { Int64($0 / 60) } ?? .min
        return start..<max(start, data.to.map { Int64($0 / 60) } ?? .max)
    }
}
