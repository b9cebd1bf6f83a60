// The workouts of a period: a line each, with a small trace, and the way to begin and end one.
import { RequestError } from './bus.js'
import { tone } from './charts.js'
import { h, replace, setText } from './dom.js'
import { isNumber } from './gym.js'
import { dateIn } from './period.js'
import { Canvas, drawTrace } from './waves.js'
import { askWorkouts, titleOf, unitOf } from './workouts.js'

/** @typedef {import('./workouts.js').Workout} Workout */

/** A minute without a cadence tears the small trace, ms. */
const GAP_MS = 90_000
/** Room above the highest cadence of a small trace. */
const HEADROOM = 1.15

/** One workout's line. */
class Row {
  /** @param {WorkoutList} list @param {Workout} workout */
  constructor(list, workout) {
    const { format } = list.app
    const { start, end, moving_s: moving, distance_m: distance, persons = [], devices = [] } = workout
    const unit = unitOf(workout)
    const [cadence, watts, bpm] = [workout[`cadence_avg_${unit}`], workout.power_avg_w, workout.heart_avg_bpm]
    const others = list.whose.person === undefined ? persons : devices
    const facts = [
      distance > 0 && format.distance(distance), format.duration(moving), isNumber(cadence) && `${format.count(cadence)} ${unit}`,
      isNumber(watts) && `${format.count(watts)} W`, isNumber(bpm) && `${format.count(bpm)} bpm`,
    ].filter(Boolean)
    const element = h('canvas', { 'aria-hidden': 'true' })
    this.list = list
    this.workout = workout
    /** @type {{ atMs: number, value: number }[]} */
    this.points = []
    this.canvas = new Canvas(element)
    this.canvas.onResize = () => this.draw()
    this.element = h('li', { 'data-workout': workout.id },
      h('div', { class: 'trace' }, element),
      h('a', { href: `#${['history', list.who, 'workout', workout.id].map(encodeURIComponent).join('/')}` }, titleOf(workout)),
      h('span', { class: 'when' }, list.isOfDay ? '' : `${format.date(dateIn(start, list.zone), { weekday: 'short', day: 'numeric', month: 'short' })}, `,
        `${format.time(start, list.zone)} – ${format.time(end, list.zone)}`, others.length > 0 && ` · ${others.join(', ')}`),
      h('span', { class: 'facts' }, facts.join(' · ')))
  }

  /** Asks for the cadences of its minutes, which a small trace has room for; once, while the workout stays as it is. */
  async load() {
    const { traces, whose, app } = this.list
    const { start, end } = this.workout
    const [known, key] = [JSON.stringify(this.workout), `cadence_avg_${unitOf(this.workout)}`]
    if (!traces.has(known)) {
      const range = { from: Math.floor(start / 60) * 60, to: Math.ceil(end / 60) * 60 }
      const { buckets } = await app.bus.requestAll('history/series', { ...whose, ...range, bucket: 'minute' }, 'buckets')
      traces.set(known, buckets.flatMap((/** @type {any} */ bucket) => isNumber(bucket[key]) ? [{ atMs: (bucket.start + 30) * 1000, value: bucket[key] }] : []))
    }
    this.points = traces.get(known) ?? []
    this.draw()
  }

  draw() {
    if (this.points.length === 0) return
    const { start, end, kind } = this.workout
    drawTrace(this.canvas, this.points, {
      nowMs: end * 1000, spanMs: Math.max(1, end - start) * 1000, gapMs: GAP_MS, colour: tone(kind === 'ride' ? '--cycling' : kind === 'run' ? '--running' : '--walking'),
      top: HEADROOM * Math.max(...this.points.map(({ value }) => value)),
    })
  }
}

/** The list. */
export class WorkoutList {
  /**
   * @param {import('./app.js').App} app @param {string} who a device's id, or `@` and a person's name
   * @param {{ device?: string, person?: string }} whose the same, as history is asked
   * @param {boolean} isOfDay whether the period is a day, whose date need not be said again
   */
  constructor(app, who, whose, isOfDay) {
    this.app = app
    this.who = who
    this.whose = whose
    this.isOfDay = isOfDay
    /** @type {string | undefined} */
    this.zone = undefined
    /** @type {Row[]} */
    this.rows = []
    this.shownText = ''
    /** @type {Map<string, { atMs: number, value: number }[]>} */
    this.traces = new Map()
    /** Counts up with each question: an answer to an older one is not shown. */
    this.questions = 0
    this.items = h('ul', { class: 'workout-list' })
    this.words = h('p', { class: 'hint', role: 'status' })
    this.element = h('section', { class: 'panel', 'aria-label': 'Workouts', hidden: true },
      h('div', { class: 'panel-head' }, h('h2', {}, 'Workouts'), h('div', { class: 'row' },
        h('button', { onclick: () => this.mark('start') }, 'Start a workout'), h('button', { onclick: () => this.mark('stop') }, 'Finish it'))),
      this.items, this.words)
  }

  stop() {
    this.questions += 1
    for (const row of this.rows.splice(0)) row.canvas.release()
  }

  recolour() {
    for (const row of this.rows) row.draw()
  }

  /** @param {{ from: string, to: string }} period @param {string | undefined} zone */
  async load(period, zone) {
    const question = ++this.questions
    this.zone = zone
    try {
      const workouts = await askWorkouts(this.app.bus, /** @type {any} */ (this.whose), period)
      const text = JSON.stringify([workouts, zone])
      if (question !== this.questions || text === this.shownText) return
      this.shownText = text
      for (const row of this.rows.splice(0)) row.canvas.release()
      this.rows.push(...workouts.map((workout) => new Row(this, workout)))
      replace(this.items, ...this.rows.map(({ element }) => element))
      setText(this.words, workouts.length === 0 ? 'No workout: at least three minutes in motion, without a longer pause than five minutes, are one.' : '')
      this.element.hidden = false
      // One after the other: a year has many, and the first ones are looked at first.
      for (const row of this.rows) {
        await row.load()
        if (question !== this.questions) return
      }
    } catch (error) {
      if (question !== this.questions) return
      this.shownText = ''
      // Who may not ask for workouts sees none.
      if (error instanceof RequestError && error.code !== 'timeout') this.element.hidden = true
    }
  }

  /** @param {'start' | 'stop'} kind */
  async mark(kind) {
    try {
      await this.app.bus.request(`workouts/${kind}`, this.whose)
      setText(this.words, kind === 'start'
        ? `Started at ${this.app.format.clockSeconds.format(Date.now())}. It stands here once something of it was counted.`
        : `Finished at ${this.app.format.clockSeconds.format(Date.now())}.`)
    } catch (error) {
      setText(this.words, `Not taken: ${error instanceof Error ? error.message : error}`)
    }
  }
}
