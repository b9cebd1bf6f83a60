// The browser's own motion sensors, with true units and times.

/**
 * One reading: m/s² with gravity, rad/s, and when it was measured, s since 1970.
 *
 * @typedef {{ timeSeconds: number, acc: [number, number, number], gyro: [number, number, number] | null }} Reading
 */

/** How often readings are asked for, Hz; browsers give 60 at most. */
const WANTED_HZ = 60
/** Without a first reading in this time, ms, there is no sensor or no permission to read it. */
const FIRST_READING_MS = 3000

/** Why there are no sensors, in words for the phone's user. */
export class CaptureError extends Error {}

/** Throws a `CaptureError` with the remedy where this page is not secure. */
export function checkSecure() {
  if (window.isSecureContext) return
  throw new CaptureError(
    `Browsers give motion sensors to secure pages only, and ${location.origin} is not one. ` +
    'Ask the person who runs the broker for an address that begins with https://, or open http://localhost on the machine itself.')
}

/**
 * Asks for leave where the browser wants it, which must happen in a click.
 */
export async function askLeave() {
  checkSecure()
  const motion = /** @type {any} */ (window).DeviceMotionEvent
  if (typeof motion?.requestPermission !== 'function') return
  const answer = await motion.requestPermission().catch(() => 'denied')
  if (answer !== 'granted') {
    throw new CaptureError('The browser was told not to give its motion sensors. Allow them in its settings for this page and try again.')
  }
}

/**
 * When something was measured, by the time of day. A browser's own clock (`timeOrigin` and on) stands while a phone
 * sleeps, so what it is behind is looked up again whenever the page comes to the front. No I/O: times are given.
 */
export class WallTime {
  /** A difference below, ms, is the clock being set little by little, and would tear a frame. */
  static leastMs = 1000

  /**
   * @param {number} wallMs ms since 1970
   * @param {number} pageMs ms of `performance.now()`, at the same instant
   */
  constructor(wallMs, pageMs) {
    this.offsetMs = wallMs - pageMs
  }

  /**
   * Returns whether the time of day is another one than was reckoned.
   *
   * @param {number} wallMs
   * @param {number} pageMs
   */
  renew(wallMs, pageMs) {
    const offsetMs = wallMs - pageMs
    const isOther = Math.abs(offsetMs - this.offsetMs) >= WallTime.leastMs
    if (isOther) this.offsetMs = offsetMs
    return isOther
  }

  /** @param {number} pageMs */
  seconds(pageMs) {
    return (this.offsetMs + pageMs) / 1000
  }
}

/** Readings from the sensors until `stop`. */
export class Capture {
  /**
   * @param {(reading: Reading) => void} take
   */
  constructor(take) {
    this.take = take
    this.lastTime = -Infinity
    this.wall = new WallTime(Date.now(), performance.now())
    /** What the readings come from, in words. */
    this.source = ''
    /** @type {(() => void)[]} */
    this.endings = []
    this.isStopped = false
  }

  /** Resolves with the first reading; rejects with `CaptureError`, also where it is stopped before one. */
  async start() {
    const renew = () => {
      // A clock that was set back: what comes now is not older than what came.
      if (this.wall.renew(Date.now(), performance.now())) this.lastTime = -Infinity
    }
    document.addEventListener('visibilitychange', renew)
    const way = (/** @type {(() => void)} */ begin) => new Promise((resolve, reject) => {
      if (this.isStopped) throw new CaptureError('It was stopped.')
      this.resolve = resolve
      this.reject = reject
      setTimeout(() => reject(new CaptureError('This browser gives no motion: the device has no sensor, or the browser may not read it.')), FIRST_READING_MS)
      begin()
    })
    try {
      // A page may lie open for long before a session.
      renew()
      if (!('Accelerometer' in window)) throw new CaptureError('no Generic Sensor API')
      await way(() => this.useSensors())
    } catch {
      this.endAll()
      await way(() => this.useMotionEvents())
    } finally {
      if (this.isStopped) document.removeEventListener('visibilitychange', renew)
      else this.endings.push(() => document.removeEventListener('visibilitychange', renew))
    }
  }

  stop() {
    this.isStopped = true
    this.endAll()
    this.reject?.(new CaptureError('It was stopped.'))
  }

  endAll() {
    for (const end of this.endings.splice(0)) end()
  }

  /**
   * @param {number} timeSeconds
   * @param {[number, number, number]} acc
   * @param {[number, number, number] | null} gyro
   */
  read(timeSeconds, acc, gyro) {
    if (this.isStopped || !(timeSeconds > this.lastTime) || !acc.every(Number.isFinite)) return
    this.lastTime = timeSeconds
    this.resolve?.(undefined)
    this.take({ timeSeconds, acc, gyro })
  }

  /** The Generic Sensor API: the accelerometer sets the pace, the gyroscope is read beside it. */
  useSensors() {
    const { Accelerometer, Gyroscope } = /** @type {any} */ (window)
    const accelerometer = new Accelerometer({ frequency: WANTED_HZ })
    let gyroscope = /** @type {any} */ (null)
    accelerometer.addEventListener('error', (/** @type {any} */ { error }) => this.reject?.(new CaptureError(error.message)))
    accelerometer.addEventListener('reading', () => {
      const { x, y, z, timestamp } = accelerometer
      const turning = gyroscope?.hasReading ? /** @type {[number, number, number]} */ ([gyroscope.x, gyroscope.y, gyroscope.z]) : null
      this.source = turning ? 'accelerometer and gyroscope' : 'accelerometer'
      this.read(this.wall.seconds(timestamp), [x, y, z], turning)
    })
    accelerometer.start()
    this.endings.push(() => accelerometer.stop())
    if (!Gyroscope) return
    gyroscope = new Gyroscope({ frequency: WANTED_HZ })
    gyroscope.addEventListener('error', () => (gyroscope = null))
    gyroscope.start()
    this.endings.push(() => gyroscope?.stop())
  }

  /** `devicemotion` events; W3C "Device Orientation and Motion", section 5: m/s², and degrees a second about x, y, z. */
  useMotionEvents() {
    const listener = (/** @type {DeviceMotionEvent} */ event) => {
      const { accelerationIncludingGravity: acc, rotationRate: turning } = event
      if (acc?.x == null || acc.y == null || acc.z == null) return
      const radians = Math.PI / 180
      const gyro = turning?.alpha == null || turning.beta == null || turning.gamma == null
        ? null : /** @type {[number, number, number]} */ ([turning.alpha * radians, turning.beta * radians, turning.gamma * radians])
      this.source = gyro ? 'motion events with rotation' : 'motion events without rotation'
      this.read(this.wall.seconds(event.timeStamp), [acc.x, acc.y, acc.z], gyro)
    }
    window.addEventListener('devicemotion', listener)
    this.endings.push(() => window.removeEventListener('devicemotion', listener))
  }
}

/** Readings in frames of our JSON form. */
export class Framer {
  constructor() {
    this.boot = Math.random().toString(36).slice(2, 10)
    this.sequence = 0
    /** @type {Reading[]} */
    this.readings = []
  }

  /** The readings of so long are one frame, s. */
  static frameSeconds = 0.5
  /** The most readings of a frame. */
  static mostReadings = 200

  /**
   * Takes a reading. Returns a frame where it completes one.
   *
   * @param {Reading} reading
   */
  take(reading) {
    const first = this.readings[0]
    const last = this.readings[this.readings.length - 1]
    // A frame is of one piece and has the same sensors throughout.
    const isWhole = first && (reading.timeSeconds - first.timeSeconds >= Framer.frameSeconds
      || this.readings.length >= Framer.mostReadings || (reading.gyro === null) !== (first.gyro === null)
      || reading.timeSeconds - last.timeSeconds > 1 || reading.timeSeconds <= last.timeSeconds)
    const frame = isWhole ? this.finish() : null
    this.readings.push(reading)
    return frame
  }

  /** The frame of what is left, or null. */
  finish() {
    const readings = this.readings
    if (!readings.length) return null
    this.readings = []
    const times = readings.map(({ timeSeconds }) => Math.round(timeSeconds * 1e6))
    const rows = (/** @type {number[][]} */ vectors) => vectors.map((vector) => vector.map((value) => Number(value.toFixed(4))))
    return {
      boot: this.boot,
      seq: this.sequence++,
      t: times[0] / 1e6,
      ...(times.length > 1 ? { dt_ms: times.slice(1).map((time, i) => (time - times[i]) / 1000) } : { rate_hz: WANTED_HZ }),
      acc: rows(readings.map(({ acc }) => acc)),
      ...(readings[0].gyro ? { gyro: rows(readings.map(({ gyro }) => gyro ?? [0, 0, 0])) } : {}),
    }
  }
}
