// What repeats in a signal: its autocorrelation.

/** Values a second that it works on. */
const RATE_HZ = 50
/** Seconds that it looks at. */
export const LOOK_SECONDS = 10.24
const SIZE = 512

/**
 * A signal at 50 Hz on the line between its samples, without its mean; null where it is too short.
 *
 * @param {ArrayLike<number>} times s
 * @param {ArrayLike<number>} values
 */
export function resample(times, values) {
  const end = times[times.length - 1]
  const start = end - (SIZE - 1) / RATE_HZ
  if (!(times[0] <= start)) return null
  const result = new Float64Array(SIZE)
  let next = 1
  let sum = 0
  for (let i = 0; i < SIZE; i += 1) {
    const time = start + i / RATE_HZ
    while (next < times.length - 1 && times[next] < time) next += 1
    const span = times[next] - times[next - 1]
    const share = span > 0 ? (time - times[next - 1]) / span : 1
    result[i] = values[next - 1] + (values[next] - values[next - 1]) * Math.min(Math.max(share, 0), 1)
    sum += result[i]
  }
  return result.map((value) => value - sum / SIZE)
}

/**
 * The autocorrelation at lags up to 4 s, 1 at lag 0, each lag by as many products as it has.
 *
 * @param {Float64Array} signal of `resample`
 * @returns {{ x: number, y: number }[]} lag in seconds
 */
export function autocorrelation(signal) {
  const energy = signal.reduce((sum, value) => sum + value * value, 0) / SIZE || 1
  const points = []
  for (let lag = 0; lag <= 4 * RATE_HZ; lag += 1) {
    let sum = 0
    for (let i = lag; i < SIZE; i += 1) sum += signal[i] * signal[i - lag]
    points.push({ x: lag / RATE_HZ, y: sum / (SIZE - lag) / energy })
  }
  return points
}

/** The share of the highest point that the first one of a period has at least: multiples of a period are as high. */
const SHARE_OF_HIGHEST = 0.9

/**
 * The lag after which a signal repeats, in seconds: the first summit behind the first lag without likeness that is nearly as
 * high as the highest point there; 0 where nothing repeats.
 *
 * @param {{ x: number, y: number }[]} points of `autocorrelation`
 */
export function period(points) {
  const unlike = points.findIndex(({ y }) => y < 0)
  if (unlike < 0) return 0
  const behind = points.slice(unlike)
  const highest = Math.max(...behind.map(({ y }) => y))
  const summit = behind.find(({ y }, i) =>
    y > 0 && y >= SHARE_OF_HIGHEST * highest && y >= (behind[i + 1]?.y ?? -Infinity))
  return summit?.x ?? 0
}
