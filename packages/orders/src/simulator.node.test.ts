/** Orders through the journal at the simulator, with the real client, file stores and limits. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BrokerwireError, createServerClock, Secret } from '@brokerwire/core'
import { createHttpClient, type HttpClientOptions } from '@brokerwire/http'
import { createSigner } from '@brokerwire/signer'
import { startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { createFileStore } from '@brokerwire/stores/file'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createOrderJournal,
  type OrderJournal,
  type OrderJournalOptions,
  type PlaceOptions,
} from './index.ts'
import { order } from './test/set-up.ts'

/** @param fetchInit - Options of `fetch` that replace those of the client. */
async function start(clientOptions: Partial<HttpClientOptions> = {}, fetchInit: object = {}) {
  const simulator = await startSimulator({ tokenCheckEnabled: false, trading: { rateLimits: false } })
  simulator.trading?.setPrice('AAPL', '200.00')
  const directory = mkdtempSync(join(tmpdir(), 'brokerwire-orders-'))
  onTestFinished(async () => {
    await simulator.close()
    rmSync(directory, { recursive: true, force: true })
  })
  /** The placements as they were sent. */
  const sent: { readonly body: string; readonly nonce: string | null }[] = []
  const http = createHttpClient({
    baseUrl: simulator.baseUrl,
    signer: createSigner({ ...simulator.credentials, now: clientOptions.serverClock?.now }),
    fetch(url, init) {
      if (String(url).endsWith('/place'))
        sent.push({
          body: new TextDecoder().decode(init?.body as Uint8Array),
          nonce: new Headers(init?.headers).get('x-signature-nonce'),
        })
      return fetch(url, { ...init, ...fetchInit } as RequestInit)
    },
    ...clientOptions,
  })
  const open = (options: Partial<OrderJournalOptions> = {}): OrderJournal =>
    createOrderJournal({
      store: createFileStore({ directory }),
      http,
      accountId: simulator.accounts[0],
      settleMs: 500,
      ...options,
    })
  const trading = simulator.trading
  if (trading === undefined) throw new Error('the simulator must trade')
  return { simulator, trading, open, sent, accessToken: 'any-token' }
}

describe.each(['current', 'openapi'] as const)('in the path family %s', (pathFamily) => {
  test('a lost response places one order, which another process finds in the journal', async () => {
    const { trading, open, accessToken } = await start()
    trading.nextCall('orders.place', { kind: 'lost-response' })
    const entry = await open({ pathFamily }).place(order('o1'), { accessToken })
    expect(entry).toMatchObject({ state: 'accepted', source: 'orders.get' })
    expect(trading.orders()).toHaveLength(1)
    expect(await open({ pathFamily }).list()).toEqual([entry])
  })

  test('an order that never arrived is not found', async () => {
    const { simulator, trading, open, accessToken } = await start()
    simulator.faults.nextHttp({ kind: 'close' })
    const entry = await open({ pathFamily }).place(order('o1'), { accessToken })
    expect(entry).toMatchObject({ state: 'not-found' })
    expect(entry.looks.map(({ result }) => result)).not.toContain('failed')
    expect(trading.orders()).toEqual([])
  })
})

describe('resend: once', () => {
  const options: PlaceOptions = { resend: 'once', accessToken: 'any-token' }

  test('sends the same bytes with another signature, and the service has one order', async () => {
    const { trading, open, sent } = await start()
    trading.setQueryLag(3_600_000)
    trading.nextCall('orders.place', { kind: 'lost-response' })
    const entry = await open().place(order('o1'), options)
    expect(entry).toMatchObject({ state: 'accepted', source: 'repeated-id' })
    expect(sent.map(({ body }) => body)).toEqual([entry.body, entry.body])
    expect(new Set(sent.map(({ nonce }) => nonce)).size).toBe(2)
    expect(trading.orders()).toHaveLength(1)
  })

  test('an order that never arrived is placed by the second sending', async () => {
    const { simulator, trading, open } = await start()
    simulator.faults.nextHttp({ kind: 'close' })
    expect(await open().place(order('o1'), options)).toMatchObject({ state: 'accepted', source: 'response' })
    expect(trading.orders()).toHaveLength(1)
  })
})

test('a rejection of the service closes the entry with its code', async () => {
  const { open, accessToken } = await start()
  expect(await open().place(order('o1', { quantity: '199999' }), { accessToken })).toMatchObject({
    state: 'rejected',
    reason: { code: 'ORDER_BUYING_POWER_NOT_ENOUGH' },
  })
})

test('a response after the time limit is found by reading', async () => {
  const { trading, open, accessToken } = await start()
  trading.nextCall('orders.place', { kind: 'delay', delayMs: 2000 })
  expect(await open({ timeoutMs: 200 }).place(order('o1'), { accessToken })).toMatchObject({
    state: 'accepted',
    source: 'orders.get',
  })
  expect(trading.orders()).toHaveLength(1)
})

test('the stored bytes are those that were sent', async () => {
  const { open, sent, accessToken } = await start()
  const more = {
    extraFields: { note: '<&> \u2028 \ud83d\ude00', list: [1, null, true], nested: { b: '1', a: '2' } },
  }
  const entry = await open().place(order('o1', more), { accessToken })
  expect(sent.map(({ body }) => body)).toEqual([entry.body])
})

test.each([
  ['is', {}, { count: 2, state: 'accepted' }],
  // Without the client's dispatcher, Node's fetch may send a request again by itself.
  ['is not', { dispatcher: undefined }, { count: 1, state: 'not-found' }],
])('after a rejected timestamp, if it %s known that the host sent once', async (_, fetchInit, expected) => {
  const serverClock = createServerClock(() => Date.now() - 3_600_000)
  const { open, sent, accessToken } = await start({ serverClock }, fetchInit)
  const { state } = await open().place(order('o1'), { accessToken })
  expect({ count: sent.length, state }).toEqual(expected)
})

test('nothing is sent if the lease is lost while the client waits for a token', async () => {
  const lost = new AbortController()
  const { trading, open, sent } = await start({
    accessTokens: {
      async get() {
        lost.abort()
        return { token: new Secret('any-token') }
      },
      reportRejected: async () => ({ changed: false }),
    },
  })
  const store = createMemoryStore()
  const lock = async () => ({ lost: lost.signal, release: async () => {} })
  const journal = open({ store: { ...store, lock } })
  await expect(journal.place(order('o1'))).rejects.toMatchObject({ code: 'JOURNAL_LEASE_LOST' })
  expect({ sent, orders: trading.orders() }).toEqual({ sent: [], orders: [] })
  expect(await journal.list()).toMatchObject([{ state: 'not-sent' }])
})

test('an error of the token provider after a rejected token does not mean that nothing was sent', async () => {
  class TokensError extends BrokerwireError {
    override readonly name = 'TokensError'

    constructor() {
      super('tokens', 'TOKEN_STORE_FAILED', 'no store', { details: {} })
    }
  }
  const { simulator, open, sent } = await start({
    accessTokens: {
      get: async () => ({ token: new Secret('any-token') }),
      async reportRejected() {
        throw new TokensError()
      },
    },
  })
  const body = JSON.stringify({ error_code: 'INVALID_TOKEN', message: 'token is invalid' })
  simulator.faults.nextHttp({ kind: 'respond', status: 401, body }, { path: ['/trading/orders/place'] })
  expect(await open().place(order('o1'))).toMatchObject({ state: 'not-found' })
  expect(sent).toHaveLength(1)
})
