// Frames that wait for the broker: in IndexedDB, so that they outlive a lost network and a closed page.

/** Frames kept: almost three hours. Older ones are dropped then, and counted. */
const MOST_FRAMES = 20_000
/** Frames on the way at a time. */
const BATCH = 20

/** @typedef {{ topic: string, text: string }} Waiting */

export class Outbox {
  constructor() {
    /** @type {IDBDatabase | null} */
    this.database = null
    /**
     * Where the browser keeps nothing.
     *
     * @type {Map<number, Waiting>}
     */
    this.memory = new Map()
    this.nextKey = 1
    this.waiting = 0
    this.dropped = 0
    this.isSending = false
    /** @type {((topic: string, text: string) => Promise<void>) | null} */
    this.publish = null
  }

  async open() {
    try {
      this.database = await new Promise((resolve, reject) => {
        const request = indexedDB.open('stridebus-outbox', 1)
        request.onupgradeneeded = () => request.result.createObjectStore('frames', { autoIncrement: true })
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
      this.waiting = await this.run('readonly', (store) => store.count())
    } catch {
      this.database = null
    }
  }

  /**
   * @template T
   * @param {IDBTransactionMode} mode
   * @param {(store: IDBObjectStore) => IDBRequest<T>} work
   * @returns {Promise<T>}
   */
  run(mode, work) {
    return new Promise((resolve, reject) => {
      const request = work(/** @type {IDBDatabase} */ (this.database).transaction('frames', mode).objectStore('frames'))
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  }

  /**
   * @param {string} topic below the root
   * @param {string} text
   */
  async add(topic, text) {
    if (this.waiting >= MOST_FRAMES) await this.dropOldest()
    this.waiting += 1
    if (this.database) await this.run('readwrite', (store) => store.add({ topic, text }))
    else this.memory.set(this.nextKey++, { topic, text })
    void this.send()
  }

  async dropOldest() {
    const [first] = await this.oldest(1)
    if (!first) return
    await this.remove([first.key])
    this.dropped += 1
  }

  /**
   * @param {number} count
   * @returns {Promise<{ key: number, value: Waiting }[]>}
   */
  async oldest(count) {
    if (!this.database) return [...this.memory].slice(0, count).map(([key, value]) => ({ key, value }))
    const keys = await this.run('readonly', (store) => store.getAllKeys(null, count))
    const values = await this.run('readonly', (store) => store.getAll(null, count))
    return keys.map((key, i) => ({ key: Number(key), value: values[i] })).filter(({ value }) => value)
  }

  /**
   * @param {number[]} keys
   */
  async remove(keys) {
    for (const key of keys) {
      if (this.database) await this.run('readwrite', (store) => store.delete(key))
      else this.memory.delete(key)
    }
    this.waiting -= keys.length
  }

  /** Sends what waits, oldest first; each frame is forgotten once the broker has it. */
  async send() {
    if (this.isSending || !this.publish) return
    this.isSending = true
    try {
      for (;;) {
        const batch = await this.oldest(BATCH)
        const publish = this.publish
        if (!batch.length || !publish) break
        await Promise.all(batch.map(({ value }) => publish(value.topic, value.text)))
        await this.remove(batch.map(({ key }) => key))
      }
    } catch {
      // The connection ended: what was not acknowledged is sent again with the next one, and counted once.
    } finally {
      this.isSending = false
    }
  }
}
