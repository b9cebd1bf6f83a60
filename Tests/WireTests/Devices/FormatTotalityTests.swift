import Contract
import Foundation
import Seeded
import Testing
import Wire

@Suite("Foreign forms answer anything with contents or a typed error")
struct FormatTotalityTests {
    private static let files = Result {
        try FileManager.default.contentsOfDirectory(atPath: Contract.folder.appendingPathComponent("devices").path)
            .filter { $0.hasSuffix(".json") && $0 != "vectors.json" }.sorted()
    }

    private static let sources: [DeviceFormatName: String] = [
        .number: "filter=a format=number quantity=rpm device=a",
        .mapping:
            "filter=a format=mapping device=a ax=/payload/0/values/x ay=/ay az=/az t=/t rpm=/steps boot=/mac seq=/ts",
    ]

    @Test(
        "A payload with some bytes changed, cut or doubled is read or refused by every form", arguments: try files.get()
    )
    func changed(file: String) throws {
        let original = try Contract.bytes("devices/\(file)")
        var random = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.insert(UInt8(ascii: "9"), at: place)
                case 2: bytes.insert(contentsOf: bytes[place..<min(place + 9, bytes.count)], at: place)
                default: bytes.remove(at: place)
                }
            }
            for name in DeviceFormatName.allCases {
                var scene = try DeviceScene(Self.sources[name] ?? "filter=a/# format=\(name.rawValue) device=topic:0")
                guard let contents = try? scene.decode(bytes, topic: "a/workout/bike/cranks") else { continue }
                for frame in contents.frames {
                    #expect(frame.values.allSatisfy(\.isFinite) && frame.sampleCount <= FrameLimits.maximumSamples)
                }
            }
        }
    }
}
