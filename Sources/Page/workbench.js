// The workbench: one device's sensors at full rate, and a rule tuned by hand beside the counter's own.
import { parseObject } from './bus.js'
import { choice, h, replace, setOptions, setText } from './dom.js'
import { decodeFrame } from './frames.js'
import { Prototype } from './prototype.js'
import { RecordPanel } from './recording.js'
import { SENSORS, SensorBank } from './sensors.js'
import { Timeline } from './timeline.js'
import { RepeatsPanel, TuningPanel } from './tuning.js'
import { Canvas, Range, colours, drawWaves } from './waves.js'

/** Between two looks at what repeats, ms. */
const LOOK_MS = 500
/** The waves are shown this much later than they come, s, so that they glide. */
const GLIDE_SECONDS = 0.25
/** Without a frame for so long, ms, the device sends nothing now. */
const SILENT_MS = 3000

/** The view. */
export class WorkbenchView {
  /**
   * @param {import('./app.js').App} app
   * @param {string} device
   */
  constructor(app, device) {
    this.app = app
    this.device = device
    this.settings = {
      shown: ['acc', 'gyro', 'userAcceleration'], seconds: 10, apart: false, sensor: 'gyro', axis: 'x', f: 0.9, q: 100,
      ...app.settings.workbench,
    }
    this.timeline = new Timeline()
    this.bank = new SensorBank()
    this.prototype = new Prototype(this.settings.f, this.settings.q)
    /** Samples of the tuned series that the rule has taken. */
    this.taken = 0
    /** @type {Record<string, any>} */
    this.config = {}
    /** @type {Record<string, any> | null} */
    this.cadence = null
    this.cadenceAtMs = -Infinity
    this.frameAtMs = -Infinity
    this.isFrozen = false
    this.shownEnd = NaN
    this.lastFrameMs = 0
    /** @type {(() => void)[]} */
    this.endings = []
    /** @type {Chart[]} */
    this.charts = []
    /** @type {number | undefined} */
    this.animation = undefined
    this.foreign = false
    this.picker = choice('Device', [[this.device, this.device || 'Choose a device']], this.device, (id) => {
      location.hash = `workbench/${id}`
    })
    this.status = h('p', { class: 'summary' })
    this.chartList = h('div', { class: 'wave-list' })
    this.tuning = new TuningPanel(this)
    this.recording = new RecordPanel(app, device)
    this.repeats = new RepeatsPanel(this)
    this.element = h('section', { class: 'workbench', 'aria-label': 'Workbench' },
      h('div', { class: 'toolbar' }, this.status, this.picker.element, ...this.viewControls()),
      this.device
        ? h('div', { class: 'bench' },
          h('div', { class: 'bench-waves' }, this.sensorToggles(), this.chartList),
          h('div', { class: 'bench-side' }, this.tuning.element, this.repeats.element, this.recording.element))
        : h('p', { class: 'nothing' }, 'Choose a device to see its sensors.'))
    this.layOut()
  }

  viewControls() {
    const freeze = h('button', {
      'aria-pressed': 'false',
      onclick: () => {
        this.isFrozen = !this.isFrozen
        freeze.setAttribute('aria-pressed', String(this.isFrozen))
      },
    }, 'Freeze')
    return [
      choice('Seconds', [['5', '5 s'], ['10', '10 s'], ['30', '30 s']], String(this.settings.seconds), (value) =>
        this.set({ seconds: Number(value) })).element,
      choice('Axes', [['false', 'Together'], ['true', 'Apart']], String(this.settings.apart), (value) => {
        this.set({ apart: value === 'true' })
        this.layOut()
      }).element,
      freeze,
    ]
  }

  sensorToggles() {
    return h('fieldset', { class: 'chips' }, h('legend', { class: 'unseen' }, 'Sensors'),
      ...SENSORS.map(({ key, title }) => h('label', { class: 'chip' },
        h('input', {
          type: 'checkbox', value: key, checked: this.settings.shown.includes(key),
          onchange: (/** @type {{ target: HTMLInputElement }} */ { target }) => this.toggle(key, target.checked),
        }), title)))
  }

  /**
   * @param {string} key
   * @param {boolean} isShown
   */
  toggle(key, isShown) {
    const others = this.settings.shown.filter((/** @type {string} */ each) => each !== key)
    this.set({ shown: isShown ? [...others, key] : others })
    this.layOut()
  }

  /**
   * @param {Record<string, any>} changes
   */
  set(changes) {
    Object.assign(this.settings, changes)
    this.app.saveSettings({ workbench: this.settings })
  }

  layOut() {
    for (const chart of this.charts) chart.release()
    this.charts = SENSORS.filter(({ key }) => this.settings.shown.includes(key)).map((sensor) => new Chart(sensor, this))
    replace(this.chartList, ...this.charts.map((chart) => chart.element))
  }

  start() {
    const { bus } = this.app
    this.listDevices()
    if (!this.device) return
    const on = (/** @type {string} */ channel, /** @type {(payload: Uint8Array) => void} */ take) =>
      this.endings.push(bus.subscribe(`${this.device}/${channel}`, (_, payload) => take(payload)))
    on('imu', (payload) => this.takeFrame(payload))
    on('cadence', (payload) => {
      this.cadence = parseObject(payload)
      this.cadenceAtMs = performance.now()
    })
    on('config', (payload) => {
      this.config = parseObject(payload) ?? {}
      this.tuning.showConfig()
    })
    const timer = setInterval(() => this.look(), LOOK_MS)
    const key = (/** @type {KeyboardEvent} */ event) => this.recording.key(event)
    window.addEventListener('keydown', key)
    this.endings.push(() => clearInterval(timer), () => window.removeEventListener('keydown', key))
    const paint = (/** @type {number} */ nowMs) => {
      this.animation = requestAnimationFrame(paint)
      this.paint(nowMs)
    }
    this.animation = requestAnimationFrame(paint)
  }

  /** What would end with this view. */
  get busyWith() {
    return this.recording.recorder ? 'A recording is running.' : ''
  }

  stop() {
    for (const end of this.endings.splice(0)) end()
    if (this.animation !== undefined) cancelAnimationFrame(this.animation)
    for (const chart of this.charts) chart.release()
  }

  async listDevices() {
    const ids = await this.app.deviceIds()
    if (this.device && !ids.includes(this.device)) ids.unshift(this.device)
    setOptions(this.picker.select, [...(this.device ? [] : [['', 'Choose a device']]), ...ids.map((id) => [id, id])], this.device)
  }

  /**
   * @param {Uint8Array} payload
   */
  takeFrame(payload) {
    const sent = decodeFrame(payload)
    if (!sent) {
      this.foreign = true
      return
    }
    const nowMs = performance.now()
    this.frameAtMs = nowMs
    const frame = this.timeline.place(sent, nowMs)
    if (!frame) return
    // A picture that stands still does not tear a recording.
    this.recording.recorder?.take(frame, nowMs)
    if (this.isFrozen) return
    const before = this.bank.series[/** @type {import('./sensors.js').Sensor} */ (this.settings.sensor)]
    this.bank.take(frame)
    if (before && before !== this.tuned) this.tune({})
    this.feedPrototype()
  }

  get tuned() {
    return this.bank.series[/** @type {import('./sensors.js').Sensor} */ (this.settings.sensor)]
  }

  get tunedAxis() {
    return ['x', 'y', 'z'].indexOf(this.settings.axis)
  }

  /**
   * Takes new settings of the rule, and counts anew all that is kept.
   *
   * @param {Record<string, any>} changes
   */
  tune(changes) {
    this.set(changes)
    this.prototype = new Prototype(this.settings.f, this.settings.q)
    this.taken = 0
    this.feedPrototype()
    this.tuning.showCount()
  }

  feedPrototype() {
    const series = this.tuned
    if (!series) return
    // The series moved its samples to make room: the rule goes on with those that it has not seen.
    if (this.taken > series.length) this.taken = series.indexAt(this.prototype.lastTime / 1e6 + 1e-6)
    for (; this.taken < series.length; this.taken += 1) {
      this.prototype.take(Math.round(series.times[this.taken] * 1e6), series.values[3 * this.taken + this.tunedAxis])
    }
    this.tuning.showCount()
  }

  /** Twice a second: what repeats, and how the device stands. */
  look() {
    const nowMs = performance.now()
    this.repeats.look()
    this.tuning.showCounter(nowMs)
    this.recording.show()
    setText(this.status, this.statusWords(nowMs))
  }

  /**
   * @param {number} nowMs
   */
  statusWords(nowMs) {
    if (nowMs - this.frameAtMs > SILENT_MS) {
      if (this.foreign) return `${this.device} sends frames in a form that cannot be drawn here`
      return this.frameAtMs > 0 ? `${this.device} sends nothing at the moment` : `Waiting for samples of ${this.device}`
    }
    const rates = SENSORS.flatMap(({ key }) => {
      const series = this.bank.series[key]
      return series && !series.isDerived ? [series.rateHz] : []
    })
    const missing = this.bank.missing ? `, ${this.app.format.count(this.bank.missing)} frames missing` : ''
    return `${this.app.format.count(Math.max(...rates))} samples a second${missing}`
  }

  /**
   * @param {number} nowMs
   */
  paint(nowMs) {
    const seconds = Math.min((nowMs - this.lastFrameMs) / 1000, 0.1)
    this.lastFrameMs = nowMs
    const newest = Math.max(...Object.values(this.bank.series).map((series) => series.lastTime), -Infinity)
    if (newest === -Infinity) return
    const lack = newest - GLIDE_SECONDS - this.shownEnd
    // The clock of the device is followed a little faster or slower, and caught up with where it is far away.
    if (Math.abs(lack) < 3) this.shownEnd = Math.min(newest, this.shownEnd + seconds * (1 + Math.max(-0.9, lack)))
    else this.shownEnd = newest
    for (const chart of this.charts) chart.paint(this.shownEnd)
    this.tuning.paint()
  }
}

/** One sensor's waves: three axes together, or one under the other. */
class Chart {
  /**
   * @param {(typeof SENSORS)[number]} sensor
   * @param {WorkbenchView} view
   */
  constructor(sensor, view) {
    this.sensor = sensor
    this.view = view
    this.note = h('span', { class: 'hint' })
    const axes = view.settings.apart ? [[0], [1], [2]] : [[0, 1, 2]]
    this.parts = axes.map((numbers) => {
      const canvas = h('canvas', { role: 'img', 'aria-label': `${sensor.title}, ${numbers.map((i) => sensor.axes[i]).join(', ')}` })
      return { numbers, element: canvas, canvas: new Canvas(canvas), range: new Range(sensor.least) }
    })
    const legend = sensor.axes.map((name, i) => h('span', { class: 'axis', 'data-axis': 'xyz'[i] }, name))
    this.element = h('figure', { class: 'waves' },
      h('figcaption', {}, h('strong', {}, sensor.title), ` ${sensor.unit} `, ...legend, this.note),
      ...this.parts.map(({ element }) => h('div', { class: 'wave', 'data-apart': String(view.settings.apart) }, element)))
  }

  /**
   * @param {number} to the event time at the right edge, s
   */
  paint(to) {
    const series = this.view.bank.series[this.sensor.key]
    setText(this.note, series ? (series.isDerived ? 'derived' : 'sent') : 'not sent')
    if (!series) return
    const palette = colours()
    const from = to - this.view.settings.seconds
    const [start, end] = [Math.max(0, series.indexAt(from) - 1), series.indexAt(to)]
    for (const { numbers, canvas, range } of this.parts) {
      const lines = numbers.map((offset) => ({
        times: series.times, values: series.values, stride: 3, offset, start, end, gap: 1, colour: [palette.x, palette.y, palette.z][offset],
      }))
      range.follow(lines)
      drawWaves(canvas, lines, {
        from, to, low: range.low, high: range.high, ink: palette.ink, grid: palette.grid, ground: palette.ground,
        every: this.view.settings.seconds > 10 ? 5 : 1, label: () => '',
      })
    }
  }

  release() {
    for (const { canvas } of this.parts) canvas.release()
  }
}
