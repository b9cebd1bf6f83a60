import Seeded
import Wire

/// What a device sends.
package enum SenderKind: String, CaseIterable {
    /// Numbered frames of a few samples without a gait: cheap, and their covered time counts every one of them.
    case still
    /// Numbered frames of somebody who walks: their steps tell whether the signal's state survived.
    case walking
    /// A crank's running count, numbered.
    case crank
    /// Steps since the device's start, with dips, repeats and new starts.
    case bootSteps
    /// Steps of the day so far, with dips, zeros and repeats.
    case daySteps
    /// Steps of one minute after another, some corrected, some said twice.
    case intervals
    /// Steps of stretches that lie in one another and over one another.
    case wildIntervals
    /// A number of turns and nothing else, which begins anew at times.
    case plainCount
    /// A Bluetooth crank near the roll-over of its count.
    case csc
    /// A Bluetooth bike that says its cadence.
    case ftms
    /// A strap and a power meter, with numbers that nobody has among theirs.
    case rider
    /// A watch whose rides are imported long after them, again and again, with frames of its own of some of that time.
    case recorded
    /// Frames with a time and without a number.
    case unnumbered
    /// Frames without a number, all of them sent again.
    case unnumberedAgain
    /// Numbered frames of a device without a clock.
    case uptime
    /// Numbered frames with air pressures.
    case pressure
    /// Numbers at, below and beyond every limit of counts.
    case extremeCounts
    /// Frames with samples, rates and times at, below and beyond every limit.
    case extremeFrames
    /// Forms of other systems, on their own topics and on ours.
    case foreignForms
    /// Days of frames, of which a health app tells afterwards what it has counted in the same time.
    case backfill
    /// Bytes that are nearly a message.
    case junk

    /// Those that a run draws from, beside its plain senders.
    package static let guests = allCases.filter { ![.still, .walking, .crank].contains($0) }

    /// Whether it tells of stretches of time.
    var tellsWords: Bool { [.intervals, .wildIntervals, .extremeCounts, .foreignForms, .backfill].contains(self) }

    /// Makes the messages.
    func fill(_ plan: inout SenderPlan, _ random: inout SeededGenerator) {
        switch self {
        case .still, .walking, .crank: plan.addFrames(self, messages: 12 + random.below(8), &random)
        case .bootSteps: plan.addBootSteps(&random)
        case .daySteps: plan.addDaySteps(&random)
        case .intervals: plan.addIntervals(&random)
        case .wildIntervals: plan.addWildIntervals(&random)
        case .plainCount: plan.addPlainCount(&random)
        case .csc: plan.addCSC(&random)
        case .ftms: plan.addFTMS(&random)
        case .rider: plan.addRider(&random)
        case .recorded: plan.addRecorded(&random)
        case .unnumbered: plan.addUnnumbered(frames: 12 + random.below(10), isSentAgain: false)
        case .unnumberedAgain: plan.addUnnumbered(frames: 280, isSentAgain: true)
        case .uptime: plan.addUptime(&random)
        case .pressure: plan.addPressure(&random)
        case .extremeCounts: plan.addExtremeCounts(&random)
        case .extremeFrames: plan.addExtremeFrames(&random)
        case .foreignForms: plan.addForeignForms(&random)
        case .backfill: plan.addBackfill(&random)
        case .junk: plan.addJunk(&random)
        }
    }
}
