@testable import Lab
import Testing

@Suite("A bar of progress")
struct ProgressLineTests {
    @Test(
        "The bar fills from the left and says 100 % only at the end",
        arguments: [
            (0, "░░░░░░░░░░░░░░░░░░░░ 0 % a"), (0.5, "██████████░░░░░░░░░░ 50 % a"),
            (0.999, "███████████████████░ 99 % a"), (1, "████████████████████ 100 % a"),
            (7, "████████████████████ 100 % a"), (-1, "░░░░░░░░░░░░░░░░░░░░ 0 % a"),
            (.nan, "░░░░░░░░░░░░░░░░░░░░ 0 % a"),
        ])
    func bar(share: Double, text: String) {
        #expect(ProgressLine.text(share: share, "a") == text)
    }
}
