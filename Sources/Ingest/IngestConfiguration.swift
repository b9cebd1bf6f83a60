public import ServiceKit
public import Configuration

/// What ingest needs to know, read once at its start.
public struct IngestConfiguration: Sendable {
    /// Where the bus is and how to speak to it.
    public var bus: BusSettings
    /// What is kept, at most.
    public var limits: IngestLimits
    /// How long the broker keeps messages for an ingest that is away, in seconds.
    public var sessionExpirySeconds: UInt32 = 7 * 86_400
    /// How often `service/ingest/health` is published when nothing changes, in seconds. A change of what was refused is
    /// published within a second.
    public var healthSeconds: Double = 5
    /// How often it is logged what was refused, in seconds, while anything is.
    public var logSeconds: Double = 60
    /// How long a shutdown waits for the broker to take what has been read, in seconds.
    public var shutdownSeconds: Double = 3

    /// A configuration from its parts.
    public init(bus: BusSettings, limits: IngestLimits = IngestLimits()) {
        self.bus = bus
        self.limits = limits
    }

    /// Reads the configuration: the keys of `BusSettings`, and none of its own.
    ///
    /// - Throws: `IngestError.setting` with the key and what is wrong.
    public init(config: ConfigReader) throws(IngestError) {
        do {
            self.init(bus: try BusSettings(config: config))
        } catch {
            throw .setting(error)
        }
    }
}
