// The prototype's rule: low-pass, quantise, count local maxima in a window of 5 s at 30 Hz. The same numbers as the
// estimator `prototype` of the counter, which works in single precision, and so does this.

/** Values a second. */
export const RATE_HZ = 30
/** Values of a window of 5 s. */
const WINDOW = 150
export const WINDOW_SECONDS = 5
/** The window is counted each time so many values have come. */
const EVALUATION = 30
/** After a longer pause, µs, the signal begins anew. */
const GAP_MICROSECONDS = 1_000_000

const single = Math.fround

/**
 * Truncates towards zero after multiplying.
 *
 * @param {number} value
 * @param {number} levels
 */
function quantise(value, levels) {
  const product = Math.trunc(single(value * levels))
  return Number.isFinite(product) ? Math.min(Math.max(product, -1e9), 1e9) : 0
}

/**
 * The maxima of a window: a value smaller than the last while ascending is one, and every window starts ascending with
 * a last of 0. So its beginning may count as one where the signal falls: such a maximum has `isEdge`.
 *
 * @param {ArrayLike<number>} values
 * @returns {{ index: number, isEdge: boolean }[]} each with the last index before the fall
 */
function maximaIn(values) {
  const found = []
  let [isAscending, hasRisen, last] = [true, false, 0]
  for (let i = 0; i < values.length; i += 1) {
    if (values[i] < last && isAscending) {
      found.push({ index: Math.max(0, i - 1), isEdge: !hasRisen })
      isAscending = false
    } else if (values[i] > last) {
      isAscending = true
      hasRisen ||= i > 0
    }
    last = values[i]
  }
  return found
}

/** The rule at work on one axis of a signal. */
export class Prototype {
  /**
   * @param {number} factor `f` of `y = f·last + (1 − f)·new`, 0.75 to 1
   * @param {number} levels `q`, 1 to 600
   */
  constructor(factor, levels) {
    this.factor = single(factor)
    this.levels = levels
    /** @type {number[]} */
    this.quantised = []
    /**
     * The filtered value at each of `times`, for drawing.
     * @type {number[]}
     */
    this.filtered = []
    /** @type {number[]} */
    this.times = []
    /** Peaks at the newest evaluation. */
    this.peaks = 0
    this.last = NaN
    this.sinceEvaluation = 0
    this.lastTime = -1
    this.lastValue = 0
    this.nextIndex = 0
  }

  /** Revolutions a minute at the newest evaluation. */
  get rpm() {
    return (this.peaks * 60) / WINDOW_SECONDS
  }

  /**
   * Takes the next sample; between samples the signal is a straight line.
   *
   * @param {number} timeMicroseconds whole
   * @param {number} value
   */
  take(timeMicroseconds, value) {
    if (this.lastTime >= 0 && timeMicroseconds - this.lastTime > GAP_MICROSECONDS) {
      Object.assign(this, new Prototype(this.factor, this.levels), { nextIndex: this.nextIndex })
    }
    const isFirst = this.lastTime < 0
    const start = isFirst ? timeMicroseconds : this.lastTime
    if (isFirst) this.lastValue = value
    this.nextIndex = Math.max(this.nextIndex, Math.floor((start * 3 + 99_999) / 100_000))
    for (;;) {
      const at = Math.floor((this.nextIndex * 100_000) / 3)
      if (at > timeMicroseconds) break
      const fraction = timeMicroseconds > start
        ? single(single(at - start) / single(timeMicroseconds - start)) : 1
      this.feed(at, single(this.lastValue + single(single(value - this.lastValue) * fraction)))
      this.nextIndex += 1
    }
    this.lastTime = timeMicroseconds
    this.lastValue = value
  }

  /**
   * @param {number} timeMicroseconds
   * @param {number} value
   */
  feed(timeMicroseconds, value) {
    this.last = Number.isNaN(this.last)
      ? value : single(single(this.factor * this.last) + single(single(1 - this.factor) * value))
    this.times.push(timeMicroseconds / 1e6)
    this.filtered.push(this.last)
    this.quantised.push(quantise(this.last, this.levels))
    if (this.quantised.length > 40 * WINDOW) this.forget(20 * WINDOW)
    this.sinceEvaluation += 1
    if (this.sinceEvaluation < EVALUATION) return
    this.sinceEvaluation = 0
    this.peaks = maximaIn(this.quantised.slice(-WINDOW)).length
  }

  /**
   * @param {number} count
   */
  forget(count) {
    this.times.splice(0, count)
    this.filtered.splice(0, count)
    this.quantised.splice(0, count)
  }

  /** The times and filtered values of the peaks in the window now. */
  get marks() {
    const start = Math.max(0, this.quantised.length - WINDOW)
    return maximaIn(this.quantised.slice(start)).map(({ index, isEdge }) =>
      ({ x: this.times[start + index], y: this.filtered[start + index], isHollow: isEdge }))
  }
}
