import Foundation
import MQTT
import PrivateBroker
import StrideClient
import Synchronization
import TestBroker
import Testing
import Watched
import Wire

@Suite(.timeLimit(.minutes(5)))
struct ExecutableTests {
    private let folder = TemporaryFolder()
    private var data: String { folder.path + "/data" }

    @Test(
        "What cannot work is told in one line that says how to mend it, and the exit code is not 0",
        arguments: [
            (["ingest", "--broker", "http://localhost"], "broker"),
            (["up", "--port", "0", "--root", "Gym/#"], "root"), (["up", "--port", "70000"], "--port is 70000"),
            (["up", "--port", "0", "--zone", "Europe/Berln"], "zone"),
            (["up", "--port", "0", "--data", "/proc/nowhere"], "--data"),
            (["up", "--port", "0", "--page", "/nowhere"], "has no index.html in /nowhere"),
            (["watch", "--every", "10"], "--device"),
            (["counter", "--partitions", "60-70"], "partitions"),
            (["ingest", "--config", "/nowhere.json"], "/nowhere.json"),
            (["count", "/nowhere.csv"], "/nowhere.csv"),
            (["simulate", "--bikes", "9223372036854775807"], "--bikes"),
            (["simulate", "--wearables", "9223372036854775807"], "--wearables"),
            (["simulate", "--speed", "nan"], "--speed"), (["simulate", "--speed", "1e300"], "--speed"),
            (["replay", "/nowhere.csv", "--speed", "inf"], "--speed"),
            (["device", "set", "bike-7", "--kind", "boat"], "kind"),
            (["device", "set", "bike-7", "--placement", "boat"], "placement"),
            (["device", "set", "bike-7", "--estimator", "boat"], "estimator"),
        ])
    func mistakes(arguments: [String], word: String) async throws {
        let program = try Program(arguments)
        let code = try await program.exitCode()
        #expect(code != 0)
        let complaint = program.errorLines.first { $0.hasPrefix("Error: ") } ?? ""
        #expect(complaint.contains(word), "\(program.errorLines)")
        #expect(program.errorLines.count { $0.hasPrefix("Error: ") } == 1)
    }

    @Test(
        "A command whose output gets nowhere says so and fails",
        arguments: ["count walk.csv", "count walk.csv --series"])
    func fullDisk(command: String) async throws {
        let rows = (0..<500).map { "\(Double($0) / 50),0,0,9.8" }.joined(separator: "\n")
        try folder.write("walk.csv", "t_s,ax,ay,az\n\(rows)\n")
        let program = try Program(
            ["-c", "cd '\(folder.path)' && exec '\(Program.executable("stridebus").path)' \(command) > /dev/full"],
            named: "/bin/sh")
        #expect(try await program.exitCode() != 0)
        #expect(program.errorText.contains("the output ends short: No space left on device"), "\(program.errorText)")
    }

    @Test("A simulation that is interrupted still writes what has truly happened", arguments: [SIGINT, SIGTERM])
    func interrupted(signal: Int32) async throws {
        let broker = try await EmbeddedBroker.start()
        let (truth, events) = (folder.path + "/truth.json", folder.path + "/events.csv")
        let program = try Program([
            "simulate", "--bikes", "1", "--wearables", "0", "--for", "1h", "--speed", "20", "--broker", broker.url,
            "--truth", truth, "--events", events,
        ])
        await until { (try? String(contentsOfFile: events, encoding: .utf8))?.contains("revolution") == true }
        program.send(signal)
        #expect(try await program.exitCode() == 0)
        let text = try String(contentsOfFile: truth, encoding: .utf8)
        let revolutions = try #require(text.firstMatch(of: /"revolutions":(\d+)/)?.output.1)
        #expect(try #require(Int(revolutions)) > 0)
        await broker.stop()
    }

    @Test(
        "A program without a broker says so and waits patiently, and ends when asked to",
        arguments: ["ingest", "simulate"])
    func noBroker(name: String) async throws {
        let program = try Program([name, "--broker", "mqtt://127.0.0.1:1"])
        try await program.waitForError(containing: "no broker at")
        program.terminate()
        #expect(try await program.exitCode() == 0)
    }

    @Test("SIGTERM ends everything, and the private broker with it", arguments: [SIGTERM, SIGINT])
    func graceful(signal: Int32) async throws {
        let up = try await UpProgram(data: data)
        try await up.end(by: signal)
        #expect(!LoopbackPort.accepts(port: up.endpoint.port))
    }

    @Test("SIGKILL ends the private broker too")
    func killed() async throws {
        let up = try await UpProgram(data: data)
        up.program.send(SIGKILL)
        await until { !LoopbackPort.accepts(port: up.endpoint.port) }
    }

    @Test("What was acknowledged before SIGKILL is counted after the next start")
    func counted() async throws {
        let up = try await UpProgram(data: data)
        let start = Int(Date().timeIntervalSince1970) / 60 * 60 - 3_600
        let producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: up.endpoint, clientID: "watch"))
        let acknowledged = Mutex(0)
        let sending = Task {
            for first in sequence(first: 0, next: { $0 + 50 }) {
                let words = (first..<first + 50).map { minute in
                    let from = start - 60 * minute
                    return #"{"kind":"interval","from":\#(from),"to":\#(from + 60),"steps":60}"#
                }
                try await producer.publish(
                    words.map { MQTTPublication(topic: "stride/watch/count", payload: Array($0.utf8)) })
                acknowledged.withLock { $0 = first + 50 }
            }
        }
        await until { acknowledged.withLock { $0 > 1_000 } }
        up.program.send(SIGKILL)
        sending.cancel()
        await producer.stop()
        let words = acknowledged.withLock(\.self)
        let next = try await UpProgram(data: data)
        let bus = try StrideBus(endpoint: next.endpoint)
        let device = DeviceID("watch")
        await until {
            let answer = try? await bus.interval(
                device: device, from: .instant(seconds: Double(start - 60 * words)),
                to: .instant(seconds: Double(start + 60)))
            return answer?.steps ?? 0 >= 60 * words
        }
        await bus.close()
        try await next.end()
    }

    @Test("A secret word that is damaged is told by its file")
    func damagedWord() async throws {
        try FileManager.default.createDirectory(atPath: data + "/broker", withIntermediateDirectories: true)
        try folder.write("data/broker/client-key", "")
        let program = try Program(["up", "--port", "0", "--data", data, "--page", "off"])
        #expect(try await program.exitCode() != 0)
        #expect(program.errorText.contains("/broker/client-key: it holds no word"), "\(program.errorText)")
    }

    @Test("What the services keep is for their user alone")
    func modes() async throws {
        try await UpProgram(data: data).end()
        let files = FileManager.default.enumerator(atPath: data)?.compactMap { $0 as? String } ?? []
        #expect(files.count >= 4)
        for file in [""] + files {
            let attributes = try FileManager.default.attributesOfItem(atPath: data + "/" + file)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & 0o077 == 0, "\(file) is \(String(mode, radix: 8))")
        }
    }

    @Test("The version is the newest one of the changelog")
    func version() async throws {
        let program = try Program(["--version"])
        #expect(try await program.exitCode() == 0)
        let repository = URL(filePath: #filePath).appending(path: "../../..").standardized
        let changes = try String(contentsOf: repository.appending(path: "CHANGELOG.md"), encoding: .utf8)
        let newest = try #require(changes.firstMatch(of: /## (\d+\.\d+\.\d+)/)?.output.1)
        #expect(program.outputText.hasPrefix("\(newest) ("))
    }

    @Test("The page is served where it is told to be and not at all when off", arguments: [true, false])
    func page(isServed: Bool) async throws {
        try folder.write("index.html", "<title>the page</title>")
        let up = try await UpProgram(data: data, ["--page", isServed ? folder.path : "off", "--page-port", "0"])
        let address = up.program.errorText.firstMatch(of: /the page is at http:\/\/localhost:(\d+)\//)
        #expect(address.map { LoopbackPort.accepts(port: Int($0.output.1) ?? 0) } ?? false == isServed)
        try await up.end()
    }
}
