import FIT
import TestBroker
import Testing

@testable import History
@testable import Wire

@Suite("Workouts as files")
struct WorkoutFileTests {
    let folder = StoreFolder()
    /// 2026-11-20T17:00:00Z
    let start: Int64 = 1_795_194_000
    var now: Double { Double(start) + 86_400 }

    @Test("A FIT file's session says what the workout says, and its records are the workout's seconds")
    func fit() async throws {
        let store = try await ridden(minutes: 70, pauses: 30..<33)
        let workout = try await workout(in: store)
        let (name, bytes) = try await file(of: workout, .fit, in: store)
        #expect(name == "ride-2026-11-20-1800.fit")
        var (session, records, stops) = ([UInt8: Int](), 0, 0)
        try FITFile.forEachMessage(in: bytes) { message in
            switch message.number {
            case 18: for field in 0...124 { session[UInt8(field)] = message[UInt8(field)] }
            case 20: records += 1
            case 21 where message[1] == 4: stops += 1
            default: break
            }
        }
        #expect(session[7] == Int((workout.end - workout.start) * 1000))
        #expect(session[8] == Int(workout.movingSeconds * 1000))
        #expect(records == Int(workout.movingSeconds) && stops == workout.pauses.count + 1)
        #expect(session[9] == workout.distanceMetres.map { Int(($0 * 100).rounded()) })
        #expect(session[10] == Int(workout.revolutions))
        #expect(session[48] == workout.power.map { Int(($0.workKilojoules * 1000).rounded()) })
        #expect(session[16] == workout.heart.map { Int($0.average.rounded()) })
        #expect(session[21] == workout.power.map { Int($0.maximum.rounded()) })
        let watts = try FITRecording(bytes).parts.flatMap(\.watts)
        #expect(watts.compactMap(\.self).reduce(0, +) == session[48])
        #expect(Double(bytes.count) <= 20 * (workout.end - workout.start))
    }

    @Test("A page of seconds with everything known is read")
    func seconds() async throws {
        let store = try await ridden(minutes: 30)
        let id = try await workout(in: store).id
        let page: WorkoutData = try await store.ask(.historyWorkout, "{\"id\":\"\(id)\"}", at: now)
        #expect(page.watts?.count == PayloadLimits.rowsAPage && page.bpm?.count == page.watts?.count)
    }

    @Test("A CSV has a line a second, and what is not known is empty")
    func csv() async throws {
        let store = try await ridden(minutes: 5)
        let (name, bytes) = try await file(of: try await workout(in: store), .csv, in: store)
        #expect(name == "ride-2026-11-20-1800.csv")
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        #expect(lines.count == 301)
        #expect(lines[0] == "t,time,distance_m,speed_m_per_s,cadence_rpm,watts,bpm")
        #expect(lines[1].hasPrefix("1795194000,2026-11-20T17:00:00Z,") && lines[1].hasSuffix(",84,200,"))
    }

    @Test("Parts are of one file: where the workout changes between them, the next one is refused")
    func parts() async throws {
        let store = try await ridden(minutes: 120)
        let workout = try await workout(in: store)
        var request = request(for: workout, .fit)
        let first = try await store.ask(request, at: now, as: WorkoutFileData.self)
        #expect(first.part.count == WorkoutFileData.maximumPartBytes)
        for cursor in ["", ".", "-1.0", "99999999.\(first.cursor ?? "")", "49152.0", "0"] {
            request.cursor = cursor
            await #expect(throws: ReplyError.self) { try await store.ask(request, at: now, as: WorkoutFileData.self) }
        }
        _ = try await store.keep([row(minute: 3, revision: 1_000, watts: 300)])
        request.cursor = first.cursor
        await #expect(throws: ReplyError.self) { try await store.ask(request, at: now, as: WorkoutFileData.self) }
    }

    private func row(minute: Int64, revision: UInt64, watts: Int = 200) -> MinuteRow {
        var row = MinuteRow("bike-07", start / 60 + minute, revision: revision, revolutions: 84)
        row.moveEvenly()
        row.distanceMillimetres = 420_000
        var trace = Trace()
        for second in 0..<60 {
            (trace[.cadence, second], trace[.power, second]) = (84, watts + second % 2)
            if second > 0 { trace[.heart, second] = 130 + second / 10 }
        }
        (row.heart, row.power, row.trace) = (trace.sum(.heart), trace.sum(.power), trace.packed)
        return row
    }

    private func ridden(minutes: Int64, pauses: Range<Int64> = 0..<0) async throws -> HistoryStore {
        let store = try folder.store()
        let rows = (0..<minutes).filter { !pauses.contains($0) }.map { row(minute: $0, revision: UInt64($0) + 1) }
        _ = try await store.keep(rows)
        return store
    }

    private func workout(in store: HistoryStore) async throws -> Workout {
        let request = HistoryRequest(
            verb: .historyWorkouts, device: "bike-07", from: .instant(seconds: Double(start) - 3600),
            to: .instant(seconds: now))
        return try #require(try await store.ask(request, at: now, as: Page<Workout>.self).rows.first)
    }

    private func request(for workout: Workout, _ format: WorkoutFormat) -> HistoryRequest {
        var request = HistoryRequest(verb: .workoutsExport, zone: "Europe/Berlin")
        (request.workout, request.format) = (workout.id, format)
        return request
    }

    private func file(
        of workout: Workout, _ format: WorkoutFormat, in store: HistoryStore
    ) async throws -> (name: String, bytes: [UInt8]) {
        var request = request(for: workout, format)
        var (name, bytes) = ("", [UInt8]())
        repeat {
            let data = try await store.ask(request, at: now, as: WorkoutFileData.self)
            (name, request.cursor) = (data.name, data.cursor)
            bytes += data.part
        } while request.cursor != nil
        return (name, bytes)
    }
}
