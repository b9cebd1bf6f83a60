/// What a machine or a strap says of its rider at one moment. What it does not say is `nil`.
package struct RiderNumbers: Sendable, Equatable {
    /// Crank revolutions a minute.
    package var rpm: Double?
    package var watts: Double?
    /// Heart beats a minute.
    package var bpm: Double?

    package init(rpm: Double? = nil, watts: Double? = nil, bpm: Double? = nil) {
        (self.rpm, self.watts, self.bpm) = (rpm, watts, bpm)
    }

    package var isEmpty: Bool { self == Self() }

    /// One content a number. One that cannot be is a refusal, beside which the others count.
    func contents(identity: FrameIdentity, time: FrameTime) -> [MotionContent] {
        var contents: [MotionContent] = []
        if let rpm {
            let isPossible = (0...CountLimits.maximumCadenceRPM).contains(rpm)
            contents.append(
                isPossible
                    ? .cadence(rpm: Float(rpm), identity: identity, time: time) : .refusal(.outOfRange, count: 1))
        }
        if let watts { contents.append(.reading(.power, watts, identity, time)) }
        if let bpm { contents.append(.reading(.heart, bpm, identity, time)) }
        return contents
    }

    /// The contents of a message that has no identity and no time of its own.
    func contents(_ message: DeviceMessage) -> [MotionContent] {
        contents(identity: message.arrivalIdentity, time: .absent)
    }
}

extension RiderNumbers {
    /// The fields `cadence_rpm`, `watts` and `bpm` of an object, `null` where they are not known; `nil` for an object
    /// with none of them.
    package init?(_ object: JSONObject) throws(WireError) {
        guard ["cadence_rpm", "watts", "bpm"].contains(where: { object.member($0) != nil }) else { return nil }
        rpm = try object.anyNumber("cadence_rpm")
        watts = try object.anyNumber("watts")
        bpm = try object.anyNumber("bpm")
    }

    /// The payload of `hr` and `ftms`.
    package func encodedJSON(at time: FrameTime = .absent) -> [UInt8] {
        JSONWriter.object { writer in
            writer.writeTime(time)
            if let rpm { writer.field("cadence_rpm", rpm, decimals: 1) }
            if let watts { writer.field("watts", watts, decimals: 0) }
            if let bpm { writer.field("bpm", bpm, decimals: 0) }
        }
    }
}

extension MotionContent {
    /// A heart rate or a power, or its refusal by name where nobody has such a one.
    static func reading(
        _ kind: Reading.Kind, _ value: Double, _ identity: FrameIdentity, _ time: FrameTime
    ) -> MotionContent {
        guard let value = kind.possible(value) else {
            return .refusal(kind == .heart ? .absurdHeartRate : .absurdPower, count: 1)
        }
        return .reading(Reading(kind, Float(value), identity: identity, time: time))
    }

    /// The same, of a message that has no identity of its own.
    static func reading(
        _ kind: Reading.Kind, _ value: Double, _ message: DeviceMessage, time: FrameTime = .absent
    ) -> MotionContent {
        .reading(kind, value, message.arrivalIdentity, time)
    }
}

extension Reading.Kind {
    /// The number, if anybody can have it.
    func possible(_ value: Double) -> Double? { range.contains(Float(value)) ? value : nil }
}

extension JSONObject {
    /// A number of any size; `nil` where it is missing or `null`.
    func anyNumber(_ name: String) throws(WireError) -> Double? {
        guard let value = self[name] else { return nil }
        guard let number = value.double else { throw .wrongType }
        return number
    }
}
