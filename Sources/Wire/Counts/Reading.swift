/// A momentary number of a machine or a sensor of its rider.
package struct Reading: Sendable, Equatable {
    package enum Kind: Int, CaseIterable, Sendable {
        /// Crank revolutions a minute, of a machine that does not count them; in a minute's seconds steps, too.
        case cadence
        /// Watts.
        case power
        /// Beats a minute.
        case heart

        /// What is taken. A heart beats no slower than the slowest that was measured of a person awake, and no faster than
        /// 250 a minute (IEC 60601-2-27 asks monitors for 30 to 250); the best sprinters reach 2,500 W for a second. Power
        /// meters tell a little less than 0 where nobody pedals.
        package var range: ClosedRange<Float> {
            switch self {
            case .cadence: 0...Float(CountLimits.maximumCadenceRPM)
            case .power: -100...2_500
            case .heart: 20...250
            }
        }

        /// The name in payloads.
        var name: String {
            switch self {
            case .cadence: "cadence_rpm"
            case .power: "watts"
            case .heart: "bpm"
            }
        }

        /// Why one outside of `range` is refused.
        package var refusal: WireError {
            switch self {
            case .cadence: .outOfRange
            case .power: .absurdPower
            case .heart: .absurdHeartRate
            }
        }

        /// The number, if anybody can have it.
        func possible(_ value: Double) -> Double? { range.contains(Float(value)) ? value : nil }
    }

    package var kind: Kind
    package var value: Float
    package var identity: FrameIdentity
    package var time: FrameTime

    package init(_ kind: Kind, _ value: Float, identity: FrameIdentity, time: FrameTime) {
        (self.kind, self.value, self.identity, self.time) = (kind, value, identity, time)
    }
}

extension MotionContent {
    /// A reading, or its refusal by name where nobody has such a one.
    static func reading(
        _ kind: Reading.Kind, _ value: Double, _ identity: FrameIdentity, _ time: FrameTime
    ) -> MotionContent {
        guard let value = kind.possible(value) else { return .refusal(kind.refusal, count: 1) }
        return .reading(Reading(kind, Float(value), identity: identity, time: time))
    }

    /// The same, of a message that has no identity of its own.
    static func reading(
        _ kind: Reading.Kind, _ value: Double, _ message: DeviceMessage, time: FrameTime = .absent
    ) -> MotionContent {
        .reading(kind, value, message.arrivalIdentity, time)
    }
}

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

    subscript(kind: Reading.Kind) -> Double? {
        get { self[keyPath: Self.place(kind)] }
        set { self[keyPath: Self.place(kind)] = newValue }
    }

    private static func place(_ kind: Reading.Kind) -> WritableKeyPath<Self, Double?> {
        switch kind {
        case .cadence: \.rpm
        case .power: \.watts
        case .heart: \.bpm
        }
    }

    /// One content a number. One that cannot be is a refusal, beside which the others count.
    func contents(identity: FrameIdentity, time: FrameTime) -> [MotionContent] {
        Reading.Kind.allCases.compactMap { kind in self[kind].map { .reading(kind, $0, identity, time) } }
    }

    /// The fields `cadence_rpm`, `watts` and `bpm` of an object, `null` where they are not known; `nil` for an object
    /// with none of them.
    package init?(_ object: JSONObject) throws(WireError) {
        let kinds = Reading.Kind.allCases.filter { object.member($0.name) != nil }
        guard !kinds.isEmpty else { return nil }
        for kind in kinds { self[kind] = try object.anyNumber(kind.name) }
    }

    /// The payload of `hr` and `ftms`.
    package func encodedJSON(at time: FrameTime = .absent) -> [UInt8] {
        JSONWriter.object { writer in
            writer.writeTime(time)
            for kind in Reading.Kind.allCases {
                writer.field(kind.name, self[kind], decimals: kind == .cadence ? 1 : 0)
            }
        }
    }
}

extension JSONObject {
    /// A number of any size; `nil` where it is missing or `null`.
    func anyNumber(_ name: String) throws(WireError) -> Double? {
        guard let value = self[name] else { return nil }
        guard let number = value.double else { throw .wrongType }
        return number
    }
}
