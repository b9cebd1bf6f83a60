// What the counter and history say about one session of a device. No I/O and no clock: time is given.
import { isNumber } from './gym.js'
import { TodayCount } from './today.js'

/** The counts of a session, from totals that only grow. */
export class SessionCount {
  constructor() {
    /** @type {Record<string, any> | null} */
    this.cadence = null
    this.cadenceAtMs = -Infinity
    this.today = { steps: new TodayCount('steps'), revolutions: new TodayCount('revolutions') }
    /** @type {Record<string, any>} */
    this.config = {}
    /** @type {number | undefined} */
    this.pace = undefined
    /** Totals for ever: now, and when the session began. */
    this.now = { steps: 0, revolutions: 0, distance: NaN }
    this.before = { ...this.now }
    /** When the session began, s since 1970. */
    this.beganSeconds = NaN
    /** Whether a message of the counter has come. */
    this.hasTold = false
  }

  /** @param {number} nowSeconds since 1970 */
  begin(nowSeconds) {
    this.beganSeconds = nowSeconds
    this.before = { ...this.now }
    this.pace = undefined
    this.cadence = null
  }

  get value() {
    return this.cadence?.cadence_rpm ?? this.cadence?.cadence_spm
  }

  get steps() {
    return Math.max(0, this.now.steps - this.before.steps)
  }

  get revolutions() {
    return Math.max(0, this.now.revolutions - this.before.revolutions)
  }

  /**
   * Today's count, which is never less than the session's where that began today.
   *
   * @param {'steps' | 'revolutions'} kind
   */
  todayCount(kind) {
    const { count, isOfDay } = this.today[kind]
    const session = this[kind]
    return count === undefined || !isOfDay(this.beganSeconds) ? count : Math.max(count, session)
  }

  /** Metres, or undefined where the length of a stride or turn is not known. */
  get distance() {
    const { metres_per_revolution } = this.config
    if (isNumber(metres_per_revolution)) return this.revolutions * metres_per_revolution
    const metres = this.now.distance - (this.before.distance || 0)
    return Number.isNaN(metres) ? undefined : Math.max(0, metres)
  }

  /**
   * @param {Record<string, any>} cadence
   * @param {number} nowMs
   */
  takeCadence(cadence, nowMs) {
    this.cadence = cadence
    this.cadenceAtMs = nowMs
    if (!isNumber(cadence.revolutions)) return
    this.today.revolutions.takeLive(cadence.revolutions, cadence.t)
    this.hasTold = true
    this.now.revolutions = Math.max(this.now.revolutions, cadence.revolutions)
  }

  /**
   * @param {Record<string, any>} payload
   */
  takeSteps({ t, steps, new_steps, distance_m, pace_s_per_m }) {
    if (isNumber(steps) && isNumber(new_steps)) {
      this.today.steps.takeLive(steps, t, new_steps)
      // The first message names the steps before it.
      if (!this.hasTold) this.before.steps = steps - new_steps
      this.now.steps = steps
      this.hasTold = true
    }
    if (isNumber(distance_m)) this.now.distance = distance_m
    this.pace = pace_s_per_m
  }

  /**
   * Takes history's day.
   *
   * @param {Record<string, any>} payload
   */
  takeDay(payload) {
    for (const today of Object.values(this.today)) today.takeDay(payload)
  }

  /**
   * Takes history's totals, which are behind the counter's, until the first message of the counter.
   *
   * @param {Record<string, any>} payload
   */
  takeTotal(payload) {
    const { steps, revolutions, distance_m } = payload
    for (const today of Object.values(this.today)) today.takeTotal(payload)
    if (this.hasTold || !isNumber(steps) || !isNumber(revolutions)) return
    this.now = { steps, revolutions, distance: distance_m > 0 ? distance_m : NaN }
    this.before = { ...this.now }
  }
}
