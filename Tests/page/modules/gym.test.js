import assert from 'node:assert/strict'
import test from 'node:test'
import { GYM_LIMITS, Gym, arrange, takeWall } from '../../../Sources/Page/gym.js'
import { SessionCount } from '../../../Sources/Page/session.js'
import { nextTop } from '../../../Sources/Page/wall.js'

const cadence = (rpm) => ({ t: 1, cadence_rpm: rpm, confidence: 1, activity: 'cycling' })

test('a device moves while it speaks, is silent after, and still at 0', () => {
  const gym = new Gym()
  const device = gym.take('bike-1', 'cadence', cadence(80), 1000)
  assert.equal(device.standing(1000 + GYM_LIMITS.silentMs), 'moving')
  assert.equal(device.standing(1001 + GYM_LIMITS.silentMs), 'silent')
  gym.take('bike-1', 'cadence', cadence(0), 2000)
  assert.equal(device.standing(99_000), 'still')
})

test('a strap that tells beats is not away', () => {
  const device = new Gym().take('strap-1', 'heart', { t: 1, bpm: 120 }, 1000)
  assert.ok(!device.isAway(1000 + GYM_LIMITS.silentMs))
  assert.ok(device.isAway(1001 + GYM_LIMITS.silentMs))
})

test('a device of which everything is taken back is gone', () => {
  const gym = new Gym()
  gym.take('bike-1', 'config', { kind: 'bike' }, 0)
  gym.take('bike-1', 'day', { revolutions: 7 }, 0)
  gym.take('bike-1', 'config', undefined, 0)
  assert.ok(gym.devices.has('bike-1'))
  gym.take('bike-1', 'day', undefined, 0)
  assert.ok(!gym.devices.has('bike-1'))
  assert.equal(gym.take('never-1', 'day', undefined, 0), null)
  assert.ok(!gym.devices.has('never-1'))
})

test('a moving device stays when its config is taken back', () => {
  const gym = new Gym()
  gym.take('bike-1', 'config', { kind: 'bike' }, 0)
  gym.take('bike-1', 'cadence', cadence(70), 0)
  gym.take('bike-1', 'config', undefined, 100)
  assert.ok(gym.devices.has('bike-1'))
})

test('what cannot be a device is no device, and there are so many at most', () => {
  const gym = new Gym()
  for (const id of ['Bike', '-x', 'a'.repeat(64), '<b>', '']) assert.equal(gym.take(id, 'cadence', cadence(80), 0), null)
  for (let i = 0; i < GYM_LIMITS.devices + 5; i += 1) gym.take(`bike-${i}`, 'cadence', cadence(80), 0)
  assert.equal(gym.devices.size, GYM_LIMITS.devices)
  assert.equal(gym.refusedDevices, 5)
})

test('the wall shows what history names, under the alias, with today’s counts, and nothing else', () => {
  const gym = new Gym()
  for (const id of ['anna', 'bike-1', 'bike-2']) gym.take(id, 'cadence', cadence(80), 0)
  const wish = { sort: 'name', filter: 'all', group: 'none', search: '' }
  const shown = () => arrange(gym.devices.values(), wish, 0).flatMap(({ devices }) => devices.map(({ name }) => name))
  const bike = { device: 'bike-1', kind: 'bike', steps: 0, revolutions: 7, end: 9999 }
  const idle = { ...bike, device: 'bike-3' }
  takeWall(gym, { t: 100, entries: [{ ...bike, alias: 'A' }, idle, { device: '<b>' }, {}] }, 101)
  assert.deepEqual(shown(), ['A', 'bike-3'])
  assert.deepEqual([gym.devices.get('bike-1').kind, gym.devices.get('bike-1').day.revolutions], ['bike', 7])
  takeWall(gym, { t: 102, entries: [bike] }, 102)
  assert.deepEqual(shown(), ['bike-1'])
})

test('a wall that is not of now, or is none, shows nobody', () => {
  const gym = new Gym()
  const wall = { t: 1000, entries: [{ device: 'bike-1', kind: 'bike', alias: 'A', steps: 0, revolutions: 7, end: 9999 }] }
  const isShown = (said, now) => {
    takeWall(gym, said, now)
    return [...gym.devices.values()].some(({ isOffWall }) => !isOffWall)
  }
  for (const [said, now, is] of [
    [wall, 1000, true], [wall, 1000 + GYM_LIMITS.wallSeconds, false], [wall, 1100, true], [wall, 4600, false],
    [null, 1000, false], [{ ...wall, t: '1000' }, 1000, false], [{ t: 1000, entries: 'all' }, 1000, false],
  ]) assert.equal(isShown(said, now), is)
})

test('problems first puts problems first', () => {
  const gym = new Gym()
  for (const id of ['a', 'b', 'c']) gym.take(id, 'cadence', cadence(80), 0)
  gym.take('c', 'health', { ok: false, problem: 'x' }, 0)
  const [{ devices }] = arrange(gym.devices.values(), { sort: 'attention', filter: 'all', group: 'none', search: '' }, 0)
  assert.deepEqual(devices.map(({ id }) => id), ['c', 'a', 'b'])
})

test('the wall turns every page and comes back to the top', () => {
  const height = 900
  for (const [whole, covered] of [[901, 0], [1800, 0], [2700, 0], [3137, 0], [3137, 250]]) {
    const seen = [0]
    for (let top = nextTop({ top: 0, height, whole, covered }); top !== 0; top = nextTop({ top, height, whole, covered })) {
      const last = seen[seen.length - 1]
      assert.ok(top > last && top + covered <= last + height)
      seen.push(top)
      assert.ok(seen.length < 10)
    }
    assert.ok(whole - (seen[seen.length - 1] + height) <= 8)
  }
})

test('a session counts from where it began', () => {
  const count = new SessionCount()
  count.takeTotal({ steps: 1000, revolutions: 0, distance_m: 700 })
  count.begin(0)
  count.takeSteps({ steps: 1004, new_steps: 4, distance_m: 703 })
  assert.equal(count.steps, 4)
  count.takeSteps({ steps: 1006, new_steps: 2, distance_m: 704 })
  assert.equal(count.steps, 6)
})
