import Logging
import MQTT
import Wire

/// Says the notices that are due, lease by lease, each after the one before, and notes in the store what the broker
/// has. What cannot be published stays due.
struct NoticePublisher<Store: HistoryStore>: Sendable {
    let store: Store
    let days: DeviceDays<Store>
    let producer: MQTTProducer
    let telemetry: HistoryTelemetry
    let signal: NoticeSignal
    let absentAskers = AbsentAskers()
    let logger: Logger

    /// Gives every lease its whole time once more: while history was away nobody could renew one.
    func prolongLeases(nowSeconds: Double) async throws(HistoryError) {
        try await store.prolongLeases(nowSeconds: Int64(clampingSeconds: nowSeconds))
        signal.raise()
    }

    /// Ends the leases that have expired. Other histories may have counted for those of ours.
    func endLeases(nowSeconds: Double) async {
        if store.isShared { signal.raise() }
        do {
            let ended = try await store.endLeases(nowSeconds: Int64(clampingSeconds: nowSeconds))
            telemetry.count(.leasesExpired, ended)
        } catch {
            logger.debug("leases are ended later", metadata: ["error": "\(error)"])
        }
    }

    /// Publishes what is due.
    func publishDue(nowSeconds: Double) async {
        guard signal.take() || absentAskers.isRetryDue(nowSeconds: nowSeconds) else { return }
        do {
            // Those whose askers are away are due all the time: they must not take the places of the others.
            let limit = LiveLimits.maximumLeasesARound + absentAskers.count
            let leases = try await store.dueLeases(limit: limit)
            if leases.count < limit { absentAskers.keep(leases) } else { signal.raise() }
            for lease in leases where absentAskers.isDue(lease, nowSeconds: nowSeconds) {
                guard !Task.isCancelled else { return signal.raise() }
                await publishNext(lease, nowSeconds: nowSeconds)
            }
        } catch {
            noteFailure(error)
        }
    }

    /// How long notices that are on their way hold up a shutdown, in seconds.
    private static var patienceSeconds: Double { 5 }

    /// A shutdown waits until the store knows what the broker has of a lease, because it would be said twice.
    private func publishNext(_ lease: LiveLease, nowSeconds: Double) async {
        let publishing = Task { await publishOrNote(lease, nowSeconds: nowSeconds) }
        await withTaskCancellationHandler {
            await publishing.value
        } onCancel: {
            Task {
                try? await Task.sleep(for: .seconds(Self.patienceSeconds))
                publishing.cancel()
            }
        }
    }

    /// A lease whose topic the broker refuses must not hold up the others.
    private func publishOrNote(_ lease: LiveLease, nowSeconds: Double) async {
        do {
            if try await !publish(lease, nowSeconds: nowSeconds) { signal.raise() }
        } catch {
            noteFailure(error)
        }
    }

    private func noteFailure(_ error: any Error) {
        signal.raise()
        telemetry.count(.publishFailures)
        logger.debug("notices are published later", metadata: ["error": "\(error)"])
    }

    /// Publishes the next notices of a lease.
    /// - Returns: Whether that was all that can be done now.
    private func publish(_ lease: LiveLease, nowSeconds: Double) async throws -> Bool {
        let most = absentAskers.isAbsent(lease) ? 1 : LiveLimits.maximumNoticesARound
        let last = min(lease.reached, lease.sent + Int64(most))
        let today = try await today(lease, nowSeconds: nowSeconds)
        do {
            try await producer.publish(
                (lease.sent + 1...last).map { lease.publication(number: $0, today: today, nowSeconds: nowSeconds) })
        } catch let error as MQTTError where error.code == .noSubscribers {
            try await noteUnheard(lease, nowSeconds: nowSeconds)
            return true
        }
        absentAskers.noteHeard(lease)
        try await store.noteSent(lease, number: last)
        telemetry.count(.notices, Int(last - lease.sent))
        return last == lease.reached
    }

    /// Nobody was there to hear: the notice stays due, until nobody is waited for any more.
    private func noteUnheard(_ lease: LiveLease, nowSeconds: Double) async throws(HistoryError) {
        telemetry.count(.noticesUnheard)
        guard absentAskers.noteUnheard(lease, nowSeconds: nowSeconds) else { return }
        if try await store.endLease(lease) { telemetry.count(.leasesAbandoned) }
    }

    private func today(_ lease: LiveLease, nowSeconds: Double) async throws -> Int64 {
        let record = try await store.device(lease.device) ?? DeviceRecord(device: lease.device)
        return try await days.day(of: record, at: Int64(clampingSeconds: nowSeconds) / 60).counts[lease.counts]
    }
}

extension LiveLease {
    /// One notice.
    fileprivate func publication(number: Int64, today: Int64, nowSeconds: Double) -> MQTTPublication {
        let notice = LiveNotice(
            device: device, counts: counts, number: UInt64(clamping: number), counted: UInt64(clamping: number * every),
            today: UInt64(clamping: today), t: nowSeconds)
        var publication = MQTTPublication(
            topic: topic, payload: HistoryReply.ok(transaction: transaction, data: notice).encodedJSON(),
            properties: correlationData.map { MQTTProperties(correlationData: $0) })
        publication.needsSubscriber = true
        return publication
    }
}
