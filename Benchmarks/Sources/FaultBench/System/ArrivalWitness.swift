import Wire

/// When ingest received each frame, as its batches on the bus say: what a counter goes by where a device's clock is not
/// to be believed.
struct ArrivalWitness: Sendable {
    private struct Key: Hashable {
        var device: DeviceID
        var identity: FrameIdentity
    }

    private var arrivals: [Key: Int64] = [:]

    mutating func take(_ payload: UnsafeRawBufferPointer) {
        guard var decoder = try? MotionBatchDecoder(payload) else { return }
        while let record = decoder.next() {
            guard case .frame(let frame) = record.content else { continue }
            let key = Key(device: record.device, identity: frame.identity)
            if arrivals[key] == nil { arrivals[key] = record.arrivalMicroseconds }
        }
    }

    /// The frame with the arrival that was seen.
    func seen(_ item: Workload.Item) -> Workload.Item {
        var copy = item
        copy.arrival = arrivals[Key(device: item.device, identity: item.frame.identity)] ?? item.arrival
        return copy
    }
}
