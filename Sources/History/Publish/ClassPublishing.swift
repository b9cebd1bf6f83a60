import Logging
import MQTT
import Wire

/// The class that runs, and its summary, again and again while there is one. What is published follows from the store and the
/// time alone, so that a history that starts in mid-class goes on with it.
extension HistoryPublisher {
    /// The time between two looks at what is due, in seconds.
    private static var classLookSeconds: Double { 1 }
    /// The shortest and the longest time between two publications, in seconds.
    private static var classSeconds: ClosedRange<Double> { 2...10 }
    /// The pause after one by the time that it took: a long class of many riders leaves time for others.
    private static var classPauses: Double { 20 }

    /// Publishes classes as they fall due, until it is cancelled.
    func publishClasses() async {
        var pauseSeconds = Self.classSeconds.lowerBound
        repeat {
            // A clock that was set back must not hold it up.
            let isOld = classShownSeconds.map { !(0..<pauseSeconds).contains(now() - $0) } ?? false
            guard isClassUnsure || isOld else { continue }
            let start = ContinuousClock.now
            await publishClass()
            let pause = Self.classPauses * (start.duration(to: .now) / .seconds(1))
            pauseSeconds = min(max(pause, Self.classSeconds.lowerBound), Self.classSeconds.upperBound)
        } while (try? await Task.sleep(for: .seconds(Self.classLookSeconds))) != nil
    }

    private func publishClass() async {
        let nowSeconds = now()
        isClassUnsure = false
        var shownSeconds: Double?
        let isShown = await show(.runningClass) {
            guard let last = try await store.lastClass(), nowSeconds < last.summaryEndSeconds else { return [] }
            shownSeconds = nowSeconds
            return try await store.report(of: last, nowSeconds: nowSeconds).encodedJSON()
        }
        if isShown { classShownSeconds = shownSeconds } else { isClassUnsure = true }
    }
}
