// The page as one more client of the bus: MQTT 3.1.1 over the broker's own WebSocket listener.
import { connect } from 'mqtt'
import { asksAsUser, roleOf } from './login.js'

/**
 * How the connection stands: `connecting` for the first time, `online`, `lost` and trying again, `refused` because of
 * the user or the password.
 *
 * @typedef {'connecting' | 'online' | 'lost' | 'refused'} Link
 */

/** @typedef {import('./login.js').Login} Login */
/** @typedef {import('./login.js').Role} Role */

/** A device's id. What does not look like one is never shown as a device. */
export const DEVICE_ID = /^(?!(?:service|request|reply|user|person|wall|class)$)[a-z0-9][a-z0-9\-]{0,62}$/

const LIMITS = {
  /** Payloads above are not read: history's largest reply is a page of the longest rows. */
  payloadBytes: 2_100_000,
  /** The most rows of one reply. */
  rowsAPage: 1500,
  /** Requests that wait for an answer. */
  pendingRequests: 64,
  /** How long an answer is waited for, ms. */
  replyMs: 10_000,
  /** Between two tries to connect, ms. */
  reconnectMs: 1000,
  /** How long a broker may take to say what this user may do, ms: it is retained, so it comes behind the granted subscription. */
  roleMs: 1500,
  /** After a subscription that the broker refused, ms: doubled at each further refusal, up to the longest. */
  refusedMs: 1000,
  longestRefusedMs: 60_000,
}

/** Why a request has no answer: the code that history gave, or `timeout`, `offline`, `busy`. */
export class RequestError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message)
    this.code = code
  }
}

/** One connection. */
export class Bus {
  /**
   * @param {{ url: string, root: string, login?: Login | null, will?: { topic: string, payload: string } }} options
   *   topics are below the root
   */
  constructor({ url, root, login, will }) {
    this.root = root
    /** @type {Link} */
    this.link = 'connecting'
    /** When the link last changed, ms of `performance.now()`. */
    this.linkSinceMs = performance.now()
    /** @type {Set<(link: Link) => void>} */
    this.linkListeners = new Set()
    /** @type {Map<string, Set<(topic: string[], payload: Uint8Array) => void>>} */
    this.subscriptions = new Map()
    /** @type {Map<string, { resolve: (data: any) => void, reject: (error: Error) => void, timer: ReturnType<typeof setTimeout> }>} */
    this.pending = new Map()
    /**
     * How often in a row the broker has refused a filter.
     *
     * @type {Map<string, number>}
     */
    this.refusals = new Map()
    this.id = randomName()
    this.user = login?.user ?? ''
    /**
     * What the user may do; null until that is known.
     *
     * @type {Role | null}
     */
    this.role = this.user ? null : 'none'
    /** The person that a member is; empty for others. */
    this.person = ''
    /** @type {Set<() => void>} */
    this.roleListeners = new Set()
    this.replyTopic = ''
    /** Before `request/`, where a user asks on topics of its own. */
    this.requestPrefix = ''
    this.transactions = 0
    this.client = connect(url, {
      clientId: `page-${this.id}`,
      protocolVersion: 4,
      clean: true,
      keepalive: 15,
      connectTimeout: 8000,
      reconnectPeriod: LIMITS.reconnectMs,
      resubscribe: true,
      username: login?.user || undefined,
      password: login?.password || undefined,
      will: will && { topic: `${root}/${will.topic}`, payload: will.payload, qos: 1, retain: true },
    })
    this.client.on('connect', () => this.#setLink('online'))
    this.client.on('close', () => {
      // mqtt.js would send them again under numbers that the next connection gives to others, and take those
      // acknowledgements for theirs: so they are given up here, and their senders know.
      for (const id of Object.keys(this.client.outgoing)) this.client.removeOutgoingMessage(Number(id))
      if (this.link !== 'refused' && this.link !== 'connecting') this.#setLink('lost')
    })
    this.client.on('error', (/** @type {any} */ error) => {
      // 4: bad user or password; 5: not authorised (MQTT 3.1.1, section 3.2.2.3).
      if (error.code === 4 || error.code === 5) {
        this.client.end(true)
        this.#setLink('refused')
      }
    })
    this.client.on('message', (topic, payload) => this.#deliver(topic, payload))
    this.client.on('packetreceive', (packet) => {
      if (packet.cmd !== 'suback') return
      const topics = this.client.messageIdToTopic[packet.messageId] ?? []
      // Of the filters of one SUBSCRIBE, which a new connection begins with, mqtt.js forgets all where one is refused.
      const isForgotten = packet.granted.some((grant) => grant >= 0x80)
      for (const topic of topics) this.#answered(topic.slice(root.length + 1), isForgotten)
      // A bus that tells its users nothing stays silent.
      const asksRole = topics.includes(`${root}/user/${this.user}/role`)
      if (asksRole && this.role === null) setTimeout(() => this.role === null && this.#setRole('none', ''), LIMITS.roleMs)
    })
    if (this.user) {
      this.subscribe(`user/${this.user}/role`, (_, payload) => {
        const said = parseObject(payload)
        this.#setRole(roleOf(said), text(said?.person, this.user))
      })
    } else this.#listenToReplies()
  }

  /** @param {Role} role @param {string} person whom the broker's user is */
  #setRole(role, person) {
    if (role === this.role && person === this.person) return
    this.role = role
    this.person = role === 'member' ? person : ''
    if (this.replyTopic) this.#endReplies()
    this.#listenToReplies()
    for (const listener of this.roleListeners) listener()
  }

  /** Each user has answers below its own name, which nobody else may read. */
  #listenToReplies() {
    const isUser = this.role !== null && asksAsUser(this.role)
    this.replyTopic = isUser ? `user/${this.user}/reply/${this.id}` : `reply/${this.user ? `${this.user}/` : ''}${this.id}`
    this.requestPrefix = isUser ? `user/${this.user}/` : ''
    this.#endReplies = this.subscribe(this.replyTopic, (_, payload) => this.#answer(payload))
  }

  #endReplies = () => {}

  /**
   * Resolves once the broker has said what the user may do.
   *
   * @returns {Promise<Role>}
   */
  roleKnown() {
    if (this.role !== null) return Promise.resolve(this.role)
    return new Promise((resolve) => {
      const end = this.onRole(() => {
        end()
        resolve(/** @type {Role} */ (this.role))
      })
    })
  }

  /**
   * Calls back when the role is known, or another one. Returns how to stop that.
   *
   * @param {() => void} listener
   */
  onRole(listener) {
    this.roleListeners.add(listener)
    return () => this.roleListeners.delete(listener)
  }

  /** @param {Link} link */
  #setLink(link) {
    if (link === this.link) return
    this.link = link
    this.linkSinceMs = performance.now()
    for (const listener of this.linkListeners) listener(link)
  }

  /**
   * Calls back whenever the link changes. Returns how to stop that.
   *
   * @param {(link: Link) => void} listener
   */
  onLink(listener) {
    this.linkListeners.add(listener)
    return () => this.linkListeners.delete(listener)
  }

  /** Resolves when there is a connection. */
  online() {
    return new Promise((resolve) => {
      if (this.link === 'online') return resolve(undefined)
      const end = this.onLink((link) => {
        if (link !== 'online') return
        end()
        resolve(undefined)
      })
    })
  }

  /**
   * Calls back with the levels below the root and the payload of every message that a filter below the root matches.
   * Returns how to stop that.
   *
   * @param {string} filter
   * @param {(topic: string[], payload: Uint8Array) => void} handler
   */
  subscribe(filter, handler) {
    let handlers = this.subscriptions.get(filter)
    if (!handlers) {
      handlers = new Set()
      this.subscriptions.set(filter, handlers)
      this.#ask(filter)
    }
    handlers.add(handler)
    return () => {
      handlers?.delete(handler)
      if (handlers?.size !== 0 || !this.subscriptions.delete(filter)) return
      this.refusals.delete(filter)
      this.client.unsubscribe(`${this.root}/${filter}`)
    }
  }

  /** @param {string} filter */
  #ask(filter) {
    this.client.subscribe(`${this.root}/${filter}`, { qos: filter.startsWith('reply/') || filter.startsWith('user/') ? 1 : 0 })
  }

  /**
   * Asks again for what the broker refused: MQTT 3.1.1 does not say why (section 3.9.3), a cluster in a failover refuses
   * what it grants later, and mqtt.js forgets it.
   *
   * @param {string} filter
   * @param {boolean} isForgotten
   */
  #answered(filter, isForgotten) {
    if (!isForgotten) {
      this.refusals.delete(filter)
      return
    }
    const refusals = (this.refusals.get(filter) ?? 0) + 1
    this.refusals.set(filter, refusals)
    if (refusals === 2) console.warn(`the broker refuses the subscription to ${filter}: it is tried again`)
    const wait = Math.min(LIMITS.refusedMs * 2 ** (refusals - 1), LIMITS.longestRefusedMs)
    setTimeout(() => this.refusals.has(filter) && this.#ask(filter), wait)
  }

  /**
   * @param {string} topic
   * @param {Uint8Array} payload
   */
  #deliver(topic, payload) {
    if (payload.length > LIMITS.payloadBytes || !topic.startsWith(`${this.root}/`)) return
    const levels = topic.slice(this.root.length + 1).split('/')
    for (const [filter, handlers] of this.subscriptions) {
      if (!matches(filter, levels)) continue
      for (const handler of handlers) handler(levels, payload)
    }
  }

  /**
   * Publishes below the root at QoS 1. Resolves when the broker has it; rejects where the connection is away, or ends before.
   *
   * @param {string} topic
   * @param {string | object} payload an object goes as JSON
   * @param {{ retain?: boolean }} [options]
   * @returns {Promise<void>}
   */
  publish(topic, payload, options) {
    if (this.link !== 'online') return Promise.reject(new RequestError('offline', 'the broker cannot be reached at the moment'))
    const retain = options?.retain ?? false
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
    return new Promise((resolve, reject) =>
      this.client.publish(`${this.root}/${topic}`, text, { qos: 1, retain }, (error) =>
        error ? reject(error) : resolve()))
  }

  /**
   * Asks history.
   *
   * @param {string} verb such as `history/days`
   * @param {Record<string, unknown>} fields
   * @returns {Promise<any>} the data of the reply; rejects with `RequestError`
   */
  async request(verb, fields) {
    await this.roleKnown()
    if (this.link !== 'online') {
      throw new RequestError('offline', 'the broker cannot be reached at the moment')
    }
    if (this.pending.size >= LIMITS.pendingRequests) {
      throw new RequestError('busy', 'too many questions wait for their answers')
    }
    const transaction = String(++this.transactions)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.pending.delete(transaction)
        reject(new RequestError('timeout', 'history does not answer; is it running?'))
      }, LIMITS.replyMs)
      this.pending.set(transaction, { resolve, reject, timer })
      const giveUp = (/** @type {Error} */ error) => {
        clearTimeout(timer)
        this.pending.delete(transaction)
        reject(error)
      }
      const reply_to = `${this.root}/${this.replyTopic}`
      // Without a deadline: the clock of a phone may be off by more than one.
      this.publish(`${this.requestPrefix}request/${verb}`, { ...fields, reply_to, transaction }).catch(giveUp)
    })
  }

  /**
   * Asks history page after page.
   *
   * @param {string} verb
   * @param {Record<string, unknown>} fields
   * @param {string} list the field of the data whose records are joined
   * @param {number} [most] records after which no further page is asked for
   */
  async requestAll(verb, fields, list, most = 5000) {
    const limit = LIMITS.rowsAPage
    const first = await this.request(verb, { limit, ...fields })
    let cursor = first.cursor
    while (cursor && first[list].length < most) {
      const page = await this.request(verb, { limit, ...fields, cursor })
      first[list].push(...page[list])
      cursor = page.cursor
    }
    return first
  }

  /** @param {Uint8Array} payload */
  #answer(payload) {
    const reply = parseObject(payload)
    const waiting = this.pending.get(String(reply?.transaction))
    if (!reply || !waiting) return
    this.pending.delete(String(reply.transaction))
    clearTimeout(waiting.timer)
    if (reply.status === 'ok') waiting.resolve(reply.data)
    else waiting.reject(new RequestError(text(reply.error?.code), text(reply.error?.message)))
  }

  /** Ends the connection, in order. */
  close() {
    this.client.end()
  }
}

/** @param {unknown} value @param {string} [usual] */
function text(value, usual = 'unknown') {
  return typeof value === 'string' && value ? value : usual
}

/**
 * Whether a filter matches a topic, level by level.
 *
 * @param {string} filter
 * @param {string[]} levels
 */
function matches(filter, levels) {
  const wanted = filter.split('/')
  if (wanted[wanted.length - 1] === '#') return wanted.slice(0, -1).every((want, i) => want === '+' || want === levels[i])
  return wanted.length === levels.length && wanted.every((want, i) => want === '+' || want === levels[i])
}

const decoder = new TextDecoder()

/**
 * A payload's JSON object, or null for anything else.
 *
 * @param {Uint8Array} payload
 * @returns {Record<string, any> | null}
 */
export function parseObject(payload) {
  try {
    const value = JSON.parse(decoder.decode(payload))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** Twelve random characters, for names that must not meet. */
export function randomName() {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return Array.from(bytes, (byte) => 'abcdefghijklmnopqrstuvwxyz012345'[byte % 32]).join('')
}
