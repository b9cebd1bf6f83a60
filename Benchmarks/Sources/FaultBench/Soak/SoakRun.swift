import Foundation
import MQTT
import Wire

/// The real services for a long time at half of what they can do.
struct SoakRun: Sendable {
    let executable: URL
    let minutes: Double
    let seed: UInt64

    /// The frames by which the capacity is measured, and the devices that send them.
    private static let capacityFrames = 90_000
    private static let capacityDevices = 3_000
    /// The most devices that soak.
    private static let maximumDevices = 5_000
    /// How long it may take until everything that was sent has been counted, in seconds.
    private static let patienceSeconds = 240.0

    func run() async throws -> SoakReport {
        let system = try await SystemUnderTest(executable: executable, for: .none)
        let watch = BusWatch(endpoint: system.endpoint, topics: system.topics, scope: .services)
        let producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: system.endpoint, clientID: "faultbench-crowd"))
        do {
            try await system.start(watch)
            let report = try await soak(system, watch, producer)
            await end(system, watch, producer)
            return report
        } catch {
            await end(system, watch, producer)
            throw error
        }
    }

    private func end(_ system: SystemUnderTest, _ watch: BusWatch, _ producer: MQTTProducer) async {
        await producer.stop()
        await watch.close()
        await system.stop()
    }

    private func soak(
        _ system: SystemUnderTest, _ watch: BusWatch, _ producer: MQTTProducer
    ) async throws -> SoakReport {
        var report = SoakReport()
        report.capacityFramesPerSecond = try await capacity(system, watch, producer)
        print("capacity \(Int(report.capacityFramesPerSecond)) frames a second")
        fflush(nil)
        report.devices = min(max(Int(report.capacityFramesPerSecond / 2), 1), Self.maximumDevices)
        report.minutes = minutes
        let crowd = SoakCrowd(
            name: "soak", count: report.devices, seed: seed, start: SoakSender.nowMicroseconds + 1_000_000)
        let latency = SoakLatency(crowd: crowd)
        let listener = listen(for: latency, system)
        let sender = SoakSender(crowd: crowd, producer: producer, topics: system.topics, latency: latency)
        let sending = Task { try await sender.sendWhenDue(seconds: minutes * 60) }
        report.samples = try await sample(system, latency)
        report.framesSent = try await sending.value
        let counted = try await counted(watch) { $0 >= Self.capacityFrames + report.framesSent }
        report.framesCounted = counted - Self.capacityFrames
        listener.stop()
        report.judge()
        return report
    }

    /// One sample a second for the time of the soak.
    private func sample(_ system: SystemUnderTest, _ latency: SoakLatency) async throws -> [SoakSample] {
        var samples: [SoakSample] = []
        let begin = ContinuousClock.now
        while begin.duration(to: .now) < .seconds(minutes * 60) {
            try await ContinuousClock().sleep(until: begin + .seconds(Double(samples.count + 1)))
            let seconds = begin.duration(to: .now) / .seconds(1)
            samples.append(SoakSample(seconds: seconds, await system.statuses, latency.takeSeen()))
        }
        return samples
    }

    private func listen(for latency: SoakLatency, _ system: SystemUnderTest) -> MQTTConsumer {
        let topics = system.topics
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: system.endpoint, clientID: "faultbench-latency"),
            subscriptions: latency.subscriptions(topics))
        Task {
            for try await batch in consumer.batches {
                for message in batch where !message.isRetained {
                    if let topic = try? topics.parse(message.topic) { latency.take(topic, message.payload) }
                }
                batch.acknowledge()
            }
        }
        return consumer
    }
}

// MARK: - What the machine can do

extension SoakRun {
    /// Frames a second that the counter counts while more are there than it can take.
    private func capacity(
        _ system: SystemUnderTest, _ watch: BusWatch, _ producer: MQTTProducer
    ) async throws -> Double {
        let length = Int64(Self.capacityFrames / Self.capacityDevices + 60) * 1_000_000
        let crowd = SoakCrowd(
            name: "capacity", count: Self.capacityDevices, seed: seed, start: SoakSender.nowMicroseconds - length)
        let sender = SoakSender(
            crowd: crowd, producer: producer, topics: system.topics, latency: SoakLatency(crowd: crowd))
        let begin = ContinuousClock.now
        let sending = Task { try await sender.sendAtOnce(frames: Self.capacityFrames) }
        var reports: [(seconds: Double, accepted: Double)] = []
        _ = try await counted(watch) { accepted in
            if let t = watch.health(of: .counter)?.t, reports.last?.seconds != t {
                reports.append((t, Double(accepted)))
            }
            return accepted >= Self.capacityFrames
        }
        try await sending.value
        let busy = reports.filter { $0.accepted > 0 && $0.accepted < Double(Self.capacityFrames) }
        if let first = busy.first, let last = busy.last, last.seconds > first.seconds {
            return (last.accepted - first.accepted) / (last.seconds - first.seconds)
        }
        return Double(Self.capacityFrames) / (begin.duration(to: .now) / .seconds(1))
    }

    /// The frames that the counter says it has counted, when they are as wished, and else at the last.
    private func counted(_ watch: BusWatch, isWished: (Int) -> Bool) async throws -> Int {
        try await watch.value("accepted", of: .counter, patienceSeconds: Self.patienceSeconds, isWished: isWished)
    }
}
