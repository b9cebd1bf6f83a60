import Wire

extension EvaluationReport {
    /// One JSON object: `{"date", "commit", "groups":[…], "confidence":[…], "activities":[…], "variations":[…],
    /// "recordings":[…]}`; what is not known is `null`.
    package func encodedJSON() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("date", date)
        writer.field("commit", commit)
        writer.field("groups", objects: groups, Self.write)
        writer.field("confidence", objects: confidenceRows) { row, writer in
            writer.field("cadence", row.cadence)
            writer.field("half", row.half.rawValue)
            writer.field("seconds", row.bin.seconds)
            writer.field("confidence", row.bin.meanConfidence, decimals: 3)
            writer.field("right", row.bin.rightShare, decimals: 3)
        }
        writer.field("activities", objects: activityRows) { row, writer in
            Self.write(row.key, to: &writer)
            for kind in ActivityKind.allCases {
                writer.field("\(kind.name)_s", row.tally.seconds[Int(kind.rawValue)])
            }
        }
        writer.field("variations", objects: variationRows) { row, writer in
            Self.write(row.key, to: &writer)
            writer.field("figure", row.figure)
            for (name, value) in zip(Self.variationHeadings, row.values) { writer.field(name, value, decimals: 3) }
        }
        writer.field("recordings", objects: recordings, Self.write)
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ group: GroupResult, to writer: inout JSONWriter) {
        write(group.key, to: &writer)
        writer.field("n", group.count)
        writer.field("median_ape", group.stepErrors?.median, decimals: 3)
        writer.field("mean_ape", group.stepErrors?.mean, decimals: 3)
        writer.field("p90_ape", group.stepErrors?.ninetiethPercentile, decimals: 3)
        writer.field("best_subject_ape", group.subjectErrors.first, decimals: 3)
        writer.field("worst_subject_ape", group.subjectErrors.last, decimals: 3)
        writer.field("total_ratio", group.totalRatio, decimals: 4)
        writer.field("false_steps_per_minute", group.falseStepsPerMinute, decimals: 3)
        writer.field("even_median_ape", group.evenStepErrors?.median, decimals: 3)
        writer.field("even_mean_ape", group.evenStepErrors?.mean, decimals: 3)
        write(group.cadence, to: &writer)
    }

    private static func write(_ recording: RecordingResult, to writer: inout JSONWriter) {
        writer.field("file", recording.file)
        writer.field("subject", recording.subject)
        write(recording.key, to: &writer)
        writer.field("minutes", recording.minutes, decimals: 3)
        writer.field("true_steps", recording.trueSteps)
        writer.field("steps", recording.steps)
        writer.field("revolutions", recording.revolutions)
        writer.field("ape", recording.absolutePercentageError, decimals: 3)
        writer.field("contacts_too_soon", recording.spacing.near)
        writer.field("contacts_too_late", recording.spacing.far)
        write(recording.cadence, to: &writer)
    }

    private static func write(_ key: GroupKey, to writer: inout JSONWriter) {
        for (name, word) in zip(["folder", "placement", "activity", "half"], key.cells) { writer.field(name, word) }
    }

    private static func write(_ cadence: CadenceError, to writer: inout JSONWriter) {
        writer.field("rpm_windows", cadence.absoluteErrors.count)
        writer.field("rpm_mae", cadence.meanAbsoluteError, decimals: 3)
        writer.field("rpm_share_within_3", cadence.share(withinRPM: 3), decimals: 4)
        writer.field("rpm_share_within_5", cadence.share(withinRPM: 5), decimals: 4)
    }
}

extension EvaluationReport {
    /// The report for people who read the repository.
    package var markdown: String {
        """
        # Evaluation on the development recordings

        Written by `stridebus evaluate` on \(date)\(commit.isEmpty ? "" : " at commit `\(commit)`"). Subjects \
        are split in two halves by a hash of their name, which says how far the figures hang on who was recorded. Of \
        recordings that the model was fitted to all figures are those of a fit; `docs/fitted-model.md` leaves people out.

        \(groupTable.markdown)

        - *median*, *mean* and *p90* are of the absolute percentage error of steps a recording, where steps were made; \
        *total* is all steps counted over all made; *false/min* is steps counted a minute where none was made.
        - *rpm MAE* and the shares within 3 and 5 rpm compare the mean cadence of each window with its truth; only \
        windows of confidence 1 are used, and reports are taken \
        \(Int(CadenceError.reportDelaySeconds)) s late, as they look back.
        - *by subject* is the mean error of the best and of the worst of several subjects (of watches, capture dates).
        - *at 12.5 Hz* are the wrists again, as a slow watch would have recorded them: each sample the mean over its \
        period, about an instant that is up to 15 % of a period early or late.
        - \(recordings.filter { !$0.isResampled }.count) recordings were counted with the counter's own pipeline; \
        \(unmeasuredCount) of them are in groups of which nothing is known to compare with, and are left out of the table.

        ## How far the truth itself can be trusted

        Where each true step has its time: how many follow another after less than half the median interval, which \
        feet do not, and how many come 1.6 to 3 intervals after it, where one may be missing or somebody faltered; and \
        the errors as they are, and with the former taken off the truth and one added to it for each of the latter.

        \(truthTable.markdown)

        ## What confidence means

        Each second with a cadence, by the tenth in which its confidence lies, and the share of them that was right: \
        within \(Int(ConfidenceTally.rightRPM)) rpm of the window's truth, or within \
        \(Int(ConfidenceTally.rightShare * 100)) % of the true steps about it.

        \(confidenceTable.markdown)

        ## What activity is told

        Shares of all seconds, those at the beginning included, in which it is not told yet: 13 seconds and more of \
        what shakes a person without end, a vehicle or a bicycle on a road. \
        What is asked of those was chosen with the drives of both halves.

        \(activityTable.markdown)

        ## How far the figures hang on the recordings as they are

        The same recordings as others would have made them: everything a tenth quicker or slower, the movement softer by a \
        fifth or harder by a quarter, 0.1 m/s² of noise in every sample, gravity taken away. What changes much stands near a \
        threshold.

        \(variationTable.markdown)

        """
    }
}

extension JSONWriter {
    /// A field with a list of objects, each of which `write` gives its fields.
    fileprivate mutating func field<Row>(
        _ name: String, objects rows: [Row], _ write: (Row, inout JSONWriter) -> Void
    ) {
        key(name)
        beginArray()
        for row in rows {
            beginObject()
            write(row, &self)
            endObject()
        }
        endArray()
    }
}
