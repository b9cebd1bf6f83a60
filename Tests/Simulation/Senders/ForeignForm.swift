import Seeded
import Wire

/// Forms of other systems, as they come in.
enum ForeignForm {
    /// Where ingest reads them beside our own topics: the device's name stands in the topic.
    static let sources: [DeviceSource] = {
        let forms = [
            ("owntracks/+/+/step", "owntracks", 2), ("gateway/+/BTtoMQTT", "theengs", 1),
            ("health/+", "health-auto-export", 1), ("logger/+", "sensor-logger", 1),
        ]
        return forms.compactMap { filter, format, level in
            try? DeviceSource(["filter": filter, "format": format, "device": "topic:\(level)"])
        }
    }()
}

extension SenderPlan {
    /// A phone or a band that several programs tell of, each in its own form.
    mutating func addForeignForms(_ random: inout SeededGenerator) {
        truth = .log
        var (band, steps, message) = (random.below(10_000), 0, 0)
        for _ in 0..<(15 + random.below(40)) {
            let length = 5 + random.below(60)
            pass(seconds: Double(length))
            let now = time / 1_000_000
            let count = random.below(2 * length)
            switch random.below(6) {
            case 0:
                foreign(
                    "owntracks/anna/\(device)/step",
                    #"{"_type":"steps","tst":\#(now),"from":\#(now - Int64(length)),"to":\#(now),"steps":\#(count)}"#)
            case 1:
                band += count
                let shown = random.chance(0.2) ? max(0, band - random.below(5)) : band
                foreign(
                    "gateway/\(device)/BTtoMQTT", #"{"model_id":"MB/SW","mac":"AA:BB:CC:DD:EE:FF","steps":\#(shown)}"#)
            case 2:
                let qty = random.chance(0.3) ? "\(count).45" : "\(count)"
                let date = "2026-11-20 17:\(10 + random.below(50)):00 +0\(random.below(2))00"
                foreign(
                    "health/\(device)",
                    #"{"data":{"metrics":[{"name":"step_count","units":"count","data":[{"qty":\#(qty),"date":"\#(date)"}]}]}}"#
                )
            case 3:
                (steps, message) = (steps + count, message + 1)
                let values = #"{"name":"pedometer","time":\#(now)000000000,"values":{"steps":\#(steps)}}"#
                foreign(
                    "logger/\(device)",
                    #"{"messageId":\#(message),"sessionId":"s\#(now / 600)","deviceId":"d","payload":[\#(values)]}"#)
            case 4:
                send(#"{"x":[0.2],"y":[0],"z":[9.8],"t":[0],"time":{"now":\#(now)}}"#, on: .imu)
            default:
                send(
                    #"{"messageId":\#(message),"sessionId":"s1","deviceId":"d","payload":[{"name":"accelerometer","#
                        + #""time":\#(now)000000000,"values":{"x":0.1,"y":\#(count),"z":9.8}}]}"#, on: .imu)
            }
            if random.chance(0.2) { repeatLast() }
        }
    }

    private mutating func foreign(_ topic: String, _ text: String) { send(Array(text.utf8), to: .foreign(topic)) }
}
