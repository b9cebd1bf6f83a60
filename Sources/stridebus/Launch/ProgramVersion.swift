import CBuild

/// The version of the program, as `--version` says it and a backup notes it.
enum ProgramVersion {
    /// The number alone.
    static let number = STRIDEBUS_VERSION

    /// The number, the commit and its date: `0.1.0 (1a2b3c4, 2026-11-26)`.
    static var text: String {
        let commit = String(cString: stridebus_build_commit())
        let date = String(cString: stridebus_build_date())
        return commit.isEmpty ? "\(number) (commit not noted by this build)" : "\(number) (\(commit), \(date))"
    }
}
