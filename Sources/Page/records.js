// What history says of a device or a person in a period, asked for over the bus.
import { BUCKET_OF } from './period.js'

/**
 * One bucket of a device or a person as history gives it.
 *
 * @typedef {{
 *   start: number, steps: number, revolutions: number, distance_m: number, active_s: number, covered_s: number,
 *   by_source?: { device: string, steps_used: number, revolutions_used: number }[], [field: string]: any
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
 * Asks for a person's buckets, and adds them up.
 *
 * @param {import('./bus.js').Bus} bus
 * @param {string} person
 * @param {import('./period.js').Period} period
 * @returns {Promise<Records>}
 */
export async function askPerson(bus, person, { span, from, to }) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const data = await bus.requestAll('people', { person, from, to, bucket: BUCKET_OF[span], zone }, 'buckets')
  const total = { steps: 0, revolutions: 0, distance_m: 0, active_s: 0, covered_s: 0 }
  for (const bucket of data.buckets) {
    for (const key of /** @type {(keyof typeof total)[]} */ (Object.keys(total))) total[key] += bucket[key]
  }
  return { buckets: data.buckets, days: [], total, segments: [], minutes: [], zone: data.zone ?? zone }
}

/**
 * The revisions of days as one text, which differs once one of them has been revised.
 *
 * @param {Record<string, any>[]} days
 */
export function revisionsOf(days) {
  return days.map(({ revision }) => revision).join()
}

/**
 * The devices that a person's buckets come from, in order.
 *
 * @param {Bucket[]} buckets
 */
export function sourcesOf(buckets) {
  const names = new Set()
  for (const bucket of buckets) for (const { device } of bucket.by_source ?? []) names.add(device)
  return /** @type {string[]} */ ([...names].sort())
}

/**
 * Whether a part of what was counted has no length, because the config has named one only later: the metres a step or
 * turn of some bucket are less than a third of another one's, further apart than walking and running.
 *
 * @param {Bucket[]} buckets
 */
export function isDistancePartial(buckets) {
  const lengths = buckets.filter(({ steps, revolutions }) => steps + revolutions > 0)
    .map(({ distance_m, steps, revolutions }) => distance_m / (steps + revolutions))
  return Math.min(...lengths) < Math.max(...lengths) / 3
}
