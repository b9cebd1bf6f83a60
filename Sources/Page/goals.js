// A person's goals: how far, in words and a ring.
import { h } from './dom.js'
import { isNumber } from './gym.js'

/** @type {{ goal: string, done: string, title: string, of: string }[]} */
const GOALS = [
  { goal: 'goal_steps_per_day', done: 'steps', title: 'Steps', of: 'steps today' },
  { goal: 'goal_active_min_per_week', done: 'week_active_min', title: 'Active', of: 'active minutes this week' },
  { goal: 'goal_rides_per_week', done: 'week_rides', title: 'Rides', of: 'rides this week' },
]

/** How far a person's day says each goal is.
 * @param {Record<string, any> | null} day @returns {{ title: string, done: number, goal: number, share: number, of: string }[]} */
export function goalsOf(day) {
  return GOALS.flatMap(({ goal: key, done: field, title, of }) => {
    const [goal, done] = [day?.[key], day?.[field]]
    return isNumber(goal) && goal > 0 ? [{ title, done: isNumber(done) ? done : 0, goal, share: isNumber(done) ? done / goal : 0, of }] : []
  })
}

/** The goals as rings, each with its words; null where there are none.
 * @param {Record<string, any> | null} day a person's @param {import('./format.js').Format} format */
export function goalRings(day, format) {
  const goals = goalsOf(day)
  if (goals.length === 0) return null
  return h('ul', { class: 'goals', 'aria-label': 'Goals' }, ...goals.map(({ title, done, goal, share, of }) => {
    const ring = h('i', { class: 'ring', 'aria-hidden': 'true' })
    ring.style.setProperty('--share', `${Math.min(1, share)}turn`)
    return h('li', { class: 'goal', 'data-goal': title, 'data-reached': share >= 1 ? 'yes' : null }, ring,
      h('div', {}, h('strong', {}, share >= 1 ? `${title}: reached` : `${title}: ${format.share.format(Math.min(0.99, share))}`),
        h('p', {}, `${format.count(done)} of ${format.count(goal)} ${of}`)))
  }))
}
