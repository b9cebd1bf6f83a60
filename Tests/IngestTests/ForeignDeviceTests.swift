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

    @Test("A cadence that a bridge publishes on change holds while its clock ticks, each device for itself")
    func memory() throws {
        let sources = try DeviceSource.list(
            json: #"[{"filter":"QZ/+/#","format":"qdomyos-zwift","device":"topic:1"}]"#)
        var pipeline = IngestPipeline(topics: try TopicTree(), sources: sources)
        pipeline.take("QZ/a/workout/bike/cadence/current", Array("84.00".utf8))
        pipeline.take("QZ/b/workout/elapsed/total_seconds", Array("9".utf8))
        pipeline.take("QZ/a/workout/elapsed/total_seconds", Array("10".utf8))
        let told = try pipeline.finish(nowMicroseconds: Sample.arrival).flatMap { try $0.records }
        #expect(told.map(\.device.description) == ["a", "a"])
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
