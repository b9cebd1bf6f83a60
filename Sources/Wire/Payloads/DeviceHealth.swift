/// `{device}/health`: what is wrong with this device's data.
public struct DeviceHealth: JSONPayload, Equatable {
    /// When, in seconds since 1970.
    public var t: Double
    /// Whether nothing is wrong.
    public var ok: Bool
    /// What is wrong, in words.
    public var problem: String?
    /// Messages counted.
    public var accepted: UInt64
    /// Messages seen before.
    public var duplicate: UInt64
    /// Messages too late to be counted in their order.
    public var late: UInt64
    /// Messages that never came, by the gaps in their sequence.
    public var missing: UInt64
    /// Messages refused, for any reason.
    public var refused: UInt64
    /// Messages refused, by reason: the fields `refused_malformed`, …, where they are not 0.
    public var refusedByReason: [WireError: UInt64]

    /// A report from its parts.
    public init(
        t: Double, ok: Bool, problem: String? = nil, accepted: UInt64 = 0, duplicate: UInt64 = 0, late: UInt64 = 0,
        missing: UInt64 = 0, refused: UInt64 = 0, refusedByReason: [WireError: UInt64] = [:]
    ) {
        self.t = t
        self.ok = ok
        self.problem = problem
        self.accepted = accepted
        self.duplicate = duplicate
        self.late = late
        self.missing = missing
        self.refused = refused
        self.refusedByReason = refusedByReason
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        t = try object.time("t")
        ok = try object.bool("ok")
        problem = try object.optionalString("problem", maximumBytes: PayloadLimits.maximumTextBytes)
        accepted = try object.uint64("accepted")
        duplicate = try object.uint64("duplicate")
        late = try object.uint64("late")
        missing = try object.uint64("missing")
        refused = try object.uint64("refused")
        refusedByReason = [:]
        for error in WireError.allCases {
            refusedByReason[error] = try object.optionalUInt64("refused_\(error.reason)")
        }
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("t", t, decimals: 3)
        writer.field("ok", ok)
        writer.field("problem", problem)
        writer.field("accepted", accepted)
        writer.field("duplicate", duplicate)
        writer.field("late", late)
        writer.field("missing", missing)
        writer.field("refused", refused)
        for error in WireError.allCases { writer.field("refused_\(error.reason)", refusedByReason[error]) }
    }
}
