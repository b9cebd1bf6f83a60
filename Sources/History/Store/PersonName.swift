import Foundation
import Wire

/// The one form of a person's name: composed (NFC), without spaces at its ends, and with one space where there are
/// several. Wherever a name comes in it is brought into this form, so that comparisons of texts here and of bytes in
/// the database agree. Capitals tell people apart, as accents do.
enum PersonName {
    /// The name in its one form; nil where nothing is left of it, or more than a name may have.
    static func normal(_ name: String) -> String? {
        // Most names.
        let isPlain = name.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
        if isPlain { return name.isEmpty || name.utf8.count > PayloadLimits.maximumTextBytes ? nil : name }
        let words = name.precomposedStringWithCanonicalMapping.unicodeScalars
            .split(whereSeparator: \.properties.isWhitespace)
        let text = words.map { String($0) }.joined(separator: " ")
        // Joiners alone are not seen.
        let isSeen = words.contains { word in word.contains { !$0.properties.isDefaultIgnorableCodePoint } }
        return isSeen && text.utf8.count <= PayloadLimits.maximumTextBytes ? text : nil
    }

    /// What aliases are compared by: the name in small letters, without accents and forms of letters.
    static func folded(_ name: String) -> String {
        // Most names, and a hundred thousand of them are looked at while the store waits.
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
        let letters = name.decomposedStringWithCompatibilityMapping.unicodeScalars
            .filter { !accents.contains($0) }
        return String(String.UnicodeScalarView(letters)).lowercased()
    }

    /// The block of combining diacritical marks.
    private static let accents: ClosedRange<Unicode.Scalar> = "\u{300}"..."\u{36F}"
}

extension HistoryRequest {
    /// The request with its names in their one form.
    func withNormalNames() throws(ReplyError) -> HistoryRequest {
        var request = self
        let names: [(field: String, path: WritableKeyPath<HistoryRequest, String?>)] = [
            ("person", \.person), ("alias", \.alias), ("team", \.team), ("title", \.title),
        ]
        // An empty alias, team or title takes one away.
        for (field, path) in names {
            guard let text = request[keyPath: path], !text.isEmpty || field == "person" else { continue }
            if let character = NameText.refusedCharacter(in: text) {
                throw ReplyError(
                    code: .badRequest,
                    message: "'\(field)' has a character that is not seen, \(character); leave it out")
            }
            guard let name = PersonName.normal(text) else {
                throw ReplyError(code: .badRequest, message: "'\(field)' has nothing that is seen, or is too long")
            }
            request[keyPath: path] = name
        }
        if let person = request.config?["person"]?.string, let name = PersonName.normal(person) {
            try? request.config?.set("person", to: .string(name))
        }
        return request
    }
}
