// Every sensor of a device as a series of samples. What a device does not send is derived from what it does.

/**
 * @typedef {'attitude' | 'rotationRate' | 'gravity' | 'userAcceleration' | 'acc' | 'gyro' | 'mag'} Sensor
 * @typedef {[number, number, number]} Vector
 */

/** @type {{ key: Sensor, title: string, unit: string, axes: [string, string, string], least: number }[]} */
export const SENSORS = [
  { key: 'acc', title: 'Acceleration', unit: 'm/s²', axes: ['x', 'y', 'z'], least: 4 },
  { key: 'gyro', title: 'Gyroscope', unit: 'rad/s', axes: ['x', 'y', 'z'], least: 0.2 },
  { key: 'mag', title: 'Magnetometer', unit: 'µT', axes: ['x', 'y', 'z'], least: 10 },
  { key: 'userAcceleration', title: 'User acceleration', unit: 'm/s²', axes: ['x', 'y', 'z'], least: 1 },
  { key: 'gravity', title: 'Gravity', unit: 'm/s²', axes: ['x', 'y', 'z'], least: 2 },
  { key: 'rotationRate', title: 'Rotation rate', unit: 'rad/s', axes: ['x', 'y', 'z'], least: 0.2 },
  { key: 'attitude', title: 'Attitude', unit: 'rad', axes: ['roll', 'pitch', 'yaw'], least: 0.5 },
]

/** Samples that a series keeps: a minute at 400 Hz. */
const SERIES_CAPACITY = 24_000

/** Samples of one sensor with their times, the newest last. What is older than the capacity is forgotten. */
class Series {
  constructor() {
    this.times = new Float64Array(2 * SERIES_CAPACITY)
    this.values = new Float32Array(6 * SERIES_CAPACITY)
    this.length = 0
    this.isDerived = false
  }

  /**
   * @param {number} timeSeconds
   * @param {number} x
   * @param {number} y
   * @param {number} z
   */
  push(timeSeconds, x, y, z) {
    if (this.length === 2 * SERIES_CAPACITY) {
      this.times.copyWithin(0, SERIES_CAPACITY)
      this.values.copyWithin(0, 3 * SERIES_CAPACITY)
      this.length = SERIES_CAPACITY
    }
    this.times[this.length] = timeSeconds
    this.values[3 * this.length] = x
    this.values[3 * this.length + 1] = y
    this.values[3 * this.length + 2] = z
    this.length += 1
  }

  get lastTime() {
    return this.length ? this.times[this.length - 1] : NaN
  }

  /**
   * The index of the first sample at or after a time.
   *
   * @param {number} timeSeconds
   */
  indexAt(timeSeconds) {
    let [low, high] = [0, this.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.times[middle] < timeSeconds) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The mean rate of the last two seconds, Hz, or 0 where that is not known. */
  get rateHz() {
    const first = this.indexAt(this.lastTime - 2)
    const seconds = this.lastTime - this.times[first]
    return seconds > 0 ? (this.length - 1 - first) / seconds : 0
  }
}

/** All sensors of one device. */
export class SensorBank {
  constructor() {
    /** @type {Partial<Record<Sensor, Series>>} */
    this.series = {}
    this.fusion = new Fusion()
    /** @type {string | null} */
    this.boot = null
    /** @type {number | null} */
    this.lastSequence = null
    this.frames = 0
    this.missing = 0
  }

  /**
   * Takes a frame, which stands behind those before it (`Timeline`).
   *
   * @param {import('./frames.js').Frame} frame
   */
  take(frame) {
    const { timesSeconds, sensors } = frame
    if (frame.boot === this.boot && frame.sequence !== null && this.lastSequence !== null) {
      this.missing += Math.max(0, frame.sequence - this.lastSequence - 1)
    }
    this.boot = frame.boot
    this.lastSequence = frame.sequence
    this.frames += 1
    for (const [name, values] of /** @type {[Sensor, Float32Array][]} */ (Object.entries(sensors))) {
      const series = this.get(name, false)
      const samples = values.length / 3
      for (let i = 0; i < samples; i += 1) {
        // Fewer samples than the frame has (a slow magnetometer) are spread evenly over it.
        const time = timesSeconds[Math.floor((i * timesSeconds.length) / samples)]
        series.push(time, values[3 * i], values[3 * i + 1], values[3 * i + 2])
      }
    }
    this.derive(frame)
  }

  /**
   * @param {import('./frames.js').Frame} frame
   */
  derive({ timesSeconds, sensors }) {
    const gyro = sensors.gyro ?? sensors.rotationRate
    for (let i = 0; i < timesSeconds.length; i += 1) {
      const at = (/** @type {Float32Array | undefined} */ values) =>
        values && 3 * i + 2 < values.length ? /** @type {Vector} */ ([values[3 * i], values[3 * i + 1], values[3 * i + 2]]) : null
      const [user, gravity, turning] = [at(sensors.userAcceleration), at(sensors.gravity), at(gyro)]
      const acc = at(sensors.acc) ?? (user && gravity && add(user, gravity))
      const time = timesSeconds[i]
      this.fusion.take(time, acc, turning)
      const derived = this.fusion.result
      if (acc) {
        this.put('acc', sensors, time, acc)
        this.put('gravity', sensors, time, derived.gravity)
        this.put('userAcceleration', sensors, time, subtract(acc, derived.gravity))
        this.put('attitude', sensors, time, derived.attitude)
      }
      if (turning) {
        this.put('gyro', sensors, time, turning)
        this.put('rotationRate', sensors, time, subtract(turning, derived.bias))
      }
    }
  }

  /**
   * @param {Sensor} name
   * @param {import('./frames.js').Frame['sensors']} sent what the device sent itself, which stays as it is
   * @param {number} time
   * @param {Vector} value
   */
  put(name, sent, time, [x, y, z]) {
    if (!sent[name]) this.get(name, true).push(time, x, y, z)
  }

  /**
   * @param {Sensor} name
   * @param {boolean} isDerived
   */
  get(name, isDerived) {
    const series = (this.series[name] ??= new Series())
    series.isDerived = isDerived
    return series
  }
}

/** What a complementary filter makes of acceleration and angular velocity (Mahony et al., 2008, without its integral). */
class Fusion {
  constructor() {
    /** @type {Vector} */
    this.gravity = [0, 0, 0]
    /** @type {Vector} */
    this.bias = [0, 0, 0]
    this.yaw = 0
    this.lastTime = NaN
  }

  /** How fast gravity follows the acceleration, s; slower where a gyroscope tells how the sensor turns. */
  static followSeconds = 0.4
  static followWithGyroscopeSeconds = 2
  /** Below this, rad/s, the gyroscope is at rest and shows its bias. */
  static rest = 0.05
  static biasSeconds = 5

  /**
   * @param {number} time
   * @param {Vector | null} acc
   * @param {Vector | null} turning
   */
  take(time, acc, turning) {
    const seconds = Math.min(Math.max(time - this.lastTime, 0), 0.2)
    this.lastTime = time
    if (Number.isNaN(seconds)) {
      if (acc) this.gravity = acc
      return
    }
    if (turning) {
      if (Math.hypot(...turning) < Fusion.rest) this.bias = mix(this.bias, turning, seconds / Fusion.biasSeconds)
      const rate = subtract(turning, this.bias)
      // A vector that stands still in the room turns against the sensor.
      this.gravity = subtract(this.gravity, scale(cross(rate, this.gravity), seconds))
      this.yaw = wrap(this.yaw + (dot(rate, this.gravity) / (Math.hypot(...this.gravity) || 1)) * seconds)
    }
    const follow = turning ? Fusion.followWithGyroscopeSeconds : Fusion.followSeconds
    if (acc) this.gravity = mix(this.gravity, acc, Math.min(1, seconds / follow))
  }

  get result() {
    const [x, y, z] = this.gravity
    /** @type {Vector} */
    const attitude = [Math.atan2(y, z), Math.atan2(-x, Math.hypot(y, z)), this.yaw]
    return { gravity: this.gravity, bias: this.bias, attitude }
  }
}

/** @type {(a: Vector, b: Vector) => Vector} */
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
/** @type {(a: Vector, b: Vector) => Vector} */
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
/** @type {(a: Vector, factor: number) => Vector} */
const scale = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor]
/** @type {(a: Vector, b: Vector, share: number) => Vector} */
const mix = (a, b, share) => add(a, scale(subtract(b, a), share))
/** @type {(a: Vector, b: Vector) => number} */
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
/** @type {(a: Vector, b: Vector) => Vector} */
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
/** @type {(angle: number) => number} */
const wrap = (angle) => (angle > Math.PI ? angle - 2 * Math.PI : angle < -Math.PI ? angle + 2 * Math.PI : angle)
