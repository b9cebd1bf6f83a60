/// Why stridebus did not start; `description` is one line that says what is wrong and how to mend it.
public struct LaunchError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: Sendable, Hashable {
        /// A configuration key that nothing reads.
        case unknownKey
        /// A configuration value of the wrong type.
        case wrongValue
        /// A configuration file that is absent or not JSON.
        case unreadableFile
        /// A port that somebody else listens on.
        case portTaken
        /// A directory that cannot be made or written.
        case unwritableDirectory
    }

    /// What went wrong.
    public let code: Code
    /// The line for a person.
    public let description: String

    /// An error from its parts.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
