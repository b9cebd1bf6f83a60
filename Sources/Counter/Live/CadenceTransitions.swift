import Wire

/// The reports of cadence between two commits: the newest, and before it those with which a wearer stopped or set out.
///
/// A counter that catches up after it was away counts much in one commit. What was so for a while is past then, but
/// that somebody paused in between is told, late and with its own time.
struct CadenceTransitions: Sendable {
    /// The most stops and starts that are told of one commit, besides its newest report; the oldest go first, a stop
    /// and a start together.
    static let maximumCount = 16

    /// A stop that was over sooner, within one commit, is no pause, in seconds: one lost message reads no 0.
    static let shortestPauseSeconds = Double(SilenceRule.minimumMicroseconds) / 1e6

    /// Whether every report is told, for those who want a series and not the news.
    var isWhole = false
    private var passed: [CadenceReport] = []
    private var newest: CadenceReport?
    /// Whether somebody moved in the report before the newest.
    private var wasMoving = false

    /// Takes a report, which is newer than all before.
    mutating func take(_ report: CadenceReport) {
        if let newest, isWhole {
            passed.append(newest)
        } else if let newest, newest.isMoving != wasMoving,
            newest.isMoving || report.t - newest.t >= Self.shortestPauseSeconds
        {
            wasMoving = newest.isMoving
            if passed.count >= Self.maximumCount { passed.removeFirst(2) }
            passed.append(newest)
        }
        newest = report
    }

    /// Gives out what is to be told, in order of time.
    mutating func drain(_ body: (CadenceReport) -> Void) {
        passed.forEach(body)
        passed.removeAll(keepingCapacity: true)
        guard let newest else { return }
        body(newest)
        wasMoving = newest.isMoving
        self.newest = nil
    }
}
