import assert from 'node:assert/strict'
import test from 'node:test'
import { decodeFrame } from '../../../Sources/Page/frames.js'
import { Timeline } from '../../../Sources/Page/timeline.js'

/** A frame of half a second at 4 Hz. */
const frame = (fields) => decodeFrame(new TextEncoder().encode(JSON.stringify({ rate_hz: 4, acc: [[0, 0, 9.8], [0, 1, 9.8]], ...fields })))

/** The first times of frames, each with when it came, s. */
function firsts(...frames) {
  const timeline = new Timeline()
  return frames.map(([fields, seconds]) => timeline.place(frame(fields), 1000 * seconds)?.timesSeconds[0] ?? null)
}

test('frames stand where their times say, and what came before is left out', () => {
  const [a, b] = [{ boot: 'x', seq: 1, t: 100 }, { boot: 'x', seq: 2, t: 100.5 }]
  assert.deepEqual(firsts([a, 1], [b, 1.5], [a, 1.6], [b, 1.7], [{ boot: 'x', seq: 3, t: 101 }, 2]), [100, 100.5, null, null, 101])
  // Without numbers one that is behind is one that came again.
  assert.deepEqual(firsts([{ t: 100 }, 1], [{ t: 100 }, 1.1], [{ t: 100.5 }, 1.5]), [100, null, 100.5])
})

test('a clock that is set, back or on, tears nothing', () => {
  for (const jump of [-50, 1_700_000_000]) {
    const found = firsts([{ boot: 'x', seq: 1, t: 100 }, 1], [{ boot: 'x', seq: 2, t: 100.5 + jump }, 1.5], [{ boot: 'x', seq: 3, t: 101 + jump }, 2])
    assert.ok(Math.abs(found[1] - 100.5) < 0.3, String(found))
    assert.ok(Math.abs(found[2] - found[1] - 0.5) < 1e-6, String(found))
  }
  const unnumbered = firsts([{ t: 100 }, 1], [{ t: 50.5 }, 1.5], [{ t: 51 }, 2], [{ t: 51.5 }, 2.5])
  assert.equal(unnumbered[1], null)
  assert.ok(unnumbered[2] > 100 && unnumbered[3] > unnumbered[2], String(unnumbered))
})

test('frames without a time stand as they come, each behind the one before', () => {
  const found = firsts([{}, 1], [{}, 1.4], [{}, 2.1], [{}, 2.1])
  for (let i = 1; i < found.length; i += 1) assert.ok(found[i] >= found[i - 1] + 0.5 - 1e-6, String(found))
})

test('a device that starts anew goes on behind what was', () => {
  const found = firsts([{ boot: 'x', seq: 9, uptime_ms: 900_000 }, 1], [{ boot: 'y', seq: 0, uptime_ms: 10 }, 5])
  assert.ok(found[1] > 900.25, String(found))
})
