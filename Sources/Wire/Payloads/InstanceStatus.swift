/// `service/{service}/{instance}/status`: what one of several instances of a service says of itself. Retained where the
/// instance has a name; others say it when they are called.
public struct InstanceStatus: FieldPayload, Hashable {
    /// When it was said, in seconds since 1970.
    public var t = 0.0
    /// `online`, or `offline` at the end and as the last will.
    public var status = Word.online
    /// The instance's name.
    public var instance = ""
    /// What it owns: the partitions of a counter such as `0-15`, the root of an ingest, the share of a history's
    /// requests; nothing where it owns none.
    public var owns: String?
    /// Partitions that it is handing over, and to whom.
    public var leaving: String?
    /// A number of the process, to tell two of one name apart.
    public var run = ""

    /// Whether an instance is there.
    public enum Word: String, Sendable, Hashable, CaseIterable {
        case online, offline
    }

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try list.field("status", &status, .word)
        try list.field("instance", &instance, .text)
        try list.field("owns", &owns, .text)
        try list.field("leaving", &leaving, .text)
        try list.field("run", &run, .text)
    }
}
