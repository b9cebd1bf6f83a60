// The frame around the views: where the page is, the connection and what to do about it, and the reader's settings.
import { Bus, DEVICE_ID } from './bus.js'
import { h, replace, setAttribute, setText } from './dom.js'
import { Format, unitsOf } from './format.js'
import { FloorView } from './floor.js'
import { Gym } from './gym.js'
import { HistoryView } from './history.js'
import { PhoneView } from './phone.js'
import { WorkbenchView } from './workbench.js'

/**
 * @typedef {{ element: HTMLElement, start: () => void, stop: () => void, recolour?: () => void }} View
 * @typedef {{
 *   theme: 'auto' | 'light' | 'dark', units: 'auto' | import('./format.js').Units, user: string,
 *   floor?: { sort: string, filter: string, group: string }, workbench?: Record<string, any>, phone?: Record<string, any>
 * }} Settings
 */

const STORE = 'stridebus'
/** What the system wants where the reader has said nothing. */
const DARK = matchMedia('(prefers-color-scheme: dark)')
/** Kept for this tab only. */
const PASSWORD_STORE = 'stridebus-password'

/** @type {{ name: string, title: string, make: (app: App, ...rest: string[]) => View }[]} */
const VIEWS = [
  { name: 'floor', title: 'Floor', make: (app) => new FloorView(app) },
  { name: 'workbench', title: 'Workbench', make: (app, device) => new WorkbenchView(app, device) },
  { name: 'history', title: 'History', make: (app, who, span, date) => new HistoryView(app, who, span, date) },
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
    /** @type {View | null} */
    this.view = null
    this.main = h('main', { id: 'main', tabindex: '-1' })
    this.linkWords = h('span')
    this.linkPill = h('p', { class: 'link', role: 'status' }, h('i', { class: 'dot', 'aria-hidden': 'true' }), this.linkWords)
    this.banner = h('p', { class: 'banner', role: 'alert', hidden: true })
    this.nav = h('nav', { 'aria-label': 'Views' })
    this.clock = h('time', { class: 'clock' })
    this.bus = this.connect()
  }

  /** The address of the broker: its WebSocket listener is what served this page. */
  get busURL() {
    return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/`
  }

  /** @returns {import('./bus.js').Login | null} */
  get login() {
    const password = sessionStorage.getItem(PASSWORD_STORE)
    return this.settings.user && password !== null ? { user: this.settings.user, password } : null
  }

  connect() {
    const bus = new Bus({ url: this.busURL, root: this.root, login: this.login })
    bus.onLink(() => this.showLink())
    return bus
  }

  run() {
    this.applyTheme()
    replace(document.body,
      h('a', { class: 'skip', href: '#main', onclick: (/** @type {Event} */ event) => this.skip(event) }, 'Skip to the content'),
      h('header', {}, h('h1', {}, 'stridebus'), this.nav, this.linkPill, this.clock, this.menu()),
      this.banner, this.main)
    window.addEventListener('hashchange', () => this.show())
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

  /** Shows the view that the address names. */
  show() {
    const [name, ...rest] = location.hash.slice(1).split('/').map(decode)
    const view = VIEWS.find((each) => each.name === name) ?? VIEWS[0]
    this.view?.stop()
    this.view = view.make(this, rest[0] ?? '', ...rest.slice(1))
    replace(this.nav, ...VIEWS.map((each) =>
      h('a', { href: `#${each.name}`, 'aria-current': each === view ? 'page' : null }, each.title)))
    document.title = `${view.title} · stridebus`
    replace(this.main, this.view.element)
    this.view.start()
  }

  showLink() {
    const { link, linkSinceMs } = this.bus
    const seconds = (performance.now() - linkSinceMs) / 1000
    const words = { connecting: 'Connecting…', online: 'Live', lost: 'Reconnecting…', refused: 'Not logged in' }[link]
    setText(this.linkWords, words)
    setAttribute(this.linkPill, 'data-link', link)
    if (link === 'refused') return this.askLogin()
    const isLong = link === 'lost' || (link === 'connecting' && seconds > 5)
    this.banner.hidden = !isLong
    if (!isLong) return
    const since = this.format.clockSeconds.format(Date.now() - seconds * 1000)
    setText(this.banner, link === 'lost'
      ? `The connection to the broker was lost at ${since}. Trying again every second; what you see is from before.`
      : 'The broker does not answer. Trying again every second.')
  }

  askLogin() {
    if (document.querySelector('dialog')) return
    const user = h('input', { name: 'user', autocomplete: 'username', required: true, value: this.settings.user })
    const password = h('input', { name: 'password', type: 'password', autocomplete: 'current-password' })
    const dialog = h('dialog', { class: 'login', 'aria-labelledby': 'login-title' },
      h('form', {
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault()
          sessionStorage.setItem(PASSWORD_STORE, password.value)
          this.saveSettings({ user: user.value })
          dialog.close()
          dialog.remove()
          this.bus.close()
          this.bus = this.connect()
          this.show()
        },
      },
      h('h2', { id: 'login-title' }, 'Log in'),
      h('p', {}, this.login
        ? 'The broker does not know this user and password. Try again, or ask the person who runs it.'
        : 'This broker asks who you are. The person who runs it gives you a user and a password.'),
      h('label', { class: 'field' }, h('span', {}, 'User'), user),
      h('label', { class: 'field' }, h('span', {}, 'Password'), password),
      h('button', { class: 'primary' }, 'Log in')))
    document.body.append(dialog)
    dialog.showModal()
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
        h('button', { onclick: () => document.documentElement.requestFullscreen?.() }, 'Fill the screen')))
  }

  /** @param {'theme' | 'units'} key @param {string} value */
  change(key, value) {
    this.saveSettings({ [key]: value })
    if (key === 'theme') return this.applyTheme()
    this.format = this.makeFormat()
    this.show()
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
