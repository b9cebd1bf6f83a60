import ServiceKit
import Wire

/// Notes which row a commit works on, so that a row of which history dies twice is known by name.
///
/// Between two rows stands the whole. Of a death there nobody knows the row: the next start keeps the parts one by one.
package struct CommitWatch: Sendable {
    let inputGuard: InputGuard
    /// What is noted between the rows.
    let whole: InputKey

    init(_ inputGuard: InputGuard, whole: InputKey = .commit) {
        (self.inputGuard, self.whole) = (inputGuard, whole)
    }

    func begin() { inputGuard.begin(whole, "a commit") }
    func begin(_ row: MinuteRow) { inputGuard.begin(InputKey(row), row.subject) }
    func begin(_ row: WordRow) { inputGuard.begin(InputKey(row), row.subject) }

    /// Notes the claims of a day; false where history has died of them twice: they stay as they are.
    func beginClaims(of device: DeviceID, _ day: Int64) -> Bool {
        let key = InputKey("claims", of: device, day, day)
        guard inputGuard.isFatal(key) else {
            inputGuard.begin(key, "the claims of \(device) on day \(day)")
            return true
        }
        Array("day \(day) since 1970\n".utf8).withUnsafeBytes {
            inputGuard.setAside(key, kind: "claims", subject: "\(device)", $0)
        }
        return false
    }

    func endClaims(of device: DeviceID, _ day: Int64) { inputGuard.end(InputKey("claims", of: device, day, day)) }

    /// All of it is kept.
    func end(_ changes: HistoryChanges) {
        inputGuard.end(whole)
        guard inputGuard.hasDeaths else { return }
        for row in changes.rows { inputGuard.end(InputKey(row)) }
        for row in changes.words { inputGuard.end(InputKey(row)) }
    }
}

extension MinuteRow {
    var subject: String { "minute \(minute) of \(device)" }
}

extension WordRow {
    var subject: String { "an interval of \(device)" }
}

extension InputKey {
    /// Changes that are kept together.
    static let commit = InputKey(Array("commit".utf8))

    /// One change. A row has the same name in whatever message it comes, and whatever it says.
    init(_ part: HistoryChanges) {
        if let row = part.rows.first {
            self.init(row)
        } else if let row = part.words.first {
            self.init(row)
        } else {
            self.init(Array("\(part)".utf8))
        }
    }

    init(_ row: MinuteRow) { self.init("row", of: row.device, row.minute, row.minute) }
    init(_ row: WordRow) { self.init("word", of: row.device, row.word.start, row.word.end) }

    fileprivate init(_ kind: String, of device: DeviceID, _ start: Int64, _ end: Int64) {
        self.init(Array("\(kind) \(device) \(start) \(end)".utf8))
    }
}
