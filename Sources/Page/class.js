// A class as history says it: which step it is in, how far from the target a rider is, who leads. No I/O and no clock: time is given.
import { collator, isNumber } from './gym.js'

/** A part of a class with what is to be kept to.
 * @typedef {{ length_s: number, cadence_min_rpm?: number, cadence_max_rpm?: number, power_min_w?: number, power_max_w?: number }} Step */

/** @typedef {'time_in_target' | 'distance' | 'work'} Ranking */

/** @typedef {{ device: string, name: string, team?: string, rank?: number, time_in_target_s?: number, distance_m?: number, work_kj?: number }} Rider */

/** One class; `isOver`: whether history has said that it is; `lasted_s`: until it was ended, or all of it.
 * @typedef {{ t: number, id: string, title: string, start: number, length_s: number, lasted_s: number, steps: Step[], ranking: Ranking, riders: Rider[], teams: Rider[], isOver: boolean }} Lesson */

/** The end of the year 9999, s since 1970: a browser writes no time far beyond. */
const LAST_SECOND = 253_402_300_799
/** How the wall goes on with a class of which nothing more is said, s: its summary stands for a minute. */
const SUMMARY_SECONDS = 90

/** @type {[key: Ranking, text: string][]} */
export const RANKINGS = [['time_in_target', 'Time in target'], ['distance', 'Distance'], ['work', 'Work (kJ)']]

/** @type {Record<Ranking, 'time_in_target_s' | 'distance_m' | 'work_kj'>} */
export const SCORE_OF = { time_in_target: 'time_in_target_s', distance: 'distance_m', work: 'work_kj' }

/** The class in a payload; null for anything else.
 * @param {Record<string, any> | null} said @returns {Lesson | null} */
export function lessonOf(said) {
  if (!said || !(said.start >= 0 && said.start <= LAST_SECOND) || !(said.length_s > 0 && said.length_s <= LAST_SECOND)) return null
  const list = (/** @type {unknown} */ value) => (Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each) : [])
  const ranked = (/** @type {unknown} */ value) => list(value).sort((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity) || collator.compare(a.name ?? a.team, b.name ?? b.team))
  return {
    t: isNumber(said.t) ? said.t : 0, id: String(said.id ?? ''), title: String(said.title || 'Class'), start: said.start, length_s: said.length_s,
    steps: list(said.steps).filter(({ length_s }) => isNumber(length_s) && length_s > 0),
    ranking: said.ranking in SCORE_OF ? said.ranking : 'time_in_target',
    riders: ranked(said.riders).map((rider) => ({ ...rider, device: String(rider.device ?? ''), name: String(rider.name || rider.device || 'unknown') })),
    teams: ranked(said.teams).map((team) => ({ ...team, device: '', name: String(team.team) })),
    isOver: Boolean(said.ended),
    lasted_s: said.ended >= said.start ? Math.min(said.length_s, said.ended - said.start) : said.length_s,
  }
}

/** The class that runs, on history's clock: that of a screen on the wall may be wrong. */
export class RunningClass {
  constructor() {
    /** @type {Lesson | null} */
    this.lesson = null
    /** How far history's clock is ahead, s. Of a retained message nobody knows how old it is, so the first one of a class says nothing. */
    this.ahead = NaN
  }

  /** @param {Record<string, any> | null} said null where the class was taken away @param {number} nowSeconds since 1970 */
  take(said, nowSeconds) {
    const lesson = lessonOf(said)
    const isSame = lesson !== null && this.lesson !== null && lesson.id === this.lesson.id
    if (isSame && lesson.t > 0) this.ahead = Math.max(Number.isNaN(this.ahead) ? -Infinity : this.ahead, lesson.t - nowSeconds)
    this.lesson = lesson
  }

  /** The class as it stands; null where none runs, or its summary has stood for long enough.
   * @param {number} nowSeconds since 1970 */
  at(nowSeconds) {
    const { lesson } = this
    if (!lesson) return null
    const passed = nowSeconds + (this.ahead || 0) - lesson.start
    const left = lesson.length_s - passed
    if (left < -SUMMARY_SECONDS) return null
    return { lesson, passed, left: Math.max(0, left), isOver: lesson.isOver || left <= 0, ...stepAt(lesson.steps, passed) }
  }
}

/** The step at a time of a class, how long it still lasts, and the next one.
 * @param {Step[]} steps @param {number} passed s since the class began
 * @returns {{ step: Step | null, stepLeft: number, next: Step | null }} */
export function stepAt(steps, passed) {
  let end = 0
  for (const [i, step] of steps.entries()) {
    end += step.length_s
    if (passed < end) return { step, stepLeft: end - Math.max(0, passed), next: steps[i + 1] ?? null }
  }
  return { step: null, stepLeft: 0, next: null }
}

/** Whether a value is what a step asks for; null where it asks for none, or the value is not known.
 * @param {number | null} value @param {number | undefined} least @param {number | undefined} most
 * @returns {'below' | 'in' | 'above' | null} */
export function verdictOf(value, least, most) {
  if (value === null || (!isNumber(least) && !isNumber(most))) return null
  if (isNumber(least) && value < least) return 'below'
  return isNumber(most) && value > most ? 'above' : 'in'
}

/** What a step asks for, in words; empty where it asks for nothing.
 * @param {Step} step */
export function targetWords({ cadence_min_rpm, cadence_max_rpm, power_min_w, power_max_w }) {
  const range = (/** @type {number | undefined} */ least, /** @type {number | undefined} */ most, /** @type {string} */ unit) =>
    isNumber(least) && isNumber(most) ? `${least}–${most} ${unit}` : isNumber(least) ? `from ${least} ${unit}` : isNumber(most) ? `up to ${most} ${unit}` : ''
  return [range(cadence_min_rpm, cadence_max_rpm, 'rpm'), range(power_min_w, power_max_w, 'W')].filter(Boolean).join(' · ')
}

/** `12:05` of seconds.
 * @param {number} seconds */
export function minuteWords(seconds) {
  const whole = Math.max(0, Math.ceil(seconds))
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** A score in the words of its ranking.
 * @param {Ranking} ranking @param {number | undefined} score @param {import('./format.js').Format} format */
export function scoreWords(ranking, score, format) {
  if (!isNumber(score)) return '–'
  if (ranking === 'distance') return format.distance(score)
  return ranking === 'work' ? `${format.count(score)} kJ` : minuteWords(Math.floor(score))
}

/** The teams in their order, each with its score.
 * @param {Lesson} lesson @param {import('./format.js').Format} format */
export function teamWords({ teams, ranking }, format) {
  return teams.map((team) => `${team.rank ?? ''}. ${team.name} ${scoreWords(ranking, team[SCORE_OF[ranking]], format)}`).join(' · ')
}
