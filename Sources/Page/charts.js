// Bars and lines with axes, from Chart.js.
import {
  BarController, BarElement, CategoryScale, Chart, Filler, LineController, LineElement, LinearScale, PointElement, Tooltip,
} from 'chart.js'

Chart.register(
  BarController, BarElement, CategoryScale, Filler, LineController, LineElement, LinearScale, PointElement, Tooltip)

/** @param {string} name of a custom property of the style sheet */
export function tone(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}


function look() {
  const [ink, grid] = [tone('--soft'), tone('--line')]
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily
  Chart.defaults.font.size = 13
  Chart.defaults.color = ink
  Chart.defaults.animation = false
  return { ink, grid }
}

/**
 * What the wearer did, as a strip over the bars: shares of the width.
 *
 * @typedef {{ from: number, to: number, colour: string }[]} Bands
 */

/**
 * Bars, one a bucket, stacked where there are several series.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {{
 *   labels: string[], series: { label: string, values: number[], colour: string }[], bands: Bands,
 *   format: (value: number) => string, title: (index: number) => string, choose?: (index: number) => void
 * }} what
 */
export function drawBars(canvas, { labels, series, bands, format, title, choose }) {
  const { grid } = look()
  return new Chart(canvas, {
    type: 'bar',
    data: {
      labels,
      datasets: series.map(({ label, values, colour }) => ({
        label, data: values, backgroundColor: colour, borderRadius: 4, maxBarThickness: 54, categoryPercentage: 0.86, barPercentage: 0.92,
      })),
    },
    options: {
      maintainAspectRatio: false,
      layout: { padding: { top: bands.length ? 22 : 6 } },
      interaction: { mode: 'index', intersect: false },
      onClick: (/** @type {unknown} */ _, /** @type {{ index: number }[]} */ hit) => hit[0] && choose?.(hit[0].index),
      scales: {
        x: { stacked: true, grid: { display: false }, border: { color: grid }, ticks: { maxRotation: 0, autoSkipPadding: 12 } },
        y: { stacked: true, beginAtZero: true, suggestedMax: 10, grid: { color: grid }, border: { display: false }, ticks: { maxTicksLimit: 6, callback: (/** @type {number} */ value) => format(value) } },
      },
      plugins: { tooltip: tooltip(title, format) },
    },
    plugins: [bandsPlugin(bands)],
  })
}

/**
 * @param {Bands} bands
 */
function bandsPlugin(bands) {
  return {
    id: 'bands',
    afterDraw: (/** @type {any} */ { ctx, chartArea }) => {
      for (const { from, to, colour } of bands) {
        ctx.fillStyle = colour
        const [left, right] = [chartArea.left + from * chartArea.width, chartArea.left + to * chartArea.width]
        ctx.fillRect(left, chartArea.top - 18, Math.max(1.5, right - left), 9)
      }
    },
  }
}

/**
 * A cadence over time with the range of each minute as its shade.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {{
 *   points: { x: number, y: number | null, low: number | null, high: number | null }[], colour: string,
 *   time: (seconds: number) => string, format: (value: number) => string
 * }} what x in seconds since 1970
 */
export function drawCadence(canvas, { points, colour, time, format }) {
  const { grid } = look()
  const line = (/** @type {'y' | 'low' | 'high'} */ key) => points.map((point) => ({ x: point.x, y: point[key] }))
  const edge = { borderWidth: 0, pointRadius: 0, pointHitRadius: 0, spanGaps: false }
  return new Chart(canvas, {
    type: 'line',
    data: {
      datasets: [
        { label: 'Cadence', data: line('y'), borderColor: colour, borderWidth: 2.25, pointRadius: points.length > 90 ? 0 : 2, pointBackgroundColor: colour, tension: 0.25, spanGaps: false },
        { label: 'Lowest', data: line('low'), ...edge },
        { label: 'Highest', data: line('high'), ...edge, backgroundColor: `${colour}2e`, fill: 1 },
      ],
    },
    options: {
      maintainAspectRatio: false,
      interaction: { mode: 'index', intersect: false },
      scales: {
        x: { type: 'linear', min: points[0]?.x, max: points[points.length - 1]?.x, grid: { display: false }, border: { color: grid }, ticks: { maxRotation: 0, autoSkipPadding: 24, callback: (/** @type {number} */ value) => time(value) }, afterBuildTicks: (/** @type {any} */ axis) => (axis.ticks = roundTimes(axis.min, axis.max)) },
        y: { grid: { color: grid }, border: { display: false }, suggestedMin: 40, ticks: { maxTicksLimit: 6 } },
      },
      plugins: { tooltip: tooltip((index) => time(points[index].x), format) },
    },
  })
}

/** Between two marks of a time axis, s: the first of these that makes few enough of them. */
const TIME_STEPS = [60, 300, 600, 900, 1800, 3600, 7200, 14_400]
const MOST_TIMES = 10

/**
 * Round times between two others, in seconds since 1970.
 *
 * @param {number} first
 * @param {number} last
 */
function roundTimes(first, last) {
  const step = TIME_STEPS.find((each) => (last - first) / each <= MOST_TIMES) ?? 21_600
  const times = []
  for (let value = Math.ceil(first / step) * step; value <= last; value += step) times.push({ value })
  return times
}

/**
 * @param {(index: number) => string} title
 * @param {(value: number) => string} format
 */
function tooltip(title, format) {
  return {
    callbacks: {
      title: (/** @type {{ dataIndex: number }[]} */ items) => (items[0] ? title(items[0].dataIndex) : ''),
      label: (/** @type {any} */ { dataset, parsed }) => `${dataset.label}: ${format(parsed.y ?? 0)}`,
    },
  }
}
