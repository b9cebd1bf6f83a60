// A person's goals: how far, in words and a ring.
import { h } from './dom.js'
import { isNumber } from './gym.js'

/** @type {{ goal: string, done: string, title: string, of: string }[]} */
const GOALS = [
  { goal: 'goal_steps_per_day', done: 'steps', title: 'Steps', of: 'steps today' },
  { goal: 'goal_active_min_per_week', done: 'week_active_min', title: 'Active', of: 'active minutes this week' },
  { goal: 'goal_rides_per_week', done: 'week_rides', title: 'Rides', of: 'rides this week' },
]

const SPACE = 'http://www.w3.org/2000/svg'
/** The radius of a ring in a drawing of 100 × 100. */
const RADIUS = 42

/**
 * How far a person's day says each goal is.
 *
 * @param {Record<string, any> | null} day
 * @returns {{ title: string, done: number, goal: number, share: number, of: string }[]}
 */
export function goalsOf(day) {
  return GOALS.flatMap(({ goal: key, done: field, title, of }) => {
    const [goal, done] = [day?.[key], day?.[field]]
    return isNumber(goal) && goal > 0 ? [{ title, done: isNumber(done) ? done : 0, goal, share: isNumber(done) ? done / goal : 0, of }] : []
  })
}

/** @param {number} share */
function ring(share) {
  const svg = document.createElementNS(SPACE, 'svg')
  svg.setAttribute('viewBox', '0 0 100 100')
  svg.setAttribute('class', 'ring')
  svg.setAttribute('aria-hidden', 'true')
  const length = 2 * Math.PI * RADIUS
  for (const [kind, part] of /** @type {[string, number][]} */ ([['whole', 1], ['part', Math.min(1, share)]])) {
    const circle = document.createElementNS(SPACE, 'circle')
    for (const [name, value] of Object.entries({ cx: 50, cy: 50, r: RADIUS, class: kind, 'stroke-dasharray': `${part * length} ${length}` })) {
      circle.setAttribute(name, String(value))
    }
    if (part > 0) svg.append(circle)
  }
  return svg
}

/**
 * The goals as rings, each with its words; null where there are none.
 *
 * @param {Record<string, any> | null} day a person's
 * @param {import('./format.js').Format} format
 */
export function goalRings(day, format) {
  const goals = goalsOf(day)
  if (goals.length === 0) return null
  return h('ul', { class: 'goals', 'aria-label': 'Goals' }, ...goals.map(({ title, done, goal, share, of }) =>
    h('li', { class: 'goal', 'data-goal': title, 'data-reached': share >= 1 ? 'yes' : null }, ring(share),
      h('div', {}, h('strong', {}, share >= 1 ? `${title}: reached` : `${title}: ${format.share.format(Math.min(0.99, share))}`),
        h('p', {}, `${format.count(done)} of ${format.count(goal)} ${of}`)))))
}
