import FIT
import Foundation
import TestBroker
import Testing
import Wire

@Suite("Rides of other devices", .timeLimit(.minutes(5)))
struct ImportTests {
    private let folder = TemporaryFolder()

    @Test("What a FIT file recorded counts once, however often it is imported")
    func once() async throws {
        // By the serial number in the file, which follows from the name of the device.
        let serial = UInt32(truncatingIfNeeded: Array("watch".utf8).withUnsafeBytes(StableHash.of)) | 1
        let start = (Int64(Date().timeIntervalSince1970) / 60 - 180) * 60
        let ride = try write("ride.fit", start, minutes: 20, rpm: 60)
        let late = try write("late.fit", start + 3600, minutes: 1, rpm: 90)
        try await RunningBus.with { bus in
            let total = "fit-\(serial)/total"
            let listener = try await bus.listener("service/+/status", total)
            try await listener.waitForServices()
            for file in [ride, ride, late] {
                let program = try Program(["import", file] + bus.arguments)
                #expect(try await program.exitCode() == 0, "\(program.errorText)")
                if file == ride { #expect(program.outputText.hasSuffix("ride.fit: 1200 s of fit-\(serial)\n")) }
            }
            // 20 minutes of 60 rpm, and a minute of 90 an hour later.
            let last = try await listener.wait(for: "\(bus.root)/\(total)") {
                (try? DeviceTotals(json: $0.payload).counts[.revolutions]) ?? 0 >= 1200 + 90
            }
            #expect(try DeviceTotals(json: last.payload).counts[.revolutions] == 1200 + 90)
        }
    }

    @Test("A file that is not there, is none, or has times to come is named, and nothing is sent")
    func unusable() async throws {
        let tomorrow = Int64(Date().timeIntervalSince1970) + 86_400
        for (file, words) in [
            (folder.path + "/nowhere.fit", "cannot be read"),
            (try folder.write("text.fit", "ride"), "its end is missing"),
            (try write("tomorrow.fit", tomorrow, minutes: 1, rpm: 60), "to come"),
        ] {
            let program = try Program(["import", file, "--broker", "mqtt://127.0.0.1:1"])
            #expect(try await program.exitCode() == 1)
            #expect(program.errorText.hasPrefix("Error: \(file): "))
            #expect(program.errorText.contains(words))
        }
    }

    /// Writes a ride of a watch, and says where it is.
    private func write(_ name: String, _ start: Int64, minutes: Int, rpm: Int) throws -> String {
        let workout = Workout { ($0.devices, $0.start) = (["watch"], Double(start)) }
        let count = 60 * minutes
        let numbers = WorkoutData {
            ($0.cadence, $0.watts) = (Array(repeating: rpm, count: count), Array(repeating: 5_000, count: count))
            $0.bpm = (0..<count).map { 120 + $0 % 9 }
        }
        let file = folder.path + "/" + name
        try Data(FITActivity(workout, numbers).encoded()).write(to: URL(filePath: file))
        return file
    }
}
