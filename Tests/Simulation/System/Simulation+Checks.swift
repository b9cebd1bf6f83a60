import Counter
import History
import Wire

extension Simulation {
    /// What holds at every moment.
    mutating func checkStep() async throws {
        guard core.published <= core.confirmed else {
            throw failure("rows are noted as sent that the broker has not confirmed")
        }
        if let strangeEnd = core.strangeEnd { throw failure("nobody killed it: \(strangeEnd)") }
        guard counter?.hasEndlessLog != true else { throw failure("the log grows while the store stands still") }
        guard !core.hasFalseDamage else { throw failure("a log is taken for damaged that is not") }
        guard core.historyHasChanged else { return }
        core.historyHasChanged = false
        try await checkNeverAbove()
    }

    /// Less than the truth is a matter of time; more is wrong at once.
    private func checkNeverAbove() async throws {
        for sender in plainSenders where forgotten[sender.device] == nil {
            var revolutions: Int64 = 0
            for (key, numbers) in try await core.historyStore.minutes(of: sender.device) {
                let truth = undisturbed[key] ?? MinuteNumbers()
                guard numbers.coveredMilliseconds <= truth.coveredMilliseconds else {
                    throw failure("history covers more of a minute than there was: \(numbers) of \(truth)")
                }
                // What stands in for the end of a silent signal may have its last step, which then turns out to lie in
                // the next minute.
                if !core.bus.hasLost, numbers.steps > truth.steps + 1 {
                    throw failure("history has more steps than were made: \(numbers) of \(truth)")
                }
                revolutions += numbers.revolutions
            }
            let made = undisturbed.filter { $0.key.device == sender.device }.reduce(0) { $0 + $1.value.revolutions }
            guard revolutions <= made else { throw failure("history has more revolutions than were made") }
        }
    }

    /// What holds at the end: everything that the broker did not lose is counted, once, and what it lost is named.
    func checkEnd() async throws {
        // Ingest passes on nothing of what it refuses.
        for sender in senders where !sender.isStrange {
            let lost = sender.planned.filter { !core.counted.contains($0.key) }
            guard lost.allSatisfy({ core.bus.losses.contains($0.key) }) else {
                throw failure("\(lost.count) messages of \(sender.device) are gone that the broker did not lose")
            }
        }
        for sender in plainSenders where forgotten[sender.device] == nil { try await checkMissing(sender) }
        try await checkTotals()
        if core.hasPeople {
            try await checkPeople()
            try await checkSums()
            try await checkRetained()
        }
        if hasWorkouts { try await checkWorkouts() }
        // What the broker loses or puts out of order it does so with configs too.
        guard !core.bus.hasLost, brokerCrashes == 0 else { return }
        for sender in senders {
            let has = SimulatedConfig.inForce(try await core.counterStore.stored(sender.device)?.config)
            let wants = SimulatedConfig.inForce(configs[sender.device])
            guard has == wants else {
                throw failure("the config of \(sender.device) that is stored is not the last")
            }
        }
    }

    /// Of a forgotten device nothing is left, and of the others all.
    func checkForgotten(_ device: DeviceID) async throws {
        // A config that has a mistake makes its device known, so that its health tells it; nothing is counted by that.
        guard try await counts(of: device) == MessageCounts() else {
            throw failure("the state of a forgotten device is back")
        }
        if let numbers = try await core.historyStore.minutes(of: device).first {
            throw failure("history has \(numbers) of a forgotten device")
        }
        try await checkTotals(without: device)
    }

    /// Every lost frame is told as missing; a crank's lost message is not, because the next one holds what it said.
    private func checkMissing(_ sender: SimulatedSender) async throws {
        guard sender.kind != .crank else { return }
        let lost = sender.planned.count { !core.counted.contains($0.key) }
        let counts = try await counts(of: sender.device)
        let seen = Dictionary(grouping: sender.planned.filter { core.counted.contains($0.key) }, by: \.boot)
        let known = sender.planned.filter { planned in
            !core.counted.contains(planned.key)
                && (seen[planned.boot]?.contains { $0.sequence ?? 0 > planned.sequence ?? 0 } ?? false)
        }
        guard counts.missing == UInt64(known.count) else {
            throw failure("\(known.count) frames of \(sender.device) are gone and \(counts.missing) are told")
        }
        guard counts.accepted + counts.late == UInt64(sender.planned.count - lost), counts.stale == 0 else {
            throw failure("\(sender.planned.count - lost) frames of \(sender.device) came, counted are \(counts)")
        }
    }

    func checkTotals(without forgotten: DeviceID? = nil) async throws {
        let history = try await core.historyStore.allMinutes()
        for sender in senders where sender.device != forgotten {
            try await checkPlan(of: sender, history.filter { $0.key.device == sender.device })
        }
        // The same log, counted in one go, makes the same of every device, whatever it sent.
        let log = core.ledger.sorted { $0.key < $1.key }.map(\.value)
        let expected = try await ReferenceCount.minutes(of: log)
        // The counter may hear of minutes that are erased only when it is told so: history keeps nothing of them.
        var erased: [DeviceID: RangeSet<Int64>] = [:]
        for sender in senders { erased[sender.device] = try await core.historyStore.erased(sender.device) }
        for key in Set(history.keys).union(expected.keys).sorted(by: { $0.minute < $1.minute }) {
            let isErased = erased[key.device]?.contains(key.minute) ?? false
            let sender = senders.first { $0.device == key.device }
            // Of a word that reaches out of erased minutes the steps stay that stood outside then.
            if !isErased, erased[key.device]?.isEmpty == false, sender?.kind.tellsWords ?? true { continue }
            let (has, wants) = (
                history[key] ?? MinuteNumbers(), isErased ? MinuteNumbers() : expected[key] ?? MinuteNumbers()
            )
            guard has == wants else {
                let kind = sender?.kind.rawValue ?? ""
                throw failure(
                    "\(kind) \(key.device) in minute \(key.minute): \(wants) by its log in one go, history has \(has)")
            }
        }
    }

    /// Holds what history has of a device against what the device has planned.
    private func checkPlan(of sender: SimulatedSender, _ history: [MinuteKey: MinuteNumbers]) async throws {
        let erased = try await core.historyStore.erased(sender.device)
        let again = forgotten[sender.device].map { max($0, core.takenBack[sender.device] ?? $0) + 2 }
        switch sender.truth {
        case .log: break
        case .minutes:
            let records = sender.planned.filter { core.counted.contains($0.key) }.compactMap(\.record)
            let expected = try await ReferenceCount.minutes(of: records)
            for key in Set(history.keys).union(expected.keys) {
                let (has, wants) = (history[key] ?? MinuteNumbers(), expected[key] ?? MinuteNumbers())
                if erased.contains(key.minute) {
                    guard has == MinuteNumbers() else {
                        throw failure("\(sender.device) has \(has) of an erased minute")
                    }
                    continue
                }
                // A count that begins anew, and a signal, have lost what was before.
                if let again, key.minute < again || sender.kind != .still { continue }
                guard try await isRight(has.withoutDistance, wants.withoutDistance, of: sender) else {
                    throw failure(
                        "\(sender.kind) \(sender.device) in minute \(key.minute): \(wants) in truth, history has \(has)"
                    )
                }
            }
        case .sums(let wants):
            let isWhole = sender.planned.allSatisfy { core.counted.contains($0.key) }
            guard isWhole, !core.overtaken.contains(sender.device), erased.isEmpty else { return }
            let has = history.values.reduce(into: MinuteNumbers()) {
                $0.steps += $1.steps
                $0.revolutions += $1.revolutions
                $0.coveredMilliseconds += $1.coveredMilliseconds
            }
            guard wants.steps ?? has.steps == has.steps,
                wants.revolutions ?? has.revolutions == has.revolutions,
                abs((wants.coveredMilliseconds ?? has.coveredMilliseconds) - has.coveredMilliseconds) <= history.count
            else { throw failure("\(sender.kind) \(sender.device): \(wants) in truth, history has \(has)") }
        }
    }

    /// Whether a minute is as it should be. Of a device whose messages the broker put out of order, frames are counted
    /// in streams of their own, so that only their time is sure to be equal; and a crank's older message says nothing
    /// that the newer one has not said but how long it took.
    private func isRight(
        _ has: MinuteNumbers, _ wants: MinuteNumbers, of sender: SimulatedSender
    ) async throws -> Bool {
        let late = try await counts(of: sender.device).late
        guard core.overtaken.contains(sender.device) || late > 0 else { return has == wants }
        guard sender.kind == .crank else { return has.coveredMilliseconds == wants.coveredMilliseconds }
        return has.revolutions == wants.revolutions && has.coveredMilliseconds <= wants.coveredMilliseconds
    }

    private func counts(of device: DeviceID) async throws -> MessageCounts {
        try await core.counterStore.stored(device)?.state
            .flatMap { CounterPipeline.messageCounts(in: $0, of: device) } ?? MessageCounts()
    }

    /// What the run was like.
    func summary() async throws -> SimulationSummary {
        let planned = senders.flatMap(\.planned)
        var summary = SimulationSummary()
        summary.sent = planned.count
        summary.lost = planned.filter { !core.counted.contains($0.key) }.count
        summary.crashes = crashes
        summary.brokerCrashes = brokerCrashes
        for sender in senders where try await counts(of: sender.device).late > 0 { summary.reordered += 1 }
        return summary
    }
}
