import assert from 'node:assert/strict'
import test from 'node:test'
import { autocorrelation, period, resample } from '../../../Sources/Page/autocorrelation.js'

const times = Array.from({ length: 600 }, (_, i) => i / 50)
const found = (/** @type {(t: number) => number} */ signal) => {
  const resampled = resample(times, times.map(signal))
  assert.ok(resampled)
  return period(autocorrelation(resampled))
}

test('a signal repeats after one period, not after several, whatever its harmonics', () => {
  for (const seconds of [0.4, 0.5, 0.77, 1, 1.5]) {
    const turn = (/** @type {number} */ t) => (2 * Math.PI * t) / seconds
    const near = (/** @type {number} */ value) => assert.ok(Math.abs(value - seconds) <= 0.02, `${value} of ${seconds}`)
    near(found((t) => Math.sin(turn(t))))
    near(found((t) => Math.sin(turn(t)) + 0.4 * Math.sin(2 * turn(t) + 1)))
  }
})

test('what stands still repeats after nothing', () => assert.equal(found(() => 9.81), 0))
