// This phone: the browser's own sensors as a device on the bus, and what is counted of them.
import { Bus, DEVICE_ID, RequestError, parseObject, randomName } from './bus.js'
import { Capture, CaptureError, Framer, askLeave, checkSecure } from './capture.js'
import { choice, h, replace, setOptions, setText } from './dom.js'
import { METRES_PER_INCH } from './format.js'
import { isNumber } from './gym.js'
import { asksAsUser } from './login.js'
import { SessionCount } from './session.js'
import { askWorkouts } from './workouts.js'

/** @type {Record<string, string[][]>} */
const PLACES = {
  wearable: [
    ['pocket', 'Trouser pocket'], ['hand', 'Hand'], ['wrist', 'Wrist or arm'], ['bag', 'Bag'], ['hip', 'Belt'], ['back', 'Lower back'],
    ['thigh', 'Thigh'], ['ankle', 'Ankle'], ['foot', 'Foot'], ['unknown', 'Somewhere else'],
  ],
  bike: [['frame', 'On the frame'], ['crank', 'On the crank'], ['unknown', 'Somewhere else']],
}

/** A cadence that came longer ago, ms, is not now's. */
const LIVE_MS = 5000
/** How long frames wait for history to have taken the config, ms. */
const CONFIG_MS = 3000
/** Between two looks whether history has a session that was finished, and for how long it is looked for, ms. */
const LOOK_MS = 2000
const LOOKING_MS = 120_000

/** The view. */
export class PhoneView {
  /**
   * @param {import('./app.js').App} app
   */
  constructor(app) {
    this.app = app
    // Where users are told apart, a device is called as its user is: another one's it may not be. So it is, too, until the
    // broker has said what the user may do.
    const user = app.login?.user ?? ''
    this.isOwn = app.role === null ? DEVICE_ID.test(user) : asksAsUser(app.role)
    const device = DEVICE_ID.test(user) ? user : `phone-${randomName().slice(0, 5)}`
    this.settings = { device, kind: 'wearable', placement: 'pocket', person: '', height: '', turn: '', ...app.settings.phone }
    if (this.isOwn) Object.assign(this.settings, { device: user, person: '' })
    /** The device that the connection speaks for. */
    this.connectedAs = ''
    /** @type {'ready' | 'starting' | 'running' | 'paused' | 'over'} */
    this.state = 'ready'
    /** @type {Bus | null} */
    this.bus = null
    this.outbox = app.frames
    /** @type {Capture | null} */
    this.capture = null
    this.framer = new Framer()
    /** @type {any} */
    this.wakeLock = null
    this.readings = 0
    this.rateHz = 0
    /** Seconds of the session before it was resumed last, and when that was. */
    this.secondsBefore = 0
    this.resumedMs = 0
    this.counted = new SessionCount()
    this.problem = ''
    /** Whether another view has taken its place. */
    this.hasEnded = false
    /** @type {(() => void)[]} */
    this.endings = []
    this.screen = h('div', { class: 'phone-screen' })
    this.element = h('section', { class: 'phone', 'aria-label': 'This phone' }, this.screen)
  }

  start() {
    const visible = () => void (this.state === 'running' && document.visibilityState === 'visible' && this.keepAwake())
    document.addEventListener('visibilitychange', visible)
    const timer = setInterval(() => this.tick(), 500)
    this.endings.push(() => document.removeEventListener('visibilitychange', visible), () => clearInterval(timer))
    void this.outbox.open()
    this.showReady()
  }

  stop() {
    this.hasEnded = true
    for (const end of this.endings.splice(0)) end()
    this.capture?.stop()
    this.capture = null
    if (this.state === 'running') this.flush()
    void this.wakeLock?.release()
    this.disconnect()
  }

  get isStarting() {
    return this.state === 'starting'
  }

  /** Whether what waits goes over the device's own connection. */
  get sendsFrames() {
    return this.bus !== null
  }

  /** Says that the device is gone, after its last frame. */
  disconnect() {
    const bus = this.bus
    this.bus = null
    if (!bus) return
    this.outbox.publish = null
    void bus.publish(`${this.connectedAs}/status`, 'offline', { retain: true }).catch(() => {}).then(() => bus.close())
    // What still waits goes on over the page's connection.
    this.app.sendKept()
  }

  /** What would end with this view. */
  get busyWith() {
    return this.state === 'running' || this.state === 'paused' ? 'This phone is counting.' : ''
  }

  showReady() {
    const { settings } = this
    const place = choice('Where it sits', PLACES[settings.kind], settings.placement, (placement) => this.save({ placement }))
    const kind = choice('It is on', [['wearable', 'A person'], ['bike', 'A bike']], settings.kind, (value) => {
      const placement = PLACES[value][0][0]
      this.save({ kind: value, placement })
      setOptions(place.select, PLACES[value], placement)
      replace(length, this.lengthField())
    })
    const length = h('div', {}, this.lengthField())
    let words = 'This phone’s motion sensors become a device on the bus: what it feels is counted, here and on the floor. Nothing is installed.'
    let canStart = true
    try {
      checkSecure()
    } catch (error) {
      words = error instanceof Error ? error.message : String(error)
      canStart = false
    }
    replace(this.screen,
      h('h2', {}, 'Make this phone a sensor'), h('p', { class: canStart ? 'hint' : 'warning' }, words),
      h('div', { class: 'form' }, kind.element, place.element,
        !this.isOwn && this.field('device', 'Called', { pattern: DEVICE_ID.source, 'aria-describedby': 'id-hint', autocapitalize: 'none', maxlength: 63 }),
        this.isOwn
          ? h('p', { class: 'hint' }, `It counts as ${this.settings.device}, as you are logged in.`)
          : h('p', { class: 'hint', id: 'id-hint' }, 'Lower-case letters, digits and dashes; another name is another device.'),
        !this.isOwn && this.field('person', 'Whose (may be empty)', { maxlength: 80 }), length),
      this.problem && h('p', { class: 'warning', role: 'alert' }, this.problem),
      h('button', { class: 'primary go', disabled: !canStart, onclick: () => this.begin() }, 'Start'))
  }

  /**
   * @param {'device' | 'person' | 'height' | 'turn'} key
   * @param {string} label
   * @param {Record<string, string | number>} more attributes of the input
   */
  field(key, label, more) {
    /** @type {HTMLInputElement} */
    const input = h('input', { type: 'text', value: this.settings[key], oninput: () => this.save({ [key]: input.value.trim() }), ...more })
    return h('label', { class: 'field' }, h('span', {}, label), input)
  }

  /** What makes metres of steps or turns. */
  lengthField() {
    const isImperial = this.app.format.units === 'imperial'
    if (this.settings.kind === 'bike') return this.field('turn', 'Metres a turn of the crank, for distance (may be empty)', { inputmode: 'decimal', name: 'turn' })
    return this.field('height', `Height in ${isImperial ? 'inches' : 'cm'}, for distance (may be empty)`, { inputmode: 'decimal', name: 'height' })
  }

  /** The length in the form of the device's config; nothing where none is given that may be true. */
  get length() {
    const { kind, height, turn } = this.settings
    const number = (/** @type {string} */ text) => Number(text.replace(',', '.'))
    if (kind === 'bike') return number(turn) >= 0.1 && number(turn) <= 50 ? { metres_per_revolution: number(turn) } : {}
    const metres = number(height) * (this.app.format.units === 'imperial' ? METRES_PER_INCH : 0.01)
    return metres >= 0.5 && metres <= 2.5 ? { height_m: Math.round(metres * 1000) / 1000 } : {}
  }

  /**
   * @param {Record<string, string>} changes
   */
  save(changes) {
    Object.assign(this.settings, changes)
    this.app.saveSettings({ phone: this.settings })
  }

  /** Begins a session: one at a time, and none in a view that was left meanwhile. */
  async begin() {
    if (this.state !== 'ready') return
    this.state = 'starting'
    this.problem = ''
    this.framer = new Framer()
    for (const control of this.screen.querySelectorAll('input, select, button')) control.setAttribute('disabled', '')
    /** @type {Capture} */
    const capture = new Capture((reading) => capture === this.capture && this.take(reading))
    try {
      if (!DEVICE_ID.test(this.settings.device)) throw new CaptureError('A name is lower-case letters, digits and dashes.')
      await askLeave()
      if (this.hasEnded) return
      this.capture = capture
      await capture.start()
    } catch (error) {
      capture.stop()
      if (this.hasEnded) return
      this.capture = null
      this.state = 'ready'
      this.problem = error instanceof CaptureError ? error.message : `The sensors do not start: ${error}`
      return this.showReady()
    }
    if (this.hasEnded) return capture.stop()
    this.connect()
    this.state = 'running'
    this.resumedMs = performance.now()
    this.counted.begin(Date.now() / 1000)
    this.mark('start')
    void this.keepAwake()
    this.showSession()
  }

  /** Begins or ends a workout by hand. One that does not reach history is one all the same: pauses part workouts, too.
   * @param {'start' | 'stop'} kind */
  mark(kind) {
    const t = Date.now() / 1000
    const { device } = this.settings
    void this.app.bus.online().then(() => this.app.bus.request(`workouts/${kind}`, { device, t })).catch(() => {})
  }

  /** Shows the workout that a session became, once history has it and nothing waits any more. */
  async openWorkout() {
    const { beganSeconds } = this.counted
    const { device } = this.settings
    const untilMs = performance.now() + LOOKING_MS
    // Until another session has begun or its reader has gone elsewhere.
    const isWanted = () => this.state === 'over' && !this.hasEnded && this.counted.beganSeconds === beganSeconds
    while (isWanted() && performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      if (this.outbox.waiting > 0 || this.bus?.link !== 'online') continue
      try {
        const workouts = await askWorkouts(this.app.bus, { device }, { from: Math.floor(beganSeconds) - 60, to: Math.ceil(Date.now() / 1000) + 60 })
        const found = workouts.filter(({ end }) => end > beganSeconds).pop()
        if (!found || !isWanted()) continue
        location.hash = ['history', this.app.ownHistory || device, 'workout', found.id].map(encodeURIComponent).join('/')
        return
      } catch (error) {
        // What else keeps it from an answer may pass.
        if (error instanceof RequestError && error.code === 'not_authorised') return
      }
    }
  }

  /** A connection of the device's own, so that the broker can say when it is gone. */
  connect() {
    const { device } = this.settings
    if (this.bus && this.connectedAs === device) {
      // What was changed since the last session is told now.
      if (this.bus.link === 'online') this.greet(this.bus).catch(() => {})
      return
    }
    this.disconnect()
    this.counted = new SessionCount()
    this.connectedAs = device
    // What waits goes behind the config of its device.
    this.outbox.publish = null
    const bus = new Bus({
      url: this.app.busURL, root: this.app.root, login: this.app.login, will: { topic: `${device}/status`, payload: 'offline' },
    })
    this.bus = bus
    const on = (/** @type {string} */ channel, /** @type {(payload: Record<string, any>) => void} */ take) =>
      bus.subscribe(`${device}/${channel}`, (_, bytes) => {
        const payload = parseObject(bytes)
        if (payload) take(payload)
      })
    on('config', (payload) => (this.counted.config = payload))
    on('cadence', (payload) => this.counted.takeCadence(payload, performance.now()))
    on('steps', (payload) => this.counted.takeSteps(payload))
    on('total', (payload) => this.counted.takeTotal(payload))
    on('day', (payload) => this.counted.takeDay(payload))
    bus.onLink((link) => {
      // Where the connection ends again, the next one begins with this anew.
      if (link === 'online') this.greet(bus).catch(() => {})
    })
  }

  /**
   * @param {Bus} bus
   */
  async greet(bus) {
    const { device, kind, placement, person } = this.settings
    await bus.publish(`${device}/status`, 'online', { retain: true })
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    const wanted = { kind, placement, zone, ...(person && { person }), ...this.length }
    const { config } = this.counted
    const isNew = Object.entries(wanted).some(([key, value]) => config[key] !== value)
    if (isNew) await Promise.race([this.describe(bus, device, wanted), new Promise((resolve) => setTimeout(resolve, CONFIG_MS))])
    // Frames go after the config, because they are counted by it.
    this.outbox.publish = (topic, text) => bus.publish(topic, text)
    void this.outbox.send()
  }

  /**
   * Says what the device is. History changes these fields alone: others may have been said on another node of the broker.
   *
   * @param {Bus} bus
   * @param {string} device
   * @param {Record<string, any>} config
   */
  async describe(bus, device, config) {
    try {
      await bus.request('devices/configure', { device, config, merge: true })
    } catch (error) {
      this.problem = `This phone’s placement was not taken: ${error instanceof Error ? error.message : error}`
    }
  }

  /**
   * @param {import('./capture.js').Reading} reading
   */
  take(reading) {
    if (this.state !== 'starting' && this.state !== 'running') return
    this.readings += 1
    this.send(this.framer.take(reading))
  }

  /**
   * @param {object | null} frame
   */
  send(frame) {
    if (frame) void this.outbox.add(`${this.settings.device}/imu`, JSON.stringify(frame))
  }

  flush() {
    this.send(this.framer.finish())
  }

  async keepAwake() {
    let lock = null
    try {
      lock = await /** @type {any} */ (navigator).wakeLock?.request('screen')
    } catch {
      // The words on the screen ask its reader to keep it on.
    }
    // It may have been paused or left meanwhile.
    if (this.state === 'running' && !this.hasEnded) this.wakeLock = lock ?? null
    else void lock?.release()
  }

  get seconds() {
    return this.secondsBefore + (this.state === 'running' ? (performance.now() - this.resumedMs) / 1000 : 0)
  }

  pause() {
    if (this.state !== 'running') return
    this.secondsBefore = this.seconds
    this.state = 'paused'
    this.flush()
    void this.wakeLock?.release()
    this.showSession()
  }

  resume() {
    if (this.state !== 'paused') return
    this.state = 'running'
    this.resumedMs = performance.now()
    void this.keepAwake()
    this.showSession()
  }

  finish() {
    if (this.state !== 'running' && this.state !== 'paused') return
    this.secondsBefore = this.seconds
    this.state = 'over'
    this.flush()
    this.mark('stop')
    void this.openWorkout()
    this.capture?.stop()
    this.capture = null
    void this.wakeLock?.release()
    this.showSession()
  }

  again() {
    if (this.state !== 'over') return
    // The broker has said meanwhile what this user may do.
    if (this.app.isViewStale) return this.app.show()
    this.secondsBefore = 0
    this.problem = ''
    this.state = 'ready'
    this.showReady()
  }

  showSession() {
    const isBike = this.settings.kind === 'bike'
    this.out = {
      cadence: h('output', { class: 'huge', 'data-test': 'phone-cadence' }, '–'),
      time: h('output', { 'data-test': 'phone-time' }, ''),
      count: h('output', { 'data-test': 'phone-count' }, '0'),
      today: h('output', { 'data-test': 'phone-today' }, '–'),
      distance: h('output', { 'data-test': 'phone-distance' }, '–'), pace: h('output', {}, '–'),
      note: h('p', { class: 'hint', role: 'status' }),
    }
    const { cadence, time, count, today, distance, pace, note } = this.out
    const tile = (/** @type {string} */ label, /** @type {HTMLElement} */ value) => h('div', { class: 'tile' }, h('dt', {}, label), h('dd', {}, value))
    replace(this.screen,
      h('p', { class: 'session-state' }, { ready: '', starting: '', running: 'Counting', paused: 'Paused', over: 'Finished' }[this.state]),
      h('p', { class: 'huge-line' }, cadence, h('span', { class: 'unit' }, isBike ? 'rpm' : 'steps a minute')),
      h('dl', { class: 'tiles' }, tile('Time', time), tile(isBike ? 'Turns' : 'Steps', count), tile('Today', today),
        tile('Distance', distance), tile(isBike ? 'Speed' : 'Pace', pace)),
      note,
      h('div', { class: 'session-buttons' },
        this.state === 'running' && h('button', { class: 'go', onclick: () => this.pause() }, 'Pause'),
        this.state === 'paused' && h('button', { class: 'primary go', onclick: () => this.resume() }, 'Go on'),
        this.state === 'over'
          ? h('button', { class: 'primary go', onclick: () => this.again() }, 'Start again')
          : h('button', { class: 'go', onclick: () => this.finish() }, 'Finish')))
    this.tick()
  }

  tick() {
    this.rateHz = this.readings * 2
    this.readings = 0
    if (!this.out || this.state === 'ready' || this.state === 'starting') return
    const { format } = this.app
    const { counted } = this
    const isBike = this.settings.kind === 'bike'
    const { value } = counted
    const isLive = isNumber(value) && (value === 0 || performance.now() - counted.cadenceAtMs < LIVE_MS)
    setText(this.out.cadence, isLive ? format.count(value) : '–')
    setText(this.out.time, format.stopwatch(this.seconds))
    setText(this.out.count, format.count(isBike ? counted.revolutions : counted.steps))
    const today = counted.todayCount(isBike ? 'revolutions' : 'steps')
    setText(this.out.today, isNumber(today) ? format.count(today) : '–')
    setText(this.out.distance, isNumber(counted.distance) ? format.distance(counted.distance) : '–')
    setText(this.out.pace, this.paceWords())
    setText(this.out.note, this.noteWords())
  }

  paceWords() {
    const { cadence, pace } = this.counted
    if (cadence && isNumber(cadence.speed_m_per_s)) return this.app.format.speed(cadence.speed_m_per_s)
    return isNumber(pace) ? this.app.format.pace(pace) : '–'
  }

  get isLengthUnknown() {
    const { config } = this.counted
    return !['height_m', 'metres_per_stride', 'metres_per_revolution'].some((key) => isNumber(config[key]))
  }

  noteWords() {
    const { format } = this.app
    const parts = []
    if (this.state === 'running') parts.push(`${format.count(this.rateHz)} readings a second from the ${this.capture?.source || 'sensors'}.`)
    const link = this.bus?.link
    if (link === 'refused') parts.push('The broker does not let this user in.')
    else if (link !== 'online') parts.push(`The broker is away; ${format.count(this.outbox.waiting)} frames are kept and go when it is back.`)
    else if (this.outbox.waiting > (this.state === 'over' ? 0 : 10)) parts.push(`${format.count(this.outbox.waiting)} frames on their way.`)
    else if (this.state === 'over') parts.push('All frames have arrived.')
    if (this.outbox.dropped) parts.push(`${format.count(this.outbox.dropped)} old frames were dropped: no more could be kept.`)
    if (this.state === 'running' && !this.wakeLock) parts.push('Keep the screen on and this page in front: browsers stop the sensors otherwise.')
    if (this.problem) parts.push(this.problem)
    if (this.isLengthUnknown) parts.push(`Distance needs ${this.settings.kind === 'bike' ? 'the metres a turn' : 'a height'}, asked for before the start.`)
    return parts.join(' ')
  }
}
