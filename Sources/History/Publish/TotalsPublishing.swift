import Logging
import MQTT
import Wire

/// Retained totals, and the announcements of their devices and people to Home Assistant.
extension HistoryPublisher {
    /// Publishes totals as they fall due, until it is cancelled.
    func publishTotals() async {
        for await _ in totalsDue.stream {
            while case let due = totals.takeDue(nowSeconds: now()), !due.isEmpty {
                guard await publish(due) else { break }
            }
        }
    }

    /// Publishes totals.
    /// - Returns: Whether the broker has them; else they stay due.
    @discardableResult
    func publish(_ subjects: [Subject]) async -> Bool {
        do {
            let messages = try await store.totalsMessages(of: subjects, nowSeconds: now(), topics: topics)
            try await retain(messages.values.flatMap(\.messages))
            for (subject, message) in messages { totals.published(subject, dayEndMinute: message.dayEndMinute) }
            health[.published] += UInt64(messages.count * 2)
            await announce(messages)
            try await store.noteCleared(messages.filter(\.value.isClearing).map(\.key))
            return true
        } catch {
            logger.debug("totals are published later", metadata: ["error": "\(error)"])
            totals.change(subjects)
            health[.publishFailures] += 1
            return false
        }
    }

    /// Announces devices and people to Home Assistant, and takes away those of which nothing is kept.
    private func announce(_ published: [Subject: TotalsMessages]) async {
        guard homeAssistant != nil else { return }
        var messages: [RetainedMessage] = []
        for (subject, totals) in published {
            if totals.isClearing {
                if let message = homeAssistant?.remove(subject) { messages.append(message) }
            } else {
                let model = totals.kind.map { HomeAssistantDiscovery.Model.device($0) } ?? .person
                messages += homeAssistant?.announce([(subject, model)]) ?? []
            }
        }
        guard !messages.isEmpty else { return }
        do { try await retain(messages) } catch { homeAssistant?.announceAgain() }
    }

    /// The broker may have lost what it retained, or Home Assistant has started.
    func publishEverythingAgain() { recallDue.continuation.yield() }

    /// Names every device and person, so that the retained totals are published again, or taken away.
    func recall() async {
        for await _ in recallDue.stream {
            homeAssistant?.announceAgain()
            isWallChanged = true
            isClassUnsure = true
            do throws(HistoryError) {
                totals.recall(try await store.retainedSubjects())
            } catch {
                logger.warning("retained totals may be old until they change", metadata: ["error": "\(error)"])
            }
        }
    }
}
