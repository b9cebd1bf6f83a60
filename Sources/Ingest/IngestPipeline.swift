package import Wire

/// The decisions of ingest: bytes of device messages in, motion batches out, everything counted.
///
/// It does no I/O and reads no clock. It belongs to one thread: copies share the JSON parser.
package struct IngestPipeline {
    /// The messages seen since the start.
    package internal(set) var counters = IngestCounters()

    private let topics: TopicTree
    private let limits: IngestLimits
    private let sources: [DeviceSource]
    /// The counters, with the batch for each that is being filled.
    private var batches: [CounterBatch]
    /// The place in `batches` of each partition's counter.
    private let counterOfPartition: [Int]
    private let decoder = FrameDecoder()
    private var frame = Frame()
    /// The devices that were accepted, with what each may still send.
    private var devices: [DeviceID: DeviceAllowance] = [:]
    /// The memory of each device in a foreign form; a device that is not admitted has none.
    private var memories: [DeviceID: DeviceMemory] = [:]
    private var refusals: PendingRefusals
    /// The phones with OwnTracks by their topic, and the hour since 1970 up to which each was asked for its steps.
    private var phones: [String: Int64] = [:]
    private var finished: [MotionMessage] = []

    private struct CounterBatch {
        var range: PartitionRange
        var encoder: MotionBatchEncoder
    }

    /// - Parameter counters: The partitions of each counter: all of them, each once.
    package init(
        topics: TopicTree, limits: IngestLimits = IngestLimits(), sources: [DeviceSource] = [],
        counters: [PartitionRange] = [.all]
    ) {
        self.topics = topics
        self.limits = limits
        self.sources = sources
        refusals = PendingRefusals(limits: limits)
        batches = counters.map {
            CounterBatch(range: $0, encoder: MotionBatchEncoder(maximumBytes: limits.maximumBatchBytes))
        }
        counterOfPartition = Partition.all.map { partition in
            counters.firstIndex { $0.contains(partition) } ?? 0
        }
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
                try spend(payload.count, of: device, arrivalMicroseconds)
                try accept(payload, on: channel, of: device, arrivalMicroseconds: arrivalMicroseconds)
            } catch {
                refuse(error, of: device)
            }
        } catch {
            let isForeign = takeForeign(
                topic, payload, isRetained: isRetained, arrivalMicroseconds: arrivalMicroseconds)
            if !isForeign { counters.countRefusal(error) }
        }
    }

    /// Gives out every batch that holds anything: call it after the messages that are acknowledged together.
    package mutating func finish(nowMicroseconds: Int64) -> [MotionMessage] {
        reportRefusals(nowMicroseconds: nowMicroseconds)
        for counter in batches.indices where !batches[counter].encoder.isEmpty { close(counter) }
        let publications = finished
        finished.removeAll(keepingCapacity: true)
        return publications
    }

    /// Gives out the refusals that are due. They may be lost, so there are none amid messages: they would take along motion
    /// that is acknowledged.
    package mutating func takeDueRefusals(nowMicroseconds: Int64) -> [MotionMessage] {
        let holdsMotion = !finished.isEmpty || batches.contains { !$0.encoder.isEmpty }
        return holdsMotion ? [] : finish(nowMicroseconds: nowMicroseconds)
    }
}

// Accepted messages.
extension IngestPipeline {
    private mutating func accept(
        _ payload: UnsafeRawBufferPointer, on channel: DeviceChannel, of device: DeviceID, arrivalMicroseconds: Int64
    ) throws(WireError) {
        let message = DeviceMessage(payload: payload, arrivalMicroseconds: arrivalMicroseconds)
        guard channel == .imu else {
            return try accept(try MotionContent.decoding(message, on: channel), of: device, arrivalMicroseconds)
        }
        do throws(WireError) { try decoder.decode(message.payload, into: &frame) } catch {
            guard let format = DeviceFormatName.recognising(message.payload, after: error) else { throw error }
            return try accept(message, format, of: device)
        }
        try admit(device, arrivalMicroseconds)
        append(MotionRecord(device: device, arrivalMicroseconds: arrivalMicroseconds, content: .frame(frame)))
        counters.accepted += 1
    }

    /// Takes a message of a topic that is not ours, by the first source that it belongs to.
    ///
    /// - Returns: Whether there is one.
    private mutating func takeForeign(
        _ topic: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer, isRetained: Bool, arrivalMicroseconds: Int64
    ) -> Bool {
        guard !sources.isEmpty else { return false }
        let levels = String(decoding: topic, as: UTF8.self).split(separator: "/", omittingEmptySubsequences: false)
        guard let source = sources.first(where: { $0.matches(levels) }) else { return false }
        if source.format == .ownTracks { note(phone: levels) }
        let message = DeviceMessage(
            topicLevels: levels, payload: payload, arrivalMicroseconds: arrivalMicroseconds, source: source)
        do throws(WireError) {
            let (device, name) = try source.device(of: message)
            do throws(WireError) {
                // A retained message is of a time that has passed.
                guard !isRetained else {
                    countWithoutContent()
                    return true
                }
                try spend(payload.count, of: device, arrivalMicroseconds)
                try accept(message, source.format, of: device, name: name)
            } catch {
                refuse(error, of: device)
            }
        } catch {
            counters.countRefusal(error)
        }
        return true
    }

    private mutating func countWithoutContent() {
        counters.accepted += 1
        counters.withoutContent += 1
    }

    private mutating func accept(
        _ message: DeviceMessage, _ format: DeviceFormatName, of device: DeviceID, name: String? = nil
    ) throws(WireError) {
        var (message, memory) = (message, memories[device] ?? DeviceMemory())
        memory.separate(&message)
        defer { if devices[device] != nil { memories[device] = memory } }
        let contents = try format.type.decode(message, &memory)
        try accept(contents, of: device, name: name, message.arrivalMicroseconds)
    }

    /// Takes what was found in a message. One of several contents that cannot be is told on the device's health, and the
    /// others count.
    private mutating func accept(
        _ contents: [MotionContent], of device: DeviceID, name: String? = nil, _ arrivalMicroseconds: Int64
    ) throws(WireError) {
        let refused = contents.compactMap { if case .refusal(let reason, _) = $0 { reason } else { nil } }
        if let reason = refused.first, refused.count == contents.count { throw reason }
        try admit(device, name: name, arrivalMicroseconds)
        guard !contents.isEmpty else { return countWithoutContent() }
        for reason in Set(refused) { tell(reason, of: device) }
        for content in contents {
            if case .refusal = content { continue }
            append(MotionRecord(device: device, arrivalMicroseconds: arrivalMicroseconds, content: content))
        }
        counters.accepted += 1
    }

    /// Takes a device in, and tells its counter the name in the system that it comes from.
    private mutating func admit(
        _ device: DeviceID, name: String? = nil, _ nowMicroseconds: Int64
    ) throws(WireError) {
        guard devices[device] == nil else { return }
        guard devices.count < limits.maximumDevices else { throw .tooManyDevices }
        devices[device] = DeviceAllowance(limits, nowMicroseconds: nowMicroseconds)
        counters.devices += 1
        guard let name else { return }
        append(MotionRecord(device: device, arrivalMicroseconds: nowMicroseconds, content: .name(name)))
    }

    /// Takes a message off what its device may send. A device that was never accepted has nothing to take it off: its
    /// messages are refused anyway.
    private mutating func spend(_ bytes: Int, of device: DeviceID, _ nowMicroseconds: Int64) throws(WireError) {
        guard devices[device]?.spend(bytes, limits, nowMicroseconds: nowMicroseconds) ?? true else { throw .tooFast }
    }

    private mutating func append(_ record: MotionRecord) {
        if case .frame(let frame) = record.content, frame.hasLeftOut { tell(.outOfRange, of: record.device) }
        // The only counter has every device.
        let counter = batches.count == 1 ? 0 : counterOfPartition[Partition(of: record.device).number]
        guard !batches[counter].encoder.append(record) else { return }
        close(counter)
        // An empty batch takes any record.
        _ = batches[counter].encoder.append(record)
    }

    private mutating func close(_ counter: Int) {
        let payload = batches[counter].encoder.bytes
        batches[counter].encoder.removeAll()
        counters.batches += 1
        finished.append(MotionMessage(range: batches[counter].range, payload: payload))
    }
}

// Phones with OwnTracks, which send their steps when they are asked (OwnTracks booklet, "Pedometer").
extension IngestPipeline {
    /// The most phones that are asked, and the hours that one is asked for when it is new.
    private static let (maximumPhones, hoursOfNewPhone) = (1_024, Int64(24))

    private mutating func note(phone levels: [Substring]) {
        let topic = levels.prefix(3).joined(separator: "/")
        if levels.count >= 3, phones.count < Self.maximumPhones { phones[topic] = phones[topic] ?? 0 }
    }

    /// The phones that are due, each with a question for every hour that has ended: those of a day, so that an outage
    /// leaves no gap, then in each hour the last two, because an answer replaces an earlier one of the same hour.
    func duePhones(nowMicroseconds now: Int64) -> [(phone: String, questions: [[UInt8]])] {
        let end = now / 3_600_000_000
        return phones.filter { $0.value < end }.map { phone, next in
            let questions = (max(next - 1, end - Self.hoursOfNewPhone)..<end).map { hour in
                let (from, to) = (hour * 3600, (hour + 1) * 3600)
                return Array(#"{"_type":"cmd","action":"reportSteps","from":\#(from),"to":\#(to)}"#.utf8)
            }
            return (phone, questions)
        }
    }

    /// A phone was asked; as long as it was not, it is due.
    mutating func noteAsked(_ phone: String, nowMicroseconds now: Int64) { phones[phone] = now / 3_600_000_000 }
}

// Refused messages.
extension IngestPipeline {
    private mutating func refuse(_ reason: WireError, of device: DeviceID) {
        counters.countRefusal(reason)
        tell(reason, of: device)
    }

    private mutating func tell(_ reason: WireError, of device: DeviceID) {
        if !refusals.note(reason, of: device) { counters.refusalsUnreported += 1 }
    }

    private mutating func reportRefusals(nowMicroseconds: Int64) {
        var records: [MotionRecord] = []
        refusals.takeDue(nowMicroseconds: nowMicroseconds) { device, reason, count in
            records.append(
                MotionRecord(
                    device: device, arrivalMicroseconds: nowMicroseconds, content: .refusal(reason, count: count)))
        }
        for record in records {
            if case .refusal(_, let count) = record.content { counters.refusalsReported += UInt64(count) }
            append(record)
        }
    }
}

/// The allowance of a device: two buckets that fill with time, of messages and of bytes.
struct DeviceAllowance {
    private var messages: Double
    private var bytes: Double
    private var filledMicroseconds: Int64

    /// Full buckets.
    init(_ limits: IngestLimits, nowMicroseconds: Int64) {
        (messages, bytes) = (limits.burstMessages, limits.burstBytes)
        filledMicroseconds = nowMicroseconds
    }

    /// Takes a message of so many bytes out; false if there is not enough left, and then nothing is taken.
    mutating func spend(_ count: Int, _ limits: IngestLimits, nowMicroseconds now: Int64) -> Bool {
        // A clock that was set back fills nothing.
        let seconds = max(0, Double(now &- filledMicroseconds) / 1e6)
        filledMicroseconds = now
        messages = min(limits.burstMessages, messages + seconds * limits.messagesPerSecond)
        bytes = min(limits.burstBytes, bytes + seconds * limits.bytesPerSecond)
        guard messages >= 1, bytes >= Double(count) else { return false }
        messages -= 1
        bytes -= Double(count)
        return true
    }
}

/// A motion batch that is ready to go to its counter.
package struct MotionMessage: Sendable, Hashable {
    /// The partitions of that counter.
    package var range: PartitionRange
    /// The batch, for `MotionBatchDecoder`.
    package var payload: [UInt8]
}

extension DeviceChannel {
    /// The channels on which devices send. What a mark means is history's; one that is refused is told in the device's health.
    static let ingested: [DeviceChannel] = [.imu, .rev, .csc, .ftms, .hr, .count, .seconds, .mark]

    var isIngested: Bool { Self.ingested.contains(self) }
}

/// Refusals that the counter has not got yet, by device: a flood of junk from one device becomes a record a second.
struct PendingRefusals {
    private struct Tally {
        var byReason = SIMD32<UInt32>()
        var reportedMicroseconds: Int64?
    }

    private let maximumDevices: Int
    private let intervalMicroseconds: Int64
    private var tallies: [DeviceID: Tally] = [:]

    init(limits: IngestLimits) {
        maximumDevices = max(limits.maximumRefusedDevices, 0)
        intervalMicroseconds = max(limits.refusalIntervalMicroseconds, 0)
    }

    /// Notes a refusal; `false` when there is no room for another device.
    mutating func note(_ reason: WireError, of device: DeviceID) -> Bool {
        let index = Int(reason.rawValue) & 31
        guard tallies[device] != nil || tallies.count < maximumDevices else { return false }
        let count = tallies[device, default: Tally()].byReason[index]
        tallies[device, default: Tally()].byReason[index] = count == .max ? count : count + 1
        return true
    }

    /// Hands out what is due, and forgets the devices that have nothing left.
    mutating func takeDue(nowMicroseconds now: Int64, _ report: (DeviceID, WireError, UInt32) -> Void) {
        for (device, tally) in tallies where isDue(tally, now) {
            for reason in WireError.allCases {
                let count = tally.byReason[Int(reason.rawValue) & 31]
                if count > 0 { report(device, reason, count) }
            }
            let isSilent = tally.byReason == SIMD32()
            tallies[device] = isSilent ? nil : Tally(reportedMicroseconds: now)
        }
    }

    /// A clock that was set back makes everything due.
    private func isDue(_ tally: Tally, _ now: Int64) -> Bool {
        guard let last = tally.reportedMicroseconds else { return true }
        return now < last || now - last >= intervalMicroseconds
    }
}
