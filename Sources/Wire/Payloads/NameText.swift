/// The text of a name that people read: of a person, an alias, a device in its own system.
///
/// No name has a character that is not seen, such as a line's end, an escape of a terminal or a mark of the direction of
/// writing: it would forge a line of a log, or look like another name.
package enum NameText {
    /// The first character of a name that is not seen and no name needs, as `U+200B`.
    package static func refusedCharacter(in name: String) -> String? {
        name.unicodeScalars.first(where: isRefused).map { scalar in
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        }
    }

    /// A name as it may be shown, with U+FFFD for each refused character.
    package static func shown(_ name: String) -> String {
        guard name.unicodeScalars.contains(where: isRefused) else { return name }
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars { scalars.append(isRefused(scalar) ? "\u{FFFD}" : scalar) }
        return String(scalars)
    }

    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        !(0x20..<0x7F).contains(scalar.value) && isUnseen(scalar) && !isNeeded(scalar)
    }

    /// True for a character that leaves no mark.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return properties.isDefaultIgnorableCodePoint
        }
    }

    /// Those that names are written with: the joiners U+200C and U+200D of Persian, Indic scripts and emoji, and the
    /// variation selectors.
    private static func isNeeded(_ scalar: Unicode.Scalar) -> Bool {
        (0x200C...0x200D).contains(scalar.value) || scalar.properties.isVariationSelector
    }
}

extension FieldForm<String> {
    /// A name of at most `PayloadLimits.maximumTextBytes` bytes, all of which is seen.
    static var name: Self {
        Self(
            type: .string,
            read: { json throws(WireError) in
                let name = try json.text()
                guard NameText.refusedCharacter(in: name) == nil else { throw .outOfRange }
                return name
            }, write: { $0.value($1) })
    }
}
