// Classes: one is begun and ended here, and those of a month stand below, to print or to save.
import { RequestError, parseObject } from './bus.js'
import { ClassBoard, lessonTable } from './class-board.js'
import { RANKINGS, lessonOf, targetWords, teamWords } from './class.js'
import { choice, download, h, replace, setText } from './dom.js'
import { collator } from './gym.js'
import { dateIn, isDate, neighbour, periodOf } from './period.js'

/** @typedef {import('./class.js').Lesson} Lesson */

/** A step as it is written: minutes, and what is to be kept to; empty where it is not.
 * @typedef {{ minutes: string, cadence_min_rpm: string, cadence_max_rpm: string, power_min_w: string, power_max_w: string }} StepRow */

const MOST_STEPS = 30
const EMPTY = { minutes: '5', cadence_min_rpm: '', cadence_max_rpm: '', power_min_w: '', power_max_w: '' }
/** How long after a class its results may stand still, ms: late rows change them. */
const AGAIN_MS = 30_000

/** @type {[key: keyof StepRow, title: string, unit: string][]} */
const FIELDS = [
  ['minutes', 'Minutes', 'min'], ['cadence_min_rpm', 'Cadence from', 'rpm'], ['cadence_max_rpm', 'Cadence to', 'rpm'],
  ['power_min_w', 'Power from', 'W'], ['power_max_w', 'Power to', 'W'],
]

/** What is asked of history for a class that was written down. No I/O.
 * @param {{ title: string, minutes: string, ranking: string, steps: StepRow[] }} plan @param {string[] | null} [devices] those that take part, if not all */
export function lessonRequest({ title, minutes, ranking, steps }, devices = null) {
  const number = (/** @type {string} */ text) => Number(text.replace(',', '.'))
  const asked = steps.map((row) => ({
    length_s: Math.round(number(row.minutes) * 60),
    ...Object.fromEntries(FIELDS.slice(1).flatMap(([key]) => (row[key].trim() ? [[key, number(row[key])]] : []))),
  }))
  const whole = asked.reduce((sum, { length_s }) => sum + length_s, 0)
  return { title: title.trim(), length_s: Math.max(Math.round(number(minutes) * 60), whole), ranking: rankingOf(ranking, steps), ...(asked.length > 0 && { steps: asked }), ...(devices && { devices }) }
}

/** What a class can be ranked by: without steps there is no target.
 * @param {string} ranking @param {StepRow[]} steps */
function rankingOf(ranking, steps) {
  return steps.length === 0 && ranking === 'time_in_target' ? 'distance' : ranking
}

/** The classes of a month as CSV, a line a rider. What a spreadsheet would take for a formula is text.
 * @param {Lesson[]} lessons */
export function lessonsCSV(lessons) {
  const text = (/** @type {string} */ value) => `"${(/^[=+\-@\t\r]/.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`
  const head = 'start,title,length_s,ranking,place,rider,team,time_in_target_s,distance_m,work_kj'
  return `${[head, ...lessons.flatMap(({ start, title, length_s, ranking, riders }) => riders.map((rider) => [
    new Date(start * 1000).toISOString(), text(title), length_s, ranking, rider.rank ?? '', text(rider.name), text(rider.team ?? ''),
    rider.time_in_target_s ?? '', rider.distance_m ?? '', rider.work_kj ?? ''].join(',')))].join('\r\n')}\r\n`
}

/** The view. */
export class ClassesView {
  /** @param {import('./app.js').App} app @param {string} [month] a date in it */
  constructor(app, month) {
    this.app = app
    this.plan = { title: '', minutes: '45', ranking: 'time_in_target', steps: /** @type {StepRow[]} */ ([]), ...app.settings.lesson }
    this.period = periodOf('month', month && isDate(month) ? month : dateIn(Date.now() / 1000))
    /** @type {Lesson[]} */
    this.lessons = []
    this.status = h('p', { class: 'hint', role: 'status' })
    this.board = new ClassBoard(app, () => this.changed())
    this.form = h('form', { class: 'panel lesson', 'aria-label': 'A new class', onsubmit: (event) => (event.preventDefault(), this.ask('classes/start', lessonRequest(this.plan, this.chosen()))) })
    this.bikes = h('ul', { class: 'bikes', 'aria-label': 'Who rides' })
    this.stopButton = h('button', { 'data-test': 'end-class', hidden: true, onclick: () => window.confirm('End the class now?') && this.ask('classes/stop', {}) }, 'End the class')
    this.pastTitle = h('h2')
    this.pastList = h('div', { class: 'past' })
    /** What the list was made of, as text. */
    this.pastText = ''
    this.element = h('section', { class: 'classes', 'aria-label': 'Classes' }, this.status, this.stopButton, this.board.element, this.form, this.pastPanel())
    /** @type {(() => void)[]} */
    this.endings = []
  }

  start() {
    const { bus, gym } = this.app
    for (const channel of ['cadence', 'power']) {
      this.endings.push(bus.subscribe(`+/${channel}`, ([id], payload) => void gym.take(id, channel, parseObject(payload), performance.now())))
    }
    const timer = setInterval(() => !document.hidden && this.loadPast(), AGAIN_MS)
    this.endings.push(() => clearInterval(timer), this.board.start())
    this.showForm()
    this.changed()
  }

  stop() {
    for (const end of this.endings.splice(0)) end()
  }

  changed() {
    const isRunning = this.board.shows === 'class'
    this.form.hidden = isRunning
    this.stopButton.hidden = !isRunning
    if (!isRunning) void Promise.all([this.loadPast(), this.loadBikes()])
  }

  save() {
    this.app.saveSettings({ lesson: this.plan })
  }

  showForm() {
    const { plan } = this
    const input = (/** @type {'title' | 'minutes'} */ key, /** @type {string} */ label, /** @type {Record<string, string | number | boolean>} */ more) => {
      /** @type {HTMLInputElement} */
      const element = h('input', { value: plan[key], name: key, required: true, oninput: () => ((plan[key] = element.value), this.save()), ...more })
      return h('label', { class: 'field' }, h('span', {}, label), element)
    }
    replace(this.form,
      h('h2', {}, 'A new class'),
      h('div', { class: 'row' }, input('title', 'Title', { type: 'text', maxlength: 80 }),
        input('minutes', 'Minutes', { type: 'number', min: 1, max: 240, step: 'any', inputmode: 'decimal' }),
        choice('Ranked by', RANKINGS.filter(([key]) => key === rankingOf(key, plan.steps)), rankingOf(plan.ranking, plan.steps), (ranking) => ((plan.ranking = ranking), this.save())).element),
      plan.steps.length > 0
        ? h('ol', { class: 'steps' }, ...plan.steps.map((row, i) => this.stepRow(row, i)))
        : h('p', { class: 'hint' }, 'Without steps everybody rides as they like. A step asks for a cadence, for watts, or for both.'),
      h('div', { class: 'row' },
        h('button', { type: 'button', disabled: plan.steps.length >= MOST_STEPS, onclick: () => this.addStep() }, 'Add a step'),
        h('button', { class: 'primary' }, 'Start the class')),
      h('p', { class: 'hint' }, 'All bikes that are moving or checked in take part, unless some are left out here. The screens on the wall show the class at once.'), this.bikes)
  }

  /** The bikes, each to be left out, and the teams of who is checked in. */
  async loadBikes() {
    const { bus } = this.app
    const from = Math.floor(Date.now() / 1000)
    const all = (/** @type {string} */ verb, fields = {}) => bus.online().then(() => bus.requestAll(verb, fields, verb))
    const [{ devices }, { people }] = await Promise.all([all('devices'), all('people', { from, to: from + 60 })]).catch(() => [{ devices: [] }, { people: [] }])
    const stays = people.flatMap((/** @type {any} */ { person, devices }) => devices.map((/** @type {any} */ stay) => ({ ...stay, person })))
    const bikes = devices.flatMap((/** @type {any} */ { kind, device }) => (kind === 'bike' ? [device] : [])).sort(collator.compare)
    replace(this.bikes, ...bikes.map((/** @type {string} */ bike) => this.bikeRow(bike, stays.find((/** @type {any} */ { device }) => device === bike))))
  }

  /** @param {string} device @param {{ person: string, team?: string, to?: number } | undefined} stay what else was said of it stays */
  bikeRow(device, stay) {
    /** @type {HTMLInputElement | undefined} */
    const team = stay && h('input', { value: stay.team ?? '', maxlength: 40, placeholder: 'Team', 'aria-label': `Team of ${stay.person}`,
      onchange: () => this.ask('people/checkin', { ...stay, from: undefined, device, team: team?.value ?? '' }) })
    return h('li', { class: 'row' }, h('label', {}, h('input', { type: 'checkbox', name: device, checked: true }), `${device} ${stay?.person ?? ''}`), team)
  }

  /** The bikes that take part; null where none is left out. */
  chosen() {
    const boxes = [...this.bikes.querySelectorAll('[type="checkbox"]')].map((box) => /** @type {HTMLInputElement} */ (box))
    return boxes.every(({ checked }) => checked) ? null : boxes.flatMap(({ checked, name }) => (checked ? [name] : []))
  }

  /** @param {StepRow} row @param {number} i */
  stepRow(row, i) {
    const { plan } = this
    return h('li', { class: 'row' }, ...FIELDS.map(([key, title, unit]) => {
      /** @type {HTMLInputElement} */
      const element = h('input', {
        type: 'number', value: row[key], min: key === 'minutes' ? 0.25 : 0, step: key === 'minutes' ? 'any' : 1, required: key === 'minutes', 'data-step': key,
        'aria-label': `Step ${i + 1}: ${title}`, oninput: () => ((row[key] = element.value), this.save()),
      })
      return h('label', { class: 'field' }, element, h('span', { 'aria-hidden': 'true' }, key === 'cadence_min_rpm' || key === 'power_min_w' ? 'to' : unit))
    }), h('button', {
      type: 'button', 'aria-label': `Take step ${i + 1} away`, onclick: () => {
        plan.steps.splice(i, 1)
        this.save()
        this.showForm()
      },
    }, '×'))
  }

  addStep() {
    const { steps } = this.plan
    steps.push({ ...EMPTY })
    this.save()
    this.showForm()
    const added = this.form.querySelector('.steps li:last-child input')
    if (added instanceof HTMLElement) added.focus()
  }

  /** @param {string} verb @param {Record<string, unknown>} fields */
  async ask(verb, fields) {
    try {
      await this.app.bus.request(verb, fields)
      setText(this.status, '')
    } catch (error) {
      setText(this.status, `Not taken: ${error instanceof Error ? error.message : error}`)
    }
  }

  async loadPast() {
    setText(this.pastTitle, `Classes in ${this.app.format.date(this.period.from, { month: 'long', year: 'numeric' })}`)
    try {
      await this.app.bus.online()
      const { classes } = await this.app.bus.requestAll('history/classes', { from: this.period.from, to: this.period.to, zone: Intl.DateTimeFormat().resolvedOptions().timeZone }, 'classes')
      const text = JSON.stringify([this.period, classes])
      if (text === this.pastText) return
      this.pastText = text
      this.lessons = classes.flatMap((/** @type {any} */ said) => lessonOf(said) ?? []).filter((/** @type {Lesson} */ { isOver }) => isOver).reverse()
      replace(this.pastList, this.lessons.length === 0 && h('p', { class: 'hint' }, 'No class in this month.'), ...this.lessons.map((lesson) => this.pastClass(lesson)))
    } catch (error) {
      this.pastText = ''
      replace(this.pastList, h('p', { class: 'hint' }, error instanceof RequestError ? `No answer: ${error.message}` : String(error)))
    }
  }

  pastPanel() {
    const step = (/** @type {-1 | 1} */ direction) => () => {
      this.period = neighbour(this.period, direction)
      void this.loadPast()
    }
    return h('section', { class: 'panel', 'aria-label': 'Classes of the month' },
      h('div', { class: 'panel-head' }, this.pastTitle, h('div', { class: 'row' },
        h('button', { 'aria-label': 'Earlier', onclick: step(-1) }, '‹'), h('button', { 'aria-label': 'Later', onclick: step(1) }, '›'),
        h('button', { onclick: () => window.print() }, 'Print'),
        h('button', { onclick: () => download(`classes-${this.period.from.slice(0, 7)}.csv`, lessonsCSV(this.lessons), 'text/csv') }, 'Save as CSV'))),
      this.pastList)
  }

  /** @param {Lesson} lesson */
  pastClass(lesson) {
    const { format } = this.app
    const { title, start, lasted_s, steps, riders, teams } = lesson
    const when = `${format.date(dateIn(start), { weekday: 'long', day: 'numeric', month: 'long' })}, ${format.clock.format(start * 1000)}`
    const plan = steps.map((step) => `${format.duration(step.length_s)} ${targetWords(step) || 'free'}`).join(', ')
    return h('article', { class: 'past-class' },
      h('div', { class: 'panel-head' }, h('div', {}, h('h3', {}, title), h('p', { class: 'hint' }, `${when}, ${format.duration(lasted_s)}${plan && `: ${plan}`}`)),
        h('button', { onclick: () => this.useAgain(lesson) }, 'Use again')),
      teams.length > 0 && h('p', {}, `Teams: ${teamWords(lesson, format)}`), riders.length > 0 ? lessonTable(lesson, `Riders of ${title}, ${when}`, format) : h('p', { class: 'hint' }, 'Nobody rode.'))
  }

  /** @param {Lesson} lesson whose plan is written into the form */
  useAgain({ title, length_s, ranking, steps }) {
    const rowOf = (/** @type {any} */ step) => Object.fromEntries(FIELDS.map(([key]) => [key, String(key === 'minutes' ? step.length_s / 60 : step[key] ?? '')]))
    this.plan = { title, minutes: String(length_s / 60), ranking, steps: /** @type {any} */ (steps.map(rowOf)) }
    this.save()
    this.showForm()
    this.form.scrollIntoView()
  }
}
