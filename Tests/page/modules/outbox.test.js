import assert from 'node:assert/strict'
import test from 'node:test'
import { Outbox } from '../../../Sources/Page/outbox.js'

test('without a database frames wait in memory, and leave oldest first', async () => {
  const outbox = new Outbox()
  for (const text of ['a', 'b', 'c']) await outbox.add('x/imu', text)
  assert.equal(outbox.waiting, 3)
  const sent = []
  outbox.publish = async (_, text) => void sent.push(text)
  await outbox.send()
  assert.deepEqual(sent, ['a', 'b', 'c'])
  assert.equal(outbox.waiting, 0)
})

test('frames that wait for one user are not sent by who logs in next in the same browser', async () => {
  /** The frames of each database, by its name. */
  const kept = {}
  const request = (result) => {
    const made = { result }
    queueMicrotask(() => made.onsuccess?.())
    return made
  }
  globalThis.indexedDB = {
    open: (name) => {
      const frames = (kept[name] ??= new Map())
      const store = {
        add: (frame) => request(frames.set(frames.size + 1, frame)), count: () => request(frames.size),
        getAllKeys: () => request([...frames.keys()]), getAll: () => request([...frames.values()]),
        delete: (key) => request(frames.delete(key)),
      }
      return request({ transaction: () => ({ objectStore: () => store }) })
    },
  }
  try {
    const sentBy = async (owner, add) => {
      const outbox = new Outbox(owner)
      await outbox.open()
      if (add) return outbox.add(`${owner}/imu`, add)
      const sent = []
      outbox.publish = async (topic) => void sent.push(topic)
      await outbox.send()
      return sent
    }
    await sentBy('anna', 'a')
    assert.deepEqual([await sentBy('ben'), await sentBy(''), await sentBy('anna')], [[], [], ['anna/imu']])
  } finally {
    delete globalThis.indexedDB
  }
})

test('a frame whose acknowledgement did not come is sent again', async () => {
  const outbox = new Outbox()
  await outbox.add('x/imu', 'a')
  outbox.publish = async () => { throw new Error('gone') }
  await outbox.send()
  assert.equal(outbox.waiting, 1)
  const sent = []
  outbox.publish = async (_, text) => void sent.push(text)
  await outbox.send()
  assert.deepEqual([sent, outbox.waiting], [['a'], 0])
})

test('a database that refuses to write loses no frame and leaves no count above 0', async () => {
  const outbox = new Outbox()
  /** A request of IndexedDB that ends at once. */
  const request = (result, error) => {
    const made = { result, error }
    queueMicrotask(() => (error ? made.onerror?.() : made.onsuccess?.()))
    return made
  }
  const store = {
    add: () => request(undefined, new Error('QuotaExceededError')), getAllKeys: () => request([]), getAll: () => request([]),
  }
  outbox.database = { transaction: () => ({ objectStore: () => store }) }
  const sent = []
  outbox.publish = async (_, text) => void sent.push(text)
  await outbox.add('x/imu', 'a')
  await outbox.add('x/imu', 'b')
  // What was added is being sent already.
  for (let turn = 0; turn < 100 && outbox.waiting; turn += 1) await new Promise(setImmediate)
  assert.deepEqual([sent.sort(), outbox.waiting], [['a', 'b'], 0])
})
