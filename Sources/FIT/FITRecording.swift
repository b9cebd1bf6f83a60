package import Wire

/// What another device recorded: the seconds of its activities.
package struct FITRecording: Sendable, Equatable {
    /// The serial number of the device, where the file tells it.
    package private(set) var serial: UInt32?
    /// In order of time, each with a cadence of one kind; nothing is known of the seconds of a pause.
    package private(set) var parts: [RecordedSeconds] = []

    /// Devices write a record every few seconds where little changes: it stands for so many seconds before it.
    static let maximumRecordSeconds: Int64 = 10
    /// A longer pause is between parts.
    static let maximumPauseSeconds: Int64 = 300
    /// The most parts: two months without a pause.
    static let maximumParts = 10_000

    /// Reads what was recorded.
    package init(_ bytes: [UInt8]) throws(FITError) {
        var reading = Reading()
        try FITFile.forEachMessage(in: bytes) { reading.take($0) }
        serial = reading.serial
        // A record is of the seconds up to its own. What two say of one second is put together.
        var last: (time: Int64, run: Int)?
        for record in reading.records.sorted(by: { ($0.time, $0.place) < ($1.time, $1.place) }) {
            let cadence = reading.cadence(of: record)
            var first = record.time
            if let last, last.run == record.run, record.time - last.time <= Self.maximumRecordSeconds {
                first = min(last.time + 1, record.time)
            }
            last = (record.time, record.run)
            let second = Second(cadence: cadence?.perMinute, watts: record.watts, bpm: record.bpm)
            guard second != Second() else { continue }
            guard parts.count <= Self.maximumParts else { throw .tooLong }
            for time in first...record.time {
                append(second, at: time, isOfSteps: cadence?.isOfSteps ?? parts.last?.isOfSteps ?? false)
            }
        }
    }

    private struct Second: Equatable { var cadence, watts, bpm: Int? }

    /// Adds a second behind the others, or to the last one. A pause is in the part that it interrupts, so that a ride is
    /// few messages.
    private mutating func append(_ second: Second, at time: Int64, isOfSteps: Bool) {
        if let last = parts.last, (0...Self.maximumPauseSeconds).contains(time - last.end) {
            for pause in last.end..<time { add(Second(), at: pause, isOfSteps: last.isOfSteps) }
        }
        add(second, at: time, isOfSteps: isOfSteps)
    }

    private mutating func add(_ second: Second, at time: Int64, isOfSteps: Bool) {
        var part = RecordedSeconds(start: time)
        part.isOfSteps = isOfSteps
        if let last = parts.last, last.isOfSteps == isOfSteps {
            let isFull = last.count >= RecordedSeconds.maximumSeconds
            if time == last.end - 1 || time == last.end && !isFull { part = parts.removeLast() }
        }
        part.set(\.cadence, second.cadence, at: time)
        part.set(\.watts, second.watts, at: time)
        part.set(\.bpm, second.bpm, at: time)
        parts.append(part)
    }
}

extension RecordedSeconds {
    fileprivate var end: Int64 { start + Int64(count) }

    /// Adds a number at the end, or puts it in the last place where it is known. One that nobody has is not known: a watch
    /// tells more watts than that where its sensor is wrong.
    fileprivate mutating func set(_ channel: WritableKeyPath<Self, [Int?]>, _ number: Int?, at time: Int64) {
        let number = number.flatMap { (0...Trace.Channel.maximum).contains($0) ? $0 : nil }
        let place = Int(time - start)
        if place == self[keyPath: channel].count {
            self[keyPath: channel].append(number)
        } else if let number {
            self[keyPath: channel][place] = number
        }
    }
}

/// What the messages of a file say.
private struct Reading {
    struct Record {
        var time: Int64
        /// The place in the file.
        var place: Int
        /// How often the timer had been stopped.
        var run: Int
        var cadence: Double?
        var watts: Int?
        var bpm: Int?
    }

    struct Session {
        var times: ClosedRange<Int64>
        var sport: Int
        var subSport: Int
    }

    var serial: UInt32?
    var records: [Record] = []
    private var sessions: [Session] = []
    private var run = 0

    mutating func take(_ message: FITMessage) {
        let time = message[FITFormat.timestamp].flatMap(FITFormat.seconds)
        switch FITMessageNumber(rawValue: message.number) {
        case .fileID: serial = serial ?? message[3].flatMap { UInt32(exactly: $0) }
        case .event where message[0] == 0 && message[1] != 0: run += 1
        case .session:
            guard let time, let sport = message[5] else { return }
            let start = message[2].flatMap(FITFormat.seconds) ?? time
            sessions.append(
                Session(times: min(start, time)...time, sport: sport, subSport: message[6] ?? 0))
        case .record:
            guard let time else { return }
            let cadence =
                message[52].map { Double($0) / 256 }
                ?? message[4].map { Double($0) + Double(message[53] ?? 0) / 128 }
            records.append(
                Record(
                    time: time, place: records.count, run: run, cadence: cadence, watts: message[7],
                    bpm: message[3].flatMap { $0 > 0 ? $0 : nil }))
        default: break
        }
    }

    /// The cadence of a record by the sport of its session: where none is told, it is of pedals. Nil where it is of
    /// something else, such as oars or arms.
    func cadence(of record: Record) -> (perMinute: Int, isOfSteps: Bool)? {
        guard let cadence = record.cadence else { return nil }
        let session = sessions.first { $0.times.contains(record.time) } ?? sessions.first
        switch (session?.sport ?? 0, session?.subSport ?? 0) {
        // Generic, cycling, e-bikes; on fitness equipment a spinning bike.
        case (0, _), (2, _), (21, _), (4, 5), (4, 6): return (Int(cadence.rounded()), false)
        // Running, walking, hiking; on fitness equipment a treadmill.
        case (1, _), (11, _), (17, _), (4, 1): return (Int((cadence * 2).rounded()), true)
        default: return nil
        }
    }
}
