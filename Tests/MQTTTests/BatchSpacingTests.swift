import Testing

@testable import MQTT

@Suite("The spacing of batches")
struct BatchSpacingTests {
    @Test("The first batch, and one after a quiet time, wait for nothing")
    func quiet() {
        var spacing = BatchSpacing(seconds: 0.05)
        #expect(spacing.remainingSeconds(atSeconds: 1_000) == 0)
        spacing.began(atSeconds: 1_000)
        #expect(spacing.remainingSeconds(atSeconds: 1_000.05) == 0)
        #expect(spacing.remainingSeconds(atSeconds: 5_000) == 0)
    }

    @Test("One that comes soon after another waits for the rest of the time, counted from the other's beginning")
    func busy() {
        var spacing = BatchSpacing(seconds: 0.5)
        spacing.began(atSeconds: 8)
        #expect(spacing.remainingSeconds(atSeconds: 8) == 0.5)
        #expect(spacing.remainingSeconds(atSeconds: 8.375) == 0.125)
        spacing.began(atSeconds: 8.5)
        #expect(spacing.remainingSeconds(atSeconds: 8.5) == 0.5)
    }

    @Test("Without a spacing nothing ever waits")
    func none() {
        var spacing = BatchSpacing(seconds: 0)
        spacing.began(atSeconds: 8)
        #expect(spacing.remainingSeconds(atSeconds: 8) == 0)
    }
}
