import Wire

/// Which half of the subjects a recording belongs to: those that thresholds are chosen with, and those that only judge.
///
/// What is tuned are a few dozen thresholds that are compiled in and chosen by hand, so they are not fitted anew for
/// each subject left out. Instead the subjects (people, or capture dates where people are not told) are split once, by
/// a hash of their name; thresholds may be chosen by what they do to one half, and the other half says how well
/// strangers are counted. The split knows nothing of signals or results: nobody moves from one half to the other.
public enum SubjectHalf: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Thresholds may be chosen with these.
    case tuning
    /// These are only looked at for the report.
    case heldOut = "held out"

    /// The half of a subject: the second bit of the FNV-1a hash of the name, the bit that splits the phones, the
    /// watches and the exercise bikes of the development recordings most evenly.
    public init(subject: String) {
        var hash = StableHash()
        hash.combine(subject.utf8)
        self = hash.value & 2 == 0 ? .tuning : .heldOut
    }

    /// Tuning first.
    public static func < (left: SubjectHalf, right: SubjectHalf) -> Bool {
        left == .tuning && right == .heldOut
    }
}
