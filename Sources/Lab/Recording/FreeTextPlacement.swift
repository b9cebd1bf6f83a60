package import Wire

/// Placements as the authors of recordings describe them, in free text.
extension SensorPlacement {
    private static let words: [(String, SensorPlacement)] = [
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

    /// The placement whose word a free text contains; the first of a list that goes from particular to general.
    package init(freeText: String) {
        let text = freeText.lowercased()
        self = Self.words.first { text.contains($0.0) }?.1 ?? .unknown
    }
}
