import assert from 'node:assert/strict'
import test from 'node:test'
import { Framer, WallTime } from '../../../Sources/Page/capture.js'
import { addDays, neighbour, periodOf, todayOf } from '../../../Sources/Page/period.js'

test('a phone that slept has the right time again once its page is in front', () => {
  const wall = new WallTime(1_000_000, 0)
  assert.equal(wall.seconds(500), 1000.5)
  // An hour asleep: the page's clock stood.
  wall.renew(1_000_600 + 3_600_000, 600)
  assert.equal(wall.seconds(600), 1000.6 + 3600)
})

test('a clock that is set little by little tears no frame', () => {
  const wall = new WallTime(1_000_000, 0)
  wall.renew(1_060_400, 60_000)
  assert.equal(wall.seconds(60_000), 1060)
})

test('a frame is half a second of readings of the same sensors, without a gap, numbered from 0', () => {
  const framer = new Framer()
  const reading = (timeSeconds, gyro = null) => ({ timeSeconds, acc: [0, 0, 9.8], gyro })
  const frames = []
  for (let i = 0; i < 60; i += 1) frames.push(framer.take(reading(100 + i / 50)))
  const whole = frames.filter(Boolean)
  assert.deepEqual(whole.map(({ seq }) => seq), [0, 1])
  assert.equal(whole[0].acc.length, 25)
  assert.equal(whole[0].dt_ms.length, 24)
  assert.equal(framer.take(reading(103)).acc.length, 10)
  assert.equal(framer.take(reading(103.02, [0, 0, 1])).acc.length, 1)
  assert.equal(framer.finish().gyro.length, 1)
  assert.equal(framer.finish(), null)
})

test('today is the date of the day record until its day ends, and then the next', () => {
  const day = { date: '2026-03-28', end: 1_774_756_800 }
  assert.equal(todayOf(day.end - 1, 'Europe/Berlin', day), '2026-03-28')
  assert.equal(todayOf(day.end, 'Europe/Berlin', day), '2026-03-29')
  assert.equal(todayOf(day.end + 86_400, 'Europe/Berlin', day), '2026-03-30')
})

test('without a day record today is the date of the zone', () => {
  const seconds = Date.UTC(2026, 10, 26, 23, 30) / 1000
  assert.equal(todayOf(seconds, 'UTC', null), '2026-11-26')
  assert.equal(todayOf(seconds, 'Europe/Berlin', null), '2026-11-27')
  assert.equal(todayOf(seconds, 'UTC', { date: 'yesterday', end: 7 }), '2026-11-26')
})

test('periods are whole and meet', () => {
  for (const span of ['day', 'week', 'month', 'year']) {
    for (let i = 0; i < 800; i += 1) {
      const period = periodOf(span, addDays('2027-12-20', i))
      assert.ok(period.from <= addDays('2027-12-20', i) && addDays('2027-12-20', i) < period.to)
      assert.deepEqual(neighbour(neighbour(period, 1), -1), period)
      assert.equal(neighbour(period, 1).from, period.to)
    }
  }
})
