// What history says of a device or a person in a period, asked for over the bus.
import { BUCKET_OF } from './period.js'

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

/** Whether anything is known of a time: what counts by itself may not say for how long.
 * @param {Record<string, any>} record */
export const isKnown = ({ covered_s, steps, revolutions }) => covered_s > 0 || steps > 0 || revolutions > 0

/**
 * Whose records are asked for.
 *
 * @typedef {{ device: string } | { person: string }} Whose
 */

/**
 * Asks for the buckets, days, sums and, of one day, the activities and minutes of a device or a person.
 *
 * @param {import('./bus.js').Bus} bus
 * @param {Whose} whose
 * @param {import('./period.js').Period} period
 * @returns {Promise<Records>}
 */
export async function askRecords(bus, whose, { span, from, to }) {
  const [{ buckets, zone }, { days }, total] = await Promise.all([
    bus.requestAll('history/series', { ...whose, from, to, bucket: BUCKET_OF[span] }, 'buckets'),
    bus.requestAll('history/days', { ...whose, from, to }, 'days'),
    bus.request('history/interval', { ...whose, from, to }),
  ])
  let [segments, minutes] = [[], []]
  if (span === 'day') {
    segments = (await bus.requestAll('history/activity', { ...whose, from, to }, 'segments')).segments
    const active = buckets.filter((/** @type {Bucket} */ bucket) => bucket.active_s > 0)
    if (active.length) {
      minutes = (await bus.requestAll('history/series', {
        ...whose, from: active[0].start, to: active[active.length - 1].start + 3600, bucket: 'minute',
      }, 'buckets')).buckets
    }
  }
  return { buckets, days, total, segments, minutes, zone: days[0]?.zone ?? zone }
}

/**
 * Asks for what differs once the days have been revised, as one text.
 *
 * @param {import('./bus.js').Bus} bus
 * @param {Whose} whose
 * @param {import('./period.js').Period} period
 */
export async function askRevisions(bus, whose, { from, to }) {
  const { days } = await bus.requestAll('history/days', { ...whose, from, to }, 'days')
  return days.map((/** @type {any} */ { revision }) => revision).join()
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
