// What a device counted today: history's day, and what the counter has counted since. No I/O and no clock.
import { isNumber } from './gym.js'

/** The length of a day without a change of clocks, and the most that one changes it by, s. */
const DAY_SECONDS = 86_400
const CLOCK_CHANGE_SECONDS = 3600
/** A pause in which history takes all that was counted, s. */
const PAUSE_SECONDS = 15
/** The most that history may still lack when the first report comes, in counts: what is made in that time. */
const MAXIMUM_UNSAID = 75

/**
 * Today's count of one kind, steps or revolutions.
 *
 * History's day and its total are of one commit: what lies between them is what the total was at the device's midnight.
 * The counter's total goes on before history's. It may also be ahead for good, by what was forgotten since or was told
 * twice; by how much is seen when the device moves again after a pause. So today is the counter's total less both: it
 * waits for no commit, is never less than what stands beside it, and within a day it never falls.
 */
export class TodayCount {
  /** @param {'steps' | 'revolutions'} kind */
  constructor(kind) {
    this.kind = kind
    /** @type {Record<string, any> | null} */
    this.day = null
    /** @type {Record<string, any> | null} */
    this.total = null
    /** The counter's total, and the time of the report that told it. */
    this.live = NaN
    this.liveSeconds = NaN
    /** How far the counter's total is ahead of history's for good. */
    this.lead = 0
    /** The most of the counter's total that is of another day or forgotten. Only history's day makes it less: its total
     * does not say which counts it has, as history may take later ones first. */
    this.notToday = NaN
    /** History's total at the device's midnight. */
    this.atMidnight = NaN
    /** Whether history has said a total since the last report. */
    this.isSaid = false
    /** The first instant of the day, where the one before is known, and the first after it, s since 1970. */
    this.start = -Infinity
    this.end = NaN
    this.shown = NaN
  }

  /** Today's count; undefined before history has said one. */
  get count() {
    return Number.isNaN(this.shown) ? undefined : this.shown
  }

  /**
   * Whether a time is one of this day, as far as is certain.
   *
   * @param {number} seconds since 1970
   */
  isOfDay = (seconds) => seconds >= this.end - DAY_SECONDS + CLOCK_CHANGE_SECONDS && seconds < this.end

  /** @param {Record<string, any>} day what history retains; one without fields is a day that was taken back */
  takeDay(day) {
    if (!isNumber(day[this.kind])) {
      this.day = null
      this.atMidnight = this.notToday = this.shown = NaN
      return
    }
    const end = isNumber(day.end) ? day.end : NaN
    // History is behind: this day is over by the counter's own time.
    if (end < this.end - DAY_SECONDS / 2) return
    // A day that was not foreseen: all that was told before it is of another.
    if (day.date !== this.day?.date && !(end < this.end + DAY_SECONDS / 2)) {
      this.atMidnight = this.shown = NaN
      const usual = end - DAY_SECONDS
      this.start = Math.abs(this.end - usual) <= CLOCK_CHANGE_SECONDS ? this.end : isNumber(usual) ? usual : -Infinity
      this.notToday = this.liveSeconds < this.start ? this.live : NaN
    }
    // What was counted has been forgotten.
    if (day.date === this.day?.date && day[this.kind] < this.day?.[this.kind]) {
      this.shown = NaN
      this.notToday += this.day?.[this.kind] - day[this.kind]
    }
    this.notToday = Math.min(this.notToday, this.live - day[this.kind])
    this.day = day
    this.end = end
    this.#join()
  }

  /** @param {Record<string, any>} total what history retains */
  takeTotal(total) {
    const value = total[this.kind]
    if (!isNumber(value)) return
    // The counter's total stays when something is forgotten.
    if (this.total) this.lead += Math.max(0, this.total[this.kind] - value)
    else if (isNumber(this.live)) this.#begin(this.live - value)
    this.total = total
    this.isSaid = true
    this.#join()
  }

  /**
   * Takes a total of the counter.
   *
   * @param {number} value
   * @param {number} seconds when, since 1970
   * @param {number} [added] what the report says that was counted since the one before
   */
  takeLive(value, seconds, added) {
    const isFirst = Number.isNaN(this.live)
    const before = isFirst ? value - (added ?? 0) : this.live
    const since = isFirst ? seconds : this.liveSeconds
    if (this.total) {
      const total = this.total[this.kind]
      if (isFirst) this.#begin(before - total)
      else if (this.isSaid && seconds - since >= PAUSE_SECONDS) {
        this.lead = added === undefined ? Math.max(this.lead, before - total) : value - added - total
      }
      this.lead = Math.min(this.lead, value - total)
    }
    this.live = value
    this.liveSeconds = Math.max(seconds, since)
    this.isSaid = false
    if (Number.isNaN(this.notToday)) this.notToday = this.atMidnight + this.lead
    if (seconds >= this.end && seconds < this.end + DAY_SECONDS) {
      // The device's midnight has passed, and history has said nothing of the new day yet. What is reported over midnight
      // is taken for yesterday's.
      this.atMidnight = value - this.lead
      this.start = this.end
      this.end += DAY_SECONDS
      this.notToday = value
      this.shown = 0
      this.day = null
    } else {
      // What came late may be of another day, and what is of another time is: history will say.
      const growth = Math.max(0, value - before)
      const sure = since >= this.start && !(seconds >= this.end) ? Math.min(growth, added ?? growth) : 0
      this.notToday += growth - sure
    }
    this.#show()
  }

  /** The first of both totals are known: a little more than history's may be on the way to it.
   * @param {number} unsaid */
  #begin(unsaid) {
    this.lead = Math.abs(unsaid) <= MAXIMUM_UNSAID ? 0 : unsaid
  }

  #join() {
    const { day, total, kind } = this
    // A day of a later commit than the total waits for it.
    if (day && total && !(day.revision > total.revision)) this.atMidnight = total[kind] - day[kind]
    this.#show()
  }

  #show() {
    const sinceMidnight = this.live - Math.max(this.atMidnight + this.lead, this.notToday || 0)
    const known = [this.shown, this.day?.[this.kind], sinceMidnight].filter(isNumber)
    if (known.length) this.shown = Math.max(...known)
  }
}
