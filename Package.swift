// swift-tools-version: 6.2

import PackageDescription

// What each flag does: https://github.com/swiftlang/swift-evolution, proposals SE-0335 (ExistentialAny),
// SE-0409 (InternalImportsByDefault), SE-0444 (MemberImportVisibility) and SE-0461 (NonisolatedNonsendingByDefault).
let common: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// `deploy/test` compiles everything once, optimised, and asks with this for modules that tests can look into. Others may
// not depend upon a package whose flags are always unsafe.
let testable = Context.environment["TESTABLE_RELEASE"] != nil
let settings =
    testable ? common + [.unsafeFlags(["-enable-testing"], .when(configuration: .release))] : common

// A suite is compiled to run once or twice: to optimise it takes longer than that saves.
let testing = testable ? common + [.unsafeFlags(["-Onone"], .when(configuration: .release))] : common

// What `stridebus --version` says of a build that is given to others: `deploy/package` names the commit and its date. In
// other builds they are empty, because they would link the program anew with each commit.
func noted(_ name: String) -> String { "\"\(Context.environment[name] ?? "")\"" }

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "stridebus",
    products: [
        .executable(name: "stridebus", targets: ["stridebus"]),
        .library(name: "StrideClient", targets: ["StrideClient"]),
        .library(name: "MQTT", targets: ["MQTT"]),
        // For the programs of Benchmarks/ and for nobody else: nothing in it is an interface that stays.
        .library(
            name: "Internals",
            targets: [
                "Bodies", "Counter", "Fuzzing", "History", "Ingest", "Lab", "MQTT", "Motion", "PrivateBroker",
                "PrivatePostgres", "Seeded", "ServiceKit", "Simulation", "StrideClient", "Wire",
            ]),
        // The values that StrideClient's API names: device ids, times, frames, totals.
        .library(name: "Wire", targets: ["Wire"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // System libraries and the one C++ shim. Each is imported by exactly one Swift target.
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CAllocator"),
        .target(name: "CSpawn"),
        .target(name: "CSocketBuffer"),
        .target(name: "CMotion"),
        .target(
            name: "CBuild",
            cSettings: [
                .define("BUILD_COMMIT", to: noted("BUILD_COMMIT")), .define("BUILD_DATE", to: noted("BUILD_DATE")),
            ]),
        .target(name: "CSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),
        // The table of roles of schemas/, which C can embed.
        .target(name: "CSchemas"),

        // The bus, the bytes on it, and the signal: none of these knows a service.
        .target(name: "MQTT", dependencies: ["CMosquitto", "CSocketBuffer", deque], swiftSettings: settings),
        .target(name: "Wire", dependencies: ["CSimdJSON"], swiftSettings: settings),
        .target(name: "Motion", dependencies: ["CMotion"], swiftSettings: settings),
        // Activity files of bike computers and watches; nothing of ours is in it.
        .target(name: "FIT", dependencies: ["Wire"], swiftSettings: settings),

        // What every service is made of.
        .target(
            name: "ServiceKit", dependencies: ["CSchemas", "MQTT", "Wire", configuration, grdb, lifecycle, logging],
            swiftSettings: settings),

        // The Mosquitto of `stridebus up` and of tests, with its users and certificates. No service knows it.
        .target(
            name: "PrivateBroker",
            dependencies: ["CSpawn", "MQTT", "ServiceKit", "Wire", configuration, lifecycle, logging],
            swiftSettings: settings),

        // One library a service. Services never import each other.
        .target(
            name: "Ingest", dependencies: ["ServiceKit", "MQTT", "Wire", configuration, lifecycle, logging],
            swiftSettings: settings),
        .target(
            name: "Counter",
            dependencies: ["ServiceKit", "MQTT", "Wire", "Motion", configuration, grdb, lifecycle, logging],
            swiftSettings: settings),
        .target(
            name: "History",
            dependencies: [
                "CPostgres", "FIT", "ServiceKit", "MQTT", "Wire", configuration, grdb, lifecycle, logging, sqlite,
            ],
            swiftSettings: settings),

        // For app developers.
        .target(name: "StrideClient", dependencies: ["MQTT", "Wire"], swiftSettings: settings),

        // Simulated gyms and recorded people: playing them onto a bus, counting them without one.
        .target(
            name: "Lab", dependencies: ["Counter", "Motion", "MQTT", "StrideClient", "Wire"],
            swiftSettings: settings),

        // The physics of people and bikes that carry a sensor, for the fit, trials, tests and measurements.
        .target(
            name: "Bodies", dependencies: ["Lab", "Wire"], path: "Tools/Bodies", exclude: ["README.md"],
            swiftSettings: settings),
        // What developers of the estimator need and users do not; Tools/fit and Tools/accuracy call it.
        .executableTarget(
            name: "trials", dependencies: ["Bodies", "Counter", "Lab", "Motion", "Wire", argumentParser],
            path: "Tools/Trials",
            exclude: ["README.md"], swiftSettings: settings),

        .executableTarget(
            name: "stridebus",
            dependencies: [
                "CAllocator", "CBuild", "Counter", "FIT", "History", "Ingest", "Lab", "MQTT", "PrivateBroker",
                "ServiceKit", "StrideClient", "Wire",
                argumentParser, configuration, lifecycle, logging, signals,
            ],
            swiftSettings: settings),

        .testTarget(
            name: "MQTTTests", dependencies: ["TestBroker", "CrashingConsumer", "MQTT", "PrivateBroker", "Watched"],
            swiftSettings: testing),
        // Dies on purpose, so that MQTTTests can see what the broker does then.
        .executableTarget(
            name: "CrashingConsumer", dependencies: ["MQTT", "PrivateBroker"], path: "Tests/CrashingConsumer",
            swiftSettings: settings),
        // A server for the tests that need one.
        .target(
            name: "PrivatePostgres", dependencies: ["History", "PrivateBroker", "Watched"],
            path: "Tests/PrivatePostgres", swiftSettings: settings),
        // The same random numbers from the same seed, for all tests that draw some.
        .target(name: "Seeded", path: "Tests/Seeded", swiftSettings: settings),
        // A database with a test between it and the store.
        .target(
            name: "HookedDatabase", dependencies: ["History"], path: "Tests/HookedDatabase", swiftSettings: settings),
        // Values that tests wait for.
        .target(name: "Watched", path: "Tests/Watched", swiftSettings: settings),
        // The schemas, for tests that hear messages of the bus.
        .target(
            name: "Contract", dependencies: ["MQTT", "Watched", "Wire"], path: "Tests/Contract", swiftSettings: settings
        ),
        // A broker, a folder and programs for one test.
        .target(
            name: "TestBroker", dependencies: ["Contract", "MQTT", "PrivateBroker", "Watched", "Wire", lifecycle],
            path: "Tests/TestBroker", swiftSettings: settings),
        .testTarget(name: "WireTests", dependencies: ["Contract", "Seeded", "Wire"], swiftSettings: testing),
        .testTarget(name: "FITTests", dependencies: ["FIT", "Seeded", "Wire"], swiftSettings: testing),
        // Files for the readers of other people, and what ours reads in theirs, for Tests/fit.
        .executableTarget(
            name: "FITSamples", dependencies: ["FIT", "Wire"], path: "Tests/FITSamples", exclude: ["readers.py"],
            swiftSettings: settings),
        .testTarget(
            name: "MotionTests", dependencies: ["Bodies", "Counter", "Lab", "Motion", "Seeded", "trials", "Wire"],
            swiftSettings: testing),
        .testTarget(
            name: "PrivateBrokerTests",
            dependencies: [
                "TestBroker", "Contract", "MQTT", "PrivateBroker", "ServiceKit", "stridebus", "Watched", "Wire",
                configuration,
                lifecycle, logging,
            ],
            swiftSettings: testing),
        .testTarget(
            name: "ServiceKitTests",
            dependencies: [
                "TestBroker", "Contract", "MQTT", "PrivateBroker", "ServiceKit", "stridebus", "Watched", "Wire",
                configuration,
                lifecycle, logging,
            ],
            swiftSettings: testing),
        .testTarget(
            name: "IngestTests",
            dependencies: [
                "TestBroker", "Contract", "Ingest", "MQTT", "PrivateBroker", "ServiceKit", "Wire", configuration,
                lifecycle, logging,
            ],
            swiftSettings: testing),
        .testTarget(
            name: "CounterTests",
            dependencies: [
                "TestBroker", "Contract", "Counter", "Ingest", "MQTT", "Motion", "PrivateBroker", "Seeded",
                "ServiceKit", "Watched",
                "Wire", grdb, lifecycle, logging,
            ],
            swiftSettings: testing),
        .testTarget(
            name: "HistoryTests",
            dependencies: [
                "TestBroker", "Contract", "FIT", "History", "HookedDatabase", "MQTT", "PrivateBroker",
                "PrivatePostgres", "Seeded", "ServiceKit", "Watched", "Wire", configuration, grdb, lifecycle, logging,
            ], exclude: ["HomeAssistant/discovery-rules.json"],
            swiftSettings: testing),
        .testTarget(
            name: "StrideClientTests",
            dependencies: [
                "TestBroker", "Contract", "MQTT", "PrivateBroker", "Seeded", "StrideClient", "StrideClientExamples",
                "Wire",
            ],
            swiftSettings: testing),
        // The code of the documentation of StrideClient, so that it compiles.
        .target(
            name: "StrideClientExamples", dependencies: ["MQTT", "StrideClient", "Wire"],
            path: "Tests/StrideClientExamples", swiftSettings: settings),
        .testTarget(
            name: "LabTests", dependencies: ["Bodies", "Counter", "Lab", "Seeded", "StrideClient", "trials", "Wire"],
            swiftSettings: testing),
        // The three services under one seeded clock, and the tests on it; a program of Benchmarks/ runs many seeds.
        .target(
            name: "Simulation",
            dependencies: ["Counter", "History", "HookedDatabase", "Ingest", logging, "Seeded", "ServiceKit", "Wire"],
            path: "Tests/Simulation", swiftSettings: settings),
        .testTarget(
            name: "SimulationTests", dependencies: ["Counter", "History", "Seeded", "Simulation", "Wire"],
            swiftSettings: testing),
        // Every decoder of bytes from outside, for `deploy/fuzz` and for a test that gives the known inputs to it.
        .target(
            name: "Fuzzing", dependencies: ["Counter", "History", "Ingest", "Motion", "Wire"], path: "Tests/Fuzzing",
            swiftSettings: settings),
        // What deploy hands out: firmware, compiled and run among what stands for its boards, and configurations of
        // other programs.
        .testTarget(
            name: "DeployTests",
            dependencies: ["TestBroker", "Contract", "MQTT", "PrivateBroker", "Seeded", "Watched", "Wire"],
            exclude: ["Firmware/Host", "Metrics/telegraf-keys.json", "Metrics/toml.py"], swiftSettings: testing),
        .testTarget(name: "FuzzingTests", dependencies: ["Fuzzing", "Seeded"], swiftSettings: testing),
        // Situations that people met, a file each.
        .testTarget(
            name: "CaseTests", dependencies: ["TestBroker", "Counter", "History", "Ingest", "Simulation", "Wire"],
            exclude: ["Cases"], swiftSettings: testing),
        // Dies at chosen input, so that WholePathTests can see that the others are counted.
        .executableTarget(
            name: "DyingService",
            dependencies: ["Counter", "History", "Ingest", "MQTT", "ServiceKit", "Wire", lifecycle, logging, signals],
            path: "Tests/DyingService", swiftSettings: settings),
        .testTarget(
            name: "WholePathTests",
            dependencies: [
                "TestBroker", "Contract", "Counter", "DyingService", "FIT", "History", "Ingest", "Lab", "MQTT",
                "Motion",
                "PrivateBroker",
                "Seeded", "ServiceKit", "StrideClient", "stridebus", "trials", "Watched", "Wire", configuration,
                lifecycle, logging,
            ],
            swiftSettings: testing),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c2x,
    cxxLanguageStandard: .cxx17
)
