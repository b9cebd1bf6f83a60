import assert from 'node:assert/strict'
import test from 'node:test'
import { KeptLogin, asksAsUser, loginOf, outlivesTab, roleOf, viewsOf } from '../../../Sources/Page/login.js'

/** A browser's store, without a browser. */
class Memory {
  constructor() {
    this.values = new Map()
  }
  getItem(key) {
    return this.values.get(key) ?? null
  }
  setItem(key, value) {
    this.values.set(key, value)
  }
  removeItem(key) {
    this.values.delete(key)
  }
}

test('an address carries a login in its fragment, and goes on with what follows it', () => {
  assert.deepEqual(loginOf('#key/anna/a%2Fb'), { login: { user: 'anna', password: 'a/b' }, hash: '' })
  assert.deepEqual(loginOf('#key/screen/pass/floor'), { login: { user: 'screen', password: 'pass' }, hash: '#floor' })
})

test('no other fragment is a login', () => {
  for (const hash of ['', '#', '#floor', '#key', '#key/', '#key/anna', '#key//x', '#key/%E0%A4%A/x', '#phone/key/a/b']) {
    assert.equal(loginOf(hash), null, hash)
  }
})

test('a login is kept in the tab, or in the browser where it is to stay, and never in both', () => {
  const [tab, browser] = [new Memory(), new Memory()]
  const kept = new KeptLogin(tab, browser)
  assert.equal(kept.login, null)
  kept.keep({ user: 'anna', password: '1' }, false)
  assert.equal(browser.values.size, 0)
  assert.deepEqual(new KeptLogin(new Memory(), browser).login, null)
  kept.keep({ user: 'screen', password: '2' }, true)
  assert.equal(tab.values.size, 0)
  assert.deepEqual(new KeptLogin(new Memory(), browser).login, { user: 'screen', password: '2' })
  kept.forget()
  assert.equal(kept.login, null)
})

test('a store that is full, closed or holds something else is as an empty one', () => {
  const broken = { getItem: () => { throw new Error() }, setItem: () => { throw new Error() }, removeItem: () => { throw new Error() } }
  const kept = new KeptLogin(broken, broken)
  kept.keep({ user: 'anna', password: '1' }, true)
  assert.equal(kept.login, null)
  for (const text of ['7', '"x"', '{"user":1,"password":"x"}', '{']) {
    const store = new Memory()
    store.setItem('stridebus-login', text)
    assert.equal(new KeptLogin(store, store).login, null, text)
  }
})

test('a role is one of four words, and anything else is none', () => {
  assert.equal(roleOf({ role: 'viewer' }), 'viewer')
  for (const payload of [null, {}, { role: 'services' }, { role: 7 }]) assert.equal(roleOf(payload), 'none')
})

test('a member and a screen on the wall see what is for them', () => {
  assert.deepEqual(viewsOf('viewer'), ['floor'])
  assert.deepEqual(viewsOf('member'), ['phone', 'history'])
  assert.ok(viewsOf('operator').includes('workbench'))
  assert.deepEqual(['device', 'member', 'viewer', 'operator', 'none'].map(asksAsUser), [true, true, true, false, false])
})

test('what the broker said of a user is known without a network, and of nobody else', () => {
  const [tab, browser] = [new Memory(), new Memory()]
  const kept = new KeptLogin(tab, browser)
  kept.keep({ user: 'anna', password: '1' }, true)
  assert.equal(kept.known, null)
  kept.note('member', 'Anna B')
  assert.deepEqual(new KeptLogin(new Memory(), browser).known, { role: 'member', person: 'Anna B' })
  kept.keep({ user: 'ben', password: '2' }, false)
  assert.equal(kept.known, null)
  assert.equal(kept.isOfTab, true)
})

test('an operator who came by a link stays logged in on the machine that runs the bus alone', () => {
  assert.equal(outlivesTab('operator', 'gym.local'), false)
  assert.equal(outlivesTab('operator', 'localhost'), true)
  for (const role of ['member', 'device', 'viewer']) assert.equal(outlivesTab(role, 'gym.local'), true)
})
