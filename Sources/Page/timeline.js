// Where the frames of a device stand on one line of time, which only goes on. No I/O and no clock: time is given.

/** A frame whose number is so much lower than the newest is of a device that began anew, not one that came late. */
const MOST_LATE_FRAMES = 1000
/** A clock that goes so much further, s, than ours between two frames has been set. */
const JUMP_SECONDS = 60
/** From the last sample of a frame to the first of the next, s, where nothing says how long. */
const USUAL_STEP_SECONDS = 0.02

/**
 * Places frames: those that came before are left out, and neither a clock that is set nor a device that starts anew or says
 * no time tears what is drawn or recorded.
 */
export class Timeline {
  constructor() {
    /** @type {string | null} */
    this.boot = null
    /** @type {number | null} */
    this.sequence = null
    /** The device's time of the last sample, and where that stands, s. */
    this.last = NaN
    this.end = NaN
    /** When the last frame came, s. */
    this.cameAt = NaN
    /** Frames without a number that were behind, one after the other. */
    this.behind = 0
  }

  /**
   * The frame with its times as they stand on the line; null for one that was there before.
   *
   * @param {import('./frames.js').Frame} frame
   * @param {number} nowMs when it came
   * @returns {import('./frames.js').Frame | null}
   */
  place(frame, nowMs) {
    const { timesSeconds: times, boot, sequence } = frame
    const now = nowMs / 1000
    const length = times[times.length - 1] - times[0]
    const isNumbered = sequence !== null && this.sequence !== null && boot === this.boot
    const ahead = isNumbered ? Number(sequence) - Number(this.sequence) : 1
    if (ahead <= 0 && ahead > -MOST_LATE_FRAMES) return null
    const went = times[0] - this.last
    const isBehind = went <= 0
    if (isBehind && !frame.isUntimed && !isNumbered && boot === this.boot) {
      // One that comes again, or a clock that was set back: then the next one is behind, too.
      this.behind += 1
      if (this.behind < 2) return null
    }
    this.behind = 0
    const passed = now - this.cameAt
    const isPlaced = !Number.isNaN(this.end)
    let shift = isPlaced ? this.end - this.last : 0
    if (frame.isUntimed || (isPlaced && (isBehind || went - passed > JUMP_SECONDS))) {
      const step = times.length > 1 ? length / (times.length - 1) : USUAL_STEP_SECONDS
      // As long after the frame before as it came after that, and not within it.
      shift = (isPlaced ? Math.max(this.end + step, this.end + passed - length) : now - length) - times[0]
    }
    this.boot = boot
    this.sequence = sequence
    this.last = times[times.length - 1]
    this.end = this.last + shift
    this.cameAt = now
    return { ...frame, timesSeconds: shift === 0 ? times : times.map((time) => time + shift) }
  }
}
