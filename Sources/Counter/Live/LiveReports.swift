import Motion
import Wire

/// The live reports of a device: collected while messages are counted, published after that.
struct LiveReports: Sendable {
    /// All steps counted since the device was first seen.
    private(set) var steps: Quantity = 0
    /// All revolutions counted since the device was first seen.
    private(set) var revolutions: Quantity = 0
    /// When the last of them was complete, in microseconds since 1970; not known after a restart until the next one.
    private var lastRevolution: Int64?
    /// All distance since the device was first seen, in micrometres.
    private(set) var distanceMicrometres: Quantity = 0
    /// The period of the last cadence, in microseconds.
    private(set) var cadencePeriod: Int64 = 0
    /// True if the last cadence reported was above 0.
    private(set) var isMoving = false

    private var activity = ActivityKind.unknown
    private var activityConfidence = Motion.ActivityConfidence.low
    private var activitySince: Int64 = 0
    /// When activity and confidence were taken last.
    private var activityTime: Int64 = 0
    private var cadenceSPM: Float = 0
    private var mustReportActivity = false
    private var cadences = CadenceTransitions()
    private var cadenceReportedAt = Int64.min / 2
    /// The newest second that was reported: none that a pause showed before its time is reported twice.
    private var reportedThrough = Int64.min
    /// Counts that a pause showed before they were final: the next ones counted were reported already.
    private var ahead = Ahead()
    private var newSteps: Quantity = 0
    private var newStepsTime: Int64 = 0
    private var newStepMicrometres: Quantity = 0

    private struct Ahead: Sendable {
        var steps: Quantity = 0
        var revolutions: Quantity = 0
        var distanceMicrometres: Quantity = 0
    }

    /// The longest way back to a second that was reported before, in microseconds; an older one begins anew.
    private static let repeatMicroseconds: Int64 = 60_000_000

    /// Whether the cadence of every second is reported, also where one commit counts several.
    var reportsEverySecond: Bool {
        get { cadences.isWhole }
        set { cadences.isWhole = newValue }
    }

    /// Adds counted steps, each of a length; those of the live stream are reported.
    mutating func add(steps count: Quantity, micrometresPerStep length: Quantity, at time: Int64, isLive: Bool) {
        let distance = count * length
        steps += count
        distanceMicrometres += distance
        // What is taken back was reported: the next steps were, then.
        guard count > 0 else {
            ahead.steps -= count
            return ahead.distanceMicrometres -= distance
        }
        guard isLive else { return }
        let reported = min(ahead.steps, count)
        ahead.steps -= reported
        ahead.distanceMicrometres = max(0, ahead.distanceMicrometres - distance)
        newSteps += count - reported
        newStepsTime = max(newStepsTime, time)
        newStepMicrometres = length
    }

    /// Adds counted revolutions and the time at which the last of them was complete.
    mutating func add(revolutions count: Quantity, distanceMicrometres distance: Quantity, at time: Int64) {
        ahead.revolutions = max(0, ahead.revolutions - count)
        revolutions += count
        if count > 0 { lastRevolution = max(lastRevolution ?? time, time) }
        distanceMicrometres += distance
    }

    /// Takes the newest second of the live stream.
    mutating func take(_ second: SecondReport) {
        guard
            second.timeMicroseconds > reportedThrough
                || second.timeMicroseconds < reportedThrough - Self.repeatMicroseconds
        else { return }
        reportedThrough = second.timeMicroseconds
        let kind = ActivityKind(second.activity)
        if second.cadenceRPM > 0 {
            take(rpm: second.cadenceRPM, confidence: second.confidence, kind: kind, at: second.timeMicroseconds)
        } else if second.cadenceSPM > 0 {
            take(spm: second.cadenceSPM, confidence: second.confidence, kind: kind, at: second.timeMicroseconds)
        } else {
            stop(at: second.timeMicroseconds, kind: kind)
        }
        take(activity: kind, confidence: second.activityConfidence, at: second.timeMicroseconds)
    }

    mutating func take(rpm: Float, confidence: Float, kind: ActivityKind, at time: Int64) {
        cadencePeriod = SilenceRule.period(cadence: rpm)
        isMoving = true
        // Half a second less than the period, so that messages that come a little early are not left out.
        guard (time - cadenceReportedAt).magnitude >= 500_000 else { return }
        cadenceReportedAt = time
        cadences.take(cadence(rpm: rpm, confidence: confidence, kind: kind, at: time))
    }

    private mutating func take(spm: Float, confidence: Float, kind: ActivityKind, at time: Int64) {
        cadencePeriod = SilenceRule.period(cadence: spm)
        cadenceSPM = spm
        isMoving = true
        cadences.take(cadence(spm: spm, confidence: confidence, kind: kind, at: time))
    }

    private func cadence(
        spm: Float? = nil, rpm: Float? = nil, confidence: Float, kind: ActivityKind, at time: Int64
    ) -> CadenceReport {
        CadenceReport {
            $0.t = Self.seconds(time)
            ($0.cadenceSPM, $0.cadenceRPM) = (spm.map { Double($0) }, rpm.map { Double($0) })
            ($0.confidence, $0.activity) = (Double(confidence), kind)
            guard rpm != nil else { return }
            $0.revolutions = UInt64(clamping: (revolutions + ahead.revolutions).value)
            $0.lastRevolutionT = lastRevolution.map(Self.seconds)
        }
    }

    /// The one final 0 after a cadence.
    mutating func stop(at time: Int64, kind: ActivityKind) {
        guard isMoving else { return }
        let wasWalking = cadenceSPM > 0
        (isMoving, cadenceSPM, cadencePeriod) = (false, 0, 0)
        cadences.take(
            cadence(spm: wasWalking ? 0 : nil, rpm: wasWalking ? nil : 0, confidence: 0, kind: kind, at: time))
    }

    /// Shows the counts of a copy of the device, whose own signal waits: reported totals never fall.
    mutating func showAhead(_ copy: LiveReports) {
        let (steps, revolutions, distance) = (steps, revolutions, distanceMicrometres)
        self = copy
        ahead.steps += self.steps - steps
        ahead.revolutions += self.revolutions - revolutions
        ahead.distanceMicrometres += distanceMicrometres - distance
        (self.steps, self.revolutions, distanceMicrometres) = (steps, revolutions, distance)
    }

    /// The device is silent: nothing is known of its wearer.
    mutating func fallSilent(at time: Int64) {
        stop(at: time, kind: .unknown)
        take(activity: .unknown, confidence: .low, at: time)
    }

    /// Takes an activity; a change of kind or confidence is reported.
    mutating func take(activity kind: ActivityKind, confidence: Motion.ActivityConfidence, at time: Int64) {
        if kind != activity || activitySince == 0 {
            activity = kind
            activitySince = time
            mustReportActivity = true
        } else if confidence != activityConfidence {
            mustReportActivity = true
        }
        activityConfidence = confidence
        activityTime = time
    }

    /// The last reports before a restart are unknown: the next cadence and activity are reported again.
    mutating func repeatAfterRestart() {
        isMoving = true
        mustReportActivity = activitySince != 0
    }

    mutating func drain(
        _ device: DeviceID, micrometresPerRevolution: Quantity, into outputs: inout [LiveOutput]
    ) {
        cadences.drain { report in
            var report = report
            report.speedMetresPerSecond = Self.speed(rpm: report.cadenceRPM, micrometresPerRevolution)
            outputs.append(LiveOutput(device: device, payload: .cadence(report)))
        }
        if newSteps > 0 { outputs.append(LiveOutput(device: device, payload: .steps(stepsReport))) }
        if mustReportActivity { outputs.append(LiveOutput(device: device, payload: .activity(activityReport))) }
        newSteps = 0
        mustReportActivity = false
    }

    /// Metres a second of a cadence; `nil` where a revolution has no length.
    private static func speed(rpm: Double?, _ micrometresPerRevolution: Quantity) -> Double? {
        guard let rpm, micrometresPerRevolution > 0 else { return nil }
        return rpm / 60 * Double(micrometresPerRevolution.value) / 1e6
    }

    static func seconds(_ microseconds: Int64) -> Double { Double(microseconds) / 1_000_000 }
}

// MARK: - Payloads and state

extension LiveReports {
    private var stepsReport: StepsReport {
        let distance = distanceMicrometres + ahead.distanceMicrometres
        let speed = Double(newStepMicrometres.value) / 1_000_000 * Double(cadenceSPM) / 60
        return StepsReport {
            $0.t = Self.seconds(newStepsTime)
            $0.steps = UInt64(clamping: (steps + ahead.steps).value)
            $0.newSteps = Int(clamping: newSteps.value)
            $0.cadenceSPM = Double(cadenceSPM)
            if distance > 0 { $0.distanceMetres = Double(distance.value) / 1_000_000 }
            if speed > 0 { $0.paceSecondsPerMetre = 1 / speed }
        }
    }

    private var activityReport: ActivityReport {
        ActivityReport {
            ($0.t, $0.since) = (Self.seconds(max(activityTime, activitySince)), Self.seconds(activitySince))
            $0.activity = activity
            $0.confidence = (Wire.ActivityConfidence(named: activityConfidence) ?? .low).probability
        }
    }

    /// The reported totals, which must never fall.
    mutating func transferTotals(_ coder: inout ByteCoder) {
        coder.code(&steps)
        coder.code(&revolutions)
        coder.code(&distanceMicrometres)
    }

    /// The counts that were reported before they were final.
    mutating func transferAhead(_ coder: inout ByteCoder) {
        coder.code(&ahead.steps)
        coder.code(&ahead.revolutions)
        coder.code(&ahead.distanceMicrometres)
        if min(ahead.steps, ahead.revolutions, ahead.distanceMicrometres) < 0 { coder.reject() }
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(&cadencePeriod)
        coder.code(&activity)
        coder.code(&activityConfidence)
        coder.code(&activitySince)
        coder.code(&cadenceSPM)
    }
}

/// The reports of cadence between two commits: the newest, and before it those of a stop or a start.
///
/// A counter that catches up after it was away counts much in one commit. Most of those reports are out of date, but a
/// pause among them is still reported, late and with its own time.
struct CadenceTransitions: Sendable {
    /// The most stops and starts of one commit that are reported, besides its newest report; the oldest are dropped
    /// first, a stop and a start together.
    static let maximumCount = 16

    /// A stop that was over sooner, within one commit, is no pause, in seconds: one lost message reads no 0.
    static let shortestPauseSeconds = Double(SilenceRule.minimumMicroseconds) / 1e6

    /// Whether every report is kept, for a series of every second.
    var isWhole = false
    private var passed: [CadenceReport] = []
    private var newest: CadenceReport?
    /// True if the report before the newest had a cadence above 0.
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

    /// Gives out the reports, in order of time.
    mutating func drain(_ body: (CadenceReport) -> Void) {
        passed.forEach(body)
        passed.removeAll(keepingCapacity: true)
        guard let newest else { return }
        body(newest)
        wasMoving = newest.isMoving
        self.newest = nil
    }
}
