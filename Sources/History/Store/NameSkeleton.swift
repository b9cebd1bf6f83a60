import Foundation
import Wire

/// What remains of a name when everything is taken away that a reader hardly sees: two people whose names have the same
/// skeleton would be taken for each other.
///
/// Capitals are small letters, letters of another width or form are the usual ones, spaces at the ends and a second one in
/// between are none, characters that are not seen are none, and Cyrillic and Greek letters of the shape of a Latin one
/// are that. Accents stay: Anna and Ánna are two people.
///
/// It is much less than Unicode's table of confusable characters (UTS #39): one Latin letter or digit for another, such as
/// I for l, and letters of other scripts are told apart.
struct NameSkeleton: Hashable {
    private let text: String

    init(_ name: String) {
        // Most names, and a hundred thousand of them are looked at while the store waits.
        if name.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            text = Self.singleSpaced(name.lowercased())
            return
        }
        // By way of the capitals, so that letters with one capital are one.
        let folded = name.decomposedStringWithCompatibilityMapping.uppercased().lowercased()
        var scalars = String.UnicodeScalarView()
        for scalar in folded.unicodeScalars where !NameText.isUnseen(scalar) {
            scalars.append(Self.latinLetters[scalar] ?? scalar)
        }
        text = Self.singleSpaced(String(scalars))
    }

    private static func singleSpaced(_ text: String) -> String {
        text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map { String($0) }.joined(separator: " ")
    }

    /// Nothing of the name is seen.
    var isEmpty: Bool { text.isEmpty }

    /// Small letters, Cyrillic and Greek, which have the shape of a Latin one themselves or as capitals.
    private static let latinLetters: [Unicode.Scalar: Unicode.Scalar] = {
        let (others, latin) = ("авекмнорстухіјѕԁһӏԛԝαβεζηικμνορτυχ", "abekmhopctyxijsdhlqwabezhikmnoptyx")
        return Dictionary(uniqueKeysWithValues: zip(others.unicodeScalars, latin.unicodeScalars))
    }()
}
