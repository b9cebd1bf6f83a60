// What a device counted today: history's day, and what the counter has counted since. No I/O and no clock.
import { isNumber } from './gym.js'

/** The length of a day without a change of clocks, s. */
const DAY_SECONDS = 86_400
/** The shortest day, one with a change of clocks, s. */
const SHORTEST_DAY_SECONDS = 23 * 3600

/**
 * Today's count of one kind, steps or revolutions.
 *
 * History's day and its total are of one commit, and what lies between them is what the total was at the device's
 * midnight. So today is the live total less that, it waits for no commit, and within a day it never falls.
 */
export class TodayCount {
  /** @param {'steps' | 'revolutions'} kind */
  constructor(kind) {
    this.kind = kind
    /** @type {Record<string, any> | null} */
    this.day = null
    /** @type {Record<string, any> | null} */
    this.total = null
    /** The newest total of the counter, and its time. */
    this.live = NaN
    /** The total at the device's midnight. */
    this.atMidnight = NaN
    /** When the day ends, s since 1970. */
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
  isOfDay = (seconds) => seconds >= this.end - SHORTEST_DAY_SECONDS && seconds < this.end

  /** @param {Record<string, any>} day what history retains; one without fields is a day that was taken back */
  takeDay(day) {
    if (!isNumber(day[this.kind])) {
      this.day = null
      this.atMidnight = this.shown = NaN
      return
    }
    // History is behind: this day is over by the counter's own time.
    if (isNumber(day.end) && day.end < this.end) return
    if (day.date !== this.day?.date && !(isNumber(day.end) && Math.abs(day.end - this.end) < DAY_SECONDS / 2)) {
      this.atMidnight = this.shown = NaN
    }
    this.day = day
    this.end = isNumber(day.end) ? day.end : NaN
    this.#join()
  }

  /** @param {Record<string, any>} total what history retains */
  takeTotal(total) {
    if (!isNumber(total[this.kind])) return
    this.total = total
    this.#join()
  }

  /**
   * Takes a total of the counter.
   *
   * @param {number} total
   * @param {number} seconds when, since 1970
   */
  takeLive(total, seconds) {
    if (seconds >= this.end && seconds < this.end + DAY_SECONDS && isNumber(this.live)) {
      // The device's midnight has passed, and history has said nothing of the new day yet.
      this.atMidnight = this.live
      this.end += DAY_SECONDS
      this.shown = 0
      this.day = null
    }
    this.live = Math.max(this.live || 0, total)
    this.#show()
  }

  #join() {
    const { day, total, kind } = this
    // A day of a later commit than the total waits for it.
    if (day && total && !(day.revision > total.revision)) {
      this.atMidnight = total[kind] - day[kind]
      this.live = Math.max(this.live || 0, total[kind])
    }
    this.#show()
  }

  #show() {
    const known = [this.shown, this.day?.[this.kind], this.live - this.atMidnight].filter(isNumber)
    if (known.length) this.shown = Math.max(...known)
  }
}
