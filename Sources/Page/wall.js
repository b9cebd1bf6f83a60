// A screen on the wall: it stays awake, turns its pages, and shows a code to join with.
import qrcode from 'qrcode-generator'
import { h, replace } from './dom.js'

/** How long a page is shown, ms. */
const PAGE_MS = 12_000
/** How long nothing is turned after somebody touched the screen, ms. */
const PATIENCE_MS = 60_000

/**
 * Where to scroll for the next page, in pixels: one screen on, or back to the top from the end. No I/O.
 *
 * @param {{ top: number, height: number, whole: number, covered?: number }} screen `covered`: the height of what stays in place
 */
export function nextTop({ top, height, whole, covered = 0 }) {
  const last = Math.max(0, whole - height)
  // Half a line from the end is the end: browsers round.
  if (top >= last - 8) return 0
  return Math.min(last, top + height - covered)
}

/**
 * How many columns let so many cards fill a screen, each as large as can be and none narrower than can be read.
 *
 * @param {number} count
 * @param {number} width
 * @param {number} height that there is for them
 */
export function columnsFor(count, width, height) {
  const most = Math.max(1, Math.floor(width / (width < 700 ? 165 : 210)))
  for (let columns = 1; columns < most; columns += 1) {
    const rows = Math.ceil(count / columns)
    const cardHeight = (width / columns) * 0.62
    if (rows * cardHeight <= height && width / columns <= 640) return columns
  }
  return Math.min(most, Math.max(1, count))
}

/** What a view on the wall needs while it is shown. */
export class Wall {
  constructor() {
    /** @type {any} */
    this.lock = null
    this.touchedMs = -Infinity
    /** @type {(() => void)[]} */
    this.endings = []
  }

  start() {
    const touched = () => (this.touchedMs = performance.now())
    const visible = () => void this.keepAwake()
    for (const kind of ['pointerdown', 'wheel', 'keydown']) window.addEventListener(kind, touched, { passive: true })
    document.addEventListener('visibilitychange', visible)
    const timer = setInterval(() => this.turn(), PAGE_MS)
    document.documentElement.classList.add('on-wall')
    this.endings.push(() => document.documentElement.classList.remove('on-wall'))
    this.endings.push(() => clearInterval(timer), () => document.removeEventListener('visibilitychange', visible), () => {
      for (const kind of ['pointerdown', 'wheel', 'keydown']) window.removeEventListener(kind, touched)
    })
    void this.keepAwake()
  }

  stop() {
    for (const end of this.endings.splice(0)) end()
    void this.lock?.release()
    this.lock = null
  }

  /** A browser takes the lock back when the page is hidden. */
  async keepAwake() {
    if (document.visibilityState !== 'visible' || !this.endings.length) return
    try {
      this.lock = await /** @type {any} */ (navigator).wakeLock?.request('screen')
    } catch {
      this.lock = null
    }
  }

  turn() {
    if (performance.now() - this.touchedMs < PATIENCE_MS) return
    const { scrollHeight: whole, clientHeight: height } = document.documentElement
    if (whole <= height + 8) return
    const covered = document.querySelector('.class-head')?.clientHeight ?? 0
    window.scrollTo({ top: nextTop({ top: window.scrollY, height, whole, covered }), behavior: 'smooth' })
  }
}

/**
 * The code to join with: the address as a drawing, and in words.
 *
 * @param {string} address
 */
export function joinCode(address) {
  const code = qrcode(0, 'M')
  code.addData(address)
  code.make()
  const count = code.getModuleCount()
  const space = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(space, 'svg')
  // Four modules of white around it, as readers need (ISO/IEC 18004, section 6.3.8).
  svg.setAttribute('viewBox', `-4 -4 ${count + 8} ${count + 8}`)
  svg.setAttribute('class', 'code')
  svg.setAttribute('role', 'img')
  svg.setAttribute('aria-label', `A code for a phone’s camera: ${address}`)
  const dark = []
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) if (code.isDark(row, column)) dark.push(`M${column} ${row}h1v1h-1z`)
  }
  const path = document.createElementNS(space, 'path')
  path.setAttribute('d', dark.join(''))
  svg.appendChild(path)
  return svg
}

/**
 * Where a phone begins: the page that lets it trust the certificate, where there is one, else the page itself.
 *
 * @param {Location} here
 * @param {(address: string) => Promise<{ ok: boolean }>} ask
 */
export async function joinAddress(here, ask) {
  const page = `${here.origin}${here.pathname}${here.search}`
  if (here.protocol !== 'https:') return page
  const trust = `${here.origin}/trust`
  return await ask(trust).then(({ ok }) => (ok ? trust : page), () => page)
}

/** "Join with your phone", with its code: the last card of the floor. */
export class JoinPanel {
  constructor() {
    this.code = h('div')
    this.words = h('p', { class: 'join-address' })
    this.element = h('li', { class: 'join' },
      h('div', { class: 'join-body' }, this.code, h('div', {}, h('h2', {}, 'Join with your phone'), this.words)))
  }

  async start() {
    const address = await joinAddress(location, (address) => fetch(address, { method: 'HEAD' }))
    replace(this.code, joinCode(address))
    replace(this.words, 'Scan the code, then log in with the name and password from the desk. ', h('span', {}, address))
  }
}
