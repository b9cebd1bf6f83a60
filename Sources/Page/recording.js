// A recording in the CSV layout that `stridebus count` reads, with a tap at each turn or step that is seen.
import { download, h, replace, setText } from './dom.js'

/** Rows that a recording may have: 25 minutes at 400 Hz. */
const MOST_ROWS = 600_000

class Recorder {
  constructor() {
    /** @type {string[]} */
    this.rows = []
    /**
     * Seconds of the recording.
     *
     * @type {number[]}
     */
    this.taps = []
    /** Event time of the first sample, s. */
    this.startSeconds = NaN
    this.lastSeconds = NaN
    /** When the newest sample came, ms. */
    this.lastAtMs = NaN
  }

  get seconds() {
    return this.rows.length ? this.lastSeconds - this.startSeconds : 0
  }

  get isFull() {
    return this.rows.length >= MOST_ROWS
  }

  /**
   * @param {import('./frames.js').Frame} frame
   * @param {number} nowMs
   */
  take({ timesSeconds, sensors }, nowMs) {
    if (Number.isNaN(this.startSeconds)) this.startSeconds = timesSeconds[0]
    this.lastAtMs = nowMs
    const { acc = sum(sensors.userAcceleration, sensors.gravity), gyro = sensors.rotationRate, mag } = sensors
    const every = mag ? Math.max(1, Math.round((timesSeconds.length * 3) / mag.length)) : 1
    for (let i = 0; i < timesSeconds.length && !this.isFull; i += 1) {
      const isMag = mag && i % every === 0
      this.rows.push([
        (timesSeconds[i] - this.startSeconds).toFixed(6), cells(acc, i), cells(gyro, i), cells(isMag ? mag : undefined, i / every),
      ].join(','))
      this.lastSeconds = timesSeconds[i]
    }
  }

  /**
   * Notes a step or a turn that is seen now.
   *
   * @param {number} nowMs
   */
  tap(nowMs) {
    if (this.rows.length) this.taps.push(this.seconds + (nowMs - this.lastAtMs) / 1000)
  }

  get csv() {
    return `t_s,ax,ay,az,gx,gy,gz,mx,my,mz\n${this.rows.join('\n')}\n`
  }

  get tapsCSV() {
    return `t_s,event\n${this.taps.map((seconds) => `${seconds.toFixed(3)},tap\n`).join('')}`
  }
}

/**
 * @param {Float32Array | undefined} values
 * @param {number} index
 */
function cells(values, index) {
  if (!values || 3 * index + 2 >= values.length) return ',,'
  // Nine digits tell every number of single precision.
  return [0, 1, 2].map((axis) => String(Number(values[3 * index + axis].toPrecision(9)))).join(',')
}

/**
 * @param {Float32Array | undefined} a
 * @param {Float32Array | undefined} b
 */
function sum(a, b) {
  return a && b && a.length === b.length ? a.map((value, i) => value + b[i]) : undefined
}

/** Records the frames that come, with the taps of a person who counts along. */
export class RecordPanel {
  /**
   * @param {import('./app.js').App} app
   * @param {string} device
   */
  constructor(app, device) {
    this.app = app
    this.device = device
    /** @type {Recorder | null} */
    this.recorder = null
    this.button = h('button', { onclick: () => this.toggle() }, 'Record')
    this.tapButton = h('button', { class: 'tap', disabled: true, onclick: () => this.tap() }, 'Tap at each turn or step')
    this.words = h('p', { class: 'hint', role: 'status' }, 'A recording is a CSV file that ‘stridebus count’ reads. Tap, or press T, at each turn or step to count along.')
    this.files = h('div', { class: 'row' })
    this.element = h('section', { class: 'panel', 'aria-labelledby': 'record-title' },
      h('h2', { id: 'record-title' }, 'Record'), h('div', { class: 'row' }, this.button, this.tapButton), this.words, this.files)
  }

  toggle() {
    if (!this.recorder) {
      this.recorder = new Recorder()
      replace(this.files)
    } else this.finish(this.recorder)
    this.button.textContent = this.recorder ? 'Stop' : 'Record'
    this.tapButton.disabled = !this.recorder
    this.show()
  }

  /**
   * @param {Recorder} recorder
   */
  finish(recorder) {
    const { format } = this.app
    const name = `${this.device}-${new Date().toISOString().slice(0, 19).replace(/[:T]/g, '-')}`
    this.recorder = null
    setText(this.words, `${format.count(recorder.rows.length)} samples, ${format.count(recorder.taps.length)} taps.`)
    replace(this.files,
      h('button', { 'data-test': 'csv', onclick: () => download(`${name}.csv`, recorder.csv, 'text/csv') }, 'Samples as CSV'),
      recorder.taps.length > 0 &&
        h('button', { onclick: () => download(`${name}-events.csv`, recorder.tapsCSV, 'text/csv') }, 'Taps as CSV'))
  }

  tap() {
    this.recorder?.tap(performance.now())
    this.show()
  }

  /**
   * @param {KeyboardEvent} event
   */
  key(event) {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
    if (event.key.toLowerCase() === 't' && !event.repeat && !isTyping && this.recorder) this.tap()
  }

  show() {
    const { recorder, app } = this
    if (!recorder) return
    if (recorder.isFull) return this.toggle()
    setText(this.words, `${app.format.stopwatch(recorder.seconds)}, ${app.format.count(recorder.rows.length)} samples, ${app.format.count(recorder.taps.length)} taps`)
  }
}
