// Days, weeks, months and years as local dates, without a clock and without a zone.

/** @typedef {'day' | 'week' | 'month' | 'year'} Span */

/**
 * A stretch of whole local days: `to` is not included.
 *
 * @typedef {{ span: Span, from: string, to: string }} Period
 */

/**
 * The buckets whose bars make up a period.
 *
 * @type {Record<Span, 'hour' | 'day' | 'month'>}
 */
export const BUCKET_OF = { day: 'hour', week: 'day', month: 'day', year: 'month' }

/** @type {(date: string) => Date} */
const parse = (date) => new Date(`${date}T00:00:00Z`)
/** @type {(date: Date) => string} */
const write = (date) => date.toISOString().slice(0, 10)

/** @param {string} text */
export function isDate(text) {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(parse(text).getTime())
}

/**
 * @param {string} date
 * @param {number} days
 */
export function addDays(date, days) {
  const day = parse(date)
  day.setUTCDate(day.getUTCDate() + days)
  return write(day)
}

/**
 * The period of a span that a date is in. Weeks begin on the locale's first day, 1 for Monday to 7.
 *
 * @param {Span} span
 * @param {string} date
 * @param {number} [firstDay]
 * @returns {Period}
 */
export function periodOf(span, date, firstDay = 1) {
  const day = parse(date)
  switch (span) {
    case 'day':
      return { span, from: date, to: addDays(date, 1) }
    case 'week': {
      const from = addDays(date, -((day.getUTCDay() - firstDay + 7) % 7))
      return { span, from, to: addDays(from, 7) }
    }
    case 'month':
      return {
        span, from: write(new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1))),
        to: write(new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1))),
      }
    case 'year':
      return { span, from: `${day.getUTCFullYear()}-01-01`, to: `${day.getUTCFullYear() + 1}-01-01` }
  }
}

/**
 * The period before or after.
 *
 * @param {Period} period
 * @param {-1 | 1} direction
 * @param {number} [firstDay]
 */
export function neighbour({ span, from, to }, direction, firstDay = 1) {
  return periodOf(span, direction < 0 ? addDays(from, -1) : to, firstDay)
}

/**
 * The local date of an instant in a zone.
 *
 * @param {number} seconds since 1970
 * @param {string} [zone]
 */
export function dateIn(seconds, zone) {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    seconds * 1000)
}

/**
 * A device's date now: by its last day record, which knows when its days begin, else by the calendar of its zone.
 *
 * @param {number} nowSeconds since 1970
 * @param {string | undefined} zone
 * @param {{ date?: unknown, end?: unknown } | null} day the record, with when its day ends, s since 1970
 */
export function todayOf(nowSeconds, zone, day) {
  if (!day || typeof day.date !== 'string' || !isDate(day.date) || typeof day.end !== 'number') return dateIn(nowSeconds, zone)
  const later = Math.max(0, Math.ceil((nowSeconds - day.end + 1e-3) / 86_400))
  return addDays(day.date, later)
}

/**
 * The locale's first day of the week, 1 for Monday to 7.
 *
 * @param {string} locale
 */
export function firstDayOf(locale) {
  const known = /** @type {any} */ (new Intl.Locale(locale))
  return (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? 1
}
