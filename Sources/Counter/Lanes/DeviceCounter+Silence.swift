import Motion
import Wire

extension DeviceCounter {
    /// Tells what the silence of a device means: frames that it kept waiting are counted, what its signal still holds
    /// back is told, and a rider reads 0. True when anything changed.
    mutating func tick(now: Int64, scratch: inout SignalScratch) -> Bool {
        guard let heardAt else {
            heardAt = now
            return false
        }
        guard !isSilent else { return false }
        let silence = now - heardAt
        var changed = false
        if sequence.waitingCount > 0, silence >= FrameSequence.patienceMicroseconds {
            drainWaiting(isSilent: true, scratch: &scratch)
            changed = true
        }
        guard silence >= SilenceRule.timeout(period: max(reports.cadencePeriod, messagePeriod)) else { return changed }
        fallSilent(silence: silence, scratch: &scratch)
        return true
    }

    /// Tells all that is held back, as at the end of a recording.
    mutating func finish(scratch: inout SignalScratch) {
        drainWaiting(isSilent: true, scratch: &scratch)
        fallSilent(silence: 0, scratch: &scratch)
        floors.flush(into: &scratch.floors)
        book(&scratch.floors)
    }

    private mutating func fallSilent(silence: Int64, scratch: inout SignalScratch) {
        isSilent = true
        scratch.events.removeAll()
        live.tellPause(into: &scratch.events)
        apply(scratch.events, isLive: true, isAdvance: true, floors: &scratch.floors)
        scratch.events.removeAll()
        late?.tellPause(into: &scratch.events)
        apply(scratch.events, isLive: false, isAdvance: true, floors: &scratch.floors)
        reports.fallSilent(at: (live.clock.end ?? heardAt ?? 0) + silence)
    }
}
