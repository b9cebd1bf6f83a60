// Frames of raw samples: our JSON and our compact JSON, told apart by their content.
import { parseObject } from './bus.js'
import { isNumber } from './gym.js'

/**
 * The samples of one frame. Each sensor has x, y, z of one sample after another; `mag` may have fewer samples. The times of a
 * frame without one begin at 0.
 *
 * @typedef {{
 *   timesSeconds: Float64Array, isUptime: boolean, isUntimed: boolean, boot: string | null, sequence: number | null,
 *   sensors: Partial<Record<RawSensor, Float32Array>>
 * }} Frame
 * @typedef {'acc' | 'gyro' | 'mag' | 'userAcceleration' | 'gravity' | 'rotationRate' | 'attitude'} RawSensor
 */

/** @type {RawSensor[]} */
const RAW_SENSORS = ['acc', 'gyro', 'mag', 'userAcceleration', 'gravity', 'rotationRate', 'attitude']
/** Samples that a frame may have. */
const MOST_SAMPLES = 4096
const STANDARD_GRAVITY = 9.80665

/**
 * Reads a frame.
 *
 * @param {Uint8Array} payload
 * @returns {Frame | null} null for anything that is neither
 */
export function decodeFrame(payload) {
  const object = parseObject(payload)
  if (!object) return null
  return Array.isArray(object.a) || Array.isArray(object.g) ? decodeCompact(object) : decodeJSON(object)
}

/**
 * @param {Record<string, any>} object
 * @returns {Frame | null}
 */
function decodeJSON(object) {
  /** @type {Frame['sensors']} */
  const sensors = {}
  let count = 0
  for (const name of RAW_SENSORS) {
    const values = flatten(object[name], name === 'attitude')
    if (!values) continue
    sensors[name] = values
    count = Math.max(count, values.length / 3)
  }
  const isUptime = !isNumber(object.t)
  const isUntimed = isUptime && !isNumber(object.uptime_ms)
  const start = isUntimed ? 0 : isUptime ? object.uptime_ms / 1000 : secondsOf(object.t)
  const timesSeconds = spread(start, count, Array.isArray(object.dt_ms)
    ? (i) => Number(object.dt_ms[i]) / 1000
    : () => (isNumber(object.dt_ms) ? object.dt_ms / 1000 : 1 / Number(object.rate_hz ?? 50)))
  return timesSeconds && { timesSeconds, isUptime, isUntimed, ...identity(object.boot, object.seq), sensors }
}

/**
 * @param {Record<string, any>} object
 * @returns {Frame | null}
 */
function decodeCompact(object) {
  const acc = scaled(object.a, STANDARD_GRAVITY / 1000)
  const gyro = scaled(object.g, 1 / 1000)
  const count = Math.max(acc?.length ?? 0, gyro?.length ?? 0) / 3
  const isUptime = !(object.t > 1e11)
  const isUntimed = !isNumber(object.t)
  const timesSeconds = spread(isUntimed ? 0 : object.t / 1000, count, () => 1 / Number(object.hz ?? 50))
  if (!timesSeconds) return null
  return { timesSeconds, isUptime, isUntimed, ...identity(object.b, object.s), sensors: { ...(acc && { acc }), ...(gyro && { gyro }) } }
}

/**
 * Rows of x, y, z in one array. An attitude may be a quaternion x, y, z, w instead, and becomes roll, pitch, yaw.
 *
 * @param {unknown} rows
 * @param {boolean} isAttitude
 */
function flatten(rows, isAttitude) {
  if (!Array.isArray(rows) || rows.length === 0 || rows.length > MOST_SAMPLES) return null
  const values = new Float32Array(rows.length * 3)
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i]
    if (!Array.isArray(row) || !row.every(isNumber)) return null
    if (isAttitude && row.length === 4) values.set(angles(row[0], row[1], row[2], row[3]), i * 3)
    else if (row.length === 3) values.set(row, i * 3)
    else return null
  }
  return values
}

/**
 * Roll, pitch and yaw of a quaternion, rad (Diebel, "Representing Attitude", 2006, equation 290).
 *
 * @param {number} x
 * @param {number} y
 * @param {number} z
 * @param {number} w
 */
function angles(x, y, z, w) {
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x)))),
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ]
}

/**
 * @param {unknown} values
 * @param {number} scale
 */
function scaled(values, scale) {
  if (!Array.isArray(values) || values.length === 0 || values.length % 3 || values.length > 3 * MOST_SAMPLES) return null
  return values.every(isNumber) ? Float32Array.from(values, (value) => value * scale) : null
}

/**
 * @param {number} start
 * @param {number} count
 * @param {(index: number) => number} step seconds from a sample to the next
 */
function spread(start, count, step) {
  if (!(count >= 1) || !isNumber(start)) return null
  const times = new Float64Array(count)
  let time = start
  for (let i = 0; i < count; i += 1) {
    times[i] = time
    const seconds = step(i)
    time += seconds >= 0 && seconds <= 10 ? seconds : 0
  }
  return times
}

/**
 * Seconds, milliseconds, microseconds or nanoseconds since 1970, told by their magnitude.
 *
 * @param {number} value
 */
function secondsOf(value) {
  if (value < 1e11) return value
  if (value < 1e14) return value / 1e3
  return value < 1e17 ? value / 1e6 : value / 1e9
}

/**
 * @param {unknown} boot
 * @param {unknown} sequence
 */
function identity(boot, sequence) {
  return {
    boot: typeof boot === 'string' || isNumber(boot) ? String(boot) : null,
    sequence: isNumber(sequence) ? sequence : null,
  }
}
