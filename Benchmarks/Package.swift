// swift-tools-version: 6.2

import Foundation
import PackageDescription

// The programs here measure and spoil parts that nobody outside stridebus should import, so these parts are `package`
// and not `public`. The compiler grants that access to modules with the same package name, which SwiftPM takes from the
// folder's name; the two flags below give it to the targets of this package too. README.md says what else was weighed.
let root = URL(fileURLWithPath: Context.packageDirectory).deletingLastPathComponent().lastPathComponent.lowercased()
let packageName = String(root.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
    .unsafeFlags(["-package-name", packageName]),
]

let stridebus = Target.Dependency.product(name: "Internals", package: root)
let program = Target.Dependency.product(name: "stridebus", package: root)
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The pipeline beside others on the same broker; `deploy/bench` runs Bench/bench.py, which runs these.
        .executableTarget(
            name: "benchframes", dependencies: [stridebus, program, argumentParser], path: "Sources/BenchFrames",
            packageAccess: false, swiftSettings: settings),
        .executableTarget(
            name: "benchbus", path: "Sources/BenchBus", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])],
            linkerSettings: [.linkedLibrary("mosquitto")]),
        // Tries every fault on the real processes; `deploy/faults` runs it.
        .executableTarget(
            name: "faultbench", dependencies: [stridebus, program, argumentParser], path: "Sources/FaultBench",
            packageAccess: false, swiftSettings: settings),
        // How fast history's stores are, and how large.
        .executableTarget(
            name: "historybench", dependencies: [stridebus, program, argumentParser, grdb, lifecycle, logging],
            path: "Sources/HistoryBench", packageAccess: false, swiftSettings: settings),
        // What a frame costs the counter, and whether two programs count the same.
        .executableTarget(
            name: "counterbench", dependencies: [stridebus, argumentParser], path: "Sources/CounterBench",
            packageAccess: false, swiftSettings: settings),
        // What counting costs a sample.
        .executableTarget(
            name: "motionbench", dependencies: ["CAllocationCount", stridebus], path: "Sources/MotionBench",
            packageAccess: false, swiftSettings: settings),
        // Counts how often memory is asked for, in the program that it is linked into.
        .target(name: "CAllocationCount"),
        // The simulated system for many seeds.
        .executableTarget(
            name: "simulation", dependencies: [stridebus, argumentParser], path: "Sources/SimulationRun",
            packageAccess: false, swiftSettings: settings),
        // Every decoder of bytes from outside under libFuzzer; `deploy/fuzz` runs it.
        .executableTarget(
            name: "fuzz", dependencies: [stridebus], path: "Sources/FuzzRun", packageAccess: false,
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
