// Workouts as history tells them: what is asked of them, and how they are said in words and lines. No I/O but the bus that is given.
import { isNumber } from './gym.js'

/** One workout; what is not known is left out. Times are seconds since 1970.
 * @typedef {{
 *   id: string, kind: 'ride' | 'walk' | 'run', title?: string, persons: string[], devices: string[], start: number, end: number,
 *   moving_s: number, paused_s: number, pauses?: [number, number][], [field: string]: any
 * }} Workout */

/** @typedef {'cadence' | 'watts' | 'bpm'} Channel */

/** What was measured second by second from `start` on; null where it is not known.
 * @typedef {{ start: number } & Record<Channel, (number | null)[]>} Seconds */

/** @type {Channel[]} */
export const CHANNELS = ['cadence', 'watts', 'bpm']

/** Workouts that are listed of a period; seconds of one reply, and of the longest workout; parts of the largest file. */
const LIMITS = { listed: 400, secondsAPage: 1500, seconds: 172_800, parts: 2000 }

/** @type {Record<string, string>} */
const KINDS = { ride: 'Ride', walk: 'Walk', run: 'Run' }

/**
 * @param {import('./bus.js').Bus} bus @param {import('./records.js').Whose} whose
 * @param {{ from: string | number, to: string | number }} range @returns {Promise<Workout[]>}
 */
export async function askWorkouts(bus, whose, { from, to }) {
  return (await bus.requestAll('history/workouts', { ...whose, from, to }, 'workouts', LIMITS.listed)).workouts
}

/** Asks for a workout with all its seconds.
 * @param {import('./bus.js').Bus} bus @param {string} id @returns {Promise<{ workout: Workout, seconds: Seconds }>} */
export async function askWorkout(bus, id) {
  const pages = [await bus.request('history/workout', { id, limit: LIMITS.secondsAPage })]
  for (let { cursor } = pages[0], count = LIMITS.secondsAPage; cursor && count < LIMITS.seconds; count += LIMITS.secondsAPage) {
    const page = await bus.request('history/workout', { id, limit: LIMITS.secondsAPage, cursor })
    pages.push(page)
    cursor = page.cursor
  }
  return { workout: pages[0].workout, seconds: joinSeconds(pages) }
}

/** The seconds of pages as one, each where its own start says.
 * @param {(Partial<Record<Channel, (number | null)[]>> & { start: number })[]} pages @returns {Seconds} */
export function joinSeconds(pages) {
  const start = Math.min(...pages.map((page) => page.start).filter(isNumber))
  /** @type {Seconds} */
  const joined = { start: Number.isFinite(start) ? start : 0, cadence: [], watts: [], bpm: [] }
  for (const page of pages) {
    for (const channel of CHANNELS) {
      for (const [i, value] of (page[channel] ?? []).entries()) {
        const at = page.start - joined.start + i
        if (Number.isInteger(at) && at < LIMITS.seconds) joined[channel][at] = isNumber(value) ? value : null
      }
    }
  }
  return joined
}

/** The known seconds of a channel, as the line of a chart.
 * @param {Seconds} seconds @param {Channel} channel */
export function lineOf(seconds, channel) {
  /** @type {{ times: number[], values: number[] }} */
  const line = { times: [], values: [] }
  seconds[channel].forEach((value, i) => {
    if (!isNumber(value)) return
    line.times.push(seconds.start + i)
    line.values.push(value)
  })
  return line
}

/** Asks for a workout's file, part after part.
 * @param {import('./bus.js').Bus} bus @param {string} id @param {'fit' | 'csv'} format */
export async function askFile(bus, id, format) {
  let { name, type, part, cursor } = await bus.request('workouts/export', { id, format })
  const parts = [bytesOf(part)]
  while (cursor && parts.length < LIMITS.parts) {
    ({ part, cursor } = await bus.request('workouts/export', { id, format, cursor }))
    parts.push(bytesOf(part))
  }
  return { name: String(name), type: String(type), parts }
}

/** @param {string} base64 */
function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
}

/** What a workout is called: as its reader, its class or its kind says.
 * @param {Workout} workout */
export function titleOf({ title, class: inClass, kind }) {
  return title || inClass || KINDS[kind] || 'Workout'
}

/** @param {Workout} workout */
export function unitOf({ kind }) {
  return kind === 'ride' ? 'rpm' : 'spm'
}

/** The facts of a workout that are known, in words, the most telling first.
 * @param {Workout} workout @param {import('./format.js').Format} format @returns {[key: string, title: string, words: string][]} */
export function factsOf(workout, format) {
  const unit = unitOf(workout)
  /** @type {[string, string, any, (value: number) => string][]} */
  const facts = [
    ['distance', 'Distance', workout.distance_m || null, (value) => format.distance(value)],
    ['moving', 'In motion', workout.moving_s, (value) => format.duration(value)],
    ['paused', 'Paused', workout.paused_s || null, (value) => format.duration(value)],
    ['revolutions', 'Turns', workout.revolutions || null, (value) => format.count(value)],
    ['steps', 'Steps', workout.steps || null, (value) => format.count(value)],
    ['cadence', 'Average cadence', workout[`cadence_avg_${unit}`], (value) => `${format.count(value)} ${unit}`],
    ['cadence-most', 'Highest', workout[`cadence_max_${unit}`], (value) => `${format.count(value)} ${unit}`],
    ['speed', 'Average speed', workout.speed_avg_m_per_s, (value) => format.speed(value)],
    ['power', 'Average power', workout.power_avg_w, (value) => `${format.count(value)} W`],
    ['power-most', 'Highest power', workout.power_max_w, (value) => `${format.count(value)} W`],
    ['work', 'Work', workout.work_kj, (value) => `${format.count(value)} kJ`],
    ['heart', 'Average heart rate', workout.heart_avg_bpm, (value) => `${format.count(value)} bpm`],
    ['heart-most', 'Highest heart rate', workout.heart_max_bpm, (value) => `${format.count(value)} bpm`],
    ['energy', 'Energy', workout.kcal, (value) => `${format.count(value)} kcal`],
  ]
  return facts.flatMap(([key, title, value, words]) =>
    isNumber(value) ? [/** @type {[string, string, string]} */ ([key, title, words(value)])] : [])
}
