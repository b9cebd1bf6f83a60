import Foundation
import Ingest
import ServiceKit
import TestBroker
import Testing
import Wire

@Suite("Devices that know nothing of stridebus")
struct ForeignDeviceTests {
    private static func payload(_ name: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return Array(try Data(contentsOf: folder.appendingPathComponent("schemas/devices/\(name).json")))
    }

    @Test("A foreign topic is read by its source, and its device is named by the payload")
    func source() throws {
        let sources = try DeviceSource.list(
            json: #"[{"filter":"sensor-logger","format":"sensor-logger","device":"$.deviceId"}]"#)
        var pipeline = IngestPipeline(topics: try TopicTree(), sources: sources)
        pipeline.take("sensor-logger", try Self.payload("sensor-logger"))
        pipeline.take("sensor-logger", Array(#"{"deviceId":"///"}"#.utf8))
        pipeline.take("sensor-logger", Array("{".utf8))
        pipeline.take("elsewhere", Array("{}".utf8))
        let told = try pipeline.finish(nowMicroseconds: Sample.arrival).flatMap { try $0.records }
        #expect(told.map(\.device) == ["7d1c0bff-f830-4dc9-a431-26873453ebb1"])
        #expect(pipeline.counters.refused(.invalidDeviceID) == 1)
        #expect(pipeline.counters.refused(.malformed) == 1)
        #expect(pipeline.counters.refused(.unknownTopic) == 1)
    }

    @Test("A foreign form that is broken is refused for its own reason; ours keep theirs")
    func refused() throws {
        for (text, reason) in [
            (
                #"{"deviceId":"p","payload":[{"name":"gyroscope","time":5,"values":{"x":0,"y":0,"z":0}}]}"#,
                WireError.absurdTime
            ),
            (#"{"ax":1e30,"ay":0,"az":0}"#, .outOfRange), (#"{"hello":1}"#, .noSamples),
            (#"{"acc":[[1,2]]}"#, .wrongType),
            ("[1,2]", .wrongType), ("{", .malformed),
        ] {
            var pipeline = IngestPipeline(topics: try TopicTree())
            pipeline.take("stride/p/imu", Array(text.utf8))
            #expect(pipeline.counters.refused(reason) == 1, "\(text)")
        }
    }

    @Test("A name in two normal forms is one device")
    func normalForms() throws {
        let sources = try DeviceSource.list(
            json: #"[{"filter":"hr/+","format":"number","quantity":"bpm","device":"topic:1"}]"#)
        var pipeline = IngestPipeline(topics: try TopicTree(), sources: sources)
        for name in ["Zo\u{EB}", "Zoe\u{308}"] { pipeline.take("hr/\(name)", Array("80".utf8)) }
        let told = try pipeline.finish(nowMicroseconds: Sample.arrival).flatMap { try $0.records }
        #expect(Set(told.map(\.device)).count == 1 && pipeline.counters.devices == 1)
    }

    @Test("What is left out of a frame is told, and the frame is taken")
    func leftOut() throws {
        var pipeline = IngestPipeline(topics: try TopicTree())
        pipeline.take("stride/p/imu", Array(#"{"rate_hz":50,"acc":[[0,0,9.8],[0,0,1e30]]}"#.utf8))
        let told = try pipeline.finish(nowMicroseconds: Sample.arrival).flatMap { try $0.records }
        #expect(told.map(\.content).contains(.refusal(.outOfRange, count: 1)))
        #expect(told.count == 2 && pipeline.counters.accepted == 1 && pipeline.counters.refused == 0)
    }

    @Test(
        "A phone with OwnTracks is asked for the last day when it is heard and the connection takes it, and in each hour for the two before"
    )
    func ownTracks() async throws {
        let sources = try DeviceSource.list(
            json: #"[{"filter":"owntracks/+/+/#","format":"owntracks","device":"topic:2"}]"#)
        let bus = ScriptedBus()
        let main = IngestMain(topics: try TopicTree(), sources: sources, bus: bus, logger: ScriptedBus.logger)
        let hour: Int64 = 3_600_000_000
        func asked(at microseconds: Int64) -> [String] {
            (bus.nowMicroseconds, bus.questions) = (microseconds, [])
            main.tick()
            return bus.questions
        }
        #expect(asked(at: Sample.arrival).isEmpty)
        bus.messages = [("owntracks/anna/iphone", Array(#"{"_type":"location","lat":52.5}"#.utf8), true)]
        try await main.turn()
        bus.takesQuestions = false
        #expect(asked(at: Sample.arrival).isEmpty)
        bus.takesQuestions = true
        let first = asked(at: Sample.arrival)
        #expect(first.count == 24)
        #expect(
            first.last
                == #"owntracks/anna/iphone/cmd {"_type":"cmd","action":"reportSteps","from":1763668800,"to":1763672400}"#
        )
        #expect(asked(at: Sample.arrival + 1_000_000).isEmpty)
        #expect(asked(at: Sample.arrival + hour).count == 2)
    }

    @Test("The configuration's sources are checked at the start")
    func configuration() throws {
        let good = #"[{"filter":"QZ/+/#","format":"qdomyos-zwift","device":"topic:1"}]"#
        let reader = try ConfigurationSources(flags: [.sources: good], environment: [:]).reader()
        #expect(try IngestConfiguration(config: reader).sources.map(\.filter) == ["QZ/+/#"])
        let bad = try ConfigurationSources(flags: [.sources: #"[{"filter":"a"}]"#], environment: [:]).reader()
        #expect { try IngestConfiguration(config: bad) } throws: {
            "\($0)".contains("source 1: a source needs format=")
        }
    }
}
