// Frames that wait for the broker: in IndexedDB, so that they outlive a lost network and a closed page.

/** Frames kept: almost three hours. Older ones are dropped then, and counted. */
const MOST_FRAMES = 20_000
/** Frames on the way at a time. */
const BATCH = 20

/** @typedef {{ topic: string, text: string }} Waiting */

/** The frames in the order in which they were added. */
export class Outbox {
  /**
   * @param {string} [owner] the user who may send them, where users are told apart: a broker takes the frames of another one, says
   *   so, and drops them (MQTT 3.1.1), so that who logs in next in this browser must not send them
   */
  constructor(owner = '') {
    this.owner = owner
    this.name = owner ? `stridebus-outbox-${owner}` : 'stridebus-outbox'
    /** @type {IDBDatabase | null} */
    this.database = null
    /**
     * In place of the database in a browser that has none, or that cannot write in it.
     *
     * @type {Map<number, Waiting>}
     */
    this.memory = new Map()
    this.nextKey = 1
    /** Frames that are kept. */
    this.waiting = 0
    this.dropped = 0
    this.isSending = false
    /** @type {Promise<void> | undefined} */
    this.opening = undefined
    /** @type {((topic: string, text: string) => Promise<void>) | null} */
    this.publish = null
  }

  /** Opens the database of the frames that were kept before; once, however often it is asked for. */
  open() {
    return (this.opening ??= this.#open())
  }

  async #open() {
    try {
      const request = indexedDB.open(this.name, 1)
      request.onupgradeneeded = () => request.result.createObjectStore('frames', { autoIncrement: true })
      this.database = await finished(request)
      const before = await finished(this.store('readonly').count())
      this.waiting += before
    } catch {
      this.database = null
    }
  }

  /** @param {IDBTransactionMode} mode */
  store(mode) {
    return /** @type {IDBDatabase} */ (this.database).transaction('frames', mode).objectStore('frames')
  }

  /**
   * @param {string} topic below the root
   * @param {string} text
   */
  async add(topic, text) {
    // Counted before it is stored, so that nobody reads that all is sent meanwhile.
    this.waiting += 1
    if (this.waiting > MOST_FRAMES) await this.dropOldest()
    if (!(await this.keep({ topic, text }))) this.memory.set(this.nextKey++, { topic, text })
    void this.send()
  }

  /**
   * Whether the database has taken a frame: a full disk or a private window may refuse it.
   *
   * @param {Waiting} frame
   */
  async keep(frame) {
    if (!this.database) return false
    try {
      await finished(this.store('readwrite').add(frame))
      return true
    } catch {
      return false
    }
  }

  async dropOldest() {
    const batch = await this.oldest(1)
    if (!batch.frames.length) return
    await this.remove(batch)
    this.dropped += 1
  }

  /**
   * The oldest frames, of the database before those in memory.
   *
   * @param {number} count
   * @returns {Promise<{ frames: { key: number, value: Waiting }[], isInMemory: boolean }>}
   */
  async oldest(count) {
    if (this.database) {
      // In one transaction, so that no frame is added or dropped between the keys and their values.
      const store = this.store('readonly')
      const [keys, values] = await Promise.all([finished(store.getAllKeys(null, count)), finished(store.getAll(null, count))])
      if (keys.length) return { frames: keys.map((key, i) => ({ key: Number(key), value: values[i] })), isInMemory: false }
    }
    return { frames: [...this.memory].slice(0, count).map(([key, value]) => ({ key, value })), isInMemory: true }
  }

  /**
   * @param {{ frames: { key: number }[], isInMemory: boolean }} batch
   */
  async remove({ frames, isInMemory }) {
    if (isInMemory) for (const { key } of frames) this.memory.delete(key)
    else {
      const store = this.store('readwrite')
      await Promise.all(frames.map(({ key }) => finished(store.delete(key))))
    }
    this.waiting = Math.max(0, this.waiting - frames.length)
  }

  /** Sends what waits, oldest first; each frame is forgotten once the broker has it. */
  async send() {
    const publish = this.publish
    if (this.isSending || !publish) return
    this.isSending = true
    try {
      while (this.waiting > 0) {
        const batch = await this.oldest(BATCH)
        if (!batch.frames.length) {
          // Nothing is kept, whatever was counted.
          this.waiting = 0
          break
        }
        await Promise.all(batch.frames.map(({ value }) => publish(value.topic, value.text)))
        await this.remove(batch)
      }
    } catch {
      // The connection ended: what was not acknowledged is sent again with the next one, and counted once.
    } finally {
      this.isSending = false
    }
  }
}

/**
 * Resolves with the result of a request to IndexedDB.
 *
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function finished(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
