// Lines on a canvas: the traces of the floor, and the waves of the workbench at full rate. A canvas of its own costs
// less than a chart library where hundreds are drawn every second.

/** @typedef {{ x: number, y: number }} Point */

/** A canvas that knows its size in the screen's own pixels without asking the layout each time. */
export class Canvas {
  /** @param {HTMLCanvasElement} element */
  constructor(element) {
    this.element = element
    this.context = /** @type {CanvasRenderingContext2D} */ (element.getContext('2d'))
    this.width = 0
    this.height = 0
    /**
     * Called when the size has changed.
     *
     * @type {() => void}
     */
    this.onResize = () => {}
    sizes.observe(element)
    canvases.set(element, this)
  }

  /** @param {number} width @param {number} height CSS pixels */
  resize(width, height) {
    const scale = Math.min(window.devicePixelRatio || 1, 2)
    this.width = width
    this.height = height
    this.element.width = Math.round(width * scale)
    this.element.height = Math.round(height * scale)
    this.context.setTransform(scale, 0, 0, scale, 0, 0)
    this.onResize()
  }

  clear() {
    this.context.clearRect(0, 0, this.width, this.height)
  }

  /** Stops following the element's size. */
  release() {
    sizes.unobserve(this.element)
  }
}

/** @type {WeakMap<Element, Canvas>} */
const canvases = new WeakMap()
const sizes = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) canvases.get(target)?.resize(contentRect.width, contentRect.height)
})

/** The colours of waves and their grid; asked of the style sheet once a theme. */
let palette = { theme: '', x: '', y: '', z: '', ink: '', grid: '', ground: '', accent: '' }

export function colours() {
  const theme = document.documentElement.dataset.theme ?? ''
  if (palette.theme !== theme) {
    const style = getComputedStyle(document.documentElement)
    const get = (/** @type {string} */ name) => style.getPropertyValue(name).trim()
    palette = {
      theme, x: get('--x'), y: get('--y'), z: get('--z'), ink: get('--soft'), grid: get('--line'), ground: get('--card'),
      accent: get('--running'),
    }
  }
  return palette
}

/**
 * The trace of a cadence: a line with its shade, broken where nothing was said for long. A device that said 0 stays
 * there until it says more.
 *
 * @param {Canvas} canvas
 * @param {{ atMs: number, value: number }[]} points
 * @param {{ nowMs: number, spanMs: number, gapMs: number, top: number, colour: string }} look
 */
export function drawTrace(canvas, points, { nowMs, spanMs, gapMs, top, colour }) {
  const { context, width, height } = canvas
  canvas.clear()
  if (!width) return
  const x = (/** @type {number} */ atMs) => width - ((nowMs - atMs) / spanMs) * width
  const y = (/** @type {number} */ value) => height - 1 - (Math.min(value, top) / top) * (height - 3)
  context.strokeStyle = colour
  context.fillStyle = colour
  context.lineWidth = 1.75
  context.lineJoin = 'round'
  for (let start = 0; start < points.length; ) {
    let end = start + 1
    while (end < points.length && points[end].atMs - points[end - 1].atMs <= gapMs) end += 1
    const run = points.slice(start, end)
    if (points[end - 1].value === 0) run.push({ atMs: points[end]?.atMs ?? nowMs, value: 0 })
    start = end
    const line = new Path2D()
    run.forEach((point, i) => (i ? line.lineTo(x(point.atMs), y(point.value)) : line.moveTo(x(point.atMs), y(point.value))))
    context.globalAlpha = 1
    context.stroke(line)
    line.lineTo(x(run[run.length - 1].atMs), height)
    line.lineTo(x(run[0].atMs), height)
    context.globalAlpha = 0.13
    context.fill(line)
  }
  context.globalAlpha = 1
}

/**
 * A line of a chart: `values[stride · i + offset]` at `times[i]`, from `start` to before `end`, broken where times
 * are further apart than the gap.
 *
 * @typedef {{
 *   times: ArrayLike<number>, values: ArrayLike<number>, stride: number, offset: number, start: number, end: number,
 *   colour: string, width?: number, alpha?: number, gap?: number
 * }} Line
 */

/** The height of what is shown: grows at once, and shrinks slowly so that the eye can follow. */
export class Range {
  /**
   * @param {number} least the smallest height
   */
  constructor(least) {
    this.least = least
    this.low = NaN
    this.high = NaN
  }

  /**
   * @param {Line[]} lines
   */
  follow(lines) {
    let [low, high] = [Infinity, -Infinity]
    for (const { values, stride, offset, start, end } of lines) {
      for (let i = start; i < end; i += 1) {
        const value = values[stride * i + offset]
        if (value < low) low = value
        if (value > high) high = value
      }
    }
    if (!(low <= high)) return
    const lack = Math.max(0, this.least - (high - low)) / 2
    const margin = Math.max(high - low, this.least) * 0.08
    const [wantLow, wantHigh] = [low - lack - margin, high + lack + margin]
    const ease = (/** @type {number} */ had, /** @type {number} */ want) => (Number.isNaN(had) ? want : had + (want - had) * 0.04)
    this.low = Math.min(wantLow, ease(this.low, wantLow))
    this.high = Math.max(wantHigh, ease(this.high, wantHigh))
  }
}

/**
 * Draws lines over a grid with its numbers.
 *
 * @param {Canvas} canvas
 * @param {Line[]} lines
 * @param {{
 *   from: number, to: number, low: number, high: number, ink: string, grid: string, ground: string, every: number,
 *   label: (x: number) => string, marks?: (Point & { isHollow: boolean })[], guides?: { x: number, text: string }[], accent?: string,
 *   shades?: { from: number, to: number, text: string }[]
 * }} look
 */
export function drawWaves(canvas, lines, look) {
  const { context, width, height } = canvas
  const { from, to, low, high } = look
  canvas.clear()
  if (!width || !(low < high)) return
  const x = (/** @type {number} */ value) => ((value - from) / (to - from)) * width
  const y = (/** @type {number} */ value) => height - ((value - low) / (high - low)) * height
  drawGrid(canvas, look, x, y)
  drawShades(canvas, look, x)
  context.lineJoin = 'round'
  for (const line of lines) {
    context.strokeStyle = line.colour
    context.lineWidth = line.width ?? 1.5
    context.globalAlpha = line.alpha ?? 1
    context.beginPath()
    tracePath(context, line, x, y, Math.max(1, Math.floor((line.end - line.start) / (2 * width))))
    context.stroke()
  }
  context.globalAlpha = 1
  drawLabels(canvas, look, x, y)
  drawMarks(canvas, look, x, y)
  drawGuides(canvas, look, x)
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Line} line
 * @param {(value: number) => number} x
 * @param {(value: number) => number} y
 * @param {number} group samples that share a pixel: of them only the lowest and the highest are drawn
 */
function tracePath(context, { times, values, stride, offset, start, end, gap = Infinity }, x, y, group) {
  for (let i = start; i < end; i += group) {
    let [low, high] = [i, i]
    for (let k = i; k < Math.min(i + group, end); k += 1) {
      if (values[stride * k + offset] < values[stride * low + offset]) low = k
      if (values[stride * k + offset] > values[stride * high + offset]) high = k
    }
    for (const k of low === high ? [low] : [Math.min(low, high), Math.max(low, high)]) {
      if (k > start && times[k] - times[k - 1] > gap) context.moveTo(x(times[k]), y(values[stride * k + offset]))
      else context.lineTo(x(times[k]), y(values[stride * k + offset]))
    }
  }
}

/** Stretches behind the lines, each with its word where there is room.
 * @param {Canvas} canvas @param {Parameters<typeof drawWaves>[2]} look @param {(value: number) => number} x */
function drawShades({ context, height }, { shades = [], ink, grid }, x) {
  context.font = '12px system-ui, sans-serif'
  for (const { from, to, text } of shades) {
    const [left, width] = [x(from), Math.max(1, x(to) - x(from))]
    context.fillStyle = grid
    context.fillRect(left, 0, width, height)
    context.fillStyle = ink
    if (width > context.measureText(text).width + 8) context.fillText(text, left + 4, 14)
  }
}

/** The heights of the lines across, where there is room for them, from the lowest up. */
const LINE_ROOM = 45

/**
 * @param {Canvas} canvas
 * @param {Parameters<typeof drawWaves>[2]} look
 */
function heights({ height }, { low, high }) {
  const step = niceStep((high - low) / Math.max(2, height / LINE_ROOM))
  const found = []
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(value)
  return found
}

/**
 * @param {Canvas} canvas
 * @param {Parameters<typeof drawWaves>[2]} look
 * @param {(value: number) => number} x
 * @param {(value: number) => number} y
 */
function drawGrid(canvas, look, x, y) {
  const { context, width, height } = canvas
  context.lineWidth = 1
  context.strokeStyle = look.grid
  context.beginPath()
  for (const value of heights(canvas, look)) {
    const at = Math.round(y(value)) + 0.5
    context.moveTo(0, at)
    context.lineTo(width, at)
  }
  for (let value = Math.ceil(look.from / look.every) * look.every; value < look.to; value += look.every) {
    const at = Math.round(x(value)) + 0.5
    context.moveTo(at, 0)
    context.lineTo(at, height)
  }
  context.stroke()
}

/**
 * The numbers of the grid, each with a rim of the ground's colour, so that they are read where a wave crosses them.
 *
 * @param {Canvas} canvas
 * @param {Parameters<typeof drawWaves>[2]} look
 * @param {(value: number) => number} x
 * @param {(value: number) => number} y
 */
function drawLabels(canvas, look, x, y) {
  const { context, width, height } = canvas
  const write = (/** @type {string} */ text, /** @type {number} */ left, /** @type {number} */ bottom) => {
    context.strokeText(text, left, bottom)
    context.fillText(text, left, bottom)
  }
  context.font = '12px system-ui, sans-serif'
  context.lineWidth = 4
  context.lineJoin = 'round'
  context.strokeStyle = look.ground
  context.fillStyle = look.ink
  for (const value of heights(canvas, look)) {
    const at = Math.round(y(value))
    if (at > 14 && at < height - 2) write(String(Number(value.toFixed(3))), 3, at - 3)
  }
  context.textAlign = 'center'
  for (let value = Math.ceil(look.from / look.every) * look.every; value < look.to; value += look.every) {
    const [text, at] = [look.label(value), Math.round(x(value))]
    if (text && at > 40 && at < width - 14) write(text, at, height - 4)
  }
  context.textAlign = 'start'
}

/**
 * @param {Canvas} canvas
 * @param {Parameters<typeof drawWaves>[2]} look
 * @param {(value: number) => number} x
 * @param {(value: number) => number} y
 */
function drawMarks({ context }, { marks = [], accent, ink, from }, x, y) {
  context.strokeStyle = accent ?? ink
  context.fillStyle = accent ?? ink
  context.lineWidth = 1.5
  for (const mark of marks) {
    if (mark.x < from) continue
    context.beginPath()
    context.arc(x(mark.x), y(mark.y), 4.5, 0, 2 * Math.PI)
    if (mark.isHollow) context.stroke()
    else context.fill()
  }
}

/**
 * @param {Canvas} canvas
 * @param {Parameters<typeof drawWaves>[2]} look
 * @param {(value: number) => number} x
 */
function drawGuides({ context, width, height }, { guides = [], accent, ink, from, to }, x) {
  context.strokeStyle = accent ?? ink
  context.fillStyle = accent ?? ink
  context.font = '600 12px system-ui, sans-serif'
  context.lineWidth = 1.5
  for (const guide of guides) {
    if (guide.x < from || guide.x > to) continue
    const at = Math.round(x(guide.x)) + 0.5
    context.setLineDash([5, 4])
    context.beginPath()
    context.moveTo(at, 0)
    context.lineTo(at, height)
    context.stroke()
    context.setLineDash([])
    const isRight = at > width * 0.6
    context.textAlign = isRight ? 'right' : 'left'
    context.fillText(guide.text, at + (isRight ? -5 : 5), 13)
  }
  context.textAlign = 'start'
}

/**
 * 1, 2 or 5 times a power of ten, no less than a step.
 *
 * @param {number} least
 */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least))
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10)
}
