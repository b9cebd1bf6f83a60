import assert from 'node:assert/strict'
import test from 'node:test'
import { Format } from '../../../Sources/Page/format.js'
import { goalsOf } from '../../../Sources/Page/goals.js'
import { Gym, GYM_LIMITS } from '../../../Sources/Page/gym.js'
import { askFile, askWorkout, factsOf, joinSeconds, lineOf, titleOf } from '../../../Sources/Page/workouts.js'

/** A bus that answers with one page after the other. */
const busOf = (pages) => ({ asked: [], request(verb, fields) { return this.asked.push({ verb, ...fields }), Promise.resolve(pages[this.asked.length - 1]) } })

test('the seconds of all pages stand where their starts say', async () => {
  const bus = busOf([
    { workout: { id: 'd.b.1', kind: 'ride' }, start: 100, cadence: [80, null], watts: [150, 160], cursor: 'x' }, { start: 105, cadence: [90], bpm: ['?', 120] },
  ])
  const { workout, seconds } = await askWorkout(bus, 'd.b.1')
  assert.deepEqual([workout.kind, bus.asked[1].cursor], ['ride', 'x'])
  assert.deepEqual(lineOf(seconds, 'cadence'), { times: [100, 105], values: [80, 90] })
  assert.deepEqual(lineOf(seconds, 'watts'), { times: [100, 101], values: [150, 160] })
  assert.deepEqual(lineOf(seconds, 'bpm'), { times: [106], values: [120] })
  assert.deepEqual(lineOf(joinSeconds([{}]), 'bpm'), { times: [], values: [] })
})

test('a file is put together of its parts', async () => {
  const bus = busOf([{ name: 'a.fit', type: 'application/vnd.ant.fit', part: 'AAH/', cursor: '1' }, { part: 'gA==' }])
  const { name, parts } = await askFile(bus, 'd.b.1', 'fit')
  assert.deepEqual([name, ...parts.flatMap((part) => [...part])], ['a.fit', 0, 1, 255, 128])
})

test('what is not known of a workout is not said', () => {
  const format = new Format('en-IE', 'metric')
  const facts = (more) => factsOf({ id: 'x', kind: 'ride', persons: [], devices: [], start: 0, end: 600, moving_s: 600, paused_s: 0, pauses: [], ...more }, format)
  assert.deepEqual(facts({}).map(([key]) => key), ['moving'])
  assert.deepEqual(facts({ power_avg_w: 181.4, distance_m: 4200, cadence_avg_spm: 9, cadence_avg_rpm: 84 }).map(([key, , words]) => `${key} ${words}`),
    ['distance 4.20 km', 'moving 10 min', 'cadence 84 rpm', 'power 181 W'])
  assert.deepEqual([{ title: 'T', class: 'C', kind: 'run' }, { class: 'C', kind: 'run' }, { kind: 'run' }, {}].map(titleOf), ['T', 'C', 'Run', 'Workout'])
})

test('goals are those that a person has', () => {
  assert.deepEqual(goalsOf(null), [])
  assert.deepEqual(goalsOf({ steps: 4000 }), [])
  const goals = goalsOf({ steps: 4000, goal_steps_per_day: 8000, goal_rides_per_week: 2, week_rides: 3, goal_active_min_per_week: 150 })
  assert.deepEqual(goals.map(({ title, share }) => [title, share]), [['Steps', 0.5], ['Active', 0], ['Rides', 1.5]])
})

test('watts and heart rate are shown while they are said', () => {
  const gym = new Gym()
  const device = gym.take('bike-1', 'power', { t: 1, watts: 212 }, 1000)
  gym.take('bike-1', 'heart', { t: 1, bpm: 131 }, 1000)
  for (const odd of ['212', { watts: -1 }, { watts: 1e9 }, {}]) assert.equal(gym.take('bike-1', 'power', odd, 1000), null)
  assert.deepEqual([device.reading('watts', 1000), device.reading('bpm', 1000 + GYM_LIMITS.silentMs)], [212, 131])
  assert.deepEqual([device.reading('watts', 1001 + GYM_LIMITS.silentMs), new Gym().device('b').reading('bpm', 0)], [null, null])
})
