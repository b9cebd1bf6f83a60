import Logging
import MQTT
import Wire

/// Deletions: orders to erase, sent to the counters, and minutes that are older than the retention.
extension HistoryPublisher {
    /// The time between two tries to send erasures to the counters, in seconds.
    private static var erasureRetrySeconds: Double { 2 }
    /// The time from a start to the first day's work, in seconds: what a history that was killed amid an old ride did not keep
    /// comes before the ride's day goes.
    private static var settlingSeconds: Int { 30 }
    /// The time between two looks whether a day's work is due, or has failed, in seconds.
    private static var upkeepSeconds: Int { 3_600 }

    /// Sends erasures to the counters until it is cancelled.
    func sendErasures() async {
        for await _ in erasuresDue.stream {
            while await !sendUnsentErasures() {
                guard (try? await Task.sleep(for: .seconds(Self.erasureRetrySeconds))) != nil else { return }
            }
        }
    }

    /// Finishes the erasures that were begun, perhaps by a process before this one, and sends them to the counters. A
    /// counter erases in one transaction and sends its rows, which are empty then.
    /// - Returns: Whether none is left.
    func sendUnsentErasures() async -> Bool {
        var changed: Set<Subject> = []
        defer { totals.change(changed) }
        do {
            while case let erasures = try await store.unsentErasures(), !erasures.isEmpty {
                for erasure in erasures {
                    _ = try await store.carryOut(erasure, isResumed: true, changed: &changed)
                    let topic = topics.bytes(.forget(Partition(of: erasure.device)))
                    try await producer.publish(MQTTPublication(topic: topic, payload: erasure.command.encoded()))
                    try await store.noteSent(erasure)
                    health[.erasuresSent] += 1
                }
            }
            return true
        } catch {
            logger.debug("the erasures are sent to the counters later", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Does each day's work, until it is cancelled.
    func keepUp() async {
        var (done, pause): (LocalDate?, Int) = (nil, Self.settlingSeconds)
        while (try? await Task.sleep(for: .seconds(pause))) != nil {
            pause = Self.upkeepSeconds
            let nowMinute = Int64(clampingSeconds: now()) / 60
            guard done != LocalDate(ofMinute: nowMinute) else { continue }
            do throws(HistoryError) {
                let minutes = try await store.keepUp(configuration.retention, nowMinute: nowMinute)
                health[.minutesCompacted] += UInt64(minutes)
                done = LocalDate(ofMinute: nowMinute)
            } catch {
                logger.warning("old minutes are deleted later", metadata: ["error": "\(error)"])
            }
        }
    }
}
