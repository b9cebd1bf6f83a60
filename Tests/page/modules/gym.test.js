import assert from 'node:assert/strict'
import test from 'node:test'
import { GYM_LIMITS, Gym, arrange, takeTold } from '../../../Sources/Page/gym.js'
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

test('the wall shows a person under the alias, for the time of the check-in', () => {
  const gym = new Gym()
  gym.take('bike-1', 'cadence', cadence(80), 0)
  const people = [{ person: 'Anna Lund', alias: 'A', devices: [{ device: 'bike-1', from: 100, to: 200 }] }]
  takeTold(gym, [{ device: 'bike-1', kind: 'bike' }, { device: 'other-1', kind: 'bike' }], people, 150)
  assert.equal(gym.devices.get('bike-1').name, 'A')
  assert.equal(gym.devices.get('bike-1').kind, 'bike')
  takeTold(gym, [{ device: 'bike-1', kind: 'bike' }], people, 200)
  assert.equal(gym.devices.get('bike-1').name, 'bike-1')
  assert.ok(!gym.devices.has('other-1'))
})

test('what history does not name to the wall is not shown there', () => {
  const gym = new Gym()
  for (const id of ['anna', 'bike-1']) gym.take(id, 'cadence', cadence(80), 0)
  const wish = { sort: 'name', filter: 'all', group: 'none', search: '' }
  const shown = () => arrange(gym.devices.values(), wish, 0).flatMap(({ devices }) => devices.map(({ id }) => id))
  takeTold(gym, [{ device: 'bike-1', kind: 'bike' }], [], 0)
  assert.deepEqual(shown(), ['bike-1'])
  takeTold(gym, [{ device: 'anna', kind: 'wearable' }, { device: 'bike-1', kind: 'bike' }], [], 60)
  assert.deepEqual(shown(), ['anna', 'bike-1'])
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
  for (const whole of [901, 1800, 2700, 3137]) {
    const seen = [0]
    for (let top = nextTop({ top: 0, height, whole }); top !== 0; top = nextTop({ top, height, whole })) {
      assert.ok(top > seen[seen.length - 1])
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
