import Foundation
import Testing
import Wire

@Suite("Situations that people met")
struct CaseTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Cases")
    private static let situations = Result { try Situation.all(in: folder) }
    /// Of a long situation a restart is tried at so many places, evenly spread, and of frames of samples at so many.
    private static let maximumRestarts = (counts: 24, frames: 3)

    @Test("There is at least a situation a row of what was reported")
    func folderIsThere() throws {
        #expect(try Self.situations.get().count >= 70)
    }

    @Test("It is counted right, or told", arguments: (try? situations.get()) ?? [])
    func right(_ situation: Situation) async throws {
        try await check(situation, restartingBefore: nil)
    }

    @Test("A restart between any two messages changes nothing", arguments: (try? situations.get()) ?? [])
    func restarted(_ situation: Situation) async throws {
        let places = situation.events.indices.filter { if case .message = situation.events[$0] { true } else { false } }
        let maximum = places.count > 60 ? Self.maximumRestarts.frames : Self.maximumRestarts.counts
        let stride = max(1, places.count / maximum)
        for (index, place) in places.enumerated() where index % stride == stride / 2 {
            try await check(situation, restartingBefore: place)
        }
    }

    private func check(_ situation: Situation, restartingBefore place: Int?) async throws {
        var path = try CasePath(situation)
        for (index, event) in situation.events.enumerated() {
            if index == place { try await path.restart() }
            switch event {
            case .message(let topic, let payload): try await path.take(topic: topic, payload: payload)
            case .wait(let microseconds): try await path.wait(microseconds)
            case .restart: try await path.restart()
            }
        }
        try await path.wait(70_000_000)
        let note: Comment = "\(situation.title)\(place.map { ", restarted before event \($0)" } ?? "")"
        #expect(Set(try await path.devices()).isSuperset(of: situation.expected.keys), note)
        for (device, expected) in situation.expected {
            let totals = try await path.totals(of: device)
            if let steps = expected.steps { #expect(steps.contains(totals.steps), "\(totals): \(note)") }
            if let revolutions = expected.revolutions {
                #expect(revolutions.contains(totals.revolutions), "\(totals): \(note)")
            }
            let rates = try await path.rates(of: device)
            for (rate, seconds, mean) in [
                (rates.heart, expected.heartSeconds, expected.bpm),
                (rates.power, expected.powerSeconds, expected.watts),
            ] {
                if let seconds { #expect(seconds.contains(rate.seconds), "\(rate): \(note)") }
                if let mean { #expect(mean.contains(Int64((rate.mean ?? 0).rounded())), "\(rate): \(note)") }
            }
            if let days = expected.days { #expect(try await path.days(of: device) == days, note) }
            if let name = expected.name { #expect(path.health[device]?.name == name, note) }
            if let dates = expected.dates { #expect(try await Set(path.days(of: device).keys) == dates, note) }
            // What was told before a restart is past after it.
            if place == nil { tell(path.health[device], path.words[device] ?? [], expected, note) }
        }
    }

    private func tell(
        _ health: DeviceHealth?, _ words: Set<String>, _ expected: Situation.Expectation, _ note: Comment
    ) {
        for word in expected.uncounted {
            let reason = Uncounted.allCases.first { $0.word == word }
            #expect(reason.flatMap { health?.uncounted[$0] } ?? 0 > 0, "\(word): \(note)")
        }
        let words = words.joined(separator: "; ")
        for word in expected.words { #expect(words.contains(word), "\(words): \(note)") }
        if let isOK = expected.isOK { #expect(health?.ok == isOK, "\(words): \(note)") }
    }
}
