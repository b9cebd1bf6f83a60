import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import test from 'node:test'
import { Bus } from '../../../Sources/Page/bus.js'
import { broker } from './mqtt.js'

/** A client that notes what it is asked for. */
class Client extends EventEmitter {
  asked = []
  messageIdToTopic = {}
  outgoing = {}
  subscribe(filter) {
    this.asked.push(filter)
    this.messageIdToTopic[this.asked.length] = [filter]
  }
  unsubscribe() {}
  /** Answers the newest SUBSCRIBE. */
  answer(...granted) {
    this.emit('packetreceive', { cmd: 'suback', messageId: this.asked.length, granted })
  }
}

test('a refused subscription is asked for again, ever less often, until it is granted or not wanted', (t) => {
  const client = new Client()
  t.mock.method(broker, 'connect', () => client)
  t.mock.method(console, 'warn', () => {})
  const waits = []
  t.mock.method(globalThis, 'setTimeout', (body, wait) => {
    waits.push(wait)
    body()
  })
  const bus = new Bus({ url: 'ws://bus', root: 'stride' })
  const end = bus.subscribe('+/cadence', () => {})
  client.asked.length = 0
  client.subscribe('stride/+/cadence')
  for (let refusal = 0; refusal < 8; refusal += 1) client.answer(0x80)
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
  assert.equal(client.asked.length, 9)
  assert.ok(client.asked.every((filter) => filter === 'stride/+/cadence'))
  assert.equal(console.warn.mock.callCount(), 1)
  client.answer(0)
  assert.equal(client.asked.length, 9)
  // Counted from the beginning after a grant.
  client.answer(0x80)
  assert.equal(waits.at(-1), 1000)
  // Of several in one, all are forgotten where one is refused.
  bus.subscribe('+/day', () => {})
  client.messageIdToTopic[client.asked.length] = ['stride/+/cadence', 'stride/+/day']
  const several = client.asked.length
  client.answer(0x80, 0)
  assert.deepEqual(client.asked.slice(several), ['stride/+/cadence', 'stride/+/day'])
  // What nobody wants any more is not asked for when its time comes.
  client.subscribe('stride/+/cadence')
  let later = () => {}
  globalThis.setTimeout.mock.mockImplementation((body) => void (later = body))
  client.answer(0x80)
  end()
  const before = client.asked.length
  later()
  assert.equal(client.asked.length, before)
})

test('a request whose message is refused gives its place back', async (t) => {
  const client = new Client()
  client.publish = (topic, text, options, done) => done(new Error('refused'))
  t.mock.method(broker, 'connect', () => client)
  const bus = new Bus({ url: 'ws://bus', root: 'stride' })
  client.emit('connect')
  for (let i = 0; i < 100; i += 1) await assert.rejects(bus.request('devices', {}), /refused/)
  assert.equal(bus.pending.size, 0)
})

test('a role is waited for until behind the granted subscription, and a late one is told', (t) => {
  const client = new Client()
  t.mock.method(broker, 'connect', () => client)
  const waits = []
  t.mock.method(globalThis, 'setTimeout', (body) => waits.push(body))
  const bus = new Bus({ url: 'ws://bus', root: 'stride', login: { user: 'anna', password: 'x' } })
  client.emit('connect')
  assert.equal(waits.length, 0)
  client.answer(1)
  waits.pop()()
  assert.equal(bus.role, 'none')
  let told = 0
  bus.onRole(() => (told += 1))
  client.emit('message', 'stride/user/anna/role', Buffer.from('{"role":"member","person":"Anna B"}'))
  assert.deepEqual([bus.role, bus.person, told], ['member', 'Anna B', 1])
})
