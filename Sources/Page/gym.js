// What the bus says about each device, and what of it may be shown as live. No I/O and no clock: time is given.

import { DEVICE_ID } from './bus.js'

/** @typedef {'cycling' | 'walking' | 'running' | 'stationary' | 'automotive' | 'unknown'} Activity */

/**
 * A cadence at a time of arrival, ms of `performance.now()`.
 *
 * @typedef {{ atMs: number, value: number }} TracePoint
 */

/**
 * How a device stands, which decides how it is shown: `moving` and `still` are live, `silent` has said nothing for
 * a while though it moved, `quiet` has said nothing since the page was opened, `offline` said that it is.
 *
 * @typedef {'moving' | 'still' | 'silent' | 'quiet' | 'offline'} Standing
 */

export const GYM_LIMITS = {
  /** Devices that are kept; more are counted and not shown. */
  devices: 2000,
  /** The trace of a device. */
  traceMs: 180_000,
  /** Points of a trace. */
  tracePoints: 240,
  /** A moving device speaks once a second; after this it is silent. */
  silentMs: 5000,
  /** History says the wall at least once a minute; after this it is not of now, s. */
  wallSeconds: 150,
}

/** One device. */
export class Device {
  /** @param {string} id */
  constructor(id) {
    this.id = id
    /** @type {Record<string, any>} */
    this.config = {}
    /**
     * What history says of the device to a screen on the wall, which may not read its config.
     *
     * @type {{ kind?: string, person?: string }}
     */
    this.told = {}
    /** @type {Record<string, any> | null} */
    this.cadence = null
    /** When `cadence` came, ms. */
    this.cadenceAtMs = -Infinity
    /** What sensors say beside, each with when it came, ms. */
    this.watts = { atMs: -Infinity, value: 0 }
    this.bpm = { atMs: -Infinity, value: 0 }
    /** @type {Record<string, any> | null} */
    this.activity = null
    /** @type {Record<string, any> | null} */
    this.day = null
    /** @type {Record<string, any> | null} */
    this.health = null
    this.isOffline = false
    /** Whether a screen on the wall leaves it out. */
    this.isOffWall = false
    /** @type {TracePoint[]} */
    this.trace = []
  }

  /** The person where one is named, else the id. */
  get name() {
    return this.person || this.id
  }

  /** @returns {string} */
  get person() {
    const person = this.config.person ?? this.told.person
    return typeof person === 'string' ? person : ''
  }

  /** @returns {'bike' | 'person'} */
  get kind() {
    const kind = this.config.kind ?? this.told.kind
    if (kind === 'bike') return 'bike'
    if (kind === 'wearable') return 'person'
    if (this.cadence && isNumber(this.cadence.cadence_rpm)) return 'bike'
    return (this.day?.revolutions ?? 0) > (this.day?.steps ?? 0) ? 'bike' : 'person'
  }

  /** The last cadence that came, per minute, or null where none did. */
  get value() {
    const value = this.cadence?.cadence_rpm ?? this.cadence?.cadence_spm
    return isNumber(value) ? value : null
  }

  get unit() {
    if (isNumber(this.cadence?.cadence_rpm)) return 'rpm'
    if (isNumber(this.cadence?.cadence_spm)) return 'spm'
    return this.kind === 'bike' ? 'rpm' : 'spm'
  }

  /**
   * @param {number} nowMs
   * @returns {Standing}
   */
  standing(nowMs) {
    if (this.isOffline) return 'offline'
    if (this.value === null) return 'quiet'
    if (this.value === 0) return 'still'
    return nowMs - this.cadenceAtMs > GYM_LIMITS.silentMs ? 'silent' : 'moving'
  }

  /** The watts or beats a minute that are live, or null.
   * @param {'watts' | 'bpm'} kind @param {number} nowMs */
  reading(kind, nowMs) {
    return nowMs - this[kind].atMs > GYM_LIMITS.silentMs ? null : this[kind].value
  }

  /** Whether nothing is heard of it: a strap that tells beats alone is there.
   * @param {number} nowMs */
  isAway(nowMs) {
    return this.isOffline || (['quiet', 'silent'].includes(this.standing(nowMs)) && this.reading('bpm', nowMs) === null && this.reading('watts', nowMs) === null)
  }

  /**
   * What the wearer does, as said last.
   *
   * @returns {Activity}
   */
  get doing() {
    const word = (this.value === 0 || !this.cadence ? this.activity : this.cadence)?.activity
    // The counter is sure of a new activity later than of the first turns and steps after a stop.
    if (word === 'stationary' && this.value) return this.unit === 'rpm' ? 'cycling' : 'unknown'
    return ACTIVITIES.includes(word) ? word : 'unknown'
  }

  /**
   * What is wrong with the device's data, or null.
   *
   * @returns {string | null}
   */
  get problem() {
    if (!this.health || this.health.ok !== false) return null
    return typeof this.health.problem === 'string' ? this.health.problem : 'its data has a problem'
  }
}

/** @type {Activity[]} */
const ACTIVITIES = ['cycling', 'walking', 'running', 'stationary', 'automotive', 'unknown']

/** The channels of a device that the floor shows. */
export const FLOOR_CHANNELS = ['cadence', 'power', 'heart', 'activity', 'day', 'health', 'status', 'config']

/** Every device of the bus. */
export class Gym {
  constructor() {
    /** @type {Map<string, Device>} */
    this.devices = new Map()
    /** Devices beyond the limit. */
    this.refusedDevices = 0
  }

  /**
   * Takes a message. Returns the device that changed, or null where the message says nothing.
   *
   * @param {string} id
   * @param {string} channel
   * @param {Record<string, any> | string | null | undefined} payload the JSON object, or the text of `status`; undefined for
   *   an empty message, which takes back what was retained
   * @param {number} nowMs
   */
  take(id, channel, payload, nowMs) {
    if (payload === undefined) return this.takeBack(id, channel, nowMs)
    if (payload === null) return null
    const device = this.device(id)
    if (!device) return null
    switch (channel) {
      case 'status':
        device.isOffline = payload === 'offline'
        return device
      case 'cadence':
        return takeCadence(device, payload, nowMs)
      case 'power':
        return takeReading(device, 'watts', payload, nowMs)
      case 'heart':
        return takeReading(device, 'bpm', payload, nowMs)
      case 'config':
        device.config = typeof payload === 'object' ? payload : {}
        return device
      case 'activity':
      case 'day':
      case 'health':
        if (typeof payload !== 'object') return null
        device[channel] = payload
        return device
    }
    return null
  }

  /**
   * Forgets what was retained. A device of which nothing is left, and that does not move, is forgotten itself.
   *
   * @param {string} id
   * @param {string} channel
   * @param {number} nowMs
   */
  takeBack(id, channel, nowMs) {
    const device = this.devices.get(id)
    if (!device) return null
    if (channel === 'config') device.config = {}
    else if (channel === 'status') device.isOffline = false
    else if (channel === 'activity' || channel === 'day' || channel === 'health') device[channel] = null
    const isKnown = device.day || device.activity || device.health || Object.keys(device.config).length > 0
    if (!isKnown && device.standing(nowMs) !== 'moving') this.devices.delete(id)
    return device
  }

  /** @param {string} id */
  device(id) {
    const known = this.devices.get(id)
    if (known) return known
    if (!DEVICE_ID.test(id)) return null
    if (this.devices.size >= GYM_LIMITS.devices) {
      this.refusedDevices += 1
      return null
    }
    const device = new Device(id)
    this.devices.set(id, device)
    return device
  }
}

/**
 * Whether what history said to a screen on the wall is of now.
 *
 * @param {Record<string, any> | null} wall
 * @param {number} nowSeconds since 1970
 */
export function isWallOfNow(wall, nowSeconds) {
  const t = wall?.t
  return isNumber(t) && Math.abs(nowSeconds - t) < GYM_LIMITS.wallSeconds
}

/**
 * Takes what history says to a screen on the wall. What it does not name is not shown, and an old one names nothing.
 *
 * @param {Gym} gym
 * @param {Record<string, any> | null} wall
 * @param {number} nowSeconds since 1970
 */
export function takeWall(gym, wall, nowSeconds) {
  for (const device of gym.devices.values()) device.isOffWall = true
  const entries = wall && isWallOfNow(wall, nowSeconds) && Array.isArray(wall.entries) ? wall.entries : []
  for (const { device: id, kind, alias, steps, revolutions, end } of entries) {
    const device = typeof id === 'string' ? gym.device(id) : null
    if (!device) continue
    device.isOffWall = false
    device.told = { kind, person: alias }
    device.day = { steps, revolutions, end }
  }
}

/**
 * @param {Device} device
 * @param {Record<string, any> | string} payload
 * @param {number} nowMs
 */
function takeCadence(device, payload, nowMs) {
  if (typeof payload !== 'object') return null
  const value = payload.cadence_rpm ?? payload.cadence_spm
  if (!isNumber(value) || value < 0 || value > 1000) return null
  device.cadence = payload
  device.cadenceAtMs = nowMs
  device.trace.push({ atMs: nowMs, value })
  const first = device.trace[0]
  if (device.trace.length > GYM_LIMITS.tracePoints || (first && nowMs - first.atMs > 2 * GYM_LIMITS.traceMs)) {
    device.trace = device.trace.filter((point) => nowMs - point.atMs <= GYM_LIMITS.traceMs)
  }
  return device
}

/** @param {Device} device @param {'watts' | 'bpm'} kind @param {Record<string, any> | string} payload @param {number} nowMs */
function takeReading(device, kind, payload, nowMs) {
  const value = typeof payload === 'object' ? payload[kind] : null
  if (!isNumber(value) || value < 0 || value > 9999) return null
  device[kind] = { atMs: nowMs, value }
  return device
}

/** @param {unknown} value @returns {value is number} */
export function isNumber(value) {
  return typeof value === 'number' && Number.isFinite(value)
}

/**
 * How devices may be sorted.
 * @type {[key: string, text: string][]}
 */
export const SORTS = [['name', 'Name'], ['cadence', 'Cadence'], ['today', 'Most today'], ['attention', 'Problems first']]

/**
 * Which devices may be shown.
 * @type {[key: string, text: string][]}
 */
export const FILTERS = [
  ['all', 'Everything'], ['moving', 'Moving now'], ['bike', 'Bikes'], ['person', 'People'], ['attention', 'Problems'],
]

/**
 * How devices may be grouped.
 * @type {[key: string, text: string][]}
 */
export const GROUPS = [['none', 'No groups'], ['kind', 'Bikes and people'], ['doing', 'What they do'], ['person', 'Person']]

/**
 * The devices to show, in order, in groups.
 *
 * @param {Iterable<Device>} devices
 * @param {{ sort: string, filter: string, group: string, search: string }} wish
 * @param {number} nowMs
 * @returns {{ title: string, devices: Device[] }[]}
 */
export function arrange(devices, wish, nowMs) {
  const search = wish.search.trim().toLowerCase()
  const shown = [...devices].filter((device) => {
    if (device.isOffWall) return false
    if (search && !device.id.includes(search) && !device.person.toLowerCase().includes(search)) return false
    if (wish.filter === 'moving') return device.standing(nowMs) === 'moving'
    if (wish.filter === 'attention') return device.problem !== null || device.isOffline
    return wish.filter === 'all' || device.kind === wish.filter
  })
  shown.sort((a, b) => rank(a, wish.sort, nowMs) - rank(b, wish.sort, nowMs) || byName(a, b))
  if (wish.group === 'none') return [{ title: '', devices: shown }]
  /** @type {Map<string, Device[]>} */
  const groups = new Map()
  for (const device of shown) {
    const title = groupTitle(device, wish.group, nowMs)
    const members = groups.get(title)
    if (members) members.push(device)
    else groups.set(title, [device])
  }
  return [...groups].map(([title, members]) => ({ title, devices: members })).sort((a, b) => collator.compare(a.title, b.title))
}

/** Orders names as people do: bike-2 before bike-10. */
export const collator = new Intl.Collator(undefined, { numeric: true })

/** @param {Device} a @param {Device} b */
function byName(a, b) {
  return collator.compare(a.name, b.name) || collator.compare(a.id, b.id)
}

/** @param {Device} device @param {string} sort @param {number} nowMs */
function rank(device, sort, nowMs) {
  switch (sort) {
    case 'cadence':
      return device.standing(nowMs) === 'moving' ? -(device.value ?? 0) : 1
    case 'today':
      return -((device.day?.steps ?? 0) + (device.day?.revolutions ?? 0))
    case 'attention':
      return device.problem ? 0 : device.isOffline ? 1 : 2
  }
  return 0
}

/** @param {Device} device @param {string} group @param {number} nowMs */
function groupTitle(device, group, nowMs) {
  if (group === 'kind') return device.kind === 'bike' ? 'Bikes' : 'People'
  if (group === 'person') return device.person || 'No person named'
  return words(device, nowMs)
}

/**
 * What a device does, in a word or two.
 *
 * @param {Device} device
 * @param {number} nowMs
 */
export function words(device, nowMs) {
  switch (device.standing(nowMs)) {
    case 'offline': return 'Offline'
    case 'silent': return 'No news'
    case 'quiet': return device.reading('bpm', nowMs) !== null ? 'Heart rate' : device.reading('watts', nowMs) !== null ? 'Power' : 'Waiting'
    case 'still': return 'Still'
    case 'moving': return DOING[device.doing]
  }
}

/** @type {Record<Activity, string>} */
export const DOING = {
  cycling: 'Cycling',
  walking: 'Walking',
  running: 'Running',
  stationary: 'Still',
  automotive: 'Driving',
  unknown: 'Moving',
}
