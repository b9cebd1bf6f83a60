// What history says of a device or a person in a period, asked for over the bus.
import { BUCKET_OF } from './period.js'

/** How long after its end a person's day is final, s: as history has it for days of devices. */
const GRACE_S = 3600

/**
 * One bucket of a device or a person as history gives it.
 *
 * @typedef {{
 *   start: number, steps: number, revolutions: number, distance_m: number, active_s: number, covered_s: number,
 *   [field: string]: any
 * }} Bucket
 */

/**
 * What is shown of a period; `total` has the fields of an interval.
 *
 * @typedef {{
 *   buckets: Bucket[], days: Record<string, any>[], total: Record<string, any>, segments: any[], minutes: Bucket[], zone: string
 * }} Records
 */

/**
 * Asks for a device's buckets, days, sums and, of one day, its activities and minutes.
 *
 * @param {import('./bus.js').Bus} bus
 * @param {string} device
 * @param {import('./period.js').Period} period
 * @param {string | undefined} zone of the device, for a period without days
 * @returns {Promise<Records>}
 */
export async function askDevice(bus, device, { span, from, to }, zone) {
  const [{ buckets }, { days }, interval] = await Promise.all([
    bus.requestAll('history/series', { device, from, to, bucket: BUCKET_OF[span] }, 'buckets'),
    bus.requestAll('history/days', { device, from, to }, 'days'),
    bus.request('history/interval', { device, from, to }),
  ])
  let [segments, minutes] = [[], []]
  if (span === 'day') {
    segments = (await bus.requestAll('history/activity', { device, from, to }, 'segments')).segments
    const active = buckets.filter((/** @type {Bucket} */ bucket) => bucket.active_s > 0)
    if (active.length) {
      minutes = (await bus.requestAll('history/series', {
        device, from: active[0].start, to: active[active.length - 1].start + 3600, bucket: 'minute',
      }, 'buckets')).buckets
    }
  }
  return { buckets, days, total: interval, segments, minutes, zone: days[0]?.zone ?? zone ?? 'UTC' }
}

/**
 * Asks for a person's buckets, sums and, of one day, activities and minutes.
 *
 * @param {import('./bus.js').Bus} bus
 * @param {string} person
 * @param {import('./period.js').Period} period
 * @returns {Promise<Records>}
 */
export async function askPerson(bus, person, { span, from, to }) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const ask = (/** @type {string} */ bucket, /** @type {string | number} */ first = from, /** @type {string | number} */ end = to) =>
    bus.requestAll('people', { person, from: first, to: end, bucket, zone }, 'buckets')
  const [{ buckets }, { buckets: wholes }] = await Promise.all([ask(BUCKET_OF[span]), ask(span === 'year' ? 'month' : span)])
  const total = sumOf(wholes)
  if (span !== 'day') return { buckets, days: [], total, segments: [], minutes: [], zone }
  const covered = buckets.filter((/** @type {Bucket} */ bucket) => bucket.covered_s > 0)
  const [{ segments }, { buckets: minutes }] = await Promise.all([
    bus.requestAll('history/activity', { person, from, to, zone }, 'segments'),
    covered.length ? ask('minute', covered[0].start, covered[covered.length - 1].start + 3600) : { buckets: [] },
  ])
  const end = buckets[buckets.length - 1].start + 3600
  const days = [{ date: from, zone, covered_s: total.covered_s, final: Date.now() / 1000 >= end + GRACE_S }]
  return { buckets, days, total, segments, minutes, zone }
}

/**
 * The sums of buckets. A cadence is that of one bucket: those of several have no mean without their weights.
 *
 * @param {Bucket[]} buckets
 * @returns {Record<string, any>}
 */
function sumOf(buckets) {
  if (buckets.length === 1) return buckets[0]
  const keys = ['steps', 'revolutions', 'distance_m', 'active_s', 'covered_s', 'distance_active_s']
  return Object.fromEntries(keys.map((key) => [key, buckets.reduce((sum, bucket) => sum + (bucket[key] ?? 0), 0)]))
}

/**
 * Asks for what differs once a device's days have been revised, as one text.
 *
 * @param {import('./bus.js').Bus} bus
 * @param {string} device
 * @param {import('./period.js').Period} period
 */
export async function askRevisions(bus, device, { from, to }) {
  const { days } = await bus.requestAll('history/days', { device, from, to }, 'days')
  return days.map((/** @type {any} */ { revision }) => revision).join()
}

/**
 * The same of a person: its own sums, because a member may not ask for whole days of a device that is shared.
 *
 * @param {import('./bus.js').Bus} bus
 * @param {string} person
 * @param {import('./period.js').Period} period
 */
export async function askPersonRevisions(bus, person, { span, from, to }) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const { buckets } = await bus.requestAll('people', { person, from, to, bucket: span === 'year' ? 'month' : span, zone }, 'buckets')
  return JSON.stringify(buckets)
}

/**
 * What a reader may choose from: a member's own person and own device; of a shared device a member may read a part alone, which
 * the person's history has.
 *
 * @param {string} own the device of a user who asks as one; empty for who may read everything
 * @param {string[]} devices
 * @param {string[]} people
 * @returns {string[][]} key and title of each
 */
export function choicesOf(own, devices, people) {
  const readable = own ? devices.filter((device) => device === own) : devices
  return [...people.map((person) => [`@${person}`, person]), ...readable.map((device) => [device, device])]
}
