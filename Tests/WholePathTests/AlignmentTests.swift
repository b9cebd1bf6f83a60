import Counter
import Ingest
import Motion
import Lab
import Testing
import Wire

@Suite struct AlignmentTests {
    @Test("No value that may be a local of an async function is aligned more strictly than that function's frame")
    func alignment() {
        #expect(MemoryLayout<DeviceID>.alignment <= 16)
        #expect(MemoryLayout<MotionRecord>.alignment <= 16)
        #expect(MemoryLayout<MinuteRow>.alignment <= 16)
        #expect(MemoryLayout<MinuteIncrement>.alignment <= 16)
        #expect(MemoryLayout<IngestPipeline>.alignment <= 16)
        #expect(MemoryLayout<IngestCounters>.alignment <= 16)
        #expect(MemoryLayout<CounterPipeline>.alignment <= 16)
        #expect(MemoryLayout<MotionPipeline>.alignment <= 16)
        #expect(MemoryLayout<Motion.MotionEvent>.alignment <= 16)
        #expect(MemoryLayout<MotionSample>.alignment <= 16)
        #expect(MemoryLayout<GymDevice>.alignment <= 16)
        #expect(MemoryLayout<SimulatedGym>.alignment <= 16)
    }
}
