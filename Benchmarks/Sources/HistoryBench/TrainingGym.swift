import Foundation
import Wire

/// A simulated gym that trains while history is asked, with an ingest and a counter: `stridebus` thrice, as processes
/// of their own, so that they take from the machine what they take from it elsewhere.
struct TrainingGym {
    /// Why there is none.
    enum Absence: Error, CustomStringConvertible {
        case noProgram(path: String)
        case noFrames

        var description: String {
            switch self {
            case .noProgram(let path):
                "there is no \(path): build it with `swift build -c release --package-path Benchmarks --scratch-path .build`"
            case .noFrames:
                "history was not online or ingest took no frame in \(TrainingGym.patienceSeconds) s: see what they wrote above"
            }
        }
    }

    /// How long services may take until they work, in seconds.
    static let patienceSeconds = 60

    private let programs: [Process]
    private let folder: URL

    /// For how long the gym trains at most, in seconds.
    private static let maximumSeconds = 900

    /// Starts all three; half of the devices are bikes, and each sends a frame of 50 samples of six axes a second.
    init(devices: Int, broker: String) throws {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("stridebus").path
        guard FileManager.default.isExecutableFile(atPath: program) else { throw Absence.noProgram(path: program) }
        folder = FileManager.default.temporaryDirectory.appending(path: "training-gym-\(UUID().uuidString)")
        let data = folder.path(percentEncoded: false)
        let bikes = devices / 2
        programs = try [
            ["ingest", "--data", data, "--log-level", "error"], ["counter", "--data", data, "--log-level", "error"],
            [
                "simulate", "--bikes", "\(bikes)", "--wearables", "\(devices - bikes)", "--for",
                "\(Self.maximumSeconds)s", "--truth", "/dev/null",
            ],
        ].map { words in
            try Self.start(program, words + ["--broker", broker])
        }
    }

    private static func start(_ program: String, _ words: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("STRIDEBUS_") }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Ends all three, and returns when they have ended.
    func end() {
        for program in programs { program.terminate() }
        for program in programs { program.waitUntilExit() }
        try? FileManager.default.removeItem(at: folder)
    }
}
