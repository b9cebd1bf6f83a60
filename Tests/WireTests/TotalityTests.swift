import Seeded
import Testing
import Wire

/// Every decoder is given junk; anything but a value or a `WireError` ends the test process.
@Suite("Decoders answer anything with a value or a typed error")
struct TotalityTests {
    @Test("Payloads with flipped, cut and inserted bytes", arguments: Target.allCases)
    func mutations(target: Target) {
        var generator = SeededGenerator(seed: 0x5EED + UInt64(target.rawValue))
        let decoder = FrameDecoder()
        var frame = Frame()
        var refused = 0
        for round in 0..<3_000 {
            var payload = target.valid(round: round % 20)
            for _ in 0..<Int.random(in: 1...4, using: &generator) { payload.mutate(using: &generator) }
            do throws(WireError) {
                try payload.withRawBytes { bytes throws(WireError) in try target.decode(bytes, decoder, &frame) }
            } catch { refused += 1 }
        }
        #expect(refused > 0)
    }

    @Test("Random bytes", arguments: Target.allCases)
    func noise(target: Target) {
        var generator = SeededGenerator(seed: 0x0153 + UInt64(target.rawValue))
        let decoder = FrameDecoder()
        var frame = Frame()
        for _ in 0..<2_000 {
            var payload = target.header
            for _ in 0..<Int.random(in: 0...64, using: &generator) {
                payload.append(.random(in: 0...255, using: &generator))
            }
            try? payload.withRawBytes { bytes throws(WireError) in try target.decode(bytes, decoder, &frame) }
        }
    }

    @Test("Every beginning of a valid payload", arguments: Target.allCases)
    func beginnings(target: Target) {
        let decoder = FrameDecoder()
        var frame = Frame()
        let payload = target.valid(round: 3)
        for count in 0...min(payload.count, 2_000) {
            try? Array(payload[..<count])
                .withRawBytes { bytes throws(WireError) in try target.decode(bytes, decoder, &frame) }
        }
    }
}

/// A decoder, what it takes, and how its payloads begin.
enum Target: Int, CaseIterable, Sendable {
    case frameJSON, frameCompact, frameProtobuf, motionBatch, countsBatch, countsResend, countsForget, rev, csc, ftms,
        count, document
    case config, days, request, reply, series, health, serviceHealth, topic, time
    case people, activity, capabilities, interval

    var header: [UInt8] {
        switch self {
        case .frameProtobuf: [0x0D, 0x53, 0x42, 0x46, 0x31]
        case .motionBatch: [0x53, 0x42, 0x4D, 1]
        case .countsBatch: [0x53, 0x42, 0x43, 3]
        case .countsResend: [0x53, 0x42, 0x52, 2]
        case .countsForget: [0x53, 0x42, 0x46, 1]
        default: []
        }
    }

    func valid(round: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: UInt64(round))
        switch self {
        case .frameJSON: return Frame.random(using: &generator).encodedJSON()
        case .frameCompact: return Frame.random(using: &generator).encodedCompactJSON()
        case .frameProtobuf: return Frame.random(using: &generator).encodedProtobuf()
        case .motionBatch:
            var encoder = MotionBatchEncoder()
            for _ in 0..<4 { _ = encoder.append(.random(using: &generator)) }
            return encoder.bytes
        case .countsBatch: return CountsBatchTests.batch(rows: 3, seed: UInt64(round)).encoded()
        case .countsResend:
            return CountsResend(
                positions: [CountsResend.Position(epoch: 1, revision: UInt64(round))]
            ).encoded()
        case .countsForget:
            let device = MotionRecord.random(using: &generator).device
            return CountsForget(device: device, minutes: 5..<9 + Int64(round), isWhole: round % 2 == 0).encoded()
        case .csc: return [0x03, 1, 0, 0, 0, 2, 0, 0x34, 0x12, 5, 0]
        case .ftms: return [0x44, 0x02, 0xF2, 0x08, 0xB0, 0x00, 0x40, 0x00, 0x00]
        case .topic: return Array("stride/bike-07/imu".utf8)
        case .time: return Array("2026-11-20T18:00:00.25+01:00".utf8)
        default: return Array(text.utf8)
        }
    }

    private var text: String {
        switch self {
        case .rev: #"{"boot":"k3f9","seq":12,"t":1763673600.5,"revolutions":1042}"#
        case .count: #"{"kind":"interval","from":1763673600,"to":1763674200,"steps":812}"#
        case .config:
            #"{"kind":"bike","day_start":"04:00","estimator":"prototype","sensor":"acc","axis":"x","f":0.9,"q":10}"#
        case .days:
            #"{"device":"a","days":[{"date":"2026-11-20","zone":"UTC","steps":1,"revolutions":2,"distance_m":3,"active_s":4,"covered_s":5,"revision":6,"final":false}]}"#
        case .request:
            #"{"device":"a","from":"2026-11-20","to":"2026-11-20T18:00Z","bucket":"minute","transaction":"x"}"#
        case .reply: #"{"status":"error","transaction":7,"error":{"code":"bad_request","message":"no"}}"#
        case .series:
            #"{"device":"a","zone":"UTC","bucket":"hour","buckets":[{"start":0,"steps":1,"revolutions":0,"active_s":0,"covered_s":0}]}"#
        case .people: #"{"people":[{"person":"Anna","devices":[{"person":"Anna","device":"a","from":1,"to":2}]}]}"#
        case .activity:
            #"{"device":"a","segments":[{"start":0,"end":60,"activity":"walking","confidence":"high","steps":1,"revolutions":0}]}"#
        case .capabilities:
            #"{"device":"a","kind":"bike","steps":false,"steps_why":"x","revolutions":true,"cadence":true,"distance":true,"pace":true,"floors":false,"activity":true,"events":true}"#
        case .interval:
            #"{"device":"a","from":0,"to":60,"steps":1,"revolutions":0,"distance_m":3,"active_s":4,"covered_s":5,"cadence_avg_spm":100,"resolution_s":60}"#
        case .health:
            #"{"t":1,"ok":false,"accepted":1,"duplicate":2,"late":3,"missing":4,"refused":5,"refused_malformed":5}"#
        case .serviceHealth: #"{"t":1,"service":"ingest","frames":18446744073709551615}"#
        default: #"{"a":[1,-2,3.5e10,"x\u00e9",true,null,{"b":[]}],"c":18446744073709551615}"#
        }
    }

    func decode(_ bytes: UnsafeRawBufferPointer, _ decoder: FrameDecoder, _ frame: inout Frame) throws(WireError) {
        switch self {
        case .frameJSON, .frameCompact, .frameProtobuf: try decoder.decode(bytes, into: &frame)
        case .motionBatch:
            var batch = try MotionBatchDecoder(bytes)
            while batch.next() != nil {}
        case .countsBatch: _ = try CountsBatch(decoding: bytes)
        case .countsResend: _ = try CountsResend(decoding: bytes)
        case .countsForget: _ = try CountsForget(decoding: bytes)
        case .rev: _ = try MotionContent.decoding(bytes, on: .rev, arrivalMicroseconds: 0)
        case .csc: _ = try MotionContent.decoding(bytes, on: .csc, arrivalMicroseconds: 0)
        case .ftms: _ = try MotionContent.decoding(bytes, on: .ftms, arrivalMicroseconds: 0)
        case .count: _ = try MotionContent.decoding(bytes, on: .count, arrivalMicroseconds: 0)
        case .document: _ = try JSONValue(parsing: bytes)
        case .config: _ = try DeviceConfig(json: bytes).encodedJSON()
        case .days: _ = try DaysData(json: bytes).encodedJSON()
        case .request: _ = try HistoryRequest(verb: .historySeries, json: bytes).encodedJSON()
        case .reply: _ = try HistoryReply(json: bytes).encodedJSON()
        case .series: _ = try SeriesData(json: bytes).encodedJSON()
        case .people: _ = try PeopleData(json: bytes).encodedJSON()
        case .activity: _ = try ActivityData(json: bytes).encodedJSON()
        case .capabilities: _ = try CapabilitiesData(json: bytes).encodedJSON()
        case .interval: _ = try IntervalData(json: bytes).encodedJSON()
        case .health: _ = try DeviceHealth(json: bytes).encodedJSON()
        case .serviceHealth: _ = try ServiceHealth(json: bytes).encodedJSON()
        case .topic: _ = try TopicTree().parse(bytes)
        case .time: _ = try TimePoint(parsing: String(decoding: bytes, as: UTF8.self)).text
        }
    }
}

extension [UInt8] {
    fileprivate mutating func mutate(using generator: inout SeededGenerator) {
        guard let place = indices.randomElement(using: &generator) else { return }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: self[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: self[place] = .random(in: 0...255, using: &generator)
        case 2: removeSubrange(place...)
        case 3: insert(UInt8(ascii: "9"), at: place)
        default: remove(at: place)
        }
    }
}
