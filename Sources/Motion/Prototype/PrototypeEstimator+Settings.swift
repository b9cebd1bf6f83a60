extension PrototypeEstimator {
    /// The sensor whose axis is counted.
    public enum Sensor: UInt8, Sendable, CaseIterable {
        /// m/s²
        case acceleration
        /// rad/s
        case angularVelocity
        /// µT
        case magneticField
    }

    /// The axis that is counted.
    public enum Axis: UInt8, Sendable, CaseIterable {
        /// The sensor's x axis.
        case x
        /// The sensor's y axis.
        case y
        /// The sensor's z axis.
        case z
    }

    /// Why settings are refused.
    public enum SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The low-pass factor is not in 0.75…1.
        case factorOutOfRange(Float)
        /// The quantisation is not in 1…600.
        case levelsOutOfRange(Int)

        /// What to do, in a line.
        public var description: String {
            switch self {
            case .factorOutOfRange(let value): "low-pass factor f is \(value): choose 0.75 to 1"
            case .levelsOutOfRange(let value): "quantisation q is \(value): choose 1 to 600"
            }
        }
    }

    /// What a builder tunes on a new bike.
    public struct Settings: Sendable, Equatable {
        /// Low-pass factors allowed.
        public static let factorRange: ClosedRange<Float> = 0.75...1
        /// Quantisations allowed.
        public static let levelsRange = 1...600

        /// The sensor read.
        public let sensor: Sensor
        /// The axis read.
        public let axis: Axis
        /// The low-pass factor `f` of `y = f·last + (1 − f)·new`.
        public let factor: Float
        /// The quantisation `q`: values are truncated after multiplying by it.
        public let levels: Int

        /// Settings, or why they are refused.
        public init(sensor: Sensor, axis: Axis, factor: Float, levels: Int) throws(SettingsError) {
            guard Self.factorRange.contains(factor) else { throw .factorOutOfRange(factor) }
            guard Self.levelsRange.contains(levels) else { throw .levelsOutOfRange(levels) }
            self.sensor = sensor
            self.axis = axis
            self.factor = factor
            self.levels = levels
        }
    }
}
