// A recording in the CSV layout that `stridebus count` reads, with the taps of somebody who counts along.

/** Rows that a recording may have: 25 minutes at 400 Hz. */
export const MOST_ROWS = 600_000

export class Recorder {
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
    if (timesSeconds[0] <= this.lastSeconds) return
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
   * Notes a step or a turn that somebody saw now.
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
