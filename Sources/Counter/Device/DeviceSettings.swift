package import Motion
import ServiceKit
package import Wire

/// The part of a device's config that counting needs.
struct DeviceSettings: Sendable, Equatable {
    var motion = MotionConfiguration()
    var stepLength = StepLength.unknown
    /// The distance of a crank revolution, in micrometres; 0 where the config has none.
    var micrometresPerRevolution: Quantity = 0
    /// The IANA name of the device's zone.
    var zone = "UTC"
    /// The start of the device's day, in minutes after its midnight.
    var dayStartMinutes = 0
    /// The field of the config that does not hold, in words; `nil` where all do.
    var problem: String?
}

extension DeviceSettings {
    /// The settings of a config; those of a device without one where there is none. A stride is two steps.
    ///
    /// - Parameter defaultZone: the zone of a device whose config names none.
    init(_ config: DeviceConfig?, defaultZone: String) {
        zone = defaultZone
        guard let config else { return }
        if let named = config.zone {
            if TimeZoneName.zone(named) == nil { problem = Self.problem(zone: named) } else { zone = named }
        }
        dayStartMinutes = config.dayStartMinutes
        motion = MotionConfiguration(
            kind: .init(named: config.kind) ?? .unknown, placement: .init(config.placement),
            estimator: Self.estimator(config))
        stepLength = Self.stepLength(config)
        micrometresPerRevolution = Self.micrometres(config.metresPerRevolution)
    }

    private static func problem(zone: String) -> String {
        "the config's zone '\(zone.prefix(TimeZoneName.maximumBytes))' is not known and left out: give the IANA "
            + "name of a time zone, such as Europe/Berlin"
    }

    private static func estimator(_ config: DeviceConfig) -> Estimator {
        guard config.estimator == .prototype, let prototype = config.prototype else { return .periodic }
        guard prototype.q.isFinite,
            let settings = try? PrototypeEstimator.Settings(
                sensor: .init(named: prototype.sensor) ?? .acceleration, axis: .init(named: prototype.axis) ?? .x,
                factor: Float(prototype.f), levels: Int(min(max(prototype.q, 0), 1000)))
        else { return .periodic }
        return .prototype(settings)
    }

    /// A measured length is preferred to one that follows from the height.
    private static func stepLength(_ config: DeviceConfig) -> StepLength {
        let measured = micrometres(config.metresPerStride.map { $0 / 2 })
        if measured > 0 { return .measured(micrometres: measured) }
        guard let height = config.heightMetres, height > 0, height < longestMetres else { return .unknown }
        return .ofHeight(metres: height)
    }

    private static func micrometres(_ metres: Double?) -> Quantity {
        guard let metres, metres > 0, metres < longestMetres else { return 0 }
        return Quantity(rounding: metres * 1_000_000)
    }

    /// No step, revolution or body is longer.
    private static let longestMetres = 1000.0
}

enum StepLength: Sendable, Equatable {
    /// The config has neither a stride nor a height: there is no distance.
    case unknown
    /// Half of the measured stride in the config.
    case measured(micrometres: Quantity)
    /// It follows from the height of the body and the rate of the steps.
    case ofHeight(metres: Double)

    /// The steps a second at which the formula gives what it takes from the height alone.
    static let usualRateHz = 1.79
    /// The steps a second of a walker or a runner; a rate beyond them is taken as the nearest.
    static let ratesHz = 0.5...3.6

    /// The length of a step, in micrometres; 0 where it is unknown.
    ///
    /// - Parameter rateHz: steps a second; `nil` where only their number is known.
    func micrometres(rateHz: Double?) -> Quantity {
        switch self {
        case .unknown: 0
        case .measured(let micrometres): micrometres
        case .ofHeight(let height):
            Quantity(rounding: Self.metres(heightMetres: height, rateHz: rateHz ?? Self.usualRateHz) * 1_000_000)
        }
    }

    /// Metres of a step from height and step rate:
    ///
    ///     0.7 + 0.371 (height − 1.75) + 0.227 (rate − 1.79) height / 1.75
    ///
    /// R. Chen, L. Pei, Y. Chen, "A Smart Phone Based PDR Solution for Indoor Navigation", ION GNSS 2011, the equation
    /// of the step length, with their personal factor c = 1. It was fitted to adults who walk: the mean step counts of
    /// walkers and runners over a mile (W. W. K. Hoeger et al., ACSM's Health & Fitness Journal 12(1), 2008) it meets
    /// within 1 % at 3 mph and within 8 % at 4 to 6 mph; at 7.5 mph it gives 18 % too little, and more beyond, since
    /// runners lengthen their steps far more than they quicken them.
    static func metres(heightMetres height: Double, rateHz: Double) -> Double {
        let rate = min(max(rateHz, ratesHz.lowerBound), ratesHz.upperBound)
        return 0.7 + 0.371 * (height - 1.75) + 0.227 * (rate - usualRateHz) * height / 1.75
    }
}

/// The rate of steps by their own times: the first steps of a bout have one too.
struct StepRateGauge: Sendable, Equatable {
    /// A longer pause begins a new bout, whose rate is not known yet, in microseconds.
    static let pauseMicroseconds: Int64 = 2_500_000
    /// The share of the newest interval in the rate.
    private static let newestShare: Float = 0.25

    /// The time of the newest step.
    private var time = Int64.min
    /// Steps a second; 0 where it is not known.
    private var rateHz: Float = 0

    /// Takes steps and the time of the last one.
    ///
    /// - Returns: the steps a second; `nil` where it is not known.
    mutating func take(_ count: Int64, at microseconds: Int64) -> Double? {
        let (gap, overflow) = microseconds.subtractingReportingOverflow(time)
        if overflow || gap > Self.pauseMicroseconds || gap < -Self.pauseMicroseconds {
            rateHz = 0
        } else if gap > 0, count > 0 {
            let rate = Float(count) * 1_000_000 / Float(gap)
            rateHz += (rate - rateHz) * (rateHz > 0 ? Self.newestShare : 1)
        }
        time = overflow || rateHz == 0 ? microseconds : max(time, microseconds)
        return rateHz > 0 ? Double(rateHz) : nil
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(&time, orNone: .min)
        coder.code(&rateHz)
        if rateHz < 0 { coder.reject() }
    }
}

// `Motion` imports nothing of ours, so it has kinds, sensors, placements and activities of its own. Here alone they are
// made of those of `Wire`, and the other way round.

extension PlacementGroup {
    package init(_ placement: SensorPlacement) {
        self =
            switch placement {
            case .wrist: .wrist
            case .hand, .bag, .hip, .back: .carried
            case .pocket, .thigh: .pocket
            case .ankle, .foot: .leg
            case .frame: .frame
            case .crank: .crank
            case .unknown: .unknown
            }
    }
}

extension Motion.SensorSet {
    /// The sensors that tell movement.
    package init(_ sensors: Wire.SensorSet) {
        self = Self(rawValue: sensors.rawValue).intersection([.acceleration, .angularVelocity, .magneticField])
    }
}

extension ActivityKind {
    /// The activity of the same number.
    init(_ activity: Activity) { self = ActivityKind(rawValue: activity.rawValue) ?? .unknown }
}

extension CaseIterable {
    /// The case that has the name of a case of another enum.
    init?(named other: some CaseIterable) {
        guard let same = Self.allCases.first(where: { "\($0)" == "\(other)" }) else { return nil }
        self = same
    }
}
