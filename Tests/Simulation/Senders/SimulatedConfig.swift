import Seeded
import Wire

/// The configs that operators give a device in the middle of its day.
enum SimulatedConfig {
    /// A config as it is retained; empty where it is taken back.
    static func draw(for sender: SimulatedSender, _ random: inout SeededGenerator) -> [UInt8] {
        guard !random.chance(0.15) else { return [] }
        guard !random.chance(0.15) else { return Array(broken[random.below(broken.count)].utf8) }
        var fields: [String] = []
        func draw(_ chance: Double, _ values: [String]) {
            if random.chance(chance) { fields.append(values[random.below(values.count)]) }
        }
        // Another zone is another day, and a count of the day begins anew in it.
        if sender.kind != .daySteps {
            draw(0.5, ["Asia/Tokyo", "Europe/Berlin", "Pacific/Auckland"].map { #""zone":"\#($0)""# })
            draw(0.2, [#""day_start":"04:00""#, #""day_start":"23:59""#])
        }
        draw(0.3, ["0.1", "0.7", "1.4", "5"].map { #""metres_per_stride":\#($0)"# })
        draw(0.3, ["0.5", "1.8", "2.5"].map { #""height_m":\#($0)"# })
        draw(0.3, ["0.1", "6", "50"].map { #""metres_per_revolution":\#($0)"# })
        draw(0.2, ["Anna", "Ben"].map { #""person":"\#($0)""# })
        if sender.mayChangeKind {
            draw(0.3, ["bike", "wearable"].map { #""kind":"\#($0)""# })
            draw(0.2, ["wrist", "pocket", "frame"].map { #""placement":"\#($0)""# })
        }
        return Array("{\(fields.joined(separator: ","))}".utf8)
    }

    /// What of a config changes what is counted: one that changes nothing is not stored.
    static func inForce(_ json: [UInt8]?) -> DeviceConfig {
        let config = json.flatMap { try? DeviceConfig(json: $0) } ?? DeviceConfig()
        var inForce = DeviceConfig()
        (inForce.zone, inForce.dayStartMinutes) = (config.zone, config.dayStartMinutes)
        (inForce.metresPerStride, inForce.metresPerRevolution) = (config.metresPerStride, config.metresPerRevolution)
        return inForce
    }

    /// Configs of which nothing, or not everything, can hold.
    private static let broken = [
        "{", "[]", "null", #"{"zone":"Europe/Berlni"}"#, #"{"metres_per_stride":0.09}"#, #"{"metres_per_stride":5.01}"#,
        #"{"height_m":1e308}"#, #"{"metres_per_revolution":-1}"#, #"{"metres_per_revolution":NaN}"#,
        #"{"day_start":"24:00"}"#, #"{"kind":"boat"}"#, #"{"person":7}"#, "\u{0}",
    ]
}
