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
    /// On the back, or elsewhere on the trunk.
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
        ("wrist", .wrist), ("forearm", .wrist), ("back pocket", .pocket), ("backpack", .bag), ("pocket", .pocket),
        ("jacket", .pocket), ("seat post", .frame), ("seatpost", .frame), ("saddle", .frame), ("lower back", .back),
        ("lumbar", .back), ("sacrum", .back), ("sternum", .back), ("chest", .back), ("trunk", .back), ("torso", .back),
        ("purse", .bag), ("pouch", .bag), ("bag", .bag), ("armband", .hand), ("upper arm", .hand), ("inhand", .hand),
        ("in hand", .hand), ("swingingarm", .hand), ("handlebar", .frame), ("hand", .hand), ("hip", .hip),
        ("belt", .hip), ("waist", .hip), ("pelvis", .hip), ("thigh", .thigh), ("upper leg", .thigh), ("femur", .thigh),
        ("shin", .ankle), ("shank", .ankle), ("ankle", .ankle), ("lower leg", .ankle), ("calf", .ankle),
        ("tibia", .ankle), ("foot", .foot), ("feet", .foot), ("shoe", .foot), ("heel", .foot), ("toe", .foot),
        ("crank", .crank), ("pedal", .crank), ("frame", .frame), ("holder", .frame), ("watch", .wrist),
        ("back", .back),
    ]

    /// The keyword whose word a free text contains; the first of a list that goes from particular to general.
    public init(freeText: String) {
        let text = freeText.lowercased()
        self = Self.words.first { text.contains($0.0) }?.1 ?? .unknown
    }
}
