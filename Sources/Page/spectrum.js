// What repeats in a signal: its spectrum and its autocorrelation.

/** Values a second that both work on. */
const RATE_HZ = 50
/** Seconds that both look at. */
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
 * The amplitude at each rate a minute from 15 to 240, with a Hann window.
 *
 * @param {Float64Array} signal of `resample`
 * @returns {{ x: number, y: number }[]}
 */
export function spectrum(signal) {
  const [real, imaginary] = [new Float64Array(4 * SIZE), new Float64Array(4 * SIZE)]
  signal.forEach((value, i) => (real[i] = value * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (SIZE - 1)))))
  transform(real, imaginary)
  const points = []
  for (let i = 1; i < 2 * SIZE; i += 1) {
    const perMinute = (i * RATE_HZ * 60) / (4 * SIZE)
    if (perMinute >= 15 && perMinute <= 240) points.push({ x: perMinute, y: (4 * Math.hypot(real[i], imaginary[i])) / SIZE })
  }
  return points
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

/**
 * The discrete Fourier transform, in place (Cooley and Tukey, 1965); the length is a power of two.
 *
 * @param {Float64Array} real
 * @param {Float64Array} imaginary
 */
function transform(real, imaginary) {
  const count = real.length
  for (let i = 1, j = 0; i < count; i += 1) {
    let bit = count >> 1
    for (; j & bit; bit >>= 1) j ^= bit
    j ^= bit
    if (i < j) {
      ;[real[i], real[j]] = [real[j], real[i]]
      ;[imaginary[i], imaginary[j]] = [imaginary[j], imaginary[i]]
    }
  }
  for (let length = 2; length <= count; length *= 2) {
    for (let k = 0; k < length / 2; k += 1) {
      const [cosine, sine] = [Math.cos((-2 * Math.PI * k) / length), Math.sin((-2 * Math.PI * k) / length)]
      for (let a = k; a < count; a += length) {
        const b = a + length / 2
        const r = real[b] * cosine - imaginary[b] * sine
        const i = real[b] * sine + imaginary[b] * cosine
        real[b] = real[a] - r
        imaginary[b] = imaginary[a] - i
        real[a] += r
        imaginary[a] += i
      }
    }
  }
}
