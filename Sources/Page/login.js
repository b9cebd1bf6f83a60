// Who the reader is to the broker, and what of the page is for whom. No I/O: the browser's stores are given.

/** @typedef {{ user: string, password: string }} Login */

/**
 * What a user may do; `none` on a bus that tells its users nothing, such as one on loopback.
 *
 * @typedef {'device' | 'member' | 'viewer' | 'operator' | 'none'} Role
 */

/** @typedef {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} Store */

const KEY = 'stridebus-login'
const ROLE_KEY = 'stridebus-role'
const ROLES = ['device', 'member', 'viewer', 'operator']

/**
 * The views of each role, the first one shown where the address names none.
 *
 * @type {Record<Role, string[]>}
 */
const VIEWS_OF = {
  device: ['phone', 'history'],
  member: ['phone', 'history'],
  viewer: ['floor'],
  operator: ['floor', 'workbench', 'history', 'class', 'phone'],
  none: ['floor', 'workbench', 'history', 'class', 'phone'],
}

/** @param {Role} role */
export function viewsOf(role) {
  return VIEWS_OF[role]
}

/**
 * Whether a user asks on topics of their own; operators, and everybody where no user is told apart, ask on `request/`.
 *
 * @param {Role} role
 */
export function asksAsUser(role) {
  return role === 'device' || role === 'member' || role === 'viewer'
}

/**
 * The role in a message of `user/{user}/role`; `none` for anything else.
 *
 * @param {Record<string, any> | null} payload
 * @returns {Role}
 */
export function roleOf(payload) {
  return ROLES.includes(payload?.role) ? payload?.role : 'none'
}

/**
 * The login that an address carries in its fragment, `#key/{user}/{password}`, and the fragment to go on with; null for
 * any other. A browser sends a fragment to nobody.
 *
 * @param {string} hash
 * @returns {{ login: Login, hash: string } | null}
 */
export function loginOf(hash) {
  const [word, user, password, ...rest] = hash.replace(/^#/, '').split('/')
  if (word !== 'key' || !user || !password) return null
  try {
    return { login: { user: decodeURIComponent(user), password: decodeURIComponent(password) }, hash: rest.length ? `#${rest.join('/')}` : '' }
  } catch {
    return null
  }
}

/**
 * Whether a login that came by a link outlives the tab: an operator's, which may do everything, stays on the machine that runs
 * the bus, and elsewhere only where its reader wants that.
 *
 * @param {Role} role
 * @param {string} hostname of the page
 */
export function outlivesTab(role, hostname) {
  return role !== 'operator' && role !== 'none' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** The login that is kept: for this tab, or in this browser where its reader wants to stay logged in. */
export class KeptLogin {
  /**
   * @param {Store} tab
   * @param {Store} browser
   */
  constructor(tab, browser) {
    this.stores = [tab, browser]
  }

  /** @returns {Login | null} */
  get login() {
    for (const store of this.stores) {
      try {
        const value = JSON.parse(store.getItem(KEY) ?? 'null')
        if (typeof value?.user === 'string' && typeof value?.password === 'string') return value
      } catch {
        // A store that cannot be read has nothing.
      }
    }
    return null
  }

  /**
   * @param {Login} login
   * @param {boolean} stays
   */
  keep(login, stays) {
    this.forget()
    try {
      this.stores[stays ? 1 : 0].setItem(KEY, JSON.stringify(login))
    } catch {
      // A browser that keeps nothing asks anew the next time.
    }
  }

  /** Whether the login is for this tab alone. */
  get isOfTab() {
    try {
      return this.stores[0].getItem(KEY) !== null
    } catch {
      return false
    }
  }

  /**
   * What the broker last said of who is logged in, which holds until it says another thing: a phone may be without a network.
   *
   * @returns {{ role: Role, person: string } | null}
   */
  get known() {
    for (const store of this.stores) {
      try {
        const value = JSON.parse(store.getItem(ROLE_KEY) ?? 'null')
        if (value?.user === this.login?.user && ROLES.includes(value?.role)) return { role: value.role, person: String(value.person ?? '') }
      } catch {
        // A store that cannot be read has nothing.
      }
    }
    return null
  }

  /**
   * @param {Role} role
   * @param {string} person
   */
  note(role, person) {
    const user = this.login?.user
    if (!user) return
    try {
      this.stores[this.isOfTab ? 0 : 1].setItem(ROLE_KEY, JSON.stringify({ user, role, person }))
    } catch {
      // It is asked for at each connection.
    }
  }

  forget() {
    for (const store of this.stores) {
      try {
        store.removeItem(KEY)
        store.removeItem(ROLE_KEY)
      } catch {
        // It keeps nothing.
      }
    }
  }
}
