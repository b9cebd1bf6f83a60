extension EvaluationReport {
    /// The seconds of one half whose confidence lay in one tenth.
    public struct ConfidenceRow: Sendable, Equatable {
        /// `steps` or `pedalling`.
        public let cadence: String
        /// Of whom.
        public let half: SubjectHalf
        /// The seconds.
        public let bin: ConfidenceTally.Bin

        /// The mean of what was said, 0 to 1.
        public var meanConfidence: Double { bin.confidence / Double(max(bin.seconds, 1)) }
        /// The share that was right, 0 to 1.
        public var rightShare: Double { Double(bin.right) / Double(max(bin.seconds, 1)) }
    }

    /// How often the cadence was right at each confidence; tenths in which nothing was said are left out.
    public var confidenceRows: [ConfidenceRow] {
        let kinds: [(String, KeyPath<RecordingResult, ConfidenceTally>)] = [
            ("steps", \.stepConfidence), ("pedalling", \.rideConfidence),
        ]
        return kinds.flatMap { name, tally in
            SubjectHalf.allCases.sorted().flatMap { half in
                sum(tally, half).bins.filter { $0.seconds > 0 }
                    .map { ConfidenceRow(cadence: name, half: half, bin: $0) }
            }
        }
    }

    /// As they were recorded.
    private func sum(_ tally: KeyPath<RecordingResult, ConfidenceTally>, _ half: SubjectHalf) -> ConfidenceTally {
        recordings.filter { $0.key.half == half && !$0.isResampled }
            .reduce(into: ConfidenceTally()) { $0.add($1[keyPath: tally]) }
    }

    var confidenceMarkdown: String {
        let rows = confidenceRows.map { row in
            [
                row.cadence, row.half.rawValue, "\(row.bin.seconds)", Self.text(row.meanConfidence, decimals: 2),
                Self.text(row.rightShare, decimals: 2),
            ]
        }
        return Self.markdown(["cadence of", "half", "seconds", "confidence", "right"], rows, wordColumns: 2)
    }
}
