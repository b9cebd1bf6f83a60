import assert from 'node:assert/strict'
import test from 'node:test'
import { RunningClass, lessonOf, minuteWords, stepAt, targetWords, teamWords, verdictOf } from '../../../Sources/Page/class.js'
import { lessonRequest, lessonsCSV } from '../../../Sources/Page/classes.js'

const said = (more) => ({
  t: 1000, id: 'c1', title: 'Spin', start: 1000, length_s: 600, ranking: 'distance', steps: [{ length_s: 120, cadence_min_rpm: 80, cadence_max_rpm: 90 }],
  riders: [{ device: 'bike-1', name: 'Ann', rank: 1, distance_m: 900 }], ...more,
})

test('a class goes on by the clock, in its steps, and its summary stands for a while', () => {
  const running = new RunningClass()
  running.take(said(), 1000)
  const at = (now) => running.at(now)
  assert.deepEqual([at(1000).left, at(1000).stepLeft, at(1000).next], [600, 120, null])
  assert.equal(at(1119.5).step.cadence_min_rpm, 80)
  assert.equal(at(1120).step, null)
  assert.deepEqual([at(1599).isOver, at(1600).isOver, at(1600).left], [false, true, 0])
  assert.equal(at(1700), null)
  running.take(said({ ended: true }), 1200)
  assert.equal(at(1200).isOver, true)
  running.take(null, 1201)
  assert.equal(at(1201), null)
})

test('a screen whose clock is wrong shows history’s time', () => {
  const running = new RunningClass()
  // What is retained may be old: it says nothing of the clock.
  running.take(said({ t: 1000 }), 1300)
  assert.equal(running.at(1300).left, 300)
  running.take(said({ t: 1062 }), 1362)
  assert.equal(running.at(1362).left, 538)
  // A message that came late does not set it back.
  running.take(said({ t: 1063 }), 1370)
  assert.equal(running.at(1370).left, 530)
})

test('steps follow each other', () => {
  const steps = [{ length_s: 60 }, { length_s: 30, power_max_w: 90 }]
  assert.deepEqual(stepAt(steps, -5), { step: steps[0], stepLeft: 60, next: steps[1] })
  assert.deepEqual(stepAt(steps, 60), { step: steps[1], stepLeft: 30, next: null })
  assert.deepEqual(stepAt(steps, 90), { step: null, stepLeft: 0, next: null })
  assert.deepEqual(stepAt([], 0), { step: null, stepLeft: 0, next: null })
})

test('a value is below, in or above what is asked for, or nothing is said', () => {
  assert.deepEqual([79, 80, 90, 90.5, null].map((value) => verdictOf(value, 80, 90)), ['below', 'in', 'in', 'above', null])
  assert.deepEqual([verdictOf(500, 80), verdictOf(10, undefined, 80), verdictOf(10)], ['in', 'in', null])
  assert.equal(targetWords({ cadence_min_rpm: 80, cadence_max_rpm: 90, power_max_w: 150 }), '80–90 rpm · up to 150 W')
  assert.deepEqual([0, 59.2, 60, 3599.5, -3].map(minuteWords), ['0:00', '1:00', '1:00', '60:00', '0:00'])
})

test('riders and teams stand by their ranks', () => {
  const riders = [2, 1, undefined].map((rank) => ({ device: `b-${rank}`, rank }))
  const { riders: ranked, teams } = lessonOf(said({ riders, teams: [{ team: 'Blue', rank: 2 }, { team: 'Red', rank: 1, distance_m: 5 }] }))
  assert.deepEqual([ranked.map(({ device }) => device), teams.map(({ name }) => name)], [['b-1', 'b-2', 'b-undefined'], ['Red', 'Blue']])
  const equal = ['bike-10', 'bike-2', 'bike-1'].map((name) => ({ device: name, name, rank: 1 }))
  assert.deepEqual(lessonOf(said({ riders: equal })).riders.map(({ name }) => name), ['bike-1', 'bike-2', 'bike-10'])
})

test('what is no class is none, and what is odd in one is left out', () => {
  for (const each of [null, {}, { start: 'now', length_s: 1 }, { start: 1 }, said({ start: 1e18 }), said({ length_s: -1 })]) assert.equal(lessonOf(each), null)
  const odd = lessonOf(said({ riders: [null, 7, {}, { device: 'b-1' }], steps: [null, { length_s: -1 }, { length_s: 5 }], ranking: 'luck', title: 7 }))
  assert.deepEqual([odd.riders.length, odd.riders[1].name, odd.steps.length, odd.ranking, odd.title], [2, 'b-1', 1, 'time_in_target', '7'])
  assert.equal(lessonOf(said({ riders: 'all', steps: {} })).riders.length, 0)
})

test('a class that was written down is asked for in seconds, and lasts as long as its steps', () => {
  const row = { minutes: '2,5', cadence_min_rpm: '80', cadence_max_rpm: '', power_min_w: ' ', power_max_w: '200' }
  assert.deepEqual(lessonRequest({ title: ' Spin ', minutes: '2', ranking: 'work', steps: [row, row] }), {
    title: 'Spin', length_s: 300, ranking: 'work', steps: [{ length_s: 150, cadence_min_rpm: 80, power_max_w: 200 }, { length_s: 150, cadence_min_rpm: 80, power_max_w: 200 }],
  })
  assert.deepEqual(lessonRequest({ title: 'Few', minutes: '5', ranking: 'work', steps: [] }, ['bike-1']).devices, ['bike-1'])
  // Without a target nobody is in it.
  assert.deepEqual(lessonRequest({ title: 'Free', minutes: '45', ranking: 'time_in_target', steps: [] }), { title: 'Free', length_s: 2700, ranking: 'distance' })
})

test('no name becomes a formula or another column of the file', () => {
  const [, line] = lessonsCSV([lessonOf(said({ title: 'A, "B"', riders: [{ device: 'b-1', name: '=cmd()', team: '-x', rank: 1 }] }))]).split('\r\n')
  assert.equal(line, `1970-01-01T00:16:40.000Z,"A, ""B""",600,distance,1,"'=cmd()","'-x",,,`)
})

test('a class has lasted until it was ended, and its teams are told in their order', () => {
  assert.deepEqual([{}, { ended: 1_090 }, { ended: 9_999 }].map((more) => lessonOf(said(more)).lasted_s), [600, 90, 600])
  const lesson = lessonOf(said({ ranking: 'distance', teams: [{ team: 'Blue', rank: 2 }, { team: 'Red', rank: 1, distance_m: 5 }] }))
  assert.equal(teamWords(lesson, { distance: (metres) => `${metres} m` }), '1. Red 5 m · 2. Blue –')
})
