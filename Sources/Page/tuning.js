// A rule tuned by hand beside the counter's own estimator, and what repeats in the tuned axis.
import { LOOK_SECONDS, autocorrelation, period, resample } from './autocorrelation.js'
import { choice, h, setText } from './dom.js'
import { isNumber } from './gym.js'
import { WINDOW_SECONDS } from './prototype.js'
import { Canvas, Range, colours, drawWaves } from './waves.js'

/**
 * The sensors that the rule may work on.
 * @type {[key: string, text: string][]}
 */
const TUNED_SENSORS = [['acc', 'Acceleration'], ['gyro', 'Gyroscope'], ['mag', 'Magnetometer']]

/** The prototype's rule with its sliders, beside what the counter says. */
export class TuningPanel {
  /**
   * @param {import('./workbench.js').WorkbenchView} view
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
      h('p', { class: 'hint' }, 'Points are the peaks. A hollow one is counted because the window begins where the wave falls.'),
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
    const value = cadence?.cadence_rpm ?? cadence?.cadence_spm
    const isLive = isNumber(value) && (value === 0 || nowMs - cadenceAtMs < 5000)
    setText(this.counter, isLive ? app.format.tenth.format(value) : '–')
    const unit = isNumber(cadence?.cadence_spm) ? 'spm' : 'rpm'
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
    const { sensor, axis, f, q } = this.view.settings
    const config = isPrototype
      ? { estimator: 'prototype', sensor, axis, f, q } : { estimator: 'periodic', sensor: null, axis: null, f: null, q: null }
    setText(this.message, 'Writing…')
    try {
      await this.view.app.bus.request('devices/configure', { device: this.view.device, config, merge: true })
    } catch (error) {
      setText(this.message, `It was not taken: ${error instanceof Error ? error.message : error}`)
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

/** The autocorrelation of the tuned axis, with the counter's period marked. */
export class RepeatsPanel {
  /**
   * @param {import('./workbench.js').WorkbenchView} view
   */
  constructor(view) {
    this.view = view
    const canvas = h('canvas', { role: 'img', 'aria-label': 'Autocorrelation by lag' })
    this.canvas = new Canvas(canvas)
    this.note = h('p', { class: 'hint', 'data-test': 'repeats' })
    this.element = h('section', { class: 'panel', 'aria-labelledby': 'repeats-title' },
      h('h2', { id: 'repeats-title' }, 'What repeats'),
      h('span', { class: 'label' }, 'Autocorrelation, seconds'), h('div', { class: 'wave short' }, canvas), this.note)
  }

  look() {
    const { tuned: series, tunedAxis, cadence, cadenceAtMs } = this.view
    if (!series?.length) return
    const start = Math.max(0, series.indexAt(series.lastTime - LOOK_SECONDS) - 1)
    const axis = Float32Array.from({ length: series.length - start }, (_, i) => series.values[3 * (start + i) + tunedAxis])
    const signal = resample(series.times.subarray(start, series.length), axis)
    if (!signal) return setText(this.note, `Drawn once there are ${Math.ceil(LOOK_SECONDS)} seconds.`)
    const rate = performance.now() - cadenceAtMs < 5000 ? (cadence?.cadence_rpm ?? cadence?.cadence_spm ?? 0) : 0
    const points = autocorrelation(signal)
    setText(this.note, this.words(period(points), rate))
    this.draw(points, rate)
  }

  /**
   * What the drawing shows, for those who cannot see it.
   *
   * @param {number} seconds after which the axis repeats, or 0
   * @param {number} rate what the counter says, a minute, or 0
   */
  words(seconds, rate) {
    const { format } = this.view.app
    const found = seconds ? `Repeats every ${format.hundredth.format(seconds)} s.` : 'Nothing repeats.'
    return rate ? `${found} Marked is what the counter chose: ${format.count(rate)} a minute, every ${format.hundredth.format(60 / rate)} s.` : found
  }

  /**
   * @param {import('./waves.js').Point[]} points
   * @param {number} rate what the counter says, a minute, or 0
   */
  draw(points, rate) {
    const palette = colours()
    const values = points.map(({ y }) => y)
    const [low, high] = [Math.min(0, ...values), Math.max(...values)]
    const margin = (high - low) * 0.1 || 1
    drawWaves(this.canvas, [{
      times: points.map(({ x }) => x), values, stride: 1, offset: 0, start: 0, end: points.length, colour: palette.x, width: 2,
    }], {
      from: 0, to: 4, low: low - margin, high: high + 2 * margin, ink: palette.ink, grid: palette.grid, ground: palette.ground,
      every: 0.5, label: (x) => String(Number(x.toFixed(1))),
      guides: rate ? [{ x: 60 / rate, text: `${(60 / rate).toFixed(2)} s` }] : [], accent: palette.accent,
    })
  }
}
