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

/**
 * The trace of a cadence: a line with its shade, broken where nothing was said for long.
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
