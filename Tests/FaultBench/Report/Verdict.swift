/// What one fault did.
struct Verdict: Codable, Sendable {
    var fault: String
    var holds: Bool
    var kills: Int
    var framesSent: Int
    var framesLost: Int
    var framesMissingTold: Int
    var seconds: Double
    var detail: String
}
