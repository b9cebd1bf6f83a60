import Counter
import Wire

extension Simulation {
    /// What holds at every moment.
    mutating func checkStep() throws {
        guard core.counterStore.published <= core.confirmed else {
            throw failure("rows are noted as sent that the broker has not confirmed")
        }
        guard !core.hasStrangeEnd else { throw failure("a counter ended that nobody killed") }
        guard counter?.hasEndlessLog != true else { throw failure("the log grows while the store stands still") }
        guard !core.hasFalseDamage else { throw failure("a log is taken for damaged that is not") }
        guard core.historyHasChanged else { return }
        core.historyHasChanged = false
        guard core.historyStore.wentBack == 0 else { throw failure("a revision went back") }
        try checkNeverAbove()
    }

    /// Less than the truth is a matter of time; more is wrong at once.
    private func checkNeverAbove() throws {
        var revolutions: [DeviceID: (counted: Int64, true: Int64)] = [:]
        for (key, truth) in undisturbed { revolutions[key.device, default: (0, 0)].true += truth.revolutions }
        for (key, numbers) in core.historyStore.totals {
            let truth = undisturbed[key] ?? MinuteNumbers()
            guard numbers.coveredMilliseconds <= truth.coveredMilliseconds else {
                throw failure("history covers more of a minute than there was: \(numbers) of \(truth)")
            }
            // What stands in for the end of a silent signal may have its last step, which then turns out to lie in the
            // next minute.
            if !core.bus.hasLost, numbers.steps > truth.steps + 1 {
                throw failure("history has more steps than were made: \(numbers) of \(truth)")
            }
            revolutions[key.device, default: (0, 0)].counted += numbers.revolutions
        }
        guard !revolutions.values.contains(where: { $0.counted > $0.true }) else {
            throw failure("history has more revolutions than were made")
        }
    }

    /// What holds at the end: everything that the broker did not lose is counted, once, and what it lost is named.
    func checkEnd() throws {
        for sender in senders {
            let lost = sender.planned.filter { !core.counted.contains($0.key) }
            guard lost.allSatisfy({ core.bus.losses.contains($0.key) }) else {
                throw failure("\(lost.count) messages of \(sender.device) are gone that the broker did not lose")
            }
            try checkMissing(sender, lost: lost.count)
        }
        try checkTotals()
        // What the broker loses or puts out of order it does so with configs too.
        guard core.bus.hasLost || brokerCrashes > 0 || core.counterStore.configs == configs else {
            throw failure("configs are stored that are not the last: \(core.counterStore.configs), not \(configs)")
        }
    }

    /// Of a forgotten device nothing is left, and of the others all.
    func checkForgotten(_ device: DeviceID) throws {
        guard core.counterStore.states[device] == nil else { throw failure("the state of a forgotten device is back") }
        for (key, numbers) in core.historyStore.totals where key.device == device && numbers != MinuteNumbers() {
            throw failure("history has \(numbers) of a forgotten device")
        }
        try checkTotals(without: device)
    }

    /// Every lost frame is told as missing; a crank's lost message is not, because the next one holds what it said.
    private func checkMissing(_ sender: SimulatedSender, lost: Int) throws {
        guard sender.kind != .crank else { return }
        let counts = counts(of: sender.device)
        let seen = Dictionary(grouping: sender.planned.map(\.key).filter { core.counted.contains($0) }, by: \.boot)
        let known = sender.planned.filter { planned in
            !core.counted.contains(planned.key)
                && (seen[planned.key.boot]?.contains { $0.sequence > planned.key.sequence } ?? false)
        }
        guard counts.missing == UInt64(known.count) else {
            throw failure("\(known.count) frames of \(sender.device) are gone and \(counts.missing) are told")
        }
        guard counts.accepted + counts.late == UInt64(sender.planned.count - lost), counts.stale == 0 else {
            throw failure("\(sender.planned.count - lost) frames of \(sender.device) came, counted are \(counts)")
        }
    }

    private func checkTotals(without forgotten: DeviceID? = nil) throws {
        let history = core.historyStore.totals
        let records = senders.flatMap { $0.planned.filter { core.counted.contains($0.key) }.map(\.record) }
        let expected = Self.uninterrupted(records)
        for key in Set(history.keys).union(expected.keys) where key.device != forgotten {
            let (has, wants) = (history[key] ?? MinuteNumbers(), expected[key] ?? MinuteNumbers())
            guard isRight(has, wants, of: key.device) else {
                let stored = core.counterStore.totals[key] ?? MinuteNumbers()
                throw failure(
                    "\(key.device) in minute \(key.minute): \(wants) in truth, counter \(stored), history \(has)")
            }
        }
    }

    /// Whether a minute is as it should be. Of a device whose messages the broker put out of order, frames are counted
    /// in streams of their own, so that only their time is sure to be equal; and a crank's older message says nothing
    /// that the newer one has not said but how long it took.
    private func isRight(_ has: MinuteNumbers, _ wants: MinuteNumbers, of device: DeviceID) -> Bool {
        guard core.overtaken.contains(device) || counts(of: device).late > 0 else { return has == wants }
        let isCrank = senders.contains { $0.device == device && $0.kind == .crank }
        guard isCrank else { return has.coveredMilliseconds == wants.coveredMilliseconds }
        return has.revolutions == wants.revolutions && has.coveredMilliseconds <= wants.coveredMilliseconds
    }

    private func counts(of device: DeviceID) -> MessageCounts {
        core.counterStore.states[device].flatMap { CounterPipeline.messageCounts(in: $0, of: device) }
            ?? MessageCounts()
    }

    /// What the run was like.
    var summary: SimulationSummary {
        let planned = senders.flatMap(\.planned)
        var summary = SimulationSummary()
        summary.sent = planned.count
        summary.lost = planned.filter { !core.counted.contains($0.key) }.count
        summary.crashes = crashes
        summary.brokerCrashes = brokerCrashes
        summary.reordered = senders.filter { counts(of: $0.device).late > 0 }.count
        return summary
    }
}
