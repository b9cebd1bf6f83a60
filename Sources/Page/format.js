// Numbers, lengths and times as the reader writes them.

/** @typedef {'metric' | 'imperial'} Units */

const METRES_PER_MILE = 1609.344
export const METRES_PER_INCH = 0.0254

/**
 * What people read miles and feet by default.
 *
 * @param {string} locale
 * @returns {Units}
 */
export function unitsOf(locale) {
  return /-(US|GB|LR|MM)\b/i.test(locale) ? 'imperial' : 'metric'
}

/** Formats in one locale and one system of units. */
export class Format {
  /**
   * @param {string} locale
   * @param {Units} units
   */
  constructor(locale, units) {
    this.locale = locale
    this.units = units
    this.whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
    this.tenth = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
    this.hundredth = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    this.share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
    this.clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
    this.clockSeconds = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
  }

  /** @param {number} value */
  count(value) {
    return this.whole.format(value)
  }

  /**
   * `12.4 km` or `7.7 mi`; below a kilometre metres or feet.
   *
   * @param {number} metres
   */
  distance(metres) {
    if (this.units === 'imperial') {
      const miles = metres / METRES_PER_MILE
      return miles < 0.1 ? `${this.count(metres / 0.3048)} ft` : `${this.hundredth.format(miles)} mi`
    }
    return metres < 1000 ? `${this.count(metres)} m` : `${this.hundredth.format(metres / 1000)} km`
  }

  /**
   * `5:12 min/km` or `8:22 min/mi`.
   *
   * @param {number} secondsPerMetre
   */
  pace(secondsPerMetre) {
    const [metres, unit] = this.units === 'imperial' ? [METRES_PER_MILE, 'min/mi'] : [1000, 'min/km']
    const seconds = Math.round(secondsPerMetre * metres)
    if (!(seconds > 0 && seconds < 6000)) return '–'
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} ${unit}`
  }

  /**
   * `30.8 km/h` or `19.1 mph`.
   *
   * @param {number} metresPerSecond
   */
  speed(metresPerSecond) {
    return this.units === 'imperial'
      ? `${this.tenth.format((metresPerSecond * 3600) / METRES_PER_MILE)} mph`
      : `${this.tenth.format(metresPerSecond * 3.6)} km/h`
  }

  /**
   * `1 h 04 min`, `12 min` or `45 s`.
   *
   * @param {number} seconds
   */
  duration(seconds) {
    if (seconds < 60) return `${this.count(Math.floor(seconds))} s`
    const minutes = Math.floor(seconds / 60)
    if (minutes < 60) return `${minutes} min`
    return `${this.count(Math.floor(minutes / 60))} h ${String(minutes % 60).padStart(2, '0')} min`
  }

  /**
   * A stopwatch's `0:12:05`.
   *
   * @param {number} seconds
   */
  stopwatch(seconds) {
    const two = (/** @type {number} */ value) => String(Math.floor(value)).padStart(2, '0')
    return `${Math.floor(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`
  }

  /**
   * An instant's clock time, in a zone where one is given.
   *
   * @param {number} seconds since 1970
   * @param {string} [zone]
   */
  time(seconds, zone) {
    if (!zone) return this.clock.format(seconds * 1000)
    return new Intl.DateTimeFormat(this.locale, { hour: '2-digit', minute: '2-digit', timeZone: zone }).format(
      seconds * 1000)
  }

  /**
   * The hour of an instant in a zone, `9` or `9 AM`.
   *
   * @param {number} seconds since 1970
   * @param {string} zone
   */
  hour(seconds, zone) {
    return new Intl.DateTimeFormat(this.locale, { hour: 'numeric', timeZone: zone }).format(seconds * 1000)
  }

  /**
   * A calendar date such as `2026-11-20`.
   *
   * @param {string} date
   * @param {Intl.DateTimeFormatOptions} options
   */
  date(date, options) {
    return new Intl.DateTimeFormat(this.locale, { ...options, timeZone: 'UTC' }).format(new Date(`${date}T12:00:00Z`))
  }
}
