// One workout: its numbers, and cadence, watts and heart rate second by second on one axis of time.
import { RequestError } from './bus.js'
import { tone } from './charts.js'
import { choice, download, h, replace, setAttribute, setText } from './dom.js'
import { Canvas, drawWaves } from './waves.js'
import { CHANNELS, askFile, askWorkout, factsOf, lineOf, titleOf, unitOf } from './workouts.js'

/** @typedef {import('./workouts.js').Workout} Workout */
/** @typedef {import('./workouts.js').Channel} Channel */

/** A workout that ended so short ago may still grow, s: it is asked for again. */
const SETTLED_SECONDS = 600
const AGAIN_MS = 5000
/** Seconds that Page Up and Page Down go. */
const PAGE_SECONDS = 60
/** Between two numbers of the axis, s: the first that leaves few enough of them. */
const TIME_STEPS = [60, 120, 300, 600, 900, 1800, 3600, 7200]
const TIME_ROOM = 90
/** Seconds without a value over which a line is drawn: a sensor may speak every other second. */
const GAP_SECONDS = 3

/** @type {Record<Channel, { title: string, tone: string, least: number }>} `least`: the smallest height of its lane */
const LANES = {
  cadence: { title: 'Cadence', tone: '--cycling', least: 20 },
  watts: { title: 'Power', tone: '--running', least: 40 },
  bpm: { title: 'Heart rate', tone: '--driving', least: 20 },
}

/** The lanes of a workout over one axis, with a mark that goes by pointer and keyboard. */
export class SecondsChart {
  /** @param {Workout} workout @param {import('./workouts.js').Seconds} seconds @param {import('./format.js').Format} format */
  constructor(workout, seconds, format) {
    this.workout = workout
    this.seconds = seconds
    this.format = format
    this.from = workout.start
    this.to = Math.max(workout.end, workout.start + 1)
    /** Where the mark stands, s since 1970; null before it was put anywhere. */
    this.at = /** @type {number | null} */ (null)
    this.zone = typeof workout.zone === 'string' ? workout.zone : undefined
    this.lanes = CHANNELS.flatMap((channel) => {
      const line = lineOf(seconds, channel)
      if (line.values.length === 0) return []
      const element = h('canvas', { 'aria-hidden': 'true' })
      const canvas = new Canvas(element)
      canvas.onResize = () => this.draw()
      const [least, most] = line.values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity])
      const room = Math.max(LANES[channel].least - (most - least), (most - least) * 0.16) / 2
      return [{ channel, line, canvas, element, low: Math.max(-1, least - room), high: most + room, words: h('strong'), unit: channel === 'cadence' ? unitOf(workout) : channel === 'watts' ? 'W' : 'bpm' }]
    })
    this.slider = h('div', {
      class: 'lanes', role: 'slider', tabindex: '0', 'aria-label': 'The workout second by second',
      'aria-valuemin': 0, 'aria-valuemax': Math.round(this.to - this.from), 'aria-valuenow': 0,
      onkeydown: (event) => this.key(event), onpointermove: (event) => this.point(event), onpointerdown: (event) => this.point(event),
    }, ...this.lanes.map(({ channel, element, words }) => h('figure', { class: 'lane', 'data-lane': channel },
      h('figcaption', {}, h('span', { class: 'key' }, LANES[channel].title), words),
      h('div', { class: 'wave' }, element))))
    this.time = h('output')
    this.element = h('div', { class: 'seconds' }, this.slider, h('p', { class: 'hint' }, this.time))
    this.move(null)
  }

  release() {
    for (const { canvas } of this.lanes) canvas.release()
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: PAGE_SECONDS, PageDown: -PAGE_SECONDS, Home: -Infinity, End: Infinity }
    const step = steps[/** @type {keyof steps} */ (event.key)]
    if (step === undefined) return
    event.preventDefault()
    this.move((this.at ?? this.from) + step)
  }

  /** @param {PointerEvent} event */
  point(event) {
    const { left, width } = this.lanes[0].element.getBoundingClientRect()
    this.move(this.from + ((event.clientX - left) / width) * (this.to - this.from))
  }

  /** @param {number | null} at */
  move(at) {
    this.at = at === null ? null : Math.round(Math.min(this.to, Math.max(this.from, at)))
    const words = this.lanes.map((lane) => {
      const value = this.at === null ? null : this.seconds[lane.channel][this.at - this.seconds.start] ?? null
      const said = value === null ? '–' : this.format.count(value)
      setText(lane.words, `${said} ${lane.unit}`)
      return value === null ? `${LANES[lane.channel].title} not known` : `${said} ${lane.unit}`
    })
    const { pauses = [] } = this.workout
    const pause = pauses.find(([from, to]) => this.at !== null && this.at >= from && this.at < to)
    const since = this.at === null ? '' : `${this.format.stopwatch(this.at - this.from)} after the start, at ${this.format.time(this.at, this.zone)}${pause ? ', paused' : ''}`
    setText(this.time, since || 'Point at the lines, or use the arrow keys, for the values of a second.')
    setAttribute(this.slider, 'aria-valuenow', String((this.at ?? this.from) - this.from))
    setAttribute(this.slider, 'aria-valuetext', since ? `${since}: ${words.join(', ')}` : 'before the start')
    this.draw()
  }

  draw() {
    const [ink, grid, ground, accent] = ['--soft', '--line', '--card', '--ink'].map(tone)
    const width = this.lanes[0]?.canvas.width ?? 0
    const every = TIME_STEPS.find((step) => ((this.to - this.from) / step) * TIME_ROOM <= width) ?? 14_400
    const { pauses = [] } = this.workout
    this.lanes.forEach(({ channel, line, canvas, low, high }, i) => {
      drawWaves(canvas, [{ ...line, stride: 1, offset: 0, start: 0, end: line.times.length, colour: tone(LANES[channel].tone), gap: GAP_SECONDS }], {
        from: this.from, to: this.to, low, high, ink, grid, ground, accent, every,
        label: (at) => (i === this.lanes.length - 1 ? this.format.time(at, this.zone) : ''),
        shades: pauses.map(([from, to]) => ({ from, to, text: i === 0 ? 'paused' : '' })),
        guides: this.at === null ? [] : [{ x: this.at, text: '' }],
      })
    })
  }
}

/** The view. */
export class WorkoutView {
  /**
   * @param {import('./app.js').App} app @param {string} who whose history it was opened from: a device's id, or `@` and a person's name
   * @param {string} id
   */
  constructor(app, who, id) {
    this.app = app
    this.id = id
    this.backHash = `#history/${encodeURIComponent(who)}`
    /** @type {{ workout: Workout, seconds: import('./workouts.js').Seconds } | null} */
    this.shown = null
    this.shownText = ''
    /** @type {SecondsChart | null} */
    this.chart = null
    this.isStopped = false
    this.timer = 0
    this.status = h('p', { class: 'hint', role: 'status' }, 'Asking…')
    this.body = h('div', { class: 'history-body' })
    this.element = h('section', { class: 'history workout', 'aria-label': 'Workout' },
      h('div', { class: 'toolbar' }, h('a', { href: this.backHash }, '‹ History')), this.status, this.body)
  }

  start() {
    void this.load()
    this.timer = window.setInterval(() => {
      // What may still grow, unless its reader is about to change it.
      const isYoung = this.shown !== null && Date.now() / 1000 - this.shown.workout.end < SETTLED_SECONDS
      if (isYoung && !document.hidden && !this.body.querySelector('details[open]')) void this.load()
    }, AGAIN_MS)
  }

  stop() {
    this.isStopped = true
    clearInterval(this.timer)
    this.chart?.release()
  }

  async load() {
    try {
      await this.app.bus.online()
      const data = await askWorkout(this.app.bus, this.id)
      const text = JSON.stringify(data)
      if (this.isStopped || text === this.shownText) return
      this.shownText = text
      this.shown = data
      setText(this.status, '')
      this.show(data)
    } catch (error) {
      if (!this.isStopped) setText(this.status, error instanceof RequestError ? `No answer: ${error.message}` : String(error))
    }
  }

  recolour() {
    this.chart?.draw()
  }

  /** @param {{ workout: Workout, seconds: import('./workouts.js').Seconds }} data */
  show({ workout, seconds }) {
    const { format } = this.app
    const at = this.chart?.at ?? null
    this.chart?.release()
    this.chart = new SecondsChart(workout, seconds, format)
    const when = `${new Intl.DateTimeFormat(format.locale, { dateStyle: 'full', timeZone: this.chart.zone }).format(workout.start * 1000)}, ${format.time(workout.start, this.chart.zone)} – ${format.time(workout.end, this.chart.zone)}`
    const { kcal, kcal_source: source, kcal_formula: formula } = workout
    replace(this.body,
      h('div', {}, h('h2', { class: 'title' }, titleOf(workout)), h('p', { class: 'hint' }, when),
        h('p', { class: 'hint' }, [...(workout.persons ?? []), ...(workout.devices ?? [])].join(' · '))),
      h('dl', { class: 'tiles' }, ...factsOf(workout, format).map(([key, title, words]) =>
        h('div', { class: 'tile' }, h('dt', {}, title), h('dd', { 'data-test': key }, words)))),
      kcal !== undefined && source && h('p', { class: 'hint' }, `Energy from ${source}${formula ? `: ${formula}` : ''}.`),
      h('section', { class: 'panel' }, h('h2', {}, 'Second by second'), this.chart.lanes.length > 0
        ? this.chart.element : h('p', { class: 'hint' }, 'Its seconds are not kept any more; the numbers above are.')),
      h('div', { class: 'row' },
        h('button', { class: 'primary', onclick: () => this.save('fit') }, 'Save as FIT'), h('button', { onclick: () => this.save('csv') }, 'Save as CSV')),
      this.editor(workout))
    if (at !== null) this.chart.move(at)
  }

  /** @param {'fit' | 'csv'} format */
  async save(format) {
    setText(this.status, 'The file is being put together…')
    try {
      const { name, type, parts } = await askFile(this.app.bus, this.id, format)
      download(name, parts, type)
      setText(this.status, `Saved as ${name}.`)
    } catch (error) {
      setText(this.status, `No file: ${error instanceof Error ? error.message : error}`)
    }
  }

  /** @param {Workout} workout */
  editor({ title, kind }) {
    /** @type {HTMLInputElement} */
    const name = h('input', { type: 'text', value: title ?? '', maxlength: 80 })
    const kinds = choice('It was', [['ride', 'A ride'], ['walk', 'A walk'], ['run', 'A run']], kind, () => {})
    return h('details', { class: 'panel' }, h('summary', {}, 'Change it'), h('form', {
      class: 'form', onsubmit: (event) => {
        event.preventDefault()
        void this.edit({ title: name.value.trim(), ...(kinds.select.value !== kind && { kind: kinds.select.value }) })
      },
    }, h('label', { class: 'field' }, h('span', {}, 'Called'), name), kinds.element, h('div', { class: 'row' },
      h('button', { class: 'primary' }, 'Save'),
      h('button', { type: 'button', onclick: () => this.edit({ joined: true }) }, 'Join with the next'),
      h('button', { type: 'button', onclick: () => this.cut(this.chart?.at ?? null) }, 'Cut in two at the mark'),
      h('button', {
        type: 'button', onclick: () => window.confirm('Delete this workout? The counts of the day stay.') && this.edit({ deleted: true }),
      }, 'Delete'))))
  }

  /** @param {number | null} at s since 1970 */
  cut(at) {
    if (at === null) setText(this.status, 'First put the mark into the lines above, where it is to be cut.')
    else void this.edit({ cut_t: at })
  }

  /** @param {Record<string, unknown>} change */
  async edit(change) {
    try {
      await this.app.bus.request('workouts/edit', { id: this.id, ...change })
      this.shownText = ''
      if (change.deleted) location.hash = this.backHash
      else await this.load()
    } catch (error) {
      setText(this.status, `Not changed: ${error instanceof Error ? error.message : error}`)
    }
  }
}
