/// The words that a device's configuration has for where a sensor sits.
public enum PlacementKeyword: String, Sendable, CaseIterable {
    /// On the wrist.
    case wrist
    /// Held in the hand, or on a swinging or strapped arm.
    case hand
    /// In a pocket.
    case pocket
    /// In a bag, purse or pouch.
    case bag
    /// On the hip or belt.
    case hip
    /// On the back.
    case back
    /// On the thigh.
    case thigh
    /// On the ankle or shin.
    case ankle
    /// On the foot or shoe.
    case foot
    /// On a bike's frame.
    case frame
    /// On a bike's crank or pedal.
    case crank
    /// None of these.
    case unknown

    private static let words: [(String, PlacementKeyword)] = [
        ("wrist", .wrist), ("back pocket", .pocket), ("backpack", .bag), ("pocket", .pocket), ("lower back", .back),
        ("purse", .bag), ("pouch", .bag), ("bag", .bag), ("armband", .hand), ("inhand", .hand), ("in hand", .hand),
        ("swingingarm", .hand), ("hand", .hand), ("hip", .hip), ("belt", .hip), ("waist", .hip), ("thigh", .thigh),
        ("shin", .ankle), ("shank", .ankle), ("ankle", .ankle), ("foot", .foot), ("shoe", .foot), ("crank", .crank),
        ("pedal", .crank), ("handlebar", .frame), ("frame", .frame), ("holder", .frame), ("back", .back),
    ]

    /// The keyword whose word a free text contains; the first of a list that goes from particular to general.
    public init(freeText: String) {
        let text = freeText.lowercased()
        self = Self.words.first { text.contains($0.0) }?.1 ?? .unknown
    }
}
