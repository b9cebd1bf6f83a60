/// The cadence of a stretch of active time, per minute.
public struct CadenceFigures: Sendable, Hashable {
    /// The mean, weighted by time.
    public var average: Double
    /// The lowest above 0.
    public var minimum: Double
    /// The highest.
    public var maximum: Double

    /// Figures from their parts.
    public init(average: Double, minimum: Double, maximum: Double) {
        self.average = average
        self.minimum = minimum
        self.maximum = maximum
    }

    /// What is counted, as the ends of the fields' names say it.
    enum Unit: String {
        case revolutionsPerMinute = "rpm"
        case stepsPerMinute = "spm"
    }

    /// Reads `cadence_avg_…`, `cadence_min_…` and `cadence_max_…`; nil where there is no mean. A mean alone stands for
    /// all three.
    init?(object: JSONObject, unit: Unit) throws(WireError) {
        let name = unit.rawValue
        guard let average = try object.optionalDouble("cadence_avg_\(name)", in: PayloadLimits.cadence) else {
            return nil
        }
        self.average = average
        minimum = try object.optionalDouble("cadence_min_\(name)", in: PayloadLimits.cadence) ?? average
        maximum = try object.optionalDouble("cadence_max_\(name)", in: PayloadLimits.cadence) ?? average
    }

    /// Writes the three fields.
    func writeFields(to writer: inout JSONWriter, unit: Unit) {
        writer.field("cadence_avg_\(unit.rawValue)", average, decimals: 2)
        writer.field("cadence_min_\(unit.rawValue)", minimum, decimals: 2)
        writer.field("cadence_max_\(unit.rawValue)", maximum, decimals: 2)
    }
}
