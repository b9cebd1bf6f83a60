public import Configuration

/// A setting that makes no sense; `description` is one line that names it and says what to write.
public struct SettingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The configuration key.
    public let key: String
    /// What is wrong with its value and what to write instead.
    public let problem: String

    /// An error from its parts.
    public init(key: String, problem: String) {
        self.key = key
        self.problem = problem
    }

    /// One line for a person.
    public var description: String { "the setting '\(key)' \(problem)" }
}

extension ConfigReader {
    /// Reads a word that stands for one of a few values.
    ///
    /// - Throws: `SettingError` that lists the words.
    public func choice<Value>(
        _ key: ConfigKey, default word: String, among choices: KeyValuePairs<String, Value>
    ) throws(SettingError) -> Value {
        let text = string(forKey: key, default: word)
        guard let choice = choices.first(where: { $0.key == text }) else {
            let words = choices.map(\.key).joined(separator: " or ")
            throw SettingError(key: "\(key)", problem: "is '\(text)'; write \(words)")
        }
        return choice.value
    }
}
