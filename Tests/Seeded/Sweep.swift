import Foundation

/// How much of its many cases a test tries: a sample in `deploy/test`, all of them in `deploy/test --whole`.
package enum Sweep {
    /// Whether all cases are tried: `STRIDEBUS_WHOLE` is set.
    package static let isWhole = ProcessInfo.processInfo.environment["STRIDEBUS_WHOLE"] != nil

    /// All of the seeds, or the first of them: one, or `sample` of them where a test is about their mean.
    package static func seeds(_ all: Range<UInt64>, sample: UInt64 = 1) -> Range<UInt64> {
        isWhole ? all : all.lowerBound..<min(all.lowerBound + sample, all.upperBound)
    }

    /// The same for seeds with the last one included.
    package static func seeds(_ all: ClosedRange<UInt64>, sample: UInt64 = 1) -> ClosedRange<UInt64> {
        isWhole ? all : all.lowerBound...min(all.lowerBound + sample - 1, all.upperBound)
    }

    /// All of the cases, or only those that are `every` places apart, the first of them included.
    package static func cases<Case>(_ all: [Case], every distance: Int) -> [Case] {
        isWhole ? all : stride(from: 0, to: all.count, by: distance).map { all[$0] }
    }
}
