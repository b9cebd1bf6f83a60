import ServiceKit
import Logging
import MQTT
import Wire

extension CounterWorker {
    /// Devices that changed within this time before the last commit are taken up at the start, in microseconds: their
    /// riders may need a 0, and frames of theirs may wait for others that never came.
    static let takeUpMicroseconds: Int64 = 600_000_000

    /// The longest configuration that is taken, in bytes.
    static let maximumConfigBytes = 16_384

    /// Takes one message of the bus; whatever it holds, it harms only itself.
    mutating func take(_ message: MQTTMessage) async throws {
        let topic = try? configuration.bus.topics.parse(message.topic)
        do {
            switch topic {
            case .motion:
                guard !message.isRetained else { throw WireError.retainedData }
                try await takeMotion(message.payload)
                tally.motionMessages &+= 1
            case .device(let device, .config): try await take(config: message.payload, of: device)
            case .resend:
                await outbox.resend(try CountsResend(decoding: message.payload))
                tally.resendMessages &+= 1
            case .forget(let partition):
                guard !message.isRetained else { throw WireError.retainedData }
                try await obey(try CountsForget(decoding: message.payload), in: partition)
                tally.forgetMessages &+= 1
            default: throw WireError.unknownTopic
            }
        } catch let error as WireError {
            tally.refusedMessages &+= 1
            logger.warning("a message was refused", metadata: ["reason": "\(error.reason)"])
        }
    }

    private mutating func takeMotion(_ payload: UnsafeRawBufferPointer) async throws {
        var decoder = try MotionBatchDecoder(payload)
        guard var record = try decoder.next() else { return }
        repeat {
            if pipeline.needsState(for: record.device) { try await takeUp([record.device]) }
            pipeline.accept(record)
            if pipeline.isCommitDue { try await commit() }
        } while try decoder.next(into: &record)
    }

    /// Takes the operator's words; words that cannot be read leave the old ones in force.
    private mutating func take(config payload: UnsafeRawBufferPointer, of device: DeviceID) async throws {
        guard configuration.partitions.contains(Partition(of: device)) else { return }
        tally.configMessages &+= 1
        guard !payload.isEmpty else {
            configs.append(StoredConfig(device: device, json: []))
            return pipeline.configure(device: device, nil)
        }
        do throws(WireError) {
            guard payload.count <= Self.maximumConfigBytes else { throw .payloadTooLarge }
            pipeline.configure(device: device, try DeviceConfig(json: payload))
            configs.append(StoredConfig(device: device, json: Array(payload)))
        } catch {
            if pipeline.needsState(for: device) { try await takeUp([device]) }
            pipeline.refuseConfig(error, DeviceConfig.problem(in: payload) ?? "\(error)", of: device)
        }
    }
}

// MARK: - States

extension CounterWorker {
    /// Gives the pipeline what the store has about devices.
    mutating func takeUp(_ devices: [DeviceID]) async throws {
        let (store, now) = (store, clock.microseconds)
        for stored in try await untilStored({ try await store.load(devices) }) {
            let json = configs.last { $0.device == stored.device }?.json ?? stored.config
            let config = json.flatMap { try? DeviceConfig(json: $0) }
            guard !pipeline.restore(device: stored.device, state: stored.state, config: config) else { continue }
            logger.error(
                "a device's state is damaged and was set aside: it is counted anew",
                metadata: ["device": "\(stored.device)"])
            try await untilStored { try await store.setAside(stored.device, nowMicroseconds: now) }
        }
    }

    mutating func takeUpRecentDevices() async throws {
        let limit = configuration.limits.maximumResidentDevices
        try await takeUp(try await store.recentDevices(withinMicroseconds: Self.takeUpMicroseconds, limit: limit))
    }
}
