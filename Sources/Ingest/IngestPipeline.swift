package import Wire

/// All that ingest decides: bytes of device messages in, motion batches out, everything counted.
///
/// It does no I/O and reads no clock. It belongs to one thread: copies share the JSON parser.
///
/// ```swift
/// var pipeline = IngestPipeline(topics: try TopicTree())
/// pipeline.take(topic: topic, payload: payload, isRetained: false, arrivalMicroseconds: now)
/// for publication in pipeline.finish(nowMicroseconds: now) { … }
/// ```
package struct IngestPipeline {
    /// What has been seen since the start.
    package private(set) var counters = IngestCounters()

    private let topics: TopicTree
    private let limits: IngestLimits
    private let partitions: [Partition]
    private let decoder = FrameDecoder()
    private var frame = Frame()
    private var devices: Set<DeviceID> = []
    private var refusals: PendingRefusals
    private var encoders: [MotionBatchEncoder]
    private var finished: [MotionMessage] = []

    /// A pipeline that has seen nothing.
    package init(topics: TopicTree, limits: IngestLimits = IngestLimits()) {
        self.topics = topics
        self.limits = limits
        partitions = Partition.all
        refusals = PendingRefusals(limits: limits)
        encoders = partitions.map { _ in MotionBatchEncoder(maximumBytes: limits.maximumBatchBytes) }
    }

    /// Takes one message as it came from the broker. Whatever it is, it is accepted or refused and counted.
    package mutating func take(
        topic: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, isRetained: Bool, arrivalMicroseconds: Int64
    ) {
        counters.received += 1
        do throws(WireError) {
            guard case .device(let device, let channel) = try topics.parse(topic), channel.isIngested else {
                throw .unknownTopic
            }
            do throws(WireError) {
                guard !isRetained else { throw .retainedData }
                try accept(payload, on: channel, of: device, arrivalMicroseconds: arrivalMicroseconds)
            } catch {
                refuse(error, of: device)
            }
        } catch {
            counters.countRefusal(error)
        }
    }

    /// Gives out every batch that holds anything: call it after the messages that are acknowledged together.
    package mutating func finish(nowMicroseconds: Int64) -> [MotionMessage] {
        tellRefusals(nowMicroseconds: nowMicroseconds)
        for partition in partitions where !encoders[partition.number].isEmpty { close(partition) }
        let publications = finished
        finished.removeAll(keepingCapacity: true)
        return publications
    }
}

// What is accepted.
extension IngestPipeline {
    private mutating func accept(
        _ payload: UnsafeRawBufferPointer, on channel: DeviceChannel, of device: DeviceID, arrivalMicroseconds: Int64
    ) throws(WireError) {
        if let content = try decode(payload, on: channel, arrivalMicroseconds: arrivalMicroseconds) {
            try admit(device)
            append(MotionRecord(device: device, arrivalMicroseconds: arrivalMicroseconds, content: content))
        } else {
            try admit(device)
            counters.withoutContent += 1
        }
        counters.accepted += 1
    }

    private mutating func decode(
        _ payload: UnsafeRawBufferPointer, on channel: DeviceChannel, arrivalMicroseconds: Int64
    ) throws(WireError) -> MotionContent? {
        guard channel == .imu else {
            return try .decoding(payload, on: channel, arrivalMicroseconds: arrivalMicroseconds)
        }
        try decoder.decode(payload, into: &frame)
        return .frame(frame)
    }

    private mutating func admit(_ device: DeviceID) throws(WireError) {
        guard !devices.contains(device) else { return }
        guard devices.count < limits.maximumDevices else { throw .tooManyDevices }
        devices.insert(device)
        counters.devices += 1
    }

    private mutating func append(_ record: MotionRecord) {
        let partition = Partition(of: record.device)
        guard !encoders[partition.number].append(record) else { return }
        close(partition)
        // An empty batch takes any record.
        _ = encoders[partition.number].append(record)
    }

    private mutating func close(_ partition: Partition) {
        let payload = encoders[partition.number].bytes
        encoders[partition.number].removeAll()
        counters.batches += 1
        counters.batchBytes += UInt64(payload.count)
        finished.append(MotionMessage(partition: partition, payload: payload))
    }
}

// What is refused.
extension IngestPipeline {
    private mutating func refuse(_ reason: WireError, of device: DeviceID) {
        counters.countRefusal(reason)
        if !refusals.note(reason, of: device) { counters.refusalsUntold += 1 }
    }

    private mutating func tellRefusals(nowMicroseconds: Int64) {
        var records: [MotionRecord] = []
        refusals.takeDue(nowMicroseconds: nowMicroseconds) { device, reason, count in
            records.append(
                MotionRecord(
                    device: device, arrivalMicroseconds: nowMicroseconds, content: .refusal(reason, count: count)))
        }
        for record in records {
            if case .refusal(_, let count) = record.content { counters.refusalsTold += UInt64(count) }
            append(record)
        }
    }
}

/// A motion batch that is ready to go to the counter of its partition.
package struct MotionMessage: Sendable, Hashable {
    /// The partition of every device in it.
    package var partition: Partition
    /// The batch, for `MotionBatchDecoder`.
    package var payload: [UInt8]
}

extension DeviceChannel {
    /// The channels on which devices send.
    static let ingested: [DeviceChannel] = [.imu, .rev, .csc, .ftms, .count]

    var isIngested: Bool { Self.ingested.contains(self) }
}
