package import Wire

/// The announcements that make Home Assistant show devices and people by itself: one retained message each on
/// `{prefix}/device/{id}/config`, with all its entities. A value without clock or I/O.
///
/// Every one is announced once, again when the operator changes a device's kind, and all of them again when Home
/// Assistant says that it has started. The numbers themselves are read from the public topics.
///
/// Source: home-assistant.io, MQTT integration, "Device discovery payload"; what a payload may hold is in
/// `homeassistant/components/mqtt/schemas.py` of home-assistant/core.
package struct HomeAssistantDiscovery: Sendable {
    /// What is announced: a device of a kind, or a person.
    package enum Model: Hashable, Sendable {
        case device(DeviceKind)
        case person
    }

    /// The time that a cadence is shown after the last message, in seconds: one comes every second while moving.
    static let expirySeconds = 15

    private let prefix: String
    private let topics: TopicTree
    private var announced: [Subject: Model] = [:]

    /// Announces devices and people below a prefix, which is `homeassistant` unless Home Assistant has another one.
    package init(prefix: String, topics: TopicTree) {
        self.prefix = prefix
        self.topics = topics
    }

    /// Home Assistant has started, or the broker may have lost what it retained: everything is announced again.
    package mutating func announceAgain() {
        announced.removeAll(keepingCapacity: true)
    }

    /// The messages to publish about some of them: none about those that have been announced as they are.
    package mutating func announce(_ subjects: some Sequence<(subject: Subject, model: Model)>) -> [RetainedMessage] {
        var messages: [RetainedMessage] = []
        for (subject, model) in subjects where announced.updateValue(model, forKey: subject) != model {
            messages.append(RetainedMessage(topic: topic(of: subject), payload: payload(of: subject, model)))
        }
        return messages
    }

    /// The message that removes what was erased from Home Assistant.
    package mutating func remove(_ subject: Subject) -> RetainedMessage {
        announced[subject] = nil
        return RetainedMessage(topic: topic(of: subject), payload: [])
    }

    private func topic(of subject: Subject) -> [UInt8] { Array("\(prefix)/device/\(id(of: subject))/config".utf8) }

    /// Unique among the roots of a broker; Home Assistant allows letters, digits, `_` and `-`, and no device has a `_`.
    private func id(of subject: Subject) -> String {
        let root = topics.root.replacing("/", with: "_")
        return switch subject {
        case .device(let device): "\(root)_\(device)"
        case .person(let name): "\(root)_person_\(DeviceID(person: name))"
        }
    }

    private func payload(of subject: Subject, _ model: Model) -> [UInt8] {
        let id = id(of: subject)
        return JSONWriter.object { writer in
            writer.field("device") { writer in
                writer.key("identifiers")
                writer.beginArray()
                writer.value(id)
                writer.endArray()
                writer.field("name", subject.name)
                writer.field("manufacturer", "stridebus")
                writer.field("model", model.name)
            }
            writer.field("origin") { $0.field("name", "stridebus") }
            writeAvailability(.history, to: &writer)
            writer.field("components") { writer in
                for entity in subject.isPerson ? HomeAssistantEntity.ofPeople : HomeAssistantEntity.all {
                    writer.field(entity.id) { writer in
                        writer.field("platform", entity.platform)
                        // A component with its platform alone is one that there is not, or not any more.
                        if entity.belongs(to: model) { write(entity, of: subject, id, to: &writer) }
                    }
                }
            }
        }
    }

    private func write(_ entity: HomeAssistantEntity, of subject: Subject, _ id: String, to writer: inout JSONWriter) {
        let topic =
            switch subject {
            case .device(let device): topics.text(.device(device, entity.channel))
            case .person(let name): topics.text(.person(DeviceID(person: name), entity.channel))
            }
        writer.field("unique_id", "\(id)_\(entity.id)")
        writer.field("name", entity.name)
        writer.field("state_topic", topic)
        writer.field("value_template", entity.template)
        for (name, value) in entity.texts { writer.field(name, value) }
        if let decimals = entity.decimals { writer.field("suggested_display_precision", decimals) }
        if entity.expires { writer.field("expire_after", Self.expirySeconds) }
        if !entity.options.isEmpty {
            writer.key(entity.platform == "event" ? "event_types" : "options")
            writer.beginArray()
            for option in entity.options { writer.value(option) }
            writer.endArray()
        }
        if entity.hasAttributes { writer.field("json_attributes_topic", topic) }
        if entity.service != .history { writeAvailability(entity.service, to: &writer) }
    }

    /// The entity is unavailable while the service that publishes its topic is offline.
    private func writeAvailability(_ service: ServiceName, to writer: inout JSONWriter) {
        writer.field("availability_topic", topics.text(.serviceStatus(service)))
    }
}

extension HomeAssistantDiscovery.Model {
    fileprivate var name: String {
        switch self {
        case .device(.bike): "Bike"
        case .device(.wearable): "Wearable"
        case .device: "Motion sensor"
        case .person: "Person"
        }
    }
}

/// One thing of a device or a person that Home Assistant shows.
struct HomeAssistantEntity: Sendable {
    let id: String
    let platform: String
    let name: String
    /// The devices that have it.
    var kinds: Set<DeviceKind> = Set(DeviceKind.allCases)
    /// The topic of its value, and the template that finds it there.
    let channel: DeviceChannel
    var template: String?
    /// The decimals that are shown.
    var decimals: Int?
    /// Its possible values, or the types of an event.
    var options: [String] = []
    /// True if the other fields of the message are shown with it.
    var hasAttributes = false
    /// Other properties of Home Assistant: unit, class, icon.
    let texts: KeyValuePairs<String, String>

    /// The service that publishes it.
    var service: ServiceName { [.day, .total, .workout, .status].contains(channel) ? .history : .counter }
    /// True if it is unknown some seconds after the last message.
    var expires: Bool { [.cadence, .heart, .power].contains(channel) }

    func belongs(to model: HomeAssistantDiscovery.Model) -> Bool {
        guard case .device(let kind) = model else { return true }
        return kinds.contains(kind)
    }

    private static let pedals: Set<DeviceKind> = [.bike, .unknown]
    private static let feet: Set<DeviceKind> = [.wearable, .unknown]

    /// There is no device class for steps or for turns a minute, so they have units alone. What is counted never
    /// falls but at midnight or where a device was erased, which is what `total_increasing` takes for a new count.
    static let all = [
        HomeAssistantEntity(
            id: "cadence", platform: "sensor", name: "Cadence", kinds: pedals, channel: .cadence,
            template: "{{ value_json.cadence_rpm | default(0) }}", decimals: 0,
            texts: ["unit_of_measurement": "rpm", "state_class": "measurement", "icon": "mdi:rotate-right"]),
        HomeAssistantEntity(
            id: "step_rate", platform: "sensor", name: "Step rate", kinds: feet, channel: .cadence,
            template: "{{ value_json.cadence_spm | default(0) }}", decimals: 0,
            texts: ["unit_of_measurement": "steps/min", "state_class": "measurement", "icon": "mdi:shoe-print"]),
        HomeAssistantEntity(
            id: "power", platform: "sensor", name: "Power", kinds: pedals, channel: .power,
            template: "{{ value_json.watts }}", decimals: 0,
            texts: ["device_class": "power", "unit_of_measurement": "W", "state_class": "measurement"]),
        // There is no device class for a heart rate.
        HomeAssistantEntity(
            id: "heart", platform: "sensor", name: "Heart rate", channel: .heart, template: "{{ value_json.bpm }}",
            decimals: 0,
            texts: ["unit_of_measurement": "bpm", "state_class": "measurement", "icon": "mdi:heart-pulse"]),
        counted("revolutions_today", "Revolutions today", pedals, .day, "revolutions", "mdi:rotate-right"),
        counted("revolutions_total", "Revolutions", pedals, .total, "revolutions", "mdi:counter"),
        counted("steps_today", "Steps today", feet, .day, "steps", "mdi:shoe-print"),
        counted("steps_total", "Steps", feet, .total, "steps", "mdi:counter"),
        HomeAssistantEntity(
            id: "distance_today", platform: "sensor", name: "Distance today", channel: .day,
            template: "{{ value_json.distance_m }}", decimals: 0,
            texts: ["device_class": "distance", "unit_of_measurement": "m", "state_class": "total_increasing"]),
        HomeAssistantEntity(
            id: "activity", platform: "sensor", name: "Activity", channel: .activity,
            template: "{{ value_json.activity }}", options: ActivityKind.allCases.map(\.name),
            texts: ["device_class": "enum"]),
        HomeAssistantEntity(
            id: "problem", platform: "binary_sensor", name: "Problem", channel: .health,
            template: "{{ 'OFF' if value_json.ok else 'ON' }}", hasAttributes: true,
            texts: ["device_class": "problem", "entity_category": "diagnostic"]),
        workout,
        HomeAssistantEntity(
            id: "connected", platform: "binary_sensor", name: "Connected", channel: .status,
            texts: [
                "device_class": "connectivity", "entity_category": "diagnostic", "payload_on": "online",
                "payload_off": "offline",
            ]),
    ]

    /// What a person counted may fall where a check-in was wrong, so none of it is `total_increasing`. What the person's
    /// day does not say is unknown: a goal that there is not.
    static let ofPeople = [
        ofDay("steps_today", "Steps today", "steps", "steps", "mdi:shoe-print"),
        ofDay("revolutions_today", "Revolutions today", "revolutions", "revolutions", "mdi:rotate-right"),
        HomeAssistantEntity(
            id: "distance_today", platform: "sensor", name: "Distance today", channel: .day,
            template: "{{ value_json.distance_m }}", decimals: 0,
            texts: ["device_class": "distance", "unit_of_measurement": "m", "state_class": "measurement"]),
        ofDay("active_week", "Active this week", "week_active_min", "min", "mdi:timer-outline"),
        ofDay("rides_week", "Rides this week", "week_rides", "rides", "mdi:bike"),
        ofDay("goal_steps", "Goal: steps a day", "goal_steps_per_day", "steps", "mdi:flag-checkered"),
        ofDay("goal_active", "Goal: active minutes a week", "goal_active_min_per_week", "min", "mdi:flag-checkered"),
        ofDay("goal_rides", "Goal: rides a week", "goal_rides_per_week", "rides", "mdi:flag-checkered"),
        workout,
    ]

    /// A workout has ended: what it was is the type of the event, and its figures are the attributes.
    private static let workout = HomeAssistantEntity(
        id: "workout", platform: "event", name: "Workout ended", channel: .workout,
        template: "{{ dict(value_json, event_type=value_json.kind) | to_json }}",
        options: WorkoutKind.allCases.map(\.rawValue), texts: ["icon": "mdi:flag-checkered"])

    private static func ofDay(
        _ id: String, _ name: String, _ field: String, _ unit: String, _ icon: String
    ) -> HomeAssistantEntity {
        HomeAssistantEntity(
            id: id, platform: "sensor", name: name, channel: .day,
            template: "{{ value_json.\(field) | default(none) }}", decimals: 0,
            texts: ["unit_of_measurement": unit, "state_class": "measurement", "icon": icon])
    }

    private static func counted(
        _ id: String, _ name: String, _ kinds: Set<DeviceKind>, _ channel: DeviceChannel, _ field: String,
        _ icon: String
    ) -> HomeAssistantEntity {
        HomeAssistantEntity(
            id: id, platform: "sensor", name: name, kinds: kinds, channel: channel,
            template: "{{ value_json.\(field) }}",
            texts: ["unit_of_measurement": field, "state_class": "total_increasing", "icon": icon])
    }
}
