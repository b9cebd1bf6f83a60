// The workbench: one device's sensors at full rate, and a rule tuned by hand beside the counter's own.
import { parseObject } from './bus.js'
import { choice, download, h, replace, setOptions, setText } from './dom.js'
import { decodeFrame } from './frames.js'
import { isNumber } from './gym.js'
import { Prototype, WINDOW_SECONDS } from './prototype.js'
import { Recorder } from './recorder.js'
import { SENSORS, SensorBank } from './sensors.js'
import { LOOK_SECONDS, autocorrelation, resample, spectrum } from './spectrum.js'
import { Canvas, Range, drawWaves } from './waves.js'

/** Between two looks at what repeats, ms. */
const LOOK_MS = 500
/** The waves are shown this much later than they come, s, so that they glide. */
const GLIDE_SECONDS = 0.25
/** Without a frame for so long, ms, the device sends nothing now. */
const SILENT_MS = 3000

/**
 * The sensors that the rule may work on.
 * @type {[key: string, text: string][]}
 */
const TUNED_SENSORS = [['acc', 'Acceleration'], ['gyro', 'Gyroscope'], ['mag', 'Magnetometer']]

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
    this.bank = new SensorBank()
    this.prototype = new Prototype(this.settings.f, this.settings.q)
    /** Samples of the tuned series that the rule has taken. */
    this.taken = 0
    /** @type {Recorder | null} */
    this.recorder = null
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
    this.recording = new RecordPanel(this)
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
    return h('fieldset', { class: 'chips' }, h('legend', {}, 'Sensors'),
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
    const frame = decodeFrame(payload)
    if (!frame) {
      this.foreign = true
      return
    }
    const nowMs = performance.now()
    this.frameAtMs = nowMs
    if (this.isFrozen) return
    const before = this.bank.series[/** @type {import('./sensors.js').Sensor} */ (this.settings.sensor)]
    this.bank.take(frame)
    this.recorder?.take(frame, nowMs)
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
    this.recording.show(nowMs)
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

/** What the charts are drawn with; asked of the style sheet once a theme. */
let palette = { theme: '', x: '', y: '', z: '', ink: '', grid: '', ground: '', accent: '' }

function colours() {
  const theme = document.documentElement.dataset.theme ?? ''
  if (palette.theme !== theme) {
    const style = getComputedStyle(document.documentElement)
    const get = (/** @type {string} */ name) => style.getPropertyValue(name).trim()
    palette = {
      theme, x: get('--x'), y: get('--y'), z: get('--z'), ink: get('--soft'), grid: get('--line'), ground: get('--card'),
      accent: get('--running'),
    }
  }
  return palette
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

/** The prototype's rule with its sliders, beside what the counter says. */
class TuningPanel {
  /**
   * @param {WorkbenchView} view
   */
  constructor(view) {
    this.view = view
    const { settings } = view
    this.peaks = h('output', { class: 'big', 'data-test': 'peaks' }, '0')
    this.rpm = h('span', { class: 'hint', 'data-test': 'prototype-rpm' })
    this.counter = h('output', { class: 'big', 'data-test': 'counter' }, '–')
    this.counterNote = h('span', { class: 'hint' })
    this.message = h('p', { class: 'hint', role: 'status' })
    const canvas = h('canvas', { role: 'img', 'aria-label': 'The chosen axis, raw and filtered, with its peaks marked' })
    this.canvas = new Canvas(canvas)
    this.range = new Range(0.2)
    const slider = (/** @type {'f' | 'q'} */ key, /** @type {string} */ title, /** @type {Record<string, number>} */ limits) => {
      const value = h('output', {}, String(settings[key]))
      /** @type {HTMLInputElement} */
      const input = h('input', {
        type: 'range', ...limits, value: settings[key], name: key,
        oninput: () => {
          setText(value, input.value)
          view.tune({ [key]: Number(input.value) })
        },
      })
      return h('label', { class: 'slider' }, h('span', {}, title), value, input)
    }
    this.element = h('section', { class: 'panel', 'aria-labelledby': 'tuning-title' },
      h('h2', { id: 'tuning-title' }, 'Tune by hand'),
      h('div', { class: 'pair' },
        h('div', {}, h('span', { class: 'label' }, `Peaks in ${WINDOW_SECONDS} s`), this.peaks, this.rpm),
        h('div', {}, h('span', { class: 'label' }, 'The counter says'), this.counter, this.counterNote)),
      h('div', { class: 'wave tuned' }, canvas),
      h('div', { class: 'row' },
        choice('Sensor', TUNED_SENSORS, settings.sensor, (sensor) => view.tune({ sensor })).element,
        choice('Axis', [['x', 'x'], ['y', 'y'], ['z', 'z']], settings.axis, (axis) => view.tune({ axis })).element),
      slider('f', 'Low-pass', { min: 0.75, max: 1, step: 0.01 }),
      slider('q', 'Quantise', { min: 1, max: 600, step: 1 }),
      h('div', { class: 'row' },
        h('button', { class: 'primary', onclick: () => this.use(true) }, 'Use on this device'),
        h('button', { onclick: () => this.use(false) }, 'Use the counter’s own')),
      this.message)
  }

  showCount() {
    setText(this.peaks, String(this.view.prototype.peaks))
    setText(this.rpm, `${this.view.app.format.count(this.view.prototype.rpm)} rpm`)
  }

  /**
   * @param {number} nowMs
   */
  showCounter(nowMs) {
    const { cadence, cadenceAtMs, app } = this.view
    const value = cadence?.rpm ?? cadence?.spm
    const isLive = isNumber(value) && (value === 0 || nowMs - cadenceAtMs < 5000)
    setText(this.counter, isLive ? app.format.tenth.format(value) : '–')
    const unit = isNumber(cadence?.spm) ? 'spm' : 'rpm'
    setText(this.counterNote, isLive ? `${unit}, ${app.format.share.format(cadence?.confidence ?? 0)} sure` : 'no cadence now')
  }

  showConfig() {
    const { estimator, sensor, axis, f, q } = this.view.config
    setText(this.message, estimator === 'prototype'
      ? `This device is counted by the rule: ${sensor} ${axis}, low-pass ${f}, quantise ${q}.`
      : 'This device is counted by the counter’s own estimator.')
  }

  /**
   * @param {boolean} isPrototype
   */
  async use(isPrototype) {
    const { sensor: _, axis: __, f: ___, q: ____, estimator: _____, ...others } = this.view.config
    const { sensor, axis, f, q } = this.view.settings
    const config = isPrototype ? { ...others, estimator: 'prototype', sensor, axis, f, q } : { ...others, estimator: 'periodic' }
    setText(this.message, 'Writing…')
    try {
      await this.view.app.bus.publish(`${this.view.device}/config`, config, { retain: true })
    } catch {
      setText(this.message, 'The broker did not take it. Are you allowed to write this device’s config?')
    }
  }

  paint() {
    const { tuned: series, tunedAxis, prototype, shownEnd } = this.view
    if (!series) return
    const palette = colours()
    const [to, from] = [shownEnd, shownEnd - WINDOW_SECONDS]
    const times = prototype.times
    let first = times.length
    while (first > 0 && times[first - 1] >= from) first -= 1
    let last = times.length
    while (last > first && times[last - 1] > to) last -= 1
    const raw = {
      times: series.times, values: series.values, stride: 3, offset: tunedAxis, start: Math.max(0, series.indexAt(from) - 1),
      end: series.indexAt(to), colour: palette.ink, alpha: 0.5, width: 1,
    }
    const filtered = {
      times, values: prototype.filtered, stride: 1, offset: 0, start: Math.max(0, first - 1), end: last,
      colour: [palette.x, palette.y, palette.z][tunedAxis], width: 2.5,
    }
    this.range.follow([raw, filtered])
    drawWaves(this.canvas, [raw, filtered], {
      from, to, low: this.range.low, high: this.range.high, ink: palette.ink, grid: palette.grid, ground: palette.ground, every: 1, label: () => '',
      marks: prototype.marks.filter(({ x }) => x <= to), accent: palette.accent,
    })
  }
}

/** Spectrum and autocorrelation of the tuned axis, with the counter's period marked. */
class RepeatsPanel {
  /**
   * @param {WorkbenchView} view
   */
  constructor(view) {
    this.view = view
    const canvas = (/** @type {string} */ label) => h('canvas', { role: 'img', 'aria-label': label })
    const [a, b] = [canvas('Spectrum by rate a minute'), canvas('Autocorrelation by lag')]
    this.spectrum = new Canvas(a)
    this.correlation = new Canvas(b)
    this.note = h('p', { class: 'hint' })
    this.element = h('section', { class: 'panel', 'aria-labelledby': 'repeats-title' },
      h('h2', { id: 'repeats-title' }, 'What repeats'),
      h('span', { class: 'label' }, 'Spectrum, a minute'), h('div', { class: 'wave short' }, a),
      h('span', { class: 'label' }, 'Autocorrelation, seconds'), h('div', { class: 'wave short' }, b), this.note)
  }

  look() {
    const { tuned: series, tunedAxis, cadence, cadenceAtMs } = this.view
    if (!series?.length) return
    const start = Math.max(0, series.indexAt(series.lastTime - LOOK_SECONDS) - 1)
    const axis = Float32Array.from({ length: series.length - start }, (_, i) => series.values[3 * (start + i) + tunedAxis])
    const signal = resample(series.times.subarray(start, series.length), axis)
    setText(this.note, signal ? '' : `Drawn once there are ${Math.ceil(LOOK_SECONDS)} seconds.`)
    if (!signal) return
    const rate = performance.now() - cadenceAtMs < 5000 ? (cadence?.rpm ?? cadence?.spm ?? 0) : 0
    this.draw(this.spectrum, spectrum(signal), 15, 240, 30, rate, `${Math.round(rate)}`)
    this.draw(this.correlation, autocorrelation(signal), 0, 4, 0.5, rate ? 60 / rate : 0, `${(60 / rate).toFixed(2)} s`)
  }

  /**
   * @param {Canvas} canvas
   * @param {import('./waves.js').Point[]} points
   * @param {number} from
   * @param {number} to
   * @param {number} every
   * @param {number} guide
   * @param {string} text
   */
  draw(canvas, points, from, to, every, guide, text) {
    const palette = colours()
    const values = points.map(({ y }) => y)
    const [low, high] = [Math.min(0, ...values), Math.max(...values)]
    const margin = (high - low) * 0.1 || 1
    drawWaves(canvas, [{
      times: points.map(({ x }) => x), values, stride: 1, offset: 0, start: 0, end: points.length, colour: palette.x, width: 2,
    }], {
      from, to, low: low - margin, high: high + 2 * margin, ink: palette.ink, grid: palette.grid, ground: palette.ground, every,
      label: (x) => String(Number(x.toFixed(1))), guides: guide ? [{ x: guide, text }] : [], accent: palette.accent,
    })
  }
}

/** Records what comes, and counts the taps of who counts along. */
class RecordPanel {
  /**
   * @param {WorkbenchView} view
   */
  constructor(view) {
    this.view = view
    this.button = h('button', { onclick: () => this.toggle() }, 'Record')
    this.tapButton = h('button', { class: 'tap', disabled: true, onclick: () => this.tap() }, 'Tap at each turn or step')
    this.words = h('p', { class: 'hint', role: 'status' }, 'A recording is a CSV file that ‘stridebus count’ reads. Tap, or press T, at each turn or step to count along.')
    this.files = h('div', { class: 'row' })
    this.element = h('section', { class: 'panel', 'aria-labelledby': 'record-title' },
      h('h2', { id: 'record-title' }, 'Record'), h('div', { class: 'row' }, this.button, this.tapButton), this.words, this.files)
  }

  toggle() {
    const { view } = this
    if (!view.recorder) {
      view.recorder = new Recorder()
      replace(this.files)
    } else this.finish(view.recorder)
    this.button.textContent = view.recorder ? 'Stop' : 'Record'
    this.tapButton.disabled = !view.recorder
    if (view.recorder) this.show(performance.now())
  }

  /**
   * @param {Recorder} recorder
   */
  finish(recorder) {
    const { view } = this
    const name = `${view.device}-${new Date().toISOString().slice(0, 19).replace(/[:T]/g, '-')}`
    view.recorder = null
    setText(this.words, `${view.app.format.count(recorder.rows.length)} samples, ${view.app.format.count(recorder.taps.length)} taps.`)
    replace(this.files,
      h('button', { 'data-test': 'csv', onclick: () => download(`${name}.csv`, recorder.csv, 'text/csv') }, 'Samples as CSV'),
      recorder.taps.length > 0 &&
        h('button', { onclick: () => download(`${name}-events.csv`, recorder.tapsCSV, 'text/csv') }, 'Taps as CSV'))
  }

  tap() {
    this.view.recorder?.tap(performance.now())
    this.show(performance.now())
  }

  /**
   * @param {KeyboardEvent} event
   */
  key(event) {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
    if (event.key.toLowerCase() === 't' && !event.repeat && !isTyping && this.view.recorder) this.tap()
  }

  /**
   * @param {number} _nowMs
   */
  show(_nowMs) {
    const { recorder, app } = this.view
    if (!recorder) return
    if (recorder.isFull) return this.toggle()
    setText(this.words, `${app.format.stopwatch(recorder.seconds)}, ${app.format.count(recorder.rows.length)} samples, ${app.format.count(recorder.taps.length)} taps`)
  }
}
