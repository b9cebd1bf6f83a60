// The frame around the views: where the page is, the connection and what to do about it, and the reader's settings.
import { Bus, DEVICE_ID } from './bus.js'
import { ClassesView } from './classes.js'
import { h, replace, setAttribute, setText } from './dom.js'
import { Format, unitsOf } from './format.js'
import { FloorView } from './floor.js'
import { Gym } from './gym.js'
import { HistoryView } from './history.js'
import { KeptLogin, asksAsUser, loginOf, outlivesTab, viewsOf } from './login.js'
import { Outbox } from './outbox.js'
import { PhoneView } from './phone.js'
import { WorkbenchView } from './workbench.js'
import { WorkoutView } from './workout.js'

/**
 * @typedef {{
 *   element: HTMLElement, start: () => void, stop: () => void, recolour?: () => void,
 *   busyWith?: string, isStarting?: boolean, sendsFrames?: boolean
 * }} View `busyWith`: what would end with the view, in words; empty where nothing would; `isStarting`: whether
 *   something is about to be; `sendsFrames`: whether it sends by itself
 *   what waits in the outbox
 * @typedef {{
 *   theme: 'auto' | 'light' | 'dark', units: 'auto' | import('./format.js').Units, user: string,
 *   floor?: { sort: string, filter: string, group: string }, workbench?: Record<string, any>, phone?: Record<string, any>,
 *   lesson?: Record<string, any>
 * }} Settings
 */

const STORE = 'stridebus'
/** What the system wants where the reader has said nothing. */
const DARK = matchMedia('(prefers-color-scheme: dark)')

/** @type {{ name: string, title: string, make: (app: App, ...rest: string[]) => View }[]} */
const VIEWS = [
  { name: 'floor', title: 'Floor', make: (app) => new FloorView(app) },
  { name: 'workbench', title: 'Workbench', make: (app, device) => new WorkbenchView(app, device) },
  { name: 'history', title: 'History', make: (app, who, span, date) => span === 'workout'
    ? new WorkoutView(app, who, date) : new HistoryView(app, who || app.ownHistory, span, date) },
  { name: 'class', title: 'Class', make: (app, month) => new ClassesView(app, month) },
  { name: 'phone', title: 'This phone', make: (app) => new PhoneView(app) },
]

/** The page. */
export class App {
  constructor() {
    /** @type {Settings} */
    this.settings = { theme: 'auto', units: 'auto', user: '', ...readStore() }
    this.root = new URLSearchParams(location.search).get('root') || 'stride'
    this.gym = new Gym()
    this.format = this.makeFormat()
    this.main = h('main', { id: 'main', tabindex: '-1' })
    this.linkWords = h('span')
    this.linkPill = h('p', { class: 'link', role: 'status' }, h('i', { class: 'dot', 'aria-hidden': 'true' }), this.linkWords)
    this.banner = h('p', { class: 'banner', role: 'alert', hidden: true })
    this.nav = h('nav', { 'aria-label': 'Views' })
    /** The way to keep a login that is for the tab alone. */
    this.stay = h('span')
    this.shownName = ''
    this.clock = h('time', { class: 'clock' })
    /** @type {View | null} */
    this.view = null
    /** What the address named when the present view was shown. */
    this.hash = location.hash
    this.kept = new KeptLogin(sessionStorage, localStorage)
    /** Whether the login came by the address, and may have to outlive the tab. */
    this.isByLink = false
    /** @type {Outbox | null} */
    this.outbox = null
    /** @type {import('./login.js').Role | null} */
    this.shownRole = null
    this.takeLogin()
    /** Whether the reader closed the question who they are. */
    this.isLoginPutOff = false
    this.bus = this.connect()
  }

  /** The address of the broker: its WebSocket listener is what served this page. */
  get busURL() {
    return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/`
  }

  get login() {
    return this.kept.login
  }

  /** What the user may do: as the broker says, or as it said the last time; null where nothing is known yet. */
  get role() {
    return this.bus.role ?? this.kept.known?.role ?? null
  }

  /** The device of a user who is one; empty for others. */
  get ownDevice() {
    return this.role !== null && asksAsUser(this.role) && this.role !== 'viewer' ? this.bus.user : ''
  }

  /** The person that a member is; empty for others. */
  get ownPerson() {
    return this.bus.role === null ? this.kept.known?.person ?? '' : this.bus.person
  }

  /** What History shows where the address names nothing. */
  get ownHistory() {
    return this.ownPerson ? `@${this.ownPerson}` : this.ownDevice
  }

  /**
   * Takes the login that the address carries, and takes it out of the address. Who is logged in already is asked first: a
   * link may come from anybody.
   *
   * @returns {'none' | 'asked' | 'new'}
   */
  takeLogin() {
    const found = loginOf(location.hash)
    if (!found) return 'none'
    const before = this.login
    const isOther = before !== null && (before.user !== found.login.user || before.password !== found.login.password)
    // Where it is asked first, what is shown stays.
    history.replaceState(null, '', `${location.pathname}${location.search}${isOther && this.view ? this.hash : found.hash}`)
    if (isOther) {
      this.askOther(found.login, before)
      return 'asked'
    }
    if (before) return 'none'
    this.takeLinked(found.login)
    return 'new'
  }

  /** @param {import('./login.js').Login} login */
  takeLinked(login) {
    // For the tab, until the broker has said what the user may do.
    this.kept.keep(login, false)
    this.isByLink = true
  }

  /**
   * Asks whether to log in as a link says in place of who is logged in.
   *
   * @param {import('./login.js').Login} login
   * @param {import('./login.js').Login} before
   */
  askOther(login, before) {
    document.querySelector('dialog')?.remove()
    const busy = this.view?.busyWith
    /** @type {HTMLDialogElement} */
    const dialog = h('dialog', { class: 'login', 'aria-labelledby': 'other-title', onclose: () => dialog.remove() },
      h('h2', { id: 'other-title' }, 'Another log-in'),
      h('p', {}, login.user === before.user
        ? `The link that was opened has another password of ${login.user}, who is logged in here.`
        : `The link that was opened logs in as ${login.user}; here ${before.user} is logged in. `
          + `What this phone or screen sends would count as ${login.user}’s.`),
      busy && h('p', { class: 'warning' }, `${busy} It ends with another log-in.`),
      h('div', { class: 'row' },
        h('button', { class: 'primary', 'data-test': 'stay', onclick: () => dialog.close() }, `Stay ${before.user}`),
        h('button', {
          'data-test': 'other',
          onclick: () => {
            dialog.close()
            this.takeLinked(login)
            this.reconnect()
          },
        }, login.user === before.user ? 'Take the new password' : `Log in as ${login.user}`)))
    // The first time the page itself is not there yet.
    queueMicrotask(() => {
      document.body.append(dialog)
      dialog.showModal()
    })
  }

  connect() {
    const bus = new Bus({ url: this.busURL, root: this.root, login: this.login })
    bus.onLink(() => {
      if (bus !== this.bus) return
      this.showLink()
      this.sendKept()
    })
    bus.onRole(() => bus === this.bus && this.takeRole())
    return bus
  }

  /** Shows what the user may see. What runs goes on, and the rest is shown when it has ended. */
  takeRole() {
    const { bus, kept } = this
    if (this.isByLink && this.login && bus.role !== null && outlivesTab(bus.role, location.hostname)) kept.keep(this.login, true)
    this.isByLink = false
    kept.note(bus.role ?? 'none', bus.person)
    this.sendKept()
    if (this.shownRole === bus.role) return
    if (this.view?.busyWith || this.view?.isStarting) this.showViews()
    else this.show()
  }

  /** Whether the view is that of another role than the user has now. */
  get isViewStale() {
    return this.shownRole !== this.role
  }

  /** The frames of this browser that wait for the broker. A user may send the own alone. */
  get frames() {
    const owner = this.bus.user
    if (this.outbox?.owner !== owner) this.outbox = new Outbox(owner)
    return this.outbox
  }

  /** Sends what waits, whatever is shown; a view with a connection of the device's own does it by itself. */
  sendKept() {
    const { bus, view } = this
    if (bus.link !== 'online' || bus.role === null || view?.sendsFrames) return
    const { frames } = this
    frames.publish = (topic, text) => bus.publish(topic, text)
    void frames.open().then(() => frames.send())
  }

  /** Connects anew, as another user. */
  reconnect() {
    this.bus.close()
    this.gym = new Gym()
    this.isLoginPutOff = false
    this.bus = this.connect()
    this.show()
  }

  run() {
    this.applyTheme()
    replace(document.body,
      h('a', { class: 'skip', href: '#main', onclick: (/** @type {Event} */ event) => this.skip(event) }, 'Skip to the content'),
      h('header', {}, h('h1', {}, 'stridebus'), this.nav, this.linkPill, this.clock, this.menu()),
      this.banner, this.main)
    window.addEventListener('hashchange', () => {
      const taken = this.takeLogin()
      if (taken === 'new') this.reconnect()
      else if (taken === 'none') this.navigate()
    })
    window.addEventListener('beforeunload', (event) => this.view?.busyWith && event.preventDefault())
    // Over https alone; where a broker serves the page without its types, it stays a page.
    if (location.protocol === 'https:') navigator.serviceWorker?.register('sw.js').catch(() => {})
    DARK.addEventListener('change', () => this.applyTheme())
    setInterval(() => this.tick(), 1000)
    this.tick()
    this.show()
  }

  tick() {
    setText(this.clock, this.format.clock.format(Date.now()))
    this.showLink()
  }

  /** @param {Event} event */
  skip(event) {
    event.preventDefault()
    this.main.focus()
  }

  /** Goes where the address says, unless something would end that its reader wants to keep. */
  navigate() {
    const busyWith = this.view?.busyWith
    if (busyWith && !window.confirm(`${busyWith} End it?`)) {
      history.replaceState(null, '', this.hash || '#')
      return
    }
    this.show()
  }

  /** The views that are for this user. */
  get views() {
    const names = viewsOf(this.role ?? 'none')
    return names.flatMap((name) => VIEWS.filter((each) => each.name === name))
  }

  /** Shows the view that the address names. */
  show() {
    this.hash = location.hash
    const [name, ...rest] = location.hash.slice(1).split('/').map(decode)
    const { views } = this
    const view = views.find((each) => each.name === name) ?? views[0]
    this.view?.stop()
    this.view = view.make(this, rest[0] ?? '', ...rest.slice(1))
    this.shownRole = this.role
    this.shownName = view.name
    this.showViews()
    document.title = `${view.title} · stridebus`
    replace(this.main, this.view.element)
    this.view.start()
    this.sendKept()
  }

  /** The names of the views. */
  showViews() {
    document.documentElement.dataset.role = this.role ?? ''
    replace(this.nav, ...this.views.map((each) =>
      h('a', { href: `#${each.name}`, 'aria-current': each.name === this.shownName ? 'page' : null }, each.title)))
    const stays = this.kept.isOfTab && this.role === 'operator'
    replace(this.stay, stays && h('button', { onclick: () => this.stayLoggedIn() }, 'Stay logged in here'))
  }

  /** Keeps a login that was for the tab alone. */
  stayLoggedIn() {
    const { login, bus, kept } = this
    if (login) kept.keep(login, true)
    kept.note(bus.role ?? 'none', bus.person)
    this.showViews()
  }

  showLink() {
    const { link, linkSinceMs } = this.bus
    const seconds = (performance.now() - linkSinceMs) / 1000
    const words = { connecting: 'Connecting…', online: 'Live', lost: 'Reconnecting…', refused: 'Not logged in' }[link]
    setText(this.linkWords, words)
    setAttribute(this.linkPill, 'data-link', link)
    if (link === 'refused') return this.isLoginPutOff ? this.offerLogin() : this.askLogin()
    const isLong = link === 'lost' || (link === 'connecting' && seconds > 5)
    this.banner.hidden = !isLong
    if (!isLong) return
    const since = this.format.clockSeconds.format(Date.now() - seconds * 1000)
    setText(this.banner, link === 'lost'
      ? `The connection to the broker was lost at ${since}. Trying again every second; what you see is from before.`
      : 'The broker does not answer. Trying again every second.')
  }

  /** A way back to the question that was closed. */
  offerLogin() {
    this.banner.hidden = false
    if (this.banner.querySelector('button')) return
    replace(this.banner, 'Nothing is shown before you log in. ', h('button', { onclick: () => this.askLogin() }, 'Log in'))
  }

  askLogin() {
    if (document.querySelector('dialog')) return
    const before = this.login
    const user = h('input', { name: 'user', autocomplete: 'username', autocapitalize: 'none', required: true, value: before?.user ?? this.settings.user })
    const password = h('input', { name: 'password', type: 'password', autocomplete: 'current-password' })
    const stays = h('input', { name: 'stays', type: 'checkbox' })
    let isDone = false
    const dialog = h('dialog', {
      class: 'login', 'aria-labelledby': 'login-title',
      onclose: () => {
        dialog.remove()
        if (isDone) return
        this.isLoginPutOff = true
        this.showLink()
      },
    },
      h('form', {
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault()
          this.kept.keep({ user: user.value.trim(), password: password.value }, stays.checked)
          this.saveSettings({ user: user.value.trim() })
          isDone = true
          dialog.close()
          dialog.remove()
          this.reconnect()
        },
      },
      h('h2', { id: 'login-title' }, 'Log in'),
      h('p', {}, before
        ? 'The broker does not know this user and password. Try again, or ask the person who runs it.'
        : 'This broker asks who you are. The person who runs it gives you a user and a password.'),
      h('label', { class: 'field' }, h('span', {}, 'User'), user),
      h('label', { class: 'field' }, h('span', {}, 'Password'), password),
      h('label', { class: 'tick' }, stays, ' Stay logged in, on a screen or phone that is yours'),
      h('button', { class: 'primary' }, 'Log in')))
    document.body.append(dialog)
    dialog.showModal()
  }

  logOut() {
    if (this.view?.busyWith && !window.confirm(`${this.view.busyWith} End it?`)) return
    this.kept.forget()
    this.reconnect()
  }

  menu() {
    const radios = (/** @type {string} */ title, /** @type {'theme' | 'units'} */ key, /** @type {[string, string][]} */ options) =>
      h('fieldset', {}, h('legend', {}, title), ...options.map(([value, text]) =>
        h('label', {}, h('input', {
          type: 'radio', name: key, value, checked: this.settings[key] === value,
          onchange: () => this.change(key, value),
        }), text)))
    return h('details', { class: 'menu' },
      h('summary', { 'aria-label': 'Settings' }, '⚙'),
      h('div', { class: 'menu-body' },
        radios('Look', 'theme', [['auto', 'As the system'], ['light', 'Light'], ['dark', 'Dark']]),
        radios('Units', 'units', [['auto', 'As the language'], ['metric', 'Kilometres'], ['imperial', 'Miles']]),
        h('button', { onclick: () => document.documentElement.requestFullscreen?.() }, 'Fill the screen'),
        this.stay,
        h('button', { class: 'log-out', onclick: () => this.logOut() }, 'Log out')))
  }

  /** @param {'theme' | 'units'} key @param {string} value */
  change(key, value) {
    this.saveSettings({ [key]: value })
    if (key === 'theme') return this.applyTheme()
    this.format = this.makeFormat()
    // A session or a recording goes on, and writes as its reader wants from now on.
    if (!this.view?.busyWith) this.show()
  }

  /** The ids of the devices that history knows and of those that the floor has seen, in order. */
  async deviceIds() {
    const ids = new Set(this.gym.devices.keys())
    try {
      await this.bus.online()
      const { devices } = await this.bus.requestAll('devices', {}, 'devices')
      for (const { device } of devices) if (DEVICE_ID.test(device)) ids.add(device)
    } catch {
      // Without history there are those that were seen.
    }
    return [...ids].sort(new Intl.Collator(undefined, { numeric: true }).compare)
  }

  applyTheme() {
    const { theme } = this.settings
    const isDark = theme === 'dark' || (theme === 'auto' && DARK.matches)
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
    this.view?.recolour?.()
  }

  makeFormat() {
    const { units } = this.settings
    return new Format(navigator.language, units === 'auto' ? unitsOf(navigator.language) : units)
  }

  /** @param {Partial<Settings> | Record<string, any>} changes */
  saveSettings(changes) {
    this.settings = { ...this.settings, ...changes }
    try {
      localStorage.setItem(STORE, JSON.stringify(this.settings))
    } catch {
      // A browser that keeps nothing is asked anew the next time.
    }
  }
}

/**
 * @param {string} part of an address
 */
function decode(part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

/** @returns {Partial<Settings>} */
function readStore() {
  try {
    const value = JSON.parse(localStorage.getItem(STORE) ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
