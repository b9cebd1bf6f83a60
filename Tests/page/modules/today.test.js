import assert from 'node:assert/strict'
import test from 'node:test'
import { SessionCount } from '../../../Sources/Page/session.js'
import { TodayCount } from '../../../Sources/Page/today.js'

const END = 1_800_000_000

test('today goes on with what the counter counts, and is never less than a commit or what it was', () => {
  const today = new TodayCount('steps')
  assert.equal(today.count, undefined)
  today.takeDay({ date: '2027-01-15', steps: 251, revision: 7, end: END })
  assert.equal(today.count, 251)
  today.takeTotal({ steps: 251, revision: 7 })
  today.takeLive(273, END - 5000)
  assert.equal(today.count, 273)
  // The commit of the day comes before that of the total: nothing is counted twice.
  today.takeDay({ date: '2027-01-15', steps: 273, revision: 8, end: END })
  today.takeLive(275, END - 4999)
  assert.equal(today.count, 275)
  today.takeTotal({ steps: 273, revision: 8 })
  assert.equal(today.count, 275)
  today.takeLive(280, END - 4998)
  assert.equal(today.count, 280)
})

test('late steps of another day are not today’s', () => {
  const today = new TodayCount('revolutions')
  today.takeTotal({ revolutions: 1000, revision: 3 })
  today.takeDay({ date: '2027-01-15', revolutions: 40, revision: 3, end: END })
  today.takeLive(1010, END - 9000)
  assert.equal(today.count, 50)
  // Yesterday had 200 more: they are in the total, and in no day of today's.
  today.takeTotal({ revolutions: 1210, revision: 4 })
  today.takeLive(1215, END - 8000)
  assert.equal(today.count, 50)
  today.takeDay({ date: '2027-01-15', revolutions: 50, revision: 5, end: END })
  today.takeTotal({ revolutions: 1210, revision: 5 })
  assert.equal(today.count, 55)
})

test('at midnight it begins with 0, before history has said so', () => {
  const today = new TodayCount('steps')
  today.takeDay({ date: '2027-01-15', steps: 100, revision: 1, end: END })
  today.takeTotal({ steps: 100, revision: 1 })
  today.takeLive(110, END - 1)
  // The report that reaches over midnight may be of before.
  today.takeLive(112, END + 1)
  assert.equal(today.count, 0)
  today.takeLive(114, END + 2)
  assert.equal(today.count, 2)
  today.takeDay({ date: '2027-01-15', steps: 110, revision: 2, end: END })
  assert.equal(today.count, 2)
  today.takeTotal({ steps: 112, revision: 3 })
  today.takeDay({ date: '2027-01-16', steps: 2, revision: 3, end: END + 86_400 })
  // Which 2 counts history lacks is not known: they may be the last ones of yesterday.
  assert.equal(today.count, 2)
  today.takeDay({ date: '2027-01-16', steps: 4, revision: 4, end: END + 86_400 })
  today.takeLive(115, END + 3)
  assert.equal(today.count, 5)
  today.takeDay({})
  assert.equal(today.count, undefined)
})

test('a device that is new has as much today as in all, whenever somebody begins to look', () => {
  const today = new TodayCount('steps')
  today.takeDay({ date: '2027-01-15', steps: 9, revision: 1, end: END })
  today.takeTotal({ steps: 9, revision: 1 })
  today.takeLive(20, END - 5000, 2)
  assert.equal(today.count, 20)
  today.takeLive(273, END - 4990, 2)
  assert.equal(today.count, 22)
  // What a lost report said, history says.
  today.takeDay({ date: '2027-01-15', steps: 273, revision: 2, end: END })
  today.takeTotal({ steps: 273, revision: 2 })
  today.takeLive(275, END - 4989, 2)
  assert.equal(today.count, 275)
})

test('what was forgotten is not counted today, though the counter’s total still has it', () => {
  const today = new TodayCount('steps')
  today.takeDay({ date: '2027-01-15', steps: 300, revision: 7, end: END })
  today.takeTotal({ steps: 5000, revision: 7 })
  today.takeLive(5002, END - 5000, 2)
  assert.equal(today.count, 302)
  today.takeDay({ date: '2027-01-15', steps: 202, revision: 9, end: END })
  today.takeTotal({ steps: 3902, revision: 9 })
  today.takeLive(5004, END - 4000, 2)
  assert.equal(today.count, 204)
  const later = new TodayCount('steps')
  later.takeTotal({ steps: 3904, revision: 10 })
  later.takeDay({ date: '2027-01-15', steps: 204, revision: 10, end: END })
  later.takeLive(5006, END - 3000, 2)
  assert.equal(later.count, 206)
})

test('a day of 23 hours takes the place of the one that was foreseen', () => {
  const today = new TodayCount('steps')
  today.takeTotal({ steps: 100, revision: 1 })
  today.takeDay({ date: '2027-01-15', steps: 100, revision: 1, end: END })
  today.takeLive(100, END + 1)
  today.takeDay({ date: '2027-01-16', steps: 7, revision: 2, end: END + 82_800 })
  assert.equal(today.count, 7)
})

test('a session that began today has no more than today', () => {
  const count = new SessionCount()
  count.takeDay({ date: '2027-01-15', steps: 17, revolutions: 0, revision: 1, end: END })
  count.begin(END - 3600)
  count.takeSteps({ t: END - 3500, steps: 22, new_steps: 22 })
  assert.equal(count.steps, 22)
  assert.equal(count.todayCount('steps'), 22)
})
