import Counter
import Ingest
import Wire

extension FuzzTarget {
    /// The most lines of an input that are taken.
    private static let maximumLines = 100

    /// Messages and configs of a device, a line each, through ingest and the counter. The first byte says what a line is:
    /// `i`, `r`, `c`, `f`, `h`, `n`, `t` and `m` begin messages on `imu`, `rev`, `csc`, `ftms`, `hr`, `count`, `seconds` and
    /// `mark`, `g` a config, `s` is a new start of the counter from its states, and `w` a wait of as many seconds as the
    /// line has more bytes.
    ///
    /// Whatever it sends, another device in the same batches has exactly its steps.
    static func sequence(_ bytes: UnsafeRawBufferPointer) {
        guard var run = FuzzSequence() else { return }
        for line in bytes.split(separator: UInt8(ascii: "\n"), maxSplits: maximumLines).prefix(maximumLines) {
            run.take(Array(line))
        }
        run.finish()
    }
}

/// A counter that two devices send to through ingest.
private struct FuzzSequence {
    private let topics: TopicTree
    private let device: DeviceID
    private let neighbour: DeviceID
    private var ingest: IngestPipeline
    private var counter = CounterPipeline()
    private var states: [DeviceID: [UInt8]] = [:]
    private var config: DeviceConfig?
    private var now: Int64 = 1_795_194_000_000_000
    private var neighbourSteps: Int64 = 0
    private var countedSteps: Int64 = 0

    init?() {
        guard let topics = try? TopicTree(), let device = try? DeviceID("bike-1"),
            let other = Self.neighbour(of: device)
        else { return nil }
        (self.topics, self.device, neighbour) = (topics, device, other)
        ingest = IngestPipeline(topics: topics)
        sendNeighbour()
    }

    /// A device whose messages come in the same batches.
    private static func neighbour(of device: DeviceID) -> DeviceID? {
        (0..<1_000).lazy.compactMap { try? DeviceID("phone-\($0)") }
            .first { Partition(of: $0) == Partition(of: device) }
    }

    mutating func take(_ line: [UInt8]) {
        let payload = Array(line.dropFirst())
        switch line.first.map({ Character(UnicodeScalar($0)) }) {
        case "i": send(payload, on: .imu, of: device)
        case "r": send(payload, on: .rev, of: device)
        case "c": send(payload, on: .csc, of: device)
        case "f": send(payload, on: .ftms, of: device)
        case "h": send(payload, on: .hr, of: device)
        case "n": send(payload, on: .count, of: device)
        case "t": send(payload, on: .seconds, of: device)
        case "m": send(payload, on: .mark, of: device)
        case "g": configure(payload)
        case "s": restart()
        case "w": now += Int64(payload.count) * 1_000_000
        default: return
        }
        now += 1_000_000
        sendNeighbour()
        pass()
    }

    private mutating func configure(_ json: [UInt8]) {
        guard let new = json.isEmpty ? .some(nil) : (try? DeviceConfig(json: json)).map(Optional.some) else {
            return counter.refuseConfig(.malformed, "it cannot be read", of: device)
        }
        config = new
        counter.configure(device: device, new)
    }

    private mutating func send(_ payload: [UInt8], on channel: DeviceChannel, of device: DeviceID) {
        let now = now
        topics.bytes(.device(device, channel)).withUnsafeBytes { topic in
            payload.withUnsafeBytes {
                ingest.take(topic: topic, payload: $0, isRetained: false, arrivalMicroseconds: now)
            }
        }
    }

    /// The neighbour walks two steps a second.
    private mutating func sendNeighbour() {
        send(
            Array(#"{"kind":"boot","boot":"a","t":\#(now / 1_000_000),"steps":\#(neighbourSteps)}"#.utf8), on: .count,
            of: neighbour)
        neighbourSteps += 2
    }

    /// What has come goes to the counter, and what that makes into its store.
    private mutating func pass() {
        for batch in ingest.finish(nowMicroseconds: now) {
            batch.payload.withUnsafeBytes { bytes in
                guard var decoder = try? MotionBatchDecoder(bytes) else { return }
                while let written = decoder.nextBytes() {
                    guard let record = MotionBatchDecoder.read(written, reusing: Frame()) else { continue }
                    var encoder = MotionBatchEncoder()
                    _ = encoder.append(record)
                    let isRead = encoder.bytes.suffix(written.count).elementsEqual(written)
                    FuzzTarget.promise(isRead, "each record is read as ingest wrote it")
                    counter.accept(record)
                }
                FuzzTarget.promise(decoder.unreadableCount == 0, "every record of ingest's batches can be read")
            }
        }
        counter.accept(counter.findSilent(nowMicroseconds: now))
        store()
    }

    private mutating func store() {
        let commit = counter.takeCommit()
        for state in commit.states { states[state.device] = state.bytes }
        for increment in commit.increments where increment.device == neighbour { countedSteps += increment[.steps] }
        _ = counter.takeLive()
    }

    private mutating func restart() {
        counter = CounterPipeline()
        for (known, state) in states.sorted(by: { $0.key < $1.key }) {
            let isBelieved = counter.restore(device: known, state: state, config: known == device ? config : nil)
            FuzzTarget.promise(isBelieved, "a state can be taken up")
        }
        if states[device] == nil { counter.configure(device: device, config) }
    }

    mutating func finish() {
        pass()
        counter.finish()
        store()
        // The last word was sent and the number after it was not.
        FuzzTarget.promise(countedSteps == max(0, neighbourSteps - 2), "another device has exactly its steps")
    }
}
