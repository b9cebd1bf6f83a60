import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import vm from 'node:vm'

/** The worker's answer to the page, where the network answers so and this is kept. */
async function answered(network, kept) {
  const listeners = {}
  const stored = []
  const cache = { match: async () => kept, put: async (_, response) => stored.push(response) }
  const scope = 'https://gym.example/'
  const self = { addEventListener: (name, body) => (listeners[name] = body), registration: { scope }, skipWaiting() {}, clients: {} }
  const context = { self, caches: { open: async () => cache }, fetch: network, location: new URL(scope), URL, setTimeout, Promise }
  vm.runInNewContext(readFileSync('Sources/Page/sw.js', 'utf8'), context)
  let answer
  listeners.fetch({ request: { url: scope, method: 'GET', mode: 'navigate' }, respondWith: (value) => (answer = value) })
  return { answer: await answer, stored }
}

const response = (status) => ({ status, ok: status === 200, clone: () => response(status) })

test('the kept page is shown where what stands before the broker answers with an error, or nobody does', async () => {
  const kept = response(200)
  for (const status of [502, 503, 404]) assert.equal((await answered(async () => response(status), kept)).answer, kept)
  assert.equal((await answered(async () => { throw new Error('away') }, kept)).answer, kept)
  // Without a kept one the error is what there is, and it is not kept.
  const { answer, stored } = await answered(async () => response(503), undefined)
  assert.equal(answer.status, 503)
  assert.deepEqual(stored, [])
})
