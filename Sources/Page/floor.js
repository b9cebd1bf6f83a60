// The floor: every device at a glance, for the wall.
import { FLOOR_CHANNELS, FILTERS, GROUPS, GYM_LIMITS, SORTS, arrange, isWallOfNow, takeWall, words } from './gym.js'
import { parseObject } from './bus.js'
import { ClassBoard } from './class-board.js'
import { choice, h, icon, replace, setAttribute, setText } from './dom.js'
import { JoinPanel, Wall, columnsFor } from './wall.js'
import { Canvas, drawTrace } from './waves.js'

/** Cards that are brought up to date in one frame of the screen. */
const CARDS_A_FRAME = 16
/** The size of a letter on a screen of 1920 pixels, px; page.css has it. */
const WALL_FONT_PX = 18
/** What stands above and below the cards, px. */
const AROUND_PX = 150
/** Between two looks at which devices fell silent and at the order of the cards, ms. */
const LOOK_MS = 1000
/** The top of a trace: cadences above are drawn at the edge. */
const TRACE_TOP = { rpm: 130, spm: 200 }

/** @type {Record<string, string>} */
const UNITS = { rpm: 'revolutions a minute', spm: 'steps a minute', bpm: 'beats a minute', W: 'watts' }

/** @type {Record<string, string[]>} */
const ICONS = {
  cycling: ['M5.5 20a4 4 0 1 0 0-8 4 4 0 0 0 0 8z', 'M18.5 20a4 4 0 1 0 0-8 4 4 0 0 0 0 8z', 'M5.5 16l4-8h6l3 8', 'M9.5 8l3.5 8h5.5', 'M14 4h2l-.5 4'],
  walking: ['M13 4.5a1 1 0 1 0 0-.1', 'M12.5 8l-2 6 3.5 3 1 5', 'M10.5 14l-1 4-3 4', 'M7 12l2-3.5 3.5-.5 2.5 3.5 3 .5'],
  running: ['M15 4.5a1 1 0 1 0 0-.1', 'M8 9l4.5-1.5L15 9l-3.5 5 4 3v5', 'M11.5 14L9 18l-5 .5', 'M15 9l2 2.5h3'],
  still: ['M8 5v14', 'M16 5v14'],
  driving: ['M4 16v-4l2-5h12l2 5v4z', 'M7.5 16v2.5', 'M16.5 16v2.5', 'M4 12h16'],
  heart: ['M12 20C4 14 4 6 9 6c2 0 3 2 3 2s1-2 3-2c5 0 5 8-3 14z'],
  waiting: ['M12 7v5l3 2', 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z'],
  offline: ['M4 4l16 16', 'M8 15a6 6 0 0 1 7 0', 'M4.5 11.5A11 11 0 0 1 9 9', 'M12 8.5a11 11 0 0 1 7.5 3', 'M12 19h.01'],
}

/** @type {Record<string, string>} */
const ICON_OF = {
  Cycling: 'cycling', Walking: 'walking', Running: 'running', Still: 'still', Driving: 'driving', Moving: 'waiting',
  Waiting: 'waiting', 'No news': 'offline', Offline: 'offline', 'Heart rate': 'heart', Power: 'cycling',
}

/** One device's card. */
class Card {
  /**
   * @param {import('./gym.js').Device} device
   * @param {import('./app.js').App} app
   */
  constructor(device, app) {
    this.device = device
    this.app = app
    this.name = h('a', { class: 'card-name', dir: 'auto', href: `#workbench/${device.id}` })
    this.id = h('span', { class: 'card-id' })
    this.doing = h('span', { class: 'doing-word' })
    this.doingIcon = h('span', { class: 'doing-icon' })
    this.value = h('span', { class: 'value' })
    this.unit = h('abbr', { class: 'unit' })
    this.watts = h('span')
    this.bpm = h('span')
    this.count = h('span')
    this.countUnit = h('span', { class: 'count-unit' })
    this.countEnd = h('span')
    this.today = h('span', { class: 'today' }, this.count, this.countUnit, this.countEnd)
    this.sure = h('span', { class: 'sure', role: 'img' }, h('i'), h('i'), h('i'), h('i'))
    this.problem = h('p', { class: 'problem', hidden: true })
    const canvas = h('canvas', { 'aria-hidden': 'true' })
    this.element = h('li', { class: 'card', 'data-device': device.id },
      h('div', { class: 'card-head' },
        h('h3', {}, this.name, this.id), h('span', { class: 'doing' }, this.doingIcon, this.doing)),
      h('p', { class: 'reading' }, this.value, this.unit, h('span', { class: 'readings' }, this.watts, this.bpm)),
      h('div', { class: 'trace' }, canvas),
      h('div', { class: 'card-foot' }, this.today, this.sure),
      this.problem)
    this.canvas = new Canvas(canvas)
    this.canvas.onResize = () => this.draw(performance.now())
    this.isVisible = true
    this.isDirty = true
    /** When this was brought up to date, ms, and how the device stood. */
    this.atMs = -Infinity
    this.standing = ''
  }

  /** @param {number} nowMs */
  update(nowMs) {
    const { device } = this
    const { format } = this.app
    const standing = device.standing(nowMs)
    this.atMs = nowMs
    this.standing = standing
    const isCut = this.app.bus.link !== 'online' && nowMs - device.cadenceAtMs > GYM_LIMITS.silentMs
    const isLive = !isCut && (standing === 'moving' || standing === 'still')
    const doing = isCut && standing !== 'quiet' ? 'No news' : words(device, nowMs)
    setText(this.name, device.name)
    setText(this.id, device.name === device.id ? '' : device.id)
    setText(this.doing, doing)
    const drawing = ICON_OF[doing]
    if (this.doingIcon.dataset.icon !== drawing) {
      this.doingIcon.dataset.icon = drawing
      replace(this.doingIcon, icon(...ICONS[drawing]))
    }
    const [watts, bpm] = [device.reading('watts', nowMs), device.reading('bpm', nowMs)]
    // A strap or a power meter has no cadence.
    const alone = standing === 'quiet' ? bpm ?? watts : null
    const unit = alone === null ? device.unit : bpm === null ? 'W' : 'bpm'
    const value = alone ?? (isLive ? device.value : null)
    setText(this.value, value === null ? '–' : format.count(value))
    setText(this.unit, unit)
    setAttribute(this.unit, 'title', UNITS[unit])
    setAttribute(this.element, 'data-standing', isCut ? 'silent' : alone !== null ? 'still' : standing)
    setAttribute(this.element, 'data-doing', standing === 'moving' && isLive ? device.doing : 'none')
    setText(this.watts, watts === null || unit === 'W' ? '' : `${format.count(watts)} W`)
    setText(this.bpm, bpm === null || unit === 'bpm' ? '' : `${format.count(bpm)} bpm`)
    this.updateToday(standing, alone !== null, nowMs)
    this.updateSure(isLive && standing === 'moving')
    setText(this.problem, device.problem ?? '')
    this.problem.hidden = device.problem === null
    this.draw(nowMs)
  }

  /** @param {boolean} isMoving */
  updateSure(isMoving) {
    const confidence = Number(this.device.cadence?.confidence ?? 0)
    setAttribute(this.sure, 'data-level', isMoving ? String(Math.max(1, Math.round(confidence * 4))) : '0')
    setAttribute(this.sure, 'aria-label', isMoving ? `${this.app.format.share.format(confidence)} sure` : 'no cadence')
    setAttribute(this.sure, 'title', this.sure.getAttribute('aria-label'))
  }

  /**
   * @param {import('./gym.js').Standing} standing
   * @param {boolean} isAlone whether its number is no cadence: then it may have nothing to count
   * @param {number} nowMs
   */
  updateToday(standing, isAlone, nowMs) {
    const { device } = this
    const { format } = this.app
    const isBike = device.kind === 'bike'
    // A day that has ended says nothing about today.
    const isToday = device.day !== null && Number(device.day.end) * 1000 >= Date.now()
    const counted = isToday ? device.day?.[isBike ? 'revolutions' : 'steps'] ?? 0 : 0
    const [count, unit, end] = standing === 'silent'
      ? [`nothing for ${format.duration((nowMs - device.cadenceAtMs) / 1000)}, last ${format.count(device.value ?? 0)}`, '', '']
      : isAlone && counted === 0 ? ['', '', '']
        : isToday ? [format.count(counted), isBike ? ' turns' : ' steps', ' today'] : ['nothing today yet', '', '']
    setText(this.count, count)
    setText(this.countUnit, unit)
    setText(this.countEnd, end)
  }

  /** @param {number} nowMs */
  draw(nowMs) {
    if (!this.isVisible) return
    drawTrace(this.canvas, this.device.trace, {
      nowMs, spanMs: GYM_LIMITS.traceMs, gapMs: GYM_LIMITS.silentMs, top: TRACE_TOP[this.device.unit === 'rpm' ? 'rpm' : 'spm'],
      colour: getColour(this.element),
    })
  }
}

/** @type {WeakMap<Element, { key: string, colour: string }>} */
const colours = new WeakMap()

/**
 * The colour that the style sheet gives a card's trace; asked only when what decides it has changed.
 *
 * @param {HTMLElement} card
 */
function getColour(card) {
  const key = `${card.dataset.standing} ${card.dataset.doing} ${document.documentElement.dataset.theme}`
  const known = colours.get(card)
  if (known?.key === key) return known.colour
  // A card that stands nowhere yet has none.
  const colour = getComputedStyle(card).getPropertyValue('--doing').trim()
  if (colour) colours.set(card, { key, colour })
  return colour || '#888'
}

/** The view. */
export class FloorView {
  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.app = app
    this.gym = app.gym
    /** @type {Map<string, Card>} */
    this.cards = new Map()
    this.wish = { sort: 'name', filter: 'all', group: 'none', search: '', ...app.settings.floor }
    /** @type {Card[]} */
    this.dirty = []
    this.frame = 0
    this.summary = h('p', { class: 'summary' })
    this.groups = h('div', { class: 'groups' })
    this.notes = h('p', { class: 'notes' })
    this.wall = app.role === 'viewer' ? { screen: new Wall(), join: new JoinPanel(), board: new ClassBoard(app, () => this.giveWay()) } : null
    /**
     * What history said to a screen on the wall.
     *
     * @type {Record<string, any> | null}
     */
    this.told = null
    this.element = h('section', { class: 'floor', 'aria-label': 'Floor' },
      this.wall && this.wall.board.element, this.toolbar(), this.groups, this.notes)
    this.visibility = new IntersectionObserver((entries) => this.see(entries), { rootMargin: '100px' })
    /** The order shown, as one text. */
    this.order = ''
    /** @type {(() => void)[]} */
    this.endings = []
  }

  toolbar() {
    const wish = (/** @type {'sort' | 'filter' | 'group' | 'search'} */ key) => (/** @type {string} */ value) => {
      this.wish[key] = value
      const { sort, filter, group } = this.wish
      this.app.saveSettings({ floor: { sort, filter, group } })
      this.layOut()
    }
    /** @type {HTMLInputElement} */
    const search = h('input', {
      type: 'search', placeholder: 'Name or id', 'aria-label': 'Find a device or person',
      oninput: () => wish('search')(search.value),
    })
    return h('div', { class: 'toolbar', role: 'group', 'aria-label': 'What the floor shows' },
      this.summary,
      search,
      choice('Show', FILTERS, this.wish.filter, wish('filter')).element,
      choice('Sort', SORTS, this.wish.sort, wish('sort')).element,
      choice('Group', GROUPS, this.wish.group, wish('group')).element)
  }

  start() {
    for (const channel of this.wall ? ['cadence', 'power'] : FLOOR_CHANNELS) {
      this.endings.push(this.app.bus.subscribe(`+/${channel}`, ([id], payload) => this.take(id, channel, payload)))
    }
    const timer = setInterval(() => this.look(), LOOK_MS)
    const resized = () => this.layOut()
    window.addEventListener('resize', resized)
    this.endings.push(() => clearInterval(timer), () => window.removeEventListener('resize', resized),
      this.app.bus.onLink(() => this.markAll()))
    if (this.wall) this.startWall(this.wall)
    this.markAll()
    this.layOut()
  }

  /**
   * A screen on the wall reads no configs: history says what the devices are, and who wants to be seen.
   *
   * @param {{ screen: Wall, join: JoinPanel, board: ClassBoard }} wall
   */
  startWall({ screen, join, board }) {
    screen.start()
    void join.start()
    this.endings.push(() => screen.stop(), board.start(), this.app.bus.subscribe('wall', (_, payload) => {
      this.told = parseObject(payload)
      takeWall(this.gym, this.told, Date.now() / 1000)
      this.markAll()
      this.layOut()
    }))
  }

  /** While a class runs, the wall is the class's. */
  giveWay() {
    for (const child of this.element.children) if (child !== this.wall?.board.element) child.classList.toggle('gives-way', this.wall?.board.shows !== 'nothing')
    this.layOut()
  }

  stop() {
    for (const end of this.endings.splice(0)) end()
    cancelAnimationFrame(this.frame)
    this.frame = 0
  }

  /**
   * @param {string} id
   * @param {string} channel
   * @param {Uint8Array} payload
   */
  take(id, channel, payload) {
    const value = payload.length === 0 ? undefined : channel === 'status' ? new TextDecoder().decode(payload) : parseObject(payload)
    const isKnown = this.gym.devices.has(id)
    const device = this.gym.take(id, channel, value, performance.now())
    if (this.wall && device && !isKnown) device.isOffWall = true
    if (device && this.gym.devices.has(id)) this.mark(device)
    else if (device) this.drop(id)
  }

  /** @param {string} id of a device that is forgotten */
  drop(id) {
    const card = this.cards.get(id)
    if (!card) return
    this.visibility.unobserve(card.element)
    this.cards.delete(id)
    this.layOut()
  }

  /** @param {import('./gym.js').Device} device */
  mark(device) {
    let card = this.cards.get(device.id)
    if (!card) {
      card = new Card(device, this.app)
      this.cards.set(device.id, card)
      this.visibility.observe(card.element)
      card.isDirty = false
    }
    if (card.isDirty) return
    card.isDirty = true
    this.dirty.push(card)
    this.frame ||= requestAnimationFrame(() => this.paint())
  }

  markAll() {
    for (const device of this.gym.devices.values()) this.mark(device)
  }

  /** Brings some cards up to date, and the others in the next frames. */
  paint() {
    const nowMs = performance.now()
    for (const card of this.dirty.splice(0, CARDS_A_FRAME)) {
      card.isDirty = false
      card.update(nowMs)
    }
    this.frame = this.dirty.length ? requestAnimationFrame(() => this.paint()) : 0
  }

  /** @param {IntersectionObserverEntry[]} entries */
  see(entries) {
    for (const { target, isIntersecting } of entries) {
      const card = this.cards.get(/** @type {HTMLElement} */ (target).dataset.device ?? '')
      if (!card) continue
      card.isVisible = isIntersecting
      if (isIntersecting) card.draw(performance.now())
    }
  }

  /** Once a second: which devices fell silent, how many do what, and whether the order still holds. */
  look() {
    const nowMs = performance.now()
    if (this.wall) takeWall(this.gym, this.told, Date.now() / 1000)
    for (const device of this.gym.devices.values()) {
      const card = this.cards.get(device.id)
      // What said something just now is drawn already, and all cards at once would be too much for a frame.
      if (!card || nowMs - card.atMs > LOOK_MS || card.standing !== device.standing(nowMs)) this.mark(device)
    }
    this.layOut()
  }

  layOut() {
    const nowMs = performance.now()
    const groups = arrange(this.gym.devices.values(), this.wish, nowMs)
    this.summarise(nowMs)
    const order = String(this.isWallOld) + groups.map(({ title, devices }) => `${title}:${devices.map(({ id }) => id)}`).join(';')
    const count = groups.reduce((sum, { devices }) => sum + devices.length, 0)
    const join = this.wall && this.wall.join.element
    // In pixels of a screen on which letters are not enlarged.
    const scale = Math.max(1, parseFloat(getComputedStyle(document.documentElement).fontSize) / WALL_FONT_PX)
    const columns = columnsFor(count + (join ? 1 : 0), this.groups.clientWidth / scale, window.innerHeight / scale - AROUND_PX)
    this.groups.style.setProperty('--columns', String(columns))
    if (order === this.order) return
    this.order = order
    const children = groups.map(({ title, devices }, index) =>
      h('section', { class: 'group' },
        title ? h('h2', {}, title, ' ', h('small', {}, this.app.format.count(devices.length))) : h('h2', { class: 'unseen' }, 'Devices'),
        h('ul', { class: 'cards' }, ...devices.map((device) => {
          this.mark(device)
          return /** @type {Card} */ (this.cards.get(device.id)).element
        }), index === groups.length - 1 && join)))
    if (count === 0) children.splice(0, Infinity, this.nothing(), ...(join ? [h('ul', { class: 'cards' }, join)] : []))
    replace(this.groups, ...children)
  }

  /** Whether this is a screen on the wall to which history has said nothing for a while. */
  get isWallOld() {
    return this.told !== null && !isWallOfNow(this.told, Date.now() / 1000)
  }

  nothing() {
    const isEmpty = !this.wall && this.gym.devices.size === 0
    const [title, words] = this.isWallOld
      ? ['What was said last is not of now', 'History has said nothing for minutes, or the clock of this screen is wrong.']
      : this.wall ? ['Nobody has moved yet today', 'Bikes appear here as soon as somebody rides.']
        : isEmpty ? ['No device has said anything yet', 'Devices appear here as soon as they publish. To see some move: ']
          : ['No device is like that now', 'Show everything, or clear the search.']
    return h('section', { class: 'nothing' }, h('h2', {}, title), h('p', {}, words, isEmpty && h('code', {}, 'stridebus simulate')))
  }

  /** @param {number} nowMs */
  summarise(nowMs) {
    let [cycling, onFoot, still, away, problems] = [0, 0, 0, 0, 0]
    for (const device of this.gym.devices.values()) {
      if (device.isOffWall) continue
      const standing = device.standing(nowMs)
      if (standing === 'moving') device.unit === 'rpm' ? (cycling += 1) : (onFoot += 1)
      else if (standing === 'still') still += 1
      else if (device.isAway(nowMs)) away += 1
      if (device.problem) problems += 1
    }
    const { format } = this.app
    const parts = [`${format.count(cycling)} cycling`, `${format.count(onFoot)} on foot`, `${format.count(still)} still`]
    if (away) parts.push(`${format.count(away)} away`)
    if (problems) parts.push(`${format.count(problems)} with a problem`)
    setText(this.summary, parts.join(' · '))
    setText(this.notes, this.gym.refusedDevices ? `More than ${format.count(GYM_LIMITS.devices)} devices: the others are not shown.` : '')
  }
}
