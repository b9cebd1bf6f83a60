package import MQTT
package import Wire

/// The devices of a bus as an operator sees them: the retained `config` of each, and its other retained messages.
///
/// A broker has no list of devices. Devices with retained messages are found by these, others by a request to history.
package struct DeviceRegistry: Sendable {
    /// The retained messages of a device.
    package struct Entry: Sendable, Equatable {
        /// The operator's config; `nil` for a device that works with the defaults.
        package var config: DeviceConfig?
        /// All fields of the retained config, unknown ones included; `nil` if it is not a JSON object.
        package var configFields: JSONObject?
        /// Why the retained config is not used: it is malformed or a value is out of range.
        package var configError: WireError?
        /// True if its last status is `online`, false for any other, such as its will; `nil` without a status.
        package var isOnline: Bool?
        /// Problems with its data.
        package var health: DeviceHealth?
        /// Today's totals.
        package var day: DayTotals?

        /// A device without retained messages.
        package init() {}
    }

    /// How long retained messages may take after the subscription, in seconds.
    package var settleSeconds = 1.0

    private let endpoint: MQTTEndpoint
    private let topics: TopicTree
    private let version: MQTTVersion

    package init(endpoint: MQTTEndpoint, topics: TopicTree, version: MQTTVersion = .v5) {
        self.endpoint = endpoint
        self.topics = topics
        self.version = version
    }

    /// Collects the retained messages of devices.
    ///
    /// - Parameter devices: The devices to look for, by their exact topics: some brokers send no retained messages for
    ///   wildcards. If it is empty, all devices are looked for.
    package func entries(of devices: [DeviceID] = []) async throws -> [DeviceID: Entry] {
        let channels: [DeviceChannel] = [.config, .status, .health, .day]
        let filters =
            devices.isEmpty
            ? channels.map { topics.filter(every: $0) }
            : devices.flatMap { device in channels.map { topics.text(.device(device, $0)) } }
        var entries: [DeviceID: Entry] = [:]
        try await listen(to: filters) { device, channel, payload in
            entries[device, default: Entry()].take(payload, of: channel)
        }
        return entries
    }

    /// Clears the retained config and the retained status of a device.
    package func remove(_ device: DeviceID) async throws {
        let producer = MQTTProducer(configuration: connection("out"))
        let publications = [DeviceChannel.config, .status].map { channel in
            MQTTPublication(topic: topics.bytes(.device(device, channel)), payload: [], retain: true)
        }
        do { try await producer.publish(publications) } catch {
            await producer.stop()
            throw error
        }
        await producer.stop()
    }

    private func listen(
        to filters: [String], _ take: (DeviceID, DeviceChannel, UnsafeRawBufferPointer) -> Void
    ) async throws {
        let consumer = MQTTConsumer(
            configuration: connection("in"), subscriptions: filters.map { MQTTSubscription($0) })
        var deadline: Task<Void, any Error>?
        for try await batch in consumer.batches {
            for message in batch {
                guard case .device(let device, let channel) = try? topics.parse(message.topic) else { continue }
                take(device, channel, message.payload)
            }
            batch.acknowledge()
            guard batch.connection != nil, deadline == nil else { continue }
            deadline = Task { [settleSeconds] in
                try await Task.sleep(for: .seconds(settleSeconds))
                consumer.stop()
            }
        }
        deadline?.cancel()
        consumer.stop()
        await consumer.waitUntilStopped()
    }

    private func connection(_ role: String) -> MQTTConnectionConfiguration {
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        return MQTTConnectionConfiguration(
            endpoint: endpoint, clientID: "stride-registry-\(number)-\(role)", version: version)
    }
}

/// Looks over several connections at once for what is retained, until one of them has found it: each node of RabbitMQ keeps
/// what it got alone, and a connection comes to any of them.
///
/// - Parameter look: What one connection finds; it gets the number of that connection.
package func lookOverNodes<Found: Sendable>(
    _ look: @escaping @Sendable (_ number: Int) async throws -> Found?
) async rethrows -> Found? {
    // A balancer that takes the nodes in turn comes to each of up to five.
    let connections = 5
    return try await withThrowingTaskGroup(of: Found?.self) { group in
        for number in 0..<connections { group.addTask { try await look(number) } }
        for try await case let found? in group {
            group.cancelAll()
            return found
        }
        return nil
    }
}

extension DeviceRegistry.Entry {
    fileprivate mutating func take(_ payload: UnsafeRawBufferPointer, of channel: DeviceChannel) {
        switch channel {
        case .config:
            (config, configError) = (nil, nil)
            configFields = (try? JSONValue(parsing: payload))?.object
            guard !payload.isEmpty else { return }
            do throws(WireError) { config = try DeviceConfig(json: payload) } catch { configError = error }
        case .status: isOnline = payload.isEmpty ? nil : payload.elementsEqual("online".utf8)
        case .health: health = try? DeviceHealth(json: payload)
        case .day: day = try? DayTotals(json: payload)
        default: break
        }
    }
}
