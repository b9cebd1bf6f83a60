import MQTT
import ServiceKit
import Wire

/// The status and health of the services, with the difference of their clocks from ours.
struct ServiceSurvey {
    private let topics: TopicTree
    private var online: Set<ServiceName> = []
    private var offsets: [ServiceName: Double] = [:]
    /// Inputs that services have died of and set aside.
    private var setAside: [ServiceName: UInt64] = [:]
    /// The port without TLS that the private broker says it has.
    private var plainPort: UInt64?

    /// A difference that puts frames without a time of their own into the wrong minute, in seconds.
    static let largestOffsetSeconds = 5.0
    /// The age of a retained report of the network that is of now, in seconds: it comes every ten.
    private static let largestAgeSeconds = 60.0

    init(topics: TopicTree) {
        self.topics = topics
    }

    /// True if all services are online and have sent their health.
    var isComplete: Bool { online.count == ServiceName.allCases.count && online.isSubset(of: offsets.keys) }

    mutating func take(_ message: MQTTMessage, nowMicroseconds now: Int64) {
        switch try? topics.parse(message.topic) {
        case .serviceStatus(let service):
            if message.payload.elementsEqual("online".utf8) { online.insert(service) } else { online.remove(service) }
        case .instanceHealth(let service, _):
            // Of several instances one that reports is enough to be online.
            guard !message.isRetained, let health = try? ServiceHealth(json: message.payload) else { return }
            online.insert(service)
            offsets[service] = health.t - Double(now) / 1e6
        case .serviceHealth(.network):
            guard let health = try? ServiceHealth(json: message.payload),
                abs(health.t - Double(now) / 1e6) < Self.largestAgeSeconds
            else { return }
            plainPort = health["plain_port"]
        case .serviceHealth(let service):
            // A retained report is as old as it is.
            guard let health = try? ServiceHealth(json: message.payload) else { return }
            setAside[service] = health["set_aside"]
            if !message.isRetained { offsets[service] = health.t - Double(now) / 1e6 }
        default: break
        }
    }

    var findings: [Finding] {
        let plain = plainPort.map {
            Finding.warning(
                "--plain-port", "port \($0) is without TLS: who listens in reads what goes over it, passwords too",
                "leave --plain-port out at 'stridebus up' as soon as no board needs it")
        }
        let aside = setAside.filter { $0.value > 0 }.sorted { $0.key.rawValue < $1.key.rawValue }.map {
            service, count in
            Finding.warning(
                service.rawValue, "died of \(count) inputs, set them aside and goes on",
                "send the files in set-aside/ of its data folder to whom SECURITY.md names, then take them away and restart"
            )
        }
        return [plain].compactMap(\.self) + aside + services
    }

    private var services: [Finding] {
        ServiceName.allCases.map { service in
            guard online.contains(service) else {
                return .bad(
                    service.rawValue, "is not online, or this user may not read it",
                    "start it ('stridebus \(service.rawValue)', or all with 'stridebus up'), or allow this user to read "
                        + topics.text(.serviceStatus(service)))
            }
            guard let offset = offsets[service] else { return .good(service.rawValue, "is online") }
            guard abs(offset) > Self.largestOffsetSeconds else {
                return .good(service.rawValue, "is online, its clock agrees with this machine's")
            }
            return .warning(
                service.rawValue, "is online, its clock is \(Int(offset.rounded())) s off this machine's",
                "set both by NTP (timedatectl set-ntp true)")
        }
    }
}

/// The messages of devices, in whichever form.
struct DeviceSurvey {
    fileprivate struct Observed {
        var memory = DeviceMemory()
        var frames = 0
        /// Messages of counts and cadences.
        var counts = 0
        var refused: [WireError: Int] = [:]
        var samples = 0
        var seconds = 0.0
        /// When the last frame of one sample came.
        var before: Int64?
        var offsetSeconds: Double?
        var next: (boot: BootID, sequence: UInt64)?
        var missing: UInt64 = 0
        var hasNoSequence = false
    }

    /// The channels on which devices send.
    static let channels: [DeviceChannel] = [.imu, .rev, .csc, .ftms, .count]
    /// The least rate for counting steps, and the least one for counting them well, in samples a second.
    static let ratesHz = 10.0...25.0
    /// A clock that is further off than this puts counts into the wrong day sooner or later, in seconds.
    static let largestOffsetSeconds = 60.0
    static let maximumDevices = 1_000

    private let topics: TopicTree
    private let decoder = FrameDecoder()
    private var frame = Frame()
    private var devices: [DeviceID: Observed] = [:]

    init(topics: TopicTree) {
        self.topics = topics
    }

    mutating func take(
        topic: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, nowMicroseconds now: Int64
    ) {
        guard case .device(let device, let channel) = try? topics.parse(topic), Self.channels.contains(channel),
            devices[device] != nil || devices.count < Self.maximumDevices
        else { return }
        var observed = devices[device] ?? Observed()
        do throws(WireError) {
            for content in try contents(of: payload, on: channel, &observed.memory, nowMicroseconds: now) {
                if case .frame(let frame) = content {
                    observed.note(frame, nowMicroseconds: now)
                } else {
                    observed.counts += 1
                }
            }
        } catch {
            observed.refused[error, default: 0] += 1
        }
        devices[device] = observed
    }

    /// The contents that ingest would find in a message.
    private mutating func contents(
        of payload: UnsafeRawBufferPointer, on channel: DeviceChannel, _ memory: inout DeviceMemory,
        nowMicroseconds now: Int64
    ) throws(WireError) -> [MotionContent] {
        guard channel == .imu else {
            return try MotionContent.decoding(payload, on: channel, arrivalMicroseconds: now).map { [$0] } ?? []
        }
        do throws(WireError) {
            try decoder.decode(payload, into: &frame)
            return [.frame(frame)]
        } catch {
            guard let format = DeviceFormatName.recognising(payload, after: error) else { throw error }
            return try format.type.decode(DeviceMessage(payload: payload, arrivalMicroseconds: now), &memory)
        }
    }

    func findings(listenSeconds: Double) -> [Finding] {
        guard !devices.isEmpty else {
            return [
                .warning(
                    "devices", "none sent anything in \(Int(listenSeconds)) s",
                    "publish to \(topics.root)/{device}/imu, or allow this user to read \(topics.filter(every: .imu)); "
                        + "what comes by a source from another topic is not observed here")
            ]
        }
        return devices.sorted { $0.key.description < $1.key.description }.map { device, observed in
            observed.finding("\(device)", listenSeconds: listenSeconds)
        }
    }
}

extension DeviceSurvey.Observed {
    fileprivate mutating func note(_ frame: Frame, nowMicroseconds now: Int64) {
        frames += 1
        switch frame.timing {
        case .uniform(let period) where frame.sampleCount > 1:
            samples += frame.sampleCount
            seconds += Double(period) * 1e-9 * Double(frame.sampleCount)
        case .intervals where frame.sampleCount > 1:
            samples += frame.intervalsMicroseconds.count
            seconds += Double(frame.intervalsMicroseconds.reduce(0) { $0 + UInt64($1) }) * 1e-6
        default:
            // The rate of frames of one sample is that at which they come.
            if let before { (samples, seconds) = (samples + 1, seconds + Double(max(0, now - before)) * 1e-6) }
            before = now
        }
        if case .utc(let time) = frame.time { offsetSeconds = Double(time - now) / 1e6 }
        guard case .sequenced(let boot, let sequence) = frame.identity else {
            hasNoSequence = true
            return
        }
        if let next, next.boot == boot, sequence > next.sequence { missing += sequence - next.sequence }
        next = (boot, sequence &+ 1)
    }

    fileprivate func finding(_ device: String, listenSeconds: Double) -> Finding {
        let subject = "device \(device)"
        if let (reason, count) = refused.max(by: { $0.value < $1.value }) {
            return .bad(
                subject, "\(count) messages refused: \(reason.reason)",
                "compare the payload with docs/devices.md; \(device)/health says more")
        }
        guard frames > 0 else {
            return .good(subject, "\(counts) counts in \(Int(listenSeconds)) s: it counts by itself")
        }
        let rateHz = seconds > 0 ? Double(samples) / seconds : 0
        let rate = "\(frames) frames in \(Int(listenSeconds)) s at \(Int(rateHz.rounded())) Hz"
        if seconds > 0, rateHz < DeviceSurvey.ratesHz.lowerBound {
            return .bad(subject, rate, "send at least 10 samples a second, better 25 or more: steps are lost else")
        }
        if let offsetSeconds, abs(offsetSeconds) > DeviceSurvey.largestOffsetSeconds {
            return .warning(
                subject, "\(rate); its clock is \(Int(offsetSeconds)) s off",
                "set its clock by NTP, or send uptime_ms in place of t")
        }
        if missing > 0 {
            return .warning(
                subject, "\(rate); \(missing) frames are missing by their numbers",
                "publish with QoS 1 and keep frames until PUBACK")
        }
        if hasNoSequence {
            return .warning(
                subject, "\(rate); frames have no boot and seq",
                "number them: a frame that is sent twice is counted once only if it is the same to the byte")
        }
        if seconds > 0, rateHz < DeviceSurvey.ratesHz.upperBound {
            return .warning(subject, rate, "send 25 samples a second or more: fast steps are lost else")
        }
        return .good(subject, rate)
    }
}

/// One thing that the doctor looked at.
struct Finding: Sendable, Equatable {
    /// The grade of the finding.
    enum Grade: String, Sendable, Comparable {
        /// Works.
        case good = "ok"
        /// Works, and something will not when there is more to do.
        case warning = "warn"
        /// Does not work.
        case bad = "FAIL"

        static func < (left: Grade, right: Grade) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .good: 0
            case .warning: 1
            case .bad: 2
            }
        }
    }

    let grade: Grade
    /// The subject of the check, such as `max_queued_messages`.
    let subject: String
    let observation: String
    /// The remedy; `nil` where none is needed.
    let remedy: String?

    var lines: [String] {
        let word = grade.rawValue + String(repeating: " ", count: 4 - grade.rawValue.count)
        return ["\(word)  \(subject): \(observation)"] + (remedy.map { ["      → \($0)"] } ?? [])
    }

    static func good(_ subject: String, _ observation: String) -> Finding {
        Finding(grade: .good, subject: subject, observation: observation, remedy: nil)
    }

    static func warning(_ subject: String, _ observation: String, _ remedy: String) -> Finding {
        Finding(grade: .warning, subject: subject, observation: observation, remedy: remedy)
    }

    static func bad(_ subject: String, _ observation: String, _ remedy: String) -> Finding {
        Finding(grade: .bad, subject: subject, observation: observation, remedy: remedy)
    }
}
