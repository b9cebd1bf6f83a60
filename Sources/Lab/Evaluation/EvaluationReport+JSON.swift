import Wire

extension EvaluationReport {
    /// One JSON object: `{"date", "commit", "groups":[…], "confidence":[…], "activities":[…], "variations":[…],
    /// "recordings":[…]}`; what is not known is `null`.
    public func encodedJSON() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("date", date)
        writer.field("commit", commit)
        writer.key("groups")
        writer.beginArray()
        for group in groups { Self.write(group, to: &writer) }
        writer.endArray()
        writer.key("confidence")
        writer.beginArray()
        for row in confidenceRows { Self.write(row, to: &writer) }
        writer.endArray()
        writer.key("activities")
        writer.beginArray()
        for row in activityRows { Self.write(row, to: &writer) }
        writer.endArray()
        writer.key("variations")
        writer.beginArray()
        for row in variationRows { Self.write(row, to: &writer) }
        writer.endArray()
        writer.key("recordings")
        writer.beginArray()
        for recording in recordings { Self.write(recording, to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ group: GroupResult, to writer: inout JSONWriter) {
        writer.beginObject()
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
        writer.endObject()
    }

    private static func write(_ recording: RecordingResult, to writer: inout JSONWriter) {
        writer.beginObject()
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
        writer.endObject()
    }

    private static func write(_ row: ConfidenceRow, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("cadence", row.cadence)
        writer.field("half", row.half.rawValue)
        writer.field("seconds", row.bin.seconds)
        writer.field("confidence", row.meanConfidence, decimals: 3)
        writer.field("right", row.rightShare, decimals: 3)
        writer.endObject()
    }

    private static func write(_ row: ActivityRow, to writer: inout JSONWriter) {
        writer.beginObject()
        write(row.key, to: &writer)
        for kind in ActivityKind.allCases {
            writer.field("\(kind.name)_s", row.tally.seconds[Int(kind.rawValue)])
        }
        writer.endObject()
    }

    private static func write(_ row: VariationRow, to writer: inout JSONWriter) {
        writer.beginObject()
        write(row.key, to: &writer)
        writer.field("figure", row.figure.rawValue)
        for (name, value) in zip(["recorded"] + Variation.allCases.map(\.words), row.values) {
            writer.field(name, value, decimals: 3)
        }
        writer.endObject()
    }

    private static func write(_ key: GroupKey, to writer: inout JSONWriter) {
        writer.field("folder", key.folder)
        writer.field("placement", key.placement.rawValue)
        writer.field("activity", key.activity.rawValue)
        writer.field("half", key.half.rawValue)
    }

    private static func write(_ cadence: CadenceError, to writer: inout JSONWriter) {
        writer.field("rpm_windows", cadence.absoluteErrors.count)
        writer.field("rpm_mae", cadence.meanAbsoluteError, decimals: 3)
        writer.field("rpm_share_within_3", cadence.share(withinRPM: 3), decimals: 4)
        writer.field("rpm_share_within_5", cadence.share(withinRPM: 5), decimals: 4)
    }
}
