import Wire

/// One second of a soak.
struct SoakSample: Codable, Sendable {
    /// Since the soak began.
    var seconds: Double
    /// Resident memory of each service, in megabytes.
    var residentMegabytes: [String: Double] = [:]
    /// Open descriptors of each service.
    var descriptors: [String: Int] = [:]
    /// From a frame to what is told of it live: the median and the 99th percentile, in milliseconds.
    var liveMedian: Double?
    var liveWorst: Double?
    /// From a frame to the total that holds it.
    var totalMedian: Double?
    var totalWorst: Double?

    init(seconds: Double, _ statuses: [ServiceName: ProcessStatus], _ seen: SoakLatency.Seen) {
        self.seconds = seconds
        for (name, status) in statuses {
            residentMegabytes[name.rawValue] = status.residentMegabytes
            descriptors[name.rawValue] = status.descriptors
        }
        liveMedian = Self.quantile(0.5, seen.live)
        liveWorst = Self.quantile(0.99, seen.live)
        totalMedian = Self.quantile(0.5, seen.totals)
        totalWorst = Self.quantile(0.99, seen.totals)
    }

    private static func quantile(_ share: Double, _ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        return values.sorted()[min(Int(Double(values.count) * share), values.count - 1)]
    }
}
