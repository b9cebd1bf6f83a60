// The class that runs, large enough for the other end of the room: time left, the target, and each rider's number against it.
import { SCORE_OF, RunningClass, minuteWords, scoreWords, targetWords, teamWords, verdictOf } from './class.js'
import { parseObject } from './bus.js'
import { h, replace, setAttribute, setText } from './dom.js'
import { columnsFor } from './wall.js'

/** Between two looks at the clock and the riders, ms. */
const LOOK_MS = 500
/** What a rider is told: a sign and a word, because a colour alone is not seen by everybody. */
const ADVICE = {
  rpm: { below: '▲ Faster', in: '✓ On target', above: '▼ Slower' },
  W: { below: '▲ Harder', in: '✓ On target', above: '▼ Easier' },
}

/** One rider's place on the board. */
class RiderCard {
  constructor() {
    this.rank = h('span', { class: 'rank' })
    this.name = h('h3', { dir: 'auto' })
    this.team = h('span', { class: 'card-id' })
    this.numbers = [0, 1].map(() => {
      const [value, unit, advice] = [h('span', { class: 'value' }), h('span', { class: 'unit' }), h('span', { class: 'advice' })]
      return { value, unit, advice, line: h('p', { class: 'reading' }, value, unit, advice) }
    })
    this.score = h('span')
    this.element = h('li', { class: 'card rider' }, h('div', { class: 'card-head' }, this.rank, this.name, this.team),
      h('div', { class: 'rider-numbers' }, ...this.numbers.map(({ line }) => line)), h('div', { class: 'card-foot' }, this.score))
  }

  /**
   * @param {import('./class.js').Rider} rider @param {import('./class.js').Lesson} lesson
   * @param {{ value: number | null, unit: 'rpm' | 'W', verdict: 'below' | 'in' | 'above' | null }[]} numbers the first one is the large one
   * @param {import('./format.js').Format} format
   */
  update(rider, { ranking }, numbers, format) {
    setText(this.rank, rider.rank ? `${rider.rank}.` : '')
    setText(this.name, rider.name)
    setText(this.team, rider.team ?? '')
    this.numbers.forEach(({ line, value, unit, advice }, i) => {
      const number = numbers[i]
      line.hidden = !number
      if (!number) return
      setAttribute(line, 'data-verdict', number.verdict)
      setText(value, number.value === null ? '–' : format.count(number.value))
      setText(unit, number.unit)
      setText(advice, number.verdict ? ADVICE[number.unit][number.verdict] : '')
    })
    setText(this.score, `${scoreWords(ranking, rider[SCORE_OF[ranking]], format)}${ranking === 'time_in_target' ? ' on target' : ''}`)
  }
}

/** The board. It shows itself while a class runs, and for a minute after. */
export class ClassBoard {
  /** @param {import('./app.js').App} app @param {() => void} [changed] called when it begins or ends to show something */
  constructor(app, changed = () => {}) {
    this.app = app
    this.changed = changed
    this.running = new RunningClass()
    /** @type {Map<string, RiderCard>} */
    this.cards = new Map()
    this.title = h('h2')
    this.left = h('p', { class: 'class-left', role: 'timer' })
    this.target = h('p', { class: 'class-target' })
    this.next = h('p', { class: 'hint' })
    this.passed = h('progress', { class: 'class-strip', 'aria-hidden': 'true', max: 1 })
    this.teams = h('p', { class: 'class-teams' })
    this.riders = h('ul', { class: 'cards' })
    this.summary = h('div', { class: 'class-summary' })
    this.element = h('section', { class: 'class-board', 'aria-label': 'The class that runs', hidden: true },
      h('div', { class: 'class-head' }, h('div', {}, this.title, this.target, this.next), this.left), this.passed, this.teams, this.riders, this.summary)
    /** @type {'nothing' | 'class' | 'summary'} */
    this.shows = 'nothing'
    /** What the summary was made of, as text. */
    this.summed = ''
  }

  /** Shows what runs, until what this gives is called. */
  start() {
    const timer = setInterval(() => this.look(), LOOK_MS)
    const end = this.app.bus.subscribe('class', (_, payload) => {
      this.running.take(parseObject(payload), Date.now() / 1000)
      this.look()
    })
    return () => (clearInterval(timer), end())
  }

  look() {
    const state = this.running.at(Date.now() / 1000)
    const shows = state ? (state.isOver ? 'summary' : 'class') : 'nothing'
    this.element.hidden = !state
    if (shows !== this.shows) {
      this.shows = shows
      this.changed()
    }
    if (!state) return
    const { lesson, isOver, left, passed, step, stepLeft, next } = state
    const target = step && targetWords(step)
    setText(this.title, isOver ? `${lesson.title}: finished` : lesson.title)
    setText(this.left, isOver ? '' : passed < 0 ? `starts in ${minuteWords(-passed)}` : minuteWords(left))
    setText(this.target, isOver ? '' : target ? `${target} for ${minuteWords(stepLeft)}` : 'Ride as you like')
    setText(this.next, next && !isOver ? `Then ${targetWords(next) || 'as you like'} for ${minuteWords(next.length_s)}` : '')
    this.passed.hidden = isOver
    this.passed.value = Math.max(0, passed / lesson.length_s)
    setText(this.teams, teamWords(lesson, this.app.format))
    this.riders.hidden = isOver
    this.summary.hidden = !isOver
    if (!isOver) return this.showRiders(lesson, step)
    const summed = JSON.stringify(lesson.riders)
    if (summed !== this.summed) replace(this.summary, lessonTable(lesson, 'Summary', this.app.format))
    this.summed = summed
  }

  /** @param {import('./class.js').Lesson} lesson @param {import('./class.js').Step | null} step */
  showRiders(lesson, step) {
    const { gym, format } = this.app
    const nowMs = performance.now()
    const scale = Math.max(1, window.innerWidth / 1920)
    const room = window.innerHeight - this.riders.offsetTop
    this.element.style.setProperty('--columns', String(columnsFor(lesson.riders.length, this.element.clientWidth / scale, room / scale)))
    // One bike may have had two riders.
    const cards = lesson.riders.map((rider) => {
      const key = `${rider.device} ${rider.name}`
      let card = this.cards.get(key)
      if (!card) this.cards.set(key, (card = new RiderCard()))
      const device = gym.devices.get(rider.device)
      const standing = device?.standing(nowMs)
      const rpm = device && (standing === 'moving' || standing === 'still') ? device.value : null
      const watts = device ? device.reading('watts', nowMs) : null
      const power = { value: watts, unit: /** @type {const} */ ('W'), verdict: verdictOf(watts, step?.power_min_w, step?.power_max_w) }
      const cadence = { value: rpm, unit: /** @type {const} */ ('rpm'), verdict: verdictOf(rpm, step?.cadence_min_rpm, step?.cadence_max_rpm) }
      const asksPower = step?.power_min_w !== undefined || step?.power_max_w !== undefined
      const asksCadence = step?.cadence_min_rpm !== undefined || step?.cadence_max_rpm !== undefined
      // What the step asks for is large.
      card.update(rider, lesson, asksPower && !asksCadence ? [power, cadence] : asksPower || watts !== null ? [cadence, power] : [cadence], format)
      return card.element
    })
    if (cards.length !== this.riders.childElementCount || cards.some((card, i) => card !== this.riders.children[i])) replace(this.riders, ...cards)
  }
}

/** @type {[key: import('./class.js').Ranking, head: string][]} */
const HEADS = [['time_in_target', 'On target'], ['distance', 'Distance'], ['work', 'Work']]

/** The riders of a class in a table, the first one first.
 * @param {import('./class.js').Lesson} lesson @param {string} label @param {import('./format.js').Format} format */
export function lessonTable({ riders, ranking, steps }, label, format) {
  const hasTeams = riders.some(({ team }) => team)
  // What somebody has, and first what ranks: on a phone the last ones lie beside the screen.
  const isTold = (/** @type {import('./class.js').Ranking} */ key) => (key === 'time_in_target' ? steps.length > 0 : riders.some((rider) => rider[SCORE_OF[key]] !== undefined))
  const scores = HEADS.filter(([key]) => key === ranking || isTold(key)).sort(([a], [b]) => Number(b === ranking) - Number(a === ranking))
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }, h('table', { class: 'riders' },
    h('thead', {}, h('tr', {}, ...['Place', 'Rider', hasTeams && 'Team', ...scores.map(([, head]) => head)].map((head) => head && h('th', { scope: 'col', class: head === 'Team' && 'team' }, head)))),
    h('tbody', {}, ...riders.map((rider) => h('tr', {},
      h('td', {}, rider.rank ?? '–'), h('th', { scope: 'row' }, rider.name), hasTeams && h('td', { class: 'team' }, rider.team ?? ''),
      ...scores.map(([key]) => h('td', {}, scoreWords(key, rider[SCORE_OF[key]], format))))))))
}
